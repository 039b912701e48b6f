/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that cores share: docs/analyze.md, "--sharing". Each step is counted by hand. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "xtrace/share/sharing.h"

enum { CORES = 3 };

struct shared {
	struct tl_xtrace_sharing sharing;
	struct tl_xtrace_sharing_count counts[CORES];
};

static void begin(struct shared *s, unsigned line_shift)
{
	*s = (struct shared){ .sharing = { .line_shift = line_shift, .cores = CORES } };
}

/* Functions have the numbers of their cores, and 10. */
static void access_at(struct shared *s, uint32_t core, bool store, uint64_t address, uint64_t size)
{
	assert_true(tl_xtrace_sharing_access(&s->sharing, core, store, address, size, 10 + core,
					     s->counts));
}

static void load(struct shared *s, uint32_t core, uint64_t address)
{
	access_at(s, core, false, address, 8);
}

static void store(struct shared *s, uint32_t core, uint64_t address)
{
	access_at(s, core, true, address, 8);
}

#define WANT(s, core, ...)                                                                         \
	assert_memory_equal(&(s)->counts[core],                                                    \
			    (&(struct tl_xtrace_sharing_count){ __VA_ARGS__ }),                    \
			    sizeof((s)->counts[core]))

/* A line that nobody writes is missed once by each. */
TEST(readers_share_without_a_loss)
{
	struct shared s;

	begin(&s, 6);
	for (int round = 0; round < 2; round++)
		for (uint32_t core = 0; core < CORES; core++)
			load(&s, core, 64 + 8 * core);
	for (uint32_t core = 0; core < CORES; core++)
		WANT(&s, core, .loads = 2, .cold = 1);
	assert_int_equal(s.sharing.pair_count, 0);
	tl_xtrace_sharing_free(&s.sharing);
}

/* What the other core wrote is read: true; its neighbours are: false. */
TEST(a_lost_line_is_shared_truly_or_falsely)
{
	struct shared s;

	begin(&s, 6);
	load(&s, 0, 0);
	load(&s, 1, 0);
	store(&s, 0, 0);  /* 1 loses the line */
	load(&s, 1, 8);   /* other bytes; core 0 had changed it */
	store(&s, 0, 0);  /* both held it */
	store(&s, 0, 16); /* it is its own: nobody loses */
	load(&s, 1, 4);   /* bytes 4 to 7 were written, 8 to 11 were not */
	WANT(&s, 0, .loads = 1, .stores = 3, .cold = 1, .upgrades = 2, .invalidations = 2);
	WANT(&s, 1, .loads = 3, .cold = 1, .true_shared = 1, .false_shared = 1, .lost = 2,
	     .transfers = 2);
	WANT(&s, 2, 0);
	/* one pair: 1's function misses what 0's took */
	assert_int_equal(s.sharing.pair_count, 1);
	assert_int_equal(s.sharing.pairs[0].function, 11);
	assert_int_equal(s.sharing.pairs[0].writer, 10);
	assert_int_equal(s.sharing.pairs[0].true_shared, 1);
	assert_int_equal(s.sharing.pairs[0].false_shared, 1);
	assert_int_equal(s.sharing.lines[0].invalidations, 2);
	assert_int_equal(s.sharing.lines[0].touched, 3);
	tl_xtrace_sharing_free(&s.sharing);
}

/* A store that misses takes the line from all that held it; it upgrades nothing. */
TEST(a_store_that_misses_takes_the_line)
{
	struct shared s;

	begin(&s, 6);
	load(&s, 0, 0);
	load(&s, 1, 0);
	store(&s, 2, 0);
	WANT(&s, 2, .stores = 1, .cold = 1, .invalidations = 2);
	WANT(&s, 0, .loads = 1, .cold = 1, .lost = 1);
	/* what others write after the loss counts as well, and the first one is who took it */
	store(&s, 1, 32);
	load(&s, 0, 32);
	WANT(&s, 0, .loads = 2, .cold = 1, .true_shared = 1, .lost = 1, .transfers = 1);
	WANT(&s, 1, .loads = 1, .stores = 1, .cold = 1, .false_shared = 1, .invalidations = 1,
	     .lost = 1, .transfers = 1);
	for (uint32_t i = 0; i < s.sharing.pair_count; i++)
		assert_int_equal(s.sharing.pairs[i].writer, 12);
	assert_int_equal(s.sharing.pair_count, 2);
	tl_xtrace_sharing_free(&s.sharing);
}

/* Caches of which each drops what the test says. */
struct dropping {
	bool dropped[CORES];
	unsigned taken[CORES];
};

static bool holds(void *arg, uint32_t core, uint64_t line)
{
	assert_int_equal(line, 1);
	return !((const struct dropping *)arg)->dropped[core];
}

static void take(void *arg, uint32_t core, uint64_t line)
{
	assert_int_equal(line, 1);
	((struct dropping *)arg)->taken[core]++;
}

/* A line that went by itself is no loss: its change is in memory, and no store takes it. */
TEST(lines_that_go_by_themselves)
{
	struct dropping d = { .taken = { 0 } };
	struct shared s;

	begin(&s, 6);
	s.sharing.caches = (struct tl_xtrace_sharing_caches){ &d, holds, take };
	store(&s, 0, 64);
	d.dropped[0] = true;
	load(&s, 1, 64); /* no transfer */
	store(&s, 1, 64);
	assert_int_equal(d.taken[0], 0);
	d.dropped[0] = false; /* filled in by this access */
	load(&s, 0, 64);
	store(&s, 1, 64);
	assert_int_equal(d.taken[0], 1);
	WANT(&s, 0, .loads = 1, .stores = 1, .cold = 1, .evicted = 1, .lost = 1, .transfers = 1);
	WANT(&s, 1, .loads = 1, .stores = 2, .cold = 1, .upgrades = 1, .invalidations = 1);
	tl_xtrace_sharing_free(&s.sharing);
}

/* An access over a border is one of each line. */
TEST(an_access_over_a_border_is_two)
{
	struct shared s;

	begin(&s, 6);
	access_at(&s, 0, true, 60, 8);
	access_at(&s, 1, false, 64, 1);
	access_at(&s, 1, false, 56, 4);
	WANT(&s, 0, .stores = 2, .cold = 2);
	WANT(&s, 1, .loads = 2, .cold = 2, .transfers = 2);
	tl_xtrace_sharing_free(&s.sharing);
}

/* "of longer lines, for each of 64 equal parts": of 256 bytes, 4 bytes are one part. */
TEST(long_lines_are_told_apart_by_parts)
{
	struct shared s;

	begin(&s, 8);
	access_at(&s, 0, false, 0, 1);
	access_at(&s, 1, true, 4, 1);
	access_at(&s, 0, false, 7, 1); /* in the part that was written */
	access_at(&s, 1, true, 4, 1);
	access_at(&s, 0, false, 8, 1);
	access_at(&s, 1, true, 255, 1);
	access_at(&s, 0, false, 0, 256);
	WANT(&s, 0, .loads = 4, .cold = 1, .true_shared = 2, .false_shared = 1, .lost = 3,
	     .transfers = 3);
	tl_xtrace_sharing_free(&s.sharing);
}

/* What warms up changes the lines, and counts nothing. */
TEST(without_counts_only_lines_change)
{
	struct shared s;

	begin(&s, 6);
	load(&s, 0, 0);
	assert_true(tl_xtrace_sharing_access(&s.sharing, 1, true, 0, 8, 11, NULL));
	assert_true(tl_xtrace_sharing_access(&s.sharing, 0, false, 0, 8, 10, NULL));
	assert_int_equal(s.sharing.pair_count, 0);
	WANT(&s, 0, .loads = 1, .cold = 1);
	WANT(&s, 1, 0);
	load(&s, 0, 0); /* it has the line again */
	WANT(&s, 0, .loads = 2, .cold = 1);
	tl_xtrace_sharing_free(&s.sharing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_share_without_a_loss),
		cmocka_unit_test(a_lost_line_is_shared_truly_or_falsely),
		cmocka_unit_test(a_store_that_misses_takes_the_line),
		cmocka_unit_test(lines_that_go_by_themselves),
		cmocka_unit_test(an_access_over_a_border_is_two),
		cmocka_unit_test(long_lines_are_told_apart_by_parts),
		cmocka_unit_test(without_counts_only_lines_change),
	};

	return cmocka_run_group_tests_name("xtrace sharing", tests, NULL, NULL);
}
