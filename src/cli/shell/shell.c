/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shell/shell.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/options/ready.h"
#include "cli/shell/lines.h"
#include "cli/shell/names.h"
#include "cli/terminal/messages.h"

static const char first_prompt[] = "tracelathe> ", next_prompt[] = "       ...> ";

/* ---- Ctrl-C ---- */

/* What Ctrl-C stops; read by the signal handler. */
static struct tl_query *volatile running;

static void on_interrupt(int number)
{
	(void)number;
	if (running)
		tl_query_interrupt(running);
}

static void answer(struct shell *shell, const char *sql)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	running = shell->query;
	shell->answer(shell->arg, sql, shell->form);
	running = NULL;
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (shell->timer)
		printf("%.3f s\n", (double)(to.tv_sec - from.tv_sec) +
					   (double)(to.tv_nsec - from.tv_nsec) / 1e9);
}

/* ---- commands ---- */

static void show_help(struct shell *shell, const char *argument)
{
	(void)shell;
	(void)argument;
	for (const struct shell_command_help *c = shell_commands; c->name; c++) {
		int used = printf("%s %s", c->name, c->arguments);

		printf("%*s%s\n", used < 22 ? 22 - used : 1, "", c->help);
	}
	puts("Anything else is SQL and ends with a semicolon; Ctrl-C stops it.");
}

static void set_mode(struct shell *shell, const char *argument)
{
	static const struct {
		const char *name;
		enum tl_report_form form;
	} forms[] = { { "box", TL_REPORT_TEXT },
		      { "csv", TL_REPORT_CSV },
		      { "json", TL_REPORT_JSON } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(forms[i].name, argument)) {
			shell->form = forms[i].form;
			return;
		}
	complain(NULL, ".mode: must be box|csv|json");
}

static void set_timer(struct shell *shell, const char *argument)
{
	if (!strcmp(argument, "on") || !strcmp(argument, "off"))
		shell->timer = !strcmp(argument, "on");
	else
		complain(NULL, ".timer: must be on|off");
}

static void show_tables(struct shell *shell, const char *argument)
{
	const struct tl_query_table_info *table;

	(void)shell;
	(void)argument;
	for (size_t i = 0; (table = tl_query_table_info(i)); i++)
		printf("%-14s%s\n", table->name, table->help);
}

static void show_schema(struct shell *shell, const char *argument)
{
	const struct tl_query_table_info *table;
	bool found = false;

	(void)shell;
	for (size_t i = 0; (table = tl_query_table_info(i)); i++) {
		if (*argument && strcmp(argument, table->name) != 0)
			continue;
		printf("%s(%s)\n", table->name, table->columns);
		found = true;
	}
	if (!found)
		complain(NULL, ".schema: there is no table %s", argument);
}

static void show_queries(struct shell *shell, const char *argument)
{
	(void)shell;
	(void)argument;
	if (!list_ready_queries())
		complain(NULL, ".queries: there are none");
}

static void run_ready(struct shell *shell, const char *argument)
{
	char *text = ready_query(argument);

	if (text)
		answer(shell, text);
	else
		complain(NULL, ".run: there is no ready query %s", argument);
	free(text);
}

static void quit(struct shell *shell, const char *argument)
{
	(void)argument;
	shell->quit = true;
}

static const struct {
	const char *name;
	void (*run)(struct shell *shell, const char *argument);
} rows[] = {
	{ ".help", show_help },     { ".mode", set_mode },      { ".queries", show_queries },
	{ ".quit", quit },          { ".exit", quit },          { ".run", run_ready },
	{ ".schema", show_schema }, { ".tables", show_tables }, { ".timer", set_timer },
};

/* ".mode csv" */
static void run_command_line(struct shell *shell, const char *line)
{
	const size_t size = strcspn(line, " \t");
	const char *argument = line + size + strspn(line + size, " \t");
	char *word = strndup(argument, strcspn(argument, " \t;"));

	for (size_t i = 0; word && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].name) == size && !strncmp(line, rows[i].name, size)) {
			rows[i].run(shell, word);
			free(word);
			return;
		}
	complain(NULL, "%.*s is no command; .help lists those there are", (int)size, line);
	free(word);
}

/* ---- statements ---- */

/* What was typed of a statement. */
struct typed {
	char *text;
	size_t size;
};

static void forget(struct typed *typed)
{
	free(typed->text);
	*typed = (struct typed){ .text = NULL };
}

static bool add_line(struct typed *typed, const char *line)
{
	size_t size = strlen(line);
	char *grown = realloc(typed->text, typed->size + size + 2);

	if (!grown)
		return false;
	memcpy(grown + typed->size, line, size);
	memcpy(grown + typed->size + size, "\n", 2);
	typed->text = grown;
	typed->size += size + 1;
	return true;
}

static void take_line(struct shell *shell, struct typed *typed, const char *line)
{
	if (!typed->size && *line == '.') {
		run_command_line(shell, line);
		return;
	}
	if (!typed->size && !line[strspn(line, " \t")])
		return;
	if (!add_line(typed, line)) {
		complain(NULL, "out of memory");
		forget(typed);
	} else if (tl_query_complete(typed->text)) {
		answer(shell, typed->text);
		forget(typed);
	}
}

static void take_lines(struct shell *shell, struct lines *lines)
{
	struct typed typed = { .text = NULL };
	enum line_status status = LINE_READ;
	const char *line;

	while (!shell->quit && status != LINE_END) {
		status = lines_read(lines, typed.size ? next_prompt : first_prompt, &line);
		if (status == LINE_READ)
			take_line(shell, &typed, line);
		else
			putchar('\n');
		if (status == LINE_INTERRUPTED)
			forget(&typed);
		fflush(stdout);
	}
	/* The end ends a statement as well as a semicolon. */
	if (typed.size)
		answer(shell, typed.text);
	forget(&typed);
}

void shell_run(struct shell *shell)
{
	struct sigaction action = { .sa_handler = on_interrupt }, old;
	struct lines *lines = lines_open();

	if (!lines) {
		complain(NULL, "the terminal cannot be used");
		return;
	}
	if (lines_lack())
		puts(lines_lack());
	puts(".help lists the commands, .tables the tables; statements end with a semicolon.");
	sigaction(SIGINT, &action, &old);
	take_lines(shell, lines);
	sigaction(SIGINT, &old, NULL);
	lines_close(lines);
}
