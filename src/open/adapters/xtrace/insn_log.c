/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of instructions as an input: read into streams in memory when it is opened, which are an
 * xtrace input from then on.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/facts.h"
#include "insn_log/insn_log.h"
#include "open/adapters/foreign.h"
#include "open/adapters/xtrace/xtrace.h"
#include "xtrace/format/trace.h"

struct log_input {
	struct tl_xtrace_input xtrace; /* first: the operations of xtrace find it at the handle */
	struct tl_insn_log_file log;
};

enum { NAME = 64 };

/* A stream in memory as a file of xtrace; the name tells its number. */
static int add_stream(struct log_input *in, const struct tl_insn_log_cpu *cpu,
		      struct tl_xtrace_file *file, char *name, struct tl_error *err)
{
	struct tl_xtrace_input *x = &in->xtrace;
	size_t size;
	const char *bytes = tl_output_bytes(cpu->tokens, &size);
	int status;

	snprintf(name, NAME, "xtrace.log.%llu.hint9.xinsndata.bin", (unsigned long long)cpu->id);
	status = tl_source_open_memory(&x->sources[x->source_count], bytes, size, name, err);
	if (status < 0)
		return status;
	*file = (struct tl_xtrace_file){ name, x->sources[x->source_count++] };
	return 0;
}

static int open_streams(struct log_input *in, struct tl_xtrace_file *files, char (*names)[NAME],
			struct tl_error *err)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	const struct tl_insn_log_file *log = &in->log;
	size_t count = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < log->cpu_count; i++) {
		/* A processor of which only accesses are logged has no stream. */
		if (!log->cpus[i].instructions)
			continue;
		status = add_stream(in, &log->cpus[i], &files[count], names[count], err);
		count++;
	}
	if (status < 0)
		return status;
	status = tl_xtrace_open(&in->xtrace.trace, files, count, &options, NULL, err);
	if (status < 0)
		return status;
	in->xtrace.trace->format = log->faults.format;
	in->xtrace.trace->no_accesses = !log->has_accesses;
	return 0;
}

static int make_trace(struct log_input *in, struct tl_error *err)
{
	const size_t count = in->log.cpu_count;
	struct tl_xtrace_file *files = calloc(count, sizeof(*files));
	char(*names)[NAME] = calloc(count, sizeof(*names));
	int status;

	in->xtrace.sources = calloc(count, sizeof(struct tl_source *));
	in->xtrace.is_log = true;
	if (files && names && in->xtrace.sources)
		status = open_streams(in, files, names, err);
	else
		status = tl_error_memory(err);
	free(files);
	free(names);
	return status;
}

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	if (o->filter.from_seconds <= 0 && o->filter.to_seconds <= 0)
		return 0;
	return tl_error_format(err, "insn-log",
			       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "times of a log of instructions are not read: there are "
					   "none to choose by"));
}

static int open_log(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err)
{
	struct log_input *in = calloc(1, sizeof(*in));
	int status;

	(void)paths;
	(void)path_count;
	if (!in)
		return tl_error_memory(err);
	input->handle = in;
	in->log.faults.strict = input->options.strict;
	status = check_options(&input->options, err);
	if (status == 0)
		status = tl_insn_log_read(&in->log, input->source, err);
	if (status == 0)
		status = make_trace(in, err);
	if (status == 0)
		status = tl_xtrace_input_open_binaries(input, failed, err);
	return status;
}

static void close_log(struct tl_input *input)
{
	struct log_input *in = input->handle;
	struct tl_insn_log_file log = in->log;

	/* The streams stand in the log. */
	tl_xtrace_input_close(input);
	tl_insn_log_end(&log);
}

static int describe_log(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err)
{
	const struct tl_insn_log_file *log = &((struct log_input *)input->handle)->log;
	struct tl_facts facts;

	(void)err;
	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", log->faults.format);
	tl_fact_text(&facts, "form", tl_insn_log_form_name(log->form));
	tl_fact_u64(&facts, "lines", log->lines);
	tl_fact_u64(&facts, "processors", log->cpu_count);
	tl_fact_u64(&facts, "instructions", log->instructions);
	if (log->blocks)
		tl_fact_u64(&facts, "blocks_executed", log->blocks);
	if (log->has_accesses) {
		tl_fact_u64(&facts, "loads", log->loads);
		tl_fact_u64(&facts, "stores", log->stores);
	}
	tl_fact_u64(&facts, "damaged", log->faults.count);
	tl_fact_u64(&facts, "skipped_bytes", log->faults.skipped_bytes);
	tl_facts_end(&facts);
	return 0;
}

static int dump_log(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status < 0)
		return status;
	return tl_xtrace_input_instructions(input, &select, json, out, err);
}

static int analyze_log(struct tl_input *input, const struct tl_analysis *analysis,
		       struct tl_output *out, const char **failed, struct tl_error *err)
{
	const struct log_input *in = input->handle;

	return tl_xtrace_input_analyze_log(input, analysis, in->log.has_accesses, out, failed, err);
}

static size_t damage_log(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes)
{
	struct log_input *in = input->handle;
	const size_t listed = tl_foreign_list_faults(&in->log.faults, places, room);

	*count = in->log.faults.count;
	*skipped_bytes = in->log.faults.skipped_bytes;
	return listed + tl_xtrace_input_damage(&in->xtrace, places + listed, room - listed, count);
}

const struct tl_format tl_insn_log_format = {
	.info = {
		.name = "insn-log",
		.help = "A64 instructions as QEMU (-d in_asm,exec,nochain), its plugin execlog "
			"and Arm's models (Tarmac) log them",
		.record_word = "line",
		.machine = EM_AARCH64,
	},
	.numbers_instructions = true,
	.probe = tl_insn_log_probe,
	.open = open_log,
	.close = close_log,
	.fold = tl_xtrace_input_fold,
	.describe = describe_log,
	.dump = dump_log,
	.analyze = analyze_log,
	.calls = tl_xtrace_input_calls,
	.locate = tl_xtrace_input_locate,
	.executed = tl_xtrace_input_executed,
	.code = tl_xtrace_input_code,
	.damage = damage_log,
};
