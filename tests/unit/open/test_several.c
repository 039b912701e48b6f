/* SPDX-License-Identifier: Apache-2.0 */
/* Several files as one input: one that has the bytes of another is found, and no other one is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../temp.h"
#include "../unit.h"

#include "open/several.h"

/* More than the bytes by which files of one size are told apart first. */
enum { FILES = 6, SIZE = 150000 };

struct files {
	struct temp temp;
	char names[FILES][512];
	const char *paths[FILES];
};

/* File `number` of a size, with another byte at one place. */
static void write_file(struct files *f, size_t number, size_t size, size_t changed, char other)
{
	char *bytes = malloc(size), name[8];

	assert_non_null(bytes);
	memset(bytes, 'a', size);
	bytes[changed] = other;
	snprintf(name, sizeof(name), "%u", (unsigned)number);
	snprintf(f->names[number], sizeof(f->names[number]), "%s",
		 temp_write(&f->temp, name, bytes, size));
	f->paths[number] = f->names[number];
	free(bytes);
}

/* All of one size, and different at one byte. */
static void make_files(struct files *f, size_t size, size_t changed)
{
	temp_open(&f->temp);
	for (size_t i = 0; i < FILES; i++)
		write_file(f, i, size, changed, (char)('b' + i));
}

static const char *copy_among(const struct files *f, size_t count)
{
	const char *failed = NULL;
	struct tl_error err;
	int status = tl_input_distinct(f->paths, count, true, &failed, &err);

	assert_int_equal(status, failed ? TL_BAD_USAGE : 0);
	return failed;
}

static const size_t places[] = { 0, 65535, 65536, SIZE - 1 };

TEST(files_that_differ_anywhere)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct files f;

		make_files(&f, SIZE, places[i]);
		for (size_t count = 1; count <= FILES; count++)
			assert_null(copy_among(&f, count));
		temp_close(&f.temp);
	}
}

/* The one that is given later is told, wherever both are. */
TEST(copies_are_found)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (size_t later = 1; later < FILES; later++) {
			struct files f;

			make_files(&f, SIZE, places[i]);
			write_file(&f, later, SIZE, places[i], (char)('b' + later / 2));
			assert_string_equal(copy_among(&f, FILES), f.names[later]);
			temp_close(&f.temp);
		}
}

TEST(small_and_empty_files)
{
	struct files f;

	make_files(&f, 3, 1);
	assert_null(copy_among(&f, FILES));
	write_file(&f, 4, 3, 1, 'b');
	assert_string_equal(copy_among(&f, FILES), f.names[4]);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(truncate(f.names[i], 0), 0);
	assert_null(copy_among(&f, FILES));
	temp_close(&f.temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_differ_anywhere),
		cmocka_unit_test(copies_are_found),
		cmocka_unit_test(small_and_empty_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
