/* SPDX-License-Identifier: Apache-2.0 */
/* A situation through <tracelathe/intel_pt.h>, in the words of decode.c. */
#include "situations.h"

#include <string.h>

#include <tracelathe/intel_pt.h>

static struct tl_pt_config configure(const struct situation *s)
{
	struct tl_pt_config config = {
		.size = sizeof(config),
		.begin = s->trace,
		.end = s->trace + s->size,
		.cpu = { true, s->family, s->model, 0 },
		.flags = TL_PT_CLASSIC,
		.cpuid_15_eax = s->eax,
		.cpuid_15_ebx = s->ebx,
		.mtc_freq = s->mtc_freq,
		.nom_freq = s->nom_freq,
	};

	if (s->filter_last)
		config.ranges[0] =
			(struct tl_pt_range){ TL_PT_RANGE_FILTER, s->filter_first, s->filter_last };
	/* The bits of both have the same order. */
	memcpy(&config.errata, &s->errata, sizeof(config.errata));
	if (s->by_cpu)
		tl_pt_cpu_errata(&config.errata, &config.cpu, true);
	return config;
}

static int read_callback(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
			 void *arg)
{
	int got = read_code(buffer, size, NULL, ip, NULL);

	(void)arg, (void)asid;
	return got < 0 ? -TL_PT_NOMAP : got;
}

/* What the published structure holds behind its head, as words. */
static void words_of(const struct tl_pt_event *e, uint64_t *word)
{
	word[0] = e->ip;
	switch (e->kind) {
	case TL_PT_EV_ENABLED:
		word[1] = e->enabled.resumed;
		break;
	case TL_PT_EV_ASYNC_DISABLED:
		word[1] = e->disabled.to;
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		word[1] = e->branch.to;
		break;
	case TL_PT_EV_PAGING:
	case TL_PT_EV_ASYNC_PAGING:
		word[0] = e->paging.cr3;
		word[1] = e->paging.non_root;
		word[2] = e->kind == TL_PT_EV_ASYNC_PAGING ? e->ip : 0;
		break;
	case TL_PT_EV_EXEC_MODE:
		word[0] = (uint64_t)e->exec_mode.mode;
		word[1] = e->ip;
		break;
	case TL_PT_EV_TSX:
		word[1] = (uint64_t)e->tsx.speculative | (uint64_t)e->tsx.aborted << 1;
		break;
	case TL_PT_EV_VMCS:
	case TL_PT_EV_ASYNC_VMCS:
		word[0] = e->vmcs.base;
		word[1] = e->kind == TL_PT_EV_ASYNC_VMCS ? e->ip : 0;
		break;
	case TL_PT_EV_MWAIT:
		word[1] = e->mwait.hints | (uint64_t)e->mwait.ext << 32;
		break;
	case TL_PT_EV_PWRE:
		word[0] = e->pwre.state | (uint64_t)e->pwre.sub_state << 8 |
			  (uint64_t)e->pwre.hw << 16;
		break;
	case TL_PT_EV_PWRX:
		word[0] = e->pwrx.last | (uint64_t)e->pwrx.deepest << 8 |
			  (uint64_t)e->pwrx.interrupt << 16 | (uint64_t)e->pwrx.store << 17 |
			  (uint64_t)e->pwrx.autonomous << 18;
		break;
	case TL_PT_EV_PTWRITE:
		word[1] = e->ptwrite.size;
		word[2] = e->ptwrite.payload;
		break;
	case TL_PT_EV_CBR:
		word[0] = e->cbr.ratio;
		break;
	case TL_PT_EV_MNT:
		word[0] = e->mnt.payload;
		break;
	default:
		break;
	}
}

static void say_native_event(struct answer *answer, const struct tl_pt_event *event)
{
	struct head head = { (int)event->kind, event->ip_suppressed, event->status_update,
			     event->has_tsc,   event->tsc,           event->lost_mtc,
			     event->lost_cyc,  { 0, 0, 0 } };

	/* 2.0.5 has no events for what synchronising itself tells. */
	if (event->status_update &&
	    (event->kind == TL_PT_EV_ENABLED || event->kind == TL_PT_EV_DISABLED))
		return;
	words_of(event, head.words);
	say_event(answer, &head);
}

/* ---- queries ---- */

static void query_time(struct tl_pt_query *query, struct text *text)
{
	struct now now = { 0 };

	now.status = tl_pt_query_time(query, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	now.cbr_status = tl_pt_query_core_bus_ratio(query, &now.cbr);
	say_time(text, &now);
}

static int ask(struct tl_pt_query *query, int status, struct answer *answer)
{
	struct tl_pt_event event;
	uint64_t ip = 0;
	int taken = 0;

	if (status & TL_PT_EVENT_PENDING) {
		status = tl_pt_query_event(query, &event, sizeof(event));
		if (status >= 0)
			say_native_event(answer, &event);
		return status;
	}
	status = tl_pt_query_cond_branch(query, &taken);
	if (status >= 0)
		say(&answer->flow, "cond %d", taken);
	if (status != -TL_PT_BAD_QUERY)
		return status;
	status = tl_pt_query_indirect_branch(query, &ip);
	if (status >= 0)
		say(&answer->flow, "indirect %llx",
		    (ull)(status & TL_PT_STATUS_IP_SUPPRESSED ? 0 : ip));
	return status;
}

static void native_query(const struct situation *s, struct answer *answer)
{
	struct tl_pt_config config = configure(s);
	struct tl_pt_query *query;

	if (tl_pt_query_open(&query, &config) < 0)
		return;
	for (unsigned syncs = 0; syncs < SYNCS_MOST; syncs++) {
		uint64_t ip = 0;
		int status = tl_pt_query_sync_forward(query, &ip);

		say_sync(answer, status);
		if (status == -TL_PT_EOS)
			break;
		if (status >= 0)
			say(&answer->flow, "at %llx\n",
			    status & TL_PT_STATUS_IP_SUPPRESSED ? 0 : (ull)ip);
		for (unsigned i = 0; status >= 0 && i < CALLS_MOST; i++) {
			query_time(query, &answer->flow);
			status = ask(query, status, answer);
		}
		say_end(answer, status);
	}
	tl_pt_query_close(query);
}

/* ---- instructions and blocks ---- */

static void say_now(struct tl_pt_decoder *decoder, struct text *text, bool ratio)
{
	struct now now = { .cbr_status = 1 };

	now.status = tl_pt_decoder_time(decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	if (ratio)
		now.cbr_status = tl_pt_decoder_core_bus_ratio(decoder, &now.cbr);
	say_time(text, &now);
}

static int take_event(struct tl_pt_decoder *decoder, struct answer *answer)
{
	struct tl_pt_event event;
	int status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));

	if (status >= 0)
		say_native_event(answer, &event);
	return status;
}

static int insn_step(struct tl_pt_decoder *decoder, int status, struct answer *answer)
{
	struct tl_pt_insn insn;

	if (status & TL_PT_EVENT_PENDING)
		return take_event(decoder, answer);
	status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
	if (status >= 0)
		say_insn(&answer->flow, insn.ip, (int)insn.mode, insn.flags & TL_PT_SPECULATIVE);
	return status;
}

static int block_step(struct tl_pt_decoder *decoder, int status, struct answer *answer)
{
	struct tl_pt_block block;

	if (status & TL_PT_EVENT_PENDING)
		return take_event(decoder, answer);
	status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));
	if (status < 0)
		return status;
	say_block(&answer->flow, block.ip, block.end_ip, block.ninsn, (int)block.mode,
		  block.flags & TL_PT_SPECULATIVE);
	if (block.iclass == TL_PT_IC_COND_JUMP &&
	    !(status & (TL_PT_EVENT_PENDING | TL_PT_END_OF_STREAM)))
		say_now(decoder, &answer->flow, false);
	return status;
}

static void native_walk(const struct situation *s, enum face face, struct answer *answer)
{
	struct tl_pt_config config = configure(s);
	struct tl_pt_decoder *decoder;

	if (tl_pt_decoder_open(&decoder, &config, NULL) < 0)
		return;
	tl_pt_image_set_callback(tl_pt_decoder_image(decoder), read_callback, NULL);
	for (unsigned syncs = 0; syncs < SYNCS_MOST; syncs++) {
		int status = tl_pt_decoder_sync_forward(decoder);

		say_sync(answer, status);
		if (status == -TL_PT_EOS)
			break;
		for (unsigned i = 0; status >= 0 && i < CALLS_MOST; i++)
			status = face == INSNS ? insn_step(decoder, status, answer)
					       : block_step(decoder, status, answer);
		if (status == -TL_PT_EOS && !answer->less)
			say_now(decoder, &answer->flow, face == INSNS);
		say_end(answer, status);
	}
	tl_pt_decoder_close(decoder);
}

void decode_native(enum face face, const struct situation *situation, struct answer *answer)
{
	clear_answer(answer);
	if (face == QUERY)
		native_query(situation, answer);
	else
		native_walk(situation, face, answer);
}
