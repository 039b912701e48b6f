/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of calls. Times of the page are ticks from the origin of the trace on, so that they fit
 * the numbers that a page has.
 *
 * /api/window, little-endian, of each track's columns begins at a multiple of eight bytes:
 *
 *   "TLW1", u32 tracks; then of each track: u32 track, u32 count, f64 pixel, u32 coarse, u32 0;
 *   f64 start[count], end[count], busy[count]; u32 depth[count], function[count], calls[count],
 *   flags[count]. An `end` of -1: unfinished.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"

/* Efforts as in struct tl_call_query: of the first picture of a window, and when it is refined. */
enum { MOST_ITEMS = 20000, LEAST_ITEMS = 400, FIRST_EFFORT = 4, REFINED_EFFORT = 8 };

/* An index, asked with a cursor of this request's own. */
struct asked {
	struct tl_call_index *index;
	struct tl_call_cursor *cursor;
	uint64_t origin;
};

/* `drawn`: for a picture, for which a sample will do. */
static int begin(struct asked *asked, struct tl_web_question *question, bool drawn,
		 struct tl_error *err)
{
	struct tl_web_document *document = question->document;
	struct tl_calls_info info = { 0 };
	bool sampled;

	*asked = (struct asked){ 0 };
	asked->index = drawn ? tl_web_document_picture(document, &sampled, err)
			     : tl_web_document_index(document, err);
	if (!asked->index)
		return err->status;
	tl_call_index_info(asked->index, &info, sizeof(info));
	asked->origin = info.origin;
	return tl_call_cursor_open(&asked->cursor, asked->index, err);
}

/* ---- columns ---- */

static void put_u32(struct tl_output *out, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				  (uint8_t)(value >> 24) };

	tl_put_bytes(out, bytes, sizeof(bytes));
}

static void put_f64(struct tl_output *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_u32(out, (uint32_t)bits);
	put_u32(out, (uint32_t)(bits >> 32));
}

static double time_of(const struct asked *asked, uint64_t ticks)
{
	if (ticks == TL_NOWHERE)
		return -1;
	return ticks > asked->origin ? (double)(ticks - asked->origin) : 0;
}

enum number { DEPTH, FUNCTION, CALLS, FLAGS, NUMBERS };

static void put_numbers(struct tl_output *out, const struct tl_call_window *window)
{
	for (enum number n = DEPTH; n < NUMBERS; n++) {
		for (size_t i = 0; i < window->count; i++) {
			const struct tl_call_item *item = &window->items[i];
			const uint32_t numbers[NUMBERS] = { item->depth, item->function,
							    item->count, item->flags };

			put_u32(out, numbers[n]);
		}
		if (window->count % 2)
			put_u32(out, 0);
	}
}

static void put_window(struct tl_output *out, const struct asked *asked, uint32_t track,
		       const struct tl_call_window *window)
{
	put_u32(out, track);
	put_u32(out, (uint32_t)window->count);
	put_f64(out, (double)window->pixel);
	put_u32(out, window->coarse);
	put_u32(out, 0);
	for (size_t i = 0; i < window->count; i++)
		put_f64(out, time_of(asked, window->items[i].start));
	for (size_t i = 0; i < window->count; i++)
		put_f64(out, time_of(asked, window->items[i].end));
	for (size_t i = 0; i < window->count; i++)
		put_f64(out, (double)window->items[i].busy);
	put_numbers(out, window);
}

static uint32_t limited(uint64_t number, uint32_t most)
{
	return number && number < most ? (uint32_t)number : most;
}

static int put_track(struct tl_web_question *question, const struct asked *asked, uint32_t track,
		     struct tl_error *err)
{
	const struct tl_web_request *request = question->request;
	uint32_t share = (uint32_t)(MOST_ITEMS / request->tracks.count);
	struct tl_call_query query = {
		.size = sizeof(query),
		.track = track,
		.pixels = limited(request->pixels, 16384),
		.rows = request->rows ? limited(request->rows, 1u << 20) : 0,
		.items = limited(request->items, tl_max(share, LEAST_ITEMS)),
		.effort = request->refine ? REFINED_EFFORT : FIRST_EFFORT,
	};
	struct tl_call_window window;
	int status;

	if (__builtin_add_overflow(request->from, asked->origin, &query.from) ||
	    __builtin_add_overflow(request->to, asked->origin, &query.to))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the window has no such time");
	status = tl_call_cursor_window(asked->cursor, &query, &window, sizeof(window), err);
	if (status == 0)
		put_window(question->out, asked, track, &window);
	return status;
}

int tl_web_answer_window(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_numbers *tracks = &question->request->tracks;
	struct asked asked;
	int status;

	if (!tracks->count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no track is asked for");
	status = begin(&asked, question, true, err);
	tl_put_text(question->out, "TLW1");
	put_u32(question->out, (uint32_t)tracks->count);
	for (size_t i = 0; i < tracks->count && status == 0; i++)
		status = put_track(question, &asked, tracks->list[i], err);
	tl_call_cursor_close(asked.cursor);
	return status;
}

/* ---- functions ---- */

static void put_function(struct tl_output *out, const struct tl_call_function *function)
{
	tl_web_put_text(out, "\"name\":", function->name);
	tl_web_put_text(out, ",\"object\":", function->object);
	tl_web_put_text(out, ",\"file\":", function->file);
	tl_web_put_number(out, ",\"line\":", function->line);
}

int tl_web_answer_names(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_numbers *numbers = &question->request->functions;
	struct tl_call_function function;
	bool sampled;
	struct tl_call_index *index = tl_web_document_picture(question->document, &sampled, err);

	if (!index)
		return err->status;
	tl_put_text(question->out, "{\"functions\":[");
	for (size_t i = 0; i < numbers->count; i++) {
		int status = tl_call_index_function(index, numbers->list[i], &function,
						    sizeof(function), err);

		if (status < 0)
			return status;
		tl_put_text(question->out, i ? ",{" : "{");
		put_function(question->out, &function);
		tl_put_char(question->out, '}');
	}
	tl_put_text(question->out, "]}\n");
	return 0;
}

/* ---- one call ---- */

static void put_call(struct tl_output *out, const struct asked *asked, uint32_t track,
		     const struct tl_call_item *item)
{
	tl_web_put_number(out, "{\"track\":", track);
	tl_put_text(out, ",\"start\":");
	tl_put_double(out, time_of(asked, item->start));
	tl_put_text(out, ",\"end\":");
	tl_put_double(out, time_of(asked, item->end));
	tl_web_put_number(out, ",\"self\":", item->self);
	tl_web_put_number(out, ",\"depth\":", item->depth);
	tl_web_put_number(out, ",\"function\":", item->function);
	tl_web_put_number(out, ",\"flags\":", item->flags);
	tl_put_char(out, '}');
}

/* The track and time of a request, or an error. */
static int take_place(const struct tl_web_question *question, const struct asked *asked,
		      uint32_t *track, uint64_t *at, struct tl_error *err)
{
	const struct tl_web_request *request = question->request;

	if (request->tracks.count != 1 || __builtin_add_overflow(request->at, asked->origin, at))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a track and a time are needed");
	*track = request->tracks.list[0];
	return 0;
}

int tl_web_answer_stack(struct tl_web_question *question, struct tl_error *err)
{
	struct tl_call_window window;
	struct asked asked;
	uint32_t track = 0;
	uint64_t at = 0;
	int status = begin(&asked, question, false, err);

	if (status == 0)
		status = take_place(question, &asked, &track, &at, err);
	if (status == 0)
		status =
			tl_call_cursor_stack(asked.cursor, track, at, &window, sizeof(window), err);
	if (status == 0) {
		tl_put_text(question->out, "{\"calls\":[");
		for (size_t i = 0; i < window.count; i++) {
			if (i)
				tl_put_char(question->out, ',');
			put_call(question->out, &asked, track, &window.items[i]);
		}
		tl_put_text(question->out, "]}\n");
	}
	tl_call_cursor_close(asked.cursor);
	return status;
}

int tl_web_answer_find(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_numbers *functions = &question->request->functions;
	struct tl_call_item item = { 0 };
	struct asked asked;
	uint32_t track = 0;
	uint64_t at = 0;
	int status = begin(&asked, question, false, err);

	if (status == 0)
		status = take_place(question, &asked, &track, &at, err);
	if (status == 0 && functions->count != 1)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a function is needed");
	if (status == 0)
		status = (question->request->back ? tl_call_cursor_previous : tl_call_cursor_next)(
			asked.cursor, track, functions->list[0], at, &item, sizeof(item), err);
	if (status >= 0) {
		tl_put_text(question->out, "{\"call\":");
		if (status == 1)
			put_call(question->out, &asked, track, &item);
		else
			tl_put_text(question->out, "null");
		tl_put_text(question->out, "}\n");
	}
	tl_call_cursor_close(asked.cursor);
	return tl_error_or_end(status);
}
