/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PARALLEL_PARALLEL_H
#define TL_INTEL_PT_PARALLEL_PARALLEL_H
/*
 * Several threads for one trace (9.20). It is cut into pieces at PSBs; each is decoded from its PSB
 * with an empty return stack, by a decoder of the thread's own on the graph of all, into a list of
 * nodes and events. The caller gets them in order. It is one of the threads: while the piece it
 * needs is not ready, it decodes another. A piece counts only if it began as the one before it
 * ended; else the caller's own decoder does it once more, from there: so what comes out is that of
 * one thread, byte for byte.
 */
#include <pthread.h>

#include "intel_pt/blocks/decoder.h"

enum {
	TL_PT_SEGMENT_BYTES = 1 << 15, /* bytes of trace */
	TL_PT_JOBS_MOST = 64,
	/* a piece of more is given up: memory is bounded whatever the trace */
	TL_PT_SEGMENT_NODES = 1 << 22,
	/*
	 * Pieces ahead of the caller, for each thread: so many that one may wait for a processor
	 * for some milliseconds.
	 */
	TL_PT_SEGMENTS_PER_THREAD = 8,
	TL_PT_PARALLEL_LEAST = 1 << 18, /* bytes of trace that are worth the threads */
};

/* Nodes up to an event, or to the end of the piece. */
struct tl_pt_segment_cut {
	uint32_t ids, times; /* end of them in the piece's lists */
	bool speculative, on, was_on;
	bool eos, eos_behind; /* whether the end of the trace had come before them, and behind */
	bool has_event, inherited;
	struct tl_pt_event event;
	uint64_t offset;
	struct tl_pt_asid asid;
	uint8_t cbr;
	bool have_cbr;
};

struct tl_pt_psb_segment {
	uint64_t begin, end; /* offsets of its PSB and the next piece's; UINT64_MAX: the last one */
	bool is_ready;
	uint32_t *ids;
	size_t id_count, id_room;
	struct tl_pt_node_time *times;
	size_t time_count, time_room;
	struct tl_pt_segment_cut *cuts;
	size_t cut_count, cut_room;
	uint32_t events;
	struct tl_pt_clock time; /* where it begins, if the team has a clock */
	bool whole;              /* decoded to its end: the border, or the end of the trace */
	bool inherits;
	bool has_cyc;
	struct tl_pt_psb_state begin_state, end_state;
	enum tl_pt_error error;
	uint64_t error_offset;
	uint32_t limit; /* of the numbers of its nodes */
};

struct tl_pt_parallel_thread {
	struct tl_pt_parallel *team;
	struct tl_pt_decoder *decoder;
	pthread_t thread;
};

struct tl_pt_parallel {
	/* the last one without a thread: the caller's */
	struct tl_pt_parallel_thread workers[TL_PT_JOBS_MOST];
	unsigned jobs, started;
	struct tl_pt_psb_segment *pieces; /* a ring */
	uint64_t ring;

	pthread_mutex_t lock;
	pthread_cond_t ready, room;
	uint64_t consumed; /* pieces the caller is done with; the next one is being given */
	uint64_t claimed;  /* pieces that a thread has taken on */
	uint64_t begin;    /* where the next piece begins; UINT64_MAX: there is none */
	/*
	 * What a cycle is worth is known by all packets before. Where there are CYC packets,
	 * whoever takes a piece on winds the clock from its beginning to its end, before all that
	 * takes long: one after the other.
	 */
	bool has_clock;
	struct tl_pt_flow clock;
	uint64_t clocked; /* pieces that the clock has passed */
	uint64_t drop_at; /* before this piece all nodes are dropped; UINT64_MAX: none */
	bool stopping;

	/* The caller's: what is being given, and the end of the one before it. */
	uint64_t current;
	size_t cut;
	struct tl_pt_psb_state psb_state;
	uint64_t before; /* offset of the piece before, and the time there */
	struct tl_pt_clock time_before;
};

/*
 * Where the caller's own decoder takes over: it begins at a PSB, and drops what the caller has had.
 */
struct tl_pt_takeover {
	uint64_t begin, end;
	bool first;
	uint64_t nodes, events;
	bool has_time;
	struct tl_pt_clock time; /* at `begin` */
	bool resume_known;
	uint64_t resume_ip;
};

/*
 * piece.c: decode one piece. `time`: that at its beginning; NULL: what its PSB+ says, which is all
 * there is to know.
 */
void tl_pt_segment_decode(struct tl_pt_psb_segment *piece, struct tl_pt_decoder *decoder,
			  bool first, const struct tl_pt_clock *time);
/* A piece that begins while tracing is off may not be told its mode. */
void tl_pt_assume_mode(struct tl_pt_decoder *decoder);
void tl_pt_segment_free(struct tl_pt_psb_segment *piece);
/* Whether this segment began in the state in which the one before it ended. */
bool tl_pt_segment_follows(const struct tl_pt_psb_state *before,
			   const struct tl_pt_psb_segment *piece);

#endif
