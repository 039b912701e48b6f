/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_callgrind [LINES]: a Callgrind profile of the shape of a large program's (one part,
 * instruction addresses and lines, thirteen events, names and positions compressed) on standard
 * output. Always the same bytes; its totals: line is that of the costs it wrote.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 13, FUNCTIONS = 20000, FILES = 1500, OBJECTS = 12, LINES_A_CALL = 7 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;
static uint64_t totals[EVENTS];

static uint32_t below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % limit;
}

/* Most lines have few of the events: trailing zeros are left out, as the format allows. */
static void put_costs(uint64_t *sums)
{
	unsigned count = below(4) ? 1 + below(4) : 1 + below(EVENTS);

	for (unsigned e = 0; e < count; e++) {
		uint32_t cost = e ? below(50) : 1 + below(1000);

		printf(" %" PRIu32, cost);
		if (sums)
			sums[e] += cost;
	}
	putchar('\n');
}

static void put_name(const char *key, unsigned number, unsigned char *known, const char *format)
{
	printf("%s=(%u)", key, number + 1);
	if (!known[number]) {
		putchar(' ');
		printf(format, number, number % 977);
		known[number] = 1;
	}
	putchar('\n');
}

/* A function always stands in the same file and object. `called`: "c" for the target of a call. */
static void put_function(const char *called, uint32_t function)
{
	static unsigned char functions[FUNCTIONS], files[FILES], objects[OBJECTS];

	fputs(called, stdout);
	put_name("ob", function % OBJECTS, objects, "/usr/lib/libgenerated%u.so.%u");
	fputs(called, stdout);
	put_name(*called ? "fi" : "fl", function % FILES, files, "/src/generated/file%u_%u.c");
	fputs(called, stdout);
	put_name("fn", function, functions,
		 "generated_function_%u(int, char const*, unsigned long)::part%u");
}

int main(int argc, char **argv)
{
	uint64_t lines = argc > 1 ? strtoull(argv[1], NULL, 10) : 6000000;

	puts("# callgrind format\nversion: 1\ncreator: gen_callgrind\npid: 1\ncmd: "
	     "generated\npart: 1\n\n"
	     "positions: instr line\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi "
	     "Bim\n");
	while (lines) {
		unsigned function = below(FUNCTIONS), body = 20 + below(200);

		put_function("", function);
		printf("0x%" PRIx64 " %u", UINT64_C(0x400000) + (uint64_t)function * 4096,
		       10 + below(5000));
		put_costs(totals);
		for (; body && lines; body--, lines--) {
			if (body % LINES_A_CALL == 0) {
				put_function("c", below(FUNCTIONS));
				printf("calls=%u 0x%x %u\n+%u *", 1 + below(30),
				       0x400000u + below(1u << 24), below(4000), below(16));
				put_costs(NULL);
			}
			printf("+%u %s%u", 1 + below(15), below(2) ? "+" : "",
			       below(2) ? 1 + below(9) : 1 + below(3000));
			put_costs(totals);
		}
		putchar('\n');
	}
	printf("totals:");
	for (unsigned e = 0; e < EVENTS; e++)
		printf(" %" PRIu64, totals[e]);
	putchar('\n');
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
