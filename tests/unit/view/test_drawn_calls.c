/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page asks of calls, of traces that were drawn: stacks at a time, the next and the last
 * call of a function, durations, windows. Each answer is made here by a loop over the list of all
 * calls. Calls begin and end at even times, so that odd ones are beside none.
 */
#include "web_files.h"

#include <inttypes.h>

#include "../chance.h"

enum { ROUNDS = 12, ASKED = 60, MOST = 300, FUNCTIONS = 5, THREADS = 3, DEEPEST = 12 };

static const uint64_t NEVER = UINT64_MAX;

struct call {
	unsigned thread, function, depth;
	uint64_t start, end, self; /* end NEVER: unfinished */
};

struct thread {
	unsigned open[DEEPEST], depth;
	uint64_t time;
};

static struct call calls[MOST];
static unsigned call_count, function_count, numbers[FUNCTIONS];
static uint64_t origin, latest;
static uint32_t seed;
static char json[1 << 16], wanted[1 << 16];
static size_t json_size, wanted_size;

/* ---- a trace ---- */

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	json_size += (size_t)vsnprintf(json + json_size, sizeof(json) - json_size, format, args);
	va_end(args);
	assert_true(json_size < sizeof(json));
}

/* Microseconds with three digits behind the point are nanoseconds, which are the ticks. */
static void put_event(char phase, const char *name, unsigned thread, uint64_t time)
{
	put("%s{\"ph\":\"%c\",%s%s\"pid\":1,\"tid\":%u,\"ts\":%" PRIu64 ".%03u}",
	    json_size > 1 ? ",\n" : "", phase, name, *name ? "," : "", 10 + thread, time / 1000,
	    (unsigned)(time % 1000));
}

static void draw_begin(struct thread *t, unsigned thread)
{
	struct call *call = &calls[call_count];
	char name[24];

	*call = (struct call){ thread, chance(&seed, FUNCTIONS), t->depth, t->time, NEVER, 0 };
	snprintf(name, sizeof(name), "\"name\":\"f%u\"", call->function);
	put_event('B', name, thread, t->time);
	/* Functions are numbered as they are met. */
	if (numbers[call->function] == FUNCTIONS)
		numbers[call->function] = function_count++;
	t->open[t->depth++] = call_count++;
}

static void draw_thread(unsigned thread)
{
	struct thread t = { .time = 2 * (500 + chance(&seed, 200)) };

	for (unsigned left = 4 + chance(&seed, 2 * MOST / THREADS); left; left--) {
		if (!t.depth || (t.depth < DEEPEST && chance(&seed, 9) < 5)) {
			if (call_count < MOST)
				draw_begin(&t, thread);
		} else {
			calls[t.open[--t.depth]].end = t.time;
			put_event('E', "", thread, t.time);
		}
		latest = t.time > latest ? t.time : latest;
		if (left > 1) {
			const unsigned ticks = 2 * (1 + chance(&seed, chance(&seed, 4) ? 9 : 60));

			if (t.depth)
				calls[t.open[t.depth - 1]].self += ticks;
			t.time += ticks;
		}
	}
	/* What is open at the end has the time up to the last event. */
	while (t.depth) {
		struct call *call = &calls[t.open[--t.depth]];

		if (chance(&seed, 4)) {
			call->end = t.time;
			put_event('E', "", thread, t.time);
		} else {
			/* those around it do not end either */
			break;
		}
	}
}

static void look_at_drawn(struct looked_at *l, uint32_t round)
{
	static char path[512];

	seed = round * 7919;
	call_count = function_count = 0;
	latest = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		numbers[i] = FUNCTIONS;
	json_size = 0;
	put("[");
	for (unsigned thread = 0; thread < THREADS; thread++)
		draw_thread(thread);
	put("]\n");
	origin = NEVER;
	for (unsigned i = 0; i < call_count; i++)
		origin = calls[i].start < origin ? calls[i].start : origin;
	strcpy(path, temp_write(&temp, "drawn.json", json, json_size));
	look_at(l, path, NULL);
	wait_for_index(l);
}

/* ---- answers ---- */

static void want_none(void)
{
	wanted_size = 0;
	wanted[0] = '\0';
}

static void __attribute__((format(printf, 1, 2))) want(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	wanted_size +=
		(size_t)vsnprintf(wanted + wanted_size, sizeof(wanted) - wanted_size, format, args);
	va_end(args);
	assert_true(wanted_size < sizeof(wanted));
}

static void want_call(const struct call *call)
{
	want("{\"track\":%u,\"start\":%" PRIu64 ",\"end\":", call->thread, call->start - origin);
	if (call->end == NEVER)
		want("-1");
	else
		want("%" PRIu64, call->end - origin);
	want(",\"self\":%" PRIu64 ",\"depth\":%u,\"function\":%u,\"flags\":0}", call->self,
	     call->depth, numbers[call->function]);
}

static const char *text(uint64_t number, char digits[24])
{
	snprintf(digits, 24, "%" PRIu64, number);
	return digits;
}

/* A time behind the origin that is odd, or one at which a call begins. */
static uint64_t draw_time(void)
{
	if (!chance(&seed, 4))
		return calls[chance(&seed, call_count)].start - origin;
	return 2 * (uint64_t)chance(&seed, (unsigned)(latest - origin) / 2 + 4) + 1;
}

TEST(functions_are_numbered_as_they_are_met)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct looked_at l;

		look_at_drawn(&l, round);
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			char digits[24];

			if (numbers[i] == FUNCTIONS)
				continue;
			want_none();
			want("{\"functions\":[{\"name\":\"f%u\",\"object\":\"\",\"file\":\"\","
			     "\"line\":0}]}\n",
			     i);
			want_answer(
				ASK(&l, "/api/names", "functions", text(numbers[i], digits), NULL),
				200, wanted);
		}
		look_away(&l);
	}
}

/* The calls that are open at a time, the outermost first. */
TEST(stacks_at_drawn_times)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct looked_at l;

		look_at_drawn(&l, round);
		for (unsigned n = 0; n < ASKED; n++) {
			const unsigned thread = chance(&seed, THREADS);
			const uint64_t at = draw_time();
			char digits[24], track[24];
			bool any = false;

			want_none();
			want("{\"calls\":[");
			for (unsigned i = 0; i < call_count; i++) {
				const struct call *call = &calls[i];

				if (call->thread != thread || call->start > at + origin ||
				    call->end <= at + origin)
					continue;
				if (any)
					want(",");
				want_call(call);
				any = true;
			}
			want("]}\n");
			want_answer(ASK(&l, "/api/stack", "tracks", text(thread, track), "at",
					text(at, digits), NULL),
				    200, wanted);
		}
		look_away(&l);
	}
}

/* "The first call that begins at or behind a time", and "the last that begins before" it. */
TEST(calls_that_are_found)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct looked_at l;

		look_at_drawn(&l, round);
		for (unsigned n = 0; n < ASKED; n++) {
			const unsigned thread = chance(&seed, THREADS);
			const unsigned function = chance(&seed, FUNCTIONS);
			const bool back = chance(&seed, 2);
			const uint64_t at = draw_time();
			const struct call *found = NULL;
			char digits[24], track[24], number[24];

			if (numbers[function] == FUNCTIONS)
				continue;
			for (unsigned i = 0; i < call_count; i++) {
				const struct call *call = &calls[i];

				if (call->thread != thread || call->function != function)
					continue;
				if (back ? call->start < at + origin
					 : call->start >= at + origin && !found)
					found = call;
			}
			want_none();
			want("{\"call\":");
			if (found)
				want_call(found);
			else
				want("null");
			want("}\n");
			want_answer(ASK(&l, "/api/find", "tracks", text(thread, track), "functions",
					text(numbers[function], number), "at", text(at, digits),
					"back", back ? "1" : "0", NULL),
				    200, wanted);
		}
		look_away(&l);
	}
}

/* ---- durations ---- */

/*
 * Classes of durations: up to 16 ticks one each; from a power of two to the next eight of the same
 * width.
 */
static void class_of(uint64_t duration, uint64_t *from, uint64_t *to)
{
	uint64_t width = 1;

	while (duration >= 16 * width)
		width *= 2;
	*from = duration / width * width;
	*to = *from + width;
}

static void want_classes(const uint64_t *durations, unsigned count)
{
	uint64_t next = 0;
	bool first = true;

	want(",\"classes\":[");
	for (;;) {
		uint64_t shortest = NEVER, from, to;
		unsigned inside = 0;

		for (unsigned i = 0; i < count; i++)
			if (durations[i] >= next && durations[i] < shortest)
				shortest = durations[i];
		if (shortest == NEVER)
			break;
		class_of(shortest, &from, &to);
		for (unsigned i = 0; i < count; i++)
			inside += durations[i] >= from && durations[i] < to;
		want("%s[%" PRIu64 ",%" PRIu64 ",%u]", first ? "" : ",", from, to, inside);
		first = false;
		next = to;
	}
	want("]");
}

/* The longest ones first, of equal ones the earlier one in the list; at most 100. */
static void want_slowest(unsigned function, uint64_t from, uint64_t to)
{
	bool told[MOST] = { false };

	want(",\"slowest\":[");
	for (unsigned n = 0; n < 100; n++) {
		const struct call *slow = NULL;

		for (unsigned i = 0; i < call_count; i++) {
			const struct call *call = &calls[i];

			if (call->function == function && call->end != NEVER && !told[i] &&
			    call->start >= from && call->end <= to &&
			    (!slow || call->end - call->start > slow->end - slow->start))
				slow = call;
		}
		if (!slow)
			break;
		told[slow - calls] = true;
		want("%s{\"process\":1,\"thread\":%u,\"start\":%" PRIu64 ",\"duration\":%" PRIu64
		     ",\"self\":%" PRIu64 ",\"depth\":%u}",
		     n ? "," : "", 10 + slow->thread, slow->start - origin, slow->end - slow->start,
		     slow->self, slow->depth);
	}
	want("]");
}

/* Of the calls of a function that lie within [from, to). */
static void want_durations(unsigned function, uint64_t from, uint64_t to)
{
	uint64_t durations[MOST], sum = 0;
	unsigned finished = 0, unfinished = 0, cut = 0;

	for (unsigned i = 0; i < call_count; i++) {
		const struct call *call = &calls[i];

		if (call->function != function || call->start >= to || call->end < from)
			continue;
		if (call->end == NEVER) {
			unfinished++;
		} else if (call->start < from || call->end > to) {
			cut++;
		} else {
			durations[finished++] = call->end - call->start;
			sum += call->end - call->start;
		}
	}
	want("{\"finished\":%u,\"unfinished\":%u,\"cut\":%u,\"sum\":%" PRIu64, finished, unfinished,
	     cut, sum);
	want_classes(durations, finished);
	want_slowest(function, from, to);
	want("}\n");
}

TEST(durations_of_drawn_calls)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct looked_at l;

		look_at_drawn(&l, round);
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			char name[8];

			snprintf(name, sizeof(name), "f%u", i);
			want_none();
			want_durations(i, 0, NEVER);
			want_answer(ASK(&l, "/api/durations", "name", name, NULL), 200, wanted);
		}
		want_none();
		want("{\"finished\":0,\"unfinished\":0,\"cut\":0,\"sum\":0,\"classes\":[],"
		     "\"slowest\":[]}\n");
		want_answer(ASK(&l, "/api/durations", "name", "f", NULL), 200, wanted);
		look_away(&l);
	}
}

/* Times that are none, as they lie behind the last number. */
TEST(windows_without_a_time)
{
	static const char error[] = "{\"error\":\"the window has no such time\"}\n";
	struct looked_at l;

	look_at_drawn(&l, 1);
	assert_true(origin > 1);
	want_answer(ASK(&l, "/api/durations", "name", "f0", "from", "9007199254740991", "to", "5",
			NULL),
		    200,
		    "{\"finished\":0,\"unfinished\":0,\"cut\":0,\"sum\":0,\"classes\":[],"
		    "\"slowest\":[]}\n");
	want_answer(ASK(&l, "/api/durations", "from", "18446744073709551615", NULL), 400, error);
	want_answer(ASK(&l, "/api/durations", "from", "0", "to", "18446744073709551615", NULL), 400,
		    error);
	want_answer(ASK(&l, "/api/window", "tracks", "0", "from", "18446744073709551615", "to", "9",
			NULL),
		    400, error);
	want_answer(ASK(&l, "/api/window", "tracks", "0", "from", "9", "to", "18446744073709551615",
			NULL),
		    400, error);
	want_answer(ASK(&l, "/api/stack", "tracks", "0", "at", "18446744073709551615", NULL), 400,
		    "{\"error\":\"a track and a time are needed\"}\n");
	look_away(&l);
}

/* More calls than there are from one look for who asked to the next (2^16). */
TEST(durations_of_many_calls)
{
	enum { MANY = 66000, LINE = 80 };
	char *text = malloc(MANY * LINE), *at = text;
	static char path[512];
	struct looked_at l;

	assert_non_null(text);
	for (unsigned i = 0; i < MANY; i++)
		at += sprintf(at,
			      "%s{\"ph\":\"X\",\"name\":\"%c\",\"pid\":1,\"tid\":1,\"ts\":%u,"
			      "\"dur\":1}",
			      i ? ",\n" : "[", i % 3 ? 'a' : 'b', 2 * i);
	at += sprintf(at, "]");
	strcpy(path, temp_write(&temp, "many.json", text, (size_t)(at - text)));
	free(text);
	look_at(&l, path, NULL);
	wait_for_index(&l);
	WANT_PARTS(ASK(&l, "/api/durations", "name", "a", NULL),
		   "{\"finished\":44000,\"unfinished\":0,\"cut\":0,\"sum\":44000000,"
		   "\"classes\":[[960,1024,44000]],\"slowest\":[");
	look_away(&l);
}

/* ---- windows ---- */

static uint64_t number_at(const uint8_t **bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)(*bytes)[i] << 8 * i;
	*bytes += size;
	return value;
}

static double real_at(const uint8_t **bytes)
{
	const uint64_t bits = number_at(bytes, 8);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* "by depth, then by start" */
static int by_depth(const void *left, const void *right)
{
	const struct call *a = *(struct call *const *)left, *b = *(struct call *const *)right;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->start < b->start ? -1 : 1;
}

/* The calls of a window that is so short that each of its ticks has a pixel. */
static unsigned list_window(const struct call *list[MOST], unsigned thread, uint64_t from,
			    uint64_t to)
{
	unsigned count = 0;

	for (unsigned i = 0; i < call_count; i++)
		if (calls[i].thread == thread && calls[i].start < to && calls[i].end >= from)
			list[count++] = &calls[i];
	if (count)
		qsort(list, count, sizeof(list[0]), by_depth);
	return count;
}

/* The columns of a track in an answer, as the head of answer_calls.c has them. */
static void expect_track(const uint8_t **at, unsigned thread, uint64_t from, uint64_t to)
{
	const struct call *list[MOST];
	const unsigned count = list_window(list, thread, from, to);

	assert_int_equal(number_at(at, 4), thread);
	assert_int_equal(number_at(at, 4), count);
	assert_true(real_at(at) == 0);
	assert_int_equal(number_at(at, 8), 0);
	for (unsigned i = 0; i < count; i++)
		assert_true(real_at(at) == (double)(list[i]->start - origin));
	for (unsigned i = 0; i < count; i++)
		assert_true(real_at(at) ==
			    (list[i]->end == NEVER ? -1 : (double)(list[i]->end - origin)));
	for (unsigned i = 0; i < count; i++) {
		const double busy = real_at(at);

		if (list[i]->end != NEVER)
			assert_true(busy == (double)(list[i]->end - list[i]->start));
	}
	for (unsigned column = 0; column < 4; column++) {
		for (unsigned i = 0; i < count; i++) {
			const unsigned is[] = { list[i]->depth, numbers[list[i]->function], 0, 0 };

			assert_int_equal(number_at(at, 4), is[column]);
		}
		if (count % 2)
			assert_int_equal(number_at(at, 4), 0);
	}
}

TEST(windows_of_drawn_calls)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct looked_at l;

		look_at_drawn(&l, round);
		for (unsigned n = 0; n < ASKED / 2; n++) {
			const uint64_t from = draw_time() | 1, to = from + 2 + draw_time() / 2 * 2;
			struct tl_web_answer answer;
			char digits[2][24];
			const uint8_t *at;
			size_t size;

			answer = ASK(&l, "/api/window", "tracks", "2,0", "from",
				     text(from, digits[0]), "to", text(to, digits[1]), "pixels",
				     "16384", NULL);
			assert_int_equal(answer.code, 200);
			at = (const uint8_t *)tl_output_bytes(answer.out, &size);
			assert_memory_equal(at, "TLW1", 4);
			at += 4;
			assert_int_equal(number_at(&at, 4), 2);
			expect_track(&at, 2, from + origin, to + origin);
			expect_track(&at, 0, from + origin, to + origin);
			assert_ptr_equal(at, tl_output_bytes(answer.out, &size) + size);
			tl_output_discard(answer.out);
		}
		look_away(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_numbered_as_they_are_met),
		cmocka_unit_test(stacks_at_drawn_times),
		cmocka_unit_test(calls_that_are_found),
		cmocka_unit_test(durations_of_drawn_calls),
		cmocka_unit_test(windows_without_a_time),
		cmocka_unit_test(durations_of_many_calls),
		cmocka_unit_test(windows_of_drawn_calls),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
