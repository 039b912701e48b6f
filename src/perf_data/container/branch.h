/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_CONTAINER_BRANCH_H
#define TL_PERF_DATA_CONTAINER_BRANCH_H
/* The branches that a processor recorded before a sample: UAPI, struct perf_branch_entry. */
#include "perf_data/container/reader.h"

/* Bytes of an entry: from, to, flags. */
enum { TL_PERF_BRANCH_BYTES = 24 };

struct tl_perf_branch {
	uint64_t from, to;
	bool mispredicted, predicted; /* neither: the processor does not say */
	uint16_t cycles;              /* since the branch before, 0: unknown */
};

/* Branch `number` < rec->sample.branch_count, the latest one first. */
static inline struct tl_perf_branch tl_perf_branch_at(const struct tl_perf_record *rec,
						      uint64_t number)
{
	const uint8_t *at = rec->sample.branches + TL_PERF_BRANCH_BYTES * number;
	const uint64_t flags = tl_get64s(at + 16, rec->swapped);
	/* Bit fields of a big-endian recorder begin at the highest bit. */
	const bool from_top = rec->swapped != TL_HOST_BIG_ENDIAN;

	return (struct tl_perf_branch){
		.from = tl_get64s(at, rec->swapped),
		.to = tl_get64s(at + 8, rec->swapped),
		.mispredicted = flags >> (from_top ? 63 : 0) & 1,
		.predicted = flags >> (from_top ? 62 : 1) & 1,
		.cycles = (uint16_t)(flags >> (from_top ? 44 : 4)),
	};
}

#endif
