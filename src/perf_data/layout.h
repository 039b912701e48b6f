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
	FILE_HEADER_BYTES = 104,
	PIPE_HEADER_BYTES = 16,
	RECORD_HEADER_BYTES = 8,
	RECORD_MOST_BYTES = 65535,
	ATTR_LEAST_BYTES = 64, /* PERF_ATTR_SIZE_VER0 */
	FEATURE_COUNT = 256,
};

#define PERF_MAGIC "PERFILE2"
#define PERF_MAGIC_SWAPPED "2ELIFREP"

/* Bits of sample_type (UAPI, enum perf_event_sample_format). */
#define SAMPLE_IP (1u << 0)
#define SAMPLE_TID (1u << 1)
#define SAMPLE_TIME (1u << 2)
#define SAMPLE_ADDR (1u << 3)
#define SAMPLE_READ (1u << 4)
#define SAMPLE_CALLCHAIN (1u << 5)
#define SAMPLE_ID (1u << 6)
#define SAMPLE_CPU (1u << 7)
#define SAMPLE_PERIOD (1u << 8)
#define SAMPLE_STREAM_ID (1u << 9)
#define SAMPLE_RAW (1u << 10)
#define SAMPLE_BRANCH_STACK (1u << 11)
#define SAMPLE_REGS_USER (1u << 12)
#define SAMPLE_STACK_USER (1u << 13)
#define SAMPLE_WEIGHT (1u << 14)
#define SAMPLE_DATA_SRC (1u << 15)
#define SAMPLE_IDENTIFIER (1u << 16)
#define SAMPLE_TRANSACTION (1u << 17)
#define SAMPLE_REGS_INTR (1u << 18)
#define SAMPLE_PHYS_ADDR (1u << 19)
#define SAMPLE_AUX (1u << 20)
#define SAMPLE_CGROUP (1u << 21)
#define SAMPLE_DATA_PAGE_SIZE (1u << 22)
#define SAMPLE_CODE_PAGE_SIZE (1u << 23)
#define SAMPLE_WEIGHT_STRUCT (1u << 24)

/* Bits of the attribute's flags. */
#define ATTR_EXCLUDE_KERNEL (1u << 5)
#define ATTR_SAMPLE_ID_ALL (1u << 18)

/* Feature numbers (3). */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OS_RELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_CPUS = 7,
	FEATURE_CPU_DESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_COMPRESSED = 27,
};

enum { AUXTRACE_TYPE_INTEL_PT = 1 };

/*
 * Bytes with their order. take*() are unchecked: the bound is tested once for what is taken
 * together.
 */
struct perf_view {
	const uint8_t *pos, *end;
	bool swap;
};

static inline size_t view_left(const struct perf_view *v)
{
	return (size_t)(v->end - v->pos);
}

static inline bool view_has(const struct perf_view *v, uint64_t n)
{
	return n <= view_left(v);
}

static inline uint16_t take16(struct perf_view *v)
{
	v->pos += 2;
	return tl_get16s(v->pos - 2, v->swap);
}

static inline uint32_t take32(struct perf_view *v)
{
	v->pos += 4;
	return tl_get32s(v->pos - 4, v->swap);
}

static inline uint64_t take64(struct perf_view *v)
{
	v->pos += 8;
	return tl_get64s(v->pos - 8, v->swap);
}

static inline const uint8_t *take_bytes(struct perf_view *v, size_t n)
{
	v->pos += n;
	return v->pos - n;
}

/* A terminated text that fills the rest, padding and all. */
static inline struct tl_perf_text take_text(struct perf_view *v)
{
	const size_t room = view_left(v);
	const struct tl_perf_text text = { (const char *)v->pos,
					   strnlen((const char *)v->pos, room) };

	v->pos = v->end;
	return text;
}

/* One type of record. */
struct perf_layout {
	const char *name;
	uint16_t least; /* bytes of the body, without trailer, that a decoder may take unchecked */
	/* False: what stands in it contradicts itself. NULL: there is nothing to take. */
	bool (*decode)(struct tl_perf_record *rec, struct perf_view *body);
};

/* The row of a type; NULL: unknown. */
const struct perf_layout *tl_perf_layout(uint32_t type);

/* A record of the kernel: has a trailer when its event says so. */
static inline bool is_kernel_record(uint32_t type)
{
	return type < TL_PERF_HEADER_ATTR;
}

/* sample.c: the fields of a sample; false when they do not fit. */
bool tl_perf_sample_decode(struct tl_perf_record *rec, struct perf_view *body);
/* Bytes of the trailer of an event's records, 0: it has none. */
size_t tl_perf_trailer_size(const struct tl_perf_attr *attr);
void tl_perf_trailer_decode(struct tl_perf_id *id, const struct tl_perf_attr *attr,
			    struct perf_view *trailer);

#endif
