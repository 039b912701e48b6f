/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as CSV. Expected fields are quoted by hand, as RFC 4180 has it. */
#include "core/text/json_csv.h"

#include "../refuse.h"

typedef int end_fn(struct tl_csv *csv, int status, struct tl_output *out, struct tl_error *err);

struct sample {
	end_fn *end;
	const char *json, *csv;
};

static int write_sample(const void *arg, struct tl_output *out)
{
	const struct sample *sample = arg;
	struct tl_csv csv;
	int status = tl_csv_begin(&csv, NULL);

	if (status < 0)
		return status;
	tl_put_text(csv.json, sample->json);
	return sample->end(&csv, 0, out, NULL);
}

static int step(const void *sample, uint64_t *digest)
{
	return refuse_note_output(write_sample, sample, digest);
}

static void expect(const struct sample *sample)
{
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(write_sample(sample, out), 0);
	text = tl_output_bytes(out, &size);
	if (size != strlen(sample->csv) || memcmp(text, sample->csv, size) != 0)
		fail_msg("%.*s is not %s", (int)size, text, sample->csv);
	tl_output_discard(out);
	assert_true(refuse_each(step, sample) >= 3);
}

/* "each value is a row, fact,value, the fact named by its path" */
TEST(facts_are_named_by_their_paths)
{
	static const struct sample samples[] = {
		{ tl_csv_end_facts, "{}", "fact,value\n" },
		{ tl_csv_end_facts, "{\"a\":1,\"b\":\"two\",\"c\":true,\"d\":false,\"e\":null}",
		  "fact,value\na,1\nb,two\nc,true\nd,false\ne,\n" },
		{ tl_csv_end_facts, "{\"a\":{\"b\":{\"c\":1},\"d\":-2.5e3},\"e\":0}",
		  "fact,value\na.b.c,1\na.d,-2.5e3\ne,0\n" },
		{ tl_csv_end_facts,
		  "{\"a\":[],\"by_thread\":[{\"cpu\":3},{\"cpu\":4,\"x\":[7,8]},9],\"z\":1}",
		  "fact,value\nby_thread.0.cpu,3\nby_thread.1.cpu,4\nby_thread.1.x.0,7\nby_thread."
		  "1.x.1,8\n"
		  "by_thread.2,9\nz,1\n" },
		{ tl_csv_end_facts, "[[1,2],[3]]", "fact,value\n0.0,1\n0.1,2\n1.0,3\n" },
		{ tl_csv_end_facts, "{\"a,b\":\"say \\\"x\\\"\",\"c\":\"one\\ntwo\"}",
		  "fact,value\n\"a,b\",\"say \"\"x\"\"\"\nc,\"one\ntwo\"\n" },
		/* As deep as facts are. */
		{ tl_csv_end_facts, "[[[[[[[[[[[[[[[[5]]]]]]]]]]]]]]]]",
		  "fact,value\n0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0,5\n" },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		expect(&samples[i]);
}

/* "an object a line, each of which is a row; a column for each key of any of them" */
TEST(objects_are_rows)
{
	static const struct sample samples[] = {
		{ tl_csv_end_rows, "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n",
		  "a,b\n1,x\n2,y\n" },
		/* Keys that some objects lack, in another order; no line break at the end. */
		{ tl_csv_end_rows, "{\"a\":1}\n{\"c\":true,\"b\":2}\n{\"b\":null,\"a\":3}",
		  "a,c,b\n1,,\n,true,2\n3,,\n" },
		{ tl_csv_end_rows, "{\"a b\":\"1,2\",\"q\\\"\":\"\"}\n",
		  "a b,\"q\"\"\"\n\"1,2\",\n" },
		/* "What every format has." */
		{ tl_csv_end_rows, "", "rule,offset,text\n" },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		expect(&samples[i]);
}

/* "a negative one is given back, and nothing is put" */
TEST(what_was_not_written_is_not_shown)
{
	static end_fn *const ends[] = { tl_csv_end_facts, tl_csv_end_rows };

	for (size_t i = 0; i < 2; i++) {
		struct tl_output *out;
		struct tl_csv csv;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_csv_begin(&csv, NULL), 0);
		tl_put_text(csv.json, "{}");
		assert_int_equal(ends[i](&csv, TL_BAD_RECORD, out, NULL), TL_BAD_RECORD);
		tl_output_bytes(out, &size);
		assert_int_equal(size, 0);
		tl_output_discard(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_named_by_their_paths),
		cmocka_unit_test(objects_are_rows),
		cmocka_unit_test(what_was_not_written_is_not_shown),
	};

	return cmocka_run_group_tests_name("core json_csv", tests, NULL, NULL);
}
