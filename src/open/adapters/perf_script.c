/* SPDX-License-Identifier: Apache-2.0 */
#include "open/adapters/foreign.h"
#include "perf_script/perf_script.h"

static int open_perf_script(struct tl_input *input, const char *const *paths, size_t path_count,
			    const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_perf_script_reader, paths, err);
}

const struct tl_format tl_perf_script_format = {
	.info = {
		.name = "perf-script",
		.help = "text of perf script",
		.record_word = "line",
	},
	.probe = tl_perf_script_probe,
	.open = open_perf_script,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.damage = tl_foreign_damage,
};
