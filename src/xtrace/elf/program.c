/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file: headers and code in one loaded segment, data in another. The pages of the slice are
 * data that the code copies to their places, since a loader would have to reserve all the room
 * between the lowest and the highest.
 */
#include "xtrace/elf/program.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "xtrace/elf/context.h"
#include "xtrace/elf/islands.h"
#include "xtrace/elf/startup.h"
#include "xtrace/write/writer.h"

enum {
	HEADERS = 3,
	CODE_AT = 0x100,
	DATA_AT = 0x10000, /* a page of any size that Linux has */
	PAGE = TL_XTRACE_IMAGE_BYTES,
	READ_WRITE = 3,
	ALL = 7,
	THREAD_BYTES = 16384, /* more than the registers of a thread */
};

/* Where the program is put, if the slice is not there. */
#define PREFERRED UINT64_C(0x10000000)

/* Numbers of elements by their keys, and where in `order` those of each key begin. */
struct sorted {
	uint64_t *order, *first;
};

struct program {
	struct tl_xtrace_replay *replay;
	struct tl_xtrace_space space;
	struct tl_xtrace_islands islands;
	struct tl_xtrace_startup startup;
	struct tl_xtrace_code code;
	uint64_t base; /* address */
	/* The data, but for the pages. */
	struct {
		uint8_t *bytes;
		size_t count, capacity;
		bool failed;
	} data;
	/* Events by site, site by site of one thread after the other, and patches and waits by
	 * event, in their order. */
	struct sorted by_site, by_event, waits;
	uint64_t slots, slot_bytes; /* address of the first one */
	uint64_t copied;            /* pages */
};

/* ---- data ---- */

static void put(struct program *p, const void *bytes, size_t size)
{
	if (!tl_grow(&p->data.bytes, &p->data.capacity, p->data.count + size, 1)) {
		p->data.failed = true;
		return;
	}
	memcpy(p->data.bytes + p->data.count, bytes, size);
	p->data.count += size;
}

static void put64(struct program *p, uint64_t value)
{
	value = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(value) : value;
	put(p, &value, sizeof(value));
}

static void align(struct program *p, size_t to)
{
	while (p->data.count % to && !p->data.failed)
		put(p, "", 1);
}

static uint64_t here(const struct program *p)
{
	return p->base + DATA_AT + p->data.count;
}

static void set64(struct program *p, size_t at, uint64_t value)
{
	value = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(value) : value;
	if (!p->data.failed)
		memcpy(p->data.bytes + at, &value, sizeof(value));
}

/* ---- events ---- */

typedef uint64_t key_fn(const struct tl_xtrace_replay *replay, size_t element);

/* False without memory. */
static bool sort_by(struct sorted *sorted, const struct tl_xtrace_replay *replay, size_t count,
		    size_t keys, key_fn *key)
{
	uint64_t *at = tl_zeroed(keys + 1, sizeof(*at));

	sorted->order = tl_zeroed(count, sizeof(*sorted->order));
	sorted->first = tl_zeroed(keys + 1, sizeof(*sorted->first));
	if (!sorted->order || !at || !sorted->first) {
		free(at);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		sorted->first[key(replay, i) + 1]++;
	for (size_t i = 0; i < keys; i++)
		sorted->first[i + 1] += sorted->first[i];
	memcpy(at, sorted->first, (keys + 1) * sizeof(*at));
	for (size_t i = 0; i < count; i++)
		sorted->order[at[key(replay, i)]++] = i;
	free(at);
	return true;
}

static void free_sorted(struct sorted *sorted)
{
	free(sorted->order);
	free(sorted->first);
}

static uint64_t site_of(const struct tl_xtrace_replay *replay, size_t event)
{
	return replay->events[event].thread * replay->site_count + replay->events[event].site;
}

static uint64_t event_of_patch(const struct tl_xtrace_replay *replay, size_t patch)
{
	return replay->patches[patch].event;
}

static uint64_t event_of_wait(const struct tl_xtrace_replay *replay, size_t wait)
{
	return replay->waits[wait].event;
}

static bool sort_events(struct program *p)
{
	struct tl_xtrace_replay *r = p->replay;

	return sort_by(&p->by_site, r, r->event_count, r->thread_count * r->site_count, site_of) &&
	       sort_by(&p->by_event, r, r->patch_count, r->event_count, event_of_patch) &&
	       sort_by(&p->waits, r, r->wait_count, r->event_count, event_of_wait);
}

static uint64_t context_of(const struct program *p, size_t thread)
{
	return p->islands.contexts.first + thread * p->islands.contexts.bytes;
}

static void put_order(struct program *p, uint64_t event)
{
	const struct tl_xtrace_replay *r = p->replay;

	if (!(r->events[event].flags & TL_XTRACE_EVENT_ORDER))
		return;
	put64(p, r->events[event].post);
	for (uint64_t i = p->waits.first[event]; i < p->waits.first[event + 1]; i++) {
		const struct tl_xtrace_wait *wait = &r->waits[p->waits.order[i]];

		put64(p, context_of(p, wait->thread) + TL_XTRACE_PROGRESS);
		put64(p, wait->progress);
	}
	put64(p, 0);
	put64(p, 0);
}

static void put_signal(struct program *p, const struct tl_xtrace_event *event,
		       const struct tl_xtrace_site *site)
{
	const struct tl_xtrace_replay_signal *signal;

	if (!(event->flags & TL_XTRACE_EVENT_SIGNAL))
		return;
	signal = &p->replay->signals[event->signal];
	put64(p, signal->record);
	if (signal->ends)
		put64(p, 0);
	else
		put64(p, signal->before ? site->before : site->behind);
}

static void put_patches(struct program *p, uint64_t event)
{
	const struct tl_xtrace_replay *r = p->replay;
	uint64_t from = p->by_event.first[event], to = p->by_event.first[event + 1];

	put64(p, to - from);
	for (uint64_t i = from; i < to; i++) {
		const struct tl_xtrace_patch *patch = &r->patches[p->by_event.order[i]];

		put64(p, patch->address);
		put64(p, patch->size);
		put(p, r->bytes + patch->data, (size_t)patch->size);
		align(p, 8);
	}
}

/* Calls and values that the trace does not have any more mean that the way was left. */
static bool asks_each_time(const struct tl_xtrace_site *site)
{
	return site->rewrite == TL_XTRACE_CALL || site->rewrite == TL_XTRACE_READ;
}

/* A thread that has none of the events of a site comes there unnoticed, or has left its way. */
static void put_site_events(struct program *p, size_t thread, size_t number)
{
	const struct tl_xtrace_replay *r = p->replay;
	const struct tl_xtrace_site *site = &r->sites[number];
	const uint64_t *first = p->by_site.first + thread * r->site_count + number;
	const uint64_t *order = p->by_site.order;
	size_t at = (size_t)tl_xtrace_site_address(thread * p->islands.contexts.bytes, number);

	if (!site->events)
		return;
	set64(p, at + TL_XTRACE_SITE_LEFT,
	      first[0] < first[1] ? r->events[order[first[0]]].execution : asks_each_time(site));
	set64(p, at + TL_XTRACE_SITE_EVENT, here(p));
	set64(p, at + TL_XTRACE_SITE_OTHER, site->other);
	for (uint64_t i = first[0]; i < first[1]; i++) {
		const struct tl_xtrace_event *event = &r->events[order[i]];
		uint64_t next = i + 1 < first[1]
					? r->events[order[i + 1]].execution - event->execution
					: asks_each_time(site);

		put64(p, next);
		put64(p, event->flags);
		put_order(p, order[i]);
		put_signal(p, event, site);
		put64(p, event->result);
		put64(p, event->expected);
		put_patches(p, order[i]);
	}
	put64(p, 0);
	put64(p, TL_XTRACE_EVENT_LOST);
	for (unsigned i = 0; i < 3; i++)
		put64(p, 0);
}

/* ---- signals ---- */

/* Slots are as large as the longest vectors need. */
static void find_vector_bytes(struct program *p)
{
	struct tl_xtrace_startup *s = &p->startup;

	for (size_t i = 0; i < p->replay->thread_count; i++)
		s->vector_bytes = tl_max(s->vector_bytes, p->replay->threads[i].begin.vector_bytes);
	/* What handlers keep has to be all of it. */
	s->scalable = p->replay->scalable || (s->handlers && s->vector_bytes > 16);
	p->slot_bytes = (TL_XTRACE_SLOT_VECTORS + UINT64_C(32) * s->vector_bytes +
			 UINT64_C(17) * s->vector_bytes / 8 + 15) /
			16 * 16;
}

/* What a handler interrupted before the slice, as handlers.c keeps what they interrupt. */
static void put_resumed(struct program *p, size_t slots,
			const struct tl_xtrace_replay_resumed *resumed)
{
	size_t at = slots + (size_t)(resumed->slot * p->slot_bytes), size = resumed->vectors.bytes;
	uint8_t *vectors = p->data.bytes + at + TL_XTRACE_SLOT_VECTORS;

	for (unsigned reg = 0; reg < TL_XTRACE_REPLAY_REGISTERS; reg++)
		set64(p, at + 8 * (size_t)reg, resumed->values[reg]);
	for (unsigned i = 0; i < 32 && !p->data.failed; i++)
		memcpy(vectors + i * size, resumed->vectors.z[i], size);
	vectors += 32 * (size_t)p->startup.vector_bytes;
	for (unsigned i = 0; i < 17 && !p->data.failed; i++)
		memcpy(vectors + i * size / 8, resumed->vectors.p[i], size / 8);
}

static void put_slots(struct program *p)
{
	size_t slots;

	align(p, 16);
	p->slots = here(p);
	slots = p->data.count;
	for (uint64_t i = 0; i < p->replay->slots.count * p->slot_bytes / 8; i++)
		put64(p, 0);
	for (size_t i = 0; i < p->replay->slots.resumed_count && !p->data.failed; i++)
		put_resumed(p, slots, &p->replay->slots.resumed[i]);
}

/* Where the first of the 8 bytes of a change is in its slot. */
static uint64_t place_of(const struct program *p, const struct tl_xtrace_replay_change *change)
{
	uint64_t vectors = TL_XTRACE_SLOT_VECTORS;

	if (change->kind == TL_XTRACE_CHANGE_GENERAL)
		return change->place;
	if (change->kind == TL_XTRACE_CHANGE_PREDICATES)
		vectors += UINT64_C(32) * p->startup.vector_bytes;
	return vectors + change->place;
}

/* Words that are changed as a whole, or bytes of others; a negative place ends them. */
static void put_changes(struct program *p, const struct tl_xtrace_replay_signal *signal, bool whole)
{
	const struct tl_xtrace_replay *r = p->replay;
	const struct tl_xtrace_replay_change *changes = r->changes.list + signal->first_change;

	for (size_t i = 0; i < signal->change_count; i++) {
		const struct tl_xtrace_replay_change *change = &changes[i];
		uint64_t place = place_of(p, change);

		if ((change->bytes == UINT8_MAX) != whole ||
		    (change->rule != TL_XTRACE_ANY_RULE && change->rule != r->changes.rule))
			continue;
		if (whole) {
			put64(p, place);
			put64(p, change->value);
		}
		for (unsigned byte = 0; !whole && byte < 8; byte++) {
			if (!(change->bytes >> byte & 1))
				continue;
			put64(p, place + byte);
			put64(p, change->value >> 8 * byte & UINT8_MAX);
		}
	}
	put64(p, UINT64_MAX);
	put64(p, 0);
}

static void put_records(struct program *p)
{
	for (size_t i = 0; i < p->replay->signal_count; i++) {
		struct tl_xtrace_replay_signal *signal = &p->replay->signals[i];

		signal->record = here(p);
		if (signal->link)
			set64(p, signal->link, signal->record);
		put64(p, p->slots + signal->slot * p->slot_bytes);
		put64(p, signal->landing);
		for (unsigned reg = 0; reg < TL_XTRACE_REPLAY_REGISTERS; reg++) {
			if (!(signal->known >> reg & 1))
				continue;
			put64(p, reg * 8);
			put64(p, signal->values[reg]);
		}
		put_changes(p, signal, true);
		put_changes(p, signal, false);
		/* In the word behind the negative place. */
		if (signal->next)
			p->replay->signals[signal->next].link = p->data.count - 8;
	}
}

/* ---- memory ---- */

static bool is_code(const struct program *p, uint64_t page)
{
	return tl_xtrace_pages_known(&p->replay->image.code, page) != NULL;
}

static const struct tl_xtrace_image_page *page_of(const struct program *p, uint64_t page)
{
	return (const void *)tl_xtrace_pages_known(&p->replay->image.pages, page);
}

/* Fresh pages are zero. */
static bool is_zero(const struct tl_xtrace_image_page *page)
{
	return !page->first[0] && !memcmp(page->first, page->first + 1, PAGE - 1);
}

static void put_maps(struct program *p)
{
	const struct tl_xtrace_space *s = &p->space;

	p->startup.maps = here(p);
	for (size_t i = 0, end; i < s->count; i = end) {
		bool code = is_code(p, s->pages[i]);

		for (end = i + 1; end < s->count && s->pages[end] == s->pages[end - 1] + 1 &&
				  is_code(p, s->pages[end]) == code;
		     end++)
			;
		put64(p, s->pages[i] * PAGE);
		put64(p, (end - i) * PAGE);
		put64(p, code ? ALL : READ_WRITE);
	}
	for (unsigned i = 0; i < 3; i++)
		put64(p, 0);
}

static void put_copies(struct program *p)
{
	const struct tl_xtrace_space *s = &p->space;

	p->startup.copies = here(p);
	for (size_t i = 0; i < s->count; i++) {
		if (is_zero(page_of(p, s->pages[i])))
			continue;
		put64(p, s->pages[i] * PAGE);
		put64(p, PAGE);
		p->copied++;
	}
	put64(p, 0);
	put64(p, 0);
}

/* ---- registers ---- */

/* System registers in the order of tl_xtrace_sysreg_name(). */
enum { FPCR, FPSR, NZCV, TPIDR_EL0 };

static void put_registers(struct program *p, size_t thread)
{
	const struct tl_xtrace_snapshot *s = &p->replay->threads[thread].begin;
	struct tl_xtrace_startup_thread *to = &p->startup.threads[thread];

	align(p, 16);
	to->vectors = here(p);
	to->vector_bytes = s->vector_bytes;
	for (unsigned i = 0; i < 32; i++)
		put(p, s->z + (size_t)i * s->z_stride, s->vector_bytes);
	for (unsigned i = 0; i < 16; i++)
		put(p, s->p + (size_t)i * s->p_stride, s->vector_bytes / 8);
	put(p, s->ffr, s->vector_bytes / 8);
	align(p, 8);
	to->sp = s->x[31];
	to->fpcr = s->sysregs[FPCR];
	to->fpsr = s->sysregs[FPSR];
	to->nzcv = s->sysregs[NZCV];
	to->thread_id = s->sysregs[TPIDR_EL0];
}

/* The ends of all threads but the first. */
static void put_others(struct program *p)
{
	if (p->replay->thread_count > 1)
		set64(p, TL_XTRACE_OTHERS, here(p));
	for (size_t i = 1; i < p->replay->thread_count; i++) {
		put64(p, context_of(p, i) + TL_XTRACE_PROGRESS);
		put64(p, TL_XTRACE_PROGRESS_OVER);
	}
	put64(p, 0);
	put64(p, 0);
}

static void put_messages(struct program *p)
{
	static const char *const texts[TL_XTRACE_MESSAGES] = {
		[TL_XTRACE_SAY_NO_MAP] =
			"slice: this machine has no room for the memory of the slice\n",
		[TL_XTRACE_SAY_NO_VECTORS] =
			"slice: this machine has no SVE registers of the slice's length\n",
		[TL_XTRACE_SAY_NO_THREAD] = "slice: this machine makes no threads for the slice\n",
		[TL_XTRACE_SAY_ASTRAY] = "slice: the program has left the way of the trace\n",
	};

	for (unsigned i = 0; i < TL_XTRACE_MESSAGES; i++) {
		p->startup.messages[i] = here(p);
		p->startup.message_sizes[i] = strlen(texts[i]);
		put(p, texts[i], strlen(texts[i]));
	}
}

/* ---- layout ---- */

/* Pages that the program may need for itself, at most. */
static uint64_t most_pages(const struct program *p)
{
	const struct tl_xtrace_replay *r = p->replay;
	uint64_t own = DATA_AT + (1 << 20) + r->site_count * 512 +
		       r->thread_count * (p->islands.contexts.bytes + THREAD_BYTES) +
		       (r->event_count + r->thread_count * r->site_count) * TL_XTRACE_EVENT_BYTES +
		       (r->thread_count > 1 ? r->event_count * TL_XTRACE_ORDER_BYTES : 0) +
		       r->wait_count * TL_XTRACE_WAIT_BYTES + r->slots.count * p->slot_bytes +
		       r->signal_count * (TL_XTRACE_RECORD_BYTES + TL_XTRACE_SIGNAL_BYTES) +
		       r->changes.count * TL_XTRACE_CHANGE_BYTES +
		       r->patch_count * (TL_XTRACE_PATCH_BYTES + 8) + r->byte_count;

	/* 40 bytes: its places in the tables of maps and copies */
	return own / PAGE + p->space.count * (PAGE + 40) / PAGE + 1;
}

static int place(struct program *p, struct tl_error *err)
{
	struct tl_xtrace_context_table *contexts = &p->islands.contexts;
	uint64_t first;

	contexts->bytes = tl_xtrace_site_address(0, p->replay->site_count);
	if (!tl_xtrace_space_make(&p->space, &p->replay->image))
		return tl_error_memory(err);
	first = tl_xtrace_space_find(&p->space, PREFERRED / PAGE, UINT64_MAX,
				     most_pages(p) + 2 * DATA_AT / PAGE);
	if (!first)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the slice leaves no room for its program");
	p->base = (first * PAGE + DATA_AT - 1) / DATA_AT * DATA_AT;
	p->code.address = p->base + CODE_AT;
	contexts->first = p->base + DATA_AT;
	/* Islands must not be put there. */
	if (!tl_xtrace_space_take(&p->space, p->base / PAGE, most_pages(p) + DATA_AT / PAGE))
		return tl_error_memory(err);
	return tl_xtrace_stacks_make(p->replay, &p->space, contexts, err);
}

/* The pages of the slice and its islands only. */
static bool take_pages_again(struct program *p)
{
	tl_xtrace_space_free(&p->space);
	return tl_xtrace_space_make(&p->space, &p->replay->image);
}

static void put_data(struct program *p)
{
	size_t sites = p->replay->site_count, threads = p->replay->thread_count;

	while (p->data.count < threads * p->islands.contexts.bytes && !p->data.failed)
		put64(p, 0);
	put_slots(p);
	put_records(p);
	for (size_t i = 0; i < threads * sites; i++)
		put_site_events(p, i / sites, i % sites);
	for (size_t i = 0; i < threads; i++)
		put_registers(p, i);
	put_others(p);
	put_messages(p);
	align(p, 16);
	put_maps(p);
	align(p, 16);
	put_copies(p);
	align(p, PAGE);
	p->startup.pages = here(p);
}

static int make(struct program *p, struct tl_error *err)
{
	const struct tl_xtrace_replay *r = p->replay;
	int status;

	p->startup.thread_count = r->thread_count;
	p->startup.handlers = r->signal_count != 0;
	find_vector_bytes(p);
	status = place(p, err);
	if (status < 0)
		return status;
	p->startup.started = context_of(p, 0) + TL_XTRACE_STARTED;
	p->startup.threads = tl_zeroed(r->thread_count, sizeof(*p->startup.threads));
	if (!p->startup.threads)
		return tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < r->thread_count; i++)
		status = tl_xtrace_islands_entry(&p->islands, &p->space, r->threads[i].begin.x,
						 r->threads[i].first_pc,
						 &p->startup.threads[i].entry, err);
	if (status == 0)
		status = tl_xtrace_islands_make(&p->islands, p->replay, &p->space, err);
	if (status < 0)
		return status;
	if (!take_pages_again(p) || !sort_events(p))
		return tl_error_memory(err);
	put_data(p);
	tl_xtrace_startup_put(&p->code, &p->startup);
	for (size_t i = 0; i < r->thread_count; i++) {
		size_t at = (size_t)(i * p->islands.contexts.bytes);

		set64(p, at + TL_XTRACE_DISPATCH, p->startup.dispatch);
		set64(p, at + TL_XTRACE_SIGNAL_BEGINS, p->startup.signal_begins);
		set64(p, at + TL_XTRACE_SIGNAL_ENDS, p->startup.signal_ends);
		set64(p, at + TL_XTRACE_THREAD_ID, p->startup.threads[i].thread_id);
	}
	if (p->data.failed || p->code.failed)
		return tl_error_memory(err);
	return 0;
}

/* ---- the file ---- */

static void put_header(const struct program *p, struct tl_output *out)
{
	static const uint8_t ident[EI_NIDENT] = { ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
						  ELFCLASS64, ELFDATA2LSB, EV_CURRENT };

	tl_put_bytes(out, ident, sizeof(ident));
	tl_xtrace_put32(out, ET_EXEC | (uint32_t)EM_AARCH64 << 16);
	tl_xtrace_put32(out, EV_CURRENT);
	tl_xtrace_put64(out, p->startup.start);
	tl_xtrace_put64(out, sizeof(Elf64_Ehdr)); /* e_phoff */
	tl_xtrace_put64(out, 0);                  /* no sections */
	tl_xtrace_put32(out, 0);
	tl_xtrace_put32(out, sizeof(Elf64_Ehdr) | (uint32_t)sizeof(Elf64_Phdr) << 16);
	tl_xtrace_put32(out, HEADERS | (uint32_t)sizeof(Elf64_Shdr) << 16);
	tl_xtrace_put32(out, 0);
}

static void put_segment(struct tl_output *out, uint32_t type, uint32_t flags, uint64_t offset,
			uint64_t address, uint64_t size)
{
	tl_xtrace_put32(out, type);
	tl_xtrace_put32(out, flags);
	tl_xtrace_put64(out, offset);
	tl_xtrace_put64(out, address);
	tl_xtrace_put64(out, address);
	tl_xtrace_put64(out, size);
	tl_xtrace_put64(out, size);
	tl_xtrace_put64(out, type == PT_LOAD ? DATA_AT : 16);
}

static void put_zeros(struct tl_output *out, size_t count)
{
	while (count-- > 0)
		tl_put_char(out, 0);
}

static void write_file(const struct program *p, struct tl_output *out)
{
	uint64_t code_end = CODE_AT + p->code.count * 4;

	put_header(p, out);
	put_segment(out, PT_LOAD, PF_R | PF_X, 0, p->base, code_end);
	put_segment(out, PT_LOAD, PF_R | PF_W, DATA_AT, p->base + DATA_AT,
		    p->data.count + p->copied * PAGE);
	put_segment(out, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0);
	put_zeros(out, CODE_AT - sizeof(Elf64_Ehdr) - HEADERS * sizeof(Elf64_Phdr));
	for (size_t i = 0; i < p->code.count; i++)
		tl_xtrace_put32(out, p->code.words[i]);
	put_zeros(out, (size_t)(DATA_AT - code_end));
	tl_output_write(out, p->data.bytes, p->data.count);
	for (size_t i = 0; i < p->space.count && !tl_output_failed(out); i++) {
		const struct tl_xtrace_image_page *page = page_of(p, p->space.pages[i]);

		if (!is_zero(page))
			tl_output_write(out, page->first, PAGE);
	}
}

int tl_xtrace_program_write(struct tl_xtrace_replay *replay, struct tl_output *out,
			    struct tl_error *err)
{
	struct program *p = calloc(1, sizeof(*p));
	int status;

	if (!p)
		return tl_error_memory(err);
	p->replay = replay;
	status = make(p, err);
	if (status == 0)
		write_file(p, out);
	tl_xtrace_space_free(&p->space);
	tl_xtrace_islands_free(&p->islands);
	tl_xtrace_code_free(&p->code);
	free(p->data.bytes);
	free(p->startup.threads);
	free_sorted(&p->by_site);
	free_sorted(&p->by_event);
	free_sorted(&p->waits);
	free(p);
	return status;
}
