/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of files that a plugin left of an AArch64 program: their names, their order, their code. */
#include "session.h"

#include <elf.h>
#include <inttypes.h>

#define X "xtrace.%d.%u.hint9."

/* Both files of a thread: the stream says whose it is. */
static void leave(struct recording *r, int process, unsigned number)
{
	char name[64], text[64];

	snprintf(text, sizeof(text), "%d %u", process, number);
	snprintf(name, sizeof(name), "out.parts/" X "xinsndata.bin", process, number);
	temp_write(&r->temp, name, text, strlen(text));
	snprintf(name, sizeof(name), "out.parts/" X "xsnapshot.bin", process, number);
	temp_write(&r->temp, name, text, strlen(text));
}

static void leave_text(struct recording *r, const char *name, const char *text)
{
	temp_write(&r->temp, name, text, strlen(text));
}

static void join(struct recording *r)
{
	struct tl_error err;

	assert_int_equal(tl_emulation_join_pairs(&r->session, &err), 0);
	assert_false(is_there(r, "out.parts"));
}

/* The program's own process first, then by number; two digits are more than one. */
TEST(the_first_thread_of_the_program_has_the_name_of_the_recording)
{
	char expected[8 * TL_RECORD_PATH];
	struct recording r;

	recording_open(&r);
	r.session.child = 70;
	leave(&r, 70, 10);
	leave(&r, 70, 0);
	leave(&r, 70, 2);
	leave(&r, 9, 0);
	leave_text(&r, "out.parts/xtrace.1.0.hint9.xinsndata.bin.more", "");
	leave_text(&r, "out.parts/ended.70.0", "");
	leave_text(&r, "out.parts/ended.9.0", "");
	assert_true(tl_emulation_has_pairs(r.parts));
	join(&r);
	expect_text(&r, "out.xinsndata.bin", "70 0");
	expect_text(&r, "out.xsnapshot.bin", "70 0");
	expect_text(&r, "out.9-0.xinsndata.bin", "9 0");
	expect_text(&r, "out.70-2.xsnapshot.bin", "70 2");
	expect_text(&r, "out.70-10.xinsndata.bin", "70 10");
	snprintf(expected, sizeof(expected),
		 "%1$s.xinsndata.bin %1$s.9-0.xinsndata.bin %1$s.70-2.xinsndata.bin "
		 "%1$s.70-10.xinsndata.bin",
		 r.output);
	assert_string_equal(r.result.command, expected);
	assert_true(r.result.recorded);
	assert_string_equal(r.told.lines, "");
	recording_close(&r);
}

TEST(a_name_that_is_that_of_a_stream_is_kept)
{
	struct recording r;

	recording_open(&r);
	leave(&r, 5, 0);
	leave_text(&r, "out.parts/ended.5.0", "");
	strcat(r.output, ".xinsndata.bin");
	r.options.output = r.output;
	join(&r);
	expect_text(&r, "out.xinsndata.bin", "5 0");
	recording_close(&r);

	/* Without a name the table's suffix is not of this recorder. */
	recording_open(&r);
	leave(&r, 5, 0);
	leave_text(&r, "out.parts/ended.5.0", "");
	strcat(r.output, ".perf");
	join(&r);
	expect_text(&r, "out.xinsndata.bin", "5 0");
	recording_close(&r);
}

TEST(a_process_that_did_not_end_is_told_once)
{
	struct recording r;

	recording_open(&r);
	leave(&r, 5, 0);
	leave(&r, 5, 1);
	join(&r);
	assert_string_equal(r.told.lines, "process 5 did not end by exit(): what it did since its "
					  "last system call is missing\n");
	recording_close(&r);

	recording_open(&r);
	assert_false(tl_emulation_has_pairs(r.parts));
	join(&r);
	assert_false(r.result.recorded);
	recording_close(&r);
}

static void leave_binary(struct recording *r, const char *name, uint16_t type, uint16_t machine)
{
	const Elf64_Ehdr elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					      ELFDATA2LSB, EV_CURRENT },
				 .e_type = type,
				 .e_machine = machine,
				 .e_version = EV_CURRENT,
				 .e_ehsize = sizeof(elf) };

	temp_write(&r->temp, name, &elf, sizeof(elf));
}

/* A file that is position-independent has its address; another one has not, and others' no line. */
TEST(the_command_has_the_code_with_its_addresses)
{
	char maps[8 * TL_RECORD_PATH], expected[8 * TL_RECORD_PATH];
	struct recording r;

	recording_open(&r);
	leave(&r, 5, 0);
	leave_text(&r, "out.parts/ended.5.0", "");
	leave_binary(&r, "pie", ET_DYN, EM_AARCH64);
	leave_binary(&r, "fixed", ET_EXEC, EM_AARCH64);
	leave_binary(&r, "host", ET_EXEC, EM_X86_64);
	snprintf(maps, sizeof(maps),
		 "bias 1000\n"
		 "5501000-5502000 r--p 00000000 fe:00 1 %1$s/pie\n"
		 "5502000-5503000 rw-p 00001000 fe:00 1 %1$s/pie\n"
		 "5504000-5505000 rw-p 00000000 00:00 0 \n"
		 "401000-402000 r--p 00000000 fe:00 1 %1$s/fixed\n"
		 "7f0000000000-7f0000001000 r-xp 00000000 fe:00 1 %1$s/host\n"
		 "7f0000002000-7f0000003000 r--p 00000000 fe:00 1 %1$s/gone\n",
		 r.temp.directory);
	leave_text(&r, "out.parts/maps.5.0", maps);
	join(&r);
	snprintf(expected, sizeof(expected),
		 "--binary %1$s/pie@0x5500000 --binary %1$s/fixed %1$s/out.xinsndata.bin",
		 r.temp.directory);
	assert_string_equal(r.result.command, expected);
	recording_close(&r);
}

static void leave_maps(struct recording *r, const char *name, const char *program, const char *file,
		       uint64_t address)
{
	char maps[2 * TL_RECORD_PATH];

	snprintf(maps, sizeof(maps),
		 "bias 0\nprogram %s\n%" PRIx64 "-%x r-xp 00000000 fe:00 1 %s/%s\n", program,
		 address, 0xffff0000, r->temp.directory, file);
	leave_text(r, name, maps);
}

/*
 * Process 5 executes `one` with its streams 0 and 1, then `two`; 6, 7 and 8 are `one`, of which 7
 * has the library at another address, and 8 has another library where 5 and 6 have theirs, which
 * does not contradict 7. 8 goes on with what is not recorded, and had used the matrix.
 */
TEST(streams_are_read_with_the_code_that_was_at_their_addresses)
{
	char expected[8 * TL_RECORD_PATH];
	struct recording r;

	recording_open(&r);
	r.session.child = 6;
	leave_binary(&r, "lib", ET_DYN, EM_AARCH64);
	leave_binary(&r, "more", ET_DYN, EM_AARCH64);
	for (unsigned i = 0; i < 4; i++)
		leave(&r, 5, i);
	for (int process = 6; process < 9; process++)
		leave(&r, process, 0);
	leave_maps(&r, "out.parts/maps.5.0", "one", "lib", 0x1000);
	leave_maps(&r, "out.parts/maps.5.2", "two", "lib", 0x1000);
	leave_maps(&r, "out.parts/maps.6.0", "one", "lib", 0x1000);
	leave_maps(&r, "out.parts/maps.7.0", "one", "lib", 0x2000);
	leave_maps(&r, "out.parts/maps.8.0", "one", "more", 0x1000);
	leave_text(&r, "out.parts/ended.5.0", "");
	leave_text(&r, "out.parts/ended.6.0", "");
	leave_text(&r, "out.parts/ended.7.0", "");
	leave_text(&r, "out.parts/left.8.0", "/bin/host\n");
	leave_text(&r, "out.parts/matrix.8.0", "");
	join(&r);
	snprintf(expected, sizeof(expected),
		 "--binary %1$s/lib@0x1000 %1$s/out.xinsndata.bin %1$s/out.5-0.xinsndata.bin "
		 "%1$s/out.5-1.xinsndata.bin",
		 r.temp.directory);
	assert_string_equal(r.result.command, expected);
	snprintf(expected, sizeof(expected),
		 "process 5 did not end by exit(): what it did since its last system call is "
		 "missing\n"
		 "process 8: what instructions of SME load into the matrix ZA, and store of it, is "
		 "not recorded\n"
		 "process 8: /bin/host is not recorded: no AArch64 program, or one that runs with "
		 "other rights\n"
		 "two was executed, too: tracelathe report --binary %1$s/lib@0x1000 "
		 "%1$s/out.5-2.xinsndata.bin %1$s/out.5-3.xinsndata.bin\n"
		 "one was executed, too: tracelathe report --binary %1$s/lib@0x2000 --binary "
		 "%1$s/more@0x1000 %1$s/out.7-0.xinsndata.bin %1$s/out.8-0.xinsndata.bin\n",
		 r.temp.directory);
	assert_string_equal(r.told.lines, expected);
	assert_true(r.result.incomplete);
	recording_close(&r);
}

/* The command has room for some; an option never stands there without its file. */
TEST(files_that_the_command_has_no_room_for_are_told)
{
	char long_name[200];
	struct recording r;

	recording_open(&r);
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	while (strlen(r.result.command) + strlen(long_name) + 1 < sizeof(r.result.command))
		tl_record_add_file(&r.session, long_name);
	assert_int_equal(r.session.unnamed, 0);
	tl_record_add_file(&r.session, long_name);
	tl_record_add_binary(&r.session, long_name);
	assert_int_equal(r.session.unnamed, 2);
	assert_null(strstr(r.result.command, "--binary"));
	assert_string_equal(r.result.command + strlen(r.result.command) - strlen(long_name),
			    long_name);
	tl_record_tell_unnamed(&r.session);
	assert_string_equal(r.told.lines, "2 files of the recording have no room in the command "
					  "that reads it: their names begin as that of the "
					  "recording\n");
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_thread_of_the_program_has_the_name_of_the_recording),
		cmocka_unit_test(a_name_that_is_that_of_a_stream_is_kept),
		cmocka_unit_test(a_process_that_did_not_end_is_told_once),
		cmocka_unit_test(the_command_has_the_code_with_its_addresses),
		cmocka_unit_test(streams_are_read_with_the_code_that_was_at_their_addresses),
		cmocka_unit_test(files_that_the_command_has_no_room_for_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
