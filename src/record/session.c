/* SPDX-License-Identifier: Apache-2.0 */
/* What all recorders do with a session: tell, and name the files of the recording. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text/optional.h"
#include "record/recorder.h"

void tl_record_note(const struct tl_record_session *session, const char *format, ...)
{
	char line[2 * TL_RECORD_PATH];
	va_list arguments;

	if (!session->note)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	session->note(session->note_arg, line);
}

static bool is_plain(const char *path)
{
	return path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_./,:=@%+-")] == '\0';
}

static void add(struct tl_record_session *session, const char *option, const char *path)
{
	struct tl_record_result *result = session->result;
	size_t used = strlen(result->command), room = sizeof(result->command) - used;
	const char *quote = is_plain(path) ? "" : "'";

	result->recorded = true;
	if (snprintf(result->command + used, room, "%s%s%s%s%s", tl_text_if(used, " "), option,
		     quote, path, quote) < (int)room)
		return;
	result->command[used] = '\0';
	session->unnamed++;
}

void tl_record_add_file(struct tl_record_session *session, const char *path)
{
	add(session, "", path);
}

void tl_record_add_binary(struct tl_record_session *session, const char *file)
{
	add(session, "--binary ", file);
}

void tl_record_tell_unnamed(struct tl_record_session *session)
{
	if (session->unnamed)
		tl_record_note(session,
			       "%u files of the recording have no room in the command that reads "
			       "it: their names begin as that of the recording",
			       session->unnamed);
}

bool tl_record_is_older(const struct stat *file, const struct timespec *time)
{
	return file->st_mtim.tv_sec < time->tv_sec ||
	       (file->st_mtim.tv_sec == time->tv_sec && file->st_mtim.tv_nsec < time->tv_nsec);
}
