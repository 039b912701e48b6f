/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_FUNCTION_LIST_H
#define TL_TIMELINE_CALLS_FUNCTION_LIST_H
/* The functions of a source that are known once its calls are built, by number. */
#include "core/memory.h"
#include "timeline/calls/steps.h"

/* Ready when zero-filled. */
struct tl_function_list {
	struct tl_call_function *list;
	size_t count, capacity;
	struct tl_names names; /* what `list` points to */
};

/* Append a function, whose texts are copied. False without memory. */
bool tl_function_list_add(struct tl_function_list *functions,
			  const struct tl_call_function *function);
/* As tl_call_source_ops.function. */
int tl_function_list_get(const struct tl_function_list *functions, uint32_t number,
			 struct tl_call_function *function, struct tl_error *err);
/* As tl_call_source_ops.save and load. */
int tl_function_list_save(const struct tl_function_list *functions, struct tl_packed *packed,
			  struct tl_error *err);
int tl_function_list_load(struct tl_function_list *functions, struct tl_cursor *cur,
			  struct tl_error *err);
/* Forget all functions. */
void tl_function_list_clear(struct tl_function_list *functions);

#endif
