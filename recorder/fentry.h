/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_FENTRY_H
#define RECORDER_FENTRY_H
/*
 * Programs whose functions begin with a call (-pg -mfentry, or patched): the return address of the
 * function is changed to rt_return, which records the exit and goes on to where it should.
 */
#include "thread.h"

/* MACHINE/entry.S */
void __fentry__(void);
void rt_return(void);

/*
 * fentry.c, called by MACHINE/entry.S: `sp` is what a frame is known by, on x86-64 the address of
 * the return address, on AArch64 the stack pointer at the entry, which it is again at the return.
 */
void rt_fentry(uintptr_t address, uint64_t sp, uintptr_t *back);
uintptr_t rt_fentry_leave(uint64_t sp);
/* Kept vector registers: MACHINE/vectors.S. */
struct rt_frame *rt_find_frame(struct rt_thread *t, uint64_t slot);

/*
 * MACHINE/hide.c: put the return addresses of all open calls back, for code that walks the stack.
 * `sp` is below the frame of the function that does, and above what these use.
 */
void rt_unhide(uint64_t sp);
/* Change them again, but those of the calls left: they are below `sp`. */
void rt_hide(uint64_t sp);

#endif
