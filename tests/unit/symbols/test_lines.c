/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and names from DWARF, in the file and apart, of programs compiled here. The oracle is
 * binutils' addr2line; for separate files, the same program before it was stripped.
 */

#include "programs.h"

static const char source[] = "namespace app {\n"
			     "int calc(int x);\n"
			     "__attribute__((noinline)) int calc(int x)\n"
			     "{\n"
			     "	return x * 3 + 1;\n"
			     "}\n"
			     "}\n"
			     "extern \"C\" __attribute__((noinline)) int helper(int x)\n"
			     "{\n"
			     "	volatile int y = x;\n"
			     "	for (int i = 0; i < x; i++)\n"
			     "		y += app::calc(i);\n"
			     "	return y;\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	return helper(argc) + (argv == nullptr);\n"
			     "}\n";

/*
 * One address against "FILE:LINE" of addr2line; it may add "(discriminator N)", and "?" says
 * unknown.
 */
static void same_line(struct tl_binary *binary, uint64_t address, char *expected)
{
	struct tl_symbol symbol;
	char *colon = strrchr(expected, ':');

	assert_non_null(colon);
	*colon = '\0';
	tl_binary_symbol_at(binary, address, &symbol);
	assert_string_equal(symbol.file, strcmp(expected, "??") ? expected : "");
	assert_int_equal(symbol.line, strtoul(colon + 1, NULL, 10));
}

/* "file:line of the address through DWARF line table": each byte of the functions. */
TEST(lines_are_those_of_addr2line)
{
	static const char *const builds[] = { "-O0 -fPIE -pie", "-O2 -no-pie", "-O1 -gdwarf-4",
					      "-O1 -gdwarf-3 -no-pie",
					      "-O1 -gz -ffunction-sections" };
	static const char *const functions[] = { "_ZN3app4calcEi", "helper", "main" };

	need_tools();
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		assert_true(run("g++ -g %s p.cc -o built", builds[i]));
		struct tl_binary *binary = open_here("built");
		size_t size, known = 0;

		assert_true(tl_binary_has_lines(binary));
		assert_int_equal(tl_binary_is_pie(binary), !strstr(builds[i], "-no-pie"));
		for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
			uint64_t start = address_of("built", functions[f]);
			char *save = NULL;

			assert_true(run("i=0; while [ $i -lt 24 ]; do printf '0x%%x\\n' $((%llu + "
					"i)); i=$((i "
					"+ 1)); done |"
					" addr2line -e built >expected",
					(unsigned long long)start));
			char *text = temp_read(temp_path(&temp, "expected"), &size);
			char *line = strtok_r(text, "\n", &save);

			for (uint64_t n = 0; n < 24; n++, line = strtok_r(NULL, "\n", &save)) {
				assert_non_null(line);
				known += line[0] != '?';
				same_line(binary, start + n, line);
			}
			free(text);
		}
		assert_true(known >= 20);
		tl_binary_close(binary);
	}
}

/* clang writes no .debug_aranges; a reader that needs them finds no line. */
TEST(units_without_aranges_are_found)
{
	struct tl_symbol symbol;

	need_tools();
	must_run("g++ -g -O1 p.cc -o aranges && objcopy -R .debug_aranges aranges bare");
	struct tl_binary *binary = open_here("bare");

	assert_true(tl_binary_symbol_at(binary, address_of("bare", "helper"), &symbol));
	assert_string_equal(symbol.name, "helper");
	/* Line 9 is "{" alone, where g++ lets a function begin. */
	assert_int_equal(symbol.line, 9);
	assert_int_equal(symbol.column, 1);
	tl_binary_close(binary);
}

/* "for functions whose symbol is missing, DWARF subprogram name (linkage name demangled)" */
TEST(names_come_from_dwarf_without_symbols)
{
	struct tl_symbol symbol;
	uint64_t address;

	need_tools();
	must_run("g++ -g -O1 p.cc -o whole && objcopy -N _ZN3app4calcEi -N helper whole nameless");
	address = address_of("whole", "_ZN3app4calcEi");
	struct tl_binary *binary = open_here("nameless");

	assert_true(tl_binary_symbol_at(binary, address + 1, &symbol));
	assert_string_equal(symbol.name, "app::calc(int)");
	assert_int_equal(symbol.start, address);
	assert_true(symbol.size > 1);
	assert_true(tl_binary_symbol_at(binary, address_of("whole", "helper"), &symbol));
	assert_string_equal(symbol.name, "helper");
	tl_binary_close(binary);
}

/* docs/abi.md: "nothing is written behind the size that the caller gives" */
static void lookups_fill_what_the_caller_has(void **state)
{
	enum { BEHIND = 8, LARGE = 192 };
	union {
		struct tl_symbol symbol;
		struct tl_inlined inlined;
		unsigned char bytes[2 * LARGE];
	} to, before;
	uint64_t address;

	(void)state;
	need_tools();
	must_run("g++ -g -O1 p.cc -o sized");
	address = address_of("sized", "helper");
	struct tl_binary *binary = open_here("sized");

	memset(&before, 0xaa, sizeof(before));
	to = before;
	assert_false(tl_binary_symbol(binary, address, &to.symbol, sizeof(to.symbol) - 1));
	assert_int_equal(tl_binary_inlined(binary, address, &to.inlined, 1, 1), 0);
	assert_memory_equal(&to, &before, sizeof(to));
	assert_true(tl_binary_symbol(binary, address, &to.symbol, sizeof(to.symbol) + BEHIND));
	assert_string_equal(to.symbol.name, "helper");
	assert_int_equal(to.bytes[sizeof(to.symbol)], 0);
	assert_int_equal(to.bytes[sizeof(to.symbol) + BEHIND - 1], 0);
	assert_int_equal(to.bytes[sizeof(to.symbol) + BEHIND], 0xaa);
	to = before;
	/* One function, whose name ends at the caller's size; room for a second one stays. */
	assert_int_equal(tl_binary_inlined(binary, address, &to.inlined, LARGE, 2), 1);
	assert_string_equal(to.inlined.name, "helper");
	assert_int_equal(to.bytes[LARGE - 1], 0);
	assert_int_equal(to.bytes[LARGE], 0xaa);
	assert_int_equal(tl_binary_inlined(binary, address, NULL, sizeof(to.inlined), 0), 1);
	tl_binary_close(binary);
}

/* A stripped program with the debug file of `whole` must tell the same as `whole`. */
static void tells_the_same(const char *stripped)
{
	struct tl_binary *binary = open_here(stripped), *whole = open_here("whole");
	uint64_t start = address_of("whole", "helper");

	assert_true(tl_binary_has_lines(binary));
	for (uint64_t address = start; address < start + 40; address++) {
		struct tl_symbol a, b;

		assert_true(tl_binary_symbol_at(binary, address, &a));
		assert_true(tl_binary_symbol_at(whole, address, &b));
		assert_string_equal(a.name, b.name);
		assert_string_equal(a.file, b.file);
		assert_int_equal(a.line, b.line);
	}
	tl_binary_close(whole);
	tl_binary_close(binary);
}

static void has_no_lines(const char *name)
{
	struct tl_binary *binary = open_here(name);

	assert_false(tl_binary_has_lines(binary));
	tl_binary_close(binary);
}

/* "Separate debug information is found by build-id ..." below the root of debug files. */
TEST(build_ids_find_debug_files)
{
	need_tools();
	must_run("g++ -g -O1 -Wl,--build-id=0xabcdef0123456789 p.cc -o whole && strip whole -o "
		 "stripped &&"
		 " objcopy --only-keep-debug whole apart");
	has_no_lines("stripped");
	must_run("mkdir -p .build-id/ab && cp apart .build-id/ab/cdef0123456789.debug");
	struct tl_binary *binary = open_here("stripped");

	assert_string_equal(tl_binary_build_id(binary), "abcdef0123456789");
	tl_binary_close(binary);
	tells_the_same("stripped");

	/* A file of another build has another build-id: its lines would be wrong. */
	must_run("g++ -g -O0 -Wl,--build-id=0xabcdef0123456780 p.cc -o other && cp other "
		 ".build-id/ab/cdef0123456789.debug");
	has_no_lines("stripped");
	must_run("rm -r .build-id");
}

/* ".gnu_debuglink (same dir, .debug/, <root>/<dir>)", with the checksum of the file it names. */
TEST(debug_links_are_followed)
{
	static const char *const places[] = { ".", "./.debug", NULL };

	need_tools();
	must_run("g++ -g -O1 -Wl,--build-id=none p.cc -o whole && objcopy --only-keep-debug whole "
		 "p.debug &&"
		 " strip whole -o linked && objcopy --add-gnu-debuglink=p.debug linked && mv "
		 "p.debug kept");
	has_no_lines("linked");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char place[600];

		snprintf(place, sizeof(place), "%s%s", places[i] ? "" : temp.directory,
			 places[i] ? places[i] : temp.directory);
		assert_true(run("mkdir -p '%s' && cp kept '%s/p.debug'", place, place));
		tells_the_same("linked");
		assert_true(run("printf x >>'%s/p.debug'", place));
		has_no_lines("linked");
		assert_true(run("rm '%s/p.debug'", place));
	}
}

/* "A damaged/mutated ELF must never crash": DWARF is read too. */
TEST(damaged_dwarf_does_not_crash)
{
	uint64_t random = 88172645463325252;
	size_t size;

	need_tools();
	must_run("g++ -g -O1 p.cc -o sound");
	uint64_t start = address_of("sound", "_ZN3app4calcEi");
	char *sound = temp_read(temp_path(&temp, "sound"), &size);

	for (int i = 0; i < 300; i++) {
		char *mutant = malloc(size);
		struct tl_binary *binary;
		struct tl_symbol symbol;

		memcpy(mutant, sound, size);
		for (int n = 0; n < 40; n++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			/* Debug sections lie in the last two thirds, and the headers stay whole. */
			mutant[size / 4 + (random >> 33) % (size / 2)] = (char)(random >> 20);
		}
		temp_write(&temp, "mutant", mutant, size);
		free(mutant);
		if (tl_binary_open(&binary, temp_path(&temp, "mutant"), 0, true, NULL))
			continue;
		for (uint64_t address = start; address < start + 64; address += 3)
			tl_binary_symbol_at(binary, address, &symbol);
		tl_binary_close(binary);
	}
	free(sound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_those_of_addr2line),
		cmocka_unit_test(units_without_aranges_are_found),
		cmocka_unit_test(names_come_from_dwarf_without_symbols),
		cmocka_unit_test(lookups_fill_what_the_caller_has),
		cmocka_unit_test(build_ids_find_debug_files),
		cmocka_unit_test(debug_links_are_followed),
		cmocka_unit_test(damaged_dwarf_does_not_crash),
	};

	programs_begin();
	temp_write(&temp, "p.cc", source, sizeof(source) - 1);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	temp_close(&temp);
	return failed;
}
