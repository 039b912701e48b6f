/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduled slices: the ranges of each stream, cut where the context changes, of all streams in the
 * order of their beginnings (docs/formats/perf-data.md section 8).
 */
#include <stdio.h>

#include "core/arithmetic.h"
#include "core/sized.h"
#include "perf_data/auxtrace/exec_contexts.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/auxtrace/switch_scan.h"
#include "perf_data/processes/guest_maps.h"
#include "perf_data/processes/guests.h"

enum walk_state {
	NEEDS_RANGE, /* at the beginning, or the range was given to its end */
	IN_RANGE,    /* the next slice of the range is to be found */
	HAS_SLICE,   /* it was found, ahead: the earliest of all streams is given first */
	ENDED,
};

/* The walk over the slices of one stream. */
struct tl_perf_slice_walk {
	enum walk_state state;
	struct tl_perf_range_walk ranges;
	struct tl_pt_config config; /* of the decoder, for the range */
	struct tl_perf_switch_scan scan;
	uint64_t first_tsc; /* of the range; 0: it has no time */
	struct tl_perf_context_list contexts;
	struct tl_perf_handovers *handovers; /* those that were found before, and more */
	size_t found;                        /* how many of them this walk has met */

	/* The next slice. */
	size_t context;
	uint64_t from, to;   /* bytes of the range */
	uint64_t start;      /* ticks, 0: unknown */
	size_t next_context; /* of the slice behind it */
	bool continues;      /* it is not the first of its range */

	/* Virtual machines. */
	bool has_guests;        /* the range may have code of one */
	bool guest, next_guest; /* the slice, and the one behind it, is code of one */
	uint64_t entered; /* ticks, when the slice began inside of a context; 0: at its begin */
};

/* ---- the slices of one stream ---- */

struct handover {
	const struct tl_perf_system *sys;
	const struct tl_perf_exec_context *goes, *comes;
	bool inside; /* of the virtual machine that runs */
};

/* Whether an address is mapped in a context. */
static bool has_mapped(const struct handover *h, const struct tl_perf_exec_context *c, uint64_t ip)
{
	if (h->inside)
		return tl_perf_map_find(h->sys, c->guest, c->guest_changes, ip);
	return tl_perf_map_find(h->sys, c->process, c->changes, ip);
}

static int owner(const void *arg, uint64_t ip)
{
	const struct handover *h = arg;

	return (int)has_mapped(h, h->comes, ip) - (int)has_mapped(h, h->goes, ip);
}

/* The context in which a range begins. */
static size_t first_context(const struct tl_perf_slice_walk *w)
{
	size_t context = 0;

	/* A range without any time is given to the last: a buffer's end holds what ran last. */
	while (context + 1 < w->contexts.count &&
	       (!w->first_tsc || w->contexts.list[context + 1].tsc <= w->first_tsc))
		context++;
	return context;
}

/*
 * Whether the bytes of a PIP packet with NR (02 43, and bit 0 of the next) are anywhere in a range:
 * without, it need not be scanned for virtual machines.
 */
static bool may_have_guests(const struct tl_pt_config *c)
{
	const uint8_t *at = c->begin;

	while ((at = memmem(at, (size_t)(c->end - at), "\x02\x43", 2))) {
		if (c->end - at > 2 && at[2] & 1)
			return true;
		at++;
	}
	return false;
}

/* 1: there is another range; 0: the stream is at its end; negative. */
static int open_range(const struct tl_perf_trace *t, struct tl_perf_slice_walk *w,
		      struct tl_error *err)
{
	int status = tl_perf_range_walk_next(&t->aux, &t->config, &w->ranges, err);

	if (status <= 0)
		return status;
	if (!w->contexts.count)
		status = tl_perf_context_list_make(&w->contexts, t, w->ranges.stream, err);
	if (status < 0)
		return status;
	w->config = t->config;
	w->config.begin = w->ranges.range.data;
	w->config.end = w->ranges.range.data + w->ranges.range.size;
	tl_perf_switch_scan_begin(&w->scan, &t->config, w->config.begin, w->config.end);
	w->first_tsc = tl_perf_switch_scan_first_time(&w->scan, w->config.end);
	w->context = first_context(w);
	/* PIP comes where the kernel is traced alone: other ranges are not read twice. */
	w->has_guests = tl_perf_kernel_is_traced(t) && may_have_guests(&w->config);
	w->guest = w->has_guests && tl_perf_switch_scan_first_guest(&w->scan, w->config.end);
	w->scan.guest = w->guest;
	w->entered = 0;
	w->from = 0;
	w->continues = false;
	w->state = IN_RANGE;
	return 1;
}

/* The context in effect at the scan's position; contexts in between had no packets. */
static size_t context_here(const struct tl_perf_slice_walk *w)
{
	size_t context = w->context + 1;

	while (context + 1 < w->contexts.count && w->contexts.list[context + 1].tsc <= w->scan.tsc)
		context++;
	return context;
}

static bool stays(const struct tl_perf_exec_context *goes, const struct tl_perf_exec_context *comes)
{
	return goes->tid == comes->tid && goes->pid == comes->pid &&
	       goes->guest_tid == comes->guest_tid && goes->guest_pid == comes->guest_pid;
}

static void keep(struct tl_perf_slice_walk *w, const uint8_t *at)
{
	struct tl_perf_handovers *h = w->handovers;

	h->no_memory |= !tl_grow(&h->list, &h->capacity, h->count + 1, sizeof(*h->list));
	if (!h->no_memory)
		h->list[h->count++] = (struct tl_perf_handover){ (uint64_t)(at - w->config.begin),
								 w->scan.tsc, w->scan.guest };
}

/* As the walk before found it, or by reading packets. */
static const uint8_t *scan_to(struct tl_perf_slice_walk *w, const struct tl_perf_switch_goal *goal)
{
	const struct tl_perf_handovers *h = w->handovers;
	const struct tl_perf_handover *known;
	const uint8_t *at;

	if (!h->whole || w->found == h->count) {
		at = tl_perf_switch_scan_to(&w->scan, w->config.end, goal);
		keep(w, at);
		return at;
	}
	known = &h->list[w->found++];
	w->scan.tsc = known->tsc;
	w->scan.guest = known->guest;
	return w->config.begin + known->at;
}

/*
 * The packet at which the next context takes over, or a virtual machine is entered or left; the end
 * of the range: nothing does.
 */
static const uint8_t *find_handover(const struct tl_perf_trace *t, struct tl_perf_slice_walk *w)
{
	const struct tl_perf_exec_context *now = &w->contexts.list[w->context];
	/* What a virtual machine runs is of no account until it is entered. */
	const size_t number = w->guest ? w->context + 1 : now->host_end;
	const struct tl_perf_exec_context *comes = &w->contexts.list[number];
	const bool next = number < w->contexts.count && w->first_tsc;
	const bool inside = number < now->host_end;
	const struct handover h = { &t->sys, now, comes, inside };
	const struct tl_perf_switch_goal goal = {
		.next = next,
		.inside = inside,
		.stays = next && stays(now, comes),
		.guests = w->has_guests,
		.tsc = next ? h.comes->tsc : 0,
		.owner = owner,
		.arg = &h,
	};

	if (!next && !w->has_guests)
		return w->config.end;
	return scan_to(w, &goal);
}

/* Behind the end of a slice. */
static void take_up(struct tl_perf_slice_walk *w)
{
	w->entered = w->next_context == w->context && w->scan.tsc ? w->scan.tsc : 0;
	w->context = w->next_context;
	w->guest = w->next_guest;
}

/* Find the end of the next slice of the range; contexts without any bytes have none. */
static void find_slice(const struct tl_perf_trace *t, struct tl_perf_slice_walk *w)
{
	for (;;) {
		const uint8_t *at = find_handover(t, w);
		const bool enters = w->scan.guest != w->guest;

		w->next_guest = w->scan.guest;
		w->next_context = at == w->config.end || enters ? w->context : context_here(w);
		w->to = (uint64_t)(at - w->config.begin);
		if (at == w->config.end || w->to > w->from)
			break;
		take_up(w);
	}
	w->start = tl_max(w->first_tsc, w->entered);
	w->start = tl_max(w->contexts.list[w->context].tsc, w->start);
	w->state = HAS_SLICE;
}

/* 1: there is a slice; 0: the stream is at its end; negative. */
static int look_for_slice(const struct tl_perf_trace *t, struct tl_perf_slice_walk *w,
			  struct tl_error *err)
{
	if (w->state == NEEDS_RANGE) {
		int status = open_range(t, w, err);

		if (status < 0)
			return status;
		if (!status)
			w->state = ENDED;
		w->handovers->whole |= !status && !w->handovers->no_memory;
	}
	if (w->state == IN_RANGE)
		find_slice(t, w);
	return w->state == HAS_SLICE;
}

/* ---- the slices of all streams ---- */

/* The process that runs a virtual machine is chosen with what that runs. */
static bool is_chosen(const struct tl_perf_trace *t, const struct tl_perf_sched_slice *slice,
		      uint32_t host)
{
	const struct tl_perf_trace_options *o = &t->options;

	return (o->process == TL_NOWHERE || o->process == slice->process || o->process == host) &&
	       (o->thread == TL_NOWHERE || o->thread == slice->thread) &&
	       (o->cpu == TL_NOWHERE || o->cpu == slice->cpu);
}

static const struct tl_perf_exec_context *context_of(const struct tl_perf_slice_walk *w)
{
	return &w->contexts.list[w->context];
}

/* Whether it is known which thread of a virtual machine a slice is of. */
static bool knows_guest(const struct tl_perf_slice_walk *w)
{
	return w->guest && context_of(w)->guest_tid != TL_NONE;
}

/* The time at which a slice began; without a clock, the end. */
static uint64_t begin_ns(const struct tl_perf_trace *t, const struct tl_perf_slice_walk *w)
{
	uint64_t ns;

	if (!w->start || !tl_perf_pt_info_ns(&t->info, w->start, &ns))
		return UINT64_MAX;
	return ns;
}

/* "NAME [guest:PID]", as far as records tell; NULL without memory. */
static const char *guest_command(struct tl_perf_trace *t, const struct tl_perf_slice_walk *w,
				 uint32_t guest)
{
	const uint32_t machine = tl_perf_guest_machine(&t->sys, guest);
	const char *label = tl_perf_guest_label(&t->sys, guest), *name = "", *text;
	char *made;

	if (knows_guest(w))
		name = tl_perf_thread_name_of(&t->sys, machine, context_of(w)->guest_tid,
					      begin_ns(t, w));
	if (!*name)
		return label;
	if (asprintf(&made, "%s %s", name, label) < 0)
		return NULL;
	text = tl_names_text(&t->sys.names, made);
	free(made);
	return text;
}

/* The thread's name when the slice began; NULL without memory. */
static const char *command_of(struct tl_perf_trace *t, const struct tl_perf_slice_walk *w,
			      uint32_t guest)
{
	if (w->guest)
		return guest_command(t, w, guest);
	if (context_of(w)->pid == TL_PERF_KERNEL_PID)
		return "";
	return tl_perf_thread_name_at(&t->sys, context_of(w)->tid, begin_ns(t, w));
}

static uint64_t file_offset(const struct tl_perf_reader *r, const uint8_t *data)
{
	if (data < r->map || data >= r->map + r->map_size)
		return TL_NOWHERE;
	return (uint64_t)(data - r->map);
}

static void step_over_slice(struct tl_perf_slice_walk *w)
{
	w->from = w->to;
	take_up(w);
	w->continues = true;
	w->state = w->to < w->ranges.range.size ? IN_RANGE : NEEDS_RANGE;
}

/* What a virtual machine runs, by its own records; its kernel may be known by its files alone. */
static int know_guest(struct tl_perf_trace *t, const struct tl_perf_exec_context *context,
		      struct tl_perf_address_space *space, struct tl_error *err)
{
	const uint32_t machine = tl_perf_guest_machine(&t->sys, context->guest);
	uint32_t same;
	int status = tl_perf_guest_at(&t->sys, t->sys.processes.list[machine].pid, 0, &same,
				      &space->guest_changes, err);

	space->guest = context->guest;
	space->guest_pokes = context->guest_pokes;
	if (context->guest != machine)
		space->guest_changes = context->guest_changes;
	return status;
}

/* The address space of a slice. */
static int space_of(struct tl_perf_trace *t, const struct tl_perf_slice_walk *w,
		    struct tl_perf_address_space *space, struct tl_error *err)
{
	const struct tl_perf_exec_context *context = &w->contexts.list[w->context];

	*space = (struct tl_perf_address_space){
		.process = context->process,
		.changes = context->changes,
		.pokes = context->pokes,
		.in_guest = w->guest,
	};
	if (!w->guest)
		return 0;
	if (context->guest != TL_NONE)
		return know_guest(t, context, space, err);
	return tl_perf_guest_at(&t->sys, context->pid, context->time_ns, &space->guest,
				&space->guest_changes, err);
}

/*
 * Calls of a virtual machine are none of the thread that runs it: they have a number of their own,
 * 2^32 and that of the thread, or, where the machine's thread is known, its id and 2^32 for each
 * machine up to this one, and once more.
 */
static uint64_t thread_of(const struct tl_perf_trace *t, const struct tl_perf_slice_walk *w)
{
	const struct tl_perf_exec_context *context = context_of(w);

	if (knows_guest(w))
		return tl_perf_guest_id_in(&t->sys, context->guest, context->guest_tid);
	return w->guest ? context->tid | UINT64_C(1) << 32 : context->tid;
}

static uint64_t process_of(const struct tl_perf_trace *t, const struct tl_perf_slice_walk *w)
{
	const struct tl_perf_exec_context *context = context_of(w);

	if (knows_guest(w))
		return tl_perf_guest_id_in(&t->sys, context->guest, context->guest_pid);
	return context->pid == TL_PERF_KERNEL_PID ? TL_NOWHERE : context->pid;
}

static int give_slice(struct tl_perf_trace *t, struct tl_perf_slice_walk *w,
		      struct tl_perf_sched_slice *slice, struct tl_error *err)
{
	const struct tl_perf_aux_stream *stream = w->ranges.stream;
	const bool known = context_of(w)->pid != TL_PERF_KERNEL_PID;
	const bool per_thread = stream->cpu == TL_PERF_NO_CPU;
	struct tl_perf_address_space wanted;
	struct tl_pt_asid asid;
	const char *command;
	int64_t space = space_of(t, w, &wanted, err);

	if (space == 0)
		space = tl_perf_address_space_add(&t->spaces, &wanted, &asid, err);
	if (space < 0)
		return (int)space;
	command = command_of(t, w, wanted.guest);
	if (!command)
		return tl_error_memory(err);
	*slice = (struct tl_perf_sched_slice){
		.stream = (uint64_t)(stream - t->aux.streams),
		.process = process_of(t, w),
		.thread = known || per_thread ? thread_of(t, w) : TL_NOWHERE,
		.cpu = per_thread ? TL_NOWHERE : stream->cpu,
		.command = command,
		.config = &w->config,
		.from = w->from,
		.to = w->to,
		.start_tsc = w->start,
		.buffer_offset = w->ranges.range.offset,
		.file_offset = file_offset(t->reader, w->ranges.range.data),
		.continues = w->continues,
		.gap = w->ranges.range.gap && !w->continues,
		.image = t->spaces.image,
		.asid = asid,
		.space = (uint32_t)space,
		.guest = w->guest,
	};
	slice->chosen = is_chosen(t, slice, context_of(w)->pid);
	step_over_slice(w);
	return 1;
}

static int begin_walks(struct tl_perf_trace *t, struct tl_error *err)
{
	if (t->walks)
		return 0;
	if (!t->handovers)
		t->handovers = tl_zeroed(t->aux.stream_count, sizeof(*t->handovers));
	t->walks = t->handovers ? tl_zeroed(t->aux.stream_count, sizeof(*t->walks)) : NULL;
	if (!t->walks)
		return tl_error_memory(err);
	for (size_t i = 0; i < t->aux.stream_count; i++) {
		t->walks[i].ranges.stream = &t->aux.streams[i];
		t->walks[i].handovers = &t->handovers[i];
		if (!t->handovers[i].whole)
			t->handovers[i].count = 0;
	}
	return 0;
}

static int slice_next(struct tl_perf_trace *t, struct tl_perf_sched_slice *slice,
		      struct tl_error *err)
{
	struct tl_perf_slice_walk *first = NULL;
	int status = begin_walks(t, err);

	for (size_t i = 0; status >= 0 && i < t->aux.stream_count; i++) {
		struct tl_perf_slice_walk *w = &t->walks[i];

		status = look_for_slice(t, w, err);
		if (status > 0 && (!first || w->start < first->start))
			first = w;
	}
	if (status < 0)
		return tl_error_format(err, "perf", status);
	if (!first)
		return 0;
	return give_slice(t, first, slice, err);
}

int tl_perf_trace_next(struct tl_perf_trace *t, struct tl_perf_sched_slice *slice, size_t size,
		       struct tl_error *err)
{
	struct tl_perf_sched_slice ours;
	int status;

	if (size < sizeof(ours))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_perf_sched_slice is too small");
	status = slice_next(t, &ours, err);
	if (status > 0)
		tl_copy_sized(slice, size, &ours, sizeof(ours));
	return status;
}

void tl_perf_slice_walks_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; t->walks && i < t->aux.stream_count; i++) {
		tl_perf_range_walk_close(&t->walks[i].ranges);
		free(t->walks[i].contexts.list);
	}
	free(t->walks);
	t->walks = NULL;
}

void tl_perf_handovers_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; t->handovers && i < t->aux.stream_count; i++)
		free(t->handovers[i].list);
	free(t->handovers);
	t->handovers = NULL;
}

static bool same_tid(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_context_list *known = context;

	return known->list[number].tid == *(const uint32_t *)key;
}

/* Add to `known` the contexts of threads that are not in it. */
static bool add_threads(struct tl_perf_context_list *known, struct tl_index *index,
			const struct tl_perf_context_list *of, size_t most)
{
	for (size_t i = 0; i < of->count && known->count < most; i++) {
		const uint32_t tid = of->list[i].tid;
		const uint64_t hash = tl_hash_pair(tid, 0);

		if (tl_index_find(index, hash, same_tid, known, &tid) != TL_NONE)
			continue;
		if (!tl_grow(&known->list, &known->capacity, known->count + 1,
			     sizeof(*known->list)) ||
		    !tl_index_add(index, hash, (uint32_t)known->count))
			return false;
		known->list[known->count++] = of->list[i];
	}
	return true;
}

int64_t tl_perf_trace_count_threads(const struct tl_perf_trace *t, size_t most,
				    struct tl_error *err)
{
	struct tl_perf_context_list known = { .list = NULL };
	struct tl_index index = { .slots = NULL };
	int status = 0;

	for (size_t i = 0; status == 0 && i < t->aux.stream_count && known.count < most; i++) {
		struct tl_perf_context_list of = { .list = NULL };

		status = tl_perf_context_list_make(&of, t, &t->aux.streams[i], err);
		if (status == 0 && !add_threads(&known, &index, &of, most))
			status = tl_error_memory(err);
		free(of.list);
	}
	tl_index_free(&index);
	free(known.list);
	return status < 0 ? status : (int64_t)known.count;
}

void tl_perf_trace_rewind(struct tl_perf_trace *t)
{
	tl_perf_slice_walks_free(t);
}

/* ---- mappings of an address space ---- */

/* What the loader added to the addresses of an object's file. */
static uint64_t bias_of(const struct tl_perf_object *o, const struct tl_perf_map_change *c)
{
	/* Maps begin at page boundaries, which may be before the segment itself. */
	const uint64_t end = c->page_offset + (c->end - c->start);
	uint64_t bias = c->start;

	if (o->kind == TL_PERF_OBJECT_KERNEL || o->kind == TL_PERF_OBJECT_MODULE)
		return tl_perf_kernel_moved(&o->elf, c->start, c->page_offset);
	/* Of a file of another format, such as a jitdump file, offsets are addresses. */
	if (!o->elf.segment_count)
		return c->start - c->page_offset;
	for (size_t i = 0; i < o->elf.segment_count; i++) {
		const struct tl_perf_segment *segment = &o->elf.segments[i];

		if (segment->offset < end && segment->offset + segment->size > c->page_offset)
			bias = c->start - (segment->address - segment->offset + c->page_offset);
	}
	return bias;
}

static struct tl_perf_mapping mapping_by(const struct tl_perf_trace *t,
					 const struct tl_perf_map_change *c)
{
	const struct tl_perf_object *o = &t->sys.objects.list[c->object];

	return (struct tl_perf_mapping){
		.start = c->start,
		.end = c->end,
		.page_offset = c->page_offset,
		.path = t->sys.names.names[o->path].text,
		.file = o->file,
		.reason = o->reason,
		.bias = bias_of(o, c),
	};
}

/* What a virtual machine runs of which no map is known. */
static struct tl_perf_mapping unknown_of_guest(const struct tl_perf_trace *t, uint32_t guest,
					       uint64_t ip)
{
	const bool kernel = ip & TL_PERF_KERNEL_START;

	return (struct tl_perf_mapping){
		.end = UINT64_MAX,
		.path = tl_perf_guest_label(&t->sys, guest),
		.reason = kernel || !tl_perf_guest_root(&t->sys, guest)
				  ? tl_perf_guest_why(&t->sys)
				  : "no record says which program of the virtual machine ran",
	};
}

int tl_perf_trace_find_mapping(const struct tl_perf_trace *t, uint32_t space, uint64_t ip,
			       struct tl_perf_mapping *mapping, size_t size)
{
	const struct tl_perf_map_change *c;
	struct tl_perf_mapping found;

	if (space >= t->spaces.count || size < sizeof(found))
		return TL_BAD_USAGE;
	c = tl_perf_address_space_find(&t->spaces, space, ip);
	if (!c && !t->spaces.list[space].in_guest)
		return 0;
	if (c)
		found = mapping_by(t, c);
	else
		found = unknown_of_guest(t, t->spaces.list[space].guest, ip);
	tl_copy_sized(mapping, size, &found, sizeof(found));
	return 1;
}
