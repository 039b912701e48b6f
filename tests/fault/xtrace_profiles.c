/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation on the way from an instruction stream to a profile, to its calls and its
 * instructions as text and to its mix fails once: the answer is then TL_NO_MEMORY, or the right
 * one. Nothing leaks. As allocations.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/tracelathe.h>

#include "exercise.h"
#include "wrap.h"

enum { SKIPPED = 77, PATH = 1024, MOST = 100000 };

struct step {
	const char *name;
	int (*run)(struct tl_input *input, struct tl_output *out, struct tl_error *err);
	bool functions;
	unsigned jobs, dump;
	struct tl_input_part part;
};

static int fold(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_profile *profile;
	int status = tl_input_fold(input, &profile, err);

	if (status < 0)
		return status;
	status = tl_exporter_find("json")->write(profile, NULL, out, err);
	tl_profile_free(profile);
	return status;
}

static int dump(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return tl_input_dump(input, TL_REPORT_TEXT, out, err);
}

static int mix(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	const struct tl_analysis analysis = { .size = sizeof(analysis),
					      .analyses = TL_ANALYZE_MIX };
	const char *failed = NULL;

	return tl_input_analyze(input, &analysis, out, &failed, err);
}

static const struct step steps[] = {
	{ "fold", fold, false, 1, 0, { .interval = 0 } },
	{ "fold by functions", fold, true, 1, 0, { .interval = 0 } },
	{ "fold on two threads", fold, false, 2, 0, { .interval = 0 } },
	{ "fold of a part", fold, false, 1, 0, { .instructions = { 100, 400 } } },
	{ "fold by interval", fold, true, 1, 0, { .instructions = { 100, 400 }, .interval = 70 } },
	{ "fold by task", fold, true, 2, 0, { .split = TL_SPLIT_TASK } },
	{ "dump of instructions", dump, false, 1, TL_DUMP_INSTRUCTIONS, { .interval = 0 } },
	{ "calls", dump, false, 1, TL_DUMP_CALLS, { .interval = 0 } },
	{ "calls from two threads", dump, false, 2, TL_DUMP_CALLS, { .interval = 0 } },
	{ "mix", mix, false, 1, 0, { .interval = 0 } },
};

struct outcome {
	int status;
	uint64_t digest, asked;
	int64_t leaked;
};

static int run_opened(const char *stream, const struct step *step, struct tl_output *out,
		      struct tl_error *err)
{
	const struct tl_input_options options = {
		.size = sizeof(options),
		.filter.thread = TL_NOWHERE,
		.filter.process = TL_NOWHERE,
		.filter.cpu = TL_NOWHERE,
		.jobs = step->jobs,
		.dump.flags = step->dump,
		.part = step->part,
		.detail = step->functions ? TL_DETAIL_FUNCTIONS : TL_DETAIL_LINES,
	};
	struct tl_input *input;
	int status = tl_input_open(&input, &stream, 1, &options, NULL, err);

	if (status < 0)
		return status;
	status = step->run(input, out, err);
	tl_input_close(input);
	return status;
}

static struct outcome run(const char *stream, const struct step *step, uint64_t failing,
			  bool onward)
{
	struct outcome o = { .digest = 0xcbf29ce484222325u };
	int64_t before = wrap_live();
	struct tl_output *out = NULL;
	struct tl_error err = { .status = TL_OK };
	size_t size = 0;

	watch(60, step->name);
	wrap_arm(failing, onward);
	o.status = tl_output_open_memory(&out, &err);
	if (o.status == 0)
		o.status = run_opened(stream, step, out, &err);
	for (const char *p = o.status == 0 ? tl_output_bytes(out, &size) : NULL; size; size--)
		o.digest = (o.digest ^ (uint8_t)*p++) * 0x100000001b3u;
	if (o.status == 0)
		o.status = tl_output_commit(out, &err);
	else
		tl_output_discard(out);
	o.asked = wrap_disarm();
	o.leaked = wrap_live() - before;
	return o;
}

static int judge(const struct step *step, const struct outcome *got, const struct outcome *right,
		 uint64_t number)
{
	const char *wrong = NULL;

	if (got->leaked)
		wrong = "leaks";
	else if (got->status == TL_NO_MEMORY)
		return 0;
	else if (got->status != right->status)
		wrong = "another status than TL_NO_MEMORY";
	else if (got->status == 0 && got->digest != right->digest)
		wrong = "says that all is well, and the result is another";
	if (!wrong)
		return 0;
	printf("FAIL: %s, allocation %" PRIu64 ": %s (status %d, %" PRId64 " not freed)\n",
	       step->name, number, wrong, got->status, got->leaked);
	return 1;
}

static int test(const char *stream, const struct step *step, uint64_t *runs)
{
	const struct outcome first = run(stream, step, 0, false),
			     right = run(stream, step, 0, false);
	int failures = judge(step, &right, &first, 0);

	if (first.status) {
		printf("FAIL: %s: status %d with memory\n", step->name, first.status);
		return 1;
	}
	for (unsigned onward = 0; onward < 2; onward++)
		for (uint64_t n = 1; n < MOST && failures < 10; n++) {
			const struct outcome got = run(stream, step, n, onward);

			failures += judge(step, &got, &right, n);
			++*runs;
			/* With threads the number of allocations is not the same each time. */
			if (got.asked + 2 < n)
				break;
		}
	return failures;
}

int main(void)
{
	const char *root = getenv("TL_SOURCE_ROOT");
	char stream[PATH];
	uint64_t runs = 0;
	int failures = 0;
	FILE *there;

	snprintf(stream, PATH, "%s/tests/golden/xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin",
		 root ? root : ".");
	there = fopen(stream, "rb");
	if (!there) {
		puts("skipped: no trace");
		return SKIPPED;
	}
	fclose(there);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		failures += test(stream, &steps[i], &runs);
	printf("%" PRIu64 " runs, %d failures\n", runs, failures);
	return failures != 0;
}
