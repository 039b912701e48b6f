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

#endif
