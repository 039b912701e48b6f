/* SPDX-License-Identifier: Apache-2.0 */
/* What is handed out, and in which order. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/units.h"
#include "unit/refuse.h"
#include "unit/temp_fixture.h"
#include "unit/unit.h"

enum { FILES = 7 };

/* Sizes of the files; the one without a size does not exist. */
static const long sizes[FILES] = { 10, 300, 20, -1, 300, 0, 4000 };

static void make_files(char names[FILES][256], const char *paths[FILES])
{
	for (int i = 0; i < FILES; i++) {
		FILE *file;

		snprintf(names[i], 256, "%.240s/%d", temp.directory, i);
		paths[i] = names[i];
		if (sizes[i] < 0)
			continue;
		file = fopen(names[i], "w");
		assert_non_null(file);
		assert_int_equal(ftruncate(fileno(file), sizes[i]), 0);
		fclose(file);
	}
}

/* The numbers of the files of the units in the queue, which becomes empty. */
static void assert_queue(struct units *u, const uint32_t *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		assert_true(units_have_waiting(u));
		assert_int_equal(u->list[units_next(u)].files[0], files[i]);
	}
	assert_false(units_have_waiting(u));
}

TEST(the_largest_first)
{
	static const uint32_t order[FILES] = { 6, 1, 4, 2, 0, 3, 5 };
	char names[FILES][256];
	const char *paths[FILES];
	struct units u;

	make_files(names, paths);
	assert_true(units_begin(&u, paths, FILES));
	assert_int_equal(u.count, FILES);
	assert_int_equal(u.unsure, FILES);
	assert_int_equal(u.list[0].size, 4000);
	assert_int_equal(u.list[FILES - 1].size, 0);
	for (size_t i = 0; i < u.count; i++) {
		assert_int_equal(u.list[i].count, 1);
		assert_int_equal(u.list[i].state, UNIT_READY);
		assert_int_equal(u.list[i].holder, NOBODY);
		assert_false(u.list[i].related);
	}
	assert_queue(&u, order, FILES);
	units_free(&u);
	assert_int_equal(u.count, 0);
}

TEST(a_unit_may_wait_again)
{
	static const uint32_t again[] = { 2, 6 };
	char names[FILES][256];
	const char *paths[FILES];
	struct units u;

	make_files(names, paths);
	assert_true(units_begin(&u, paths, FILES));
	for (int i = 0; i < FILES; i++)
		u.list[units_next(&u)].state = UNIT_DONE;
	u.list[0].holder = 4;
	assert_false(units_have_waiting(&u));
	/* Units 3 and 0 of the list. */
	assert_true(units_wait(&u, 3));
	assert_true(units_wait(&u, 0));
	assert_int_equal(u.list[0].state, UNIT_READY);
	assert_int_equal(u.list[0].holder, NOBODY);
	assert_queue(&u, again, 2);
	units_free(&u);
}

/* Files 0, 4 and 5 belong together by way of 4; 1 and 6 do; 2 is alone. */
TEST(logs_that_share_marks_go_together)
{
	static const uint64_t marks[FILES][2] = { { 100, 101 }, { 200, 201 }, { 300, 301 }, { 0 },
						  { 101, 500 }, { 500, 501 }, { 200, 601 } };
	static const uint32_t groups[3][3] = { { 1, 6 }, { 0, 4, 5 }, { 2 } };
	static const uint32_t counts[3] = { 2, 3, 1 };
	static const uint64_t bytes[3] = { 4300, 310, 20 };
	char names[FILES][256];
	const char *paths[FILES];
	struct units u;

	make_files(names, paths);
	assert_true(units_begin(&u, paths, FILES));
	while (units_have_waiting(&u)) {
		uint32_t number = units_next(&u), file = u.list[number].files[0];

		if (marks[file][0])
			assert_true(units_add_kin(&u, number, marks[file], 2));
		else
			u.list[number].state = UNIT_OUT;
	}
	assert_true(units_group(&u));
	assert_int_equal(u.count, FILES + 3);
	for (int i = 0; i < 3; i++) {
		const struct work_unit *unit = &u.list[units_next(&u)];

		assert_true(unit->related);
		assert_int_equal(unit->count, counts[i]);
		assert_memory_equal(unit->files, groups[i], counts[i] * sizeof(uint32_t));
		assert_int_equal(unit->size, bytes[i]);
	}
	assert_false(units_have_waiting(&u));
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(u.list[i].state,
				 marks[u.list[i].files[0]][0] ? UNIT_KIN : UNIT_OUT);
	units_free(&u);
}

/* The log of 4,000 bytes in three shares, beside files that are no logs. */
static void begin_shares(struct units *u)
{
	static const uint64_t mark = 700;
	char names[FILES][256];
	const char *paths[FILES];

	make_files(names, paths);
	assert_true(units_begin(u, paths, FILES));
	for (int i = 0; i < FILES; i++)
		u->list[units_next(u)].state = UNIT_DONE;
	u->largest = 1000;
	u->list[0].shares = 3;
	assert_true(units_add_kin(u, 0, &mark, 1));
	assert_true(units_group(u));
	assert_int_equal(u->count, FILES + 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct work_unit *unit = &u->list[FILES + i];

		assert_int_equal(unit->files[0], 6);
		assert_int_equal(unit->share, i);
		assert_int_equal(unit->shares, 3);
		assert_int_equal(unit->first, FILES);
		assert_int_equal(unit->size, 4000 / 3);
	}
}

/* Shares are added when the profiles of all of them are there, in whatever order they come. */
TEST(shares_are_added_together)
{
	static const uint32_t order[] = { 2, 0, 1 }, files[] = { 6, 6, 6 };
	struct units u;

	begin_shares(&u);
	assert_queue(&u, files, 3);
	for (int i = 0; i < 3; i++) {
		assert_false(units_have_waiting(&u));
		assert_true(units_keep(&u, FILES + order[i]));
		assert_true(u.list[FILES + order[i]].kept);
	}
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(units_next(&u), FILES + i);
	assert_false(units_have_waiting(&u));
	units_free(&u);
}

/* "Whether the file was another one when other shares of it were read" */
TEST(shares_of_a_file_that_is_written_to)
{
	static const struct file_version version = { 4000, 77 };
	struct units u;

	begin_shares(&u);
	for (int i = 0; i < 3; i++)
		u.list[FILES + i].version = version;
	/* Others are not there yet. */
	u.list[FILES + 1].version.size = 4001;
	for (uint32_t i = 0; i < 3; i++)
		assert_false(units_disagree(&u, FILES + i));
	assert_true(units_keep(&u, FILES + 1));
	assert_true(units_disagree(&u, FILES));
	assert_false(units_disagree(&u, FILES + 1));
	u.list[FILES].version.size = 4001;
	assert_false(units_disagree(&u, FILES));
	u.list[FILES].version.written = 78;
	assert_true(units_disagree(&u, FILES));
	units_free(&u);
}

/* "The file of a share goes into the queue as a whole, and nobody works on its shares any more." */
TEST(shares_that_are_dropped)
{
	struct units u;

	begin_shares(&u);
	assert_int_equal(units_next(&u), FILES);
	assert_true(units_drop_shares(&u, FILES + 1));
	assert_int_equal(units_next(&u), FILES + 3);
	assert_false(units_have_waiting(&u));
	assert_int_equal(u.list[FILES + 3].files[0], 6);
	assert_int_equal(u.list[FILES + 3].shares, 0);
	assert_int_equal(u.list[FILES + 3].size, 3 * (4000 / 3));
	for (int i = 0; i < 3; i++) {
		assert_true(u.list[FILES + i].dropped);
		assert_int_equal(u.list[FILES + i].state, UNIT_KIN);
	}
	units_free(&u);
}

/* Of a log with more threads than that: twice as many shares as it is larger, and one. */
TEST(how_many_shares)
{
	static const struct {
		uint64_t largest;
		uint32_t shares, made;
	} rows[] = { { 1000, 20, 9 }, { 1000, 8, 8 }, { 3999, 20, 3 }, { 4000, 20, 1 },
		     { 0, 20, 20 },   { 1000, 1, 1 }, { 1000, 0, 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static const uint64_t mark = 700;
		char names[FILES][256];
		const char *paths[FILES];
		struct units u;

		make_files(names, paths);
		assert_true(units_begin(&u, paths, FILES));
		u.largest = rows[i].largest;
		u.list[0].shares = rows[i].shares;
		assert_true(units_add_kin(&u, 0, &mark, 1));
		assert_true(units_group(&u));
		assert_int_equal(u.count, FILES + rows[i].made);
		units_free(&u);
	}
}

TEST(no_files_and_no_logs)
{
	struct units u;

	assert_true(units_begin(&u, NULL, 0));
	assert_false(units_have_waiting(&u));
	assert_true(units_group(&u));
	assert_false(units_have_waiting(&u));
	units_free(&u);
}

/* ---- without memory ---- */

static bool group_of_two(struct units *u, const char *const *paths)
{
	static const uint64_t marks[] = { 7, 9, 11 };

	if (!units_begin(u, paths, FILES))
		return false;
	for (uint32_t i = 0; i < FILES; i++)
		u->list[units_next(u)].shares = i == 0 ? 3 : 0;
	/* Two logs that are related, one that is cut into shares, and one that goes alone. */
	u->largest = 1000;
	return units_add_kin(u, 1, marks, 2) && units_add_kin(u, 2, marks + 1, 1) &&
	       units_add_kin(u, 0, NULL, 0) && units_add_kin(u, 3, marks + 2, 1) &&
	       units_group(u) && units_keep(u, FILES) && units_keep(u, FILES + 1) &&
	       units_drop_shares(u, FILES + 2);
}

/* Files of all units in the queue, in order. */
static int hand_all_out(const void *input, uint64_t *digest)
{
	struct units u;
	const bool ok = group_of_two(&u, input);

	while (ok && units_have_waiting(&u)) {
		const struct work_unit *unit = &u.list[units_next(&u)];

		refuse_note_number(digest, unit->share);
		for (uint32_t i = 0; i < unit->count; i++)
			refuse_note_number(digest, unit->files[i]);
	}
	units_free(&u);
	return ok ? 0 : TL_NO_MEMORY;
}

TEST(units_without_memory)
{
	char names[FILES][256];
	const char *paths[FILES];

	make_files(names, paths);
	assert_in_range(refuse_each(hand_all_out, paths), 15, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_first),
		cmocka_unit_test(a_unit_may_wait_again),
		cmocka_unit_test(logs_that_share_marks_go_together),
		cmocka_unit_test(shares_are_added_together),
		cmocka_unit_test(shares_of_a_file_that_is_written_to),
		cmocka_unit_test(shares_that_are_dropped),
		cmocka_unit_test(how_many_shares),
		cmocka_unit_test(no_files_and_no_logs),
		cmocka_unit_test(units_without_memory),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
