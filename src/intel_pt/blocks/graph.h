/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_BLOCKS_GRAPH_H
#define TL_INTEL_PT_BLOCKS_GRAPH_H
/*
 * The graph of blocks: code between two points that need trace, decoded once and linked. One
 * outcome is one edge along an edge. Edges always lead to a node: one that was not reached yet is a
 * stub, which holds its address and is decoded when the walk gets there. A node depends on the
 * code, the mode and the address space alone, never on the trace.
 *
 * Memory is bounded: when the nodes are used up, all are dropped and the graph starts anew.
 *
 * Threads that decode in parallel share one graph. A node never moves and never changes, until all
 * nodes are dropped between two segments; but a stub becomes a block, once, and its kind is stored
 * last (tl_pt_node_kind()). Nodes are added under the lock.
 */
#include <pthread.h>

#include "core/tables/at_first.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/code/insn_reader.h"

enum tl_pt_node_kind {
	TL_PT_NODE_COND,      /* edges: not taken, taken */
	TL_PT_NODE_COND_CALL, /* as COND, with a call inside */
	TL_PT_NODE_RETURN,
	TL_PT_NODE_INDIRECT, /* near call or jump */
	TL_PT_NODE_FAR,
	/* needs no trace; edge 0; in place of edge 1 the number of instructions */
	TL_PT_NODE_NEXT,
	TL_PT_NODE_STUB,
	TL_PT_NODE_ERROR, /* no code, or no instruction: `traits` says which */
	TL_PT_NODE_EMPTY, /* popped from an empty return stack */
	/* behind a far branch that was given, whose target has not come yet */
	TL_PT_NODE_AWAIT,
	TL_PT_NODE_PARTIAL, /* the first instructions of a block, cut by an event */
};

/*
 * The members that the walk needs, kept small so that many nodes fit the cache; the block for the
 * caller is in another array, under the same number.
 */
struct tl_pt_node {
	uint32_t edge[2]; /* tl_pt_edge_offset() of the nodes */
	/*
	 * the node at the return address of the call inside, as an edge; 0: no call; with
	 * TL_PT_LINK_LIST: an index into `lists`, for several calls
	 */
	uint32_t link;
	uint8_t kind; /* enum tl_pt_node_kind */
	/*
	 * flags of all its instructions, the first eight of enum tl_x86_flow_flag; of
	 * TL_PT_NODE_ERROR: enum tl_pt_error
	 */
	uint8_t traits;
	/*
	 * 0, or of a node that is quiet (unsized.h) the number of its instructions, and in the
	 * lowest two bits which of its edges are, both of COND and COND_CALL alone; set while
	 * other threads walk, last of all
	 */
	uint8_t quiet;
	uint8_t space;
};
_Static_assert(sizeof(struct tl_pt_block) == 48 && sizeof(struct tl_pt_node) == 16,
	       "four nodes to a cache line");

enum {
	TL_PT_STACK = 64,      /* return addresses that the hardware remembers (5.6) */
	TL_PT_NODE_NONE = 0,   /* TL_PT_NODE_EMPTY */
	TL_PT_NODE_BEHIND = 1, /* TL_PT_NODE_AWAIT */
	TL_PT_NODE_FIRST = 2,
	TL_PT_BLOCK_MOST = 65535, /* instructions (9.1) */
	TL_PT_SPACES = 255,
	TL_PT_QUIET_EDGES = 2,                             /* bits of tl_pt_node.quiet */
	TL_PT_QUIET_BOTH = 3,                              /* edges */
	TL_PT_QUIET_MOST = UINT8_MAX >> TL_PT_QUIET_EDGES, /* instructions of a quiet node */
};
#define TL_PT_LINK_LIST 0x80000000u

/*
 * Edges are offsets in bytes, so that the walk needs no arithmetic between one load and the next.
 */
static inline uint32_t tl_pt_edge_offset(uint32_t number)
{
	return number * (uint32_t)sizeof(struct tl_pt_node);
}

_Static_assert((int)sizeof(struct tl_pt_node) == (int)TL_PT_BEFORE, "an edge is a `before`");

static inline uint32_t tl_pt_edge_node(uint32_t edge)
{
	return edge / (uint32_t)sizeof(struct tl_pt_node);
}

struct tl_pt_slot {
	uint32_t tag;
	uint32_t node; /* 0: free */
};

/* Cache of targets: the node at an address that branches went to before. */
struct tl_pt_target {
	uint64_t ip;
	uint32_t edge; /* 0: free */
	uint32_t space;
};
enum { TL_PT_TARGET_BITS = TL_AT_FIRST(12, 4) };

struct tl_pt_space {
	struct tl_pt_asid asid;
	enum tl_pt_exec_mode mode;
};

/* The graph itself. */
struct tl_pt_code_graph {
	struct tl_pt_node *nodes;
	struct tl_pt_block *blocks; /* of the nodes, by number */
	uint32_t *lists;            /* of links: their number, then each */
	uint32_t count, capacity, list_count;
	uint32_t block_count; /* nodes that can be given: neither stubs nor the end of code */
	uint32_t most;        /* limit of nodes; 0: by the size of the code */
	struct tl_pt_slot *slots;
	uint32_t mask; /* size of `slots` - 1 */
	struct tl_pt_space spaces[TL_PT_SPACES];
	unsigned space_count;
	const struct tl_pt_image *image;
	uint64_t version;
	uint32_t epoch;
	unsigned threads; /* that share it, decoding in parallel; 0: none */
	pthread_mutex_t lock;
};

/* The graph as one decoder sees it. */
struct tl_pt_graph {
	struct tl_pt_code_graph *code;
	bool is_guest; /* `code` belongs to another decoder */
	/* Copies of the members of `code`. */
	struct tl_pt_node *nodes;
	struct tl_pt_block *blocks;
	const uint32_t *lists;
	uint32_t capacity;
	const struct tl_pt_image *image;
	uint64_t version;
	uint32_t epoch;

	struct tl_pt_target *targets;
	unsigned space;
	enum tl_pt_exec_mode mode;
	struct tl_pt_asid asid; /* as set, TL_PT_ANY or not */
	struct tl_pt_reader reader;
	unsigned reader_space; /* TL_PT_SPACES: the reader has none yet */
	uint32_t flags;        /* enum tl_pt_flag */
	bool full;             /* no room for more nodes: drop all before going on */
	bool no_memory;
};

/* What ends a walk before trace is needed. Any one of these is enough. */
struct tl_pt_stop_condition {
	bool at_ip;     /* before the instruction at `ip` */
	bool behind;    /* with `at_ip`: but behind at least one instruction */
	bool branch;    /* behind any instruction that needs trace */
	bool past_ip;   /* behind the instruction at `ip` */
	uint32_t insns; /* behind so many instructions; 0: any number */
	uint16_t flags; /* behind an instruction with one of these, enum tl_x86_flow_flag */
	uint64_t ip;
	/* behind a direct branch that leaves all of these (7, skl014); NULL: not a condition */
	const struct tl_pt_range *ranges;
};

/* Instructions as decoded: a block, or the part of one up to a stop condition. */
struct tl_pt_decoded_block {
	struct tl_pt_block block;
	enum tl_pt_node_kind kind;
	enum tl_pt_error error;
	bool reached;           /* the stop condition was met */
	uint16_t traits, flags; /* of all instructions; of the last one */
	uint64_t next;          /* where it goes on; of a conditional branch: if not taken */
	uint64_t target;        /* of a conditional branch */
	/*
	 * return addresses of the calls inside: the last TL_PT_STACK of `calls`, modulo that size
	 */
	uint64_t links[TL_PT_STACK];
	uint32_t calls;
};

/* `code`: of another decoder, which must live longer; NULL: a graph of its own. */
int tl_pt_graph_open(struct tl_pt_graph *graph, uint32_t flags, struct tl_pt_code_graph *code);
void tl_pt_graph_close(struct tl_pt_graph *graph);

/* Drop all nodes, and use this image from here on. 0, or -TL_PT_NOMEM. */
int tl_pt_graph_reset(struct tl_pt_graph *graph, const struct tl_pt_image *image);

/* Whether the graph was built from another image, or from an older version of this one. */
static inline bool tl_pt_graph_is_stale(const struct tl_pt_graph *graph,
					const struct tl_pt_image *image)
{
	return !graph->nodes || graph->image != image || graph->version != image->version;
}

/* Another decoder may have dropped all nodes: update the copies of the members. */
void tl_pt_graph_follow(struct tl_pt_graph *graph);

/*
 * New nodes belong to this address space and mode from here on. 0; -TL_PT_NOMEM, with `full`, when
 * there are too many of these.
 */
int tl_pt_graph_switch(struct tl_pt_graph *graph, const struct tl_pt_asid *asid,
		       enum tl_pt_exec_mode mode);

/* The node at an address, a stub if it is new. 0: none; `full` or `no_memory` is set. */
uint32_t tl_pt_graph_node(struct tl_pt_graph *graph, uint64_t ip);

/* Decode a stub. False: no room (`full`, `no_memory`); it is still a stub. */
bool tl_pt_graph_build(struct tl_pt_graph *graph, uint32_t number);

/*
 * Decode from `ip` on up to a stop condition (NULL: none) or the end of the block. Where memory
 * runs out the error is TL_PT_NOMEM, whatever was decoded, and `no_memory` is set.
 */
void tl_pt_graph_decode(struct tl_pt_graph *graph, uint64_t ip,
			const struct tl_pt_stop_condition *until,
			struct tl_pt_decoded_block *decoded);

/* The node of a partial block. 0: none, as tl_pt_graph_node(). */
uint32_t tl_pt_graph_partial(struct tl_pt_graph *graph, const struct tl_pt_decoded_block *decoded);

static inline const struct tl_pt_asid *tl_pt_graph_asid(const struct tl_pt_graph *graph)
{
	return &graph->asid;
}

static inline enum tl_pt_exec_mode tl_pt_graph_mode(const struct tl_pt_graph *graph)
{
	return graph->mode;
}

/*
 * Kind, load-acquire; pairs with the release that ends tl_pt_graph_build(): once it is not STUB,
 * all other fields are valid.
 */
static inline enum tl_pt_node_kind tl_pt_node_kind(const struct tl_pt_node *node)
{
	return (enum tl_pt_node_kind)__atomic_load_n(&node->kind, __ATOMIC_ACQUIRE);
}

/* The number of nodes; other threads may be adding some. */
static inline uint32_t tl_pt_graph_count(const struct tl_pt_graph *graph)
{
	return __atomic_load_n(&graph->code->count, __ATOMIC_RELAXED);
}

static inline uint32_t tl_pt_graph_blocks(const struct tl_pt_graph *graph)
{
	return __atomic_load_n(&graph->code->block_count, __ATOMIC_RELAXED);
}

/* ---- targets ---- */

/*
 * The edge to the node at the target of an indirect branch; 0 as tl_pt_graph_node(). Fast path: the
 * cache of targets; it equals tl_pt_edge_offset(tl_pt_graph_node()).
 */
uint32_t tl_pt_graph_target_slow(struct tl_pt_graph *graph, struct tl_pt_target *target,
				 uint64_t ip);

static inline uint32_t tl_pt_graph_target(struct tl_pt_graph *graph, uint64_t ip)
{
	struct tl_pt_target *target =
		&graph->targets[ip * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TL_PT_TARGET_BITS)];

	if (__builtin_expect(target->ip == ip && target->edge && target->space == graph->space, 1))
		return target->edge;
	return tl_pt_graph_target_slow(graph, target, ip);
}

#endif
