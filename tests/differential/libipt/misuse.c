/* SPDX-License-Identifier: Apache-2.0 */
/* Every function with arguments that make no sense, and before it can have an answer:
 * "pte_invalid", "pte_nosync", NULL. */
#include "peer.h"

#include <stdio.h>

static uint8_t psb_only[64] = { 2,    0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2,
				0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2,    0x23 };
static uint8_t nothing[64];
/* PSB, MODE.Exec 64, FUP 1000, PSBEND, TNT 1, TIP.PGD without address: nobody has code for it. */
static uint8_t no_code[64] = { 2,    0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2,
			       0x82, 0x99, 1, 0x7d, 0, 0x10, 0, 0,    0, 0,    2, 0x23, 6, 1 };

static struct pt_config over(uint8_t *bytes, size_t size)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = bytes;
	config.end = bytes + size;
	return config;
}

#define SAY(call) peer_result(#call, call)
#define SAY_NULL(call) printf("%s: %s\n", #call, (call) ? "something" : "NULL")

static void general(void)
{
	struct pt_errata errata;
	struct pt_cpu cpu = { pcv_unknown, 6, 0x4e, 3 };
	struct pt_version version = pt_library_version();

	printf("version %d.%d.%d build %u\n", version.major, version.minor, version.patch,
	       version.build);
	for (int code = -2; code < 32; code++)
		printf("error %d: %s\n", code, pt_errstr((enum pt_error_code)code));
	SAY(pt_cpu_errata(NULL, &cpu));
	SAY(pt_cpu_errata(&errata, NULL));
	SAY(pt_cpu_errata(&errata, &cpu));
	for (unsigned plc = 0; plc < 5; plc++)
		SAY(pt_ptw_size((uint8_t)plc));
}

/* Configurations that no decoder is made from, and some that one is made from. */
static void configurations(void)
{
	struct pt_config config = over(psb_only, 18), odd;

#define SAY_ALLOC(kind, free)                                                                      \
	do {                                                                                       \
		void *made = kind(&odd);                                                           \
		printf(#kind ": %s\n", made ? "something" : "NULL");                               \
		free(made);                                                                        \
	} while (0)
#define SAY_ALL(change)                                                                            \
	do {                                                                                       \
		odd = config;                                                                      \
		change;                                                                            \
		puts(#change);                                                                     \
		SAY_ALLOC(pt_alloc_encoder, pt_free_encoder);                                      \
		SAY_ALLOC(pt_pkt_alloc_decoder, pt_pkt_free_decoder);                              \
		SAY_ALLOC(pt_qry_alloc_decoder, pt_qry_free_decoder);                              \
		SAY_ALLOC(pt_insn_alloc_decoder, pt_insn_free_decoder);                            \
		SAY_ALLOC(pt_blk_alloc_decoder, pt_blk_free_decoder);                              \
	} while (0)
	SAY_ALL((void)odd);
	SAY_ALL(odd.size = 0);
	SAY_ALL(odd.size = 8);
	SAY_ALL(odd.size = 23);
	SAY_ALL(odd.size = 24);
	SAY_ALL(odd.size = 40);
	SAY_ALL(odd.size = 279);
	SAY_ALL(odd.size = 4096);
	SAY_ALL(odd.begin = NULL);
	SAY_ALL(odd.end = NULL);
	SAY_ALL(odd.end = odd.begin);
	SAY_ALL(odd.end = (uint8_t *)((uintptr_t)odd.begin - 1));
	SAY_ALL(odd.begin = odd.end = NULL);
	SAY_ALL(odd.flags.variant.reserved[3] = 1);
	SAY_ALL(odd.addr_filter.config.addr_cfg = 1);
	SAY_ALL(odd.addr_filter.config.addr_cfg = 7);
	SAY_ALL(odd.addr_filter.config.addr_cfg = 0x12);
	SAY_ALL(odd.addr_filter.config.addr_cfg = 1ull << 32);
	SAY_ALL((odd.addr_filter.config.addr_cfg = 1, odd.addr_filter.addr0_a = 2,
		 odd.addr_filter.addr0_b = 1));
	SAY_ALL(odd.mtc_freq = 255);
	SAY_NULL(pt_alloc_encoder(NULL));
	SAY_NULL(pt_pkt_alloc_decoder(NULL));
	SAY_NULL(pt_qry_alloc_decoder(NULL));
	SAY_NULL(pt_insn_alloc_decoder(NULL));
	SAY_NULL(pt_blk_alloc_decoder(NULL));
}

static void encoder(void)
{
	static uint8_t room[64];
	struct pt_config config = over(room, sizeof(room));
	struct pt_encoder *enc = pt_alloc_encoder(&config);
	struct pt_packet packet = { .type = ppt_pad };
	uint64_t offset = 77;

	SAY(pt_enc_sync_set(NULL, 0));
	SAY(pt_enc_get_offset(NULL, &offset));
	SAY(pt_enc_get_offset(enc, NULL));
	SAY(pt_enc_next(NULL, &packet));
	SAY(pt_enc_next(enc, NULL));
	SAY_NULL(pt_enc_get_config(NULL));
	SAY_NULL(pt_enc_get_config(enc));
	SAY(pt_enc_get_offset(enc, &offset));
	printf("offset %llu\n", (unsigned long long)offset);
	SAY(pt_enc_sync_set(enc, 64));
	SAY(pt_enc_next(enc, &packet));
	SAY(pt_enc_sync_set(enc, 65));
	SAY(pt_enc_get_offset(enc, &offset));
	printf("offset %llu\n", (unsigned long long)offset);
	SAY(pt_enc_sync_set(enc, 50));
	packet.type = ppt_psb;
	SAY(pt_enc_next(enc, &packet));
	packet.type = ppt_invalid;
	SAY(pt_enc_next(enc, &packet));
	packet.type = ppt_unknown;
	SAY(pt_enc_next(enc, &packet));
	packet.type = (enum pt_packet_type)99;
	SAY(pt_enc_next(enc, &packet));
	pt_free_encoder(enc);
	pt_free_encoder(NULL);
}

static void packets(struct pt_config config)
{
	struct pt_packet_decoder *dec = pt_pkt_alloc_decoder(&config);
	struct pt_packet packet;
	uint64_t offset = 77;

	SAY(pt_pkt_sync_forward(NULL));
	SAY(pt_pkt_sync_backward(NULL));
	SAY(pt_pkt_sync_set(NULL, 0));
	SAY(pt_pkt_get_offset(NULL, &offset));
	SAY(pt_pkt_get_offset(dec, NULL));
	SAY(pt_pkt_get_sync_offset(NULL, &offset));
	SAY(pt_pkt_get_sync_offset(dec, NULL));
	SAY(pt_pkt_next(NULL, &packet, sizeof(packet)));
	SAY(pt_pkt_next(dec, NULL, sizeof(packet)));
	SAY_NULL(pt_pkt_get_config(NULL));
	SAY(pt_pkt_get_offset(dec, &offset));
	SAY(pt_pkt_get_sync_offset(dec, &offset));
	SAY(pt_pkt_next(dec, &packet, sizeof(packet)));
	SAY(pt_pkt_sync_backward(dec));
	SAY(pt_pkt_sync_set(dec, 1000));
	SAY(pt_pkt_sync_forward(dec));
	SAY(pt_pkt_next(dec, &packet, 0));
	SAY(pt_pkt_next(dec, &packet, 4));
	SAY(pt_pkt_next(dec, &packet, 1000 > sizeof(packet) ? sizeof(packet) : 0));
	SAY(pt_pkt_get_offset(dec, &offset));
	printf("offset %llu\n", (unsigned long long)offset);
	SAY(pt_pkt_sync_forward(dec));
	SAY(pt_pkt_sync_backward(dec));
	SAY(pt_pkt_sync_backward(dec));
	SAY(pt_pkt_sync_set(dec, 2));
	SAY(pt_pkt_get_sync_offset(dec, &offset));
	printf("offset %llu\n", (unsigned long long)offset);
	pt_pkt_free_decoder(dec);
	pt_pkt_free_decoder(NULL);
}

/* One list for the three decoders of flow: query, instruction, block. */
#define FLOW(p, type, SYNC_IP)                                                                     \
	static void p(struct pt_config config)                                                     \
	{                                                                                          \
		struct type *dec = pt_##p##_alloc_decoder(&config);                                \
		struct pt_event event;                                                             \
		uint64_t offset = 77, time = 5;                                                    \
		uint32_t cbr = 5, mtc = 5, cyc = 5;                                                \
                                                                                                   \
		SAY(pt_##p##_sync_forward(NULL SYNC_IP));                                          \
		SAY(pt_##p##_sync_backward(NULL SYNC_IP));                                         \
		SAY(pt_##p##_sync_set(NULL SYNC_IP, 0));                                           \
		SAY(pt_##p##_get_offset(NULL, &offset));                                           \
		SAY(pt_##p##_get_offset(dec, NULL));                                               \
		SAY(pt_##p##_get_sync_offset(NULL, &offset));                                      \
		SAY(pt_##p##_get_sync_offset(dec, NULL));                                          \
		SAY_NULL(pt_##p##_get_config(NULL));                                               \
		SAY(pt_##p##_event(NULL, &event, sizeof(event)));                                  \
		SAY(pt_##p##_event(dec, NULL, sizeof(event)));                                     \
		SAY(pt_##p##_event(dec, &event, 0));                                               \
		SAY(pt_##p##_event(dec, &event, 16));                                              \
		SAY(pt_##p##_event(dec, &event, sizeof(event)));                                   \
		SAY(pt_##p##_time(NULL, &time, &mtc, &cyc));                                       \
		SAY(pt_##p##_time(dec, NULL, &mtc, &cyc));                                         \
		SAY(pt_##p##_time(dec, &time, &mtc, &cyc));                                        \
		SAY(pt_##p##_time(dec, &time, NULL, NULL));                                        \
		SAY(pt_##p##_core_bus_ratio(NULL, &cbr));                                          \
		SAY(pt_##p##_core_bus_ratio(dec, NULL));                                           \
		SAY(pt_##p##_core_bus_ratio(dec, &cbr));                                           \
		printf("time %llu cbr %u lost %u %u\n", (unsigned long long)time, cbr, mtc, cyc);  \
		SAY(pt_##p##_get_offset(dec, &offset));                                            \
		SAY(pt_##p##_get_sync_offset(dec, &offset));                                       \
		p##_more(dec);                                                                     \
		SAY(pt_##p##_sync_backward(dec SYNC_IP));                                          \
		SAY(pt_##p##_sync_set(dec SYNC_IP, 1));                                            \
		SAY(pt_##p##_sync_set(dec SYNC_IP, 1000));                                         \
		SAY(pt_##p##_sync_forward(dec SYNC_IP));                                           \
		SAY(pt_##p##_get_sync_offset(dec, &offset));                                       \
		SAY(pt_##p##_event(dec, &event, 16));                                              \
		SAY(pt_##p##_event(dec, &event, sizeof(event)));                                   \
		SAY(pt_##p##_event(dec, &event, sizeof(event)));                                   \
		p##_more(dec);                                                                     \
		SAY(pt_##p##_sync_forward(dec SYNC_IP));                                           \
		p##_more(dec);                                                                     \
		SAY(pt_##p##_sync_backward(dec SYNC_IP));                                          \
		SAY(pt_##p##_sync_backward(dec SYNC_IP));                                          \
		SAY(pt_##p##_sync_set(dec SYNC_IP, 0));                                            \
		pt_##p##_free_decoder(dec);                                                        \
		pt_##p##_free_decoder(NULL);                                                       \
	}

static void qry_more(struct pt_query_decoder *dec)
{
	uint64_t ip = 77;
	int taken = 5;

	SAY(pt_qry_cond_branch(NULL, &taken));
	SAY(pt_qry_cond_branch(dec, NULL));
	SAY(pt_qry_cond_branch(dec, &taken));
	SAY(pt_qry_indirect_branch(NULL, &ip));
	SAY(pt_qry_indirect_branch(dec, NULL));
	SAY(pt_qry_indirect_branch(dec, &ip));
}

static void insn_more(struct pt_insn_decoder *dec)
{
	struct pt_asid asid = { .size = sizeof(asid) };
	struct pt_insn insn;

	SAY(pt_insn_next(NULL, &insn, sizeof(insn)));
	SAY(pt_insn_next(dec, NULL, sizeof(insn)));
	SAY(pt_insn_next(dec, &insn, sizeof(insn)));
	SAY_NULL(pt_insn_get_image(NULL));
	SAY_NULL(pt_insn_get_image(dec));
	SAY(pt_insn_set_image(NULL, NULL));
	SAY(pt_insn_set_image(dec, NULL));
	SAY(pt_insn_asid(NULL, &asid, sizeof(asid)));
	SAY(pt_insn_asid(dec, NULL, sizeof(asid)));
	SAY(pt_insn_asid(dec, &asid, 0));
	SAY(pt_insn_asid(dec, &asid, 8));
	SAY(pt_insn_asid(dec, &asid, sizeof(asid)));
}

static void blk_more(struct pt_block_decoder *dec)
{
	struct pt_asid asid = { .size = sizeof(asid) };
	struct pt_block block;

	SAY(pt_blk_next(NULL, &block, sizeof(block)));
	SAY(pt_blk_next(dec, NULL, sizeof(block)));
	SAY(pt_blk_next(dec, &block, sizeof(block)));
	SAY_NULL(pt_blk_get_image(NULL));
	SAY_NULL(pt_blk_get_image(dec));
	SAY(pt_blk_set_image(NULL, NULL));
	SAY(pt_blk_set_image(dec, NULL));
	SAY(pt_blk_asid(NULL, &asid, sizeof(asid)));
	SAY(pt_blk_asid(dec, NULL, sizeof(asid)));
	SAY(pt_blk_asid(dec, &asid, 0));
	SAY(pt_blk_asid(dec, &asid, 8));
	SAY(pt_blk_asid(dec, &asid, sizeof(asid)));
}

#define WITH_IP , NULL
#define WITHOUT_IP
FLOW(qry, pt_query_decoder, WITH_IP)
FLOW(insn, pt_insn_decoder, WITHOUT_IP)
FLOW(blk, pt_block_decoder, WITHOUT_IP)

void peer_misuse(void)
{
	general();
	configurations();
	encoder();
	packets(over(psb_only, 18));
	packets(over(nothing, 64));
	qry(over(psb_only, 18));
	qry(over(psb_only, 17));
	qry(over(nothing, 64));
	qry(over(no_code, 29));
	insn(over(psb_only, 18));
	insn(over(nothing, 64));
	insn(over(no_code, 29));
	blk(over(psb_only, 18));
	blk(over(psb_only, 17));
	blk(over(nothing, 64));
	blk(over(no_code, 29));
}
