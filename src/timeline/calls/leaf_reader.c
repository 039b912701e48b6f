/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "timeline/calls/tracks.h"

static int read_stored(struct tl_leaf_reader *reader, const struct tl_call_leaf *leaf,
		       struct tl_error *err)
{
	struct tl_packed *packed = &reader->packed;
	/* The bytes are our own, but may have gone through a file. */
	struct tl_spool *spool = (struct tl_spool *)&reader->tracks->spool;
	int status;

	if (!tl_grow(&packed->bytes, &packed->capacity, (size_t)leaf->size + 1, 1))
		return tl_error_memory(err);
	status = tl_spool_read(spool, leaf->offset, packed->bytes, leaf->size, err);
	if (status < 0)
		return status;
	if (!tl_steps_unpack(&reader->steps, leaf->ticks, packed->bytes, leaf->size))
		return reader->steps.no_memory
			       ? tl_error_memory(err)
			       : tl_error_at(err, TL_BAD_RECORD, TL_NOWHERE,
					     "the calls that were kept cannot be read again");
	return 0;
}

/* What a leaf is known by. */
struct outcome {
	uint64_t calls; /* that begin in it */
	uint32_t lowest, depth;
};

/*
 * Whether the leaf is what was built: frames and later leaves are counted on from there. It is not
 * where the trace has changed, or where an index from a file tells of another one.
 */
static int check_outcome(const struct tl_call_track *track, size_t number,
			 const struct outcome *found, struct tl_error *err)
{
	uint64_t end = number + 1 < track->leaf_count ? track->leaves[number + 1].first_call
						      : track->calls;

	if (found->lowest == track->leaves[number].lowest &&
	    found->depth == tl_leaf_end_depth(track, number) &&
	    found->calls == end - track->leaves[number].first_call)
		return 0;
	return tl_error_at(err, TL_BAD_RECORD, TL_NOWHERE, "the index does not fit the trace");
}

static int decode(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t number,
		  struct tl_error *err)
{
	const struct tl_call_source *source = &reader->tracks->source;
	const struct tl_call_leaf *leaf = &track->leaves[number];
	int status;

	reader->steps.count = 0;
	status = leaf->block == TL_LEAF_STORED
			 ? read_stored(reader, leaf, err)
			 : source->ops->decode(source->handle, track, leaf, &reader->steps, err);
	if (status == 0 && reader->steps.no_memory)
		status = tl_error_memory(err);
	return status;
}

int tl_leaf_read(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t number,
		 struct tl_leaf_scan *scan, struct tl_error *err)
{
	const struct tl_call_leaf *leaf = &track->leaves[number];
	struct outcome found;
	int status = decode(reader, track, number, err);

	if (status < 0)
		return status;
	if (!tl_leaf_scan(scan, &reader->steps, leaf->ticks, leaf->depth))
		return tl_error_memory(err);
	found = (struct outcome){ scan->call_count, tl_leaf_lowest(scan),
				  tl_leaf_depth_after(scan) };
	return check_outcome(track, number, &found, err);
}

/* As tl_leaf_scan() tells it: ends without an open call are left out. */
static struct outcome outcome_of(const struct tl_steps *steps, uint32_t depth)
{
	struct outcome found = { .lowest = depth, .depth = depth };

	for (size_t i = 0; i < steps->count; i++) {
		bool end = steps->list[i].end;

		found.calls += !end;
		found.depth += !end;
		found.depth -= end && found.depth;
		found.lowest = tl_min(found.lowest, found.depth);
	}
	return found;
}

int tl_leaf_read_steps(struct tl_leaf_reader *reader, const struct tl_call_track *track,
		       size_t number, struct tl_error *err)
{
	struct outcome found;
	int status = decode(reader, track, number, err);

	if (status < 0)
		return status;
	found = outcome_of(&reader->steps, track->leaves[number].depth);
	return check_outcome(track, number, &found, err);
}

void tl_leaf_reader_free(struct tl_leaf_reader *reader)
{
	free(reader->steps.list);
	free(reader->packed.bytes);
	*reader = (struct tl_leaf_reader){ 0 };
}
