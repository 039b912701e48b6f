/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_EXPORT_H
#define TL_EXPORT_EXPORT_H
/* The profile exporters, one file each, and what they share. */
#include <tracelathe/export.h>

extern const struct tl_exporter tl_callgrind_exporter;
extern const struct tl_exporter tl_cachegrind_exporter;
extern const struct tl_exporter tl_pprof_exporter;
extern const struct tl_exporter tl_speedscope_exporter;
extern const struct tl_exporter tl_folded_exporter;
extern const struct tl_exporter tl_dot_exporter;
extern const struct tl_exporter tl_json_exporter;
extern const struct tl_exporter tl_csv_exporter;

extern const struct tl_timeline_ops tl_perfetto_timeline;
extern const struct tl_timeline_ops tl_chrome_timeline;

/*
 * The options with their defaults filled in. TL_BAD_USAGE when the event is not one of the profile.
 */
int tl_export_options(struct tl_export_options *filled, const struct tl_profile *profile,
		      const struct tl_export_options *options, struct tl_error *err);

/*
 * What a stack of a profile costs by itself: a context, or, where the input had no call stacks, the
 * one frame of a cost line. Stacks are numbered from 0 to tl_stack_count() - 1; parents come before
 * their children.
 */
struct tl_stack {
	uint32_t parent; /* stack, TL_NONE: this frame is the root */
	uint32_t function, part;
	uint64_t calls;
	const int64_t *self;
};

uint32_t tl_stack_count(const struct tl_profile *profile);
struct tl_stack tl_stack_at(const struct tl_profile *profile, uint32_t stack);

/* What formats with room for a remark say of a profile whose stacks are estimated. */
extern const char tl_estimated_text[];

/*
 * Text of a part that people recognise: "command (thread)", "thread N", "part N"; `size` bytes at
 * most, terminated.
 */
void tl_part_title(const struct tl_profile *profile, uint32_t part, char *title, size_t size);

/*
 * Numbers 0 .. count - 1 grouped by key: those of key k are order[start[k]] .. order[start[k + 1] -
 * 1], ascending. Keys at or past `keys` are left out. False without memory; freed by
 * tl_groups_free() in either case.
 */
struct tl_groups {
	uint32_t *start, *order;
};
typedef uint32_t tl_group_key_fn(const void *context, uint32_t number);

bool tl_groups_make(struct tl_groups *groups, uint32_t count, uint32_t keys, tl_group_key_fn *key,
		    const void *context);
void tl_groups_free(struct tl_groups *groups);

/* a + b, at the end of the range when the sum does not fit. */
static inline int64_t tl_add_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/*
 * Ticks to nanoseconds, one after the other: the fraction that is cut off is carried into the next
 * value, so that the sum of the results is the conversion of the sum. frequency 0: values pass
 * unchanged.
 */
struct tl_ns_carry {
	uint64_t frequency;
	__int128 rest;
};
int64_t tl_carry_ns(struct tl_ns_carry *carry, int64_t ticks);

/* The frequency to convert an event's costs with, 0: they are no ticks, or of an unknown clock. */
uint64_t tl_event_frequency(const struct tl_profile *profile, uint32_t event);

#endif
