/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and programs beside those of the command line: where indexes are kept, which files of a
 * list are read with others of it, and the browser of the desktop.
 */
#include "cli_test.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../temp_fixture.h"
#include "cli/options/index_file.h"
#include "cli/options/partners.h"
#include "cli/terminal/browser.h"
#include "cli/terminal/own_files.h"

/* ---- indexes ---- */

/* "kept for inputs of more than 256 MiB" */
enum { KEPT = 256 << 20 };

static void make_sparse(const char *name, off_t size)
{
	temp_write(&temp, name, "", 0);
	assert_int_equal(truncate(temp_path(&temp, name), size), 0);
}

/* The index of the files of a line, in which @ stands for the folder; to free(). */
static char *index_of(const char *options, const char *const *names, size_t count)
{
	char line[1024];
	char *made;
	struct settings settings;
	char room[512];

	snprintf(line, sizeof(line), "view %s", options);
	for (size_t i = 0; i < count; i++) {
		strcat(line, " ");
		strcat(line, temp_path(&temp, names[i]));
	}
	assert_true(parse_into(&settings, room, line));
	index_file_prepare(&settings);
	made = index_file(&settings, settings.paths.items, settings.paths.list.count);
	settings_free(&settings);
	return made;
}

static void large_inputs_have_an_index(void **state)
{
	static const char *const large[] = { "large", "other" },
				 *const turned[] = { "other", "large" },
				 *const linked[] = { "link", "other" };
	struct stat folder;
	char *first, *again, *second, *third, *fourth;

	(void)state;
	setenv("XDG_CACHE_HOME", temp_path(&temp, "cache"), 1);
	make_sparse("large", KEPT);
	make_sparse("other", 1);
	assert_int_equal(symlink("large", temp_path(&temp, "link")), 0);
	/* 256 MiB are not more than that, and none of these asks for a folder */
	assert_null(index_of("", large, 1));
	assert_null(index_of("", large + 1, 1));
	assert_null(index_of("--no-index", large, 2));
	assert_int_equal(stat(temp_path(&temp, "cache"), &folder), -1);
	/* one byte more, of another file */
	first = index_of("", large, 2);
	assert_non_null(first);
	assert_ptr_equal(strstr(first, temp_path(&temp, "cache/tracelathe/")), first);
	assert_string_equal(first + strlen(first) - strlen(".index"), ".index");
	/* the folder is there, for its owner alone */
	assert_int_equal(stat(temp_path(&temp, "cache/tracelathe"), &folder), 0);
	assert_int_equal(folder.st_mode & 0777, 0700);
	/* the same files have the same index, also by a link; in another order, another */
	again = index_of("", large, 2);
	second = index_of("", turned, 2);
	third = index_of("", linked, 2);
	make_sparse("large", KEPT + 1);
	fourth = index_of("", large, 1);
	assert_string_equal(first, again);
	assert_string_not_equal(first, second);
	assert_string_equal(first, third);
	assert_non_null(fourth);
	assert_string_not_equal(first, fourth);
	free(first);
	free(again);
	free(second);
	free(third);
	free(fourth);
	/* the one that is named is taken for any input */
	first = index_of("--index here", large + 1, 1);
	assert_string_equal(first, "here");
	free(first);
	unsetenv("XDG_CACHE_HOME");
}

/* "A relative path is not one", as XDG says. */
static void own_folders_are_absolute(void **state)
{
	const char *home = getenv("HOME");
	char *kept = home ? strdup(home) : NULL, *path;

	(void)state;
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/home/me", 1);
	path = own_file(&own_cache, "a");
	assert_string_equal(path, "/home/me/.cache/tracelathe/a");
	free(path);
	unsetenv("XDG_STATE_HOME");
	path = own_file(&own_state, "a");
	assert_string_equal(path, "/home/me/.local/state/tracelathe/a");
	free(path);
	setenv("HOME", "me", 1);
	assert_null(own_file(&own_cache, "a"));
	unsetenv("HOME");
	assert_null(own_file(&own_cache, "a"));
	unsetenv("XDG_CACHE_HOME");
	if (kept)
		setenv("HOME", kept, 1);
	free(kept);
}

/* ---- files that are read with others ---- */

#define STREAM "xtrace.1.0.hint9.xinsndata.bin"
#define SNAPSHOT "xtrace.1.0.hint9.xsnapshot.bin"
#define OTHER "xtrace.1.1.hint9.xsnapshot.bin"

static void files_of_one_trace_are_named_once(void **state)
{
	static const struct {
		const char *given, *left;
	} cases[] = {
		{ STREAM " " SNAPSHOT, STREAM },
		{ SNAPSHOT " " STREAM, STREAM },
		/* compressed or not, one of them or both */
		{ STREAM ".zst " SNAPSHOT ".gz", STREAM ".zst" },
		{ STREAM " " SNAPSHOT ".xz", STREAM },
		/* of another stream, in another folder, alone */
		{ STREAM " " OTHER, STREAM " " OTHER },
		{ "a/" STREAM " b/" SNAPSHOT, "a/" STREAM " b/" SNAPSHOT },
		{ SNAPSHOT " " OTHER, SNAPSHOT " " OTHER },
		{ STREAM " notes.txt", STREAM " notes.txt" },
		/* a stream in numbered files is read from the first of them */
		{ STREAM ".0 " STREAM ".1 " SNAPSHOT, STREAM ".0" },
		{ STREAM ".10 " STREAM ".9 " STREAM ".2", STREAM ".2" },
		{ STREAM ".1.zst " STREAM ".0.zst", STREAM ".0.zst" },
		{ STREAM " " STREAM ".1", STREAM },
		/* what only looks like a number, or like a suffix */
		{ STREAM ".0 " STREAM ".1x", STREAM ".0 " STREAM ".1x" },
		{ STREAM ".0 " STREAM "_1", STREAM ".0 " STREAM "_1" },
		{ STREAM ".d/a " SNAPSHOT, STREAM ".d/a " SNAPSHOT },
		{ "a/" STREAM ".0 b/" STREAM ".1", "a/" STREAM ".0 b/" STREAM ".1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char given[512], left[512] = "";
		char *argv[MOST_ARGUMENTS];
		LIST_OF(const char *) paths = { .items = NULL };
		int count;

		strcpy(given, cases[i].given);
		count = split(given, argv);
		/* what stands before `begin` stays */
		*(const char **)list_add(&paths.list, sizeof(*paths.items)) = SNAPSHOT;
		for (int j = 0; j < count; j++)
			*(const char **)list_add(&paths.list, sizeof(*paths.items)) = argv[j];
		assert_true(settings_drop_partners(&paths.list, 1));
		assert_string_equal(paths.items[0], SNAPSHOT);
		for (size_t j = 1; j < paths.list.count; j++) {
			strcat(left, j > 1 ? " " : "");
			strcat(left, paths.items[j]);
		}
		assert_string_equal(left, cases[i].left);
		list_free(&paths.list);
	}
}

/* ---- the browser ---- */

/* A program of the name in front of PATH, which writes its argument where the test waits for it. */
static void put_in_front(const char *name)
{
	static const char text[] = "#!/bin/sh\nprintf %s \"$1\" >\"${0%/*}/opened.new\"\n"
				   "mv \"${0%/*}/opened.new\" \"${0%/*}/opened\"\n";
	char path[1024];

	temp_write(&temp, name, text, sizeof(text) - 1);
	assert_int_equal(chmod(temp_path(&temp, name), 0700), 0);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", temp.directory);
	setenv("PATH", path, 1);
}

static void a_desktop_opens_the_address(void **state)
{
	static const char url[] = "http://127.0.0.1:8080/?key=0123";
	struct browser browser;
	char *opened;
	size_t size;
	int status;

	(void)state;
	put_in_front("xdg-open");
	setenv("DISPLAY", ":0", 1);
	browser_begin(&browser);
	assert_true(browser.child > 0);
	browser_open(&browser, url);
	assert_int_equal(waitpid(browser.child, &status, 0), browser.child);
	assert_int_equal(status, 0);
	opened = temp_read(temp_path(&temp, "opened"), &size);
	assert_non_null(opened);
	assert_string_equal(opened, url);
	free(opened);
	browser_end(&browser);
}

static void a_server_that_fails_opens_nothing(void **state)
{
	struct browser browser;

	(void)state;
	unlink(temp_path(&temp, "opened"));
	unsetenv("DISPLAY");
	setenv("WAYLAND_DISPLAY", "wayland-0", 1);
	browser_begin(&browser);
	assert_true(browser.child > 0);
	browser_end(&browser);
	/* the child has ended, or does so now that its pipe is closed */
	assert_true(waitpid(browser.child, NULL, 0) == browser.child || errno == ECHILD);
	assert_int_equal(access(temp_path(&temp, "opened"), F_OK), -1);
	/* without a desktop there is no child, and the address is for nobody */
	unsetenv("WAYLAND_DISPLAY");
	browser_begin(&browser);
	assert_int_equal(browser.child, 0);
	browser_open(&browser, "http://127.0.0.1/");
	browser_end(&browser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_inputs_have_an_index),
		cmocka_unit_test(own_folders_are_absolute),
		cmocka_unit_test(files_of_one_trace_are_named_once),
		cmocka_unit_test(a_desktop_opens_the_address),
		cmocka_unit_test(a_server_that_fails_opens_nothing),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
