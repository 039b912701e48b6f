/* SPDX-License-Identifier: Apache-2.0 */
/* Broken rules: counted and listed, reported to the checker, or in strict mode an error. */
#include "callgrind/reader/reader.h"

enum { FAULTS_LISTED = 1000 };

static int note_fault(struct tl_callgrind_faults *faults, const struct tl_callgrind_fault *fault,
		      struct tl_error *err)
{
	faults->count++;
	if (faults->listed >= FAULTS_LISTED)
		return 0;
	if (!tl_grow(&faults->list, &faults->capacity, faults->listed + 1, sizeof(*faults->list)))
		return tl_error_memory(err);
	faults->list[faults->listed++] = *fault;
	return 0;
}

int tl_callgrind_broken_at(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			   uint64_t offset, uint64_t length, uint64_t line, struct tl_error *err)
{
	const struct tl_callgrind_rule_row *row = &tl_callgrind_rules[rule];
	const struct tl_callgrind_fault fault = { row->status, row->text, offset, length, line };

	if (reader->observer.fn &&
	    reader->observer.fn(reader->observer.arg, rule, offset, line, reader->part.ordinal))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "stopped by the caller");
	if (!row->damage)
		return 0;
	if (reader->options.strict)
		return tl_error_format(err, "callgrind",
				       tl_error_in(err, row->status, offset, line, row->text));
	return note_fault(&reader->faults, &fault, err);
}

int tl_callgrind_broken(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			struct tl_error *err)
{
	return tl_callgrind_broken_at(reader, rule, tl_lines_offset(&reader->lines), 0,
				      reader->lines.number, err);
}

int tl_callgrind_lost_at(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
			 uint64_t offset, uint64_t line, struct tl_error *err)
{
	struct tl_callgrind_item *item = &reader->item;
	uint64_t length = tl_lines_passed(&reader->lines) - offset;
	int status = tl_callgrind_broken_at(reader, rule, offset, length, line, err);

	if (status < 0)
		return status;
	reader->faults.skipped_bytes += length;
	*item = (struct tl_callgrind_item){
		.kind = TL_CALLGRIND_LOST,
		.offset = offset,
		.length = length,
		.line = line,
		.part = reader->part.ordinal,
		.text = tl_callgrind_rules[rule].text,
		.text_size = strlen(tl_callgrind_rules[rule].text),
	};
	return 1;
}

int tl_callgrind_lost(struct tl_callgrind_reader *reader, enum tl_callgrind_rule rule,
		      struct tl_error *err)
{
	return tl_callgrind_lost_at(reader, rule, tl_lines_offset(&reader->lines),
				    reader->lines.number, err);
}
