/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel PT to profiles, listings and rules: any code, any trace. A byte of flags, two of the
 * code's size, the code, the trace. Profiles are made of it in up to eight pieces, between which
 * two threads take turns. Costs of functions and of lines must add up to the same.
 */
#include <stdlib.h>
#include <string.h>

#include <tracelathe/tracelathe.h>

#include "core/output.h"
#include "fuzz.h"
#include "mutator.h"
#include "parts.h"
#include "intel_pt/listing/check.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/listing/slice.h"
#include "intel_pt/listing/text.h"
#include "profile/model/unsized.h"

enum {
	HEAD = 3,
	ADDRESS = 0x401000,
	MOST = 1 << 14,
	/* A few bytes of trace can execute millions: listing them would take most of the time. */
	MOST_LISTED = 2000,
};

struct input {
	struct tl_pt_trace_slice piece;
	unsigned pieces, given;
};

static int next(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err)
{
	struct input *input = arg;
	uint64_t end = input->piece.to;

	(void)err;
	if (input->given == input->pieces)
		return 0;
	*piece = input->piece;
	piece->continues = input->given > 0;
	piece->thread = 1 + input->given % 2;
	piece->from = end * input->given++ / input->pieces;
	piece->to = end * input->given / input->pieces;
	return 1;
}

static void rewind_input(void *arg)
{
	((struct input *)arg)->given = 0;
}

static bool place(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	(void)arg;
	*place = (struct tl_pt_mapping){ .start = ADDRESS,
					 .end = ADDRESS + UINT16_MAX,
					 .object = "fuzz" };
	return ip >= ADDRESS && ip < place->end;
}

static int64_t sum_lines(const struct tl_profile *profile, uint32_t event)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		sum += tl_profile_line_cost(profile, i)[event];
	return sum;
}

/* A table of functions is made without contexts: its sums are those over contexts. */
static void compare_table(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
			  const struct tl_profile *profile)
{
	const size_t size = tl_profile_event_count(profile) * sizeof(int64_t);
	struct tl_pt_fold_options sums_alone = *options;
	struct tl_pt_faults faults = { 0 };
	struct tl_profile *table = NULL;
	struct tl_error err;

	sums_alone.table = true;
	FUZZ_MUST(tl_pt_fold(feed, &sums_alone, &faults, &table, &err) == 0);
	FUZZ_MUST(tl_profile_function_count(table) == tl_profile_function_count(profile));
	for (uint32_t f = 0; f < tl_profile_function_count(table); f++) {
		struct tl_function_totals have, wanted;

		tl_profile_totals_of(table, f, TL_NONE, &have);
		tl_profile_totals_of(profile, f, TL_NONE, &wanted);
		FUZZ_MUST(!memcmp(have.self, wanted.self, size));
		FUZZ_MUST(!memcmp(have.inclusive, wanted.inclusive, size));
		FUZZ_MUST(have.calls == wanted.calls && have.cut == wanted.cut &&
			  have.unfinished == wanted.unfinished);
	}
	tl_profile_free(table);
	tl_pt_faults_free(&faults);
}

static void fold(struct input *input, bool timed, bool lines)
{
	const struct tl_pt_feed feed = {
		.next = next, .rewind = rewind_input, .mapping = place, .arg = input, .timed = timed
	};
	const struct tl_pt_fold_options options = {
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.lines = lines,
	};
	struct tl_pt_faults faults = { 0 };
	struct tl_profile *profile = NULL;
	struct tl_error err;

	if (tl_pt_fold(&feed, &options, &faults, &profile, &err) == 0) {
		for (uint32_t e = 0; e < tl_profile_event_count(profile); e++)
			FUZZ_MUST(!lines || sum_lines(profile, e) == tl_profile_total(profile)[e]);
		if (!lines)
			compare_table(&feed, &options, profile);
	}
	tl_profile_free(profile);
	for (size_t i = 0; i < faults.listed; i++)
		FUZZ_MUST(tl_pt_fault_text(&faults.list[i]));
	tl_pt_faults_free(&faults);
}

static int put(void *arg, const struct tl_pt_violation *violation)
{
	(void)arg;
	FUZZ_MUST(violation->rule && violation->text);
	return 0;
}

static void check(const struct input *input, bool has_code)
{
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_error err;

	if (has_code)
		tl_pt_check_slice(&decoders, &input->piece, put, NULL, &err);
	else
		tl_pt_check_packets(&input->piece.config, put, NULL, &err);
	tl_pt_decoders_close(&decoders);
}

static bool among_the_first(void *arg, uint64_t ip)
{
	uint64_t *count = arg;

	(void)ip;
	return (*count)++ < MOST_LISTED;
}

static void list(const struct input *input, unsigned flags)
{
	uint64_t count = 0;
	const struct tl_pt_show show = { .flags = flags | TL_PT_TEXT_RESYNC,
					 .wanted = among_the_first,
					 .arg = &count };
	struct tl_output *out;
	struct tl_error err;

	if (tl_output_open_memory(&out, &err) < 0)
		return;
	tl_pt_dump_flow(&input->piece.config, input->piece.image, &show, out, NULL, NULL, NULL,
			&err);
	tl_pt_dump_packets(&input->piece.config, &show, out, NULL, NULL, &err);
	tl_output_discard(out);
}

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	size_t code;

	if (size < HEAD)
		return (struct fuzz_range){ 0, 0 };
	code = data[1] | (size_t)data[2] << 8;
	if (code > size - HEAD)
		code = size - HEAD;
	fuzz_put(data + 1, code, 2);
	return (struct fuzz_range){ HEAD + code, size };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {
		.piece = { .process = 1, .thread = 1, .cpu = TL_NOWHERE, .command = "" },
	};
	struct tl_pt_config *config = &input.piece.config;
	struct tl_pt_byte_range part;
	struct tl_error err;
	size_t code;

	if (size < HEAD || size > MOST)
		return 0;
	input.pieces = 1 + (data[0] >> 4 & 7);
	code = data[1] | (size_t)data[2] << 8;
	if (code > size - HEAD)
		code = size - HEAD;
	input.piece.image = tl_pt_image_open(NULL);
	FUZZ_MUST(input.piece.image);
	if (code)
		tl_pt_image_add_memory(input.piece.image, data + HEAD, code, NULL, ADDRESS, 0);
	*config = (struct tl_pt_config){
		.size = sizeof(*config),
		.begin = data + HEAD + code,
		.end = data + size,
		.mtc_freq = 3,
		.nom_freq = 4,
		.cpuid_15_eax = 1,
		.cpuid_15_ebx = 4,
		.errata = data[0] & 0x80 ? 0x3ff : 0,
	};
	input.piece.asid = (struct tl_pt_asid){ TL_PT_ANY, TL_PT_ANY };
	input.piece.to = (uint64_t)(config->end - config->begin);
	exercise_chosen_by(data, size);
	if (exercise_way(4) < 2)
		fold(&input, data[0] & 1, data[0] & 2);
	if (exercise_does(2, 4))
		list(&input, TL_PT_TEXT_BLOCKS | TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS |
				     TL_PT_TEXT_DISASSEMBLE | TL_PT_TEXT_TIME |
				     (data[0] & 4 ? TL_PT_TEXT_JSON : 0) |
				     (data[0] & 8 ? TL_PT_TEXT_BY_BLOCK : 0));
	if (exercise_does(3, 4))
		check(&input, code != 0);
	tl_pt_slice_time(config, 10, 20, &part, &err);
	tl_pt_image_close(input.piece.image);
	return 0;
}
