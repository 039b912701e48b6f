/* SPDX-License-Identifier: Apache-2.0 */
#include "query/tables/listing.h"

#include <stdlib.h>

#include "core/error.h"
#include "query/trace/json_line.h"

/* ---- rows ---- */

static bool keep_conditions(struct tl_query_listing_stream *s, const struct tl_query_wish *wish)
{
	for (size_t i = 0; i < wish->condition_count; i++) {
		struct tl_query_condition *kept = &s->conditions[s->condition_count++];

		*kept = wish->conditions[i];
		if (kept->text && !(kept->text = strdup(kept->text)))
			return false;
	}
	return true;
}

/* The thread that the rows have to be of; TL_NOWHERE: any. */
static uint64_t one_thread(const struct tl_query_listing *listing,
			   const struct tl_query_trace *trace, const struct tl_query_wish *wish)
{
	/*
	 * A thread that the options choose, too, may be another one; and what can be read but once
	 * is read by the same handle for other statements.
	 */
	if (trace->options.filter.thread != TL_NOWHERE || tl_query_trace_read_once(trace))
		return TL_NOWHERE;
	for (size_t i = 0; i < wish->condition_count; i++)
		if (wish->conditions[i].column == listing->thread &&
		    wish->conditions[i].comparison == TL_QUERY_EQUAL &&
		    wish->conditions[i].value >= 0)
			return (uint64_t)wish->conditions[i].value;
	return TL_NOWHERE;
}

static int begin_lines(struct tl_query_listing_stream *s, const struct tl_query_wish *wish,
		       struct tl_error *err)
{
	const struct tl_query_listing *listing = s->listing;
	struct tl_query_part part = { .dump = s->trace->options.dump, .thread = TL_NOWHERE };

	part.dump.flags = listing->flags;
	if (listing->thread && !(wish->columns & listing->numbered))
		part.thread = one_thread(listing, s->trace, wish);
	if (listing->narrow)
		listing->narrow(s->trace, wish, &part);
	s->before = part.dump.ordinals.from;
	/* A part of what the format holds may be empty. */
	s->fits = tl_query_trace_numbers(s->trace);
	return tl_query_lines_open(&s->lines, s->trace, listing->write, &part, err);
}

int tl_query_listing_open(const struct tl_query_listing *listing, struct tl_query_trace *trace,
			  const struct tl_query_wish *wish, void **handle, struct tl_error *err)
{
	struct tl_query_listing_stream *s = calloc(1, sizeof(*s));
	int status = 0;

	*handle = s;
	if (!s)
		return tl_error_memory(err);
	s->trace = trace;
	s->listing = listing;
	s->number = TL_NOWHERE;
	if (!keep_conditions(s, wish))
		return tl_error_memory(err);
	if (wish->columns & listing->folded)
		status = tl_query_trace_fold(trace, err);
	return status < 0 ? status : begin_lines(s, wish, err);
}

int tl_query_listing_value(struct tl_query_listing_stream *s, const char *key,
			   struct tl_query_value *value, struct tl_error *err)
{
	if (tl_query_json_value(s->line, s->size, key, &s->text, &s->text_capacity, value))
		return 0;
	return tl_error_memory(err);
}

int tl_query_listing_cell(void *handle, int column, struct tl_query_value *value,
			  struct tl_error *err)
{
	struct tl_query_listing_stream *s = handle;
	const struct tl_query_listing_column *c = &s->listing->columns[column];
	int status = 0;

	for (int i = 0; status == 0 && i < TL_QUERY_MOST_KEYS && c->keys[i]; i++)
		if (value->type == TL_QUERY_NULL)
			status = tl_query_listing_value(s, c->keys[i], value, err);
	if (status == 0 && value->type == TL_QUERY_NULL && c->special)
		status = c->special(s, value, err);
	return status;
}

/* The next line that is a row. */
static int next_row(struct tl_query_listing_stream *s, struct tl_error *err)
{
	const struct tl_query_listing *listing = s->listing;
	int status, row = 1;

	do {
		status = tl_query_lines_next(s->lines, &s->line, &s->size, err);
		s->any |= status == 1;
		if (status == 1 && listing->is_row)
			row = listing->is_row(s, err);
	} while (status == 1 && !row);
	s->number++;
	if (status == 0 && s->any && listing->lacking && !s->fits)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, listing->lacking);
	return row < 0 ? row : status;
}

static bool same_text(const char *text, const struct tl_query_value *value)
{
	return strlen(text) == value->size && !memcmp(text, value->text, value->size);
}

/* Whether a value passes; what is of another type than the condition is left to SQLite. */
static bool holds(const struct tl_query_condition *condition, const struct tl_query_value *value)
{
	if (condition->text && value->type == TL_QUERY_TEXT)
		return same_text(condition->text, value);
	if (condition->text || value->type != TL_QUERY_INTEGER)
		return value->type != TL_QUERY_NULL;
	switch (condition->comparison) {
	case TL_QUERY_LESS:
		return value->integer < condition->value;
	case TL_QUERY_LESS_EQUAL:
		return value->integer <= condition->value;
	case TL_QUERY_GREATER:
		return value->integer > condition->value;
	case TL_QUERY_GREATER_EQUAL:
		return value->integer >= condition->value;
	case TL_QUERY_EQUAL:
		break;
	}
	return value->integer == condition->value;
}

/* Whether all rows from this one on have a value that is too large. */
static bool is_past(const struct tl_query_listing_stream *s,
		    const struct tl_query_condition *condition, const struct tl_query_value *value)
{
	return s->listing->ascending && s->trace->path_count == 1 && !condition->column &&
	       value->type == TL_QUERY_INTEGER && value->integer > condition->value &&
	       condition->comparison != TL_QUERY_GREATER &&
	       condition->comparison != TL_QUERY_GREATER_EQUAL;
}

/* 1: the row is wanted; 0: it is not, nor is any behind it, if *past; or negative */
static int test_row(struct tl_query_listing_stream *s, bool *past, struct tl_error *err)
{
	*past = false;
	for (size_t i = 0; i < s->condition_count; i++) {
		struct tl_query_value value = { .type = TL_QUERY_NULL };
		int status = tl_query_listing_cell(s, s->conditions[i].column, &value, err);

		if (status < 0)
			return status;
		*past = is_past(s, &s->conditions[i], &value);
		if (!holds(&s->conditions[i], &value))
			return 0;
	}
	return 1;
}

int tl_query_listing_next(void *handle, struct tl_error *err)
{
	struct tl_query_listing_stream *s = handle;
	bool past = false;
	int status, wanted = 0;

	do {
		status = next_row(s, err);
		if (status == 1)
			wanted = test_row(s, &past, err);
	} while (status == 1 && !wanted && !past);
	return status == 1 ? wanted : status;
}

void tl_query_listing_close(void *handle)
{
	struct tl_query_listing_stream *s = handle;

	tl_query_lines_close(s->lines);
	for (size_t i = 0; i < s->condition_count; i++)
		free((char *)s->conditions[i].text);
	free(s->ordinals);
	free(s->text);
	free(s);
}
