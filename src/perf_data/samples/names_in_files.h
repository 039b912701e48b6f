/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_NAMES_IN_FILES_H
#define TL_PERF_DATA_SAMPLES_NAMES_IN_FILES_H
/*
 * Functions and lines of places whose code is in an ELF file, and what is inlined there. They are
 * found first, by the symbols and the debug information of the file, and put into the profile when
 * a place is asked for.
 */
#include "perf_data/samples/sample_names.h"
#include "symbols/name_list.h"
#include "symbols/unwind.h"

struct tl_binary;
struct tl_function;
struct tl_symbol;

struct tl_perf_named_object {
	bool opened;
	struct tl_binary *binary; /* NULL: none */
	struct tl_unwind unwind;  /* read when the first address has no symbol */
	bool unwind_read;
	struct tl_name_list kallsyms; /* of the kernel */
	const char *why;              /* it has no names; NULL: it has */
	uint64_t nameless;            /* addresses without a name */
	uint64_t lineless; /* addresses of which debug information would say what is inlined */
};

/* Open the file of an object, once. One that is none, or cannot be read, costs names alone. */
int tl_perf_named_object_open(struct tl_perf_sample_names *names,
			      const struct tl_perf_object *object,
			      struct tl_perf_named_object *named, struct tl_error *err);
/*
 * The symbol at a place, whose function becomes its number, TL_NONE where there is none; and what
 * is inlined there, as numbers of instances.
 *
 * @param object what functions of the profile have as their object
 */
int tl_perf_find_in_file(struct tl_perf_sample_names *names, struct tl_perf_named_object *named,
			 const char *object, struct tl_perf_sampled_place *place,
			 struct tl_error *err);
/* Make functions of the profile of what tl_perf_find_in_file() found. */
int tl_perf_name_in_file(struct tl_perf_sample_names *names, uint32_t object,
			 struct tl_perf_sampled_place *place, struct tl_error *err);
/* Name a place by a symbol that was looked up. */
int tl_perf_name_by_symbol(struct tl_perf_sample_names *names, struct tl_binary *binary,
			   const char *object, const struct tl_symbol *symbol,
			   struct tl_perf_sampled_place *place, struct tl_error *err);

/* A function of the profile. */
int tl_perf_put_function(struct tl_perf_sample_names *names, const struct tl_function *function,
			 struct tl_perf_sampled_place *place, struct tl_error *err);
/* One of which no more is known than the object, and perhaps where it begins. */
int tl_perf_put_nameless(struct tl_perf_sample_names *names, const char *object, uint64_t start,
			 struct tl_perf_sampled_place *place, struct tl_error *err);

#endif
