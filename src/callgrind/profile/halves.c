/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of functions and of their calls, folded by two threads. A line of the body depends on lines
 * before it: on definitions of names, on the function, file and position in force, on the header.
 * The second thread therefore skims what the first one reads (reader/skim.c), and both have to
 * stand alike at the cut, and find nothing that is wrong. Then functions, parts and calls of the
 * second half are added to those of the first one in the order in which the file has them, as one
 * fold does; else the profiles of both are dropped.
 */
#include <pthread.h>

#include "callgrind/profile/fold.h"
#include "callgrind/profile/joined_arcs.h"
#include "core/arithmetic.h"
#include "core/pool.h"

struct half {
	struct tl_callgrind_folder folder;
	struct tl_callgrind_reader *reader;
	int status;
};

struct halves {
	struct half half[2];
	pthread_mutex_t lock; /* over the next one */
	bool first_ended;
	pthread_cond_t ended;
	struct tl_callgrind_numbers numbers;
};

/* ---- two threads ---- */

/* Each reader numbers names of its own. */
static bool is_same_name(const struct tl_callgrind_reader *a, uint32_t x,
			 const struct tl_callgrind_reader *b, uint32_t y)
{
	return (x == TL_NONE) == (y == TL_NONE) &&
	       !strcmp(tl_callgrind_name(a, x), tl_callgrind_name(b, y));
}

static bool stand_alike(const struct tl_callgrind_reader *a, const struct tl_callgrind_reader *b)
{
	const struct tl_callgrind_mark *x = &a->cut.mark, *y = &b->cut.mark;

	return a->cut.met && b->cut.met && x->offset == y->offset && x->part == y->part &&
	       x->columns == y->columns && !memcmp(x->base, y->base, sizeof(x->base)) &&
	       is_same_name(a, x->file, b, y->file) &&
	       is_same_name(a, x->owner.file, b, y->owner.file) &&
	       is_same_name(a, x->owner.object, b, y->owner.object) &&
	       is_same_name(a, x->owner.function, b, y->owner.function);
}

static bool is_sound(const struct half *half)
{
	return half->status == 0 && !half->reader->faults.count && !half->reader->cut.unusual &&
	       half->folder.profile && !half->folder.profile->losses.saturated;
}

static bool add_sums(int64_t *to, const int64_t *sums, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(to[i], sums[i], &to[i]))
			return false;
	return true;
}

/* The sums of the part that is cut, which are compared with what it says, are those of both. */
static void add_first_sums(void *arg, struct tl_callgrind_reader *reader)
{
	struct halves *h = arg;
	const struct half *first = &h->half[0];

	pthread_mutex_lock(&h->lock);
	while (!h->first_ended)
		pthread_cond_wait(&h->ended, &h->lock);
	pthread_mutex_unlock(&h->lock);
	if (!is_sound(first) || !stand_alike(first->reader, reader) ||
	    !add_sums(reader->columns.sums, first->reader->columns.sums, reader->columns.count))
		tl_callgrind_give_up_cut(reader);
}

static int fold_half(struct half *half)
{
	int status = tl_callgrind_lend_names(&half->folder, half->reader, NULL);

	if (status == 0)
		status = tl_callgrind_fold_items(&half->folder, half->reader, NULL);
	if (status == 0 && half->folder.profile)
		status = tl_callgrind_put_summed(&half->folder, NULL);
	return status;
}

/* The task that is waited for is handed out first, so that nobody waits for it in vain. */
static int fold_task(void *arg, size_t task)
{
	struct halves *h = arg;

	h->half[task].status = fold_half(&h->half[task]);
	if (task)
		return 0;
	pthread_mutex_lock(&h->lock);
	h->first_ended = true;
	pthread_cond_signal(&h->ended);
	pthread_mutex_unlock(&h->lock);
	return 0;
}

/* ---- one profile of two ---- */

static bool map_events(struct halves *h, struct tl_profile *to, const struct tl_profile *from)
{
	h->numbers.events = calloc(from->event_count, sizeof(*h->numbers.events));
	for (uint32_t i = 0; h->numbers.events && i < from->event_count; i++) {
		int64_t number = tl_profile_add_event(to, &from->events[i], NULL);

		if (number < 0)
			return false;
		h->numbers.events[i] = (uint32_t)number;
	}
	return h->numbers.events;
}

/* The part that is cut is the first one of the second half, where it is selected at all. */
static bool map_parts(struct halves *h, struct tl_profile *to, const struct tl_profile *from)
{
	const struct tl_callgrind_folded_part *cut = &h->half[0].folder.part;

	h->numbers.parts = calloc(from->parts.count + 1, sizeof(*h->numbers.parts));
	for (size_t i = 0; h->numbers.parts && i < from->parts.count; i++) {
		int64_t number = cut->number;

		if (i || !cut->ready || !cut->selected)
			number = tl_profile_put_part(to, &from->parts.list[i], NULL);
		else
			to->parts.list[number].records = cut->records + from->parts.list[i].records;
		if (number < 0)
			return false;
		h->numbers.parts[i] = (uint32_t)number;
	}
	return h->numbers.parts;
}

static bool map_functions(struct halves *h, struct tl_profile *to, const struct tl_profile *from)
{
	const size_t count = from->functions.table.count;

	h->numbers.functions = calloc(count + 1, sizeof(*h->numbers.functions));
	for (size_t i = 0; h->numbers.functions && i < count; i++) {
		struct tl_function function = from->functions.list[i];

		function.name = tl_profile_text(to, function.name);
		function.object = tl_profile_text(to, function.object);
		function.file = tl_profile_text(to, function.file);
		if (!function.name || !function.object || !function.file)
			return false;
		h->numbers.functions[i] = tl_profile_function_interned(to, &function);
		if (h->numbers.functions[i] == TL_NONE)
			return false;
	}
	return h->numbers.functions;
}

static bool add_lines(const struct halves *h, struct tl_profile *to, const struct tl_profile *from)
{
	const struct tl_cost_table *table = &from->lines.table;
	const bool each = !h->half[0].folder.options.per_part;

	if (each && !tl_profile_line_each(to))
		return false;
	for (size_t i = 0; i < table->count; i++) {
		struct tl_cost_line line = from->lines.list[i];
		int64_t *row;

		line.function = h->numbers.functions[line.function];
		line.part = tl_profile_renumber(h->numbers.parts, line.part);
		line.at.file = to->functions.list[line.function].file;
		row = each ? to->lines.table.cost + (size_t)line.function * to->event_count
			   : tl_profile_line_row(to, &line);
		if (!row)
			return false;
		for (uint32_t e = 0; e < from->event_count; e++)
			tl_add_cost(&row[h->numbers.events[e]],
				    table->cost[i * from->event_count + e], &to->losses.saturated);
	}
	return true;
}

static bool join(struct halves *h)
{
	struct tl_profile *to = h->half[0].folder.profile;
	const struct tl_profile *from = h->half[1].folder.profile;

	return map_events(h, to, from) && map_parts(h, to, from) && map_functions(h, to, from) &&
	       add_lines(h, to, from) && tl_callgrind_join_arcs(to, from, &h->numbers);
}

/* ---- the whole ---- */

/* Without a cut in the file the first reader has read it to its end, and has it all. */
static bool complete(struct halves *h)
{
	struct half *first = &h->half[0], *second = &h->half[1], *last = second;

	if (!is_sound(first))
		return false;
	if (!first->reader->cut.met)
		last = first;
	else if (!is_sound(second) || !second->reader->cut.met || !join(h))
		return false;
	if (tl_callgrind_note_inherited(&first->folder, last->reader, NULL) < 0 ||
	    last->reader->faults.count || first->folder.profile->losses.saturated)
		return false;
	return tl_callgrind_fold_finish(&first->folder, NULL) == 0;
}

static void end_half(struct half *half, bool keep)
{
	tl_callgrind_take_names_back(half->reader);
	tl_callgrind_fold_free(&half->folder);
	if (!keep)
		tl_profile_free(half->folder.profile);
}

void tl_callgrind_fold_halves(struct tl_callgrind_reader *first, struct tl_callgrind_reader *second,
			      uint64_t offset, const struct tl_callgrind_fold_options *options,
			      struct tl_profile **profile)
{
	struct halves h = { .half = { { .reader = first }, { .reader = second } } };
	bool ok;

	first->cut = (struct tl_callgrind_cut){ .offset = offset, .ends = true };
	second->cut = (struct tl_callgrind_cut){
		.offset = offset, .skims = true, .before = add_first_sums, .arg = &h
	};
	for (size_t i = 0; i < 2; i++)
		tl_callgrind_fold_begin(&h.half[i].folder, options);
	pthread_mutex_init(&h.lock, NULL);
	pthread_cond_init(&h.ended, NULL);
	tl_pool_run(2, 2, fold_task, &h);
	ok = complete(&h);
	*profile = ok ? h.half[0].folder.profile : NULL;
	for (size_t i = 0; i < 2; i++)
		end_half(&h.half[i], ok && !i);
	pthread_cond_destroy(&h.ended);
	pthread_mutex_destroy(&h.lock);
	free(h.numbers.events);
	free(h.numbers.parts);
	free(h.numbers.functions);
}
