/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that are packed, checksums, sources that follow each other, and outputs of drawn pieces:
 * each against bytes that are kept beside.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sources.h"

#include "../../chance.h"

#include "core/codecs/crc32.h"
#include "core/codecs/zstd_blocks.h"
#include "core/output.h"
#include "core/source.h"

/* ---- blocks ---- */

enum { BLOCK = 100000, WORTH = 32 * 1024 };

/* Bytes of a few letters to all: what packs well, badly, and not at all. */
static void draw_block(uint8_t *block, size_t size, unsigned letters, uint32_t *seed)
{
	for (size_t i = 0; i < size; i++)
		block[i] = (uint8_t)chance(seed, letters);
}

/* "Expand a block to exactly `size` bytes"; "0: it does not get smaller, or ... hardly" */
TEST(drawn_blocks_come_back)
{
	static const size_t block_sizes[] = { 0, 1, 20, 400, 5000, WORTH - 1, WORTH, BLOCK };
	struct tl_zstd_blocks zstd = { .packer = NULL };
	uint8_t *block = malloc(BLOCK), *back = malloc(BLOCK + 1),
		*packed = malloc(tl_zstd_bound(BLOCK));
	uint32_t seed = 1;

	assert_true(block && back && packed);
	for (unsigned round = 0; round < 160; round++) {
		const size_t size = block_sizes[round % 8], room = tl_zstd_bound(size);
		const unsigned letters = 1u << round / 20;
		size_t packed_size = 0;
		int status;

		draw_block(block, size, letters, &seed);
		status = tl_zstd_pack(&zstd, block, size, packed, room, &packed_size);
		assert_in_range(status, 0, 1);
		/* few letters pack, all of them do not; a large block needs to save a quarter */
		if (letters <= 4 && size >= 400)
			assert_int_equal(status, 1);
		if (letters >= 128 && size >= WORTH)
			assert_int_equal(status, 0);
		if (!status)
			continue;
		assert_true(packed_size < size);
		memset(back, 0xee, BLOCK + 1);
		assert_int_equal(tl_zstd_expand(&zstd, packed, packed_size, back, size), 0);
		assert_memory_equal(back, block, size);
		assert_int_equal(back[size], 0xee);
		/* another size, or a byte less, is damage */
		assert_int_equal(tl_zstd_expand(&zstd, packed, packed_size, back, size - 1),
				 TL_BAD_FORMAT);
		assert_int_equal(tl_zstd_expand(&zstd, packed, packed_size - 1, back, size),
				 TL_BAD_FORMAT);
		if (size < BLOCK)
			assert_int_equal(tl_zstd_expand(&zstd, packed, packed_size, back, size + 1),
					 TL_BAD_FORMAT);
		/* and the next block comes out right */
		assert_int_equal(tl_zstd_expand(&zstd, packed, packed_size, back, size), 0);
		assert_memory_equal(back, block, size);
	}
	tl_zstd_blocks_free(&zstd);
	assert_true(!zstd.packer && !zstd.expander);
	/* freed, it begins anew; and nothing at all is freed, too */
	memset(block, 'a', 500);
	assert_int_equal(
		tl_zstd_pack(&zstd, block, 500, packed, tl_zstd_bound(500), &(size_t){ 0 }), 1);
	tl_zstd_blocks_free(&zstd);
	tl_zstd_blocks_free(&zstd);
	free(block);
	free(back);
	free(packed);
}

/* ---- checksums ---- */

/* A bit at a time: the remainder by 0x04c11db7, reflected (RFC 1952, section 8). */
static uint32_t crc_plainly(uint32_t sum, const uint8_t *bytes, size_t size)
{
	sum = ~sum;
	for (size_t i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++) {
			const uint32_t out = (sum ^ bytes[i] >> bit) & 1;

			sum = sum >> 1 ^ (out ? 0xedb88320u : 0);
		}
	return ~sum;
}

TEST(checksums_bit_by_bit)
{
	uint8_t bytes[600];
	uint32_t seed = 2;

	/* the check value of this sum */
	assert_int_equal(tl_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(tl_crc32(0, bytes, 0), 0);
	for (unsigned round = 0; round < 1500; round++) {
		const size_t size = chance(&seed, 600), cut = chance(&seed, (unsigned)size + 1);
		const uint32_t begin = round % 3 ? 0 : (uint32_t)chance_bits(&seed);
		uint32_t sum;

		draw_block(bytes, size, 256, &seed);
		sum = crc_plainly(begin, bytes, size);
		assert_int_equal(tl_crc32(begin, bytes, size), sum);
		/* in two pieces it is the same */
		assert_int_equal(tl_crc32(tl_crc32(begin, bytes, cut), bytes + cut, size - cut),
				 sum);
	}
}

/* ---- sources that follow ---- */

enum { FOLLOWING = 6, PIECE = 300000 };

struct row {
	struct tl_source *sources[FOLLOWING];
	struct packed packed[FOLLOWING];
	uint8_t *whole;
	size_t begins[FOLLOWING + 1];
	unsigned count;
};

/* The first one and those that follow it, packed in any way or not at all. */
static void draw_row(struct row *r, uint32_t *seed, int cut)
{
	static const size_t piece_sizes[] = { 0, 1, 4095, 4096, 4097, PIECE };

	r->count = 1 + chance(seed, FOLLOWING);
	r->whole = malloc(FOLLOWING * PIECE);
	assert_non_null(r->whole);
	r->begins[0] = 0;
	for (unsigned i = 0; i < r->count; i++) {
		const size_t size = piece_sizes[cut == (int)i ? 5 : chance(seed, 6)];
		const unsigned how = cut == (int)i ? 1 : chance(seed, PACKERS + 1);
		uint8_t *at = r->whole + r->begins[i];

		draw_block(at, size, 16, seed);
		r->begins[i + 1] = r->begins[i] + size;
		r->packed[i] = (struct packed){ NULL, 0 };
		if (how < PACKERS)
			r->packed[i] = packers[how].pack(at, size);
		else
			append(&r->packed[i], at, size);
		if (cut == (int)i)
			r->packed[i].size /= 2;
		r->sources[i] = open_bytes(&r->packed[i]);
		if (i)
			assert_int_equal(tl_source_follow(r->sources[0], r->sources[i], NULL), 0);
	}
}

static void close_row(struct row *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		tl_source_close(r->sources[i]);
		free(r->packed[i].data);
	}
	free(r->whole);
}

/* "Let the expanded bytes of `next` follow those of `source`, and of what follows it already." */
TEST(sources_follow_each_other)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 40; round++) {
		const uint8_t *data;
		struct row r;
		size_t size;

		draw_row(&r, &seed, -1);
		assert_int_equal(tl_source_map(r.sources[0], &data, &size, NULL), 0);
		assert_int_equal(size, r.begins[r.count]);
		assert_memory_equal(data, r.whole, size);
		for (unsigned i = 1; i < r.count; i++)
			assert_int_equal(tl_source_following_begin(r.sources[0], i - 1),
					 r.begins[i]);
		assert_null(tl_source_fault(r.sources[0]));
		close_row(&r);
	}
}

/* "Damage of one that follows is told as that of the whole, at its place there." */
TEST(damage_of_what_follows_has_its_place)
{
	uint32_t seed = 4;

	for (int cut = 0; cut < 3; cut++)
		for (unsigned round = 0; round < 6; round++) {
			const struct tl_error *fault, *own;
			const uint8_t *data;
			struct row r;
			size_t size, kept;

			draw_row(&r, &seed, cut);
			if (r.count <= (unsigned)cut) {
				close_row(&r);
				continue;
			}
			assert_int_equal(tl_source_map(r.sources[0], &data, &size, NULL), 0);
			fault = tl_source_fault(r.sources[0]);
			own = tl_source_fault(r.sources[cut]);
			assert_true(fault && own);
			assert_int_equal(fault->status, TL_TRUNCATED);
			/* the bytes before the cut, and then those of the next one */
			kept = size - (r.begins[r.count] - r.begins[cut + 1]) - r.begins[cut];
			assert_true(kept < PIECE);
			assert_int_equal(fault->offset, r.begins[cut] + kept);
			assert_int_equal(own->offset, cut ? kept : fault->offset);
			assert_memory_equal(data, r.whole, r.begins[cut] + kept);
			assert_memory_equal(data + r.begins[cut] + kept,
					    r.whole + r.begins[cut + 1],
					    r.begins[r.count] - r.begins[cut + 1]);
			close_row(&r);
		}
}

/* ---- outputs ---- */

enum { OUTPUT = 1 << 20 };

/* One piece, written in one of the ways, and to the bytes beside. */
static size_t put_piece(struct tl_output *out, uint8_t *to, uint32_t *seed)
{
	static const unsigned lengths[] = { 0,    1,    2,     17,    4094,  4095,
					    4096, 4097, 65535, 65536, 65537, 100000 };
	size_t size = lengths[chance(seed, chance(seed, 20) ? 4 : 12)];

	draw_block(to, size, 26, seed);
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(to[i] + 'a');
	to[size] = '\0';
	switch (chance(seed, 5)) {
	case 0:
		tl_output_write(out, to, size);
		return size;
	case 1:
		tl_put_text(out, (const char *)to);
		return size;
	case 2:
		tl_put_format(out, "%s|%d|%s", (const char *)to, 42, "z");
		memcpy(to + size, "|42|z", 5);
		return size + 5;
	case 3:
		*to = (uint8_t)chance(seed, 256);
		tl_put_char(out, (char)*to);
		return 1;
	default:
		tl_put_bytes(out, to, size);
		return size;
	}
}

/* What is written to memory and to a file, in pieces of all sizes, is what was written. */
static void drawn_pieces_come_out_in_order(void **state)
{
	uint8_t *wanted = malloc(OUTPUT + 200000);
	uint32_t seed = 5;

	assert_non_null(wanted);
	for (unsigned round = 0; round < 24; round++) {
		struct tl_output *out;
		const char *path = temp_path(*state, "out"), *bytes;
		size_t size = 0, have;
		char *read = NULL;

		assert_int_equal(round % 2 ? tl_output_open(&out, path, NULL)
					   : tl_output_open_memory(&out, NULL),
				 0);
		assert_false(tl_output_used(out));
		for (unsigned i = 0; i < 400 && size < OUTPUT; i++) {
			const size_t more = put_piece(out, wanted + size, &seed);

			size += more;
			assert_int_equal(tl_output_used(out), size > 0);
		}
		assert_false(tl_output_failed(out));
		bytes = tl_output_bytes(out, &have);
		if (round % 2) {
			assert_int_equal(have, 0);
			assert_int_equal(tl_output_commit(out, NULL), 0);
			bytes = read = temp_read(path, &have);
		}
		assert_int_equal(have, size);
		assert_memory_equal(bytes, wanted, size);
		free(read);
		if (round % 2 == 0)
			tl_output_discard(out);
	}
	free(wanted);
}

/* "An output to a descriptor of the caller, who closes it afterwards." */
static void descriptors_of_the_caller_stay_open(void **state)
{
	const char *path = temp_path(*state, "descriptor");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct tl_output *out;
	struct stat st;
	size_t size;
	char *bytes;

	assert_true(fd >= 0);
	assert_int_equal(tl_output_open_descriptor(&out, fd, NULL), 0);
	tl_put_text(out, "written");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(tl_output_commit(out, NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 7);
	/* dropped: what is in the buffer is not written */
	assert_int_equal(tl_output_open_descriptor(&out, fd, NULL), 0);
	tl_put_text(out, "not");
	tl_output_discard(out);
	bytes = temp_read(path, &size);
	assert_string_equal(bytes, "written");
	free(bytes);
	/* one that is for reading only fails at the end, and says so */
	close(fd);
	fd = open(path, O_RDONLY);
	assert_int_equal(tl_output_open_descriptor(&out, fd, NULL), 0);
	tl_put_text(out, "more");
	assert_false(tl_output_failed(out));
	assert_int_equal(tl_output_commit(out, NULL), TL_IO);
	close(fd);
}

/* "who may read it may execute it. Of an output that is no new file nothing changes." */
static void files_become_programs(void **state)
{
	static const struct {
		mode_t mask, mode;
	} rows[] = { { 022, 0755 }, { 077, 0700 }, { 027, 0750 }, { 0, 0777 } };
	struct tl_output *out;
	struct stat st;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = temp_path(*state, "program");
		const mode_t before = umask(rows[i].mask);

		unlink(path);
		assert_int_equal(tl_output_open(&out, path, NULL), 0);
		tl_output_make_executable(out);
		assert_int_equal(tl_output_commit(out, NULL), 0);
		umask(before);
		assert_int_equal(stat(path, &st), 0);
		/* whose reader may be nobody but the owner keeps it so */
		assert_int_equal(st.st_mode & 0777,
				 (rows[i].mode & ~0222u) | (0666 & ~rows[i].mask));
	}
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_output_make_executable(out);
	assert_false(tl_output_failed(out));
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_blocks_come_back),
		cmocka_unit_test(checksums_bit_by_bit),
		cmocka_unit_test(sources_follow_each_other),
		cmocka_unit_test(damage_of_what_follows_has_its_place),
		cmocka_unit_test_setup_teardown(drawn_pieces_come_out_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(descriptors_of_the_caller_stay_open, setup,
						teardown),
		cmocka_unit_test_setup_teardown(files_become_programs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
