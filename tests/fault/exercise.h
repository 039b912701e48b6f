/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_H
#define TESTS_FAULT_EXERCISE_H
/*
 * Everything that can be done with a trace, on any bytes, held against what must be true of any
 * bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/xray.h>

/* What one walk over the records met. */
struct walk {
	int status; /* of tl_xray_open(), or the first negative one of tl_xray_next() */
	struct tl_error err;
	uint64_t functions, entries, faults;
	const char *broken; /* what was not as it must be, NULL: nothing */
};

/* Called for each record of a walk; arg is the caller's. */
typedef void visit_fn(void *arg, const struct tl_xray_record *record);

void walk_trace(struct walk *walk, const uint8_t *data, size_t size,
		const struct tl_xray_options *options, visit_fn *visit, void *arg);

/*
 * Walk in both orders and strictly, fold, check. Returns what was not as it must be, NULL when all
 * was well.
 */
const char *exercise(const uint8_t *data, size_t size);

/* End the program with a word when the next input takes longer than `seconds`. `what` is static. */
void watch(unsigned seconds, const char *what);

#endif
