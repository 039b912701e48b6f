/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of several threads that are drawn, written in each layout of docs/formats/xray.md, in
 * either byte order, and folded. What the fold says is held against a stack that is walked step by
 * step (the rules at the head of profile/fold/fold.h).
 */
#include "folds.h"

#include <inttypes.h>

#include "../chance.h"
#include "../foreign/path_sums.h"

enum { FUNCTIONS = 7, THREADS = 3, MOST_STEPS = 160, BUFFER = 8192, SEEDS = 15 };

/* What a record says; all but a call and its end are of FDR mode alone. */
struct step {
	enum { CALL, CALL_ARGS, END, TAIL, MOVE, WRAP, EVENT, BLOCK } kind;
	uint64_t time, delta; /* at the record; since the one before */
	uint32_t function;
	uint16_t cpu; /* from here on */
};

struct thread {
	int32_t number;
	struct step steps[MOST_STEPS];
	unsigned count;
};

struct layout {
	unsigned type, version;
	bool big, high;
};

struct drawn {
	uint32_t seed;
	const struct layout *layout;
	bool nested; /* each exit is that of the innermost call */
	uint32_t functions[FUNCTIONS];
	struct thread threads[THREADS];
};

/* ---- drawing ---- */

static bool moves_time(const struct drawn *d, const struct step *s)
{
	/* "Version <= 4 custom events carry their own absolute TSC and leave base untouched" */
	return s->kind != EVENT || d->layout->version == 5;
}

static void draw_step(struct drawn *d, struct step *s, uint64_t *time, uint16_t *cpu)
{
	const unsigned kind = chance(&d->seed, 40);

	*s = (struct step){ .kind = kind < 14   ? CALL
				    : kind < 17 ? CALL_ARGS
				    : kind < 28 ? END
				    : kind < 31 ? TAIL
				    : kind < 34 ? MOVE
				    : kind < 36 ? WRAP
				    : kind < 38 ? EVENT
						: BLOCK };
	if (d->layout->type == BASIC && s->kind >= WRAP)
		s->kind = CALL;
	s->function = d->functions[chance(&d->seed, FUNCTIONS)];
	/* even, so that windows can begin and end between records */
	s->delta = 2 * (chance(&d->seed, 4) ? chance(&d->seed, 300) : 0);
	if (s->kind == WRAP && chance(&d->seed, 2))
		s->delta += (uint64_t)1 << 33;
	/* blocks have an order by their times alone */
	if (s->kind == BLOCK)
		s->delta += 2;
	if (!moves_time(d, s))
		s->delta = 0;
	/* the head of a block says cpu 1 (begin_block()) */
	*cpu = s->kind == MOVE ? (uint16_t)(1 + chance(&d->seed, 3)) : s->kind == BLOCK ? 1 : *cpu;
	s->cpu = *cpu;
	s->time = *time += s->delta;
}

/* Exits get the function that is open; where none is, they are calls. */
static void nest(struct thread *t)
{
	uint32_t open[MOST_STEPS];
	unsigned depth = 0;

	for (unsigned i = 0; i < t->count; i++) {
		struct step *s = &t->steps[i];

		if ((s->kind == END || s->kind == TAIL) && depth)
			s->function = open[--depth];
		else if (s->kind == END || s->kind == TAIL)
			s->kind = CALL;
		if (s->kind == CALL || s->kind == CALL_ARGS)
			open[depth++] = s->function;
	}
}

static void draw(struct drawn *d, const struct layout *layout, uint32_t seed)
{
	*d = (struct drawn){ .seed = seed, .layout = layout };
	d->nested = chance(&d->seed, 2);
	/* with the discriminant in the lowest bit of the last byte ids have to leave the first 0 */
	for (unsigned i = 0; i < FUNCTIONS; i++)
		d->functions[i] =
			1 + i + (chance(&d->seed, layout->big && !layout->high ? 15 : 4095) << 16);
	for (unsigned t = 0; t < THREADS; t++) {
		uint64_t time = 1000 + 2 * (uint64_t)chance(&d->seed, 5000);
		uint16_t cpu = 1;

		d->threads[t].number = (int32_t)(70000 + t);
		d->threads[t].count = 40 + chance(&d->seed, MOST_STEPS - 40);
		for (unsigned i = 0; i < d->threads[t].count; i++)
			draw_step(d, &d->threads[t].steps[i], &time, &cpu);
		d->threads[t].steps[0].kind = d->layout->type == FDR ? BLOCK : CALL;
		d->threads[t].steps[0].cpu = cpu = 1;
		for (unsigned i = 1;
		     d->threads[t].steps[i].kind != MOVE && d->threads[t].steps[i].kind != BLOCK &&
		     i < d->threads[t].count;
		     i++)
			d->threads[t].steps[i].cpu = cpu;
		if (d->nested)
			nest(&d->threads[t]);
	}
}

/* ---- writing ---- */

static void put_step(struct drawn *d, struct bytes *b, const struct step *s)
{
	static const unsigned actions[] = { ENTER, ENTER_ARGS, EXIT, TAIL_EXIT };

	switch (s->kind) {
	case MOVE:
		put_new_cpu(b, s->cpu, s->time);
		break;
	case WRAP:
		put_tsc_wrap(b, s->time);
		break;
	case EVENT:
		put_custom(b, b->version == 5 ? s->delta : chance_bits(&d->seed), 9, "text", 4);
		break;
	default:
		put_function(b, actions[s->kind], s->function, (uint32_t)s->delta);
		if (s->kind == CALL_ARGS)
			put_argument(b, chance_bits(&d->seed));
	}
}

/* The steps of a thread from a BLOCK to the next one. */
static void put_one_block(struct drawn *d, struct bytes *b, const struct thread *t, unsigned first)
{
	const size_t start = begin_block(b, 44, t->number, t->steps[first].time);

	for (unsigned i = first + 1; i < t->count && t->steps[i].kind != BLOCK; i++)
		put_step(d, b, &t->steps[i]);
	end_block(b, start);
	/* "skip by buffer_size, per buffer" */
	if (b->version == 1)
		pad_to(b, start, BUFFER);
}

/* Blocks "in any order". */
static void put_blocks(struct drawn *d, struct bytes *b)
{
	unsigned order[THREADS * MOST_STEPS], places[THREADS * MOST_STEPS], count = 0;

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < d->threads[t].count; i++)
			if (d->threads[t].steps[i].kind == BLOCK)
				places[count++] = t * MOST_STEPS + i;
	chance_order(&d->seed, order, count);
	for (unsigned i = 0; i < count; i++)
		put_one_block(d, b, &d->threads[places[order[i]] / MOST_STEPS],
			      places[order[i]] % MOST_STEPS);
}

/* Records of basic mode: "in order per thread, not globally". */
static void put_flat(struct drawn *d, struct bytes *b)
{
	static const unsigned actions[] = { ENTER, ENTER_ARGS, EXIT, TAIL_EXIT };
	unsigned next[THREADS] = { 0 }, left = 0;

	for (unsigned t = 0; t < THREADS; t++)
		left += d->threads[t].count;
	for (; left; left--) {
		unsigned t = chance(&d->seed, THREADS);
		const struct step *s;

		while (next[t] == d->threads[t].count)
			t = (t + 1) % THREADS;
		s = &d->threads[t].steps[next[t]++];
		if (s->kind == MOVE)
			continue;
		put_basic(b, (uint8_t)s->cpu, actions[s->kind], (int32_t)s->function, s->time,
			  d->threads[t].number, 44);
		if (s->kind == CALL_ARGS)
			put_basic_argument(b, (int32_t)s->function, d->threads[t].number, 44,
					   chance_bits(&d->seed));
	}
}

/* ---- what it means ---- */

struct frame {
	uint32_t function;
	uint64_t start;
	bool whole; /* the gate was never closed */
};

struct walk {
	const struct tl_xray_fold_options *options;
	struct frame stack[MOST_STEPS];
	unsigned depth;
	uint64_t time;
	uint16_t cpu;
	int32_t thread;
	/*
	 * of a path its own cost and its calls; of a function what is on the stack, and durations
	 */
	struct path_sums own, calls, cut, on, durations;
	uint64_t orphans, deduced, unfinished;
};

static bool in_window(const struct walk *w, uint64_t time)
{
	return time >= w->options->from_ticks &&
	       (!w->options->to_ticks || time < w->options->to_ticks);
}

static bool cpu_is_wanted(const struct walk *w)
{
	return w->options->cpu == TL_NOWHERE || w->options->cpu == w->cpu;
}

static bool gate_is_open(const struct walk *w)
{
	return cpu_is_wanted(w) && in_window(w, w->time);
}

static void put_path(const struct walk *w, char *to)
{
	to += sprintf(to, "%d", (int)w->thread);
	for (unsigned i = 0; i < w->depth; i++)
		to += sprintf(to, ";#%u", (unsigned)w->stack[i].function);
}

/* Time goes to the function on top of the stack, and to each that is on it once. */
static void pass_time(struct walk *w, uint64_t time)
{
	const uint64_t from = w->time > w->options->from_ticks ? w->time : w->options->from_ticks;
	const uint64_t to =
		w->options->to_ticks && w->options->to_ticks < time ? w->options->to_ticks : time;
	char text[MOST_STEPS * 16];

	if (w->depth && to > from && cpu_is_wanted(w)) {
		put_path(w, text);
		path_sums_add(&w->own, text, (int64_t)(to - from));
		for (unsigned i = 0; i < w->depth; i++) {
			unsigned outer = 0;

			while (w->stack[outer].function != w->stack[i].function)
				outer++;
			sprintf(text, "#%u", (unsigned)w->stack[i].function);
			if (outer == i)
				path_sums_add(&w->on, text, (int64_t)(to - from));
		}
	}
	w->time = time;
	for (unsigned i = 0; i < w->depth; i++)
		w->stack[i].whole = w->stack[i].whole && gate_is_open(w);
}

static void move_to(struct walk *w, uint16_t cpu)
{
	w->cpu = cpu;
	for (unsigned i = 0; i < w->depth; i++)
		w->stack[i].whole = w->stack[i].whole && gate_is_open(w);
}

/* The innermost frame ends, `timed`: by an exit of its own. */
static void close_top(struct walk *w, bool timed)
{
	const struct frame top = w->stack[w->depth - 1];
	char text[MOST_STEPS * 16];

	put_path(w, text);
	if (top.whole)
		path_sums_add(&w->calls, text, 1);
	if (top.whole && !timed)
		path_sums_add(&w->cut, text, 1);
	sprintf(text, "#%u", (unsigned)top.function);
	if (top.whole && timed)
		path_sums_add(&w->durations, text, (int64_t)(w->time - top.start));
	w->depth--;
}

static void take_exit(struct walk *w, uint32_t function)
{
	unsigned at = w->depth;

	while (at && w->stack[at - 1].function != function)
		at--;
	if (!at) {
		w->orphans++;
		return;
	}
	for (; w->depth > at; w->deduced++)
		close_top(w, false);
	close_top(w, true);
}

static void walk_thread(struct walk *w, const struct drawn *d, const struct thread *t)
{
	w->depth = 0;
	w->thread = t->number;
	w->time = t->steps[0].time;
	w->cpu = t->steps[0].cpu;
	for (unsigned i = 0; i < t->count; i++) {
		const struct step *s = &t->steps[i];

		/*
		 * Basic mode has no record of a move: the next one has its cpu. The time of an
		 * event passes with what follows it.
		 */
		if ((d->layout->type == BASIC && s->kind == MOVE) || s->kind == EVENT)
			continue;
		pass_time(w, s->time);
		move_to(w, s->cpu);
		if (s->kind == CALL || s->kind == CALL_ARGS)
			w->stack[w->depth++] =
				(struct frame){ s->function, s->time, gate_is_open(w) };
		else if (s->kind == END || s->kind == TAIL)
			take_exit(w, s->function);
	}
	w->unfinished += w->depth;
}

/* ---- both ---- */

/*
 * Records of a thread: those of calls, with the value of an argument, and of FDR mode all others.
 */
static uint64_t records_of(const struct drawn *d, const struct thread *t)
{
	/* NewBuffer, WallClock, NewCPUId and the end or extents; Pid */
	const unsigned head = d->layout->version < 3 ? 4 : 5;
	uint64_t count = 0;

	for (unsigned i = 0; i < t->count; i++)
		if (t->steps[i].kind == BLOCK)
			count += head;
		else if (d->layout->type == FDR || t->steps[i].kind != MOVE)
			count += t->steps[i].kind == CALL_ARGS ? 2 : 1;
	return count;
}

static void check_parts(const struct drawn *d, const struct tl_profile *profile)
{
	assert_int_equal(tl_profile_part_count(profile), THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct tl_part *part = tl_profile_part(profile, i);
		unsigned t = 0;

		while (part->thread != (uint64_t)d->threads[t].number)
			assert_true(++t < THREADS);
		assert_int_equal(part->records, records_of(d, &d->threads[t]));
		assert_int_equal(part->first_ticks, d->threads[t].steps[0].time);
		/* "version 1: LLVM reports 0", which is none; "version 2: pid := tid" */
		if (d->layout->version > 2)
			assert_int_equal(part->process, 44);
		else if (d->layout->type == FDR)
			assert_int_equal(part->process,
					 d->layout->version == 2 ? part->thread : TL_NOWHERE);
	}
}

/* A fold for functions alone may have no contexts. */
static void read_profile(const struct tl_profile *profile, struct walk *have)
{
	const uint32_t count = tl_profile_context_count(profile);
	char **paths = calloc(count + 1, sizeof(*paths));

	assert_non_null(paths);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *c = tl_profile_context(profile, i);
		const char *name = tl_profile_function(profile, c->function)->name;

		if (c->parent == TL_NONE)
			assert_true(asprintf(&paths[i], "%d;%s",
					     (int)tl_profile_part(profile, c->part)->thread,
					     name) >= 0);
		else
			assert_true(asprintf(&paths[i], "%s;%s", paths[c->parent], name) >= 0);
		path_sums_add(&have->own, paths[i], *tl_profile_context_self(profile, i));
		path_sums_add(&have->calls, paths[i], (int64_t)c->calls);
		path_sums_add(&have->cut, paths[i], (int64_t)c->cut);
	}
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		const char *name = tl_profile_function(profile, i)->name;
		struct tl_function_totals totals = { 0 };
		struct tl_latency latency;

		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		path_sums_add(&have->on, name, *totals.inclusive);
		if (tl_profile_latency_of(profile, i, TL_NONE, &latency))
			path_sums_add(&have->durations, name, (int64_t)latency.sum);
	}
	for (uint32_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

static void free_walk(struct walk *w)
{
	path_sums_free(&w->own);
	path_sums_free(&w->calls);
	path_sums_free(&w->cut);
	path_sums_free(&w->on);
	path_sums_free(&w->durations);
}

static void check(const struct drawn *d, const struct bytes *b,
		  const struct tl_xray_fold_options *options)
{
	struct walk wanted = { .options = options }, have = { .options = options };
	struct tl_profile *profile = fold(b, options);
	const struct tl_losses losses = tl_profile_losses_of(profile);
	char about[128];

	for (unsigned t = 0; t < THREADS; t++)
		if (options->thread == TL_NOWHERE ||
		    options->thread == (uint64_t)d->threads[t].number)
			walk_thread(&wanted, d, &d->threads[t]);
	read_profile(profile, &have);
	snprintf(about, sizeof(about), "type %u, version %u, from %llu to %llu, cpu %d, thread %d",
		 d->layout->type, d->layout->version, (unsigned long long)options->from_ticks,
		 (unsigned long long)options->to_ticks, (int)options->cpu, (int)options->thread);
	if (!options->flat) {
		path_sums_expect(&have.own, &wanted.own, about);
		path_sums_expect(&have.calls, &wanted.calls, about);
		path_sums_expect(&have.cut, &wanted.cut, about);
	}
	path_sums_expect(&have.on, &wanted.on, about);
	path_sums_expect(&have.durations, &wanted.durations, about);
	if (options->cpu == TL_NOWHERE && !options->from_ticks && !options->to_ticks) {
		if (options->thread == TL_NOWHERE)
			check_parts(d, profile);
		assert_int_equal(losses.orphan_exits, wanted.orphans);
		assert_int_equal(losses.deduced_exits, wanted.deduced);
		assert_int_equal(losses.unfinished, wanted.unfinished);
	}
	assert_int_equal(losses.time_reversals, 0);
	assert_int_equal(losses.skipped_bytes, 0);
	free_walk(&wanted);
	free_walk(&have);
	tl_profile_free(profile);
}

/* All of it; one thread; a window; one processor; one of each, for functions alone. */
static void check_all(const struct drawn *d, const struct bytes *b)
{
	const struct thread *t = &d->threads[d->seed % THREADS];
	struct tl_xray_fold_options options = all;

	check(d, b, &options);
	options.jobs = 2;
	options.exact = true;
	options.thread = (uint64_t)t->number;
	check(d, b, &options);
	options = all;
	options.from_ticks = t->steps[t->count / 4].time + 1;
	check(d, b, &options);
	options.to_ticks = t->steps[t->count / 2].time + 1;
	check(d, b, &options);
	options.flat = true;
	check(d, b, &options);
	options.cpu = 1;
	check(d, b, &options);
	options.from_ticks = options.to_ticks = 0;
	options.flat = false;
	check(d, b, &options);
	options.cpu = 2;
	check(d, b, &options);
	options = all;
	options.flat = true;
	check(d, b, &options);
}

TEST(every_layout_says_the_same)
{
	static const struct layout layouts[] = {
		{ BASIC, 1, false, false }, { BASIC, 2, true, false }, { BASIC, 3, false, false },
		{ FDR, 1, true, true },     { FDR, 2, false, false },  { FDR, 3, true, false },
		{ FDR, 4, false, false },   { FDR, 5, false, false },  { FDR, 5, true, true },
	};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		for (uint32_t seed = 1; seed <= SEEDS; seed++) {
			struct bytes b = { .big = layouts[i].big, .high = layouts[i].high };
			static struct drawn d;

			draw(&d, &layouts[i], seed * 16 + (uint32_t)i);
			put_header(&b, layouts[i].version, layouts[i].type, 1000, BUFFER);
			(layouts[i].type == BASIC ? put_flat : put_blocks)(&d, &b);
			check_all(&d, &b);
			free_bytes(&b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
