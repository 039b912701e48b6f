/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Linux writes when a system call ends, by its manual pages; numbers of asm-generic/unistd.h.
 */
#include "../unit.h"

#include "xtrace/state/syscall_names.h"
#include "xtrace/state/syscall_writes.h"

struct call {
	uint64_t args[7]; /* x8, x0 to x5 */
	uint64_t result;
	unsigned count;
	struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
};

/* clang-format off */
static const struct call calls[] = {
	/* read(3, 0x9000, 100): as many bytes as it returns; none on an error */
	{ { 63, 3, 0x9000, 100 }, 20, 1, { { 0x9000, 20 } } },
	{ { 63, 3, 0x9000, 100 }, (uint64_t)-11, 1, { { 0x9000, 0 } } },
	{ { 63, 3, 0x9000, 100 }, (uint64_t)-4095, 1, { { 0x9000, 0 } } },
	/* no pointer, nothing written; write() reads */
	{ { 63, 3, 0, 100 }, 20, 0, { { 0, 0 } } },
	{ { 64, 3, 0x9000, 100 }, 20, 0, { { 0, 0 } } },
	/* pselect6: three sets of 128 bytes; ppoll: 8 bytes for each of two */
	{ { 72, 9, 0x9000, 0xa000, 0xb000 }, 1, 3,
	  { { 0x9000, 128 }, { 0xa000, 128 }, { 0xb000, 128 } } },
	{ { 73, 0x9000, 2 }, 1, 1, { { 0x9000, 16 } } },
	/* epoll_pwait: an event of 16 bytes for each that it returns */
	{ { 22, 5, 0x9000, 10 }, 3, 1, { { 0x9000, 48 } } },
	{ { 22, 5, 0x9000, 10 }, (uint64_t)-4, 1, { { 0x9000, 0 } } },
	/* getgroups: four bytes each */
	{ { 158, 8, 0x9000 }, 2, 1, { { 0x9000, 8 } } },
	/* fstat, uname, wait4 */
	{ { 80, 3, 0x9000 }, 0, 1, { { 0x9000, 128 } } },
	{ { 160, 0x9000 }, 0, 1, { { 0x9000, 390 } } },
	{ { 260, 1, 0x9000, 0, 0xa000 }, 1, 2, { { 0x9000, 4 }, { 0xa000, 144 } } },
	/* munmap, mmap, mremap: pages that are gone, and new ones */
	{ { 215, 0x9000, 0x2000 }, 0, 1, { { 0x9000, 0x2000 } } },
	{ { 222, 0, 0x3000 }, 0x70000, 1, { { 0x70000, 0x3000 } } },
	{ { 222, 0, 0x3000 }, (uint64_t)-12, 0, { { 0, 0 } } },
	{ { 216, 0x9000, 0x1000, 0x4000 }, 0x70000, 2,
	  { { 0x9000, 0x1000 }, { 0x70000, 0x4000 } } },
	{ { 216, 0x9000, 0x1000, 0x4000 }, (uint64_t)-12, 1, { { 0x9000, 0x1000 } } },
	{ { 9999, 0x9000, 0x9000, 0x9000 }, 0, 0, { { 0, 0 } } },
};
/* clang-format on */

TEST(ranges_that_calls_write)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
		bool everything = true;

		assert_int_equal(tl_xtrace_syscall_writes(calls[i].args, calls[i].result, written,
							  &everything),
				 calls[i].count);
		assert_false(everything);
		for (unsigned n = 0; n < calls[i].count; n++) {
			assert_int_equal(written[n].address, calls[i].written[n].address);
			assert_int_equal(written[n].size, calls[i].written[n].size);
		}
	}
}

/* execve and execveat begin another program; rt_sigreturn goes back to what was interrupted. */
TEST(calls_that_go_elsewhere)
{
	static const uint64_t numbers[] = { 139, 214, 221, 222, 281 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint64_t args[7] = { numbers[i] }, number = numbers[i];
		struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
		bool everything, executes = number == 221 || number == 281;

		tl_xtrace_syscall_writes(args, (uint64_t)-1, written, &everything);
		assert_int_equal(everything, executes);
		assert_int_equal(tl_xtrace_syscall_jumps(number), executes || number == 139);
		assert_int_equal(tl_xtrace_syscall_ends_signal(number), number == 139);
		assert_int_equal(tl_xtrace_syscall_is_brk(number), number == 214);
	}
}

/* The first and the last of each range of numbers, and those beside them. */
TEST(names_of_calls)
{
	static const struct {
		uint64_t number;
		const char *name;
		unsigned arguments;
	} known[] = {
		{ 0, "io_setup", 2 },
		{ 63, "read", 3 },
		{ 93, "exit", 1 },
		{ 222, "mmap", 6 },
		{ 243, "recvmmsg", 5 },
		{ 260, "wait4", 4 },
		{ 281, "execveat", 5 },
		{ 291, "statx", 5 },
		{ 294, "kexec_file_load", 5 },
		{ 424, "pidfd_send_signal", 4 },
		{ 435, "clone3", 2 },
		{ 462, "mseal", 3 },
	};
	static const uint64_t unknown[] = { 244, 259, 295, 423, 463, UINT64_MAX };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct tl_xtrace_syscall_name *name = tl_xtrace_syscall_name(known[i].number);

		assert_non_null(name);
		assert_string_equal(name->name, known[i].name);
		assert_int_equal(name->arguments, known[i].arguments);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_null(tl_xtrace_syscall_name(unknown[i]));
}

/* errno.h */
TEST(names_of_errors)
{
	assert_string_equal(tl_xtrace_error_name(1), "EPERM");
	assert_string_equal(tl_xtrace_error_name(11), "EAGAIN");
	assert_string_equal(tl_xtrace_error_name(38), "ENOSYS");
	assert_string_equal(tl_xtrace_error_name(110), "ETIMEDOUT");
	assert_string_equal(tl_xtrace_error_name(132), "ERFKILL");
	assert_null(tl_xtrace_error_name(0));
	assert_null(tl_xtrace_error_name(41)); /* EWOULDBLOCK elsewhere */
	assert_null(tl_xtrace_error_name(200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_calls_write),
		cmocka_unit_test(calls_that_go_elsewhere),
		cmocka_unit_test(names_of_calls),
		cmocka_unit_test(names_of_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
