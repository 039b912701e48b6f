/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_SECTION_CACHE_H
#define TL_INTEL_PT_CODE_SECTION_CACHE_H
#include "intel_pt/code/section.h"

/* The section of an isid and its address; the cache keeps it. NULL: there is none. */
struct tl_pt_section *tl_pt_cache_section(const struct tl_pt_cache *cache, int isid,
					  uint64_t *vaddr);

#endif
