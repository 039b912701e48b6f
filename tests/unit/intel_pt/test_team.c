/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Segments between PSBs decode in parallel, stitched to the same output": also where memory for nodes is so scarce that
 * they are dropped again and again ("bounded memory and eviction"). What is right is what one thread gives that need not
 * drop any, over a trace whose instructions are counted (tests/golden/intel_pt/tiny.truth).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "intel_pt/team.h"

enum { TIMES = 400, TINY_INSNS = 2936, CODE_AT = 0x401000 };

struct fixture {
	uint8_t trace[1 << 20], code[4096];
	size_t size, code_size;
	struct tl_pt_image *image;
};

struct sums {
	uint64_t insns, blocks, events, digest;
	uint32_t epochs;
	bool teamed;
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
	if (!once || once * TIMES > sizeof(f->trace) || !f->code_size || !f->image)
		return 1;
	for (size_t i = 1; i < TIMES; i++)
		memcpy(f->trace + i * once, f->trace, once);
	f->size = once * TIMES;
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
		status = tl_pt_event_next(decoder, &event);
		mix(sums, event.offset);
		mix(sums, event.tsc);
		sums->events++;
	}
	return status;
}

static int take_run(struct tl_pt_decoder *decoder, struct sums *sums)
{
	uint32_t nodes[512];
	struct tl_pt_run run = { .nodes = nodes, .max = 512 };
	int status = tl_pt_nodes(decoder, &run);

	for (size_t i = 0; status >= 0 && i < run.count; i++) {
		const struct tl_pt_block *block = tl_pt_node_block(decoder, nodes[i]);

		assert_non_null(block);
		mix(sums, block->ip);
		mix(sums, block->end_ip);
		sums->insns += block->ninsn;
		sums->blocks++;
	}
	if (status < 0)
		return status;
	sums->epochs = run.epoch > sums->epochs ? run.epoch : sums->epochs;
	return run.status;
}

static struct sums decode(const struct fixture *f, unsigned jobs, uint32_t most)
{
	struct tl_pt_config config = { .size = sizeof(config), .begin = f->trace, .end = f->trace + f->size };
	struct tl_pt_decoder *decoder;
	struct sums sums = { 0 };
	int status;

	assert_int_equal(tl_pt_decoder_open(&decoder, &config, f->image), 0);
	decoder->graph.code->most = most;
	assert_int_equal(tl_pt_set_jobs(decoder, jobs), 0);
	status = tl_pt_sync_forward(decoder);
	sums.teamed = decoder->team != NULL;
	while ((status = take_events(decoder, &sums, status)) >= 0)
		if ((status = take_run(decoder, &sums)) < 0)
			break;
	assert_int_equal(status, -TL_PT_EOS);
	tl_pt_decoder_close(decoder);
	return sums;
}

static void assert_same(const struct sums *a, const struct sums *b)
{
	assert_int_equal(a->insns, b->insns);
	assert_int_equal(a->blocks, b->blocks);
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->digest, b->digest);
}

static void test_threads_give_what_one_gives(void **state)
{
	struct sums one = decode(*state, 1, 0);

	assert_int_equal(one.insns, (uint64_t)TIMES * TINY_INSNS);
	for (unsigned jobs = 2; jobs <= 5; jobs++) {
		struct sums sums = decode(*state, jobs, 0);

		assert_true(sums.teamed);
		assert_same(&sums, &one);
	}
}

static void test_nodes_are_dropped_between_pieces(void **state)
{
	/* Few, but enough for what is on the stack, and for what one block may add. */
	static const uint32_t most[] = { 224, 240, 256 };
	struct sums whole = decode(*state, 1, 0);

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		for (unsigned jobs = 1; jobs <= 4; jobs++) {
			struct sums sums = decode(*state, jobs, most[i]);

			assert_same(&sums, &whole);
			assert_true(sums.epochs > whole.epochs);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_give_what_one_gives),
		cmocka_unit_test(test_nodes_are_dropped_between_pieces),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
