/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether bytes are a trace, and whether in frames. An A-Sync alone says little, as files of many
 * kinds have eleven zeros and an 80: a Trace Info has to be behind it, and packets without a fault.
 */
#include "core/arithmetic.h"
#include "etm/packets/probe.h"

enum {
	LOOKED_AT = 64 * 1024,
	PACKETS = 1000,
	ENOUGH = 16,   /* packets, where the trace does not begin with an A-Sync */
	VARIANTS = 12, /* of the unit */
};

/* What the first bytes of a source are as packets. */
struct look {
	uint64_t packets, broken;
	bool begins;  /* with an A-Sync */
	bool informs; /* a Trace Info is behind the first A-Sync */
};

static struct look look(const struct tl_etm_trace *trace, uint8_t id,
			const struct tl_etm_config *config)
{
	struct tl_etm_reader reader;
	struct tl_etm_packet packet;
	struct look l = { 0 };
	enum tl_etm_read read;

	tl_etm_reader_begin(&reader, trace, id, config);
	while (l.packets < PACKETS && l.broken < PACKETS &&
	       (read = tl_etm_reader_next(&reader, &packet)) != TL_ETM_END) {
		l.broken += read == TL_ETM_LOST;
		l.packets += read == TL_ETM_PACKET;
		if (l.packets == 2 && read == TL_ETM_PACKET)
			l.informs = packet.kind == TL_ETM_TRACE_INFO;
	}
	l.begins = l.packets && !reader.passed_bytes;
	return l;
}

/* One of the units that are common, by number: what is usual first. */
static struct tl_etm_config variant(unsigned number)
{
	static const uint8_t vmid_bytes[] = { 1, 4, 2 };
	struct tl_etm_config c = tl_etm_usual_config;

	c.is_ete = number & 1;
	c.idr0 ^= (uint32_t)(number & 2) << 28;
	c.idr2 = (c.idr2 & ~UINT32_C(0x7c00)) | (uint32_t)vmid_bytes[number / 4] << 10;
	return c;
}

/* What a source is by the variant of the fewest faults. */
static struct look look_best(const struct tl_etm_trace *trace, uint8_t id,
			     struct tl_etm_config *config)
{
	struct look best;

	*config = variant(0);
	best = look(trace, id, config);
	for (unsigned i = 1; best.informs && best.broken && i < VARIANTS; i++) {
		const struct tl_etm_config c = variant(i);
		const struct look l = look(trace, id, &c);

		if (l.broken < best.broken) {
			best = l;
			*config = c;
		}
	}
	return best;
}

void tl_etm_guess(const struct tl_etm_trace *trace, uint8_t id, struct tl_etm_config *config)
{
	look_best(trace, id, config);
}

/* Damage is no reason to refuse a trace, but one to let surer formats go first. */
static int sureness(const struct look *l)
{
	if (!l->informs)
		return 0;
	if (l->begins)
		return l->broken ? 35 : 70;
	return l->packets >= ENOUGH && !l->broken ? 25 : 0;
}

/* The source among frames with the fewest faults; false: there is none. */
static bool look_at_frames(const uint8_t *data, size_t size, struct look *best)
{
	const struct tl_etm_trace trace = { data, data + size, true };
	struct tl_etm_config config;
	uint8_t ids[TL_ETM_IDS];
	const size_t count = tl_etm_sources(&trace, ids);

	for (size_t i = 0; i < count; i++) {
		const struct look l = look_best(&trace, ids[i], &config);

		if (!i || l.broken < best->broken)
			*best = l;
	}
	return count;
}

static struct look look_at_bytes(const uint8_t *data, size_t size)
{
	const struct tl_etm_trace trace = { data, data + size, false };
	struct tl_etm_config config;

	return look_best(&trace, 0, &config);
}

int tl_etm_probe(const uint8_t *data, size_t size)
{
	const size_t looked_at = tl_min(size, (size_t)LOOKED_AT);
	struct look l;
	int sure;

	if (!looked_at)
		return 0;
	l = look_at_bytes(data, looked_at);
	sure = sureness(&l);
	if (sure || !look_at_frames(data, looked_at, &l))
		return sure;
	return sureness(&l);
}

bool tl_etm_is_framed(const uint8_t *data, size_t size)
{
	const size_t looked_at = tl_min(size, (size_t)LOOKED_AT);
	struct look bytes, frames;

	if (!looked_at || !look_at_frames(data, looked_at, &frames))
		return false;
	bytes = look_at_bytes(data, looked_at);
	return !bytes.informs || (frames.informs && frames.broken < bytes.broken);
}
