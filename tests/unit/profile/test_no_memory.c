/* SPDX-License-Identifier: Apache-2.0 */
/* The profile where memory runs out: built, folded, merged, filtered, grouped and compared. */
#include "../whole_profile.h"

#include "profile/derive/recursion.h"
#include "profile/transform/nanoseconds.h"

/* ---- one profile ---- */

typedef int build_fn(struct tl_profile **profile, uint32_t salt, struct tl_error *err);

struct build {
	build_fn *build;
};

/* What is made of finished profiles, two of a kind. */
struct pair {
	const struct tl_profile *profiles[2];
};

static int build_step(const void *input, uint64_t *digest)
{
	struct tl_profile *profile = NULL;
	struct tl_error err = { 0 };
	int status = ((const struct build *)input)->build(&profile, 0, &err);

	if (!status)
		whole_note(profile, digest);
	tl_profile_free(profile);
	return status;
}

TEST(building)
{
	assert_true(refuse_each(build_step, &(struct build){ whole_sums }) > 50);
	assert_true(refuse_each(build_step, &(struct build){ whole_trace }) > 50);
}

/* Notes a profile that was made, and frees it; none is given with an error. */
static int take(struct tl_profile *made, int status, uint64_t *digest)
{
	assert_int_equal(made != NULL, status == 0);
	if (made)
		whole_note(made, digest);
	tl_profile_free(made);
	return status;
}

static int merge_step(const void *input, uint64_t *digest)
{
	struct tl_profile *made;
	int status = tl_profile_merge(&made, ((const struct pair *)input)->profiles, 2, NULL);

	return take(made, status, digest);
}

static int filter_step(const void *input, uint64_t *digest)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter),
						  .function = "[2-6]$",
						  .object = "lib" };
	struct tl_profile *made;
	int status = tl_profile_filtered(&made, ((const struct pair *)input)->profiles[0], &filter,
					 NULL);

	return take(made, status, digest);
}

static int group_step(const void *input, uint64_t *digest)
{
	int status = 0;

	for (int by = TL_BY_FILE; !status && by <= TL_BY_PART; by++) {
		struct tl_profile *made;

		status = tl_profile_grouped(&made, ((const struct pair *)input)->profiles[0],
					    (enum tl_profile_unit)by, NULL);
		take(made, status, digest);
	}
	return status;
}

static int formula_step(const void *input, uint64_t *digest)
{
	struct tl_profile *made;
	int status = tl_profile_merge(&made, ((const struct pair *)input)->profiles, 1, NULL);
	char text[64];
	int64_t number;

	if (status)
		return status;
	snprintf(text, sizeof(text), "X=3 %s", tl_profile_event(made, 0)->name);
	number = tl_profile_add_formula(made, text, NULL);
	if (number < 0) {
		tl_profile_free(made);
		return (int)number;
	}
	return take(made, 0, digest);
}

/* A refused choice leaves the one before. */
static int choose_step(const void *input, uint64_t *digest)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "[12]$" };
	struct tl_profile *made;
	int status = tl_profile_merge(&made, ((const struct pair *)input)->profiles, 1, NULL);

	if (status)
		return status;
	status = tl_profile_choose(made, &filter, NULL);
	for (uint32_t f = 0; status && f < tl_profile_function_count(made); f++)
		assert_true(tl_profile_chosen(made, f));
	whole_note_functions(made, digest);
	tl_profile_free(made);
	return status;
}

static void note_row(const struct tl_diff *diff, uint32_t number, uint64_t *digest)
{
	struct tl_diff_row row;

	assert_int_equal(tl_diff_row(diff, number, &row, sizeof(row)), 0);
	refuse_note_text(digest, row.function->name);
	refuse_note(digest, row.before, tl_diff_event_count(diff) * sizeof(*row.before));
	refuse_note(digest, row.after, tl_diff_event_count(diff) * sizeof(*row.after));
}

static int diff_step(const void *input, uint64_t *digest)
{
	const struct pair *pair = input;
	const struct tl_rename renames[] = { { "function(.)$", "f\\1" }, { "f8", "g" } };
	int status = 0;

	for (int by = TL_DIFF_FUNCTIONS; !status && by <= TL_DIFF_LINES; by++) {
		struct tl_diff_options options = { .size = sizeof(options),
						   .by = (enum tl_diff_unit)by,
						   .renames = renames,
						   .rename_count = 2,
						   .calls = by != TL_DIFF_LINES };
		struct tl_diff *diff;

		status = tl_profile_diff(&diff, pair->profiles[0], pair->profiles[1], &options,
					 NULL);
		assert_int_equal(diff != NULL, status == 0);
		for (uint32_t i = 0; diff && i < tl_diff_row_count(diff); i++)
			note_row(diff, i, digest);
		tl_diff_free(diff);
	}
	return status;
}

static int origin_step(const void *input, uint64_t *digest)
{
	int status = 0;

	for (int by = TL_BY_TRACE; !status && by <= TL_BY_PROCESS; by++) {
		const struct tl_origin_options options = { .size = sizeof(options),
							   .by = (enum tl_profile_unit)by,
							   .name = "trace",
							   .functions = by != TL_BY_HOST };
		struct tl_profile *made;

		status = tl_profile_origins(&made, ((const struct pair *)input)->profiles[0],
					    &options, NULL);
		take(made, status, digest);
	}
	return status;
}

static void note_spread(const struct tl_spread *spread, uint64_t *digest)
{
	struct tl_spread_row row;

	for (size_t i = 0; i < tl_spread_row_count(spread); i++) {
		assert_int_equal(tl_spread_row(spread, i, &row, sizeof(row)), 0);
		refuse_note(digest, &row.median, sizeof(row.median));
		refuse_note(digest, &row.deviation, sizeof(row.deviation));
	}
	refuse_note_number(digest, (int64_t)tl_spread_origin_count(spread));
}

static int spread_step(const void *input, uint64_t *digest)
{
	const struct tl_origin_options options = {
		.size = sizeof(options), .by = TL_BY_TRACE, .name = "trace", .functions = true
	};
	struct tl_spread *spread = NULL;
	struct tl_profile *made;
	int status = tl_profile_origins(&made, ((const struct pair *)input)->profiles[0], &options,
					NULL);

	if (!status)
		status = tl_spread_make(&spread, made, NULL, NULL);
	assert_int_equal(spread != NULL, status == 0);
	if (spread)
		note_spread(spread, digest);
	tl_spread_free(spread);
	tl_profile_free(made);
	return status;
}

static int idle_step(const void *input, uint64_t *digest)
{
	struct tl_profile *made;
	int status = tl_profile_idle_apart(&made, ((const struct pair *)input)->profiles[0], "[12]",
					   NULL);

	return take(made, status, digest);
}

/* The clock of a trace is that of another machine. */
static int clock_step(const void *input, uint64_t *digest)
{
	struct tl_profile *made;
	int status =
		tl_profile_in_nanoseconds(&made, ((const struct pair *)input)->profiles[0], NULL);

	return take(made, status, digest);
}

static int recursion_step(const void *input, uint64_t *digest)
{
	const struct tl_profile *profile = ((const struct pair *)input)->profiles[0];
	bool *recursive = tl_profile_recursive(profile);

	if (!recursive)
		return TL_NO_MEMORY;
	refuse_note(digest, recursive, tl_profile_function_count(profile) * sizeof(*recursive));
	free(recursive);
	return 0;
}

/* What asks for little, or for stacks. */
TEST(what_is_found_in_profiles)
{
	static build_fn *const kinds[] = { whole_sums, whole_trace };

	for (size_t k = 0; k < 2; k++) {
		struct tl_profile *made;
		struct pair pair;

		assert_int_equal(kinds[k](&made, 0, NULL), 0);
		pair.profiles[0] = pair.profiles[1] = made;
		assert_true(refuse_each(recursion_step, &pair) > 3);
		if (tl_profile_context_count(made))
			assert_true(refuse_each(idle_step, &pair) > 20);
		tl_profile_free(made);
	}
}

TEST(what_is_made_of_profiles)
{
	static build_fn *const kinds[] = { whole_sums, whole_trace };
	static refuse_step_fn *const steps[] = { merge_step,  filter_step, group_step,
						 choose_step, diff_step,   formula_step,
						 origin_step, spread_step, clock_step };

	for (size_t k = 0; k < 2; k++) {
		struct tl_profile *made[2];
		struct pair pair;

		for (uint32_t i = 0; i < 2; i++) {
			assert_int_equal(kinds[k](&made[i], i, NULL), 0);
			pair.profiles[i] = made[i];
		}
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			assert_true(refuse_each(steps[i], &pair) > 20);
		tl_profile_free(made[0]);
		tl_profile_free(made[1]);
	}
}

/* ---- stacks of one thread ---- */

/* Two stacks that take turns; one is split in two, and the halves change places. */
static int stacks_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_fold fold;
	struct tl_fold_stack other = { .frames = NULL }, half = { .frames = NULL };
	bool ok = tl_fold_begin(&fold, 0, false);

	if (!ok)
		return TL_NO_MEMORY;
	for (int i = 0; i < 40; i++)
		tl_fold_add_function(&fold);
	ok = !fold.no_memory && tl_fold_stack_begin(&other) && tl_fold_stack_begin(&half);
	for (uint32_t i = 0; ok && i < 40; i++) {
		tl_fold_time(&fold, 10 * i);
		ok = tl_fold_enter(&fold, i);
	}
	ok = ok && tl_fold_stack_split(&fold, 3, &half);
	if (ok) {
		assert_int_equal(tl_fold_depth(&fold), 3);
		assert_int_equal(half.depth, 37);
		tl_fold_stack_swap(&fold, &other);
		ok = tl_fold_enter(&fold, 5) && tl_fold_stack_exchange(&fold, &half, 36);
	}
	if (ok) {
		/* The last of its 37 frames stands on the one that ran. */
		assert_int_equal(tl_fold_depth(&fold), 36);
		assert_int_equal(half.depth, 2);
		refuse_note_number(digest, tl_fold_top(&fold));
	}
	tl_fold_stack_free(&other);
	tl_fold_stack_free(&half);
	tl_fold_free(&fold);
	return ok ? 0 : TL_NO_MEMORY;
}

/* Exits behind a gap are matched by a table of their own. */
static int match_step(const void *input __attribute__((unused)), uint64_t *digest)
{
	static const uint32_t exits[] = { 7, 2, 1, 0 };
	struct tl_fold_match match;
	struct tl_fold fold;
	bool ok;

	if (!tl_fold_begin(&fold, 0, false))
		return TL_NO_MEMORY;
	for (uint32_t i = 0; i < 8; i++)
		tl_fold_add_function(&fold);
	for (uint32_t i = 0; !fold.no_memory && i < 5; i++)
		tl_fold_enter(&fold, i);
	ok = !fold.no_memory && tl_fold_match_exits(&fold, exits, 4, true, &match);
	if (ok) {
		assert_int_equal(match.kept, 3);
		assert_int_equal(match.begun, 1);
		refuse_note_number(digest, (int64_t)match.kept);
	}
	tl_fold_free(&fold);
	return ok ? 0 : TL_NO_MEMORY;
}

TEST(stacks_and_gaps)
{
	assert_true(refuse_each(stacks_step, NULL) > 5);
	assert_true(refuse_each(match_step, NULL) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(building),
		cmocka_unit_test(what_is_made_of_profiles),
		cmocka_unit_test(what_is_found_in_profiles),
		cmocka_unit_test(stacks_and_gaps),
	};

	return cmocka_run_group_tests_name("profile no_memory", tests, NULL, NULL);
}
