/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_SECTION_H
#define TL_INTEL_PT_CODE_SECTION_H
/* A part of a file that holds code, shared by images and caches. */
#include <stdatomic.h>

#include <tracelathe/intel_pt.h>

struct tl_pt_section {
	atomic_uint users;
	char *path;            /* NULL: the caller's memory */
	uint64_t offset, size; /* in the file */
	const uint8_t *data;   /* NULL: not mapped, read when needed */
	void *map;             /* result of mmap(); NULL: none */
	size_t map_size;
};

/*
 * Open a part of a file, cut at the file's end, with one user. Mapped if `map`, else read when
 * needed. 0; -TL_PT_INVALID if it has no bytes, -TL_PT_NOMEM.
 */
int tl_pt_section_open(struct tl_pt_section **section, const char *path, uint64_t offset,
		       uint64_t size, bool map);
/* A section over memory of the caller. NULL: no memory. */
struct tl_pt_section *tl_pt_section_over(const uint8_t *data, size_t size);

void tl_pt_section_share(struct tl_pt_section *section);
/* Remove one user; NULL is allowed. */
void tl_pt_section_drop(struct tl_pt_section *section);

/* Map it if possible; unmap it, to read it when needed. */
void tl_pt_section_map(struct tl_pt_section *section);
void tl_pt_section_unmap(struct tl_pt_section *section);

/* Copy bytes from `at` < size on. Returns their number; 0 if the file cannot be read any more. */
size_t tl_pt_section_read(const struct tl_pt_section *section, uint64_t at, uint8_t *buffer,
			  size_t size);

#endif
