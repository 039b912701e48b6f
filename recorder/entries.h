/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_ENTRIES_H
#define RECORDER_ENTRIES_H
/* What a machine has at the entry of a function for --patch, and how a call is written there. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_entries {
	/* Bytes of whole NOPs that hold a call, 0: there is no room. */
	size_t (*room_at)(const uint8_t *at);
	/* Write the call over `room` bytes, to a jump that make_jump() made. */
	void (*write_call)(uint8_t *at, size_t room, const uint8_t *jump);
	/* Write a jump to __fentry__, which calls from everywhere in an object reach. */
	void (*write_jump)(uint8_t *at);
	/* A landing pad for indirect calls, which compilers put in front of the NOPs. */
	uint8_t landing_pad[4];
	/* how far below the entries the jump may be, in bytes */
	uint64_t reach;
};

/* MACHINE/entries.c */
extern const struct rt_entries rt_entries __attribute__((visibility("hidden")));

#endif
