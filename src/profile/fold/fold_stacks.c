/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of one thread that take turns. */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "profile/fold/fold.h"

enum { ROOM = 16 };

static bool room(struct tl_fold_stack *stack, size_t depth)
{
	return tl_grow(&stack->frames, &stack->capacity, tl_max(depth + 2, ROOM),
		       sizeof(*stack->frames));
}

bool tl_fold_stack_begin(struct tl_fold_stack *stack)
{
	*stack = (struct tl_fold_stack){ .frames = NULL };
	if (!room(stack, 0))
		return false;
	stack->frames[0] = (struct tl_fold_frame){ .function = TL_NONE };
	return true;
}

void tl_fold_stack_free(struct tl_fold_stack *stack)
{
	free(stack->frames);
	*stack = (struct tl_fold_stack){ .frames = NULL };
}

/* Which calls are the outermost ones, without contexts, is known of one stack. */
static void refuse_sums(struct tl_fold *fold)
{
	fold->refused |= fold->hot.sums != NULL;
}

/* Frames that are counted as open are those of the stack that runs. */
static void forget_open(struct tl_fold *fold)
{
	struct tl_fold_hot *h = &fold->hot;

	for (; h->indexed > fold->frames; h->indexed--)
		fold->open[h->indexed->function]--;
}

static void use(struct tl_fold *fold, const struct tl_fold_stack *stack)
{
	fold->frames = stack->frames;
	fold->capacity.frames = stack->capacity;
	fold->hot.top = stack->frames + stack->depth;
	fold->hot.last = stack->frames + stack->capacity - 1;
	fold->hot.indexed = stack->frames;
	fold->hot.clock = stack->clock;
}

static struct tl_fold_stack running(const struct tl_fold *fold)
{
	return (struct tl_fold_stack){
		.frames = fold->frames,
		.capacity = fold->capacity.frames,
		.depth = tl_fold_depth(fold),
		.clock = fold->hot.clock,
	};
}

void tl_fold_stack_swap(struct tl_fold *fold, struct tl_fold_stack *stack)
{
	struct tl_fold_stack before;

	refuse_sums(fold);
	forget_open(fold);
	before = running(fold);
	use(fold, stack);
	*stack = before;
}

bool tl_fold_stack_split(struct tl_fold *fold, size_t depth, struct tl_fold_stack *stack)
{
	size_t count = tl_fold_depth(fold) - depth;

	refuse_sums(fold);
	if (!room(stack, count)) {
		fold->no_memory = true;
		return false;
	}
	forget_open(fold);
	memcpy(&stack->frames[1], &fold->frames[depth + 1], count * sizeof(*stack->frames));
	stack->depth = count;
	stack->clock = fold->hot.clock;
	fold->hot.top -= count;
	return true;
}

/* Shift the start of each frame, so that its cost up to now is the same by the other clock. */
static void change_clock(struct tl_fold_frame *frames, size_t count, uint64_t from, uint64_t to)
{
	for (size_t i = 1; i <= count; i++)
		frames[i].start += to - from;
}

bool tl_fold_stack_exchange(struct tl_fold *fold, struct tl_fold_stack *stack, size_t depth)
{
	size_t count = stack->depth - depth;
	struct tl_fold_stack mine;
	uint64_t clock;

	refuse_sums(fold);
	forget_open(fold);
	mine = running(fold);
	if (!room(&mine, mine.depth + count)) {
		fold->no_memory = true;
		return false;
	}
	clock = mine.clock;
	change_clock(mine.frames, mine.depth, clock, stack->clock);
	change_clock(stack->frames, depth, stack->clock, clock);
	memcpy(&mine.frames[mine.depth + 1], &stack->frames[depth + 1],
	       count * sizeof(*mine.frames));
	mine.depth += count;
	mine.clock = stack->clock;
	stack->depth = depth;
	stack->clock = clock;
	use(fold, stack);
	*stack = mine;
	return true;
}
