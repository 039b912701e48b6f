/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the room makes of a trace whose execution is known (walked.h): instructions, blocks, counts
 * of instructions and branches, and executed blocks, of whole traces, from each PSB on, by several
 * threads, of several streams and of threads that take turns in one.
 */
#include "walked_threads.h"

#include "flow/source.h"
#include "intel_pt/blocks/decoder.h"
#include "intel_pt/coverage/coverage.h"
#include "intel_pt/executed/executed.h"

/* ---- decoded ---- */

static void open_decoder(struct tl_pt_decoder **decoder, struct walked_feed *feed,
			 const struct walked *w)
{
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = w->trace,
					     .end = w->trace + w->size };

	assert_int_equal(tl_pt_decoder_open(decoder, &config, feed->image), 0);
}

/* The next thing that is no event; the status then. */
static int pass_events(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

static void assert_insns(struct tl_pt_decoder *decoder, int status, const struct walked *w,
			 size_t first)
{
	size_t i = first;

	for (;; i++) {
		const struct walked_insn *wanted;
		struct tl_pt_insn insn;

		status = pass_events(decoder, status);
		if (status < 0)
			break;
		status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
		if (status < 0)
			break;
		assert_true(i < w->count);
		wanted = walked_insn(w->steps[i]);
		assert_int_equal(insn.ip, wanted->at);
		assert_int_equal(insn.size, wanted->size);
		assert_int_equal(insn.mode, TL_PT_MODE_64);
	}
	assert_int_equal(status, -TL_PT_EOS);
	assert_int_equal(i, w->count);
}

TEST(instructions_are_those_executed)
{
	static struct walked_feed feed;

	open_walked(&feed);
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 1; seed < 6; seed++) {
			struct walked *w = &walks[0];
			struct tl_pt_decoder *decoder;

			walk(w, seed, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			open_decoder(&decoder, &feed, w);
			assert_insns(decoder, tl_pt_decoder_sync_forward(decoder), w, 0);
			/* from each PSB on it is the rest */
			for (size_t psb = 0; psb < w->psb_count; psb += 1 + psb / 4)
				assert_insns(decoder,
					     tl_pt_decoder_sync_set(decoder, w->psbs[psb].offset),
					     w, w->psbs[psb].step);
			tl_pt_decoder_close(decoder);
		}
	close_walked(&feed);
}

/*
 * Packets between others that say nothing of flow change nothing of it, nor does it matter whether
 * packets are read before they are needed (`exact`, for the drop-in libipt).
 */
TEST(noise_changes_nothing)
{
	static struct walked_feed feed;

	open_walked(&feed);
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 1; seed < 9; seed++) {
			struct walked *w = &walks[0];
			struct tl_pt_decoder *decoder;

			walk_noisy(w, 400 + seed, shapes[shape].steps, shapes[shape].psbs,
				   shapes[shape].interrupts);
			open_decoder(&decoder, &feed, w);
			decoder->trace.exact = seed % 2;
			assert_insns(decoder, tl_pt_decoder_sync_forward(decoder), w, 0);
			for (size_t psb = 0; psb < w->psb_count; psb += 1 + psb / 4)
				assert_insns(decoder,
					     tl_pt_decoder_sync_set(decoder, w->psbs[psb].offset),
					     w, w->psbs[psb].step);
			tl_pt_decoder_close(decoder);
		}
	close_walked(&feed);
}

/* A block is the instructions from its first to its last one, along direct branches. */
static size_t pass_block(const struct walked *w, size_t at, const struct tl_pt_block *block)
{
	assert_int_equal(block->ip, w->steps[at]);
	assert_true(block->ninsn > 0 && at + block->ninsn <= w->count);
	at += block->ninsn;
	assert_int_equal(block->end_ip, w->steps[at - 1]);
	return at;
}

TEST(blocks_are_those_executed)
{
	static const uint32_t flags[] = { 0, TL_PT_END_ON_CALL, TL_PT_END_ON_JUMP,
					  TL_PT_END_ON_CALL | TL_PT_END_ON_JUMP };
	static struct walked_feed feed;

	open_walked(&feed);
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (size_t f = 0; f < COUNT(flags); f++) {
			struct walked *w = &walks[0];
			struct tl_pt_config config = { .size = sizeof(config) };
			struct tl_pt_decoder *decoder;
			size_t at = 0;
			int status;

			walk(w, 9 + (uint32_t)f, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			config.begin = w->trace;
			config.end = w->trace + w->size;
			config.flags = flags[f];
			assert_int_equal(tl_pt_decoder_open(&decoder, &config, feed.image), 0);
			status = tl_pt_decoder_sync_forward(decoder);
			for (;;) {
				struct tl_pt_block block;
				size_t first = at;

				status = pass_events(decoder, status);
				if (status < 0)
					break;
				status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));
				if (status < 0)
					break;
				at = pass_block(w, at, &block);
				for (; first + 1 < at; first++) {
					const uint8_t kind = walked_insn(w->steps[first])->kind;

					assert_false(kind == CALL && flags[f] & TL_PT_END_ON_CALL);
					assert_false(kind == JUMP && flags[f] & TL_PT_END_ON_JUMP);
					assert_true(kind == PLAIN || kind == CALL || kind == JUMP);
				}
			}
			assert_int_equal(status, -TL_PT_EOS);
			assert_int_equal(at, w->count);
			tl_pt_decoder_close(decoder);
		}
	close_walked(&feed);
}

/* ---- counted ---- */

static const uint8_t branches[] = { TL_BRANCH_NONE,   TL_BRANCH_CONDITIONAL,
				    TL_BRANCH_JUMP,   TL_BRANCH_INDIRECT_JUMP,
				    TL_BRANCH_CALL,   TL_BRANCH_INDIRECT_CALL,
				    TL_BRANCH_RETURN, TL_BRANCH_SYSTEM };

/*
 * Each step for itself. An interrupt is an edge from where it goes on; the instruction before it
 * has led there, if it is a branch.
 */
static void count_steps(struct tl_coverage *c, const struct walked *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct walked_insn *insn = walked_insn(w->steps[i]);
		const struct tl_coverage_insn one = { .address = insn->at,
						      .count = 1,
						      .place = TL_NONE,
						      .function = TL_NONE,
						      .size = insn->size,
						      .kind = branches[insn->kind] };
		struct tl_coverage_edge edge = { .from = insn->at,
						 .to = w->to[i],
						 .count = 1,
						 .kind = branches[insn->kind],
						 .falls = w->how[i] == STEP_FALLS };

		assert_true(tl_coverage_add_insn(c, &one));
		if (w->how[i] == STEP_TAKEN || w->how[i] == STEP_FALLS)
			assert_true(tl_coverage_add_edge(c, &edge));
		edge = (struct tl_coverage_edge){
			.from = w->to[i], .to = HANDLER_AT, .count = 1, .kind = TL_BRANCH_ASYNC
		};
		if (w->interrupt[i])
			assert_true(tl_coverage_add_edge(c, &edge));
	}
}

static void assert_coverage(struct tl_coverage *seen, struct tl_coverage *wanted)
{
	assert_true(tl_coverage_finish(seen));
	assert_true(tl_coverage_finish(wanted));
	assert_int_equal(seen->object_count, 1);
	assert_string_equal(seen->objects[0].path, "prog");
	for (size_t i = 0; i < seen->insn_count && i < wanted->insn_count; i++) {
		assert_int_equal(seen->insns[i].address, wanted->insns[i].address);
		assert_int_equal(seen->insns[i].count, wanted->insns[i].count);
		assert_int_equal(seen->insns[i].size, wanted->insns[i].size);
		assert_int_equal(seen->insns[i].kind, wanted->insns[i].kind);
	}
	assert_int_equal(seen->insn_count, wanted->insn_count);
	for (size_t i = 0; i < seen->edge_count && i < wanted->edge_count; i++) {
		assert_int_equal(seen->edges[i].from, wanted->edges[i].from);
		assert_int_equal(seen->edges[i].to, wanted->edges[i].to);
		assert_int_equal(seen->edges[i].count, wanted->edges[i].count);
		assert_int_equal(seen->edges[i].kind, wanted->edges[i].kind);
		assert_int_equal(seen->edges[i].falls, wanted->edges[i].falls);
	}
	assert_int_equal(seen->edge_count, wanted->edge_count);
	tl_coverage_free(seen);
	tl_coverage_free(wanted);
}

static const struct tl_pt_coverage_options counting = { .thread = TL_NOWHERE,
							.process = TL_NOWHERE,
							.cpu = TL_NOWHERE };

TEST(counts_are_those_of_steps)
{
	static struct walked_feed feed;

	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 20; seed < 26; seed++) {
			struct tl_coverage seen = { .objects = NULL }, wanted = { .objects = NULL };
			struct tl_pt_coverage_options options = counting;
			struct tl_pt_faults faults = { 0 };

			options.jobs = seed % 2 ? 3 : 0;
			open_walked(&feed);
			walk(&walks[0], seed, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			add_walked(&feed, &walks[0], 0, 0, walks[0].size);
			assert_int_equal(tl_pt_coverage(&feed.feed, &options, &faults, &seen, NULL),
					 0);
			assert_int_equal(faults.count, 0);
			tl_coverage_object(&wanted, "prog", NULL, 0, WALKED_AT);
			count_steps(&wanted, &walks[0]);
			assert_coverage(&seen, &wanted);
			tl_pt_faults_free(&faults);
			close_walked(&feed);
		}
}

/* ---- threads ---- */

TEST(counts_of_chosen_threads)
{
	static struct walked_feed feed;

	open_walked(&feed);
	add_threads(&feed, 50);
	for (uint64_t thread = 1; thread <= OWN + 2; thread++) {
		struct tl_coverage seen = { .objects = NULL }, wanted = { .objects = NULL };
		struct tl_pt_coverage_options options = counting;
		struct tl_pt_faults faults = { 0 };

		options.thread = thread;
		assert_int_equal(tl_pt_coverage(&feed.feed, &options, &faults, &seen, NULL), 0);
		tl_coverage_object(&wanted, "prog", NULL, 0, WALKED_AT);
		count_steps(&wanted, steps_of_thread(thread));
		assert_coverage(&seen, &wanted);
		tl_pt_faults_free(&faults);
	}
	close_walked(&feed);
}

/* ---- executed ---- */

static const struct tl_pt_executed_options any_thread = { .thread = TL_NOWHERE,
							  .process = TL_NOWHERE,
							  .cpu = TL_NOWHERE };

/* Go on at `at` with a block's instructions; a gap has none. */
static size_t pass_executed(const struct walked *w, size_t at, const struct tl_flow_block *block)
{
	for (uint32_t i = 0; i < block->count; i++, at++) {
		assert_true(at < w->count);
		assert_int_equal(block->address + block->starts[i], w->steps[at]);
	}
	return at;
}

static size_t assert_executed(struct tl_flow_source *source, const struct walked *w, size_t *gaps)
{
	struct tl_flow_list list = { .numbers = NULL };
	size_t at = 0;
	int status;

	*gaps = 0;
	do {
		list.count = list.mark_count = 0;
		status = source->next(source->arg, &list, NULL);
		assert_true(status >= 0);
		for (size_t i = 0; i < list.count; i++) {
			const struct tl_flow_block *block = &source->blocks->list[list.numbers[i]];

			*gaps += !block->count;
			at = pass_executed(w, at, block);
			if (!block->count)
				continue;
			assert_string_equal(block->place.object, "prog");
			assert_int_equal(block->place.offset, block->address - WALKED_AT);
			assert_string_equal(block->place.function,
					    walked_functions[walked_function(block->address)].name);
			assert_int_equal(
				block->place.into,
				block->address -
					walked_functions[walked_function(block->address)].entry);
		}
		for (size_t i = 0; i < list.mark_count; i++)
			assert_true(list.marks[i].at <= list.count);
	} while (status == 1);
	tl_flow_list_free(&list);
	return at;
}

/* "The thread of a number, from 0 in the order in which they run first." */
TEST(executed_blocks_of_each_thread)
{
	static struct walked_feed feed;

	for (unsigned psbs = 0; psbs < 60; psbs += 45) {
		open_walked(&feed);
		add_threads(&feed, psbs);
		/* the last one begins before the others do */
		for (size_t number = 0;; number++) {
			struct tl_pt_executed_options options = any_thread;
			struct tl_pt_faults faults = { 0 };
			struct tl_flow_source source;
			size_t gaps;
			int status;

			options.jobs = number % 2 ? 2 : 0;
			status = tl_pt_executed(&feed.feed, &options, &faults, number, 5, &source,
						NULL);
			if (status == 0) {
				assert_int_equal(number, OWN + 2);
				tl_pt_faults_free(&faults);
				break;
			}
			assert_int_equal(status, 1);
			assert_int_equal(source.process, 1);
			assert_int_equal(source.thread, number + 1);
			assert_int_equal(
				assert_executed(&source, steps_of_thread(number + 1), &gaps),
				steps_of_thread(number + 1)->count);
			assert_int_equal(gaps, 0);
			assert_int_equal(source.close(source.arg), 0);
			assert_int_equal(faults.count, 0);
			tl_pt_faults_free(&faults);
		}
		close_walked(&feed);
	}
}

/* A thread of another process is another thread; processor, process and thread choose. */
TEST(executed_threads_are_chosen)
{
	static struct walked_feed feed;
	static const struct {
		uint64_t process, thread, cpu;
		uint64_t found[4]; /* walks, from 1 */
	} cases[] = {
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, { 1, 2, 3 } },
		{ 1, TL_NOWHERE, TL_NOWHERE, { 1, 3 } },
		{ 2, TL_NOWHERE, TL_NOWHERE, { 2 } },
		{ TL_NOWHERE, 9, TL_NOWHERE, { 1, 2 } },
		{ 2, 9, TL_NOWHERE, { 2 } },
		{ TL_NOWHERE, TL_NOWHERE, 6, { 3 } },
		{ 2, 8, TL_NOWHERE, { 0 } },
	};

	open_walked(&feed);
	for (uint32_t i = 0; i < 4; i++) {
		struct tl_pt_trace_slice *slice;

		walk(&walks[i], 90 + i, 100 + 10 * i, 0, 0);
		slice = add_walked(&feed, &walks[i], i, 0, walks[i].size);
		slice->process = i == 1 ? 2 : 1;
		slice->thread = i == 2 ? 8 : 9;
		slice->cpu = i == 2 ? 6 : 5;
		/* "of a program that nothing describes" */
		slice->foreign = i == 3;
	}
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t number = 0; number < 4; number++) {
			const uint64_t found = number < 4 ? cases[i].found[number] : 0;
			const struct tl_pt_executed_options options = { .process = cases[i].process,
									.thread = cases[i].thread,
									.cpu = cases[i].cpu };
			struct tl_pt_faults faults = { 0 };
			struct tl_flow_source source;
			size_t gaps;

			assert_int_equal(tl_pt_executed(&feed.feed, &options, &faults, number, 5,
							&source, NULL),
					 found != 0);
			if (!found)
				break;
			assert_int_equal(assert_executed(&source, &walks[found - 1], &gaps),
					 walks[found - 1].count);
			assert_int_equal(source.close(source.arg), 0);
		}
	close_walked(&feed);
}

/* Where trace is missing, and where the processor lost packets, is a gap. */
TEST(executed_blocks_have_gaps)
{
	static struct walked_feed feed;
	struct tl_pt_executed_options options = any_thread;
	struct tl_pt_faults faults = { 0 };
	struct tl_flow_source source;
	struct walked *w = &walks[0];
	size_t gaps;

	open_walked(&feed);
	memset(w, 0, sizeof(*w));
	w->seed = 4;
	walked_psb(w, WALKED_AT);
	walk_on(w, WALKED_AT, 100, 0, 0);
	/* lost packets; then a new place */
	WALKED_PUT(w, PGE(WALKED_AT), OVF, FUP(WALKED_AT));
	w->depth = w->known = 0;
	walk_on(w, WALKED_AT, 100, 0, 0);
	add_walked(&feed, w, 0, 0, w->size);
	add_walked(&feed, w, 1, 0, w->size)->thread = 1;
	feed.slices[1].gap = true;
	assert_int_equal(tl_pt_executed(&feed.feed, &options, &faults, 0, 5, &source, NULL), 1);
	/* twice the same */
	walks[1] = *w;
	memcpy(walks[1].steps + w->count, w->steps, w->count * sizeof(*w->steps));
	walks[1].count *= 2;
	assert_int_equal(assert_executed(&source, &walks[1], &gaps), walks[1].count);
	assert_int_equal(gaps, 3);
	assert_int_equal(source.close(source.arg), 0);
	tl_pt_faults_free(&faults);
	close_walked(&feed);
}

/* Bytes that are no packets are a gap and a fault; with `strict` they end it. */
TEST(executed_blocks_of_a_damaged_trace)
{
	static struct walked_feed feed;

	for (int strict = 0; strict < 2; strict++) {
		struct tl_pt_executed_options options = any_thread;
		struct tl_pt_faults faults = { 0 };
		struct tl_flow_source source;
		struct tl_flow_list list = { .numbers = NULL };
		struct tl_error err = { 0 };
		struct walked *w = &walks[0];
		size_t at = 0, gaps = 0, restart, damage;
		int status;

		open_walked(&feed);
		walk(w, 8, 1000, 100, 0);
		assert_true(w->psb_count > 4);
		damage = w->psbs[2].offset;
		memmove(w->trace + damage + 1, w->trace + damage, w->size++ - damage);
		w->trace[damage] = 0x05;
		restart = w->psbs[2].step;
		add_walked(&feed, w, 0, 0, w->size)->base = 10000;
		options.strict = strict;
		assert_int_equal(tl_pt_executed(&feed.feed, &options, &faults, 0, 5, &source, NULL),
				 1);
		while ((status = source.next(source.arg, &list, &err)) == 1)
			;
		for (size_t i = 0; i < list.count; i++) {
			const struct tl_flow_block *block = &source.blocks->list[list.numbers[i]];

			if (!block->count) {
				gaps++;
				assert_true(at <= restart);
				at = restart;
			}
			at = pass_executed(w, at, block);
		}
		if (strict) {
			assert_true(status < 0);
			assert_int_equal(err.offset, 10000 + damage);
		} else {
			assert_int_equal(status, 0);
			assert_int_equal(at, w->count);
		}
		assert_int_equal(gaps, 1);
		assert_int_equal(source.close(source.arg), 0);
		assert_int_equal(faults.count, !strict);
		tl_pt_faults_free(&faults);
		tl_flow_list_free(&list);
		close_walked(&feed);
	}
}

/* Each function's code in a mapping of its own, all but one member of which are those of main's. */
static const struct tl_pt_mapping mappings[FUNCTIONS_WALKED] = {
	{ .start = 0x1000, .end = 0x1040, .object = "prog", .file = "p" },
	{ .start = 0x1040, .end = 0x1060, .object = "prog", .file = "p", .offset = 0x40 },
	{ .start = 0x1060, .end = 0x1080, .object = "prog", .file = "p", .bias = 0x100 },
	{ .start = 0x1080, .end = 0x10a0, .object = "lib", .file = "p" },
	{ .start = 0x10a0, .end = 0x1100, .object = "prog" },
};

static bool own_mapping(void *arg, uint64_t ip, struct tl_pt_mapping *mapping)
{
	(void)arg;
	*mapping = mappings[walked_function(ip)];
	return true;
}

/*
 * Names are looked for later, in the mapping that the block was in: blocks of one mapping have one
 * origin. Where there is no file there is no name, and none is looked for.
 */
TEST(executed_blocks_know_their_mapping)
{
	static struct walked_feed feed;
	struct tl_pt_executed_options options = any_thread;
	struct tl_pt_faults faults = { 0 };
	struct tl_flow_source source;
	struct tl_flow_list list = { .numbers = NULL };
	uint32_t origins[FUNCTIONS_WALKED];

	open_walked(&feed);
	feed.feed.mapping = own_mapping;
	walk(&walks[0], 3, 3000, 0, 40);
	add_walked(&feed, &walks[0], 0, 0, walks[0].size);
	assert_int_equal(tl_pt_executed(&feed.feed, &options, &faults, 0, 5, &source, NULL), 1);
	while (source.next(source.arg, &list, NULL) == 1)
		;
	memset(origins, 0xff, sizeof(origins));
	for (size_t i = 0; i < source.blocks->count; i++) {
		struct tl_flow_block *block = &source.blocks->list[i];
		const unsigned function = walked_function(block->address);
		const struct tl_pt_mapping *mapping = &mappings[function];

		assert_string_equal(block->place.object, mapping->object);
		assert_int_equal(block->place.offset,
				 block->address - mapping->start + mapping->offset);
		if (!mapping->file) {
			assert_string_equal(block->place.function, "");
			continue;
		}
		assert_null(block->place.function);
		if (origins[function] == TL_NONE)
			origins[function] = block->place.origin;
		assert_int_equal(block->place.origin, origins[function]);
		for (unsigned other = 0; other < function; other++)
			assert_int_not_equal(origins[other], origins[function]);
		assert_true(source.name(source.arg, block->address, &block->place));
		assert_non_null(block->place.function);
	}
	tl_flow_list_free(&list);
	assert_int_equal(source.close(source.arg), 0);
	tl_pt_faults_free(&faults);
	close_walked(&feed);
}

/* An edge leads from one object to another; where a file is, its bias is taken off. */
TEST(counts_of_several_objects)
{
	static struct walked_feed feed;
	struct tl_coverage seen = { .objects = NULL };
	struct tl_pt_faults faults = { 0 };
	uint64_t edges = 0;

	open_walked(&feed);
	feed.feed.mapping = own_mapping;
	walk(&walks[0], 5, 3000, 0, 0);
	add_walked(&feed, &walks[0], 0, 0, walks[0].size);
	assert_int_equal(tl_pt_coverage(&feed.feed, &counting, &faults, &seen, NULL), 0);
	assert_true(tl_coverage_finish(&seen));
	for (size_t i = 0; i < seen.edge_count; i++) {
		const struct tl_coverage_edge *edge = &seen.edges[i];
		const struct tl_coverage_object *from = &seen.objects[edge->from_object],
						*to = &seen.objects[edge->to_object];
		const uint64_t from_ip = edge->from + from->bias, to_ip = edge->to + to->bias;

		assert_string_equal(from->path, mappings[walked_function(from_ip)].object);
		assert_string_equal(to->path, mappings[walked_function(to_ip)].object);
		edges += edge->count;
	}
	for (size_t i = 0; i < walks[0].count; i++)
		edges -= walks[0].how[i] == STEP_TAKEN || walks[0].how[i] == STEP_FALLS;
	assert_int_equal(edges, 0);
	tl_coverage_free(&seen);
	tl_pt_faults_free(&faults);
	close_walked(&feed);
}

/* Damage is told, with its place in the file; with `strict` it is the end. */
TEST(counts_of_a_damaged_trace)
{
	static struct walked_feed feed;

	for (int strict = 0; strict < 2; strict++) {
		struct tl_coverage seen = { .objects = NULL };
		struct tl_pt_coverage_options options = counting;
		struct tl_pt_faults faults = { 0 };
		struct tl_error err = { 0 };
		uint64_t executed = 0;
		size_t damage;

		open_walked(&feed);
		walk(&walks[0], 8, 1000, 100, 0);
		damage = walks[0].psbs[2].offset;
		memmove(walks[0].trace + damage + 1, walks[0].trace + damage,
			walks[0].size++ - damage);
		walks[0].trace[damage] = 0x05;
		add_walked(&feed, &walks[0], 0, 0, walks[0].size)->base = 500;
		options.strict = strict;
		assert_int_equal(tl_pt_coverage(&feed.feed, &options, &faults, &seen, &err) < 0,
				 strict);
		assert_int_equal(faults.count, !strict);
		if (strict)
			assert_int_equal(err.offset, 500 + damage);
		else
			assert_int_equal(faults.list[0].from, 500 + damage);
		for (size_t i = 0; i < seen.insn_count; i++)
			executed += seen.insns[i].count;
		/* what runs between the last packet and the damage is not known */
		assert_true(executed <= walks[0].count);
		assert_true(strict ? executed <= walks[0].psbs[2].step
				   : executed + 30 > walks[0].count);
		tl_coverage_free(&seen);
		tl_pt_faults_free(&faults);
		close_walked(&feed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_those_executed),
		cmocka_unit_test(noise_changes_nothing),
		cmocka_unit_test(blocks_are_those_executed),
		cmocka_unit_test(counts_are_those_of_steps),
		cmocka_unit_test(counts_of_chosen_threads),
		cmocka_unit_test(executed_blocks_of_each_thread),
		cmocka_unit_test(executed_threads_are_chosen),
		cmocka_unit_test(executed_blocks_have_gaps),
		cmocka_unit_test(executed_blocks_of_a_damaged_trace),
		cmocka_unit_test(executed_blocks_know_their_mapping),
		cmocka_unit_test(counts_of_several_objects),
		cmocka_unit_test(counts_of_a_damaged_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
