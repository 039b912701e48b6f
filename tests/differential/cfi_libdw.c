/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of call frame information against those of libdw: cfi_libdw FILE...
 * Of each ELF file the rows of its code, by .eh_frame or else by .debug_frame: the rules of the CFA
 * and of all registers. libdw knows more of one kind: registers that a call destroys by the ABI.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/cfi/tables.h"
#include "symbols/elf/debug_file.h"

enum { ROWS_MAX = 60000 };

static int failures;
static const char *path;

/* A rule in words that both sides can be brought to. */
struct rule {
	enum tl_cfi_rule_kind kind;
	int64_t value;
};

static void fail(uint64_t address, const char *what, int number, struct rule ours,
		 struct rule theirs)
{
	if (failures++ < 20)
		printf("%s: 0x%" PRIx64 ": %s %d is kind %d value %" PRId64
		       ", libdw: kind %d value %" PRId64 "\n",
		       path, address, what, number, ours.kind, ours.value, theirs.kind,
		       theirs.value);
}

/* ---- libdw's rules ---- */

static struct rule rule_of_ops(const Dwarf_Op *ops, size_t count, const Dwarf_Op *own)
{
	const bool is_value = count && ops[count - 1].atom == DW_OP_stack_value;
	const size_t plain = count - is_value;

	if (!count)
		return (struct rule){ ops == own ? TL_CFI_UNDEFINED : TL_CFI_SAME, 0 };
	if (count == 1 && ops[0].atom == DW_OP_regx)
		return (struct rule){ TL_CFI_REGISTER, (int64_t)ops[0].number };
	if (ops[0].atom == DW_OP_call_frame_cfa && plain <= 2 &&
	    (plain == 1 || ops[1].atom == DW_OP_plus_uconst))
		return (struct rule){ is_value ? TL_CFI_VAL_OFFSET : TL_CFI_OFFSET,
				      plain == 2 ? (int64_t)ops[1].number : 0 };
	return (struct rule){ is_value ? TL_CFI_VAL_EXPRESSION : TL_CFI_EXPRESSION, 0 };
}

static void compare_register(const struct tl_cfi_row *row, Dwarf_Frame *frame, int number,
			     uint64_t address)
{
	struct rule ours = { row->rules[number].kind, row->rules[number].value }, theirs;
	Dwarf_Op own[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, own, &ops, &count)) {
		if (failures++ < 20)
			printf("%s: 0x%" PRIx64 ": libdw: %s\n", path, address, dwarf_errmsg(-1));
		return;
	}
	theirs = rule_of_ops(ops, count, own);
	if (ours.kind == TL_CFI_EXPRESSION || ours.kind == TL_CFI_VAL_EXPRESSION)
		ours.value = 0;
	if (row->is_32bit)
		theirs.value = (int32_t)theirs.value;
	/* By the ABI, or by nothing said. */
	if (ours.kind == TL_CFI_SAME &&
	    (theirs.kind == TL_CFI_UNDEFINED || theirs.kind == TL_CFI_VAL_OFFSET))
		return;
	if (ours.kind != theirs.kind || ours.value != theirs.value)
		fail(address, "register", number, ours, theirs);
}

static void compare_cfa(const struct tl_cfi_row *row, Dwarf_Frame *frame, uint64_t address)
{
	struct rule ours = { row->cfa.kind, row->cfa.value }, theirs = { TL_CFI_SAME, 0 };
	uint64_t number = 0;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) || !count) {
		fail(address, "CFA", 0, ours, theirs);
		return;
	}
	theirs.kind = TL_CFI_VAL_EXPRESSION;
	if (count == 1 && ops[0].atom == DW_OP_bregx) {
		theirs = (struct rule){ TL_CFI_REGISTER, (int64_t)ops[0].number2 };
		number = ops[0].number;
	} else if (count == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
		theirs = (struct rule){ TL_CFI_REGISTER, (int64_t)ops[0].number };
		number = ops[0].atom - DW_OP_breg0;
	}
	if (ours.kind == TL_CFI_VAL_EXPRESSION)
		ours.value = 0;
	/* An expression of one register and a number is the same. */
	if (ours.kind == TL_CFI_VAL_EXPRESSION && theirs.kind == TL_CFI_REGISTER)
		return;
	if (ours.kind != theirs.kind || ours.value != theirs.value ||
	    (ours.kind == TL_CFI_REGISTER && number != row->cfa_register))
		fail(address, "CFA", (int)number, ours, theirs);
}

/* ---- files ---- */

/* The row at an address; the address behind it, where libdw knows it. */
static uint64_t compare_row(struct tl_cfi *ours, Dwarf_CFI *theirs, uint64_t address,
			    uint64_t *rows)
{
	Dwarf_Frame *frame = NULL;
	struct tl_cfi_row row;
	Dwarf_Addr start = 0, end = address + 1;
	bool is_signal;
	const int known = tl_cfi_find(ours, address, &row);

	if (dwarf_cfi_addrframe(theirs, address, &frame)) {
		if (known && failures++ < 20)
			printf("%s: 0x%" PRIx64 ": libdw knows no row: %s\n", path, address,
			       dwarf_errmsg(-1));
		return end;
	}
	if (known) {
		const int number = dwarf_frame_info(frame, &start, &end, &is_signal);

		if (((uint64_t)number != row.return_register || is_signal != row.is_signal) &&
		    failures++ < 20)
			printf("%s: 0x%" PRIx64 ": another return address\n", path, address);
		compare_cfa(&row, frame, address);
		for (int i = 0; i < TL_CFI_REGISTERS; i++)
			if (i != 34) /* of AArch64: not a register, but the state of signing */
				compare_register(&row, frame, i, address);
		++*rows;
	} else if (failures++ < 20) {
		printf("%s: 0x%" PRIx64 ": we know no row\n", path, address);
	}
	free(frame);
	return end > address ? end : address + 1;
}

static uint64_t compare_code(Elf *elf, struct tl_cfi *ours, Dwarf_CFI *theirs)
{
	uint64_t rows = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		uint64_t at = header.sh_addr;

		while (header.sh_flags & SHF_EXECINSTR && at < header.sh_addr + header.sh_size &&
		       rows < ROWS_MAX)
			at = compare_row(ours, theirs, at, &rows);
	}
	return rows;
}

static void compare_file(void)
{
	const int fd = open(path, O_RDONLY);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf *dwarf = NULL;
	struct tl_cfi *ours = NULL;
	const struct tl_debug_places places = { "/nowhere", NULL };
	struct tl_error err;
	Dwarf_CFI *theirs = elf ? dwarf_getcfi_elf(elf) : NULL;
	uint64_t rows;

	if (elf && !theirs) {
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		theirs = dwarf ? dwarf_getcfi(dwarf) : NULL;
	}
	if (!theirs || tl_cfi_open(&ours, path, &places, &err) < 0) {
		printf("%s: cannot be read\n", path);
		failures++;
		return;
	}
	rows = compare_code(elf, ours, theirs);
	printf("%s: %" PRIu64 " rows\n", path, rows);
	failures += !rows;
	tl_cfi_close(ours);
	if (dwarf)
		dwarf_end(dwarf);
	else
		dwarf_cfi_end(theirs);
	elf_end(elf);
	close(fd);
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++) {
		path = argv[i];
		compare_file();
	}
	return failures != 0;
}
