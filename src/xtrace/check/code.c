/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opcodes are memory, too: an address has the same one each time, as long as nothing changes the
 * code. What may change it is seen: a store, barriers and instructions on caches and TLBs, other
 * translation tables, system calls that map. A single instruction that differs all the same, among
 * others that do not, is none that was executed.
 *
 * Where code is replaced by another thread, or below another address, more of it differs than one
 * instruction: so a change is told only if no other one is near it, and some behind it are as
 * before. "B, BL, BRK, HVC, ISB, NOP, SMC, SVC" may be put in place of each other by any thread
 * (B2.2.5 of the manual, "Concurrent modification and execution of instructions").
 */
#include "xtrace/check/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum {
	FIRST_SLOTS = TL_AT_FIRST(1024, 16),
	MOST_SLOTS = 1 << 21,
	NEAR = 8,   /* instructions around one that differs */
	ENOUGH = 4, /* of those behind it that are as before */
};

/* Linux: <asm-generic/unistd.h>. */
static bool maps_memory(uint64_t number)
{
	static const uint16_t calls[] = {
		196, /* shmat */
		197, /* shmdt */
		214, /* brk */
		215, /* munmap */
		216, /* mremap */
		221, /* execve */
		222, /* mmap */
		226, /* mprotect */
		233, /* madvise */
		234, /* remap_file_pages */
		281, /* execveat */
		288, /* pkey_mprotect */
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i] == number)
			return true;
	return false;
}

void tl_xtrace_check_code_call(struct tl_xtrace_check_stream *s, bool known, uint64_t number)
{
	if (!known || maps_memory(number))
		tl_xtrace_check_code_forget(&s->code);
}

/* ISB; IC and TLBI; MSR SCTLR_EL1, TTBR0_EL1, TTBR1_EL1 and TCR_EL1; what writes any memory. */
bool tl_xtrace_check_changes_code(uint32_t opcode)
{
	const uint32_t crn = opcode >> 12 & 15, crm = opcode >> 8 & 15;

	if ((opcode & 0xfffff0ff) == 0xd50330df)
		return true;
	if ((opcode & 0xfff80000) == 0xd5080000)
		return (crn == 7 && (crm == 1 || crm == 5)) || crn == 8 || crn == 9;
	return ((opcode & 0xfff80000) == 0xd5180000 && (crn == 1 || crn == 2)) ||
	       tl_a64_is_memory_copy(opcode);
}

void tl_xtrace_check_code_forget(struct tl_xtrace_check_code *code)
{
	code->generation++;
	code->edition++;
	code->differs = false;
	/* The number of no slot comes again. */
	if (code->generation)
		return;
	memset(code->slots, 0, code->slots ? (code->mask + 1) * sizeof(*code->slots) : 0);
	code->count = 0;
	code->generation = 1;
}

void tl_xtrace_check_code_free(struct tl_xtrace_check_code *code)
{
	free(code->slots);
	*code = (struct tl_xtrace_check_code){ .slots = NULL };
}

/* ---- slots ---- */

static struct tl_xtrace_check_code_slot *slot_of(const struct tl_xtrace_check_code *code,
						 uint64_t pc)
{
	size_t at = tl_xtrace_check_code_place(code, pc);

	while (code->slots[at].generation && code->slots[at].pc != pc)
		at = (at + 1) & code->mask;
	return &code->slots[at];
}

static bool grow(struct tl_xtrace_check_code *code)
{
	struct tl_xtrace_check_code grown = *code;

	grown.mask = code->slots ? code->mask * 2 + 1 : FIRST_SLOTS - 1;
	grown.slots = calloc(grown.mask + 1, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; code->slots && i <= code->mask; i++)
		if (code->slots[i].generation)
			*slot_of(&grown, code->slots[i].pc) = code->slots[i];
	free(code->slots);
	*code = grown;
	return true;
}

/* Room for one more. Programs that have so much code begin anew. */
static bool make_room(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_code *code = &s->code;

	if (code->slots && code->count * 2 <= code->mask)
		return true;
	if (code->slots && code->mask + 1 >= MOST_SLOTS) {
		memset(code->slots, 0, (code->mask + 1) * sizeof(*code->slots));
		code->count = 0;
		tl_xtrace_check_code_forget(code);
		return true;
	}
	if (grow(code))
		return true;
	tl_xtrace_check_no_memory(s);
	return false;
}

static void learn(struct tl_xtrace_check_stream *s, uint64_t pc, uint32_t opcode)
{
	struct tl_xtrace_check_code_slot *slot;

	if (!make_room(s))
		return;
	slot = slot_of(&s->code, pc);
	s->code.count += !slot->generation;
	*slot = (struct tl_xtrace_check_code_slot){ .pc = pc,
						    .opcode = opcode,
						    .generation = s->code.generation };
}

/* Whether the opcode at `pc` is known; NULL: not, or as it was before something changed it. */
static struct tl_xtrace_check_code_slot *known_at(const struct tl_xtrace_check_code *code,
						  uint64_t pc)
{
	struct tl_xtrace_check_code_slot *slot = code->slots ? slot_of(code, pc) : NULL;

	return slot && slot->generation == code->generation ? slot : NULL;
}

/* ---- instructions ---- */

/* Any thread may put one of these in place of another, without a word to those that execute it. */
static bool is_replaceable(uint32_t opcode)
{
	const uint32_t exception = opcode & 0xffe0001f;

	return (opcode & 0x7c000000) == 0x14000000 || opcode == 0xd503201f ||
	       (opcode & 0xfffff0ff) == 0xd50330df || exception == 0xd4200000 ||
	       (exception >= 0xd4000001 && exception <= 0xd4000003);
}

static bool is_in_memory(const struct tl_xtrace_check_stream *s, uint64_t pc, uint32_t opcode)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
	return !tl_xtrace_shadow_differs(&s->memory->shadow, pc >> 63 ? 0 : s->program.space, pc,
					 bytes, sizeof(bytes));
}

/* Bytes of `opcode` were stored there, which are not those of the one before. */
static bool was_stored(const struct tl_xtrace_check_stream *s, uint64_t pc, uint32_t before,
		       uint32_t opcode)
{
	return is_in_memory(s, pc, opcode) && !is_in_memory(s, pc, before);
}

/* One that differs: `told` is kept, so that a change that stays is told once. */
static void take_other(struct tl_xtrace_check_stream *s, struct tl_xtrace_check_code_slot *slot,
		       uint64_t pc, uint32_t opcode)
{
	struct tl_xtrace_check_code *code = &s->code;
	const uint64_t record = s->counts.ordinal;
	bool is_near;

	code->edition++;
	if (slot->told || (is_replaceable(slot->opcode) && is_replaceable(opcode)) ||
	    was_stored(s, pc, slot->opcode, opcode)) {
		slot->opcode = opcode;
		slot->told = false;
		return;
	}
	is_near = code->others && record - code->record <= NEAR;
	code->differs = !is_near;
	code->others = slot->told = true;
	code->alike = 0;
	code->expected = slot->opcode;
	code->pc = pc;
	code->record = record;
	code->offset = tl_xtrace_walk_offset(&s->walk);
}

/* The one that differs is far enough away. */
static void tell(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_code *code = &s->code;

	code->differs = false;
	if (code->alike < ENOUGH)
		return;
	tl_xtrace_expected(s, "%08" PRIx32, code->expected);
	tl_xtrace_report(s, TL_XTRACE_RULE_OPCODE_CHANGED, code->offset, code->record, code->pc);
}

void tl_xtrace_check_code_take(struct tl_xtrace_check_stream *s, uint64_t pc, uint32_t opcode)
{
	struct tl_xtrace_check_code *code = &s->code;
	struct tl_xtrace_check_code_slot *slot = known_at(code, pc);

	if (code->differs && s->counts.ordinal - code->record > NEAR)
		tell(s);
	if (!slot) {
		learn(s, pc, opcode);
	} else if (slot->opcode != opcode) {
		take_other(s, slot, pc, opcode);
	} else {
		slot->told = false;
		code->alike++;
	}
}

bool tl_xtrace_check_code_take_block(struct tl_xtrace_check_stream *s,
				     struct tl_xtrace_check_block *b)
{
	const struct tl_xtrace_check_code_slot *slot;

	for (uint32_t i = 0; i < b->insn_count; i++) {
		slot = known_at(&s->code, b->pc + 4 * (uint64_t)i);
		if (slot && slot->opcode != b->insns[i].opcode)
			return false;
	}
	for (uint32_t i = 0; i < b->insn_count; i++)
		tl_xtrace_check_code_take(s, b->pc + 4 * (uint64_t)i, b->insns[i].opcode);
	b->edition = s->code.edition;
	return true;
}
