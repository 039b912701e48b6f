/* SPDX-License-Identifier: Apache-2.0 */
/* Completions for shells, from the same tables as the help. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

/* The words an option takes, separated by `separator`: those of "a|b|c", or names from the
 * library's tables.
 */
static bool option_words(const struct option_row *row, char separator)
{
	const struct tl_format_info *format;
	const struct tl_trace_target *target;
	const char *gap = "", between[2] = { separator, '\0' };

	if (row->set == set_format || row->set == set_target) {
		for (size_t i = 0; (format = tl_format_info(i)); i++, gap = between)
			printf("%s%s", gap, format->name);
		if (row->set == set_format)
			return true;
		for (const struct tl_exporter *const *exporter = tl_exporters(); *exporter;
		     exporter++, gap = between)
			printf("%s%s", gap, (*exporter)->name);
		for (size_t i = 0; (target = tl_trace_target(i)); i++)
			printf("%s%s", gap, target->name);
		return true;
	}
	if (!row->argument || !strchr(row->argument, '|'))
		return false;
	for (const char *p = row->argument; *p; p++)
		putchar(*p == '|' ? separator : *p);
	return true;
}

static bool has_words(const struct option_row *row)
{
	return row->set == set_format || row->set == set_target ||
	       (row->argument && strchr(row->argument, '|'));
}

static bool takes_file(const struct option_row *row)
{
	return row->argument && !strncmp(row->argument, "FILE", 4);
}

static void command_names(void)
{
	for (const struct command *command = commands; command->name; command++)
		printf("%s%s", command == commands ? "" : " ", command->name);
}

/* ---- bash ---- */

static void bash_values(const struct command *command)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!(row->commands & command->bit) || !row->argument || takes_file(row) ||
		    value_is_optional(row))
			continue;
		printf("\t%s:--%s) words=\"", command->name, row->name);
		option_words(row, ' ');
		puts("\" ;;");
	}
}

static void bash_options(const struct command *command)
{
	printf("\t%s) words=\"", command->name);
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit)
			printf("--%s ", row->name);
	puts("\" ;;");
}

static void bash(void)
{
	puts("# bash completion for tracelathe\n"
	     "_tracelathe()\n{\n"
	     "\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" "
	     "words=\n"
	     "\tlocal command=\"${COMP_WORDS[1]}\"\n"
	     "\tCOMPREPLY=()");
	fputs("\tif ((COMP_CWORD == 1)) || [[ $command == help && $cur != -* && $prev != "
	      "--completion ]]; "
	      "then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"",
	      stdout);
	command_names();
	puts("\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	     "\tcase \"$command:$prev\" in");
	for (const struct command *command = commands; command->name; command++)
		bash_values(command);
	puts("\t*:--binary|*:--binary-after|*:--map|*:--map-after|*:--output|*:-o|*:--source-dir)\n"
	     "\t\tCOMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
	     "\t*)\n\t\tif [[ $cur != -* ]]; then\n"
	     "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\t\treturn\n\t\tfi\n"
	     "\t\tcase \"$command\" in");
	for (const struct command *command = commands; command->name; command++)
		bash_options(command);
	puts("\t\tesac ;;\n\tesac\n"
	     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
	     "complete -o filenames -F _tracelathe tracelathe");
}

/* ---- zsh ---- */

/* Text inside '...' and inside [...] of an _arguments specification. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct option_row *row)
{
	printf(" \\\n\t\t'%s--%s%s[", strstr(row->help, "may be repeated") ? "*" : "", row->name,
	       row->argument && !value_is_optional(row) ? "=" : "");
	zsh_text(row->help);
	fputs("]", stdout);
	if (row->argument && !value_is_optional(row)) {
		fputs(":value:", stdout);
		if (takes_file(row)) {
			fputs("_files", stdout);
		} else if (has_words(row)) {
			putchar('(');
			option_words(row, ' ');
			putchar(')');
		} else {
			putchar(' ');
		}
	}
	putchar('\'');
}

static void zsh_command(const struct command *command)
{
	printf("\t%s) _arguments", command->name);
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & command->bit)
			zsh_option(row);
	if (command->bit & C_HELP) {
		fputs(" \\\n\t\t'1:command:(", stdout);
		command_names();
		puts(")' ;;");
	} else {
		puts(" \\\n\t\t'*:trace:_files' ;;");
	}
}

static void zsh(void)
{
	puts("#compdef tracelathe\n"
	     "local -a commands=(");
	for (const struct command *command = commands; command->name; command++) {
		printf("\t'%s:", command->name);
		zsh_text(command->help);
		puts("'");
	}
	puts(")\n"
	     "if ((CURRENT == 2)); then\n"
	     "\t_describe command commands\n"
	     "\treturn\n"
	     "fi\n"
	     "local command=$words[2]\n"
	     "shift words\n"
	     "((CURRENT--))\n"
	     "case $command in");
	for (const struct command *command = commands; command->name; command++)
		zsh_command(command);
	puts("esac");
}

/* ---- fish ---- */

static void fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void fish_option(const struct option_row *row)
{
	fputs("complete -c tracelathe -n '__fish_seen_subcommand_from", stdout);
	for (const struct command *command = commands; command->name; command++)
		if (row->commands & command->bit)
			printf(" %s", command->name);
	printf("' -l %s", row->name);
	if (row->letter)
		printf(" -s %c", row->letter);
	if (takes_file(row)) {
		fputs(" -r", stdout);
	} else if (row->argument && !value_is_optional(row)) {
		fputs(" -x", stdout);
		if (has_words(row)) {
			fputs(" -a '", stdout);
			option_words(row, ' ');
			putchar('\'');
		}
	}
	fputs(" -d ", stdout);
	fish_text(row->help);
	putchar('\n');
}

static void fish(void)
{
	puts("# fish completion for tracelathe");
	for (const struct command *command = commands; command->name; command++) {
		printf("complete -c tracelathe -n __fish_use_subcommand -f -a %s -d ",
		       command->name);
		fish_text(command->help);
		putchar('\n');
	}
	fputs("complete -c tracelathe -n '__fish_seen_subcommand_from help' -f -a '", stdout);
	command_names();
	puts("'");
	for (const struct option_row *row = option_rows; row->name; row++)
		fish_option(row);
}

bool completion_script(const char *shell)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (!strcmp(shells[i].name, shell)) {
			shells[i].write();
			return true;
		}
	}
	return false;
}
