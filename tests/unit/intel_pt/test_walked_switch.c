/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose stacks take turns, executed here along outcomes and turns that are drawn: each
 * stack knows its frames, so that what belongs where is told without looking for return addresses.
 * Coroutines yield inside of a function that all of them call, which alone does not tell them
 * apart: the returns that come next do. At times one jumps out of what it called.
 */
#include "../foreign/path_sums.h"
#include "pt_trace.h"

#include "../chance.h"
#include "intel_pt/profile/fold.h"

enum { AT = 0x1000, COROUTINES = 3, STACKS = COROUTINES + 1, DEEP = 8, MOST_NODES = 1500 };

enum kind { PLAIN, JE, JUMP, CALL, RET, SWITCH, LEAVE };

/* SWITCH: a return on another stack; LEAVE: a return to whom the caller returns to. */
static const struct insn {
	uint16_t at, to;
	uint8_t size, kind;
} program[] = {
	/* main */
	{ 0x1000, 0, 1, PLAIN },
	{ 0x1001, 0x1080, 5, CALL },
	{ 0x1006, 0x1000, 2, JE },
	{ 0x1008, 0, 1, PLAIN },
	{ 0x1009, 0x1000, 2, JUMP },
	/* f1, f2 and f3 */
	{ 0x1010, 0, 1, PLAIN },
	{ 0x1011, 0x1040, 5, CALL },
	{ 0x1016, 0x1011, 2, JE },
	{ 0x1018, 0x1060, 5, CALL },
	{ 0x101d, 0x1010, 2, JUMP },
	{ 0x1020, 0, 1, PLAIN },
	{ 0x1021, 0x1040, 5, CALL },
	{ 0x1026, 0x1021, 2, JE },
	{ 0x1028, 0x1060, 5, CALL },
	{ 0x102d, 0x1020, 2, JUMP },
	{ 0x1030, 0, 1, PLAIN },
	{ 0x1031, 0x1040, 5, CALL },
	{ 0x1036, 0x1031, 2, JE },
	{ 0x1038, 0x1060, 5, CALL },
	{ 0x103d, 0x1030, 2, JUMP },
	/* g, which yields, or jumps out */
	{ 0x1040, 0, 1, PLAIN },
	{ 0x1041, 0x1048, 2, JE },
	{ 0x1043, 0x1060, 5, CALL },
	{ 0x1048, 0x1054, 2, JE },
	{ 0x104a, 0x1080, 5, CALL },
	{ 0x104f, 0x1053, 2, JE },
	{ 0x1051, 0, 1, PLAIN },
	{ 0x1052, 0, 1, PLAIN },
	{ 0x1053, 0, 1, RET },
	{ 0x1054, 0x1090, 5, CALL },
	/* h, a leaf */
	{ 0x1060, 0, 1, PLAIN },
	{ 0x1061, 0x1060, 2, JE },
	{ 0x1063, 0, 1, RET },
	/* yield: mov rsp, [rsi]; ret */
	{ 0x1080, 0, 1, PLAIN },
	{ 0x1081, 0, 3, PLAIN },
	{ 0x1084, 0, 1, SWITCH },
	/* out: mov rsp, [rsi]; ret */
	{ 0x1090, 0, 3, PLAIN },
	{ 0x1093, 0, 1, LEAVE },
};

enum { INSNS = sizeof(program) / sizeof(program[0]), END = 0x1094 };
enum { FUNCTIONS = 8, FIRST = 1 };

static const struct {
	const char *name;
	uint16_t entry;
} functions[FUNCTIONS] = {
	{ "main", 0x1000 }, { "f1", 0x1010 }, { "f2", 0x1020 },    { "f3", 0x1030 },
	{ "g", 0x1040 },    { "h", 0x1060 },  { "yield", 0x1080 }, { "out", 0x1090 },
};

static unsigned function_of(uint64_t at)
{
	unsigned function = 0;

	while (function + 1 < FUNCTIONS && functions[function + 1].entry <= at)
		function++;
	return function;
}

static const struct insn *insn_at(uint64_t at)
{
	for (unsigned i = 0; i < INSNS; i++)
		if (program[i].at == at)
			return &program[i];
	fail_msg("no instruction at %x", (unsigned)at);
	return NULL;
}

static void make_code(uint8_t code[END - AT])
{
	static const uint8_t first[] = { 0x90, 0x74, 0xeb, 0xe8, 0xc3, 0xc3, 0xc3 };

	memset(code, 0xcc, END - AT);
	for (unsigned i = 0; i < INSNS; i++) {
		const struct insn *insn = &program[i];
		const uint32_t distance = (uint32_t)insn->to - insn->at - insn->size;
		uint8_t *bytes = code + (insn->at - AT);

		bytes[0] = first[insn->kind];
		for (unsigned byte = 1; insn->to && byte < insn->size; byte++)
			bytes[byte] = (uint8_t)(distance >> 8 * (byte - 1));
		if (insn->kind == PLAIN && insn->size == 3)
			memcpy(bytes, "\x48\x8b\x26", 3);
	}
}

/* ---- execution ---- */

struct stack {
	unsigned functions[DEEP];
	uint16_t back[DEEP];
	size_t depth;
	bool begun;
};

struct machine {
	struct stack stacks[STACKS];
	unsigned now;
	size_t known; /* calls since the last switch, whose returns are compressed */
	uint8_t trace[1 << 14];
	size_t size;
	uint32_t seed;
	struct path_sums insns, calls;
};

static struct machine m;

static void put(const uint8_t *bytes, size_t size)
{
	assert_true(m.size + size <= sizeof(m.trace));
	memcpy(m.trace + m.size, bytes, size);
	m.size += size;
}

#define PUT(...) put((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* "f1;g;yield" */
static void add(struct path_sums *sums)
{
	const struct stack *stack = &m.stacks[m.now];
	char path[64] = "";

	for (size_t i = 0; i < stack->depth; i++)
		strcat(strcat(path, i ? ";" : ""), functions[stack->functions[i]].name);
	path_sums_add(sums, path, 1);
}

static void enter(uint16_t entry, uint16_t back)
{
	struct stack *stack = &m.stacks[m.now];

	assert_true(stack->depth < DEEP);
	stack->back[stack->depth] = back;
	stack->functions[stack->depth++] = function_of(entry);
}

/* The call has ended. */
static uint16_t leave(void)
{
	struct stack *stack = &m.stacks[m.now];

	add(&m.calls);
	return stack->back[--stack->depth];
}

/* To another stack, which goes on behind its own call of yield, or begins. */
static uint16_t turn(void)
{
	m.now = (m.now + 1 + chance(&m.seed, STACKS - 1)) % STACKS;
	m.known = 0;
	if (m.stacks[m.now].begun)
		return leave();
	m.stacks[m.now].begun = true;
	enter(functions[FIRST + m.now - 1].entry, 0);
	return functions[FIRST + m.now - 1].entry;
}

static uint16_t step(uint16_t at)
{
	const struct insn *insn = insn_at(at);
	const uint16_t behind = (uint16_t)(at + insn->size);
	bool taken;
	uint16_t to;

	add(&m.insns);
	switch (insn->kind) {
	case JE:
		/* more often a yield than a jump out */
		taken = chance(&m.seed, at == 0x1048 ? 4 : 2) == 0;
		PUT((uint8_t)TNT1(taken));
		return taken ? insn->to : behind;
	case JUMP:
		return insn->to;
	case CALL:
		enter(insn->to, behind);
		m.known++;
		return insn->to;
	case RET:
		to = leave();
		if (m.known) {
			m.known--;
			PUT(TNT1(1));
		} else {
			PUT(TIP(to));
		}
		return to;
	case SWITCH:
		to = turn();
		PUT(TIP(to));
		return to;
	case LEAVE:
		leave();
		to = leave();
		m.known = 0;
		PUT(TIP(to));
		return to;
	default:
		return behind;
	}
}

/*
 * Up to a branch, so that nothing more is executed than is in the trace; one of main or of a
 * coroutine itself, as in g it would not be known whose it is.
 */
static void execute(uint32_t seed, unsigned nodes)
{
	uint16_t at = AT;

	memset(&m, 0, sizeof(m));
	m.seed = seed;
	m.stacks[0].begun = true;
	enter(AT, 0);
	PUT(START(AT));
	for (unsigned done = 0;
	     done < nodes || insn_at(at)->kind != JE || function_of(at) > COROUTINES;) {
		const uint8_t kind = insn_at(at)->kind;

		done += kind != PLAIN && kind != JUMP;
		at = step(at);
	}
	add(&m.insns);
	PUT(PGD_BARE);
}

/* ---- the profile ---- */

static struct tl_pt_image *image;
static bool given;

static int next_slice(void *arg, struct tl_pt_trace_slice *slice, struct tl_error *err)
{
	(void)arg;
	(void)err;
	if (given)
		return 0;
	given = true;
	*slice = (struct tl_pt_trace_slice){
		.config = { .size = sizeof(slice->config),
			    .begin = m.trace,
			    .end = m.trace + m.size },
		.to = m.size,
		.image = image,
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.process = 1,
		.thread = 1,
		.cpu = TL_NOWHERE,
		.command = "",
	};
	return 1;
}

static void again(void *arg)
{
	(void)arg;
	given = false;
}

static bool find_mapping(void *arg, uint64_t ip, struct tl_pt_mapping *mapping)
{
	const unsigned function = function_of(ip);

	(void)arg;
	*mapping = (struct tl_pt_mapping){ .start = AT,
					   .end = AT + 0x1000,
					   .object = "prog",
					   .listed = true,
					   .name = functions[function].name,
					   .entry = functions[function].entry };
	return ip >= AT && ip < END;
}

static void add_calls(struct path_sums *sums, const struct tl_profile *profile)
{
	const uint32_t count = tl_profile_context_count(profile);
	char(*paths)[64] = calloc(count + 1, sizeof(*paths));

	assert_non_null(paths);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *context = tl_profile_context(profile, i);

		if (context->parent != TL_NONE)
			strcat(strcat(paths[i], paths[context->parent]), ";");
		strcat(paths[i], tl_profile_function(profile, context->function)->name);
		path_sums_add(sums, paths[i], (int64_t)context->calls);
	}
	free(paths);
}

static void assert_profile(bool lines, unsigned jobs)
{
	const struct tl_pt_feed feed = { .next = next_slice,
					 .rewind = again,
					 .mapping = find_mapping };
	const struct tl_pt_fold_options options = { .thread = TL_NOWHERE,
						    .process = TL_NOWHERE,
						    .cpu = TL_NOWHERE,
						    .lines = lines,
						    .jobs = jobs };
	struct path_sums calls = { NULL, 0 };
	struct tl_pt_faults faults = { 0 };
	struct tl_profile *profile;

	assert_int_equal(tl_pt_fold(&feed, &options, &faults, &profile, NULL), 0);
	assert_int_equal(faults.count, 0);
	path_sums_expect_profile(&m.insns, profile, TL_NONE, 0, "instructions");
	add_calls(&calls, profile);
	path_sums_expect(&calls, &m.calls, "calls");
	path_sums_free(&calls);
	tl_profile_free(profile);
	tl_pt_faults_free(&faults);
}

TEST(stacks_that_take_turns)
{
	static uint8_t code[END - AT];

	make_code(code);
	image = tl_pt_image_open("switch");
	assert_non_null(image);
	assert_int_equal(tl_pt_image_add_memory(image, code, sizeof(code), NULL, AT, 1), 0);
	for (uint32_t seed = 1; seed <= 60; seed++) {
		execute(seed, 20 + seed * 20);
		assert_profile(seed % 3 == 1, seed % 3);
		path_sums_free(&m.insns);
		path_sums_free(&m.calls);
	}
	tl_pt_image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_that_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
