/* SPDX-License-Identifier: Apache-2.0 */
/* Where a trace is read, and the questions that it answers. */
#include "trace.h"

#include "intel_pt/packets/layout.h"

void tl_compat_trace_open(struct tl_compat_trace *trace, const struct tl_pt_config *config)
{
	memset(trace, 0, sizeof(*trace));
	trace->config = config;
	trace->context.config = config;
	trace->at.status = -pte_no_time;
}

void tl_compat_trace_reset(struct tl_compat_trace *trace)
{
	trace->enabled = trace->consume = false;
	trace->event = NULL;
	trace->have_ip = trace->suppressed = false;
	trace->last_ip = 0;
	trace->bits = trace->count = 0;
	trace->context.items = TL_PT_ITEMS_NONE;
	for (unsigned i = 0; i < TL_COMPAT_BOUNDS; i++)
		trace->waiting[i].begin = trace->waiting[i].end = 0;
	memset(trace->have_evd, 0, sizeof(trace->have_evd));
	trace->iflag_known = trace->swallow_fup = false;
	trace->at = (struct tl_compat_time){ .status = -pte_no_time };
}

void tl_compat_trace_stamp(struct tl_compat_trace *trace)
{
	const struct tl_pt_clock *time = &trace->time;

	trace->at = (struct tl_compat_time){ time->tsc,      time->lost_mtc,
					     time->lost_cyc, time->have_tsc ? 0 : -pte_no_time,
					     time->cbr,      time->have_cbr };
}

/* ---- one packet ---- */

int tl_compat_trace_fetch(struct tl_compat_trace *trace)
{
	const uint8_t *pos = trace->pos, *end = trace->config->end;
	struct tl_pt_opcode op;

	trace->have_next = false;
	if (pos == end)
		return -pte_eos;
	op = tl_pt_opcodes[*pos];
	if (trace->context.items && (*pos & 7) == 4) {
		op.kind = TL_PT_PKT_BIP;
	} else if (*pos == TL_PT_OPC_EXT) {
		if (end - pos < 2)
			return -pte_eos;
		op = tl_pt_extended[pos[1]];
		if (op.kind == TL_PT_PKT_MNT && end - pos < 3)
			return -pte_eos;
		if (op.kind == TL_PT_PKT_MNT && pos[2] != 0x88)
			op.kind = TL_PT_PKT_INVALID;
	}
	trace->next = op.kind;
	trace->have_next = true;
	return 0;
}

/* Take the packet at hand by a rule of its kind. */
static int take(struct tl_compat_trace *trace, tl_compat_rule_fn *rule)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_OVF, .size = 2 };
	struct tl_pt_context context = trace->context;
	int status;

	/* An OVF has been passed when what follows it is found to be at fault; it is taken again
	 * all the same. */
	if (trace->next != TL_PT_PKT_OVF) {
		status = tl_pt_decode(&packet, trace->pos, trace->config->end, &context);
		if (status < 0)
			return status;
	}
	status = rule(trace, &packet);
	if (status < 0)
		return status;
	if (status == TL_COMPAT_PASS) {
		trace->pos += packet.size;
		trace->context.items = context.items;
	}
	return 0;
}

static unsigned traits(const struct tl_compat_trace *trace)
{
	return trace->have_next ? tl_compat_rule_of(trace->next)->traits : 0;
}

/* Whether the packet at hand gives an event. */
static bool will_event(const struct tl_compat_trace *trace)
{
	unsigned is = traits(trace);

	if (is & TL_COMPAT_GIVES_EVENT)
		return true;
	if (is & TL_COMPAT_ENDS_PSB)
		return tl_compat_waits(trace, TL_COMPAT_PSBEND);
	if (is & TL_COMPAT_IS_TIP)
		return tl_compat_waits(trace, TL_COMPAT_TIP);
	return is & TL_COMPAT_IS_FUP && tl_compat_waits(trace, TL_COMPAT_FUP);
}

int tl_compat_trace_header(struct tl_compat_trace *trace)
{
	trace->have_ip = trace->suppressed = false;
	trace->last_ip = 0;
	for (;;) {
		const struct tl_compat_rule *rule;
		int status = tl_compat_trace_fetch(trace);

		if (status < 0)
			return status;
		rule = tl_compat_rule_of(trace->next);
		if (rule->traits & TL_COMPAT_ENDS_PSB)
			return 0;
		status = rule->header ? take(trace, rule->header) : -pte_bad_context;
		if (status < 0)
			return status;
	}
}

int tl_compat_trace_ahead(struct tl_compat_trace *trace)
{
	for (;;) {
		int status = tl_compat_trace_fetch(trace);

		if (status < 0)
			return status;
		if (traits(trace) & (TL_COMPAT_IS_TIP | TL_COMPAT_IS_TNT) || will_event(trace))
			return 0;
		status = take(trace, tl_compat_rule_of(trace->next)->flow);
		if (status < 0) {
			/* A packet that is cut short by the end is passed over. */
			if (status == -pte_eos) {
				trace->pos = trace->config->end;
				trace->have_next = false;
			}
			return status;
		}
	}
}

int tl_compat_trace_status(const struct tl_compat_trace *trace)
{
	if (trace->count)
		return 0;
	if (trace->have_next)
		return will_event(trace) ? pts_event_pending : 0;
	return pts_eos;
}

/* ---- synchronising ---- */

/* Of a run of its bytes the last ones are the PSB, as for 2.0.5. */
static const uint8_t *end_of_run(const struct tl_pt_config *config, const uint8_t *psb)
{
	while (psb && config->end - psb >= TL_PT_PSB_BYTES + 2 && psb[TL_PT_PSB_BYTES] == 0x02 &&
	       psb[TL_PT_PSB_BYTES + 1] == 0x82)
		psb += 2;
	return psb;
}

const uint8_t *tl_compat_psb_next(const struct tl_pt_config *config, const uint8_t *pos,
				  const uint8_t *sync)
{
	/* What a packet may have swallowed of a PSB that has cut it short. */
	const ptrdiff_t most = TL_PT_PSB_BYTES - 1;

	if (!pos)
		pos = config->begin;
	else if (pos == sync)
		pos += pos < config->end;
	else
		pos -= pos - config->begin < most ? pos - config->begin : most;
	return end_of_run(config, tl_pt_psb_forward(pos, config->end));
}

/* Backward it is found by eight bytes at an address that is a multiple of eight: `pos` is behind
 * them. */
static const uint8_t *psb_around(const struct tl_pt_config *config, const uint8_t *pos)
{
	pos += pos < config->end && *pos != 0x02;
	while (config->end - pos > 1 && pos[0] == 0x02 && pos[1] == 0x82)
		pos += 2;
	if (pos - config->begin < TL_PT_PSB_BYTES)
		return NULL;
	pos -= TL_PT_PSB_BYTES;
	return tl_pt_is_psb(pos, config->end) ? pos : NULL;
}

static bool is_pairs(const uint8_t *pos)
{
	uint64_t word = tl_le64(pos);

	return word == UINT64_C(0x8202820282028202) || word == UINT64_C(0x0282028202820282);
}

const uint8_t *tl_compat_psb_before(const struct tl_pt_config *config, const uint8_t *pos)
{
	const ptrdiff_t word = sizeof(uint64_t),
			into = (ptrdiff_t)((uintptr_t)pos % sizeof(uint64_t));
	const uint8_t *found = NULL;

	if (into > pos - config->begin)
		return NULL;
	for (pos -= into; !found && pos - config->begin >= word; pos -= word)
		found = is_pairs(pos - word) ? psb_around(config, pos) : NULL;
	return found;
}

static int start(struct tl_compat_trace *trace, const uint8_t *pos, uint64_t *ip)
{
	uint64_t first = 0;
	bool known;
	int status;

	if (!pos)
		return -pte_eos;
	tl_compat_trace_reset(trace);
	tl_pt_clock_reset(&trace->time);
	trace->pos = trace->sync = pos;
	status = tl_compat_trace_fetch(trace);
	if (status < 0)
		return status;
	if (trace->next != TL_PT_PKT_PSB)
		return -pte_nosync;
	status = take(trace, tl_compat_rule_of(TL_PT_PKT_PSB)->flow);
	if (status < 0)
		return status;
	/* Before reading on: another PSB+ may follow. */
	known = tl_compat_last_ip(trace, &first) == 0;
	if (ip)
		*ip = first;
	status = tl_compat_trace_ahead(trace);
	trace->begun = trace->pos;
	if (status < 0)
		return status;
	status = tl_compat_trace_status(trace);
	if (!ip || known || tl_compat_last_ip(trace, ip) == 0)
		return status;
	return status | pts_ip_suppressed;
}

int tl_compat_trace_forward(struct tl_compat_trace *trace, uint64_t *ip)
{
	return start(trace, tl_compat_psb_next(trace->config, trace->pos, trace->sync), ip);
}

int tl_compat_trace_backward(struct tl_compat_trace *trace, uint64_t *ip)
{
	const struct tl_pt_config *config = trace->config;
	const uint8_t *begin = trace->pos ? trace->pos : config->end;
	const uint8_t *pos = begin, *found;
	int status;

	/* A PSB+ that the end cuts short is none; and an empty one may lead back to where it was.
	 */
	for (;;) {
		found = tl_compat_psb_before(config, pos);
		status = start(trace, found, ip);
		if (!found || (status != -pte_eos && (status < 0 || trace->pos != begin)))
			return status;
		/* It may be the same one for ever. */
		pos = found < pos ? found : pos - 1;
	}
}

int tl_compat_trace_set(struct tl_compat_trace *trace, uint64_t *ip, uint64_t offset)
{
	const struct tl_pt_config *config = trace->config;

	uint64_t size = (uint64_t)(config->end - config->begin);
	const uint8_t *pos = config->begin + offset;

	if (offset > size || size - offset < 2)
		return -pte_eos;
	if (pos[0] != TL_PT_OPC_EXT || pos[1] != 0x82)
		return -pte_nosync;
	if (size - offset < TL_PT_PSB_BYTES)
		return -pte_eos;
	return tl_pt_is_psb(pos, config->end) ? start(trace, pos, ip) : -pte_bad_packet;
}

static int offset_of(const struct tl_compat_trace *trace, const uint8_t *pos, uint64_t *offset)
{
	if (!offset)
		return -pte_invalid;
	if (!pos)
		return -pte_nosync;
	*offset = (uint64_t)(pos - trace->config->begin);
	return 0;
}

int tl_compat_trace_offset(const struct tl_compat_trace *trace, uint64_t *offset)
{
	return offset_of(trace, trace->pos, offset);
}

int tl_compat_trace_sync_offset(const struct tl_compat_trace *trace, uint64_t *offset)
{
	return offset_of(trace, trace->sync, offset);
}

/* ---- asking ---- */

/* There is no packet at hand: why. */
static int no_packet(const struct tl_compat_trace *trace)
{
	return trace->pos ? -pte_eos : -pte_nosync;
}

/* The packet has been used; read up to the next. The end of the trace is told by the status. */
static int used(struct tl_compat_trace *trace)
{
	int status;

	tl_compat_trace_stamp(trace);
	status = tl_compat_trace_ahead(trace);
	return status == -pte_eos ? 0 : status;
}

/* Take the packet at hand, which gives no event; and whatever gives none up to a TNT or TIP. */
static int take_branch(struct tl_compat_trace *trace, unsigned wanted, unsigned unwanted)
{
	for (;;) {
		unsigned is = traits(trace);
		int status;

		if (!trace->have_next)
			return no_packet(trace);
		if (will_event(trace) || is & unwanted)
			return -pte_bad_query;
		trace->event = NULL;
		status = take(trace, tl_compat_rule_of(trace->next)->flow);
		if (status < 0)
			return status;
		if (trace->event)
			return -pte_event_ignored;
		if (is & wanted)
			return 0;
		status = tl_compat_trace_ahead(trace);
		if (status < 0)
			return status;
	}
}

int tl_compat_trace_cond(struct tl_compat_trace *trace, int *taken)
{
	if (!trace->count) {
		int status = take_branch(trace, TL_COMPAT_IS_TNT, TL_COMPAT_IS_TIP);

		if (status >= 0)
			status = used(trace);
		if (status < 0)
			return status;
	}
	*taken = trace->bits >> --trace->count & 1;
	return tl_compat_trace_status(trace);
}

int tl_compat_trace_indirect(struct tl_compat_trace *trace, uint64_t *ip)
{
	int status, suppressed;
	uint64_t target;

	do {
		/* One TNT may come first, if all outcomes of the one before are used. */
		status = take_branch(trace, TL_COMPAT_IS_TIP | TL_COMPAT_IS_TNT,
				     trace->count ? TL_COMPAT_IS_TNT : 0);
		if (status < 0)
			return status;
		if (trace->next == TL_PT_PKT_TIP)
			break;
		status = tl_compat_trace_ahead(trace);
	} while (status >= 0);
	if (status < 0)
		return status;
	suppressed = tl_compat_last_ip(trace, &target) < 0 ? pts_ip_suppressed : 0;
	if (!suppressed)
		*ip = target;
	status = used(trace);
	return status < 0 ? status : suppressed | tl_compat_trace_status(trace);
}

int tl_compat_trace_event(struct tl_compat_trace *trace, struct pt_event *event)
{
	int status;

	if (trace->count)
		return -pte_bad_query;
	for (;;) {
		if (!trace->have_next)
			return no_packet(trace);
		if (traits(trace) & (TL_COMPAT_IS_TIP | TL_COMPAT_IS_TNT) && !will_event(trace))
			return -pte_bad_query;
		trace->event = NULL;
		status = take(trace, tl_compat_rule_of(trace->next)->flow);
		if (status < 0)
			return status;
		if (trace->event)
			break;
		status = tl_compat_trace_ahead(trace);
		if (status < 0)
			return status;
	}
	*event = *trace->event;
	status = used(trace);
	return status < 0 ? status : tl_compat_trace_status(trace);
}

/* ---- behind an error ---- */

static bool is_place(const struct tl_pt_packet *packet)
{
	if (packet->kind == TL_PT_PKT_TIP || packet->kind == TL_PT_PKT_FUP)
		return packet->ip.ipc != TL_PT_IPC_SUPPRESSED;
	return packet->kind == TL_PT_PKT_TIP_PGE || packet->kind == TL_PT_PKT_TIP_PGD ||
	       packet->kind == TL_PT_PKT_OVF || packet->kind == TL_PT_PKT_PSB;
}

/* Pass packets over up to one that says where flow is. What is no packet is passed by a PSB. */
static bool find_place(struct tl_compat_trace *trace, struct tl_pt_packet *packet)
{
	const uint8_t *end = trace->config->end;

	for (;;) {
		int size = tl_pt_decode(packet, trace->pos, end, &trace->context);

		if (size < 0) {
			trace->context.items = TL_PT_ITEMS_NONE;
			trace->pos = tl_pt_psb_forward(trace->pos + (trace->pos < end), end);
			packet->kind = TL_PT_PKT_PSB;
			return trace->pos;
		}
		/* Not twice at one place: what failed there would fail again. */
		if (is_place(packet) && trace->pos != trace->resumed)
			return true;
		if (packet->kind >= TL_PT_PKT_FUP && packet->kind <= TL_PT_PKT_TIP_PGD)
			tl_compat_update_ip(trace, packet);
		tl_pt_clock_packet(&trace->time, packet, trace->config);
		trace->pos += size;
	}
}

/* Flow goes on at the address of a packet, which is used up unless it begins something itself. */
static int stand(struct tl_compat_trace *trace, const struct tl_pt_packet *packet, uint64_t *ip)
{
	int status;

	trace->enabled = packet->kind == TL_PT_PKT_FUP || packet->kind == TL_PT_PKT_TIP;
	if (packet->kind == TL_PT_PKT_TIP || packet->kind == TL_PT_PKT_TIP_PGD)
		trace->pos += packet->size;
	if (packet->kind != TL_PT_PKT_OVF && packet->kind != TL_PT_PKT_TIP_PGE)
		tl_compat_update_ip(trace, packet);
	tl_compat_last_ip(trace, ip);
	tl_compat_trace_stamp(trace);
	status = tl_compat_trace_ahead(trace);
	if (status < 0 && status != -pte_eos)
		return status;
	return tl_compat_trace_status(trace) | (trace->enabled ? 0 : pts_ip_suppressed);
}

int tl_compat_trace_resync(struct tl_compat_trace *trace, uint64_t *ip)
{
	uint64_t last_ip = trace->last_ip;
	struct tl_pt_packet packet;

	if (!trace->pos)
		return -pte_nosync;
	tl_compat_trace_reset(trace);
	trace->last_ip = last_ip;
	trace->have_ip = true;
	if (!find_place(trace, &packet)) {
		trace->pos = trace->config->end;
		trace->have_next = false;
		return -pte_eos;
	}
	trace->resumed = trace->pos;
	return packet.kind == TL_PT_PKT_PSB ? start(trace, trace->pos, ip)
					    : stand(trace, &packet, ip);
}
