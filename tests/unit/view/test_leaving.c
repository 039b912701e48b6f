/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever asks may go before the answer is there: it is not worked at for long then. */
#include "web_files.h"

/* Of one thread: `count` calls of main, one behind the other, of a microsecond each. */
static void look_at_many_calls(struct looked_at *l, unsigned count)
{
	enum { LINE = 64 };
	char *text = malloc((size_t)count * LINE + 4), path[512];
	size_t size = 0;

	assert_non_null(text);
	for (unsigned i = 0; i < count; i++)
		size += (size_t)sprintf(text + size,
					"%c{\"ph\":\"X\",\"name\":\"main\",\"pid\":1,\"tid\":7,"
					"\"ts\":%u,\"dur\":1}",
					i ? ',' : '[', i);
	text[size++] = ']';
	strcpy(path, temp_write(&temp, "many.json", text, size));
	free(text);
	look_at(l, path, NULL);
	wait_for_index(l);
}

/* Who asks goes when looked at for the `leaves`-th time. */
struct leaving {
	unsigned looks, leaves;
};

static bool has_left(void *arg)
{
	struct leaving *who = arg;

	return ++who->looks >= who->leaves;
}

/* @return the status of the answer to one who looks away then */
static unsigned ask_and_leave(struct looked_at *l, struct leaving *who, const char *table,
			      uint64_t to)
{
	const struct tl_web_asker asker = { has_left, who };
	struct tl_web_request request;
	struct tl_web_answer answer;
	struct tl_error err;
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)to);
	tl_web_request_begin(&request, "/api/profile");
	assert_true(tl_web_request_take(&request, "from", "1"));
	assert_true(tl_web_request_take(&request, "to", text));
	assert_true(tl_web_request_take(&request, "table", table));
	assert_int_equal(tl_web_answer_make(l->view, &request, &asker, &answer, &err), 0);
	tl_output_discard(answer.out);
	return answer.code;
}

/*
 * Whoever waits for a window is looked for behind each leaf of 8,192 steps, which is a millisecond:
 * 100,000 steps are 12 leaves and a part.
 */
TEST(a_window_is_given_up_a_leaf_behind_its_asker)
{
	enum { CALLS = 50000, LEAVES = 13, NEVER = 1000000 };
	static const char *const kinds[] = { "0", "1" };
	struct looked_at l;

	look_at_many_calls(&l, CALLS);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned looks = 1; looks < LEAVES; looks += 5) {
			struct leaving who = { 0, looks };

			assert_int_not_equal(ask_and_leave(&l, &who, kinds[i], 1000 * CALLS - i),
					     200);
			assert_int_equal(who.looks, looks);
		}
		/* What was given up is not kept: the same window, to its end. */
		struct leaving stays = { 0, NEVER };

		assert_int_equal(ask_and_leave(&l, &stays, kinds[i], 1000 * CALLS - i), 200);
		assert_true(stays.looks >= LEAVES);
	}
	look_away(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_given_up_a_leaf_behind_its_asker),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
