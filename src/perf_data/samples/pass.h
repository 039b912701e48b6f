/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_PASS_H
#define TL_PERF_DATA_SAMPLES_PASS_H
/* The pass over all records of a file of samples, and what it gathers. */
#include "perf_data/samples/call_chain.h"
#include "perf_data/samples/cgroups.h"
#include "perf_data/samples/fold.h"
#include "perf_data/samples/off_cpu.h"
#include "perf_data/samples/unwinder.h"

/* An event that was recorded; its number is that of its attribute. */
struct tl_perf_sampled_event {
	uint64_t samples;
};

/* What a counter of a group had counted when it was last read. */
struct tl_perf_counter {
	uint64_t id, value;
};

struct tl_perf_counters {
	struct tl_perf_counter *list;
	size_t count, capacity;
	struct tl_index by_id;
};

/* Samples that are not whole. */
struct tl_perf_sample_losses {
	uint64_t cut_stacks; /* as long as the recorder's limit */
	uint64_t lost;       /* samples or records that the recorder lost */
	uint64_t throttled;  /* times that the kernel stopped sampling for a while */
	uint64_t periodless; /* samples by frequency without their periods */
	uint64_t branches;   /* samples with records of branches that are no calls */
	/* most calls that the processor recorded of a stack, and how many stacks have so many */
	uint64_t most_calls, with_most_calls;
	uint64_t of_machines;  /* samples of virtual machines of which nothing is known */
	uint64_t host_callers; /* stacks of virtual machines with callers of the host */
};

/* Told of each sample that is counted, with the node of its stack. 0, or negative: it is over. */
typedef int tl_perf_sample_fn(void *arg, const struct tl_perf_record *rec, uint32_t event,
			      uint64_t period, uint32_t node, struct tl_error *err);

/* A thread that comes to a processor, or leaves it. */
struct tl_perf_sample_switch {
	uint32_t pid, tid;
	uint64_t cpu; /* TL_NOWHERE: unknown */
	bool comes;
};

/* Told of each switch that the filters let pass. False: no memory. */
typedef bool tl_perf_switch_fn(void *arg, const struct tl_perf_sample_switch *what);

struct tl_perf_sampled_events {
	struct tl_perf_sampled_event *list;
	size_t count, capacity;
};

/* Who is told each sample and each switch; NULL: nobody is. */
struct tl_perf_sample_listener {
	bool switches_alone; /* no sample is counted, nor told */
	tl_perf_sample_fn *on_sample;
	tl_perf_switch_fn *on_switch;
	void *arg;
};

/* The trace beside the samples. */
struct tl_perf_sample_trace {
	uint32_t type; /* of AUXTRACE_INFO; 0: there is none */
	bool has_intel_pt;
};

/* What a sample of a virtual machine is of. */
struct tl_perf_sampled_guest {
	uint32_t process; /* of the machine, or the machine; TL_NONE: of the host, or unknown */
	uint32_t tid;     /* of the machine, if `known` */
	bool known;
};

struct tl_perf_sample_pass {
	struct tl_perf_reader *reader;
	const struct tl_perf_sample_options *options;
	struct tl_perf_system sys;
	struct tl_perf_stacks stacks;
	struct tl_perf_sampled_events events;
	struct tl_perf_counters counters;
	struct tl_perf_call_chain chain;
	struct tl_perf_unwinder unwinder;
	struct tl_perf_sample_losses losses;
	struct tl_perf_off_cpu off_cpu;
	struct tl_perf_cgroups cgroups;
	uint64_t samples;   /* or branches */
	uint64_t met;       /* samples that the filters let pass, of all shares */
	uint64_t first_ns;  /* of the first sample, which `from_seconds` counts from */
	uint64_t time_ns;   /* of the latest record that had a time */
	uint32_t last_node; /* of the sample before */
	uint32_t last_root; /* of the sample before, TL_NONE: none */
	struct tl_perf_sampled_guest guest;
	struct tl_perf_sample_listener listener;
	struct tl_perf_sample_trace trace;
};

/* A pass over a reader that is at its first record. */
struct tl_perf_sample_pass tl_perf_sample_pass_of(struct tl_perf_reader *reader,
						  const struct tl_perf_sample_options *options);
/* Read all records. 0; 1: there is Intel PT; negative. */
int tl_perf_sample_pass_run(struct tl_perf_sample_pass *pass, struct tl_error *err);
void tl_perf_sample_pass_free(struct tl_perf_sample_pass *pass);

/* Whether the filters let a record pass that is of now. */
bool tl_perf_sample_pass_selects(const struct tl_perf_sample_pass *pass,
				 const struct tl_perf_id *id);
/* Make `last_root` that of a record. False without memory. */
bool tl_perf_sample_pass_root(struct tl_perf_sample_pass *pass, const struct tl_perf_record *rec);

/* ---- context switches (switches.c); each: 0, or negative ---- */

/* A SWITCH record. */
int tl_perf_load_switch(struct tl_perf_sample_pass *pass, const struct tl_perf_record *rec,
			struct tl_error *err);
/* Any sample: if it is of sched:sched_switch, a thread may be back. */
int tl_perf_note_switch(struct tl_perf_sample_pass *pass, const struct tl_perf_record *rec,
			struct tl_error *err);
/* A sample that was counted: if it is of sched:sched_switch, its thread leaves. */
int tl_perf_note_leaving(struct tl_perf_sample_pass *pass, const struct tl_perf_record *rec,
			 struct tl_error *err);

#endif
