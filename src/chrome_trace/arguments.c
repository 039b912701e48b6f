/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of an event: names that metadata gives, values of counters, and where a timeline is
 * made what an instant says. An argument inside of another one is named by both: "data.frame",
 * "list[2]".
 */
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "core/arithmetic.h"
#include "core/error.h"

enum { LEVELS = 8, LONGEST_NAME = 256 };

/* The name of the argument that is read, by the containers around it. */
struct path {
	char text[LONGEST_NAME];
	size_t size;
	size_t sizes[LEVELS + 1];      /* of the part that a container's members begin with */
	uint32_t elements[LEVELS + 1]; /* of an array, so far */
	bool array[LEVELS + 1];
	uint32_t level; /* containers that are open: 1 inside of the arguments themselves */
};

static bool is_container(const struct tl_json *json)
{
	return json->token.kind == TL_JSON_OBJECT || json->token.kind == TL_JSON_ARRAY;
}

/* ---- the name ---- */

static void append(struct path *path, const char *text, size_t size)
{
	size = tl_min(size, sizeof(path->text) - path->size);
	memcpy(path->text + path->size, text, size);
	path->size += size;
}

static void open_container(struct path *path, bool array)
{
	path->level++;
	path->sizes[path->level] = path->size;
	path->elements[path->level] = 0;
	path->array[path->level] = array;
}

static void close_container(struct path *path)
{
	path->level--;
	path->size = path->sizes[path->level];
}

static void name_element(struct path *path)
{
	char text[16], *at = text + sizeof(text);
	uint32_t number = path->elements[path->level]++;

	*--at = ']';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	*--at = '[';
	path->size = path->sizes[path->level];
	append(path, at, (size_t)(text + sizeof(text) - at));
}

static int name_member(struct tl_chrome_read *c, struct path *path, struct tl_error *err)
{
	size_t size;
	const char *key = tl_json_string(&c->reader.json, &size, err);

	if (!key)
		return TL_NO_MEMORY;
	path->size = path->sizes[path->level];
	if (path->level > 1)
		append(path, ".", 1);
	append(path, key, size);
	return 0;
}

/* ---- values ---- */

/* The text of the present token, as a name; a container's is an ellipsis. */
static int text_here(struct tl_chrome_read *c, uint32_t *text, struct tl_error *err)
{
	static const char *const words[] = {
		[TL_JSON_TRUE] = "true", [TL_JSON_FALSE] = "false", [TL_JSON_NULL] = "null"
	};
	const struct tl_json_token *token = &c->reader.json.token;
	struct tl_names *names = &c->reader.file->stacks.names;

	if (token->kind == TL_JSON_STRING)
		return tl_foreign_json_name_here(&c->reader, text, err);
	if (token->kind == TL_JSON_NUMBER)
		*text = tl_names_add(names, (const char *)token->text, token->size);
	else if (is_container(&c->reader.json))
		*text = tl_names_add(names, "...", 3);
	else
		*text = tl_names_add(names, words[token->kind], strlen(words[token->kind]));
	return *text == TL_NONE ? tl_error_memory(err) : 0;
}

/* The present token is a value of an instant, or of an event whose phase comes later. */
static int add_argument(struct tl_chrome_read *c, const struct path *path, struct tl_error *err)
{
	struct tl_foreign_argument argument = { .name = 0 };
	const struct tl_json_token *token = &c->reader.json.token;
	struct tl_decimal number;
	bool exact = true;

	if (c->argument_count == TL_CHROME_MOST_VALUES) {
		c->arguments_left_out++;
		return 0;
	}
	argument.name = tl_names_add(&c->reader.file->stacks.names, path->text, path->size);
	if (argument.name == TL_NONE)
		return tl_error_memory(err);
	if (token->kind == TL_JSON_NUMBER && tl_decimal_parse(token->text, token->size, &number)) {
		argument.whole = tl_decimal_scaled(&number, 0, &exact);
		argument.real = tl_decimal_double(&number);
		argument.kind = exact ? TL_FOREIGN_WHOLE : TL_FOREIGN_REAL;
	} else if (text_here(c, &argument.text, err) < 0) {
		return TL_NO_MEMORY;
	}
	c->arguments[c->argument_count++] = argument;
	return 0;
}

/* What is not inside of another one: a number of a counter, or the name that metadata gives. */
static int add_value(struct tl_chrome_read *c, struct tl_chrome_event *e, const struct path *path,
		     struct tl_error *err)
{
	const struct tl_json_token *token = &c->reader.json.token;
	struct tl_chrome_value value;

	if (token->kind == TL_JSON_STRING && path->size == 4 && !memcmp(path->text, "name", 4))
		return tl_foreign_json_name_here(&c->reader, &e->argument, err);
	if (e->phase == 'M' || token->kind != TL_JSON_NUMBER ||
	    !tl_decimal_parse(token->text, token->size, &value.number))
		return 0;
	if (c->value_count++ >= TL_CHROME_MOST_VALUES)
		return 0;
	value.name = tl_names_add(&c->reader.file->stacks.names, path->text, path->size);
	if (value.name == TL_NONE)
		return tl_error_memory(err);
	c->values[c->value_count - 1] = value;
	return 0;
}

/* Whether what an instant says is wanted of this event, as far as its phase is known. */
static bool wants_arguments(const struct tl_chrome_read *c, const struct tl_chrome_event *e)
{
	return c->reader.file->options.arguments &&
	       (!e->phase || tl_chrome_kind_of(e->phase) == TL_CHROME_INSTANT);
}

static int take_value(struct tl_chrome_read *c, struct tl_chrome_event *e, struct path *path,
		      struct tl_error *err)
{
	const bool container = is_container(&c->reader.json);
	int status = 0;

	if (path->level == 1 && !container && (!e->phase || e->phase == 'M' || e->phase == 'C'))
		status = add_value(c, e, path, err);
	if (status == 0 && wants_arguments(c, e) && (!container || path->level == LEVELS))
		status = add_argument(c, path, err);
	if (status < 0 || !container)
		return status;
	if (path->level == LEVELS || !wants_arguments(c, e))
		return tl_foreign_json_skip(&c->reader, err);
	open_container(path, c->reader.json.token.kind == TL_JSON_ARRAY);
	return 0;
}

/* ---- the arguments ---- */

static int take_token(struct tl_chrome_read *c, struct tl_chrome_event *e, struct path *path,
		      struct tl_error *err)
{
	switch (c->reader.json.token.kind) {
	case TL_JSON_KEY:
		return name_member(c, path, err);
	case TL_JSON_OBJECT_END:
	case TL_JSON_ARRAY_END:
		close_container(path);
		return 0;
	default:
		if (path->array[path->level])
			name_element(path);
		return take_value(c, e, path, err);
	}
}

int tl_chrome_take_arguments(struct tl_chrome_read *c, struct tl_chrome_event *e,
			     struct tl_error *err)
{
	const bool read = !e->phase || e->phase == 'M' || e->phase == 'C' || wants_arguments(c, e);
	struct tl_json *json = &c->reader.json;
	struct path path = { .size = 0 };
	int status = read ? tl_json_next(json, err) : tl_foreign_json_skip(&c->reader, err);

	if (!read || status < 0)
		return status;
	if (json->token.kind != TL_JSON_OBJECT)
		return is_container(json) ? tl_foreign_json_skip(&c->reader, err) : 0;
	open_container(&path, false);
	while (path.level && (status = tl_json_next(json, err)) > 0) {
		status = take_token(c, e, &path, err);
		if (status < 0)
			break;
	}
	return tl_error_or_end(status);
}

int tl_chrome_keep_arguments(struct tl_chrome_read *c, struct tl_foreign_thread *thread,
			     struct tl_error *err)
{
	struct tl_foreign_spans *spans = &c->reader.file->spans;
	struct tl_foreign_argument rest = { .kind = TL_FOREIGN_WHOLE };

	if (c->arguments_left_out) {
		rest.name = tl_names_add(&c->reader.file->stacks.names, "(left out)", 10);
		rest.whole = (int64_t)c->arguments_left_out;
		c->arguments[c->argument_count++] = rest;
	}
	if (rest.name == TL_NONE ||
	    !tl_foreign_payload_add(spans, thread, c->arguments, c->argument_count))
		return tl_error_memory(err);
	return 0;
}
