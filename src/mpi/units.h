/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_UNITS_H
#define TL_MPI_UNITS_H
/* What is handed out: a file, or logs of processes that may be related, which go together. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/open.h>

enum unit_state {
	UNIT_READY, /* in the queue, or given to a worker */
	UNIT_KIN,   /* a log, which is folded as a part of another unit */
	UNIT_DONE,  /* in the sum of its holder */
	UNIT_OUT,   /* left out: it cannot be read */
};

/* Holders beside ranks. */
enum { NOBODY = -1 };

struct work_unit {
	uint32_t *files; /* by number, ascending */
	uint32_t count;
	bool related; /* logs, found out to be so */
	bool settled; /* of one file: it was opened, or cannot be */
	enum unit_state state;
	unsigned attempts; /* that ended with the worker's death */
	uint64_t size;     /* of the files, in bytes */
	int holder;        /* whose sum has it (master.c) */
	char *text;        /* what there is to be said of it, or NULL */
};

struct units {
	struct work_unit *list;
	size_t count, room;
	size_t unsure;      /* units of a file that nobody has opened yet */
	struct tl_kin *kin; /* of logs; NULL: none yet */
	uint32_t *queue;    /* units that wait, from `head` on */
	size_t head, tail, queue_room;
};

/* A unit of each file, in the queue, the largest first. False without memory. */
bool units_begin(struct units *u, const char *const *paths, size_t count);
/* Put a unit into the queue. */
bool units_wait(struct units *u, uint32_t number);
bool units_have_waiting(const struct units *u);
uint32_t units_next(struct units *u);
/* A unit is a log that goes with those that have one of its marks. */
bool units_add_kin(struct units *u, uint32_t number, const uint64_t *marks, size_t count);
/* When all logs are known: units of logs that belong together, in the queue. */
bool units_group(struct units *u);
void units_free(struct units *u);

#endif
