/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_FLOW_H
#define TL_INTEL_PT_FLOW_H
/*
 * The flow: what packets say about control flow, one item at a time, in the order of the trace. This layer knows every
 * rule between packets (sections 5 and 6 of docs/formats/intel-pt.md: PSB+, OVF, FUP pairs, MODE, PIP, power, errata,
 * time) and no code; the walk over code (walk.c) knows no packets. It gives
 *
 *   TNT    outcomes, oldest first: consecutive TNT packets are gathered as long as nothing else stands between them
 *          that the walk or the clock must see
 *   TIP    the target of an indirect or far branch, or of an uncompressed return
 *   PSB    a PSB+ in running flow, complete: `ip` is where it stands (with `suppressed`: tracing is off there). The walk
 *          comes to that address, ends the block there (9.20) and forgets its return stack (9.6). What the PSB+ said and
 *          differs from what is known follows as events (status updates); a PSB+ that was synchronised on gives no such
 *          item but, first, the event "enabled" or "disabled"
 *   EVENT  an event, in the order of 5.1 to 5.8. How the walk binds it to a place follows from its kind: a status
 *          update or overflow is now; enabled is now; disabled is where 5.4 says; async_* , tsx, exstop, mwait,
 *          ptwrite and CFE events with an address are where the walk comes to that address without using trace;
 *          exec_mode comes behind the TIP or "enabled" it is bound to, with that address; paging, vmcs, ptwrite without address are at the next
 *          instruction that 5.5 and 5.7 name; with `ip_suppressed` and none of these: now
 *   END    no more packets
 *   ERROR  `error`, at `offset`; the flow stays there until it is synchronised again or resynchronised
 */
#include <tracelathe/intel_pt.h>

enum tl_pt_item_kind { TL_PT_ITEM_TNT, TL_PT_ITEM_TIP, TL_PT_ITEM_PSB, TL_PT_ITEM_EVENT, TL_PT_ITEM_END,
		       TL_PT_ITEM_ERROR };

struct tl_pt_item {
	enum tl_pt_item_kind kind;
	enum tl_pt_error error;
	uint32_t count;     /* TNT: outcomes, 1 .. 64 */
	bool suppressed;    /* TIP, PSB: without an address */
	uint64_t bits;      /* TNT: the oldest outcome in bit `count - 1` */
	uint64_t ip;        /* TIP */
	uint64_t offset;    /* of the packet, the first one of several */
	struct tl_pt_event event;
};

#endif
