/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader -> writer (version 5) -> reader: "a decode of the result must equal the decode of the
 * source record for record" (docs/formats/xray.md, section 6), for function and event records; the
 * second file has no damage.
 */
#include <string.h>

#include <tracelathe/xray.h>

#include "fuzz.h"

struct opened {
	struct tl_source *source;
	struct tl_xray_reader *reader;
};

static int open_trace(struct opened *opened, const void *data, size_t size)
{
	struct tl_error err;

	if (tl_source_open_memory(&opened->source, data, size, "fuzz", &err))
		return -1;
	if (!tl_xray_open(&opened->reader, opened->source, NULL, &err))
		return 0;
	tl_source_close(opened->source);
	return -1;
}

static void close_trace(struct opened *opened)
{
	tl_xray_close(opened->reader);
	tl_source_close(opened->source);
}

/* The next record that a re-encoding keeps as it is. */
static int next_kept(struct tl_xray_reader *reader, struct tl_xray_record *record)
{
	struct tl_error err;
	int got;

	do
		got = tl_xray_next(reader, record, sizeof(*record), &err);
	while (got > 0 && record->kind != TL_XRAY_FUNCTION &&
	       record->kind != TL_XRAY_CUSTOM_EVENT && record->kind != TL_XRAY_TYPED_EVENT);
	return got;
}

static int same(const struct tl_xray_record *a, const struct tl_xray_record *b)
{
	return a->kind == b->kind && a->tsc == b->tsc && a->thread == b->thread &&
	       a->function == b->function && a->action == b->action &&
	       a->payload_size == b->payload_size && a->event_type == b->event_type &&
	       (!a->payload_size || !memcmp(a->payload, b->payload, a->payload_size));
}

/* What may change where the source breaks the rules, by a Pid inside a body for one. */
static int same_details(const struct tl_xray_record *a, const struct tl_xray_record *b)
{
	/* An event of version 4 has a processor of its own, which version 5 has no room for. */
	return a->process == b->process && (a->cpu == b->cpu || a->kind == TL_XRAY_CUSTOM_EVENT) &&
	       a->arg_count == b->arg_count &&
	       (!a->arg_count || !memcmp(a->args, b->args, a->arg_count * sizeof(a->args[0])));
}

static int ignore(void *arg, const struct tl_xray_violation *violation)
{
	(void)arg;
	(void)violation;
	return 0;
}

/*
 * Basic mode never does, for the comparison: there an argument names its function, so that one
 * without a call is known; in FDR it belongs to the record before it.
 */
static int keeps_the_rules(const void *data, size_t size)
{
	struct opened opened;
	struct tl_error err;
	int64_t violations = -1;

	if (!open_trace(&opened, data, size)) {
		if (tl_xray_info(opened.reader)->mode == TL_XRAY_FDR)
			violations = tl_xray_check(opened.reader, ignore, NULL, &err);
		close_trace(&opened);
	}
	return violations == 0;
}

/* A trace that keeps the rules: the same records, with all they have, in the same order. */
static void compare(struct opened *before, struct opened *after)
{
	struct tl_xray_record a, b;
	int more;

	do {
		more = next_kept(before->reader, &a);
		FUZZ_MUST(next_kept(after->reader, &b) == more);
		FUZZ_MUST(more <= 0 || (same(&a, &b) && same_details(&a, &b)));
	} while (more > 0);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x9e3779b97f4a7c15u ^ hash >> 29;
}

/* The records whatever their order: where clocks step back, time alone does not give one. */
static uint64_t heap(struct tl_xray_reader *reader)
{
	struct tl_xray_record r;
	uint64_t sum = 0;

	while (next_kept(reader, &r) > 0) {
		uint64_t hash = mix(mix(mix(r.kind, r.tsc), (uint32_t)r.thread), r.payload_size);

		if (r.kind == TL_XRAY_FUNCTION)
			hash = mix(mix(hash, r.function), r.action);
		for (uint32_t i = 0; i < r.payload_size; i++)
			hash = mix(hash, r.payload[i]);
		sum += mix(hash, r.event_type);
	}
	return sum;
}

static void must_have_no_damage(struct opened *opened)
{
	size_t listed;
	uint64_t faults, skipped;

	tl_xray_faults(opened->reader, &listed, &faults, &skipped);
	FUZZ_MUST(!faults);
}

/* `written` is what the trace `data` was re-encoded as. */
static void hold_against(const void *data, size_t size, struct opened *written)
{
	struct opened source;

	FUZZ_MUST(!open_trace(&source, data, size));
	if (keeps_the_rules(data, size))
		compare(&source, written);
	else
		FUZZ_MUST(heap(source.reader) == heap(written->reader));
	must_have_no_damage(written);
	close_trace(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct opened before, after;
	struct tl_output *out;
	struct tl_error err;

	if (open_trace(&before, data, size))
		return 0;
	const struct tl_xray_info *info = tl_xray_info(before.reader);
	const struct tl_xray_writer_options options = {
		.size = sizeof(options),
		.mode = TL_XRAY_FDR,
		.version = 5,
		.frequency = info->frequency,
		.buffer_size = info->buffer_size,
	};
	size_t written;

	if (info->mode != TL_XRAY_PROFILING && !tl_output_open_memory(&out, &err)) {
		if (!tl_xray_convert(before.reader, out, &options, &err)) {
			const char *bytes = tl_output_bytes(out, &written);

			/* Without any record there is nothing to open. */
			if (!open_trace(&after, bytes, written)) {
				hold_against(data, size, &after);
				close_trace(&after);
			}
		}
		tl_output_discard(out);
	}
	close_trace(&before);
	return 0;
}
