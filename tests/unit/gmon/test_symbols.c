/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of addresses, by programs whose symbols are drawn: "an address behind the end of a
 * function and before the next one belongs to it", as far as functions are aligned; others are of
 * no function, and counted.
 */
#include "../temp_fixture.h"

#include <stdio.h>

#include <tracelathe/profile.h>

#include "../chance.h"
#include "../symbols/make_elf.h"
#include "gmon/symbols.h"
#include "profile/model/model.h"
#include "symbols/binary.h"

enum { TEXT_AT = 0x1000, TEXT_SIZE = 0x800, FUNCTIONS = 30, PADDING = 64 };

struct drawn {
	struct {
		uint64_t start, size;
		char name[16];
	} functions[FUNCTIONS];
	unsigned count;
};

/* One behind the other, with gaps on both sides of what an alignment makes. */
static void draw(struct drawn *d, uint32_t *seed)
{
	static const unsigned gaps[] = { 0, 1, 15, 63, 64, 65, 200 };
	uint64_t at = TEXT_AT + chance(seed, 100);

	for (d->count = 0; d->count < FUNCTIONS; d->count++) {
		const uint64_t size = 1 + chance(seed, 60);

		if (at + size > TEXT_AT + TEXT_SIZE)
			break;
		d->functions[d->count].start = at;
		d->functions[d->count].size = size;
		snprintf(d->functions[d->count].name, sizeof(d->functions[d->count].name), "f%u",
			 d->count);
		at += size + gaps[chance(seed, 7)];
	}
}

static const char *write_program(const struct drawn *d, bool is_64bit, bool big)
{
	static const uint8_t text[TEXT_SIZE];
	struct made symbols = { .is_64bit = is_64bit, .big = big },
		    made = { .is_64bit = is_64bit, .big = big };
	char names[FUNCTIONS * 16] = "";
	size_t used = 1;

	put_symbol(&symbols, 0, 0, 0, 0, 0);
	for (unsigned i = 0; i < d->count; i++) {
		put_symbol(&symbols, (uint32_t)used, (uint8_t)ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			   1, d->functions[i].start, d->functions[i].size);
		strcpy(names + used, d->functions[i].name);
		used += strlen(d->functions[i].name) + 1;
	}
	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_AT, text, sizeof(text), 0,
		  0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, is_64bit ? 24 : 16 },
		{ ".strtab", SHT_STRTAB, 0, 0, (const uint8_t *)names, used, 0, 0 },
	};

	make_elf(&made, ET_EXEC, is_64bit ? EM_X86_64 : EM_386, sections, 3);
	return temp_write(&temp, "program", made.bytes, made.size);
}

/* The function of an address: that it is in, or the nearest one that ends before it. */
static int function_at(const struct drawn *d, uint64_t address)
{
	int found = -1;

	for (unsigned i = 0; i < d->count; i++) {
		const uint64_t last = d->functions[i].start + d->functions[i].size - 1;

		if (address >= d->functions[i].start &&
		    (address <= last || address - last <= PADDING))
			found = (int)i;
	}
	return found;
}

static struct tl_profile *profile_of(void)
{
	static const struct tl_event events[] = { { "time", "", "ns", "" } };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "gmon", events, 1, 0, NULL), 0);
	return profile;
}

TEST(addresses_of_drawn_functions)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 24; round++) {
		struct tl_gmon_symbols s = { .profile = profile_of() };
		const char *path;
		struct drawn d;
		uint64_t nameless = 0;

		draw(&d, &seed);
		path = write_program(&d, round % 2, round % 4 == 3);
		assert_int_equal(tl_binary_open(&s.binary, path, 0, true, NULL), 0);
		for (uint64_t at = TEXT_AT - 2; at < TEXT_AT + TEXT_SIZE + PADDING + 2; at++) {
			const int wanted = function_at(&d, at);
			const struct tl_function *have;
			struct tl_gmon_place place;

			assert_int_equal(tl_gmon_place(&s, at, &place, NULL), 0);
			have = tl_profile_function(s.profile, place.function);
			assert_int_equal(place.line, 0);
			assert_string_equal(place.file, "");
			nameless += wanted < 0;
			assert_int_equal(s.nameless, nameless);
			assert_string_equal(have->name,
					    wanted < 0 ? "[unknown]" : d.functions[wanted].name);
			if (wanted < 0)
				continue;
			assert_int_equal(have->address, d.functions[wanted].start);
			assert_string_equal(have->object, tl_binary_path(s.binary));
		}
		/* each of them once, and one for all that have none */
		assert_true(tl_profile_function_count(s.profile) <= d.count + 1);
		tl_binary_close(s.binary);
		tl_profile_free(s.profile);
	}
}

/* Without a program each address is a function of its own, called by its number. */
TEST(addresses_without_a_program)
{
	static const uint64_t addresses[] = { 0,         1, 0x1000, UINT32_MAX, UINT64_C(1) << 63,
					      UINT64_MAX };
	struct tl_gmon_symbols s = { .profile = profile_of() };

	for (unsigned i = 0; i < 6; i++)
		for (int again = 0; again < 2; again++) {
			const struct tl_function *have;
			struct tl_gmon_place place;
			char name[32];

			assert_int_equal(tl_gmon_place(&s, addresses[i], &place, NULL), 0);
			have = tl_profile_function(s.profile, place.function);
			snprintf(name, sizeof(name), "0x%llx", (unsigned long long)addresses[i]);
			assert_string_equal(have->name, name);
			assert_true(have->address == addresses[i]);
			assert_string_equal(have->object, "");
			assert_int_equal(place.function, i);
			assert_int_equal(s.nameless, 2 * i + (unsigned)again + 1);
		}
	tl_profile_free(s.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_drawn_functions),
		cmocka_unit_test(addresses_without_a_program),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
