/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/arithmetic.h"
#include "xray/yaml/yaml_log.h"

int tl_xray_yaml_probe(const uint8_t *data, size_t size)
{
	static const char header[] = "header:", frequency[] = "cycle-frequency:";
	const uint8_t *found;

	size = tl_min(size, 4096);
	found = memmem(data, size, header, sizeof(header) - 1);
	if (!found || (found > data && found[-1] != '\n'))
		return 0;
	return memmem(found, size - (size_t)(found - data), frequency, sizeof(frequency) - 1) ? 80
											      : 0;
}
