/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/collect.h"

#include "core/error.h"
#include "pprof/profile/names.h"

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

static int add_sample(struct tl_pprof_collected *c, const struct tl_pprof_file *p,
		      const struct tl_pprof_prune *prune, const struct tl_pprof_sample *sample,
		      const struct tl_pprof_thread *thread, struct tl_error *err)
{
	const uint32_t none = (uint32_t)p->location_count + TL_PPROF_NO_STACK;
	const uint32_t *locations;
	uint32_t number = thread_number(c, thread), root;
	size_t count;

	if (number == TL_NONE)
		return tl_error_memory(err);
	for (size_t i = 0; i < sample->location_count; i++)
		if (sample->locations[i] == TL_NONE)
			sample->locations[i] = (uint32_t)p->location_count + TL_PPROF_UNKNOWN;
	tl_pprof_prune_sample(prune, sample, &locations, &count);
	if (!count) {
		locations = &none;
		count = 1;
	}
	root = tl_pprof_stacks_root(&c->stacks, number);
	if (!root || !tl_pprof_stacks_add(&c->stacks, root, locations, count, sample->values))
		return tl_error_memory(err);
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
		     const struct tl_pprof_fold_options *options, struct tl_error *err)
{
	struct tl_pprof_samples samples;
	struct tl_pprof_filter filter = { .count = 0 };
	struct tl_pprof_prune prune = { .locations = NULL };
	int status = tl_pprof_filter_begin(&filter, options->labels, options->label_count, err);

	filter.thread = options->thread;
	filter.process = options->process;
	*c = (struct tl_pprof_collected){ .passed = 0 };
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
