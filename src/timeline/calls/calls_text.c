/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/calls_text.h"

#include "core/error.h"
#include "core/text/optional.h"
#include "timeline/timeline.h"

struct printing {
	struct tl_calls *calls;
	struct tl_output *out;
	uint64_t frequency; /* 0: times are printed as ticks */
};

/* Nine decimals, and three more where they are not zero. */
static void put_seconds(struct tl_output *out, struct tl_time time)
{
	tl_put_format(out, "%llu.%09u", (unsigned long long)time.seconds, time.ns);
	if (time.ps)
		tl_put_format(out, "%03u", time.ps);
}

static void put_time(const struct printing *p, uint64_t ticks)
{
	if (p->frequency)
		put_seconds(p->out, tl_ticks_time(p->frequency, ticks));
	else
		tl_put_u64(p->out, ticks);
}

static void put_or(const struct printing *p, const char *key, uint64_t number, bool is_time,
		   const char *otherwise)
{
	tl_put_text(p->out, key);
	if (number == TL_NOWHERE)
		tl_put_text(p->out, otherwise);
	else if (is_time)
		put_time(p, number);
	else
		tl_put_u64(p->out, number);
}

static void put_json(const struct printing *p, const struct tl_call *call, const char *name)
{
	struct tl_output *out = p->out;

	tl_put_text(out, "{\"thread\":");
	tl_put_i64(out, call->thread);
	tl_put_text(out, ",\"process\":");
	tl_put_i64(out, call->process);
	put_or(p, ",\"start\":", call->start, true, "null");
	put_or(p, ",\"end\":", call->end, true, "null");
	tl_put_text(out, ",\"depth\":");
	tl_put_u64(out, call->depth);
	tl_put_text(out, ",\"function\":");
	tl_put_json(out, name, strlen(name));
	put_or(p, ",\"parent\":", call->parent, false, "null");
	tl_put_text(out, ",\"id\":");
	tl_put_u64(out, call->id);
	if (call->flags & TL_CALL_CUT)
		tl_put_text(out, ",\"cut\":true");
	if (call->flags & TL_CALL_LATE)
		tl_put_text(out, ",\"late\":true");
	tl_put_text(out, "}\n");
}

static void put_text(const struct printing *p, const struct tl_call *call, const char *name)
{
	struct tl_output *out = p->out;

	tl_put_u64(out, call->id);
	tl_put_text(out, " process ");
	tl_put_i64(out, call->process);
	tl_put_text(out, " thread ");
	tl_put_i64(out, call->thread);
	put_or(p, " start ", call->start, true, "-");
	put_or(p, " end ", call->end, true, "-");
	tl_put_text(out, " depth ");
	tl_put_u64(out, call->depth);
	put_or(p, " parent ", call->parent, false, "-");
	tl_put_text(out, tl_text_if(call->flags & TL_CALL_CUT, " cut"));
	tl_put_text(out, call->flags & TL_CALL_LATE ? " late " : " ");
	tl_put_shown(out, name, strlen(name));
	tl_put_char(out, '\n');
}

int tl_calls_print(struct tl_calls *calls, bool json, bool seconds, struct tl_output *out,
		   struct tl_error *err)
{
	struct printing p = { .calls = calls, .out = out };
	struct tl_call_function function = { .name = "" };
	const struct tl_call *call = NULL;
	struct tl_calls_info info;
	int status = tl_calls_info(calls, &info, sizeof(info));

	if (seconds && !info.frequency)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the trace does not say how long a tick is, so no seconds");
	p.frequency = seconds ? info.frequency : 0;
	while (status >= 0 && !tl_output_failed(out) &&
	       (status = tl_calls_next(calls, &call, err)) == 1) {
		status = tl_calls_function(calls, call->function, &function, sizeof(function), err);
		if (status == 0)
			(json ? put_json : put_text)(&p, call, function.name);
	}
	return status;
}
