/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TID.dat: records of 16 bytes, a time and a word with kind, depth and address. Arguments and
 * results stand behind the record that says so; how long they are is found by the record behind
 * them, as its kind, depth and time are bound by those before (docs/formats/uftrace.md).
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "core/source.h"
#include "uftrace/uftrace.h"

enum { RECORD = 16, WORD = 8, MAGIC = 5, DEPTHS = 1024 };
enum kind { ENTRY, EXIT, LOST, EVENT };

struct record {
	uint64_t time, address;
	enum kind kind;
	bool has_data, is_whole; /* the magic is right */
	unsigned depth;
};

/* Calls that are open, by depth. */
struct calls {
	uint32_t frames[DEPTHS]; /* TL_NONE: its begin is not in the file */
	unsigned count;
};

struct thread_read {
	struct tl_uftrace_recording *u;
	const struct tl_uftrace_task *task;
	const uint8_t *data;
	size_t size, at;
	uint32_t thread; /* of the spans */
	struct tl_uftrace_session *session;
	uint64_t session_until; /* another program may run from then on */
	uint64_t time, number;
	struct calls calls;
};

static struct record record_at(const struct thread_read *r, size_t at)
{
	const bool swap = r->u->is_big != TL_HOST_BIG_ENDIAN;
	const uint64_t word = tl_get64s(r->data + at + WORD, swap);

	return (struct record){
		.time = tl_get64s(r->data + at, swap),
		.address = word >> 16,
		.kind = (enum kind)(word & 3),
		.has_data = word >> 2 & 1,
		.is_whole = (word >> 3 & 7) == MAGIC,
		.depth = (unsigned)(word >> 6 & (DEPTHS - 1)),
	};
}

/* ---- what can stand behind a record ---- */

static bool follows(const struct thread_read *r, const struct record *before,
		    const struct record *next)
{
	if (!next->is_whole || next->time < before->time || next->time > r->u->until_ns)
		return false;
	if (next->kind == LOST || next->kind == EVENT || before->kind == LOST ||
	    before->kind == EVENT)
		return true;
	if (before->kind == ENTRY)
		return next->depth <= before->depth + (next->kind == ENTRY);
	return next->depth + (next->kind == EXIT) <= before->depth;
}

/* Whether a record can be at a place behind another one, and another one behind it. */
static bool can_be_at(const struct thread_read *r, const struct record *before, size_t at)
{
	struct record here, next;

	if (at == r->size)
		return true;
	if (r->size - at < RECORD)
		return false;
	here = record_at(r, at);
	if (!follows(r, before, &here))
		return false;
	if (here.has_data || r->size - at < 2 * RECORD)
		return true;
	next = record_at(r, at + RECORD);
	return follows(r, &here, &next);
}

/* The first place from `at` on, in whole words, where a record can be. */
static size_t find_next(const struct thread_read *r, const struct record *before, size_t at)
{
	while (at < r->size && !can_be_at(r, before, at))
		at = r->size - at > WORD ? at + WORD : r->size;
	return at;
}

/* ---- calls ---- */

static struct tl_foreign_thread *thread_of(struct thread_read *r)
{
	return &r->u->file->spans.threads[r->thread];
}

static bool end_innermost(struct thread_read *r)
{
	const uint32_t frame = r->calls.frames[--r->calls.count];

	if (frame == TL_NONE)
		return true;
	return tl_foreign_spans_add(thread_of(r), (int64_t)r->time, TL_FOREIGN_END, TL_NONE);
}

/* Leave all calls that are open at a depth or inside of that. */
static bool leave_to(struct thread_read *r, unsigned depth)
{
	while (r->calls.count > depth)
		if (!end_innermost(r))
			return false;
	return true;
}

static bool enter(struct thread_read *r, unsigned depth, uint32_t frame)
{
	struct calls *c = &r->calls;

	if (!leave_to(r, depth))
		return false;
	while (c->count < depth)
		c->frames[c->count++] = TL_NONE;
	c->frames[c->count++] = frame;
	return tl_foreign_spans_add(thread_of(r), (int64_t)r->time, TL_FOREIGN_BEGIN, frame);
}

/* Calls that were open in the parent when it forked end in the child without a begin there. */
static bool leave(struct thread_read *r, unsigned depth)
{
	struct tl_uftrace_recording *u = r->u;

	if (!leave_to(r, depth + 1))
		return false;
	if (r->calls.count == depth + 1 && r->calls.frames[depth] != TL_NONE)
		return end_innermost(r);
	if (r->calls.count == depth + 1)
		r->calls.count--;
	u->inherited += r->task->is_forked;
	u->orphans += !r->task->is_forked;
	return true;
}

/* The program that runs now. */
static void find_session(struct thread_read *r)
{
	const struct tl_uftrace_recording *u = r->u;

	if (r->session && r->time < r->session_until)
		return;
	r->session = tl_uftrace_session_at(r->u, r->task->process, r->time);
	r->session_until = UINT64_MAX;
	for (size_t i = 0; i < u->session_count; i++)
		if (u->sessions[i].time_ns > r->time)
			r->session_until = tl_min(r->session_until, u->sessions[i].time_ns);
}

/* ---- records ---- */

static void dump(const struct thread_read *r, const struct record *rec, const char *name)
{
	static const char *const kinds[] = { "entry", "exit", "lost", "event" };
	struct tl_output *out = r->u->file->options.dump;

	if (!r->u->file->options.json) {
		tl_put_format(out, "0x%08zx %s thread %" PRIu32 " time %" PRIu64 " depth %u ",
			      r->at, kinds[rec->kind], r->task->thread, rec->time, rec->depth);
		if (name)
			tl_put_text(out, name);
		else
			tl_put_u64(out, rec->address);
		tl_put_char(out, '\n');
		return;
	}
	tl_put_format(out,
		      "{\"offset\":%zu,\"record\":\"%s\",\"process\":%" PRIu32
		      ",\"thread\":%" PRIu32 ",\"time\":%" PRIu64
		      ",\"depth\":%u,\"address\":\"0x%" PRIx64 "\"",
		      r->at, kinds[rec->kind], r->task->process, r->task->thread, rec->time,
		      rec->depth, rec->address);
	if (name) {
		tl_put_text(out, ",\"name\":");
		tl_put_json(out, name, strlen(name));
	}
	tl_put_text(out, "}\n");
}

static int take_call(struct thread_read *r, const struct record *rec, struct tl_error *err)
{
	struct tl_foreign_file *file = r->u->file;
	uint32_t frame;
	bool done;

	find_session(r);
	frame = tl_uftrace_frame(r->u, r->session, rec->address, err);
	if (frame == TL_NONE)
		return err ? (int)err->status : TL_NO_MEMORY;
	if (file->options.dump)
		dump(r, rec, tl_foreign_function(file, frame).name);
	if (rec->kind == ENTRY) {
		r->u->entries++;
		done = enter(r, rec->depth, frame);
	} else {
		r->u->exits++;
		done = leave(r, rec->depth);
	}
	return tl_error_unless_made(done, err);
}

static int take_other(struct thread_read *r, const struct record *rec, struct tl_error *err)
{
	struct tl_foreign_file *file = r->u->file;
	uint32_t frame;
	char name[32];

	if (file->options.dump)
		dump(r, rec, NULL);
	if (rec->kind == LOST)
		return tl_foreign_say(&file->faults, TL_BAD_RECORD, "lost", err,
				      "thread %" PRIu32 ": uftrace lost %" PRIu64 " records before "
				      "offset 0x%zx of its file",
				      r->task->thread, rec->address, r->at);
	r->u->events++;
	snprintf(name, sizeof(name), "event %" PRIu64, rec->address);
	frame = tl_foreign_stacks_named(&file->stacks, name, strlen(name));
	if (frame == TL_NONE ||
	    !tl_foreign_spans_add(thread_of(r), (int64_t)r->time, TL_FOREIGN_INSTANT, frame))
		return tl_error_memory(err);
	return 0;
}

static int take_bad(struct thread_read *r, const struct record *before, struct tl_error *err)
{
	const size_t next = r->size - r->at < RECORD ? r->size : find_next(r, before, r->at + WORD);
	char text[160];
	struct tl_foreign_fault fault = { .rule = "record",
					  .status = r->size - r->at < RECORD ? TL_TRUNCATED
									     : TL_BAD_RECORD,
					  .offset = r->at,
					  .length = next - r->at,
					  .record = r->number };

	snprintf(text, sizeof(text), "%" PRIu32 ".dat: %s", r->task->thread,
		 next == r->size ? "no record can be read from here on; kept those before"
				 : "no record; left out up to the next one that can be");
	fault.text = tl_arena_copy(&r->u->file->faults.texts, text, strlen(text));
	r->at = next;
	return fault.text ? tl_foreign_broken(&r->u->file->faults, &fault, err)
			  : tl_error_memory(err);
}

static int read_all(struct thread_read *r, struct tl_error *err)
{
	struct record before = { .kind = LOST };
	int status = 0;

	while (status == 0 && r->at < r->size) {
		struct record rec;

		if (r->size - r->at >= RECORD)
			rec = record_at(r, r->at);
		if (r->size - r->at < RECORD || !rec.is_whole || rec.time > r->u->until_ns) {
			status = take_bad(r, &before, err);
			continue;
		}
		/* Times only grow: calls are put into their order by them. */
		r->time = tl_max(r->time, rec.time);
		r->number++;
		status = rec.kind <= EXIT ? take_call(r, &rec, err) : take_other(r, &rec, err);
		if (rec.kind <= EXIT)
			before = rec;
		before.time = rec.time;
		r->at += RECORD;
		if (rec.has_data)
			r->at = find_next(r, &before, r->at);
		if (status == 0 && r->u->file->options.dump &&
		    tl_output_failed(r->u->file->options.dump))
			status = tl_error_at(err, TL_IO, TL_NOWHERE,
					     "the records cannot be written");
	}
	r->u->records += r->number;
	return status;
}

static int begin_thread(struct thread_read *r, struct tl_error *err)
{
	struct tl_foreign_file *file = r->u->file;
	const char *program, *slash;
	uint32_t name;

	r->thread = tl_foreign_spans_thread(&file->spans, r->task->process, r->task->thread);
	if (r->thread == TL_NONE)
		return tl_error_memory(err);
	r->session = tl_uftrace_session_at(r->u, r->task->process, UINT64_MAX);
	program = r->session ? file->stacks.names.names[r->session->program].text : "";
	r->session = NULL;
	slash = strrchr(program, '/');
	program = slash ? slash + 1 : program;
	name = tl_names_add(&file->stacks.names, program, strlen(program));
	if (name == TL_NONE)
		return tl_error_memory(err);
	thread_of(r)->command = name;
	return 0;
}

int tl_uftrace_read_records(struct tl_uftrace_recording *u, const struct tl_uftrace_task *task,
			    struct tl_error *err)
{
	struct thread_read r = { .u = u, .task = task };
	struct tl_source *source = NULL;
	char name[32];
	int status;

	snprintf(name, sizeof(name), "%" PRIu32 ".dat", task->thread);
	status = tl_uftrace_open(u, name, &source, &r.data, &r.size, err);
	/* A thread that called nothing has no file. */
	if (status)
		return tl_error_or_end(status);
	status = begin_thread(&r, err);
	if (status == 0)
		status = read_all(&r, err);
	tl_source_close(source);
	return status;
}
