/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling mode is a call trie already. Its ticks are those of a call and all calls below it, whatever the runtime's
 * name for them says (docs/formats/xray.md, 2.9): self cost is what the entries below a path leave of it.
 */
#include "core/error.h"
#include "profile/model.h"
#include "xray/fold.h"

/* The context of a path, made as needed; negative without memory. */
static int64_t context_of(struct tl_profile *profile, struct tl_xray_map *map, const struct tl_xray_record *record,
			  uint32_t part, struct tl_error *err)
{
	int64_t context = TL_NONE;

	for (uint32_t i = record->path_length; i-- > 0;) {
		int64_t function = tl_xray_profile_function(profile, map, (uint32_t)record->path[i], err);

		if (function < 0)
			return function;
		context = tl_profile_add_context(profile, (uint32_t)context, (uint32_t)function, part, err);
		if (context < 0)
			return context;
	}
	return context;
}

static int add_sample(struct tl_profile *profile, struct tl_xray_map *map, const struct tl_xray_record *record,
		      uint32_t part, struct tl_error *err)
{
	int64_t context = context_of(profile, map, record, part, err);
	int64_t ticks = record->tsc > INT64_MAX ? INT64_MAX : (int64_t)record->tsc;
	int64_t below = -ticks;
	uint32_t parent;

	if (context < 0)
		return (int)context;
	tl_profile_add_context_cost(profile, (uint32_t)context, record->value, &ticks);
	parent = profile->contexts[context].parent;
	if (parent != TL_NONE)
		tl_profile_add_context_cost(profile, parent, 0, &below);
	return 0;
}

static int fold_thread(struct tl_xray_reader *reader, const struct xray_thread *thread, struct tl_xray_map *map,
		       struct tl_profile *profile, struct tl_error *err)
{
	struct tl_part part = { .process = (uint32_t)thread->process, .thread = (uint32_t)thread->thread };
	int64_t number = tl_profile_add_part(profile, &part, err);
	struct tl_xray_record record;
	struct xray_stream stream;
	int status;

	if (number < 0)
		return (int)number;
	tl_xray_stream_open(&stream, reader, reader->order, thread->begin, thread->end, &reader->faults);
	while ((status = tl_xray_stream_next(&stream, &record, err)) == 1) {
		profile->parts[number].records++;
		if (record.kind == TL_XRAY_LOST) {
			profile->parts[number].losses.gaps++;
			profile->parts[number].losses.skipped_bytes += record.length;
		} else {
			status = add_sample(profile, map, &record, (uint32_t)number, err);
			if (status < 0)
				break;
		}
	}
	tl_xray_stream_end(&stream);
	return status;
}

int tl_xray_fold_profiling(struct tl_xray_reader *reader, struct tl_xray_map *map,
			   const struct tl_xray_fold_options *options, struct tl_profile *profile,
			   struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < reader->thread_count; i++)
		if (tl_xray_thread_wanted(options, &reader->threads[i]))
			status = fold_thread(reader, &reader->threads[i], map, profile, err);
	return status;
}
