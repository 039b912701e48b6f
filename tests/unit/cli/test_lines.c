/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that are typed on a terminal (cli/shell/lines.h with libedit): keys go to one end of a
 * pseudo-terminal, a process at the other end tells which lines it has read.
 */
#include "cli_test.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "../temp_fixture.h"
#include "cli/shell/lines.h"

/* ---- the process at the terminal ---- */

/*
 * The prompt has the number of the line: keys are not typed before they are read as such, and a
 * prompt that is drawn again is not the next one.
 */
static const char prompt[] = "line %u> ";

static void on_interrupt(int number)
{
	(void)number;
}

/* Tell "L:text|" of a line, "I|" of Ctrl-C, "E|" of the end, which is the last. */
static void tell_lines(int told)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	struct lines *lines = lines_open();
	enum line_status status = LINE_READ;
	const char *line;
	char asked[24];

	if (!lines)
		_exit(9);
	sigaction(SIGINT, &action, NULL);
	for (unsigned i = 1; status != LINE_END; i++) {
		snprintf(asked, sizeof(asked), prompt, i);
		status = lines_read(lines, asked, &line);
		if (status == LINE_READ)
			dprintf(told, "L:%s|", line);
		else
			dprintf(told, status == LINE_END ? "E|" : "I|");
	}
	lines_close(lines);
	/* Not exit(): memory of the tests that it was copied with would be a leak. */
	_exit(0);
}

struct terminal {
	int keys, told;
	pid_t child;
	unsigned lines; /* prompts that were awaited */
	size_t used;
	char shown[16384]; /* what the terminal was given */
};

static void begin(struct terminal *terminal)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int ends[2];

	*terminal = (struct terminal){ .used = 0 };
	assert_int_equal(pipe(ends), 0);
	setenv("TERM", "vt100", 1);
	terminal->child = forkpty(&terminal->keys, NULL, NULL, &size);
	assert_true(terminal->child >= 0);
	if (!terminal->child) {
		close(ends[0]);
		tell_lines(ends[1]);
	}
	close(ends[1]);
	terminal->told = ends[0];
}

/* Read what is shown until it has the text; false: it has not come within ten seconds. */
static bool shows(struct terminal *terminal, const char *text)
{
	struct pollfd output = { .fd = terminal->keys, .events = POLLIN };
	char bytes[1024];

	while (!strstr(terminal->shown, text)) {
		ssize_t got;

		if (poll(&output, 1, 10000) <= 0)
			return false;
		got = read(terminal->keys, bytes, sizeof(bytes));
		assert_true(terminal->used + sizeof(bytes) < sizeof(terminal->shown));
		if (got <= 0)
			return false;
		/* Zeros give an old terminal time. */
		for (ssize_t i = 0; i < got; i++)
			if (bytes[i])
				terminal->shown[terminal->used++] = bytes[i];
		terminal->shown[terminal->used] = '\0';
	}
	return true;
}

/* libedit prints the prompt before it takes keys: until then the kernel edits the line. */
static void await_keys(const struct terminal *terminal)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	struct termios state;

	for (int i = 0; i < 50000; i++) {
		assert_int_equal(tcgetattr(terminal->keys, &state), 0);
		if (!(state.c_lflag & ICANON))
			return;
		nanosleep(&moment, NULL);
	}
	fail_msg("the line is not edited");
}

/* The next line is awaited: its prompt is there, and what was shown before is forgotten. */
static void await_prompt(struct terminal *terminal)
{
	char asked[24], *found;

	snprintf(asked, sizeof(asked), prompt, ++terminal->lines);
	assert_true(shows(terminal, asked));
	found = strstr(terminal->shown, asked) + strlen(asked);
	terminal->used -= (size_t)(found - terminal->shown);
	memmove(terminal->shown, found, terminal->used + 1);
	await_keys(terminal);
}

static void type(struct terminal *terminal, const char *keys)
{
	assert_int_equal(write(terminal->keys, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* What the process has told, when it has ended. */
static const char *end(struct terminal *terminal)
{
	static char told[2048];
	struct pollfd output = { .fd = terminal->keys, .events = POLLIN };
	size_t used = 0;
	char rest[1024];
	int status;

	for (ssize_t got; (got = read(terminal->told, told + used, sizeof(told) - 1 - used)) > 0;)
		used += (size_t)got;
	told[used] = '\0';
	/* A terminal with output that nobody reads may keep the process. */
	while (poll(&output, 1, 0) > 0 && read(terminal->keys, rest, sizeof(rest)) > 0)
		;
	assert_int_equal(waitpid(terminal->child, &status, 0), terminal->child);
	assert_int_equal(status, 0);
	close(terminal->keys);
	close(terminal->told);
	return told;
}

#define CTRL_A "\001"
#define CTRL_D "\004"
#define CTRL_R "\022"
#define RUBOUT "\177"
#define UP "\033[A"
#define TAB "\t"
#define ENTER "\n"

/* Each of the keys is typed behind a prompt; then comes the end. */
static void types(const char *const *keys, const char *told)
{
	struct terminal terminal;

	begin(&terminal);
	for (; *keys; keys++) {
		await_prompt(&terminal);
		type(&terminal, *keys);
	}
	await_prompt(&terminal);
	type(&terminal, CTRL_D);
	assert_string_equal(end(&terminal), told);
}

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Each test has a history of its own, which is empty. */
static int new_history(void **state)
{
	static int number;
	char name[32];

	(void)state;
	snprintf(name, sizeof(name), "state%d", ++number);
	setenv("XDG_STATE_HOME", temp_path(&temp, name), 1);
	setenv("HOME", temp.directory, 1);
	lines_prepare();
	return 0;
}

/* ---- lines ---- */

static void lines_are_read(void **state)
{
	(void)state;
	types(KEYS("one" ENTER, "two words" ENTER, ENTER, " ;" ENTER),
	      "L:one|L:two words|L:|L: ;|E|");
}

static void lines_are_edited(void **state)
{
	(void)state;
	types(KEYS("onx" RUBOUT "e" ENTER, "bc" CTRL_A "a" ENTER), "L:one|L:abc|E|");
}

/* Characters of several bytes are one key; bytes that are none are left out. */
static void characters_of_the_encoding(void **state)
{
	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	types(KEYS("gr\303\274n\303\274" RUBOUT ENTER, "a\377b" ENTER), "L:gr\303\274n|L:ab|E|");
	unsetenv("LC_ALL");
}

/* ---- the history ---- */

static void the_last_lines_come_back(void **state)
{
	(void)state;
	types(KEYS("one" ENTER, "two" ENTER, UP ENTER, UP UP " more" ENTER),
	      "L:one|L:two|L:two|L:one more|E|");
}

/* Lines of blanks are not remembered. */
static void empty_lines_do_not(void **state)
{
	(void)state;
	types(KEYS("one" ENTER, " " ENTER, ENTER, UP ENTER), "L:one|L: |L:|L:one|E|");
}

static void the_history_is_kept(void **state)
{
	(void)state;
	types(KEYS("from before" ENTER), "L:from before|E|");
	types(KEYS(UP ENTER), "L:from before|E|");
	/* another user's, or none, is another one */
	new_history(NULL);
	types(KEYS(UP "x" ENTER), "L:x|E|");
}

/* The folder is of the user alone (XDG Base Directory Specification: 0700). */
static void the_folder_is_made(void **state)
{
	struct stat folder;
	char path[600];

	(void)state;
	snprintf(path, sizeof(path), "%s/tracelathe", getenv("XDG_STATE_HOME"));
	assert_int_equal(stat(path, &folder), 0);
	assert_true(S_ISDIR(folder.st_mode));
	assert_int_equal(folder.st_mode & 0777, 0700);
}

/* Without a place for it lines are remembered as long as the process is there. */
static void without_a_place(void **state)
{
	(void)state;
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	lines_prepare();
	types(KEYS("one" ENTER, UP ENTER), "L:one|L:one|E|");
	types(KEYS(UP "two" ENTER), "L:two|E|");
}

/* ---- completion ---- */

static void the_only_name_is_typed(void **state)
{
	(void)state;
	types(KEYS(".qui" TAB ENTER, "select 1 limi" TAB "2" ENTER, ".schema instr" TAB ENTER),
	      "L:.quit |L:select 1 LIMIT 2|L:.schema instructions |E|");
}

/* What all names have in common is typed; if that is nothing, they are shown. */
static void several_names(void **state)
{
	struct terminal terminal;

	(void)state;
	begin(&terminal);
	await_prompt(&terminal);
	type(&terminal, ".t" TAB);
	assert_true(shows(&terminal, ".tables  .timer\r\n"));
	/* and what was typed is there again */
	assert_true(shows(&terminal, "line 1> .t"));
	type(&terminal, "i" TAB "on" ENTER);
	await_prompt(&terminal);
	/* a column and a word of SQL, which is the same in capitals, are one name */
	type(&terminal, "ma" TAB);
	assert_true(shows(&terminal, "max  "));
	assert_null(strstr(terminal.shown, "MAX"));
	type(&terminal, "t" TAB ENTER);
	await_prompt(&terminal);
	type(&terminal, "incl" TAB ENTER);
	await_prompt(&terminal);
	/* names of one length are two */
	type(&terminal, "cas" TAB);
	assert_true(shows(&terminal, "CASE  CAST\r\n"));
	type(&terminal, "t" ENTER);
	await_prompt(&terminal);
	type(&terminal, CTRL_D);
	assert_string_equal(end(&terminal), "L:.timer on|L:MATERIALIZED |L:inclusive |L:cast|E|");
	/* .queries and .quit: ".qu", and then the one that is meant */
	types(KEYS(".q" TAB "i" TAB ENTER, ".q" TAB "e" TAB ENTER), "L:.quit |L:.queries |E|");
}

static void no_name(void **state)
{
	(void)state;
	types(KEYS("xyzzy" TAB "1" ENTER, ".xyzzy" TAB ENTER), "L:xyzzy1|L:.xyzzy|E|");
}

/* ---- Ctrl-C ---- */

static void ctrl_c_drops_a_line(void **state)
{
	(void)state;
	types(KEYS("half a li\003", "a line" ENTER, "\003", "b" ENTER), "I|L:a line|I|L:b|E|");
}

/* A window of another size is no line, and none of what was typed is lost. */
static void the_window_changes(void **state)
{
	const struct winsize size = { .ws_row = 10, .ws_col = 40 };
	struct terminal terminal;

	(void)state;
	begin(&terminal);
	await_prompt(&terminal);
	type(&terminal, "abc");
	assert_true(shows(&terminal, "abc"));
	assert_int_equal(ioctl(terminal.keys, TIOCSWINSZ, &size), 0);
	kill(terminal.child, SIGWINCH);
	type(&terminal, "def" ENTER);
	await_prompt(&terminal);
	type(&terminal, CTRL_D);
	assert_string_equal(end(&terminal), "L:abcdef|E|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lines_are_read, new_history),
		cmocka_unit_test_setup(lines_are_edited, new_history),
		cmocka_unit_test_setup(characters_of_the_encoding, new_history),
		cmocka_unit_test_setup(the_last_lines_come_back, new_history),
		cmocka_unit_test_setup(empty_lines_do_not, new_history),
		cmocka_unit_test_setup(the_history_is_kept, new_history),
		cmocka_unit_test_setup(the_folder_is_made, new_history),
		cmocka_unit_test_setup(without_a_place, new_history),
		cmocka_unit_test_setup(the_only_name_is_typed, new_history),
		cmocka_unit_test_setup(several_names, new_history),
		cmocka_unit_test_setup(no_name, new_history),
		cmocka_unit_test_setup(ctrl_c_drops_a_line, new_history),
		cmocka_unit_test_setup(the_window_changes, new_history),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
