/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as YAML (docs/formats/xray.md, 5) with one that is wrong between two that are good: it is
 * told with its place, and the others are kept. Texts that are no records are refused as a whole.
 */
#include "../temp_fixture.h"
#include "../whole_input.h"

#define HEADER                                                                                     \
	"---\nheader:\n  version: 5\n  type: 1\n  constant-tsc: true\n  nonstop-tsc: true\n"       \
	"  cycle-frequency: 1000\n"
#define RECORD(kind, tsc)                                                                          \
	"  - { type: 0, func-id: 1, function: 'f', cpu: 1, thread: 2, process: 2, kind: " kind     \
	", tsc: " tsc ", data: '' }\n"

static int open_text(struct tl_input **input, const char *text, bool strict, struct tl_error *err)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const char *path = temp_write(&temp, "log.yaml", text, strlen(text));

	options.format = "xray";
	options.strict = strict;
	return tl_input_open(input, &path, 1, &options, NULL, err);
}

/* How often a text is in a dump of the input. */
static unsigned dumped_with(struct tl_input *input, const char *what)
{
	struct tl_output *out;
	unsigned count = 0;
	const char *at;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(tl_input_dump(input, TL_REPORT_JSON, out, NULL) >= 0);
	tl_output_write(out, "", 1);
	for (at = tl_output_bytes(out, &(size_t){ 0 }); (at = strstr(at, what)); at++)
		count++;
	tl_output_discard(out);
	return count;
}

/* How many function records it has. */
static unsigned dumped(struct tl_input *input)
{
	return dumped_with(input, "\"function\"");
}

/* ---- names ---- */

/* One record with the name of a function names all, whatever they do and in whatever order. */
TEST(a_name_is_told_once)
{
#define NAMELESS(kind, tsc)                                                                        \
	"  - { type: 0, func-id: 1, cpu: 1, thread: 2, process: 2, kind: " kind ", tsc: " tsc " }" \
	"\n"
	static const char *const texts[] = {
		HEADER "records:\n" RECORD("function-enter", "100")
			NAMELESS("function-exit", "200"),
		HEADER "records:\n" NAMELESS("function-enter", "100")
			RECORD("function-exit", "200"),
		HEADER "records:\n" RECORD("function-enter", "100")
			NAMELESS("function-tail-exit", "200"),
	};
	struct tl_input *input;
	struct tl_error err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(open_text(&input, texts[i], true, &err), 0);
		assert_int_equal(dumped_with(input, "\"name\":\"f\""), 2);
		assert_int_equal(tl_input_damage_count(input, NULL), 0);
		tl_input_close(input);
	}
}

/* ---- fields ---- */

/* Each field has a value of its own, the largest that fits, or with its highest bit set. */
TEST(each_field_is_read)
{
#define TASK " thread: 4294967294, process: 2147483647, "
	static const char text[] =
		HEADER "records:\n"
		       "  - { type: 0, func-id: 268435455, function: 'f', cpu: 65535," TASK
		       "kind: function-tail-exit, tsc: 9000000000000000001, data: '' }\n"
		       "  - { type: 0, func-id: 3, cpu: 258," TASK
		       "kind: function-enter, tsc: 9000000000000000003, data: '' }\n"
		       "  - { type: 65534, func-id: 0, cpu: 4660," TASK
		       "kind: typed-event, tsc: 9000000000000000005, data: 'abc' }\n";
	static const char *const wanted[] = {
		"\"id\":268435455",
		"\"cpu\":65535",
		"\"cpu\":258",
		"\"cpu\":4660",
		"\"thread\":-2",
		"\"process\":2147483647",
		"\"tsc\":9000000000000000001",
		"\"tsc\":9000000000000000003",
		"\"tsc\":9000000000000000005",
		"\"event_type\":65534",
		"\"bytes\":\"616263\"",
	};
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(open_text(&input, text, true, &err), 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!dumped_with(input, wanted[i]))
			fail_msg("nothing has %s", wanted[i]);
	tl_input_close(input);
}

/* ---- one wrong record ---- */

static void want_left_out(const char *record, const char *message)
{
	static const char before[] = HEADER "records:\n" RECORD("function-enter", "100") "  - ",
			  behind[] = RECORD("function-exit", "200") "...\n";
	struct tl_damage damage;
	struct tl_input *input;
	struct tl_error err;
	char text[2048];

	snprintf(text, sizeof(text), "%s%s\n%s", before, record, behind);
	assert_int_equal(open_text(&input, text, false, &err), 0);
	assert_int_equal(dumped(input), 2);
	assert_int_equal(tl_input_damage_count(input, NULL), 1);
	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 1);
	if (strcmp(damage.text, message) != 0)
		fail_msg("%s: \"%s\" instead of \"%s\"", record, damage.text, message);
	assert_int_equal(damage.offset, strlen(before));
	assert_int_equal(damage.length, strlen(record));
	assert_int_equal(damage.record, 1);
	tl_input_close(input);
	/* "if strict, it is an error" */
	assert_int_equal(open_text(&input, text, true, &err), TL_BAD_RECORD);
	assert_string_equal(err.text, message);
	assert_int_equal(err.offset, strlen(before));
}

TEST(a_wrong_record_is_left_out)
{
	static const struct {
		const char *record, *message;
	} rows[] = {
		{ "5", "a record is not a mapping" },
		{ "[ 1, [ 2 ] ]", "a record is not a mapping" },
		{ "{ }", "a record without its kind" },
		{ "{ kind: function-enter, func-id: 1 }", "a record without its tsc" },
		{ "{ kind: function-enter, tsc: 150 }",
		  "a function record without an id of 1 to 28 bits" },
		{ "{ kind: function-enter, tsc: 150, func-id: 0 }",
		  "a function record without an id of 1 to 28 bits" },
		{ "{ kind: function-enter, tsc: 150, func-id: 268435456 }",
		  "a function record without an id of 1 to 28 bits" },
		{ "{ kind: function-enter, tsc: 150, func-id: 4294967296 }",
		  "the func-id does not fit 32 bits, or is not a number" },
		{ "{ kind: function-left, tsc: 150, func-id: 1 }", "an unknown kind of record" },
		{ "{ kind: function-enter, tsc: soon, func-id: 1 }",
		  "the tsc does not fit 64 bits, or is not a number" },
		{ "{ kind: function-enter, tsc: 18446744073709551616, func-id: 1 }",
		  "the tsc does not fit 64 bits, or is not a number" },
		{ "{ kind: function-enter, tsc: 150, func-id: 1, cpu: 65536 }",
		  "the cpu does not fit 16 bits, or is not a number" },
		{ "{ kind: function-enter, tsc: 150, func-id: 1, thread: 4294967296 }",
		  "the thread does not fit 32 bits, or is not a number" },
		{ "{ kind: function-enter, tsc: 150, func-id: 1, process: x }",
		  "the process does not fit 32 bits, or is not a number" },
		{ "{ kind: typed-event, type: 65536, tsc: 150 }",
		  "the type does not fit 16 bits, or is not a number" },
		{ "{ kind: function-enter, tsc: 150, func-id: 1, function: [ f ] }",
		  "the function is not text" },
		{ "{ kind: custom-event, tsc: 150, data: !!binary 'A' }",
		  "the data is neither text nor base64, or too long" },
		{ "{ kind: custom-event, tsc: 150, data: !!binary 'QUJ?' }",
		  "the data is neither text nor base64, or too long" },
		{ "{ kind: custom-event, tsc: 150, data: { } }",
		  "the data is neither text nor base64, or too long" },
		{ "{ kind: function-enter-arg, tsc: 150, func-id: 1, args: 7 }",
		  "the args are not a list" },
		{ "{ kind: function-enter-arg, tsc: 150, func-id: 1, args: [ 7, x ] }",
		  "an argument does not fit 64 bits, or is not a number" },
		{ "{ kind: function-enter-arg, tsc: 150, func-id: 1, args: [ [ 7 ] ] }",
		  "an argument does not fit 64 bits, or is not a number" },
		/* the first of several */
		{ "{ kind: none, tsc: none }", "an unknown kind of record" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want_left_out(rows[i].record, rows[i].message);
}

/* Keys that are not known, in the records and beside them, say nothing. */
TEST(unknown_keys_are_passed_over)
{
	static const char more[] = "  - { kind: function-exit, func-id: 1, function: f, thread: 2, "
				   "tsc: 200, more: { a: [ 1 ] } }\n",
			  start[] =
				  HEADER "  colour: red\nextra: [ 1, { a: b } ]\nrecords:\n" RECORD(
					  "function-enter", "100");
	char text[1024];
	struct tl_input *input;
	struct tl_error err;

	snprintf(text, sizeof(text), "%s%s", start, more);
	assert_int_equal(open_text(&input, text, false, &err), 0);
	assert_int_equal(dumped(input), 2);
	assert_int_equal(tl_input_damage_count(input, NULL), 0);
	tl_input_close(input);
}

/* ---- the whole ---- */

TEST(a_text_that_ends_early_keeps_what_was_before)
{
	static const char whole[] = HEADER "records:\n" RECORD("function-enter", "100"),
			  text[] = HEADER
			  "records:\n" RECORD("function-enter", "100") "  - { kind: 'f";
	struct tl_damage damage;
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(open_text(&input, text, false, &err), 0);
	assert_int_equal(dumped(input), 1);
	assert_int_equal(tl_input_damage_count(input, NULL), 1);
	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 1);
	assert_string_equal(damage.text, "not YAML from here on; kept the records before it");
	assert_true(damage.offset >= strlen(whole) && damage.offset <= strlen(text));
	assert_int_equal(damage.offset + damage.length, strlen(text));
	tl_input_close(input);
	assert_true(open_text(&input, text, true, &err) < 0);
}

TEST(what_is_no_log_is_refused)
{
	static const struct {
		const char *text, *message;
		int status;
	} rows[] = {
		{ HEADER "records: []\n", "the file holds a header and no records", TL_TRUNCATED },
		{ HEADER, "the file holds a header and no records", TL_TRUNCATED },
		{ HEADER "records: 5\n", "the records are not a list", TL_BAD_FORMAT },
		{ "---\nheader: 5\nrecords: []\n# cycle-frequency:\n",
		  "the header is not a mapping", TL_BAD_FORMAT },
		{ "---\nheader:\n  version: [ 5 ]\n  cycle-frequency: 1\n",
		  "a value of the header is not a word", TL_BAD_FORMAT },
		{ "---\nheader:\n  version: 65536\n  cycle-frequency: 1\n",
		  "a value of the header is none that it can be", TL_BAD_FORMAT },
		{ "---\nheader:\n  constant-tsc: perhaps\n  cycle-frequency: 1\n",
		  "a value of the header is none that it can be", TL_BAD_FORMAT },
		{ "---\nheader:\n  cycle-frequency: x\nrecords: []\n",
		  "a value of the header is none that it can be", TL_BAD_FORMAT },
		{ "---\nheader:\n  ? [ a ]\n  : b\n  cycle-frequency: 1\n", "a key is not a word",
		  TL_BAD_FORMAT },
		{ "---\nheader:\n  cycle-frequency: 5\n? [ a ]\n: b\n", "a key is not a word",
		  TL_BAD_FORMAT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_input *input = NULL;
		struct tl_error err;
		int status = open_text(&input, rows[i].text, false, &err);

		if (status != rows[i].status || strcmp(err.text, rows[i].message) != 0)
			fail_msg("%s: %d \"%s\"", rows[i].text, status, status < 0 ? err.text : "");
		assert_null(input);
	}
}

/* What is dumped of a text, as JSON; to be discarded. */
static struct tl_output *dump_of(const char *text)
{
	struct tl_output *out;
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(open_text(&input, text, false, &err), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(tl_input_dump(input, TL_REPORT_JSON, out, NULL) >= 0);
	assert_int_equal(tl_input_damage_count(input, NULL), 0);
	tl_input_close(input);
	return out;
}

static void want_same_dump(const char *one, const char *other)
{
	struct tl_output *a = dump_of(one), *b = dump_of(other);
	size_t size, other_size;
	const char *bytes = tl_output_bytes(a, &size),
		   *other_bytes = tl_output_bytes(b, &other_size);

	assert_int_equal(size, other_size);
	assert_memory_equal(bytes, other_bytes, size);
	tl_output_discard(a);
	tl_output_discard(b);
}

/*
 * Data are of events, arguments of functions (docs/formats/xray.md, 5); a record may have the key
 * of the others.
 */
TEST(data_of_a_function_and_arguments_of_an_event_are_no_matter)
{
#define ENTER "  - { kind: function-enter-arg, func-id: 1, thread: 2, process: 2, tsc: 100, "
#define EVENT "  - { kind: custom-event, thread: 2, process: 2, tsc: 120, "
	static const char plain[] = HEADER "records:\n" ENTER "args: [ 7, 8 ] }\n" EVENT
					   "data: 'abc' }\n" ENTER "}\n" EVENT "}\n";

	want_same_dump(HEADER "records:\n" ENTER
			      "data: 'a longer text than all arguments', args: [ 7, 8 ] }\n" EVENT
			      "data: 'abc', args: [ 1, 2, 3 ] }\n" ENTER
			      "data: 'a longer text than all arguments' }\n" EVENT
			      "args: [ 18446744073709551615, 2, 3, 4 ] }\n",
		       plain);
	want_same_dump(HEADER "records:\n" ENTER "args: [ 7, 8 ], data: 'a longer text' }\n" EVENT
			      "args: [ 1 ], data: 'abc' }\n" ENTER "data: 'x' }\n" EVENT
			      "args: [ ] }\n",
		       plain);
}

TEST(memory_that_runs_out_is_told)
{
	static const char text[] = HEADER "records:\n" RECORD(
		"function-enter",
		"100") "  - { kind: custom-event, thread: 2, tsc: 120, data: !!binary 'QUI=' }\n"
		       "  - { kind: function-enter-arg, func-id: 2, thread: 2, tsc: 150, args: [ "
		       "1, 2 ] }\n"
		       "  - { kind: none }\n" RECORD("function-exit", "200");
	struct whole_input whole = whole_input(temp_write(&temp, "small.yaml", text, strlen(text)));

	whole.use = USE_DUMP;
	whole.form = TL_REPORT_JSON;
	assert_true(refuse_each(whole_step, &whole) > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_told_once),
		cmocka_unit_test(each_field_is_read),
		cmocka_unit_test(a_wrong_record_is_left_out),
		cmocka_unit_test(unknown_keys_are_passed_over),
		cmocka_unit_test(a_text_that_ends_early_keeps_what_was_before),
		cmocka_unit_test(what_is_no_log_is_refused),
		cmocka_unit_test(data_of_a_function_and_arguments_of_an_event_are_no_matter),
		cmocka_unit_test(memory_that_runs_out_is_told),
	};

	return cmocka_run_group_tests_name("xray yaml damage", tests, temp_setup, temp_teardown);
}
