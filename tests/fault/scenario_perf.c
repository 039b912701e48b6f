/* SPDX-License-Identifier: Apache-2.0 */
/* Steps for scenes that are perf.data: records, runs, and all that the command does with them. */
#include "scenario.h"

#include <tracelathe/tracelathe.h>

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). */
static void digest_bytes(uint64_t *digest, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		*digest = (*digest ^ bytes[i]) * 0x100000001b3u;
}

static void digest_number(uint64_t *digest, uint64_t number)
{
	digest_bytes(digest, &number, sizeof(number));
}

/* By place, by time; each twice, the second time behind a rewind. */
static int read_records(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct tl_perf_options options = { .size = sizeof(options), .in_order = variant };
	struct tl_perf_reader *reader = NULL;
	struct tl_source *source = NULL;
	struct tl_perf_record rec;
	struct tl_error err;
	int status = tl_source_open_memory(&source, scene->data, scene->size, "memory", &err);

	if (!status)
		status = tl_perf_open(&reader, source, &options, &err);
	for (int pass = 0; !status && pass < 2; pass++) {
		while ((status = tl_perf_next(reader, &rec, sizeof(rec), &err)) > 0)
			digest_number(digest, rec.type + rec.body_size + rec.id.time_ns);
		tl_perf_rewind(reader);
	}
	tl_perf_close(reader);
	tl_source_close(source);
	return status;
}

static int walk_runs(struct tl_perf_trace *trace, uint64_t *digest, struct tl_error *err)
{
	struct tl_perf_sched_slice slice;
	size_t count;
	int status;

	while ((status = tl_perf_trace_next(trace, &slice, sizeof(slice), err)) > 0) {
		digest_number(digest,
			      slice.from + slice.to + slice.process + slice.thread + slice.space);
		digest_bytes(digest, slice.config->begin, (size_t)slice.to);
	}
	tl_perf_trace_missing(trace, &count);
	digest_number(digest, count);
	return status;
}

static int read_runs(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct tl_perf_trace_options options = {
		.size = sizeof(options),
		.sysroot = variant ? "/nowhere" : NULL,
		.process = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.cpu = TL_NOWHERE,
	};
	struct tl_perf_trace *trace = NULL;
	struct tl_source *source = NULL;
	struct tl_error err;
	int status = tl_source_open_memory(&source, scene->data, scene->size, "a/b", &err);

	if (!status)
		status = tl_perf_trace_open(&trace, source, &options, &err);
	for (int pass = 0; !status && pass < 2; pass++) {
		status = walk_runs(trace, digest, &err);
		tl_perf_trace_rewind(trace);
	}
	tl_perf_trace_close(trace);
	tl_source_close(source);
	return status;
}

enum { CALLS = 13 };

static int call(struct tl_input *input, unsigned number, struct tl_output *out,
		struct tl_error *err)
{
	/* clang-format off */
	const struct tl_slice slice = {
		.size = sizeof(slice), .snapshots = { 0, TL_NOWHERE }, .instructions = { 0,
		  TL_NOWHERE },
		.trigger = "^even$", .before_seconds = 1e-6,
	};
	/* clang-format on */
	static const char *const coverages[] = { "lcov", "drcov", "edges", "bolt", "llvm-profile" };
	struct tl_profile *profile = NULL;
	int status;

	switch (number) {
	case 0:
		return tl_input_info(input, TL_REPORT_JSON, out, err);
	case 1:
	case 2:
	case 3:
		return tl_input_dump(input, TL_REPORT_JSON, out, err);
	case 4:
		return (int)tl_input_check(input, TL_REPORT_JSON, out, err);
	case 5:
		return tl_input_timeline(input, "chrome", out, err);
	case 6:
		return tl_input_slice(input, &slice, out, err);
	case 7:
	case 8:
	case 9:
	case 10:
	case 11:
		return tl_input_reencode(input, coverages[number - 7], NULL, out, err);
	default:
		status = tl_input_fold(input, &profile, err);
		tl_profile_free(profile);
		return status;
	}
}

static int use_input(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	static const unsigned dumps[CALLS] = {
		[2] = TL_DUMP_PACKETS, [3] = TL_DUMP_INSTRUCTIONS | TL_DUMP_EVENTS
	};
	const struct tl_input_options options = {
		.size = sizeof(options),
		.filter.thread = TL_NOWHERE,
		.filter.process = TL_NOWHERE,
		.filter.cpu = TL_NOWHERE,
		.dump.flags = dumps[variant],
	};
	struct tl_input *input = NULL;
	struct tl_output *out = NULL;
	struct tl_error err;
	const char *failed;
	int status = tl_input_open(&input, &scene->path, 1, &options, &failed, &err);

	if (!status)
		status = tl_output_open_memory(&out, &err);
	if (!status)
		status = call(input, variant, out, &err);
	if (status >= 0 && tl_output_failed(out))
		status = TL_NO_MEMORY;
	if (status >= 0) {
		size_t size;
		const char *bytes = tl_output_bytes(out, &size);

		digest_bytes(digest, bytes, size);
	}
	tl_output_discard(out);
	tl_input_close(input);
	return status < 0 ? status : 0;
}

const struct step perf_steps[] = {
	{ "records of perf.data", read_records, 2 },
	{ "runs of perf.data", read_runs, 2 },
	{ "use perf.data", use_input, CALLS },
	{ NULL, NULL, 0 },
};
