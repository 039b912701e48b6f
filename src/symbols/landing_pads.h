/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_LANDING_PADS_H
#define TL_SYMBOLS_LANDING_PADS_H
/*
 * Where an exception that comes out of a call goes on in the caller: its landing pad, which
 * handlers and clean-ups begin with. From .eh_frame_hdr, .eh_frame (System V ABI for AMD64,
 * section 4.2.4; Linux Standard Base, "Exception Frames") and the language-specific data that all
 * GCC and LLVM languages have in common (Itanium C++ ABI, "Exception Handling Tables").
 */
#include <tracelathe/symbols.h>

/* The landing pad of the call that returns to `back`. False: it has none, or the tables cannot be
 * read. */
bool tl_landing_pad(struct tl_binary *binary, uint64_t bias, uint64_t back, uint64_t *pad);

#endif
