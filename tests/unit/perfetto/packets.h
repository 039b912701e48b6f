/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PERFETTO_PACKETS_H
#define TESTS_UNIT_PERFETTO_PACKETS_H
/* Packets of Perfetto traces, and traces read without filters. */
#include "../wire_bytes.h"
#include "perfetto/perfetto.h"
#include "unit/unit.h"

/* ---- packets ---- */

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { CLEARED = 1, NEEDS_STATE = 2 };

static inline void put_text(struct bytes *b, unsigned field, const char *text)
{
	block(b, field, text, strlen(text));
}

/* A packet of a sequence that has a timestamp and what was put in `inner`. */
static inline void put_packet(struct bytes *b, uint64_t sequence, uint64_t flags, uint64_t time,
			      struct bytes *inner)
{
	number(inner, 10, sequence);
	number(inner, 13, flags);
	number(inner, 8, time);
	message(b, 1, inner);
}

/* ---- what was read ---- */

static inline struct tl_foreign_options everything(void)
{
	return (struct tl_foreign_options){ .process = TL_NOWHERE, .thread = TL_NOWHERE };
}

static inline int read_with(struct tl_foreign_file *f, const struct bytes *b,
			    struct tl_foreign_options options)
{
	struct tl_source *source;
	int status;

	assert_true(tl_foreign_begin(f, &tl_perfetto_reader, &options));
	assert_int_equal(tl_source_open_memory(&source, b->data, b->size, "t", NULL), 0);
	status = tl_perfetto_reader.read(f, source, NULL);
	tl_source_close(source);
	return status;
}

#endif
