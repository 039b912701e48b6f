/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <tracelathe/export.h>
#include <tracelathe/open.h>
#include <tracelathe/record.h>
#include <tracelathe/report.h>

#include "cli/options/words.h"

/* ---- names by number ---- */

const char *format_name(size_t number)
{
	const struct tl_format_info *format = tl_format_info(number);

	return format ? format->name : NULL;
}

const char *exporter_name(size_t number)
{
	const struct tl_exporter *const *exporter = tl_exporters();

	while (*exporter && number--)
		exporter++;
	return *exporter ? (*exporter)->name : NULL;
}

/*
 * A trace is written in its own format, if that can be written; where an exporter has the same
 * name, it stands for both.
 */
static const char *trace_name(size_t number)
{
	const struct tl_format_info *format;
	const struct tl_trace_target *target;

	for (size_t i = 0; (format = tl_format_info(i)); i++)
		if (format->written && !tl_exporter_find(format->name) && !number--)
			return format->name;
	target = tl_trace_target(number);
	return target ? target->name : NULL;
}

const char *target_name(size_t number)
{
	size_t exporters = 0;

	while (exporter_name(exporters))
		exporters++;
	if (number < exporters)
		return exporter_name(number);
	return number == exporters ? "sqlite" : trace_name(number - exporters - 1);
}

const char *timeline_name(size_t number)
{
	const struct tl_timeline_format *const *format = tl_timeline_formats();

	while (*format && number--)
		format++;
	return *format ? (*format)->name : NULL;
}

static const char *nth(const char *const *names, size_t number)
{
	while (*names && number--)
		names++;
	return *names;
}

const char *recorder_name(size_t number)
{
	return tl_recorder_name(number);
}

const char *report_column(size_t number)
{
	return nth(tl_report_sort_columns(), number);
}

const char *diff_column(size_t number)
{
	return nth(tl_report_diff_sort_columns(), number);
}

const char *event_name(size_t number)
{
	static const char *const names[] = {
		"Ticks", "Ir",   "Cycles", "calls", "Dr",   "Dw", "I1mr",
		"D1mr",  "D1mw", "ILmr",   "DLmr",  "DLmw", "Bc", "Bcm",
		"Bi",    "Bim",  "CEst",   "L1m",   "LLm",  "Bm", NULL,
	};

	return nth(names, number);
}

const char *usual_name(size_t number)
{
	return tl_usual_event(number);
}

const char *shell_name(size_t number)
{
	static const char *const names[] = { "bash", "zsh", "fish", NULL };

	return nth(names, number);
}

/* ---- words of an option ---- */

static bool argument_word(const char *words, size_t number, struct word *word)
{
	for (;; number--) {
		size_t size = strcspn(words, "|");

		if (!number) {
			*word = (struct word){ words, size };
			return true;
		}
		if (!words[size])
			return false;
		words += size + 1;
	}
}

bool option_word(const struct option_row *row, size_t number, struct word *word)
{
	const char *name;

	if (!row->name_of)
		return row->argument && strchr(row->argument, '|') &&
		       argument_word(row->argument, number, word);
	name = row->name_of(number);
	if (name)
		*word = (struct word){ name, strlen(name) };
	return name != NULL;
}

int option_word_number(const struct option_row *row, const char *value)
{
	size_t size = strlen(value);
	struct word word;

	for (int i = 0; option_word(row, (size_t)i, &word); i++)
		if (word.size == size && !memcmp(word.text, value, size))
			return i;
	return -1;
}

bool option_takes_file(const struct option_row *row)
{
	return row->argument &&
	       (!strncmp(row->argument, "FILE", 4) || !strcmp(row->argument, "DIR"));
}
