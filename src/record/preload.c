/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders that work inside the program: our run-time is preloaded and told by the environment
 * what to do (core/recording.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/recording.h"
#include "core/text/optional.h"
#include "record/chosen.h"
#include "record/parts.h"
#include "record/process.h"

/* ---- what they need ---- */

static enum tl_recorder_answer no(char reason[TL_RECORD_TEXT], const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return TL_RECORDER_NO;
}

static enum tl_recorder_answer yes(char reason[TL_RECORD_TEXT], const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return TL_RECORDER_YES;
}

/* What holds for all of them; NULL: nothing speaks against it. */
static const char *cannot_preload(const struct tl_record_program *program)
{
	char path[TL_RECORD_PATH];

	if (!program->is_elf)
		return "the program is no ELF file (a script?): name the program that runs it";
	if (!program->is_native)
		return "the program is for another processor";
	if (program->is_static && !program->has_runtime)
		return "the program is linked statically, so nothing can be preloaded; linked with "
		       "`pkg-config --libs tracelathe-record-static` it can be recorded";
	if (!tl_record_runtime(path))
		return "libtracelathe-record.so is not installed";
	return NULL;
}

enum tl_recorder_answer tl_record_probe_xray(const struct tl_record_program *program,
					     char reason[TL_RECORD_TEXT])
{
	if (!program)
		return yes(reason, "programs built with clang -fxray-instrument");
	if (!program->has_sleds)
		return no(reason, "the program has no XRay sleds (clang -fxray-instrument)");
	if (cannot_preload(program))
		return no(reason, cannot_preload(program));
	if (!program->has_xray_api)
		return no(reason,
			  "the program has no symbols of XRay's run-time (is it stripped?)");
	return yes(reason, "the program has XRay sleds, whose handler our writer becomes");
}

enum tl_recorder_answer tl_record_probe_xray_fdr(const struct tl_record_program *program,
						 char reason[TL_RECORD_TEXT])
{
	enum tl_recorder_answer answer = tl_record_probe_xray(program, reason);

	if (answer == TL_RECORDER_NO || !program)
		return answer;
	if (!program->has_flight_recorder)
		return no(reason, "the flight data recorder is not linked in "
				  "(-fxray-modes=xray-fdr), or the program is stripped");
	return yes(reason, "the program has LLVM's flight data recorder");
}

enum tl_recorder_answer tl_record_probe_xray_basic(const struct tl_record_program *program,
						   char reason[TL_RECORD_TEXT])
{
	if (!program)
		return yes(reason, "programs built with clang -fxray-instrument");
	if (!program->has_sleds)
		return no(reason, "the program has no XRay sleds (clang -fxray-instrument)");
	return yes(reason, "the program has XRay sleds, and its run-time begins basic mode by "
			   "itself; what it wrote last, and most after a signal, is lost");
}

enum tl_recorder_answer tl_record_probe_calls(const struct tl_record_program *program,
					      char reason[TL_RECORD_TEXT])
{
	if (!program)
		return yes(reason, "programs built with -finstrument-functions or -pg -mfentry");
	if (cannot_preload(program))
		return no(reason, cannot_preload(program));
	if (program->has_fentry && program->has_unwinder)
		return no(reason, "-pg -mfentry: the program has the unwinder of exceptions linked "
				  "in (-static-libgcc), which would lose its way");
	if (program->has_calls)
		return yes(reason, "the program was built with -finstrument-functions");
	if (program->has_fentry)
		return yes(reason, "the program was built with -pg -mfentry");
	snprintf(reason, TL_RECORD_TEXT,
		 "the program itself was not built with -finstrument-functions or -pg -mfentry "
		 "(its libraries may be)");
	return TL_RECORDER_ASKED;
}

/* NOPs that a call is written over. */
#if defined(__aarch64__)
#define ROOM "2"
#else
#define ROOM "5"
#endif

enum tl_recorder_answer tl_record_probe_patch(const struct tl_record_program *program,
					      char reason[TL_RECORD_TEXT])
{
#if !defined(__x86_64__) && !defined(__aarch64__)
	return no(reason, "only built for x86-64 and AArch64");
#endif
	if (!program)
		return yes(reason, "programs built with -fpatchable-function-entry=" ROOM);
	if (cannot_preload(program))
		return no(reason, cannot_preload(program));
	if (!program->has_patchable)
		return no(reason,
			  "the program was not built with -fpatchable-function-entry=" ROOM);
	if (program->has_unwinder)
		return no(reason, "the program has the unwinder of exceptions linked in "
				  "(-static-libgcc), which would lose its way");
	return yes(reason, "the program has functions with patchable entries");
}

/* ---- running ---- */

enum { LLVM_BUFFER = 1 << 20, MOST_LLVM_BUFFERS = 256 };

struct texts {
	char preload[2 * TL_RECORD_PATH], options[256], llvm[256], xray[2 * TL_RECORD_PATH];
};

static void write_options(struct texts *texts, const struct tl_record_session *session,
			  const char *front)
{
	const struct tl_record_options *o = session->options;

	snprintf(texts->options, sizeof(texts->options),
		 "hz=%" PRIu64 " threshold=%.0f ring=%" PRIu64 " depth=%" PRIu32 " %s=1",
		 session->hz, o->threshold_seconds * 1e9, o->ring_bytes, o->depth, front);
}

static void write_preload(struct texts *texts)
{
	const char *present = getenv("LD_PRELOAD");
	char path[TL_RECORD_PATH];

	tl_record_runtime(path);
	snprintf(texts->preload, sizeof(texts->preload), "%.4000s%s%.4000s", path,
		 tl_text_if(present && *present, ":"), tl_text_or_empty(present));
}

/* Numbers of the functions that match, in a file that the run-time reads. */
static int write_functions(struct tl_record_session *session, bool sleds, struct tl_error *err)
{
	char *numbers;
	size_t size;
	int status;

	if (!session->options->function)
		return 0;
	status = tl_record_chosen(session->program->path, session->options->function, sleds,
				  &numbers, &size, err);
	if (status < 0)
		return status;
	status = tl_record_parts_write(session->parts, "functions", numbers, size, err);
	free(numbers);
	return status;
}

static int run_own(struct tl_record_session *session, const char *front, struct tl_error *err)
{
	struct texts texts;
	const struct tl_record_variable variables[] = {
		{ TL_RECORDING_FOLDER, session->parts },
		{ TL_RECORDING_OPTIONS, texts.options },
		{ "LD_PRELOAD", texts.preload },
		{ NULL, NULL },
	};
	int status;

	write_options(&texts, session, front);
	write_preload(&texts);
	status = tl_record_process_run(session, session->program->path, session->options->arguments,
				       variables, err);
	if (status < 0)
		return status;
	return tl_record_parts_join(session, err);
}

static int with_parts(struct tl_record_session *session, bool sleds, const char *front,
		      int (*run)(struct tl_record_session *, const char *, struct tl_error *),
		      struct tl_error *err)
{
	int status = tl_record_parts_make(session->parts, err);

	if (status == 0)
		status = write_functions(session, sleds, err);
	if (status == 0)
		status = run(session, front, err);
	if (status < 0 && !session->child)
		tl_record_parts_remove(session->parts);
	return status;
}

static int refuse_choice(const struct tl_record_session *session, struct tl_error *err)
{
	if (!session->options->function)
		return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "functions cannot be chosen with this recorder; `report --function` "
			   "chooses when it reads");
}

int tl_record_run_xray(struct tl_record_session *session, struct tl_error *err)
{
	return with_parts(session, true, "xray", run_own, err);
}

int tl_record_run_patch(struct tl_record_session *session, struct tl_error *err)
{
	return with_parts(session, false, "patch", run_own, err);
}

int tl_record_run_calls(struct tl_record_session *session, struct tl_error *err)
{
	int status = refuse_choice(session, err);

	if (status < 0)
		return status;
	return with_parts(session, false, "calls", run_own, err);
}

/* ---- LLVM's recorders ---- */

static void write_llvm(struct texts *texts, const struct tl_record_session *session)
{
	const struct tl_record_options *o = session->options;
	uint64_t size = o->buffer_bytes ? o->buffer_bytes : LLVM_BUFFER;
	uint64_t count = o->ring_bytes ? o->ring_bytes / size : MOST_LLVM_BUFFERS;

	snprintf(texts->llvm, sizeof(texts->llvm),
		 "func_duration_threshold_us=%.0f buffer_size=%" PRIu64 " buffer_max=%" PRIu64,
		 o->threshold_seconds * 1e6, size, tl_max(count, 2));
}

static int run_llvm(struct tl_record_session *session, const char *front, struct tl_error *err)
{
	struct texts texts;
	const struct tl_record_variable variables[] = {
		{ TL_RECORDING_FOLDER, session->parts }, { TL_RECORDING_OPTIONS, texts.options },
		{ TL_RECORDING_LLVM, texts.llvm },       { "XRAY_OPTIONS", texts.xray },
		{ "LD_PRELOAD", texts.preload },         { NULL, NULL },
	};
	int status;

	write_options(&texts, session, front);
	write_llvm(&texts, session);
	write_preload(&texts);
	snprintf(texts.xray, sizeof(texts.xray), "xray_logfile_base=%s/llvm-", session->parts);
	status = tl_record_process_run(session, session->program->path, session->options->arguments,
				       variables, err);
	if (status < 0)
		return status;
	return tl_record_parts_take_llvm(session, err);
}

static int run_basic(struct tl_record_session *session, const char *front, struct tl_error *err)
{
	struct texts texts;
	const struct tl_record_variable variables[] = {
		{ "XRAY_OPTIONS", texts.xray },
		{ "XRAY_BASIC_OPTIONS", texts.llvm },
		{ NULL, NULL },
	};
	int status;

	(void)front;
	snprintf(texts.llvm, sizeof(texts.llvm),
		 "func_duration_threshold_us=%.0f max_stack_depth=1024 thread_buffer_size=1024",
		 session->options->threshold_seconds * 1e6);
	snprintf(texts.xray, sizeof(texts.xray),
		 "patch_premain=true xray_mode=xray-basic xray_logfile_base=%s/llvm-",
		 session->parts);
	status = tl_record_process_run(session, session->program->path, session->options->arguments,
				       variables, err);
	if (status < 0)
		return status;
	return tl_record_parts_take_llvm(session, err);
}

int tl_record_run_xray_fdr(struct tl_record_session *session, struct tl_error *err)
{
	return with_parts(session, true, "llvm", run_llvm, err);
}

int tl_record_run_xray_basic(struct tl_record_session *session, struct tl_error *err)
{
	int status = refuse_choice(session, err);

	if (status < 0)
		return status;
	return with_parts(session, true, "", run_basic, err);
}
