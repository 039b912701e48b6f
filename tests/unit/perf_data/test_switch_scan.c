/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet at which another thread takes over (docs/formats/perf-data.md section 8), and the time
 * that packets tell (docs/formats/intel-pt.md section 8), from packets written by hand.
 */
#include <string.h>

#include "../unit.h"

#include "perf_data/auxtrace/switch_scan.h"

#define USER UINT64_C(0x401000)
#define KERNEL UINT64_C(0xffffffff81000000)

/* CPUID 15H: 176 / 2 = 88 ticks of the TSC for one of the crystal clock. */
static struct tl_pt_config config;
static uint8_t bytes[1024];
static size_t size;
static struct tl_perf_switch_scan scan;

static int begin(void **state)
{
	(void)state;
	size = 0;
	config = (struct tl_pt_config){
		.size = sizeof(config),
		.cpuid_15_eax = 2,
		.cpuid_15_ebx = 176,
		.mtc_freq = 3,
		.nom_freq = 32,
	};
	return 0;
}

/* ---- packets (section 4); each returns its offset ---- */

static size_t packet(const void *data, size_t length)
{
	memcpy(bytes + size, data, length);
	size += length;
	return size - length;
}

static size_t address(uint8_t head, uint64_t ip)
{
	const size_t at = packet(&head, 1);

	for (int i = 0; i < 6; i++)
		bytes[size++] = (uint8_t)(ip >> 8 * i);
	return at;
}

static size_t put_pge(uint64_t ip)
{
	return address(0x71, ip);
}

static size_t put_tip(uint64_t ip)
{
	return address(0x6d, ip);
}

static size_t put_fup(uint64_t ip)
{
	return address(0x7d, ip);
}

/* Without an address. */
static size_t put_pgd(void)
{
	return packet("\x01", 1);
}

static size_t put_tsc(uint64_t value)
{
	const size_t at = packet("\x19", 1);

	for (int i = 0; i < 7; i++)
		bytes[size++] = (uint8_t)(value >> 8 * i);
	return at;
}

static size_t put_psbend(void)
{
	return packet("\x02\x23", 2);
}

static size_t put_psb(uint64_t value)
{
	const size_t at = size;

	for (int i = 0; i < 8; i++)
		packet("\x02\x82", 2);
	if (value)
		put_tsc(value);
	return at;
}

/* PSB+ of a trace in which tracing is disabled. */
static void put_sync(uint64_t value)
{
	put_psb(value);
	put_psbend();
}

static size_t put_mtc(uint8_t ctc)
{
	const uint8_t mtc[2] = { 0x59, ctc };

	return packet(mtc, 2);
}

static void put_tma(uint16_t ctc, uint16_t fast)
{
	const uint8_t tma[7] = { 2, 0x73,          (uint8_t)ctc,        (uint8_t)(ctc >> 8),
				 0, (uint8_t)fast, (uint8_t)(fast >> 8) };

	packet(tma, 7);
}

static void put_cbr(uint8_t ratio)
{
	const uint8_t cbr[4] = { 2, 3, ratio, 0 };

	packet(cbr, 4);
}

/* Below 32. */
static void put_cyc(unsigned cycles)
{
	const uint8_t cyc = (uint8_t)(cycles << 3 | 3);

	packet(&cyc, 1);
}

static size_t put_pip(void)
{
	return packet("\x02\x43\x10\x20\0\0\0\0", 8);
}

static size_t put_ovf(void)
{
	return packet("\x02\xf3", 2);
}

static void put_tnt(void)
{
	packet("\x06", 1);
}

/* ---- scans ---- */

static int says(const void *arg, uint64_t ip)
{
	(void)ip;
	return *(const int *)arg;
}

/* Where the thread that comes at `tsc` takes over, if addresses are `whose` (> 0: the next's). */
static size_t handover(uint64_t tsc, int whose)
{
	const struct tl_perf_switch_goal goal = {
		.next = true, .tsc = tsc, .owner = says, .arg = &whose
	};

	tl_perf_switch_scan_begin(&scan, &config, bytes, bytes + size);
	return (size_t)(tl_perf_switch_scan_to(&scan, bytes + size, &goal) - bytes);
}

/* The time at the end of all packets. */
static uint64_t time_at_end(void)
{
	assert_int_equal(handover(UINT64_MAX, -1), size);
	return scan.tsc;
}

static uint64_t first_time(void)
{
	tl_perf_switch_scan_begin(&scan, &config, bytes, bytes + size);
	return tl_perf_switch_scan_first_time(&scan, bytes + size);
}

/* ---- time ---- */

TEST(the_first_time)
{
	assert_int_equal(first_time(), 0);
	put_sync(0);
	assert_int_equal(first_time(), 0);
	put_pge(USER);
	put_tsc(500);
	put_tsc(600);
	assert_int_equal(first_time(), 500);
}

/* Bytes in front of the first PSB are not looked at, nor those that are no packet. */
TEST(from_the_first_psb_on)
{
	put_tsc(7);
	put_sync(500);
	assert_int_equal(first_time(), 500);
	packet("\x02\x0b", 2); /* no packet */
	put_tsc(600);
	put_sync(700);
	put_pge(USER);
	assert_int_equal(time_at_end(), 700);
}

/*
 * "TMA: the TSC stood where the counter had CTC, and FC ticks more": 10000 - 10 - 5 * 88 = 9550 at
 * the edge of the MTC 0x20; two edges of 8 counts later it is 9550 + 16 * 88 = 10958.
 */
TEST(time_of_mtc)
{
	put_sync(10000);
	put_tma(0x105, 10);
	put_mtc(0x22);
	assert_int_equal(time_at_end(), 10958);
	/* the counter has eight bits: from 0x22 to 0x21 are 255 edges */
	put_mtc(0x21);
	assert_int_equal(time_at_end(), 9550 + (2 + 255) * 8 * 88);
}

/* An MTC does not go back behind the TSC: its edge may be before it. */
TEST(mtc_does_not_go_back)
{
	put_sync(10000);
	put_tma(0x105, 10);
	put_mtc(0x20);
	assert_int_equal(time_at_end(), 10000);
}

/* Without TMA, without CPUID 15H or with a frequency beyond eight bits an MTC tells nothing. */
TEST(mtc_that_tells_nothing)
{
	put_sync(10000);
	put_mtc(0x22);
	assert_int_equal(time_at_end(), 10000);
	put_tma(0x105, 10);
	put_tsc(20000); /* a TSC without its TMA */
	put_mtc(0x24);
	assert_int_equal(time_at_end(), 20000);
	put_tma(0x105, 10);
	put_mtc(0x22);
	assert_int_equal(time_at_end(), 20958);
	config.cpuid_15_eax = 0;
	assert_int_equal(time_at_end(), 20000);
	config.cpuid_15_eax = 2;
	config.mtc_freq = 9;
	assert_int_equal(time_at_end(), 20000);
	/* 0x105 is 0x05 beyond 1 << 8: 10000 + 10000 - 10 - 5 * 88 = 19550 */
	config.mtc_freq = 8;
	assert_int_equal(time_at_end(), 19550 + (0x22 - 1) * 256 * 88);
}

/* CYC counts core cycles: at ratio 16 of nominal 32 each is two ticks, from the last TSC on. */
TEST(time_of_cyc)
{
	put_sync(10000);
	put_cyc(9); /* no ratio yet */
	assert_int_equal(time_at_end(), 10000);
	put_cbr(16);
	put_cyc(9);
	assert_int_equal(time_at_end(), 10018);
	put_cyc(10);
	assert_int_equal(time_at_end(), 10038);
	put_tsc(11000);
	put_cyc(1);
	assert_int_equal(time_at_end(), 11002);
	config.nom_freq = 0;
	assert_int_equal(time_at_end(), 11000);
}

/* An MTC begins the count of cycles anew. */
TEST(cycles_from_an_mtc)
{
	put_sync(10000);
	put_tma(0x105, 10);
	put_cbr(32);
	put_cyc(20);
	put_mtc(0x22);
	put_cyc(3);
	assert_int_equal(time_at_end(), 10961);
}

/* ---- handovers ---- */

/* Behind its time a thread takes over with the next TIP.PGE, whatever its address. */
TEST(certain_by_time)
{
	size_t at;

	put_sync(100);
	put_pge(USER);
	put_tnt();
	put_pgd();
	put_tsc(200);
	at = size - 8;
	put_pge(USER);
	assert_int_equal(handover(200, -1), at);
	assert_int_equal(handover(201, -1), size);
	/* Its packets begin behind the TIP.PGD: what is in between may be of the next TIP.PGE. */
	assert_int_equal(bytes[at], 0x19);
}

/* Without a TIP.PGD before it, the packet itself is the place. */
TEST(the_packet_itself)
{
	size_t at;

	put_sync(100);
	at = put_pge(USER);
	assert_int_equal(handover(100, 0), at);
	assert_int_equal(handover(50, 0), at);
}

/* Between two times only the address decides; with the next thread's alone it takes over. */
TEST(possible_by_address)
{
	size_t at;

	put_sync(100);
	at = put_pge(USER);
	put_tsc(300);
	put_pgd();
	assert_int_equal(handover(200, 1), at);
	assert_int_equal(handover(200, 0), size);
	assert_int_equal(handover(200, -1), size);
	/* The next time is before the switch: it has not come yet. */
	assert_int_equal(handover(301, 1), size);
	assert_int_equal(handover(300, 1), at);
}

/* Another address space is another thread if it can be by time. */
TEST(an_address_space)
{
	size_t at;

	put_sync(100);
	at = put_pip();
	put_tsc(300);
	assert_int_equal(handover(200, -1), at);
	assert_int_equal(handover(300, -1), at);
	assert_int_equal(handover(301, -1), size);
}

/* A TIP from the kernel to user code, if the kernel is traced. */
TEST(back_from_the_kernel)
{
	size_t at;

	put_sync(100);
	put_pge(KERNEL);
	put_tsc(150);
	at = put_tip(USER);
	put_tsc(300);
	put_pgd();
	assert_int_equal(handover(200, 1), at);
	assert_int_equal(handover(200, 0), size);
	/* By time alone the first packet of time in the kernel is the place. */
	assert_int_equal(handover(150, 0), at - 8);
}

/* A TIP within user code is none of a switch, nor one within the kernel. */
TEST(within_user_code)
{
	put_sync(100);
	put_pge(USER);
	put_tip(USER + 16);
	put_tsc(300);
	put_tip(USER + 32);
	put_fup(USER + 48);
	assert_int_equal(handover(200, 0), size);
	size = 0;
	put_sync(100);
	put_pge(KERNEL);
	put_tip(KERNEL + 16);
	put_tsc(190);
	put_pgd();
	assert_int_equal(handover(200, 1), size);
}

/* An overflow behind the time of the switch; addresses before it do not count. */
TEST(an_overflow)
{
	size_t at;

	put_sync(100);
	put_pge(USER);
	put_tsc(300);
	at = put_ovf();
	assert_int_equal(handover(200, -1), at);
	assert_int_equal(handover(301, -1), size);
}

/* What a PSB+ repeats is no handover. */
TEST(inside_a_psb)
{
	size_t at;

	put_sync(100);
	put_psb(300);
	put_pip();
	put_fup(USER);
	put_psbend();
	at = put_pip();
	assert_int_equal(handover(200, 1), at);
}

/* ---- tracing that is off ---- */

static bool is_off_at(size_t at)
{
	return tl_perf_tracing_is_off(&config, bytes, bytes + at, bytes + size);
}

TEST(off_between_pgd_and_pge)
{
	size_t on, off, time;

	put_sync(100);
	on = put_pge(USER);
	put_tnt();
	off = put_pgd();
	time = put_tsc(200);
	put_cbr(16);
	packet("\x99\x01", 2); /* MODE.Exec */
	put_pip();
	packet("\0", 1);
	put_pge(USER);
	assert_true(is_off_at(time));
	assert_true(is_off_at(time + 8));
	assert_false(is_off_at(time + 1)); /* inside of a packet */
	assert_false(is_off_at(off));
	assert_true(is_off_at(on));
	assert_false(is_off_at(on + 7));
	/* Behind the last packet tracing is on. */
	assert_false(is_off_at(size));
}

/* Then TIP.PGE, PSB or OVF must come: else packets were lost. */
TEST(off_and_then)
{
	size_t at;

	put_sync(100);
	put_pge(USER);
	put_pgd();
	at = size;
	assert_true(is_off_at(at)); /* the end */
	put_mtc(1);
	put_cyc(1);
	put_tma(1, 1);
	put_ovf();
	assert_true(is_off_at(at));
	size = at;
	put_sync(200);
	assert_true(is_off_at(at));
	size = at;
	put_tip(USER);
	assert_false(is_off_at(at));
	size = at;
	put_tnt();
	assert_false(is_off_at(at));
}

/* ---- virtual machines (section 13) ---- */

/* PIP, NR: bit 0 of the payload. */
static size_t put_machine(bool inside)
{
	return packet(inside ? "\x02\x43\x11\x20\0\0\0\0" : "\x02\x43\x10\x20\0\0\0\0", 8);
}

/* Where the next machine is entered or left behind the last one. */
static size_t next_change(void)
{
	const struct tl_perf_switch_goal goal = { .guests = true };

	return (size_t)(tl_perf_switch_scan_to(&scan, bytes + size, &goal) - bytes);
}

static void begin_scan(void)
{
	tl_perf_switch_scan_begin(&scan, &config, bytes, bytes + size);
	scan.guest = tl_perf_switch_scan_first_guest(&scan, bytes + size);
}

/* "VM entry: PIP, TIP"; "VM exit: FUP, PIP, TIP" (SDM, packets of VM entries and exits) */
TEST(a_machine_is_entered_and_left)
{
	size_t entered, left, again;

	put_sync(100);
	put_pge(KERNEL);
	put_machine(true);
	entered = put_tip(KERNEL);
	put_tnt();
	put_machine(true); /* it changes its own address space */
	put_tip(KERNEL);
	put_fup(KERNEL);
	put_machine(false);
	put_tip(KERNEL);
	left = size;
	put_tnt();
	put_machine(false);
	put_machine(true);
	again = put_tip(KERNEL);
	begin_scan();
	assert_false(scan.guest);
	assert_int_equal(next_change(), entered);
	assert_true(scan.guest);
	assert_int_equal(next_change(), left);
	assert_false(scan.guest);
	assert_int_equal(next_change(), again);
	assert_int_equal(next_change(), size);
	assert_true(scan.guest);
}

/* A FUP of something else, long before, is none of an exit. */
TEST(an_entry_behind_an_event)
{
	size_t entered;

	put_sync(100);
	put_pge(KERNEL);
	put_fup(KERNEL);
	put_tnt();
	put_machine(true);
	entered = put_tip(KERNEL);
	begin_scan();
	assert_int_equal(next_change(), entered);
}

/* Where tracing is off in the machine, PIP comes between TIP.PGD and TIP.PGE. */
TEST(a_machine_that_is_traced_alone)
{
	size_t off;

	put_sync(100);
	put_pge(KERNEL);
	put_pgd();
	off = put_machine(true);
	put_pge(USER);
	begin_scan();
	assert_int_equal(next_change(), off);
	assert_true(scan.guest);
	assert_int_equal(next_change(), size);
}

/* "PSB+: the state": what it says first, and what was lost in front of it. */
TEST(a_machine_by_psb)
{
	size_t at;

	for (int i = 0; i < 8; i++)
		packet("\x02\x82", 2);
	put_machine(true);
	packet("\x02\x23", 2);
	put_pge(KERNEL);
	put_ovf();
	at = size;
	for (int i = 0; i < 8; i++)
		packet("\x02\x82", 2);
	put_machine(false);
	packet("\x02\x23", 2);
	begin_scan();
	assert_true(scan.guest);
	assert_int_equal(next_change(), at);
	assert_false(scan.guest);
	assert_int_equal(next_change(), size);
}

/* An address space inside of a machine is no thread of the host. */
TEST(an_address_space_of_a_machine)
{
	size_t at;

	put_sync(100);
	put_pge(KERNEL);
	put_machine(true);
	at = put_machine(false);
	put_tsc(300);
	assert_int_equal(handover(200, -1), at);
}

#define CASE(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_first_time),
		CASE(from_the_first_psb_on),
		CASE(time_of_mtc),
		CASE(mtc_does_not_go_back),
		CASE(mtc_that_tells_nothing),
		CASE(time_of_cyc),
		CASE(cycles_from_an_mtc),
		CASE(certain_by_time),
		CASE(the_packet_itself),
		CASE(possible_by_address),
		CASE(an_address_space),
		CASE(back_from_the_kernel),
		CASE(within_user_code),
		CASE(an_overflow),
		CASE(inside_a_psb),
		CASE(off_between_pgd_and_pge),
		CASE(off_and_then),
		CASE(a_machine_is_entered_and_left),
		CASE(an_entry_behind_an_event),
		CASE(a_machine_that_is_traced_alone),
		CASE(a_machine_by_psb),
		CASE(an_address_space_of_a_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
