/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ETM_WRITER_H
#define TESTS_UNIT_ETM_WRITER_H
/*
 * Packets of ETMv4 and ETE as bytes, from what they mean (docs/formats/etm.md, 3), and frames of
 * the formatter: nothing here is the reader's.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct etm_bytes {
	uint8_t data[1 << 16];
	size_t size;
};

static inline void etm_byte(struct etm_bytes *b, unsigned value)
{
	assert(b->size < sizeof(b->data));
	b->data[b->size++] = (uint8_t)value;
}

static inline void etm_little(struct etm_bytes *b, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		etm_byte(b, (uint8_t)(value >> 8 * i));
}

/* Seven bits a byte; bit 7 where another byte follows. */
static inline void etm_field(struct etm_bytes *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		etm_byte(b, 128 | (value & 127));
	etm_byte(b, (unsigned)value);
}

static inline void etm_async(struct etm_bytes *b)
{
	for (int i = 0; i < 11; i++)
		etm_byte(b, 0);
	etm_byte(b, 0x80);
}

/* All four numbers are there. */
static inline void etm_trace_info(struct etm_bytes *b, uint32_t info, uint32_t key, uint32_t depth,
				  uint32_t threshold)
{
	etm_byte(b, 1);
	etm_byte(b, 15);
	etm_field(b, info);
	etm_field(b, key);
	etm_field(b, depth);
	etm_field(b, threshold);
}

/* An address of 64 bits; `is`: T32. */
static inline void etm_put_address(struct etm_bytes *b, uint64_t address, bool is, unsigned bits)
{
	etm_byte(b, address >> (is ? 1 : 2) & 127);
	etm_byte(b, is ? address >> 8 & 255 : address >> 9 & 127);
	etm_little(b, address >> 16, bits == 64 ? 6 : 2);
}

static inline void etm_address_64(struct etm_bytes *b, uint64_t address, bool is)
{
	etm_byte(b, is ? 0x9e : 0x9d);
	etm_put_address(b, address, is, 64);
}

static inline void etm_address_32(struct etm_bytes *b, uint64_t address, bool is)
{
	etm_byte(b, is ? 0x9b : 0x9a);
	etm_put_address(b, address, is, 32);
}

/* The low bits: of one byte or of two. */
static inline void etm_put_short(struct etm_bytes *b, uint64_t address, bool is, bool two)
{
	const unsigned shift = is ? 1 : 2;

	etm_byte(b, (address >> shift & 127) | (two ? 128 : 0));
	if (two)
		etm_byte(b, address >> (shift + 7) & 255);
}

static inline void etm_address_short(struct etm_bytes *b, uint64_t address, bool is, bool two)
{
	etm_byte(b, is ? 0x96 : 0x95);
	etm_put_short(b, address, is, two);
}

/* How many bytes the IDs have is the trace unit's. */
struct etm_context {
	unsigned el;
	bool is_64bit, is_nonsecure;
	unsigned vmid_bytes, id_bytes; /* 0: not there */
	uint32_t vmid, id;
};

static inline void etm_put_context(struct etm_bytes *b, const struct etm_context *c)
{
	etm_byte(b, c->el | (unsigned)c->is_64bit << 4 | (unsigned)c->is_nonsecure << 5 |
			    (c->vmid_bytes ? 0x40u : 0) | (c->id_bytes ? 0x80u : 0));
	etm_little(b, c->vmid, c->vmid_bytes);
	etm_little(b, c->id, c->id_bytes);
}

static inline void etm_address_context(struct etm_bytes *b, uint64_t address, bool is,
				       unsigned bits, const struct etm_context *c)
{
	etm_byte(b, (bits == 64 ? 0x85u : 0x82u) + is);
	etm_put_address(b, address, is, bits);
	etm_put_context(b, c);
}

/* The whole of a timestamp, in as many bytes as it takes. */
static inline void etm_timestamp(struct etm_bytes *b, uint64_t ticks, bool has_cycles,
				 uint32_t cycles)
{
	unsigned count = 1;

	etm_byte(b, has_cycles ? 3 : 2);
	for (; ticks > 127 && count < 9; ticks >>= 7, count++)
		etm_byte(b, 128 | (ticks & 127));
	etm_byte(b, (unsigned)ticks);
	if (has_cycles)
		etm_field(b, cycles);
}

/* One packet of so many atoms, the oldest in bit 0; false: no packet has these. */
static inline bool etm_atoms(struct etm_bytes *b, uint32_t atoms, unsigned count)
{
	const uint32_t ones = (UINT32_C(1) << count) - 1;

	if (count < 4)
		etm_byte(b, (count == 1 ? 0xf6 : count == 2 ? 0xd8 : 0xf8) | atoms);
	else if (count == 4 && atoms == 0xe) /* N E E E */
		etm_byte(b, 0xdc);
	else if (count == 4 && atoms == 0) /* N N N N */
		etm_byte(b, 0xdd);
	else if (count == 4 && atoms == 0xa) /* N E N E */
		etm_byte(b, 0xde);
	else if (count == 4 && atoms == 5) /* E N E N */
		etm_byte(b, 0xdf);
	else if (count == 5 && atoms == 0x1e) /* N E E E E */
		etm_byte(b, 0xf5);
	else if (count == 5 && atoms == 0) /* N N N N N */
		etm_byte(b, 0xd5);
	else if (count == 5 && atoms == 0xa) /* N E N E N */
		etm_byte(b, 0xd6);
	else if (count == 5 && atoms == 0x15) /* E N E N E */
		etm_byte(b, 0xd7);
	else if (count > 3 && count < 25 && atoms == ones) /* E ... E E */
		etm_byte(b, 0xc0 + count - 4);
	else if (count > 3 && count < 25 && atoms == ones >> 1) /* E ... E N */
		etm_byte(b, 0xe0 + count - 4);
	else
		return false;
	return true;
}

/* ---- frames ---- */

/* Bytes with their sources, put into frames of 16 bytes. */
struct etm_framer {
	struct etm_bytes *out;
	uint8_t frame[16];
	unsigned at;
	unsigned id;
};

static inline void etm_frame_end(struct etm_framer *f)
{
	for (unsigned i = 0; i < 16; i++)
		etm_byte(f->out, f->frame[i]);
	memset(f->frame, 0, sizeof(f->frame));
	f->at = 0;
}

static inline void etm_frame_next(struct etm_framer *f)
{
	if (++f->at == 15)
		etm_frame_end(f);
}

/*
 * A byte of a source. An ID stands at an even place. Where a change falls on an odd place, the ID
 * comes before the last byte of the old source, with its bit in the last byte of the frame set:
 * the caller has to say one byte ahead that the source changes.
 */
static inline void etm_frame_byte(struct etm_framer *f, unsigned id, uint8_t byte, unsigned next_id)
{
	if (f->at % 2 == 0 && id != f->id) {
		f->frame[f->at] = (uint8_t)(id << 1 | 1);
		f->id = id;
		etm_frame_next(f);
	}
	if (f->at % 2 == 0 && f->at < 14 && next_id != id) {
		/* The new ID first, then this byte, which is still the old source's. */
		f->frame[f->at] = (uint8_t)(next_id << 1 | 1);
		f->frame[15] |= (uint8_t)(1u << f->at / 2);
		f->id = next_id;
		etm_frame_next(f);
		f->frame[f->at] = byte;
		etm_frame_next(f);
		return;
	}
	if (f->at % 2 == 0) {
		f->frame[f->at] = byte & 0xfe;
		f->frame[15] |= (uint8_t)((byte & 1u) << f->at / 2);
	} else {
		/* A change at an odd place has to be said ahead. */
		assert(id == f->id);
		f->frame[f->at] = byte;
	}
	etm_frame_next(f);
}

#endif
