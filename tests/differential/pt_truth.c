/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a trace and compares every instruction with the truth: blocks (or instructions, or runs
 * of nodes) are walked again from `ip` to `end_ip` by a loop of its own, with full decoding by
 * Zydis, over the image's bytes.
 *
 *   pt_truth [-m blocks|one|insns|nodes] [-i file|cache[LIMIT]|callback|memory] [-s] [-e IPS] PT
 *   MAP IMG TRUTH
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracelathe/intel_pt.h>

#include "pt_code.h"

struct truth {
	struct pt_code code;
	struct pt_bytes ips;
	uint64_t insns, hash, blocks, events;
	uint64_t want_insns, want_hash;
};

static void load_truth(struct truth *truth, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	if (!file)
		pt_die("cannot be read", path);
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "insns %" SCNu64, &truth->want_insns);
		sscanf(line, "hash %" SCNx64, &truth->want_hash);
	}
	fclose(file);
}

static void retire(struct truth *truth, uint64_t ip)
{
	uint64_t want;

	truth->hash = ((truth->hash << 5 | truth->hash >> 59) ^ ip) * UINT64_C(0x9e3779b97f4a7c15);
	if (truth->ips.data && truth->insns < truth->ips.size / 8) {
		memcpy(&want, truth->ips.data + 8 * truth->insns, 8);
		if (want != ip) {
			fprintf(stderr,
				"instruction %" PRIu64 ": %" PRIx64 ", should be %" PRIx64 "\n",
				truth->insns, ip, want);
			exit(1);
		}
	}
	truth->insns++;
}

static void walk(struct truth *truth, const struct tl_pt_block *block)
{
	uint64_t ip = block->ip, last = 0;

	for (unsigned i = 0; i < block->ninsn; i++) {
		const struct tl_pt_node_cache *known = pt_code_know(&truth->code, ip);

		if (!known) {
			fprintf(stderr, "instruction %" PRIu64 ": no code at %" PRIx64 "\n",
				truth->insns, ip);
			exit(1);
		}
		retire(truth, ip);
		last = ip;
		ip = known->follow ? known->target : ip + known->size;
	}
	if (!block->ninsn || last != block->end_ip) {
		fprintf(stderr,
			"instruction %" PRIu64 ": block of %u at %" PRIx64 " ends at %" PRIx64
			", not %" PRIx64 "\n",
			truth->insns, block->ninsn, block->ip, last, block->end_ip);
		exit(1);
	}
	truth->blocks++;
}

/* ---- the faces of the decoder ---- */

static int drain(struct truth *truth, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING) {
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
		truth->events += status >= 0;
	}
	return status;
}

static int by_blocks(struct truth *truth, struct tl_pt_decoder *decoder)
{
	static struct tl_pt_block blocks[1000];
	int status = 0;
	int64_t count = tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), 1000, &status);

	for (int64_t i = 0; i < count; i++)
		walk(truth, &blocks[i]);
	return count < 0 ? (int)count : status;
}

static int by_one(struct truth *truth, struct tl_pt_decoder *decoder)
{
	struct tl_pt_block block;
	int status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));

	if (status >= 0)
		walk(truth, &block);
	return status;
}

static int by_insns(struct truth *truth, struct tl_pt_decoder *decoder)
{
	struct tl_pt_insn insn;
	int status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
	const struct tl_pt_node_cache *known;

	if (status < 0)
		return status;
	retire(truth, insn.ip);
	known = pt_code_know(&truth->code, insn.ip);
	if (!known || known->size != insn.size) {
		fprintf(stderr, "%" PRIx64 ": wrong size %u\n", insn.ip, insn.size);
		exit(1);
	}
	return status;
}

static int by_nodes(struct truth *truth, struct tl_pt_decoder *decoder)
{
	uint32_t nodes[777];
	struct tl_pt_timestamp marks[50];
	struct tl_pt_node_batch run = {
		.nodes = nodes, .max = 777, .timestamps = marks, .max_timestamps = 50
	};
	int status = tl_pt_decoder_nodes(decoder, &run, sizeof(run));

	for (size_t i = 0; status >= 0 && i < run.count; i++)
		walk(truth, tl_pt_decoder_node_block(decoder, nodes[i]));
	return status < 0 ? status : run.status;
}

static const struct face {
	const char *name;
	int (*next)(struct truth *truth, struct tl_pt_decoder *decoder);
} faces[] = {
	{ "blocks", by_blocks }, { "one", by_one }, { "insns", by_insns }, { "nodes", by_nodes }
};

static int decode(struct truth *truth, struct tl_pt_decoder *decoder, const struct face *face,
		  bool again)
{
	int status = tl_pt_decoder_sync_forward(decoder);

	for (;;) {
		status = drain(truth, decoder, status);
		if (status < 0)
			return status;
		status = face->next(truth, decoder);
		if (status == -TL_PT_EOS || (status < 0 && !again))
			return status;
	}
}

static int read_image(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
		      void *arg)
{
	size_t have = pt_code_bytes(&((struct truth *)arg)->code, ip, buffer, size);

	(void)asid;
	/* As a debugger does: all or nothing. */
	return have == size ? (int)have : -TL_PT_NOMAP;
}

static void fill_image(struct truth *truth, const char *how, const char *path,
		       struct tl_pt_image *image, struct tl_pt_cache *cache)
{
	int status = 0;

	for (size_t i = 0; i < truth->code.count && status >= 0; i++) {
		const struct pt_segment *s = &truth->code.segments[i];

		if (!strcmp(how, "file")) {
			status = tl_pt_image_add_file(image, path, s->offset, s->size, NULL,
						      s->vaddr);
		} else if (!strncmp(how, "cache", 5)) {
			if (how[5])
				tl_pt_cache_set_limit(cache, strtoull(how + 5, NULL, 0));
			status = tl_pt_cache_add_file(cache, path, s->offset, s->size, s->vaddr);
			if (status > 0)
				status = tl_pt_image_add_cached(image, cache, status, NULL);
		} else if (!strcmp(how, "memory")) {
			status = tl_pt_image_add_memory(image, truth->code.image.data + s->offset,
							s->size, NULL, s->vaddr, 7);
		}
	}
	if (!strcmp(how, "callback"))
		status = tl_pt_image_set_callback(image, read_image, truth);
	if (status < 0)
		pt_die("cannot be an image", path);
}

int main(int argc, char **argv)
{
	static struct truth truth = { .hash = UINT64_C(0xcbf29ce484222325) };
	struct tl_pt_config config = { .size = sizeof(config),
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32 };
	const struct face *face = &faces[0];
	const char *how = "file";
	struct tl_pt_decoder *decoder;
	struct tl_pt_image *image = tl_pt_image_open("image");
	struct tl_pt_cache *cache = tl_pt_cache_open(NULL);
	struct pt_bytes trace;
	uint64_t offset = 0;
	int c, status;

	while ((c = getopt(argc, argv, "m:i:e:f:")) != -1) {
		if (c == 'm')
			for (face = faces; strcmp(face->name, optarg); face++)
				;
		else if (c == 'i')
			how = optarg;
		else if (c == 'f')
			config.flags = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c == 'e')
			truth.ips = pt_load(optarg);
	}
	if (argc - optind != 4)
		pt_die("PT MAP IMG TRUTH", "usage");
	trace = pt_load(argv[optind]);
	config.begin = trace.data;
	config.end = trace.data + trace.size;
	pt_code_open(&truth.code, argv[optind + 1], argv[optind + 2]);
	load_truth(&truth, argv[optind + 3]);
	fill_image(&truth, how, argv[optind + 2], image, cache);
	if (tl_pt_decoder_open(&decoder, &config, image) < 0)
		pt_die("cannot be decoded", argv[optind]);
	status = decode(&truth, decoder, face, false);
	tl_pt_decoder_offset(decoder, &offset);
	printf("%s: %s at %" PRIx64 ": insns %" PRIu64 " of %" PRIu64 ", hash %016" PRIx64
	       ", blocks %" PRIu64 ", events %" PRIu64 "\n",
	       argv[optind], tl_pt_error_text((enum tl_pt_error) - status), offset, truth.insns,
	       truth.want_insns, truth.hash, truth.blocks, truth.events);
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
	tl_pt_cache_close(cache);
	pt_code_close(&truth.code);
	free(truth.ips.data);
	free(trace.data);
	return status != -TL_PT_EOS || truth.insns != truth.want_insns ||
	       truth.hash != truth.want_hash;
}
