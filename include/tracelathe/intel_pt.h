/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_INTEL_PT_H
#define TRACELATHE_INTEL_PT_H
/**
 * @file
 * Intel Processor Trace: packets, flow, blocks, instructions, events and time.
 *
 * Section numbers are those of docs/formats/intel-pt.md; "SDM" is Intel's Software Developer's
 * Manual, volume 3, chapter "Intel Processor Trace"; "pt_blk_next" is the published manual page of
 * that name.
 *
 * Results: decoding functions return a non-negative number, or the negative of an enum tl_pt_error,
 * whose numbers are those of the published interface. tl_pt_fault() turns one into a struct
 * tl_error with the offset it belongs to.
 *
 * `size` behind a pointer to a struct of the caller, or to an array, is the sizeof of the struct
 * (of one element): no byte behind it is written, and a later version of the library may have more
 * members (docs/abi.md). A size below that of version 0.2.0 is -TL_PT_INVALID, and nothing is done.
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why decoding stopped; numbers of the published interface (3.3). */
enum tl_pt_error {
	TL_PT_OK,
	TL_PT_INTERNAL,
	TL_PT_INVALID,     /**< an argument makes no sense */
	TL_PT_NOSYNC,      /**< not synchronised onto a PSB yet */
	TL_PT_BAD_OPC,     /**< bytes that begin no packet */
	TL_PT_BAD_PACKET,  /**< a packet with a reserved payload */
	TL_PT_BAD_CONTEXT, /**< a packet where it must not be */
	TL_PT_EOS,         /**< the trace ends here */
	TL_PT_BAD_QUERY,   /**< flow and trace disagree */
	TL_PT_NOMEM,
	TL_PT_BAD_CONFIG,
	TL_PT_NOIP,
	TL_PT_IP_SUPPRESSED,
	TL_PT_NOMAP,    /**< no code bytes at this address */
	TL_PT_BAD_INSN, /**< bytes that are no instruction */
	TL_PT_NO_TIME,
	TL_PT_NO_CBR,
	TL_PT_BAD_IMAGE,
	TL_PT_BAD_LOCK,
	TL_PT_NOT_SUPPORTED,
	TL_PT_RETSTACK_EMPTY,    /**< a compressed return without a call */
	TL_PT_BAD_RETCOMP,       /**< a return with a not-taken bit */
	TL_PT_BAD_STATUS_UPDATE, /**< PSB+ contradicts the flow */
	TL_PT_NO_ENABLE,         /**< flow packets while tracing is off */
	TL_PT_EVENT_IGNORED,     /**< an event was not taken before asking for the next block */
	TL_PT_OVERFLOW,
	TL_PT_BAD_FILE,
	TL_PT_BAD_CPU,
	TL_PT_ERROR_COUNT
};

/**
 * Results that are not negative: what the caller should know before going on ("pt_blk_next",
 * pt_status_flag).
 */
enum tl_pt_status {
	TL_PT_EVENT_PENDING = 1, /**< take it with the event function first */
	TL_PT_STATUS_IP_SUPPRESSED = 2,
	TL_PT_END_OF_STREAM = 4, /**< packets are used up; blocks go on while they need none */
};

/** Errata (7), a bit each, in the order of the published structure. */
enum tl_pt_erratum {
	TL_PT_BDM70 = 1 << 0,
	TL_PT_BDM64 = 1 << 1,
	TL_PT_SKD007 = 1 << 2,
	TL_PT_SKD022 = 1 << 3,
	TL_PT_SKD010 = 1 << 4,
	TL_PT_SKL014 = 1 << 5,
	TL_PT_APL12 = 1 << 6,
	TL_PT_APL11 = 1 << 7,
	TL_PT_SKL168 = 1 << 8,
	TL_PT_SKZ84 = 1 << 9,
};

/** Wishes of a configuration. */
enum tl_pt_flag {
	TL_PT_END_ON_CALL = 1 << 0,  /**< a block ends after a near direct call */
	TL_PT_END_ON_JUMP = 1 << 1,  /**< a block ends after a near direct jump */
	TL_PT_TICK_EVENTS = 1 << 2,  /**< an event whenever a branch carries a new time */
	TL_PT_KEEP_TCAL = 1 << 3,    /**< keep the calibration of CYC over an overflow */
	TL_PT_IFLAG_EVENTS = 1 << 4, /**< an event when the interrupt flag changes */
	/** version 1 (2): events show as flags of blocks; none is pending. Blocks only */
	TL_PT_FOLD_EVENTS = 1 << 5,
	/** an error becomes a TL_PT_EV_LOST, and decoding goes on where it can (9.9) */
	TL_PT_SALVAGE = 1 << 6,
	/**
	 * Events as version 2.0.5 of the published interface gives them: synchronising gives no
	 * event that tracing is on or off, and execution mode events may change nothing.
	 */
	TL_PT_CLASSIC = 1 << 7,
	/**
	 * PIP and VMCS packets leave the address space as tl_pt_decoder_set_asid() set it: for
	 * containers that know better which program runs; the events are given all the same. Where
	 * its cr3 is TL_PT_ROOT or TL_PT_NON_ROOT, PIP packets set which of both, by their NR bit
	 */
	TL_PT_KEEP_ASID = 1 << 8,
};

struct tl_pt_cpu {
	bool intel;
	uint16_t family;
	uint8_t model, stepping;
};

/** One of the four address ranges of IA32_RTIT_CTL. */
struct tl_pt_range {
	enum { TL_PT_RANGE_OFF, TL_PT_RANGE_FILTER, TL_PT_RANGE_STOP } use;
	uint64_t first, last; /**< both inclusive */
};

/**
 * How a trace was made and how it is to be read. Zero-filled with `size`, `begin`, `end` set is a
 * good default.
 */
struct tl_pt_config {
	size_t size;                /**< sizeof(struct tl_pt_config) */
	const uint8_t *begin, *end; /**< the trace; the caller keeps it alive */
	struct tl_pt_cpu cpu;
	uint32_t errata; /**< enum tl_pt_erratum; see tl_pt_cpu_errata() */
	uint32_t flags;  /**< enum tl_pt_flag */
	/** CPUID 15H: TSC = crystal clock * ebx / eax; 0: unknown */
	uint32_t cpuid_15_eax, cpuid_15_ebx;
	uint8_t mtc_freq; /**< IA32_RTIT_CTL.MTCFreq */
	uint8_t nom_freq; /**< nominal (P1) core:bus ratio; 0: unknown */
	struct tl_pt_range ranges[4];
	/**
	 * Called for bytes that begin no packet; NULL: they are an error. @return length of the
	 * packet, or -tl_pt_error
	 */
	int (*unknown)(void *arg, const uint8_t *pos, const uint8_t *end);
	void *unknown_arg;
};

/** An address space. All ones in a field: any. */
struct tl_pt_asid {
	uint64_t cr3, vmcs;
};
#define TL_PT_ANY UINT64_MAX
/** With TL_PT_KEEP_ASID, values of cr3: code of the host, and of a virtual machine. */
#define TL_PT_ROOT 0
#define TL_PT_NON_ROOT 1

/* ---- packets (4) ----------------------------------------------------------------------------- */

/** Packet kinds; numbers of the published interface, then what it does not know. */
enum tl_pt_packet_kind {
	TL_PT_PKT_INVALID,
	TL_PT_PKT_UNKNOWN,
	TL_PT_PKT_PAD,
	TL_PT_PKT_PSB,
	TL_PT_PKT_PSBEND,
	TL_PT_PKT_FUP,
	TL_PT_PKT_TIP,
	TL_PT_PKT_TIP_PGE,
	TL_PT_PKT_TIP_PGD,
	TL_PT_PKT_TNT_8,
	TL_PT_PKT_TNT_64,
	TL_PT_PKT_MODE,
	TL_PT_PKT_PIP,
	TL_PT_PKT_VMCS,
	TL_PT_PKT_CBR,
	TL_PT_PKT_TSC,
	TL_PT_PKT_TMA,
	TL_PT_PKT_MTC,
	TL_PT_PKT_CYC,
	TL_PT_PKT_STOP,
	TL_PT_PKT_OVF,
	TL_PT_PKT_MNT,
	TL_PT_PKT_EXSTOP,
	TL_PT_PKT_MWAIT,
	TL_PT_PKT_PWRE,
	TL_PT_PKT_PWRX,
	TL_PT_PKT_PTW,
	TL_PT_PKT_CFE,
	TL_PT_PKT_EVD,
	TL_PT_PKT_TRIG,
	TL_PT_PKT_BBP,
	TL_PT_PKT_BIP,
	TL_PT_PKT_BEP,
	TL_PT_PKT_COUNT
};

/** How an address is stored (4.3): the code in bits 7:5 of the first byte. */
enum tl_pt_ipc {
	TL_PT_IPC_SUPPRESSED,
	TL_PT_IPC_UPDATE_16,
	TL_PT_IPC_UPDATE_32,
	TL_PT_IPC_SEXT_48,
	TL_PT_IPC_UPDATE_48,
	TL_PT_IPC_FULL = 6
};

enum tl_pt_mode_leaf { TL_PT_MODE_EXEC = 0x00, TL_PT_MODE_TSX = 0x20 };

/* What packets carry, by kind. */
struct tl_pt_packet_tnt {
	uint64_t bits;
	uint8_t count;
};
struct tl_pt_packet_ip {
	uint64_t ip;
	enum tl_pt_ipc ipc;
};
struct tl_pt_packet_mode {
	enum tl_pt_mode_leaf leaf;
	bool csl, csd, iflag, intx, abrt;
};
struct tl_pt_packet_pip {
	uint64_t cr3;
	bool nr;
};
struct tl_pt_packet_vmcs {
	uint64_t base;
};
struct tl_pt_packet_tsc {
	uint64_t tsc;
};
struct tl_pt_packet_cbr {
	uint8_t ratio;
};
struct tl_pt_packet_tma {
	uint16_t ctc, fc;
};
struct tl_pt_packet_mtc {
	uint8_t ctc;
};
struct tl_pt_packet_cyc {
	uint64_t value;
};
struct tl_pt_packet_mnt {
	uint64_t payload;
};
struct tl_pt_packet_exstop {
	bool ip;
};
struct tl_pt_packet_mwait {
	uint32_t hints, ext;
};
struct tl_pt_packet_pwre {
	uint8_t state, sub_state;
	bool hw;
};
struct tl_pt_packet_pwrx {
	uint8_t last, deepest;
	bool interrupt, store, autonomous;
};
struct tl_pt_packet_ptw {
	uint64_t payload;
	uint8_t plc;
	bool ip;
};
struct tl_pt_packet_cfe {
	uint8_t type, vector;
	bool ip;
};
struct tl_pt_packet_evd {
	uint8_t type;
	uint64_t payload;
};
struct tl_pt_packet_trig {
	uint16_t icnt;
	uint8_t trbv;
	bool ip, icntv, mult;
};
struct tl_pt_packet_bbp {
	uint8_t type;
	bool short_items;
};
struct tl_pt_packet_bip {
	uint64_t payload;
	uint8_t id;
};
struct tl_pt_packet_bep {
	bool ip;
};

/** One packet as its bytes say, nothing applied. */
struct tl_pt_packet {
	enum tl_pt_packet_kind kind;
	uint8_t size; /**< bytes, all of them */
	union {
		struct tl_pt_packet_tnt tnt; /**< oldest outcome in bit `count - 1` */
		/** TIP, TIP.PGE, TIP.PGD, FUP: the bytes sent, rest 0 */
		struct tl_pt_packet_ip ip;
		struct tl_pt_packet_mode mode;
		struct tl_pt_packet_pip pip;
		struct tl_pt_packet_vmcs vmcs;
		struct tl_pt_packet_tsc tsc;
		struct tl_pt_packet_cbr cbr;
		struct tl_pt_packet_tma tma;
		struct tl_pt_packet_mtc mtc;
		struct tl_pt_packet_cyc cyc;
		struct tl_pt_packet_mnt mnt;
		struct tl_pt_packet_exstop exstop;
		struct tl_pt_packet_mwait mwait;
		struct tl_pt_packet_pwre pwre;
		struct tl_pt_packet_pwrx pwrx;
		struct tl_pt_packet_ptw ptw;
		struct tl_pt_packet_cfe cfe;
		struct tl_pt_packet_evd evd;
		struct tl_pt_packet_trig trig;
		struct tl_pt_packet_bbp bbp;
		struct tl_pt_packet_bip bip;
		struct tl_pt_packet_bep bep;
	};
};

/**
 * The text of the published interface for an error ("unknown opcode"), "internal error." for any
 * other number; static.
 */
TL_API const char *tl_pt_error_text(enum tl_pt_error error);

/**
 * An error of this room as the library's error value: its text and the offset it belongs to.
 * @return the tl_status it has there, negative; 0 for TL_PT_OK
 */
TL_API int tl_pt_fault(struct tl_error *err, enum tl_pt_error error, uint64_t offset);

/**
 * The errata of a processor (7).
 * @param classic  the model tables of version 2.0.5 of the published interface instead of the
 *        present ones
 * @return 0; -TL_PT_BAD_CPU for a processor that is not listed, with `*errata` 0
 */
TL_API int tl_pt_cpu_errata(uint32_t *errata, const struct tl_pt_cpu *cpu, bool classic);

/**
 * Read the one packet at `pos`; bytes at and behind `end` are not looked at.
 * @return its bytes; -TL_PT_EOS when it is cut short, -TL_PT_BAD_OPC, -TL_PT_BAD_PACKET
 */
TL_API int tl_pt_packet_read(struct tl_pt_packet *packet, size_t size, const uint8_t *pos,
			     const uint8_t *end);

/**
 * Write a packet (its `kind` and payload; `size` matters for TL_PT_PKT_BIP only, 5 or 9 bytes).
 * What a payload's field has no bits for is cut off.
 * @return its bytes; -TL_PT_EOS when `room` is too small; -TL_PT_INVALID, -TL_PT_BAD_PACKET for a
 *         payload that cannot be written (INVALID: counts and codes out of range); -TL_PT_BAD_OPC
 *         for a kind that has no bytes (unknown, invalid)
 */
TL_API int tl_pt_packet_write(uint8_t *pos, size_t room, const struct tl_pt_packet *packet,
			      size_t size);

/**
 * The name of a packet kind as in listings ("psb", "tnt.8", "tip.pge"; "mode" for both leaves);
 * static.
 */
TL_API const char *tl_pt_packet_name(enum tl_pt_packet_kind kind);

/**
 * A reader of packets, one at a time, without any meaning between them but that of a block of BIP
 * packets.
 */
struct tl_pt_packets;

/**
 * Open on a configuration, which is copied; the trace itself is not. Not synchronised yet.
 * @return 0, -TL_PT_INVALID, -TL_PT_BAD_CONFIG, -TL_PT_NOMEM
 */
TL_API int tl_pt_packets_open(struct tl_pt_packets **packets, const struct tl_pt_config *config);
TL_API void tl_pt_packets_close(struct tl_pt_packets *packets);
TL_API const struct tl_pt_config *tl_pt_packets_config(const struct tl_pt_packets *packets);

/**
 * Synchronise onto the next PSB behind the present one (at first: the first one), the last one
 * before the present offset, or at any offset at all (`_set`; the packet reader takes the caller's
 * word for it).
 * @return 0, -TL_PT_EOS when there is no such place
 */
TL_API int tl_pt_packets_sync_forward(struct tl_pt_packets *packets);
TL_API int tl_pt_packets_sync_backward(struct tl_pt_packets *packets);
TL_API int tl_pt_packets_sync_set(struct tl_pt_packets *packets, uint64_t offset);

/** Where the next packet is, and the last synchronisation. @return 0, -TL_PT_NOSYNC */
TL_API int tl_pt_packets_offset(const struct tl_pt_packets *packets, uint64_t *offset);
TL_API int tl_pt_packets_sync_offset(const struct tl_pt_packets *packets, uint64_t *offset);

/**
 * Read the next packet. The reader stays at a packet that is at fault.
 * @return its bytes; -TL_PT_EOS at the end or at a packet cut short, -TL_PT_NOSYNC, -TL_PT_BAD_OPC,
 *         -TL_PT_BAD_PACKET
 */
TL_API int tl_pt_packets_next(struct tl_pt_packets *packets, struct tl_pt_packet *packet,
			      size_t size);

/**
 * Offsets of PSB packets in order, for decoding in parallel.
 * @param from  where to begin looking
 * @return how many were stored, at most `room`
 */
TL_API size_t tl_pt_find_psbs(const struct tl_pt_config *config, uint64_t from, uint64_t *offsets,
			      size_t room);

/* ---- events (5) ------------------------------------------------------------------------------ */

/** Numbers of the published interface, then ours. */
enum tl_pt_event_kind {
	TL_PT_EV_ENABLED,
	TL_PT_EV_DISABLED,
	TL_PT_EV_ASYNC_DISABLED,
	TL_PT_EV_ASYNC_BRANCH,
	TL_PT_EV_PAGING,
	TL_PT_EV_ASYNC_PAGING,
	TL_PT_EV_OVERFLOW,
	TL_PT_EV_EXEC_MODE,
	TL_PT_EV_TSX,
	TL_PT_EV_STOP,
	TL_PT_EV_VMCS,
	TL_PT_EV_ASYNC_VMCS,
	TL_PT_EV_EXSTOP,
	TL_PT_EV_MWAIT,
	TL_PT_EV_PWRE,
	TL_PT_EV_PWRX,
	TL_PT_EV_PTWRITE,
	TL_PT_EV_TICK,
	TL_PT_EV_CBR,
	TL_PT_EV_MNT,
	TL_PT_EV_TIP,
	TL_PT_EV_TNT,
	TL_PT_EV_IFLAGS,
	TL_PT_EV_INTERRUPT,
	TL_PT_EV_IRET,
	TL_PT_EV_SMI,
	TL_PT_EV_RSM,
	TL_PT_EV_SIPI,
	TL_PT_EV_INIT,
	TL_PT_EV_VMENTRY,
	TL_PT_EV_VMEXIT,
	TL_PT_EV_SHUTDOWN,
	TL_PT_EV_UINTR,
	TL_PT_EV_UIRET,
	TL_PT_EV_TRIG,
	TL_PT_EV_SWINTR,
	TL_PT_EV_SYSCALL,
	TL_PT_EV_LOST, /**< ours: bytes [lost.from, lost.to) gave no flow */
	TL_PT_EV_COUNT
};

enum tl_pt_exec_mode { TL_PT_MODE_UNKNOWN, TL_PT_MODE_16, TL_PT_MODE_32, TL_PT_MODE_64 };

/* What events carry, by kind. */
struct tl_pt_event_branch {
	uint64_t to;
};
struct tl_pt_event_disabled {
	uint64_t to;
};
struct tl_pt_event_enabled {
	bool resumed;
};
struct tl_pt_event_paging {
	uint64_t cr3;
	bool non_root;
};
struct tl_pt_event_vmcs {
	uint64_t base;
};
struct tl_pt_event_exec_mode {
	enum tl_pt_exec_mode mode;
};
struct tl_pt_event_tsx {
	bool speculative, aborted;
};
struct tl_pt_event_mwait {
	uint32_t hints, ext;
};
struct tl_pt_event_pwre {
	uint8_t state, sub_state;
	bool hw;
};
struct tl_pt_event_pwrx {
	uint8_t last, deepest;
	bool interrupt, store, autonomous;
};
struct tl_pt_event_ptwrite {
	uint64_t payload;
	uint8_t size;
};
struct tl_pt_event_cbr {
	uint16_t ratio;
};
struct tl_pt_event_mnt {
	uint64_t payload;
};
struct tl_pt_event_tnt {
	uint64_t bits;
	uint8_t count;
};
struct tl_pt_event_iflags {
	bool iflag;
};
struct tl_pt_event_interrupt {
	uint64_t cr2;
	uint8_t vector;
	bool has_cr2;
};
struct tl_pt_event_vmexit {
	uint64_t vmxr, vmxq;
	uint8_t vector;
	bool has_vector, has_vmxr, has_vmxq;
};
/** icntv: `icnt` instructions on */
struct tl_pt_event_trig {
	uint16_t icnt;
	uint8_t trbv;
	bool icntv, mult;
};
struct tl_pt_event_lost {
	uint64_t from, to, packets, outcomes;
	uint64_t at; /**< address of the walk before, 0: unknown */
	enum tl_pt_error why;
};

/** Something that happened beside the flow of instructions. */
struct tl_pt_event {
	enum tl_pt_event_kind kind;
	bool ip_suppressed; /**< `ip` (or `to`) was withheld */
	bool status_update; /**< from a PSB+: says what is, not what changed */
	bool has_tsc;
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
	uint64_t cycles; /**< as in struct tl_pt_timestamp; with has_tsc */
	uint64_t offset; /**< of the packet it comes from */
	/** where; of a branch or disable that came from somewhere: `from`, `at` */
	uint64_t ip;
	union {
		struct tl_pt_event_branch branch; /**< async_branch; `ip` is its source */
		/** async_disabled: tracing was turned off at `ip`, going to `to` */
		struct tl_pt_event_disabled disabled;
		struct tl_pt_event_enabled enabled;
		struct tl_pt_event_paging paging;
		struct tl_pt_event_vmcs vmcs;
		struct tl_pt_event_exec_mode exec_mode;
		struct tl_pt_event_tsx tsx;
		struct tl_pt_event_mwait mwait;
		struct tl_pt_event_pwre pwre;
		struct tl_pt_event_pwrx pwrx;
		struct tl_pt_event_ptwrite ptwrite;
		struct tl_pt_event_cbr cbr;
		struct tl_pt_event_mnt mnt;
		struct tl_pt_event_tnt tnt;
		struct tl_pt_event_iflags iflags;
		struct tl_pt_event_interrupt interrupt; /**< also uintr, swintr, sipi */
		struct tl_pt_event_vmexit vmexit;
		struct tl_pt_event_trig trig;
		struct tl_pt_event_lost lost;
	};
};

/* ---- queries: what comes next, asked by someone who walks the code --------------------------- */

/**
 * The published query interface: the flow of a trace one question at a time. Statuses of all calls
 * (enum tl_pt_status):
 * TL_PT_EVENT_PENDING: the next thing is an event; TL_PT_END_OF_STREAM: nothing comes any more;
 * TL_PT_STATUS_IP_SUPPRESSED: the address asked for was withheld. Events and end are told when no
 * outcomes are left.
 */
struct tl_pt_query;

/** Open, not synchronised. @return 0, -TL_PT_INVALID, -TL_PT_BAD_CONFIG, -TL_PT_NOMEM */
TL_API int tl_pt_query_open(struct tl_pt_query **query, const struct tl_pt_config *config);
TL_API void tl_pt_query_close(struct tl_pt_query *query);
TL_API const struct tl_pt_config *tl_pt_query_config(const struct tl_pt_query *query);

/**
 * Synchronise onto the next PSB; onto the last one before the present offset, but not the one just
 * synchronised onto; onto the one at `offset`.
 * @param ip  may be NULL; where tracing is on, 0 with TL_PT_STATUS_IP_SUPPRESSED when it is off
 * @return status; -TL_PT_EOS without such a PSB or anything behind it, -TL_PT_NOSYNC when there is
 *         none at `offset`, or what is wrong in it
 */
TL_API int tl_pt_query_sync_forward(struct tl_pt_query *query, uint64_t *ip);
TL_API int tl_pt_query_sync_backward(struct tl_pt_query *query, uint64_t *ip);
TL_API int tl_pt_query_sync_set(struct tl_pt_query *query, uint64_t *ip, uint64_t offset);

/**
 * Where the next packet with something to say is, and the last synchronisation. @return 0,
 * -TL_PT_NOSYNC
 */
TL_API int tl_pt_query_offset(const struct tl_pt_query *query, uint64_t *offset);
TL_API int tl_pt_query_sync_offset(const struct tl_pt_query *query, uint64_t *offset);

/**
 * Was the next conditional branch taken? A compressed return is a taken one.
 * @return status; -TL_PT_BAD_QUERY when something else comes next, -TL_PT_EOS, or the error of the
 *         trace, which stays until it is synchronised again
 */
TL_API int tl_pt_query_cond_branch(struct tl_pt_query *query, int *taken);

/**
 * Where did the next indirect branch, far branch or uncompressed return go? Outcomes that are left
 * stay (5.6).
 */
TL_API int tl_pt_query_indirect_branch(struct tl_pt_query *query, uint64_t *ip);

/** The next event. -TL_PT_BAD_QUERY while outcomes are left, or when a branch comes next. */
TL_API int tl_pt_query_event(struct tl_pt_query *query, struct tl_pt_event *event, size_t size);

/**
 * The time of what was asked last. @return 0, -TL_PT_NO_TIME (values are given anyway),
 * -TL_PT_NOSYNC
 */
TL_API int tl_pt_query_time(struct tl_pt_query *query, uint64_t *tsc, uint32_t *lost_mtc,
			    uint32_t *lost_cyc);
/** The core:bus ratio then. @return 0, -TL_PT_NO_CBR, -TL_PT_NOSYNC */
TL_API int tl_pt_query_core_bus_ratio(struct tl_pt_query *query, uint32_t *ratio);

/**
 * The published event interface: the same flow as events in a row, branches among them
 * (TL_PT_EV_TNT, TL_PT_EV_TIP), and the state of each PSB+ as events with `status_update`.
 */
struct tl_pt_events;

/** Open, not synchronised. @return 0, -TL_PT_INVALID, -TL_PT_BAD_CONFIG, -TL_PT_NOMEM */
TL_API int tl_pt_events_open(struct tl_pt_events **events, const struct tl_pt_config *config);
TL_API void tl_pt_events_close(struct tl_pt_events *events);
TL_API const struct tl_pt_config *tl_pt_events_config(const struct tl_pt_events *events);

/**
 * Synchronise onto the next PSB, the one before, the one at `offset`. @return 0, -TL_PT_EOS,
 * -TL_PT_NOSYNC
 */
TL_API int tl_pt_events_sync_forward(struct tl_pt_events *events);
TL_API int tl_pt_events_sync_backward(struct tl_pt_events *events);
TL_API int tl_pt_events_sync_set(struct tl_pt_events *events, uint64_t offset);

/** Where the next packet is, and the last synchronisation. @return 0, -TL_PT_NOSYNC */
TL_API int tl_pt_events_offset(const struct tl_pt_events *events, uint64_t *offset);
TL_API int tl_pt_events_sync_offset(const struct tl_pt_events *events, uint64_t *offset);

/**
 * The next event. @return 0; -TL_PT_EOS at the end, -TL_PT_NOSYNC, or the error of the trace, which
 * stays
 */
TL_API int tl_pt_events_next(struct tl_pt_events *events, struct tl_pt_event *event, size_t size);

/* ---- blocks and instructions (1) ------------------------------------------------------------- */

enum tl_pt_iclass {
	TL_PT_IC_ERROR,
	TL_PT_IC_OTHER,
	TL_PT_IC_CALL,
	TL_PT_IC_RETURN,
	TL_PT_IC_JUMP,
	TL_PT_IC_COND_JUMP,
	TL_PT_IC_FAR_CALL,
	TL_PT_IC_FAR_RETURN,
	TL_PT_IC_FAR_JUMP,
	TL_PT_IC_PTWRITE,
	TL_PT_IC_INDIRECT
};

/**
 * Flags of a block. The first two stand where version 2 of the published interface has them; the
 * others are those of version 1, in the bits that version 2 leaves free, so that one structure
 * serves both.
 */
enum tl_pt_block_flag {
	TL_PT_SPECULATIVE = 1 << 0, /**< ran inside a transaction */
	/** the last instruction goes on in another section: `raw`, `size` */
	TL_PT_TRUNCATED = 1 << 1,
	TL_PT_ABORTED = 1 << 2,     /**< after it the transaction was aborted */
	TL_PT_COMMITTED = 1 << 3,   /**< after it the transaction was committed */
	TL_PT_DISABLED = 1 << 4,    /**< after it tracing was turned off */
	TL_PT_ENABLED = 1 << 5,     /**< tracing was turned on at its first instruction */
	TL_PT_RESUMED = 1 << 6,     /**< and that is where it had been turned off */
	TL_PT_INTERRUPTED = 1 << 7, /**< after it the flow was interrupted */
	TL_PT_RESYNCED = 1 << 8,    /**< first after packets were lost */
	TL_PT_STOPPED = 1 << 9,     /**< after it TraceStop stopped tracing */
};

/**
 * A run of instructions that needs no trace between them; same layout as the published structure
 * (48 bytes).
 */
struct tl_pt_block {
	uint64_t ip;     /**< of the first instruction */
	uint64_t end_ip; /**< of the last instruction */
	int32_t isid;    /**< image section, 0: none, or memory came from the callback */
	int32_t mode;    /**< enum tl_pt_exec_mode */
	int32_t iclass;  /**< enum tl_pt_iclass of the last instruction */
	uint16_t ninsn;
	uint8_t raw[15]; /**< bytes of the last instruction, with TL_PT_TRUNCATED */
	uint8_t size;    /**< its length, with TL_PT_TRUNCATED */
	uint16_t flags;  /**< enum tl_pt_block_flag */
};

/** One instruction. */
struct tl_pt_insn {
	uint64_t ip;
	int32_t isid;
	enum tl_pt_exec_mode mode;
	enum tl_pt_iclass iclass;
	uint8_t raw[15], size;
	uint16_t flags; /**< TL_PT_SPECULATIVE, TL_PT_TRUNCATED */
};

/* ---- image (3.1) ----------------------------------------------------------------------------- */

/**
 * Files that several images share, each added once and known by a number, its isid. A cache may be
 * closed before the images that use it. Not to be changed while another thread decodes with an
 * image that uses it.
 */
struct tl_pt_cache;

/** @param name  copied; may be NULL. @return NULL without memory */
TL_API struct tl_pt_cache *tl_pt_cache_open(const char *name);

/** NULL is fine. */
TL_API void tl_pt_cache_close(struct tl_pt_cache *cache);

/** The name given, NULL if none. */
TL_API const char *tl_pt_cache_name(const struct tl_pt_cache *cache);

/**
 * The most bytes that stay mapped of files nobody decodes with; 0: no limit. Decoding is as fast
 * with any limit: what was decoded once is not read again. @return 0 or -TL_PT_INVALID
 */
TL_API int tl_pt_cache_set_limit(struct tl_pt_cache *cache, uint64_t bytes);

/**
 * Add bytes [offset, offset + size) of a file, as loaded at `vaddr`; what reaches past the end of
 * the file is left out. The same part at the same address keeps its number.
 * @return the isid, > 0; -TL_PT_BAD_FILE, -TL_PT_INVALID (nothing of the file is there),
 *         -TL_PT_NOMEM
 */
TL_API int tl_pt_cache_add_file(struct tl_pt_cache *cache, const char *path, uint64_t offset,
				uint64_t size, uint64_t vaddr);

/**
 * Read up to `size` bytes of a section at its address. @return how many; -TL_PT_INVALID,
 * -TL_PT_BAD_IMAGE, -TL_PT_NOMAP
 */
TL_API int tl_pt_cache_read(struct tl_pt_cache *cache, uint8_t *buffer, size_t size, int isid,
			    uint64_t vaddr);

/**
 * The code of a traced program: sections of files at addresses, in address spaces. A section added
 * later wins where two overlap. An image may be changed between two calls of a decoder that uses
 * it, and be shared by decoders; it is not to be changed while another thread decodes with it.
 */
struct tl_pt_image;

/** @param name  copied; may be NULL. @return NULL without memory */
TL_API struct tl_pt_image *tl_pt_image_open(const char *name);

/** NULL is fine. Decoders that use it must be gone, or have been given another one. */
TL_API void tl_pt_image_close(struct tl_pt_image *image);

/** The name given, NULL if none. */
TL_API const char *tl_pt_image_name(const struct tl_pt_image *image);

/**
 * Add bytes [offset, offset + size) of a file as loaded at `vaddr` in an address space (NULL: in
 * any). The file is mapped; it must not shrink while it is used. @return 0; errors as
 * tl_pt_cache_add_file()
 */
TL_API int tl_pt_image_add_file(struct tl_pt_image *image, const char *path, uint64_t offset,
				uint64_t size, const struct tl_pt_asid *asid, uint64_t vaddr);

/**
 * Add bytes that the caller keeps alive and unchanged. `isid`: shown in blocks, 0 if of no use.
 * @return 0 or an error
 */
TL_API int tl_pt_image_add_memory(struct tl_pt_image *image, const uint8_t *data, size_t size,
				  const struct tl_pt_asid *asid, uint64_t vaddr, int isid);

/** Add a section of a cache. @return 0, -TL_PT_BAD_IMAGE when there is no such section */
TL_API int tl_pt_image_add_cached(struct tl_pt_image *image, struct tl_pt_cache *cache, int isid,
				  const struct tl_pt_asid *asid);

/** Add all sections of another image. @return 0, or how many could not be added */
TL_API int tl_pt_image_copy(struct tl_pt_image *image, const struct tl_pt_image *from);

/** Remove the sections of a file in an address space (NULL: any). @return how many */
TL_API int tl_pt_image_remove_by_filename(struct tl_pt_image *image, const char *path,
					  const struct tl_pt_asid *asid);

/** Remove the sections of an address space (NULL: any). @return how many */
TL_API int tl_pt_image_remove_by_asid(struct tl_pt_image *image, const struct tl_pt_asid *asid);

/**
 * Reads code that no section has. It must give the same bytes for the same place until it is set
 * again.
 * @return bytes read, at least 1; a negative tl_pt_error if there are none
 */
typedef int tl_pt_read_fn(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
			  void *arg);

/** `read` NULL: no callback. @return 0 or -TL_PT_INVALID */
TL_API int tl_pt_image_set_callback(struct tl_pt_image *image, tl_pt_read_fn *read, void *arg);

/**
 * Read code as a decoder sees it, at most to the end of the section. @param isid  set; may be NULL
 * @return bytes read, or -TL_PT_NOMAP
 */
TL_API int tl_pt_image_read(const struct tl_pt_image *image, int *isid, uint8_t *buffer,
			    size_t size, const struct tl_pt_asid *asid, uint64_t ip);

/* ---- decoder --------------------------------------------------------------------------------- */

/**
 * Walks the code along the trace. It gives blocks, instructions or nodes, and events between them;
 * synchronise first.
 *
 * Results of these functions: non-negative, a set of enum tl_pt_status; or a negative tl_pt_error.
 * After an error other than -TL_PT_EOS the decoder stays in it until it is synchronised again or
 * tl_pt_decoder_resync() (9.8). What was run before an error has been delivered by then, so an
 * error never comes with blocks. While the last result has TL_PT_EVENT_PENDING, take the events;
 * else blocks give -TL_PT_EVENT_IGNORED.
 *
 * Where a block ends depends on code and trace alone (9.1): after an instruction that needs trace,
 * where an event takes effect, at a PSB, where section or mode change, after 65,535 instructions,
 * and as the flags of the configuration say.
 */
struct tl_pt_decoder;

/**
 * @param config  copied; the trace it points to stays the caller's
 * @param image   NULL: the decoder's own one, empty; see tl_pt_decoder_image()
 * @return 0, -TL_PT_INVALID, -TL_PT_BAD_CONFIG, -TL_PT_NOMEM, -TL_PT_NOT_SUPPORTED in a build
 *         without Zydis
 */
TL_API int tl_pt_decoder_open(struct tl_pt_decoder **decoder, const struct tl_pt_config *config,
			      struct tl_pt_image *image);

/** NULL is fine. */
TL_API void tl_pt_decoder_close(struct tl_pt_decoder *decoder);

/**
 * Decode with so many threads from the next synchronisation on. What comes out of blocks, nodes and
 * events is the same for any number, but for the numbers of nodes. It pays for long traces;
 * instructions, traces with CYC packets and what comes behind an error are decoded by one thread.
 * The image's callback is then called by several threads.
 * @return 0 or -TL_PT_INVALID
 */
TL_API int tl_pt_decoder_set_jobs(struct tl_pt_decoder *decoder, unsigned jobs);

/**
 * Synchronise at the next PSB; the first time at the first one. @return status, or -TL_PT_EOS if
 * there is none
 */
TL_API int tl_pt_decoder_sync_forward(struct tl_pt_decoder *decoder);

/**
 * At the PSB before the one synchronised at; the first time at the last one. @return status, or
 * -TL_PT_EOS
 */
TL_API int tl_pt_decoder_sync_backward(struct tl_pt_decoder *decoder);

/**
 * At the PSB at `offset`. @return status; -TL_PT_NOSYNC if there is none, -TL_PT_EOS beyond the end
 * (9.10)
 */
TL_API int tl_pt_decoder_sync_set(struct tl_pt_decoder *decoder, uint64_t offset);

/**
 * After an error: go on at the next packet that gives a place (9.9). `lost`, which may be NULL,
 * tells what was skipped.
 * @return status, or -TL_PT_EOS if there is nothing more
 */
TL_API int tl_pt_decoder_resync(struct tl_pt_decoder *decoder, struct tl_pt_event *lost,
				size_t size);

/**
 * The next blocks, as many as there are up to `max` before an event or an error. The status, in
 * `*status`, holds at their end. An error waits until the blocks before it have been taken. With
 * TL_PT_END_OF_STREAM, blocks go on as long as they need no trace (9.11).
 * @return number of blocks; 0: see `*status`; or a negative error
 */
TL_API int64_t tl_pt_decoder_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks,
				    size_t size, size_t max, int *status);

/**
 * One block: tl_pt_decoder_blocks() with `max` 1, but the status looks one step ahead, as
 * "pt_blk_next" has it.
 */
TL_API int tl_pt_decoder_block_next(struct tl_pt_decoder *decoder, struct tl_pt_block *block,
				    size_t size);

/**
 * One instruction; `raw` and `size` are always filled. Not to be mixed with blocks without
 * synchronising again.
 */
TL_API int tl_pt_decoder_insn_next(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn,
				   size_t size);

/** The event that is pending. @return status, or -TL_PT_BAD_QUERY if none is */
TL_API int tl_pt_decoder_event_next(struct tl_pt_decoder *decoder, struct tl_pt_event *event,
				    size_t size);

/** The time where decoding is; NULL where not wanted. @return 0 or -TL_PT_NO_TIME */
TL_API int tl_pt_decoder_time(const struct tl_pt_decoder *decoder, uint64_t *tsc,
			      uint32_t *lost_mtc, uint32_t *lost_cyc);

/**
 * Cycles of the core up to where decoding is, since the first CYC packet behind the last
 * synchronisation: the sum of all those behind it, modulo 2^64; 0 in a trace without. (That packet
 * counts from one that was not seen.)
 * @return 0, -TL_PT_INVALID, -TL_PT_NOSYNC
 */
TL_API int tl_pt_decoder_cycles(const struct tl_pt_decoder *decoder, uint64_t *cycles);

/** The core:bus ratio. @return 0 or -TL_PT_NO_CBR */
TL_API int tl_pt_decoder_core_bus_ratio(const struct tl_pt_decoder *decoder, uint32_t *ratio);

/** The address space where decoding is; all ones where unknown. @return 0 or -TL_PT_INVALID */
TL_API int tl_pt_decoder_asid(const struct tl_pt_decoder *decoder, struct tl_pt_asid *asid);

/**
 * The byte decoding is at; after an error the start of the packet it is about. @return 0 or
 * -TL_PT_NOSYNC
 */
TL_API int tl_pt_decoder_offset(const struct tl_pt_decoder *decoder, uint64_t *offset);

/** The PSB synchronised at last. @return 0 or -TL_PT_NOSYNC */
TL_API int tl_pt_decoder_sync_offset(const struct tl_pt_decoder *decoder, uint64_t *offset);

/** The configuration given. */
TL_API const struct tl_pt_config *tl_pt_decoder_config(const struct tl_pt_decoder *decoder);

/** The image in use. */
TL_API struct tl_pt_image *tl_pt_decoder_image(struct tl_pt_decoder *decoder);

/** Use another image from here on; NULL: the decoder's own one. @return 0 or -TL_PT_INVALID */
TL_API int tl_pt_decoder_set_image(struct tl_pt_decoder *decoder, struct tl_pt_image *image);

/**
 * Decode only packets before `offset` for now, and then tell of the end of the stream; a later call
 * allows more, and decoding goes on as if there had been no stop. For containers that know where
 * another program takes over: they change the address space first. Packets that belong together
 * must stand on one side. To be called before synchronising, or when the end was told. @return
 * status, or -TL_PT_INVALID
 */
TL_API int tl_pt_decoder_set_end(struct tl_pt_decoder *decoder, uint64_t offset);

/**
 * The address space from here on, as if a packet had told of it, and wherever the decoder is
 * synchronised later. Not between nodes decoded ahead: to be called before synchronising, or when
 * the end was told.
 * @return 0, -TL_PT_INVALID, -TL_PT_NOMEM
 */
TL_API int tl_pt_decoder_set_asid(struct tl_pt_decoder *decoder, const struct tl_pt_asid *asid);

/* ---- nodes: blocks by number, for profiles --------------------------------------------------- */

/**
 * From node number `index` of a run on, the time is `tsc`. With CYC packets that is when the last
 * of the nodes of one packet had run: the cycles from the mark before to this one are those of the
 * nodes from `index` on (6).
 */
struct tl_pt_timestamp {
	uint32_t index;
	uint32_t lost; /**< MTC and CYC packets that could not be used since the last exact time */
	uint64_t tsc;
	uint64_t cycles; /**< of the core, see tl_pt_decoder_cycles() */
};

/**
 * A run of blocks, each given as the number of its node: the same block always has the same number.
 */
struct tl_pt_node_batch {
	uint32_t *nodes; /**< the caller's, `max` numbers */
	size_t max;
	/**
	 * the caller's, `max_timestamps` marks; NULL: time is not wanted. The run ends when full
	 */
	struct tl_pt_timestamp *timestamps;
	size_t max_timestamps;
	size_t count, timestamp_count; /**< what was filled in */
	uint16_t flags; /**< TL_PT_SPECULATIVE: all of them ran inside a transaction */
	int status;     /**< enum tl_pt_status at the end of the run */
	uint32_t limit; /**< all numbers so far are below this one; from 1 on */
	/**
	 * how many of the numbers are blocks so far: who has looked at as many need look at no more
	 */
	uint32_t blocks;
	uint32_t epoch; /**< when it differs from the run before, all numbers are new */
};

/**
 * The next run; as tl_pt_decoder_blocks(), of which it is the faster form: keep counts per node and
 * look at a node once. Node numbers are dense. When memory for nodes is used up, or the image
 * changes, they start anew: `epoch`.
 * @return 0, or a negative error
 */
TL_API int tl_pt_decoder_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch,
			       size_t size);

/**
 * The block of a node of the present epoch; `size` is always the length of its last instruction.
 * Lives until the next call that decodes. NULL for a number that is none.
 */
TL_API const struct tl_pt_block *tl_pt_decoder_node_block(const struct tl_pt_decoder *decoder,
							  uint32_t node);

/** What stands in one node. */
struct tl_pt_node_insn {
	uint64_t ip;
	uint64_t target; /**< of a direct branch, else 0 */
	uint8_t size;
	uint8_t iclass; /**< enum tl_pt_iclass */
	bool direct;    /**< a direct branch, conditional or not */
};

/**
 * The instructions of a node, from number `first` on. @return how many were filled in, 0 behind the
 * last, or -TL_PT_INVALID
 */
TL_API int tl_pt_decoder_node_insns(struct tl_pt_decoder *decoder, uint32_t node, size_t first,
				    struct tl_pt_node_insn *insns, size_t size, size_t max);

#ifdef __cplusplus
}
#endif
#endif
