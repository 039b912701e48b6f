/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The A64 classifier against LLVM's C disassembler, over the whole encoding space by deterministic
 * samples (as many in each of its 64 parts as in the others), and over every opcode of the shared
 * corpus. Branches, calls, returns, loads, stores, atomic accesses and prefetches must agree by
 * mnemonic, and so must what is allocated, but for what the functions below list; how many bytes
 * are accessed, and where. TL_A64_SAMPLES says how many; skipped where there is no LLVM.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "isa/a64/a64.h"
#include "isa/a64/a64_access.h"

enum { SAMPLES = 200000, LINE = 256 };

struct llvm {
	void *(*create)(const char *, const char *, const char *, void *, int, void *, void *);
	size_t (*disassemble)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
	void (*dispose)(void *);
	void *context;
	bool knows_all; /* of what we know: what it does not take is unallocated */
};

static bool find(void *library, const char *name, void *function, size_t size)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, size);
	return found != NULL;
}

static bool open_llvm(struct llvm *llvm)
{
	static const struct {
		const char *name, *features;
		/* clang-format off */
	} libraries[] = {
		{ "libLLVM.so.19.1", "+all" },
		{ "libLLVM.so.18.1", "+all" },
		{ "libLLVM-17.so.1", "+all" },
		{ "libLLVM-16.so.1", "+all" },
		{ "libLLVM-15.so.1", "+all" },
		{ "libLLVM-14.so.1", "+v8.7a,+neon,+fullfp16,+lse,+rcpc,+sve2,+mte,+pauth" },
	};
	/* clang-format on */
	static const char *const starts[] = { "LLVMInitializeAArch64TargetInfo",
					      "LLVMInitializeAArch64TargetMC",
					      "LLVMInitializeAArch64Disassembler" };
	const char *only = getenv("TL_A64_LLVM");
	void *library = NULL;
	size_t i;

	for (i = 0; !library && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!only || !strcmp(only, libraries[i].name))
			library = dlopen(libraries[i].name, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return false;
	for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++) {
		void (*start)(void);

		if (!find(library, starts[s], &start, sizeof(start)))
			return false;
		start();
	}
	if (!find(library, "LLVMCreateDisasmCPUFeatures", &llvm->create, sizeof(llvm->create)) ||
	    !find(library, "LLVMDisasmInstruction", &llvm->disassemble,
		  sizeof(llvm->disassemble)) ||
	    !find(library, "LLVMDisasmDispose", &llvm->dispose, sizeof(llvm->dispose)))
		return false;
	llvm->context = llvm->create("aarch64-linux-gnu", "", libraries[i - 1].features, NULL, 0,
				     NULL, NULL);
	llvm->knows_all = i == 1;
	return llvm->context != NULL;
}

/* ---- kinds ---- */

enum kind {
	OTHER,
	JUMP,
	CALL,
	CONDITIONAL,
	JUMP_REGISTER,
	CALL_REGISTER,
	RETURN,
	ERET,
	LOAD,
	STORE,
	ATOMIC,
	PREFETCH
};

static const char *const kind_names[] = {
	"other",         "jump",          "call",   "conditional",
	"jump register", "call register", "return", "exception return",
	"load",          "store",         "atomic", "prefetch",
};

/* The first row whose pattern fits a mnemonic; a '*' at the end of it fits anything. */
static const struct {
	const char *pattern;
	enum kind kind;
} mnemonics[] = {
	{ "b", JUMP },
	{ "bl", CALL },
	{ "b.*", CONDITIONAL },
	{ "bc.*", CONDITIONAL },
	{ "cbz", CONDITIONAL },
	{ "cbnz", CONDITIONAL },
	{ "tbz", CONDITIONAL },
	{ "tbnz", CONDITIONAL },
	{ "br", JUMP_REGISTER },
	{ "braa*", JUMP_REGISTER },
	{ "brab*", JUMP_REGISTER },
	{ "blr*", CALL_REGISTER },
	{ "ret*", RETURN },
	{ "eret*", ERET },
	{ "drps", ERET },
	{ "gcsst*", STORE },
	{ "swp*", ATOMIC },
	{ "cas*", ATOMIC },
	{ "rcw*", ATOMIC },
	{ "ldadd*", ATOMIC },
	{ "ldclr*", ATOMIC },
	{ "ldeor*", ATOMIC },
	{ "ldset*", ATOMIC },
	{ "ldsmax*", ATOMIC },
	{ "ldsmin*", ATOMIC },
	{ "ldumax*", ATOMIC },
	{ "ldumin*", ATOMIC },
	{ "stadd*", ATOMIC },
	{ "stclr*", ATOMIC },
	{ "steor*", ATOMIC },
	{ "stset*", ATOMIC },
	{ "stsmax*", ATOMIC },
	{ "stsmin*", ATOMIC },
	{ "stumax*", ATOMIC },
	{ "stumin*", ATOMIC },
	{ "cpy", OTHER },
	{ "cpy*", ATOMIC },
	{ "setf8", OTHER },
	{ "setf16", OTHER },
	{ "setffr", OTHER },
	{ "set*", STORE },
	{ "ld*", LOAD },
	{ "st*", STORE },
	{ "prf*", PREFETCH },
	{ "rprf*", PREFETCH },
};

static enum kind kind_of(const char *mnemonic, size_t size)
{
	for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
		const char *pattern = mnemonics[i].pattern;
		size_t fixed = strcspn(pattern, "*");

		if (pattern[fixed] ? size >= fixed && !memcmp(mnemonic, pattern, fixed)
				   : size == fixed && !memcmp(mnemonic, pattern, fixed))
			return mnemonics[i].kind;
	}
	return OTHER;
}

static enum kind our_kind(const struct tl_a64 *insn)
{
	static const uint8_t by_flow[] = {
		[TL_A64_JUMP] = JUMP,
		[TL_A64_CALL] = CALL,
		[TL_A64_CONDITIONAL] = CONDITIONAL,
		[TL_A64_JUMP_REGISTER] = JUMP_REGISTER,
		[TL_A64_CALL_REGISTER] = CALL_REGISTER,
		[TL_A64_RETURN] = RETURN,
		[TL_A64_EXCEPTION_RETURN] = ERET,
		[TL_A64_TRAP] = OTHER,
	};
	static const uint8_t by_class[TL_A64_CLASS_COUNT] = {
		[TL_A64_LOAD] = LOAD,
		[TL_A64_STORE] = STORE,
		[TL_A64_ATOMIC] = ATOMIC,
		[TL_A64_PREFETCH] = PREFETCH,
	};

	return by_flow[insn->flow] ? by_flow[insn->flow] : by_class[insn->class];
}

/* ---- where the two may differ ---- */

/* "System register move" of op0 00 and 01: LLVM takes them for registers; the manual has other
 * groups there. */
static bool is_no_register(uint32_t opcode)
{
	return (opcode & 0xff900000) == 0xd5000000;
}

/*
 * CONSTRAINED UNPREDICTABLE: allocated, but LLVM takes no such thing. Fields that should be ones;
 * write-back to a register that is also transferred; pairs of one register. LLVM counts
 * unprivileged loads among those that write back.
 */
static bool is_unpredictable(uint32_t opcode)
{
	uint32_t t = opcode & 31, n = opcode >> 5 & 31, t2 = opcode >> 10 & 31,
		 s = opcode >> 16 & 31;
	bool writes_back = opcode >> 23 & 1, twice = t == t2 && opcode >> 22 & 1;

	if ((opcode & 0x3f000000) == 0x08000000) /* exclusive and ordered: Rs and Rt2 */
		return s != 31 || t2 != 31 || twice;
	if ((opcode & 0x3a000000) == 0x28000000) /* pairs */
		return twice ||
		       (!(opcode >> 26 & 1) && writes_back && n != 31 && (t == n || t2 == n));
	if ((opcode & 0x3f200400) == 0x38000400 || (opcode & 0x3f200c00) == 0x38000800)
		return t == n && n != 31;
	if ((opcode & 0xff200c00) == 0xf8200c00) /* LDRAA, LDRAB */
		return t == n && n != 31;
	return false;
}

/* What SVE and SME compute is told by group: what a group leaves unallocated is not told apart. */
static bool is_by_group(const struct tl_a64 *insn)
{
	return insn->class == TL_A64_SVE || insn->class == TL_A64_SME;
}

/* NULL: they agree, or may differ. */
static const char *judge(const struct llvm *llvm, uint32_t opcode, char line[LINE])
{
	const struct tl_a64 insn = tl_a64_classify(opcode);
	uint8_t bytes[4] = { (uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
			     (uint8_t)(opcode >> 24) };
	const char *word = line;

	*line = '\0';
	if (!llvm->disassemble(llvm->context, bytes, 4, 0, line, LINE))
		return insn.class && llvm->knows_all && !is_unpredictable(opcode) &&
				       !is_by_group(&insn)
			       ? "unallocated, says LLVM"
			       : NULL;
	word += strspn(line, " \t");
	if (!insn.class)
		return is_no_register(opcode) ? NULL : "allocated, says LLVM";
	return kind_of(word, strcspn(word, " \t")) == our_kind(&insn) ? NULL : "of another kind";
}

/* ---- what is accessed, and where ---- */

static unsigned bytes_of_register(const char *text)
{
	static const char letters[] = "bhs.wdx.q", sizes[] = { 1, 2, 4, 0, 4, 8, 8, 0, 16 };
	const char *letter = *text ? strchr(letters, *text) : NULL;

	return letter ? (unsigned)sizes[letter - letters] : 0;
}

/* "{ v0.16b, v1.16b }, [x0]", of one element each "{ v0.h, v1.h }[3], [x0]". 0: no such list. */
static unsigned bytes_of_list(const char *text, bool to_all_lanes)
{
	const char *end = strchr(text, '}'), *dot = strchr(text, '.');
	unsigned count = 0;

	if (memcmp(text, "{ v", 3) != 0 || !dot || !end)
		return 0;
	for (const char *at = text; at < end; at++)
		count += *at == '.';
	if (to_all_lanes || end[1] == '[')
		return count * bytes_of_register(dot + 1 + strspn(dot + 1, "0123456789"));
	return count * (!memcmp(dot, ".16b", 4) || !memcmp(dot, ".8h", 3) ||
					!memcmp(dot, ".4s", 3) || !memcmp(dot, ".2d", 3)
				? 16
				: 8);
}

/* The bytes that a line says are accessed; 0: it is none of the plain loads and stores. */
static unsigned bytes_in(const char *line)
{
	static const char *const single[] = { "ldr", "ldur", "ldtr", "str", "stur", "sttr" };
	static const char *const pairs[] = { "ldp", "ldnp", "stp", "stnp" };
	const char *word = line + strspn(line, " \t"), *tab = strchr(word, '\t');
	char name[16] = "";

	if (!tab || tab - word >= (ptrdiff_t)sizeof(name))
		return 0;
	memcpy(name, word, (size_t)(tab - word));
	if ((!memcmp(name, "ld", 2) || !memcmp(name, "st", 2)) && name[2] >= '1' && name[2] <= '4')
		return name[3] && strcmp(name + 3, "r") != 0 ? 0 : bytes_of_list(tab + 1, name[3]);
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		const size_t size = strlen(single[i]);
		const char *rest = name + size;

		if (memcmp(name, single[i], size) != 0)
			continue;
		if (!*rest)
			return bytes_of_register(tab + 1);
		if (!strcmp(rest, "b") || !strcmp(rest, "sb"))
			return 1;
		if (!strcmp(rest, "h") || !strcmp(rest, "sh"))
			return 2;
		return !strcmp(rest, "sw") ? 4 : 0;
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(name, pairs[i]))
			return 2 * bytes_of_register(tab + 1);
	return !strcmp(name, "ldpsw") ? 8 : !strcmp(name, "stgp") ? 16 : 0;
}

/* The place of an access as a line has it. False: it is none that is told. */
static bool place_in(const char *line, struct tl_a64_access *place)
{
	static const struct {
		const char *name;
		uint8_t option;
	} extensions[] = { { ", uxtw", 2 }, { ", lsl", 3 }, { ", sxtw", 6 }, { ", sxtx", 7 } };
	const char *at = strstr(line, "[x") ? strstr(line, "[x") : strstr(line, "[sp");

	*place = (struct tl_a64_access){ .base = TL_A64_BASE_OFFSET };
	if (!at) {
		at = strrchr(line, '#');
		place->base = TL_A64_BASE_LITERAL;
		place->offset = at ? (int32_t)strtol(at + 1, NULL, 10) : 0;
		return at && !strchr(line, '[');
	}
	at += strcspn(at, ",]");
	if (*at == ']')
		return true;
	at += 2;
	if (*at == '#') {
		place->offset = (int32_t)strtol(at + 1, (char **)&at, 10);
		return *at == ']';
	}
	if (*at != 'x' && *at != 'w')
		return false;
	place->base = TL_A64_BASE_INDEX;
	place->option = 3;
	at += strcspn(at, ",]");
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		const size_t size = strlen(extensions[i].name);

		if (memcmp(at, extensions[i].name, size) != 0)
			continue;
		place->option = extensions[i].option;
		at += size;
		if (!memcmp(at, " #", 2))
			place->shift = (uint8_t)strtoul(at + 2, (char **)&at, 10);
	}
	return *at == ']';
}

struct count {
	uint64_t asked, failed, sizes, places;
};

/* NULL: they agree. The line is LLVM's, or "". */
static const char *judge_access(uint32_t opcode, const char *line, struct count *count)
{
	const struct tl_a64 insn = tl_a64_classify(opcode);
	const struct tl_a64_access access = tl_a64_access_of(&insn);
	const unsigned bytes = insn.class ? bytes_in(line) : 0;
	struct tl_a64_access place;

	count->sizes += bytes != 0;
	if (bytes && insn.bytes != bytes)
		return "of another size";
	if (!insn.class || access.base == TL_A64_BASE_ANYWHERE || !place_in(line, &place))
		return NULL;
	count->places++;
	return access.base == place.base && access.offset == place.offset &&
			       access.option == place.option && access.shift == place.shift
		       ? NULL
		       : "at another place";
}

static void ask(const struct llvm *llvm, uint32_t opcode, struct count *count)
{
	char line[LINE];
	const char *wrong = judge(llvm, opcode, line);

	if (!wrong)
		wrong = judge_access(opcode, line, count);
	count->asked++;
	if (!wrong)
		return;
	if (count->failed++ < 20) {
		const struct tl_a64 insn = tl_a64_classify(opcode);

		print_error("%08x: ours %s, \"%s\"; %s:%s\n", opcode, kind_names[our_kind(&insn)],
			    tl_a64_group(&insn), wrong, line);
	}
}

TEST(the_whole_space_agrees)
{
	const char *wanted = getenv("TL_A64_SAMPLES");
	uint64_t samples = wanted ? strtoull(wanted, NULL, 0) : SAMPLES,
		 random = 88172645463325252u;
	struct count count = { 0 };
	struct llvm llvm;

	if (!open_llvm(&llvm))
		skip();
	for (uint64_t i = 0; i < samples; i++) {
		/* xorshift64 (Marsaglia); bits 31 and 28:24 go round, so that thin parts are asked
		 * as often as thick ones. */
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		ask(&llvm,
		    ((uint32_t)(random >> 16) & 0x60ffffff) | (uint32_t)(i & 31) << 24 |
			    (uint32_t)(i >> 5 & 1) << 31,
		    &count);
	}
	llvm.dispose(llvm.context);
	assert_int_equal(count.asked, samples);
	assert_int_equal(count.failed, 0);
	assert_true(count.sizes > samples / 20 && count.places > samples / 20);
}

TEST(the_corpus_agrees)
{
	static const char *const logs[] = { "u1-recur-vl128", "u2-sys-vl128", "u3-simd-vl128",
					    "u4-thr-time",    "u8-sve-vl256", "u7-recur-vl2048",
					    "k1-core-el01" };
	const char *root = getenv("TL_SOURCE_ROOT"), *shared = getenv("TL_SHARED");
	struct count count = { 0 };
	struct llvm llvm;

	if (!open_llvm(&llvm))
		skip();
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char path[1024], line[LINE];
		unsigned el, opcode;
		unsigned long long pc;
		FILE *log;

		if (shared)
			snprintf(path, sizeof(path), "%s/corpus/xtrace/%s/truth.0.txt", shared,
				 logs[i]);
		else
			snprintf(path, sizeof(path), "%s/../shared/corpus/xtrace/%s/truth.0.txt",
				 root ? root : ".", logs[i]);
		log = fopen(path, "r");
		if (!log) {
			llvm.dispose(llvm.context);
			skip();
		}
		while (fgets(line, sizeof(line), log))
			if (*line != ' ' && sscanf(line, "%u %llx %x", &el, &pc, &opcode) == 3)
				ask(&llvm, opcode, &count);
		fclose(log);
	}
	llvm.dispose(llvm.context);
	assert_true(count.asked > 30000);
	assert_int_equal(count.failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_space_agrees),
		cmocka_unit_test(the_corpus_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
