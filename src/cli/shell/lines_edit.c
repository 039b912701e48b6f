/* SPDX-License-Identifier: Apache-2.0 */
/* With libedit: lines are edited, completed, and remembered from one shell to the next. */
#include <errno.h>
#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/shell/lines.h"
#include "cli/shell/names.h"

enum { REMEMBERED = 1000, SHOWN = 200 };

/* ---- the history ---- */

/* $XDG_STATE_HOME/tracelathe/query_history. NULL: there is no place. */
static char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path;
	int size;

	if (state && *state == '/')
		size = asprintf(&path, "%s/tracelathe/query_history", state);
	else if (home && *home == '/')
		size = asprintf(&path, "%s/.local/state/tracelathe/query_history", home);
	else
		return NULL;
	return size < 0 ? NULL : path;
}

void lines_prepare(void)
{
	char *path = history_path();

	if (!path)
		return;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	free(path);
}

static void remember(struct lines *lines)
{
	HistEvent event;

	if (!lines->text[strspn(lines->text, " \t")])
		return;
	history(lines->history, &event, H_ENTER, lines->text);
	if (lines->path)
		history(lines->history, &event, H_SAVE, lines->path);
}

/* ---- completion ---- */

/* What the names that fit have in common, and how many there are. */
struct completion {
	const char *names[SHOWN];
	size_t sizes[SHOWN];
	size_t count, common;
};

static void take_name(void *arg, const char *name, size_t size)
{
	struct completion *c = arg;
	size_t common = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->sizes[i] == size && !strncasecmp(c->names[i], name, size))
			return;
	if (c->count == SHOWN)
		return;
	if (c->count) {
		while (common < c->common && common < size &&
		       !strncasecmp(c->names[0] + common, name + common, 1))
			common++;
		c->common = common;
	} else {
		c->common = size;
	}
	c->names[c->count] = name;
	c->sizes[c->count++] = size;
}

static void show_names(const struct completion *c)
{
	putchar('\n');
	for (size_t i = 0; i < c->count; i++)
		printf("%.*s%s", (int)c->sizes[i], c->names[i], i + 1 < c->count ? "  " : "\n");
	fflush(stdout);
}

/* Type the rest of the only name, or what all have in common; if that is nothing, show them. */
static unsigned char complete(EditLine *edit, int key)
{
	const LineInfo *info = el_line(edit);
	size_t size = (size_t)(info->cursor - info->buffer);
	size_t typed = size - word_start(info->buffer, size);
	struct completion c = { .count = 0 };
	char *text;
	int inserted;

	(void)key;
	match_names(info->buffer, size, take_name, &c);
	if (!c.count)
		return CC_REFRESH_BEEP;
	if (c.count > 1 && c.common <= typed) {
		show_names(&c);
		return CC_REDISPLAY;
	}
	if (asprintf(&text, "%.*s%s", (int)c.common, c.names[0], c.count == 1 ? " " : "") < 0)
		return CC_ERROR;
	el_deletestr(edit, (int)typed);
	inserted = el_insertstr(edit, text);
	free(text);
	return inserted < 0 ? CC_ERROR : CC_REFRESH;
}

/* ---- lines ---- */

static char *prompt_of(EditLine *edit)
{
	struct lines *lines;

	el_get(edit, EL_CLIENTDATA, &lines);
	return lines->prompt;
}

static bool begin(struct lines *lines)
{
	HistEvent event;

	lines->history = history_init();
	lines->edit = el_init("tracelathe", stdin, stdout, stderr);
	if (!lines->history || !lines->edit)
		return false;
	history(lines->history, &event, H_SETSIZE, REMEMBERED);
	history(lines->history, &event, H_SETUNIQUE, 1);
	lines->path = history_path();
	if (lines->path)
		history(lines->history, &event, H_LOAD, lines->path);
	el_set(lines->edit, EL_CLIENTDATA, lines);
	el_set(lines->edit, EL_PROMPT, prompt_of);
	el_set(lines->edit, EL_EDITOR, "emacs");
	el_set(lines->edit, EL_HIST, history, lines->history);
	el_set(lines->edit, EL_SIGNAL, 1);
	el_set(lines->edit, EL_ADDFN, "complete", "complete a name", complete);
	el_set(lines->edit, EL_BIND, "^I", "complete", NULL);
	el_set(lines->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	/* The settings of its user (~/.editrc), if there are any. */
	el_source(lines->edit, NULL);
	return true;
}

struct lines *lines_open(void)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines || begin(lines))
		return lines;
	lines_close(lines);
	return NULL;
}

enum line_status lines_read(struct lines *lines, const char *prompt, const char **line)
{
	const char *got;
	int size;

	snprintf(lines->prompt, sizeof(lines->prompt), "%s", prompt);
	errno = 0;
	got = el_gets(lines->edit, &size);
	if (!got)
		return size < 0 && errno == EINTR ? LINE_INTERRUPTED : LINE_END;
	free(lines->text);
	lines->text = strndup(got, strcspn(got, "\n"));
	if (!lines->text)
		return LINE_END;
	remember(lines);
	*line = lines->text;
	return LINE_READ;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->edit)
		el_end(lines->edit);
	if (lines->history)
		history_end(lines->history);
	free(lines->path);
	free(lines->text);
	free(lines);
}

const char *lines_lack(void)
{
	return NULL;
}
