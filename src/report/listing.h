/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_LISTING_H
#define TL_REPORT_LISTING_H
/* The instructions of a stretch of code, and the arrows of its jumps. */
#include <tracelathe/symbols.h>

#include "isa/isa.h"

enum {
	TL_LANES = 6,              /* arrows side by side */
	TL_LISTING_BYTES = 1 << 16, /* of code in one listing */
};

struct tl_listed {
	uint64_t address;
	uint32_t target;        /* of a jump inside the listing: which instruction; TL_NONE: none */
	uint8_t length;
	uint8_t passing, turning; /* by lane: an arrow passes, an arrow begins or ends */
	bool entered;           /* an arrow ends here */
	bool shown;
};

struct tl_listing {
	struct tl_binary *binary;
	struct tl_disassembler *disassembler;
	const uint8_t *code;
	uint64_t start, end;    /* addresses */
	struct tl_listed *insns;
	size_t count, capacity;
	unsigned lanes;         /* that are used */
};

/*
 * The symbol around an address, or, without one, the code from there up to `last` and one instruction more. An empty
 * listing when there is no code. False without memory.
 */
bool tl_listing_read(struct tl_listing *listing, uint64_t address, uint64_t last);
void tl_listing_free(struct tl_listing *listing);

/* Draw arrows for the jumps of the instructions that are shown. */
void tl_listing_draw(struct tl_listing *listing);

/* The instruction again, with its text; the names of what it calls. */
void tl_listing_insn(const struct tl_listing *listing, const struct tl_listed *listed, struct tl_insn *insn);

#endif
