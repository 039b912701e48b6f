/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_ANSWER_H
#define TL_VIEW_WEB_ANSWER_H
/*
 * What the page gets for what it asks. An answer is JSON, but for windows of calls, which are
 * columns of numbers (answer_calls.c). Any number of answers may be made at a time.
 */
#include "view/web/document.h"
#include "view/web/request.h"

struct tl_web_answer {
	unsigned code;         /* of HTTP: 200, 400, 404, 422 */
	const char *type;      /* media type; static */
	struct tl_output *out; /* in memory; tl_output_discard() it */
	struct tl_error why;   /* status 0: it is what was asked for; else why it is an error */
};

/* The page and everything that it asks for. 0, or TL_NO_MEMORY without an answer. */
int tl_web_answer_make(struct tl_web_view *view, const struct tl_web_request *request,
		       const struct tl_web_asker *asker, struct tl_web_answer *answer,
		       struct tl_error *err);

/* ---- for the answers ---- */

struct tl_web_question {
	struct tl_web_view *view;
	struct tl_web_document *document;
	const struct tl_web_request *request;
	const struct tl_web_asker *asker;
	struct tl_output *out;
};

/* Writes an answer to `out`. 0 or negative: what was written is dropped. */
typedef int tl_web_answer_fn(struct tl_web_question *question, struct tl_error *err);

/*
 * answer_files.c: the files and how far their indexes are; one of them as `info` tells it; those
 * that have changed
 */
tl_web_answer_fn tl_web_answer_state, tl_web_answer_info, tl_web_answer_changes;
/* answer_profile.c: functions and calls between them; flame graph; annotation; differences */
tl_web_answer_fn tl_web_answer_profile, tl_web_answer_flame;
/* answer_reports.c */
tl_web_answer_fn tl_web_answer_annotate, tl_web_answer_diff;
/* answer_calls.c: what of a window can be told apart; names of functions; a stack; next call */
tl_web_answer_fn tl_web_answer_window, tl_web_answer_names, tl_web_answer_stack, tl_web_answer_gaps;
/* answer_events.c: those without duration, of a window */
tl_web_answer_fn tl_web_answer_events;
/* answer_instructions.c: those that a track executed from a time on */
tl_web_answer_fn tl_web_answer_instructions;
/* answer_calls.c, answer_durations.c: the next call of a function; how long all of them took */
tl_web_answer_fn tl_web_answer_find, tl_web_answer_durations;

/* `"name":` and a text; a comma first unless the name begins an object or a list */
void tl_web_put_text(struct tl_output *out, const char *name, const char *text);
void tl_web_put_number(struct tl_output *out, const char *name, uint64_t number);
/* JSON for the inside of a script element, where no '<' may stand. */
void tl_web_put_enclosed(struct tl_output *out, const char *json, size_t size);
/* The window that the request has. */
struct tl_web_window tl_web_asked_window(const struct tl_web_question *question);

#endif
