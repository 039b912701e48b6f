/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_PROGRAM_MAPPINGS_H
#define TL_INTEL_PT_CODE_PROGRAM_MAPPINGS_H
/* The inside of struct tl_pt_program, for the files that add mappings to it. */
#include "core/memory.h"
#include "intel_pt/code/program.h"
#include "symbols/elf/intervals.h"

struct tl_pt_program {
	struct tl_pt_image *image;
	struct tl_pt_mapping *parts;
	size_t part_count, part_capacity;
	struct tl_pt_given {
		size_t first, end; /* its mappings */
		const char *path;
		bool used;
	} *given; /* ELF files */
	size_t given_count, given_capacity;
	struct tl_intervals index;  /* of the parts */
	struct tl_source **sources; /* files that the bytes are mapped from */
	size_t source_count, source_capacity;
	struct tl_names names; /* of objects and files */
};

/* All bytes of a file, decompressed; they live as long as the program. */
struct tl_pt_bytes {
	const uint8_t *data;
	size_t size;
	struct tl_source *source;
};

int tl_pt_program_map_file(struct tl_pt_program *program, const char *path,
			   struct tl_pt_bytes *bytes, struct tl_error *err);

/* Add bytes at [mapping->start, mapping->end). Names are copied. */
int tl_pt_program_add_mapping(struct tl_pt_program *program, const struct tl_pt_mapping *mapping,
			      const uint8_t *bytes, struct tl_error *err);

#endif
