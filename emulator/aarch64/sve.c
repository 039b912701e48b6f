/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sve.h"

#include <stddef.h>

#include "state.h"

/* How the address of an element is made. */
enum place {
	NOT_SILENT,    /* told by QEMU, or no access */
	LINE,          /* Xn + imm4 * bytes of the access */
	LINE_REGISTER, /* Xn + Xm * element */
	QUADS,         /* the same of 16 bytes */
	QUADS_REGISTER,
	OCTETS, /* of 32 bytes */
	OCTETS_REGISTER,
	SCALAR_OFFSETS,  /* Xn + Zm[i] */
	VECTOR_REGISTER, /* Zn[i] + Xm */
	VECTOR,          /* Zn[i] + imm5 * element */
};

/* Which bits say the sizes of an element in memory and in the vector. */
enum sizes {
	BY_TYPE,   /* dtype, 24 to 21 */
	BY_MEMORY, /* msz, 24 and 23, for both */
	BY_SIZE,   /* msz, and size, 22 and 21 */
	WORDS,     /* msz, 32 bits */
	DOUBLES,   /* msz, 64 bits */
};

/* What Zm holds. */
enum offsets {
	NONE,
	EXTENDED,        /* 32 bits, of which bit `sign_at` says that they are signed */
	EXTENDED_SCALED, /* times the element */
	WHOLE,           /* 64 bits */
	WHOLE_SCALED,
};

struct form {
	uint32_t mask, value;
	enum place place;
	enum sizes sizes;
	enum offsets offsets;
	enum sve_fault fault;
	unsigned sign_at;
};

#define TOLD(mask, value) { mask, value, NOT_SILENT, BY_MEMORY, NONE, SVE_FAULTS, 0 }
#define PLAIN(mask, value, place, sizes, fault) { mask, value, place, sizes, NONE, fault, 0 }
#define OFFSETS(mask, value, sizes, offsets, fault, sign_at)                                       \
	{ mask, value, SCALAR_OFFSETS, sizes, offsets, fault, sign_at }

/* Bits 31 to 25: 1010010 contiguous loads, 1000010 and 1100010 gathers, 1110010 stores. */
static const struct form forms[] = {
	/* clang-format off */
	/* LD1RQ, LD1RO */
	PLAIN(0xfe60e000, 0xa4000000, QUADS_REGISTER, BY_MEMORY, SVE_FAULTS),
	PLAIN(0xfe70e000, 0xa4002000, QUADS, BY_MEMORY, SVE_FAULTS),
	PLAIN(0xfe60e000, 0xa4200000, OCTETS_REGISTER, BY_MEMORY, SVE_FAULTS),
	PLAIN(0xfe70e000, 0xa4202000, OCTETS, BY_MEMORY, SVE_FAULTS),
	/* LD1, LDFF1, LDNF1 */
	PLAIN(0xfe00e000, 0xa4004000, LINE_REGISTER, BY_TYPE, SVE_FAULTS),
	PLAIN(0xfe00e000, 0xa4006000, LINE_REGISTER, BY_TYPE, SVE_FIRST_FAULT),
	PLAIN(0xfe10e000, 0xa400a000, LINE, BY_TYPE, SVE_FAULTS),
	PLAIN(0xfe10e000, 0xa410a000, LINE, BY_TYPE, SVE_NO_FAULT),
	/* LDNT1, LD2 to LD4 */
	PLAIN(0xfe00e000, 0xa400c000, LINE_REGISTER, BY_MEMORY, SVE_FAULTS),
	PLAIN(0xfe10e000, 0xa400e000, LINE, BY_MEMORY, SVE_FAULTS),
	/* 32 bits: scaled offsets of halves and words; unscaled ones */
	OFFSETS(0xffa0a000, 0x84a00000, WORDS, EXTENDED_SCALED, SVE_FAULTS, 22),
	OFFSETS(0xffa0a000, 0x84a02000, WORDS, EXTENDED_SCALED, SVE_FIRST_FAULT, 22),
	OFFSETS(0xffa0a000, 0x85200000, WORDS, EXTENDED_SCALED, SVE_FAULTS, 22),
	OFFSETS(0xffa0a000, 0x85202000, WORDS, EXTENDED_SCALED, SVE_FIRST_FAULT, 22),
	OFFSETS(0xffa0a000, 0x84000000, WORDS, EXTENDED, SVE_FAULTS, 22),
	OFFSETS(0xffa0a000, 0x84002000, WORDS, EXTENDED, SVE_FIRST_FAULT, 22),
	OFFSETS(0xffa0a000, 0x84800000, WORDS, EXTENDED, SVE_FAULTS, 22),
	OFFSETS(0xffa0a000, 0x84802000, WORDS, EXTENDED, SVE_FIRST_FAULT, 22),
	OFFSETS(0xffa0a000, 0x85000000, WORDS, EXTENDED, SVE_FAULTS, 22),
	OFFSETS(0xffa0a000, 0x85002000, WORDS, EXTENDED, SVE_FIRST_FAULT, 22),
	PLAIN(0xfe60a000, 0x84208000, VECTOR, WORDS, SVE_FAULTS),
	PLAIN(0xfe60a000, 0x8420a000, VECTOR, WORDS, SVE_FIRST_FAULT),
	PLAIN(0xfe60c000, 0x84008000, VECTOR_REGISTER, WORDS, SVE_FAULTS),
	/* 64 bits: offsets of 64, then of 32; prefetches are the scaled ones of bytes */
	TOLD(0xffe08000, 0xc4608000),
	TOLD(0xffa08000, 0xc4200000),
	OFFSETS(0xfe60a000, 0xc4608000, DOUBLES, WHOLE_SCALED, SVE_FAULTS, 0),
	OFFSETS(0xfe60a000, 0xc460a000, DOUBLES, WHOLE_SCALED, SVE_FIRST_FAULT, 0),
	OFFSETS(0xfe60a000, 0xc4408000, DOUBLES, WHOLE, SVE_FAULTS, 0),
	OFFSETS(0xfe60a000, 0xc440a000, DOUBLES, WHOLE, SVE_FIRST_FAULT, 0),
	OFFSETS(0xfe20a000, 0xc4200000, DOUBLES, EXTENDED_SCALED, SVE_FAULTS, 22),
	OFFSETS(0xfe20a000, 0xc4202000, DOUBLES, EXTENDED_SCALED, SVE_FIRST_FAULT, 22),
	OFFSETS(0xfe20a000, 0xc4000000, DOUBLES, EXTENDED, SVE_FAULTS, 22),
	OFFSETS(0xfe20a000, 0xc4002000, DOUBLES, EXTENDED, SVE_FIRST_FAULT, 22),
	PLAIN(0xfe60a000, 0xc4208000, VECTOR, DOUBLES, SVE_FAULTS),
	PLAIN(0xfe60a000, 0xc420a000, VECTOR, DOUBLES, SVE_FIRST_FAULT),
	PLAIN(0xfe60a000, 0xc4008000, VECTOR_REGISTER, DOUBLES, SVE_FAULTS),
	/* stores: STR first, which is told */
	TOLD(0xffc0e000, 0xe5800000),
	TOLD(0xffc0e000, 0xe5804000),
	PLAIN(0xfe00e000, 0xe4004000, LINE_REGISTER, BY_SIZE, SVE_FAULTS),
	PLAIN(0xfe00e000, 0xe4006000, LINE_REGISTER, BY_MEMORY, SVE_FAULTS),
	PLAIN(0xfe10e000, 0xe400e000, LINE, BY_SIZE, SVE_FAULTS),
	PLAIN(0xfe10e000, 0xe410e000, LINE, BY_MEMORY, SVE_FAULTS),
	OFFSETS(0xfe60a000, 0xe4008000, DOUBLES, EXTENDED, SVE_FAULTS, 14),
	OFFSETS(0xfe60a000, 0xe4208000, DOUBLES, EXTENDED_SCALED, SVE_FAULTS, 14),
	OFFSETS(0xfe60a000, 0xe4408000, WORDS, EXTENDED, SVE_FAULTS, 14),
	OFFSETS(0xfe60a000, 0xe4608000, WORDS, EXTENDED_SCALED, SVE_FAULTS, 14),
	OFFSETS(0xfe60e000, 0xe400a000, DOUBLES, WHOLE, SVE_FAULTS, 0),
	OFFSETS(0xfe60e000, 0xe420a000, DOUBLES, WHOLE_SCALED, SVE_FAULTS, 0),
	PLAIN(0xfe60e000, 0xe440a000, VECTOR, DOUBLES, SVE_FAULTS),
	PLAIN(0xfe60e000, 0xe460a000, VECTOR, WORDS, SVE_FAULTS),
	PLAIN(0xfe60e000, 0xe4002000, VECTOR_REGISTER, DOUBLES, SVE_FAULTS),
	PLAIN(0xfe60e000, 0xe4402000, VECTOR_REGISTER, WORDS, SVE_FAULTS),
	/* clang-format on */
};

/* Bits that say what an instruction of "SVE Memory" is. */
#define OF_SVE 0xfe000000u
#define STORES 0xe4000000u

static unsigned bits(uint32_t opcode, unsigned at, unsigned count)
{
	return opcode >> at & ((1u << count) - 1);
}

/* imm4 */
static int64_t signed_line(uint32_t opcode)
{
	const int64_t value = bits(opcode, 16, 4);

	return value < 8 ? value : value - 16;
}

static const struct form *find_form(uint32_t opcode)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if ((opcode & forms[i].mask) == forms[i].value)
			return forms[i].place == NOT_SILENT ? NULL : &forms[i];
	return NULL;
}

bool sve_is_access(uint32_t opcode)
{
	return find_form(opcode);
}

/* "SME Memory", but LDR and STR of a row, which are told. */
bool sve_is_matrix_access(uint32_t opcode)
{
	return (opcode & OF_SVE) == 0xe0000000 && (opcode & 0xffdf8010) != 0xe1000000;
}

/* ---- elements ---- */

/* Of an element in memory and in the vector, as powers of 2. */
static void find_sizes(const struct form *form, uint32_t opcode, struct sve_access *access)
{
	static const uint8_t memory[16] = { 0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3 };
	static const uint8_t lane[16] = { 0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3 };

	access->shift = access->lane_shift = bits(opcode, 23, 2);
	switch (form->sizes) {
	case BY_TYPE:
		access->shift = memory[bits(opcode, 21, 4)];
		access->lane_shift = lane[bits(opcode, 21, 4)];
		break;
	case BY_MEMORY:
		break;
	case BY_SIZE:
		access->lane_shift = bits(opcode, 21, 2);
		break;
	case WORDS:
		access->lane_shift = 2;
		break;
	case DOUBLES:
		access->lane_shift = 3;
		break;
	}
}

static void add(struct sve_access *access, unsigned lane, uint64_t address)
{
	access->lanes[access->count % SVE_BYTES] = (uint16_t)lane;
	access->addresses[access->count++] = address;
}

static bool is_active(const struct guest *guest, uint32_t opcode, const struct sve_access *access,
		      unsigned lane)
{
	return state_predicate(guest, bits(opcode, 10, 3), lane << access->lane_shift);
}

/* Elements, of one or more registers, that stand behind each other. */
static void add_line(uint32_t opcode, const struct guest *guest, struct sve_access *access,
		     uint64_t address, unsigned lanes, unsigned registers)
{
	for (unsigned lane = 0; lane < lanes; lane++) {
		if (!is_active(guest, opcode, access, lane))
			continue;
		for (unsigned i = 0; i < registers; i++)
			add(access, lane,
			    address + ((uint64_t)(lane * registers + i) << access->shift));
	}
}

/* The offset, or the address, that a vector holds for a lane. */
static uint64_t lane_of(const struct guest *guest, unsigned vector, unsigned lane,
			const struct sve_access *access)
{
	return state_lane(guest, vector, lane << access->lane_shift, 1u << access->lane_shift);
}

static uint64_t offset_of(const struct form *form, uint32_t opcode, const struct guest *guest,
			  const struct sve_access *access, unsigned lane)
{
	const bool whole = form->offsets == WHOLE || form->offsets == WHOLE_SCALED;
	const bool scaled = form->offsets == WHOLE_SCALED || form->offsets == EXTENDED_SCALED;
	uint64_t offset = lane_of(guest, bits(opcode, 16, 5), lane, access);

	if (!whole)
		offset = bits(opcode, form->sign_at, 1) ? (uint64_t)(int64_t)(int32_t)offset
							: (uint32_t)offset;
	return scaled ? offset << access->shift : offset;
}

static void add_lanes(const struct form *form, uint32_t opcode, const struct guest *guest,
		      struct sve_access *access, unsigned lanes)
{
	const unsigned n = bits(opcode, 5, 5), m = bits(opcode, 16, 5);

	for (unsigned lane = 0; lane < lanes; lane++) {
		if (!is_active(guest, opcode, access, lane))
			continue;
		if (form->place == SCALAR_OFFSETS)
			add(access, lane,
			    state_x(guest, n) + offset_of(form, opcode, guest, access, lane));
		else if (form->place == VECTOR)
			add(access, lane,
			    lane_of(guest, n, lane, access) + ((uint64_t)m << access->shift));
		else
			add(access, lane,
			    lane_of(guest, n, lane, access) + state_operand(guest, m));
	}
}

/* LD2 to LD4, ST2 to ST4 have two to four registers. */
static unsigned registers_of(const struct form *form, uint32_t opcode)
{
	const bool is_line = form->place == LINE || form->place == LINE_REGISTER;

	return is_line && form->sizes == BY_MEMORY ? bits(opcode, 21, 2) + 1 : 1;
}

/* Elements behind each other: of the vector, of 16 bytes (LD1RQ), or of 32 (LD1RO). */
static void add_contiguous(const struct form *form, uint32_t opcode, const struct guest *guest,
			   struct sve_access *access, unsigned lanes)
{
	const bool is_quad = form->place == QUADS || form->place == QUADS_REGISTER;
	const bool is_octet = form->place == OCTETS || form->place == OCTETS_REGISTER;
	const bool by_register = form->place == LINE_REGISTER || form->place == QUADS_REGISTER ||
				 form->place == OCTETS_REGISTER;
	const unsigned registers = registers_of(form, opcode);
	const uint64_t index = state_operand(guest, bits(opcode, 16, 5));
	int64_t bytes;

	if (is_quad || is_octet)
		lanes = (is_quad ? 16u : 32u) >> access->shift;
	bytes = (int64_t)(registers * lanes) << access->shift;
	add_line(opcode, guest, access,
		 state_x(guest, bits(opcode, 5, 5)) +
			 (by_register ? index << access->shift
				      : (uint64_t)(signed_line(opcode) * bytes)),
		 lanes, registers);
}

static bool is_scattered(const struct form *form)
{
	return form->place == SCALAR_OFFSETS || form->place == VECTOR ||
	       form->place == VECTOR_REGISTER;
}

void sve_compute(uint32_t opcode, const struct guest *guest, struct sve_access *access)
{
	const struct form *form = find_form(opcode);
	unsigned lanes;

	access->writes = (opcode & OF_SVE) == STORES;
	access->count = 0;
	access->fault = form->fault;
	find_sizes(form, opcode, access);
	lanes = state_vector_bytes(guest) >> access->lane_shift;
	if (is_scattered(form))
		add_lanes(form, opcode, guest, access, lanes);
	else
		add_contiguous(form, opcode, guest, access, lanes);
}

void sve_cut_at_fault(const struct guest *guest, struct sve_access *access)
{
	unsigned kept = access->fault == SVE_FIRST_FAULT;

	if (access->fault == SVE_FAULTS)
		return;
	while (kept < access->count &&
	       state_predicate(guest, FFR, (unsigned)access->lanes[kept] << access->lane_shift))
		kept++;
	if (kept < access->count)
		access->count = kept;
}
