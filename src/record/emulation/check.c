/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a QEMU can be trusted: much of what the plugin knows is how QEMU 7.2 is made
 * (emulator/README.md). A small program (emulator/check.S) is recorded, and what the recording says
 * compared with what single steps have shown.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracelathe/perf_data.h>

#include "core/memory.h"
#include "record/emulation/emulate.h"
#include "record/parts.h"

/*
 * The instructions of check.S, their hash (docs/formats/intel-pt.md) over distances from the first
 * one, and its exit status. A test has a single-stepping recorder say the same.
 */
enum { INSTRUCTIONS = 1678, STATUS = 42 };
static const uint64_t known_hash = UINT64_C(0x26705b1b6a003648);

struct flow {
	uint64_t first, instructions, hash, errors;
	struct tl_pt_decoder *decoder;
};

/* ---- what was recorded ---- */

static void take(struct flow *flow, uint64_t ip)
{
	if (!flow->instructions++)
		flow->first = ip;
	flow->hash = ((flow->hash << 5 | flow->hash >> 59) ^ (ip - flow->first)) *
		     UINT64_C(0x9e3779b97f4a7c15);
}

static int drain(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

static void follow(struct flow *flow, int status)
{
	struct tl_pt_insn insn;

	while ((status = drain(flow->decoder, status)) >= 0) {
		status = tl_pt_decoder_insn_next(flow->decoder, &insn, sizeof(insn));
		if (status >= 0)
			take(flow, insn.ip);
	}
	flow->errors += status != -TL_PT_EOS;
}

static void follow_slice(struct flow *flow, const struct tl_perf_sched_slice *slice)
{
	int status = 0;

	if (!slice->continues) {
		tl_pt_decoder_close(flow->decoder);
		flow->decoder = NULL;
		status = tl_pt_decoder_open(&flow->decoder, slice->config, slice->image);
	}
	if (status >= 0)
		status = tl_pt_decoder_set_asid(flow->decoder, &slice->asid);
	if (status >= 0)
		status = tl_pt_decoder_set_end(flow->decoder, slice->to);
	if (status >= 0 && !slice->continues)
		status = tl_pt_decoder_sync_forward(flow->decoder);
	if (flow->decoder)
		follow(flow, status);
}

static int read_flow(const char *path, struct flow *flow, struct tl_error *err)
{
	const struct tl_perf_trace_options options = { .size = sizeof(options),
						       .process = TL_NOWHERE,
						       .thread = TL_NOWHERE,
						       .cpu = TL_NOWHERE };
	struct tl_perf_sched_slice slice;
	struct tl_perf_trace *trace = NULL;
	struct tl_source *source = NULL;
	int status = tl_source_open(&source, path, NULL, err);

	*flow = (struct flow){ .hash = UINT64_C(0xcbf29ce484222325) };
	if (status >= 0)
		status = tl_perf_trace_open(&trace, source, &options, err);
	while (status >= 0 && (status = tl_perf_trace_next(trace, &slice, sizeof(slice), err)) > 0)
		follow_slice(flow, &slice);
	tl_pt_decoder_close(flow->decoder);
	if (trace)
		tl_perf_trace_close(trace);
	tl_source_close(source);
	return status;
}

static int record_known(const struct tl_emulator *emulator, const char *folder, struct flow *flow,
			int *exit_status, struct tl_error *err)
{
	const char *const arguments[] = { emulator->check, NULL };
	const struct tl_record_options options = { .size = sizeof(options),
						   .arguments = arguments };
	char output[TL_RECORD_PATH], parts[TL_RECORD_PATH];
	struct tl_record_program *program = calloc(1, sizeof(*program));
	struct tl_record_result result = { .status = 0 };
	struct tl_record_session session = {
		.options = &options,
		.program = program,
		.output = output,
		.parts = parts,
		.result = &result,
	};
	int status;

	if (!program)
		return TL_NO_MEMORY;
	snprintf(program->path, sizeof(program->path), "%s", emulator->check);
	snprintf(output, sizeof(output), "%.4000s/recording", folder);
	snprintf(parts, sizeof(parts), "%.4000s/recording.parts", folder);
	status = tl_emulate(&session, emulator, err);
	free(program);
	*exit_status = result.status;
	if (status < 0)
		return status;
	return read_flow(output, flow, err);
}

/* ---- what is remembered ---- */

static uint64_t identity(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return 0;
	return tl_hash_pair(
		tl_hash_pair((uint64_t)status.st_size, (uint64_t)status.st_ino),
		tl_hash_pair((uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec));
}

/* The file that says that these have passed; false: there is no place for it. */
static bool name_memory(const struct tl_emulator *emulator, char path[TL_RECORD_PATH])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const uint64_t hash =
		tl_hash_pair(identity(emulator->qemu),
			     tl_hash_pair(identity(emulator->plugin), identity(emulator->check)));
	int used;

	if (cache && *cache)
		used = snprintf(path, TL_RECORD_PATH, "%s/tracelathe", cache);
	else if (home && *home)
		used = snprintf(path, TL_RECORD_PATH, "%s/.cache/tracelathe", home);
	else
		return false;
	if (used >= TL_RECORD_PATH - 64)
		return false;
	snprintf(path + used, (size_t)(TL_RECORD_PATH - used), "/emulator-%016" PRIx64, hash);
	return true;
}

static void remember(char path[TL_RECORD_PATH])
{
	char *slash = strrchr(path, '/');
	FILE *file;

	*slash = '\0';
	if (mkdir(path, 0700) && errno == ENOENT) {
		char *above = strrchr(path, '/');

		*above = '\0';
		mkdir(path, 0700);
		*above = '/';
		mkdir(path, 0700);
	}
	*slash = '/';
	file = fopen(path, "wbe");
	if (file)
		fclose(file);
}

/* ---- trying ---- */

static bool is_as_known(const struct tl_emulator *emulator, const char *folder,
			char reason[TL_RECORD_TEXT])
{
	struct tl_error err = { .text = "" };
	struct flow flow;
	int exit_status;

	if (record_known(emulator, folder, &flow, &exit_status, &err) < 0) {
		snprintf(reason, TL_RECORD_TEXT,
			 "the program that QEMU is tried with could not be recorded: %s", err.text);
		return false;
	}
	if (exit_status == STATUS && flow.instructions == INSTRUCTIONS && flow.hash == known_hash &&
	    !flow.errors)
		return true;
	snprintf(reason, TL_RECORD_TEXT,
		 "this QEMU does not behave as version 7.2: of a known program of %d instructions "
		 "that exits with %d, %" PRIu64 " were recorded (hash %016" PRIx64 ", %" PRIu64
		 " errors), and it exited with %d",
		 INSTRUCTIONS, STATUS, flow.instructions, flow.hash, flow.errors, exit_status);
	return false;
}

bool tl_emulate_is_trusted(const struct tl_emulator *emulator, char reason[TL_RECORD_TEXT])
{
	char memory[TL_RECORD_PATH], folder[TL_RECORD_PATH];
	const char *temporary = getenv("TMPDIR");
	const bool can_remember = name_memory(emulator, memory);
	bool trusted;

	if (can_remember && !access(memory, F_OK))
		return true;
	snprintf(folder, sizeof(folder), "%.4000s/tracelathe-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder)) {
		snprintf(reason, TL_RECORD_TEXT, "no folder to try QEMU in: %s", strerror(errno));
		return false;
	}
	trusted = is_as_known(emulator, folder, reason);
	tl_record_parts_remove(folder);
	if (trusted && can_remember)
		remember(memory);
	return trusted;
}
