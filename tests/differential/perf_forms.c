/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sideband of ptdump and ptxed (section 12 of docs/formats/intel-pt.md) on the test cases of
 * the reference decoder that have one, which are read where they are: perf_forms DIRECTORY. "Output
 * = stdout + stderr; compare ignoring amounts of white space. A ptxed case holds for both
 * decoders."
 *
 * Prints what differs with TL_VERBOSE set, and how many cases passed. Status 0: all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "intel_pt/code/program.h"
#include "intel_pt/listing/text.h"
#include "isa/x86/x86_flow.h"
#include "perf_data/auxtrace/sideband.h"
#include "perf_data/listing/sideband_text.h"

enum { COLUMNS = 11, MAX_TEXT = 1 << 20, STREAMS = 4 };
enum { TEST, CPU, TOOL, PT, BIN, ADDRESS, OPTIONS, SIDEBAND, EXPECTED, LINES, ORIGIN };

struct case_ {
	char *column[COLUMNS];
	char directory[1024];
	struct tl_pt_config config;
	struct tl_source *source, *sides[STREAMS];
	struct tl_perf_sideband *sideband;
	struct tl_pt_program *program;
	struct tl_output *out;
	uint64_t kernel_start;
	bool compact, verbose, offset, time, switches, warn;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "perf_forms: %s: %s\n", what, name);
	exit(2);
}

static const uint8_t *map_file(const struct case_ *c, const char *name, struct tl_source **source,
			       size_t *size)
{
	char path[2048];
	const uint8_t *data = NULL;
	struct tl_error err;

	snprintf(path, sizeof(path), "%s/%s", c->directory, name);
	if (tl_source_open(source, path, NULL, &err) < 0 ||
	    tl_source_map(*source, &data, size, &err) < 0)
		die(err.text, path);
	return data;
}

/* ---- options ---- */

static void take_options(struct case_ *c)
{
	struct {
		const char *name;
		bool *flag;
	} const flags[] = {
		{ "--sb:compact", &c->compact }, { "--sb:verbose", &c->verbose },
		{ "--sb:offset", &c->offset },   { "--sb:time", &c->time },
		{ "--sb:switch", &c->switches }, { "--sb:warn", &c->warn },
	};
	char *rest, *word = strtok_r(c->column[OPTIONS], " ", &rest);

	c->kernel_start = UINT64_MAX;
	for (; word; word = strtok_r(NULL, " ", &rest)) {
		bool known = false;

		for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
			if (!strcmp(word, flags[i].name))
				known = *flags[i].flag = true;
		if (!strcmp(word, "--event:tick"))
			known = c->config.flags |= TL_PT_TICK_EVENTS;
		if (!strcmp(word, "--event:iflags"))
			known = c->config.flags |= TL_PT_IFLAG_EVENTS;
		if (!strcmp(word, "--pevent:kernel-start")) {
			c->kernel_start = strtoull(strtok_r(NULL, " ", &rest), NULL, 0);
			known = true;
		}
		if (!known)
			die("unknown option", word);
	}
}

/* "NAME-pevent-primary,sample-type=0x4,time-zero=0x0,..sb" */
static uint64_t parameter(const char *name, const char *key)
{
	const char *at = strstr(name, key);

	return at ? strtoull(at + strlen(key) + 1, NULL, 0) : 0;
}

static void add_sideband(struct case_ *c)
{
	char *rest, *name = strtok_r(c->column[SIDEBAND], " ", &rest);
	struct tl_error err;

	if (tl_perf_sideband_open(&c->sideband, c->directory, c->kernel_start, &err) < 0)
		die("no memory", c->column[TEST]);
	for (size_t i = 0; name && i < STREAMS; i++, name = strtok_r(NULL, " ", &rest)) {
		struct tl_perf_sideband_stream stream = {
			.name = name,
			.sample_type = parameter(name, "sample-type"),
			.time_shift = parameter(name, "time-shift"),
			.time_mult = parameter(name, "time-mult"),
			.time_zero = parameter(name, "time-zero"),
			.primary = strstr(name, "-primary") != NULL,
		};

		stream.data = map_file(c, name, &c->sides[i], &stream.size);
		if (tl_perf_sideband_add(c->sideband, &stream, &err) < 0)
			die(err.text, name);
	}
}

/* ---- what is printed ---- */

/* Losses, and code that nobody has. */
static const char *warning(const struct tl_perf_record *rec)
{
	const struct tl_perf_text *path = &rec->mmap.path;

	if (rec->type == TL_PERF_AUX && rec->aux.flags & TL_PERF_AUX_TRUNCATED)
		return "warning: trace lost";
	if (rec->type == TL_PERF_LOST)
		return "warning: sideband lost";
	if (rec->type != TL_PERF_MMAP && rec->type != TL_PERF_MMAP2)
		return NULL;
	if (path->size == 6 && !memcmp(path->data, "[vdso]", 6))
		return "error: bad configuration";
	return (path->size >= 6 && !memcmp(path->data, "//anon", 6)) ||
			       (path->size && *path->data == '[')
		       ? "warning: image section lost"
		       : NULL;
}

static void put_record(void *arg, const struct tl_perf_sideband_stream *stream,
		       const struct tl_perf_record *rec)
{
	struct case_ *c = arg;
	const char *text = c->warn ? warning(rec) : NULL;

	if (text)
		tl_put_format(c->out, "[%s:%016" PRIx64 " sideband %s]\n", stream->name,
			      rec->offset, text);
	if (!c->compact && !c->verbose)
		return;
	if (c->offset)
		tl_put_format(c->out, "%016" PRIx64 "  ", rec->offset);
	if (c->time)
		tl_put_format(c->out, "%016" PRIx64 "  ", rec->id.time_ns);
	tl_perf_put_record_name(c->out, rec);
	tl_perf_put_record(c->out, rec, c->verbose);
}

static void put_event(void *arg, const struct tl_pt_event *event)
{
	struct case_ *c = arg;

	/* What a PSB+ says is, is not what changed. */
	if (!event->status_update)
		tl_pt_put_event(c->out, event, TL_PT_TEXT_EVENTS);
}

static void put_context(void *arg, uint32_t pid)
{
	struct case_ *c = arg;

	if (c->switches)
		tl_put_format(c->out, "[context: pid-%" PRIx32 "]\n", pid);
}

/* ---- ptdump: the packets' own lines, and records before the line that brings their time ---- */

static void put_records(struct case_ *c, uint64_t tsc)
{
	const struct tl_perf_sideband_stream *stream;
	struct tl_perf_record rec;
	struct tl_error err;

	while (tl_perf_sideband_next(c->sideband, tsc, &rec, &stream, &err) > 0)
		put_record(c, stream, &rec);
}

static uint64_t time_at(const struct case_ *c, uint64_t offset, uint64_t before)
{
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;
	uint64_t tsc = before;

	if (tl_pt_packets_open(&packets, &c->config) < 0)
		die("no memory", c->column[TEST]);
	if (tl_pt_packets_sync_set(packets, offset) >= 0 &&
	    tl_pt_packets_next(packets, &packet, sizeof(packet)) >= 0 &&
	    packet.kind == TL_PT_PKT_TSC)
		tsc = packet.tsc.tsc;
	tl_pt_packets_close(packets);
	return tsc;
}

static void run_dump(struct case_ *c)
{
	struct tl_output *lines;
	struct tl_error err;
	uint64_t tsc = 0;
	const char *text;
	size_t size;

	if (tl_output_open_memory(&lines, &err) < 0)
		die("no memory", c->column[TEST]);
	tl_pt_dump_packets(&c->config, &(struct tl_pt_show){ .flags = 0 }, lines, NULL, NULL, &err);
	text = tl_output_bytes(lines, &size);
	for (const char *end = text + size; text < end;) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		const uint64_t now = time_at(c, strtoull(text, NULL, 16), tsc);

		next = next ? next + 1 : end;
		if (now != tsc)
			put_records(c, now);
		tsc = now;
		tl_put_bytes(c->out, text, (size_t)(next - text));
		text = next;
	}
	put_records(c, UINT64_MAX);
	tl_output_discard(lines);
}

/* ---- ptxed ---- */

/* The instructions of a block, by a look at the code it came from. */
static void put_block(struct case_ *c, struct tl_pt_decoder *decoder,
		      const struct tl_pt_block *block)
{
	struct tl_x86_flow_decoder x86;
	struct tl_pt_asid asid;
	uint64_t ip = block->ip;

	tl_x86_flow_open(&x86, (enum tl_x86_mode)block->mode);
	tl_pt_decoder_asid(decoder, &asid);
	for (unsigned i = 0; i < block->ninsn; i++) {
		struct tl_x86_flow flow;
		uint8_t bytes[15];
		int isid, size = 0, part;

		tl_put_format(c->out, "%016" PRIx64 "\n", ip);
		/* An instruction may go on in another section. */
		while (size < 15 &&
		       (part = tl_pt_image_read(tl_pt_decoder_image(decoder), &isid, bytes + size,
						15 - (size_t)size, &asid, ip + (unsigned)size)) > 0)
			size += part;
		if (tl_x86_flow_decode(&x86, bytes, (size_t)size, ip, &flow) != TL_X86_DECODED)
			break;
		ip = flow.flags & TL_X86_DIRECT && flow.iclass != TL_PT_IC_COND_JUMP
			     ? flow.target
			     : ip + flow.size;
	}
}

static int put_code(struct case_ *c, struct tl_pt_decoder *decoder, bool by_block)
{
	struct tl_pt_block block;
	struct tl_pt_insn insn;
	int status;

	if (by_block) {
		status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));
		if (status >= 0)
			put_block(c, decoder, &block);
		return status;
	}
	status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
	if (status >= 0)
		tl_put_format(c->out, "%016" PRIx64 "\n", insn.ip);
	return status;
}

static void run_flow(struct case_ *c, bool by_block)
{
	const struct tl_perf_sideband_hooks hooks = { put_event, put_record, put_context, c };
	struct tl_pt_decoder *decoder;
	int status;

	if (tl_pt_decoder_open(&decoder, &c->config, tl_pt_program_image(c->program)) < 0)
		die("no memory", c->column[TEST]);
	status = tl_pt_decoder_sync_forward(decoder);
	while (status >= 0) {
		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_perf_sideband_event(c->sideband, decoder, &hooks);
		if (status >= 0)
			status = put_code(c, decoder, by_block);
	}
	if (status != -TL_PT_EOS)
		tl_put_format(c->out, "[error: %s]\n",
			      tl_pt_error_text((enum tl_pt_error) - status));
	tl_pt_decoder_close(decoder);
}

/* ---- running ---- */

static char *squeeze(const char *text, size_t size)
{
	char *made = malloc(size + 2), *to = made;

	for (size_t i = 0; i < size; i++) {
		bool blank = text[i] == ' ' || text[i] == '\t';

		if (text[i] == '\n')
			while (to > made && to[-1] == ' ')
				to--;
		if (blank && (to == made || to[-1] == '\n' || to[-1] == ' '))
			continue;
		*to++ = blank ? ' ' : text[i];
	}
	*to = '\0';
	return made;
}

static bool compare(struct case_ *c, const char *kind)
{
	struct tl_source *source;
	size_t wanted_size, size;
	const uint8_t *wanted = map_file(c, c->column[EXPECTED], &source, &wanted_size);
	const char *text = tl_output_bytes(c->out, &size);
	char *right = squeeze((const char *)wanted, wanted_size), *got = squeeze(text, size);
	const bool same = !strcmp(right, got);

	if (!same)
		printf("differs: %s %s\n", c->column[EXPECTED], kind);
	if (!same && getenv("TL_VERBOSE"))
		printf("-- expected\n%s-- got\n%s", right, got);
	free(right);
	free(got);
	tl_source_close(source);
	return same;
}

static bool run_one(const struct case_ *like, const char *kind)
{
	struct case_ c = *like;
	struct tl_error err;
	char options[1024], sideband[1024], bin[2048];
	size_t size;
	bool same;

	c.column[OPTIONS] = strcpy(options, like->column[OPTIONS]);
	c.column[SIDEBAND] = strcpy(sideband, like->column[SIDEBAND]);
	c.config = (struct tl_pt_config){ .size = sizeof(c.config) };
	take_options(&c);
	c.config.begin = map_file(&c, c.column[PT], &c.source, &size);
	c.config.end = c.config.begin + size;
	add_sideband(&c);
	snprintf(bin, sizeof(bin), "%s/%s", c.directory, c.column[BIN]);
	if (tl_pt_program_open(&c.program, &err) < 0 || tl_output_open_memory(&c.out, &err) < 0)
		die("no memory", c.column[TEST]);
	tl_pt_program_add_raw(c.program, bin, 0, 0, strtoull(c.column[ADDRESS], NULL, 0), &err);
	if (!strcmp(kind, "packets"))
		run_dump(&c);
	else
		run_flow(&c, !strcmp(kind, "block"));
	same = compare(&c, kind);
	tl_perf_sideband_close(c.sideband);
	tl_pt_program_close(c.program);
	tl_output_discard(c.out);
	tl_source_close(c.source);
	for (size_t i = 0; i < STREAMS; i++)
		tl_source_close(c.sides[i]);
	return same;
}

static bool read_case(struct case_ *c, char *line)
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		char *end = line ? line + strcspn(line, "\t\n") : NULL;

		if (!line)
			return false;
		c->column[i] = line;
		line = *end ? end + 1 : NULL;
		*end = '\0';
	}
	return true;
}

int main(int argc, char **argv)
{
	char *path, line[4096];
	unsigned passed = 0, failed = 0;
	FILE *manifest;

	if (argc < 2 || asprintf(&path, "%s/MANIFEST.tsv", argv[1]) < 0)
		return 2;
	manifest = fopen(path, "r");
	if (!manifest) {
		printf("skipped: %s is not here\n", path);
		free(path);
		return 77;
	}
	while (fgets(line, sizeof(line), manifest)) {
		struct case_ c = { .directory = "" };
		bool same;

		if (!read_case(&c, line) || !*c.column[SIDEBAND] ||
		    !strcmp(c.column[SIDEBAND], "sideband"))
			continue;
		snprintf(c.directory, sizeof(c.directory), "%s/pevent", argv[1]);
		if (!strcmp(c.column[TOOL], "ptdump"))
			same = run_one(&c, "packets");
		else
			same = run_one(&c, "insn") && run_one(&c, "block");
		passed += same;
		failed += !same;
	}
	fclose(manifest);
	free(path);
	printf("%u cases passed, %u failed\n", passed, failed);
	return failed || !passed;
}
