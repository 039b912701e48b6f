/* SPDX-License-Identifier: Apache-2.0 */
#include "folded/folded.h"
#include "open/adapters/foreign.h"

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
