/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_FAULTS_FAULT_LIST_H
#define TL_CORE_FAULTS_FAULT_LIST_H
/*
 * The faults that a reader has met: the first thousand of them, and the number of all. `check` is
 * told of each when it is met.
 */
#include <tracelathe/core.h>

#include "core/memory.h"

/* A broken rule of a format. */
struct tl_fault {
	const char *rule;                /* its short name */
	const char *text;                /* what was wrong; what was kept */
	enum tl_status status;           /* TL_OK: a remark, nothing is lost or in doubt */
	uint64_t offset, length, record; /* TL_NOWHERE: none; length 0: no bytes were skipped */
};

/* Zero-filled is empty. */
struct tl_fault_list {
	struct tl_fault *list;
	size_t count, capacity;
	uint64_t total, skipped_bytes;
	bool strict; /* the first fault that is no remark ends the reading */
	struct tl_arena texts;
	/* Told of each fault; NULL: nobody. A negative status ends the reading. */
	int (*tell)(void *arg, const struct tl_fault *fault);
	void *arg;
};

/*
 * Note a fault. 0; TL_NO_MEMORY; the fault's own status if `strict`, and *err is the fault; or what
 * tell() said.
 */
int tl_fault_note(struct tl_fault_list *faults, const struct tl_fault *fault, struct tl_error *err);
/* The same with a text that is made here and lives as long as the list. */
int tl_fault_write(struct tl_fault_list *faults, const struct tl_fault *fault, struct tl_error *err,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A broken rule as a line of `check`. */
void tl_fault_put(struct tl_output *out, bool json, const struct tl_fault *fault);
void tl_fault_list_free(struct tl_fault_list *faults);

#endif
