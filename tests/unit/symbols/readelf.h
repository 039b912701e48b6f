/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYMBOLS_READELF_H
#define TESTS_UNIT_SYMBOLS_READELF_H
/* What readelf says of the test program itself. */
#include <stdio.h>
#include <unistd.h>

#include "../unit.h"

/*
 * Its lines, through a filter of the shell's; none where there is no readelf. The program is named
 * by its path: where an emulator runs it, the process has the emulator's program.
 */
static inline FILE *readelf_this(const char *option, const char *filter)
{
	char path[1024] = "", command[2048];
	FILE *list;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	snprintf(command, sizeof(command),
		 "command -v readelf >/dev/null && readelf %s '%s' 2>/dev/null | %s", option, path,
		 filter);
	list = popen(command, "r");
	assert_non_null(list);
	return list;
}

#endif
