/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of functions, contexts, lines and calls, from traces whose execution is known (walked.h),
 * of one thread and of several.
 */
#include "../paths_text.h"
#include "walked_threads.h"

#include "intel_pt/profile/fold.h"
#include "profile/model/unsized.h"

/* Of each function: what was executed of it. */
static void assert_self(const struct tl_profile *profile, const struct walked *const *list,
			size_t count)
{
	int64_t wanted[FUNCTIONS_WALKED] = { 0 }, all = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t step = 0; step < list[i]->count; step++, all++)
			wanted[walked_function(list[i]->steps[step])]++;
	assert_int_equal(tl_profile_total(profile)[0], all);
	for (uint32_t f = 0; f < tl_profile_function_count(profile); f++) {
		const char *name = tl_profile_function(profile, f)->name;
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, f, TL_NONE, &totals);
		for (size_t i = 0; i < FUNCTIONS_WALKED; i++)
			if (!strcmp(walked_functions[i].name, name)) {
				assert_int_equal(totals.self[0], wanted[i]);
				wanted[i] = 0;
			}
	}
	for (size_t i = 0; i < FUNCTIONS_WALKED; i++)
		assert_int_equal(wanted[i], 0);
}

static const struct tl_pt_fold_options folding = { .thread = TL_NOWHERE,
						   .process = TL_NOWHERE,
						   .cpu = TL_NOWHERE };

TEST(functions_cost_what_they_executed)
{
	static struct walked_feed feed;

	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (unsigned way = 0; way < 6; way++) {
			const struct walked *w = &walks[0];
			struct tl_pt_fold_options options = folding;
			struct tl_pt_faults faults = { 0 };
			struct tl_profile *profile;

			options.jobs = way % 3;
			options.lines = way >= 3;
			options.table = way == 1;
			open_walked(&feed);
			walk(&walks[0], 30 + way, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			add_walked(&feed, w, 0, 0, w->size);
			assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL),
					 0);
			assert_self(profile, &w, 1);
			tl_profile_free(profile);
			tl_pt_faults_free(&faults);
			close_walked(&feed);
		}
}

/* A path of calls, and what was executed at its end. */
struct path {
	char names[128];
	uint64_t ended;
	int64_t executed;
};

struct paths {
	struct path list[400];
	size_t count;
};

static struct path *path_of(struct paths *paths, const unsigned *stack, size_t depth)
{
	char names[128] = "";
	size_t i = 0;

	for (size_t d = 0; d < depth; d++)
		strcat(strcat(names, d ? ";" : ""), walked_functions[stack[d]].name);
	while (i < paths->count && strcmp(paths->list[i].names, names) != 0)
		i++;
	if (i == paths->count) {
		assert_true(paths->count++ < COUNT(paths->list));
		paths->list[i] = (struct path){ .ended = 0 };
		strcpy(paths->list[i].names, names);
	}
	return &paths->list[i];
}

/* A call and an interrupt open a path, a return ends it: what the program does, step by step. */
static void walk_paths(struct paths *paths, const struct walked *w)
{
	unsigned stack[MOST_DEPTH + 4] = { 0 };
	size_t depth = 1;

	paths->count = 0;
	for (size_t i = 0; i < w->count; i++) {
		const uint8_t kind = walked_insn(w->steps[i])->kind;
		struct path *path = path_of(paths, stack, depth);

		path->executed++;
		if (w->how[i] == STEP_END)
			break;
		if (kind == CALL || kind == CALL_ANY)
			stack[depth++] = walked_function(w->to[i]);
		if ((kind == RET || kind == IRET) && depth > 1) {
			path->ended++;
			depth--;
		}
		if (w->interrupt[i])
			stack[depth++] = FUNCTIONS_WALKED - 1;
	}
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static char *text_of(const struct paths *paths)
{
	char *lines[COUNT(paths->list)], *text = calloc(1, COUNT(paths->list) * 160);

	assert_non_null(text);
	for (size_t i = 0; i < paths->count; i++)
		assert_true(asprintf(&lines[i], "0 %s %llu %lld\n", paths->list[i].names,
				     (unsigned long long)paths->list[i].ended,
				     (long long)paths->list[i].executed) >= 0);
	qsort(lines, paths->count, sizeof(lines[0]), compare_lines);
	for (size_t i = 0; i < paths->count; i++) {
		strcat(text, lines[i]);
		free(lines[i]);
	}
	return text;
}

TEST(contexts_are_the_paths_of_calls)
{
	static struct walked_feed feed;
	static struct paths paths;

	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (unsigned way = 0; way < 8; way++) {
			struct tl_pt_fold_options options = folding;
			struct tl_pt_faults faults = { 0 };
			struct tl_profile *profile;
			char *seen, *wanted;

			options.jobs = way % 3;
			options.per_thread = way % 2;
			open_walked(&feed);
			walk(&walks[0], 110 + way, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			add_walked(&feed, &walks[0], 0, 0, walks[0].size);
			assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL),
					 0);
			walk_paths(&paths, &walks[0]);
			seen = paths_text(profile, true);
			wanted = text_of(&paths);
			assert_string_equal(seen, wanted);
			free(seen);
			free(wanted);
			tl_profile_free(profile);
			tl_pt_faults_free(&faults);
			close_walked(&feed);
		}
}

/* Lines have the costs of their addresses, and jumps how often they were executed and taken. */
TEST(addresses_cost_what_was_executed)
{
	static struct walked_feed feed;

	for (uint32_t seed = 60; seed < 66; seed++) {
		const struct walked *w = &walks[0];
		struct tl_pt_fold_options options = folding;
		struct tl_pt_faults faults = { 0 };
		struct tl_profile *profile;
		int64_t executed[WALKED_END - WALKED_AT] = { 0 };
		uint64_t left[WALKED_END - WALKED_AT] = { 0 },
					   taken[WALKED_END - WALKED_AT] = { 0 };

		options.lines = true;
		open_walked(&feed);
		walk(&walks[0], seed, 4000, seed % 2 ? 50 : 0, 0);
		add_walked(&feed, w, 0, 0, w->size);
		assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL), 0);
		for (size_t i = 0; i < w->count; i++) {
			executed[w->steps[i] - WALKED_AT]++;
			taken[w->steps[i] - WALKED_AT] += w->how[i] == STEP_TAKEN;
		}
		for (uint32_t i = 0; i < tl_profile_jump_count(profile); i++) {
			const struct tl_jump *jump = tl_profile_jump(profile, i);
			const struct walked_insn *insn = walked_insn(jump->from.address);

			assert_int_equal(jump->to.address, insn->to);
			assert_int_equal(jump->conditional, insn->kind == JE);
			left[insn->at - WALKED_AT] = jump->taken;
			assert_int_equal(jump->executed, executed[insn->at - WALKED_AT]);
		}
		for (size_t i = 0; i < COUNT(program); i++)
			if (program[i].kind == JE || program[i].kind == JUMP)
				assert_int_equal(left[program[i].at - WALKED_AT],
						 taken[program[i].at - WALKED_AT]);
		for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
			const struct tl_cost_line *line = tl_profile_line(profile, i);

			executed[line->at.address - WALKED_AT] -=
				tl_profile_line_cost(profile, i)[0];
			assert_string_equal(
				tl_profile_function(profile, line->function)->name,
				walked_functions[walked_function(line->at.address)].name);
		}
		for (size_t i = 0; i < COUNT(executed); i++)
			assert_int_equal(executed[i], 0);
		tl_profile_free(profile);
		tl_pt_faults_free(&faults);
		close_walked(&feed);
	}
}

TEST(threads_cost_what_they_executed)
{
	static struct walked_feed feed;
	const struct walked *all[OWN + 2];

	open_walked(&feed);
	add_threads(&feed, 70);
	for (uint64_t thread = 1; thread <= OWN + 2; thread++) {
		struct tl_pt_fold_options options = folding;
		struct tl_pt_faults faults = { 0 };
		struct tl_profile *profile;

		all[thread - 1] = steps_of_thread(thread);
		options.thread = thread;
		assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL), 0);
		assert_self(profile, &all[thread - 1], 1);
		tl_profile_free(profile);
		tl_pt_faults_free(&faults);
	}
	for (unsigned per_thread = 0; per_thread < 2; per_thread++) {
		struct tl_pt_fold_options options = folding;
		struct tl_pt_faults faults = { 0 };
		struct tl_profile *profile;

		options.per_thread = per_thread;
		assert_int_equal(tl_pt_fold(&feed.feed, &options, &faults, &profile, NULL), 0);
		assert_self(profile, all, OWN + 2);
		tl_profile_free(profile);
		tl_pt_faults_free(&faults);
	}
	close_walked(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_cost_what_they_executed),
		cmocka_unit_test(contexts_are_the_paths_of_calls),
		cmocka_unit_test(addresses_cost_what_was_executed),
		cmocka_unit_test(threads_cost_what_they_executed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
