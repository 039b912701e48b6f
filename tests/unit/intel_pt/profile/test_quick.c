/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of packets without code: targets of TIP and TIP.PGE packets, outcomes of conditional
 * branches by the address that was known last (tl_pt_quick()). Traces are written packet by packet,
 * and counted by hand.
 */
#include "../../refuse.h"
#include "../pt_trace.h"

#include "intel_pt/quick/quick.h"

#define TIP_SUPPRESSED 0x0d
#define TSC(t) 0x19, (t) & 0xff, (t) >> 8 & 0xff, 0, 0, 0, 0, 0
#define SLICES 3

static struct feeding {
	struct tl_pt_trace_slice slices[SLICES];
	size_t count, at;
} feeding;

static struct tl_pt_fold_options options;
static struct tl_pt_faults faults;
static struct tl_profile *profile;
static struct tl_error error;

static int next_slice(void *arg, struct tl_pt_trace_slice *slice, struct tl_error *err)
{
	struct feeding *f = arg;

	(void)err;
	if (f->at == f->count)
		return 0;
	*slice = f->slices[f->at++];
	return 1;
}

static void rewind_slices(void *arg)
{
	((struct feeding *)arg)->at = 0;
}

static bool no_mapping(void *arg, uint64_t ip, struct tl_pt_mapping *mapping)
{
	(void)arg;
	(void)ip;
	(void)mapping;
	return false;
}

static int setup(void **state __attribute__((unused)))
{
	feeding.count = 0;
	options = (struct tl_pt_fold_options){ .thread = TL_NOWHERE,
					       .process = TL_NOWHERE,
					       .cpu = TL_NOWHERE };
	faults = (struct tl_pt_faults){ .count = 0 };
	return 0;
}

/* Bytes of a buffer; all of them are one thread's. */
static struct tl_pt_trace_slice *add_slice(const uint8_t *bytes, size_t size, uint64_t thread)
{
	struct tl_pt_trace_slice *slice = &feeding.slices[feeding.count];

	*slice = (struct tl_pt_trace_slice){
		.config = { .size = sizeof(slice->config), .begin = bytes, .end = bytes + size },
		.to = size,
		.stream = feeding.count++,
		.process = 1,
		.thread = thread,
		.cpu = thread / 10,
		.command = "prog",
	};
	return slice;
}

#define ADD(bytes, thread) add_slice(bytes, sizeof(bytes), thread)

static int quick(void)
{
	const struct tl_pt_feed feed = {
		.next = next_slice, .rewind = rewind_slices, .mapping = no_mapping, .arg = &feeding
	};

	return tl_pt_quick(&feed, &options, &faults, &profile, &error);
}

/* Costs at an address in a part: targets, taken, not taken. */
static void expect(uint32_t part, uint64_t ip, int64_t targets, int64_t taken, int64_t not_taken)
{
	int64_t sums[3] = { 0 };

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		if (tl_profile_line(profile, i)->part == part &&
		    tl_profile_line(profile, i)->at.address == ip)
			for (unsigned e = 0; e < 3; e++)
				sums[e] += tl_profile_line_cost(profile, i)[e];
	if (sums[0] != targets || sums[1] != taken || sums[2] != not_taken)
		fail_msg("0x%x: %d %d %d", (unsigned)ip, (int)sums[0], (int)sums[1], (int)sums[2]);
}

static void finish(void)
{
	tl_profile_free(profile);
	tl_pt_faults_free(&faults);
}

/* Of an address: what led to it, and what stands behind it. */
static const uint8_t all[] = {
	START(0x1000), TNT3(1, 0, 1), TIP(0x2000), TNT1(0),       FUP(0x2004),
	TIP(0x4000),   TNT1(0),       TIP(0x2000), TNT2(1, 1),    TIP_SUPPRESSED,
	TNT1(1),       PGD_BARE,      PGE(0x3000), TNT3(0, 0, 1),
};

TEST(targets_and_outcomes)
{
	ADD(all, 10);
	assert_int_equal(quick(), 0);
	assert_string_equal(tl_profile_event(profile, 0)->name, "Targets");
	assert_string_equal(tl_profile_event(profile, 1)->name, "Taken");
	assert_string_equal(tl_profile_event(profile, 2)->name, "NotTaken");
	/* A PSB says where flow is; nothing led there. */
	expect(0, 0x1000, 0, 2, 1);
	expect(0, 0x2000, 2, 2, 1);
	expect(0, 0x4000, 1, 0, 1);
	/* A target that is left out: outcomes behind it have no address. */
	expect(0, 0, 0, 1, 0);
	expect(0, 0x3000, 1, 1, 2);
	assert_int_equal(tl_profile_total(profile)[0], 4);
	assert_int_equal(tl_profile_total(profile)[1], 6);
	assert_int_equal(tl_profile_total(profile)[2], 5);
	assert_int_equal(faults.count, 0);
	finish();
}

/* Each thread is a part; one can be chosen, by itself, by its process or its processor. */
TEST(threads_and_filters)
{
	static const uint8_t other[] = { START(0x5000), TIP(0x2000), TNT1(1) };
	static const struct {
		uint64_t thread, process, cpu;
		bool first, second;
	} rows[] = {
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, true, true },
		{ 20, TL_NOWHERE, TL_NOWHERE, false, true },
		{ TL_NOWHERE, 1, TL_NOWHERE, true, true },
		{ TL_NOWHERE, 2, TL_NOWHERE, false, false },
		{ TL_NOWHERE, TL_NOWHERE, 1, true, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t part = 0;

		setup(NULL);
		ADD(all, 10);
		ADD(other, 20);
		options.thread = rows[i].thread;
		options.process = rows[i].process;
		options.cpu = rows[i].cpu;
		assert_int_equal(quick(), 0);
		assert_int_equal(tl_profile_part_count(profile), rows[i].first + rows[i].second);
		if (rows[i].first)
			expect(part++, 0x2000, 2, 2, 1);
		if (rows[i].second)
			expect(part, 0x2000, 1, 1, 0);
		finish();
	}
}

/* A buffer whose thread changes: what stands behind the border is the other thread's. */
TEST(a_buffer_of_two_threads)
{
	const size_t border = START_BYTES + 1;
	struct tl_pt_trace_slice *second;

	ADD(all, 10)->to = border;
	second = ADD(all, 20);
	second->from = border;
	second->stream = 0;
	second->continues = true;
	assert_int_equal(quick(), 0);
	expect(0, 0x1000, 0, 2, 1);
	expect(0, 0x2000, 0, 0, 0);
	expect(1, 0x1000, 0, 0, 0);
	expect(1, 0x2000, 2, 2, 1);
	finish();
}

/* Behind an error flow goes on at the next place; what is lost is told. */
TEST(damage)
{
	static const uint8_t bytes[] = { START(0x1000), TIP(0x2000),   0x02,   0xff,
					 TNT1(1),       START(0x7000), TNT1(1) };

	ADD(bytes, 10);
	assert_int_equal(quick(), 0);
	expect(0, 0x2000, 1, 0, 0);
	expect(0, 0x7000, 0, 1, 0);
	assert_int_equal(faults.count, 1);
	assert_int_equal(faults.list[0].from, START_BYTES + 7);
	finish();
	setup(NULL);
	ADD(bytes, 10)->base = 1000;
	options.strict = true;
	assert_true(quick() < 0);
	assert_int_equal(error.offset, 1000 + START_BYTES + 7);
	assert_null(profile);
	finish();
}

/* Bytes without a PSB have nothing to tell. */
TEST(no_beginning)
{
	static const uint8_t bytes[] = { TIP(0x2000), TNT1(1) };

	ADD(bytes, 10);
	assert_int_equal(quick(), 0);
	assert_int_equal(tl_profile_line_count(profile), 0);
	assert_int_equal(tl_profile_part_count(profile), 1);
	finish();
}

/* Packets count from the first tick of a window to before its last one. */
TEST(a_window_of_time)
{
	static const uint8_t bytes[] = { PSB,      TSC(100),    MODE_64,  FUP(0x1000),
					 PSBEND,   TIP(0x2000), TSC(200), TIP(0x3000),
					 TSC(300), TIP(0x4000) };
	static const struct {
		uint64_t from, to;
		bool counted[3];
	} rows[] = {
		{ 0, 0, { true, true, true } },        { 200, 0, { false, true, true } },
		{ 0, 200, { true, false, false } },    { 200, 300, { false, true, false } },
		{ 201, 300, { false, false, false } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup(NULL);
		ADD(bytes, 10);
		options.from_ticks = rows[i].from;
		options.to_ticks = rows[i].to;
		assert_int_equal(quick(), 0);
		for (unsigned n = 0; n < 3; n++)
			expect(0, 0x2000 + 0x1000 * n, rows[i].counted[n], 0, 0);
		finish();
	}
	/* Without times there is no window. */
	setup(NULL);
	ADD(all, 10);
	options.from_ticks = 1;
	assert_int_equal(quick(), 0);
	assert_int_equal(tl_profile_total(profile)[0], 0);
	finish();
}

TEST(too_many_buffers)
{
	ADD(all, 10)->stream = 1 << 20;
	assert_int_equal(quick(), TL_TOO_LARGE);
	finish();
}

static int quick_step(const void *input, uint64_t *digest)
{
	int status;

	(void)input;
	faults = (struct tl_pt_faults){ .count = 0 };
	status = quick();
	for (uint32_t i = 0; status == 0 && i < tl_profile_line_count(profile); i++)
		refuse_note(digest, tl_profile_line_cost(profile, i), 3 * sizeof(int64_t));
	finish();
	return status;
}

TEST(each_allocation_is_refused)
{
	ADD(all, 10);
	ADD(all, 20);
	assert_true(refuse_each(quick_step, NULL) > 20);
}

#define CASE(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(targets_and_outcomes),
		CASE(threads_and_filters),
		CASE(a_buffer_of_two_threads),
		CASE(damage),
		CASE(no_beginning),
		CASE(a_window_of_time),
		CASE(too_many_buffers),
		CASE(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
