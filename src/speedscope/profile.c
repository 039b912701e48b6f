/* SPDX-License-Identifier: Apache-2.0 */
/* One profile: a table of its members, and the elements of its arrays. */
#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "speedscope/speedscope.h"

static struct tl_json *json_of(struct tl_speedscope_read *s)
{
	return &s->reader.json;
}

/* ---- dump ---- */

static struct tl_output *dump_to(struct tl_speedscope_read *s, const char *record, uint64_t offset)
{
	struct tl_output *out = s->reader.file->options.dump;

	if (!out)
		return NULL;
	if (s->reader.file->options.json)
		tl_put_format(out, "{\"offset\":%" PRIu64 ",\"record\":\"%s\",\"profile\":%" PRIu64,
			      offset, record, s->profiles);
	else
		tl_put_format(out, "0x%" PRIx64 " %s profile %" PRIu64, offset, record,
			      s->profiles);
	return out;
}

static int dump_end(struct tl_speedscope_read *s, struct tl_output *out, struct tl_error *err)
{
	tl_put_text(out, s->reader.file->options.json ? "}\n" : "\n");
	return tl_output_failed(out)
		       ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output cannot be written")
		       : 0;
}

static void dump_member(struct tl_speedscope_read *s, struct tl_output *out, const char *name)
{
	if (s->reader.file->options.json)
		tl_put_format(out, ",\"%s\":", name);
	else
		tl_put_format(out, " %s ", name);
}

static void dump_number(struct tl_speedscope_read *s, struct tl_output *out, const char *name,
			const struct tl_decimal *number)
{
	dump_member(s, out, name);
	tl_foreign_put_decimal(out, number);
}

/* ---- samples ---- */

/* The number of a frame; TL_NONE: it is none. */
static uint32_t frame_of(struct tl_speedscope_read *s, const struct tl_decimal *number)
{
	bool exact = true;
	const int64_t frame = tl_decimal_scaled(number, 0, &exact);

	if (!exact || frame < 0 || frame >= TL_NONE - 1)
		return TL_NONE;
	if ((uint64_t)frame >= s->frame_limit)
		s->frame_limit = (uint64_t)frame + 1;
	return (uint32_t)frame;
}

/* The frames of a sample, from the root. Sets *node to 0 where one is no frame. */
static int take_stack(struct tl_speedscope_read *s, uint32_t *node, struct tl_output *out,
		      struct tl_error *err)
{
	struct tl_json *json = json_of(s);
	const char *before = "";
	int status;

	while ((status = tl_json_next(json, err)) > 0 && json->token.kind != TL_JSON_ARRAY_END) {
		struct tl_decimal number;
		uint32_t frame = TL_NONE;

		if (json->token.kind == TL_JSON_OBJECT || json->token.kind == TL_JSON_ARRAY) {
			status = tl_foreign_json_skip(&s->reader, err);
			if (status < 0)
				return status;
		} else if (json->token.kind == TL_JSON_NUMBER &&
			   tl_decimal_parse(json->token.text, json->token.size, &number)) {
			frame = frame_of(s, &number);
		}
		if (out) {
			tl_put_format(out, "%s%" PRIu32, before, frame);
			before = s->reader.file->options.json ? "," : ";";
			continue;
		}
		if (frame == TL_NONE)
			*node = 0;
		if (*node &&
		    !(*node = tl_foreign_stacks_child(&s->reader.file->stacks, *node, frame)))
			return tl_error_memory(err);
	}
	return tl_error_or_end(status);
}

static int dump_sample(struct tl_speedscope_read *s, struct tl_output *out, struct tl_error *err)
{
	uint32_t node = 0;
	int status;

	dump_member(s, out, "frames");
	if (s->reader.file->options.json)
		tl_put_char(out, '[');
	status = take_stack(s, &node, out, err);
	if (s->reader.file->options.json)
		tl_put_char(out, ']');
	if (status < 0)
		dump_end(s, out, NULL);
	if (status < 0)
		return status;
	return dump_end(s, out, err);
}

/* Which samples have the weights of their numbers, where the text went on behind a fault. */
static void note_resumed(struct tl_speedscope_read *s)
{
	struct tl_speedscope_profile *p = &s->profile;

	if (p->resumed == s->reader.resumed)
		return;
	p->resumed = s->reader.resumed;
	p->behind = p->node_count;
	p->sure = tl_min(p->sure, p->node_count);
}

/* Samples keep their numbers, as weights are found by them: a bad one has no frames. */
static int take_sample(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;
	struct tl_speedscope_profile *p = &s->profile;
	const uint64_t offset = json_of(s)->token.offset;
	struct tl_output *out = dump_to(s, "sample", offset);
	uint32_t node = s->root;
	int status = 0;

	note_resumed(s);
	if (json_of(s)->token.kind != TL_JSON_ARRAY)
		node = 0;
	if (json_of(s)->token.kind == TL_JSON_OBJECT)
		status = tl_foreign_json_skip(&s->reader, err);
	else if (json_of(s)->token.kind == TL_JSON_ARRAY)
		status = out ? dump_sample(s, out, err) : take_stack(s, &node, NULL, err);
	if (status < 0)
		node = 0;
	if (!tl_grow(&p->nodes, &p->node_capacity, p->node_count + 1, sizeof(*p->nodes)))
		return tl_error_memory(err);
	p->nodes[p->node_count++] = node;
	if (status < 0 || node)
		return status;
	return tl_foreign_json_bad(&s->reader, "sample", offset,
				   "a sample is no list of frames; left it out", err);
}

static int take_weight(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;
	struct tl_speedscope_profile *p = &s->profile;
	const struct tl_json_token *token = &json_of(s)->token;
	const uint64_t offset = token->offset;
	struct tl_decimal weight = { .digits = 0 };
	bool bad = token->kind != TL_JSON_NUMBER ||
		   !tl_decimal_parse(token->text, token->size, &weight);
	struct tl_output *out = dump_to(s, "weight", offset);
	int status = 0;

	if (token->kind == TL_JSON_OBJECT || token->kind == TL_JSON_ARRAY)
		status = tl_foreign_json_skip(&s->reader, err);
	if (status < 0)
		return status;
	if (bad)
		weight = (struct tl_decimal){ .digits = 0 };
	if (!tl_grow(&p->weights, &p->weight_capacity, p->weight_count + 1, sizeof(*p->weights)))
		return tl_error_memory(err);
	p->weights[p->weight_count++] = weight;
	if (out) {
		dump_number(s, out, "weight", &weight);
		status = dump_end(s, out, err);
	}
	if (status < 0 || !bad)
		return status;
	return tl_foreign_json_bad(&s->reader, "weight", offset,
				   "a weight is no number; its sample was left out", err);
}

/* ---- events ---- */

struct event_members {
	struct tl_speedscope_read *speedscope;
	struct tl_speedscope_event event;
	bool has_type, has_at, has_frame;
};

static int take_event_member(void *arg, struct tl_error *err)
{
	struct event_members *m = arg;
	struct tl_speedscope_read *s = m->speedscope;
	struct tl_decimal number;
	int status;

	if (tl_json_is(json_of(s), "at"))
		return tl_foreign_json_number(&s->reader, &m->event.at, &m->has_at, err);
	if (tl_json_is(json_of(s), "frame")) {
		status = tl_foreign_json_number(&s->reader, &number, &m->has_frame, err);
		if (status == 0 && m->has_frame)
			m->event.frame = frame_of(s, &number);
		m->has_frame &= m->event.frame != TL_NONE;
		return status;
	}
	if (!tl_json_is(json_of(s), "type"))
		return tl_foreign_json_skip(&s->reader, err);
	status = tl_json_next(json_of(s), err);
	if (status < 0)
		return status;
	if (json_of(s)->token.kind == TL_JSON_OBJECT || json_of(s)->token.kind == TL_JSON_ARRAY)
		return tl_foreign_json_skip(&s->reader, err);
	m->event.begin = tl_json_is(json_of(s), "O");
	m->has_type = json_of(s)->token.kind == TL_JSON_STRING &&
		      (m->event.begin || tl_json_is(json_of(s), "C"));
	return 0;
}

static int keep_event(struct tl_speedscope_read *s, const struct tl_speedscope_event *event,
		      uint64_t offset, struct tl_error *err)
{
	struct tl_speedscope_profile *p = &s->profile;
	struct tl_output *out = dump_to(s, event->begin ? "open" : "close", offset);

	if (!tl_grow(&p->events, &p->event_capacity, p->event_count + 1, sizeof(*p->events)))
		return tl_error_memory(err);
	p->events[p->event_count++] = *event;
	if (!out)
		return 0;
	dump_number(s, out, "at", &event->at);
	dump_member(s, out, "frame");
	tl_put_u64(out, event->frame);
	return dump_end(s, out, err);
}

static int take_event(void *arg, struct tl_error *err)
{
	struct tl_speedscope_read *s = arg;
	struct event_members m = { .speedscope = s, .event.frame = TL_NONE };
	const uint64_t offset = json_of(s)->token.offset;
	int status = 0;

	if (json_of(s)->token.kind == TL_JSON_OBJECT)
		status = tl_foreign_json_members(&s->reader, take_event_member, &m, err);
	else if (json_of(s)->token.kind == TL_JSON_ARRAY)
		status = tl_foreign_json_skip(&s->reader, err);
	if (status < 0)
		return status;
	if (m.has_type && m.has_at && m.has_frame)
		return keep_event(s, &m.event, offset, err);
	return tl_foreign_json_bad(&s->reader, "event", offset,
				   "an event without a type O or C, a frame or a time; left it out",
				   err);
}

/* ---- members of a profile ---- */

static int take_elements(struct tl_speedscope_read *s, uint8_t open, tl_foreign_value_fn *element,
			 struct tl_error *err)
{
	int status = tl_json_next(json_of(s), err);

	if (status < 0)
		return status;
	if (json_of(s)->token.kind == TL_JSON_OBJECT)
		return tl_foreign_json_skip(&s->reader, err);
	if (json_of(s)->token.kind != TL_JSON_ARRAY)
		return 0;
	return tl_foreign_json_elements(&s->reader, open, element, s, err);
}

static int take_samples(struct tl_speedscope_read *s, struct tl_error *err)
{
	int status;

	s->profile.resumed = s->reader.resumed;
	status = take_elements(s, '[', take_sample, err);
	s->profile.all_samples = status == 0 && !s->reader.ended;
	return status;
}

static int take_weights(struct tl_speedscope_read *s, struct tl_error *err)
{
	const int status = take_elements(s, 0, take_weight, err);

	s->profile.all_weights = status == 0 && !s->reader.ended;
	return status;
}

static int take_events(struct tl_speedscope_read *s, struct tl_error *err)
{
	return take_elements(s, '{', take_event, err);
}

static int take_name(struct tl_speedscope_read *s, struct tl_error *err)
{
	return tl_foreign_json_name(&s->reader, &s->profile.name, err);
}

static int take_type(struct tl_speedscope_read *s, struct tl_error *err)
{
	uint32_t name;
	int status = tl_foreign_json_name(&s->reader, &name, err);

	if (status == 0 && tl_json_is(json_of(s), "evented"))
		s->profile.type = TL_SPEEDSCOPE_EVENTED;
	if (status == 0 && tl_json_is(json_of(s), "sampled"))
		s->profile.type = TL_SPEEDSCOPE_SAMPLED;
	return status;
}

static int take_unit(struct tl_speedscope_read *s, struct tl_error *err)
{
	const uint64_t offset = tl_json_offset(json_of(s));
	uint32_t name;
	int status = tl_foreign_json_name(&s->reader, &name, err);

	if (status < 0)
		return status;
	s->profile.unit = name ? tl_speedscope_unit_of(json_of(s)) : NULL;
	return s->profile.unit ? 0
			       : tl_foreign_json_bad(&s->reader, "unit", offset,
						     "a unit that the format does not have; its "
						     "values count as they are",
						     err);
}

static int take_member(void *arg, struct tl_error *err)
{
	static const struct {
		const char *name;
		int (*take)(struct tl_speedscope_read *s, struct tl_error *err);
	} rows[] = {
		{ "type", take_type },     { "name", take_name },       { "unit", take_unit },
		{ "events", take_events }, { "samples", take_samples }, { "weights", take_weights },
	};
	struct tl_speedscope_read *s = arg;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tl_json_is(json_of(s), rows[i].name))
			return rows[i].take(s, err);
	return tl_foreign_json_skip(&s->reader, err);
}

/* Arrays stay for the next profile. */
static void begin_profile(struct tl_speedscope_read *s)
{
	struct tl_speedscope_profile *p = &s->profile;

	p->offset = json_of(s)->token.offset;
	p->type = TL_SPEEDSCOPE_UNKNOWN;
	p->name = 0;
	p->unit = NULL;
	p->node_count = p->weight_count = p->event_count = 0;
	p->all_samples = p->all_weights = false;
	p->sure = p->behind = SIZE_MAX;
}

static bool begin_part(struct tl_speedscope_read *s)
{
	const struct tl_foreign_part part = { .process = TL_NOWHERE, .thread = s->profiles };
	struct tl_foreign_stacks *stacks = &s->reader.file->stacks;
	const uint32_t number = tl_foreign_stacks_part(stacks, &part);

	s->root = number == TL_NONE ? 0 : tl_foreign_stacks_child(stacks, 0, number);
	return s->root;
}

int tl_speedscope_take_profile(void *speedscope, struct tl_error *err)
{
	struct tl_speedscope_read *s = speedscope;
	int status, finished;

	begin_profile(s);
	if (json_of(s)->token.kind != TL_JSON_OBJECT) {
		status = json_of(s)->token.kind == TL_JSON_ARRAY
				 ? tl_foreign_json_skip(&s->reader, err)
				 : 0;
		return status < 0 ? status
				  : tl_foreign_json_bad(&s->reader, "profile", s->profile.offset,
							"a profile is no object; left it out", err);
	}
	if (!begin_part(s))
		return tl_error_memory(err);
	status = tl_foreign_json_members(&s->reader, take_member, s, err);
	if (status < 0 && !tl_json_is_fault(json_of(s), status))
		return status;
	/* What was read of a damaged profile is kept. */
	finished = tl_speedscope_finish_profile(s, err);
	if (finished < 0)
		return finished;
	return status;
}
