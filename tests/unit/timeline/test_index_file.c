/* SPDX-License-Identifier: Apache-2.0 */
/* An index in a file: it answers as the one that was written, or is not taken at all. */
#include "calls.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "timeline/index/index_file.h"

static const struct tl_packed made_key = { (uint8_t *)"a key", 5, 5 };

/* ---- a source that saves one number, and must not build twice ---- */

static int save_made(void *handle, struct tl_packed *packed, struct tl_error *err)
{
	(void)err;
	return tl_pack_number(packed, ((const struct made_calls *)handle)->count);
}

static int load_made(void *handle, const struct tl_call_tracks *tracks, struct tl_cursor *cur,
		     struct tl_error *err)
{
	uint64_t count;

	(void)err;
	return tl_get_varint(cur, &count) && count == ((const struct made_calls *)handle)->count &&
	       tracks->count == 1;
}

static const struct tl_call_source_ops kept_ops = {
	.build = build_made,
	.function = function_made,
	.save = save_made,
	.load = load_made,
};

struct kept {
	struct made_calls made;
	struct tl_call_source source;
	struct tl_call_index *index;
	char path[64];
};

/* Build an index and write it. */
static void begin(struct kept *k, const struct made_calls *shape)
{
	struct tl_output *out;
	struct tl_error err;
	int fd;

	*k = (struct kept){ .made = *shape, .path = "/tmp/index-XXXXXX" };
	make_calls(&k->made);
	k->source = (struct tl_call_source){ .ops = &kept_ops, .handle = &k->made };
	assert_int_equal(tl_call_index_open(&k->index, &k->source, &err), 0);
	fd = mkstemp(k->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tl_output_open(&out, k->path, &err), 0);
	assert_int_equal(tl_call_index_write(k->index, &made_key, out, &err), 1);
	assert_int_equal(tl_output_commit(out, &err), 0);
}

static void end(struct kept *k)
{
	tl_call_index_close(k->index);
	unlink(k->path);
	free_made(&k->made);
}

/* Read the file; *index NULL: it was not taken. */
static int read_back(const struct kept *k, const struct tl_packed *key,
		     struct tl_call_index **index)
{
	struct tl_error err;
	int status;

	assert_int_equal(tl_call_index_begin(index, &k->source, &err), 0);
	status = tl_call_index_read(*index, key, k->path, &err);
	if (status == 0)
		assert_int_equal((*index)->tracks.count, 0);
	if (status <= 0) {
		tl_call_index_close(*index);
		*index = NULL;
	}
	return status;
}

/* ---- answers ---- */

static struct tl_call_window ask(struct tl_call_cursor *cursor, const struct tl_call_query *query)
{
	struct tl_call_window window;

	assert_int_equal(tl_call_cursor_window(cursor, query, &window, sizeof(window), NULL), 0);
	return window;
}

static void compare_windows(struct kept *k, struct tl_call_index *other)
{
	struct tl_call_query query = { .size = sizeof(query) };
	struct tl_call_cursor *cursors[2];
	struct tl_call_track_info info[2];
	uint32_t span;

	assert_int_equal(tl_call_cursor_open(&cursors[0], k->index, NULL), 0);
	assert_int_equal(tl_call_cursor_open(&cursors[1], other, NULL), 0);
	tl_call_index_track(k->index, 0, &info[0], sizeof(info[0]));
	assert_int_equal(tl_call_index_track(other, 0, &info[1], sizeof(info[1])), 1);
	assert_memory_equal(&info[0], &info[1], offsetof(struct tl_call_track_info, index_bytes));
	span = (uint32_t)(info[0].last - info[0].first);
	for (int i = 0; i < 100; i++) {
		struct tl_call_window window[2];

		query.from = info[0].first + draw(&k->made, span);
		query.to = query.from + 1 + draw(&k->made, span / (i % 3 ? 100 : 2) + 1);
		query.pixels = i & 1 ? UINT32_MAX : 100;
		for (int j = 0; j < 2; j++)
			window[j] = ask(cursors[j], &query);
		assert_int_equal(window[0].count, window[1].count);
		assert_true(window[0].pixel == window[1].pixel);
		for (size_t j = 0; j < window[0].count; j++)
			assert_memory_equal(&window[0].items[j], &window[1].items[j],
					    sizeof(*window[0].items));
	}
	tl_call_cursor_close(cursors[0]);
	tl_call_cursor_close(cursors[1]);
}

TEST(an_index_from_a_file_answers_as_the_one_that_was_written)
{
	for (size_t shape = 0; shape < MADE_SHAPES; shape++) {
		struct tl_call_index *index;
		struct kept k;

		begin(&k, &made_shapes[shape]);
		assert_int_equal(read_back(&k, &made_key, &index), 1);
		compare_windows(&k, index);
		tl_call_index_close(index);
		end(&k);
	}
}

TEST(a_second_writing_is_the_same_file)
{
	struct tl_call_index *index;
	struct tl_output *out[2];
	const char *bytes[2];
	size_t size[2];
	struct kept k;

	begin(&k, &made_shapes[1]);
	assert_int_equal(read_back(&k, &made_key, &index), 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tl_output_open_memory(&out[i], NULL), 0);
		assert_int_equal(tl_call_index_write(i ? index : k.index, &made_key, out[i], NULL),
				 1);
		bytes[i] = tl_output_bytes(out[i], &size[i]);
	}
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(bytes[0], bytes[1], size[0]);
	tl_output_discard(out[0]);
	tl_output_discard(out[1]);
	tl_call_index_close(index);
	end(&k);
}

/* ---- files that are not taken ---- */

static const struct made_calls small = {
	.seed = 6, .steps = 400, .leaf = 12, .deepest = 140, .swing = 130
};

TEST(a_file_of_another_key_is_not_taken)
{
	const struct tl_packed others[] = { { (uint8_t *)"a kex", 5, 5 },
					    { (uint8_t *)"a ke", 4, 4 },
					    { (uint8_t *)"a key!", 6, 6 } };
	struct tl_call_index *index;
	struct kept k;

	begin(&k, &small);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(read_back(&k, &others[i], &index), 0);
	assert_int_equal(read_back(&k, &made_key, &index), 1);
	tl_call_index_close(index);
	unlink(k.path);
	assert_int_equal(read_back(&k, &made_key, &index), 0);
	end(&k);
}

/* The bytes of the file, for free(). */
static uint8_t *contents(const struct kept *k, size_t *size)
{
	FILE *file = fopen(k->path, "rb");
	uint8_t *bytes = malloc(1 << 16);

	assert_true(file && bytes);
	*size = fread(bytes, 1, 1 << 16, file);
	fclose(file);
	assert_true(*size > 100 && *size < 1 << 16);
	return bytes;
}

static void write_contents(const struct kept *k, const uint8_t *bytes, size_t size)
{
	FILE *file;

	/* A file that is made shorter would be flushed to the disk. */
	unlink(k->path);
	file = fopen(k->path, "wb");
	assert_true(file != NULL);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

TEST(a_changed_byte_and_each_prefix_are_noticed)
{
	struct tl_call_index *index;
	struct kept k;
	uint8_t *bytes;
	size_t size;

	begin(&k, &small);
	bytes = contents(&k, &size);
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		write_contents(&k, bytes, size);
		assert_int_equal(read_back(&k, &made_key, &index), 0);
		bytes[i] ^= (uint8_t)(1 << i % 8);
		write_contents(&k, bytes, i);
		assert_int_equal(read_back(&k, &made_key, &index), 0);
	}
	write_contents(&k, bytes, size);
	assert_int_equal(read_back(&k, &made_key, &index), 1);
	tl_call_index_close(index);
	free(bytes);
	end(&k);
}

/* Ask everything of an index whose numbers may be wrong: what is out of bounds, valgrind sees. */
static void ask_all(struct tl_call_index *index)
{
	struct tl_call_query query = { .size = sizeof(query), .to = TL_NOWHERE };
	struct tl_call_window window;
	struct tl_call_cursor *cursor;
	struct tl_call_item item;

	assert_int_equal(tl_call_cursor_open(&cursor, index, NULL), 0);
	for (query.pixels = 1; query.pixels < 1 << 30; query.pixels *= 32)
		tl_call_cursor_window(cursor, &query, &window, sizeof(window), NULL);
	for (uint64_t ticks = 0; ticks < 40000; ticks += 1000) {
		tl_call_cursor_stack(cursor, 0, ticks, &window, sizeof(window), NULL);
		tl_call_cursor_next(cursor, 0, 7, ticks, &item, sizeof(item), NULL);
		tl_call_cursor_previous(cursor, 0, 7, ticks, &item, sizeof(item), NULL);
	}
	tl_call_cursor_close(cursor);
}

/* A file that somebody else has made, with a checksum that is right. */
TEST(wrong_numbers_below_a_right_checksum_do_no_harm)
{
	static const uint8_t wrong[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t size, taken = 0, refused = 0;
	struct kept k;
	uint8_t *bytes;

	begin(&k, &small);
	bytes = contents(&k, &size);
	for (size_t i = TL_INDEX_FILE_HEADER + made_key.size; i + 4 < size; i++) {
		uint8_t was = bytes[i];
		struct tl_call_index *index;
		uint32_t sum;

		bytes[i] = wrong[i % sizeof(wrong)];
		sum = (uint32_t)crc32_z(0, bytes, size - 4);
		for (size_t j = 0; j < 4; j++)
			bytes[size - 4 + j] = (uint8_t)(sum >> 8 * j);
		write_contents(&k, bytes, size);
		if (read_back(&k, &made_key, &index) > 0) {
			taken++;
			ask_all(index);
			tl_call_index_close(index);
		} else {
			refused++;
		}
		bytes[i] = was;
	}
	assert_true(taken && refused);
	free(bytes);
	end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_from_a_file_answers_as_the_one_that_was_written),
		cmocka_unit_test(a_second_writing_is_the_same_file),
		cmocka_unit_test(a_file_of_another_key_is_not_taken),
		cmocka_unit_test(a_changed_byte_and_each_prefix_are_noticed),
		cmocka_unit_test(wrong_numbers_below_a_right_checksum_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
