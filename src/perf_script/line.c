/* SPDX-License-Identifier: Apache-2.0 */
/* Lines cut into their fields: `-F` leaves out any of them, and names hold blanks and brackets. */
#include <string.h>

#include "core/cursor.h"
#include "core/text/decimal.h"
#include "perf_script/perf_script.h"

static bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static bool is_hex(uint8_t c)
{
	return is_digit(c) || (uint8_t)((c | 0x20) - 'a') < 6;
}

static struct tl_perf_script_text trimmed(const uint8_t *start, const uint8_t *end)
{
	while (start < end && tl_perf_script_is_blank(*start))
		start++;
	while (end > start && tl_perf_script_is_blank(end[-1]))
		end--;
	return (struct tl_perf_script_text){ start, end };
}

/* The word from `at` on. Empty at the end of the line. */
static struct tl_perf_script_text word_at(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *stop;

	while (at < end && tl_perf_script_is_blank(*at))
		at++;
	for (stop = at; stop < end && !tl_perf_script_is_blank(*stop);)
		stop++;
	return (struct tl_perf_script_text){ at, stop };
}

/* ---- words of a sample's line ---- */

static bool all_digits(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *from = p;

	while (p < end && is_digit(*p))
		p++;
	return p == end && p > from;
}

/* "1234" or "1234/1235". */
static bool is_id(struct tl_perf_script_text w)
{
	const uint8_t *slash = memchr(w.start, '/', (size_t)(w.end - w.start));

	if (!slash)
		return all_digits(w.start, w.end);
	return all_digits(w.start, slash) && all_digits(slash + 1, w.end);
}

/* "[003]" */
static bool is_cpu(struct tl_perf_script_text w)
{
	return w.end - w.start > 2 && *w.start == '[' && w.end[-1] == ']' &&
	       all_digits(w.start + 1, w.end - 1);
}

/* "1234.567890:" */
static bool is_time(struct tl_perf_script_text w)
{
	const uint8_t *dot = memchr(w.start, '.', (size_t)(w.end - w.start));

	return dot && w.end[-1] == ':' && all_digits(w.start, dot) &&
	       all_digits(dot + 1, w.end - 1);
}

static uint64_t number_of(const uint8_t *start, const uint8_t *end, int scale)
{
	struct tl_decimal number;
	bool exact = true;

	if (!tl_decimal_parse(start, (size_t)(end - start), &number))
		return TL_NOWHERE;
	return (uint64_t)tl_decimal_scaled(&number, scale, &exact);
}

/* Without two numbers it is the thread's. */
static void take_id(struct tl_perf_script_sample *s, struct tl_perf_script_text w)
{
	const uint8_t *slash = memchr(w.start, '/', (size_t)(w.end - w.start));

	if (slash)
		s->process = number_of(w.start, slash, 0);
	s->thread = number_of(slash ? slash + 1 : w.start, w.end, 0);
}

/*
 * Where the name of the command ends: before the last number in front of a processor or a time;
 * where there are neither, before the first number behind the first word.
 */
static struct tl_perf_script_text find_id(const uint8_t *line, const uint8_t *end)
{
	struct tl_perf_script_text none = { NULL, NULL }, first = none, last = none;
	struct tl_perf_script_text w = word_at(line, end);

	for (; w.start < w.end; w = word_at(w.end, end)) {
		if (is_cpu(w) || is_time(w))
			return last;
		if (!is_id(w))
			continue;
		last = w;
		if (!first.start && w.start > line)
			first = w;
	}
	return first;
}

/* The event is the first word that ends with a colon and is no time. */
static bool take_words(struct tl_perf_script_sample *s, const uint8_t *at, const uint8_t *end)
{
	struct tl_perf_script_text w = word_at(at, end);

	for (; w.start < w.end; w = word_at(w.end, end)) {
		if (is_time(w)) {
			s->time_ns = number_of(w.start, w.end - 1, 9);
		} else if (all_digits(w.start, w.end)) {
			s->period = number_of(w.start, w.end, 0);
		} else if (w.end - w.start > 1 && w.end[-1] == ':') {
			s->event = (struct tl_perf_script_text){ w.start, w.end - 1 };
			s->rest = trimmed(w.end, end);
			return true;
		} else if (w.end - w.start > 12 && !memcmp(w.start, "PERF_RECORD_", 12)) {
			s->is_record = true;
			return true;
		}
	}
	return s->time_ns != TL_NOWHERE;
}

bool tl_perf_script_cut_sample(const uint8_t *line, const uint8_t *end,
			       struct tl_perf_script_sample *s)
{
	const struct tl_perf_script_text id = find_id(line, end);
	struct tl_perf_script_text w = word_at(line, end);

	*s = (struct tl_perf_script_sample){ .process = TL_NOWHERE,
					     .thread = TL_NOWHERE,
					     .time_ns = TL_NOWHERE,
					     .period = TL_NOWHERE };
	if (id.start) {
		take_id(s, id);
		s->comm = trimmed(line, id.start);
		/* Where neither a time nor an event is printed, nothing stands behind it. */
		w = word_at(id.end, end);
		if (w.start == w.end)
			return !tl_perf_script_is_blank(*line);
		return take_words(s, id.end, end);
	}
	/* No numbers of threads: the name ends before the time. */
	while (w.start < w.end && !is_time(w) && !is_cpu(w))
		w = word_at(w.end, end);
	if (w.start == w.end)
		return false;
	s->comm = trimmed(line, w.start);
	return take_words(s, w.start, end);
}

/* ---- frames ---- */

/* The bracket that the last one of the line belongs to; NULL: it does not end with one. */
static const uint8_t *open_bracket(const uint8_t *line, const uint8_t *end)
{
	unsigned depth = 0;

	while (end > line) {
		end--;
		depth += *end == ')';
		if (*end == '(' && !--depth)
			return end;
		if (!depth)
			return NULL;
	}
	return NULL;
}

/* Without "+0x1f" at the end. */
static const uint8_t *without_offset(const uint8_t *start, const uint8_t *end)
{
	const uint8_t *p = end;

	while (p > start && is_hex(p[-1]))
		p--;
	if (p < end && p - start > 3 && p[-1] == 'x' && p[-2] == '0' && p[-3] == '+')
		return p - 3;
	return end;
}

bool tl_perf_script_cut_frame(const uint8_t *line, const uint8_t *end,
			      struct tl_perf_script_frame *frame)
{
	struct tl_perf_script_text all = trimmed(line, end), address = word_at(all.start, all.end);
	const uint8_t *bracket = open_bracket(all.start, all.end);
	const uint8_t *p = address.start;

	while (p < address.end && is_hex(*p))
		p++;
	if (p < address.end || address.start == address.end)
		return false;
	frame->object = (struct tl_perf_script_text){ NULL, NULL };
	if (bracket && bracket >= address.end && tl_perf_script_is_blank(bracket[-1])) {
		frame->object = (struct tl_perf_script_text){ bracket + 1, all.end - 1 };
		all.end = bracket;
	}
	frame->name = trimmed(address.end, all.end);
	frame->name.end = without_offset(frame->name.start, frame->name.end);
	return frame->object.start || frame->name.start < frame->name.end;
}

bool tl_perf_script_cut_place(const uint8_t *line, const uint8_t *end,
			      struct tl_perf_script_text *file, uint32_t *number)
{
	const struct tl_perf_script_text all = trimmed(line, end);
	const uint8_t *colon = memrchr(all.start, ':', (size_t)(all.end - all.start));
	uint64_t value;

	if (!colon || colon == all.start || !all_digits(colon + 1, all.end))
		return false;
	value = number_of(colon + 1, all.end, 0);
	*file = (struct tl_perf_script_text){ all.start, colon };
	*number = value <= UINT32_MAX ? (uint32_t)value : 0;
	return true;
}
