/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_FLOW_FLOW_H
#define TL_INTEL_PT_FLOW_FLOW_H
/*
 * The flow: packets as control flow, one item at a time, in the order of the trace. This layer
 * knows every rule between packets (sections 5 and 6 of docs/formats/intel-pt.md: PSB+, OVF, FUP
 * pairs, MODE, PIP, power, errata, time) and no code; the walk over code (blocks/walk.c) knows no
 * packets. The items:
 *
 *   TNT    outcomes, oldest first: TNT packets in a row are gathered as long as no packet is
 *          between them that concerns the walk or the clock
 *   TIP    the target of an indirect or far branch, or of an uncompressed return
 *   EVENT  an event, in the order of 5.1 to 5.8. Its kind decides where the walk binds it. Now: a
 *          status update, overflow, enabled; all events while tracing is off; events with
 *          `ip_suppressed` that are not named below. Where 5.4 says: disabled. Where the walk
 *          reaches its address without using trace: async_*, tsx, exstop, mwait, ptwrite and CFE
 *          events with an address. At the next instruction that 5.5 and 5.7 name: paging, vmcs,
 *          ptwrite without address. At the target of the TIP or event (enabled, async_branch)
 *          that they follow: exec_mode, iflags
 *   END    no more packets
 *   ERROR  `error`, at `offset`; the flow stays there until it is synchronised again or
 *          resynchronised
 *
 * In a PSB+ of a running flow the enabled or disabled status comes first, and must agree with the
 * state before (5.1); whether its address does is for the walk to find out.
 *
 * An event behind outcomes follows them as an item. A TIP may be deferred (5.6): at an indirect
 * branch with outcomes left, the walk keeps them and takes the next item, which must be a TIP.
 */
#include <tracelathe/intel_pt.h>

#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"
#include "intel_pt/flow/clock.h"

enum tl_pt_flow_item_kind {
	TL_PT_FLOW_ITEM_TNT,
	TL_PT_FLOW_ITEM_TIP,
	TL_PT_FLOW_ITEM_EVENT,
	TL_PT_FLOW_ITEM_END,
	TL_PT_FLOW_ITEM_ERROR
};

struct tl_pt_flow_item {
	enum tl_pt_flow_item_kind kind;
	enum tl_pt_error error;
	uint32_t count;  /* TNT: outcomes, 1 .. 64 */
	bool suppressed; /* TIP: without an address */
	/* TNT, TIP: the time has changed (TL_PT_TICK_EVENTS): a tick belongs to the first branch */
	bool tick;
	uint64_t bits;   /* TNT: the oldest outcome in bit `count - 1`; bits above it are 0 */
	uint64_t ip;     /* TIP */
	uint64_t offset; /* offset of the packet, of the first one if there are several */
	struct tl_pt_event event;
};

/*
 * Reasons against taking packets at `pos` inline (tl_pt_flow.slow_path_reasons). Zero:
 * synchronised, tracing is on, and nothing is pending, so that TNT and TIP have no other effect
 * than their own.
 */
enum tl_pt_slow_path_reason {
	TL_PT_SLOW_SYNC = 1 << 0,  /* not synchronised */
	TL_PT_SLOW_ERROR = 1 << 1, /* `error` is set */
	TL_PT_SLOW_OFF = 1 << 2,   /* tracing is off */
	TL_PT_SLOW_READY = 1 << 3, /* events are ready to be given */
	TL_PT_SLOW_FUP = 1 << 4,   /* a FUP waits for its TIP or TIP.PGD */
	TL_PT_SLOW_BOUND = 1 << 5, /* an event waits for a FUP or a TIP */
	TL_PT_SLOW_PSB = 1 << 6,   /* inside a PSB+ */
	TL_PT_SLOW_ITEMS = 1 << 7, /* inside BBP .. BEP: bytes of TNT may be items */
	TL_PT_SLOW_POWER = 1 << 8, /* MWAIT or PWRE are queued for later packets */
	TL_PT_SLOW_EVD = 1 << 9,   /* EVD are queued for their CFE */
	TL_PT_SLOW_TICK = 1 << 10, /* each TNT and TIP may have a tick */
};

enum {
	/* events at once: those bound to a FUP or a TIP, queued ones, and the branch itself */
	TL_PT_READY_MAX = 24,
	TL_PT_BOUND_MAX = 8,
};

/* An event that waits for a FUP. */
struct tl_pt_bound {
	struct tl_pt_event event;
	bool keep;   /* the FUP is also the source of a branch (5.3) */
	bool silent; /* the FUP is taken, but no event is given */
};

/*
 * The position of the clock: time packets before `pos` are in it; 0 or behind: all before the
 * flow's `pos`.
 */
struct tl_pt_flow_timing {
	const uint8_t *pos;
	struct tl_pt_context context;
	uint64_t event_tsc; /* of the last event or tick */
};

/* 5.1: the present PSB+. */
struct tl_pt_psb_status {
	bool running; /* the flow was running before it: the status must agree */
	bool enabled; /* it has a FUP */
	bool stale;   /* that FUP is outdated: tracing is off (BDM70, 7) */
	/* end of the packets that were scanned: its time holds from its first event on */
	const uint8_t *psb_end;
	uint64_t ip;
};

/* 5.3, 5.5: events that wait for a FUP, and changes that wait for a TIP. */
struct tl_pt_bound_events {
	uint64_t fup_ip; /* with TL_PT_SLOW_FUP */
	uint64_t fup_offset;
	uint32_t count;
	uint32_t at_tip; /* enum tl_pt_at_tip */
	struct tl_pt_event tip_paging, tip_vmcs;
	struct tl_pt_bound list[TL_PT_BOUND_MAX];
};

/* Events that are ready to be given. */
struct tl_pt_ready_events {
	uint32_t first, count;
	struct tl_pt_event list[TL_PT_READY_MAX];
};

/* 5.5: the execution mode and interrupt flag, and those of the last MODE.Exec packet. */
struct tl_pt_flow_mode {
	enum tl_pt_exec_mode now, next;
	bool iflag, iflag_known, next_iflag;
	uint64_t offset; /* offset of that packet */
};

/* 5.7: payloads that wait for later packets. */
struct tl_pt_queued_payloads {
	bool have_mwait, have_pwre, have_cr2, have_vmxq, have_vmxr;
	struct tl_pt_event mwait, pwre;
	uint64_t cr2, vmxq, vmxr;
};

struct tl_pt_flow {
	/*
	 * Members of the fast path. While `slow_path_reasons` is 0 a walk may keep `pos` and
	 * `last_ip` in locals, take TNT and TIP packets with the functions below, and must store
	 * both before it calls any other function. `pos` is behind the last packet taken; packets
	 * before the next TNT or TIP (PAD, and time packets in an untimed flow) are passed with
	 * that one. A timed flow gives outcomes up to the next time packet.
	 */
	const uint8_t *pos, *end;
	uint64_t last_ip;
	uint32_t slow_path_reasons; /* enum tl_pt_slow_path_reason */
	uint32_t flags;             /* enum tl_pt_flow_flag */

	enum tl_pt_error error;
	const uint8_t *begin;
	const uint8_t *packet;  /* the packet being decoded, or the one at fault */
	const uint8_t *psb;     /* the PSB synchronised onto, or the last one passed */
	const uint8_t *resumed; /* where the last resynchronisation went on */
	struct tl_pt_config config;
	struct tl_pt_context context;

	struct tl_pt_clock time;
	struct tl_pt_flow_timing timing;
	struct tl_pt_psb_status status;
	struct tl_pt_bound_events bound;
	struct tl_pt_ready_events ready;
	struct tl_pt_flow_mode mode;
	struct tl_pt_queued_payloads queued;
};

/* Options of a flow. */
enum tl_pt_flow_flag {
	/*
	 * Every item has its own time (tl_pt_flow_time() after each item, event.tsc). Without it
	 * time packets are passed over, events carry no time, and tl_pt_flow_time() catches up when
	 * it is called: still exact at the item just given, but a TNT item may then span several
	 * times and has that of its last packet.
	 */
	TL_PT_FLOW_TIMED = 1 << 0,
	/*
	 * As version 2.0.5 of the published interface: exec_mode events need not change the mode;
	 * PWRE is not queued.
	 */
	TL_PT_FLOW_CLASSIC = 1 << 1,
	/*
	 * As that version's query decoder: exec_mode comes before its TIP; TIP.PGE and PSB+ need
	 * not agree with the state before.
	 */
	TL_PT_FLOW_QUERY = 1 << 2,
};

/*
 * Begin over config->begin .. end, not synchronised. The configuration is copied. 0, or
 * -TL_PT_INVALID, _BAD_CONFIG.
 */
int tl_pt_flow_open(struct tl_pt_flow *flow, const struct tl_pt_config *config, unsigned flags);

/*
 * Synchronise: to the next PSB behind the present one (the first one at first), to the one before
 * it, to the one at `offset`. All pending state is dropped, time too. 0; -TL_PT_EOS without such a
 * PSB; -TL_PT_NOSYNC: none at `offset`.
 */
int tl_pt_flow_sync_forward(struct tl_pt_flow *flow);
int tl_pt_flow_sync_backward(struct tl_pt_flow *flow);
int tl_pt_flow_sync_set(struct tl_pt_flow *flow, uint64_t offset);

/* The next item. */
void tl_pt_flow_next(struct tl_pt_flow *flow, struct tl_pt_flow_item *item);

/*
 * After a TL_PT_FLOW_ITEM_ERROR (9.9): drop all that is pending, keep time, and go on at the next
 * packet that gives a location. `lost` is filled with a TL_PT_EV_LOST event. 0, or -TL_PT_EOS: no
 * such packet follows; `lost` then reaches to the end.
 *
 * A walk whose item does not fit the code does not call this: it drops outcomes, and gives events
 * without a location, up to an item for which tl_pt_gives_ip() is true; that may be the item at
 * fault.
 */
int tl_pt_flow_resync(struct tl_pt_flow *flow, struct tl_pt_event *lost);

/*
 * Whether the item just given says where flow goes on, so that a lost walk can go on. *on, *ip:
 * tracing is on, and the address.
 */
bool tl_pt_gives_ip(const struct tl_pt_flow *flow, const struct tl_pt_flow_item *item, bool *on,
		    uint64_t *ip);

/*
 * Time at the item just given: 0; -TL_PT_NO_TIME (counters are given anyway). The core:bus ratio:
 * -TL_PT_NO_CBR.
 */
int tl_pt_flow_time(struct tl_pt_flow *flow, uint64_t *tsc, uint32_t *lost_mtc, uint32_t *lost_cyc);
int tl_pt_flow_cbr(struct tl_pt_flow *flow, uint32_t *ratio);
/*
 * Use a flow as a clock alone: from where it was synchronised, take the time packets up to
 * `offset`, the end of a packet, into `time`. Rules between packets are not applied, so that behind
 * a fault the time may differ from that of the flow's items.
 */
void tl_pt_flow_clock(struct tl_pt_flow *flow, uint64_t offset);

static inline uint64_t tl_pt_flow_offset(const struct tl_pt_flow *flow)
{
	return (uint64_t)(flow->pos - flow->begin);
}

/*
 * The offset that the published decoders give while an item waits: that of the packet of an event
 * or a target; behind outcomes, PIP and VMCS, since those decoders read on behind them.
 */
static inline uint64_t tl_pt_flow_waits_at(const struct tl_pt_flow *flow,
					   const struct tl_pt_flow_item *item)
{
	bool behind = item->kind == TL_PT_FLOW_ITEM_TNT ||
		      (item->kind == TL_PT_FLOW_ITEM_EVENT &&
		       (item->event.kind == TL_PT_EV_PAGING || item->event.kind == TL_PT_EV_VMCS));

	return (uint64_t)((behind ? flow->pos : flow->packet) - flow->begin);
}

/* ---- the fast path ---- */

/*
 * In a timed flow: take the CYC or MTC at `pos` < end into the clock. Returns its size; 0: another
 * packet, or one that has to be decoded as others are.
 */
size_t tl_pt_flow_keep_time(struct tl_pt_flow *flow, const uint8_t *pos);

/* Short TNT: an even byte other than 00 and 02; its highest 1 is the stop bit (4.1). */
static inline bool tl_pt_is_short_tnt(uint32_t byte)
{
	return !(byte & 1) && byte > TL_PT_OPC_EXT;
}

enum { TL_PT_LONG_TNT = 8 };

/* Long TNT, with all its bytes: the highest 1 of the last six is the stop bit. */
static inline bool tl_pt_is_long_tnt(const uint8_t *pos, const uint8_t *end)
{
	return end - pos >= TL_PT_LONG_TNT && pos[0] == TL_PT_OPC_EXT && pos[1] == 0xa3 &&
	       tl_le64(pos) >> 17;
}

/*
 * Gather outcomes from the TNT packets at `pos`, behind those already in the register (the oldest
 * in bit `count - 1`), at most 64. Returns the position behind the last packet taken; `pos` itself
 * if there was none, or no room.
 */
static inline const uint8_t *tl_pt_take_tnt(const uint8_t *pos, const uint8_t *end, uint64_t *bits,
					    uint32_t *count)
{
	uint64_t b = *bits;
	uint32_t n = *count;

	while (pos < end && n <= 64 - 6) {
		uint32_t byte = *pos;
		uint32_t outcomes;

		if (!tl_pt_is_short_tnt(byte))
			break;
		outcomes = 30 - (uint32_t)__builtin_clz(byte);
		b = b << outcomes | ((byte >> 1) ^ 1u << outcomes);
		n += outcomes;
		pos++;
	}
	*bits = b;
	*count = n;
	return pos;
}

/* The size of the TIP with an address at `pos`, if all its bytes are there; else 0. */
static inline uint32_t tl_pt_tip_size(const uint8_t *pos, const uint8_t *end)
{
	uint32_t size;

	if (pos == end || (*pos & 0x1f) != TL_PT_OPC_TIP)
		return 0;
	size = tl_pt_ip_bytes[*pos >> 5];
	/* neither suppressed nor reserved */
	return size - 1 < 8 && size < (size_t)(end - pos) ? 1 + size : 0;
}

/*
 * The address of the IP packet at `pos`, which is complete and has one; `last_ip` is that of the IP
 * packet before it (4.3).
 */
static inline uint64_t tl_pt_take_ip(const uint8_t *pos, uint64_t last_ip)
{
	return tl_pt_apply_ip(pos + 1, *pos >> 5, last_ip);
}

/* psb.c: whether the PSB+ at `psb` reaches its PSBEND or an OVF. */
bool tl_pt_psb_is_whole(const struct tl_pt_flow *flow, const uint8_t *psb);

#endif
