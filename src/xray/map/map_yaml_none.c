/* SPDX-License-Identifier: Apache-2.0 */
/* In place of map_yaml.c in a build without libyaml. */
#include "core/error.h"
#include "xray/map/map.h"

int tl_xray_map_open_yaml(struct tl_xray_map **map, const char *path, struct tl_error *err)
{
	(void)path;
	*map = NULL;
	return tl_error_format(
		err, "xray",
		tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			    "a map in YAML is not read, as this tracelathe was built "
			    "without libyaml"));
}
