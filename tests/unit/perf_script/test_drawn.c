/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of perf script made of samples that were drawn: threads, events, call chains with symbols,
 * offsets, objects and places. Each prefix of it has what the samples cost that are whole.
 */
#include "../foreign/chance.h"

#include "perf_script/perf_script.h"

enum { SAMPLES = 30, DEPTH = 6, THREADS = 3, EVENTS = 3, NAMES = 6 };

static const char *const event_names[] = { "cycles:u", "sched:sched_switch", "task-clock" };
static const char *const commands[] = { "a", "my prog 2", "kworker/0:1-ev" };
static const char *const symbols[] = { "main",      "operator()(int, char)",  "f+g",
				       "[unknown]", "std::map<int, int>::at", "x" };
static const char *const objects[] = { "/bin/p",  "[kernel.kallsyms]", "/memfd:x (deleted)",
				       "inlined", "/lib/a b.so",       "[unknown]" };

struct sample {
	unsigned thread, event, depth, names[DEPTH];
	uint64_t period; /* TL_NOWHERE: not printed */
	uint64_t ns;
	size_t end; /* where the text of the sample ends, without its empty line */
};

struct script {
	struct sample samples[SAMPLES];
	char text[SAMPLES * 1024];
	size_t size;
};

static void put_frame(struct script *s, uint32_t *seed, unsigned name)
{
	static const char *const offsets[] = { "+0x1f", "", "+0xdeadbeef", "+0x0" };

	s->size += (size_t)sprintf(s->text + s->size, "\t%16x %s%s (%s)\n", 1 + chance(seed, 65535),
				   symbols[name], offsets[chance(seed, 4)], objects[name]);
	if (!chance(seed, 4))
		s->size += (size_t)sprintf(s->text + s->size, "  dir/%u.c:%u\n", name, name + 1);
}

static void put_sample(struct script *s, uint32_t *seed, struct sample *x)
{
	s->size += (size_t)sprintf(s->text + s->size,
				   "%s %5u/%u [%03u] %u.%09u: ", commands[x->thread],
				   10 + x->thread, 20 + x->thread, chance(seed, 8),
				   (unsigned)(x->ns / 1000000000), (unsigned)(x->ns % 1000000000));
	if (x->period != TL_NOWHERE)
		s->size += (size_t)sprintf(s->text + s->size, "%10u ", (unsigned)x->period);
	s->size += (size_t)sprintf(s->text + s->size, "%s: \n", event_names[x->event]);
	for (unsigned i = x->depth; i-- > 0;)
		put_frame(s, seed, x->names[i]);
	x->end = s->size - 1;
	s->size += (size_t)sprintf(s->text + s->size, "%s", chance(seed, 3) ? "\n" : "\n \n");
}

static void draw(struct script *s, uint32_t *seed)
{
	uint64_t ns = 5000000000;

	s->size = (size_t)sprintf(s->text, "# captured\n#\n");
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct sample *x = &s->samples[i];

		ns += 1 + chance(seed, 60000);
		*x = (struct sample){
			.thread = chance(seed, THREADS),
			/* The first of each event in order, so that their columns are known. */
			.event = i < EVENTS ? i : chance(seed, EVENTS),
			.depth = chance(seed, DEPTH + 1),
			.period = chance(seed, 4) ? chance(seed, 100000) : TL_NOWHERE,
			.ns = ns,
		};
		for (unsigned n = 0; n < x->depth; n++)
			x->names[n] = chance(seed, NAMES);
		put_sample(s, seed, x);
	}
}

static void path_of(const struct sample *x, char *path)
{
	strcpy(path, x->depth ? "" : "[unknown]");
	for (unsigned i = 0; i < x->depth; i++)
		sprintf(path + strlen(path), "%s%s", i ? ";" : "", symbols[x->names[i]]);
}

static uint32_t part_of(const struct tl_profile *profile, unsigned thread)
{
	for (uint32_t i = 0; i < tl_profile_part_count(profile); i++)
		if (tl_profile_part(profile, i)->thread == 20 + thread)
			return i;
	return TL_NONE;
}

/* Of a thread, the samples [0, count): costs, times, names. */
static void expect_thread(const struct text *t, const struct script *s, unsigned count,
			  unsigned thread)
{
	const uint32_t part = part_of(t->profile, thread);
	uint64_t first = 0, last = 0;

	for (uint32_t event = 0; event < EVENTS; event++) {
		struct path_sums periods = { NULL, 0 }, samples = { NULL, 0 };

		for (unsigned i = 0; i < count; i++) {
			const struct sample *x = &s->samples[i];
			char path[512];

			if (x->thread != thread)
				continue;
			first = first ? first : x->ns;
			last = x->ns;
			if (x->event != event)
				continue;
			path_of(x, path);
			path_sums_add(&periods, path,
				      x->period == TL_NOWHERE ? 1 : (int64_t)x->period);
			path_sums_add(&samples, path, 1);
		}
		if (samples.count && event < tl_profile_event_count(t->profile) / 2) {
			path_sums_expect_profile(&periods, t->profile, part, 2 * event, s->text);
			path_sums_expect_profile(&samples, t->profile, part, 2 * event + 1,
						 s->text);
		}
		path_sums_free(&periods);
		path_sums_free(&samples);
	}
	assert_int_equal(part == TL_NONE, !first);
	if (!first)
		return;
	assert_string_equal(tl_profile_part(t->profile, part)->command, commands[thread]);
	assert_int_equal(tl_profile_part(t->profile, part)->process, 10 + thread);
	assert_int_equal(tl_profile_part(t->profile, part)->first_ticks, first);
	assert_int_equal(tl_profile_part(t->profile, part)->last_ticks, last);
}

TEST(samples_that_were_drawn)
{
	static struct script script;
	uint32_t seed = 20261128;

	for (unsigned run = 0; run < 60; run++) {
		uint64_t chains = 0;
		struct text t;

		draw(&script, &seed);
		text_read_sized(&t, &tl_perf_script_reader, script.text, script.size, false,
				text_options());
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(tl_profile_event_count(t.profile), 2 * EVENTS);
		for (unsigned thread = 0; thread < THREADS; thread++)
			expect_thread(&t, &script, SAMPLES, thread);
		for (unsigned i = 0; i < SAMPLES; i++)
			chains += script.samples[i].depth > 1;
		assert_int_equal(text_fact(&t, "samples"), SAMPLES);
		assert_int_equal(text_fact(&t, "call_chains"), chains);
		text_close(&t);
	}
}

/* Names, objects, files and lines of the functions. */
TEST(functions_of_frames)
{
	static struct script script;
	uint32_t seed = 6;
	struct text t;
	uint32_t found = 0;

	draw(&script, &seed);
	text_read_sized(&t, &tl_perf_script_reader, script.text, script.size, false,
			text_options());
	for (uint32_t i = 0; i < tl_profile_function_count(t.profile); i++) {
		const struct tl_function *f = tl_profile_function(t.profile, i);
		unsigned name = 0;

		while (name < NAMES && strcmp(f->name, symbols[name]))
			name++;
		assert_true(name < NAMES);
		/* Of a sample without a chain, and of what is inlined, there is none. */
		if (*f->object)
			assert_string_equal(f->object, objects[name]);
		else
			assert_true(!strcmp(objects[name], "inlined") ||
				    !strcmp(f->name, "[unknown]"));
		if (*f->file) {
			char file[32];

			sprintf(file, "dir/%u.c", name);
			assert_string_equal(f->file, file);
			assert_int_equal(f->line, name + 1);
			found++;
		}
	}
	assert_true(found > 0);
	text_close(&t);
}

/* Behind the line that ends a sample, all that was read of it counts. */
TEST(prefixes_at_the_ends_of_samples)
{
	static struct script script;
	uint32_t seed = 9;

	for (unsigned run = 0; run < 4; run++) {
		draw(&script, &seed);
		for (unsigned i = 0; i < SAMPLES; i++)
			for (unsigned more = 0; more < 2; more++) {
				struct text t;

				text_read_sized(&t, &tl_perf_script_reader, script.text,
						script.samples[i].end + more, false,
						text_options());
				assert_int_equal(t.status, 0);
				assert_int_equal(t.foreign.faults.count, 0);
				for (unsigned thread = 0; thread < THREADS; thread++)
					expect_thread(&t, &script, i + 1, thread);
				text_close(&t);
			}
	}
}

/* A byte of the text is another one: no more than one sample is another, or two are one. */
TEST(a_byte_is_another_one)
{
	static struct script script;
	uint32_t seed = 14;

	draw(&script, &seed);
	for (unsigned run = 0; run < 3000; run++) {
		char *at = script.text + 14 + chance(&seed, (unsigned)script.size - 14);
		const char was = *at;
		uint64_t samples;
		struct text t;

		*at = (char)(1 + chance(&seed, 255));
		text_read_sized(&t, &tl_perf_script_reader, script.text, script.size, false,
				text_options());
		assert_int_equal(t.status, 0);
		samples = text_fact(&t, "samples");
		assert_in_range(samples, SAMPLES - 1, SAMPLES + 1);
		text_expect_strict(&t, &tl_perf_script_reader, script.text, script.size);
		/* Each sample is one, whatever its event is. */
		if (tl_profile_event_count(t.profile) == 2 * EVENTS) {
			int64_t sum = 0;

			for (uint32_t i = 0; i < EVENTS; i++)
				sum += tl_profile_total(t.profile)[2 * i + 1];
			assert_int_equal(sum, samples);
		}
		text_close(&t);
		*at = was;
	}
}

/* One thread, one process: what the filters let pass. */
TEST(threads_that_are_chosen)
{
	static struct script script;
	struct tl_foreign_options options = text_options();
	uint32_t seed = 15;
	struct text t;

	draw(&script, &seed);
	for (unsigned thread = 0; thread < THREADS; thread++) {
		options.thread = thread % 2 ? TL_NOWHERE : 20 + thread;
		options.process = thread % 2 ? 10 + thread : TL_NOWHERE;
		text_read_sized(&t, &tl_perf_script_reader, script.text, script.size, false,
				options);
		assert_int_equal(t.status, 0);
		assert_int_equal(t.foreign.faults.count, 0);
		assert_int_equal(tl_profile_part_count(t.profile), 1);
		assert_int_equal(tl_profile_part(t.profile, 0)->thread, 20 + thread);
		text_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_that_were_drawn),
		cmocka_unit_test(functions_of_frames),
		cmocka_unit_test(prefixes_at_the_ends_of_samples),
		cmocka_unit_test(a_byte_is_another_one),
		cmocka_unit_test(threads_that_are_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
