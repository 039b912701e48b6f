/* SPDX-License-Identifier: Apache-2.0 */
/* From a part of a stream to a program: which snapshot, which instructions. */
#include "core/error.h"
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

/* The snapshot that the program begins with. */
static int choose_snapshot(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			   struct tl_xtrace_snapshot *snapshot, struct tl_error *err)
{
	const struct tl_xtrace_stream *stream = &trace->streams[slice->stream];
	uint64_t matrix;

	if (slice->first_instruction)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a program begins at a snapshot, where all registers are known; "
				   "choose it with --snapshots");
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

static struct tl_xtrace_slice_part part_of(struct tl_xtrace_trace *trace,
					   const struct tl_xtrace_slice *slice,
					   const struct tl_xtrace_snapshot *snapshot)
{
	struct tl_xtrace_snapshot other;
	struct tl_xtrace_slice_part part = {
		.trace = trace,
		.stream = slice->stream,
		.first_snapshot = slice->first_snapshot,
		.end_byte = UINT64_MAX,
		.most = UINT64_MAX,
	};

	tl_xtrace_read_snapshot(trace, slice->stream, 0, &other);
	part.first_ordinal = snapshot->total - other.total;
	if (slice->end_snapshot < trace->streams[slice->stream].info.snapshots) {
		tl_xtrace_read_snapshot(trace, slice->stream, slice->end_snapshot, &other);
		part.end_byte = other.offset;
	}
	if (slice->end_instruction != TL_NOWHERE)
		part.most = slice->end_instruction > part.first_ordinal
				    ? slice->end_instruction - part.first_ordinal
				    : 0;
	return part;
}

static bool is_signed(const struct tl_xtrace_replay *replay)
{
	for (size_t i = 0; i < replay->site_count; i++)
		if (replay->sites[i].rewrite == TL_XTRACE_SIGNED)
			return true;
	return false;
}

/* In what the program is another than the trace. */
static int remark(struct tl_xtrace_trace *trace, uint32_t stream,
		  const struct tl_xtrace_replay *replay, struct tl_error *err)
{
	struct tl_xtrace_fault said = {
		.path = trace->streams[stream].info.path,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
		.text = "pointers are signed with keys that are not in the trace; in the program "
			"their signatures are taken off",
	};
	int status = is_signed(replay) ? tl_xtrace_note_fault(&trace->faults, &said, err) : 0;

	said.text = "instructions that faulted and were executed again are executed once in the "
		    "program";
	if (status == 0 && replay->faulted)
		status = tl_xtrace_note_fault(&trace->faults, &said, err);
	return status;
}

static int write_program(struct tl_xtrace_trace *trace, const struct tl_xtrace_slice *slice,
			 struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_replay replay = { 0 };
	struct tl_xtrace_slice_part part;
	struct tl_xtrace_snapshot snapshot;
	int status = choose_snapshot(trace, slice, &snapshot, err);

	if (status < 0)
		return status;
	part = part_of(trace, slice, &snapshot);
	status = tl_xtrace_replay_collect(&replay, &part, err);
	if (status == 0)
		status = tl_xtrace_program_write(&replay, &snapshot, out, err);
	if (status == 0)
		status = remark(trace, slice->stream, &replay, err);
	if (status == 0)
		tl_output_make_executable(out);
	tl_xtrace_replay_free(&replay);
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
	if (status == 0 && taken.stream >= trace->stream_count)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such stream");
	if (status == 0)
		status = write_program(trace, &taken, out, err);
	return tl_error_format(err, "xtrace", status);
}
