/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/index/index_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/codecs/crc32.h"
#include "core/error.h"
#include "core/file.h"

struct body_reader {
	struct tl_cursor cur;
	bool bad, no_memory; /* sticky */
	bool decodes;        /* the source: else all leaves are stored */
};

/* A number of at most `most`. */
static uint64_t take(struct body_reader *r, uint64_t most)
{
	uint64_t value = 0;

	if (r->bad || !tl_get_varint(&r->cur, &value) || value > most)
		r->bad = true;
	return r->bad ? 0 : value;
}

static uint64_t take_difference(struct body_reader *r, uint64_t before)
{
	return before + tl_unzigzag(take(r, UINT64_MAX));
}

/* A time that is not before another one. */
static uint64_t take_later(struct body_reader *r, uint64_t before)
{
	return before + take(r, TL_NOWHERE - 1 - before);
}

/* The number of things of which each has a byte at least. */
static size_t take_count(struct body_reader *r)
{
	return (size_t)take(r, tl_cursor_left(&r->cur));
}

static bool grow(struct body_reader *r, void *array, size_t *capacity, size_t want, size_t element)
{
	r->no_memory |= !r->bad && !tl_grow(array, capacity, want, element);
	return !r->bad && !r->no_memory;
}

/* ---- leaves and frames ---- */

static uint32_t rows_of(uint32_t depth)
{
	return tl_min(depth, (uint32_t)TL_FRAME_ROWS);
}

/* Sums over the leaves before the present one. */
struct leaf_sums {
	uint64_t frames;
	uint32_t depth;
};

static struct tl_call_leaf take_leaf(struct body_reader *r, struct tl_call_track *track,
				     const struct tl_call_leaf *before, struct leaf_sums *sums)
{
	struct tl_call_leaf leaf = {
		.offset = take_difference(r, before->offset),
		.clock = take_difference(r, before->clock),
		.block = (uint32_t)take_difference(r, before->block),
		.size = (uint32_t)take(r, UINT32_MAX),
		.ticks = take_later(r, before->ticks),
		.low_self = take(r, UINT64_MAX),
		.first_call = track->calls,
		.first_frame = sums->frames,
		.depth = sums->depth,
	};
	/* A step is in one record, or has one byte at least. */
	uint64_t calls = take(r, leaf.size);

	r->bad |= !r->decodes && leaf.block != TL_LEAF_STORED;
	leaf.lowest = leaf.depth - (uint32_t)take(r, leaf.depth);
	sums->depth = leaf.lowest + (uint32_t)take(r, tl_min(calls, UINT32_MAX - leaf.lowest));
	sums->frames += rows_of(sums->depth) - rows_of(leaf.lowest);
	track->calls += calls;
	return leaf;
}

static void take_leaves(struct body_reader *r, struct tl_call_track *track, size_t count,
			size_t frames)
{
	struct tl_call_leaf before = { .ticks = 0 };
	struct leaf_sums sums = { .depth = 0 };

	if (!grow(r, &track->leaves, &track->leaf_capacity, count, sizeof(before)))
		return;
	while (!r->bad && !r->no_memory && track->leaf_count < count) {
		before = take_leaf(r, track, &before, &sums);
		track->leaves[track->leaf_count++] = before;
		r->no_memory |= !tl_call_track_group(track);
	}
	track->depth = sums.depth;
	r->bad |= before.ticks > track->ticks || sums.frames != frames;
}

static void take_frames(struct body_reader *r, struct tl_call_track *track, size_t count)
{
	uint64_t start = 0;

	if (!grow(r, &track->frames, &track->frame_capacity, count, sizeof(*track->frames)))
		return;
	for (size_t i = 0; !r->bad && i < count; i++) {
		struct tl_call_frame *frame = &track->frames[i];
		uint64_t duration;

		start = take_later(r, start);
		duration = take(r, TL_NOWHERE - 1 - start);
		*frame = (struct tl_call_frame){
			.start = start,
			.end = duration == TL_INDEX_FILE_FRAME_OPEN ? TL_NOWHERE
								    : start + duration - 1,
			.self = take(r, UINT64_MAX),
			.function = (uint32_t)take(r, UINT32_MAX),
			.depth = (uint8_t)take(r, TL_FRAME_ROWS - 1),
			.flags = (uint8_t)take(r, UINT8_MAX),
			.level = (uint8_t)take(r, TL_TILE_LEVELS),
		};
		r->bad |= start > track->ticks;
	}
	track->frame_count = count;
}

/* ---- tiles ---- */

/* What is told of a tile by its number. */
static struct tl_call_tile tile_at(const struct tl_call_track *track, unsigned level, size_t number)
{
	size_t first, end;

	tl_tile_leaves(track, level, number, &first, &end);
	return (struct tl_call_tile){ .from = track->leaves[first].ticks,
				      .to = tl_leaf_end_ticks(track, end - 1) };
}

static void take_tiles(struct body_reader *r, const struct tl_call_track *track, unsigned level,
		       struct tl_tile_level *to, size_t count)
{
	uint64_t items = 0, own = 0, left = tl_cursor_left(&r->cur);

	if (!grow(r, &to->tiles, &to->capacity, count, sizeof(*to->tiles)))
		return;
	for (; !r->bad && to->count < count; to->count++) {
		struct tl_call_tile tile = tile_at(track, level, to->count);

		tile.items = items;
		tile.first_own = own;
		items += take(r, left - items);
		own += take(r, left - own);
		tile.functions = take(r, UINT64_MAX);
		tile.k = (uint8_t)take(r, TL_TILE_NEVER);
		tile.deep = take(r, 1);
		to->tiles[to->count] = tile;
	}
	to->items.size = (size_t)items;
	to->own_count = (size_t)own;
}

/* The frames of all tiles, then the items of all tiles. */
static void take_contents(struct body_reader *r, const struct tl_call_track *track,
			  struct tl_tile_level *to)
{
	if (!grow(r, &to->own, &to->own_capacity, to->own_count, sizeof(*to->own)))
		return;
	for (size_t i = 0; !r->bad && i < to->own_count; i++) {
		to->own[i] = (uint32_t)take(r, UINT32_MAX);
		r->bad |= to->own[i] >= track->frame_count;
	}
	r->bad |= !tl_cursor_has(&r->cur, to->items.size);
	if (!grow(r, &to->items.bytes, &to->items.capacity, to->items.size, 1))
		return;
	if (to->items.size)
		memcpy(to->items.bytes, r->cur.pos, to->items.size);
	r->cur.pos += to->items.size;
}

static void take_level(struct body_reader *r, const struct tl_call_track *track, size_t count)
{
	struct tl_tile_level *to = r->bad ? NULL : tl_tiles_grow(track->tiles);

	r->no_memory |= !to && !r->bad;
	if (!to)
		return;
	take_tiles(r, track, track->tiles->level_count - 1, to, count);
	if (!r->no_memory)
		take_contents(r, track, to);
}

/* A level has a tile for each leaf, or for each 16 of the level below; the last one has one. */
static void take_levels(struct body_reader *r, struct tl_call_track *track, uint64_t levels)
{
	size_t count = track->leaf_count;

	r->bad |= (levels == 0) != (count == 0);
	if (r->bad || !levels)
		return;
	r->no_memory |= !tl_tiles_begin(track);
	for (uint64_t i = 0; !r->bad && !r->no_memory && i < levels; i++) {
		if (i)
			count = (count + TL_TILE_FAN - 1) / TL_TILE_FAN;
		take_level(r, track, count);
	}
	r->bad |= count != 1 && levels < TL_TILE_LEVELS;
	if (!r->bad && !r->no_memory)
		r->no_memory = !tl_tiles_note_unfinished(track);
}

/* ---- the body ---- */

static void take_track(struct body_reader *r, struct tl_call_tracks *tracks)
{
	int64_t process = (int64_t)take(r, UINT64_MAX), thread = (int64_t)take(r, UINT64_MAX);
	struct tl_call_track *track = r->bad ? NULL : tl_call_tracks_add(tracks, process, thread);
	size_t leaves, frames;
	uint64_t levels;

	r->no_memory |= !track && !r->bad;
	if (!track)
		return;
	track->context = take(r, UINT64_MAX);
	track->ticks = take(r, TL_NOWHERE - 1);
	track->end = track->ticks + take(r, TL_NOWHERE - 1 - track->ticks);
	leaves = take_count(r);
	frames = take_count(r);
	levels = take(r, TL_TILE_LEVELS);
	take_leaves(r, track, leaves, frames);
	if (!r->no_memory)
		take_frames(r, track, frames);
	if (!r->no_memory)
		take_levels(r, track, levels);
}

/* 1; 0: it does not fit; or negative. */
static int take_body(struct tl_call_index *index, const uint8_t *bytes, size_t size,
		     struct tl_error *err)
{
	const struct tl_call_source *source = &index->tracks.source;
	struct body_reader r = { .cur = tl_cursor_over(bytes, size),
				 .decodes = source->ops->decode != NULL };
	size_t count = take_count(&r);
	int status;

	for (size_t i = 0; !r.bad && !r.no_memory && i < count; i++)
		take_track(&r, &index->tracks);
	if (r.no_memory)
		return tl_error_memory(err);
	if (r.bad)
		return 0;
	status = source->ops->load(source->handle, &index->tracks, &r.cur, err);
	return status > 0 ? !tl_cursor_left(&r.cur) : status;
}

/* ---- the file ---- */

struct index_file {
	int fd;
	uint64_t key, body, spool; /* sizes */
	uint8_t *bytes;            /* the key, and the body behind it */
};

static bool read_header(struct index_file *f, uint8_t header[TL_INDEX_FILE_HEADER])
{
	struct stat st;
	uint64_t size;

	if (fstat(f->fd, &st) < 0 ||
	    tl_file_read_at(f->fd, header, TL_INDEX_FILE_HEADER, 0) != TL_INDEX_FILE_HEADER)
		return false;
	if (memcmp(header, TL_INDEX_FILE_MAGIC, strlen(TL_INDEX_FILE_MAGIC)) != 0 ||
	    tl_le32(header + 8) != TL_INDEX_FILE_VERSION)
		return false;
	size = (uint64_t)st.st_size - TL_INDEX_FILE_HEADER;
	f->key = tl_le64(header + 12);
	f->body = tl_le64(header + 20);
	f->spool = tl_le64(header + 28);
	return f->key <= size && f->body <= size - f->key && f->spool <= size - f->key - f->body &&
	       size - f->key - f->body - f->spool == TL_INDEX_FILE_CHECKSUM;
}

/* Whether the checksum at the end is that of the header, of `bytes` and of what is behind. */
static bool check_sum(const struct index_file *f, const uint8_t *header)
{
	uint32_t sum = tl_crc32(0, header, TL_INDEX_FILE_HEADER);
	uint64_t at = TL_INDEX_FILE_HEADER + f->key + f->body, left = f->spool;
	uint8_t piece[1 << 14];

	sum = tl_crc32(sum, f->bytes, (size_t)(f->key + f->body));
	while (left) {
		size_t size = (size_t)tl_min(left, (uint64_t)sizeof(piece));

		if (tl_file_read_at(f->fd, piece, size, (off_t)at) != (ssize_t)size)
			return false;
		sum = tl_crc32(sum, piece, size);
		at += size;
		left -= size;
	}
	return tl_file_read_at(f->fd, piece, TL_INDEX_FILE_CHECKSUM, (off_t)at) ==
		       TL_INDEX_FILE_CHECKSUM &&
	       tl_le32(piece) == sum;
}

/* 1; 0: it is damaged, or of something else; or negative. */
static int read_file(struct index_file *f, const struct tl_packed *key, struct tl_error *err)
{
	uint8_t header[TL_INDEX_FILE_HEADER];
	ssize_t size;

	if (!read_header(f, header) || f->key != key->size)
		return 0;
	f->bytes = tl_alloc_many(f->key + f->body + 1, 1);
	if (!f->bytes)
		return tl_error_memory(err);
	size = (ssize_t)(f->key + f->body);
	return tl_file_read_at(f->fd, f->bytes, (size_t)size, TL_INDEX_FILE_HEADER) == size &&
	       memcmp(f->bytes, key->bytes, key->size) == 0 && check_sum(f, header);
}

int tl_call_index_read(struct tl_call_index *index, const struct tl_packed *key, const char *path,
		       struct tl_error *err)
{
	struct index_file f = { .fd = -1 };
	int status = 0;

	if (index->tracks.source.ops->load)
		f.fd = tl_file_open_regular(path);
	if (f.fd >= 0)
		status = read_file(&f, key, err);
	if (status > 0)
		status = take_body(index, f.bytes + f.key, (size_t)f.body, err);
	if (status > 0) {
		tl_spool_over(&index->tracks.spool, f.fd, TL_INDEX_FILE_HEADER + f.key + f.body,
			      f.spool);
		f.fd = -1;
	}
	if (status == 0)
		tl_call_tracks_clear(&index->tracks);
	free(f.bytes);
	if (f.fd >= 0)
		close(f.fd);
	return status;
}
