/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/spans.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"

void tl_foreign_spans_free(struct tl_foreign_spans *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->threads[i].spans);
		free(s->threads[i].payloads);
	}
	free(s->threads);
	free(s->arguments);
	free(s->open_count);
	tl_index_free(&s->index);
	*s = (struct tl_foreign_spans){ .threads = NULL };
}

static bool is_thread(const struct tl_foreign_thread *t, int64_t process, int64_t thread)
{
	return t->process == process && t->thread == thread;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_foreign_thread *threads = context, *wanted = key;

	return is_thread(&threads[number], wanted->process, wanted->thread);
}

static uint64_t hash_of(int64_t process, int64_t thread)
{
	return tl_hash_pair((uint64_t)process, (uint64_t)thread);
}

uint32_t tl_foreign_spans_find(const struct tl_foreign_spans *s, int64_t process, int64_t thread)
{
	const struct tl_foreign_thread key = { .process = process, .thread = thread };

	return tl_index_find(&s->index, hash_of(process, thread), same_thread, s->threads, &key);
}

uint32_t tl_foreign_spans_thread(struct tl_foreign_spans *s, int64_t process, int64_t thread)
{
	uint32_t number;

	if (s->count && is_thread(&s->threads[s->last], process, thread))
		return s->last;
	number = tl_foreign_spans_find(s, process, thread);
	if (number == TL_NONE) {
		number = (uint32_t)s->count;
		if (!tl_grow(&s->threads, &s->capacity, s->count + 1, sizeof(*s->threads)) ||
		    !tl_index_add(&s->index, hash_of(process, thread), number))
			return TL_NONE;
		s->threads[s->count++] =
			(struct tl_foreign_thread){ .process = process, .thread = thread };
	}
	s->last = number;
	return number;
}

/* ---- order ---- */

/* The longest first; begins, ends and what has no duration before all, in the input's order. */
static inline uint64_t rank_of(const struct tl_foreign_span *s)
{
	return s->duration >= TL_FOREIGN_INSTANT || !s->duration ? UINT64_MAX : s->duration;
}

static int compare_spans(const void *left, const void *right)
{
	const struct tl_foreign_span *a = left, *b = right;

	if (a->ticks != b->ticks)
		return tl_compare(a->ticks, b->ticks);
	if (rank_of(a) != rank_of(b))
		return tl_compare(rank_of(b), rank_of(a));
	return tl_compare(a->order, b->order);
}

bool tl_foreign_spans_add(struct tl_foreign_thread *t, int64_t ticks, uint64_t duration,
			  uint32_t frame)
{
	struct tl_foreign_span span = { ticks, duration, frame, (uint32_t)t->count };

	if (t->count >= TL_NONE || !tl_grow(&t->spans, &t->capacity, t->count + 1, sizeof(span)))
		return false;
	if (t->count && compare_spans(&t->spans[t->count - 1], &span) > 0)
		t->unordered = true;
	t->spans[t->count++] = span;
	return true;
}

/* ---- steps ---- */

/* Ends of one time that are looked at to find that of the innermost call. */
enum { MOST_ENDS = 64 };

struct open_call {
	int64_t limit; /* when it ends at the latest */
	uint32_t frame, order;
	bool is_begin, is_cut; /* cut: the end of an outer call is its limit */
};

struct walk {
	struct tl_foreign_spans *spans;
	const struct tl_foreign_visitor *visitor;
	struct tl_foreign_walk *met;
	struct open_call *open;
	size_t depth, capacity;
	size_t begins; /* of the open calls */
};

static void close_top(struct walk *w, int64_t ticks, bool cut)
{
	const struct open_call *top = &w->open[--w->depth];

	if (top->is_begin)
		w->spans->open_count[top->frame]--, w->begins--;
	if (cut)
		++*(top->is_begin ? &w->met->cut : &w->met->overlaps);
	w->visitor->leave(w->visitor->arg, ticks, cut);
}

/*
 * End what ends at a time, or before. Calls that end at that time and come behind `order` in the
 * input stay: who writes calls when they end writes the inner ones first.
 */
static void advance(struct walk *w, int64_t ticks, uint32_t order)
{
	while (w->depth) {
		const struct open_call *top = &w->open[w->depth - 1];

		if (top->limit > ticks || (top->limit == ticks && top->order > order))
			break;
		close_top(w, top->limit, top->is_cut);
	}
}

static int64_t end_of(const struct tl_foreign_span *span)
{
	int64_t end;

	if (span->duration == TL_FOREIGN_BEGIN || span->duration > INT64_MAX ||
	    __builtin_add_overflow(span->ticks, (int64_t)span->duration, &end))
		return INT64_MAX;
	return end;
}

/* Room for the count of a frame, and one more. */
static bool count_begin(struct walk *w, uint32_t frame)
{
	struct tl_foreign_spans *s = w->spans;
	const size_t before = s->open_capacity;

	if (frame >= before) {
		if (!tl_grow(&s->open_count, &s->open_capacity, (size_t)frame + 1,
			     sizeof(*s->open_count)))
			return false;
		memset(s->open_count + before, 0,
		       (s->open_capacity - before) * sizeof(*s->open_count));
	}
	s->open_count[frame]++;
	w->begins++;
	return true;
}

static bool is_open(const struct walk *w, uint32_t frame)
{
	if (frame == TL_NONE)
		return w->begins;
	return frame < w->spans->open_capacity && w->spans->open_count[frame];
}

static bool open_call(struct walk *w, const struct tl_foreign_span *span)
{
	struct open_call call = { .limit = end_of(span),
				  .frame = span->frame,
				  .order = span->order,
				  .is_begin = span->duration == TL_FOREIGN_BEGIN };

	if (!tl_grow(&w->open, &w->capacity, w->depth + 1, sizeof(call)))
		return false;
	if (call.is_begin && !count_begin(w, span->frame))
		return false;
	if (w->depth && w->open[w->depth - 1].limit < call.limit) {
		/* A tick more may come of a sum of floating-point numbers. */
		call.is_cut = w->open[w->depth - 1].limit + 1 < call.limit;
		call.limit = w->open[w->depth - 1].limit;
	}
	w->open[w->depth++] = call;
	w->visitor->enter(w->visitor->arg, span->ticks, span->frame);
	return true;
}

/*
 * Ends of one time may come in any order: where a later one of them is of the innermost call, it is
 * taken first. They exchange their frames, so that the next walk finds them so.
 */
static void take_own_end(const struct walk *w, struct tl_foreign_span *span,
			 const struct tl_foreign_span *end)
{
	const struct open_call *top;
	struct tl_foreign_span *other = span;

	if (!w->depth || span->frame == TL_NONE || !is_open(w, span->frame))
		return;
	top = &w->open[w->depth - 1];
	if (!top->is_begin || top->frame == span->frame)
		return;
	if (end - span > MOST_ENDS)
		end = span + MOST_ENDS;
	while (++other < end && other->ticks == span->ticks && other->duration == TL_FOREIGN_END)
		if (other->frame == top->frame) {
			other->frame = span->frame;
			span->frame = top->frame;
			return;
		}
}

static void end_call(struct walk *w, const struct tl_foreign_span *span)
{
	size_t at = w->depth;

	if (!is_open(w, span->frame)) {
		w->met->orphans++;
		if (w->visitor->orphan)
			w->visitor->orphan(w->visitor->arg, span->ticks);
		return;
	}
	while (!(w->open[at - 1].is_begin &&
		 (span->frame == TL_NONE || w->open[at - 1].frame == span->frame)))
		at--;
	while (w->depth > at)
		close_top(w, span->ticks, true);
	close_top(w, span->ticks, false);
}

/* `end` is that of the thread's spans. */
static bool take_span(struct walk *w, struct tl_foreign_span *span,
		      const struct tl_foreign_span *end)
{
	advance(w, span->ticks, span->duration ? TL_NONE : span->order);
	if (span->duration == TL_FOREIGN_INSTANT) {
		if (w->visitor->instant)
			w->visitor->instant(w->visitor->arg, span->ticks, span->frame, span->order);
	} else if (span->duration == TL_FOREIGN_END) {
		take_own_end(w, span, end);
		end_call(w, span);
	} else {
		return open_call(w, span);
	}
	return true;
}

/* The counts of what stays open are taken back, for the next walk. */
static void forget_open(struct walk *w)
{
	for (size_t i = 0; i < w->depth; i++)
		if (w->open[i].is_begin)
			w->spans->open_count[w->open[i].frame] = 0;
	free(w->open);
}

bool tl_foreign_walk(struct tl_foreign_spans *spans, uint32_t thread,
		     const struct tl_foreign_visitor *visitor, struct tl_foreign_walk *met)
{
	struct tl_foreign_thread *t = &spans->threads[thread];
	struct walk w = { .spans = spans, .visitor = visitor, .met = met };
	bool whole = true;

	if (t->unordered)
		qsort(t->spans, t->count, sizeof(*t->spans), compare_spans);
	t->unordered = false;
	for (size_t i = 0; whole && i < t->count; i++)
		whole = take_span(&w, &t->spans[i], t->spans + t->count);
	advance(&w, INT64_MAX - 1, TL_NONE);
	met->open += w.depth;
	forget_open(&w);
	return whole;
}
