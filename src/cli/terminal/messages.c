/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard error, and the end of standard output. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/open.h>

#include "cli/terminal/messages.h"

/*
 * Text with harmful characters replaced: names of files, and names inside them, may hold control
 * sequences of a terminal.
 */
static void print_shown(const char *text)
{
	const char *end = text + strlen(text);
	char shown[TL_SHOWN_BYTES];

	while (text < end) {
		text += tl_shown_character(text, (size_t)(end - text), shown);
		fputs(shown, stderr);
	}
}

static void show_error_list(const char *format, va_list args)
{
	char brief[512], *whole = NULL;
	va_list again;

	va_copy(again, args);
	/* Without memory for the whole text, its first 511 bytes are shown. */
	if (vsnprintf(brief, sizeof(brief), format, args) >= (int)sizeof(brief) &&
	    vasprintf(&whole, format, again) < 0)
		whole = NULL;
	va_end(again);
	print_shown(whole ? whole : brief);
	free(whole);
}

void show_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	show_error_list(format, args);
	va_end(args);
}

void show_error_item(const char *name, bool first)
{
	if (!first)
		show_error(",");
	show_error(" %s", name);
}

void complain(const char *command, const char *format, ...)
{
	va_list args;

	fputs("tracelathe", stderr);
	if (command)
		fprintf(stderr, " %s", command);
	fputs(": ", stderr);
	va_start(args, format);
	show_error_list(format, args);
	va_end(args);
	putc('\n', stderr);
}

void complain_error(const char *file, const struct tl_error *err)
{
	const struct tl_format_info *format = err->format ? tl_format_find(err->format) : NULL;
	const char *gap = " ";

	show_error("tracelathe: %s:", file);
	if (err->offset != TL_NOWHERE) {
		fprintf(stderr, " offset 0x%" PRIx64, err->offset);
		gap = ", ";
	}
	if (err->record != TL_NOWHERE) {
		fprintf(stderr, "%s%s %" PRIu64, gap, format ? format->record_word : "record",
			err->record);
		gap = ", ";
	}
	fprintf(stderr, "%s%s", *gap == ',' ? ": " : gap,
		err->text ? err->text : tl_status_name(err->status));
	/* The system's reason, unless our text says the same ("is a directory"). */
	if (err->status == TL_IO && err->sys_errno &&
	    !(err->text && !strcasecmp(err->text, strerror(err->sys_errno))))
		fprintf(stderr, ": %s", strerror(err->sys_errno));
	putc('\n', stderr);
}

int close_stdout(int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (!fflush(stdout) && !failed)
		return status;
	if (errno != EPIPE)
		complain(NULL, "standard output: cannot write: %s", strerror(errno));
	return EXIT_UNUSABLE;
}
