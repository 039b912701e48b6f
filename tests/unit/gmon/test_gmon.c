/* SPDX-License-Identifier: Apache-2.0 */
/* gmon.out, byte by byte as docs/formats/gmon.md says, in both byte orders. */
#include <string.h>

#include <tracelathe/profile.h>

#include "gmon/fold.h"
#include "gmon_bytes.h"
#include "unit/unit.h"

static struct tl_profile *fold(const struct bytes *b, struct tl_gmon_file *g)
{
	struct tl_profile *profile = NULL;

	memset(g, 0, sizeof(*g));
	assert_int_equal(tl_gmon_open(g, b->data, b->size, 0, NULL), 0);
	assert_int_equal(tl_gmon_fold(g, NULL, &profile, NULL), 0);
	return profile;
}

/* Bins of three samples of 10 ms and of nearly as many as a bin can count; ten calls. */
static void check_whole(bool big, unsigned word)
{
	static const uint16_t bins[] = { 3, 0, 0xfffd };
	struct bytes b = file(big, word);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x1000, 0x100c, bins, 3);
	arc(&b, 0x1005, 0x1008, 10);
	profile = fold(&b, &g);
	assert_int_equal(g.word, word);
	assert_int_equal(g.swap, big != TL_HOST_BIG_ENDIAN);
	assert_int_equal(tl_profile_total(profile)[0], 655360000000);
	assert_int_equal(tl_profile_total(profile)[1], 0x10000);
	assert_int_equal(tl_profile_arc_count(profile), 1);
	assert_int_equal(tl_profile_arc(profile, 0)->calls, 10);
	/* The only caller has all that the callee cost: the bin at 0x1008. */
	assert_int_equal(tl_profile_arc_cost(profile, 0)[1], 0xfffd);
	assert_string_equal(tl_profile_function(profile, tl_profile_arc(profile, 0)->callee)->name,
			    "0x1008");
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

TEST(byte_orders_and_sizes)
{
	check_whole(false, 8);
	check_whole(false, 4);
	check_whole(true, 8);
	check_whole(true, 4);
}

/* 0x2000 (9 samples) is called twice by 0x1001 and once by 0x3001; recursion is not divided. */
TEST(callers_share_by_their_calls)
{
	static const uint16_t nine[] = { 9 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x2000, 0x2004, nine, 1);
	arc(&b, 0x1002, 0x2000, 2);
	arc(&b, 0x3002, 0x2000, 1);
	arc(&b, 0x2001, 0x2000, 7);
	profile = fold(&b, &g);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[1], 6);
	assert_int_equal(tl_profile_arc_cost(profile, 1)[1], 3);
	assert_int_equal(tl_profile_arc_cost(profile, 2)[1], 0);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

/* A program whose code was not watched has a histogram without bins, which may cover nothing. */
TEST(histograms_without_bins)
{
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x1000, 0x1000, NULL, 0);
	arc(&b, 0x1002, 0x2000, 2);
	profile = fold(&b, &g);
	assert_int_equal(tl_profile_arc_count(profile), 1);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

static void expect_cut(const struct bytes *b, uint64_t offset, const char *text)
{
	struct tl_gmon_file g;
	struct tl_profile *profile = fold(b, &g);

	assert_int_equal(g.faults.list[0].offset, offset);
	assert_int_equal(g.faults.list[0].status, TL_BAD_RECORD);
	assert_non_null(strstr(g.faults.list[0].text, text));
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

TEST(damage)
{
	static const uint16_t bins[] = { 1, 2 };
	struct bytes b = file(false, 8);

	arc(&b, 0x1002, 0x2000, 2);
	b.data[b.size++] = 9;
	expect_cut(&b, 41, "no kind");
	b = file(false, 8);
	arc(&b, 0x1002, 0x2000, 2);
	b.size--;
	expect_cut(&b, 20, "cut");
	b = file(false, 8);
	histogram(&b, 0x1000, 0x1008, bins, 2);
	b.size--;
	expect_cut(&b, 20, "more bins");
	b = file(false, 8);
	histogram(&b, 0x1008, 0x1000, bins, 2);
	expect_cut(&b, 20, "before it begins");
	b = file(false, 8);
	histogram(&b, 0x1000, 0x1000, bins, 2);
	expect_cut(&b, 20, "before it begins");
}

/* With faults that are errors, the first one is what the fold returns. */
TEST(damage_of_strict_readers)
{
	struct bytes b = file(false, 8);
	struct tl_gmon_file g = { .faults.strict = true };
	struct tl_profile *profile = NULL;
	struct tl_error err;

	arc(&b, 0x1002, 0x2000, 2);
	b.data[b.size++] = 9;
	assert_int_equal(tl_gmon_open(&g, b.data, b.size, 0, &err), 0);
	assert_int_equal(tl_gmon_fold(&g, NULL, &profile, &err), TL_BAD_RECORD);
	assert_int_equal(err.offset, 41);
	assert_string_equal(err.format, "gmon");
	assert_null(profile);
	tl_gmon_close(&g);
}

TEST(headers)
{
	struct bytes b = file(false, 8);
	struct tl_gmon_file g = { .size = 0 };
	struct tl_error err;

	assert_int_equal(tl_gmon_probe(b.data, b.size), 100);
	b = file(true, 8);
	assert_int_equal(tl_gmon_probe(b.data, b.size), 100);
	b.data[4] = 1;
	assert_in_range(tl_gmon_probe(b.data, b.size), 1, 99);
	assert_int_equal(tl_gmon_probe(b.data, TL_GMON_HEADER - 1), 0);
	b = file(false, 8);
	assert_int_equal(tl_gmon_open(&g, b.data, 19, 0, &err), TL_TRUNCATED);
	b.data[4] = 0xff;
	b.data[5] = 0xff;
	b.data[6] = 1;
	assert_int_equal(tl_gmon_open(&g, b.data, b.size, 0, &err), TL_UNSUPPORTED);
	assert_int_equal(err.offset, 4);
	b.data[0] = 'G';
	assert_int_equal(tl_gmon_probe(b.data, b.size), 0);
	assert_int_equal(tl_gmon_open(&g, b.data, b.size, 0, &err), TL_BAD_FORMAT);
	tl_gmon_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_orders_and_sizes),
		cmocka_unit_test(callers_share_by_their_calls),
		cmocka_unit_test(histograms_without_bins),
		cmocka_unit_test(damage),
		cmocka_unit_test(damage_of_strict_readers),
		cmocka_unit_test(headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
