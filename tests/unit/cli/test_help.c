/* SPDX-License-Identifier: Apache-2.0 */
/* Help, manual pages and completions have all that the tables of commands and options have. */
#include "cli_test.h"

#include "cli/commands/job.h"
#include "cli/help/help.h"
#include "cli/options/option.h"
#include "cli/options/words.h"

/* What `tracelathe LINE` prints on standard output; to free(). */
static char *shown(const char *line)
{
	struct capture capture;
	struct settings settings;
	char room[512];
	struct command_job job = { .command = command_find("help"), .settings = &settings };

	assert_true(parse_into(&settings, room, line));
	capture = capture_begin(stdout);
	assert_int_equal(job.command->run(&job, NULL), EXIT_CLEAN);
	settings_free(&settings);
	return capture_end(&capture);
}

static char *shown_of(const char *before, const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s", before, name);
	return shown(line);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

/* Wrapped at 80 columns, but for the lines of examples, which are to be copied. */
static void check_width(const char *text)
{
	for (const char *line = text; *line;) {
		size_t size = strcspn(line, "\n");

		if (size > 80 && strncmp(line, "  tracelathe ", 13) != 0 &&
		    strncmp(line, "exit status", 11) != 0)
			fail_msg("%zu columns: %.*s", size, (int)size, line);
		line += size + (line[size] == '\n');
	}
}

/* A command that reads traces has the option --format. */
static bool reads_traces(const struct command *command)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (!strcmp(row->name, "format") && row->commands & command->bit)
			return true;
	return false;
}

/* ---- help ---- */

static void overview(void **state)
{
	char *text = shown("help");

	(void)state;
	for (const struct command *command = commands; command->name; command++) {
		char line[200];

		snprintf(line, sizeof(line), "\n  %-10s%s\n", command->name, command->help);
		if (!command->brief)
			has(text, line);
		else
			has(strstr(text, "\n  also: "), command->name);
	}
	has(text, "formats: xray, callgrind, intel-pt, perf, xtrace, profile");
	check_width(text);
	free(text);
}

/* Words of a value that stand in several lines, in one. */
static void join_words(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		*to++ = *from++;
		if (to[-1] == '|' && *from == '\n')
			from += strspn(from, "\n ");
	}
	*to = '\0';
}

/*
 * All options with --all; without it those that only traces of one format have a use for are
 * counted.
 */
static void help_of_a_command(const struct command *command, bool all)
{
	char *text = shown_of(all ? "help --all" : "help", command->name), line[400];
	unsigned left_out = 0;

	snprintf(line, sizeof(line), "usage: tracelathe %s [OPTIONS] %s\n\n", command->name,
		 command->arguments);
	assert_int_equal(strncmp(text, line, strlen(line)), 0);
	check_width(text);
	join_words(text);
	for (const struct option_row *row = option_rows; row->name; row++) {
		snprintf(line, sizeof(line), "%s--%s%s%s", row->letter ? "" : "      ", row->name,
			 row->argument && *row->argument != '[' ? " " : "",
			 row->argument ? row->argument : "");
		if (!(row->commands & command->bit))
			continue;
		if (all || !(row->commands & C_ONE_FORMAT))
			has(text, line);
		else
			left_out++;
	}
	for (size_t i = 0; i < MOST_EXAMPLES && command->examples[i].line; i++) {
		snprintf(line, sizeof(line), "  # %s\n  %s\n", command->examples[i].says,
			 command->examples[i].line);
		has(text, line);
	}
	assert_int_equal(strstr(text, "\nformats of --format:\n") != NULL, reads_traces(command));
	snprintf(line, sizeof(line), "\n%u more options are for traces of one format", left_out);
	assert_int_equal(strstr(text, line) != NULL, left_out > 0);
	free(text);
}

static void help_of_each_command(void **state)
{
	(void)state;
	for (const struct command *command = commands; command->name; command++) {
		help_of_a_command(command, true);
		help_of_a_command(command, false);
	}
}

/* An option that a command does not take is not in its help. */
static void help_of_others(void **state)
{
	char *text = shown("help info");

	(void)state;
	assert_null(strstr(text, "--sort"));
	assert_null(strstr(text, "--to"));
	free(text);
	text = shown("help merge");
	has(text, "\nformats of --to:\n  callgrind ");
	assert_null(strstr(text, "record for record"));
	free(text);
	text = shown("help convert");
	has(text, "  xray          the trace itself, record for record\n");
	has(text, "  champsim    ");
	/* The exporter of that name is listed already. */
	assert_null(strstr(text, "  callgrind     the trace itself"));
	free(text);
}

/* ---- manual pages ---- */

static void page_of_each_command(void **state)
{
	static const char *const sections[] = { ".SH NAME\n",        ".SH SYNOPSIS\n",
						".SH DESCRIPTION\n", ".SH OPTIONS\n",
						".SH EXAMPLES\n",    ".SH SEE ALSO\n" };

	(void)state;
	for (const struct command *command = commands; command->name; command++) {
		char *text = shown_of("help --man", command->name), line[200];
		const char *at = text;

		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
			at = strstr(at, sections[i]);
			assert_non_null(at);
		}
		snprintf(line, sizeof(line), "\ntracelathe\\-%s \\- ", command->name);
		has(text, line);
		snprintf(line, sizeof(line), ".BR tracelathe\\-%s (1)", command->name);
		assert_null(strstr(text, line));
		assert_int_equal(strstr(text, ".SH EXIT STATUS\n") != NULL,
				 command->files != FILES_NONE);
		/* The list of other pages ends without a comma. */
		assert_int_equal(text[strlen(text) - 2], ')');
		free(text);
	}
}

static void page_of_the_program(void **state)
{
	char *text = shown("help --man");

	(void)state;
	assert_int_equal(strncmp(text, ".TH \"TRACELATHE\" 1 ", 18), 0);
	for (const struct command *command = commands; command->name; command++) {
		char line[100];

		snprintf(line, sizeof(line), ".BR tracelathe\\-%s (1)%s\n", command->name,
			 command[1].name ? "," : "");
		has(text, line);
	}
	has(text, ".TP\n\\fBxtrace\\fR\n");
	has(text, ".B NO_COLOR\n");
	free(text);
}

/* "FORMATS TO WRITE" of commands that write a chosen one: every format of profiles. */
static void formats_in_pages(void **state)
{
	static const char *const writers[] = { "convert", "merge" };
	char *text;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		text = shown_of("help --man", writers[i]);
		for (size_t e = 0; exporter_name(e); e++) {
			char line[100];

			snprintf(line, sizeof(line), ".TP\n\\fB%s\\fR\n", exporter_name(e));
			has(strstr(text, ".SH FORMATS TO WRITE\n"), line);
		}
		free(text);
	}
	text = shown("help --man report");
	assert_null(strstr(text, ".SH FORMATS TO WRITE\n"));
	free(text);
}

/* Words of roff: hyphens are hyphens, no line begins a request, and nothing is an escape. */
static void roff_is_quoted(void **state)
{
	char *text = shown("help --man diff");

	(void)state;
	has(text, "where \\e1 is the first group");
	has(text, "\\fB\\-\\-binary\\-after\\fR \\fIFILE[@ADDR]\\fR\n");
	has(text, "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n");
	has(text, "tracelathe diff \\-\\-rename \\(aq\\e.part\\e.[0\\-9]+$=\\(aq old.out new.out");
	free(text);
	text = shown("help --man analyze");
	/* A value that may be left out stands right behind the name. */
	has(text, "\\fB\\-\\-cache\\fR\\fI[=FILE]\\fR\n");
	free(text);
}

/* ---- completions ---- */

static void completions_have_everything(void **state)
{
	static const char *const shells[] = { "bash", "zsh", "fish" };

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		char *text = shown_of("help --completion", shells[s]), part[80];

		for (const struct command *command = commands; command->name; command++)
			has(text, command->name);
		for (const struct option_row *row = option_rows; row->name; row++) {
			struct word word;

			snprintf(part, sizeof(part), s == 2 ? " -l %s" : "--%s", row->name);
			has(text, part);
			for (size_t i = 0; value_is_needed(row) && option_word(row, i, &word);
			     i++) {
				snprintf(part, sizeof(part), "%.*s", (int)word.size, word.text);
				has(text, part);
			}
		}
		free(text);
	}
}

static void values_in_completions(void **state)
{
	char *text = shown("help --completion bash");

	(void)state;
	has(text, "\treport:--sort) words=\"function object ");
	has(text, "\tdiff:--sort) words=\"change percent ");
	has(text, "\treport:--event) [[ $cur == *,* ]] && prefix=${cur%,*},; words=\"Ticks Ir ");
	has(text, "\ttimeline:--to) words=\"perfetto chrome\" ;;");
	has(text, "\treport:--output|report:-o) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
	has(text, "\tannotate:--source-dir) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;");
	assert_null(strstr(text, "analyze:--cache"));
	free(text);
	text = shown("help --completion zsh");
	has(text, "'--order=[threads merged by time (default), or records as they stand in the "
		  "file]:value:(time file)'");
	has(text, "'*--binary=[");
	has(text, "'--cache[");
	has(text, ":value:_files -/'");
	has(text, "\thelp) _arguments");
	has(text, "'1:command:(info check ");
	free(text);
	text = shown("help --completion fish");
	has(text, "complete -c tracelathe -n '__fish_seen_subcommand_from help' -l completion -x "
		  "-a 'bash zsh fish' -d ");
	has(text, " -l output -s o -r -d ");
	free(text);
}

/* ---- wrong words ---- */

static void unknown_commands(void **state)
{
	struct capture capture = capture_begin(stderr);
	char *text;

	(void)state;
	complain_unknown_command("reprot");
	complain_unknown_command("xyzzy");
	text = capture_end(&capture);
	assert_string_equal(text, "tracelathe: unknown command reprot; did you mean report?\n"
				  "tracelathe: unknown command xyzzy; the commands are info, "
				  "check, dump, report, tree, stacks, flame, timeline, convert, "
				  "annotate, diff, merge, map, analyze, query, slice, extract, "
				  "record, view, browse, help\n");
	free(text);
}

static int help_fails(const char *line, char **text)
{
	struct capture capture = capture_begin(stderr);
	struct settings settings;
	char room[512];
	struct command_job job = { .command = command_find("help"), .settings = &settings };
	int status;

	assert_true(parse_into(&settings, room, line));
	status = job.command->run(&job, NULL);
	settings_free(&settings);
	*text = capture_end(&capture);
	return status;
}

static void help_on_nothing(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(help_fails("help report tree", &text), EXIT_UNUSABLE);
	assert_string_equal(text, "tracelathe help: one COMMAND at a time\n");
	free(text);
	assert_int_equal(help_fails("help tre", &text), EXIT_UNUSABLE);
	assert_string_equal(text, "tracelathe: unknown command tre; did you mean tree?\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overview),
		cmocka_unit_test(help_of_each_command),
		cmocka_unit_test(help_of_others),
		cmocka_unit_test(page_of_each_command),
		cmocka_unit_test(page_of_the_program),
		cmocka_unit_test(formats_in_pages),
		cmocka_unit_test(roff_is_quoted),
		cmocka_unit_test(completions_have_everything),
		cmocka_unit_test(values_in_completions),
		cmocka_unit_test(unknown_commands),
		cmocka_unit_test(help_on_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
