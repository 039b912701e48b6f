/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_COMPAT_FLOW_H
#define TL_COMPAT_FLOW_H
/*
 * What the decoder of instructions and that of blocks have in common: where flow is, and the event
 * that is to take effect there. Both go one step ahead of the caller, and read the code of a step
 * when it is taken, so that an image may change between any two calls.
 *
 *   flow.c    synchronising, events and what they change
 *   bind.c    what each event is bound to
 *   insn.c    an instruction at a time
 *   block.c, steps.c, ahead.c   blocks; and many of them at once, along the graph of code
 */
#include "code.h"
#include "trace.h"

#include "intel_pt/blocks/decoder.h"

enum { TL_COMPAT_AHEAD = 2048 };

/* Blocks found along the graph that have not been asked for, and how to find them again. */
struct tl_compat_ahead {
	const uint32_t *next, *last; /* of `ids`: what the caller has not got */
	const struct tl_pt_block *blocks;
	const uint64_t *version; /* of the image, now */
	uint64_t seen;           /* and when these blocks were found */
	uint32_t most;           /* how many to find next time */
	bool running;            /* the walk stands behind these blocks; the decoder does not */
	bool changed;            /* nothing of the graph counts */
	const uint8_t *entry;    /* where the walk began to read packets */
	uint32_t ids[TL_COMPAT_AHEAD];
	/* The walk at the first of these blocks. */
	struct tl_pt_clock time;
	uint64_t bits, last_ip, target, idle;
	bool tip_pending;
	uint32_t count, cur, top, stack[TL_PT_STACK];
	const uint8_t *pos, *taken, *taken_end;
};

/* Return addresses, the last ones (5.6). */
struct tl_compat_stack {
	uint64_t list[TL_PT_STACK];
	uint32_t top, depth;
};

struct tl_compat_decoder {
	struct tl_compat_ahead ahead;
	struct tl_compat_trace trace;
	struct tl_compat_codes codes;
	struct tl_pt_decoder *decoder; /* its graph, its walk; with `folds` it decodes itself */
	struct pt_image own, *current;
	struct tl_compat_config config;
	bool blocks, folds, ticks;
	bool synced;
	bool moved; /* the caller has been given something since then */

	/* of the next instruction; while tracing is off: where it is expected to go on */
	uint64_t ip;
	enum tl_pt_exec_mode mode;
	struct tl_pt_asid asid;
	bool enabled, speculative;
	int status;    /* of the last question */
	uint32_t idle; /* instructions since trace was used */
	bool has_event;
	struct pt_event event;
	/* An instruction that events are still bound to, before what follows it is looked for. */
	bool has_insn, bound_paging, bound_vmcs, bound_ptwrite;
	struct tl_compat_code insn;
	struct tl_compat_stack stack;       /* of instructions; that of blocks is in the graph */
	const struct tl_pt_section *region; /* of the block being made */
};

struct tl_compat_decoder *tl_compat_decoder_open(const struct pt_config *config,
						 enum tl_compat_use use);
void tl_compat_decoder_close(struct tl_compat_decoder *dec);

/* What the published functions of both do. */
int tl_compat_decoder_event(struct tl_compat_decoder *dec, struct pt_event *event, size_t size);
int tl_compat_decoder_time(struct tl_compat_decoder *dec, uint64_t *time, uint32_t *lost_mtc,
			   uint32_t *lost_cyc);
int tl_compat_decoder_ratio(struct tl_compat_decoder *dec, uint32_t *cbr);
int tl_compat_decoder_asid(const struct tl_compat_decoder *dec, struct pt_asid *asid, size_t size);
int tl_compat_decoder_set_image(struct tl_compat_decoder *dec, struct pt_image *image);
int tl_compat_decoder_offset(struct tl_compat_decoder *dec, uint64_t *offset);
int tl_compat_decoder_sync_offset(struct tl_compat_decoder *dec, uint64_t *offset);
int tl_compat_decoder_forward(struct tl_compat_decoder *dec);
int tl_compat_decoder_backward(struct tl_compat_decoder *dec);
int tl_compat_decoder_set(struct tl_compat_decoder *dec, uint64_t offset);
int tl_compat_decoder_resync(struct tl_compat_decoder *dec);

/* The status of a call that went well, with these flags. */
static inline int tl_compat_status(const struct tl_compat_decoder *dec, int flags)
{
	return flags | (dec->enabled ? 0 : pts_ip_suppressed) |
	       (dec->has_event ? 0 : dec->status & pts_eos);
}

/*
 * One more instruction: 0, or an error when flow has gone in circles for so long that nothing can
 * be to come (9.13).
 */
static inline int tl_compat_one_more(struct tl_compat_decoder *dec)
{
	if (dec->idle++ < TL_PT_IDLE_MOST)
		return 0;
	return dec->has_event || !(dec->status & pts_eos) ? -pte_bad_query : -pte_eos;
}

/* 1: an event is to take effect; 0: none; or an error. */
int tl_compat_fetch_event(struct tl_compat_decoder *dec);
int tl_compat_code(struct tl_compat_decoder *dec, uint64_t ip, const struct tl_compat_code **code);

/* What the trace says; events for a new time are made here. */
int tl_compat_cond(struct tl_compat_decoder *dec, int *taken);
int tl_compat_indirect(struct tl_compat_decoder *dec, uint64_t *ip);

int tl_compat_push(struct tl_compat_decoder *dec, const struct tl_compat_code *code);
int tl_compat_pop(struct tl_compat_decoder *dec, uint64_t *ip);

/* ---- bind.c ---- */

/* Whether the event takes effect before the instruction that comes next. */
bool tl_compat_is_here(struct tl_compat_decoder *dec);
/* Where; its kind has an address. */
uint64_t *tl_compat_place(struct pt_event *event);
/* SKD022: the event has become another one, which is bound to the instruction at `ip`. */
bool tl_compat_skd022(struct tl_compat_decoder *dec, uint64_t ip);
/* BDM64: flow has been brought to the place of an abort that it could not get to. */
void tl_compat_bdm64(struct tl_compat_decoder *dec, const struct tl_compat_code *branch);
/* A filter is set, and the address is outside of it (7, SKL014). */
bool tl_compat_has_filter(const struct tl_compat_decoder *dec);
bool tl_compat_is_filtered(const struct tl_compat_decoder *dec, uint64_t ip);
/* The event takes effect behind an instruction: which is of some kind, or at the event's place. */
bool tl_compat_is_bound_to_insn(const struct tl_compat_decoder *dec);
bool tl_compat_has_place(const struct tl_compat_decoder *dec);
bool tl_compat_is_kind(const struct tl_compat_decoder *dec, const struct tl_compat_code *code);
/* It is bound to this one; if it is, and none of its kind has been. */
void tl_compat_bind(struct tl_compat_decoder *dec, const struct tl_compat_code *code);
bool tl_compat_binds(struct tl_compat_decoder *dec, const struct tl_compat_code *code);
void tl_compat_bound_none(struct tl_compat_decoder *dec);
/* The event takes effect: 0, or an error. */
int tl_compat_apply(struct tl_compat_decoder *dec);

/* ---- what each of the two does ---- */

/* Events at the place that flow came to by this instruction (NULL: it was there before). */
int tl_compat_insn_events(struct tl_compat_decoder *dec, const struct tl_compat_code *code);
int tl_compat_block_events(struct tl_compat_decoder *dec, const struct pt_block *block);
/* Behind an event that was taken. */
int tl_compat_insn_behind_event(struct tl_compat_decoder *dec);

/* ---- steps.c ---- */

/* From the present place on, into the block: up to the event, or to what needs trace. */
int tl_compat_steps_to_event(struct tl_compat_decoder *dec, struct pt_block *block);
int tl_compat_steps(struct tl_compat_decoder *dec, struct pt_block *block);
/* The target of a branch, from the trace. */
int tl_compat_branch(struct tl_compat_decoder *dec, const struct tl_compat_code *code);

/* ---- ahead.c ---- */

/* Find blocks ahead of the caller. False: there are none to be found that way. */
bool tl_compat_run_ahead(struct tl_compat_decoder *dec);
/* The decoder stands where the caller is: what was found ahead is undone. */
void tl_compat_settle(struct tl_compat_decoder *dec);
/* See to it that the graph is that of the image. 0, or -pte_nomem. */
int tl_compat_graph(struct tl_compat_decoder *dec);

#endif
