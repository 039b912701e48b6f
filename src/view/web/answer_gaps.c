/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tracks of a file do not tell all. */
#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"

/* A page draws no more; what is left out is counted. */
enum { MOST_GAPS = 20000 };

static uint64_t since(uint64_t ticks, uint64_t origin)
{
	return ticks > origin ? ticks - origin : 0;
}

static void put_gap(struct tl_output *out, size_t track, const struct tl_call_gap *gap,
		    uint64_t origin)
{
	tl_web_put_number(out, "{\"track\":", track);
	tl_web_put_number(out, ",\"from\":", since(gap->from, origin));
	tl_web_put_number(out, ",\"to\":", since(gap->to, origin));
	if (gap->offset != TL_NOWHERE)
		tl_web_put_number(out, ",\"offset\":", gap->offset);
	tl_web_put_number(out, ",\"length\":", gap->length);
	tl_web_put_number(out, ",\"count\":", gap->count);
	tl_web_put_text(out, ",\"text\":", gap->text);
	tl_put_char(out, '}');
}

static void put_gaps(struct tl_output *out, const struct tl_call_index *index)
{
	struct tl_call_track_info track;
	struct tl_calls_info info = { 0 };
	struct tl_call_gap gap;
	uint64_t put = 0, left_out = 0;

	tl_call_index_info(index, &info, sizeof(info));
	tl_put_text(out, "{\"gaps\":[");
	for (size_t t = 0; tl_call_index_track(index, t, &track, sizeof(track)) == 1; t++)
		for (size_t i = 0; tl_call_index_gap(index, t, i, &gap, sizeof(gap)) == 1; i++) {
			if (put == MOST_GAPS) {
				left_out += gap.count;
				continue;
			}
			if (put++)
				tl_put_char(out, ',');
			put_gap(out, t, &gap, info.origin);
		}
	tl_web_put_number(out, "],\"left_out\":", left_out);
	tl_put_text(out, "}\n");
}

int tl_web_answer_gaps(struct tl_web_question *question, struct tl_error *err)
{
	struct tl_call_index *index = tl_web_document_index(question->document, err);

	if (!index)
		return err->status;
	put_gaps(question->out, index);
	return 0;
}
