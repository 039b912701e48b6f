/* SPDX-License-Identifier: Apache-2.0 */
#include <tracelathe/xray.h>

#include "cli/commands/job.h"

static enum tl_xray_map_form form_of(const struct output_settings *output)
{
	if (output->json)
		return TL_XRAY_MAP_JSON;
	if (output->csv)
		return TL_XRAY_MAP_CSV;
	return output->yaml ? TL_XRAY_MAP_YAML : TL_XRAY_MAP_TEXT;
}

/* A map of a program, or else one in YAML. What no YAML is either has the error of the program. */
static int open_map(const struct settings *settings, struct tl_xray_map **map, struct tl_error *err)
{
	const char *path = settings->paths.items[0];
	struct tl_error ignored;
	int status = tl_xray_map_open(map, path, 0, !settings->input.raw_names, err);

	if (status != TL_BAD_FORMAT || tl_xray_map_open_yaml(map, path, &ignored) < 0)
		return status;
	return 0;
}

int cmd_extract(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	struct tl_xray_map *map;
	int status;

	if (settings->paths.list.count > 1) {
		complain("extract", "one PROGRAM at a time");
		job->error_shown = true;
		return TL_BAD_USAGE;
	}
	status = open_map(settings, &map, err);
	if (status < 0)
		return status;
	status = tl_xray_map_put(map, form_of(&settings->output), job->out, err);
	tl_xray_map_close(map);
	return status;
}
