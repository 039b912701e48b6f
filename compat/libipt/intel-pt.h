/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTEL_PT_H
#define INTEL_PT_H
/**
 * @file
 * The interface of libipt 2.x, as its published documentation describes it, served by tracelathe.
 *
 * Structures, numbers and functions are those that programs for libipt know, byte for byte
 * (docs/libipt.md says how that is tested, and what differs in behaviour). The library is
 * libipt.so.2: it takes the place of Debian's for programs that were built with either header.
 *
 * In short. A decoder of one of five kinds is allocated on a configuration, which names the trace;
 * it is synchronised onto a PSB packet, and asked for the next packet, branch, event, instruction
 * or block. Functions return a number that is not negative (decoders of flow: a set of
 * pt_status_flag), or the negative of an enum pt_error_code. Structures that a function fills come
 * with their size as the caller knows it: a longer one is filled up with zeros, a shorter one cut.
 *
 * Three macros change what a program sees:
 *  - TL_PT_INTERFACE_22: LIBIPT_VERSION says 2.2, so that programs which look at it use what came
 *    after 2.0.5. All of that is declared and there in any case; the library itself says 2.0.5,
 *    which is what it takes the place of.
 *  - TL_PT_BLOCK_V1: struct pt_block has the ten flags of the published page pt_blk_next(3), from
 *    version 1 of the interface. There are then no events to be taken (intel-pt-v1.h).
 *  - pt_export: what stands before each function.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef pt_export
#define pt_export
#endif

#define LIBIPT_VERSION_MAJOR 2
#ifdef TL_PT_INTERFACE_22
#define LIBIPT_VERSION_MINOR 2
#define LIBIPT_VERSION_PATCH 0
#else
#define LIBIPT_VERSION_MINOR 0
#define LIBIPT_VERSION_PATCH 5
#endif
#define LIBIPT_VERSION ((LIBIPT_VERSION_MAJOR << 8) + LIBIPT_VERSION_MINOR)

struct pt_encoder;
struct pt_packet_decoder;
struct pt_query_decoder;
struct pt_event_decoder;
struct pt_insn_decoder;
struct pt_block_decoder;
struct pt_image;
struct pt_image_section_cache;

/* ---- version and errors ---------------------------------------------------------------------- */

struct pt_version {
	uint8_t major, minor;
	uint16_t patch;
	uint32_t build;
	const char *ext; /**< never NULL */
};

/** 2.0.5, whose place this library takes; `ext` is "-tracelathe". */
extern pt_export struct pt_version pt_library_version(void);

enum pt_error_code {
	pte_ok,
	pte_internal,    /**< a fault of the decoder */
	pte_invalid,     /**< an argument makes no sense */
	pte_nosync,      /**< not synchronised onto a PSB yet */
	pte_bad_opc,     /**< bytes that begin no packet */
	pte_bad_packet,  /**< a packet with a reserved payload */
	pte_bad_context, /**< a packet where it must not be */
	pte_eos,         /**< the trace ends here */
	pte_bad_query,   /**< flow and trace disagree */
	pte_nomem,
	pte_bad_config,
	pte_noip,          /**< there is no address */
	pte_ip_suppressed, /**< an address was withheld */
	pte_nomap,         /**< no code bytes at this address */
	pte_bad_insn,      /**< bytes that are no instruction */
	pte_no_time,
	pte_no_cbr,
	pte_bad_image,
	pte_bad_lock,
	pte_not_supported,
	pte_retstack_empty,    /**< a compressed return without a call */
	pte_bad_retcomp,       /**< a return with a not-taken bit */
	pte_bad_status_update, /**< a PSB+ contradicts the flow */
	pte_no_enable,         /**< flow while tracing is off */
	pte_event_ignored,     /**< an event was not taken before what comes next was asked for */
	pte_overflow,
	pte_bad_file,
	pte_bad_cpu
};

/** The error in a result; pte_ok for results that are not negative. */
static inline enum pt_error_code pt_errcode(int status)
{
	return status >= 0 ? pte_ok : (enum pt_error_code) - status;
}

/** A short text; for a number that is no error: "internal error.". */
extern pt_export const char *pt_errstr(enum pt_error_code errcode);

/* ---- configuration --------------------------------------------------------------------------- */

enum pt_cpu_vendor { pcv_unknown, pcv_intel };

struct pt_cpu {
	enum pt_cpu_vendor vendor;
	uint16_t family;
	uint8_t model, stepping;
};

/** What the processor gets wrong; named as in Intel's specification updates. */
struct pt_errata {
	uint32_t bdm70 : 1;
	uint32_t bdm64 : 1;
	uint32_t skd007 : 1;
	uint32_t skd022 : 1;
	uint32_t skd010 : 1;
	uint32_t skl014 : 1;
	uint32_t apl12 : 1;
	uint32_t apl11 : 1;
	uint32_t skl168 : 1;
	uint32_t skz84 : 1;
	uint32_t reserved[15];
};

/**
 * Clear `errata` and set what is known of a processor.
 *
 * @return 0; -pte_bad_cpu for a processor that is not known; -pte_invalid for a NULL argument
 */
extern pt_export int pt_cpu_errata(struct pt_errata *errata, const struct pt_cpu *cpu);

struct pt_conf_flags {
	union {
		struct {
			uint32_t end_on_call : 1;          /**< a block ends after a direct call */
			uint32_t enable_tick_events : 1;   /**< an event for each new time */
			uint32_t end_on_jump : 1;          /**< a block ends after a direct jump */
			uint32_t keep_tcal_on_ovf : 1;     /**< 2.1: calibration outlives it */
			uint32_t enable_iflags_events : 1; /**< 2.1: when IF changes */
			uint32_t tl_fold_events : 1;       /**< ours: see TL_PT_BLOCK_V1 */
		} block;
		struct {
			uint32_t enable_tick_events : 1;
			uint32_t keep_tcal_on_ovf : 1;
			uint32_t enable_iflags_events : 1;
		} insn;
		struct {
			uint32_t keep_tcal_on_ovf : 1;
			uint32_t enable_iflags_events : 1;
		} query;
		struct {
			uint32_t keep_tcal_on_ovf : 1;
			uint32_t enable_iflags_events : 1;
		} event;
		uint32_t reserved[4];
	} variant;
};

enum pt_addr_cfg { pt_addr_cfg_disabled, pt_addr_cfg_filter, pt_addr_cfg_stop };

/** The four address ranges of the trace's configuration; both ends belong to a range. */
struct pt_conf_addr_filter {
	union {
		uint64_t addr_cfg;
		struct {
			uint32_t addr0_cfg : 4;
			uint32_t addr1_cfg : 4;
			uint32_t addr2_cfg : 4;
			uint32_t addr3_cfg : 4;
		} ctl;
	} config;
	uint64_t addr0_a, addr0_b;
	uint64_t addr1_a, addr1_b;
	uint64_t addr2_a, addr2_b;
	uint64_t addr3_a, addr3_b;
	uint64_t reserved[8];
};

struct pt_packet_unknown;
struct pt_config;

/** Called for bytes that begin no packet. @return bytes of the packet, or -pt_error_code */
typedef int(tl_pt_unknown_callback)(struct pt_packet_unknown *unknown,
				    const struct pt_config *config, const uint8_t *pos,
				    void *context);

/** How a trace was made. `size`, `begin`, `end` are needed. A decoder keeps a copy. */
struct pt_config {
	size_t size;
	uint8_t *begin;
	uint8_t *end;
	struct {
		tl_pt_unknown_callback *callback;
		void *context;
	} decode;
	struct pt_cpu cpu;
	struct pt_errata errata;
	uint32_t cpuid_0x15_eax, cpuid_0x15_ebx;
	uint8_t mtc_freq, nom_freq;
	struct pt_conf_flags flags;
	struct pt_conf_addr_filter addr_filter;
};

static inline void pt_config_init(struct pt_config *config)
{
	memset(config, 0, sizeof(*config));
	config->size = sizeof(*config);
}

/* ---- packets --------------------------------------------------------------------------------- */

enum pt_packet_type {
	ppt_invalid,
	ppt_unknown,
	ppt_pad,
	ppt_psb,
	ppt_psbend,
	ppt_fup,
	ppt_tip,
	ppt_tip_pge,
	ppt_tip_pgd,
	ppt_tnt_8,
	ppt_tnt_64,
	ppt_mode,
	ppt_pip,
	ppt_vmcs,
	ppt_cbr,
	ppt_tsc,
	ppt_tma,
	ppt_mtc,
	ppt_cyc,
	ppt_stop,
	ppt_ovf,
	ppt_mnt,
	ppt_exstop,
	ppt_mwait,
	ppt_pwre,
	ppt_pwrx,
	ppt_ptw,
	/* 2.1 */
	ppt_cfe,
	ppt_evd,
	/* 2.2 */
	ppt_trig
};

enum pt_ip_compression {
	pt_ipc_suppressed,
	pt_ipc_update_16,
	pt_ipc_update_32,
	pt_ipc_sext_48,
	pt_ipc_update_48,
	pt_ipc_full = 6
};

enum pt_exec_mode { ptem_unknown, ptem_16bit, ptem_32bit, ptem_64bit };

enum pt_mode_leaf { pt_mol_exec = 0x00, pt_mol_tsx = 0x20 };

/** 2.1: what a CFE packet is about. */
enum pt_cfe_type {
	pt_cfe_intr = 0x1,
	pt_cfe_iret = 0x2,
	pt_cfe_smi = 0x3,
	pt_cfe_rsm = 0x4,
	pt_cfe_sipi = 0x5,
	pt_cfe_init = 0x6,
	pt_cfe_vmentry = 0x7,
	pt_cfe_vmexit = 0x8,
	pt_cfe_vmexit_intr = 0x9,
	pt_cfe_shutdown = 0xa,
	pt_cfe_uintr = 0xc,
	pt_cfe_uiret = 0xd,
	pt_cfe_swintr = 0xe,
	pt_cfe_syscall = 0xf
};

/** 2.1: what an EVD packet holds. */
enum pt_evd_type { pt_evd_cr2, pt_evd_vmxq, pt_evd_vmxr };

struct pt_packet_tnt {
	uint8_t bit_size; /**< outcomes */
	uint64_t payload; /**< the oldest in bit `bit_size - 1` */
};

struct pt_packet_ip {
	enum pt_ip_compression ipc;
	uint64_t ip; /**< as it stands in the packet */
};

struct pt_packet_mode_exec {
	uint32_t csl : 1;
	uint32_t csd : 1;
	uint32_t iflag : 1; /**< 2.1 */
};

struct pt_packet_mode_tsx {
	uint32_t intx : 1;
	uint32_t abrt : 1;
};

struct pt_packet_mode {
	enum pt_mode_leaf leaf;
	union {
		struct pt_packet_mode_exec exec;
		struct pt_packet_mode_tsx tsx;
	} bits;
};

struct pt_packet_pip {
	uint64_t cr3;
	uint32_t nr : 1;
};

struct pt_packet_tsc {
	uint64_t tsc;
};
struct pt_packet_cbr {
	uint8_t ratio;
};
struct pt_packet_tma {
	uint16_t ctc, fc;
};

struct pt_packet_mtc {
	uint8_t ctc;
};
struct pt_packet_cyc {
	uint64_t value;
};
struct pt_packet_vmcs {
	uint64_t base;
};
struct pt_packet_mnt {
	uint64_t payload;
};
struct pt_packet_exstop {
	uint32_t ip : 1;
};
struct pt_packet_mwait {
	uint32_t hints, ext;
};

struct pt_packet_pwre {
	uint8_t state;
	uint8_t sub_state;
	uint32_t hw : 1;
};

struct pt_packet_pwrx {
	uint8_t last;
	uint8_t deepest;
	uint32_t interrupt : 1;
	uint32_t store : 1;
	uint32_t autonomous : 1;
};

struct pt_packet_ptw {
	uint64_t payload;
	uint8_t plc;
	uint32_t ip : 1;
};

struct pt_packet_cfe {
	enum pt_cfe_type type;
	uint8_t vector;
	uint32_t ip : 1;
};

struct pt_packet_evd {
	enum pt_evd_type type;
	uint64_t payload;
};

struct pt_packet_trig {
	uint8_t trbv;
	uint16_t icnt;
	uint32_t ip : 1;
	uint32_t icntv : 1;
	uint32_t mult : 1;
};

struct pt_packet_unknown {
	const uint8_t *packet; /**< in the trace */
	void *priv;            /**< the callback's own */
};

struct pt_packet {
	enum pt_packet_type type;
	uint8_t size; /**< bytes; ignored when a packet is written */
	union {
		struct pt_packet_ip ip;   /**< fup, tip, tip_pge, tip_pgd */
		struct pt_packet_tnt tnt; /**< tnt_8, tnt_64 */
		struct pt_packet_mode mode;
		struct pt_packet_pip pip;
		struct pt_packet_tsc tsc;
		struct pt_packet_cbr cbr;
		struct pt_packet_tma tma;
		struct pt_packet_mtc mtc;
		struct pt_packet_cyc cyc;
		struct pt_packet_vmcs vmcs;
		struct pt_packet_mnt mnt;
		struct pt_packet_exstop exstop;
		struct pt_packet_mwait mwait;
		struct pt_packet_pwre pwre;
		struct pt_packet_pwrx pwrx;
		struct pt_packet_ptw ptw;
		struct pt_packet_cfe cfe;
		struct pt_packet_evd evd;
		struct pt_packet_trig trig;
		struct pt_packet_unknown unknown;
	} payload;
};

static inline enum pt_exec_mode pt_get_exec_mode(const struct pt_packet_mode_exec *packet)
{
	if (packet->csl)
		return packet->csd ? ptem_unknown : ptem_64bit;
	return packet->csd ? ptem_32bit : ptem_16bit;
}

static inline struct pt_packet_mode_exec pt_set_exec_mode(enum pt_exec_mode mode)
{
	struct pt_packet_mode_exec packet;

	memset(&packet, 0, sizeof(packet));
	/* Both bits: a mode that no processor has. */
	packet.csl = mode == ptem_64bit || mode == ptem_unknown;
	packet.csd = mode == ptem_32bit || mode == ptem_unknown;
	return packet;
}

/** Bytes of a PTW packet's payload for the size code `plc`, or -pte_bad_packet. */
static inline int pt_ptw_size(uint8_t plc)
{
	return plc == 0 ? 4 : plc == 1 ? 8 : -(int)pte_bad_packet;
}

/** Write packets into the buffer of `config`. NULL: bad configuration, or no memory. */
extern pt_export struct pt_encoder *pt_alloc_encoder(const struct pt_config *config);
extern pt_export void pt_free_encoder(struct pt_encoder *encoder);
extern pt_export int pt_enc_sync_set(struct pt_encoder *encoder, uint64_t offset);
extern pt_export int pt_enc_get_offset(const struct pt_encoder *encoder, uint64_t *offset);
extern pt_export const struct pt_config *pt_enc_get_config(const struct pt_encoder *encoder);
/** @return bytes written; -pte_eos: no room; -pte_bad_packet, -pte_bad_opc: cannot be written */
extern pt_export int pt_enc_next(struct pt_encoder *encoder, const struct pt_packet *packet);

/** Read packets. */
extern pt_export struct pt_packet_decoder *pt_pkt_alloc_decoder(const struct pt_config *config);
extern pt_export void pt_pkt_free_decoder(struct pt_packet_decoder *decoder);
/** To the next PSB; from one PSB to the one after it. */
extern pt_export int pt_pkt_sync_forward(struct pt_packet_decoder *decoder);
extern pt_export int pt_pkt_sync_backward(struct pt_packet_decoder *decoder);
/** To an offset, whatever is there. */
extern pt_export int pt_pkt_sync_set(struct pt_packet_decoder *decoder, uint64_t offset);
extern pt_export int pt_pkt_get_offset(const struct pt_packet_decoder *decoder, uint64_t *offset);
extern pt_export int pt_pkt_get_sync_offset(const struct pt_packet_decoder *decoder,
					    uint64_t *offset);
extern pt_export const struct pt_config *pt_pkt_get_config(const struct pt_packet_decoder *decoder);
/** @return bytes of the packet */
extern pt_export int pt_pkt_next(struct pt_packet_decoder *decoder, struct pt_packet *packet,
				 size_t size);

/* ---- events and queries ---------------------------------------------------------------------- */

enum pt_status_flag {
	pts_event_pending = 1 << 0, /**< take it first */
	pts_ip_suppressed = 1 << 1, /**< there is no address */
	pts_eos = 1 << 2            /**< packets are used up */
};

enum pt_event_type {
	ptev_enabled,
	ptev_disabled,
	ptev_async_disabled,
	ptev_async_branch,
	ptev_paging,
	ptev_async_paging,
	ptev_overflow,
	ptev_exec_mode,
	ptev_tsx,
	ptev_stop,
	ptev_vmcs,
	ptev_async_vmcs,
	ptev_exstop,
	ptev_mwait,
	ptev_pwre,
	ptev_pwrx,
	ptev_ptwrite,
	ptev_tick,
	ptev_cbr,
	ptev_mnt,
	/* 2.1 */
	ptev_tip,
	ptev_tnt,
	ptev_iflags,
	ptev_interrupt,
	ptev_iret,
	ptev_smi,
	ptev_rsm,
	ptev_sipi,
	ptev_init,
	ptev_vmentry,
	ptev_vmexit,
	ptev_shutdown,
	ptev_uintr,
	ptev_uiret,
	/* 2.2 */
	ptev_trig,
	ptev_swintr,
	ptev_syscall
};

/** 64 bytes in 2.0.5, 72 from 2.1 on. */
struct pt_event {
	enum pt_event_type type;
	uint32_t ip_suppressed : 1; /**< the address of the event was withheld */
	uint32_t status_update : 1; /**< says what is, not what changed */
	uint32_t has_tsc : 1;
	uint64_t tsc;
	uint32_t lost_mtc;
	uint32_t lost_cyc;
	uint64_t reserved[2];
	union {
		struct {
			uint64_t ip;
			uint32_t resumed : 1;
		} enabled;
		struct {
			uint64_t ip; /**< where tracing would go on */
		} disabled;
		struct {
			uint64_t at; /**< where tracing was turned off */
			uint64_t ip;
		} async_disabled;
		struct {
			uint64_t from;
			uint64_t to;
		} async_branch;
		struct {
			uint64_t cr3;
			uint32_t non_root : 1;
		} paging;
		struct {
			uint64_t cr3;
			uint32_t non_root : 1;
			uint64_t ip;
		} async_paging;
		struct {
			uint64_t ip;
		} overflow;
		struct {
			enum pt_exec_mode mode;
			uint64_t ip;
		} exec_mode;
		struct {
			uint64_t ip;
			uint32_t speculative : 1;
			uint32_t aborted : 1;
		} tsx;
		struct {
			uint64_t base;
		} vmcs;
		struct {
			uint64_t base;
			uint64_t ip;
		} async_vmcs;
		struct {
			uint64_t ip;
		} exstop;
		struct {
			uint64_t ip;
			uint32_t hints;
			uint32_t ext;
		} mwait;
		struct {
			uint8_t state;
			uint8_t sub_state;
			uint32_t hw : 1;
		} pwre;
		struct {
			uint8_t last;
			uint8_t deepest;
			uint32_t interrupt : 1;
			uint32_t store : 1;
			uint32_t autonomous : 1;
		} pwrx;
		struct {
			uint64_t ip;
			uint8_t size;
			uint64_t payload;
		} ptwrite;
		struct {
			uint64_t ip;
		} tick;
		struct {
			uint16_t ratio;
		} cbr;
		struct {
			uint64_t payload;
		} mnt;
		/* 2.1 */
		struct {
			uint64_t ip;
		} tip;
		struct {
			uint64_t bits;
			uint8_t size;
		} tnt;
		struct {
			uint32_t iflag : 1;
			uint64_t ip;
		} iflags;
		struct {
			uint32_t has_cr2 : 1;
			uint8_t vector;
			uint64_t cr2;
			uint64_t ip;
		} interrupt;
		struct {
			uint64_t ip;
		} iret;
		struct {
			uint64_t ip;
		} smi;
		struct {
			uint64_t ip;
		} rsm;
		struct {
			uint8_t vector;
		} sipi;
		struct {
			uint64_t ip;
		} init;
		struct {
			uint64_t ip;
		} vmentry;
		struct {
			uint32_t has_vector : 1;
			uint32_t has_vmxr : 1;
			uint32_t has_vmxq : 1;
			uint8_t vector;
			uint64_t vmxr;
			uint64_t vmxq;
			uint64_t ip;
		} vmexit;
		struct {
			uint64_t ip;
		} shutdown;
		struct {
			uint8_t vector;
			uint64_t ip;
		} uintr;
		struct {
			uint64_t ip;
		} uiret;
		/* 2.2 */
		struct {
			uint8_t trbv;
			uint16_t icnt;
			uint64_t ip;
			uint32_t mult : 1;
		} trig;
		struct {
			uint8_t vector;
			uint64_t ip;
		} swintr;
		struct {
			uint64_t ip;
		} syscall;
	} variant;
};

/** Ask for one branch after the other; the caller walks the code. Results: pt_status_flag. */
extern pt_export struct pt_query_decoder *pt_qry_alloc_decoder(const struct pt_config *config);
extern pt_export void pt_qry_free_decoder(struct pt_query_decoder *decoder);
/** `ip` may be NULL; it is where tracing is, unless pts_ip_suppressed. */
extern pt_export int pt_qry_sync_forward(struct pt_query_decoder *decoder, uint64_t *ip);
extern pt_export int pt_qry_sync_backward(struct pt_query_decoder *decoder, uint64_t *ip);
/** To the PSB at an offset; -pte_nosync: there is none. */
extern pt_export int pt_qry_sync_set(struct pt_query_decoder *decoder, uint64_t *ip,
				     uint64_t offset);
extern pt_export int pt_qry_get_offset(const struct pt_query_decoder *decoder, uint64_t *offset);
extern pt_export int pt_qry_get_sync_offset(const struct pt_query_decoder *decoder,
					    uint64_t *offset);
extern pt_export const struct pt_config *pt_qry_get_config(const struct pt_query_decoder *decoder);
/** The next conditional branch: 1 taken, 0 not. */
extern pt_export int pt_qry_cond_branch(struct pt_query_decoder *decoder, int *taken);
extern pt_export int pt_qry_indirect_branch(struct pt_query_decoder *decoder, uint64_t *ip);
extern pt_export int pt_qry_event(struct pt_query_decoder *decoder, struct pt_event *event,
				  size_t size);
/** TSC at the last branch or event; timing packets that could not be used (both may be NULL). */
extern pt_export int pt_qry_time(struct pt_query_decoder *decoder, uint64_t *time,
				 uint32_t *lost_mtc, uint32_t *lost_cyc);
extern pt_export int pt_qry_core_bus_ratio(struct pt_query_decoder *decoder, uint32_t *cbr);

/** 2.1: everything as events, tips and outcomes as well. */
extern pt_export struct pt_event_decoder *pt_evt_alloc_decoder(const struct pt_config *config);
extern pt_export void pt_evt_free_decoder(struct pt_event_decoder *decoder);
extern pt_export int pt_evt_sync_forward(struct pt_event_decoder *decoder);
extern pt_export int pt_evt_sync_backward(struct pt_event_decoder *decoder);
extern pt_export int pt_evt_sync_set(struct pt_event_decoder *decoder, uint64_t offset);
extern pt_export int pt_evt_get_offset(const struct pt_event_decoder *decoder, uint64_t *offset);
extern pt_export int pt_evt_get_sync_offset(const struct pt_event_decoder *decoder,
					    uint64_t *offset);
extern pt_export const struct pt_config *pt_evt_get_config(const struct pt_event_decoder *decoder);
extern pt_export int pt_evt_next(struct pt_event_decoder *decoder, struct pt_event *event,
				 size_t size);

/* ---- images of code -------------------------------------------------------------------------- */

/** An address space. */
struct pt_asid {
	size_t size; /**< sizeof(struct pt_asid) */
	uint64_t cr3;
	uint64_t vmcs;
};

/** Any. */
static const uint64_t pt_asid_no_cr3 = UINT64_MAX;
static const uint64_t pt_asid_no_vmcs = UINT64_MAX;

static inline void pt_asid_init(struct pt_asid *asid)
{
	asid->size = sizeof(*asid);
	asid->cr3 = pt_asid_no_cr3;
	asid->vmcs = pt_asid_no_vmcs;
}

/** Read up to `size` bytes of code at `ip`. @return bytes read, or -pt_error_code */
typedef int(read_memory_callback_t)(uint8_t *buffer, size_t size, const struct pt_asid *asid,
				    uint64_t ip, void *context);

/** Sections of files that images share; threads may share it, too. `name` may be NULL. */
extern pt_export struct pt_image_section_cache *pt_iscache_alloc(const char *name);
extern pt_export void pt_iscache_free(struct pt_image_section_cache *iscache);
/** How many bytes of files may stay mapped (0: all). Decoding does not get slower by it. */
extern pt_export int pt_iscache_set_limit(struct pt_image_section_cache *iscache, uint64_t limit);
extern pt_export const char *pt_iscache_name(const struct pt_image_section_cache *iscache);
/** @return the identifier of the section, above 0; the same one for the same section */
extern pt_export int pt_iscache_add_file(struct pt_image_section_cache *iscache,
					 const char *filename, uint64_t offset, uint64_t size,
					 uint64_t vaddr);
/** @return bytes read */
extern pt_export int pt_iscache_read(struct pt_image_section_cache *iscache, uint8_t *buffer,
				     uint64_t size, int isid, uint64_t vaddr);

extern pt_export struct pt_image *pt_image_alloc(const char *name);
extern pt_export void pt_image_free(struct pt_image *image);
extern pt_export const char *pt_image_name(const struct pt_image *image);
/** A later section takes the place of what it overlaps. `asid` NULL: of every address space. */
extern pt_export int pt_image_add_file(struct pt_image *image, const char *filename,
				       uint64_t offset, uint64_t size, const struct pt_asid *asid,
				       uint64_t vaddr);
extern pt_export int pt_image_add_cached(struct pt_image *image,
					 struct pt_image_section_cache *iscache, int isid,
					 const struct pt_asid *asid);
/** Add all sections of `src`. @return how many could not be added */
extern pt_export int pt_image_copy(struct pt_image *image, const struct pt_image *src);
/** @return sections removed */
extern pt_export int pt_image_remove_by_filename(struct pt_image *image, const char *filename,
						 const struct pt_asid *asid);
extern pt_export int pt_image_remove_by_asid(struct pt_image *image, const struct pt_asid *asid);
/** Bytes that no section has; NULL: none. */
extern pt_export int pt_image_set_callback(struct pt_image *image, read_memory_callback_t *callback,
					   void *context);

/* ---- instructions ---------------------------------------------------------------------------- */

enum pt_insn_class {
	ptic_error, /**< not known */
	ptic_unknown = ptic_error,
	ptic_other,
	ptic_call,
	ptic_return,
	ptic_jump,
	ptic_cond_jump,
	ptic_far_call,
	ptic_far_return,
	ptic_far_jump,
	ptic_ptwrite,
	ptic_indirect /**< 2.1 */
};

enum { pt_max_insn_size = 15 };

struct pt_insn {
	uint64_t ip;
	int isid; /**< section of a cache it comes from; 0: none */
	enum pt_exec_mode mode;
	enum pt_insn_class iclass;
	uint8_t raw[pt_max_insn_size];
	uint8_t size;
	uint32_t speculative : 1; /**< ran inside a transaction */
	uint32_t truncated : 1;   /**< begins in section `isid`, goes on in another */
};

extern pt_export struct pt_insn_decoder *pt_insn_alloc_decoder(const struct pt_config *config);
extern pt_export void pt_insn_free_decoder(struct pt_insn_decoder *decoder);
extern pt_export int pt_insn_sync_forward(struct pt_insn_decoder *decoder);
extern pt_export int pt_insn_sync_backward(struct pt_insn_decoder *decoder);
extern pt_export int pt_insn_sync_set(struct pt_insn_decoder *decoder, uint64_t offset);
extern pt_export int pt_insn_get_offset(const struct pt_insn_decoder *decoder, uint64_t *offset);
extern pt_export int pt_insn_get_sync_offset(const struct pt_insn_decoder *decoder,
					     uint64_t *offset);
/** The image in use; at first one of the decoder's own, empty. */
extern pt_export struct pt_image *pt_insn_get_image(struct pt_insn_decoder *decoder);
/** NULL: the decoder's own again. */
extern pt_export int pt_insn_set_image(struct pt_insn_decoder *decoder, struct pt_image *image);
extern pt_export const struct pt_config *pt_insn_get_config(const struct pt_insn_decoder *decoder);
extern pt_export int pt_insn_time(struct pt_insn_decoder *decoder, uint64_t *time,
				  uint32_t *lost_mtc, uint32_t *lost_cyc);
extern pt_export int pt_insn_core_bus_ratio(struct pt_insn_decoder *decoder, uint32_t *cbr);
extern pt_export int pt_insn_asid(const struct pt_insn_decoder *decoder, struct pt_asid *asid,
				  size_t size);
/** With an error, `iclass` other than ptic_error: the instruction is valid all the same. */
extern pt_export int pt_insn_next(struct pt_insn_decoder *decoder, struct pt_insn *insn,
				  size_t size);
extern pt_export int pt_insn_event(struct pt_insn_decoder *decoder, struct pt_event *event,
				   size_t size);
/** 2.2: after an error, to the next place that the trace names. */
extern pt_export int pt_insn_resync(struct pt_insn_decoder *decoder);

/* ---- blocks ---------------------------------------------------------------------------------- */

/** Instructions that ran one after the other without trace; see pt_blk_next(3). */
struct pt_block {
	uint64_t ip;     /**< of the first instruction */
	uint64_t end_ip; /**< of the last instruction */
	int isid;        /**< section of a cache they come from; 0: none */
	enum pt_exec_mode mode;
	enum pt_insn_class iclass; /**< of the last instruction; ptic_error: not told */
	uint16_t ninsn;
	uint8_t raw[pt_max_insn_size]; /**< the last instruction, if truncated */
	uint8_t size;                  /**< its length, if truncated */
#ifdef TL_PT_BLOCK_V1
	uint32_t speculative : 1; /**< ran inside a transaction */
	uint32_t aborted : 1;     /**< after it the transaction was aborted */
	uint32_t committed : 1;   /**< after it the transaction was committed */
	uint32_t disabled : 1;    /**< after it tracing was turned off */
	uint32_t enabled : 1;     /**< tracing was turned on at its first instruction */
	uint32_t resumed : 1;     /**< and that is where it had been turned off */
	uint32_t interrupted : 1; /**< after it the flow was interrupted */
	uint32_t resynced : 1;    /**< the first after packets were lost */
	uint32_t stopped : 1;     /**< after it tracing was stopped */
	uint32_t truncated : 1;   /**< the last instruction goes on in another section */
#else
	uint32_t speculative : 1; /**< ran inside a transaction */
	uint32_t truncated : 1;   /**< the last instruction goes on in another section */
#endif
};

extern pt_export struct pt_block_decoder *pt_blk_alloc_decoder(const struct pt_config *config);
extern pt_export void pt_blk_free_decoder(struct pt_block_decoder *decoder);
extern pt_export int pt_blk_sync_forward(struct pt_block_decoder *decoder);
extern pt_export int pt_blk_sync_backward(struct pt_block_decoder *decoder);
extern pt_export int pt_blk_sync_set(struct pt_block_decoder *decoder, uint64_t offset);
extern pt_export int pt_blk_get_offset(const struct pt_block_decoder *decoder, uint64_t *offset);
extern pt_export int pt_blk_get_sync_offset(const struct pt_block_decoder *decoder,
					    uint64_t *offset);
extern pt_export struct pt_image *pt_blk_get_image(struct pt_block_decoder *decoder);
extern pt_export int pt_blk_set_image(struct pt_block_decoder *decoder, struct pt_image *image);
extern pt_export const struct pt_config *pt_blk_get_config(const struct pt_block_decoder *decoder);
extern pt_export int pt_blk_time(struct pt_block_decoder *decoder, uint64_t *time,
				 uint32_t *lost_mtc, uint32_t *lost_cyc);
extern pt_export int pt_blk_core_bus_ratio(struct pt_block_decoder *decoder, uint32_t *cbr);
extern pt_export int pt_blk_asid(const struct pt_block_decoder *decoder, struct pt_asid *asid,
				 size_t size);
/** With an error, `ninsn` other than 0: the block is valid all the same. */
extern pt_export int pt_blk_next(struct pt_block_decoder *decoder, struct pt_block *block,
				 size_t size);
extern pt_export int pt_blk_event(struct pt_block_decoder *decoder, struct pt_event *event,
				  size_t size);
/** 2.2: after an error, to the next place that the trace names. */
extern pt_export int pt_blk_resync(struct pt_block_decoder *decoder);

#ifdef TL_PT_BLOCK_V1
#include "intel-pt-v1.h"
#endif

#ifdef __cplusplus
}
#endif
#endif
