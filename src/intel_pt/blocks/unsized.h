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
 * quiet: that it need not be given where it is reached along a quiet edge; and which edges of it
 * are quiet. The walk then passes over it, and only counts its instructions. All that is not passed
 * over is given as before, in the same order.
 */

/* What was passed over since the decoder was opened. */
struct tl_pt_passed_nodes {
	uint32_t insns; /* modulo 2^32, which two nodes that are given never are apart */
	uint64_t nodes;
};

/* Pass over quiet nodes from here on. False: not with several threads, nor with ticks. */
bool tl_pt_pass_quiet(struct tl_pt_decoder *decoder);
/*
 * The addresses that a node leads to, if it ends with a conditional branch, has no call inside and
 * is short enough to be quiet. False: any other node.
 */
bool tl_pt_node_branches(const struct tl_pt_decoder *decoder, uint32_t node, uint64_t to[2]);
/* Say that a node is quiet, of which tl_pt_node_branches() is true. `edges`: bit i is edge i. */
void tl_pt_set_quiet(struct tl_pt_decoder *decoder, uint32_t node, unsigned edges);
/* All that was passed over; no node may be decoded ahead. */
struct tl_pt_passed_nodes tl_pt_passed_so_far(const struct tl_pt_decoder *decoder);
/*
 * As tl_pt_next_nodes(). `insns[i]`: instructions passed over before node i of the batch, as in
 * struct tl_pt_passed_nodes; `behind`: all passed over before the node behind the batch. Its
 * `nodes` are updated only where the batch takes all that was decoded ahead.
 */
int tl_pt_next_loud_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch,
			  uint32_t *insns, struct tl_pt_passed_nodes *behind);

#endif
