/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TEST_EXPORT_HELPER_H
#define TL_TEST_EXPORT_HELPER_H
/* What the tests of exporters share: small profiles, output as text, other tools as judges. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/export.h>

/* A profile of events "Ticks" (unit ticks, the clock of `frequency`) and, if asked, "Bytes". */
struct tl_profile *new_profile(uint64_t frequency, uint32_t events);
uint32_t add_part(struct tl_profile *profile, uint64_t process, uint64_t thread,
		  const char *command);
uint32_t add_function(struct tl_profile *profile, const char *object, const char *file,
		      const char *name, uint32_t line);
/* A context with calls and self cost of event 0. */
uint32_t add_context(struct tl_profile *profile, uint32_t parent, uint32_t function, uint32_t part,
		     uint64_t calls, int64_t self);
void add_line(struct tl_profile *profile, uint32_t function, uint32_t part, struct tl_position at,
	      int64_t cost);
void add_arc(struct tl_profile *profile, struct tl_arc arc, int64_t cost);
void finish(struct tl_profile *profile);

/*
 * main (10 calls of its own ticks ...) in one part, process 1, thread 2:
 *   main self 10, calls a twice (self 20) which calls b 3 times (self 30); main calls b once (self
 * 5) Total 65; a inclusive 50.
 */
struct tl_profile *small_profile(uint64_t frequency);

/* The bytes of an output in memory, terminated, for free(); the output is closed. */
char *take_output(struct tl_output *out, size_t *size);

/* An export as bytes, terminated, for free(). Fails the test when the exporter does. */
char *export_with(const char *exporter, const struct tl_profile *profile,
		  const struct tl_export_options *options, size_t *size);
char *export_text(const char *exporter, const struct tl_profile *profile);

/* A timeline on an output in memory. */
struct timeline_fixture {
	struct tl_output *out;
	struct tl_timeline *timeline;
	int64_t process; /* of enter_at() and leave_at() */
};

void begin_timeline(struct timeline_fixture *t, const char *format, uint64_t frequency);
void enter_at(const struct timeline_fixture *t, int64_t thread, uint64_t ticks, uint32_t key,
	      const char *name, const char *file, uint32_t line);
void leave_at(const struct timeline_fixture *t, int64_t thread, uint64_t ticks);

/* Skips the test, with a word, when a program is not installed. */
void need_program(const char *program);
/*
 * The output of a shell command with `data` as its standard input, terminated, for free(). Fails
 * unless it exits with 0.
 */
char *pipe_through(const char *command, const char *data, size_t size);
/* The folder of this file. */
const char *here(void);

void assert_contains(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

#endif
