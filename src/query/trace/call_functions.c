/* SPDX-License-Identifier: Apache-2.0 */
#include "query/trace/call_functions.h"

#include <string.h>

#include "core/error.h"

/* Numbers below this are looked up in an array: most traces number their functions from 0 or 1. */
enum { SMALL = 1 << 20 };

/* ---- functions of the profile ---- */

static uint64_t text_hash(const char *text)
{
	return tl_hash_bytes(text, strlen(text));
}

static uint64_t identity_hash(const char *name, const char *file, const char *object)
{
	return tl_hash_pair(tl_hash_pair(text_hash(name), text_hash(file)), text_hash(object));
}

static bool same_identity(const void *context, const void *key, uint32_t number)
{
	const struct tl_query_trace *trace = context;
	const struct tl_call_function *function = key;
	const struct tl_function *other = tl_profile_function(trace->profile, number);

	return !strcmp(function->name, other->name) && !strcmp(function->file, other->file) &&
	       !strcmp(function->object, other->object);
}

static void forget(struct tl_query_call_functions *functions)
{
	functions->count = 0;
	if (functions->small)
		memset(functions->small, 0, functions->small_capacity * sizeof(*functions->small));
	tl_index_free(&functions->numbers);
	tl_index_free(&functions->names);
}

bool tl_query_call_functions_match(struct tl_query_call_functions *functions,
				   const struct tl_query_trace *trace)
{
	uint32_t count = tl_profile_function_count(trace->profile);

	if (functions->trace)
		return true;
	/* Those that were met before have no id yet: they are met again. */
	forget(functions);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_function *function = tl_profile_function(trace->profile, i);

		if (!tl_index_add(&functions->known,
				  identity_hash(function->name, function->file, function->object),
				  i))
			return false;
		if (trace->folded.own_numbers && function->id < TL_NONE &&
		    !tl_index_add(&functions->own, tl_hash64(function->id), i))
			return false;
	}
	functions->trace = trace;
	return true;
}

static bool same_own_number(const void *context, const void *key, uint32_t number)
{
	const struct tl_query_trace *trace = context;

	return tl_profile_function(trace->profile, number)->id == *(const uint32_t *)key;
}

/*
 * A trace that numbers its functions may have two of one name. Where the numbers are not the
 * trace's own, the name, the file and the object are what a function is.
 */
static uint64_t id_of(const struct tl_query_call_functions *functions, uint32_t number,
		      const struct tl_call_function *function)
{
	const struct tl_query_trace *trace = functions->trace;
	uint32_t found;

	if (functions->numbered)
		return function->id;
	if (!trace)
		return TL_NOWHERE;
	found = tl_index_find(&functions->own, tl_hash64(number), same_own_number, trace, &number);
	if (found == TL_NONE || !same_identity(trace, function, found))
		found = tl_index_find(
			&functions->known,
			identity_hash(function->name, function->file, function->object),
			same_identity, trace, function);
	return found == TL_NONE ? TL_NOWHERE : (uint64_t)trace->folded.ids[found];
}

/* ---- functions of the stream ---- */

static bool same_name(const void *context, const void *key, uint32_t number)
{
	const struct tl_query_call_functions *functions = context;

	return !strcmp(functions->list[number].name, key);
}

static bool same_number(const void *context, const void *key, uint32_t number)
{
	const struct tl_query_call_functions *functions = context;

	return functions->list[number].number == *(const uint32_t *)key;
}

static bool remember(struct tl_query_call_functions *functions, uint32_t number)
{
	size_t from = functions->small_capacity;

	if (number >= SMALL)
		return tl_index_add(&functions->numbers, tl_hash64(number),
				    (uint32_t)functions->count);
	if (!tl_grow(&functions->small, &functions->small_capacity, (size_t)number + 1,
		     sizeof(*functions->small)))
		return false;
	if (functions->small_capacity > from)
		memset(functions->small + from, 0,
		       (functions->small_capacity - from) * sizeof(*functions->small));
	functions->small[number] = (uint32_t)functions->count + 1;
	return true;
}

/* Put a new function into the list. False without memory. */
static bool append(struct tl_query_call_functions *functions, uint32_t number,
		   const struct tl_call_function *function)
{
	uint64_t hash = text_hash(function->name);
	uint32_t place = (uint32_t)functions->count;
	struct tl_query_call_function *added;

	if (!tl_grow(&functions->list, &functions->capacity, functions->count + 1,
		     sizeof(*functions->list)) ||
	    !tl_grow(&functions->texts, &functions->text_capacity, functions->count + 1,
		     sizeof(*functions->texts)))
		return false;
	functions->texts[place] = (struct tl_query_name){ function->name, strlen(function->name) };
	added = &functions->list[place];
	*added = (struct tl_query_call_function){
		.name = function->name,
		.number = number,
		.same = tl_index_find(&functions->names, hash, same_name, functions,
				      function->name),
		.id = id_of(functions, number, function),
	};
	if (added->same == TL_NONE) {
		added->same = place;
		if (!tl_index_add(&functions->names, hash, place))
			return false;
	}
	if (!remember(functions, number))
		return false;
	functions->count++;
	return true;
}

static uint32_t place_of(const struct tl_query_call_functions *functions, uint32_t number)
{
	if (number < functions->small_capacity)
		return functions->small[number] - 1; /* 0 is TL_NONE then */
	return tl_index_find(&functions->numbers, tl_hash64(number), same_number, functions,
			     &number);
}

const struct tl_query_call_function *
tl_query_call_functions_find(struct tl_query_call_functions *functions, struct tl_calls *calls,
			     uint32_t number, struct tl_error *err)
{
	uint32_t place = place_of(functions, number);
	struct tl_call_function function;

	if (place != TL_NONE)
		return &functions->list[place];
	if (tl_calls_function(calls, number, &function, sizeof(function), err) < 0)
		return NULL;
	if (append(functions, number, &function))
		return &functions->list[functions->count - 1];
	tl_error_memory(err);
	return NULL;
}

uint32_t tl_query_call_functions_named(const struct tl_query_call_functions *functions,
				       const char *name)
{
	return tl_index_find(&functions->names, text_hash(name), same_name, functions, name);
}

void tl_query_call_functions_free(struct tl_query_call_functions *functions)
{
	free(functions->list);
	free(functions->texts);
	free(functions->small);
	tl_index_free(&functions->numbers);
	tl_index_free(&functions->names);
	tl_index_free(&functions->known);
	tl_index_free(&functions->own);
}

void tl_query_calls_reader_close(struct tl_query_calls_reader *reader)
{
	if (!reader)
		return;
	tl_calls_close(reader->calls);
	tl_query_call_functions_free(&reader->functions);
	free(reader);
}
