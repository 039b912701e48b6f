/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_TELL_H
#define TL_EMULATOR_AARCH64_TELL_H
/* Files beside the streams (src/record/emulation/pairs.c reads them). */
#include <stdint.h>

/* maps.PID: "bias HEX", then /proc/self/maps; a guest's address is a host's less the bias. */
void tell_maps(const char *folder, uint64_t bias);
/* ended.PID: the process came to its end by itself. */
void tell_end(const char *folder);

#endif
