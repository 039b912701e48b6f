/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of ptdump and ptxed (section 12 of docs/formats/intel-pt.md) on the test cases of the
 * reference decoder, which are read where they are: pt_forms DIRECTORY [TEST...]. "Standard output
 * and error together are compared, ignoring amounts of white space. Both the block and the
 * instruction decoder must give the same ptxed text."
 *
 * Prints what differs with TL_VERBOSE set, and how many cases passed. Status 0: all that can be
 * run.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "intel_pt/code/program.h"
#include "intel_pt/listing/text.h"

enum { COLUMNS = 11, MAX_TEXT = 1 << 20 };
enum { TEST, CPU, TOOL, PT, BIN, ADDRESS, OPTIONS, SIDEBAND, EXPECTED, LINES, ORIGIN };

struct case_ {
	char *column[COLUMNS];
	const char *directory;
	struct tl_pt_config config;
	unsigned flags;
	const char *decoder; /* "block", "insn", NULL: both */
	bool stat, stat_insn, stat_blocks, bad_cpu;
	struct tl_pt_program *program;
	struct tl_source *source;
};

/*
 * Where we go on after an error otherwise, on purpose (9.9). Each must differ: one that no longer
 * does is to be struck out here.
 */
static const struct {
	const char *expected, *why;
} deviations[] = {
	{ "ptxed-resync-psb-bad_status-psb-ptxed.exp",
	  "resynchronising does not fail where a PSB+ contradicts the flow: what is before the "
	  "next PSB would be lost" },
};

static const char *deviation(const char *expected)
{
	for (size_t i = 0; i < sizeof(deviations) / sizeof(deviations[0]); i++)
		if (!strcmp(deviations[i].expected, expected))
			return deviations[i].why;
	return NULL;
}

static void die(const char *what, const char *name)
{
	fprintf(stderr, "pt_forms: %s: %s\n", what, name);
	exit(2);
}

static char *path_of(const struct case_ *c, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s%s", c->directory,
		     strcmp(c->column[ORIGIN], "pevent") ? "" : "pevent/", name) < 0)
		die("no memory", name);
	return path;
}

/* ---- options ---- */

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

static void set_cpu(struct case_ *c, const char *text)
{
	unsigned family = 0, model = 0, stepping = 0;

	sscanf(text, "%u/%u/%u", &family, &model, &stepping);
	c->config.cpu =
		(struct tl_pt_cpu){ true, (uint16_t)family, (uint8_t)model, (uint8_t)stepping };
	c->bad_cpu = tl_pt_cpu_errata(&c->config.errata, &c->config.cpu, false) < 0;
}

static void set_mtc(struct case_ *c, const char *text)
{
	c->config.mtc_freq = (uint8_t)number(text);
}

static void set_nom(struct case_ *c, const char *text)
{
	c->config.nom_freq = (uint8_t)number(text);
}

static void set_eax(struct case_ *c, const char *text)
{
	c->config.cpuid_15_eax = (uint32_t)number(text);
}

static void set_ebx(struct case_ *c, const char *text)
{
	c->config.cpuid_15_ebx = (uint32_t)number(text);
}

static void set_filter(struct case_ *c, const char *text)
{
	c->config.ranges[0].use = number(text) == 1 ? TL_PT_RANGE_FILTER : TL_PT_RANGE_STOP;
}

static void set_filter_a(struct case_ *c, const char *text)
{
	c->config.ranges[0].first = number(text);
}

static void set_filter_b(struct case_ *c, const char *text)
{
	c->config.ranges[0].last = number(text);
}

static void only_blocks(struct case_ *c, const char *text)
{
	(void)text;
	c->decoder = "block";
}

static void only_insns(struct case_ *c, const char *text)
{
	(void)text;
	c->decoder = "insn";
}

static void set_stat(struct case_ *c, const char *text)
{
	(void)text;
	c->stat = true;
}

static void set_stat_insn(struct case_ *c, const char *text)
{
	(void)text;
	c->stat_insn = true;
}

static void set_stat_blocks(struct case_ *c, const char *text)
{
	(void)text;
	c->stat_blocks = true;
}

/* FILE:OFFSET:ADDRESS */
static void add_raw(struct case_ *c, const char *text)
{
	char *copy = strdup(text), *offset = strchr(copy, ':'),
	     *address = offset ? strchr(offset + 1, ':') : NULL, *path;
	struct tl_error err;

	if (!address)
		die("not FILE:OFFSET:ADDRESS", text);
	*offset++ = *address++ = '\0';
	path = path_of(c, copy);
	if (tl_pt_program_add_raw(c->program, path, number(offset), 0, number(address), &err) < 0)
		die(err.text, path);
	free(path);
	free(copy);
}

static const struct option {
	const char *name;
	void (*set)(struct case_ *c, const char *text); /* with a value, unless `plain` */
	bool plain;
	unsigned wish, flag;
} options[] = {
	{ "--cpu", set_cpu, false, 0, 0 },
	{ "--mtc-freq", set_mtc, false, 0, 0 },
	{ "--nom-freq", set_nom, false, 0, 0 },
	{ "--cpuid-0x15.eax", set_eax, false, 0, 0 },
	{ "--cpuid-0x15.ebx", set_ebx, false, 0, 0 },
	{ "--filter:addr0_cfg", set_filter, false, 0, 0 },
	{ "--filter:addr0_a", set_filter_a, false, 0, 0 },
	{ "--filter:addr0_b", set_filter_b, false, 0, 0 },
	{ "--block-decoder", only_blocks, true, 0, 0 },
	{ "--insn-decoder", only_insns, true, 0, 0 },
	{ "--stat", set_stat, true, 0, 0 },
	{ "--stat:insn", set_stat_insn, true, 0, 0 },
	{ "--stat:blocks", set_stat_blocks, true, 0, 0 },
	{ "--time", NULL, true, TL_PT_TEXT_TIME, 0 },
	{ "--time-delta", NULL, true, TL_PT_TEXT_TIME_DELTA, 0 },
	{ "--tcal", NULL, true, TL_PT_TEXT_TCAL, 0 },
	{ "--no-tcal", NULL, true, TL_PT_TEXT_NO_TCAL, 0 },
	{ "--no-wall-clock", NULL, true, TL_PT_TEXT_NO_TSC, 0 },
	{ "--lastip", NULL, true, TL_PT_TEXT_LAST_IP, 0 },
	{ "--exec-mode", NULL, true, TL_PT_TEXT_EXEC_MODE, 0 },
	{ "--no-sync", NULL, true, TL_PT_TEXT_NO_SYNC, 0 },
	{ "--no-cyc", NULL, true, TL_PT_TEXT_NO_CYC, 0 },
	{ "--no-pad", NULL, true, TL_PT_TEXT_NO_PAD, 0 },
	{ "--no-timing", NULL, true, TL_PT_TEXT_NO_TIMING, 0 },
	{ "--no-offset", NULL, true, TL_PT_TEXT_NO_OFFSET, 0 },
	{ "--quiet", NULL, true, TL_PT_TEXT_QUIET, 0 },
	{ "--event:ip", NULL, true, TL_PT_TEXT_EVENT_IP, 0 },
	{ "--event:time", NULL, true, TL_PT_TEXT_TIME, 0 },
	{ "--event:tick", NULL, true, 0, TL_PT_TICK_EVENTS },
	{ "--event:iflags", NULL, true, 0, TL_PT_IFLAG_EVENTS },
	{ "--block:show-blocks", NULL, true, TL_PT_TEXT_BLOCKS, 0 },
	{ "--block:end-on-call", NULL, true, 0, TL_PT_END_ON_CALL },
	{ "--block:end-on-jump", NULL, true, 0, TL_PT_END_ON_JUMP },
	{ "--block:keep-tcal-on-ovf", NULL, true, 0, TL_PT_KEEP_TCAL },
	{ "--insn:keep-tcal-on-ovf", NULL, true, 0, TL_PT_KEEP_TCAL },
	{ "--keep-tcal-on-ovf", NULL, true, 0, TL_PT_KEEP_TCAL },
	{ "--resync-on-error", NULL, true, TL_PT_TEXT_RESYNC, 0 },
};

/* False: an option that is not ours. `--raw` is a switch of ptdump and takes a value in ptxed. */
static bool take_option(struct case_ *c, const char *name, char **rest)
{
	bool dump = !strcmp(c->column[TOOL], "ptdump");

	if (!strcmp(name, "--raw") && dump) {
		c->flags |= TL_PT_TEXT_RAW;
		return true;
	}
	if (!strcmp(name, "--raw")) {
		add_raw(c, strtok_r(NULL, " ", rest));
		return true;
	}
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(options[i].name, name))
			continue;
		c->flags |= options[i].wish;
		c->config.flags |= options[i].flag;
		if (options[i].set)
			options[i].set(c, options[i].plain ? NULL : strtok_r(NULL, " ", rest));
		return true;
	}
	return false;
}

static bool take_options(struct case_ *c)
{
	char *copy = strdup(c->column[OPTIONS]), *rest, *name = strtok_r(copy, " ", &rest);
	bool known = true;

	for (; known && name; name = strtok_r(NULL, " ", &rest)) {
		known = take_option(c, name, &rest);
		if (!known)
			printf("%s: option %s is not run\n", c->column[TEST], name);
	}
	free(copy);
	return known;
}

/* ---- texts ---- */

static char *squeeze(const char *text, size_t size)
{
	char *made = malloc(size + 2), *to = made;

	for (size_t i = 0; i < size; i++) {
		bool blank = text[i] == ' ' || text[i] == '\t';

		if (text[i] == '\n' || text[i] == '\r')
			while (to > made && to[-1] == ' ')
				to--;
		if (blank && (to == made || to[-1] == '\n' || to[-1] == ' '))
			continue;
		if (text[i] != '\r')
			*to++ = blank ? ' ' : text[i];
	}
	*to = '\0';
	return made;
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(MAX_TEXT);
	size_t size;
	char *made;

	if (!file || !text)
		die("cannot read", path);
	size = fread(text, 1, MAX_TEXT, file);
	fclose(file);
	made = squeeze(text, size);
	free(text);
	return made;
}

/* ---- running ---- */

static void run_dump(struct case_ *c, struct tl_output *out)
{
	struct tl_error err;

	if (c->bad_cpu)
		tl_put_text(out, "[0: failed to determine errata: unknown cpu]\n");
	tl_pt_dump_packets(&c->config, &(struct tl_pt_show){ .flags = c->flags }, out, NULL, NULL,
			   &err);
}

static void run_flow(struct case_ *c, bool block, struct tl_output *out)
{
	struct tl_pt_flow_counts counts = { 0 };
	unsigned flags = c->flags | (block ? TL_PT_TEXT_BY_BLOCK : 0);
	bool both = !c->stat_insn && !c->stat_blocks;
	struct tl_error err;

	if (!(flags & TL_PT_TEXT_QUIET))
		flags |= TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS;
	if (!block)
		flags &= ~(unsigned)TL_PT_TEXT_BLOCKS;
	if (c->bad_cpu) {
		tl_put_text(out, "[0, 0: config error: unknown cpu]\n");
		c->config.errata = 0;
	}
	tl_pt_dump_flow(&c->config, tl_pt_program_image(c->program),
			&(struct tl_pt_show){ .flags = flags }, out, NULL, NULL, &counts, &err);
	if (c->stat && (both || c->stat_insn))
		tl_put_format(out, "insn: %llu.\n", (unsigned long long)counts.insns);
	if (c->stat && block && (both || c->stat_blocks))
		tl_put_format(out, "blocks: %llu.\n", (unsigned long long)counts.blocks);
}

static bool compare(const struct case_ *c, const char *kind, struct tl_output *out,
		    const char *expected)
{
	size_t size;
	const char *bytes = tl_output_bytes(out, &size);
	char *got = squeeze(bytes, size);
	bool same = !strcmp(got, expected);

	if (!same && getenv("TL_VERBOSE"))
		printf("---- %s (%s, %s) options: %s\n-- expected\n%s-- got\n%s",
		       c->column[EXPECTED], c->column[PT], kind, c->column[OPTIONS], expected, got);
	else if (!same)
		printf("differs: %s %s\n", c->column[EXPECTED], kind);
	free(got);
	return same;
}

static bool run_one(struct case_ *c, const char *kind, const char *expected)
{
	struct tl_output *out;
	struct tl_error err;
	bool same;

	if (tl_output_open_memory(&out, &err) < 0)
		die("no memory", c->column[TEST]);
	if (!strcmp(kind, "packets"))
		run_dump(c, out);
	else
		run_flow(c, !strcmp(kind, "block"), out);
	same = compare(c, kind, out, expected);
	tl_output_discard(out);
	return same;
}

static void open_case(struct case_ *c)
{
	char *pt = path_of(c, c->column[PT]), *bin = path_of(c, c->column[BIN]);
	const uint8_t *data = NULL;
	struct tl_error err;
	size_t size = 0;

	c->config = (struct tl_pt_config){ .size = sizeof(c->config) };
	if (tl_source_open(&c->source, pt, NULL, &err) < 0 ||
	    tl_source_map(c->source, &data, &size, &err) < 0)
		die(err.text, pt);
	c->config.begin = data;
	c->config.end = data + size;
	if (tl_pt_program_open(&c->program, &err) < 0)
		die(err.text, pt);
	/* An empty one has no code at all. */
	tl_pt_program_add_raw(c->program, bin, 0, 0, number(c->column[ADDRESS]), &err);
	free(pt);
	free(bin);
}

/* 1: passed, 0: not, -1: not run. */
static int run_case(struct case_ *c)
{
	char *expected, *path;
	int passed = -1;

	open_case(c);
	if (!*c->column[SIDEBAND] && take_options(c)) {
		path = path_of(c, c->column[EXPECTED]);
		expected = read_text(path);
		passed = 1;
		if (!strcmp(c->column[TOOL], "ptdump"))
			passed &= run_one(c, "packets", expected);
		else if (!c->decoder || !strcmp(c->decoder, "block"))
			passed &= run_one(c, "block", expected);
		if (strcmp(c->column[TOOL], "ptdump") &&
		    (!c->decoder || !strcmp(c->decoder, "insn")))
			passed &= run_one(c, "insn", expected);
		free(expected);
		free(path);
	}
	tl_pt_program_close(c->program);
	tl_source_close(c->source);
	return passed;
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
	unsigned passed = 0, failed = 0, skipped = 0, known = 0;
	const char *why;
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
		struct case_ c = { .directory = argv[1] };
		bool wanted = argc < 3;
		int result;

		if (!read_case(&c, line) || !strcmp(c.column[TEST], "test"))
			continue;
		for (int i = 2; i < argc; i++)
			wanted |= strstr(c.column[EXPECTED], argv[i]) != NULL;
		if (!wanted)
			continue;
		result = run_case(&c);
		why = deviation(c.column[EXPECTED]);
		if (why)
			printf("%s: %s\n", c.column[EXPECTED], result ? "no longer differs" : why);
		passed += result > 0;
		known += result == 0 && why;
		failed += why ? result > 0 : result == 0;
		skipped += result < 0;
	}
	fclose(manifest);
	free(path);
	printf("%u cases passed, %u differ, %u more as is known, %u not run (with sideband: "
	       "perf_forms)\n",
	       passed, failed, known, skipped);
	return failed ? 1 : 0;
}
