/* SPDX-License-Identifier: Apache-2.0 */
/* After an interruption: what is left becomes the recording. */
#include "core/sized.h"
#include "record/parts.h"

int tl_record_finish(const char *output, tl_record_note_fn *note, void *arg,
		     struct tl_record_result *result, size_t size, struct tl_error *err)
{
	struct tl_record_result made = { .status = 0 };
	char parts[TL_RECORD_PATH];
	const struct tl_record_options options = { .size = sizeof(options) };
	struct tl_record_session session = {
		.options = &options,
		.output = output,
		.parts = parts,
		.note = note,
		.note_arg = arg,
		.result = &made,
	};
	int status = tl_record_parts_name(output, parts, err);

	if (status < 0)
		return status;
	if (tl_emulation_is_in(parts))
		status = tl_emulation_join(&session, err);
	else if (tl_emulation_has_pairs(parts))
		status = tl_emulation_join_pairs(&session, err);
	else
		status = tl_record_parts_join(&session, err);
	if (status < 0)
		return status;
	tl_record_tell_unnamed(&session);
	return tl_give(result, size, sizeof(made), &made, sizeof(made)) < 0 ? TL_BAD_USAGE : 0;
}
