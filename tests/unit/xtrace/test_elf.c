/* SPDX-License-Identifier: Apache-2.0 */
/* A slice as a program: its layout as <elf.h> has it, and all that cannot run. That it does run is
 * the subject of tests/differential/xtrace_slices.py. */
#include "elf_slices.h"

#include <elf.h>

#include "xtrace/elf/space.h"

/* ---- layout ---- */

TEST(a_program_has_its_code_and_its_data)
{
	struct pair p = begin_pair();
	struct tl_output *out;
	struct tl_error err;
	const char *file;
	size_t size;
	Elf64_Ehdr head;
	Elf64_Phdr parts[3];

	put_pcinst(&p.stream, 0, CODE, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 0x1122334455667788);
	put_inst(&p.stream, 0, A64_NOP);
	assert_int_equal(make(&p, everything, &out, &err), 0);
	file = tl_output_bytes(out, &size);
	memcpy(&head, file, sizeof(head));
	assert_memory_equal(head.e_ident, ELFMAG "\2\1\1", 7);
	assert_int_equal(head.e_type, ET_EXEC);
	assert_int_equal(head.e_machine, EM_AARCH64);
	assert_int_equal(head.e_phentsize, sizeof(Elf64_Phdr));
	assert_int_equal(head.e_phnum, 3);
	memcpy(parts, file + head.e_phoff, sizeof(parts));
	assert_int_equal(parts[0].p_type, PT_LOAD);
	assert_int_equal(parts[0].p_flags, PF_R | PF_X);
	assert_true(head.e_entry >= parts[0].p_vaddr &&
		    head.e_entry < parts[0].p_vaddr + parts[0].p_filesz);
	assert_int_equal(parts[1].p_type, PT_LOAD);
	assert_int_equal(parts[1].p_flags, PF_R | PF_W);
	assert_int_equal(parts[1].p_offset + parts[1].p_filesz, size);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(parts[i].p_filesz, parts[i].p_memsz);
		assert_int_equal(parts[i].p_vaddr % parts[i].p_align,
				 parts[i].p_offset % parts[i].p_align);
	}
	assert_true(parts[0].p_vaddr + parts[0].p_memsz <= parts[1].p_vaddr);
	assert_int_equal(parts[2].p_type, PT_GNU_STACK);
	assert_int_equal(parts[2].p_flags, PF_R | PF_W);
	tl_output_discard(out);
	free_pair(&p);
}

/* The pages are last, in the order of their addresses: data, code, islands. */
TEST(pages_hold_what_the_slice_finds)
{
	struct pair p = begin_pair();
	struct tl_output *out;
	struct tl_error err;
	const char *file, *data, *code;
	uint32_t words[3];
	size_t size;

	put_pcinst(&p.stream, 0, CODE + 8, A64_STR);
	put_access(&p.stream, STORE, 3, DATA + 8, 77);
	put_inst(&p.stream, 0, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA + 4, (UINT64_C(77) << 32) + 0x99);
	assert_int_equal(make(&p, everything, &out, &err), 0);
	file = tl_output_bytes(out, &size);
	data = file + size - 3 * 4096;
	code = data + 4096;
	/* What was stored before it was loaded is not there, what was not is. */
	assert_memory_equal(data + 4, "\x99\0\0\0\0\0\0\0", 8);
	memcpy(words, code + 8, sizeof(words));
	assert_int_equal(words[0], A64_STR);
	assert_int_equal(words[1], A64_LDR);
	/* The end: a branch to its island. */
	assert_int_equal(words[2] >> 26, 5);
	tl_output_discard(out);
	free_pair(&p);
}

/* ---- several threads ---- */

static int make_group(const struct pair *pairs, struct tl_output **out, struct tl_error *err)
{
	struct tl_xtrace_slice slice = everything;
	struct trace t;
	int status;

	slice.size = sizeof(slice);
	slice.stream = TL_NONE;
	open_pairs(&t, pairs);
	assert_int_equal(tl_output_open_memory(out, NULL), 0);
	status = tl_xtrace_slice_elf(t.trace, &slice, *out, err);
	close_trace(&t);
	return status;
}

/* A store of the first thread, then a load of the second one, with these times; SP is X31. */
static void begin_threads(struct pair *pairs, uint64_t times[2], uint64_t second_first)
{
	for (unsigned i = 0; i < 2; i++) {
		pairs[i] = begin_pair_at(i ? second_first : 0x7000);
		put_pcinst(&pairs[i].stream, 0, CODE + 0x100 * i, i ? A64_LDR : A64_STR);
		if (times)
			put_value(&pairs[i].stream, TIME, times[i]);
		put_access(&pairs[i].stream, i ? LOAD : STORE, 3, DATA, 77);
		put_inst(&pairs[i].stream, 0, A64_NOP);
	}
}

/*
 * What is stored first is not in the memory that the program begins with; what is loaded first is.
 * The page of data is one of those at the end of the file.
 */
TEST(threads_are_in_the_order_of_time)
{
	for (uint64_t load_first = 0; load_first < 2; load_first++) {
		uint64_t times[2] = { 5, load_first ? 4 : 6 };
		struct pair pairs[2];
		struct tl_output *out;
		struct tl_error err;
		const char *file;
		Elf64_Ehdr head;
		Elf64_Phdr data;
		size_t size;
		bool found = false;

		begin_threads(pairs, times, 0x100000);
		assert_int_equal(make_group(pairs, &out, &err), 0);
		file = tl_output_bytes(out, &size);
		memcpy(&head, file, sizeof(head));
		memcpy(&data, file + head.e_phoff + sizeof(data), sizeof(data));
		assert_int_equal(data.p_offset + data.p_filesz, size);
		for (size_t at = (size_t)data.p_offset; at + 4096 <= size; at += 4096)
			found |= !memcmp(file + at, "M\0\0\0\0\0\0\0\0\0\0", 11);
		assert_int_equal(found, load_first);
		tl_output_discard(out);
		free_pairs(pairs);
	}
}

static void assert_group_refused(const struct pair *pairs, const char *words)
{
	struct tl_error err = { .offset = 1 };
	struct tl_output *out;

	assert_int_equal(make_group(pairs, &out, &err), TL_UNSUPPORTED);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" instead of \"%s\"", err.text, words);
	tl_output_discard(out);
}

/* SP is 31 more than X0: in the same page, and where bits 12 to 28 are the same. */
TEST(threads_that_cannot_be_one_program)
{
	uint64_t times[2] = { 1, 2 };
	struct pair pairs[2];

	begin_threads(pairs, NULL, 0x100000);
	assert_group_refused(pairs, "(TIME)");
	free_pairs(pairs);
	begin_threads(pairs, times, 0x7100);
	assert_group_refused(pairs, "stacks of threads");
	free_pairs(pairs);
	begin_threads(pairs, times, 0x7000 + 0x20000000);
	assert_group_refused(pairs, "stacks of threads");
	free_pairs(pairs);
	begin_threads(pairs, times, 0x100000);
	put_inst(&pairs[1].stream, 0, A64_STR);
	put_value(&pairs[1].stream, TIME, 3);
	put_access(&pairs[1].stream, STORE, 2, CODE + 0x110, 0xd503201f);
	put_inst(&pairs[1].stream, 0, A64_NOP);
	put_inst(&pairs[1].stream, 0, A64_NOP);
	assert_group_refused(pairs, "that it stored");
	free_pairs(pairs);
}

TEST(room_between_pages)
{
	uint64_t taken[] = { 0x400, 0x401, 0x404, 0x40b };
	struct tl_xtrace_space space = { .pages = taken, .count = 4, .capacity = 4 };

	/* A free page on both sides: 0x406 to 0x409, between 0x404 and 0x40b. */
	assert_int_equal(tl_xtrace_space_find(&space, 0x400, 0x1000, 4), 0x406);
	assert_int_equal(tl_xtrace_space_find(&space, 0x400, 0x1000, 5), 0x40d);
	/* Above it is too far: below. */
	assert_int_equal(tl_xtrace_space_find(&space, 0x400, 8, 5), 0x400 - 5 - 1);
	assert_int_equal(tl_xtrace_space_find(&space, 0x400, 4, 5), 0);
	/* 16 pages at the bottom stay free. */
	assert_int_equal(tl_xtrace_space_find(&space, 0, 0x1000, 1), 16);
}

/* ---- what cannot run ---- */

TEST(kernel_code_is_refused)
{
	struct pair p = begin_pair();
	size_t before = put_pcinst(&p.stream, 0, CODE, A64_NOP);

	put_pcinst(&p.stream, 1, 0xffff000000000400, A64_NOP);
	assert_refused(&p, "ran in the kernel", before, 0);
	free_pair(&p);
}

TEST(a_gap_is_refused)
{
	struct pair p = begin_pair();
	size_t at;

	put_pcinst(&p.stream, 0, CODE, A64_NOP);
	at = put_inst(&p.stream, 0, A64_NOP);
	put_pcinst(&p.stream, 0, CODE + 0x100, A64_NOP);
	assert_refused(&p, "or a part is missing", at, 1);
	free_pair(&p);
}

static void put_call(struct pair *p, uint64_t number)
{
	put_pcinst(&p->stream, 0, CODE, A64_SVC);
	put_value(&p->stream, SVCARG, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(&p->stream, SVCARG, 0);
}

/* prctl(PR_SVE_SET_VL, ...) to another length; any other one is as others are. */
TEST(setting_the_length_of_vectors_is_refused)
{
	enum { AT_EXECVE = 1 << 18 };
	const struct {
		uint64_t option, length, result;
		bool refused;
	} rows[] = {
		{ 50, 32, 32, true },
		{ 50, 256, 32, true },
		{ 50, 16, 16, false },
		{ 50, 32 | AT_EXECVE, 32, false },
		{ 50, 32, (uint64_t)-22, false },
		{ 51, 0, 32, false },
	};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct pair p = begin_pair();

		put_pcinst(&p.stream, 0, CODE, A64_SVC);
		put_value(&p.stream, SVCARG, 167);
		put_value(&p.stream, SVCARG, rows[row].option);
		put_value(&p.stream, SVCARG, rows[row].length);
		for (unsigned i = 0; i < 4; i++)
			put_value(&p.stream, SVCARG, 0);
		put_value(&p.stream, SVCRET, rows[row].result);
		put_inst(&p.stream, 0, A64_NOP);
		if (rows[row].refused) {
			assert_refused(&p, "the length of vectors is set", 0, 0);
		} else {
			struct tl_output *out;

			assert_int_equal(make(&p, everything, &out, NULL), 0);
			tl_output_discard(out);
		}
		free_pair(&p);
	}
}

static void put_length_call(struct pair *p, uint64_t option, uint64_t length, uint64_t result)
{
	put_inst(&p->stream, 0, A64_SVC);
	put_value(&p->stream, SVCARG, 167);
	put_value(&p->stream, SVCARG, option);
	put_value(&p->stream, SVCARG, length);
	for (unsigned i = 0; i < 4; i++)
		put_value(&p->stream, SVCARG, 0);
	put_value(&p->stream, SVCRET, result);
}

/* Snapshots have 16 bytes of each vector. Another length before the slice counts for SVE alone. */
TEST(another_length_of_vectors_before_the_slice_is_refused)
{
	enum { PTRUE = 0x2518e3e0, AT_EXECVE = 1 << 18, INHERITED = 1 << 17 };
	const struct {
		uint64_t option, length, result, then;
		uint32_t opcode;
		bool refused;
	} rows[] = {
		{ 50, 32, 32, 0, PTRUE, true },
		{ 50, 32 | INHERITED, 32 | INHERITED, 0, PTRUE, true },
		{ 50, 256, 32, 0, PTRUE, true },
		{ 50, 32, 32, 64, PTRUE, true },
		{ 50, 16, 16, 0, PTRUE, false },
		{ 50, 32, 32, 16, PTRUE, false },
		{ 50, 32, 32, 0, A64_NOP, false },
		{ 50, 32 | AT_EXECVE, 32, 0, PTRUE, false },
		{ 50, 32, (uint64_t)-22, 0, PTRUE, false },
		{ 51, 16, 16, 0, PTRUE, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tl_xtrace_slice slice = everything;
		struct pair p = begin_pair();
		struct tl_error err = { .offset = 1 };
		struct tl_output *out;
		uint64_t at;

		put_pcinst(&p.stream, 0, CODE, A64_NOP);
		at = p.stream.size;
		put_length_call(&p, rows[i].option, rows[i].length, rows[i].result);
		put_inst(&p.stream, 0, PTRUE);
		if (rows[i].then) {
			at = p.stream.size;
			put_length_call(&p, 50, rows[i].then, rows[i].then);
		}
		snap(&p, rows[i].then ? 4 : 3, 5);
		put_pcinst(&p.stream, 0, CODE + 0x40, rows[i].opcode);
		put_inst(&p.stream, 0, A64_NOP);
		slice.first_snapshot = 1;
		assert_int_equal(make(&p, slice, &out, &err), rows[i].refused ? TL_UNSUPPORTED : 0);
		if (rows[i].refused) {
			assert_non_null(strstr(err.text, "was set before the slice"));
			assert_int_equal(err.offset, at);
			assert_int_equal(err.record, rows[i].then ? 3 : 1);
		}
		tl_output_discard(out);
		free_pair(&p);
	}
}

TEST(a_call_without_its_result_is_refused)
{
	struct pair p = begin_pair();

	put_call(&p, 172);
	put_inst(&p.stream, 0, A64_NOP);
	assert_refused(&p, "no result (SVCRET)", 0, 0);
	free_pair(&p);
}

TEST(a_call_that_goes_elsewhere_is_refused)
{
	struct pair p = begin_pair();

	put_call(&p, 139);
	put_value(&p.stream, SVCRET, 0);
	put_pcinst(&p.stream, 0, CODE + 0x100, A64_NOP);
	assert_refused(&p, "whose beginning is in no part", 0, 0);
	free_pair(&p);
	p = begin_pair();
	put_call(&p, 221);
	put_pcinst(&p.stream, 0, CODE + 0x100, A64_NOP);
	assert_refused(&p, "another program is executed", 0, 0);
	free_pair(&p);
}

TEST(a_register_without_its_value_is_refused)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, 0xd53be043); /* mrs x3, cntvct_el0 */
	put_inst(&p.stream, 0, A64_NOP);
	assert_refused(&p, "whose value is not in the trace", 0, 0);
	free_pair(&p);
}

TEST(instructions_that_cannot_run_are_refused)
{
	static const struct {
		uint32_t opcode;
		const char *words;
	} rows[] = {
		{ 0x9ac23020, "PACGA" },       /* pacga x0, x1, x2 */
		{ 0x9adf1020, "memory tags" }, /* irg x0, x1 */
		{ 0xd53b2403, "RNDR" },        /* mrs x3, rndr */
		{ 0xc0080000, "SME" },         /* zero {} */
		{ 0xe0bf0020, "SME" },         /* st1w {za0h.s[w12, 0]}, p0, [x1] */
		{ 0xe11f8000, "SME" },         /* ldr zt0, [x0] */
		{ 0xd503477f, "SME" },         /* smstart */
		{ 0xd51b4240, "SME" },         /* msr svcr, x0 */
		{ 0x190404a3, "(CPY, SET)" },  /* cpyfp [x3]!, [x4]!, x5! */
		{ 0x19c28420, "(CPY, SET)" },  /* sete [x0]!, x1!, x2 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pair p = begin_pair();

		put_pcinst(&p.stream, 0, CODE, rows[i].opcode);
		put_inst(&p.stream, 0, A64_NOP);
		assert_refused(&p, rows[i].words, 0, 0);
		free_pair(&p);
	}
}

TEST(an_unaligned_pc_is_refused)
{
	struct pair p = begin_pair();
	size_t at;

	put_pcinst(&p.stream, 0, CODE, 0xd61f0000); /* br x0 */
	at = put_pcinst(&p.stream, 0, CODE + 0x102, A64_NOP);
	assert_refused(&p, "not a multiple of 4", at, 1);
	free_pair(&p);
}

/* Code that changes while nobody in the slice stores to it. */
TEST(changed_code_is_refused)
{
	struct pair p = begin_pair();
	size_t at;

	put_pcinst(&p.stream, 0, CODE, A64_NOP);
	put_inst(&p.stream, 0, 0x17ffffff); /* b .-4 */
	at = put_pcinst(&p.stream, 0, CODE, A64_LDR);
	assert_refused(&p, "the slice did not write it", at, 2);
	free_pair(&p);
}

/* What the slice itself writes may run, but not if it has to be rewritten. */
TEST(written_code_that_would_be_rewritten_is_refused)
{
	struct pair p = begin_pair();
	size_t at;

	put_pcinst(&p.stream, 0, CODE, A64_STR);
	put_access(&p.stream, STORE, 2, CODE + 4, A64_SVC);
	at = put_inst(&p.stream, 0, A64_SVC);
	assert_refused(&p, "the slice itself writes", at, 1);
	free_pair(&p);
}

TEST(sites_that_are_data_are_refused)
{
	for (unsigned stores = 0; stores < 2; stores++) {
		struct pair p = begin_pair();

		put_call(&p, 172);
		put_value(&p.stream, SVCRET, 0);
		put_inst(&p.stream, 0, stores ? A64_STR : A64_LDR);
		put_access(&p.stream, stores ? STORE : LOAD, 2, CODE, A64_SVC);
		put_inst(&p.stream, 0, A64_NOP);
		assert_refused(&p, stores ? "writes to code of its own" : "reads, as data, code",
			       TL_NOWHERE, TL_NOWHERE);
		free_pair(&p);
	}
}

TEST(an_unknown_end_is_refused)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_RET);
	assert_refused(&p, "the last instruction is a branch", 0, 0);
	free_pair(&p);
}

static void assert_misused(const struct pair *p, struct tl_xtrace_slice slice, const char *words)
{
	struct tl_error err;
	struct tl_output *out;

	assert_int_equal(make(p, slice, &out, &err), TL_BAD_USAGE);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" instead of \"%s\"", err.text, words);
	tl_output_discard(out);
}

TEST(parts_that_are_none)
{
	struct pair p = begin_pair();
	struct tl_xtrace_slice slice = everything;

	put_pcinst(&p.stream, 0, CODE, A64_NOP);
	slice.first_instruction = 1;
	assert_misused(&p, slice, "begins at a snapshot");
	slice = everything;
	slice.first_snapshot = 1;
	assert_misused(&p, slice, "no such snapshot");
	slice = everything;
	slice.stream = 1;
	assert_misused(&p, slice, "no such stream");
	slice = everything;
	slice.end_instruction = 0;
	assert_misused(&p, slice, "no instructions");
	free_pair(&p);
}

TEST(damage_is_refused)
{
	struct pair p = begin_pair();
	struct tl_error err;
	struct tl_output *out;
	size_t at;

	put_pcinst(&p.stream, 0, CODE, A64_NOP);
	put_inst(&p.stream, 0, A64_NOP);
	at = p.stream.size;
	put_repeat(&p.stream, 0, 40);
	assert_int_equal(make(&p, everything, &out, &err), TL_BAD_RECORD);
	assert_int_equal(err.offset, at);
	assert_non_null(strstr(err.text, "cannot run"));
	tl_output_discard(out);
	free_pair(&p);
}

/* The program is made, and one remark told: no damage, but in what it is another than the trace. */
static void assert_remarked(const struct pair *p, const char *words)
{
	struct tl_xtrace_slice slice = everything;
	const struct tl_xtrace_fault *said;
	struct tl_output *out;
	struct trace t;
	uint64_t count, skipped;
	size_t listed;

	slice.size = sizeof(slice);
	open_trace(&t, &p->stream, &p->snapshots);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xtrace_slice_elf(t.trace, &slice, out, NULL), 0);
	said = tl_xtrace_faults(t.trace, &listed, &count, &skipped);
	assert_int_equal(count, 1);
	assert_int_equal(skipped, 0);
	assert_int_equal(said[0].status, TL_OK);
	assert_non_null(strstr(said[0].text, words));
	tl_output_discard(out);
	close_trace(&t);
}

/* An instruction that faulted comes twice in the trace and once in the program. */
TEST(an_instruction_that_faulted_is_no_break)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, A64_LDR);
	put_pcinst(&p.stream, 0, CODE, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 1);
	put_inst(&p.stream, 0, A64_NOP);
	assert_remarked(&p, "executed once");
	free_pair(&p);
}

/* Where something is refused behind it, both times count as instructions of the trace. */
TEST(instructions_are_counted_as_the_trace_has_them)
{
	struct pair p = begin_pair();
	size_t at;

	for (unsigned times = 0; times < 3; times++)
		put_pcinst(&p.stream, 0, CODE, A64_LDR);
	put_access(&p.stream, LOAD, 3, DATA, 1);
	at = p.stream.size;
	put_inst(&p.stream, 0, A64_NOP); /* from here into the kernel: instruction 3, from 0 */
	put_pcinst(&p.stream, 1, 0x8000, A64_NOP);
	assert_refused(&p, "kernel", at, 3);
	free_pair(&p);
}

TEST(signatures_are_told_of)
{
	struct pair p = begin_pair();

	put_pcinst(&p.stream, 0, CODE, 0xd503233f); /* paciasp */
	put_inst(&p.stream, 0, A64_NOP);
	assert_remarked(&p, "signatures are taken off");
	free_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_has_its_code_and_its_data),
		cmocka_unit_test(pages_hold_what_the_slice_finds),
		cmocka_unit_test(threads_are_in_the_order_of_time),
		cmocka_unit_test(threads_that_cannot_be_one_program),
		cmocka_unit_test(room_between_pages),
		cmocka_unit_test(kernel_code_is_refused),
		cmocka_unit_test(a_gap_is_refused),
		cmocka_unit_test(setting_the_length_of_vectors_is_refused),
		cmocka_unit_test(another_length_of_vectors_before_the_slice_is_refused),
		cmocka_unit_test(a_call_without_its_result_is_refused),
		cmocka_unit_test(a_call_that_goes_elsewhere_is_refused),
		cmocka_unit_test(a_register_without_its_value_is_refused),
		cmocka_unit_test(instructions_that_cannot_run_are_refused),
		cmocka_unit_test(an_unaligned_pc_is_refused),
		cmocka_unit_test(changed_code_is_refused),
		cmocka_unit_test(written_code_that_would_be_rewritten_is_refused),
		cmocka_unit_test(sites_that_are_data_are_refused),
		cmocka_unit_test(an_unknown_end_is_refused),
		cmocka_unit_test(parts_that_are_none),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(an_instruction_that_faulted_is_no_break),
		cmocka_unit_test(instructions_are_counted_as_the_trace_has_them),
		cmocka_unit_test(signatures_are_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
