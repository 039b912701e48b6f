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
	const uint8_t *data;   /* NULL: not mapped, to be read */
	void *map;             /* of the system; NULL: none */
	size_t map_size;
};

/*
 * A part of a file, cut at the file's end, with one user. Mapped if `map`, else read where needed.
 * 0; -TL_PT_INVALID when nothing of it is there, -TL_PT_NOMEM.
 */
int tl_pt_section_open(struct tl_pt_section **section, const char *path, uint64_t offset,
		       uint64_t size, bool map);
/* Bytes of the caller's. NULL without memory. */
struct tl_pt_section *tl_pt_section_over(const uint8_t *data, size_t size);

void tl_pt_section_share(struct tl_pt_section *section);
/* One user less; NULL is fine. */
void tl_pt_section_drop(struct tl_pt_section *section);

/* Map it, if it can be; read it from now on. */
void tl_pt_section_map(struct tl_pt_section *section);
void tl_pt_section_unmap(struct tl_pt_section *section);

/* Copy bytes from `at` < size on. How many there were; 0 when the file cannot be read any more. */
size_t tl_pt_section_read(const struct tl_pt_section *section, uint64_t at, uint8_t *buffer,
			  size_t size);

#endif
