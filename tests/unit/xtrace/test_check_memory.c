/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads that differ from what was stored: where a thread may have stored that is not in the trace,
 * they are told once and do not count; in a kernel's trace a page has two addresses.
 */
#include <stdio.h>

#include "violations.h"

enum { PLACE = 0x9000, MUNMAP = 215, MMAP = 222 };

/* ---- threads that are not there ---- */

struct told {
	size_t notes, violations;
	uint64_t offset, record;
	char expected[80];
};

static int take(void *arg, const struct tl_xtrace_violation *v)
{
	struct told *told = arg;

	if (!strcmp(v->rule, "xtrace.dialect"))
		return 0;
	assert_string_equal(v->rule, "xtrace.memory.value");
	told->notes += v->note;
	told->violations += !v->note;
	told->offset = v->offset;
	told->record = v->record;
	snprintf(told->expected, sizeof(told->expected), "%s", v->expected ? v->expected : "");
	return 0;
}

/* Stores 1, and loads 2, 2 and 3: two of these differ. Returns the offset of the first of them. */
static size_t put_loads(struct bytes *b, bool timed)
{
	static const uint64_t values[] = { 1, 2, 2, 3 };
	size_t first = 0;

	for (unsigned i = 0; i < 4; i++) {
		put_inst(b, 0, i ? A64_LDR_FREE : A64_STR_FREE);
		if (timed)
			put_value(b, TIME, 10 + i);
		if (i == 1)
			first = b->size;
		put_access(b, i ? LOAD : STORE, 3, PLACE, values[i]);
	}
	return first;
}

/* Streams of these names, the first of which has the loads; the second is another thread's. */
static struct told check_named(const struct bytes *first, const struct bytes *second,
			       const char *const names[2], bool strict)
{
	const struct tl_xtrace_options options = { .size = sizeof(options),
						   .alone = true,
						   .strict = strict };
	const struct bytes *streams[2] = { first, second };
	struct tl_xtrace_file files[2];
	struct trace t = { .trace = NULL };
	struct told told = { .notes = 0 };
	size_t count = second ? 2 : 1;
	int64_t counted;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(tl_source_open_memory(&t.sources[i], streams[i]->data,
						       streams[i]->size, names[i], NULL),
				 0);
		files[i] = (struct tl_xtrace_file){ names[i], t.sources[i] };
	}
	assert_int_equal(tl_xtrace_open(&t.trace, files, count, &options, NULL, &t.err), 0);
	counted = tl_xtrace_check(t.trace, take, &told, &t.err);
	assert_int_equal(counted, told.violations);
	close_trace(&t);
	return told;
}

static void assert_told(const struct told *told, bool noted, size_t offset)
{
	assert_int_equal(told->notes, noted);
	assert_int_equal(told->violations, noted ? 0 : 2);
	if (!noted)
		return;
	assert_int_equal(told->offset, offset);
	assert_int_equal(told->record, 2);
	assert_string_equal(told->expected, "the streams of all threads, with TIME: 2 such loads");
}

/* TIME, a number behind the first or a second core's hint say that there are others. */
TEST(one_of_several_threads)
{
	static const struct {
		const char *name;
		bool timed, noted;
	} cases[] = {
		{ "xtrace.1.0.hint9.xinsndata.bin", false, false },
		{ "a.xinsndata.bin", false, false },
		{ "a.xinsndata.bin", true, true },
		{ "xtrace.1.0.hint9.xinsndata.bin", true, true },
		{ "xtrace.1.3.hint9.xinsndata.bin", false, true },
		{ "xtrace.1.0.hint13.xinsndata.bin", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const names[2] = { cases[i].name, NULL };
		struct bytes b = { 0 };
		struct told told;
		size_t offset;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		offset = put_loads(&b, cases[i].timed);
		told = check_named(&b, NULL, names, false);
		assert_told(&told, cases[i].noted, offset);
		told = check_named(&b, NULL, names, true);
		assert_int_equal(told.violations, 2);
		assert_int_equal(told.notes, 0);
		free_bytes(&b);
	}
}

/* Of two streams, the order of whose accesses is not known; then with TIME, where both are seen. */
TEST(threads_without_an_order)
{
	static const char *const names[2] = { "xtrace.1.0.hint9.xinsndata.bin",
					      "xtrace.1.1.hint9.xinsndata.bin" };

	for (unsigned timed = 0; timed < 4; timed++) {
		struct bytes one = { 0 }, two = { 0 };
		struct told told;
		size_t offset;

		put_pcinst(&one, 0, 0x1000, A64_NOP);
		offset = put_loads(&one, timed & 1);
		put_pcinst(&two, 0, 0x1000, A64_STR_FREE);
		if (timed & 2)
			put_value(&two, TIME, 1);
		put_access(&two, STORE, 3, 0xa000, 1);
		told = check_named(&one, &two, names, false);
		assert_told(&told, timed != 3, offset);
		free_bytes(&one);
		free_bytes(&two);
	}
}

/* clone (220) with CLONE_VM makes one; without, and another call, do not. */
TEST(a_thread_is_made)
{
	static const struct {
		uint64_t number, flags;
		bool noted;
	} cases[] = { { 220, 0x100, true }, { 220, 0x11, false }, { 56, 0x100, false } };
	static const char *const names[2] = { "xtrace.1.0.hint9.xinsndata.bin", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { 0 };
		struct told told;
		size_t offset;

		put_pcinst(&b, 0, 0x1000, A64_SVC);
		put_value(&b, SVCARG, cases[i].number);
		put_value(&b, SVCARG, cases[i].flags);
		for (unsigned n = 0; n < 5; n++)
			put_value(&b, SVCARG, 0);
		put_value(&b, SVCRET, 7);
		offset = put_loads(&b, false);
		told = check_named(&b, NULL, names, false);
		assert_told(&told, cases[i].noted, offset);
		free_bytes(&b);
	}
}

/* ---- memory that changes without a store ---- */

/* Stores 1 to an address, with `between` an instruction more, and loads 2. */
static size_t put_change(struct bytes *b, uint64_t address, uint32_t between)
{
	size_t at;

	put_inst(b, 0, A64_STR_FREE);
	put_access(b, STORE, 3, address, 1);
	put_inst(b, 0, between);
	put_inst(b, 0, A64_LDR_FREE);
	at = b->size;
	put_access(b, LOAD, 3, address, 2);
	put_inst(b, 0, A64_NOP);
	return at;
}

/* mmap or munmap with these flags, three instructions; X0 is what the call before has returned. */
static void put_call(struct bytes *b, unsigned number, uint64_t x0, uint64_t size, unsigned flags,
		     uint64_t result)
{
	const uint64_t args[7] = { number, x0, size, 3, flags, 5, 0 };

	put_inst(b, 0, 0xd2800008 | number << 5); /* MOV X8, #NUMBER */
	put_inst(b, 0, 0xd2800003 | flags << 5);  /* MOV X3, #FLAGS */
	put_inst(b, 0, A64_SVC);
	for (unsigned n = 0; n < 7; n++)
		put_value(b, SVCARG, args[n]);
	put_value(b, SVCRET, result);
}

/*
 * mmap(2): "MAP_SHARED: updates to the mapping are visible to other processes mapping the same
 * region": until munmap, or until others are mapped in its place.
 */
TEST(shared_mappings)
{
	enum { PRIVATE = 2, SHARED = 1, VALIDATED = 3, UNMAP = 4, MAPPED = 0x10000 };
	static const struct {
		unsigned first, then;
		uint64_t offset;
		bool good;
	} cases[] = {
		{ SHARED, 0, 0, true },       { VALIDATED, 0, 0x1ff8, true },
		{ PRIVATE, 0, 0, false },     { SHARED, 0, 0x2000, false },
		{ SHARED, UNMAP, 0, false },  { SHARED, PRIVATE, 0, false },
		{ PRIVATE, SHARED, 0, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { 0 };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		put_call(&b, MMAP, 0, 0x2000, cases[i].first, MAPPED);
		if (cases[i].then == UNMAP)
			put_call(&b, MUNMAP, MAPPED, 0x2000, 0, 0);
		else if (cases[i].then)
			put_call(&b, MMAP, MAPPED, 0x2000, cases[i].then, MAPPED);
		at = put_change(&b, MAPPED + cases[i].offset, A64_NOP);
		if (cases[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.memory.value", at, cases[i].then ? 9 : 6);
	}
}

/* More mappings than are noted: the first of 257 is forgotten. */
TEST(many_shared_mappings)
{
	enum { MOST = 256, MAPPED = 0x10000, SIZE = 0x1000 };

	for (unsigned count = MOST; count <= MOST + 1; count++) {
		struct bytes b = { 0 };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned i = 0; i < count; i++)
			put_call(&b, MMAP, i ? MAPPED + (i - 1) * SIZE : 0, SIZE, 1,
				 MAPPED + i * SIZE);
		at = put_change(&b, MAPPED, A64_NOP);
		if (count == MOST)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.memory.value", at, 3 * count + 3);
	}
}

/* CPY and SET write anywhere, and have no token of it; what stands beside them in the table does
 * not. */
TEST(memory_is_copied_by_an_instruction)
{
	static const struct {
		uint32_t opcode;
		bool good;
	} cases[] = {
		{ 0x190404a3, true },  /* CPYFP [X3]!, [X4]!, X5! */
		{ 0x1d8404a3, true },  /* CPYE [X3]!, [X4]!, X5! */
		{ 0x19c24420, true },  /* SETM [X0]!, X1!, X2 */
		{ 0x1dc28420, true },  /* SETGE [X0]!, X1!, X2 */
		{ 0x9b0404a3, false }, /* MADD X3, X5, X4, X1 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { 0 };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		at = put_change(&b, PLACE, cases[i].opcode);
		if (cases[i].good)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.memory.value", at, 3);
	}
}

/* ---- a page has two addresses ---- */

/* A program's store of 8 bytes at `low`; then the kernel loads 16 at `high`, where it stored 0. */
static void check_twin(uint64_t low, uint64_t high, uint64_t loaded, uint64_t behind, bool good)
{
	struct bytes b = { 0 };
	size_t at;

	put_pcinst(&b, 1, 0xffff800008001000, A64_STR_FREE);
	for (unsigned i = 0; i < 2; i++) {
		put_access(&b, STORE, 3, high + 8 * i, 0);
		put_inst(&b, 1, i ? A64_NOP : A64_STR_FREE);
	}
	put_inst(&b, 1, A64_STR_FREE);
	put_access(&b, STORE, 3, low, 0x1122334455667788);
	put_inst(&b, 1, 0xa9402920); /* LDP X0, X10, [X9] */
	at = b.size;
	put_byte(&b, LOAD | 4 << 4);
	put_number(&b, high, 8);
	put_number(&b, loaded, 8);
	put_number(&b, behind, 8);
	if (good)
		assert_good(&b);
	else
		assert_one(&b, "xtrace.memory.value", at, 4);
}

/* A load of the kernel's address of a page finds what the program stored at its own. */
TEST(both_addresses_of_a_page)
{
	const uint64_t low = 0x7f0000400, high = 0xffff000001910400, value = 0x1122334455667788;

	check_twin(low, high, 0, 0, true);
	check_twin(low, high, value, 0, true);
	/* Another value, another place in the page, what is not known there, or the same half. */
	check_twin(low, high, value ^ 1, 0, false);
	check_twin(low + 0x200, high, value, 0, false);
	check_twin(low + 8, high, value, 0, false);
	check_twin(low, high, value, 1, false);
	check_twin(high + 0x1000, high, value, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_several_threads),
		cmocka_unit_test(threads_without_an_order),
		cmocka_unit_test(a_thread_is_made),
		cmocka_unit_test(shared_mappings),
		cmocka_unit_test(many_shared_mappings),
		cmocka_unit_test(memory_is_copied_by_an_instruction),
		cmocka_unit_test(both_addresses_of_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
