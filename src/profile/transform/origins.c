/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile cost by the trace, the host or the process that it is from: small enough that
 * those of many files can be merged, and tables made of the sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "core/wide.h"
#include "profile/model/model.h"

static const char unknown[] = "(unknown)";

struct origins {
	const struct tl_profile *from;
	struct tl_profile *to;
	struct tl_origin_options options;
	char *header;       /* of each part: the events that its file has */
	uint32_t *part;     /* in `to`, by part of `from`; behind the last: of no part */
	uint32_t *function; /* in `to`, by function of `from`; TL_NONE: not chosen */
};

/* ---- names of origins ---- */

/*
 * The text behind a key, "Host:" or "Cgroup:", in a header, with or without "desc:" before it. Its
 * size; 0: none.
 */
static int text_behind(const struct tl_part *part, const char *key, const char **text)
{
	static const char desc[] = "desc:";

	for (const char *line = part->header; *line; line += strcspn(line, "\n")) {
		line += strspn(line, "\n");
		*text = line;
		if (!strncmp(*text, desc, sizeof(desc) - 1))
			*text += sizeof(desc) - 1;
		*text += strspn(*text, " ");
		if (strncmp(*text, key, strlen(key)) != 0)
			continue;
		*text += strlen(key);
		*text += strspn(*text, " ");
		return (int)strcspn(*text, "\n");
	}
	return 0;
}

/* To free(); NULL without memory. `part` is NULL for costs of no part. */
static char *name_of(const struct origins *o, const struct tl_part *part)
{
	const char *key = o->options.by == TL_BY_CGROUP ? "Cgroup:" : "Host:", *host = "";
	int host_size = part ? text_behind(part, key, &host) : 0;
	size_t room = sizeof("process  on ") + 20 + (size_t)host_size;
	char *name;

	if (o->options.by == TL_BY_TRACE)
		return strdup(o->options.name);
	if (o->options.by == TL_BY_HOST || o->options.by == TL_BY_CGROUP)
		return host_size ? strndup(host, (size_t)host_size) : strdup(unknown);
	if (!part || part->process == TL_NOWHERE)
		return strdup(unknown);
	/* Hosts give the same numbers to their processes. */
	name = malloc(room);
	if (name)
		snprintf(name, room, "process %" PRIu64 "%s%.*s", part->process,
			 tl_text_if(host_size, " on "), host_size, host);
	return name;
}

/* ---- parts ---- */

/* The part of an origin, made where there is none. */
static int64_t part_of(struct origins *o, const struct tl_part *part, struct tl_error *err)
{
	struct tl_part made = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .header = o->header };
	char *name = name_of(o, part);
	int64_t number = -1;

	if (!name)
		return tl_error_memory(err);
	for (size_t i = 0; number < 0 && i < o->to->parts.count; i++)
		if (!strcmp(o->to->parts.list[i].command, name))
			number = (int64_t)i;
	made.command = name;
	if (number < 0)
		number = tl_profile_put_part(o->to, &made, err);
	free(name);
	if (number >= 0 && part) {
		struct tl_part *to = &o->to->parts.list[number];

		to->records += part->records;
		tl_losses_add(&to->losses, &part->losses);
	}
	return number;
}

static bool is_any(const struct tl_profile *from, const int64_t *cost)
{
	for (uint32_t e = 0; e < from->event_count; e++)
		if (cost[e])
			return true;
	return false;
}

/* Of what take_costs() takes: lines say again what contexts do. */
static bool has_loose_costs(const struct tl_profile *from)
{
	for (uint32_t i = 0; i < from->contexts.table.count; i++) {
		const struct tl_context *c = &from->contexts.list[i];

		if (c->part >= from->parts.count &&
		    (c->calls || is_any(from, tl_profile_context_self(from, i))))
			return true;
	}
	for (uint32_t i = 0; !from->contexts.table.count && i < from->lines.table.count; i++)
		if (from->lines.list[i].part >= from->parts.count &&
		    is_any(from, tl_profile_line_cost(from, i)))
			return true;
	return false;
}

static int take_parts(struct origins *o, struct tl_error *err)
{
	const struct tl_profile *from = o->from;
	int64_t number = 0;

	for (size_t i = 0; number >= 0 && i < from->parts.count; i++) {
		number = part_of(o, &from->parts.list[i], err);
		o->part[i] = (uint32_t)number;
	}
	if (number >= 0 && (!from->parts.count || has_loose_costs(from))) {
		number = part_of(o, NULL, err);
		o->part[from->parts.count] = (uint32_t)number;
	}
	return tl_profile_status(number);
}

/* The events of the file, since a merged profile has those of all files. */
static char *make_header(const struct tl_profile *to)
{
	static const char key[] = "event: ";
	size_t size = 1;
	char *text, *end;

	for (uint32_t e = 0; e < to->event_count; e++)
		size += sizeof(key) + strlen(to->events[e].name);
	text = end = malloc(size);
	if (!text)
		return NULL;
	*end = '\0';
	for (uint32_t e = 0; e < to->event_count; e++)
		end = stpcpy(stpcpy(stpcpy(end, key), to->events[e].name), "\n");
	return text;
}

/* ---- functions ---- */

/* Functions are who they are by their names. */
static int64_t take_function(struct origins *o, const struct tl_function *function,
			     struct tl_error *err)
{
	struct tl_function named = { .name = "(all)", .object = "", .file = "", .id = TL_NOWHERE };

	if (o->options.functions) {
		named.name = function->name;
		named.object = function->object;
		named.file = function->file;
	}
	return tl_profile_put_function(o->to, &named, err);
}

static int take_functions(struct origins *o, struct tl_error *err)
{
	for (uint32_t f = 0; f < o->from->functions.table.count; f++) {
		bool counts = o->options.functions || tl_profile_chosen(o->from, f);
		int64_t number =
			counts ? take_function(o, &o->from->functions.list[f], err) : TL_NONE;

		if (number < 0)
			return (int)number;
		o->function[f] = (uint32_t)number;
	}
	return 0;
}

/* ---- costs ---- */

static int add_self(struct origins *o, uint32_t function, uint32_t part, const int64_t *cost,
		    struct tl_error *err)
{
	const struct tl_cost_line line = { .function = o->function[function], .part = part };

	return line.function == TL_NONE ? 0 : tl_profile_put_line(o->to, &line, cost, err);
}

static int add_calls(struct origins *o, uint32_t function, uint32_t part, uint64_t calls,
		     const int64_t *inclusive, struct tl_error *err)
{
	const struct tl_arc arc = {
		.caller = TL_NONE, .callee = o->function[function], .part = part, .calls = calls
	};

	return arc.callee == TL_NONE ? 0 : tl_profile_put_arc(o->to, &arc, inclusive, err);
}

/* All is of one origin: the sums of functions say all, however the profile has them. */
static int take_sums(struct origins *o, struct tl_error *err)
{
	const struct tl_profile *from = o->from;
	int status = 0;

	for (uint32_t f = 0; status == 0 && f < from->functions.table.count; f++) {
		size_t at = (size_t)f * from->event_count;

		status = add_self(o, f, 0, from->sums.self + at, err);
		if (status == 0)
			status = add_calls(o, f, 0, from->sums.calls[f],
					   o->options.functions ? from->sums.inclusive + at
								: from->sums.zeros,
					   err);
	}
	return status;
}

static uint32_t new_part(const struct origins *o, uint32_t part)
{
	return o->part[tl_min(part, o->from->parts.count)];
}

static int take_contexts(struct origins *o, struct tl_error *err)
{
	const struct tl_profile *from = o->from;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < from->contexts.table.count; i++) {
		const struct tl_context *c = &from->contexts.list[i];

		status = add_self(o, c->function, new_part(o, c->part),
				  tl_profile_context_self(from, i), err);
		if (status == 0)
			status = add_calls(o, c->function, new_part(o, c->part), c->calls,
					   from->sums.zeros, err);
	}
	return status;
}

static int take_lines(struct origins *o, struct tl_error *err)
{
	const struct tl_profile *from = o->from;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < from->lines.table.count; i++) {
		const struct tl_cost_line *line = &from->lines.list[i];

		status = add_self(o, line->function, new_part(o, line->part),
				  tl_profile_line_cost(from, i), err);
	}
	for (uint32_t i = 0; status == 0 && i < from->arcs.table.count; i++) {
		const struct tl_arc *arc = &from->arcs.list[i];

		status = add_calls(o, arc->callee, new_part(o, arc->part), arc->calls,
				   from->sums.zeros, err);
	}
	return status;
}

static int take_costs(struct origins *o, struct tl_error *err)
{
	if (o->to->parts.count == 1)
		return take_sums(o, err);
	return o->from->contexts.table.count ? take_contexts(o, err) : take_lines(o, err);
}

/* ---- one clock for all ---- */

static bool is_ticks(const struct origins *o, uint32_t event)
{
	return !strcmp(o->from->events[event].unit, "ticks");
}

/* Ticks of the clock in nanoseconds, to the nearest. */
static int64_t in_ns(struct origins *o, int64_t ticks)
{
	bool beyond;
	int64_t ns = tl_scale_nearest(ticks, 1000000000, o->from->frequency, &beyond);

	o->to->losses.saturated += beyond;
	return ns;
}

static void convert(struct origins *o, struct tl_cost_table *table, uint32_t event)
{
	for (size_t i = 0; i < table->count; i++) {
		int64_t *cost = &table->cost[i * o->to->event_count + event];

		*cost = in_ns(o, *cost);
	}
}

static void convert_ticks(struct origins *o)
{
	for (uint32_t e = 0; o->from->frequency && e < o->to->event_count; e++) {
		if (!is_ticks(o, e))
			continue;
		convert(o, &o->to->lines.table, e);
		convert(o, &o->to->arcs.table, e);
	}
}

/* ---- the whole ---- */

static int fill(struct origins *o, struct tl_error *err)
{
	int status;

	o->header = make_header(o->to);
	o->part = malloc((o->from->parts.count + 1) * sizeof(*o->part));
	o->function = malloc((o->from->functions.table.count + 1) * sizeof(*o->function));
	if (!o->header || !o->part || !o->function)
		return tl_error_memory(err);
	status = take_parts(o, err);
	if (status == 0)
		status = take_functions(o, err);
	if (status == 0)
		status = take_costs(o, err);
	if (status < 0)
		return status;
	convert_ticks(o);
	return tl_profile_finish(o->to, err);
}

static int check(const struct origins *o, struct tl_error *err)
{
	enum tl_profile_unit by = o->options.by;

	if (((by < TL_BY_TRACE || by > TL_BY_PROCESS) && by != TL_BY_CGROUP) ||
	    (by == TL_BY_TRACE && !o->options.name))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "origins are traces with a name, hosts, processes or control "
				   "groups");
	if (!o->from->finished)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the profile is not finished");
	return 0;
}

/*
 * Ticks of a clock of unknown rate have no sum with those of others: they are an event of its own,
 * which is no time. Its name is to free().
 */
static bool name_unknown(struct tl_event *event)
{
	static const char apart[] = " (unknown clock)";
	char *name = malloc(strlen(event->name) + sizeof(apart));

	if (!name)
		return false;
	stpcpy(stpcpy(name, event->name), apart);
	event->name = name;
	event->unit = "";
	return true;
}

static int make(struct origins *o, struct tl_error *err)
{
	uint32_t count = o->from->event_count;
	struct tl_event *events = malloc((count + 1) * sizeof(*events));
	bool ok = events, *named = calloc(count + 1, sizeof(*named));
	int status;

	ok = ok && named;
	for (uint32_t e = 0; ok && e < count; e++) {
		events[e] = o->from->events[e];
		if (!is_ticks(o, e))
			continue;
		if (o->from->frequency)
			events[e].unit = "ns";
		else
			ok = named[e] = name_unknown(&events[e]);
	}
	status = ok ? tl_profile_make(&o->to, o->from->format, events, count, 0, err)
		    : tl_error_memory(err);
	for (uint32_t e = 0; named && e < count; e++)
		if (named[e])
			free((char *)events[e].name);
	free(events);
	free(named);
	return status;
}

int tl_profile_origins(struct tl_profile **origins, const struct tl_profile *profile,
		       const struct tl_origin_options *options, struct tl_error *err)
{
	struct origins o = { .from = profile };
	int status = tl_take_options(&o.options, sizeof(o.options), sizeof(o.options), options,
				     options->size, err);

	*origins = NULL;
	if (status == 0)
		status = check(&o, err);
	if (status == 0)
		status = make(&o, err);
	if (status < 0)
		return status;
	o.to->call_count = profile->call_count;
	o.to->estimated = profile->estimated;
	o.to->emulated = profile->emulated;
	o.to->losses = profile->losses;
	status = fill(&o, err);
	free(o.header);
	free(o.part);
	free(o.function);
	if (status < 0) {
		tl_profile_free(o.to);
		return status;
	}
	*origins = o.to;
	return 0;
}

bool tl_profile_origin_unknown(const struct tl_profile *origins)
{
	for (size_t i = 0; i < origins->parts.count; i++)
		if (!strcmp(origins->parts.list[i].command, unknown))
			return true;
	return false;
}
