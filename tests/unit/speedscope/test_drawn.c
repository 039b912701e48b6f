/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of speedscope made of calls and samples that were drawn, in any order of their members:
 * what they cost is known before they are written.
 */
#include <stdarg.h>

#include "../foreign/chance.h"

#include "speedscope/speedscope.h"

enum { PROFILES = 4, CALLS = 40, NAMES = 5, SAMPLES = 60 };

/* A number of units as nanoseconds are written. */
static const struct unit {
	const char *name, *event;
	int scale; /* digits of a nanosecond behind the point */
} units[] = {
	{ "nanoseconds", "Ticks", 0 },  { "microseconds", "Ticks", 3 },
	{ "milliseconds", "Ticks", 6 }, { "seconds", "Ticks", 9 },
	{ "bytes", "bytes", 0 },        { "none", "weight", 0 },
};

struct file {
	char text[PROFILES * 16384];
	size_t used;
};

static void put(struct file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct file *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	f->used += (size_t)vsnprintf(f->text + f->used, sizeof(f->text) - f->used, format, args);
	va_end(args);
	assert_true(f->used < sizeof(f->text));
}

static void put_value(struct file *f, uint32_t *seed, const struct unit *unit, int64_t value)
{
	int64_t power = 1;

	for (int i = 0; i < unit->scale; i++)
		power *= 10;
	if (chance(seed, 2) || !unit->scale)
		put(f, "%llde-%d", (long long)value, unit->scale);
	else
		put(f, "%lld.%0*lld", (long long)(value / power), unit->scale,
		    (long long)(value % power));
}

/* Frames a to e, with others between them that are not used. */
static void put_frames(struct file *f)
{
	put(f, "\"shared\":{\"x\":[],\"frames\":[");
	for (int i = 0; i < NAMES; i++)
		put(f, "{\"line\":%d,\"name\":\"%c\",\"col\":1},{\"file\":\"unused%d\"}%s", 10 + i,
		    'a' + i, i, i + 1 < NAMES ? "," : "");
	put(f, "]}");
}

/* ---- evented profiles ---- */

static void put_events(struct file *f, uint32_t *seed, const struct drawn *d,
		       const struct unit *unit)
{
	put(f, "\"events\":[");
	for (unsigned i = 0; i < d->step_count; i++) {
		const struct drawn_call *call = &d->calls[d->steps[i].call];
		const bool begin = d->steps[i].begin;

		put(f, "%s{\"at\":", i ? "," : "");
		put_value(f, seed, unit, begin ? call->begin : call->end);
		put(f, ",\"type\":\"%c\",\"frame\":%u}", begin ? 'O' : 'C', 2 * call->name);
	}
	put(f, "]");
}

/* ---- sampled profiles ---- */

struct sampled {
	unsigned depths[SAMPLES];
	unsigned frames[SAMPLES][8];
	int64_t weights[SAMPLES];
};

static void draw_samples(struct sampled *s, uint32_t *seed)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		s->depths[i] = 1 + chance(seed, 7);
		s->weights[i] = chance(seed, 10) ? (int64_t)chance(seed, 5000) : 0;
		for (unsigned n = 0; n < s->depths[i]; n++)
			s->frames[i][n] = chance(seed, NAMES);
	}
}

static void put_samples(struct file *f, const struct sampled *s)
{
	put(f, "\"samples\":[");
	for (unsigned i = 0; i < SAMPLES; i++) {
		put(f, "%s[", i ? "," : "");
		for (unsigned n = 0; n < s->depths[i]; n++)
			put(f, "%s%u", n ? "," : "", 2 * s->frames[i][n]);
		put(f, "]");
	}
	put(f, "]");
}

static void put_weights(struct file *f, uint32_t *seed, const struct sampled *s,
			const struct unit *unit)
{
	put(f, "\"weights\":[");
	for (unsigned i = 0; i < SAMPLES; i++) {
		put(f, "%s", i ? "," : "");
		put_value(f, seed, unit, s->weights[i]);
	}
	put(f, "]");
}

static void sampled_sums(const struct sampled *s, struct path_sums *sums)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		char path[32] = "";

		for (unsigned n = 0; n < s->depths[i]; n++)
			sprintf(path + strlen(path), "%s%c", n ? ";" : "",
				'a' + (int)s->frames[i][n]);
		path_sums_add(sums, path, s->weights[i]);
	}
}

/* ---- files ---- */

struct drawn_profile {
	bool evented;
	const struct unit *unit;
	struct drawn calls;
	struct sampled samples;
};

/* Its members in any order, `type` perhaps missing. */
static void put_profile(struct file *f, uint32_t *seed, const struct drawn_profile *p,
			unsigned number)
{
	unsigned order[5];
	bool some = false;

	chance_order(seed, order, 5);
	put(f, "{");
	for (unsigned i = 0; i < 5; i++) {
		const bool left_out =
			(order[i] == 0 && chance(seed, 2)) || (order[i] == 4 && p->evented);

		if (left_out)
			continue;
		put(f, "%s", some ? "," : "");
		some = true;
		if (order[i] == 0)
			put(f, "\"type\":\"%s\"", p->evented ? "evented" : "sampled");
		else if (order[i] == 1)
			put(f, "\"name\":\"T%u\"", number);
		else if (order[i] == 2)
			put(f, "\"unit\":\"%s\"", p->unit->name);
		else if (order[i] == 4)
			put_weights(f, seed, &p->samples, p->unit);
		else if (p->evented)
			put_events(f, seed, &p->calls, p->unit);
		else
			put_samples(f, &p->samples);
	}
	put(f, "}");
}

static void put_file(struct file *f, uint32_t *seed, const struct drawn_profile *profiles)
{
	const bool frames_first = chance(seed, 2);

	f->used = 0;
	put(f, "{\"version\":\"1\",");
	if (frames_first)
		put_frames(f);
	put(f, "%s\"profiles\":[", frames_first ? "," : "");
	for (unsigned i = 0; i < PROFILES; i++) {
		put(f, "%s", i ? ",\n" : "");
		put_profile(f, seed, &profiles[i], i);
	}
	put(f, "]");
	if (!frames_first) {
		put(f, ",");
		put_frames(f);
	}
	put(f, "}\n");
}

static uint32_t event_of(const struct tl_profile *profile, const char *name)
{
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		if (!strcmp(tl_profile_event(profile, i)->name, name))
			return i;
	fail_msg("there is no event %s", name);
	return 0;
}

static uint32_t part_of(const struct tl_profile *profile, unsigned number)
{
	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		if (tl_profile_part(profile, i)->thread == number)
			return i;
	fail_msg("there is no part %u", number);
	return 0;
}

static void expect_profile(const struct text *t, const struct drawn_profile *p, unsigned number,
			   const char *text)
{
	const uint32_t part = part_of(t->profile, number);
	struct path_sums wanted = { NULL, 0 };
	char name[8];

	if (p->evented)
		drawn_sums(&p->calls, &wanted);
	else
		sampled_sums(&p->samples, &wanted);
	path_sums_expect_profile(&wanted, t->profile, part, event_of(t->profile, p->unit->event),
				 text);
	path_sums_free(&wanted);
	sprintf(name, "T%u", number);
	assert_string_equal(tl_profile_part(t->profile, part)->command, name);
}

/* `events`: all are evented, of one kind of unit; else both kinds of profiles and any unit. */
static void draw_profiles(struct drawn_profile *profiles, uint32_t *seed, bool events)
{
	const unsigned kind = chance(seed, 3);

	for (unsigned i = 0; i < PROFILES; i++) {
		struct drawn_profile *p = &profiles[i];

		/* One of each kind at least. */
		p->evented = events || (i != 0 && (i == 1 || chance(seed, 2)));
		p->unit = events ? &units[kind ? kind + 3 : chance(seed, 4)]
				 : &units[chance(seed, 6)];
		draw_calls(&p->calls, seed, CALLS, NAMES, chance(seed, 5000));
		draw_samples(&p->samples, seed);
	}
}

TEST(calls_of_one_kind_of_unit)
{
	static struct drawn_profile profiles[PROFILES];
	static struct file file;
	uint32_t seed = 20261128;

	for (unsigned run = 0; run < 60; run++) {
		struct text t;
		bool time;

		draw_profiles(profiles, &seed, true);
		time = !strcmp(profiles[0].unit->event, "Ticks");
		put_file(&file, &seed, profiles);
		text_read_sized(&t, &tl_speedscope_reader, file.text, file.used, false,
				text_options());
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(tl_profile_event_count(t.profile), 1);
		assert_int_equal(tl_profile_frequency(t.profile), time ? 1000000000 : 0);
		assert_int_equal(text_fact(&t, "profiles"), PROFILES);
		assert_int_equal(text_fact(&t, "events"), 2 * PROFILES * CALLS);
		for (unsigned i = 0; i < PROFILES; i++) {
			const struct drawn_profile p = profiles[i];
			const uint32_t part = part_of(t.profile, i);
			struct path_sums wanted = { NULL, 0 };

			drawn_sums(&p.calls, &wanted);
			path_sums_expect_profile(&wanted, t.profile, part, 0, file.text);
			path_sums_free(&wanted);
			for (uint32_t f = 0; f < tl_profile_function_count(t.profile); f++) {
				const struct tl_function *function =
					tl_profile_function(t.profile, f);
				struct tl_function_totals totals;

				tl_profile_function_totals(t.profile, f, part, &totals,
							   sizeof(totals));
				assert_int_equal(
					totals.calls,
					*function->name >= 'a' && *function->name <= 'e'
						? drawn_count(&p.calls,
							      (unsigned)*function->name - 'a')
						: 0);
			}
		}
		text_expect_strict(&t, &tl_speedscope_reader, file.text, file.used);
		text_close(&t);
	}
}

/* "Evented beside sampled profiles: all of it as stacks", each in the event of its unit. */
TEST(calls_beside_samples)
{
	static struct drawn_profile profiles[PROFILES];
	static struct file file;
	uint32_t seed = 4;

	for (unsigned run = 0; run < 60; run++) {
		struct text t;

		draw_profiles(profiles, &seed, false);
		put_file(&file, &seed, profiles);
		text_read_sized(&t, &tl_speedscope_reader, file.text, file.used, false,
				text_options());
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(tl_profile_part_count(t.profile), PROFILES);
		for (unsigned i = 0; i < PROFILES; i++)
			expect_profile(&t, &profiles[i], i, file.text);
		text_close(&t);
	}
}

/* "Its number, from 0, is the thread": one of them alone. */
TEST(one_profile_of_a_file)
{
	static struct drawn_profile profiles[PROFILES];
	static struct file file;
	struct tl_foreign_options options = text_options();
	uint32_t seed = 11;

	for (unsigned run = 0; run < 20; run++) {
		const unsigned number = chance(&seed, PROFILES);
		struct text t;

		draw_profiles(profiles, &seed, false);
		put_file(&file, &seed, profiles);
		options.thread = number;
		text_read_sized(&t, &tl_speedscope_reader, file.text, file.used, false, options);
		assert_int_equal(t.status, 0);
		expect_profile(&t, &profiles[number], number, file.text);
		for (uint32_t i = 0; i < tl_profile_event_count(t.profile); i++) {
			struct path_sums all = { NULL, 0 };
			int64_t sum = 0;

			path_sums_of_profile(&all, t.profile, part_of(t.profile, number), i);
			for (size_t n = 0; n < all.count; n++)
				sum += all.list[n].cost;
			assert_int_equal(tl_profile_total(t.profile)[i], sum);
			path_sums_free(&all);
		}
		text_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_one_kind_of_unit),
		cmocka_unit_test(calls_beside_samples),
		cmocka_unit_test(one_profile_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
