/* SPDX-License-Identifier: Apache-2.0 */
/* tracelathe query: which arguments are files and which one is SQL; without SQL, the shell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracelathe/query.h>

#include "cli/commands/job.h"
#include "cli/confine/confine.h"
#include "cli/options/ready.h"
#include "cli/shell/lines.h"
#include "cli/shell/shell.h"

enum { STEP = 1 << 16, LONGEST_TEXT = 1 << 26 };

/* ---- arguments ---- */

static bool is_file_name(const char *argument)
{
	return !access(argument, F_OK);
}

/* SQL has a blank between its words; a file of that name is a file all the same. */
static bool is_statement(const char *argument)
{
	return strpbrk(argument, " \t\n;") && !is_file_name(argument);
}

/* Take an argument out of the list of files. */
static void drop_path(struct settings *settings, size_t number)
{
	settings->paths.list.count--;
	for (; number < settings->paths.list.count; number++)
		settings->paths.items[number] = settings->paths.items[number + 1];
}

/*
 * The statement is the last argument that is none of the files; "-" behind a file stands for those
 * on standard input. @return NULL: there is none
 */
static const char *take_statement(struct settings *settings)
{
	size_t count = settings->paths.list.count;
	const char *last = count ? settings->paths.items[count - 1] : "";

	if (!is_statement(last) && (count < 2 || strcmp(last, "-")))
		return NULL;
	settings->paths.list.count--;
	return last;
}

/* The name of a ready query may stand before the files or behind them. NULL: there is none. */
static char *take_ready(struct settings *settings)
{
	const size_t count = settings->paths.list.count, places[] = { count - 1, 0 };

	for (size_t i = 0; count > 1 && i < sizeof(places) / sizeof(places[0]); i++) {
		const char *name = settings->paths.items[places[i]];
		char *text = is_file_name(name) ? NULL : ready_query(name);

		if (!text)
			continue;
		drop_path(settings, places[i]);
		return text;
	}
	return NULL;
}

/* All of standard input, terminated. NULL: it was told why. */
static char *read_statements(struct command_job *job)
{
	char *text = NULL, *grown;
	size_t size = 0;
	ssize_t got;

	do {
		grown = size < LONGEST_TEXT ? realloc(text, size + STEP + 1) : NULL;
		if (!grown) {
			complain(job->command->name, "the statements are too long");
			free(text);
			return NULL;
		}
		text = grown;
		got = read(STDIN_FILENO, text + size, STEP);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[size] = '\0';
	if (got == 0 && strlen(text) == size)
		return text;
	complain(job->command->name,
		 got ? "standard input cannot be read" : "the statements have a NUL byte");
	free(text);
	return NULL;
}

/* ---- answers ---- */

static int answer(struct command_job *job, struct tl_query *query, const char *sql,
		  struct tl_error *err)
{
	int status = tl_query_print(query, sql, report_form(job->settings), job->out, err);

	progress_end(job->progress);
	if (status < 0)
		complain_query(job, query);
	return status;
}

/* ---- the shell ---- */

struct shell_answers {
	struct command_job *job;
	struct tl_query *query;
	uint64_t damage; /* that was told */
};

static uint64_t damage_met(const struct tl_query *query)
{
	struct tl_input *input;
	uint64_t count = 0;

	for (size_t i = 0; (input = tl_query_input(query, i)); i++)
		count += tl_input_damage_count(input, NULL);
	return count;
}

/* Each answer is written at once; new damage is told behind the first statement that met it. */
static void answer_in_shell(void *arg, const char *sql, enum tl_report_form form)
{
	struct shell_answers *s = arg;
	struct command_job *job = s->job;
	struct tl_output *out;
	struct tl_error err;
	uint64_t damage;
	int status;

	fflush(stdout);
	progress_begin(job->progress, job->settings->output.progress);
	status = tl_output_open(&out, NULL, &err);
	if (status == 0) {
		status = tl_query_print(s->query, sql, form, out, &err);
		progress_end(job->progress);
		tl_output_commit(out, NULL);
	}
	if (status < 0)
		complain(NULL, "%s",
			 *tl_query_message(s->query) ? tl_query_message(s->query) : err.text);
	damage = damage_met(s->query);
	if (damage > s->damage)
		warn_inputs(job, s->query);
	s->damage = damage;
}

static int run_shell(struct command_job *job, struct tl_query *query)
{
	struct shell_answers answers = { job, query, 0 };
	struct shell shell = {
		.query = query,
		.form = report_form(job->settings),
		.answer = answer_in_shell,
		.arg = &answers,
	};

	shell_run(&shell);
	return 0;
}

/* Without a statement: the shell, if there are people who type and read. */
static bool is_interactive(const struct settings *settings)
{
	return !is_file(settings->output.path) && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* ---- the command ---- */

static int ask(struct command_job *job, const char *sql, struct tl_error *err)
{
	struct tl_query *query;
	int status;

	if (!sql)
		lines_prepare();
	job->error_shown = !confine(job->settings, CONFINE_FILES_ONLY);
	if (job->error_shown)
		return TL_NO_MEMORY;
	status = tl_query_open(&query, err);
	if (status == 0)
		status = add_inputs(job, query, 1, err);
	if (status == 0 && sql)
		status = answer(job, query, sql, err);
	else if (status == 0)
		status = run_shell(job, query);
	if (query && sql && !(status < 0 && job->settings->input.strict))
		warn_inputs(job, query);
	tl_query_close(query);
	return status;
}

static int list_queries(void)
{
	if (list_ready_queries())
		return close_stdout(EXIT_CLEAN);
	complain("query", "there are no ready queries where they are looked for; the manual says "
			  "where that is");
	return EXIT_DAMAGED;
}

const char *query_statement(struct settings *settings, char **text)
{
	const char *sql = take_statement(settings);

	*text = sql ? NULL : take_ready(settings);
	return sql ? sql : *text;
}

int cmd_query(struct command_job *job, struct tl_error *err)
{
	const char *sql;
	char *text;
	int status = TL_BAD_USAGE;

	if (job->settings->query.list)
		return list_queries();
	progress_end(job->progress);
	sql = query_statement(job->settings, &text);
	if (!sql && is_interactive(job->settings))
		return ask(job, NULL, err);
	if (!sql || !strcmp(sql, "-"))
		sql = text = read_statements(job);
	if (sql)
		status = ask(job, sql, err);
	else
		job->error_shown = true;
	free(text);
	return status;
}
