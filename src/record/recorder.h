/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_RECORDER_H
#define TL_RECORD_RECORDER_H
/* One way to record: a row of the table in recorders.c. */
#include <sys/stat.h>
#include <time.h>

#include <tracelathe/record.h>

#include "record/program.h"

enum { TL_RECORD_TEXT = 320 };

/* One recording while it is made. */
struct tl_record_session {
	const struct tl_record_options *options;
	const struct tl_record_program *program;
	const char *output; /* what the recorder writes */
	const char *parts;  /* the folder OUTPUT.parts */
	tl_record_note_fn *note;
	void *note_arg;
	struct tl_record_result *result;
	uint64_t hz; /* of the TSC, measured before */
	/*
	 * of the same TSC, measured over the time of the first process: one for all logs, as costs
	 * of different clocks cannot be added up. `rough_hz` is what that process had; 0: not known
	 */
	uint64_t exact_hz, rough_hz;
	int32_t child;    /* the program's process */
	unsigned unnamed; /* files of the recording that its command has no room for */
};

enum tl_recorder_answer {
	TL_RECORDER_NO,
	TL_RECORDER_ASKED, /* it can, if it is asked for by name */
	TL_RECORDER_YES,
};

typedef enum tl_recorder_answer tl_recorder_probe_fn(const struct tl_record_program *program,
						     char reason[TL_RECORD_TEXT]);
typedef int tl_recorder_run_fn(struct tl_record_session *session, struct tl_error *err);

struct tl_recorder {
	const char *name, *help;
	const char *suffix; /* of the default name of the recording */
	/* Whether it can record the program (NULL: any), and why, or why not. */
	tl_recorder_probe_fn *probe;
	/* Run the program to its end; the result's `recorded` and `command` are set. */
	tl_recorder_run_fn *run;
};

/* The best first; ends with a NULL name. */
extern const struct tl_recorder tl_recorders[];

/* A line of text to whoever wants to know. */
void tl_record_note(const struct tl_record_session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Add a file of the recording to the command that reads it. */
void tl_record_add_file(struct tl_record_session *session, const char *path);
/* The same of a file with code: `--binary FILE` or `--binary FILE@ADDRESS`. */
void tl_record_add_binary(struct tl_record_session *session, const char *file);
/* Say what the command had no room for. */
void tl_record_tell_unnamed(struct tl_record_session *session);

/* Whether a file was written last before a time of CLOCK_REALTIME_COARSE, the clock of files. */
bool tl_record_is_older(const struct stat *file, const struct timespec *time);

/* preload.c: recorders that work inside the program */
tl_recorder_probe_fn tl_record_probe_xray, tl_record_probe_xray_fdr, tl_record_probe_xray_basic;
tl_recorder_probe_fn tl_record_probe_calls, tl_record_probe_patch;
tl_recorder_run_fn tl_record_run_xray, tl_record_run_xray_fdr, tl_record_run_xray_basic;
tl_recorder_run_fn tl_record_run_calls, tl_record_run_patch;

/* tools.c: recorders that are programs of their own */
tl_recorder_probe_fn tl_record_probe_pt, tl_record_probe_callgrind;
tl_recorder_run_fn tl_record_run_pt, tl_record_run_callgrind;

/* emulation/: QEMU with our plugin */
tl_recorder_probe_fn tl_record_probe_emulate;
tl_recorder_run_fn tl_record_run_emulate;
/* Whether a folder of parts has such a recording. */
bool tl_emulation_is_in(const char *folder);
/* Make the session's output of its folder of parts, and remove the folder. */
int tl_emulation_join(struct tl_record_session *session, struct tl_error *err);
/* The same for the pairs of files of an AArch64 program. */
bool tl_emulation_has_pairs(const char *folder);
int tl_emulation_join_pairs(struct tl_record_session *session, struct tl_error *err);

#endif
