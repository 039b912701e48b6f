/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_XRAY_SHAPES_H
#define BENCH_XRAY_SHAPES_H
/* Programs whose calls gen_xray writes as a log. */
#include <stddef.h>
#include <stdint.h>

enum { XRAY_BLOCK = 1 << 20, XRAY_MOST_DEPTH = 20000, XRAY_MAIN = 12 };

/* A thread while its records are written. */
struct thread {
	uint8_t block[XRAY_BLOCK];
	size_t used; /* 0: no block is open */
	uint64_t tsc, base, seed;
	uint64_t left; /* records that it is still to write */
	uint32_t id;
	uint32_t depth, stack[XRAY_MOST_DEPTH]; /* of shapes that walk at random */
};

/* What a worker does in its turn, the first of which is round 0. It closes its calls at the end. */
struct xray_shape {
	const char *name;
	unsigned workers;
	void (*turn)(struct thread *thread, unsigned round);
};

/* Ends with one without a name. */
extern const struct xray_shape xray_shapes[];

/* A record each; time goes on. */
void xray_enter(struct thread *thread, unsigned function);
void xray_leave(struct thread *thread, unsigned function);

#endif
