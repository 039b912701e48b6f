/* SPDX-License-Identifier: Apache-2.0 */
/* The table of recorders, and how one of them is chosen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "record/clock.h"
#include "record/parts.h"
#include "record/recorder.h"

const struct tl_recorder tl_recorders[] = {
	/* clang-format off */
	{ .name = "xray", .suffix = ".xray",
	  .help = "XRay sleds, our own writer: every call, kept after any end",
	  .probe = tl_record_probe_xray, .run = tl_record_run_xray },
	{ .name = "calls", .suffix = ".xray",
	  .help = "-finstrument-functions or -pg -mfentry, our own writer: every call",
	  .probe = tl_record_probe_calls, .run = tl_record_run_calls },
	{ .name = "patch", .suffix = ".xray",
	  .help = "-fpatchable-function-entry, our own writer: every call",
	  .probe = tl_record_probe_patch, .run = tl_record_run_patch },
	{ .name = "xray-basic", .suffix = ".xray",
	  .help = "XRay sleds, LLVM's basic mode, where the run-time cannot be found",
	  .probe = tl_record_probe_xray_basic, .run = tl_record_run_xray_basic },
	{ .name = "intel-pt", .suffix = ".perf",
	  .help = "perf record -e intel_pt//u: every branch, at full speed",
	  .probe = tl_record_probe_pt, .run = tl_record_run_pt },
	{ .name = "emulate", .suffix = ".perf",
	  .help = "QEMU with a plugin that writes Intel PT (AArch64: xtrace): any program, all "
		  "instructions",
	  .probe = tl_record_probe_emulate, .run = tl_record_run_emulate },
	{ .name = "callgrind", .suffix = ".callgrind",
	  .help = "valgrind --tool=callgrind: any program, 50 times slower, no times",
	  .probe = tl_record_probe_callgrind, .run = tl_record_run_callgrind },
	{ .name = "xray-fdr", .suffix = ".xray",
	  .help = "XRay sleds, LLVM's flight data recorder: lost when the program is killed",
	  .probe = tl_record_probe_xray_fdr, .run = tl_record_run_xray_fdr },
	{ .name = NULL },
	/* clang-format on */
};

const char *tl_recorder_name(size_t number)
{
	size_t count = sizeof(tl_recorders) / sizeof(tl_recorders[0]);

	return number < count ? tl_recorders[number].name : NULL;
}

/* ---- asking ---- */

static enum tl_recorder_answer ask(const struct tl_recorder *recorder,
				   const struct tl_record_program *program,
				   char reason[TL_RECORD_TEXT])
{
	reason[0] = '\0';
	if (program && program->refused) {
		snprintf(reason, TL_RECORD_TEXT, "%s", program->refused);
		return TL_RECORDER_NO;
	}
	return recorder->probe(program, reason);
}

static int check_options(const struct tl_record_options *options, struct tl_error *err)
{
	if (options && options->size == sizeof(*options))
		return 0;
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "options of a recording of another size than this library's");
}

int tl_record_survey(const struct tl_record_options *options, tl_recorder_offer_fn *fn, void *arg,
		     struct tl_error *err)
{
	struct tl_record_program *program = NULL;
	char reason[TL_RECORD_TEXT];
	int status = check_options(options, err);

	if (status)
		return status;
	if (options->arguments && options->arguments[0]) {
		program = malloc(sizeof(*program));
		if (!program)
			return tl_error_memory(err);
		status = tl_record_program_open(program, options->arguments[0], err);
	}
	for (const struct tl_recorder *r = tl_recorders; status == 0 && r->name; r++) {
		enum tl_recorder_answer answer = ask(r, program, reason);
		const struct tl_recorder_offer offer = {
			.name = r->name,
			.help = r->help,
			.possible = answer != TL_RECORDER_NO,
			.reason = reason,
		};

		status = fn(arg, &offer);
	}
	free(program);
	return status;
}

/* ---- choosing ---- */

static const struct tl_recorder *named(const char *name)
{
	const struct tl_recorder *recorder = tl_recorders;

	while (recorder->name && strcmp(recorder->name, name) != 0)
		recorder++;
	return recorder->name ? recorder : NULL;
}

/* NULL, and *err: none can. */
static const struct tl_recorder *choose(struct tl_record_session *session, struct tl_error *err)
{
	const struct tl_record_options *options = session->options;
	const struct tl_recorder *recorder = options->how ? named(options->how) : tl_recorders;
	enum tl_recorder_answer least = options->how ? TL_RECORDER_ASKED : TL_RECORDER_YES;
	char reason[TL_RECORD_TEXT] = "";

	if (!recorder) {
		tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			    "no recorder has this name; --list shows them");
		return NULL;
	}
	if (session->program->refused) {
		tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, session->program->refused);
		return NULL;
	}
	for (; recorder->name; recorder++) {
		if (ask(recorder, session->program, reason) >= least) {
			tl_record_note(session, "%s: %s", recorder->name, reason);
			return recorder;
		}
		if (!options->how)
			continue;
		tl_record_note(session, "%s: %s", recorder->name, reason);
		tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			    "this recorder cannot record the program here");
		return NULL;
	}
	tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
		    "no recorder can record the program here; --list says why");
	return NULL;
}

/* ---- running ---- */

/* The name of the recording, and of the folder of its parts; both absolute. */
static int name_output(struct tl_record_session *session, const struct tl_recorder *recorder,
		       char output[TL_RECORD_PATH], char parts[TL_RECORD_PATH],
		       struct tl_error *err)
{
	const char *name = strrchr(session->program->path, '/') + 1;
	const char *given = session->options->output;
	int size = given ? snprintf(output, TL_RECORD_PATH, "%s", given)
			 : snprintf(output, TL_RECORD_PATH, "%s%s", name, recorder->suffix);

	if (size < TL_RECORD_PATH)
		return tl_record_parts_name(output, parts, err);
	return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "the name of the recording is too long");
}

static int record(struct tl_record_session *session, struct tl_error *err)
{
	char output[TL_RECORD_PATH], parts[TL_RECORD_PATH];
	const struct tl_recorder *recorder = choose(session, err);
	int status;

	if (!recorder)
		return TL_BAD_USAGE;
	status = name_output(session, recorder, output, parts, err);
	if (status < 0)
		return status;
	session->output = output;
	session->parts = parts;
	session->hz = tl_record_common_hz();
	return recorder->run(session, err);
}

int tl_record_run(const struct tl_record_options *options, tl_record_note_fn *note, void *arg,
		  struct tl_record_result *result, size_t size, struct tl_error *err)
{
	struct tl_record_result made = { .status = 0 };
	struct tl_record_program *program;
	int status = check_options(options, err);

	if (status)
		return status;
	if (!options->arguments || !options->arguments[0])
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no program to record");
	program = malloc(sizeof(*program));
	if (!program)
		return tl_error_memory(err);
	struct tl_record_session session = {
		.options = options,
		.program = program,
		.note = note,
		.note_arg = arg,
		.result = &made,
	};

	status = tl_record_program_open(program, options->arguments[0], err);
	if (status == 0)
		status = record(&session, err);
	free(program);
	if (status < 0)
		return status;
	tl_record_tell_unnamed(&session);
	return tl_give(result, size, sizeof(made), &made, sizeof(made)) < 0 ? TL_BAD_USAGE : 0;
}
