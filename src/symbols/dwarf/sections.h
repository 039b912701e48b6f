/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_SECTIONS_H
#define TL_SYMBOLS_DWARF_SECTIONS_H
/*
 * The DWARF sections of a file, expanded where they are compressed, and the faults found in them.
 */
#include "symbols/dwarf/bytes.h"
#include "symbols/elf/elf_file.h"

enum tl_dwarf_section {
	TL_DWARF_ABBREV,
	TL_DWARF_ADDR,
	TL_DWARF_INFO,
	TL_DWARF_LINE,
	TL_DWARF_LINE_STR,
	TL_DWARF_RANGES,
	TL_DWARF_RNGLISTS,
	TL_DWARF_STR,
	TL_DWARF_STR_OFFSETS,
	TL_DWARF_SECTIONS,
};

/* Faults of debug information. Zero-filled is "none". */
struct tl_dwarf_faults {
	struct tl_error first; /* its offset counts in the section, expanded */
	const char *path;      /* of the file with the first fault */
	uint64_t count;
	bool no_memory;
};

/* Zero-filled is "none". */
struct tl_dwarf_sections {
	struct {
		const uint8_t *data;
		size_t size;
		uint8_t *owned; /* expanded bytes, for free() */
	} parts[TL_DWARF_SECTIONS];
	bool swap;
	const char *path;
	struct tl_dwarf_faults *faults; /* shared by all files that are read for one binary */
};

/*
 * Find and expand the sections of a file, which must outlive them; `split`: those whose names end
 * in ".dwo". `path` and `faults` are set already.
 */
void tl_dwarf_sections_load(struct tl_dwarf_sections *sections, const struct tl_elf *file,
			    bool split);
void tl_dwarf_sections_free(struct tl_dwarf_sections *sections);

/* The bytes of a section from an offset on; none behind its end. */
struct tl_dwarf_bytes tl_dwarf_bytes(const struct tl_dwarf_sections *sections,
				     enum tl_dwarf_section part, uint64_t offset);
/* The text at an offset of a section, NULL: there is none. */
const char *tl_dwarf_string(const struct tl_dwarf_sections *sections, enum tl_dwarf_section part,
			    uint64_t offset);

/* Count a fault and keep the first one; false, for callers to return. */
bool tl_dwarf_fault(struct tl_dwarf_sections *sections, enum tl_status status, uint64_t offset,
		    const char *text);
bool tl_dwarf_no_memory(struct tl_dwarf_sections *sections);

/*
 * Expand a compressed section (gABI, "Compression header"; names that begin with ".zdebug": "ZLIB"
 * and a size).
 * @return 0 and bytes for free(), or TL_NO_MEMORY, TL_BAD_FORMAT, TL_UNSUPPORTED, TL_TOO_LARGE and
 * `*text`
 */
int tl_dwarf_inflate(const struct tl_elf *file, const uint8_t *stored, size_t size, bool old,
		     uint8_t **expanded, size_t *expanded_size, const char **text);

#endif
