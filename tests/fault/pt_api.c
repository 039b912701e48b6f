/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel PT traces cut at every byte, and damaged, through every decoder of the drop-in: no crash,
 * no hang, no result out of the published ones; and what is not damaged is decoded whole
 * (pt_api_exercise()). pt_api prefixes STEP | mutants COUNT [FIRST] | allocations. Traces:
 * tests/golden/intel_pt, and those of the shared corpus where it is: all prefixes of the former,
 * each STEP-th of the latter. Allocations, each refused in turn, alone and with all later ones: of
 * the former.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "mutate.h"
#include "pt_api.h"
#include "traces.h"
#include "wrap.h"

enum { SEED = 20261121, TRACES_MAX = 32 };

struct subject {
	char *name;
	struct pt_api_input input;
	int ours;
};

struct subjects {
	struct subject list[TRACES_MAX];
	size_t count;
};

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END)) {
		*size = (size_t)ftell(file);
		rewind(file);
		bytes = malloc(*size + 1);
		if (bytes && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}

/* The address that the first section of a map is at: enough, as all that a damaged trace reaches
 * may be missing. */
static uint64_t first_section(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	uint64_t address = 0;
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		char *at = line;

		if (line[0] == '#')
			continue;
		address = strtoull(at, &at, 16);
		*size = (size_t)strtoull(at, &at, 16);
		break;
	}
	if (file)
		fclose(file);
	return address;
}

static void add(struct subjects *subjects, const char *folder, const char *trace, const char *code,
		int ours)
{
	struct subject subject = { .ours = ours };
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.pt", folder, trace);
	subject.input.trace = slurp(path, &subject.input.size);
	subject.name = strdup(path);
	snprintf(path, sizeof(path), "%s/%s.img", folder, code);
	subject.input.code = slurp(path, &subject.input.code_size);
	subject.input.file = strdup(path);
	snprintf(path, sizeof(path), "%s/%s.map", folder, code);
	subject.input.vaddr = first_section(path, &subject.input.code_size);
	subject.input.timed = strstr(trace, "ret") == NULL;
	if (subject.input.trace && subject.input.code && subject.name &&
	    subjects->count < TRACES_MAX) {
		subjects->list[subjects->count++] = subject;
		return;
	}
	free((void *)(uintptr_t)subject.input.trace);
	free((void *)(uintptr_t)subject.input.code);
	free((void *)(uintptr_t)subject.input.file);
	free(subject.name);
}

static void add_all(struct subjects *subjects)
{
	static const char *const programs[] = { "true", "sh", "rec", "sig", "jit" };
	static const char *const variants[] = { "ret", "noret", "time", "cyc", "irq" };
	const char *root = getenv("TL_SOURCE_ROOT"), *shared = getenv("TL_SHARED");
	char folder[2048], trace[64];

	snprintf(folder, sizeof(folder), "%s/tests/golden/intel_pt", root ? root : ".");
	add(subjects, folder, "tiny", "tiny", 1);
	add(subjects, folder, "timed", "tiny", 1);
	if (shared)
		snprintf(folder, sizeof(folder), "%s/corpus/intel-pt", shared);
	else
		snprintf(folder, sizeof(folder), "%s/../shared/corpus/intel-pt", root ? root : ".");
	for (size_t i = 0; i < 25; i++) {
		snprintf(trace, sizeof(trace), "%s.%s", programs[i / 5], variants[i % 5]);
		add(subjects, folder, trace, programs[i / 5], 0);
	}
}

/* A copy of the exact size, so that a sanitizer sees a read of one byte too many. */
static const char *exercise_copy(const struct subject *subject, const uint8_t *bytes, size_t size,
				 size_t number)
{
	struct pt_api_input input = subject->input;
	uint8_t *copy = malloc(size ? size : 1);
	const char *broken;

	memcpy(copy, bytes, size);
	input.trace = copy;
	input.size = size;
	if (number % 16 == 0)
		input.file = NULL;
	watch(30, subject->name);
	broken = pt_api_exercise(&input);
	free(copy);
	return broken;
}

static int prefixes(const struct subjects *subjects, size_t step)
{
	size_t count = 0;
	int failures = 0;

	for (size_t i = 0; i < subjects->count; i++) {
		const struct subject *subject = &subjects->list[i];

		for (size_t size = 0; size <= subject->input.size && failures < 5;
		     size += subject->ours ? 1 : step) {
			const char *broken =
				exercise_copy(subject, subject->input.trace, size, count);

			count++;
			if (broken)
				failures += fprintf(stderr, "%s: first %zu bytes: %s\n",
						    subject->name, size, broken) > 0;
		}
	}
	printf("%zu prefixes of %zu traces, %d failures\n", count, subjects->count, failures);
	return failures;
}

static int mutants(const struct subjects *subjects, size_t count, size_t first)
{
	int failures = 0;

	for (size_t number = first; number < first + count && failures < 5; number++) {
		/* Two of three are of the small ones. */
		const struct subject *subject =
			&subjects->list[number % 3 ? number & 1 : number / 3 % subjects->count];
		struct random random = random_for(SEED, number);
		size_t size = subject->input.size;
		uint8_t *room = malloc(size + 4 * MUTATE_GROWTH);
		const char *kind = "", *broken;

		memcpy(room, subject->input.trace, size);
		for (size_t n = 1 + random_below(&random, 6) / 4; n; n--)
			kind = mutate(room, &size, &random);
		broken = exercise_copy(subject, room, size, number);
		free(room);
		if (broken)
			failures += fprintf(stderr, "%s: mutant %zu (%s): %s\n", subject->name,
					    number, kind, broken) > 0;
	}
	printf("%zu mutants of %zu traces, %d failures\n", count, subjects->count, failures);
	return failures;
}

/* What is said where memory is refused: no decoder, or an error again and again. */
static bool is_memory(const char *broken)
{
	return !strncmp(broken, "no ", 3) || strstr(broken, "without end");
}

static int fail_each(const struct subject *subject, bool onward)
{
	int64_t before = wrap_live();
	uint64_t asked;
	int failures = 0;

	wrap_arm(0, false);
	exercise_copy(subject, subject->input.trace, subject->input.size, 1);
	asked = wrap_disarm();
	for (uint64_t n = 1; n <= asked && failures < 3; n++) {
		const char *broken;

		if (!wrap_turn(n, onward))
			continue;
		watch(60, subject->name);
		wrap_arm(n, onward);
		broken = pt_api_exercise(&subject->input);
		wrap_disarm();
		if (wrap_live() != before)
			broken = "leaks";
		if (broken && (!is_memory(broken) || wrap_live() != before))
			failures += fprintf(stderr, "%s: allocation %llu%s refused: %s\n",
					    subject->name, (unsigned long long)n,
					    onward ? " and later" : "", broken) > 0;
	}
	printf("%s: %llu allocations\n", subject->name, (unsigned long long)asked);
	return failures;
}

static int allocations(const struct subjects *subjects)
{
	int failures = 0;

	for (size_t i = 0; i < subjects->count; i++)
		for (unsigned onward = 0; subjects->list[i].ours && onward < 2; onward++)
			failures += fail_each(&subjects->list[i], onward);
	return failures;
}

int main(int argc, char **argv)
{
	static struct subjects subjects;
	int failures;

	if (argc < 2)
		return 2;
	add_all(&subjects);
	if (subjects.count < 2) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	if (argc == 2)
		failures = allocations(&subjects);
	else if (!strcmp(argv[1], "prefixes"))
		failures = prefixes(&subjects, strtoul(argv[2], NULL, 10));
	else
		failures = mutants(&subjects, strtoul(argv[2], NULL, 10),
				   argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
	for (size_t i = 0; i < subjects.count; i++) {
		free((void *)(uintptr_t)subjects.list[i].input.trace);
		free((void *)(uintptr_t)subjects.list[i].input.code);
		free((void *)(uintptr_t)subjects.list[i].input.file);
		free(subjects.list[i].name);
	}
	return failures != 0;
}
