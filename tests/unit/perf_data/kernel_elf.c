/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_elf.h"

#include "../symbols/make_elf.h"

enum { LINKED_SIZE = 0x180 };

static const uint64_t linked_at = 0xffffffff81000000;

static void add_segment(struct made *made)
{
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = 64,
		.p_vaddr = linked_at,
		.p_filesz = LINKED_SIZE,
		.p_memsz = LINKED_SIZE,
		.p_align = 0x200000,
	};

	put_at(made, offsetof(Elf64_Ehdr, e_phoff), made->size, 8);
	put_at(made, offsetof(Elf64_Ehdr, e_phentsize), sizeof(segment), 2);
	put_at(made, offsetof(Elf64_Ehdr, e_phnum), 1, 2);
	put_bytes(made, &segment, sizeof(segment));
}

const uint8_t *kernel_elf(size_t *size)
{
	static const char names[] = "\0startup\0do_work";
	static const uint8_t code[LINKED_SIZE];
	static struct made made;
	struct made symbols = { .is_64bit = true };

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	put_symbol(&symbols, 1, STT_FUNC | STB_GLOBAL << 4, 1, linked_at, 0x100);
	put_symbol(&symbols, 9, STT_FUNC, 1, linked_at + 0x100, 0x80);
	made = made_like(&symbols);
	make_elf(&made, ET_EXEC, EM_X86_64,
		 (struct made_section[]){
			 { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, linked_at, code,
			   sizeof(code), 0, 0 },
			 { ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
			 { ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0,
			   0 },
		 },
		 3);
	add_segment(&made);
	*size = made.size;
	return made.bytes;
}
