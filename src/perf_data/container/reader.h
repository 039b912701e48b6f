/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_READER_H
#define TL_PERF_DATA_READER_H
/*
 * The inside of a reader. records.c finds where each record begins and ends, decompress.c takes
 * records out of COMPRESSED ones, parts.c goes from file to file of a directory, metadata.c applies
 * records that later ones depend on, sort.c puts records into the order of time, decode.c turns
 * their bytes into fields.
 */
#include "core/error.h"
#include "core/memory.h"
#include "perf_data/container/layout.h"

/* A record before its fields are decoded. */
struct tl_perf_raw_record {
	const uint8_t *at; /* its header */
	uint16_t size;
	uint32_t type;
	const uint8_t *data;
	uint64_t data_size;
	uint64_t offset, number, inside;
};

/* The rules of a file: each has a message in faults.c. */
enum tl_perf_rule {
	TL_PERF_RULE_HEADER_SIZE,
	TL_PERF_RULE_DATA_SIZE,
	TL_PERF_RULE_DATA_ZERO,
	TL_PERF_RULE_ATTR_SIZE,
	TL_PERF_RULE_ATTR_IDS,
	TL_PERF_RULE_FEATURE,
	TL_PERF_RULE_RECORD_CUT,
	TL_PERF_RULE_RECORD_SIZE,
	TL_PERF_RULE_RECORD_SHORT,
	TL_PERF_RULE_RECORD_CONTENT,
	TL_PERF_RULE_RECORD_NO_EVENT,
	TL_PERF_RULE_RECORD_UNKNOWN,
	TL_PERF_RULE_DATA_CUT,
	TL_PERF_RULE_ZSTD,
	TL_PERF_RULE_ZSTD_CUT,
	TL_PERF_RULE_ZSTD_RATIO,
	TL_PERF_RULE_ZSTD_ABSENT,
	TL_PERF_RULE_ORDER,
	TL_PERF_RULE_AUX_TRUNCATED,
	TL_PERF_RULE_AUX_COLLISION,
	TL_PERF_RULE_AUX_PARTIAL,
	TL_PERF_RULE_LOST,
	TL_PERF_RULE_NO_INFO,
	TL_PERF_RULE_AUX_GAP,
	TL_PERF_RULE_AUX_MISSING,
	TL_PERF_RULE_NO_EVENT,
	TL_PERF_RULE_JITDUMP,
	TL_PERF_RULE_JITDUMP_CLOCK,
	TL_PERF_RULE_PART,
	TL_PERF_RULE_PEBS_EVENT,
	TL_PERF_RULE_PEBS_CUT,
	TL_PERF_RULE_GUEST_ID,
	TL_PERF_RULE_COUNT
};

struct tl_perf_rule_row {
	const char *id;
	enum tl_status status;
	bool damage; /* else the bytes are well-formed: only `check` reports it */
	const char *text;
};

extern const struct tl_perf_rule_row tl_perf_rules[TL_PERF_RULE_COUNT];

typedef int tl_perf_rule_fn(void *arg, enum tl_perf_rule rule, uint64_t offset, uint64_t record);

/* The attributes met so far, and the counter ids of all of them. */
struct tl_perf_attr_table {
	struct tl_perf_attr *list;
	size_t count, capacity;
	struct tl_index by_id; /* id -> attribute */
	uint64_t *ids;         /* as indexed, in order of arrival */
	uint32_t *owners;
	size_t id_count, id_capacity, owner_capacity;
	/* The counter's id stands at one place in samples of all, and at one in other records. */
	bool identified;
	uint8_t id_at, id_back; /* bytes from the begin of a sample, from the end of another */
	size_t header_count, header_ids; /* of the header; the others come with records */
};

/* A counter's id, of which a virtual machine wrote records (guest_ids.c). */
struct tl_perf_guest_id {
	uint64_t id;
	uint32_t machine;           /* the process of the host that runs it */
	uint32_t processor, thread; /* of the machine, and of the host that runs that one */
};

struct tl_perf_guest_ids {
	struct tl_perf_guest_id *list;
	size_t count, capacity;
	struct tl_index by_id;
};

struct tl_perf_build_id_row {
	struct tl_perf_build_id id;
	uint32_t pid;
	uint16_t misc;
	const char *path;
};

/* A record that waits for its time (sort.c). */
struct tl_perf_queued_record {
	struct tl_perf_raw_record raw;
	uint64_t time_ns;
	uint8_t *copy; /* of a decompressed record, else NULL */
};

/*
 * Records in the order in which they came, each as late as the one before it or later: `first` up
 * to `end` wait.
 */
struct tl_perf_sorted_run {
	struct tl_perf_queued_record *list;
	size_t first, end, capacity;
};

struct tl_perf_sorter {
	struct tl_perf_sorted_run run;
	struct tl_perf_queued_record *heap; /* what came later than its time */
	size_t count, capacity;             /* of the heap */
	uint64_t copied;                    /* bytes of all copies */
	uint64_t round, next;               /* latest time so far; at the end of the last round */
	uint64_t limit;                     /* records up to this time may leave */
	bool ended;
	uint8_t *given; /* copy of the record that was returned last */
};

/* Faults met so far, and an observer to call for each broken rule (listing/check.c). */
struct tl_perf_fault_list {
	struct tl_perf_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
	tl_perf_rule_fn *observe; /* NULL: none */
	void *observe_arg;
};

struct tl_perf_build_id_table {
	struct tl_perf_build_id_row *list;
	size_t count, capacity;
};

/* TRACING_DATA: format files of tracepoints. */
struct tl_perf_tracing_data {
	const uint8_t *data; /* NULL: none */
	uint64_t size;
};

/* Where reading is in the data section. */
struct tl_perf_position {
	uint64_t pos, end; /* bytes of the file */
	uint64_t number;   /* of the next record */
	uint64_t known;    /* records below were read in an earlier pass: no fault is new */
	bool ended;
	bool unaligned; /* a COMPRESSED record was read: later records begin at any byte */
};

/*
 * What a thread of the recorder wrote: `data.N` of a directory, after the header's own records
 * (parts.c). Each has a place and a zstd stream of its own; that of the part which is read is in
 * the reader.
 */
struct tl_perf_part {
	uint64_t begin;
	struct tl_perf_position at;
	struct tl_perf_decompressor *decompressor;
	uint64_t latest; /* time of its records so far */
	bool ended;
};

struct tl_perf_parts {
	struct tl_perf_part *list; /* NULL: one file is all */
	size_t count, current;
};

struct tl_perf_reader {
	struct tl_perf_options options;
	struct tl_source *source;
	const uint8_t *map;
	size_t map_size;
	struct tl_perf_header header;
	bool is_old_header; /* without the bitmap of features */
	struct tl_perf_attr_table attrs;
	struct tl_perf_guest_ids guest_ids;
	struct tl_perf_build_id_table build_ids;
	struct tl_perf_tracing_data tracing;
	struct tl_arena arena; /* texts, ids */
	struct tl_perf_fault_list faults;
	struct tl_perf_position at;
	struct tl_perf_decompressor *decompressor; /* NULL: nothing was compressed so far */
	struct tl_perf_sorter sorter;
	struct tl_perf_parts parts;
};

/* ---- faults.c ---- */

/*
 * A rule is broken at `offset`; `length` bytes are skipped for it. 0; negative: damage in strict
 * mode, no memory, or the observer stopped the reader.
 */
int tl_perf_rule_broken(struct tl_perf_reader *r, enum tl_perf_rule rule, uint64_t offset,
			uint64_t length, struct tl_error *err);

/* ---- attrs.c ---- */

/* A terminated copy in the reader's arena; NULL without memory. */
const char *tl_perf_keep_text(struct tl_perf_reader *r, const char *text, size_t size);
/* Decode an attribute of at least TL_PERF_ATTR_MIN_BYTES and append it to the table. */
int tl_perf_attrs_add(struct tl_perf_reader *r, struct tl_perf_view attr, struct tl_error *err);
/* The counter ids of attribute number `attr`. */
int tl_perf_attrs_add_ids(struct tl_perf_reader *r, size_t attr, struct tl_perf_view ids,
			  struct tl_error *err);
/*
 * Before a second pass: drop the attributes that came with records. Such an attribute holds from
 * its record on, and a second pass must decode as the first one did. Their ids stay in the index
 * without an owner until the attribute comes again.
 */
void tl_perf_attrs_forget(struct tl_perf_reader *r);
/* The event of a counter id; NULL: unknown. */
const struct tl_perf_attr *tl_perf_attrs_find(const struct tl_perf_reader *r, uint64_t id);

/* ---- guest_ids.c ---- */

/* What an ID_INDEX record says of virtual machines. 0 or no memory. */
int tl_perf_guest_ids_load(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			   struct tl_error *err);
/* Before a second pass, which meets the records again. */
void tl_perf_guest_ids_forget(struct tl_perf_reader *r);
void tl_perf_guest_ids_free(struct tl_perf_reader *r);
/* NULL: the id is the host's, or unknown. */
const struct tl_perf_guest_id *tl_perf_guest_ids_find(const struct tl_perf_reader *r, uint64_t id);
/* Whether a record is of a virtual machine, by its mode. */
static inline bool tl_perf_is_of_guest(const struct tl_perf_record *rec)
{
	const unsigned mode = rec->misc & TL_PERF_MISC_CPUMODE;

	return mode == TL_PERF_MISC_GUEST_KERNEL || mode == TL_PERF_MISC_GUEST_USER;
}

/* ---- decode.c ---- */

/*
 * Decode the fields of a raw record. 1; 0: the record is skipped, its fault reported if `report`;
 * negative.
 */
int tl_perf_decode(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
		   struct tl_perf_record *rec, bool report, struct tl_error *err);

/* ---- features.c ---- */

static inline bool tl_perf_has_feature(const struct tl_perf_reader *r, unsigned feature)
{
	return r->header.features[feature / 64] >> feature % 64 & 1;
}
/* All feature sections; their table is at `at`. */
int tl_perf_read_features(struct tl_perf_reader *r, uint64_t at, struct tl_error *err);
int tl_perf_read_feature(struct tl_perf_reader *r, unsigned feature, struct tl_perf_view section,
			 struct tl_error *err);
/* Append the build id of a HEADER_BUILD_ID record to the reader's table. */
int tl_perf_build_ids_add(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			  struct tl_error *err);

/* ---- header.c ---- */

/* Whether a file begins with a magic of perf.data, of any version and byte order. */
bool tl_perf_has_magic(const uint8_t *data, size_t size);
int tl_perf_read_header(struct tl_perf_reader *r, struct tl_error *err);

/* ---- metadata.c ---- */

/* If later records depend on this one (attributes, names, features, build ids): apply it. */
int tl_perf_load_metadata(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
			  struct tl_error *err);

/* ---- decompress.c ---- */

/* Give a COMPRESSED record to the decompressor. */
int tl_perf_decompress_feed(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
			    struct tl_error *err);
/* The next record out of it. 1; 0: the next COMPRESSED record is needed; negative. */
int tl_perf_decompress_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
			    struct tl_error *err);
/* The data section ended: bytes left over are the beginning of a record, and a fault. */
int tl_perf_decompress_end(struct tl_perf_reader *r, struct tl_error *err);
void tl_perf_decompress_rewind(struct tl_perf_reader *r);
void tl_perf_decompress_free(struct tl_perf_reader *r);

/* ---- records.c ---- */

/*
 * The next record in file order; a COMPRESSED record is replaced by the records in it. 1, 0 at the
 * end, negative.
 */
int tl_perf_raw_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
		     struct tl_error *err);
/* The record at an offset. 1; 0: no record fits there, *rule says why. */
int tl_perf_record_at(const struct tl_perf_reader *r, uint64_t at, struct tl_perf_raw_record *raw,
		      enum tl_perf_rule *rule);

/* ---- reader.c ---- */

/* tl_perf_next() for callers inside the library. */
int tl_perf_record_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err);

/* ---- parts.c ---- */

/* The files of a directory, behind the data of the first one. */
int tl_perf_open_parts(struct tl_perf_reader *r, struct tl_error *err);
/* The records of the part that is read have ended. True: others have not, the next one is read. */
bool tl_perf_next_part(struct tl_perf_reader *r);
/* Go on in the part whose records are the oldest. */
void tl_perf_oldest_part(struct tl_perf_reader *r);
/* A record of the part that is read has this time. */
void tl_perf_part_time(struct tl_perf_reader *r, uint64_t time_ns);
/* Read all from the beginning. */
void tl_perf_parts_rewind(struct tl_perf_reader *r);
void tl_perf_parts_free(struct tl_perf_reader *r);

/* ---- sort.c ---- */

/* The next record by time. 1, 0 at the end, negative. */
int tl_perf_sort_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err);
void tl_perf_sort_reset(struct tl_perf_reader *r);

static inline struct tl_perf_view tl_perf_view_of(const struct tl_perf_reader *r,
						  const uint8_t *data, size_t size)
{
	return (struct tl_perf_view){ data, data + size, r->header.swapped };
}

#endif
