/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: how long it takes merely to walk over the records of a whole, undamaged FDR version 3
 * to 5 log in memory and to count the calls of each function. No stacks, no times, no checks of
 * anything.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FUNCTIONS = 1 << 16 };

static uint32_t load32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint64_t walk(const uint8_t *p, const uint8_t *end, uint64_t *calls)
{
	uint64_t records = 0;

	while (end - p >= 8) {
		uint32_t word = load32(p);

		if (!(word & 1)) {
			/* An exit's actions are 1 and 2, an entry's 0 and 3. */
			calls[(word >> 4) % FUNCTIONS] += 0x9 >> (word >> 1 & 7) & 1;
			p += 8;
			records++;
			continue;
		}
		unsigned kind = (word & 0xff) >> 1;

		p += 16 + (kind == 5 || kind == 8 ? load32(p + 1) : 0);
	}
	return records;
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 32) {
		fprintf(stderr, "usage: floor_xray FILE\n");
		return 2;
	}
	const uint8_t *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t *calls = calloc(FUNCTIONS, sizeof(*calls)), total = 0;

	if (data == MAP_FAILED || !calls)
		return 2;
	uint64_t records = walk(data + 32, data + st.st_size, calls);

	for (size_t i = 0; i < FUNCTIONS; i++)
		total += calls[i];
	printf("%llu function records, %llu calls\n", (unsigned long long)records,
	       (unsigned long long)total);
	free(calls);
	close(fd);
	return 0;
}
