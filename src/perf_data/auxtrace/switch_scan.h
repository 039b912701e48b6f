/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_AUXTRACE_SWITCH_SCAN_H
#define TL_PERF_DATA_AUXTRACE_SWITCH_SCAN_H
/* The packet of a trace at which another thread takes over the processor. */
#include "intel_pt/packets/packet.h"

/* > 0: only the next thread has the address mapped; < 0: only the previous one; 0: both or none. */
typedef int tl_perf_owner_fn(const void *arg, uint64_t ip);

/* The state of a scan over packets: time and last address, without decoding any code. */
struct tl_perf_switch_scan {
	const uint8_t *pos;
	struct tl_pt_context context;
	uint64_t ip;           /* of the last packet with an address */
	bool on, in_psb;       /* tracing is enabled, by the packets so far; inside a PSB+ */
	const uint8_t *off_at; /* behind the TIP.PGD that disabled tracing; NULL: not known */
	uint64_t base, tsc;    /* time at the last TSC or MTC; with the cycles since; 0: unknown */
	uint64_t cycles;       /* of CYC packets since `base` */
	uint8_t cbr;
	bool have_ctc;            /* a TMA came since the last TSC: MTC can be used */
	uint8_t mtc;              /* of the last MTC, or of the TMA */
	uint64_t edges, edge_tsc; /* of MTC's counter since the TMA; time at the first */
	const uint8_t *ahead;     /* up to here `next` is valid */
	uint64_t next;            /* time of the next packet with a time */
	bool guest;               /* a virtual machine runs, by the packets so far */
	bool guest_next;          /* by the last PIP, which holds from the next TIP on */
	bool fup;                 /* a FUP came, and no outcomes since */
	bool leaves_at_fup;       /* so it was at the last PIP */
};

/* What ends a scan. */
struct tl_perf_switch_goal {
	bool next;    /* a thread is switched to at `tsc` */
	bool inside;  /* with `next`: it is one of the virtual machine that runs */
	bool guests;  /* a virtual machine is entered or left */
	bool stays;   /* with `next`: it is the same one, whose maps or whose kernel changes */
	uint64_t tsc; /* with `next` */
	tl_perf_owner_fn *owner;
	const void *arg;
};

/* Begin at the first PSB of [begin, end). */
void tl_perf_switch_scan_begin(struct tl_perf_switch_scan *scan, const struct tl_pt_config *config,
			       const uint8_t *begin, const uint8_t *end);
/* Step over one packet, or over bytes that are no packet to the next PSB. False at the end. */
bool tl_perf_switch_scan_step(struct tl_perf_switch_scan *scan, struct tl_pt_packet *packet,
			      const uint8_t *end);
/* The time of the first packet with a time from here on; 0: none. */
uint64_t tl_perf_switch_scan_first_time(const struct tl_perf_switch_scan *scan, const uint8_t *end);
/* Whether a virtual machine runs at the first PSB, by the PIP in its PSB+. */
bool tl_perf_switch_scan_first_guest(const struct tl_perf_switch_scan *scan, const uint8_t *end);
/*
 * Scan up to the packet with which what the goal says begins; `scan->guest` holds from there on.
 * Returns its position, `end` when there is none. A virtual machine is left behind the TIP of the
 * exit, as that needs the code of both; it is entered in front of the TIP of the entry.
 */
const uint8_t *tl_perf_switch_scan_to(struct tl_perf_switch_scan *scan, const uint8_t *end,
				      const struct tl_perf_switch_goal *goal);
/* Whether `at` is between two packets and tracing is disabled there. */
bool tl_perf_tracing_is_off(const struct tl_pt_config *config, const uint8_t *begin,
			    const uint8_t *at, const uint8_t *end);

#endif
