/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell of `query`, without a terminal: lines come from a script that stands in for those that
 * are typed (cli/shell/lines.h), statements go to a function that writes them down. And which names
 * the Tab key finds.
 */
#include "cli_test.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

#include <tracelathe/query.h>

#include "cli/shell/lines.h"
#include "cli/shell/names.h"
#include "cli/shell/shell.h"

/* ---- the script ---- */

static struct {
	const char *const *typed; /* NULL ends; CTRL_C is the key */
	char prompts[64];         /* a character a prompt: '>' of a statement, '.' within one */
	const char *lack;
	bool closed, fails;
} script;

static const char ctrl_c[] = "^C";

struct lines *lines_open(void)
{
	return script.fails ? NULL : calloc(1, sizeof(struct lines));
}

enum line_status lines_read(struct lines *lines, const char *prompt, const char **line)
{
	const size_t asked = strlen(script.prompts);

	assert_non_null(lines);
	assert_true(asked + 1 < sizeof(script.prompts));
	script.prompts[asked] = strstr(prompt, "tracelathe> ") ? '>' : '.';
	*line = *script.typed;
	if (!*line)
		return LINE_END;
	script.typed++;
	return *line == ctrl_c ? LINE_INTERRUPTED : LINE_READ;
}

void lines_close(struct lines *lines)
{
	script.closed = true;
	free(lines);
}

const char *lines_lack(void)
{
	return script.lack;
}

void lines_prepare(void)
{
}

/* ---- a session ---- */

struct session {
	char asked[1024]; /* "form:statement|" of each */
	char *printed, *said;
	struct shell shell;
};

static void write_down(void *arg, const char *sql, enum tl_report_form form)
{
	struct session *session = arg;
	const size_t used = strlen(session->asked);

	snprintf(session->asked + used, sizeof(session->asked) - used, "%d:%s|", (int)form, sql);
}

static void run_session(struct session *session, const char *const *typed)
{
	struct capture out, err;

	script.typed = typed;
	memset(script.prompts, 0, sizeof(script.prompts));
	script.closed = false;
	memset(session->asked, 0, sizeof(session->asked));
	if (!session->shell.answer)
		session->shell.answer = write_down;
	session->shell.arg = session;
	out = capture_begin(stdout);
	err = capture_begin(stderr);
	shell_run(&session->shell);
	session->said = capture_end(&err);
	session->printed = capture_end(&out);
}

static void end_session(struct session *session)
{
	free(session->said);
	free(session->printed);
}

/* What is asked of the query when these lines are typed; nothing is complained of. */
static void asks(const char *const *typed, const char *asked, const char *prompts)
{
	struct session session = { .asked = "" };

	run_session(&session, typed);
	assert_string_equal(session.asked, asked);
	assert_string_equal(script.prompts, prompts);
	assert_string_equal(session.said, "");
	assert_true(script.closed);
	end_session(&session);
}

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define TEXT "0:"

/* ---- statements ---- */

static void statements_end_with_a_semicolon(void **state)
{
	(void)state;
	asks(LINES("SELECT 1;"), TEXT "SELECT 1;\n|", ">>");
	asks(LINES("SELECT", "1", ";"), TEXT "SELECT\n1\n;\n|", ">..>");
	asks(LINES("SELECT 1;", "SELECT 2;"), TEXT "SELECT 1;\n|" TEXT "SELECT 2;\n|", ">>>");
	/* A semicolon in a text or a comment ends nothing (SQLite's sqlite3_complete()). */
	asks(LINES("SELECT ';", "';"), TEXT "SELECT ';\n';\n|", ">.>");
	asks(LINES("SELECT 1 -- ;", ";"), TEXT "SELECT 1 -- ;\n;\n|", ">.>");
}

static void the_end_ends_a_statement_too(void **state)
{
	(void)state;
	asks(LINES("SELECT 1"), TEXT "SELECT 1\n|", ">.");
	asks(LINES("SELECT 1;", "SELECT", "2"), TEXT "SELECT 1;\n|" TEXT "SELECT\n2\n|", ">>..");
}

static void empty_lines_are_of_a_statement_only(void **state)
{
	(void)state;
	asks(LINES("", " \t ", "\t"), "", ">>>>");
	asks(LINES("", "SELECT", "", " ", "1;"), TEXT "SELECT\n\n \n1;\n|", ">>...>");
}

static void ctrl_c_drops_what_was_typed(void **state)
{
	(void)state;
	asks(LINES("SELECT", ctrl_c, "VALUES(1);"), TEXT "VALUES(1);\n|", ">.>>");
	asks(LINES(ctrl_c, ctrl_c), "", ">>>");
	/* Nor does the end answer what was dropped. */
	asks(LINES("SELECT", ctrl_c), "", ">.>");
}

/* ---- commands ---- */

static void quitting(void **state)
{
	static const char *const words[] = { ".quit", ".exit", ".quit now", ".exit;" };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		asks(LINES("SELECT 1;", words[i], "SELECT 2;"), TEXT "SELECT 1;\n|", ">>");
	asks(LINES(words[2], "SELECT 2;"), "", ">");
	/* A dot within a statement is of the statement. */
	asks(LINES("SELECT", ".quit", ";"), TEXT "SELECT\n.quit\n;\n|", ">..>");
}

static void modes_are_forms_of_rows(void **state)
{
	static const struct {
		const char *line;
		enum tl_report_form form;
	} cases[] = {
		{ ".mode csv", TL_REPORT_CSV },       { ".mode json", TL_REPORT_JSON },
		{ ".mode box", TL_REPORT_TEXT },      { ".mode\tcsv", TL_REPORT_CSV },
		{ ".mode  \t json", TL_REPORT_JSON }, { ".mode csv ; ", TL_REPORT_CSV },
		{ ".mode csv;", TL_REPORT_CSV },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char asked[64];

		snprintf(asked, sizeof(asked), "%d:VALUES(1);\n|", (int)cases[i].form);
		asks(LINES(".mode json", cases[i].line, "VALUES(1);"), asked, ">>>>");
	}
}

/* What a command line says on standard error, when nothing else comes of it. */
static void complains(const char *line, const char *said)
{
	struct session session = { .asked = "" };

	run_session(&session, LINES(line, "VALUES(1);"));
	assert_string_equal(session.said, said);
	/* The shell goes on as before. */
	assert_string_equal(session.asked, TEXT "VALUES(1);\n|");
	end_session(&session);
}

static void wrong_commands_are_told(void **state)
{
	(void)state;
	complains(".mode", "tracelathe: .mode: must be box|csv|json\n");
	complains(".mode cs", "tracelathe: .mode: must be box|csv|json\n");
	complains(".timer", "tracelathe: .timer: must be on|off\n");
	complains(".timer o", "tracelathe: .timer: must be on|off\n");
	complains(".hel", "tracelathe: .hel is no command; .help lists those there are\n");
	complains(".helpx", "tracelathe: .helpx is no command; .help lists those there are\n");
	complains(". help", "tracelathe: . is no command; .help lists those there are\n");
	complains(".run no-such-query",
		  "tracelathe: .run: there is no ready query no-such-query\n");
	complains(".run ../functions", "tracelathe: .run: there is no ready query ../functions\n");
	complains(".schema nothing", "tracelathe: .schema: there is no table nothing\n");
}

/* All that a command prints, without the two lines of the greeting. */
static char *prints(const char *line)
{
	struct session session = { .asked = "" };
	static const char greeting[] =
		".help lists the commands, .tables the tables; statements end with a semicolon.\n";
	char *text;

	run_session(&session, LINES(line));
	assert_memory_equal(session.printed, greeting, strlen(greeting));
	text = strdup(session.printed + strlen(greeting));
	assert_non_null(text);
	/* The end of the lines is a line, so that the next prompt of a terminal begins one. */
	assert_string_equal(text + strlen(text) - 1, "\n");
	text[strlen(text) - 1] = '\0';
	end_session(&session);
	return text;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void help_has_a_line_for_each_command(void **state)
{
	char *text = prints(".help");
	size_t count = 0;

	(void)state;
	for (const struct shell_command_help *c = shell_commands; c->name; c++, count++) {
		char begin[64];
		const char *line;

		snprintf(begin, sizeof(begin), "%s %s", c->name, c->arguments);
		line = strstr(text, begin);
		assert_non_null(line);
		assert_true(line == text || line[-1] == '\n');
		/* The words begin in column 22. */
		assert_memory_equal(line + 22, c->help, strlen(c->help));
		assert_int_equal(line[22 + strlen(c->help)], '\n');
		assert_int_equal(line[21], ' ');
	}
	assert_int_equal(count_lines(text), count + 1);
	free(text);
}

/* Each command of the help is one, with the first of its arguments where it has to have one. */
static void each_command_of_the_help_is_known(void **state)
{
	(void)state;
	for (const struct shell_command_help *c = shell_commands; c->name; c++) {
		struct session session = { .asked = "" };

		run_session(&session, LINES(c->name));
		assert_null(strstr(session.said, "is no command"));
		end_session(&session);
	}
}

static void schema_of_one_table_and_of_all(void **state)
{
	size_t count = 0;
	char *one = prints(".schema functions"), *all = prints(".schema"),
	     *tables = prints(".tables");

	(void)state;
	assert_int_equal(count_lines(one), 1);
	assert_memory_equal(one, "functions(id INTEGER, ", 22);
	while (tl_query_table_info(count)) {
		const struct tl_query_table_info *table = tl_query_table_info(count++);
		char line[256];

		snprintf(line, sizeof(line), "%s(", table->name);
		assert_non_null(strstr(all, line));
		snprintf(line, sizeof(line), "%-14s%s\n", table->name, table->help);
		assert_non_null(strstr(tables, line));
	}
	assert_non_null(strstr(all, one));
	assert_int_equal(count_lines(all), count);
	assert_int_equal(count_lines(tables), count);
	free(one);
	free(all);
	free(tables);
}

enum { SLEPT_MS = 20 };

static void sleep_a_while(void *arg, const char *sql, enum tl_report_form form)
{
	const struct timespec slept = { .tv_nsec = SLEPT_MS * 1000000 };

	(void)arg, (void)sql, (void)form;
	assert_int_equal(nanosleep(&slept, NULL), 0);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* At least what the statement slept, and no more than the whole session took. */
static void the_timer_tells_seconds(void **state)
{
	static const struct {
		const char *lines[4];
		size_t told;
	} cases[] = {
		{ { "VALUES(1);" }, 0 },
		{ { ".timer on", "VALUES(1);" }, 1 },
		{ { ".timer on", "VALUES(1);", "VALUES(2);" }, 2 },
		{ { ".timer on", ".timer off", "VALUES(1);" }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct session session = { .shell = { .answer = sleep_a_while } };
		const double begin = now();
		double seconds, all;
		size_t told = 0;

		run_session(&session, cases[i].lines);
		all = now() - begin + 0.001; /* what is printed is rounded */
		for (const char *at = session.printed; at; at = strchr(at, '\n')) {
			char *end;

			at += *at == '\n';
			if (!isdigit((unsigned char)*at))
				continue;
			seconds = strtod(at, &end);
			assert_true(seconds >= (double)SLEPT_MS / 1000 && seconds <= all);
			assert_int_equal(end - strchr(at, '.'), 4);
			assert_memory_equal(end, " s\n", 3);
			told++;
		}
		assert_int_equal(told, cases[i].told);
		end_session(&session);
	}
}

/* ---- what the terminal lacks ---- */

static void what_is_lacking_is_said_first(void **state)
{
	struct session session = { .asked = "" };

	(void)state;
	script.lack = "no history";
	run_session(&session, LINES("VALUES(1);"));
	assert_memory_equal(session.printed, "no history\n.help lists ", 23);
	end_session(&session);
	script.lack = NULL;
}

static void without_lines_there_is_no_shell(void **state)
{
	struct session session = { .asked = "" };

	(void)state;
	script.fails = true;
	run_session(&session, LINES("VALUES(1);"));
	assert_string_equal(session.said, "tracelathe: the terminal cannot be used\n");
	assert_string_equal(session.printed, "");
	assert_string_equal(session.asked, "");
	script.fails = false;
	end_session(&session);
}

/* ---- Ctrl-C ---- */

/* Counts for ever, but for Ctrl-C, which comes when the first row is there. */
static void count_for_ever(void *arg, const char *sql, enum tl_report_form form)
{
	struct session *session = arg;
	struct tl_query *query = session->shell.query;
	struct tl_error err;
	int status;

	(void)form;
	write_down(arg, sql, TL_REPORT_TEXT);
	status = tl_query_start(query, sql, NULL, &err);
	assert_int_equal(status, 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	raise(SIGINT);
	/* SQLite looks at the interrupt every so many steps. */
	for (long i = 0; status == 1 && i < 10000000; i++)
		status = tl_query_next(query, &err);
	assert_int_equal(status, TL_IO);
	assert_int_equal(err.sys_errno, ECANCELED);
}

static void ctrl_c_stops_a_statement_and_not_the_shell(void **state)
{
	static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
				      "FROM n) SELECT i FROM n;";
	struct session session = { .shell.answer = count_for_ever };
	struct sigaction before = { .sa_handler = SIG_IGN }, after;
	struct tl_error err;

	(void)state;
	assert_int_equal(tl_query_open(&session.shell.query, &err), 0);
	sigaction(SIGINT, &before, NULL);
	run_session(&session, LINES(endless, endless));
	assert_true(session.asked[strlen(session.asked) / 2 - 1] == '|');
	sigaction(SIGINT, NULL, &after);
	assert_ptr_equal(after.sa_handler, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	end_session(&session);
	tl_query_close(session.shell.query);
}

/* Between statements the signal has nothing to stop. */
static void interrupt_at_rest(void *arg, const char *sql, enum tl_report_form form)
{
	struct session *session = arg;

	write_down(arg, sql, form);
	session->shell.query = NULL;
	raise(SIGINT);
}

static void ctrl_c_without_a_query_is_harmless(void **state)
{
	struct session session = { .shell.answer = interrupt_at_rest };

	(void)state;
	run_session(&session, LINES("VALUES(1);"));
	assert_string_equal(session.asked, TEXT "VALUES(1);\n|");
	end_session(&session);
}

/* ---- names ---- */

static void words_begin(void **state)
{
	static const struct {
		const char *line;
		size_t start;
	} cases[] = {
		{ "", 0 },           { "a", 0 },         { "SELECT na", 7 }, { "SELECT ", 7 },
		{ ".sch", 0 },       { ".", 0 },         { "a.b", 2 },       { "x a.fun", 4 },
		{ "count(du", 6 },   { "a1_2", 0 },      { "a+b_c", 2 },     { " .x", 2 },
		{ "SELECT \"e", 8 }, { "\303\251t", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(word_start(cases[i].line, strlen(cases[i].line)), cases[i].start);
	/* What stands behind the cursor is not looked at. */
	assert_int_equal(word_start("SELECT name", 4), 0);
	assert_int_equal(word_start("a bcd", 3), 2);
}

struct found {
	size_t count;
	char names[256][48];
};

static void take_name(void *arg, const char *name, size_t size)
{
	struct found *found = arg;

	assert_true(found->count < 256 && size < sizeof(found->names[0]));
	memcpy(found->names[found->count], name, size);
	found->names[found->count++][size] = '\0';
}

static struct found names_of(const char *line)
{
	struct found found = { .count = 0 };

	match_names(line, strlen(line), take_name, &found);
	return found;
}

static bool has(const struct found *found, const char *name)
{
	for (size_t i = 0; i < found->count; i++)
		if (!strcmp(found->names[i], name))
			return true;
	return false;
}

static void commands_are_completed_at_the_start(void **state)
{
	struct found found = names_of(".t");

	(void)state;
	assert_int_equal(found.count, 2);
	assert_string_equal(found.names[0], ".tables");
	assert_string_equal(found.names[1], ".timer");
	found = names_of(".timer");
	assert_int_equal(found.count, 1);
	found = names_of(".timers");
	assert_int_equal(found.count, 0);
	found = names_of(".");
	assert_int_equal(found.count, 8);
	/* Behind another word a dot is that of a schema. */
	found = names_of("a.t");
	assert_false(has(&found, ".tables"));
	assert_true(has(&found, "threads"));
}

static void tables_columns_and_keywords_are_completed(void **state)
{
	struct found found = names_of("SELECT incl");

	(void)state;
	assert_true(found.count > 1);
	for (size_t i = 0; i < found.count; i++)
		assert_string_equal(found.names[i], "inclusive");
	found = names_of("sel");
	assert_true(has(&found, "SELECT"));
	assert_true(has(&found, "self"));
	assert_false(has(&found, "samples"));
	found = names_of("SELECT * FROM FUNC");
	assert_true(has(&found, "functions"));
	assert_true(has(&found, "function"));
	found = names_of("SELECT * FROM functions_");
	assert_int_equal(found.count, 0);
	found = names_of("SELECT 1 LIMI");
	assert_int_equal(found.count, 1);
	assert_string_equal(found.names[0], "LIMIT");
}

/* All tables, and their columns but those that are typed in quotes. */
static void nothing_typed_matches_everything(void **state)
{
	struct found *found = calloc(1, sizeof(*found));
	size_t columns = 0, quoted = 0;

	(void)state;
	assert_non_null(found);
	match_names("SELECT ", 7, take_name, found);
	for (size_t i = 0; tl_query_table_info(i); i++) {
		const struct tl_query_table_info *table = tl_query_table_info(i);

		assert_true(has(found, table->name));
		columns++;
		for (const char *at = table->columns; at; at = strchr(at, ',')) {
			at += *at == ',' ? 2 : 0;
			columns++;
			quoted += *at == '"';
		}
	}
	assert_true(quoted > 0);
	assert_false(has(found, "end") || has(found, "\"end\""));
	assert_true(has(found, "WITH") && has(found, "ALL"));
	/* 53 words of SQL stand behind them. */
	assert_int_equal(found->count, columns - quoted + 53);
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_end_with_a_semicolon),
		cmocka_unit_test(the_end_ends_a_statement_too),
		cmocka_unit_test(empty_lines_are_of_a_statement_only),
		cmocka_unit_test(ctrl_c_drops_what_was_typed),
		cmocka_unit_test(quitting),
		cmocka_unit_test(modes_are_forms_of_rows),
		cmocka_unit_test(wrong_commands_are_told),
		cmocka_unit_test(help_has_a_line_for_each_command),
		cmocka_unit_test(each_command_of_the_help_is_known),
		cmocka_unit_test(schema_of_one_table_and_of_all),
		cmocka_unit_test(the_timer_tells_seconds),
		cmocka_unit_test(what_is_lacking_is_said_first),
		cmocka_unit_test(without_lines_there_is_no_shell),
		cmocka_unit_test(ctrl_c_stops_a_statement_and_not_the_shell),
		cmocka_unit_test(ctrl_c_without_a_query_is_harmless),
		cmocka_unit_test(words_begin),
		cmocka_unit_test(commands_are_completed_at_the_start),
		cmocka_unit_test(tables_columns_and_keywords_are_completed),
		cmocka_unit_test(nothing_typed_matches_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
