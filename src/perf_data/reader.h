/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_READER_H
#define TL_PERF_DATA_READER_H
/*
 * The reader's insides. Bytes go through records.c (where each record begins and ends) or, when
 * they were compressed, expand.c; absorb.c takes from them what later records need (attributes,
 * names, build ids); order.c puts them into the order of time; reader.c decodes.
 */
#include "core/error.h"
#include "core/memory.h"
#include "perf_data/layout.h"

/* A record as bytes. */
struct perf_raw {
	const uint8_t *at; /* of its header */
	uint16_t size;
	uint32_t type;
	const uint8_t *data;
	uint64_t data_size;
	uint64_t offset, number, inside;
};

/* Rules: what check and the list of faults say. */
enum perf_rule {
	RULE_HEADER_SIZE,
	RULE_DATA_SIZE,
	RULE_DATA_ZERO,
	RULE_ATTR_SIZE,
	RULE_ATTR_IDS,
	RULE_FEATURE,
	RULE_RECORD_CUT,
	RULE_RECORD_SIZE,
	RULE_RECORD_SHORT,
	RULE_RECORD_CONTENT,
	RULE_RECORD_NO_EVENT,
	RULE_RECORD_UNKNOWN,
	RULE_DATA_CUT,
	RULE_ZSTD,
	RULE_ZSTD_CUT,
	RULE_ZSTD_RATIO,
	RULE_ORDER,
	RULE_AUX_TRUNCATED,
	RULE_AUX_COLLISION,
	RULE_AUX_PARTIAL,
	RULE_LOST,
	RULE_NO_INFO,
	RULE_AUX_GAP,
	RULE_AUX_MISSING,
	RULE_NO_EVENT,
	RULE_COUNT
};

struct perf_rule_row {
	const char *id;
	enum tl_status status;
	bool damage; /* else the bytes are well-formed: only the checker tells */
	const char *text;
};

extern const struct perf_rule_row tl_perf_rules[RULE_COUNT];

typedef int perf_observe_fn(void *arg, enum perf_rule rule, uint64_t offset, uint64_t record);

/* An attribute with what grows. */
struct perf_attrs {
	struct tl_perf_attr *list;
	size_t count, capacity;
	struct tl_index by_id; /* id -> attribute */
	uint64_t *ids;         /* as indexed, in order of arrival */
	uint32_t *owners;
	size_t id_count, id_capacity, owner_capacity;
	bool identified;                 /* each has SAMPLE_IDENTIFIER: ids stand at known places */
	size_t header_count, header_ids; /* of the header; the others come with records */
};

struct perf_build_id_row {
	struct tl_perf_build_id id;
	uint32_t pid;
	uint16_t misc;
	const char *path;
};

/* A waiting record (order.c). */
struct perf_waiting {
	struct perf_raw raw;
	uint64_t time_ns;
	uint8_t *copy; /* of an expanded record, else NULL */
};

struct perf_order {
	struct perf_waiting *heap;
	size_t count, capacity;
	uint64_t copied;      /* bytes of all copies */
	uint64_t round, next; /* latest time met; and at the end of the last round */
	uint64_t limit;       /* what may leave */
	bool ended;
	bool unaligned; /* compressed records were met: others begin anywhere */
	uint8_t *given; /* copy of the record given last */
};

struct tl_perf_reader {
	struct tl_perf_options options;
	struct tl_source *source;
	const uint8_t *map;
	size_t map_size;
	struct tl_perf_header header;
	struct perf_attrs attrs;
	struct tl_arena arena; /* texts, ids */
	struct perf_build_id_row *build_ids;
	size_t build_id_count, build_id_capacity;
	const uint8_t *tracing; /* TRACING_DATA */
	uint64_t tracing_size;

	struct tl_perf_fault *faults;
	size_t listed, fault_capacity;
	uint64_t fault_count, skipped_bytes;
	perf_observe_fn *observe; /* NULL: nobody */
	void *observe_arg;

	uint64_t pos, end; /* of the data section */
	uint64_t number;   /* of the next record */
	uint64_t known;    /* records below were met in an earlier pass */
	bool ended;
	bool unaligned;             /* compressed records were met: others begin anywhere */
	struct perf_expand *expand; /* NULL: nothing was compressed so far */
	struct perf_order order;
};

/* ---- faults.c ---- */

/* A rule is broken. 0, or negative: strict and damage, or no memory, or the observer stopped it. */
int tl_perf_broken(struct tl_perf_reader *r, enum perf_rule rule, uint64_t offset, uint64_t length,
		   struct tl_error *err);

/* ---- header.c, absorb.c ---- */

int tl_perf_read_header(struct tl_perf_reader *r, struct tl_error *err);
int tl_perf_read_features(struct tl_perf_reader *r, uint64_t at, struct tl_error *err);
int tl_perf_read_feature(struct tl_perf_reader *r, unsigned feature, struct perf_view section,
			 struct tl_error *err);
/* One attribute of `size` bytes; its ids are added by tl_perf_add_ids(). */
int tl_perf_add_attr(struct tl_perf_reader *r, struct perf_view attr, struct tl_error *err);
int tl_perf_add_ids(struct tl_perf_reader *r, size_t attr, struct perf_view ids,
		    struct tl_error *err);
/*
 * Attributes of records hold from where they stand: a second pass must not know more than the
 * first. Their ids stay in the index, and are of no attribute until it comes again.
 */
void tl_perf_forget_attrs(struct tl_perf_reader *r);
/* The event of an id; NULL: unknown. */
const struct tl_perf_attr *tl_perf_attr_of(const struct tl_perf_reader *r, uint64_t id);
/* Take what later records need. */
int tl_perf_absorb(struct tl_perf_reader *r, const struct perf_raw *raw, struct tl_error *err);
/* A terminated copy in the reader's arena; NULL without memory. */
const char *tl_perf_keep(struct tl_perf_reader *r, const char *text, size_t size);

/* ---- records.c, expand.c ---- */

/*
 * The next record as the bytes stand, COMPRESSED ones replaced by what is in them. 1, 0, negative.
 */
int tl_perf_raw_next(struct tl_perf_reader *r, struct perf_raw *raw, struct tl_error *err);
/* The record at an offset. 1, 0: none fits there (the rule says why). */
int tl_perf_record_at(const struct tl_perf_reader *r, uint64_t at, struct perf_raw *raw,
		      enum perf_rule *rule);

/* Give a compressed record to the expansion. */
int tl_perf_expand_feed(struct tl_perf_reader *r, const struct perf_raw *raw, struct tl_error *err);
/* The next record out of it. 1; 0: it needs more bytes; negative. */
int tl_perf_expand_next(struct tl_perf_reader *r, struct perf_raw *raw, struct tl_error *err);
/* Nothing follows: what is left is a fault. */
int tl_perf_expand_end(struct tl_perf_reader *r, struct tl_error *err);
void tl_perf_expand_rewind(struct tl_perf_reader *r);
void tl_perf_expand_free(struct tl_perf_reader *r);

/* ---- reader.c, order.c ---- */

/* Bytes to fields. 1; 0: the record is skipped, the fault was told; negative. */
int tl_perf_decode(struct tl_perf_reader *r, const struct perf_raw *raw, struct tl_perf_record *rec,
		   bool tell, struct tl_error *err);
/* The next record by time. */
int tl_perf_order_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err);
void tl_perf_order_reset(struct tl_perf_reader *r);

static inline struct perf_view view_of(const struct tl_perf_reader *r, const uint8_t *data,
				       size_t size)
{
	return (struct perf_view){ data, data + size, r->header.swapped };
}

#endif
