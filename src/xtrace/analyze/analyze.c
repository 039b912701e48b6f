/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over all streams, which feeds every analysis that was asked for.
 *
 * Streams with TIME tokens go on in the order of their accesses (A12): the one whose next access
 * comes first, up to the next access of another. Streams without take turns when they share caches,
 * so that none has these for itself; else they come one after the other.
 */
#include "xtrace/analyze/analyze.h"

#include "core/error.h"
#include "core/output.h"
#include "xtrace/analyze/stream_analysis.h"

/* QUANTUM: instructions. */
enum { QUANTUM = 1000, DEFAULT_LINE = 64, DEFAULT_PAGE = 4096 };

/* ---- instructions and accesses go to the analyses ---- */

static bool attribute(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		      uint64_t pc)
{
	struct tl_xtrace_function_ids *functions = &a->functions;
	uint32_t number = s->function;
	size_t before = a->counted.room;

	if (number == TL_NONE || !tl_xtrace_function_covers(&functions->list[number], pc)) {
		number = s->function = tl_xtrace_function_id_at(functions, pc);
		if (number == TL_NONE || !tl_grow(&a->counted.list, &a->counted.room,
						  (size_t)number + 1, sizeof(*a->counted.list)))
			return false;
		for (size_t i = before; i < a->counted.room; i++)
			a->counted.list[i] = (struct tl_xtrace_function_count){ 0 };
	}
	a->counted.list[number].instructions += s->counted;
	return true;
}

static struct tl_xtrace_cache_count *counts_of(const struct tl_xtrace_analysis *a,
					       const struct tl_xtrace_stream_analysis *s)
{
	return s->function == TL_NONE || !s->counted ? NULL : a->counted.list[s->function].levels;
}

/* A line of the footprint, and of that of the interval. */
static bool touch_line(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		       enum tl_xtrace_use use, uint64_t line)
{
	return tl_xtrace_footprint_line(&s->footprint, use, s->el, line) &&
	       (!a->series.length ||
		tl_xtrace_footprint_line(&s->series.footprint, use, s->el, line));
}

static bool fetch(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s, uint64_t pc)
{
	unsigned wanted = a->options.analyses;
	uint64_t line = pc >> a->line_shift;

	if (wanted & (TL_XTRACE_ANALYZE_CACHE | TL_XTRACE_ANALYZE_SHARING) &&
	    a->options.binary_count && !attribute(a, s, pc))
		return false;
	if (wanted & TL_XTRACE_ANALYZE_CACHE) {
		s->core->silent = !s->counted;
		s->core->pc = pc;
		tl_xtrace_cache_access(s->core, pc, 4, TL_XTRACE_USE_FETCH, counts_of(a, s));
	}
	if (wanted & TL_XTRACE_ANALYZE_BRANCHES &&
	    !tl_xtrace_branch_step(&a->branches, &s->branch, pc, s->el, s->opcode, s->counted))
		return false;
	if (!s->counted)
		return true;
	if (wanted & TL_XTRACE_ANALYZE_FOOTPRINT && !touch_line(a, s, TL_XTRACE_USE_FETCH, line))
		return false;
	if (wanted & TL_XTRACE_ANALYZE_REUSE && !tl_xtrace_reuse_touch(&s->fetches, line))
		return false;
	return !(wanted & (TL_XTRACE_ANALYZE_BLOCKS | TL_XTRACE_ANALYZE_BBV)) ||
	       tl_xtrace_basic_block_step(&a->blocks, &s->place, pc, s->el, s->opcode);
}

static bool share(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		  enum tl_xtrace_use use, uint64_t address, uint64_t size)
{
	uint32_t core = (uint32_t)(s - a->streams);

	return tl_xtrace_sharing_access(&a->sharing, core, use == TL_XTRACE_USE_STORE, address,
					size, s->function, s->counted ? a->sharing_counts : NULL);
}

static bool access_data(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			enum tl_xtrace_use use, uint64_t address, uint64_t size)
{
	unsigned wanted = a->options.analyses;
	uint64_t line = address >> a->line_shift, last = (address + size - 1) >> a->line_shift;

	if (!s->simulated)
		return true;
	if (wanted & TL_XTRACE_ANALYZE_SHARING && !share(a, s, use, address, size))
		return false;
	if (wanted & TL_XTRACE_ANALYZE_CACHE)
		tl_xtrace_cache_access(s->core, address, size, use, counts_of(a, s));
	if (wanted & TL_XTRACE_ANALYZE_DEPENDENCES && s->counted &&
	    !tl_xtrace_dependences_access(&s->dependences, use == TL_XTRACE_USE_STORE, address,
					  size))
		return false;
	if (!s->counted)
		return true;
	s->series.loads += use == TL_XTRACE_USE_LOAD;
	s->series.stores += use == TL_XTRACE_USE_STORE;
	if (!(wanted & (TL_XTRACE_ANALYZE_FOOTPRINT | TL_XTRACE_ANALYZE_REUSE)))
		return true;
	/* An access over the end of the address space goes on at its beginning. */
	for (;; line = (line + 1) & (UINT64_MAX >> a->line_shift)) {
		if (wanted & TL_XTRACE_ANALYZE_FOOTPRINT && !touch_line(a, s, use, line))
			return false;
		if (wanted & TL_XTRACE_ANALYZE_REUSE && !tl_xtrace_reuse_touch(&s->data, line))
			return false;
		if (line == last)
			return true;
	}
}

static bool is_svc(uint32_t opcode)
{
	return (opcode & 0xffe0001f) == 0xd4000001;
}

/* What system calls are told by, and a call. False without memory. */
static bool follow_calls(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			 uint64_t pc)
{
	if (s->tasks.has_result && s->el == 0 && !tl_xtrace_syscall_resumed(a, s, pc))
		return false;
	if (is_svc(s->opcode)) {
		s->series.calls += s->counted;
		if (!tl_xtrace_syscall_begin(a, s, pc, s->counted))
			return false;
	}
	s->tasks.list[s->tasks.now].user += s->el == 0;
	return true;
}

static bool instruction(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			const struct tl_xtrace_walk *w)
{
	if (a->options.analyses & TL_XTRACE_ANALYZE_BBV && a->intervals.end &&
	    (s->stream->info.division == 1 ? s->instructions : s->user) == a->intervals.end &&
	    (s->stream->info.division == 1 || s->el == 0)) {
		a->intervals.end += a->options.interval;
		if (!tl_xtrace_bbv_end_interval(a, s))
			return false;
	}
	/* Of all streams together there are intervals in which this one executed nothing. */
	while (a->series.length && s->instructions == s->series.end)
		if (!tl_xtrace_series_end_interval(a, s))
			return false;
	s->simulated = s->instructions >= s->warm;
	s->counted = s->instructions >= s->first && a->levels >> s->el & 1;
	a->any |= s->counted;
	if (a->series.length && s->counted)
		tl_xtrace_series_count(a, s);
	if (a->options.analyses & TL_XTRACE_ANALYZE_SYSCALLS && !follow_calls(a, s, w->pc))
		return false;
	s->instructions++;
	s->user += s->el == 0;
	if (a->options.analyses & TL_XTRACE_ANALYZE_DEPENDENCES && s->counted &&
	    !tl_xtrace_dependences_step(&s->dependences, s->opcode))
		return false;
	if (a->mix && s->counted && !tl_xtrace_mix_count(a->mix, s->opcode, s->el))
		return false;
	return !s->simulated || !w->pc_known || fetch(a, s, w->pc);
}

/* ---- a stream ---- */

/* What DC ZVA stores zeros to: the block of its address. */
static uint64_t zeroed_by(const struct tl_xtrace_walk *w)
{
	return tl_xtrace_walk_value(w) & ~(uint64_t)(TL_XTRACE_ZVA_BYTES - 1);
}

/*
 * Tokens up to the end of the segment, to a TIME behind `limit`, or to the end of the turn. 1: it
 * goes on.
 */
static int run_segment(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		       uint64_t limit, uint64_t quantum, struct tl_error *err)
{
	struct tl_xtrace_walk w = s->walk;
	enum tl_xtrace_kind kind;
	bool good = true, more = false;

	while (good && !more && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind) && s->instructions == s->end) {
			s->ended = true;
			break;
		}
		if (tl_xtrace_is_instruction(kind) && s->instructions == quantum) {
			/*
			 * It begins the next turn: the accesses of the one before it were still of
			 * this.
			 */
			w.next = w.token;
			more = true;
		} else if (tl_xtrace_is_instruction(kind)) {
			s->opcode = tl_xtrace_walk_instruction(&w, kind);
			s->el = tl_xtrace_walk_el(&w);
			good = instruction(a, s, &w);
		} else if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) {
			good = access_data(
				a, s,
				kind == TL_XTRACE_LOAD ? TL_XTRACE_USE_LOAD : TL_XTRACE_USE_STORE,
				tl_xtrace_walk_value(&w), tl_xtrace_access_size(*w.token));
		} else if (kind == TL_XTRACE_DC) {
			good = access_data(a, s, TL_XTRACE_USE_STORE, zeroed_by(&w),
					   TL_XTRACE_ZVA_BYTES);
		} else if (kind == TL_XTRACE_TIME) {
			s->time = tl_xtrace_walk_time(&w);
			more = s->time > limit;
		} else if (kind == TL_XTRACE_TARGET_B) {
			tl_xtrace_branch_target(&s->branch, tl_xtrace_walk_value(&w));
		} else if (a->options.analyses & TL_XTRACE_ANALYZE_SYSCALLS) {
			good = tl_xtrace_syscall_token(s, kind, &w);
		}
	}
	s->walk = w;
	if (good)
		return more;
	return tl_error_memory(err);
}

/* Whether run_caches() does what run_segment() would. */
static bool only_caches(const struct tl_xtrace_analysis *a)
{
	return (a->options.analyses & ~(unsigned)TL_XTRACE_ANALYZE_MIX) ==
		       TL_XTRACE_ANALYZE_CACHE &&
	       !a->mix && !a->series.length && !tl_xtrace_part_chosen(&a->options.part);
}

/*
 * run_segment() where nothing but caches is simulated, of whole streams: nothing has to be asked
 * for each instruction.
 */
static int run_caches(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		      uint64_t limit, uint64_t quantum, struct tl_error *err)
{
	struct tl_xtrace_walk w = s->walk;
	struct tl_xtrace_cache_core *core = s->core;
	const bool named = a->options.binary_count;
	uint64_t instructions = s->instructions;
	enum tl_xtrace_kind kind;
	bool more = false;

	while (!more && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind)) {
			if (instructions == quantum) {
				w.next = w.token;
				more = true;
				break;
			}
			instructions++;
			tl_xtrace_walk_instruction(&w, kind);
			s->counted = true;
			if (!w.pc_known)
				continue;
			if (named && !attribute(a, s, w.pc))
				return tl_error_memory(err);
			core->pc = w.pc;
			tl_xtrace_cache_access(core, w.pc, 4, TL_XTRACE_USE_FETCH, counts_of(a, s));
		} else if (kind == TL_XTRACE_TIME) {
			s->time = tl_xtrace_walk_time(&w);
			more = s->time > limit;
		} else if (!instructions) {
			continue; /* of no instruction */
		} else if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) {
			tl_xtrace_cache_access(
				core, tl_xtrace_walk_value(&w), tl_xtrace_access_size(*w.token),
				kind == TL_XTRACE_LOAD ? TL_XTRACE_USE_LOAD : TL_XTRACE_USE_STORE,
				counts_of(a, s));
		} else if (kind == TL_XTRACE_DC) {
			tl_xtrace_cache_access(core, zeroed_by(&w), TL_XTRACE_ZVA_BYTES,
					       TL_XTRACE_USE_STORE, counts_of(a, s));
		}
	}
	s->instructions = instructions;
	s->walk = w;
	return more;
}

/* The segment's walk begins; the PC goes on when nothing was lost. */
static void begin_segment(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			  bool whole)
{
	uint64_t pc = s->walk.pc;
	bool known = whole && s->walk.pc_known;

	tl_xtrace_walk_begin(&s->walk, a->trace, s->stream, &s->stream->segments[s->segment]);
	s->walk.pc = pc;
	s->walk.pc_known = known;
	if (!whole)
		s->place.next = 1; /* no instruction's address: a block ends at a gap */
}

static int next_segment(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			struct tl_error *err)
{
	bool whole = s->walk.status == TL_OK;
	int status = tl_xtrace_walk_end(&s->walk, err);

	if (status < 0)
		return status;
	s->ended = s->ended || ++s->segment == s->stream->segment_count;
	if ((s->ended || !whole) && !tl_xtrace_branch_gap(&a->branches, &s->branch))
		return tl_error_memory(err);
	if (s->ended) {
		if (a->options.analyses & TL_XTRACE_ANALYZE_SYSCALLS &&
		    !tl_xtrace_syscalls_end(a, s))
			return tl_error_memory(err);
		return 0;
	}
	begin_segment(a, s, whole);
	if (!tl_xtrace_interval_segment(a, s))
		return tl_error_memory(err);
	if (a->options.analyses & TL_XTRACE_ANALYZE_BBV && !a->options.interval &&
	    !tl_xtrace_bbv_end_interval(a, s))
		return tl_error_memory(err);
	return a->out && tl_output_failed(a->out)
		       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output failed")
		       : 0;
}

static int run(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s, uint64_t limit,
	       uint64_t quantum, struct tl_error *err)
{
	const bool caches = only_caches(a);
	int status = 0;

	while (!s->ended) {
		status = caches ? run_caches(a, s, limit, quantum, err)
				: run_segment(a, s, limit, quantum, err);
		if (status == 0)
			status = next_segment(a, s, err);
		if (status != 0)
			break;
	}
	return status;
}

/* The stream that goes on next: the earliest access, then the fewest instructions. NULL: none. */
static struct tl_xtrace_stream_analysis *earliest(struct tl_xtrace_analysis *a,
						  const struct tl_xtrace_stream_analysis *but)
{
	struct tl_xtrace_stream_analysis *best = NULL;

	for (size_t i = 0; i < a->stream_count; i++) {
		struct tl_xtrace_stream_analysis *s = &a->streams[i];

		if (s == but || s->ended)
			continue;
		if (!best || s->time < best->time ||
		    (s->time == best->time && s->instructions < best->instructions))
			best = s;
	}
	return best;
}

/* Vectors of a stream stand behind those of the one before, whatever the order of accesses. */
static int run_apart(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < a->stream_count; i++) {
		struct tl_xtrace_stream_analysis *s = &a->streams[i];

		if (!tl_xtrace_bbv_begin_stream(a, s))
			return tl_error_memory(err);
		status = run(a, s, UINT64_MAX, UINT64_MAX, err);
		if (status == 0 && !tl_xtrace_bbv_end_stream(a, s))
			return tl_error_memory(err);
	}
	return status;
}

/* Interval by interval: what each stream executed in it. */
static int run_together(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_cuts *cuts = &a->intervals.cuts;
	int status = 0;

	for (uint64_t n = 0; status >= 0 && n <= cuts->count; n++) {
		for (size_t i = 0; status >= 0 && i < a->stream_count; i++)
			status = run(a, &a->streams[i], UINT64_MAX, tl_xtrace_cuts_end(cuts, n, i),
				     err);
		if (status >= 0 && !tl_xtrace_bbv_end_common(a))
			return tl_error_memory(err);
	}
	return tl_error_or_end(status);
}

/* For slices: the part of each interval that is a stream's, one stream behind the other. */
static int find_together(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_cuts *cuts = &a->intervals.cuts;
	int status = 0;

	for (size_t i = 0; i < a->stream_count; i++) {
		struct tl_xtrace_stream_analysis *s = &a->streams[i];

		if (!tl_xtrace_interval_stream(a, s))
			return tl_error_memory(err);
		for (uint64_t n = 0; status >= 0 && n <= cuts->count; n++) {
			uint64_t before = s->instructions;

			status = run(a, s, UINT64_MAX, tl_xtrace_cuts_end(cuts, n, i), err);
			a->intervals.count = n;
			if (status >= 0)
				tl_xtrace_interval_end(a, s, s->instructions > before);
		}
	}
	return tl_error_or_end(status);
}

static int run_vectors(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	if (!a->options.together)
		return run_apart(a, err);
	return a->intervals.finder.fn ? find_together(a, err) : run_together(a, err);
}

int tl_xtrace_analysis_run(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	bool turns = a->options.analyses & (TL_XTRACE_ANALYZE_CACHE | TL_XTRACE_ANALYZE_SHARING);
	uint64_t quantum = turns ? QUANTUM : UINT64_MAX / 2;
	struct tl_xtrace_stream_analysis *s;

	if (a->options.analyses & TL_XTRACE_ANALYZE_BBV)
		return run_vectors(a, err);
	while ((s = earliest(a, NULL))) {
		const struct tl_xtrace_stream_analysis *other = earliest(a, s);
		int status = run(a, s, other ? other->time : UINT64_MAX,
				 other ? s->instructions + quantum : UINT64_MAX, err);

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

/* A footprint counts pages by its lines. */
static int begin_units(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_analysis_options *options = &a->options;
	int status = shift_of(options->line, DEFAULT_LINE, &a->line_shift, err);

	if (status == 0)
		status = shift_of(options->page, tl_max((uint64_t)DEFAULT_PAGE, options->line),
				  &a->page_shift, err);
	if (status == 0 && a->page_shift < a->line_shift &&
	    options->analyses & TL_XTRACE_ANALYZE_FOOTPRINT)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a page is at least as long as a line");
	return status;
}

static void begin_stream(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream *stream)
{
	struct tl_xtrace_stream_analysis *s = &a->streams[a->stream_count++];

	s->stream = stream;
	s->function = TL_NONE;
	tl_xtrace_footprint_begin(&s->footprint, a->line_shift);
	begin_segment(a, s, true);
}

static int begin_streams(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	a->streams = tl_zeroed(a->trace->stream_count, sizeof(*a->streams));
	if (!a->streams)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < a->trace->stream_count; i++) {
		const struct tl_xtrace_stream *stream = &a->trace->streams[i];

		if (a->options.thread == TL_NOWHERE || a->options.thread == stream->info.id)
			begin_stream(a, stream);
	}
	if (!a->stream_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the trace has no such thread");
	return 0;
}

/* Where the intervals of all streams end. */
static int begin_together(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_stream **streams;
	int status;

	if (!a->options.interval || tl_xtrace_part_chosen(&a->options.part))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   a->options.interval
					   ? "intervals of all threads together are of all that "
					     "they executed"
					   : "intervals of all threads together need --interval");
	streams = tl_zeroed(a->stream_count, sizeof(*streams));
	if (!streams)
		return tl_error_memory(err);
	for (size_t i = 0; i < a->stream_count; i++)
		streams[i] = a->streams[i].stream;
	status = tl_xtrace_cuts_find(&a->intervals.cuts, a->trace, streams, a->stream_count,
				     a->options.interval, err);
	free(streams);
	/* The pass itself meets the same damage. */
	tl_xtrace_rewind(a->trace);
	return status;
}

static bool begin_branches(struct tl_xtrace_analysis *a)
{
	bool good = tl_xtrace_branches_begin(&a->branches);

	for (size_t i = 0; good && i < a->stream_count; i++)
		good = tl_xtrace_predictors_begin(&a->streams[i].branch.predictors,
						  a->options.predictors);
	return good;
}

static bool holds_line(void *arg, uint32_t core, uint64_t line)
{
	const struct tl_xtrace_analysis *a = arg;

	return tl_xtrace_cache_holds(&a->caches.cores[core], line);
}

static void take_line(void *arg, uint32_t core, uint64_t line)
{
	struct tl_xtrace_analysis *a = arg;

	tl_xtrace_cache_take(&a->caches.cores[core], line);
}

/* Lines are shared between the caches that are simulated: a store takes them out of these. */
static int join_caches(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_cache_config *config = a->options.caches;
	uint32_t level = config->first[0][1];

	if (level == TL_NONE || config->levels[level].shared)
		return tl_error_at(
			err, TL_BAD_USAGE, TL_NOWHERE,
			"sharing between caches: each core needs one of its own for data");
	for (; level != TL_NONE && !config->levels[level].shared;
	     level = config->levels[level].next)
		if (config->levels[level].line_shift != a->line_shift)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "sharing between caches: all that are a core's own have "
					   "lines of the size of --line");
	a->sharing.caches = (struct tl_xtrace_sharing_caches){ a, holds_line, take_line };
	return 0;
}

static int begin_sharing(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	if (a->stream_count < 2 || a->stream_count > TL_XTRACE_SHARERS)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "sharing is between the streams of 2 to 64 threads or cores");
	a->sharing.cores = (uint32_t)a->stream_count;
	a->sharing.line_shift = a->line_shift;
	a->sharing_counts = tl_zeroed(a->stream_count, sizeof(*a->sharing_counts));
	if (!a->sharing_counts)
		return tl_error_memory(err);
	return a->options.analyses & TL_XTRACE_ANALYZE_CACHE ? join_caches(a, err) : 0;
}

/* Without TIME the order of accesses is not that of the run, which is said. */
static int remark_order(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	for (size_t i = 0; i < a->stream_count; i++) {
		const struct tl_xtrace_stream_analysis *s = &a->streams[i];
		const struct tl_xtrace_fault said = {
			.status = TL_UNSUPPORTED,
			.path = s->stream->info.path,
			.offset = TL_NOWHERE,
			.record = TL_NOWHERE,
			.text = "accesses have no TIME: threads take turns of 1,000 instructions, "
				"and what they share is an estimate",
		};

		if (!s->time)
			return tl_xtrace_note_fault(&a->trace->faults, &said, err);
	}
	return 0;
}

int tl_xtrace_analysis_begin(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_analysis_options *options = &a->options;
	int status = begin_units(a, err);

	if (status == 0)
		status = begin_streams(a, err);
	if (status == 0 && options->analyses & TL_XTRACE_ANALYZE_CACHE)
		status = tl_xtrace_caches_begin(&a->caches, options->caches, a->stream_count, err);
	if (status < 0)
		return status;
	for (size_t i = 0; options->analyses & TL_XTRACE_ANALYZE_CACHE && i < a->stream_count; i++)
		a->streams[i].core = &a->caches.cores[i];
	if (options->analyses & TL_XTRACE_ANALYZE_BRANCHES && !begin_branches(a))
		return tl_error_memory(err);
	if (options->analyses & TL_XTRACE_ANALYZE_SHARING)
		status = begin_sharing(a, err);
	if (status < 0)
		return status;
	for (size_t i = 0; options->analyses & TL_XTRACE_ANALYZE_SYSCALLS && i < a->stream_count;
	     i++)
		if (!tl_xtrace_syscalls_begin(&a->streams[i]))
			return tl_error_memory(err);
	for (size_t i = 0; options->analyses & TL_XTRACE_ANALYZE_DEPENDENCES && i < a->stream_count;
	     i++)
		if (!tl_xtrace_dependences_begin(&a->streams[i].dependences))
			return tl_error_memory(err);
	status = tl_xtrace_part_begin(a, err);
	if (status == 0 && options->together)
		status = begin_together(a, err);
	if (status < 0)
		return status;
	if (!tl_xtrace_series_begin(a))
		return tl_error_memory(err);
	a->functions.binaries = options->binaries;
	a->functions.binary_count = options->binary_count;
	return 0;
}

/* CSV is one table: with intervals theirs, which is of all analyses. */
static bool only_series(const struct tl_xtrace_analysis *a)
{
	return a->series.length && a->options.form == TL_XTRACE_CSV;
}

static int show(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	unsigned wanted = a->options.analyses;
	bool good = true;

	if (only_series(a))
		return tl_error_unless_made(tl_xtrace_show_series(a), err);
	if (wanted & TL_XTRACE_ANALYZE_SYSCALLS)
		good = tl_xtrace_show_syscalls(a);
	for (size_t i = 0; good && i < a->stream_count; i++)
		good = tl_xtrace_basic_block_leave(&a->blocks, &a->streams[i].place);
	if (good && a->mix)
		good = tl_xtrace_mix_tables(a, a->mix);
	if (good && wanted & TL_XTRACE_ANALYZE_BBV && a->options.form != TL_XTRACE_TEXT)
		tl_xtrace_table_end(&a->tables.table);
	if (good && wanted & TL_XTRACE_ANALYZE_FOOTPRINT)
		good = tl_xtrace_show_footprint(a);
	if (good && wanted & TL_XTRACE_ANALYZE_REUSE)
		tl_xtrace_show_reuse(a);
	/* CSV is one table: that of functions where there are names. */
	if (good && wanted & TL_XTRACE_ANALYZE_CACHE &&
	    (!a->options.binary_count || a->options.form != TL_XTRACE_CSV))
		tl_xtrace_show_cache(a);
	if (good && wanted & TL_XTRACE_ANALYZE_CACHE && a->options.binary_count)
		good = tl_xtrace_show_cache_functions(a);
	if (good && wanted & TL_XTRACE_ANALYZE_BRANCHES)
		good = tl_xtrace_show_branches(a);
	if (good && wanted & TL_XTRACE_ANALYZE_DEPENDENCES)
		good = tl_xtrace_show_dependences(a);
	if (good && wanted & TL_XTRACE_ANALYZE_SHARING)
		tl_xtrace_show_sharing(a);
	if (good && wanted & TL_XTRACE_ANALYZE_BLOCKS)
		good = tl_xtrace_show_blocks(a);
	if (good && a->series.length)
		good = tl_xtrace_show_series(a);
	if (!good)
		return tl_error_memory(err);
	return 0;
}

/* All but the mix of everything, which is a pass of its own. */
static int one_pass(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	int status;

	/* These are written on the way. */
	if (a->options.analyses & TL_XTRACE_ANALYZE_SYSCALLS && !only_series(a))
		tl_xtrace_syscall_log_begin(a);
	if (a->options.analyses & TL_XTRACE_ANALYZE_BBV)
		tl_xtrace_bbv_begin(a);
	status = tl_xtrace_analysis_run(a, err);
	if (status < 0)
		return status;
	if (!a->any && tl_xtrace_part_chosen(&a->options.part))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no instructions in that part");
	if (a->options.analyses & TL_XTRACE_ANALYZE_SHARING)
		status = remark_order(a, err);
	return status < 0 ? status : show(a, err);
}

void tl_xtrace_analysis_end(struct tl_xtrace_analysis *a)
{
	for (size_t i = 0; i < a->stream_count; i++) {
		tl_xtrace_footprint_free(&a->streams[i].footprint);
		tl_xtrace_reuse_free(&a->streams[i].fetches);
		tl_xtrace_reuse_free(&a->streams[i].data);
		tl_xtrace_dependences_free(&a->streams[i].dependences);
		tl_xtrace_predictors_end(&a->streams[i].branch.predictors);
	}
	tl_xtrace_series_free(a);
	tl_xtrace_syscalls_free(a);
	tl_xtrace_branches_free(&a->branches);
	tl_xtrace_sharing_free(&a->sharing);
	free(a->sharing_counts);
	tl_xtrace_mix_free(a->mix);
	free(a->streams);
	tl_xtrace_caches_end(&a->caches);
	tl_xtrace_function_ids_free(&a->functions);
	free(a->counted.list);
	tl_xtrace_basic_blocks_free(&a->blocks);
	free(a->intervals.finder.passed);
	tl_xtrace_cuts_free(&a->intervals.cuts);
	tl_xtrace_table_drop(&a->tables.table);
}

/*
 * Of a part the mix is counted with the rest; of everything in a faster pass of its own, unless
 * there is nothing to be written but intervals.
 */
static int begin_mix(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	if (only_series(a))
		return 0;
	if (!tl_xtrace_part_chosen(&a->options.part))
		return tl_xtrace_show_mix(a, err);
	a->mix = tl_xtrace_mix_begin();
	return tl_error_unless_made(a->mix, err);
}

int tl_xtrace_analyze(struct tl_xtrace_trace *trace,
		      const struct tl_xtrace_analysis_options *options, struct tl_output *out,
		      struct tl_error *err)
{
	struct tl_xtrace_analysis a = { .trace = trace, .options = *options, .out = out };
	int status;

	tl_xtrace_rewind(trace);
	status = tl_xtrace_analysis_begin(&a, err);
	if (status == 0)
		tl_xtrace_tables_begin(out, options->form);
	if (status == 0 && options->analyses & TL_XTRACE_ANALYZE_MIX)
		status = begin_mix(&a, err);
	if (status == 0 &&
	    (a.mix || a.series.length || options->analyses & ~(unsigned)TL_XTRACE_ANALYZE_MIX))
		status = one_pass(&a, err);
	if (status == 0 && a.tables.no_memory)
		status = tl_error_memory(err);
	if (status == 0)
		tl_xtrace_tables_end(out, options->form);
	tl_xtrace_analysis_end(&a);
	return status;
}
