/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_PT_API_H
#define TESTS_FAULT_PT_API_H
/*
 * The drop-in libipt (compat/libipt) driven by bytes, and driven through a whole trace: used by
 * tests/fault/pt_api.c and fuzz/fuzz_pt_api.c. What must hold for any input: no result outside of
 * the published numbers, offsets inside of the trace, blocks and instructions of at least one
 * instruction, an end.
 */
#include <stddef.h>
#include <stdint.h>

struct pt_api_input {
	const uint8_t *trace;
	size_t size;
	const uint8_t *code; /* at `vaddr`; read by a callback if there is no file */
	size_t code_size;
	uint64_t vaddr;
	const char *file; /* the same code as a file, or NULL */
	int timed;        /* settings of the timed traces of the corpus */
	uint32_t errata;  /* as bits of struct pt_errata */
};

/* Everything once over: packets, queries, events, instructions and blocks, resynchronising after
 * errors. What broke, or NULL. */
const char *pt_api_exercise(const struct pt_api_input *input);
/* Calls as `ops` says, a byte or two a call. What broke, or NULL. */
const char *pt_api_sequence(const struct pt_api_input *input, const uint8_t *ops, size_t count);

#endif
