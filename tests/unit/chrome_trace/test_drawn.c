/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace events of calls that were drawn: whole, or as begins and ends, of several threads, in any
 * order of the file and of their members. What the calls cost is known before they are written.
 */
#include "../foreign/chance.h"

#include "chrome_trace/chrome_trace.h"

enum { THREADS = 3, CALLS = 40, NAMES = 5, EVENT = 256 };

struct drawn_file {
	struct drawn threads[THREADS];
	char events[2 * THREADS * CALLS][EVENT];
	unsigned count;
};

/* Members of an event in any order, perhaps with others between them. */
static void put_event(struct drawn_file *f, uint32_t *seed, const char members[][64],
		      unsigned count)
{
	static const char *const others[] = { "\"cat\":\"c,d\"", "\"tts\":17",
					      "\"args\":{\"dur\":1,\"n\":[{}]}",
					      "\"id\":\"0x1\\\"\"" };
	char *to = f->events[f->count++];
	unsigned order[8];

	chance_order(seed, order, count);
	to += sprintf(to, "{");
	for (unsigned i = 0; i < count; i++)
		to += sprintf(to, "%s%s", i ? "," : "", members[order[i]]);
	if (!chance(seed, 3))
		to += sprintf(to, ", %s", others[chance(seed, 4)]);
	sprintf(to, "}");
}

static void put_step(struct drawn_file *f, uint32_t *seed, unsigned thread, char phase,
		     int64_t time, const char *name)
{
	char members[5][64];
	int end = sprintf(members[0], "\"ts\":");

	put_microseconds(members[0] + end, seed, time);
	sprintf(members[1], "\"ph\" : \"%c\"", phase);
	sprintf(members[2], "\"pid\":%u", thread / 2);
	sprintf(members[3], "\"tid\":\"%u\"", 70 + thread);
	sprintf(members[4], "\"name\":\"%s\"", name);
	put_event(f, seed, members, *name ? 5 : 4);
}

static void put_call(struct drawn_file *f, uint32_t *seed, unsigned thread,
		     const struct drawn_call *call)
{
	const char name[2] = { (char)('a' + call->name), '\0' };
	char members[6][64];
	int end;

	if (chance(seed, 2)) {
		put_step(f, seed, thread, 'B', call->begin, name);
		put_step(f, seed, thread, 'E', call->end, chance(seed, 2) ? name : "");
		return;
	}
	end = sprintf(members[0], "\"ts\":");
	put_microseconds(members[0] + end, seed, call->begin);
	end = sprintf(members[1], "\"dur\":");
	put_microseconds(members[1] + end, seed, call->end - call->begin);
	sprintf(members[2], "\"ph\":\"X\"");
	sprintf(members[3], "\"pid\":%u", thread / 2);
	sprintf(members[4], "\"tid\":%u", 70 + thread);
	sprintf(members[5], "\"name\":\"%s\"", name);
	put_event(f, seed, members, 6);
}

static void draw_file(struct drawn_file *f, uint32_t *seed)
{
	f->count = 0;
	for (unsigned thread = 0; thread < THREADS; thread++) {
		struct drawn *d = &f->threads[thread];

		draw_calls(d, seed, CALLS, NAMES, 1000000000 + chance(seed, 5000));
		for (unsigned i = 0; i < d->count; i++)
			put_call(f, seed, thread, &d->calls[i]);
	}
}

/* The events in any order; those of `order[0 .. left_out)` are not written. */
static char *text_of(const struct drawn_file *f, uint32_t *seed, unsigned left_out)
{
	char *text = malloc((size_t)f->count * (EVENT + 2) + 64), *to = text;
	unsigned order[2 * THREADS * CALLS];
	const bool object = chance(seed, 2);

	assert_non_null(text);
	chance_order(seed, order, f->count);
	to += sprintf(to, object ? "{\"otherData\":[[]],\"traceEvents\":[" : "[");
	for (unsigned i = left_out; i < f->count; i++)
		to += sprintf(to, "%s%s", i > left_out ? ",\n" : "", f->events[order[i]]);
	sprintf(to, object ? "],\"x\":{}}" : chance(seed, 2) ? "]" : "");
	return text;
}

static uint32_t part_of(const struct tl_profile *profile, unsigned thread)
{
	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		if (tl_profile_part(profile, i)->thread == 70 + thread) {
			assert_int_equal(tl_profile_part(profile, i)->process, thread / 2);
			return i;
		}
	fail_msg("thread %u has no part", thread);
	return 0;
}

static uint64_t calls_in_part(const struct tl_profile *profile, uint32_t part, char name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;

		if (*tl_profile_function(profile, i)->name != name)
			continue;
		assert_int_equal(
			tl_profile_function_totals(profile, i, part, &totals, sizeof(totals)), 0);
		return totals.calls;
	}
	return 0;
}

static void expect_thread(const struct text *t, const struct drawn *d, unsigned thread,
			  const char *text)
{
	const uint32_t part = part_of(t->profile, thread);
	struct path_sums wanted = { NULL, 0 };

	drawn_sums(d, &wanted);
	path_sums_expect_profile(&wanted, t->profile, part, 0, text);
	path_sums_free(&wanted);
	for (unsigned name = 0; name < NAMES; name++)
		assert_int_equal(calls_in_part(t->profile, part, (char)('a' + name)),
				 drawn_count(d, name));
	assert_int_equal(tl_profile_part(t->profile, part)->first_ticks, d->calls[0].begin);
	assert_int_equal(tl_profile_part(t->profile, part)->last_ticks,
			 d->calls[d->steps[d->step_count - 1].call].end);
}

TEST(drawn_calls_are_read_as_they_were_drawn)
{
	static struct drawn_file file;
	uint32_t seed = 20261128;

	for (unsigned run = 0; run < 60; run++) {
		char *text;
		struct text t;

		draw_file(&file, &seed);
		text = text_of(&file, &seed, 0);
		text_read(&t, &tl_chrome_reader, text);
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(t.foreign.records, file.count);
		assert_int_equal(tl_profile_part_count(t.profile), THREADS);
		for (unsigned thread = 0; thread < THREADS; thread++)
			expect_thread(&t, &file.threads[thread], thread, text);
		text_expect_strict(&t, &tl_chrome_reader, text, strlen(text));
		text_close(&t);
		free(text);
	}
}

/* A sum of functions alone, without a tree: what each costs is the same. */
TEST(tables_of_drawn_calls)
{
	static struct drawn_file file;
	struct tl_foreign_options options = text_options();
	uint32_t seed = 7;

	options.table = true;
	for (unsigned run = 0; run < 20; run++) {
		int64_t self[NAMES] = { 0 };
		char *text;
		struct text t;

		draw_file(&file, &seed);
		for (unsigned thread = 0; thread < THREADS; thread++)
			for (unsigned i = 0; i < CALLS; i++)
				self[file.threads[thread].calls[i].name] +=
					file.threads[thread].calls[i].self;
		text = text_of(&file, &seed, 0);
		text_read_sized(&t, &tl_chrome_reader, text, strlen(text), false, options);
		assert_int_equal(t.status, 0);
		for (uint32_t i = 0; i < tl_profile_function_count(t.profile); i++) {
			struct tl_function_totals totals;

			assert_int_equal(tl_profile_function_totals(t.profile, i, TL_NONE, &totals,
								    sizeof(totals)),
					 0);
			assert_int_equal(totals.self[0],
					 self[*tl_profile_function(t.profile, i)->name - 'a']);
		}
		text_close(&t);
		free(text);
	}
}

/* Of whole calls any may be missing: what they cost is their callers' then, and no call ends. */
TEST(whole_calls_that_are_missing)
{
	static struct drawn_file file;
	uint32_t seed = 99;

	for (unsigned run = 0; run < 30; run++) {
		const unsigned missing = 1 + chance(&seed, CALLS - 2);
		struct drawn *d = &file.threads[0];
		int64_t time = 0;
		uint64_t calls = 0;
		char text[CALLS * EVENT] = "[", *to = text + 1;
		struct text t;

		draw_calls(d, &seed, CALLS, NAMES, 5000);
		for (unsigned i = 0; i < d->count; i++) {
			const struct drawn_call *call = &d->calls[i];

			if (i == missing)
				continue;
			to += sprintf(
				to,
				"{\"ph\":\"X\",\"ts\":%llde-3,\"dur\":%llde-3,\"name\":\"%c\"},",
				(long long)call->begin, (long long)(call->end - call->begin),
				'a' + (int)call->name);
		}
		for (unsigned i = 0; i < d->count; i++) {
			const bool outer = !strchr(d->calls[i].path, ';');

			if (outer && i != missing)
				time += d->calls[i].end - d->calls[i].begin;
			/* Those inside of a root that is missing are roots. */
			if (i != missing && !strchr(d->calls[missing].path, ';') && !outer &&
			    d->calls[i].begin > d->calls[missing].begin &&
			    d->calls[i].end < d->calls[missing].end &&
			    strlen(d->calls[i].path) == 3)
				time += d->calls[i].end - d->calls[i].begin;
		}
		text_read(&t, &tl_chrome_reader, text);
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(tl_profile_total(t.profile)[0], time);
		for (char name = 'a'; name < 'a' + NAMES; name++)
			calls += calls_in_part(t.profile, 0, name);
		assert_int_equal(calls, CALLS - 1);
		text_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_calls_are_read_as_they_were_drawn),
		cmocka_unit_test(tables_of_drawn_calls),
		cmocka_unit_test(whole_calls_that_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
