/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every prefix and 10,000 mutants of small Intel PT traces: no crash, no hang, and what
 * exercise_pt() holds to be true. "1,000 deterministic mutants of four small traces ...: 0 crashes,
 * 0 hangs ...: that is the bar" (docs/formats/intel-pt.md, 10).
 *
 *   pt_damage STEP MUTANTS FOLDER...   every STEP-th prefix; traces are FOLDER/NAME.pt of at most
 *                                      32 KiB
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "mutate.h"
#include "pt_flow.h"
#include "traces.h"

enum { SEED = 20261121, LARGEST = 32 << 10, MOST = 64 };

struct file {
	char name[600];
	uint8_t *data;
	size_t size;
};

static struct file files[MOST];
static size_t count;

static void load(const char *path)
{
	struct file *file = &files[count];
	FILE *in = fopen(path, "rb");

	if (!in || count == MOST)
		return;
	snprintf(file->name, sizeof(file->name), "%s", path);
	file->data = malloc(LARGEST + 1);
	file->size = file->data ? fread(file->data, 1, LARGEST + 1, in) : 0;
	fclose(in);
	if (file->size && file->size <= LARGEST)
		count++;
	else
		free(file->data);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void load_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		const char *end = strrchr(entry->d_name, '.');
		char path[600];

		if (!end || strcmp(end, ".pt"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		load(path);
	}
	if (dir)
		closedir(dir);
}

/* An allocation of the exact size lets the sanitizer see a read of one byte too many. */
static int exercise_copy(const struct file *file, const uint8_t *data, size_t size, uint32_t choice,
			 const char *what, size_t number)
{
	uint8_t *copy = malloc(size ? size : 1);
	const char *broken;

	if (!copy)
		exit(2);
	memcpy(copy, data, size);
	watch(20, file->name);
	broken = exercise_pt(copy, size, choice);
	free(copy);
	if (broken)
		fprintf(stderr, "%s: %s %zu: %s\n", file->name, what, number, broken);
	return broken != NULL;
}

/* Prefixes that end in the first or the last two kilobytes: between them they are alike. */
static int prefixes(const struct file *file, size_t step)
{
	int failures = 0;

	for (size_t size = 0; size <= file->size && failures < 5; size += step)
		if (size <= 2048 || size + 2048 >= file->size)
			failures += exercise_copy(file, file->data, size,
						  (uint32_t)(size * 0x9e3779b9u), "prefix", size);
	return failures;
}

static int mutant(const struct file *file, size_t number)
{
	static uint8_t room[LARGEST + 4 * MUTATE_GROWTH];
	struct random random = random_for(SEED, number);
	size_t size = file->size;

	memcpy(room, file->data, size);
	for (size_t n = 1 + random_below(&random, 6) / 4 + random_below(&random, 6) / 5; n; n--)
		mutate(room, &size, &random);
	return exercise_copy(file, room, size, (uint32_t)random_next(&random), "mutant", number);
}

int main(int argc, char **argv)
{
	size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	size_t mutants = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	int failures = 0;

	for (int i = 3; i < argc; i++)
		load_folder(argv[i]);
	if (!count) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	qsort(files, count, sizeof(files[0]), by_name);
	for (size_t i = 0; i < count && failures < 20; i++)
		failures += prefixes(&files[i], step ? step : 1);
	for (size_t i = 0; i < mutants && failures < 20; i++)
		failures += mutant(&files[i % count], i);
	printf("%zu traces, %zu mutants, %d failures\n", count, mutants, failures);
	for (size_t i = 0; i < count; i++)
		free(files[i].data);
	return failures != 0;
}
