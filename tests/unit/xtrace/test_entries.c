/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries that are learned: held against a list of all questions, which are answered again after
 * each new entry. What is not stale has the answers it would get now; what is stale has another.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "xtrace/state/entries.h"

enum { REACH = 1 << 20, MOST = 256, ASKING = 3 };

struct question {
	uint64_t pc, answer;
	int asked_by; /* 0: the pass */
};

struct model {
	uint64_t entries[MOST];
	size_t entry_count;
	struct question questions[MOST];
	size_t question_count;
};

static uint64_t answer(const struct model *m, uint64_t pc)
{
	uint64_t best = 0;

	for (size_t i = 0; i < m->entry_count; i++)
		if (m->entries[i] <= pc && pc - m->entries[i] < REACH && m->entries[i] > best)
			best = m->entries[i];
	return best;
}

static bool is_stale(const struct model *m, int asked_by)
{
	for (size_t i = 0; i < m->question_count; i++)
		if (m->questions[i].asked_by == asked_by &&
		    answer(m, m->questions[i].pc) != m->questions[i].answer)
			return true;
	return false;
}

/* Near and far addresses, some of them out of the reach of each other. */
static uint64_t some_address(unsigned *seed)
{
	uint64_t far = (uint64_t)(rand_r(seed) % 4) << 20;

	return 0x400000 + far + 4 * (uint64_t)(rand_r(seed) % 24);
}

static void ask(struct model *m, struct tl_xtrace_entries *e, struct tl_xtrace_questions *q, int by,
		uint64_t pc)
{
	uint64_t got = tl_xtrace_entries_find(e, by ? &q[by] : NULL, pc);

	assert_int_equal(got, answer(m, pc));
	m->questions[m->question_count++] = (struct question){ pc, got, by };
}

/* Close one that asks, and open it again: its questions are the pass's, or forgotten. */
static void close_one(struct model *m, struct tl_xtrace_entries *e, struct tl_xtrace_questions *q,
		      int by)
{
	bool good = !is_stale(m, by);

	assert_int_equal(tl_xtrace_questions_close(e, &q[by]), good);
	for (size_t i = 0; i < m->question_count; i++)
		if (m->questions[i].asked_by == by)
			m->questions[i].asked_by = good ? 0 : -1;
	tl_xtrace_questions_open(e, &q[by]);
}

static void play(unsigned seed, unsigned *stale, unsigned *closed_stale)
{
	struct tl_xtrace_entries e = { 0 };
	struct tl_xtrace_questions q[1 + ASKING];
	struct model m = { 0 };

	assert_true(tl_xtrace_entries_restart(&e, true));
	for (int by = 1; by <= ASKING; by++)
		tl_xtrace_questions_open(&e, &q[by]);
	for (int step = 0; step < 60 && !e.stale; step++) {
		int by = rand_r(&seed) % (1 + ASKING);
		uint64_t pc = some_address(&seed);

		switch (rand_r(&seed) % 4) {
		case 0:
			assert_true(tl_xtrace_entries_add(&e, pc));
			m.entries[m.entry_count++] = pc;
			assert_int_equal(e.stale, is_stale(&m, 0));
			break;
		case 1:
			if (by && rand_r(&seed) % 4 == 0) {
				*closed_stale += is_stale(&m, by);
				close_one(&m, &e, q, by);
			}
			break;
		default:
			if (by)
				ask(&m, &e, q, by, pc);
		}
	}
	*stale += e.stale;
	for (int by = 1; by <= ASKING; by++)
		tl_xtrace_questions_close(&e, &q[by]);
	/* What was found stays known, in order. */
	assert_true(tl_xtrace_entries_restart(&e, false));
	for (size_t i = 0; i < m.entry_count; i++)
		assert_int_equal(tl_xtrace_entries_find(&e, NULL, m.entries[i]), m.entries[i]);
	for (size_t i = 1; i < e.count; i++)
		assert_true(e.list[i - 1] < e.list[i]);
	assert_false(e.stale);
	tl_xtrace_entries_free(&e);
}

TEST(random_questions)
{
	unsigned stale = 0, closed_stale = 0;

	for (unsigned seed = 1; seed <= 3000; seed++)
		play(seed, &stale, &closed_stale);
	assert_true(stale > 100 && stale < 2900);
	assert_true(closed_stale > 100);
}

/* Beyond so many that they cost more than a second pass, all is stale; nothing is forgotten. */
TEST(too_many)
{
	enum { MANY = (1 << 14) + 10 };
	struct tl_xtrace_entries e = { 0 };

	assert_true(tl_xtrace_entries_restart(&e, true));
	for (uint64_t i = 0; i < MANY; i++)
		assert_true(tl_xtrace_entries_add(&e, 0x400000 + 8 * (MANY - i)));
	assert_true(e.stale);
	assert_true(tl_xtrace_entries_restart(&e, true));
	assert_true(e.stale);
	assert_int_equal(e.count, MANY);
	assert_int_equal(tl_xtrace_entries_find(&e, NULL, 0x40000c), 0x400008);
	tl_xtrace_entries_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_questions),
					    cmocka_unit_test(too_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
