/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of a thread that do not run: they are parked, and go on later. */
#include "intel_pt/profile/parked_stacks.h"

#include <string.h>

/* ---- callbacks ---- */

/*
 * Frames above `depth` do not run for a while: call `closing` for each, as if they were closed.
 * `parked`: they wait to go on; else they were jumped out of.
 */
static void suspend(struct tl_pt_stack *s, size_t depth, bool parked)
{
	struct tl_fold_frame *top = s->fold.hot.top;

	s->parked.parking = parked;
	for (; s->callbacks.closing && tl_fold_depth(&s->fold) > depth; s->fold.hot.top--)
		s->callbacks.closing(s->callbacks.arg, tl_pt_stack_top(s));
	s->fold.hot.top = top;
	s->parked.parking = false;
}

/* The frames of the present stack run again: call `reopened` for each. */
static void go_on(struct tl_pt_stack *s)
{
	struct tl_fold_frame *top = s->fold.hot.top;

	if (!s->callbacks.reopened)
		return;
	for (s->fold.hot.top = s->fold.frames; s->fold.hot.top < top;) {
		s->fold.hot.top++;
		s->callbacks.reopened(s->callbacks.arg, tl_pt_stack_top(s));
	}
}

/* ---- parking ---- */

/* The parked stack runs, and the one that ran is parked in its place. */
static void swap(struct tl_pt_stack *s, struct tl_pt_parked_stack *a)
{
	struct tl_pt_frames frames = a->frames;

	a->frames = s->frames;
	s->frames = frames;
	tl_fold_stack_swap(&s->fold, &a->fold);
}

static void free_parked(struct tl_pt_parked_stack *a)
{
	tl_fold_stack_free(&a->fold);
	free(a->frames.list);
	free(a->frames.points.list);
}

static bool begin_parked(struct tl_pt_stack *s, struct tl_pt_parked_stack *a, size_t depth)
{
	*a = (struct tl_pt_parked_stack){ .since = ++s->parked.switches,
					  .gate = s->fold.hot.gate,
					  .frames.id = ++s->parked.last_id };
	if (tl_fold_stack_begin(&a->fold) &&
	    tl_grow(&a->frames.list, &a->frames.capacity, depth + 2, sizeof(*a->frames.list))) {
		a->frames.list[0] = (struct tl_pt_frame){ .call = TL_NONE };
		return true;
	}
	free_parked(a);
	s->fold.no_memory = true;
	return false;
}

/*
 * The parked stack does not go on any more. Frames that were jumped out of ended when that
 * happened; those of other stacks are unfinished calls.
 */
static void end_parked(struct tl_pt_stack *s, struct tl_pt_parked_stack *a)
{
	const uint32_t gate = s->fold.hot.gate;

	swap(s, a);
	s->fold.hot.gate = a->gate;
	while (a->left && tl_fold_depth(&s->fold)) {
		const struct tl_pt_frame *top = tl_pt_stack_top(s);

		s->fold.losses.deduced_exits += !(top->flags & TL_PT_FRAME_UNSEEN);
		tl_pt_frame_close(s, top);
	}
	tl_fold_end_frames(&s->fold);
	s->fold.hot.gate = gate;
	swap(s, a);
	free_parked(a);
}

static void remove_parked(struct tl_pt_stack *s, size_t number)
{
	s->parked.list[number] = s->parked.list[--s->parked.count];
}

static size_t oldest(const struct tl_pt_stack *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->parked.count; i++)
		if (s->parked.list[i].since < s->parked.list[first].since)
			first = i;
	return first;
}

/* Make room for one more parked stack. */
static bool make_room(struct tl_pt_stack *s)
{
	if (s->parked.count == TL_PT_PARKED_MAX) {
		size_t first = oldest(s);

		end_parked(s, &s->parked.list[first]);
		remove_parked(s, first);
	}
	if (tl_grow(&s->parked.list, &s->parked.capacity, s->parked.count + 1,
		    sizeof(*s->parked.list)))
		return true;
	s->fold.no_memory = true;
	return false;
}

void tl_pt_stack_finish(struct tl_pt_stack *s)
{
	tl_fold_end_frames(&s->fold);
	while (s->parked.count)
		end_parked(s, &s->parked.list[--s->parked.count]);
}

void tl_pt_parked_free(struct tl_pt_stack *s)
{
	for (size_t i = 0; i < s->parked.count; i++)
		free_parked(&s->parked.list[i]);
	free(s->parked.list);
	free(s->frames.points.list);
	s->parked.list = NULL;
	s->frames.points.list = NULL;
	s->parked.count = s->frames.points.count = 0;
}

bool tl_pt_parked_begin(struct tl_pt_stack *s)
{
	struct tl_pt_parked_stack *a;

	if (!tl_fold_depth(&s->fold))
		return true;
	if (!make_room(s))
		return false;
	a = &s->parked.list[s->parked.count];
	if (!begin_parked(s, a, 64))
		return false;
	s->parked.count++;
	a->frames.resumer = s->frames.id;
	suspend(s, 0, true);
	swap(s, a);
	return true;
}

/*
 * A stack that resumed another one, and is now resumed by it, keeps its own resumer: the other
 * stack has yielded.
 */
void tl_pt_parked_resume(struct tl_pt_stack *s, size_t number)
{
	struct tl_pt_parked_stack *a = &s->parked.list[number];

	if (s->frames.resumer != a->frames.id)
		a->frames.resumer = s->frames.id;
	a->since = ++s->parked.switches;
	a->gate = s->fold.hot.gate;
	a->left = false;
	suspend(s, 0, true);
	swap(s, a);
	go_on(s);
	if (!a->fold.depth) {
		free_parked(a);
		remove_parked(s, number);
	}
}

void tl_pt_parked_go_back(struct tl_pt_stack *s)
{
	for (size_t i = 0; i < s->parked.count; i++)
		if (s->parked.list[i].frames.id == s->frames.resumer) {
			tl_pt_parked_resume(s, i);
			return;
		}
}

/* ---- return points ---- */

size_t tl_pt_parked_point_depth(const struct tl_pt_return_points *points, size_t depth, uint64_t ip)
{
	for (size_t i = points->count; i-- > 0;)
		if (points->list[i].depth <= depth && points->list[i].ip == ip)
			return points->list[i].depth;
	return 0;
}

static void keep_points_up_to(struct tl_pt_return_points *points, size_t depth)
{
	while (points->count && points->list[points->count - 1].depth > depth)
		points->count--;
}

static bool add_point(struct tl_pt_return_points *points, uint64_t ip, size_t depth)
{
	if (!tl_grow(&points->list, &points->capacity, points->count + 1, sizeof(*points->list)))
		return false;
	points->list[points->count++] = (struct tl_pt_return_twice){ ip, depth };
	return true;
}

/* Drop the points of frames that are closed, so that the list stays in the order of depth. */
void tl_pt_parked_point(struct tl_pt_stack *s, uint64_t ip)
{
	struct tl_pt_return_points *points = &s->frames.points;
	size_t depth = tl_fold_depth(&s->fold);

	keep_points_up_to(points, depth);
	for (size_t i = points->count; i-- > 0 && points->list[i].depth == depth;)
		if (points->list[i].ip == ip)
			return;
	if (!add_point(points, ip, depth))
		s->fold.no_memory = true;
}

/* Copy the points of frames above `depth` to the stack whose frames up to `to` are below them. */
static bool copy_points(struct tl_pt_return_points *points, const struct tl_pt_return_points *from,
			size_t depth, size_t to)
{
	for (size_t i = 0; i < from->count; i++)
		if (from->list[i].depth > depth &&
		    !add_point(points, from->list[i].ip, from->list[i].depth - depth + to))
			return false;
	return true;
}

/* ---- parts of stacks ---- */

static size_t count_handlers(const struct tl_pt_frame *frames, size_t from, size_t to)
{
	size_t count = 0;

	for (size_t i = from; i <= to; i++)
		count += frames[i].flags & TL_PT_FRAME_HANDLER;
	return count;
}

void tl_pt_parked_split(struct tl_pt_stack *s, size_t depth)
{
	size_t count = tl_fold_depth(&s->fold) - depth;
	struct tl_pt_parked_stack *a;

	if (!make_room(s))
		return;
	a = &s->parked.list[s->parked.count];
	if (!begin_parked(s, a, count))
		return;
	s->parked.count++;
	a->left = true;
	a->frames.resumer = s->frames.id;
	suspend(s, depth, false);
	memcpy(&a->frames.list[1], &s->frames.list[depth + 1], count * sizeof(*s->frames.list));
	a->frames.handlers = count_handlers(a->frames.list, 1, count);
	s->frames.handlers -= a->frames.handlers;
	if (!copy_points(&a->frames.points, &s->frames.points, depth, 0))
		s->fold.no_memory = true;
	keep_points_up_to(&s->frames.points, depth);
	tl_fold_stack_split(&s->fold, depth, &a->fold);
}

/* Put the frames of the parked stack above `depth` on top of the frames that run. */
static bool join(struct tl_pt_stack *s, const struct tl_pt_parked_stack *a, size_t depth)
{
	size_t mine = tl_fold_depth(&s->fold), count = a->fold.depth - depth;

	if (!tl_grow(&s->frames.list, &s->frames.capacity, mine + count + 2,
		     sizeof(*s->frames.list)))
		return false;
	memcpy(&s->frames.list[mine + 1], &a->frames.list[depth + 1],
	       count * sizeof(*s->frames.list));
	s->frames.handlers += count_handlers(a->frames.list, depth + 1, a->fold.depth);
	keep_points_up_to(&s->frames.points, mine);
	return copy_points(&s->frames.points, &a->frames.points, depth, mine);
}

void tl_pt_parked_exchange(struct tl_pt_stack *s, size_t number, size_t depth)
{
	struct tl_pt_parked_stack *a = &s->parked.list[number];
	struct tl_fold_stack fold = a->fold;

	suspend(s, 0, true);
	if (!join(s, a, depth) || !tl_fold_stack_exchange(&s->fold, &fold, depth)) {
		s->fold.no_memory = true;
		return;
	}
	a->frames.handlers -= count_handlers(a->frames.list, depth + 1, a->fold.depth);
	keep_points_up_to(&a->frames.points, depth);
	a->gate = s->fold.hot.gate;
	a->fold = fold;
	/* The fold's frames have changed places already: swap() puts them back there. */
	tl_fold_stack_swap(&s->fold, &a->fold);
	swap(s, a);
	go_on(s);
}
