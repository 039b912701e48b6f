/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_TEXT_H
#define TL_INTEL_PT_LISTING_TEXT_H
/*
 * Packets, events, blocks and instructions as text, in the words of ptdump and ptxed (section 12 of
 * docs/formats/intel-pt.md), or as a JSON object a line.
 */
#include "intel_pt/profile/faults.h"

/* Options of a listing. */
enum tl_pt_text_flag {
	TL_PT_TEXT_JSON = 1 << 0,
	TL_PT_TEXT_RAW = 1 << 1, /* also bytes of packets and instructions */

	/* packets */
	TL_PT_TEXT_NO_OFFSET = 1 << 2,
	TL_PT_TEXT_NO_PAD = 1 << 3,
	TL_PT_TEXT_NO_TIMING = 1 << 4,
	TL_PT_TEXT_NO_CYC = 1 << 5,
	TL_PT_TEXT_NO_SYNC = 1 << 6, /* from the first byte on, not from the first PSB */
	TL_PT_TEXT_LAST_IP = 1 << 7,
	TL_PT_TEXT_EXEC_MODE = 1 << 8,
	TL_PT_TEXT_TIME = 1 << 9, /* of events, too */
	TL_PT_TEXT_TIME_DELTA = 1 << 10,
	TL_PT_TEXT_TCAL = 1 << 11,    /* the factor of CYC, at the MTC that measures it */
	TL_PT_TEXT_NO_TCAL = 1 << 12, /* time without CYC */
	TL_PT_TEXT_NO_TSC = 1 << 13,  /* time without TSC */

	/* events, blocks, instructions */
	TL_PT_TEXT_BLOCKS = 1 << 14,
	TL_PT_TEXT_INSNS = 1 << 15,
	TL_PT_TEXT_EVENTS = 1 << 16,
	TL_PT_TEXT_EVENT_IP = 1 << 17,
	TL_PT_TEXT_DISASSEMBLE = 1 << 18,
	TL_PT_TEXT_RESYNC =
		1
		<< 19, /* after an error go on at the next location instead of the next PSB (9.9) */
	TL_PT_TEXT_QUIET = 1 << 21,
	TL_PT_TEXT_BY_BLOCK = 1 << 20, /* instructions decoded by way of blocks, which is faster */
	TL_PT_TEXT_BRANCHES = 1 << 22, /* taken branches; nothing else but errors */
	TL_PT_TEXT_STAT = 1 << 23,     /* numbers of instructions and blocks, behind the rest */
};

/* Names as in 12.1; never NULL. */
const char *tl_pt_packet_word(const struct tl_pt_packet *packet);
const char *tl_pt_event_name(enum tl_pt_event_kind kind);
const char *tl_pt_mode_name(enum tl_pt_exec_mode mode);
const char *tl_pt_cfe_name(unsigned type);
const char *tl_pt_evd_name(unsigned type);
const char *tl_pt_iclass_name(int iclass);

/*
 * The payload of a packet, beside its name; "" for many. At most TL_PT_PAYLOAD_TEXT bytes with the
 * terminator.
 */
enum { TL_PT_PAYLOAD_TEXT = 96 };
void tl_pt_payload_text(char text[TL_PT_PAYLOAD_TEXT], const struct tl_pt_packet *packet);

/*
 * The line of an event: `[...]`. Some have none (the first "enabled" of a status update: the
 * address of the next line shows it).
 */
void tl_pt_put_event(struct tl_output *out, const struct tl_pt_event *event, unsigned flags);

/* The same as a JSON object a line. */
void tl_pt_put_packet_json(struct tl_output *out, const struct tl_pt_packet *packet,
			   uint64_t offset);
void tl_pt_put_event_json(struct tl_output *out, const struct tl_pt_event *event);

/* Write ,"key":"0x.." and the like. */
void tl_pt_json_hex(struct tl_output *out, const char *key, uint64_t value);
void tl_pt_json_number(struct tl_output *out, const char *key, uint64_t value);
void tl_pt_json_flag(struct tl_output *out, const char *key, bool value);
void tl_pt_json_word(struct tl_output *out, const char *key, const char *value);

struct tl_pt_flow_counts {
	uint64_t insns, blocks;
};

/* What a listing prints. */
struct tl_pt_show {
	unsigned flags;                /* enum tl_pt_text_flag */
	uint64_t from_ticks, to_ticks; /* a window of time; 0: open */
	bool (*wanted)(
		void *arg,
		uint64_t ip); /* address filter of blocks, instructions and events; NULL: all */
	void *arg;
	struct tl_pt_places *places;      /* names for branches; NULL: none */
	uint32_t decoder_flags;           /* enum tl_pt_flag, added to those of the configuration */
	struct tl_pt_flow_counts *counts; /* of slices; NULL: not counted */
};

/* Called for each range of bytes without packets, or without flow. */
typedef void tl_pt_lost_fn(void *arg, const struct tl_pt_lost *lost);

/*
 * Print all packets, a line each, from the first PSB on. Bytes that are not packets are printed in
 * their place, up to the next PSB.
 */
int tl_pt_dump_packets(const struct tl_pt_config *config, const struct tl_pt_show *show,
		       struct tl_output *out, tl_pt_lost_fn *lost, void *arg, struct tl_error *err);

/* Print events, blocks and instructions, as the flags say. `lost` and `counts` may be NULL. */
int tl_pt_dump_flow(const struct tl_pt_config *config, struct tl_pt_image *image,
		    const struct tl_pt_show *show, struct tl_output *out, tl_pt_lost_fn *lost,
		    void *arg, struct tl_pt_flow_counts *counts, struct tl_error *err);

/* The same for one slice of a feed, by the decoder of its stream; `out` NULL: only decode it. */
int tl_pt_dump_slice(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
		     const struct tl_pt_show *show, struct tl_output *out, tl_pt_lost_fn *lost,
		     void *arg, struct tl_error *err);

#endif
