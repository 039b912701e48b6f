/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets, queries and time against the reference library (Debian's libipt 2.0.5, libipt-dev), on
 * all small traces of the shared corpus, on the traces of the peer cases, and on mutants of them.
 *
 *   pt_libipt packets|query MUTANTS FILE...    each file and its mutants
 *   pt_libipt writer|time COUNT                made-up packets, made-up streams of time
 *
 * Exit status 1 when answers differ, with one line each for the first of them.
 */
#include <intel-pt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/intel_pt.h>

/* ---- differences ---- */

static unsigned long compared, differences;
static const char *file = "";
static unsigned long mutant;

static bool differ(const char *what, uint64_t offset, long long ours, long long theirs)
{
	if (ours == theirs)
		return false;
	if (differences++ < 20)
		fprintf(stderr,
			"%s, mutant %lu, 0x%llx: %s: ours %lld (0x%llx), theirs %lld (0x%llx)\n",
			file, mutant, (unsigned long long)offset, what, ours,
			(unsigned long long)ours, theirs, (unsigned long long)theirs);
	return true;
}

#define SAME(what, ours, theirs)                                                                   \
	(bad |= differ(what, offset, (long long)(ours), (long long)(theirs)))

/* ---- damage ---- */

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1du;
}

/* A few bytes changed; sometimes to what begins a packet. */
static void damage(uint8_t *data, size_t size)
{
	static const uint8_t openers[] = { 0x02, 0x82, 0xa3, 0x43, 0xf3, 0x03, 0x73, 0x83, 0xc8,
					   0x62, 0xe2, 0xc2, 0x22, 0xa2, 0x12, 0xb2, 0x99, 0x19,
					   0x59, 0x0d, 0x11, 0x01, 0x1d, 0x2d, 0xdd };

	for (size_t n = 1 + (next_random() >> 20) % 6; n; n--) {
		size_t at = (size_t)(next_random() >> 11) % size;

		data[at] = next_random() >> 40 & 1
				   ? openers[(next_random() >> 30) % sizeof(openers)]
				   : (uint8_t)(next_random() >> 50);
		if (data[at] == 0x02 && at + 1 < size && next_random() >> 40 & 1)
			data[at + 1] = openers[(next_random() >> 30) % sizeof(openers)];
	}
}

/* ---- packets ---- */

static bool same_payload(uint64_t offset, const struct tl_pt_packet *p, const struct pt_packet *q)
{
	bool bad = false;

	switch (p->kind) {
	case TL_PT_PKT_TNT_8:
	case TL_PT_PKT_TNT_64:
		SAME("tnt count", p->tnt.count, q->payload.tnt.bit_size);
		SAME("tnt bits", p->tnt.bits, q->payload.tnt.payload);
		break;
	case TL_PT_PKT_TIP:
	case TL_PT_PKT_TIP_PGE:
	case TL_PT_PKT_TIP_PGD:
	case TL_PT_PKT_FUP:
		SAME("ipc", p->ip.ipc, q->payload.ip.ipc);
		if (p->ip.ipc)
			SAME("ip", p->ip.ip, q->payload.ip.ip);
		break;
	case TL_PT_PKT_MODE:
		SAME("leaf", p->mode.leaf, q->payload.mode.leaf);
		if (p->mode.leaf == TL_PT_MODE_EXEC) {
			SAME("csl", p->mode.csl, q->payload.mode.bits.exec.csl);
			SAME("csd", p->mode.csd, q->payload.mode.bits.exec.csd);
		} else {
			SAME("intx", p->mode.intx, q->payload.mode.bits.tsx.intx);
			SAME("abrt", p->mode.abrt, q->payload.mode.bits.tsx.abrt);
		}
		break;
	case TL_PT_PKT_PIP:
		SAME("cr3", p->pip.cr3, q->payload.pip.cr3);
		SAME("nr", p->pip.nr, q->payload.pip.nr);
		break;
	case TL_PT_PKT_VMCS:
		SAME("vmcs", p->vmcs.base, q->payload.vmcs.base);
		break;
	case TL_PT_PKT_CBR:
		SAME("cbr", p->cbr.ratio, q->payload.cbr.ratio);
		break;
	case TL_PT_PKT_TSC:
		SAME("tsc", p->tsc.tsc, q->payload.tsc.tsc);
		break;
	case TL_PT_PKT_TMA:
		SAME("ctc", p->tma.ctc, q->payload.tma.ctc);
		SAME("fc", p->tma.fc, q->payload.tma.fc);
		break;
	case TL_PT_PKT_MTC:
		SAME("mtc", p->mtc.ctc, q->payload.mtc.ctc);
		break;
	case TL_PT_PKT_CYC:
		SAME("cyc", p->cyc.value, q->payload.cyc.value);
		break;
	case TL_PT_PKT_MNT:
		SAME("mnt", p->mnt.payload, q->payload.mnt.payload);
		break;
	case TL_PT_PKT_EXSTOP:
		SAME("exstop ip", p->exstop.ip, q->payload.exstop.ip);
		break;
	case TL_PT_PKT_MWAIT:
		SAME("hints", p->mwait.hints, q->payload.mwait.hints);
		SAME("ext", p->mwait.ext, q->payload.mwait.ext);
		break;
	case TL_PT_PKT_PWRE:
		SAME("state", p->pwre.state, q->payload.pwre.state);
		SAME("sub state", p->pwre.sub_state, q->payload.pwre.sub_state);
		break;
	case TL_PT_PKT_PWRX:
		SAME("last", p->pwrx.last, q->payload.pwrx.last);
		SAME("deepest", p->pwrx.deepest, q->payload.pwrx.deepest);
		SAME("interrupt", p->pwrx.interrupt, q->payload.pwrx.interrupt);
		SAME("store", p->pwrx.store, q->payload.pwrx.store);
		SAME("autonomous", p->pwrx.autonomous, q->payload.pwrx.autonomous);
		break;
	case TL_PT_PKT_PTW:
		SAME("plc", p->ptw.plc, q->payload.ptw.plc);
		SAME("ptw ip", p->ptw.ip, q->payload.ptw.ip);
		SAME("ptw", p->ptw.payload, q->payload.ptw.payload);
		break;
	default:
		break;
	}
	return !bad;
}

/*
 * What the reference does not know is an unknown opcode to it; what begins with it is left alone.
 */
static bool beyond(const struct tl_pt_packet *packet, int size, int theirs)
{
	/* It takes CYC of at most nine bytes. */
	if (packet->kind == TL_PT_PKT_CYC && size > 9)
		return true;
	return theirs == -pte_bad_opc && (size > 0 || size == -TL_PT_EOS) &&
	       packet->kind >= TL_PT_PKT_CFE;
}

static bool one_packet(struct tl_pt_packets *ours, struct pt_packet_decoder *theirs)
{
	struct tl_pt_packet p;
	struct pt_packet q;
	uint64_t offset = 0, their_offset = 0;
	bool bad = false;
	int a, b;

	tl_pt_packets_offset(ours, &offset);
	pt_pkt_get_offset(theirs, &their_offset);
	SAME("offset", offset, their_offset);
	a = tl_pt_packets_next(ours, &p, sizeof(p));
	b = pt_pkt_next(theirs, &q, sizeof(q));
	compared++;
	if (beyond(&p, a, b))
		return false;
	SAME("size", a, b);
	if (a < 0 || b < 0 || bad)
		return false;
	SAME("kind", p.kind, q.type);
	return !bad && same_payload(offset, &p, &q);
}

static void compare_packets(uint8_t *data, size_t size)
{
	struct tl_pt_config config = { .size = sizeof(config), .begin = data, .end = data + size };
	struct pt_config their_config;
	struct pt_packet_decoder *theirs;
	struct tl_pt_packets *ours;
	uint64_t offset = 0, at = 0, their_at = 0;
	bool bad = false;

	pt_config_init(&their_config);
	their_config.begin = data;
	their_config.end = data + size;
	theirs = pt_pkt_alloc_decoder(&their_config);
	if (tl_pt_packets_open(&ours, &config) < 0 || !theirs)
		exit(2);
	while (!bad) {
		int a = tl_pt_packets_sync_forward(ours), b = pt_pkt_sync_forward(theirs);

		SAME("sync", a, b);
		if (a < 0 || b < 0)
			break;
		tl_pt_packets_offset(ours, &at);
		pt_pkt_get_offset(theirs, &their_at);
		/*
		 * Of more than eight pairs in a row we take the first eight, the reference takes
		 * others.
		 */
		if (at != their_at && at + 16 > their_at && their_at + 16 > at)
			break;
		SAME("sync offset", at, their_at);
		offset = at;
		while (one_packet(ours, theirs))
			;
		/* Both stay at what neither can read. */
		tl_pt_packets_offset(ours, &at);
		pt_pkt_get_offset(theirs, &their_at);
		if (at != their_at)
			tl_pt_packets_sync_set(ours, their_at), pt_pkt_sync_set(theirs, their_at);
	}
	tl_pt_packets_close(ours);
	pt_pkt_free_decoder(theirs);
}

/* ---- writer: whatever can be read, with any payload ---- */

static void random_flow(struct tl_pt_packet *p, struct pt_packet *q)
{
	switch (p->kind) {
	case TL_PT_PKT_TNT_8:
	case TL_PT_PKT_TNT_64:
		q->payload.tnt.bit_size = p->tnt.count = (uint8_t)(1 + next_random() % 60);
		q->payload.tnt.payload = p->tnt.bits = next_random() >> (64 - p->tnt.count);
		break;
	case TL_PT_PKT_TIP:
	case TL_PT_PKT_TIP_PGE:
	case TL_PT_PKT_TIP_PGD:
	case TL_PT_PKT_FUP:
		p->ip.ipc = (enum tl_pt_ipc)(next_random() % 8);
		q->payload.ip.ipc = (enum pt_ip_compression)p->ip.ipc;
		q->payload.ip.ip = p->ip.ip = next_random();
		break;
	case TL_PT_PKT_MODE:
		p->mode.leaf = next_random() & 4096 ? TL_PT_MODE_EXEC : TL_PT_MODE_TSX;
		q->payload.mode.leaf = (enum pt_mode_leaf)p->mode.leaf;
		if (p->mode.leaf == TL_PT_MODE_EXEC) {
			q->payload.mode.bits.exec.csl = p->mode.csl = next_random() & 64;
			q->payload.mode.bits.exec.csd = p->mode.csd = next_random() & 64;
		} else {
			q->payload.mode.bits.tsx.intx = p->mode.intx = next_random() & 64;
			q->payload.mode.bits.tsx.abrt = p->mode.abrt = next_random() & 64;
		}
		break;
	case TL_PT_PKT_PIP:
		q->payload.pip.cr3 = p->pip.cr3 = next_random() & UINT64_C(0xfffffffffffe0);
		q->payload.pip.nr = p->pip.nr = next_random() & 64;
		break;
	case TL_PT_PKT_VMCS:
		q->payload.vmcs.base = p->vmcs.base = next_random() & UINT64_C(0xffffffffff000);
		break;
	default:
		break;
	}
}

static void random_time(struct tl_pt_packet *p, struct pt_packet *q)
{
	switch (p->kind) {
	case TL_PT_PKT_CBR:
		q->payload.cbr.ratio = p->cbr.ratio = (uint8_t)next_random();
		break;
	case TL_PT_PKT_TSC:
		q->payload.tsc.tsc = p->tsc.tsc = next_random() & UINT64_C(0xffffffffffffff);
		break;
	case TL_PT_PKT_TMA:
		q->payload.tma.ctc = p->tma.ctc = (uint16_t)next_random();
		q->payload.tma.fc = p->tma.fc = next_random() & 0x3ff;
		break;
	case TL_PT_PKT_MTC:
		q->payload.mtc.ctc = p->mtc.ctc = (uint8_t)next_random();
		break;
	case TL_PT_PKT_CYC:
		q->payload.cyc.value = p->cyc.value = next_random() >> next_random() % 64;
		break;
	default:
		break;
	}
}

static void random_power(struct tl_pt_packet *p, struct pt_packet *q)
{
	switch (p->kind) {
	case TL_PT_PKT_MNT:
		q->payload.mnt.payload = p->mnt.payload = next_random();
		break;
	case TL_PT_PKT_EXSTOP:
		q->payload.exstop.ip = p->exstop.ip = next_random() & 64;
		break;
	case TL_PT_PKT_MWAIT:
		q->payload.mwait.hints = p->mwait.hints = next_random() & 0xff;
		q->payload.mwait.ext = p->mwait.ext = next_random() & 3;
		break;
	case TL_PT_PKT_PWRE:
		q->payload.pwre.state = p->pwre.state = next_random() & 15;
		q->payload.pwre.sub_state = p->pwre.sub_state = next_random() & 15;
		q->payload.pwre.hw = p->pwre.hw = next_random() & 64;
		break;
	case TL_PT_PKT_PWRX:
		q->payload.pwrx.last = p->pwrx.last = next_random() & 15;
		q->payload.pwrx.deepest = p->pwrx.deepest = next_random() & 15;
		q->payload.pwrx.interrupt = p->pwrx.interrupt = next_random() & 64;
		q->payload.pwrx.store = p->pwrx.store = next_random() & 64;
		q->payload.pwrx.autonomous = p->pwrx.autonomous = next_random() & 64;
		break;
	case TL_PT_PKT_PTW:
		q->payload.ptw.plc = p->ptw.plc = next_random() & 3;
		q->payload.ptw.ip = p->ptw.ip = next_random() & 64;
		q->payload.ptw.payload = p->ptw.payload = next_random();
		break;
	default:
		break;
	}
}

static void random_packet(struct tl_pt_packet *p, struct pt_packet *q)
{
	memset(p, 0, sizeof(*p));
	memset(q, 0, sizeof(*q));
	p->kind = (enum tl_pt_packet_kind)(TL_PT_PKT_PAD +
					   next_random() % (TL_PT_PKT_PTW - TL_PT_PKT_PAD + 1));
	q->type = (enum pt_packet_type)p->kind;
	random_flow(p, q);
	random_time(p, q);
	random_power(p, q);
}

static void compare_writers(unsigned long count)
{
	uint8_t ours[32], theirs[32];
	struct pt_config config;
	struct pt_encoder *encoder;

	pt_config_init(&config);
	config.begin = theirs;
	config.end = theirs + sizeof(theirs);
	encoder = pt_alloc_encoder(&config);
	for (mutant = 0; mutant < count; mutant++) {
		struct tl_pt_packet p;
		struct pt_packet q;
		uint64_t offset = 0;
		bool bad = false;
		int a, b;

		random_packet(&p, &q);
		memset(ours, 0, sizeof(ours));
		memset(theirs, 0, sizeof(theirs));
		offset = p.kind;
		a = tl_pt_packet_write(ours, sizeof(ours), &p, sizeof(p));
		pt_enc_sync_set(encoder, 0);
		b = pt_enc_next(encoder, &q);
		compared++;
		SAME("written size (offset: kind)", a, b);
		for (int i = 0; i < a && !bad; i++)
			SAME("written byte (offset: kind)", ours[i], theirs[i]);
	}
	pt_free_encoder(encoder);
}

/* ---- queries ---- */

static bool same_head(uint64_t offset, const struct tl_pt_event *e, const struct pt_event *f)
{
	bool bad = false;

	SAME("event kind", e->kind, f->type);
	if (bad)
		return false;
	SAME("event suppressed", e->ip_suppressed, f->ip_suppressed);
	SAME("event status", e->status_update, f->status_update);
	SAME("event has tsc", e->has_tsc, f->has_tsc);
	if (e->has_tsc)
		SAME("event tsc", e->tsc, f->tsc);
	SAME("event lost mtc", e->lost_mtc, f->lost_mtc);
	SAME("event lost cyc", e->lost_cyc, f->lost_cyc);
	return !bad;
}

static bool same_branch(uint64_t offset, const struct tl_pt_event *e, const struct pt_event *f)
{
	bool bad = false;

	switch (e->kind) {
	case TL_PT_EV_ENABLED:
		SAME("enabled ip", e->ip, f->variant.enabled.ip);
		break;
	case TL_PT_EV_DISABLED:
		if (!e->ip_suppressed)
			SAME("disabled ip", e->ip, f->variant.disabled.ip);
		break;
	case TL_PT_EV_ASYNC_DISABLED:
		SAME("async disabled at", e->ip, f->variant.async_disabled.at);
		if (!e->ip_suppressed)
			SAME("async disabled ip", e->disabled.to, f->variant.async_disabled.ip);
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		SAME("async branch from", e->ip, f->variant.async_branch.from);
		if (!e->ip_suppressed)
			SAME("async branch to", e->branch.to, f->variant.async_branch.to);
		break;
	case TL_PT_EV_PAGING:
		SAME("cr3", e->paging.cr3, f->variant.paging.cr3);
		SAME("non root", e->paging.non_root, f->variant.paging.non_root);
		break;
	case TL_PT_EV_ASYNC_PAGING:
		SAME("cr3", e->paging.cr3, f->variant.async_paging.cr3);
		SAME("non root", e->paging.non_root, f->variant.async_paging.non_root);
		if (!e->ip_suppressed)
			SAME("paging ip", e->ip, f->variant.async_paging.ip);
		break;
	case TL_PT_EV_OVERFLOW:
		if (!e->ip_suppressed)
			SAME("overflow ip", e->ip, f->variant.overflow.ip);
		break;
	default:
		break;
	}
	return !bad;
}

static bool same_other(uint64_t offset, const struct tl_pt_event *e, const struct pt_event *f)
{
	bool bad = false;

	switch (e->kind) {
	case TL_PT_EV_EXEC_MODE:
		SAME("mode", e->exec_mode.mode, f->variant.exec_mode.mode);
		if (!e->ip_suppressed)
			SAME("mode ip", e->ip, f->variant.exec_mode.ip);
		break;
	case TL_PT_EV_TSX:
		SAME("speculative", e->tsx.speculative, f->variant.tsx.speculative);
		SAME("aborted", e->tsx.aborted, f->variant.tsx.aborted);
		if (!e->ip_suppressed)
			SAME("tsx ip", e->ip, f->variant.tsx.ip);
		break;
	case TL_PT_EV_VMCS:
		SAME("vmcs", e->vmcs.base, f->variant.vmcs.base);
		break;
	case TL_PT_EV_ASYNC_VMCS:
		SAME("vmcs", e->vmcs.base, f->variant.async_vmcs.base);
		if (!e->ip_suppressed)
			SAME("vmcs ip", e->ip, f->variant.async_vmcs.ip);
		break;
	case TL_PT_EV_EXSTOP:
		if (!e->ip_suppressed)
			SAME("exstop ip", e->ip, f->variant.exstop.ip);
		break;
	case TL_PT_EV_MWAIT:
		SAME("hints", e->mwait.hints, f->variant.mwait.hints);
		if (!e->ip_suppressed)
			SAME("mwait ip", e->ip, f->variant.mwait.ip);
		break;
	case TL_PT_EV_PWRE:
		SAME("pwre", e->pwre.state, f->variant.pwre.state);
		break;
	case TL_PT_EV_PWRX:
		SAME("pwrx", e->pwrx.last, f->variant.pwrx.last);
		break;
	case TL_PT_EV_PTWRITE:
		SAME("ptwrite", e->ptwrite.payload, f->variant.ptwrite.payload);
		SAME("ptwrite size", e->ptwrite.size, f->variant.ptwrite.size);
		if (!e->ip_suppressed)
			SAME("ptwrite ip", e->ip, f->variant.ptwrite.ip);
		break;
	case TL_PT_EV_CBR:
		SAME("cbr", e->cbr.ratio, f->variant.cbr.ratio);
		break;
	case TL_PT_EV_MNT:
		SAME("mnt", e->mnt.payload, f->variant.mnt.payload);
		break;
	default:
		break;
	}
	return !bad;
}

static bool same_event(uint64_t offset, const struct tl_pt_event *e, const struct pt_event *f)
{
	return same_head(offset, e, f) && same_branch(offset, e, f) && same_other(offset, e, f);
}

static bool same_time(uint64_t offset, struct tl_pt_query *ours, struct pt_query_decoder *theirs)
{
	uint64_t tsc = 0, their_tsc = 0;
	uint32_t mtc = 0, cyc = 0, their_mtc = 0, their_cyc = 0, ratio = 0, their_ratio = 0;
	bool bad = false;
	int a = tl_pt_query_time(ours, &tsc, &mtc, &cyc),
	    b = pt_qry_time(theirs, &their_tsc, &their_mtc, &their_cyc);

	SAME("time", a, b);
	SAME("tsc", tsc, their_tsc);
	SAME("lost mtc", mtc, their_mtc);
	SAME("lost cyc", cyc, their_cyc);
	a = tl_pt_query_core_bus_ratio(ours, &ratio);
	b = pt_qry_core_bus_ratio(theirs, &their_ratio);
	SAME("ratio", a, b);
	if (a == 0)
		SAME("core:bus ratio", ratio, their_ratio);
	return !bad;
}

/* One question; negative: the trace has ended or is at fault, for both. 1: they differ. */
static int one_query(struct tl_pt_query *ours, struct pt_query_decoder *theirs, int status)
{
	uint64_t offset = 0, ip = 0, their_ip = 0;
	int a, b, taken = 0, their_taken = 0;
	bool bad = false;

	tl_pt_query_offset(ours, &offset);
	compared++;
	if (status & TL_PT_EVENT_PENDING) {
		struct tl_pt_event e;
		struct pt_event f;

		a = tl_pt_query_event(ours, &e, sizeof(e));
		b = pt_qry_event(theirs, &f, sizeof(f));
		SAME("event", a, b);
		if (!bad && a >= 0)
			bad = !same_event(offset, &e, &f);
	} else {
		a = tl_pt_query_cond_branch(ours, &taken);
		b = pt_qry_cond_branch(theirs, &their_taken);
		SAME("cond branch", a, b);
		if (a >= 0)
			SAME("taken", taken, their_taken);
		if (a == -TL_PT_BAD_QUERY) {
			a = tl_pt_query_indirect_branch(ours, &ip);
			b = pt_qry_indirect_branch(theirs, &their_ip);
			SAME("indirect branch", a, b);
			if (a >= 0 && !(a & TL_PT_STATUS_IP_SUPPRESSED))
				SAME("target", ip, their_ip);
		}
	}
	if (a >= 0 && !bad)
		bad = !same_time(offset, ours, theirs);
	return bad ? 1 : a < 0 ? a : a << 1;
}

/* The peer cases name their processor: NAME-cpu_FAMILY_MODEL.pt. */
static void set_errata(struct tl_pt_config *config, struct pt_config *their_config)
{
	const char *name = strstr(file, "-cpu_");
	unsigned family, model;

	if (!name || sscanf(name, "-cpu_%u_%u.pt", &family, &model) != 2)
		return;
	config->cpu = (struct tl_pt_cpu){ true, (uint16_t)family, (uint8_t)model, 0 };
	their_config->cpu = (struct pt_cpu){ pcv_intel, (uint16_t)family, (uint8_t)model, 0 };
	tl_pt_cpu_errata(&config->errata, &config->cpu, true);
	pt_cpu_errata(&their_config->errata, &their_config->cpu);
}

static struct tl_pt_config settings = { .size = sizeof(settings),
					.mtc_freq = 3,
					.nom_freq = 32,
					.cpuid_15_eax = 2,
					.cpuid_15_ebx = 176 };

static void compare_queries(uint8_t *data, size_t size)
{
	struct tl_pt_config config = settings;
	struct pt_config their_config;
	struct pt_query_decoder *theirs;
	struct tl_pt_query *ours;

	config.begin = data;
	config.end = data + size;
	pt_config_init(&their_config);
	their_config.begin = data;
	their_config.end = data + size;
	their_config.mtc_freq = config.mtc_freq;
	their_config.nom_freq = config.nom_freq;
	their_config.cpuid_0x15_eax = config.cpuid_15_eax;
	their_config.cpuid_0x15_ebx = config.cpuid_15_ebx;
	set_errata(&config, &their_config);
	theirs = pt_qry_alloc_decoder(&their_config);
	if (tl_pt_query_open(&ours, &config) < 0 || !theirs)
		exit(2);
	for (;;) {
		uint64_t offset = 0, ip = 0, their_ip = 0;
		bool bad = false;
		int a = tl_pt_query_sync_forward(ours, &ip),
		    b = pt_qry_sync_forward(theirs, &their_ip);

		tl_pt_query_sync_offset(ours, &offset);
		SAME("query sync", a, b);
		if (a >= 0 && !(a & TL_PT_STATUS_IP_SUPPRESSED))
			SAME("sync ip", ip, their_ip);
		if (a < 0 || bad)
			break;
		a <<= 1;
		do
			a = one_query(ours, theirs, a >> 1);
		while (a >= 0 && a != 1);
		if (a == 1)
			break;
	}
	tl_pt_query_close(ours);
	pt_qry_free_decoder(theirs);
}

/* ---- time: made-up streams, plausible and not ---- */

struct stream {
	uint8_t data[4096];
	size_t size;
};

static void append(struct stream *stream, const struct tl_pt_packet *packet)
{
	int size = tl_pt_packet_write(stream->data + stream->size,
				      sizeof(stream->data) - stream->size, packet, sizeof(*packet));

	if (size > 0)
		stream->size += (size_t)size;
}

/* The counters that a processor would have, moved on at random. */
static struct {
	uint64_t tsc, cycles;
	unsigned cbr;
} machine;

static uint64_t crystal(void)
{
	return settings.cpuid_15_ebx ? machine.tsc * settings.cpuid_15_eax / settings.cpuid_15_ebx
				     : 0;
}

static void random_time_packet(struct stream *stream)
{
	struct tl_pt_packet p = { .kind = TL_PT_PKT_PAD };
	uint64_t before = crystal(),
		 passed = next_random() >> 20 & ((1u << next_random() % 16) - 1);

	machine.tsc += passed;
	machine.cycles += settings.nom_freq ? passed * machine.cbr / settings.nom_freq : passed;
	if (crystal() >> settings.mtc_freq != before >> settings.mtc_freq && next_random() % 16) {
		p.kind = TL_PT_PKT_MTC;
		p.mtc.ctc = (uint8_t)(crystal() >> settings.mtc_freq);
		append(stream, &p);
	}
	switch (next_random() >> 30 & 31) {
	case 0:
		p.kind = TL_PT_PKT_TSC;
		p.tsc.tsc = machine.tsc;
		append(stream, &p);
		if (next_random() >> 40 & 3)
			return;
		p.kind = TL_PT_PKT_TMA;
		p.tma.ctc = (uint16_t)crystal();
		p.tma.fc = (uint16_t)(next_random() % 64);
		break;
	case 1:
		machine.cbr = 1 + next_random() % 64;
		p.kind = TL_PT_PKT_CBR;
		p.cbr.ratio = (uint8_t)machine.cbr;
		break;
	case 3:
		p.kind = TL_PT_PKT_MTC;
		p.mtc.ctc = (uint8_t)next_random();
		break;
	case 4:
		p.kind = TL_PT_PKT_CYC;
		p.cyc.value = next_random() >> next_random() % 64;
		if (p.cyc.value >> 60)
			p.cyc.value >>= 8;
		break;
	default:
		if (next_random() & 1024) {
			p.kind = TL_PT_PKT_CYC;
			p.cyc.value = machine.cycles;
			machine.cycles = 0;
			append(stream, &p);
		}
		memset(&p, 0, sizeof(p));
		p.kind = TL_PT_PKT_TNT_8;
		p.tnt.count = 1;
	}
	append(stream, &p);
}

static void compare_times(unsigned long count)
{
	static struct stream stream;

	for (mutant = 0; mutant < count; mutant++) {
		struct tl_pt_packet psb = { .kind = TL_PT_PKT_PSB },
				    psbend = { .kind = TL_PT_PKT_PSBEND };
		struct tl_pt_packet fup = { .kind = TL_PT_PKT_FUP,
					    .ip = { 0x1000, TL_PT_IPC_SEXT_48 } };

		seed = (mutant + 1) * 0x9e3779b97f4a7c15u;
		next_random();
		settings.mtc_freq = (uint8_t)(next_random() % 13);
		settings.nom_freq = next_random() % 8 ? (uint8_t)(1 + next_random() % 64) : 0;
		settings.cpuid_15_eax = next_random() % 8 ? (uint32_t)(1 + next_random() % 4) : 0;
		settings.cpuid_15_ebx = next_random() % 8 ? (uint32_t)(1 + next_random() % 400) : 0;
		machine.tsc = next_random() >> 20;
		machine.cycles = 0;
		machine.cbr = 1 + next_random() % 64;
		stream.size = 0;
		append(&stream, &psb);
		append(&stream, &fup);
		append(&stream, &psbend);
		while (stream.size < 400)
			random_time_packet(&stream);
		compare_queries(stream.data, stream.size);
	}
}

/* ---- files ---- */

static uint8_t *load(const char *name, size_t *size)
{
	FILE *in = fopen(name, "rb");
	uint8_t *data;
	long length;

	if (!in || fseek(in, 0, SEEK_END) || (length = ftell(in)) <= 0 || fseek(in, 0, SEEK_SET))
		exit(2);
	*size = (size_t)length;
	data = malloc(*size);
	if (!data || fread(data, 1, *size, in) != *size)
		exit(2);
	fclose(in);
	return data;
}

static void compare_file(const char *how, unsigned long mutants)
{
	size_t size;
	uint8_t *data = load(file, &size), *copy = malloc(size);

	if (!copy)
		exit(2);
	for (mutant = 0; mutant <= mutants; mutant++) {
		memcpy(copy, data, size);
		seed = mutant * 0x9e3779b97f4a7c15u + size;
		if (mutant)
			damage(copy, size);
		if (!strcmp(how, "packets"))
			compare_packets(copy, size);
		else
			compare_queries(copy, size);
	}
	free(copy);
	free(data);
}

int main(int argc, char **argv)
{
	unsigned long mutants = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc < 3)
		return 2;
	seed = 88172645463325252u;
	if (!strcmp(argv[1], "writer"))
		compare_writers(mutants);
	if (!strcmp(argv[1], "time"))
		compare_times(mutants);
	for (int i = 3; i < argc; i++) {
		file = argv[i];
		compare_file(argv[1], mutants);
	}
	printf("%s: %lu compared, %lu different\n", argv[1], compared, differences);
	return differences || !compared;
}
