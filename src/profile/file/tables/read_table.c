/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of functions out of the sums of a file: self costs, inclusive costs and calls, without an
 * arc for each pair of functions. What a function costs inclusively depends on which functions call
 * each other (docs/formats/callgrind.md, rule J), so the calls are gone through twice: who calls
 * whom, and then the costs, which are added where the cycles say. Few costs are kept in between,
 * many are read again. Threads read some blocks each; rows are sorted by caller, so that two
 * threads share at most the callers at their edges.
 * It equals what read_sums.c makes, followed by derive/derive_sums.c. Wherever something is
 * not as it should be, nothing is taken, and that way says what is wrong.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/pool.h"
#include "profile/derive/cycles.h"
#include "profile/file/reading.h"
#include "profile/file/rows.h"

/* Ends the reading: the file has to be read the other way. */
enum { NOT_A_TABLE = TL_UNSUPPORTED };

/* Fields of a row of line sums, and of one of arc sums. */
enum { FUNCTION, LINE_PART, LINE_ROWS, LINE_COSTS };
enum { KEPT = 256 * 1024 }; /* costs of arc sums that are kept, at most */
enum { CALLER, CALLEE, ARC_PART, ARC_KEYS, ARC_ROWS = ARC_KEYS, CALLS, ARC_COSTS };

/* Some blocks of the file, by one thread. */
struct share {
	struct table *table;
	struct tl_pfile_reader reader;
	uint64_t *row;
	size_t begin, at, end; /* rows of arc sums that these blocks have; the present one */
	uint64_t rows;         /* lines or arcs that the sums stand for */
	uint64_t first, last;  /* callers, by their numbers in the file */
	uint32_t caller;       /* whose sums these are: of calls out of its cycle, and inside */
	int64_t *leaving, *inside;
	int64_t *
		edge; /* the same two of the first caller, of whom the share before may have some */
	uint64_t cut; /* sums that do not fit */
};

struct table {
	struct tl_pfile_reading *r;
	uint32_t events;
	struct share shares[TL_PFILE_SHARES];
	struct tl_caller_callee *calls; /* who calls whom, by row */
	uint64_t *counts;               /* how often, by row */
	int64_t *kept;                  /* their costs, by row; NULL: they are read again */
	size_t count;
	struct tl_cycles cycles;
	int64_t *inside; /* costs of calls to others of the same cycle, by member */
};

static int64_t *self_of(const struct table *t, uint32_t function)
{
	return t->r->profile->sums.self + (size_t)function * t->events;
}

static int64_t *inclusive_of(const struct table *t, uint32_t function)
{
	return t->r->profile->sums.inclusive + (size_t)function * t->events;
}

static int64_t *inside_of(const struct table *t, uint32_t function)
{
	return t->inside + (size_t)t->cycles.member[function] * t->events;
}

static void add_row(const struct table *t, int64_t *to, const int64_t *from, uint64_t *cut)
{
	for (uint32_t e = 0; e < t->events; e++)
		tl_add_cost(&to[e], from[e], cut);
}

/* Most rows have but the first costs. */
static void add_costs(struct share *s, int64_t *to, const uint64_t *costs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		tl_add_cost(&to[i], (int64_t)costs[i], &s->cut);
}

/* How many costs of the present row may be other than 0; they stand from field `at` on. */
static uint32_t cost_count(const struct share *s, uint32_t at)
{
	return s->reader.used > at ? s->reader.used - at : 0;
}

/*
 * The function some rows behind that with this number in the file: rows are sorted by it, and where
 * its costs are may be anywhere, so that they are fetched early.
 */
static uint32_t soon(const struct table *t, uint64_t number)
{
	enum { AHEAD = 16 };
	const uint32_t function = tl_pfile_number(&t->r->functions, number + AHEAD);

	return function == TL_NONE ? 0 : function;
}

static void fetch(const void *address)
{
	__builtin_prefetch(address, 1);
}

/* ---- lines ---- */

static int take_line(void *arg, uint64_t number, const uint64_t *row)
{
	struct share *s = arg;
	const uint32_t function = tl_pfile_number(&s->table->r->functions, row[FUNCTION]);

	(void)number;
	if (function == TL_NONE)
		return NOT_A_TABLE;
	s->rows += row[LINE_ROWS];
	fetch(self_of(s->table, soon(s->table, row[FUNCTION])));
	add_costs(s, self_of(s->table, function), row + LINE_COSTS, cost_count(s, LINE_COSTS));
	return 0;
}

static int read_lines(struct table *t)
{
	const struct tl_pfile_reader *reader = t->r->reader;
	struct share all = { .table = t, .reader = tl_pfile_share(reader, 0, reader->count) };
	int status = tl_pfile_each_row(&all.reader, TL_PFILE_LINE_SUMS, t->events, take_line, &all,
				       t->r->err);

	if (status == 0 && (all.reader.fault_count || all.cut ||
			    all.rows != tl_pfile_row_count(reader, TL_PFILE_LINES)))
		status = NOT_A_TABLE;
	tl_pfile_share_end(&all.reader);
	if (status == 0)
		memcpy(inclusive_of(t, 0), self_of(t, 0),
		       t->r->profile->functions.table.count * t->events * sizeof(int64_t));
	return status;
}

/* ---- arcs, twice ---- */

/* The rows of a block, with all of their costs or without most. `take` becomes part of it. */
static inline int take_rows(struct share *s, const struct tl_pfile_block *block,
			    const uint8_t *content, bool costs, int (*take)(struct share *s))
{
	const uint8_t *pos = content, *end = content + block->raw_bytes;

	if (block->first != s->at || block->rows > s->end - s->at)
		return NOT_A_TABLE;
	memset(s->row, 0, block->fields * sizeof(*s->row));
	s->reader.used = 0;
	for (uint32_t i = 0; i < block->rows; i++, s->at++) {
		if (pos >= end)
			return NOT_A_TABLE;
		pos = costs ? tl_pfile_take_row(pos, ARC_KEYS, block->fields, s->row,
						&s->reader.used)
			    : tl_pfile_take_head(pos, ARC_KEYS, block->fields, s->row, end);
		if (!pos || take(s) < 0)
			return NOT_A_TABLE;
	}
	return pos == end ? 0 : NOT_A_TABLE;
}

static int take_call(struct share *s)
{
	struct table *t = s->table;
	const uint64_t *row = s->row;
	const struct tl_caller_callee call = {
		.caller = tl_pfile_number_or_none(&t->r->functions, row[CALLER]),
		.callee = tl_pfile_number(&t->r->functions, row[CALLEE]),
	};

	if (s->at == s->begin)
		s->first = s->last = row[CALLER];
	if (call.callee == TL_NONE || (call.caller == TL_NONE && row[CALLER] != TL_NONE) ||
	    row[CALLER] < s->last)
		return NOT_A_TABLE;
	t->calls[s->at] = call;
	t->counts[s->at] = row[CALLS];
	if (t->kept)
		memcpy(t->kept + s->at * t->events, row + ARC_COSTS,
		       cost_count(s, ARC_COSTS) * sizeof(*row));
	s->rows += row[ARC_ROWS];
	s->last = row[CALLER];
	return 0;
}

static int take_calls(void *arg, const struct tl_pfile_block *block, const uint8_t *content)
{
	const struct share *s = arg;

	return take_rows(arg, block, content, s->table->kept, take_call);
}

/* Where the costs of a caller's calls are added up. */
static void choose_caller(struct share *s, uint32_t caller)
{
	const struct table *t = s->table;

	s->caller = caller;
	if (caller == t->calls[s->begin].caller) {
		s->leaving = s->edge;
		s->inside = s->edge + t->events;
		return;
	}
	s->leaving = inclusive_of(t, caller);
	s->inside = t->cycles.member[caller] == TL_NONE ? NULL : inside_of(t, caller);
}

static void add_call(struct share *s, const uint64_t *costs, uint32_t count)
{
	const struct table *t = s->table;
	const struct tl_caller_callee *call = &t->calls[s->at];

	if (call->caller == TL_NONE || call->caller == call->callee)
		return;
	if (call->caller != s->caller)
		choose_caller(s, call->caller);
	add_costs(s,
		  t->cycles.of[call->caller] == t->cycles.of[call->callee] ? s->inside : s->leaving,
		  costs, count);
}

static int take_cost(struct share *s)
{
	add_call(s, s->row + ARC_COSTS, cost_count(s, ARC_COSTS));
	return 0;
}

static int take_costs(void *arg, const struct tl_pfile_block *block, const uint8_t *content)
{
	return take_rows(arg, block, content, true, take_cost);
}

static void take_kept(struct share *s)
{
	enum { AHEAD = 8 };
	const struct table *t = s->table;

	for (s->at = s->begin; s->at < s->end; s->at++) {
		const struct tl_caller_callee *next = &t->calls[tl_min(s->at + AHEAD, s->end - 1)];

		if (next->caller != TL_NONE)
			fetch(inclusive_of(t, next->caller));
		fetch(&t->cycles.of[next->callee]);
		add_call(s, (const uint64_t *)t->kept + s->at * t->events, t->events);
	}
}

static int read_share(struct share *s, tl_pfile_rows_fn *take)
{
	struct tl_error ignored;
	int status;

	s->at = s->begin;
	status = tl_pfile_each_rows(&s->reader, TL_PFILE_ARC_SUMS, s->table->events, take, s,
				    &ignored);
	if (status == 0 && (s->at != s->end || s->reader.fault_count || s->cut))
		status = NOT_A_TABLE;
	return status;
}

static int read_calls_of(void *arg, size_t task)
{
	return read_share(&((struct table *)arg)->shares[task], take_calls);
}

static int read_costs_of(void *arg, size_t task)
{
	struct share *s = &((struct table *)arg)->shares[task];

	s->caller = TL_NONE;
	if (!s->table->kept)
		return read_share(s, take_costs);
	take_kept(s);
	return 0;
}

/* Rows are sorted from one share to the next, and each arc is in a sum. */
static bool are_sorted(const struct table *t)
{
	uint64_t rows = 0, last = 0;

	for (size_t i = 0; i < TL_PFILE_SHARES; i++) {
		const struct share *s = &t->shares[i];

		if (s->begin == s->end)
			continue;
		if (s->first < last)
			return false;
		last = s->last;
		rows += s->rows;
	}
	return rows == tl_pfile_row_count(t->r->reader, TL_PFILE_ARCS);
}

static int read_calls(struct table *t)
{
	struct tl_profile *p = t->r->profile;
	uint64_t cut = 0;
	int status = tl_pool_run(t->r->options.jobs, TL_PFILE_SHARES, read_calls_of, t);

	if (status == 0 && !are_sorted(t))
		status = NOT_A_TABLE;
	for (size_t i = 0; status == 0 && i < t->count; i++)
		tl_add_count(&p->sums.calls[t->calls[i].callee], t->counts[i], &cut);
	return status == 0 && cut ? NOT_A_TABLE : status;
}

/* What a share has of its first caller, to the sums of all. */
static void add_edge(struct table *t, struct share *s)
{
	uint32_t caller;

	if (s->begin == s->end || s->first == TL_NONE)
		return;
	caller = t->calls[s->begin].caller;
	add_row(t, inclusive_of(t, caller), s->edge, &s->cut);
	if (t->cycles.member[caller] != TL_NONE)
		add_row(t, inside_of(t, caller), s->edge + t->events, &s->cut);
}

static int read_costs(struct table *t)
{
	int status = tl_pool_run(t->r->options.jobs, TL_PFILE_SHARES, read_costs_of, t);

	for (size_t i = 0; status == 0 && i < TL_PFILE_SHARES; i++) {
		add_edge(t, &t->shares[i]);
		if (t->shares[i].cut)
			status = NOT_A_TABLE;
	}
	return status;
}

/* ---- the whole ---- */

static bool make_shares(struct table *t)
{
	const struct tl_pfile_reader *reader = t->r->reader;
	const uint32_t fields = tl_pfile_fields(TL_PFILE_ARC_SUMS, t->events);

	for (size_t i = 0; i < TL_PFILE_SHARES; i++) {
		struct share *s = &t->shares[i];

		s->table = t;
		s->reader = tl_pfile_section_share(reader, TL_PFILE_ARC_SUMS, i, TL_PFILE_SHARES);
		s->begin = t->count;
		t->count += tl_pfile_row_count(&s->reader, TL_PFILE_ARC_SUMS);
		s->end = t->count;
		s->row = malloc(fields * sizeof(*s->row));
		s->edge = tl_zeroed((size_t)t->events * 2, sizeof(*s->edge));
		if (!s->row || !s->edge)
			return false;
	}
	t->calls = malloc((t->count + 1) * sizeof(*t->calls));
	t->counts = malloc((t->count + 1) * sizeof(*t->counts));
	if (t->count <= KEPT / t->events)
		t->kept = tl_zeroed(t->count * t->events, sizeof(*t->kept));
	return t->calls && t->counts;
}

static void free_table(struct table *t)
{
	for (size_t i = 0; i < TL_PFILE_SHARES; i++) {
		tl_pfile_share_end(&t->shares[i].reader);
		free(t->shares[i].row);
		free(t->shares[i].edge);
	}
	free(t->calls);
	free(t->counts);
	free(t->kept);
	free(t->inside);
	tl_cycles_free(&t->cycles);
	free(t);
}

static int find_cycles(struct table *t)
{
	if (!tl_cycles_of_calls(&t->cycles, t->r->profile->functions.table.count, t->calls,
				t->count))
		return TL_NO_MEMORY;
	t->inside = tl_zeroed((size_t)t->cycles.members * t->events, sizeof(*t->inside));
	return t->inside ? 0 : TL_NO_MEMORY;
}

/* Calls inside the cycles. */
static int settle(struct table *t)
{
	const struct tl_cycle_sums sums = {
		.functions = t->r->profile->functions.table.count,
		.events = t->events,
		.inclusive = inclusive_of(t, 0),
		.stride = t->events,
		.inside = t->inside,
	};
	uint64_t cut = 0;

	if (!tl_cycles_settle(&t->cycles, &sums, &cut))
		return TL_NO_MEMORY;
	return cut ? NOT_A_TABLE : 0;
}

static int read_table(struct table *t)
{
	struct tl_profile *p = t->r->profile;
	int status;

	if (!make_shares(t) || !tl_profile_given_room(p))
		return TL_NO_MEMORY;
	status = read_lines(t);
	if (status == 0)
		status = read_calls(t);
	if (status == 0)
		status = find_cycles(t);
	if (status == 0)
		status = read_costs(t);
	return status == 0 ? settle(t) : status;
}

/* Sums of a file without damage, which has them where it has what they sum. */
static bool has_sums(const struct tl_pfile_reading *r)
{
	const struct tl_pfile_reader *reader = r->reader;
	const size_t functions = r->profile->functions.table.count;

	return !reader->fault_count && functions && !r->options.per_part &&
	       tl_pfile_has(reader, TL_PFILE_LINE_SUMS) &&
	       tl_pfile_has(reader, TL_PFILE_ARC_SUMS) == tl_pfile_has(reader, TL_PFILE_ARCS) &&
	       tl_pfile_is_likely(r, tl_pfile_row_count(reader, TL_PFILE_ARC_SUMS),
				  sizeof(struct tl_caller_callee) + sizeof(uint64_t));
}

int tl_pfile_read_table(struct tl_pfile_reading *r)
{
	struct table *t;
	int status;

	if (!has_sums(r))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return tl_error_memory(r->err);
	t->r = r;
	t->events = r->profile->event_count;
	status = read_table(t);
	free_table(t);
	if (status == 0) {
		r->reader->read[TL_PFILE_LINE_SUMS] = r->reader->read[TL_PFILE_ARC_SUMS] = true;
		return 1;
	}
	tl_profile_forget_given(r->profile);
	return status == TL_NO_MEMORY ? tl_error_memory(r->err) : 0;
}
