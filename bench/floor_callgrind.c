/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: how long it takes merely to find the lines of a Callgrind file in memory and to parse
 * every number of its cost lines. No names, no sums by function, no checks of anything.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct counts {
	uint64_t lines, numbers, sum;
};

/* Numbers of a line, signs and stars left out; hexadecimal where 0x says so. */
static void parse_line(const char *p, const char *end, struct counts *counts)
{
	while (p < end) {
		uint64_t number = 0;
		const char *start = p;

		if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
			for (p += 2; p < end && *p > ' '; p++)
				number = number * 16 + (uint64_t)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
		} else {
			for (; p < end && *p >= '0' && *p <= '9'; p++)
				number = number * 10 + (uint64_t)(*p - '0');
		}
		if (p == start) {
			p++;
			continue;
		}
		counts->numbers++;
		counts->sum += number;
	}
}

static void walk(const char *p, const char *end, struct counts *counts)
{
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		if (!stop)
			stop = end;
		counts->lines++;
		if (p < stop && ((*p >= '0' && *p <= '9') || *p == '+' || *p == '-' || *p == '*'))
			parse_line(p, stop, counts);
		p = stop + 1;
	}
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct counts counts = { 0, 0, 0 };

	if (fd < 0 || fstat(fd, &st) || !st.st_size) {
		fprintf(stderr, "usage: floor_callgrind FILE\n");
		return 2;
	}
	const char *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return 2;
	walk(data, data + st.st_size, &counts);
	printf("%llu lines, %llu numbers, sum %llu\n", (unsigned long long)counts.lines,
	       (unsigned long long)counts.numbers, (unsigned long long)counts.sum);
	close(fd);
	return 0;
}
