/* SPDX-License-Identifier: Apache-2.0 */
/* A packet to its bytes (4). */
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"
#include "intel_pt/packets/sized.h"

/* The bytes of one packet, written low byte first. */
struct bytes {
	uint8_t data[TL_PT_MAX_BYTES];
	size_t count;
};

typedef int write_fn(struct bytes *out, const struct tl_pt_packet *packet);

/* A flag as bit `number`. */
static unsigned bit(bool set, unsigned number)
{
	return (unsigned)set << number;
}

static int put(struct bytes *out, uint64_t value, size_t count)
{
	for (; count; count--, value >>= 8)
		out->data[out->count++] = (uint8_t)value;
	return 0;
}

static int extended(struct bytes *out, unsigned second)
{
	put(out, TL_PT_OPC_EXT, 1);
	return put(out, second, 1);
}

static int pad(struct bytes *out, const struct tl_pt_packet *packet)
{
	(void)packet;
	return put(out, TL_PT_OPC_PAD, 1);
}

static int psb(struct bytes *out, const struct tl_pt_packet *packet)
{
	(void)packet;
	for (int i = 0; i < TL_PT_PSB_BYTES / 2; i++)
		extended(out, 0x82);
	return 0;
}

static int ip(struct bytes *out, const struct tl_pt_packet *packet)
{
	static const uint8_t opcodes[TL_PT_PKT_COUNT] = {
		[TL_PT_PKT_FUP] = TL_PT_OPC_FUP,
		[TL_PT_PKT_TIP] = TL_PT_OPC_TIP,
		[TL_PT_PKT_TIP_PGE] = TL_PT_OPC_TIP_PGE,
		[TL_PT_PKT_TIP_PGD] = TL_PT_OPC_TIP_PGD,
	};
	unsigned code = packet->ip.ipc;

	if (code > 7 || tl_pt_ip_bytes[code] == TL_PT_IP_RESERVED)
		return -TL_PT_INVALID;
	put(out, opcodes[packet->kind] | code << 5, 1);
	return put(out, packet->ip.ip, tl_pt_ip_bytes[code]);
}

static uint64_t stopped(const struct tl_pt_packet *packet)
{
	uint64_t stop = UINT64_C(1) << packet->tnt.count;

	return stop | (packet->tnt.bits & (stop - 1));
}

static int tnt_8(struct bytes *out, const struct tl_pt_packet *packet)
{
	if (packet->tnt.count < 1 || packet->tnt.count > 6)
		return -TL_PT_BAD_PACKET;
	return put(out, stopped(packet) << 1, 1);
}

static int tnt_64(struct bytes *out, const struct tl_pt_packet *packet)
{
	if (packet->tnt.count < 1 || packet->tnt.count > 47)
		return -TL_PT_INVALID;
	extended(out, 0xa3);
	return put(out, stopped(packet), 6);
}

static int mode(struct bytes *out, const struct tl_pt_packet *packet)
{
	unsigned bits = 0;

	if (packet->mode.leaf == TL_PT_MODE_EXEC)
		bits = bit(packet->mode.csl, 0) | bit(packet->mode.csd, 1) |
		       bit(packet->mode.iflag, 2);
	else if (packet->mode.leaf == TL_PT_MODE_TSX)
		bits = bit(packet->mode.intx, 0) | bit(packet->mode.abrt, 1);
	else
		return -TL_PT_INVALID;
	put(out, TL_PT_OPC_MODE, 1);
	return put(out, packet->mode.leaf | bits, 1);
}

static int pip(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x43);
	return put(out, packet->pip.cr3 >> 5 << 1 | packet->pip.nr, 6);
}

static int vmcs(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0xc8);
	return put(out, packet->vmcs.base >> 12, 5);
}

static int tsc(struct bytes *out, const struct tl_pt_packet *packet)
{
	put(out, TL_PT_OPC_TSC, 1);
	return put(out, packet->tsc.tsc, 7);
}

static int cbr(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x03);
	return put(out, packet->cbr.ratio, 2);
}

static int tma(struct bytes *out, const struct tl_pt_packet *packet)
{
	if (packet->tma.fc > 0x1ff)
		return -TL_PT_BAD_PACKET;
	extended(out, 0x73);
	put(out, packet->tma.ctc, 3);
	return put(out, packet->tma.fc, 2);
}

static int mtc(struct bytes *out, const struct tl_pt_packet *packet)
{
	put(out, TL_PT_OPC_MTC, 1);
	return put(out, packet->mtc.ctc, 1);
}

static int cyc(struct bytes *out, const struct tl_pt_packet *packet)
{
	uint64_t value = packet->cyc.value >> 5;

	put(out, (packet->cyc.value & 0x1f) << 3 | bit(value != 0, 2) | TL_PT_OPC_CYC, 1);
	for (; value; value >>= 7)
		put(out, (value & 0x7f) << 1 | bit(value >> 7 != 0, 0), 1);
	return 0;
}

static int no_payload(struct bytes *out, const struct tl_pt_packet *packet)
{
	static const uint8_t seconds[TL_PT_PKT_COUNT] = {
		[TL_PT_PKT_PSBEND] = 0x23,
		[TL_PT_PKT_STOP] = 0x83,
		[TL_PT_PKT_OVF] = 0xf3,
	};

	return extended(out, seconds[packet->kind]);
}

static int mnt(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0xc3);
	put(out, 0x88, 1);
	return put(out, packet->mnt.payload, 8);
}

static int exstop(struct bytes *out, const struct tl_pt_packet *packet)
{
	return extended(out, packet->exstop.ip ? 0xe2 : 0x62);
}

static int mwait(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0xc2);
	put(out, packet->mwait.hints, 4);
	return put(out, packet->mwait.ext, 4);
}

/* The hardware bit has two known positions; this is the one of the published encoder (9.17). */
static int pwre(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x22);
	put(out, bit(packet->pwre.hw, 3), 1);
	return put(out, (packet->pwre.state & 15u) << 4 | (packet->pwre.sub_state & 15u), 1);
}

static int pwrx(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0xa2);
	put(out, (packet->pwrx.last & 15u) << 4 | (packet->pwrx.deepest & 15u), 1);
	return put(out,
		   bit(packet->pwrx.interrupt, 0) | bit(packet->pwrx.store, 2) |
			   bit(packet->pwrx.autonomous, 3),
		   4);
}

static int ptw(struct bytes *out, const struct tl_pt_packet *packet)
{
	if (packet->ptw.plc > 1)
		return -TL_PT_BAD_PACKET;
	extended(out, 0x12u | (unsigned)packet->ptw.plc << 5 | bit(packet->ptw.ip, 7));
	return put(out, packet->ptw.payload, packet->ptw.plc ? 8 : 4);
}

static int cfe(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x13);
	put(out, (packet->cfe.type & 0x1fu) | bit(packet->cfe.ip, 7), 1);
	return put(out, packet->cfe.vector, 1);
}

static int evd(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x53);
	put(out, packet->evd.type & 0x3fu, 1);
	return put(out, packet->evd.payload, 8);
}

static int trig(struct bytes *out, const struct tl_pt_packet *packet)
{
	put(out, TL_PT_OPC_TRIG, 1);
	put(out, bit(packet->trig.ip, 7) | bit(packet->trig.icntv, 6) | bit(packet->trig.mult, 5),
	    1);
	put(out, packet->trig.trbv, 1);
	return put(out, packet->trig.icnt, packet->trig.icntv ? 2 : 0);
}

static int bbp(struct bytes *out, const struct tl_pt_packet *packet)
{
	extended(out, 0x63);
	return put(out, (packet->bbp.type & 0x1fu) | bit(packet->bbp.short_items, 7), 1);
}

static int bip(struct bytes *out, const struct tl_pt_packet *packet)
{
	if (packet->size != 5 && packet->size != 9)
		return -TL_PT_BAD_PACKET;
	put(out, (packet->bip.id & 0x1fu) << 3 | 4, 1);
	return put(out, packet->bip.payload, packet->size - 1u);
}

static int bep(struct bytes *out, const struct tl_pt_packet *packet)
{
	return extended(out, packet->bep.ip ? 0xb3 : 0x33);
}

static write_fn *const writers[TL_PT_PKT_COUNT] = {
	[TL_PT_PKT_PAD] = pad,        [TL_PT_PKT_PSB] = psb,     [TL_PT_PKT_PSBEND] = no_payload,
	[TL_PT_PKT_FUP] = ip,         [TL_PT_PKT_TIP] = ip,      [TL_PT_PKT_TIP_PGE] = ip,
	[TL_PT_PKT_TIP_PGD] = ip,     [TL_PT_PKT_TNT_8] = tnt_8, [TL_PT_PKT_TNT_64] = tnt_64,
	[TL_PT_PKT_MODE] = mode,      [TL_PT_PKT_PIP] = pip,     [TL_PT_PKT_VMCS] = vmcs,
	[TL_PT_PKT_CBR] = cbr,        [TL_PT_PKT_TSC] = tsc,     [TL_PT_PKT_TMA] = tma,
	[TL_PT_PKT_MTC] = mtc,        [TL_PT_PKT_CYC] = cyc,     [TL_PT_PKT_STOP] = no_payload,
	[TL_PT_PKT_OVF] = no_payload, [TL_PT_PKT_MNT] = mnt,     [TL_PT_PKT_EXSTOP] = exstop,
	[TL_PT_PKT_MWAIT] = mwait,    [TL_PT_PKT_PWRE] = pwre,   [TL_PT_PKT_PWRX] = pwrx,
	[TL_PT_PKT_PTW] = ptw,        [TL_PT_PKT_CFE] = cfe,     [TL_PT_PKT_EVD] = evd,
	[TL_PT_PKT_TRIG] = trig,      [TL_PT_PKT_BBP] = bbp,     [TL_PT_PKT_BIP] = bip,
	[TL_PT_PKT_BEP] = bep,
};

int tl_pt_encode(uint8_t *pos, size_t room, const struct tl_pt_packet *packet)
{
	struct bytes out = { .count = 0 };
	int status;

	if ((unsigned)packet->kind >= TL_PT_PKT_COUNT || !writers[packet->kind])
		return -TL_PT_BAD_OPC;
	status = writers[packet->kind](&out, packet);
	if (status < 0)
		return status;
	if (out.count > room)
		return -TL_PT_EOS;
	memcpy(pos, out.data, out.count);
	return (int)out.count;
}

int tl_pt_packet_write(uint8_t *pos, size_t room, const struct tl_pt_packet *packet, size_t size)
{
	struct tl_pt_packet ours;

	if (size < sizeof(ours))
		return -TL_PT_INVALID;
	tl_take(&ours, sizeof(ours), packet, size);
	return tl_pt_encode(pos, room, &ours);
}
