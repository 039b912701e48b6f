/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out while a recording is made: the parts are still there, and finished with
 * memory they give the recording that they give at once.
 */
#include "../refuse.h"
#include "emulated.h"

#include "core/recording.h"
#include "record/emulation/emulate.h"
#include "record/parts.h"

enum { HEADER = 32, EXTENTS = 16 };

/* A folder that steps make anew; what it holds is made without refusals. */
static struct recording here;

/* `whole`: its bytes, too, where the rate of the clock that is measured each time is not in it. */
static void note_file(uint64_t *digest, const char *name, bool whole)
{
	size_t size;
	char *data = temp_read(temp_path(&here.temp, name), &size);

	refuse_note_number(digest, data ? (int64_t)size : -1);
	refuse_note(digest, data, data && whole ? size : 0);
	free(data);
}

/* ---- what is possible ---- */

static int note_offer(void *arg, const struct tl_recorder_offer *offer)
{
	refuse_note_text(arg, offer->name);
	/* Whether tools are here takes no memory; what is known of the program does. */
	refuse_note_number(arg, offer->possible);
	return 0;
}

static int survey(const void *input, uint64_t *digest)
{
	const struct tl_record_options *options = input;

	return tl_record_survey(options, note_offer, digest, NULL);
}

TEST(a_survey_without_memory)
{
	static const char *const words[] = { "/bin/sh", NULL };
	const struct tl_record_options options = { .size = sizeof(options), .arguments = words };

	/* No self-test of QEMU, which is another process. */
	setenv("PATH", "/nowhere", 1);
	assert_true(refuse_each(survey, &options) > 2);
}

/* ---- logs ---- */

static void put_logs(void)
{
	const struct tl_recording_state state = { .magic = TL_RECORDING_MAGIC,
						  .process = 7,
						  .ids = TL_RECORDING_ADDRESSES,
						  .hz = 1000000000,
						  .ended = 1 };
	uint8_t log[HEADER + EXTENTS + 8] = { [HEADER] = 0x0f, [HEADER + 1] = 8 };

	assert_true(!mkdir(here.parts, 0700) || !access(here.parts, F_OK));
	assert_int_equal(mkdir(temp_path(&here.temp, "out.parts/7-0"), 0700), 0);
	temp_write(&here.temp, "out.parts/7-0/state", &state, sizeof(state));
	temp_write(&here.temp, "out.parts/7-0/objects", "1 100 1 0 /bin/sh\n", 18);
	temp_write(&here.temp, "out.parts/7-0/1-0", log, sizeof(log));
	temp_write(&here.temp, "out.parts/7-0/2-0", log, sizeof(log));
}

static void put_emulated(void)
{
	const struct tl_emulation_thread thread = thread_of(6);
	struct folder folder = simple();

	assert_true(!mkdir(here.parts, 0700) || !access(here.parts, F_OK));
	put_place(&folder, TL_EMULATION_MAP, 0x400000, 4096, 0, "/bin/sh");
	put(&folder, TL_EMULATION_NAMES, 70, 7, 7,
	    temp_write(&here.temp, "jit-7.dump", "names", 5));
	put(&folder, TL_EMULATION_FINISHED, 90, 7, 7, "");
	write_events(&here, &folder);
	write_thread(&here, "thread.7.7.0", &thread, "packet", 6);
}

static void put_pair(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "out.parts/xtrace.%s.hint9.xinsndata.bin", name);
	temp_write(&here.temp, path, text, strlen(text));
	snprintf(path, sizeof(path), "out.parts/xtrace.%s.hint9.xsnapshot.bin", name);
	temp_write(&here.temp, path, text, strlen(text));
}

/* A process with two programs. */
static void put_pairs(void)
{
	static const char maps[] = "bias 0\nprogram one\n"
				   "400000-500000 r-xp 00000000 fe:00 1 /bin/sh\n";

	assert_true(!mkdir(here.parts, 0700) || !access(here.parts, F_OK));
	put_pair("7.0", "first");
	put_pair("7.1", "second");
	temp_write(&here.temp, "out.parts/maps.7.0", maps, sizeof(maps) - 1);
	temp_write(&here.temp, "out.parts/maps.7.1", "bias 0\nprogram two\n", 19);
	temp_write(&here.temp, "out.parts/ended.7.0", "", 0);
	temp_write(&here.temp, "out.parts/ended.7.1", "", 0);
}

static int finish_parts(const void *input, uint64_t *digest)
{
	struct tl_record_result result = { .status = 0 };
	struct tl_error err;
	int status = tl_record_finish(here.output, NULL, NULL, &result, sizeof(result), &err);

	(void)input;
	if (status)
		return status;
	refuse_note_text(digest, result.command);
	refuse_note_number(digest, result.incomplete);
	return 0;
}

/* Each allocation refused: TL_NO_MEMORY leaves the parts, with which a second attempt succeeds. */
static void refuse_finishing(void (*put_parts)(void), const char *side, bool whole)
{
	uint64_t right = 0, asked = 1;

	recording_open(&here);
	tl_record_parts_remove(here.parts);
	for (uint64_t number = 0; number <= asked; number++) {
		struct refuse_run run;
		uint64_t digest = 1;

		put_parts();
		run = refuse_run(finish_parts, NULL, number, number % 2);
		/* The C library's lists of files are freed here, and not asked for here. */
		if (run.leaked > 0 || (run.status && run.status != TL_NO_MEMORY))
			fail_msg("allocation %u refused: status %d, %d allocations are not freed",
				 (unsigned)number, run.status, (int)run.leaked);
		if (run.status)
			assert_int_equal(finish_parts(NULL, &run.digest), 0);
		note_file(&digest, "out", whole);
		note_file(&digest, side, true);
		if (!number) {
			right = digest;
			asked = run.asked;
		}
		assert_int_equal(digest, right);
		assert_false(is_there(&here, "out.parts"));
	}
	assert_true(asked > 3);
	recording_close(&here);
}

TEST(pairs_are_joined_without_memory)
{
	refuse_finishing(put_pairs, "out.7-1.xinsndata.bin", true);
}

TEST(logs_are_joined_without_memory)
{
	refuse_finishing(put_logs, "out.map", true);
}

TEST(what_was_emulated_is_joined_without_memory)
{
	refuse_finishing(put_emulated, "out.jit-7.dump", false);
}

/* ---- programs ---- */

static int run_program(const void *input, uint64_t *digest)
{
	struct tl_record_result result = { .status = 0 };
	int status = tl_record_run(input, NULL, NULL, &result, sizeof(result), NULL);

	tl_record_parts_remove(here.parts);
	if (status)
		return status;
	refuse_note_number(digest, result.status);
	refuse_note_number(digest, result.recorded);
	return 0;
}

static void refuse_running(const struct tl_record_options *options)
{
	const struct refuse_run right = refuse_run(run_program, options, 0, false);

	assert_int_equal(right.status, 0);
	assert_true(right.asked > 4);
	for (uint64_t number = 1; number <= right.asked; number++) {
		struct refuse_run run = refuse_run(run_program, options, number, number % 2);

		if (run.leaked > 0 ||
		    (run.status ? run.status != TL_NO_MEMORY : run.digest != right.digest))
			fail_msg("allocation %u of %u refused: status %d, %d allocations are not "
				 "freed",
				 (unsigned)number, (unsigned)right.asked, run.status,
				 (int)run.leaked);
	}
}

TEST(a_program_is_run_without_memory)
{
	static const char *const words[] = { "/bin/sh", "-c", "exit 9", NULL };
	struct tl_record_options options = { .size = sizeof(options), .arguments = words };
	static const char tool[] =
		"#!/bin/sh\nfor word; do case $word in --callgrind-out-file=*) "
		"file=${word#*=};; esac; done\necho totals: 1 > ${file%%p}$$; exit 9\n";

	recording_open(&here);
	options.output = here.output;
	options.how = "callgrind";
	temp_write(&here.temp, "valgrind", tool, strlen(tool));
	assert_int_equal(chmod(temp_path(&here.temp, "valgrind"), 0755), 0);
	setenv("PATH", here.temp.directory, 1);
	refuse_running(&options);
	recording_close(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_survey_without_memory),
		cmocka_unit_test(logs_are_joined_without_memory),
		cmocka_unit_test(pairs_are_joined_without_memory),
		cmocka_unit_test(what_was_emulated_is_joined_without_memory),
		cmocka_unit_test(a_program_is_run_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
