/* SPDX-License-Identifier: Apache-2.0 */
/* Where each event is bound, and what it changes (5.1 to 5.8). */
#include "intel_pt/blocks/decoder.h"

/* Where an event takes effect. */
enum binding {
	NOW,
	FROM_IP, /* before the instruction at its address; it always has one */
	AT_IP,   /* before the instruction at its address, or now if it has none */
	DISABLE, /* 5.4 */
	AT_INSN, /* behind the next instruction with one of the flags, or now if tracing is off */
	BEHIND,  /* behind the instruction at its address, or, without an address, as AT_INSN */
	COUNTED, /* as AT_IP, or behind as many instructions as it says */
};

typedef bool apply_fn(struct tl_pt_decoder *decoder, struct tl_pt_event *event);

static bool context_error(struct tl_pt_decoder *decoder)
{
	tl_pt_fail(decoder, TL_PT_BAD_CONTEXT, decoder->item.flow.offset);
	return false;
}

static void set_off(struct tl_pt_decoder *decoder)
{
	decoder->pos.tracing = TL_PT_TRACING_OFF;
	decoder->pos.node = TL_PT_NODE_BEHIND;
}

static bool enabled(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	if (event->ip_suppressed || (tl_pt_is_enabled(decoder) && !event->status_update))
		return context_error(decoder);
	event->enabled.resumed = decoder->pos.resume_known && decoder->pos.resume_ip == event->ip;
	decoder->bounds.inherited = decoder->bounds.inherits && !event->status_update;
	decoder->bounds.inherits = false;
	decoder->pos.tracing = TL_PT_TRACING_ON;
	decoder->pos.resume_known = false;
	decoder->pos.last_walked = TL_PT_NODE_NONE;
	return tl_pt_set_ip(decoder, event->ip);
}

/* Tracing that was turned off at a call is expected to go on behind it (5.4). */
static bool disabled(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	const struct tl_pt_block *last = &decoder->pos.last;

	if (!event->status_update && tl_pt_is_settled(decoder)) {
		if (!tl_pt_is_enabled(decoder))
			return context_error(decoder);
		decoder->bounds.inherits = false;
		decoder->pos.resume_known =
			last->iclass == TL_PT_IC_CALL || last->iclass == TL_PT_IC_FAR_CALL;
		decoder->pos.resume_ip = last->end_ip + last->size;
	}
	set_off(decoder);
	return true;
}

static bool async_disabled(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	if (!tl_pt_is_enabled(decoder) && tl_pt_is_settled(decoder))
		return context_error(decoder);
	decoder->pos.resume_known = true;
	decoder->bounds.inherits = false;
	decoder->pos.resume_ip = event->ip;
	set_off(decoder);
	return true;
}

static bool async_branch(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	if ((!tl_pt_is_enabled(decoder) && tl_pt_is_settled(decoder)) || event->ip_suppressed)
		return context_error(decoder);
	decoder->pos.tracing = TL_PT_TRACING_ON;
	decoder->pos.last_walked = TL_PT_NODE_NONE;
	return tl_pt_set_ip(decoder, event->branch.to);
}

/* Of an address space that is kept, only whether it is a virtual machine's may change. */
static uint64_t next_cr3(const struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	const uint64_t kept = decoder->graph.asid.cr3;

	if (!(decoder->config.flags & TL_PT_KEEP_ASID))
		return event->paging.cr3;
	if (kept != TL_PT_ROOT && kept != TL_PT_NON_ROOT)
		return kept;
	return event->paging.non_root ? TL_PT_NON_ROOT : TL_PT_ROOT;
}

/* An event that is bound to an instruction has no address that could be suppressed. */
static bool paging(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	struct tl_pt_asid asid = decoder->graph.asid;

	asid.cr3 = next_cr3(decoder, event);
	if (event->kind == TL_PT_EV_PAGING)
		event->ip_suppressed = false;
	return tl_pt_change_space(decoder, &asid, tl_pt_graph_mode(&decoder->graph));
}

static bool vmcs(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	struct tl_pt_asid asid = decoder->graph.asid;

	asid.vmcs = event->vmcs.base;
	if (event->kind == TL_PT_EV_VMCS)
		event->ip_suppressed = false;
	return decoder->config.flags & TL_PT_KEEP_ASID ||
	       tl_pt_change_space(decoder, &asid, tl_pt_graph_mode(&decoder->graph));
}

/* Packets were lost, so neither the return stack nor a transaction is known any more (9.6). */
static bool overflow(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	tl_pt_position_reset(decoder);
	decoder->pos.speculative = false;
	decoder->pos.resume_known = decoder->bounds.inherits = false;
	if (event->ip_suppressed) {
		set_off(decoder);
		return true;
	}
	decoder->pos.tracing = TL_PT_TRACING_ON;
	return tl_pt_set_ip(decoder, event->ip);
}

static bool exec_mode(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	return tl_pt_change_space(decoder, &decoder->graph.asid, event->exec_mode.mode);
}

static bool transaction(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	decoder->pos.speculative = event->tsx.speculative;
	return true;
}

static bool change_nothing(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	(void)decoder;
	(void)event;
	return true;
}

enum {
	PAGING_FLAGS = TL_X86_MOV_CR3 | TL_X86_FAR | TL_X86_VMENTRY,
	VMCS_FLAGS = TL_X86_VMPTRLD | TL_X86_VMENTRY | TL_X86_FAR,
};

static const struct rule {
	enum binding binding;
	uint16_t flags; /* AT_INSN: enum tl_x86_flow_flag */
	apply_fn *apply;
	/* clang-format off */
} rules[TL_PT_EV_COUNT] = {
	[TL_PT_EV_ENABLED] = { NOW, 0, enabled },                      /* 5.4 */
	[TL_PT_EV_DISABLED] = { DISABLE, 0, disabled },                /* 5.4 */
	[TL_PT_EV_ASYNC_DISABLED] = { FROM_IP, 0, async_disabled },      /* 5.3 */
	[TL_PT_EV_ASYNC_BRANCH] = { FROM_IP, 0, async_branch },          /* 5.3 */
	[TL_PT_EV_PAGING] = { AT_INSN, PAGING_FLAGS, paging },         /* 5.5 */
	[TL_PT_EV_ASYNC_PAGING] = { AT_IP, 0, paging },                /* 5.5 */
	[TL_PT_EV_OVERFLOW] = { NOW, 0, overflow },                    /* 5.2 */
	[TL_PT_EV_EXEC_MODE] = { AT_IP, 0, exec_mode },                /* 5.5 */
	[TL_PT_EV_TSX] = { AT_IP, 0, transaction },                    /* 5.3 */
	[TL_PT_EV_STOP] = { NOW, 0, change_nothing },
	[TL_PT_EV_VMCS] = { AT_INSN, VMCS_FLAGS, vmcs },               /* 5.5 */
	[TL_PT_EV_ASYNC_VMCS] = { AT_IP, 0, vmcs },                    /* 5.5 */
	[TL_PT_EV_EXSTOP] = { AT_IP, 0, change_nothing },                     /* 5.7 */
	[TL_PT_EV_MWAIT] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_PWRE] = { NOW, 0, change_nothing },
	[TL_PT_EV_PWRX] = { NOW, 0, change_nothing },
	[TL_PT_EV_PTWRITE] = { BEHIND, TL_X86_PTWRITE, change_nothing },
	[TL_PT_EV_TICK] = { NOW, 0, change_nothing },                         /* 5.8 */
	[TL_PT_EV_CBR] = { NOW, 0, change_nothing },
	[TL_PT_EV_MNT] = { NOW, 0, change_nothing },
	[TL_PT_EV_TIP] = { NOW, 0, change_nothing },
	[TL_PT_EV_TNT] = { NOW, 0, change_nothing },
	[TL_PT_EV_IFLAGS] = { AT_IP, 0, change_nothing },                     /* 5.7 */
	[TL_PT_EV_INTERRUPT] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_IRET] = { BEHIND, TL_X86_FAR, change_nothing },
	[TL_PT_EV_SMI] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_RSM] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_SIPI] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_INIT] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_VMENTRY] = { BEHIND, TL_X86_FAR, change_nothing },
	[TL_PT_EV_VMEXIT] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_SHUTDOWN] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_UINTR] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_UIRET] = { BEHIND, TL_X86_FAR, change_nothing },
	[TL_PT_EV_TRIG] = { COUNTED, 0, change_nothing },
	[TL_PT_EV_SWINTR] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_SYSCALL] = { AT_IP, 0, change_nothing },
	[TL_PT_EV_LOST] = { NOW, 0, change_nothing },
};
/* clang-format on */

bool tl_pt_apply_anywhere(struct tl_pt_decoder *decoder, struct tl_pt_event *event)
{
	apply_fn *const apply = rules[event->kind].apply;

	if (apply != paging && apply != vmcs && apply != exec_mode && apply != transaction)
		return true;
	return apply(decoder, event);
}

/* skl014: a direct branch that leaves the ranges may give a TIP.PGD without an address. */
static const struct tl_pt_range *filter(const struct tl_pt_decoder *decoder)
{
	return decoder->config.errata & TL_PT_SKL014 ? decoder->config.ranges : NULL;
}

/*
 * The location of a TIP.PGD (5.4): with an address, where straight code or a branch reaches that;
 * without one, behind the first instruction that needs trace, or changes CR3.
 */
static struct tl_pt_stop_condition disable_condition(const struct tl_pt_decoder *decoder,
						     const struct tl_pt_event *event)
{
	if (event->ip_suppressed)
		return (struct tl_pt_stop_condition){ .branch = true,
						      .flags = TL_X86_MOV_CR3,
						      .ranges = filter(decoder) };
	return (struct tl_pt_stop_condition){
		.at_ip = true, .behind = true, .branch = true, .ip = event->ip
	};
}

/*
 * A TRIG may come some instructions behind the last known location; the next one counts from here.
 */
static enum tl_pt_stop bind_counted(struct tl_pt_decoder *decoder, struct tl_pt_event *event,
				    struct tl_pt_out *out)
{
	enum tl_pt_stop stop = tl_pt_walk_past(decoder, event->trig.icnt, out);

	if (stop != TL_PT_STOP_GO)
		return stop;
	event->ip_suppressed = decoder->pos.node == TL_PT_NODE_BEHIND;
	event->ip = event->ip_suppressed ? 0 : decoder->graph.blocks[decoder->pos.node].ip;
	decoder->pos.since = 0;
	return TL_PT_STOP_GO;
}

static enum tl_pt_stop bind_to(struct tl_pt_decoder *decoder, const struct rule *rule,
			       struct tl_pt_event *event, struct tl_pt_out *out)
{
	struct tl_pt_stop_condition until = { .at_ip = true, .ip = event->ip };

	if (rule->binding == NOW || event->status_update || !tl_pt_is_enabled(decoder))
		return TL_PT_STOP_GO;
	if (rule->binding == DISABLE) {
		until = disable_condition(decoder, event);
		return tl_pt_walk_to(decoder, &until, out);
	}
	if (rule->binding == COUNTED && event->trig.icntv)
		return bind_counted(decoder, event, out);
	if (rule->binding == BEHIND && !event->ip_suppressed)
		until = (struct tl_pt_stop_condition){ .past_ip = true, .ip = event->ip };
	else if (rule->binding == AT_INSN || rule->binding == BEHIND)
		until = (struct tl_pt_stop_condition){ .flags = rule->flags };
	else if (rule->binding != FROM_IP && event->ip_suppressed)
		return TL_PT_STOP_GO;
	return tl_pt_walk_to(decoder, &until, out);
}

/*
 * skd022: a VM entry that turns tracing off may give a FUP: the event is a synchronous disable
 * then.
 */
static enum tl_pt_stop bind_vmentry(struct tl_pt_decoder *decoder, struct tl_pt_event *event,
				    struct tl_pt_out *out)
{
	static const struct tl_pt_stop_condition until = { .branch = true };
	struct tl_pt_decoded_block decoded;

	if (!(decoder->config.errata & TL_PT_SKD022) || event->kind != TL_PT_EV_ASYNC_DISABLED ||
	    decoder->pos.node < TL_PT_NODE_FIRST)
		return TL_PT_STOP_GO;
	tl_pt_graph_decode(&decoder->graph, event->ip, &until, &decoded);
	if (decoded.block.end_ip != event->ip || !(decoded.flags & TL_X86_VMENTRY))
		return TL_PT_STOP_GO;
	*event = (struct tl_pt_event){ .kind = TL_PT_EV_DISABLED,
				       .ip = event->disabled.to,
				       .ip_suppressed = event->ip_suppressed,
				       .has_tsc = event->has_tsc,
				       .tsc = event->tsc,
				       .lost_mtc = event->lost_mtc,
				       .lost_cyc = event->lost_cyc,
				       .cycles = event->cycles,
				       .offset = event->offset };
	return tl_pt_walk_to(decoder, &until, out);
}

/*
 * A PSB+ in running flow has a location, too: blocks end there, so that nodes are the same
 * whichever PSB decoding began at (9.20); and returns are not compressed across it (9.6). The flow
 * gives it as it does at synchronising: an enabled event with an address, or a disabled one.
 */
static bool is_psb_boundary(const struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	return event->status_update && tl_pt_is_settled(decoder) &&
	       ((event->kind == TL_PT_EV_ENABLED && tl_pt_is_enabled(decoder)) ||
		(event->kind == TL_PT_EV_DISABLED && !tl_pt_is_enabled(decoder)));
}

static enum tl_pt_stop note_boundary(struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	decoder->boundary.pending = true;
	decoder->boundary.ip = event->ip;
	decoder->boundary.offset = event->offset;
	return TL_PT_STOP_GO;
}

/*
 * Events without a location inside a PSB+ come before the walk to the address of that PSB+ (5.8).
 */
bool tl_pt_before_psb_boundary(const struct tl_pt_flow_item *item)
{
	return item->kind == TL_PT_FLOW_ITEM_EVENT && rules[item->event.kind].binding == NOW &&
	       item->event.kind != TL_PT_EV_ENABLED;
}

enum tl_pt_stop tl_pt_take_psb_boundary(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	struct tl_pt_stop_condition until = { .at_ip = true, .ip = decoder->boundary.ip };
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	decoder->item.location_offset = decoder->boundary.offset;
	if (tl_pt_is_enabled(decoder))
		stop = tl_pt_walk_to(decoder, &until, out);
	if (stop != TL_PT_STOP_GO)
		return stop;
	decoder->boundary.pending = false;
	tl_pt_clear_stack(decoder);
	return TL_PT_STOP_GO;
}

/* Take the boundary at once; at the end of a segment decoding ends with it. */
static enum tl_pt_stop take_boundary_now(struct tl_pt_decoder *decoder,
					 const struct tl_pt_event *event, struct tl_pt_out *out)
{
	enum tl_pt_stop stop;

	note_boundary(decoder, event);
	stop = tl_pt_take_psb_boundary(decoder, out);
	if (stop == TL_PT_STOP_GO && decoder->passed_psb.wanted) {
		decoder->passed_psb.known = true;
		decoder->passed_psb.offset = event->offset;
		tl_pt_note_psb_state(decoder, &decoder->passed_psb.state, event->ip);
	}
	if (stop != TL_PT_STOP_GO || event->offset < decoder->bounds.end)
		return stop;
	decoder->bounds.at_end = true;
	tl_pt_note_psb_state(decoder, &decoder->bounds.end_state, event->ip);
	return tl_pt_fail(decoder, TL_PT_EOS, event->offset);
}

/*
 * Whether the event is left out. Version 2.0.5 of the published interface says by the status alone
 * that tracing is on or off at a PSB.
 */
static bool is_silent(const struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	bool joining = decoder->bounds.joining && !decoder->bounds.began;

	return (decoder->config.flags & TL_PT_CLASSIC || joining) && event->status_update &&
	       (event->kind == TL_PT_EV_ENABLED || event->kind == TL_PT_EV_DISABLED);
}

/*
 * bdm64: the branch right before an abort may have the wrong outcome or target. If the abort cannot
 * be reached from where it led, it is taken to have led to the abort. False: an error.
 */
static bool mend_abort(struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	if (!(decoder->config.errata & TL_PT_BDM64) || !tl_pt_is_enabled(decoder) ||
	    event->ip_suppressed || decoder->pos.node < TL_PT_NODE_FIRST ||
	    !decoder->pos.last_walked ||
	    tl_pt_node_kind(&decoder->graph.nodes[decoder->pos.last_walked]) == TL_PT_NODE_NEXT)
		return true;
	return tl_pt_reaches(decoder, decoder->graph.blocks[decoder->pos.node].ip, event->ip) ||
	       tl_pt_set_ip(decoder, event->ip);
}

enum tl_pt_stop tl_pt_take_event(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	struct tl_pt_event *event = &decoder->item.flow.event;
	bool was_settled = tl_pt_is_settled(decoder);
	enum tl_pt_stop stop;

	if (decoder->trace.count || decoder->trace.tip_pending)
		return tl_pt_mismatch(decoder, out);
	if (is_psb_boundary(decoder, event) && decoder->config.flags & TL_PT_CLASSIC)
		return note_boundary(decoder, event);
	if (is_psb_boundary(decoder, event))
		return take_boundary_now(decoder, event, out);
	if (event->offset >= decoder->bounds.end)
		return tl_pt_fail(decoder, TL_PT_EOS, event->offset);
	if (event->kind == TL_PT_EV_TSX && event->tsx.aborted && !mend_abort(decoder, event))
		return TL_PT_STOP_ERROR;
	stop = bind_to(decoder, &rules[event->kind], event, out);
	if (stop == TL_PT_STOP_GO)
		stop = bind_vmentry(decoder, event, out);
	if (stop != TL_PT_STOP_GO)
		return stop;
	if (!event->ip_suppressed && !event->status_update && rules[event->kind].binding != BEHIND)
		decoder->pos.since = 0;
	decoder->events.was_enabled = tl_pt_is_enabled(decoder);
	decoder->bounds.inherited = false;
	if (!rules[event->kind].apply(decoder, event))
		return TL_PT_STOP_ERROR;
	if (decoder->pos.tracing == TL_PT_TRACING_UNKNOWN)
		decoder->pos.tracing = TL_PT_TRACING_OFF;
	if (!was_settled && is_silent(decoder, event))
		return TL_PT_STOP_GO;
	decoder->events.next = *event;
	decoder->events.pending = true;
	return TL_PT_STOP_EVENT;
}
