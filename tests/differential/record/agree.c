/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: agree BASE: decode BASE.pt with the code of BASE.map and BASE.img, through the public
 * interface, and compare every address with BASE.ips: instruction by instruction, and block by
 * block (ip, end_ip, number).
 */
#include <tracelathe/intel_pt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	uint8_t *bytes;
	size_t size;
};

struct run {
	const char *base;
	struct file trace, image, list;
	struct tl_pt_image *code;
	size_t at; /* in the list */
};

static uint64_t listed(const struct run *run, size_t at)
{
	uint64_t ip = 0;

	if (at < run->list.size / sizeof(ip))
		memcpy(&ip, run->list.bytes + at * sizeof(ip), sizeof(ip));
	return ip;
}

static char *path_of(const struct run *run, const char *suffix, char path[4096])
{
	snprintf(path, 4096, "%s%s", run->base, suffix);
	return path;
}

static struct file slurp(const char *path)
{
	struct file file = { 0 };
	FILE *stream = fopen(path, "rb");

	if (!stream || fseek(stream, 0, SEEK_END)) {
		perror(path);
		exit(2);
	}
	file.size = (size_t)ftell(stream);
	rewind(stream);
	file.bytes = malloc(file.size + 1);
	if (!file.bytes || fread(file.bytes, 1, file.size, stream) != file.size)
		exit(2);
	fclose(stream);
	return file;
}

static void read_code(struct run *run)
{
	char path[4096], line[4096];
	FILE *map = fopen(path_of(run, ".map", path), "r");

	run->code = tl_pt_image_open("agree");
	while (map && run->code && fgets(line, sizeof(line), map)) {
		char *at = line;
		uint64_t vaddr, size, offset;

		if (line[0] == '#')
			continue;
		vaddr = strtoull(at, &at, 16);
		size = strtoull(at, &at, 16);
		offset = strtoull(at, &at, 16);
		if (offset + size > run->image.size ||
		    tl_pt_image_add_memory(run->code, run->image.bytes + offset, size, NULL, vaddr,
					   0) < 0)
			exit(2);
	}
	if (map)
		fclose(map);
}

static int fails(const struct run *run, const char *what, uint64_t got)
{
	printf("%s: %s at instruction %zu: got %llx, the program was at %llx\n", run->base, what,
	       run->at, (unsigned long long)got, (unsigned long long)listed(run, run->at));
	return 1;
}

static int drain(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

static int by_instruction(struct run *run, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_insn insn;

	for (run->at = 0;;) {
		status = drain(decoder, status);
		if (status >= 0)
			status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
		if (status < 0)
			return status == -TL_PT_EOS
				       ? 0
				       : fails(run, tl_pt_error_text((enum tl_pt_error) - status),
					       0);
		if (insn.ip != listed(run, run->at))
			return fails(run, "instruction", insn.ip);
		run->at++;
	}
}

static int by_block(struct run *run, struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_block blocks[64];

	for (run->at = 0;;) {
		int64_t count;

		status = drain(decoder, status);
		count = status < 0 ? status
				   : tl_pt_decoder_blocks(decoder, blocks, sizeof(*blocks), 64,
							  &status);
		if (count < 0)
			return count == -TL_PT_EOS
				       ? 0
				       : fails(run, tl_pt_error_text((enum tl_pt_error) - count),
					       0);
		for (int64_t i = 0; i < count; i++) {
			if (blocks[i].ip != listed(run, run->at))
				return fails(run, "block", blocks[i].ip);
			run->at += blocks[i].ninsn;
			if (blocks[i].end_ip != listed(run, run->at - 1))
				return fails(run, "end of a block", blocks[i].end_ip);
		}
	}
}

static int compare(struct run *run, int (*by)(struct run *, struct tl_pt_decoder *, int),
		   const char *what)
{
	struct tl_pt_config config = {
		.size = sizeof(config),
		.begin = run->trace.bytes,
		.end = run->trace.bytes + run->trace.size,
		.cpuid_15_eax = 2,
		.cpuid_15_ebx = 176,
		.mtc_freq = 3,
		.nom_freq = 32,
	};
	struct tl_pt_decoder *decoder;
	int failed;

	if (tl_pt_decoder_open(&decoder, &config, run->code) < 0)
		return 1;
	failed = by(run, decoder, tl_pt_decoder_sync_forward(decoder));
	tl_pt_decoder_close(decoder);
	if (!failed && run->at != run->list.size / 8) {
		printf("%s: by %s: %zu instructions of %zu\n", run->base, what, run->at,
		       run->list.size / 8);
		failed = 1;
	}
	printf("%s: by %s: %zu instructions, %s\n", run->base, what, run->at,
	       failed ? "not as listed" : "as listed");
	return failed;
}

int main(int argc, char **argv)
{
	struct run run = { .base = argc > 1 ? argv[1] : "" };
	char path[4096];
	int failed;

	run.trace = slurp(path_of(&run, ".pt", path));
	run.image = slurp(path_of(&run, ".img", path));
	run.list = slurp(path_of(&run, ".ips", path));
	read_code(&run);
	failed = compare(&run, by_instruction, "instruction") | compare(&run, by_block, "block");
	tl_pt_image_close(run.code);
	free(run.trace.bytes);
	free(run.image.bytes);
	free(run.list.bytes);
	return failed;
}
