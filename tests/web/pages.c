/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles made by hand, written as pages and pictures for the tests of this folder:
 *
 *   pages KIND page|svg > FILE
 *
 * small   main 10, main>a 20, main>a>b 30, main>b 5: 65 in all, in thread 2
 * threads two threads and two events: what is large in one is small in the other
 * diff    small against a baseline with main>a>b 10, main>c 15 and no main>b: 55 in all
 * sums    functions and arcs without contexts, with recursion
 * deep    a chain of 100,000 frames
 * large   10 million calls in 300,000 contexts of 2,000 functions, 90 levels deep
 * hostile names that would be tags, scripts and ends of both
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/export.h>

#include "profile/model/unsized.h"

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "pages: %s failed\n", what);
	exit(1);
}

static struct tl_profile *new_profile(uint32_t events)
{
	static const struct tl_event known[] = {
		{ "Ticks", "Clock Ticks", "ticks", "" },
		{ "Bytes", "Allocated", "bytes", "" },
	};
	struct tl_profile *profile;

	need(!tl_profile_make(&profile, "test", known, events, 1000000, NULL), "a profile");
	return profile;
}

static uint32_t part(struct tl_profile *profile, uint64_t thread, const char *command)
{
	struct tl_part added = { .process = 1, .thread = thread, .command = command, .header = "" };
	int64_t number = tl_profile_put_part(profile, &added, NULL);

	need(number >= 0, "a part");
	return (uint32_t)number;
}

static uint32_t function(struct tl_profile *profile, const char *name, const char *file,
			 uint32_t line)
{
	struct tl_function added = {
		.name = name, .object = "prog", .file = file, .id = TL_NOWHERE, .line = line
	};
	int64_t number = tl_profile_put_function(profile, &added, NULL);

	need(number >= 0, "a function");
	return (uint32_t)number;
}

static uint32_t context(struct tl_profile *profile, uint32_t parent, uint32_t function,
			uint32_t part, uint64_t calls, int64_t ticks, int64_t bytes)
{
	const int64_t cost[2] = { ticks, bytes };
	int64_t number = tl_profile_add_context(profile, parent, function, part, NULL);

	need(number >= 0, "a context");
	tl_profile_add_context_cost(profile, (uint32_t)number, calls, cost);
	return (uint32_t)number;
}

static struct tl_profile *finished(struct tl_profile *profile)
{
	need(!tl_profile_finish(profile, NULL), "finishing");
	return profile;
}

static struct tl_profile *make_small(void)
{
	struct tl_profile *p = new_profile(1);
	uint32_t t = part(p, 2, "prog"), m = function(p, "main", "main.c", 10),
		 a = function(p, "a", "a.c", 20);
	uint32_t b = function(p, "b", "b.c", 30), top = context(p, TL_NONE, m, t, 1, 10, 0);

	context(p, context(p, top, a, t, 2, 20, 0), b, t, 3, 30, 0);
	context(p, top, b, t, 1, 5, 0);
	return finished(p);
}

static struct tl_profile *make_before(void)
{
	struct tl_profile *p = new_profile(1);
	uint32_t t = part(p, 2, "prog"), m = function(p, "main", "main.c", 10),
		 a = function(p, "a", "a.c", 20);
	uint32_t b = function(p, "b", "b.c", 30), c = function(p, "c", "c.c", 40),
		 top = context(p, TL_NONE, m, t, 1, 10, 0);

	context(p, context(p, top, a, t, 2, 20, 0), b, t, 1, 10, 0);
	context(p, top, c, t, 1, 15, 0);
	return finished(p);
}

static struct tl_profile *make_threads(void)
{
	struct tl_profile *p = new_profile(2);
	uint32_t one = part(p, 7, "reader"), two = part(p, 8, "writer");
	uint32_t m = function(p, "main", "main.c", 1), w = function(p, "work", "work.c", 2),
		 i = function(p, "idle", "", 0);
	uint32_t top = context(p, TL_NONE, m, one, 1, 100, 0);

	context(p, top, w, one, 4, 300, 4096);
	top = context(p, TL_NONE, m, two, 1, 0, 1024);
	context(p, top, i, two, 9, 600, 0);
	return finished(p);
}

static void line(struct tl_profile *profile, uint32_t function, int64_t cost)
{
	struct tl_cost_line added = { .function = function, .part = TL_NONE, .at = { .file = "" } };

	need(!tl_profile_put_line(profile, &added, &cost, NULL), "a line");
}

static void arc(struct tl_profile *profile, uint32_t caller, uint32_t callee, uint64_t calls,
		int64_t cost)
{
	struct tl_arc added = { .caller = caller,
				.callee = callee,
				.part = TL_NONE,
				.calls = calls,
				.from = { .file = "" },
				.to = { .file = "" } };

	need(!tl_profile_put_arc(profile, &added, &cost, NULL), "an arc");
}

/* main 10 calls a (60) and b (30); both call c (40 and 20 of its 60), which calls itself. */
static struct tl_profile *make_sums(void)
{
	struct tl_profile *p = new_profile(1);
	uint32_t m = function(p, "main", "main.c", 1), a = function(p, "a", "a.c", 2),
		 b = function(p, "b", "b.c", 3);
	uint32_t c = function(p, "c", "c.c", 4);

	line(p, m, 10);
	line(p, a, 20);
	line(p, b, 10);
	line(p, c, 60);
	arc(p, m, a, 1, 60);
	arc(p, m, b, 1, 30);
	arc(p, a, c, 4, 40);
	arc(p, b, c, 2, 20);
	arc(p, c, c, 100, 50);
	return finished(p);
}

static struct tl_profile *make_deep(void)
{
	struct tl_profile *p = new_profile(1);
	uint32_t t = part(p, 2, ""), f = function(p, "recurse", "deep.c", 1), at = TL_NONE;

	for (int i = 0; i < 100000; i++)
		at = context(p, at, f, t, 1, 1, 0);
	return finished(p);
}

/* A linear congruential generator (Knuth's MMIX constants): the same page every time. */
static uint32_t next(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % below);
}

static const char *made_up_name(uint32_t number, char *name, size_t size)
{
	static const char *const rooms[] = { "net",    "store", "index", "parse",
					     "render", "cache", "sched", "codec" };
	static const char *const verbs[] = { "read",    "write",  "lookup", "merge",
					     "encode",  "decode", "flush",  "visit",
					     "insert",  "split",  "scan",   "resolve",
					     "compact", "hash",   "sort",   "commit" };
	static const char *const nouns[] = { "Block", "Row",     "Key", "Frame",
					     "Node",  "Segment", "Tile" };

	snprintf(name, size, "%s::%s%s(%s%u)", rooms[number % 8], verbs[number / 8 % 16],
		 nouns[number % 7], number % 3 ? "int, " : "std::string const&, ", number / 128);
	return name;
}

enum { FUNCTIONS = 2000, CONTEXTS = 300000, LEVELS = 90 };

/*
 * New contexts prefer recent callers, so that paths grow deep; costs are skewed as real ones are.
 */
static struct tl_profile *make_large(void)
{
	static uint32_t at[CONTEXTS], depth[CONTEXTS];
	struct tl_profile *p = new_profile(1);
	uint32_t parts[4];
	uint64_t seed = 42;
	char name[128], file[32];

	for (uint32_t i = 0; i < 4; i++)
		parts[i] = part(p, 100 + i, i ? "worker" : "main");
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		snprintf(file, sizeof(file), "src/file%u.cpp", (unsigned)(i % 97));
		function(p, made_up_name(i, name, sizeof(name)), file, i % 400 + 1);
	}
	for (uint32_t i = 0; i < CONTEXTS; i++) {
		uint32_t back = next(&seed, 8) ? next(&seed, 64) + 1 : next(&seed, 100000) + 1;
		uint32_t parent = i < 4 ? TL_NONE : i < back + 4 ? i % 4 : i - back;
		int64_t cost = next(&seed, 1000) < 20 ? next(&seed, 2000000) : next(&seed, 900);

		if (parent != TL_NONE && depth[parent] >= LEVELS)
			parent = i % 4;
		depth[i] = parent == TL_NONE ? 0 : depth[parent] + 1;
		at[i] = context(p, parent == TL_NONE ? TL_NONE : at[parent],
				i < 4 ? i : next(&seed, FUNCTIONS),
				parent == TL_NONE ? parts[i]
						  : tl_profile_context(p, at[parent])->part,
				33, cost, 0);
	}
	return finished(p);
}

static struct tl_profile *make_hostile(void)
{
	struct tl_profile *p = new_profile(1);
	uint32_t t = part(p, 2, "<b>"), top;

	top = context(p, TL_NONE,
		      function(p, "</script><script>document.title='broken'</script>", "<!--", 1),
		      t, 1, 10, 0);
	top = context(p, top,
		      function(p, "<img src=x onerror=\"document.title='broken'\">", "]]>&amp;", 2),
		      t, 1, 10, 0);
	context(p, top,
		function(p, "\xff\x01 \"quotes\" & 'more' \xe2\x80\xa8 <!--<script>", "", 0), t, 1,
		10, 0);
	return finished(p);
}

static const struct kind {
	const char *name;
	struct tl_profile *(*make)(void);
	struct tl_profile *(*before)(void);
} kinds[] = {
	{ "small", make_small, NULL },       { "threads", make_threads, NULL },
	{ "diff", make_small, make_before }, { "sums", make_sums, NULL },
	{ "deep", make_deep, NULL },         { "large", make_large, NULL },
	{ "hostile", make_hostile, NULL },
};

static int write_kind(const struct kind *kind, bool svg)
{
	struct tl_profile *profile = kind->make(), *before = kind->before ? kind->before() : NULL;
	const struct tl_flame_options options = { .size = sizeof(options),
						  .form = svg ? TL_FLAME_SVG : TL_FLAME_PAGE,
						  .threshold = -1,
						  .name = kind->name,
						  .baseline_name = "before",
						  .when = "2026-01-02 03:04 UTC" };
	struct tl_output *out;
	struct tl_error err;
	int status;

	need(!tl_output_open(&out, NULL, &err), "the output");
	status = tl_flame_write(profile, before, &options, out, &err);
	if (status < 0)
		fprintf(stderr, "pages: %s\n", err.text);
	need(!tl_output_commit(out, &err), "writing");
	tl_profile_free(profile);
	tl_profile_free(before);
	return status == TL_UNSUPPORTED ? 77 : status < 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "has-page"))
		return tl_flame_has_page() ? 0 : 77;
	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			return write_kind(&kinds[i], !strcmp(argv[2], "svg"));
	fputs("usage: pages small|threads|diff|sums|deep|large|hostile page|svg\n", stderr);
	return 2;
}
