/* SPDX-License-Identifier: Apache-2.0 */
/* Records as YAML: whatever they say, the log that is made of them is one without a violation. */
#include <stdlib.h>

#include "fuzz.h"
#include "xray/yaml/yaml_log.h"

static void read_log(const char *log, size_t size)
{
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_xray_record record;
	struct tl_error err;
	uint64_t count, skipped;
	size_t listed;

	if (tl_source_open_memory(&source, log, size, "log", &err))
		return;
	if (tl_xray_open(&reader, source, NULL, &err))
		abort();
	while (tl_xray_next(reader, &record, sizeof(record), &err) == 1)
		;
	tl_xray_faults(reader, &listed, &count, &skipped);
	if (count)
		abort();
	tl_xray_close(reader);
	tl_source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_xray_map *map = calloc(1, sizeof(*map));
	struct tl_xray_faults faults = { .list = NULL };
	struct tl_output *log;
	struct tl_error err;
	const char *bytes;
	int status;

	if (!map || tl_output_open_memory(&log, &err))
		abort();
	tl_xray_yaml_probe(data, size);
	status = tl_xray_yaml_read(data, size, false, log, map, &faults, &err);
	if (status < 0 && err.offset != TL_NOWHERE && err.offset > size)
		abort();
	for (size_t i = 0; i < faults.listed; i++)
		if (faults.list[i].offset > size || faults.list[i].length > size)
			abort();
	tl_xray_map_finish(map);
	bytes = tl_output_bytes(log, &size);
	if (status == 0)
		read_log(bytes, size);
	free(faults.list);
	tl_output_discard(log);
	tl_xray_map_close(map);
	return 0;
}
