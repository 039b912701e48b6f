/* SPDX-License-Identifier: Apache-2.0 */
/* FDR: the bytes of one block to records ("Format", "ThreadBuffer"). */
#include "xray/records/reader.h"

#include "core/error.h"

/* ---- payloads of metadata records, by kind; `p` is at the 15 bytes after the first ---- */

/* The result of decoding the payload of a record; `text` NULL: no fault. */
struct fault {
	enum tl_status status;
	const char *text;
};

static const struct fault ok;

typedef struct fault decode_fn(struct tl_xray_stream *stream, const uint8_t *p,
			       struct tl_xray_record *record);

static struct fault new_buffer(struct tl_xray_stream *stream, const uint8_t *p,
			       struct tl_xray_record *record)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;

	/*
	 * The first record of a block, after its extents (1.5). A second one in the same block
	 * means that the extents are wrong.
	 */
	if (stream->begun)
		return (struct fault){
			TL_BAD_RECORD, "a buffer begins inside another; kept the records before it"
		};
	stream->begun = true;
	record->thread = d->tid16 ? tl_get16s(p, d->swap) : (int32_t)tl_get32s(p, d->swap);
	stream->thread = record->thread;
	if (d->version <= 2)
		stream->process = d->version == 2 ? record->thread : 0;
	record->process = stream->process;
	return ok;
}

static struct fault end_of_buffer(struct tl_xray_stream *stream, const uint8_t *p,
				  struct tl_xray_record *record)
{
	(void)p;
	(void)record;
	if (stream->reader->dialect.version > 1)
		return (struct fault){ TL_BAD_RECORD, "an EndOfBuffer record, which only version 1 "
						      "has; kept the records before it" };
	/* What follows is filler up to the next buffer ("EndOfBuffer Records"). */
	stream->cur.pos = stream->cur.end;
	return ok;
}

static struct fault new_cpu(struct tl_xray_stream *stream, const uint8_t *p,
			    struct tl_xray_record *record)
{
	bool swap = stream->reader->dialect.swap;

	record->cpu = stream->cpu = tl_get16s(p, swap);
	record->tsc = stream->tsc = tl_get64s(p + 2, swap);
	return ok;
}

static struct fault tsc_wrap(struct tl_xray_stream *stream, const uint8_t *p,
			     struct tl_xray_record *record)
{
	record->tsc = stream->tsc = tl_get64s(p, stream->reader->dialect.swap);
	return ok;
}

static struct fault wall_clock(struct tl_xray_stream *stream, const uint8_t *p,
			       struct tl_xray_record *record)
{
	bool swap = stream->reader->dialect.swap;

	record->value = tl_get64s(p, swap);
	record->microseconds = tl_get32s(p + 8, swap);
	return ok;
}

static struct fault call_argument(struct tl_xray_stream *stream, const uint8_t *p,
				  struct tl_xray_record *record)
{
	record->value = tl_get64s(p, stream->reader->dialect.swap);
	return ok;
}

static struct fault buffer_extents(struct tl_xray_stream *stream, const uint8_t *p,
				   struct tl_xray_record *record)
{
	if (stream->record)
		return (struct fault){
			TL_BAD_RECORD,
			"buffer extents inside a buffer; kept the records before them"
		};
	record->value = tl_get64s(p, stream->reader->dialect.swap);
	return ok;
}

static struct fault pid(struct tl_xray_stream *stream, const uint8_t *p,
			struct tl_xray_record *record)
{
	record->process = stream->process = (int32_t)tl_get32s(p, stream->reader->dialect.swap);
	return ok;
}

/* The payload that follows the record of an event. */
static struct fault payload(struct tl_xray_stream *stream, const uint8_t *p,
			    struct tl_xray_record *record)
{
	int32_t size = (int32_t)tl_get32s(p, stream->reader->dialect.swap);

	if (size < 0)
		return (struct fault){ TL_BAD_SIZE,
				       "an event of negative size; kept the records before it" };
	if (!tl_cursor_has(&stream->cur, (uint32_t)size))
		return (struct fault){
			TL_TRUNCATED,
			"an event reaches past the end of its buffer; kept the records before it"
		};
	record->payload = stream->cur.pos;
	record->payload_size = (uint32_t)size;
	record->length += (uint32_t)size;
	stream->cur.pos += size;
	return ok;
}

static void event_delta(struct tl_xray_stream *stream, const uint8_t *p,
			struct tl_xray_record *record)
{
	record->delta = (int32_t)tl_get32s(p, stream->reader->dialect.swap);
	stream->tsc += (uint64_t)record->delta;
	record->tsc = stream->tsc;
}

static struct fault custom_event(struct tl_xray_stream *stream, const uint8_t *p,
				 struct tl_xray_record *record)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	struct fault fault = payload(stream, p, record);

	if (fault.text)
		return fault;
	if (d->version >= 5) {
		event_delta(stream, p + 4, record);
		return ok;
	}
	/* An absolute time that later deltas do not refer to (3.20). */
	record->tsc = tl_get64s(p + 4, d->swap);
	if (d->version == 4)
		record->cpu = tl_get16s(p + 12, d->swap);
	return ok;
}

static struct fault typed_event(struct tl_xray_stream *stream, const uint8_t *p,
				struct tl_xray_record *record)
{
	struct fault fault = payload(stream, p, record);

	if (fault.text)
		return fault;
	event_delta(stream, p + 4, record);
	record->event_type = tl_get16s(p + 8, stream->reader->dialect.swap);
	return ok;
}

static decode_fn *const decoders[TL_XRAY_MD_COUNT] = {
	[TL_XRAY_MD_NEW_BUFFER] = new_buffer,
	[TL_XRAY_MD_END_OF_BUFFER] = end_of_buffer,
	[TL_XRAY_MD_NEW_CPU] = new_cpu,
	[TL_XRAY_MD_TSC_WRAP] = tsc_wrap,
	[TL_XRAY_MD_WALL_CLOCK] = wall_clock,
	[TL_XRAY_MD_CUSTOM_EVENT] = custom_event,
	[TL_XRAY_MD_CALL_ARGUMENT] = call_argument,
	[TL_XRAY_MD_BUFFER_EXTENTS] = buffer_extents,
	[TL_XRAY_MD_TYPED_EVENT] = typed_event,
	[TL_XRAY_MD_PID] = pid,
};

/* ---- records ---- */

/*
 * CallArgument records directly behind a function record are attached to it, and are also given as
 * records.
 */
static void attach_arguments(const struct tl_xray_stream *stream, struct tl_xray_record *record)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	uint8_t first = tl_xray_metadata_byte(d, TL_XRAY_MD_CALL_ARGUMENT);
	const uint8_t *p = stream->cur.pos;

	while ((size_t)(stream->cur.end - p) >= TL_XRAY_METADATA_BYTES && *p == first &&
	       record->arg_count < TL_XRAY_MAX_ARGS) {
		record->args[record->arg_count++] = tl_get64s(p + 1, d->swap);
		p += TL_XRAY_METADATA_BYTES;
	}
}

static int function_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			   struct tl_error *err)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	uint64_t start = record->offset;
	const uint8_t *p = stream->cur.pos;
	uint32_t word;
	unsigned action;

	if (!tl_cursor_has(&stream->cur, TL_XRAY_FUNCTION_BYTES))
		return tl_xray_lose(stream, start, TL_TRUNCATED,
				    "a function record is cut short; kept the records before it",
				    record, err);
	word = tl_get32s(p, d->swap);
	action = tl_xray_function_action(d->high_bits, word);
	if (action > TL_XRAY_ENTER_ARGS)
		return tl_xray_lose(
			stream, start, TL_BAD_RECORD,
			"a function record of unknown action; kept the records before it", record,
			err);
	record->function = tl_xray_function_id(d->high_bits, word);
	/* Ids start at 1 (2.8), so zeroed bytes are not calls. */
	if (!record->function)
		return tl_xray_lose(stream, start, TL_BAD_RECORD,
				    "a function record of id 0, which no function has; kept the "
				    "records before it",
				    record, err);
	record->kind = TL_XRAY_FUNCTION;
	record->action = (enum tl_xray_action)action;
	record->delta = tl_get32s(p + 4, d->swap);
	record->length = TL_XRAY_FUNCTION_BYTES;
	record->tsc = stream->tsc += (uint64_t)record->delta;
	stream->cur.pos += TL_XRAY_FUNCTION_BYTES;
	stream->record++;
	attach_arguments(stream, record);
	return 1;
}

static int metadata_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			   struct tl_error *err)
{
	uint64_t start = record->offset;
	const uint8_t *p = stream->cur.pos;
	struct fault fault;
	unsigned kind;

	if (!tl_cursor_has(&stream->cur, TL_XRAY_METADATA_BYTES))
		return tl_xray_lose(stream, start, TL_TRUNCATED,
				    "a metadata record is cut short; kept the records before it",
				    record, err);
	kind = tl_xray_kind_of_metadata(stream->reader->dialect.high_bits, *p);
	if (kind >= TL_XRAY_MD_COUNT)
		return tl_xray_lose(stream, start, TL_BAD_RECORD,
				    "a metadata record of unknown kind; kept the records before it",
				    record, err);
	record->kind = tl_xray_metadata_kinds[kind].kind;
	record->length = TL_XRAY_METADATA_BYTES;
	stream->cur.pos += TL_XRAY_METADATA_BYTES;
	fault = decoders[kind](stream, p + 1, record);
	if (fault.text)
		return tl_xray_lose(stream, start, fault.status, fault.text, record, err);
	stream->record++;
	return 1;
}

int tl_xray_decode_fdr(struct tl_xray_stream *stream, struct tl_xray_record *record,
		       struct tl_error *err)
{
	if (stream->cur.pos == stream->cur.end)
		return tl_xray_stream_over(stream, err);
	/*
	 * Reset all but `args`, which is only read up to `arg_count`: clearing the whole record
	 * costs time.
	 */
	record->offset = tl_cursor_offset(&stream->cur);
	record->tsc = stream->tsc;
	record->delta = 0;
	record->value = 0;
	record->function = 0;
	record->microseconds = 0;
	record->action = TL_XRAY_ENTER;
	record->thread = stream->thread;
	record->process = stream->process;
	record->cpu = stream->cpu;
	record->event_type = 0;
	record->arg_count = 0;
	record->payload_size = 0;
	record->payload = NULL;
	record->text = NULL;
	record->path = NULL;
	record->path_length = 0;
	if (tl_xray_is_metadata(stream->reader->dialect.high_bits, *stream->cur.pos))
		return metadata_record(stream, record, err);
	return function_record(stream, record, err);
}
