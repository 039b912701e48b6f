/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_CALL_CHAIN_H
#define TL_PERF_DATA_SAMPLES_CALL_CHAIN_H
/*
 * The call stack of a sample as addresses of instructions that ran: the innermost one as sampled,
 * each caller's as that of its call, which is the return address less one byte. (A call may be the
 * last instruction of its function; its return address is then in another function.) Where the
 * processor recorded the calls of the process (`--call-graph lbr`), these are its callers.
 */
#include "perf_data/container/reader.h"

/* From here on up a word of a call chain is a marker: who ran the addresses behind it. */
#define TL_PERF_CONTEXT_MARKER ((uint64_t)-4095)
/* UAPI, enum perf_callchain_context. */
#define TL_PERF_CONTEXT_HV ((uint64_t)-32)
#define TL_PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define TL_PERF_CONTEXT_USER ((uint64_t)-512)
#define TL_PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define TL_PERF_CONTEXT_GUEST ((uint64_t)-2048)
#define TL_PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define TL_PERF_CONTEXT_GUEST_USER ((uint64_t)-2560)

/* Addresses below these and above those of processes are none of x86-64 and AArch64 at all. */
static inline bool tl_perf_is_kernel_address(uint64_t ip)
{
	return ip >= UINT64_C(0xffff000000000000);
}

/*
 * Addresses, the innermost first. Addresses of hypervisors, and of virtual machines of which
 * nothing is known, say nothing here: the marker itself stands for all that follow it.
 */
struct tl_perf_call_chain {
	uint64_t *list;
	size_t count, capacity;
	bool has_user; /* some are of the process, not of the kernel */
	bool is_cut;   /* as long as the recorder's limit: callers further out are missing */
	/* addresses of the host in a stack of a virtual machine, whose maps do not have them */
	uint64_t left_out;
};

/* Calls of the present stack that the processor recorded, 0: none, or branches of another kind. */
uint64_t tl_perf_recorded_calls(const struct tl_perf_record *rec);

/*
 * The call chain of a SAMPLE record. False without memory.
 * @param in_machine  it is of a virtual machine whose maps are known: the addresses are its own
 */
bool tl_perf_call_chain_of(struct tl_perf_call_chain *chain, const struct tl_perf_record *rec,
			   bool in_machine);

#endif
