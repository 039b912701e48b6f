/* SPDX-License-Identifier: Apache-2.0 */
#include "open/window/known.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/text/optional.h"

/* A function of the index; texts by their numbers in `names`. */
struct known_function {
	uint32_t function; /* of the index */
	uint32_t same;     /* the first one here that is the same for a profile */
	uint32_t name, object, file, line;
	uint64_t id, address;
};

/* Functions of the index below NEAR are found without a hash, which takes twice as long. */
enum { NEAR = 1 << 20 };

struct near_function {
	uint32_t number, same; /* 0: not known yet, else plus one */
};

struct tl_known_functions {
	struct tl_call_index *index;
	pthread_mutex_t lock; /* of all below */
	struct tl_names names;
	struct known_function *list;
	size_t count, capacity;
	struct near_function *near;
	size_t near_capacity;
	struct tl_index by_function, by_key;
};

static void free_known(void *arg)
{
	struct tl_known_functions *known = arg;

	tl_names_free(&known->names);
	free(known->list);
	free(known->near);
	tl_index_free(&known->by_function);
	tl_index_free(&known->by_key);
	pthread_mutex_destroy(&known->lock);
	free(known);
}

int tl_known_functions_of(struct tl_call_index *index, struct tl_known_functions **known,
			  struct tl_error *err)
{
	struct tl_kept *kept = &index->kept[TL_KEPT_FUNCTIONS];

	pthread_mutex_lock(&index->names);
	*known = kept->what;
	if (!*known) {
		*known = calloc(1, sizeof(**known));
		if (*known) {
			pthread_mutex_init(&(*known)->lock, NULL);
			(*known)->index = index;
		}
		*kept = (struct tl_kept){ *known, free_known };
	}
	pthread_mutex_unlock(&index->names);
	return tl_error_unless_made(*known != NULL, err);
}

/* ---- numbers ---- */

static bool is_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_known_functions *known = context;

	return known->list[number].function == *(const uint32_t *)key;
}

/* As a profile tells functions apart. */
static bool is_same(const void *context, const void *key, uint32_t number)
{
	const struct known_function *a = &((const struct tl_known_functions *)context)
						  ->list[number],
				    *b = key;

	return a->name == b->name && a->file == b->file && a->object == b->object && a->id == b->id;
}

static uint64_t hash_key(const struct known_function *f)
{
	return tl_hash_pair(tl_hash_pair(f->name, f->file), tl_hash_pair(f->object, f->id));
}

static uint32_t text_number(struct tl_known_functions *known, const char *text)
{
	text = tl_text_or_empty(text);
	return tl_names_add(&known->names, text, strlen(text));
}

/* Room for a function of the index among the near ones. False without memory. */
static bool grow_near(struct tl_known_functions *known, uint32_t function)
{
	const size_t had = known->near_capacity;

	if (!tl_grow(&known->near, &known->near_capacity, (size_t)function + 1,
		     sizeof(*known->near)))
		return false;
	memset(known->near + had, 0, (known->near_capacity - had) * sizeof(*known->near));
	return true;
}

static bool add_function(struct tl_known_functions *known, const struct known_function *f)
{
	const uint32_t number = (uint32_t)known->count;

	if (f->function >= NEAR)
		return tl_index_add(&known->by_function, tl_hash64(f->function), number);
	if (!grow_near(known, f->function))
		return false;
	known->near[f->function] = (struct near_function){ number + 1, f->same + 1 };
	return true;
}

static bool add_known(struct tl_known_functions *known, struct known_function *f)
{
	const uint64_t key = hash_key(f);
	uint32_t same = tl_index_find(&known->by_key, key, is_same, known, f);

	if (!tl_grow(&known->list, &known->capacity, known->count + 1, sizeof(*known->list)))
		return false;
	f->same = same == TL_NONE ? (uint32_t)known->count : same;
	known->list[known->count] = *f;
	if ((same == TL_NONE && !tl_index_add(&known->by_key, key, f->same)) ||
	    !add_function(known, f))
		return false;
	known->count++;
	return true;
}

/* Its number here; negative: it cannot be named. */
static int64_t name_function(struct tl_known_functions *known, uint32_t function,
			     struct tl_error *err)
{
	struct tl_call_function named = { .name = "" };
	int status = tl_call_index_function(known->index, function, &named, sizeof(named), err);
	struct known_function f;

	if (status < 0)
		return status;
	f = (struct known_function){ .function = function,
				     .name = text_number(known, named.name),
				     .object = text_number(known, named.object),
				     .file = text_number(known, named.file),
				     .line = named.line,
				     .id = named.id,
				     .address = named.address };
	if (f.name == TL_NONE || f.object == TL_NONE || f.file == TL_NONE ||
	    known->count >= TL_NONE - 1)
		return tl_error_memory(err);
	return add_known(known, &f) ? (int64_t)known->count - 1 : tl_error_memory(err);
}

static int find(struct tl_known_functions *known, uint32_t function, uint32_t *number,
		uint32_t *same, struct tl_error *err)
{
	uint32_t found = TL_NONE;
	int64_t made;

	if (function < known->near_capacity && known->near[function].number) {
		*number = known->near[function].number - 1;
		*same = known->near[function].same - 1;
		return 0;
	}
	if (function >= NEAR)
		found = tl_index_find(&known->by_function, tl_hash64(function), is_function, known,
				      &function);
	made = found == TL_NONE ? name_function(known, function, err) : (int64_t)found;
	if (made < 0)
		return (int)made;
	*number = (uint32_t)made;
	*same = known->list[made].same;
	return 0;
}

int tl_known_find(struct tl_known_functions *known, uint32_t function, uint32_t *number,
		  uint32_t *same, struct tl_error *err)
{
	int status;

	pthread_mutex_lock(&known->lock);
	status = find(known, function, number, same, err);
	pthread_mutex_unlock(&known->lock);
	return status;
}

/* ---- into a profile ---- */

/* Texts of a profile, by their numbers here; NULL: it has none. */
struct copy {
	struct tl_known_functions *known;
	struct tl_profile *profile;
	const char **texts;
};

/* The texts that the profile has already. False without memory. */
static bool take_texts(struct copy *c)
{
	const struct tl_names *had = &c->profile->names;
	struct tl_names *names = &c->known->names;
	uint32_t number;

	for (size_t i = 0; i < had->count; i++)
		if (tl_names_add(names, had->names[i].text, had->names[i].size) == TL_NONE)
			return false;
	c->texts = tl_zeroed(names->count, sizeof(*c->texts));
	for (size_t i = 0; c->texts && i < had->count; i++) {
		number = tl_names_add(names, had->names[i].text, had->names[i].size);
		c->texts[number] = had->names[i].text;
	}
	return c->texts != NULL;
}

/* The profile's text, added without a look-up where it is new; NULL without memory. */
static const char *text_of(struct copy *c, uint32_t number)
{
	const struct tl_name *name = &c->known->names.names[number];
	struct tl_names *names = &c->profile->names;

	if (c->texts[number])
		return c->texts[number];
	c->texts[number] = tl_arena_copy(&names->arena, name->text, name->size);
	if (!c->texts[number] || !tl_names_reserve(names, 1))
		return NULL;
	tl_names_append(names, c->texts[number], name->size);
	return c->texts[number];
}

static bool put_function(struct copy *c, const struct known_function *f, struct tl_function *to)
{
	*to = (struct tl_function){ text_of(c, f->name), text_of(c, f->object),
				    text_of(c, f->file), f->id,
				    f->address,          f->line };
	return to->name && to->object && to->file;
}

/*
 * In the order of what is read here, as all of it is in another one than the profile's: what is
 * waited for is memory.
 */
static bool put_functions(struct copy *c, const uint32_t *numbers, size_t count)
{
	const struct tl_known_functions *known = c->known;
	uint32_t *wanted = tl_zeroed(known->count, sizeof(*wanted));
	struct tl_function *functions = tl_profile_functions_room(c->profile, count);
	bool ok = wanted && functions;

	for (size_t i = 0; ok && i < count; i++)
		wanted[numbers[i]] = (uint32_t)i + 1;
	for (size_t i = 0; ok && i < known->count; i++)
		if (wanted[i])
			ok = put_function(c, &known->list[i], &functions[wanted[i] - 1]);
	free(wanted);
	return ok;
}

int tl_known_into(struct tl_known_functions *known, const uint32_t *numbers, size_t count,
		  struct tl_profile *profile, struct tl_error *err)
{
	struct copy c = { .known = known, .profile = profile };
	bool ok;

	pthread_mutex_lock(&known->lock);
	ok = take_texts(&c) && put_functions(&c, numbers, count);
	pthread_mutex_unlock(&known->lock);
	free(c.texts);
	return tl_error_unless_made(ok, err);
}
