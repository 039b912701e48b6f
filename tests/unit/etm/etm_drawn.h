/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ETM_DRAWN_H
#define TESTS_UNIT_ETM_DRAWN_H
/* Drawn packets: the bytes of each, and what a reader has to say of it. */
#include "../chance.h"
#include "etm/packets/packet.h"
#include "etm_writer.h"

/* How the trace unit of a drawn trace is. */
struct drawn_unit {
	struct tl_etm_config config;
	unsigned vmid_bytes, id_bytes;
	bool counts_alone;
	uint32_t depth;
	unsigned most_bytes; /* of a timestamp that is not whole */
	bool is_64bit;       /* all contexts are */
};

static inline struct drawn_unit draw_unit(uint32_t *seed)
{
	static const unsigned sizes[] = { 0, 1, 2, 4 };
	struct drawn_unit u = { .most_bytes = 8 };

	u.config.is_ete = chance(seed, 2);
	u.vmid_bytes = sizes[1 + chance(seed, 3)];
	u.id_bytes = 4 * chance(seed, 2);
	u.counts_alone = chance(seed, 2);
	u.depth = chance(seed, 2) ? 0 : 20 + chance(seed, 40);
	/* Conditional instructions, cycle counts, Q elements, return stack, data. */
	u.config.idr0 = 0x080180e0 | 3 << 1 | 3 << 3 | (unsigned)u.counts_alone << 29;
	u.config.idr1 = u.config.is_ete ? 0x4100f503 : 0x4100f463;
	u.config.idr2 = 8 | u.id_bytes << 5 | u.vmid_bytes << 10 | 8 << 15 | 8 << 20;
	u.config.idr8 = u.depth;
	u.config.configr = 0x18d1;
	if (!u.config.is_ete)
		u.config.configr |= 3 << 1 | 7 << 8 | 1 << 16 | 1 << 17;
	return u;
}

/* One with the registers that are usual. */
static inline struct drawn_unit usual_unit(void)
{
	return (struct drawn_unit){ .config = tl_etm_usual_config,
				    .vmid_bytes = 1,
				    .id_bytes = 4,
				    .counts_alone = true,
				    .most_bytes = 8 };
}

/* What a model of the reader keeps: by the document, not by the reader. */
struct drawn_model {
	const struct drawn_unit *unit;
	struct tl_etm_address last[3];
	uint64_t timestamp;
	uint32_t threshold;
};

static inline void model_address(struct drawn_model *m, struct tl_etm_packet *p, uint64_t value,
				 unsigned bits, bool is)
{
	p->has_address = true;
	p->address = (struct tl_etm_address){ value, (uint8_t)bits, is };
	m->last[2] = m->last[1];
	m->last[1] = m->last[0];
	m->last[0] = p->address;
}

static inline uint64_t mixed(uint64_t before, uint64_t value, unsigned bits)
{
	const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	return (before & ~mask) | (value & mask);
}

static inline uint64_t draw_aligned(uint32_t *seed, bool is)
{
	return chance_bits(seed) & (is ? ~UINT64_C(1) : ~UINT64_C(3));
}

/* A context as it is written, and as it is read. */
static inline struct etm_context draw_context(uint32_t *seed, const struct drawn_unit *u,
					      struct tl_etm_packet *p)
{
	struct etm_context c = { .el = chance(seed, 4),
				 .is_64bit = u->is_64bit || chance(seed, 2),
				 .is_nonsecure = chance(seed, 2) };
	const unsigned has = chance(seed, 4);

	c.vmid_bytes = has & 1 ? u->vmid_bytes : 0;
	c.id_bytes = has & 2 ? u->id_bytes : 0;
	c.vmid = (uint32_t)mixed(0, chance_bits(seed), 8 * c.vmid_bytes);
	c.id = (uint32_t)mixed(0, chance_bits(seed), 8 * c.id_bytes);
	p->context = (struct tl_etm_context){
		.updated = true,
		.el = (uint8_t)c.el,
		.is_64bit = c.is_64bit,
		.is_nonsecure = c.is_nonsecure,
		.has_vmid = c.vmid_bytes,
		.has_id = c.id_bytes,
		.vmid = c.vmid,
		.id = c.id,
	};
	return c;
}

static inline void draw_trace_info(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
				   struct tl_etm_packet *p)
{
	p->kind = TL_ETM_TRACE_INFO;
	*m = (struct drawn_model){ .unit = m->unit };
	p->info = chance(seed, 64);
	p->key = chance(seed, 1000);
	p->depth = chance(seed, 1 + m->unit->depth);
	p->threshold = m->threshold = chance(seed, 500);
	etm_trace_info(b, p->info, p->key, p->depth, p->threshold);
}

static inline void draw_atoms(uint32_t *seed, struct etm_bytes *b, struct tl_etm_packet *p)
{
	static const uint8_t kinds[] = { 0, TL_ETM_ATOM_1, TL_ETM_ATOM_2, TL_ETM_ATOM_3 };
	unsigned count;
	uint32_t atoms;

	do {
		count = 1 + chance(seed, 24);
		atoms = (uint32_t)mixed(0, chance_bits(seed), count);
		if (count > 3 && chance(seed, 2))
			atoms = (UINT32_C(1) << (count - chance(seed, 2))) - 1;
	} while (!etm_atoms(b, atoms, count));
	p->atoms = atoms;
	p->atom_count = (uint8_t)count;
	if (count < 4)
		p->kind = kinds[count];
	else if (count == 4 && atoms != 15 && atoms != 7)
		p->kind = TL_ETM_ATOM_4;
	else if (count == 5 && atoms != 31 && atoms != 15)
		p->kind = TL_ETM_ATOM_5;
	else
		p->kind = TL_ETM_ATOM_6;
}

static inline void draw_address(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
				struct tl_etm_packet *p)
{
	const bool is = chance(seed, 2), two = chance(seed, 2);
	const uint64_t value = draw_aligned(seed, is), before = m->last[0].value;
	const unsigned short_bits = 7u + (is ? 1 : 2) + (two ? 8 : 0), way = chance(seed, 6),
		       entry = chance(seed, 3);
	struct etm_context c;

	if (way == 0) {
		p->kind = TL_ETM_ADDRESS_LONG;
		etm_address_64(b, value, is);
		model_address(m, p, value, 64, is);
	} else if (way == 1) {
		p->kind = TL_ETM_ADDRESS_LONG;
		etm_address_32(b, value, is);
		model_address(m, p, mixed(before, value, 32), 32, is);
	} else if (way == 2) {
		p->kind = TL_ETM_ADDRESS_SHORT;
		etm_address_short(b, value, is, two);
		model_address(m, p, mixed(before, value, short_bits), short_bits, is);
	} else if (way == 3) {
		p->kind = TL_ETM_ADDRESS_MATCH;
		p->number = (uint16_t)entry;
		etm_byte(b, 0x90 + entry);
		model_address(m, p, m->last[entry].value, 0, m->last[entry].is);
	} else {
		p->kind = TL_ETM_ADDRESS_CONTEXT;
		c = draw_context(seed, m->unit, p);
		etm_address_context(b, value, is, way == 4 ? 32 : 64, &c);
		model_address(m, p, way == 4 ? mixed(before, value, 32) : value, way == 4 ? 32 : 64,
			      is);
	}
}

static inline void draw_context_packet(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
				       struct tl_etm_packet *p)
{
	struct etm_context c;

	p->kind = TL_ETM_CONTEXT;
	if (!chance(seed, 3)) {
		etm_byte(b, 0x80);
		return;
	}
	etm_byte(b, 0x81);
	c = draw_context(seed, m->unit, p);
	etm_put_context(b, &c);
}

/* Whole, or the low bits of one that is near. */
static inline void draw_timestamp(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
				  struct tl_etm_packet *p)
{
	const unsigned bits = 7 * (1 + chance(seed, m->unit->most_bytes));
	const bool is_whole = chance(seed, 2);
	uint64_t low = chance_bits(seed);

	p->kind = TL_ETM_TIMESTAMP;
	p->has_cycles = chance(seed, 2);
	p->cycles = p->has_cycles ? chance(seed, 4096) : 0;
	/* Its top bits are set, so that all nine bytes are there, or so many as are left out. */
	if (is_whole) {
		low |= UINT64_C(1) << 63;
		p->timestamp = low;
	} else {
		low = mixed(0, low, bits) | UINT64_C(1) << (bits - 1);
		p->timestamp = mixed(m->timestamp, low, bits);
	}
	m->timestamp = p->timestamp;
	etm_timestamp(b, low, p->has_cycles, p->cycles);
}

static inline void draw_cycles(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
			       struct tl_etm_packet *p)
{
	const struct drawn_unit *u = m->unit;
	const unsigned commits = chance(seed, 4), count = chance(seed, 4), way = chance(seed, 3);
	const unsigned down = chance(seed, u->depth ? 2 : 1), large = chance(seed, 60000);

	p->has_cycles = true;
	if (way == 0) {
		p->kind = TL_ETM_CYCLES_3;
		p->commits = u->counts_alone ? 0 : commits + 1;
		p->cycles = m->threshold + count;
		etm_byte(b, 0x10 | commits << 2 | count);
	} else if (way == 1) {
		p->kind = TL_ETM_CYCLES_2;
		p->commits = down ? u->depth - 15 + commits : commits + 1;
		p->cycles = m->threshold + 3 * count;
		etm_byte(b, 0x0c | down);
		etm_byte(b, commits << 4 | 3 * count);
	} else {
		p->kind = TL_ETM_CYCLES_1;
		p->has_cycles = chance(seed, 2);
		etm_byte(b, p->has_cycles ? 0x0e : 0x0f);
		p->commits = u->counts_alone ? 0 : 100 * commits;
		if (!u->counts_alone)
			etm_field(b, p->commits);
		p->cycles = p->has_cycles ? m->threshold + large : 0;
		if (p->has_cycles)
			etm_field(b, large);
	}
}

static inline void draw_speculation(uint32_t *seed, struct etm_bytes *b, struct tl_etm_packet *p)
{
	const unsigned way = chance(seed, 5), low = chance(seed, 4), count = chance(seed, 300);
	/* None, E, EE, N */
	static const struct {
		uint8_t count, atoms;
	} predicted[] = { { 0, 0 }, { 1, 1 }, { 2, 3 }, { 1, 0 } };

	if (way == 0) {
		p->kind = TL_ETM_COMMIT;
		p->commits = count;
		etm_byte(b, 0x2d);
		etm_field(b, count);
	} else if (way == 1) {
		p->kind = TL_ETM_CANCEL_1;
		p->mispredicts = low & 1;
		p->cancels = count;
		etm_byte(b, 0x2e | (low & 1u));
		etm_field(b, count);
	} else if (way < 4) {
		p->kind = way == 2 ? TL_ETM_MISPREDICT : TL_ETM_CANCEL_2;
		p->mispredicts = true;
		p->cancels = way == 3;
		p->atom_count = predicted[low].count;
		p->atoms = predicted[low].atoms;
		etm_byte(b, (way == 2 ? 0x30 : 0x34) | low);
	} else {
		p->kind = TL_ETM_CANCEL_3;
		p->mispredicts = true;
		p->cancels = 2 + low;
		p->atoms = count & 1;
		p->atom_count = (uint8_t)p->atoms;
		etm_byte(b, 0x38 | low << 1 | (count & 1));
	}
}

static inline void draw_exception(uint32_t *seed, struct etm_bytes *b, struct tl_etm_packet *p,
				  bool is_ete)
{
	const bool two = !is_ete && chance(seed, 2);
	const unsigned interpretation = 1 + chance(seed, 2);

	p->kind = TL_ETM_EXCEPTION;
	/* Types without an address, which ETE has, are a test of their own. */
	p->exception.type =
		(uint16_t)(is_ete ? 1 + chance(seed, 20) : chance(seed, two ? 1024 : 32));
	p->exception.interpretation = (uint8_t)interpretation;
	etm_byte(b, 6);
	etm_byte(b, (interpretation & 1) | (interpretation >> 1) << 6 |
			    (p->exception.type & 31u) << 1 | (two ? 128u : 0));
	if (two) {
		p->number = (uint16_t)chance(seed, 2);
		etm_byte(b, (unsigned)p->exception.type >> 5 | (unsigned)p->number << 5);
	}
}

static inline void draw_q(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
			  struct tl_etm_packet *p)
{
	static const uint8_t types[] = { 0, 1, 2, 5, 6, 10, 11, 12, 15 };
	const unsigned type = types[chance(seed, 9)], count = chance(seed, 60000);
	const bool is = type == 6 || type == 11, two = chance(seed, 2);
	const uint64_t value = draw_aligned(seed, is), before = m->last[0].value;
	const unsigned short_bits = 7u + (is ? 1 : 2) + (two ? 8 : 0);

	p->kind = TL_ETM_Q;
	p->number = (uint16_t)type;
	etm_byte(b, 0xa0 | type);
	if (type < 3) {
		model_address(m, p, m->last[type].value, 0, m->last[type].is);
	} else if (type < 7) {
		etm_put_short(b, value, is, two);
		model_address(m, p, mixed(before, value, short_bits), short_bits, is);
	} else if (type < 12) {
		etm_put_address(b, value, is, 32);
		model_address(m, p, mixed(before, value, 32), 32, is);
	}
	p->has_count = type != 15;
	p->payload = p->has_count ? count : 0;
	if (p->has_count)
		etm_field(b, count);
}

/* Packets of one byte, and small ones: of conditional instructions and data. */
static inline void draw_marker(uint32_t *seed, struct etm_bytes *b, struct tl_etm_packet *p)
{
	static const struct {
		uint8_t first, count, kind, mask;
	} kinds[] = {
		{ 0x20, 8, TL_ETM_DATA_MARKER, 7 },   { 0x28, 5, TL_ETM_DATA_MARKER_UNNUMBERED, 7 },
		{ 0x40, 3, TL_ETM_CONDITIONAL_2, 3 }, { 0x43, 1, TL_ETM_CONDITIONAL_FLUSH, 0 },
		{ 0x44, 3, TL_ETM_RESULT_4, 3 },      { 0x48, 3, TL_ETM_RESULT_2, 7 },
		{ 0x4c, 3, TL_ETM_RESULT_2, 7 },      { 0x07, 1, TL_ETM_EXCEPTION_RETURN, 0 },
	};
	const unsigned way = chance(seed, 12), low = chance(seed, 128), key = chance(seed, 60000);
	unsigned header;

	if (way < 8) {
		header = kinds[way].first + chance(seed, kinds[way].count);
		p->kind = kinds[way].kind;
		p->number = (uint16_t)(header & kinds[way].mask);
		etm_byte(b, header);
	} else if (way == 8) {
		p->kind = TL_ETM_CONDITIONAL_1;
		p->key = key;
		etm_byte(b, 0x6c);
		etm_field(b, key);
	} else if (way == 9) {
		p->kind = TL_ETM_CONDITIONAL_3;
		p->number = (uint16_t)((low >> 1) + (low & 1u));
		etm_byte(b, 0x6d);
		etm_byte(b, low);
	} else if (way == 10) {
		p->kind = TL_ETM_RESULT_3;
		p->number = (uint16_t)(key & 0xfff);
		etm_byte(b, 0x50 | (key >> 8 & 15));
		etm_byte(b, key & 255);
	} else {
		p->kind = TL_ETM_RESULT_1;
		p->key = key;
		etm_byte(b, low & 1 ? 0x68 : 0x6e);
		etm_byte(b, 3 | (key & 7) << 4 | (key > 7 ? 128u : 0));
		if (key > 7)
			etm_field(b, key >> 3);
		if (low & 1u)
			etm_byte(b, 0x15);
	}
}

/* Packets that both kinds of unit have, or ETE alone. */
static inline void draw_simple(uint32_t *seed, struct etm_bytes *b, struct tl_etm_packet *p,
			       bool is_ete)
{
	static const struct {
		uint8_t first, second, kind;
	} kinds[] = {
		{ 4, 0, TL_ETM_TRACE_ON },
		{ 0x70, 0, TL_ETM_IGNORE },
		{ 0, 3, TL_ETM_DISCARD },
		{ 0, 5, TL_ETM_OVERFLOW },
		{ 0x0a, 0, TL_ETM_TRANSACTION_START },
		{ 0x0b, 0, TL_ETM_TRANSACTION_COMMIT },
		{ 0x88, 0, TL_ETM_TIMESTAMP_MARKER },
	};
	const unsigned way = chance(seed, is_ete ? 8 : 5);

	if (way == (is_ete ? 7 : 4)) {
		p->kind = TL_ETM_EVENT;
		p->number = (uint16_t)(1 + chance(seed, 15));
		etm_byte(b, 0x70u | p->number);
		return;
	}
	p->kind = kinds[way].kind;
	etm_byte(b, kinds[way].first);
	if (!kinds[way].first)
		etm_byte(b, kinds[way].second);
}

/* ETE's addresses of branches. */
static inline void draw_source(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
			       struct tl_etm_packet *p)
{
	const bool is = chance(seed, 2), two = chance(seed, 2);
	const uint64_t value = draw_aligned(seed, is), before = m->last[0].value;
	const unsigned way = chance(seed, 4), entry = chance(seed, 3),
		       short_bits = 7u + (is ? 1 : 2) + (two ? 8 : 0);

	if (way == 0) {
		p->kind = TL_ETM_SOURCE_MATCH;
		p->number = (uint16_t)entry;
		etm_byte(b, 0xb0 + entry);
		model_address(m, p, m->last[entry].value, 0, m->last[entry].is);
	} else if (way == 1) {
		p->kind = TL_ETM_SOURCE_SHORT;
		etm_byte(b, 0xb4u + is);
		etm_put_short(b, value, is, two);
		model_address(m, p, mixed(before, value, short_bits), short_bits, is);
	} else {
		const unsigned bits = way == 2 ? 32 : 64;

		p->kind = TL_ETM_SOURCE_LONG;
		etm_byte(b, (bits == 32 ? 0xb6u : 0xb8u) + is);
		etm_put_address(b, value, is, bits);
		model_address(m, p, mixed(before, value, bits), bits, is);
	}
}

/* Any packet but an A-Sync: its bytes behind those that are there, and what it is. */
static inline void draw_packet(uint32_t *seed, struct drawn_model *m, struct etm_bytes *b,
			       struct tl_etm_packet *p)
{
	const bool is_ete = m->unit->config.is_ete;
	const size_t before = b->size;

	*p = (struct tl_etm_packet){ 0 };
	switch (chance(seed, 12)) {
	case 0:
	case 1:
	case 2:
		draw_atoms(seed, b, p);
		break;
	case 3:
	case 4:
		draw_address(seed, m, b, p);
		break;
	case 5:
		draw_context_packet(seed, m, b, p);
		break;
	case 6:
		draw_timestamp(seed, m, b, p);
		break;
	case 7:
		draw_cycles(seed, m, b, p);
		break;
	case 8:
		draw_speculation(seed, b, p);
		break;
	case 9:
		draw_exception(seed, b, p, is_ete);
		break;
	case 10:
		if (is_ete)
			draw_source(seed, m, b, p);
		else
			draw_marker(seed, b, p);
		break;
	default:
		if (chance(seed, 2))
			draw_simple(seed, b, p, is_ete);
		else if (chance(seed, 8))
			draw_q(seed, m, b, p);
		else
			draw_trace_info(seed, m, b, p);
	}
	p->size = (uint8_t)(b->size - before);
}

#endif
