/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command lets itself open (SECURITY.md), in a folder that stands for a home, and that the
 * kernel holds it to that.
 */
#include "cli_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../temp_fixture.h"
#include "cli/confine/confine.h"

/* Where a build with counters writes what was executed: nowhere else. */
#ifndef TL_COUNTERS
#define TL_COUNTERS ""
#endif

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(temp_path(&temp, name), 0700), 0);
}

static int set_up(void **state)
{
	static const char *const folders[] = { "home",   "home/work", "home/.debug", "home/.secret",
					       "traces", "out",       "sysroot" };

	temp_setup(state);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folders[i]);
	temp_write(&temp, "traces/log", "x", 1);
	temp_write(&temp, "home/log", "x", 1);
	temp_write(&temp, "home/.secret/key", "x", 1);
	assert_int_equal(symlink("traces/log", temp_path(&temp, "link")), 0);
	setenv("HOME", temp_path(&temp, "home"), 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("TRACELATHE_QUERIES");
	return 0;
}

/* The places of a command line in which @ stands for the folder. */
static struct confine_places places_of(const char *line)
{
	struct confine_places places = { .error = 0 };
	char whole[512] = "", room[512];
	struct settings settings;

	for (; *line; line++) {
		size_t used = strlen(whole);

		if (*line == '@')
			snprintf(whole + used, sizeof(whole) - used, "%s", temp.directory);
		else
			snprintf(whole + used, sizeof(whole) - used, "%c", *line);
	}
	assert_true(parse_into(&settings, room, whole));
	places_find(&places, &settings);
	assert_int_equal(places.error, 0);
	settings_free(&settings);
	return places;
}

/* 0: not there; 1: to read; 2: to write. */
static int has(const struct confine_places *places, const char *path)
{
	int access = 0;

	for (size_t i = 0; i < places->found.list.count; i++)
		if (!strcmp(places->found.items[i].path, path) &&
		    access < 1 + (places->found.items[i].access == CONFINE_WRITE))
			access = 1 + (places->found.items[i].access == CONFINE_WRITE);
	return access;
}

static int has_own(const struct confine_places *places, const char *name)
{
	return has(places, temp_path(&temp, name));
}

/* "the files of the command line and what stands beside them, unless their folder is one like /" */
static void inputs_with_what_stands_beside_them(void **state)
{
	struct confine_places places = places_of("report @/traces/log @/home/log");

	(void)state;
	assert_int_equal(has_own(&places, "traces"), 1);
	assert_int_equal(has_own(&places, "traces/log"), 0);
	/* a home is not opened as a whole */
	assert_int_equal(has_own(&places, "home"), 0);
	assert_int_equal(has_own(&places, "home/log"), 1);
	places_free(&places);
	places = places_of("report /etc/hostname @/link");
	assert_int_equal(has(&places, "/etc"), 0);
	assert_int_equal(has(&places, "/etc/hostname"), 1);
	/* a link, and where it leads */
	assert_int_equal(has_own(&places, "link"), 1);
	assert_int_equal(has_own(&places, "traces"), 1);
	places_free(&places);
	/* a folder is what it is; standard input is no file */
	places = places_of("report @/traces -");
	assert_int_equal(has_own(&places, "traces"), 1);
	assert_int_equal(has(&places, "-"), 0);
	places_free(&places);
}

static void outputs_may_be_written_where_they_are(void **state)
{
	struct confine_places places = places_of("report -o @/out/table @/traces/log");

	(void)state;
	assert_int_equal(has_own(&places, "out"), 2);
	assert_int_equal(has_own(&places, "out/table"), 2);
	assert_int_equal(has_own(&places, "traces"), 1);
	places_free(&places);
	places = places_of("report @/traces/log");
	assert_int_equal(has_own(&places, "out"), 0);
	places_free(&places);
}

static void what_options_name_may_be_read(void **state)
{
	struct confine_places places = places_of(
		"annotate --sysroot @/sysroot --source-dir @/out --binary @/traces/log x");

	(void)state;
	assert_int_equal(has_own(&places, "sysroot"), 1);
	assert_int_equal(has_own(&places, "out"), 1);
	assert_int_equal(has_own(&places, "traces"), 1);
	places_free(&places);
}

/* Programs and sources of a home, and nothing hidden but where those are. */
static void hidden_folders_stay_closed(void **state)
{
	struct confine_places places = places_of("report @/traces/log");

	(void)state;
	assert_int_equal(has_own(&places, "home/work"), 1);
	assert_int_equal(has_own(&places, "home/.debug"), 1);
	assert_int_equal(has_own(&places, "home/.secret"), 0);
	assert_int_equal(has(&places, "//usr"), 1);
	assert_int_equal(has(&places, "/etc"), 0);
	assert_int_equal(has(&places, "/root"), 0);
	assert_int_equal(has(&places, "/proc"), 0);
	assert_int_equal(has(&places, "/dev/null"), 2);
	assert_int_equal(has(&places, "/dev"), 0);
	places_free(&places);
}

static void variables_say_where_own_files_are(void **state)
{
	struct confine_places places = places_of("report @/traces/log");

	(void)state;
	assert_int_equal(has_own(&places, "home/.config/tracelathe"), 1);
	assert_int_equal(has_own(&places, "home/.local/state/tracelathe"), 2);
	places_free(&places);
	setenv("XDG_CONFIG_HOME", temp_path(&temp, "c"), 1);
	setenv("XDG_STATE_HOME", temp_path(&temp, "s"), 1);
	setenv("TRACELATHE_QUERIES", temp_path(&temp, "q"), 1);
	places = places_of("report @/traces/log");
	assert_int_equal(has_own(&places, "c/tracelathe"), 1);
	assert_int_equal(has_own(&places, "s/tracelathe"), 2);
	assert_int_equal(has_own(&places, "q"), 1);
	assert_int_equal(has_own(&places, "home/.config/tracelathe"), 0);
	assert_int_equal(has_own(&places, "home/.local/state/tracelathe"), 0);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	unsetenv("TRACELATHE_QUERIES");
	places_free(&places);
}

static void temporary_files_may_be_written(void **state)
{
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;
	struct confine_places places;

	(void)state;
	unsetenv("TMPDIR");
	places = places_of("report @/traces/log");
	assert_int_equal(has(&places, "/tmp"), 2);
	places_free(&places);
	setenv("TMPDIR", temp_path(&temp, "out"), 1);
	places = places_of("report @/traces/log");
	assert_int_equal(has_own(&places, "out"), 2);
	places_free(&places);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

/* ---- what the kernel does about it ---- */

enum { KERNEL_HAS_NONE = 77 };

static bool opens(const char *name, int flags)
{
	int fd = open(temp_path(&temp, name), flags | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Exit status of a child that runs this. */
static int in_a_child(int (*run)(void))
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		/* Who is not root needs it, as confine() does. */
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(run());
	}
	assert_true(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int files_only(void)
{
	const struct confine_place items[] = {
		{ strdup(temp_path(&temp, "traces")), CONFINE_READ },
		{ strdup(temp_path(&temp, "out")), CONFINE_WRITE },
		{ strdup(temp_path(&temp, "none")), CONFINE_READ },
		{ strdup(temp_path(&temp, "traces/log")), CONFINE_READ },
		{ strdup(TL_COUNTERS), CONFINE_WRITE },
	};
	struct confine_places places = { .error = 0 };

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		struct confine_place *place = list_add(&places.found.list, sizeof(*place));

		*place = items[i];
	}
	if (!confine_files(&places))
		return KERNEL_HAS_NONE;
	places_free(&places);
	return !opens("traces/log", O_RDONLY)            ? 1
	       : opens("traces/log", O_WRONLY)           ? 2
	       : opens("traces/new", O_WRONLY | O_CREAT) ? 3
	       : !opens("out/new", O_WRONLY | O_CREAT)   ? 4
	       : opens("home/.secret/key", O_RDONLY)     ? 5
	       : opens("log", O_WRONLY | O_CREAT)        ? 6
							 : 0;
}

static int the_kernel_knows_both(void)
{
	struct confine_places places = { .error = 0 };

	return confine_files(&places) && confine_calls(CONFINE_FILES_ONLY) ? 0 : KERNEL_HAS_NONE;
}

static void the_kernel_opens_these_alone(void **state)
{
	int status = in_a_child(files_only);

	(void)state;
	if (status == KERNEL_HAS_NONE)
		skip();
	assert_int_equal(status, 0);
}

static int without_network(void)
{
	/* Landlock or seccomp, each asks for this. */
	if (!confine_calls(CONFINE_FILES_ONLY))
		return KERNEL_HAS_NONE;
	if (!opens("traces/log", O_RDONLY))
		return 1;
	socket(AF_INET, SOCK_STREAM, 0);
	return 2;
}

static int without_programs(void)
{
	char *const arguments[] = { "true", NULL };

	if (!confine_calls(CONFINE_FILES_ONLY))
		return KERNEL_HAS_NONE;
	execv("/bin/true", arguments);
	return 2;
}

/* "socket, exec and ptrace kill" */
static void calls_that_no_reader_needs_kill(void **state)
{
	int (*const runs[])(void) = { without_network, without_programs };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int status = in_a_child(runs[i]);

		if (status == KERNEL_HAS_NONE)
			skip();
		assert_int_equal(status, 128 + SIGSYS);
	}
}

/* ---- all of it, as a command asks for it ---- */

static int confined(enum confine_need need)
{
	struct settings settings;
	char room[512], line[512];

	snprintf(line, sizeof(line), "report %s", temp_path(&temp, "traces/log"));
	if (!parse_into(&settings, room, line))
		return 1;
	settings.files.scratch = TL_COUNTERS;
	/* Else all of this test's folder could be written, as it is a temporary one. */
	setenv("TMPDIR", temp_path(&temp, "out"), 1);
	if (!confine(&settings, need))
		return 2;
	settings_free(&settings);
	return !opens("traces/log", O_RDONLY)            ? 3
	       : opens("traces/new", O_WRONLY | O_CREAT) ? 4
	       : open("/etc/passwd", O_RDONLY) >= 0      ? 5
							 : 0;
}

static int reads(void)
{
	return confined(CONFINE_FILES_ONLY);
}

static int makes_a_socket(void)
{
	int status = confined(CONFINE_FILES_ONLY);

	if (!status)
		socket(AF_INET, SOCK_STREAM, 0);
	return status ? status : KERNEL_HAS_NONE;
}

static int serves(void)
{
	int status = confined(CONFINE_SERVES);

	return status ? status : socket(AF_INET, SOCK_STREAM, 0) < 0 ? 6 : 0;
}

static void a_command_is_confined_as_it_needs(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* confine() does nothing in such builds */
#endif
	if (in_a_child(the_kernel_knows_both))
		skip();
	assert_int_equal(in_a_child(reads), 0);
	assert_int_equal(in_a_child(makes_a_socket), 128 + SIGSYS);
	/* "the server of view makes its socket" */
	assert_int_equal(in_a_child(serves), 0);
}

static int unconfined(void)
{
	struct settings settings;
	char room[512], line[512];

	snprintf(line, sizeof(line), "report --no-sandbox %s", temp_path(&temp, "traces/log"));
	if (!parse_into(&settings, room, line) || !confine(&settings, CONFINE_FILES_ONLY))
		return 1;
	return open("/etc/passwd", O_RDONLY) < 0 ? 2 : socket(AF_INET, SOCK_STREAM, 0) < 0 ? 3 : 0;
}

static void without_a_sandbox_all_is_as_before(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(unconfined), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_with_what_stands_beside_them),
		cmocka_unit_test(outputs_may_be_written_where_they_are),
		cmocka_unit_test(what_options_name_may_be_read),
		cmocka_unit_test(hidden_folders_stay_closed),
		cmocka_unit_test(variables_say_where_own_files_are),
		cmocka_unit_test(temporary_files_may_be_written),
		cmocka_unit_test(the_kernel_opens_these_alone),
		cmocka_unit_test(calls_that_no_reader_needs_kill),
		cmocka_unit_test(a_command_is_confined_as_it_needs),
		cmocka_unit_test(without_a_sandbox_all_is_as_before),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
