/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_FAULT_DAMAGE_H
#define TL_OPEN_FAULT_DAMAGE_H
/* The faults that a reader keeps in a list, as the damage of an input and as lines of `check`. */
#include <tracelathe/open.h>

#include "core/faults/fault_list.h"

/* The arguments and the result of the operation damage() of a format. */
size_t tl_fault_damage(const struct tl_fault_list *faults, struct tl_damage *places, size_t room,
		       uint64_t *count, uint64_t *skipped_bytes);

/* Where the lines of a check go. */
struct tl_fault_lines {
	struct tl_output *out;
	bool json;
	int64_t told;
};

/* Have each fault written as a line when it is met. */
void tl_fault_lines_begin(struct tl_fault_lines *lines, struct tl_fault_list *faults, bool json,
			  struct tl_output *out);

#endif
