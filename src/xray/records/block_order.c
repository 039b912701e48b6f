/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a trace: added by the index of each mode, then sorted by thread and time. */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xray/records/reader.h"

int tl_xray_add_block(struct tl_xray_reader *reader, const struct tl_xray_block *block,
		      struct tl_error *err)
{
	if (reader->block_count >= TL_NONE ||
	    !tl_grow(&reader->blocks, &reader->block_capacity, reader->block_count + 1,
		     sizeof(*reader->blocks)))
		return tl_error_memory(err);
	reader->blocks[reader->block_count++] = *block;
	return 0;
}

int tl_xray_add_gap(struct tl_xray_reader *reader, uint64_t start, uint64_t end,
		    enum tl_status status, const char *text, struct tl_error *err)
{
	/* clang-format off */
	struct tl_xray_fault fault = {
		.status = status, .text = text, .offset = start, .length = end - start,
		  .record = TL_NOWHERE,
	};
	/* clang-format on */

	if (!tl_xray_fault(&reader->faults, &fault) ||
	    !tl_grow(&reader->gaps.list, &reader->gaps.capacity, reader->gaps.count + 1,
		     sizeof(*reader->gaps.list)))
		return tl_error_memory(err);
	reader->gaps.list[reader->gaps.count++] = (struct tl_xray_gap){ start, end, text };
	if (reader->options.strict)
		return tl_error_at(err, status, start, text);
	return 0;
}

static int by_thread(const void *a, const void *b, void *arg)
{
	const struct tl_xray_reader *r = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct tl_xray_block *x = &r->blocks[i], *y = &r->blocks[j];

	if (x->child != y->child)
		return tl_compare(x->child, y->child);
	if (x->process != y->process)
		return tl_compare(x->process, y->process);
	if (x->thread != y->thread)
		return tl_compare(x->thread, y->thread);
	return tl_compare(i, j);
}

/* Within a thread: by first TSC; equal ones as in the file (3.11). */
static int by_time(const void *a, const void *b, void *arg)
{
	const struct tl_xray_reader *r = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct tl_xray_block *x = &r->blocks[i], *y = &r->blocks[j];

	if (x->first_tsc != y->first_tsc)
		return tl_compare(x->first_tsc, y->first_tsc);
	return tl_compare(i, j);
}

static int add_thread(struct tl_xray_reader *r, uint32_t begin, uint32_t end, struct tl_error *err)
{
	const struct tl_xray_block *first = &r->blocks[r->order[begin]];

	if (!tl_grow(&r->threads, &r->thread_capacity, r->thread_count + 1, sizeof(*r->threads)))
		return tl_error_memory(err);
	r->threads[r->thread_count++] =
		(struct tl_xray_thread){ first->process, first->thread, first->child, begin, end };
	if (r->info.mode != TL_XRAY_FDR)
		return 0; /* they are in order in the file (2.7) */
	/* A block without a time of its own stays behind the block before it. */
	for (uint32_t i = begin + 1; i < end; i++)
		if (!r->blocks[r->order[i]].timed)
			r->blocks[r->order[i]].first_tsc = r->blocks[r->order[i - 1]].first_tsc;
	qsort_r(r->order + begin, end - begin, sizeof(*r->order), by_time, r);
	return 0;
}

int tl_xray_order_blocks(struct tl_xray_reader *r, struct tl_error *err)
{
	uint32_t count = 0, begin = 0;
	int status = 0;

	free(r->order);
	r->thread_count = 0;
	r->order = malloc((r->block_count + 1u) * sizeof(*r->order));
	if (!r->order)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < r->block_count; i++)
		if (!r->blocks[i].copy)
			r->order[count++] = i;
	qsort_r(r->order, count, sizeof(*r->order), by_thread, r);
	for (uint32_t i = 1; status == 0 && i <= count; i++) {
		const struct tl_xray_block *a = &r->blocks[r->order[begin]];

		if (i < count && r->blocks[r->order[i]].thread == a->thread &&
		    r->blocks[r->order[i]].process == a->process &&
		    r->blocks[r->order[i]].child == a->child)
			continue;
		status = add_thread(r, begin, i, err);
		begin = i;
	}
	r->info.blocks = r->block_count;
	r->info.threads = (uint32_t)r->thread_count;
	return status;
}
