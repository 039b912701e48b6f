/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares of traces whose execution is known (walked_calls.h), folded at the same time: runs of the
 * bytes of one thread, and some of several threads. What they cost together is what was executed,
 * each call is counted once, and durations over a border are whole.
 */
#include <pthread.h>

#include "../foreign/path_sums.h"
#include "walked_calls.h"

#include "intel_pt/profile/fold.h"
#include "profile/model/unsized.h"

enum { SHARES = 4, THREADS = 5, BEGIN = 3000 };

static struct walked walks[THREADS];
static struct walked_calls calls_of[THREADS];
static unsigned walk_count;

/* ---- shares that wait for each other ---- */

struct table {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t shares, count;
	bool broken; /* one of them will not come */
	uint8_t *told[SHARES];
	size_t sizes[SHARES];
	void (*spoil)(struct table *table); /* what was told becomes nonsense; NULL: it does not */
};

struct seat {
	struct table *table;
	struct walked_feed feed;
	struct tl_pt_fold_options options;
	struct tl_profile *profile;
	int status;
};

static struct seat seats[SHARES];

static int meet(void *arg, const void *mine, size_t size, void **all, size_t *all_size)
{
	struct seat *seat = arg;
	struct table *t = seat->table;
	int status = 0;

	pthread_mutex_lock(&t->lock);
	t->told[seat->options.share] = malloc(size + 8);
	memcpy(t->told[seat->options.share], mine, size);
	t->sizes[seat->options.share] = size;
	if (++t->count == t->shares && t->spoil)
		t->spoil(t);
	pthread_cond_broadcast(&t->changed);
	while (t->count < t->shares && !t->broken)
		pthread_cond_wait(&t->changed, &t->lock);
	if (t->count < t->shares)
		status = TL_UNSUPPORTED;
	*all = malloc(1 << 20);
	*all_size = 0;
	for (uint32_t i = 0; status == 0 && i < t->shares; i++) {
		memcpy((uint8_t *)*all + *all_size, t->told[i], t->sizes[i]);
		*all_size += t->sizes[i];
	}
	pthread_mutex_unlock(&t->lock);
	return status;
}

static void *run(void *arg)
{
	struct seat *seat = arg;
	const struct tl_share_chain chain = { .meet = meet, .arg = seat };
	struct tl_pt_faults faults = { 0 };

	seat->options.chain = &chain;
	seat->status = tl_pt_fold(&seat->feed.feed, &seat->options, &faults, &seat->profile, NULL);
	tl_pt_faults_free(&faults);
	pthread_mutex_lock(&seat->table->lock);
	seat->table->broken |= seat->status < 0;
	pthread_cond_broadcast(&seat->table->changed);
	pthread_mutex_unlock(&seat->table->lock);
	return NULL;
}

/* Each walk is a stream and a thread of its own. */
static void fill_walks(struct walked_feed *feed)
{
	for (unsigned thread = 0; thread < walk_count; thread++)
		add_walked(feed, &walks[thread], thread, 0, walks[thread].size);
}

static void (*fill)(struct walked_feed *feed) = fill_walks;

/* All shares of the walks, at the same time. */
static void run_shares(uint32_t shares, const struct tl_pt_fold_options *options,
		       void (*spoil)(struct table *))
{
	struct table table = { .shares = shares, .spoil = spoil };
	pthread_t threads[SHARES];

	pthread_mutex_init(&table.lock, NULL);
	pthread_cond_init(&table.changed, NULL);
	for (uint32_t i = 0; i < shares; i++) {
		seats[i].table = &table;
		seats[i].options = *options;
		seats[i].options.share = i;
		seats[i].options.shares = shares;
		seats[i].profile = NULL;
		open_walked(&seats[i].feed);
		seats[i].feed.feed.timed = walks[0].times != 0;
		fill(&seats[i].feed);
		assert_int_equal(pthread_create(&threads[i], NULL, run, &seats[i]), 0);
	}
	for (uint32_t i = 0; i < shares; i++) {
		pthread_join(threads[i], NULL);
		close_walked(&seats[i].feed);
	}
	for (uint32_t i = 0; i < shares; i++)
		free(table.told[i]);
	pthread_mutex_destroy(&table.lock);
	pthread_cond_destroy(&table.changed);
}

static void free_shares(uint32_t shares)
{
	for (uint32_t i = 0; i < shares; i++)
		tl_profile_free(seats[i].profile);
}

/* ---- what they are together ---- */

static const struct tl_pt_fold_options folding = {
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
	.cpu = TL_NOWHERE,
	.lines = true, /* without them a run of the bytes is folded as a whole */
};

struct costs {
	const struct walked_calls *known;
	struct path_sums clock, insns;
};

static void add_ticks(void *arg, int call, uint64_t from, uint64_t to)
{
	struct costs *costs = arg;
	char path[WALKED_PATH];

	walked_path(costs->known, call, path);
	path_sums_add(&costs->clock, path, (int64_t)(to - from));
}

static void add_known(struct costs *costs, const struct walked_calls *known)
{
	costs->known = known;
	walked_each_time(known, add_ticks, costs);
	for (size_t i = 0; i < known->walk->count; i++) {
		char path[WALKED_PATH];

		walked_path(known, known->of_step[i], path);
		path_sums_add(&costs->insns, path, 1);
	}
}

static void assert_event(uint32_t shares, uint32_t event, struct path_sums *wanted)
{
	struct path_sums have = { NULL, 0 };

	for (uint32_t i = 0; i < shares; i++)
		path_sums_of_profile(&have, seats[i].profile, TL_NONE, event);
	path_sums_expect(&have, wanted, "shares");
	path_sums_free(&have);
}

/* Event 0 is the clock; with time the second one is of instructions. */
static void assert_costs(uint32_t shares)
{
	struct costs costs = { .known = NULL };

	for (unsigned thread = 0; thread < walk_count; thread++)
		add_known(&costs, &calls_of[thread]);
	assert_event(shares, 0, &costs.clock);
	if (walks[0].times)
		assert_event(shares, 1, &costs.insns);
	path_sums_free(&costs.clock);
	path_sums_free(&costs.insns);
}

/* The calls of a function that ended, and how long they took; the same of all shares. */
static void assert_calls(uint32_t shares, unsigned function)
{
	uint64_t ended = 0, sum = 0, open = 0, longest = 0;
	uint64_t seen_ended = 0, seen_sum = 0, seen_open = 0, seen_longest = 0;

	for (unsigned thread = 0; thread < walk_count; thread++)
		for (size_t i = 0; i < calls_of[thread].count; i++) {
			const struct walked_call *call = &calls_of[thread].list[i];
			const uint64_t time = call->end - call->begin;

			if (call->function != function)
				continue;
			open += call->end == TL_NOWHERE;
			if (call->end == TL_NOWHERE)
				continue;
			ended++;
			sum += time;
			longest = time > longest ? time : longest;
		}
	for (uint32_t i = 0; i < shares; i++)
		for (uint32_t f = 0; f < tl_profile_function_count(seats[i].profile); f++) {
			struct tl_function_totals totals;
			struct tl_latency latency;

			if (strcmp(tl_profile_function(seats[i].profile, f)->name,
				   walked_functions[function].name) != 0)
				continue;
			tl_profile_totals_of(seats[i].profile, f, TL_NONE, &totals);
			seen_ended += totals.calls;
			/* those that are open at a border are none of this share */
			seen_open += i + 1 == shares || walk_count > 1 ? totals.unfinished : 0;
			if (!tl_profile_latency_of(seats[i].profile, f, TL_NONE, &latency))
				continue;
			seen_sum += latency.sum;
			seen_longest = latency.max > seen_longest ? latency.max : seen_longest;
		}
	assert_int_equal(seen_ended, ended);
	assert_int_equal(seen_sum, sum);
	assert_int_equal(seen_open, open);
	assert_int_equal(seen_longest, longest);
}

static const char *name_of(const struct tl_profile *profile, uint32_t function)
{
	return tl_profile_function(profile, function)->name;
}

/* What the shares have of an arc; one that goes on over a border is a call of the first of them. */
static void assert_arc(uint32_t shares, const struct walked_arc *arc)
{
	struct walked_arc seen = { .calls = 0 };

	for (uint32_t i = 0; i < shares; i++) {
		const struct tl_profile *profile = seats[i].profile;

		for (uint32_t n = 0; n < tl_profile_arc_count(profile); n++) {
			const struct tl_arc *a = tl_profile_arc(profile, n);

			if (a->from.address != arc->site || a->caller == TL_NONE ||
			    strcmp(name_of(profile, a->caller),
				   walked_functions[arc->caller].name) != 0 ||
			    strcmp(name_of(profile, a->callee),
				   walked_functions[arc->callee].name) != 0)
				continue;
			seen.calls += a->calls;
			seen.ticks += tl_profile_arc_cost(profile, n)[0];
		}
	}
	assert_int_equal(seen.calls, arc->calls);
	assert_int_equal(seen.ticks, arc->ticks);
}

static void assert_arcs(uint32_t shares)
{
	const struct walked_calls *known = &calls_of[0];

	for (size_t i = 1; i < known->count; i += 1 + i / 8) {
		const struct walked_call *call = &known->list[i];
		struct walked_arc arc = { .site = call->site,
					  .caller = known->list[call->around].function,
					  .callee = call->function };

		walked_arc_of(known, &arc);
		assert_arc(shares, &arc);
	}
}

static void assert_together(uint32_t shares)
{
	for (uint32_t i = 0; i < shares; i++)
		assert_int_equal(seats[i].status, 0);
	if (walk_count == 1 && seats[0].options.lines)
		assert_arcs(shares);
	assert_costs(shares);
	for (unsigned function = 0; function < FUNCTIONS_WALKED; function++)
		assert_calls(shares, function);
}

static void walk_one(uint32_t seed, unsigned interrupts, bool timed)
{
	walk_count = 1;
	if (timed)
		walk_timed(&walks[0], seed, 5000, 60, interrupts, 20, BEGIN);
	else
		walk(&walks[0], seed, 5000, 60, interrupts);
	walked_calls_of(&calls_of[0], &walks[0]);
}

TEST(runs_of_bytes_add_up)
{
	for (unsigned round = 0; round < 16; round++) {
		struct tl_pt_fold_options options = folding;
		const uint32_t shares = 2 + round % 3;

		walk_one(700 + round, round % 2 ? 80 : 0, round & 2);
		run_shares(shares, &options, NULL);
		assert_together(shares);
		free_shares(shares);
	}
}

/* Each share but the first begins with what the one before it left open. */
TEST(all_shares_run_something)
{
	walk_one(800, 0, false);
	run_shares(3, &folding, NULL);
	assert_together(3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(tl_profile_total(seats[i].profile)[0] > (int64_t)walks[0].count / 10);
	free_shares(3);
}

TEST(threads_add_up)
{
	for (unsigned round = 0; round < 12; round++) {
		struct tl_pt_fold_options options = folding;
		const uint32_t shares = 1 + round % 4;
		size_t ran = 0;

		options.by_threads = true;
		options.lines = round / 2 % 2;
		options.per_thread = round % 2;
		walk_count = THREADS;
		for (unsigned i = 0; i < THREADS; i++) {
			walk(&walks[i], 900 + 10 * round + i, 200 + 300 * i, 50, 0);
			walked_calls_of(&calls_of[i], &walks[i]);
		}
		run_shares(shares, &options, NULL);
		assert_together(shares);
		/* "the largest first, each to the share that has least" */
		for (uint32_t i = 0; i < shares; i++)
			ran += tl_profile_part_count(seats[i].profile);
		if (options.per_thread)
			assert_int_equal(ran, THREADS);
		free_shares(shares);
	}
}

/* ---- threads that take turns in one stream ---- */

enum { TURNS = WALKED_SLICES, TAKERS = 3, TURN_STEPS = 150 };

static size_t turn_ends[TURNS];

/* Where one leaves the processor tracing ends, and where the next one goes on it begins. */
static void walk_turns(uint32_t seed, unsigned psbs)
{
	struct walked *w = &walks[0];

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	for (unsigned turn = 0; turn < TURNS; turn++) {
		if (turn)
			WALKED_PUT(w, PGE(WALKED_AT));
		else
			walked_psb(w, WALKED_AT);
		w->depth = w->known = 0;
		walk_on(w, WALKED_AT, TURN_STEPS, psbs, 0);
		turn_ends[turn] = w->size;
	}
}

static void fill_turns(struct walked_feed *feed)
{
	for (unsigned turn = 0; turn < TURNS; turn++)
		add_walked(feed, &walks[0], 0, turn ? turn_ends[turn - 1] : 0, turn_ends[turn])
			->thread = 1 + turn % TAKERS;
}

/* Of each function: what was executed of it, by whichever thread. */
static void assert_executed(uint32_t shares)
{
	int64_t executed[FUNCTIONS_WALKED] = { 0 };

	for (size_t i = 0; i < walks[0].count; i++)
		executed[walked_function(walks[0].steps[i])]++;
	for (uint32_t i = 0; i < shares; i++)
		for (uint32_t f = 0; f < tl_profile_function_count(seats[i].profile); f++) {
			struct tl_function_totals totals;

			tl_profile_totals_of(seats[i].profile, f, TL_NONE, &totals);
			for (unsigned n = 0; n < FUNCTIONS_WALKED; n++)
				if (!strcmp(name_of(seats[i].profile, f), walked_functions[n].name))
					executed[n] -= totals.self[0];
		}
	for (unsigned n = 0; n < FUNCTIONS_WALKED; n++)
		assert_int_equal(executed[n], 0);
}

/*
 * A share begins to decode at a PSB in what ran before its own threads, if there is one; what it
 * takes for the state there is proven by what the others had.
 */
TEST(turns_add_up)
{
	struct tl_pt_fold_options options = folding;

	options.by_threads = true;
	fill = fill_turns;
	for (unsigned round = 0; round < 12; round++) {
		const uint32_t shares = 2 + round % 2;

		walk_turns(1000 + round, round % 4 ? 10 + 10 * (round % 4) : 0);
		options.lines = round % 3 == 2;
		run_shares(shares, &options, NULL);
		for (uint32_t i = 0; i < shares; i++)
			assert_int_equal(seats[i].status, 0);
		assert_executed(shares);
		free_shares(shares);
	}
	fill = fill_walks;
}

/* ---- what cannot be shared out ---- */

static void assert_refused(uint32_t shares)
{
	bool any = false;

	for (uint32_t i = 0; i < shares; i++) {
		any |= seats[i].status == TL_UNSUPPORTED;
		assert_true(seats[i].status == TL_UNSUPPORTED || seats[i].status == 0);
		assert_int_equal(seats[i].profile != NULL && seats[i].status == 0,
				 seats[i].status == 0);
	}
	assert_true(any);
	free_shares(shares);
}

/* A trace with faults, one with a window, and one too short are read as a whole. */
TEST(what_cannot_be_cut)
{
	struct tl_pt_fold_options options = folding;
	size_t damage;

	walk_one(810, 0, false);
	damage = walks[0].psbs[walks[0].psb_count / 2].offset;
	memmove(walks[0].trace + damage + 1, walks[0].trace + damage, walks[0].size++ - damage);
	walks[0].trace[damage] = 0x05;
	run_shares(2, &options, NULL);
	assert_refused(2);

	walk_one(811, 0, true);
	options.to_ticks = BEGIN + 100;
	run_shares(2, &options, NULL);
	assert_refused(2);

	options.to_ticks = 0;
	options.lines = false;
	run_shares(2, &options, NULL);
	assert_refused(2);

	options.lines = true;
	walk(&walks[0], 1, 3, 0, 0);
	run_shares(3, &options, NULL);
	assert_refused(3);
}

static void tell_less(struct table *t)
{
	t->sizes[0]--;
}

static void tell_no_mark(struct table *t)
{
	t->sizes[1] -= 8;
}

static void tell_many(struct table *t)
{
	memset(t->told[1], 0x7f, 8);
}

static void tell_nothing(struct table *t)
{
	t->sizes[0] = 0;
}

static void tell_twice(struct table *t)
{
	memcpy(t->told[1] + t->sizes[1] - 8, t->told[0] + t->sizes[0] - 8, 8);
	t->told[0][t->sizes[0] - 1] ^= 1;
}

/* Bytes that no share has told are not believed. */
TEST(what_is_told_has_to_be_whole)
{
	static void (*const spoils[])(struct table *) = { tell_less, tell_no_mark, tell_many,
							  tell_nothing, tell_twice };

	for (size_t i = 0; i < COUNT(spoils); i++) {
		walk_one(820, 0, false);
		run_shares(2, &folding, spoils[i]);
		assert_refused(2);
	}
}

static void tell_another_state(struct table *t)
{
	for (uint32_t i = 0; i < t->shares; i++)
		for (size_t at = 8; at < t->sizes[i]; at++)
			t->told[i][at] ^= 0x55;
}

static void tell_odd(struct table *t)
{
	t->told[1][0] ^= 1;
}

/* A state that nobody had is not believed. */
TEST(states_have_to_be_proven)
{
	static void (*const spoils[])(struct table *) = { tell_another_state, tell_odd, tell_many,
							  tell_nothing, tell_less };
	struct tl_pt_fold_options options = folding;

	options.by_threads = true;
	fill = fill_turns;
	for (size_t i = 0; i < COUNT(spoils); i++) {
		walk_turns(1100, 20);
		run_shares(2, &options, spoils[i]);
		assert_refused(2);
	}
	fill = fill_walks;
}

static const char *unused_file(void *arg, size_t number)
{
	(void)arg;
	return number ? NULL : "libx.so";
}

static const char *unused_here(void *arg, size_t number)
{
	return arg == &seats[0].feed && !number ? "libx.so" : NULL;
}

static const char *(*unused)(void *arg, size_t number);

static void fill_with_unused(struct walked_feed *feed)
{
	fill_walks(feed);
	feed->feed.unused = unused;
}

/* A file of which no share ran anything is one that the whole has to tell of. */
TEST(files_that_nobody_ran)
{
	fill = fill_with_unused;
	walk_one(830, 0, false);
	unused = unused_here;
	run_shares(2, &folding, NULL);
	assert_together(2);
	free_shares(2);
	unused = unused_file;
	run_shares(2, &folding, NULL);
	assert_refused(2);
	fill = fill_walks;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_bytes_add_up),
		cmocka_unit_test(all_shares_run_something),
		cmocka_unit_test(threads_add_up),
		cmocka_unit_test(what_cannot_be_cut),
		cmocka_unit_test(what_is_told_has_to_be_whole),
		cmocka_unit_test(turns_add_up),
		cmocka_unit_test(states_have_to_be_proven),
		cmocka_unit_test(files_that_nobody_ran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
