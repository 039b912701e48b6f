/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_COVERAGE_H
#define TL_OPEN_COVERAGE_H
/* Coverage of an input: names and lines, what the filters let through, and the exporters. */
#include "export/coverage/coverage_exporters.h"
#include "open/format.h"

/* What a result lacks is passed on as texts that the callee frees (NULL: no memory). */
struct tl_coverage_remarks {
	bool (*add)(void *arg, char *text); /* false: no memory */
	void *arg;
};

/*
 * Give the instructions their functions and lines from the objects' files, keep what the filters of
 * the input let through, and write it.
 */
int tl_coverage_write(struct tl_coverage *coverage, const struct tl_input_options *options,
		      const struct tl_coverage_exporter *exporter,
		      const struct tl_coverage_remarks *remarks, struct tl_output *out,
		      struct tl_error *err);

/* registry.c: the exporter of a name of `convert --to`; NULL: none. */
const struct tl_coverage_exporter *tl_coverage_exporter(const char *name);

#endif
