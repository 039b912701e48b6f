/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_RECORD_H
#define TRACELATHE_RECORD_H
/**
 * @file
 * Recording: a program is run, and its trace brought home with what the program and the machine
 * have.
 *
 * One recorder is one way to do so. The recorders are asked in their order, the best first, whether
 * they can record the program here; the first that can is taken unless one is named.
 */
#include <tracelathe/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The name of recorder `number`, from 0, the best first; NULL: there are no more. */
TL_API const char *tl_recorder_name(size_t number);

/** What to run and how. Zero-filled with `size` and `arguments` set is a good default. */
struct tl_record_options {
	size_t size; /**< sizeof(struct tl_record_options) */
	/** the program, looked up in PATH, and its arguments; ends with NULL */
	const char *const *arguments;
	const char *how;          /**< name of the recorder; NULL: the first that can */
	const char *output;       /**< the recording; NULL: a name made of the program's */
	const char *function;     /**< only functions whose names match; NULL: all */
	double threshold_seconds; /**< calls shorter than this are left out */
	uint64_t ring_bytes;      /**< keep only the last so many bytes, a thread; 0: all */
	uint64_t buffer_bytes;    /**< XRay's own recorder: size of a buffer; 0: 1 MiB */
	uint32_t depth;           /**< at most so many calls inside each other; 0: all */
};

/** What a recorder says about a program. Strings live until the function returns. */
struct tl_recorder_offer {
	const char *name, *help;
	bool possible;      /**< it can record this program here */
	const char *reason; /**< why it can, or why not */
};

/** @return 0 to go on, anything else to stop */
typedef int tl_recorder_offer_fn(void *arg, const struct tl_recorder_offer *offer);

/**
 * Ask all recorders about a program, the best first.
 * @param options  of it `size` and `arguments` are read; no arguments: only what the
 *        machine can do is told
 * @return 0, or what `fn` returned; TL_IO: the program is not there; TL_BAD_USAGE; TL_NO_MEMORY
 */
TL_API int tl_record_survey(const struct tl_record_options *options, tl_recorder_offer_fn *fn,
			    void *arg, struct tl_error *err);

/** A line about the recording: which recorder was taken and why, what is missing. */
typedef void tl_record_note_fn(void *arg, const char *line);

/** How a recording ended. */
struct tl_record_result {
	int status; /**< of the program: its exit status, or 128 and the signal that ended it */
	bool recorded, incomplete; /**< there is a recording; it lacks something that was told */
	char command[1024];        /**< the arguments for `tracelathe report`: the files */
};

/**
 * Run a program and record it. Blocks until the program ends. Signals that the calling thread is
 * sent meanwhile (SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2) are handed on to the program;
 * it has the caller's standard streams, folder and environment.
 * @param note  called for each line; may be NULL
 * @param size  sizeof(*result)
 * @return 0 and the result; TL_BAD_USAGE: no recorder, or not the one named, can; TL_IO: the
 *         program cannot be run; TL_NO_MEMORY
 */
TL_API int tl_record_run(const struct tl_record_options *options, tl_record_note_fn *note,
			 void *arg, struct tl_record_result *result, size_t size,
			 struct tl_error *err);

/**
 * Make the recording OUTPUT of what an interrupted one left in the folder OUTPUT.parts.
 * @return as tl_record_run(); `result->status` is 0
 */
TL_API int tl_record_finish(const char *output, tl_record_note_fn *note, void *arg,
			    struct tl_record_result *result, size_t size, struct tl_error *err);

#ifdef __cplusplus
}
#endif
#endif
