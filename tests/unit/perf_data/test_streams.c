/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of AUX data become ranges without gaps (docs/formats/perf-data.md section 7). */
#include "file.h"

#include "perf_data/auxtrace/streams.h"

/* The file, of which chunks are bytes: each byte is its offset modulo 251. */
static uint8_t bytes[1024];
static struct tl_perf_reader reader;
static struct tl_perf_pt_info info;
static struct tl_perf_aux_data aux;
static struct tl_perf_range_walk walk;
static const struct tl_pt_config config = { .size = sizeof(config) };
static struct tl_error err;

static int begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i % 251);
	memset(&reader, 0, sizeof(reader));
	memset(&info, 0, sizeof(info));
	memset(&walk, 0, sizeof(walk));
	reader.map = bytes;
	reader.map_size = sizeof(bytes);
	aux = (struct tl_perf_aux_data){ .reader = &reader, .info = &info, .spool.fd = -1 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	tl_perf_range_walk_close(&walk);
	tl_perf_aux_data_free(&aux);
	return 0;
}

/* `size` bytes of the file from `at` on are those of the buffer from `offset` on. */
static void chunk(uint32_t cpu, size_t at, size_t size, uint64_t offset)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_AUXTRACE,
		.auxtrace = { .offset = offset, .idx = cpu, .tid = 1, .cpu = cpu },
		.data = bytes + at,
		.data_size = size,
	};

	assert_int_equal(tl_perf_add_aux_chunk(&aux, &rec, &err), 0);
}

static void loss(uint32_t cpu, uint64_t offset, uint64_t size, uint64_t flags)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_AUX,
		.id = { .cpu = cpu, .thread = 1 },
		.aux = { offset, size, flags },
	};

	assert_int_equal(tl_perf_add_aux_loss(&aux, &rec, 7, &err), 0);
}

static void sort_streams(void)
{
	assert_int_equal(tl_perf_sort_streams(&aux, &err), 0);
}

/* The next range of the walk is bytes [offset, offset + size) of the buffer. */
static void assert_range(uint64_t offset, size_t size, bool gap)
{
	assert_int_equal(tl_perf_range_walk_next(&aux, &config, &walk, &err), 1);
	assert_int_equal(walk.range.offset, offset);
	assert_int_equal(walk.range.size, size);
	assert_int_equal(walk.range.gap, gap);
}

static void assert_end(void)
{
	assert_int_equal(tl_perf_range_walk_next(&aux, &config, &walk, &err), 0);
}

static void walk_stream(size_t number)
{
	tl_perf_range_walk_close(&walk);
	walk = (struct tl_perf_range_walk){ .stream = &aux.streams[number] };
}

/* A chunk alone is read where it is in the file. */
TEST(one_chunk)
{
	chunk(0, 100, 50, 0);
	sort_streams();
	walk_stream(0);
	assert_range(0, 50, false);
	assert_ptr_equal(walk.range.data, bytes + 100);
	assert_end();
}

/* Chunks that follow each other are one range, whatever their order in the file. */
TEST(chunks_that_follow)
{
	chunk(0, 300, 20, 50);
	chunk(0, 100, 50, 0);
	chunk(0, 200, 10, 70);
	sort_streams();
	walk_stream(0);
	assert_range(0, 80, false);
	assert_memory_equal(walk.range.data, bytes + 100, 50);
	assert_memory_equal(walk.range.data + 50, bytes + 300, 20);
	assert_memory_equal(walk.range.data + 70, bytes + 200, 10);
	assert_end();
}

/* Bytes that are missing part two ranges; the second one knows. */
TEST(a_gap)
{
	chunk(0, 100, 50, 0);
	chunk(0, 200, 10, 51);
	sort_streams();
	walk_stream(0);
	assert_range(0, 50, false);
	assert_range(51, 10, true);
	assert_end();
}

/* "perf fills the last word": what two chunks have is taken once, from the later one. */
TEST(chunks_that_overlap)
{
	chunk(0, 100, 56, 0);
	chunk(0, 200, 24, 50);
	chunk(0, 400, 4, 60); /* wholly within the one before */
	sort_streams();
	walk_stream(0);
	assert_range(0, 74, false);
	assert_memory_equal(walk.range.data, bytes + 100, 50);
	assert_memory_equal(walk.range.data + 50, bytes + 200, 24);
	assert_end();
}

/* An empty chunk is none. */
TEST(an_empty_chunk)
{
	chunk(0, 100, 0, 0);
	assert_int_equal(aux.stream_count, 0);
}

/* A buffer of a processor is one of all its threads; without a processor it is a thread's. */
TEST(a_stream_for_each_buffer)
{
	const struct tl_perf_record of_thread = {
		.auxtrace = { .idx = 0, .tid = 42, .cpu = TL_PERF_NO_CPU },
		.data = bytes,
		.data_size = 8,
	};

	chunk(3, 100, 50, 0);
	chunk(1, 200, 50, 0);
	chunk(3, 300, 50, 50);
	assert_int_equal(tl_perf_add_aux_chunk(&aux, &of_thread, &err), 0);
	sort_streams();
	assert_int_equal(aux.stream_count, 3);
	assert_int_equal(aux.streams[0].cpu, 1);
	assert_int_equal(aux.streams[0].tid, 0);
	assert_int_equal(aux.streams[1].cpu, 3);
	assert_int_equal(aux.streams[1].count, 2);
	assert_int_equal(aux.streams[2].cpu, TL_PERF_NO_CPU);
	assert_int_equal(aux.streams[2].tid, 42);
}

/* Streams of threads are in the order of their numbers, sampled ones behind the others. */
TEST(order_of_streams)
{
	static const struct tl_perf_aux_stream like[] = {
		{ .cpu = 2, .tid = 9, .idx = 1 }, { .cpu = 2, .tid = 9, .idx = 0, .sampled = true },
		{ .cpu = 2, .tid = 8, .idx = 5 }, { .cpu = 1, .tid = 10, .idx = 7 },
		{ .cpu = 2, .tid = 9, .idx = 0 },
	};
	static const size_t order[] = { 3, 2, 4, 1, 0 };

	aux.streams = malloc(sizeof(like));
	memcpy(aux.streams, like, sizeof(like));
	aux.stream_count = 5;
	sort_streams();
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(aux.streams[i].tid, like[order[i]].tid);
		assert_int_equal(aux.streams[i].idx, like[order[i]].idx);
		assert_int_equal(aux.streams[i].sampled, like[order[i]].sampled);
	}
}

/*
 * "AUX data must be cut at AUX records with truncated" (7): at the end of what the record counts,
 * of the same buffer, strictly inside.
 */
TEST(a_full_buffer)
{
	chunk(0, 100, 100, 1000);
	loss(0, 1030, 10, TL_PERF_AUX_TRUNCATED);
	loss(0, 1010, 10, TL_PERF_AUX_TRUNCATED);
	loss(1, 1050, 10, TL_PERF_AUX_TRUNCATED); /* of another buffer */
	loss(0, 1060, 10, TL_PERF_AUX_PARTIAL);   /* where is not known */
	loss(0, 990, 10, TL_PERF_AUX_TRUNCATED);  /* in front of the first byte */
	loss(0, 1090, 10, TL_PERF_AUX_TRUNCATED); /* behind the last byte */
	sort_streams();
	walk_stream(0);
	assert_range(1000, 20, false);
	assert_range(1020, 20, true);
	assert_range(1040, 60, true);
	assert_end();
}

/* Only AUX records that tell of a loss are kept, each with its time. */
TEST(what_tells_of_a_loss)
{
	loss(0, 0, 10, 0);
	loss(0, 0, 10, TL_PERF_AUX_OVERWRITE);
	assert_int_equal(aux.loss_count, 0);
	loss(0, 0, 10, TL_PERF_AUX_TRUNCATED);
	loss(0, 0, 11, TL_PERF_AUX_PARTIAL);
	loss(0, 0, 12, TL_PERF_AUX_COLLISION);
	assert_int_equal(aux.loss_count, 3);
	assert_int_equal(aux.losses[2].offset, 12);
	assert_int_equal(aux.losses[2].time_ns, 7);
}

/* ---- samples ---- */

static void sample(uint64_t cpu, uint64_t thread, const uint8_t *data, size_t size, uint64_t inside)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_SAMPLE,
		.inside = inside,
		.id = { .cpu = cpu, .thread = thread },
		.sample = { .aux = data, .aux_size = size },
	};

	assert_int_equal(tl_perf_add_sample_chunk(&aux, &rec, &err), 0);
}

/* Decompressed bytes are gone with the next record: they are kept in a file of our own. */
TEST(samples_that_were_compressed)
{
	uint8_t gone[64];

	info.per_cpu_mmaps = 1;
	memset(gone, 1, sizeof(gone));
	sample(5, 1, gone, 40, 0);
	memset(gone, 2, sizeof(gone));
	sample(5, 2, gone, 50, 40);
	sample(5, 2, bytes + 16, 8, TL_NOWHERE);
	sort_streams();
	assert_int_equal(aux.stream_count, 1);
	walk_stream(0);
	assert_range(0, 40, false);
	assert_int_equal(walk.range.data[0], 1);
	assert_int_equal(walk.range.data[39], 1);
	assert_range(40, 50, true);
	assert_int_equal(walk.range.data[0], 2);
	assert_int_equal(walk.range.data[49], 2);
	assert_range(90, 8, true);
	assert_ptr_equal(walk.range.data, bytes + 16);
	assert_end();
}

/* Without buffers per processor a sample is of its thread's buffer. */
TEST(samples_of_threads)
{
	sample(5, 1, bytes, 8, TL_NOWHERE);
	sample(5, 2, bytes, 8, TL_NOWHERE);
	sample(6, 1, bytes, 8, TL_NOWHERE);
	info.per_cpu_mmaps = 1;
	sample(TL_NOWHERE, 2, bytes, 8, TL_NOWHERE);
	sample(6, 1, bytes, 8, TL_NOWHERE);
	sort_streams();
	assert_int_equal(aux.stream_count, 3);
	assert_int_equal(aux.streams[0].cpu, 6);
	assert_int_equal(aux.streams[0].count, 1);
	assert_int_equal(aux.streams[1].tid, 1);
	assert_int_equal(aux.streams[1].count, 2);
	assert_int_equal(aux.streams[2].tid, 2);
	assert_int_equal(aux.streams[2].count, 2);
}

/* ---- snapshots ---- */

static const uint8_t psb[16] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
				 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 };

/* Two snapshots of one ring: bytes [0, 200) and [from, from + size) of what was traced. */
static void two_snapshots(size_t from, size_t size)
{
	uint8_t *traced = bytes + 512;

	for (size_t i = 0; i < 300; i++)
		traced[i] = (uint8_t)(i * 7 % 253);
	memcpy(traced + 120, psb, 16);
	memcpy(traced + 40, psb, 16);
	memcpy(bytes, traced, 200);
	memcpy(bytes + 200, traced + from, size);
	info.snapshot_mode = 1;
	chunk(0, 0, 200, 0);
	chunk(0, 200, size, 0);
	sort_streams();
	walk_stream(0);
}

/* What the later snapshot repeats is found by its PSB, and taken once. */
TEST(snapshots_that_overlap)
{
	two_snapshots(30, 230);
	assert_range(0, 260, false);
	assert_memory_equal(walk.range.data, bytes + 512, 260);
	assert_end();
}

/* The later snapshot may begin with the PSB itself. */
TEST(a_snapshot_that_begins_with_a_psb)
{
	two_snapshots(120, 100);
	assert_range(0, 220, false);
	assert_end();
}

/* Snapshots without a byte in common are two ranges with a gap. */
TEST(snapshots_with_a_gap)
{
	two_snapshots(201, 60);
	assert_range(0, 200, false);
	assert_range(200, 60, true);
	assert_end();
}

/* A PSB in both is not enough: from there to the end the bytes must be the same. */
TEST(snapshots_that_are_alike)
{
	two_snapshots(120, 100);
	bytes[200 + 79] ^= 1; /* the last byte that both have */
	tl_perf_aux_data_free(&aux);
	aux = (struct tl_perf_aux_data){ .reader = &reader, .info = &info, .spool.fd = -1 };
	chunk(0, 0, 200, 0);
	chunk(0, 200, 100, 0);
	sort_streams();
	walk_stream(0);
	assert_range(0, 200, false);
	assert_range(200, 100, true);
	assert_end();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(one_chunk),
		CASE(chunks_that_follow),
		CASE(a_gap),
		CASE(chunks_that_overlap),
		CASE(an_empty_chunk),
		CASE(a_stream_for_each_buffer),
		CASE(order_of_streams),
		CASE(a_full_buffer),
		CASE(what_tells_of_a_loss),
		CASE(samples_that_were_compressed),
		CASE(samples_of_threads),
		CASE(snapshots_that_overlap),
		CASE(a_snapshot_that_begins_with_a_psb),
		CASE(snapshots_with_a_gap),
		CASE(snapshots_that_are_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
