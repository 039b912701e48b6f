/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intel_pt_blocks TRACE CODE ADDRESS: count the blocks and instructions of a raw Intel PT trace,
 * whose code is the file CODE as it was at ADDRESS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/core.h>
#include <tracelathe/intel_pt.h>

enum { BATCH = 256 };

struct counts {
	uint64_t blocks, instructions, errors;
};

/* Events (tracing off, an interrupt, a new process) stand between blocks and have to be taken. */
static int take_events(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

/* From one point of synchronisation to the next error or the end. @return a negative status */
static int decode(struct tl_pt_decoder *decoder, int status, struct counts *counts)
{
	struct tl_pt_block blocks[BATCH];

	while ((status = take_events(decoder, status)) >= 0) {
		int64_t count =
			tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), BATCH, &status);

		if (count < 0)
			return (int)count;
		counts->blocks += (uint64_t)count;
		for (int64_t i = 0; i < count; i++)
			counts->instructions += blocks[i].ninsn;
	}
	return status;
}

static struct counts decode_all(struct tl_pt_decoder *decoder)
{
	struct counts counts = { 0, 0, 0 };
	int status;

	while ((status = tl_pt_decoder_sync_forward(decoder)) >= 0) {
		status = decode(decoder, status, &counts);
		if (status == -TL_PT_EOS)
			break;
		counts.errors++; /* went on at the next PSB */
	}
	return counts;
}

/* The whole file; NULL where it cannot be read. */
static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end = -1;

	if (file && fseek(file, 0, SEEK_END) == 0)
		end = ftell(file);
	if (end >= 0 && fseek(file, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)end + 1);
	*size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
	if (file)
		fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	struct tl_pt_config config = { .size = sizeof(config) };
	struct tl_pt_image *image = tl_pt_image_open("example");
	struct tl_pt_decoder *decoder;
	struct counts counts;
	uint8_t *trace;
	size_t size;

	if (argc != 4 || !image) {
		fprintf(stderr, "intel_pt_blocks TRACE CODE ADDRESS\n");
		return 2;
	}
	trace = slurp(argv[1], &size);
	config.begin = trace;
	config.end = trace + size;
	if (!trace ||
	    tl_pt_image_add_file(image, argv[2], 0, UINT64_MAX, NULL, strtoull(argv[3], NULL, 0)) <
		    0 ||
	    tl_pt_decoder_open(&decoder, &config, image) < 0) {
		fprintf(stderr, "%s or %s cannot be read\n", argv[1], argv[2]);
		return 2;
	}
	counts = decode_all(decoder);
	printf("%" PRIu64 " blocks, %" PRIu64 " instructions, %" PRIu64 " errors\n", counts.blocks,
	       counts.instructions, counts.errors);
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
	free(trace);
	return counts.errors != 0;
}
