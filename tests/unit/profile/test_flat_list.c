/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that are noted and added up later, against a model that goes by time alone: whoever is on
 * the stack when time passes gets it once, the innermost one as its own.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "../chance.h"
#include "profile/fold/flat_list.h"
#include "profile/model/latency.h"

enum { FUNCTIONS = 300, DEPTH = 40, RECORDS = 1300000 };

/* What a function or an arc should have. */
struct figures {
	uint64_t calls, cut, unfinished, self, inclusive, finished, ticks, min, max;
	unsigned stamp; /* of the last time that it was given time */
	bool counted;
};

struct open_call {
	unsigned function, gates; /* gates: how often it had changed */
	uint64_t start;
	bool late, counted;
};

struct model {
	struct figures functions[FUNCTIONS], arcs[FUNCTIONS][FUNCTIONS];
	struct open_call stack[DEPTH + 1];
	unsigned depth, gates, stamp;
	bool open;
	uint64_t clock;
};

static struct figures *arc_of(struct model *m, unsigned depth)
{
	return &m->arcs[m->stack[depth - 1].function][m->stack[depth].function];
}

static void give(struct model *m, struct figures *to, uint64_t ticks)
{
	to->inclusive += to->stamp == m->stamp ? 0 : ticks;
	to->stamp = m->stamp;
}

/* stack[1 .. depth] are open; stack[0] is the outside. */
static void model_time(struct model *m, uint64_t ticks)
{
	if (!m->open || !ticks)
		return;
	m->stamp++;
	m->clock += ticks;
	for (unsigned i = 1; i <= m->depth; i++) {
		give(m, &m->functions[m->stack[i].function], ticks);
		if (i > 1)
			give(m, arc_of(m, i), ticks);
	}
	if (!m->depth)
		return;
	m->functions[m->stack[m->depth].function].self += ticks;
	m->stack[m->depth].counted = true;
}

static void finish(struct figures *f, uint64_t ticks)
{
	f->min = f->finished && f->min < ticks ? f->min : ticks;
	f->max = f->max > ticks ? f->max : ticks;
	f->finished++;
	f->ticks += ticks;
}

enum how { ENDS, IS_CUT, STAYS_OPEN };

static void model_end(struct model *m, enum how how)
{
	struct open_call *call = &m->stack[m->depth];
	struct figures *f = &m->functions[call->function];
	const bool whole = call->gates == m->gates, counts = !call->late && (m->open || !whole);

	call->counted |= counts;
	if (counts && (!whole || how == STAYS_OPEN)) {
		f->unfinished++;
	} else if (counts) {
		f->calls++;
		f->cut += how == IS_CUT;
		if (how == ENDS)
			finish(f, m->clock - call->start);
		if (m->depth > 1)
			arc_of(m, m->depth)->calls++;
	}
	if (m->depth > 1)
		arc_of(m, m->depth)->counted |= call->counted;
	m->stack[--m->depth].counted |= call->counted;
}

/* ---- both at once ---- */

struct both {
	struct model *model;
	struct tl_flat flat;
	uint64_t ticks;
	uint32_t seed;
};

/* Few functions call each other again and again, others seldom. */
static unsigned draw_function(struct both *b)
{
	return chance(&b->seed, chance(&b->seed, 3) ? 6 : FUNCTIONS);
}

static void begin(struct both *b)
{
	struct model *m = b->model;
	const unsigned function = draw_function(b);
	const bool late = !chance(&b->seed, 50);

	while (b->flat.function_count <= function)
		assert_int_not_equal(tl_flat_add_function(&b->flat), TL_NONE);
	tl_flat_begin_call(&b->flat, function, late);
	m->stack[++m->depth] = (struct open_call){ function, m->gates, m->clock, late, false };
}

static void pass_time(struct both *b)
{
	const uint64_t ticks = chance(&b->seed, 3) ? chance(&b->seed, 100) : 0;

	tl_flat_time(&b->flat, b->ticks += ticks);
	model_time(b->model, ticks);
}

static void change_gate(struct both *b)
{
	b->model->open = !b->model->open;
	b->model->gates++;
	tl_flat_gate(&b->flat, b->model->open);
}

static void step(struct both *b)
{
	struct model *m = b->model;
	const bool cut = !chance(&b->seed, 60);

	pass_time(b);
	if (!chance(&b->seed, 2000))
		change_gate(b);
	if (m->depth < DEPTH && (!m->depth || chance(&b->seed, 2))) {
		begin(b);
		return;
	}
	tl_flat_end_call(&b->flat, cut);
	model_end(m, cut ? IS_CUT : ENDS);
}

static void expect_function(const struct tl_flat *flat, const struct figures *want, unsigned number)
{
	const struct tl_flat_row *row = &flat->hot.rows[number];
	const struct tl_latencies *latency = &flat->hot.latencies[number];

	assert_int_equal(row->calls, want->finished);
	assert_int_equal(row->ticks, want->ticks);
	assert_int_equal(row->cut, want->cut);
	assert_int_equal(row->unfinished, want->unfinished);
	assert_int_equal(row->self, want->self);
	assert_int_equal(row->inclusive, want->inclusive);
	assert_int_equal(latency->calls, want->finished);
	assert_int_equal(latency->sum, want->ticks);
	if (!want->finished)
		return;
	assert_int_equal(latency->min, want->min);
	assert_int_equal(latency->max, want->max);
}

static void expect_arcs(const struct tl_flat *flat, struct model *m)
{
	size_t wanted = 0;

	for (size_t i = 0; i < flat->arcs.count; i++) {
		const struct tl_flat_arc *arc = &flat->arcs.list[i];
		const struct figures *want = &m->arcs[arc->caller][arc->callee];

		assert_int_equal(arc->counted, want->counted);
		assert_int_equal(arc->calls, want->calls);
		assert_int_equal(arc->inclusive, want->inclusive);
		wanted += want->counted;
		/* each once */
		m->arcs[arc->caller][arc->callee] = (struct figures){ 0 };
	}
	for (unsigned i = 0; i < FUNCTIONS * FUNCTIONS; i++)
		assert_false(m->arcs[i / FUNCTIONS][i % FUNCTIONS].counted);
	assert_true(wanted);
}

/* `listed_from`: the record that is the first one to be noted. */
static void fold_both(uint32_t seed, unsigned records, unsigned listed_from, bool arcs)
{
	struct both b = { .model = calloc(1, sizeof(*b.model)), .seed = seed };

	assert_non_null(b.model);
	assert_true(tl_flat_begin(&b.flat, 1, false));
	assert_true(!arcs || tl_flat_keep_arcs(&b.flat, 1));
	tl_flat_time(&b.flat, b.ticks);
	b.model->open = true;
	for (unsigned i = 0; i < records; i++) {
		if (i == listed_from)
			assert_true(tl_flat_list_begin(&b.flat));
		step(&b);
	}
	while (b.model->depth)
		model_end(b.model, STAYS_OPEN);
	tl_flat_end(&b.flat);
	assert_false(b.flat.refused);
	for (unsigned i = 0; i < b.flat.function_count; i++)
		expect_function(&b.flat, &b.model->functions[i], i);
	if (arcs)
		expect_arcs(&b.flat, b.model);
	tl_flat_free(&b.flat);
	free(b.model);
}

/* The list is full several times; calls are open when it begins. */
TEST(calls_that_are_noted_count_as_time_says)
{
	fold_both(1, RECORDS, 100, true);
	fold_both(2, RECORDS, 30000, false);
	for (uint32_t seed = 3; seed < 40; seed++)
		fold_both(seed, 3000, chance(&seed, 3000), true);
}

/* "Where that is not found soon, the fold refuses": each call of 0 is by another function. */
TEST(very_deep_recursion_by_as_many_callers_is_refused)
{
	enum { CALLERS = 5000 };
	struct tl_flat flat;

	for (unsigned callers = 4000; callers <= CALLERS; callers += 1000) {
		assert_true(tl_flat_begin(&flat, 1, false));
		assert_true(tl_flat_keep_arcs(&flat, 1));
		while (flat.function_count <= CALLERS)
			tl_flat_add_function(&flat);
		assert_true(tl_flat_list_begin(&flat));
		for (unsigned i = 1; i <= callers; i++) {
			tl_flat_begin_call(&flat, i, false);
			tl_flat_begin_call(&flat, 0, false);
		}
		tl_flat_end(&flat);
		assert_int_equal(flat.refused, callers == CALLERS);
		tl_flat_free(&flat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_are_noted_count_as_time_says),
		cmocka_unit_test(very_deep_recursion_by_as_many_callers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
