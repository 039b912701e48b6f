/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to a tree of stacks. Files are sorted more often than not, so a line begins where the path
 * of the line before it goes on being the same: the nodes up to there are known.
 */
#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/source.h"
#include "core/text/lines.h"
#include "folded/folded.h"

struct folded {
	struct tl_foreign_file *foreign;
	struct tl_lines lines;
	bool two;
	uint32_t root;
	uint8_t *before; /* the stack of the line before */
	size_t before_size, before_capacity;
	/* Its frames, but for the last one: where each ends in the line, at a ';', and its node. */
	size_t *ends;
	struct tl_path_step *steps;
	size_t known, end_capacity, step_capacity;
	uint64_t stacks;
};

/* ---- one stack ---- */

/* Bytes that two texts begin with alike. */
static size_t common_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	const size_t size = tl_min(a_size, b_size);
	size_t i = 0;

	while (i + 8 <= size && tl_get64(a + i) == tl_get64(b + i))
		i += 8;
	while (i < size && a[i] == b[i])
		i++;
	return i;
}

static bool keep_line(struct folded *f, const uint8_t *stack, size_t size, size_t from)
{
	if (!tl_grow(&f->before, &f->before_capacity, size + 1, 1))
		return false;
	memcpy(f->before + from, stack + from, size - from);
	f->before_size = size;
	return true;
}

/* Put a frame behind those that are known, without its node yet. False without memory. */
static bool add_frame(struct folded *f, size_t number, const uint8_t *stack, size_t from, size_t to)
{
	const uint32_t frame =
		tl_foreign_stacks_named(&f->foreign->stacks, (const char *)stack + from, to - from);

	if (frame == TL_NONE ||
	    !tl_grow(&f->steps, &f->step_capacity, number + 1, sizeof(*f->steps)) ||
	    !tl_grow(&f->ends, &f->end_capacity, number + 1, sizeof(*f->ends)))
		return false;
	f->steps[number].key = frame;
	f->ends[number] = to;
	return true;
}

/* The node of a stack; 0 without memory. */
static uint32_t find_stack(struct folded *f, const uint8_t *stack, size_t size)
{
	const size_t common = common_bytes(stack, size, f->before, f->before_size);
	size_t known = f->known, count, at;
	const uint8_t *end;

	while (known && f->ends[known - 1] >= common)
		known--;
	at = known ? f->ends[known - 1] + 1 : 0;
	f->known = 0;
	if (!keep_line(f, stack, size, common))
		return 0;
	for (count = known; (end = memchr(stack + at, ';', size - at)); count++) {
		if (!add_frame(f, count, stack, at, (size_t)(end - stack)))
			return 0;
		at = (size_t)(end - stack) + 1;
	}
	if (!add_frame(f, count, stack, at, size) ||
	    !tl_path_tree_follow(&f->foreign->stacks.tree,
				 known ? f->steps[known - 1].node : f->root, f->steps + known,
				 count + 1 - known))
		return 0;
	f->known = count;
	return f->steps[count].node;
}

/* ---- lines ---- */

static int bad_line(struct folded *f, const char *text, struct tl_error *err)
{
	const uint64_t offset = tl_lines_offset(&f->lines);
	const struct tl_foreign_fault fault = {
		"line",          TL_BAD_RECORD, text, offset, tl_lines_passed(&f->lines) - offset,
		f->lines.number,
	};

	return tl_foreign_broken(&f->foreign->faults, &fault, err);
}

static bool count_stack(struct folded *f, uint32_t node, const struct tl_folded_line *line,
			bool *bad)
{
	for (unsigned i = 0; i <= f->two; i++) {
		struct tl_decimal count;

		if (!tl_decimal_parse(line->counts[i],
				      (size_t)(line->count_ends[i] - line->counts[i]), &count)) {
			*bad = true;
			return true;
		}
		if (!tl_foreign_stacks_count_decimal(&f->foreign->stacks, node, i, &count))
			return false;
	}
	return true;
}

static void dump_stack(struct folded *f, const struct tl_folded_line *line)
{
	static const char *const keys[2][2] = { { ",\"count\":" },
						{ ",\"before\":", ",\"after\":" } };
	struct tl_output *out = f->foreign->options.dump;
	const size_t size = (size_t)(line->stack_end - line->stack);

	if (f->foreign->options.json) {
		tl_put_format(out, "{\"offset\":%" PRIu64 ",\"line\":%" PRIu64 ",\"stack\":",
			      tl_lines_offset(&f->lines), f->lines.number);
		tl_put_json(out, (const char *)line->stack, size);
		for (unsigned i = 0; i <= f->two; i++) {
			tl_put_text(out, keys[f->two][i]);
			tl_put_bytes(out, line->counts[i],
				     (size_t)(line->count_ends[i] - line->counts[i]));
		}
		tl_put_text(out, "}\n");
		return;
	}
	tl_put_format(out, "0x%" PRIx64 " ", tl_lines_offset(&f->lines));
	tl_put_shown(out, (const char *)line->stack, size);
	for (unsigned i = 0; i <= f->two; i++) {
		tl_put_char(out, ' ');
		tl_put_bytes(out, line->counts[i], (size_t)(line->count_ends[i] - line->counts[i]));
	}
	tl_put_char(out, '\n');
}

static int take_stack(struct folded *f, const struct tl_folded_line *line, struct tl_error *err)
{
	bool bad = false;
	uint32_t node;

	if (f->foreign->options.dump) {
		dump_stack(f, line);
		return tl_output_failed(f->foreign->options.dump)
			       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output cannot be written")
			       : 0;
	}
	node = find_stack(f, line->stack, (size_t)(line->stack_end - line->stack));
	if (!node || !count_stack(f, node, line, &bad))
		return tl_error_memory(err);
	f->stacks++;
	return bad ? bad_line(f, "the count is not a number; left it out", err) : 0;
}

static int take_line(struct folded *f, struct tl_error *err)
{
	struct tl_folded_line line;

	if (f->lines.too_long)
		return bad_line(f, "a line longer than 16 MiB; left it out", err);
	if (f->lines.number == 1 && f->lines.stop - f->lines.start >= 3 &&
	    !memcmp(f->lines.start, "\xef\xbb\xbf", 3))
		f->lines.start += 3;
	switch (tl_folded_cut(f->lines.start, f->lines.stop, f->two, &line)) {
	case TL_FOLDED_STACK:
		return take_stack(f, &line, err);
	case TL_FOLDED_NOTHING:
		return 0;
	case TL_FOLDED_NO_STACK:
		return bad_line(f, "a count without a stack; left it out", err);
	default:
		return bad_line(f,
				f->two ? "a line does not end with two counts; left it out"
				       : "a line does not end with a count; left it out",
				err);
	}
}

/* ---- the whole ---- */

static bool add_events(struct folded *f)
{
	static const char *const names[2][2] = { { "samples", NULL }, { "before", "after" } };
	const struct tl_foreign_part part = { .process = TL_NOWHERE, .thread = TL_NOWHERE };
	const uint32_t number = tl_foreign_stacks_part(&f->foreign->stacks, &part);

	if (number == TL_NONE)
		return false;
	f->root = tl_foreign_stacks_child(&f->foreign->stacks, 0, number);
	for (unsigned i = 0; i <= f->two; i++)
		if (tl_foreign_stacks_event(&f->foreign->stacks, names[f->two][i],
					    strlen(names[f->two][i]), "samples") == TL_NONE)
			return false;
	return f->root;
}

static int finish(struct folded *f, struct tl_error *err)
{
	struct tl_foreign_stacks *s = &f->foreign->stacks;

	f->foreign->records = f->lines.number;
	s->parts[0].samples = f->stacks;
	tl_foreign_tell(f->foreign, "lines", f->lines.number);
	tl_foreign_tell(f->foreign, "stacks", f->stacks);
	return tl_foreign_note_costs(f->foreign, err);
}

static int check_options(const struct tl_foreign_file *foreign, struct tl_error *err)
{
	if (foreign->options.process == TL_NOWHERE && foreign->options.thread == TL_NOWHERE &&
	    !tl_foreign_wants_window(foreign))
		return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "folded stacks have no times, threads and processes to choose by");
}

static int read_folded(struct tl_foreign_file *foreign, struct tl_source *source,
		       struct tl_error *err)
{
	struct folded f = { .foreign = foreign };
	const uint8_t *head;
	size_t size;
	int status = check_options(foreign, err);

	if (status == 0)
		status = tl_source_peek(source, &head, &size, err);
	if (status < 0)
		return status;
	f.two = tl_folded_has_two_counts(head, size);
	if (!tl_lines_begin(&f.lines, source) || !add_events(&f))
		status = tl_error_memory(err);
	while (status == 0 && (status = tl_lines_next(&f.lines, err)) > 0)
		status = take_line(&f, err);
	if (status == 0)
		status = finish(&f, err);
	tl_lines_end(&f.lines);
	free(f.before);
	free(f.ends);
	free(f.steps);
	return status;
}

const struct tl_foreign_reader tl_folded_reader = {
	.format = "folded",
	.read = read_folded,
};
