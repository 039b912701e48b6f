/* SPDX-License-Identifier: Apache-2.0 */
/* A Perfetto trace read and folded where memory runs out. */
#include "../refuse.h"
#include "../wire_bytes.h"

#include <zlib.h>

#include <tracelathe/export.h>

#include "perfetto/perfetto.h"

static void put_packet(struct bytes *b, unsigned field, struct bytes *part, uint64_t time)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 8, time);
	number(&inner, 10, 1);
	number(&inner, 13, time ? 2 : 1);
	message(&inner, field, part);
	message(b, 1, &inner);
}

/* Interned texts, a snapshot, defaults, tracks, events with and without names, and a counter. */
/* The thread once more, by another writer: its spans, of which there are many, become one row. */
static void put_same_thread(struct bytes *b)
{
	struct bytes part = { .size = 0 }, inner = { .size = 0 };

	number(&part, 1, 2);
	number(&inner, 1, 100);
	number(&inner, 2, 101);
	message(&part, 4, &inner);
	put_packet(b, 60, &part, 70);
	for (uint64_t i = 0; i < 20; i++) {
		number(&part, 9, 1 + i % 2);
		number(&part, 11, 2);
		put_packet(b, 11, &part, 80 + i);
	}
}

static void put_trace(struct bytes *b)
{
	struct bytes part = { .size = 0 }, inner = { .size = 0 };

	number(&inner, 1, 5);
	block(&inner, 2, "interned", 8);
	message(&part, 2, &inner);
	put_packet(b, 12, &part, 0);
	number(&inner, 1, 6);
	number(&inner, 2, 1000);
	message(&part, 1, &inner);
	put_packet(b, 6, &part, 1);
	for (uint64_t i = 1; i <= 4; i++) {
		number(&part, 9, i);
		number(&part, 10, 4 + i % 2);
		number(&part, 11, i % 2);
		put_packet(b, 11, &part, 10 * i);
	}
	number(&part, 1, 1);
	number(&inner, 1, 100);
	number(&inner, 2, 101);
	block(&inner, 5, "worker", 6);
	message(&part, 4, &inner);
	put_packet(b, 60, &part, 50);
	number(&part, 9, 1);
	block(&part, 23, "named", 5);
	put_packet(b, 11, &part, 60);
	put_same_thread(b);
}

static void put_compressed(struct bytes *b)
{
	struct bytes packets = { .size = 0 }, inner = { .size = 0 };
	uint8_t packed[512];
	uLongf size = sizeof(packed);

	put_trace(&packets);
	assert_int_equal(compress(packed, &size, packets.data, packets.size), Z_OK);
	block(&inner, 50, packed, size);
	message(b, 1, &inner);
}

static int write_profile(struct tl_foreign_file *f, struct tl_output *out)
{
	struct tl_profile *profile = NULL;
	int status = tl_foreign_fold(f, &profile, NULL);

	if (status == 0)
		status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	if (status == 0)
		tl_foreign_describe(f, true, out);
	tl_profile_free(profile);
	return status;
}

static int read_trace(struct tl_foreign_file *f, const struct bytes *b)
{
	struct tl_source *source = NULL;
	int status = tl_source_open_memory(&source, b->data, b->size, "t", NULL);

	if (status == 0)
		status = tl_perfetto_reader.read(f, source, NULL);
	tl_source_close(source);
	return status;
}

static int write_all(const void *input, struct tl_output *out)
{
	const struct tl_foreign_options options = { .process = TL_NOWHERE, .thread = TL_NOWHERE };
	struct tl_foreign_file f;
	int status = tl_foreign_begin(&f, &tl_perfetto_reader, &options) ? 0 : TL_NO_MEMORY;

	if (status == 0)
		status = read_trace(&f, input);
	if (status == 0)
		status = write_profile(&f, out);
	tl_foreign_end(&f);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_all, input, digest);
}

TEST(each_allocation_is_refused)
{
	struct bytes b = { .size = 0 };

	put_trace(&b);
	assert_true(refuse_each(ask, &b) > 20);
	b.size = 0;
	put_compressed(&b);
	assert_true(refuse_each(ask, &b) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
