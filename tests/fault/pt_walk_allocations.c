/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block decoder without memory: for each seed of the fuzz target, allocation 1, 2, 3, ... is
 * refused, then all from there on. What comes out is right, or "no memory"; nothing is leaked.
 *
 *   pt_walk_allocations SEED...
 */
#include <stdio.h>
#include <string.h>

#include "pt_walk.h"
#include "wrap.h"

enum { HEAD = 6, SEED_MOST = 4096 };

struct seed {
	uint8_t bytes[SEED_MOST];
	size_t size;
	uint32_t choice;
	uint16_t code_size;
};

static const uint8_t beginning[] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,
				     0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x99, 0x01,
				     0x7d, 0x00, 0x10, 0,    0,    0,    0,    0x02, 0x23 };

static int load(struct seed *seed, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		return -1;
	seed->size = fread(seed->bytes, 1, sizeof(seed->bytes), file);
	fclose(file);
	if (seed->size < HEAD + 2)
		return -1;
	memcpy(&seed->choice, seed->bytes, sizeof(seed->choice));
	memcpy(&seed->code_size, seed->bytes + 4, sizeof(seed->code_size));
	seed->code_size = (uint16_t)(1 + seed->code_size % (seed->size - HEAD - 1));
	return 0;
}

/* 0 of the digest: memory ran out. */
static const char *run(const struct seed *seed, uint64_t *digest)
{
	uint8_t trace[sizeof(beginning) + SEED_MOST];
	size_t size = seed->size - HEAD - seed->code_size;

	memcpy(trace, beginning, sizeof(beginning));
	memcpy(trace + sizeof(beginning), seed->bytes + HEAD + seed->code_size, size);
	*digest = 0;
	return exercise_pt_walk(seed->bytes + HEAD, seed->code_size, trace,
				sizeof(beginning) + size, seed->choice, digest);
}

static int refuse(const char *path, const struct seed *seed, bool onward)
{
	uint64_t whole, digest, number = 1, asked;
	const char *broken = run(seed, &whole);
	int64_t live = wrap_live();
	int failed = 0;

	if (broken || !whole) {
		printf("%s: %s\n", path, broken ? broken : "no result");
		return 1;
	}
	do {
		wrap_arm(number, onward);
		broken = run(seed, &digest);
		asked = wrap_disarm();
		if (!broken && digest && digest != whole)
			broken = "another result";
		if (!broken && wrap_live() != live)
			broken = "memory was lost";
		if (broken) {
			printf("%s: allocation %llu refused: %s\n", path,
			       (unsigned long long)number, broken);
			failed++;
			live = wrap_live();
		}
	} while (number++ < asked);
	return failed;
}

int main(int argc, char **argv)
{
	static struct seed seed;
	int failed = argc < 2;

	for (int i = 1; i < argc; i++) {
		if (load(&seed, argv[i]) < 0) {
			printf("%s: cannot be read\n", argv[i]);
			return 2;
		}
		failed += refuse(argv[i], &seed, false) + refuse(argv[i], &seed, true);
	}
	return failed != 0;
}
