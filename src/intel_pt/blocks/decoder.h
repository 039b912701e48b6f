/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_BLOCKS_DECODER_H
#define TL_INTEL_PT_BLOCKS_DECODER_H
/*
 * The inside of a decoder: the flow of packets, the graph of code, and where between them the walk
 * stands.
 *
 *   walk.c     outcomes and targets along the graph: the loop that has to be fast
 *   place.c    to a place without using trace: for everything that is bound to an address or an
 *              instruction
 *   bind.c     what each event is bound to, and what it changes
 *   run.c      items one after the other: fills a run of nodes up to the next event or error
 *   blocks.c, insns.c, nodes.c, decoder.c   the public faces
 */
#include "intel_pt/flow/flow.h"
#include "intel_pt/blocks/graph.h"
#include "intel_pt/blocks/unsized.h"

enum {
	/*
	 * nodes decoded ahead: to leave the loop at the end of a run costs as much as many of them
	 */
	TL_PT_LOOKAHEAD_NODES = 2048,
	TL_PT_LOOKAHEAD_CLASSIC = 256, /* for callers to whom offsets mean more (docs/libipt.md) */
	/*
	 * Instructions without trace before an endless loop is called one (9.12, 9.13); a block
	 * counts as some more.
	 */
	TL_PT_IDLE_MOST = 1 << 18,
	TL_PT_IDLE_BLOCK = 64,
};

/* Why decoding of a batch of nodes ends. */
enum tl_pt_stop {
	TL_PT_STOP_GO,    /* it does not */
	TL_PT_STOP_FULL,  /* no more room for nodes, or in the graph */
	TL_PT_STOP_EVENT, /* `events.next` is pending */
	TL_PT_STOP_ERROR, /* `failure` */
	TL_PT_STOP_NEED,  /* of the walk: the flow has to take the next packet */
};

/* Events that a recovery passes before the location where flow goes on: more are lost (9.9). */
enum { TL_PT_QUEUED_MAX = 16 };

/* Where the walk writes the numbers of nodes. */
struct tl_pt_out {
	uint32_t *pos, *end;
};

/* The clock from node `index` of a batch on. */
struct tl_pt_node_time {
	uint32_t index;
	uint32_t lost_mtc, lost_cyc;
	bool have_tsc;
	uint64_t tsc;
	uint64_t cycles; /* since the first CYC packet */
};

/* The times of a batch of nodes; the first one is that of its beginning. */
struct tl_pt_node_times {
	struct tl_pt_node_time *list;
	uint32_t count, most;
	const uint32_t *begin; /* of the run's nodes */
};

/* Nodes decoded ahead, from which calls are served. */
struct tl_pt_lookahead {
	const uint32_t *ids;
	const struct tl_pt_node_time *times; /* the first is that of the beginning */
	uint32_t at, filled, time_count;
	/* `filled` if blocks can be copied as their nodes have them, without more flags; else 0 */
	uint32_t plain;
	bool speculative, eos;
	enum tl_pt_stop stop; /* behind them */
};

/* Instructions of nodes, decoded once, and the caller's position in one node (insns.c). */
struct tl_pt_insns {
	struct tl_pt_reader reader;
	struct tl_pt_insn *list; /* from 1 on */
	size_t capacity;
	uint32_t count;
	uint32_t *first; /* by node: in `list`; 0: not there */
	uint32_t capacity_nodes, epoch;
	uint32_t at, left;
	uint16_t flags;
	bool eos;
	/* Where tl_pt_decoder_node_insns() came to, so that it can go on there. */
	uint32_t steps_number, steps_epoch;
	size_t steps_next;
	uint64_t steps_ip;
};

enum { TL_PT_INSNS_MOST = 1 << 20 };

/* The state of a walk between two segments of a trace: all that one hands to the next. */
struct tl_pt_psb_state {
	bool on, speculative, resume_known;
	bool clean; /* no packet waits for a later one */
	/* At the beginning of a segment: whether its PSB+ states these itself. */
	bool has_mode, has_paging, has_vmcs, has_tsx;
	enum tl_pt_exec_mode mode;
	uint64_t ip, resume_ip;
	struct tl_pt_asid asid;
	struct tl_pt_clock time;
};

/* How a decoder has several threads decode for it (parallel/parallel.c). */
struct tl_pt_parallel_ops {
	bool (*start)(struct tl_pt_decoder *decoder); /* behind synchronising; false: one thread */
	void (*fill)(struct tl_pt_decoder *decoder);  /* as tl_pt_decode_ahead() */
	void (*leave)(
		struct tl_pt_decoder *decoder); /* go on with one thread, where the caller is */
	void (*stop)(struct tl_pt_decoder *decoder);
};

/* What makes a decoder one of several (parallel/segment.c): it decodes from one PSB to another. */
struct tl_pt_segment_bounds {
	bool joining;   /* it begins in running flow: the first PSB+ is a boundary, no beginning */
	bool began;     /* `begin` is known */
	bool pinned;    /* lists refer to nodes given before: none may be dropped */
	bool inherits;  /* the segment before knows where tracing is expected to go on */
	bool inherited; /* the pending event depends on that */
	bool at_end;    /* the boundary at `end` was reached */
	uint64_t end;   /* offset of the PSB that ends it; UINT64_MAX: none */
	struct tl_pt_psb_state begin_state, end_state;
};

/* The code that is decoded. */
struct tl_pt_decoder_code {
	struct tl_pt_image *image, *own; /* own: for callers that give none */
	struct tl_pt_asid asid;          /* where synchronising begins */
};

/*
 * Where the walk stands: before the node `node`; without one, the next instruction is not known.
 */
struct tl_pt_position {
	uint32_t node;
	bool enabled; /* tracing is */
	bool settled; /* the first event behind synchronising has come */
	bool speculative;
	bool resume_known; /* where tracing is expected to go on (2, "resumed") */
	uint64_t resume_ip;
	uint64_t idle;        /* instructions since trace was used last */
	uint32_t last_walked; /* the node given last, if trace was used for it */
	uint32_t since;       /* instructions behind the last location that trace told (TRIG) */
	/*
	 * The last block of a walk to a stop condition; with node == TL_PT_NODE_BEHIND it ends with
	 * the branch whose target is yet to come.
	 */
	struct tl_pt_block last;
	uint16_t last_flags; /* of its last instruction, enum tl_x86_flow_flag */
	uint32_t top;        /* of the return stack */
	uint32_t stack[TL_PT_STACK];
};

/* Trace that was read and is not used yet: outcomes, and the target behind them. */
struct tl_pt_unused_trace {
	/* no packet is read before the ones before it are used up, and no deferred TIP */
	bool exact;
	/* of the next branch that needs one: from a TIP, or where a far branch went */
	bool tip_pending;
	bool tip_suppressed; /* that TIP had no address */
	uint32_t count;
	uint64_t bits; /* outcomes, the oldest in bit `count - 1` */
	uint64_t target;
	const uint8_t *taken, *taken_end; /* the packets whose outcomes are in `bits` */
};

/* A tick behind the next branch, and the outcomes behind that branch (5.8). */
struct tl_pt_pending_tick {
	bool pending;
	struct tl_pt_event event;
	uint64_t bits;
	uint32_t count;
};

/* A PSB+ in running flow: the walk has to come to its address. */
struct tl_pt_psb_boundary {
	bool pending;
	uint64_t ip, offset;
};

/* The item of the flow that is taken now. */
struct tl_pt_present_item {
	bool present;
	struct tl_pt_flow_item flow;
	uint64_t location_offset; /* of the packet that a walk to its location is for */
};

/* Events for the caller. */
struct tl_pt_event_queue {
	bool pending;     /* `next` waits */
	bool was_enabled; /* tracing was, before it */
	struct tl_pt_event next;
	struct tl_pt_event queue[TL_PT_QUEUED_MAX]; /* before anything else is decoded */
	uint32_t queue_first, queue_count;
	uint64_t located_at; /* offset of the event whose address was used last to recover, + 1 */
};

struct tl_pt_failure {
	enum tl_pt_error error;
	uint64_t offset;
};

/* The nodes that are being decoded: when they ran. */
struct tl_pt_making {
	struct tl_pt_node_times times;
	struct tl_pt_node_time last; /* the clock at the last packet used */
	bool speculative;
};

/* What was decoded ahead of the caller, and the clock and address space where that began. */
struct tl_pt_ahead {
	struct tl_pt_lookahead batch;
	struct tl_pt_node_time time;
	struct tl_pt_asid asid;
	uint32_t nodes[TL_PT_LOOKAHEAD_NODES];
	struct tl_pt_node_time times[TL_PT_LOOKAHEAD_NODES];
};

/* Threads that decode for this decoder. */
struct tl_pt_decoder_threads {
	const struct tl_pt_parallel_ops *ops; /* NULL: tl_pt_decoder_set_jobs() was not called */
	struct tl_pt_parallel *threads;       /* that decode now; NULL: only the caller's */
	uint32_t node_limit;                  /* the caller may know nodes below it */
	unsigned jobs;
};

/*
 * Version 1: the block before what comes next, and what is known of the one behind (v1_flags.c).
 */
struct tl_pt_v1 {
	struct tl_pt_block block;
	bool have_block;
	uint16_t next_flags;
};

struct tl_pt_decoder {
	struct tl_pt_config config;
	struct tl_pt_decoder_code code;
	struct tl_pt_flow flow;
	struct tl_pt_graph graph;
	bool synced;
	bool eos; /* the end of the trace has come */
	struct tl_pt_position pos;
	struct tl_pt_unused_trace trace;
	struct tl_pt_pending_tick tick;
	struct tl_pt_psb_boundary boundary;
	struct tl_pt_present_item item;
	struct tl_pt_event_queue events;
	struct tl_pt_failure failure;
	struct tl_pt_making making;
	struct tl_pt_ahead ahead;
	struct tl_pt_segment_bounds bounds;
	struct tl_pt_decoder_threads parallel;
	struct tl_pt_v1 v1;
	struct tl_pt_insns insns;
};

/*
 * Free nodes that handling one item may need: those a part of a block makes, and the return stack
 * in another space.
 */
enum { TL_PT_ROOM_NODES = 3 * TL_PT_STACK };

static inline bool tl_pt_graph_has_room(const struct tl_pt_graph *graph)
{
	/* The other threads may take as many at the same time. */
	uint32_t room = TL_PT_ROOM_NODES * (1 + graph->code->threads);

	return !graph->full && graph->capacity - tl_pt_graph_count(graph) >= room &&
	       __atomic_load_n(&graph->code->space_count, __ATOMIC_RELAXED) < TL_PT_SPACES;
}

/* Set `failure`; the walk stays where it is. */
static inline enum tl_pt_stop tl_pt_fail(struct tl_pt_decoder *decoder, enum tl_pt_error error,
					 uint64_t offset)
{
	decoder->failure.error = error;
	decoder->failure.offset = offset;
	return TL_PT_STOP_ERROR;
}

/* The packet that the run's node at `out` ends with is used: note the time. There must be room. */
void tl_pt_note_time(struct tl_pt_decoder *decoder, const uint32_t *out);

static inline bool tl_pt_node_times_full(const struct tl_pt_decoder *decoder)
{
	return decoder->making.times.list &&
	       decoder->making.times.count == decoder->making.times.most;
}

/* walk.c: decode as far as TNT and TIP packets at the flow's position lead. */
enum tl_pt_stop tl_pt_walk(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

static inline void tl_pt_push(struct tl_pt_decoder *decoder, uint32_t link)
{
	decoder->pos.stack[decoder->pos.top++ % TL_PT_STACK] = link;
}

/* Push what the calls in a node push. */
void tl_pt_push_links(struct tl_pt_decoder *decoder, uint32_t link);
void tl_pt_clear_stack(struct tl_pt_decoder *decoder);

/* event_location.c: walk to a stop condition. TL_PT_STOP_GO: reached. */
enum tl_pt_stop tl_pt_walk_to(struct tl_pt_decoder *decoder,
			      const struct tl_pt_stop_condition *goal, struct tl_pt_out *out);
/* Whether an address can be reached from another without trace, in a few steps (7, bdm64). */
bool tl_pt_reaches(struct tl_pt_decoder *decoder, uint64_t from, uint64_t to);
enum tl_pt_stop tl_pt_walk_past(struct tl_pt_decoder *decoder, uint32_t insns,
				struct tl_pt_out *out);
/*
 * Whole blocks as long as they need no trace, then one that does. TL_PT_STOP_GO: that one was
 * given.
 */
enum tl_pt_stop tl_pt_walk_to_branch(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/*
 * bind.c: bring the walk to the place of the event in `item` and apply it. TL_PT_STOP_EVENT: it is
 * `due`; _GO: it is none for the caller.
 */
enum tl_pt_stop tl_pt_take_event(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/*
 * What an event changes that has no place any more: the address space, the mode. False: an error.
 */
bool tl_pt_apply_anywhere(struct tl_pt_decoder *decoder, struct tl_pt_event *event);

/* The PSB+ noted before. TL_PT_STOP_GO: taken. And what may come before it. */
enum tl_pt_stop tl_pt_take_psb_boundary(struct tl_pt_decoder *decoder, struct tl_pt_out *out);
bool tl_pt_before_psb_boundary(const struct tl_pt_flow_item *item);

/* event_location.c: trace does not fit the code. TL_PT_STOP_FULL: to be called again. */
enum tl_pt_stop tl_pt_mismatch(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/* advance.c: decode nodes up to the next event or error, at most as many as there is room for. */
enum tl_pt_stop tl_pt_advance(struct tl_pt_decoder *decoder, struct tl_pt_out *out);
/* The state at the end of this segment; `ip`: where tracing goes on, if it does. */
void tl_pt_note_psb_state(const struct tl_pt_decoder *decoder, struct tl_pt_psb_state *joint,
			  uint64_t ip);
/*
 * The walk stands at an address of the present space, or nowhere. False: TL_PT_STOP_ERROR is set.
 */
bool tl_pt_set_ip(struct tl_pt_decoder *decoder, uint64_t ip);
/* Switch to another address space or mode; the position is found again there. */
bool tl_pt_change_space(struct tl_pt_decoder *decoder, const struct tl_pt_asid *asid,
			enum tl_pt_exec_mode mode);
/* Drop all nodes: memory for them is used up, or the image changed. False: an error is set. */
bool tl_pt_drop_nodes(struct tl_pt_decoder *decoder);
/* Forget position, return stack and unused trace. */
void tl_pt_position_reset(struct tl_pt_decoder *decoder);

/* decoder.c: one whose graph is another decoder's (NULL: its own). */
int tl_pt_decoder_open_on(struct tl_pt_decoder **decoder, const struct tl_pt_config *config,
			  struct tl_pt_image *image, struct tl_pt_code_graph *code);

/* decoder.c: the flow stands at a PSB: forget everything that was decoded before. */
void tl_pt_decoder_restart(struct tl_pt_decoder *decoder);

/* position.c: the error will become an event. */
bool tl_pt_may_salvage(const struct tl_pt_decoder *decoder);

/*
 * relocate.c: go on where the trace allows (9.9). False: nothing follows. `lost` is filled in any
 * case.
 */
bool tl_pt_recover(struct tl_pt_decoder *decoder, struct tl_pt_event *lost);

/* blocks.c: decode ahead if nothing is left of the last time; the status the caller sees then. */
void tl_pt_lookahead_fill(struct tl_pt_decoder *decoder);
const struct tl_pt_node_time *tl_pt_time_now(const struct tl_pt_decoder *decoder);
int tl_pt_status_now(const struct tl_pt_decoder *decoder);
/*
 * The next node, decoded before if need be. 0, or the negative error that callers of blocks and
 * instructions get.
 */
int tl_pt_next_node(struct tl_pt_decoder *decoder, uint32_t *number);

/* lookahead.c: decode a batch of nodes with the caller's thread. */
void tl_pt_decode_ahead(struct tl_pt_decoder *decoder);
/* The batch is filled: set what follows from its members. */
void tl_pt_lookahead_ready(struct tl_pt_decoder *decoder);

/* v1_flags.c: the next block with the flags of version 1; returns the status. */
int tl_pt_v1_next(struct tl_pt_decoder *decoder, struct tl_pt_block *block);

static inline void tl_pt_leave_parallel(struct tl_pt_decoder *decoder)
{
	if (decoder->parallel.threads)
		decoder->parallel.ops->leave(decoder);
}

static inline void tl_pt_stop_parallel(struct tl_pt_decoder *decoder)
{
	if (decoder->parallel.threads)
		decoder->parallel.ops->stop(decoder);
}

static inline bool tl_pt_is_v1(const struct tl_pt_decoder *decoder)
{
	return decoder->config.flags & TL_PT_FOLD_EVENTS;
}

/* The block of a node of the run that was decoded ahead. */
static inline void tl_pt_give(const struct tl_pt_decoder *decoder, uint32_t number,
			      struct tl_pt_block *block)
{
	*block = decoder->graph.blocks[number];
	if (decoder->ahead.batch.speculative)
		block->flags |= TL_PT_SPECULATIVE;
}

/*
 * The common case of one block a call: more are to come of those decoded ahead, so nothing is due
 * yet, and the status is 0. False: it is not that case. Inline, so that the drop-in, too, has it
 * without a call of its own.
 */
static inline bool tl_pt_give_fast(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;

	if (batch->at + 1 >= batch->plain)
		return false;
	*block = decoder->graph.blocks[batch->ids[batch->at++]];
	return true;
}

/* insns.c: make the decoder's second reader see what a node was decoded from. */
int tl_pt_read_node(struct tl_pt_decoder *decoder, const struct tl_pt_node *node);
/* blocks.c: the node of a number that a caller has; NULL: there is none. */
const struct tl_pt_node *tl_pt_find_node(const struct tl_pt_decoder *decoder, uint32_t number);

#endif
