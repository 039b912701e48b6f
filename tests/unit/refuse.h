/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_REFUSE_H
#define TESTS_UNIT_REFUSE_H
/*
 * Memory that runs out, for programs that are linked with --wrap (`refusal_tests` in
 * tests/meson.build): a step of work is run once for each of its allocations, which is then
 * refused, and again with all later ones refused, too (in one of these ways a run, see
 * wrap_turn()). Each time it must either say TL_NO_MEMORY or give the result that it gives with
 * memory, and must free all that it asked for.
 */
#include <string.h>

#include "unit.h"

#include <tracelathe/core.h>

#include "core/output.h"

#include "../fault/wrap.h"

/* Returns a status; adds what is to be the same each time by refuse_note(). */
typedef int refuse_step_fn(const void *input, uint64_t *digest);

static inline void refuse_note(uint64_t *digest, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*digest = (*digest ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
}

static inline void refuse_note_text(uint64_t *digest, const char *text)
{
	refuse_note(digest, text, strlen(text) + 1);
}

static inline void refuse_note_number(uint64_t *digest, int64_t number)
{
	refuse_note(digest, &number, sizeof(number));
}

struct refuse_run {
	int status;
	uint64_t digest, asked;
	int64_t leaked;
};

static inline struct refuse_run refuse_run(refuse_step_fn *step, const void *input,
					   uint64_t refused, bool onward)
{
	struct refuse_run run = { .digest = 0xcbf29ce484222325u };
	int64_t before = wrap_live();

	wrap_arm(refused, onward);
	run.status = step(input, &run.digest);
	run.asked = wrap_disarm();
	run.leaked = wrap_live() - before;
	return run;
}

/* Allocations that the step asks for. */
static inline uint64_t refuse_each(refuse_step_fn *step, const void *input)
{
	struct refuse_run right = refuse_run(step, input, 0, false);

	assert_int_equal(right.status, 0);
	assert_int_equal(right.leaked, 0);
	for (uint64_t number = 1; number <= right.asked; number++) {
		for (int onward = 0; onward < 2; onward++) {
			if (!wrap_turn(number, onward))
				continue;
			struct refuse_run run = refuse_run(step, input, number, onward);
			bool same = run.status == 0 && run.digest == right.digest;

			if (run.leaked || (run.status != TL_NO_MEMORY && !same))
				fail_msg("allocation %u%s of %u refused: status %d, %s result, "
					 "%d allocations are not freed",
					 (unsigned)number, onward ? " and later" : "",
					 (unsigned)right.asked, run.status,
					 run.digest == right.digest ? "the same" : "another",
					 (int)run.leaked);
		}
	}
	return right.asked;
}

/* Writes something of `input`. */
typedef int refuse_write_fn(const void *input, struct tl_output *out);

/* Notes what is written to an output in memory, whose own allocations may be refused, too. */
static inline int refuse_note_output(refuse_write_fn *write, const void *input, uint64_t *digest)
{
	struct tl_output *out;
	const char *bytes;
	size_t size;
	int status = tl_output_open_memory(&out, NULL);

	if (status)
		return status;
	status = write(input, out);
	bytes = tl_output_bytes(out, &size);
	refuse_note(digest, bytes, size);
	if (!status)
		status = tl_output_finish(out, NULL);
	tl_output_discard(out);
	return status;
}

#endif
