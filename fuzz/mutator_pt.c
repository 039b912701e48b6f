/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of Intel PT as units (docs/formats/intel-pt.md, 4). */
#include "mutator.h"

#include <string.h>

#include "intel_pt/packets/packet.h"

/* Payloads whose size the first bytes do not say in one way for all: */
enum { SHORT_OUTCOMES = 100, CYCLES, ADDRESS, SYNC };

static const struct {
	uint8_t bytes[3], size; /* how it begins */
	uint8_t payload;        /* bytes of any value, or one of those above */
} packets[] = {
	{ { 0x00 }, 1, 0 },
	{ { 0 }, 0, SHORT_OUTCOMES },
	{ { 0 }, 0, SHORT_OUTCOMES },
	{ { 0x02, 0xa3 }, 2, 6 },
	{ { 0x0d }, 1, ADDRESS }, /* TIP */
	{ { 0x0d }, 1, ADDRESS },
	{ { 0x11 }, 1, ADDRESS }, /* TIP.PGE */
	{ { 0x01 }, 1, ADDRESS }, /* TIP.PGD */
	{ { 0x1d }, 1, ADDRESS }, /* FUP */
	{ { 0x99 }, 1, 1 },       /* MODE */
	{ { 0x02, 0x82 }, 2, SYNC },
	{ { 0x02, 0x23 }, 2, 0 },       /* PSBEND */
	{ { 0x02, 0x43 }, 2, 6 },       /* PIP */
	{ { 0x02, 0xc8 }, 2, 5 },       /* VMCS */
	{ { 0x02, 0x03 }, 2, 2 },       /* CBR */
	{ { 0x19 }, 1, 7 },             /* TSC */
	{ { 0x02, 0x73 }, 2, 5 },       /* TMA */
	{ { 0x59 }, 1, 1 },             /* MTC */
	{ { 0 }, 0, CYCLES },           /* CYC */
	{ { 0x02, 0x83 }, 2, 0 },       /* TraceStop */
	{ { 0x02, 0xf3 }, 2, 0 },       /* OVF */
	{ { 0x02, 0xc3, 0x88 }, 3, 8 }, /* MNT */
	{ { 0x02, 0x62 }, 2, 0 },       /* EXSTOP */
	{ { 0x02, 0xe2 }, 2, 0 },       /* EXSTOP with an address */
	{ { 0x02, 0xc2 }, 2, 8 },       /* MWAIT */
	{ { 0x02, 0x22 }, 2, 2 },       /* PWRE */
	{ { 0x02, 0xa2 }, 2, 5 },       /* PWRX */
	{ { 0x02, 0x12 }, 2, 4 },       /* PTW */
	{ { 0x02, 0xb2 }, 2, 8 },       /* PTW with an address */
	{ { 0x02, 0x13 }, 2, 2 },       /* CFE */
	{ { 0x02, 0x53 }, 2, 9 },       /* EVD */
	{ { 0x02, 0x63 }, 2, 1 },       /* BBP */
	{ { 0x02, 0x33 }, 2, 0 },       /* BEP */
};

/* An address in the code of the targets, most of the time. */
static size_t put_address(uint8_t *unit, struct random *random)
{
	static const uint8_t sizes[] = { 0, 2, 4, 6, 6, 0, 8, 0 };
	static const uint64_t places[] = { 0x401000, 0x1000 };
	size_t code = random_below(random, sizeof(sizes));
	uint64_t address = places[random_below(random, 2)] + random_below(random, 64);

	unit[0] = (uint8_t)(unit[0] | code << 5);
	fuzz_put(unit + 1, random_below(random, 8) ? address : fuzz_number(random), sizes[code]);
	return 1 + sizes[code];
}

static size_t put_cycles(uint8_t *unit, struct random *random)
{
	size_t size = 1 + random_below(random, 3);

	for (size_t i = 0; i < size; i++)
		unit[i] = (uint8_t)((random_next(random) & 0xfe) | (i + 1 < size));
	unit[0] = (uint8_t)((unit[0] & 0xf8) | 3 | (size > 1 ? 4 : 0));
	return size;
}

static size_t make(uint8_t *unit, struct random *random)
{
	size_t kind = random_below(random, sizeof(packets) / sizeof(packets[0]));
	size_t size = packets[kind].size, payload = packets[kind].payload;

	memcpy(unit, packets[kind].bytes, size);
	switch (payload) {
	case SHORT_OUTCOMES:
		unit[0] = (uint8_t)(4 + 2 * random_below(random, 126));
		return 1;
	case CYCLES:
		return put_cycles(unit, random);
	case ADDRESS:
		return put_address(unit, random);
	case SYNC:
		for (size_t i = 0; i < 16; i += 2)
			memcpy(unit + i, packets[kind].bytes, 2);
		return 16;
	default:
		for (size_t i = 0; i < payload; i++)
			unit[size + i] = (uint8_t)fuzz_number(random);
		return size + payload;
	}
}

/* `state` is whether packets are in a block, and of which. */
static size_t length(const uint8_t *data, size_t at, size_t to, unsigned *state)
{
	struct tl_pt_context context = { NULL, (enum tl_pt_items) * state };
	struct tl_pt_packet packet;
	int size = tl_pt_decode(&packet, data + at, data + to, &context);

	*state = context.items;
	return size > 0 ? (size_t)size : 1;
}

const struct fuzz_grammar fuzz_grammar = { .units = fuzz_units, .length = length, .make = make };
