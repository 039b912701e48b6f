/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events without duration and values of counters in a window of time. Where there are more of them
 * than a page draws, neighbours are one mark with a count, or one value with its range.
 */
#include <math.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "view/web/answer.h"

/* Marks of an answer, about; of each track at least. */
enum { MOST_MARKS = 5000, LEAST_MARKS = 50, MOST_PIXELS = 16384 };

struct shown {
	const struct tl_view_points *events;
	struct tl_output *out;
	uint64_t from, to;
	uint64_t cell; /* ticks in which events are one mark; 0: each is its own */
};

/* How many of the marks from `at` on are drawn as one. */
static size_t run_from(const struct shown *s, size_t at, size_t end)
{
	const struct tl_view_mark *marks = s->events->marks;
	size_t next = at + 1;

	while (s->cell && next < end && marks[next].ticks / s->cell == marks[at].ticks / s->cell)
		next++;
	return next - at;
}

static void put_mark(const struct shown *s, const struct tl_view_mark *mark, size_t count)
{
	tl_web_put_number(s->out, "[", mark->ticks);
	tl_web_put_number(s->out, ",", mark[count - 1].ticks);
	tl_web_put_number(s->out, ",", count);
	tl_web_put_number(s->out, ",", mark->name);
	if (count == 1 && mark->values != TL_NOWHERE) {
		size_t size;
		const char *values = tl_output_bytes(s->events->values, &size);

		tl_put_char(s->out, ',');
		tl_output_write(s->out, values + mark->values, mark->size);
	}
	tl_put_char(s->out, ']');
}

static void put_track(const struct shown *s, const struct tl_view_mark_track *track)
{
	size_t at = tl_view_marks_from(s->events, track, s->from);
	const size_t begin = at, end = tl_view_marks_from(s->events, track, s->to);

	tl_put_text(s->out, "{\"process\":");
	tl_put_i64(s->out, track->process);
	tl_put_text(s->out, ",\"thread\":");
	tl_put_i64(s->out, track->thread);
	tl_web_put_number(s->out, ",\"events\":", track->end - track->begin);
	tl_web_put_number(s->out, ",\"last\":", s->events->marks[track->end - 1].ticks);
	tl_put_text(s->out, ",\"marks\":[");
	while (at < end) {
		size_t count = run_from(s, at, end);

		if (at > begin)
			tl_put_char(s->out, ',');
		put_mark(s, &s->events->marks[at], count);
		at += count;
	}
	tl_put_text(s->out, "]}");
}

/* ---- counters ---- */

/* Values from `at` on that are drawn as one: the least, the greatest and the last of them. */
static size_t put_counted(const struct shown *s, size_t at, size_t end)
{
	const struct tl_view_counted *list = s->events->counted;
	double least = list[at].value, most = least;
	size_t next = at + 1;

	while (s->cell && next < end && list[next].ticks / s->cell == list[at].ticks / s->cell) {
		least = fmin(least, list[next].value);
		most = fmax(most, list[next].value);
		next++;
	}
	tl_web_put_number(s->out, "[", list[at].ticks);
	tl_web_put_number(s->out, ",", list[next - 1].ticks);
	tl_put_char(s->out, ',');
	tl_put_double(s->out, least);
	tl_put_char(s->out, ',');
	tl_put_double(s->out, most);
	tl_put_char(s->out, ',');
	tl_put_double(s->out, list[next - 1].value);
	tl_put_char(s->out, ']');
	return next;
}

/* From the value that it has where the window begins. */
static size_t counted_from(const struct shown *s, const struct tl_view_counter *counter)
{
	return tl_view_counted_at(s->events, counter, s->from);
}

static size_t counted_end(const struct shown *s, const struct tl_view_counter *counter)
{
	size_t last = tl_view_counted_at(s->events, counter, s->to - (s->to > 0));

	return last + (s->events->counted[last].ticks < s->to);
}

static void put_counter(const struct shown *s, const struct tl_view_counter *counter)
{
	const size_t begin = counted_from(s, counter), end = counted_end(s, counter);

	tl_put_text(s->out, "{\"process\":");
	tl_put_i64(s->out, counter->process);
	tl_put_text(s->out, ",\"thread\":");
	tl_put_i64(s->out, counter->thread);
	tl_web_put_number(s->out, ",\"name\":", counter->name);
	tl_web_put_number(s->out, ",\"last\":", s->events->counted[counter->end - 1].ticks);
	tl_put_text(s->out, ",\"least\":");
	tl_put_double(s->out, counter->least);
	tl_put_text(s->out, ",\"most\":");
	tl_put_double(s->out, counter->most);
	tl_put_text(s->out, ",\"values\":[");
	for (size_t at = begin; at < end;) {
		if (at > begin)
			tl_put_char(s->out, ',');
		at = put_counted(s, at, end);
	}
	tl_put_text(s->out, "]}");
}

/* Counters of which no value was kept are passed over. */
static void put_counters(const struct shown *s)
{
	bool any = false;

	tl_put_text(s->out, ",\"counters\":[");
	for (size_t i = 0; i < s->events->counter_count; i++) {
		if (!s->events->counters[i].end)
			continue;
		if (any)
			tl_put_char(s->out, ',');
		any = true;
		put_counter(s, &s->events->counters[i]);
	}
	tl_put_char(s->out, ']');
}

/* ---- the window ---- */

static size_t marks_in(const struct shown *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->events->track_count; i++)
		count += tl_view_marks_from(s->events, &s->events->tracks[i], s->to) -
			 tl_view_marks_from(s->events, &s->events->tracks[i], s->from);
	for (size_t i = 0; i < s->events->counter_count; i++)
		if (s->events->counters[i].end)
			count += counted_end(s, &s->events->counters[i]) -
				 counted_from(s, &s->events->counters[i]);
	return count;
}

/* Behind the last event where the request has no end. */
static uint64_t end_of(const struct tl_view_points *events, uint64_t asked)
{
	uint64_t last = 0;

	for (size_t i = 0; i < events->track_count; i++)
		last = tl_max(last, events->marks[events->tracks[i].end - 1].ticks);
	for (size_t i = 0; i < events->counter_count; i++)
		if (events->counters[i].end)
			last = tl_max(last, events->counted[events->counters[i].end - 1].ticks);
	return asked && asked <= last ? asked : last + (last < UINT64_MAX);
}

static void choose_cell(struct shown *s, uint64_t pixels)
{
	uint64_t lanes = s->events->track_count + s->events->counter_count;
	uint64_t share = MOST_MARKS / tl_max(lanes, 1u);
	uint64_t width = s->to > s->from ? s->to - s->from : 1;
	uint64_t cells = pixels && pixels < MOST_PIXELS ? pixels : MOST_PIXELS;

	if (marks_in(s) <= MOST_MARKS)
		return;
	cells = tl_min(cells, tl_max(share, (uint64_t)LEAST_MARKS));
	s->cell = width / cells + 1;
}

int tl_web_answer_events(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_request *request = question->request;
	struct shown s = { .out = question->out, .from = request->from };
	int status = tl_web_document_points(question->document, question->asker, &s.events, err);

	if (status < 0)
		return status;
	s.to = end_of(s.events, request->to);
	choose_cell(&s, request->pixels);
	tl_put_text(s.out, "{\"names\":[");
	for (uint32_t i = 0; i < s.events->names.count; i++)
		tl_web_put_text(s.out, tl_text_if(i, ","), s.events->names.names[i].text);
	tl_put_text(s.out, "],\"tracks\":[");
	for (size_t i = 0; i < s.events->track_count; i++) {
		if (i)
			tl_put_char(s.out, ',');
		put_track(&s, &s.events->tracks[i]);
	}
	tl_put_char(s.out, ']');
	put_counters(&s);
	tl_web_put_number(s.out, ",\"cell\":", s.cell);
	tl_web_put_number(s.out, ",\"left_out\":", s.events->left_out);
	tl_put_text(s.out, "}\n");
	return 0;
}
