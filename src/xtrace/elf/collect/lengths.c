/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length of a thread's vectors where its slice begins: prctl(PR_SVE_SET_VL, ...) may have set
 * another one than that of the snapshots, which all have one length.
 */
#include "core/error.h"
#include "xtrace/elf/collect/collector.h"

/* Linux: <asm-generic/unistd.h>, <linux/prctl.h>. */
enum { PRCTL = 167, PR_SVE_SET_VL = 50, LENGTH_BITS = 0xffff, AT_EXECVE = 1 << 18 };

/* The last system call of a stream, and the last one that set the length. */
struct length_scan {
	uint64_t arguments[3]; /* X8, X0, X1 */
	unsigned argument_count;
	bool called;             /* its arguments have begun, no instruction came since */
	uint64_t count;          /* of instructions */
	uint64_t record, offset; /* of the call */
	uint64_t length, set_record, set_offset;
};

/* Kernel code may be between a call and its result. */
static void take_argument(struct length_scan *scan, const struct tl_xtrace_walk *w)
{
	if (!scan->called)
		scan->argument_count = 0;
	scan->called = true;
	if (scan->argument_count < 3)
		scan->arguments[scan->argument_count++] = tl_xtrace_walk_value(w);
}

static void take_result(struct length_scan *scan, uint64_t result)
{
	bool sets = scan->argument_count == 3 && scan->arguments[0] == PRCTL &&
		    (uint32_t)scan->arguments[1] == PR_SVE_SET_VL &&
		    !(scan->arguments[2] & AT_EXECVE);

	scan->argument_count = 0;
	if (!sets || result >> 31)
		return;
	scan->length = result & LENGTH_BITS;
	scan->set_record = scan->record;
	scan->set_offset = scan->offset;
}

static void take_token(struct length_scan *scan, const struct tl_xtrace_walk *w,
		       enum tl_xtrace_kind kind)
{
	if (tl_xtrace_is_instruction(kind)) {
		scan->called = false;
		scan->count++;
	} else if (kind == TL_XTRACE_SVCARG) {
		take_argument(scan, w);
	} else if (kind == TL_XTRACE_SVCRET) {
		take_result(scan, tl_xtrace_walk_value(w));
	}
	if (!scan->called) {
		scan->record = scan->count - 1;
		scan->offset = tl_xtrace_walk_offset(w);
	}
}

/* The stream from its beginning to this offset. */
static void scan_to(struct length_scan *scan, const struct tl_xtrace_slice_part *part)
{
	const struct tl_xtrace_stream *stream = &part->trace->streams[part->stream];
	uint64_t end = part->begin.offset;
	bool over = false;

	for (size_t i = 0; !over && i < stream->segment_count; i++) {
		struct tl_xtrace_walk w;
		enum tl_xtrace_kind kind;

		tl_xtrace_walk_begin(&w, part->trace, stream, &stream->segments[i]);
		while (!over && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
			over = tl_xtrace_walk_offset(&w) >= end;
			if (!over)
				take_token(scan, &w, kind);
		}
	}
}

int tl_xtrace_collect_lengths(const struct tl_xtrace_replay *replay,
			      const struct tl_xtrace_slice_part *parts, struct tl_error *err)
{
	for (size_t i = 0; replay->scalable && i < replay->thread_count; i++) {
		uint32_t length = parts[i].begin.vector_bytes;
		struct length_scan scan = { .length = length };

		scan_to(&scan, &parts[i]);
		if (scan.length != length)
			return tl_error_in(
				err, TL_UNSUPPORTED, scan.set_offset, scan.set_record,
				"the length of vectors was set before the slice (prctl), which "
				"no snapshot shows");
	}
	return 0;
}
