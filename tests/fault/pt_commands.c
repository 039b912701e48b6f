/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that the command does with Intel PT, on traces that are cut or damaged, and with every
 * allocation failing in turn:
 *
 *   pt_commands prefixes STEP [SMALL]  every STEP-th prefix of the golden traces, every SMALL-th
 *                                 of the small ones
 *   pt_commands mutants COUNT     so many mutants of them, most of the small ones
 *   pt_commands allocations       allocation 1, 2, 3 ... refused, alone and with all later ones
 *
 * Nothing crashes, hangs or leaks; costs of functions and of lines add up to the total; a step
 * without memory says TL_NO_MEMORY or gives the result it gives with memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracelathe/tracelathe.h>

#include "exercise.h"
#include "mutate.h"
#include "traces.h"
#include "wrap.h"

#include "profile/model/unsized.h"

enum { MOST_BYTES = 1 << 16, SHORT_BYTES = 700 };

struct scene {
	const char *trace, *map;
};

struct result {
	int status;
	uint64_t digest, size;
};

typedef int step_fn(struct tl_input *input, struct tl_output *out, const char **broken);

/* ---- steps ---- */

static const char *check_sums(const struct tl_profile *profile)
{
	int64_t functions = 0, lines = 0,
		total = tl_profile_total(profile)[tl_profile_event_count(profile) - 1];
	struct tl_function_totals sums;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		tl_profile_totals_of(profile, i, TL_NONE, &sums);
		functions += sums.self[tl_profile_event_count(profile) - 1];
	}
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		lines += tl_profile_line_cost(profile, i)[tl_profile_event_count(profile) - 1];
	if (functions != total)
		return "functions do not add up to the total";
	return lines == total ? NULL : "lines do not add up to the total";
}

static int fold(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_profile *profile;
	struct tl_error err;
	int status = tl_input_fold(input, &profile, &err);

	if (status < 0)
		return status;
	*broken = check_sums(profile);
	status = tl_exporter_find("callgrind")->write(profile, NULL, out, &err);
	tl_profile_free(profile);
	return status;
}

static int dump(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_error err;

	(void)broken;
	return tl_input_dump(input, TL_REPORT_JSON, out, &err);
}

static int info(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_error err;

	(void)broken;
	return tl_input_info(input, TL_REPORT_TEXT, out, &err);
}

static int check(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_error err;
	int64_t found = tl_input_check(input, TL_REPORT_TEXT, out, &err);

	(void)broken;
	return found < 0 ? (int)found : 0;
}

static int timeline(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_error err;

	int status = tl_input_timeline(input, "chrome", out, &err);

	(void)broken;
	return status < 0 ? status : 0;
}

static int slice(struct tl_input *input, struct tl_output *out, const char **broken)
{
	const struct tl_slice what = {
		.size = sizeof(what),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
		.trigger = "^deep$",
		.before_seconds = 1e-6,
	};
	struct tl_error err;

	(void)broken;
	return tl_input_slice(input, &what, out, &err);
}

static int rewrite(struct tl_input *input, struct tl_output *out, const char **broken)
{
	struct tl_error err;

	(void)broken;
	return tl_input_reencode(input, "intel-pt", NULL, out, &err);
}

static const struct step {
	const char *name;
	step_fn *run;
	enum tl_input_detail detail;
	unsigned dump;
} steps[] = {
	{ "functions", fold, TL_DETAIL_FUNCTIONS, 0 },
	{ "lines", fold, TL_DETAIL_LINES, 0 },
	{ "packets", dump, 0, TL_DUMP_PACKETS | TL_DUMP_TIME },
	{ "instructions", dump, 0, TL_DUMP_INSTRUCTIONS | TL_DUMP_EVENTS | TL_DUMP_BLOCKS },
	{ "info", info, 0, 0 },
	{ "check", check, 0, 0 },
	{ "calls", dump, 0, TL_DUMP_CALLS },
	{ "timeline", timeline, 0, 0 },
	{ "slice", slice, 0, 0 },
	{ "rewrite", rewrite, 0, 0 },
};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static void digest(struct result *result, struct tl_output *out)
{
	const uint8_t *bytes = (const uint8_t *)tl_output_bytes(out, (size_t *)&result->size);

	result->digest = 0xcbf29ce484222325u;
	for (uint64_t i = 0; i < result->size; i++)
		result->digest = (result->digest ^ bytes[i]) * 0x100000001b3u;
}

/* The damage is asked for, too: it is told after every command. */
static struct result run_step(const struct step *step, const struct scene *scene,
			      const char **broken)
{
	struct tl_input_options options = {
		.size = sizeof(options),
		.format = "intel-pt",
		.programs.map = scene->map,
		.filter.thread = TL_NOWHERE,
		.filter.process = TL_NOWHERE,
		.filter.cpu = TL_NOWHERE,
		.detail = step->detail,
		.dump.flags = step->dump,
		.intel_pt.cpuid_15_eax = 2,
		.intel_pt.cpuid_15_ebx = 176,
		.intel_pt.mtc_freq = 3,
		.intel_pt.nom_freq = 32,
		.intel_pt.tsc_hz = 1000000000,
	};
	struct result result = { 0 };
	struct tl_input *input = NULL;
	struct tl_output *out = NULL;
	struct tl_error err;

	watch(60, step->name);
	result.status = tl_output_open_memory(&out, &err);
	if (result.status == 0)
		result.status = tl_input_open(&input, &scene->trace, 1, &options, NULL, &err);
	if (result.status == 0)
		result.status = step->run(input, out, broken);
	if (input)
		tl_input_damage_count(input, NULL);
	if (out && result.status >= 0)
		digest(&result, out);
	/* A memory output says when it had no memory. */
	tl_input_close(input);
	if (out && tl_output_commit(out, &err) < 0 && result.status >= 0)
		result.status = err.status;
	return result;
}

/* ---- damage ---- */

static char folder[] = "/tmp/tl-pt-XXXXXX", trace_path[64];

static void write_trace(const uint8_t *data, size_t size)
{
	FILE *file = fopen(trace_path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(trace_path);
		exit(2);
	}
}

static int run_all(const struct scene *scene, const char *what, unsigned long number)
{
	int failures = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		const char *broken = NULL;

		run_step(&steps[i], scene, &broken);
		if (broken) {
			fprintf(stderr, "%s %lu, %s: %s\n", what, number, steps[i].name, broken);
			failures++;
		}
	}
	return failures;
}

static int run_prefixes(const struct scene *scene, const uint8_t *data, size_t size, unsigned step)
{
	int failures = 0;

	for (size_t length = 1; length < size; length += step) {
		write_trace(data, length);
		failures += run_all(scene, "prefix", length);
	}
	return failures;
}

static int run_mutants(const struct scene *scene, const uint8_t *data, size_t size, unsigned count)
{
	static uint8_t mutant[MOST_BYTES + MUTATE_GROWTH];
	int failures = 0;

	for (unsigned i = 0; i < count; i++) {
		struct random random = random_for(20261121, i);
		size_t now = size;

		memcpy(mutant, data, size);
		for (size_t n = 1 + random_below(&random, 3); n; n--)
			mutate(mutant, &now, &random);
		write_trace(mutant, now);
		failures += run_all(scene, "mutant", i);
	}
	return failures;
}

/* ---- memory ---- */

static const char *judge(const struct result *result, const struct result *right, int64_t leaked)
{
	if (leaked)
		return "leaks";
	if (result->status == TL_NO_MEMORY)
		return NULL;
	if (result->status != right->status)
		return "another status than TL_NO_MEMORY";
	return result->status == 0 && result->digest != right->digest
		       ? "says that all is well, and the result is another"
		       : NULL;
}

static int fail_each(const struct step *step, const struct scene *scene, bool onward)
{
	const char *broken = NULL;
	struct result right;
	uint64_t asked;
	int failures = 0;

	wrap_arm(0, false);
	right = run_step(step, scene, &broken);
	asked = wrap_disarm();
	for (uint64_t n = 1; n <= asked + 1 && failures < 3; n++) {
		int64_t before = wrap_live();
		struct result result;

		if (!wrap_turn(n, onward))
			continue;
		wrap_arm(n, onward);
		result = run_step(step, scene, &broken);
		wrap_disarm();
		broken = judge(&result, &right, wrap_live() - before);
		if (broken) {
			fprintf(stderr,
				"%s: allocation %llu%s of %llu refused: %s (status %d, %d with "
				"memory)\n",
				step->name, (unsigned long long)n, onward ? " and later" : "",
				(unsigned long long)asked, broken, result.status, right.status);
			failures++;
		}
	}
	return failures;
}

static int run_allocations(const struct scene *scene, const uint8_t *data, size_t size)
{
	int failures = 0;

	write_trace(data, size < SHORT_BYTES ? size : SHORT_BYTES);
	for (unsigned i = 0; i < STEPS; i++)
		for (unsigned onward = 0; onward < 2; onward++)
			failures += fail_each(&steps[i], scene, onward);
	return failures;
}

/* ---- the whole ---- */

static size_t load(const char *path, uint8_t *data)
{
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(data, 1, MOST_BYTES, file) : 0;

	if (file)
		fclose(file);
	if (!size)
		perror(path);
	return size;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *trace, *map;
		bool is_small;
	} traces[] = { { "tiny.pt", "tiny.map", true },
		       { "timed.pt", "tiny.map", true },
		       { "rec.ret.pt", "rec.map", false },
		       { "rec.time.pt", "rec.map", false } };
	static uint8_t data[MOST_BYTES];
	const char *root = getenv("TL_SOURCE_ROOT");
	unsigned number = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	unsigned small = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	char map[512], path[512];
	int failures = 0;

	if (argc < 2 || !root || !mkdtemp(folder))
		return 2;
	snprintf(trace_path, sizeof(trace_path), "%s/trace.pt", folder);
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		const struct scene scene = { trace_path, map };
		size_t size;

		snprintf(map, sizeof(map), "%s/tests/golden/intel_pt/%s", root, traces[i].map);
		snprintf(path, sizeof(path), "%s/tests/golden/intel_pt/%s", root, traces[i].trace);
		size = load(path, data);
		if (!size)
			failures++;
		else if (!strcmp(argv[1], "prefixes"))
			failures += run_prefixes(&scene, data, size,
						 traces[i].is_small ? small : number);
		else if (!strcmp(argv[1], "mutants"))
			failures += run_mutants(&scene, data, size,
						traces[i].is_small ? number / 20 * 9 : number / 20);
		else if (!traces[i].is_small)
			failures += run_allocations(&scene, data, size);
	}
	unlink(trace_path);
	rmdir(folder);
	printf("%s: %d failures\n", argv[1], failures);
	return failures ? 1 : 0;
}
