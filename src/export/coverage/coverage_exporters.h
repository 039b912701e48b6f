/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_COVERAGE_COVERAGE_EXPORTERS_H
#define TL_EXPORT_COVERAGE_COVERAGE_EXPORTERS_H
/* Coverage in the formats of other tools; their names and help stand in open/registry.c. */
#include <tracelathe/core.h>

#include "profile/coverage/coverage.h"

struct tl_coverage_exporter {
	/* `object`: the one that is written, where the format has room for one */
	int (*write)(const struct tl_coverage *coverage, uint32_t object, struct tl_output *out,
		     struct tl_error *err);
	bool lines;      /* it needs lines: objects without them are reported */
	bool unexecuted; /* with the lines of code that did not run */
	bool one_object; /* it is of one object */
};

extern const struct tl_coverage_exporter tl_lcov_exporter, tl_drcov_exporter, tl_edges_exporter,
	tl_bolt_exporter, tl_llvm_profile_exporter;

#endif
