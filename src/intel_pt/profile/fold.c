/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/profile/fold.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/profile/stack_moves.h"
#include "profile/model/model.h"

enum { RUN_MARKS = 1 << 12, PIECE = 2 << 20 };

/* ---- threads ---- */

static void watch_opened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	f->options->watch->opened(f->options->watch->arg, f);
}

static void watch_closing(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	f->options->watch->closing(f->options->watch->arg, f);
}

/* What is open at the end ends there. */
static void watch_end(struct tl_pt_folder *f)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	while (f->options->watch && tl_fold_depth(fold)) {
		watch_closing(f, NULL);
		tl_fold_leave(fold, tl_fold_top(fold));
	}
}

static bool behind_call(void *arg, uint64_t ip)
{
	const struct tl_pt_folder *f = arg;

	return tl_pt_behind_call(f->decoder, ip);
}

static bool begin_thread(struct tl_pt_folder *f, struct tl_pt_fold_thread *t,
			 const struct tl_pt_trace_slice *piece)
{
	*t = (struct tl_pt_fold_thread){ .process = piece->process,
					 .thread = piece->thread,
					 .cpu = piece->cpu };
	t->command = tl_names_text(&f->functions.names, piece->command);
	if (!t->command || !tl_pt_stack_begin(&t->stack, &f->functions, f->timed ? TL_PT_COSTS : 0,
					      f->options->exact))
		return false;
	if (f->options->lines) {
		t->stack.opened = tl_pt_addr_costs_opened;
		t->stack.closing = tl_pt_addr_costs_closing;
		t->stack.reopened = tl_pt_addr_costs_reopened;
	} else if (f->options->watch) {
		t->stack.opened = watch_opened;
		t->stack.closing = watch_closing;
		t->stack.reopened = watch_opened;
	}
	t->stack.ahead = tl_pt_fold_ahead;
	t->stack.behind_call = behind_call;
	t->stack.arg = f;
	return true;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_fold_thread *have = (const struct tl_pt_fold_thread *)context + number;
	const struct tl_pt_trace_slice *piece = key;

	return have->process == piece->process && have->thread == piece->thread;
}

/* The thread of a piece, which may have been met before: its frames are still open. */
static int find_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece,
		       struct tl_error *err)
{
	uint64_t hash = tl_hash_pair(piece->process, piece->thread);
	uint32_t number = tl_index_find(&f->by_thread, hash, same_thread, f->threads, piece);

	if (number == TL_NONE) {
		number = (uint32_t)f->thread_count;
		if (!tl_grow(&f->threads, &f->thread_capacity, f->thread_count + 1,
			     sizeof(*f->threads)) ||
		    !begin_thread(f, &f->threads[number], piece))
			return tl_error_memory(err);
		f->thread_count++;
		if (!tl_index_add(&f->by_thread, hash, number))
			return tl_error_memory(err);
	}
	f->thread = &f->threads[number];
	return 0;
}

static bool wanted(const struct tl_pt_fold_options *o, const struct tl_pt_trace_slice *piece)
{
	return (o->thread == TL_NOWHERE || o->thread == piece->thread) &&
	       (o->process == TL_NOWHERE || o->process == piece->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == piece->cpu);
}

/* ---- events ---- */

static int note_loss(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece,
		     const struct tl_pt_event *event, struct tl_error *err)
{
	struct tl_pt_lost lost = {
		.why = event->lost.why,
		.from = piece->base + event->lost.from,
		.to = piece->base + event->lost.to,
		.ip = event->lost.at,
	};
	struct tl_pt_mapping place;
	bool known = f->feed->place(f->feed->arg, event->lost.at, &place);

	tl_fold_gap(&f->thread->stack.fold);
	f->thread->stack.fold.losses.skipped_bytes += lost.to - lost.from;
	if (f->options->strict)
		return tl_pt_fault(err, event->lost.why, lost.from);
	return tl_pt_fault_add(f->faults, &lost, known ? &place : NULL) ? 0 : tl_error_memory(err);
}

/* Where the walk stood when something came between: a call or return just made leads there. */
static void reach(struct tl_pt_folder *f, uint64_t ip)
{
	if (f->key == TL_PT_KEY_CALL || f->key == TL_PT_KEY_RETURN ||
	    f->key == TL_PT_KEY_FAR_RETURN || f->key == TL_PT_KEY_SWITCH ||
	    f->key == TL_PT_KEY_START)
		tl_pt_fold_arrive(f, ip);
}

static void go_off(struct tl_pt_folder *f, uint64_t back)
{
	f->back = back;
	f->key = TL_PT_KEY_ENABLE;
}

static void branch_away(struct tl_pt_folder *f, const struct tl_pt_event *event)
{
	tl_pt_fold_branch(f, event->ip);
	reach(f, event->ip);
	f->back = event->ip;
	f->key = f->aborted ? TL_PT_KEY_ABORT : TL_PT_KEY_INTERRUPT;
	f->aborted = false;
}

static void watch_lost(struct tl_pt_folder *f)
{
	if (f->options->watch)
		f->options->watch->lost(f->options->watch->arg, f);
}

static int take_event(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece,
		      const struct tl_pt_event *event, struct tl_error *err)
{
	switch (event->kind) {
	case TL_PT_EV_DISABLED:
		/*
		 * Of a call that is not traced, and of a system call, it comes back behind (5.4).
		 */
		go_off(f,
		       f->key == TL_PT_KEY_CALL || f->key == TL_PT_KEY_START ? f->last->after : 0);
		break;
	case TL_PT_EV_ASYNC_DISABLED:
		tl_pt_fold_branch(f, event->ip);
		reach(f, event->ip);
		go_off(f, event->ip);
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		branch_away(f, event);
		break;
	case TL_PT_EV_TSX:
		f->aborted = event->tsx.aborted;
		break;
	case TL_PT_EV_OVERFLOW:
		tl_fold_gap(&f->thread->stack.fold);
		watch_lost(f);
		f->key = TL_PT_KEY_LOSS;
		break;
	case TL_PT_EV_LOST:
		watch_lost(f);
		f->key = TL_PT_KEY_LOSS;
		return note_loss(f, piece, event, err);
	default:
		break;
	}
	return 0;
}

/* ---- pieces ---- */

static bool failed(const struct tl_pt_folder *f)
{
	return f->thread->stack.fold.no_memory || f->functions.no_memory ||
	       f->thread->lines.no_memory;
}

/*
 * Numbers of another epoch. Inside a piece they stand behind those known, as nodes that are held
 * back, and the branch taken last, are of the epoch before; too many are given up.
 */
static void change_epoch(struct tl_pt_folder *f, struct tl_pt_node_batch *run)
{
	const struct tl_pt_block *first =
		run->count ? tl_pt_decoder_node_block(f->decoder, run->nodes[0]) : NULL;

	f->known->epoch = run->epoch;
	f->known->looked = 0;
	f->known->shift = (uint32_t)f->known->count;
	if (!f->held && f->last == &f->outside)
		tl_pt_node_facts_forget(f->known);
	if (f->known->count < TL_PT_FOLD_NODES_MAX)
		return;
	tl_pt_fold_unstamped(f);
	if (first && f->key != TL_PT_KEY_ENABLE && f->key != TL_PT_KEY_INTERRUPT &&
	    f->key != TL_PT_KEY_LOSS)
		tl_pt_fold_branch(f, first->ip);
	tl_pt_visits_flush(f);
	tl_pt_node_facts_forget(f->known);
	memmove(f->numbers, run->nodes, run->count * sizeof(*run->nodes));
}

/* Make the new nodes known; with time their instructions must be before they are run. */
static bool take_nodes(struct tl_pt_folder *f, const struct tl_pt_node_batch *run)
{
	const struct tl_pt_node_cache *known = f->known;
	uint32_t *numbers = f->numbers + f->held;

	if (run->limit > UINT32_MAX - known->shift ||
	    !tl_pt_node_facts_room(f, run->limit + known->shift))
		return false;
	for (size_t i = 0; known->shift && i < run->count; i++)
		numbers[i] += known->shift;
	for (size_t i = 0; f->timed && known->looked < run->blocks && i < run->count; i++)
		if (!tl_pt_node_facts_known(f, numbers[i]))
			tl_pt_node_facts_scan(f, numbers[i]);
	return true;
}

static int fold_run(struct tl_pt_folder *f, struct tl_pt_node_batch *run, struct tl_error *err)
{
	bool more = !(run->status & (TL_PT_EVENT_PENDING | TL_PT_END_OF_STREAM));

	if (run->epoch != f->known->epoch)
		change_epoch(f, run);
	if (!take_nodes(f, run))
		return tl_error_memory(err);
	f->thread->stack.fold.records += run->count;
	f->ahead = f->numbers + f->held + run->count;
	if (f->timed)
		tl_pt_fold_timed(f, run, more);
	else
		tl_pt_fold_nodes(f, f->numbers, run->count);
	return failed(f) ? tl_error_memory(err) : 0;
}

static int take_events(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece, int *pending,
		       struct tl_error *err)
{
	struct tl_pt_event event;
	int status = 0;

	while (status == 0 && *pending >= 0 && (*pending & TL_PT_EVENT_PENDING)) {
		*pending = tl_pt_next_event(f->decoder, &event);
		if (*pending < 0)
			break;
		if (f->timed)
			tl_pt_fold_event(f, &event);
		status = take_event(f, piece, &event, err);
	}
	return status;
}

/* Errors that are no part of the trace. */
static int decoder_failed(const struct tl_pt_folder *f, int status, struct tl_error *err)
{
	uint64_t offset = TL_NOWHERE;

	if (status == -TL_PT_EOS)
		return 0;
	tl_pt_decoder_offset(f->decoder, &offset);
	return tl_pt_fault(err, (enum tl_pt_error) - status, offset);
}

/* What was decoded need not stay in memory. */
static void give_back(const struct tl_pt_folder *f, uint64_t *given_back)
{
	uint64_t offset;

	if (f->feed->passed && tl_pt_decoder_offset(f->decoder, &offset) == 0 &&
	    offset >= *given_back + PIECE) {
		f->feed->passed(f->feed->arg, offset);
		*given_back = offset;
	}
}

static int fold_decoder(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece, int status,
			struct tl_error *err)
{
	uint64_t given_back = piece->from;
	int result = 0;

	while (result == 0 && status >= 0) {
		struct tl_pt_node_batch run = {
			.nodes = f->numbers + f->held,
			.max = TL_PT_FOLD_BATCH - f->held,
			.timestamps = f->timed ? f->timestamps : NULL,
			.max_timestamps = f->timed ? RUN_MARKS : 0,
		};

		result = take_events(f, piece, &status, err);
		if (result < 0 || status < 0)
			break;
		status = tl_pt_next_nodes(f->decoder, &run);
		if (status < 0)
			break;
		status = run.status;
		result = fold_run(f, &run, err);
		give_back(f, &given_back);
		if ((status & TL_PT_END_OF_STREAM) && !(status & TL_PT_EVENT_PENDING))
			break;
	}
	return result < 0 ? result : status < 0 ? decoder_failed(f, status, err) : 0;
}

/* Where the thread was when it ran last; what it does first, after a stretch that is missing, is
 * anybody's guess. */
static void take_thread_up(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece)
{
	struct tl_pt_fold_thread *t = f->thread;
	uint64_t cycles;

	f->key = !t->ran || piece->gap ? TL_PT_KEY_LOSS : t->key;
	f->back = t->back;
	f->aborted = false;
	f->outside = t->outside;
	f->last = &f->outside;
	/* What other threads have met. */
	if (f->functions.count)
		tl_pt_stack_know(&t->stack, (uint32_t)f->functions.count - 1);
	if (tl_pt_decoder_cycles(f->decoder, &cycles) < 0)
		cycles = 0;
	tl_pt_cycles_from(f, cycles);
}

static void put_thread_down(struct tl_pt_folder *f)
{
	struct tl_pt_fold_thread *t = f->thread;

	tl_pt_fold_unstamped(f);
	tl_pt_fold_settle(f);
	tl_pt_visits_flush(f);
	t->ran = true;
	t->key = f->key;
	t->back = f->back;
	t->outside = f->outside;
}

static int fold_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece, int synced,
		       struct tl_error *err)
{
	int status = find_thread(f, piece, err);

	if (status < 0)
		return status;
	take_thread_up(f, piece);
	status = fold_decoder(f, piece, synced, err);
	put_thread_down(f);
	return status;
}

static void free_known(struct tl_pt_node_cache *known)
{
	free(known->nodes);
	free(known->inner);
	*known = (struct tl_pt_node_cache){ .nodes = NULL };
}

/* What is known of the nodes of a piece's decoder: of a new one, nothing. */
static bool find_known(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece)
{
	if (!tl_grow(&f->streams, &f->stream_capacity, (size_t)piece->stream + 1,
		     sizeof(*f->streams)))
		return false;
	for (; f->stream_count <= piece->stream; f->stream_count++)
		f->streams[f->stream_count] = (struct tl_pt_node_cache){ .nodes = NULL };
	f->known = &f->streams[piece->stream];
	if (!piece->continues)
		free_known(f->known);
	return true;
}

static int fold_piece(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece,
		      struct tl_error *err)
{
	int status = 0,
	    synced = tl_pt_decoders_open(&f->decoders, piece, TL_PT_SALVAGE | TL_PT_END_ON_CALL,
					 &f->decoder);

	if (!f->decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - synced, TL_NOWHERE);
	if (!find_known(f, piece))
		return tl_error_memory(err);
	if (wanted(f->options, piece)) {
		status = fold_thread(f, piece, synced, err);
	} else if (tl_pt_pass_over(f->decoder, synced) < 0) {
		status = tl_error_memory(err);
	}
	if (tl_pt_decoders_done(&f->decoders, piece))
		free_known(f->known);
	f->decoder = NULL;
	return status;
}

/* ---- into the profile ---- */

static int new_profile(const struct tl_pt_folder *f, struct tl_profile **profile,
		       struct tl_error *err)
{
	static const struct tl_event ticks = { "Ticks", "Ticks of the TSC", "ticks", "" };
	static const struct tl_event cycles = { "Cycles", "Cycles of the core", "cycles", "" };
	static const struct tl_event insns = { "Ir", "Instructions", "instructions", "" };
	struct tl_event events[] = { ticks, cycles, insns };
	uint32_t count = tl_pt_event_count(f);
	int status;

	events[count - 1] = insns;
	status = tl_profile_make(profile, "intel-pt", events, count,
				 f->timed ? f->feed->frequency : 0, err);

	if (status == 0)
		(*profile)->timed = true;
	return status;
}

static int add_functions(struct tl_pt_folder *f, struct tl_profile *profile, uint32_t *numbers,
			 struct tl_error *err)
{
	for (size_t i = 0; i < f->functions.count; i++) {
		const struct tl_pt_function *from = &f->functions.list[i];
		struct tl_function function = {
			.name = from->name,
			.object = from->object,
			.file = from->file,
			.id = TL_NOWHERE,
			.address = from->address,
			.line = from->line,
		};
		int64_t number = tl_profile_put_function(profile, &function, err);

		if (number < 0)
			return (int)number;
		numbers[i] = (uint32_t)number;
	}
	return 0;
}

static int add_thread(struct tl_pt_folder *f, struct tl_pt_fold_thread *t, const uint32_t *numbers,
		      struct tl_profile *profile, struct tl_error *err)
{
	struct tl_part part = {
		.process = t->process, .thread = t->thread, .command = t->command, .header = ""
	};
	uint32_t number = tl_profile_part_count(profile);
	int status;

	tl_pt_stack_finish(&t->stack);
	tl_fold_end(&t->stack.fold);
	if (f->timed && !f->cycles.seen)
		tl_pt_cycles_drop(&t->stack.fold);
	status = tl_fold_into(&t->stack.fold, profile, &part, numbers, f->options->per_thread, err);
	if (status == 0 && f->options->lines)
		status = tl_pt_addr_costs_into(f, t, number, numbers, profile, err);
	/* The profile grows as the fold goes. */
	tl_pt_stack_end(&t->stack);
	return status;
}

static bool tell_nameless(void *arg, const char *object, const char *why)
{
	char *text;

	if (asprintf(&text, "no names for the code of %s: %s", object, why) < 0)
		text = NULL;
	return tl_pt_fault_say(arg, text);
}

/* Files that were given for nothing are told, too. */
static bool tell_files(struct tl_pt_folder *f)
{
	const char *path;
	char *text;

	if (!tl_pt_functions_describe(&f->functions, tell_nameless, f->faults))
		return false;
	/* Of a trace in which nothing ran, nothing can be said. */
	for (size_t i = 0;
	     f->functions.count && f->feed->unused && (path = f->feed->unused(f->feed->arg, i));
	     i++) {
		if (asprintf(&text,
			     "no code of %s ran where it was put: is @ADDR of --binary right?",
			     path) < 0)
			text = NULL;
		if (!tl_pt_fault_say(f->faults, text))
			return false;
	}
	return true;
}

static int add_threads(struct tl_pt_folder *f, struct tl_profile *profile, struct tl_error *err)
{
	uint32_t *numbers = malloc((f->functions.count + 1) * sizeof(*numbers));
	int status = numbers ? add_functions(f, profile, numbers, err) : tl_error_memory(err);

	for (size_t i = 0; i < f->thread_count; i++) {
		f->thread = &f->threads[i];
		watch_end(f);
	}
	for (size_t i = 0; status == 0 && i < f->thread_count; i++)
		status = add_thread(f, &f->threads[i], numbers, profile, err);
	free(numbers);
	if (status == 0 && !tell_files(f))
		return tl_error_memory(err);
	return status == 0 ? tl_profile_finish(profile, err) : status;
}

/* ---- the whole ---- */

static int fold_pieces(struct tl_pt_folder *f, struct tl_error *err)
{
	struct tl_pt_trace_slice piece;
	int status;

	while ((status = f->feed->next(f->feed->arg, &piece, err)) == 1) {
		status = fold_piece(f, &piece, err);
		if (status < 0)
			break;
	}
	return status;
}

/* What is of nodes and decoders: when all pieces are folded, nothing of it is needed any more. */
static void free_nodes(struct tl_pt_folder *f)
{
	tl_pt_decoders_close(&f->decoders);
	for (size_t i = 0; i < f->stream_count; i++)
		free_known(&f->streams[i]);
	free(f->streams);
	free(f->node_lines);
	free(f->steps);
	free(f->visits);
	free(f->timestamps);
	free(f->numbers);
}

static void free_folder(struct tl_pt_folder *f)
{
	for (size_t i = 0; i < f->thread_count; i++) {
		tl_pt_stack_end(&f->threads[i].stack);
		tl_pt_addr_costs_free(&f->threads[i].lines);
	}
	free(f->threads);
	tl_index_free(&f->by_thread);
	tl_pt_functions_end(&f->functions);
}

int tl_pt_fold(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
	       struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_pt_folder f = {
		.feed = feed, .options = options, .faults = faults, .timed = feed->timed
	};
	int status;

	f.last = &f.outside;
	f.visit_count = f.visit_capacity = 1;
	f.decoders.jobs = options->jobs;
	f.timestamps = malloc(RUN_MARKS * sizeof(*f.timestamps));
	f.numbers = malloc(TL_PT_FOLD_BATCH * sizeof(*f.numbers));
	f.visits = calloc(1, sizeof(*f.visits));
	if (f.visits)
		f.visits[0].function = TL_NONE;
	tl_pt_functions_begin(&f.functions, feed);
	feed->rewind(feed->arg);
	status =
		f.timestamps && f.numbers && f.visits ? fold_pieces(&f, err) : tl_error_memory(err);
	free_nodes(&f);
	if (status == 0 && (!tl_pt_functions_damage(&f.functions, faults) || f.functions.no_memory))
		status = tl_error_memory(err);
	if (status == 0)
		status = new_profile(&f, profile, err);
	if (status == 0)
		status = add_threads(&f, *profile, err);
	free_folder(&f);
	return status;
}
