/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of random programs against a naive model: the test makes code, executes it, writes each
 * instruction as tokens and counts costs, calls and jumps where they happen, by lists and linear
 * searches. Cut into segments and folded by several threads the profile is the same.
 */
#include "profiles.h"
#include "streams.h"

enum { FUNCTIONS = 40, CODE = 56, FIRST = 0x100000, SIZE = 0x1000, STACK = 0x800000 };
enum { MOST_CALLS = 1500, MOST_INSNS = 30000, DEEPEST = 6 };
enum { IR, LOADS, STORES, LOAD_BYTES, STORE_BYTES, COSTS };

#define A64_B_NE 0x54000001u
#define A64_STR_PREDICATED 0xe5804000u /* ST1D {Z0.D}, P0, [X0, X0, LSL #3]: may store nothing */
#define A64_LD4 0x0c400000u            /* LD4 {V0.8B-V3.8B}, [X0]: byte by byte */

/* ---- the program ---- */

enum kind {
	PLAIN,
	LOAD_8,
	STORE_4,
	MAYBE_STORE,
	MANY_LOADS,
	LARGE_LOADS,
	BRANCH,
	GO,
	GO_FAR,
	CALL
};

struct insn {
	enum kind kind;
	unsigned to; /* BRANCH, GO: number of the instruction; CALL: of the function */
};

struct program {
	struct insn code[FUNCTIONS][CODE];
	uint32_t random;
	/* while it is executed */
	struct bytes stream;
	size_t cuts[512], cut_count;
	unsigned insns, calls, depth;
	uint64_t sp;
	bool pc_told; /* the next token may be INST */
};

static unsigned next(struct program *p, unsigned below)
{
	p->random = p->random * 1664525 + 1013904223;
	return (p->random >> 8) % below;
}

static uint64_t address(unsigned function, unsigned number)
{
	return FIRST + (uint64_t)function * SIZE + 4 * number;
}

/* Number 0 saves, the last two restore and return. Branches go forward by at most 8, or back. */
static void make_code(struct program *p)
{
	static const enum kind kinds[] = { PLAIN,   PLAIN,       PLAIN,       LOAD_8, LOAD_8,
					   STORE_4, MAYBE_STORE, MAYBE_STORE, BRANCH, BRANCH,
					   GO,      GO_FAR,      CALL,        CALL };

	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (unsigned i = 1; i < CODE - 2; i++) {
			struct insn *insn = &p->code[f][i];

			insn->kind = kinds[next(p, sizeof(kinds) / sizeof(kinds[0]))];
			insn->to = i + 2 + next(p, 8);
			if (insn->kind == BRANCH && i > 8 && next(p, 3) == 0)
				insn->to = i - 1 - next(p, 6);
			if (insn->to > CODE - 2)
				insn->kind = PLAIN;
			if (insn->kind == CALL)
				insn->to = next(p, FUNCTIONS);
			/*
			 * One function is a straight run, one has more tokens than a block holds.
			 */
			if (f == 1)
				insn->kind = i % 3 ? PLAIN : LOAD_8;
			if (f == 2)
				insn->kind = i % 6 == 1 ? MANY_LOADS : PLAIN;
			if (f == 3)
				insn->kind = i % 2 ? LARGE_LOADS : PLAIN;
		}
}

/* ---- the naive model ---- */

struct path {
	uint64_t function;
	int parent;
	uint64_t calls;
	int64_t self[COSTS];
};

struct site {
	uint64_t from, callee, calls;
	int64_t inclusive;
	unsigned open;
};

struct edge {
	uint64_t from, to, executed, taken;
};

static struct {
	struct path paths[20000];
	struct site sites[4000];
	struct edge edges[8000];
	int64_t lines[FUNCTIONS][CODE][COSTS];
	size_t path_count, site_count, edge_count;
	int64_t total;
} model;

static int path_of(int parent, uint64_t function)
{
	for (size_t i = 0; i < model.path_count; i++)
		if (model.paths[i].parent == parent && model.paths[i].function == function)
			return (int)i;
	assert_true(model.path_count < 20000);
	model.paths[model.path_count] = (struct path){ .function = function, .parent = parent };
	return (int)model.path_count++;
}

static struct site *site_of(uint64_t from, uint64_t callee)
{
	for (size_t i = 0; i < model.site_count; i++)
		if (model.sites[i].from == from && model.sites[i].callee == callee)
			return &model.sites[i];
	assert_true(model.site_count < 4000);
	model.sites[model.site_count] = (struct site){ .from = from, .callee = callee };
	return &model.sites[model.site_count++];
}

static void count_edge(uint64_t from, uint64_t to, bool taken)
{
	size_t i = 0;

	while (i < model.edge_count && (model.edges[i].from != from || model.edges[i].to != to))
		i++;
	assert_true(i < 8000);
	if (i == model.edge_count)
		model.edges[model.edge_count++] = (struct edge){ .from = from, .to = to };
	model.edges[i].executed++;
	model.edges[i].taken += taken;
}

static void count(int path, unsigned function, unsigned number, unsigned event, int64_t by)
{
	model.paths[path].self[event] += by;
	model.lines[function][number][event] += by;
	model.total += event == IR ? by : 0;
}

/* ---- execution ---- */

static void put_insn(struct program *p, int path, unsigned function, unsigned number,
		     uint32_t opcode)
{
	bool cut = next(p, 100) == 0 && p->cut_count < 512;

	if (cut)
		p->cuts[p->cut_count++] = p->stream.size;
	if (cut || !p->pc_told || next(p, 20) == 0)
		put_pcinst(&p->stream, 0, address(function, number), opcode);
	else
		put_inst(&p->stream, 0, opcode);
	p->pc_told = true;
	p->insns++;
	count(path, function, number, IR, 1);
}

static void put_accesses(struct program *p, int path, unsigned function, unsigned number,
			 unsigned token, unsigned log2, unsigned times)
{
	bool store = token == STORE;

	for (unsigned i = 0; i < times; i++) {
		put_byte(&p->stream, token | log2 << 4);
		put_number(&p->stream, 0x5000 + 8 * next(p, 512), 8);
		put_repeat(&p->stream, i, (size_t)1 << log2);
		count(path, function, number, store ? STORES : LOADS, 1);
		count(path, function, number, store ? STORE_BYTES : LOAD_BYTES, 1 << log2);
	}
}

/* A save or restore of two registers, as one access of 16 bytes or two of 8. */
static void put_stack_pair(struct program *p, int path, unsigned function, unsigned number,
			   uint32_t opcode)
{
	unsigned token = number ? LOAD : STORE, times = 1 + next(p, 2);

	put_insn(p, path, function, number, opcode);
	for (unsigned i = 0; i < times; i++) {
		put_byte(&p->stream, token | (times == 1 ? 4u : 3u) << 4);
		put_number(&p->stream, p->sp - FRAME + 8 * i, 8);
		put_repeat(&p->stream, 0, FRAME / times);
	}
	count(path, function, number, number ? LOADS : STORES, times);
	count(path, function, number, number ? LOAD_BYTES : STORE_BYTES, FRAME);
}

static void execute(struct program *p, int path, unsigned function, uint64_t back);

static void execute_call(struct program *p, int path, unsigned function, unsigned number)
{
	unsigned callee = p->code[function][number].to;
	uint64_t from = address(function, number), to = address(callee, 0);
	struct site *site = site_of(from, to);
	int64_t before;

	put_insn(p, path, function, number, bl(from, to));
	before = model.total;
	p->pc_told = false;
	p->calls++;
	p->depth++;
	site->calls++;
	site->open++;
	p->sp -= FRAME;
	execute(p, path, callee, from + 4);
	p->sp += FRAME;
	site = site_of(from, to);
	if (!--site->open)
		site->inclusive += model.total - before;
	p->depth--;
	p->pc_told = false;
}

/* The number of the next instruction. */
static unsigned execute_branch(struct program *p, int path, unsigned function, unsigned number)
{
	const struct insn *insn = &p->code[function][number];
	uint64_t from = address(function, number), to = address(function, insn->to);
	bool taken = insn->kind != BRANCH || next(p, 2);

	if (insn->kind == BRANCH) {
		put_insn(p, path, function, number,
			 A64_B_NE | (branch_offset(from, to) & 0x7ffff) << 5);
	} else if (insn->kind == GO) {
		put_insn(p, path, function, number, b(from, to));
	} else {
		put_insn(p, path, function, number, A64_BR);
		put_value(&p->stream, TARGET_B, to);
	}
	count_edge(from, to, taken);
	p->pc_told = !taken;
	return taken ? insn->to : number + 1;
}

/* One straight instruction. */
static void execute_plain(struct program *p, int path, unsigned function, unsigned number)
{
	static const struct {
		uint32_t opcode;
		unsigned token, log2, times;
	} plain[] = {
		[PLAIN] = { A64_NOP, LOAD, 0, 0 },
		[LOAD_8] = { A64_LDR, LOAD, 3, 1 },
		[STORE_4] = { 0xb9000020, STORE, 2, 1 }, /* STR W0, [X1] */
		[MAYBE_STORE] = { A64_STR_PREDICATED, STORE, 3, 2 },
		[MANY_LOADS] = { A64_LD4, LOAD, 0, 32 },
		[LARGE_LOADS] = { A64_LD4, LOAD, 8, 4 },
	};
	enum kind kind = p->code[function][number].kind;
	unsigned times = plain[kind].times;

	if (kind == MAYBE_STORE)
		times = next(p, 3);
	put_insn(p, path, function, number, plain[kind].opcode);
	put_accesses(p, path, function, number, plain[kind].token, plain[kind].log2, times);
}

static void execute(struct program *p, int parent, unsigned function, uint64_t back)
{
	int path = path_of(parent, address(function, 0));
	unsigned at = 1;

	model.paths[path].calls += back != 0;
	put_stack_pair(p, path, function, 0, A64_STP);
	while (at < CODE - 2) {
		const struct insn *insn = &p->code[function][at];
		bool over = p->insns > MOST_INSNS;

		if (insn->kind == CALL && (over || p->depth >= DEEPEST || p->calls >= MOST_CALLS))
			break;
		if (over && insn->kind == BRANCH && insn->to < at)
			break;
		if (insn->kind == CALL) {
			execute_call(p, path, function, at++);
		} else if (insn->kind >= BRANCH) {
			at = execute_branch(p, path, function, at);
		} else {
			execute_plain(p, path, function, at++);
		}
	}
	/* A jump to the end, from wherever that was. */
	if (at < CODE - 2) {
		put_insn(p, path, function, at,
			 b(address(function, at), address(function, CODE - 2)));
		count_edge(address(function, at), address(function, CODE - 2), true);
		p->pc_told = false;
	}
	put_stack_pair(p, path, function, CODE - 2, A64_LDP);
	if (!back)
		return;
	put_insn(p, path, function, CODE - 1, A64_RET);
	put_value(&p->stream, TARGET_B, back);
	p->pc_told = false;
}

/* ---- what has to be in the profile ---- */

static void assert_paths(const struct tl_profile *profile)
{
	uint32_t contexts = tl_profile_context_count(profile);
	int *numbers = calloc(contexts, sizeof(*numbers));

	assert_non_null(numbers);
	assert_int_equal(contexts, model.path_count);
	for (uint32_t i = 0; i < contexts; i++) {
		const struct tl_context *context = tl_profile_context(profile, i);
		const int64_t *self = tl_profile_context_self(profile, i);
		int parent = context->parent == TL_NONE ? -1 : numbers[context->parent];

		numbers[i] =
			path_of(parent, tl_profile_function(profile, context->function)->address);
		assert_int_equal(model.path_count, contexts);
		assert_int_equal(context->calls, model.paths[numbers[i]].calls);
		assert_int_equal(context->unfinished, 0);
		assert_memory_equal(self, model.paths[numbers[i]].self, COSTS * sizeof(int64_t));
	}
	free(numbers);
}

static void assert_lines(const struct tl_profile *profile)
{
	size_t executed = 0;

	for (unsigned f = 0; f < FUNCTIONS; f++)
		for (unsigned i = 0; i < CODE; i++)
			executed += model.lines[f][i][IR] != 0;
	assert_int_equal(tl_profile_line_count(profile), executed);
	for (uint32_t i = 0; i < executed; i++) {
		uint64_t at = tl_profile_line(profile, i)->at.address - FIRST;

		assert_memory_equal(tl_profile_line_cost(profile, i),
				    model.lines[at / SIZE][at % SIZE / 4], COSTS * sizeof(int64_t));
	}
}

static void assert_sites(const struct tl_profile *profile)
{
	assert_int_equal(tl_profile_arc_count(profile), model.site_count);
	for (uint32_t i = 0; i < model.site_count; i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);
		const struct site *site = site_of(
			arc->from.address, tl_profile_function(profile, arc->callee)->address);

		assert_int_equal(tl_profile_arc_count(profile), model.site_count);
		assert_int_equal(arc->calls, site->calls);
		assert_int_equal(tl_profile_arc_cost(profile, i)[0], site->inclusive);
	}
}

/* Code may change: an instruction that was a call and once a jump to the end is both. */
static void assert_edges(const struct tl_profile *profile)
{
	assert_int_equal(tl_profile_jump_count(profile), model.edge_count);
	for (size_t i = 0; i < model.edge_count; i++) {
		bool found = false;

		for (uint32_t k = 0; k < tl_profile_jump_count(profile); k++) {
			const struct tl_jump *jump_found = tl_profile_jump(profile, k);

			if (jump_found->from.address != model.edges[i].from ||
			    jump_found->to.address != model.edges[i].to)
				continue;
			found = true;
			assert_int_equal(jump_found->executed, model.edges[i].executed);
			assert_int_equal(jump_found->taken, model.edges[i].taken);
		}
		assert_true(found);
	}
}

static struct bytes snapshots(const struct program *p, size_t first, size_t step)
{
	struct bytes records = { 0 };

	put_header(&records);
	for (size_t i = first; i < p->cut_count; i += step)
		put_record(&records, &(struct record){ .index = p->cuts[i],
						       .user = i,
						       .total = i,
						       .first = (uint64_t)-31 });
	return records;
}

static void assert_model(const struct program *p, size_t step, unsigned jobs)
{
	struct bytes records = step ? snapshots(p, step - 1, step) : (struct bytes){ 0 };
	struct tl_profile *profile = fold_pair(&p->stream, step ? &records : NULL, jobs);
	struct tl_losses none = { 0 }, losses = losses_of(profile);

	assert_paths(profile);
	assert_lines(profile);
	assert_sites(profile);
	assert_edges(profile);
	assert_memory_equal(&losses, &none, sizeof(none));
	tl_profile_free(profile);
	free_bytes(&records);
}

TEST(random_programs)
{
	struct program *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	for (uint32_t seed = 1; seed <= 4; seed++) {
		memset(p, 0, sizeof(*p));
		memset(&model, 0, sizeof(model));
		p->random = seed;
		p->sp = STACK;
		make_code(p);
		for (unsigned i = 0; i < 3; i++)
			p->code[0][4 + 2 * i] = (struct insn){ CALL, i + 1 };
		execute(p, -1, 0, 0);
		assert_true(p->insns > 1000 && p->cut_count > 20);
		assert_model(p, 0, 1);
		assert_model(p, 1, 1);
		assert_model(p, 1, 3);
		assert_model(p, 3, 2);
		assert_model(p, 17, 1);
		free_bytes(&p->stream);
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
