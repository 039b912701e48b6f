/* SPDX-License-Identifier: Apache-2.0 */
/* Which logs belong together: those that have a mark in common, and those that others connect. */
#include <stdlib.h>

#include <tracelathe/open.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"

struct mark {
	uint64_t mark;
	uint32_t log;
};

struct tl_kin {
	struct mark *marks;
	size_t count, capacity;
};

int tl_kin_open(struct tl_kin **kin, struct tl_error *err)
{
	*kin = calloc(1, sizeof(**kin));
	return tl_error_unless_made(*kin, err);
}

void tl_kin_close(struct tl_kin *kin)
{
	if (!kin)
		return;
	free(kin->marks);
	free(kin);
}

int tl_kin_add(struct tl_kin *kin, uint32_t log, const uint64_t *marks, size_t count,
	       struct tl_error *err)
{
	if (!tl_grow(&kin->marks, &kin->capacity, kin->count + count, sizeof(*kin->marks)))
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		kin->marks[kin->count++] = (struct mark){ marks[i], log };
	return 0;
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->mark != b->mark)
		return tl_compare(a->mark, b->mark);
	return tl_compare(a->log, b->log);
}

/* A log that stands for all that belong together: the way there is made shorter. */
static uint32_t chief_of(uint32_t *chiefs, uint32_t log)
{
	while (chiefs[log] != log)
		log = chiefs[log] = chiefs[chiefs[log]];
	return log;
}

void tl_kin_group(struct tl_kin *kin, uint32_t *chiefs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		chiefs[i] = (uint32_t)i;
	if (kin->count)
		qsort(kin->marks, kin->count, sizeof(*kin->marks), compare_marks);
	for (size_t i = 1; i < kin->count; i++) {
		const struct mark *one = &kin->marks[i - 1], *next = &kin->marks[i];

		if (one->mark == next->mark && one->log < count && next->log < count)
			chiefs[chief_of(chiefs, next->log)] = chief_of(chiefs, one->log);
	}
	for (size_t i = 0; i < count; i++)
		chiefs[i] = chief_of(chiefs, (uint32_t)i);
}
