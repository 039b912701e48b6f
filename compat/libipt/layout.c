/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and offsets that programs were built with (docs/formats/intel-pt.md, 3.2; x86-64). */
#include "compat.h"

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), "size of " #type)
#define AT(type, field, offset)                                                                    \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)

SIZE(pt_version, 16);
AT(pt_version, patch, 2);
AT(pt_version, build, 4);
AT(pt_version, ext, 8);

SIZE(pt_cpu, 8);
AT(pt_cpu, family, 4);
AT(pt_cpu, model, 6);
AT(pt_cpu, stepping, 7);
SIZE(pt_errata, 64);
SIZE(pt_conf_flags, 16);
SIZE(pt_conf_addr_filter, 136);
AT(pt_conf_addr_filter, addr0_a, 8);
AT(pt_conf_addr_filter, addr3_b, 64);
AT(pt_conf_addr_filter, reserved, 72);

SIZE(pt_config, 280);
AT(pt_config, begin, 8);
AT(pt_config, end, 16);
AT(pt_config, decode.callback, 24);
AT(pt_config, decode.context, 32);
AT(pt_config, cpu, 40);
AT(pt_config, errata, 48);
AT(pt_config, cpuid_0x15_eax, 112);
AT(pt_config, cpuid_0x15_ebx, 116);
AT(pt_config, mtc_freq, 120);
AT(pt_config, nom_freq, 121);
AT(pt_config, flags, 124);
AT(pt_config, addr_filter, 144);

SIZE(pt_asid, 24);
AT(pt_asid, cr3, 8);
AT(pt_asid, vmcs, 16);

SIZE(pt_packet, 24);
AT(pt_packet, size, 4);
AT(pt_packet, payload, 8);
AT(pt_packet, payload.tnt.payload, 16);
AT(pt_packet, payload.ip.ip, 16);
AT(pt_packet, payload.mode.bits, 12);
AT(pt_packet, payload.tma.fc, 10);
AT(pt_packet, payload.mwait.ext, 12);
AT(pt_packet, payload.pwre.sub_state, 9);
AT(pt_packet, payload.pwrx.deepest, 9);
AT(pt_packet, payload.ptw.plc, 16);
AT(pt_packet, payload.cfe.vector, 12);
AT(pt_packet, payload.evd.payload, 16);

/* 64 bytes for callers of 2.0.5, by their size argument; the variants they know end at byte 64. */
SIZE(pt_event, 72);
AT(pt_event, tsc, 8);
AT(pt_event, lost_mtc, 16);
AT(pt_event, lost_cyc, 20);
AT(pt_event, reserved, 24);
AT(pt_event, variant, 40);
AT(pt_event, variant.async_disabled.ip, 48);
AT(pt_event, variant.async_paging.ip, 56);
AT(pt_event, variant.exec_mode.ip, 48);
AT(pt_event, variant.async_vmcs.ip, 48);
AT(pt_event, variant.mwait.hints, 48);
AT(pt_event, variant.mwait.ext, 52);
AT(pt_event, variant.pwrx.deepest, 41);
AT(pt_event, variant.ptwrite.size, 48);
AT(pt_event, variant.ptwrite.payload, 56);
AT(pt_event, variant.vmexit.ip, 64);

SIZE(pt_insn, 40);
AT(pt_insn, isid, 8);
AT(pt_insn, mode, 12);
AT(pt_insn, iclass, 16);
AT(pt_insn, raw, 20);
AT(pt_insn, size, 35);

SIZE(pt_block, 48);
AT(pt_block, end_ip, 8);
AT(pt_block, isid, 16);
AT(pt_block, mode, 20);
AT(pt_block, iclass, 24);
AT(pt_block, ninsn, 28);
AT(pt_block, raw, 30);
AT(pt_block, size, 45);
/* Bit-fields follow `size` at once; block.c hands our structure out as it is. */
_Static_assert(sizeof(struct tl_pt_block) == sizeof(struct pt_block), "block");
_Static_assert(offsetof(struct tl_pt_block, end_ip) == 8 &&
		       offsetof(struct tl_pt_block, isid) == 16 &&
		       offsetof(struct tl_pt_block, mode) == 20 &&
		       offsetof(struct tl_pt_block, iclass) == 24 &&
		       offsetof(struct tl_pt_block, ninsn) == 28 &&
		       offsetof(struct tl_pt_block, raw) == 30 &&
		       offsetof(struct tl_pt_block, size) == 45 &&
		       offsetof(struct tl_pt_block, flags) == 46,
	       "block");

/* Numbers that are handed through as they are. */
_Static_assert((int)TL_PT_BAD_CPU == pte_bad_cpu && (int)TL_PT_EVENT_IGNORED == pte_event_ignored &&
		       (int)TL_PT_NOMAP == pte_nomap && (int)TL_PT_EOS == pte_eos,
	       "errors");
_Static_assert((int)TL_PT_EVENT_PENDING == pts_event_pending &&
		       (int)TL_PT_END_OF_STREAM == pts_eos &&
		       (int)TL_PT_STATUS_IP_SUPPRESSED == pts_ip_suppressed,
	       "status");
_Static_assert((int)TL_PT_PKT_TNT_64 == ppt_tnt_64 && (int)TL_PT_PKT_PTW == ppt_ptw &&
		       (int)TL_PT_PKT_TRIG == ppt_trig,
	       "packets");
_Static_assert((int)TL_PT_EV_MNT == ptev_mnt && (int)TL_PT_EV_SYSCALL == ptev_syscall, "events");
_Static_assert((int)TL_PT_IC_INDIRECT == ptic_indirect && (int)TL_PT_IC_PTWRITE == ptic_ptwrite,
	       "classes");
_Static_assert((int)TL_PT_MODE_64 == ptem_64bit && (int)TL_PT_MODE_UNKNOWN == ptem_unknown,
	       "modes");
_Static_assert((int)TL_PT_IPC_FULL == pt_ipc_full && (int)TL_PT_IPC_UPDATE_48 == pt_ipc_update_48,
	       "compression");
