/* SPDX-License-Identifier: Apache-2.0 */
/* What is said on standard error. */
#include <inttypes.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/open.h>

#include "cli/terminal/messages.h"

/*
 * Text on standard error as it may be shown: names of files and of what is in them may be anything.
 */
static void put_shown(const char *text)
{
	const char *end = text + strlen(text);
	char shown[TL_SHOWN_BYTES];

	while (text < end) {
		text += tl_shown_character(text, (size_t)(end - text), shown);
		fputs(shown, stderr);
	}
}

static void say_list(const char *format, va_list args)
{
	char brief[512], *whole = NULL;
	va_list again;

	va_copy(again, args);
	/* Without memory the beginning has to do. */
	if (vsnprintf(brief, sizeof(brief), format, args) >= (int)sizeof(brief) &&
	    vasprintf(&whole, format, again) < 0)
		whole = NULL;
	va_end(again);
	put_shown(whole ? whole : brief);
	free(whole);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(format, args);
	va_end(args);
}

void complain(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tracelathe%s%s: ", command ? " " : "", command ? command : "");
	va_start(args, format);
	say_list(format, args);
	va_end(args);
	putc('\n', stderr);
}

void complain_error(const char *file, const struct tl_error *err)
{
	const struct tl_format_info *format = err->format ? tl_format_find(err->format) : NULL;
	const char *gap = " ";

	say("tracelathe: %s:", file);
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
	/* Not twice: "is a directory: Is a directory". */
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
