/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of each format where memory runs out: the whole result, or TL_NO_MEMORY and
 * nothing kept. Seeds are small: each of their allocations is refused. What rooms have tests of
 * their own for (folds and listings of traces) is not here.
 */
#include "../whole_input.h"

#define BIT(use) (1u << (use))
#define READ (BIT(USE_FOLD) | BIT(USE_DUMP) | BIT(USE_INFO) | BIT(USE_CHECK))
#define READ_LOG (BIT(USE_FOLD) | BIT(USE_DUMP) | BIT(USE_INFO))
#define TIMES (BIT(USE_TIMELINE) | BIT(USE_CALLS) | BIT(USE_WINDOW) | BIT(USE_SEARCH))

struct row {
	const char *path; /* below the sources */
	unsigned uses;
	const char *map; /* as `path` */
};

/* A file below the sources; one of the last eight asked for. */
static const char *below(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", getenv("TL_SOURCE_ROOT"), name);
	return path;
}

static struct whole_input opened(const struct row *row)
{
	struct whole_input whole = whole_input(below(row->path));

	whole.options.programs.map = row->map ? below(row->map) : NULL;
	whole.options.programs.sysroot = "/nowhere";
	return whole;
}

static void refuse_uses(const struct row *row, struct whole_input whole, uint64_t least)
{
	for (unsigned use = 0; use <= USE_EXPORT; use++) {
		uint64_t asked;

		if (!(row->uses >> use & 1))
			continue;
		whole.use = (enum use)use;
		asked = refuse_each(whole_step, &whole);
		if (asked < least)
			fail_msg("%s, use %u: %u allocations", row->path, use, (unsigned)asked);
	}
}

static void refuse_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refuse_uses(&rows[i], opened(&rows[i]), 5);
}

#define REFUSE(rows) refuse_rows(rows, sizeof(rows) / sizeof(rows[0]))

TEST(profiles)
{
	static const struct row rows[] = {
		{ "fuzz/corpus/callgrind/named.out", READ, NULL },
		{ "fuzz/corpus/callgrind/parts-cycle.out", READ | BIT(USE_SLICE), NULL },
		{ "fuzz/corpus/callgrind/instr-jumps.out", READ, NULL },
		{ "fuzz/corpus/gmon/small", READ, NULL },
		{ "fuzz/corpus/pprof/small", READ, NULL },
		{ "fuzz/corpus/profile_file/sums", READ, NULL },
		{ "fuzz/corpus/foreign/plain.folded", READ, NULL },
		{ "fuzz/corpus/foreign/perf-script.txt", READ, NULL },
	};

	REFUSE(rows);
}

TEST(timelines_of_other_tools)
{
	static const struct row rows[] = {
		{ "fuzz/corpus/foreign/array.json", READ | TIMES | BIT(USE_POINTS), NULL },
		{ "fuzz/corpus/foreign/evented.json", READ | TIMES, NULL },
		{ "fuzz/corpus/perfetto/sequence", READ | TIMES | BIT(USE_POINTS), NULL },
	};

	REFUSE(rows);
}

TEST(calls_of_xray)
{
	static const struct row rows[] = {
		{ "tests/golden/xray/fib-fdr.xray",
		  BIT(USE_CALLS) | BIT(USE_WINDOW) | BIT(USE_SEARCH) | BIT(USE_SAMPLE),
		  "tests/golden/xray/fib.instrmap-sym.yaml" },
		{ "tests/golden/xray/typed-fdr.xray", BIT(USE_POINTS), NULL },
		{ "tests/golden/xray/gap-hole.xray", BIT(USE_CALLS), NULL },
	};

	REFUSE(rows);
}

TEST(logs_of_instructions)
{
	static const struct row rows[] = {
		{ "fuzz/corpus/insn_log/execlog", READ_LOG | BIT(USE_CALLS) | BIT(USE_FLOW), NULL },
		{ "fuzz/corpus/insn_log/qemu", READ_LOG | BIT(USE_ANALYZE), NULL },
		{ "fuzz/corpus/etm/damaged", BIT(USE_DUMP) | BIT(USE_INFO) | BIT(USE_CHECK), NULL },
	};

	REFUSE(rows);
}

TEST(samples_and_switches)
{
	static const struct row rows[] = {
		{ "fuzz/corpus/perf_data/samples", BIT(USE_TIMELINE) | BIT(USE_POINTS), NULL },
		{ "fuzz/corpus/perf_data/wide", BIT(USE_TIMELINE) | BIT(USE_POINTS), NULL },
	};

	REFUSE(rows);
}

/* Each analysis by itself, as text and as JSON. */
TEST(analyses)
{
	static const struct row row = { "tests/golden/xtrace/xtrace.20260101000000.0.hint9"
					".xinsndata.bin",
					BIT(USE_ANALYZE), NULL };
	struct whole_input whole = opened(&row);

	for (unsigned bit = 0; 1u << bit <= TL_ANALYZE_DEPENDENCES; bit++) {
		whole.analyses = 1u << bit;
		if (whole.analyses == TL_ANALYZE_SHARING)
			continue; /* it takes several streams */
		whole.form = bit % 2 ? TL_REPORT_JSON : TL_REPORT_TEXT;
		refuse_uses(&row, whole, 5);
	}
}

TEST(streams)
{
	static const struct row rows[] = {
		{ "tests/golden/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin",
		  READ | BIT(USE_CALLS) | BIT(USE_WINDOW) | BIT(USE_FLOW), NULL },
	};

	REFUSE(rows);
}

/* The records of a trace, or what it executed, as another format. */
TEST(written_as_other_formats)
{
	static const struct {
		struct row row;
		const char *target;
	} rows[] = {
		{ { "tests/golden/xray/args-fdr.xray", BIT(USE_REENCODE), NULL }, "xray" },
		{ { "tests/golden/xray/args-fdr.xray", BIT(USE_REENCODE), NULL }, "yaml" },
		{ { "tests/golden/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin",
		    BIT(USE_REENCODE), NULL },
		  "tarmac" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct whole_input whole = opened(&rows[i].row);

		whole.target = rows[i].target;
		refuse_uses(&rows[i].row, whole, 5);
	}
}

/* Call stacks out of names, and estimated; all exporters are tried in tests/unit/export. */
TEST(stacks)
{
	static const struct row rows[] = {
		{ "fuzz/corpus/callgrind/parts-cycle.out", BIT(USE_EXPORT), NULL },
		{ "fuzz/corpus/foreign/evented.json", BIT(USE_EXPORT), NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct whole_input whole = opened(&rows[i]);

		whole.target = i ? "folded" : "cachegrind";
		refuse_uses(&rows[i], whole, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles),
		cmocka_unit_test(timelines_of_other_tools),
		cmocka_unit_test(calls_of_xray),
		cmocka_unit_test(logs_of_instructions),
		cmocka_unit_test(samples_and_switches),
		cmocka_unit_test(analyses),
		cmocka_unit_test(streams),
		cmocka_unit_test(written_as_other_formats),
		cmocka_unit_test(stacks),
	};

	return cmocka_run_group_tests_name("open no_memory", tests, NULL, NULL);
}
