/* SPDX-License-Identifier: Apache-2.0 */
/* Packets in the words of ptdump (12.1). */
#include "intel_pt/listing/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text/optional.h"

const char *tl_pt_packet_word(const struct tl_pt_packet *packet)
{
	if (packet->kind == TL_PT_PKT_MODE)
		return packet->mode.leaf == TL_PT_MODE_TSX ? "mode.tsx" : "mode.exec";
	if (packet->kind == TL_PT_PKT_INVALID)
		return "<invalid>";
	return tl_pt_packet_name(packet->kind);
}

enum { MOST_NAMES = 16 };

/* The name of a number, of at most MOST_NAMES; "unknown" for those that have none. */
static const char *name_of(const char *const names[MOST_NAMES], unsigned number)
{
	return number < MOST_NAMES && names[number] ? names[number] : "unknown";
}

const char *tl_pt_mode_name(enum tl_pt_exec_mode mode)
{
	static const char *const names[MOST_NAMES] = { "unknown", "16-bit", "32-bit", "64-bit" };

	return name_of(names, (unsigned)mode);
}

const char *tl_pt_iclass_name(int iclass)
{
	static const char *const names[MOST_NAMES] = {
		"unknown",  "other",      "call",     "return",  "jump",     "cond_jump",
		"far_call", "far_return", "far_jump", "ptwrite", "indirect",
	};

	return name_of(names, (unsigned)iclass);
}

/* Types of control flow events and of event data (3.3). */
const char *tl_pt_cfe_name(unsigned type)
{
	static const char *const names[MOST_NAMES] = {
		[1] = "intr",        [2] = "iret",       [3] = "smi",     [4] = "rsm",
		[5] = "sipi",        [6] = "init",       [7] = "vmentry", [8] = "vmexit",
		[9] = "vmexit_intr", [0xa] = "shutdown", [0xc] = "uintr", [0xd] = "uiret",
		[0xe] = "swintr",    [0xf] = "syscall",
	};

	return name_of(names, type);
}

const char *tl_pt_evd_name(unsigned type)
{
	static const char *const names[MOST_NAMES] = { "cr2", "vmxq", "vmxr" };

	return name_of(names, type);
}

/* ---- payloads ---- */

struct text {
	char *pos, *end;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *to, const char *format, ...)
{
	size_t room = (size_t)(to->end - to->pos);
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(to->pos, room, format, args);
	va_end(args);
	if (size > 0)
		to->pos += (size_t)size < room ? (size_t)size : room - 1;
}

/* Digits that were not sent are question marks (12.1). */
static void ip_payload(struct text *to, const struct tl_pt_packet *p)
{
	static const unsigned sent[8] = {
		[TL_PT_IPC_UPDATE_16] = 4,  [TL_PT_IPC_UPDATE_32] = 8, [TL_PT_IPC_SEXT_48] = 16,
		[TL_PT_IPC_UPDATE_48] = 12, [TL_PT_IPC_FULL] = 16,
	};
	unsigned digits = sent[p->ip.ipc & 7];
	uint64_t ip = p->ip.ip;

	add(to, "%x: %.*s", (unsigned)p->ip.ipc, (int)(16 - digits), "????????????????");
	if (p->ip.ipc == TL_PT_IPC_SEXT_48)
		ip = (uint64_t)((int64_t)(ip << 16) >> 16);
	else if (digits < 16)
		ip &= (UINT64_C(1) << (4 * digits)) - 1;
	if (digits)
		add(to, "%0*" PRIx64, (int)digits, ip);
}

static void tnt_payload(struct text *to, const struct tl_pt_packet *p)
{
	for (unsigned i = p->tnt.count; i; i--)
		add(to, "%c", p->tnt.bits >> (i - 1) & 1 ? '!' : '.');
}

static void mode_payload(struct text *to, const struct tl_pt_packet *p)
{
	const char *between = "";

	if (p->mode.leaf == TL_PT_MODE_TSX) {
		add(to, "%s%s%s", tl_text_if(p->mode.intx, "intx"),
		    tl_text_if(p->mode.intx && p->mode.abrt, ", "),
		    tl_text_if(p->mode.abrt, "abrt"));
		return;
	}
	if (p->mode.csl || p->mode.csd) {
		add(to, "%s", p->mode.csl ? "cs.l" : "cs.d");
		between = ", ";
	}
	if (p->mode.iflag)
		add(to, "%sif", between);
}

static void pip_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%" PRIx64 "%s", p->pip.cr3, tl_text_if(p->pip.nr, ", nr"));
}

static void vmcs_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%" PRIx64, p->vmcs.base);
}

static void cbr_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x", p->cbr.ratio);
}

static void tsc_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%" PRIx64, p->tsc.tsc);
}

static void tma_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x, %x", p->tma.ctc, p->tma.fc);
}

static void mtc_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x", p->mtc.ctc);
}

static void cyc_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%" PRIx64, p->cyc.value);
}

static void mnt_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%" PRIx64, p->mnt.payload);
}

static void exstop_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%s", tl_text_if(p->exstop.ip, "ip"));
}

static void mwait_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%08x, %08x", p->mwait.hints, p->mwait.ext);
}

/* States are stored as the state less one, modulo 16 (12.1). */
static void pwre_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "c%u.%u%s", (p->pwre.state + 1u) & 0xf, (p->pwre.sub_state + 1u) & 0xf,
	    tl_text_if(p->pwre.hw, ", hw"));
}

static void pwrx_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%s%s%sc%u, c%u", tl_text_if(p->pwrx.interrupt, "int: "),
	    tl_text_if(p->pwrx.store, "st: "), tl_text_if(p->pwrx.autonomous, "hw: "),
	    (p->pwrx.last + 1u) & 0xf, (p->pwrx.deepest + 1u) & 0xf);
}

static void ptw_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x: %" PRIx64 "%s", p->ptw.plc, p->ptw.payload, tl_text_if(p->ptw.ip, ", ip"));
}

/* Only some kinds have a vector; that of a SIPI is the number of a page. */
static void cfe_payload(struct text *to, const struct tl_pt_packet *p)
{
	enum { SIPI = 5 };
	static const bool has_vector[32] = {
		[1] = true, [SIPI] = true, [9] = true, [0xc] = true, [0xe] = true
	};

	add(to, "%u", p->cfe.type);
	if (p->cfe.type == SIPI)
		add(to, ": %x", p->cfe.vector);
	else if (has_vector[p->cfe.type & 31])
		add(to, ": %u", p->cfe.vector);
	add(to, "%s type %s", tl_text_if(p->cfe.ip, ", ip"), tl_pt_cfe_name(p->cfe.type));
}

static void evd_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%u: %" PRIx64 " type %s", p->evd.type, p->evd.payload,
	    tl_pt_evd_name(p->evd.type));
}

static void trig_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%02x%s%s", p->trig.trbv, tl_text_if(p->trig.ip, ", ip"),
	    tl_text_if(p->trig.mult, ", mult"));
	if (p->trig.icntv)
		add(to, ", icnt: %u", p->trig.icnt);
}

static void bbp_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x, %u bytes", p->bbp.type, p->bbp.short_items ? 4u : 8u);
}

static void bip_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%x: %" PRIx64, p->bip.id, p->bip.payload);
}

static void bep_payload(struct text *to, const struct tl_pt_packet *p)
{
	add(to, "%s", tl_text_if(p->bep.ip, "ip"));
}

static void (*const payloads[TL_PT_PKT_COUNT])(struct text *, const struct tl_pt_packet *) = {
	[TL_PT_PKT_FUP] = ip_payload,      [TL_PT_PKT_TIP] = ip_payload,
	[TL_PT_PKT_TIP_PGE] = ip_payload,  [TL_PT_PKT_TIP_PGD] = ip_payload,
	[TL_PT_PKT_TNT_8] = tnt_payload,   [TL_PT_PKT_TNT_64] = tnt_payload,
	[TL_PT_PKT_MODE] = mode_payload,   [TL_PT_PKT_PIP] = pip_payload,
	[TL_PT_PKT_VMCS] = vmcs_payload,   [TL_PT_PKT_CBR] = cbr_payload,
	[TL_PT_PKT_TSC] = tsc_payload,     [TL_PT_PKT_TMA] = tma_payload,
	[TL_PT_PKT_MTC] = mtc_payload,     [TL_PT_PKT_CYC] = cyc_payload,
	[TL_PT_PKT_MNT] = mnt_payload,     [TL_PT_PKT_EXSTOP] = exstop_payload,
	[TL_PT_PKT_MWAIT] = mwait_payload, [TL_PT_PKT_PWRE] = pwre_payload,
	[TL_PT_PKT_PWRX] = pwrx_payload,   [TL_PT_PKT_PTW] = ptw_payload,
	[TL_PT_PKT_CFE] = cfe_payload,     [TL_PT_PKT_EVD] = evd_payload,
	[TL_PT_PKT_TRIG] = trig_payload,   [TL_PT_PKT_BBP] = bbp_payload,
	[TL_PT_PKT_BIP] = bip_payload,     [TL_PT_PKT_BEP] = bep_payload,
};

void tl_pt_payload_text(char text[TL_PT_PAYLOAD_TEXT], const struct tl_pt_packet *packet)
{
	struct text to = { text, text + TL_PT_PAYLOAD_TEXT };

	*text = '\0';
	if ((unsigned)packet->kind < TL_PT_PKT_COUNT && payloads[packet->kind])
		payloads[packet->kind](&to, packet);
}
