/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_CODE_LISTING_H
#define TL_REPORT_ANNOTATE_CODE_LISTING_H
/* The instructions of a range of code, and the arrows of its jumps. */
#include <tracelathe/symbols.h>

#include "isa/isa.h"

enum {
	TL_ARROW_COLUMNS = 6,       /* arrows side by side */
	TL_LISTING_BYTES = 1 << 16, /* of code in one listing */
};

struct tl_listed_insn {
	uint64_t address;
	uint32_t target; /* number of the instruction that it jumps to; TL_NONE: none here */
	uint8_t length;
	uint8_t passing, corners; /* bits by arrow column: an arrow passes, begins or ends here */
	bool entered;             /* an arrow ends here */
	bool shown;
};

/* Code as it ran: `code` of struct tl_annotate_options. */
struct tl_executed_code {
	size_t (*code)(void *arg, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size);
	void *arg;
	const char *object;
};

struct tl_listing {
	struct tl_binary *binary;    /* NULL: none has it */
	struct tl_executed_code ran; /* its bytes win; code NULL: not known */
	uint8_t *bytes;              /* that ran, from `start` on */
	size_t byte_count;
	struct tl_disassembler *disassembler;
	const uint8_t *code;
	uint64_t start, end; /* addresses */
	struct tl_listed_insn *insns;
	size_t count, capacity;
	unsigned arrow_columns; /* in use */
};

/*
 * The symbol around an address, or, without one, the code from there up to `last` and one
 * instruction more. An empty listing when there is no code. False without memory.
 */
bool tl_listing_read(struct tl_listing *listing, uint64_t address, uint64_t last);
void tl_listing_free(struct tl_listing *listing);

/*
 * The bytes of code at an address, at most 15 of which are put into `bytes` if need be. NULL: there
 * are none.
 */
const uint8_t *tl_listing_code(const struct tl_listing *listing, uint64_t address,
			       uint8_t bytes[15], size_t *size);

/* Draw arrows for the jumps of the instructions that are shown. */
void tl_listing_draw(struct tl_listing *listing);

/* Disassemble an instruction of the listing again, with its text. */
void tl_listing_insn(const struct tl_listing *listing, const struct tl_listed_insn *listed,
		     struct tl_insn *insn);

#endif
