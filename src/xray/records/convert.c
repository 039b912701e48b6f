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
};

static int convert_thread(struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
			  const struct conversion *to, struct tl_error *err)
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
			status = tl_xray_writer_put_unsized(to->writer, &record, err);
		if (status < 0 || tl_output_failed(to->out))
			break;
	}
	tl_xray_stream_end(&stream);
	return status < 0 ? status : 0;
}

int tl_xray_convert(struct tl_xray_reader *reader, struct tl_output *out,
		    const struct tl_xray_writer_options *options, struct tl_error *err)
{
	struct conversion to = { .out = out };
	int status, finished;

	tl_xray_rewind(reader);
	status = tl_xray_writer_open(&to.writer, out, options, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	to.mode = options->mode;
	for (size_t i = 0; status == 0 && i < reader->thread_count; i++)
		status = convert_thread(reader, &reader->threads[i], &to, err);
	finished = tl_xray_writer_finish(to.writer, status < 0 ? NULL : err);
	return tl_error_format(err, "xray", status < 0 ? status : finished);
}
