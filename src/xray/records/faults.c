/* SPDX-License-Identifier: Apache-2.0 */
/* The list of faults, and giving up a block at a fault. */
#include "core/error.h"
#include "core/memory.h"
#include "xray/records/reader.h"

enum { FAULTS_LISTED = 1000 };

bool tl_xray_fault(struct tl_xray_faults *faults, const struct tl_xray_fault *fault)
{
	faults->count++;
	faults->skipped_bytes += fault->length;
	if (faults->listed == FAULTS_LISTED)
		return true;
	if (!tl_grow(&faults->list, &faults->capacity, faults->listed + 1, sizeof(*faults->list)))
		return false;
	faults->list[faults->listed++] = *fault;
	return true;
}

bool tl_xray_faults_merge(struct tl_xray_faults *into, const struct tl_xray_faults *from)
{
	uint64_t count = into->count + from->count;
	uint64_t skipped = into->skipped_bytes + from->skipped_bytes;

	for (size_t i = 0; i < from->listed; i++)
		if (!tl_xray_fault(into, &from->list[i]))
			return false;
	into->count = count;
	into->skipped_bytes = skipped;
	return true;
}

int tl_xray_add_faults(struct tl_xray_reader *reader, const struct tl_xray_faults *faults,
		       struct tl_error *err)
{
	bool added = tl_xray_faults_merge(&reader->faults, faults);

	reader->from_text = true;
	reader->index_faults = reader->faults;
	if (!added)
		return tl_error_memory(err);
	return 0;
}

int tl_xray_lose(struct tl_xray_stream *stream, uint64_t start, enum tl_status status,
		 const char *text, struct tl_xray_record *record, struct tl_error *err)
{
	uint64_t end = (uint64_t)(stream->cur.end - stream->cur.base);
	/* clang-format off */
	struct tl_xray_fault fault = {
		.status = status, .text = text, .offset = start, .length = end - start,
		  .record = stream->record,
	};
	/* clang-format on */

	*record = (struct tl_xray_record){
		.kind = TL_XRAY_LOST,
		.offset = start,
		.length = end - start,
		.text = text,
		.tsc = stream->tsc,
		.thread = stream->thread,
		.process = stream->process,
		.cpu = stream->cpu,
	};
	stream->cur.pos = stream->cur.end;
	if (!tl_xray_fault(stream->faults, &fault))
		return tl_error_memory(err);
	if (stream->reader->options.strict)
		return tl_error_in(err, status, start, stream->record, text);
	stream->record++;
	return 1;
}
