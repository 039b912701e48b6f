/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions into a block, one after the other: to where an event is, or to where trace is
 * needed. */
#include "flow.h"

typedef bool is_fn(const struct tl_compat_decoder *dec, const struct tl_compat_code *code);

/*
 * The next instruction. 1: it is in the block; 0: the block ends before it; or an error, which is
 * the next block's if there is something in this one.
 */
static int add(struct tl_compat_decoder *dec, struct pt_block *block,
	       const struct tl_compat_code **code)
{
	int status;

	if (block->ninsn == UINT16_MAX || block->truncated)
		return 0;
	status = tl_compat_code(dec, dec->ip, code);
	if (status < 0)
		return block->ninsn ? 0 : status;
	if (block->ninsn && (*code)->region != dec->region)
		return 0;
	status = tl_compat_one_more(dec);
	if (status >= 0)
		status = tl_compat_push(dec, *code);
	if (status < 0)
		return status;
	dec->region = (*code)->region;
	block->isid = (*code)->insn.isid;
	block->iclass = (*code)->insn.iclass;
	block->end_ip = dec->ip;
	block->ninsn++;
	if ((*code)->insn.truncated) {
		memcpy(block->raw, (*code)->insn.raw, (*code)->insn.size);
		block->size = (*code)->insn.size;
		block->truncated = 1;
	}
	return 1;
}

static bool ends_block(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	uint32_t flags = dec->config.ours.flags;

	return (flags & TL_PT_END_ON_CALL && code->insn.iclass == ptic_call) ||
	       (flags & TL_PT_END_ON_JUMP && code->insn.iclass == ptic_jump);
}

/* 1: flow is at such an instruction, which is the last in the block; 0: the block ends before. */
static int to_insn(struct tl_compat_decoder *dec, struct pt_block *block,
		   const struct tl_compat_code **code, is_fn *is)
{
	for (;;) {
		int status = add(dec, block, code);

		if (status <= 0)
			return status;
		if (is(dec, *code))
			return 1;
		status = tl_compat_code_next(*code, &dec->ip);
		if (status < 0)
			return status;
		if (ends_block(dec, *code))
			return 0;
	}
}

/* 1: flow is at the address; 0: the block ends before. */
static int to_ip(struct tl_compat_decoder *dec, struct pt_block *block,
		 const struct tl_compat_code **code, uint64_t ip)
{
	while (dec->ip != ip) {
		int status = add(dec, block, code);

		if (status <= 0)
			return status;
		status = tl_compat_code_next(*code, &dec->ip);
		if (status < 0)
			return status;
		if (ends_block(dec, *code))
			return dec->ip == ip;
	}
	return 1;
}

/* ---- with trace ---- */

static int take_return(struct tl_compat_decoder *dec)
{
	int taken, status = tl_compat_cond(dec, &taken), popped;

	if (status == -pte_bad_query)
		return tl_compat_indirect(dec, &dec->ip);
	if (status < 0)
		return status;
	popped = taken ? tl_compat_pop(dec, &dec->ip) : -pte_bad_retcomp;
	return popped < 0 ? popped : status;
}

static int take_cond(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	int taken, status = tl_compat_cond(dec, &taken);

	if (status >= 0)
		dec->ip = taken ? code->target : code->insn.ip + code->insn.size;
	return status;
}

int tl_compat_branch(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	int status;

	if (code->insn.iclass == ptic_cond_jump)
		status = take_cond(dec, code);
	else if (code->insn.iclass == ptic_return)
		status = take_return(dec);
	else
		status = tl_compat_indirect(dec, &dec->ip);
	if (status < 0)
		return status;
	dec->status = status;
	return status & pts_ip_suppressed ? -pte_noip : 0;
}

static bool never(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	(void)dec, (void)code;
	return false;
}

int tl_compat_steps(struct tl_compat_decoder *dec, struct pt_block *block)
{
	const struct tl_compat_code *code = NULL;
	int status = to_insn(dec, block, &code, never);

	return status == -pte_bad_query ? tl_compat_branch(dec, code) : status;
}

/* ---- to an event ---- */

/* TIP.PGD without an address (5.4, and SKL014 of 7). */
static bool turns_off(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	uint64_t next;

	if (code->flags & TL_X86_MOV_CR3)
		return true;
	return tl_compat_has_filter(dec) &&
	       (code->insn.iclass == ptic_call || code->insn.iclass == ptic_jump) &&
	       tl_compat_code_next(code, &next) == 0 && tl_compat_is_filtered(dec, next);
}

/* Where flow is expected to go on once tracing is off: behind a call. */
static void expect(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	bool call = code->insn.iclass == ptic_call || code->insn.iclass == ptic_far_call;

	dec->ip = call ? code->insn.ip + code->insn.size : 0;
}

static int to_disabled(struct tl_compat_decoder *dec, struct pt_block *block)
{
	const struct pt_event *event = &dec->event;
	const struct tl_compat_code *code = NULL;
	int status = event->ip_suppressed ? to_insn(dec, block, &code, turns_off)
					  : to_ip(dec, block, &code, event->variant.disabled.ip);

	/* It is bound to whatever would need trace, too. */
	if (status != -pte_bad_query)
		return status;
	expect(dec, code);
	return 1;
}

/* What follows the instruction is not looked for before all that is bound to it is known. */
static int to_bound(struct tl_compat_decoder *dec, struct pt_block *block)
{
	const struct tl_compat_code *code = NULL;
	int status;

	if (tl_compat_has_place(dec)) {
		status = to_ip(dec, block, &code, *tl_compat_place(&dec->event));
		if (status > 0)
			status = add(dec, block, &code);
	} else {
		status = to_insn(dec, block, &code, tl_compat_is_kind);
	}
	if (status <= 0)
		return status;
	tl_compat_bind(dec, code);
	dec->insn = *code;
	dec->has_insn = true;
	return 1;
}

/* To the event's address, with trace if need be: then the block ends on the way. */
static int to_place(struct tl_compat_decoder *dec, struct pt_block *block, bool with_trace)
{
	uint64_t place = *tl_compat_place(&dec->event);
	const struct tl_compat_code *code = NULL;
	int status = to_ip(dec, block, &code, place);

	if (status == -pte_bad_query && with_trace)
		status = tl_compat_branch(dec, code);
	return status < 0 ? status : dec->ip == place;
}

static bool may_use_trace(enum pt_event_type type)
{
	return type == ptev_async_paging || type == ptev_async_vmcs || type == ptev_exec_mode ||
	       type == ptev_iflags;
}

static int to_event(struct tl_compat_decoder *dec, struct pt_block *block)
{
	switch (dec->event.type) {
	case ptev_disabled:
		return to_disabled(dec, block);
	case ptev_async_disabled:
	case ptev_async_branch:
		return to_place(dec, block, false);
	default:
		break;
	}
	if (tl_compat_is_bound_to_insn(dec))
		return dec->enabled ? to_bound(dec, block) : 1;
	/* Without an address, or where there is none to come to. */
	if (dec->event.type == ptev_tsx || may_use_trace(dec->event.type))
		return dec->event.ip_suppressed
			       ? 1
			       : to_place(dec, block, may_use_trace(dec->event.type));
	return tl_compat_is_here(dec) ? 1 : to_place(dec, block, false);
}

int tl_compat_steps_to_event(struct tl_compat_decoder *dec, struct pt_block *block)
{
	int status = to_event(dec, block);

	if (status <= 0)
		return status;
	if (dec->event.type == ptev_async_disabled && tl_compat_skd022(dec, dec->ip))
		return tl_compat_steps_to_event(dec, block);
	return tl_compat_status(dec, pts_event_pending);
}

/* ---- at the place that flow has come to ---- */

/* Go on behind the instruction that events were bound to. */
static int proceed(struct tl_compat_decoder *dec)
{
	int status = 0;

	if (!dec->has_insn)
		return 0;
	if (dec->enabled)
		status = tl_compat_code_next(&dec->insn, &dec->ip);
	if (status == -pte_bad_query)
		status = tl_compat_branch(dec, &dec->insn);
	if (status < 0)
		return status;
	dec->has_insn = false;
	tl_compat_bound_none(dec);
	return 0;
}

/* Tracing may have been turned off at the instruction that another event is bound to. */
static int is_off_at_insn(struct tl_compat_decoder *dec)
{
	const struct pt_event *event = &dec->event;
	int status;

	if (!dec->has_insn)
		return 0;
	if (event->ip_suppressed && dec->insn.flags & TL_X86_MOV_CR3)
		return 1;
	status = tl_compat_code_next(&dec->insn, &dec->ip);
	if (status == -pte_bad_query) {
		expect(dec, &dec->insn);
		return 1;
	}
	if (status < 0)
		return status;
	dec->has_insn = false;
	tl_compat_bound_none(dec);
	return !event->ip_suppressed && dec->ip == event->variant.disabled.ip;
}

/* The abort was not where the last branch of the block led. */
static void mend_abort(struct tl_compat_decoder *dec, const struct pt_block *block)
{
	const struct tl_compat_code *code;
	struct tl_compat_code branch;

	if (!block || !block->ninsn || dec->event.type != ptev_tsx ||
	    !(dec->config.ours.errata & TL_PT_BDM64) ||
	    tl_compat_code(dec, block->end_ip, &code) < 0)
		return;
	branch = *code;
	tl_compat_bdm64(dec, &branch);
}

/* 1: the event takes effect here; 0: not yet; or an error. */
static int is_here(struct tl_compat_decoder *dec, const struct pt_block *block)
{
	int status;

	if (dec->event.type == ptev_disabled)
		return is_off_at_insn(dec);
	if (tl_compat_is_bound_to_insn(dec))
		return !dec->enabled || (dec->has_insn && !tl_compat_has_place(dec) &&
					 tl_compat_binds(dec, &dec->insn));
	status = proceed(dec);
	if (status < 0)
		return status;
	mend_abort(dec, block);
	if (!tl_compat_is_here(dec))
		return 0;
	return dec->event.type != ptev_async_disabled || !tl_compat_skd022(dec, dec->ip);
}

int tl_compat_block_events(struct tl_compat_decoder *dec, const struct pt_block *block)
{
	int status = tl_compat_fetch_event(dec);

	if (status > 0)
		status = is_here(dec, block);
	if (status > 0)
		return tl_compat_status(dec, pts_event_pending);
	if (status == 0)
		status = proceed(dec);
	return status < 0 ? status : tl_compat_status(dec, 0);
}
