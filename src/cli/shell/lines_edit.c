/* SPDX-License-Identifier: Apache-2.0 */
/* With libedit: lines are edited, completed, and remembered from one shell to the next. */
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/shell/lines.h"
#include "cli/shell/names.h"
#include "cli/terminal/own_files.h"

enum { REMEMBERED = 1000, SHOWN = 200 };

/* ---- the history ---- */

/* NULL: there is no place. */
static char *history_path(void)
{
	return own_file(&own_state, "query_history");
}

void lines_prepare(void)
{
	char *path = history_path();

	if (path)
		own_file_prepare(path);
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

/* The names that fit, of which the first SHOWN are kept, and what all of them have in common. */
struct completion {
	char *names[SHOWN];
	size_t count, common;
};

static void take_name(void *arg, const char *name, size_t size)
{
	struct completion *c = arg;
	size_t common = 0;

	for (size_t i = 0; i < c->count; i++)
		if (strlen(c->names[i]) == size && !strncasecmp(c->names[i], name, size))
			return;
	if (c->count) {
		while (common < c->common && common < size &&
		       !strncasecmp(c->names[0] + common, name + common, 1))
			common++;
		c->common = common;
	} else {
		c->common = size;
	}
	if (c->count < SHOWN && (c->names[c->count] = strndup(name, size)))
		c->count++;
}

static void free_names(struct completion *c)
{
	while (c->count)
		free(c->names[--c->count]);
}

static void show_names(const struct completion *c)
{
	putchar('\n');
	for (size_t i = 0; i < c->count; i++)
		printf("%s%s", c->names[i], i + 1 < c->count ? "  " : "\n");
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
		free_names(&c);
		return CC_REDISPLAY;
	}
	if (asprintf(&text, "%.*s%s", (int)c.common, c.names[0], c.count == 1 ? " " : "") < 0)
		text = NULL;
	free_names(&c);
	if (!text)
		return CC_ERROR;
	el_deletestr(edit, (int)typed);
	inserted = el_insertstr(edit, text);
	free(text);
	return inserted < 0 ? CC_ERROR : CC_REFRESH;
}

/* ---- keys ---- */

struct line_signals {
	sigset_t open;          /* blocked while a key is awaited, Ctrl-C is not among them */
	struct sigaction found; /* of Ctrl-C, when no line is typed */
};

/*
 * A signal that comes between two reads of libedit's own would only be noticed at the next key. So
 * Ctrl-C is blocked while a line is typed, but for the moment in which nothing else is done than to
 * wait for a key.
 */
static bool is_interrupt_pending(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1;
}

/* libedit's handler of Ctrl-C ends with the handler in place that was there before. */
static bool is_interrupted(const struct line_signals *signals)
{
	struct sigaction action;

	return sigaction(SIGINT, NULL, &action) == 0 &&
	       action.sa_handler == signals->found.sa_handler;
}

/* False after Ctrl-C: libedit's handler has run, and the terminal is as it was found. */
static bool wait_for_key(EditLine *edit, const struct line_signals *signals)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	const struct timespec now = { .tv_sec = 0 };

	if (is_interrupt_pending()) {
		ppoll(NULL, 0, &now, &signals->open);
		return false;
	}
	while (ppoll(&keys, 1, NULL, &signals->open) < 0 && errno == EINTR) {
		if (is_interrupted(signals))
			return false;
		/* The terminal has another size, or is ours again. */
		el_set(edit, EL_REFRESH);
	}
	return true;
}

/* A key, of one or more bytes. 1; 0: the end; -1: errno says what happened. */
static int read_key(EditLine *edit, wchar_t *key)
{
	mbstate_t state = { 0 };
	struct lines *lines;
	ssize_t size;
	char byte;

	el_get(edit, EL_CLIENTDATA, &lines);
	for (;;) {
		size_t made;

		if (!wait_for_key(edit, lines->signals)) {
			errno = EINTR;
			return -1;
		}
		size = read(STDIN_FILENO, &byte, 1);
		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size <= 0)
			return (int)size;
		made = mbrtowc(key, &byte, 1, &state);
		if (made <= 1)
			return 1;
		/* What is no character of the locale is left out. */
		if (made == (size_t)-1)
			state = (mbstate_t){ 0 };
	}
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

	/* What is typed are characters of the terminal's encoding, not of "C". */
	setlocale(LC_CTYPE, "");
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
	el_set(lines->edit, EL_GETCFN, read_key);
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

/* A line of libedit's, with Ctrl-C blocked but in wait_for_key(). NULL: none, as *status says. */
static const char *edit_line(struct lines *lines, enum line_status *status)
{
	struct line_signals signals;
	sigset_t interrupt;
	const char *got;
	int size;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &signals.open);
	sigaction(SIGINT, NULL, &signals.found);
	lines->signals = &signals;
	errno = 0;
	got = el_gets(lines->edit, &size);
	*status = size < 0 && errno == EINTR ? LINE_INTERRUPTED : LINE_END;
	sigprocmask(SIG_SETMASK, &signals.open, NULL);
	return got;
}

enum line_status lines_read(struct lines *lines, const char *prompt, const char **line)
{
	enum line_status status;
	const char *got;

	snprintf(lines->prompt, sizeof(lines->prompt), "%s", prompt);
	got = edit_line(lines, &status);
	if (!got)
		return status;
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
