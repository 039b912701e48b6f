/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_PAIRS_H
#define TESTS_UNIT_XTRACE_PAIRS_H
/* A stream with its snapshots, of which the first is at its beginning; and two of a group. */
#include "bytes.h"

struct pair {
	struct bytes stream, snapshots;
};

/* A snapshot here. */
static inline void snap(struct pair *p, uint64_t number, uint64_t first)
{
	put_record(&p->snapshots, &(struct record){ .index = p->stream.size,
						    .user = number,
						    .total = number,
						    .first = first });
}

/* X0 is `first`, and SP 31 more. */
static inline struct pair begin_pair_at(uint64_t first)
{
	struct pair p = { .stream = { .data = NULL } };

	put_header(&p.snapshots);
	snap(&p, 0, first);
	return p;
}

static inline struct pair begin_pair(void)
{
	return begin_pair_at(5);
}

static inline void free_pair(struct pair *p)
{
	free_bytes(&p->stream);
	free_bytes(&p->snapshots);
}

static inline void free_pairs(struct pair *pairs)
{
	free_pair(&pairs[0]);
	free_pair(&pairs[1]);
}

/* The streams of two threads of one process; closed by close_trace(). */
static inline void open_pairs(struct trace *t, const struct pair *pairs)
{
	static const char *const names[] = { "xtrace.1.0.hint9.xinsndata.bin",
					     "xtrace.1.0.hint9.xsnapshot.bin",
					     "xtrace.1.1.hint9.xinsndata.bin",
					     "xtrace.1.1.hint9.xsnapshot.bin" };
	const struct tl_xtrace_options alone = { .size = sizeof(alone), .alone = true };
	struct tl_xtrace_file files[4];

	*t = (struct trace){ .err = { .offset = 12345 } };
	for (size_t i = 0; i < 4; i++) {
		const struct bytes *bytes = i % 2 ? &pairs[i / 2].snapshots : &pairs[i / 2].stream;

		assert_int_equal(
			tl_source_open_memory(&t->sources[i], bytes->data, bytes->size, "a", NULL),
			0);
		files[i] = (struct tl_xtrace_file){ names[i], t->sources[i] };
	}
	assert_int_equal(tl_xtrace_open(&t->trace, files, 4, &alone, NULL, NULL), 0);
	assert_int_equal(tl_xtrace_stream_count(t->trace), 2);
}

#endif
