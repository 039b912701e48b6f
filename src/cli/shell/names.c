/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shell/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <tracelathe/query.h>

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
	size_t at = size;

	while (at && is_word(line[at - 1]))
		at--;
	/* A dot begins a command at the start of a line; elsewhere it ends the name of a schema. */
	return at == 1 && *line == '.' ? 0 : at;
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

void match_names(const char *line, size_t size, name_fn *tell, void *arg)
{
	size_t start = word_start(line, size);
	const struct matching m = { line + start, size - start, tell, arg };
	const struct tl_query_table_info *table;

	if (size && *line == '.' && !start) {
		for (const struct shell_command_help *c = shell_commands; c->name; c++)
			try_name(&m, c->name, strlen(c->name));
		return;
	}
	for (size_t i = 0; (table = tl_query_table_info(i)); i++) {
		try_name(&m, table->name, strlen(table->name));
		try_columns(&m, table->columns);
	}
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		try_name(&m, keywords[i], strlen(keywords[i]));
}
