/* SPDX-License-Identifier: Apache-2.0 */
/* A page without a server: it has the answers to what it asks in itself. */
#include "view/web/enclosed.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"
#include "view/web/page.h"

/* The questions as the page writes them (web/view/api.js). */
static const struct question {
	const char *path;
	bool of_file; /* asked of each file, which is the first parameter */
	bool of_two;  /* asked only where there are two files */
	uint64_t baseline, inclusive;
	const char *address; /* behind it, the file's number if it is of one */
} questions[] = {
	{ "/api/state", false, false, 0, 0, "/api/state" },
	{ "/api/info", true, false, 0, 0, "/api/info?file=" },
	{ "/api/gaps", true, false, 0, 0, "/api/gaps?file=" },
	{ "/api/events", true, false, 0, 0, "/api/events?file=" },
	{ "/api/profile", true, false, 0, 0, "/api/profile?file=" },
	{ "/api/flame", true, false, 0, 0, "/api/flame?file=" },
	{ "/api/diff", false, true, 0, 0, "/api/diff?inclusive=0" },
	{ "/api/diff", false, true, 0, 1, "/api/diff?inclusive=1" },
	{ "/api/flame", false, true, 1, 0, "/api/flame?baseline=1&file=1" },
};

/* The first part of the page that cannot be shown. */
struct missing {
	struct tl_error why; /* status 0: all of it can */
	const char *path;
};

/* What a format does not have is not missed. */
static void note_missing(const struct tl_web_view *view, size_t file, const struct tl_error *why,
			 struct missing *missing)
{
	if (why->status < 0 && why->status != TL_UNSUPPORTED && !missing->why.status)
		*missing = (struct missing){ *why, view->documents[file].file.paths[0] };
}

static int put_answer(struct tl_web_view *view, const struct question *question, uint64_t file,
		      struct tl_output *out, struct missing *missing, struct tl_error *err)
{
	static const struct tl_web_asker nobody = { NULL, NULL };
	struct tl_web_answer answer;
	struct tl_web_request request;
	int status;

	tl_web_request_begin(&request, question->path);
	request.file = question->baseline ? 1 : file;
	request.baseline = question->baseline;
	request.inclusive = question->inclusive;
	status = tl_web_answer_make(view, &request, &nobody, &answer, err);
	if (status == 0) {
		size_t size;
		const char *bytes = tl_output_bytes(answer.out, &size);

		tl_put_text(out, question == questions ? "\"" : ",\"");
		tl_put_text(out, question->address);
		if (question->of_file)
			tl_put_u64(out, file);
		tl_put_text(out, "\":");
		tl_web_put_enclosed(out, bytes, size);
		note_missing(view, (size_t)request.file, &answer.why, missing);
	}
	tl_output_discard(answer.out);
	return status;
}

static int put_answers(struct tl_web_view *view, struct tl_output *out, struct missing *missing,
		       struct tl_error *err)
{
	int status = 0;

	tl_put_text(out, "<script id=\"answers\" type=\"application/json\">{");
	for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++) {
		size_t files = questions[q].of_file ? view->count : 1;

		if (questions[q].of_two && view->count < 2)
			continue;
		for (size_t file = 0; file < files && status == 0; file++)
			status = put_answer(view, &questions[q], file, out, missing, err);
	}
	tl_put_text(out, "}</script>\n");
	return status;
}

/* Parts of a page are read one by one: of a file that grows they would not belong together. */
static int check_unchanged(const struct tl_web_view *view, const char **failed,
			   struct tl_error *err)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct tl_view_stamps *stamps = &view->documents[i].opened.stamps;

		for (size_t n = 0; n < stamps->count; n++) {
			if (!tl_view_stamps_change(stamps, n))
				continue;
			*failed = stamps->paths[n];
			return tl_error_at(err, TL_IO, TL_NOWHERE,
					   "input changed while it was read");
		}
	}
	return 0;
}

/* The indexes are there when their threads have ended. */
static void wait_for_indexes(struct tl_web_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		if (view->documents[i].indexing)
			pthread_join(view->documents[i].indexer, NULL);
		view->documents[i].indexing = false;
	}
}

int tl_web_view_write(struct tl_web_view *view, struct tl_output *out, const char **failed,
		      struct tl_error *err)
{
	const struct tl_web_page *page = &tl_web_page;
	struct missing missing = { .path = NULL };
	int status;

	*failed = NULL;
	wait_for_indexes(view);
	tl_output_write(out, page->text, page->meta);
	tl_put_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
	tl_put_text(out, page->file_policy);
	tl_put_text(out, "\">\n");
	tl_output_write(out, page->text + page->meta, page->data - page->meta);
	status = put_answers(view, out, &missing, err);
	for (size_t i = 0; i < view->count && status == 0; i++)
		if (view->documents[i].index)
			status = tl_web_put_calls(&view->documents[i], i, out, err);
		else
			note_missing(view, i, &view->documents[i].index_error, &missing);
	tl_output_write(out, page->text + page->data, page->size - page->data);
	if (status == 0)
		status = check_unchanged(view, failed, err);
	if (status < 0 || !missing.why.status)
		return status;
	*err = missing.why;
	*failed = missing.path;
	/* Another run may have what this one lacked; of the file, it shows what can be shown. */
	return err->status == TL_NO_MEMORY || err->status == TL_IO ? err->status : 1;
}

int tl_web_view_whole(struct tl_web_view *view, size_t file, struct tl_input **input,
		      const struct tl_profile **profile, struct tl_error *err)
{
	static const struct tl_web_asker nobody = { NULL, NULL };
	static const struct tl_web_window all = { 0 };
	struct tl_web_profile *whole;
	int status = tl_web_profile_get(&view->documents[file], &nobody, &all, TL_DETAIL_FUNCTIONS,
					&whole, err);

	if (status < 0)
		return status;
	*input = whole->input;
	*profile = whole->profile;
	return 0;
}
