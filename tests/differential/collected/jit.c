/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that is made at run time: in one place again and again, in a page that is writable or
 * executable in turn, by a second address of the same memory; and read as data.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RET UINT32_C(0xd65f03c0)
#define CMN_X0_1 UINT32_C(0xb100041f)
#define CINC_X0_NE UINT32_C(0x9a800400) /* CSINC X0, X0, X0, EQ */
#define ADD_X0_X0 UINT32_C(0x8b000000)

enum { PAGE = 4096 };

static uint32_t add_x0(unsigned number)
{
	return UINT32_C(0x91000000) | number << 10;
}

static uint32_t mov_x0(unsigned number)
{
	return UINT32_C(0xd2800000) | number << 5;
}

static void *pages(size_t size, int protection, int flags, int file)
{
	return mmap(NULL, size, protection, flags, file, 0);
}

static long call(const void *code, long value)
{
	long (*made)(long);

	memcpy(&made, &code, sizeof(made));
	return made(value);
}

static void put(uint32_t *at, const uint32_t *code, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at[i] = code[i];
	__builtin___clear_cache((char *)at, (char *)(at + count));
}

/* Three places, each with other code every third time; then one, called at once. */
static long rewritten(void)
{
	uint32_t *at = pages(2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1);
	long sum = 0;

	for (unsigned k = 0; k < 12; k++) {
		uint32_t code[] = { add_x0(k), CMN_X0_1, CINC_X0_NE, RET };

		put(at + k % 3 * 16, code, 4);
		sum += call(at + k % 3 * 16, sum);
	}
	for (unsigned k = 0; k < 6; k++) {
		uint32_t code[] = { mov_x0(k + 3), RET };

		put(at + 1024, code, 2);
		sum += call(at + 1024, 0);
	}
	for (int k = 0; k < 8; k++)
		sum += at[k];
	return sum;
}

static long writable_or_executable(void)
{
	uint32_t *at = pages(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	long sum = 0;

	for (unsigned k = 0; k < 4; k++) {
		uint32_t code[] = { ADD_X0_X0, add_x0(k + 1), RET };

		mprotect(at, PAGE, PROT_READ | PROT_WRITE);
		put(at + 16 * k, code, 3);
		mprotect(at, PAGE, PROT_READ | PROT_EXEC);
		sum += call(at + 16 * k, k + 5);
	}
	return sum;
}

static long mapped_twice(void)
{
	static const uint32_t code[] = { 0xd2800540, RET }; /* MOV X0, #42 */
	int file = memfd_create("code", 0);
	uint32_t *to, *from;

	if (file < 0 || ftruncate(file, PAGE))
		return -1;
	to = pages(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file);
	from = pages(PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, file);
	put(to, code, 2);
	__builtin___clear_cache((char *)from, (char *)(from + 2));
	return call(from, 1);
}

int main(void)
{
	long sum;

	__asm__ volatile("hint #9");
	sum = rewritten() + writable_or_executable() + mapped_twice();
	__asm__ volatile("hint #9");
	printf("%ld\n", sum);
	return 0;
}
