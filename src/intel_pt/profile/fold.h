/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FOLD_H
#define TL_INTEL_PT_PROFILE_FOLD_H
/*
 * From traces to profiles. The facts of a node (a decoded block) are found once, when it runs first
 * (node_facts.c): its function, how it is left, the function that a call of it enters. After that a
 * visit is a count and a comparison (fold_loop.c); only calls, returns and unusual transfers reach
 * the call stack (call_stack.h). timing.c and cycles.c spread time and cycles over instructions;
 * attribution.c and address_costs.c add up visits to costs of addresses.
 *
 * Events of the profile: with time in the trace, Ticks of the TSC and Ir (instructions); with CYC
 * packets, Cycles between them. Without time Ir alone, which then is the clock: durations of calls
 * are instructions.
 */
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/profile/faults.h"
#include "intel_pt/profile/call_stack.h"

struct tl_pt_folder;

/* Where trace is missing: bytes that were skipped; `offset` TL_NOWHERE: it was never written. */
struct tl_pt_missing {
	uint64_t offset, length;
	const char *text; /* static */
};

/*
 * An observer of the call stack. Called after a frame was opened, before a frame is closed, and
 * where trace is missing.
 */
struct tl_pt_stack_watch {
	void (*opened)(void *arg, const struct tl_pt_folder *folder);
	void (*closing)(void *arg, const struct tl_pt_folder *folder);
	void (*lost)(void *arg, const struct tl_pt_folder *folder,
		     const struct tl_pt_missing *missing);
	/* An event of the trace, before its effect on the stack; NULL: nothing. */
	void (*event)(void *arg, const struct tl_pt_folder *folder,
		      const struct tl_pt_event *event);
	/* A frame of a parked stack runs again; NULL: that is as if it was opened. */
	void (*reopened)(void *arg, const struct tl_pt_folder *folder);
	void (*ended)(void *arg, const struct tl_pt_folder *folder); /* a thread; NULL: nothing */
	bool leaves_open; /* frames that are open at the end of the trace are not closed */
	void *arg;
};

struct tl_pt_fold_options {
	const struct tl_pt_stack_watch *watch; /* NULL: none; not with `lines` */
	uint64_t thread, process, cpu;         /* TL_NOWHERE: any */
	uint64_t from_ticks, to_ticks;         /* a window of time; 0: open */
	/* only a share of the threads; `shares` below 2: all */
	uint32_t share, shares;
	/*
	 * All shares are folded at the same time. Without `by_threads` each is a run of the bytes,
	 * of a feed of one slice (share.c); with it, of threads, of which none decodes much of what
	 * the others ran. NULL: of threads, each of which decodes what is before its own.
	 */
	const struct tl_share_chain *chain;
	bool by_threads;
	unsigned jobs;
	bool exact, per_thread;
	/* also costs, calls and jumps by address; else functions and contexts alone */
	bool lines;
	bool table;  /* only the sums of functions are wanted: no arcs, no lines of functions */
	bool strict; /* stop at the first fault */
};

int tl_pt_fold(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
	       struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err);

/* ---- inside the fold ---- */

/*
 * How a node is left, or how the next one is reached. From TL_PT_KEY_FIRST on: by plain flow inside
 * function key - TL_PT_KEY_FIRST.
 */
enum {
	TL_PT_KEY_NONE, /* facts are not known yet: differs from every exit key */
	TL_PT_KEY_CALL,
	TL_PT_KEY_RETURN,
	TL_PT_KEY_FAR_RETURN,
	TL_PT_KEY_ENABLE,
	TL_PT_KEY_INTERRUPT,
	TL_PT_KEY_ABORT, /* of a transaction: counts as a jump to its handler */
	TL_PT_KEY_LOSS,
	/* the stack pointer was set, then a return or an indirect jump (stack_moves.h) */
	TL_PT_KEY_SWITCH,
	TL_PT_KEY_MOVE,    /* the stack pointer was set, then any other transfer */
	TL_PT_KEY_START,   /* the stack pointer was set, then a call */
	TL_PT_KEY_SEVERAL, /* its instructions belong to several functions */
	TL_PT_KEY_UNKNOWN, /* code without a symbol */
	TL_PT_KEY_FIRST,
};

/* Facts of a node. */
struct tl_pt_node_facts {
	uint64_t ip, after;   /* first address; address behind the last instruction */
	uint32_t entry, exit; /* keys */
	/*
	 * the function that a call of the node enters, + 1; 0: not known. TL_PT_KEY_SEVERAL: number
	 * of its first entry in `inner`
	 */
	uint32_t called;
	uint16_t insns;
	bool is_entry;
	uint8_t iclass; /* of the last instruction */
};

/*
 * One function of a node whose instructions belong to several, in their order; the list of a node
 * ends with an ip of 0.
 */
struct tl_pt_inner_function {
	uint64_t ip;
	uint32_t function; /* TL_NONE: no symbol */
	uint32_t called;   /* the function if `ip` was called, TL_NONE: not searched for yet */
	uint32_t insns;    /* instructions of the node in this function; unused in the last entry */
	bool is_entry;
};

/*
 * Facts of the nodes of one stream's decoder, valid for all slices of the stream as long as the
 * decoder keeps its numbers of nodes (an epoch).
 */
struct tl_pt_node_cache {
	struct tl_pt_node_facts *nodes;
	size_t count, capacity;
	struct tl_pt_inner_function *inner;
	size_t inner_count, inner_capacity;
	uint32_t epoch;
	uint32_t shift; /* added to numbers of this epoch: those of earlier epochs are in front */
	uint32_t
		/*
		 * nodes of this epoch whose facts were found; equal to all its blocks: none need be
		 * tested
		 */
		scanned;
};

/* With `lines`: addresses and visits of a node while one thread runs. */
struct tl_pt_node_addrs {
	uint32_t first, count; /* range in tl_pt_visit_table.addrs */
	uint32_t
		/*
		 * its addresses before the function it is left in: 0 except for TL_PT_KEY_SEVERAL
		 */
		tail;
	uint32_t visits; /* head of the list of its visits, the one used last; 0: none */
};

/*
 * Visits of a node in one function. Code without symbols belongs to the function that was called,
 * so one node may be in several: then costs of lines, functions and calls agree.
 */
struct tl_pt_visits {
	uint32_t node, function, next;
	uint32_t first, steps; /* range in the node's addresses: those in this function */
	uint64_t count, taken; /* taken: how often the next node was not at `after` */
	int64_t ticks, cycles;
};

/* An executed address. */
struct tl_pt_exec_addr {
	uint64_t ip, target; /* target of a direct branch */
	uint8_t iclass;
};

/* The cost of an address in a function. */
struct tl_pt_addr_cost {
	uint32_t addr, function;
	uint64_t executed, taken;
	int64_t ticks, cycles;
};

/* Calls from an address to a function. */
struct tl_pt_addr_call {
	uint64_t from, to; /* addresses; from 0: not called by an instruction */
	uint32_t caller, callee;
	uint64_t calls, active;
	int64_t clock, insns, cycles; /* inclusive; recursive calls count once */
	int64_t clock_start, insns_start, cycles_start;
};

/* With `lines`: costs and calls by address, of one thread. */
struct tl_pt_addr_costs {
	struct tl_pt_exec_addr *addrs;
	size_t addr_count, addr_capacity;
	struct tl_pt_addr_cost *costs;
	size_t cost_count, cost_capacity;
	struct tl_pt_addr_call *calls;
	size_t call_count, call_capacity;
	struct tl_index by_ip, by_cost, by_call;
	/* number + 1 of the last address executed in its last slice; 0: none */
	uint32_t last_addr;
	bool no_memory;
};

struct tl_pt_fold_thread {
	uint64_t process, thread, cpu;
	const char *command;
	struct tl_pt_stack stack;
	struct tl_pt_addr_costs costs;
	int64_t total_insns, total_cycles; /* counted while the window was open */
	uint64_t elsewhere;                /* time that passed on its parked stacks */
	/* While it arrives somewhere, where another stack may go on: the clock of `elsewhere`. */
	bool arriving;
	uint64_t clock;
	/* With a window: the time that its edges are compared with, which no gate stops. */
	uint64_t now;
	bool closed; /* the window, where the thread was suspended */

	/* Its position at the end of its last slice. */
	bool ran;
	uint32_t key;
	uint64_t back;
	struct tl_pt_node_facts outside;
};

enum {
	TL_PT_FOLD_NODES_MAX = 1 << 20, /* facts kept over epochs; then all are dropped */
	TL_PT_FOLD_BATCH = 1 << 15,     /* nodes asked for at once; at most half of it are queued */
	TL_PT_RATE_BITS = 16, /* binary digits behind the point in ticks per instruction */
};

/* Costs of a context beside Ticks, in a trace with time. */
enum { TL_PT_COST_CYCLES, TL_PT_COST_INSNS, TL_PT_COSTS };

/* Cycles that CYC packets count (cycles.c). */
struct tl_pt_cycle_count {
	bool seen;    /* a CYC packet was read: from then on cycles are counted */
	bool pending; /* `next` is the timestamp behind the queued nodes */
	struct tl_pt_timestamp next;
	uint64_t last;   /* the count at the last timestamp */
	uint64_t rate;   /* cycles per instruction, TL_PT_RATE_BITS digits behind the point */
	uint64_t insns;  /* instructions executed at this rate */
	uint64_t spread; /* cycles spread over them so far */
	/* of tl_pt_folder.insns, those already in `insns`, or executed before this rate */
	int64_t counted;
	int64_t unattributed; /* not added to a context yet */
};

/* A thread, and how many bytes of trace it ran. */
struct tl_pt_dealt_thread {
	uint64_t id, bytes;
	uint32_t share;
};

struct tl_pt_marks {
	uint64_t *list;
	size_t count, capacity;
};

/* The threads of a trace, dealt out to shares (share.c). */
struct tl_pt_deal {
	struct tl_pt_dealt_thread *list; /* in the order in which they first ran */
	size_t count, capacity;
	struct tl_index index;
	bool from_psbs; /* decoders begin at start PSBs: all shares are folded at the same time */
	bool refused;   /* sticky: what was begun at a start PSB cannot be proven */
	/* of start PSBs, and of PSBs that were passed: the place, then the state, by turns */
	struct tl_pt_marks begun, passed;
};

/* The threads of a fold, by process and thread. */
struct tl_pt_fold_threads {
	struct tl_pt_fold_thread *list;
	size_t count, capacity;
	struct tl_index by_id;
	struct tl_pt_deal deal;
};

/* The slices of a range of a stream that are not selected. */
struct tl_pt_left_slices {
	struct tl_pt_trace_slice *list;
	size_t count, capacity;
	bool cut; /* some in front were forgotten: only from a start PSB on they can be decoded */
};

/*
 * A stream: the nodes of its decoder, and the slices behind that decoder, which are decoded only
 * if a slice that is selected goes on from there.
 */
struct tl_pt_fold_stream {
	struct tl_pt_node_cache cache;
	struct tl_pt_left_slices left;
};

/* The streams of a fold, by number. */
struct tl_pt_fold_streams {
	struct tl_pt_fold_stream *list;
	size_t count, capacity;
};

/*
 * With `lines`: visits of nodes since the present thread was resumed, and ticks and cycles that
 * belong to no visit yet.
 */
struct tl_pt_visit_table {
	struct tl_pt_node_addrs *nodes; /* by node; NULL: without lines */
	size_t node_capacity;
	uint32_t *addrs; /* of all nodes: numbers of the addresses of their instructions */
	size_t addr_count, addr_capacity;
	struct tl_pt_visits *list; /* [0] is not used */
	size_t count, capacity;
	uint32_t last;
	bool branch_counted; /* the branch that ended the last node was counted */
	/* cost of this function while none of its nodes ran: attributed to its next visit */
	int64_t unattributed_ticks, unattributed_cycles;
	uint32_t unattributed_to;
};

/* The position of the present thread. */
struct tl_pt_fold_position {
	struct tl_pt_node_facts *last;   /* the node that ran last */
	struct tl_pt_node_facts outside; /* in place of a node, before the first one */
	uint32_t key;
	uint64_t back; /* of TL_PT_KEY_ENABLE and _INTERRUPT: the address expected, interrupted */
	/* the next asynchronous branch goes to the handler of an aborted transaction */
	bool aborted;
	bool called; /* with TL_PT_KEY_ENABLE: `back` was called, and nothing executed there */
};

/* Nodes whose time is not known yet: they wait for the next timestamp. */
struct tl_pt_unstamped {
	struct tl_pt_timestamp *timestamps;
	uint32_t *nodes; /* the first `count` wait, behind them is room for the next batch */
	size_t count;
	/*
	 * Without time and observers none waits, and quiet nodes are passed over: what is told of
	 * each node of the batch, and all that were added to the clock. NULL: none are.
	 */
	struct tl_pt_loud_nodes loud;
	struct tl_pt_passed_nodes seen;
	/* the node that is entered now, NULL: none; the end of the nodes known to follow */
	const uint32_t *at, *end;
};

/* Ticks per instruction; the clock at which that rate began, and the ticks since then. */
struct tl_pt_tick_rate {
	uint64_t rate, base, part;
};

struct tl_pt_fold_window {
	bool closed; /* the present time of the present thread is outside */
};

/* A fold that keeps no contexts, as sums of functions are wanted alone. */
struct tl_pt_fold_sums {
	bool wanted;
	bool refused; /* they are not those of contexts */
};

/*
 * A run of the bytes of a trace: what was before it is followed for the stack alone, by the same
 * decoder and with the same clock (share.c).
 */
struct tl_pt_fold_share {
	bool on, counting, ended;
	bool lines;          /* asked for */
	bool refused;        /* sticky: what all shares count is not what the whole does */
	uint64_t begin, end; /* offsets of its borders; UINT64_MAX: the end of the trace */
	/* those of the fold, but without lines before the first border */
	struct tl_pt_fold_options options;
};

struct tl_pt_folder {
	const struct tl_pt_feed *feed;
	const struct tl_pt_fold_options *options;
	struct tl_pt_faults *faults;
	struct tl_pt_functions functions;
	bool timed;
	struct tl_pt_fold_sums sums;
	struct tl_pt_fold_share share;
	struct tl_pt_fold_threads threads;
	struct tl_pt_fold_thread *thread; /* the present one */

	struct tl_pt_decoders decoders;
	struct tl_pt_decoder *decoder;  /* of the present stream, */
	struct tl_pt_node_cache *cache; /* and its nodes */
	struct tl_pt_fold_streams streams;

	/* Of the present slice. */
	struct tl_pt_visit_table visits;
	struct tl_pt_fold_position pos;
	struct tl_pt_fold_window window;
	int64_t insns; /* not added to a context yet; only with time */
	struct tl_pt_unstamped unstamped;
	struct tl_pt_tick_rate ticks;
	struct tl_pt_cycle_count cycles;
};

/* fold_loop.c: fold nodes; no timestamp is between them. */
void tl_pt_fold_nodes(struct tl_pt_folder *folder, const uint32_t *numbers, size_t count);
/*
 * Fold a batch of which quiet nodes were passed over. `behind`: all that ran before the node behind
 * the batch. It equals tl_pt_fold_nodes() of all nodes.
 */
void tl_pt_fold_loud_nodes(struct tl_pt_folder *folder, size_t count,
			   const struct tl_pt_passed_nodes *behind);
/* Count the last branch as one to `ip`, although no node follows there. */
void tl_pt_fold_branch(struct tl_pt_folder *folder, uint64_t ip);
/* Arrive at an address by the present key; no instruction is executed there. */
void tl_pt_fold_arrive(struct tl_pt_folder *folder, uint64_t ip);
/*
 * tl_pt_stack_callbacks.ahead: the addresses that the following nodes return to from frames that
 * are open now.
 */
size_t tl_pt_fold_ahead(void *arg, uint64_t *backs, size_t most);
/* Attribute the pending instructions to the innermost context. */
void tl_pt_fold_settle(struct tl_pt_folder *folder);
/*
 * While the thread arrives somewhere: if another stack runs by now, its clock goes on from where it
 * was parked, and the present time is the same by that clock.
 */
void tl_pt_fold_change_clock(struct tl_pt_folder *folder);

/*
 * timing.c: fold the queued nodes and those of a batch, whose facts are known; `more`: another
 * batch follows at once.
 */
void tl_pt_fold_timed(struct tl_pt_folder *folder, const struct tl_pt_node_batch *run, bool more);
/*
 * The present thread runs on, with its own gate: it opens and closes at the edges of the window on
 * the thread's clock, which goes on where timestamps go back (tl_pt_call_source() has the same).
 */
void tl_pt_window_resume(struct tl_pt_folder *folder);
/* Attribute pending ticks and cycles to this visit; else to any visit of the function. */
void tl_pt_attribute_to(struct tl_pt_folder *folder, uint32_t visit);
void tl_pt_attribute_rest(struct tl_pt_folder *folder);
/* Fold the queued nodes without waiting for a timestamp. */
void tl_pt_fold_unstamped(struct tl_pt_folder *folder);
/* Attribute passed ticks and cycles to visits of the innermost function. */
void tl_pt_attribute(struct tl_pt_folder *folder, int64_t ticks, int64_t cycles);
/*
 * The time of an event: ticks and cycles until then are the innermost call's. Only in traces with
 * CYC packets.
 */
void tl_pt_fold_event(struct tl_pt_folder *folder, const struct tl_pt_event *event);

/* cycles.c: the count of the present decoder where a slice begins. */
void tl_pt_cycles_from(struct tl_pt_folder *folder, uint64_t count);
/* Before nodes are folded: `to` is the count behind them. */
void tl_pt_cycles_begin(struct tl_pt_folder *folder, const uint32_t *numbers, size_t count,
			uint64_t to);
/* After nodes were folded: the rest of the cycles is the innermost call's. */
void tl_pt_cycles_end(struct tl_pt_folder *folder, uint64_t to);
/* Spread cycles over the pending instructions, `insns` so far. */
void tl_pt_cycles_count(struct tl_pt_folder *folder, int64_t insns);
/*
 * As before, and add all unattributed cycles to a context, whose instructions are added at the same
 * time.
 */
void tl_pt_cycles_give(struct tl_pt_folder *folder, int64_t insns, int64_t *cycles);
/* No CYC packet was read: drop the event from the contexts. */
void tl_pt_cycles_drop(struct tl_fold *fold);

/*
 * node_facts.c: whether facts of a node, and with `lines` its addresses for this thread, are known.
 */
static inline bool tl_pt_node_facts_known(const struct tl_pt_folder *folder, uint32_t number)
{
	return folder->cache->nodes[number].entry != TL_PT_KEY_NONE &&
	       (!folder->visits.nodes || folder->visits.nodes[number].count);
}
void tl_pt_node_facts_scan(struct tl_pt_folder *folder, uint32_t number);
/* The address of the last instruction of a node; 0: it has none. */
uint64_t tl_pt_node_last_ip(struct tl_pt_folder *folder, uint32_t number);
bool tl_pt_node_facts_room(struct tl_pt_folder *folder, uint32_t limit);
/* Drop all facts; no node may be queued or be the last one. */
void tl_pt_node_facts_forget(struct tl_pt_node_cache *known);
/*
 * Visits of `steps` instructions of a node, from `first` on, in a function; they become the head of
 * the node's list. 0: no memory.
 */
uint32_t tl_pt_visits_first(struct tl_pt_folder *folder, uint32_t number, uint32_t function,
			    uint32_t first, uint32_t steps);
/* Turn visits into costs of addresses: at the end of a slice, and before facts are dropped. */
void tl_pt_visits_flush(struct tl_pt_folder *folder);

/* address_costs.c: number of events of the profile; costs in the order Ticks, Cycles, Ir. */
uint32_t tl_pt_event_count(const struct tl_pt_folder *folder);
void tl_pt_fold_events(const struct tl_pt_folder *folder, int64_t ticks, int64_t cycles,
		       int64_t insns, int64_t cost[1 + TL_PT_COSTS]);

void tl_pt_addr_costs_free(struct tl_pt_addr_costs *lines);
uint32_t tl_pt_addr_costs_addr(struct tl_pt_addr_costs *lines, const struct tl_pt_node_insn *step);
struct tl_pt_addr_cost *tl_pt_addr_costs_cost(struct tl_pt_addr_costs *lines, uint32_t addr,
					      uint32_t function);
void tl_pt_addr_costs_opened(void *arg, struct tl_pt_frame *frame);
void tl_pt_addr_costs_closing(void *arg, struct tl_pt_frame *frame);
void tl_pt_addr_costs_reopened(void *arg, struct tl_pt_frame *frame);
/* The innermost frame was opened by a call at `from` before costs were counted: it goes on. */
void tl_pt_addr_costs_resumed(struct tl_pt_folder *folder, size_t depth, uint64_t from);
/* Look up the targets of its jumps, as functions that are found later have no number. */
void tl_pt_addr_costs_find_targets(struct tl_pt_folder *folder,
				   const struct tl_pt_addr_costs *costs);
/* Add lines, calls and jumps to the profile; `numbers[i]` is the profile's function i. */
int tl_pt_addr_costs_into(struct tl_pt_folder *folder, struct tl_pt_fold_thread *thread,
			  uint32_t part, const uint32_t *numbers, struct tl_profile *profile,
			  struct tl_error *err);

/* fold_profile.c: a profile with the events of the trace; its functions, contexts and lines. */
int tl_pt_fold_new_profile(const struct tl_pt_folder *folder, struct tl_profile **profile,
			   struct tl_error *err);
int tl_pt_fold_add_threads(struct tl_pt_folder *folder, struct tl_profile *profile,
			   struct tl_error *err);

/* share.c: before the first slice. 0, or a negative tl_status. */
int tl_pt_share_begin(struct tl_pt_folder *folder, struct tl_error *err);
/* A frame was opened before the share: its call is the number of the node that was left. */
void tl_pt_share_opened(void *arg, struct tl_pt_frame *frame);
/* Whether the share begins or ends behind this batch. 0, or a negative tl_status. */
int tl_pt_share_pass(struct tl_pt_folder *folder, struct tl_error *err);
/* All is folded: tell the other shares which functions ran, and learn of theirs. */
int tl_pt_share_meet(struct tl_pt_folder *folder, struct tl_error *err);
/* 0, or TL_UNSUPPORTED: the trace is to be read as a whole. */
int tl_pt_share_check(const struct tl_pt_folder *folder, struct tl_error *err);

/* share.c, of shares of threads: deal out the threads of the feed, which is rewound. */
int tl_pt_deal_begin(struct tl_pt_folder *folder, struct tl_error *err);
/* Whether a thread is of this share; without shares all are. */
bool tl_pt_deal_is_mine(const struct tl_pt_folder *folder, uint64_t thread);
/* The present decoder has gone over a slice, from a start PSB in it on. */
int tl_pt_deal_begun(struct tl_pt_folder *folder, const struct tl_pt_trace_slice *slice,
		     uint64_t offset, struct tl_error *err);
/* The present decoder has gone over a slice: note the last PSB that it passed. */
int tl_pt_deal_passed(struct tl_pt_folder *folder, const struct tl_pt_trace_slice *slice,
		      struct tl_error *err);
/*
 * All is folded: 0, or TL_UNSUPPORTED if not all start PSBs are proven by what the other shares
 * tell.
 */
int tl_pt_deal_meet(struct tl_pt_folder *folder, struct tl_error *err);
void tl_pt_deal_free(struct tl_pt_deal *deal);

/*
 * fold_threads.c: make the thread of a slice the present one; its frames may be open from before.
 */
int tl_pt_fold_find_thread(struct tl_pt_folder *folder, const struct tl_pt_trace_slice *slice,
			   struct tl_error *err);
/* The trace is over: close all open frames for the observer. */
void tl_pt_fold_end_watch(struct tl_pt_folder *folder);

#endif
