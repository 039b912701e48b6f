/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What info and dump say of a gmon.out, and how the cost of calls goes up (docs/formats/gmon.md,
 * section 2): sums are counted by hand.
 */
#include <stdlib.h>

#include <tracelathe/profile.h>

#include "gmon/fold.h"
#include "gmon/listing.h"
#include "../symbols/make_elf.h"
#include "../temp.h"
#include "gmon_bytes.h"
#include "symbols/binary.h"
#include "unit/unit.h"

/* ---- info and dump ---- */

static void put_all(struct bytes *b)
{
	static const uint16_t bins[] = { 3, 0, 5 }, more[] = { 2 };

	histogram(b, 0x1000, 0x100c, bins, 3);
	arc(b, 0x1005, 0x1008, 10);
	arc(b, 0, 0x1000, 1);
	histogram(b, 0x800, 0x804, more, 1);
	number(b, 2, 1);
	number(b, 2, 4);
	for (uint64_t i = 1; i <= 2; i++) {
		number(b, 0x1000 * i, b->word);
		number(b, 7 * i, b->word);
	}
}

static char *told(const struct bytes *b, bool json, bool dump)
{
	struct tl_gmon_file g = { .size = 0 };
	struct tl_output *out;
	size_t size;
	char *text;

	assert_int_equal(tl_gmon_open(&g, b->data, b->size, 0, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal((dump ? tl_gmon_dump : tl_gmon_describe)(&g, json, out, NULL), 0);
	tl_output_write(out, "", 1);
	text = strdup(tl_output_bytes(out, &size));
	assert_non_null(text);
	tl_output_discard(out);
	tl_gmon_close(&g);
	return text;
}

static void expect(const struct bytes *b, bool json, bool dump, const char *wanted)
{
	char *text = told(b, json, dump);

	assert_string_equal(text, wanted);
	free(text);
}

TEST(info_counts_records)
{
	struct bytes b = file(false, 8), big = file(true, 4);

	put_all(&b);
	expect(&b, true, false,
	       "{\"format\":\"gmon\",\"version\":1,\"address_bits\":64,\"byte_order\":\"little\","
	       "\"histograms\":2,\"bins\":4,\"samples\":10,\"samples_per_second\":100,\"arcs\":2,"
	       "\"calls\":11,\"block_records\":1,\"damaged_places\":0}\n");
	put_all(&big);
	expect(&big, false, false,
	       "format: gmon\nversion: 1\naddress bits: 32\nbyte order: big\nhistograms: 2\n"
	       "bins: 4\nsamples: 10\nsamples per second: 100\narcs: 2\ncalls: 11\n"
	       "block records: 1\ndamaged places: 0\n");
}

/* 20 bytes of header; 1 + 8 + 8 + 4 + 4 + 16 of a histogram with 2 a bin; 21 of an arc. */
TEST(dump_lists_records)
{
	struct bytes b = file(false, 8);

	put_all(&b);
	expect(&b, true, true,
	       "{\"offset\":20,\"record\":\"histogram\",\"low_pc\":\"0x1000\","
	       "\"high_pc\":\"0x100c\",\"hist_size\":3,\"prof_rate\":100,\"dimen\":\"seconds\","
	       "\"bins\":[{\"address\":\"0x1000\",\"count\":3},{\"address\":\"0x1008\","
	       "\"count\":5}]}\n"
	       "{\"offset\":67,\"record\":\"arc\",\"from_pc\":\"0x1005\",\"self_pc\":\"0x1008\","
	       "\"count\":10}\n"
	       "{\"offset\":88,\"record\":\"arc\",\"from_pc\":\"0x0\",\"self_pc\":\"0x1000\","
	       "\"count\":1}\n"
	       "{\"offset\":109,\"record\":\"histogram\",\"low_pc\":\"0x800\","
	       "\"high_pc\":\"0x804\",\"hist_size\":1,\"prof_rate\":100,\"dimen\":\"seconds\","
	       "\"bins\":[{\"address\":\"0x800\",\"count\":2}]}\n"
	       "{\"offset\":152,\"record\":\"blocks\",\"nblocks\":2,\"blocks\":["
	       "{\"address\":\"0x1000\",\"count\":7},{\"address\":\"0x2000\",\"count\":14}]}\n");
	expect(&b, false, true,
	       "0x00000014 histogram low_pc 0x1000 high_pc 0x100c hist_size 3 prof_rate 100 dimen "
	       "seconds bins 0x1000:3 0x1008:5\n"
	       "0x00000043 arc from_pc 0x1005 self_pc 0x1008 count 10\n"
	       "0x00000058 arc from_pc 0x0 self_pc 0x1000 count 1\n"
	       "0x0000006d histogram low_pc 0x800 high_pc 0x804 hist_size 1 prof_rate 100 dimen "
	       "seconds bins 0x800:2\n"
	       "0x00000098 blocks nblocks 2 blocks 0x1000:7 0x2000:14\n");
}

/* ---- profiles ---- */

static struct tl_profile *fold(const struct bytes *b, struct tl_gmon_file *g)
{
	struct tl_profile *profile = NULL;

	*g = (struct tl_gmon_file){ .size = 0 };
	assert_int_equal(tl_gmon_open(g, b->data, b->size, 0, NULL), 0);
	assert_int_equal(tl_gmon_fold(g, NULL, &profile, NULL), 0);
	return profile;
}

/* The samples that an arc got of its callee. */
static int64_t samples_of(const struct tl_profile *profile, uint64_t from, uint64_t self)
{
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->from.address == (from ? from - 1 : 0) && arc->to.address == self)
			return tl_profile_arc_cost(profile, i)[1];
	}
	fail_msg("no arc from %#x to %#x", (unsigned)from, (unsigned)self);
	return 0;
}

/*
 * 0x3000 (12 samples) is called by 0x2000 (3 samples) 3 times and by 0x1000 once; 0x2000 is called
 * by 0x1000 alone, and 0x1000 by nobody known.
 */
TEST(costs_go_up_from_callee_to_caller)
{
	static const uint16_t twelve[] = { 12 }, three[] = { 3 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	arc(&b, 0x1001, 0x2000, 1);
	arc(&b, 0, 0x1000, 1);
	arc(&b, 0x2001, 0x3000, 3);
	arc(&b, 0x1001, 0x3000, 1);
	histogram(&b, 0x3000, 0x3004, twelve, 1);
	histogram(&b, 0x2000, 0x2004, three, 1);
	profile = fold(&b, &g);
	assert_int_equal(samples_of(profile, 0x2001, 0x3000), 9);
	assert_int_equal(samples_of(profile, 0x1001, 0x3000), 3);
	assert_int_equal(samples_of(profile, 0x1001, 0x2000), 12);
	assert_int_equal(samples_of(profile, 0, 0x1000), 15);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

/*
 * 0x2000 (4 samples) and 0x3000 (6 samples) call each other: 0x1000, which calls the one once and
 * the other 4 times, shares what both cost, and nothing goes along the calls inside.
 */
TEST(functions_that_call_each_other_are_one)
{
	static const uint16_t four[] = { 4 }, six[] = { 6 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x2000, 0x2004, four, 1);
	histogram(&b, 0x3000, 0x3004, six, 1);
	arc(&b, 0x2001, 0x3000, 50);
	arc(&b, 0x3001, 0x2000, 70);
	arc(&b, 0x1001, 0x2000, 1);
	arc(&b, 0x1001, 0x3000, 4);
	arc(&b, 0x0f01, 0x1000, 1);
	profile = fold(&b, &g);
	assert_int_equal(samples_of(profile, 0x2001, 0x3000), 0);
	assert_int_equal(samples_of(profile, 0x3001, 0x2000), 0);
	assert_int_equal(samples_of(profile, 0x1001, 0x2000), 2);
	assert_int_equal(samples_of(profile, 0x1001, 0x3000), 8);
	assert_int_equal(samples_of(profile, 0x0f01, 0x1000), 10);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

/* 10 samples among 3 callers of one call each: what is rounded off is not lost. */
TEST(shares_add_up)
{
	static const uint16_t ten[] = { 10 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x2000, 0x2004, ten, 1);
	for (uint64_t i = 3; i <= 5; i++)
		arc(&b, 0x1000 * i + 1, 0x2000, 1);
	profile = fold(&b, &g);
	assert_int_equal(samples_of(profile, 0x3001, 0x2000), 3);
	assert_int_equal(samples_of(profile, 0x4001, 0x2000), 3);
	assert_int_equal(samples_of(profile, 0x5001, 0x2000), 4);
	assert_int_equal(tl_profile_part(profile, 0)->records, 4);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

/* A program of which f is from 0x1000 to 0x1002, and g from there to 0x1004. */
static void make_program(struct temp *temp)
{
	static const char names[] = "\0f\0g";
	static const uint8_t code[4] = { 0 };
	struct made made = { .is_64bit = true }, symbols = made_like(&made);

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	put_symbol(&symbols, 1, STB_GLOBAL << 4 | STT_FUNC, 1, 0x1000, 2);
	put_symbol(&symbols, 3, STB_GLOBAL << 4 | STT_FUNC, 1, 0x1002, 2);
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code), 0,
		  0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
		{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, sizeof(names), 0, 0 },
	};

	make_elf(&made, ET_EXEC, EM_X86_64, sections, 3);
	temp_write(temp, "program", made.bytes, made.size);
}

/* "Where they are of several functions, each gets the share of its bytes": 5 samples, 2 and 3. */
TEST(bins_of_several_functions_are_shared)
{
	static const uint16_t five[] = { 5 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g = { .size = 0 };
	struct tl_profile *profile = NULL;
	struct tl_binary *binary;
	struct temp temp;

	temp_open(&temp);
	make_program(&temp);
	assert_int_equal(tl_binary_open(&binary, temp_path(&temp, "program"), 0, true, NULL), 0);
	histogram(&b, 0x1000, 0x1004, five, 1);
	assert_int_equal(tl_gmon_open(&g, b.data, b.size, 0, NULL), 0);
	assert_int_equal(tl_gmon_fold(&g, binary, &profile, NULL), 0);
	assert_int_equal(tl_profile_function_count(profile), 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct tl_function_totals totals;
		const bool is_f = *tl_profile_function(profile, i)->name == 'f';

		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		assert_int_equal(totals.self[0], 25000000);
		assert_int_equal(totals.self[1], is_f ? 2 : 3);
	}
	assert_int_equal(g.faults.total, 0);
	tl_profile_free(profile);
	tl_gmon_close(&g);
	tl_binary_close(binary);
	temp_close(&temp);
}

static bool says(const struct tl_gmon_file *g, const char *rule)
{
	for (size_t i = 0; i < g->faults.total; i++)
		if (!strcmp(g->faults.list[i].rule, rule))
			return true;
	return false;
}

/* "Either lack is said": names, samples a second, and that the cost of calls is an estimate. */
TEST(what_is_missing_is_said)
{
	static const uint16_t one[] = { 1 };
	struct bytes b = file(false, 8);
	struct tl_gmon_file g;
	struct tl_profile *profile;

	histogram(&b, 0x2000, 0x2004, one, 1);
	profile = fold(&b, &g);
	assert_true(says(&g, "names"));
	assert_false(says(&g, "rate") || says(&g, "estimate"));
	assert_int_equal(tl_profile_total(profile)[0], 10000000);
	tl_profile_free(profile);
	tl_gmon_close(&g);
	/* The rate is 21 bytes behind the begin of the record, which is at 20. */
	memset(b.data + 20 + 21, 0, 4);
	arc(&b, 0x1001, 0x2000, 1);
	profile = fold(&b, &g);
	assert_true(says(&g, "names") && says(&g, "rate") && says(&g, "estimate"));
	assert_int_equal(tl_profile_total(profile)[0], 0);
	assert_int_equal(tl_profile_total(profile)[1], 1);
	tl_profile_free(profile);
	tl_gmon_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_counts_records),
		cmocka_unit_test(dump_lists_records),
		cmocka_unit_test(costs_go_up_from_callee_to_caller),
		cmocka_unit_test(functions_that_call_each_other_are_one),
		cmocka_unit_test(shares_add_up),
		cmocka_unit_test(bins_of_several_functions_are_shared),
		cmocka_unit_test(what_is_missing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
