/* SPDX-License-Identifier: Apache-2.0 */
/* An index of calls where memory runs out: when it is made, kept, read again, sampled and asked. */
#include "../xray/bytes.h"

#include <tracelathe/open.h>
#include <tracelathe/timeline.h>

#include "../refuse.h"
#include "../temp_fixture.h"

/* DEEP calls inside each other, around SHORT calls of one tick; the index has several leaves. */
enum { DEEP = 200, SHORT = 3000, LEAF = 500, FIRST = 100, INNER = FIRST + DEEP };

static char trace_path[512], index_path[512];

static int setup(void **state)
{
	struct bytes b = { 0 };
	size_t start;

	temp_setup(state);
	strcpy(trace_path, temp_path(&temp, "trace"));
	strcpy(index_path, temp_path(&temp, "index"));
	put_header(&b, 5, FDR, 1000000, 1 << 20);
	start = begin_block(&b, 1, 2, FIRST);
	for (uint32_t i = 1; i <= DEEP; i++)
		put_function(&b, ENTER, i, 1);
	for (int32_t i = 0; i < SHORT; i++) {
		put_function(&b, ENTER, LEAF, 1);
		put_function(&b, EXIT, LEAF, 1);
	}
	for (uint32_t i = DEEP; i > 0; i--)
		put_function(&b, EXIT, i, 1);
	end_block(&b, start);
	temp_write(&temp, "trace", b.data, b.size);
	free_bytes(&b);
	return 0;
}

/* ---- answers, whole ---- */

struct answers {
	struct tl_call_window window;
	struct tl_call_item items[DEEP + 40];
	size_t count;
	struct tl_call_item next, previous, far;
};

static int take_window(struct answers *a, int status, const struct tl_call_window *window,
		       uint64_t *digest)
{
	if (status < 0)
		return status;
	a->count = window->count;
	for (size_t i = 0; i < window->count; i++) {
		if (i < sizeof(a->items) / sizeof(a->items[0]))
			a->items[i] = window->items[i];
		refuse_note_number(digest, (int64_t)window->items[i].start);
		refuse_note_number(digest, (int64_t)window->items[i].end);
		refuse_note_number(digest, (int64_t)window->items[i].self);
		refuse_note_number(digest, window->items[i].depth);
		refuse_note_number(digest, window->items[i].count);
	}
	return 0;
}

/* Around a time, a short call and one of the deep ones. */
static int find(struct tl_call_cursor *cursor, struct answers *a)
{
	const uint32_t leaf = a->items[DEEP].function, deep = a->items[6].function;
	int status = tl_call_cursor_next(cursor, 0, leaf, 3302, &a->next, sizeof(a->next), NULL);

	if (status > 0)
		status = tl_call_cursor_previous(cursor, 0, leaf, 3302, &a->previous,
						 sizeof(a->previous), NULL);
	if (status > 0)
		status = tl_call_cursor_previous(cursor, 0, deep, 5000, &a->far, sizeof(a->far),
						 NULL);
	return status > 0 ? 0 : status < 0 ? status : TL_BAD_RECORD;
}

/* The windows of all widths; the answers that stay are those of the last one. */
static int ask(struct tl_call_cursor *cursor, struct answers *a, uint64_t *digest)
{
	static const struct {
		uint64_t from, to;
		uint32_t pixels;
	} windows[] = { { 0, 10000, 100 }, { 2000, 6000, 50 }, { 3000, 3010, 10 } };
	struct tl_call_window window;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(windows) / sizeof(windows[0]); i++) {
		const struct tl_call_query query = { .size = sizeof(query),
						     .from = windows[i].from,
						     .to = windows[i].to,
						     .pixels = windows[i].pixels };

		status = tl_call_cursor_window(cursor, &query, &window, sizeof(window), NULL);
		status = take_window(a, status, &window, digest);
	}
	return status;
}

static int ask_stack(struct tl_call_cursor *cursor, struct answers *a, uint64_t *digest)
{
	struct tl_call_window window;
	int status = tl_call_cursor_stack(cursor, 0, INNER + 2 * 1500 + 1, &window, sizeof(window),
					  NULL);

	return take_window(a, status, &window, digest);
}

/* ---- tests ---- */

typedef int open_index_fn(struct tl_input *input, struct tl_call_index **index);

static int make(struct tl_input *input, struct tl_call_index **index)
{
	return tl_input_index(input, index, NULL);
}

static int make_sample(struct tl_input *input, struct tl_call_index **index)
{
	return tl_input_index_sample(input, index, NULL);
}

/* Made and written, or read. */
static int make_kept(struct tl_input *input, struct tl_call_index **index)
{
	int status = tl_input_index_kept(input, index_path, index, NULL, NULL);

	return status < 0 ? status : 0;
}

struct work {
	open_index_fn *open;
	bool anew; /* without the file of another time */
	bool stack;
	struct answers *answers;
};

static int use(const struct work *w, struct tl_call_index *index, uint64_t *digest)
{
	struct tl_call_cursor *cursor;
	int status = tl_call_cursor_open(&cursor, index, NULL);

	if (status < 0)
		return status;
	status = w->stack ? ask_stack(cursor, w->answers, digest) : ask(cursor, w->answers, digest);
	tl_call_cursor_close(cursor);
	/* A sample does not have all calls. Another cursor has no room for leaves yet. */
	if (status < 0 || w->open == make_sample)
		return status;
	status = tl_call_cursor_open(&cursor, index, NULL);
	if (status < 0)
		return status;
	status = find(cursor, w->answers);
	tl_call_cursor_close(cursor);
	return status;
}

static int step(const void *arg, uint64_t *digest)
{
	const struct work *w = arg;
	const char *paths[] = { trace_path };
	struct tl_call_index *index = NULL;
	struct tl_input *input;
	int status;

	if (w->anew)
		unlink(index_path);
	status = tl_input_open(&input, paths, 1, NULL, NULL, NULL);
	if (status == 0)
		status = w->open(input, &index);
	if (status == 0)
		status = use(w, index, digest);
	tl_call_index_close(index);
	tl_input_close(input);
	return status;
}

static void refuse(open_index_fn *open, bool anew, bool stack)
{
	static struct answers answers;
	const struct work work = { open, anew, stack, &answers };

	assert_true(refuse_each(step, &work) > 20);
}

/* Call number i of the short ones is from INNER + 2 i + 1 to INNER + 2 i + 2. */
TEST(answers_are_counted_by_hand)
{
	static struct answers a;
	uint64_t digest = 0;
	struct work work = { make, false, false, &a };

	assert_int_equal(step(&work, &digest), 0);
	/* Those that end at 3000 to those that begin at 3009, in the deep ones. */
	assert_int_equal(a.count, DEEP + 6);
	assert_int_equal(a.items[0].start, FIRST + 1);
	assert_int_equal(a.items[0].end, 6500);
	assert_int_equal(a.items[DEEP - 1].start, INNER);
	assert_int_equal(a.items[DEEP - 1].end, 6301);
	assert_int_equal(a.items[DEEP - 1].self, SHORT + 1);
	assert_int_equal(a.items[DEEP].start, 2999);
	assert_int_equal(a.items[DEEP + 5].start, 3009);
	assert_int_equal(a.next.start, 3303);
	assert_int_equal(a.next.end, 3304);
	assert_int_equal(a.previous.start, 3301);
	assert_int_equal(a.far.start, FIRST + 7);
	assert_int_equal(a.far.end, 6494);
	work.stack = true;
	assert_int_equal(step(&work, &digest), 0);
	assert_int_equal(a.count, DEEP + 1);
	assert_int_equal(a.items[DEEP].start, INNER + 2 * 1500 + 1);
	assert_int_equal(a.items[DEEP].end, INNER + 2 * 1500 + 2);
}

TEST(made)
{
	refuse(make, false, false);
	refuse(make, false, true);
}

TEST(sampled)
{
	refuse(make_sample, false, false);
}

TEST(kept_in_a_file)
{
	refuse(make_kept, true, true);
}

TEST(read_from_a_file)
{
	refuse(make_kept, false, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_counted_by_hand),
		cmocka_unit_test(made),
		cmocka_unit_test(sampled),
		cmocka_unit_test(kept_in_a_file),
		cmocka_unit_test(read_from_a_file),
	};

	return cmocka_run_group_tests_name("open index_memory", tests, setup, temp_teardown);
}
