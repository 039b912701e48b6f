/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_windows FILE...: the index of each trace against the list of its calls, which calls.py holds
 * against a naive one: 200 random windows of every width at full zoom, the same at the width of a
 * screen, and the same answers with several jobs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/tracelathe.h>

enum { WINDOWS = 200, EXACT_ROWS = 128 };

struct list {
	struct tl_call *calls;
	size_t count, capacity;
};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return below ? (*seed >> 20) % below : 0;
}

static int compare(const void *a, const void *b)
{
	const struct tl_call *x = *(const struct tl_call *const *)a,
			     *y = *(const struct tl_call *const *)b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->function == y->function ? 0 : x->function < y->function ? -1 : 1;
}

static bool read_list(struct tl_input *input, const struct tl_call_track_info *track,
		      struct list *list)
{
	const struct tl_calls_options options = { .size = sizeof(options),
						  .one_track = true,
						  .process = track->process,
						  .thread = track->thread };
	const struct tl_call *call;
	struct tl_calls *calls;
	struct tl_error err;
	int status = tl_input_calls(input, &options, &calls, &err);

	list->count = 0;
	while (status >= 0 && (status = tl_calls_next(calls, &call, &err)) == 1) {
		if (list->count == list->capacity) {
			list->capacity = list->capacity ? list->capacity * 2 : 1024;
			list->calls = realloc(list->calls, list->capacity * sizeof(*call));
		}
		list->calls[list->count++] = *call;
	}
	tl_calls_close(calls);
	return status == 0 && list->count == track->calls;
}

/* Whether the answer has the calls of the list that last at least a pixel, each once. */
static bool same_calls(const struct list *list, const struct tl_call_query *query, uint64_t last,
		       const struct tl_call_window *window)
{
	const struct tl_call **wanted = calloc(list->count + 1, sizeof(*wanted));
	size_t count = 0, at = 0;
	bool same = true;

	for (size_t i = 0; i < list->count; i++) {
		const struct tl_call *c = &list->calls[i];
		uint64_t ticks = (c->end == TL_NOWHERE ? last : c->end) - c->start;

		if (c->start < query->to && c->end >= query->from && c->depth < EXACT_ROWS &&
		    ticks >= window->pixel)
			wanted[count++] = c;
	}
	qsort(wanted, count, sizeof(*wanted), compare);
	for (size_t i = 0; i < window->count && same; i++) {
		const struct tl_call_item *item = &window->items[i];

		if (item->count || item->depth >= EXACT_ROWS)
			continue;
		same = at < count && item->start == wanted[at]->start &&
		       item->end == wanted[at]->end && item->depth == wanted[at]->depth &&
		       item->function == wanted[at]->function &&
		       (window->pixel ||
			(item->self == wanted[at]->self && item->flags == wanted[at]->flags));
		at++;
	}
	free(wanted);
	return same && at == count;
}

static bool same_items(const struct tl_call_window *a, const struct tl_call_window *b)
{
	return a->count == b->count && a->pixel == b->pixel && a->coarse == b->coarse &&
	       (!a->count || !memcmp(a->items, b->items, a->count * sizeof(*a->items)));
}

static struct tl_call_query random_query(size_t track, const struct tl_call_track_info *info,
					 uint64_t *seed, bool zoomed)
{
	uint64_t span = info->last - info->first + 1, width = span >> draw(seed, 22);
	struct tl_call_query query = { .size = sizeof(query), .track = track, .rows = EXACT_ROWS };

	if (zoomed && width > span / 50 + 10)
		width = span / 50 + 10;
	query.from = info->first + draw(seed, span);
	query.to = query.from + 1 + draw(seed, width);
	query.pixels = zoomed ? UINT32_MAX : 1600;
	return query;
}

static int compare_track(struct tl_call_cursor *const *cursors, size_t track,
			 const struct tl_call_track_info *info, const struct list *list)
{
	uint64_t seed = 14;

	for (int i = 0; i < WINDOWS; i++) {
		struct tl_call_query query = random_query(track, info, &seed, i & 1);
		struct tl_call_window one, several;
		struct tl_error err;

		if (tl_call_cursor_window(cursors[0], &query, &one, sizeof(one), &err) < 0 ||
		    tl_call_cursor_window(cursors[1], &query, &several, sizeof(several), &err) < 0)
			return printf("%s\n", err.text);
		if (!same_items(&one, &several))
			return printf("with several jobs another answer\n");
		if (!same_calls(list, &query, info->last, &one))
			return printf("track %zu, window %d, %llu to %llu: other calls\n", track, i,
				      (unsigned long long)query.from, (unsigned long long)query.to);
	}
	return 0;
}

static int compare_tracks(struct tl_input *input, struct tl_call_index *const *indexes,
			  struct tl_call_cursor *const *cursors)
{
	struct tl_call_track_info info;
	struct list list = { NULL, 0, 0 };
	int failed = 0;

	for (size_t i = 0; !failed && tl_call_index_track(indexes[0], i, &info, sizeof(info)) == 1;
	     i++) {
		if (!read_list(input, &info, &list))
			failed = printf("the list of track %zu has other calls\n", i);
		else
			failed = compare_track(cursors, i, &info, &list);
	}
	free(list.calls);
	return failed;
}

static int compare_file(const char *path)
{
	static const unsigned jobs[2] = { 1, 3 };
	struct tl_input *inputs[2] = { NULL, NULL };
	struct tl_call_index *indexes[2] = { NULL, NULL };
	struct tl_call_cursor *cursors[2] = { NULL, NULL };
	struct tl_error err = { .text = "" };
	int status = 0;

	for (int i = 0; status == 0 && i < 2; i++) {
		struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;

		options.jobs = jobs[i];
		status = tl_input_open(&inputs[i], &path, 1, &options, NULL, &err);
		if (status == 0)
			status = tl_input_index(inputs[i], &indexes[i], &err);
		if (status == 0)
			status = tl_call_cursor_open(&cursors[i], indexes[i], &err);
	}
	status =
		status < 0 ? printf("%s\n", err.text) : compare_tracks(inputs[0], indexes, cursors);
	for (int i = 0; i < 2; i++) {
		tl_call_cursor_close(cursors[i]);
		tl_call_index_close(indexes[i]);
		tl_input_close(inputs[i]);
	}
	return status;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		if (compare_file(argv[i])) {
			printf("FAIL: %s\n", argv[i]);
			failed = 1;
		}
	return failed;
}
