/* SPDX-License-Identifier: Apache-2.0 */
/* LOG.map beside a recording, as the input uses and tells it (docs/formats/xray.md, 10). */
#include "../xray/bytes.h"

#include <elf.h>

#include <tracelathe/open.h>

#include "../temp_fixture.h"
#include "../xray/program.h"
#include "symbols/binary.h"

/* A log of one call of `function`, and this text beside it. */
static void write_log(uint32_t function, const char *map)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, function, 1);
	put_function(&b, EXIT, function, 1);
	end_block(&b, start);
	temp_write(&temp, "log", b.data, b.size);
	free_bytes(&b);
	if (map)
		temp_write(&temp, "log.map", map, strlen(map));
	else
		unlink(temp_path(&temp, "log.map"));
}

static struct tl_input *open_log(void)
{
	const char *path = temp_path(&temp, "log");
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	return input;
}

/* The name of the one function that was called, and what is told afterwards. */
static void expect(const char *name, size_t told)
{
	struct tl_input *input = open_log();
	struct tl_profile *profile;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	assert_int_equal(tl_profile_function_count(profile), 1);
	assert_string_equal(tl_profile_function(profile, 0)->name, name);
	tl_profile_free(profile);
	assert_int_equal(tl_input_damage_count(input, NULL), told);
	tl_input_close(input);
}

static void expect_told(size_t number, enum tl_status status, const char *path, const char *words)
{
	struct tl_input *input = open_log();
	struct tl_profile *profile;
	struct tl_damage place;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_profile_free(profile);
	assert_true(tl_input_damage_count(input, NULL) > number);
	assert_int_equal(tl_input_damage(input, number, &place, sizeof(place)), 1);
	assert_int_equal(place.status, status);
	assert_non_null(strstr(place.text, words));
	assert_true(place.offset == TL_NOWHERE && place.record == TL_NOWHERE);
	if (path)
		assert_string_equal(place.path, path);
	else
		assert_null(place.path);
	tl_input_close(input);
}

TEST(without_a_map_functions_have_numbers)
{
	char number[16];

	snprintf(number, sizeof(number), "#%d", EXPORTED);
	write_log(EXPORTED, NULL);
	expect(number, 0);
}

/* "ids are of the sleds of this file" */
TEST(names_are_those_of_the_recorded_program)
{
	char map[600], program[512], number[16];

	snprintf(number, sizeof(number), "#%d", EXPORTED);
	make_fixed_program(&temp, "prog", SLEDS);
	snprintf(program, sizeof(program), "%s", temp_path(&temp, "prog"));
	snprintf(map, sizeof(map), "tracelathe-map 1\nbinary - %s\n", program);
	write_log(EXPORTED, map);
	expect("exported", 0);
	/* "its build id is another" */
	snprintf(map, sizeof(map), "tracelathe-map 1\nbinary 0a1b %s\n", program);
	write_log(EXPORTED, map);
	expect(number, 1);
	expect_told(0, TL_BAD_FORMAT, program, "is not the file that was recorded");
	unlink(program);
	expect(number, 1);
	expect_told(0, TL_BAD_FORMAT, program, "is not here any more");
}

/* "ids FIRST to FIRST + SIZE are the segment at ADDRESS of this file" */
TEST(names_are_those_of_the_recorded_objects)
{
	write_log(16, "tracelathe-map 1\nobject 10 100 0x3000 - /nowhere/b\n");
	expect("[b+0x3006]", 1);
	expect_told(0, TL_BAD_FORMAT, "/nowhere/b", "");
}

TEST(what_the_recorder_lost_is_told)
{
	write_log(16, "tracelathe-map 1\nlost 7 No space left\noverwritten 1\ncut\n");
	expect("#16", 3);
	expect_told(0, TL_TRUNCATED, NULL, "could not write all records");
	expect_told(1, TL_OK, NULL, "earlier records were overwritten");
	expect_told(2, TL_OK, NULL, "did not end by exit()");
}

/* Programs that are given count more than what was recorded. */
TEST(a_given_program_replaces_the_recorded_one)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_binary_spec spec = { .path = NULL };
	const char *path;
	struct tl_input *input;
	struct tl_profile *profile;
	char program[512];

	make_fixed_program(&temp, "given", SLEDS);
	snprintf(program, sizeof(program), "%s", temp_path(&temp, "given"));
	write_log(EXPORTED, "tracelathe-map 1\nbinary 0a1b /nowhere/prog\nlost 1 -\n");
	spec.path = program;
	options.programs.binaries = &spec;
	options.programs.binary_count = 1;
	path = temp_path(&temp, "log");
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	assert_string_equal(tl_profile_function(profile, 0)->name, "exported");
	tl_profile_free(profile);
	tl_input_close(input);
}

/* The binary of an object, and what names are looked up in it; NULL: it has none. */
static void expect_binary(const struct tl_input_options *options, const char *object,
			  const char *name)
{
	const char *path = temp_path(&temp, "log");
	struct tl_input *input;
	struct tl_profile *profile;
	struct tl_binary *binary;

	assert_int_equal(tl_input_open(&input, &path, 1, options, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	if (name)
		assert_string_equal(tl_profile_function(profile, 0)->name, name);
	tl_profile_free(profile);
	binary = tl_input_binary(input, object);
	if (name)
		assert_string_equal(tl_binary_path(binary), object);
	else
		assert_null(binary);
	tl_input_close(input);
}

/* Code is read where names are: in the program or object that was recorded, if it still is that. */
TEST(code_is_that_of_the_recorded_files)
{
	char map[600], program[512];

	make_fixed_program(&temp, "prog", SLEDS);
	snprintf(program, sizeof(program), "%s", temp_path(&temp, "prog"));
	snprintf(map, sizeof(map), "tracelathe-map 1\nbinary - %s\n", program);
	write_log(EXPORTED, map);
	expect_binary(NULL, program, "exported");
	expect_binary(NULL, "/nowhere/b", NULL);
	snprintf(map, sizeof(map), "tracelathe-map 1\nobject 1 100 0x3000 0a1b %s\n", program);
	write_log(EXPORTED, map);
	expect_binary(NULL, program, NULL);
	write_log(EXPORTED, NULL);
	expect_binary(NULL, program, NULL);
}

/* "Files without an instrumentation map are read for their code; names are the recorded ones" */
TEST(a_program_without_a_map_keeps_the_recorded_names)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_binary_spec spec = { .path = NULL };
	const char *path, *failed = NULL;
	struct tl_input *input;
	struct tl_error err;
	char map[600], recorded[512];

	make_fixed_program(&temp, "prog", SLEDS);
	snprintf(recorded, sizeof(recorded), "%s", temp_path(&temp, "prog"));
	snprintf(map, sizeof(map), "tracelathe-map 1\nbinary - %s\n", recorded);
	/* This program itself has no such map. */
	spec.path = "/proc/self/exe";
	options.programs.binaries = &spec;
	options.programs.binary_count = 1;
	write_log(EXPORTED, map);
	expect_binary(&options, recorded, "exported");
	/* Nothing was recorded of it. */
	write_log(EXPORTED, NULL);
	path = temp_path(&temp, "log");
	assert_int_equal(tl_input_open(&input, &path, 1, &options, &failed, &err), TL_BAD_FORMAT);
	assert_string_equal(failed, spec.path);
	assert_non_null(strstr(err.text, "has no section xray_instr_map"));
}

/* A map that is damaged would give wrong names: the error has its offset. */
TEST(a_damaged_map_is_an_error)
{
	const char *path, *failed = NULL;
	struct tl_input *input;
	struct tl_error err;

	write_log(16, "tracelathe-map 1\nnonsense\n");
	path = temp_path(&temp, "log");
	assert_int_equal(tl_input_open(&input, &path, 1, NULL, &failed, &err), TL_BAD_FORMAT);
	assert_null(input);
	assert_int_equal(err.offset, 17);
	/* A folder of that name is no map. */
	write_log(16, NULL);
	assert_int_equal(mkdir(temp_path(&temp, "log.map"), 0700), 0);
	expect("#16", 0);
	rmdir(temp_path(&temp, "log.map"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_map_functions_have_numbers),
		cmocka_unit_test(names_are_those_of_the_recorded_program),
		cmocka_unit_test(names_are_those_of_the_recorded_objects),
		cmocka_unit_test(what_the_recorder_lost_is_told),
		cmocka_unit_test(a_given_program_replaces_the_recorded_one),
		cmocka_unit_test(code_is_that_of_the_recorded_files),
		cmocka_unit_test(a_program_without_a_map_keeps_the_recorded_names),
		cmocka_unit_test(a_damaged_map_is_an_error),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
