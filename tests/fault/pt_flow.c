/* SPDX-License-Identifier: Apache-2.0 */
/* See pt_flow.h. Memory is that of the handles alone, so that only time and truth can go wrong. */
#include "pt_flow.h"

#include <string.h>

#include "intel_pt/flow/flow.h"

static struct tl_pt_config configuration(const uint8_t *data, size_t size, uint32_t choice)
{
	return (struct tl_pt_config){
		.size = sizeof(struct tl_pt_config),
		.begin = data,
		.end = data + size,
		.errata = choice & 0x3ff,
		.flags = (choice & 1 << 10 ? TL_PT_TICK_EVENTS : 0u) |
			 (choice & 1 << 11 ? TL_PT_KEEP_TCAL : 0u) |
			 (choice & 1 << 12 ? TL_PT_IFLAG_EVENTS : 0u),
		.mtc_freq = choice >> 13 & 15,
		.nom_freq = choice >> 17 & 63,
		.cpuid_15_eax = choice >> 23 & 7,
		.cpuid_15_ebx = choice >> 26,
	};
}

/* ---- packets ---- */

static bool same_packet(const struct tl_pt_packet *a, const struct tl_pt_packet *b)
{
	struct tl_pt_packet x = *a, y = *b;

	/* A value may be written in fewer bytes than it came in. */
	if (x.kind == TL_PT_PKT_CYC)
		x.size = y.size = 0;
	return !memcmp(&x, &y, sizeof(x));
}

static const char *again(const struct tl_pt_packet *packet)
{
	uint8_t bytes[TL_PT_MAX_BYTES];
	struct tl_pt_packet read;
	struct tl_pt_context context = { NULL, TL_PT_ITEMS_NONE };
	int size;

	if (packet->kind == TL_PT_PKT_INVALID || packet->kind == TL_PT_PKT_UNKNOWN)
		return NULL;
	size = tl_pt_packet_write(bytes, sizeof(bytes), packet, sizeof(*packet));
	if (size <= 0)
		return "a packet that was read cannot be written";
	if (packet->kind == TL_PT_PKT_BIP)
		context.items = packet->size == 5 ? TL_PT_ITEMS_4 : TL_PT_ITEMS_8;
	if (tl_pt_decode(&read, bytes, bytes + size, &context) != size)
		return "a packet that was written is not one packet";
	return same_packet(packet, &read) ? NULL
					  : "a packet is another one when it is written and read";
}

static const char *exercise_packets(const struct tl_pt_config *config)
{
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;
	const char *broken = NULL;
	uint64_t last = 0, offset = 0;

	if (tl_pt_packets_open(&packets, config) < 0)
		return NULL;
	for (int status = tl_pt_packets_sync_set(packets, 0); status >= 0 && !broken;) {
		while (!broken &&
		       (status = tl_pt_packets_next(packets, &packet, sizeof(packet))) > 0)
			broken = again(&packet);
		if (status == 0)
			broken = "a packet of no bytes";
		tl_pt_packets_offset(packets, &offset);
		if (offset < last)
			broken = "packets go backwards";
		last = offset;
		status = tl_pt_packets_sync_forward(packets);
	}
	tl_pt_packets_close(packets);
	return broken;
}

/* ---- flow ---- */

/*
 * All that a flow said, as one number; outcomes count one by one, so that how they were gathered
 * does not.
 */
struct story {
	uint64_t hash, items, lost;
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
};

static void tell(struct story *story, uint64_t what)
{
	story->hash = (story->hash ^ what) * 0x9e3779b97f4a7c15u;
	story->hash ^= story->hash >> 29;
}

static void tell_item(struct story *story, const struct tl_pt_flow_item *item)
{
	tell(story, item->kind);
	if (item->kind == TL_PT_FLOW_ITEM_TIP) {
		tell(story, item->ip);
		tell(story, item->suppressed);
	} else if (item->kind == TL_PT_FLOW_ITEM_EVENT) {
		tell(story, item->event.kind);
		tell(story, item->event.ip);
		tell(story, item->event.offset);
	} else if (item->kind == TL_PT_FLOW_ITEM_ERROR) {
		tell(story, item->error);
		tell(story, item->offset);
	}
}

static const char *take(struct story *story, const struct tl_pt_flow_item *item)
{
	if (item->kind != TL_PT_FLOW_ITEM_TNT) {
		tell_item(story, item);
		return NULL;
	}
	if (item->count < 1 || item->count > 64 || (item->count < 64 && item->bits >> item->count))
		return "a register of outcomes with no count, or with more bits than that";
	for (uint32_t i = item->count; i; i--)
		tell(story, 0x100 | (item->bits >> (i - 1) & 1));
	return NULL;
}

/* From the first PSB to the end, over all errors. */
static const char *drain(const struct tl_pt_config *config, unsigned flags, struct story *story)
{
	const uint64_t size = (uint64_t)(config->end - config->begin);
	struct tl_pt_flow flow;
	struct tl_pt_flow_item item;
	struct tl_pt_event lost;

	memset(story, 0, sizeof(*story));
	if (tl_pt_flow_open(&flow, config, flags) < 0 || tl_pt_flow_sync_forward(&flow) < 0)
		return NULL;
	for (;;) {
		const char *broken;

		tl_pt_flow_next(&flow, &item);
		if (++story->items > 64 + 16 * size)
			return "flow does not come to an end";
		broken = take(story, &item);
		if (broken)
			return broken;
		if (item.offset > size || tl_pt_flow_offset(&flow) > size)
			return "an offset outside the trace";
		if (item.kind == TL_PT_FLOW_ITEM_END)
			break;
		if (item.kind != TL_PT_FLOW_ITEM_ERROR)
			continue;
		tl_pt_flow_resync(&flow, &lost);
		if (lost.lost.from > lost.lost.to || lost.lost.to > size ||
		    lost.lost.from < story->lost)
			return "a loss outside the trace, or before another";
		story->lost = lost.lost.from;
	}
	tl_pt_flow_time(&flow, &story->tsc, &story->lost_mtc, &story->lost_cyc);
	return NULL;
}

static const char *exercise_flow(const struct tl_pt_config *config)
{
	struct story timed, untimed;
	const char *broken = drain(config, TL_PT_FLOW_TIMED, &timed);

	if (!broken)
		broken = drain(config, 0, &untimed);
	if (broken)
		return broken;
	if (timed.hash != untimed.hash)
		return "a timed flow says something else than an untimed one";
	if (timed.tsc != untimed.tsc || timed.lost_cyc != untimed.lost_cyc ||
	    timed.lost_mtc != untimed.lost_mtc)
		return "time on demand is not the time that was kept";
	return NULL;
}

/* ---- queries ---- */

static const char *ask(struct tl_pt_query *query, int status, uint64_t size)
{
	for (uint64_t asked = 0; status >= 0; asked++) {
		struct tl_pt_event event;
		uint64_t ip;
		int taken;

		if (asked > 64 + 64 * size)
			return "queries do not come to an end";
		if (status & TL_PT_EVENT_PENDING) {
			status = tl_pt_query_event(query, &event, sizeof(event));
			if (status == -TL_PT_BAD_QUERY)
				return "an event was pending, and is none";
			continue;
		}
		status = tl_pt_query_cond_branch(query, &taken);
		if (status == -TL_PT_BAD_QUERY)
			status = tl_pt_query_indirect_branch(query, &ip);
	}
	return NULL;
}

static const char *exercise_query(const struct tl_pt_config *config)
{
	const uint64_t size = (uint64_t)(config->end - config->begin);
	struct tl_pt_query *query;
	const char *broken = NULL;
	int status;

	if (tl_pt_query_open(&query, config) < 0)
		return NULL;
	while (!broken && (status = tl_pt_query_sync_forward(query, NULL)) != -TL_PT_EOS)
		broken = ask(query, status, size);
	tl_pt_query_close(query);
	return broken;
}

static const char *exercise_psbs(const struct tl_pt_config *config)
{
	uint64_t found[64];
	size_t count = tl_pt_find_psbs(config, 0, found, 64);

	for (size_t i = 0; i < count; i++)
		if (!tl_pt_is_psb(config->begin + found[i], config->end) ||
		    (i && found[i] < found[i - 1] + 16))
			return "what is listed as a PSB is none";
	return NULL;
}

const char *exercise_pt(const uint8_t *data, size_t size, uint32_t choice)
{
	struct tl_pt_config config = configuration(data, size, choice);
	const char *broken = exercise_packets(&config);

	if (!broken)
		broken = exercise_flow(&config);
	if (!broken)
		broken = exercise_query(&config);
	return broken ? broken : exercise_psbs(&config);
}
