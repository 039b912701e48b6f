/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/arrow_names.h"

#include <string.h>

#include "core/error.h"
#include "core/output.h"

enum { MOST_BYTES = INT32_MAX };

static bool same_number(const void *context, const void *key, uint32_t place)
{
	const struct tl_arrow_names *names = context;

	return names->numbers[place] == *(const uint32_t *)key;
}

/* Append a name as UTF-8: a byte that is none becomes U+FFFD. False without memory. */
static bool append_name(struct tl_arrow_names *names, const char *name)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t left = strlen(name);

	if (!tl_grow(&names->bytes, &names->byte_capacity, names->size + 3 * left + 1, 1))
		return false;
	while (left) {
		size_t valid = tl_utf8_span(name, left);

		memcpy(names->bytes + names->size, name, valid);
		names->size += valid;
		name += valid;
		left -= valid;
		if (!left)
			break;
		memcpy(names->bytes + names->size, replacement, sizeof(replacement) - 1);
		names->size += sizeof(replacement) - 1;
		name++;
		left--;
	}
	return true;
}

static int add_function(struct tl_arrow_names *names, struct tl_calls *calls, uint32_t number,
			struct tl_error *err)
{
	struct tl_call_function function;
	int status = tl_calls_function(calls, number, &function, sizeof(function), err);

	if (status < 0)
		return status;
	if (!tl_grow(&names->numbers, &names->number_capacity, names->count + 1,
		     sizeof(*names->numbers)) ||
	    !tl_grow(&names->ends, &names->end_capacity, names->count + 1, sizeof(*names->ends)) ||
	    !append_name(names, function.name) ||
	    !tl_index_add(&names->places, tl_hash64(number), (uint32_t)names->count))
		return tl_error_memory(err);
	if (names->size > MOST_BYTES)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
				   "the names of functions are longer than an Arrow array takes");
	names->numbers[names->count] = number;
	names->ends[names->count++] = (int32_t)names->size;
	return 0;
}

int tl_arrow_names_look_up(struct tl_arrow_names *names, struct tl_calls *calls, uint32_t number,
			   uint32_t *place, struct tl_error *err)
{
	int status = 0;

	*place = tl_index_find(&names->places, tl_hash64(number), same_number, names, &number);
	if (*place == TL_NONE) {
		*place = (uint32_t)names->count;
		status = add_function(names, calls, number, err);
	}
	if (status == 0)
		names->recent[number % TL_ARROW_RECENT] =
			(struct tl_arrow_place){ number, *place + 1 };
	return status;
}

/* The names as they are now, in memory of their own. NULL without memory. */
static struct tl_arrow_list *copy_list(const struct tl_arrow_names *names)
{
	struct tl_arrow_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->references = 1;
	list->count = names->count;
	list->offsets = malloc((names->count + 1) * sizeof(*list->offsets));
	list->bytes = malloc(names->size + 1);
	if (!list->offsets || !list->bytes) {
		tl_arrow_list_leave(list);
		return NULL;
	}
	list->offsets[0] = 0;
	if (names->count)
		memcpy(list->offsets + 1, names->ends, names->count * sizeof(*names->ends));
	if (names->size)
		memcpy(list->bytes, names->bytes, names->size);
	return list;
}

struct tl_arrow_list *tl_arrow_names_share(struct tl_arrow_names *names)
{
	if (!names->list || names->list->count != names->count) {
		tl_arrow_list_leave(names->list);
		names->list = copy_list(names);
	}
	if (names->list)
		atomic_fetch_add(&names->list->references, 1);
	return names->list;
}

void tl_arrow_list_leave(struct tl_arrow_list *list)
{
	if (!list || atomic_fetch_sub(&list->references, 1) != 1)
		return;
	free(list->offsets);
	free(list->bytes);
	free(list);
}

void tl_arrow_names_free(struct tl_arrow_names *names)
{
	tl_arrow_list_leave(names->list);
	tl_index_free(&names->places);
	free(names->numbers);
	free(names->ends);
	free(names->bytes);
}
