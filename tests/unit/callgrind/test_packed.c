/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles that are packed: written, they are the bytes of the same profile with its lines, arcs
 * and jumps one by one.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/export.h>

#include "text.h"

#include "callgrind/profile/fold.h"

static char *written(const struct tl_profile *profile, const struct tl_export_options *options,
		     size_t *size)
{
	const struct tl_exporter *exporter = tl_exporter_find("callgrind");
	struct tl_output *out;
	const char *bytes;
	char *copy;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(exporter->write(profile, options, out, NULL), 0);
	bytes = tl_output_bytes(out, size);
	copy = malloc(*size + 1);
	assert_non_null(copy);
	memcpy(copy, bytes, *size);
	copy[*size] = '\0';
	tl_output_discard(out);
	return copy;
}

static struct tl_profile *fold_packed(const char *text)
{
	struct tl_profile *profile;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold_packed(&t.reader, 1, NULL, &profile, &t.err), 0);
	text_close(&t);
	return profile;
}

/* Both ways, with all options of the writer. `packed`: whether the profile stays so. */
static void expect_same(const char *text, bool packed)
{
	static const struct tl_export_options options[] = {
		{ .size = sizeof(options[0]) },
		{ .size = sizeof(options[0]), .compression = TL_COMPRESS_ALL },
		{ .size = sizeof(options[0]), .compression = TL_COMPRESS_NONE },
		{ .size = sizeof(options[0]), .positions = TL_POSITIONS_LINE },
		{ .size = sizeof(options[0]), .positions = TL_POSITIONS_INSTR },
	};
	struct tl_profile *whole = fold_text(text), *small = fold_packed(text);

	assert_int_equal(small->pack != NULL, packed);
	assert_int_equal(tl_profile_function_count(small), tl_profile_function_count(whole));
	assert_int_equal(tl_profile_losses_of(small).saturated,
			 tl_profile_losses_of(whole).saturated);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		size_t size, other;
		char *a = written(whole, &options[i], &size),
		     *b = written(small, &options[i], &other);

		assert_string_equal(b, a);
		assert_int_equal(other, size);
		free(a);
		free(b);
	}
	tl_profile_free(whole);
	tl_profile_free(small);
}

TEST(lines_calls_and_jumps)
{
	expect_same("pid: 3\ncmd: x y\npart: 1\npositions: instr bb line\nevents: Ir Dr Dw\n"
		    "ob=a.so\nfl=a.c\nfn=f\n0x10 0x10 9 1 0 5\n0x8 0x8 4 2\n0x10 0x10 9 7\n"
		    "fi=in.h\n0x8 0x8 2 1\nfe=a.c\n0x8 0x4 4 1 1 1\ncob=b.so\ncfi=b.c\ncfn=g\n"
		    "calls=3 0x40 0x40 7\n0x8 0x8 4 30 1\ncfn=g\ncalls=2 0x40 0x40 7\n0x8 0x8 4 9\n"
		    "cfn=f\ncalls=0 0x8 0x8 4\n0x10 0x10 9 1\njcnd=2/9 0x10 0x10 9\n0x8 0x8 4\n"
		    "jump=4 0x8 0x8 4\n0x10 0x10 9\njfi=b.c\njfn=g\njump=1 0x40 0x40 7\n0x8 0x8 4\n"
		    "fn=g\n0x40 0x40 7 -3\n0x3f 0x40 6 4 0 0\nfn=none\n1 1 1\n",
		    true);
}

/* Items of a function that come in any order, and more than once, are sorted and summed. */
TEST(any_order)
{
	char text[40000] = HEAD "fl=a.c\n";
	size_t used = strlen(text);
	uint32_t random = 1;

	for (int i = 0; i < 1500; i++) {
		random = random * 1664525 + 1013904223;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 i % 100 ? "%u %u\n" : "fn=f%u\n1 %u\n",
					 (random >> 16) % (i % 100 ? 300 : 3), i + 1);
	}
	expect_same(text, true);
}

/* Parts have functions, events in other orders, and sums of their own. */
TEST(parts)
{
	expect_same("part: 1\nevents: Ir Dr\nfl=a.c\nfn=f\n1 1 2\n2 5\ncfn=g\ncalls=1 9\n2 8 8\n"
		    "part: 2\nthread: 4\nevents: Dr Bc Ir\nfn=g\n9 10 20 30\nfl=\?\?\?\nfn=f\n1 1\n"
		    "part: 3\nevents: Ir\nfl=a.c\nfn=g\n9 1\nfn=f\n2 1\n1 1\nfn=g\n8 1\n",
		    true);
}

TEST(wide_numbers)
{
	expect_same("positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n"
		    "0xffffffffffffffff 4294967295 4611686018427387000\n0x0 0 1\n"
		    "cfn=g\ncalls=4611686018427387000 0xfffffffffffffff0 4294967295\n"
		    "0x8000000000000000 2147483648 5\n",
		    true);
}

/* Where sums may not fit, they are made one by one, and counted; so are those of formulas. */
TEST(sums_that_need_care)
{
	expect_same(HEAD "fn=f\n1 9223372036854775807\n1 5\n2 -7\n", false);
	expect_same(HEAD "fn=f\n1 5\n1 -9223372036854775808\n1 -1\n", false);
	expect_same(HEAD "fn=f\n1 1\ncfn=g\ncalls=9223372036854775807 1\n1 1\ncfn=g\n"
			 "calls=9223372036854775807 1\n1 1\ncfn=g\ncalls=9 1\n1 1\n",
		    false);
	expect_same("event: Ir\nevent: Twice = 2 Ir\nevents: Ir\nfn=f\n1 1\n", false);
}

TEST(many_events)
{
	char text[4000] = "events:";
	size_t used = strlen(text);

	for (int e = 0; e < 200; e++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " E%d", e);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "\nfn=f\n1");
	for (int e = 0; e < 200; e++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %d", e * 97);
	snprintf(text + used, sizeof(text) - used, "\n1 3\n2\n");
	expect_same(text, true);
}

/* Lines are a few bytes: five of a place and its cost beside what a run has once. */
TEST(small)
{
	struct tl_pack *pack = calloc(1, sizeof(*pack));
	struct tl_pack_item item = { .kind = TL_PACK_LINE, .cost_count = 2 };
	static const int64_t costs[] = { 60, 0 };

	assert_true(pack && tl_pack_part(pack, 0, 2));
	for (uint32_t i = 1; i <= 1000; i++) {
		item.at.line = i;
		item.at.address = i * UINT64_C(4);
		assert_true(tl_pack_add(pack, 0, 0, &item, costs));
	}
	assert_int_equal(pack->run_count, 1);
	assert_int_equal(pack->runs[0].count, 1000);
	/* head, line, address, one cost */
	assert_int_equal(pack->runs[0].bytes, 4000);
	assert_int_equal(pack->sums[0].costs[0], 60000);
	tl_pack_free(pack);
}

/* What cannot read a packed profile says so. */
TEST(other_exporters_refuse)
{
	struct tl_profile *profile = fold_packed(HEAD "fn=f\n1 1\n");
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; tl_exporters()[i]; i++) {
		struct tl_error err = { 0 };
		int expected = tl_exporters()[i]->packed ? TL_OK : TL_UNSUPPORTED;

		assert_int_equal(tl_exporters()[i]->write(profile, NULL, out, &err), expected);
		assert_true(expected == TL_OK || err.text);
	}
	tl_output_discard(out);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_calls_and_jumps),
		cmocka_unit_test(any_order),
		cmocka_unit_test(parts),
		cmocka_unit_test(wide_numbers),
		cmocka_unit_test(sums_that_need_care),
		cmocka_unit_test(many_events),
		cmocka_unit_test(small),
		cmocka_unit_test(other_exporters_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
