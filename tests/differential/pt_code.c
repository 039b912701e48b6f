/* SPDX-License-Identifier: Apache-2.0 */
#include "pt_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

void pt_die(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(2);
}

struct pt_bytes pt_load(const char *path)
{
	struct tl_source *source;
	struct tl_error err;
	const uint8_t *data;
	struct pt_bytes bytes = { NULL, 0 };

	if (tl_source_open(&source, path, NULL, &err) < 0 ||
	    tl_source_map(source, &data, &bytes.size, &err) < 0)
		pt_die("cannot be read", path);
	bytes.data = malloc(bytes.size + 1);
	if (!bytes.data)
		pt_die("no memory", path);
	memcpy(bytes.data, data, bytes.size);
	tl_source_close(source);
	return bytes;
}

static void load_map(struct pt_code *code, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];

	if (!file)
		pt_die("cannot be read", path);
	while (fgets(line, sizeof(line), file)) {
		struct pt_segment *s = &code->segments[code->count];

		if (*line != '#' && sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &s->vaddr,
					   &s->size, &s->offset) == 3)
			code->count++;
		if (code->count == PT_SEGMENTS)
			pt_die("too many segments", path);
	}
	fclose(file);
}

size_t pt_code_bytes(const struct pt_code *code, uint64_t ip, uint8_t *buffer, size_t size)
{
	size_t have = 0;

	for (size_t i = 0; i < code->count && have < size; i++) {
		const struct pt_segment *s = &code->segments[i];
		uint64_t at = ip + have - s->vaddr;

		if (at >= s->size)
			continue;
		while (have < size && at < s->size)
			buffer[have++] = code->image.data[s->offset + at++];
		i = (size_t)-1;
	}
	return have;
}

const struct tl_pt_node_cache *pt_code_know(struct pt_code *code, uint64_t ip)
{
	size_t slot = (size_t)(ip * UINT64_C(0x9e3779b97f4a7c15) >> 44);
	struct tl_pt_node_cache *known;
	uint8_t bytes[15];
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	while (code->known[slot].ip && code->known[slot].ip != ip)
		slot = (slot + 1) % PT_KNOWN;
	known = &code->known[slot];
	if (known->ip)
		return known;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&code->zydis, bytes,
						 pt_code_bytes(code, ip, bytes, sizeof(bytes)),
						 &insn, operands)))
		return NULL;
	known->ip = ip;
	known->size = insn.length;
	known->follow = (insn.meta.category == ZYDIS_CATEGORY_CALL ||
			 insn.mnemonic == ZYDIS_MNEMONIC_JMP) &&
			insn.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR &&
			operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	if (known->follow)
		ZydisCalcAbsoluteAddress(&insn, &operands[0], ip, &known->target);
	return known;
}

void pt_code_open(struct pt_code *code, const char *map, const char *img)
{
	load_map(code, map);
	code->image = pt_load(img);
	code->known = calloc(PT_KNOWN, sizeof(*code->known));
	if (!code->known)
		pt_die("no memory", img);
	ZydisDecoderInit(&code->zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

void pt_code_close(struct pt_code *code)
{
	free(code->known);
	free(code->image.data);
}
