/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_BLOCKS_UNSIZED_H
#define TL_INTEL_PT_BLOCKS_UNSIZED_H
#include <tracelathe/intel_pt.h>

/*
 * The public calls of the same names (tl_pt_decoder_block_next(), ...) for structs of our own size:
 * for all callers inside the library.
 */
int tl_pt_next_block(struct tl_pt_decoder *decoder, struct tl_pt_block *block);
int64_t tl_pt_next_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t max,
			  int *status);
int tl_pt_next_insn(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn);
int tl_pt_next_event(struct tl_pt_decoder *decoder, struct tl_pt_event *event);
int tl_pt_next_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch);
int tl_pt_resync(struct tl_pt_decoder *decoder, struct tl_pt_event *lost);
int tl_pt_node_insns(struct tl_pt_decoder *decoder, uint32_t node, size_t first,
		     struct tl_pt_node_insn *insns, size_t max);

/*
 * Quiet nodes, for callers that need no list of all nodes. Such a caller says of a node that it is
 * quiet: that its instructions are to be counted, and that it need not be given where it is reached
 * along a quiet edge; and which edges of it are quiet. The walk then passes over it. All that is
 * not passed over is given as before, in the same order, each with the node that ran before it.
 */

/* What ran since the decoder was opened, and is not given. */
struct tl_pt_passed_nodes {
	/* of quiet nodes, given or not; modulo 2^32, which two nodes that are given never are apart
	 */
	uint32_t insns;
	uint32_t last;  /* the node that ran last, given or not; 0: none of this epoch */
	uint64_t nodes; /* that were passed over */
};

/* What is told of each node of a batch. */
struct tl_pt_loud_nodes {
	uint32_t *insns; /* as in struct tl_pt_passed_nodes, before it */
	/*
	 * tl_pt_node_before(): the node that ran before it, given or not; with TL_PT_COUNTED if its
	 * own instructions are counted
	 */
	uint32_t *before;
};
enum { TL_PT_COUNTED = 1, TL_PT_BEFORE = 16 };

/* A number of `before` as that of a node; 0: the node given before it, if any. */
static inline uint32_t tl_pt_node_before(uint32_t before)
{
	return before / TL_PT_BEFORE;
}

/*
 * Pass over quiet nodes, once the decoder is synchronised. False: it is already, or gives ticks.
 */
bool tl_pt_pass_quiet(struct tl_pt_decoder *decoder);
/*
 * The addresses that a node always leads to: two behind a conditional branch, one where no branch
 * needs trace, none behind any other branch; -1: it cannot be quiet, as it is too long or not
 * whole.
 */
int tl_pt_node_edges(const struct tl_pt_decoder *decoder, uint32_t node, uint64_t to[2]);
/* Say that a node is quiet, of which tl_pt_node_edges() is not negative. `edges`: bit i is edge i.
 */
void tl_pt_set_quiet(struct tl_pt_decoder *decoder, uint32_t node, unsigned edges);
/* All that ran before the next node that will be given. */
struct tl_pt_passed_nodes tl_pt_passed_so_far(const struct tl_pt_decoder *decoder);
/*
 * As tl_pt_next_nodes(), where a batch may be empty; `behind`: all that ran before the node behind
 * the batch. Its `nodes` are updated only where the batch takes all that was decoded ahead.
 */
int tl_pt_next_loud_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch,
			  const struct tl_pt_loud_nodes *loud, struct tl_pt_passed_nodes *behind);

#endif
