/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_COVERAGE_LLVM_SAMPLES_H
#define TL_EXPORT_COVERAGE_LLVM_SAMPLES_H
/*
 * Coverage as LLVM counts it: lines from the declaration of their function on, with discriminators,
 * in the functions that they were inlined in. As llvm-profgen does, the most frequent instruction
 * of a line counts, times the copies that its discriminator says were made of it.
 */
#include "profile/coverage/coverage.h"

/* A function of its own, or one inlined at a line of another one. */
struct tl_llvm_body {
	const char *name;
	uint32_t parent, line, discriminator; /* parent TL_NONE: not inlined */
	uint64_t total, head;
};

struct tl_llvm_sample {
	uint32_t body, line, discriminator;
	uint64_t count;
};

/* A function that was called at a sample. */
struct tl_llvm_target {
	uint32_t sample;
	const char *name;
	uint64_t count;
};

struct tl_llvm_samples {
	const struct tl_coverage *coverage;
	uint32_t object;
	struct tl_llvm_body *bodies;
	struct tl_llvm_sample *samples;
	struct tl_llvm_target *targets;
	size_t body_count, body_room, sample_count, sample_room, target_count, target_room;
	struct tl_index by_body, by_sample;
	bool no_memory;
};

/*
 * Fill it, which is zeroed but for `coverage` and `object`; targets are sorted by sample and count.
 * To be freed in any case. False: no memory.
 */
bool tl_llvm_samples(struct tl_llvm_samples *samples);
void tl_llvm_samples_free(struct tl_llvm_samples *samples);
/* The samples by body, line and discriminator: their numbers. NULL: no memory. */
uint32_t *tl_llvm_sample_order(const struct tl_llvm_samples *samples);

#endif
