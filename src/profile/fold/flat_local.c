/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of a thread, folded by themselves. Which calls are open where a piece begins is not known
 * to it, so that it keeps its exits of unknown frames, of which there are as many as the stack was
 * deep; everything else of it adds up. Only the inclusive cost of a function needs more: calls
 * inside an open one of the same function do not count. Whether one was open, the stack says when
 * the piece is spliced, and until when, the exit: beside it stands what the piece had counted by
 * then.
 */
#include "profile/fold/flat.h"

#include <stdlib.h>

#include "core/memory.h"
#include "profile/model/model.h"

bool tl_flat_begin_local(struct tl_flat *flat)
{
	flat->local = calloc(1, sizeof(*flat->local));
	flat->frames[0].function = TL_FLAT_UNKNOWN;
	return flat->local != NULL;
}

bool tl_flat_leave_unknown(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	struct tl_flat_local *local = flat->local;
	bool inside = h->top != flat->frames;
	struct tl_flat_exit *exit;

	flat->refused |= h->rows[function].active || local->exit_count == TL_FLAT_MOST_EXITS;
	flat->no_memory |= !tl_grow(&local->exits, &local->exit_capacity, local->exit_count + 1,
				    sizeof(*local->exits));
	if (flat->refused || flat->no_memory)
		return false;
	exit = &local->exits[local->exit_count++];
	*exit = (struct tl_flat_exit){ .clock = h->clock, .function = function, .inside = inside };
	if (!inside) {
		exit->callees = h->top->callees;
		exit->inclusive = h->rows[function].inclusive;
		h->top->callees = 0;
	}
	flat->frames[0].function = TL_FLAT_UNKNOWN + (uint32_t)local->exit_count;
	return true;
}

void tl_flat_note_root(struct tl_flat *flat, uint32_t function)
{
	struct tl_flat_local *local = flat->local;

	flat->refused |= local->root_count == TL_FLAT_MOST_EXITS;
	flat->no_memory |= !tl_grow(&local->roots, &local->root_capacity, local->root_count + 1,
				    sizeof(*local->roots));
	if (flat->refused || flat->no_memory)
		return;
	local->roots[local->root_count++] =
		(struct tl_flat_root){ .exits = local->exit_count, .function = function };
}

/* ---- splicing ---- */

struct splice {
	struct tl_flat *flat, *piece;
	const uint32_t *functions;
	tl_flat_can_call_fn *can_call;
	void *arg;
	uint64_t begin; /* clock of `flat` where that of the piece is 0 */
	size_t root;    /* the next one to be asked for */
};

/* The innermost frame called what the piece notes up to exit number `exits`. */
static void ask_roots(struct splice *s, size_t exits)
{
	const struct tl_flat_local *local = s->piece->local;
	uint32_t caller = s->flat->hot.top->function;

	for (; s->root < local->root_count && local->roots[s->root].exits == exits; s->root++)
		if (s->can_call && caller != TL_NONE &&
		    !s->can_call(s->arg, caller, s->functions[local->roots[s->root].function]))
			s->flat->refused = true;
}

/* As tl_flat_leave() of the record that the exit was made of. */
static void take_exit(struct splice *s, const struct tl_flat_exit *exit)
{
	struct tl_flat *flat = s->flat;
	uint32_t function = s->functions[exit->function];
	const struct tl_flat_row *row = &flat->hot.rows[function];
	bool open = row->active;

	if (exit->inside) {
		flat->refused |= open;
		flat->losses.orphan_exits++;
		return;
	}
	flat->hot.clock = s->begin + exit->clock;
	flat->hot.top->callees += exit->callees;
	tl_flat_leave(&flat->hot, flat, function);
	if (open && !row->active)
		s->piece->hot.rows[exit->function].inclusive -= exit->inclusive;
}

static void add_rows(struct splice *s)
{
	struct tl_flat *flat = s->flat;

	for (size_t i = 0; i < s->piece->function_count && !flat->no_memory; i++) {
		const struct tl_flat_row *from = &s->piece->hot.rows[i];
		struct tl_flat_row *to = &flat->hot.rows[s->functions[i]];

		if (!to->active)
			to->inclusive += from->inclusive;
		to->calls += from->calls;
		to->self += from->self;
		flat->refused |= __builtin_add_overflow(to->ticks, from->ticks, &to->ticks);
		flat->no_memory |= !tl_latency_move(&flat->hot.latencies[s->functions[i]],
						    &s->piece->hot.latencies[i], flat->exact);
	}
}

/* The calls that are open at the end of the piece. */
static void add_frames(struct splice *s)
{
	const struct tl_flat *piece = s->piece;
	struct tl_flat *flat = s->flat;

	flat->hot.top->callees += piece->frames[0].callees;
	for (const struct tl_flat_frame *f = piece->frames + 1; f <= piece->hot.top; f++) {
		if (!tl_flat_enter(&flat->hot, flat, s->functions[f->function]))
			return;
		flat->hot.top->start = s->begin + f->start;
		flat->hot.top->callees = f->callees;
	}
}

/* What its exits do to the stack, then its sums. */
static void splice_records(struct splice *s)
{
	const struct tl_flat_local *local = s->piece->local;
	struct tl_flat *flat = s->flat;

	for (size_t i = 0; i < local->exit_count && !flat->refused && !flat->no_memory; i++) {
		ask_roots(s, i);
		take_exit(s, &local->exits[i]);
	}
	ask_roots(s, local->exit_count);
	if (flat->refused || flat->no_memory)
		return;
	flat->hot.clock = s->begin + s->piece->hot.clock;
	flat->last = s->piece->last;
	add_rows(s);
	add_frames(s);
}

bool tl_flat_splice(struct tl_flat *flat, struct tl_flat *piece, const uint32_t *functions,
		    tl_flat_can_call_fn *can_call, void *arg)
{
	struct splice s = { .flat = flat,
			    .piece = piece,
			    .functions = functions,
			    .can_call = can_call,
			    .arg = arg };

	flat->records += piece->records;
	tl_losses_add(&flat->losses, &piece->losses);
	/* Without a time before it, the thread would begin with the piece's first record. */
	flat->refused |= !flat->started;
	tl_flat_time(flat, piece->first_ticks);
	flat->refused |= piece->hot.clock > flat->most_clock - flat->hot.clock;
	s.begin = flat->hot.clock;
	if (!flat->refused)
		splice_records(&s);
	return !flat->refused && !flat->no_memory;
}
