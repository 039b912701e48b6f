/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of an instruction stream as units (docs/formats/xtrace.md, 2.4). */
#include "mutator.h"

#include "xtrace/format/layout.h"

enum { VECTORS = 0x24, PLACES = 64 };

static const struct tl_xtrace_tokens *tokens(void)
{
	static struct tl_xtrace_tokens made;
	static bool is_made;

	if (!is_made) {
		const struct tl_xtrace_layout layout = tl_xtrace_own_layout(128);

		is_made = tl_xtrace_tokens_make(&made, &layout, NULL, NULL) == 0;
		FUZZ_MUST(is_made);
	}
	return &made;
}

static size_t length(const uint8_t *data, size_t at, size_t to, unsigned *state)
{
	size_t size = tokens()->size[data[at]];

	(void)state;
	/* The count stands in eight bytes; more entries than 255 are more than an input has. */
	if (data[at] == VECTORS && to - at >= 9)
		size = 9 + 16 * (size_t)data[at + 1];
	if (!size || size > to - at)
		return 1;
	return size;
}

/* Instructions that have tokens of their own, and such as have none. */
static uint32_t opcode(struct random *random)
{
	static const uint32_t opcodes[] = {
		0xd503201f, /* NOP */
		0xf9400020, /* LDR X0, [X1] */
		0xf9000020, /* STR X0, [X1] */
		0xa9bf7bfd, /* STP X29, X30, [SP, #-16]! */
		0x94000002, /* BL */
		0x14000002, /* B */
		0x54000041, /* B.NE */
		0xd61f0200, /* BR X16 */
		0xd63f0200, /* BLR X16 */
		0xd65f03c0, /* RET */
		0xd69f03e0, /* ERET */
		0xd4000001, /* SVC #0 */
		0xd53b4200, /* MRS X0, NZCV */
		0xc8007c20, /* STXR W0, X0, [X1] */
		0xd50b7420, /* DC ZVA, X0 */
		0x910083ff, /* ADD SP, SP, #32 */
	};

	if (!random_below(random, 8))
		return (uint32_t)random_next(random);
	return opcodes[random_below(random, sizeof(opcodes) / sizeof(opcodes[0]))];
}

static uint64_t place(struct random *random)
{
	static const uint64_t places[] = { 0x400000, 0x400000, 0x7000, 0xffff800000000000 };

	if (!random_below(random, 8))
		return fuzz_number(random);
	return places[random_below(random, 4)] + 4 * random_below(random, PLACES);
}

static size_t make(uint8_t *unit, struct random *random)
{
	static const uint8_t bytes[] = {
		0x01, 0x01, 0x01, 0x41, 0x09, 0x09, 0x49, 0x22, 0x32, 0x42, 0x3a, 0x2a, 0x03,
		0x0b, 0x13, 0x13, 0x1b, 0x23, 0x2b, 0x2b, 0x0c, 0x1c, 0x24, 0x07, 0x07,
	};
	size_t size, at = 1;

	unit[0] = bytes[random_below(random, sizeof(bytes))];
	size = tokens()->size[unit[0]];
	if (unit[0] == VECTORS) {
		size = 9 + 16 * random_below(random, 4);
		fuzz_put(unit + 1, (size - 9) / 16, 8);
		at = 9;
	} else if ((unit[0] & 7) == 1) {
		if (size > 5)
			fuzz_put(unit + 1, place(random), 8);
		fuzz_put(unit + size - 4, opcode(random), 4);
		at = size;
	}
	for (; at < size; at += 8)
		fuzz_put(unit + at, place(random), size - at < 8 ? size - at : 8);
	return size;
}

/* Tokens have the whole input, where a target does not say otherwise. */
__attribute__((weak)) void fuzz_resized(uint8_t *data, struct fuzz_range range)
{
	(void)data, (void)range;
}

const struct fuzz_grammar fuzz_grammar = {
	.units = fuzz_units, .length = length, .make = make, .resized = fuzz_resized
};
