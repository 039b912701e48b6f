/* SPDX-License-Identifier: Apache-2.0 */
/* All packets of a trace, a line each, in the form of ptdump (12.1). */
#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "core/output.h"
#include "intel_pt/flow/clock.h"
#include "intel_pt/listing/text.h"
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"

struct packet_dump {
	struct tl_pt_packets *packets;
	const struct tl_pt_config *config;
	const struct tl_pt_show *show;
	unsigned flags;
	struct tl_output *out;
	tl_pt_lost_fn *lost;
	void *arg;
	uint64_t last_ip;
	struct tl_pt_clock time;
	uint64_t told_tsc, told_fcr; /* the last ones */
};

static bool is_timing(enum tl_pt_packet_kind kind)
{
	return kind == TL_PT_PKT_TSC || kind == TL_PT_PKT_TMA || kind == TL_PT_PKT_MTC ||
	       kind == TL_PT_PKT_CYC || kind == TL_PT_PKT_CBR;
}

static bool is_ip(enum tl_pt_packet_kind kind)
{
	return kind == TL_PT_PKT_TIP || kind == TL_PT_PKT_TIP_PGE || kind == TL_PT_PKT_TIP_PGD ||
	       kind == TL_PT_PKT_FUP;
}

/* Packets before the first timestamp are outside the window. */
static bool in_window(const struct packet_dump *d)
{
	const struct tl_pt_show *show = d->show;

	if (!show->from_ticks && !show->to_ticks)
		return true;
	return d->time.have_tsc && d->time.tsc >= show->from_ticks &&
	       (!show->to_ticks || d->time.tsc < show->to_ticks);
}

static bool is_shown(const struct packet_dump *d, enum tl_pt_packet_kind kind)
{
	if (!in_window(d))
		return false;
	if (kind == TL_PT_PKT_PAD)
		return !(d->flags & TL_PT_TEXT_NO_PAD);
	if (kind == TL_PT_PKT_CYC && (d->flags & TL_PT_TEXT_NO_CYC))
		return false;
	return !is_timing(kind) || !(d->flags & TL_PT_TEXT_NO_TIMING);
}

/* ---- state tracked over packets ---- */

static void tracked_time(struct packet_dump *d, char *text, size_t room)
{
	uint64_t tsc = d->time.tsc, told = d->told_tsc;

	if (!d->time.have_tsc && !(d->flags & TL_PT_TEXT_NO_TSC))
		return;
	d->told_tsc = tsc;
	if (!(d->flags & TL_PT_TEXT_TIME_DELTA))
		snprintf(text, room, "tsc %016" PRIx64, tsc);
	else if (tsc >= told)
		snprintf(text, room, "tsc +%" PRIx64, tsc - told);
	else
		snprintf(text, room, "tsc -%" PRIx64, told - tsc);
}

/* Ticks per cycle have eight binary digits behind the point. */
static void tracked_cycles(struct packet_dump *d, char *text, size_t room)
{
	uint64_t fcr = d->time.cycles.fcr, shown = fcr;
	char sign[2] = "";

	if (!fcr) {
		snprintf(text, room, "fcr <unavailable>");
		return;
	}
	if (d->flags & TL_PT_TEXT_TIME_DELTA) {
		sign[0] = fcr >= d->told_fcr ? '+' : '-';
		shown = fcr >= d->told_fcr ? fcr - d->told_fcr : d->told_fcr - fcr;
	}
	d->told_fcr = fcr;
	snprintf(text, room, "fcr %s%" PRIu64 ".%03u", sign, shown >> 8,
		 (unsigned)((shown & 0xff) * 1000 / 256));
}

static void put_time_error(struct packet_dump *d, uint64_t offset, const char *what)
{
	if (!(d->flags & TL_PT_TEXT_JSON))
		tl_put_format(d->out, "[%" PRIx64 ": %s]\n", offset, what);
}

/* Advance the clock; print the error if it cannot. */
static void move_time(struct packet_dump *d, const struct tl_pt_packet *p, uint64_t offset)
{
	if (p->kind == TL_PT_PKT_CYC && !d->time.cycles.fcr && !(d->flags & TL_PT_TEXT_NO_TCAL)) {
		put_time_error(d, offset, "calibration error: no timing information");
		put_time_error(d, offset, "error updating time: no calibration");
	}
	tl_pt_clock_packet(&d->time, p, d->config);
	if (p->kind == TL_PT_PKT_MTC && (d->flags & TL_PT_TEXT_TCAL) && !d->time.cycles.fcr)
		put_time_error(d, offset, "error printing time: no timing information");
}

static void tracked_clock(struct packet_dump *d, const struct tl_pt_packet *p, char *text,
			  size_t room)
{
	if (p->kind == TL_PT_PKT_CBR)
		return;
	if (!(d->flags & TL_PT_TEXT_TCAL))
		tracked_time(d, text, room);
	else if (p->kind == TL_PT_PKT_MTC)
		tracked_cycles(d, text, room);
}

static const char *exec_mode_name(const struct tl_pt_packet *p)
{
	if (p->mode.csl)
		return "64-bit";
	return p->mode.csd ? "32-bit" : "16-bit";
}

static void tracked(struct packet_dump *d, const struct tl_pt_packet *p, const uint8_t *bytes,
		    char *text, size_t room)
{
	*text = '\0';
	if (is_ip(p->kind) && p->ip.ipc != TL_PT_IPC_SUPPRESSED) {
		d->last_ip = tl_pt_apply_ip(bytes + 1, p->ip.ipc, d->last_ip);
		if (d->flags & TL_PT_TEXT_LAST_IP)
			snprintf(text, room, "ip %016" PRIx64, d->last_ip);
	} else if (p->kind == TL_PT_PKT_PIP) {
		snprintf(text, room, "cr3 %016" PRIx64, p->pip.cr3);
	} else if (p->kind == TL_PT_PKT_VMCS) {
		snprintf(text, room, "vmcs %016" PRIx64, p->vmcs.base);
	} else if (p->kind == TL_PT_PKT_MODE && p->mode.leaf == TL_PT_MODE_EXEC &&
		   (d->flags & TL_PT_TEXT_EXEC_MODE)) {
		snprintf(text, room, "em %s", exec_mode_name(p));
	} else if (is_timing(p->kind) && is_shown(d, p->kind) &&
		   (d->flags & (TL_PT_TEXT_TIME | TL_PT_TEXT_TCAL))) {
		tracked_clock(d, p, text, room);
	}
}

static void put_line(struct packet_dump *d, const struct tl_pt_packet *p, uint64_t offset,
		     const char *known)
{
	char payload[TL_PT_PAYLOAD_TEXT];
	const uint8_t *bytes = d->config->begin + offset;
	const char *word = tl_pt_packet_word(p);

	tl_pt_payload_text(payload, p);
	if (!(d->flags & TL_PT_TEXT_NO_OFFSET))
		tl_put_format(d->out, "%016" PRIx64 "  ", offset);
	if (d->flags & TL_PT_TEXT_RAW) {
		for (unsigned i = 0; i < p->size; i++)
			tl_put_format(d->out, "%02x", bytes[i]);
		tl_put_format(d->out, "%*s", 2 + 2 * (TL_PT_MAX_BYTES - (int)p->size), "");
	}
	if (*known)
		tl_put_format(d->out, "%-9s  %-19s  %s\n", word, payload, known);
	else if (*payload)
		tl_put_format(d->out, "%-9s  %s\n", word, payload);
	else
		tl_put_format(d->out, "%s\n", word);
}

static void put_packet(struct packet_dump *d, const struct tl_pt_packet *p, uint64_t offset)
{
	char known[64];

	if (d->flags & (TL_PT_TEXT_TIME | TL_PT_TEXT_TCAL))
		move_time(d, p, offset);
	else if (d->show->from_ticks || d->show->to_ticks)
		tl_pt_clock_packet(&d->time, p, d->config);
	tracked(d, p, d->config->begin + offset, known, sizeof(known));
	if (!is_shown(d, p->kind))
		return;
	if (d->flags & TL_PT_TEXT_JSON)
		tl_pt_put_packet_json(d->out, p, offset);
	else
		put_line(d, p, offset, known);
}

/* Bytes that are not a packet: printed in their place. */
static void put_damage(struct packet_dump *d, enum tl_pt_error error, uint64_t offset)
{
	if (d->flags & TL_PT_TEXT_JSON) {
		tl_put_text(d->out, "{\"offset\":");
		tl_put_u64(d->out, offset);
		tl_pt_json_word(d->out, "error", tl_pt_error_text(error));
		tl_put_text(d->out, "}\n");
	} else {
		tl_put_format(d->out, "[%" PRIx64 ": error decoding packet: %s]\n", offset,
			      tl_pt_error_text(error));
	}
}

/* Go on at the next PSB. False: there is none. */
static bool resync(struct packet_dump *d, enum tl_pt_error error, uint64_t offset)
{
	uint64_t at = (uint64_t)(d->config->end - d->config->begin);
	int status;

	put_damage(d, error, offset);
	status = tl_pt_packets_sync_forward(d->packets);
	if (status >= 0)
		tl_pt_packets_offset(d->packets, &at);
	if (d->lost)
		d->lost(d->arg, &(struct tl_pt_lost){ .why = error, .from = offset, .to = at });
	return status >= 0;
}

static void dump_all(struct packet_dump *d)
{
	struct tl_pt_packet packet;
	uint64_t offset = 0;
	int status = d->flags & TL_PT_TEXT_NO_SYNC ? tl_pt_packets_sync_set(d->packets, 0)
						   : tl_pt_packets_sync_forward(d->packets);

	while (status >= 0 && !tl_output_failed(d->out)) {
		tl_pt_packets_offset(d->packets, &offset);
		status = tl_pt_next_packet(d->packets, &packet);
		if (status >= 0)
			put_packet(d, &packet, offset);
		else if (status != -TL_PT_EOS && resync(d, (enum tl_pt_error) - status, offset))
			status = 0;
	}
}

int tl_pt_dump_packets(const struct tl_pt_config *config, const struct tl_pt_show *show,
		       struct tl_output *out, tl_pt_lost_fn *lost, void *arg, struct tl_error *err)
{
	struct packet_dump d = { .config = config,
				 .show = show,
				 .flags = show->flags,
				 .out = out,
				 .lost = lost,
				 .arg = arg };
	int status = tl_pt_packets_open(&d.packets, config);

	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	dump_all(&d);
	tl_pt_packets_close(d.packets);
	return 0;
}
