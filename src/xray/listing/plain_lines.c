/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/listing/plain_lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text/ordered.h"
#include "core/text/digits.h"

enum {
	BATCH = 4096,
	MOST_OTHER = 1 << 20,
	ACTIONS = TL_XRAY_ENTER_ARGS + 1,
	ACTION_ROOM = 64,
	CONTEXT_ROOM = 80,
	/* a line without its name: keys and five numbers */
	LINE_ROOM = 16 * 4 + ACTION_ROOM + CONTEXT_ROOM + 5 * 24,
};

/* A text that is copied loosely: 15 bytes behind it can be read. */
struct piece {
	uint32_t size;
	char text[];
};

/* Thread, process and processor as they stand in a line. */
struct context {
	uint32_t size;
	char text[CONTEXT_ROOM];
};

/* `name` NULL: text of another record is next, so many bytes (`tsc`) of `other`. */
struct plain_line {
	uint64_t offset, tsc;
	const struct piece *name;
	uint32_t delta;
	uint32_t context_action; /* number of the context * ACTIONS + action */
};

struct batch {
	struct plain_line lines[BATCH];
	size_t count;
	struct context *contexts;
	size_t context_count, context_capacity;
	struct tl_output *other; /* NULL: not yet needed */
	size_t other_size;       /* of it, that lines were made of */
};

/* The context of a thread is good for records that are added together, of the same batch. */
struct thread_context {
	uint64_t run, batch;
	uint32_t context; /* its number in the batch */
};

struct tl_xray_lines {
	struct tl_xray_function_names *names;
	struct tl_ordered *ordered;
	struct context actions[ACTIONS];
	const struct piece **pieces; /* by number of the name; NULL: not yet made */
	size_t piece_count, piece_capacity;
	struct tl_arena arena;
	struct tl_output *scratch;
	struct thread_context *threads; /* by number */
	size_t thread_count, thread_capacity;
	uint64_t runs, batches; /* so far */
};

/* ---- lines to text ---- */

/* The upper digits of numbers that have them in common. */
struct upper {
	uint64_t first; /* a multiple of 10^8; from there on so many numbers have these digits */
	size_t size;    /* 0: no number so far, or they are below 10^8 */
	char text[16];
};

enum { EIGHT_DIGITS = 100000000 };

static __attribute__((noinline)) void set_upper(struct upper *upper, uint64_t value)
{
	upper->first = value - value % EIGHT_DIGITS;
	upper->size = 0;
	if (upper->first)
		upper->size =
			(size_t)(tl_format_u64(upper->text, value / EIGHT_DIGITS) - upper->text);
}

static inline char *format_close(char *p, uint64_t value, struct upper *upper)
{
	if (__builtin_expect(value - upper->first >= EIGHT_DIGITS, 0))
		set_upper(upper, value);
	if (!upper->size)
		return tl_format_eight(p, (uint32_t)value);
	memcpy(p, upper->text, sizeof(upper->text));
	p += upper->size;
	tl_store_digits(p, tl_eight_digits((uint32_t)(value - upper->first)) + TL_EIGHT_ZEROS);
	return p + 8;
}

/* A key of up to 16 bytes, in room for them. */
#define PUT_KEY(p, literal)                                                                        \
	({                                                                                         \
		static const char key_[16] = literal;                                              \
		(char *)memcpy(p, key_, sizeof(key_)) + sizeof(literal) - 1;                       \
	})

static bool format(const void *arg, const void *batch, struct tl_ordered_text *text)
{
	const struct tl_xray_lines *lines = arg;
	const struct batch *b = batch;
	struct upper offset = { 0 }, tsc = { 0 };
	size_t size = 0, done = 0;
	const char *other = b->other ? tl_output_bytes(b->other, &size) : NULL;

	for (const struct plain_line *l = b->lines; l < b->lines + b->count; l++) {
		const size_t length = l->name ? l->name->size : (size_t)l->tsc;
		const struct context *action, *context;
		char *p;

		if ((!l->name && length > size - done) ||
		    !tl_ordered_room(text, length + LINE_ROOM))
			return false;
		p = text->pos;
		if (!l->name) {
			memcpy(p, other + done, length);
			done += length;
			text->pos = p + length;
			continue;
		}
		action = &lines->actions[l->context_action % ACTIONS];
		context = &b->contexts[l->context_action / ACTIONS];
		p = PUT_KEY(p, "{\"offset\":");
		p = format_close(p, l->offset, &offset);
		memcpy(p, action->text, ACTION_ROOM);
		p = tl_copy_loosely(p + action->size, l->name->text, length);
		memcpy(p, context->text, 48);
		if (context->size > 48)
			memcpy(p + 48, context->text + 48, CONTEXT_ROOM - 48);
		p = format_close(p + context->size, l->tsc, &tsc);
		p = PUT_KEY(p, ",\"delta\":");
		p = tl_format_number(p, l->delta);
		text->pos = PUT_KEY(p, ",\"args\":[]}\n");
	}
	return true;
}

static void clear(void *batch)
{
	struct batch *b = batch;

	b->count = b->context_count = b->other_size = 0;
	if (b->other)
		tl_output_clear(b->other);
}

static void free_batch(void *batch)
{
	struct batch *b = batch;

	free(b->contexts);
	tl_output_discard(b->other);
}

static const struct tl_ordered_ops ops = {
	.batch_bytes = sizeof(struct batch),
	.format = format,
	.clear = clear,
	.free = free_batch,
};

/* ---- records to lines ---- */

/* The batch with room for a line. */
static struct batch *batch_of(struct tl_xray_lines *l)
{
	struct batch *batch = tl_ordered_batch(l->ordered);

	if (batch->count < BATCH && batch->other_size < MOST_OTHER)
		return batch;
	tl_ordered_next(l->ordered);
	l->batches++;
	return tl_ordered_batch(l->ordered);
}

/* `id,"name":"...","thread":` of a function. NULL without memory. */
static const struct piece *make_piece(struct tl_xray_lines *l, uint32_t number, uint32_t id)
{
	const char *name = l->names->names[number].name, *text;
	struct piece *piece;
	size_t size, before = l->piece_count;

	tl_output_clear(l->scratch);
	tl_put_u64(l->scratch, id);
	tl_put_text(l->scratch, ",\"name\":");
	tl_put_json(l->scratch, name, strlen(name));
	tl_put_text(l->scratch, ",\"thread\":");
	text = tl_output_bytes(l->scratch, &size);
	piece = size ? tl_arena_alloc(&l->arena, sizeof(*piece) + size + 16) : NULL;
	if (!piece || !tl_grow(&l->pieces, &l->piece_capacity, number + (size_t)1,
			       sizeof(const struct piece *)))
		return NULL;
	piece->size = (uint32_t)size;
	memcpy(piece->text, text, size);
	memset(piece->text + size, 0, 16);
	if (number >= before) {
		memset(l->pieces + before, 0, (number + 1 - before) * sizeof(const struct piece *));
		l->piece_count = number + (size_t)1;
	}
	l->pieces[number] = piece;
	return piece;
}

static const struct piece *piece_of(struct tl_xray_lines *l, uint32_t id)
{
	uint32_t number = tl_xray_names_number(l->names, id);

	if (number == TL_NONE)
		return NULL;
	if (__builtin_expect(number < l->piece_count && l->pieces[number], 1))
		return l->pieces[number];
	return make_piece(l, number, id);
}

static char *put_i64(char *p, int64_t value)
{
	if (value < 0)
		*p++ = '-';
	return tl_format_u64(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static struct context context_of(const struct tl_xray_stream *stream)
{
	struct context context = { 0 };
	char *p = put_i64(context.text, stream->thread);

	p = PUT_KEY(p, ",\"process\":");
	p = put_i64(p, stream->process);
	p = PUT_KEY(p, ",\"cpu\":");
	p = tl_format_u64(p, stream->cpu);
	p = PUT_KEY(p, ",\"tsc\":");
	context.size = (uint32_t)(p - context.text);
	return context;
}

static bool same_context(const struct context *a, const struct context *b)
{
	return a->size == b->size && !memcmp(a->text, b->text, a->size);
}

static bool room_for_thread(struct tl_xray_lines *l, uint32_t number)
{
	if (number < l->thread_count)
		return true;
	if (!tl_grow(&l->threads, &l->thread_capacity, number + (size_t)1, sizeof(*l->threads)))
		return false;
	memset(l->threads + l->thread_count, 0,
	       (number + 1 - l->thread_count) * sizeof(*l->threads));
	l->thread_count = number + (size_t)1;
	return true;
}

/* The number of a thread's context in a batch. TL_NONE without memory. */
static uint32_t enter_context(struct tl_xray_lines *l, struct batch *b,
			      const struct tl_xray_plain *record)
{
	struct context context = context_of(record->stream);
	struct thread_context *thread;

	if (!room_for_thread(l, record->thread_number))
		return TL_NONE;
	thread = &l->threads[record->thread_number];
	if (thread->batch != l->batches || !same_context(&b->contexts[thread->context], &context)) {
		if (!tl_grow(&b->contexts, &b->context_capacity, b->context_count + 1,
			     sizeof(context)))
			return TL_NONE;
		thread->context = (uint32_t)b->context_count;
		b->contexts[b->context_count++] = context;
	}
	thread->run = l->runs;
	thread->batch = l->batches;
	return thread->context;
}

static inline uint32_t context_number(struct tl_xray_lines *l, struct batch *b,
				      const struct tl_xray_plain *record)
{
	const uint32_t number = record->thread_number;

	if (__builtin_expect(number < l->thread_count && l->threads[number].run == l->runs &&
				     l->threads[number].batch == l->batches,
			     1))
		return l->threads[number].context;
	return enter_context(l, b, record);
}

bool tl_xray_lines_add(struct tl_xray_lines *l, const struct tl_xray_plain *records, size_t count)
{
	l->runs++;
	for (size_t i = 0; i < count; i++) {
		const struct tl_xray_plain *r = &records[i];
		const struct piece *piece = piece_of(l, r->function);
		struct batch *b = batch_of(l);
		uint32_t context = context_number(l, b, r);

		if (!piece || context == TL_NONE)
			return false;
		b->lines[b->count++] =
			(struct plain_line){ .offset = r->offset,
					     .tsc = r->tsc,
					     .name = piece,
					     .delta = r->delta,
					     .context_action = context * ACTIONS + r->action };
	}
	return true;
}

/* ---- other records ---- */

struct tl_output *tl_xray_lines_other(struct tl_xray_lines *l)
{
	struct batch *b = batch_of(l);

	if (!b->other && tl_output_open_memory(&b->other, NULL) < 0)
		return NULL;
	return b->other;
}

bool tl_xray_lines_other_end(struct tl_xray_lines *l)
{
	struct batch *b = tl_ordered_batch(l->ordered);
	size_t size;

	tl_output_bytes(b->other, &size);
	if (tl_output_failed(b->other))
		return false;
	if (size > b->other_size)
		b->lines[b->count++] = (struct plain_line){ .tsc = size - b->other_size };
	b->other_size = size;
	return true;
}

bool tl_xray_lines_failed(const struct tl_xray_lines *l)
{
	return tl_ordered_failed(l->ordered);
}

/* ---- begin and end ---- */

static void make_actions(struct tl_xray_lines *l)
{
	for (int i = 0; i < ACTIONS; i++) {
		struct context *action = &l->actions[i];
		int size = snprintf(action->text, sizeof(action->text),
				    ",\"record\":\"%s\",\"action\":\"%s\",\"id\":",
				    tl_xray_kind_name(TL_XRAY_FUNCTION),
				    tl_xray_action_name((enum tl_xray_action)i));

		action->size = (uint32_t)size;
	}
}

struct tl_xray_lines *tl_xray_lines_open(struct tl_xray_function_names *names, unsigned jobs,
					 struct tl_output *out)
{
	struct tl_xray_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->names = names;
	l->batches = 1;
	make_actions(l);
	l->ordered = tl_ordered_open(&ops, l, jobs, out);
	if (l->ordered && tl_output_open_memory(&l->scratch, NULL) == 0)
		return l;
	tl_xray_lines_close(l, NULL);
	return NULL;
}

int tl_xray_lines_close(struct tl_xray_lines *l, struct tl_error *err)
{
	int status;

	if (!l)
		return 0;
	status = tl_ordered_close(l->ordered, err);
	tl_output_discard(l->scratch);
	tl_arena_free(&l->arena);
	free(l->pieces);
	free(l->threads);
	free(l);
	return status;
}
