/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of the drop-in by the packets that they are made of (docs/formats/intel-pt.md, 4 and 5),
 * as its event decoder gives them; and each packet decoded and written again. Newer kinds are not
 * in Debian's 2.0.5, which is the judge of all else (tests/differential/libipt).
 */
#include "../unit.h"

#include <intel-pt.h>

#define PSB 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
#define PSBEND 2, 0x23
#define MODE64 0x99, 1
#define FUP(ip) 0x7d, (ip) & 0xff, (ip) >> 8, 0, 0, 0, 0
#define FUP16(ip) 0x3d, (ip) & 0xff, (ip) >> 8
#define TIP16(ip) 0x2d, (ip) & 0xff, (ip) >> 8
#define PGD16(ip) 0x21, (ip) & 0xff, (ip) >> 8
#define PGE(ip) 0x71, (ip) & 0xff, (ip) >> 8, 0, 0, 0, 0
/* "6 bytes v: bit 0 NR (non-root), CR3 = (v >> 1) << 5" */
#define PIP_12000_NR 2, 0x43, 0x01, 0x12, 0, 0, 0, 0
/* "5 bytes: base = v << 12" */
#define VMCS_12345000 2, 0xc8, 0x45, 0x23, 0x01, 0, 0
#define BYTES_8 1, 2, 3, 4, 5, 6, 7, 8
#define NUMBER_8 0x0807060504030201
#define MWAIT_50 2, 0xc2, 0x50, 0, 0, 0, 2, 0, 0, 0
#define EXSTOP 2, 0x62
#define EXSTOP_IP 2, 0xe2
/* Tracing is on at 0x1000, or off. */
#define ON PSB, FUP(0x1000), MODE64, PSBEND
#define OFF PSB, MODE64, PSBEND

enum { ROOM = 64 };

struct row {
	struct pt_event wanted;
	size_t size;
	uint8_t bytes[ROOM];
};

#define TRACE(...)                                                                                 \
	sizeof((const uint8_t[]){ __VA_ARGS__ }),                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* The first event of a kind in a trace. */
static const struct row rows[] = {
	{ { .type = ptev_enabled, .variant.enabled = { .ip = 0x1000 } }, TRACE(OFF, PGE(0x1000)) },
	{ { .type = ptev_async_disabled, .variant.async_disabled = { .at = 0x1001, .ip = 0x2000 } },
	  TRACE(ON, FUP16(0x1001), PGD16(0x2000)) },
	{ { .type = ptev_async_branch, .variant.async_branch = { .from = 0x1001, .to = 0x2000 } },
	  TRACE(ON, FUP16(0x1001), TIP16(0x2000)) },
	{ { .type = ptev_paging, .variant.paging = { .cr3 = 0x12000, .non_root = 1 } },
	  TRACE(ON, PIP_12000_NR) },
	{ { .type = ptev_async_paging,
	    .variant.async_paging = { .cr3 = 0x12000, .non_root = 1, .ip = 0x1000 } },
	  TRACE(PSB, PIP_12000_NR, FUP(0x1000), MODE64, PSBEND) },
	{ { .type = ptev_exec_mode, .variant.exec_mode = { .mode = ptem_64bit, .ip = 0x1000 } },
	  TRACE(ON) },
	{ { .type = ptev_tsx, .variant.tsx = { .ip = 0x1002, .speculative = 1 } },
	  TRACE(ON, 0x99, 0x21, FUP16(0x1002)) },
	{ { .type = ptev_tsx, .variant.tsx = { .ip = 0x1002, .aborted = 1 } },
	  TRACE(ON, 0x99, 0x22, FUP16(0x1002), TIP16(0x1100)) },
	{ { .type = ptev_vmcs, .variant.vmcs = { .base = 0x12345000 } }, TRACE(ON, VMCS_12345000) },
	{ { .type = ptev_async_vmcs, .variant.async_vmcs = { .base = 0x12345000, .ip = 0x1000 } },
	  TRACE(PSB, VMCS_12345000, FUP(0x1000), MODE64, PSBEND) },
	{ { .type = ptev_mwait, .variant.mwait = { .ip = 0x1002, .hints = 0x50, .ext = 2 } },
	  TRACE(ON, MWAIT_50, EXSTOP_IP, FUP16(0x1002)) },
	{ { .type = ptev_exstop, .variant.exstop = { .ip = 0x1002 } },
	  TRACE(ON, EXSTOP_IP, FUP16(0x1002)) },
	/* "state = v[15:12], sub-state = v[11:8], HW": bit 3 */
	{ { .type = ptev_pwre, .variant.pwre = { .state = 3, .sub_state = 5, .hw = 1 } },
	  TRACE(OFF, 2, 0x22, 0x08, 0x35, EXSTOP) },
	/* "deepest v[3:0], last v[7:4], wake reason v[11:8]: interrupt, store, autonomous" */
	{ { .type = ptev_pwrx,
	    .variant.pwrx = { .last = 2, .deepest = 4, .interrupt = 1, .autonomous = 1 } },
	  TRACE(OFF, 2, 0xa2, 0x24, 0x09, 0, 0, 0) },
	{ { .type = ptev_pwrx, .variant.pwrx = { .last = 1, .deepest = 1, .store = 1 } },
	  TRACE(OFF, 2, 0xa2, 0x11, 0x04, 0, 0, 0) },
	{ { .type = ptev_ptwrite,
	    .variant.ptwrite = { .ip = 0x1004, .size = 8, .payload = NUMBER_8 } },
	  TRACE(ON, 2, 0xb2, BYTES_8, FUP16(0x1004)) },
	{ { .type = ptev_ptwrite, .variant.ptwrite = { .size = 4, .payload = 0x04030201 } },
	  TRACE(ON, 2, 0x12, 1, 2, 3, 4) },
	{ { .type = ptev_cbr, .variant.cbr = { .ratio = 0x22 } }, TRACE(ON, 2, 3, 0x22, 0) },
	{ { .type = ptev_mnt, .variant.mnt = { .payload = NUMBER_8 } },
	  TRACE(ON, 2, 0xc3, 0x88, BYTES_8) },
	{ { .type = ptev_tip, .variant.tip = { .ip = 0x2000 } }, TRACE(ON, TIP16(0x2000)) },
	/* A stop bit, then outcomes from the top: taken, not taken, taken. */
	{ { .type = ptev_tnt, .variant.tnt = { .bits = 5, .size = 3 } }, TRACE(ON, 0x1a) },
	{ { .type = ptev_iflags, .variant.iflags = { .iflag = 1, .ip = 0x1000 } },
	  TRACE(PSB, FUP(0x1000), 0x99, 5, PSBEND) },
	/* CFE: type with bit 7 "a FUP follows", vector; EVD cr2 before it */
	{ { .type = ptev_interrupt,
	    .variant.interrupt = { .has_cr2 = 1, .vector = 14, .cr2 = NUMBER_8, .ip = 0x1003 } },
	  TRACE(ON, 2, 0x53, 0, BYTES_8, 2, 0x13, 0x81, 14, FUP16(0x1003)) },
	{ { .type = ptev_sipi, .variant.sipi = { .vector = 0x9a } }, TRACE(OFF, 2, 0x13, 5, 0x9a) },
	{ { .type = ptev_swintr, .variant.swintr = { .vector = 0x80, .ip = 0x1003 } },
	  TRACE(ON, 2, 0x13, 0x8e, 0x80, FUP16(0x1003)) },
	{ { .type = ptev_uintr, .variant.uintr = { .vector = 0x21, .ip = 0x1003 } },
	  TRACE(ON, 2, 0x13, 0x8c, 0x21, FUP16(0x1003)) },
	/* TRIG: bit 7 "a FUP follows", bit 5 MULT; trigger bits */
	{ { .type = ptev_trig, .variant.trig = { .trbv = 5, .mult = 1, .ip = 0x1005 } },
	  TRACE(ON, 0xd9, 0xa0, 0x05, FUP16(0x1005)) },
	{ { .type = ptev_overflow, .variant.overflow = { .ip = 0x1006 } },
	  TRACE(ON, 2, 0xf3, FUP16(0x1006)) },
	{ { .type = ptev_stop }, TRACE(OFF, 2, 0x83) },
};

static struct pt_config over(const struct row *row)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)row->bytes;
	config.end = config.begin + row->size;
	config.flags.variant.event.enable_iflags_events = 1;
	return config;
}

static void expect(const struct row *row, const struct pt_event *event)
{
	if (memcmp(&event->variant, &row->wanted.variant, sizeof(event->variant)) != 0)
		fail_msg("row %u, kind %u: another variant", (unsigned)(row - rows),
			 (unsigned)event->type);
}

TEST(events_of_packets)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pt_config config = over(&rows[i]);
		struct pt_event_decoder *decoder = pt_evt_alloc_decoder(&config);
		struct pt_event event = { .type = ptev_enabled };
		int status = pt_evt_sync_set(decoder, 0);

		assert_int_equal(status, 0);
		do {
			memset(&event, 0, sizeof(event));
			status = pt_evt_next(decoder, &event, sizeof(event));
		} while (status >= 0 && event.type != rows[i].wanted.type);
		if (status < 0)
			fail_msg("row %u: status %d", (unsigned)i, status);
		expect(&rows[i], &event);
		pt_evt_free_decoder(decoder);
	}
}

/* The next event of a query decoder, which is asked for whatever the trace has before it. */
static int next_queried(struct pt_query_decoder *decoder, int status, struct pt_event *event)
{
	uint64_t ip;
	int taken;

	while (status >= 0 && !(status & pts_event_pending)) {
		status = pt_qry_cond_branch(decoder, &taken);
		if (status == -pte_bad_query)
			status = pt_qry_indirect_branch(decoder, &ip);
	}
	memset(event, 0, sizeof(*event));
	return status < 0 ? status : pt_qry_event(decoder, event, sizeof(*event));
}

/* Branches are no events of a query decoder, and the ends of the trace are none. */
TEST(events_of_queries)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pt_config config = over(&rows[i]);
		struct pt_query_decoder *decoder = pt_qry_alloc_decoder(&config);
		const enum pt_event_type wanted = rows[i].wanted.type;
		struct pt_event event = { .type = ptev_tick };
		uint64_t ip;
		int status = pt_qry_sync_set(decoder, &ip, 0);

		while (status >= 0 && event.type != wanted)
			status = next_queried(decoder, status, &event);
		if (wanted == ptev_tip || wanted == ptev_tnt)
			assert_true(status < 0);
		else if (status < 0)
			fail_msg("row %u: status %d", (unsigned)i, status);
		else
			expect(&rows[i], &event);
		pt_qry_free_decoder(decoder);
	}
}

/* The instruction that an event without an address of its own is about. */
enum { PLACE = 0x1005 };

static const struct {
	enum pt_event_type type;
	uint8_t bytes[4];
} instructions[] = {
	{ ptev_paging, { 0x0f, 0x22, 0xd8, 0x90 } },  /* mov %rax,%cr3 */
	{ ptev_vmcs, { 0x0f, 0xc7, 0x30, 0x90 } },    /* vmptrld (%rax) */
	{ ptev_ptwrite, { 0xf3, 0x0f, 0xae, 0xe0 } }, /* ptwrite %eax */
};

/* Code from 0x1000 on that does nothing, but for the instruction of the event. */
static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const enum pt_event_type *type = context;

	(void)asid;
	if (ip < 0x1000 || ip >= 0x3000)
		return -pte_nomap;
	memset(buffer, 0x90, size);
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
		for (uint64_t n = 0; n < 4 && instructions[i].type == *type; n++)
			if (PLACE + n >= ip && PLACE + n < ip + size)
				buffer[PLACE + n - ip] = instructions[i].bytes[n];
	return (int)size;
}

/* The next event of a block decoder, behind whatever blocks come before it. */
static int next_of_blocks(struct pt_block_decoder *decoder, int status, struct pt_event *event)
{
	struct pt_block block;

	while (status >= 0 && !(status & pts_event_pending)) {
		if (status & pts_eos)
			return -pte_eos;
		status = pt_blk_next(decoder, &block, sizeof(block));
	}
	memset(event, 0, sizeof(*event));
	return status < 0 ? status : pt_blk_event(decoder, event, sizeof(*event));
}

static int next_of_instructions(struct pt_insn_decoder *decoder, int status, struct pt_event *event)
{
	struct pt_insn insn;

	while (status >= 0 && !(status & pts_event_pending)) {
		if (status & pts_eos)
			return -pte_eos;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
	}
	memset(event, 0, sizeof(*event));
	return status < 0 ? status : pt_insn_event(decoder, event, sizeof(*event));
}

static int find_of_blocks(const struct row *row, struct pt_event *event)
{
	struct pt_config config = over(row);
	enum pt_event_type wanted = row->wanted.type;
	struct pt_block_decoder *decoder;
	int status;

	config.flags.variant.block.enable_iflags_events = 1;
	decoder = pt_blk_alloc_decoder(&config);
	assert_int_equal(pt_image_set_callback(pt_blk_get_image(decoder), read_code, &wanted), 0);
	status = pt_blk_sync_set(decoder, 0);
	while (status >= 0 && event->type != wanted)
		status = next_of_blocks(decoder, status, event);
	pt_blk_free_decoder(decoder);
	return status;
}

static int find_of_instructions(const struct row *row, struct pt_event *event)
{
	struct pt_config config = over(row);
	enum pt_event_type wanted = row->wanted.type;
	struct pt_insn_decoder *decoder;
	int status;

	config.flags.variant.insn.enable_iflags_events = 1;
	decoder = pt_insn_alloc_decoder(&config);
	assert_int_equal(pt_image_set_callback(pt_insn_get_image(decoder), read_code, &wanted), 0);
	status = pt_insn_sync_set(decoder, 0);
	while (status >= 0 && event->type != wanted)
		status = next_of_instructions(decoder, status, event);
	pt_insn_free_decoder(decoder);
	return status;
}

/* The same events beside the code that ran; a PTWRITE without an address gets its instruction's. */
TEST(events_of_code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct row row = rows[i];

		if (row.wanted.type == ptev_tip || row.wanted.type == ptev_tnt)
			continue;
		if (row.wanted.type == ptev_ptwrite && !row.wanted.variant.ptwrite.ip)
			row.wanted.variant.ptwrite.ip = PLACE;
		for (int kind = 0; kind < 2; kind++) {
			struct pt_event event = { .type = ptev_tick };
			int status = kind ? find_of_instructions(&row, &event)
					  : find_of_blocks(&row, &event);

			if (status < 0)
				fail_msg("row %u, kind %d: status %d", (unsigned)i, kind, status);
			if (memcmp(&event.variant, &row.wanted.variant, sizeof(event.variant)) != 0)
				fail_msg("row %u, kind %d: another variant", (unsigned)i, kind);
		}
	}
}

/* A packet that is written again has the bytes that it was read from. */
TEST(packets_written_again)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct row copy = { .size = rows[i].size };
		struct pt_config from = over(&rows[i]), to = over(&copy);
		struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&from);
		struct pt_encoder *encoder = pt_alloc_encoder(&to);
		struct pt_packet packet;
		int status;

		assert_int_equal(pt_pkt_sync_set(decoder, 0), 0);
		while ((status = pt_pkt_next(decoder, &packet, sizeof(packet))) > 0)
			assert_int_equal(pt_enc_next(encoder, &packet), packet.size);
		assert_int_equal(status, -pte_eos);
		assert_memory_equal(copy.bytes, rows[i].bytes, copy.size);
		pt_free_encoder(encoder);
		pt_pkt_free_decoder(decoder);
	}
}

/* A packet that is cut short is the end, wherever the cut is. */
TEST(packets_cut_short)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct row cut = rows[i];
		uint64_t offset = 0, whole;

		for (cut.size = 0; cut.size < rows[i].size; cut.size++) {
			struct pt_config config = over(&cut);
			struct pt_packet_decoder *decoder;
			struct pt_packet packet;
			int status = 0;

			if (!cut.size)
				continue;
			decoder = pt_pkt_alloc_decoder(&config);
			assert_int_equal(pt_pkt_sync_set(decoder, 0), 0);
			for (whole = 0;
			     (status = pt_pkt_next(decoder, &packet, sizeof(packet))) > 0;)
				whole += packet.size;
			assert_int_equal(status, -pte_eos);
			assert_int_equal(pt_pkt_get_offset(decoder, &offset), 0);
			assert_int_equal(offset, whole);
			assert_true(whole <= cut.size);
			pt_pkt_free_decoder(decoder);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_packets), cmocka_unit_test(events_of_queries),
		cmocka_unit_test(events_of_code),    cmocka_unit_test(packets_written_again),
		cmocka_unit_test(packets_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
