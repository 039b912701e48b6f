/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that the walk passes over. Programs made at random are executed here, step by step, which
 * gives the blocks that ran, and the trace of them; random nodes and edges are said to be quiet.
 * What is given and what is passed over must be those blocks, each with the one before it, and
 * nothing be passed over that was not said to be quiet.
 */
#include "../pt_trace.h"

#include "intel_pt/blocks/decoder.h"
#include "intel_pt/blocks/unsized.h"

enum { AT = 0x10000, BLOCKS = 48, STEPS = 30000, LONGEST = 90, DEEP = 48, ROUNDS = 12 };

/* How a block of the program ends; only the first three need trace. */
enum ending { BRANCH, RETURN, JUMP, CALL, ENDINGS };

struct part {
	enum ending ending;
	unsigned nops, to; /* to: the part that a branch or a call leads to */
	uint64_t ip;
};

/* A block that ran: calls are inside. */
struct step {
	uint64_t ip;
	unsigned insns;
	int outcome; /* of a conditional branch; -1: it ends otherwise */
	bool calls;
};

struct program {
	struct part parts[BLOCKS];
	uint8_t code[BLOCKS * (LONGEST + 8)];
	size_t size;
	struct step steps[STEPS + 1];
	size_t count;
	uint8_t trace[STEPS * 8 + 64];
	size_t trace_size, outcomes; /* outcomes that wait for a packet */
	bool waiting[6];
	unsigned returns[DEEP], depth;
	uint64_t random;
};

static unsigned draw(struct program *p, unsigned below)
{
	p->random = p->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(p->random >> 33) % below;
}

/* ---- the program ---- */

static const unsigned sizes[ENDINGS] = { [BRANCH] = 6, [RETURN] = 1, [JUMP] = 2, [CALL] = 5 };

/* Calls lead to parts that end otherwise, so that each block has an end. */
static void make_parts(struct program *p)
{
	uint64_t ip = AT;

	for (unsigned i = 0; i < BLOCKS; i++) {
		struct part *part = &p->parts[i];
		unsigned kind = draw(p, 10);

		part->ending = kind < 6 ? BRANCH : kind < 7 ? JUMP : kind < 8 ? CALL : RETURN;
		if (i == BLOCKS - 1 || part[-(i > 0)].ending == CALL)
			part->ending = RETURN;
		part->nops = draw(p, 8) ? draw(p, 6) : draw(p, LONGEST);
		part->ip = ip;
		ip += part->nops + sizes[part->ending];
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		do
			p->parts[i].to = draw(p, BLOCKS);
		while (p->parts[p->parts[i].to].ending == CALL || p->parts[i].to == i + 1);
}

static void put(struct program *p, unsigned byte)
{
	p->code[p->size++] = (uint8_t)byte;
}

static void write_code(struct program *p)
{
	p->size = 0;
	for (unsigned i = 0; i < BLOCKS; i++) {
		const struct part *part = &p->parts[i];
		uint32_t away = (uint32_t)(p->parts[part->to].ip - part->ip - part->nops -
					   sizes[part->ending]);

		for (unsigned n = 0; n < part->nops; n++)
			put(p, 0x90);
		if (part->ending == RETURN)
			put(p, 0xc3);
		else
			put(p, part->ending == BRANCH ? 0x0f : part->ending == CALL ? 0xe8 : 0xff);
		if (part->ending == JUMP)
			put(p, 0xe0);
		if (part->ending == BRANCH)
			put(p, 0x84);
		for (unsigned n = 0; n < 4 && (part->ending == BRANCH || part->ending == CALL); n++)
			put(p, away >> 8 * n & 0xff);
	}
}

/* ---- its execution ---- */

static void put_outcomes(struct program *p)
{
	unsigned byte = 1;

	if (!p->outcomes)
		return;
	for (size_t i = 0; i < p->outcomes; i++)
		byte = byte << 1 | p->waiting[i];
	p->trace[p->trace_size++] = (uint8_t)(byte << 1);
	p->outcomes = 0;
}

static void put_outcome(struct program *p, bool taken)
{
	p->waiting[p->outcomes++] = taken;
	if (p->outcomes == 6)
		put_outcomes(p);
}

static void put_target(struct program *p, uint64_t ip)
{
	const uint8_t packet[] = { TIP(ip) };

	put_outcomes(p);
	memcpy(p->trace + p->trace_size, packet, sizeof(packet));
	p->trace_size += sizeof(packet);
}

/* The outermost return address is forgotten where there are too many. */
static void push(struct program *p, unsigned part)
{
	if (p->depth == DEEP)
		memmove(p->returns, p->returns + 1, --p->depth * sizeof(*p->returns));
	p->returns[p->depth++] = part;
}

/* The next part that begins a block. */
static unsigned leave(struct program *p, const struct part *part, struct step *step)
{
	unsigned next = (unsigned)(part - p->parts) + 1;

	step->outcome = -1;
	if (part->ending == BRANCH) {
		step->outcome = (int)draw(p, 3) / 2;
		put_outcome(p, step->outcome);
		return step->outcome ? part->to : next;
	}
	if (part->ending == RETURN && p->depth) {
		put_outcome(p, true);
		return p->returns[--p->depth];
	}
	next = draw(p, BLOCKS);
	put_target(p, p->parts[next].ip);
	return next;
}

static void run_program(struct program *p)
{
	static const uint8_t start[] = { START(AT) };
	unsigned at = 0;

	memcpy(p->trace, start, sizeof(start));
	p->trace_size = sizeof(start);
	p->count = p->outcomes = p->depth = 0;
	for (; p->count <= STEPS; p->count++) {
		struct step *step = &p->steps[p->count];
		const struct part *part = &p->parts[at];

		*step = (struct step){ .ip = part->ip, .insns = part->nops + 1 };
		if (part->ending == CALL) {
			push(p, at + 1);
			part = &p->parts[part->to];
			step->insns += part->nops + 1;
			step->calls = true;
		}
		/* The last one is given up to its branch, of which no packet tells. */
		if (p->count < STEPS)
			at = leave(p, part, step);
	}
	put_outcomes(p);
}

/* ---- what is decoded ---- */

struct said {
	bool known, quiet;
	unsigned edges;
};

struct walk {
	struct program *program;
	struct said said[BLOCKS]; /* of blocks, by the part that they begin with */
	size_t at;
	uint32_t insns; /* counted so far, of quiet blocks */
	size_t passed;
};

static struct said *said_of(struct walk *w, uint64_t ip)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (w->program->parts[i].ip == ip)
			return &w->said[i];
	fail_msg("no block at %llx", (unsigned long long)ip);
	return NULL;
}

/* So many instructions were passed over: they are those of the next steps, all of them quiet. */
static void pass(struct walk *w, uint32_t insns)
{
	const struct step *steps = w->program->steps;
	uint32_t left = insns - w->insns;

	for (w->insns = insns; left; w->at++, w->passed++) {
		const struct step *step = &steps[w->at];

		assert_true(w->at > 0 && w->at < w->program->count && step->insns <= left);
		assert_true(said_of(w, step->ip)->quiet && step[-1].outcome >= 0);
		assert_true(said_of(w, step[-1].ip)->edges >> step[-1].outcome & 1);
		left -= step->insns;
	}
}

/* The block that ran before the present step. */
static void compare_before(const struct walk *w, const struct tl_pt_decoder *decoder, uint32_t node)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, node);

	if (w->at) {
		assert_non_null(block);
		assert_int_equal(block->ip, w->program->steps[w->at - 1].ip);
	} else {
		assert_int_equal(node, 0);
	}
}

static void say(struct walk *w, struct tl_pt_decoder *decoder, uint32_t node, const struct step *s)
{
	struct said *said = said_of(w, s->ip);
	uint64_t to[2];
	const int edges = tl_pt_node_edges(decoder, node, to);

	/* The last step has no outcome, whatever it ends with. */
	if (s != &w->program->steps[STEPS])
		assert_int_equal(edges, s->insns > 63 ? -1 : s->outcome >= 0 ? 2 : 0);
	if (said->known || !draw(w->program, 4))
		return;
	said->known = true;
	if (edges < 0 || !draw(w->program, 5))
		return;
	said->quiet = true;
	said->edges = edges ? draw(w->program, 4) | draw(w->program, 4) : 0;
	tl_pt_set_quiet(decoder, node, said->edges);
}

static void give(struct walk *w, struct tl_pt_decoder *decoder, uint32_t node, uint32_t before)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, node);
	const struct step *step = &w->program->steps[w->at];

	compare_before(w, decoder, tl_pt_node_before(before));
	if (before & TL_PT_COUNTED) {
		assert_true(said_of(w, step->ip)->quiet);
		w->insns += step->insns;
	}

	assert_non_null(block);
	assert_true(w->at < w->program->count);
	assert_int_equal(block->ip, step->ip);
	assert_int_equal(block->ninsn, step->insns);
	say(w, decoder, node, step);
	w->at++;
}

static void decode(struct walk *w, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_passed_nodes behind = tl_pt_passed_so_far(decoder);
	uint32_t nodes[512], insns[512], before[512];
	const struct tl_pt_loud_nodes loud = { insns, before };
	size_t given = 0;

	for (;;) {
		struct tl_pt_node_batch batch = { .nodes = nodes,
						  .max = 1 + draw(w->program, 512) };
		struct tl_pt_event event;

		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_pt_next_event(decoder, &event);
		if (status >= 0)
			status = tl_pt_next_loud_nodes(decoder, &batch, &loud, &behind);
		if (status < 0)
			break;
		for (size_t i = 0; i < batch.count; i++) {
			pass(w, insns[i]);
			give(w, decoder, nodes[i], before[i]);
		}
		pass(w, behind.insns);
		compare_before(w, decoder, behind.last);
		given += batch.count;
		status = batch.status;
	}
	assert_int_equal(status, -TL_PT_EOS);
	assert_int_equal(w->at, w->program->count);
	assert_int_equal(behind.nodes, w->passed);
	assert_int_equal(given + w->passed, w->program->count);
}

TEST(random_programs)
{
	static struct program program;
	size_t passed = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct walk w = { .program = &program };
		struct scene scene;

		program.random = round;
		make_parts(&program);
		write_code(&program);
		run_program(&program);
		open_scene(&scene, program.trace, program.trace_size, AT, program.code,
			   program.size, 0);
		/* Setting the number of threads takes it back to before it was synchronised. */
		assert_int_equal(tl_pt_decoder_set_jobs(scene.decoder, 1), 0);
		assert_true(tl_pt_pass_quiet(scene.decoder));
		decode(&w, scene.decoder, tl_pt_decoder_sync_set(scene.decoder, 0));
		close_scene(&scene);
		passed += w.passed;
	}
	/* A rule under which nothing is passed over would hold, too. */
	assert_true(passed > (size_t)ROUNDS * STEPS / 20);
}

/* Not once there are nodes that were given as a whole, nor where ticks come between them. */
TEST(not_later_or_with_ticks)
{
	static const uint8_t code[] = { 0xc3 }, trace[] = { START(AT) };
	struct scene scene;

	open_scene(&scene, trace, sizeof(trace), AT, code, sizeof(code), 0);
	assert_false(tl_pt_pass_quiet(scene.decoder));
	assert_int_equal(tl_pt_decoder_set_jobs(scene.decoder, 2), 0);
	assert_true(tl_pt_pass_quiet(scene.decoder));
	close_scene(&scene);
	open_scene(&scene, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_TICK_EVENTS);
	assert_int_equal(tl_pt_decoder_set_jobs(scene.decoder, 1), 0);
	assert_false(tl_pt_pass_quiet(scene.decoder));
	close_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(not_later_or_with_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
