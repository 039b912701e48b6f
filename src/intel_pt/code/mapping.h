/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_MAPPING_H
#define TL_INTEL_PT_CODE_MAPPING_H
#include <stdint.h>

/* Where an address belongs to: a mapping of a file. */
struct tl_pt_mapping {
	uint64_t start, end;
	const char *object; /* what it is called */
	const char *file;   /* an ELF file for its symbols, NULL: none; lives as long as the feed */
	uint64_t bias;      /* that file's addresses were moved by this */
	uint64_t offset;    /* of `start` in the object */
	const char *why;    /* there is no code of it; static, NULL: not known */
	/* why there is no `file`, as long as the feed lives; NULL: nothing to wonder about */
	const char *nameless;
};

#endif
