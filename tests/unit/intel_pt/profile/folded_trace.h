/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_PROFILE_FOLDED_TRACE_H
#define TESTS_UNIT_INTEL_PT_PROFILE_FOLDED_TRACE_H
/*
 * Profiles of traces that are small enough to be folded by hand: packets, the code they lead
 * through, and what each function must cost then. Functions have no symbols here: what is called is
 * one, named by its entry.
 */
#include <stdio.h>

#include "../pt_trace.h"

#include "intel_pt/profile/fold.h"
#include "profile/model/unsized.h"

/*
 * 1000 call 1010; 1005 nop; 1006 nop; 1007 nop; 1008 jmp rax
 * 1010 nop; 1011 nop; 1012 ret
 * 1018 call rax; 101a ret
 * 1020 nop; 1021 syscall
 * 1028 call 1010; 102d syscall
 * 1030 nop; 1031 iretq
 * 1038 call 1010; 103d nop; 103e jmp rax
 * 1040 ret
 */
enum {
	AT = 0x1000,
	MAIN = 0x1000,
	LEAF = 0x1010,
	OUTER = 0x1018,
	HANDLER = 0x1020,
	CALLER = 0x1028,
	KERNEL = 0x1030,
	LAST_CALL = 0x1038, /* a function without a name, which ends with a call */
	BEHIND = 0x103d,    /* one with a name, to which that call returns */
	UNNAMED = 0x1040
};
static const uint8_t code[] = {
	0xe8, 0x0b, 0,    0,    0,    0x90, 0x90, 0x90, 0xff, 0xe0, 0xcc, 0xcc, 0xcc,
	0xcc, 0xcc, 0xcc, 0x90, 0x90, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xff, 0xd0,
	0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x90, 0x0f, 0x05, 0xcc, 0xcc, 0xcc, 0xcc,
	0xcc, 0xe8, 0xe3, 0xff, 0xff, 0xff, 0x0f, 0x05, 0xcc, 0x90, 0x48, 0xcf, 0xcc,
	0xcc, 0xcc, 0xcc, 0xcc, 0xe8, 0xd3, 0xff, 0xff, 0xff, 0x90, 0xff, 0xe0, 0xc3,
};

/*
 * Code at addresses of three functions of tests/golden/intel_pt/bin/rec, which gives the names:
 * deep   1159 je odd; 115b nop; 115c je 1159; 115e ret
 * odd    1185 je 1188; 1187 nop; 1188 ret
 * main   1257 call deep; 125c jmp rax
 */
enum { BIAS = 0x500000, DEEP = 0x501159, ODD = 0x501185, REC_MAIN = 0x501257 };
static const uint8_t deep[] = { 0x74, 0x2a, 0x90, 0x74, 0xfb, 0xc3 };
static const uint8_t odd[] = { 0x74, 0x01, 0x90, 0xc3 };
static const uint8_t rec_main[] = { 0xe8, 0xfd, 0xfe, 0xff, 0xff, 0xff, 0xe0 };

#define TSC(n) 0x19, (n) & 0xff, (n) >> 8 & 0xff, 0, 0, 0, 0, 0
#define CYC(n) ((n) << 3 | 3)
#define BEGIN(a) PSB, MODE_64, FUP(a), PSBEND
#define BEGIN_AT(a, time) PSB, TSC(time), MODE_64, FUP(a), PSBEND
/* The leaf returns to where it was called: one outcome, taken. */
#define RETURN TNT1(1)
#define TWO_ROUNDS                                                                                 \
	BEGIN_AT(MAIN, 100), RETURN, TSC(180), TIP(MAIN), RETURN, TSC(260), TIP(MAIN), PGD_BARE

enum { SLICES = 4 };

static struct tl_pt_image *image;
static char symbols[512]; /* path of rec */
static struct tl_pt_trace_slice slices[SLICES];
static size_t slice_count, next_slice;
static struct tl_pt_faults faults;
static struct tl_profile *profile;
static struct tl_pt_fold_options options;
static bool timed, named; /* with time; the functions up to KERNEL, and BEHIND, have names */

static inline int begin(void **state)
{
	(void)state;
	options = (struct tl_pt_fold_options){ .thread = TL_NOWHERE,
					       .process = TL_NOWHERE,
					       .cpu = TL_NOWHERE };
	slice_count = 0;
	timed = named = false;
	memset(&faults, 0, sizeof(faults));
	image = tl_pt_image_open("fold");
	return !image || tl_pt_image_add_memory(image, code, sizeof(code), NULL, AT, 1) < 0 ||
	       tl_pt_image_add_memory(image, deep, sizeof(deep), NULL, DEEP, 2) < 0 ||
	       tl_pt_image_add_memory(image, odd, sizeof(odd), NULL, ODD, 3) < 0 ||
	       tl_pt_image_add_memory(image, rec_main, sizeof(rec_main), NULL, REC_MAIN, 4) < 0;
}

static inline int end(void **state)
{
	(void)state;
	tl_profile_free(profile);
	profile = NULL;
	tl_pt_faults_free(&faults);
	tl_pt_image_close(image);
	return 0;
}

/* ---- the feed ---- */

static const struct {
	const char *name;
	uint64_t entry;
} listed[] = {
	{ "main", MAIN },       { "leaf", LEAF },     { "outer", OUTER },
	{ "handler", HANDLER }, { "caller", CALLER }, { "behind", BEHIND },
};

static inline int feed_next(void *arg, struct tl_pt_trace_slice *slice, struct tl_error *err)
{
	(void)arg;
	(void)err;
	if (next_slice >= slice_count)
		return 0;
	*slice = slices[next_slice++];
	return 1;
}

static inline void feed_rewind(void *arg)
{
	(void)arg;
	next_slice = 0;
}

static inline bool feed_place(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	(void)arg;
	if (ip >= BIAS) {
		*place = (struct tl_pt_mapping){ .start = BIAS,
						 .end = BIAS + 0x4000,
						 .object = "rec",
						 .file = symbols,
						 .bias = BIAS };
		return ip < BIAS + 0x4000;
	}
	*place = (struct tl_pt_mapping){ .start = AT, .end = AT + 0x1000, .object = "prog" };
	place->listed = named && (ip < KERNEL || (ip >= BEHIND && ip < UNNAMED));
	for (size_t i = 0; place->listed && i < sizeof(listed) / sizeof(listed[0]); i++)
		if (ip >= listed[i].entry) {
			place->name = listed[i].name;
			place->entry = listed[i].entry;
		}
	return ip >= AT && ip < AT + 0x1000;
}

/* A slice of a buffer of its own. */
static inline struct tl_pt_trace_slice *add_slice(const uint8_t *trace, size_t size,
						  uint64_t thread)
{
	struct tl_pt_trace_slice *slice = &slices[slice_count];

	*slice = (struct tl_pt_trace_slice){
		.config = { .size = sizeof(slice->config), .begin = trace, .end = trace + size },
		.to = size,
		.image = image,
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.stream = slice_count,
		.process = 1,
		.thread = thread,
		.cpu = TL_NOWHERE,
		.command = "",
	};
	slice_count++;
	return slice;
}

#define SLICE(thread, ...)                                                                         \
	static const uint8_t trace_##thread[] = { __VA_ARGS__ };                                   \
	add_slice(trace_##thread, sizeof(trace_##thread), thread)

/* A table of functions needs no contexts: what it has are the sums over those. */
static inline void compare_table(const struct tl_pt_feed *feed)
{
	struct tl_pt_fold_options sums_alone = options;
	struct tl_pt_faults again = { 0 };
	struct tl_profile *table;
	struct tl_error err;

	sums_alone.table = true;
	assert_int_equal(tl_pt_fold(feed, &sums_alone, &again, &table, &err), 0);
	assert_int_equal(again.count, faults.count);
	assert_int_equal(tl_profile_function_count(table), tl_profile_function_count(profile));
	for (uint32_t f = 0; f < tl_profile_function_count(table); f++) {
		const size_t size = tl_profile_event_count(table) * sizeof(int64_t);
		struct tl_function_totals have, wanted;
		struct tl_latency time, wanted_time;

		tl_profile_totals_of(table, f, TL_NONE, &have);
		tl_profile_totals_of(profile, f, TL_NONE, &wanted);
		assert_memory_equal(have.self, wanted.self, size);
		assert_memory_equal(have.inclusive, wanted.inclusive, size);
		assert_int_equal(have.calls, wanted.calls);
		assert_int_equal(have.unfinished, wanted.unfinished);
		assert_int_equal(have.cut, wanted.cut);
		assert_int_equal(tl_profile_latency_of(table, f, TL_NONE, &time),
				 tl_profile_latency_of(profile, f, TL_NONE, &wanted_time));
		if (tl_profile_latency_of(table, f, TL_NONE, &time))
			assert_memory_equal(&time, &wanted_time, sizeof(time));
	}
	tl_profile_free(table);
	tl_pt_faults_free(&again);
}

static inline void fold(void)
{
	const struct tl_pt_feed feed = {
		.next = feed_next,
		.rewind = feed_rewind,
		.mapping = feed_place,
		.timed = timed,
		.frequency = 1000,
	};
	struct tl_error err;

	assert_int_equal(tl_pt_fold(&feed, &options, &faults, &profile, &err), 0);
	if (!options.lines)
		compare_table(&feed);
}

/* ---- the profile ---- */

static inline uint32_t function_at(uint64_t address)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->address == address)
			return i;
	fail_msg("no function at %llx", (unsigned long long)address);
	return TL_NONE;
}

static inline uint32_t event_of(const char *name)
{
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		if (!strcmp(tl_profile_event(profile, i)->name, name))
			return i;
	fail_msg("no event %s", name);
	return TL_NONE;
}

/* `calls` that ended; of the outermost functions none did. */
static inline void want(const char *event, uint64_t address, uint64_t calls, int64_t self,
			int64_t inclusive)
{
	struct tl_function_totals totals;
	const uint32_t i = event_of(event);

	assert_int_equal(tl_profile_function_totals(profile, function_at(address), TL_NONE, &totals,
						    sizeof(totals)),
			 0);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.self[i], self);
	assert_int_equal(totals.inclusive[i], inclusive);
}

static inline struct tl_losses losses(void)
{
	struct tl_losses l;

	tl_profile_losses(profile, &l, sizeof(l));
	return l;
}

static inline int64_t total(const char *event)
{
	return tl_profile_total(profile)[event_of(event)];
}

/* A test of its own trace. */
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
