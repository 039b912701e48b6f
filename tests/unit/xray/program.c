/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "../symbols/make_elf.h"

enum {
	TEXT = 0x1000, /* of function I: TEXT + I * ROOM */
	ROOM = 0x20,
	BARE = 0x1f00, /* code that no unwind table describes */
	STUBS = 0x2000,
	SLOTS = 0x3000, /* .got.plt: malloc, qsort, setjmp, LEAF */
	DATA = 0x3100,  /* .data: a variable */
	TABLE = 0x3200, /* .data.rel.ro */
	FRAMES = 0x4000,
	LSDAS = 0x4800,
	MAP = 0x5000,
};

enum { SLOT_MALLOC, SLOT_QSORT, SLOT_SETJMP, SLOT_LEAF };

enum how { RETURNS, CALL, CALL_SLOT, JUMP_SLOT, CALL_REGISTER, JUMP, TAKE };

static uint64_t at(unsigned function)
{
	return TEXT + (uint64_t)function * ROOM;
}

/* By function: what it does, with which address; further functions that it calls. */
static const struct {
	enum how how;
	uint64_t target;
	uint8_t further[2];
	/* clang-format off */
} bodies[FUNCTIONS + 1] = {
	[CALLER] = { CALL, TEXT + LEAF * ROOM, { 0 } },
	[THROUGH] = { CALL, TEXT + HELPER * ROOM, { 0 } },
	[INDIRECT] = { CALL_REGISTER, 0, { 0 } },
	[QUIET] = { CALL, STUBS, { 0 } },
	[ABROAD] = { CALL, STUBS + ROOM, { 0 } },
	[SETTER] = { CALL_SLOT, SLOTS + 8 * SLOT_SETJMP, { 0 } },
	[CATCHER] = { CALL, TEXT + LEAF * ROOM, { THROWER, CLEANER } },
	[CLEANER] = { CALL, TEXT + LEAF * ROOM, { THROWER } },
	[BOTH] = { CALL, TEXT + LEAF * ROOM, { CLEANER } },
	[RECURSIVE] = { CALL, TEXT + RECURSIVE * ROOM, { 0 } },
	[VARIABLE] = { JUMP_SLOT, DATA, { 0 } },
	[OUTSIDE] = { CALL, BARE, { 0 } },
	[OWN_SLOT] = { CALL_SLOT, SLOTS + 8 * SLOT_LEAF, { 0 } },
	[BAD_STUB] = { CALL, STUBS + 2 * ROOM, { 0 } },
	[FAR_STUB] = { CALL, STUBS + 3 * ROOM, { 0 } },
	[OUTER] = { CALL, TEXT + CALLER * ROOM, { 0 } },
	[SAVES] = { CALL, TEXT + SAVER * ROOM, { 0 } },
	[WAITS] = { CALL, TEXT + SETTER * ROOM, { 0 } },
	[HELPER] = { JUMP, TEXT + LEAF * ROOM, { 0 } },
	[TAKER] = { TAKE, TEXT + TAKEN * ROOM, { 0 } },
	[SAVER] = { CALL_SLOT, SLOTS + 8 * SLOT_SETJMP, { 0 } },
};
/* clang-format on */

/* ---- code ---- */

/* Opcode, then the distance from the end of the instruction, which is its end. */
static void put_x86(struct made *code, const char *opcode, size_t size, uint64_t base,
		    uint64_t target)
{
	put_bytes(code, opcode, size);
	put(code, target - (base + code->size + 4), 4);
}

static void put_x86_body(struct made *code, enum how how, uint64_t base, uint64_t target)
{
	switch (how) {
	case CALL:
		put_x86(code, "\xe8", 1, base, target);
		break;
	case JUMP:
		put_x86(code, "\xe9", 1, base, target);
		break;
	case CALL_SLOT:
		put_x86(code, "\xff\x15", 2, base, target);
		break;
	case JUMP_SLOT:
		put_x86(code, "\xff\x25", 2, base, target);
		break;
	case TAKE:
		put_x86(code, "\x48\x8d\x05", 3, base, target); /* lea target(%rip), %rax */
		break;
	case CALL_REGISTER:
		put(code, 0xd0ff, 2); /* call *%rax */
		break;
	case RETURNS:
		break;
	}
}

/* ADRP X16 with the page of `target`. */
static void put_page(struct made *code, uint64_t base, uint64_t target)
{
	uint64_t pages = (target >> 12) - ((base + code->size) >> 12);

	put(code, 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5, 4);
}

static void put_a64_body(struct made *code, enum how how, uint64_t base, uint64_t target)
{
	const uint64_t words = (target - (base + code->size)) >> 2 & 0x3ffffff;

	switch (how) {
	case CALL:
		put(code, 0x94000000 | words, 4); /* BL */
		break;
	case JUMP:
		put(code, 0x14000000 | words, 4); /* B */
		break;
	case CALL_SLOT:
	case JUMP_SLOT:
		put_page(code, base, target);
		put(code, 0xf9400210 | (target & 0xfff) / 8 << 10, 4);    /* LDR X16, [X16, #n] */
		put(code, how == CALL_SLOT ? 0xd63f0200 : 0xd61f0200, 4); /* BLR, BR X16 */
		break;
	case TAKE:
		put_page(code, base, target);
		put(code, 0x91000200 | (target & 0xfff) << 10, 4); /* ADD X0, X16, #n */
		break;
	case CALL_REGISTER:
		put(code, 0xd63f0000, 4); /* BLR X0 */
		break;
	case RETURNS:
		break;
	}
}

static void put_body(struct made *code, uint16_t machine, enum how how, uint64_t base,
		     uint64_t target)
{
	(machine == EM_AARCH64 ? put_a64_body : put_x86_body)(code, how, base, target);
}

static void put_return(struct made *code, uint16_t machine)
{
	put(code, machine == EM_AARCH64 ? 0xd65f03c0 : 0xc3, machine == EM_AARCH64 ? 4 : 1);
}

static void put_text(struct made *text, uint16_t machine)
{
	for (unsigned i = 1; i <= FUNCTIONS; i++) {
		text->size = (size_t)i * ROOM;
		put_body(text, machine, bodies[i].how, TEXT, bodies[i].target);
		for (size_t j = 0; j < 2 && bodies[i].further[j]; j++)
			put_body(text, machine, CALL, TEXT, at(bodies[i].further[j]));
		put_return(text, machine);
	}
	text->size = BARE - TEXT;
	put_return(text, machine);
	text->size += 16;
}

/*
 * The third stub is none: it jumps to wherever a register says. The fourth one comes to its jump
 * too late.
 */
static void put_stubs(struct made *stubs, uint16_t machine)
{
	for (unsigned i = 0; i < 2; i++) {
		stubs->size = (size_t)i * ROOM;
		/* ENDBR64, BTI C */
		put(stubs, machine == EM_AARCH64 ? 0xd503245f : 0xfa1e0ff3, 4);
		put_body(stubs, machine, JUMP_SLOT, STUBS, SLOTS + 8 * i);
	}
	stubs->size = 2 * ROOM;
	put(stubs, machine == EM_AARCH64 ? 0xd61f0200 : 0xe0ff, machine == EM_AARCH64 ? 4 : 2);
	stubs->size = 3 * ROOM;
	/* NOP */
	for (unsigned i = 0; i < 6; i++)
		put(stubs, machine == EM_AARCH64 ? 0xd503201f : 0x90,
		    machine == EM_AARCH64 ? 4 : 1);
	put_body(stubs, machine, JUMP_SLOT, STUBS, SLOTS);
	stubs->size = 5 * ROOM;
}

/* ---- tables ---- */

/* "Exception Frames" of the Linux Standard Base: one CIE with the augmentation zLR, then FDEs. */
static void put_frames(struct made *frames)
{
	static const uint8_t cie[] = { 0x14, 0, 0,    0,  0, 0,    0,    0, 1, 'z', 'L', 'R',
				       0,    1, 0x78, 16, 2, 0x1b, 0x1b, 0, 0, 0,   0,   0 };

	put_bytes(frames, cie, sizeof(cie));
	for (unsigned i = 1; i <= FUNCTIONS; i++) {
		const uint64_t lsda = i == CATCHER ? LSDAS : i == CLEANER ? LSDAS + 16 : 0;

		put(frames, 0x14, 4);
		put(frames, frames->size, 4); /* to the CIE */
		put(frames, at(i) - (FRAMES + frames->size), 4);
		put(frames, ROOM, 4);
		put(frames, 4, 1);
		put(frames, lsda ? lsda - (FRAMES + frames->size) : 0, 4);
		put(frames, 0, 3);
	}
	put(frames, 0, 4);
}

/* Each: one call site with a pad and the first action: type 1 (catch), or 0 (clean up). */
static const uint8_t lsdas[32] = { 0xff, 0xff, 1, 4,    0,    12, 14, 1, 1,  0,  0, 0, 0,
				   0,    0,    0, 0xff, 0xff, 1,  4,  0, 12, 14, 1, 0, 0 };

static void put_relocation(struct made *rela, unsigned slot, unsigned symbol, uint64_t addend)
{
	put(rela, SLOTS + 8 * slot, 8);
	put(rela, (uint64_t)symbol << 32 | (symbol ? R_X86_64_JUMP_SLOT : R_X86_64_RELATIVE), 8);
	put(rela, addend, 8);
}

static const char names[] = "\0malloc\0qsort\0setjmp\0exported";

static void put_dynamic(struct made *symbols, struct made *rela)
{
	put_symbol(symbols, 0, 0, 0, 0, 0);
	put_symbol(symbols, 1, 0x12, 0, 0, 0);
	put_symbol(symbols, 8, 0x12, 0, 0, 0);
	put_symbol(symbols, 14, 0x12, 0, 0, 0);
	put_symbol(symbols, 21, 0x12, 1, at(EXPORTED), ROOM);
	put_relocation(rela, SLOT_MALLOC, 1, 0);
	put_relocation(rela, SLOT_QSORT, 2, 0);
	put_relocation(rela, SLOT_SETJMP, 3, 0);
	put_relocation(rela, SLOT_LEAF, 0, at(LEAF));
}

enum { ENTRY_SLED, EXIT_SLED };

/* A sled of version 2 (docs/formats/xray.md, 2.8): places relative to the fields. */
static void put_sled(struct made *map, unsigned function, unsigned kind)
{
	put(map, at(function) - (MAP + map->size), 8);
	put(map, at(function) - (MAP + map->size), 8);
	put(map, kind, 1);
	put(map, 1, 1);
	put(map, 2, 1);
	put(map, 0, 8);
	put(map, 0, 5);
}

static void put_map(struct made *map, unsigned functions)
{
	for (unsigned i = 1; i <= functions; i++) {
		put_sled(map, i, ENTRY_SLED);
		if (i != BAD_STUB)
			put_sled(map, i, EXIT_SLED);
	}
}

static struct made_section section(const char *name, uint64_t flags, uint64_t address,
				   const struct made *made)
{
	return (struct made_section){ .name = name,
				      .type = SHT_PROGBITS,
				      .flags = SHF_ALLOC | flags,
				      .address = address,
				      .data = made->bytes,
				      .size = made->size };
}

static void make(struct temp *temp, const char *name, uint16_t type, uint16_t machine,
		 unsigned sleds)
{
	static struct made text, stubs, slots, data, table, symbols, strings, rela, frames, lsda,
		map, file;
	struct made *const all[] = { &text,    &stubs, &slots,  &data, &table, &symbols,
				     &strings, &rela,  &frames, &lsda, &map,   &file };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = (struct made){ .is_64bit = true };
	put_text(&text, machine);
	put_stubs(&stubs, machine);
	slots.size = 32;
	data.size = 8;
	put(&table, at(CALLBACK), 8);
	put_dynamic(&symbols, &rela);
	put_bytes(&strings, names, sizeof(names));
	put_frames(&frames);
	put_bytes(&lsda, lsdas, sizeof(lsdas));
	put_map(&map, sleds);
	struct made_section sections[] = {
		section(".text", SHF_EXECINSTR, TEXT, &text),
		section(".plt", SHF_EXECINSTR, STUBS, &stubs),
		section(".got.plt", SHF_WRITE, SLOTS, &slots),
		section(".data", SHF_WRITE, DATA, &data),
		section(".data.rel.ro", SHF_WRITE, TABLE, &table),
		section(".dynsym", 0, 0x400, &symbols),
		section(".dynstr", 0, 0x600, &strings),
		section(".rela.plt", 0, 0x700, &rela),
		section(".eh_frame", 0, FRAMES, &frames),
		section(".gcc_except_table", 0, LSDAS, &lsda),
		section("xray_instr_map", 0, MAP, &map),
	};

	sections[5].type = SHT_DYNSYM;
	sections[5].link = 7; /* .dynstr */
	sections[5].entry = sizeof(Elf64_Sym);
	sections[6].type = SHT_STRTAB;
	make_elf(&file, type, machine, sections, sizeof(sections) / sizeof(sections[0]));
	temp_write(temp, name, file.bytes, file.size);
}

void make_program(struct temp *temp, const char *name, uint16_t machine)
{
	make(temp, name, ET_DYN, machine, SLEDS);
}

void make_fixed_program(struct temp *temp, const char *name, unsigned sleds)
{
	make(temp, name, ET_EXEC, EM_X86_64, sleds);
}
