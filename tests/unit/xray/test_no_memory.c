/* SPDX-License-Identifier: Apache-2.0 */
/* XRay traces where memory runs out: the whole result, or TL_NO_MEMORY and nothing kept. */
#include "../whole_input.h"

static void refuse(struct whole_input whole, enum use use)
{
	whole.use = use;
	assert_true(refuse_each(whole_step, &whole) > 10);
}

static struct whole_input recording(const char *name, const char *map)
{
	struct whole_input whole = whole_input(whole_path(name));

	whole.options.programs.map = map ? whole_path(map) : NULL;
	return whole;
}

/* Each mode and version. */
TEST(modes)
{
	static const char *const names[] = { "xray/args-fdr.xray", "xray/typed-fdr.xray",
					     "xray/v1-buffers.xray", "xray/exc-prof.xray",
					     "xray/custom-fdr.xray" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct whole_input whole = recording(names[i], NULL);

		refuse(whole, USE_FOLD);
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
		refuse(whole, USE_CHECK);
		whole.form = TL_REPORT_JSON;
		refuse(whole, USE_DUMP);
		refuse(whole, USE_INFO);
	}
}

/* Names of functions, several threads, durations by thread. */
TEST(folds)
{
	struct whole_input whole = recording("xray/tail-fdr.xray", "xray/tail.instrmap-sym.yaml");

	refuse(whole, USE_FOLD);
	whole.options.detail = TL_DETAIL_TABLE;
	refuse(whole, USE_FOLD);
	whole.options.exact = whole.options.per_thread = true;
	refuse(whole, USE_FOLD);
	whole = recording("xray/mt8-fdr.xray", "xray/mt.instrmap-sym.yaml");
	whole.options.jobs = 2;
	refuse(whole, USE_FOLD);
}

TEST(calls)
{
	struct whole_input whole = recording("xray/fib-fdr.xray", "xray/fib.instrmap-sym.yaml");

	refuse(whole, USE_TIMELINE);
	refuse(whole, USE_INDEX);
	whole.options.dump.flags = TL_DUMP_CALLS;
	refuse(whole, USE_DUMP);
}

/* What events mean: names and fields of decoders, and values. */
TEST(decoders)
{
	static const char *const texts[] = { "custom:step=struct:s4 word,pad1,s rest", "7=hex" };
	struct whole_input whole = recording("xray/custom-fdr.xray", NULL);

	whole.options.xray.decoders = texts;
	whole.options.xray.decoder_count = 2;
	refuse(whole, USE_DUMP);
	refuse(whole, USE_TIMELINE);
}

/* A parent's log and a child's, in which the parent's records stand again. */
TEST(forks)
{
	struct whole_input whole = recording("xray/forky-0.xray", NULL);

	whole.paths[1] = whole_path("xray/forky-1.xray");
	whole.path_count = 2;
	refuse(whole, USE_FOLD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes),    cmocka_unit_test(folds), cmocka_unit_test(calls),
		cmocka_unit_test(decoders), cmocka_unit_test(forks),
	};

	return cmocka_run_group_tests_name("xray no_memory", tests, NULL, NULL);
}
