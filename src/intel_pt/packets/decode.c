/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to a packet (4). Payload functions are called with all bytes of the packet present. */
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"
#include "intel_pt/packets/sized.h"
#include "core/arithmetic.h"

typedef int payload_fn(struct tl_pt_packet *packet, const uint8_t *p);

static uint64_t get48(const uint8_t *p)
{
	return tl_le32(p) | (uint64_t)tl_le16(p + 4) << 32;
}

static uint64_t get40(const uint8_t *p)
{
	return tl_le32(p) | (uint64_t)p[4] << 32;
}

/* A TNT payload: the outcomes are the bits below the highest 1 (4.1, 4.2). */
static int outcomes(struct tl_pt_packet *packet, uint64_t payload)
{
	unsigned top;

	if (payload < 2)
		return -TL_PT_BAD_PACKET;
	top = 63 - (unsigned)__builtin_clzll(payload);
	packet->tnt.count = (uint8_t)top;
	packet->tnt.bits = payload ^ UINT64_C(1) << top;
	return 0;
}

static int tnt_8(struct tl_pt_packet *packet, const uint8_t *p)
{
	return outcomes(packet, p[0] >> 1);
}

static int tnt_64(struct tl_pt_packet *packet, const uint8_t *p)
{
	return outcomes(packet, get48(p + 2));
}

static int ip(struct tl_pt_packet *packet, const uint8_t *p)
{
	unsigned code = p[0] >> 5;

	packet->ip.ipc = code;
	/* The bytes of the packet alone, without those of the address before. */
	packet->ip.ip = code == TL_PT_IPC_SEXT_48 ? get48(p + 1) : tl_pt_apply_ip(p + 1, code, 0);
	return 0;
}

static int mode(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->mode.leaf = p[1] & 0xe0;
	switch (packet->mode.leaf) {
	case TL_PT_MODE_EXEC:
		packet->mode.csl = p[1] & 1;
		packet->mode.csd = p[1] & 2;
		packet->mode.iflag = p[1] & 4;
		return 0;
	case TL_PT_MODE_TSX:
		packet->mode.intx = p[1] & 1;
		packet->mode.abrt = p[1] & 2;
		return 0;
	}
	return -TL_PT_BAD_PACKET;
}

static int pip(struct tl_pt_packet *packet, const uint8_t *p)
{
	uint64_t v = get48(p + 2);

	packet->pip.cr3 = v >> 1 << 5;
	packet->pip.nr = v & 1;
	return 0;
}

static int vmcs(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->vmcs.base = get40(p + 2) << 12;
	return 0;
}

static int tsc(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->tsc.tsc = tl_le64(p) >> 8;
	return 0;
}

static int cbr(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->cbr.ratio = p[2];
	return 0;
}

static int tma(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->tma.ctc = tl_le16(p + 2);
	packet->tma.fc = tl_le16(p + 5);
	return p[4] || packet->tma.fc > 0x1ff ? -TL_PT_BAD_PACKET : 0;
}

static int mtc(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->mtc.ctc = p[1];
	return 0;
}

static int mnt(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->mnt.payload = tl_le64(p + 3);
	return 0;
}

static int exstop(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->exstop.ip = p[1] & 0x80;
	return 0;
}

static int mwait(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->mwait.hints = tl_le32(p + 2);
	packet->mwait.ext = tl_le32(p + 6);
	return 0;
}

/* Two positions of the hardware bit are known (9.17). */
static int pwre(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->pwre.state = p[3] >> 4;
	packet->pwre.sub_state = p[3] & 15;
	packet->pwre.hw = p[2] & 0x88;
	return 0;
}

static int pwrx(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->pwrx.last = p[2] >> 4;
	packet->pwrx.deepest = p[2] & 15;
	packet->pwrx.interrupt = p[3] & 1;
	packet->pwrx.store = p[3] & 4;
	packet->pwrx.autonomous = p[3] & 8;
	return 0;
}

static int ptw(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->ptw.plc = p[1] >> 5 & 3;
	packet->ptw.ip = p[1] & 0x80;
	packet->ptw.payload = packet->ptw.plc ? tl_le64(p + 2) : tl_le32(p + 2);
	return 0;
}

static int cfe(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->cfe.type = p[2] & 0x1f;
	packet->cfe.ip = p[2] & 0x80;
	packet->cfe.vector = p[3];
	return 0;
}

static int evd(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->evd.type = p[2] & 0x3f;
	packet->evd.payload = tl_le64(p + 3);
	return 0;
}

static int trig(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->trig.ip = p[1] & 0x80;
	packet->trig.icntv = p[1] & 0x40;
	packet->trig.mult = p[1] & 0x20;
	packet->trig.trbv = p[2];
	packet->trig.icnt = packet->trig.icntv ? tl_le16(p + 3) : 0;
	return 0;
}

static int bbp(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->bbp.type = p[2] & 0x1f;
	packet->bbp.short_items = p[2] & 0x80;
	return 0;
}

static int bep(struct tl_pt_packet *packet, const uint8_t *p)
{
	packet->bep.ip = p[1] & 0x80;
	return 0;
}

static int psb(struct tl_pt_packet *packet, const uint8_t *p)
{
	(void)packet;
	return tl_pt_is_psb(p, p + TL_PT_PSB_BYTES) ? 0 : -TL_PT_BAD_PACKET;
}

static payload_fn *const payloads[TL_PT_PKT_COUNT] = {
	[TL_PT_PKT_PSB] = psb,       [TL_PT_PKT_FUP] = ip,      [TL_PT_PKT_TIP] = ip,
	[TL_PT_PKT_TIP_PGE] = ip,    [TL_PT_PKT_TIP_PGD] = ip,  [TL_PT_PKT_TNT_8] = tnt_8,
	[TL_PT_PKT_TNT_64] = tnt_64, [TL_PT_PKT_MODE] = mode,   [TL_PT_PKT_PIP] = pip,
	[TL_PT_PKT_VMCS] = vmcs,     [TL_PT_PKT_CBR] = cbr,     [TL_PT_PKT_TSC] = tsc,
	[TL_PT_PKT_TMA] = tma,       [TL_PT_PKT_MTC] = mtc,     [TL_PT_PKT_MNT] = mnt,
	[TL_PT_PKT_EXSTOP] = exstop, [TL_PT_PKT_MWAIT] = mwait, [TL_PT_PKT_PWRE] = pwre,
	[TL_PT_PKT_PWRX] = pwrx,     [TL_PT_PKT_PTW] = ptw,     [TL_PT_PKT_CFE] = cfe,
	[TL_PT_PKT_EVD] = evd,       [TL_PT_PKT_TRIG] = trig,   [TL_PT_PKT_BBP] = bbp,
	[TL_PT_PKT_BEP] = bep,
};

/*
 * CYC: the value is bits 7:3 of the first byte and bits 7:1 of each further one; bit 2, then bit 0,
 * is set if another byte follows (4.1).
 */
static int cyc(struct tl_pt_packet *packet, const uint8_t *p, size_t left)
{
	bool more = p[0] & 4;
	unsigned shift = 5;
	size_t size = 1;

	packet->cyc.value = p[0] >> 3;
	for (; more; size++, shift += 7) {
		uint64_t bits;

		if (size == left)
			return -TL_PT_EOS;
		if (size == TL_PT_CYC_MAX)
			return -TL_PT_BAD_PACKET;
		bits = p[size] >> 1;
		if (bits && (shift > 63 || bits << shift >> shift != bits))
			return -TL_PT_BAD_PACKET;
		packet->cyc.value |= shift > 63 ? 0 : bits << shift;
		more = p[size] & 1;
	}
	return (int)size;
}

/* BIP: an item of a block (4.2). */
static int item(struct tl_pt_packet *packet, const uint8_t *p, size_t left, enum tl_pt_items items)
{
	size_t size = items == TL_PT_ITEMS_4 ? 5 : 9;

	if (size > left)
		return -TL_PT_EOS;
	packet->bip.id = p[0] >> 3;
	packet->bip.payload = size == 5 ? tl_le32(p + 1) : tl_le64(p + 1);
	return (int)size;
}

static int unknown(const uint8_t *pos, const uint8_t *end, const struct tl_pt_config *config)
{
	int size;

	if (!config || !config->unknown)
		return -TL_PT_BAD_OPC;
	size = config->unknown(config->unknown_arg, pos, end);
	if (size < 0)
		return size;
	if (!size || size > UINT8_MAX)
		return -TL_PT_INVALID;
	return size > end - pos ? -TL_PT_EOS : size;
}

/*
 * SKZ84 (7): a TMA with reserved bits set is corrupt, and one stray byte follows it. It becomes a
 * packet of kind INVALID, which has no effect.
 */
static bool corrupt_tma(const struct tl_pt_packet *packet, const uint8_t *pos,
			const struct tl_pt_config *config)
{
	return packet->kind == TL_PT_PKT_TMA && config && config->errata & TL_PT_SKZ84 &&
	       (pos[4] || pos[6] & 0xfe);
}

/* The size of a packet that does not follow from its opcode. */
static int odd_size(struct tl_pt_packet *packet, const uint8_t *pos, const uint8_t *end)
{
	size_t left = (size_t)(end - pos);

	if (packet->kind == TL_PT_PKT_CYC)
		return cyc(packet, pos, left);
	if (packet->kind == TL_PT_PKT_TRIG) {
		if (left < 2)
			return -TL_PT_EOS;
		return pos[1] & 0x40 ? 5 : 3;
	}
	/* Reserved compression codes and PTWRITE sizes. */
	return -TL_PT_BAD_PACKET;
}

static void items_after(struct tl_pt_context *context, const struct tl_pt_packet *packet)
{
	if (packet->kind == TL_PT_PKT_BBP)
		context->items = packet->bbp.short_items ? TL_PT_ITEMS_4 : TL_PT_ITEMS_8;
	else if (context->items && tl_pt_ends_block(packet->kind))
		context->items = TL_PT_ITEMS_NONE;
}

bool tl_pt_ends_block(enum tl_pt_packet_kind kind)
{
	const uint64_t ends = 1u << TL_PT_PKT_TNT_8 | 1u << TL_PT_PKT_TNT_64 | 1u << TL_PT_PKT_TIP |
			      1u << TL_PT_PKT_TIP_PGE | 1u << TL_PT_PKT_TIP_PGD |
			      1u << TL_PT_PKT_MODE | 1u << TL_PT_PKT_PIP | 1u << TL_PT_PKT_OVF |
			      1u << TL_PT_PKT_VMCS | 1u << TL_PT_PKT_STOP | 1u << TL_PT_PKT_PSB |
			      1u << TL_PT_PKT_PSBEND | 1u << TL_PT_PKT_PTW | 1u << TL_PT_PKT_MWAIT |
			      UINT64_C(1) << TL_PT_PKT_BEP;

	return ends >> kind & 1;
}

/*
 * Fast path of tl_pt_decode() for short TNT and IP packets, which are nine of ten. It equals the
 * payload functions of these kinds. Returns the size, or 0: another packet.
 */
static int common(struct tl_pt_packet *packet, const uint8_t *pos, const uint8_t *end)
{
	struct tl_pt_opcode op = tl_pt_opcodes[*pos];

	if (op.kind == TL_PT_PKT_TNT_8) {
		packet->tnt.count = (uint8_t)(30 - __builtin_clz(*pos));
		packet->tnt.bits = (uint64_t)(*pos >> 1) ^ UINT64_C(1) << packet->tnt.count;
	} else if (op.kind >= TL_PT_PKT_FUP && op.kind <= TL_PT_PKT_TIP_PGD && op.size &&
		   op.size <= end - pos) {
		ip(packet, pos);
	} else {
		return 0;
	}
	packet->kind = op.kind;
	packet->size = op.size;
	return op.size;
}

int tl_pt_decode(struct tl_pt_packet *packet, const uint8_t *pos, const uint8_t *end,
		 struct tl_pt_context *context)
{
	struct tl_pt_opcode op;
	int size;

	if (pos == end)
		return -TL_PT_EOS;
	memset(packet, 0, sizeof(*packet));
	if (!context->items && (size = common(packet, pos, end)) != 0)
		return size;
	if (context->items && (*pos & 7) == 4) {
		size = item(packet, pos, (size_t)(end - pos), context->items);
		packet->kind = TL_PT_PKT_BIP;
		packet->size = (uint8_t)tl_max(0, size);
		return size;
	}
	op = tl_pt_opcodes[*pos];
	if (*pos == TL_PT_OPC_EXT) {
		if (end - pos < 2)
			return -TL_PT_EOS;
		op = tl_pt_extended[pos[1]];
		if (op.kind == TL_PT_PKT_MNT && end - pos > 2 && pos[2] != 0x88)
			op.kind = TL_PT_PKT_INVALID;
	}
	packet->kind = op.kind;
	size = op.kind == TL_PT_PKT_INVALID ? unknown(pos, end, context->config) : op.size;
	if (op.kind == TL_PT_PKT_INVALID && size > 0)
		packet->kind = TL_PT_PKT_UNKNOWN;
	if (!size)
		size = odd_size(packet, pos, end);
	if (size > end - pos)
		return -TL_PT_EOS;
	if (size > 0 && corrupt_tma(packet, pos, context->config)) {
		packet->kind = TL_PT_PKT_INVALID;
		size = size < end - pos ? size + 1 : -TL_PT_EOS;
	} else if (size > 0 && payloads[packet->kind]) {
		int status = payloads[packet->kind](packet, pos);

		size = status < 0 ? status : size;
	} else if (op.kind == TL_PT_PKT_CYC && size == 1) {
		packet->cyc.value = *pos >> 3;
	}
	if (size > 0) {
		packet->size = (uint8_t)size;
		items_after(context, packet);
	}
	return size;
}

int tl_pt_packet_read(struct tl_pt_packet *packet, size_t size, const uint8_t *pos,
		      const uint8_t *end)
{
	struct tl_pt_context context = { NULL, TL_PT_ITEMS_NONE };
	struct tl_pt_packet ours = { 0 };

	if (size < sizeof(ours))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(tl_pt_decode(&ours, pos, end, &context), packet, size, &ours,
				sizeof(ours));
}
