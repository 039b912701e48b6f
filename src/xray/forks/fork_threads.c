/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that goes on in a forked process. Its log continues in the buffer that the forking
 * thread was writing, which names the parent's process and thread; buffers begun after the fork
 * name the child's own. Both belong to one thread with one call stack.
 */
#include <stdlib.h>

#include "xray/forks/fork_blocks.h"
#include "xray/forks/forks.h"

bool tl_xray_is_inherited(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread)
{
	bool any = false;

	for (uint32_t i = thread->begin; i < thread->end; i++) {
		const struct tl_xray_block *block = &reader->blocks[reader->order[i]];

		if (block->inherited < block->end && (block->begun || block->inherited))
			return false;
		any |= block->inherited != 0;
	}
	return any;
}

/*
 * Time of the first record at or behind an offset of a block; of its last record if there is none.
 */
static uint64_t time_at(const struct tl_xray_reader *reader, const struct tl_xray_block *block,
			uint64_t offset)
{
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_record record = { 0 };
	struct tl_xray_stream stream;
	uint64_t tsc = 0;

	tl_xray_fork_open_block(&stream, reader, (uint32_t)(block - reader->blocks), &unnoted);
	while (tl_xray_fork_next_record(&stream, &record, NULL) == 1) {
		tsc = record.tsc;
		if (record.offset >= offset)
			break;
	}
	tl_xray_fork_close_block(&stream);
	free(unnoted.list);
	return tsc;
}

/*
 * Only the forking thread continues in the child. Other buffers can still have records that the
 * parent's log lacks, because the runtime takes back calls that were too short to keep. The
 * continuing thread is the one with the latest record.
 */
static const struct tl_xray_block *find_survivor(const struct tl_xray_reader *r)
{
	const struct tl_xray_block *survivor = NULL;
	uint64_t latest = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct tl_xray_block *block = &r->blocks[i];
		uint64_t tsc;

		if (!block->inherited || block->inherited >= block->end || block->copy)
			continue;
		tsc = time_at(r, block, block->inherited);
		if (!survivor || tsc > latest) {
			survivor = block;
			latest = tsc;
		}
	}
	return survivor;
}

/* The first block of a process. */
static const struct tl_xray_block *first_of(const struct tl_xray_reader *r, int32_t process)
{
	const struct tl_xray_block *first = NULL;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct tl_xray_block *block = &r->blocks[i];

		if (block->begun && block->process == process &&
		    (!first || block->first_tsc < first->first_tsc))
			first = block;
	}
	return first;
}

/*
 * The first block of the process that wrote the log, if that process began buffers: it is the
 * youngest one, and its first thread has its number.
 */
static const struct tl_xray_block *find_own(const struct tl_xray_reader *r)
{
	const struct tl_xray_block *own = NULL;

	for (size_t i = 0; i < r->thread_count; i++) {
		const struct tl_xray_block *first;

		if (i && r->threads[i].process == r->threads[i - 1].process)
			continue;
		first = first_of(r, r->threads[i].process);
		if (first && (!own || first->first_tsc > own->first_tsc))
			own = first;
	}
	return own && own->process == own->thread && !own->inherited ? own : NULL;
}

/* The last block of a thread that begins before a time; NULL: none. */
static const struct tl_xray_block *last_before(const struct tl_xray_reader *r,
					       const struct tl_xray_thread *thread, uint64_t tsc)
{
	const struct tl_xray_block *last = NULL;

	for (uint32_t i = thread->begin; i < thread->end; i++)
		if (r->blocks[r->order[i]].timed && r->blocks[r->order[i]].first_tsc < tsc)
			last = &r->blocks[r->order[i]];
	return last;
}

/*
 * The thread that forked the process of `block`: among the older threads, the one with the latest
 * record. NULL: none.
 */
static const struct tl_xray_block *forked_by(const struct tl_xray_reader *r,
					     const struct tl_xray_block *block)
{
	const struct tl_xray_block *first = first_of(r, block->process), *found = NULL;
	uint64_t latest = 0;

	for (size_t i = 0; block->process == block->thread && i < r->thread_count; i++) {
		const struct tl_xray_block *last = last_before(r, &r->threads[i], first->first_tsc);
		uint64_t tsc;

		if (!last || last->process == block->process)
			continue;
		tsc = time_at(r, last, UINT64_MAX);
		if (!found || tsc > latest) {
			found = last;
			latest = tsc;
		}
	}
	return found;
}

struct name {
	int32_t process, thread;
	uint32_t child;
};

static void rename_thread(struct tl_xray_reader *r, struct name from, struct name to)
{
	for (size_t i = 0; i < r->block_count; i++) {
		struct tl_xray_block *block = &r->blocks[i];

		if (block->process != from.process || block->thread != from.thread ||
		    block->child != from.child)
			continue;
		block->process = to.process;
		block->thread = to.thread;
		block->child = to.child;
	}
}

/*
 * From the fork on the forking thread is another thread with the same stack; the same holds for the
 * thread that forked it.
 */
static void rename_forks(struct tl_xray_reader *r, const struct tl_xray_block *last, struct name to)
{
	struct name names[16];
	size_t count = 0;

	for (const struct tl_xray_block *block = last;
	     block && count < sizeof(names) / sizeof(names[0]); block = forked_by(r, block))
		names[count++] = (struct name){ block->process, block->thread, 0 };
	for (size_t i = 0; i < count; i++)
		rename_thread(r, names[i], to);
}

/* Drop the remaining records of threads that the fork ended. */
static void drop_tails(struct tl_xray_reader *r, const struct tl_xray_block *kept)
{
	for (size_t i = 0; i < r->block_count; i++)
		if (r->blocks[i].inherited && &r->blocks[i] != kept)
			r->blocks[i].inherited = r->blocks[i].end;
}

void tl_xray_name_forked_thread(struct tl_xray_reader *r, bool several, uint32_t *child)
{
	const struct tl_xray_block *own = several ? find_own(r) : NULL;
	const struct tl_xray_block *survivor = find_survivor(r);
	const struct tl_xray_block *from = own ? forked_by(r, own) : NULL;

	if (own) {
		/* The buffer of the forking thread may have been full at the fork. */
		bool same = from && survivor && from->process == survivor->process &&
			    from->thread == survivor->thread;

		drop_tails(r, same ? survivor : NULL);
		rename_forks(r, own, (struct name){ own->process, own->thread, 0 });
		r->forks.orphaned = !r->forks.inherits && from;
	} else if (survivor) {
		drop_tails(r, survivor);
		rename_forks(r, survivor,
			     (struct name){ survivor->process, survivor->thread, ++*child });
	}
}
