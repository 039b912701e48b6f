/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a slice finds (xtrace/elf/image.h), access by access beside an array in which
 * each byte is an element of its own: what the slice finds there, what is there now, which bytes
 * nobody in the slice has changed, and what an instruction finds.
 */
#include <string.h>

#include "../unit.h"

#include "xtrace/elf/image.h"

/* Two pages, so that accesses cross words of the bitmaps and the end of a page. */
enum { SIZE = 2 * TL_XTRACE_IMAGE_BYTES, BASE = 0x7000, MOST = 200, ACCESSES = 30000 };

static struct byte {
	bool known, loaded, stored;
	uint8_t first, now;
	uint64_t touched; /* 1 + the number of calls then */
} model[SIZE];

struct change {
	uint64_t address;
	uint8_t value;
	bool by_call;
};

static struct change wanted[MOST], got[MOST];
static size_t wanted_count, got_count, all_changes[2]; /* all: by none, by a call */
static struct tl_xtrace_image image;
static uint64_t seed;

static bool changed(void *arg, uint64_t address, uint8_t value, bool by_call)
{
	(void)arg;
	assert_true(got_count < MOST);
	got[got_count++] = (struct change){ address, value, by_call };
	return true;
}

/* Knuth's MMIX generator; its high bits are the better ones. */
static uint32_t below(uint32_t end)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % end;
}

static void load(uint64_t address, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct byte *byte = &model[address - BASE + i];

		if (!byte->known)
			byte->first = byte->now = data[i];
		else if (byte->now != data[i])
			wanted[wanted_count++] =
				(struct change){ address + i, data[i],
						 image.calls && byte->touched != image.calls + 1 };
		byte->now = data[i];
		byte->known = byte->loaded = true;
		byte->touched = image.calls + 1;
	}
	assert_true(tl_xtrace_image_load(&image, address | (uint64_t)below(2) << 60, data, size));
}

static void store(uint64_t address, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct byte *byte = &model[address - BASE + i];

		byte->now = data[i];
		byte->known = byte->stored = true;
		byte->touched = image.calls + 1;
	}
	assert_true(tl_xtrace_image_store(&image, address | (uint64_t)below(2) << 60, data, size));
}

static void fetch(uint64_t address, const uint8_t *data)
{
	struct byte *bytes = &model[address - BASE];
	enum tl_xtrace_fetch found = TL_XTRACE_FETCH_SAME;

	for (size_t i = 0; i < 4; i++)
		if (bytes[i].known && bytes[i].now != data[i])
			found = TL_XTRACE_FETCH_CHANGED;
	assert_int_equal(tl_xtrace_image_fetch(&image, address, data) == TL_XTRACE_FETCH_CHANGED,
			 found == TL_XTRACE_FETCH_CHANGED);
	if (found == TL_XTRACE_FETCH_CHANGED)
		return;
	for (size_t i = 0; i < 4; i++) {
		if (!bytes[i].known)
			bytes[i].first = bytes[i].now = data[i];
		bytes[i].known = true;
		if (bytes[i].first != data[i])
			found = TL_XTRACE_FETCH_STORED;
	}
	assert_int_equal(tl_xtrace_image_fetch(&image, address, data), found);
}

static void assert_changes(void)
{
	assert_int_equal(got_count, wanted_count);
	for (size_t i = 0; i < got_count; i++) {
		assert_int_equal(got[i].address, wanted[i].address);
		assert_int_equal(got[i].value, wanted[i].value);
		assert_int_equal(got[i].by_call, wanted[i].by_call);
		all_changes[got[i].by_call]++;
	}
	got_count = wanted_count = 0;
}

static bool bit_of(const uint64_t *bits, size_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

static void assert_bytes(void)
{
	for (size_t i = 0; i < SIZE; i++) {
		const struct tl_xtrace_image_page *page = tl_xtrace_image_page(&image, BASE + i);
		const size_t at = i % TL_XTRACE_IMAGE_BYTES;

		assert_non_null(page);
		assert_int_equal(bit_of(page->known, at), model[i].known);
		assert_int_equal(bit_of(page->loaded, at), model[i].loaded);
		assert_int_equal(bit_of(page->stored, at), model[i].stored);
		if (!model[i].known)
			continue;
		assert_int_equal(page->first[at], model[i].first);
		assert_int_equal(page->now[at], model[i].now);
	}
}

TEST(each_byte_is_that_of_an_array)
{
	tl_xtrace_image_begin(&image, 1, changed, NULL);
	for (unsigned i = 0; i < ACCESSES; i++) {
		const uint32_t what = below(8), size = 1 + below(below(4) ? 16 : MOST - 1);
		const uint64_t address = BASE + below(SIZE - size);
		uint8_t data[MOST];

		/* Most loads find what is there. */
		for (uint32_t b = 0; b < size; b++)
			data[b] = below(8) ? model[address - BASE + b].now : (uint8_t)below(4);
		if (what < 4) {
			load(address, data, size);
		} else if (what < 6) {
			store(address, data, size);
		} else if (what == 6) {
			const uint64_t pc = BASE + 4 * (uint64_t)below(SIZE / 4);

			memcpy(data, (uint8_t[]){ (uint8_t)below(2), 0, 0, 0 }, 4);
			fetch(pc, data);
		} else {
			image.calls += !below(20);
		}
		assert_changes();
	}
	assert_bytes();
	assert_true(all_changes[0] > 1000 && all_changes[1] > 1000);
	tl_xtrace_image_free(&image);
}

/* A load of bytes that the trace stored; expects so many changes, the first of this byte. */
static void reload(const uint8_t *stored, uint64_t at, size_t size, size_t changes, uint64_t first)
{
	got_count = 0;
	assert_true(tl_xtrace_image_load(&image, BASE + at, stored + at, size));
	assert_int_equal(got_count, changes);
	if (!changes)
		return;
	assert_int_equal(got[0].address, BASE + first);
	assert_int_equal(got[0].value, stored[first]);
}

/* "A load of all of them needs nothing; one of a part finds bytes that have changed." */
TEST(parts_of_pointers_without_signatures_have_changed)
{
	/* three words: a signed pointer, one whose signature is above bit 55, other bytes */
	static const uint8_t stored[] = { 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4,
					  5, 6, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8 };

	tl_xtrace_image_begin(&image, 1, changed, NULL);
	assert_true(tl_xtrace_image_store(&image, BASE, stored, sizeof(stored)));
	assert_true(tl_xtrace_image_bare(&image, BASE));
	assert_true(tl_xtrace_image_bare(&image, BASE + 8));
	reload(stored, 0, 8, 0, 0);
	reload(stored, 0, 24, 0, 0);
	reload(stored, 8, 8, 0, 0);
	/* what has no part of a signature */
	reload(stored, 0, 6, 0, 0);
	reload(stored, 14, 1, 0, 0);
	reload(stored, 22, 2, 0, 0);
	/* a half of one, then it is as in the trace */
	reload(stored, 4, 4, 2, 6);
	assert_int_equal(got[1].address, BASE + 7);
	assert_int_equal(got[1].value, 8);
	assert_false(got[1].by_call);
	reload(stored, 6, 1, 0, 0);
	/* beside a whole one, after a system call */
	image.calls++;
	reload(stored, 9, 15, 1, 15);
	assert_true(got[0].by_call);
	reload(stored, 15, 1, 0, 0);
	/* stored again, without a signature: nothing of the old one is left */
	assert_true(tl_xtrace_image_bare(&image, BASE));
	assert_true(tl_xtrace_image_store(&image, BASE + 6, stored + 6, 2));
	reload(stored, 7, 1, 0, 0);
	tl_xtrace_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_that_of_an_array),
		cmocka_unit_test(parts_of_pointers_without_signatures_have_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
