/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the formats that src/foreign/ serves; foreign.c has their operations. */
#include "chrome_trace/chrome_trace.h"
#include "folded/folded.h"
#include "open/adapters/foreign.h"
#include "perf_script/perf_script.h"
#include "speedscope/speedscope.h"
#include "uftrace/uftrace.h"

static int open_folded(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_folded_reader, paths, err);
}

const struct tl_format tl_folded_format = {
	.info = {
		.name = "folded",
		.help = "folded stacks, one line a call path",
		.record_word = "line",
	},
	.probe = tl_folded_probe,
	.open = open_folded,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.damage = tl_foreign_damage,
};

static int open_speedscope(struct tl_input *input, const char *const *paths, size_t path_count,
			   const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_speedscope_reader, paths, err);
}

const struct tl_format tl_speedscope_format = {
	.info = {
		.name = "speedscope",
		.help = "speedscope's JSON: sampled and evented profiles",
		.record_word = "element",
	},
	.probe = tl_speedscope_probe,
	.open = open_speedscope,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.timeline = tl_foreign_draw,
	.calls = tl_foreign_calls,
	.damage = tl_foreign_damage,
};

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

static int open_uftrace(struct tl_input *input, const char *const *paths, size_t path_count,
			const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_uftrace_reader, paths, err);
}

const struct tl_format tl_uftrace_format = {
	.info = {
		.name = "uftrace",
		.help = "directories of uftrace record: calls over time",
		.record_word = "record",
	},
	.probe = tl_uftrace_probe,
	.open = open_uftrace,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.timeline = tl_foreign_draw,
	.calls = tl_foreign_calls,
	.damage = tl_foreign_damage,
};
