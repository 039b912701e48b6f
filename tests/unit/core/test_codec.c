/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed sources: every codec, whole, in rows, cut, damaged, and too good to be true. */
#include "sources.h"

static void every_codec_every_size_every_way(void **state)
{
	uint8_t *content = make_content(1000000);

	for (size_t p = 0; p < PACKERS; p++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct packed packed = packers[p].pack(content, sizes[i]);
			const char *path = temp_write(*state, "packed", packed.data, packed.size);
			struct tl_source *source = open_at(path);

			assert_string_equal(tl_source_compression(source), packers[p].name);
			assert_int_equal(tl_source_stored_size(source), packed.size);
			assert_int_equal(read_and_compare(source, content, sizes[i]), sizes[i]);
			assert_clean(source);
			source = open_at(path);
			assert_maps(source, content, sizes[i]);
			assert_clean(source);
			source = open_bytes(&packed);
			assert_maps(source, content, sizes[i]);
			assert_clean(source);
			pthread_t thread;
			struct feed arg = { .data = packed.data, .size = packed.size };

			source = open_pipe(&thread, &arg);
			assert_int_equal(read_and_compare(source, content, sizes[i]), sizes[i]);
			assert_clean(source);
			pthread_join(thread, NULL);
			free(packed.data);
		}
	}
	free(content);
}

/* Frames, members and streams may follow each other; empty ones and skippable frames too. */
TEST(frames_in_a_row)
{
	uint8_t *content = make_content(700000);

	for (size_t p = 0; p < PACKERS; p++) {
		struct packed parts[4] = {
			packers[p].pack(content, 400000),
			packers[p].pack(content, 0),
			packers[p].pack(content + 400000, 1),
			packers[p].pack(content + 400001, 299999),
		};
		struct packed all = { 0 };

		for (int i = 0; i < 4; i++) {
			append(&all, parts[i].data, parts[i].size);
			if (packers[p].skippable)
				append(&all, "\x5a\x2a\x4d\x18\3\0\0\0abc", 11);
			if (packers[p].padding)
				append(&all, "\0\0\0\0", 4);
			free(parts[i].data);
		}
		struct tl_source *source = open_bytes(&all);

		assert_int_equal(read_and_compare(source, content, 700000), 700000);
		assert_clean(source);
		free(all.data);
	}
	free(content);
}

/* A frame may begin anywhere in a buffer of 256 KiB, across its end too. */
static void frames_begin_anywhere(void **state)
{
	enum { BUFFER = 256 * 1024 };
	uint8_t *content = make_content(2000);

	for (size_t p = 0; p < PACKERS; p++) {
		for (size_t before = 0; before < 9; before++) {
			struct packed all = packers[p].pack(content, 1000),
				      second = packers[p].pack(content + 1000, 1000);
			size_t filler = BUFFER - before - all.size;
			uint8_t *zeros = must(calloc(1, filler));

			if (packers[p].skippable) {
				uint32_t size = (uint32_t)filler - 8;

				memcpy(zeros, "\x50\x2a\x4d\x18", 4);
				for (int i = 0; i < 4; i++)
					zeros[4 + i] = (uint8_t)(size >> 8 * i);
			}
			append(&all, zeros, filler);
			append(&all, second.data, second.size);
			struct tl_source *source =
				open_at(temp_write(*state, "frames", all.data, all.size));

			assert_int_equal(read_and_compare(source, content, 2000), 2000);
			assert_clean(source);
			free(zeros);
			free(second.data);
			free(all.data);
		}
	}
	free(content);
}

/* pzstd and seekable files begin with a skippable frame. */
TEST(a_skippable_frame_may_come_first)
{
	struct packed all = { 0 }, frame = pack_zstd((const uint8_t *)"content", 7);

	append(&all, "\x50\x2a\x4d\x18\4\0\0\0abcd", 12);
	append(&all, frame.data, frame.size);
	free(frame.data);
	struct tl_source *source = open_bytes(&all);

	assert_string_equal(tl_source_compression(source), "zstd");
	assert_maps(source, (const uint8_t *)"content", 7);
	assert_clean(source);
	free(all.data);
}

/*
 * "Damage met while expanding ...: the bytes before it were delivered", for a file cut at every
 * byte.
 */
TEST(compressed_data_cut_at_every_byte)
{
	uint8_t *content = make_content(3000);

	for (size_t p = 0; p < PACKERS; p++) {
		struct packed packed = packers[p].pack(content, 3000);

		/* Shorter ones cannot be told to be compressed. */
		for (size_t cut = 6; cut < packed.size; cut++) {
			struct packed part = { malloc(cut), cut };

			memcpy(part.data, packed.data, cut);
			struct tl_source *source = open_bytes(&part);
			size_t total = read_and_compare(source, content, 3000);

			assert_fault(source, TL_TRUNCATED, total);
			tl_source_close(source);
			free(part.data);
		}
		free(packed.data);
	}
	free(content);
}

/* Many blocks: those before the cut come out, not only some. */
TEST(what_comes_before_a_cut_is_kept)
{
	enum { SIZE = 2000000 };
	uint8_t *content = make_content(SIZE);

	for (size_t p = 0; p < PACKERS; p++) {
		struct packed packed = packers[p].pack(content, SIZE);

		packed.size = packed.size * 9 / 10;
		struct tl_source *source = open_bytes(&packed);
		size_t total = read_and_compare(source, content, SIZE);

		/* The largest blocks, those of lz4, have 256 KiB here. */
		assert_true(total > SIZE * 7 / 10);
		assert_fault(source, TL_TRUNCATED, total);
		tl_source_close(source);
		free(packed.data);
	}
	free(content);
}

/* A changed byte is found by a checksum at the latest; all before its block comes out right. */
TEST(what_comes_before_damage_is_kept)
{
	enum { SIZE = 2000000 };
	uint8_t *content = make_content(SIZE);

	for (size_t p = 0; p < PACKERS; p++) {
		struct packed packed = packers[p].pack(content, SIZE);
		uint8_t buffer[5000];
		size_t total = 0, same = 0;

		memset(packed.data + packed.size / 2, 0xff, 16);
		struct tl_source *source = open_bytes(&packed);

		for (int64_t got; (got = tl_source_read(source, buffer, sizeof(buffer), NULL)) > 0;
		     total += (size_t)got)
			for (int64_t i = 0; i < got && same == total + (size_t)i && same < SIZE;
			     i++)
				same += buffer[i] == content[same];
		/* The largest blocks, those of lz4, have 256 KiB: an eighth of it all. */
		assert_true(same > SIZE * 3 / 8);
		assert_fault(source, TL_BAD_FORMAT, total);
		tl_source_close(source);
		free(packed.data);
	}
	free(content);
}

TEST(bytes_after_the_last_frame_are_a_fault)
{
	uint8_t *content = make_content(1000);

	for (size_t p = 0; p < PACKERS; p++) {
		for (size_t garbage = 1; garbage < 20; garbage += 6) {
			struct packed packed = packers[p].pack(content, 1000);

			append(&packed, "garbage garbage garbage", garbage);
			struct tl_source *source = open_bytes(&packed);

			assert_int_equal(read_and_compare(source, content, 1000), 1000);
			assert_fault(source, TL_BAD_FORMAT, 1000);
			assert_string_equal(tl_source_fault(source)->text,
					    "bytes after the compressed data are not a frame; kept "
					    "the data before them");
			tl_source_close(source);
			free(packed.data);
		}
	}
	free(content);
}

/* The magic alone, and then nothing like a frame. */
TEST(a_header_that_is_none_is_a_fault)
{
	for (size_t p = 0; p < PACKERS; p++) {
		struct packed packed = packers[p].pack((const uint8_t *)"x", 1);

		memset(packed.data + packers[p].magic, 0xff, packed.size - packers[p].magic);
		struct tl_source *source = open_bytes(&packed);
		const uint8_t *data;
		size_t size;

		assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
		assert_int_equal(size, 0);
		assert_true(tl_source_fault(source)->status < 0);
		assert_int_equal(tl_source_fault(source)->offset, 0);
		tl_source_close(source);
		free(packed.data);
	}
}

/* "bomb guard": free_expanded bytes and max_ratio for each stored byte, not one more. */
static void a_bomb_is_stopped(void **state)
{
	enum { SIZE = 8 << 20 };
	uint8_t *zeros = calloc(1, SIZE);

	assert_non_null(zeros);
	for (size_t p = 0; p < PACKERS; p++) {
		struct packed packed = packers[p].pack(zeros, SIZE);
		const char *path = temp_write(*state, "bomb", packed.data, packed.size);
		struct tl_source_options options = { .size = sizeof(options),
						     .max_ratio = 2,
						     .free_expanded = 1 << 20 };
		struct tl_source *source;

		assert_int_equal(tl_source_open(&source, path, &options, NULL), 0);
		size_t total = read_and_compare(source, zeros, SIZE);

		assert_true(total >= options.free_expanded &&
			    total <= options.free_expanded + 2 * packed.size);
		assert_fault(source, TL_TOO_LARGE, total);
		assert_string_equal(
			tl_source_fault(source)->text,
			"expands to more than 64 MiB and 512 times its size (or the limit that was "
			"set); kept the data before; a file expanded beforehand has no limit");
		tl_source_close(source);

		/* The same bomb by any way in ends at the same byte. */
		assert_int_equal(tl_source_open(&source, path, &options, NULL), 0);
		const uint8_t *data;
		size_t size;

		assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
		assert_int_equal(size, total);
		tl_source_close(source);

		/* 64 MiB are free without options. */
		source = open_at(path);
		assert_int_equal(read_and_compare(source, zeros, SIZE), SIZE);
		assert_clean(source);
		free(packed.data);
	}
	free(zeros);
}

/* "0: 64 MiB", "0: 512": a few KiB of zstd that are 96 MiB of zeros, opened without options. */
TEST(a_bomb_is_stopped_by_default)
{
	enum { SIZE = 96 << 20, FREE = 64 << 20 };
	uint8_t *zeros = calloc(1, SIZE);
	struct packed packed = packers[0].pack(zeros, SIZE);
	struct tl_source *source = open_bytes(&packed);
	const uint8_t *data;
	size_t size;

	assert_true(packed.size * 512 < SIZE - FREE);
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_true(size >= FREE && size <= FREE + packed.size * 512);
	assert_fault(source, TL_TOO_LARGE, size);
	tl_source_close(source);
	free(packed.data);
	free(zeros);
}

/*
 * `zstd --long` is --long=27. A larger window is refused: "no size from a file sizes an
 * allocation".
 */
TEST(long_windows_of_zstd)
{
	uint8_t *content = make_content(100000);

	for (int log = 27; log <= 28; log++) {
		struct packed packed = pack_zstd_long(content, 100000, log);
		struct tl_source *source = open_bytes(&packed);

		if (log == 27) {
			assert_int_equal(read_and_compare(source, content, 100000), 100000);
			assert_clean(source);
		} else {
			uint8_t byte;

			assert_int_equal(tl_source_read(source, &byte, 1, NULL), 0);
			assert_int_equal(tl_source_fault(source)->status, TL_TOO_LARGE);
			assert_int_equal(tl_source_fault(source)->offset, 0);
			tl_source_close(source);
		}
		free(packed.data);
	}
	free(content);
}

#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(every_codec_every_size_every_way),
		WITH_FIXTURE(frames_in_a_row),
		WITH_FIXTURE(frames_begin_anywhere),
		WITH_FIXTURE(a_skippable_frame_may_come_first),
		WITH_FIXTURE(compressed_data_cut_at_every_byte),
		WITH_FIXTURE(what_comes_before_a_cut_is_kept),
		WITH_FIXTURE(what_comes_before_damage_is_kept),
		WITH_FIXTURE(bytes_after_the_last_frame_are_a_fault),
		WITH_FIXTURE(a_header_that_is_none_is_a_fault),
		WITH_FIXTURE(a_bomb_is_stopped),
		cmocka_unit_test(a_bomb_is_stopped_by_default),
		WITH_FIXTURE(long_windows_of_zstd),
	};

	return cmocka_run_group_tests_name("core codec", tests, NULL, NULL);
}
