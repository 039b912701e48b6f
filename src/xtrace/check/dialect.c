/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How this collector writes what the published text leaves open: which tokens it has behind which
 * instructions, how many arguments a system call, where TIME stands. Found at the beginning of a
 * stream by what most instructions have, told once, and judged by from there on.
 */
#include "xtrace/check/check.h"
#include "core/arithmetic.h"

/* So many bytes are looked at; what is against the text has to be seen so often. */
enum { WINDOW = 4 << 20, MOST_ARGS = 8, ENOUGH = 3 };

static uint32_t bit(enum tl_xtrace_kind kind)
{
	return UINT32_C(1) << kind;
}

/* How many instructions could have a thing, and how many had it. */
struct tally {
	uint64_t could, had;
};

static bool usual(const struct tally *t)
{
	return t->had * 2 > t->could;
}

/* The same against the text: a few times are a fault. */
static bool enough(const struct tally *t)
{
	return t->could >= ENOUGH && usual(t);
}

static void count(struct tally *t, bool had)
{
	t->could++;
	t->had += had;
}

struct survey {
	struct tally kinds[TL_XTRACE_KIND_COUNT]; /* that op->wants names */
	struct tally dc_any, time_behind, time_each, vectors;
	struct tl_xtrace_check_content content;
	uint64_t args[MOST_ARGS + 1]; /* system calls by their number of arguments */
	/* of the present instruction */
	uint32_t seen, times, accesses, svcargs;
	uint64_t number, count; /* of a system call, and its argument 2 */
	bool behind;            /* TIME behind an access */
	/* a system call that EL0 has not come back from, and whether it had its SVCRET */
	bool called, returned;
};

static void take(struct survey *v, enum tl_xtrace_kind kind, const struct tl_xtrace_walk *w)
{
	if (kind == TL_XTRACE_TIME) {
		v->behind = v->behind || (v->accesses && !v->times);
		v->times++;
		v->content.timed = true;
	} else if (bit(kind) & TL_XTRACE_CHECK_ACCESSES) {
		v->accesses++;
		v->content.accesses++;
	} else if (kind == TL_XTRACE_SVCARG) {
		if (!v->svcargs)
			v->number = tl_xtrace_walk_value(w);
		if (v->svcargs == 3)
			v->count = tl_xtrace_walk_value(w);
		v->svcargs++;
	}
	v->returned = v->returned || kind == TL_XTRACE_SVCRET;
	v->content.returns = v->content.returns || kind == TL_XTRACE_SVCRET;
	v->seen |= bit(kind);
}

/* An instruction begins: of EL0, then system calls before it are over. */
static void end_calls(struct survey *v, unsigned el)
{
	if (el)
		return;
	if (v->called)
		count(&v->kinds[TL_XTRACE_SVCRET], v->returned);
	v->called = v->returned = false;
}

/* "System instructions" on caches: DC, IC, AT. */
static bool is_cache(uint32_t opcode)
{
	return (opcode & 0xfff8f000) == 0xd5087000;
}

static void end_call(struct survey *v)
{
	v->called = v->called || !tl_xtrace_syscall_jumps(v->number);
	v->args[tl_min(v->svcargs, MOST_ARGS)]++;
	if (v->svcargs > 3 && tl_xtrace_check_has_vectors(v->number, v->count))
		count(&v->vectors, v->seen & bit(TL_XTRACE_SYSCALL_VEC));
}

static void end_accesses(struct survey *v)
{
	if (v->times)
		count(&v->time_behind, v->behind);
	if (v->times && v->accesses > 1)
		count(&v->time_each, v->times > 1);
}

/* `sequential`: the instruction behind it is the next one, so that no exception kept its tokens. */
static void end_instruction(struct survey *v, const struct tl_xtrace_check_opcode *op,
			    bool sequential)
{
	uint32_t wants = op->wants;

	if (op->a64.special == TL_A64_SVC)
		end_call(v);
	if (!v->accesses)
		wants &= ~bit(TL_XTRACE_TIME);
	else
		end_accesses(v);
	for (unsigned kind = 0; sequential && wants >> kind; kind++)
		if (wants >> kind & 1)
			count(&v->kinds[kind], v->seen >> kind & 1);
	if (op->a64.special != TL_A64_DC_ZERO && is_cache(op->a64.opcode))
		count(&v->dc_any, v->seen & bit(TL_XTRACE_DC));
	v->seen = v->times = v->accesses = v->svcargs = 0;
	v->behind = false;
}

static void look_at(struct tl_xtrace_check_stream *s, struct survey *v)
{
	const struct tl_xtrace_segment window = { 0, tl_min(s->stream->size, WINDOW), TL_NONE };
	struct tl_xtrace_check_opcode op = { .wants = 0 };
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;
	bool begun = false;
	unsigned el = 0;

	tl_xtrace_walk_begin(&w, s->check->trace, s->stream, &window);
	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (tl_xtrace_is_instruction(kind)) {
			uint64_t before = w.pc;
			uint32_t opcode = tl_xtrace_walk_instruction(&w, kind);

			if (begun)
				end_instruction(v, &op, w.pc == before + 4 && el == *w.token >> 6);
			begun = true;
			el = tl_xtrace_walk_el(&w);
			v->content.kernel = v->content.kernel || el;
			op = *tl_xtrace_check_look(s->check, opcode);
			end_calls(v, el);
		} else {
			take(v, kind, &w);
		}
	}
}

/* ---- what is told ---- */

static void tell(struct tl_xtrace_check_stream *s, const char *text)
{
	tl_xtrace_report_dialect(s, text);
}

static void tell_missing(struct tl_xtrace_check_stream *s, const struct survey *v)
{
	static const struct {
		uint8_t kind;
		const char *text;
	} missing[] = {
		{ TL_XTRACE_MRS, "this collector writes no MRS behind MRS and MSR" },
		{ TL_XTRACE_STXR, "this collector writes no STXR behind exclusive stores" },
		{ TL_XTRACE_FLAGS, "this collector writes no FLAGS behind conditional selects" },
		{ TL_XTRACE_SVCRET, "this collector writes no SVCRET behind system calls" },
	};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (v->kinds[missing[i].kind].could >= ENOUGH && !usual(&v->kinds[missing[i].kind]))
			tell(s, missing[i].text);
}

static void tell_others(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_dialect *d = &s->dialect;

	if (d->svcargs == 6)
		tell(s, "this collector writes six SVCARG a system call instead of seven");
	else if (d->svcargs != 7)
		tell(s, "this collector writes another number of SVCARG a system call than seven");
	if (d->dc_any)
		tell(s, "this collector writes DC behind any instruction on caches");
	if (d->time_behind)
		tell(s, "this collector writes TIME behind an access instead of before it");
	if (d->time_each)
		tell(s, "this collector writes a TIME for each access of an instruction");
}

/* ---- the whole ---- */

static void decide(struct tl_xtrace_check_dialect *d, const struct survey *v)
{
	uint64_t most = ENOUGH - 1;

	/* What the text says is demanded, unless enough instructions are without it; TIME is for
	 * collectors to have or not. */
	for (unsigned kind = 0; kind < TL_XTRACE_KIND_COUNT; kind++)
		if (usual(&v->kinds[kind]) ||
		    (v->kinds[kind].could < ENOUGH && kind != TL_XTRACE_TIME))
			d->required |= UINT32_C(1) << kind;
	d->required &= ~bit(TL_XTRACE_SYSCALL_VEC);
	if (usual(&v->vectors) || v->vectors.could < ENOUGH)
		d->required |= bit(TL_XTRACE_SYSCALL_VEC);
	d->dc_any = enough(&v->dc_any);
	d->time_behind = enough(&v->time_behind);
	d->time_each = enough(&v->time_each);
	d->svcargs = 7;
	/* Calls without any argument may be of a collector that does not write them at all, but
	 * the text says that they are there. */
	for (unsigned i = 1; i <= MOST_ARGS; i++)
		if (v->args[i] > most || (v->args[i] == most && i == 7)) {
			most = v->args[i];
			d->svcargs = (uint8_t)i;
		}
}

void tl_xtrace_check_find_dialect(struct tl_xtrace_check_stream *s)
{
	struct survey v = { .seen = 0 };

	look_at(s, &v);
	s->dialect = (struct tl_xtrace_check_dialect){ .required = 0 };
	decide(&s->dialect, &v);
	s->content = v.content;
	tell_missing(s, &v);
	tell_others(s);
}
