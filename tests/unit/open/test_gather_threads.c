/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Costs are wanted for all threads together" (tracelathe/open.h): what stands in a sum of call
 * stacks is held against a list of the stacks of all profiles, which are written out as texts here
 * and added up by comparing each with each.
 */
#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "../profile/profiles.h"
#include "../refuse.h"
#include "../temp_fixture.h"

#include "open/gather/gather_sums.h"
#include "profile/model/model.h"

enum { PROFILES = 30, MOST_STACKS = 8192, DEEPEST = 40 };

static uint32_t roll(uint64_t *state, uint32_t sides)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % sides;
}

/* Each has its own order and numbers of functions, and its own threads; event 1 is of its kind. */
static struct tl_profile *some_profile(uint64_t *dice, uint32_t process, uint32_t kinds)
{
	static const char *const seconds[] = { "Dr",   "Dw",   "Bc",   "Bi",   "I1mr", "D1mr",
					       "D1mw", "ILmr", "DLmr", "DLmw", "Bcm",  "Bim" };
	const char *const events[] = { "Ir", seconds[roll(dice, kinds)] };
	struct tl_profile *p = new_profile("xray", events, 2, 0);
	uint32_t functions[6], parts[2], count = 0;
	char name[8];

	for (uint32_t i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "f%u", (unsigned)roll(dice, 9));
		functions[i] = add_function(p, "prog", "", name);
	}
	for (uint32_t i = 0; i < 2; i++)
		parts[i] = add_part(p, process, 10 * process + i, 0, "./prog");
	for (int i = 0; i < 25; i++) {
		uint32_t parent = count && roll(dice, 5) ? roll(dice, count) : TL_NONE;
		uint32_t part =
			parent == TL_NONE ? parts[roll(dice, 2)] : p->contexts.list[parent].part;
		uint32_t context = add_context(p, parent, functions[roll(dice, 6)], part,
					       1 + roll(dice, 9), (int64_t)roll(dice, 1000) - 20);

		tl_profile_add_unfinished(p, context, roll(dice, 3));
		tl_profile_add_cut(p, context, roll(dice, 2));
		count = (uint32_t)p->contexts.table.count;
	}
	p->losses.gaps = roll(dice, 5);
	return finished(p);
}

/* ---- stacks as texts ---- */

struct stack {
	char path[DEEPEST * 4];
	uint64_t calls, unfinished, cut;
	int64_t self;
	bool found;
};

struct stacks {
	struct stack list[MOST_STACKS];
	size_t count;
};

static void path_of(const struct tl_profile *p, uint32_t context, char *path, size_t size)
{
	const struct tl_context *c = tl_profile_context(p, context);
	size_t length;

	path[0] = '\0';
	if (c->parent != TL_NONE)
		path_of(p, c->parent, path, size);
	length = strlen(path);
	snprintf(path + length, size - length, ";%s", tl_profile_function(p, c->function)->name);
}

static struct stack *stack_at(struct stacks *stacks, const char *path)
{
	struct stack *s = stacks->list;

	while (s < stacks->list + stacks->count && strcmp(s->path, path) != 0)
		s++;
	if (s == stacks->list + stacks->count) {
		assert_true(++stacks->count < MOST_STACKS);
		snprintf(s->path, sizeof(s->path), "%s", path);
	}
	return s;
}

static void add_stacks(struct stacks *stacks, const struct tl_profile *p)
{
	char path[DEEPEST * 4];

	for (uint32_t i = 0; i < tl_profile_context_count(p); i++) {
		const struct tl_context *c = tl_profile_context(p, i);
		struct stack *s;

		path_of(p, i, path, sizeof(path));
		s = stack_at(stacks, path);
		s->calls += c->calls;
		s->unfinished += c->unfinished;
		s->cut += c->cut;
		s->self += tl_profile_context_self(p, i)[0];
	}
}

/* The sum has each stack once, of no thread. */
static void check_stacks(struct stacks *stacks, const struct tl_profile *sum)
{
	char path[DEEPEST * 4];

	assert_int_equal(tl_profile_context_count(sum), stacks->count);
	for (uint32_t i = 0; i < tl_profile_context_count(sum); i++) {
		const struct tl_context *c = tl_profile_context(sum, i);
		struct stack *s;

		path_of(sum, i, path, sizeof(path));
		s = stack_at(stacks, path);
		assert_false(s->found);
		s->found = true;
		assert_int_equal(c->part, TL_NONE);
		assert_int_equal(c->calls, s->calls);
		assert_int_equal(c->unfinished, s->unfinished);
		assert_int_equal(c->cut, s->cut);
		assert_int_equal(tl_profile_context_self(sum, i)[0], s->self);
	}
}

/* ---- sums ---- */

static struct tl_gather *open_gather(uint64_t memory)
{
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = memory,
						   .scratch = temp.directory,
						   .threads_together = true };
	struct tl_gather *gather;

	assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
	return gather;
}

static void make_profiles(struct tl_profile **profiles, uint64_t seed, uint32_t kinds)
{
	for (uint32_t i = 0; i < PROFILES; i++)
		profiles[i] = some_profile(&seed, i + 1, kinds);
}

static void free_profiles(struct tl_profile **profiles)
{
	for (uint32_t i = 0; i < PROFILES; i++)
		tl_profile_free(profiles[i]);
}

static void check_sum(struct tl_profile *const *profiles, const struct tl_profile *sum)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));
	uint64_t gaps = 0;

	assert_non_null(stacks);
	for (uint32_t i = 0; i < PROFILES; i++) {
		add_stacks(stacks, profiles[i]);
		gaps += profiles[i]->losses.gaps;
	}
	check_stacks(stacks, sum);
	assert_int_equal(tl_profile_part_count(sum), 2 * PROFILES);
	assert_int_equal(sum->losses.gaps, gaps);
	free(stacks);
}

/* Within this memory: all in one sum, some, or each profile by itself. */
static const uint64_t bounds[] = { 0, 60000, 1 };

TEST(stacks_of_all_threads_are_one)
{
	struct tl_profile *profiles[PROFILES], *sum;

	for (uint32_t kinds = 1; kinds <= 12; kinds += 11) {
		make_profiles(profiles, 3 + kinds, kinds);
		for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
			struct tl_gather *gather = open_gather(bounds[b]);
			struct tl_gathered gathered = { .size = sizeof(gathered) };

			for (uint32_t i = 0; i < PROFILES; i++)
				assert_int_equal(tl_gather_add(gather, profiles[i], NULL), 0);
			assert_int_equal(tl_gather_count(gather), PROFILES);
			assert_int_equal(
				tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), NULL),
				0);
			assert_false(gathered.flattened);
			check_sum(profiles, sum);
			tl_profile_free(sum);
			tl_gather_close(gather);
		}
		free_profiles(profiles);
	}
}

static char *bytes_of(struct tl_profile *const *profiles, uint64_t memory, bool backwards,
		      size_t *size)
{
	struct tl_gather *gather = open_gather(memory);
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_output *out;
	const char *bytes;
	char *copy;

	for (uint32_t i = 0; i < PROFILES; i++)
		assert_int_equal(
			tl_gather_add(gather, profiles[backwards ? PROFILES - 1 - i : i], NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_gather_write(gather, out, &gathered, sizeof(gathered), NULL), 0);
	bytes = tl_output_bytes(out, size);
	copy = malloc(*size);
	assert_non_null(copy);
	memcpy(copy, bytes, *size);
	tl_output_discard(out);
	tl_gather_close(gather);
	return copy;
}

/* What is sorted late is the same as what is sorted at once. */
TEST(order_and_memory_make_no_difference)
{
	struct tl_profile *profiles[PROFILES];
	size_t size, other_size;
	char *bytes, *other;

	for (uint32_t kinds = 1; kinds <= 12; kinds += 11) {
		make_profiles(profiles, 70 + kinds, kinds);
		bytes = bytes_of(profiles, 0, false, &size);
		for (int i = 1; i < 6; i++) {
			other = bytes_of(profiles, bounds[i / 2], i & 1, &other_size);
			assert_int_equal(size, other_size);
			assert_memory_equal(bytes, other, size);
			free(other);
		}
		free(bytes);
		free_profiles(profiles);
	}
}

static struct tl_profile *one_cost(int64_t cost, uint64_t calls)
{
	static const char *const events[] = { "Ir" };
	struct tl_profile *p = new_profile("xray", events, 1, 0);
	uint32_t f = add_function(p, "", "", "f"), part = add_part(p, 1, 1, 0, "");

	add_context(p, TL_NONE, f, part, calls, cost);
	return finished(p);
}

/* Whether a sum that has the one takes the other, too. */
static bool goes_with(struct tl_profile *one, struct tl_profile *other)
{
	struct tl_gather_sums sums = { .oldest = 0 };
	struct tl_gather_sum *sum;
	bool full;

	sum = tl_gather_sums_choose(&sums, one, UINT64_MAX, &full);
	assert_false(full);
	assert_int_equal(tl_gather_sum_add(sum, one, NULL), 0);
	assert_ptr_equal(tl_gather_sums_choose(&sums, other, UINT64_MAX, &full), sum);
	tl_gather_sums_free(&sums);
	tl_profile_free(one);
	tl_profile_free(other);
	return !full;
}

/* What saturates depends on the order: it is left to the merge, which counts it. */
TEST(no_sum_comes_near_64_bits)
{
	const int64_t half = INT64_MAX / 2;

	assert_true(goes_with(one_cost(half - 10, 1), one_cost(5, 1)));
	assert_false(goes_with(one_cost(half - 10, 1), one_cost(10, 1)));
	assert_false(goes_with(one_cost(half - 10, 1), one_cost(-10, 1)));
	assert_false(goes_with(one_cost(10 - half, 1), one_cost(10, 1)));
	assert_false(goes_with(one_cost(1, (uint64_t)half), one_cost(1, 1)));
	assert_false(goes_with(one_cost(1, 1), one_cost(1, UINT64_MAX)));
	assert_false(goes_with(one_cost(INT64_MIN, 1), one_cost(1, 1)));
}

/* Lines of the input's own do not follow from stacks: such a profile is kept whole. */
TEST(profiles_with_lines_are_not_taken_apart)
{
	static const char *const events[] = { "Ir" };
	struct tl_gather *gather = open_gather(0);
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_profile *sum;

	for (uint32_t i = 0; i < 2; i++) {
		struct tl_profile *p = new_profile("xray", events, 1, 0);
		uint32_t f = add_function(p, "", "a.c", "f"), part = add_part(p, 1, i, 0, "");

		add_context(p, TL_NONE, f, part, 1, 7);
		add_line(p, f, part, at("a.c", 3 + i, 0), 7, 0);
		assert_int_equal(tl_gather_add(gather, finished(p), NULL), 0);
		tl_profile_free(p);
	}
	assert_int_equal(tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), NULL), 0);
	assert_int_equal(tl_profile_line_count(sum), 2);
	tl_profile_free(sum);
	tl_gather_close(gather);
}

/* A sum that could not be kept is gone, and is told when it is asked for. */
TEST(no_room_for_what_does_not_fit)
{
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = 1,
						   .scratch = "/proc/self/fdinfo",
						   .threads_together = true };
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_profile *profiles[PROFILES], *sum;
	struct tl_gather *gather;
	struct tl_error err = { 0 };
	int status = 0;

	make_profiles(profiles, 9, 1);
	assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
	for (uint32_t i = 0; i < PROFILES; i++)
		status |= tl_gather_add(gather, profiles[i], NULL);
	assert_true(status < 0);
	assert_int_equal(tl_gather_write(gather, NULL, &gathered, sizeof(gathered), &err), TL_IO);
	assert_non_null(strstr(err.text, "is lost"));
	assert_int_equal(tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), &err), TL_IO);
	tl_gather_close(gather);
	free_profiles(profiles);
}

/* ---- memory that runs out ---- */

struct refused {
	struct tl_profile *profiles[3];
	uint64_t memory;
};

static int write_sum(const void *input, struct tl_output *out)
{
	const struct refused *r = input;
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = r->memory,
						   .scratch = temp.directory,
						   .threads_together = true };
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_gather *gather;
	int status = tl_gather_open(&gather, &options, NULL);

	for (int i = 0; !status && i < 3; i++)
		status = tl_gather_add(gather, r->profiles[i], NULL);
	if (!status)
		status = tl_gather_write(gather, out, &gathered, sizeof(gathered), NULL);
	/* What was lost is not taken for nothing. */
	if (status && gather)
		assert_int_not_equal(
			tl_gather_write(gather, out, &gathered, sizeof(gathered), NULL),
			TL_BAD_USAGE);
	tl_gather_close(gather);
	return status;
}

static int sum_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_sum, input, digest);
}

TEST(refused_allocations)
{
	for (uint64_t memory = 0; memory < 2; memory++) {
		struct refused r = { .memory = memory };
		uint64_t dice = 11;

		for (uint32_t i = 0; i < 3; i++)
			r.profiles[i] = some_profile(&dice, i + 1, 1);
		assert_true(refuse_each(sum_step, &r) > 50);
		for (int i = 0; i < 3; i++)
			tl_profile_free(r.profiles[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_of_all_threads_are_one),
		cmocka_unit_test(order_and_memory_make_no_difference),
		cmocka_unit_test(no_sum_comes_near_64_bits),
		cmocka_unit_test(profiles_with_lines_are_not_taken_apart),
		cmocka_unit_test(no_room_for_what_does_not_fit),
		cmocka_unit_test(refused_allocations),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
