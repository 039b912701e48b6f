/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/collect.h"

#include "core/error.h"

enum { SAMPLES_A_TICK = 4096 };

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_pprof_thread *have =
		&((const struct tl_pprof_collected *)context)->threads[number];
	const struct tl_pprof_thread *wanted = key;

	return have->process == wanted->process && have->thread == wanted->thread &&
	       have->name == wanted->name;
}

/* The number of a thread, added if it is new; TL_NONE without memory. */
static uint32_t thread_number(struct tl_pprof_collected *c, const struct tl_pprof_thread *thread)
{
	uint64_t hash = tl_hash_pair(tl_hash_pair(thread->process, thread->thread), thread->name);
	uint32_t number = tl_index_find(&c->thread_index, hash, same_thread, c, thread);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)c->thread_count;
	if (!tl_grow(&c->threads, &c->thread_capacity, c->thread_count + 1, sizeof(*c->threads)) ||
	    !tl_grow(&c->samples, &c->sample_capacity, c->thread_count + 1, sizeof(*c->samples)) ||
	    !tl_index_add(&c->thread_index, hash, number))
		return TL_NONE;
	c->threads[number] = *thread;
	c->samples[number] = 0;
	c->thread_count++;
	return number;
}

/* The functions of a location, the outermost first, are the keys of the path. */
static int push_functions(struct tl_pprof_collected *c, uint32_t location, struct tl_error *err)
{
	uint32_t count;
	const struct tl_pprof_frame *frames = tl_pprof_frames(c->names, location, &count, err);

	if (!frames)
		return err ? (int)err->status : TL_NO_MEMORY;
	while (count-- > 0)
		if (!tl_pprof_stacks_push(&c->stacks, frames[count].function))
			return tl_error_memory(err);
	return 0;
}

/* A stack of a sample; of its outermost locations `common` are those of the stack before. */
struct stack {
	const uint32_t *locations;
	size_t count, common;
	const int64_t *values;
};

static int add_functions(struct tl_pprof_collected *c, uint32_t root, const struct stack *stack,
			 struct tl_error *err)
{
	int status = 0;

	for (size_t i = tl_pprof_stacks_keep(&c->stacks, root, stack->locations, stack->count,
					     stack->common);
	     status == 0 && i < stack->count; i++) {
		const uint32_t location = stack->locations[stack->count - 1 - i];

		status = tl_pprof_stacks_enter(&c->stacks, location)
				 ? push_functions(c, location, err)
				 : tl_error_memory(err);
	}
	if (status < 0)
		return status;
	return tl_error_unless_made(tl_pprof_stacks_count(&c->stacks, stack->values), err);
}

static int add_stack(struct tl_pprof_collected *c, uint32_t thread, const struct stack *stack,
		     struct tl_error *err)
{
	const uint32_t root = tl_pprof_stacks_root(&c->stacks, thread);

	if (!root)
		return tl_error_memory(err);
	if (c->names)
		return add_functions(c, root, stack, err);
	return tl_error_unless_made(tl_pprof_stacks_add(&c->stacks, root, stack->locations,
							stack->count, stack->common, stack->values),
				    err);
}

static int add_sample(struct tl_pprof_collected *c, const struct tl_pprof_file *p,
		      const struct tl_pprof_prune *prune, const struct tl_pprof_sample *sample,
		      const struct tl_pprof_thread *thread, struct tl_error *err)
{
	const uint32_t none = (uint32_t)p->location_count + TL_PPROF_NO_STACK;
	struct stack stack = { .values = sample->values };
	uint32_t number = thread_number(c, thread);
	int status;

	if (number == TL_NONE)
		return tl_error_memory(err);
	for (size_t i = 0; sample->has_unknown && i < sample->location_count; i++)
		if (sample->locations[i] == TL_NONE)
			sample->locations[i] = (uint32_t)p->location_count + TL_PPROF_UNKNOWN;
	tl_pprof_prune_sample(prune, sample, &stack.locations, &stack.count);
	/* Of a sample whose frames were dropped in part the next one has less in common. */
	if (!prune->locations && c->after == sample->number)
		stack.common = sample->common;
	c->after = sample->number + 1;
	if (!stack.count) {
		stack.locations = &none;
		stack.count = 1;
		stack.common = 0;
	}
	status = add_stack(c, number, &stack, err);
	if (status < 0)
		return status;
	c->samples[number]++;
	c->passed++;
	return 0;
}

static int pass(struct tl_pprof_collected *c, struct tl_pprof_samples *s,
		const struct tl_pprof_prune *prune, const struct tl_pprof_filter *filter,
		struct tl_source *source, struct tl_error *err)
{
	struct tl_pprof_file *p = s->p;
	int status;

	while ((status = tl_pprof_samples_next(s, err)) == 1) {
		const struct tl_pprof_thread thread = tl_pprof_thread_of(p, &s->sample);

		if (source && s->sample.number % SAMPLES_A_TICK == 0)
			status = tl_source_tick(source, s->sample.place, err);
		if (status >= 0 && tl_pprof_is_wanted(p, filter, &s->sample, &thread))
			status = add_sample(c, p, prune, &s->sample, &thread, err);
		if (status < 0)
			return status;
	}
	return status;
}

int tl_pprof_collect(struct tl_pprof_collected *c, struct tl_pprof_file *p,
		     struct tl_pprof_names *names, const struct tl_pprof_fold_options *options,
		     struct tl_error *err)
{
	struct tl_pprof_samples samples;
	struct tl_pprof_filter filter = { .count = 0 };
	struct tl_pprof_prune prune = { .locations = NULL };
	int status = tl_pprof_filter_begin(&filter, options->labels, options->label_count, err);

	filter.thread = options->thread;
	filter.process = options->process;
	*c = (struct tl_pprof_collected){ .names = options->lines ? NULL : names };
	tl_pprof_samples_begin(&samples, p);
	if (status == 0)
		status = tl_pprof_prune_begin(&prune, p, err);
	if (status == 0 && !tl_pprof_stacks_begin(&c->stacks, p->type_count))
		status = tl_error_memory(err);
	if (status == 0)
		status = pass(c, &samples, &prune, &filter, options->source, err);
	tl_pprof_samples_end(&samples);
	tl_pprof_prune_end(&prune);
	tl_pprof_filter_end(&filter);
	return status;
}

void tl_pprof_collected_free(struct tl_pprof_collected *c)
{
	tl_pprof_stacks_free(&c->stacks);
	free(c->threads);
	free(c->samples);
	tl_index_free(&c->thread_index);
}
