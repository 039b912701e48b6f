/* SPDX-License-Identifier: Apache-2.0 */
/* pt_insn_* */
#include "flow.h"

/* The published type is never defined: it is one of ours. */
static struct tl_compat_decoder *of(const struct pt_insn_decoder *decoder)
{
	return (struct tl_compat_decoder *)(uintptr_t)decoder;
}

struct pt_insn_decoder *pt_insn_alloc_decoder(const struct pt_config *config)
{
	return (struct pt_insn_decoder *)tl_compat_decoder_open(config, TL_COMPAT_INSN);
}

void pt_insn_free_decoder(struct pt_insn_decoder *decoder)
{
	tl_compat_decoder_close(of(decoder));
}

int pt_insn_sync_forward(struct pt_insn_decoder *decoder)
{
	return tl_compat_decoder_forward(of(decoder));
}

int pt_insn_sync_backward(struct pt_insn_decoder *decoder)
{
	return tl_compat_decoder_backward(of(decoder));
}

int pt_insn_sync_set(struct pt_insn_decoder *decoder, uint64_t offset)
{
	return tl_compat_decoder_set(of(decoder), offset);
}

int pt_insn_resync(struct pt_insn_decoder *decoder)
{
	return tl_compat_decoder_resync(of(decoder));
}

int pt_insn_get_offset(const struct pt_insn_decoder *decoder, uint64_t *offset)
{
	return tl_compat_decoder_offset(of(decoder), offset);
}

int pt_insn_get_sync_offset(const struct pt_insn_decoder *decoder, uint64_t *offset)
{
	return tl_compat_decoder_sync_offset(of(decoder), offset);
}

struct pt_image *pt_insn_get_image(struct pt_insn_decoder *decoder)
{
	return decoder ? of(decoder)->current : NULL;
}

int pt_insn_set_image(struct pt_insn_decoder *decoder, struct pt_image *image)
{
	return tl_compat_decoder_set_image(of(decoder), image);
}

const struct pt_config *pt_insn_get_config(const struct pt_insn_decoder *decoder)
{
	return decoder ? &of(decoder)->config.user : NULL;
}

int pt_insn_time(struct pt_insn_decoder *decoder, uint64_t *time, uint32_t *lost_mtc,
		 uint32_t *lost_cyc)
{
	return tl_compat_decoder_time(of(decoder), time, lost_mtc, lost_cyc);
}

int pt_insn_core_bus_ratio(struct pt_insn_decoder *decoder, uint32_t *cbr)
{
	return tl_compat_decoder_ratio(of(decoder), cbr);
}

int pt_insn_asid(const struct pt_insn_decoder *decoder, struct pt_asid *asid, size_t size)
{
	return tl_compat_decoder_asid(of(decoder), asid, size);
}

int pt_insn_event(struct pt_insn_decoder *decoder, struct pt_event *event, size_t size)
{
	return tl_compat_decoder_event(of(decoder), event, size);
}

/* ---- behind an instruction ---- */

/* Where a return goes: an outcome says that its call does, else a target comes. */
static int take_return(struct tl_compat_decoder *dec)
{
	int taken, status = tl_compat_cond(dec, &taken);

	if (status < 0)
		return 1;
	dec->status = status;
	return taken ? tl_compat_pop(dec, &dec->ip) : -pte_bad_retcomp;
}

/* Go on to the next instruction. */
static int proceed(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	int taken = 1, status;

	dec->ip += code->insn.size;
	switch (code->insn.iclass) {
	case ptic_other:
	case ptic_ptwrite:
		return 0;
	case ptic_cond_jump:
		status = tl_compat_cond(dec, &taken);
		if (status < 0)
			return status;
		dec->status = status;
		if (!taken)
			return 0;
		break;
	case ptic_call:
		tl_compat_push(dec, code);
		break;
	case ptic_return:
		status = take_return(dec);
		if (status <= 0)
			return status;
		break;
	default:
		break;
	}
	if (code->flags & TL_X86_DIRECT) {
		dec->ip = code->target;
		return 0;
	}
	status = tl_compat_indirect(dec, &dec->ip);
	if (status < 0)
		return status;
	dec->status = status;
	return status & pts_ip_suppressed ? -pte_noip : 0;
}

/* TIP.PGD: whether tracing was turned off at this instruction (5.4). */
static bool is_off_at(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	bool near = code->insn.iclass == ptic_call || code->insn.iclass == ptic_jump;
	bool direct = near && code->flags & TL_X86_DIRECT;

	if (!dec->event.ip_suppressed)
		return direct ? code->target == dec->event.variant.disabled.ip
			      : code->insn.iclass != ptic_other &&
					code->insn.iclass != ptic_ptwrite;
	if (tl_compat_is_far(code) || code->flags & TL_X86_MOV_CR3)
		return true;
	return direct && tl_compat_has_filter(dec) && tl_compat_is_filtered(dec, code->target);
}

/* Where flow is expected to go on: behind a call, where it is known without trace, or nowhere. */
static void expect(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	if (tl_compat_code_next(code, &dec->ip) == 0)
		return;
	dec->ip = 0;
	if (code->insn.iclass == ptic_call || code->insn.iclass == ptic_far_call)
		dec->ip = code->insn.ip + code->insn.size;
}

/* The event that is bound to this instruction: its status, or 0. */
static int insn_event(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	int status = tl_compat_fetch_event(dec);

	if (status <= 0)
		return status;
	if (dec->event.type == ptev_disabled) {
		if (!is_off_at(dec, code))
			return 0;
		expect(dec, code);
		return tl_compat_status(dec, pts_event_pending);
	}
	if (!tl_compat_is_bound_to_insn(dec) || !tl_compat_binds(dec, code))
		return 0;
	/* There may be more for it. */
	if (!dec->has_insn)
		dec->insn = *code;
	dec->has_insn = true;
	return tl_compat_status(dec, pts_event_pending);
}

int tl_compat_insn_events(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	int status = tl_compat_fetch_event(dec);

	if (status < 0)
		return status;
	if (!status)
		return tl_compat_status(dec, 0);
	if (code)
		tl_compat_bdm64(dec, code);
	if (!tl_compat_is_here(dec))
		return tl_compat_status(dec, 0);
	/* It has become one that is bound to the instruction. */
	if (dec->event.type == ptev_async_disabled && tl_compat_skd022(dec, dec->ip))
		return tl_compat_status(dec, 0);
	return tl_compat_status(dec, pts_event_pending);
}

int tl_compat_insn_behind_event(struct tl_compat_decoder *dec)
{
	if (dec->has_insn) {
		int status = insn_event(dec, &dec->insn);

		if (status < 0 || status & pts_event_pending)
			return status;
		status = dec->enabled ? proceed(dec, &dec->insn) : 0;
		if (status < 0)
			return status;
		dec->has_insn = false;
		tl_compat_bound_none(dec);
	}
	return tl_compat_insn_events(dec, NULL);
}

/* Nothing waits, and the instruction is none that an event or the trace has a say in. */
static bool is_plain(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	return code->insn.iclass == ptic_other && !dec->has_event &&
	       !(dec->status & pts_event_pending);
}

int pt_insn_next(struct pt_insn_decoder *decoder, struct pt_insn *insn, size_t size)
{
	struct tl_compat_decoder *dec = of(decoder);
	const struct tl_compat_code *code;
	struct pt_insn user;
	int status;

	if (!decoder || !insn)
		return -pte_invalid;
	if (!dec->synced)
		return -pte_nosync;
	if (!dec->enabled)
		return dec->status & pts_eos ? -pte_eos : -pte_no_enable;
	dec->moved = true;
	status = tl_compat_code(dec, dec->ip, &code);
	user = code->insn;
	user.speculative = dec->speculative;
	tl_compat_give(insn, size, &user, sizeof(user));
	if (status >= 0)
		status = tl_compat_one_more(dec);
	if (status < 0)
		return status;
	if (is_plain(dec, code)) {
		dec->ip += code->insn.size;
		return tl_compat_status(dec, 0);
	}
	status = insn_event(dec, code);
	if (status < 0 || status & pts_event_pending)
		return status;
	status = proceed(dec, code);
	return status < 0 ? status : tl_compat_insn_events(dec, code);
}
