/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published query interface on top of the flow. One item is read ahead, because statuses depend
 * on it.
 */
#include <stdlib.h>

#include "intel_pt/flow/rules.h"
#include "intel_pt/packets/sized.h"

/* The state of the clock at an item. */
struct query_time {
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc, cbr;
	bool have_tsc, have_cbr;
};

struct tl_pt_query {
	struct tl_pt_flow flow;
	struct tl_pt_flow_item next; /* the item read ahead */
	struct query_time at_next, at_last;
	uint64_t bits; /* outcomes that are left of the last TNT */
	uint32_t count;
	const uint8_t *sync; /* the PSB synchronised onto */
	bool synced, asked;  /* `asked`: a query was answered since synchronising */
	bool begun, on;      /* tracing was on at the PSB, at `ip` */
	uint64_t ip;
};

/*
 * Synchronising itself returns whether tracing is on; only the event interface has events for it.
 */
static bool is_state(const struct tl_pt_flow_item *item)
{
	return item->kind == TL_PT_FLOW_ITEM_EVENT && item->event.status_update &&
	       (item->event.kind == TL_PT_EV_ENABLED || item->event.kind == TL_PT_EV_DISABLED);
}

static void read_ahead(struct tl_pt_query *q)
{
	const struct tl_pt_clock *time = &q->flow.time;

	tl_pt_flow_next(&q->flow, &q->next);
	/* Only the first PSB+: another may follow it at once. */
	if (!q->begun) {
		q->begun = true;
		q->on = q->flow.status.enabled;
		q->ip = q->flow.status.ip;
	}
	while (is_state(&q->next))
		tl_pt_flow_next(&q->flow, &q->next);
	/* The flow is a timed one: its clock has the time of the item. */
	q->at_next = (struct query_time){
		.tsc = time->tsc,
		.lost_mtc = time->lost_mtc,
		.lost_cyc = time->lost_cyc,
		.cbr = time->cbr,
		.have_tsc = time->have_tsc,
		.have_cbr = time->have_cbr,
	};
}

/* The item read ahead answers the query. */
static void use_next(struct tl_pt_query *q)
{
	q->at_last = q->at_next;
	q->asked = true;
	if (q->next.kind == TL_PT_FLOW_ITEM_TNT) {
		q->bits = q->next.bits;
		q->count = q->next.count;
	}
	read_ahead(q);
}

static int status_flags(const struct tl_pt_query *q)
{
	if (q->count)
		return 0;
	if (q->next.kind == TL_PT_FLOW_ITEM_EVENT)
		return TL_PT_EVENT_PENDING;
	return q->next.kind == TL_PT_FLOW_ITEM_END ? TL_PT_END_OF_STREAM : 0;
}

/* The error of a query that the next item does not answer. */
static int mismatch(const struct tl_pt_query *q)
{
	if (!q->synced)
		return -TL_PT_NOSYNC;
	if (q->next.kind == TL_PT_FLOW_ITEM_ERROR)
		return -(int)q->next.error;
	return q->next.kind == TL_PT_FLOW_ITEM_END ? -TL_PT_EOS : -TL_PT_BAD_QUERY;
}

/* ---- opening and synchronising ---- */

int tl_pt_query_open(struct tl_pt_query **query, const struct tl_pt_config *config)
{
	struct tl_pt_query *q = calloc(1, sizeof(*q));
	int status;

	*query = NULL;
	if (!q)
		return -TL_PT_NOMEM;
	status = tl_pt_flow_open(&q->flow, config,
				 TL_PT_FLOW_TIMED | TL_PT_FLOW_CLASSIC | TL_PT_FLOW_QUERY);
	if (status < 0) {
		free(q);
		return status;
	}
	*query = q;
	return 0;
}

void tl_pt_query_close(struct tl_pt_query *query)
{
	free(query);
}

const struct tl_pt_config *tl_pt_query_config(const struct tl_pt_query *query)
{
	return &query->flow.config;
}

/* The address in the PSB+ is known at once, the other states in it come as events. */
static int begin(struct tl_pt_query *q, int status, uint64_t *ip)
{
	if (status < 0)
		return status;
	q->synced = true;
	q->asked = false;
	q->sync = q->flow.psb;
	q->bits = q->count = 0;
	q->begun = false;
	/* There is no time before the first answer. */
	q->at_last = (struct query_time){ .have_tsc = false };
	read_ahead(q);
	if (ip)
		*ip = q->ip;
	if (q->next.kind == TL_PT_FLOW_ITEM_ERROR || q->next.kind == TL_PT_FLOW_ITEM_END)
		return mismatch(q);
	return status_flags(q) | (q->on ? 0 : TL_PT_STATUS_IP_SUPPRESSED);
}

int tl_pt_query_sync_forward(struct tl_pt_query *query, uint64_t *ip)
{
	return begin(query, tl_pt_flow_sync_forward(&query->flow), ip);
}

int tl_pt_query_sync_backward(struct tl_pt_query *query, uint64_t *ip)
{
	const struct tl_pt_flow *flow = &query->flow;
	const uint8_t *pos = flow->end;
	int status;

	/* From the present position, which may lead to the same PSB again. */
	if (query->synced)
		pos = query->asked ? flow->begin + query->next.offset : query->sync;
	do {
		pos = tl_pt_psb_backward(flow->begin, pos, flow->end);
		if (!pos)
			return -TL_PT_EOS;
		status =
			begin(query,
			      tl_pt_flow_sync_set(&query->flow, (uint64_t)(pos - flow->begin)), ip);
	} while (status == -TL_PT_EOS);
	return status;
}

int tl_pt_query_sync_set(struct tl_pt_query *query, uint64_t *ip, uint64_t offset)
{
	return begin(query, tl_pt_flow_sync_set(&query->flow, offset), ip);
}

int tl_pt_query_offset(const struct tl_pt_query *query, uint64_t *offset)
{
	const struct tl_pt_flow *flow = &query->flow;

	*offset = query->synced ? query->next.offset : 0;
	/* A PSB+ is read as a whole. */
	if (query->synced && query->next.kind == TL_PT_FLOW_ITEM_EVENT &&
	    query->next.event.status_update)
		*offset = (uint64_t)(flow->status.psb_end - flow->begin);
	return query->synced ? 0 : -TL_PT_NOSYNC;
}

int tl_pt_query_sync_offset(const struct tl_pt_query *query, uint64_t *offset)
{
	*offset = query->synced ? (uint64_t)(query->flow.psb - query->flow.begin) : 0;
	return query->synced ? 0 : -TL_PT_NOSYNC;
}

/* ---- queries ---- */

int tl_pt_query_cond_branch(struct tl_pt_query *query, int *taken)
{
	if (!query->count) {
		if (!query->synced || query->next.kind != TL_PT_FLOW_ITEM_TNT)
			return mismatch(query);
		use_next(query);
	}
	*taken = query->bits >> --query->count & 1;
	return status_flags(query);
}

int tl_pt_query_indirect_branch(struct tl_pt_query *query, uint64_t *ip)
{
	int flags = 0;

	if (!query->synced || query->next.kind != TL_PT_FLOW_ITEM_TIP)
		return mismatch(query);
	*ip = query->next.ip;
	if (query->next.suppressed)
		flags |= TL_PT_STATUS_IP_SUPPRESSED;
	use_next(query);
	return flags | status_flags(query);
}

int tl_pt_query_event(struct tl_pt_query *query, struct tl_pt_event *event, size_t size)
{
	if (size < sizeof(*event))
		return -TL_PT_INVALID;
	if (!query->synced || query->count || query->next.kind != TL_PT_FLOW_ITEM_EVENT)
		return query->count ? -TL_PT_BAD_QUERY : mismatch(query);
	tl_copy_sized(event, size, &query->next.event, sizeof(query->next.event));
	use_next(query);
	return status_flags(query);
}

int tl_pt_query_time(struct tl_pt_query *query, uint64_t *tsc, uint32_t *lost_mtc,
		     uint32_t *lost_cyc)
{
	*tsc = query->at_last.tsc;
	*lost_mtc = query->at_last.lost_mtc;
	*lost_cyc = query->at_last.lost_cyc;
	if (!query->synced)
		return -TL_PT_NOSYNC;
	return query->at_last.have_tsc ? 0 : -TL_PT_NO_TIME;
}

int tl_pt_query_core_bus_ratio(struct tl_pt_query *query, uint32_t *ratio)
{
	*ratio = query->at_last.cbr;
	if (!query->synced)
		return -TL_PT_NOSYNC;
	return query->at_last.have_cbr ? 0 : -TL_PT_NO_CBR;
}
