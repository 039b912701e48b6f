/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as a stream of the Arrow C data interface, read as its specification says a consumer does:
 * against the naive list of the same calls.
 */
#include <errno.h>
#include <stdio.h>

#include "../refuse.h"
#include "calls.h"

#include "core/error.h"

/* ---- the structures, in the order of the specification ---- */

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

enum { ID, PARENT, PROCESS, THREAD, DEPTH, FUNCTION, START, END, SELF, FLAGS, COLUMNS };

/* ---- sources ---- */

/* Functions are this far apart, so that one takes the place of another where some are kept. */
enum { FAR = 1024, BROKEN = 13 * FAR, NAMELESS = 39 * FAR };

static int name_made(void *handle, uint32_t number, struct tl_call_function *function,
		     struct tl_error *err)
{
	static char name[32];

	(void)handle, (void)err;
	snprintf(name, sizeof(name), number == BROKEN ? "caf\xe9(\xe2\x82)" : "f%u", number);
	*function = (struct tl_call_function){ .name = name, .wanted = true };
	return 0;
}

static const char *expected_name(uint32_t number)
{
	static char name[32];

	/* a byte that is no UTF-8 becomes U+FFFD */
	snprintf(name, sizeof(name),
		 number == BROKEN ? "caf\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd)" : "f%u", number);
	return name;
}

static int fail_name(void *handle, uint32_t number, struct tl_call_function *function,
		     struct tl_error *err)
{
	if (number == NAMELESS)
		return tl_error_at(err, TL_BAD_RECORD, 77, "no name");
	return name_made(handle, number, function, err);
}

static const struct tl_call_source_ops named_ops = { .build = build_made, .function = name_made };
static const struct tl_call_source_ops failing_ops = { .build = build_made, .function = fail_name };

static void make_far_calls(struct made_calls *m)
{
	make_calls(m);
	for (size_t i = 0; i < m->all_count; i++)
		m->all[i].function *= FAR;
	for (size_t i = 0; i < m->count; i++)
		m->calls[i].function *= FAR;
}

static int open_stream(struct made_calls *m, const struct tl_call_source_ops *ops,
		       struct ArrowArrayStream *stream)
{
	const struct tl_call_source source = { .ops = ops, .handle = m };
	const struct tl_calls_options all = { .size = sizeof(all), .to = TL_NOWHERE };
	struct tl_calls *calls;
	struct tl_error err;
	int status = tl_calls_open(&calls, &source, &all, &err);

	return status < 0 ? status : tl_calls_arrow(calls, stream, &err);
}

/* ---- the schema ---- */

TEST(the_schema_names_columns_and_their_types)
{
	/* "l" int64, "L" uint64, "I" uint32, "C" uint8, "u" UTF-8; flag 2: may be null */
	static const struct {
		const char *name, *format;
		int64_t flags;
	} fields[COLUMNS] = {
		{ "id", "L", 0 },     { "parent", "L", 2 }, { "process", "l", 0 },
		{ "thread", "l", 0 }, { "depth", "I", 0 },  { "function", "I", 0 },
		{ "start", "L", 0 },  { "end", "L", 2 },    { "self", "L", 0 },
		{ "flags", "C", 0 },
	};
	struct made_calls m = { .seed = 1, .steps = 4, .leaf = 4, .deepest = 2, .swing = 2 };
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;

	make_calls(&m);
	assert_int_equal(open_stream(&m, &named_ops, &stream), 0);
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_null(stream.get_last_error(&stream));
	stream.release(&stream);
	assert_null(stream.release);
	assert_string_equal(schema.format, "+s");
	assert_int_equal(schema.n_children, COLUMNS);
	for (int i = 0; i < COLUMNS; i++) {
		const struct ArrowSchema *field = schema.children[i];

		assert_string_equal(field->name, fields[i].name);
		assert_string_equal(field->format, fields[i].format);
		assert_int_equal(field->flags, fields[i].flags);
		assert_int_equal(field->n_children, 0);
		if (i == FUNCTION)
			assert_string_equal(field->dictionary->format, "u");
		else
			assert_null(field->dictionary);
	}
	schema.release(&schema);
	assert_null(schema.release);
	free_made(&m);
}

/* ---- batches ---- */

static uint64_t word(const struct ArrowArray *column, size_t row)
{
	return ((const uint64_t *)column->buffers[1])[row];
}

static uint32_t half(const struct ArrowArray *column, size_t row)
{
	return ((const uint32_t *)column->buffers[1])[row];
}

static bool is_null(const struct ArrowArray *column, size_t row)
{
	const uint8_t *valid = column->buffers[0];

	return valid && !(valid[row / 8] >> row % 8 & 1);
}

static void want_name(const struct ArrowArray *column, size_t row, uint32_t function)
{
	const struct ArrowArray *names = column->dictionary;
	const int32_t *offsets = names->buffers[1];
	uint32_t place = half(column, row);
	const char *expected = expected_name(function);

	assert_true(place < names->length);
	assert_int_equal(offsets[0], 0);
	assert_int_equal(offsets[place + 1] - offsets[place], strlen(expected));
	assert_memory_equal((const char *)names->buffers[2] + offsets[place], expected,
			    strlen(expected));
}

/* The ids of the open calls by depth. */
struct open_calls {
	uint64_t ids[5001];
};

static void want_row(const struct ArrowArray *batch, size_t row, const struct tl_leaf_call *call,
		     uint64_t id, struct open_calls *open)
{
	struct ArrowArray *const *c = batch->children;

	open->ids[call->depth] = id;
	assert_true(word(c[ID], row) == id);
	assert_int_equal(is_null(c[PARENT], row), call->depth == 0);
	if (call->depth)
		assert_true(word(c[PARENT], row) == open->ids[call->depth - 1]);
	assert_true(word(c[PROCESS], row) == 1);
	assert_true(word(c[THREAD], row) == 2);
	assert_int_equal(half(c[DEPTH], row), call->depth);
	want_name(c[FUNCTION], row, call->function);
	assert_true(word(c[START], row) == call->start);
	assert_int_equal(is_null(c[END], row), call->end == TL_NOWHERE);
	if (call->end != TL_NOWHERE)
		assert_true(word(c[END], row) == call->end);
	assert_true(word(c[SELF], row) == call->self);
	assert_int_equal(((const uint8_t *)c[FLAGS]->buffers[1])[row], 0);
}

/* What must hold of a batch as a whole; how many nulls two columns have. */
static void want_shape(const struct ArrowArray *batch)
{
	assert_int_equal(batch->n_children, COLUMNS);
	assert_int_equal(batch->null_count, 0);
	assert_int_equal(batch->n_buffers, 1);
	assert_null(batch->buffers[0]);
	for (int i = 0; i < COLUMNS; i++) {
		const struct ArrowArray *column = batch->children[i];
		int64_t nulls = 0;

		assert_int_equal(column->length, batch->length);
		assert_int_equal(column->offset, 0);
		assert_int_equal(column->n_buffers, 2);
		for (size_t row = 0; row < (size_t)batch->length; row++)
			nulls += is_null(column, row);
		assert_int_equal(column->null_count, nulls);
	}
	assert_int_equal(batch->children[FUNCTION]->dictionary->n_buffers, 3);
	assert_int_equal(batch->children[FUNCTION]->dictionary->null_count, 0);
}

/* How many batches the calls of a list come in. */
static unsigned want_calls(struct made_calls *m)
{
	static struct open_calls open;
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	int64_t length = 8192;
	unsigned batches = 0;
	uint64_t id = 0;

	assert_int_equal(open_stream(m, &named_ops, &stream), 0);
	for (;; batches++) {
		assert_int_equal(stream.get_next(&stream, &batch), 0);
		if (!batch.release)
			break;
		want_shape(&batch);
		assert_true(length >= 8192);
		length = batch.length;
		for (size_t row = 0; row < (size_t)batch.length; row++, id++)
			want_row(&batch, row, &m->calls[id], id, &open);
		batch.release(&batch);
		assert_null(batch.release);
	}
	assert_int_equal(id, m->count);
	stream.release(&stream);
	return batches;
}

/* "Record batches of at least 8 Ki calls", but for the last one. */
TEST(batches_have_the_calls_of_the_list)
{
	for (size_t i = 0; i < MADE_SHAPES; i++) {
		struct made_calls m = made_shapes[i];
		unsigned batches;

		make_far_calls(&m);
		batches = want_calls(&m);
		assert_true(m.count < 2 * 8192);
		assert_int_equal(batches, m.count > 8192 + m.leaf ? 2 : 1);
		free_made(&m);
	}
}

TEST(no_calls_are_no_batch)
{
	struct made_calls m = { .seed = 1, .steps = 0, .leaf = 4, .deepest = 2, .swing = 2 };

	make_calls(&m);
	assert_int_equal(want_calls(&m), 0);
	free_made(&m);
}

/*
 * "A consumer can move a child": it marks the original as released, and lets go of the rest, here
 * of the stream, too.
 */
TEST(a_child_outlives_its_batch)
{
	struct made_calls m = { .seed = 4, .steps = 900, .leaf = 30, .deepest = 9, .swing = 4 };
	struct ArrowArrayStream stream;
	struct ArrowArray batch, functions;

	make_far_calls(&m);
	assert_int_equal(open_stream(&m, &named_ops, &stream), 0);
	assert_int_equal(stream.get_next(&stream, &batch), 0);
	functions = *batch.children[FUNCTION];
	batch.children[FUNCTION]->release = NULL;
	batch.release(&batch);
	stream.release(&stream);
	assert_int_equal(functions.length, m.count);
	for (size_t i = 0; i < m.count; i++)
		want_name(&functions, i, m.calls[i].function);
	functions.release(&functions);
	assert_null(functions.release);
	free_made(&m);
}

/* ---- failures ---- */

TEST(an_error_of_the_source_is_told)
{
	struct made_calls m = { .seed = 4, .steps = 900, .leaf = 30, .deepest = 9, .swing = 4 };
	struct ArrowArrayStream stream;
	struct ArrowArray batch;

	make_far_calls(&m);
	assert_int_equal(open_stream(&m, &failing_ops, &stream), 0);
	assert_int_equal(stream.get_next(&stream, &batch), EIO);
	assert_null(batch.release);
	assert_string_equal(stream.get_last_error(&stream), "no name");
	stream.release(&stream);
	free_made(&m);
}

static void note_batch(const struct ArrowArray *batch, uint64_t *digest)
{
	const struct ArrowArray *names = batch->children[FUNCTION]->dictionary;
	const int32_t *offsets = names->buffers[1];

	for (size_t row = 0; row < (size_t)batch->length; row++) {
		refuse_note_number(digest, (int64_t)word(batch->children[START], row));
		refuse_note_number(digest, half(batch->children[FUNCTION], row));
		refuse_note_number(digest, is_null(batch->children[PARENT], row));
	}
	refuse_note(digest, names->buffers[2], (size_t)offsets[names->length]);
}

/* Reads the schema and all batches; errno values as a status. */
static int read_stream(struct ArrowArrayStream *stream, uint64_t *digest)
{
	struct ArrowSchema schema;
	struct ArrowArray batch;
	int status = stream->get_schema(stream, &schema);

	if (status == 0) {
		refuse_note_text(digest, schema.children[FUNCTION]->dictionary->format);
		schema.release(&schema);
		status = stream->get_next(stream, &batch);
	}
	while (status == 0 && batch.release) {
		note_batch(&batch, digest);
		batch.release(&batch);
		status = stream->get_next(stream, &batch);
	}
	if (status)
		assert_string_equal(stream->get_last_error(stream), "out of memory");
	assert_true(status == 0 || status == ENOMEM);
	return status ? TL_NO_MEMORY : 0;
}

static int read_all(const void *input, uint64_t *digest)
{
	struct made_calls m = *(const struct made_calls *)input;
	struct ArrowArrayStream stream;
	int status = open_stream(&m, &named_ops, &stream);

	if (status < 0)
		return status;
	status = read_stream(&stream, digest);
	stream.release(&stream);
	return status;
}

TEST(memory_that_runs_out_is_told)
{
	struct made_calls m = { .seed = 4, .steps = 200, .leaf = 30, .deepest = 9, .swing = 4 };

	make_far_calls(&m);
	assert_true(refuse_each(read_all, &m) > 60);
	free_made(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schema_names_columns_and_their_types),
		cmocka_unit_test(batches_have_the_calls_of_the_list),
		cmocka_unit_test(no_calls_are_no_batch),
		cmocka_unit_test(a_child_outlives_its_batch),
		cmocka_unit_test(an_error_of_the_source_is_told),
		cmocka_unit_test(memory_that_runs_out_is_told),
	};

	return cmocka_run_group_tests_name("timeline arrow", tests, NULL, NULL);
}
