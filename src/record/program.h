/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_PROGRAM_H
#define TL_RECORD_PROGRAM_H
/* What can be known of a program before it runs. */
#include <stdbool.h>

#include <tracelathe/core.h>

enum { TL_RECORD_PATH = 4096 };

/* e_machine of ELF files. */
enum { TL_RECORD_X86_64 = 62, TL_RECORD_AARCH64 = 183 };

struct tl_record_program {
	char path[TL_RECORD_PATH]; /* absolute */
	bool is_elf;               /* else a script, or something that another program runs */
	bool is_static;            /* nothing can be preloaded */
	bool is_native;            /* of this machine's processor */
	unsigned machine;          /* of the processor that it is for, as ELF has it */
	bool has_sleds;            /* -fxray-instrument */
	bool has_xray_api;         /* the run-time's functions have symbols */
	bool has_flight_recorder;  /* LLVM's flight data recorder is linked in */
	bool has_calls;            /* -finstrument-functions */
	bool has_fentry;           /* -pg -mfentry */
	bool has_patchable;        /* -fpatchable-function-entry */
	bool has_runtime;          /* linked with our run-time */
	bool has_unwinder;         /* its own copy of the unwinder of exceptions */
	/* why no recorder may run it (set-user-id and the like); NULL: nothing speaks against it */
	const char *refused;
};

/* Find a program as the shell does, and look into it. 0, TL_IO, TL_NO_MEMORY. */
int tl_record_program_open(struct tl_record_program *program, const char *name,
			   struct tl_error *err);
/* Find an executable file in PATH; false: there is none. */
bool tl_record_find(const char *name, char path[TL_RECORD_PATH]);
/* The path of a library of ours; false: it is not installed. */
bool tl_record_library(const char *name, char path[TL_RECORD_PATH]);
/* The path of the run-time (recorder/). */
bool tl_record_runtime(char path[TL_RECORD_PATH]);

#endif
