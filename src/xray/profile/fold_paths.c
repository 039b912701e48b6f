/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling mode is a tree of call paths already. Its ticks include those of all paths below,
 * whatever the runtime calls them (docs/formats/xray.md, 2.9), so self cost is the difference to
 * the entries below a path.
 *
 * Ticks are signed. If an exception or longjmp ends a call, the runtime subtracts too much: the
 * path has negative ticks, or fewer than the paths below it. Its time is unknown then. Its calls
 * count, and the rest of the nearest path with a known time goes to a row "(unknown)" below that
 * path.
 */
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/model/model.h"
#include "xray/profile/fold.h"
#include "xray/profile/fold_paths.h"

/* Sums of a path, by context. */
struct sum {
	int64_t ticks;     /* as they stand */
	int64_t below;     /* of the paths below it, as far as they are known */
	const char *fault; /* why its time is unknown; NULL: it is known, or it has no entry */
	uint64_t offset;   /* that of the first entry */
	bool seen;         /* it has an entry of its own, not only paths below it */
	bool vague_below;  /* the time of a path directly below it is unknown */
};

struct sums {
	struct tl_profile *profile;
	struct tl_xray_uses *uses;
	struct sum *list;
	size_t count, capacity;
};

/* ---- entries ---- */

/* The context of a path, added if it is new; negative without memory. */
static int64_t context_of(struct tl_profile *profile, struct tl_xray_map *map,
			  const struct tl_xray_record *record, uint32_t part, struct tl_error *err)
{
	int64_t context = TL_NONE;

	for (uint32_t i = record->path_length; i-- > 0;) {
		int64_t function =
			tl_xray_profile_function(profile, map, (uint32_t)record->path[i], err);

		if (function < 0)
			return function;
		context = tl_profile_add_context(profile, (uint32_t)context, (uint32_t)function,
						 part, err);
		if (context < 0)
			return context;
	}
	return context;
}

static bool reserve(struct sums *sums, size_t count)
{
	if (!tl_grow(&sums->list, &sums->capacity, count, sizeof(*sums->list)))
		return false;
	for (; sums->count < count; sums->count++)
		sums->list[sums->count] = (struct sum){ .offset = TL_NOWHERE };
	return true;
}

static int add_sample(struct sums *sums, struct tl_xray_map *map,
		      const struct tl_xray_record *record, uint32_t part, struct tl_error *err)
{
	static const uint8_t entered = 1 << TL_XRAY_ENTER;
	static const int64_t nothing;
	struct tl_profile *profile = sums->profile;
	int64_t context = context_of(profile, map, record, part, err);
	struct sum *sum;

	if (context < 0)
		return (int)context;
	if (map && !tl_xray_note_uses(sums->uses, (const uint32_t *)record->path, &entered,
				      record->path_length != 0))
		return tl_error_memory(err);
	if (!reserve(sums, profile->contexts.table.count))
		return tl_error_memory(err);
	sum = &sums->list[context];
	if (!sum->seen)
		sum->offset = record->offset;
	sum->seen = true;
	tl_add_cost(&sum->ticks, (int64_t)record->tsc, &profile->losses.saturated);
	tl_profile_add_context_cost(profile, (uint32_t)context, record->value, &nothing);
	return 0;
}

static int fold_thread(struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
		       struct tl_xray_map *map, struct sums *sums, struct tl_error *err)
{
	struct tl_part part = tl_xray_part_of(thread);
	struct tl_profile *profile = sums->profile;
	int64_t number = tl_profile_put_part(profile, &part, err);
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	int status;

	if (number < 0)
		return (int)number;
	tl_xray_stream_open(&stream, reader, reader->order, thread->begin, thread->end,
			    &reader->faults);
	while ((status = tl_xray_stream_next(&stream, &record, err)) == 1) {
		profile->parts.list[number].records++;
		if (record.kind == TL_XRAY_LOST) {
			profile->parts.list[number].losses.gaps++;
			profile->parts.list[number].losses.skipped_bytes += record.length;
		} else {
			status = add_sample(sums, map, &record, (uint32_t)number, err);
			if (status < 0)
				break;
		}
	}
	tl_xray_stream_end(&stream);
	return status;
}

/* ---- times ---- */

/* Why the time of a path is unknown; NULL: it is known. */
static const char *fault_of(const struct sum *sum)
{
	if (sum->ticks < 0)
		return "a path with negative ticks, which the runtime writes after exceptions and "
		       "longjmp: its time is "
		       "unknown; kept its calls";
	if (sum->ticks < sum->below)
		return "a path with fewer ticks than the paths below it: its time is unknown; kept "
		       "its calls";
	return NULL;
}

/* Time of the paths directly below `parent` that cannot be attributed to one of them. */
static int add_unknown(struct tl_profile *profile, uint32_t parent, int64_t ticks,
		       struct tl_error *err)
{
	static const struct tl_function unknown = {
		.name = "(unknown)", .object = "", .file = "", .id = TL_NOWHERE
	};
	int64_t function = tl_profile_put_function(profile, &unknown, err), context;

	if (function < 0)
		return (int)function;
	context = tl_profile_add_context(profile, parent, (uint32_t)function,
					 profile->contexts.list[parent].part, err);
	if (context < 0)
		return (int)context;
	tl_profile_add_context_cost(profile, (uint32_t)context, 0, &ticks);
	return 0;
}

/*
 * A path has a greater number than the path it extends, so a loop from the last one down meets all
 * paths below a path before it.
 */
static int settle_times(struct sums *sums, struct tl_error *err)
{
	struct tl_profile *profile = sums->profile;
	int status = 0;

	for (size_t i = sums->count; status == 0 && i-- > 0;) {
		struct sum *sum = &sums->list[i];
		bool known = sum->seen && !fault_of(sum);
		int64_t self = known ? sum->ticks - sum->below : 0;
		uint32_t parent = profile->contexts.list[i].parent;

		if (parent != TL_NONE) {
			tl_add_cost(&sums->list[parent].below, known ? sum->ticks : sum->below,
				    &profile->losses.saturated);
			sums->list[parent].vague_below |= !known;
		}
		sum->fault = sum->seen ? fault_of(sum) : NULL;
		if (self && sum->vague_below)
			status = add_unknown(profile, (uint32_t)i, self, err);
		else if (self)
			tl_profile_add_context_cost(profile, (uint32_t)i, 0, &self);
	}
	return status;
}

static int tell_doubts(const struct sums *sums, tl_xray_doubt_fn *doubt, void *arg)
{
	const struct tl_profile *profile = sums->profile;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sums->count; i++) {
		const struct sum *sum = &sums->list[i];

		if (sum->fault)
			status = doubt(arg, sum->offset,
				       profile->parts.list[profile->contexts.list[i].part].thread,
				       sum->fault);
	}
	return status;
}

int tl_xray_fold_paths(struct tl_xray_reader *reader, struct tl_xray_map *map,
		       const struct tl_xray_fold_options *options, struct tl_profile *profile,
		       tl_xray_doubt_fn *doubt, void *arg, struct tl_error *err)
{
	struct sums sums = { .profile = profile, .uses = &reader->uses };
	int status = 0;

	for (size_t i = 0; status == 0 && i < reader->thread_count; i++)
		if (tl_xray_thread_wanted(options, &reader->threads[i]))
			status = fold_thread(reader, &reader->threads[i], map, &sums, err);
	if (status == 0)
		status = settle_times(&sums, err);
	if (status == 0)
		status = tell_doubts(&sums, doubt, arg);
	free(sums.list);
	return status;
}

struct noting {
	struct tl_xray_reader *reader;
	struct tl_error *err;
};

static int note_doubt(void *arg, uint64_t offset, uint64_t thread, const char *text)
{
	const struct noting *to = arg;
	/* clang-format off */
	const struct tl_xray_fault fault = {
		.status = TL_BAD_RECORD, .text = text, .offset = offset, .record = TL_NOWHERE,
	};
	/* clang-format on */

	(void)thread;
	if (!tl_xray_fault(&to->reader->faults, &fault))
		return tl_error_memory(to->err);
	return to->reader->options.strict ? tl_error_at(to->err, TL_BAD_RECORD, offset, text) : 0;
}

int tl_xray_fold_profiling(struct tl_xray_reader *reader, struct tl_xray_map *map,
			   const struct tl_xray_fold_options *options, struct tl_profile *profile,
			   struct tl_error *err)
{
	struct noting to = { reader, err };

	return tl_xray_fold_paths(reader, map, options, profile, note_doubt, &to, err);
}
