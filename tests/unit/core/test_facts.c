/* SPDX-License-Identifier: Apache-2.0 */
/* "Named facts, written as it is told, as indented text or as one JSON object." */
#include "../unit.h"

#include "core/facts.h"
#include "core/output.h"

static void tell(struct tl_facts *facts)
{
	tl_fact_text(facts, "format", "a \"b\"");
	tl_fact_u64(facts, "cycle_frequency", UINT64_MAX);
	tl_fact_i64(facts, "skew", -5);
	tl_facts_object(facts, "header");
	tl_fact_bool(facts, "constant_tsc", true);
	tl_facts_object(facts, "inner");
	tl_fact_double(facts, "ratio", 0.5);
	tl_facts_close(facts);
	tl_facts_close(facts);
	tl_facts_list(facts, "threads");
	for (uint64_t i = 1; i < 3; i++) {
		tl_facts_item(facts);
		tl_fact_u64(facts, "id", i);
		tl_fact_bool(facts, "lost", false);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
	tl_facts_list(facts, "none");
	tl_facts_close_list(facts);
	tl_facts_object(facts, "empty");
	tl_facts_close(facts);
	tl_fact_u64(facts, "end", 0);
}

static void expect(bool json, void (*what)(struct tl_facts *facts), const char *wanted)
{
	struct tl_output *out;
	struct tl_facts facts;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_facts_begin(&facts, out, json);
	what(&facts);
	tl_facts_end(&facts);
	const char *bytes = tl_output_bytes(out, &size);

	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(bytes, wanted, size);
	tl_output_discard(out);
}

/*
 * A comma between members and nowhere else (RFC 8259, sections 4 and 5), also after a closed group.
 */
TEST(facts_as_json)
{
	expect(true, tell,
	       "{\"format\":\"a "
	       "\\\"b\\\"\",\"cycle_frequency\":18446744073709551615,\"skew\":-5,"
	       "\"header\":{\"constant_tsc\":true,\"inner\":{\"ratio\":0.5}},"
	       "\"threads\":[{\"id\":1,\"lost\":false},{\"id\":2,\"lost\":false}],\"none\":[],"
	       "\"empty\":{},\"end\":0}\n");
}

/* "text shows them with blanks" */
TEST(facts_as_text)
{
	expect(false, tell,
	       "format: a \"b\"\n"
	       "cycle frequency: 18446744073709551615\n"
	       "skew: -5\n"
	       "header:\n"
	       "  constant tsc: yes\n"
	       "  inner:\n"
	       "    ratio: 0.5\n"
	       "threads:\n"
	       "  -\n"
	       "    id: 1\n"
	       "    lost: no\n"
	       "  -\n"
	       "    id: 2\n"
	       "    lost: no\n"
	       "none:\n"
	       "empty:\n"
	       "end: 0\n");
}

static void tell_nothing(struct tl_facts *facts)
{
	(void)facts;
}

TEST(no_facts)
{
	expect(true, tell_nothing, "{}\n");
	expect(false, tell_nothing, "");
}

static void tell_not_finite(struct tl_facts *facts)
{
	tl_fact_double(facts, "ratio", (double)__builtin_nanf(""));
	tl_fact_double(facts, "most", -__builtin_inf());
}

/* RFC 8259, section 6: "Numeric values ... (such as Infinity and NaN) are not permitted." */
TEST(json_has_no_infinity)
{
	expect(true, tell_not_finite, "{\"ratio\":null,\"most\":null}\n");
	expect(false, tell_not_finite, "ratio: nan\nmost: -inf\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_as_json),
		cmocka_unit_test(facts_as_text),
		cmocka_unit_test(no_facts),
		cmocka_unit_test(json_has_no_infinity),
	};

	return cmocka_run_group_tests_name("core facts", tests, NULL, NULL);
}
