/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_SAMPLE_NAMES_H
#define TL_PERF_DATA_SAMPLES_SAMPLE_NAMES_H
/*
 * Functions and lines of sampled addresses, by the maps of the process at the time. An ELF file
 * names its own code; /proc/kallsyms, or a copy in a build-id cache, that of the kernel and its
 * modules, of virtual machines the list below --guest-root; /tmp/perf-PID.map that of a run-time
 * compiler. A function without a name is called by its object and the place where the unwind tables
 * say that it begins.
 */
#include "perf_data/processes/system.h"
#include "perf_data/samples/fold.h"

struct tl_profile;

/* What an address means. */
struct tl_perf_sampled_place {
	uint32_t function; /* of the profile; TL_NONE: no memory */
	uint32_t line;     /* 0: unknown */
	const char *file;  /* of the line, "" */
	uint64_t
		/* in the object's file; of the kernel and of code without a file: as it ran */
		address;
	/* functions inlined there: `inlined_count` of the list from number `inlined` on */
	uint32_t inlined, inlined_count;
};

struct tl_perf_sample_names {
	struct tl_perf_system *sys;
	struct tl_profile *profile;
	const struct tl_perf_sample_options *options;
	struct tl_perf_named_object *objects; /* by number in the system's table */
	size_t object_count;
	struct tl_perf_sampled_place *places;
	struct tl_perf_sampled_key *keys; /* of `places` */
	size_t place_count, place_capacity, key_capacity;
	struct tl_index by_key;
	struct tl_perf_named_symbol *symbols; /* with their functions of the profile */
	size_t symbol_count, symbol_capacity;
	struct tl_index by_symbol;
	uint32_t *inlined; /* functions of the profile, of each place the outermost first */
	size_t inlined_count, inlined_capacity;
	uint64_t unmapped; /* addresses of virtual machines that no map of theirs has */
};

/* False without memory. */
bool tl_perf_sample_names_begin(struct tl_perf_sample_names *names, struct tl_perf_system *sys,
				struct tl_profile *profile,
				const struct tl_perf_sample_options *options);
/* Give the binaries to whom the options say. False without memory. */
bool tl_perf_sample_names_hand_over(struct tl_perf_sample_names *names);
void tl_perf_sample_names_end(struct tl_perf_sample_names *names);

/* The place of an address under a root; it lives until the next call. */
int tl_perf_sample_place(struct tl_perf_sample_names *names, const struct tl_perf_stack_root *root,
			 uint64_t ip, const struct tl_perf_sampled_place **place,
			 struct tl_error *err);

/* Say which objects' code has no names, and why. False without memory. */
bool tl_perf_sample_names_describe(const struct tl_perf_sample_names *names,
				   struct tl_perf_sample_remarks *remarks);

#endif
