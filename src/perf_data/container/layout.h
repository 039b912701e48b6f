/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LAYOUT_H
#define TL_PERF_DATA_LAYOUT_H
/*
 * The layout of perf.data as constants and one table of record types (docs/formats/perf-data.md
 * sections 2 to 4; UAPI is <linux/perf_event.h>).
 */
#include <tracelathe/perf_data.h>

#include "core/cursor.h"

enum {
	TL_PERF_FILE_HEADER_BYTES = 104,
	TL_PERF_OLD_HEADER_BYTES = 72, /* of the first perfs: without the bitmap of features */
	TL_PERF_PIPE_HEADER_BYTES = 16,
	TL_PERF_RECORD_HEADER_BYTES = 8,
	TL_PERF_RECORD_MAX_BYTES = 65535,
	TL_PERF_ATTR_MIN_BYTES = 64, /* PERF_ATTR_SIZE_VER0 */
	TL_PERF_FEATURE_COUNT = 256,
};

#define TL_PERF_MAGIC "PERFILE2"
#define TL_PERF_MAGIC_SWAPPED "2ELIFREP"
#define TL_PERF_MAGIC_1 "PERFFILE" /* version 1, in both byte orders */

/* Bits of sample_type (UAPI, enum perf_event_sample_format). */
#define TL_PERF_SAMPLE_IP (1u << 0)
#define TL_PERF_SAMPLE_TID (1u << 1)
#define TL_PERF_SAMPLE_TIME (1u << 2)
#define TL_PERF_SAMPLE_ADDR (1u << 3)
#define TL_PERF_SAMPLE_READ (1u << 4)
#define TL_PERF_SAMPLE_CALLCHAIN (1u << 5)
#define TL_PERF_SAMPLE_ID (1u << 6)
#define TL_PERF_SAMPLE_CPU (1u << 7)
#define TL_PERF_SAMPLE_PERIOD (1u << 8)
#define TL_PERF_SAMPLE_STREAM_ID (1u << 9)
#define TL_PERF_SAMPLE_RAW (1u << 10)
#define TL_PERF_SAMPLE_BRANCH_STACK (1u << 11)
#define TL_PERF_SAMPLE_REGS_USER (1u << 12)
#define TL_PERF_SAMPLE_STACK_USER (1u << 13)
#define TL_PERF_SAMPLE_WEIGHT (1u << 14)
#define TL_PERF_SAMPLE_DATA_SRC (1u << 15)
#define TL_PERF_SAMPLE_IDENTIFIER (1u << 16)
#define TL_PERF_SAMPLE_TRANSACTION (1u << 17)
#define TL_PERF_SAMPLE_REGS_INTR (1u << 18)
#define TL_PERF_SAMPLE_PHYS_ADDR (1u << 19)
#define TL_PERF_SAMPLE_AUX (1u << 20)
#define TL_PERF_SAMPLE_CGROUP (1u << 21)
#define TL_PERF_SAMPLE_DATA_PAGE_SIZE (1u << 22)
#define TL_PERF_SAMPLE_CODE_PAGE_SIZE (1u << 23)
#define TL_PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)

/* Bits of the attribute's flags. */
#define TL_PERF_ATTR_EXCLUDE_KERNEL (1u << 5)
#define TL_PERF_ATTR_SAMPLE_ID_ALL (1u << 18)

/* Feature numbers (3). */
enum {
	TL_PERF_FEATURE_TRACING_DATA = 1,
	TL_PERF_FEATURE_BUILD_ID = 2,
	TL_PERF_FEATURE_HOSTNAME = 3,
	TL_PERF_FEATURE_OS_RELEASE = 4,
	TL_PERF_FEATURE_VERSION = 5,
	TL_PERF_FEATURE_ARCH = 6,
	TL_PERF_FEATURE_CPUS = 7,
	TL_PERF_FEATURE_CPU_DESC = 8,
	TL_PERF_FEATURE_CPUID = 9,
	TL_PERF_FEATURE_TOTAL_MEM = 10,
	TL_PERF_FEATURE_CMDLINE = 11,
	TL_PERF_FEATURE_EVENT_DESC = 12,
	TL_PERF_FEATURE_AUXTRACE = 18,
	TL_PERF_FEATURE_SAMPLE_TIME = 21,
	TL_PERF_FEATURE_COMPRESSED = 27,
};

/* enum auxtrace_type of Linux's tools/perf/util/auxtrace.h: of which processors a trace is. */
enum {
	TL_PERF_AUXTRACE_TYPE_INTEL_PT = 1,
	TL_PERF_AUXTRACE_TYPE_INTEL_BTS = 2,
	TL_PERF_AUXTRACE_TYPE_CORESIGHT = 3,
	TL_PERF_AUXTRACE_TYPE_ARM_SPE = 4,
};

/*
 * Bytes with their byte order. tl_perf_take*() do not test the bound: the caller tests it once for
 * all fields that are taken together.
 */
struct tl_perf_view {
	const uint8_t *pos, *end;
	bool swap;
};

static inline size_t tl_perf_view_left(const struct tl_perf_view *v)
{
	return (size_t)(v->end - v->pos);
}

static inline bool tl_perf_view_has(const struct tl_perf_view *v, uint64_t n)
{
	return n <= tl_perf_view_left(v);
}

static inline uint16_t tl_perf_take16(struct tl_perf_view *v)
{
	v->pos += 2;
	return tl_get16s(v->pos - 2, v->swap);
}

static inline uint32_t tl_perf_take32(struct tl_perf_view *v)
{
	v->pos += 4;
	return tl_get32s(v->pos - 4, v->swap);
}

static inline uint64_t tl_perf_take64(struct tl_perf_view *v)
{
	v->pos += 8;
	return tl_get64s(v->pos - 8, v->swap);
}

static inline const uint8_t *tl_perf_take_bytes(struct tl_perf_view *v, size_t n)
{
	v->pos += n;
	return v->pos - n;
}

/* The rest of the view as text, without terminator and padding. */
static inline struct tl_perf_text tl_perf_take_text(struct tl_perf_view *v)
{
	const size_t room = tl_perf_view_left(v);
	const struct tl_perf_text text = { (const char *)v->pos,
					   strnlen((const char *)v->pos, room) };

	v->pos = v->end;
	return text;
}

/* One type of record. */
struct tl_perf_layout {
	const char *name;
	uint16_t least; /* least bytes of the body without trailer: `decode` takes them unchecked */
	/* False: a count in the record exceeds its size. NULL: there are no fields. */
	bool (*decode)(struct tl_perf_record *rec, struct tl_perf_view *body);
};

/* The row of a type; NULL: unknown. */
const struct tl_perf_layout *tl_perf_layout_find(uint32_t type);

/* Whether the kernel wrote the record: it has a trailer if its event has sample_id_all. */
static inline bool tl_perf_is_kernel_record(uint32_t type)
{
	return type < TL_PERF_HEADER_ATTR;
}

/* sample.c: the fields of a sample; false when they do not fit. */
bool tl_perf_sample_decode(struct tl_perf_record *rec, struct tl_perf_view *body);
/* Bytes of the trailer of an event's records, 0: it has none. */
size_t tl_perf_trailer_size(const struct tl_perf_attr *attr);
void tl_perf_trailer_decode(struct tl_perf_id *id, const struct tl_perf_attr *attr,
			    struct tl_perf_view *trailer);

#endif
