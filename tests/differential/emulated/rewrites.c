/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of one page are written anew, in every order, while others of the page stay as they
 * are and are executed meanwhile: each version of each is another sequence of instructions.
 */
#include "bare.h"

enum { PAGE = 4096, ROOM = 64, FUNCTIONS = 6, ROUNDS = 40, SYS_MPROTECT = 10 };

static unsigned char code[PAGE] __attribute__((aligned(PAGE)));

/* `adds` times `add $1,%rdi`, then `mov %rdi,%rax` and `ret`. */
static void put(unsigned long function, unsigned long adds)
{
	volatile unsigned *at = (volatile unsigned *)(code + function * ROOM);

	for (unsigned long i = 0; i < adds; i++)
		*at++ = 0x01c78348;
	*at = 0xc3f88948;
}

static unsigned long call(unsigned long function)
{
	return ((unsigned long (*)(unsigned long))(code + function * ROOM))(function);
}

int run(void)
{
	unsigned long sum = 0, random = 1;

	system_call(SYS_MPROTECT, (long)code, PAGE, 7, 0);
	for (unsigned long i = 0; i < FUNCTIONS; i++)
		put(i, i);
	for (unsigned long i = 0; i < ROUNDS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		put((random >> 33) % FUNCTIONS, (random >> 40) % 15);
		for (unsigned long j = 0; j < FUNCTIONS; j++)
			sum += call((j * 5 + (random >> 50)) % FUNCTIONS);
		for (unsigned long j = 0; j < FUNCTIONS; j++)
			sum += call(j);
	}
	return (int)(sum % 100);
}
