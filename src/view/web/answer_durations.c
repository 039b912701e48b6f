/* SPDX-License-Identifier: Apache-2.0 */
/* How long the calls of one function took: a histogram, and the slowest of them. */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"

enum {
	SLOWEST = 100,
	STEPS = 8, /* classes of durations from one power of two to the next */
	CLASSES = 64 * STEPS,
	KNOWN = 4096,           /* functions that are remembered to be the one, or not */
	TICKS_A_LOOK = 1 << 16, /* calls between two looks for the asker */
};

struct known {
	uint32_t number;
	bool filled, wanted;
};

struct slow_call {
	struct tl_call call;
	uint64_t duration;
};

struct durations {
	const struct tl_web_request *request;
	struct tl_calls *calls;
	uint64_t origin;
	uint64_t finished, unfinished, cut, sum;
	uint64_t classes[CLASSES];
	struct slow_call slowest[SLOWEST]; /* the longest first */
	size_t slow_count;
	struct known known[KNOWN];
};

/* ---- which calls ---- */

static bool is_text(const char *wanted, const char *text)
{
	return !wanted || !strcmp(wanted, text);
}

/* 1: it is a call of the function; 0: not; or negative. */
static int is_wanted(struct durations *d, uint32_t number, struct tl_error *err)
{
	struct known *known = &d->known[number % KNOWN];
	struct tl_call_function f;
	int status;

	if (known->filled && known->number == number)
		return known->wanted;
	status = tl_calls_function(d->calls, number, &f, sizeof(f), err);
	if (status < 0)
		return status;
	*known = (struct known){ number, true,
				 is_text(d->request->name, f.name) &&
					 is_text(d->request->object, f.object) &&
					 is_text(d->request->source, f.file) };
	return known->wanted;
}

/* ---- counting ---- */

/* Below STEPS each duration has a class of its own; above, the leading bits choose it. */
static unsigned class_of(uint64_t duration)
{
	unsigned bits;

	if (duration < STEPS)
		return (unsigned)duration;
	bits = 63 - (unsigned)__builtin_clzll(duration);
	return (bits - 2) * STEPS + (unsigned)(duration >> (bits - 3) & (STEPS - 1));
}

/* The shortest duration of a class. */
static uint64_t class_begin(unsigned class)
{
	unsigned bits = class / STEPS + 2;

	return class < STEPS ? class : (uint64_t)(STEPS + class % STEPS) << (bits - 3);
}

static void note_slow(struct durations *d, const struct tl_call *call, uint64_t duration)
{
	size_t i = d->slow_count;

	if (i == SLOWEST && d->slowest[i - 1].duration >= duration)
		return;
	if (i < SLOWEST)
		d->slow_count++;
	else
		i--;
	for (; i && d->slowest[i - 1].duration < duration; i--)
		d->slowest[i] = d->slowest[i - 1];
	d->slowest[i] = (struct slow_call){ *call, duration };
}

static void count_call(struct durations *d, const struct tl_call *call)
{
	uint64_t duration;

	if (call->end == TL_NOWHERE) {
		d->unfinished++;
		return;
	}
	if (call->flags & (TL_CALL_CUT | TL_CALL_LATE)) {
		d->cut++;
		return;
	}
	duration = call->end - call->start;
	d->finished++;
	d->sum += duration;
	d->classes[class_of(duration)]++;
	note_slow(d, call, duration);
}

static int count_calls(struct durations *d, const struct tl_web_asker *asker, struct tl_error *err)
{
	const struct tl_call *call;
	int status, wanted;

	for (uint64_t n = 1; (status = tl_calls_next(d->calls, &call, err)) == 1; n++) {
		if (n % TICKS_A_LOOK == 0 && asker->gone && asker->gone(asker->arg))
			return tl_error_at(err, TL_IO, TL_NOWHERE, "nobody waits for it");
		wanted = is_wanted(d, call->function, err);
		if (wanted < 0)
			return wanted;
		if (wanted)
			count_call(d, call);
	}
	return status;
}

/* ---- the answer ---- */

static void put_classes(struct tl_output *out, const struct durations *d)
{
	bool first = true;

	tl_put_text(out, ",\"classes\":[");
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!d->classes[i])
			continue;
		tl_put_text(out, first ? "[" : ",[");
		first = false;
		tl_put_u64(out, class_begin(i));
		tl_web_put_number(out, ",", i + 1 < CLASSES ? class_begin(i + 1) : UINT64_MAX);
		tl_web_put_number(out, ",", d->classes[i]);
		tl_put_char(out, ']');
	}
	tl_put_char(out, ']');
}

static void put_slowest(struct tl_output *out, const struct durations *d)
{
	tl_put_text(out, ",\"slowest\":[");
	for (size_t i = 0; i < d->slow_count; i++) {
		const struct tl_call *call = &d->slowest[i].call;

		tl_put_text(out, i ? ",{\"process\":" : "{\"process\":");
		tl_put_i64(out, call->process);
		tl_put_text(out, ",\"thread\":");
		tl_put_i64(out, call->thread);
		tl_web_put_number(out, ",\"start\":", tl_excess(call->start, d->origin));
		tl_web_put_number(out, ",\"duration\":", d->slowest[i].duration);
		tl_web_put_number(out, ",\"self\":", call->self);
		tl_web_put_number(out, ",\"depth\":", call->depth);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_durations(struct tl_output *out, const struct durations *d)
{
	tl_web_put_number(out, "{\"finished\":", d->finished);
	tl_web_put_number(out, ",\"unfinished\":", d->unfinished);
	tl_web_put_number(out, ",\"cut\":", d->cut);
	tl_web_put_number(out, ",\"sum\":", d->sum);
	put_classes(out, d);
	put_slowest(out, d);
	tl_put_text(out, "}\n");
}

/* The window is one of ticks from the origin on, `to` 0: no end. */
static int open_calls(struct durations *d, struct tl_input *input, uint64_t origin,
		      struct tl_error *err)
{
	struct tl_calls_options options = { .size = sizeof(options) };
	struct tl_calls_info info = { 0 };
	int status;

	if (__builtin_add_overflow(d->request->from, origin, &options.from) ||
	    (d->request->to && __builtin_add_overflow(d->request->to, origin, &options.to)))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the window has no such time");
	status = tl_input_calls(input, &options, &d->calls, err);
	if (status == 0)
		tl_calls_info(d->calls, &info, sizeof(info));
	d->origin = info.origin;
	return status;
}

static int gather(struct tl_web_question *question, struct durations *d, struct tl_input *input,
		  struct tl_error *err)
{
	struct tl_call_index *index = tl_web_document_index(question->document, err);
	struct tl_calls_info info = { 0 };
	int status;

	if (!index)
		return err->status;
	tl_call_index_info(index, &info, sizeof(info));
	d->request = question->request;
	status = open_calls(d, input, info.origin, err);
	if (status == 0)
		status = count_calls(d, question->asker, err);
	if (status == 0)
		put_durations(question->out, d);
	tl_calls_close(d->calls);
	return status;
}

int tl_web_answer_durations(struct tl_web_question *question, struct tl_error *err)
{
	const struct tl_web_window all = { 0 };
	struct durations *d = calloc(1, sizeof(*d));
	struct tl_input *input = NULL;
	int status = d ? tl_web_document_reopen(question->document, question->asker, &all,
						TL_DETAIL_FUNCTIONS, &input, err)
		       : tl_error_memory(err);

	if (status == 0)
		status = gather(question, d, input, err);
	tl_input_close(input);
	free(d);
	return status;
}
