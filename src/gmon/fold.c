/* SPDX-License-Identifier: Apache-2.0 */
#include "gmon/fold.h"

#include "core/error.h"
#include "core/wide.h"
#include "gmon/propagate.h"
#include "gmon/symbols.h"
#include "profile/model/model.h"

enum { NS, SAMPLES, EVENTS };

/* A bin is divided into so many pieces at most, of two bytes as a rule. */
enum { PIECES = 64 };

struct folder {
	struct tl_gmon_file *g;
	struct tl_profile *profile;
	struct tl_gmon_symbols symbols;
	uint64_t records;
	bool no_rate;
};

static int make_profile(struct folder *f, struct tl_error *err)
{
	static const struct tl_event events[EVENTS] = {
		[NS] = { "time", "", "ns", "" },
		[SAMPLES] = { "samples", "", "samples", "" },
	};
	int status = tl_profile_make(&f->profile, "gmon", events, EVENTS, 1000000000, err);

	f->symbols.profile = f->profile;
	if (status == 0)
		tl_profile_set_call_count(f->profile, TL_CALLS_GIVEN);
	return status;
}

/* ---- histograms ---- */

/* What is left of a bin up to piece `number`: the pieces of a bin add up to it. */
static int64_t up_to(uint64_t whole, uint64_t number, uint64_t pieces)
{
	return (int64_t)(whole * number / pieces);
}

static int add_piece(struct folder *f, uint64_t address, const int64_t *cost, struct tl_error *err)
{
	struct tl_gmon_place place;
	int status = tl_gmon_place(&f->symbols, address, &place, err);
	const struct tl_cost_line line = {
		.function = place.function,
		.at = { .file = place.file, .line = place.line, .address = address },
	};

	if (status < 0)
		return status;
	return tl_profile_put_line(f->profile, &line, cost, err);
}

/*
 * A bin covers some bytes, which may be of several functions: as in gprof, each gets the share of
 * its bytes.
 */
static int add_bin(struct folder *f, const struct tl_gmon_record *record, uint32_t number,
		   uint64_t count, struct tl_error *err)
{
	const uint64_t low = tl_gmon_bin_address(record, number);
	const uint64_t size = tl_gmon_bin_address(record, number + 1) - low;
	const uint64_t ns = record->rate ? count * 1000000000 / record->rate : 0;
	uint64_t pieces = f->symbols.binary ? (size + 1) / 2 : 1;
	int status = 0;

	if (pieces > PIECES)
		pieces = PIECES;
	if (!pieces)
		pieces = 1;
	for (uint64_t i = 0; status == 0 && i < pieces; i++) {
		const int64_t cost[EVENTS] = {
			[NS] = up_to(ns, i + 1, pieces) - up_to(ns, i, pieces),
			[SAMPLES] = up_to(count, i + 1, pieces) - up_to(count, i, pieces),
		};

		status = add_piece(f, low + tl_scale_unsigned(size, i, pieces), cost, err);
	}
	return status;
}

static int add_histogram(struct folder *f, const struct tl_gmon_record *record,
			 struct tl_error *err)
{
	int status = 0;

	f->no_rate = f->no_rate || !record->rate;
	for (uint32_t i = 0; status == 0 && i < record->bin_count; i++) {
		const uint32_t count = tl_gmon_bin(f->g, record, i);

		if (count)
			status = add_bin(f, record, i, count, err);
	}
	return status;
}

/* ---- calls ---- */

/*
 * Where an address behind a call was called from. The call is in front of it, but glibc writes it
 * as a multiple of 16 bytes, and `gprof -s` as the first address of the caller: at the begin of a
 * function the address itself counts, as in gprof.
 */
static int place_caller(struct folder *f, uint64_t behind, struct tl_gmon_place *caller,
			uint64_t *address, struct tl_error *err)
{
	const uint64_t nameless = f->symbols.nameless;
	int status;

	*address = behind - 1;
	if (!f->symbols.binary)
		return tl_gmon_place(&f->symbols, *address, caller, err);
	status = tl_gmon_place(&f->symbols, behind, caller, err);
	if (status < 0 || f->symbols.nameless > nameless)
		return status;
	if (f->profile->functions.list[caller->function].address < behind)
		return tl_gmon_place(&f->symbols, *address, caller, err);
	*address = behind;
	return 0;
}

static int add_arc(struct folder *f, const struct tl_gmon_record *record, struct tl_error *err)
{
	struct tl_gmon_place caller = { .function = TL_NONE, .file = "" }, callee;
	struct tl_arc arc = { .part = 0, .calls = record->count };
	uint64_t from = 0;
	int status = 0;

	/* 0: nobody knows who called. */
	if (record->from)
		status = place_caller(f, record->from, &caller, &from, err);
	if (status == 0)
		status = tl_gmon_place(&f->symbols, record->self, &callee, err);
	if (status < 0)
		return status;
	arc.caller = caller.function;
	arc.callee = callee.function;
	arc.from =
		(struct tl_position){ .file = caller.file, .line = caller.line, .address = from };
	arc.to = (struct tl_position){ .file = callee.file,
				       .line = callee.line,
				       .address = record->self };
	return tl_profile_put_arc(f->profile, &arc, (const int64_t[EVENTS]){ 0 }, err);
}

static int add_record(struct folder *f, const struct tl_gmon_record *record, struct tl_error *err)
{
	f->records++;
	if (record->kind == TL_GMON_HISTOGRAM)
		return add_histogram(f, record, err);
	if (record->kind == TL_GMON_ARC)
		return add_arc(f, record, err);
	return 0; /* how often blocks ran is no cost; `dump` shows them */
}

/* ---- the whole ---- */

static int tell(struct folder *f, struct tl_error *err)
{
	struct tl_fault fault = { "names", NULL, TL_BAD_RECORD, TL_NOWHERE, 0, TL_NOWHERE };
	int status = 0;

	fault.text =
		f->symbols.binary
			? "addresses are outside of the functions of the binary: is it the one "
			  "that ran? They are named [unknown]"
			: "no binary: functions are named by addresses (--binary PROGRAM names "
			  "them)";
	if (f->symbols.nameless)
		status = tl_fault_note(&f->g->faults, &fault, err);
	fault.rule = "rate";
	fault.text = "a histogram does not say how often samples were taken: their time is 0";
	if (status == 0 && f->no_rate)
		status = tl_fault_note(&f->g->faults, &fault, err);
	fault.rule = "estimate";
	fault.status = TL_OK;
	fault.text = "the cost of calls is divided by their counts, as the file has no times of "
		     "calls";
	if (status == 0 && f->profile->arcs.table.count)
		status = tl_fault_note(&f->g->faults, &fault, err);
	return status;
}

static int add_records(struct folder *f, struct tl_error *err)
{
	const struct tl_part part = {
		.process = TL_NOWHERE, .thread = TL_NOWHERE, .command = "", .header = ""
	};
	struct tl_gmon_record record;
	int64_t number = tl_profile_put_part(f->profile, &part, err);
	int status = tl_profile_status(number);

	while (status == 0 && (status = tl_gmon_next(f->g, &record, err)) == 1)
		status = add_record(f, &record, err);
	if (number >= 0)
		f->profile->parts.list[number].records = f->records;
	return status;
}

int tl_gmon_fold(struct tl_gmon_file *g, struct tl_binary *binary, struct tl_profile **profile,
		 struct tl_error *err)
{
	struct folder f = { .g = g, .symbols = { .binary = binary } };
	int status = make_profile(&f, err);

	*profile = NULL;
	tl_gmon_rewind(g);
	if (status == 0)
		status = add_records(&f, err);
	if (status == 0 && !tl_gmon_propagate(f.profile))
		status = tl_error_memory(err);
	if (status == 0)
		status = tl_profile_finish(f.profile, err);
	if (status == 0)
		status = tell(&f, err);
	if (status == 0)
		*profile = f.profile;
	else
		tl_profile_free(f.profile);
	return tl_error_format(err, "gmon", status);
}
