/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_perf.h"

#include <stdbool.h>
#include <string.h>

#include <tracelathe/tracelathe.h>

#include "core/text/json.h"
#include "parts.h"
#include "perf_data/listing/describe.h"
#include "perf_data/listing/sample_list.h"

enum { DECODERS = 64, STEPS = 2000, RUNS = 2000 };

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* ---- records ---- */

static bool inside(struct bytes in, const uint8_t *data, uint64_t size)
{
	return data >= in.data && data <= in.data + in.size &&
	       size <= (uint64_t)(in.data + in.size - data);
}

static const char *bad_record(struct bytes in, const struct tl_perf_record *rec)
{
	if (rec->offset >= in.size)
		return "a record behind the end";
	if (rec->inside == TL_NOWHERE && !inside(in, rec->body, rec->body_size))
		return "a body outside the input";
	if (rec->data && rec->inside == TL_NOWHERE && !inside(in, rec->data, rec->data_size))
		return "data outside the input";
	return NULL;
}

static const char *bad_faults(struct bytes in, const struct tl_perf_reader *reader, uint64_t *count)
{
	size_t listed;
	uint64_t skipped;
	const struct tl_perf_fault *faults = tl_perf_faults(reader, &listed, count, &skipped);

	if (listed > *count || listed > 1000)
		return "more faults listed than counted, or than 1000";
	for (size_t i = 0; i < listed; i++)
		if (faults[i].offset > in.size || !faults[i].text)
			return "a fault without a text or behind the end";
	return NULL;
}

struct walk {
	uint64_t records, sum, faults;
	int status;
};

static const char *walk_once(struct bytes in, struct tl_perf_reader *reader, struct walk *walk)
{
	struct tl_perf_record rec;
	struct tl_error err;
	const char *broken = NULL;

	*walk = (struct walk){ .records = 0 };
	while (!broken && (walk->status = tl_perf_next(reader, &rec, sizeof(rec), &err)) > 0) {
		broken = bad_record(in, &rec);
		walk->records++;
		walk->sum += rec.type + rec.body_size;
	}
	return broken ? broken : bad_faults(in, reader, &walk->faults);
}

/* The same records in both orders and in a second pass; with `strict` a prefix of them. */
static const char *walk_records(struct bytes in)
{
	struct tl_perf_options options = { .size = sizeof(options) };
	struct tl_source *source;
	struct walk plain = { .records = 0 }, other;
	const char *broken = NULL;
	struct tl_error err;

	if (tl_source_open_memory(&source, in.data, in.size, "memory", &err) < 0)
		return "memory is not opened";
	for (int round = 0; !broken && round < 3; round++) {
		struct tl_perf_reader *reader;

		options.in_order = round == 1;
		options.strict = round == 2;
		if (tl_perf_open(&reader, source, &options, &err) < 0)
			continue;
		broken = walk_once(in, reader, round ? &other : &plain);
		if (!broken && round == 1 &&
		    (other.records != plain.records || other.sum != plain.sum))
			broken = "other records by time than by place";
		if (!broken && round == 2 && other.status == 0 && plain.faults)
			broken = "strict reading goes over faults";
		tl_perf_rewind(reader);
		if (!broken && !round)
			broken = walk_once(in, reader, &other);
		if (!broken && !round &&
		    (other.records != plain.records || other.faults != plain.faults))
			broken = "a second pass is another one";
		tl_perf_close(reader);
	}
	tl_source_close(source);
	return broken;
}

/* ---- the dump ---- */

/* One JSON text (RFC 8259) from its first to its last byte. */
static bool is_json(const char *text, size_t size)
{
	struct tl_source *source;
	struct tl_json json;
	int status;

	if (tl_source_open_memory(&source, text, size, "line", NULL) < 0)
		return true;
	status = tl_json_begin(&json, source) ? 1 : TL_NO_MEMORY;
	while (status > 0)
		status = tl_json_next(&json, NULL);
	if (status == TL_NO_MEMORY)
		status = 0;
	tl_json_end(&json);
	tl_source_close(source);
	return status == 0;
}

static const char *bad_lines(const char *text, size_t size, uint64_t records)
{
	const char *end = text + size, *next;

	for (; text < end; text = next + 1, records--) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next || !records)
			return "a dump of more lines than records";
		if (!is_json(text, (size_t)(next - text)))
			return "a line of the dump is no JSON";
	}
	return records ? "a dump of fewer lines than records" : NULL;
}

/* A JSON object for each record. */
static const char *dump_records(struct bytes in)
{
	const struct tl_perf_options options = { .size = sizeof(options) };
	struct tl_perf_reader *reader = NULL;
	struct tl_output *out = NULL;
	struct tl_source *source;
	struct walk walk;
	const char *broken = NULL, *text;
	struct tl_error err;
	size_t size;

	if (tl_source_open_memory(&source, in.data, in.size, "memory", &err) < 0)
		return "memory is not opened";
	if (tl_perf_open(&reader, source, &options, &err) == 0 &&
	    tl_output_open_memory(&out, &err) == 0) {
		broken = walk_once(in, reader, &walk);
		tl_perf_rewind(reader);
		if (!broken && tl_perf_dump(reader, true, out, &err) == 0 && walk.status == 0) {
			text = tl_output_bytes(out, &size);
			broken = bad_lines(text, size, walk.records);
		}
		tl_output_discard(out);
	}
	tl_perf_close(reader);
	tl_source_close(source);
	return broken;
}

/* ---- runs ---- */

static const char *bad_run(const struct tl_perf_sched_slice *run,
			   const struct tl_perf_sched_slice *last, const uint8_t *begin)
{
	const uint64_t size = (uint64_t)(run->config->end - run->config->begin);

	if (run->from >= run->to || run->to > size)
		return "a run of no bytes, or behind its end";
	if (run->continues && (run->from != last->to || run->config->begin != begin))
		return "a run does not begin where the one before it ends";
	if (!run->continues && run->from)
		return "a first run that does not begin at the beginning";
	return run->image ? NULL : "a run without an image";
}

static void decode(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_block blocks[16];
	struct tl_pt_event event;

	for (int i = 0; status >= 0 && i < STEPS; i++) {
		int64_t count;

		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		if (status < 0)
			return;
		count = tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), 16, &status);
		if (count < 0)
			status = count == -TL_PT_EOS ? -TL_PT_EOS
						     : tl_pt_decoder_resync(decoder, NULL, 0);
	}
}

struct decoding {
	struct tl_pt_decoder *decoders[DECODERS];
	struct tl_perf_sched_slice last[DECODERS];
	const uint8_t *begin[DECODERS]; /* of the range of `last` */
};

static const char *decode_run(struct decoding *d, const struct tl_perf_sched_slice *run)
{
	struct tl_pt_decoder **decoder = &d->decoders[run->stream % DECODERS];
	struct tl_perf_sched_slice *last = &d->last[run->stream % DECODERS];
	const char *broken;
	int status;

	if (run->stream >= DECODERS)
		return NULL;
	broken = bad_run(run, last, d->begin[run->stream % DECODERS]);
	*last = *run;
	d->begin[run->stream % DECODERS] = run->config->begin;
	if (broken)
		return broken;
	if (!run->continues) {
		tl_pt_decoder_close(*decoder);
		if (tl_pt_decoder_open(decoder, run->config, run->image) < 0)
			return NULL;
	}
	/* The run goes on from one that had no decoder, as this build reads no instructions. */
	if (!*decoder)
		return NULL;
	if (tl_pt_decoder_set_asid(*decoder, &run->asid) < 0)
		return "an address space is refused";
	status = tl_pt_decoder_set_end(*decoder, run->to);
	if (status < 0)
		return "the end of a run is refused";
	decode(*decoder, run->continues ? status : tl_pt_decoder_sync_forward(*decoder));
	return NULL;
}

/*
 * A part is not much longer than the whole: every place where trace is missing may need a record
 * more.
 */
static const char *cut_out(struct tl_perf_trace *trace, size_t whole)
{
	struct tl_output *out;
	struct tl_error err;
	size_t size = 0;
	int status;

	if (tl_output_open_memory(&out, &err) < 0)
		return NULL;
	status = tl_perf_slice(trace, 1 << 20, 1 << 21, out, &err);
	tl_output_bytes(out, &size);
	tl_output_discard(out);
	return status == 0 && size > 2 * whole ? "a slice is longer than what it was cut from"
					       : NULL;
}

static const char *walk_runs(struct bytes in)
{
	/* clang-format off */
	const struct tl_perf_trace_options options = {
		.size = sizeof(options), .no_files = true, .process = TL_NOWHERE,
		  .thread = TL_NOWHERE, .cpu = TL_NOWHERE,
	};
	/* clang-format on */
	struct decoding d = { .decoders = { NULL } };
	struct tl_perf_mapping place;
	struct tl_perf_trace *trace;
	struct tl_source *source;
	struct tl_perf_sched_slice run;
	const char *broken = NULL;
	struct tl_error err;

	if (tl_source_open_memory(&source, in.data, in.size, "memory", &err) < 0)
		return "memory is not opened";
	if (tl_perf_trace_open(&trace, source, &options, &err) == 0) {
		for (int i = 0;
		     !broken && i < RUNS && tl_perf_trace_next(trace, &run, sizeof(run), &err) > 0;
		     i++) {
			broken = decode_run(&d, &run);
			if (tl_perf_trace_find_mapping(trace, run.space, 0x400000, &place,
						       sizeof(place)) > 0 &&
			    !place.path)
				broken = "a place without a name";
		}
		for (int i = 0; i < DECODERS; i++)
			tl_pt_decoder_close(d.decoders[i]);
		if (!broken)
			broken = cut_out(trace, in.size);
		tl_perf_trace_close(trace);
	}
	tl_source_close(source);
	return broken;
}

/* ---- samples ---- */

/*
 * Each sample is one in the profile, or several where counters were read in groups; each branch is
 * one. They are the second column of an event, or the first one.
 */
static const char *bad_profile(const struct tl_profile *profile, bool branches)
{
	const char *unit = branches ? "branches" : "samples";
	const uint32_t events = tl_profile_event_count(profile);
	uint64_t records = 0, samples = 0;

	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		records += tl_profile_part(profile, i)->records;
	for (uint32_t i = !branches; i < events; i += 2)
		if (!strcmp(tl_profile_event(profile, i)->unit, unit))
			samples += (uint64_t)tl_profile_total(profile)[i];
	return records == samples ? NULL : "samples of threads and of events differ in number";
}

/* A line for each sample of the profile, unless there is no memory. */
static const char *bad_list(struct tl_perf_reader *reader,
			    const struct tl_perf_sample_options *options,
			    const struct tl_perf_sample_contexts *contexts,
			    const struct tl_profile *profile)
{
	struct tl_output *out;
	struct tl_error err;
	uint64_t records = 0, lines = 0;
	const char *text;
	size_t size;
	int status;

	if (tl_output_open_memory(&out, &err) < 0)
		return NULL;
	status = tl_perf_samples_list(reader, options, contexts, out, &err);
	text = tl_output_bytes(out, &size);
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		records += tl_profile_part(profile, i)->records;
	tl_output_discard(out);
	return status < 0 || lines == records ? NULL : "samples of the list and of the fold differ";
}

static const char *fold_samples(struct bytes in, bool branches)
{
	const struct tl_perf_options in_order = { .size = sizeof(in_order), .in_order = true };
	const struct tl_perf_sample_options options = { .thread = TL_NOWHERE,
							.process = TL_NOWHERE,
							.cpu = TL_NOWHERE,
							.no_files = true,
							.lines = true,
							.inlined = true,
							.branches = branches };
	struct tl_perf_sample_remarks remarks = { .list = NULL };
	struct tl_perf_sample_contexts contexts = { .list = NULL };
	struct tl_perf_reader *reader = NULL;
	struct tl_profile *profile = NULL;
	struct tl_source *source;
	struct tl_error err;
	const char *broken = NULL;

	if (tl_source_open_memory(&source, in.data, in.size, "memory", &err) < 0)
		return "memory is not opened";
	if (tl_perf_open(&reader, source, &in_order, &err) == 0 &&
	    tl_perf_samples_fold_stacks(reader, &options, &remarks, &contexts, &profile, &err) == 0)
		broken = bad_profile(profile, branches);
	tl_perf_close(reader);
	reader = NULL;
	if (profile && !broken && tl_perf_open(&reader, source, &in_order, &err) == 0)
		broken = bad_list(reader, &options, &contexts, profile);
	free(contexts.list);
	tl_profile_free(profile);
	tl_perf_sample_remarks_free(&remarks);
	tl_perf_close(reader);
	tl_source_close(source);
	return broken;
}

const char *exercise_perf(const uint8_t *data, size_t size)
{
	const struct bytes in = { data, size };
	const char *broken = exercise_does(0, 5) ? walk_records(in) : NULL;

	if (!broken && exercise_does(1, 5))
		broken = fold_samples(in, false);
	if (!broken && exercise_does(2, 5))
		broken = fold_samples(in, true);
	if (!broken && exercise_does(3, 5))
		broken = walk_runs(in);
	if (!broken && exercise_does(4, 5))
		broken = dump_records(in);
	return broken;
}
