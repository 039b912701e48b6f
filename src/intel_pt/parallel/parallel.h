/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PARALLEL_PARALLEL_H
#define TL_INTEL_PT_PARALLEL_PARALLEL_H
/*
 * Several threads for one trace (9.20). The trace is cut into segments at PSBs. Each segment is
 * decoded from its PSB on, with an empty return stack, into a list of nodes and events, by a
 * decoder of the thread's own; all these decoders share one graph. The caller gets the segments in
 * order, and is itself one of the threads: while the segment that it needs is not ready, it decodes
 * another one.
 *
 * The plain loop that this equals is tl_pt_decode_ahead() with the caller's decoder alone, node for
 * node and event for event. So a segment counts only if it began in the state in which the segment
 * before it ended (tl_pt_segment_follows()); else the caller's decoder takes over from there.
 */
#include <pthread.h>

#include "intel_pt/blocks/decoder.h"

enum {
	TL_PT_SEGMENT_BYTES = 1 << 15, /* bytes of trace in a segment, at least */
	TL_PT_JOBS_MOST = 64,
	/* a segment of more nodes is given up: memory is bounded, whatever the trace */
	TL_PT_SEGMENT_NODES = 1 << 22,
	/*
	 * Segments decoded ahead of the caller, for each thread: enough of them that a thread may
	 * wait some milliseconds for a processor.
	 */
	TL_PT_SEGMENTS_PER_THREAD = 8,
	TL_PT_PARALLEL_LEAST = 1 << 18, /* bytes of trace that are worth the threads */
};

/* Nodes up to an event, or to the end of the segment. */
struct tl_pt_segment_cut {
	uint32_t ids, times;              /* their ends in the lists of the segment */
	struct tl_pt_passed_nodes passed; /* up to there, of this segment alone */
	bool speculative, on, was_on;
	bool eos, eos_behind; /* whether the end of the trace had come before them, and behind */
	bool has_event, inherited;
	struct tl_pt_event event;
	uint64_t offset;
	struct tl_pt_asid asid;
	uint8_t cbr;
	bool have_cbr;
};

/* The output of one segment. */
struct tl_pt_segment_lists {
	uint32_t *ids; /* numbers of nodes */
	size_t id_count, id_capacity;
	struct tl_pt_loud_nodes loud; /* of each, if quiet ones are passed over */
	size_t insns_capacity, before_capacity;
	struct tl_pt_node_time *times;
	size_t time_count, time_capacity;
	struct tl_pt_segment_cut *cuts;
	size_t cut_count, cut_capacity;
};

struct tl_pt_psb_segment {
	uint64_t begin, end; /* offsets of its PSB and of the next one; UINT64_MAX: the last */
	bool is_ready;
	bool whole; /* decoded to its end: the PSB boundary, or the end of the trace */
	bool inherits;
	bool has_cyc;
	struct tl_pt_segment_lists lists;
	struct tl_pt_clock time; /* at its beginning, if there is a time pre-pass */
	struct tl_pt_psb_state begin_state, end_state;
	struct tl_pt_failure failure;
	uint32_t node_limit; /* all its nodes have smaller numbers */
};

struct tl_pt_parallel_thread {
	struct tl_pt_parallel *parallel;
	struct tl_pt_decoder *decoder;
	pthread_t thread;
};

/*
 * The time pre-pass. How many ticks a cycle takes depends on all packets before. So, where there
 * are CYC packets, the thread that claims a segment first reads the packets of time in it, segment
 * after segment, before the longer work of decoding begins.
 */
struct tl_pt_time_prepass {
	bool is_needed;
	struct tl_pt_flow flow;
	uint64_t done; /* segments whose packets of time have been read */
};

/* The segment that the caller is being given, and the end of the segment before it. */
struct tl_pt_parallel_output {
	uint64_t segment; /* its number */
	size_t cut;       /* cuts of it that were given */
	/* before the segment */
	struct tl_pt_passed_nodes passed;
	struct tl_pt_psb_state end_state;
	uint64_t begin_before;          /* offset at which the segment before it began, */
	struct tl_pt_clock time_before; /* and the time there */
};

struct tl_pt_parallel {
	/* the last of `jobs` has no thread of its own: it is the caller's */
	struct tl_pt_parallel_thread threads[TL_PT_JOBS_MOST];
	unsigned jobs, started;
	struct tl_pt_psb_segment *segments; /* a ring */
	uint64_t ring;                      /* its size */

	pthread_mutex_t lock;       /* of the members up to `stopping` */
	pthread_cond_t ready, room; /* a segment is ready; the ring has room */
	uint64_t consumed; /* segments that the caller is done with; the next one is being given */
	uint64_t claimed;  /* segments that a thread has begun with */
	uint64_t begin;    /* offset of the next segment; UINT64_MAX: there is none */
	uint64_t drop_at;  /* before this segment all nodes are dropped; UINT64_MAX: before none */
	struct tl_pt_time_prepass prepass;
	bool stopping;

	struct tl_pt_parallel_output output; /* used by the caller's thread alone */
};

/*
 * Where the caller's own decoder takes over: it begins at a PSB, and drops the nodes and events
 * that the caller was given.
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
 * segment.c: decode one segment. `time`: at its beginning; NULL: only its PSB+ tells the time,
 * which is exact where no cycles are counted.
 */
void tl_pt_segment_decode(struct tl_pt_psb_segment *segment, struct tl_pt_decoder *decoder,
			  bool first, const struct tl_pt_clock *time);
/* While tracing is off, the PSB+ of a segment may hold no MODE packet: assume 64-bit code. */
void tl_pt_assume_mode(struct tl_pt_decoder *decoder);
void tl_pt_segment_free(struct tl_pt_psb_segment *segment);
/* Whether this segment began in the state in which the one before it ended. */
bool tl_pt_segment_follows(const struct tl_pt_psb_state *before,
			   const struct tl_pt_psb_segment *segment);

#endif
