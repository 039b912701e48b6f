/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace bundles of LLDB: what the description says, what it may not say, what is missing beside it.
 * The golden program `tiny` is their code, so the counts are those of tests/golden/intel_pt.
 */
#include "../temp_fixture.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../whole_input.h"

enum { CODE_BYTES = 643, CODE_VADDR = 0x1000, INSNS = 2936 };
#define CPU                                                                                        \
	"\"cpuInfo\":{\"vendor\":\"GenuineIntel\",\"family\":6,\"model\":\"0x8e\",\"stepping\":"   \
	"10}"
#define MODULE "{\"file\":\"code\",\"systemPath\":\"/no/such\",\"loadAddress\":\"0x401000\"}"
#define HEAD "{\"type\":\"intel-pt\"," CPU ","

static void link_golden(const char *name)
{
	char golden[64];

	snprintf(golden, sizeof(golden), "intel_pt/%s", name);
	assert_int_equal(symlink(whole_path(golden), temp_path(&temp, name)), 0);
}

/* A position-independent file whose only segment is the code of `tiny`. */
static void write_code(void)
{
	uint8_t file[CODE_VADDR + CODE_BYTES] = { 0 };
	const Elf64_Ehdr head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = CODE_VADDR,
		.p_vaddr = CODE_VADDR,
		.p_filesz = CODE_BYTES,
		.p_memsz = CODE_BYTES,
		.p_align = 0x1000,
	};
	size_t size;
	char *code = temp_read(whole_path("intel_pt/tiny.img"), &size);

	assert_non_null(code);
	assert_int_equal(size, CODE_BYTES);
	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), &segment, sizeof(segment));
	memcpy(file + CODE_VADDR, code, CODE_BYTES);
	free(code);
	temp_write(&temp, "code", file, sizeof(file));
}

static int setup(void **state)
{
	temp_setup(state);
	link_golden("tiny.pt");
	link_golden("timed.pt");
	write_code();
	return 0;
}

static char *write_bundle(const char *text)
{
	return strdup(temp_write(&temp, "trace.json", text, strlen(text)));
}

static int open_as(struct tl_input **input, const char *format, const char *text,
		   struct tl_error *err)
{
	const struct tl_input_options options = {
		.size = sizeof(options),
		.format = format,
		.filter = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .cpu = TL_NOWHERE },
	};
	char *path = write_bundle(text);
	const char *paths[] = { path };
	int status = tl_input_open(input, paths, 1, &options, NULL, err);

	free(path);
	return status;
}

static int open_text(struct tl_input **input, const char *text, struct tl_error *err)
{
	return open_as(input, "lldb", text, err);
}

static struct tl_input *opened(const char *text)
{
	struct tl_input *input = NULL;

	assert_int_equal(open_text(&input, text, NULL), 0);
	return input;
}

/* Instructions of all threads, or of those that the profile says more of. */
static int64_t instructions(struct tl_input *input)
{
	struct tl_profile *profile = NULL;
	int64_t count = -1;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		if (!strcmp(tl_profile_event(profile, i)->name, "Ir"))
			count = tl_profile_total(profile)[i];
	tl_profile_free(profile);
	return count;
}

static void expect_info(struct tl_input *input, const char *expected)
{
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_info(input, TL_REPORT_JSON, out, NULL), 0);
	text = tl_output_bytes(out, &size);
	if (size < strlen(expected) || !memmem(text, size, expected, strlen(expected)))
		fail_msg("%s is not in %.*s", expected, (int)size, text);
	tl_output_discard(out);
}

static bool told(struct tl_input *input, const char *begin, const char *end)
{
	uint64_t count = tl_input_damage_count(input, NULL);

	for (size_t i = 0; i < count; i++) {
		struct tl_damage damage;

		assert_int_equal(tl_input_damage(input, i, &damage, sizeof(damage)), 1);
		if (!strncmp(damage.text, begin, strlen(begin)) && strstr(damage.text, end))
			return true;
	}
	return false;
}

/* "numbers may be texts, hexadecimal with 0x"; "uuid, triple: passed over" */
static const char two_processes[] = HEAD
	"\"kernel\":null,\"cpus\":null,\"processes\":["
	"{\"pid\":1,\"triple\":\"x86_64\",\"threads\":[{\"tid\":\"0xa\",\"iptTrace\":\"tiny.pt\"},"
	"{\"tid\":11}],\"modules\":[" MODULE "]},"
	"{\"threads\":[{\"tid\":\"12\",\"iptTrace\":\"timed.pt\"}],"
	"\"modules\":[{\"uuid\":\"a\",\"systemPath\":\"code\",\"loadAddress\":4198400}],\"pid\":2}]"
	","
	"\"tscPerfZeroConversion\":{\"timeMult\":2097152,\"timeShift\":20,\"timeZero\":\"0x10\"}}";

/* 10^9 * 2^20 / 2^21 ticks a second. */
TEST(threads_of_two_processes_run_their_own_code)
{
	struct tl_input *input = opened(two_processes);
	char *path = strdup(temp_path(&temp, "code"));
	uint8_t code[8] = { 0 };
	size_t size;
	char *image = temp_read(whole_path("intel_pt/tiny.img"), &size);

	assert_string_equal(tl_input_format(input)->name, "lldb");
	expect_info(input, "\"intel\":true,\"family\":6,\"model\":142,\"stepping\":10");
	expect_info(input, "\"frequency\":500000000,\"timed\":true");
	expect_info(input, "\"pid\":1,\"modules\":1,\"threads\":[{\"tid\":10,");
	expect_info(input, "\"pid\":2,\"modules\":1,\"threads\":[{\"tid\":12,");
	expect_info(input, "\"bytes\":381");
	expect_info(input, "\"bytes\":1672");
	assert_int_equal(instructions(input), 2 * INSNS);
	/* Its path is joined as one would write it; the file has no symbols. */
	assert_true(told(input, "no names for the code of ", path));
	assert_int_equal(tl_input_damage_count(input, NULL), 1);
	/* As often as it is asked. */
	assert_int_equal(instructions(input), 2 * INSNS);
	assert_int_equal(tl_input_code(input, path, 0x401010, code, sizeof(code)), sizeof(code));
	assert_memory_equal(code, image + 0x10, sizeof(code));
	assert_int_equal(tl_input_code(input, path, 0x400010, code, sizeof(code)), 0);
	assert_int_equal(tl_input_code(input, "other", 0x401010, code, sizeof(code)), 0);
	free(image);
	free(path);
	tl_input_close(input);
}

/* Code is that of any of the files: in the second one it is elsewhere. */
TEST(code_of_the_second_of_two_bundles)
{
	static const char processes[] =
		HEAD "\"processes\":[{\"threads\":[{\"iptTrace\":\"tiny.pt\"}],\"modules\":["
		     "{\"file\":\"code\",\"loadAddress\":\"0x%x\"}]}]}";
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	char *object = strdup(temp_path(&temp, "code")), *files[3];
	uint8_t code[3][8] = { { 0 } };
	struct tl_input *input;

	for (unsigned i = 0; i < 3; i++) {
		char text[512], name[16];

		snprintf(name, sizeof(name), "bundle%u", i);
		snprintf(text, sizeof(text), processes, 0x401000 + 0x100000 * i);
		files[i] = strdup(temp_write(&temp, name, text, strlen(text)));
	}
	options.format = "lldb";
	assert_int_equal(tl_input_open(&input, (const char *const *)files, 3, &options, NULL, NULL),
			 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tl_input_code(input, object, 0x401010 + 0x100000 * i, code[i],
					       sizeof(code[i])),
				 sizeof(code[i]));
	assert_memory_equal(code[0], code[1], sizeof(code[0]));
	assert_memory_equal(code[0], code[2], sizeof(code[0]));
	assert_int_equal(tl_input_code(input, object, 0x701010, code[0], sizeof(code[0])), 0);
	tl_input_close(input);
	for (unsigned i = 0; i < 3; i++)
		free(files[i]);
	free(object);
}

/* LLDB writes null, or nothing, for what it does not know. */
TEST(what_is_not_said_is_not_known)
{
	struct tl_input *input =
		opened("{\"tscPerfZeroConversion\":null,\"cpuInfo\":{\"vendor\":\"other\","
		       "\"family\":\"23\",\"more\":[{}]},\"processes\":[{\"pid\":3,"
		       "\"threads\":[{\"iptTrace\":\"tiny.pt\"}],\"modules\":[" MODULE
		       "]}],\"type\":\"intel-pt\"}");

	expect_info(input, "\"intel\":false,\"family\":23,\"model\":0,\"stepping\":0");
	expect_info(input, "\"frequency\":0,\"timed\":false");
	assert_int_equal(instructions(input), INSNS);
	tl_input_close(input);
}

/* A conversion that no kernel writes gives no frequency. */
TEST(a_conversion_that_cannot_be_is_none)
{
	static const char *const rows[] = {
		"\"timeMult\":0,\"timeShift\":20",
		"\"timeMult\":1,\"timeShift\":33",
		"\"timeShift\":20",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		struct tl_input *input;

		snprintf(text, sizeof(text),
			 HEAD "\"processes\":[{\"threads\":[{\"iptTrace\":\"tiny.pt\"}]}],"
			      "\"tscPerfZeroConversion\":{%s}}",
			 rows[i]);
		input = opened(text);
		expect_info(input, "\"frequency\":0,");
		tl_input_close(input);
	}
}

/* "A file that is not there ... costs its thread"; "One that cannot be read costs its code" */
TEST(what_is_missing_costs_its_own)
{
	struct tl_input *input =
		opened(HEAD "\"cpus\":[{\"id\":0}],\"processes\":[{\"pid\":1,\"threads\":["
			    "{\"tid\":1,\"iptTrace\":\"/no/such/trace\"},"
			    "{\"tid\":2,\"iptTrace\":\"tiny.pt\"}],"
			    "\"modules\":[{\"file\":\"tiny.pt\",\"loadAddress\":0}," MODULE "]}]}");

	assert_int_equal(instructions(input), INSNS);
	assert_true(told(input, "no trace /no/such/trace: ", "o"));
	assert_true(told(input, "no code of ", "/tiny.pt: "));
	assert_true(told(input, "left out: cpus: ", "tscPerfZeroConversion"));
	assert_true(told(input, "no names for the code of ", "/code: "));
	assert_int_equal(tl_input_damage_count(input, NULL), 4);
	tl_input_close(input);
}

/* "Where a member is not what it should be, the byte is named": here that behind the mark. */
TEST(a_description_is_refused_at_its_byte)
{
	static const struct {
		const char *text, *fault;
	} rows[] = {
		{ "#", "the text ends inside a value; kept what is before it" },
		{ "#[]", "an object is expected here" },
		{ "{\"cpuInfo\":#[]}", "an object is expected here" },
		{ "{\"processes\":#{}}", "an array is expected here" },
		{ "{\"processes\":[#1]}", "an object is expected here" },
		{ "{\"processes\":[{\"threads\":#7}]}", "an array is expected here" },
		{ "{\"processes\":[{\"modules\":#null}]}", "an array is expected here" },
		{ "{\"processes\":[{\"modules\":[{\"loadAddress\":1#}]}]}",
		  "a module without a path" },
		{ "{\"processes\":[{\"modules\":[{\"file\":#1}]}]}", "a text is expected here" },
		{ "{\"processes\":[{\"modules\":[{\"file\":#\"a\\u0000\"}]}]}",
		  "a zero byte in a text" },
		{ "{\"processes\":[{\"pid\":#true}]}", "a number is expected here" },
		{ "{\"processes\":[{\"pid\":#\"00000000000000000000000000000001\"}]}",
		  "a number is expected here" },
		{ "{\"processes\":[{\"pid\":#-1}]}", "this is not a number of 64 bits" },
		{ "{\"processes\":[{\"pid\":#\"\"}]}", "this is not a number of 64 bits" },
		{ "{\"processes\":[{\"pid\":#\"1g\"}]}", "this is not a number of 64 bits" },
		{ "{\"processes\":[{\"pid\":#18446744073709551616}]}",
		  "this is not a number of 64 bits" },
		{ "{\"cpuInfo\":{\"family\":#65536}}", "no processor has such a number" },
		{ "{\"cpuInfo\":{\"model\":#256}}", "no processor has such a number" },
		{ "{\"cpuInfo\":{\"stepping\":#\"0x100\"}}", "no processor has such a number" },
		{ "{\"cpuInfo\":{\"vendor\":#null}}", "a text is expected here" },
		{ "{\"tscPerfZeroConversion\":{\"timeMult\":#[]}}", "a number is expected here" },
		{ "{\"tscPerfZeroConversion\":{\"timeShift\":#{}}}", "a number is expected here" },
		{ "{\"other\":[1,#?]}", "not a value of JSON" },
		{ "{\"processes\":[#?]}", "not a value of JSON" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_error err = { .status = 0 };
		struct tl_input *input = NULL;
		size_t at = strcspn(rows[i].text, "#");
		char text[256];

		snprintf(text, sizeof(text), "%.*s%s", (int)at, rows[i].text,
			 rows[i].text + at + 1);
		if (open_text(&input, text, &err) >= 0)
			fail_msg("%s is taken", text);
		tl_input_close(input);
		if (strcmp(err.text, rows[i].fault) != 0 || err.offset != at)
			fail_msg("%s: %s at %d", text, err.text, (int)err.offset);
		assert_string_equal(err.format, "lldb");
	}
}

static void refused(const char *text, enum tl_status status, const char *why)
{
	struct tl_error err = { .status = 0 };
	struct tl_input *input = NULL;

	assert_int_equal(open_text(&input, text, &err), status);
	assert_non_null(strstr(err.text, why));
	tl_input_close(input);
}

TEST(a_bundle_without_a_trace_is_refused)
{
	refused(HEAD "\"processes\":[{\"pid\":1,\"threads\":[{\"tid\":1}]}]}", TL_BAD_FORMAT,
		"no thread of the bundle has a trace");
	refused(HEAD "\"cpus\":[{}],\"processes\":[]}", TL_BAD_FORMAT, "tscPerfZeroConversion");
	refused(HEAD "\"cpus\":[1],\"processes\":[]}", TL_BAD_FORMAT, "an object");
}

/* Each prefix of a whole description is refused, and the byte where it ends is within it. */
TEST(a_description_that_is_cut_short_is_refused)
{
	char text[sizeof(two_processes)];

	for (size_t size = 0; size < sizeof(two_processes) - 1; size++) {
		struct tl_error err = { .status = 0 };
		struct tl_input *input = NULL;

		memcpy(text, two_processes, size);
		text[size] = '\0';
		assert_true(open_text(&input, text, &err) < 0);
		tl_input_close(input);
		assert_true(err.offset <= size);
	}
}

/* Recognised by the type, or by two members that LLDB writes before it. */
TEST(the_beginning_says_what_it_is)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ " \t\r\n{\"type\":\"intel-pt\"", true },
		{ "{\"cpuInfo\":{},\"processes\":[", true },
		{ "{\"cpuInfo\":{},\"other\":[", false },
		{ "{\"processes\":[", false },
		{ "[\"intel-pt\"", false },
		{ " ", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_error err = { .status = 0 };
		struct tl_input *input = NULL;

		assert_true(open_as(&input, NULL, rows[i].text, &err) < 0);
		tl_input_close(input);
		if (rows[i].is != (err.format && !strcmp(err.format, "lldb")))
			fail_msg("%s: %s", rows[i].text, err.text);
	}
}

/*
 * UAPI: struct { header; next_prev_pid, next_prev_tid; sample_id: pid, tid; time }, of one thread
 * that comes. A processor that runs thread 5 of process 1 alone gives all that `tiny` ran.
 */
#define PROCESSOR                                                                                  \
	HEAD "\"cpus\":[{\"id\":\"0x3\",\"iptTrace\":\"tiny.pt\",\"contextSwitchTrace\":"          \
	     "\"switches\"}],\"tscPerfZeroConversion\":{\"timeMult\":1,\"timeShift\":0,"           \
	     "\"timeZero\":0},\"processes\":[{\"pid\":%u,\"modules\":[" MODULE "]}]}"

static void write_switch(void)
{
	const uint32_t record[8] = { 15, 32u << 16, 0, 0, 1, 5, 0, 0 };

	temp_write(&temp, "switches", record, sizeof(record));
}

TEST(a_processor_that_runs_one_thread)
{
	char text[sizeof(PROCESSOR)];
	struct tl_input *input;

	write_switch();
	snprintf(text, sizeof(text), PROCESSOR, 1u);
	input = opened(text);
	assert_int_equal(instructions(input), INSNS);
	expect_info(input, "\"cpus\":[{\"cpu\":3,");
	assert_int_equal(tl_input_damage_count(input, NULL), 1); /* `code` has no symbols */
	tl_input_close(input);
	/* A process that is not described: its code is nobody's, and that is told. */
	snprintf(text, sizeof(text), PROCESSOR, 2u);
	input = opened(text);
	assert_true(instructions(input) <= 0);
	assert_true(told(input, "", "processes that the bundle does not describe"));
	tl_input_close(input);
}

/* All bytes of all processors that ran it. */
TEST(processors_that_run_what_is_not_described)
{
	static const char cpu[] = "{\"id\":%u,\"iptTrace\":\"tiny.pt\","
				  "\"contextSwitchTrace\":\"switches\"}%s";
	char text[1024] = HEAD "\"cpus\":[", said[64];
	struct tl_input *input;
	struct stat trace;

	write_switch();
	for (unsigned i = 0; i < 3; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), cpu, i,
			 i < 2 ? "," : "],");
	strcat(text, "\"tscPerfZeroConversion\":{\"timeMult\":1,\"timeShift\":0,\"timeZero\":0},"
		     "\"processes\":[{\"pid\":2,\"modules\":[" MODULE "]}]}");
	input = opened(text);
	assert_true(instructions(input) <= 0);
	assert_int_equal(stat(temp_path(&temp, "tiny.pt"), &trace), 0);
	snprintf(said, sizeof(said), "%llu bytes of trace", 3 * (unsigned long long)trace.st_size);
	assert_true(told(input, said, "processes that the bundle does not describe"));
	tl_input_close(input);
}

/* "kernel": it is the program of whatever ran on a processor. */
TEST(a_processor_that_runs_the_kernel)
{
	struct tl_input *input =
		opened(HEAD "\"cpus\":[{\"id\":3,\"iptTrace\":\"tiny.pt\"}],\"kernel\":{"
			    "\"loadAddress\":\"0x401000\",\"file\":\"code\"}}");

	assert_int_equal(instructions(input), INSNS);
	tl_input_close(input);
}

static void refuse(const char *path, enum use use)
{
	struct whole_input whole = whole_input(path);

	whole.use = use;
	assert_true(refuse_each(whole_step, &whole) > 20);
}

TEST(without_memory)
{
	char *path = write_bundle(
		HEAD "\"cpus\":[{}],\"processes\":[{\"pid\":1,\"threads\":[{\"tid\":1,\"iptTrace\":"
		     "\"/no/such\"},{\"tid\":2,\"iptTrace\":\"tiny.pt\"}],\"modules\":[" MODULE
		     ",{\"file\":\"nothing\"}]}]}");

	refuse(path, USE_FOLD);
	refuse(path, USE_INFO);
	free(path);
}

TEST(without_memory_for_processors)
{
	char text[sizeof(PROCESSOR)], *path;

	write_switch();
	snprintf(text, sizeof(text), PROCESSOR, 1u);
	path = write_bundle(text);
	refuse(path, USE_FOLD);
	refuse(path, USE_INFO);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_two_processes_run_their_own_code),
		cmocka_unit_test(code_of_the_second_of_two_bundles),
		cmocka_unit_test(what_is_not_said_is_not_known),
		cmocka_unit_test(a_conversion_that_cannot_be_is_none),
		cmocka_unit_test(what_is_missing_costs_its_own),
		cmocka_unit_test(a_description_is_refused_at_its_byte),
		cmocka_unit_test(a_bundle_without_a_trace_is_refused),
		cmocka_unit_test(a_description_that_is_cut_short_is_refused),
		cmocka_unit_test(the_beginning_says_what_it_is),
		cmocka_unit_test(a_processor_that_runs_one_thread),
		cmocka_unit_test(processors_that_run_what_is_not_described),
		cmocka_unit_test(a_processor_that_runs_the_kernel),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(without_memory_for_processors),
	};

	return cmocka_run_group_tests_name("open lldb", tests, setup, temp_teardown);
}
