/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_REFS_H
#define TL_ISA_REFS_H
/*
 * The code and memory that an instruction refers to: targets of jumps and calls, the memory slot
 * that an indirect one reads its target from, addresses that the instruction may compute. Used to
 * find which function can call which; x86-64 and AArch64.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/x86/x86_flow.h"

enum tl_ref_kind {
	TL_REF_NONE,
	TL_REF_DIRECT,   /* calls or jumps to `target` */
	TL_REF_SLOT,     /* calls or jumps to the address stored at `target` */
	TL_REF_INDIRECT, /* calls or jumps to an unknown target */
};

struct tl_ref {
	enum tl_ref_kind kind;
	uint64_t target;
	unsigned length;
	/*
	 * Addresses that it may make: more than it does, never fewer of those that are built by one
	 * or two instructions.
	 */
	uint64_t addresses[2];
	unsigned address_count;
};

/* Reads instructions in their order. */
struct tl_ref_reader {
	bool is_a64;
	struct tl_x86_flow_decoder x86;
	/* AArch64, by register: */
	uint64_t pages[32]; /* page that ADRP or ADR last put there, maybe long ago */
	uint64_t slots[32]; /* from where it was loaded, 0: unknown */
	uint32_t fresh;     /* a bit each: nothing else was put there since */
};

/* `machine`: e_machine of an ELF file. False: none of ours. */
bool tl_ref_open(struct tl_ref_reader *reader, unsigned machine);

/*
 * The instruction at `address`, of which `size` > 0 bytes are at `code`. False: none, go on
 * `ref->length` bytes behind.
 */
bool tl_ref_read(struct tl_ref_reader *reader, const uint8_t *code, size_t size, uint64_t address,
		 struct tl_ref *ref);

#endif
