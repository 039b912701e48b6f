/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORMAT_LAYOUT_H
#define TL_XRAY_FORMAT_LAYOUT_H
/*
 * The formats as constants and tables. Section names in quotes are those of the published "XRay
 * Flight Data Recorder Trace Format"; numbers are sections of docs/formats/xray.md.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/xray.h>

#include "core/cursor.h"

enum {
	TL_XRAY_HEADER_BYTES = 32,   /* "XRay FDR format: header"; the same for basic mode */
	TL_XRAY_FUNCTION_BYTES = 8,  /* "Function Records" */
	TL_XRAY_METADATA_BYTES = 16, /* "Metadata Records" */
	TL_XRAY_BASIC_BYTES = 32,    /* 2.7 */
};

enum { TL_XRAY_TYPE_BASIC = 0, TL_XRAY_TYPE_FDR = 1 };

/* Kinds of metadata records: 7 bits beside the discriminant ("Metadata Records"; 7 to 9: 2.3). */
enum tl_xray_metadata {
	TL_XRAY_MD_NEW_BUFFER = 0,
	TL_XRAY_MD_END_OF_BUFFER = 1,
	TL_XRAY_MD_NEW_CPU = 2,
	TL_XRAY_MD_TSC_WRAP = 3,
	TL_XRAY_MD_WALL_CLOCK = 4,
	TL_XRAY_MD_CUSTOM_EVENT = 5,
	TL_XRAY_MD_CALL_ARGUMENT = 6,
	TL_XRAY_MD_BUFFER_EXTENTS = 7,
	TL_XRAY_MD_TYPED_EVENT = 8,
	TL_XRAY_MD_PID = 9,
	TL_XRAY_MD_COUNT
};

/* The name of a record kind in dumps, for a kind of metadata record. */
struct tl_xray_metadata_kind {
	enum tl_xray_kind kind;
	const char *name;
};

/* By metadata kind. */
extern const struct tl_xray_metadata_kind tl_xray_metadata_kinds[TL_XRAY_MD_COUNT];

/* The name of a record kind ("function", "new-buffer", ...) and of an action ("enter", ...). */
const char *tl_xray_kind_name(enum tl_xray_kind kind);
const char *tl_xray_action_name(enum tl_xray_action action);

/* The dialect of a file: everything that decoding depends on. */
struct tl_xray_dialect {
	enum tl_xray_mode mode;
	uint16_t version;
	bool swap;      /* the file's byte order is not the host's */
	bool high_bits; /* fields from the most significant bit (1.4) */
	bool tid16;
};

/* The first byte of a metadata record. */
static inline uint8_t tl_xray_metadata_byte(const struct tl_xray_dialect *d,
					    enum tl_xray_metadata kind)
{
	return (uint8_t)(d->high_bits ? 0x80u | kind : (unsigned)kind << 1 | 1u);
}

static inline bool tl_xray_is_metadata(bool high_bits, uint8_t byte)
{
	return high_bits ? byte & 0x80 : byte & 1;
}

static inline unsigned tl_xray_kind_of_metadata(bool high_bits, uint8_t byte)
{
	return high_bits ? byte & 0x7f : byte >> 1;
}

/*
 * The fields of a function word ("Function Records"); the action has 3 bits, of which 0 to 3 are
 * defined.
 */
static inline unsigned tl_xray_function_action(bool high_bits, uint32_t word)
{
	return (high_bits ? word >> 28 : word >> 1) & 7;
}

static inline uint32_t tl_xray_function_id(bool high_bits, uint32_t word)
{
	return high_bits ? word & 0x0fffffff : word >> 4;
}

/*
 * Whether a record at `p` that begins with the word `word` is the entry or the exit of a function,
 * without metadata and without an argument behind it. Where the first byte is the lowest one of the
 * word, the four bits of metadata and action are 0, 2 or 4, which is one test.
 */
static inline bool tl_xray_is_step(const uint8_t *p, uint32_t word, bool swap, bool high_bits)
{
	if (swap == TL_HOST_BIG_ENDIAN && !high_bits)
		return 0x15u >> (word & 15) & 1;
	return !tl_xray_is_metadata(high_bits, *p) &&
	       tl_xray_function_action(high_bits, word) <= TL_XRAY_TAIL_EXIT;
}

/* Of such a record: 1 if it is an exit, else 0. */
static inline uint32_t tl_xray_is_exit(bool high_bits, uint32_t word)
{
	return (tl_xray_function_action(high_bits, word) + 1) >> 1;
}

/* Profiling mode (2.9). */
#define TL_XRAY_PROFILING_MAGIC UINT64_C(0x7872617970726f66)
#define TL_XRAY_PROFILING_VERSION UINT64_C(0x20180424)
enum { TL_XRAY_PROFILING_BLOCK_BYTES = 16 };

#endif
