/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/vector_lengths.h"

#include "core/memory.h"
#include "isa/a64/a64.h"
#include "xtrace/format/walk.h"

/* Linux: <asm-generic/unistd.h>, <linux/prctl.h>. */
enum { CLONE = 220, CLONE3 = 435, EXECVE = 221, EXECVEAT = 281, PRCTL = 167 };
enum { PR_SVE_SET_VL = 50, PR_SVE_GET_VL = 51 };
enum { LENGTH_BITS = 0xffff, INHERIT = 1 << 17, AT_EXECVE = 1 << 18 };
enum { UNIT = 16, LONGEST = 256 };

struct length_walk {
	struct tl_xtrace_vector_lengths *lengths;
	struct tl_xtrace_length_scan *scan;
	bool failed;
};

/* ---- the list ---- */

static const struct tl_xtrace_length *last_of(const struct tl_xtrace_vector_lengths *lengths)
{
	return lengths->count ? &lengths->list[lengths->count - 1] : NULL;
}

/* The length from here on, if it is not told already. */
static void note(struct length_walk *l, enum tl_xtrace_length_kind kind, uint64_t bytes)
{
	struct tl_xtrace_vector_lengths *to = l->lengths;
	const struct tl_xtrace_length *last = last_of(to);

	if (last && last->bytes == bytes && kind == TL_XTRACE_LENGTH_SEEN)
		return;
	l->failed = !tl_grow(&to->list, &to->capacity, to->count + 1, sizeof(*to->list));
	if (l->failed)
		return;
	to->list[to->count++] = (struct tl_xtrace_length){
		.kind = kind,
		.bytes = (uint32_t)bytes,
		.offset = l->scan->offset,
		.record = l->scan->count - 1,
	};
}

static bool is_length(uint64_t bytes)
{
	return bytes && bytes <= LONGEST && bytes % UNIT == 0;
}

/* ---- system calls ---- */

static void set_length(struct length_walk *l, uint64_t flags, uint64_t result)
{
	struct tl_xtrace_length_scan *s = l->scan;

	s->inherits = flags & INHERIT;
	if (flags & AT_EXECVE) {
		s->at_execve = result & LENGTH_BITS;
		return;
	}
	s->at_execve = 0;
	note(l, TL_XTRACE_LENGTH_SET, result & LENGTH_BITS);
}

static void take_result(struct length_walk *l, uint64_t result)
{
	struct tl_xtrace_length_scan *s = l->scan;
	const struct tl_xtrace_length *last = last_of(l->lengths);
	uint64_t number = s->argument_count == 3 ? s->arguments[0] : 0;
	uint32_t option = (uint32_t)s->arguments[1];

	s->returned = true;
	/* It failed, or is the child's. */
	if (result >> 31)
		return;
	if (number == PRCTL && option == PR_SVE_SET_VL)
		set_length(l, s->arguments[2], result);
	else if (number == PRCTL && option == PR_SVE_GET_VL && is_length(result & LENGTH_BITS))
		note(l, TL_XTRACE_LENGTH_SEEN, result & LENGTH_BITS);
	else if ((number == CLONE || number == CLONE3) && result && last && is_length(last->bytes))
		l->lengths->passed |= UINT32_C(1) << (last->bytes / UINT32_C(16) - 1);
}

/* Another program goes on, whose length is the system's if nothing keeps it. */
static void execute_program(struct length_walk *l)
{
	struct tl_xtrace_length_scan *s = l->scan;

	if (s->at_execve)
		note(l, TL_XTRACE_LENGTH_SET, s->at_execve);
	else if (last_of(l->lengths) && !s->inherits)
		note(l, TL_XTRACE_LENGTH_LOST, 0);
	s->at_execve = 0;
}

/* ---- instructions ---- */

/* LDR and STR of a whole Z, of a whole P: so many bits of the length has a bit of theirs. */
static uint32_t whole_register(uint32_t opcode)
{
	if (tl_a64_is_z_load(opcode) || tl_a64_is_z_store(opcode))
		return 1;
	return tl_a64_is_p_load(opcode) || tl_a64_is_p_store(opcode) ? 8 : 0;
}

/* An instruction is over, and goes on at `pc`: only then all of it was accessed. */
static void leave(struct length_walk *l, uint64_t pc)
{
	struct tl_xtrace_length_scan *s = l->scan;
	bool calls = s->argument_count == 3 &&
		     (s->arguments[0] == EXECVE || s->arguments[0] == EXECVEAT);

	if (s->scale && pc == s->pc + 4 && is_length(s->accessed * s->scale))
		note(l, TL_XTRACE_LENGTH_SEEN, s->accessed * s->scale);
	if (calls && pc != s->pc + 4 && pc != s->pc)
		execute_program(l);
}

static void take_instruction(struct length_walk *l, struct tl_xtrace_walk *w,
			     enum tl_xtrace_kind kind)
{
	struct tl_xtrace_length_scan *s = l->scan;
	uint32_t opcode = tl_xtrace_walk_instruction(w, kind);

	/* What runs in the kernel leaves the registers, and what was called, to the program. */
	if (tl_xtrace_walk_el(w)) {
		s->count++;
		s->scale = 0;
		return;
	}
	if (s->scale || s->argument_count)
		leave(l, w->pc);
	s->count++;
	s->pc = w->pc;
	s->offset = tl_xtrace_walk_offset(w);
	s->scale = whole_register(opcode);
	s->accessed = 0;
	s->argument_count = 0;
	s->returned = false;
}

static void take_token(struct length_walk *l, struct tl_xtrace_walk *w, enum tl_xtrace_kind kind)
{
	struct tl_xtrace_length_scan *s = l->scan;

	if (tl_xtrace_is_instruction(kind))
		take_instruction(l, w, kind);
	else if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE)
		s->accessed += tl_xtrace_access_size(*w->token);
	else if (kind == TL_XTRACE_SVCARG && s->argument_count < 3)
		s->arguments[s->argument_count++] = tl_xtrace_walk_value(w);
	else if (kind == TL_XTRACE_SVCRET && !s->returned)
		take_result(l, tl_xtrace_walk_value(w));
}

/* ---- streams ---- */

bool tl_xtrace_vector_lengths_until(struct tl_xtrace_trace *trace, uint32_t stream, uint64_t offset)
{
	const struct tl_xtrace_stream *from = &trace->streams[stream];
	struct length_walk l = { .failed = false };

	if (!trace->lengths)
		trace->lengths = tl_zeroed(trace->stream_count, sizeof(*trace->lengths));
	if (!trace->lengths)
		return false;
	l.lengths = &trace->lengths[stream];
	l.scan = &l.lengths->scan;
	while (!l.failed && l.lengths->segments < from->segment_count &&
	       from->segments[l.lengths->segments].begin <= offset) {
		struct tl_xtrace_walk w;
		enum tl_xtrace_kind kind;

		tl_xtrace_walk_begin(&w, trace, from, &from->segments[l.lengths->segments]);
		while (!l.failed && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE)
			take_token(&l, &w, kind);
		l.lengths->segments++;
	}
	return !l.failed;
}

const struct tl_xtrace_length *tl_xtrace_vector_length_before(const struct tl_xtrace_trace *trace,
							      uint32_t stream, uint64_t offset)
{
	const struct tl_xtrace_vector_lengths *lengths = &trace->lengths[stream];
	size_t i = lengths->count;

	while (i && lengths->list[i - 1].offset >= offset)
		i--;
	return i ? &lengths->list[i - 1] : NULL;
}

uint32_t tl_xtrace_vector_lengths_passed(const struct tl_xtrace_trace *trace, uint32_t stream)
{
	return trace->lengths[stream].passed;
}
