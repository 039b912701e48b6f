/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STACK_STATE_H
#define TL_XTRACE_STACK_STATE_H
/*
 * The stack of a stream between two of its segments, for who folds what follows: frames, parked
 * stacks, SP. Functions are told by their addresses, since each fold numbers them as it meets them.
 */
#include "xtrace/profile/call_stack.h"
#include "xtrace/profile/share/words.h"

void tl_xtrace_stack_save(const struct tl_xtrace_call_stack *stack,
			  const struct tl_xtrace_function_map *functions,
			  struct tl_xtrace_words *words);

/*
 * Onto a stack that has just begun: calls that are open on it were counted, and cost something from
 * here on only. The words end with it. False: no memory, or they are none of a stack of these
 * functions (words->bad); the stack can only be freed, or ended, then.
 */
bool tl_xtrace_stack_restore(struct tl_xtrace_call_stack *stack,
			     struct tl_xtrace_function_map *functions,
			     struct tl_xtrace_words_read *words);

/* End a stack that goes on elsewhere: of open calls, what they cost here counts. */
void tl_xtrace_stack_suspend(struct tl_xtrace_call_stack *stack);

#endif
