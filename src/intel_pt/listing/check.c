/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/check.h"

#include "core/error.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/listing/scan.h"

enum tracing { UNKNOWN, OFF, ON };

struct trace_check {
	const struct tl_pt_config *config;
	tl_pt_violation_fn *put;
	void *arg;
	int64_t count;
	bool stop;

	/* The state that the packets so far lead to. */
	bool in_psb, fup_in_psb, address_seen, tsc_seen, ovf, fup_bound;
	enum tracing tracing;
	uint64_t psb_at;
	bool fup_open; /* a FUP is the source of an asynchronous change: its target must follow */
	uint64_t fup_at;
};

static void violation(struct trace_check *c, const char *rule, uint64_t offset, uint64_t ip,
		      const char *text)
{
	const struct tl_pt_violation v = { rule, text, offset, ip };

	c->count++;
	if (c->put(c->arg, &v))
		c->stop = true;
}

/* ---- packets ---- */

static bool is_ip(enum tl_pt_packet_kind kind)
{
	return kind == TL_PT_PKT_TIP || kind == TL_PT_PKT_TIP_PGE || kind == TL_PT_PKT_TIP_PGD ||
	       kind == TL_PT_PKT_FUP;
}

/* 5.1: packets that are allowed inside a PSB+. */
static bool allowed_in_psb(enum tl_pt_packet_kind kind)
{
	static const bool allowed[TL_PT_PKT_COUNT] = {
		[TL_PT_PKT_FUP] = true,  [TL_PT_PKT_MODE] = true, [TL_PT_PKT_PIP] = true,
		[TL_PT_PKT_VMCS] = true, [TL_PT_PKT_MNT] = true,  [TL_PT_PKT_TSC] = true,
		[TL_PT_PKT_CBR] = true,  [TL_PT_PKT_TMA] = true,  [TL_PT_PKT_MTC] = true,
		[TL_PT_PKT_CYC] = true,  [TL_PT_PKT_PAD] = true,  [TL_PT_PKT_PSBEND] = true,
		[TL_PT_PKT_OVF] = true,
	};

	return allowed[kind];
}

/* Some processors give an address in a PSB+ that a TIP.PGE follows (7, bdm70). */
static void end_psb(struct trace_check *c)
{
	enum tracing now = c->fup_in_psb ? ON : OFF;
	bool contradicts = c->tracing != UNKNOWN && c->tracing != now;

	if (contradicts && !(now == ON && (c->config->errata & TL_PT_BDM70)))
		violation(c, "psb-contradicts", c->psb_at, 0,
			  now == ON ? "a PSB+ has an address while tracing is off"
				    : "a PSB+ has no address while tracing is on");
	c->tracing = contradicts ? UNKNOWN : now;
}

static void check_psb(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	if (c->in_psb && p->kind == TL_PT_PKT_PSB) {
		violation(c, "psb-without-end", c->psb_at, 0,
			  "a PSB+ has no PSBEND before the next PSB");
	} else if (c->in_psb && !allowed_in_psb(p->kind)) {
		violation(c, "packet-in-psb", at, 0,
			  "this packet may not stand between PSB and PSBEND");
	} else if (!c->in_psb && p->kind == TL_PT_PKT_PSBEND) {
		violation(c, "psbend-without-psb", at, 0, "a PSBEND without a PSB before it");
	}
	if (c->in_psb && p->kind == TL_PT_PKT_PSBEND) {
		end_psb(c);
	}
	if (p->kind == TL_PT_PKT_PSB) {
		c->in_psb = true;
		c->fup_in_psb = c->address_seen = false;
		c->psb_at = at;
	} else if (p->kind == TL_PT_PKT_PSBEND || p->kind == TL_PT_PKT_OVF) {
		c->in_psb = false;
	}
}

/*
 * 4.3, 9.4: the address before the first one behind a PSB is 0, and hardware sends the first one in
 * full.
 */
static void check_address(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	if (!is_ip(p->kind) || p->ip.ipc == TL_PT_IPC_SUPPRESSED)
		return;
	if (!c->address_seen && p->ip.ipc != TL_PT_IPC_SEXT_48 && p->ip.ipc != TL_PT_IPC_FULL)
		violation(c, "first-address-compressed", at, 0,
			  "the first address behind a PSB is compressed");
	c->address_seen = true;
}

/* 5.3: packets that a following FUP can be bound to. */
static bool binds_fup(const struct tl_pt_packet *p)
{
	switch (p->kind) {
	case TL_PT_PKT_EXSTOP:
		return p->exstop.ip;
	case TL_PT_PKT_PTW:
		return p->ptw.ip;
	case TL_PT_PKT_CFE:
		return p->cfe.ip;
	case TL_PT_PKT_BEP:
		return p->bep.ip;
	case TL_PT_PKT_TRIG:
		return p->trig.ip;
	case TL_PT_PKT_MODE:
		return p->mode.leaf == TL_PT_MODE_TSX && !p->mode.abrt;
	default:
		return p->kind == TL_PT_PKT_OVF;
	}
}

static bool is_neutral(enum tl_pt_packet_kind kind)
{
	return kind == TL_PT_PKT_PAD || kind == TL_PT_PKT_TSC || kind == TL_PT_PKT_TMA ||
	       kind == TL_PT_PKT_MTC || kind == TL_PT_PKT_CYC || kind == TL_PT_PKT_CBR ||
	       kind == TL_PT_PKT_MNT;
}

static void check_fup(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	bool flow = p->kind == TL_PT_PKT_TNT_8 || p->kind == TL_PT_PKT_TNT_64 ||
		    p->kind == TL_PT_PKT_PSB;

	if (p->kind == TL_PT_PKT_FUP && p->ip.ipc == TL_PT_IPC_SUPPRESSED)
		violation(c, "fup-without-address", at, 0, "a FUP without an address");
	if (c->fup_open && (flow || p->kind == TL_PT_PKT_FUP))
		violation(c, "fup-without-target", c->fup_at, 0,
			  "a FUP that nothing before it asks for has no TIP or TIP.PGD behind it");
	if (c->fup_open && !is_neutral(p->kind) && p->kind != TL_PT_PKT_MODE &&
	    p->kind != TL_PT_PKT_PIP && p->kind != TL_PT_PKT_VMCS)
		c->fup_open = false;
	if (p->kind == TL_PT_PKT_FUP) {
		c->fup_open = !c->fup_bound;
		c->fup_at = at;
		c->fup_bound = false;
	} else if (binds_fup(p)) {
		c->fup_bound = true;
	} else if (!is_neutral(p->kind) && p->kind != TL_PT_PKT_PWRE && p->kind != TL_PT_PKT_EVD) {
		c->fup_bound = false;
	}
}

/* 5.2, 5.4, 5.6: packets that need tracing to be on, or off. */
static void check_tracing(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	bool branch = p->kind == TL_PT_PKT_TNT_8 || p->kind == TL_PT_PKT_TNT_64 ||
		      p->kind == TL_PT_PKT_TIP;

	if (branch && c->tracing == OFF)
		violation(c, "branch-while-off", at, 0,
			  "an outcome or a target while tracing is off");
	else if (p->kind == TL_PT_PKT_TIP_PGD && c->tracing == OFF)
		violation(c, "disabled-twice", at, 0, "a TIP.PGD while tracing is off");
	else if (p->kind == TL_PT_PKT_TIP_PGE && c->tracing == ON)
		violation(c, "enabled-twice", at, 0, "a TIP.PGE while tracing is on");
	if (p->kind == TL_PT_PKT_TIP_PGE && p->ip.ipc == TL_PT_IPC_SUPPRESSED)
		violation(c, "enabled-nowhere", at, 0, "a TIP.PGE without an address");
	if (p->kind == TL_PT_PKT_TIP_PGE)
		c->tracing = ON;
	else if (p->kind == TL_PT_PKT_TIP_PGD)
		c->tracing = OFF;
	else if (p->kind == TL_PT_PKT_OVF)
		c->tracing = UNKNOWN;
	else if (branch)
		c->tracing = ON;
}

/* 6: a TMA belongs to a TSC before it. */
static void check_time(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	if (p->kind == TL_PT_PKT_TMA && !c->tsc_seen)
		violation(c, "tma-without-tsc", at, 0, "a TMA without a TSC before it");
	if (p->kind == TL_PT_PKT_TSC)
		c->tsc_seen = true;
	else if (p->kind == TL_PT_PKT_PSB)
		c->tsc_seen = false;
}

static void check_packet(struct trace_check *c, const struct tl_pt_packet *p, uint64_t at)
{
	bool inside = c->in_psb;

	check_psb(c, p, at);
	check_address(c, p, at);
	check_time(c, p, at);
	if (inside) {
		c->fup_in_psb |= p->kind == TL_PT_PKT_FUP && p->ip.ipc != TL_PT_IPC_SUPPRESSED;
		return;
	}
	check_fup(c, p, at);
	check_tracing(c, p, at);
}

static void check_broken(struct trace_check *c, const struct tl_pt_scan *scan)
{
	if (scan->broken == TL_PT_OK)
		return;
	violation(c, scan->broken == TL_PT_BAD_OPC ? "unknown-opcode" : "bad-packet",
		  scan->broken_at, 0,
		  scan->broken == TL_PT_BAD_OPC ? "bytes that begin no packet"
						: "a packet with a reserved payload");
	c->tracing = UNKNOWN;
	c->in_psb = c->fup_open = c->fup_bound = false;
}

static int check_packets(struct trace_check *c, struct tl_error *err)
{
	struct tl_pt_packet packet;
	struct tl_pt_scan scan;
	int status = tl_pt_scan_open(&scan, c->config, NULL, err);

	if (status < 0)
		return status;
	while (!c->stop && (status = tl_pt_scan_next(&scan, &packet, err)) == 1) {
		check_broken(c, &scan);
		check_packet(c, &packet, scan.offset);
	}
	check_broken(c, &scan);
	if (scan.cut_short)
		violation(c, "cut-short", scan.offset, 0, "the last packet is not whole");
	tl_pt_scan_close(&scan);
	return status;
}

/* ---- flow and code ---- */

static const struct {
	enum tl_pt_error error;
	const char *rule, *text;
	/* clang-format off */
} flow_rules[] = {
	{ TL_PT_BAD_CONTEXT, "packet-context",
	  "a packet where the ones before it do not allow it" },
	{ TL_PT_BAD_QUERY, "flow-mismatch",
	  "trace and code disagree: outcomes, targets or places do not fit" },
	{ TL_PT_NOMAP, "no-code", "there is no code at the address that flow leads to" },
	{ TL_PT_BAD_INSN, "bad-instruction", "flow leads to bytes that are not an instruction" },
	{ TL_PT_IP_SUPPRESSED, "address-withheld", "an address is needed and was withheld" },
	{ TL_PT_NOIP, "no-address", "the address at which execution goes on is not known" },
	{ TL_PT_RETSTACK_EMPTY, "return-without-call", "a compressed return without a call" },
	{ TL_PT_BAD_RETCOMP, "bad-return", "a return with the outcome of a branch not taken" },
	{ TL_PT_BAD_STATUS_UPDATE, "bad-status", "a PSB+ contradicts the packets before it" },
	{ TL_PT_NO_ENABLE, "not-enabled", "flow while tracing is off" },
};
/* clang-format on */

/* Faults of packets were reported by the check of packets already. */
static void flow_violation(struct trace_check *c, enum tl_pt_error error, uint64_t offset,
			   uint64_t ip)
{
	for (size_t i = 0; i < sizeof(flow_rules) / sizeof(flow_rules[0]); i++)
		if (flow_rules[i].error == error)
			violation(c, flow_rules[i].rule, offset, ip, flow_rules[i].text);
}

/* Without code: only the rules between packets. */
static int check_flow(struct trace_check *c, struct tl_error *err)
{
	struct tl_pt_events *events;
	struct tl_pt_event event;
	int status = tl_pt_events_open(&events, c->config);

	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	status = tl_pt_events_sync_forward(events);
	while (status >= 0 && !c->stop) {
		status = tl_pt_events_next(events, &event, sizeof(event));
		if (status < 0 && status != -TL_PT_EOS) {
			uint64_t offset = 0;

			tl_pt_events_offset(events, &offset);
			flow_violation(c, (enum tl_pt_error) - status, offset, 0);
			status = tl_pt_events_sync_forward(events);
		}
	}
	tl_pt_events_close(events);
	return 0;
}

static int next_events(struct trace_check *c, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && (status & TL_PT_EVENT_PENDING)) {
		status = tl_pt_next_event(decoder, &event);
		if (status >= 0 && event.kind == TL_PT_EV_LOST)
			flow_violation(c, event.lost.why, event.lost.from, event.lost.at);
	}
	return status;
}

static int check_code(struct trace_check *c, struct tl_pt_decoder *decoder, int status,
		      struct tl_error *err)
{
	struct tl_pt_block blocks[64];

	while (status >= 0 && !c->stop) {
		int64_t count;

		status = next_events(c, decoder, status);
		if (status < 0)
			break;
		count = tl_pt_next_blocks(decoder, blocks, sizeof(blocks) / sizeof(blocks[0]),
					  &status);
		if (count < 0)
			status = (int)count;
	}
	if (status == -TL_PT_NOMEM)
		return tl_error_memory(err);
	return 0;
}

int64_t tl_pt_check_packets(const struct tl_pt_config *config, tl_pt_violation_fn *put, void *arg,
			    struct tl_error *err)
{
	struct trace_check c = { .config = config, .put = put, .arg = arg };
	int status = check_packets(&c, err);

	if (status == 0 && !c.stop)
		status = check_flow(&c, err);
	if (status < 0)
		return status;
	return c.count;
}

int64_t tl_pt_check_slice(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
			  tl_pt_violation_fn *put, void *arg, struct tl_error *err)
{
	struct trace_check c = { .config = &slice->config, .put = put, .arg = arg };
	struct tl_pt_decoder *decoder;
	/*
	 * Packets are checked once for all slices of their bytes: switches between threads do not
	 * concern them.
	 */
	int status = slice->continues ? 0 : check_packets(&c, err), synced;

	if (status < 0)
		return status;
	synced = tl_pt_decoders_open(decoders, slice, TL_PT_SALVAGE, &decoder);
	if (!decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - synced, TL_NOWHERE);
	status = check_code(&c, decoder, synced, err);
	tl_pt_decoders_done(decoders, slice);
	if (status < 0)
		return status;
	return c.count;
}
