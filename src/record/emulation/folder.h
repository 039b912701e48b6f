/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later */
#ifndef TL_RECORD_EMULATION_FOLDER_H
#define TL_RECORD_EMULATION_FOLDER_H
/*
 * What `tracelathe record --how emulate` and its QEMU plugin (emulator/) agree on: the folder of a
 * recording while it is made. Both licences, as the plugin is QEMU's guest.
 *
 *   FOLDER/events               struct tl_emulation_event, one behind the other, of all processes
 *   FOLDER/thread.PID.TID.N     a thread: struct tl_emulation_thread in the first page, then its
 *                               Intel PT packets; zeros are PAD packets
 *   FOLDER/code.PID.N           pages of code that no file has, as they were
 *
 * Whoever writes may be killed at any instant: everything is good at every instant.
 */
#include <stdint.h>

enum {
	TL_EMULATION_PAGE = 4096,
	TL_EMULATION_TEXT = 4096, /* most bytes of an event's text, with its end */
};

#define TL_EMULATION_MAGIC 0x31756d656c74u /* "tlemu1" */

enum tl_emulation_kind {
	TL_EMULATION_CLOCK,   /* `address`: CLOCK_MONOTONIC in ns at `ticks` */
	TL_EMULATION_PROGRAM, /* a program begins in the process; text: its path */
	TL_EMULATION_NAME,    /* the thread is called `text` */
	TL_EMULATION_FORK,    /* a process; `address`: its parent, `length`: the parent's thread */
	TL_EMULATION_THREAD,  /* a thread begins; text: name of its file */
	TL_EMULATION_MAP,     /* `length` bytes of the file `text` from `offset` are at `address` */
	TL_EMULATION_CODE,    /* the same of a file in the folder */
	TL_EMULATION_END,     /* the thread ended, or executes another program */
	TL_EMULATION_LEFT,    /* the process executes `text`, which is not recorded */
	TL_EMULATION_FINISHED, /* the process came to its end by exit() */
	TL_EMULATION_NAMES,    /* the process writes its run-time compiler's names to `text` */
};

/* `size` has the text and its zero; a multiple of 8. */
struct tl_emulation_event {
	uint32_t size, kind; /* enum tl_emulation_kind */
	uint64_t ticks;      /* TSC */
	uint32_t process, thread;
	uint64_t address, length, offset;
};

struct tl_emulation_thread {
	uint64_t magic;
	uint32_t process, thread;
	uint64_t window_offset; /* in the file */
	uint64_t window, at;    /* where the window is mapped, and the next packet goes */
	uint64_t outcomes;      /* not written yet: a 1, and behind it a bit each */
	uint64_t lost_offset;   /* with lost_errno: in the file, packets end here */
	uint64_t unexplained;   /* places that no instruction leads to; they look like interrupts */
	uint32_t lost_errno;    /* why packets could not be written; 0: all are there */
	uint32_t event_errno;   /* the same of events */
	uint32_t ended;         /* the file is as it is to be */
	uint32_t signals;
};

#endif
