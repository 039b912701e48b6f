/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shell/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <tracelathe/query.h>

#include "cli/options/ready.h"

static const char *const keywords[] = {
	"ALL",    "AND",    "AS",           "ASC",       "AVG",    "BETWEEN",   "BY",
	"CASE",   "CAST",   "COUNT",        "CROSS",     "DESC",   "DISTINCT",  "ELSE",
	"END",    "EXCEPT", "EXISTS",       "EXPLAIN",   "FILTER", "FROM",      "GLOB",
	"GROUP",  "HAVING", "IN",           "INTERSECT", "IS",     "JOIN",      "LEFT",
	"LIKE",   "LIMIT",  "MATERIALIZED", "MAX",       "MIN",    "NOT",       "NULL",
	"OFFSET", "ON",     "OR",           "ORDER",     "OVER",   "PARTITION", "RECURSIVE",
	"SELECT", "SUM",    "THEN",         "TOTAL",     "UNION",  "USING",     "VALUES",
	"WHEN",   "WHERE",  "WINDOW",       "WITH",
};

const struct shell_command_help shell_commands[] = {
	{ ".help", "", "this list" },
	{ ".mode", "box|csv|json", "how rows are shown" },
	{ ".queries", "", "the ready queries" },
	{ ".quit", "", "end, as Ctrl-D does" },
	{ ".run", "NAME", "a ready query" },
	{ ".schema", "[TABLE]", "tables with their columns" },
	{ ".tables", "", "tables with what their rows are" },
	{ ".timer", "on|off", "how long statements take" },
	{ NULL, NULL, NULL },
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t word_start(const char *line, size_t size)
{
	/* A dot begins a command at the start of a line; elsewhere it ends the name of a schema. */
	const bool is_command = size && *line == '.';
	size_t at = size;

	while (at && (is_command ? line[at - 1] != ' ' : is_word(line[at - 1])))
		at--;
	return at;
}

struct matching {
	const char *word;
	size_t size;
	name_fn *tell;
	void *arg;
};

static void try_name(const struct matching *m, const char *name, size_t size)
{
	if (size >= m->size && !strncasecmp(name, m->word, m->size))
		m->tell(m->arg, name, size);
}

/* The names in "id INTEGER, name TEXT, ..."; those in quotes are typed with them. */
static void try_columns(const struct matching *m, const char *columns)
{
	while (*columns) {
		const char *end = strchrnul(columns, ',');

		if (*columns != '"')
			try_name(m, columns, strcspn(columns, " ,"));
		columns = *end ? end + 2 : end;
	}
}

/* ---- what follows a command ---- */

static void try_tables(const struct matching *m)
{
	const struct tl_query_table_info *table;

	for (size_t i = 0; (table = tl_query_table_info(i)); i++)
		try_name(m, table->name, strlen(table->name));
}

static void try_ready_query(void *arg, const char *name, size_t size)
{
	try_name(arg, name, size);
}

/* The words in "one|two|three". */
static void try_choices(const struct matching *m, const char *choices)
{
	while (*choices) {
		size_t size = strcspn(choices, "|");

		try_name(m, choices, size);
		choices += size + (choices[size] == '|');
	}
}

/* A command takes one word: before `start` there is the command's alone, which a blank ends. */
static void try_arguments(struct matching *m, const char *line, size_t start)
{
	const struct shell_command_help *c = shell_commands;
	size_t size = strcspn(line, " "), blanks = size;

	while (blanks < start && line[blanks] == ' ')
		blanks++;
	while (c->name && (strlen(c->name) != size || strncmp(c->name, line, size) != 0))
		c++;
	if (!c->name || blanks != start)
		return;
	if (!strcmp(c->arguments, "[TABLE]"))
		try_tables(m);
	else if (!strcmp(c->arguments, "NAME"))
		each_ready_query(try_ready_query, m);
	else
		try_choices(m, c->arguments);
}

/* ---- all of them ---- */

void match_names(const char *line, size_t size, name_fn *tell, void *arg)
{
	size_t start = word_start(line, size);
	struct matching m = { line + start, size - start, tell, arg };
	const struct tl_query_table_info *table;

	if (size && *line == '.' && !start) {
		for (const struct shell_command_help *c = shell_commands; c->name; c++)
			try_name(&m, c->name, strlen(c->name));
		return;
	}
	if (size && *line == '.') {
		try_arguments(&m, line, start);
		return;
	}
	for (size_t i = 0; (table = tl_query_table_info(i)); i++) {
		try_name(&m, table->name, strlen(table->name));
		try_columns(&m, table->columns);
	}
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		try_name(&m, keywords[i], strlen(keywords[i]));
}
