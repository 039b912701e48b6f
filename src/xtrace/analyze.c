/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over all streams, which feeds everything that was asked for.
 *
 * Streams with TIME tokens go on in the order of their accesses (A12): the one whose next access
 * comes first, up to the next access of another. Streams without take turns when they share caches,
 * so that none has these for itself; else they come one after the other.
 */
#include "xtrace/analyze.h"

#include "core/error.h"
#include "core/output.h"
#include "xtrace/lane.h"

/* TURN: instructions. */
enum { TURN = 1000, DEFAULT_LINE = 64, DEFAULT_PAGE = 4096 };

/* ---- what an instruction and an access are told to ---- */

static bool attribute(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t pc)
{
	struct xtrace_lookup *functions = &a->functions;
	uint32_t number = lane->function;
	size_t before = a->function_room;

	if (number == TL_NONE || !tl_xtrace_lookup_has(&functions->list[number], pc)) {
		number = lane->function = tl_xtrace_lookup_at(functions, pc);
		if (number == TL_NONE || !tl_grow(&a->function_counts, &a->function_room,
						  (size_t)number + 1, sizeof(*a->function_counts)))
			return false;
		for (size_t i = before; i < a->function_room; i++)
			a->function_counts[i] = (struct xtrace_function_count){ 0 };
	}
	a->function_counts[number].instructions++;
	return true;
}

static struct xtrace_cache_count *counts_of(const struct xtrace_analysis *a,
					    const struct xtrace_lane *lane)
{
	return lane->function == TL_NONE ? NULL : a->function_counts[lane->function].levels;
}

static bool fetch(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t pc)
{
	unsigned what = a->wishes.what;
	uint64_t line = pc >> a->line_shift;

	if (what & XTRACE_FOOTPRINT &&
	    !tl_xtrace_footprint_line(&lane->footprint, XTRACE_FETCH, lane->el, line))
		return false;
	if (what & XTRACE_REUSE && !tl_xtrace_reuse_touch(&lane->fetches, line))
		return false;
	if (what & XTRACE_CACHE) {
		if (a->wishes.binary_count && !attribute(a, lane, pc))
			return false;
		tl_xtrace_cache_access(lane->core, pc, 4, XTRACE_FETCH, counts_of(a, lane));
	}
	return !(what & (XTRACE_BLOCKS | XTRACE_BBV)) ||
	       tl_xtrace_basic_block_step(&a->blocks, &lane->place, pc, lane->el, lane->opcode);
}

static bool access_data(struct xtrace_analysis *a, struct xtrace_lane *lane, enum xtrace_use use,
			uint64_t address, uint64_t size)
{
	unsigned what = a->wishes.what;
	uint64_t line = address >> a->line_shift, last = (address + size - 1) >> a->line_shift;

	if (what & XTRACE_CACHE)
		tl_xtrace_cache_access(lane->core, address, size, use, counts_of(a, lane));
	if (!(what & (XTRACE_FOOTPRINT | XTRACE_REUSE)))
		return true;
	/* An access over the end of the address space goes on at its beginning. */
	for (;; line = (line + 1) & (UINT64_MAX >> a->line_shift)) {
		if (what & XTRACE_FOOTPRINT &&
		    !tl_xtrace_footprint_line(&lane->footprint, use, lane->el, line))
			return false;
		if (what & XTRACE_REUSE && !tl_xtrace_reuse_touch(&lane->data, line))
			return false;
		if (line == last)
			return true;
	}
}

static bool is_svc(uint32_t opcode)
{
	return (opcode & 0xffe0001f) == 0xd4000001;
}

static bool instruction(struct xtrace_analysis *a, struct xtrace_lane *lane,
			const struct xtrace_walk *w)
{
	if (a->wishes.what & XTRACE_BBV && a->interval_end &&
	    (lane->stream->info.division == 1 ? lane->instructions : lane->user) ==
		    a->interval_end &&
	    (lane->stream->info.division == 1 || lane->el == 0)) {
		a->interval_end += a->wishes.interval;
		if (!tl_xtrace_bbv_end_interval(a, lane))
			return false;
	}
	if (lane->call.has_result && lane->el == 0)
		tl_xtrace_call_goes_on(a, lane, w->pc);
	if (a->wishes.what & XTRACE_SYSCALLS && is_svc(lane->opcode))
		tl_xtrace_call_begin(a, lane, w->pc);
	lane->instructions++;
	lane->user += lane->el == 0;
	return !w->pc_known || fetch(a, lane, w->pc);
}

/* ---- a stream at work ---- */

/*
 * Tokens up to the end of the segment, to a TIME behind `limit`, or to the end of the turn. 1: it
 * goes on.
 */
static int run_segment(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t limit,
		       uint64_t turn, struct tl_error *err)
{
	struct xtrace_walk w = lane->walk;
	enum tl_xtrace_kind kind;
	bool good = true, more = false;

	while (good && !more && (kind = xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (xtrace_is_instruction(kind) && lane->instructions == turn) {
			/*
			 * It begins the next turn: the accesses of the one before it were still of
			 * this.
			 */
			w.next = w.token;
			more = true;
		} else if (xtrace_is_instruction(kind)) {
			lane->opcode = xtrace_walk_instruction(&w, kind);
			lane->el = xtrace_walk_el(&w);
			good = instruction(a, lane, &w);
		} else if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) {
			good = access_data(a, lane,
					   kind == TL_XTRACE_LOAD ? XTRACE_LOAD : XTRACE_STORE,
					   xtrace_walk_value(&w), xtrace_access_size(*w.token));
		} else if (kind == TL_XTRACE_DC) {
			good = access_data(a, lane, XTRACE_STORE,
					   xtrace_walk_value(&w) &
						   ~(uint64_t)(XTRACE_ZVA_BYTES - 1),
					   XTRACE_ZVA_BYTES);
		} else if (kind == TL_XTRACE_TIME) {
			lane->time = tl_xtrace_walk_time(&w);
			more = lane->time > limit;
		} else if (a->wishes.what & XTRACE_SYSCALLS) {
			tl_xtrace_call_token(lane, kind, &w);
		}
	}
	lane->walk = w;
	return good ? more : tl_error_memory(err);
}

/* The segment's walk begins; the PC goes on when nothing was lost. */
static void begin_segment(struct xtrace_analysis *a, struct xtrace_lane *lane, bool whole)
{
	uint64_t pc = lane->walk.pc;
	bool known = whole && lane->walk.pc_known;

	tl_xtrace_walk_begin(&lane->walk, a->trace, lane->stream,
			     &lane->stream->segments[lane->segment]);
	lane->walk.pc = pc;
	lane->walk.pc_known = known;
	if (!whole)
		lane->place.next = 1; /* no instruction's address: a block ends at a gap */
}

static int next_segment(struct xtrace_analysis *a, struct xtrace_lane *lane, struct tl_error *err)
{
	bool whole = lane->walk.status == TL_OK;
	int status = tl_xtrace_walk_end(&lane->walk, err);

	if (status < 0)
		return status;
	if (++lane->segment == lane->stream->segment_count) {
		lane->ended = true;
		if (a->wishes.what & XTRACE_SYSCALLS)
			tl_xtrace_call_goes_on(a, lane, TL_NOWHERE);
		return 0;
	}
	begin_segment(a, lane, whole);
	if (a->wishes.what & XTRACE_BBV && !a->wishes.interval &&
	    !tl_xtrace_bbv_end_interval(a, lane))
		return tl_error_memory(err);
	return tl_output_failed(a->out) ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output failed")
					: 0;
}

static int run(struct xtrace_analysis *a, struct xtrace_lane *lane, uint64_t limit, uint64_t turn,
	       struct tl_error *err)
{
	int status = 0;

	while (!lane->ended && (status = run_segment(a, lane, limit, turn, err)) == 0) {
		status = next_segment(a, lane, err);
		if (status < 0)
			break;
	}
	return status;
}

/* Whose turn it is: the earliest access, then the fewest instructions. NULL: all have ended. */
static struct xtrace_lane *earliest(struct xtrace_analysis *a, const struct xtrace_lane *but)
{
	struct xtrace_lane *best = NULL;

	for (size_t i = 0; i < a->lane_count; i++) {
		struct xtrace_lane *lane = &a->lanes[i];

		if (lane == but || lane->ended)
			continue;
		if (!best || lane->time < best->time ||
		    (lane->time == best->time && lane->instructions < best->instructions))
			best = lane;
	}
	return best;
}

static int run_all(struct xtrace_analysis *a, struct tl_error *err)
{
	uint64_t turn = a->wishes.what & XTRACE_CACHE ? TURN : UINT64_MAX / 2;
	struct xtrace_lane *lane;

	while ((lane = earliest(a, NULL))) {
		const struct xtrace_lane *other = earliest(a, lane);
		int status = run(a, lane, other ? other->time : UINT64_MAX,
				 other ? lane->instructions + turn : UINT64_MAX, err);

		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- beginning and end ---- */

static int shift_of(uint64_t bytes, uint64_t otherwise, unsigned *shift, struct tl_error *err)
{
	if (!bytes)
		bytes = otherwise;
	if (bytes & (bytes - 1) || bytes < 16 || bytes > UINT64_C(1) << 40)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a line or page is a power of two from 16 on");
	*shift = (unsigned)__builtin_ctzll(bytes);
	return 0;
}

static void begin_lane(struct xtrace_analysis *a, const struct xtrace_stream *stream)
{
	struct xtrace_lane *lane = &a->lanes[a->lane_count++];

	lane->stream = stream;
	lane->function = TL_NONE;
	tl_xtrace_footprint_begin(&lane->footprint, a->line_shift);
	begin_segment(a, lane, true);
}

static int begin_lanes(struct xtrace_analysis *a, struct tl_error *err)
{
	a->lanes = tl_zeroed(a->trace->stream_count, sizeof(*a->lanes));
	if (!a->lanes)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < a->trace->stream_count; i++) {
		const struct xtrace_stream *stream = &a->trace->streams[i];

		if (a->wishes.thread == TL_NOWHERE || a->wishes.thread == stream->info.id)
			begin_lane(a, stream);
	}
	if (!a->lane_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the trace has no such thread");
	if (a->wishes.what & XTRACE_BBV && a->lane_count > 1)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "basic-block vectors are of one thread: choose one with "
				   "--thread");
	return 0;
}

static int begin(struct xtrace_analysis *a, struct tl_error *err)
{
	const struct xtrace_wishes *wishes = &a->wishes;
	int status = shift_of(wishes->line, DEFAULT_LINE, &a->line_shift, err);

	if (status == 0)
		status = shift_of(wishes->page, DEFAULT_PAGE, &a->page_shift, err);
	if (status == 0)
		status = begin_lanes(a, err);
	if (status == 0 && wishes->what & XTRACE_CACHE)
		status = tl_xtrace_caches_begin(&a->caches, wishes->caches, a->lane_count, err);
	if (status < 0)
		return status;
	for (size_t i = 0; wishes->what & XTRACE_CACHE && i < a->lane_count; i++)
		a->lanes[i].core = &a->caches.cores[i];
	a->functions.binaries = wishes->binaries;
	a->functions.binary_count = wishes->binary_count;
	a->interval_end = wishes->interval;
	return 0;
}

static bool end_bbv(struct xtrace_analysis *a)
{
	if (!tl_xtrace_bbv_end_interval(a, &a->lanes[0]))
		return false;
	if (a->wishes.form != XTRACE_TEXT)
		tl_xtrace_table_end(&a->table);
	return true;
}

static int show(struct xtrace_analysis *a, struct tl_error *err)
{
	unsigned what = a->wishes.what;
	bool good = true;

	if (what & XTRACE_SYSCALLS)
		tl_xtrace_table_end(&a->table);
	for (size_t i = 0; good && i < a->lane_count; i++)
		good = tl_xtrace_basic_block_leave(&a->blocks, &a->lanes[i].place);
	if (good && what & XTRACE_BBV)
		good = end_bbv(a);
	if (good && what & XTRACE_FOOTPRINT)
		good = tl_xtrace_show_footprint(a);
	if (good && what & XTRACE_REUSE)
		tl_xtrace_show_reuse(a);
	/* CSV is one table: that of functions where there are names. */
	if (good && what & XTRACE_CACHE &&
	    (!a->wishes.binary_count || a->wishes.form != XTRACE_CSV))
		tl_xtrace_show_cache(a);
	if (good && what & XTRACE_CACHE && a->wishes.binary_count)
		good = tl_xtrace_show_cache_functions(a);
	if (good && what & XTRACE_BLOCKS)
		good = tl_xtrace_show_blocks(a);
	return good ? 0 : tl_error_memory(err);
}

/* All but the mix, which is a pass of its own. */
static int one_pass(struct xtrace_analysis *a, struct tl_error *err)
{
	int status;

	/* These are written on the way. */
	if (a->wishes.what & XTRACE_SYSCALLS)
		tl_xtrace_calls_begin(a);
	if (a->wishes.what & XTRACE_BBV)
		tl_xtrace_bbv_begin(a);
	status = run_all(a, err);
	return status < 0 ? status : show(a, err);
}

static void end(struct xtrace_analysis *a)
{
	for (size_t i = 0; i < a->lane_count; i++) {
		tl_xtrace_footprint_free(&a->lanes[i].footprint);
		tl_xtrace_reuse_free(&a->lanes[i].fetches);
		tl_xtrace_reuse_free(&a->lanes[i].data);
	}
	free(a->lanes);
	tl_xtrace_caches_end(&a->caches);
	tl_xtrace_lookup_free(&a->functions);
	free(a->function_counts);
	tl_xtrace_basic_blocks_free(&a->blocks);
}

int tl_xtrace_analyze(struct tl_xtrace *trace, const struct xtrace_wishes *wishes,
		      struct tl_output *out, struct tl_error *err)
{
	struct xtrace_analysis a = { .trace = trace, .wishes = *wishes, .out = out };
	int status;

	tl_xtrace_rewind(trace);
	status = begin(&a, err);
	if (status == 0)
		tl_xtrace_tables_begin(out, wishes->form);
	if (status == 0 && wishes->what & XTRACE_MIX)
		status = tl_xtrace_show_mix(&a, err);
	if (status == 0 && wishes->what & ~(unsigned)XTRACE_MIX)
		status = one_pass(&a, err);
	if (status == 0)
		tl_xtrace_tables_end(out, wishes->form);
	end(&a);
	return status;
}
