/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_TIME_H
#define TL_INTEL_PT_TIME_H
/* Time from TSC, TMA, MTC, CYC and CBR packets (6). */
#include <tracelathe/intel_pt.h>

/* The clock: the present estimate, and what the next MTC and CYC are measured against. */
struct tl_pt_time {
	uint64_t tsc, base;      /* the estimate; that at the last TSC or MTC */
	uint64_t fc;             /* CTC's fraction of `base`, in TSC ticks: fast counter of the last TMA */
	uint32_t ctc, ctc_cyc;   /* the last MTC or TMA; MTC seen by CYC */
	uint64_t cyc;            /* ticks since `base`, from CYC */
	uint32_t lost_mtc, lost_cyc;
	uint8_t cbr;
	bool have_tsc, have_cbr, have_tma, have_mtc;
	/* Ticks per cycle, 8 bits behind the point, by measurement; see calibration in 6. */
	uint64_t fcr, cal_cyc, cal_tsc, cal_ctc;
	bool have_fcr, cal_mtc;
};

#endif
