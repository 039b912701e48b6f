/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_PT_WALK_H
#define TESTS_FAULT_PT_WALK_H
/* What holds for any trace over any code. */
#include <stddef.h>
#include <stdint.h>

/* Where the code is loaded, unless the choice says otherwise. */
enum { PT_WALK_AT = 0x1000 };

/*
 * Decode a trace by every face of the decoder: the same instructions come out of each, and each
 * comes to an end. `choice` is the configuration, how the code is given, and whether some is
 * missing. NULL, or what was broken; "no memory" is not broken. *digest, if wanted: of all that
 * came out.
 */
const char *exercise_pt_walk(const uint8_t *code, size_t code_size, const uint8_t *trace,
			     size_t size, uint32_t choice, uint64_t *digest);

#endif
