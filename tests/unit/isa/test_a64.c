/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The A64 classifier, against encodings taken by hand from the Arm Architecture Reference Manual
 * (DDI 0487, chapter C6 and C7), and against the accesses that instructions of the shared corpus
 * were recorded with. How it agrees with LLVM's disassembler is test_a64_llvm.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "isa/a64/a64.h"
#include "isa/a64/a64_text.h"

enum {
	R = TL_A64_READS,
	W = TL_A64_WRITES,
	ALL = R | W,
	HOW = ALL | TL_A64_PAIR | TL_A64_EXCLUSIVE | TL_A64_RMW | TL_A64_ORDERED | TL_A64_VECTOR |
	      TL_A64_SCALABLE,
};

struct flow {
	uint32_t opcode;
	enum tl_a64_flow flow;
	int32_t offset; /* 0: none */
	const char *text;
};

static const struct flow flows[] = {
	{ 0x14000002, TL_A64_JUMP, 8, "b #8" },
	{ 0x17ffffff, TL_A64_JUMP, -4, "b #-4" },
	{ 0x15ffffff, TL_A64_JUMP, 0x7fffffc, "b, the furthest forward" },
	{ 0x16000000, TL_A64_JUMP, -0x8000000, "b, the furthest back" },
	{ 0x97ffffff, TL_A64_CALL, -4, "bl #-4" },
	{ 0x54000041, TL_A64_CONDITIONAL, 8, "b.ne #8" },
	{ 0x54ffffe0, TL_A64_CONDITIONAL, -4, "b.eq #-4" },
	{ 0x54000051, TL_A64_CONDITIONAL, 8, "bc.ne #8" },
	{ 0xb4000060, TL_A64_CONDITIONAL, 12, "cbz x0, #12" },
	{ 0x35ffffe0, TL_A64_CONDITIONAL, -4, "cbnz w0, #-4" },
	{ 0x36180040, TL_A64_CONDITIONAL, 8, "tbz w0, #3, #8" },
	{ 0xb7fffff0, TL_A64_CONDITIONAL, -4, "tbnz x16, #63, #-4" },
	{ 0xd61f0200, TL_A64_JUMP_REGISTER, 0, "br x16" },
	{ 0xd61f081f, TL_A64_JUMP_REGISTER, 0, "braaz x0" },
	{ 0xd71f0801, TL_A64_JUMP_REGISTER, 0, "braa x0, x1" },
	{ 0xd71f0fe1, TL_A64_JUMP_REGISTER, 0, "brab xzr, x1" },
	{ 0xd63f0020, TL_A64_CALL_REGISTER, 0, "blr x1" },
	{ 0xd63f0c3f, TL_A64_CALL_REGISTER, 0, "blrabz x1" },
	{ 0xd73f0822, TL_A64_CALL_REGISTER, 0, "blraa x1, x2" },
	{ 0xd65f03c0, TL_A64_RETURN, 0, "ret" },
	{ 0xd65f0bff, TL_A64_RETURN, 0, "retaa" },
	{ 0xd65f0fff, TL_A64_RETURN, 0, "retab" },
	{ 0xd69f03e0, TL_A64_EXCEPTION_RETURN, 0, "eret" },
	{ 0xd69f0bff, TL_A64_EXCEPTION_RETURN, 0, "eretaa" },
	{ 0xd69f0fff, TL_A64_EXCEPTION_RETURN, 0, "eretab" },
	{ 0xd6bf03e0, TL_A64_EXCEPTION_RETURN, 0, "drps" },
	{ 0xd4000001, TL_A64_EXCEPTION_CALL, 0, "svc #0" },
	{ 0xd4000002, TL_A64_EXCEPTION_CALL, 0, "hvc #0" },
	{ 0xd4000003, TL_A64_EXCEPTION_CALL, 0, "smc #0" },
	{ 0xd4200000, TL_A64_TRAP, 0, "brk #0" },
	{ 0x00000000, TL_A64_TRAP, 0, "udf #0" },
	{ 0xd503201f, TL_A64_NEXT, 0, "nop" },
	/*
	 * Unallocated: op4 of BR is 0; LL of exception generation is not 0 with opc 000; op2 of BR
	 * is 31.
	 */
	{ 0xd61f0001, TL_A64_TRAP, 0, "-" },
	{ 0xd4000000, TL_A64_TRAP, 0, "-" },
	{ 0xd61e0000, TL_A64_TRAP, 0, "-" },
};

TEST(flows_and_targets)
{
	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		const struct tl_a64 insn = tl_a64_classify(flows[i].opcode);

		assert_int_equal(insn.flow, flows[i].flow);
		assert_int_equal(insn.offset, flows[i].offset);
		assert_int_equal(insn.target, flows[i].offset != 0);
		assert_int_equal(insn.class == TL_A64_UNALLOCATED, *flows[i].text == '-');
	}
}

static const struct access {
	uint32_t opcode;
	unsigned access, bytes;
	const char *text;
	/* clang-format off */
} accesses[] = {
	{ 0x39400000, R, 1, "ldrb w0, [x0]" },
	{ 0x79000000, W, 2, "strh w0, [x0]" },
	{ 0xb9800000, R, 4, "ldrsw x0, [x0]" },
	{ 0xf9400000, R, 8, "ldr x0, [x0]" },
	{ 0x3dc00000, R | TL_A64_VECTOR, 16, "ldr q0, [x0]" },
	{ 0x7d000000, W | TL_A64_VECTOR, 2, "str h0, [x0]" },
	{ 0xf8408c20, R, 8, "ldr x0, [x1, #8]!" },
	{ 0xf8628820, 0, 0, "- (option 100 has option<1> clear)" },
	{ 0xf8626820, R, 8, "ldr x0, [x1, x2]" },
	{ 0x58000040, R, 8, "ldr x0, #8" },
	{ 0x98000040, R, 4, "ldrsw x0, #8" },
	{ 0x9c000040, R | TL_A64_VECTOR, 16, "ldr q0, #8" },
	{ 0xa9bf7bfd, W | TL_A64_PAIR, 16, "stp x29, x30, [sp, #-16]!" },
	{ 0x29400400, R | TL_A64_PAIR, 8, "ldp w0, w1, [x0]" },
	{ 0x69400400, R | TL_A64_PAIR, 8, "ldpsw x0, x1, [x0]" },
	{ 0xad400400, R | TL_A64_PAIR | TL_A64_VECTOR, 32, "ldp q0, q1, [x0]" },
	{ 0xa8000400, W | TL_A64_PAIR, 16, "stnp x0, x1, [x0]" },
	{ 0xc85f7c20, R | TL_A64_EXCLUSIVE, 8, "ldxr x0, [x1]" },
	{ 0x88027c20, W | TL_A64_EXCLUSIVE, 4, "stxr w2, w0, [x1]" },
	{ 0xc8200440, W | TL_A64_EXCLUSIVE | TL_A64_PAIR, 16, "stxp w0, x0, x1, [x2]" },
	{ 0xc8dffc20, R | TL_A64_ORDERED, 8, "ldar x0, [x1]" },
	{ 0x089ffc20, W | TL_A64_ORDERED, 1, "stlrb w0, [x1]" },
	{ 0x38bfc020, R | TL_A64_ORDERED, 1, "ldaprb w0, [x1]" },
	{ 0xc8a07c41, ALL | TL_A64_RMW, 8, "cas x0, x1, [x2]" },
	{ 0x48207c82, ALL | TL_A64_RMW | TL_A64_PAIR, 16, "casp x0, x1, x2, x3, [x4]" },
	{ 0xf8200041, ALL | TL_A64_RMW, 8, "ldadd x0, x1, [x2]" },
	{ 0x38208041, ALL | TL_A64_RMW, 1, "swpb w0, w1, [x2]" },
	{ 0x4c407000, R | TL_A64_VECTOR, 16, "ld1 {v0.16b}, [x0]" },
	{ 0x0c404000, R | TL_A64_VECTOR, 24, "ld3 {v0.8b-v2.8b}, [x0]" },
	{ 0x4c000000, W | TL_A64_VECTOR, 64, "st4 {v0.16b-v3.16b}, [x0]" },
	{ 0x0d40c000, R | TL_A64_VECTOR, 1, "ld1r {v0.8b}, [x0]" },
	{ 0x0d60ec00, R | TL_A64_VECTOR, 32, "ld4r {v0.1d-v3.1d}, [x0]" },
	{ 0x0d008400, W | TL_A64_VECTOR, 8, "st1 {v0.d}[0], [x0]" },
	{ 0x0d206000, W | TL_A64_VECTOR, 8, "st4 {v0.h-v3.h}[0], [x0]" },
	{ 0xf9800000, 0, 0, "prfm pldl1keep, [x0]" },
	{ 0xa400a000, R | TL_A64_VECTOR | TL_A64_SCALABLE, 0, "ld1b {z0.b}, p0/z, [x0]" },
	{ 0xe400e000, W | TL_A64_VECTOR | TL_A64_SCALABLE, 0, "st1b {z0.b}, p0, [x0]" },
	{ 0xc4404000, R | TL_A64_VECTOR | TL_A64_SCALABLE, 0,
	  "ld1b {z0.d}, p0/z, [x0, z0.d, sxtw]" },
	{ 0xd50b7420, 0, 0, "dc zva, x0" },
	{ 0x8b010000, 0, 0, "add x0, x0, x1" },
};
/* clang-format on */

TEST(accesses_and_sizes)
{
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		const struct tl_a64 insn = tl_a64_classify(accesses[i].opcode);

		if ((insn.access & HOW) != accesses[i].access || insn.bytes != accesses[i].bytes)
			fail_msg("%08x %s: access %x, %u bytes", accesses[i].opcode,
				 accesses[i].text, insn.access & HOW, insn.bytes);
		assert_int_equal(insn.class == TL_A64_UNALLOCATED, *accesses[i].text == '-');
	}
}

#define CONVERSION "Conversion between floating-point and integer"

static const struct {
	uint32_t opcode;
	enum tl_a64_class class;
	enum tl_a64_special special;
	const char *group;
	/* clang-format off */
} classes[] = {
	{ 0x91400000, TL_A64_INTEGER, TL_A64_PLAIN, "Add/subtract (immediate)" },
	{ 0x9ac00c00, TL_A64_MULTIPLY, TL_A64_PLAIN, "Data-processing (2 source)" },
	{ 0x9b007c00, TL_A64_MULTIPLY, TL_A64_PLAIN, "Data-processing (3 source)" },
	{ 0xd503233f, TL_A64_AUTH, TL_A64_PLAIN, "Hints" }, /* PACIASP */
	{ 0xd503201f, TL_A64_HINT, TL_A64_PLAIN, "Hints" },
	{ 0xd5033bbf, TL_A64_BARRIER, TL_A64_PLAIN, "Barriers" }, /* DMB ISH */
	{ 0xdac10000, TL_A64_AUTH, TL_A64_PLAIN, "Data-processing (1 source)" }, /* PACIA */
	{ 0xdac123e0, TL_A64_AUTH, TL_A64_PLAIN, "Data-processing (1 source)" }, /* PACIZA X0 */
	{ 0xdac127e0, TL_A64_AUTH, TL_A64_PLAIN, "Data-processing (1 source)" }, /* PACIZB X0 */
	{ 0xdac147e0, TL_A64_AUTH, TL_A64_PLAIN, "Data-processing (1 source)" }, /* XPACD X0 */
	{ 0xdac147c0, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* its Rn is not 31 */
	{ 0xdac14be0, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* no opcode 18 */
	{ 0x9eae0000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FMOV X0, V0.D[1] */
	{ 0x9eaf0000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FMOV V0.D[1], X0 */
	{ 0x1eae0000, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* the same to W */
	{ 0x9eee0000, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* its ptype is not 2 */
	{ 0x1e7e0000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FJCVTZS W0, D0 */
	{ 0x9e7e0000, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* FJCVTZS to X */
	{ 0x9e660000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FMOV X0, D0 */
	{ 0x9e260000, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* FMOV X0, S0 */
	{ 0x1e260000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FMOV W0, S0 */
	{ 0x9ee60000, TL_A64_FLOAT, TL_A64_PLAIN, CONVERSION }, /* FMOV X0, H0 */
	{ 0x1e602800, TL_A64_FLOAT, TL_A64_PLAIN, "Floating-point data-processing (2 source)" },
	{ 0x4e208400, TL_A64_SIMD, TL_A64_PLAIN, "Advanced SIMD three same" },
	{ 0x4e284800, TL_A64_CRYPTO, TL_A64_PLAIN, "Cryptographic AES" },
	{ 0x04000000, TL_A64_SVE, TL_A64_PLAIN, "SVE Integer Binary Arithmetic - Predicated" },
	{ 0x44000368, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" }, /* SDOT of bytes */
	{ 0x44803768, TL_A64_SVE, TL_A64_PLAIN, "SVE Integer Multiply-Add - Unpredicated" },
	/* CMLA */
	{ 0x44002368, TL_A64_SVE, TL_A64_PLAIN, "SVE Integer Multiply-Add - Unpredicated" },
	{ 0x80800000, TL_A64_SME, TL_A64_PLAIN, "SME Outer Product and Multi-vector" },
	{ 0x80000000, TL_A64_SME, TL_A64_PLAIN, "SME Outer Product and Multi-vector" }, /* FMOP4A */
	{ 0x810006b7, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" },
	{ 0xd4000001, TL_A64_EXCEPTION, TL_A64_SVC, "Exception generation" },
	{ 0xd53bd040, TL_A64_SYSTEM, TL_A64_MRS, "System register move" }, /* TPIDR_EL0 */
	{ 0xd51bd040, TL_A64_SYSTEM, TL_A64_MSR, "System register move" },
	{ 0xd53b2400, TL_A64_SYSTEM, TL_A64_RNDR, "System register move" },
	{ 0xd50b7420, TL_A64_SYSTEM, TL_A64_DC_ZERO, "System instructions" },
	{ 0xd50b7480, TL_A64_SYSTEM, TL_A64_DC_ZERO, "System instructions" },
	{ 0xd50b7a20, TL_A64_SYSTEM, TL_A64_PLAIN, "System instructions" }, /* DC CVAC */
	{ 0x9a800000, TL_A64_INTEGER, TL_A64_SELECT, "Conditional select" },
	{ 0x1a9f17e0, TL_A64_INTEGER, TL_A64_SELECT, "Conditional select" }, /* CSET */
	{ 0x88027c20, TL_A64_STORE, TL_A64_STORE_EXCLUSIVE, "Load/store exclusive register" },
	{ 0xffffffff, TL_A64_UNALLOCATED, TL_A64_PLAIN, "Unallocated" },
};
/* clang-format on */

TEST(classes_and_groups)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const struct tl_a64 insn = tl_a64_classify(classes[i].opcode);

		assert_string_equal(tl_a64_group(&insn), classes[i].group);
		assert_string_equal(tl_a64_class_name(insn.class),
				    tl_a64_class_name(classes[i].class));
		assert_int_equal(insn.special, classes[i].special);
	}
	assert_string_equal(tl_a64_class_name(1000), "unallocated");
}

/*
 * The cache answers as the table does, also for opcodes that share a slot, and for 0, which empty
 * slots hold.
 */
TEST(the_cache_answers_the_same)
{
	struct tl_a64_cache *cache = malloc(sizeof(*cache));
	uint32_t opcode = 1;

	assert_non_null(cache);
	tl_a64_cache_begin(cache);
	assert_int_equal(tl_a64_look(cache, 0)->class, TL_A64_EXCEPTION);
	for (unsigned i = 0; i < 100000; i++) {
		const struct tl_a64 right = tl_a64_classify(opcode);

		const struct tl_a64 *got = tl_a64_look(cache, opcode);

		assert_int_equal(got->opcode, opcode);
		assert_int_equal(got->row, right.row);
		assert_int_equal(got->offset, right.offset);
		assert_int_equal(got->bytes, right.bytes);
		opcode = opcode * 1664525 + 1013904223;
		if (i % 3 == 0)
			opcode = 0xd503201f + i % 7;
	}
	free(cache);
}

/*
 * "PC-relative ones formatted per PC from the memoised form": the second time is the first time
 * elsewhere.
 */
TEST(texts_follow_the_pc)
{
	static const struct {
		uint32_t opcode;
		uint64_t pc;
		const char *text;
		/* clang-format off */
	} texts[] = {
		{ 0x94000010, 0x400000, "bl 0x400040" },   { 0x94000010, 0x500000, "bl 0x500040" },
		{ 0x17ffffff, 0, "b 0xfffffffffffffffc" }, { 0x36180040, 0x10, "tbz w0, #3, 0x18" },
		{ 0xb0000080, 0x401234, "adrp x0, 0x412000" }, { 0x30000080, 0x400000,
		  "adr x0, 0x400011" },
		{ 0x58000040, 0x1000, "ldr x0, 0x1008" },  { 0xd65f03c0, 0x1000, "ret" },
		{ 0x91106318, 0x1000, "add x24, x24, #1048" },
	};
	/* clang-format on */
	struct tl_a64_text *text = tl_a64_text_open();

	assert_non_null(text);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char line[TL_A64_TEXT], inst[32];
		const char *word;
		size_t size = tl_a64_mnemonic(text, texts[i].opcode, &word);

		*tl_a64_text_put(text, texts[i].opcode, texts[i].pc, line) = '\0';
		snprintf(inst, sizeof(inst), ".inst 0x%08x", texts[i].opcode);
		assert_string_equal(line, tl_a64_text_disassembles(text) ? texts[i].text : inst);
		assert_int_equal(size, strcspn(line, " "));
		assert_memory_equal(word, line, size);
	}
	tl_a64_text_close(text);
}

/* ---- the corpus: what an instruction touched is what the classifier says of it ---- */

struct seen {
	uint32_t opcode;
	uint64_t loaded, stored, instructions, failures;
};

static void judge(struct seen *seen)
{
	const struct tl_a64 insn = tl_a64_classify(seen->opcode);
	/*
	 * An access that faults, and a store that is not exclusive any more, are not recorded.
	 * QEMU's exclusive stores are compare-and-swaps: they read, too.
	 */
	bool reads = !seen->loaded || insn.access & TL_A64_READS ||
		     insn.special == TL_A64_STORE_EXCLUSIVE;
	bool writes = !seen->stored || insn.access & TL_A64_WRITES;
	bool sizes = !insn.bytes || ((!seen->loaded || seen->loaded == insn.bytes) &&
				     (!seen->stored || seen->stored == insn.bytes));

	if (!seen->instructions++)
		return;
	if (reads && writes && sizes && insn.class)
		return;
	seen->failures++;
	print_error("%08x: %s, %u bytes; loaded %u, stored %u\n", seen->opcode, tl_a64_group(&insn),
		    insn.bytes, (unsigned)seen->loaded, (unsigned)seen->stored);
}

/* A log has a line an instruction ("EL PC opcode") and one an access ("  L address size value"). */
static void judge_log(struct seen *seen, FILE *log)
{
	char line[256], kind;
	unsigned el, opcode, size;
	unsigned long long at;

	while (fgets(line, sizeof(line), log)) {
		if (sscanf(line, "  %c %llx %u", &kind, &at, &size) == 3 &&
		    (kind == 'L' || kind == 'S')) {
			*(kind == 'L' ? &seen->loaded : &seen->stored) += size;
		} else if (sscanf(line, "%u %llx %x", &el, &at, &opcode) == 3) {
			judge(seen);
			seen->opcode = opcode;
			seen->loaded = seen->stored = 0;
		}
	}
	judge(seen);
}

TEST(recorded_accesses_agree)
{
	/* clang-format off */
	static const char *const logs[] = {
		"u1-recur-vl128/truth.0.txt", "u2-sys-vl128/truth.0.txt",
		  "u3-simd-vl128/truth.0.txt",
		"u4-thr-time/truth.0.txt",    "u4-thr-time/truth.1.txt",
		  "u7-recur-vl2048/truth.0.txt",
		"u8-sve-vl256/truth.0.txt",   "k1-core-el01/truth.0.txt",
	};
	/* clang-format on */
	const char *root = getenv("TL_SOURCE_ROOT"), *shared = getenv("TL_SHARED");
	struct seen seen = { .instructions = 0 };

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char path[1024];
		FILE *log;

		if (shared)
			snprintf(path, sizeof(path), "%s/corpus/xtrace/%s", shared, logs[i]);
		else
			snprintf(path, sizeof(path), "%s/../shared/corpus/xtrace/%s",
				 root ? root : ".", logs[i]);
		log = fopen(path, "r");
		if (!log)
			skip();
		judge_log(&seen, log);
		fclose(log);
	}
	assert_int_equal(seen.failures, 0);
	assert_true(seen.instructions > 40000);
}

/* Instructions of memory tags (C4.1.94, "Load/store memory tags"), and what is none of them. */
TEST(memory_tags)
{
	static const struct {
		uint32_t opcode;
		enum tl_a64_class class;
		const char *text;
	} cases[] = {
		{ 0xd9200820, TL_A64_STORE, "stg x0, [x1]" },
		{ 0xd9201420, TL_A64_STORE, "stg x0, [x1], #16" },
		{ 0xd9600820, TL_A64_STORE, "stzg x0, [x1]" },
		{ 0xd9a00820, TL_A64_STORE, "st2g x0, [x1]" },
		{ 0xd9e01c20, TL_A64_STORE, "stz2g x0, [x1, #16]!" },
		{ 0xd9a00020, TL_A64_STORE, "stgm x0, [x1]" },
		{ 0xd9200020, TL_A64_STORE, "stzgm x0, [x1]" },
		{ 0xd9e00020, TL_A64_LOAD, "ldgm x0, [x1]" },
		{ 0xd9600020, TL_A64_LOAD, "ldg x0, [x1]" },
		{ 0xd9201020, TL_A64_UNALLOCATED, "stzgm with an offset" },
		{ 0xd9a01020, TL_A64_UNALLOCATED, "stgm with an offset" },
		{ 0xd9e01020, TL_A64_UNALLOCATED, "ldgm with an offset" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_a64 have = tl_a64_classify(cases[i].opcode);

		if (have.class != cases[i].class)
			fail_msg("%s is of class %d", cases[i].text, have.class);
		if (have.class != TL_A64_UNALLOCATED)
			assert_true(have.access & TL_A64_TAGS);
	}
}

/* Transfers of whole Z and P registers beside those of elements, as GNU as assembles them. */
TEST(whole_scalable_registers)
{
	static const struct {
		uint32_t opcode;
		const char *kind; /* of which of the four: load or store, z or p */
		const char *text;
	} cases[] = {
		{ 0x85804000, "lz", "ldr z0, [x0]" },
		{ 0x859f5fff, "lz", "ldr z31, [sp, #255, mul vl]" },
		{ 0x85a04065, "lz", "ldr z5, [x3, #-256, mul vl]" },
		{ 0xe5804000, "sz", "str z0, [x0]" },
		{ 0xe5bf5fff, "sz", "str z31, [sp, #-1, mul vl]" },
		{ 0x85800000, "lp", "ldr p0, [x0]" },
		{ 0x859f1fef, "lp", "ldr p15, [sp, #255, mul vl]" },
		{ 0xe5a000e3, "sp", "str p3, [x7, #-256, mul vl]" },
		{ 0xe5800000, "sp", "str p0, [x0]" },
		{ 0xa5e0a000, "", "ld1d {z0.d}, p0/z, [x0]" },
		{ 0xe5e0e000, "", "st1d {z0.d}, p0, [x0]" },
		{ 0x85014000, "", "ld1w {z0.s}, p0/z, [x0, z1.s, uxtw]" },
		{ 0xe521a000, "", "st1w {z0.d}, p0, [x0, z1.d, lsl #2]" },
		{ 0x85c00000, "", "prfb pldl1keep, p0, [x0]" },
		{ 0x85800010, "", "bit 4 of a P register's number" },
		{ 0x3dc00000, "", "ldr q0, [x0]" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t opcode = cases[i].opcode;
		const char *kind = cases[i].kind;

		if (tl_a64_is_z_load(opcode) != !strcmp(kind, "lz") ||
		    tl_a64_is_z_store(opcode) != !strcmp(kind, "sz") ||
		    tl_a64_is_p_load(opcode) != !strcmp(kind, "lp") ||
		    tl_a64_is_p_store(opcode) != !strcmp(kind, "sp"))
			fail_msg("%s is not told apart", cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_and_targets),   cmocka_unit_test(accesses_and_sizes),
		cmocka_unit_test(classes_and_groups),  cmocka_unit_test(the_cache_answers_the_same),
		cmocka_unit_test(memory_tags),         cmocka_unit_test(whole_scalable_registers),
		cmocka_unit_test(texts_follow_the_pc), cmocka_unit_test(recorded_accesses_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
