/* SPDX-License-Identifier: Apache-2.0 */
/* Text made by several threads is written in the order in which its batches were filled. */
#include <stdio.h>
#include <stdlib.h>

#include "../unit.h"

#include "core/text/ordered.h"

struct batch {
	unsigned number, size;
	char *kept; /* its member: freed at the end */
};

/* `number:` and as many letters as the batch says; the more letters, the longer it takes. */
static bool format(const void *arg, const void *batch, struct tl_ordered_text *text)
{
	const struct batch *b = batch;

	if (b->number >= *(const unsigned *)arg)
		return false;
	if (!tl_ordered_room(text, 16))
		return false;
	text->pos += snprintf(text->pos, 16, "%u:", b->number);
	for (unsigned i = 0; i < b->size; i++) {
		if (!tl_ordered_room(text, 1))
			return false;
		*text->pos++ = (char)('a' + b->number % 26);
	}
	return true;
}

static void clear(void *batch)
{
	((struct batch *)batch)->size = 0;
}

static void free_batch(void *batch)
{
	free(((struct batch *)batch)->kept);
}

static const struct tl_ordered_ops ops = { sizeof(struct batch), format, clear, free_batch };

/* How many letters batch `i` has: some have thousands. */
static unsigned size_of(unsigned i)
{
	return i * 2654435761u >> 20 & (i % 7 ? 255 : 65535);
}

static void fill(struct tl_ordered *ordered, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct batch *batch = tl_ordered_batch(ordered);

		assert_int_equal(batch->size, 0);
		if (!batch->kept)
			batch->kept = malloc(1);
		batch->number = i;
		batch->size = size_of(i);
		if (i + 1 < count)
			tl_ordered_next(ordered);
	}
}

TEST(the_text_is_in_the_order_of_batches)
{
	static const unsigned jobs[] = { 0, 1, 2, 3, 8, 1000 };
	const unsigned most = UINT32_MAX;

	for (size_t j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		struct tl_ordered *ordered;
		struct tl_output *out;
		const char *bytes;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		ordered = tl_ordered_open(&ops, &most, jobs[j], out);
		assert_non_null(ordered);
		fill(ordered, 300);
		assert_int_equal(tl_ordered_close(ordered, NULL), 0);
		bytes = tl_output_bytes(out, &size);
		for (unsigned i = 0; i < 300; i++) {
			char head[16];
			int length = snprintf(head, sizeof(head), "%u:", i);

			assert_true(size >= (size_t)length + size_of(i));
			assert_memory_equal(bytes, head, (size_t)length);
			for (unsigned k = 0; k < size_of(i); k++)
				assert_int_equal(bytes[(unsigned)length + k], 'a' + i % 26);
			bytes += (unsigned)length + size_of(i);
			size -= (unsigned)length + size_of(i);
		}
		assert_int_equal(size, 0);
		tl_output_discard(out);
	}
}

TEST(a_batch_without_memory_fails_all)
{
	for (unsigned jobs = 1; jobs < 4; jobs++) {
		const unsigned most = 20;
		struct tl_ordered *ordered;
		struct tl_error err;
		struct tl_output *out;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		ordered = tl_ordered_open(&ops, &most, jobs, out);
		assert_non_null(ordered);
		assert_false(tl_ordered_failed(ordered));
		fill(ordered, 100);
		assert_true(tl_ordered_failed(ordered));
		assert_int_equal(tl_ordered_close(ordered, &err), TL_NO_MEMORY);
		assert_int_equal(err.status, TL_NO_MEMORY);
		tl_output_discard(out);
	}
}

/* The output says itself what became of it. */
TEST(a_full_device_ends_the_work)
{
	const unsigned most = UINT32_MAX;
	struct tl_ordered *ordered;
	struct tl_output *out;

	if (tl_output_open(&out, "/dev/full", NULL) < 0)
		skip();
	ordered = tl_ordered_open(&ops, &most, 2, out);
	assert_non_null(ordered);
	fill(ordered, 300);
	assert_int_equal(tl_ordered_close(ordered, NULL), 0);
	assert_true(tl_output_failed(out));
	assert_int_equal(tl_output_commit(out, NULL), TL_IO);
}

TEST(the_last_batch_is_written_whatever_it_has)
{
	const unsigned most = UINT32_MAX;

	assert_int_equal(tl_ordered_close(NULL, NULL), 0);
	for (unsigned jobs = 1; jobs < 3; jobs++) {
		struct tl_output *out;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_ordered_close(tl_ordered_open(&ops, &most, jobs, out), NULL),
				 0);
		tl_output_bytes(out, &size);
		assert_int_equal(size, 2); /* the batch that was being filled is number 0 */
		tl_output_discard(out);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_in_the_order_of_batches),
		cmocka_unit_test(a_batch_without_memory_fails_all),
		cmocka_unit_test(a_full_device_ends_the_work),
		cmocka_unit_test(the_last_batch_is_written_whatever_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
