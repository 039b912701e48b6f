/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/a64/a64_text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "isa/a64/a64.h"

enum { SLOT_BITS = 12, BYTES = 4, ROOM = 110 };

enum form { UNKNOWN, PLAIN, RELATIVE, PAGE };

struct slot {
	uint32_t opcode;
	uint8_t form; /* enum form */
	uint8_t size; /* of the text, the offset cut off */
	uint8_t word; /* of the mnemonic */
	char text[ROOM];
	int64_t offset; /* from the PC, or from its page */
};

/* As llvm-c/Disassembler.h and llvm-c/Target.h declare them, the same since LLVM 3. */
struct tl_a64_text {
	void *library;
	void *(*create)(const char *triple, const char *cpu, const char *features, void *info,
			int tag, void *get_info, void *look_up);
	void (*dispose)(void *context);
	size_t (*disassemble)(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
			      size_t text_size);
	void *context;
	struct slot slots[1 << SLOT_BITS];
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
	static const char *const names[] = { "LLVMInitializeAArch64TargetInfo",
					     "LLVMInitializeAArch64TargetMC",
					     "LLVMInitializeAArch64Disassembler" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void (*start)(void);

		if (!find_function(library, names[i], &start, sizeof(start)))
			return false;
		start();
	}
	return true;
}

/*
 * LLVM ends the process where an allocation of its own fails, and nothing in its interface prevents
 * that. So it is asked only on a machine that has memory for it.
 */
static bool has_memory(void)
{
	enum { ENOUGH_BYTES = 64 << 20 };
	/*
	 * Volatile: a compiler may remove an allocation whose result is not used and assume that it
	 * succeeded.
	 */
	void *volatile memory = malloc(ENOUGH_BYTES);

	free(memory);
	return memory != NULL;
}

/* A library that is there, but could not be loaded; NULL: not even the message could be made. */
static bool is_trouble(const char *error)
{
	return !error || !strstr(error, "No such file");
}

/*
 * "all" came with LLVM 15; before, the versions of the architecture are named. NULL: none;
 * *trouble: but there is one.
 */
static const char *open_library(void **library, bool *trouble)
{
	static const char all[] = "+all";
	static const char old[] = "+v8.7a,+fp-armv8,+neon,+crc,+lse,+rdm,+fullfp16,+fp16fml,+"
				  "dotprod,+aes,+sha2,+sha3,+sm4,"
				  "+mte,+ls64,+pauth,+sve,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,"
				  "+sve2-sm4,+sme,+bf16,+i8mm,"
				  "+f32mm,+f64mm,+tme,+rand,+ssbs,+mops,+hbc";
	static const struct {
		const char *name, *features;
	} libraries[] = {
		{ "libLLVM.so.19.1", all }, { "libLLVM.so.18.1", all }, { "libLLVM-17.so.1", all },
		{ "libLLVM-16.so.1", all }, { "libLLVM-15.so.1", all }, { "libLLVM-14.so.1", old },
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		*library = dlopen(libraries[i].name, RTLD_LAZY | RTLD_LOCAL);
		if (*library)
			return libraries[i].features;
		*trouble = is_trouble(dlerror());
		if (*trouble)
			return NULL;
	}
	return NULL;
}

/* False: a library that is there did not work. */
static bool find_llvm(struct tl_a64_text *text)
{
	bool trouble = false;
	const char *features = open_library(&text->library, &trouble);

	if (text->library && initialize(text->library) &&
	    find_function(text->library, "LLVMCreateDisasmCPUFeatures", &text->create,
			  sizeof(text->create)) &&
	    find_function(text->library, "LLVMDisasmDispose", &text->dispose,
			  sizeof(text->dispose)) &&
	    find_function(text->library, "LLVMDisasmInstruction", &text->disassemble,
			  sizeof(text->disassemble)))
		text->context =
			text->create("aarch64-linux-gnu", "", features, NULL, 0, NULL, NULL);
	return !trouble;
}

struct tl_a64_text *tl_a64_text_open(void)
{
	struct tl_a64_text *text = calloc(1, sizeof(*text));

	if (!text || (has_memory() && find_llvm(text)))
		return text;
	free(text);
	return NULL;
}

/* The library stays: LLVM does not take being unloaded. */
void tl_a64_text_close(struct tl_a64_text *text)
{
	if (!text)
		return;
	if (text->context)
		text->dispose(text->context);
	free(text);
}

bool tl_a64_text_disassembles(const struct tl_a64_text *text)
{
	return text->context != NULL;
}

/* ---- texts ---- */

/* One blank between the words; returns the size. */
static size_t tidy(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		char c = *p == '\t' ? ' ' : *p;

		if (c == ' ' && (to == text || to[-1] == ' '))
			continue;
		*to++ = c;
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* The origin of the last number of a text. */
static enum form form_of(uint32_t opcode)
{
	static const struct {
		uint32_t mask, bits;
		enum form form;
		/* clang-format off */
	} forms[] = {
		{ 0x9f000000, 0x10000000, RELATIVE }, /* ADR */
		{ 0x9f000000, 0x90000000, PAGE },     /* ADRP */
		{ 0x3b000000, 0x18000000, RELATIVE }, /* LDR, LDRSW, PRFM (literal) */
		{ 0xffc0001f, 0xf380001f, RELATIVE }, /* AUTIASPPC, AUTIBSPPC */
		{ 0xffc0001f, 0x5500001f, RELATIVE }, /* RETAASPPC, RETABSPPC */
	};
	/* clang-format on */

	if (tl_a64_classify(opcode).target)
		return RELATIVE;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if ((opcode & forms[i].mask) == forms[i].bits)
			return forms[i].form;
	return PLAIN;
}

static bool disassemble(const struct tl_a64_text *text, uint32_t opcode, char line[ROOM])
{
	uint32_t stored = TL_HOST_BIG_ENDIAN ? __builtin_bswap32(opcode) : opcode;
	uint8_t bytes[BYTES];

	memcpy(bytes, &stored, BYTES);
	return text->context &&
	       text->disassemble(text->context, bytes, BYTES, 0, line, ROOM) == BYTES;
}

/* The offset is cut off where the text ends with one: "bl #64". */
static void cut_offset(struct slot *slot)
{
	const char *mark = strrchr(slot->text, '#');
	char *end;

	slot->form = PLAIN;
	if (!mark)
		return;
	slot->offset = strtoll(mark + 1, &end, 0);
	if (*end)
		return;
	slot->form = (uint8_t)form_of(slot->opcode);
	if (slot->form != PLAIN)
		slot->size = (uint8_t)(mark - slot->text);
}

static void fill(struct tl_a64_text *text, struct slot *slot, uint32_t opcode)
{
	slot->opcode = opcode;
	if (disassemble(text, opcode, slot->text)) {
		slot->size = (uint8_t)tidy(slot->text);
		cut_offset(slot);
	} else {
		slot->size = (uint8_t)snprintf(slot->text, sizeof(slot->text), ".inst 0x%08" PRIx32,
					       opcode);
		slot->form = PLAIN;
	}
	slot->word = (uint8_t)strcspn(slot->text, " ");
}

static struct slot *look(struct tl_a64_text *text, uint32_t opcode)
{
	struct slot *slot = &text->slots[opcode * 0x9e3779b1u >> (32 - SLOT_BITS)];

	if (__builtin_expect(slot->opcode != opcode || slot->form == UNKNOWN, 0))
		fill(text, slot, opcode);
	return slot;
}

static char *put_hex(char *p, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	*p++ = '0';
	*p++ = 'x';
	for (unsigned i = digits; i-- > 0;)
		*p++ = "0123456789abcdef"[value >> 4 * i & 15];
	return p;
}

char *tl_a64_text_put(struct tl_a64_text *text, uint32_t opcode, uint64_t pc, char *p)
{
	const struct slot *slot = look(text, opcode);

	memcpy(p, slot->text, slot->size);
	p += slot->size;
	if (slot->form == PLAIN)
		return p;
	return put_hex(p,
		       (slot->form == PAGE ? pc & ~(uint64_t)0xfff : pc) + (uint64_t)slot->offset);
}

size_t tl_a64_mnemonic(struct tl_a64_text *text, uint32_t opcode, const char **word)
{
	const struct slot *slot = look(text, opcode);

	*word = slot->text;
	return slot->word;
}
