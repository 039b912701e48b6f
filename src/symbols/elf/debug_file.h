/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DEBUG_FILE_H
#define TL_SYMBOLS_DEBUG_FILE_H
/* Debug information kept apart from its binary (GDB manual, "Debugging Information in Separate
 * Files"). */
#include <tracelathe/symbols.h>

#include "symbols/elf/elf_file.h"

/* Hexadecimal digits of a build-id of up to 64 bytes, and the end. */
enum { TL_BUILD_ID_TEXT = 129 };

/* The build-id of a file, "" when it has none. */
void tl_build_id(const struct tl_elf *file, char text[TL_BUILD_ID_TEXT]);

#define TL_DEBUG_ROOT "/usr/lib/debug"

/* Where files of debug information are looked for. */
struct tl_debug_places {
	const char *root;                       /* of those of the system: TL_DEBUG_ROOT */
	const struct tl_debuginfod *debuginfod; /* who is asked last; NULL: nobody */
};

/*
 * Find and open the file with a binary's debug information: by build-id below the root, then by
 * .gnu_debuglink beside the binary and below the root, then by who is to be asked.
 * @return 1, an open file and its path, for free(); 0: there is none; TL_NO_MEMORY
 */
int tl_debug_file_open(struct tl_elf *debug, char **debug_path, const struct tl_elf *file,
		       const char *path, const struct tl_debug_places *places);
/* The same for the file that .gnu_debugaltlink of a debug file names, by name and build-id. */
int tl_debug_file_supplement(struct tl_elf *found, char **found_path, const struct tl_elf *file,
			     const char *path, const struct tl_debug_places *places);

#endif
