/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Segments between PSBs decode in parallel, stitched to the same output": also where memory for
 * nodes is so scarce that they are dropped again and again ("bounded memory and eviction"). What is
 * right is what one thread gives that need not drop any, over a trace whose instructions are
 * counted (tests/golden/intel_pt/tiny.truth).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit.h"

#include "core/memory.h"
#include "intel_pt/parallel/parallel.h"

/*
 * Copies of the trace: enough to decode in parallel (TL_PT_PARALLEL_LEAST), and so many that the
 * ring of segments of two threads is used again from its beginning.
 */
enum { SHORT = 170, LONG = 400, TINY_INSNS = 2936, CODE_AT = 0x401000 };

struct fixture {
	uint8_t trace[1 << 20], code[4096];
	size_t once, size, code_size;
	struct tl_pt_image *image;
};

struct sums {
	uint64_t insns, blocks, events, errors, digest;
	uint64_t before_end; /* instructions before the end of the stream was told */
	uint32_t epochs;
	/* Numbers met in the present epoch. */
	uint32_t epoch, met;
	bool seen[1 << 12];
	bool parallel;
};

static size_t load(const char *name, uint8_t *data, size_t room)
{
	const char *root = getenv("TL_SOURCE_ROOT");
	char path[600];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/golden/intel_pt/%s", root ? root : ".", name);
	file = fopen(path, "rb");
	if (file) {
		size = fread(data, 1, room, file);
		fclose(file);
	}
	return size;
}

/* One trace behind another: each begins with its own PSB. */
static int set_up(void **state)
{
	static struct fixture fixture;
	struct fixture *f = &fixture;
	size_t once = load("timed.pt", f->trace, sizeof(f->trace));

	f->code_size = load("tiny.img", f->code, sizeof(f->code));
	f->image = tl_pt_image_open(NULL);
	if (!once || once * LONG > sizeof(f->trace) || !f->code_size || !f->image)
		return 1;
	for (size_t i = 1; i < LONG; i++)
		memcpy(f->trace + i * once, f->trace, once);
	f->size = once * LONG;
	f->once = once;
	*state = f;
	return tl_pt_image_add_memory(f->image, f->code, f->code_size, NULL, CODE_AT, 0);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tl_pt_image_close(f->image);
	return 0;
}

static void mix(struct sums *sums, uint64_t number)
{
	sums->digest = (sums->digest ^ number) * UINT64_C(0x100000001b3);
}

static int take_events(struct tl_pt_decoder *decoder, struct sums *sums, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING) {
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		mix(sums, event.offset);
		mix(sums, event.tsc);
		mix(sums, event.cycles);
		sums->events++;
	}
	return status;
}

/* "how many of the numbers are blocks so far": never fewer than were given. */
static void meet(struct sums *sums, const struct tl_pt_node_batch *batch)
{
	if (sums->epoch != batch->epoch) {
		sums->epoch = batch->epoch;
		sums->met = 0;
		memset(sums->seen, 0, sizeof(sums->seen));
	}
	for (size_t i = 0; i < batch->count; i++) {
		assert_true(batch->nodes[i] < batch->limit && batch->nodes[i] < sizeof(sums->seen));
		sums->met += !sums->seen[batch->nodes[i]];
		sums->seen[batch->nodes[i]] = true;
	}
	assert_true(sums->met <= batch->blocks && batch->blocks < batch->limit);
}

static int take_batch(struct tl_pt_decoder *decoder, struct sums *sums)
{
	uint32_t nodes[512];
	struct tl_pt_node_batch batch = { .nodes = nodes, .max = 512 };
	int status = tl_pt_decoder_nodes(decoder, &batch, sizeof(batch));

	for (size_t i = 0; status >= 0 && i < batch.count; i++) {
		const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, nodes[i]);

		assert_non_null(block);
		mix(sums, block->ip);
		mix(sums, block->end_ip);
		sums->insns += block->ninsn;
		sums->blocks++;
	}
	if (status < 0)
		return status;
	meet(sums, &batch);
	sums->epochs = batch.epoch > sums->epochs ? batch.epoch : sums->epochs;
	return batch.status;
}

/* Where to go on after an error: as near as the trace allows, else at the next PSB. */
static int go_on(struct tl_pt_decoder *decoder, struct sums *sums, int error)
{
	uint64_t offset = 0;
	int status;

	tl_pt_decoder_offset(decoder, &offset);
	mix(sums, (uint64_t)-error);
	mix(sums, offset);
	sums->errors++;
	status = tl_pt_decoder_resync(decoder, NULL, 0);
	return status < 0 && status != -TL_PT_EOS ? tl_pt_decoder_sync_forward(decoder) : status;
}

static void decode_all(struct tl_pt_decoder *decoder, struct sums *sums)
{
	int status = tl_pt_decoder_sync_forward(decoder);

	while (status != -TL_PT_EOS) {
		status = take_events(decoder, sums, status);
		if (status >= 0)
			status = take_batch(decoder, sums);
		if (status >= 0 && status & TL_PT_END_OF_STREAM && !sums->before_end)
			sums->before_end = sums->insns;
		if (status < 0 && status != -TL_PT_EOS)
			status = go_on(decoder, sums, status);
	}
}

static struct sums decode(const struct fixture *f, unsigned jobs, uint32_t most, uint32_t flags)
{
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = f->trace,
				       .end = f->trace + f->size,
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32,
				       .flags = flags };
	struct tl_pt_decoder *decoder;
	struct sums sums = { 0 };

	assert_int_equal(tl_pt_decoder_open(&decoder, &config, f->image), 0);
	decoder->graph.code->most = most;
	assert_int_equal(tl_pt_decoder_set_jobs(decoder, jobs), 0);
	decode_all(decoder, &sums);
	/* Behind a segment that does not follow the one before, one thread goes on alone. */
	sums.parallel = decoder->parallel.threads != NULL;
	tl_pt_decoder_close(decoder);
	return sums;
}

static void assert_same(const struct sums *a, const struct sums *b)
{
	assert_int_equal(a->insns, b->insns);
	assert_int_equal(a->blocks, b->blocks);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->errors, b->errors);
	assert_int_equal(a->before_end, b->before_end);
	assert_int_equal(a->digest, b->digest);
}

/* The trace has CYC packets: the time of one of them depends on all packets before. */
static void test_threads_give_what_one_gives(void **state)
{
	struct sums one = decode(*state, 1, 0, 0);

	assert_int_equal(one.insns, (uint64_t)LONG * TINY_INSNS);
	for (unsigned jobs = 2; jobs <= 5; jobs++) {
		struct sums sums = decode(*state, jobs, 0, 0);

		assert_true(sums.parallel);
		assert_same(&sums, &one);
	}
}

/* The same fixture with fewer copies of the trace. */
static const struct fixture *shorter(const struct fixture *whole)
{
	static struct fixture fixture;

	fixture = *whole;
	fixture.size = fixture.once * SHORT;
	return &fixture;
}

static void test_nodes_are_dropped_between_segments(void **state)
{
	const struct fixture *f = shorter(*state);
	/* Few, but enough for the return stack, and for the nodes that one block may add. */
	static const uint32_t most[] = { 224, 240, 256 };
	struct sums whole = decode(f, 1, 0, 0);

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		for (unsigned jobs = 1; jobs <= 4; jobs++) {
			struct sums sums = decode(f, jobs, most[i], 0);

			assert_same(&sums, &whole);
			assert_true(sums.epochs > whole.epochs);
		}
}

/* Bytes changed, left out, put in, an OVF, and the end anywhere. */
static void damage(struct fixture *f, const struct fixture *whole, uint32_t number)
{
	uint32_t random = number * 2654435761u + 1;

	*f = *whole;
	for (uint32_t n = number % 4; n; n--) {
		size_t at = (random = random * 1664525 + 1013904223) % (f->size - 64);

		switch ((random = random * 1664525 + 1013904223) >> 29) {
		case 0:
		case 1:
		case 2:
			f->trace[at] ^= (uint8_t)(1 << (random >> 16 & 7));
			break;
		case 3:
		case 4:
			f->size -= 50;
			memmove(f->trace + at, f->trace + at + 50, f->size - at);
			break;
		case 5:
			memset(f->trace + at, (int)(random >> 8), 20);
			break;
		default:
			memcpy(f->trace + at, "\x02\xf3", 2);
			break;
		}
	}
	f->size -= random % 2000;
}

static void test_damage_is_the_same_for_all(void **state)
{
	static struct fixture f;
	uint64_t errors = 0;

	for (uint32_t i = 0; i < 32; i++) {
		uint32_t flags = i / 4 % 2 ? TL_PT_SALVAGE : 0;
		struct sums one, sums;

		damage(&f, shorter(*state), i);
		one = decode(&f, 1, 0, flags);
		errors += one.errors;
		sums = decode(&f, 2 + i % 2, 0, flags);
		assert_same(&sums, &one);
	}
	assert_true(errors > 5);
}

/* ---- quiet nodes that are passed over ---- */

/* All blocks as one thread gives them, with the instructions before each. */
struct run {
	struct {
		uint64_t ip, insns;
	} *list;
	size_t count, capacity;
	uint64_t insns, events;
};

static void run_add(struct run *run, const struct tl_pt_block *block)
{
	assert_true(tl_grow(&run->list, &run->capacity, run->count + 1, sizeof(*run->list)));
	run->list[run->count].ip = block->ip;
	run->list[run->count++].insns = run->insns;
	run->insns += block->ninsn;
}

/* What is met by a decoder that passes over nodes. */
struct meeting {
	struct tl_pt_decoder *decoder;
	const struct run *run;
	size_t at;      /* the block of the run that comes next */
	uint64_t given; /* blocks that were given */
	uint32_t insns; /* counted so far, of quiet nodes */
};

/* Which nodes and edges are quiet is drawn by their addresses. */
static bool is_quiet(uint64_t ip)
{
	return tl_hash64(ip) % 8;
}

static bool is_quiet_edge(uint64_t from, uint64_t to)
{
	return tl_hash_pair(from, to) % 5;
}

static void say(const struct meeting *m, uint32_t node, uint64_t ip)
{
	uint64_t to[2];
	const int edges = tl_pt_node_edges(m->decoder, node, to);
	unsigned quiet = 0;

	for (int i = 0; i < edges; i++)
		quiet |= (unsigned)is_quiet_edge(ip, to[i]) << i;
	if (edges >= 0 && is_quiet(ip))
		tl_pt_set_quiet(m->decoder, node, quiet);
}

/* Instructions of quiet nodes were counted: those of the blocks up to the one that is next. */
static void pass_to(struct meeting *m, uint32_t insns)
{
	const uint64_t to = m->run->list[m->at].insns + (uint32_t)(insns - m->insns);

	for (m->insns = insns; m->at < m->run->count && m->run->list[m->at].insns < to; m->at++) {
		assert_true(m->at > 0 && is_quiet(m->run->list[m->at].ip));
		assert_true(is_quiet_edge(m->run->list[m->at - 1].ip, m->run->list[m->at].ip));
	}
}

static void compare_before(const struct meeting *m, uint32_t number)
{
	if (number && m->at)
		assert_int_equal(tl_pt_decoder_node_block(m->decoder, number)->ip,
				 m->run->list[m->at - 1].ip);
}

static void meet_loud(struct meeting *m, uint32_t node, uint32_t insns, uint32_t before)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(m->decoder, node);

	assert_true(m->at < m->run->count);
	pass_to(m, insns);
	assert_true(m->at < m->run->count);
	assert_int_equal(block->ip, m->run->list[m->at].ip);
	compare_before(m, tl_pt_node_before(before));
	if (before & TL_PT_COUNTED)
		m->insns += block->ninsn;
	say(m, node, block->ip);
	m->at++;
	m->given++;
}

static int take_loud_batch(struct meeting *m, struct tl_pt_passed_nodes *behind)
{
	uint32_t nodes[512], insns[512], before[512];
	const struct tl_pt_loud_nodes loud = { insns, before };
	struct tl_pt_node_batch batch = { .nodes = nodes, .max = 512 };
	const int status = tl_pt_next_loud_nodes(m->decoder, &batch, &loud, behind);

	if (status < 0)
		return status;
	for (size_t i = 0; i < batch.count; i++)
		meet_loud(m, nodes[i], insns[i], before[i]);
	if (m->at < m->run->count)
		pass_to(m, behind->insns);
	compare_before(m, behind->last);
	return batch.status;
}

static void start_decoder(struct tl_pt_decoder **decoder, const struct fixture *f, unsigned jobs,
			  uint32_t most)
{
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = f->trace,
					     .end = f->trace + f->size,
					     .flags = TL_PT_SALVAGE };

	assert_int_equal(tl_pt_decoder_open(decoder, &config, f->image), 0);
	(*decoder)->graph.code->most = most;
	assert_int_equal(tl_pt_decoder_set_jobs(*decoder, jobs), 0);
}

static uint64_t drop_events(struct tl_pt_decoder *decoder, int *status)
{
	struct tl_pt_event event;
	uint64_t count = 0;

	for (; *status >= 0 && *status & TL_PT_EVENT_PENDING; count++)
		*status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return count;
}

static void run_all(struct run *run, const struct fixture *f)
{
	struct tl_pt_decoder *decoder;
	struct tl_pt_block block;
	int status;

	*run = (struct run){ .count = 0 };
	start_decoder(&decoder, f, 1, 0);
	status = tl_pt_decoder_sync_forward(decoder);
	while (status >= 0) {
		run->events += drop_events(decoder, &status);
		if (status >= 0)
			status = tl_pt_next_block(decoder, &block);
		if (status >= 0)
			run_add(run, &block);
	}
	assert_int_equal(status, -TL_PT_EOS);
	tl_pt_decoder_close(decoder);
}

/* How many blocks were given. */
static uint64_t compare_loud(const struct run *run, const struct fixture *f, unsigned jobs,
			     uint32_t most)
{
	struct tl_pt_passed_nodes behind = { .nodes = 0 };
	struct meeting m = { .run = run };
	uint64_t events = 0;
	int status;

	start_decoder(&m.decoder, f, jobs, most);
	assert_true(tl_pt_pass_quiet(m.decoder));
	status = tl_pt_decoder_sync_forward(m.decoder);
	while (status >= 0) {
		events += drop_events(m.decoder, &status);
		if (status >= 0)
			status = take_loud_batch(&m, &behind);
	}
	assert_int_equal(status, -TL_PT_EOS);
	assert_int_equal(m.at, run->count);
	assert_int_equal(behind.nodes, run->count - m.given);
	assert_int_equal(events, run->events);
	tl_pt_decoder_close(m.decoder);
	return m.given;
}

/* All blocks, or all but the quiet ones, of damaged traces: with threads, and few nodes. */
static void test_quiet_nodes_are_passed_over(void **state)
{
	static struct fixture f;
	uint64_t given = 0, blocks = 0;

	for (uint32_t i = 0; i < 24; i++) {
		struct run run;

		damage(&f, shorter(*state), i);
		run_all(&run, &f);
		for (unsigned jobs = 1; jobs <= 3; jobs++) {
			given += compare_loud(&run, &f, jobs, i % 2 ? 256 : 0);
			blocks += run.count;
		}
		free(run.list);
	}
	/* Behind damage one thread goes on alone, and gives all. */
	assert_true(given < blocks - blocks / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_give_what_one_gives),
		cmocka_unit_test(test_nodes_are_dropped_between_segments),
		cmocka_unit_test(test_damage_is_the_same_for_all),
		cmocka_unit_test(test_quiet_nodes_are_passed_over),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
