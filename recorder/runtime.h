/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_RUNTIME_H
#define RECORDER_RUNTIME_H
/*
 * The run-time's one state. It is written before the program's first instruction and afterwards
 * under `lock` with all signals blocked, never on the way of a record.
 *
 * Nothing here allocates with malloc(), which the program may be in the middle of.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/recording.h"

enum { RT_PATH = 3072, RT_OBJECTS = 4096 };
enum rt_mode { RT_UNKNOWN, RT_ON, RT_OFF };

/* An executable segment of an object. Ids are first + address - start. */
struct rt_object {
	uintptr_t start;
	uint64_t size;
	uint32_t first;
	bool gone; /* unloaded */
};

struct rt_options {
	uint64_t hz, threshold_ns, ring, depth;
	uint64_t calls, patch, xray, llvm;
};

struct runtime {
	enum rt_mode mode;
	char folder[RT_PATH]; /* "": nothing is recorded */
	char image[RT_PATH];  /* FOLDER/PID-N of this process; "": not made yet */
	int32_t image_process;
	struct rt_options options;
	size_t page;
	bool use_tsc;
	uint64_t threshold_ticks;
	uint64_t start_ticks, start_ns;
	struct tl_recording_state *state; /* of `image`, mapped */
	struct rt_object *objects;
	uint32_t object_count;
	uint32_t next_id;
	/* grows whenever an object may have gone; threads remember no object over it */
	uint32_t generation;
	int lock;
};

extern struct runtime rt __attribute__((visibility("hidden")));
/* AArch64: there are vector registers of SVE, aarch64/vectors.S. */
extern uint8_t rt_has_sve __attribute__((visibility("hidden")));

/* start.c */
void rt_begin_once(void);
void rt_lock(uint64_t *signals);
void rt_unlock(const uint64_t *signals);

/* image.c: under the lock */
bool rt_image_begin(void);
/* Open a file of the image by its whole path, as the program may have closed all descriptors. */
int rt_open(const char *folder, const char *name, int flags);
void rt_lost(uint64_t records, int error);
/* "a/b" into `path`; false if it does not fit. */
bool rt_join(char path[RT_PATH], const char *folder, const char *name);
/* "A-B" in decimal. */
void rt_two_numbers(char text[48], uint64_t a, uint64_t b);

/* objects.c */
/* The object that holds an address, looked for among those loaded by now; NULL: none does. */
const struct rt_object *rt_object_of(uintptr_t address);

/* thread.c: what tells the end of a thread */
void rt_thread_key(void);

/* xray.c, patch.c: called once, before main() */
void rt_xray_begin(void);
void rt_xray_end(void);
void rt_patch_begin(void);

#endif
