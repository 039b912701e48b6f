/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_UNWINDER_H
#define TL_PERF_DATA_SAMPLES_UNWINDER_H
/*
 * Call stacks from the registers and the copy of the stack in a sample (`perf record --call-graph
 * dwarf`), by the call frame information of the mapped files.
 *
 * Nearly all instructions have rules of one simple kind: the CFA is the stack or the frame pointer
 * and a number, the return address and the caller's frame pointer stand beside it. These are kept
 * by address in a table, and a frame costs two loads. Any other rule is applied by
 * symbols/cfi/step.h. A register other than the two is not followed until a rule needs it; then the
 * sample begins anew with all of them.
 */
#include "perf_data/processes/system.h"
#include "perf_data/samples/call_chain.h"
#include "perf_data/samples/stacks.h"
#include "symbols/cfi/step.h"

struct tl_cfi;
struct tl_perf_sample_remarks;

/* The tables of a mapped file, by number of the object. */
struct tl_perf_unwind_object {
	struct tl_cfi *cfi; /* NULL: none */
	bool opened;
	bool unreadable; /* there is a file, but not one of ELF that can be read */
	/* Stacks that have no rule in its code: they go on by the frame pointer, or end. */
	uint64_t by_frame, ended;
};

struct tl_perf_unwind_rule;

struct tl_perf_unwinder {
	struct tl_perf_system *sys;
	const struct tl_perf_header *header;
	struct tl_perf_unwind_rule *rules; /* direct-mapped by address; NULL: none yet */
	struct tl_perf_unwind_object *objects;
	size_t object_count, object_capacity;
	/* The sample: */
	struct tl_cfi_frame start;
	struct tl_cfi_memory memory;
	uint16_t machine;
	/* What became of the stacks: */
	uint64_t stacks;
	uint64_t cut;        /* end with the copy */
	uint64_t lost;       /* end where no rule leads on */
	uint64_t unmapped;   /* end where no file was mapped */
	uint64_t unreadable; /* not begun: registers of an unknown kind */
};

/*
 * Take the registers of a sample; the address at which its process was goes to the end of `chain`,
 * where that has none of the process yet. 1: to be unwound; 0: there is nothing to unwind;
 * TL_NO_MEMORY.
 */
int tl_perf_unwind_begin(struct tl_perf_unwinder *unwinder, const struct tl_perf_record *rec,
			 struct tl_perf_call_chain *chain);
/* Append the callers, by the maps of a root. 0 or a negative status. */
int tl_perf_unwind(struct tl_perf_unwinder *unwinder, const struct tl_perf_stack_root *root,
		   struct tl_perf_call_chain *chain, struct tl_error *err);
/* Say what is missing in the stacks. False without memory. */
bool tl_perf_unwinder_describe(const struct tl_perf_unwinder *unwinder,
			       struct tl_perf_sample_remarks *remarks);
void tl_perf_unwinder_free(struct tl_perf_unwinder *unwinder);

/* ---- user_registers.c ---- */

/*
 * The registers that a process had at a sample, by DWARF number, and the kind of its code
 * (e_machine); a mask says which of them were recorded. False: there are none, or those of an
 * architecture whose stacks are not unwound.
 */
bool tl_perf_user_registers(const struct tl_perf_header *header, const struct tl_perf_record *rec,
			    struct tl_cfi_frame *frame, uint16_t *machine);

#endif
