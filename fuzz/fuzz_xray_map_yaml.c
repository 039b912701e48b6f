/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction map as YAML. The reader takes a path, so the bytes go through a file in memory. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tracelathe/xray.h>

#include "fuzz.h"

static void look(struct tl_xray_map *map)
{
	struct tl_xray_function function;

	for (uint32_t id = 0; id < 64; id++)
		if (tl_xray_map_find(map, id, &function, sizeof(function)))
			FUZZ_MUST(function.id == id && function.name && function.file &&
				  function.object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct tl_xray_map *map;
	struct tl_error err;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!tl_xray_map_open_yaml(&map, path, &err)) {
		look(map);
		tl_xray_map_close(map);
	}
	close(fd);
	return 0;
}
