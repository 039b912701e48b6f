/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_ADDRESS_SPACE_H
#define TL_PERF_DATA_PROCESSES_ADDRESS_SPACE_H
/* Address spaces of processes at a time, in one image for the decoders. */
#include "perf_data/processes/system.h"

/*
 * The maps of a process (TL_NONE: only the kernel's) after its first `changes` changes, and the
 * kernel after the first `pokes` changes of its code.
 */
struct tl_perf_address_space {
	uint32_t process;
	size_t changes, pokes;
	/* with `in_guest`: a virtual machine that it runs, as a process, and its changes */
	bool in_guest;
	uint32_t guest;
	size_t guest_changes, guest_pokes;
};

/* Objects whose code was not found. */
struct tl_perf_missing_list {
	struct tl_perf_missing_code *list;
	size_t count, capacity;
};

struct tl_perf_address_spaces {
	struct tl_perf_system *sys;
	struct tl_pt_cache *cache;
	struct tl_pt_image *image; /* of all spaces met so far; NULL: none yet */
	struct tl_perf_address_space *list;
	size_t count, capacity;
	struct tl_index index; /* by process and changes */
	size_t poked;          /* changes of the kernel's code in all spaces together */
	/* code of virtual machines is told apart: decoders have TL_PT_KEEP_ASID */
	bool guests;
	struct tl_perf_missing_list missing;
};

/* The number of an address space; its code is in `image` under `*asid`. Negative: no memory. */
int64_t tl_perf_address_space_add(struct tl_perf_address_spaces *spaces,
				  const struct tl_perf_address_space *wanted,
				  struct tl_pt_asid *asid, struct tl_error *err);
/* The mapping of an address in a space, NULL: none. */
const struct tl_perf_map_change *tl_perf_address_space_find(const struct tl_perf_address_spaces *a,
							    uint32_t space, uint64_t ip);
void tl_perf_address_spaces_free(struct tl_perf_address_spaces *spaces);

#endif
