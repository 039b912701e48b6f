/* SPDX-License-Identifier: Apache-2.0 */
/* Completions for shells, made from the tables of commands and options. */
#include <stdio.h>
#include <string.h>

#include "cli/help/help.h"
#include "cli/options/option.h"
#include "cli/options/words.h"

/* The words of an option, with blanks between. */
static void put_words(const struct option_row *row)
{
	struct word word;

	for (size_t i = 0; option_word(row, i, &word); i++)
		printf("%s%.*s", i ? " " : "", (int)word.size, word.text);
}

static bool has_words(const struct option_row *row)
{
	struct word word;

	return option_word(row, 0, &word);
}

static void command_names(void)
{
	for (const struct command *command = commands; command->name; command++)
		printf("%s%s", command == commands ? "" : " ", command->name);
}

/* ---- bash ---- */

/* Values of more than one name, separated by commas: what stands before the last one stays. */
static bool takes_list(const struct option_row *row)
{
	return row->argument && strstr(row->argument, ",NAME...") != NULL;
}

static void bash_value(const struct command *command, const struct option_row *row)
{
	printf("\t%s:--%s", command->name, row->name);
	if (row->letter)
		printf("|%s:-%c", command->name, row->letter);
	fputs(") ", stdout);
	if (option_takes_file(row)) {
		printf("COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n",
		       row->argument[0] == 'D' ? 'd' : 'f');
		return;
	}
	if (takes_list(row))
		fputs("[[ $cur == *,* ]] && prefix=${cur%,*},; ", stdout);
	fputs("words=\"", stdout);
	put_words(row);
	puts("\" ;;");
}

static void bash_values(const struct command *command)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if ((row->commands & command->bit) && value_is_needed(row))
			bash_value(command, row);
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
	     "words= prefix=\n"
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
	puts("\t*)\n\t\tif [[ $cur != -* ]]; then\n"
	     "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\t\treturn\n\t\tfi\n"
	     "\t\tcase \"$command\" in");
	for (const struct command *command = commands; command->name; command++)
		bash_options(command);
	puts("\t\tesac ;;\n\tesac\n"
	     "\tCOMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"${cur#\"$prefix\"}\"))\n}\n"
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
	printf(" \\\n\t\t'%s--%s%s[", row->repeatable ? "*" : "", row->name,
	       value_is_needed(row) ? "=" : "");
	zsh_text(row->help);
	fputs("]", stdout);
	if (value_is_needed(row)) {
		fputs(":value:", stdout);
		if (option_takes_file(row)) {
			fputs(row->argument[0] == 'D' ? "_files -/" : "_files", stdout);
		} else if (has_words(row)) {
			putchar('(');
			put_words(row);
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
	if (option_takes_file(row)) {
		fputs(" -r", stdout);
	} else if (value_is_needed(row)) {
		fputs(" -x", stdout);
		if (has_words(row)) {
			fputs(" -a '", stdout);
			put_words(row);
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

void completion_script(const char *shell)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(shells[i].name, shell))
			shells[i].write();
}
