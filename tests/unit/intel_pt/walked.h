/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_WALKED_H
#define TESTS_UNIT_INTEL_PT_WALKED_H
/*
 * A small program that is executed here, instruction by instruction, along outcomes that are drawn.
 * A processor of the test's own writes the trace: outcomes in short TNT, targets in TIP, returns
 * compressed where the call is known since the last PSB, interrupts, and PSB+ anywhere. So it is
 * known what was executed, and nothing of it comes from a decoder.
 */
#include "../chance.h"
#include "pt_trace.h"

#include "intel_pt/profile/feed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum kind { PLAIN, JE, JUMP, JUMP_TO_ANY, CALL, CALL_ANY, RET, IRET };

/* In the order of addresses. `to`: of direct branches. */
static const struct walked_insn {
	uint16_t at, to;
	uint8_t size, kind;
} program[] = {
	/* main */
	{ 0x1000, 0, 1, PLAIN },
	{ 0x1001, 0x1005, 2, JE },
	{ 0x1003, 0, 1, PLAIN },
	{ 0x1004, 0, 1, PLAIN },
	{ 0x1005, 0x1040, 5, CALL },
	{ 0x100a, 0x1000, 2, JE },
	{ 0x100c, 0, 2, CALL_ANY },
	{ 0x100e, 0x1012, 2, JUMP },
	{ 0x1012, 0x100c, 2, JE },
	{ 0x1014, 0, 2, JUMP_TO_ANY },
	/* a, which may call b */
	{ 0x1040, 0, 1, PLAIN },
	{ 0x1041, 0x1048, 2, JE },
	{ 0x1043, 0x1060, 5, CALL },
	{ 0x1048, 0, 1, PLAIN },
	{ 0x1049, 0, 1, RET },
	/* b, a leaf with loops */
	{ 0x1060, 0, 1, PLAIN },
	{ 0x1061, 0x1065, 2, JE },
	{ 0x1063, 0x1061, 2, JUMP },
	{ 0x1065, 0x1060, 2, JE },
	{ 0x1067, 0, 1, RET },
	/* c, which calls a, and perhaps itself */
	{ 0x1080, 0x1040, 5, CALL },
	{ 0x1085, 0x108c, 2, JE },
	{ 0x1087, 0x1080, 5, CALL },
	{ 0x108c, 0, 1, RET },
	/* the handler of interrupts */
	{ 0x10a0, 0, 1, PLAIN },
	{ 0x10a1, 0, 2, IRET },
};

enum { WALKED_AT = 0x1000, HANDLER_AT = 0x10a0, WALKED_END = 0x10a3 };
enum { FUNCTIONS_WALKED = 5 };

static const struct {
	const char *name;
	uint16_t entry;
} walked_functions[FUNCTIONS_WALKED] = {
	{ "main", 0x1000 }, { "a", 0x1040 },       { "b", 0x1060 },
	{ "c", 0x1080 },    { "handler", 0x10a0 },
};

static const uint16_t walked_callees[] = { 0x1040, 0x1060, 0x1080 };
static const uint16_t walked_targets[] = { 0x1000, 0x1003, 0x100a, 0x1012, 0x1005 };

/* The bytes of the program. */
static inline void walked_code(uint8_t code[WALKED_END - WALKED_AT])
{
	memset(code, 0xcc, WALKED_END - WALKED_AT);
	for (size_t i = 0; i < COUNT(program); i++) {
		static const uint8_t first[] = { 0x90, 0x74, 0xeb, 0xff, 0xe8, 0xff, 0xc3, 0x48 };
		const struct walked_insn *insn = &program[i];
		uint8_t *bytes = code + (insn->at - WALKED_AT);
		const uint32_t distance = (uint32_t)insn->to - insn->at - insn->size;

		bytes[0] = first[insn->kind];
		if (insn->kind == JE || insn->kind == JUMP)
			bytes[1] = (uint8_t)distance;
		else if (insn->kind == CALL)
			for (int byte = 0; byte < 4; byte++)
				bytes[1 + byte] = (uint8_t)(distance >> 8 * byte);
		else if (insn->kind == JUMP_TO_ANY || insn->kind == CALL_ANY)
			bytes[1] = insn->kind == CALL_ANY ? 0xd0 : 0xe0; /* rax */
		else if (insn->kind == IRET)
			bytes[1] = 0xcf;
	}
}

static inline const struct walked_insn *walked_insn(uint64_t at)
{
	for (size_t i = 0; i < COUNT(program); i++)
		if (program[i].at == at)
			return &program[i];
	fail_msg("no instruction at %#llx", (unsigned long long)at);
	return NULL;
}

static inline unsigned walked_function(uint64_t at)
{
	unsigned function = 0;

	while (function + 1 < FUNCTIONS_WALKED && walked_functions[function + 1].entry <= at)
		function++;
	return function;
}

/* ---- the walk ---- */

enum { MOST_STEPS = 6000, TRACE_ROOM = 24 * MOST_STEPS, MOST_DEPTH = 20, MOST_PSBS = 400 };

/* How an instruction was left. */
enum { STEP_ON, STEP_TAKEN, STEP_FALLS, STEP_END };

struct walked {
	uint16_t steps[MOST_STEPS];
	uint16_t to[MOST_STEPS]; /* where control went, by the instruction itself */
	uint8_t how[MOST_STEPS];
	bool interrupt[MOST_STEPS]; /* one came there, behind the instruction */
	size_t count;
	uint8_t trace[TRACE_ROOM];
	size_t size;
	/* where there is a PSB, and how many steps were before it */
	struct {
		size_t offset, step;
	} psbs[MOST_PSBS];
	size_t psb_count;

	/* of the processor */
	uint32_t seed;
	unsigned outcomes, outcome_count;
	uint16_t stack[MOST_DEPTH + 2];
	unsigned depth, known; /* `known`: of these frames, those called since the last PSB */
	bool interrupted;
	uint16_t resume;

	/*
	 * With time: behind one of so many branches there is a TSC (0: no time), and the
	 * instructions from one to the next took as many ticks each. Where something else comes
	 * first, a PSB or an interrupt, they took none, and time passes there. `time`: when so many
	 * were executed; `resumed`: when the next one began; `stamped`: how many were before the
	 * last TSC. `due`: the next packet of a branch has a TSC before it, with the time at which
	 * so many had been; 0: it has none.
	 */
	unsigned times;
	uint64_t time[MOST_STEPS + 1], resumed[MOST_STEPS + 1];
	bool waits_at_psb[MOST_STEPS + 1];
	size_t stamped, due;

	/*
	 * With cycles: each branch has a packet of its own, before which a CYC says how many have
	 * passed. `cycle`: when so many instructions were executed; those from one CYC to the next
	 * took as many each, and so did those from the last but one to the end. `counted`,
	 * `counted_before`: how many were before the last CYC, and before the one before it.
	 */
	bool cycles;
	bool noisy; /* packets that say nothing of flow stand between others */
	uint64_t cycle[MOST_STEPS + 1];
	size_t counted, counted_before;
};

static inline void walked_put(struct walked *w, const uint8_t *bytes, size_t size)
{
	assert_true(w->size + size <= sizeof(w->trace));
	memcpy(w->trace + w->size, bytes, size);
	w->size += size;
}

#define WALKED_PUT(w, ...)                                                                         \
	walked_put(w, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* PAD, MTC and CYC of one, two and three bytes. */
static inline void walked_noise(struct walked *w)
{
	while (w->noisy && chance(&w->seed, 2))
		switch (chance(&w->seed, 5)) {
		case 0:
			WALKED_PUT(w, 0x00);
			break;
		case 1:
			WALKED_PUT(w, 0x59, (uint8_t)chance(&w->seed, 256));
			break;
		case 2:
			WALKED_PUT(w, (uint8_t)(chance(&w->seed, 32) << 3 | 3));
			break;
		case 3:
			WALKED_PUT(w, 0x0f, (uint8_t)(chance(&w->seed, 128) << 1));
			break;
		default:
			WALKED_PUT(w, 0x0f, (uint8_t)(chance(&w->seed, 128) << 1 | 1), 0x06);
			break;
		}
}

static inline void walked_flush(struct walked *w)
{
	if (w->outcome_count)
		walked_noise(w);
	if (w->outcome_count)
		WALKED_PUT(w, (uint8_t)((1u << w->outcome_count | w->outcomes) << 1));
	w->outcomes = w->outcome_count = 0;
}

static inline void walked_tsc(struct walked *w, uint64_t now)
{
	WALKED_PUT(w, 0x19, (uint8_t)now, (uint8_t)(now >> 8), (uint8_t)(now >> 16), 0, 0, 0, 0);
	w->due = 0;
}

/* A TSC with the time at which as many instructions had been executed as are due. */
static inline void walked_spread(struct walked *w)
{
	const uint64_t pace = 1 + chance(&w->seed, 5);

	for (; w->stamped < w->due; w->stamped++) {
		w->time[w->stamped + 1] = w->resumed[w->stamped] + pace;
		w->resumed[w->stamped + 1] = w->time[w->stamped + 1];
	}
	walked_tsc(w, w->time[w->stamped]);
}

/* A TSC behind which something else comes than a branch. */
static inline void walked_wait(struct walked *w, bool at_psb)
{
	const bool waits = w->stamped < w->count;

	for (; w->stamped < w->count; w->stamped++)
		w->time[w->stamped + 1] = w->resumed[w->stamped + 1] = w->resumed[w->stamped];
	if (waits) {
		w->resumed[w->count] += 1 + chance(&w->seed, 60);
		w->waits_at_psb[w->count] = at_psb;
	}
	walked_tsc(w, w->resumed[w->count]);
}

/* 4.1: "first byte: bits 7:3 = cycles[4:0], bit 2 = more; each further byte: the next 7 bits" */
static inline void walked_put_cyc(struct walked *w, uint64_t cycles)
{
	WALKED_PUT(w, (uint8_t)((cycles & 31) << 3 | (cycles >> 5 ? 4 : 0) | 3));
	for (cycles >>= 5; cycles; cycles >>= 7)
		WALKED_PUT(w, (uint8_t)((cycles & 127) << 1 | (cycles >> 7 ? 1 : 0)));
}

/* Cycles of one instruction: a number that any few of them can share. */
enum { WALKED_CYCLES = 2 * 3 * 2 * 5 * 7 * 2 * 3 * 11 * 13 * 2 };

/* The branch that is executed now has ended with this count. */
static inline void walked_count(struct walked *w)
{
	const uint64_t pace = (1 + chance(&w->seed, 50)) * WALKED_CYCLES;

	w->counted_before = w->counted;
	for (; w->counted < w->count; w->counted++)
		w->cycle[w->counted + 1] = w->cycle[w->counted] + pace;
	walked_put_cyc(w, w->cycle[w->counted] - w->cycle[w->counted_before]);
}

/* What is behind the last CYC is with what was before it. */
static inline void walked_count_rest(struct walked *w)
{
	const size_t first = w->counted_before;
	const uint64_t cycles = w->cycle[w->counted] - w->cycle[first];

	assert_int_equal(cycles % (w->count - first), 0);
	for (size_t i = first; i < w->count; i++)
		w->cycle[i + 1] = w->cycle[i] + cycles / (w->count - first);
}

static inline void walked_outcome(struct walked *w, bool taken)
{
	if (w->cycles)
		walked_count(w);
	if (w->due && !w->outcome_count)
		walked_spread(w);
	w->outcomes = w->outcomes << 1 | taken;
	if (++w->outcome_count == 6 || w->cycles || !chance(&w->seed, 8))
		walked_flush(w);
}

static inline void walked_tip(struct walked *w, uint16_t to)
{
	walked_flush(w);
	if (w->due)
		walked_spread(w);
	if (w->cycles)
		walked_count(w);
	walked_noise(w);
	WALKED_PUT(w, TIP(to));
}

static inline void walked_psb(struct walked *w, uint16_t at)
{
	walked_flush(w);
	assert_true(w->psb_count < MOST_PSBS);
	w->psbs[w->psb_count].offset = w->size;
	w->psbs[w->psb_count++].step = w->count;
	WALKED_PUT(w, PSB);
	if (w->times)
		walked_wait(w, true);
	WALKED_PUT(w, MODE_64, FUP(at), PSBEND);
	w->known = 0;
}

static inline void walked_call(struct walked *w, uint16_t behind)
{
	w->stack[w->depth++] = behind;
	w->known++;
}

static inline uint16_t walked_return(struct walked *w)
{
	uint16_t to = WALKED_AT;

	/* Of main's callers nothing is known: a return that no call belongs to begins it again. */
	if (w->depth)
		to = w->stack[--w->depth];
	if (w->known) {
		w->known--;
		walked_outcome(w, true);
	} else {
		walked_tip(w, to);
	}
	return to;
}

/* Execute one instruction; where control goes then. */
static inline uint16_t walked_step(struct walked *w, uint16_t at)
{
	const struct walked_insn *insn = walked_insn(at);
	const uint16_t behind = (uint16_t)(at + insn->size);
	const size_t step = w->count++;
	bool taken;
	uint16_t to;

	w->steps[step] = at;
	w->how[step] = insn->kind == PLAIN ? STEP_ON : STEP_TAKEN;
	switch (insn->kind) {
	case JE:
		/* deep recursion ends */
		taken = w->depth > MOST_DEPTH - 3 ? insn->to > at : chance(&w->seed, 2);
		w->how[step] = taken ? STEP_TAKEN : STEP_FALLS;
		walked_outcome(w, taken);
		return taken ? insn->to : behind;
	case JUMP:
		return insn->to;
	case CALL:
		walked_call(w, behind);
		return insn->to;
	case CALL_ANY:
		to = walked_callees[chance(&w->seed, COUNT(walked_callees))];
		walked_call(w, behind);
		walked_tip(w, to);
		return to;
	case JUMP_TO_ANY:
		to = walked_targets[chance(&w->seed, COUNT(walked_targets))];
		walked_tip(w, to);
		return to;
	case RET:
		return walked_return(w);
	case IRET:
		walked_tip(w, w->resume);
		w->interrupted = false;
		return w->resume;
	default:
		return behind;
	}
}

static inline uint16_t walked_interrupt(struct walked *w, uint16_t at)
{
	walked_flush(w);
	if (w->times)
		walked_wait(w, false);
	w->waits_at_psb[w->count] = false;
	WALKED_PUT(w, FUP(at), TIP(HANDLER_AT));
	w->interrupted = true;
	w->resume = at;
	w->interrupt[w->count - 1] = true;
	return HANDLER_AT;
}

/* Whether an instruction takes an outcome or a target from the trace. */
static inline bool walked_uses_trace(unsigned kind)
{
	return kind == JE || kind == JUMP_TO_ANY || kind == CALL_ANY || kind == RET || kind == IRET;
}

/*
 * Walk on from `at` for so many steps, and then up to a branch, with which tracing ends. `psbs`,
 * `interrupts`: at one of so many instructions there is one; 0: at none.
 */
static inline void walk_on(struct walked *w, uint16_t at, size_t steps, unsigned psbs,
			   unsigned interrupts)
{
	const size_t enough = w->count + steps;

	for (;;) {
		const struct walked_insn *insn;

		if (w->count && psbs && !chance(&w->seed, psbs))
			walked_psb(w, at);
		if (w->count && interrupts && !w->interrupted && !chance(&w->seed, interrupts))
			at = walked_interrupt(w, at);
		insn = walked_insn(at);
		if (w->count >= enough && walked_uses_trace(insn->kind))
			break;
		at = walked_step(w, at);
		w->to[w->count - 1] = at;
		if (w->times && walked_uses_trace(insn->kind) && !chance(&w->seed, w->times)) {
			walked_flush(w);
			w->due = w->count;
		}
	}
	walked_flush(w);
	w->how[w->count] = STEP_END;
	w->steps[w->count++] = at;
	/* What is behind the last TSC took no time that is known. */
	for (size_t i = w->stamped; i < w->count; i++)
		w->time[i + 1] = w->resumed[i + 1] = w->resumed[i];
	if (w->cycles)
		walked_count_rest(w);
	WALKED_PUT(w, PGD_BARE);
}

static inline void walk(struct walked *w, uint32_t seed, size_t steps, unsigned psbs,
			unsigned interrupts)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed;
	walked_psb(w, WALKED_AT);
	walk_on(w, WALKED_AT, steps, psbs, interrupts);
}

/* The same with packets between that say nothing of flow. */
static inline void walk_noisy(struct walked *w, uint32_t seed, size_t steps, unsigned psbs,
			      unsigned interrupts)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->noisy = true;
	walked_psb(w, WALKED_AT);
	walk_on(w, WALKED_AT, steps, psbs, interrupts);
}

/* The same with time, from this time on. */
static inline void walk_timed(struct walked *w, uint32_t seed, size_t steps, unsigned psbs,
			      unsigned interrupts, unsigned times, uint64_t begin)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->times = times;
	w->time[0] = w->resumed[0] = begin;
	walked_psb(w, WALKED_AT);
	walk_on(w, WALKED_AT, steps, psbs, interrupts);
}

/* With cycles, and with a time that stands still. The first CYC counts from before the trace. */
static inline void walk_cycles(struct walked *w, uint32_t seed, size_t steps)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->cycles = true;
	WALKED_PUT(w, PSB);
	walked_tsc(w, 1000);
	walked_put_cyc(w, 4321);
	WALKED_PUT(w, MODE_64, FUP(WALKED_AT), PSBEND);
	walk_on(w, WALKED_AT, steps, 0, 0);
}

/* ---- as a feed ---- */

enum { WALKED_SLICES = 12 };

struct walked_feed {
	struct tl_pt_trace_slice slices[WALKED_SLICES];
	size_t count, next;
	struct tl_pt_image *image;
	uint8_t code[WALKED_END - WALKED_AT];
	struct tl_pt_feed feed;
};

static inline int walked_next(void *arg, struct tl_pt_trace_slice *slice, struct tl_error *err)
{
	struct walked_feed *feed = arg;

	(void)err;
	if (feed->next == feed->count)
		return 0;
	*slice = feed->slices[feed->next++];
	return 1;
}

static inline void walked_rewind(void *arg)
{
	((struct walked_feed *)arg)->next = 0;
}

static inline bool walked_mapping(void *arg, uint64_t ip, struct tl_pt_mapping *mapping)
{
	const unsigned function = walked_function(ip);

	(void)arg;
	*mapping = (struct tl_pt_mapping){
		.start = WALKED_AT,
		.end = WALKED_AT + 0x1000,
		.object = "prog",
		.listed = true,
		.name = walked_functions[function].name,
		.entry = walked_functions[function].entry,
	};
	return ip >= mapping->start && ip < mapping->end;
}

static inline void open_walked(struct walked_feed *f)
{
	memset(f, 0, sizeof(*f));
	walked_code(f->code);
	f->image = tl_pt_image_open("walked");
	assert_non_null(f->image);
	assert_int_equal(
		tl_pt_image_add_memory(f->image, f->code, sizeof(f->code), NULL, WALKED_AT, 1), 0);
	f->feed = (struct tl_pt_feed){
		.next = walked_next, .rewind = walked_rewind, .mapping = walked_mapping, .arg = f
	};
}

static inline void close_walked(struct walked_feed *f)
{
	tl_pt_image_close(f->image);
}

/* Bytes from `from` on of a walk's trace as a slice. */
static inline struct tl_pt_trace_slice *add_walked(struct walked_feed *f, const struct walked *w,
						   uint64_t stream, size_t from, size_t to)
{
	struct tl_pt_trace_slice *slice = &f->slices[f->count++];

	assert_true(f->count <= WALKED_SLICES);
	*slice = (struct tl_pt_trace_slice){
		.config = { .size = sizeof(slice->config),
			    .begin = w->trace,
			    .end = w->trace + w->size },
		.from = from,
		.to = to,
		.image = f->image,
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.stream = stream,
		.process = 1,
		.thread = stream + 1,
		.cpu = TL_NOWHERE,
		.command = "",
		.continues = from > 0,
	};
	return slice;
}

#endif
