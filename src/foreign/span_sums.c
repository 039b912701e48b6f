/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time as sums of functions: a table needs no call paths, which can be as many as calls.
 */
#include "core/error.h"
#include "foreign/span_calls.h"
#include "profile/fold/flat.h"
#include "profile/model/model.h"

struct span_sums {
	struct tl_flat flat; /* its functions have the profile's numbers; all threads, in turn */
	const uint32_t *functions; /* by frame */
	uint64_t base;
};

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	struct span_sums *s = arg;
	struct tl_flat_hot hot;

	tl_flat_time(&s->flat, (uint64_t)ticks + s->base);
	hot = s->flat.hot;
	tl_flat_enter(&hot, &s->flat, s->functions[frame]);
	s->flat.hot = hot;
	s->flat.records++;
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	struct span_sums *s = arg;
	struct tl_flat_hot hot;

	if (s->flat.no_memory)
		return;
	tl_flat_time(&s->flat, (uint64_t)ticks + s->base);
	s->flat.records++;
	if (cut) {
		tl_flat_end_call(&s->flat, true);
		return;
	}
	hot = s->flat.hot;
	tl_flat_finish(&hot, &s->flat);
	s->flat.hot = hot;
}

static void orphan(void *arg, int64_t ticks)
{
	struct span_sums *s = arg;

	tl_flat_time(&s->flat, (uint64_t)ticks + s->base);
	s->flat.losses.orphan_exits++;
	s->flat.records++;
}

static int sum_thread(struct span_sums *s, struct tl_foreign_file *f, uint32_t thread,
		      struct tl_profile *profile, struct tl_foreign_walk *met, struct tl_error *err)
{
	const struct tl_foreign_visitor visitor = { enter, leave, orphan, NULL, s };
	const struct tl_part part = tl_foreign_span_part(f, thread);

	if (!tl_foreign_walk(&f->spans, thread, &visitor, met))
		return tl_error_memory(err);
	tl_flat_end_stack(&s->flat);
	return tl_flat_part_into(&s->flat, profile, &part, err);
}

static int sum_threads(struct span_sums *s, struct tl_foreign_file *f, struct tl_profile *profile,
		       struct tl_foreign_walk *met, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; i < profile->functions.table.count; i++)
		if (tl_flat_add_function(&s->flat) == TL_NONE)
			return tl_error_memory(err);
	for (uint32_t i = 0; status == 0 && !s->flat.refused && i < f->spans.count; i++)
		if (tl_foreign_wants_spans(f, i))
			status = sum_thread(s, f, i, profile, met, err);
	if (status < 0 || s->flat.refused)
		return status;
	tl_flat_end(&s->flat);
	status = tl_flat_sums_into(&s->flat, profile, err);
	return status < 0 ? status : 1;
}

int tl_foreign_sum_spans(struct tl_foreign_file *f, struct tl_profile *profile,
			 const uint32_t *functions, struct tl_foreign_walk *met,
			 struct tl_error *err)
{
	struct span_sums s = { .functions = functions, .base = tl_foreign_base(f) };
	int status = 0;

	if (!tl_flat_begin(&s.flat, 1, f->options.exact))
		status = tl_error_memory(err);
	if (status == 0)
		status = sum_threads(&s, f, profile, met, err);
	tl_flat_free(&s.flat);
	return status;
}
