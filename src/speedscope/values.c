/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a profile become when all of its members are known. */
#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "speedscope/speedscope.h"

/* "export type ValueUnit" of the file format's description. */
static const struct tl_speedscope_unit units[] = {
	{ "none", 0, false, "weight", "" },
	{ "nanoseconds", 0, true, "Ticks", "ticks" },
	{ "microseconds", 3, true, "Ticks", "ticks" },
	{ "milliseconds", 6, true, "Ticks", "ticks" },
	{ "seconds", 9, true, "Ticks", "ticks" },
	{ "bytes", 0, false, "bytes", "bytes" },
};

const struct tl_speedscope_unit *tl_speedscope_unit_of(const struct tl_json *json)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (tl_json_is(json, units[i].name))
			return &units[i];
	return NULL;
}

static int bad_profile(struct tl_speedscope_read *s, const char *text, struct tl_error *err)
{
	return tl_foreign_json_bad(&s->reader, "profile", s->profile.offset, text, err);
}

/* ---- samples ---- */

/* The weight of a sample by its number; NULL: it has none, or it is not known which. */
static const struct tl_decimal *weight_of(const struct tl_speedscope_profile *p, size_t sample)
{
	const size_t from_end = p->node_count - sample;
	size_t at = sample;

	if (sample >= p->sure) {
		if (sample < p->behind || !p->all_samples || !p->all_weights ||
		    from_end > p->weight_count)
			return NULL;
		at = p->weight_count - from_end;
		/* Those before it have their own. */
		if (at < p->sure)
			return NULL;
	}
	return at < p->weight_count ? &p->weights[at] : NULL;
}

static bool count_samples(struct tl_speedscope_read *s, uint32_t event)
{
	struct tl_speedscope_profile *p = &s->profile;
	struct tl_foreign_stacks *stacks = &s->reader.file->stacks;
	bool ok = true;

	for (size_t i = 0; ok && i < p->node_count; i++) {
		const struct tl_decimal *own = weight_of(p, i);
		struct tl_decimal weight;
		bool exact = true;

		if (!p->nodes[i] || !own)
			continue;
		weight = *own;
		/* A stack without a frame has a weight, and is nobody's; a dump makes none. */
		if (p->nodes[i] == s->root) {
			s->empty += weight.digits && !s->reader.file->options.dump;
			continue;
		}
		if (p->unit->is_time) {
			ok = tl_foreign_stacks_count(
				stacks, p->nodes[i], event,
				tl_decimal_scaled(&weight, p->unit->scale, &exact));
			stacks->rounded += !exact;
		} else {
			ok = tl_foreign_stacks_count_decimal(stacks, p->nodes[i], event, &weight);
		}
	}
	return ok;
}

static int finish_samples(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_speedscope_profile *p = &s->profile;
	struct tl_foreign_stacks *stacks = &s->reader.file->stacks;
	const uint32_t event = tl_foreign_stacks_event(stacks, p->unit->event,
						       strlen(p->unit->event), p->unit->unit);
	uint32_t part;

	if (tl_foreign_wants_window(s->reader.file))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "sampled profiles have no times to choose by");
	if (event == TL_NONE || !count_samples(s, event))
		return tl_error_memory(err);
	part = (uint32_t)stacks->tree.nodes[s->root].key;
	stacks->parts[part].command = p->name;
	stacks->parts[part].samples = p->node_count;
	s->samples += p->node_count;
	if (p->node_count == p->weight_count)
		return 0;
	return bad_profile(s,
			   "a profile has not as many weights as samples: those without "
			   "the other were left out",
			   err);
}

/* ---- events ---- */

static bool add_events(struct tl_speedscope_read *s, struct tl_foreign_thread *thread)
{
	const struct tl_speedscope_profile *p = &s->profile;
	bool ok = true;

	for (size_t i = 0; ok && i < p->event_count; i++) {
		bool exact = true;
		const int64_t at = tl_decimal_scaled(&p->events[i].at, p->unit->scale, &exact);

		s->reader.file->stacks.rounded += !exact && !p->unit->is_time;
		ok = tl_foreign_spans_add(thread, at,
					  p->events[i].begin ? TL_FOREIGN_BEGIN : TL_FOREIGN_END,
					  p->events[i].frame);
	}
	return ok;
}

static int finish_events(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_foreign_spans *spans = &s->reader.file->spans;
	const uint32_t number = tl_foreign_spans_thread(spans, -1, (int64_t)s->profiles);
	struct tl_foreign_thread *thread;

	if (number == TL_NONE ||
	    !tl_grow(&s->units, &s->unit_capacity, (size_t)number + 1, sizeof(*s->units)))
		return tl_error_memory(err);
	s->units[number] = s->profile.unit;
	thread = &spans->threads[number];
	thread->command = s->profile.name;
	if (!add_events(s, thread))
		return tl_error_memory(err);
	s->events += s->profile.event_count;
	if (!thread->unordered)
		return 0;
	return bad_profile(s,
			   "the events are not in the order of their times: "
			   "they were sorted",
			   err);
}

int tl_speedscope_finish_profile(struct tl_speedscope_read *s, struct tl_error *err)
{
	struct tl_speedscope_profile *p = &s->profile;
	int status = 0;

	if (!p->unit)
		p->unit = &units[0];
	if (p->type == TL_SPEEDSCOPE_UNKNOWN && (p->node_count || p->event_count))
		p->type = p->event_count ? TL_SPEEDSCOPE_EVENTED : TL_SPEEDSCOPE_SAMPLED;
	if (p->type == TL_SPEEDSCOPE_UNKNOWN)
		status = bad_profile(s, "neither a sampled nor an evented profile; left it out",
				     err);
	else if (!tl_foreign_wants(s->reader.file, TL_NOWHERE, s->profiles))
		status = 0;
	else
		status = p->type == TL_SPEEDSCOPE_EVENTED ? finish_events(s, err)
							  : finish_samples(s, err);
	s->profiles++;
	return status;
}
