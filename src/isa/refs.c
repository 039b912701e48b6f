/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/refs.h"

#include "core/cursor.h"
#include "isa/a64/a64.h"

enum { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183, A64_BYTES = 4 };

bool tl_ref_open(struct tl_ref_reader *reader, unsigned machine)
{
	*reader = (struct tl_ref_reader){ .is_a64 = machine == MACHINE_AARCH64 };
	tl_x86_flow_open(&reader->x86, TL_X86_64);
	return machine == MACHINE_X86_64 || machine == MACHINE_AARCH64;
}

/* ---- x86-64 ---- */

/*
 * FF /2 and FF /4 with an address relative to the instruction behind: CALL and JMP through memory.
 */
static bool is_rip_slot(const uint8_t *end)
{
	return end[-6] == 0xff && (end[-5] == 0x15 || end[-5] == 0x25);
}

/*
 * An address stands in the last bytes: as a distance from the next instruction (LEA, MOV), or as it
 * is (MOV, PUSH of code that is not position-independent). Whatever the instruction, both are
 * taken.
 */
static void x86_addresses(const uint8_t *end, uint64_t next, struct tl_ref *ref)
{
	uint32_t last = tl_get32s(end - 4, TL_HOST_BIG_ENDIAN);

	ref->addresses[0] = next + (uint64_t)(int64_t)(int32_t)last;
	ref->addresses[1] = ref->length == 10 ? tl_get64s(end - 8, TL_HOST_BIG_ENDIAN) : last;
	ref->address_count = 2;
}

static bool read_x86(struct tl_ref_reader *reader, const uint8_t *code, size_t size,
		     uint64_t address, struct tl_ref *ref)
{
	struct tl_x86_flow flow;

	*ref = (struct tl_ref){ .length = 1 };
	if (tl_x86_flow_decode(&reader->x86, code, size, address, &flow) != TL_X86_DECODED)
		return false;
	ref->length = flow.size;
	if (flow.flags & TL_X86_DIRECT) {
		ref->kind = TL_REF_DIRECT;
		ref->target = flow.target;
	} else if (flow.iclass == TL_X86_CALL || flow.iclass == TL_X86_JUMP) {
		bool slot = flow.size >= 6 && is_rip_slot(code + flow.size);

		ref->kind = slot ? TL_REF_SLOT : TL_REF_INDIRECT;
		if (slot)
			ref->target = address + flow.size +
				      (uint64_t)(int64_t)(int32_t)tl_get32s(code + flow.size - 4,
									    TL_HOST_BIG_ENDIAN);
	} else if (flow.size >= 5) {
		x86_addresses(code + flow.size, address + flow.size, ref);
	}
	return true;
}

/* ---- AArch64 ---- */

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	return (value ^ ((uint64_t)1 << (bits - 1))) - ((uint64_t)1 << (bits - 1));
}

static void forget(struct tl_ref_reader *reader, unsigned to)
{
	reader->slots[to] = 0;
	reader->fresh &= ~((uint32_t)1 << to);
}

/*
 * Registers that an instruction may write when it makes no address: bits 4:0; of loads and stores
 * also the second register and the base.
 */
static void forget_written(struct tl_ref_reader *reader, uint32_t op)
{
	forget(reader, op & 31);
	if ((op >> 25 & 5) == 4) {
		forget(reader, op >> 5 & 31);
		forget(reader, op >> 10 & 31);
	}
}

/* A callee may use X0 to X18; behind a jump something else comes by. */
static void forget_all(struct tl_ref_reader *reader, bool is_call)
{
	for (unsigned i = 0; i < (is_call ? 19 : 32); i++)
		forget(reader, i);
}

/*
 * ADR and ADRP ("PC-rel. addressing"), ADD of an immediate, LDR of one, unsigned offset, 64 bits.
 */
static void a64_addresses(struct tl_ref_reader *reader, uint32_t op, uint64_t address,
			  struct tl_ref *ref)
{
	unsigned to = op & 31, from = op >> 5 & 31;
	bool fresh = reader->fresh >> from & 1;
	uint64_t made;

	if ((op & 0x1f000000) == 0x10000000) {
		uint64_t distance =
			sign_extend((uint64_t)(op >> 5 & 0x7ffff) << 2 | (op >> 29 & 3), 21);

		made = op >> 31 ? (address & ~(uint64_t)0xfff) + (distance << 12)
				: address + distance;
		fresh = true;
	} else if ((op & 0xff800000) == 0x91000000) {
		made = reader->pages[from] +
		       ((uint64_t)(op >> 10 & 0xfff) << (op & 0x400000 ? 12 : 0));
	} else if ((op & 0xffc00000) == 0xf9400000) {
		made = reader->pages[from] + (uint64_t)(op >> 10 & 0xfff) * 8;
		forget(reader, to);
		reader->slots[to] = fresh ? made : 0;
		return;
	} else {
		forget_written(reader, op);
		return;
	}
	forget(reader, to);
	reader->pages[to] = made;
	reader->fresh |= (uint32_t)fresh << to;
	ref->addresses[0] = made;
	ref->address_count = 1;
}

static bool read_a64(struct tl_ref_reader *reader, const uint8_t *code, size_t size,
		     uint64_t address, struct tl_ref *ref)
{
	struct tl_a64 insn;
	uint32_t op;

	*ref = (struct tl_ref){ .length = size < A64_BYTES ? (unsigned)size : A64_BYTES };
	if (size < A64_BYTES)
		return false;
	op = tl_get32s(code, TL_HOST_BIG_ENDIAN);
	insn = tl_a64_classify(op);
	if (insn.target) {
		ref->kind = TL_REF_DIRECT;
		ref->target = address + (uint64_t)(int64_t)insn.offset;
	} else if (insn.flow == TL_A64_JUMP_REGISTER || insn.flow == TL_A64_CALL_REGISTER) {
		ref->target = reader->slots[op >> 5 & 31];
		ref->kind = ref->target ? TL_REF_SLOT : TL_REF_INDIRECT;
	} else {
		a64_addresses(reader, op, address, ref);
	}
	if (insn.flow != TL_A64_NEXT && insn.flow != TL_A64_CONDITIONAL)
		forget_all(reader, tl_a64_is_call(&insn));
	return true;
}

bool tl_ref_read(struct tl_ref_reader *reader, const uint8_t *code, size_t size, uint64_t address,
		 struct tl_ref *ref)
{
	return (reader->is_a64 ? read_a64 : read_x86)(reader, code, size, address, ref);
}
