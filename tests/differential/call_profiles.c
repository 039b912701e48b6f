/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_profiles [--windows N] FILE...: the profile of windows of each trace, made from its index,
 * against that of the whole trace with a filter by time, which the fold counts record by record;
 * without contexts, too, with the calls between functions; and the calls of a function in a window
 * against the list of all calls. Of a trace with several costs, that of time is compared, which the
 * index has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/tracelathe.h>

enum { SEARCHES = 3, LONGEST = 20 };

static int window_count = 6;

struct trace {
	const char *path;
	struct tl_input *input;
	struct tl_call_index *index;
	struct tl_calls_info info;
	struct tl_input *plain; /* the same without durations by thread, and its index */
	struct tl_call_index *plain_index;
	uint64_t last; /* tick */
	uint64_t seed;
};

static int fail(const struct trace *t, const char *what)
{
	return printf("%s: %s\n", t->path, what);
}

static uint64_t draw(struct trace *t, uint64_t below)
{
	t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
	return below ? (t->seed >> 20) % below : 0;
}

static int open_trace(struct trace *t, const char *path)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_call_track_info track;
	struct tl_error err = { .text = "" };

	options.per_thread = true;
	*t = (struct trace){ .path = path, .seed = 14 };
	if (tl_input_open(&t->input, &path, 1, &options, NULL, &err) < 0 ||
	    tl_input_index(t->input, &t->index, &err) < 0)
		return fail(t, err.text);
	options.per_thread = false;
	if (tl_input_open(&t->plain, &path, 1, &options, NULL, &err) < 0 ||
	    tl_input_index(t->plain, &t->plain_index, &err) < 0)
		return fail(t, err.text);
	tl_call_index_info(t->index, &t->info, sizeof(t->info));
	for (size_t i = 0; tl_call_index_track(t->index, i, &track, sizeof(track)) == 1; i++)
		t->last = track.last > t->last ? track.last : t->last;
	return 0;
}

static void close_trace(struct trace *t)
{
	tl_call_index_close(t->index);
	tl_input_close(t->input);
	tl_call_index_close(t->plain_index);
	tl_input_close(t->plain);
}

/* A window on ticks that seconds name, too. */
static struct tl_call_span draw_span(struct trace *t)
{
	uint64_t all = t->last - t->info.origin + 1, from = draw(t, all);
	uint64_t ticks = 1 + draw(t, (all >> draw(t, 14)) + 1);

	return (struct tl_call_span){ .size = sizeof(struct tl_call_span),
				      .from = t->info.origin + from,
				      .to = t->info.origin + from + ticks };
}

/* A window whose borders are the begin of one call and the end of another: calls lie on them. */
static struct tl_call_span span_of_calls(struct trace *t)
{
	struct tl_call_span all = draw_span(t), span = all;
	struct tl_call_search found = { .count = 0 };
	struct tl_error err;

	for (uint32_t function = 0; !found.count && function < 200; function++)
		if (tl_input_search(t->input, t->index, &all, function, 50, &found, sizeof(found),
				    &err) < 0 ||
		    !found.count)
			tl_call_search_end(&found);
	if (found.count) {
		const struct tl_call_item *a = &found.longest[draw(t, found.count)].item;
		const struct tl_call_item *b = &found.longest[draw(t, found.count)].item;

		span.from = a->start;
		span.to = b->end == TL_NOWHERE ? t->last : b->end;
	}
	if (span.to <= span.from)
		span.to = span.from + 1;
	tl_call_search_end(&found);
	return span;
}

/* ---- profiles ---- */

static struct tl_output *table_of(const struct tl_profile *profile, bool threads)
{
	static const uint32_t time_alone[] = { 0 };
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_CSV,
						   .threads = threads,
						   .events = time_alone,
						   .event_count = 1 };
	struct tl_output *out = NULL;
	struct tl_error err;

	if (tl_output_open_memory(&out, &err) == 0 &&
	    tl_report_functions(profile, &options, out, &err) == 0)
		return out;
	return NULL;
}

static struct tl_profile *whole_fold(const struct trace *t, const struct tl_call_span *span)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile = NULL;
	struct tl_input *input = NULL;
	struct tl_error err;
	double frequency = (double)t->info.frequency;

	options.per_thread = true;
	options.filter.from_seconds = (double)(span->from - t->info.origin) / frequency;
	options.filter.to_seconds = (double)(span->to - t->info.origin) / frequency;
	if (tl_input_open(&input, &t->path, 1, &options, NULL, &err) == 0)
		tl_input_fold(input, &profile, &err);
	tl_input_close(input);
	return profile;
}

/* A function that ran for less than a tick: the fold of all counts its instructions, too. */
static bool is_nothing(const char *line, size_t length)
{
	static const char nothing[] = ",0,0,0,,,,,,0,0,0";

	return length >= sizeof(nothing) - 1 &&
	       !memcmp(line + length - (sizeof(nothing) - 1), nothing, sizeof(nothing) - 1);
}

/* The next line that says something, with its end; NULL behind the last one. */
static const char *next_line(const char **at, const char *end, size_t *length)
{
	while (*at < end) {
		const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));

		*length = (size_t)((stop ? stop : end) - line);
		*at = line + *length + 1;
		if (!is_nothing(line, *length))
			return line;
	}
	return NULL;
}

static bool same_lines(const char *a, size_t a_size, const char *b, size_t b_size)
{
	const char *a_end = a + a_size, *b_end = b + b_size, *x, *y;
	size_t x_length = 0, y_length = 0;

	do {
		x = next_line(&a, a_end, &x_length);
		y = next_line(&b, b_end, &y_length);
		if (!x != !y || (x && (x_length != y_length || memcmp(x, y, x_length))))
			return false;
	} while (x);
	return true;
}

static bool same_tables(const struct tl_profile *a, const struct tl_profile *b, bool threads)
{
	struct tl_output *x = table_of(a, threads), *y = table_of(b, threads);
	size_t x_size = 0, y_size = 0;
	const char *x_bytes = x ? tl_output_bytes(x, &x_size) : NULL;
	const char *y_bytes = y ? tl_output_bytes(y, &y_size) : NULL;
	bool same = x && y && x_size && same_lines(x_bytes, x_size, y_bytes, y_size);
	if (!same && x && y)
		printf("%.*s----\n%.*s", (int)x_size, x_bytes, (int)y_size, y_bytes);
	tl_output_discard(x);
	tl_output_discard(y);
	return same;
}

/* ---- without contexts ---- */

static bool same_function(const struct tl_function *a, const struct tl_function *b)
{
	return a->id == b->id && a->address == b->address && !strcmp(a->name, b->name) &&
	       !strcmp(a->object, b->object) && !strcmp(a->file, b->file);
}

/* The number of an arc in another profile, TL_NONE: it is not there. */
static uint32_t find_arc(const struct tl_profile *in, const struct tl_profile *from,
			 const struct tl_arc *arc)
{
	for (uint32_t i = 0; i < tl_profile_arc_count(in); i++) {
		const struct tl_arc *other = tl_profile_arc(in, i);

		if (same_function(tl_profile_function(in, other->caller),
				  tl_profile_function(from, arc->caller)) &&
		    same_function(tl_profile_function(in, other->callee),
				  tl_profile_function(from, arc->callee)))
			return i;
	}
	return TL_NONE;
}

enum { MOST_COMPARED = 300 };

/* Of many arcs, the first ones. */
static bool same_arcs(const struct tl_profile *flat, const struct tl_profile *whole)
{
	uint32_t count = tl_profile_arc_count(flat);

	if (count != tl_profile_arc_count(whole))
		return printf("%u arcs, %u\n", count, tl_profile_arc_count(whole)) < 0;
	for (uint32_t i = 0; i < count && i < MOST_COMPARED; i++) {
		const struct tl_arc *arc = tl_profile_arc(flat, i);
		uint32_t other = find_arc(whole, flat, arc);

		if (other == TL_NONE || arc->calls != tl_profile_arc(whole, other)->calls ||
		    *tl_profile_arc_cost(flat, i) != *tl_profile_arc_cost(whole, other))
			return printf("arc %s to %s\n",
				      tl_profile_function(flat, arc->caller)->name,
				      tl_profile_function(flat, arc->callee)->name) < 0;
	}
	return true;
}

static int compare_flat(const struct trace *t, const struct tl_call_span *span)
{
	struct tl_call_span flat = *span;
	struct tl_profile *ours = NULL, *whole = NULL;
	struct tl_error err = { .text = "" };
	bool same;

	if (tl_input_window(t->plain, t->plain_index, span, &whole, &err) < 0)
		return fail(t, err.text);
	flat.flat = true;
	if (tl_input_window(t->plain, t->plain_index, &flat, &ours, &err) < 0) {
		tl_profile_free(whole);
		return fail(t, err.text);
	}
	same = tl_profile_context_count(ours) == 0 && same_tables(ours, whole, false) &&
	       same_arcs(ours, whole);
	tl_profile_free(ours);
	tl_profile_free(whole);
	return same ? 0 : printf("%s: without contexts\n", t->path);
}

static int compare_profiles(struct trace *t)
{
	int failed = 0;

	for (int i = 0; !failed && i < window_count; i++) {
		struct tl_call_span span = i & 1 ? span_of_calls(t) : draw_span(t);
		struct tl_profile *ours = NULL, *whole;
		struct tl_error err = { .text = "" };

		if (tl_input_window(t->input, t->index, &span, &ours, &err) < 0)
			return fail(t, err.text);
		whole = whole_fold(t, &span);
		if (!whole || !same_tables(ours, whole, true) || compare_flat(t, &span)) {
			failed = printf("%s: window %d, %llu to %llu\n", t->path, i,
					(unsigned long long)span.from, (unsigned long long)span.to);
		}
		tl_profile_free(ours);
		tl_profile_free(whole);
	}
	return failed;
}

/* ---- searches ---- */

/* What a search must say, from the list of calls; the longest ones are compared one by one. */
static int compare_list(struct trace *t, const struct tl_call_span *span, uint32_t function,
			const struct tl_call_search *found)
{
	const struct tl_call *call;
	struct tl_calls *calls;
	struct tl_error err = { .text = "" };
	uint64_t count = 0, finished = 0, sum = 0, longer = 0, listed = 0;
	uint64_t least = found->count ? found->longest[found->count - 1].item.busy : 0;
	int status = tl_input_calls(t->input, NULL, &calls, &err);

	while (status >= 0 && (status = tl_calls_next(calls, &call, &err)) == 1) {
		bool timed =
			call->end != TL_NOWHERE && !(call->flags & (TL_CALL_CUT | TL_CALL_LATE));

		if (call->function != function || call->start >= span->to || call->end < span->from)
			continue;
		count++;
		finished += timed;
		sum += timed ? call->end - call->start : 0;
		longer += timed && call->end - call->start > least;
		for (size_t i = 0; i < found->count; i++)
			listed += found->longest[i].item.start == call->start &&
				  found->longest[i].item.end == call->end &&
				  found->longest[i].item.depth == call->depth &&
				  found->longest[i].item.self == call->self;
	}
	tl_calls_close(calls);
	return status < 0 || count != found->calls || finished != found->durations.calls ||
	       sum != found->durations.sum || longer > found->count || listed < found->count;
}

static int compare_searches(struct trace *t)
{
	for (int i = 0; i < SEARCHES; i++) {
		struct tl_call_span span = draw_span(t);
		struct tl_call_search found;
		struct tl_error err = { .text = "" };
		uint32_t function = (uint32_t)draw(t, 20);
		int failed;

		if (tl_input_search(t->input, t->index, &span, function, LONGEST, &found,
				    sizeof(found), &err) < 0)
			return fail(t, err.text);
		failed = compare_list(t, &span, function, &found);
		for (size_t n = 1; n < found.count; n++)
			failed |= found.longest[n - 1].item.busy < found.longest[n].item.busy;
		tl_call_search_end(&found);
		if (failed)
			return printf("%s: calls of function %u\n", t->path, function);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0, first = 1;

	if (argc > 2 && !strcmp(argv[1], "--windows")) {
		window_count = atoi(argv[2]);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		struct trace t;

		if (open_trace(&t, argv[i]) || (t.info.frequency && compare_profiles(&t)) ||
		    compare_searches(&t)) {
			printf("FAIL: %s\n", argv[i]);
			failed = 1;
		}
		close_trace(&t);
	}
	return failed;
}
