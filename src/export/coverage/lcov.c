/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, functions and branches with their counts as lcov's tracefiles have them (geninfo(1)):
 * genhtml, IDEs and services for coverage read these.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "export/coverage/coverage_exporters.h"
#include "export/coverage/coverage_lines.h"

/* A function with the count of its first instruction, and a conditional branch. */
struct function_row {
	const char *file, *name;
	uint32_t line;
	uint64_t count;
};

struct branch_row {
	const char *file;
	uint32_t line;
	uint64_t taken, falls;
	uint64_t address;
};

struct tracefile {
	const struct tl_coverage *coverage;
	struct tl_coverage_lines lines;
	struct function_row *functions;
	struct branch_row *branches;
	size_t function_count, branch_count, function_at, branch_at;
	struct tl_output *out;
};

/* ---- functions ---- */

static int compare_functions(const void *left, const void *right)
{
	const struct function_row *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (!order)
		order = tl_compare(a->line, b->line);
	return order ? order : strcmp(a->name, b->name);
}

/* The function that a place is in, whatever was inlined there. */
static const struct tl_coverage_place *outermost(const struct tl_coverage *c, uint32_t place)
{
	while (c->places[place].caller != TL_NONE)
		place = c->places[place].caller;
	return &c->places[place];
}

static bool list_functions(struct tracefile *t)
{
	const struct tl_coverage *c = t->coverage;

	t->functions = tl_zeroed(c->function_count, sizeof(*t->functions));
	for (size_t i = 0; t->functions && i < c->function_count; i++) {
		const struct tl_coverage_function *f = &c->functions[i];
		uint32_t entry = tl_coverage_find(c, f->object, f->start);
		const struct tl_coverage_place *place;

		if (entry == TL_NONE || c->insns[entry].place == TL_NONE)
			continue;
		place = outermost(c, c->insns[entry].place);
		if (!*place->file)
			continue;
		t->functions[t->function_count++] = (struct function_row){
			.file = place->file,
			.name = f->name,
			.line = place->declared ? place->declared : place->line,
			.count = c->insns[entry].count,
		};
	}
	if (t->function_count)
		qsort(t->functions, t->function_count, sizeof(*t->functions), compare_functions);
	return t->functions != NULL;
}

static void put_functions(struct tracefile *t, const char *file)
{
	const struct function_row *f = t->functions + t->function_at;
	size_t found = 0, hit = 0;

	while (t->function_at + found < t->function_count && !strcmp(f[found].file, file))
		found++;
	for (size_t i = 0; i < found; i++)
		tl_put_format(t->out, "FN:%u,%s\n", (unsigned)f[i].line, f[i].name);
	for (size_t i = 0; i < found; i++) {
		tl_put_format(t->out, "FNDA:%llu,%s\n", (unsigned long long)f[i].count, f[i].name);
		hit += f[i].count > 0;
	}
	tl_put_format(t->out, "FNF:%zu\nFNH:%zu\n", found, hit);
	t->function_at += found;
}

/* ---- branches: those that were executed, as the code of others is not decoded ---- */

static int compare_branches(const void *left, const void *right)
{
	const struct branch_row *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	if (!order)
		order = tl_compare(a->line, b->line);
	return order ? order : tl_compare(a->address, b->address);
}

/* Of the edges of one branch, which stand together, make one row. */
static void add_branch(struct tracefile *t, const struct tl_coverage_edge *edge)
{
	const struct tl_coverage *c = t->coverage;
	uint32_t insn = tl_coverage_find(c, edge->from_object, edge->from);
	const struct tl_coverage_place *place = insn == TL_NONE || c->insns[insn].place == TL_NONE
							? NULL
							: &c->places[c->insns[insn].place];
	struct branch_row *row = &t->branches[t->branch_count ? t->branch_count - 1 : 0];

	if (!place || !place->line || !*place->file)
		return;
	if (!t->branch_count || row->address != edge->from || strcmp(row->file, place->file)) {
		row = &t->branches[t->branch_count++];
		*row = (struct branch_row){ .file = place->file,
					    .line = place->line,
					    .address = edge->from };
	}
	if (edge->falls)
		row->falls += edge->count;
	else
		row->taken += edge->count;
}

static bool list_branches(struct tracefile *t)
{
	const struct tl_coverage *c = t->coverage;

	t->branches = tl_zeroed(c->edge_count, sizeof(*t->branches));
	for (size_t i = 0; t->branches && i < c->edge_count; i++)
		if (c->edges[i].kind == TL_BRANCH_CONDITIONAL)
			add_branch(t, &c->edges[i]);
	if (t->branch_count)
		qsort(t->branches, t->branch_count, sizeof(*t->branches), compare_branches);
	return t->branches != NULL;
}

static void put_branches(struct tracefile *t, const char *file)
{
	size_t found = 0, hit = 0;
	uint32_t line = 0, block = 0;

	for (; t->branch_at < t->branch_count && !strcmp(t->branches[t->branch_at].file, file);
	     t->branch_at++, found++) {
		const struct branch_row *row = &t->branches[t->branch_at];

		block = row->line == line ? block + 1 : 0;
		line = row->line;
		tl_put_format(t->out, "BRDA:%u,%u,0,%llu\nBRDA:%u,%u,1,%llu\n", (unsigned)line,
			      (unsigned)block, (unsigned long long)row->taken, (unsigned)line,
			      (unsigned)block, (unsigned long long)row->falls);
		hit += (row->taken ? 1u : 0u) + (row->falls ? 1u : 0u);
	}
	tl_put_format(t->out, "BRF:%zu\nBRH:%zu\n", 2 * found, hit);
}

/* ---- the file ---- */

static size_t put_lines(struct tracefile *t, size_t at)
{
	const char *file = t->lines.list[at].file;
	size_t found = 0, hit = 0;

	for (; at < t->lines.count && !strcmp(t->lines.list[at].file, file); at++, found++) {
		const struct tl_coverage_line *line = &t->lines.list[at];

		tl_put_format(t->out, "DA:%u,%llu\n", (unsigned)line->line,
			      (unsigned long long)line->count);
		hit += line->count > 0;
	}
	tl_put_format(t->out, "LF:%zu\nLH:%zu\nend_of_record\n", found, hit);
	return at;
}

/* Rows of functions and branches of files without lines are passed over: there is no such file. */
static void put_file(struct tracefile *t, const char *file)
{
	while (t->function_at < t->function_count &&
	       strcmp(t->functions[t->function_at].file, file) < 0)
		t->function_at++;
	tl_put_format(t->out, "TN:\nSF:%s\n", file);
	put_functions(t, file);
	put_branches(t, file);
}

static int write_lcov(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
		      struct tl_error *err)
{
	struct tracefile t = { .coverage = c, .out = out };
	bool listed = tl_coverage_lines(c, &t.lines) && list_functions(&t) && list_branches(&t);

	(void)object;
	for (size_t at = 0; listed && at < t.lines.count;) {
		put_file(&t, t.lines.list[at].file);
		at = put_lines(&t, at);
	}
	tl_coverage_lines_free(&t.lines);
	free(t.functions);
	free(t.branches);
	if (!listed)
		return tl_error_memory(err);
	return 0;
}

const struct tl_coverage_exporter tl_lcov_exporter = {
	.write = write_lcov,
	.lines = true,
	.unexecuted = true,
};
