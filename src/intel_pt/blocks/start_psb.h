/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_BLOCKS_START_PSB_H
#define TL_INTEL_PT_BLOCKS_START_PSB_H
/*
 * Start PSBs: those at which a decoder begins in running flow, without the trace before them. What
 * it then gives is what it would have given with that trace, if the decoder that passes this PSB
 * has the same state there. The one who starts there tells the state that it began with, the one
 * who passes the state that it had; whoever has both compares them.
 */
#include <tracelathe/intel_pt.h>

/*
 * The last PSB in front of `to` and not before `from` whose PSB+ is whole by then. False: there is
 * none, or it is the first of the configuration, where nothing is before.
 */
bool tl_pt_find_start_psb(const struct tl_pt_config *config, uint64_t from, uint64_t to,
			  uint64_t *offset);
/*
 * Go on at a start PSB, up to `end`, in an address space, with all nodes that are known; one thread
 * decodes. The status, or a negative tl_pt_error.
 */
int tl_pt_decoder_start_at(struct tl_pt_decoder *decoder, uint64_t offset, uint64_t end,
			   const struct tl_pt_asid *asid);
/* The state at the start PSB, as a number. False: it is not known, as decoding ended before. */
bool tl_pt_started_state(const struct tl_pt_decoder *decoder, uint64_t *state);

/* From here on the last PSB that is passed in running flow is kept. */
void tl_pt_decoder_keep_passed(struct tl_pt_decoder *decoder);
/* It, with its state as a number; forgotten then. False: none was, or others depend on it. */
bool tl_pt_take_passed(struct tl_pt_decoder *decoder, uint64_t *offset, uint64_t *state);

#endif
