/* SPDX-License-Identifier: Apache-2.0 */
#include "export/coverage/coverage_lines.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"

struct part {
	const char *file;
	uint32_t line, function, caller;
	uint64_t count;
};

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (!order)
		order = tl_compare(a->line, b->line);
	if (!order)
		order = tl_compare(a->function, b->function);
	if (!order)
		order = tl_compare(a->caller, b->caller);
	return order ? order : tl_compare(b->count, a->count);
}

static bool same_line(const struct part *a, const struct part *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

static void add_part(struct tl_coverage_lines *lines, const struct part *parts, size_t i)
{
	const struct part *part = &parts[i];
	struct tl_coverage_line *line = &lines->list[lines->count ? lines->count - 1 : 0];

	if (!i || !same_line(part, part - 1)) {
		lines->list[lines->count++] =
			(struct tl_coverage_line){ part->file, part->line, part->count };
		return;
	}
	/* Sorted by count, too: the first of a function is the most frequent. */
	if ((part->function != part[-1].function || part->caller != part[-1].caller) &&
	    __builtin_add_overflow(line->count, part->count, &line->count))
		line->count = UINT64_MAX;
}

static size_t list_parts(const struct tl_coverage *c, struct part *parts)
{
	size_t count = 0;

	for (size_t i = 0; i < c->insn_count; i++) {
		const struct tl_coverage_insn *insn = &c->insns[i];
		const struct tl_coverage_place *place =
			insn->place == TL_NONE ? NULL : &c->places[insn->place];

		if (place && place->line && *place->file)
			parts[count++] = (struct part){ place->file, place->line, insn->function,
							place->caller, insn->count };
	}
	if (count)
		qsort(parts, count, sizeof(*parts), compare_parts);
	return count;
}

bool tl_coverage_lines(const struct tl_coverage *c, struct tl_coverage_lines *lines)
{
	struct part *parts = tl_zeroed(c->insn_count, sizeof(*parts));
	size_t count = parts ? list_parts(c, parts) : 0;

	lines->count = 0;
	lines->list = parts ? tl_zeroed(count, sizeof(*lines->list)) : NULL;
	for (size_t i = 0; lines->list && i < count; i++)
		add_part(lines, parts, i);
	free(parts);
	return lines->list != NULL;
}

void tl_coverage_lines_free(struct tl_coverage_lines *lines)
{
	free(lines->list);
	*lines = (struct tl_coverage_lines){ .list = NULL };
}
