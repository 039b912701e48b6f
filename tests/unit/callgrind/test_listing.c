/* SPDX-License-Identifier: Apache-2.0 */
/* What `info` and `dump` say of a file, by hand. */
#include "text.h"

#include "callgrind/listing/describe.h"

typedef int put_fn(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
		   struct tl_error *err);

/* What is put of a text, for free(); NULL and t->err where that fails. */
static char *put_text_of(const char *bytes, put_fn *put, bool json, struct tl_error *err)
{
	struct tl_output *out;
	const char *data;
	char *made = NULL;
	struct text t;
	size_t size;

	text_open(&t, bytes);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (put(t.reader, json, out, err) == 0) {
		data = tl_output_bytes(out, &size);
		made = strndup(data, size);
	}
	tl_output_discard(out);
	text_close(&t);
	return made;
}

static void expect_words(const char *bytes, put_fn *put, bool json, const char *const *words)
{
	char *made = put_text_of(bytes, put, json, NULL);

	assert_non_null(made);
	for (; *words; words++)
		if (!strstr(made, *words))
			fail_msg("no %s in %s", *words, made);
	free(made);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Sums are those of the cost lines, column by column; a call's inclusive cost is none of them. */
TEST(info_sums_what_the_lines_cost)
{
	static const char bytes[] = "creator: test-1\ncmd: ./prog\npart: 1\nthread: 2\npid: 30\n"
				    "event: Ir : Instruction Fetch\nevent: Both = Ir + Dr : Sum\n"
				    "events: Ir Dr\nfn=f\n1 10 1\n2 20\ncfn=g\ncalls=2 1\n3 7 7\n"
				    "fn=g\n1 7 7\n# said\njump=1 4\n1\ntotals: 37 8\n"
				    "part: 2\nevents: Ir Dr\nfn=f\n1 1\n";

	expect_words(bytes, tl_callgrind_describe, true,
		     WORDS("\"name\":\"Ir\",\"long_name\":\"Instruction Fetch\",\"sum\":38}",
			   "\"name\":\"Both\",\"long_name\":\"Sum\",\"formula\":\"Ir + Dr\"}",
			   "\"name\":\"Dr\",\"sum\":8}", "\"parts\":2", "\"part\":1,\"process\":30",
			   "\"thread\":2", "\"has_totals\":true", "\"has_totals\":false",
			   "\"cost_lines\":4", "\"calls\":1", "\"jumps\":1", "\"comments\":1",
			   "\"lost\":0"));
	expect_words(bytes, tl_callgrind_describe, false, WORDS("Instruction Fetch", "38"));
}

/* The range of 64 bits, to both ends. */
TEST(info_does_not_wrap_sums)
{
	expect_words(HEAD "fn=f\n1 9223372036854775807\n2 1\n", tl_callgrind_describe, true,
		     WORDS("\"sum\":9223372036854775807}"));
	expect_words(HEAD "fn=f\n1 -9223372036854775808\npart: 2\nevents: Ir\nfn=f\n2 -1\n",
		     tl_callgrind_describe, true, WORDS("\"sum\":-9223372036854775808}"));
	expect_words(HEAD "fn=f\n1 9223372036854775807\npart: 2\nevents: Ir\nfn=f\n2 1\n",
		     tl_callgrind_describe, true, WORDS("\"sum\":9223372036854775807}"));
}

TEST(an_empty_file_is_told)
{
	struct tl_error err;

	assert_null(put_text_of("", tl_callgrind_describe, true, &err));
	assert_int_equal(err.status, TL_TRUNCATED);
	assert_int_equal(err.offset, 0);
	assert_non_null(strstr(err.text, "the file is empty"));
}

/* One item a line, with the offset at which it stands. */
TEST(dump_has_a_line_an_item)
{
	static const char bytes[] =
		HEAD "fl=a.c\nfn=f\n+3 10\ncfn=f\ncalls=2 9\n4 6\nodd line\n# end\n";
	char *made = put_text_of(bytes, tl_callgrind_dump, false, NULL);
	size_t lines = 0;

	for (const char *at = made; (at = strchr(at, '\n')); at++)
		lines++;
	/* comment, events, fl, fn, cost, cfn, a call, what is lost, comment, part */
	assert_int_equal(lines, 10);
	free(made);
	expect_words(bytes, tl_callgrind_dump, true,
		     WORDS("\"offset\":30", "\"offset\":37", "\"offset\":42", "\"offset\":48",
			   "a.c", "skipped it"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_sums_what_the_lines_cost),
		cmocka_unit_test(info_does_not_wrap_sums),
		cmocka_unit_test(an_empty_file_is_told),
		cmocka_unit_test(dump_has_a_line_an_item),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
