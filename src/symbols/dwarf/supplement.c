/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF that stands in a further file: opening one, and the supplement that dwz shares between
 * files (.gnu_debugaltlink). .debug_sup of DWARF 5 is not read.
 */
#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/dwarf/unit.h"
#include "symbols/elf/debug_file.h"

struct tl_dwarf *tl_dwarf_open_further(struct tl_dwarf *dwarf, struct tl_elf *file, char *path,
				       bool split)
{
	struct tl_dwarf *made = calloc(1, sizeof(*made));
	char *kept = made ? tl_arena_copy(&made->texts, path, strlen(path)) : NULL;

	free(path);
	if (!kept) {
		tl_elf_close(file);
		free(made);
		tl_dwarf_no_memory(&dwarf->sections);
		return NULL;
	}
	made->owned = *file;
	made->file = &made->owned;
	made->code = dwarf->code;
	made->sections.path = kept;
	made->sections.faults = dwarf->sections.faults;
	tl_dwarf_sections_load(&made->sections, made->file, split);
	tl_dwarf_budgets(made);
	tl_dwarf_units_list(made);
	return made;
}

struct tl_dwarf *tl_dwarf_supplement(struct tl_dwarf *dwarf)
{
	struct tl_elf file;
	char *path;
	int found;

	/* A supplement or a .dwo file has no path here, and no supplement of its own. */
	if (dwarf->supplement_sought || !dwarf->path)
		return dwarf->supplement;
	dwarf->supplement_sought = true;
	found = tl_debug_file_supplement(&file, &path, dwarf->file, dwarf->path, dwarf->places);
	if (found > 0)
		dwarf->supplement = tl_dwarf_open_further(dwarf, &file, path, false);
	if (found < 0)
		tl_dwarf_no_memory(&dwarf->sections);
	else if (!found)
		tl_dwarf_fault(&dwarf->sections, TL_IO, TL_NOWHERE,
			       ".gnu_debugaltlink: the supplementary file was not found; names may "
			       "be missing");
	return dwarf->supplement;
}
