/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_FLOW_RULES_H
#define TL_INTEL_PT_FLOW_RULES_H
/*
 * The effect of each kind of packet on the flow: one function a kind, in branch.c, mode.c, psb.c,
 * ovf.c and events.c.
 */
#include "intel_pt/flow/flow.h"

/* Changes that wait for the next TIP, TIP.PGE or TIP.PGD (5.5). */
enum tl_pt_at_tip {
	TL_PT_AT_TIP_MODE = 1 << 0,
	TL_PT_AT_TIP_VMCS = 1 << 1,
	TL_PT_AT_TIP_PAGING = 1 << 2,
};

/* A rule returns a negative tl_pt_error, or whether `item` is filled. */
enum { TL_PT_GO_ON, TL_PT_GIVEN };

typedef int tl_pt_rule(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		       struct tl_pt_flow_item *item);

tl_pt_rule tl_pt_rule_psb, tl_pt_rule_psbend;
tl_pt_rule tl_pt_rule_tnt, tl_pt_rule_tip, tl_pt_rule_pge, tl_pt_rule_pgd, tl_pt_rule_fup;
tl_pt_rule tl_pt_rule_mode, tl_pt_rule_pip, tl_pt_rule_vmcs;
tl_pt_rule tl_pt_rule_ovf, tl_pt_rule_stop;
tl_pt_rule tl_pt_rule_time, tl_pt_rule_cbr;
tl_pt_rule tl_pt_rule_mnt, tl_pt_rule_ptw, tl_pt_rule_trig, tl_pt_rule_bep, tl_pt_rule_skip;
tl_pt_rule tl_pt_rule_exstop, tl_pt_rule_mwait, tl_pt_rule_pwre, tl_pt_rule_pwrx;
tl_pt_rule tl_pt_rule_cfe, tl_pt_rule_evd;

/*
 * Decode the packet at `pos`, with the errata that concern its bytes (7); `pos` must not be behind
 * the flow's end. Its size, or a negative tl_pt_error.
 */
int tl_pt_flow_decode(const struct tl_pt_flow *flow, struct tl_pt_packet *packet,
		      const uint8_t *pos, struct tl_pt_context *context);

/* Sets of packet kinds, a bit each. */
#define TL_PT_KIND(kind) (UINT64_C(1) << TL_PT_PKT_##kind)

/* Behind an OVF (5.2): kinds that do not concern flow; kinds that show that tracing is off. */
extern const uint64_t tl_pt_kinds_neutral, tl_pt_kinds_disabled;

/* Whether a packet of this kind may come right behind an OVF (5.2). */
bool tl_pt_may_follow_ovf(enum tl_pt_packet_kind kind);

/* Whether the IP packet has an address; if so, last_ip becomes that. */
bool tl_pt_flow_ip(struct tl_pt_flow *flow, const struct tl_pt_packet *packet);

/* Whether the PSB+ at `psb` has a valid FUP, and its address. */
bool tl_pt_psb_address(const struct tl_pt_flow *flow, const uint8_t *psb, uint64_t *ip);

/* Make an event of the present packet. */
struct tl_pt_event tl_pt_event_at(const struct tl_pt_flow *flow, enum tl_pt_event_kind kind);

/* Queue an event to be given, with the present time. */
void tl_pt_flow_give(struct tl_pt_flow *flow, const struct tl_pt_event *event);

/* The two halves of tl_pt_flow_give(): set the present time; queue with the time set before. */
void tl_pt_flow_stamp(const struct tl_pt_flow *flow, struct tl_pt_event *event);
void tl_pt_flow_push(struct tl_pt_flow *flow, const struct tl_pt_event *event);

/* Give an event as a status update (inside PSB+), or without an address. */
void tl_pt_flow_give_status(struct tl_pt_flow *flow, struct tl_pt_event *event);
void tl_pt_flow_give_bare(struct tl_pt_flow *flow, struct tl_pt_event *event);

/* Let an event wait for a FUP, whose time it gets; an overflow has the present time. */
int tl_pt_flow_bind(struct tl_pt_flow *flow, const struct tl_pt_event *event, bool keep);

/* Give the changes of the last MODE.Exec packet, at the address of `at`. */
void tl_pt_flow_give_mode(struct tl_pt_flow *flow, const struct tl_pt_event *at);

/* Give the changes that wait for a TIP, at `ip` (5.5); the event of that TIP has been given. */
void tl_pt_flow_give_at_tip(struct tl_pt_flow *flow, bool suppressed, uint64_t ip);

/* Give the queued PWRE; the queued MWAIT and PWRE (5.7). */
void tl_pt_flow_give_pwre(struct tl_pt_flow *flow);
void tl_pt_flow_give_power(struct tl_pt_flow *flow);

/* In an untimed flow: bring the clock to the flow's position. */
void tl_pt_flow_catch_up(struct tl_pt_flow *flow);

/* Go on at `pos`; of the packets before, only those of time have an effect. */
void tl_pt_flow_pass(struct tl_pt_flow *flow, const uint8_t *pos);

/* Drop all that waits for other packets. */
void tl_pt_flow_drop(struct tl_pt_flow *flow);

/* The mode of a MODE.Exec packet. TL_PT_MODE_UNKNOWN: reserved bits. */
enum tl_pt_exec_mode tl_pt_mode_of(const struct tl_pt_packet *packet);

/*
 * The cycles of the CYC at `pos` < end, if its bytes are few enough for 64 bits. Its size, or 0:
 * decode it as other packets (tl_pt_decode()), which this equals.
 */
static inline size_t tl_pt_short_cyc(const uint8_t *pos, const uint8_t *end, uint64_t *cycles)
{
	size_t left = (size_t)(end - pos), size = 1;
	unsigned shift = 5;

	*cycles = *pos >> 3;
	if (!(*pos & 4))
		return 1;
	for (; size < left && size < 9; shift += 7) {
		uint8_t byte = pos[size++];

		*cycles |= (uint64_t)(byte >> 1) << shift;
		if (!(byte & 1))
			return size;
	}
	return 0;
}

static inline bool tl_pt_flow_is_enabled(const struct tl_pt_flow *flow)
{
	return !(flow->slow_path_reasons & TL_PT_SLOW_OFF);
}

static inline void tl_pt_flow_set_enabled(struct tl_pt_flow *flow, bool on)
{
	if (on)
		flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_OFF;
	else
		flow->slow_path_reasons |= TL_PT_SLOW_OFF;
}

#endif
