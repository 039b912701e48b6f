/* SPDX-License-Identifier: Apache-2.0 */
/* usage: peer WHAT [TRACE [MAP IMAGE]]; see the table at the end. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	if (!file || fseek(file, 0, SEEK_END)) {
		perror(path);
		exit(2);
	}
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		exit(2);
	fclose(file);
	return bytes;
}

/* "vaddr size img_off origin origin_off", numbers in hexadecimal (README of the corpus). */
static void read_map(struct peer_input *input, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	if (!file)
		exit(2);
	while (fgets(line, sizeof(line), file) && input->sections_count < 256) {
		struct peer_section *section = &input->sections[input->sections_count];
		char *at = line;

		if (line[0] == '#')
			continue;
		section->vaddr = strtoull(at, &at, 16);
		section->size = strtoull(at, &at, 16);
		section->offset = strtoull(at, &at, 16);
		input->sections_count++;
	}
	fclose(file);
}

/* Settings of the corpus' timed variants; traces without time do not mind. */
void peer_config(struct pt_config *config, const struct peer_input *input)
{
	pt_config_init(config);
	config->begin = input->trace;
	config->end = input->trace + input->size;
	config->cpuid_0x15_eax = 2;
	config->cpuid_0x15_ebx = 176;
	config->mtc_freq = 3;
	config->nom_freq = 32;
}

int peer_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context)
{
	const struct peer_input *input = context;

	(void)asid;
	for (size_t i = 0; i < input->sections_count; i++) {
		const struct peer_section *section = &input->sections[i];
		uint64_t into = ip - section->vaddr;

		if (ip < section->vaddr || into >= section->size)
			continue;
		if (size > section->size - into)
			size = (size_t)(section->size - into);
		memcpy(buffer, input->bytes + section->offset + into, size);
		return (int)size;
	}
	return -pte_nomap;
}

struct pt_image *peer_image(const struct peer_input *input, enum peer_setup setup,
			    struct pt_image_section_cache *cache)
{
	struct pt_image *image = pt_image_alloc("peer");

	/* Less than any section has. */
	if (setup == PEER_LIMITED)
		peer_result("set_limit", pt_iscache_set_limit(cache, 4096));
	if (setup == PEER_CALLBACK)
		peer_result("set_callback",
			    pt_image_set_callback(image, peer_read, (void *)(uintptr_t)input));
	for (size_t i = 0; setup != PEER_CALLBACK && i < input->sections_count; i++) {
		const struct peer_section *at = &input->sections[i];

		if (setup == PEER_FILES)
			peer_result("add_file", pt_image_add_file(image, input->image, at->offset,
								  at->size, NULL, at->vaddr));
		else
			peer_result("add_cached",
				    pt_image_add_cached(image, cache,
							pt_iscache_add_file(cache, input->image,
									    at->offset, at->size,
									    at->vaddr),
							NULL));
	}
	return image;
}

void peer_result(const char *what, int status)
{
	if (status < 0)
		printf("%s: -%s\n", what, pt_errstr(pt_errcode(status)));
	else
		printf("%s: %d\n", what, status);
}

int main(int argc, char **argv)
{
	static struct peer_input input;
	const char *what = argc > 1 ? argv[1] : "";

	if (argc > 2)
		input.trace = slurp(argv[2], &input.size);
	if (argc > 4) {
		read_map(&input, argv[3]);
		input.image = argv[4];
		input.bytes = slurp(argv[4], &input.bytes_size);
	}
	if (!strcmp(what, "library"))
		puts(pt_library_version().ext);
	else if (!strcmp(what, "misuse"))
		peer_misuse();
	else if (!strcmp(what, "errata"))
		peer_errata();
	else if (!strcmp(what, "images"))
		peer_images(&input);
	else if (!strcmp(what, "packets"))
		peer_packets(&input);
	else if (!strcmp(what, "encode"))
		peer_encode(&input);
	else if (!strcmp(what, "query"))
		peer_query(&input);
	else if (!strcmp(what, "insns"))
		peer_insns(&input, PEER_FILES);
	else if (!strcmp(what, "insns-cached"))
		peer_insns(&input, PEER_CACHED);
	else if (!strcmp(what, "blocks"))
		peer_blocks(&input, PEER_CACHED);
	else if (!strcmp(what, "blocks-limited"))
		peer_blocks(&input, PEER_LIMITED);
	else if (!strcmp(what, "blocks-callback"))
		peer_blocks(&input, PEER_CALLBACK);
	else
		return 2;
	free(input.trace);
	free(input.bytes);
	return 0;
}
