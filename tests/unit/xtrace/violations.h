/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_VIOLATIONS_H
#define TESTS_UNIT_XTRACE_VIOLATIONS_H
/* A stream of bytes and the violations that it has to have. */
#include "bytes.h"

struct broken {
	const char *rule;
	uint64_t offset, record;
};

struct found {
	struct tl_xtrace_violation list[64];
	size_t count, notes, stop_after;
};

static inline int note(void *arg, const struct tl_xtrace_violation *v)
{
	struct found *found = arg;

	if (v->note) {
		assert_string_equal(v->rule, "xtrace.dialect");
		found->notes++;
		return 0;
	}
	assert_true(found->count < 64);
	found->list[found->count++] = *v;
	return found->stop_after && found->count == found->stop_after;
}

static inline void assert_found(struct trace *t, const struct broken *want, size_t count)
{
	struct found found = { .count = 0 };

	assert_int_equal(tl_xtrace_check(t->trace, note, &found, &t->err), count);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(found.list[i].rule, want[i].rule);
		assert_int_equal(found.list[i].offset, want[i].offset);
		assert_int_equal(found.list[i].record, want[i].record);
		assert_non_null(found.list[i].text);
		assert_non_null(found.list[i].path);
	}
	/* The trace can be asked again, and the answer does not change. */
	assert_int_equal(tl_xtrace_check(t->trace, NULL, NULL, &t->err), count);
}

static inline void assert_broken(struct bytes *b, const struct broken *want, size_t count)
{
	struct trace t;

	open_trace(&t, b, NULL);
	assert_found(&t, want, count);
	close_trace(&t);
	free_bytes(b);
}

static inline void assert_one(struct bytes *b, const char *rule, uint64_t offset, uint64_t record)
{
	assert_broken(b, &(struct broken){ rule, offset, record }, 1);
}

static inline void assert_good(struct bytes *b)
{
	assert_broken(b, NULL, 0);
}

#endif
