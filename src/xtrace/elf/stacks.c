/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads execute the same code, and rewritten instructions have no register to spare: which
 * thread comes along is told by SP. A table has the context of each thread by the page that SP is
 * in, of which so many bits count that the table is small. Pages next to those that were seen
 * belong to the same stack, where no other is.
 */
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "xtrace/elf/context.h"
#include "xtrace/elf/space.h"

enum { SLOTS = 1 << TL_XTRACE_STACK_BITS, NEAR = 16 };
enum { TABLE_PAGES = SLOTS * 8 / TL_XTRACE_IMAGE_BYTES };

bool tl_xtrace_replay_stack(struct tl_xtrace_replay *replay, uint32_t thread, uint64_t sp)
{
	uint64_t *threads;

	replay->stacks.page_bytes = sizeof(*threads);
	threads = (void *)tl_xtrace_pages_get(&replay->stacks, sp / TL_XTRACE_IMAGE_BYTES);
	if (!threads)
		return false;
	*threads |= UINT64_C(1) << thread;
	return true;
}

struct stack_table {
	struct tl_xtrace_image *image;
	uint64_t address;
};

/* The slot of a page of stack; NULL without memory. */
static uint8_t *slot_of(const struct stack_table *table, uint64_t page)
{
	uint64_t address = table->address + page % SLOTS * 8;
	struct tl_xtrace_image_page *of_table = tl_xtrace_image_page(table->image, address);

	return of_table ? of_table->first + address % TL_XTRACE_IMAGE_BYTES : NULL;
}

/* 1: it is so now; 0: another one's; negative: no memory. */
static int claim(const struct stack_table *table, uint64_t page, uint64_t context,
		 struct tl_error *err)
{
	uint8_t *slot = slot_of(table, page);
	uint64_t there;

	if (!slot)
		return tl_error_memory(err);
	context = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(context) : context;
	memcpy(&there, slot, sizeof(there));
	if (there)
		return there == context;
	memcpy(slot, &context, sizeof(context));
	return 1;
}

static int claim_seen(const struct stack_table *table, const struct tl_xtrace_page *page,
		      const struct tl_xtrace_context_table *contexts, struct tl_error *err)
{
	uint64_t threads = *(const uint64_t *)(const void *)page->bytes;
	int status = 0;

	if (!(threads & (threads - 1)))
		status = claim(table, page->number,
			       contexts->first +
				       (uint64_t)__builtin_ctzll(threads) * contexts->bytes,
			       err);
	if (status == 0)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the stacks of threads cannot be told apart, so that they "
				   "cannot be one program; choose one with --thread");
	return status;
}

static int claim_near(const struct stack_table *table, const struct tl_xtrace_page *page,
		      const struct tl_xtrace_context_table *contexts, struct tl_error *err)
{
	uint64_t threads = *(const uint64_t *)(const void *)page->bytes;
	uint64_t context = contexts->first + (uint64_t)__builtin_ctzll(threads) * contexts->bytes;
	int status = 1;

	for (uint64_t i = 0; status >= 0 && i <= 2 * NEAR; i++)
		status = claim(table, page->number + i - NEAR, context, err);
	return status;
}

static int claim_all(const struct tl_xtrace_pages *stacks, const struct stack_table *table,
		     const struct tl_xtrace_context_table *contexts, struct tl_error *err,
		     int (*of_page)(const struct stack_table *, const struct tl_xtrace_page *,
				    const struct tl_xtrace_context_table *, struct tl_error *))
{
	int status = 1;

	for (size_t i = 0; status >= 0 && stacks->slots && i <= stacks->mask; i++)
		if (stacks->slots[i].bytes)
			status = of_page(table, &stacks->slots[i], contexts, err);
	return tl_error_or_end(status);
}

int tl_xtrace_stacks_make(struct tl_xtrace_replay *replay, struct tl_xtrace_space *space,
			  struct tl_xtrace_context_table *contexts, struct tl_error *err)
{
	struct stack_table table = { .image = &replay->image };
	int status;

	if (replay->thread_count < 2)
		return 0;
	table.address = tl_xtrace_space_aligned(space, UINT64_C(1) << 32, TABLE_PAGES);
	if (!table.address)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the slice leaves no room for its program");
	if (!tl_xtrace_space_take(space, table.address / TL_XTRACE_IMAGE_BYTES, TABLE_PAGES))
		return tl_error_memory(err);
	contexts->stacks = (uint32_t)(table.address >> 32);
	status = claim_all(&replay->stacks, &table, contexts, err, claim_seen);
	if (status == 0)
		status = claim_all(&replay->stacks, &table, contexts, err, claim_near);
	return status;
}
