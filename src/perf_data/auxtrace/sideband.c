/* SPDX-License-Identifier: Apache-2.0 */
/* Sideband of a raw trace, applied while the trace is decoded. */
#include "perf_data/auxtrace/sideband.h"

#include "intel_pt/blocks/decoder.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/processes/address_space.h"
#include "core/error.h"

enum { STREAMS_MOST = 16 };

struct side_stream {
	struct tl_perf_sideband_stream about;
	struct tl_perf_reader *reader;
	struct tl_source *source;
	struct tl_perf_record rec; /* the next one */
	bool have, ended;
	uint64_t tsc; /* its time */
};

struct tl_perf_sideband {
	struct tl_perf_system sys;
	struct tl_perf_address_spaces spaces;
	struct side_stream streams[STREAMS_MOST];
	size_t count;
	uint64_t kernel_start;
	uint32_t pid, next_pid; /* TL_PERF_KERNEL_PID: none */
	bool known;             /* an address space was given to the decoder */
	bool stale;             /* its maps have changed since */
	struct tl_error err;
};

int tl_perf_sideband_open(struct tl_perf_sideband **sideband, const char *directory,
			  uint64_t kernel_start, struct tl_error *err)
{
	struct tl_perf_sideband *s = calloc(1, sizeof(*s));

	*sideband = s;
	if (!s)
		return tl_error_memory(err);
	s->kernel_start = kernel_start;
	s->pid = s->next_pid = TL_PERF_KERNEL_PID;
	s->spaces.sys = &s->sys;
	s->sys.search.directory = strdup(directory);
	s->spaces.cache = tl_pt_cache_open(NULL);
	if (!s->sys.search.directory || !s->spaces.cache ||
	    tl_names_add(&s->sys.names, "", 0) == TL_NONE)
		return tl_error_memory(err);
	return 0;
}

void tl_perf_sideband_close(struct tl_perf_sideband *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		tl_perf_close(s->streams[i].reader);
		tl_source_close(s->streams[i].source);
	}
	tl_perf_address_spaces_free(&s->spaces);
	tl_perf_system_free(&s->sys);
	free(s);
}

/* The stream has kernel records only: the reader gets an attribute in place of a header. */
int tl_perf_sideband_add(struct tl_perf_sideband *s, const struct tl_perf_sideband_stream *about,
			 struct tl_error *err)
{
	struct side_stream *stream = &s->streams[s->count];
	const struct tl_perf_attr attr = { .sample_type = about->sample_type,
					   .flags = TL_PERF_ATTR_SAMPLE_ID_ALL,
					   .name = "" };
	struct tl_perf_reader *r;

	if (s->count == STREAMS_MOST)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "too many sideband streams");
	r = calloc(1, sizeof(*r));
	if (!r || !tl_grow(&r->attrs.list, &r->attrs.capacity, 1, sizeof(attr))) {
		free(r);
		return tl_error_memory(err);
	}
	r->attrs.list[0] = attr;
	r->attrs.count = r->attrs.header_count = 1;
	r->map = about->data;
	r->map_size = about->size;
	r->at.end = about->size;
	*stream = (struct side_stream){ .about = *about, .reader = r };
	s->count++;
	return 0;
}

/* ---- by time ---- */

static uint64_t to_tsc(const struct tl_perf_sideband_stream *about, uint64_t ns)
{
	const struct tl_perf_pt_info clock = { .time_shift = about->time_shift,
					       .time_mult = about->time_mult,
					       .time_zero = about->time_zero };
	uint64_t tsc;

	return tl_perf_pt_info_tsc(&clock, ns, &tsc) ? tsc : 0;
}

static int look(struct side_stream *stream, struct tl_error *err)
{
	int status;

	if (stream->have || stream->ended)
		return 0;
	status = tl_perf_record_next(stream->reader, &stream->rec, err);
	stream->have = status > 0;
	stream->ended = status == 0;
	stream->tsc = stream->have && stream->rec.id.time_ns != TL_NOWHERE
			      ? to_tsc(&stream->about, stream->rec.id.time_ns)
			      : 0;
	return tl_error_or_end(status);
}

int tl_perf_sideband_next(struct tl_perf_sideband *s, uint64_t tsc, struct tl_perf_record *rec,
			  const struct tl_perf_sideband_stream **about, struct tl_error *err)
{
	struct side_stream *first = NULL;

	for (size_t i = 0; i < s->count; i++) {
		struct side_stream *stream = &s->streams[i];
		int status = look(stream, err);

		if (status < 0)
			return status;
		/* The records of a stream stay in their order, whatever their times. */
		if (stream->have && stream->tsc <= tsc && (!first || stream->tsc < first->tsc))
			first = stream;
	}
	if (!first)
		return 0;
	*rec = first->rec;
	*about = &first->about;
	first->have = false;
	return 1;
}

/* ---- applying records ---- */

static int load_map(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	s->stale = true;
	if (rec->mmap.address >= s->kernel_start)
		rec->misc = (uint16_t)((rec->misc & ~TL_PERF_MISC_CPUMODE) | TL_PERF_MISC_KERNEL);
	return tl_perf_add_map(&s->sys, rec, rec->id.time_ns, &s->err);
}

static int load_comm(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	s->stale = true;
	return tl_perf_add_comm(&s->sys, rec, rec->id.time_ns, &s->err);
}

static int load_fork(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	return tl_perf_add_fork(&s->sys, rec, rec->id.time_ns, &s->err);
}

static int load_poke(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	s->stale = true;
	return tl_perf_add_poke(&s->sys, rec, rec->id.time_ns, &s->err);
}

static int load_itrace_start(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	s->next_pid = rec->thread.pid;
	return 0;
}

static int load_switch(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	if (!(rec->misc & TL_PERF_MISC_OUT) && rec->id.process != TL_NOWHERE)
		s->next_pid = (uint32_t)rec->id.process;
	return 0;
}

static int load_switch_cpu_wide(struct tl_perf_sideband *s, struct tl_perf_record *rec)
{
	if (rec->misc & TL_PERF_MISC_OUT)
		s->next_pid = rec->thread.pid;
	return 0;
}

static const struct {
	uint32_t type;
	bool primary; /* only of the traced processor */
	int (*take)(struct tl_perf_sideband *s, struct tl_perf_record *rec);
	/* clang-format off */
} rows[] = {
	{ TL_PERF_MMAP, false, load_map },     { TL_PERF_MMAP2, false, load_map },
	{ TL_PERF_COMM, false, load_comm },    { TL_PERF_FORK, false, load_fork },
	{ TL_PERF_TEXT_POKE, false, load_poke },
	{ TL_PERF_ITRACE_START, true, load_itrace_start }, { TL_PERF_SWITCH, true, load_switch },
	{ TL_PERF_SWITCH_CPU_WIDE, true, load_switch_cpu_wide },
};
/* clang-format on */

static int apply(struct tl_perf_sideband *s, const struct tl_perf_sideband_stream *about,
		 struct tl_perf_record *rec)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == rec->type)
			return rows[i].primary && !about->primary ? 0 : rows[i].take(s, rec);
	return 0;
}

/* ---- along the trace ---- */

/*
 * Whether another process can run from this event on. Switches happen in the kernel: they take
 * effect where the flow enters or leaves it, or at once when the flow is in the kernel.
 */
static bool may_switch(const struct tl_perf_sideband *s, const struct tl_pt_event *event)
{
	switch (event->kind) {
	case TL_PT_EV_ENABLED:
	case TL_PT_EV_DISABLED:
	case TL_PT_EV_ASYNC_DISABLED:
	case TL_PT_EV_ASYNC_BRANCH:
	case TL_PT_EV_PAGING:
	case TL_PT_EV_ASYNC_PAGING:
		return true;
	default:
		return !event->ip_suppressed && event->ip >= s->kernel_start;
	}
}

/*
 * Make the image of the present process with its present maps, which include the kernel's, and give
 * it to the decoder; the old image lives until then.
 */
static int enter(struct tl_perf_sideband *s, struct tl_pt_decoder *decoder)
{
	struct tl_perf_address_space space = { .process = tl_perf_process_find(&s->sys, s->pid),
					       .pokes = s->sys.pokes.count };
	struct tl_pt_image *old = s->spaces.image;
	struct tl_pt_asid asid;
	int status = 0;

	if (space.process != TL_NONE)
		space.changes = s->sys.processes.list[space.process].count;
	s->stale = false;
	s->spaces.image = NULL;
	s->spaces.count = s->spaces.poked = 0;
	tl_index_free(&s->spaces.index);
	if (tl_perf_address_space_add(&s->spaces, &space, &asid, &s->err) < 0)
		status = -TL_PT_NOMEM;
	if (status == 0)
		status = tl_pt_decoder_set_image(decoder, s->spaces.image);
	if (status == 0)
		status = tl_pt_decoder_set_asid(decoder, &asid);
	if (status < 0) {
		tl_pt_image_close(s->spaces.image);
		s->spaces.image = old;
		return status;
	}
	tl_pt_image_close(old);
	return 0;
}

static int take_records(struct tl_perf_sideband *s, uint64_t tsc,
			const struct tl_perf_sideband_hooks *hooks)
{
	const struct tl_perf_sideband_stream *about;
	struct tl_perf_record rec;
	int status;

	while ((status = tl_perf_sideband_next(s, tsc, &rec, &about, &s->err)) > 0) {
		hooks->record(hooks->arg, about, &rec);
		if (apply(s, about, &rec) < 0)
			return -TL_PT_NOMEM;
	}
	return status < 0 ? -TL_PT_NOMEM : 0;
}

int tl_perf_sideband_event(struct tl_perf_sideband *s, struct tl_pt_decoder *decoder,
			   const struct tl_perf_sideband_hooks *hooks)
{
	/* Taking the event lets the decoder go on: switch image and address space before. */
	const struct tl_pt_event event = decoder->events.next;
	struct tl_pt_event taken;
	int status = 0;

	hooks->event(hooks->arg, &event);
	if (event.has_tsc)
		status = take_records(s, event.tsc, hooks);
	if (status == 0 && s->next_pid != TL_PERF_KERNEL_PID && s->next_pid != s->pid &&
	    may_switch(s, &event)) {
		s->pid = s->next_pid;
		s->known = s->stale = true;
		hooks->context(hooks->arg, s->pid);
	}
	if (status == 0 && s->known && s->stale)
		status = enter(s, decoder);
	if (status < 0)
		return status;
	return tl_pt_next_event(decoder, &taken);
}
