/* SPDX-License-Identifier: Apache-2.0 */
/* LOG.map beside a recording: whatever it says, reading ends, and names are found or not. */
#include <stdlib.h>

#include "fuzz.h"
#include "xray/map/log_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_xray_recorded recorded = { .map = NULL };
	struct tl_xray_function function;
	struct tl_error err;
	int status = tl_xray_recorded_read(&recorded, data, size, true, &err);

	if (status < 0 && err.offset > size)
		abort();
	for (uint32_t id = 0; status == 0 && recorded.map && id < 64; id++)
		if (tl_xray_map_lookup(recorded.map, id * 1000, &function) &&
		    (!function.name || !function.object))
			abort();
	tl_xray_recorded_close(&recorded);
	return 0;
}
