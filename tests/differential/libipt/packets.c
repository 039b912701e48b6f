/* SPDX-License-Identifier: Apache-2.0 */
/* Every packet of a trace, its PSBs from both ends, its packets written anew; errata of every
 * processor; queries. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static void hex(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", ((const uint8_t *)bytes)[i]);
}

/* The payload of most kinds is told by its bytes, but for holes between fields. */
static void payload(const struct pt_packet *p)
{
	switch (p->type) {
	case ppt_fup:
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
		printf(" %d %llx", (int)p->payload.ip.ipc, (ull)p->payload.ip.ip);
		break;
	case ppt_tnt_8:
	case ppt_tnt_64:
		printf(" %u %llx", p->payload.tnt.bit_size, (ull)p->payload.tnt.payload);
		break;
	case ppt_pip:
		printf(" %llx %u", (ull)p->payload.pip.cr3, p->payload.pip.nr);
		break;
	case ppt_mode:
		printf(" %d %x", (int)p->payload.mode.leaf,
		       p->payload.mode.leaf == pt_mol_exec
			       ? p->payload.mode.bits.exec.csl | p->payload.mode.bits.exec.csd << 1
			       : p->payload.mode.bits.tsx.intx | p->payload.mode.bits.tsx.abrt
									 << 1);
		break;
	case ppt_ptw:
		printf(" %llx %u %u", (ull)p->payload.ptw.payload, p->payload.ptw.plc,
		       p->payload.ptw.ip);
		break;
	case ppt_pwre:
		printf(" %u %u %u", p->payload.pwre.state, p->payload.pwre.sub_state,
		       p->payload.pwre.hw);
		break;
	case ppt_pwrx:
		printf(" %u %u %u%u%u", p->payload.pwrx.last, p->payload.pwrx.deepest,
		       p->payload.pwrx.interrupt, p->payload.pwrx.store,
		       p->payload.pwrx.autonomous);
		break;
	case ppt_cbr:
		printf(" %u", p->payload.cbr.ratio);
		break;
	case ppt_mtc:
		printf(" %u", p->payload.mtc.ctc);
		break;
	case ppt_tma:
		printf(" %u %u", p->payload.tma.ctc, p->payload.tma.fc);
		break;
	case ppt_exstop:
		printf(" %u", p->payload.exstop.ip);
		break;
	case ppt_mwait:
	case ppt_tsc:
	case ppt_cyc:
	case ppt_vmcs:
	case ppt_mnt:
		putchar(' ');
		hex(&p->payload, 8);
		break;
	default:
		break;
	}
}

static void offsets(struct pt_packet_decoder *dec)
{
	uint64_t offset = 0, sync = 0;
	int status = pt_pkt_get_offset(dec, &offset);

	printf("[%llx", (ull)offset);
	if (pt_pkt_get_sync_offset(dec, &sync) < 0 || status < 0)
		printf(" none");
	printf(" %llx] ", (ull)sync);
}

/* A word about bytes that begin no packet: those that are even are passed over, two at a time. */
static int unknown(struct pt_packet_unknown *packet, const struct pt_config *config,
		   const uint8_t *pos, void *context)
{
	if (context != config->begin || packet->packet != pos)
		return -pte_internal;
	packet->priv = (void *)(uintptr_t)*pos;
	return *pos & 1 ? -pte_bad_opc : 2;
}

static void walk_packets(const struct pt_config *config)
{
	struct pt_packet_decoder *dec = pt_pkt_alloc_decoder(config);
	struct pt_packet packet;
	int status = pt_pkt_sync_forward(dec);

	for (;;) {
		offsets(dec);
		status = pt_pkt_next(dec, &packet, sizeof(packet));
		if (status < 0) {
			peer_result("packet", status);
			if (status == -pte_eos || (status = pt_pkt_sync_forward(dec)) < 0)
				break;
			continue;
		}
		printf("%d %u", (int)packet.type, packet.size);
		payload(&packet);
		putchar('\n');
	}
	while (pt_pkt_sync_backward(dec) >= 0) {
		offsets(dec);
		puts("psb");
	}
	pt_pkt_free_decoder(dec);
}

void peer_packets(const struct peer_input *input)
{
	struct pt_config config;

	peer_config(&config, input);
	walk_packets(&config);
	config.decode.callback = unknown;
	config.decode.context = config.begin;
	walk_packets(&config);
}

void peer_encode(const struct peer_input *input)
{
	struct pt_packet_decoder *dec;
	struct pt_packet packet;
	struct pt_config config, room;
	struct pt_encoder *enc;
	uint8_t *copy = calloc(1, input->size + 1);

	peer_config(&config, input);
	room = config;
	room.begin = copy;
	room.end = copy + input->size;
	dec = pt_pkt_alloc_decoder(&config);
	enc = pt_alloc_encoder(&room);
	for (int status = pt_pkt_sync_forward(dec); status >= 0;) {
		uint64_t offset = 0;

		status = pt_pkt_next(dec, &packet, sizeof(packet));
		if (status < 0)
			break;
		status = pt_enc_next(enc, &packet);
		pt_enc_get_offset(enc, &offset);
		printf("%d at %llx: %d\n", (int)packet.type, (ull)offset, status);
	}
	hex(copy, input->size);
	printf("\nthe same: %d\n", !memcmp(copy, input->trace, input->size));
	pt_free_encoder(enc);
	pt_pkt_free_decoder(dec);
	free(copy);
}

void peer_errata(void)
{
	for (unsigned family = 4; family < 20; family++)
		for (unsigned model = 0; model < 256; model++) {
			struct pt_cpu cpu = { pcv_intel, (uint16_t)family, (uint8_t)model, 3 };
			struct pt_errata errata;
			int status;

			memset(&errata, 0xff, sizeof(errata));
			status = pt_cpu_errata(&errata, &cpu);
			if (status == -pte_bad_cpu && family != 6)
				continue;
			printf("%u/%u %d ", family, model, status);
			hex(&errata, sizeof(errata));
			putchar('\n');
		}
}

static void tell_time(struct pt_query_decoder *dec)
{
	uint64_t time = 0;
	uint32_t mtc = 0, cyc = 0, cbr = 0;
	int status = pt_qry_time(dec, &time, &mtc, &cyc);

	printf(" time %d %llx %u %u", status, (ull)time, mtc, cyc);
	status = pt_qry_core_bus_ratio(dec, &cbr);
	printf(" cbr %d %u", status, cbr);
}

/* Whatever the trace has next: events first, then an outcome, else an address. */
static int ask(struct pt_query_decoder *dec, int status)
{
	struct pt_event event;
	uint64_t ip = 0;
	int taken = -1;

	if (status & pts_event_pending) {
		status = pt_qry_event(dec, &event, sizeof(event));
		printf("%d", status);
		tell_time(dec);
		putchar(' ');
		if (status >= 0)
			peer_event(&event);
		return status;
	}
	status = pt_qry_cond_branch(dec, &taken);
	if (status != -pte_bad_query) {
		printf("cond %d %d", status, taken);
	} else {
		status = pt_qry_indirect_branch(dec, &ip);
		printf("indirect %d %llx", status, (ull)ip);
	}
	tell_time(dec);
	putchar('\n');
	return status;
}

void peer_query(const struct peer_input *input)
{
	struct pt_config config;
	struct pt_query_decoder *dec;
	uint64_t ip, sync;

	peer_config(&config, input);
	dec = pt_qry_alloc_decoder(&config);
	for (;;) {
		int status = (ip = 0, pt_qry_sync_forward(dec, &ip));

		sync = 0;
		if (status >= 0)
			pt_qry_get_sync_offset(dec, &sync);
		printf("sync %d %llx at %llx\n", status, (ull)ip, (ull)sync);
		if (status == -pte_eos)
			break;
		while (status >= 0)
			status = ask(dec, status);
	}
	pt_qry_free_decoder(dec);
}
