/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own interface over the same input.
 *   pt_blocks FORM SETUP TRACE MAP IMAGE
 * FORM: batch (tl_pt_decoder_blocks, 256 at a time), one (tl_pt_decoder_block_next), nodes (numbers
 * of blocks), insns; batch2, nodes2: with two threads. SETUP: cached, limited, files, callback, as
 * in pt_libipt.c.
 */
#include <tracelathe/intel_pt.h>

#include "pt_input.h"

static int read_memory(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
		       void *arg)
{
	(void)asid;
	return pt_input_read(arg, buffer, size, ip);
}

static void add_sections(struct tl_pt_image *image, struct tl_pt_cache *cache,
			 struct pt_input *input, const char *setup)
{
	if (!strcmp(setup, "callback")) {
		input->image = pt_slurp(input->image_path, &input->image_size);
		tl_pt_image_set_callback(image, read_memory, input);
		return;
	}
	if (!strcmp(setup, "limited"))
		tl_pt_cache_set_limit(cache, 16 << 20);
	for (size_t i = 0; i < input->count; i++) {
		const struct pt_section *at = &input->sections[i];
		int isid;

		if (!strcmp(setup, "files")) {
			tl_pt_image_add_file(image, input->image_path, at->offset, at->size, NULL,
					     at->vaddr);
			continue;
		}
		isid = tl_pt_cache_add_file(cache, input->image_path, at->offset, at->size,
					    at->vaddr);
		tl_pt_image_add_cached(image, cache, isid, NULL);
	}
}

struct sums {
	uint64_t insns, blocks, events, errors;
};

static int drain(struct tl_pt_decoder *decoder, struct sums *sums, int status)
{
	while (status >= 0 && status & TL_PT_EVENT_PENDING) {
		struct tl_pt_event event;

		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		sums->events++;
	}
	return status;
}

static int batch(struct tl_pt_decoder *decoder, struct sums *sums)
{
	static struct tl_pt_block blocks[256];
	int status = 0;
	int64_t count = tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), 256, &status);

	if (count < 0)
		return (int)count;
	for (int64_t i = 0; i < count; i++)
		sums->insns += blocks[i].ninsn;
	sums->blocks += (uint64_t)count;
	return status;
}

static int one(struct tl_pt_decoder *decoder, struct sums *sums)
{
	struct tl_pt_block block;
	int status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));

	if (status < 0)
		return status;
	sums->insns += block.ninsn;
	sums->blocks++;
	return status;
}

static int insn(struct tl_pt_decoder *decoder, struct sums *sums)
{
	struct tl_pt_insn insn;
	int status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));

	sums->insns += status >= 0;
	return status;
}

/* As a profile does it: a count a node; what is in a node is looked up when it is seen first. */
static struct {
	uint32_t ninsn, seen; /* 0: not seen */
} *weights;
static uint32_t known, epoch;

static int nodes(struct tl_pt_decoder *decoder, struct sums *sums)
{
	static uint32_t numbers[4096];
	struct tl_pt_node_batch run = { .nodes = numbers, .max = 4096 };
	int status = tl_pt_decoder_nodes(decoder, &run, sizeof(run));

	if (status < 0)
		return status;
	if (run.limit > known || run.epoch != epoch) {
		known = run.epoch != epoch ? 0 : known;
		epoch = run.epoch;
		weights = realloc(weights, run.limit * sizeof(*weights));
		if (!weights)
			exit(2);
		if (run.limit > known)
			memset(weights + known, 0, (run.limit - known) * sizeof(*weights));
		known = run.limit;
	}
	for (size_t i = 0; i < run.count; i++) {
		uint32_t number = numbers[i];

		if (!weights[number].seen++)
			weights[number].ninsn = tl_pt_decoder_node_block(decoder, number)->ninsn;
		sums->insns += weights[number].ninsn;
	}
	sums->blocks += run.count;
	return run.status;
}

typedef int form_fn(struct tl_pt_decoder *decoder, struct sums *sums);

/* Inline, so that each form has a loop of its own, as a program would. */
static inline __attribute__((always_inline)) void decode(struct tl_pt_decoder *decoder,
							 struct sums *sums, form_fn *form)
{
	int status;

	while ((status = tl_pt_decoder_sync_forward(decoder)) >= 0) {
		for (;;) {
			status = drain(decoder, sums, status);
			if (status < 0 || (status = form(decoder, sums)) < 0)
				break;
		}
		if (status == -TL_PT_EOS)
			break;
		sums->errors++;
	}
}

static void decode_as(const char *name, struct tl_pt_decoder *decoder, struct sums *sums)
{
	if (name[strlen(name) - 1] == '2')
		tl_pt_decoder_set_jobs(decoder, 2);
	if (!strncmp(name, "batch", 5))
		decode(decoder, sums, batch);
	else if (!strncmp(name, "nodes", 5))
		decode(decoder, sums, nodes);
	else if (!strcmp(name, "one"))
		decode(decoder, sums, one);
	else
		decode(decoder, sums, insn);
}

int main(int argc, char **argv)
{
	struct tl_pt_cache *cache = tl_pt_cache_open("bench");
	struct tl_pt_image *image = tl_pt_image_open("bench");
	struct tl_pt_config config = { .size = sizeof(config),
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32 };
	struct tl_pt_decoder *decoder;
	struct pt_input input;
	struct sums sums = { 0 };
	struct instant begin;

	if (argc != 6)
		return 2;
	pt_input_open(&input, argv[3], argv[4], argv[5]);
	config.begin = input.trace;
	config.end = input.trace + input.trace_size;
	begin = instant_now();
	add_sections(image, cache, &input, argv[2]);
	if (tl_pt_decoder_open(&decoder, &config, image) < 0)
		return 2;
	decode_as(argv[1], decoder, &sums);
	pt_report(begin, sums.insns, sums.blocks, sums.errors);
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
	tl_pt_cache_close(cache);
	free(input.trace);
	free(input.image);
	return 0;
}
