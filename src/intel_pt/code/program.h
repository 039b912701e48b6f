/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_PROGRAM_H
#define TL_INTEL_PT_CODE_PROGRAM_H
/*
 * The code of a raw trace: ELF files, raw bytes, and maps of saved pages, as an image and as
 * mappings for names.
 */
#include <tracelathe/intel_pt.h>

#include "intel_pt/code/mapping.h"

struct tl_pt_program;

int tl_pt_program_open(struct tl_pt_program **program, struct tl_error *err);
void tl_pt_program_close(struct tl_pt_program *program);
struct tl_pt_image *tl_pt_program_image(const struct tl_pt_program *program);
bool tl_pt_program_is_empty(const struct tl_pt_program *program);

/* Add all load segments of an ELF file, moved by `address`. */
int tl_pt_program_add_elf(struct tl_pt_program *program, const char *path, uint64_t address,
			  struct tl_error *err);

/* Add bytes [offset, end) of a file at an address; end 0: to the end. */
int tl_pt_program_add_raw(struct tl_pt_program *program, const char *path, uint64_t offset,
			  uint64_t end, uint64_t address, struct tl_error *err);

/*
 * Add a map of saved pages: lines `vaddr size img_off origin_file origin_off`, hexadecimal, `#`
 * before a comment. The bytes are in the file beside it whose name ends in .img instead of .map,
 * which may be compressed. An origin names the code of its load segments, even where a line has
 * only part of them, if a file of that name, below `sysroot` or beside the map, has the same bytes
 * as the image.
 */
int tl_pt_program_add_map(struct tl_pt_program *program, const char *path, const char *sysroot,
			  struct tl_error *err);

/*
 * The path of NAME.map for a trace NAME.x.y, if it and NAME.img are beside the trace, for free();
 * NULL: they are not.
 */
int tl_pt_program_find_map(const char *trace, char **map, struct tl_error *err);

/* Build the index of mappings, after all were added. */
int tl_pt_program_index(struct tl_pt_program *program, struct tl_error *err);
/* Release the memory of code that was read; it is read again when it is needed. */
void tl_pt_program_release(struct tl_pt_program *program);
/* Files of tl_pt_program_add_elf() whose mappings no address was in: by number, NULL: no more. */
const char *tl_pt_program_unused(const struct tl_pt_program *program, size_t number);
bool tl_pt_program_mapping(struct tl_pt_program *program, uint64_t ip,
			   struct tl_pt_mapping *mapping);

#endif
