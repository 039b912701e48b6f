/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of entries of procedure linkage tables, of files laid out by hand after the psABIs of
 * x86-64, i386 and AArch64 ("Procedure Linkage Table").
 */
#include "../temp_fixture.h"

#include "core/arithmetic.h"
#include "symbols/binary.h"

#include "make_elf.h"
#include "../refuse.h"

enum { PLT = 0x1000, SECOND = 0x1100, GOT = 0x3000, SLOTS = GOT + 0x18, CHOOSE = 0x2000 };

static const char names[] = "\0puts\0_ZN4Cave4echoEv\0free@@V_1\0choose";
/* Offsets of these names. */
enum { PUTS = 1, ECHO = 6, FREE = 22, CHOOSER = 32 };

struct program {
	uint16_t machine;
	bool is_64bit, big;
	struct made symbols, own, relocations, table, second;
	const char *table_name;
};

static struct program make_program(uint16_t machine, bool is_64bit)
{
	const struct made empty = { .is_64bit = is_64bit };
	struct program p = { machine, is_64bit, false, empty, empty, empty, empty, empty, ".plt" };

	put_symbol(&p.symbols, 0, 0, 0, 0, 0);
	put_symbol(&p.symbols, PUTS, 0x12, SHN_UNDEF, 0, 0);
	put_symbol(&p.symbols, ECHO, 0x12, SHN_UNDEF, 0, 0);
	put_symbol(&p.symbols, FREE, 0x12, SHN_UNDEF, 0, 0);
	put_symbol(&p.own, 0, 0, 0, 0, 0);
	put_symbol(&p.own, CHOOSER, 0x1a, 5, CHOOSE, 8);
	return p;
}

/* Slot number `slot` is filled by a relocation of a symbol. */
static void put_slot(struct program *p, unsigned slot, uint32_t type, uint32_t symbol,
		     uint64_t addend)
{
	struct made *m = &p->relocations;

	put_word(m, SLOTS + slot * (p->is_64bit ? 8 : 4));
	put_word(m, p->is_64bit ? (uint64_t)symbol << 32 | type : symbol << 8 | type);
	if (p->is_64bit)
		put(m, addend, 8);
}

static void put_text(struct made *made, const char *bytes, size_t count)
{
	put_bytes(made, bytes, count);
}

static void write_program(struct program *p)
{
	const size_t entry = p->is_64bit ? 24 : 16;
	const struct made_section sections[] = {
		{ ".dynsym", SHT_DYNSYM, SHF_ALLOC, 0x200, p->symbols.bytes, p->symbols.size, 2,
		  entry },
		{ ".dynstr", SHT_STRTAB, SHF_ALLOC, 0x300, (const uint8_t *)names, sizeof(names), 0,
		  0 },
		{ p->is_64bit ? ".rela.plt" : ".rel.plt", p->is_64bit ? SHT_RELA : SHT_REL,
		  SHF_ALLOC, 0x400, p->relocations.bytes, p->relocations.size, 1,
		  p->is_64bit ? 24 : 8 },
		{ p->table_name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, p->table.bytes,
		  p->table.size, 0, 16 },
		{ ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, SECOND, p->second.bytes,
		  p->second.size, 0, 16 },
		{ ".got.plt", SHT_PROGBITS, SHF_ALLOC, GOT, (const uint8_t *)names, 8, 0, 8 },
		{ ".symtab", SHT_SYMTAB, 0, 0, p->own.bytes, p->own.size, 2, entry },
	};
	struct made made = { .is_64bit = p->is_64bit, .big = p->big };

	make_elf(&made, ET_DYN, p->machine, sections, 7);
	temp_write(&temp, "made", made.bytes, made.size);
}

/* What an address is called, with where that begins and ends; "" and 0: nothing. */
static void assert_name(uint64_t address, const char *name, uint64_t start, uint64_t size)
{
	struct tl_binary *binary;
	struct tl_symbol symbol;

	assert_int_equal(tl_binary_open(&binary, temp.path, 0x10000, true, NULL), 0);
	assert_int_equal(tl_binary_symbol_at(binary, address + 0x10000, &symbol), *name != 0);
	assert_string_equal(symbol.name, name);
	if (*name) {
		assert_int_equal(symbol.start, start + 0x10000);
		assert_int_equal(symbol.size, size);
	}
	assert_int_equal(tl_binary_is_linkage(binary, address + 0x10000),
			 strstr(name, "@plt") != 0);
	tl_binary_close(binary);
}

/* "jmp *slot(%rip)" at `address`, 6 bytes. */
static void put_jump(struct made *made, uint64_t address, unsigned slot)
{
	put_text(made, "\xff\x25", 2);
	put(made, (uint32_t)(SLOTS + 8 * slot - (address + 6)), 4);
}

/* The psABI's usual form: a head that pushes its own word, then entries of 16 bytes. */
static struct program lazy(void)
{
	struct program p = make_program(EM_X86_64, true);

	put_slot(&p, 0, R_X86_64_JUMP_SLOT, 1, 0);
	put_slot(&p, 1, R_X86_64_JUMP_SLOT, 2, 0);
	put_slot(&p, 2, R_X86_64_IRELATIVE, 0, CHOOSE);
	put_text(&p.table, "\xff\x35\x02\x20\x00\x00", 6);
	put_jump(&p.table, PLT + 6, (unsigned)-1);
	put_text(&p.table, "\x0f\x1f\x40\x00", 4);
	for (unsigned i = 0; i < 3; i++) {
		put_jump(&p.table, PLT + 16 + 16 * i, i);
		put(&p.table, 0x68, 1);
		put(&p.table, i, 4);
		put_text(&p.table, "\xe9\xd0\xff\xff\xff", 5);
	}
	return p;
}

TEST(entries_have_the_names_of_what_they_jump_to)
{
	struct program p = lazy();

	write_program(&p);
	/* The head jumps to the loader, by a slot without a relocation. */
	assert_name(PLT, "", 0, 0);
	assert_name(PLT + 15, "", 0, 0);
	assert_name(PLT + 16, "puts@plt", PLT + 16, 16);
	assert_name(PLT + 31, "puts@plt", PLT + 16, 16);
	assert_name(PLT + 38, "Cave::echo()@plt", PLT + 32, 16);
	/* A function that is chosen at the start, by the name of the one that chooses. */
	assert_name(PLT + 48, "choose@plt", PLT + 48, 16);
	assert_name(PLT + 63, "choose@plt", PLT + 48, 16);
	assert_name(PLT + 64, "", 0, 0);
	assert_name(CHOOSE + 7, "choose", CHOOSE, 8);
}

/* "GLOB_DAT": a table without lazy binding has entries of 8 bytes; versions are none of a name. */
TEST(entries_of_eight_bytes)
{
	struct program p = make_program(EM_X86_64, true);

	p.table_name = ".plt.got";
	put_slot(&p, 0, R_X86_64_GLOB_DAT, 1, 0);
	put_slot(&p, 1, R_X86_64_GLOB_DAT, 3, 0);
	put_jump(&p.table, PLT, 1);
	put_text(&p.table, "\x66\x90", 2);
	put_jump(&p.table, PLT + 8, 0);
	put_text(&p.table, "\x66\x90", 2);
	write_program(&p);
	assert_name(PLT, "free@plt", PLT, 8);
	assert_name(PLT + 7, "free@plt", PLT, 8);
	assert_name(PLT + 8, "puts@plt", PLT + 8, 8);
}

/* Guarded branches: the first table asks the loader by a number, the second one jumps. */
TEST(entries_with_guarded_branches)
{
	struct program p = make_program(EM_X86_64, true);

	put_slot(&p, 0, R_X86_64_JUMP_SLOT, 1, 0);
	put_slot(&p, 1, R_X86_64_JUMP_SLOT, 3, 0);
	put_text(&p.table, "\xf3\x0f\x1e\xfa\x68\x01\0\0\0\xf2\xe9\xd0\xff\xff\xff\x90", 16);
	put_text(&p.table, "\xf3\x0f\x1e\xfa\x68\0\0\0\0\xe9\xd0\xff\xff\xff\x66\x90", 16);
	/* No such relocation. */
	put_text(&p.table, "\xf3\x0f\x1e\xfa\x68\x02\0\0\0\xe9\xd0\xff\xff\xff\x66\x90", 16);
	/* bnd jmp */
	put_text(&p.second, "\xf3\x0f\x1e\xfa\xf2", 5);
	put_jump(&p.second, SECOND + 5, 0);
	put_text(&p.second, "\x0f\x1f\x44\0\0", 5);
	/* mold: mov $1, %r11d */
	put_text(&p.second, "\xf3\x0f\x1e\xfa\x41\xbb\x01\0\0\0", 10);
	put_jump(&p.second, SECOND + 26, 1);
	/* A retpoline: mov slot(%rip), %r11. */
	put_text(&p.second, "\x4c\x8b\x1d", 3);
	put(&p.second, SLOTS - (SECOND + 39), 4);
	put_text(&p.second, "\xe8\xd0\xff\xff\xff", 5);
	write_program(&p);
	assert_name(PLT, "free@plt", PLT, 16);
	assert_name(PLT + 16, "puts@plt", PLT + 16, 16);
	assert_name(PLT + 32, "", 0, 0);
	assert_name(SECOND + 15, "puts@plt", SECOND, 16);
	assert_name(SECOND + 16, "free@plt", SECOND + 16, 16);
	assert_name(SECOND + 43, "puts@plt", SECOND + 32, 12);
}

/* i386: slots by address, or counted from the global offset table in %ebx. */
TEST(entries_of_32_bits)
{
	struct program p = make_program(EM_386, false);

	put_slot(&p, 0, R_386_JMP_SLOT, 1, 0);
	put_slot(&p, 1, R_386_JMP_SLOT, 2, 0);
	put_text(&p.table, "\xff\x25", 2);
	put(&p.table, SLOTS + 4, 4);
	put_text(&p.table, "\x68\0\0\0\0\xe9\xd0\xff\xff\xff", 10);
	put_text(&p.table, "\xff\xa3", 2);
	put(&p.table, SLOTS - GOT, 4);
	put_text(&p.table, "\x68\0\0\0\0\xe9\xd0\xff\xff\xff", 10);
	/* Pushed are bytes here, and no number. */
	put_text(&p.table, "\xf3\x0f\x1e\xfb\x68\x08\0\0\0\xe9\xd0\xff\xff\xff\x66\x90", 16);
	write_program(&p);
	assert_name(PLT + 1, "Cave::echo()@plt", PLT, 16);
	assert_name(PLT + 16, "puts@plt", PLT + 16, 16);
	assert_name(PLT + 32, "Cave::echo()@plt", PLT + 32, 16);
}

/* ADRP of a page before or behind the entry, then LDR. */
TEST(entries_of_aarch64)
{
	struct program p = make_program(EM_AARCH64, true);
	/* adrp x16, +2 pages; ldr x17, [x16, #0x18 or #0x20]; add x16; br x17 */
	const uint32_t code[] = { 0xd0000010, 0xf9400e11, 0x91006210, 0xd61f0220, 0xd503245f,
				  0xd0000010, 0xf9401211, 0x91008210, 0xd61f0220,
				  /* another register; one page too few */
				  0xd0000011, 0xf9400e11, 0xb0000010, 0xf9400e11 };
	/* adrp x16, -2 pages, of a slot below the table */
	const uint32_t below[] = { 0xd0fffff0, 0xf9400e11, 0xd61f0220 };

	put_slot(&p, 0, R_AARCH64_JUMP_SLOT, 1, 0);
	put_slot(&p, 1, R_AARCH64_GLOB_DAT, 2, 0);
	put_word(&p.relocations, (uint64_t)PLT - 0x2000 + 0x18);
	put_word(&p.relocations, UINT64_C(3) << 32 | R_AARCH64_JUMP_SLOT);
	put_word(&p.relocations, 0);
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		put(&p.table, code[i], 4);
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		put(&p.second, below[i], 4);
	write_program(&p);
	assert_name(PLT, "puts@plt", PLT, 16);
	assert_name(PLT + 16, "Cave::echo()@plt", PLT + 16, 24);
	assert_name(PLT + 36, "Cave::echo()@plt", PLT + 16, 24);
	assert_name(PLT + 44, "", 0, 0);
	assert_name(SECOND, "free@plt", SECOND, 12);
}

/* Code that only looks like an entry, of a file that has no code of ours, or is cut. */
TEST(what_is_no_entry)
{
	struct program p = lazy();
	const size_t whole = p.table.size;
	static const char *const entries[] = { "puts@plt", "Cave::echo()@plt", "choose@plt" };

	p.machine = EM_RISCV;
	write_program(&p);
	assert_name(PLT + 16, "", 0, 0);
	p.machine = EM_X86_64;
	p.table_name = ".text";
	write_program(&p);
	assert_name(PLT + 16, "", 0, 0);
	p.table_name = ".plt";
	for (size_t size = 17; size < whole; size++) {
		const size_t number = (size - 1) / 16, left = size - 16 * number;

		p.table.size = size;
		write_program(&p);
		/* The jump is six bytes. */
		assert_name(PLT + size - 1, left < 6 ? "" : entries[number - 1], PLT + 16 * number,
			    left);
	}
	p.table.size = whole;
	p.relocations.size -= 25;
	write_program(&p);
	assert_name(PLT + 16, "puts@plt", PLT + 16, 16);
	assert_name(PLT + 32, "", 0, 0);
	assert_name(PLT + 48, "", 0, 0);
}

static int look_up(const void *input, uint64_t *digest)
{
	struct tl_binary *binary;
	struct tl_error err = { 0 };
	int status = tl_binary_open(&binary, input, 0, true, &err);

	if (status)
		return status;
	for (uint64_t at = PLT; at < PLT + 64; at += 8) {
		struct tl_symbol symbol;

		tl_binary_symbol_at(binary, at, &symbol);
		refuse_note_text(digest, symbol.name);
	}
	if (tl_binary_short_of_memory(binary))
		status = TL_NO_MEMORY;
	tl_binary_close(binary);
	return status;
}

TEST(without_memory)
{
	struct program p = lazy();

	write_program(&p);
	assert_true(refuse_each(look_up, temp.path) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_have_the_names_of_what_they_jump_to),
		cmocka_unit_test(entries_of_eight_bytes),
		cmocka_unit_test(entries_with_guarded_branches),
		cmocka_unit_test(entries_of_32_bits),
		cmocka_unit_test(entries_of_aarch64),
		cmocka_unit_test(what_is_no_entry),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
