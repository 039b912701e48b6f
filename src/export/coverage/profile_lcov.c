/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that ran as an lcov tracefile (geninfo(1)), of a profile. With addresses and Ir the counts
 * are exact, by the rule of coverage_lines.h: an instruction costs one Ir each time. Else the cost
 * stands for the count. Lines without a cost are not in a profile, so none is there with 0.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "export/coverage/profile_lcov.h"

/* An instruction, or what is known of a line, of a function. */
struct place_cost {
	const char *file;
	uint64_t address;
	uint64_t cost;
	uint32_t line, function;
};

struct profile_tracefile {
	const struct tl_profile *profile;
	struct tl_output *out;
	struct place_cost *places;
	size_t count;
	uint32_t event;
	bool exact;
};

static uint32_t event_named(const struct tl_profile *profile, const char *name)
{
	for (uint32_t e = 0; e < tl_profile_event_count(profile); e++)
		if (!strcmp(tl_profile_event(profile, e)->name, name))
			return e;
	return TL_NONE;
}

static int compare_places(const void *left, const void *right)
{
	const struct place_cost *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (!order)
		order = tl_compare(a->line, b->line);
	if (!order)
		order = tl_compare(a->function, b->function);
	return order ? order : tl_compare(a->address, b->address);
}

static bool list_places(struct profile_tracefile *t)
{
	uint32_t lines = tl_profile_line_count(t->profile);

	t->places = tl_zeroed(lines, sizeof(*t->places));
	for (uint32_t i = 0; t->places && i < lines; i++) {
		const struct tl_cost_line *line = tl_profile_line(t->profile, i);
		int64_t cost = tl_profile_line_cost(t->profile, i)[t->event];

		if (!line->at.line || !*line->at.file || cost <= 0 ||
		    !tl_profile_chosen(t->profile, line->function))
			continue;
		t->exact = t->exact && line->at.address;
		t->places[t->count++] =
			(struct place_cost){ line->at.file, line->at.address, (uint64_t)cost,
					     line->at.line, line->function };
	}
	if (t->count)
		qsort(t->places, t->count, sizeof(*t->places), compare_places);
	return t->places != NULL;
}

static bool same_line(const struct place_cost *a, const struct place_cost *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

/* The parts of a profile have a place each: those of one instruction are added up. */
static uint64_t take_instruction(const struct profile_tracefile *t, size_t *at)
{
	const struct place_cost *first = &t->places[*at], *p;
	uint64_t sum = 0;

	for (; *at < t->count; ++*at) {
		p = &t->places[*at];
		if (!same_line(first, p) || p->function != first->function ||
		    p->address != first->address)
			break;
		sum += tl_min(p->cost, UINT64_MAX - sum);
	}
	return sum;
}

/* Exact: the most frequent instruction of each function counts; else all costs do. */
static uint64_t take_line(const struct profile_tracefile *t, size_t *at)
{
	const struct place_cost *first = &t->places[*at];
	uint32_t function = first->function;
	uint64_t sum = 0, most = 0;

	while (*at < t->count && same_line(first, &t->places[*at])) {
		uint32_t next = t->places[*at].function;
		uint64_t count;

		if (next != function || !t->exact) {
			sum += tl_min(most, UINT64_MAX - sum);
			most = 0;
			function = next;
		}
		count = take_instruction(t, at);
		most = tl_max(count, most);
	}
	return sum + tl_min(most, UINT64_MAX - sum);
}

/* ---- functions: those of the file, by the first line that has a cost there ---- */

struct file_function {
	uint32_t function, line;
};

static int compare_functions(const void *left, const void *right)
{
	const struct file_function *a = left, *b = right;

	return a->function != b->function ? tl_compare(a->function, b->function)
					  : tl_compare(a->line, b->line);
}

static int compare_starts(const void *left, const void *right)
{
	const struct file_function *a = left, *b = right;

	return a->line != b->line ? tl_compare(a->line, b->line)
				  : tl_compare(a->function, b->function);
}

/* Each function once; those that are only inlined here belong to another file. */
static size_t list_functions(const struct profile_tracefile *t, size_t at, size_t end,
			     struct file_function *list)
{
	size_t count = 0, kept = 0;

	for (size_t i = at; i < end; i++) {
		const struct place_cost *p = &t->places[i];

		if (!strcmp(tl_profile_function(t->profile, p->function)->file, p->file))
			list[count++] = (struct file_function){ p->function, p->line };
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_functions);
	for (size_t i = 0; i < count; i++)
		if (!kept || list[kept - 1].function != list[i].function)
			list[kept++] = list[i];
	if (kept)
		qsort(list, kept, sizeof(*list), compare_starts);
	return kept;
}

static void put_functions(const struct profile_tracefile *t, const struct file_function *list,
			  size_t count)
{
	size_t hit = 0;

	for (size_t i = 0; i < count; i++)
		tl_put_format(t->out, "FN:%u,%s\n", (unsigned)list[i].line,
			      tl_profile_function(t->profile, list[i].function)->name);
	for (size_t i = 0; i < count; i++) {
		struct tl_function_totals totals;

		tl_profile_function_totals(t->profile, list[i].function, TL_NONE, &totals,
					   sizeof(totals));
		/* It has a cost, so it ran, whether or not calls of it are counted. */
		tl_put_format(t->out, "FNDA:%llu,%s\n",
			      (unsigned long long)tl_max(totals.calls, UINT64_C(1)),
			      tl_profile_function(t->profile, list[i].function)->name);
		hit++;
	}
	tl_put_format(t->out, "FNF:%zu\nFNH:%zu\n", count, hit);
}

static size_t put_file(const struct profile_tracefile *t, size_t at, struct file_function *list)
{
	const char *file = t->places[at].file;
	size_t end = at, found = 0;

	while (end < t->count && !strcmp(t->places[end].file, file))
		end++;
	tl_put_format(t->out, "TN:\nSF:%s\n", file);
	put_functions(t, list, list_functions(t, at, end, list));
	for (; at < end; found++) {
		uint32_t line = t->places[at].line;

		tl_put_format(t->out, "DA:%u,%llu\n", (unsigned)line,
			      (unsigned long long)take_line(t, &at));
	}
	tl_put_format(t->out, "LF:%zu\nLH:%zu\nend_of_record\n", found, found);
	return end;
}

int tl_profile_lcov(const struct tl_profile *profile, struct tl_output *out, struct tl_error *err)
{
	uint32_t instructions = event_named(profile, "Ir");
	struct profile_tracefile t = {
		.profile = profile,
		.out = out,
		.event = instructions == TL_NONE ? 0 : instructions,
		.exact = instructions != TL_NONE,
	};
	bool listed = list_places(&t);
	struct file_function *list = listed ? tl_zeroed(t.count, sizeof(*list)) : NULL;
	int status = tl_error_unless_made(list, err);

	if (status == 0 && !t.count)
		status = tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				     "no line of source has a cost, so there is none to write");
	for (size_t at = 0; status == 0 && at < t.count;)
		at = put_file(&t, at, list);
	free(list);
	free(t.places);
	return status < 0 ? status : !t.exact;
}
