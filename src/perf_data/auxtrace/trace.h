/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_AUXTRACE_TRACE_H
#define TL_PERF_DATA_AUXTRACE_TRACE_H
/*
 * The inside of a trace. load.c makes one time-ordered pass over the records and fills the tables
 * of the system and the streams of AUX data. sched_slices.c then walks the streams and cuts their
 * ranges where thread or address space change.
 */
#include "perf_data/auxtrace/streams.h"
#include "perf_data/processes/address_space.h"
#include "perf_data/processes/compiled.h"
#include "perf_data/processes/kernel_names.h"

struct tl_perf_slice_walk;

/* From this time on a counter writes the samples of this event into the trace. */
struct tl_perf_output_event {
	uint64_t time_ns, cpu, thread; /* TL_NOWHERE: not recorded */
	uint64_t counter;
	size_t event; /* number of its attribute */
};

struct tl_perf_output_events {
	struct tl_perf_output_event *list;
	size_t count, capacity;
};

/* Names of the kernel, read when the first one is asked for. */
struct tl_perf_kernel_names {
	struct tl_name_list list;
	const char *why; /* there is no list; NULL: there is */
	bool read;
};

/* By number of the virtual machine, as a process. */
struct tl_perf_guest_names {
	struct tl_perf_kernel_names *list;
	size_t count, capacity;
};

/* A packet at which another thread takes over, or a virtual machine is entered or left. */
struct tl_perf_handover {
	uint64_t at; /* of the range */
	uint64_t tsc;
	bool guest;
};

/* Those of a stream, in order, so that its packets are scanned for them once. */
struct tl_perf_handovers {
	struct tl_perf_handover *list;
	size_t count, capacity;
	bool whole;     /* the stream was walked to its end */
	bool no_memory; /* it is scanned each time */
};

struct tl_perf_trace {
	struct tl_perf_trace_options options;
	struct tl_source *source;
	struct tl_perf_reader *reader;
	struct tl_perf_pt_info info;
	bool have_info;
	struct tl_pt_config config; /* of the decoders, without begin and end */
	struct tl_perf_system sys;
	struct tl_perf_address_spaces spaces;
	struct tl_perf_aux_data aux;
	struct tl_perf_output_events outputs;
	struct tl_perf_kernel_names kernel_names;
	struct tl_perf_guest_names guest_names;
	struct tl_perf_slice_walk *walks;    /* one for each stream; NULL: not begun */
	struct tl_perf_handovers *handovers; /* likewise */
};

/* ---- load.c ---- */

int tl_perf_load_records(struct tl_perf_trace *t, struct tl_error *err);

/* ---- pt_info.c ---- */

int tl_perf_add_pt_info(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			struct tl_error *err);
/* The decoder's configuration, from AUXTRACE_INFO, the event and the processor's name. */
void tl_perf_configure_decoder(struct tl_perf_trace *t);

/* ---- listed_names.c ---- */

/*
 * The name of code that lists name: it is in a file that is none of a program, as copies of code
 * made at run time are, or in a copy of the kernel's memory. `*why`: why a name is missing, or a
 * list could not be read; NULL: there is nothing to say.
 * @return 1 and a name; 0: none is known; TL_UNSUPPORTED: its file names it; TL_NO_MEMORY
 */
int tl_perf_trace_listed_name(struct tl_perf_trace *t, uint32_t space, uint64_t ip,
			      struct tl_perf_compiled_name *name, const char **why);

/* ---- sched_slices.c ---- */

void tl_perf_slice_walks_free(struct tl_perf_trace *t);
void tl_perf_handovers_free(struct tl_perf_trace *t);
/* How many threads the records tell of that may have run traced code, up to `most`. */
int64_t tl_perf_trace_count_threads(const struct tl_perf_trace *t, size_t most,
				    struct tl_error *err);

#endif
