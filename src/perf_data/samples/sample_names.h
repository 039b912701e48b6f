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
	/* functions inlined there: so many of names.inlined.list from number `inlined` on */
	uint32_t inlined, inlined_count;
};

/* What is inlined at the places. */
struct tl_perf_inlined_names {
	uint32_t *list; /* functions of the profile, of each place the outermost first */
	size_t count, capacity;
	/* What was met, with its functions of the profile. */
	struct tl_perf_named_instance *instances;
	size_t instance_count, instance_capacity;
	struct tl_index by_instance;
	struct tl_code_scope *chain; /* of the present place */
	size_t chain_capacity;
};

struct tl_perf_sample_names {
	struct tl_perf_system *sys;
	struct tl_profile *profile;
	const struct tl_perf_sample_options *options;
	struct tl_perf_named_object *objects; /* by number in the system's table */
	size_t object_count;
	struct tl_perf_known_place *places;
	size_t place_count, place_capacity;
	struct tl_index by_key;               /* of `places` */
	struct tl_perf_named_symbol *symbols; /* with their functions of the profile */
	size_t symbol_count, symbol_capacity;
	struct tl_index by_symbol;
	struct tl_perf_inlined_names inlined;
	uint64_t unmapped; /* addresses of virtual machines that no map of theirs has */
};

/* False without memory. */
bool tl_perf_sample_names_begin(struct tl_perf_sample_names *names, struct tl_perf_system *sys,
				struct tl_profile *profile,
				const struct tl_perf_sample_options *options);
/* Give the binaries to whom the options say. False without memory. */
bool tl_perf_sample_names_hand_over(struct tl_perf_sample_names *names);
void tl_perf_sample_names_end(struct tl_perf_sample_names *names);

/*
 * Places are noted first, then looked up all together, in the order of their addresses: what is
 * read of a file for one of them then serves those beside it, and is in the caches. Last they get
 * their functions of the profile, in the order in which these are asked for.
 */

/* The number of the place of an address under a root; TL_NONE without memory. */
uint32_t tl_perf_sample_place_note(struct tl_perf_sample_names *names,
				   const struct tl_perf_stack_root *root, uint64_t ip);
/* Look up all that were noted. */
int tl_perf_sample_places_find(struct tl_perf_sample_names *names, struct tl_error *err);
/* A place that was looked up. */
int tl_perf_sample_place(struct tl_perf_sample_names *names, uint32_t number,
			 const struct tl_perf_sampled_place **place, struct tl_error *err);

/*
 * An address is about to be noted under this root, or a like one: the first of two calls fetches
 * where its place is found, the second one, some time later, the place.
 */
void tl_perf_sample_place_fetch(const struct tl_perf_sample_names *names,
				const struct tl_perf_stack_root *root, uint64_t ip, bool again);
/* A place is about to be asked for. */
void tl_perf_sample_place_fetch_noted(const struct tl_perf_sample_names *names, uint32_t number);

/* Say which objects' code has no names, and why. False without memory. */
bool tl_perf_sample_names_describe(const struct tl_perf_sample_names *names,
				   struct tl_perf_sample_remarks *remarks);

#endif
