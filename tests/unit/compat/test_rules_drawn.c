/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawn traces, as Debian's 2.0.5 reads them: errata, filters, and packets in an order that no
 * processor writes among those that one does. What it said stands in drawn_rows.def.
 */
#include "drawn_row.h"

static const struct {
	unsigned number;
	const char *queries, *insns, *blocks;
} drawn_rows[] = {
#define ROW(number, queries, insns, blocks) { number, queries, insns, blocks },
#include "drawn_rows.def"
#undef ROW
};

enum { ROWS = sizeof(drawn_rows) / sizeof(drawn_rows[0]) };

TEST(drawn_traces_are_read_as_2_0_5_does)
{
	for (unsigned i = 0; i < ROWS; i++) {
		char title[32];
		struct row row;

		draw_row(&row, drawn_rows[i].number);
		snprintf(title, sizeof(title), "drawn trace %u", drawn_rows[i].number);
		row.title = title;
		row.queries = drawn_rows[i].queries;
		row.insns = drawn_rows[i].insns;
		row.blocks = drawn_rows[i].blocks;
		expect_rows(&row, 1);
	}
}

/* Nothing in the trace keeps a decoder from coming to an end, where 2.0.5 has none every now and
 * then (9.13): an error, or as many answers as are asked for. */
TEST(drawn_traces_end)
{
	unsigned ends = 0;

	for (uint32_t number = 1; number <= 300; number++) {
		struct pt_config config;
		struct told told;
		struct row row;

		draw_row(&row, number);
		config = row_config(&row);
		tell_queries(&told, &config);
		assert_true(told.size > 0);
		tell_insns(&told, &config);
		tell_blocks(&told, &config);
		ends += told.size >= 3 && !strcmp(told.text + told.size - 3, "end");
	}
	/* One in eight is read to its end. */
	assert_true(ends > 20 && ends < 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_traces_are_read_as_2_0_5_does),
		cmocka_unit_test(drawn_traces_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
