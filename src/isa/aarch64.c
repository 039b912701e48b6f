/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AArch64: four bytes an instruction, little-endian. Branches by their encoding (Arm Architecture Reference Manual,
 * "Branches, Exception Generating and System instructions"); the text through LLVM's C disassembler where there is one.
 *
 * LLVM is looked for when the first instruction is shown, not linked: its library is a hundred times ours, and every
 * start of every command would pay for it.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "isa/machines.h"

enum { EM_OF_AARCH64 = 183, BYTES = 4 };

/* As llvm-c/Disassembler.h and llvm-c/Target.h declare them, the same since LLVM 3. */
struct llvm {
	void *library;
	void *(*create)(const char *triple, void *info, int tag, void *get_info, void *look_up);
	void (*dispose)(void *context);
	size_t (*disassemble)(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text, size_t text_size);
	void *context;
};

/* ---- LLVM ---- */

static bool find_function(void *library, const char *name, void *function, size_t size)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, size);
	return found != NULL;
}

static bool initialize(void *library)
{
	static const char *const names[] = { "LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64TargetMC",
					     "LLVMInitializeAArch64Disassembler" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void (*start)(void);

		if (!find_function(library, names[i], &start, sizeof(start)))
			return false;
		start();
	}
	return true;
}

static void *open_library(void)
{
	static const char *const names[] = { "libLLVM.so.19.1",  "libLLVM.so.18.1",  "libLLVM-17.so.1",
					     "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-14.so.1" };
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(names[0]); i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	return library;
}

static void *open_llvm(void)
{
	struct llvm *llvm = calloc(1, sizeof(*llvm));

	if (!llvm)
		return NULL;
	llvm->library = open_library();
	if (llvm->library && initialize(llvm->library) &&
	    find_function(llvm->library, "LLVMCreateDisasm", &llvm->create, sizeof(llvm->create)) &&
	    find_function(llvm->library, "LLVMDisasmDispose", &llvm->dispose, sizeof(llvm->dispose)) &&
	    find_function(llvm->library, "LLVMDisasmInstruction", &llvm->disassemble, sizeof(llvm->disassemble)))
		llvm->context = llvm->create("aarch64-linux-gnu", NULL, 0, NULL, NULL);
	return llvm;
}

/* The library stays: LLVM does not take being unloaded. */
static void close_llvm(void *state)
{
	struct llvm *llvm = state;

	if (llvm->context)
		llvm->dispose(llvm->context);
	free(llvm);
}

/* One tab or blank between the words. */
static void tidy(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		char c = *p == '\t' ? ' ' : *p;

		if (c == ' ' && (to == text || to[-1] == ' '))
			continue;
		*to++ = c;
	}
	*to = '\0';
}

static bool write_text(struct llvm *llvm, const uint8_t *code, uint64_t address, struct tl_insn *insn)
{
	uint8_t bytes[BYTES];

	memcpy(bytes, code, BYTES);
	if (!llvm->context ||
	    llvm->disassemble(llvm->context, bytes, BYTES, address, insn->text, sizeof(insn->text)) != BYTES)
		return false;
	tidy(insn->text);
	return true;
}

/* ---- branches ---- */

/* Bits [low, low + count) of a word, signed, times four. */
static uint64_t offset_of(uint32_t word, unsigned low, unsigned count)
{
	uint32_t field = word >> low & ((1u << count) - 1);
	uint64_t sign = 1ull << (count - 1);

	return ((field ^ sign) - sign) * 4;
}

static const struct {
	uint32_t mask, bits;
	enum tl_insn_kind kind;
	unsigned low, count; /* of the immediate; count 0: the target is in a register */
} branches[] = {
	{ 0xfc000000, 0x14000000, TL_INSN_JUMP, 0, 26 },   /* B */
	{ 0xfc000000, 0x94000000, TL_INSN_CALL, 0, 26 },   /* BL */
	{ 0xff000000, 0x54000000, TL_INSN_BRANCH, 5, 19 }, /* B.cond, BC.cond */
	{ 0x7e000000, 0x34000000, TL_INSN_BRANCH, 5, 19 }, /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, TL_INSN_BRANCH, 5, 14 }, /* TBZ, TBNZ */
	{ 0xfefff000, 0xd61f0000, TL_INSN_JUMP, 0, 0 },    /* BR, BRAA and the like */
	{ 0xfefff000, 0xd63f0000, TL_INSN_CALL, 0, 0 },    /* BLR */
	{ 0xfefff000, 0xd65f0000, TL_INSN_RETURN, 0, 0 },  /* RET */
};

static void classify(uint32_t word, uint64_t address, struct tl_insn *insn)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		if ((word & branches[i].mask) != branches[i].bits)
			continue;
		insn->kind = branches[i].kind;
		insn->has_target = branches[i].count != 0;
		if (insn->has_target)
			insn->target = address + offset_of(word, branches[i].low, branches[i].count);
		return;
	}
}

static bool decode(void *state, const uint8_t *code, size_t size, uint64_t address, struct tl_insn *insn)
{
	uint32_t word;

	if (size < BYTES)
		return false;
	word = tl_get32s(code, TL_HOST_BIG_ENDIAN);
	insn->length = BYTES;
	classify(word, address, insn);
	if (!write_text(state, code, address, insn))
		snprintf(insn->text, sizeof(insn->text), ".inst 0x%08" PRIx32, word);
	return true;
}

const struct tl_machine tl_machine_aarch64 = { EM_OF_AARCH64, open_llvm, close_llvm, decode, BYTES };
