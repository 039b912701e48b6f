/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, parts and filters of both folds. */
#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "profile/model/unsized.h"
#include "xray/map/map.h"
#include "xray/profile/fold.h"

bool tl_xray_thread_wanted(const struct tl_xray_fold_options *options,
			   const struct tl_xray_thread *thread)
{
	struct tl_part part = tl_xray_part_of(thread);

	return (options->thread == TL_NOWHERE || options->thread == part.thread) &&
	       (options->process == TL_NOWHERE || options->process == part.process);
}

struct tl_part tl_xray_part_of(const struct tl_xray_thread *thread)
{
	if (thread->child)
		return (struct tl_part){ .process = TL_NOWHERE,
					 .thread = TL_NOWHERE,
					 .number = thread->child };
	/* Version 1, and basic mode before version 3, tell no process; none has number 0. */
	return (struct tl_part){ .process =
					 thread->process ? (uint32_t)thread->process : TL_NOWHERE,
				 .thread = (uint32_t)thread->thread };
}

uint64_t tl_xray_first_tsc(const struct tl_xray_reader *reader)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < reader->block_count; i++)
		if (reader->blocks[i].timed && reader->blocks[i].first_tsc < first)
			first = reader->blocks[i].first_tsc;
	return first == UINT64_MAX ? 0 : first;
}

int64_t tl_xray_profile_function(struct tl_profile *profile, struct tl_xray_map *map, uint32_t id,
				 struct tl_error *err)
{
	struct tl_xray_function known;
	struct tl_function function = { .id = id };
	char unnamed[16];

	if (id == TL_XRAY_LOST_ID)
		return tl_profile_put_function(
			profile, &(struct tl_function){ .name = "(lost)", .id = TL_NOWHERE }, err);
	snprintf(unnamed, sizeof(unnamed), "#%" PRIu32, id);
	function.name = unnamed;
	if (map && tl_xray_map_lookup(map, id, &known)) {
		if (*known.name)
			function.name = known.name;
		function.file = known.file;
		function.object = known.object;
		function.line = known.line;
		function.address = known.address;
	}
	if (map && tl_xray_map_short_of_memory(map))
		return tl_error_memory(err);
	return tl_profile_put_function(profile, &function, err);
}
