/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_SCENARIO_H
#define TESTS_FAULT_SCENARIO_H
/* Everything the library does, in steps that clean up after themselves. */
#include <stddef.h>
#include <stdint.h>

/* What the steps work on. */
struct scene {
	const uint8_t *data;
	size_t size;
	const char *path;     /* the same bytes as a file */
	const char *yaml_map; /* an instruction map */
	const char *binary;   /* the traced program, NULL: not here */
	const char *target;   /* a file that output steps may write */
};

/*
 * Runs to the end or to the first failure. Returns 0 or a negative tl_status; *digest is that of
 * all results.
 */
typedef int step_fn(const struct scene *scene, unsigned variant, uint64_t *digest);

struct step {
	const char *name;
	step_fn *run;
	unsigned variants;
};

/* Ends with a step without a name. */
extern const struct step steps[];
/* The same for scenes that are Callgrind profiles. */
extern const struct step text_steps[];
/* And that are perf.data. */
extern const struct step perf_steps[];
/* The same for scenes that are xtrace pairs (scenario_xtrace.c). */
extern const struct step xtrace_steps[];

struct tl_input;
struct tl_output;
struct tl_error;

/*
 * Make the index of an input's calls, or take it from the file at `path` if there is one, and write
 * what it answers (scenario_calls.c).
 */
int ask_index(struct tl_input *input, const char *path, struct tl_output *out,
	      struct tl_error *err);

#endif
