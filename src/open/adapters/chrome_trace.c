/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome_trace/chrome_trace.h"
#include "open/adapters/foreign.h"

static int open_chrome(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_chrome_reader, paths, err);
}

const struct tl_format tl_chrome_trace_format = {
	.info = {
		.name = "chrome-trace",
		.help = "Chrome's trace events, JSON",
		.record_word = "event",
	},
	.probe = tl_chrome_probe,
	.open = open_chrome,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.timeline = tl_foreign_draw,
	.calls = tl_foreign_calls,
	.damage = tl_foreign_damage,
};
