/* SPDX-License-Identifier: Apache-2.0 */
#include "query/trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "open/format.h"

enum { STEP = 1 << 17, PIPE_BYTES = 1 << 20 };

struct tl_query_lines {
	struct tl_query_trace *trace;
	struct tl_input *input;
	tl_query_listing_fn *listing;
	int from, to; /* the pipe */
	bool running;
	pthread_t thread;
	/* Of the thread, when it has ended: */
	int status;
	struct tl_error error;
	/* Bytes that were read, of which those before `at` were handed over. */
	char *bytes;
	size_t at, end, capacity;
	bool ended;
};

/* ---- the thread ---- */

/* A reader that closes its end is no reason to end the process. */
static void block_pipe_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void *write_listing(void *arg)
{
	struct tl_query_lines *l = arg;
	struct tl_output *out;

	block_pipe_signal();
	l->status = tl_output_open_descriptor(&out, l->to, &l->error);
	if (l->status == 0) {
		l->status = l->listing(l->input, out, &l->error);
		/* Whoever wants no more lines closes the pipe, which is no error. */
		tl_output_commit(out, NULL);
	}
	close(l->to);
	return NULL;
}

/* ---- reading ---- */

static int start(struct tl_query_lines *l, struct tl_error *err)
{
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC))
		return tl_error_system(err, "cannot open a pipe");
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	l->from = ends[0];
	l->to = ends[1];
	code = pthread_create(&l->thread, NULL, write_listing, l);
	l->running = !code;
	if (!code)
		return 0;
	close(l->to);
	if (code == EAGAIN)
		return tl_error_memory(err);
	errno = code;
	return tl_error_system(err, "cannot start a thread");
}

int tl_query_lines_open(struct tl_query_lines **lines, struct tl_query_trace *trace,
			tl_query_listing_fn *listing, const struct tl_query_part *part,
			struct tl_error *err)
{
	struct tl_query_lines *l = calloc(1, sizeof(*l));
	int status;

	*lines = l;
	if (!l)
		return tl_error_memory(err);
	l->trace = trace;
	l->listing = listing;
	l->from = -1;
	status = tl_query_trace_borrow(trace, &l->input, err);
	if (status < 0)
		return status;
	l->input->options.dump = part->dump;
	if (part->thread != TL_NOWHERE)
		l->input->options.filter.thread = part->thread;
	tl_query_trace_lend(trace, l->input);
	return start(l, err);
}

void tl_query_lines_close(struct tl_query_lines *lines)
{
	if (!lines)
		return;
	if (lines->from >= 0)
		close(lines->from);
	if (lines->running)
		pthread_join(lines->thread, NULL);
	if (lines->input)
		tl_query_trace_return(lines->trace, lines->input);
	free(lines->bytes);
	free(lines);
}

/* Read more behind the bytes that are left. 0 or negative. */
static int read_more(struct tl_query_lines *l, struct tl_error *err)
{
	ssize_t got;

	if (l->at)
		memmove(l->bytes, l->bytes + l->at, l->end - l->at);
	l->end -= l->at;
	l->at = 0;
	if (!tl_grow(&l->bytes, &l->capacity, l->end + STEP + 1, 1))
		return tl_error_memory(err);
	do
		got = read(l->from, l->bytes + l->end, STEP);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return tl_error_system(err, "cannot read a listing");
	l->end += (size_t)got;
	l->ended = got == 0;
	return 0;
}

/* The listing has ended: how. */
static int finish(struct tl_query_lines *l, struct tl_error *err)
{
	if (l->running)
		pthread_join(l->thread, NULL);
	l->running = false;
	if (l->status < 0 && err)
		*err = l->error;
	return tl_error_or_end(l->status);
}

int tl_query_lines_next(struct tl_query_lines *lines, const char **line, size_t *size,
			struct tl_error *err)
{
	size_t looked = lines->at;

	if (atomic_load_explicit(&lines->trace->stop, memory_order_relaxed))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "interrupted");
	for (;;) {
		char *end = lines->end > looked
				    ? memchr(lines->bytes + looked, '\n', lines->end - looked)
				    : NULL;
		int status;

		if (end) {
			*end = '\0';
			*line = lines->bytes + lines->at;
			*size = (size_t)(end - *line);
			lines->at += *size + 1;
			return 1;
		}
		if (lines->ended)
			return finish(lines, err);
		looked = lines->end - lines->at;
		status = read_more(lines, err);
		if (status < 0)
			return status;
	}
}
