/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_FLOW_CLOCK_H
#define TL_INTEL_PT_FLOW_CLOCK_H
/*
 * Time from TSC, TMA, MTC, CYC and CBR packets (6), by the same arithmetic as the published
 * interface's library, so that both give the same time.
 */
#include <tracelathe/intel_pt.h>

/* TSC ticks per core cycle: from CBR, or measured between two MTC, or else between two TSC (6). */
struct tl_pt_cycle_rate {
	uint64_t fcr;    /* ticks per cycle, 8 bits behind the point; 0: not known yet */
	uint64_t cyc;    /* cycles so far */
	uint64_t at_mtc; /* value of `cyc` at the MTC that is measured from */
	uint64_t at_tsc; /* value of `cyc` at the TSC that is measured from */
	uint64_t tsc;    /* that TSC; 0: none */
	uint32_t ctc;    /* crystal clock of that MTC */
	bool have_mtc;
	bool have_fcr;
	bool check; /* a PSB since the last MTC may have swallowed a CYC (7) */
};

struct tl_pt_clock {
	uint64_t tsc;     /* the estimated time */
	uint64_t base;    /* time at the last TSC, TMA or MTC */
	uint64_t fc;      /* ticks since `base`, from TMA and CYC */
	uint32_t ctc;     /* crystal clock at `base` */
	uint32_t ctc_cyc; /* crystal clock that `fc` counts from */
	uint32_t lost_mtc, lost_cyc;
	uint64_t count; /* cycles since the first CYC */
	uint8_t cbr;
	bool have_cyc; /* a CYC was read since synchronising */
	bool have_tsc, have_cbr, have_tma, have_mtc;
	bool in_psb; /* inside a PSB+ */
	struct tl_pt_cycle_rate cycles;
};

void tl_pt_clock_reset(struct tl_pt_clock *time);

/*
 * Take one packet. All packets of a trace should be passed: PSB, PSBEND and OVF decide what the
 * time packets around them mean. Packets of other kinds change nothing.
 */
void tl_pt_clock_packet(struct tl_pt_clock *time, const struct tl_pt_packet *packet,
			const struct tl_pt_config *config);

/* The two frequent packets, without a struct tl_pt_packet. */
void tl_pt_clock_mtc(struct tl_pt_clock *time, uint8_t value, const struct tl_pt_config *config);
void tl_pt_clock_cyc(struct tl_pt_clock *time, uint64_t cycles, const struct tl_pt_config *config);

#endif
