/* SPDX-License-Identifier: Apache-2.0 */
/* Walking over the tokens of segments: all that is not the fast way of tl_xtrace_walk_next(). */
#include <errno.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "xtrace/format/walk.h"

/* After so many bytes, pages are returned to the system and progress is reported. */
enum { PIECE = 4 << 20 };

void tl_xtrace_walk_begin(struct tl_xtrace_walk *walk, struct tl_xtrace_trace *trace,
			  const struct tl_xtrace_stream *stream,
			  const struct tl_xtrace_segment *segment)
{
	const uint8_t *begin = stream->data + segment->begin, *end = stream->data + segment->end;

	*walk = (struct tl_xtrace_walk){
		.next = begin,
		.stop = (size_t)(end - begin) > PIECE ? begin + PIECE : end,
		.token = begin,
		.tokens = &stream->tokens,
		.begin = begin,
		.end = end,
		.released = begin,
		.trace = trace,
		.stream = stream,
		.segment = segment,
	};
}

static enum tl_xtrace_kind stop_at(struct tl_xtrace_walk *walk, enum tl_status status,
				   const char *text)
{
	walk->status = status;
	walk->text = text;
	walk->fault = (uint64_t)(walk->next - walk->stream->data);
	walk->stop = walk->end = walk->next;
	return TL_XTRACE_NONE;
}

/* The next token does not fit: was the file cut, or is a snapshot's offset in the way? */
static enum tl_xtrace_kind stop_short(struct tl_xtrace_walk *walk)
{
	if (walk->segment->end < walk->stream->size)
		return stop_at(
			walk, TL_BAD_RECORD,
			"a token reaches over the next snapshot's offset; reading goes on there");
	return stop_at(walk, TL_TRUNCATED,
		       "the file ends inside a token; kept the tokens before it");
}

/* "An 8-byte number N of iovec structures follows, then N structures". */
static enum tl_xtrace_kind next_vector(struct tl_xtrace_walk *walk)
{
	size_t left = (size_t)(walk->end - walk->next);
	uint64_t count;

	if (left < 9)
		return stop_short(walk);
	count = tl_get64s(walk->next + 1, TL_HOST_BIG_ENDIAN);
	if (count > (left - 9) / TL_XTRACE_IOVEC_BYTES)
		return stop_at(walk, TL_BAD_SIZE,
			       "a SYSCALL_VEC has more entries than there are bytes; "
			       "skipped to where reading can go on");
	walk->token = walk->next;
	walk->next += 9 + count * TL_XTRACE_IOVEC_BYTES;
	if (walk->next > walk->stop)
		walk->stop = walk->next;
	return TL_XTRACE_SYSCALL_VEC;
}

static const char *why_undefined(uint8_t byte)
{
	switch (byte & 7) {
	case 0:
	case 5:
	case 6:
		return "a token of an undefined class; skipped to where reading can go on";
	case 2:
		return "an access of more than 256 bytes; skipped to where reading can go on";
	default:
		return "an unknown token (--skip-unknown can say its size, --layout codes=4 is "
		       "another way to number "
		       "them); skipped to where reading can go on";
	}
}

/* Release the pages that were read and report progress. False: cancelled. */
static bool pass_piece(struct tl_xtrace_walk *walk)
{
	struct tl_xtrace_trace *trace = walk->trace;
	struct tl_source *source = walk->stream->source;
	uint64_t at = (uint64_t)(walk->next - walk->stream->data);
	int status = 0;

	tl_source_release(source, (uint64_t)(walk->released - walk->stream->data),
			  (uint64_t)(walk->next - walk->released));
	walk->released = walk->next;
	if (pthread_mutex_trylock(&trace->progress) == 0) {
		status = tl_source_tick(source, at, NULL);
		pthread_mutex_unlock(&trace->progress);
	}
	return status == 0;
}

enum tl_xtrace_kind tl_xtrace_walk_rare(struct tl_xtrace_walk *walk)
{
	size_t left = (size_t)(walk->end - walk->next), size;

	if (walk->stop != walk->end && (size_t)(walk->stop - walk->next) < TL_XTRACE_MAX_FIXED) {
		if (!pass_piece(walk))
			return stop_at(walk, TL_IO, "cancelled");
		walk->stop = left > PIECE ? walk->next + PIECE : walk->end;
	}
	if (!left) {
		if (walk->segment->end != walk->segment->begin)
			pass_piece(walk);
		return TL_XTRACE_NONE;
	}
	if (walk->tokens->kind[*walk->next] == TL_XTRACE_SYSCALL_VEC)
		return next_vector(walk);
	size = walk->tokens->size[*walk->next];
	if (!size)
		return stop_at(walk, TL_BAD_RECORD, why_undefined(*walk->next));
	if (size > left)
		return stop_short(walk);
	walk->token = walk->next;
	walk->next += size;
	if (walk->next > walk->stop)
		walk->stop = walk->next;
	return (enum tl_xtrace_kind)walk->tokens->kind[*walk->token];
}

uint64_t tl_xtrace_walk_time(const struct tl_xtrace_walk *walk)
{
	switch (walk->tokens->size[*walk->token] - 1) {
	case 0:
		return 0;
	case 4:
		return tl_get32s(walk->token + 1, TL_HOST_BIG_ENDIAN);
	default:
		return tl_xtrace_walk_value(walk);
	}
}

/* ---- how it ends ---- */

int tl_xtrace_walk_end(struct tl_xtrace_walk *walk, struct tl_error *err)
{
	struct tl_xtrace_fault fault = {
		.status = walk->status,
		.text = walk->text,
		.path = walk->stream->info.path,
		.offset = walk->fault,
		.length = walk->segment->end - walk->fault,
		.record = TL_NOWHERE,
	};

	if (walk->status == TL_OK)
		return 0;
	if (walk->status == TL_IO || walk->trace->options.strict) {
		tl_error_at(err, walk->status, walk->fault, walk->text);
		if (err && walk->status == TL_IO)
			err->sys_errno = ECANCELED;
		return walk->status;
	}
	walk->status = TL_OK;
	return tl_xtrace_note_fault(&walk->trace->faults, &fault, err);
}

struct pass {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	tl_xtrace_segment_fn *fn;
	void *arg;
	struct outcome *outcomes; /* of the segments */
};

struct outcome {
	struct tl_xtrace_walk walk;
	struct tl_error err;
};

static int walk_segment(void *arg, size_t number)
{
	struct pass *pass = arg;
	struct outcome *outcome = &pass->outcomes[number];

	tl_xtrace_walk_begin(&outcome->walk, pass->trace, pass->stream,
			     &pass->stream->segments[number]);
	return pass->fn(pass->arg, &outcome->walk, number, &outcome->err);
}

/* The walks are over, `status`: how; each may have ended at damage. */
static int end_walks(struct pass *pass, int status, struct tl_error *err)
{
	for (size_t i = 0; i < pass->stream->segment_count; i++) {
		struct outcome *outcome = &pass->outcomes[i];
		int ended;

		if (status < 0 && outcome->err.status < 0) {
			if (err)
				*err = outcome->err;
			break;
		}
		ended = tl_xtrace_walk_end(&outcome->walk, err);
		if (ended < 0) {
			status = ended;
			break;
		}
	}
	free(pass->outcomes);
	return status;
}

static int each_parallel(struct pass *pass, unsigned jobs, struct tl_error *err)
{
	size_t count = pass->stream->segment_count;

	pass->outcomes = tl_zeroed(count, sizeof(*pass->outcomes));
	if (!pass->outcomes)
		return tl_error_memory(err);
	return end_walks(pass, tl_pool_run(jobs, count, walk_segment, pass), err);
}

int tl_xtrace_each_segment(struct tl_xtrace_trace *trace, uint32_t stream, unsigned jobs,
			   tl_xtrace_segment_fn *fn, void *arg, struct tl_error *err)
{
	struct pass pass = {
		.trace = trace, .stream = &trace->streams[stream], .fn = fn, .arg = arg
	};
	struct tl_xtrace_walk walk;
	int status = 0;

	if (jobs > 1 && pass.stream->segment_count > 1)
		return each_parallel(&pass, jobs, err);
	for (size_t i = 0; status == 0 && i < pass.stream->segment_count; i++) {
		tl_xtrace_walk_begin(&walk, trace, pass.stream, &pass.stream->segments[i]);
		status = fn(arg, &walk, i, err);
		if (status == 0)
			status = tl_xtrace_walk_end(&walk, err);
	}
	return status;
}

enum tl_xtrace_kind tl_xtrace_walk_on(struct tl_xtrace_walk *w, size_t *segment)
{
	const struct tl_xtrace_stream *s = w->stream;
	enum tl_xtrace_kind kind;

	while ((kind = tl_xtrace_walk_next(w)) == TL_XTRACE_NONE && *segment + 1 < s->segment_count)
		tl_xtrace_walk_begin(w, w->trace, s, &s->segments[++*segment]);
	return kind;
}
