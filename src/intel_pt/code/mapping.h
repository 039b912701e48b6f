/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_MAPPING_H
#define TL_INTEL_PT_CODE_MAPPING_H
#include <stdbool.h>
#include <stdint.h>

/* A mapping of a file: the object that an address belongs to. */
struct tl_pt_mapping {
	uint64_t start, end;
	const char *object; /* its name */
	const char *file;   /* an ELF file for its symbols, NULL: none; lives as long as the feed */
	uint64_t bias;      /* added to that file's addresses */
	uint64_t offset;    /* of `start` in the object */
	const char *why;    /* reason why it has no code; static, NULL: not known */
	/* reason why there is no `file`, as long as the feed lives; NULL: none to report */
	const char *nameless;
	/* Code made at run time, or a copy of memory: `file` has its bytes and no symbols. */
	bool listed;
	bool no_memory;   /* ran out while its name was looked for */
	const char *name; /* of its function, as long as the feed lives; NULL: none is known */
	uint64_t entry;   /* of that function */
};

#endif
