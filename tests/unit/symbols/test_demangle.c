/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "The source form of a mangled C++ or Rust name." Expected C++ names are llvm-cxxfilt-19's; legacy
 * Rust names are the paths of the source without the hash (rustc's "-C
 * symbol-mangling-version=legacy"); v0 names are the examples of RFC 2603 and of the Rust reference
 * on symbol mangling.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include <tracelathe/symbols.h>

struct example {
	const char *mangled, *plain;
};

static void holds(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *plain = tl_demangle(examples[i].mangled);

		assert_string_equal(plain, examples[i].plain);
		free(plain);
	}
}

TEST(cxx_names_are_llvms)
{
	/* clang-format off */
	static const struct example examples[] = {
		{ "_Z7collatzm", "collatz(unsigned long)" },
		{ "_ZN4work12_GLOBAL__N_14anonEj",
		  "work::(anonymous namespace)::anon(unsigned int)" },
		{ "_ZNK4work3MatIdLi8EEplERKS1_",
		  "work::Mat<double, 8>::operator+(work::Mat<double, 8> const&) const" },
		{ "_ZTV3Foo", "vtable for Foo" },
		{ "_ZN3FooC1Ev", "Foo::Foo()" },
		{ "_ZN3FoocvbEv", "Foo::operator bool()" },
		{ "_Zli2_xPKcm", "operator\"\" _x(char const*, unsigned long)" },
		{ "_Z1fB5cxx11v", "f[abi:cxx11]()" },
		{ "_Z3maxIiET_S0_S0_", "int max<int>(int, int)" },
	};
	/* clang-format on */

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

/* "libiberty prints `> >` for nested templates; turn `> >` into `>>` the LLVM way". */
TEST(template_lists_close_without_blanks)
{
	static const struct example examples[] = {
		{ "_ZNSt6vectorISt6threadSaIS0_EED2Ev",
		  "std::vector<std::thread, std::allocator<std::thread>>::~vector()" },
		{ "_Z1fSt6vectorIS_IS_IiSaIiEESaIS1_EESaIS3_EE",
		  "f(std::vector<std::vector<std::vector<int, std::allocator<int>>, "
		  "std::allocator<std::vector<int, std::allocator<int>>>>, "
		  "std::allocator<std::vector<std::vector<int, std::allocator<int>>, "
		  "std::allocator<std::vector<int, std::allocator<int>>>>>>)" },
		{ "_ZgtRK1AS1_", "operator>(A const&, A const&)" },
		{ "_ZrsRK1AS1_", "operator>>(A const&, A const&)" },
		{ "_ZgtI1AIiEEbT_S2_", "bool operator><A<int>>(A<int>, A<int>)" },
	};

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

/* Suffixes of clones as LLVM shows them. */
TEST(clones_keep_their_suffix)
{
	static const struct example examples[] = {
		{ "_Z3foov.cold", "foo() (.cold)" },
		{ "_Z3foov.constprop.0.cold", "foo() (.constprop.0.cold)" },
		{ "_Z3foov.llvm.123456", "foo() (.llvm.123456)" },
	};

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

TEST(legacy_rust_names_lose_their_hash)
{
	/* clang-format off */
	static const struct example examples[] = {
		{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		  "core::fmt::Formatter::write_str" },
		{ "_ZN4main4main17hd2c6a4cfef16a6e1E", "main::main" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		  "3bar17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		{ "_ZN4main4main17hd2c6a4cfef16a6e1E.llvm.42", "main::main" },
	};
	/* clang-format on */

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

TEST(v0_rust_names_are_paths)
{
	static const struct example examples[] = {
		{ "_RNvC7mycrate4main", "mycrate::main" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RNvMNtCs1234_7mycrate3fooNtB2_3Bar3new", "<mycrate::foo::Bar>::new" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
		{ "_RNCNvC7mycrate4main0", "mycrate::main::{closure#0}" },
		/*
		 * From rustc, of `impl<T> Tr for foo::Bar<T> { fn go() { |x| ... } }` in a crate
		 * "r".
		 */
		{ "_RNCNvXNtCs6GmmlP4bgsG_1r3fooINtB4_3BarhENtB4_2Tr2go0B6_",
		  "<r::foo::Bar<u8> as r::foo::Tr>::go::{closure#0}" },
	};

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

/* "a copy of `name` when it is not mangled": names of C that read as C++ type codes among them. */
TEST(other_names_stay)
{
	static const struct example examples[] = {
		{ "main", "main" },
		{ "i", "i" },
		{ "Pc", "Pc" },
		{ "fib", "fib" },
		{ "", "" },
		{ "_", "_" },
		{ "_Z", "_Z" },
		{ "_R", "_R" },
		{ "_Zwrong", "_Zwrong" },
		{ "_start", "_start" },
		{ "_RNvC7mycrate", "_RNvC7mycrate" },
	};

	holds(examples, sizeof(examples) / sizeof(examples[0]));
}

static char *repeat(const char *before, char c, size_t count, const char *after)
{
	char *name = malloc(strlen(before) + count + strlen(after) + 1), *plain;

	assert_non_null(name);
	sprintf(name, "%s%*s%s", before, (int)count, "", after);
	memset(name + strlen(before), c, count);
	plain = tl_demangle(name);
	assert_non_null(plain);
	free(name);
	return plain;
}

/* Templates make names longer than libiberty's own limit of 1024 bytes; the limit that protects the
 * stack is 4096. */
TEST(long_names_are_names)
{
	static const struct {
		size_t count;
		bool plain;
	} cases[] = { { 150, true }, { 409, true }, { 410, false }, { 100000, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = malloc(10 * cases[i].count + 5), *plain;

		assert_non_null(name);
		strcpy(name, "_Z1f");
		for (size_t j = 0; j < cases[i].count; j++)
			memcpy(name + 4 + 10 * j, "9abcdefghi", 11);
		plain = tl_demangle(name);
		assert_non_null(plain);
		/* "f(abcdefghi, ..., abcdefghi)", or the name itself. */
		assert_int_equal(strlen(plain), cases[i].plain ? 11 * cases[i].count + 1
							       : 10 * cases[i].count + 4);
		free(plain);
		free(name);
	}
}

TEST(deep_names_do_not_crash)
{
	static const struct {
		const char *before;
		char c;
		const char *after;
	} cases[] = { { "_Z1f", 'P', "i" },   { "_Z1f", 'F', "i" },      { "_ZN", 'K', "1fE" },
		      { "_Z1fIX", 'n', "E" }, { "_RNvC1a1f", 'I', "E" }, { "_RIC1a", 'R', "uE" },
		      { "_Z1fDT", 'L', "E" }, { "_Z1fILP", 'A', "_E" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		free(repeat(cases[i].before, cases[i].c, 4000, cases[i].after));
}

/* Each substitution doubles the one before: 2^60 types in 300 bytes must not fill the memory. */
TEST(substitutions_do_not_explode)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE", *plain;

	for (unsigned i = 0; i < 33; i++) {
		char next[16];

		/*
		 * S<i>_ is the last A<...>, the one before was S<i - 1>_ (S_ is number 0, S0_
		 * number 1).
		 */
		snprintf(next, sizeof(next), "S_IS%c_S%c_E", digits[i], digits[i]);
		strcat(name, next);
	}
	plain = tl_demangle(name);
	assert_non_null(plain);
	assert_true(strlen(plain) <= 256 * 1024);
	free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cxx_names_are_llvms),
		cmocka_unit_test(template_lists_close_without_blanks),
		cmocka_unit_test(clones_keep_their_suffix),
		cmocka_unit_test(legacy_rust_names_lose_their_hash),
		cmocka_unit_test(v0_rust_names_are_paths),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(long_names_are_names),
		cmocka_unit_test(deep_names_do_not_crash),
		cmocka_unit_test(substitutions_do_not_explode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
