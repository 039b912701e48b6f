/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: how long it takes merely to step over the tokens of a whole, undamaged instruction
 * stream in memory and to count the instructions. No PCs, no checks of anything. Pages are given
 * back on the way, as the command does.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t load64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* Bytes of a token with its payload; 0: SYSCALL_VEC, or none that is known. */
static uint32_t size_of(unsigned token)
{
	switch (token & 7) {
	case 1:
		return (token >> 3 & 7) == 0 ? 5 : (token >> 3 & 7) == 1 ? 13 : 0;
	case 2:
		return token >> 4 <= 8 ? 9 + (1u << (token >> 4)) : 0;
	case 3:
		return token >> 3 <= 5 ? 9 : 0;
	case 4:
		return token == 0x0c ? 257 : token == 0x1c ? 9 : 0;
	case 7:
		return token == 0x07 ? 9 : 0;
	default:
		return 0;
	}
}

enum { PIECE = 4 << 20 };

/* Give whole pages back; the stream begins at one. */
static const uint8_t *give_back(const uint8_t *from, const uint8_t *p)
{
	size_t size = (size_t)(p - from) / PIECE * PIECE;

	madvise((void *)(uintptr_t)from, size, MADV_DONTNEED);
	return from + size;
}

static uint64_t walk(const uint8_t *p, const uint8_t *end, const uint32_t *sizes,
		     uint64_t *instructions)
{
	const uint8_t *kept = p;
	uint64_t tokens = 0, count = 0;

	while (p < end) {
		const uint8_t *stop = end - p > PIECE ? p + PIECE : end;

		for (; p < stop; tokens++) {
			uint64_t size = sizes[*p];

			count += (*p & 7) == 1;
			if (__builtin_expect(!size, 0)) {
				if (*p != 0x24 || end - p < 9) {
					end = p;
					break;
				}
				size = 9 + 16 * load64(p + 1);
			}
			p += size;
		}
		kept = give_back(kept, p);
	}
	*instructions = count;
	return tokens;
}

int main(int argc, char **argv)
{
	struct stat st;
	uint32_t sizes[256];
	uint64_t tokens, instructions;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 13) {
		fprintf(stderr, "usage: floor_xtrace FILE\n");
		return 2;
	}
	const uint8_t *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return 2;
	for (unsigned i = 0; i < 256; i++)
		sizes[i] = size_of(i);
	tokens = walk(data, data + st.st_size, sizes, &instructions);
	printf("%llu tokens, %llu instructions\n", (unsigned long long)tokens,
	       (unsigned long long)instructions);
	close(fd);
	return 0;
}
