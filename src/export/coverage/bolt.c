/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches of one object as `perf2bolt -pa` and `llvm-bolt` read them, pre-aggregated:
 *
 *   B FROM TO COUNT MISPREDICTED   a branch that was taken
 *   F FROM TO COUNT                code that ran from FROM to the branch at TO without a jump
 *   f FROM TO COUNT                the same, entered from another function
 *
 * Such runs are not counted as such: any set of runs that has the counts of all instructions and
 * fall-throughs says the same. Ours are made by pairing entries and exits, the first in first out.
 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "export/coverage/coverage_exporters.h"

struct run {
	uint64_t start, count;
	bool from_outside; /* of its function */
};

struct layout {
	const struct tl_coverage *coverage;
	uint64_t *jumps; /* by instruction: arrivals by jumps and branches */
	struct run *runs;
	size_t first, count, capacity;
	struct tl_output *out;
};

/* ---- branches ---- */

static void put_branch(const struct tl_coverage_edge *edge, uint32_t object, struct tl_output *out)
{
	/* Code of another object has no address here; 0 is one outside of the program. */
	const uint64_t from = edge->from_object == object ? edge->from : 0;

	if (edge->falls || edge->to_object != object || edge->kind == TL_BRANCH_ASYNC ||
	    edge->kind == TL_BRANCH_SYSTEM)
		return;
	tl_put_format(out, "B %llx %llx %llu 0\n", (unsigned long long)from,
		      (unsigned long long)edge->to, (unsigned long long)edge->count);
}

/* ---- straight runs ---- */

static bool is_jump(const struct tl_coverage_edge *edge)
{
	return !edge->falls &&
	       (edge->kind == TL_BRANCH_CONDITIONAL || edge->kind == TL_BRANCH_JUMP ||
		edge->kind == TL_BRANCH_INDIRECT_JUMP);
}

/* How often control went from an instruction to the one behind it. */
static uint64_t falls_through(const struct tl_coverage *c, size_t i, const size_t *falls)
{
	const struct tl_coverage_insn *insn = &c->insns[i], *next = insn + 1;

	if (i + 1 == c->insn_count || next->object != insn->object ||
	    next->address != insn->address + insn->size)
		return 0;
	if (insn->kind == TL_BRANCH_CONDITIONAL)
		return falls[i] ? c->edges[falls[i] - 1].count : 0;
	if (insn->kind != TL_BRANCH_NONE && insn->kind != TL_BRANCH_SYSTEM)
		return 0;
	return tl_min(insn->count, next->count);
}

static bool begin_run(struct layout *l, uint64_t start, uint64_t count, bool from_outside)
{
	if (!count)
		return true;
	if (!tl_grow(&l->runs, &l->capacity, l->count + 1, sizeof(*l->runs)))
		return false;
	l->runs[l->count++] =
		(struct run){ .start = start, .count = count, .from_outside = from_outside };
	return true;
}

static void end_runs(struct layout *l, uint64_t end, uint64_t count)
{
	while (count && l->first < l->count) {
		struct run *run = &l->runs[l->first];
		uint64_t part = tl_min(run->count, count);

		tl_put_format(l->out, "%c %llx %llx %llu\n", run->from_outside ? 'f' : 'F',
			      (unsigned long long)run->start, (unsigned long long)end,
			      (unsigned long long)part);
		count -= part;
		run->count -= part;
		l->first += !run->count;
	}
	if (l->first == l->count)
		l->first = l->count = 0;
}

static bool put_runs(struct layout *l, uint32_t object, const size_t *falls)
{
	const struct tl_coverage *c = l->coverage;
	uint64_t entered = 0;

	for (size_t i = 0; i < c->insn_count; i++) {
		const struct tl_coverage_insn *insn = &c->insns[i];
		uint64_t arrived, jumped, on;

		if (insn->object != object)
			continue;
		on = falls_through(c, i, falls);
		arrived = tl_excess(insn->count, entered);
		jumped = tl_min(l->jumps[i], arrived);
		if (!begin_run(l, insn->address, jumped, false) ||
		    !begin_run(l, insn->address, arrived - jumped, true))
			return false;
		end_runs(l, insn->address, tl_excess(insn->count, on));
		entered = on;
	}
	return true;
}

static bool write_runs(const struct tl_coverage *c, uint32_t object, struct tl_output *out)
{
	struct layout l = { .coverage = c, .out = out };
	size_t *falls = tl_zeroed(c->insn_count, sizeof(*falls));
	bool made = false;

	l.jumps = tl_zeroed(c->insn_count, sizeof(*l.jumps));
	for (size_t i = 0; falls && l.jumps && i < c->edge_count; i++) {
		const struct tl_coverage_edge *edge = &c->edges[i];
		uint32_t from = tl_coverage_find(c, edge->from_object, edge->from);
		uint32_t to = tl_coverage_find(c, edge->to_object, edge->to);

		if (edge->falls && from != TL_NONE)
			falls[from] = i + 1;
		if (is_jump(edge) && to != TL_NONE)
			l.jumps[to] += edge->count;
	}
	if (falls && l.jumps)
		made = put_runs(&l, object, falls);
	free(falls);
	free(l.jumps);
	free(l.runs);
	return made;
}

static int write_bolt(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
		      struct tl_error *err)
{
	for (size_t i = 0; i < c->edge_count; i++)
		put_branch(&c->edges[i], object, out);
	if (!write_runs(c, object, out))
		return tl_error_memory(err);
	return 0;
}

const struct tl_coverage_exporter tl_bolt_exporter = {
	.write = write_bolt,
	.one_object = true,
};
