/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM's sample profile as text, for -fprofile-sample-use (llvm/ProfileData/SampleProfReader.h). */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "export/coverage/coverage_exporters.h"
#include "export/coverage/llvm_samples.h"

struct writer {
	struct tl_llvm_samples *samples;
	uint32_t *order;  /* of the samples */
	uint32_t *bodies; /* their order */
	struct tl_output *out;
};

static void put_place(struct writer *w, unsigned depth, uint32_t line, uint32_t discriminator)
{
	for (unsigned i = 0; i < depth; i++)
		tl_put_char(w->out, ' ');
	tl_put_format(w->out, "%u", (unsigned)line);
	if (discriminator)
		tl_put_format(w->out, ".%u", (unsigned)discriminator);
	tl_put_text(w->out, ": ");
}

/* The targets of a sample, each with its sum, the most frequent first: they are few. */
static void put_targets(struct writer *w, uint32_t sample)
{
	struct tl_llvm_samples *s = w->samples;
	size_t low = 0, high = s->target_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->targets[middle].sample < sample)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < s->target_count && s->targets[low].sample == sample) {
		const struct tl_llvm_target *target = &s->targets[low++];

		tl_put_format(w->out, " %s:%llu", target->name, (unsigned long long)target->count);
	}
}

static void put_samples(struct writer *w, uint32_t body, unsigned depth)
{
	size_t low = 0, high = w->samples->sample_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->samples->samples[w->order[middle]].body < body)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < w->samples->sample_count && w->samples->samples[w->order[low]].body == body;
	     low++) {
		const struct tl_llvm_sample *sample = &w->samples->samples[w->order[low]];

		put_place(w, depth, sample->line, sample->discriminator);
		tl_put_u64(w->out, sample->count);
		put_targets(w, w->order[low]);
		tl_put_char(w->out, '\n');
	}
}

/* By what they are inlined in, then as they are written: the largest function first; by line. */
static int compare_bodies(const void *left, const void *right, void *context)
{
	const struct tl_llvm_body *bodies = context, *a = &bodies[*(const uint32_t *)left],
				  *b = &bodies[*(const uint32_t *)right];
	int order = tl_compare(a->parent, b->parent);

	if (!order && a->parent == TL_NONE)
		order = tl_compare(b->total, a->total);
	if (!order)
		order = tl_compare(a->line, b->line);
	if (!order)
		order = tl_compare(a->discriminator, b->discriminator);
	return order ? order : strcmp(a->name, b->name);
}

static size_t first_inside(const struct writer *w, uint32_t parent)
{
	size_t low = 0, high = w->samples->body_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->samples->bodies[w->bodies[middle]].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* As deep as functions are inlined into each other, which is bounded (llvm_samples.c). */
static void put_inside(struct writer *w, uint32_t body, unsigned depth)
{
	const struct tl_llvm_samples *s = w->samples;

	put_samples(w, body, depth);
	for (size_t i = first_inside(w, body);
	     i < s->body_count && s->bodies[w->bodies[i]].parent == body; i++) {
		const struct tl_llvm_body *inner = &s->bodies[w->bodies[i]];

		put_place(w, depth, inner->line, inner->discriminator);
		tl_put_format(w->out, "%s:%llu\n", inner->name, (unsigned long long)inner->total);
		put_inside(w, w->bodies[i], depth + 1);
	}
}

static void put_functions(struct writer *w)
{
	const struct tl_llvm_samples *s = w->samples;

	for (size_t i = first_inside(w, TL_NONE); i < s->body_count; i++) {
		const struct tl_llvm_body *body = &s->bodies[w->bodies[i]];

		if (!body->total)
			continue;
		tl_put_format(w->out, "%s:%llu:%llu\n", body->name, (unsigned long long)body->total,
			      (unsigned long long)body->head);
		put_inside(w, w->bodies[i], 1);
	}
}

static bool sort_bodies(struct writer *w)
{
	struct tl_llvm_samples *s = w->samples;

	w->order = tl_llvm_sample_order(s);
	w->bodies = tl_zeroed(s->body_count, sizeof(*w->bodies));
	for (uint32_t i = 0; w->bodies && i < s->body_count; i++)
		w->bodies[i] = i;
	if (w->bodies && s->body_count)
		qsort_r(w->bodies, s->body_count, sizeof(*w->bodies), compare_bodies, s->bodies);
	return w->order && w->bodies;
}

static int write_llvm_profile(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
			      struct tl_error *err)
{
	struct tl_llvm_samples samples = { .coverage = c, .object = object };
	struct writer w = { .samples = &samples, .out = out };
	bool made = tl_llvm_samples(&samples) && sort_bodies(&w);

	if (made)
		put_functions(&w);
	free(w.order);
	free(w.bodies);
	tl_llvm_samples_free(&samples);
	if (!made)
		return tl_error_memory(err);
	return 0;
}

const struct tl_coverage_exporter tl_llvm_profile_exporter = {
	.write = write_llvm_profile,
	.lines = true,
	.unexecuted = true,
	.one_object = true,
};
