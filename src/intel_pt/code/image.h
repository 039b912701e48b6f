/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_IMAGE_H
#define TL_INTEL_PT_CODE_IMAGE_H
/* The inside of an image: bytes at addresses. */
#include "intel_pt/code/section.h"

/* Bytes of a section at an address; regions that one address space can see do not overlap. */
struct tl_pt_region {
	struct tl_pt_section *section;
	uint64_t at;          /* offset in the section */
	uint64_t begin, last; /* addresses, both inside */
	struct tl_pt_asid asid;
	int isid;
};

struct tl_pt_image {
	char *name;
	struct tl_pt_region *regions; /* in the order they were added */
	size_t count, capacity;
	tl_pt_read_fn *read;
	void *read_arg;
	uint64_t version; /* increased by each change */
	bool by_space;    /* some region is of one address space only, or there is a callback */
};

/* Whether address space `b` can see what is there for `a`: equal, or TL_PT_ANY. */
static inline bool tl_pt_asid_matches(const struct tl_pt_asid *a, const struct tl_pt_asid *b)
{
	return (a->cr3 == b->cr3 || a->cr3 == TL_PT_ANY || b->cr3 == TL_PT_ANY) &&
	       (a->vmcs == b->vmcs || a->vmcs == TL_PT_ANY || b->vmcs == TL_PT_ANY);
}

/* All regions of another image, as those of one address space. How many could not be added. */
int tl_pt_image_copy_as(struct tl_pt_image *image, const struct tl_pt_image *from,
			const struct tl_pt_asid *asid);

#endif
