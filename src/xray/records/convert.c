/* SPDX-License-Identifier: Apache-2.0 */
/* A whole trace written anew, thread by thread. */
#include "core/error.h"
#include "core/output.h"
#include "xray/records/reader.h"
#include "xray/records/writer.h"

/* Records in each buffer that is made for a source without buffers (basic mode). */
enum { RECORDS_PER_BUFFER = 1024 };

static int begin_buffer(struct tl_xray_writer *writer, const struct tl_xray_record *at,
			struct tl_error *err)
{
	struct tl_xray_record record = { .kind = TL_XRAY_NEW_BUFFER,
					 .thread = at->thread,
					 .process = at->process };

	return tl_xray_writer_put_unsized(writer, &record, err);
}

struct conversion {
	struct tl_xray_writer *writer;
	struct tl_output *out;
	enum tl_xray_mode mode;
	uint64_t frequency;
	const struct tl_xray_choice *choice; /* NULL: all records are written */

	/* The head of the present buffer, until a record of it is written. */
	struct tl_xray_record wall, pid;
	uint64_t wall_tsc; /* the TSC that its wall clock belongs to */
	bool has_wall, has_pid, has_tsc;
	bool written; /* the last function record was */
};

/* ---- some of the records ---- */

/* The wall clock of a buffer belongs to its first TSC, which is that of its first record now. */
static void move_wall_clock(struct conversion *to, uint64_t tsc)
{
	struct tl_xray_record *wall = &to->wall;
	double elapsed;
	uint64_t microseconds;

	if (!to->has_tsc || !to->frequency || tsc <= to->wall_tsc)
		return;
	elapsed = (double)(tsc - to->wall_tsc) * 1e6 / (double)to->frequency;
	microseconds = wall->microseconds + (uint64_t)elapsed;
	wall->value += microseconds / 1000000;
	wall->microseconds = (uint32_t)(microseconds % 1000000);
}

/* What stands before the first record of a buffer. */
static int put_head(struct conversion *to, uint64_t tsc, struct tl_error *err)
{
	int status = 0;

	if (to->has_wall) {
		move_wall_clock(to, tsc);
		status = tl_xray_writer_put_unsized(to->writer, &to->wall, err);
	}
	if (status == 0 && to->has_pid)
		status = tl_xray_writer_put_unsized(to->writer, &to->pid, err);
	to->has_wall = to->has_pid = false;
	return status;
}

static bool is_chosen(struct conversion *to, const struct tl_xray_record *record)
{
	if (record->kind == TL_XRAY_CALL_ARGUMENT)
		return to->written; /* of the function record before */
	return to->choice->wanted(to->choice->arg, record);
}

static int put_chosen(struct conversion *to, const struct tl_xray_record *record,
		      struct tl_error *err)
{
	bool chosen;
	int status = 0;

	switch (record->kind) {
	case TL_XRAY_NEW_BUFFER:
		to->has_wall = to->has_pid = to->has_tsc = false;
		break;
	case TL_XRAY_PID:
		to->pid = *record;
		to->has_pid = true;
		return 0;
	case TL_XRAY_WALL_CLOCK:
		to->wall = *record;
		to->has_wall = true;
		return 0;
	case TL_XRAY_NEW_CPU:
		if (!to->has_tsc)
			to->wall_tsc = record->tsc;
		to->has_tsc = true;
		return 0;
	case TL_XRAY_FUNCTION:
	case TL_XRAY_CUSTOM_EVENT:
	case TL_XRAY_TYPED_EVENT:
	case TL_XRAY_CALL_ARGUMENT:
		chosen = is_chosen(to, record);
		if (record->kind == TL_XRAY_FUNCTION)
			to->written = chosen;
		if (!chosen)
			return 0;
		++*to->choice->count;
		status = put_head(to, record->tsc, err);
		break;
	default:
		return 0; /* the writer makes its own */
	}
	if (status < 0)
		return status;
	return tl_xray_writer_put_unsized(to->writer, record, err);
}

static int put_record(struct conversion *to, const struct tl_xray_record *record,
		      struct tl_error *err)
{
	if (to->choice)
		return put_chosen(to, record, err);
	return tl_xray_writer_put_unsized(to->writer, record, err);
}

/* ---- all threads ---- */

static int convert_thread(struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
			  struct conversion *to, struct tl_error *err)
{
	bool bufferless = reader->info.mode == TL_XRAY_BASIC && to->mode == TL_XRAY_FDR;
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	uint64_t functions = 0;
	int status;

	tl_xray_stream_open(&stream, reader, reader->order, thread->begin, thread->end,
			    &reader->faults);
	while ((status = tl_xray_stream_next(&stream, &record, err)) == 1) {
		if (bufferless && record.kind == TL_XRAY_FUNCTION &&
		    functions++ % RECORDS_PER_BUFFER == 0)
			status = begin_buffer(to->writer, &record, err);
		if (status >= 0)
			status = put_record(to, &record, err);
		if (status < 0 || tl_output_failed(to->out))
			break;
	}
	tl_xray_stream_end(&stream);
	return tl_error_or_end(status);
}

int tl_xray_convert_some(struct tl_xray_reader *reader, struct tl_output *out,
			 const struct tl_xray_writer_options *options,
			 const struct tl_xray_choice *choice, struct tl_error *err)
{
	struct conversion to = { .out = out, .choice = choice };
	int status, finished;

	tl_xray_rewind(reader);
	status = tl_xray_writer_open(&to.writer, out, options, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	to.mode = options->mode;
	to.frequency = options->frequency;
	for (size_t i = 0; status == 0 && i < reader->thread_count; i++)
		status = convert_thread(reader, &reader->threads[i], &to, err);
	finished = tl_xray_writer_finish(to.writer, status < 0 ? NULL : err);
	return tl_error_format(err, "xray", status < 0 ? status : finished);
}

int tl_xray_convert(struct tl_xray_reader *reader, struct tl_output *out,
		    const struct tl_xray_writer_options *options, struct tl_error *err)
{
	return tl_xray_convert_some(reader, out, options, NULL, err);
}
