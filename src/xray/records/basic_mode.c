/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic (naive) mode: a flat row of 32-byte records, each with its thread (docs/formats/xray.md,
 * 2.7).
 */
#include "core/error.h"
#include "xray/records/reader.h"

enum { RECORD_NORMAL = 0, RECORD_ARGUMENT = 1 };
enum { RECORD_AND_ARGUMENTS = (1 + TL_XRAY_MAX_ARGS) * TL_XRAY_BASIC_BYTES };

struct basic {
	uint16_t type;
	int32_t thread, process;
};

static struct basic head_of(const struct tl_xray_dialect *d, const uint8_t *p)
{
	struct basic b = { .type = tl_get16s(p, d->swap) };
	/* The thread of an argument record stands where a normal one has its TSC. */
	unsigned at = b.type == RECORD_ARGUMENT ? 8 : 16;

	b.thread = (int32_t)tl_get32s(p + at, d->swap);
	b.process = d->version >= 3 ? (int32_t)tl_get32s(p + at + 4, d->swap) : 0;
	return b;
}

/* Chunks of several threads follow each other; a block is a run of one thread. */
int tl_xray_index_basic(struct tl_xray_reader *reader, struct tl_error *err)
{
	const struct tl_xray_dialect *d = &reader->dialect;
	struct tl_xray_block block = { .end = TL_XRAY_HEADER_BYTES };
	uint64_t at = TL_XRAY_HEADER_BYTES;
	bool named = false; /* a record of the block has named its thread */
	int status = 0;

	for (; status == 0 && reader->size - at >= TL_XRAY_BASIC_BYTES; at += TL_XRAY_BASIC_BYTES) {
		const uint8_t *p = tl_xray_look(reader, at, TL_XRAY_BASIC_BYTES);
		struct basic b;
		bool known;

		if (!p)
			return tl_error_memory(err);
		b = head_of(d, p);
		known = b.type <= RECORD_ARGUMENT;

		if (named && known && (b.thread != block.thread || b.process != block.process)) {
			status = tl_xray_add_block(reader, &block, err);
			block.start = 0;
			named = false;
		}
		if (!block.start)
			block = (struct tl_xray_block){ .start = at };
		if (!named && known) {
			block.thread = b.thread;
			block.process = b.process;
			block.timed = b.type == RECORD_NORMAL;
			block.first_tsc = block.timed ? tl_get64s(p + 8, d->swap) : 0;
			named = true;
		}
		block.end = at + TL_XRAY_BASIC_BYTES;
	}
	if (status == 0 && block.start)
		status = tl_xray_add_block(reader, &block, err);
	if (status == 0 && at < reader->size)
		status = tl_xray_add_gap(
			reader, at, reader->size, TL_TRUNCATED,
			"the last record is cut short; kept the whole ones before it", err);
	return status;
}

/* A record that cannot be read costs only itself, since all records have the same size. */
static int lose_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
		       const char *text, struct tl_error *err)
{
	const uint8_t *end = stream->cur.end;
	int status;

	stream->cur.end = stream->cur.pos + TL_XRAY_BASIC_BYTES;
	status = tl_xray_lose(stream, record->offset, TL_BAD_RECORD, text, record, err);
	stream->cur.end = end;
	return status;
}

/*
 * Argument records that belong to the normal record before: same function, thread and process
 * (2.7).
 */
static void attach_arguments(const struct tl_xray_stream *stream, struct tl_xray_record *record)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	const uint8_t *p = stream->cur.pos;

	while ((size_t)(stream->cur.end - p) >= TL_XRAY_BASIC_BYTES &&
	       record->arg_count < TL_XRAY_MAX_ARGS) {
		struct basic b = head_of(d, p);

		if (b.type != RECORD_ARGUMENT || b.thread != record->thread ||
		    b.process != record->process || tl_get32s(p + 4, d->swap) != record->function)
			break;
		record->args[record->arg_count++] = tl_get64s(p + 16, d->swap);
		p += TL_XRAY_BASIC_BYTES;
	}
}

int tl_xray_decode_basic(struct tl_xray_stream *stream, struct tl_xray_record *record,
			 struct tl_error *err)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	const uint8_t *p;
	struct basic b;

	if (!tl_xray_stream_extend(stream, RECORD_AND_ARGUMENTS))
		return tl_error_memory(err);
	if (!tl_cursor_has(&stream->cur, TL_XRAY_BASIC_BYTES))
		return tl_xray_stream_over(stream, err);
	p = stream->cur.pos;
	b = head_of(d, p);
	*record = (struct tl_xray_record){
		.offset = tl_cursor_offset(&stream->cur),
		.length = TL_XRAY_BASIC_BYTES,
		.tsc = stream->tsc,
		.thread = b.thread,
		.process = b.process,
		.cpu = stream->cpu,
	};
	if (b.type > RECORD_ARGUMENT)
		return lose_record(stream, record,
				   "a record of unknown type; went on at the next one", err);
	if (b.type == RECORD_NORMAL && p[3] > TL_XRAY_ENTER_ARGS)
		return lose_record(stream, record,
				   "a function record of unknown action; went on at the next one",
				   err);
	record->function = tl_get32s(p + 4, d->swap);
	/* Ids start at 1 (2.8), so zeroed bytes are not a call. */
	if (!record->function)
		return lose_record(
			stream, record,
			"a record of function id 0, which no function has; went on at the next one",
			err);
	stream->cur.pos += TL_XRAY_BASIC_BYTES;
	stream->record++;
	if (b.type == RECORD_ARGUMENT) {
		record->kind = TL_XRAY_CALL_ARGUMENT;
		record->value = tl_get64s(p + 16, d->swap);
		return 1;
	}
	record->kind = TL_XRAY_FUNCTION;
	record->action = (enum tl_xray_action)p[3];
	record->cpu = stream->cpu = p[2];
	record->tsc = stream->tsc = tl_get64s(p + 8, d->swap);
	attach_arguments(stream, record);
	return 1;
}
