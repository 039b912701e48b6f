/* SPDX-License-Identifier: Apache-2.0 */
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

/*
 * Whether the leaf is what was built: frames and later leaves are counted on from there. It is not
 * where the trace has changed, or where an index from a file tells of another one.
 */
static bool is_as_built(const struct tl_call_track *track, size_t number,
			const struct tl_leaf_scan *scan)
{
	uint64_t end = number + 1 < track->leaf_count ? track->leaves[number + 1].first_call
						      : track->calls;

	return tl_leaf_lowest(scan) == track->leaves[number].lowest &&
	       tl_leaf_depth_after(scan) == tl_leaf_end_depth(track, number) &&
	       scan->call_count == end - track->leaves[number].first_call;
}

int tl_leaf_read(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t number,
		 struct tl_leaf_scan *scan, struct tl_error *err)
{
	const struct tl_call_source *source = &reader->tracks->source;
	const struct tl_call_leaf *leaf = &track->leaves[number];
	int status;

	reader->steps.count = 0;
	status = leaf->block == TL_LEAF_STORED
			 ? read_stored(reader, leaf, err)
			 : source->ops->decode(source->handle, track, leaf, &reader->steps, err);
	if (status < 0)
		return status;
	if (reader->steps.no_memory ||
	    !tl_leaf_scan(scan, &reader->steps, leaf->ticks, leaf->depth))
		return tl_error_memory(err);
	if (!is_as_built(track, number, scan))
		return tl_error_at(err, TL_BAD_RECORD, TL_NOWHERE,
				   "the index does not fit the trace");
	return 0;
}

void tl_leaf_reader_free(struct tl_leaf_reader *reader)
{
	free(reader->steps.list);
	free(reader->packed.bytes);
	*reader = (struct tl_leaf_reader){ 0 };
}
