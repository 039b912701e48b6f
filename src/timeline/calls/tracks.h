/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_TRACKS_H
#define TL_TIMELINE_CALLS_TRACKS_H
/*
 * The calls of a trace, cut into leaves: pieces of one track (thread) of some thousand steps, which
 * are decoded again when they are looked at. A leaf keeps how many calls are open where it begins,
 * and how few of them remain, so that where a call began or ended is found without decoding what
 * lies between. Calls that are open at a border of leaves and not deep are kept besides (frames).
 *
 * Memory: about 70 bytes a leaf, and 32 bytes a frame.
 */
#include "core/sized.h"
#include "timeline/calls/gaps.h"
#include "timeline/calls/leaf_scan.h"
#include "timeline/calls/spool.h"

/* Function steps that a leaf has, as a rule; the last one has fewer, a gap can add more. */
enum { TL_LEAF_STEPS = 8192 };

/* Calls with at least so many others around them have no frame. */
enum { TL_FRAME_ROWS = 128 };

/* Leaves that are summed up for searches. */
enum { TL_LEAF_GROUP = 64 };

/* In place of a block: the steps of the leaf are in the spool, from `offset` on, `size` bytes. */
#define TL_LEAF_STORED TL_NONE

struct tl_call_leaf {
	/* Where the format decodes it again: the meaning is the format's. */
	uint64_t offset, clock;
	uint32_t block, size;
	uint64_t ticks;       /* of the last step before it; of the first leaf, of its first step */
	uint64_t low_self;    /* as in struct tl_leaf_scan */
	uint64_t first_call;  /* calls of the track that began before it */
	uint64_t first_frame; /* frames of the track that began before it */
	uint32_t depth, lowest;
};

/* A call that is open at the end of the leaf in which it began. */
struct tl_call_frame {
	uint64_t start, end, self; /* end TL_NOWHERE: unfinished */
	uint32_t function;
	uint8_t depth, flags;
	uint8_t level; /* of the tile that owns it, 0: none yet (index/tiles.h) */
};

/* TL_LEAF_GROUP leaves: the least of `lowest`, and the sum of `low_self` of those that have it. */
struct tl_leaf_group {
	uint64_t low_self;
	uint32_t lowest;
};

struct tl_call_track {
	int64_t process, thread;
	uint32_t number;  /* among the tracks */
	uint64_t context; /* the format's */
	struct tl_call_leaf *leaves;
	size_t leaf_count, leaf_capacity;
	struct tl_leaf_group *groups; /* whole ones */
	size_t group_count, group_capacity;
	struct tl_call_frame *frames; /* in the order of their begin */
	size_t frame_count, frame_capacity;
	uint64_t ticks; /* of the last step */
	uint64_t end;   /* up to which the trace goes behind it */
	uint64_t calls;
	uint32_t depth; /* calls open at the end */
	struct tl_call_gaps gaps;
	struct tl_track_tiles *tiles; /* levels of detail; NULL: none are kept */
};

/* Whoever makes more of a track while it is built; several tracks are built at once. */
struct tl_track_watch {
	/* A leaf was added, and its frames. False without memory. */
	bool (*leaf)(struct tl_call_track *track, const struct tl_leaf_scan *scan);
	bool (*end)(struct tl_call_track *track); /* no leaf follows */
	void (*free)(struct tl_call_track *track);
};

struct tl_call_tracks;

/* Bytes of struct tl_calls_info in the first release. */
#define TL_CALLS_INFO_FIRST TL_SIZE_UP_TO(struct tl_calls_info, clock)

/* What a format does for its calls. */
struct tl_call_source_ops {
	/* Add all tracks with their leaves. 0 or negative. */
	int (*build)(void *handle, struct tl_call_tracks *tracks, struct tl_error *err);
	/*
	 * Decode a leaf again that is not stored; steps->count is 0. Several threads may call it.
	 * 0 or negative.
	 */
	int (*decode)(void *handle, const struct tl_call_track *track,
		      const struct tl_call_leaf *leaf, struct tl_steps *steps,
		      struct tl_error *err);
	/* What a function of a step is; what `function` points to lives as long as the handle. */
	int (*function)(void *handle, uint32_t number, struct tl_call_function *function,
			struct tl_error *err);
	void (*close)(void *handle); /* NULL: nothing to do */

	/*
	 * Instead of build(), in a fraction of its time: tracks with a part of the calls, evenly
	 * spread, which are all stored. NULL: it cannot.
	 */
	int (*sample)(void *handle, struct tl_call_tracks *tracks, struct tl_error *err);

	/* ---- for an index in a file (index/index_file.h); all NULL: there is none ---- */

	/*
	 * Append what build() has left in the handle. 1; 0: the calls are not to be kept, as
	 * building them tells more than what would be in the file; or negative.
	 */
	int (*save)(void *handle, struct tl_packed *packed, struct tl_error *err);
	/*
	 * Instead of build(): take what save() has appended. 1; 0: it does not fit the input, whose
	 * tracks are all there; or negative.
	 */
	int (*load)(void *handle, const struct tl_call_tracks *tracks, struct tl_cursor *cur,
		    struct tl_error *err);
	/* The programs that the calls depend on, by number; NULL behind the last. May be NULL. */
	const char *(*program)(void *handle, size_t number);
};

struct tl_call_source {
	const struct tl_call_source_ops *ops;
	void *handle;
	uint64_t frequency; /* ticks per second; 0: unknown */
	uint64_t origin;    /* ticks that the input's times count from */
	enum tl_call_clock clock;
	bool filtered; /* function() does not want all of them */
	bool numbered; /* as in struct tl_calls_info */
	bool profiled; /* the same */
	bool apart;    /* a profile of the input is not of these calls at all */
};

struct tl_call_tracks {
	struct tl_call_source source;
	const struct tl_track_watch *watch; /* NULL: nobody */
	struct tl_call_track **list;
	size_t count, capacity;
	struct tl_spool spool;
};

/* Begin and end; the source is closed at the end. */
void tl_call_tracks_begin(struct tl_call_tracks *tracks, const struct tl_call_source *source,
			  const struct tl_track_watch *watch);
void tl_call_tracks_free(struct tl_call_tracks *tracks);
/* Forget the tracks, of which none is in the spool. */
void tl_call_tracks_clear(struct tl_call_tracks *tracks);

/* One more track. NULL without memory. */
struct tl_call_track *tl_call_tracks_add(struct tl_call_tracks *tracks, int64_t process,
					 int64_t thread);

/* ---- building (build.c) ---- */

/* A leaf was appended to the track: a whole group is summed up. False without memory. */
bool tl_call_track_group(struct tl_call_track *track);

/* Makes the leaves of one track, one after the other. */
struct tl_leaf_builder {
	struct tl_call_tracks *tracks;
	struct tl_call_track *track;
	struct tl_leaf_scan scan; /* of the last leaf */
	struct tl_packed packed;
	uint64_t open[TL_FRAME_ROWS]; /* numbers of the frames of the open calls, by depth */
};

void tl_leaf_builder_begin(struct tl_leaf_builder *builder, struct tl_call_tracks *tracks,
			   struct tl_call_track *track);
/*
 * Add a leaf with its steps. `where`: `offset`, `clock`, `block` and `size` of it; NULL, or a block
 * of TL_LEAF_STORED: the steps are kept in the spool. 0 or negative.
 */
int tl_leaf_builder_add(struct tl_leaf_builder *builder, const struct tl_steps *steps,
			const struct tl_call_leaf *where, struct tl_error *err);
/* Before the end: the thread went on up to a time without a further step. */
void tl_leaf_builder_pass(struct tl_leaf_builder *builder, uint64_t ticks);
/* No leaf follows. 0 or TL_NO_MEMORY. */
int tl_leaf_builder_end(struct tl_leaf_builder *builder, struct tl_error *err);
void tl_leaf_builder_free(struct tl_leaf_builder *builder);

/* ---- reading (read.c) ---- */

/* Reads leaves: one for each thread of the program. */
struct tl_leaf_reader {
	const struct tl_call_tracks *tracks;
	struct tl_steps steps;
	struct tl_packed packed;
};

/* Decode and scan a leaf. 0 or negative. */
int tl_leaf_read(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t leaf,
		 struct tl_leaf_scan *scan, struct tl_error *err);
/* Decode a leaf: its steps in reader->steps, for who needs no calls of them. 0 or negative. */
int tl_leaf_read_steps(struct tl_leaf_reader *reader, const struct tl_call_track *track,
		       size_t leaf, struct tl_error *err);
void tl_leaf_reader_free(struct tl_leaf_reader *reader);

/* The time up to which a leaf reaches. */
static inline uint64_t tl_leaf_end_ticks(const struct tl_call_track *track, size_t leaf)
{
	return leaf + 1 < track->leaf_count ? track->leaves[leaf + 1].ticks : track->ticks;
}

/* Calls open at the end of a leaf. */
static inline uint32_t tl_leaf_end_depth(const struct tl_call_track *track, size_t leaf)
{
	return leaf + 1 < track->leaf_count ? track->leaves[leaf + 1].depth : track->depth;
}

/* ---- calls that cross borders of leaves (search.c) ---- */

/*
 * The ends, in later leaves, of the calls that are open at the end of a leaf and have depths from
 * `from` on; calls[i] has the depth from + i. Sets `end` and adds to `self` and `flags`; a call
 * that does not end keeps TL_NOWHERE. `scan` is used. 0 or negative.
 */
int tl_find_ends(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t leaf,
		 uint32_t from, struct tl_leaf_call *calls, size_t count, struct tl_leaf_scan *scan,
		 struct tl_error *err);

/*
 * The calls that are open at the beginning of a leaf, of the depths from `from` on; calls[i] is
 * that of depth from + i, its end is TL_NOWHERE and `self` what it cost up to there.
 */
int tl_find_begins(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t leaf,
		   uint32_t from, struct tl_leaf_call *calls, size_t count,
		   struct tl_leaf_scan *scan, struct tl_error *err);

#endif
