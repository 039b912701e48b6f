/* SPDX-License-Identifier: Apache-2.0 */
/*
 * situations THEIRS OURS WHAT [COUNT]     files of the two libraries; "-" for OURS: tl_pt_*
 *
 *   try WORD...          one situation: what both say
 *   overflows [EVERY]    what was before, an OVF, what stands behind: every EVERYth
 *   errata [EVERY]       where an erratum may strike without an OVF
 *   clocks [COUNT]       packets of time at random
 *
 * With TL_LONG set in the environment COUNT does not count: all of them, or 100,000.
 *
 * Exit status 1 when answers differ, with the shortest situation of each kind of difference; 77
 * without a library to compare with.
 */
#include "situations.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_library(struct library *library, const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		printf("skipped: %s\n", dlerror());
		exit(77);
	}
#define LIBRARY_SYMBOL(name)                                                                       \
	*(void **)&library->name = dlsym(handle, #name);                                           \
	if (!library->name)                                                                        \
		exit(2);
	LIBRARY_FUNCTIONS(LIBRARY_SYMBOL)
#undef LIBRARY_SYMBOL
	library->image = library->pt_image_alloc("code");
	library->pt_image_set_callback(library->image, read_code, NULL);
}

enum { KINDS_MOST = 4096 };

struct run {
	struct library theirs, ours;
	bool native; /* ours is tl_pt_* */
	bool less;   /* what differs on purpose is left out */
	unsigned long count, differ, skipped, times[SAMENESSES], kinds_count;
	struct kind {
		char *name;
		unsigned long count;
		char *line;
	} kinds[KINDS_MOST];
};

static const char *const face_names[FACES] = { "query", "insns", "blocks" };

/* ---- kinds of differences ---- */

/* A line without its numbers. */
static void plain(char *to, size_t room, const char *line)
{
	size_t size = 0;

	for (; *line && *line != '\n' && size + 1 < room; line++)
		if (size < 8 || !strchr("0123456789abcdef", *line))
			to[size++] = *line;
	to[size] = '\0';
}

/* The first line that differs. */
static void first_difference(const char *a, const char *b, char *name, size_t room)
{
	const char *line_a = a, *line_b = b;
	size_t size;

	for (; *a && *a == *b; a++, b++)
		if (*a == '\n')
			line_a = a + 1, line_b = b + 1;
	plain(name, room / 2, line_a);
	size = strlen(name);
	size += (size_t)snprintf(name + size, room - size, " | ");
	plain(name + size, room - size, line_b);
}

static void count_kind(struct run *run, enum face face, const char *name, const char *line)
{
	char full[512];
	unsigned long i = 0;

	snprintf(full, sizeof(full), "%s: %s", face_names[face], name);
	while (i < run->kinds_count && strcmp(run->kinds[i].name, full))
		i++;
	if (i == KINDS_MOST)
		return;
	if (i == run->kinds_count)
		run->kinds[run->kinds_count++] = (struct kind){ strdup(full), 0, strdup(line) };
	run->kinds[i].count++;
	if (strlen(line) < strlen(run->kinds[i].line)) {
		free(run->kinds[i].line);
		run->kinds[i].line = strdup(line);
	}
}

static void note(struct run *run, enum face face, const struct answer *theirs,
		 const struct answer *ours, const char *line)
{
	bool flow = strcmp(theirs->flow.bytes, ours->flow.bytes);
	char name[400];

	first_difference(flow ? theirs->flow.bytes : theirs->status.bytes,
			 flow ? ours->flow.bytes : ours->status.bytes, name, sizeof(name));
	count_kind(run, face, name, line);
}

/* ---- comparing ---- */

static void decode_ours(const struct run *run, enum face face, const struct situation *situation,
			struct answer *answer)
{
	if (run->native)
		decode_native(face, situation, answer);
	else
		decode(&run->ours, face, situation, answer);
}

static bool compare_face(struct run *run, enum face face, const struct situation *situation,
			 const char *line)
{
	static struct answer theirs, ours;
	enum sameness same;

	if (run->less && is_known(face, line)) {
		run->skipped++;
		return true;
	}
	theirs.less = ours.less = run->less;
	decode(&run->theirs, face, situation, &theirs);
	decode_ours(run, face, situation, &ours);
	same = how_same(face, &theirs, &ours);
	run->times[same]++;
	if (same == DIFFERENT)
		note(run, face, &theirs, &ours, line);
	return same != DIFFERENT;
}

static void compare(void *context, const char *line)
{
	static struct situation situation;
	struct run *run = context;
	bool good = true;

	if (!read_situation(&situation, line))
		exit(2);
	for (int face = 0; face < FACES; face++)
		good &= compare_face(run, (enum face)face, &situation, line);
	run->count++;
	run->differ += !good;
}

static void show(struct run *run, const char *line)
{
	static struct situation situation;
	static struct answer answer;

	if (!read_situation(&situation, line))
		exit(2);
	for (int face = 0; face < FACES; face++) {
		decode(&run->theirs, (enum face)face, &situation, &answer);
		printf("---- %s, theirs\n%s%s", face_names[face], answer.flow.bytes,
		       answer.status.bytes);
		decode_ours(run, (enum face)face, &situation, &answer);
		printf("---- %s, ours\n%s%s", face_names[face], answer.flow.bytes,
		       answer.status.bytes);
	}
	compare(run, line);
}

static int more_first(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static void report(struct run *run)
{
	enum { SHOWN = 20 };

	qsort(run->kinds, run->kinds_count, sizeof(run->kinds[0]), more_first);
	for (unsigned long i = 0; i < run->kinds_count && i < SHOWN; i++)
		printf("%lu: %s\n\t%s\n", run->kinds[i].count, run->kinds[i].name,
		       run->kinds[i].line);
	printf("%lu of %lu situations are answered the same: %lu answers to their ends, %lu up to "
	       "an "
	       "error, %lu up to where one stops; %lu are not compared\n",
	       run->count - run->differ, run->count, run->times[SAME], run->times[SAME_TO_ERROR],
	       run->times[SAME_TO_STOP], run->skipped);
}

static void try_words(struct run *run, char **words)
{
	char line[4096] = "";
	size_t size = 0;

	for (; *words; words++)
		size += (size_t)snprintf(line + size, sizeof(line) - size, "%s%s", size ? " " : "",
					 *words);
	show(run, line);
}

int main(int argc, char **argv)
{
	static struct run run;
	unsigned long count = argc > 4 && !getenv("TL_LONG") ? strtoul(argv[4], NULL, 10) : 0;

	if (argc < 4)
		return 2;
	open_library(&run.theirs, argv[1]);
	if (strstr(run.theirs.pt_library_version().ext, "tracelathe")) {
		puts("skipped: no libipt but ours");
		return 77;
	}
	run.native = run.less = !strcmp(argv[2], "-");
	if (!run.native)
		open_library(&run.ours, argv[2]);
	if (!strcmp(argv[3], "try")) {
		try_words(&run, argv + 4);
	} else if (!strcmp(argv[3], "overflows")) {
		all_overflows(count ? count : 1, compare, &run);
	} else if (!strcmp(argv[3], "errata")) {
		all_errata(count ? count : 1, compare, &run);
	} else if (!strcmp(argv[3], "clocks")) {
		/* Times must be the same, whoever tells them. */
		run.less = false;
		all_clocks(count ? count : 100000, compare, &run);
	} else {
		return 2;
	}
	report(&run);
	return run.differ || !run.count ? 1 : 0;
}
