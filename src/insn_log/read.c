/* SPDX-License-Identifier: Apache-2.0 */
/* A log line by line, and what is said of it in the end. */
#include <inttypes.h>

#include "core/error.h"
#include "core/source.h"
#include "insn_log/reading.h"

/* Logs of another set are refused early: so many opcodes are enough to know. */
enum { ENOUGH = 4096, TOO_MANY = 8 };

static bool is_other_set(const struct tl_insn_log_reading *r)
{
	return r->other_machine > r->seen || r->unallocated > r->seen / TOO_MANY;
}

static int check_set(const struct tl_insn_log_reading *r, struct tl_error *err)
{
	if (!is_other_set(r))
		return 0;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "a log of instructions of another set than A64, the only one of which "
			   "logs are read");
}

static int take_line(struct tl_insn_log_reading *r, struct tl_error *err)
{
	if (r->lines.too_long)
		return tl_insn_log_broken(r, "a line longer than 16 MiB; left it out", err);
	switch (r->log->form) {
	case TL_INSN_LOG_QEMU:
		return tl_insn_log_qemu_line(r, err);
	case TL_INSN_LOG_EXECLOG:
		return tl_insn_log_execlog_line(r, err);
	default:
		return tl_insn_log_tarmac_line(r, err);
	}
}

static int read_lines(struct tl_insn_log_reading *r, struct tl_error *err)
{
	uint64_t checked = 0;
	int status;

	while ((status = tl_lines_next(&r->lines, err)) > 0) {
		status = take_line(r, err);
		if (status == 0 && r->seen + r->other_machine >= checked + ENOUGH) {
			checked = r->seen + r->other_machine;
			status = check_set(r, err);
		}
		if (status < 0)
			return status;
	}
	return status;
}

/* Instructions that are not there, and such as may not have been executed. */
static int say_counts(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_foreign_faults *faults = &r->log->faults;
	int status = 0;

	if (r->no_text)
		status = tl_foreign_say(faults, TL_BAD_RECORD, "block", err,
					"%" PRIu64 " executed blocks have no text (`in_asm`): left "
					"out",
					r->no_text);
	if (status == 0 && r->linked)
		status =
			tl_foreign_say(faults, TL_BAD_RECORD, "linked", err,
				       "written without `nochain`: executions of linked blocks are "
				       "not in the log, and not counted");
	if (status == 0 && r->elsewhere && r->log->form != TL_INSN_LOG_TARMAC)
		status = tl_foreign_say(
			faults, TL_BAD_RECORD, "flow", err,
			"at %" PRIu64 " places execution goes on elsewhere than it was led to: a "
			"signal or exception, before which less of a block may have been executed "
			"than is counted, or executions that are not in the log",
			r->elsewhere);
	return status;
}

static int say(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_foreign_faults *faults = &r->log->faults;
	int status = say_counts(r, err);

	if (status == 0 && r->unsized)
		status = tl_foreign_say(faults, TL_UNSUPPORTED, "access", err,
					"%" PRIu64
					" accesses have no size, neither in the log nor by "
					"their instruction: left out",
					r->unsized);
	if (status == 0 && r->other_machine)
		status = tl_foreign_say(faults, TL_BAD_RECORD, "set", err,
					"%" PRIu64 " instructions are not A64: left out",
					r->other_machine);
	return status;
}

static int finish(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_insn_log_file *log = r->log;
	int status = check_set(r, err);

	tl_insn_log_qemu_end(r);
	log->lines = r->lines.number;
	for (size_t i = 0; i < log->cpu_count; i++)
		if (tl_output_failed(log->cpus[i].tokens))
			return tl_error_memory(err);
	if (status < 0)
		return status;
	if (!log->instructions)
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "no executed instruction: QEMU writes them with -d "
				   "in_asm,exec,nochain");
	return say(r, err);
}

static int begin(struct tl_insn_log_reading *r, struct tl_source *source, struct tl_error *err)
{
	const uint8_t *head;
	size_t size;
	int status = tl_source_peek(source, &head, &size, err);

	if (status < 0)
		return status;
	r->log->form = tl_insn_log_recognize(head, size);
	if (r->log->form == TL_INSN_LOG_NONE)
		return tl_error_at(err, TL_BAD_FORMAT, 0, "no log of instructions");
	if (r->log->form == TL_INSN_LOG_SPIKE)
		return tl_error_at(err, TL_UNSUPPORTED, 0,
				   "a log of Spike has RISC-V instructions; logs are read of A64 "
				   "only");
	r->opcodes = malloc(sizeof(*r->opcodes));
	if (!r->opcodes || !tl_lines_begin(&r->lines, source))
		return tl_error_memory(err);
	tl_a64_cache_begin(r->opcodes);
	return 0;
}

int tl_insn_log_read(struct tl_insn_log_file *log, struct tl_source *source, struct tl_error *err)
{
	struct tl_insn_log_reading r = { .log = log };
	int status;

	log->faults.format = "insn-log";
	status = begin(&r, source, err);
	if (status == 0)
		status = read_lines(&r, err);
	if (status == 0)
		status = finish(&r, err);
	tl_lines_end(&r.lines);
	tl_index_free(&r.by_id);
	tl_names_free(&r.names);
	tl_insn_log_blocks_end(&r.blocks);
	free(r.awaited);
	free(r.opcodes);
	return tl_error_format(err, "insn-log", status);
}

void tl_insn_log_end(struct tl_insn_log_file *log)
{
	for (size_t i = 0; i < log->cpu_count; i++)
		tl_output_discard(log->cpus[i].tokens);
	free(log->cpus);
	tl_foreign_faults_free(&log->faults);
	*log = (struct tl_insn_log_file){ 0 };
}
