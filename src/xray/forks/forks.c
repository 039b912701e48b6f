/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of a program that forked. A child inherits its parent's buffers and writes them to its own
 * log: the same process, thread, wall clock and records up to the fork. Behind them, in the buffer
 * of the forking thread, stand the child's own records. Each record must count once over all logs:
 * a record is inherited if an earlier log has the same buffer with the same records up to it. Logs
 * of parents come before those of their children, where process ids show the order.
 *
 * Buffers with the same head are kept sorted by their records, so that a new buffer is compared
 * with few others.
 */
#include "xray/forks/forks.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "xray/forks/fork_blocks.h"

/* A log. Logs are sorted: a record counts in the first log that has it. */
struct log {
	struct tl_xray_reader *reader;
	size_t number;   /* as given */
	struct log *kin; /* towards the log that stands for all that may be related; see kin_of() */
	uint32_t children;  /* of such a log: its children of unknown process so far */
	bool forked;        /* of such a log: some of its logs inherits records */
	uint32_t processes; /* number of processes that its buffers name */
	uint64_t last_tsc;  /* the latest time in its last buffer */
};

/* A buffer that may occur in several logs. */
struct shared {
	struct log *log;
	uint32_t block;
};

struct family {
	struct log *logs;
	size_t log_count;
	struct shared *buffers;
	size_t buffer_count, buffer_capacity;
};

static struct tl_xray_block *block_of(const struct shared *s)
{
	return &s->log->reader->blocks[s->block];
}

/* ---- two buffers, record by record ---- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_records(const struct tl_xray_record *a, const struct tl_xray_record *b)
{
	/* clang-format off */
	const int64_t fields[][2] = {
		{ a->kind, b->kind },         { a->action, b->action },
		{ a->function, b->function }, { a->microseconds, b->microseconds },
		{ a->thread, b->thread },     { a->process, b->process },
		{ a->cpu, b->cpu },           { a->event_type, b->event_type },
		{ a->payload_size, b->payload_size },
	};
	/* clang-format on */
	int order = ORDER(a->tsc, b->tsc);

	for (size_t i = 0; !order && i < sizeof(fields) / sizeof(fields[0]); i++)
		order = ORDER(fields[i][0], fields[i][1]);
	if (!order)
		order = ORDER(a->value, b->value);
	if (!order && a->payload_size)
		order = memcmp(a->payload, b->payload, a->payload_size);
	return order;
}

/*
 * Order of two buffers with the same head. *common is set to the end of the records of `a` that `b`
 * has as well, 0 if their wall clocks differ. *failed is set without memory; a negative result is
 * only an order.
 */
static int compare_buffers(const struct shared *a, const struct shared *b, uint64_t *common,
			   bool *failed)
{
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_record x = { 0 }, y = { 0 };
	struct tl_xray_stream left, right;
	bool clocks = false;
	int order = 0;

	*common = 0;
	tl_xray_fork_open_block(&left, a->log->reader, a->block, &unnoted);
	tl_xray_fork_open_block(&right, b->log->reader, b->block, &unnoted);
	while (!order) {
		int more = tl_xray_fork_next_record(&left, &x, NULL),
		    others = tl_xray_fork_next_record(&right, &y, NULL);

		*failed |= more < 0 || others < 0;
		/* All records are common, so the filler behind them is, too. */
		if (more <= 0 && *common)
			*common = block_of(a)->end;
		if (more <= 0 || others <= 0) {
			order = ORDER(more, others);
			break;
		}
		order = compare_records(&x, &y);
		clocks |= !order && x.kind == TL_XRAY_WALL_CLOCK;
		if (!order && clocks)
			*common = x.offset + x.length;
	}
	tl_xray_fork_close_block(&left);
	tl_xray_fork_close_block(&right);
	free(unnoted.list);
	return order;
}

/* ---- which logs come first ---- */

static void last_of_block(struct log *log, uint32_t block)
{
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_record record = { 0 };
	struct tl_xray_stream stream;

	tl_xray_fork_open_block(&stream, log->reader, block, &unnoted);
	while (tl_xray_fork_next_record(&stream, &record, NULL) == 1)
		if (record.tsc > log->last_tsc)
			log->last_tsc = record.tsc;
	tl_xray_fork_close_block(&stream);
	free(unnoted.list);
}

static void measure(struct log *log)
{
	const struct tl_xray_reader *r = log->reader;
	size_t latest = 0;

	/* Threads are sorted by process. Versions before 3 do not know processes. */
	for (size_t i = 0; i < r->thread_count && r->info.version >= 3; i++)
		log->processes += !i || r->threads[i].process != r->threads[i - 1].process;
	for (size_t i = 1; i < r->block_count; i++)
		if (r->blocks[i].timed && r->blocks[i].first_tsc >= r->blocks[latest].first_tsc)
			latest = i;
	last_of_block(log, (uint32_t)latest);
}

/*
 * The log of a grandchild has buffers of three processes, so fewer processes come first. If the
 * number is the same, the log that goes on longest comes first, since parents wait for their
 * children; then content decides, so that the order of the paths has no effect.
 */
static int compare_logs(const void *left, const void *right)
{
	const struct log *a = left, *b = right;
	int order = ORDER(a->processes, b->processes);

	if (!order)
		order = ORDER(b->last_tsc, a->last_tsc);
	if (!order)
		order = ORDER(b->reader->size, a->reader->size);
	if (!order)
		order = tl_xray_compare_bytes(a->reader, b->reader);
	return order ? order : ORDER(a->number, b->number);
}

static bool same_bytes(const struct log *a, const struct log *b)
{
	return a->reader->size == b->reader->size && !tl_xray_compare_bytes(a->reader, b->reader);
}

/* ---- logs that may be related ---- */

/*
 * Logs with a buffer of the same head may be of one program, and so may those that one of them may
 * be related to. What is found out of them does not depend on the logs of other programs.
 */
static struct log *kin_of(struct log *log)
{
	while (log->kin != log) {
		log->kin = log->kin->kin;
		log = log->kin;
	}
	return log;
}

static void unite(struct log *a, struct log *b)
{
	kin_of(a)->kin = kin_of(b);
}

/* ---- inherited records ---- */

static int compare_heads(const struct shared *a, const struct shared *b)
{
	const struct tl_xray_block *x = block_of(a), *y = block_of(b);
	int order = ORDER(x->process, y->process);

	if (!order)
		order = ORDER(x->thread, y->thread);
	return order ? order : ORDER(x->first_tsc, y->first_tsc);
}

static int compare_shared(const void *left, const void *right)
{
	const struct shared *a = left, *b = right;
	int order = compare_heads(a, b);

	/* `log` points into the sorted array of logs. */
	if (!order)
		order = ORDER(a->log, b->log);
	return order ? order : ORDER(a->block, b->block);
}

static bool collect_buffers(struct family *f)
{
	for (size_t i = 0; i < f->log_count; i++) {
		const struct tl_xray_reader *r = f->logs[i].reader;

		if (!tl_grow(&f->buffers, &f->buffer_capacity, f->buffer_count + r->block_count,
			     sizeof(*f->buffers)))
			return false;
		for (uint32_t b = 0; b < r->block_count; b++)
			if (r->blocks[b].begun && r->blocks[b].timed)
				f->buffers[f->buffer_count++] = (struct shared){ &f->logs[i], b };
	}
	if (f->buffer_count)
		qsort(f->buffers, f->buffer_count, sizeof(*f->buffers), compare_shared);
	return true;
}

/*
 * Insert buffer `at` in sorted order among those from `first` on, and mark the records that a
 * buffer of another log has as well.
 */
static bool place_buffer(struct family *f, size_t first, size_t at)
{
	struct shared placed = f->buffers[at];
	struct tl_xray_block *block = block_of(&placed);
	size_t low = first, high = at;
	uint64_t most = 0, common;
	bool failed = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_buffers(&placed, &f->buffers[middle], &common, &failed);

		if (common > most && f->buffers[middle].log != placed.log)
			most = common;
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&f->buffers[low + 1], &f->buffers[low], (at - low) * sizeof(*f->buffers));
	f->buffers[low] = placed;
	block->inherited = most;
	placed.log->reader->forks.inherits |= block->inherited != 0;
	return !failed;
}

/* The runtime may write a buffer twice. The second one belongs to no thread. */
static bool drop_copies(struct family *f)
{
	bool failed = false;
	size_t kept = 0;

	for (size_t i = 0; i < f->buffer_count; i++) {
		const struct shared *before = kept ? &f->buffers[kept - 1] : NULL;
		struct tl_xray_block *block = block_of(&f->buffers[i]);
		uint64_t common = 0;

		if (before && before->log == f->buffers[i].log &&
		    !compare_heads(before, &f->buffers[i]))
			compare_buffers(&f->buffers[i], before, &common, &failed);
		block->copy = common == block->end;
		if (block->copy)
			before->log->reader->forks.has_copies = true;
		else
			f->buffers[kept++] = f->buffers[i];
	}
	f->buffer_count = kept;
	return !failed;
}

static bool mark_inherited(struct family *f)
{
	size_t first = 0;

	for (size_t i = 1; i < f->buffer_count; i++) {
		if (compare_heads(&f->buffers[first], &f->buffers[i]) != 0) {
			first = i;
			continue;
		}
		unite(f->buffers[first].log, f->buffers[i].log);
		if (!place_buffer(f, first, i))
			return false;
	}
	return true;
}

/* ---- all of it ---- */

static int settle(struct family *f, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < f->log_count; i++) {
		const struct tl_xray_reader *r = f->logs[i].reader;

		if (!r->forks.inherits && !r->forks.has_copies && f->logs[i].processes < 2)
			continue;
		tl_xray_name_forked_thread(f->logs[i].reader, f->logs[i].processes > 1,
					   &kin_of(&f->logs[i])->children);
		status = tl_xray_order_blocks(f->logs[i].reader, err);
	}
	return status;
}

/*
 * Two equal logs are those of children that recorded nothing, or one log given twice. Only a log of
 * another child tells the cases apart.
 */
static void note_forks(struct family *f)
{
	for (size_t i = 0; i < f->log_count; i++)
		if (f->logs[i].reader->forks.inherits &&
		    (!i || !same_bytes(&f->logs[i - 1], &f->logs[i])))
			kin_of(&f->logs[i])->forked = true;
}

static int refuse_copies(struct family *f, size_t *which, struct tl_error *err)
{
	size_t copy = f->log_count;

	note_forks(f);
	for (size_t i = 1; i < f->log_count; i++)
		if (same_bytes(&f->logs[i - 1], &f->logs[i]) && !kin_of(&f->logs[i])->forked)
			copy = i;
	if (copy == f->log_count)
		return 0;
	*which = f->logs[copy].number;
	for (size_t i = 0; i < f->log_count; i++)
		f->logs[i].reader->forks.inherits = false; /* no log is folded */
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "holds the same records as another of the files, and nothing says that "
			   "the program forked: is it a copy?");
}

static int relate(struct family *f, size_t *which, struct tl_error *err)
{
	int status;

	for (size_t i = 0; i < f->log_count; i++)
		measure(&f->logs[i]);
	qsort(f->logs, f->log_count, sizeof(*f->logs), compare_logs);
	for (size_t i = 0; i < f->log_count; i++)
		f->logs[i].kin = &f->logs[i];
	if (!collect_buffers(f) || !drop_copies(f) || !mark_inherited(f))
		return tl_error_memory(err);
	status = refuse_copies(f, which, err);
	if (status < 0)
		return status;
	return settle(f, err);
}

size_t tl_xray_kinship(const struct tl_xray_reader *reader, uint64_t *marks, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; reader->info.mode == TL_XRAY_FDR && i < reader->block_count; i++) {
		const struct tl_xray_block *block = &reader->blocks[i];
		uint64_t who = tl_hash_pair((uint32_t)block->process, (uint32_t)block->thread);

		if (!block->begun || !block->timed)
			continue;
		if (count < room)
			marks[count] = tl_hash_pair(who, block->first_tsc);
		count++;
	}
	return count;
}

int tl_xray_relate(struct tl_xray_reader *const *readers, size_t count, size_t *which,
		   struct tl_error *err)
{
	struct family family = { .logs = calloc(count, sizeof(*family.logs)) };
	int status = 0;

	if (!family.logs)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		if (readers[i]->info.mode == TL_XRAY_FDR)
			family.logs[family.log_count++] =
				(struct log){ .reader = readers[i], .number = i };
	if (family.log_count)
		status = relate(&family, which, err);
	for (size_t i = 0; i < family.log_count; i++)
		if (tl_xray_window_end(family.logs[i].reader, NULL) < 0 && status == 0)
			status = tl_error_memory(err);
	free(family.buffers);
	free(family.logs);
	return tl_error_format(err, "xray", status);
}
