/* SPDX-License-Identifier: Apache-2.0 */
/* From parts of streams to a program: which snapshots, which instructions, which threads. */
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/sized.h"
#include "xtrace/elf/program.h"
#include "xtrace/format/trace.h"

static bool is_zero(const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* The segment that begins with a snapshot. */
static bool begins_there(const struct tl_xtrace_stream *stream, uint32_t snapshot)
{
	for (size_t i = 0; i < stream->segment_count; i++)
		if (stream->segments[i].snapshot == snapshot)
			return true;
	return false;
}

/* The snapshot that a thread begins with. */
static int choose_snapshot(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			   struct tl_xtrace_snapshot *snapshot, struct tl_error *err)
{
	const struct tl_xtrace_stream *stream = &trace->streams[slice->stream];
	uint64_t matrix;

	if (slice->first_snapshot >= stream->info.snapshots)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such snapshot, and a program needs one to begin "
				   "with");
	if (!begins_there(stream, slice->first_snapshot))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the snapshot is at no place of its stream");
	tl_xtrace_read_snapshot(trace, slice->stream, slice->first_snapshot, snapshot);
	matrix = (uint64_t)snapshot->vector_bytes * snapshot->vector_bytes;
	if (snapshot->za && !is_zero(snapshot->za, matrix))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the matrix ZA is in use, which cannot be brought back yet");
	return 0;
}

static int part_of(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
		   struct tl_xtrace_slice_part *made, struct tl_error *err)
{
	struct tl_xtrace_snapshot other;
	struct tl_xtrace_slice_part part = {
		.trace = trace,
		.stream = slice->stream,
		.first_snapshot = slice->first_snapshot,
		.end_byte = UINT64_MAX,
		.most = UINT64_MAX,
	};
	int status = choose_snapshot(trace, slice, &part.begin, err);

	if (status < 0)
		return status;
	tl_xtrace_read_snapshot(trace, slice->stream, 0, &other);
	part.first_ordinal = part.begin.total - other.total;
	if (slice->end_snapshot < trace->streams[slice->stream].info.snapshots) {
		tl_xtrace_read_snapshot(trace, slice->stream, slice->end_snapshot, &other);
		part.end_byte = other.offset;
	}
	if (slice->end_instruction != TL_NOWHERE)
		part.most = slice->end_instruction > part.first_ordinal
				    ? slice->end_instruction - part.first_ordinal
				    : 0;
	*made = part;
	return 0;
}

/* ---- threads ---- */

/* TL_OK: a remark; else something is missing. */
static int note(struct tl_xtrace_trace *trace, uint32_t stream, enum tl_status status,
		const char *text, struct tl_error *err)
{
	const struct tl_xtrace_fault said = {
		.status = status,
		.path = trace->streams[stream].info.path,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
		.text = text,
	};

	return tl_xtrace_note_fault(&trace->faults, &said, err);
}

/* Where the numbers of snapshots begin in a group: "used to synchronise the start point". */
static uint32_t global_snapshot(const struct tl_xtrace_stream *stream, uint32_t number)
{
	return number == TL_NONE || number > TL_NONE - 1 - stream->info.global_snapshot
		       ? TL_NONE
		       : number + stream->info.global_snapshot;
}

/* The part of each stream that has the first snapshot; the others are left out, and told of. */
static int parts_of_group(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			  struct tl_xtrace_slice_part *parts, size_t *count, struct tl_error *err)
{
	struct tl_xtrace_slice one = *slice;
	int status = 0;

	for (one.stream = 0; status == 0 && one.stream < trace->stream_count; one.stream++) {
		const struct tl_xtrace_stream *stream = &trace->streams[one.stream];

		one.first_snapshot = global_snapshot(stream, slice->first_snapshot);
		one.end_snapshot = global_snapshot(stream, slice->end_snapshot);
		if (one.first_snapshot >= stream->info.snapshots)
			status = note(trace, one.stream, TL_UNSUPPORTED,
				      "the thread has no such snapshot; the program is without it",
				      err);
		else
			status = part_of(trace, &one, &parts[(*count)++], err);
	}
	if (status == 0 && !*count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such snapshot, and a program needs one to begin "
				   "with");
	return status;
}

static int find_parts(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
		      struct tl_xtrace_slice_part *parts, size_t *count, struct tl_error *err)
{
	if (slice->first_instruction)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a program begins at a snapshot, where all registers are known; "
				   "choose it with --snapshots");
	if (slice->stream == TL_NONE)
		return parts_of_group(trace, slice, parts, count, err);
	*count = 1;
	return part_of(trace, slice, parts, err);
}

/* ---- remarks ---- */

static bool is_signed(const struct tl_xtrace_replay *replay)
{
	for (size_t i = 0; i < replay->site_count; i++)
		if (replay->sites[i].rewrite == TL_XTRACE_SIGNED)
			return true;
	return false;
}

static bool lacks_number(const struct tl_xtrace_replay *replay)
{
	for (size_t i = 0; i < replay->signal_count; i++)
		if (replay->signals[i].asked && !(replay->signals[i].known & 1))
			return true;
	return false;
}

/* In what the program is another than the trace. */
static int remark(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice_part *parts,
		  const struct tl_xtrace_replay *replay, struct tl_error *err)
{
	int status = 0;

	if (is_signed(replay))
		status = note(trace, parts->stream, TL_OK,
			      "pointers are signed with keys that are not in the trace; in the "
			      "program their signatures are taken off",
			      err);
	if (status == 0 && lacks_number(replay))
		status = note(trace, parts->stream, TL_UNSUPPORTED,
			      "a handler asks for the number of its signal, which is not in the "
			      "trace; in the program it finds in X0 what was there before",
			      err);
	for (size_t i = 0; status == 0 && i < replay->thread_count; i++)
		if (replay->threads[i].faulted)
			status = note(trace, parts[i].stream, TL_OK,
				      "instructions that faulted and were executed again are "
				      "executed once in the program",
				      err);
	return status;
}

static int write_parts(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice_part *parts,
		       size_t count, struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_replay replay = { 0 };
	int status;

	if (count > TL_XTRACE_MOST_THREADS)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "a program has at most 64 threads; choose one with --thread");
	status = tl_xtrace_replay_collect(&replay, parts, count, err);
	if (status == 0)
		status = tl_xtrace_program_write(&replay, out, err);
	if (status == 0)
		status = remark(trace, parts, &replay, err);
	if (status == 0)
		tl_output_make_executable(out);
	tl_xtrace_replay_free(&replay);
	return status;
}

static int write_program(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			 struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_slice_part *parts = tl_zeroed(trace->stream_count, sizeof(*parts));
	size_t count = 0;
	int status;

	if (!parts)
		return tl_error_memory(err);
	status = find_parts(trace, slice, parts, &count, err);
	if (status == 0)
		status = write_parts(trace, parts, count, out, err);
	free(parts);
	return status;
}

int tl_xtrace_slice_elf(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_slice taken;
	struct tl_error own;
	int status;

	err = err ? err : &own;
	tl_xtrace_rewind(trace);
	status = tl_take_options(&taken, sizeof(taken), sizeof(taken), slice, slice->size, err);
	if (status == 0 && taken.stream >= trace->stream_count && taken.stream != TL_NONE)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such stream");
	if (status == 0)
		status = write_program(trace, &taken, out, err);
	return tl_error_format(err, "xtrace", status);
}
