/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several programs and shared objects ran: the trace names none, its functions and their
 * records decide (docs/formats/xray.md section 5). The programs are those of ../xray/program.h, in
 * which one function has a name: EXPORTED.
 */
#include "../xray/bytes.h"

#include <elf.h>
#include <sys/stat.h>

#include <tracelathe/open.h>

#include "../temp_fixture.h"
#include "../xray/program.h"

/* A trace that enters and leaves these functions, closed by 0, one after the other. */
static void write_trace(const uint32_t *functions)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	for (; *functions; functions++) {
		put_function(&b, ENTER, *functions, 1);
		put_function(&b, EXIT, *functions, 1);
	}
	end_block(&b, start);
	temp_write(&temp, "trace", b.data, b.size);
	free_bytes(&b);
}

struct answer {
	int status;
	char failed[512];   /* the file that opening complained about */
	bool named;         /* EXPORTED has its name */
	size_t damage;      /* places */
	char paths[4][512]; /* of each, "" where it has none */
	char texts[4][200];
	enum tl_status statuses[4];
};

static void list_damage(struct tl_input *input, struct answer *a)
{
	struct tl_damage place;

	a->damage = (size_t)tl_input_damage_count(input, NULL);
	for (size_t i = 0; i < 4 && tl_input_damage(input, i, &place, sizeof(place)) == 1; i++) {
		snprintf(a->paths[i], sizeof(a->paths[i]), "%s", place.path ? place.path : "");
		snprintf(a->texts[i], sizeof(a->texts[i]), "%s", place.text);
		a->statuses[i] = place.status;
	}
}

/* Fold the trace with these files of the directory, up to NULL. */
static struct answer ask(const char *const *names)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_binary_spec specs[4] = { { .path = NULL } };
	struct answer a = { .status = 0 };
	const char *failed = NULL, *path;
	struct tl_profile *profile;
	struct tl_input *input;
	struct tl_error err;

	for (; names[options.programs.binary_count]; options.programs.binary_count++)
		specs[options.programs.binary_count].path =
			strdup(temp_path(&temp, names[options.programs.binary_count]));
	options.programs.binaries = specs;
	path = temp_path(&temp, "trace");
	a.status = tl_input_open(&input, &path, 1, &options, &failed, &err);
	if (a.status == 0) {
		assert_int_equal(tl_input_fold(input, &profile, &err), 0);
		for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
			a.named |= !strcmp(tl_profile_function(profile, i)->name, "exported");
		tl_profile_free(profile);
		list_damage(input, &a);
		tl_input_close(input);
	} else {
		snprintf(a.failed, sizeof(a.failed), "%s", failed);
	}
	for (size_t i = 0; i < options.programs.binary_count; i++)
		free((char *)(uintptr_t)specs[i].path);
	return a;
}

static void assert_at(const char *path, const char *name)
{
	assert_string_equal(path, temp_path(&temp, name));
}

#define ASK(...) ask((const char *const[]){ __VA_ARGS__, NULL })
#define TRACE(...) write_trace((const uint32_t[]){ __VA_ARGS__, 0 })

static void make_both(void)
{
	make_fixed_program(&temp, "whole", SLEDS);
	make_fixed_program(&temp, "small", THROUGH);
}

/* "The first such file is chosen", in whatever order they are given; the other one is told. */
TEST(a_program_that_lacks_a_function)
{
	make_both();
	TRACE(CALLER, LEAF, EXPORTED);
	for (int order = 0; order < 2; order++) {
		struct answer a = order ? ASK("whole", "small") : ASK("small", "whole");

		assert_int_equal(a.status, 0);
		assert_true(a.named);
		assert_int_equal(a.damage, 1);
		assert_int_equal(a.statuses[0], TL_BAD_FORMAT);
		assert_at(a.paths[0], "small");
		assert_non_null(strstr(a.texts[0], "does not have"));
	}
}

/* A function whose sleds do not write the trace's records refutes a program, too. */
TEST(a_program_without_the_sleds)
{
	make_both();
	TRACE(BAD_STUB, EXPORTED);
	struct answer a = ASK("whole");

	assert_int_equal(a.status, 0);
	assert_false(a.named);
	assert_int_equal(a.damage, 1);
	assert_at(a.paths[0], "whole");
	assert_non_null(strstr(a.texts[0], "exits of a function that has no sled"));
}

/* Two files that both can be it: names are those of the first, and this is told. */
TEST(two_programs_that_can_be_it)
{
	make_both();
	TRACE(CALLER, LEAF);
	struct answer a = ASK("small", "whole");

	assert_int_equal(a.damage, 2);
	assert_at(a.paths[0], "small");
	assert_non_null(strstr(a.texts[0], "has no function names"));
	assert_at(a.paths[1], "whole");
	assert_non_null(strstr(a.texts[1], "as could another of the given files"));
}

/* "programs come before shared objects" */
TEST(a_shared_object_in_the_place_of_a_program)
{
	make_both();
	make_program(&temp, "object.so", EM_X86_64);
	TRACE(CALLER, EXPORTED);
	struct answer a = ASK("object.so", "whole");

	assert_true(a.named);
	assert_int_equal(a.damage, 0); /* the object ran nothing: nothing is said of it */
	TRACE(CALLER, EXPORTED);
	a = ASK("object.so");
	assert_true(a.named);
	assert_int_equal(a.damage, 0);
}

/* Functions of object 1: the first file that is left and has them. */
TEST(functions_of_a_shared_object)
{
	enum { FIRST = 1 << 24, SECOND = 2 << 24 };
	struct answer a;

	make_both();
	make_program(&temp, "object.so", EM_X86_64);
	TRACE(CALLER, FIRST | EXPORTED);
	a = ASK("small", "object.so");
	assert_true(a.named);
	assert_int_equal(a.damage, 1); /* small has no names */
	assert_at(a.paths[0], "small");
	a = ASK("whole");
	assert_false(a.named);
	assert_int_equal(a.damage, 2);
	assert_non_null(strstr(a.texts[1], "none of the given files is that object"));
	assert_string_equal(a.paths[1], "");
	TRACE(CALLER, FIRST | LEAF, SECOND | EXPORTED);
	a = ASK("small", "object.so");
	assert_false(a.named);
	assert_non_null(strstr(a.texts[a.damage - 1], "none of the given files is that object"));
}

/* Two files that can be either object: their order tells, which is said; a folder has none. */
TEST(shared_objects_that_their_order_tells_apart)
{
	enum { FIRST = 1 << 24, SECOND = 2 << 24, THIRD = 3 << 24 };
	struct answer a;

	make_both();
	make_program(&temp, "object.so", EM_X86_64);
	make_program(&temp, "other.so", EM_X86_64);
	TRACE(CALLER, FIRST | LEAF, SECOND | EXPORTED);
	a = ASK("small", "object.so", "other.so");
	assert_true(a.named);
	assert_non_null(strstr(a.texts[a.damage - 1], "by the order of the given files alone"));
	assert_int_equal(a.statuses[a.damage - 1], TL_OK);
	/* Nothing ran of the second object. */
	TRACE(CALLER, FIRST | LEAF, THIRD | EXPORTED);
	a = ASK("small", "object.so", "other.so");
	assert_true(a.named);
	assert_non_null(strstr(a.texts[a.damage - 1], "may have the names of another one"));
	assert_int_equal(a.statuses[a.damage - 1], TL_BAD_FORMAT);
	/* The same file twice, as it was loaded twice: nothing is unsure. */
	TRACE(CALLER, FIRST | LEAF, SECOND | EXPORTED);
	a = ASK("small", "object.so", "object.so");
	assert_true(a.named);
	for (size_t i = 0; i < a.damage; i++)
		assert_non_null(strstr(a.texts[i], "has no function names"));
	assert_int_equal(mkdir(temp_path(&temp, "objects"), 0755), 0);
	make_program(&temp, "objects/object.so", EM_X86_64);
	make_program(&temp, "objects/other.so", EM_X86_64);
	a = ASK("small", "objects");
	assert_true(a.named);
	assert_non_null(strstr(a.texts[a.damage - 1], "may have the names of another one"));
}

/*
 * "the field keeps 28 bits, so only 4 object bits survive" (2.2): object 16 is written as 0, so it
 * can be hidden where there are 15.
 */
TEST(as_many_shared_objects_as_records_tell_apart)
{
	enum { LAST = 15 << 24, BEFORE = 14 << 24 };
	static const char told[] = "those of a 16th would be shown as functions of the program";
	struct answer a;

	make_both();
	make_program(&temp, "object.so", EM_X86_64);
	TRACE(CALLER, LAST | EXPORTED);
	a = ASK("small", "object.so");
	assert_true(a.named);
	assert_non_null(strstr(a.texts[a.damage - 1], told));
	assert_int_equal(a.statuses[a.damage - 1], TL_OK);
	/* Beside what else is to be said of objects. */
	a = ASK("small");
	assert_non_null(strstr(a.texts[a.damage - 2], "none of the given files is that object"));
	assert_non_null(strstr(a.texts[a.damage - 1], told));
	TRACE(CALLER, BEFORE | EXPORTED);
	a = ASK("small", "object.so");
	for (size_t i = 0; i < a.damage; i++)
		assert_null(strstr(a.texts[i], told));
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(temp_path(&temp, name), 0755), 0);
}

/* Of a folder every file is tried; those that are not it are passed over in silence. */
TEST(a_folder_of_programs)
{
	struct answer a;

	make_folder("folder");
	make_folder("folder/below");
	temp_write(&temp, "folder/README", "text", 4);
	make_fixed_program(&temp, "folder/a_small", THROUGH);
	make_fixed_program(&temp, "folder/b_whole", SLEDS);
	TRACE(CALLER, LEAF, EXPORTED);
	a = ASK("folder");
	assert_int_equal(a.status, 0);
	assert_true(a.named);
	assert_int_equal(a.damage, 0);
}

TEST(a_folder_without_the_program)
{
	struct answer a;

	make_folder("wrong");
	make_fixed_program(&temp, "wrong/one", THROUGH);
	make_fixed_program(&temp, "wrong/two", LEAF);
	TRACE(EXPORTED);
	a = ASK("wrong");
	assert_int_equal(a.status, 0);
	assert_false(a.named);
	assert_int_equal(a.damage, 1); /* once for all of its files */
	assert_at(a.paths[0], "wrong");
	assert_non_null(strstr(a.texts[0], "no file in this folder can be the program that ran"));
}

TEST(a_folder_without_any_map)
{
	struct answer a;

	make_folder("empty");
	temp_write(&temp, "empty/README", "text", 4);
	TRACE(CALLER);
	a = ASK("empty");
	assert_int_equal(a.status, TL_BAD_FORMAT);
	assert_at(a.failed, "empty");
}

/* A file that is missing is damage where another one serves, else an error. */
TEST(a_missing_file)
{
	struct answer a;

	make_both();
	TRACE(CALLER, EXPORTED);
	a = ASK("whole", "missing");
	assert_int_equal(a.status, 0);
	assert_true(a.named);
	assert_int_equal(a.damage, 1);
	assert_at(a.paths[0], "missing");
	assert_int_equal(a.statuses[0], TL_IO);
	a = ASK("missing", "whole");
	assert_true(a.named);
	assert_int_equal(a.damage, 1);
	a = ASK("missing");
	assert_int_equal(a.status, TL_IO);
	assert_at(a.failed, "missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_lacks_a_function),
		cmocka_unit_test(a_program_without_the_sleds),
		cmocka_unit_test(two_programs_that_can_be_it),
		cmocka_unit_test(a_shared_object_in_the_place_of_a_program),
		cmocka_unit_test(functions_of_a_shared_object),
		cmocka_unit_test(as_many_shared_objects_as_records_tell_apart),
		cmocka_unit_test(shared_objects_that_their_order_tells_apart),
		cmocka_unit_test(a_folder_of_programs),
		cmocka_unit_test(a_folder_without_the_program),
		cmocka_unit_test(a_folder_without_any_map),
		cmocka_unit_test(a_missing_file),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
