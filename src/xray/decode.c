/* SPDX-License-Identifier: Apache-2.0 */
/* FDR: bytes of one block to records ("Format", "ThreadBuffer"). */
#include "xray/reader.h"

#include "core/error.h"

/* ---- payloads of metadata records, by kind; `p` is at the 15 bytes after the first ---- */

/* A fault while decoding a record: `text` NULL is none. */
struct flaw {
	enum tl_status status;
	const char *text;
};

static const struct flaw fine;

typedef struct flaw decode_fn(struct xray_stream *stream, const uint8_t *p,
			      struct tl_xray_record *record);

static struct flaw new_buffer(struct xray_stream *stream, const uint8_t *p,
			      struct tl_xray_record *record)
{
	const struct xray_dialect *d = &stream->reader->dialect;

	/* The first record of a block, after its extents (1.5); a second one means that the extents
	 * are wrong. */
	if (stream->begun)
		return (struct flaw){
			TL_BAD_RECORD, "a buffer begins inside another; kept the records before it"
		};
	stream->begun = true;
	record->thread = d->tid16 ? tl_get16s(p, d->swap) : (int32_t)tl_get32s(p, d->swap);
	stream->thread = record->thread;
	stream->process = d->version == 2 ? record->thread : d->version == 1 ? 0 : stream->process;
	record->process = stream->process;
	return fine;
}

static struct flaw end_of_buffer(struct xray_stream *stream, const uint8_t *p,
				 struct tl_xray_record *record)
{
	(void)p;
	(void)record;
	if (stream->reader->dialect.version > 1)
		return (struct flaw){ TL_BAD_RECORD, "an EndOfBuffer record, which ended with "
						     "version 1; kept the records before it" };
	/* What follows is filler up to the next buffer ("EndOfBuffer Records"). */
	stream->cur.pos = stream->cur.end;
	return fine;
}

static struct flaw new_cpu(struct xray_stream *stream, const uint8_t *p,
			   struct tl_xray_record *record)
{
	bool swap = stream->reader->dialect.swap;

	record->cpu = stream->cpu = tl_get16s(p, swap);
	record->tsc = stream->tsc = tl_get64s(p + 2, swap);
	return fine;
}

static struct flaw tsc_wrap(struct xray_stream *stream, const uint8_t *p,
			    struct tl_xray_record *record)
{
	record->tsc = stream->tsc = tl_get64s(p, stream->reader->dialect.swap);
	return fine;
}

static struct flaw wall_clock(struct xray_stream *stream, const uint8_t *p,
			      struct tl_xray_record *record)
{
	bool swap = stream->reader->dialect.swap;

	record->value = tl_get64s(p, swap);
	record->microseconds = tl_get32s(p + 8, swap);
	return fine;
}

static struct flaw call_argument(struct xray_stream *stream, const uint8_t *p,
				 struct tl_xray_record *record)
{
	record->value = tl_get64s(p, stream->reader->dialect.swap);
	return fine;
}

static struct flaw buffer_extents(struct xray_stream *stream, const uint8_t *p,
				  struct tl_xray_record *record)
{
	if (stream->record)
		return (struct flaw){
			TL_BAD_RECORD,
			"buffer extents inside a buffer; kept the records before them"
		};
	record->value = tl_get64s(p, stream->reader->dialect.swap);
	return fine;
}

static struct flaw pid(struct xray_stream *stream, const uint8_t *p, struct tl_xray_record *record)
{
	record->process = stream->process = (int32_t)tl_get32s(p, stream->reader->dialect.swap);
	return fine;
}

/* The bytes that follow an event's record. */
static struct flaw payload(struct xray_stream *stream, const uint8_t *p,
			   struct tl_xray_record *record)
{
	int32_t size = (int32_t)tl_get32s(p, stream->reader->dialect.swap);

	if (size < 0)
		return (struct flaw){ TL_BAD_SIZE,
				      "an event of negative size; kept the records before it" };
	if (!tl_cursor_has(&stream->cur, (uint32_t)size))
		return (struct flaw){
			TL_TRUNCATED,
			"an event reaches past the end of its buffer; kept the records before it"
		};
	record->payload = stream->cur.pos;
	record->payload_size = (uint32_t)size;
	record->length += (uint32_t)size;
	stream->cur.pos += size;
	return fine;
}

static void event_delta(struct xray_stream *stream, const uint8_t *p, struct tl_xray_record *record)
{
	record->delta = (int32_t)tl_get32s(p, stream->reader->dialect.swap);
	stream->tsc += (uint64_t)record->delta;
	record->tsc = stream->tsc;
}

static struct flaw custom_event(struct xray_stream *stream, const uint8_t *p,
				struct tl_xray_record *record)
{
	const struct xray_dialect *d = &stream->reader->dialect;
	struct flaw flaw = payload(stream, p, record);

	if (flaw.text)
		return flaw;
	if (d->version >= 5) {
		event_delta(stream, p + 4, record);
		return fine;
	}
	/* Absolute, and without effect on the deltas that follow (3.20). */
	record->tsc = tl_get64s(p + 4, d->swap);
	if (d->version == 4)
		record->cpu = tl_get16s(p + 12, d->swap);
	return fine;
}

static struct flaw typed_event(struct xray_stream *stream, const uint8_t *p,
			       struct tl_xray_record *record)
{
	struct flaw flaw = payload(stream, p, record);

	if (flaw.text)
		return flaw;
	event_delta(stream, p + 4, record);
	record->event_type = tl_get16s(p + 8, stream->reader->dialect.swap);
	return fine;
}

static decode_fn *const decoders[XRAY_MD_COUNT] = {
	[XRAY_MD_NEW_BUFFER] = new_buffer,
	[XRAY_MD_END_OF_BUFFER] = end_of_buffer,
	[XRAY_MD_NEW_CPU] = new_cpu,
	[XRAY_MD_TSC_WRAP] = tsc_wrap,
	[XRAY_MD_WALL_CLOCK] = wall_clock,
	[XRAY_MD_CUSTOM_EVENT] = custom_event,
	[XRAY_MD_CALL_ARGUMENT] = call_argument,
	[XRAY_MD_BUFFER_EXTENTS] = buffer_extents,
	[XRAY_MD_TYPED_EVENT] = typed_event,
	[XRAY_MD_PID] = pid,
};

/* ---- records ---- */

/* CallArgument records right after a function record belong to it; they stay to be read as records,
 * too. */
static void attach_arguments(const struct xray_stream *stream, struct tl_xray_record *record)
{
	const struct xray_dialect *d = &stream->reader->dialect;
	uint8_t first = xray_metadata_byte(d, XRAY_MD_CALL_ARGUMENT);
	const uint8_t *p = stream->cur.pos;

	while ((size_t)(stream->cur.end - p) >= XRAY_METADATA_BYTES && *p == first &&
	       record->arg_count < TL_XRAY_MAX_ARGS) {
		record->args[record->arg_count++] = tl_get64s(p + 1, d->swap);
		p += XRAY_METADATA_BYTES;
	}
}

static int function_record(struct xray_stream *stream, struct tl_xray_record *record,
			   struct tl_error *err)
{
	const struct xray_dialect *d = &stream->reader->dialect;
	uint64_t start = record->offset;
	const uint8_t *p = stream->cur.pos;
	uint32_t word;
	unsigned action;

	if (!tl_cursor_has(&stream->cur, XRAY_FUNCTION_BYTES))
		return tl_xray_lose(stream, start, TL_TRUNCATED,
				    "a function record is cut short; kept the records before it",
				    record, err);
	word = tl_get32s(p, d->swap);
	action = xray_function_action(d->high_bits, word);
	if (action > TL_XRAY_ENTER_ARGS)
		return tl_xray_lose(
			stream, start, TL_BAD_RECORD,
			"a function record of unknown action; kept the records before it", record,
			err);
	record->function = xray_function_id(d->high_bits, word);
	/* Ids start at 1 (2.8): bytes that were zeroed are no calls. */
	if (!record->function)
		return tl_xray_lose(stream, start, TL_BAD_RECORD,
				    "a function record of id 0, which no function has; kept the "
				    "records before it",
				    record, err);
	record->kind = TL_XRAY_FUNCTION;
	record->action = (enum tl_xray_action)action;
	record->delta = tl_get32s(p + 4, d->swap);
	record->length = XRAY_FUNCTION_BYTES;
	record->tsc = stream->tsc += (uint64_t)record->delta;
	stream->cur.pos += XRAY_FUNCTION_BYTES;
	stream->record++;
	attach_arguments(stream, record);
	return 1;
}

static int metadata_record(struct xray_stream *stream, struct tl_xray_record *record,
			   struct tl_error *err)
{
	uint64_t start = record->offset;
	const uint8_t *p = stream->cur.pos;
	struct flaw flaw;
	unsigned kind;

	if (!tl_cursor_has(&stream->cur, XRAY_METADATA_BYTES))
		return tl_xray_lose(stream, start, TL_TRUNCATED,
				    "a metadata record is cut short; kept the records before it",
				    record, err);
	kind = xray_metadata_kind(stream->reader->dialect.high_bits, *p);
	if (kind >= XRAY_MD_COUNT)
		return tl_xray_lose(stream, start, TL_BAD_RECORD,
				    "a metadata record of unknown kind; kept the records before it",
				    record, err);
	record->kind = tl_xray_metadata_kinds[kind].kind;
	record->length = XRAY_METADATA_BYTES;
	stream->cur.pos += XRAY_METADATA_BYTES;
	flaw = decoders[kind](stream, p + 1, record);
	if (flaw.text)
		return tl_xray_lose(stream, start, flaw.status, flaw.text, record, err);
	stream->record++;
	return 1;
}

int tl_xray_decode_fdr(struct xray_stream *stream, struct tl_xray_record *record,
		       struct tl_error *err)
{
	if (stream->cur.pos == stream->cur.end)
		return 0;
	/* Not the whole record: its arguments and path are only read as far as their counts say. */
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
	if (xray_is_metadata(stream->reader->dialect.high_bits, *stream->cur.pos))
		return metadata_record(stream, record, err);
	return function_record(stream, record, err);
}
