/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of packets that were drawn, field by field, and written by the tables of
 * docs/formats/intel-pt.md, 4, byte by byte: the reader gives the same fields at the same offsets.
 * Items of a block are there where a block is open, whose rules are a list here.
 */
#include <stdlib.h>

#include "../stream.h"

#include "../../chance.h"

enum { ROUNDS = 400, MOST = 60, ROOM = 4096 };

struct drawn {
	uint8_t bytes[ROOM];
	size_t size;
	struct tl_pt_packet packets[MOST];
	uint64_t offsets[MOST];
	unsigned count;
	uint32_t seed;
	unsigned item_bytes; /* of the block that is open; 0: none is */
};

/* ---- bytes ---- */

static void put_byte(struct drawn *d, unsigned byte)
{
	assert_true(d->size < ROOM);
	d->bytes[d->size++] = (uint8_t)byte;
}

static void put_number(struct drawn *d, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		put_byte(d, number >> 8 * i & 0xff);
}

static uint64_t bits(struct drawn *d, unsigned count)
{
	const uint64_t number = chance_bits(&d->seed);

	return count ? number >> (64 - count) : 0;
}

static bool coin(struct drawn *d)
{
	return chance(&d->seed, 2);
}

/* ---- packets of each kind ---- */

typedef void draw_function(struct drawn *d, struct tl_pt_packet *p);

/* The stop bit, then the outcomes below it. */
static void draw_tnt_8(struct drawn *d, struct tl_pt_packet *p)
{
	p->tnt.count = (uint8_t)(1 + chance(&d->seed, 6));
	p->tnt.bits = bits(d, p->tnt.count);
	put_byte(d, (unsigned)((UINT64_C(1) << p->tnt.count | p->tnt.bits) << 1));
}

static void draw_tnt_64(struct drawn *d, struct tl_pt_packet *p)
{
	p->tnt.count = (uint8_t)(1 + chance(&d->seed, 47));
	p->tnt.bits = bits(d, p->tnt.count);
	put_number(d, 0xa302, 2);
	put_number(d, UINT64_C(1) << p->tnt.count | p->tnt.bits, 6);
}

static void draw_address(struct drawn *d, struct tl_pt_packet *p)
{
	static const struct {
		enum tl_pt_ipc code;
		unsigned bytes;
	} forms[] = {
		{ TL_PT_IPC_SUPPRESSED, 0 }, { TL_PT_IPC_UPDATE_16, 2 }, { TL_PT_IPC_UPDATE_32, 4 },
		{ TL_PT_IPC_SEXT_48, 6 },    { TL_PT_IPC_UPDATE_48, 6 }, { TL_PT_IPC_FULL, 8 },
	};
	static const uint8_t codes[] = { 0, 1, 2, 3, 4, 6 };
	const unsigned form = chance(&d->seed, 6);
	const unsigned low = p->kind == TL_PT_PKT_TIP       ? 0x0d
			     : p->kind == TL_PT_PKT_TIP_PGE ? 0x11
			     : p->kind == TL_PT_PKT_TIP_PGD ? 0x01
							    : 0x1d;

	p->ip.ipc = forms[form].code;
	p->ip.ip = bits(d, 8 * forms[form].bytes);
	put_byte(d, (unsigned)codes[form] << 5 | low);
	put_number(d, p->ip.ip, forms[form].bytes);
}

/* Of CS.L and CS.D both are never set, nor are InTX and Abort. */
static void draw_mode(struct drawn *d, struct tl_pt_packet *p)
{
	const unsigned which = chance(&d->seed, 3);

	put_byte(d, 0x99);
	if (coin(d)) {
		p->mode.leaf = TL_PT_MODE_TSX;
		p->mode.intx = which == 1;
		p->mode.abrt = which == 2;
		put_byte(d, 0x20 | which);
		return;
	}
	p->mode.leaf = TL_PT_MODE_EXEC;
	p->mode.csl = which == 1;
	p->mode.csd = which == 2;
	p->mode.iflag = coin(d);
	put_byte(d, which | (unsigned)p->mode.iflag << 2);
}

static void draw_tsc(struct drawn *d, struct tl_pt_packet *p)
{
	p->tsc.tsc = bits(d, 56);
	put_byte(d, 0x19);
	put_number(d, p->tsc.tsc, 7);
}

static void draw_mtc(struct drawn *d, struct tl_pt_packet *p)
{
	p->mtc.ctc = (uint8_t)bits(d, 8);
	put_byte(d, 0x59);
	put_byte(d, p->mtc.ctc);
}

static void draw_cyc(struct drawn *d, struct tl_pt_packet *p)
{
	uint64_t rest;

	p->cyc.value = bits(d, chance(&d->seed, 65));
	rest = p->cyc.value >> 5;
	put_byte(d, (unsigned)(p->cyc.value & 31) << 3 | (rest ? 4 : 0) | 3);
	for (; rest; rest >>= 7)
		put_byte(d, (unsigned)(rest & 127) << 1 | (rest >> 7 ? 1 : 0));
}

static void draw_trig(struct drawn *d, struct tl_pt_packet *p)
{
	p->trig.ip = coin(d);
	p->trig.icntv = coin(d);
	p->trig.mult = coin(d);
	p->trig.trbv = (uint8_t)bits(d, 8);
	put_byte(d, 0xd9);
	put_byte(d, (unsigned)p->trig.ip << 7 | (unsigned)p->trig.icntv << 6 |
			    (unsigned)p->trig.mult << 5);
	put_byte(d, p->trig.trbv);
	if (!p->trig.icntv)
		return;
	p->trig.icnt = (uint16_t)bits(d, 16);
	put_number(d, p->trig.icnt, 2);
}

/* Kinds that have no fields. */
static void draw_bare(struct drawn *d, struct tl_pt_packet *p)
{
	static const struct {
		enum tl_pt_packet_kind kind;
		unsigned second;
	} kinds[] = { { TL_PT_PKT_PSBEND, 0x23 },
		      { TL_PT_PKT_OVF, 0xf3 },
		      { TL_PT_PKT_STOP, 0x83 } };

	for (unsigned i = 0; i < 3; i++)
		if (kinds[i].kind == p->kind)
			put_number(d, 0x02 | kinds[i].second << 8, 2);
	if (p->kind == TL_PT_PKT_PAD)
		put_byte(d, 0);
	for (unsigned i = 0; p->kind == TL_PT_PKT_PSB && i < 8; i++)
		put_number(d, 0x8202, 2);
}

static void draw_pip(struct drawn *d, struct tl_pt_packet *p)
{
	p->pip.nr = coin(d);
	p->pip.cr3 = bits(d, 47) << 5;
	put_number(d, 0x4302, 2);
	put_number(d, p->pip.cr3 >> 5 << 1 | p->pip.nr, 6);
}

static void draw_cbr(struct drawn *d, struct tl_pt_packet *p)
{
	p->cbr.ratio = (uint8_t)bits(d, 8);
	put_number(d, 0x0302, 2);
	put_number(d, p->cbr.ratio, 2);
}

static void draw_tma(struct drawn *d, struct tl_pt_packet *p)
{
	p->tma.ctc = (uint16_t)bits(d, 16);
	p->tma.fc = (uint16_t)bits(d, 9);
	put_number(d, 0x7302, 2);
	put_number(d, p->tma.ctc, 3);
	put_number(d, p->tma.fc, 2);
}

static void draw_vmcs(struct drawn *d, struct tl_pt_packet *p)
{
	p->vmcs.base = bits(d, 40) << 12;
	put_number(d, 0xc802, 2);
	put_number(d, p->vmcs.base >> 12, 5);
}

static void draw_mnt(struct drawn *d, struct tl_pt_packet *p)
{
	p->mnt.payload = bits(d, 64);
	put_number(d, 0x88c302, 3);
	put_number(d, p->mnt.payload, 8);
}

static void draw_exstop(struct drawn *d, struct tl_pt_packet *p)
{
	p->exstop.ip = coin(d);
	put_number(d, p->exstop.ip ? 0xe202 : 0x6202, 2);
}

static void draw_mwait(struct drawn *d, struct tl_pt_packet *p)
{
	p->mwait.hints = (uint32_t)bits(d, 32);
	p->mwait.ext = (uint32_t)bits(d, 32);
	put_number(d, 0xc202, 2);
	put_number(d, p->mwait.hints, 4);
	put_number(d, p->mwait.ext, 4);
}

/* The hardware bit is written as bit 3 or as bit 7. */
static void draw_pwre(struct drawn *d, struct tl_pt_packet *p)
{
	p->pwre.state = (uint8_t)bits(d, 4);
	p->pwre.sub_state = (uint8_t)bits(d, 4);
	p->pwre.hw = coin(d);
	put_number(d, 0x2202, 2);
	put_number(d,
		   (uint64_t)p->pwre.state << 12 | (uint64_t)p->pwre.sub_state << 8 |
			   (p->pwre.hw ? (coin(d) ? 0x08 : 0x80) : 0),
		   2);
}

static void draw_pwrx(struct drawn *d, struct tl_pt_packet *p)
{
	p->pwrx.last = (uint8_t)bits(d, 4);
	p->pwrx.deepest = (uint8_t)bits(d, 4);
	p->pwrx.interrupt = coin(d);
	p->pwrx.store = coin(d);
	p->pwrx.autonomous = coin(d);
	put_number(d, 0xa202, 2);
	put_number(d,
		   p->pwrx.deepest | (unsigned)p->pwrx.last << 4 |
			   (unsigned)p->pwrx.interrupt << 8 | (unsigned)p->pwrx.store << 10 |
			   (unsigned)p->pwrx.autonomous << 11,
		   5);
}

static void draw_ptw(struct drawn *d, struct tl_pt_packet *p)
{
	p->ptw.plc = (uint8_t)chance(&d->seed, 2);
	p->ptw.ip = coin(d);
	p->ptw.payload = bits(d, p->ptw.plc ? 64 : 32);
	put_byte(d, 0x02);
	put_byte(d, 0x12 | (unsigned)p->ptw.plc << 5 | (unsigned)p->ptw.ip << 7);
	put_number(d, p->ptw.payload, p->ptw.plc ? 8 : 4);
}

static void draw_cfe(struct drawn *d, struct tl_pt_packet *p)
{
	p->cfe.type = (uint8_t)bits(d, 5);
	p->cfe.ip = coin(d);
	p->cfe.vector = (uint8_t)bits(d, 8);
	put_number(d, 0x1302, 2);
	put_byte(d, p->cfe.type | (unsigned)p->cfe.ip << 7);
	put_byte(d, p->cfe.vector);
}

static void draw_evd(struct drawn *d, struct tl_pt_packet *p)
{
	p->evd.type = (uint8_t)bits(d, 5);
	p->evd.payload = bits(d, 64);
	put_number(d, 0x5302, 2);
	put_byte(d, p->evd.type);
	put_number(d, p->evd.payload, 8);
}

static void draw_bbp(struct drawn *d, struct tl_pt_packet *p)
{
	p->bbp.type = (uint8_t)bits(d, 5);
	p->bbp.short_items = coin(d);
	put_number(d, 0x6302, 2);
	put_byte(d, p->bbp.type | (unsigned)p->bbp.short_items << 7);
	d->item_bytes = p->bbp.short_items ? 4 : 8;
}

static void draw_bip(struct drawn *d, struct tl_pt_packet *p)
{
	p->bip.id = (uint8_t)bits(d, 5);
	p->bip.payload = bits(d, 8 * d->item_bytes);
	put_byte(d, (unsigned)p->bip.id << 3 | 4);
	put_number(d, p->bip.payload, d->item_bytes);
}

static void draw_bep(struct drawn *d, struct tl_pt_packet *p)
{
	p->bep.ip = coin(d);
	put_number(d, p->bep.ip ? 0xb302 : 0x3302, 2);
}

/* "or at any of": what ends the items of a block. */
static const struct {
	enum tl_pt_packet_kind kind;
	draw_function *draw;
	bool ends_block;
} kinds[] = {
	{ TL_PT_PKT_PAD, draw_bare, false },       { TL_PT_PKT_PSB, draw_bare, true },
	{ TL_PT_PKT_PSBEND, draw_bare, true },     { TL_PT_PKT_OVF, draw_bare, true },
	{ TL_PT_PKT_STOP, draw_bare, true },       { TL_PT_PKT_FUP, draw_address, false },
	{ TL_PT_PKT_TIP, draw_address, true },     { TL_PT_PKT_TIP_PGE, draw_address, true },
	{ TL_PT_PKT_TIP_PGD, draw_address, true }, { TL_PT_PKT_TNT_8, draw_tnt_8, true },
	{ TL_PT_PKT_TNT_64, draw_tnt_64, true },   { TL_PT_PKT_MODE, draw_mode, true },
	{ TL_PT_PKT_PIP, draw_pip, true },         { TL_PT_PKT_VMCS, draw_vmcs, true },
	{ TL_PT_PKT_CBR, draw_cbr, false },        { TL_PT_PKT_TSC, draw_tsc, false },
	{ TL_PT_PKT_TMA, draw_tma, false },        { TL_PT_PKT_MTC, draw_mtc, false },
	{ TL_PT_PKT_CYC, draw_cyc, false },        { TL_PT_PKT_MNT, draw_mnt, false },
	{ TL_PT_PKT_EXSTOP, draw_exstop, false },  { TL_PT_PKT_MWAIT, draw_mwait, true },
	{ TL_PT_PKT_PWRE, draw_pwre, false },      { TL_PT_PKT_PWRX, draw_pwrx, false },
	{ TL_PT_PKT_PTW, draw_ptw, true },         { TL_PT_PKT_CFE, draw_cfe, false },
	{ TL_PT_PKT_EVD, draw_evd, false },        { TL_PT_PKT_TRIG, draw_trig, false },
	{ TL_PT_PKT_BBP, draw_bbp, false },        { TL_PT_PKT_BEP, draw_bep, true },
	{ TL_PT_PKT_BIP, draw_bip, false },
};

/*
 * Inside of a block a byte that ends with 100 is an item: of the outcomes, those whose last two are
 * 1 0 or whose only one is 0 cannot be told from it, and are not drawn there.
 */
static bool is_item_there(const struct drawn *d, const struct tl_pt_packet *p, size_t at)
{
	return d->item_bytes && p->kind == TL_PT_PKT_TNT_8 && (d->bytes[at] & 7) == 4;
}

static void draw_packet(struct drawn *d)
{
	const unsigned number = chance(&d->seed, sizeof(kinds) / sizeof(kinds[0]));
	struct tl_pt_packet *p = &d->packets[d->count];
	const size_t at = d->size;

	if (kinds[number].kind == TL_PT_PKT_BIP && !d->item_bytes)
		return;
	memset(p, 0, sizeof(*p));
	p->kind = kinds[number].kind;
	kinds[number].draw(d, p);
	p->size = (uint8_t)(d->size - at);
	if (is_item_there(d, p, at)) {
		d->size = at;
		return;
	}
	if (kinds[number].ends_block)
		d->item_bytes = 0;
	d->offsets[d->count++] = at;
}

/* ---- reading ---- */

static struct drawn *draw(uint32_t seed)
{
	struct drawn *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	d->seed = seed;
	d->packets[0] = (struct tl_pt_packet){ .kind = TL_PT_PKT_PSB, .size = 16 };
	draw_bare(d, &d->packets[d->count++]);
	while (d->count < MOST)
		draw_packet(d);
	return d;
}

static void check_packet(const struct drawn *d, struct tl_pt_packets *reader, unsigned number)
{
	struct tl_pt_packet packet;
	uint64_t offset;

	assert_int_equal(tl_pt_packets_offset(reader, &offset), 0);
	assert_int_equal(offset, d->offsets[number]);
	assert_int_equal(tl_pt_packets_next(reader, &packet, sizeof(packet)),
			 d->packets[number].size);
	if (memcmp(&packet, &d->packets[number], sizeof(packet)) != 0)
		fail_msg("packet %u, of kind %s, is %s", number,
			 tl_pt_packet_name(d->packets[number].kind),
			 tl_pt_packet_name(packet.kind));
}

TEST(fields_come_back)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct drawn *d = draw(seed);
		const struct tl_pt_config config = { .size = sizeof(config),
						     .begin = d->bytes,
						     .end = d->bytes + d->size };
		struct tl_pt_packet packet;
		struct tl_pt_packets *reader;

		assert_int_equal(tl_pt_packets_open(&reader, &config), 0);
		assert_ptr_equal(tl_pt_packets_config(reader)->begin, d->bytes);
		assert_int_equal(tl_pt_packets_sync_forward(reader), 0);
		for (unsigned i = 0; i < d->count; i++)
			check_packet(d, reader, i);
		assert_int_equal(tl_pt_packets_next(reader, &packet, sizeof(packet)), -TL_PT_EOS);
		tl_pt_packets_close(reader);
		free(d);
	}
}

/* What is written of the fields is read as the same ones; only a PWRE has two forms. */
TEST(fields_are_written)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct drawn *d = draw(seed);

		for (unsigned i = 0; i < d->count; i++) {
			const struct tl_pt_packet *p = &d->packets[i];
			uint8_t bytes[16];

			if (p->kind == TL_PT_PKT_BIP)
				continue;
			assert_int_equal(tl_pt_packet_write(bytes, sizeof(bytes), p, sizeof(*p)),
					 p->size);
			if (p->kind != TL_PT_PKT_PWRE)
				assert_memory_equal(bytes, d->bytes + d->offsets[i], p->size);
		}
		free(d);
	}
}

/* Where the trace ends inside of a packet, all before it are there, and it is the end. */
TEST(every_prefix)
{
	struct drawn *d = draw(7);

	for (size_t size = 16; size <= d->size; size++) {
		uint8_t *exact = test_malloc(size);
		const struct tl_pt_config config = { .size = sizeof(config),
						     .begin = exact,
						     .end = exact + size };
		struct tl_pt_packet packet;
		struct tl_pt_packets *reader;
		unsigned whole = 0;

		memcpy(exact, d->bytes, size);
		assert_int_equal(tl_pt_packets_open(&reader, &config), 0);
		assert_int_equal(tl_pt_packets_sync_forward(reader), 0);
		while (whole < d->count && d->offsets[whole] + d->packets[whole].size <= size)
			check_packet(d, reader, whole++);
		assert_int_equal(tl_pt_packets_next(reader, &packet, sizeof(packet)), -TL_PT_EOS);
		tl_pt_packets_close(reader);
		test_free(exact);
	}
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_come_back),
		cmocka_unit_test(fields_are_written),
		cmocka_unit_test(every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
