/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listings of traces whose execution is known (walked.h): instructions, blocks and branches, as
 * text and as JSON, of all threads or of one, of all functions or of some.
 */
#include <stdio.h>

#include "core/output.h"
#include "walked.h"

#include "intel_pt/listing/check.h"
#include "intel_pt/listing/feed_text.h"

enum { THREADS = 3 };

static struct walked walks[THREADS];
static struct walked_feed feed;
static struct tl_output *wanted;

/* How long, and one PSB and interrupt in so many instructions; 0: none. */
static const struct shape {
	size_t steps;
	unsigned psbs, interrupts;
} shapes[] = { { 400, 0, 0 }, { 300, 20, 0 }, { 500, 0, 25 }, { 600, 40, 30 } };

/* Of each kind of instruction: its class, and the branch it is. */
static const struct {
	const char *iclass, *branch;
} kinds[] = {
	[PLAIN] = { "other", NULL },    [JE] = { "cond_jump", "conditional" },
	[JUMP] = { "jump", "jump" },    [JUMP_TO_ANY] = { "jump", "indirect-jump" },
	[CALL] = { "call", "call" },    [CALL_ANY] = { "call", "indirect-call" },
	[RET] = { "return", "return" }, [IRET] = { "far_return", "system" },
};

static void open_threads(const struct shape *shape, uint32_t seed)
{
	open_walked(&feed);
	for (unsigned i = 0; i < THREADS; i++) {
		struct tl_pt_trace_slice *slice;

		walk(&walks[i], seed + i, shape->steps, shape->psbs, shape->interrupts);
		slice = add_walked(&feed, &walks[i], i, 0, walks[i].size);
		slice->process = 1 + i / 2;
		slice->cpu = i == 2 ? 7 : TL_NOWHERE;
		slice->command = i == 1 ? "worker" : "";
	}
	assert_int_equal(tl_output_open_memory(&wanted, NULL), 0);
}

/* What is listed of the threads must be what was told. */
static void assert_listed(struct tl_pt_feed_text_options options)
{
	struct tl_pt_faults faults = { 0 };
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pt_put_feed(&feed.feed, &options, &faults, out, NULL), 0);
	assert_int_equal(faults.count, 0);
	tl_put_char(out, '\0');
	tl_put_char(wanted, '\0');
	assert_string_equal(tl_output_bytes(out, &(size_t){ 0 }),
			    tl_output_bytes(wanted, &(size_t){ 0 }));
	tl_output_discard(out);
	tl_output_discard(wanted);
	tl_pt_faults_free(&faults);
	close_walked(&feed);
}

/* ---- what was executed ---- */

static bool all(unsigned function)
{
	(void)function;
	return true;
}

static bool only_a_and_c(unsigned function)
{
	return function == 1 || function == 3;
}

typedef bool wanted_fn(unsigned function);

static bool is_wanted(wanted_fn *functions, uint64_t ip)
{
	return functions(walked_function(ip));
}

/* A block goes on along direct branches, up to one that needs the trace, a PSB or an interrupt. */
static bool begins_block(const struct walked *w, size_t step)
{
	if (!step || walked_uses_trace(walked_insn(w->steps[step - 1])->kind) ||
	    w->interrupt[step - 1])
		return true;
	for (size_t i = 0; i < w->psb_count; i++)
		if (w->psbs[i].step == step)
			return true;
	return false;
}

static size_t end_of_block(const struct walked *w, size_t step)
{
	for (step++; step < w->count && !begins_block(w, step);)
		step++;
	return step;
}

/* ---- instructions and blocks ---- */

static void tell_head(unsigned thread)
{
	tl_put_format(wanted, "[process %u, thread %u", 1 + thread / 2, thread + 1);
	if (thread == 2)
		tl_put_text(wanted, ", cpu 7");
	tl_put_text(wanted, thread == 1 ? ": worker]\n" : "]\n");
}

static void tell_insn(const struct walked *w, size_t step, bool json)
{
	const struct walked_insn *insn = walked_insn(w->steps[step]);

	if (json)
		tl_put_format(wanted,
			      "{\"ip\":\"0x%x\",\"isid\":1,\"mode\":\"64-bit\",\"iclass\":\"%s\","
			      "\"size\":%u}\n",
			      insn->at, kinds[insn->kind].iclass, insn->size);
	else
		tl_put_format(wanted, "%016x\n", insn->at);
}

static void tell_block(const struct walked *w, size_t step, bool json)
{
	const size_t end = end_of_block(w, step);
	const struct walked_insn *last = walked_insn(w->steps[end - 1]);

	if (json)
		tl_put_format(wanted,
			      "{\"ip\":\"0x%x\",\"end_ip\":\"0x%x\",\"isid\":1,\"mode\":"
			      "\"64-bit\",\"iclass\":\"%s\",\"ninsn\":%u}\n",
			      w->steps[step], last->at, kinds[last->kind].iclass,
			      (unsigned)(end - step));
	else
		tl_put_format(wanted, "%016x  %016x  %5u  64-bit  %s\n", w->steps[step], last->at,
			      (unsigned)(end - step), kinds[last->kind].iclass);
}

static void tell_code(const struct walked *w, unsigned flags, wanted_fn *functions)
{
	const bool json = flags & TL_PT_TEXT_JSON;

	for (size_t step = 0; step < w->count; step++) {
		if (!is_wanted(functions, w->steps[step]))
			continue;
		if (flags & TL_PT_TEXT_BLOCKS && begins_block(w, step)) {
			if (flags & TL_PT_TEXT_INSNS && !json)
				tl_put_text(wanted, "[block]\n");
			else
				tell_block(w, step, json);
		}
		if (flags & TL_PT_TEXT_INSNS)
			tell_insn(w, step, json);
	}
}

static const struct tl_pt_feed_text_options listing = { .process = TL_NOWHERE,
							.thread = TL_NOWHERE,
							.cpu = TL_NOWHERE };

TEST(instructions_and_blocks)
{
	static const unsigned ways[] = {
		TL_PT_TEXT_INSNS,
		TL_PT_TEXT_BLOCKS,
		TL_PT_TEXT_INSNS | TL_PT_TEXT_BLOCKS,
		TL_PT_TEXT_INSNS | TL_PT_TEXT_JSON,
		TL_PT_TEXT_BLOCKS | TL_PT_TEXT_JSON,
	};

	for (unsigned round = 0; round < 4 * COUNT(ways) * COUNT(shapes); round++) {
		const bool filtered = round / 2 % 2;
		struct tl_pt_feed_text_options options = listing;

		open_threads(&shapes[round % COUNT(shapes)], round);
		options.flags = ways[round / 4 % COUNT(ways)];
		for (unsigned i = 0; i < THREADS; i++) {
			if (!(options.flags & TL_PT_TEXT_JSON))
				tell_head(i);
			tell_code(&walks[i], options.flags, filtered ? only_a_and_c : all);
		}
		/* blocks and the instructions of blocks need blocks */
		if (options.flags & TL_PT_TEXT_BLOCKS || round % 2)
			options.flags |= TL_PT_TEXT_BY_BLOCK;
		options.function = filtered ? "^(a|c)$" : NULL;
		assert_listed(options);
	}
}

/* Threads, processes and processors are chosen; the others are decoded all the same. */
TEST(some_threads)
{
	static const struct {
		uint64_t process, thread, cpu;
		bool told[THREADS];
	} choices[] = {
		{ TL_NOWHERE, 2, TL_NOWHERE, { false, true, false } },
		{ 1, TL_NOWHERE, TL_NOWHERE, { true, true, false } },
		{ TL_NOWHERE, TL_NOWHERE, 7, { false, false, true } },
		{ 2, 1, TL_NOWHERE, { false, false, false } },
	};

	for (size_t i = 0; i < COUNT(choices); i++) {
		struct tl_pt_feed_text_options options = listing;

		open_threads(&shapes[i], 60);
		for (unsigned thread = 0; thread < THREADS; thread++)
			if (choices[i].told[thread]) {
				tell_head(thread);
				tell_code(&walks[thread], TL_PT_TEXT_INSNS, all);
			}
		options.flags = TL_PT_TEXT_INSNS;
		options.process = choices[i].process;
		options.thread = choices[i].thread;
		options.cpu = choices[i].cpu;
		assert_listed(options);
	}
}

/* The numbers of what was executed. */
TEST(counts)
{
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (int json = 0; json < 2; json++) {
			struct tl_pt_feed_text_options options = listing;
			size_t insns = 0, blocks = 0;

			open_threads(&shapes[shape], 80);
			for (unsigned i = 0; i < THREADS; i++) {
				insns += walks[i].count;
				for (size_t step = 0; step < walks[i].count; step++)
					blocks += begins_block(&walks[i], step);
			}
			tl_put_format(wanted,
				      json ? "{\"instructions\":%u,\"blocks\":%u}\n"
					   : "insn: %u.\nblocks: %u.\n",
				      (unsigned)insns, (unsigned)blocks);
			options.flags = TL_PT_TEXT_STAT | TL_PT_TEXT_BY_BLOCK |
					(json ? TL_PT_TEXT_JSON : 0);
			assert_listed(options);
		}
}

/* ---- branches ---- */

struct told_branch {
	const char *kind;
	uint64_t from, to; /* 0: not known */
};

static void put_place(uint64_t ip)
{
	const unsigned function = walked_function(ip);

	tl_put_format(wanted, "%s+0x%x", walked_functions[function].name,
		      (unsigned)ip - walked_functions[function].entry);
}

static void put_branch_text(const struct told_branch *b)
{
	if (b->from)
		tl_put_format(wanted, "%016x  ", (unsigned)b->from);
	else
		tl_put_format(wanted, "%16s  ", "-");
	if (b->to)
		tl_put_format(wanted, "%016x  ", (unsigned)b->to);
	else
		tl_put_format(wanted, "%16s  ", "-");
	tl_put_format(wanted, "%-13s", b->kind);
	if (b->from) {
		tl_put_text(wanted, "  ");
		put_place(b->from);
	}
	if (b->to) {
		tl_put_text(wanted, b->from ? " => " : "  => ");
		put_place(b->to);
	}
	tl_put_char(wanted, '\n');
}

static void put_place_json(const char *which, uint64_t ip)
{
	const unsigned function = walked_function(ip);

	tl_put_format(wanted, ",\"%s_function\":\"%s\",\"%s_offset\":%u", which,
		      walked_functions[function].name, which,
		      (unsigned)ip - walked_functions[function].entry);
}

static void put_branch_json(const struct told_branch *b)
{
	tl_put_format(wanted, "{\"branch\":\"%s\"", b->kind);
	if (b->from)
		tl_put_format(wanted, ",\"from\":\"0x%x\"", (unsigned)b->from);
	if (b->to)
		tl_put_format(wanted, ",\"to\":\"0x%x\"", (unsigned)b->to);
	if (b->from)
		put_place_json("from", b->from);
	if (b->to)
		put_place_json("to", b->to);
	tl_put_text(wanted, "}\n");
}

static void tell_branch(struct told_branch b, bool json, wanted_fn *functions)
{
	if (!(b.from && is_wanted(functions, b.from)) && !(b.to && is_wanted(functions, b.to)))
		return;
	if (json)
		put_branch_json(&b);
	else
		put_branch_text(&b);
}

static void tell_branches(const struct walked *w, bool json, wanted_fn *functions)
{
	tell_branch((struct told_branch){ "begin", 0, w->steps[0] }, json, functions);
	for (size_t i = 0; i < w->count; i++) {
		const char *kind = kinds[walked_insn(w->steps[i])->kind].branch;

		if (w->how[i] == STEP_END)
			tell_branch((struct told_branch){ kind, w->steps[i], 0 }, json, functions);
		if (w->how[i] == STEP_TAKEN)
			tell_branch((struct told_branch){ kind, w->steps[i], w->to[i] }, json,
				    functions);
		if (w->interrupt[i])
			tell_branch((struct told_branch){ "interrupt", w->to[i], HANDLER_AT }, json,
				    functions);
	}
}

TEST(branches)
{
	for (unsigned round = 0; round < 4 * COUNT(shapes); round++) {
		struct tl_pt_feed_text_options options = listing;
		const bool json = round / 4 % 2, filtered = round / 8;

		open_threads(&shapes[round % COUNT(shapes)], 200 + round);
		for (unsigned i = 0; i < THREADS; i++) {
			if (!json)
				tell_head(i);
			tell_branches(&walks[i], json, filtered ? only_a_and_c : all);
		}
		options.flags =
			TL_PT_TEXT_BRANCHES | TL_PT_TEXT_BY_BLOCK | (json ? TL_PT_TEXT_JSON : 0);
		options.function = filtered ? "^[ac]$" : NULL;
		options.object = filtered ? "prog" : NULL;
		assert_listed(options);
	}
}

/* ---- checks ---- */

/* Nothing is wrong with what a processor wrote. */
TEST(nothing_is_wrong)
{
	for (unsigned round = 0; round < 2 * COUNT(shapes); round++) {
		size_t size;

		open_threads(&shapes[round % COUNT(shapes)], 300 + round);
		assert_int_equal(tl_pt_check_feed(&feed.feed, round % 2, false, wanted, NULL), 0);
		tl_output_bytes(wanted, &size);
		assert_int_equal(size, 0);
		tl_output_discard(wanted);
		close_walked(&feed);
	}
}

/* An outcome that is another leads elsewhere, where sooner or later the packets do not fit. */
TEST(what_does_not_fit_the_code)
{
	for (int json = 0; json < 2; json++) {
		char line[160];
		size_t at;

		/* je to the call of a, je there to 1048, and a return with an outcome of 0 */
		open_walked(&feed);
		assert_int_equal(tl_output_open_memory(&wanted, NULL), 0);
		memset(&walks[0], 0, sizeof(walks[0]));
		walked_psb(&walks[0], WALKED_AT);
		at = walks[0].size;
		WALKED_PUT(&walks[0], TNT1(1), TNT1(1), TNT1(0), PGD_BARE);
		add_walked(&feed, &walks[0], 0, 0, walks[0].size)->base = 10000;
		assert_int_equal(tl_pt_check_feed(&feed.feed, true, json, wanted, NULL), 1);
		at += 10000 + 2;
		if (json)
			snprintf(line, sizeof(line),
				 "{\"rule\":\"bad-return\",\"offset\":%u,\"ip\":\"0x1048\","
				 "\"text\":\"a return with the outcome of a branch not taken\"}\n",
				 (unsigned)at);
		else
			snprintf(line, sizeof(line),
				 "bad-return offset 0x%x at 0x1048: a return with the outcome of a "
				 "branch not taken\n",
				 (unsigned)at);
		tl_put_char(wanted, '\0');
		assert_string_equal(tl_output_bytes(wanted, &(size_t){ 0 }), line);
		tl_output_discard(wanted);
		close_walked(&feed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_and_blocks),
		cmocka_unit_test(some_threads),
		cmocka_unit_test(counts),
		cmocka_unit_test(branches),
		cmocka_unit_test(nothing_is_wrong),
		cmocka_unit_test(what_does_not_fit_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
