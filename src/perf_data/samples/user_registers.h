/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_USER_REGISTERS_H
#define TL_PERF_DATA_SAMPLES_USER_REGISTERS_H
#include "perf_data/container/reader.h"
#include "symbols/cfi/step.h"

/*
 * The registers that a process had at a sample, by DWARF number, and the kind of its code
 * (e_machine); a mask says which of them were recorded. False: there are none, or those of an
 * architecture whose stacks are not unwound.
 */
bool tl_perf_user_registers(const struct tl_perf_header *header, const struct tl_perf_record *rec,
			    struct tl_cfi_frame *frame, uint16_t *machine);

#endif
