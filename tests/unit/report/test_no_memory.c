/* SPDX-License-Identifier: Apache-2.0 */
/* Every report in every form where memory runs out: whole, or TL_NO_MEMORY and nothing kept. */
#include "../temp_fixture.h"
#include "../whole_profile.h"

#include <tracelathe/report.h>

/* What a report is made of, and how it looks. */
struct report {
	const struct tl_profile *profile, *other;
	struct tl_report_options options;
	int kind; /* of a tree */
};

static int write_table(const void *input, struct tl_output *out)
{
	const struct report *report = input;

	return tl_report_functions(report->profile, &report->options, out, NULL);
}

static int write_tree(const void *input, struct tl_output *out)
{
	const struct report *report = input;

	return tl_report_tree(report->profile, (enum tl_tree_kind)report->kind, &report->options,
			      out, NULL);
}

static int write_diff(const void *input, struct tl_output *out)
{
	const struct report *report = input;
	const struct tl_diff_options how = { .size = sizeof(how),
					     .by = (enum tl_diff_unit)report->kind,
					     .calls = true };
	struct tl_diff *diff;
	int status = tl_profile_diff(&diff, report->profile, report->other, &how, NULL);

	if (!status)
		status = tl_report_diff(diff, &report->options, out, NULL);
	tl_diff_free(diff);
	return status;
}

/* Code as it ran: `nop`, and a jump back to it. */
static size_t give_code(void *arg __attribute__((unused)),
			const char *object __attribute__((unused)),
			uint64_t address __attribute__((unused)), uint8_t *bytes, size_t size)
{
	static const uint8_t code[] = { 0x90, 0xeb, 0xfd };

	for (size_t i = 0; i < size; i++)
		bytes[i] = code[i % sizeof(code)];
	return size;
}

static int write_annotation(const void *input, struct tl_output *out)
{
	const struct report *report = input;
	const char *const dirs[] = { temp.directory };
	const struct tl_annotate_options what = {
		.size = sizeof(what),
		.threshold = -1,
		.context = -1,
		.source_dirs = dirs,
		.source_dir_count = 1,
		.assembly = report->kind != 0,
		.code = give_code,
	};

	return tl_report_annotate(report->profile, &what, &report->options, out, NULL);
}

#define STEP(name)                                                                                 \
	static int name##_step(const void *input, uint64_t *digest)                                \
	{                                                                                          \
		return refuse_note_output(write_##name, input, digest);                            \
	}
STEP(table)
STEP(tree)
STEP(diff)
STEP(annotation)

static const enum tl_report_form forms[] = { TL_REPORT_TEXT, TL_REPORT_CSV, TL_REPORT_JSON };

static struct report report_of(struct tl_profile *const *profiles, enum tl_report_form form)
{
	return (struct report){
		.profile = profiles[0],
		.other = profiles[1],
		.options = { .size = sizeof(struct tl_report_options),
			     .form = form,
			     .threshold = -1,
			     .width = 100 },
	};
}

static void refuse_tables(struct report report)
{
	refuse_each(table_step, &report);
	report.options.threads = true;
	refuse_each(table_step, &report);
	report.options.threads = false;
	report.options.cycles = true;
	report.options.sort = "inclusive";
	refuse_each(table_step, &report);
	report.options.by = TL_BY_FILE;
	assert_true(refuse_each(table_step, &report) > 20);
}

static void refuse_trees(struct report report)
{
	int last = tl_profile_context_count(report.profile) ? TL_TREE_BOTTOM_UP : TL_TREE_BOTH;

	for (report.kind = 0; report.kind <= TL_TREE_ALL_CALLEES; report.kind++)
		if (report.kind <= last || report.kind >= TL_TREE_ALL_CALLERS)
			assert_true(refuse_each(tree_step, &report) > 3);
}

static void refuse_diffs(struct report report)
{
	for (report.kind = TL_DIFF_FUNCTIONS; report.kind <= TL_DIFF_ARCS; report.kind++)
		assert_true(refuse_each(diff_step, &report) > 20);
}

/* By line, and by instruction. */
static void refuse_annotations(struct report report)
{
	for (report.kind = 0; report.kind < 2; report.kind++)
		assert_true(refuse_each(annotation_step, &report) > 10);
}

TEST(reports)
{
	typedef int build_fn(struct tl_profile * *profile, uint32_t salt, struct tl_error *err);
	static build_fn *const kinds[] = { whole_sums, whole_trace };
	static const char source[] = "one\ntwo\n\nfour\nfive\n";

	temp_write(&temp, "file0.c", source, sizeof(source) - 1);
	for (size_t k = 0; k < 2; k++) {
		struct tl_profile *profiles[2];

		for (uint32_t i = 0; i < 2; i++)
			assert_int_equal(kinds[k](&profiles[i], i, NULL), 0);
		for (size_t f = 0; f < 3; f++) {
			struct report report = report_of(profiles, forms[f]);

			refuse_tables(report);
			refuse_trees(report);
			refuse_diffs(report);
			refuse_annotations(report);
		}
		tl_profile_free(profiles[0]);
		tl_profile_free(profiles[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports),
	};

	return cmocka_run_group_tests_name("report no_memory", tests, temp_setup, temp_teardown);
}
