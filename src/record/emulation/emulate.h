/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_EMULATION_EMULATE_H
#define TL_RECORD_EMULATION_EMULATE_H
/* The emulators: QEMU, our plugin, and the program that they are tried with. */
#include "record/recorder.h"

/* One for each processor whose programs are run. */
struct tl_emulator {
	unsigned machine;         /* of the programs */
	const char *const *words; /* QEMU's own arguments, its name first; ends with NULL */
	char qemu[TL_RECORD_PATH], plugin[TL_RECORD_PATH];
	const char *plugin_options; /* behind its folder */
	bool is_trial;              /* the processor is ours, whichever the caller has chosen */
	char check[TL_RECORD_PATH]; /* the program that it is tried with; empty: made for that */
	/* Whether what is recorded in the folder is what a known program does; `reason`: if not. */
	bool (*is_as_known)(const struct tl_emulator *emulator, const char *folder,
			    char reason[TL_RECORD_TEXT]);
	/* The session's output, of what the plugin left. */
	int (*join)(struct tl_record_session *session, struct tl_error *err);
};

/* Fill it in for a processor; what is missing, or NULL. */
const char *tl_emulator_find_x86(struct tl_emulator *emulator);
const char *tl_emulator_find_aarch64(struct tl_emulator *emulator);

/* Run the session's program, and make its output. */
int tl_emulate(struct tl_record_session *session, const struct tl_emulator *emulator,
	       struct tl_error *err);
/*
 * Run an emulator's known program with its parts and its recording in a folder; `exit_status` is
 * the program's.
 */
int tl_emulate_known(const struct tl_emulator *emulator, const char *program, const char *folder,
		     int *exit_status, struct tl_error *err);
/*
 * Whether this QEMU and the plugin record what a known program does. Tried once, then remembered
 * in the user's cache folder. False: `reason` says what was seen.
 */
bool tl_emulate_is_trusted(const struct tl_emulator *emulator, char reason[TL_RECORD_TEXT]);

/* check.c, known_aarch64.c: see `is_as_known`. */
bool tl_emulate_is_known_x86(const struct tl_emulator *emulator, const char *folder,
			     char reason[TL_RECORD_TEXT]);
bool tl_emulate_is_known_aarch64(const struct tl_emulator *emulator, const char *folder,
				 char reason[TL_RECORD_TEXT]);

#endif
