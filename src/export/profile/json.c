/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole profile as one JSON object, a line per element of a list. Elements refer to each other
 * by number from 0; an unknown value is null. Numbers keep all their digits, addresses are
 * hexadecimal strings.
 */
#include <string.h>

#include "core/output.h"
#include "export/profile/exporters.h"
#include "profile/model/unsized.h"

/* ---- values ---- */

/* `name` comes with its quotes, colon and the comma or brace before it. */
static void put_text_member(struct tl_output *out, const char *name, const char *text)
{
	tl_put_text(out, name);
	tl_put_json(out, text, strlen(text));
}

static void put_u64_member(struct tl_output *out, const char *name, uint64_t value)
{
	tl_put_text(out, name);
	tl_put_u64(out, value);
}

static void put_flag(struct tl_output *out, const char *name, bool value)
{
	tl_put_text(out, name);
	tl_put_boolean(out, value);
}

/* A number with a value that means "none". */
static void put_optional(struct tl_output *out, const char *name, uint64_t value, uint64_t none)
{
	tl_put_text(out, name);
	if (value == none)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static void put_address(struct tl_output *out, const char *name, uint64_t address)
{
	tl_put_text(out, name);
	if (!address) {
		tl_put_text(out, "null");
		return;
	}
	tl_put_char(out, '"');
	tl_put_hex(out, address);
	tl_put_char(out, '"');
}

static void put_costs(struct tl_output *out, const char *name, const struct tl_profile *profile,
		      const int64_t *costs)
{
	uint32_t count = tl_profile_event_count(profile);

	tl_put_text(out, name);
	tl_put_char(out, '[');
	for (uint32_t e = 0; e < count; e++) {
		if (e)
			tl_put_char(out, ',');
		tl_put_i64(out, costs[e]);
	}
	tl_put_char(out, ']');
}

static void put_position(struct tl_output *out, const char *name, const struct tl_position *at)
{
	tl_put_text(out, name);
	put_text_member(out, "{\"file\":", at->file);
	put_optional(out, ",\"line\":", at->line, 0);
	put_address(out, ",\"address\":", at->address);
	put_address(out, ",\"block\":", at->block);
	tl_put_char(out, '}');
}

/* A loss that is rare: only written if there was one. */
static void put_some(struct tl_output *out, const char *name, uint64_t value)
{
	if (value)
		put_u64_member(out, name, value);
}

static void put_losses(struct tl_output *out, const char *name, const struct tl_losses *losses)
{
	tl_put_text(out, name);
	put_u64_member(out, "{\"orphan_exits\":", losses->orphan_exits);
	put_u64_member(out, ",\"deduced_exits\":", losses->deduced_exits);
	put_u64_member(out, ",\"unfinished\":", losses->unfinished);
	put_u64_member(out, ",\"time_reversals\":", losses->time_reversals);
	put_u64_member(out, ",\"gaps\":", losses->gaps);
	put_u64_member(out, ",\"skipped_bytes\":", losses->skipped_bytes);
	put_u64_member(out, ",\"skipped_records\":", losses->skipped_records);
	put_u64_member(out, ",\"saturated\":", losses->saturated);
	put_some(out, ",\"left_calls\":", losses->left_calls);
	put_some(out, ",\"uncertain\":", losses->uncertain);
	put_some(out, ",\"gap_ends\":", losses->gap_ends);
	put_some(out, ",\"bridged\":", losses->bridged);
	tl_put_char(out, '}');
}

/* ---- elements of the lists ---- */

static void put_event(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_event *event = tl_profile_event(profile, number);

	put_text_member(out, "{\"name\":", event->name);
	put_text_member(out, ",\"long_name\":", event->long_name);
	put_text_member(out, ",\"unit\":", event->unit);
	put_text_member(out, ",\"formula\":", event->formula);
	tl_put_char(out, '}');
}

static void put_part(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_part *part = tl_profile_part(profile, number);

	put_optional(out, "{\"process\":", part->process, TL_NOWHERE);
	put_optional(out, ",\"thread\":", part->thread, TL_NOWHERE);
	put_optional(out, ",\"number\":", part->number, 0);
	put_text_member(out, ",\"command\":", part->command);
	put_text_member(out, ",\"header\":", part->header);
	put_u64_member(out, ",\"first_ticks\":", part->first_ticks);
	put_u64_member(out, ",\"last_ticks\":", part->last_ticks);
	put_u64_member(out, ",\"records\":", part->records);
	put_losses(out, ",\"losses\":", &part->losses);
	tl_put_char(out, '}');
}

static void put_latency(const struct tl_profile *profile, uint32_t function, struct tl_output *out)
{
	struct tl_latency latency;

	if (!tl_profile_latency_of(profile, function, TL_NONE, &latency))
		return;
	put_u64_member(out, ",\"latency\":{\"calls\":", latency.calls);
	put_u64_member(out, ",\"min\":", latency.min);
	put_u64_member(out, ",\"median\":", latency.median);
	put_u64_member(out, ",\"p90\":", latency.p90);
	put_u64_member(out, ",\"p99\":", latency.p99);
	put_u64_member(out, ",\"max\":", latency.max);
	put_u64_member(out, ",\"sum\":", latency.sum);
	put_flag(out, ",\"exact\":", latency.exact);
	tl_put_char(out, '}');
}

static void put_function(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_function *function = tl_profile_function(profile, number);
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, number, TL_NONE, &totals);
	put_text_member(out, "{\"name\":", function->name);
	put_text_member(out, ",\"object\":", function->object);
	put_text_member(out, ",\"file\":", function->file);
	put_optional(out, ",\"line\":", function->line, 0);
	put_optional(out, ",\"id\":", function->id, TL_NOWHERE);
	put_address(out, ",\"address\":", function->address);
	put_u64_member(out, ",\"calls\":", totals.calls);
	put_u64_member(out, ",\"unfinished\":", totals.unfinished);
	put_u64_member(out, ",\"cut\":", totals.cut);
	put_costs(out, ",\"self\":", profile, totals.self);
	put_costs(out, ",\"inclusive\":", profile, totals.inclusive);
	put_latency(profile, number, out);
	tl_put_char(out, '}');
}

static void put_context(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_context *context = tl_profile_context(profile, number);

	put_optional(out, "{\"parent\":", context->parent, TL_NONE);
	put_u64_member(out, ",\"function\":", context->function);
	put_optional(out, ",\"part\":", context->part, TL_NONE);
	put_u64_member(out, ",\"calls\":", context->calls);
	put_u64_member(out, ",\"unfinished\":", context->unfinished);
	put_u64_member(out, ",\"cut\":", context->cut);
	put_costs(out, ",\"self\":", profile, tl_profile_context_self(profile, number));
	put_costs(out, ",\"inclusive\":", profile, tl_profile_context_inclusive(profile, number));
	tl_put_char(out, '}');
}

static void put_arc(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_arc *arc = tl_profile_arc(profile, number);

	put_optional(out, "{\"caller\":", arc->caller, TL_NONE);
	put_u64_member(out, ",\"callee\":", arc->callee);
	put_optional(out, ",\"part\":", arc->part, TL_NONE);
	put_position(out, ",\"from\":", &arc->from);
	put_position(out, ",\"to\":", &arc->to);
	put_u64_member(out, ",\"calls\":", arc->calls);
	put_costs(out, ",\"inclusive\":", profile, tl_profile_arc_cost(profile, number));
	tl_put_char(out, '}');
}

static void put_line(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_cost_line *line = tl_profile_line(profile, number);

	put_u64_member(out, "{\"function\":", line->function);
	put_optional(out, ",\"part\":", line->part, TL_NONE);
	put_position(out, ",\"at\":", &line->at);
	put_costs(out, ",\"self\":", profile, tl_profile_line_cost(profile, number));
	tl_put_char(out, '}');
}

static void put_jump(const struct tl_profile *profile, uint32_t number, struct tl_output *out)
{
	const struct tl_jump *jump = tl_profile_jump(profile, number);

	put_u64_member(out, "{\"function\":", jump->function);
	put_u64_member(out, ",\"target\":", jump->target);
	put_optional(out, ",\"part\":", jump->part, TL_NONE);
	put_position(out, ",\"from\":", &jump->from);
	put_position(out, ",\"to\":", &jump->to);
	put_u64_member(out, ",\"executed\":", jump->executed);
	put_u64_member(out, ",\"taken\":", jump->taken);
	put_flag(out, ",\"conditional\":", jump->conditional);
	tl_put_char(out, '}');
}

/* ---- the document ---- */

static const struct list {
	const char *name;
	uint32_t (*count)(const struct tl_profile *profile);
	void (*put)(const struct tl_profile *profile, uint32_t number, struct tl_output *out);
} lists[] = {
	{ "events", tl_profile_event_count, put_event },
	{ "parts", tl_profile_part_count, put_part },
	{ "functions", tl_profile_function_count, put_function },
	{ "contexts", tl_profile_context_count, put_context },
	{ "arcs", tl_profile_arc_count, put_arc },
	{ "lines", tl_profile_line_count, put_line },
	{ "jumps", tl_profile_jump_count, put_jump },
};

static void put_list(const struct list *list, const struct tl_profile *profile,
		     struct tl_output *out)
{
	uint32_t count = list->count(profile);

	tl_put_format(out, ",\n\"%s\":[", list->name);
	for (uint32_t i = 0; i < count && !tl_output_failed(out); i++) {
		if (i)
			tl_put_char(out, ',');
		tl_put_char(out, '\n');
		list->put(profile, i, out);
	}
	tl_put_char(out, ']');
}

static int write_json(const struct tl_profile *profile, const struct tl_export_options *options,
		      struct tl_output *out, struct tl_error *err)
{
	struct tl_losses losses = tl_profile_losses_of(profile);
	struct tl_export_options filled;
	int status = tl_export_options(&filled, profile, options, err);

	if (status < 0)
		return status;
	put_text_member(out, "{\"format\":", tl_profile_format(profile));
	if (filled.command)
		put_text_member(out, ",\"command\":", filled.command);
	put_optional(out, ",\"frequency\":", tl_profile_frequency(profile), 0);
	put_flag(out, ",\"timed\":", tl_profile_timed(profile));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		put_list(&lists[i], profile, out);
	put_losses(out, ",\n\"losses\":", &losses);
	put_costs(out, ",\n\"total\":", profile, tl_profile_total(profile));
	tl_put_text(out, "}\n");
	return 0;
}

const struct tl_exporter tl_json_exporter = {
	.name = "json",
	.suffix = ".json",
	.help = "the whole profile, JSON",
	.write = write_json,
	.contexts = true,
};
