/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzz engine: replay [-m MUTANTS] [-s SECONDS] FILE|FOLDER...
 * Each file is fed as it is and then in MUTANTS deterministic mutants, every second of which keeps
 * to the target's format if there is a mutator for that; with -s, mutants of all files in turn for
 * so long a time of the processor, and the rate is printed.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"
#include "mutator.h"

/* That of the target's format, if it has one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
	__attribute__((weak));

/* What the mutant that is being made depends on. */
static struct random *choices;

struct input {
	uint8_t *data;
	size_t size;
};

struct inputs {
	struct input *list;
	size_t count;
};

static void add_file(struct inputs *inputs, const char *path)
{
	struct stat st;
	FILE *file = fopen(path, "rb");

	if (!file || fstat(fileno(file), &st)) {
		perror(path);
		exit(2);
	}
	struct input input = { malloc((size_t)st.st_size + 1), (size_t)st.st_size };
	struct input *grown = realloc(inputs->list, (inputs->count + 1) * sizeof(*grown));

	if (!input.data || !grown || fread(input.data, 1, input.size, file) != input.size) {
		perror(path);
		exit(2);
	}
	fclose(file);
	inputs->list = grown;
	inputs->list[inputs->count++] = input;
}

static void add(struct inputs *inputs, const char *path)
{
	struct dirent **names;
	char below[4096];
	int count = scandir(path, &names, NULL, alphasort);

	if (count < 0) {
		add_file(inputs, path);
		return;
	}
	for (int i = 0; i < count; i++) {
		snprintf(below, sizeof(below), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add(inputs, below);
		free(names[i]);
	}
	free(names);
}

/* On an allocation of the exact size, so that the sanitizer sees a read of one byte too many. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* The mutator of bytes, in an engine's place. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	if (most >= size + MUTATE_GROWTH)
		mutate(data, &size, choices);
	return size;
}

static void feed_mutant(const struct inputs *inputs, uint64_t number)
{
	const struct input *input = &inputs->list[number % inputs->count];
	struct random random = random_for(1, number);
	size_t size = input->size;
	uint8_t *room = malloc(size + MUTATE_GROWTH);

	memcpy(room, input->data, size);
	choices = &random;
	if (LLVMFuzzerCustomMutator && number / inputs->count % 2)
		size = LLVMFuzzerCustomMutator(room, size, size + MUTATE_GROWTH,
					       (unsigned)random_next(&random));
	else
		mutate(room, &size, &random);
	feed(room, size);
	free(room);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t feed_for(const struct inputs *inputs, double seconds)
{
	double end = now() + seconds;
	uint64_t done = 0;

	while (now() < end)
		for (int i = 0; i < 64; i++)
			feed_mutant(inputs, done++);
	return done;
}

int main(int argc, char **argv)
{
	struct inputs inputs = { 0 };
	unsigned long mutants = 0;
	double seconds = 0;
	int option;

	while ((option = getopt(argc, argv, "m:s:")) != -1)
		if (option == 'm')
			mutants = strtoul(optarg, NULL, 10);
		else if (option == 's')
			seconds = strtod(optarg, NULL);
		else
			return 2;
	for (int i = optind; i < argc; i++)
		add(&inputs, argv[i]);
	if (!inputs.count) {
		fputs("replay: no inputs\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < inputs.count; i++)
		feed(inputs.list[i].data, inputs.list[i].size);
	for (uint64_t i = 0; i < mutants * inputs.count; i++)
		feed_mutant(&inputs, i);
	printf("%zu files and %lu mutants of each\n", inputs.count, mutants);
	if (seconds > 0)
		printf("%.0f executions a second of the processor\n",
		       (double)feed_for(&inputs, seconds) / seconds);
	for (size_t i = 0; i < inputs.count; i++)
		free(inputs.list[i].data);
	free(inputs.list);
	return 0;
}
