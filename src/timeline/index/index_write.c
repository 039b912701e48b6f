/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/index/index_file.h"

#include "core/arithmetic.h"
#include "core/codecs/crc32.h"
#include "core/error.h"
#include "core/output.h"

static bool pack_numbers(struct tl_packed *packed, const uint64_t *values, size_t count)
{
	bool kept = true;

	for (size_t i = 0; kept && i < count; i++)
		kept = tl_pack_number(packed, values[i]);
	return kept;
}

#define PACK(packed, ...)                                                                          \
	pack_numbers(packed, (const uint64_t[]){ __VA_ARGS__ },                                    \
		     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* ---- tracks ---- */

static bool pack_leaves(struct tl_packed *packed, const struct tl_call_track *track)
{
	struct tl_call_leaf before = { .ticks = 0 };
	bool kept = true;

	for (size_t i = 0; kept && i < track->leaf_count; i++) {
		const struct tl_call_leaf *leaf = &track->leaves[i];
		uint64_t calls = i + 1 < track->leaf_count ? leaf[1].first_call : track->calls;

		kept = PACK(packed, tl_zigzag(leaf->offset - before.offset),
			    tl_zigzag(leaf->clock - before.clock),
			    tl_zigzag((uint64_t)leaf->block - before.block), leaf->size,
			    leaf->ticks - before.ticks, leaf->low_self, calls - leaf->first_call,
			    leaf->depth - leaf->lowest, tl_leaf_end_depth(track, i) - leaf->lowest);
		before = *leaf;
	}
	return kept;
}

static bool pack_frames(struct tl_packed *packed, const struct tl_call_track *track)
{
	uint64_t start = 0;
	bool kept = true;

	for (size_t i = 0; kept && i < track->frame_count; i++) {
		const struct tl_call_frame *frame = &track->frames[i];
		uint64_t duration = frame->end == TL_NOWHERE ? TL_INDEX_FILE_FRAME_OPEN
							     : frame->end - frame->start + 1;

		kept = PACK(packed, frame->start - start, duration, frame->self, frame->function,
			    frame->depth, frame->flags, frame->level);
		start = frame->start;
	}
	return kept;
}

/* Of each tile, how many bytes of items and how many frames it has. */
static bool pack_level(struct tl_packed *packed, const struct tl_tile_level *level)
{
	bool kept = true;

	for (size_t i = 0; kept && i < level->count; i++) {
		const struct tl_call_tile *tile = &level->tiles[i];
		bool last = i + 1 == level->count;

		kept = PACK(packed, (last ? level->items.size : tile[1].items) - tile->items,
			    (last ? level->own_count : tile[1].first_own) - tile->first_own,
			    tile->functions, tile->k, tile->deep);
	}
	for (size_t i = 0; kept && i < level->own_count; i++)
		kept = PACK(packed, level->own[i]);
	return kept && tl_pack_bytes(packed, level->items.bytes, level->items.size);
}

static bool pack_track(struct tl_packed *packed, const struct tl_call_track *track)
{
	const struct tl_track_tiles *tiles = track->tiles;
	bool kept = PACK(packed, (uint64_t)track->process, (uint64_t)track->thread, track->context,
			 track->ticks, track->end - track->ticks, track->leaf_count,
			 track->frame_count, tiles ? tiles->level_count : 0) &&
		    pack_leaves(packed, track) && pack_frames(packed, track);

	for (unsigned i = 0; kept && tiles && i < tiles->level_count; i++)
		kept = pack_level(packed, &tiles->levels[i]);
	return kept;
}

static int pack_body(struct tl_call_index *index, struct tl_packed *packed, struct tl_error *err)
{
	const struct tl_call_source *source = &index->tracks.source;
	bool kept = tl_pack_number(packed, index->tracks.count);

	for (size_t i = 0; kept && i < index->tracks.count; i++) {
		if (index->tracks.list[i]->gaps.count)
			return 0;
		kept = pack_track(packed, index->tracks.list[i]);
	}
	if (!kept)
		return tl_error_memory(err);
	return source->ops->save(source->handle, packed, err);
}

/* ---- the file ---- */

struct summed_output {
	struct tl_output *out;
	uint32_t sum;
};

static void put(struct summed_output *to, const void *bytes, size_t size)
{
	to->sum = tl_crc32(to->sum, bytes, size);
	tl_output_write(to->out, bytes, size);
}

static void put_little(struct summed_output *to, uint64_t value, size_t size)
{
	uint8_t bytes[sizeof(value)];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put(to, bytes, size);
}

static int put_spool(struct summed_output *to, struct tl_spool *spool, struct tl_error *err)
{
	uint8_t piece[1 << 14];
	int status = 0;

	for (uint64_t at = 0; status == 0 && at < tl_spool_size(spool);) {
		uint64_t left = tl_spool_left(spool, at);
		size_t size = (size_t)tl_min(left, (uint64_t)sizeof(piece));

		status = tl_spool_read(spool, at, piece, size, err);
		if (status == 0)
			put(to, piece, size);
		at += size;
	}
	return status;
}

static int put_file(struct summed_output *to, struct tl_call_index *index,
		    const struct tl_packed *key, const struct tl_packed *body, struct tl_error *err)
{
	struct tl_spool *spool = &index->tracks.spool;
	int status;

	put(to, TL_INDEX_FILE_MAGIC, strlen(TL_INDEX_FILE_MAGIC));
	put_little(to, TL_INDEX_FILE_VERSION, 4);
	put_little(to, key->size, 8);
	put_little(to, body->size, 8);
	put_little(to, tl_spool_size(spool), 8);
	put(to, key->bytes, key->size);
	put(to, body->bytes, body->size);
	status = put_spool(to, spool, err);
	if (status == 0)
		put_little(to, to->sum, TL_INDEX_FILE_CHECKSUM);
	return status;
}

int tl_call_index_write(struct tl_call_index *index, const struct tl_packed *key,
			struct tl_output *out, struct tl_error *err)
{
	struct summed_output to = { .out = out };
	struct tl_packed body = { .size = 0 };
	int status = index->tracks.source.ops->save ? pack_body(index, &body, err) : 0;

	if (status > 0) {
		int written = put_file(&to, index, key, &body, err);

		status = written < 0 ? written : 1;
	}
	free(body.bytes);
	return status;
}
