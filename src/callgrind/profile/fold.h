/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_PROFILE_FOLD_H
#define TL_CALLGRIND_PROFILE_FOLD_H
/* State of the fold: items of a reader into a profile. */
#include "callgrind/reader/reader.h"
#include "profile/model/model.h"

/*
 * Cache of functions by the number of their name. Nearly all names stand for one function, so that
 * one comparison finds it.
 */
struct tl_callgrind_known_function {
	uint32_t object, file, function; /* function TL_NONE: none yet */
};

/* The part that is read. */
struct tl_callgrind_folded_part {
	bool ready;      /* its header is complete */
	bool selected;   /* the options select it */
	uint64_t place;  /* its ordinal among all parts of all files, from 1 */
	uint32_t number; /* its number in the profile */
	uint64_t records;
	uint64_t faults, skipped_bytes; /* those of the reader when the part began */
};

/* The function whose self costs are summed up (TL_CALLGRIND_FUNCTIONS). */
struct tl_callgrind_summed_function {
	struct tl_callgrind_owner owner;
	uint32_t function; /* its number in the profile, TL_NONE: none */
	int64_t *costs;    /* by column */
	size_t capacity;
};

/* Of a profile that is packed. */
struct tl_callgrind_packing {
	bool wanted;
	uint32_t empty; /* the number of "" */
	/* Those met last: of items, of targets; the owner of an item, and its function. */
	struct tl_callgrind_packing_file {
		uint32_t name, number; /* of the reader, of the profile */
	} at, to;
	struct tl_callgrind_owner owner;
	uint32_t function;
	int64_t *row; /* costs by event, where columns are in another order; else NULL */
	/* The last newline that the reader's buffer has, up to `end`, which is at an offset. */
	struct tl_callgrind_packing_text {
		const uint8_t *newline, *end;
		uint64_t offset;
	} text;
};

struct tl_callgrind_folder {
	struct tl_callgrind_fold_options options;
	struct tl_profile *profile; /* NULL until some part has events */
	struct tl_callgrind_reader *reader;
	struct tl_names names; /* used until there is a profile, which then owns them */
	const char *empty;     /* the profile's "" */

	/* by number of the name; slot 0 is for functions without a name */
	struct tl_callgrind_known_function *known;
	size_t known_count, known_capacity;

	uint32_t *columns; /* event of the profile, by column of the part */
	size_t column_count, column_capacity;
	struct tl_callgrind_folded_part part;
	struct tl_callgrind_summed_function summed;
	struct tl_callgrind_packing packing;

	struct tl_event *inherited; /* events that are formulas of others */
	size_t inherited_count, inherited_capacity;
};

/*
 * tl_callgrind_fold() for who only writes the profile with tl_callgrind_exporter: with all lines,
 * arcs and jumps, but packed, unless sums may not fit or events are formulas.
 */
int tl_callgrind_fold_packed(struct tl_callgrind_reader *const *readers, size_t count,
			     const struct tl_callgrind_fold_options *options,
			     struct tl_profile **profile, struct tl_error *err);

/*
 * tl_callgrind_fold() with TL_CALLGRIND_FUNCTIONS of one file by two readers of it, which work at
 * the same time (halves.c): one reads up to the first "fn=" line at or behind `offset`, the other
 * one what follows. *profile NULL: something in the file is not as it mostly is, and fresh readers
 * have to read it by tl_callgrind_fold(); so, too, for want of memory, or where reading failed.
 */
void tl_callgrind_fold_halves(struct tl_callgrind_reader *first, struct tl_callgrind_reader *second,
			      uint64_t offset, const struct tl_callgrind_fold_options *options,
			      struct tl_profile **profile);

/* ---- the steps of a fold ---- */

void tl_callgrind_fold_begin(struct tl_callgrind_folder *f,
			     const struct tl_callgrind_fold_options *options);
/*
 * All readers number their names in one pool, which becomes the profile's when the profile is made.
 */
int tl_callgrind_lend_names(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader,
			    struct tl_error *err);
/* Fold what is left to read. 0 or negative. */
int tl_callgrind_fold_items(struct tl_callgrind_folder *f, struct tl_callgrind_reader *reader,
			    struct tl_error *err);
/* Add the summed self costs of a function to its one line. 0 or negative. */
int tl_callgrind_put_summed(struct tl_callgrind_folder *f, struct tl_error *err);
/* The names now belong to the profile, so the reader must not refer to them any more. */
void tl_callgrind_take_names_back(struct tl_callgrind_reader *reader);
/* The profile, which there is, is complete. 0 or negative. */
int tl_callgrind_fold_finish(struct tl_callgrind_folder *f, struct tl_error *err);
/* Free all but the profile. */
void tl_callgrind_fold_free(struct tl_callgrind_folder *f);

/* The name of an object or a file as a string of the profile. */
const char *tl_callgrind_folded_text(const struct tl_callgrind_folder *f, uint32_t name);
/*
 * "identity = (object, file of fl, function name)" (rule E). Returns the number of the function in
 * the profile, TL_NONE without memory.
 */
uint32_t tl_callgrind_folded_function(struct tl_callgrind_folder *f,
				      const struct tl_callgrind_owner *owner);

/* The header of a part is complete, and the part has its number. 0 or negative. */
int tl_callgrind_packing_part(struct tl_callgrind_folder *f, struct tl_error *err);
int tl_callgrind_pack_line(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err);
int tl_callgrind_pack_call(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err);
/* The number of the name that a file of items has in the profile. */
uint32_t tl_callgrind_packing_file(struct tl_callgrind_folder *f, uint32_t name);
/*
 * Pack the cost lines of the plain form that come next, of the function that the last item was of;
 * none, where something is not as it mostly is. 0 or negative.
 */
int tl_callgrind_pack_lines(struct tl_callgrind_folder *f, struct tl_error *err);
int tl_callgrind_pack_jump(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err);

/* Note the inherited events of a reader that is at its end. 0 or negative. */
int tl_callgrind_note_inherited(struct tl_callgrind_folder *fold,
				struct tl_callgrind_reader *reader, struct tl_error *err);
/* Add the noted events to the profile. 0 or negative. */
int tl_callgrind_add_inherited(struct tl_callgrind_folder *fold, struct tl_error *err);
void tl_callgrind_free_inherited(struct tl_callgrind_folder *fold);

#endif
