/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_BLOCKS_DECODER_H
#define TL_INTEL_PT_BLOCKS_DECODER_H
/*
 * The inside of a decoder: the flow of packets, the graph of code, and the position of the walk
 * between them.
 *
 *   walk.c             outcomes and targets along the graph: the loop that has to be fast
 *   event_location.c   to an address or an instruction, without using outcomes or targets
 *   event_bind.c       what each event is bound to, and what it changes
 *   advance.c          flow item after flow item: a batch of nodes, up to an event or error
 *   recover.c          behind an error
 *   position.c         node, return stack and time of the walk, also while nodes change
 *   lookahead.c        nodes decoded ahead of the caller
 *   blocks.c, insns.c, v1_flags.c, decoder.c, sized.c   the public calls
 */
#include "intel_pt/flow/flow.h"
#include "intel_pt/blocks/graph.h"
#include "intel_pt/blocks/unsized.h"

enum {
	/*
	 * nodes decoded ahead: leaving the loop at the end of a batch costs as much as many of them
	 */
	TL_PT_LOOKAHEAD_NODES = 2048,
	TL_PT_LOOKAHEAD_CLASSIC = 256, /* for callers that rely on offsets (docs/libipt.md) */
	/*
	 * Instructions without trace after which code counts as an endless loop (9.12, 9.13). Each
	 * block counts as TL_PT_IDLE_BLOCK instructions more, for the work of entering it.
	 */
	TL_PT_IDLE_MOST = 1 << 18,
	TL_PT_IDLE_BLOCK = 64,
};

/* Why decoding of a batch of nodes ends. */
enum tl_pt_stop {
	TL_PT_STOP_GO,    /* it goes on */
	TL_PT_STOP_FULL,  /* the batch or the graph has no room for more nodes */
	TL_PT_STOP_EVENT, /* `events.next` is pending */
	TL_PT_STOP_ERROR, /* `failure` is set */
	TL_PT_STOP_NEED,  /* returned by the walk alone: the flow has to take the next packet */
};

/* Events that a recovery may queue before the location where flow goes on; more are lost (9.9). */
enum { TL_PT_QUEUED_MAX = 16 };

/* The array to which the walk writes numbers of nodes. */
struct tl_pt_out {
	uint32_t *pos, *end;
};

/* The clock, valid from node `index` of a batch on. */
struct tl_pt_node_time {
	uint32_t index;
	uint32_t lost_mtc, lost_cyc;
	bool have_tsc;
	uint64_t tsc;
	uint64_t cycles; /* since the first CYC packet */
};

/* The timestamps of a batch of nodes; the first one is that of its beginning. */
struct tl_pt_node_times {
	struct tl_pt_node_time *list;
	uint32_t count, most;
	const uint32_t *begin; /* of the batch's nodes */
};

/* Nodes decoded ahead, from which the caller's calls are served. */
struct tl_pt_lookahead {
	const uint32_t *ids;
	/* what struct tl_pt_loud_nodes tells of each, less `base`; NULL: none is passed over */
	const uint32_t *insns, *before;
	uint32_t base;
	const struct tl_pt_node_time *times; /* the first one is that of the beginning */
	uint32_t at, filled, time_count;
	/* `filled` if blocks can be copied from their nodes without further flags; else 0 */
	uint32_t plain;
	bool speculative, eos;
	enum tl_pt_stop stop;             /* why decoding ended behind these nodes */
	struct tl_pt_passed_nodes passed; /* up to the end of these nodes */
};

/* Instructions of nodes, each decoded once, and the caller's position in one node (insns.c). */
struct tl_pt_insns {
	struct tl_pt_reader reader;
	struct tl_pt_insn *list; /* [0] is not used */
	size_t capacity;
	uint32_t count;
	uint32_t *first; /* by node: its first one in `list`; 0: not decoded yet */
	uint32_t capacity_nodes, epoch;
	uint32_t at, left;
	uint16_t flags;
	bool eos;
	/*
	 * The position at which the last call of tl_pt_decoder_node_insns() ended, to go on from
	 * there.
	 */
	uint32_t resume_node, resume_epoch;
	size_t resume_next;
	uint64_t resume_ip;
};

enum { TL_PT_INSNS_MOST = 1 << 20 };

/* The state of a decoder at a PSB: all that decoding from there on depends on. */
struct tl_pt_psb_state {
	bool on, speculative, resume_known;
	bool clean; /* no packet waits for a later one */
	/* Of the state at the beginning of a segment: whether its PSB+ has packets for these. */
	bool has_mode, has_paging, has_vmcs, has_tsx;
	enum tl_pt_exec_mode mode;
	uint64_t ip, resume_ip;
	struct tl_pt_asid asid;
	struct tl_pt_clock time;
};

/* How a decoder uses several threads (parallel/parallel.c). */
struct tl_pt_parallel_ops {
	bool (*start)(
		struct tl_pt_decoder *decoder); /* after synchronising; false: one thread is used */
	void (*fill)(struct tl_pt_decoder *decoder); /* like tl_pt_decode_ahead() */
	void (*leave)(struct tl_pt_decoder
			      *decoder); /* go on with one thread, from the caller's position */
	void (*stop)(struct tl_pt_decoder *decoder);
};

/* Set where a decoder decodes one segment, from one PSB to another (parallel/segment.c). */
struct tl_pt_segment_bounds {
	/*
	 * it begins in running flow: the first PSB+ is a boundary, not the beginning of the trace
	 */
	bool joining;
	bool began;     /* `begin_state` is known */
	bool pinned;    /* lists refer to its nodes: none may be dropped */
	bool inherits;  /* `pos.resume_ip` depends on the segment before */
	bool inherited; /* so does the pending event */
	bool at_end;    /* the boundary at `end` was reached */
	uint64_t end;   /* offset of the PSB that ends the segment; UINT64_MAX: none */
	struct tl_pt_psb_state begin_state, end_state;
};

/* The last PSB that the decoder passed, for those that begin at one (start_psb.h). */
struct tl_pt_passed_psb {
	bool wanted, known;
	uint64_t offset;
	struct tl_pt_psb_state state;
};

/* The code to decode. */
struct tl_pt_decoder_code {
	struct tl_pt_image *image, *own; /* `own` serves callers that give no image */
	struct tl_pt_asid asid;          /* address space after synchronising */
};

/*
 * Whether tracing is on, as far as the packets so far say. Synchronising leads to UNKNOWN, the
 * first event to OFF or ON.
 */
enum tl_pt_tracing {
	TL_PT_TRACING_UNSYNCED, /* no PSB was found yet: calls fail with TL_PT_NOSYNC */
	TL_PT_TRACING_UNKNOWN,  /* at a PSB, before its first event */
	TL_PT_TRACING_OFF,
	TL_PT_TRACING_ON,
};

/* The position of the walk: before the first instruction of `node`. */
struct tl_pt_position {
	uint32_t node;
	enum tl_pt_tracing tracing;
	bool speculative;
	/* `resume_ip` is valid: tracing is expected to go on there (2, "resumed") */
	bool resume_known;
	uint64_t resume_ip;
	uint64_t idle;        /* instructions since trace was used last */
	uint32_t last_walked; /* the last node of the batch, if its branch used trace */
	uint32_t since;       /* instructions since the last location that a packet gave (TRIG) */
	/*
	 * The last block of a walk to a stop condition. With `node` == TL_PT_NODE_BEHIND it ends
	 * with a branch whose target has not come yet.
	 */
	struct tl_pt_block last;
	uint16_t last_flags; /* of its last instruction, enum tl_x86_flow_flag */
	uint32_t top;        /* index into `stack`, modulo its size */
	uint32_t stack[TL_PT_STACK];
};

/* Trace that was read and is not used yet: outcomes, and the target behind them. */
struct tl_pt_unused_trace {
	/* read no packet before the ones before it are used up, and defer no TIP */
	bool exact;
	/* `target` belongs to the next branch that needs one: from a TIP, or of a far branch */
	bool tip_pending;
	bool tip_suppressed; /* that TIP had no address */
	uint32_t count;
	uint64_t bits; /* outcomes, the oldest in bit `count - 1` */
	uint64_t target;
	const uint8_t *taken,
		*taken_end; /* the bytes of the packets whose outcomes are in `bits` */
};

/* A tick behind the next branch, and the outcomes behind that branch (5.8). */
struct tl_pt_pending_tick {
	bool pending;
	struct tl_pt_event event;
	uint64_t bits;
	uint32_t count;
};

/* A PSB+ in running flow, whose address the walk has to reach. */
struct tl_pt_psb_boundary {
	bool pending;
	uint64_t ip, offset;
};

/* The present item of the flow. */
struct tl_pt_present_item {
	bool present;
	struct tl_pt_flow_item flow;
	uint64_t
		/* offset of the packet that the walk to its location is for; errors have it */
		location_offset;
};

/* Events for the caller. */
struct tl_pt_event_queue {
	bool pending;     /* `next` waits for the caller */
	bool was_enabled; /* tracing was on before it */
	struct tl_pt_event next;
	struct tl_pt_event queue[TL_PT_QUEUED_MAX]; /* given before anything else is decoded */
	uint32_t queue_first, queue_count;
	uint64_t
		/* offset of the event at whose address the last recovery went on, + 1; 0: none */
		located_at;
};

struct tl_pt_failure {
	enum tl_pt_error error;
	uint64_t offset;
};

/* The batch of nodes that is being decoded. */
struct tl_pt_making {
	struct tl_pt_node_times times;
	struct tl_pt_node_time last; /* the clock at the last packet used */
	bool speculative;
};

/* The nodes decoded ahead of the caller, and the clock and address space at their beginning. */
struct tl_pt_ahead {
	struct tl_pt_lookahead batch;
	struct tl_pt_node_time time;
	struct tl_pt_asid asid;
	/*
	 * the second and third part: what struct tl_pt_loud_nodes tells of each node of the first
	 * one
	 */
	uint32_t nodes[3 * TL_PT_LOOKAHEAD_NODES];
	struct tl_pt_node_time times[TL_PT_LOOKAHEAD_NODES];
};

/* Whether the walk passes over quiet nodes (unsized.h), and those that it did. */
struct tl_pt_passing {
	bool on;
	uint64_t told; /* nodes passed over that the caller knows of */
	struct tl_pt_passed_nodes so_far;
};

/* Threads that decode for this decoder. */
struct tl_pt_decoder_threads {
	const struct tl_pt_parallel_ops *ops; /* NULL: tl_pt_decoder_set_jobs() was not called */
	struct tl_pt_parallel *threads;       /* the threads at work; NULL: the caller's alone */
	uint32_t node_limit; /* numbers of nodes that the caller may have been given are smaller */
	unsigned jobs;
};

/* Version 1: the block that is held back, and flags for the one behind it (v1_flags.c). */
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
	bool eos; /* the end of the trace was reached */
	struct tl_pt_position pos;
	struct tl_pt_unused_trace trace;
	struct tl_pt_pending_tick tick;
	struct tl_pt_psb_boundary boundary;
	struct tl_pt_present_item item;
	struct tl_pt_event_queue events;
	struct tl_pt_failure failure;
	struct tl_pt_making making;
	struct tl_pt_ahead ahead;
	struct tl_pt_passing passing;
	struct tl_pt_segment_bounds bounds;
	struct tl_pt_passed_psb passed_psb;
	struct tl_pt_decoder_threads parallel;
	struct tl_pt_v1 v1;
	struct tl_pt_insns insns;
};

/*
 * Free nodes that one flow item may need: those of a partial block, and those of the return stack
 * in another address space.
 */
enum { TL_PT_ROOM_NODES = 3 * TL_PT_STACK };

static inline bool tl_pt_graph_has_room(const struct tl_pt_graph *graph)
{
	/* Each of the other threads may need as many at the same time. */
	uint32_t room = TL_PT_ROOM_NODES * (1 + graph->code->threads);

	return !graph->full && graph->capacity - tl_pt_graph_count(graph) >= room &&
	       __atomic_load_n(&graph->code->space_count, __ATOMIC_RELAXED) < TL_PT_SPACES;
}

/* Set `failure`; the position stays as it is. */
static inline enum tl_pt_stop tl_pt_fail(struct tl_pt_decoder *decoder, enum tl_pt_error error,
					 uint64_t offset)
{
	decoder->failure.error = error;
	decoder->failure.offset = offset;
	return TL_PT_STOP_ERROR;
}

/* Give a node; there must be room. */
static inline void tl_pt_put_node(struct tl_pt_decoder *decoder, struct tl_pt_out *out,
				  uint32_t number)
{
	struct tl_pt_passed_nodes *passed = &decoder->passing.so_far;

	if (decoder->passing.on) {
		out->pos[TL_PT_LOOKAHEAD_NODES] = passed->insns;
		out->pos[2 * TL_PT_LOOKAHEAD_NODES] = passed->last * TL_PT_BEFORE;
		passed->last = number;
	}
	*out->pos++ = number;
}

static inline bool tl_pt_is_synced(const struct tl_pt_decoder *decoder)
{
	return decoder->pos.tracing != TL_PT_TRACING_UNSYNCED;
}

static inline bool tl_pt_is_enabled(const struct tl_pt_decoder *decoder)
{
	return decoder->pos.tracing == TL_PT_TRACING_ON;
}

/* The first event behind the PSB has come. */
static inline bool tl_pt_is_settled(const struct tl_pt_decoder *decoder)
{
	return decoder->pos.tracing >= TL_PT_TRACING_OFF;
}

/*
 * The packet that ends the batch's last node, before `out`, is used: note its time. There must be
 * room (tl_pt_node_times_full()).
 */
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

/* Push the return addresses of the calls in a node. */
void tl_pt_push_links(struct tl_pt_decoder *decoder, uint32_t link);
void tl_pt_clear_stack(struct tl_pt_decoder *decoder);

/* event_location.c: walk to a stop condition. TL_PT_STOP_GO: it was reached. */
enum tl_pt_stop tl_pt_walk_to(struct tl_pt_decoder *decoder,
			      const struct tl_pt_stop_condition *until, struct tl_pt_out *out);
/* Whether code at `from` leads to `to` within a few instructions without trace (7, bdm64). */
bool tl_pt_reaches(struct tl_pt_decoder *decoder, uint64_t from, uint64_t to);
enum tl_pt_stop tl_pt_walk_past(struct tl_pt_decoder *decoder, uint32_t insns,
				struct tl_pt_out *out);
/* Decode whole blocks that need no trace, then one that does. TL_PT_STOP_GO: that one was given. */
enum tl_pt_stop tl_pt_walk_to_branch(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/*
 * event_bind.c: walk to the location of the event in `item`, and apply the event. TL_PT_STOP_EVENT:
 * it is pending; TL_PT_STOP_GO: it is not for the caller.
 */
enum tl_pt_stop tl_pt_take_event(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/*
 * Apply the changes of an event whose location is lost: the address space, the mode. False: an
 * error.
 */
bool tl_pt_apply_anywhere(struct tl_pt_decoder *decoder, struct tl_pt_event *event);

/*
 * Walk to the PSB+ noted in `boundary`; TL_PT_STOP_GO: reached. Whether an item comes before that.
 */
enum tl_pt_stop tl_pt_take_psb_boundary(struct tl_pt_decoder *decoder, struct tl_pt_out *out);
bool tl_pt_before_psb_boundary(const struct tl_pt_flow_item *item);

/* event_location.c: the trace does not fit the code. TL_PT_STOP_FULL: call again. */
enum tl_pt_stop tl_pt_mismatch(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/* advance.c: decode nodes up to the next event or error, as many as there is room for. */
enum tl_pt_stop tl_pt_advance(struct tl_pt_decoder *decoder, struct tl_pt_out *out);
/*
 * position.c: the state at the end of a segment; `ip`: the address in its PSB+, if tracing is on.
 */
void tl_pt_note_psb_state(const struct tl_pt_decoder *decoder, struct tl_pt_psb_state *psb_state,
			  uint64_t ip);
/* Set the position to an address of the present space. False: TL_PT_STOP_ERROR is set. */
bool tl_pt_set_ip(struct tl_pt_decoder *decoder, uint64_t ip);
/*
 * Switch to another address space or mode; the position keeps its addresses. False: an error is
 * set.
 */
bool tl_pt_change_space(struct tl_pt_decoder *decoder, const struct tl_pt_asid *asid,
			enum tl_pt_exec_mode mode);
/* Drop all nodes: memory for them is used up, or the image changed. False: an error is set. */
bool tl_pt_drop_nodes(struct tl_pt_decoder *decoder);
/* Forget position, return stack and unused trace. */
void tl_pt_position_reset(struct tl_pt_decoder *decoder);

/* decoder.c: open a decoder on another decoder's graph (NULL: on its own). */
int tl_pt_decoder_open_on(struct tl_pt_decoder **decoder, const struct tl_pt_config *config,
			  struct tl_pt_image *image, struct tl_pt_code_graph *code);

/* decoder.c: forget all that was decoded; the flow stands at a PSB. */
void tl_pt_decoder_restart(struct tl_pt_decoder *decoder);

/* position.c: whether the error will become an event. */
bool tl_pt_may_salvage(const struct tl_pt_decoder *decoder);

/*
 * recover.c: go on at the next location that the trace gives (9.9). False: there is none. `lost` is
 * filled in any case.
 */
bool tl_pt_recover(struct tl_pt_decoder *decoder, struct tl_pt_event *lost);

/*
 * lookahead.c: decode ahead if all nodes were given; the clock and the status that the caller sees.
 */
void tl_pt_lookahead_fill(struct tl_pt_decoder *decoder);
const struct tl_pt_node_time *tl_pt_time_now(const struct tl_pt_decoder *decoder);
int tl_pt_status_now(const struct tl_pt_decoder *decoder);
/*
 * The next node, decoded if need be. 0, or the negative error of calls for blocks and instructions.
 */
int tl_pt_next_node(struct tl_pt_decoder *decoder, uint32_t *number);

/* lookahead.c: decode a batch of nodes with the caller's thread. */
void tl_pt_decode_ahead(struct tl_pt_decoder *decoder);
/* The batch is filled: set the members that follow from others. */
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

/* Copy the block of a node of the present batch. */
static inline void tl_pt_give(const struct tl_pt_decoder *decoder, uint32_t number,
			      struct tl_pt_block *block)
{
	*block = decoder->graph.blocks[number];
	if (decoder->ahead.batch.speculative)
		block->flags |= TL_PT_SPECULATIVE;
}

/*
 * Fast path of tl_pt_next_block(): at least one more node was decoded ahead, so no event is pending
 * and the status is 0. It equals tl_pt_next_node(), tl_pt_give() and tl_pt_status_now() in that
 * case. False: any other case. Inline, so that the drop-in library needs no further call for it.
 */
static inline bool tl_pt_give_fast(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;

	if (batch->at + 1 >= batch->plain)
		return false;
	*block = decoder->graph.blocks[batch->ids[batch->at++]];
	return true;
}

/* insns.c: prepare the decoder's second reader for the code of a node. */
int tl_pt_read_node(struct tl_pt_decoder *decoder, const struct tl_pt_node *node);
/* blocks.c: the node of a number from the caller; NULL: there is none. */
const struct tl_pt_node *tl_pt_find_node(const struct tl_pt_decoder *decoder, uint32_t number);

#endif
