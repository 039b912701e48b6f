/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts: the overview, and the options of a command. */
#include <stdio.h>
#include <string.h>

#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "cli/help/help.h"
#include "cli/options/option.h"
#include "cli/options/words.h"

enum { WIDTH = 80, OPTION_COLUMN = 28, COMMAND_COLUMN = 12, FORMAT_COLUMN = 16 };

/* Print words, wrapped, from column `at` on with `indent` blanks before further lines. */
static void help_wrap(const char *text, unsigned at, unsigned indent)
{
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > indent && at + 1 + word > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)word, text);
		at += (unsigned)word;
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void put_brief(void)
{
	const char *before = "  also: ";

	for (const struct command *command = commands; command->name; command++) {
		if (!command->brief)
			continue;
		printf("%s%s", before, command->name);
		before = ", ";
	}
	putchar('\n');
}

/* Print a word, on a new line if it does not fit; returns the next column. */
static int put_word(const char *word, int column)
{
	const int width = (int)strlen(word) + 1;

	if (column + width <= WIDTH)
		return column + printf(" %s", word);
	return printf("\n %s", word) - 1;
}

static void put_format_names(void)
{
	const struct tl_format_info *format;
	int column = printf("formats:");
	char word[64];

	for (size_t i = 0; (format = tl_format_info(i)); i++) {
		snprintf(word, sizeof(word), "%s%s", format->name,
			 tl_format_info(i + 1) ? "," : "");
		column = put_word(word, column);
	}
	put_word("(.zst .gz .xz .lz4; -)", column);
	putchar('\n');
}

void help_overview(void)
{
	puts("tracelathe - turn any execution trace into a profile you can read\n"
	     "usage: tracelathe COMMAND [OPTIONS] FILE; tracelathe COMMAND --help; --version\n");
	for (const struct command *command = commands; command->name; command++)
		if (!command->brief)
			printf("  %-*s%s\n", COMMAND_COLUMN - 2, command->name, command->help);
	put_brief();
	puts("\n  tracelathe report --binary ./prog xray-log     where did the time go?\n"
	     "  tracelathe tree --top-down xray-log            the call tree\n"
	     "  tracelathe timeline -o out.perfetto xray-log   for ui.perfetto.dev\n");
	put_format_names();
}

/* ---- one command ---- */

/* The words of a value, in lines of 80 columns; a line ends behind a '|'. */
static void put_words(const char *line)
{
	enum { INDENT = 11 };
	int column = 0;

	while (column + (int)strlen(line) > WIDTH) {
		int size = WIDTH - column;

		while (size > 1 && line[size - 1] != '|')
			size--;
		printf("%.*s\n%*s", size, line, INDENT, "");
		line += size;
		column = INDENT;
	}
	fputs(line, stdout);
}

static void put_option(const struct option_row *row)
{
	char letter[4] = "   ", left[128];
	int length;

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c,", row->letter);
	length = snprintf(left, sizeof(left), "  %s --%s%s%s", letter, row->name,
			  value_is_needed(row) ? " " : "", row->argument ? row->argument : "");
	if (length < OPTION_COLUMN - 1) {
		printf("%-*s", OPTION_COLUMN, left);
	} else {
		put_words(left);
		printf("\n%*s", OPTION_COLUMN, "");
	}
	help_wrap(row->help, OPTION_COLUMN, OPTION_COLUMN);
}

static void put_name(const char *name, const char *help)
{
	printf("  %-*s", FORMAT_COLUMN - 2, name);
	help_wrap(help, FORMAT_COLUMN, FORMAT_COLUMN);
}

static void put_targets(bool reencode)
{
	const struct tl_format_info *format;
	const struct tl_trace_target *target;

	puts("\nformats of --to:");
	for (const struct tl_exporter *const *exporter = tl_exporters(); *exporter; exporter++)
		put_name((*exporter)->name, (*exporter)->help);
	if (reencode)
		put_name("sqlite", "the tables of `query` as a database of SQLite");
	for (size_t i = 0; reencode && (format = tl_format_info(i)); i++)
		if (format->written && !tl_exporter_find(format->name))
			put_name(format->name, "the trace itself, record for record");
	for (size_t i = 0; reencode && (target = tl_trace_target(i)); i++)
		put_name(target->name, target->help);
}

static void put_formats(void)
{
	const struct tl_format_info *format;

	puts("\nformats of --format:");
	for (size_t i = 0; (format = tl_format_info(i)); i++)
		put_name(format->name, format->help);
}

static void put_examples(const struct command *command)
{
	puts("\nexamples:");
	for (size_t i = 0; i < MOST_EXAMPLES && command->examples[i].line; i++)
		printf("  # %s\n  %s\n", command->examples[i].says, command->examples[i].line);
}

static void put_options(const struct command *command, bool all)
{
	unsigned hidden = 0;

	puts("\noptions:");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit && !(row->commands & C_ONE_FORMAT))
			put_option(row);
		else
			hidden += (row->commands & command->bit) != 0;
	if (!hidden)
		return;
	if (!all) {
		printf("\n%u more options are for traces of one format: tracelathe %s --help "
		       "--all\n",
		       hidden, command->name);
		return;
	}
	puts("\noptions for traces of one format:");
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit && row->commands & C_ONE_FORMAT)
			put_option(row);
}

void help_command(const struct command *command, bool all)
{
	printf("usage: tracelathe %s [OPTIONS] %s\n\n", command->name, command->arguments);
	help_wrap(command->text, 0, 0);
	put_options(command, all);
	if (command->bit & (C_CONVERT | C_MERGE))
		put_targets(command->bit & C_CONVERT);
	if (command->bit & C_READERS)
		put_formats();
	put_examples(command);
	if (command->replaces)
		printf("\nyou may know this as %s\n", command->replaces);
	if (command->files != FILES_NONE)
		printf("\nexit status: 0 all good; 1 something was skipped or a check failed;\n"
		       "             2 nothing usable%s\n",
		       command->bit & C_DIFF ? "; 3 --fail-above" : "");
}
