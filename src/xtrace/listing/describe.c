/* SPDX-License-Identifier: Apache-2.0 */
/* Names, headers and layouts of a trace, and all that one walk can count. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/facts.h"
#include "core/memory.h"
#include "xtrace/parts/lanes.h"
#include "xtrace/state/pages.h"
#include "xtrace/listing/describe.h"

/* By token byte, which has the kind, the exception level and the size of an access. */
struct counts {
	uint64_t tokens[256];
	uint64_t distinct_pcs;
};

/* Counting one stream on several threads. */
struct counting {
	pthread_mutex_t lock;
	struct counts sum;
	const struct tl_xtrace_tokens *tokens;
	bool exact;
	struct tl_xtrace_pages pcs; /* exact: a bit for each instruction's place */
};

/* ---- counting ---- */

/*
 * So many tokens of each lane at once. Tokens whose size is not known from their byte stop a lane:
 * it counts them again and again, which goes into the counts of those bytes only.
 */
enum { ROUNDS = 256 };

static inline __attribute__((always_inline)) void
count_rounds(struct tl_xtrace_walk *const *walks, unsigned lanes, size_t rounds,
	     uint64_t counts[TL_XTRACE_LANES][256])
{
	const uint16_t *sizes = walks[0]->tokens->size;
	const uint8_t *p[TL_XTRACE_LANES];

	for (unsigned i = 0; i < lanes; i++)
		p[i] = walks[i]->next;
	for (; rounds; rounds--)
		for (unsigned i = 0; i < lanes; i++) {
			uint8_t byte = *p[i];

			counts[i][byte]++;
			p[i] += sizes[byte];
		}
	for (unsigned i = 0; i < lanes; i++)
		walks[i]->next = p[i];
}

/*
 * How many tokens there are at least up to where tl_xtrace_walk_next() has to be asked; it is where
 * that is here. 0: the walk has ended.
 */
static size_t rounds_of(struct tl_xtrace_walk *w, size_t longest, uint64_t rare[256])
{
	while ((size_t)(w->stop - w->next) <= longest || !w->tokens->size[*w->next]) {
		if (tl_xtrace_walk_next(w) == TL_XTRACE_NONE)
			return 0;
		rare[*w->token]++;
	}
	return (size_t)(w->stop - w->next) / longest;
}

static size_t longest_token(const struct tl_xtrace_tokens *tokens)
{
	size_t longest = 1;

	for (size_t i = 0; i < 256; i++)
		longest = tl_max(longest, (size_t)tokens->size[i]);
	return longest;
}

/* So many as all lanes have; those that have ended are dropped. */
static size_t rounds_of_all(struct tl_xtrace_lanes *lanes, size_t longest, uint64_t rare[256])
{
	size_t rounds = ROUNDS;

	for (unsigned i = 0; i < lanes->count;) {
		size_t most = rounds_of(lanes->walks[i], longest, rare);

		if (most) {
			rounds = tl_min(rounds, most);
			i++;
		} else {
			tl_xtrace_lanes_drop(lanes, i);
		}
	}
	return rounds;
}

/*
 * The same as one walk after the other, each
 *
 *	while (tl_xtrace_walk_next(&w) != TL_XTRACE_NONE)
 *		tokens[*w.token]++;
 */
static void count_lanes(void *arg, struct tl_xtrace_lanes *lanes)
{
	struct counting *counting = arg;
	const struct tl_xtrace_tokens *tokens = counting->tokens;
	const size_t longest = longest_token(tokens);
	uint64_t counts[TL_XTRACE_LANES][256] = { { 0 } }, rare[256] = { 0 };

	while (tl_xtrace_lanes_fill(lanes)) {
		size_t rounds = rounds_of_all(lanes, longest, rare);

		if (lanes->count == TL_XTRACE_LANES)
			count_rounds(lanes->walks, TL_XTRACE_LANES, rounds, counts);
		else if (lanes->count == 3)
			count_rounds(lanes->walks, 3, rounds, counts);
		else if (lanes->count == 2)
			count_rounds(lanes->walks, 2, rounds, counts);
		else if (lanes->count)
			count_rounds(lanes->walks, 1, rounds, counts);
	}
	pthread_mutex_lock(&counting->lock);
	for (size_t i = 0; i < 256; i++) {
		counting->sum.tokens[i] += rare[i];
		for (size_t lane = 0; tokens->size[i] && lane < TL_XTRACE_LANES; lane++)
			counting->sum.tokens[i] += counts[lane][i];
	}
	pthread_mutex_unlock(&counting->lock);
}

static void forget_counts(void *arg)
{
	struct counting *counting = arg;

	counting->sum = (struct counts){ .distinct_pcs = 0 };
}

/* Distinct PCs as well: a bit per place of four bytes, in pages of memory that the code covers. */
static int count_segment_exactly(void *arg, struct tl_xtrace_walk *walk, size_t segment,
				 struct tl_error *err)
{
	struct counting *counting = arg;
	enum tl_xtrace_kind kind;

	(void)segment;
	while ((kind = tl_xtrace_walk_next(walk)) != TL_XTRACE_NONE) {
		uint8_t *page;
		uint64_t place;

		counting->sum.tokens[*walk->token]++;
		if (!tl_xtrace_is_instruction(kind))
			continue;
		tl_xtrace_walk_instruction(walk, kind);
		if (!walk->pc_known)
			continue;
		place = walk->pc / 4;
		page = tl_xtrace_pages_get(&counting->pcs, place / (TL_XTRACE_PAGE_BYTES * 8));
		if (!page)
			return tl_error_memory(err);
		page += place / 8 % TL_XTRACE_PAGE_BYTES;
		counting->sum.distinct_pcs += !(*page >> place % 8 & 1);
		*page = (uint8_t)(*page | 1u << place % 8);
	}
	return 0;
}

static uint64_t count_kind(const struct counts *c, const struct tl_xtrace_stream *s,
			   enum tl_xtrace_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 256; i++)
		if (s->tokens.kind[i] == kind)
			sum += c->tokens[i];
	return sum;
}

static uint64_t count_level(const struct counts *c, const struct tl_xtrace_stream *s, unsigned el)
{
	uint64_t sum = 0;

	for (size_t i = el << 6; i < (el + 1) << 6; i++)
		if (tl_xtrace_is_instruction((enum tl_xtrace_kind)s->tokens.kind[i]))
			sum += c->tokens[i];
	return sum;
}

static uint64_t count_bytes(const struct counts *c, const struct tl_xtrace_stream *s,
			    enum tl_xtrace_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 256; i++)
		if (s->tokens.kind[i] == kind)
			sum += c->tokens[i] * tl_xtrace_access_size((uint8_t)i);
	return sum;
}

/* ---- facts ---- */

static const char *named(const char *const *names, size_t count, uint8_t value)
{
	return value < count ? names[value] : "other";
}

static void header_facts(struct tl_facts *facts, const struct tl_xtrace_stream_info *info)
{
	static const char *const divisions[] = { "user instructions", "all instructions" };
	static const char *const types[] = { "thread", "core" };

	tl_fact_bool(facts, "header", info->has_header);
	if (!info->has_header)
		return;
	tl_fact_u64(facts, "version", info->version);
	tl_fact_u64(facts, "magic", info->magic);
	tl_fact_u64(facts, "global_snapshot", info->global_snapshot);
	tl_fact_u64(facts, "division", info->division);
	tl_fact_text(facts, "divided_by", named(divisions, 2, info->division));
	tl_fact_u64(facts, "stream_type", info->stream_type);
	tl_fact_text(facts, "stream_of", named(types, 2, info->stream_type));
	tl_fact_u64(facts, "access_order", info->access_order);
}

static void snapshot_facts(struct tl_facts *facts, const struct tl_xtrace_trace *trace,
			   uint32_t stream)
{
	const struct tl_xtrace_stream_info *info = &trace->streams[stream].info;
	struct tl_xtrace_snapshot first, last;
	char layout[TL_XTRACE_LAYOUT_TEXT];

	tl_fact_u64(facts, "snapshots", info->snapshots);
	tl_fact_u64(facts, "vector_bits", info->layout->vector_bits);
	tl_xtrace_layout_put(info->layout, layout);
	tl_fact_text(facts, "layout", layout);
	tl_fact_u64(facts, "layouts_that_fit", info->layouts_that_fit);
	if (!info->snapshots)
		return;
	tl_fact_u64(facts, "snapshot_bytes", trace->streams[stream].record.size);
	tl_fact_bool(facts, "snapshots_by_number", info->ordinals);
	tl_xtrace_read_snapshot(trace, stream, 0, &first);
	tl_xtrace_read_snapshot(trace, stream, info->snapshots - 1, &last);
	tl_fact_u64(facts, "first_snapshot_at", first.total);
	tl_fact_u64(facts, "last_snapshot_at", last.total);
	if (info->snapshots > 1)
		tl_fact_u64(facts, "snapshot_interval_user",
			    (last.user - first.user) / (info->snapshots - 1));
}

static void count_facts(struct tl_facts *facts, const struct tl_xtrace_stream *s,
			const struct counting *counting)
{
	static const char *const levels[] = { "el0", "el1", "el2", "el3" };
	const struct counts *c = &counting->sum;
	uint64_t pcinst = count_kind(c, s, TL_XTRACE_PCINST);
	uint64_t instructions = count_kind(c, s, TL_XTRACE_INST) + pcinst, tokens = 0;

	tl_fact_u64(facts, "instructions", instructions);
	tl_facts_object(facts, "instructions_by_level");
	for (unsigned el = 0; el < 4; el++)
		tl_fact_u64(facts, levels[el], count_level(c, s, el));
	tl_facts_close(facts);
	if (counting->exact)
		tl_fact_u64(facts, "distinct_pcs", c->distinct_pcs);
	for (size_t i = 0; i < 256; i++)
		tokens += c->tokens[i];
	tl_fact_u64(facts, "tokens", tokens);
	tl_facts_object(facts, "tokens_by_kind");
	for (unsigned kind = TL_XTRACE_INST; kind < TL_XTRACE_KIND_COUNT; kind++) {
		uint64_t count = count_kind(c, s, (enum tl_xtrace_kind)kind);

		if (count)
			tl_fact_u64(facts, tl_xtrace_kind_name((enum tl_xtrace_kind)kind), count);
	}
	tl_facts_close(facts);
	tl_fact_u64(facts, "loaded_bytes", count_bytes(c, s, TL_XTRACE_LOAD));
	tl_fact_u64(facts, "stored_bytes", count_bytes(c, s, TL_XTRACE_STORE));
	if (instructions) {
		tl_fact_double(facts, "bytes_per_instruction",
			       (double)s->size / (double)instructions);
		tl_fact_double(facts, "instructions_per_run",
			       (double)instructions / (double)(pcinst ? pcinst : 1));
	}
}

static void name_facts(struct tl_facts *facts, const struct tl_xtrace_stream *s)
{
	const struct tl_xtrace_stream_info *info = &s->info;

	tl_fact_text(facts, "instruction_stream", info->path ? info->path : "missing");
	tl_fact_text(facts, "snapshot_file", info->snapshot_path ? info->snapshot_path : "missing");
	tl_fact_text(facts, "timestamp", info->timestamp);
	tl_fact_u64(facts, "thread", info->id);
	if (info->hint)
		tl_fact_u64(facts, "hint", info->hint);
	tl_fact_u64(facts, "bytes", info->bytes);
	if (s->source)
		tl_fact_text(facts, "compression", tl_source_compression(s->source));
}

static int describe_stream(struct tl_facts *facts, struct tl_xtrace_trace *trace, uint32_t stream,
			   const struct tl_xtrace_select *select, struct tl_error *err)
{
	static const struct tl_xtrace_lanes_ops ops = { count_lanes, forget_counts };
	struct counting counting = {
		.exact = select->exact,
		.tokens = &trace->streams[stream].tokens,
	};
	int status;

	pthread_mutex_init(&counting.lock, NULL);
	status = select->exact
			 ? tl_xtrace_each_segment(trace, stream, 1, count_segment_exactly,
						  &counting, err)
			 : tl_xtrace_each_lane(trace, stream, select->jobs, &ops, &counting, err);
	if (status == 0) {
		tl_facts_item(facts);
		name_facts(facts, &trace->streams[stream]);
		header_facts(facts, &trace->streams[stream].info);
		snapshot_facts(facts, trace, stream);
		count_facts(facts, &trace->streams[stream], &counting);
		tl_facts_close(facts);
	}
	tl_xtrace_pages_free(&counting.pcs);
	pthread_mutex_destroy(&counting.lock);
	return status;
}

static void damage_facts(struct tl_facts *facts, const struct tl_xtrace_trace *trace)
{
	enum { SHOWN = 10 };

	tl_fact_u64(facts, "damaged_places", trace->faults.count);
	tl_fact_u64(facts, "skipped_bytes", trace->faults.skipped_bytes);
	if (!trace->faults.count)
		return;
	tl_facts_list(facts, "damage");
	for (size_t i = 0; i < trace->faults.listed && i < SHOWN; i++) {
		const struct tl_xtrace_fault *fault = &trace->faults.list[i];

		tl_facts_item(facts);
		tl_fact_text(facts, "file", fault->path);
		if (fault->offset != TL_NOWHERE)
			tl_fact_u64(facts, "offset", fault->offset);
		tl_fact_u64(facts, "length", fault->length);
		tl_fact_text(facts, "text", fault->text);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

int tl_xtrace_describe(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
		       bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_facts facts;
	int status = 0;

	tl_xtrace_rewind(trace);
	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", "xtrace");
	tl_fact_u64(&facts, "streams", trace->stream_count);
	tl_facts_list(&facts, "by_stream");
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
		if (tl_xtrace_selects_stream(select, &trace->streams[i]))
			status = describe_stream(&facts, trace, i, select, err);
	tl_facts_close_list(&facts);
	damage_facts(&facts, trace);
	tl_facts_end(&facts);
	return tl_error_format(err, "xtrace", status);
}
