/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_FOLLOW_H
#define TL_EMULATOR_AARCH64_FOLLOW_H
/* System calls that execute another program: QEMU with it is executed in its place. */
#include <stdint.h>

/* It does not return if the call can be followed. */
void follow_system_call(int64_t number, const uint64_t arguments[4]);
/* The call has come back. */
void follow_system_result(int64_t number);

#endif
