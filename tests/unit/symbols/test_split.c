/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information of a program in the forms that compilers have for it: split in two
 * (-gsplit-dwarf), compressed, of other versions, of another compiler. The oracle is the same code
 * with the debug information in the program, as read beside it; test_lines.c holds that against
 * addr2line.
 */
#include "programs.h"

/* Two sources, with calls that are inlined from a header and from one function into the next. */
static const char source[] = "#include \"h.h\"\n"
			     "int more(int x);\n"
			     "__attribute__((noinline)) int calc(int x)\n"
			     "{\n"
			     "	return twice(x) + more(x);\n"
			     "}\n"
			     "__attribute__((cold)) static void rare(int x)\n"
			     "{\n"
			     "	__builtin_printf(\"%d\\n\", twice(x));\n"
			     "}\n"
			     "int main(int argc, char **)\n"
			     "{\n"
			     "	if (argc > 5)\n"
			     "		rare(argc);\n"
			     "	return calc(argc);\n"
			     "}\n";
static const char other[] = "#include \"h.h\"\n"
			    "int more(int x);\n"
			    "int more(int x)\n"
			    "{\n"
			    "	for (int i = 0; i < 3; i++)\n"
			    "		x ^= twice(x + i);\n"
			    "	return x;\n"
			    "}\n";
static const char header[] = "static volatile int seen;\n"
			     "inline int once(int x)\n"
			     "{\n"
			     "	seen = x;\n"
			     "	return x * 7;\n"
			     "}\n"
			     "inline int twice(int x)\n"
			     "{\n"
			     "	return once(x) + once(x + 1);\n"
			     "}\n";

enum { BYTES = 48, MOST_CHAIN = 8 };

static void same_chain(struct tl_binary *a, struct tl_binary *b, uint64_t at, uint64_t bt)
{
	struct tl_inlined x[MOST_CHAIN], y[MOST_CHAIN];
	size_t count = tl_binary_inlined(a, at, x, sizeof(x[0]), MOST_CHAIN);

	assert_int_equal(tl_binary_inlined(b, bt, y, sizeof(y[0]), MOST_CHAIN), count);
	assert_true(count > 0 && count <= MOST_CHAIN);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(x[i].name, y[i].name);
		assert_string_equal(x[i].call_file, y[i].call_file);
		assert_int_equal(x[i].call_line, y[i].call_line);
		assert_int_equal(x[i].call_column, y[i].call_column);
	}
}

/* @return how many addresses are in inlined code */
static size_t same_function(struct tl_binary *a, struct tl_binary *b, uint64_t at, uint64_t bt)
{
	size_t inlined = 0;

	for (uint64_t i = 0; i < BYTES; i++) {
		struct tl_symbol x, y;

		tl_binary_symbol_at(a, at + i, &x);
		tl_binary_symbol_at(b, bt + i, &y);
		assert_string_equal(x.name, y.name);
		assert_string_equal(x.file, y.file);
		assert_int_equal(x.line, y.line);
		assert_int_equal(x.column, y.column);
		if (x.start != at)
			break;
		same_chain(a, b, at + i, bt + i);
		inlined += tl_binary_inlined(a, at + i, NULL, sizeof(struct tl_inlined), 0) > 1;
	}
	return inlined;
}

/* Both builds tell the same of all their functions, and that is not little. */
static void same_programs(const char *whole, const char *form)
{
	static const char *const functions[] = { "main", "_Z4calci", "_Z4morei", "main.cold" };
	struct tl_binary *a = open_here(whole), *b = open_here(form);
	size_t inlined = 0;
	struct tl_error first;

	/* Where a compiler sets it apart, the code that is seldom run is a range of its own. */
	for (size_t i = 0; i < (run("nm %s | grep -q ' main.cold$'", whole) ? 4u : 3u); i++)
		inlined += same_function(a, b, address_of(whole, functions[i]),
					 address_of(form, functions[i]));
	assert_true(inlined > 10);
	assert_int_equal(tl_binary_faults(a, &first, NULL), 0);
	assert_int_equal(tl_binary_faults(b, &first, NULL), 0);
	tl_binary_close(a);
	tl_binary_close(b);
}

static bool compile(const char *compiler, const char *options, const char *name)
{
	return run("%s -O2 %s -c p.cc -o p.o && %s -O2 %s -c q.cc -o q.o && %s p.o q.o -o %s",
		   compiler, options, compiler, options, compiler, name);
}

TEST(every_form_tells_the_same)
{
	static const struct {
		const char *compiler, *forms[4]; /* the first: in the program */
	} rows[] = {
		{ "g++",
		  { "-g -gdwarf-5", "-g -gdwarf-5 -gsplit-dwarf", "-g -gdwarf-4 -gsplit-dwarf",
		    "-g -gdwarf-4 -gz=zlib" } },
		{ "clang++-19", { "-g -gdwarf-5", "-g -gdwarf-5 -gsplit-dwarf", "-g -gz=zstd" } },
	};

	need_tools();
	for (size_t c = 0; c < 2; c++) {
		const char *const *form = rows[c].forms;

		if (!compile(rows[c].compiler, *form, "whole")) {
			print_message("no %s: skipped\n", rows[c].compiler);
			continue;
		}
		while (++form < rows[c].forms + 4 && *form) {
			assert_true(compile(rows[c].compiler, *form, "form"));
			same_programs("whole", "form");
			must_run("rm -f *.dwo");
		}
	}
}

/* The halves are where the compiler wrote them; without them names and lines are missing. */
TEST(a_half_that_is_missing_is_told)
{
	struct tl_symbol symbol;
	struct tl_binary *binary;
	struct tl_error first = { 0 };

	need_tools();
	assert_true(compile("g++", "-g -gdwarf-5 -gsplit-dwarf", "split"));
	must_run("mv p.dwo kept");
	binary = open_here("split");
	tl_binary_symbol_at(binary, address_of("split", "_Z4calci"), &symbol);
	/* The line table is in the program. */
	assert_string_equal(symbol.name, "calc(int)");
	assert_int_equal(symbol.line, 4);
	assert_int_equal(tl_binary_inlined(binary, address_of("split", "_Z4calci"), NULL,
					   sizeof(struct tl_inlined), 0),
			 0);
	assert_int_equal(tl_binary_inlined(binary, address_of("split", "_Z4morei"), NULL,
					   sizeof(struct tl_inlined), 0),
			 1);
	assert_true(tl_binary_faults(binary, &first, NULL) > 0);
	assert_non_null(first.text);
	tl_binary_close(binary);

	/* The half of another source has another number. */
	must_run("cp q.dwo p.dwo");
	binary = open_here("split");
	assert_int_equal(tl_binary_inlined(binary, address_of("split", "_Z4calci"), NULL,
					   sizeof(struct tl_inlined), 0),
			 0);
	assert_true(tl_binary_faults(binary, &first, NULL) > 0);
	tl_binary_close(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_tells_the_same),
		cmocka_unit_test(a_half_that_is_missing_is_told),
	};

	/* A compiler's cache would give objects that name the .dwo of another time. */
	setenv("CCACHE_DISABLE", "1", 1);
	programs_begin();
	temp_write(&temp, "p.cc", source, sizeof(source) - 1);
	temp_write(&temp, "q.cc", other, sizeof(other) - 1);
	temp_write(&temp, "h.h", header, sizeof(header) - 1);
	int failed = cmocka_run_group_tests_name("symbols split", tests, NULL, NULL);

	temp_close(&temp);
	return failed;
}
