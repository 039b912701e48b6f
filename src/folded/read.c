/* SPDX-License-Identifier: Apache-2.0 */
/* Lines to a tree of stacks, or to sums of functions where these are all that is wanted. */
#include <inttypes.h>

#include "core/error.h"
#include "core/source.h"
#include "core/text/lines.h"
#include "folded/folded.h"
#include "folded/sums.h"

struct folded {
	struct tl_foreign_file *foreign;
	struct tl_lines lines;
	bool two;
	uint32_t root;
	struct tl_folded_path path;
	struct tl_folded_sums sums;
	uint64_t stacks;
};

/* ---- one stack ---- */

/* The counts of a line. False: one is not a number. */
static bool read_counts(struct folded *f, const struct tl_folded_line *line,
			struct tl_decimal *counts)
{
	for (unsigned i = 0; i <= f->two; i++) {
		const uint8_t *count = line->counts[i], *end = line->count_ends[i];

		if (tl_decimal_take(count, &counts[i]) != end &&
		    !tl_decimal_parse(count, (size_t)(end - count), &counts[i]))
			return false;
	}
	return true;
}

/* Add a line to the tree. False without memory. */
static bool count_in_tree(struct folded *f, const uint8_t *stack, size_t size,
			  const struct tl_decimal *counts)
{
	struct tl_foreign_stacks *s = &f->foreign->stacks;
	struct tl_folded_path *path = &f->path;
	size_t common, known = tl_folded_path_known(path, stack, size, &common);
	uint32_t node;

	if (!tl_folded_path_take(path, stack, size, known, common) ||
	    !tl_path_tree_follow(&s->tree, known ? path->steps[known - 1].node : f->root,
				 path->steps + known, path->count - known))
		return false;
	node = path->steps[path->count - 1].node;
	for (unsigned i = 0; i <= f->two; i++)
		if (!tl_foreign_stacks_count_decimal(s, node, i, &counts[i]))
			return false;
	return true;
}

/* Whether the costs of an event are to be counted in smaller units from here on. */
static bool wants_places(const struct folded *f, const struct tl_decimal *counts)
{
	for (unsigned i = 0; i <= f->two; i++)
		if (counts[i].exponent < 0 &&
		    tl_decimal_places(&counts[i]) > f->foreign->stacks.events[i].places)
			return true;
	return false;
}

/* Add a line to the sums of functions. False without memory. */
static bool count_in_sums(struct folded *f, const uint8_t *stack, size_t size,
			  const struct tl_decimal *counts)
{
	struct tl_folded_path *path = &f->path;
	size_t common, known = tl_folded_path_known(path, stack, size, &common);

	/* What the path has gathered is counted in the units of before. */
	if (!tl_folded_sums_leave(&f->sums, path, wants_places(f, counts) ? 0 : known) ||
	    !tl_folded_path_take(path, stack, size, known, common) ||
	    !tl_folded_sums_enter(&f->sums, path))
		return false;
	for (unsigned i = 0; i <= f->two; i++)
		if (!tl_folded_sums_count(
			    &f->sums, path, i,
			    tl_foreign_stacks_scaled(&f->foreign->stacks, i, &counts[i])))
			return false;
	return true;
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
	struct tl_foreign_stacks *s = &f->foreign->stacks;
	const size_t size = (size_t)(line->stack_end - line->stack);
	struct tl_decimal counts[2];

	if (f->foreign->options.dump) {
		dump_stack(f, line);
		return tl_output_failed(f->foreign->options.dump)
			       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output cannot be written")
			       : 0;
	}
	if (!read_counts(f, line, counts))
		return bad_line(f, "the count is not a number; left it out", err);
	f->stacks++;
	if (!(s->flat ? count_in_sums : count_in_tree)(f, line->stack, size, counts))
		return tl_error_memory(err);
	return 0;
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

	if (!tl_folded_sums_leave(&f->sums, &f->path, 0))
		return tl_error_memory(err);
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
	struct tl_foreign_stacks *stacks = &foreign->stacks;
	struct folded f = {
		.foreign = foreign,
		.path.frames.stacks = stacks,
		.sums.stacks = stacks,
	};
	const uint8_t *head;
	size_t size;
	int status = check_options(foreign, err);

	if (status == 0)
		status = tl_source_peek(source, &head, &size, err);
	if (status < 0)
		return status;
	f.two = tl_folded_has_two_counts(head, size);
	stacks->flat = foreign->options.table;
	if (!tl_lines_begin(&f.lines, source) || !add_events(&f))
		status = tl_error_memory(err);
	while (status == 0 && (status = tl_lines_next(&f.lines, err)) > 0)
		status = take_line(&f, err);
	if (status == 0)
		status = finish(&f, err);
	tl_lines_end(&f.lines);
	tl_folded_path_free(&f.path);
	tl_folded_sums_free(&f.sums);
	return status;
}

const struct tl_foreign_reader tl_folded_reader = {
	.format = "folded",
	.read = read_folded,
};
