/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PERF_DATA_REFUSED_FOLD_H
#define TESTS_UNIT_PERF_DATA_REFUSED_FOLD_H
/* A fold of a file's samples as a step of refuse.h: its stacks with their first costs. */
#include "../refuse.h"
#include "folded.h"

static inline int refused_fold(const void *input, uint64_t *digest)
{
	struct file *const *file = input;
	const int status = fold_bytes(*file);
	char text[256];

	for (uint32_t i = 0; status == 0 && i < tl_profile_context_count(profile); i++) {
		path_of(i, text);
		refuse_note_text(digest, text);
		refuse_note_number(digest, tl_profile_context_self(profile, i)[0]);
	}
	done();
	return status;
}

/* Allocations that the fold asks for. */
static inline uint64_t refuse_each_of_fold(struct file *file)
{
	return refuse_each(refused_fold, &file);
}

#endif
