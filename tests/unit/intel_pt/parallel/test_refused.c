/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding with several threads where memory runs out, or a thread cannot be made: the same blocks
 * and events as with memory, decoded by one thread if need be, or TL_PT_NOMEM; nothing is kept.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../refuse.h"

#include "intel_pt/parallel/parallel.h"

enum { LEAST = TL_PT_PARALLEL_LEAST + 3 * TL_PT_SEGMENT_BYTES, CODE_AT = 0x401000 };

static uint8_t trace[LEAST + 4096], code[4096];
static size_t trace_size, code_size;

static size_t load(const char *name, uint8_t *data, size_t room)
{
	char path[600];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/golden/intel_pt/%s", getenv("TL_SOURCE_ROOT"), name);
	file = fopen(path, "rb");
	assert_non_null(file);
	size = fread(data, 1, room, file);
	fclose(file);
	return size;
}

/* One recording behind another, as often as makes threads worth their while. */
static int load_trace(void **state __attribute__((unused)))
{
	size_t once = load("timed.pt", trace, sizeof(trace));

	for (trace_size = once; trace_size < LEAST; trace_size += once)
		memcpy(trace + trace_size, trace, once);
	code_size = load("tiny.img", code, sizeof(code));
	return !once || !code_size;
}

static int take_events(struct tl_pt_decoder *decoder, uint64_t *digest, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING) {
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		refuse_note_number(digest, (int64_t)event.offset);
		refuse_note_number(digest, (int64_t)event.tsc);
	}
	return status;
}

static int decode(struct tl_pt_decoder *decoder, uint64_t *digest)
{
	int status = tl_pt_decoder_sync_forward(decoder);
	struct tl_pt_block blocks[64];

	while (status >= 0) {
		int64_t count;

		status = take_events(decoder, digest, status);
		if (status < 0 || status & TL_PT_END_OF_STREAM)
			break;
		count = tl_pt_decoder_blocks(decoder, blocks, sizeof(blocks[0]), 64, &status);
		for (int64_t i = 0; i < count; i++)
			refuse_note_number(digest, (int64_t)(blocks[i].ip + blocks[i].ninsn));
		if (count < 0)
			status = (int)count;
	}
	return status;
}

static int decode_step(const void *jobs, uint64_t *digest)
{
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = trace,
					     .end = trace + trace_size,
					     .flags = TL_PT_SALVAGE };
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	struct tl_pt_decoder *decoder = NULL;
	int status = -TL_PT_NOMEM;

	if (image)
		status = tl_pt_image_add_memory(image, code, code_size, NULL, CODE_AT, 0);
	if (!status)
		status = tl_pt_decoder_open(&decoder, &config, image);
	if (!status)
		status = tl_pt_decoder_set_jobs(decoder, *(const unsigned *)jobs);
	if (!status)
		status = decode(decoder, digest);
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
	if (status == -TL_PT_NOMEM)
		return TL_NO_MEMORY;
	return status == -TL_PT_EOS || status >= 0 ? 0 : status;
}

/* Each of the first allocations, with which threads are made; then ever fewer of the others. */
TEST(threads_without_memory)
{
	const unsigned jobs = 3, alone = 1;
	struct refuse_run right = refuse_run(decode_step, &alone, 0, false);
	struct refuse_run together = refuse_run(decode_step, &jobs, 0, false);

	assert_int_equal(right.status, 0);
	assert_int_equal(together.status, 0);
	assert_int_equal(together.digest, right.digest);
	/* Threads have decoders of their own. */
	assert_true(together.asked > right.asked + 20);
	for (uint64_t n = 1; n <= together.asked; n += 1 + n / 6) {
		struct refuse_run run = refuse_run(decode_step, &jobs, n, false);

		assert_int_equal(run.leaked, 0);
		if (run.status)
			assert_int_equal(run.status, TL_NO_MEMORY);
		else
			assert_int_equal(run.digest, right.digest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(threads_without_memory) };

	return cmocka_run_group_tests_name("intel_pt refused", tests, load_trace, NULL);
}
