/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file with call frame information: rows of its code, steps by them over its bytes. */
#include "fuzz.h"
#include "symbols/cfi/step.h"
#include "symbols/cfi/tables.h"
#include "symbols/elf/elf_file.h"

/* In one section, in all. */
enum { LOOKS_MAX = 128, ALL_MAX = 512 };

/* Each register leads somewhere into the copy of a stack, which is a part of the file. */
static void step(const struct tl_cfi_row *row, uint64_t address, const uint8_t *data, size_t size)
{
	const struct tl_cfi_memory memory = { data, 0x7000, size };
	struct tl_cfi_frame frame = { .pc = address, .known = (UINT64_C(1) << 33) - 1 };
	enum tl_cfi_result result;

	for (unsigned i = 0; i < TL_CFI_REGISTERS; i++)
		frame.registers[i] = 0x7000 + 8 * i;
	result = tl_cfi_step(row, &memory, 0x10000, &frame);
	FUZZ_MUST(result <= TL_CFI_BAD);
	/* "The frame is unchanged unless the result is TL_CFI_CALLER." */
	FUZZ_MUST(result == TL_CFI_CALLER || frame.pc == address);
	FUZZ_MUST(result != TL_CFI_CALLER || frame.pc);
}

static void look(struct tl_cfi *cfi, uint64_t address, const uint8_t *data, size_t size)
{
	struct tl_cfi_row row;

	if (tl_cfi_find(cfi, address, &row) != 1)
		return;
	FUZZ_MUST(row.return_register < TL_CFI_REGISTERS);
	FUZZ_MUST(row.cfa.kind == TL_CFI_VAL_EXPRESSION || row.cfa_register < TL_CFI_REGISTERS);
	step(&row, address, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_elf_section section;
	struct tl_error err;
	struct tl_cfi *cfi;
	struct tl_elf file;
	unsigned looks = 0;

	if (tl_cfi_open_memory(&cfi, data, size, &err) < 0)
		return 0;
	FUZZ_MUST(!tl_elf_open_memory(&file, data, size, NULL));
	for (uint32_t i = 1; tl_elf_section_at(&file, i, &section); i++)
		for (uint64_t k = 0;
		     section.flags & SHF_EXECINSTR && k < LOOKS_MAX && looks < ALL_MAX;
		     k++, looks++)
			look(cfi, section.address + k, data, size);
	for (uint64_t k = 0; k < LOOKS_MAX; k++)
		look(cfi, tl_elf_word(&file, data + 24) + k, data, size);
	tl_cfi_close(cfi);
	return 0;
}
