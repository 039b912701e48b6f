/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of a program that forked (docs/formats/xray.md, 9), written by hand. Figures are worked out
 * beside each.
 */
#include "bytes.h"

#include <stdio.h>

#include <tracelathe/open.h>

#include "../shares.h"
#include "../temp_fixture.h"
#include "profile/model/unsized.h"

enum { MOST = 4 };

struct logs {
	const char *paths[MOST];
	size_t count;
};

static void add_log(struct logs *logs, struct bytes *b)
{
	char name[16];

	snprintf(name, sizeof(name), "log.%zu", logs->count);
	logs->paths[logs->count++] = strdup(temp_write(&temp, name, b->data, b->size));
	free_bytes(b);
}

static void free_logs(struct logs *logs)
{
	for (size_t i = 0; i < logs->count; i++)
		free((char *)(uintptr_t)logs->paths[i]);
}

static struct bytes begin_log(void)
{
	struct bytes b = { 0 };

	put_header(&b, 5, FDR, 1000, 16384);
	return b;
}

static int fold(const struct logs *logs, struct tl_profile **profile, size_t *notes, size_t *faults)
{
	struct tl_damage place;
	struct tl_error err;
	struct tl_input *input;
	int status = tl_input_open(&input, (const char *const *)logs->paths, logs->count, NULL,
				   NULL, &err);

	if (status < 0)
		return status;
	status = tl_input_fold(input, profile, &err);
	*notes = *faults = 0;
	tl_input_damage_count(input, NULL);
	for (size_t i = 0; tl_input_damage(input, i, &place, sizeof(place)) == 1; i++)
		++*(place.status == TL_OK ? notes : faults);
	tl_input_close(input);
	return status;
}

static void has(const struct tl_profile *profile, uint64_t id, uint64_t calls, uint64_t unfinished,
		int64_t self)
{
	struct tl_function_totals totals = { 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			tl_profile_totals_of(profile, i, TL_NONE, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.unfinished, unfinished);
	assert_int_equal(totals.self ? *totals.self : 0, self);
}

/* Thread 2 of process 1: enter 1 at 100, enter 2 at 110, exit 2 at 120; then fork. */
static size_t begin_shared(struct bytes *b)
{
	size_t start = begin_block(b, 1, 2, 100);

	put_function(b, ENTER, 1, 0);
	put_function(b, ENTER, 2, 10);
	put_function(b, EXIT, 2, 10);
	return start;
}

/* A log of its own: exit 1 at 200. */
static void put_parent(struct logs *logs)
{
	struct bytes b = begin_log();
	size_t start = begin_shared(&b);

	put_function(&b, EXIT, 1, 80);
	end_block(&b, start);
	start = begin_block(&b, 1, 3, 105);
	put_function(&b, ENTER, 5, 0);
	put_function(&b, EXIT, 5, 55);
	end_block(&b, start);
	add_log(logs, &b);
}

/*
 * A child: enter 3 at 150, exit 3 at 160, exit 1 at 170. In the buffer of thread 3, which it does
 * not have, stands the beginning of a call that the parent took back as too short.
 */
static void put_child(struct logs *logs)
{
	struct bytes b = begin_log();
	size_t start = begin_shared(&b);

	put_function(&b, ENTER, 3, 30);
	put_function(&b, EXIT, 3, 10);
	put_function(&b, EXIT, 1, 10);
	end_block(&b, start);
	start = begin_block(&b, 1, 3, 105);
	put_function(&b, ENTER, 5, 0);
	put_function(&b, ENTER, 6, 10);
	end_block(&b, start);
	add_log(logs, &b);
}

/* Time of the child begins with its first record; the call of 1 is its parent's. In any order. */
TEST(what_was_inherited_counts_once)
{
	for (int order = 0; order < 2; order++) {
		struct logs logs = { .count = 0 };
		struct tl_profile *profile;
		size_t notes, faults;

		(order ? put_child : put_parent)(&logs);
		(order ? put_parent : put_child)(&logs);
		assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
		assert_int_equal(notes, 1);
		assert_int_equal(faults, 0);
		assert_int_equal(tl_profile_part_count(profile), 3);
		has(profile, 1, 1, 0, 90 + 10); /* 100..110, 120..200; 160..170 in the child */
		has(profile, 2, 1, 0, 10);
		has(profile, 3, 1, 0, 10);
		has(profile, 5, 1, 0, 55);
		has(profile, 6, 0, 0, 0);
		assert_int_equal(tl_profile_losses_of(profile).orphan_exits, 0);
		assert_int_equal(tl_profile_losses_of(profile).unfinished, 0);
		tl_profile_free(profile);
		free_logs(&logs);
	}
}

/*
 * A child that began a buffer of its own, which names it: process and thread 9. Its stack goes on.
 */
TEST(a_child_that_names_itself)
{
	struct logs logs = { .count = 0 };
	struct bytes b = begin_log();
	struct tl_profile *profile;
	size_t start = begin_shared(&b), notes, faults;
	bool named = false;

	put_parent(&logs);
	put_function(&b, ENTER, 3, 30);
	end_block(&b, start);
	start = begin_block(&b, 9, 9, 160);
	put_function(&b, EXIT, 3, 0);
	put_function(&b, EXIT, 1, 10);
	end_block(&b, start);
	add_log(&logs, &b);
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 1);
	assert_int_equal(faults, 0);
	has(profile, 1, 1, 0, 90 + 10);
	has(profile, 3, 1, 0, 10);
	assert_int_equal(tl_profile_losses_of(profile).orphan_exits, 0);
	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		named |= tl_profile_part(profile, i)->process == 9 &&
			 tl_profile_part(profile, i)->thread == 9;
	assert_true(named);
	assert_int_equal(tl_profile_part_count(profile), 3);
	tl_profile_free(profile);
	/* Alone, it is one thread, and what it inherited cannot be told apart: said. */
	free((char *)(uintptr_t)logs.paths[0]);
	logs.paths[0] = logs.paths[1];
	logs.count = 1;
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 0);
	assert_int_equal(faults, 1);
	assert_int_equal(tl_profile_part_count(profile), 1);
	has(profile, 3, 1, 0, 10);
	has(profile, 1, 1, 0, 10 + 30 + 10);
	tl_profile_free(profile);
	free((char *)(uintptr_t)logs.paths[0]);
}

/* The runtime may write a buffer twice. */
TEST(a_buffer_that_stands_there_twice)
{
	struct logs logs = { .count = 0 };
	struct bytes b = begin_log();
	struct tl_profile *profile;
	size_t notes, faults;

	for (int i = 0; i < 2; i++) {
		size_t start = begin_shared(&b);

		put_function(&b, EXIT, 1, 80);
		end_block(&b, start);
	}
	add_log(&logs, &b);
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 1);
	assert_int_equal(faults, 0);
	has(profile, 1, 1, 0, 90);
	has(profile, 2, 1, 0, 10);
	tl_profile_free(profile);
	free_logs(&logs);
}

/*
 * "the same file twice is refused"; a copy, too, unless another log shows that the program forked.
 */
TEST(files_given_twice)
{
	struct logs logs = { .count = 0 };
	struct tl_profile *profile;
	size_t notes, faults;

	put_child(&logs);
	logs.paths[1] = logs.paths[0];
	logs.count = 2;
	/* when it is opened */
	assert_int_equal(fold(&logs, &profile, &notes, &faults), TL_BAD_USAGE);
	logs.count = 1;
	put_child(&logs);
	assert_int_equal(fold(&logs, &profile, &notes, &faults), TL_BAD_USAGE);
	put_parent(&logs);
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 2);
	assert_int_equal(tl_profile_part_count(profile), 3);
	has(profile, 3, 1, 0, 10);
	tl_profile_free(profile);
	free_logs(&logs);
}

/* Another wall clock, another time: not the same buffer. */
TEST(buffers_that_only_look_alike)
{
	struct logs logs = { .count = 0 };
	struct bytes b = begin_log();
	struct tl_profile *profile;
	size_t start = begin_shared(&b), notes, faults;

	put_parent(&logs);
	set_number(&b, start + 16 + 16 + 1, 4242, 8); /* behind BufferExtents and NewBuffer */
	put_function(&b, EXIT, 1, 80);
	end_block(&b, start);
	add_log(&logs, &b);
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 0);
	has(profile, 1, 2, 0, 180);
	tl_profile_free(profile);
	free_logs(&logs);
}

/* A log of another program: process and thread 70, enter and exit 1. */
static void put_stranger(struct logs *logs, const char *of)
{
	struct bytes b = begin_log();
	size_t start = begin_block(&b, 70, 70, 100);

	put_function(&b, ENTER, 1, 0);
	put_function(&b, EXIT, 1, *of == 'a' ? 10 : 20);
	end_block(&b, start);
	add_log(logs, &b);
}

/* A fork in one program says nothing about a copy of another one's log. */
TEST(a_copy_beside_a_program_that_forks)
{
	struct logs logs = { .count = 0 };
	struct tl_profile *profile;
	size_t notes, faults;

	put_parent(&logs);
	put_child(&logs);
	put_stranger(&logs, "a");
	assert_int_equal(fold(&logs, &profile, &notes, &faults), 0);
	assert_int_equal(notes, 1);
	tl_profile_free(profile);
	put_stranger(&logs, "a");
	assert_int_equal(fold(&logs, &profile, &notes, &faults), TL_BAD_USAGE);
	free_logs(&logs);
}

static size_t marks_of(const char *path, uint64_t *marks, size_t room)
{
	struct tl_input *input;
	size_t count;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	count = tl_input_kinship(input, marks, room);
	tl_input_close(input);
	return count;
}

static bool share(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* A mark for the file, and for each buffer; parent and child have both of theirs in common. */
TEST(logs_that_may_be_related_share_marks)
{
	struct logs logs = { .count = 0 };
	uint64_t marks[3][MOST] = { { 0 } };
	size_t counts[3];

	put_parent(&logs);
	put_child(&logs);
	put_stranger(&logs, "b");
	for (size_t i = 0; i < 3; i++) {
		counts[i] = marks_of(logs.paths[i], marks[i], MOST);
		assert_int_equal(marks_of(logs.paths[i], NULL, 0), counts[i]);
	}
	assert_int_equal(counts[0], 3);
	assert_int_equal(counts[1], 3);
	assert_int_equal(counts[2], 2);
	assert_true(share(marks[0], 3, marks[1], 3));
	assert_false(share(marks[0], 3, marks[2], 2));
	assert_false(share(marks[1], 3, marks[2], 2));
	/* The file itself, for who gives it twice. */
	marks_of(logs.paths[2], marks[0], 1);
	assert_int_equal(marks[0][0], marks[2][0]);
	assert_int_not_equal(marks[0][1], marks[2][1]);
	free_logs(&logs);
}

/* ---- shares ---- */

static uint32_t shares_of(const char *const *paths, size_t count)
{
	struct tl_input *input;
	uint32_t shares;

	assert_int_equal(tl_input_open(&input, paths, count, NULL, NULL, NULL), 0);
	shares = tl_input_shares(input);
	tl_input_close(input);
	return shares;
}

/* A thread each; not where logs depend on each other, and not where there is damage. */
TEST(a_log_in_shares)
{
	struct logs logs = { .count = 0 };
	struct bytes cut = begin_log();
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *share;
	size_t start;

	put_parent(&logs);
	put_child(&logs);
	assert_int_equal(shares_of(logs.paths, 1), 2);
	assert_int_equal(shares_of(logs.paths, 2), 1);
	assert_shares_add_up(logs.paths[0], &options, 2);
	share = fold_share(logs.paths[0], &options, 1, 2);
	assert_int_equal(tl_profile_part_count(share), 1);
	tl_profile_free(share);
	start = begin_shared(&cut);
	end_block(&cut, start);
	start = begin_block(&cut, 1, 3, 105);
	put_function(&cut, ENTER, 5, 0);
	end_block(&cut, start);
	cut.size -= 4;
	add_log(&logs, &cut);
	assert_int_equal(shares_of(&logs.paths[2], 1), 1);
	free_logs(&logs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_inherited_counts_once),
		cmocka_unit_test(a_child_that_names_itself),
		cmocka_unit_test(a_buffer_that_stands_there_twice),
		cmocka_unit_test(files_given_twice),
		cmocka_unit_test(buffers_that_only_look_alike),
		cmocka_unit_test(a_copy_beside_a_program_that_forks),
		cmocka_unit_test(logs_that_may_be_related_share_marks),
		cmocka_unit_test(a_log_in_shares),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
