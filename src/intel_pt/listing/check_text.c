/* SPDX-License-Identifier: Apache-2.0 */
/* Violations of rules, one on a line. */
#include <inttypes.h>
#include <string.h>

#include "core/output.h"
#include "intel_pt/listing/check.h"

struct violation_sink {
	struct tl_output *out;
	uint64_t base;
	bool json;
};

static void put_json(const struct violation_sink *to, const struct tl_pt_violation *v)
{
	tl_put_text(to->out, "{\"rule\":");
	tl_put_json(to->out, v->rule, strlen(v->rule));
	tl_put_format(to->out, ",\"offset\":%" PRIu64, to->base + v->offset);
	if (v->ip)
		tl_put_format(to->out, ",\"ip\":\"0x%" PRIx64 "\"", v->ip);
	tl_put_text(to->out, ",\"text\":");
	tl_put_json(to->out, v->text, strlen(v->text));
	tl_put_text(to->out, "}\n");
}

static int put_violation(void *arg, const struct tl_pt_violation *v)
{
	const struct violation_sink *to = arg;

	if (to->json) {
		put_json(to, v);
		return tl_output_failed(to->out);
	}
	tl_put_format(to->out, "%s offset 0x%" PRIx64, v->rule, to->base + v->offset);
	if (v->ip)
		tl_put_format(to->out, " at 0x%" PRIx64, v->ip);
	tl_put_format(to->out, ": %s\n", v->text);
	return tl_output_failed(to->out);
}

int64_t tl_pt_check_feed(const struct tl_pt_feed *feed, bool has_code, bool json,
			 struct tl_output *out, struct tl_error *err)
{
	struct violation_sink to = { .out = out, .json = json };
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_pt_trace_slice slice;
	int64_t sum = 0;
	int status;

	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &slice, err)) == 1) {
		int64_t found;

		to.base = slice.base;
		if (has_code)
			found = tl_pt_check_slice(&decoders, &slice, put_violation, &to, err);
		else
			found = tl_pt_check_packets(&slice.config, put_violation, &to, err);
		status = found < 0 ? (int)found : 0;
		if (status < 0)
			break;
		sum += found;
	}
	tl_pt_decoders_close(&decoders);
	if (status < 0)
		return status;
	return sum;
}
