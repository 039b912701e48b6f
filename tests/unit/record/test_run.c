/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choosing a recorder and running programs in it. The tools are scripts that the tests write, the
 * run-time is a library that does nothing: the tests run again as a copy of themselves in a folder
 * that has these (HOME_VARIABLE), as the command looks for its parts beside itself.
 */
#include "emulated.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/recording.h"
#include "record/chosen.h"
#include "record/emulation/emulate.h"

#define HOME_VARIABLE "TL_TEST_RECORD_HOME"

/* Functions with patchable entries. */
#if defined(__x86_64__)
#define PATCHABLE __attribute__((noinline, patchable_function_entry(5)))
#else
#define PATCHABLE __attribute__((noinline))
#endif
PATCHABLE int chosen_one(int value);
PATCHABLE int chosen_two(int value);
PATCHABLE int another(int value);

PATCHABLE int chosen_one(int value)
{
	return value + 1;
}

PATCHABLE int chosen_two(int value)
{
	return value + 2;
}

PATCHABLE int another(int value)
{
	return value + 3;
}

static const char *home(void)
{
	return getenv(HOME_VARIABLE);
}

/* ---- scripts ---- */

static void put_script(const char *name, const char *text)
{
	char path[TL_RECORD_PATH];
	FILE *file;

	snprintf(path, sizeof(path), "%s/bin/%s", home(), name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fprintf(file, "#!/bin/sh\n%s\n", text) > 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void remove_script(const char *name)
{
	char path[TL_RECORD_PATH];

	snprintf(path, sizeof(path), "%s/bin/%s", home(), name);
	assert_int_equal(unlink(path), 0);
}

/* A session of the shell with a script; `said` is a file for its words, in $SAID. */
static const char *shell_words[] = { "/bin/sh", "-c", NULL, NULL };

static void run_shell(struct recording *r, const char *script)
{
	recording_open(r);
	shell_words[2] = script;
	r->options.arguments = shell_words;
	r->program = (struct tl_record_program){ .path = "/bin/sh", .is_elf = true };
	setenv("SAID", temp_path(&r->temp, "said"), 1);
}

/* ---- the program's environment ---- */

#define SAY_VARIABLES                                                                              \
	"for name in TRACELATHE_RECORDING TRACELATHE_RECORDING_OPTIONS TRACELATHE_RECORDING_LLVM " \
	"XRAY_OPTIONS XRAY_BASIC_OPTIONS LD_PRELOAD KEPT; do "                                     \
	"eval \"echo $name=\\$$name\"; done > $SAID; exit 3"

/* The program's variables, `%1$s` for the folder and `%2$s` for that of this program. */
static void expect_variables(struct recording *r, const char *expected)
{
	char text[8192];

	snprintf(text, sizeof(text), expected, r->temp.directory, home());
	expect_text(r, "said", text);
	assert_int_equal(r->result.status, 3);
	assert_false(r->result.recorded);
	assert_false(is_there(r, "out.parts"));
	recording_close(r);
}

TEST(our_run_time_is_preloaded_and_told_by_the_environment)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, SAY_VARIABLES);
	r.options.threshold_seconds = 1.5;
	r.options.ring_bytes = 65536;
	r.options.depth = 7;
	setenv("KEPT", "as it is", 1);
	setenv(TL_RECORDING_OPTIONS, "of another", 1);
	assert_int_equal(tl_record_run_calls(&r.session, &err), 0);
	expect_variables(&r, "TRACELATHE_RECORDING=%1$s/out.parts\n"
			     "TRACELATHE_RECORDING_OPTIONS=hz=1000000000 threshold=1500000000 "
			     "ring=65536 depth=7 calls=1\n"
			     "TRACELATHE_RECORDING_LLVM=\n"
			     "XRAY_OPTIONS=\n"
			     "XRAY_BASIC_OPTIONS=\n"
			     "LD_PRELOAD=%2$s/recorder/libtracelathe-record.so\n"
			     "KEPT=as it is\n");
	unsetenv(TL_RECORDING_OPTIONS);
}

TEST(what_is_preloaded_already_stays_behind_the_run_time)
{
	char library[TL_RECORD_PATH];
	struct tl_error err;
	struct recording r;

	snprintf(library, sizeof(library), "%s/recorder/libtracelathe-record.so", home());
	run_shell(&r, "echo $LD_PRELOAD > $SAID; exit 3");
	setenv("LD_PRELOAD", library, 1);
	assert_int_equal(tl_record_run_xray(&r.session, &err), 0);
	unsetenv("LD_PRELOAD");
	expect_variables(&r, "%2$s/recorder/libtracelathe-record.so:"
			     "%2$s/recorder/libtracelathe-record.so\n");
}

TEST(the_flight_recorder_of_llvm_has_its_buffers)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, SAY_VARIABLES);
	r.options.threshold_seconds = 2e-6;
	assert_int_equal(tl_record_run_xray_fdr(&r.session, &err), 0);
	expect_variables(
		&r, "TRACELATHE_RECORDING=%1$s/out.parts\n"
		    "TRACELATHE_RECORDING_OPTIONS=hz=1000000000 threshold=2000 ring=0 depth=0 "
		    "llvm=1\n"
		    "TRACELATHE_RECORDING_LLVM=func_duration_threshold_us=2 buffer_size=1048576 "
		    "buffer_max=256\n"
		    "XRAY_OPTIONS=xray_logfile_base=%1$s/out.parts/llvm-\n"
		    "XRAY_BASIC_OPTIONS=\n"
		    "LD_PRELOAD=%2$s/recorder/libtracelathe-record.so\n"
		    "KEPT=as it is\n");
	/* a ring of so many buffers, and of two at least */
	for (uint64_t ring = 1; ring <= 40960; ring += 40959) {
		run_shell(&r, "echo $TRACELATHE_RECORDING_LLVM > $SAID; exit 3");
		r.options.ring_bytes = ring;
		r.options.buffer_bytes = 4096;
		assert_int_equal(tl_record_run_xray_fdr(&r.session, &err), 0);
		expect_variables(&r, ring == 1 ? "func_duration_threshold_us=0 buffer_size=4096 "
						 "buffer_max=2\n"
					       : "func_duration_threshold_us=0 buffer_size=4096 "
						 "buffer_max=10\n");
	}
}

TEST(basic_mode_begins_by_itself)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, SAY_VARIABLES);
	r.options.threshold_seconds = 3e-6;
	assert_int_equal(tl_record_run_xray_basic(&r.session, &err), 0);
	expect_variables(&r, "TRACELATHE_RECORDING=\n"
			     "TRACELATHE_RECORDING_OPTIONS=\n"
			     "TRACELATHE_RECORDING_LLVM=\n"
			     "XRAY_OPTIONS=patch_premain=true xray_mode=xray-basic "
			     "xray_logfile_base=%1$s/out.parts/llvm-\n"
			     "XRAY_BASIC_OPTIONS=func_duration_threshold_us=3 "
			     "max_stack_depth=1024 thread_buffer_size=1024\n"
			     "LD_PRELOAD=\n"
			     "KEPT=as it is\n");
}

TEST(what_the_run_times_leave_is_taken)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, "echo log > ${XRAY_OPTIONS##*base=}sh.1");
	assert_int_equal(tl_record_run_xray_basic(&r.session, &err), 0);
	expect_text(&r, "out", "log\n");
	assert_string_equal(r.result.command, r.output);
	recording_close(&r);
}

/* ---- how programs end ---- */

static int status_of(const char *script)
{
	struct tl_error err;
	struct recording r;
	int status;

	run_shell(&r, script);
	assert_int_equal(tl_record_run_calls(&r.session, &err), 0);
	status = r.result.status;
	recording_close(&r);
	return status;
}

TEST(the_result_has_the_exit_status_or_128_and_the_signal)
{
	assert_int_equal(status_of("exit 0"), 0);
	assert_int_equal(status_of("exit 255"), 255);
	assert_int_equal(status_of("kill -TERM $$"), 128 + SIGTERM);
	assert_int_equal(status_of("kill -KILL $$"), 128 + SIGKILL);
}

/* `$PPID` is this process; the loop ends by itself should the signal get lost. */
TEST(signals_are_handed_on_and_the_mask_is_as_before)
{
	sigset_t before, after;

	sigemptyset(&before);
	sigaddset(&before, SIGWINCH);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(status_of("trap 'exit 9' USR1; kill -USR1 $PPID; "
				   "for i in 1 2 3 4 5 6 7 8 9; do /bin/sleep 0.3; done; exit 8"),
			 9);
	assert_int_equal(status_of("trap 'exit 9' HUP; kill -HUP $PPID; "
				   "for i in 1 2 3 4 5 6 7 8 9; do /bin/sleep 0.3; done; exit 8"),
			 9);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_true(sigismember(&after, SIGWINCH) == 1 && sigismember(&after, SIGUSR1) == 0 &&
		    sigismember(&after, SIGCHLD) == 0);
	sigemptyset(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

TEST(a_program_that_cannot_be_run_leaves_nothing)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, "exit 0");
	strcpy(r.program.path, "/not/there");
	assert_int_equal(tl_record_run_calls(&r.session, &err), TL_IO);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_false(is_there(&r, "out.parts"));
	recording_close(&r);
}

/* ---- --function ---- */

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Behind the mark of a target of indirect branches (ENDBR64), where the compiler puts one. */
static uint64_t entry_of(int (*function)(int))
{
	const uint64_t address = (uint64_t)(uintptr_t)function;

	return address + (memcmp((const void *)(uintptr_t)address, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4);
}

/* The entries of the two, less where the program is loaded: a line each, ascending. */
static void expected_addresses(char text[64])
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	uint64_t base = (uint64_t)(uintptr_t)__ehdr_start;
	uint64_t addresses[] = { entry_of(chosen_one), entry_of(chosen_two) };

#if !defined(__PIE__) && !defined(__PIC__)
	base = 0;
#endif
	qsort(addresses, 2, sizeof(addresses[0]), by_address);
	snprintf(text, 64, "%llu\n%llu\n", (unsigned long long)(addresses[0] - base),
		 (unsigned long long)(addresses[1] - base));
}

static void self(char path[TL_RECORD_PATH])
{
	memset(path, 0, TL_RECORD_PATH);
	assert_true(readlink("/proc/self/exe", path, TL_RECORD_PATH - 1) > 0);
}

TEST(functions_that_match_are_chosen_by_their_entries)
{
	char expected[64], path[TL_RECORD_PATH], *numbers;
	struct tl_error err;
	size_t size;

#if !defined(__x86_64__)
	skip();
#endif
	self(path);
	expected_addresses(expected);
	assert_int_equal(chosen_one(1) + chosen_two(1) + another(1), 9);
	assert_int_equal(tl_record_chosen(path, "^chosen_(one|two)$", false, &numbers, &size, &err),
			 0);
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(numbers, expected, size);
	free(numbers);
	assert_int_equal(tl_record_chosen(path, "^main$", false, &numbers, &size, &err),
			 TL_BAD_USAGE);
	assert_string_equal(err.text, "no function of the program matches");
	assert_int_equal(tl_record_chosen(path, "(", false, &numbers, &size, &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "not a POSIX extended regular expression");
	assert_int_equal(tl_record_chosen("/bin/sh", ".", false, &numbers, &size, &err),
			 TL_BAD_USAGE);
	assert_int_equal(tl_record_chosen("/not/there", ".", false, &numbers, &size, &err), TL_IO);
	assert_true(tl_record_chosen("/bin/sh", ".", true, &numbers, &size, &err) < 0);
}

TEST(the_run_time_reads_the_choice_in_its_folder)
{
	char expected[64], path[TL_RECORD_PATH];
	struct tl_error err;
	struct recording r;

#if !defined(__x86_64__)
	skip();
#endif
	self(path);
	expected_addresses(expected);
	run_shell(&r, "");
	/* This program as the program to record: it copies the file (main()). */
	r.options.arguments = (const char *const[]){ path, "copy", NULL };
	r.options.function = "^chosen_";
	r.options.how = "patch";
	r.options.output = r.output;
	assert_int_equal(
		tl_record_run(&r.options, take_line, &r.told, &r.result, sizeof(r.result), &err),
		0);
	assert_int_equal(r.result.status, 0);
	assert_string_equal(r.told.lines, "patch: the program has functions with patchable "
					  "entries\n");
	expect_text(&r, "said", expected);
	assert_false(is_there(&r, "out.parts"));
	/* a choice of nothing is told before the program runs */
	assert_int_equal(unlink(temp_path(&r.temp, "said")), 0);
	r.options.function = "^chosen_three";
	assert_int_equal(tl_record_run(&r.options, NULL, NULL, &r.result, sizeof(r.result), &err),
			 TL_BAD_USAGE);
	assert_false(is_there(&r, "said"));
	assert_false(is_there(&r, "out.parts"));
	recording_close(&r);
}

TEST(recorders_that_cannot_choose_functions_refuse)
{
	static tl_recorder_run_fn *const runs[] = { tl_record_run_calls, tl_record_run_xray_basic,
						    tl_record_run_emulate };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct tl_error err;
		struct recording r;

		run_shell(&r, "echo > $SAID");
		r.options.function = ".";
		assert_int_equal(runs[i](&r.session, &err), TL_BAD_USAGE);
		assert_non_null(strstr(err.text, "functions cannot be chosen with this recorder"));
		assert_false(is_there(&r, "said"));
		recording_close(&r);
	}
}

/* ---- choosing ---- */

static int run_named(struct recording *r, const char *how, struct tl_error *err)
{
	r->options.how = how;
	r->options.output = r->output;
	return tl_record_run(&r->options, take_line, &r->told, &r->result, sizeof(r->result), err);
}

TEST(a_recorder_that_is_named_must_be_able_to)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, "exit 4");
	assert_int_equal(run_named(&r, "magic", &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "no recorder has this name; --list shows them");
	assert_int_equal(run_named(&r, "xray", &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "this recorder cannot record the program here");
	assert_string_equal(r.told.lines,
			    "xray: the program has no XRay sleds (clang -fxray-instrument)\n");
	/* The shell has no hooks; its libraries may have, so that it can be asked for by name. */
	r.told.lines[0] = '\0';
	assert_int_equal(run_named(&r, "calls", &err), 0);
	assert_int_equal(r.result.status, 4);
	assert_memory_equal(r.told.lines, "calls: the program itself was not built with", 44);
	recording_close(&r);
}

TEST(options_are_checked_before_anything_runs)
{
	struct tl_error err;
	struct recording r;

	run_shell(&r, "exit 0");
	r.options.size--;
	assert_int_equal(run_named(&r, "calls", &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "another size"));
	assert_int_equal(tl_record_survey(&r.options, NULL, NULL, &err), TL_BAD_USAGE);
	r.options.size++;
	r.options.arguments = NULL;
	assert_int_equal(run_named(&r, "calls", &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "no program to record");
	r.options.arguments = (const char *const[]){ NULL };
	assert_int_equal(run_named(&r, "calls", &err), TL_BAD_USAGE);
	r.options.arguments = (const char *const[]){ "no-such-program-anywhere", NULL };
	assert_int_equal(run_named(&r, "calls", &err), TL_IO);
	r.options.arguments = shell_words;
	strcpy(r.output, "/not/there/out");
	assert_int_equal(run_named(&r, "calls", &err), TL_TOO_LARGE);
	recording_close(&r);
}

/* ---- asking all ---- */

struct offers {
	char text[2048];
	int stop_at;
};

static int take_offer(void *arg, const struct tl_recorder_offer *offer)
{
	struct offers *offers = arg;

	strcat(strcat(offers->text, offer->name), offer->possible ? "+ " : "- ");
	assert_true(offer->help[0] && offer->reason[0]);
	return --offers->stop_at == 0 ? 5 : 0;
}

TEST(all_are_asked_in_their_order_until_one_says_enough)
{
	struct offers offers = { .text = "" };
	struct tl_error err;
	struct recording r;
	size_t count = 0;

	run_shell(&r, "");
	assert_int_equal(tl_record_survey(&r.options, take_offer, &offers, &err), 0);
	/* what the shell can be: nothing has sleds or entries */
	assert_memory_equal(offers.text, "xray- calls+ patch- xray-basic- intel-pt", 40);
	assert_non_null(strstr(offers.text, " emulate- callgrind- xray-fdr- "));
	while (tl_recorder_name(count))
		count++;
	assert_int_equal(count, 8);
	assert_null(tl_recorder_name(9));
	assert_string_equal(tl_recorder_name(5), "emulate");
	offers = (struct offers){ .stop_at = 2 };
	assert_int_equal(tl_record_survey(&r.options, take_offer, &offers, &err), 5);
	assert_string_equal(offers.text, "xray- calls+ ");
	/* without a program: what the machine can */
	r.options.arguments = NULL;
	offers = (struct offers){ .stop_at = 2 };
	assert_int_equal(tl_record_survey(&r.options, take_offer, &offers, &err), 5);
	assert_string_equal(offers.text, "xray+ calls+ ");
	recording_close(&r);
}

TEST(a_program_with_rights_of_others_is_not_recorded)
{
	struct offers offers = { .text = "" };
	char path[TL_RECORD_PATH];
	struct tl_error err;
	struct recording r;

	put_script("privileged", "echo > $SAID");
	snprintf(path, sizeof(path), "%s/bin/privileged", home());
	assert_int_equal(chmod(path, 04755), 0);
	run_shell(&r, "");
	r.options.arguments = (const char *const[]){ "privileged", NULL };
	assert_int_equal(tl_record_survey(&r.options, take_offer, &offers, &err), 0);
	assert_null(strchr(offers.text, '+'));
	assert_int_equal(run_named(&r, NULL, &err), TL_BAD_USAGE);
	assert_non_null(strstr(err.text, "set-user-id"));
	assert_false(is_there(&r, "said"));
	remove_script("privileged");
	recording_close(&r);
}

/* ---- tools ---- */

/* Valgrind as far as it matters here: it says its words, and two processes leave a profile. */
#define VALGRIND                                                                                   \
	"echo \"$*\" > $SAID\n"                                                                    \
	"for word; do case $word in --callgrind-out-file=*) file=${word#*=};; esac; done\n"        \
	"echo totals: 1 > ${file%%%p}$$; echo totals: 2 > ${file%%%p}1; exit 6"

TEST(profiles_of_valgrind_are_taken)
{
	char expected[3 * TL_RECORD_PATH];
	struct tl_error err;
	struct recording r;

	put_script("valgrind", VALGRIND);
	run_shell(&r, "some script");
	assert_int_equal(run_named(&r, "callgrind", &err), 0);
	assert_int_equal(r.result.status, 6);
	snprintf(expected, sizeof(expected), "%s %s.callgrind-1", r.output, r.output);
	assert_string_equal(r.result.command, expected);
	assert_false(r.result.incomplete);
	expect_text(&r, "out", "totals: 1\n");
	expect_text(&r, "out.callgrind-1", "totals: 2\n");
	{
		char program[TL_RECORD_PATH];

		assert_non_null(realpath("/bin/sh", program));
		snprintf(expected, sizeof(expected),
			 "--tool=callgrind -q --dump-instr=yes "
			 "--callgrind-out-file=%s.callgrind-%%p %s -c some script\n",
			 r.output, program);
	}
	expect_text(&r, "said", expected);
	recording_close(&r);
	remove_script("valgrind");
}

/* A script is recorded by valgrind alone; the recording's name is made of the script's. */
TEST(the_first_recorder_that_can_is_taken)
{
	struct tl_error err;
	struct recording r;

	put_script("valgrind", VALGRIND);
	put_script("my-script", "exit 0");
	run_shell(&r, "");
	r.options.arguments = (const char *const[]){ "my-script", NULL };
	assert_int_equal(chdir(r.temp.directory), 0);
	r.options.output = NULL;
	assert_int_equal(
		tl_record_run(&r.options, take_line, &r.told, &r.result, sizeof(r.result), &err),
		0);
	assert_string_equal(r.told.lines, "callgrind: valgrind is here, and runs any program (not "
					  "AVX-512)\n");
	assert_string_equal(r.result.command,
			    "my-script.callgrind my-script.callgrind.callgrind-1");
	expect_text(&r, "my-script.callgrind", "totals: 1\n");
	remove_script("valgrind");
	/* without it none is left */
	assert_int_equal(run_named(&r, NULL, &err), TL_BAD_USAGE);
	assert_string_equal(err.text, "no recorder can record the program here; --list says why");
	assert_int_equal(chdir("/"), 0);
	remove_script("my-script");
	recording_close(&r);
}

TEST(a_tool_that_leaves_nothing_recorded_nothing)
{
	struct tl_error err;
	struct recording r;

	put_script("valgrind", "exit 1");
	run_shell(&r, "");
	assert_int_equal(run_named(&r, "callgrind", &err), 0);
	assert_false(r.result.recorded);
	assert_int_equal(r.result.status, 1);
	recording_close(&r);
	remove_script("valgrind");
	run_shell(&r, "");
	assert_int_equal(tl_record_run_callgrind(&r.session, &err), TL_IO);
	assert_string_equal(err.text, "the recorder's program is gone");
	recording_close(&r);
}

TEST(perf_writes_the_recording_itself)
{
	struct tl_error err;
	struct recording r;
	char expected[2 * TL_RECORD_PATH];

	put_script("perf", "echo \"$*\" > $SAID; echo data > $6");
	run_shell(&r, "x");
	assert_int_equal(tl_record_run_pt(&r.session, &err), 0);
	snprintf(expected, sizeof(expected), "record -q -e intel_pt//u -o %s -- /bin/sh -c x\n",
		 r.output);
	expect_text(&r, "said", expected);
	expect_text(&r, "out", "data\n");
	assert_string_equal(r.result.command, r.output);
	recording_close(&r);
	put_script("perf", "exit 1");
	run_shell(&r, "x");
	assert_int_equal(tl_record_run_pt(&r.session, &err), 0);
	assert_false(r.result.recorded);
	recording_close(&r);
	remove_script("perf");
}

/* ---- QEMU ---- */

static void name_emulator(struct tl_emulator *emulator)
{
	tl_emulator_find_x86(emulator);
	snprintf(emulator->qemu, sizeof(emulator->qemu), "%s/bin/qemu-x86_64", home());
	snprintf(emulator->plugin, sizeof(emulator->plugin), "/plugins,/of mine.so");
	snprintf(emulator->check, sizeof(emulator->check), "/bin/true");
}

TEST(qemu_has_the_plugin_with_its_folder_and_the_arguments)
{
	char expected[3 * TL_RECORD_PATH];
	struct tl_emulator emulator;
	struct tl_error err;
	struct recording r;

	name_emulator(&emulator);
	put_script("qemu-x86_64", "for word; do echo $word; done > $SAID; exit 42");
	run_shell(&r, "x");
	strcpy(r.parts, r.temp.directory);
	strcat(r.parts, "/a,b.parts");
	assert_int_equal(tl_emulate(&r.session, &emulator, &err), 0);
	assert_int_equal(r.result.status, 42);
	assert_false(r.result.recorded);
	snprintf(expected, sizeof(expected),
		 "-plugin\n/plugins,,/of "
		 "mine.so,folder=%s/a,,b.parts\n-0\n/bin/sh\n/bin/sh\n-c\nx\n",
		 r.temp.directory);
	expect_text(&r, "said", expected);
	assert_false(is_there(&r, "a,b.parts"));
	recording_close(&r);
	remove_script("qemu-x86_64");
	run_shell(&r, "x");
	assert_int_equal(tl_emulate(&r.session, &emulator, &err), TL_IO);
	assert_false(is_there(&r, "out.parts"));
	recording_close(&r);
}

TEST(what_the_plugin_leaves_becomes_the_recording)
{
	const struct tl_emulation_thread thread = thread_of(0);
	const struct folder folder = simple();
	struct tl_emulator emulator;
	struct perf_file file;
	struct tl_error err;
	struct recording r;

	name_emulator(&emulator);
	put_script("qemu-x86_64", "/bin/cp ${SAID%/*}/made/* ${2##*folder=}/; exit 1");
	run_shell(&r, "x");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(rename(r.parts, temp_path(&r.temp, "made")), 0);
	assert_int_equal(tl_emulate(&r.session, &emulator, &err), 0);
	assert_int_equal(r.result.status, 1);
	assert_string_equal(r.result.command, r.output);
	file = open_perf(&r);
	assert_int_equal(count_records(&file, AUXTRACE), 1);
	free(file.bytes);
	assert_false(is_there(&r, "out.parts"));
	remove_script("qemu-x86_64");
	recording_close(&r);
}

/* One that records nothing of the known program, or cannot be tried at all. */
TEST(a_qemu_that_does_something_else_is_not_trusted)
{
	char reason[TL_RECORD_TEXT] = "";
	struct tl_emulator emulator;
	struct temp cache;

	name_emulator(&emulator);
	temp_open(&cache);
	setenv("XDG_CACHE_HOME", cache.directory, 1);
	put_script("qemu-x86_64", "exit 42");
	assert_false(tl_emulate_is_trusted(&emulator, reason));
	assert_non_null(strstr(reason, "could not be recorded"));
	setenv("TMPDIR", "/not/there", 1);
	assert_false(tl_emulate_is_trusted(&emulator, reason));
	assert_string_equal(reason, "no folder to try QEMU in: No such file or directory");
	unsetenv("TMPDIR");
	assert_int_equal(temp_count(&cache), 0);
	unsetenv("XDG_CACHE_HOME");
	temp_close(&cache);
	remove_script("qemu-x86_64");
}

/* ---- a copy of this program in a folder of its own ---- */

static void copy_file(const char *from, const char *to)
{
	char bytes[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	for (ssize_t got; (got = read(in, bytes, sizeof(bytes))) != 0;)
		if (got < 0 || write(out, bytes, (size_t)got) != got)
			temp_fail(to);
	close(in);
	close(out);
}

/* Any library can stand for the run-time: that of C is loaded anyway. */
static void furnish(struct temp *temp)
{
	static const char *const folders[] = { "bin", "recorder" };
	char program[TL_RECORD_PATH];
	Dl_info library;

	for (size_t i = 0; i < 2; i++)
		if (mkdir(temp_path(temp, folders[i]), 0700))
			temp_fail(temp->path);
	self(program);
	copy_file(program, temp_path(temp, "test"));
	if (!dladdr((const void *)(uintptr_t)dlsym(RTLD_DEFAULT, "getpid"), &library) ||
	    symlink(library.dli_fname, temp_path(temp, "recorder/libtracelathe-record.so")))
		temp_fail("library");
}

static int run_copy(void)
{
	struct temp temp;
	char path[TL_RECORD_PATH];
	int status = 0;
	pid_t child;

	temp_open(&temp);
	furnish(&temp);
	snprintf(path, sizeof(path), "%s/bin:/usr/bin:/bin", temp.directory);
	setenv(HOME_VARIABLE, temp.directory, 1);
	child = fork();
	if (child == 0) {
		execl(temp_path(&temp, "test"), "test", (char *)NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	temp_close(&temp);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

/* What the program that is recorded does: the choice that it is given becomes $SAID. */
static int copy_choice(void)
{
	char path[TL_RECORD_PATH];

	snprintf(path, sizeof(path), "%s/functions", getenv(TL_RECORDING_FOLDER));
	copy_file(path, getenv("SAID"));
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_run_time_is_preloaded_and_told_by_the_environment),
		cmocka_unit_test(what_is_preloaded_already_stays_behind_the_run_time),
		cmocka_unit_test(the_flight_recorder_of_llvm_has_its_buffers),
		cmocka_unit_test(basic_mode_begins_by_itself),
		cmocka_unit_test(what_the_run_times_leave_is_taken),
		cmocka_unit_test(the_result_has_the_exit_status_or_128_and_the_signal),
		cmocka_unit_test(signals_are_handed_on_and_the_mask_is_as_before),
		cmocka_unit_test(a_program_that_cannot_be_run_leaves_nothing),
		cmocka_unit_test(functions_that_match_are_chosen_by_their_entries),
		cmocka_unit_test(the_run_time_reads_the_choice_in_its_folder),
		cmocka_unit_test(recorders_that_cannot_choose_functions_refuse),
		cmocka_unit_test(a_recorder_that_is_named_must_be_able_to),
		cmocka_unit_test(options_are_checked_before_anything_runs),
		cmocka_unit_test(all_are_asked_in_their_order_until_one_says_enough),
		cmocka_unit_test(a_program_with_rights_of_others_is_not_recorded),
		cmocka_unit_test(profiles_of_valgrind_are_taken),
		cmocka_unit_test(the_first_recorder_that_can_is_taken),
		cmocka_unit_test(a_tool_that_leaves_nothing_recorded_nothing),
		cmocka_unit_test(perf_writes_the_recording_itself),
		cmocka_unit_test(qemu_has_the_plugin_with_its_folder_and_the_arguments),
		cmocka_unit_test(what_the_plugin_leaves_becomes_the_recording),
		cmocka_unit_test(a_qemu_that_does_something_else_is_not_trusted),
	};
	char path[TL_RECORD_PATH];

	if (!home())
		return run_copy();
	if (argc > 1 && !strcmp(argv[1], "copy"))
		return copy_choice();
	/* nohup leaves it ignored, and a shell takes back no signal that it found ignored. */
	signal(SIGHUP, SIG_DFL);
	/* The tools of the tests and the shell's, none that this machine may have. */
	snprintf(path, sizeof(path), "%s/bin", home());
	setenv("PATH", path, 1);
	/* A program that is recorded has the sanitizer's run-time behind what is preloaded. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
