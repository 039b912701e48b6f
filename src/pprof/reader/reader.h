/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_READER_READER_H
#define TL_PPROF_READER_READER_H
/*
 * A pprof profile: everything but its samples, in tables; samples are read where they stand, as
 * often as they are asked for (sample.h). The fields of the profile may come in any order, so one
 * pass over them comes first; numbers of strings, mappings, functions and locations are looked up
 * when it is done.
 */
#include "core/faults/fault_list.h"
#include "core/protobuf/wire.h"
#include "pprof/reader/layout.h"

struct tl_pprof_text {
	const char *text; /* not terminated; points into the file */
	size_t size;
};

/* Numbers of strings. */
struct tl_pprof_type {
	uint64_t name, unit;
};

struct tl_pprof_mapping {
	uint64_t id, start, limit, offset, file, build_id;
	uint64_t flags[4]; /* has functions, file names, line numbers, inlined frames */
	uint64_t place;    /* offset of the record in the file */
};

struct tl_pprof_function {
	uint64_t id, name, system_name, file, start_line;
	uint64_t place;
};

/* A function at an address: the function, or one that was inlined there. */
struct tl_pprof_line {
	uint64_t function; /* its id; tl_pprof_open() makes it a number, TL_NONE: unknown */
	uint64_t line, column;
};

struct tl_pprof_location {
	uint64_t id, address, place;
	uint64_t mapping; /* its id; tl_pprof_open() makes it a number, TL_NONE: none */
	uint64_t folded;
	size_t first_line; /* the innermost function comes first */
	uint32_t line_count;
};

/* From ids to numbers: an array where the ids are dense, else an index. */
struct tl_pprof_ids {
	uint32_t *dense;
	size_t dense_count;
	struct tl_index index;
	const uint64_t *first; /* the id of element 0; others follow each `stride` bytes */
	size_t stride;
};

/* The numbers of a profile that stand for themselves; texts are numbers of strings. */
struct tl_pprof_header {
	uint64_t drop_frames, keep_frames, default_type, doc_url;
	uint64_t time_ns, duration_ns, period;
	struct tl_pprof_type period_type;
	uint64_t *comments;
	size_t comment_count, comment_capacity;
};

struct tl_pprof_file {
	const uint8_t *data;
	size_t size; /* of what can be read as fields */
	struct tl_pprof_text *strings;
	size_t string_count, string_capacity;
	struct tl_pprof_type *types;
	size_t type_count, type_capacity;
	struct tl_pprof_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct tl_pprof_function *functions;
	size_t function_count, function_capacity;
	struct tl_pprof_location *locations;
	size_t location_count, location_capacity;
	struct tl_pprof_line *lines;
	size_t line_count, line_capacity;
	struct tl_pprof_ids location_ids;
	struct tl_pprof_header header;
	struct tl_pprof_counts {
		uint64_t samples, unknown_fields;
	} counts;
	struct tl_fault_list faults;
};

/* How sure it is that these are the first bytes of a pprof profile, 0 to 100. */
int tl_pprof_probe(const uint8_t *data, size_t size);
/* That these are the first bytes of a profile of the older forms, which are not read; else NULL. */
const char *tl_pprof_explain_older(const uint8_t *data, size_t size);

/*
 * Read the tables of a profile, whose bytes the caller keeps. `faults` of a zero-filled profile may
 * have been set up before. 0 or negative; tl_pprof_close() it in any case.
 */
int tl_pprof_open(struct tl_pprof_file *p, const uint8_t *data, size_t size, struct tl_error *err);
void tl_pprof_close(struct tl_pprof_file *p);

/* A string by number, "" where there is none. */
struct tl_pprof_text tl_pprof_string(const struct tl_pprof_file *p, uint64_t number);
bool tl_pprof_text_is(struct tl_pprof_text text, const char *other);

/* The same as below, of ids that are no array. */
uint32_t tl_pprof_find_sparse(const struct tl_pprof_ids *ids, uint64_t id);
/* The number of an id, TL_NONE: there is none. */
static inline uint32_t tl_pprof_find(const struct tl_pprof_ids *ids, uint64_t id)
{
	if (ids->dense)
		return id < ids->dense_count ? ids->dense[id] : TL_NONE;
	return tl_pprof_find_sparse(ids, id);
}

/* A fault in the record that begins at `place`. As tl_fault_note(). */
int tl_pprof_fault(struct tl_pprof_file *p, const char *rule, enum tl_status status, uint64_t place,
		   uint64_t length, const char *text, struct tl_error *err);

#endif
