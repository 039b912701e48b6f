/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_EMULATION_EMULATE_H
#define TL_RECORD_EMULATION_EMULATE_H
/* The emulator: QEMU, our plugin, and the program that it is tried with. */
#include "record/recorder.h"

struct tl_emulator {
	char qemu[TL_RECORD_PATH], plugin[TL_RECORD_PATH], check[TL_RECORD_PATH];
};

/* Run the session's program, and make its output. */
int tl_emulate(struct tl_record_session *session, const struct tl_emulator *emulator,
	       struct tl_error *err);
/*
 * Whether this QEMU and the plugin record what a known program does. Tried once, then remembered
 * in the user's cache folder. False: `reason` says what was seen.
 */
bool tl_emulate_is_trusted(const struct tl_emulator *emulator, char reason[TL_RECORD_TEXT]);

#endif
