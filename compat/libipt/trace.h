/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_COMPAT_TRACE_H
#define TL_COMPAT_TRACE_H
/*
 * What a trace says, one question at a time: outcomes, targets, events. This is the query decoder,
 * and what the decoders of instructions and of blocks ask. It reads one packet ahead of what it was
 * asked for and no more, as 2.0.5 does, so that its statuses, its errors and its offsets are the
 * same after every call, on damaged traces, too. (src/intel_pt/flow/flow.h has the rules that are
 * the same for a whole trace, and goes on where this one stops.)
 */
#include "compat.h"

#include "intel_pt/packets/packet.h"
#include "intel_pt/flow/clock.h"

/* What an event waits for. */
enum tl_compat_bound { TL_COMPAT_PSBEND, TL_COMPAT_TIP, TL_COMPAT_FUP, TL_COMPAT_BOUNDS };

enum {
	TL_COMPAT_WAITING = 8
}; /* places for events that wait; one is free, one is the last given */

struct tl_compat_queue {
	struct pt_event events[TL_COMPAT_WAITING];
	uint8_t begin, end;
};

struct tl_compat_trace {
	const struct tl_pt_config *config;
	const uint8_t *pos, *sync; /* NULL: not synchronised yet */
	const uint8_t *begun;      /* where reading had come to when that was done */
	const uint8_t *resumed;    /* where flow went on behind an error last */
	struct tl_pt_context context;
	enum tl_pt_packet_kind next; /* of the packet at `pos` */
	bool have_next;              /* else `pos` is at the end, or at half an opcode */
	bool enabled;
	/* the packet is used up when the last event that waited for it has been given */
	bool consume;
	bool have_ip, suppressed;
	uint64_t last_ip;
	uint64_t bits; /* outcomes of the last TNT, the oldest in bit `count - 1` */
	uint32_t count;
	struct tl_pt_clock time;
	struct tl_compat_time at; /* at the packet used last */
	struct tl_compat_queue waiting[TL_COMPAT_BOUNDS];
	struct pt_event alone;  /* the last event that waited for nothing */
	struct pt_event *event; /* given by the last packet; NULL: none */
	/* Packets that came after 2.0.5. */
	bool iflag, iflag_known, swallow_fup;
	bool have_evd[3];
	uint64_t evd[3]; /* by enum pt_evd_type */
};

void tl_compat_trace_open(struct tl_compat_trace *trace, const struct tl_pt_config *config);

/* 0 or more: enum pt_status_flag; `*ip` where flow begins, NULL: nobody asks. */
int tl_compat_trace_forward(struct tl_compat_trace *trace, uint64_t *ip);
int tl_compat_trace_backward(struct tl_compat_trace *trace, uint64_t *ip);
int tl_compat_trace_set(struct tl_compat_trace *trace, uint64_t *ip, uint64_t offset);
int tl_compat_trace_offset(const struct tl_compat_trace *trace, uint64_t *offset);
int tl_compat_trace_sync_offset(const struct tl_compat_trace *trace, uint64_t *offset);

/* The PSB behind `pos` (NULL: the first one), but not the one at `sync`; the one before it. NULL:
 * none. */
const uint8_t *tl_compat_psb_next(const struct tl_pt_config *config, const uint8_t *pos,
				  const uint8_t *sync);
const uint8_t *tl_compat_psb_before(const struct tl_pt_config *config, const uint8_t *pos);

int tl_compat_trace_cond(struct tl_compat_trace *trace, int *taken);
int tl_compat_trace_indirect(struct tl_compat_trace *trace, uint64_t *ip);
int tl_compat_trace_event(struct tl_compat_trace *trace, struct pt_event *event);

/* Behind an error: stand at the next packet that says where flow is, or at a PSB (9.9). */
int tl_compat_trace_resync(struct tl_compat_trace *trace, uint64_t *ip);

/* Read up to the next packet that a question may be about: 0 or an error. And what it is. */
int tl_compat_trace_ahead(struct tl_compat_trace *trace);
int tl_compat_trace_status(const struct tl_compat_trace *trace);
/* The time from here on is that of the packet used last. */
void tl_compat_trace_stamp(struct tl_compat_trace *trace);

/* ---- for the rules (trace_rules.c, trace_ovf.c) ---- */

/* What a rule returns: an error, or whether the packet is used up. */
enum { TL_COMPAT_PASS, TL_COMPAT_STAY };

typedef int tl_compat_rule_fn(struct tl_compat_trace *trace, const struct tl_pt_packet *packet);

enum tl_compat_trait {
	TL_COMPAT_GIVES_EVENT = 1 << 0,
	TL_COMPAT_IS_TIP = 1 << 1,
	TL_COMPAT_IS_TNT = 1 << 2,
	TL_COMPAT_IS_FUP = 1 << 3,
	TL_COMPAT_ENDS_PSB = 1 << 4,
};

struct tl_compat_rule {
	tl_compat_rule_fn *flow;
	tl_compat_rule_fn *header; /* inside a PSB+; NULL: must not be there */
	unsigned traits;
};
const struct tl_compat_rule *tl_compat_rule_of(enum tl_pt_packet_kind kind);
/* Whether a TMA can stand here: there is one for each TSC. */
bool tl_compat_takes_tma(const struct tl_pt_clock *time);

tl_compat_rule_fn tl_compat_rule_ovf, tl_compat_rule_keep_time;
tl_compat_rule_fn tl_compat_rule_psb, tl_compat_rule_psbend, tl_compat_rule_header_fup,
	tl_compat_rule_header_mode, tl_compat_rule_header_pip, tl_compat_rule_header_vmcs,
	tl_compat_rule_header_mnt, tl_compat_rule_header_cbr;
tl_compat_rule_fn tl_compat_rule_stop, tl_compat_rule_mnt, tl_compat_rule_exstop,
	tl_compat_rule_mwait, tl_compat_rule_pwre, tl_compat_rule_pwrx, tl_compat_rule_ptw,
	tl_compat_rule_trig, tl_compat_rule_evd, tl_compat_rule_cfe, tl_compat_rule_bep;

void tl_compat_trace_reset(struct tl_compat_trace *trace);
/* The kind of packet at `pos`: 0, or -pte_eos. */
int tl_compat_trace_fetch(struct tl_compat_trace *trace);
/* The bytes of a PSB+ behind its PSB, up to its PSBEND. */
int tl_compat_trace_header(struct tl_compat_trace *trace);

/* An event that waits; NULL: too many do. One that is given at once. */
struct pt_event *tl_compat_wait(struct tl_compat_trace *trace, enum tl_compat_bound bound,
				enum pt_event_type type);
struct pt_event *tl_compat_alone(struct tl_compat_trace *trace, enum pt_event_type type);
struct pt_event *tl_compat_take(struct tl_compat_trace *trace, enum tl_compat_bound bound);
bool tl_compat_waits(const struct tl_compat_trace *trace, enum tl_compat_bound bound);
struct pt_event *tl_compat_find(struct tl_compat_trace *trace, enum tl_compat_bound bound,
				enum pt_event_type type);
void tl_compat_event_time(const struct tl_compat_trace *trace, struct pt_event *event);

/* Give the next event of the PSB+. False: there is none. */
bool tl_compat_give_status(struct tl_compat_trace *trace);
/* The address of the last IP packet: 0, -pte_noip, -pte_ip_suppressed, and then 0 in `*ip`. */
int tl_compat_last_ip(const struct tl_compat_trace *trace, uint64_t *ip);
/* It becomes an event's. */
void tl_compat_give_ip(const struct tl_compat_trace *trace, struct pt_event *event, uint64_t *ip);
void tl_compat_update_ip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet);

#endif
