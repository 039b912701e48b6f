/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to a packet (docs/formats/etm.md, 3). Each payload function reads one kind of packet. */
#include "core/arithmetic.h"
#include "core/cursor.h"
#include "etm/packets/layout.h"

/*
 * The rest of a packet. A read that fails sets `broken`, and gives 0 then and ever after, so that a
 * payload function asks once, at its end.
 */
struct payload {
	struct tl_cursor cur;
	uint8_t header;
	enum tl_etm_broken broken; /* 0: not */
	const struct tl_etm_state *state;
};

enum { MORE = 0x80, LOW = 0x7f };
/* Most bytes of fields with continuation bits: numbers of 32 bits, cycle counts, timestamps. */
enum { FIELD_32 = 5, FIELD_CYCLES = 3, FIELD_TIMESTAMP = 9 };

typedef void payload_fn(struct tl_etm_packet *packet, struct payload *p);

/* ---- fields ---- */

static uint8_t byte(struct payload *p)
{
	if (!p->broken && !tl_cursor_has(&p->cur, 1))
		p->broken = TL_ETM_CUT;
	return p->broken ? 0 : *p->cur.pos++;
}

static uint32_t little(struct payload *p, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)byte(p) << 8 * i;
	return value;
}

/* Seven bits a byte, the low ones first; bit 7 says that another byte follows (3.2). */
static uint32_t field(struct payload *p, unsigned most)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < most; i++) {
		const uint8_t b = byte(p);

		value |= (uint32_t)(b & LOW) << 7 * i;
		if (!(b & MORE))
			return value;
	}
	p->broken = TL_ETM_BAD_FIELD;
	return 0;
}

static uint64_t low_bits(unsigned bits)
{
	return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* ---- atoms (3.3) ---- */

static void atoms(struct tl_etm_packet *packet, uint32_t bits, unsigned count)
{
	packet->atoms = bits;
	packet->atom_count = (uint8_t)count;
}

static void atom_1(struct tl_etm_packet *packet, struct payload *p)
{
	atoms(packet, p->header & 1, 1);
}

static void atom_2(struct tl_etm_packet *packet, struct payload *p)
{
	atoms(packet, p->header & 3, 2);
}

static void atom_3(struct tl_etm_packet *packet, struct payload *p)
{
	atoms(packet, p->header & 7, 3);
}

static void atom_4(struct tl_etm_packet *packet, struct payload *p)
{
	static const uint8_t patterns[] = { 0xe, 0x0, 0xa, 0x5 };

	atoms(packet, patterns[p->header & 3], 4);
}

/* d5, d6 and d7, and f5, whose low bits are those of d5. */
static void atom_5(struct tl_etm_packet *packet, struct payload *p)
{
	static const uint8_t patterns[] = { 0x00, 0x0a, 0x15 };

	atoms(packet, p->header == 0xf5 ? 0x1e : patterns[(p->header & 3) - 1], 5);
}

/* So many E, and one atom more, which is N if bit 5 is set. */
static void atom_6(struct tl_etm_packet *packet, struct payload *p)
{
	const unsigned count = (p->header & 0x1f) + 3;

	atoms(packet, (uint32_t)low_bits(p->header & 0x20 ? count : count + 1), count + 1);
}

/* ---- addresses (3.4) ---- */

/* Low bits of an address come from the packet, the others from the one before. */
static void put_address(struct tl_etm_packet *packet, const struct payload *p, uint64_t low,
			unsigned bits, unsigned is)
{
	const uint64_t mask = low_bits(bits);

	packet->has_address = true;
	packet->address = (struct tl_etm_address){
		.value = (p->state->addresses[0].value & ~mask) | low,
		.bits = (uint8_t)bits,
		.is = (uint8_t)is,
	};
}

/* A64 and A32 instructions are at multiples of four, those of T32 at multiples of two. */
static void short_address(struct tl_etm_packet *packet, struct payload *p, unsigned is)
{
	const unsigned shift = is ? 1 : 2;
	const uint8_t first = byte(p);
	uint64_t low = (uint64_t)(first & LOW) << shift;
	unsigned bits = 7 + shift;

	if (first & MORE) {
		low |= (uint64_t)byte(p) << bits;
		bits += 8;
	}
	put_address(packet, p, low, bits, is);
}

static void long_address(struct tl_etm_packet *packet, struct payload *p, unsigned is,
			 unsigned bits)
{
	const unsigned shift = is ? 1 : 2;
	uint64_t low = (uint64_t)(byte(p) & LOW) << shift;

	low |= is ? (uint64_t)byte(p) << 8 : (uint64_t)(byte(p) & LOW) << 9;
	low |= (uint64_t)little(p, 2) << 16;
	if (bits == 64)
		low |= (uint64_t)little(p, 4) << 32;
	put_address(packet, p, low, bits, is);
}

static void match(struct tl_etm_packet *packet, const struct payload *p)
{
	packet->number = p->header & 3;
	packet->has_address = true;
	packet->address = p->state->addresses[p->header & 3];
	packet->address.bits = 0;
}

static void address_match(struct tl_etm_packet *packet, struct payload *p)
{
	match(packet, p);
}

static void address_short(struct tl_etm_packet *packet, struct payload *p)
{
	short_address(packet, p, p->header == 0x96);
}

static void address_long(struct tl_etm_packet *packet, struct payload *p)
{
	long_address(packet, p, p->header == 0x9b || p->header == 0x9e, p->header < 0x9d ? 32 : 64);
}

static void source_short(struct tl_etm_packet *packet, struct payload *p)
{
	short_address(packet, p, p->header & 1);
}

static void source_long(struct tl_etm_packet *packet, struct payload *p)
{
	long_address(packet, p, p->header & 1, p->header < 0xb8 ? 32 : 64);
}

/* IDs that the trace unit does not have are not there, whatever the bits for them say. */
static void put_context(struct tl_etm_packet *packet, struct payload *p)
{
	const unsigned vmid_bytes = tl_etm_vmid_bytes(p->state->config);
	const unsigned id_bytes = tl_etm_context_bytes(p->state->config);
	const uint8_t info = byte(p);

	packet->context = (struct tl_etm_context){
		.updated = true,
		.el = info & 3,
		.is_64bit = info & 0x10,
		.is_nonsecure = info & 0x20,
		.has_vmid = info & 0x40 && vmid_bytes,
		.has_id = info & 0x80 && id_bytes,
	};
	if (packet->context.has_vmid)
		packet->context.vmid = little(p, vmid_bytes);
	if (packet->context.has_id)
		packet->context.id = little(p, id_bytes);
}

static void context(struct tl_etm_packet *packet, struct payload *p)
{
	if (p->header & 1)
		put_context(packet, p);
}

static void address_context(struct tl_etm_packet *packet, struct payload *p)
{
	long_address(packet, p, p->header == 0x83 || p->header == 0x86, p->header < 0x85 ? 32 : 64);
	put_context(packet, p);
}

/* The low four bits are the type: which address it has, and whether a count (3.9). */
static void q(struct tl_etm_packet *packet, struct payload *p)
{
	const unsigned type = p->header & 15;

	packet->number = (uint16_t)type;
	if (type < 3)
		match(packet, p);
	else if (type < 7)
		short_address(packet, p, type == 6);
	else if (type < 12)
		long_address(packet, p, type == 11, 32);
	packet->has_count = type != 15;
	if (packet->has_count)
		packet->payload = field(p, FIELD_32);
	/* match() has put the number of the entry there. */
	packet->number = (uint16_t)type;
}

/* ---- time (3.5) ---- */

static void cycles(struct tl_etm_packet *packet, uint32_t count)
{
	packet->has_cycles = true;
	packet->cycles = count;
}

/* The ninth byte has eight bits. Bits that are left out are 0 behind a Trace Info. */
static void timestamp(struct tl_etm_packet *packet, struct payload *p)
{
	unsigned bits = 0;
	uint64_t low = 0;
	uint8_t b;

	do {
		b = byte(p);
		if (bits == 7 * (FIELD_TIMESTAMP - 1)) {
			low |= (uint64_t)b << bits;
			bits = 64;
			break;
		}
		low |= (uint64_t)(b & LOW) << bits;
		bits += 7;
	} while (b & MORE);
	packet->timestamp = low | (p->state->timestamp & ~low_bits(bits));
	if (p->header & 1)
		cycles(packet, field(p, FIELD_CYCLES) &
				       (uint32_t)low_bits(tl_etm_cycle_bits(p->state->config)));
}

/* Bit 0: the count is unknown. */
static void cycles_1(struct tl_etm_packet *packet, struct payload *p)
{
	if (!tl_etm_counts_alone(p->state->config))
		packet->commits = field(p, FIELD_32);
	if (!(p->header & 1))
		cycles(packet, field(p, FIELD_CYCLES) + p->state->threshold);
}

/* Commits count from 1, or down from the depth of speculation. */
static void cycles_2(struct tl_etm_packet *packet, struct payload *p)
{
	const uint8_t b = byte(p);

	packet->commits = (b >> 4) + 1u;
	if (p->header & 1)
		packet->commits = tl_etm_most_speculative(p->state->config) + (b >> 4) - 15u;
	cycles(packet, (b & 15) + p->state->threshold);
}

static void cycles_3(struct tl_etm_packet *packet, struct payload *p)
{
	if (!tl_etm_counts_alone(p->state->config))
		packet->commits = (p->header >> 2 & 3) + 1u;
	cycles(packet, (p->header & 3) + p->state->threshold);
}

/* ---- speculation (3.6) ---- */

static void commit(struct tl_etm_packet *packet, struct payload *p)
{
	packet->commits = field(p, FIELD_32);
}

static void cancel_1(struct tl_etm_packet *packet, struct payload *p)
{
	packet->mispredicts = p->header & 1;
	packet->cancels = field(p, FIELD_32);
}

/* None, E, EE, or N. */
static void mispredict(struct tl_etm_packet *packet, struct payload *p)
{
	static const uint8_t counts[] = { 0, 1, 2, 1 }, bits[] = { 0, 1, 3, 0 };

	packet->mispredicts = true;
	atoms(packet, bits[p->header & 3], counts[p->header & 3]);
}

static void cancel_2(struct tl_etm_packet *packet, struct payload *p)
{
	mispredict(packet, p);
	packet->cancels = 1;
}

static void cancel_3(struct tl_etm_packet *packet, struct payload *p)
{
	packet->mispredicts = true;
	packet->cancels = (p->header >> 1 & 3) + 2u;
	atoms(packet, p->header & 1, p->header & 1);
}

/* ---- others ---- */

/*
 * A first byte says which numbers follow, in the order of its bits. One number, of the window of
 * commits, has no use here.
 */
static void trace_info(struct tl_etm_packet *packet, struct payload *p)
{
	enum { INFO = 1, KEY = 2, DEPTH = 4, THRESHOLD = 8, WINDOW = 16 };
	const uint8_t has = byte(p);

	/* Further bytes of this kind have no bits with a meaning. */
	if (has & MORE)
		field(p, FIELD_32);
	packet->info = has & INFO ? field(p, FIELD_32) : 0;
	packet->key = has & KEY ? field(p, FIELD_32) : 0;
	packet->depth = has & DEPTH ? field(p, FIELD_32) : 0;
	packet->threshold = has & THRESHOLD ? field(p, FIELD_32) : 0;
	if (has & WINDOW)
		field(p, FIELD_32);
}

/* Bits 6 and 0 of the first byte say what the address that follows is (3.7). */
static void exception(struct tl_etm_packet *packet, struct payload *p)
{
	const uint8_t first = byte(p);

	packet->exception.type = first >> 1 & 31;
	packet->exception.interpretation = (uint8_t)((first >> 5 & 2) | (first & 1));
	if (first & MORE) {
		const uint8_t second = byte(p);

		packet->exception.type = (uint16_t)(packet->exception.type | (second & 31) << 5);
		packet->number = second >> 5 & 1;
	}
}

static void instrumentation(struct tl_etm_packet *packet, struct payload *p)
{
	packet->number = byte(p) & 3;
	packet->payload = little(p, 4);
	packet->payload |= (uint64_t)little(p, 4) << 32;
}

static void low_four(struct tl_etm_packet *packet, struct payload *p)
{
	packet->number = p->header & 15;
}

static void low_three(struct tl_etm_packet *packet, struct payload *p)
{
	packet->number = p->header & 7;
}

static void low_two(struct tl_etm_packet *packet, struct payload *p)
{
	packet->number = p->header & 3;
}

static void conditional_1(struct tl_etm_packet *packet, struct payload *p)
{
	packet->key = field(p, FIELD_32);
}

/* Bits 6:1 are the number of elements, to which bit 0 is added. */
static void conditional_3(struct tl_etm_packet *packet, struct payload *p)
{
	const uint8_t b = byte(p);

	packet->number = (uint16_t)((b >> 1 & 0x3f) + (b & 1));
}

/* A result in the low four bits, the key above it and in further bytes. */
static uint32_t result_key(struct payload *p)
{
	const uint8_t first = byte(p);
	const uint32_t low = first >> 4 & 7;

	return first & MORE ? low | field(p, FIELD_32) << 3 : low;
}

static void result_1(struct tl_etm_packet *packet, struct payload *p)
{
	packet->key = result_key(p);
	if (p->header < 0x6c)
		result_key(p);
}

static void result_3(struct tl_etm_packet *packet, struct payload *p)
{
	packet->number = (uint16_t)((p->header & 15) << 8 | byte(p));
}

/* A-Sync, Discard and Overflow: the packets whose first byte is 00. */
static void extension(struct tl_etm_packet *packet, struct payload *p)
{
	const uint8_t second = byte(p);

	if (second == 3)
		packet->kind = TL_ETM_DISCARD;
	else if (second == 5)
		packet->kind = TL_ETM_OVERFLOW;
	else if (second && !p->broken)
		p->broken = TL_ETM_BAD_EXTENSION;
	if (second)
		return;
	for (unsigned i = 2; i < TL_ETM_ASYNC_BYTES && !p->broken; i++)
		if (byte(p) != (i < TL_ETM_ASYNC_BYTES - 1 ? 0 : 0x80) && !p->broken)
			p->broken = TL_ETM_BAD_ASYNC;
}

/* The kinds that are more than their first byte, or mean something by it. */
static payload_fn *const payloads[TL_ETM_KINDS] = {
	[TL_ETM_ASYNC] = extension,
	[TL_ETM_TRACE_INFO] = trace_info,
	[TL_ETM_TIMESTAMP] = timestamp,
	[TL_ETM_EXCEPTION] = exception,
	[TL_ETM_INSTRUMENTATION] = instrumentation,
	[TL_ETM_CYCLES_1] = cycles_1,
	[TL_ETM_CYCLES_2] = cycles_2,
	[TL_ETM_CYCLES_3] = cycles_3,
	[TL_ETM_DATA_MARKER] = low_three,
	[TL_ETM_DATA_MARKER_UNNUMBERED] = low_three,
	[TL_ETM_COMMIT] = commit,
	[TL_ETM_CANCEL_1] = cancel_1,
	[TL_ETM_CANCEL_2] = cancel_2,
	[TL_ETM_CANCEL_3] = cancel_3,
	[TL_ETM_MISPREDICT] = mispredict,
	[TL_ETM_CONDITIONAL_1] = conditional_1,
	[TL_ETM_CONDITIONAL_2] = low_two,
	[TL_ETM_CONDITIONAL_3] = conditional_3,
	[TL_ETM_RESULT_1] = result_1,
	[TL_ETM_RESULT_2] = low_three,
	[TL_ETM_RESULT_3] = result_3,
	[TL_ETM_RESULT_4] = low_two,
	[TL_ETM_EVENT] = low_four,
	[TL_ETM_CONTEXT] = context,
	[TL_ETM_ADDRESS_CONTEXT] = address_context,
	[TL_ETM_ADDRESS_MATCH] = address_match,
	[TL_ETM_ADDRESS_SHORT] = address_short,
	[TL_ETM_ADDRESS_LONG] = address_long,
	[TL_ETM_Q] = q,
	[TL_ETM_SOURCE_MATCH] = address_match,
	[TL_ETM_SOURCE_SHORT] = source_short,
	[TL_ETM_SOURCE_LONG] = source_long,
	[TL_ETM_ATOM_1] = atom_1,
	[TL_ETM_ATOM_2] = atom_2,
	[TL_ETM_ATOM_3] = atom_3,
	[TL_ETM_ATOM_4] = atom_4,
	[TL_ETM_ATOM_5] = atom_5,
	[TL_ETM_ATOM_6] = atom_6,
};

/* ---- what later packets build on ---- */

static void keep_address(struct tl_etm_state *state, const struct tl_etm_address *address)
{
	memmove(&state->addresses[1], &state->addresses[0],
		sizeof(state->addresses) - sizeof(state->addresses[0]));
	state->addresses[0] = *address;
}

static void keep(struct tl_etm_state *state, const struct tl_etm_packet *packet)
{
	if (packet->has_address)
		keep_address(state, &packet->address);
	/* A Trace Info begins anew (3.8). */
	if (packet->kind == TL_ETM_TRACE_INFO) {
		*state = (struct tl_etm_state){ .config = state->config,
						.threshold = packet->threshold };
	} else if (packet->kind == TL_ETM_TIMESTAMP) {
		state->timestamp = packet->timestamp;
	}
}

int tl_etm_decode(struct tl_etm_packet *packet, const uint8_t *pos, const uint8_t *end,
		  struct tl_etm_state *state)
{
	struct payload p = { .cur = { pos + 1, end, pos }, .header = *pos, .state = state };

	*packet = (struct tl_etm_packet){ .kind = (uint8_t)tl_etm_kind_of(*pos,
									  state->config->is_ete) };
	if (packet->kind == TL_ETM_RESERVED)
		return -TL_ETM_BAD_HEADER;
	if (payloads[packet->kind])
		payloads[packet->kind](packet, &p);
	if (p.broken)
		return -(int)p.broken;
	packet->size = (uint8_t)tl_cursor_offset(&p.cur);
	keep(state, packet);
	return packet->size;
}

const uint8_t *tl_etm_find_async(const uint8_t *pos, const uint8_t *end)
{
	enum { ZEROS = TL_ETM_ASYNC_BYTES - 1 };

	while (end - pos >= TL_ETM_ASYNC_BYTES) {
		const uint8_t *behind = pos + ZEROS;
		size_t last = ZEROS;

		/* The last byte that is none of eleven zeros: nothing before it can begin them. */
		while (last && !pos[last - 1])
			last--;
		if (last) {
			pos += last;
			continue;
		}
		while (behind < end && !*behind)
			behind++;
		if (behind == end)
			return NULL;
		if (*behind == TL_ETM_ASYNC_END)
			return behind - ZEROS;
		pos = behind + 1;
	}
	return NULL;
}
