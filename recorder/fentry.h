/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_FENTRY_H
#define RECORDER_FENTRY_H
/*
 * Programs whose functions begin with a call (-pg -mfentry, or patched): the return address of the
 * function is changed to rt_return, which records the exit and goes on to where it should.
 */
#include "thread.h"

/* entry.S */
void __fentry__(void);
void rt_return(void);

/* fentry.c: called by entry.S */
void rt_fentry(uintptr_t address, uintptr_t *slot);
uintptr_t rt_fentry_leave(uint64_t slot);
/* Kept vector registers: vectors.S. */
struct rt_frame *rt_find_frame(struct rt_thread *t, uint64_t slot);

/* Put the return addresses of all open calls back, for code that walks the stack. */
void rt_unhide(void);
/* Change them again, but those of the calls left: they are below `sp`. */
void rt_hide(uint64_t sp);

#endif
