/* SPDX-License-Identifier: Apache-2.0 */
/* Violations of the rules as lines: text, or one JSON object each. */
#include <inttypes.h>
#include <string.h>

#include "core/output.h"
#include "xtrace/listing/describe.h"

struct listing {
	struct tl_output *out;
	bool json;
	uint64_t id; /* only those of this thread or core; TL_NOWHERE: any */
	int64_t count;
};

static void number_or_null(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	if (value == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static void put_violation_json(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, v->rule, strlen(v->rule));
	number_or_null(out, ",\"offset\":", v->offset);
	number_or_null(out, ",\"record\":", v->record);
	number_or_null(out, ",\"thread\":", v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, ",\"pc\":\"0x%" PRIx64 "\"", v->pc);
	tl_put_text(out, ",\"file\":");
	tl_put_json(out, v->path ? v->path : "", v->path ? strlen(v->path) : 0);
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, v->text, strlen(v->text));
	if (v->expected) {
		tl_put_text(out, ",\"expected\":");
		tl_put_json(out, v->expected, strlen(v->expected));
	}
	tl_put_text(out, "}\n");
}

static void put_violation_text(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, v->rule);
	if (v->offset != TL_NOWHERE)
		tl_put_format(out, " offset 0x%" PRIx64, v->offset);
	if (v->record != TL_NOWHERE)
		tl_put_format(out, " record %" PRIu64, v->record);
	tl_put_format(out, " thread %" PRIu64, v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, " pc 0x%" PRIx64, v->pc);
	tl_put_format(out, ": %s", v->text);
	if (v->expected)
		tl_put_format(out, "; expected: %s", v->expected);
	tl_put_text(out, "\n");
}

static int put_violation(void *arg, const struct tl_xtrace_violation *v)
{
	struct listing *to = arg;

	if (to->id != TL_NOWHERE && to->id != v->id)
		return 0;
	to->count++;
	(to->json ? put_violation_json : put_violation_text)(to->out, v);
	return tl_output_failed(to->out);
}

int64_t tl_xtrace_list_violations(struct tl_xtrace_trace *trace,
				  const struct tl_xtrace_select *select, bool json,
				  struct tl_output *out, struct tl_error *err)
{
	struct listing to = { .out = out, .json = json, .id = select->id };
	int64_t found = tl_xtrace_check(trace, put_violation, &to, err);

	return found < 0 ? found : to.count;
}
