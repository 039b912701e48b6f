/* SPDX-License-Identifier: Apache-2.0 */
/* In place of read.c in a build without libyaml. */
#include "core/error.h"
#include "xray/yaml/yaml_log.h"

int tl_xray_yaml_read(const uint8_t *data, size_t size, bool strict, struct tl_output *log,
		      struct tl_xray_map *map, struct tl_xray_faults *faults, struct tl_error *err)
{
	(void)data, (void)size, (void)strict, (void)log, (void)map, (void)faults;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "the records are YAML, and this tracelathe was built without libyaml");
}
