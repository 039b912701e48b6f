/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "xray/calls/walk.h"

/* Function records at the position of the stream: entries begin calls, exits end the innermost. */
static inline __attribute__((always_inline)) uint32_t decode_run(struct tl_xray_stream *stream,
								 struct tl_steps *steps,
								 uint32_t left, bool swap,
								 bool high_bits)
{
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_step *step = steps->list + steps->count;
	uint64_t tsc = stream->tsc;

	for (; left && (size_t)(end - p) >= TL_XRAY_FUNCTION_BYTES; p += TL_XRAY_FUNCTION_BYTES) {
		uint32_t word = tl_get32s(p, swap);
		uint32_t is_exit = tl_xray_is_exit(high_bits, word);

		if (!tl_xray_is_step(p, word, swap, high_bits))
			break;
		tsc += tl_get32s(p + 4, swap);
		*step++ =
			(struct tl_step){ tsc, tl_xray_function_id(high_bits, word) & (is_exit - 1),
					  is_exit, 0 };
		left--;
	}
	steps->count = (size_t)(step - steps->list);
	stream->cur.pos = p;
	stream->tsc = tsc;
	return left;
}

static void put_record(struct tl_steps *steps, const struct tl_xray_record *record)
{
	bool is_exit = record->action == TL_XRAY_EXIT || record->action == TL_XRAY_TAIL_EXIT;

	tl_steps_put(steps,
		     (struct tl_step){ record->tsc, is_exit ? 0 : record->function, is_exit, 0 });
}

static int decode(struct tl_xray_stream *stream, struct tl_steps *steps, uint32_t left,
		  struct tl_error *err)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	struct tl_xray_record record;
	int status = 0;

	while (left && status >= 0) {
		if (d->mode == TL_XRAY_FDR)
			left = !d->swap && !d->high_bits
				       ? decode_run(stream, steps, left, false, false)
				       : decode_run(stream, steps, left, d->swap, d->high_bits);
		if (!left)
			break;
		status = tl_xray_stream_record(stream, &record, err);
		if (status == 0 && !tl_xray_stream_block(stream))
			break;
		if (status == 1 && record.kind == TL_XRAY_FUNCTION) {
			put_record(steps, &record);
			left--;
		}
	}
	return tl_error_or_end(status);
}

int tl_xray_decode_leaf(const struct tl_xray_reader *reader, uint32_t end_block,
			const struct tl_call_leaf *leaf, struct tl_steps *steps,
			struct tl_error *err)
{
	struct tl_xray_faults unnoted = { NULL, 0, 0, 0, 0 };
	struct tl_xray_stream stream;
	int status;

	if (leaf->block >= end_block || leaf->size > TL_LEAF_STEPS)
		return tl_error_at(err, TL_BAD_RECORD, TL_NOWHERE,
				   "the index does not fit the trace");
	if (!tl_grow(&steps->list, &steps->capacity, steps->count + leaf->size,
		     sizeof(*steps->list)))
		return tl_error_memory(err);
	tl_xray_stream_begin(&stream, reader, reader->order, leaf->block, end_block, &unnoted);
	tl_xray_stream_block(&stream);
	/* The head of the buffer was read before, if the leaf does not begin with it. */
	stream.begun = leaf->offset > stream.block->start;
	stream.record = stream.begun;
	tl_xray_stream_seek(&stream, leaf->offset);
	stream.tsc = leaf->clock;
	status = decode(&stream, steps, leaf->size, err);
	tl_xray_stream_end(&stream);
	free(unnoted.list);
	return status;
}
