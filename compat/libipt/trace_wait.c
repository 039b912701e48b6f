/* SPDX-License-Identifier: Apache-2.0 */
/* Events that wait for a packet, and addresses. */
#include "trace.h"

/* ---- events that wait ---- */

static uint8_t behind(uint8_t place)
{
	return (uint8_t)((place + 1) % TL_COMPAT_WAITING);
}

struct pt_event *tl_compat_wait(struct tl_compat_trace *trace, enum tl_compat_bound bound,
				enum pt_event_type type)
{
	struct tl_compat_queue *queue = &trace->waiting[bound];
	struct pt_event *event = &queue->events[queue->end];

	/* The last one given stays where it is until the next one is. */
	if (behind(behind(queue->end)) == queue->begin)
		return NULL;
	queue->end = behind(queue->end);
	memset(event, 0, sizeof(*event));
	event->type = type;
	return event;
}

struct pt_event *tl_compat_take(struct tl_compat_trace *trace, enum tl_compat_bound bound)
{
	struct tl_compat_queue *queue = &trace->waiting[bound];
	struct pt_event *event = &queue->events[queue->begin];

	if (queue->begin == queue->end)
		return NULL;
	queue->begin = behind(queue->begin);
	return event;
}

bool tl_compat_waits(const struct tl_compat_trace *trace, enum tl_compat_bound bound)
{
	return trace->waiting[bound].begin != trace->waiting[bound].end;
}

struct pt_event *tl_compat_find(struct tl_compat_trace *trace, enum tl_compat_bound bound,
				enum pt_event_type type)
{
	struct tl_compat_queue *queue = &trace->waiting[bound];

	for (uint8_t at = queue->begin; at != queue->end; at = behind(at))
		if (queue->events[at].type == type)
			return &queue->events[at];
	return NULL;
}

struct pt_event *tl_compat_alone(struct tl_compat_trace *trace, enum pt_event_type type)
{
	memset(&trace->alone, 0, sizeof(trace->alone));
	trace->alone.type = type;
	trace->event = &trace->alone;
	return &trace->alone;
}

void tl_compat_event_time(const struct tl_compat_trace *trace, struct pt_event *event)
{
	event->tsc = trace->time.tsc;
	event->lost_mtc = trace->time.lost_mtc;
	event->lost_cyc = trace->time.lost_cyc;
	event->has_tsc = trace->time.have_tsc;
}

/* ---- addresses ---- */

int tl_compat_last_ip(const struct tl_compat_trace *trace, uint64_t *ip)
{
	*ip = trace->have_ip && !trace->suppressed ? trace->last_ip : 0;
	if (!trace->have_ip)
		return -pte_noip;
	return trace->suppressed ? -pte_ip_suppressed : 0;
}

void tl_compat_update_ip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	static const uint64_t kept[] = {
		[TL_PT_IPC_UPDATE_16] = ~UINT64_C(0xffff),
		[TL_PT_IPC_UPDATE_32] = ~UINT64_C(0xffffffff),
		[TL_PT_IPC_UPDATE_48] = ~UINT64_C(0xffffffffffff),
		[TL_PT_IPC_FULL] = 0,
	};
	unsigned code = packet->ip.ipc;

	trace->suppressed = code == TL_PT_IPC_SUPPRESSED;
	if (trace->suppressed)
		return;
	trace->have_ip = true;
	if (code == TL_PT_IPC_SEXT_48)
		trace->last_ip = (uint64_t)((int64_t)(packet->ip.ip << 16) >> 16);
	else
		trace->last_ip = (trace->last_ip & kept[code]) | packet->ip.ip;
}

/* The present address becomes an event's. */
void tl_compat_give_ip(const struct tl_compat_trace *trace, struct pt_event *event, uint64_t *ip)
{
	if (tl_compat_last_ip(trace, ip) < 0)
		event->ip_suppressed = 1;
}
