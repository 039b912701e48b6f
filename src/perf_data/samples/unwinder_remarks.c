/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "perf_data/samples/remarks.h"
#include "perf_data/samples/unwinder.h"

static bool describe_objects(const struct tl_perf_unwinder *u, struct tl_perf_sample_remarks *r)
{
	for (size_t i = 0; i < u->object_count; i++) {
		const struct tl_perf_unwind_object *tables = &u->objects[i];
		const struct tl_perf_object *object = &u->sys->objects.list[i];
		const char *why = tables->cfi          ? "no unwind table says how its code goes on"
				  : tables->unreadable ? "its file cannot be read"
				  : object->reason     ? object->reason
						       : "it has no unwind tables";

		const char *path = u->sys->names.names[object->path].text;

		if (tables->by_frame &&
		    !tl_perf_sample_remark(r,
					   "%" PRIu64 " of %" PRIu64 " stacks go on in %s by the "
					   "frame pointer, and may lack a caller: %s",
					   tables->by_frame, u->stacks, path, why))
			return false;
		if (tables->ended &&
		    !tl_perf_sample_remark(r,
					   "%" PRIu64 " of %" PRIu64 " stacks end in %s, without "
					   "their callers: %s",
					   tables->ended, u->stacks, path, why))
			return false;
	}
	return true;
}

bool tl_perf_unwinder_describe(const struct tl_perf_unwinder *u, struct tl_perf_sample_remarks *r)
{
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ u->cut, "end with the bytes that were copied: callers further out are missing "
			  "(`perf record --call-graph dwarf,BYTES` copies up to 65528)" },
		{ u->lost, "end where the unwind tables lead nowhere" },
		{ u->unmapped, "end at an address where nothing was mapped" },
		{ u->unreadable,
		  "were not unwound: their registers are of another architecture, or "
		  "too few" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].count &&
		    !tl_perf_sample_remark(r, "%" PRIu64 " of %" PRIu64 " stacks (%.1f %%) %s",
					   rows[i].count, u->stacks,
					   100 * (double)rows[i].count / (double)u->stacks,
					   rows[i].what))
			return false;
	return describe_objects(u, r);
}
