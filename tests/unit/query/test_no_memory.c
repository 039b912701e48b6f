/* SPDX-License-Identifier: Apache-2.0 */
/* Statements without memory: each allocation of ours is refused once. */
#include "../refuse.h"

#include <tracelathe/query.h>

#include "query/trace/json_line.h"
#include "trace.h"

struct asked {
	const char *path, *sql;
	enum tl_report_form form;
};

static int answer(const struct asked *asked, struct tl_query *query, struct tl_output *out)
{
	struct tl_error err;
	const struct tl_query_store_options some = { .size = sizeof(some),
						     .tables = "functions,calls,damage" };
	int status = tl_query_add(query, &asked->path, 1, NULL, NULL, &err);

	if (status == 0 && !asked->sql)
		return tl_query_store(query, 0, &some, out, &err);
	return status < 0 ? status : tl_query_print(query, asked->sql, asked->form, out, &err);
}

static int write_answer(const void *input, struct tl_output *out)
{
	struct tl_query *query;
	struct tl_error err;
	int status = tl_query_open(&query, &err);

	if (status == 0)
		status = answer(input, query, out);
	tl_query_close(query);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_answer, input, digest);
}

TEST(statements_say_that_memory_ran_out)
{
	static const struct {
		const char *sql;
		enum tl_report_form form;
	} cases[] = {
		{ "SELECT f.*, c.* FROM functions f JOIN costs c ON c.function = f.id",
		  TL_REPORT_CSV },
		{ "SELECT function, name, sum(duration) FROM calls GROUP BY function",
		  TL_REPORT_TEXT },
		{ "SELECT max(name), sum(duration) FROM calls GROUP BY function", TL_REPORT_TEXT },
		{ "SELECT * FROM calls JOIN threads USING (thread)", TL_REPORT_JSON },
		{ "SELECT kind, json FROM records", TL_REPORT_CSV },
		{ "SELECT time FROM records WHERE kind = 'function' AND thread = 7",
		  TL_REPORT_CSV },
		{ NULL, TL_REPORT_TEXT }, /* the tables are stored */
	};
	struct temp temp;
	struct asked asked = { .path = make_trace(&temp) };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		asked.sql = cases[i].sql;
		asked.form = cases[i].form;
		assert_true(refuse_each(ask, &asked) > 20);
	}
	temp_close(&temp);
}

/* A value of each kind that is kept as text. */
static int take_values(const void *input, uint64_t *digest)
{
	static const char line[] = "{\"a\":\"x\\u00e9y\",\"b\":{\"c\":[1,2]},\"d\":1.5}";

	(void)input;
	for (char key[] = "a"; *key <= 'd'; (*key)++) {
		struct tl_query_value value = { .type = TL_QUERY_NULL };
		char *text = NULL;
		size_t capacity = 0;
		bool ok =
			tl_query_json_value(line, sizeof(line) - 1, key, &text, &capacity, &value);

		if (ok && value.type == TL_QUERY_TEXT)
			refuse_note(digest, value.text, value.size);
		free(text);
		if (!ok)
			return TL_NO_MEMORY;
	}
	return 0;
}

TEST(values_say_that_memory_ran_out)
{
	assert_int_equal(refuse_each(take_values, NULL), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_say_that_memory_ran_out),
		cmocka_unit_test(values_say_that_memory_ran_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
