/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory whose content changes without a store: mapped anew, moved, given up, shared, grown by
 * brk, of a file, and written by system calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, WRITABLE = PROT_READ | PROT_WRITE, OWN = MAP_PRIVATE | MAP_ANONYMOUS };

static long sum;

static void map_again(void)
{
	for (int k = 0; k < 4; k++) {
		char *at = mmap((void *)0x40000000, 16 * PAGE, WRITABLE, OWN | MAP_FIXED, -1, 0);

		for (int i = 0; i < 16 * PAGE; i += 2048) {
			sum += at[i];
			at[i] = (char)(k + i);
		}
		if (k % 2)
			munmap(at, 16 * PAGE);
	}
}

static void move(void)
{
	char *at = mmap(NULL, 4 * PAGE, WRITABLE, OWN, -1, 0);

	for (int i = 0; i < 4 * PAGE; i += 50)
		at[i] = 7;
	at = mremap(at, 4 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
	sum += at[100] + at[40000];
	at[50000] = 9;
	at = mremap(at, 16 * PAGE, 2 * PAGE, 0);
	at = mremap(at, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	sum += at[8150] + at[9000];
	madvise(at, PAGE, MADV_DONTNEED);
	sum += at[50];
	at[50] = 3;
	madvise(at, PAGE, MADV_DONTNEED);
	sum += at[50] + 1;
}

static void map_file(const char *name)
{
	int file = open(name, O_RDONLY);
	char *at = mmap(NULL, PAGE, WRITABLE, MAP_PRIVATE, file, 0);

	sum += at[1];
	at[1] = 0;
	sum += at[1];
	munmap(at, PAGE);
	at = mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
	sum += at[1];
	close(file);
}

static void share(void)
{
	int file = memfd_create("shared", 0);
	char *one, *other, buffer[64], first[10], second[20];
	struct iovec parts[] = { { first, sizeof(first) }, { second, sizeof(second) } };

	if (file < 0 || ftruncate(file, 2 * PAGE))
		exit(1);
	one = mmap(NULL, 2 * PAGE, WRITABLE, MAP_SHARED, file, 0);
	other = mmap(NULL, 2 * PAGE, WRITABLE, MAP_SHARED, file, 0);
	for (int k = 0; k < 40; k++) {
		one[k * 50] = (char)k;
		sum += other[k * 50];
		other[k * 50 + 1] = (char)(k + 1);
		sum += one[k * 50 + 1];
	}
	if (pwrite(file, "hello world", 11, 100) != 11)
		exit(2);
	sum += one[100] + other[104];
	one[104] = 'Z';
	if (pread(file, buffer, 16, 100) != 16)
		exit(3);
	sum += buffer[4];
	if (preadv(file, parts, 2, 96) != 30)
		exit(4);
	sum += first[5] + second[3];
}

static void grow(void)
{
	char *end = sbrk(0);

	sbrk(2 * PAGE);
	end[17] = 1;
	sbrk(-2 * PAGE);
	sbrk(2 * PAGE);
	sum += end[17];
	end[17] = 4;
	for (int k = 0; k < 6; k++) {
		char *large = malloc(200000 + (size_t)k * PAGE);

		large[k] = 1;
		large[199999] = 2;
		sum += large[k];
		free(large);
	}
}

static void receive(void)
{
	char buffer[64];
	int ends[2];

	if (pipe(ends) || write(ends[1], "abcdefgh", 8) != 8)
		exit(5);
	memset(buffer, 0, sizeof(buffer));
	if (read(ends[0], buffer, 5) != 5)
		exit(6);
	sum += buffer[4] + buffer[5];
	if (read(ends[0], buffer + 1, 64 - 1) != 3)
		exit(7);
	sum += buffer[1] + buffer[4];
}

int main(int argc, char **argv)
{
	(void)argc;
	__asm__ volatile("hint #9");
	map_again();
	move();
	map_file(argv[0]);
	share();
	grow();
	receive();
	__asm__ volatile("hint #9");
	printf("%ld\n", sum);
	return 0;
}
