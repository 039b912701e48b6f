/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block loop of libipt's interface, as its users write it. The same program runs with Debian's
 * libipt.so.2 and with ours: which one is the loader's business. pt_libipt SETUP TRACE MAP IMAGE
 * SETUP: cached (a section cache, no limit: libipt at its best), limited (a section cache that
 * keeps 16 MB), files (no section cache), callback (memory that the program reads itself).
 */
#include "intel-pt.h"

#include "pt_input.h"

static int read_memory(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		       void *context)
{
	(void)asid;
	return pt_input_read(context, buffer, size, ip);
}

static void add_sections(struct pt_image *image, struct pt_image_section_cache *cache,
			 struct pt_input *input, const char *setup)
{
	if (!strcmp(setup, "callback")) {
		input->image = pt_slurp(input->image_path, &input->image_size);
		pt_image_set_callback(image, read_memory, input);
		return;
	}
	if (!strcmp(setup, "limited"))
		pt_iscache_set_limit(cache, 16 << 20);
	for (size_t i = 0; i < input->count; i++) {
		const struct pt_section *at = &input->sections[i];
		int isid;

		if (!strcmp(setup, "files")) {
			pt_image_add_file(image, input->image_path, at->offset, at->size, NULL,
					  at->vaddr);
			continue;
		}
		isid = pt_iscache_add_file(cache, input->image_path, at->offset, at->size,
					   at->vaddr);
		pt_image_add_cached(image, cache, isid, NULL);
	}
}

struct sums {
	uint64_t insns, blocks, events, errors;
};

static int drain(struct pt_block_decoder *decoder, struct sums *sums, int status)
{
	while (status >= 0 && status & pts_event_pending) {
		struct pt_event event;

		status = pt_blk_event(decoder, &event, sizeof(event));
		sums->events++;
	}
	return status;
}

static void decode(struct pt_block_decoder *decoder, struct sums *sums)
{
	int status;

	while ((status = pt_blk_sync_forward(decoder)) >= 0) {
		for (;;) {
			struct pt_block block;

			status = drain(decoder, sums, status);
			if (status < 0)
				break;
			block.ninsn = 0;
			status = pt_blk_next(decoder, &block, sizeof(block));
			sums->blocks += block.ninsn != 0;
			sums->insns += block.ninsn;
			if (status < 0)
				break;
		}
		if (status == -pte_eos)
			break;
		sums->errors++;
	}
}

int main(int argc, char **argv)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc("bench");
	struct pt_image *image = pt_image_alloc("bench");
	struct pt_block_decoder *decoder;
	struct pt_version version = pt_library_version();
	struct pt_input input;
	struct pt_config config;
	struct sums sums = { 0 };
	struct instant begin;

	if (argc != 5)
		return 2;
	pt_input_open(&input, argv[2], argv[3], argv[4]);
	pt_config_init(&config);
	config.begin = input.trace;
	config.end = input.trace + input.trace_size;
	config.cpuid_0x15_eax = 2;
	config.cpuid_0x15_ebx = 176;
	config.mtc_freq = 3;
	config.nom_freq = 32;
	begin = instant_now();
	add_sections(image, cache, &input, argv[1]);
	decoder = pt_blk_alloc_decoder(&config);
	pt_blk_set_image(decoder, image);
	decode(decoder, &sums);
	pt_report(begin, sums.insns, sums.blocks, sums.errors);
	fprintf(stderr, "libipt %d.%d.%d%s\n", version.major, version.minor, version.patch,
		version.ext);
	pt_blk_free_decoder(decoder);
	pt_image_free(image);
	pt_iscache_free(cache);
	free(input.trace);
	free(input.image);
	return 0;
}
