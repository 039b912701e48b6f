/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length of a thread's vectors where its slice is: another one than that of its snapshots may
 * have been set before, by the thread or by the one that made it.
 */
#include "core/error.h"
#include "xtrace/elf/collect/collector.h"
#include "xtrace/elf/vector_lengths.h"

static int refuse(const struct tl_xtrace_length *at, struct tl_error *err)
{
	static const char *const texts[] = {
		[TL_XTRACE_LENGTH_SET] = "the length of vectors was set before the slice (prctl), "
					 "which no snapshot shows",
		[TL_XTRACE_LENGTH_SEEN] = "vectors have another length here than snapshots have",
		[TL_XTRACE_LENGTH_LOST] = "another program is executed (execve) before the slice, "
					  "with vectors of a length that nothing tells",
	};

	return tl_error_in(err, TL_UNSUPPORTED, at->offset, at->record, texts[at->kind]);
}

/* Whether another thread had set another length than the snapshots have when it made threads. */
static int find_maker(const struct tl_xtrace_slice_part *part, bool *found, struct tl_error *err)
{
	struct tl_xtrace_trace *trace = part->trace;
	uint32_t own = UINT32_C(1) << (part->begin.vector_bytes / UINT32_C(16) - 1);

	*found = false;
	for (uint32_t i = 0; i < trace->stream_count && !*found; i++) {
		if (i == part->stream)
			continue;
		if (!tl_xtrace_vector_lengths_until(trace, i, UINT64_MAX))
			return tl_error_memory(err);
		*found = tl_xtrace_vector_lengths_passed(trace, i) & ~own;
	}
	return 0;
}

/* Nothing in its stream tells the thread's length: it is that of its maker. */
static int judge_maker(const struct tl_xtrace_slice_part *part, struct tl_error *err)
{
	bool found;
	int status = find_maker(part, &found, err);

	return status < 0 || !found
		       ? status
		       : tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				     "another thread has set the length of vectors (prctl) before "
				     "it made threads, of which this may be one, and nothing in it "
				     "shows which length it has");
}

static int judge(const struct tl_xtrace_slice_part *part, struct tl_error *err)
{
	const struct tl_xtrace_vector_lengths *lengths;
	uint32_t length = part->begin.vector_bytes;
	uint64_t begin = part->begin.offset;
	const struct tl_xtrace_length *at, *first = NULL;
	size_t next;

	if (!tl_xtrace_vector_lengths_until(part->trace, part->stream, part->end_byte))
		return tl_error_memory(err);
	lengths = &part->trace->lengths[part->stream];
	at = tl_xtrace_vector_length_before(part->trace, part->stream, begin);
	next = at ? (size_t)(at - lengths->list) + 1 : 0;
	if (next < lengths->count && lengths->list[next].kind == TL_XTRACE_LENGTH_SEEN)
		first = &lengths->list[next];
	if (at && at->kind != TL_XTRACE_LENGTH_LOST && at->bytes != length)
		return refuse(at, err);
	/* What is set behind the slice's beginning is refused where it is. */
	if (first)
		return first->bytes == length ? 0 : refuse(first, err);
	if (at)
		return at->kind == TL_XTRACE_LENGTH_LOST ? refuse(at, err) : 0;
	return judge_maker(part, err);
}

int tl_xtrace_collect_lengths(const struct tl_xtrace_replay *replay,
			      const struct tl_xtrace_slice_part *parts, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && replay->scalable && i < replay->thread_count; i++)
		status = judge(&parts[i], err);
	return status;
}
