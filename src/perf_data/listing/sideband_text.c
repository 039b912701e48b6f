/* SPDX-License-Identifier: Apache-2.0 */
/* Sideband records as text; numbers are hexadecimal, as in listings of packets. */
#include <inttypes.h>

#include "core/output.h"
#include "perf_data/container/layout.h"
#include "perf_data/listing/sideband_text.h"

void tl_perf_put_record_name(struct tl_output *out, const struct tl_perf_record *rec)
{
	const char *name = tl_perf_type_name(rec->type);
	const char *more = "";

	if (rec->type == TL_PERF_COMM && rec->misc & TL_PERF_MISC_EXEC)
		more = ".EXEC";
	else if (rec->type == TL_PERF_AUX && rec->aux.flags & TL_PERF_AUX_TRUNCATED)
		more = ".TRUNCATED";
	else if (rec->type == TL_PERF_SWITCH || rec->type == TL_PERF_SWITCH_CPU_WIDE)
		more = rec->misc & TL_PERF_MISC_OUT ? ".OUT" : ".IN";
	if (name)
		tl_put_format(out, "PERF_RECORD_%s%s", name, more);
	else
		tl_put_format(out, "PERF_RECORD_%" PRIx32, rec->type);
}

/*
 * How fields are written: `verbose` each on a line with its name, else all on one line with what
 * separates a field from the one before it.
 */
struct words {
	struct tl_output *out;
	bool verbose;
};

static void put(const struct words *w, const char *name, const char *between, uint64_t value)
{
	if (w->verbose)
		tl_put_format(w->out, "\n %s: %" PRIx64, name, value);
	else
		tl_put_format(w->out, "%s%" PRIx64, between, value);
}

static void put_text(const struct words *w, const char *name, const char *before,
		     struct tl_perf_text text)
{
	if (w->verbose)
		tl_put_format(w->out, "\n %s: ", name);
	else
		tl_put_text(w->out, before);
	tl_put_shown(w->out, text.data, text.size);
}

static void put_map(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "pid", " ", rec->mmap.pid);
	put(w, "tid", "/", rec->mmap.tid);
	put(w, "addr", ", ", rec->mmap.address);
	put(w, "len", ", ", rec->mmap.length);
	put(w, "pgoff", ", ", rec->mmap.page_offset);
	put_text(w, "filename", ", ", rec->mmap.path);
}

static void put_lost(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "id", " ", rec->lost.id);
	put(w, "lost", ", ", rec->lost.count);
}

static void put_lost_samples(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "lost", " ", rec->lost.count);
}

static void put_comm(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "pid", " ", rec->comm.pid);
	put(w, "tid", "/", rec->comm.tid);
	put_text(w, "comm", ", ", rec->comm.name);
}

/* verbose: in the order of the record; else pid/tid, ppid/ptid, time. */
static void put_task(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "pid", " ", rec->task.pid);
	if (w->verbose)
		put(w, "ppid", "", rec->task.ppid);
	put(w, "tid", "/", rec->task.tid);
	if (!w->verbose)
		put(w, "ppid", ", ", rec->task.ppid);
	put(w, "ptid", "/", rec->task.ptid);
	put(w, "time", ", ", rec->task.time_ns);
}

static void put_aux(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "aux offset", " ", rec->aux.offset);
	put(w, "aux size", ", ", rec->aux.size);
	put(w, "flags", ", ", rec->aux.flags);
}

static void put_thread(const struct words *w, const struct tl_perf_record *rec)
{
	put(w, "pid", " ", rec->thread.pid);
	put(w, "tid", "/", rec->thread.tid);
}

static void put_wide(const struct words *w, const struct tl_perf_record *rec)
{
	const bool out = rec->misc & TL_PERF_MISC_OUT;

	put(w, out ? "next pid" : "prev pid", " ", rec->thread.pid);
	put(w, out ? "next tid" : "prev tid", "/", rec->thread.tid);
}

static const struct {
	uint32_t type;
	void (*put)(const struct words *w, const struct tl_perf_record *rec);
	/* clang-format off */
} rows[] = {
	{ TL_PERF_MMAP, put_map },		  { TL_PERF_MMAP2, put_map },
	{ TL_PERF_LOST, put_lost },		  { TL_PERF_COMM, put_comm },
	{ TL_PERF_EXIT, put_task },		  { TL_PERF_FORK, put_task },
	{ TL_PERF_AUX, put_aux },		  { TL_PERF_ITRACE_START, put_thread },
	{ TL_PERF_LOST_SAMPLES, put_lost_samples }, { TL_PERF_SWITCH_CPU_WIDE, put_wide },
};
/* clang-format on */

/* The trailer: those fields that the event's sample_type has. */
static void put_trailer(const struct words *w, const struct tl_perf_record *rec)
{
	const struct tl_perf_id *id = &rec->id;
	const uint64_t type = rec->attr ? rec->attr->sample_type : 0;

	if (!w->verbose)
		tl_put_text(w->out, "  {");
	if (type & TL_PERF_SAMPLE_TID) {
		put(w, "pid", " ", id->process);
		put(w, "tid", "/", id->thread);
	}
	if (type & TL_PERF_SAMPLE_TIME)
		put(w, "time", " ", id->time_ns);
	if (type & TL_PERF_SAMPLE_ID)
		put(w, "id", " ", id->sample_id);
	if (type & TL_PERF_SAMPLE_CPU)
		put(w, "cpu", " cpu-", id->cpu);
	if (type & TL_PERF_SAMPLE_STREAM_ID)
		put(w, "stream id", " ", id->stream);
	if (type & TL_PERF_SAMPLE_IDENTIFIER)
		put(w, "identifier", " ", id->id);
	if (!w->verbose)
		tl_put_text(w->out, " }");
}

void tl_perf_put_record(struct tl_output *out, const struct tl_perf_record *rec, bool verbose)
{
	const struct words w = { out, verbose };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == rec->type)
			rows[i].put(&w, rec);
	put_trailer(&w, rec);
	tl_put_char(out, '\n');
}
