/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an event, in any order; what is not read costs no more than its tokens. */
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "core/arithmetic.h"
#include "core/error.h"

/* Threads and processes that are texts have numbers from here on. */
#define NAMED (INT64_C(1) << 40)

static inline bool is_container(const struct tl_json *json)
{
	return json->token.kind == TL_JSON_OBJECT || json->token.kind == TL_JSON_ARRAY;
}

/* ---- values of members, which are tokens ---- */

/* A number of microseconds; some writers put it into quotes. */
static inline void set_time(const struct tl_json_token *value, struct tl_decimal *time, bool *has)
{
	*has = tl_json_decimal(value, time);
}

static inline void set_phase(const struct tl_json_token *value, struct tl_chrome_event *e)
{
	if (value->kind == TL_JSON_STRING && value->size == 1)
		e->phase = value->text[0];
}

/* The number of a text among the names; the present token where it has escapes. */
static inline int set_name(struct tl_chrome_read *c, const struct tl_json_token *value,
			   uint32_t *name, struct tl_error *err)
{
	if (value->escaped)
		return tl_foreign_json_name_here(&c->reader, name, err);
	*name = tl_names_add(&c->reader.file->stacks.names, (const char *)value->text, value->size);
	return *name == TL_NONE ? tl_error_memory(err) : 0;
}

/* A process or thread: a number, or a text. */
static inline int set_id(struct tl_chrome_read *c, const struct tl_json_token *value, int64_t *id,
			 uint32_t *name, struct tl_error *err)
{
	struct tl_decimal number;
	bool exact = true;
	int status = 0;

	if (tl_json_decimal(value, &number)) {
		*id = tl_decimal_scaled(&number, 0, &exact);
		return 0;
	}
	if (value->kind != TL_JSON_NUMBER && value->kind != TL_JSON_STRING)
		return 0;
	if (value->kind == TL_JSON_STRING)
		status = set_name(c, value, name, err);
	*id = NAMED + *name;
	return status;
}

/* ---- members ---- */

/* A member but for its arguments. */
static inline int set_member(struct tl_chrome_read *c, struct tl_chrome_event *e,
			     const struct tl_json_token *key, const struct tl_json_token *value,
			     struct tl_error *err)
{
	uint32_t ignored = 0;

	switch (key->size) {
	case 2:
		if (!memcmp(key->text, "ts", 2))
			set_time(value, &e->time, &e->has_time);
		else if (!memcmp(key->text, "ph", 2))
			set_phase(value, e);
		else
			c->stacks += !memcmp(key->text, "sf", 2);
		break;
	case 3:
		if (!memcmp(key->text, "dur", 3))
			set_time(value, &e->duration, &e->has_duration);
		else if (!memcmp(key->text, "pid", 3))
			return set_id(c, value, &e->process, &ignored, err);
		else if (!memcmp(key->text, "tid", 3))
			return set_id(c, value, &e->thread, &e->thread_name, err);
		break;
	case 4:
		if (memcmp(key->text, "name", 4))
			break;
		e->name = 0;
		return value->kind == TL_JSON_STRING ? set_name(c, value, &e->name, err) : 0;
	case 5:
		c->stacks += !memcmp(key->text, "stack", 5);
		break;
	default:
		break;
	}
	return 0;
}

/* The present token is a key, which does not outlive its value. */
static int take_member(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	char text[5] = "";
	struct tl_json_token key = { .size = json->token.size, .text = (const uint8_t *)text };
	int status;

	if (tl_json_is(json, "args"))
		return tl_chrome_take_arguments(c, e, err);
	memcpy(text, json->token.text, tl_min(key.size, sizeof(text)));
	status = tl_json_next(json, err);
	if (status >= 0)
		status = set_member(c, e, &key, &json->token, err);
	if (status < 0)
		return status;
	return is_container(json) ? tl_foreign_json_skip(&c->reader, err) : 0;
}

static int take_members(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json *json = &c->reader.json;
	int status;

	while ((status = tl_json_next(json, err)) > 0 && json->token.kind == TL_JSON_KEY) {
		status = take_member(c, e, err);
		if (status < 0)
			break;
	}
	return tl_error_or_end(status);
}

/* ---- events that are plain text: the same without a token for each part ---- */

enum { MOST_MEMBERS = 16 };

/* Whether the arguments are read, by the last phase that is given; without one they may be. */
static bool reads_arguments(const struct tl_chrome_read *c, const struct tl_json_member *members,
			    int count)
{
	struct tl_chrome_event e = { .phase = 0 };

	for (int i = 0; i < count; i++)
		if (members[i].key.size == 2 && !memcmp(members[i].key.text, "ph", 2))
			set_phase(&members[i].value, &e);
	return !e.phase || e.phase == 'M' || e.phase == 'C' ||
	       (c->reader.file->options.arguments &&
		tl_chrome_kind_of(e.phase) == TL_CHROME_INSTANT);
}

/* 1: taken; 0: take_members() has to. */
static int take_plain(struct tl_chrome_read *c, struct tl_chrome_event *e, struct tl_error *err)
{
	struct tl_json_member members[MOST_MEMBERS];
	const uint8_t *behind;
	const int count = c->reader.file->options.dump ? -1
						       : tl_json_members(&c->reader.json, members,
									 MOST_MEMBERS, &behind);

	if (count < 0 || reads_arguments(c, members, count))
		return 0;
	for (int i = 0; i < count; i++) {
		const int status = set_member(c, e, &members[i].key, &members[i].value, err);

		if (status < 0)
			return status;
	}
	tl_json_pass_container(&c->reader.json, behind);
	return 1;
}

int tl_chrome_take_event(void *read, struct tl_error *err)
{
	struct tl_chrome_read *c = read;
	struct tl_json *json = &c->reader.json;
	struct tl_chrome_event event = { .offset = json->token.offset };
	int status = 0;

	c->value_count = c->argument_count = 0;
	c->arguments_left_out = 0;
	if (json->token.kind != TL_JSON_OBJECT) {
		if (json->token.kind == TL_JSON_ARRAY)
			status = tl_foreign_json_skip(&c->reader, err);
		return status < 0 ? status
				  : tl_foreign_json_bad(&c->reader, "event", event.offset,
							"an event is no object; left it out", err);
	}
	status = take_plain(c, &event, err);
	if (status == 0)
		status = take_members(c, &event, err);
	return status < 0 ? status : tl_chrome_use_event(c, &event, err);
}
