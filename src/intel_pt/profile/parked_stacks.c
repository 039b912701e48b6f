/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of a thread that do not run: they are put parked and taken up again. */
#include "intel_pt/profile/parked_stacks.h"

#include <string.h>

/* ---- those who follow the frames ---- */

/* Frames above `depth` do not run for a while: as if they were closed. */
static void suspend(struct tl_pt_stack *s, size_t depth)
{
	struct tl_fold_frame *top = s->fold.hot.top;

	for (; s->closing && tl_fold_depth(&s->fold) > depth; s->fold.hot.top--)
		s->closing(s->arg, tl_pt_stack_top(s));
	s->fold.hot.top = top;
}

static void go_on(struct tl_pt_stack *s)
{
	struct tl_fold_frame *top = s->fold.hot.top;

	if (!s->reopened)
		return;
	for (s->fold.hot.top = s->fold.frames; s->fold.hot.top < top;) {
		s->fold.hot.top++;
		s->reopened(s->arg, tl_pt_stack_top(s));
	}
}

/* ---- exchanging the stack that runs ---- */

static void swap(struct tl_pt_stack *s, struct tl_pt_parked_stack *a)
{
	struct tl_pt_parked_stack before = *a;

	a->frames = s->frames;
	a->frame_capacity = s->frame_capacity;
	a->handlers = s->handlers;
	a->points = s->points;
	a->point_count = s->point_count;
	a->point_capacity = s->point_capacity;
	a->id = s->id;
	a->resumer = s->resumer;
	s->frames = before.frames;
	s->frame_capacity = before.frame_capacity;
	s->handlers = before.handlers;
	s->points = before.points;
	s->point_count = before.point_count;
	s->point_capacity = before.point_capacity;
	s->id = before.id;
	s->resumer = before.resumer;
	tl_fold_stack_swap(&s->fold, &a->fold);
}

static void free_aside(struct tl_pt_parked_stack *a)
{
	tl_fold_stack_free(&a->fold);
	free(a->frames);
	free(a->points);
}

static bool begin_aside(struct tl_pt_stack *s, struct tl_pt_parked_stack *a, size_t depth)
{
	*a = (struct tl_pt_parked_stack){ .since = ++s->switches, .id = ++s->last_id };
	if (tl_fold_stack_begin(&a->fold) &&
	    tl_grow(&a->frames, &a->frame_capacity, depth + 2, sizeof(*a->frames))) {
		a->frames[0] = (struct tl_pt_frame){ .call = TL_NONE };
		return true;
	}
	free_aside(a);
	s->fold.no_memory = true;
	return false;
}

/* Nobody comes back to it: what was jumped out of ended then. */
static void end_aside(struct tl_pt_stack *s, struct tl_pt_parked_stack *a)
{
	swap(s, a);
	while (a->left && tl_fold_depth(&s->fold)) {
		const struct tl_pt_frame *top = tl_pt_stack_top(s);

		s->fold.losses.deduced_exits += !(top->flags & TL_PT_FRAME_UNSEEN);
		tl_pt_frame_close(s, top);
	}
	tl_fold_end_frames(&s->fold);
	swap(s, a);
	free_aside(a);
}

static void remove_aside(struct tl_pt_stack *s, size_t number)
{
	s->parked[number] = s->parked[--s->parked_count];
}

static size_t oldest(const struct tl_pt_stack *s)
{
	size_t first = 0;

	for (size_t i = 1; i < s->parked_count; i++)
		if (s->parked[i].since < s->parked[first].since)
			first = i;
	return first;
}

/* Room for one more. */
static bool make_room(struct tl_pt_stack *s)
{
	if (s->parked_count == TL_PT_PARKED_MAX) {
		size_t first = oldest(s);

		end_aside(s, &s->parked[first]);
		remove_aside(s, first);
	}
	if (tl_grow(&s->parked, &s->parked_capacity, s->parked_count + 1, sizeof(*s->parked)))
		return true;
	s->fold.no_memory = true;
	return false;
}

void tl_pt_stack_finish(struct tl_pt_stack *s)
{
	tl_fold_end_frames(&s->fold);
	while (s->parked_count)
		end_aside(s, &s->parked[--s->parked_count]);
}

void tl_pt_parked_free(struct tl_pt_stack *s)
{
	for (size_t i = 0; i < s->parked_count; i++)
		free_aside(&s->parked[i]);
	free(s->parked);
	free(s->points);
	s->parked = NULL;
	s->points = NULL;
	s->parked_count = s->point_count = 0;
}

bool tl_pt_parked_begin(struct tl_pt_stack *s)
{
	struct tl_pt_parked_stack *a;

	if (!tl_fold_depth(&s->fold))
		return true;
	if (!make_room(s))
		return false;
	a = &s->parked[s->parked_count];
	if (!begin_aside(s, a, 64))
		return false;
	s->parked_count++;
	a->resumer = s->id;
	suspend(s, 0);
	swap(s, a);
	return true;
}

/* Who is resumed by the one that it resumed goes on as it was: that yielded. */
void tl_pt_parked_resume(struct tl_pt_stack *s, size_t number)
{
	struct tl_pt_parked_stack *a = &s->parked[number];

	if (s->resumer != a->id)
		a->resumer = s->id;
	a->since = ++s->switches;
	a->left = false;
	suspend(s, 0);
	swap(s, a);
	go_on(s);
	if (!a->fold.depth) {
		free_aside(a);
		remove_aside(s, number);
	}
}

void tl_pt_parked_go_back(struct tl_pt_stack *s)
{
	for (size_t i = 0; i < s->parked_count; i++)
		if (s->parked[i].id == s->resumer) {
			tl_pt_parked_resume(s, i);
			return;
		}
}

/* ---- places that a frame may be come back to ---- */

size_t tl_pt_parked_point_depth(const struct tl_pt_return_twice *points, size_t count, size_t depth,
				uint64_t ip)
{
	while (count-- > 0)
		if (points[count].depth <= depth && points[count].ip == ip)
			return points[count].depth;
	return 0;
}

/* Those of frames that are gone go, too: what is left is in the order of depth. */
void tl_pt_parked_point(struct tl_pt_stack *s, uint64_t ip)
{
	size_t depth = tl_fold_depth(&s->fold);

	while (s->point_count && s->points[s->point_count - 1].depth > depth)
		s->point_count--;
	for (size_t i = s->point_count; i-- > 0 && s->points[i].depth == depth;)
		if (s->points[i].ip == ip)
			return;
	if (!tl_grow(&s->points, &s->point_capacity, s->point_count + 1, sizeof(*s->points))) {
		s->fold.no_memory = true;
		return;
	}
	s->points[s->point_count++] = (struct tl_pt_return_twice){ ip, depth };
}

/* Points of frames above `depth` go from one list to the other, where those frames are above `to`.
 */
static bool move_points(struct tl_pt_return_twice **list, size_t *count, size_t *capacity,
			const struct tl_pt_return_twice *from, size_t from_count, size_t depth,
			size_t to)
{
	for (size_t i = 0; i < from_count; i++) {
		if (from[i].depth <= depth)
			continue;
		if (!tl_grow(list, capacity, *count + 1, sizeof(**list)))
			return false;
		(*list)[(*count)++] =
			(struct tl_pt_return_twice){ from[i].ip, from[i].depth - depth + to };
	}
	return true;
}

static size_t points_up_to(const struct tl_pt_return_twice *points, size_t count, size_t depth)
{
	while (count && points[count - 1].depth > depth)
		count--;
	return count;
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
	a = &s->parked[s->parked_count];
	if (!begin_aside(s, a, count))
		return;
	s->parked_count++;
	a->left = true;
	a->resumer = s->id;
	suspend(s, depth);
	memcpy(&a->frames[1], &s->frames[depth + 1], count * sizeof(*s->frames));
	a->handlers = count_handlers(a->frames, 1, count);
	s->handlers -= a->handlers;
	if (!move_points(&a->points, &a->point_count, &a->point_capacity, s->points, s->point_count,
			 depth, 0))
		s->fold.no_memory = true;
	s->point_count = points_up_to(s->points, s->point_count, depth);
	tl_fold_stack_split(&s->fold, depth, &a->fold);
}

/* The frames that run, and above them those of the stack parked above `depth`. */
static bool join(struct tl_pt_stack *s, const struct tl_pt_parked_stack *a, size_t depth)
{
	size_t mine = tl_fold_depth(&s->fold), count = a->fold.depth - depth;

	if (!tl_grow(&s->frames, &s->frame_capacity, mine + count + 2, sizeof(*s->frames)))
		return false;
	memcpy(&s->frames[mine + 1], &a->frames[depth + 1], count * sizeof(*s->frames));
	s->handlers += count_handlers(a->frames, depth + 1, a->fold.depth);
	s->point_count = points_up_to(s->points, s->point_count, mine);
	return move_points(&s->points, &s->point_count, &s->point_capacity, a->points,
			   a->point_count, depth, mine);
}

void tl_pt_parked_exchange(struct tl_pt_stack *s, size_t number, size_t depth)
{
	struct tl_pt_parked_stack *a = &s->parked[number];
	struct tl_fold_stack fold = a->fold;

	suspend(s, 0);
	if (!join(s, a, depth) || !tl_fold_stack_exchange(&s->fold, &fold, depth)) {
		s->fold.no_memory = true;
		return;
	}
	a->handlers -= count_handlers(a->frames, depth + 1, a->fold.depth);
	a->point_count = points_up_to(a->points, a->point_count, depth);
	a->fold = fold;
	/* The fold's frames have changed places: now the rest does. */
	tl_fold_stack_swap(&s->fold, &a->fold);
	swap(s, a);
	go_on(s);
}
