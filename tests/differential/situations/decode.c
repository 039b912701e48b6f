/* SPDX-License-Identifier: Apache-2.0 */
/* A situation through one library: all it says, as text. */
#include "situations.h"

#include <string.h>

static struct pt_config configure(const struct library *library, const struct situation *s)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)s->trace;
	config.end = config.begin + s->size;
	config.mtc_freq = s->mtc_freq;
	config.nom_freq = s->nom_freq;
	config.cpuid_0x15_eax = s->eax;
	config.cpuid_0x15_ebx = s->ebx;
	config.errata = s->errata;
	if (s->filter_last) {
		config.addr_filter.config.ctl.addr0_cfg = 1;
		config.addr_filter.addr0_a = s->filter_first;
		config.addr_filter.addr0_b = s->filter_last;
	}
	if (s->by_cpu) {
		config.cpu = (struct pt_cpu){ pcv_intel, s->family, s->model, 0 };
		library->pt_cpu_errata(&config.errata, &config.cpu);
	}
	return config;
}

static void say_their_event(struct answer *answer, const struct pt_event *event)
{
	struct head head = { (int)event->type, event->ip_suppressed, event->status_update,
			     event->has_tsc,   event->tsc,           event->lost_mtc,
			     event->lost_cyc,  { 0, 0, 0 } };

	memcpy(head.words, &event->variant, sizeof(head.words));
	say_event(answer, &head);
}

/* ---- queries ---- */

static void query_time(const struct library *library, struct pt_query_decoder *decoder,
		       struct text *text)
{
	struct now now = { 0 };

	now.status = library->pt_qry_time(decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	now.cbr_status = library->pt_qry_core_bus_ratio(decoder, &now.cbr);
	say_time(text, &now);
}

/* One question: an event, if there is one, else a branch. */
static int ask(const struct library *library, struct pt_query_decoder *decoder, int status,
	       struct answer *answer)
{
	struct pt_event event;
	uint64_t ip = 0;
	int taken = 0;

	memset(&event, 0, sizeof(event));
	if (status & pts_event_pending) {
		status = library->pt_qry_event(decoder, &event, sizeof(event));
		if (status >= 0)
			say_their_event(answer, &event);
		return status;
	}
	status = library->pt_qry_cond_branch(decoder, &taken);
	if (status >= 0)
		say(&answer->flow, "cond %d", taken);
	if (status != -pte_bad_query)
		return status;
	status = library->pt_qry_indirect_branch(decoder, &ip);
	if (status >= 0)
		say(&answer->flow, "indirect %llx", (ull)(status & pts_ip_suppressed ? 0 : ip));
	return status;
}

static void decode_query(const struct library *library, const struct situation *s,
			 struct answer *answer)
{
	struct pt_config config = configure(library, s);
	struct pt_query_decoder *decoder = library->pt_qry_alloc_decoder(&config);

	for (unsigned syncs = 0; syncs < SYNCS_MOST; syncs++) {
		uint64_t ip = 0;
		int status = library->pt_qry_sync_forward(decoder, &ip);

		say_sync(answer, status);
		if (status == -pte_eos)
			break;
		if (status >= 0)
			say(&answer->flow, "at %llx\n", status & pts_ip_suppressed ? 0 : (ull)ip);
		for (unsigned i = 0; status >= 0 && i < CALLS_MOST; i++) {
			query_time(library, decoder, &answer->flow);
			status = ask(library, decoder, status, answer);
		}
		say_end(answer, status);
	}
	library->pt_qry_free_decoder(decoder);
}

/* ---- instructions ---- */

static void insn_time(const struct library *library, struct pt_insn_decoder *decoder,
		      struct text *text)
{
	struct now now = { 0 };

	now.status = library->pt_insn_time(decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	now.cbr_status = library->pt_insn_core_bus_ratio(decoder, &now.cbr);
	say_time(text, &now);
}

static int insn_step(const struct library *library, struct pt_insn_decoder *decoder, int status,
		     struct answer *answer)
{
	/* 2.0.5 leaves what it is given as it is when it has nothing to say. */
	struct pt_insn insn = { .iclass = ptic_error };
	struct pt_event event;

	if (status & pts_event_pending) {
		memset(&event, 0, sizeof(event));
		status = library->pt_insn_event(decoder, &event, sizeof(event));
		if (status >= 0)
			say_their_event(answer, &event);
		return status;
	}
	status = library->pt_insn_next(decoder, &insn, sizeof(insn));
	if (status >= 0 || insn.iclass != ptic_error)
		say_insn(&answer->flow, insn.ip, (int)insn.mode, insn.speculative);
	return status;
}

static void decode_insns(const struct library *library, const struct situation *s,
			 struct answer *answer)
{
	struct pt_config config = configure(library, s);
	struct pt_insn_decoder *decoder = library->pt_insn_alloc_decoder(&config);

	library->pt_insn_set_image(decoder, library->image);
	for (unsigned syncs = 0; syncs < SYNCS_MOST; syncs++) {
		int status = library->pt_insn_sync_forward(decoder);

		say_sync(answer, status);
		if (status == -pte_eos)
			break;
		for (unsigned i = 0; status >= 0 && i < CALLS_MOST; i++)
			status = insn_step(library, decoder, status, answer);
		if (status == -pte_eos && !answer->less)
			insn_time(library, decoder, &answer->flow);
		say_end(answer, status);
	}
	library->pt_insn_free_decoder(decoder);
}

/* ---- blocks, taken apart ---- */

static void block_time(const struct library *library, struct pt_block_decoder *decoder,
		       struct text *text)
{
	struct now now = { .cbr_status = 1 };

	now.status = library->pt_blk_time(decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	say_time(text, &now);
}

static int block_step(const struct library *library, struct pt_block_decoder *decoder, int status,
		      struct answer *answer)
{
	struct pt_block block = { .ninsn = 0 };
	struct pt_event event;

	if (status & pts_event_pending) {
		memset(&event, 0, sizeof(event));
		status = library->pt_blk_event(decoder, &event, sizeof(event));
		if (status >= 0)
			say_their_event(answer, &event);
		return status;
	}
	status = library->pt_blk_next(decoder, &block, sizeof(block));
	if (status >= 0 || block.ninsn)
		say_block(&answer->flow, block.ip, block.end_ip, block.ninsn, (int)block.mode,
			  block.speculative);
	/* The time of its outcome; other branches may have read the time of what follows. */
	if (status >= 0 && block.iclass == ptic_cond_jump &&
	    !(status & (pts_event_pending | pts_eos)))
		block_time(library, decoder, &answer->flow);
	return status;
}

static void decode_blocks(const struct library *library, const struct situation *s,
			  struct answer *answer)
{
	struct pt_config config = configure(library, s);
	struct pt_block_decoder *decoder = library->pt_blk_alloc_decoder(&config);

	library->pt_blk_set_image(decoder, library->image);
	for (unsigned syncs = 0; syncs < SYNCS_MOST; syncs++) {
		int status = library->pt_blk_sync_forward(decoder);

		say_sync(answer, status);
		if (status == -pte_eos)
			break;
		for (unsigned i = 0; status >= 0 && i < CALLS_MOST; i++)
			status = block_step(library, decoder, status, answer);
		if (status == -pte_eos && !answer->less)
			block_time(library, decoder, &answer->flow);
		say_end(answer, status);
	}
	library->pt_blk_free_decoder(decoder);
}

void decode(const struct library *library, enum face face, const struct situation *situation,
	    struct answer *answer)
{
	static void (*const faces[FACES])(const struct library *, const struct situation *,
					  struct answer *) = {
		decode_query,
		decode_insns,
		decode_blocks,
	};

	clear_answer(answer);
	faces[face](library, situation, answer);
}
