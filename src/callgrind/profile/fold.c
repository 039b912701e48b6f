/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items to a profile. For tables and trees (TL_CALLGRIND_FUNCTIONS) consecutive self costs of one
 * function are summed up and added once, so that no line needs a lookup. The plain way, which gives
 * the same sums, is fold_line(): one line of the profile for each cost line (TL_CALLGRIND_LINES).
 */
#include "callgrind/profile/fold.h"

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "profile/model/unsized.h"

/* ---- parts ---- */

static struct tl_event event_of(const struct tl_callgrind_reader *reader, uint32_t number)
{
	const struct tl_callgrind_event *event = &reader->events.list[number];

	return (struct tl_event){
		.name = tl_callgrind_name(reader, event->name),
		.long_name = tl_callgrind_name(reader, event->long_name),
	};
}

static int make_profile(struct tl_callgrind_folder *f, struct tl_error *err)
{
	const struct tl_callgrind_reader *reader = f->reader;
	struct tl_event event = event_of(reader, reader->columns.events[0]);
	int status = tl_profile_make(&f->profile, "callgrind", &event, 1, 0, err);

	if (status < 0)
		return status;
	tl_profile_set_call_count(f->profile, TL_CALLS_GIVEN);
	if (!tl_profile_take_names(f->profile, &f->names))
		return tl_error_memory(err);
	f->reader->names.pool = &f->profile->names;
	f->empty = tl_profile_intern(f->profile, "", 0);
	if (!f->empty)
		return tl_error_memory(err);
	return 0;
}

/* "parts with other events are mapped by name" (rule H). */
static int map_columns(struct tl_callgrind_folder *f, struct tl_error *err)
{
	const struct tl_callgrind_reader *reader = f->reader;

	if (!tl_grow(&f->columns, &f->column_capacity, reader->columns.count,
		     sizeof(*f->columns)) ||
	    !tl_grow(&f->summed.costs, &f->summed.capacity, reader->columns.count,
		     sizeof(*f->summed.costs)))
		return tl_error_memory(err);
	for (size_t i = 0; i < reader->columns.count; i++) {
		struct tl_event event = event_of(reader, reader->columns.events[i]);
		int64_t number = tl_profile_add_event(f->profile, &event, err);

		if (number < 0)
			return (int)number;
		f->columns[i] = (uint32_t)number;
	}
	f->column_count = reader->columns.count;
	memset(f->summed.costs, 0, f->column_count * sizeof(*f->summed.costs));
	return 0;
}

static bool is_selected(const struct tl_callgrind_folder *f,
			const struct tl_callgrind_part_state *part)
{
	const struct tl_callgrind_fold_options *o = &f->options;

	return (o->part == TL_NOWHERE ||
		o->part == (part->number ? part->number : f->part.place)) &&
	       (o->thread == TL_NOWHERE || o->thread == part->thread) &&
	       (o->process == TL_NOWHERE || o->process == part->process);
}

/* Called when the header of a part is complete: at its first cost, or at its end. */
static int begin_part(struct tl_callgrind_folder *f, struct tl_error *err)
{
	const struct tl_callgrind_part_state *part = &f->reader->part;
	struct tl_part made = {
		.process = part->process,
		.thread = part->thread,
		.number = part->number,
		.command = tl_callgrind_name(f->reader, part->command),
		.header = tl_text_or_empty(part->header),
	};
	int status = 0;
	int64_t number;

	f->part.ready = true;
	f->part.place++;
	f->part.selected = f->reader->columns.count && is_selected(f, part);
	f->summed.function = TL_NONE;
	if (!f->reader->columns.count)
		return 0;
	if (!f->profile)
		status = make_profile(f, err);
	if (status == 0)
		status = map_columns(f, err);
	if (status < 0 || !f->part.selected)
		return status;
	number = tl_profile_put_part(f->profile, &made, err);
	f->part.number = (uint32_t)number;
	if (number < 0)
		return (int)number;
	return f->packing.wanted ? tl_callgrind_packing_part(f, err) : 0;
}

/* ---- costs ---- */

static void add_costs(struct tl_callgrind_folder *f, int64_t *row, const int64_t *costs,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		tl_add_cost(&row[f->columns[i]], costs[i], &f->profile->losses.saturated);
}

static uint32_t part_of(const struct tl_callgrind_folder *f)
{
	if (f->options.detail != TL_CALLGRIND_LINES && !f->options.per_part)
		return TL_NONE;
	return f->part.number;
}

int tl_callgrind_put_summed(struct tl_callgrind_folder *f, struct tl_error *err)
{
	struct tl_cost_line line = { .function = f->summed.function, .part = part_of(f) };
	int64_t *row;

	if (f->summed.function == TL_NONE)
		return 0;
	line.at.file = f->profile->functions.list[f->summed.function].file;
	f->summed.function = TL_NONE;
	if (line.part != TL_NONE)
		row = tl_profile_line_row(f->profile, &line);
	else
		row = tl_profile_line_each(f->profile)
			      ? f->profile->lines.table.cost +
					(size_t)line.function * f->profile->event_count
			      : NULL;
	if (!row)
		return tl_error_memory(err);
	add_costs(f, row, f->summed.costs, f->column_count);
	memset(f->summed.costs, 0, f->column_count * sizeof(*f->summed.costs));
	return 0;
}

static bool same_owner(const struct tl_callgrind_owner *a, const struct tl_callgrind_owner *b)
{
	return a->function == b->function && a->file == b->file && a->object == b->object;
}

static int sum_function(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			struct tl_error *err)
{
	if (f->summed.function == TL_NONE || !same_owner(&f->summed.owner, &item->owner)) {
		int status = tl_callgrind_put_summed(f, err);

		if (status < 0)
			return status;
		f->summed.function = tl_callgrind_folded_function(f, &item->owner);
		f->summed.owner = item->owner;
		if (f->summed.function == TL_NONE)
			return tl_error_memory(err);
	}
	for (uint32_t i = 0; i < item->cost_count; i++)
		tl_add_cost(&f->summed.costs[i], item->costs[i], &f->profile->losses.saturated);
	return 0;
}

/* A line number of the profile has 32 bits. The reader has reported lines that are larger. */
static struct tl_position position_of(const struct tl_callgrind_folder *f,
				      const struct tl_callgrind_position *place, uint32_t file)
{
	return (struct tl_position){
		.file = tl_callgrind_folded_text(f, file),
		.address = place->address,
		.block = place->block,
		.line = (uint32_t)tl_min(place->line, UINT32_MAX),
	};
}

static int fold_line(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		     struct tl_error *err)
{
	struct tl_cost_line line = { .function = tl_callgrind_folded_function(f, &item->owner),
				     .part = f->part.number };
	int64_t *row;

	if (line.function == TL_NONE)
		return tl_error_memory(err);
	line.at = position_of(f, &item->at, item->file);
	row = tl_profile_line_row(f->profile, &line);
	if (!row)
		return tl_error_memory(err);
	add_costs(f, row, item->costs, item->cost_count);
	return 0;
}

static int fold_cost(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		     struct tl_error *err)
{
	if (f->options.detail == TL_CALLGRIND_LINES)
		return fold_line(f, item, err);
	return sum_function(f, item, err);
}

static int fold_call(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		     struct tl_error *err)
{
	struct tl_arc arc = {
		.caller = tl_callgrind_folded_function(f, &item->owner),
		.callee = tl_callgrind_folded_function(f, &item->target),
		.part = part_of(f),
		.from = { .file = f->empty },
		.to = { .file = f->empty },
		.calls = item->count,
	};
	int64_t *row;

	if (arc.caller == TL_NONE || arc.callee == TL_NONE)
		return tl_error_memory(err);
	if (f->options.detail == TL_CALLGRIND_LINES) {
		arc.from = position_of(f, &item->at, item->file);
		arc.to = position_of(f, &item->to, item->target.file);
	}
	row = tl_profile_arc_row(f->profile, &arc);
	if (!row)
		return tl_error_memory(err);
	add_costs(f, row, item->costs, item->cost_count);
	return 0;
}

static int fold_jump(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		     struct tl_error *err)
{
	struct tl_jump jump = {
		.part = f->part.number,
		.executed = item->count,
		.taken = item->taken,
		.conditional = item->conditional,
	};

	if (f->options.detail != TL_CALLGRIND_LINES)
		return 0;
	jump.function = tl_callgrind_folded_function(f, &item->owner);
	jump.target = item->target.function == TL_NONE
			      ? jump.function
			      : tl_callgrind_folded_function(f, &item->target);
	if (jump.function == TL_NONE || jump.target == TL_NONE)
		return tl_error_memory(err);
	jump.from = position_of(f, &item->at, item->file);
	jump.to = position_of(f, &item->to, item->target.file);
	return tl_profile_put_jump(f->profile, &jump, err);
}

/* ---- items ---- */

/* Shares have no function in common, so that each finds few. Names have the numbers of the file. */
static bool is_of_share(const struct tl_callgrind_folder *f, const struct tl_callgrind_item *item)
{
	return f->options.shares < 2 ||
	       item->owner.function % f->options.shares == f->options.share;
}

static int end_part(struct tl_callgrind_folder *f, struct tl_error *err)
{
	int status = f->part.ready ? 0 : begin_part(f, err);
	const struct tl_callgrind_faults *faults = &f->reader->faults;

	if (status == 0 && f->profile)
		status = tl_callgrind_put_summed(f, err);
	f->part.ready = false;
	if (status == 0 && f->part.selected) {
		struct tl_part *part = &f->profile->parts.list[f->part.number];

		part->records = f->part.records;
		part->losses.skipped_records = faults->count - f->part.faults;
		part->losses.skipped_bytes = faults->skipped_bytes - f->part.skipped_bytes;
	}
	f->part.records = 0;
	f->part.faults = faults->count;
	f->part.skipped_bytes = faults->skipped_bytes;
	return status;
}

typedef int fold_fn(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		    struct tl_error *err);

/* By whether the profile is packed. */
static fold_fn *const fold_item[2][TL_CALLGRIND_KIND_COUNT] = {
	{
		[TL_CALLGRIND_COST] = fold_cost,
		[TL_CALLGRIND_CALL] = fold_call,
		[TL_CALLGRIND_JUMP] = fold_jump,
	},
	{
		[TL_CALLGRIND_COST] = tl_callgrind_pack_line,
		[TL_CALLGRIND_CALL] = tl_callgrind_pack_call,
		[TL_CALLGRIND_JUMP] = tl_callgrind_pack_jump,
	},
};

int tl_callgrind_lend_names(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader,
			    struct tl_error *err)
{
	if (tl_lines_passed(&reader->lines))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the reader is not at its beginning");
	reader->names.pool = f->profile ? &f->profile->names : &f->names;
	if (tl_names_add(reader->names.pool, "", 0) == TL_NONE)
		return tl_error_memory(err);
	return 0;
}

void tl_callgrind_take_names_back(struct tl_callgrind_reader *reader)
{
	tl_callgrind_names_free(&reader->names);
	reader->names = (struct tl_callgrind_names){ .pool = &reader->names.own };
	reader->part.command = reader->part.creator = 0;
	reader->columns.count = reader->events.count = 0;
}

/* Before the cut there are no items to fold; what is counted is how many parts end there. */
static void pass_skimmed(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader)
{
	if (fold_item[0][reader->item.kind])
		tl_callgrind_give_up_cut(reader);
	f->part.place = reader->part.ordinal;
}

int tl_callgrind_fold_items(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader,
			    struct tl_error *err)
{
	const struct tl_callgrind_item *item = &reader->item;
	int status;

	f->reader = reader;
	f->packing.text = (struct tl_callgrind_packing_text){ NULL, NULL, 0 };
	reader->by_function.wanted = f->options.detail == TL_CALLGRIND_FUNCTIONS;
	f->part.faults = f->part.skipped_bytes = f->part.records = 0;
	while ((status = tl_callgrind_step(reader, err)) > 0) {
		fold_fn *fold = fold_item[f->packing.wanted][item->kind];

		if (__builtin_expect(reader->cut.skims, 0)) {
			pass_skimmed(f, reader);
		} else if (fold) {
			status = f->part.ready ? 0 : begin_part(f, err);
			if (status == 0 && !is_of_share(f, item))
				continue;
			f->part.records += item->kind == TL_CALLGRIND_COST ? item->count : 1;
			if (status == 0 && f->part.selected)
				status = fold(f, item, err);
			if (status == 0 && f->packing.wanted && f->part.selected)
				status = tl_callgrind_pack_lines(f, err);
		} else if (item->kind == TL_CALLGRIND_PART_END) {
			status = end_part(f, err);
		}
		if (status < 0)
			break;
	}
	return status;
}

static int fold_reader(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader,
		       struct tl_error *err)
{
	int status = tl_callgrind_lend_names(f, reader, err);

	if (status == 0)
		status = tl_callgrind_fold_items(f, reader, err);
	if (status == 0)
		status = tl_callgrind_note_inherited(f, reader, err);
	tl_callgrind_take_names_back(reader);
	return status;
}

/* ---- the whole ---- */

static int nothing_read(struct tl_callgrind_reader *const *readers, size_t count,
			struct tl_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (tl_lines_passed(&readers[i]->lines))
			return tl_error_at(err, TL_BAD_FORMAT, 0,
					   "no events: line anywhere, so no costs can be read");
	return tl_error_at(
		err, TL_TRUNCATED, 0,
		"the file is empty; with --separate-threads=yes the data is in FILE-01, FILE-02, "
		"...");
}

int tl_callgrind_fold_finish(struct tl_callgrind_folder *f, struct tl_error *err)
{
	int status = tl_callgrind_add_inherited(f, err);

	if (status == 0 && f->options.detail == TL_CALLGRIND_FUNCTIONS && !f->options.per_part &&
	    !tl_profile_line_each(f->profile))
		status = tl_error_memory(err);
	free(f->known);
	f->known = NULL;
	/* Every sum that does not fit is counted, also of formulas; what cancels is not there. */
	if (status == 0 && f->profile->pack &&
	    (tl_pack_is_large(f->profile->pack) || f->profile->pack->negative ||
	     f->inherited_count))
		status = tl_profile_unpack(f->profile, err);
	if (status < 0)
		return status;
	return tl_profile_finish(f->profile, err);
}

void tl_callgrind_fold_free(struct tl_callgrind_folder *f)
{
	tl_callgrind_free_inherited(f);
	tl_names_free(&f->names);
	free(f->known);
	free(f->columns);
	free(f->summed.costs);
	free(f->packing.row);
}

void tl_callgrind_fold_begin(struct tl_callgrind_folder *f,
			     const struct tl_callgrind_fold_options *options)
{
	*f = (struct tl_callgrind_folder){
		.options = { .part = TL_NOWHERE, .thread = TL_NOWHERE, .process = TL_NOWHERE },
		.summed = { .function = TL_NONE },
	};
	if (options)
		tl_take(&f->options, sizeof(f->options), options, options->size);
}

static int fold_all(bool packed, struct tl_callgrind_reader *const *readers, size_t count,
		    const struct tl_callgrind_fold_options *options, struct tl_profile **profile,
		    struct tl_error *err)
{
	struct tl_callgrind_folder f;
	int status = 0;

	*profile = NULL;
	if (options && options->size < sizeof(*options))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_callgrind_fold_options is too small");
	tl_callgrind_fold_begin(&f, options);
	f.packing.wanted = packed;
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = fold_reader(&f, readers[i], err);
		if (status < 0 && f.options.failed)
			*f.options.failed = i;
	}
	if (status == 0)
		status = f.profile ? tl_callgrind_fold_finish(&f, err)
				   : nothing_read(readers, count, err);
	tl_callgrind_fold_free(&f);
	if (status < 0) {
		tl_profile_free(f.profile);
		return tl_error_format(err, "callgrind", status);
	}
	*profile = f.profile;
	return 0;
}

int tl_callgrind_fold(struct tl_callgrind_reader *const *readers, size_t count,
		      const struct tl_callgrind_fold_options *options, struct tl_profile **profile,
		      struct tl_error *err)
{
	return fold_all(false, readers, count, options, profile, err);
}

int tl_callgrind_fold_packed(struct tl_callgrind_reader *const *readers, size_t count,
			     const struct tl_callgrind_fold_options *options,
			     struct tl_profile **profile, struct tl_error *err)
{
	return fold_all(true, readers, count, options, profile, err);
}
