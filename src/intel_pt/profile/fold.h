/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FOLD_H
#define TL_INTEL_PT_PROFILE_FOLD_H
/*
 * Traces to profiles. What a block costs is decided once, when it is first met (fold_node.c): its
 * function, how it is left, what it is if it is called. After that a visit is a count and a
 * comparison (fold_loop.c); only calls, returns and what is odd reach the stack (stack.h). Counts
 * become costs of addresses in the end (fold_lines.c).
 *
 * The events: with time in the trace, Ticks of the TSC and Ir, instructions; with CYC packets, too,
 * Cycles between them; else Ir alone, which is then the clock: durations of calls are instructions.
 */
#include "intel_pt/profile/faults.h"
#include "intel_pt/profile/call_stack.h"

struct tl_pt_folder;

/* Someone who follows the stack as it moves: after a frame was opened, before one is closed, where
 * trace is missing. */
struct tl_pt_stack_watch {
	void (*opened)(void *arg, const struct tl_pt_folder *folder);
	void (*closing)(void *arg, const struct tl_pt_folder *folder);
	void (*lost)(void *arg, const struct tl_pt_folder *folder);
	void *arg;
};

struct tl_pt_fold_options {
	const struct tl_pt_stack_watch *watch; /* NULL: nobody; not with lines */
	uint64_t thread, process, cpu;         /* TL_NOWHERE: any */
	uint64_t from_ticks, to_ticks;         /* a window of time; 0: open */
	unsigned jobs;
	bool exact, per_thread;
	/* costs of addresses, calls by place, jumps; else functions and contexts alone */
	bool lines;
	bool strict; /* stop at the first fault */
};

int tl_pt_fold(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
	       struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err);

/* ---- the parts ---- */

/*
 * How a node is left, or what the next one is come to by. From TL_PT_KEY_FIRST on: inside function
 * key - TL_PT_KEY_FIRST.
 */
enum {
	TL_PT_KEY_NONE, /* of a node that is not looked at yet: no way of leaving is equal to it */
	TL_PT_KEY_CALL,
	TL_PT_KEY_RETURN,
	TL_PT_KEY_FAR_RETURN,
	TL_PT_KEY_ENABLE,
	TL_PT_KEY_INTERRUPT,
	TL_PT_KEY_ABORT, /* of a transaction: a jump to its handler */
	TL_PT_KEY_LOSS,
	/* the stack pointer was set, then a return or an indirect jump (moves.h) */
	TL_PT_KEY_SWITCH,
	TL_PT_KEY_MOVE,    /* the same, and anything else */
	TL_PT_KEY_START,   /* the same, and a call */
	TL_PT_KEY_SEVERAL, /* a node that runs through several functions */
	TL_PT_KEY_UNKNOWN, /* code without a symbol */
	TL_PT_KEY_FIRST,
};

/* A block. */
struct tl_pt_node_facts {
	uint64_t ip, after;   /* its first address, the one after its last instruction */
	uint32_t entry, exit; /* keys */
	/*
	 * its function when it is called, + 1; 0: not known. TL_PT_KEY_SEVERAL: its first in
	 * `inner`
	 */
	uint32_t called;
	uint16_t insns;
	bool is_entry;
	uint8_t iclass; /* of the last instruction */
};

/* Where a node that runs through several functions enters one: its first address, and where that
 * changes; the list of a node ends with an ip of 0. */
struct tl_pt_inner_function {
	uint64_t ip;
	uint32_t function; /* TL_NONE: no symbol */
	uint32_t insns;    /* run there before the next place; the last one's are the node's */
	bool is_entry;
};

/*
 * What is known of the nodes of one stream's decoder: for all its pieces, as long as the numbers
 * are the same.
 */
struct tl_pt_node_cache {
	struct tl_pt_node_facts *nodes;
	size_t count, capacity;
	struct tl_pt_inner_function *inner;
	size_t inner_count, inner_capacity;
	uint32_t epoch;
	uint32_t shift;   /* numbers of this epoch stand behind those of the ones before */
	uint32_t scanned; /* how many nodes of this epoch need not be looked at */
};

/* Of a node, with lines, while one thread runs. */
struct tl_pt_node_addrs {
	uint32_t first, count; /* places in `steps` */
	uint32_t tail;   /* steps before the function it is left in: 0 but for TL_PT_KEY_SEVERAL */
	uint32_t visits; /* the first of a list, that of the last visit; 0: none */
};

/*
 * Visits of a node in one function. Code without symbols may belong to several: it is what was
 * called that runs there, so that costs of lines, of functions and of calls agree.
 */
struct tl_pt_visits {
	uint32_t node, function, next;
	uint32_t first, steps; /* of the node's, those in this function */
	uint64_t count, taken; /* taken: the next node was not the one behind it */
	int64_t ticks, cycles;
};

/* An address that was run. */
struct tl_pt_exec_addr {
	uint64_t ip, target; /* target of a direct branch */
	uint8_t iclass;
};

/* What it cost in a function. */
struct tl_pt_addr_cost {
	uint32_t place, function;
	uint64_t executed, taken;
	int64_t ticks, cycles;
};

/* Calls from a place to a function. */
struct tl_pt_addr_call {
	uint64_t from, to; /* addresses; from 0: not by an instruction */
	uint32_t caller, callee;
	uint64_t calls, active;
	int64_t clock, insns, cycles; /* inclusive, of those that are not inside another one */
	int64_t clock_start, insns_start, cycles_start;
};

/* What is counted by address, with lines: of one thread. */
struct tl_pt_addr_costs {
	struct tl_pt_exec_addr *places;
	size_t place_count, place_capacity;
	struct tl_pt_addr_cost *costs;
	size_t cost_count, cost_capacity;
	struct tl_pt_addr_call *calls;
	size_t call_count, call_capacity;
	struct tl_index by_ip, by_cost, by_call;
	/* of the last instruction when the thread was put down, + 1; 0: none */
	uint32_t last_place;
	bool no_memory;
};

struct tl_pt_fold_thread {
	uint64_t process, thread, cpu;
	const char *command;
	struct tl_pt_stack stack;
	struct tl_pt_addr_costs costs;
	int64_t total_insns, total_cycles; /* all that were counted */
	uint64_t elsewhere; /* time of its other stacks, beside the clock of the one that runs */

	/* Where it was at the end of its last piece. */
	bool ran;
	uint32_t key;
	uint64_t back;
	struct tl_pt_node_facts outside;
};

enum {
	TL_PT_FOLD_NODES_MAX = 1 << 20, /* of several epochs; then they are flushed */
	TL_PT_FOLD_BATCH = 1 << 15,     /* taken at once; half of it are held at most */
	TL_PT_RATE_BITS = 16,           /* binary places of ticks per instruction */
};

/* Costs of a context beside time, when there is time. */
enum { TL_PT_COST_CYCLES, TL_PT_COST_INSNS, TL_PT_COSTS };

/* Cycles that CYC packets count (fold_cycles.c). */
struct tl_pt_cycle_count {
	bool seen;    /* there are such packets; from then on all of this counts */
	bool pending; /* `next` is the moment at the end of the nodes held */
	struct tl_pt_timestamp next;
	uint64_t last;   /* the count at the last moment that was come to */
	uint64_t rate;   /* per instruction that runs now, TL_PT_RATE_BITS binary places */
	uint64_t insns;  /* run at this rate */
	uint64_t spread; /* cycles that they were given */
	int64_t counted; /* of tl_pt_folder.insns: those that are among `insns`, or ran before */
	int64_t unattributed; /* not added to a context yet */
};

/* The threads of a fold, by process and thread. */
struct tl_pt_fold_threads {
	struct tl_pt_fold_thread *list;
	size_t count, capacity;
	struct tl_index by_id;
};

/* The node caches of a fold, by number of the stream. */
struct tl_pt_fold_streams {
	struct tl_pt_node_cache *list;
	size_t count, capacity;
};

/*
 * With lines: visits of nodes since the present thread was taken up, and ticks and cycles that no
 * visit has yet.
 */
struct tl_pt_visit_table {
	struct tl_pt_node_addrs *nodes; /* by node; NULL: without lines */
	size_t node_capacity;
	uint32_t *addrs; /* of all nodes: numbers of the addresses of their instructions */
	size_t addr_count, addr_capacity;
	struct tl_pt_visits *list; /* [0] is nobody's */
	size_t count, capacity;
	uint32_t last;
	bool branch_counted; /* whether the last branch was followed */
	/* passed while this function was innermost and ran no node: for its next visit */
	int64_t unattributed_ticks, unattributed_cycles;
	uint32_t unattributed_to;
};

/* Where the present thread is. */
struct tl_pt_fold_position {
	struct tl_pt_node_facts *last;   /* the node run last */
	struct tl_pt_node_facts outside; /* before there was one */
	uint32_t key;
	uint64_t back; /* of TL_PT_KEY_ENABLE and _INTERRUPT: the address expected, interrupted */
	/* the next asynchronous branch goes to the handler of an aborted transaction */
	bool aborted;
};

/* Nodes whose time is not known yet: they wait for the next timestamp. */
struct tl_pt_unstamped {
	struct tl_pt_timestamp *timestamps;
	uint32_t *nodes; /* the first `count` wait, behind them is room for the next batch */
	size_t count;
	/* the node that is come to, NULL: none of these; end of the nodes known to follow */
	const uint32_t *at, *end;
};

/* Ticks per instruction; the clock where that rate began, and what came to it since. */
struct tl_pt_tick_rate {
	uint64_t rate, base, part;
};

struct tl_pt_fold_window {
	uint64_t first; /* time of the first timestamp, + 1 */
	bool closed;    /* the present time is outside */
};

struct tl_pt_folder {
	const struct tl_pt_feed *feed;
	const struct tl_pt_fold_options *options;
	struct tl_pt_faults *faults;
	struct tl_pt_functions functions;
	bool timed;
	struct tl_pt_fold_threads threads;
	struct tl_pt_fold_thread *thread; /* the present one */

	struct tl_pt_decoders decoders;
	struct tl_pt_decoder *decoder;  /* of the present stream, */
	struct tl_pt_node_cache *cache; /* and its nodes */
	struct tl_pt_fold_streams streams;

	/* Of the present thread, since it was taken up. */
	struct tl_pt_visit_table visits;
	struct tl_pt_fold_position pos;
	struct tl_pt_fold_window window;
	int64_t insns; /* not added to a context yet; only with time */
	struct tl_pt_unstamped unstamped;
	struct tl_pt_tick_rate ticks;
	struct tl_pt_cycle_count cycles;
};

/* fold_loop.c: a run of nodes, none of which moves time. */
void tl_pt_fold_nodes(struct tl_pt_folder *folder, const uint32_t *numbers, size_t count);
/* The last branch led to an address, whatever comes next. */
void tl_pt_fold_branch(struct tl_pt_folder *folder, uint64_t ip);
/* Arrive at an address by the present key, without running anything there. */
void tl_pt_fold_arrive(struct tl_pt_folder *folder, uint64_t ip);
/*
 * For struct tl_pt_stack: where the nodes that follow return to, out of the frames that are open
 * now.
 */
size_t tl_pt_fold_ahead(void *arg, uint64_t *backs, size_t most);
/* Give the instructions that wait to the innermost context. */
void tl_pt_fold_settle(struct tl_pt_folder *folder);

/* fold_time.c: run what is held and the nodes of a run, of which all were looked at; `more` nodes
 * will follow at once. */
void tl_pt_fold_timed(struct tl_pt_folder *folder, const struct tl_pt_node_batch *run, bool more);
/* Give what is owed to a visit; to any of the function. */
void tl_pt_attribute_to(struct tl_pt_folder *folder, uint32_t visit);
void tl_pt_attribute_rest(struct tl_pt_folder *folder);
/* Run what is held. */
void tl_pt_fold_unstamped(struct tl_pt_folder *folder);
/* Give time that passed to the visits of the innermost function. */
void tl_pt_attribute(struct tl_pt_folder *folder, int64_t ticks, int64_t cycles);
/* An event's time is known: what passed is the innermost call's. Of traces with cycles. */
void tl_pt_fold_event(struct tl_pt_folder *folder, const struct tl_pt_event *event);

/* fold_cycles.c: the present decoder begins, or goes on, with this count. */
void tl_pt_cycles_from(struct tl_pt_folder *folder, uint64_t count);
/* Nodes begin to run, behind which the count is `to`. */
void tl_pt_cycles_begin(struct tl_pt_folder *folder, const uint32_t *numbers, size_t count,
			uint64_t to);
/* They have run; what they were not given is the innermost call's. */
void tl_pt_cycles_end(struct tl_pt_folder *folder, uint64_t to);
/* Cycles of `insns` instructions, those that wait, up to here. */
void tl_pt_cycles_count(struct tl_pt_folder *folder, int64_t insns);
/* The same; all that wait are added to a context's costs, and these instructions will be, too. */
void tl_pt_cycles_give(struct tl_pt_folder *folder, int64_t insns, int64_t *cycles);
/* There were none: contexts have one cost less. */
void tl_pt_cycles_drop(struct tl_fold *fold);

/*
 * fold_node.c: what is to be known of a node that is met for the first time, by anyone or by this
 * thread.
 */
static inline bool tl_pt_node_facts_known(const struct tl_pt_folder *folder, uint32_t number)
{
	return folder->cache->nodes[number].entry != TL_PT_KEY_NONE &&
	       (!folder->visits.nodes || folder->visits.nodes[number].count);
}
void tl_pt_node_facts_scan(struct tl_pt_folder *folder, uint32_t number);
bool tl_pt_node_facts_room(struct tl_pt_folder *folder, uint32_t limit);
/* Nodes are as never met; none may be held, nor be the last one. */
void tl_pt_node_facts_forget(struct tl_pt_node_cache *known);
/* The visits of a node, some steps of it, in a function; from now on the first of its list. 0: no
 * memory. */
uint32_t tl_pt_visits_first(struct tl_pt_folder *folder, uint32_t number, uint32_t function,
			    uint32_t first, uint32_t steps);
/* Visits to costs of addresses: the thread is put down, or nodes will be forgotten. */
void tl_pt_visits_flush(struct tl_pt_folder *folder);

/* address_costs.c: how many events the profile has: Ticks, Cycles, Ir; costs in their order. */
uint32_t tl_pt_event_count(const struct tl_pt_folder *folder);
void tl_pt_fold_events(const struct tl_pt_folder *folder, int64_t ticks, int64_t cycles,
		       int64_t insns, int64_t cost[1 + TL_PT_COSTS]);

/* fold_lines.c */
void tl_pt_addr_costs_free(struct tl_pt_addr_costs *lines);
uint32_t tl_pt_addr_costs_addr(struct tl_pt_addr_costs *lines, const struct tl_pt_node_insn *step);
struct tl_pt_addr_cost *tl_pt_addr_costs_cost(struct tl_pt_addr_costs *lines, uint32_t place,
					      uint32_t function);
void tl_pt_addr_costs_opened(void *arg, struct tl_pt_frame *frame);
void tl_pt_addr_costs_closing(void *arg, struct tl_pt_frame *frame);
void tl_pt_addr_costs_reopened(void *arg, struct tl_pt_frame *frame);
/* Lines, calls and jumps into the profile; `numbers[i]` is its number of function i. */
int tl_pt_addr_costs_into(struct tl_pt_folder *folder, struct tl_pt_fold_thread *thread,
			  uint32_t part, const uint32_t *numbers, struct tl_profile *profile,
			  struct tl_error *err);

/* fold_profile.c: a profile with the events of the trace; its functions, contexts and lines. */
int tl_pt_fold_new_profile(const struct tl_pt_folder *folder, struct tl_profile **profile,
			   struct tl_error *err);
int tl_pt_fold_add_threads(struct tl_pt_folder *folder, struct tl_profile *profile,
			   struct tl_error *err);

/* fold_threads.c: the thread of a slice becomes the present one; it may have been met before. */
int tl_pt_fold_find_thread(struct tl_pt_folder *folder, const struct tl_pt_trace_slice *slice,
			   struct tl_error *err);
/* Calls that are open when the trace ends end there, for those who follow the stack. */
void tl_pt_fold_end_watch(struct tl_pt_folder *folder);

#endif
