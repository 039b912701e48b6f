/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libipt TRACE MAP IMAGE: what Debian's libipt makes of a trace with code as examples/pt-recorder
 * leaves it: "INSTRUCTIONS HASH" (docs/formats/intel-pt.md).
 */
#include <intel-pt.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *stream = fopen(path, "rb");
	uint8_t *bytes;

	if (!stream || fseek(stream, 0, SEEK_END)) {
		perror(path);
		exit(2);
	}
	*size = (size_t)ftell(stream);
	rewind(stream);
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, stream) != *size)
		exit(2);
	fclose(stream);
	return bytes;
}

static void add_code(struct pt_image *code, const char *map, const char *image)
{
	unsigned long long address, size, offset;
	FILE *lines = fopen(map, "r");
	char line[4096];

	while (lines && fgets(line, sizeof(line), lines))
		if (sscanf(line, "%llx %llx %llx", &address, &size, &offset) == 3 &&
		    pt_image_add_file(code, image, offset, size, NULL, address) < 0)
			exit(2);
	if (lines)
		fclose(lines);
}

static int drain(struct pt_insn_decoder *decoder, int status)
{
	struct pt_event event;

	while (status >= 0 && status & pts_event_pending)
		status = pt_insn_event(decoder, &event, sizeof(event));
	return status;
}

int main(int argc, char **argv)
{
	uint64_t count = 0, hash = UINT64_C(0xcbf29ce484222325);
	struct pt_image *code = pt_image_alloc("code");
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	struct pt_insn insn;
	size_t size = 0;
	int status;

	if (argc != 4)
		return 2;
	pt_config_init(&config);
	config.begin = slurp(argv[1], &size);
	config.end = config.begin + size;
	decoder = pt_insn_alloc_decoder(&config);
	add_code(code, argv[2], argv[3]);
	if (!decoder || pt_insn_set_image(decoder, code) < 0)
		return 2;
	status = pt_insn_sync_forward(decoder);
	while ((status = drain(decoder, status)) >= 0) {
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (status < 0)
			break;
		hash = ((hash << 5 | hash >> 59) ^ insn.ip) * UINT64_C(0x9e3779b97f4a7c15);
		count++;
	}
	printf("%" PRIu64 " %016" PRIx64 "\n", count, hash);
	if (status != -pte_eos)
		printf("%s\n", pt_errstr(pt_errcode(status)));
	pt_insn_free_decoder(decoder);
	pt_image_free(code);
	free(config.begin);
	return status != -pte_eos;
}
