/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text/ordered.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"

enum { MOST_THREADS = 64 };

/* Of a slot: it is filled by the caller, waits, is in some thread's hands, its text waits. */
enum state { EMPTY, FULL, TAKEN, MADE };

struct slot {
	enum state state;
	void *batch;
	struct tl_ordered_text text;
};

/* Slots are a ring: number n of all batches is in slot n % count. */
struct tl_ordered {
	const struct tl_ordered_ops *ops;
	const void *arg;
	struct tl_output *out;
	struct slot *slots;
	size_t count;
	pthread_mutex_t lock; /* over the states and the members below */
	pthread_cond_t changed;
	size_t filled, taken, written; /* numbers of batches: of the next one each */
	bool writing;                  /* a thread writes */
	bool closing;
	atomic_bool failed, no_memory;
	pthread_t threads[MOST_THREADS];
	size_t thread_count;
};

static struct slot *slot_of(const struct tl_ordered *o, size_t number)
{
	return &o->slots[number % o->count];
}

bool tl_ordered_grow(struct tl_ordered_text *text, size_t size)
{
	const size_t used = (size_t)(text->pos - text->start);
	const size_t capacity = (size_t)(text->end - text->start);
	const size_t want = capacity + tl_max(size, capacity);
	char *grown = size <= PTRDIFF_MAX / 4 ? malloc(want) : NULL;

	if (!grown)
		return false;
	if (used)
		memcpy(grown, text->start, used);
	free(text->start);
	*text = (struct tl_ordered_text){ grown, grown + used, grown + want };
	return true;
}

/* Write the texts that are next. The lock is held, but not while a text is written. */
static void write_made(struct tl_ordered *o)
{
	if (o->writing)
		return;
	o->writing = true;
	while (o->written < o->taken && slot_of(o, o->written)->state == MADE) {
		struct slot *slot = slot_of(o, o->written);

		pthread_mutex_unlock(&o->lock);
		tl_output_write(o->out, slot->text.start,
				(size_t)(slot->text.pos - slot->text.start));
		if (tl_output_failed(o->out))
			atomic_store(&o->failed, true);
		slot->text.pos = slot->text.start;
		pthread_mutex_lock(&o->lock);
		slot->state = EMPTY;
		o->written++;
		pthread_cond_broadcast(&o->changed);
	}
	o->writing = false;
}

/* Make the text of the batch that waits longest. The lock is held, but not meanwhile. */
static void make_text(struct tl_ordered *o)
{
	struct slot *slot = slot_of(o, o->taken++);

	slot->state = TAKEN;
	pthread_mutex_unlock(&o->lock);
	if (!atomic_load(&o->failed) && !o->ops->format(o->arg, slot->batch, &slot->text)) {
		atomic_store(&o->no_memory, true);
		atomic_store(&o->failed, true);
	}
	o->ops->clear(slot->batch);
	pthread_mutex_lock(&o->lock);
	slot->state = MADE;
	write_made(o);
}

static void *help(void *arg)
{
	struct tl_ordered *o = arg;

	pthread_mutex_lock(&o->lock);
	while (o->taken < o->filled || !o->closing) {
		if (o->taken < o->filled)
			make_text(o);
		else
			pthread_cond_wait(&o->changed, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* Until batch number `number` is written, do what there is to do. The lock is held. */
static void wait_for(struct tl_ordered *o, size_t number)
{
	while (o->written <= number) {
		if (o->taken < o->filled)
			make_text(o);
		else
			pthread_cond_wait(&o->changed, &o->lock);
	}
}

struct tl_ordered *tl_ordered_open(const struct tl_ordered_ops *ops, const void *arg, unsigned jobs,
				   struct tl_output *out)
{
	const size_t helpers = jobs > 1 ? tl_min(jobs - 1, (unsigned)MOST_THREADS) : 0;
	struct tl_ordered *o = calloc(1, sizeof(*o));
	bool made;

	if (!o)
		return NULL;
	o->ops = ops;
	o->arg = arg;
	o->out = out;
	o->count = helpers ? 2 * helpers + 2 : 1;
	o->slots = calloc(o->count, sizeof(*o->slots));
	made = o->slots;
	for (size_t i = 0; made && i < o->count; i++)
		made = (o->slots[i].batch = calloc(1, ops->batch_bytes)) != NULL;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->changed, NULL);
	while (made && o->thread_count < helpers &&
	       !pthread_create(&o->threads[o->thread_count], NULL, help, o))
		o->thread_count++;
	if (made)
		return o;
	tl_ordered_close(o, NULL);
	return NULL;
}

void *tl_ordered_batch(const struct tl_ordered *ordered)
{
	return slot_of(ordered, ordered->filled)->batch;
}

void tl_ordered_next(struct tl_ordered *ordered)
{
	struct tl_ordered *o = ordered;

	pthread_mutex_lock(&o->lock);
	slot_of(o, o->filled++)->state = FULL;
	pthread_cond_broadcast(&o->changed);
	if (o->filled >= o->count)
		wait_for(o, o->filled - o->count);
	pthread_mutex_unlock(&o->lock);
}

bool tl_ordered_failed(const struct tl_ordered *ordered)
{
	return atomic_load(&ordered->failed);
}

int tl_ordered_close(struct tl_ordered *ordered, struct tl_error *err)
{
	struct tl_ordered *o = ordered;
	bool no_memory;

	if (!o)
		return 0;
	if (o->slots && slot_of(o, o->count - 1)->batch)
		tl_ordered_next(o);
	pthread_mutex_lock(&o->lock);
	if (o->filled)
		wait_for(o, o->filled - 1);
	o->closing = true;
	pthread_cond_broadcast(&o->changed);
	pthread_mutex_unlock(&o->lock);
	while (o->thread_count)
		pthread_join(o->threads[--o->thread_count], NULL);
	pthread_cond_destroy(&o->changed);
	pthread_mutex_destroy(&o->lock);
	for (size_t i = 0; o->slots && i < o->count; i++) {
		if (o->slots[i].batch)
			o->ops->free(o->slots[i].batch);
		free(o->slots[i].batch);
		free(o->slots[i].text.start);
	}
	no_memory = atomic_load(&o->no_memory);
	free(o->slots);
	free(o);
	return no_memory ? tl_error_memory(err) : 0;
}
