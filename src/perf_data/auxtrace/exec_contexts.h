/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_AUXTRACE_EXEC_CONTEXTS_H
#define TL_PERF_DATA_AUXTRACE_EXEC_CONTEXTS_H
/* Which thread a stream is of, and in which address space, from when on. */
#include "perf_data/auxtrace/trace.h"

/* The thread and the address space in effect from a time on. */
struct tl_perf_exec_context {
	uint64_t tsc; /* 0: from the beginning */
	uint64_t time_ns;
	uint32_t pid, tid; /* TL_PERF_KERNEL_PID: unknown */
	uint32_t process;  /* TL_NONE: unknown */
	size_t changes;    /* of the process's maps, up to the end of the epoch */
	size_t pokes;      /* of the kernel's code, unless it is not traced */
	/* what the virtual machine runs that the thread runs a processor of; else TL_NONE */
	uint32_t guest_pid, guest_tid; /* of the machine */
	uint32_t guest;                /* number of that process, or of the machine */
	size_t guest_changes, guest_pokes;
	/* number of the next context in which not only its virtual machine goes on */
	size_t host_end;
};

struct tl_perf_context_list {
	struct tl_perf_exec_context *list;
	size_t count, capacity;
};

/* Whether code of the kernel is in the trace, by the attributes of its event. */
bool tl_perf_kernel_is_traced(const struct tl_perf_trace *t);
/* All contexts of a stream, in order of time; at least one. 0 or negative. */
int tl_perf_context_list_make(struct tl_perf_context_list *contexts, const struct tl_perf_trace *t,
			      const struct tl_perf_aux_stream *stream, struct tl_error *err);

#endif
