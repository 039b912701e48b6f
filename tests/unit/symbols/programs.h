/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYMBOLS_PROGRAMS_H
#define TESTS_UNIT_SYMBOLS_PROGRAMS_H
/* Programs compiled in a temporary directory, where a compiler and binutils are installed. */
#include "../unit.h"
#include <tracelathe/symbols.h>

#include "symbols/binary.h"
#include "symbols/elf/debug_file.h"
#include "../temp.h"

static struct temp temp;
static bool have_tools;

/* Run a command in the temporary directory. */
__attribute__((format(printf, 1, 2))) static inline bool run(const char *format, ...)
{
	char command[1024];
	int length = snprintf(command, sizeof(command), "cd '%s' && ", temp.directory);
	va_list args;

	va_start(args, format);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, args);
	va_end(args);
	return system(command) == 0;
}

static inline void must_run(const char *command)
{
	assert_true(run("%s", command));
}

static inline void need_tools(void)
{
	if (!have_tools) {
		print_message("no C++ compiler with binutils: skipped\n");
		skip();
	}
}

static inline struct tl_binary *open_here(const char *name)
{
	const struct tl_debug_places places = { temp.directory, NULL };
	struct tl_binary *binary;

	assert_int_equal(
		tl_binary_open_with_places(&binary, temp_path(&temp, name), 0, true, &places, NULL),
		0);
	return binary;
}

/* The address of a symbol as nm has it. */
static inline uint64_t address_of(const char *file, const char *symbol)
{
	size_t size;

	assert_true(run("nm %s | grep ' %s$' >address", file, symbol));
	char *text = temp_read(temp_path(&temp, "address"), &size);
	uint64_t address = strtoull(text, NULL, 16);

	free(text);
	assert_true(address);
	return address;
}

/* The directory, and whether there are tools. */
static inline void programs_begin(void)
{
	static const char program[] = "int main() { return 0; }\n";

	temp_open(&temp);
	temp_write(&temp, "tools.cc", program, sizeof(program) - 1);
	have_tools = run("g++ -g tools.cc -o tools && nm tools >/dev/null && addr2line -e tools 0 "
			 ">/dev/null &&"
			 " objcopy --version >/dev/null");
}

#endif
