/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as a stream of the Arrow C data interface
 * (https://arrow.apache.org/docs/format/CStreamInterface.html): record batches of at least 8 Ki
 * calls, whose arrays the reader takes over as they are. Each array owns its memory, as the
 * interface lets a reader keep one of them and release the rest.
 */
#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "timeline/calls/arrow_names.h"

/* ---- the interface ---- */

enum { ARROW_DICTIONARY_ORDERED = 1, ARROW_NULLABLE = 2 };

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

/* ---- columns ---- */

/* Arrays below the size from which malloc() maps each by itself, so that memory is used again. */
enum { BATCH_CALLS = 1 << 13 };

enum column {
	ID,
	PARENT,
	PROCESS,
	THREAD,
	DEPTH,
	FUNCTION,
	START,
	END,
	SELF,
	FLAGS,
	COLUMNS,
};

static const struct arrow_column {
	const char *name, *format;
	size_t bytes;
	bool nullable; /* TL_NOWHERE is no value */
} arrow_columns[COLUMNS] = {
	[ID] = { "id", "L", 8, false },           [PARENT] = { "parent", "L", 8, true },
	[PROCESS] = { "process", "l", 8, false }, [THREAD] = { "thread", "l", 8, false },
	[DEPTH] = { "depth", "I", 4, false },     [FUNCTION] = { "function", "I", 4, false },
	[START] = { "start", "L", 8, false },     [END] = { "end", "L", 8, true },
	[SELF] = { "self", "L", 8, false },       [FLAGS] = { "flags", "C", 1, false },
};

struct arrow_stream {
	struct tl_calls *calls;
	struct tl_error err;
	struct tl_arrow_names names;
};

/* ---- arrays ---- */

/* What an array of a batch owns. */
struct column_data {
	const void *buffers[3];
	void *words;
	uint8_t *valid; /* a bit for each value; NULL: all are */
	size_t capacity, valid_capacity;
	struct tl_arrow_list *names; /* of a dictionary */
};

static void free_column(struct column_data *data)
{
	if (!data)
		return;
	free(data->words);
	free(data->valid);
	tl_arrow_list_leave(data->names);
	free(data);
}

static void release_column(struct ArrowArray *array)
{
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	free(array->dictionary);
	free_column(array->private_data);
	array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
		free(array->children[i]);
	}
	free(array->children);
	free(array->buffers);
	array->release = NULL;
}

static struct ArrowArray *make_dictionary(struct arrow_stream *s)
{
	struct ArrowArray *array = calloc(1, sizeof(*array));
	struct column_data *data = calloc(1, sizeof(*data));

	if (data)
		data->names = tl_arrow_names_share(&s->names);
	if (!array || !data || !data->names) {
		free(array);
		free_column(data);
		return NULL;
	}
	data->buffers[1] = data->names->offsets;
	data->buffers[2] = data->names->bytes;
	*array = (struct ArrowArray){ .length = (int64_t)data->names->count,
				      .n_buffers = 3,
				      .buffers = data->buffers,
				      .release = release_column,
				      .private_data = data };
	return array;
}

/* An empty batch. False without memory. */
static bool begin_batch(struct ArrowArray *batch)
{
	/* clang-format off */
	*batch = (struct ArrowArray){
		.n_buffers = 1, .release = release_batch,
		.buffers = calloc(1, sizeof(*batch->buffers)),
		.children = calloc(COLUMNS, sizeof(*batch->children)),
	};
	/* clang-format on */
	if (!batch->buffers || !batch->children)
		return false;
	for (; batch->n_children < COLUMNS; batch->n_children++) {
		struct ArrowArray *child = calloc(1, sizeof(*child));
		struct column_data *data = calloc(1, sizeof(*data));

		if (!child || !data) {
			free(child);
			free(data);
			return false;
		}
		*child = (struct ArrowArray){ .n_buffers = 2,
					      .buffers = data->buffers,
					      .release = release_column,
					      .private_data = data };
		batch->children[batch->n_children] = child;
	}
	return true;
}

/* Room for more values: at once for as many as a batch has, so that nothing moves. */
static void *room(struct ArrowArray *child, size_t bytes, size_t more)
{
	struct column_data *data = child->private_data;

	if (!data->words && !tl_grow(&data->words, &data->capacity, BATCH_CALLS + more, bytes))
		return NULL;
	if (!tl_grow(&data->words, &data->capacity, (size_t)child->length + more, bytes))
		return NULL;
	return (char *)data->words + (size_t)child->length * bytes;
}

/* Which values are there: a bit each, made from the first one on where one is missing. */
static bool mark_valid(struct ArrowArray *child, const uint64_t *words, size_t count)
{
	struct column_data *data = child->private_data;
	size_t from = (size_t)child->length, bit = from % 8, known = 0;
	uint8_t *to, byte;

	if (!tl_grow(&data->valid, &data->valid_capacity, (from + count) / 8 + 1, 1))
		return false;
	to = data->valid + from / 8;
	byte = bit ? *to : 0;
	for (size_t i = 0; i < count; i++) {
		bool is_known = words[i] != TL_NOWHERE;

		known += is_known;
		byte |= (uint8_t)(is_known << bit);
		if (++bit < 8)
			continue;
		*to++ = byte;
		bit = byte = 0;
	}
	*to = byte;
	child->null_count += (int64_t)(count - known);
	return true;
}

static int fill_functions(struct arrow_stream *s, uint32_t *to, const uint32_t *numbers,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (tl_arrow_names_find(&s->names, s->calls, numbers[i], &to[i], &s->err) < 0)
			return (int)s->err.status;
	return 0;
}

static const void *values_of(const struct tl_call_columns *from, enum column column)
{
	const void *const values[COLUMNS] = {
		[ID] = from->ids,       [PARENT] = from->parents, [DEPTH] = from->depths,
		[START] = from->starts, [END] = from->ends,       [SELF] = from->selves,
		[FLAGS] = from->flags,
	};

	return values[column];
}

static int append_column(struct arrow_stream *s, struct ArrowArray *child, enum column column,
			 const struct tl_call_columns *from)
{
	const struct arrow_column *what = &arrow_columns[column];
	void *to = room(child, what->bytes, from->count);
	int status = 0;

	if (!to || (what->nullable && !mark_valid(child, values_of(from, column), from->count)))
		return tl_error_memory(&s->err);
	if (column == FUNCTION)
		status = fill_functions(s, to, from->functions, from->count);
	else if (column == PROCESS || column == THREAD)
		for (size_t i = 0; i < from->count; i++)
			((int64_t *)to)[i] = column == PROCESS ? from->process : from->thread;
	else
		memcpy(to, values_of(from, column), from->count * what->bytes);
	child->length += (int64_t)from->count;
	return status;
}

static int append_calls(struct arrow_stream *s, struct ArrowArray *batch)
{
	struct tl_call_columns from;
	int status = 1;

	while (batch->length < BATCH_CALLS) {
		status = tl_calls_columns(s->calls, (TL_CALL_FLAGS << 1) - 1, &from, sizeof(from),
					  &s->err);
		if (status != 1)
			return status;
		for (int i = 0; i < COLUMNS; i++) {
			status = append_column(s, batch->children[i], (enum column)i, &from);
			if (status < 0)
				return status;
		}
		batch->length += (int64_t)from.count;
	}
	return 1;
}

static bool end_batch(struct arrow_stream *s, struct ArrowArray *batch)
{
	for (int i = 0; i < COLUMNS; i++) {
		struct column_data *data = batch->children[i]->private_data;

		data->buffers[0] = batch->children[i]->null_count ? data->valid : NULL;
		data->buffers[1] = data->words;
	}
	batch->children[FUNCTION]->dictionary = make_dictionary(s);
	return batch->children[FUNCTION]->dictionary;
}

/* ---- the schema ---- */

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	if (schema->dictionary && schema->dictionary->release)
		schema->dictionary->release(schema->dictionary);
	free(schema->dictionary);
	free(schema->children);
	schema->release = NULL;
}

static struct ArrowSchema *make_field(const char *name, const char *format, bool nullable)
{
	struct ArrowSchema *field = calloc(1, sizeof(*field));

	if (field)
		*field = (struct ArrowSchema){ .format = format,
					       .name = name,
					       .flags = nullable ? ARROW_NULLABLE : 0,
					       .release = release_schema };
	return field;
}

static bool make_schema(struct ArrowSchema *schema)
{
	*schema = (struct ArrowSchema){ .format = "+s", .name = "", .release = release_schema };
	schema->children = calloc(COLUMNS, sizeof(*schema->children));
	if (!schema->children)
		return false;
	for (; schema->n_children < COLUMNS; schema->n_children++) {
		const struct arrow_column *what = &arrow_columns[schema->n_children];
		struct ArrowSchema *field = make_field(what->name, what->format, what->nullable);

		if (!field)
			return false;
		schema->children[schema->n_children] = field;
	}
	schema->children[FUNCTION]->dictionary = make_field("", "u", false);
	return schema->children[FUNCTION]->dictionary;
}

/* ---- the stream ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct arrow_stream *s = stream->private_data;

	if (make_schema(out))
		return 0;
	release_schema(out);
	tl_error_memory(&s->err);
	return ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct arrow_stream *s = stream->private_data;
	int status = begin_batch(out) ? append_calls(s, out) : tl_error_memory(&s->err);

	if (status >= 0 && out->length && !end_batch(s, out))
		status = tl_error_memory(&s->err);
	if (status < 0 || !out->length)
		release_batch(out);
	if (status >= 0)
		return 0;
	return status == TL_NO_MEMORY ? ENOMEM : EIO;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct arrow_stream *s = stream->private_data;

	return s->err.status == TL_OK ? NULL : s->err.text;
}

static void release_stream(struct ArrowArrayStream *stream)
{
	struct arrow_stream *s = stream->private_data;

	tl_calls_close(s->calls);
	tl_arrow_names_free(&s->names);
	free(s);
	stream->release = NULL;
}

int tl_calls_arrow(struct tl_calls *calls, struct ArrowArrayStream *stream, struct tl_error *err)
{
	struct arrow_stream *s = calloc(1, sizeof(*s));

	if (!s) {
		tl_calls_close(calls);
		return tl_error_memory(err);
	}
	s->calls = calls;
	*stream = (struct ArrowArrayStream){ get_schema, get_next, get_last_error, release_stream,
					     s };
	return 0;
}
