/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_FAULTS_H
#define TL_FOREIGN_FAULTS_H
/* Places that could not be read as the format says, and remarks about the input. */
#include "core/memory.h"
#include "core/output.h"

struct tl_foreign_fault {
	const char *rule; /* "line", "event": what was broken, for `check` */
	enum tl_status status;
	const char *text;                /* static, or kept in the arena */
	uint64_t offset, length, record; /* TL_NOWHERE: of no place */
};

enum { TL_FOREIGN_FAULTS = 1000 }; /* that are listed */

/* Zero-filled with `format` set is empty. */
struct tl_foreign_faults {
	const char *format;
	bool strict;             /* the first fault is an error */
	struct tl_output *check; /* where each is written; NULL: nowhere */
	bool json;               /* as JSON */
	struct tl_foreign_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
	struct tl_arena texts;
};

/* Begin anew; `strict`, `check` and `json` stay. */
void tl_foreign_faults_clear(struct tl_foreign_faults *faults);
void tl_foreign_faults_free(struct tl_foreign_faults *faults);

/* A fault: 0, or in strict mode its status. Its length is counted as skipped. */
int tl_foreign_broken(struct tl_foreign_faults *faults, const struct tl_foreign_fault *fault,
		      struct tl_error *err);
/* A fault or (TL_OK) a remark about the whole input, made as by printf(). 0 or negative. */
int tl_foreign_say(struct tl_foreign_faults *faults, enum tl_status status, const char *rule,
		   struct tl_error *err, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
