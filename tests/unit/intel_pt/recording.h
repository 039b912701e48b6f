/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_RECORDING_H
#define TESTS_UNIT_INTEL_PT_RECORDING_H
/* A recording of the golden program `tiny` as an input, with the clock that it was made with. */
#include "../whole_input.h"

static inline struct whole_input recording(const char *path)
{
	struct whole_input whole = whole_input(path);

	whole.options.format = "intel-pt";
	whole.options.programs.map = whole_path("intel_pt/tiny.map");
	whole.options.intel_pt.cpuid_15_eax = 2;
	whole.options.intel_pt.cpuid_15_ebx = 176;
	whole.options.intel_pt.mtc_freq = 3;
	whole.options.intel_pt.nom_freq = 32;
	whole.options.intel_pt.tsc_hz = 1000000000;
	return whole;
}

#endif
