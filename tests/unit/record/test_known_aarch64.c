/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AArch64 program that a QEMU is tried with, where QEMU is a script and its recording is made
 * here: the file of the program, how QEMU is called, and what is said of each way in which a
 * recording can be another one. (With a QEMU that passes: tests/differential/emulated.)
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "../chance.h"
#include "../temp_fixture.h"

#include "record/emulation/emulate.h"

/* ---- registers, by what the instructions do (Arm ARM), in front of "br x16" ---- */

#define CODE UINT64_C(0x400080)
#define DATA UINT64_C(0x400400)
#define VALUE UINT64_C(0x1234000000005a5a)

/* docs/formats/xtrace.md: a file's head, and a snapshot with vectors of 256 bits. */
enum { HEADER = 24, SNAPSHOT = 2704, TOTAL = 24, X = 32, Z = 288, P = Z + 32 * 32 };
enum { SYSTEM = P + 17 * 16 + 32 * 32 };

static const struct {
	size_t at;
	uint64_t value;
} words[] = {
	{ TOTAL, 737 },
	/* close(-1) is -EBADF; then adr, mov */
	{ X + 8 * 0, UINT64_MAX - 8 },
	{ X + 8 * 1, DATA },
	{ X + 8 * 2, 0xc00000 },
	/* counted down from 100 to 0 */
	{ X + 8 * 3, 0 },
	/* a byte 1, stored over a 0 at 1, is 0x100 as a half-word; its sum with 1 */
	{ X + 8 * 4, 0x100 },
	{ X + 8 * 5, 1 },
	{ X + 8 * 6, 0x101 },
	/* ldp of what stp of q0 stored, from its second half on */
	{ X + 8 * 7, DATA },
	{ X + 8 * 8, 57 },
	{ X + 8 * 9, 3 },
	/* ldadd and stadd of 3 each, behind ldadd; the failed cas; ldxr, add 1; stxr */
	{ X + 8 * 10, VALUE + 6 },
	{ X + 8 * 11, 0 },
	{ X + 8 * 12, VALUE + 7 },
	{ X + 8 * 13, 0 },
	{ X + 8 * 14, DATA },
	/* cmp of a negative number and 0: N and C */
	{ X + 8 * 15, 0xa0000000 },
	{ X + 8 * 16, 0x400138 },
	/* behind bl at 40010c */
	{ X + 8 * 30, CODE + 0x90 },
	{ Z, VALUE },
	{ Z + 8, DATA },
	{ Z + 32 * 31, 0 },
	{ Z + 32 * 31 + 8, VALUE },
	/* three bytes of whilelo */
	{ P, 7 },
	{ P + 16, 0 },
	/* FPCR; FPSR: inexact and saturated; NZCV; TPIDR_EL0 */
	{ SYSTEM, 0xc00000 },
	{ SYSTEM + 8, 0x08000010 },
	{ SYSTEM + 16, 0xa0000000 },
	{ SYSTEM + 24, VALUE },
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

/* ---- what is recorded ---- */

static struct {
	uint8_t stream[20000];
	size_t stream_size; /* 0: there is no such file */
	uint8_t snapshots[HEADER + 2 * SNAPSHOT + 1];
	size_t snapshots_size;
	int status; /* of joining */
} made;

static void put_word(size_t at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		made.snapshots[HEADER + SNAPSHOT + at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* In the place of what the plugin leaves. */
static int join_made(struct tl_record_session *session, struct tl_error *err)
{
	static const char *const names[] = { "xinsndata.bin", "xsnapshot.bin" };
	const void *const bytes[] = { made.stream, made.snapshots };
	const size_t sizes[] = { made.stream_size, made.snapshots_size };

	for (int i = 0; i < 2; i++) {
		char path[TL_RECORD_PATH + 32];
		FILE *file;

		snprintf(path, sizeof(path), "%s.%s", session->output, names[i]);
		if (!sizes[i])
			continue;
		file = fopen(path, "wb");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes[i], 1, sizes[i], file), sizes[i]);
		fclose(file);
	}
	if (made.status)
		err->text = "the parts are gone";
	return made.status;
}

static const char *const qemu_words[] = { "qemu-aarch64", "-singlestep", NULL };

static struct tl_emulator emulator_of(const char *script)
{
	struct tl_emulator emulator = {
		.machine = TL_RECORD_AARCH64,
		.words = qemu_words,
		.plugin = "/plugins/one,two.so",
		.plugin_options = "",
		.is_as_known = tl_emulate_is_known_aarch64,
		.join = join_made,
	};

	snprintf(emulator.qemu, sizeof(emulator.qemu), "%s",
		 temp_write(&temp, "qemu-aarch64", script, strlen(script)));
	assert_int_equal(chmod(emulator.qemu, 0700), 0);
	return emulator;
}

static int set_up(void **state)
{
	uint32_t seed = 9;

	(void)state;
	memset(&made, 0, sizeof(made));
	made.stream_size = 100 + chance(&seed, 10000);
	for (size_t i = 0; i < made.stream_size; i++)
		made.stream[i] = (uint8_t)chance(&seed, 256);
	made.snapshots_size = HEADER + 2 * SNAPSHOT;
	for (size_t i = 0; i < WORDS; i++)
		put_word(words[i].at, words[i].value);
	return 0;
}

static uint64_t hash_of_stream(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < made.stream_size; i++)
		hash = (hash ^ made.stream[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void expect_refused(const struct tl_emulator *emulator, bool registers, int status)
{
	char folder[600], reason[TL_RECORD_TEXT] = "", wanted[TL_RECORD_TEXT];

	snprintf(folder, sizeof(folder), "%s/XXXXXX", temp.directory);
	assert_non_null(mkdtemp(folder));
	assert_false(tl_emulate_is_known_aarch64(emulator, folder, reason));
	snprintf(wanted, sizeof(wanted),
		 "this QEMU does not behave as version 7.2: of a known program of 742 instructions "
		 "that exits with 42, %zu bytes (hash %016" PRIx64 ") and %s registers were "
		 "recorded, and it exited with %d",
		 made.stream_size, hash_of_stream(), registers ? "its" : "other", status);
	assert_string_equal(reason, wanted);
}

/* Each register counts, and each bit of it. */
TEST(registers_of_the_second_snapshot)
{
	const struct tl_emulator emulator = emulator_of("#!/bin/sh\nexit 42\n");

	expect_refused(&emulator, true, 42);
	for (size_t i = 0; i < WORDS; i++) {
		put_word(words[i].at, words[i].value ^ UINT64_C(1) << (i * 7 % 64));
		expect_refused(&emulator, false, 42);
		put_word(words[i].at, words[i].value);
	}
	/* What is said of others, and of the first snapshot, is not looked at. */
	put_word(X + 8 * 20, 77);
	made.snapshots[HEADER + X] = 5;
	expect_refused(&emulator, true, 42);
}

TEST(other_recordings)
{
	const struct tl_emulator fails = emulator_of("#!/bin/sh\nexit 7\n");

	/* One snapshot, three, a part of two, none; no stream. */
	expect_refused(&fails, true, 7);
	made.snapshots_size--;
	expect_refused(&fails, false, 7);
	made.snapshots_size += 2;
	expect_refused(&fails, false, 7);
	made.snapshots_size = HEADER + SNAPSHOT;
	expect_refused(&fails, false, 7);
	made.snapshots_size = 0;
	expect_refused(&fails, false, 7);
	made.stream_size = 0;
	expect_refused(&fails, false, 7);
}

TEST(what_cannot_be_recorded)
{
	struct tl_emulator emulator = emulator_of("#!/bin/sh\nexit 42\n");
	char reason[TL_RECORD_TEXT], folder[600];
	static const char begin[] = "the program that QEMU is tried with could not be recorded: ";

	snprintf(folder, sizeof(folder), "%s/XXXXXX", temp.directory);
	assert_non_null(mkdtemp(folder));
	made.status = TL_IO;
	assert_false(tl_emulate_is_known_aarch64(&emulator, folder, reason));
	assert_int_equal(strncmp(reason, begin, strlen(begin)), 0);
	assert_string_equal(reason + strlen(begin), "the parts are gone");
	/* A folder that is not there. */
	assert_false(tl_emulate_is_known_aarch64(&emulator, "/nowhere/at all", reason));
	assert_int_equal(strncmp(reason, begin, strlen(begin)), 0);
	assert_true(strlen(reason) > strlen(begin));
}

/* ---- the program, and how it is run ---- */

TEST(the_program_and_the_words_of_qemu)
{
	static const char script[] = "#!/bin/sh\n"
				     "for word; do echo \"$word\"; done > %s/said\n"
				     "echo \"$QEMU_CPU\" >> %s/said\n"
				     "for word; do last=$word; done\n"
				     "cp \"$last\" %s/program\n"
				     "exit 42\n";
	char text[2048], folder[600], reason[TL_RECORD_TEXT], path[700], wanted[2048], *said;
	struct tl_emulator emulator;
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint32_t first;
	size_t size;

	snprintf(text, sizeof(text), script, temp.directory, temp.directory, temp.directory);
	emulator = emulator_of(text);
	snprintf(folder, sizeof(folder), "%s/XXXXXX", temp.directory);
	assert_non_null(mkdtemp(folder));
	setenv("QEMU_CPU", "another", 1);
	assert_false(tl_emulate_is_known_aarch64(&emulator, folder, reason));
	unsetenv("QEMU_CPU");

	/* "QEMU wants commas of names twice"; the processor of the trial is ours. */
	snprintf(path, sizeof(path), "%s/said", temp.directory);
	said = temp_read(path, &size);
	assert_non_null(said);
	snprintf(wanted, sizeof(wanted),
		 "-singlestep\n-plugin\n/plugins/one,,two.so,folder=%s/recording.parts,every=737\n"
		 "-0\n%s/known\n%s/known\nmax,sme=off,sve-default-vector-length=32\n",
		 folder, folder, folder);
	assert_string_equal(said, wanted);
	free(said);

	/* ELF-64: e_machine 183 is AArch64. One segment, with the code where it begins. */
	snprintf(path, sizeof(path), "%s/program", temp.directory);
	said = temp_read(path, &size);
	assert_non_null(said);
	assert_true(size > sizeof(header) + sizeof(segment));
	memcpy(&header, said, sizeof(header));
	memcpy(&segment, said + sizeof(header), sizeof(segment));
	assert_memory_equal(header.e_ident, "\177ELF\2\1\1", 7);
	assert_int_equal(header.e_type, ET_EXEC);
	assert_int_equal(header.e_machine, 183);
	assert_int_equal(header.e_entry, CODE);
	assert_int_equal(header.e_phoff, sizeof(header));
	assert_int_equal(header.e_phnum, 1);
	assert_int_equal(header.e_phentsize, sizeof(segment));
	assert_int_equal(segment.p_type, PT_LOAD);
	assert_int_equal(segment.p_flags, PF_R | PF_W | PF_X);
	assert_int_equal(segment.p_offset, 0);
	assert_int_equal(segment.p_vaddr + CODE % 0x1000, CODE);
	assert_int_equal(segment.p_filesz, size);
	assert_true(segment.p_memsz >= DATA + 64 - segment.p_vaddr);
	/* "adr x1, 400400": immlo 30:29, immhi 23:5 */
	memcpy(&first, said + CODE % 0x1000, sizeof(first));
	assert_int_equal(first & 0x9f00001f, 0x10000001);
	assert_int_equal((first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3), DATA - CODE);
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(registers_of_the_second_snapshot, set_up),
		cmocka_unit_test_setup(other_recordings, set_up),
		cmocka_unit_test_setup(what_cannot_be_recorded, set_up),
		cmocka_unit_test_setup(the_program_and_the_words_of_qemu, set_up),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
