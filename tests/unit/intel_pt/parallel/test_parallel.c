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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_give_what_one_gives),
		cmocka_unit_test(test_nodes_are_dropped_between_segments),
		cmocka_unit_test(test_damage_is_the_same_for_all),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
