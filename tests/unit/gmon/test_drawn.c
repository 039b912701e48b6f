/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms and calls that are drawn: records come back as they were written, samples are those of
 * the bins, and a file that is cut has the records that are whole (docs/formats/gmon.md).
 */
#include <string.h>

#include <tracelathe/profile.h>

#include "../chance.h"
#include "gmon/fold.h"
#include "gmon_bytes.h"
#include "unit/unit.h"

enum { FUNCTIONS = 10, MOST_ARCS = 40, LOW = 0x4000, BIN = 4, NOBODY = FUNCTIONS };

/* Function i has the address of bin i, as there is no binary to say more. */
struct call {
	unsigned caller, callee;
	uint32_t count;
};

struct drawn {
	uint16_t bins[FUNCTIONS], more[FUNCTIONS]; /* of two histograms */
	struct call calls[MOST_ARCS];
	unsigned count;
};

static uint64_t address_of(unsigned function)
{
	return LOW + BIN * (uint64_t)function;
}

/* ---- drawing ---- */

static void draw(struct drawn *d, uint32_t *seed)
{
	bool seen[FUNCTIONS + 1][FUNCTIONS] = { { false } };
	const unsigned wanted = chance(seed, MOST_ARCS);

	*d = (struct drawn){ .count = 0 };
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		d->bins[i] = (uint16_t)(chance(seed, 3) ? chance(seed, 1000) : 0);
		d->more[i] = (uint16_t)chance(seed, 3);
	}
	for (unsigned i = 0; i < wanted; i++) {
		const unsigned callee = chance(seed, FUNCTIONS),
			       caller = chance(seed, FUNCTIONS + 1);

		/* Two records of one pair would be one call of both counts. */
		if (seen[caller][callee])
			continue;
		seen[caller][callee] = true;
		d->calls[d->count++] = (struct call){ caller, callee, 1 + chance(seed, 5000) };
	}
}

static struct bytes write_drawn(const struct drawn *d, bool big, unsigned word)
{
	struct bytes b = file(big, word);

	histogram(&b, LOW, address_of(FUNCTIONS), d->bins, FUNCTIONS);
	for (unsigned i = 0; i < d->count; i++)
		arc(&b, d->calls[i].caller == NOBODY ? 0 : address_of(d->calls[i].caller) + 1,
		    address_of(d->calls[i].callee), d->calls[i].count);
	histogram(&b, LOW, address_of(FUNCTIONS), d->more, FUNCTIONS);
	return b;
}

static struct tl_profile *fold(const struct bytes *b)
{
	struct tl_gmon_file g = { .size = 0 };
	struct tl_profile *profile;

	assert_int_equal(tl_gmon_open(&g, b->data, b->size, 0, NULL), 0);
	assert_int_equal(g.word, b->word);
	assert_int_equal(tl_gmon_fold(&g, NULL, &profile, NULL), 0);
	tl_gmon_close(&g);
	return profile;
}

/* ---- records ---- */

TEST(drawn_records_come_back)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 200; round++) {
		struct tl_gmon_record record;
		struct tl_gmon_file g = { .size = 0 };
		struct drawn d;
		struct bytes b;

		draw(&d, &seed);
		b = write_drawn(&d, round % 2, round % 4 < 2 ? 4 : 8);
		assert_int_equal(tl_gmon_open(&g, b.data, b.size, 0, NULL), 0);
		for (unsigned i = 0; i < d.count + 2; i++) {
			const struct call *call = &d.calls[i ? i - 1 : 0];
			const uint16_t *bins = i ? d.more : d.bins;

			assert_int_equal(tl_gmon_next(&g, &record, NULL), 1);
			assert_int_equal(record.number, i);
			if (i && i <= d.count) {
				assert_int_equal(record.kind, TL_GMON_ARC);
				assert_int_equal(
					record.from,
					call->caller == NOBODY ? 0 : address_of(call->caller) + 1);
				assert_int_equal(record.self, address_of(call->callee));
				assert_int_equal(record.count, call->count);
				continue;
			}
			assert_int_equal(record.kind, TL_GMON_HISTOGRAM);
			assert_int_equal(record.bin_count, FUNCTIONS);
			assert_int_equal(record.rate, 100);
			assert_string_equal(record.dimension, "seconds");
			assert_int_equal(record.abbreviation, 's');
			for (unsigned n = 0; n <= FUNCTIONS; n++)
				assert_int_equal(tl_gmon_bin_address(&record, n), address_of(n));
			for (unsigned n = 0; n < FUNCTIONS; n++)
				assert_int_equal(tl_gmon_bin(&g, &record, n), bins[n]);
		}
		assert_int_equal(tl_gmon_next(&g, &record, NULL), 0);
		tl_gmon_close(&g);
	}
}

/* Bins of a range that is no multiple of their number: they follow each other without a gap. */
TEST(bins_cover_their_range)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 500; round++) {
		const uint64_t low = chance_bits(&seed) >> 8, size = 1 + (chance_bits(&seed) >> 40);
		const struct tl_gmon_record record = { .low = low,
						       .high = low + size,
						       .bin_count = 1 + chance(&seed, 300) };

		assert_true(tl_gmon_bin_address(&record, 0) == low);
		assert_true(tl_gmon_bin_address(&record, record.bin_count) == low + size);
		for (uint32_t i = 0; i < record.bin_count; i++) {
			const uint64_t at = tl_gmon_bin_address(&record, i) - low;

			/* the whole bytes of i / bin_count of the range */
			assert_true(at * record.bin_count <= size * i);
			assert_true((at + 1) * record.bin_count > size * i);
		}
	}
}

/* ---- costs ---- */

static uint32_t number_of(const struct tl_profile *profile, unsigned function)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->address == address_of(function))
			return i;
	return TL_NONE;
}

static void assert_samples(const struct drawn *d, const struct tl_profile *profile)
{
	int64_t all = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const int64_t samples = d->bins[i] + d->more[i];
		const uint32_t number = number_of(profile, i);
		struct tl_function_totals totals;

		all += samples;
		if (number == TL_NONE) {
			assert_int_equal(samples, 0);
			continue;
		}
		assert_int_equal(tl_profile_function_totals(profile, number, TL_NONE, &totals,
							    sizeof(totals)),
				 0);
		/* a hundred a second: ten milliseconds each */
		assert_int_equal(totals.self[0], samples * 10000000);
		assert_int_equal(totals.self[1], samples);
	}
	assert_int_equal(tl_profile_total(profile)[0], all * 10000000);
	assert_int_equal(tl_profile_total(profile)[1], all);
	assert_int_equal(tl_profile_arc_count(profile), d->count);
	assert_int_equal(tl_profile_part(profile, 0)->records, d->count + 2);
}

TEST(samples_are_those_of_the_bins)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 300; round++) {
		struct tl_profile *profile;
		struct drawn d;
		struct bytes b;

		draw(&d, &seed);
		b = write_drawn(&d, round % 2, round % 4 < 2 ? 4 : 8);
		profile = fold(&b);
		assert_samples(&d, profile);
		tl_profile_free(profile);
	}
}

/* ---- damage ---- */

/* A file that is cut has the records that are whole, and tells of the rest. */
TEST(drawn_files_that_are_cut)
{
	uint32_t seed = 5;

	for (unsigned round = 0; round < 8; round++) {
		const unsigned word = round % 4 < 2 ? 4 : 8;
		const size_t first = 1 + 2 * word + 8 + 16 + 2 * FUNCTIONS, each = 1 + 2 * word + 4;
		struct drawn d;
		struct bytes b;

		draw(&d, &seed);
		b = write_drawn(&d, round % 2, word);
		for (size_t size = 20; size <= b.size; size++) {
			const size_t left = size - 20,
				     arcs = left < first ? 0 : (left - first) / each;
			unsigned wanted = left < first ? 0 : 1, have = 0;
			struct tl_gmon_file g = { .size = 0 };
			struct tl_gmon_record record;
			size_t whole;

			if (wanted)
				wanted += arcs < d.count ? (unsigned)arcs : d.count;
			wanted += size == b.size;
			assert_int_equal(tl_gmon_open(&g, b.data, size, word, NULL), 0);
			while (tl_gmon_next(&g, &record, NULL) == 1)
				have++;
			assert_int_equal(have, wanted);
			/* behind a whole record there is nothing to tell of */
			whole = have ? 20 + first + each * (have - 1) : 20;
			assert_int_equal(g.faults.count, size != whole && size != b.size);
			tl_gmon_close(&g);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_records_come_back),
		cmocka_unit_test(bins_cover_their_range),
		cmocka_unit_test(samples_are_those_of_the_bins),
		cmocka_unit_test(drawn_files_that_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
