/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages in man(7) macros, made from the same tables as the help. */
#include <stdio.h>

#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "cli/help/help.h"
#include "cli/options/option.h"

/* Text as roff: hyphens are literal, no line is a request, no character is an escape. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '`' || *text == '\'')
			fputs(*text == '`' ? "\\(ga" : "\\(aq", stdout);
		else
			putchar(*text);
	}
}

static void put_line(const char *before, const char *text, const char *after)
{
	fputs(before, stdout);
	put(text);
	puts(after);
}

static void put_upper(const char *text)
{
	for (; *text; text++)
		putchar(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

static void put_title(const struct command *command)
{
	fputs(".TH \"TRACELATHE", stdout);
	if (command) {
		putchar('-');
		put_upper(command->name);
	}
	printf("\" 1 \"\" \"tracelathe %s\" \"tracelathe\"\n", tl_version());
}

static void put_option(const struct option_row *row)
{
	fputs(".TP\n", stdout);
	if (row->letter)
		printf("\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", stdout);
	put(row->name);
	fputs("\\fR", stdout);
	if (row->argument) {
		fputs(value_is_optional(row) ? "\\fI" : " \\fI", stdout);
		put(row->argument);
		fputs("\\fR", stdout);
	}
	put_line("\n", row->help, "");
}

static void put_tagged(const char *tag, const char *text)
{
	put_line(".TP\n\\fB", tag, "\\fR");
	put_line("", text, "");
}

static void put_examples(const struct command *command)
{
	puts(".SH EXAMPLES");
	for (size_t i = 0; i < MOST_EXAMPLES && command->examples[i].line; i++) {
		put_line(".TP\n", command->examples[i].says, "");
		put_line(".B ", command->examples[i].line, "");
	}
}

static void put_status(const struct command *command)
{
	puts(".SH EXIT STATUS\n"
	     ".TP\n.B 0\nall good\n"
	     ".TP\n.B 1\na result was given, but something was skipped or a check failed; "
	     "standard error says what\n"
	     ".TP\n.B 2\nnothing usable, bad usage, or the output could not be written");
	if (command && command->bit & C_DIFF)
		puts(".TP\n.B 3\n"
		     "the total or a row grew by more than\n.B \\-\\-fail\\-above\nallows");
}

static void put_see_also(const struct command *self)
{
	const char *gap = "";

	puts(".SH SEE ALSO");
	if (self) {
		fputs(".BR tracelathe (1)", stdout);
		gap = ",\n";
	}
	for (const struct command *command = commands; command->name; command++) {
		if (command == self)
			continue;
		printf("%s.BR tracelathe\\-%s (1)", gap, command->name);
		gap = ",\n";
	}
	putchar('\n');
}

/* The options of a command of which the mask has this value of C_ONE_FORMAT. */
static void put_options(const struct command *command, unsigned one_format)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit && (row->commands & C_ONE_FORMAT) == one_format)
			put_option(row);
}

static void command_page(const struct command *command)
{
	put_title(command);
	printf(".SH NAME\ntracelathe\\-%s \\- ", command->name);
	put_line("", command->help, "");
	printf(".SH SYNOPSIS\n.B tracelathe %s\n[\\fIOPTIONS\\fR] ", command->name);
	put_line("\\fI", command->arguments, "\\fR");
	puts(".SH DESCRIPTION");
	put_line("", command->text, "");
	if (command->replaces)
		put_line(".PP\nYou may know this as ", command->replaces, ".");
	puts(".SH OPTIONS");
	put_options(command, 0);
	if (command->bit & C_READERS) {
		puts(".SH OPTIONS FOR TRACES OF ONE FORMAT");
		put_options(command, C_ONE_FORMAT);
	}
	if (command->bit & (C_CONVERT | C_MERGE)) {
		puts(".SH FORMATS TO WRITE");
		for (const struct tl_exporter *const *exporter = tl_exporters(); *exporter;
		     exporter++)
			put_tagged((*exporter)->name, (*exporter)->help);
		if (command->bit == C_CONVERT)
			put_tagged("sqlite", "the tables of `query` as a database of SQLite");
	}
	put_examples(command);
	if (command->files != FILES_NONE)
		put_status(command);
	put_see_also(command);
}

static void main_page(void)
{
	const struct tl_format_info *format;

	put_title(NULL);
	puts(".SH NAME\ntracelathe \\- turn any execution trace into a profile you can read\n"
	     ".SH SYNOPSIS\n.B tracelathe\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR\n"
	     ".SH DESCRIPTION\n"
	     "A trace in any of the formats below goes in; a table, a tree, a timeline or another "
	     "format comes out.\n"
	     ".PP\n"
	     "\\fIFILE\\fR may be \\- (standard input) or compressed with zstd, gzip, xz or lz4. "
	     "Its format is recognised\n"
	     "by content. What is damaged is skipped, counted and told on standard error.\n"
	     ".SH COMMANDS");
	for (const struct command *command = commands; command->name; command++)
		put_tagged(command->name, command->help);
	puts(".SH FORMATS");
	for (size_t i = 0; (format = tl_format_info(i)); i++)
		put_tagged(format->name, format->help);
	puts(".SH FILES\n"
	     ".TP\n.I ~/.config/tracelathe/config\n(or below $XDG_CONFIG_HOME) defaults of "
	     "options, a line each: NAME or NAME = VALUE, without dashes; # begins a comment. What "
	     "the command line says goes before; options that a command does not take are left "
	     "out");
	puts(".SH ENVIRONMENT\n"
	     ".TP\n.B NO_COLOR\nno colors unless \\-\\-color always is given\n"
	     ".TP\n.B TMPDIR\nwhere input from a pipe or a compressed file is kept while it is "
	     "read (else /var/tmp)");
	put_status(NULL);
	put_see_also(NULL);
}

void man_page(const struct command *command)
{
	if (command)
		command_page(command);
	else
		main_page();
}
