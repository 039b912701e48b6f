/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index of the buffers of an FDR log. Buffers form a chain: each ends where the next one begins,
 * from version 2 on by its BufferExtents, in version 1 by the buffer size of the header. Where the
 * chain breaks, extents are wrong or bytes between buffers are damaged. Then the next certain head
 * of a buffer is searched for, starting at the head of the buffer before, so that a wrong size, or
 * a few bytes too many or too few, do not cost a whole buffer (3.6 to 3.9).
 */
#include "core/error.h"
#include "core/memory.h"
#include "xray/records/fdr_buffers.h"

/* Whether a buffer begins at an offset where one should. */
static bool head_at(const struct tl_xray_reader *r, uint64_t at, struct tl_xray_buffer_head *head)
{
	if (r->dialect.version == 1) {
		*head = (struct tl_xray_buffer_head){ .start = at,
						      .end = UINT64_MAX,
						      .found = tl_xray_is_kind(
							      r, at, TL_XRAY_MD_NEW_BUFFER) };
		return head->found;
	}
	head->found = false;
	if (!tl_xray_is_kind(r, at, TL_XRAY_MD_BUFFER_EXTENTS))
		return false;
	*head = (struct tl_xray_buffer_head){ .start = at,
					      .end = tl_xray_extents_end(r, at),
					      .sized = true };
	/* An empty block has nothing but its extents. */
	head->found = tl_xray_is_kind(r, at + TL_XRAY_METADATA_BYTES, TL_XRAY_MD_NEW_BUFFER) ||
		      (head->end == at + TL_XRAY_METADATA_BYTES &&
		       (head->end == r->size ||
			tl_xray_is_kind(r, head->end, TL_XRAY_MD_BUFFER_EXTENTS)));
	return head->found;
}

/* ---- one buffer ---- */

enum { HEAD_RECORDS = 8 };

/* Find the thread, process and first absolute TSC of a block in its first few records. */
static int describe(const struct tl_xray_reader *r, struct tl_xray_block *block,
		    struct tl_error *err)
{
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_stream stream;
	struct tl_xray_record record;
	int status = 1;

	tl_xray_stream_begin(&stream, r, NULL, 0, 0, &unnoted);
	tl_xray_stream_place(&stream, block->start, block->end);
	for (int i = 0; i < HEAD_RECORDS && status == 1 && !block->timed; i++) {
		status = tl_xray_decode_fdr(&stream, &record, err);
		if (status != 1 || record.kind == TL_XRAY_FUNCTION || record.kind == TL_XRAY_LOST)
			break;
		block->has_process |= record.kind == TL_XRAY_PID;
		if (record.kind == TL_XRAY_NEW_CPU || record.kind == TL_XRAY_TSC_WRAP) {
			block->timed = true;
			block->first_tsc = record.tsc;
		}
	}
	block->thread = stream.thread;
	block->process = stream.process;
	block->begun = stream.begun;
	tl_xray_stream_end(&stream);
	free(unnoted.list);
	return tl_error_if_memory(status);
}

/* Add the block of a head. `*next` is set to the offset where the next block should begin. */
static int take_block(struct tl_xray_reader *r, const struct tl_xray_buffer_head *head,
		      uint64_t spacing, uint64_t *next, struct tl_error *err)
{
	struct tl_xray_block block = { .start = head->start, .end = head->end };
	struct tl_xray_buffer_head follower;
	int status = 0;

	if (r->dialect.version == 1) {
		status = tl_xray_buffer_end(r, head->start, spacing, &block.end, err);
	} else if (block.end != r->size &&
		   !(block.end < r->size && head_at(r, block.end, &follower))) {
		/* No head follows where the extents end: the chain breaks behind this block. */
		follower = tl_xray_next_head(r, head->start + TL_XRAY_METADATA_BYTES + 1);
		/*
		 * A buffer without extents has lost them among the bytes that were skipped before
		 * it.
		 */
		if (head->sized && block.end > r->size && !follower.found)
			status = tl_xray_add_gap(r, head->start, head->start, TL_TRUNCATED,
						 "buffer extents reach past the end of the file; "
						 "kept the records before it",
						 err);
		else if (head->sized && block.end > follower.start)
			status = tl_xray_add_gap(r, head->start, head->start, TL_BAD_SIZE,
						 "buffer extents reach over the next buffer; "
						 "kept the records before it",
						 err);
		if (block.end > follower.start)
			block.end = follower.start;
	}
	*next = block.end;
	if (status == 0)
		status = describe(r, &block, err);
	if (status == 0)
		status = tl_xray_add_block(r, &block, err);
	return status;
}

/* ---- processes of threads, where a buffer names none ---- */

/* The process that the last Pid record of each thread named. */
struct owners {
	struct tl_index index;
	struct owner {
		int32_t thread, process;
	} *list;
	size_t count, capacity;
};

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	return ((const struct owners *)context)->list[number].thread == *(const int32_t *)key;
}

static struct owner *find_owner(const struct owners *o, int32_t thread)
{
	uint32_t number =
		tl_index_find(&o->index, tl_hash64((uint32_t)thread), same_thread, o, &thread);

	return number == TL_NONE ? NULL : &o->list[number];
}

static bool add_owner(struct owners *o, const struct tl_xray_block *block)
{
	if (!block->has_process || find_owner(o, block->thread))
		return true;
	if (!tl_grow(&o->list, &o->capacity, o->count + 1, sizeof(*o->list)) ||
	    !tl_index_add(&o->index, tl_hash64((uint32_t)block->thread), (uint32_t)o->count))
		return false;
	o->list[o->count++] = (struct owner){ block->thread, block->process };
	return true;
}

/*
 * The process stays the same from block to block of a thread (2.4). A block without a Pid belongs
 * to the process that an earlier block of its thread named; the first blocks belong to the one that
 * is named next.
 */
static int adopt_processes(struct tl_xray_reader *r, struct tl_error *err)
{
	struct owners owners = { 0 };
	bool ok = true, missing = false;

	for (size_t i = 0; i < r->block_count; i++)
		missing |= r->blocks[i].begun && !r->blocks[i].has_process;
	for (size_t i = 0; ok && missing && i < r->block_count; i++)
		ok = add_owner(&owners, &r->blocks[i]);
	for (size_t i = 0; ok && missing && i < r->block_count; i++) {
		struct owner *owner = find_owner(&owners, r->blocks[i].thread);

		if (owner && r->blocks[i].has_process)
			owner->process = r->blocks[i].process;
		else if (owner && r->blocks[i].begun)
			r->blocks[i].process = owner->process;
	}
	tl_index_free(&owners.index);
	free(owners.list);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

/*
 * An empty block names no thread. It is added to the thread of the block before it, or at the
 * beginning of the file to that of the first block that names one.
 */
static void adopt_empty_blocks(struct tl_xray_reader *r)
{
	const struct tl_xray_block *near = NULL;

	for (size_t i = 0; i < r->block_count && !near; i++)
		near = r->blocks[i].begun ? &r->blocks[i] : NULL;
	for (size_t i = 0; near && i < r->block_count; i++) {
		struct tl_xray_block *block = &r->blocks[i];

		if (block->begun) {
			near = block;
			continue;
		}
		block->process = near->process;
		block->thread = near->thread;
	}
}

int tl_xray_index_fdr(struct tl_xray_reader *reader, struct tl_error *err)
{
	uint64_t spacing = reader->dialect.version == 1 ? tl_xray_buffer_spacing(reader) : 0;
	uint64_t at = TL_XRAY_HEADER_BYTES;
	struct tl_xray_buffer_head head;
	int status = 0;

	while (status == 0 && at < reader->size) {
		if (!head_at(reader, at, &head)) {
			head = tl_xray_next_head(reader, at);
			status = tl_xray_add_gap(
				reader, at, head.start, TL_BAD_RECORD,
				"not the beginning of a buffer; went on at the next one", err);
			if (!head.found || status < 0)
				break;
		}
		status = take_block(reader, &head, spacing, &at, err);
	}
	if (status == 0 && reader->dialect.version >= 3)
		status = adopt_processes(reader, err);
	adopt_empty_blocks(reader);
	return status;
}
