/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions that a track executed from a time on, as `dump --instructions` lists them. A
 * trace without times is asked by their numbers, another one for a window that grows until it has
 * some: how many instructions a time has, nobody knows before.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"

enum { MOST_LINES = 400, ENOUGH_LINES = 40, BEFORE = 20, MOST_BYTES = 256 << 10 };

static const double windows[] = { 1e-6, 16e-6, 256e-6, 4e-3, 64e-3 };
enum { WINDOWS = sizeof(windows) / sizeof(windows[0]) };

struct listing {
	struct tl_web_question *question;
	struct tl_call_index *index;
	struct tl_calls_info info;
	struct tl_call_track_info track;
	bool one_track; /* else the trace may not say whose its instructions are */
	char *text;     /* lines of JSON */
	size_t size, lines;
	bool cut; /* there are more */
};

/* ---- what is listed ---- */

/* Whole lines of those that were written, and not too many. */
static void take_lines(struct listing *l)
{
	const char *p = l->text, *end = l->text + l->size, *newline;

	for (l->lines = 0; l->lines < MOST_LINES; l->lines++) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		p = newline + 1;
	}
	l->cut |= p < end;
	l->size = (size_t)(p - l->text);
}

static void read_back(struct listing *l, int fd)
{
	off_t written = lseek(fd, 0, SEEK_CUR);
	ssize_t count;

	for (l->size = 0; written > 0 && l->size < (size_t)written; l->size += (size_t)count) {
		count = pread(fd, l->text + l->size, (size_t)written - l->size, (off_t)l->size);
		if (count <= 0)
			break;
	}
}

static int list_into(struct listing *l, struct tl_input *input, int fd, struct tl_error *err)
{
	struct tl_error full = { .status = TL_OK };
	struct tl_output *out;
	int status = tl_output_open_descriptor(&out, fd, err);

	if (status < 0)
		return status;
	status = tl_input_dump(input, TL_REPORT_JSON, out, err);
	l->cut = tl_output_commit(out, &full) < 0;
	return l->cut ? 0 : status;
}

/*
 * The lines go into a file in memory that cannot grow: once it is full, writing fails, and the
 * listing ends, however much there would be.
 */
static int list_input(struct listing *l, struct tl_input *input, struct tl_error *err)
{
	int fd = memfd_create("instructions", MFD_CLOEXEC | MFD_ALLOW_SEALING), status;

	if (fd < 0)
		return tl_error_system(err, "cannot make a file in memory");
	if (ftruncate(fd, MOST_BYTES) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW))
		status = tl_error_system(err, "cannot make a file in memory");
	else
		status = list_into(l, input, fd, err);
	if (status >= 0)
		read_back(l, fd);
	close(fd);
	if (status >= 0)
		take_lines(l);
	return tl_error_or_end(status);
}

/* ---- which part of the trace ---- */

static int list_part(struct listing *l, const struct tl_web_part *part, struct tl_error *err)
{
	struct tl_input *input = NULL;
	int status =
		tl_web_document_part(l->question->document, l->question->asker, part, &input, err);

	if (status < 0)
		return status;
	status = list_input(l, input, err);
	tl_input_close(input);
	return status;
}

static int list_numbers(struct listing *l, struct tl_web_part *part, struct tl_error *err)
{
	uint64_t at = l->question->request->at;

	part->ordinals.from = tl_excess(at, BEFORE);
	part->ordinals.to = part->ordinals.from + MOST_LINES / 2;
	return list_part(l, part, err);
}

static int list_window(struct listing *l, struct tl_web_part *part, struct tl_error *err)
{
	int status = 0;

	if (!l->info.frequency)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the rate of the trace's clock is not known, so that no part of "
				   "it can be listed by time");
	part->from = (double)l->question->request->at / (double)l->info.frequency;
	for (size_t i = 0; status == 0 && i < WINDOWS && l->lines < ENOUGH_LINES; i++) {
		part->to = part->from + windows[i];
		status = list_part(l, part, err);
	}
	return status;
}

static int list(struct listing *l, struct tl_error *err)
{
	struct tl_web_part part = { .thread = TL_NOWHERE };

	if (l->one_track)
		part.thread = (uint64_t)l->track.thread;
	if (l->info.clock == TL_CALL_INSTRUCTIONS)
		return list_numbers(l, &part, err);
	return list_window(l, &part, err);
}

/* ---- the answer ---- */

static void put_lines(const struct listing *l, struct tl_output *out)
{
	const char *p = l->text, *end = l->text + l->size;

	tl_put_text(out, "{\"lines\":[");
	for (size_t i = 0; i < l->lines; i++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		if (i)
			tl_put_char(out, ',');
		tl_output_write(out, p, (size_t)(newline - p));
		p = newline + 1;
	}
	tl_put_text(out, l->cut ? "],\"cut\":true}\n" : "],\"cut\":false}\n");
}

static int begin(struct listing *l, struct tl_error *err)
{
	const struct tl_web_request *request = l->question->request;
	struct tl_call_track_info other;

	l->index = tl_web_document_index(l->question->document, err);
	if (!l->index)
		return err->status;
	tl_call_index_info(l->index, &l->info, sizeof(l->info));
	if (request->tracks.count != 1 || tl_call_index_track(l->index, request->tracks.list[0],
							      &l->track, sizeof(l->track)) != 1)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a track and a time are needed");
	l->one_track = tl_call_index_track(l->index, 1, &other, sizeof(other)) == 1;
	l->text = malloc(MOST_BYTES);
	if (!l->text)
		return tl_error_memory(err);
	return 0;
}

int tl_web_answer_instructions(struct tl_web_question *question, struct tl_error *err)
{
	struct listing l = { .question = question };
	int status = begin(&l, err);

	if (status == 0)
		status = list(&l, err);
	if (status == 0)
		put_lines(&l, question->out);
	free(l.text);
	return status;
}
