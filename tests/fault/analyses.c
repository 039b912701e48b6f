/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses and conversions of xtrace, on the recordings of tests/golden/xtrace. Every allocation is
 * refused once, and once with all later ones: TL_NO_MEMORY or the right result, nothing crashes or
 * leaks. Then prefixes and mutants of the instruction stream: any bytes give a result or an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracelathe/tracelathe.h>

#include "exercise.h"
#include "exercise_text.h"
#include "mutate.h"
#include "wrap.h"

static const char *const one[] = { "xtrace.20260101000000.0.hint9.xinsndata.bin" };
static const char *const two[] = { "xtrace.20260101000001.0.hint9.xinsndata.bin",
				   "xtrace.20260101000001.1.hint9.xinsndata.bin" };

/* What is asked for: an analysis in a form, a conversion, or slices. */
struct wish {
	unsigned what;
	enum tl_report_form form;
	const char *to; /* NULL: an analysis */
	bool binary;
	bool simpoints; /* slices and their table instead */
	bool part;      /* of instructions 50 to 150, with warm-up */
	bool policies;  /* caches and predictors that are described, in all they can do */
	bool intervals;
	bool together;
};

enum {
	ALL = TL_ANALYZE_MIX | TL_ANALYZE_FOOTPRINT | TL_ANALYZE_REUSE | TL_ANALYZE_CACHE |
	      TL_ANALYZE_SYSCALLS | TL_ANALYZE_BLOCKS | TL_ANALYZE_BRANCHES | TL_ANALYZE_DEPENDENCES
};

static const struct wish wishes[] = {
	{ .what = ALL, .form = TL_REPORT_TEXT, .binary = true },
	{ .what = ALL, .form = TL_REPORT_JSON },
	{ .what = TL_ANALYZE_CACHE, .form = TL_REPORT_CSV, .binary = true },
	{ .what = TL_ANALYZE_SYSCALLS, .form = TL_REPORT_CSV },
	{ .what = TL_ANALYZE_BBV, .form = TL_REPORT_TEXT },
	{ .what = TL_ANALYZE_BBV, .form = TL_REPORT_JSON },
	{ .form = TL_REPORT_TEXT, .to = "tarmac" },
	{ .form = TL_REPORT_TEXT, .to = "champsim" },
	{ .form = TL_REPORT_TEXT, .to = "jsonl" },
	{ .form = TL_REPORT_TEXT, .to = "bbv" },
	{ .what = ALL, .form = TL_REPORT_JSON, .part = true },
	{ .what = ALL, .form = TL_REPORT_JSON, .intervals = true },
	{ .what = ALL, .form = TL_REPORT_CSV, .intervals = true },
	{ .what = TL_ANALYZE_CACHE | TL_ANALYZE_BRANCHES,
	  .form = TL_REPORT_JSON,
	  .policies = true },
	{ .form = TL_REPORT_CSV, .simpoints = true },
	{ .form = TL_REPORT_TEXT, .simpoints = true },
};

/* Of the group: what threads share, and one behind the other. */
static const struct wish of_group[] = {
	{ .what = TL_ANALYZE_SHARING, .binary = true },
	{ .what = TL_ANALYZE_BBV, .form = TL_REPORT_CSV },
	{ .form = TL_REPORT_JSON, .simpoints = true },
	{ .what = TL_ANALYZE_BBV, .form = TL_REPORT_TEXT, .intervals = true, .together = true },
	{ .form = TL_REPORT_CSV, .simpoints = true, .together = true },
};

/* Of SimPoint: intervals of 100 instructions, and what they weigh. */
static char simpoints[64], weights[64];
static const char points_text[] = "0 1\n2 0\n", weights_text[] = "0.25 0\n0.75 1\n";
static char policies[64], predictors[64];
static const char described[] =
	"I instruction size=1K ways=2 line=32 next=U policy=rrip prefetch=next\n"
	"D data size=1K ways=4 line=32 next=U policy=plru prefetch=stride write=through\n"
	"U unified size=4K ways=4 line=64 inclusive policy=random seed=3\n";

static const char predicting[] = "B bimodal entries=64\nG gshare entries=64 history=6\n"
				 "T tage tables=3 entries=64 base=128 history=40\n"
				 "K btb entries=16 ways=2\nS stack entries=4\n";

struct input {
	char paths[2][512];
	const char *list[2];
	size_t count;
	char elf[512];
};

struct run {
	int status;
	uint64_t digest, asked;
	int64_t leaked;
};

static uint64_t digest_of(struct tl_output *out)
{
	size_t size;
	const char *bytes = tl_output_bytes(out, &size);
	uint64_t digest = 0xcbf29ce484222325u;

	for (size_t i = 0; bytes && i < size; i++)
		digest = (digest ^ (uint8_t)bytes[i]) * 0x100000001b3u;
	return digest;
}

static int slice_points(struct tl_input *input, const struct wish *wish, struct tl_output *out,
			struct tl_error *err)
{
	const struct tl_simpoint_options options = {
		.size = sizeof(options),
		.simpoints = simpoints,
		.weights = weights,
		.interval = 100,
		.warmup = 50,
		.together = wish->together,
	};
	struct tl_simpoints *points;
	int status = tl_input_simpoints(&points, input, &options, NULL, err);

	for (size_t i = 0; status == 0 && i < tl_simpoints_count(points, NULL); i++)
		status = tl_simpoints_slice(points, i, TL_SLICE_TRACE, out, NULL, "a name", err);
	if (status == 0)
		status = tl_simpoints_table(points, wish->form, out, err);
	tl_simpoints_close(points);
	return status;
}

static int fulfil(struct tl_input *input, const struct wish *wish, struct tl_output *out)
{
	struct tl_analysis analysis = { .size = sizeof(analysis),
					.analyses = wish->what,
					.form = wish->form,
					.together = wish->together };
	struct tl_error err;

	if (wish->part) {
		analysis.snapshots = (struct tl_number_range){ 0, 2 };
		analysis.instructions = (struct tl_number_range){ 50, 150 };
		analysis.warmup = 20;
	}
	if (wish->intervals)
		analysis.interval = 40;
	if (wish->policies) {
		analysis.caches = policies;
		analysis.predictors = predictors;
	}
	if (wish->simpoints)
		return slice_points(input, wish, out, &err);
	if (wish->to)
		return tl_input_reencode(input, wish->to, NULL, out, &err);
	return tl_input_analyze(input, &analysis, out, NULL, &err);
}

static int use(const struct input *in, const struct wish *wish, uint64_t *digest)
{
	const struct tl_binary_spec binary = { .path = in->elf };
	const struct tl_input_options options = {
		.size = sizeof(options),
		.format = "xtrace",
		.filter = { .thread = TL_NOWHERE, .process = TL_NOWHERE, .cpu = TL_NOWHERE },
		.programs = { .binaries = &binary, .binary_count = wish->binary },
	};
	struct tl_input *input;
	struct tl_output *out = NULL;
	const char *failed;
	struct tl_error err;
	int status = tl_input_open(&input, in->list, in->count, &options, &failed, &err);

	if (status == 0)
		status = tl_output_open_memory(&out, &err);
	if (status == 0)
		status = fulfil(input, wish, out);
	if (status == 0) {
		*digest = digest_of(out);
		status = tl_output_commit(out, &err);
		out = NULL;
	}
	tl_output_discard(out);
	tl_input_close(input);
	return status;
}

static struct run run_once(const struct input *in, const struct wish *wish, uint64_t refused,
			   bool onward)
{
	int64_t before = wrap_live();
	struct run run = { .digest = 0 };

	watch(60, "an analysis");
	wrap_arm(refused, onward);
	run.status = use(in, wish, &run.digest);
	run.asked = wrap_disarm();
	run.leaked = wrap_live() - before;
	return run;
}

static int refuse_each(const struct input *in, const struct wish *wish, bool onward, uint64_t *runs)
{
	struct run right = run_once(in, wish, 0, false);

	for (uint64_t n = 1; n <= right.asked + 1; n++) {
		if (!wrap_turn(n, onward))
			continue;
		struct run run = run_once(in, wish, n, onward);
		bool wrong = run.status != TL_NO_MEMORY &&
			     (run.status != right.status || run.digest != right.digest);

		++*runs;
		if (!wrong && !run.leaked)
			continue;
		fprintf(stderr,
			"%s %x form %d: allocation %" PRIu64 " of %" PRIu64
			"%s refused: %s (status %d)\n",
			wish->to ? wish->to : "analysis", wish->what, (int)wish->form, n,
			right.asked, onward ? " and later" : "",
			run.leaked ? "leaks" : "another result", run.status);
		return 1;
	}
	return 0;
}

/* ---- damage ---- */

static uint8_t *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(1 << 20);

	*size = file && data ? fread(data, 1, 1 << 20, file) : 0;
	if (file)
		fclose(file);
	return data;
}

static void store(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(2);
	}
}

/* Any status is right; that it comes back, and leaks nothing, is the test. */
static int damage(const char *folder, const struct input *from, unsigned count, uint64_t *runs)
{
	struct input in = { .count = 1 };
	size_t size;
	uint8_t *data = load(from->paths[0], &size), *copy = malloc(size + MUTATE_GROWTH);
	int failures = 0;

	snprintf(in.paths[0], sizeof(in.paths[0]), "%s/xtrace.1.0.hint9.xinsndata.bin", folder);
	in.list[0] = in.paths[0];
	memcpy(in.elf, from->elf, sizeof(in.elf));
	for (unsigned i = 0; data && copy && size && i < count; i++) {
		const struct wish *wish = &wishes[i % (sizeof(wishes) / sizeof(wishes[0]))];
		struct random random = random_for(7, i);
		size_t length = size;

		memcpy(copy, data, size);
		if (i % 2)
			length = size * i / count;
		else
			mutate(copy, &length, &random);
		store(in.paths[0], copy, length);
		if (run_once(&in, wish, 0, false).leaked) {
			fprintf(stderr, "mutant %u leaks\n", i);
			failures++;
		}
		++*runs;
	}
	remove(in.paths[0]);
	free(data);
	free(copy);
	return failures;
}

/* What stands beside a trace: descriptions, and SimPoint's files, cut and damaged. */
static int damage_text(const struct input *in, const struct wish *wish, const char *path,
		       const char *text, unsigned count, uint64_t *runs)
{
	size_t size = strlen(text);
	uint8_t *copy = malloc(size + 4 * MUTATE_GROWTH);
	int failures = 0;

	for (unsigned i = 0; copy && i < count; i++) {
		struct random random = random_for(8, i);
		size_t length = i < size ? i : size;

		memcpy(copy, text, size);
		if (i >= size)
			mutate_text(copy, &length, &random);
		store(path, copy, length);
		if (run_once(in, wish, 0, false).leaked) {
			fprintf(stderr, "%s: mutant %u leaks\n", path, i);
			failures++;
		}
		++*runs;
	}
	store(path, (const uint8_t *)text, size);
	free(copy);
	return failures;
}

static int damage_texts(const struct input *in, unsigned count, uint64_t *runs)
{
	static const struct wish described_ones = { .what = TL_ANALYZE_CACHE | TL_ANALYZE_BRANCHES,
						    .form = TL_REPORT_JSON,
						    .policies = true };
	static const struct wish points = { .form = TL_REPORT_CSV, .simpoints = true };

	return damage_text(in, &described_ones, policies, described, count, runs) +
	       damage_text(in, &described_ones, predictors, predicting, count, runs) +
	       damage_text(in, &points, simpoints, points_text, count, runs) +
	       damage_text(in, &points, weights, weights_text, count, runs);
}

/* ---- the whole ---- */

static void find(struct input *in, const char *const *names, size_t count)
{
	const char *root = getenv("TL_SOURCE_ROOT");

	*in = (struct input){ .count = count };
	for (size_t i = 0; i < count; i++) {
		snprintf(in->paths[i], sizeof(in->paths[i]), "%s/tests/golden/xtrace/%s",
			 root ? root : ".", names[i]);
		in->list[i] = in->paths[i];
	}
	snprintf(in->elf, sizeof(in->elf), "%s/tests/golden/xtrace/small.elf", root ? root : ".");
}

int main(int argc, char **argv)
{
	unsigned mutants = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
	char folder[] = "/tmp/tracelathe-analyses-XXXXXX";
	struct input single, group;
	uint64_t runs = 0;
	int failures = 0;

	if (!mkdtemp(folder))
		return 2;
	snprintf(simpoints, sizeof(simpoints), "%s/simpoints", folder);
	snprintf(weights, sizeof(weights), "%s/weights", folder);
	snprintf(policies, sizeof(policies), "%s/policies", folder);
	snprintf(predictors, sizeof(predictors), "%s/predictors", folder);
	store(policies, (const uint8_t *)described, sizeof(described) - 1);
	store(predictors, (const uint8_t *)predicting, sizeof(predicting) - 1);
	store(simpoints, (const uint8_t *)points_text, sizeof(points_text) - 1);
	store(weights, (const uint8_t *)weights_text, sizeof(weights_text) - 1);
	find(&single, one, 1);
	find(&group, two, 2);
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		for (int onward = 0; onward < 2; onward++)
			failures += refuse_each(&single, &wishes[i], onward, &runs);
	for (int onward = 0; onward < 2; onward++) {
		failures += refuse_each(&group, &wishes[0], onward, &runs);
		for (size_t i = 0; i < sizeof(of_group) / sizeof(of_group[0]); i++)
			failures += refuse_each(&group, &of_group[i], onward, &runs);
	}
	failures += damage(folder, &single, mutants, &runs);
	failures += damage_texts(&single, mutants / 4, &runs);
	remove(policies);
	remove(predictors);
	remove(simpoints);
	remove(weights);
	rmdir(folder);
	printf("%" PRIu64 " runs, %d failures\n", runs, failures);
	return failures || !runs;
}
