/* SPDX-License-Identifier: Apache-2.0 */
#include "open/adapters/foreign.h"
#include "perfetto/perfetto.h"

static int open_perfetto(struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err)
{
	(void)path_count;
	(void)failed;
	return tl_foreign_open(input, &tl_perfetto_reader, paths, err);
}

const struct tl_format tl_perfetto_format = {
	.info = {
		.name = "perfetto",
		.help = "Perfetto traces, protobuf: track events as calls over time",
		.record_word = "packet",
	},
	.probe = tl_perfetto_probe,
	.open = open_perfetto,
	.close = tl_foreign_close,
	.fold = tl_foreign_profile,
	.describe = tl_foreign_info,
	.dump = tl_foreign_dump,
	.check = tl_foreign_check,
	.timeline = tl_foreign_draw,
	.calls = tl_foreign_calls,
	.damage = tl_foreign_damage,
};
