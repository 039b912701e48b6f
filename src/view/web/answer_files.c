/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are looked at, and what is known of them. */
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "view/web/answer.h"

/* ---- tracks ---- */

static uint64_t since(uint64_t ticks, uint64_t origin)
{
	return ticks > origin ? ticks - origin : 0;
}

static void put_tracks(struct tl_output *out, const struct tl_call_index *index, uint64_t origin)
{
	struct tl_call_track_info track;

	tl_put_text(out, ",\"tracks\":[");
	for (size_t i = 0; tl_call_index_track(index, i, &track, sizeof(track)) == 1; i++) {
		tl_put_text(out, i ? ",{\"process\":" : "{\"process\":");
		tl_put_i64(out, track.process);
		tl_put_text(out, ",\"thread\":");
		tl_put_i64(out, track.thread);
		tl_web_put_number(out, ",\"first\":", since(track.first, origin));
		tl_web_put_number(out, ",\"last\":", since(track.last, origin));
		tl_web_put_number(out, ",\"calls\":", track.calls);
		tl_web_put_number(out, ",\"index_bytes\":", track.index_bytes);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_index(struct tl_output *out, const struct tl_call_index *index)
{
	struct tl_calls_info info = { 0 };

	tl_call_index_info(index, &info, sizeof(info));
	tl_web_put_number(out, ",\"frequency\":", info.frequency);
	tl_web_put_number(out, ",\"origin\":", info.origin);
	tl_web_put_text(
		out, ",\"clock\":", info.clock == TL_CALL_INSTRUCTIONS ? "instructions" : "ticks");
	put_tracks(out, index, info.origin);
}

static void put_timeline(struct tl_output *out, struct tl_web_document *d)
{
	enum tl_web_index_state state;
	struct tl_call_index *sample;
	struct tl_error err;

	pthread_mutex_lock(&d->lock);
	state = d->index_state;
	sample = d->sample;
	err = d->index_error;
	pthread_mutex_unlock(&d->lock);
	tl_web_put_number(out, ",\"done\":", atomic_load(&d->done));
	tl_web_put_number(out, ",\"total\":", atomic_load(&d->total));
	if (state == TL_WEB_INDEX_READY) {
		tl_put_text(out, ",\"index\":\"ready\"");
		put_index(out, d->index);
	} else if (state == TL_WEB_INDEX_BUSY && sample) {
		tl_put_text(out, ",\"index\":\"sampled\"");
		put_index(out, sample);
	} else if (state == TL_WEB_INDEX_BUSY) {
		tl_put_text(out, ",\"index\":\"busy\"");
	} else {
		tl_put_text(out, ",\"index\":\"none\"");
		tl_web_put_text(out, ",\"why\":", err.text ? err.text : "it has no calls");
	}
}

/* ---- files ---- */

/* The date of the last write, which is when the trace was recorded; "": of no file. */
static void date_of(const struct tl_web_document *d, char *text, size_t size)
{
	struct tm date;

	*text = 0;
	if (d->opened.written && gmtime_r(&d->opened.written, &date))
		strftime(text, size, "%Y-%m-%d %H:%M UTC", &date);
}

static void put_file(struct tl_output *out, struct tl_web_document *d)
{
	const struct tl_format_info *format = tl_input_format(d->input);
	char date[64];

	date_of(d, date, sizeof(date));
	tl_put_text(out, "{\"paths\":[");
	for (size_t i = 0; i < d->file.path_count; i++)
		tl_web_put_text(out, tl_text_if(i, ","), d->file.paths[i]);
	tl_web_put_text(out, "],\"format\":", format->name);
	tl_web_put_text(out, ",\"help\":", format->help);
	tl_web_put_text(out, ",\"written\":", date);
	tl_web_put_number(out, ",\"bytes\":", d->opened.bytes);
	put_timeline(out, d);
	tl_put_char(out, '}');
}

int tl_web_answer_state(struct tl_web_question *question, struct tl_error *err)
{
	struct tl_web_view *view = question->view;

	(void)err;
	tl_web_put_text(question->out, "{\"version\":", tl_version());
	tl_put_text(question->out, ",\"files\":[");
	for (size_t i = 0; i < view->count; i++) {
		if (i)
			tl_put_char(question->out, ',');
		put_file(question->out, &view->documents[i]);
	}
	tl_put_text(question->out, "]}\n");
	return 0;
}

/* ---- files that change ---- */

int tl_web_answer_changes(struct tl_web_question *question, struct tl_error *err)
{
	struct tl_web_view *view = question->view;
	unsigned told = 0;

	(void)err;
	tl_put_text(question->out, "{\"changes\":[");
	for (size_t i = 0; i < view->count; i++) {
		const struct tl_view_stamps *stamps = &view->documents[i].opened.stamps;

		for (size_t n = 0; n < stamps->count; n++) {
			const char *change = tl_view_stamps_change(stamps, n);

			if (!change)
				continue;
			tl_web_put_text(question->out,
					told++ ? ",{\"path\":" : "{\"path\":", stamps->paths[n]);
			tl_web_put_text(question->out, ",\"change\":", change);
			tl_put_char(question->out, '}');
		}
	}
	tl_put_text(question->out, "]}\n");
	return 0;
}

/* ---- what `info` tells, and what is damaged ---- */

static void put_damage(struct tl_output *out, struct tl_input *input)
{
	struct tl_damage place;
	uint64_t skipped, count = tl_input_damage_count(input, &skipped);

	tl_web_put_number(out, ",\"damaged_places\":", count);
	tl_web_put_number(out, ",\"skipped_bytes\":", skipped);
	tl_put_text(out, ",\"damage\":[");
	for (size_t i = 0; tl_input_damage(input, i, &place, sizeof(place)) == 1; i++) {
		tl_web_put_text(out, i ? ",{\"text\":" : "{\"text\":", place.text);
		tl_put_text(out, place.status == TL_OK ? ",\"remark\":true" : ",\"remark\":false");
		if (place.offset != TL_NOWHERE)
			tl_web_put_number(out, ",\"offset\":", place.offset);
		if (place.record != TL_NOWHERE)
			tl_web_put_number(out, ",\"record\":", place.record);
		tl_web_put_number(out, ",\"length\":", place.length);
		tl_web_put_text(out, ",\"path\":", tl_text_or_empty(place.path));
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

int tl_web_answer_info(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_window all = { 0 };
	struct tl_input *input = NULL;
	int status = tl_web_document_reopen(question->document, question->asker, &all,
					    TL_DETAIL_FUNCTIONS, &input, err);

	if (status < 0)
		return status;
	tl_put_text(question->out, "{\"info\":");
	status = tl_input_info(input, TL_REPORT_JSON, question->out, err);
	if (status >= 0) {
		put_damage(question->out, input);
		tl_put_text(question->out, "}\n");
	}
	tl_input_close(input);
	return status;
}
