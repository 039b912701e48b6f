/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the specification, by name: the grammar of a buffer ("Format", by version: 2.5) and the
 * order of function records ("Function Records", 1.7). Damage that the reader skipped counts as a
 * violation as well.
 */
#include <stdlib.h>

#include "core/error.h"
#include "profile/fold/fold.h"
#include "profile/model/model.h"
#include "xray/format/function_ids.h"
#include "xray/profile/fold_paths.h"

struct rule {
	const char *name, *text;
};

/* In the order of the grammar. */
static const struct rule no_extents = { "xray.grammar.buffer-extents",
					"a buffer does not begin with BufferExtents" };
static const struct rule no_wall_clock = { "xray.grammar.wall-clock",
					   "WallClockTime does not follow NewBuffer" };
static const struct rule stray_head = { "xray.grammar.head",
					"a record of a buffer's head stands in its body" };
static const struct rule no_new_cpu = { "xray.grammar.new-cpu",
					"a function or event record stands before NewCPUId" };
static const struct rule stray_pid = { "xray.grammar.pid",
				       "a Pid record in a version that has none" };
static const struct rule stray_argument = {
	"xray.grammar.call-argument", "CallArgument does not follow a function entry with arguments"
};
static const struct rule no_end = { "xray.grammar.end-of-buffer",
				    "a buffer of version 1 ends without EndOfBuffer" };
static const struct rule bodiless = { "xray.grammar.terminal",
				      "a buffer ends before its head is complete" };
static const struct rule orphan = { "xray.order.exit-without-entry",
				    "an exit without an entry before it" };
static const struct rule skipping = { "xray.order.exit-not-innermost",
				      "an exit of a function that is not the innermost open call" };
static const struct rule backwards = { "xray.time.backwards", "time goes back within a thread" };
static const struct rule time_unknown = { "xray.time.unknown", NULL };
static const struct rule damage = { "xray.damage", NULL };

/* Position of the last record in the grammar of a buffer. */
enum state { AT_START, IN_EXTENTS, IN_NEW_BUFFER, IN_WALL_CLOCK, IN_PID, IN_BODY, AT_END };

struct check {
	struct tl_xray_reader *reader;
	tl_xray_violation_fn *fn;
	void *arg;
	int64_t violations;
	bool stopped;

	struct tl_fold fold; /* of the present thread */
	struct tl_xray_ids ids;
	enum state state;
	bool takes_argument;         /* the last record was an entry, or an argument of an entry */
	struct tl_xray_record entry; /* basic mode: the entry that arguments may follow */
	bool cpu_known;
	uint64_t tsc; /* of the thread's last function record */
	bool timed;
};

static void violate(struct check *c, const struct rule *rule, const char *text,
		    const struct tl_xray_record *record, uint64_t number)
{
	struct tl_xray_violation v = {
		.rule = rule->name,
		.text = text ? text : rule->text,
		.offset = record->offset,
		.record = number,
		.thread = record->thread,
		.function = record->kind == TL_XRAY_FUNCTION ? record->function : TL_NONE,
	};

	c->violations++;
	if (c->fn && !c->stopped && c->fn(c->arg, &v))
		c->stopped = true;
}

/* ---- grammar ---- */

static const struct rule *head_rule(struct check *c, const struct tl_xray_record *record)
{
	bool extents = c->reader->dialect.version > 1;

	switch (record->kind) {
	case TL_XRAY_BUFFER_EXTENTS:
		return c->state == AT_START ? NULL : &stray_head;
	case TL_XRAY_NEW_BUFFER:
		if (c->state == AT_START && extents)
			return &no_extents;
		return c->state <= IN_EXTENTS ? NULL : &stray_head;
	case TL_XRAY_WALL_CLOCK:
		return c->state == IN_NEW_BUFFER ? NULL : &stray_head;
	case TL_XRAY_PID:
		if (c->reader->dialect.version < 3)
			return &stray_pid;
		if (c->state < IN_WALL_CLOCK)
			return &no_wall_clock;
		return c->state == IN_WALL_CLOCK ? NULL : &stray_head;
	default:
		break;
	}
	if (c->state < IN_WALL_CLOCK)
		return &no_wall_clock;
	if (!c->cpu_known && record->kind != TL_XRAY_NEW_CPU)
		return &no_new_cpu;
	return NULL;
}

static enum state next_state(const struct tl_xray_record *record)
{
	switch (record->kind) {
	case TL_XRAY_BUFFER_EXTENTS:
		return IN_EXTENTS;
	case TL_XRAY_NEW_BUFFER:
		return IN_NEW_BUFFER;
	case TL_XRAY_WALL_CLOCK:
		return IN_WALL_CLOCK;
	case TL_XRAY_PID:
		return IN_PID;
	case TL_XRAY_END_OF_BUFFER:
		return AT_END;
	default:
		return IN_BODY;
	}
}

static void check_grammar(struct check *c, const struct tl_xray_record *record, uint64_t number)
{
	const struct rule *broken = head_rule(c, record);

	if (broken)
		violate(c, broken, NULL, record, number);
	if (record->kind == TL_XRAY_CALL_ARGUMENT && !c->takes_argument)
		violate(c, &stray_argument, NULL, record, number);
	/* A missing NewCPUId is reported once for each buffer. */
	c->cpu_known |= record->kind == TL_XRAY_NEW_CPU || broken == &no_new_cpu;
	c->state = next_state(record);
}

/*
 * Basic mode has no buffers. The only rule is about arguments: they follow the entry whose function
 * and thread they name (2.7).
 */
static void check_basic(struct check *c, const struct tl_xray_record *record, uint64_t number)
{
	bool belongs = c->takes_argument && record->function == c->entry.function &&
		       record->thread == c->entry.thread && record->process == c->entry.process;

	if (record->kind == TL_XRAY_CALL_ARGUMENT && !belongs)
		violate(c, &stray_argument, NULL, record, number);
	if (record->kind == TL_XRAY_FUNCTION)
		c->entry = *record;
}

/* ---- order ---- */

static bool check_function(struct check *c, const struct tl_xray_record *record, uint64_t number)
{
	uint32_t function = tl_xray_ids_find(&c->ids, record->function);
	uint64_t deduced = c->fold.losses.deduced_exits;

	if (function == TL_NONE) {
		function = tl_xray_ids_add(&c->ids, record->function);
		if (function == TL_NONE || tl_fold_add_function(&c->fold) != function)
			return false;
	}
	if (c->timed && record->tsc < c->tsc)
		violate(c, &backwards, NULL, record, number);
	c->timed = true;
	c->tsc = record->tsc;
	if (record->action == TL_XRAY_ENTER || record->action == TL_XRAY_ENTER_ARGS) {
		tl_fold_enter(&c->fold, function);
	} else if (!tl_fold_is_open(&c->fold, function)) {
		violate(c, &orphan, NULL, record, number);
	} else {
		tl_fold_leave(&c->fold, function);
		if (c->fold.losses.deduced_exits > deduced)
			violate(c, &skipping, NULL, record, number);
	}
	return !c->fold.no_memory;
}

/* ---- a block, a thread, all ---- */

static void end_block(struct check *c, const struct tl_xray_stream *stream)
{
	struct tl_xray_record end = {
		.kind = TL_XRAY_LOST,
		.offset = stream->block->end,
		.thread = stream->thread,
	};

	if (c->reader->info.mode != TL_XRAY_FDR || c->state == AT_START)
		return;
	if (c->state >= IN_NEW_BUFFER && c->state < IN_BODY)
		violate(c, &bodiless, NULL, &end, stream->record);
	else if (c->reader->dialect.version == 1 && c->state == IN_BODY)
		violate(c, &no_end, NULL, &end, stream->record);
}

static int check_block(struct check *c, struct tl_xray_stream *stream, struct tl_error *err)
{
	struct tl_xray_record record;
	int status;

	c->state = AT_START;
	c->cpu_known = c->takes_argument = false;
	while ((status = tl_xray_stream_record(stream, &record, err)) == 1 && !c->stopped) {
		uint64_t number = stream->record - 1;

		if (record.kind == TL_XRAY_LOST) {
			violate(c, &damage, record.text, &record, number);
			c->state = c->reader->info.mode == TL_XRAY_FDR ? AT_START : IN_BODY;
			continue;
		}
		if (c->reader->info.mode == TL_XRAY_FDR)
			check_grammar(c, &record, number);
		else
			check_basic(c, &record, number);
		if (record.kind == TL_XRAY_FUNCTION && !check_function(c, &record, number))
			return tl_error_memory(err);
		c->takes_argument =
			(c->takes_argument && record.kind == TL_XRAY_CALL_ARGUMENT) ||
			(record.kind == TL_XRAY_FUNCTION && record.action == TL_XRAY_ENTER_ARGS);
	}
	if (status == 0)
		end_block(c, stream);
	return tl_error_or_end(status);
}

static int check_thread(struct check *c, const struct tl_xray_thread *thread, struct tl_error *err)
{
	struct tl_xray_reader *r = c->reader;
	struct tl_xray_stream stream;
	int status = 0;

	if (!tl_fold_begin(&c->fold, 0, false))
		return tl_error_memory(err);
	c->ids = (struct tl_xray_ids){ 0 };
	c->timed = false;
	tl_xray_stream_open(&stream, r, r->order, thread->begin, thread->end, &r->faults);
	while (status == 0 && !c->stopped && tl_xray_stream_block(&stream))
		status = check_block(c, &stream, err);
	tl_xray_stream_end(&stream);
	tl_xray_ids_free(&c->ids);
	tl_fold_free(&c->fold);
	return status;
}

static int violate_time(void *arg, uint64_t offset, uint64_t thread, const char *text)
{
	struct tl_xray_record path = {
		.kind = TL_XRAY_SAMPLE,
		.offset = offset,
		.thread = (int32_t)thread,
	};

	violate(arg, &time_unknown, text, &path, TL_NOWHERE);
	return 0;
}

/* Profiling mode: the ticks of a path are compared with those of the paths below it. */
static int check_paths(struct check *c, struct tl_error *err)
{
	static const struct tl_xray_fold_options all = {
		.size = sizeof(all),
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
	};
	static const struct tl_event ticks = { .name = "Ticks" };
	struct tl_profile *paths;
	int status = tl_profile_make(&paths, "xray", &ticks, 1, 0, err);

	if (status == 0)
		status = tl_xray_fold_paths(c->reader, NULL, &all, paths, violate_time, c, err);
	tl_profile_free(paths);
	return status;
}

int64_t tl_xray_check(struct tl_xray_reader *reader, tl_xray_violation_fn *fn, void *arg,
		      struct tl_error *err)
{
	struct check c = { .reader = reader, .fn = fn, .arg = arg };
	int status = 0;

	tl_xray_rewind(reader);
	for (size_t i = 0; i < reader->gaps.count; i++) {
		struct tl_xray_record gap = { .kind = TL_XRAY_LOST,
					      .offset = reader->gaps.list[i].start };

		violate(&c, &damage, reader->gaps.list[i].text, &gap, TL_NOWHERE);
	}
	for (size_t i = 0; status == 0 && !c.stopped && i < reader->thread_count; i++)
		status = check_thread(&c, &reader->threads[i], err);
	if (status == 0 && !c.stopped && reader->info.mode == TL_XRAY_PROFILING)
		status = check_paths(&c, err);
	return status < 0 ? tl_error_format(err, "xray", status) : c.violations;
}
