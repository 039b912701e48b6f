/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an event, in any order; what is not read costs no more than its tokens. */
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "core/error.h"

/* Threads and processes that are texts have numbers from here on. */
#define NAMED (INT64_C(1) << 40)

static inline bool is_container(const struct tl_json *json)
{
	return json->token.kind == TL_JSON_OBJECT || json->token.kind == TL_JSON_ARRAY;
}

/* A number of microseconds; some writers put it into quotes. */
static int take_time(struct tl_chrome_read *c, struct tl_decimal *time, bool *has,
		     struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	const int status = tl_json_next(json, err);

	if (status < 0)
		return status;
	*has = (json->token.kind == TL_JSON_NUMBER || json->token.kind == TL_JSON_STRING) &&
	       tl_decimal_parse(json->token.text, json->token.size, time);
	if (is_container(json))
		return tl_foreign_json_skip(&c->reader, err);
	return 0;
}

/* A process or thread: a number, or a text. */
static int take_id(struct tl_chrome_read *c, int64_t *id, uint32_t *name, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	struct tl_decimal number;
	bool exact = true;
	int status = tl_json_next(json, err);

	if (status < 0)
		return status;
	if (is_container(json))
		return tl_foreign_json_skip(&c->reader, err);
	if (json->token.kind != TL_JSON_NUMBER && json->token.kind != TL_JSON_STRING)
		return 0;
	if (tl_decimal_parse(json->token.text, json->token.size, &number)) {
		*id = tl_decimal_scaled(&number, 0, &exact);
		return 0;
	}
	status = json->token.kind == TL_JSON_STRING
			 ? tl_foreign_json_name_here(&c->reader, name, err)
			 : 0;
	*id = NAMED + *name;
	return status;
}

static int take_phase(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	const int status = tl_json_next(json, err);

	if (status < 0)
		return status;
	if (json->token.kind == TL_JSON_STRING && json->token.size == 1)
		e->phase = json->token.text[0];
	if (is_container(json))
		return tl_foreign_json_skip(&c->reader, err);
	return 0;
}

/* Of the arguments `name` is read, as metadata has it. The present token is a key. */
static int take_name(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	if (!tl_json_is(&c->reader.json, "name"))
		return 0;
	return tl_foreign_json_name(&c->reader, &e->argument, err);
}

/* And numbers, as those of counters are. */
static int take_value(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	struct tl_chrome_value value;
	const bool is_name = tl_json_is(json, "name");
	int status = tl_foreign_json_name_here(&c->reader, &value.name, err);

	if (status == 0)
		status = tl_json_next(json, err);
	if (status < 0)
		return status;
	if (is_container(json))
		return tl_foreign_json_skip(&c->reader, err);
	if (is_name && json->token.kind == TL_JSON_STRING)
		return tl_foreign_json_name_here(&c->reader, &e->argument, err);
	if (json->token.kind != TL_JSON_NUMBER ||
	    !tl_decimal_parse(json->token.text, json->token.size, &value.number))
		return 0;
	if (c->value_count < TL_CHROME_MOST_VALUES)
		c->values[c->value_count++] = value;
	else
		c->values_left_out++;
	return 0;
}

/* Where the phase comes later, the event may be a counter's or of metadata. */
static int take_arguments(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	const uint32_t depth = json->depth;
	int status;

	if (e->phase && e->phase != 'M' && e->phase != 'C')
		return tl_foreign_json_skip(&c->reader, err);
	while ((status = tl_json_next(json, err)) > 0) {
		if (json->token.kind == TL_JSON_KEY && json->depth == depth + 1)
			status = e->phase == 'M' ? take_name(c, e, err) : take_value(c, e, err);
		if (status < 0 || json->depth == depth)
			break;
	}
	return tl_error_or_end(status);
}

/* The present token is a key. */
static inline int take_member(struct tl_chrome_read *c, struct tl_chrome_event *e,
			      struct tl_error *err)
{
	const struct tl_json_token *key = &c->reader.json.token;
	uint32_t ignored;

	switch (key->size) {
	case 2:
		if (!memcmp(key->text, "ts", 2))
			return take_time(c, &e->time, &e->has_time, err);
		if (!memcmp(key->text, "ph", 2))
			return take_phase(c, e, err);
		c->stacks += !memcmp(key->text, "sf", 2);
		break;
	case 3:
		if (!memcmp(key->text, "dur", 3))
			return take_time(c, &e->duration, &e->has_duration, err);
		if (!memcmp(key->text, "pid", 3))
			return take_id(c, &e->process, &ignored, err);
		if (!memcmp(key->text, "tid", 3))
			return take_id(c, &e->thread, &e->thread_name, err);
		break;
	case 4:
		if (!memcmp(key->text, "name", 4))
			return tl_foreign_json_name(&c->reader, &e->name, err);
		if (!memcmp(key->text, "args", 4))
			return take_arguments(c, e, err);
		break;
	case 5:
		c->stacks += !memcmp(key->text, "stack", 5);
		break;
	default:
		break;
	}
	return tl_foreign_json_skip(&c->reader, err);
}

int tl_chrome_take_event(void *read, struct tl_error *err)
{
	struct tl_chrome_read *c = read;
	struct tl_json *json = &c->reader.json;
	struct tl_chrome_event event = { .offset = json->token.offset };
	int status = 0;

	c->value_count = 0;
	if (json->token.kind != TL_JSON_OBJECT) {
		if (json->token.kind == TL_JSON_ARRAY)
			status = tl_foreign_json_skip(&c->reader, err);
		return status < 0 ? status
				  : tl_foreign_json_bad(&c->reader, "event", event.offset,
							"an event is no object; left it out", err);
	}
	while ((status = tl_json_next(json, err)) > 0 && json->token.kind == TL_JSON_KEY) {
		status = take_member(c, &event, err);
		if (status < 0)
			return status;
	}
	if (status < 0)
		return status;
	return tl_chrome_use_event(c, &event, err);
}
