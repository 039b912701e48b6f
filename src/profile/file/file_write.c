/* SPDX-License-Identifier: Apache-2.0 */
/* A profile to a file: each section in the order of canon.h. */
#include "profile/file/file_write.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/canon/canon.h"
#include "profile/canon/distinct.h"

struct writing {
	struct tl_pfile_writer *writer;
	const struct tl_profile *profile;
	struct tl_pfile_packed *packed; /* with its lines, arcs and jumps; NULL: they are its own */
	struct tl_pfile_canon canon;
	uint64_t *row; /* room for what is said once */
	unsigned jobs;
	bool as_sum; /* only if the profile is its own sum, and without the order it has */
};

/* ---- what is said once ---- */

void tl_pfile_put_losses(uint64_t *row, const struct tl_losses *losses)
{
	const uint64_t all[TL_PFILE_LOSSES] = {
		losses->orphan_exits,    losses->deduced_exits, losses->unfinished,
		losses->time_reversals,  losses->gaps,          losses->skipped_bytes,
		losses->skipped_records, losses->saturated,     losses->left_calls,
		losses->gap_ends,        losses->bridged,       losses->uncertain,
	};

	memcpy(row, all, sizeof(all));
}

static void write_strings(struct writing *w)
{
	const struct tl_pfile_texts *texts = &w->canon.texts;

	tl_pfile_begin(w->writer, TL_PFILE_STRINGS);
	for (uint32_t i = 0; i < texts->sorted_count; i++) {
		const char *text = texts->list[texts->sorted[i]];

		tl_pfile_write_string(w->writer, text, strlen(text));
	}
}

static void write_head(struct tl_pfile_writer *writer, const struct tl_profile *p,
		       struct tl_pfile_texts *texts, uint64_t *row)
{
	tl_pfile_begin(writer, TL_PFILE_HEAD);
	row[TL_PFILE_HEAD_FREQUENCY] = p->frequency;
	row[TL_PFILE_HEAD_FLAGS] =
		(p->timed ? TL_PFILE_TIMED : 0u) | (p->estimated ? TL_PFILE_ESTIMATED : 0u) |
		(p->emulated ? TL_PFILE_EMULATED : 0u) | (p->durations.exact ? TL_PFILE_EXACT : 0u);
	row[TL_PFILE_HEAD_CALL_COUNT] = p->call_count;
	row[TL_PFILE_HEAD_FORMAT] = tl_pfile_text_rank(texts, tl_profile_format(p));
	tl_pfile_put_losses(row + TL_PFILE_HEAD_LOSSES, &p->losses);
	tl_pfile_write_row(writer, row);
}

static void write_events(struct tl_pfile_writer *writer, const struct tl_profile *p,
			 struct tl_pfile_texts *texts, uint64_t *row)
{
	tl_pfile_begin(writer, TL_PFILE_EVENTS);
	for (uint32_t i = 0; i < p->event_count; i++) {
		const struct tl_event *e = &p->events[i];

		row[0] = tl_pfile_text_rank(texts, e->name);
		row[1] = tl_pfile_text_rank(texts, e->long_name);
		row[2] = tl_pfile_text_rank(texts, e->unit);
		row[3] = tl_pfile_text_rank(texts, e->formula);
		tl_pfile_write_row(writer, row);
	}
}

static void write_notes(struct tl_pfile_writer *writer, const struct tl_profile *p,
			struct tl_pfile_texts *texts, uint64_t *row)
{
	tl_pfile_begin(writer, TL_PFILE_NOTES);
	for (size_t i = 0; i < p->notes.count; i++) {
		const struct tl_profile_note *n = &p->notes.list[i];

		row[0] = (uint64_t)-(int64_t)n->status;
		row[1] = n->offset;
		row[2] = n->length;
		row[3] = n->record;
		row[4] = tl_pfile_text_rank(texts, n->text);
		row[5] = tl_pfile_text_rank(texts, n->format);
		tl_pfile_write_row(writer, row);
	}
}

void tl_pfile_write_said(struct tl_pfile_writer *writer, const struct tl_profile *profile,
			 struct tl_pfile_texts *texts, uint64_t *row)
{
	write_head(writer, profile, texts, row);
	write_events(writer, profile, texts, row);
	write_notes(writer, profile, texts, row);
}

/* ---- elements ---- */

/* Make the row of an element. Called by several threads. */
typedef void element_row_fn(const struct writing *w, uint32_t number, uint64_t *row);

static void function_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	tl_pfile_function_key(&w->canon, number, row);
}

static void part_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	const struct tl_part *p = &w->profile->parts.list[number];

	tl_pfile_part_key(&w->canon, number, row);
	row[5] = p->first_ticks;
	row[6] = p->last_ticks;
	row[7] = p->records;
	tl_pfile_put_losses(row + 8, &p->losses);
}

static void put_costs(const struct writing *w, uint64_t *to, const int64_t *costs)
{
	memcpy(to, costs, w->profile->event_count * sizeof(*costs));
}

static void context_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	const struct tl_context *c = &w->profile->contexts.list[number];

	row[0] = c->parent == TL_NONE ? 0 : (uint64_t)w->canon.contexts.place[c->parent] + 1;
	row[1] = tl_pfile_place(&w->canon.parts, c->part);
	row[2] = tl_pfile_place(&w->canon.functions, c->function);
	row[3] = c->calls;
	row[4] = c->unfinished;
	row[5] = c->cut;
	put_costs(w, row + 6, tl_profile_context_self(w->profile, number));
}

static void line_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	tl_pfile_line_key(&w->canon, number, row);
	put_costs(w, row + TL_PFILE_LINE_KEYS, tl_profile_line_cost(w->profile, number));
}

static void arc_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	tl_pfile_arc_key(&w->canon, number, row);
	row[TL_PFILE_ARC_KEYS] = w->profile->arcs.list[number].calls;
	put_costs(w, row + TL_PFILE_ARC_KEYS + 1, tl_profile_arc_cost(w->profile, number));
}

static void jump_row(const struct writing *w, uint32_t number, uint64_t *row)
{
	tl_pfile_jump_key(&w->canon, number, row);
	row[TL_PFILE_JUMP_KEYS] = w->profile->jumps.list[number].executed;
	row[TL_PFILE_JUMP_KEYS + 1] = w->profile->jumps.list[number].taken;
}

/* With their costs. */
static void fetch_line(const struct tl_profile *profile, uint32_t number)
{
	tl_pfile_fetch_line(profile, number);
	tl_pfile_fetch(tl_profile_line_cost(profile, number),
		       profile->event_count * sizeof(int64_t));
}

static void fetch_arc(const struct tl_profile *profile, uint32_t number)
{
	tl_pfile_fetch_arc(profile, number);
	tl_pfile_fetch(tl_profile_arc_cost(profile, number),
		       profile->event_count * sizeof(int64_t));
}

/* A kind of elements, which is a section. */
struct element_rows {
	const struct writing *w;
	enum tl_pfile_section section;
	const struct tl_pfile_order *order;
	element_row_fn *row;
	tl_pfile_fetch_fn *fetch; /* NULL: none is needed */
	uint32_t fields;
};

static uint32_t make_element(const void *arg, size_t number, uint64_t *row, const uint8_t **costs)
{
	const struct element_rows *kind = arg;

	(void)costs;
	if (kind->fetch && number + TL_PFILE_AHEAD < kind->order->count)
		kind->fetch(kind->w->profile, kind->order->order[number + TL_PFILE_AHEAD]);
	kind->row(kind->w, kind->order->order[number], row);
	return kind->fields;
}

static bool write_elements(struct writing *w)
{
	const uint32_t events = w->profile->event_count;
	const struct element_rows kinds[] = {
		{ w, TL_PFILE_FUNCTIONS, &w->canon.functions, function_row, NULL,
		  tl_pfile_fields(TL_PFILE_FUNCTIONS, events) },
		{ w, TL_PFILE_PARTS, &w->canon.parts, part_row, NULL,
		  tl_pfile_fields(TL_PFILE_PARTS, events) },
		{ w, TL_PFILE_CONTEXTS, &w->canon.contexts, context_row, NULL,
		  tl_pfile_fields(TL_PFILE_CONTEXTS, events) },
		{ w, TL_PFILE_LINES, &w->canon.lines, line_row, fetch_line,
		  tl_pfile_fields(TL_PFILE_LINES, events) },
		{ w, TL_PFILE_ARCS, &w->canon.arcs, arc_row, fetch_arc,
		  tl_pfile_fields(TL_PFILE_ARCS, events) },
		{ w, TL_PFILE_JUMPS, &w->canon.jumps, jump_row, NULL,
		  tl_pfile_fields(TL_PFILE_JUMPS, events) },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		tl_pfile_begin(w->writer, kinds[k].section);
		tl_pfile_write_rows(w->writer, kinds[k].order->count, make_element, &kinds[k],
				    w->jobs);
		if (w->packed && kinds[k].section >= TL_PFILE_LINES &&
		    !tl_pfile_packed_write(w->packed, kinds[k].section, w->writer, w->jobs))
			return false;
	}
	return true;
}

/* ---- durations ---- */

void tl_pfile_write_durations(struct tl_pfile_writer *writer,
			      const struct tl_pfile_durations *durations)
{
	const struct tl_latencies *l = durations->latencies;
	const uint64_t row[] = {
		durations->function, durations->part,    l->calls, l->sum, l->min, l->max,
		l->saturated,        l->octaves != NULL,
	};

	tl_pfile_write_row(writer, row);
}

static void write_sample(struct tl_pfile_writer *writer, const struct tl_pfile_durations *durations,
			 uint64_t ticks, uint64_t calls)
{
	const uint64_t row[] = { durations->function, durations->part, ticks, calls };

	tl_pfile_write_row(writer, row);
}

/* The least duration of a bucket stands for it. */
static void write_octave(struct tl_pfile_writer *writer, const struct tl_pfile_durations *durations,
			 unsigned octave)
{
	enum { BUCKETS = 1 << TL_LATENCY_SUB_BITS };
	const uint64_t *counts = durations->latencies->octaves[octave];
	unsigned shift = tl_latency_shift(octave);

	for (uint64_t b = 0; counts && b < BUCKETS; b++)
		if (counts[b])
			write_sample(writer, durations, ((octave ? BUCKETS : 0) + b) << shift,
				     counts[b]);
}

void tl_pfile_write_samples(struct tl_pfile_writer *writer,
			    const struct tl_pfile_durations *durations)
{
	const struct tl_latencies *l = durations->latencies;

	for (unsigned octave = 0; l->octaves && octave < TL_LATENCY_OCTAVES; octave++)
		write_octave(writer, durations, octave);
	for (size_t i = 0, next; i < l->sample_count; i = next) {
		for (next = i + 1; next < l->sample_count && l->samples[next] == l->samples[i];
		     next++)
			;
		write_sample(writer, durations, l->samples[i], next - i);
	}
}

static int compare_durations(const void *a, const void *b)
{
	const struct tl_pfile_durations *x = a, *y = b;

	if (x->function != y->function)
		return tl_compare(x->function, y->function);
	return tl_compare(x->part, y->part);
}

static size_t list_durations(const struct writing *w, struct tl_pfile_durations *list)
{
	const struct tl_profile *p = w->profile;
	size_t count = 0;

	for (uint32_t f = 0; f < p->functions.table.count && f < p->durations.capacity; f++)
		if (p->durations.list[f].calls)
			list[count++] =
				(struct tl_pfile_durations){ w->canon.functions.place[f], TL_NONE,
							     &p->durations.list[f] };
	for (size_t i = 0; i < p->part_functions.table.count; i++) {
		const struct tl_part_function *local = &p->part_functions.list[i];

		if (local->latency.calls && local->part < p->parts.count)
			list[count++] = (struct tl_pfile_durations){
				w->canon.functions.place[local->function],
				w->canon.parts.place[local->part], &local->latency
			};
	}
	return count;
}

static bool write_all_durations(struct writing *w)
{
	size_t most = w->profile->functions.table.count + w->profile->part_functions.table.count;
	struct tl_pfile_durations *list = malloc((most + 1) * sizeof(*list));
	size_t count;

	if (!list)
		return false;
	count = list_durations(w, list);
	if (count)
		qsort(list, count, sizeof(*list), compare_durations);
	tl_pfile_begin(w->writer, TL_PFILE_DURATIONS);
	for (size_t i = 0; i < count; i++)
		tl_pfile_write_durations(w->writer, &list[i]);
	tl_pfile_begin(w->writer, TL_PFILE_SAMPLES);
	for (size_t i = 0; i < count; i++)
		tl_pfile_write_samples(w->writer, &list[i]);
	free(list);
	return true;
}

/* ---- the numbers before ---- */

/* Reports and exports show some elements in the order of their numbers. */
static void write_orders(struct writing *w)
{
	const struct tl_pfile_order *const orders[] = {
		&w->canon.functions, &w->canon.parts, &w->canon.contexts,
		&w->canon.lines,     &w->canon.arcs,  &w->canon.jumps,
	};

	for (size_t k = 0; k < sizeof(orders) / sizeof(orders[0]); k++) {
		if (tl_pfile_order_is_plain(orders[k]))
			continue;
		tl_pfile_begin(w->writer, TL_PFILE_FUNCTION_ORDER + (enum tl_pfile_section)k);
		tl_pfile_write_order(w->writer, orders[k]->order, orders[k]->count, w->jobs);
	}
}

/* Of write_all(): nothing was written, since some elements are to be added up before. */
enum { NOT_DISTINCT = 1 };

static int write_all(struct writing *w, struct tl_output *out, struct tl_error *err)
{
	int status;

	if ((w->packed && !tl_pfile_packed_texts(w->packed, &w->canon.texts)) ||
	    !tl_pfile_canon_make(&w->canon, w->profile, w->jobs) ||
	    (w->packed && !tl_pfile_packed_begin(w->packed, &w->canon)))
		return tl_error_memory(err);
	if (w->as_sum && !tl_pfile_is_distinct(&w->canon))
		return NOT_DISTINCT;
	status = tl_pfile_writer_open(&w->writer, out, w->profile->event_count, err);
	if (status < 0)
		return status;
	write_strings(w);
	tl_pfile_write_said(w->writer, w->profile, &w->canon.texts, w->row);
	if (!write_elements(w) || !write_all_durations(w))
		return tl_error_memory(err);
	if (!w->as_sum)
		write_orders(w);
	return tl_pfile_writer_end(w->writer, err);
}

static int write_profile(struct writing *w, struct tl_output *out, struct tl_error *err)
{
	enum { FIXED = TL_PFILE_LOSSES + 16 };
	int status;

	w->row = calloc(FIXED, sizeof(*w->row));
	status = w->row ? write_all(w, out, err) : tl_error_memory(err);
	tl_pfile_writer_close(w->writer);
	tl_pfile_canon_free(&w->canon);
	free(w->row);
	return status;
}

static int write_packed(struct tl_pfile_packed *packed, const struct tl_profile *to, unsigned jobs,
			struct tl_output *out, struct tl_error *err)
{
	struct writing w = { .profile = to, .packed = packed, .jobs = jobs };

	return write_profile(&w, out, err);
}

/* Of a packed profile. */
static int write_packed_sum(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
			    struct tl_error *err)
{
	struct tl_pfile_packed packed = { .from = profile };
	struct tl_profile *merged;
	int status = tl_merge_packed(&merged, profile, &packed.map, err);

	if (status == 0)
		status = write_packed(&packed, merged, jobs, out, err);
	tl_pfile_packed_free(&packed);
	tl_profile_free(merged);
	return status;
}

static int write_merged(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
			struct tl_error *err)
{
	struct writing w = { .jobs = jobs };
	struct tl_profile *merged;
	int status = tl_profile_merge(&merged, &profile, 1, err);

	w.profile = merged;
	if (status == 0)
		status = write_profile(&w, out, err);
	tl_profile_free(merged);
	return status;
}

/* Whether a merge of the profile alone leaves all but its elements as it is (profile/merge). */
static bool is_sum_of_itself(const struct tl_profile *profile)
{
	return profile->finished && profile->notes.count < 2 &&
	       (profile->contexts.table.count || !profile->part_functions.table.count);
}

int tl_pfile_write_merged(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
			  struct tl_error *err)
{
	struct tl_profile sum = *profile;
	struct writing w = { .profile = &sum, .jobs = jobs, .as_sum = true };
	int status = NOT_DISTINCT;

	if (profile->pack)
		return write_packed_sum(profile, jobs, out, err);
	/* What has no durations has all of them. */
	sum.durations.exact = sum.durations.exact || !sum.durations.capacity;
	if (is_sum_of_itself(profile))
		status = write_profile(&w, out, err);
	return status == NOT_DISTINCT ? write_merged(profile, jobs, out, err) : status;
}

/* Each element as itself. */
static int write_as_it_is(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
			  struct tl_error *err)
{
	struct tl_pfile_packed packed = { .from = profile, .ordered = true };
	int status = tl_error_memory(err);

	if (tl_pfile_packed_map(&packed))
		status = write_packed(&packed, profile, jobs, out, err);
	tl_pfile_packed_free(&packed);
	return status;
}

int tl_pfile_write(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
		   struct tl_error *err)
{
	struct writing w = { .profile = profile, .jobs = jobs };

	if (!profile->finished)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a profile that is written must be finished");
	if (!profile->pack)
		return write_profile(&w, out, err);
	return profile->pack->of_merge ? tl_pfile_write_merged(profile, jobs, out, err)
				       : write_as_it_is(profile, jobs, out, err);
}
