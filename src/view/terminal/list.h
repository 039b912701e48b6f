/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_TERMINAL_LIST_H
#define TL_VIEW_TERMINAL_LIST_H
/* Rows of functions: all, as call trees, or a function with its callers and callees. */
#include <tracelathe/profile.h>

#include "core/memory.h"

enum tl_list_kind { TL_LIST_FUNCTIONS, TL_LIST_TOP_DOWN, TL_LIST_BOTTOM_UP, TL_LIST_CALLERS };

/* What rows are sorted by; the largest first, names from A. */
enum tl_list_order { TL_BY_SELF, TL_BY_INCLUSIVE, TL_BY_CALLS, TL_BY_NAME, TL_LIST_ORDERS };

/* What a row is, in the list of callers. */
enum tl_row_role { TL_ROW_PLAIN, TL_ROW_CALLER, TL_ROW_CHOSEN, TL_ROW_CALLEE };

struct tl_list_row {
	int64_t self, inclusive;
	uint64_t calls;
	uint32_t function;
	uint32_t depth;
	enum tl_row_role role;
	bool unfinished;   /* a call of the function never ended */
	bool open, leaf;   /* of a tree: its children are shown; it has none */
	uint32_t *members; /* of a tree: contexts that the row sums up; owned */
	size_t member_count;
};

struct tl_list {
	enum tl_list_kind kind;
	enum tl_list_order order;
	bool reverse;
	const struct tl_profile *profile;
	uint32_t event;
	uint32_t function; /* TL_LIST_CALLERS: the one in the middle */
	struct tl_list_row *rows;
	size_t count, capacity;
	/* Contexts by their parent: children[first[i + 1] .. first[i + 2]) are those of i. */
	uint32_t *first, *children;
	uint32_t *places; /* by function: where a row of it may be */
};

/* Make the rows anew: trees are closed. False without memory. */
bool tl_list_make(struct tl_list *list, const struct tl_profile *profile, enum tl_list_kind kind,
		  uint32_t function);
/* Open or close a row of a tree. False without memory. */
bool tl_list_toggle(struct tl_list *list, size_t row);
/* Sort the rows by list->order; those of a tree stay below their parents. */
void tl_list_sort(struct tl_list *list);
void tl_list_free(struct tl_list *list);

#endif
