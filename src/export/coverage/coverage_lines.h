/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_COVERAGE_COVERAGE_LINES_H
#define TL_EXPORT_COVERAGE_COVERAGE_LINES_H
/*
 * Lines and how often they were executed. Of the instructions of a line in one function, or in one
 * inlined call, the most frequent one counts; these counts are added up over functions.
 */
#include "profile/coverage/coverage.h"

struct tl_coverage_line {
	const char *file;
	uint32_t line;
	uint64_t count;
};

struct tl_coverage_lines {
	struct tl_coverage_line *list; /* by file, then by line */
	size_t count;
};

/* False: no memory. */
bool tl_coverage_lines(const struct tl_coverage *coverage, struct tl_coverage_lines *lines);
void tl_coverage_lines_free(struct tl_coverage_lines *lines);

#endif
