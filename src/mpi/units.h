/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_UNITS_H
#define TL_MPI_UNITS_H
/*
 * What is handed out: a file, logs of processes that may be related, which go together, or a share
 * of a large file, which has its profile kept until those of all shares are there, and is then
 * handed out once more, to be added.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/open.h>

#include "mpi/note.h"

enum unit_state {
	UNIT_READY, /* in the queue, or given to a worker */
	UNIT_KIN,   /* a log, or a file in shares, which is folded as other units */
	UNIT_KEPT,  /* a share, whose profile the master has */
	UNIT_DONE,  /* in the sum of its holder */
	UNIT_OUT,   /* left out: it cannot be read */
};

/* What the worker that folds a chained share waits for. */
enum unit_wait { WAITS_NOT, WAITS_FOR_ALL, WAITS_FOR_BEFORE };

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
	/* a file: how many there can be of it; a share: how many there are. 0, 1: it is whole */
	uint32_t shares;
	uint32_t share, first; /* its number, and the unit of share 0 */
	bool kept;             /* its profile is there, in `place` */
	bool dropped;          /* the file has to be read as a whole */
	bool chained;          /* its shares are folded at the same time (tl_share_chain) */
	enum unit_wait waits;
	int reader;                  /* rank whose worker folds a chained share */
	uint32_t reader_life;        /* of that worker */
	struct file_version version; /* of a share: the file's when it was read */
	struct run_place {
		uint64_t offset, size; /* size 0: there is none */
	} place, found,                /* what a chained share found */
		told;                  /* and what it told the next one */
};

struct units {
	struct work_unit *list;
	size_t count, room;
	size_t unsure;      /* units of a file that nobody has opened yet */
	struct tl_kin *kin; /* of logs; NULL: none yet */
	uint32_t *queue;    /* units that wait, from `head` on */
	size_t head, tail, queue_room;
	uint64_t largest; /* bytes of a file that is not cut into shares */
	uint32_t at_once; /* workers, when units are grouped: most shares of a chain */
};

/* A unit of each file, in the queue, the largest first. False without memory. */
bool units_begin(struct units *u, const char *const *paths, size_t count);
/* Put a unit into the queue. */
bool units_wait(struct units *u, uint32_t number);
bool units_have_waiting(const struct units *u);
uint32_t units_next(struct units *u);
/* A unit is a log, which goes with those that have one of its marks; none: a large file. */
bool units_add_kin(struct units *u, uint32_t number, const uint64_t *marks, size_t count);
/* Whether the file was another one when other shares of it were read: somebody writes to it. */
bool units_disagree(const struct units *u, uint32_t number);
/* The profile of a share is there. When those of all are, they go into the queue to be added. */
bool units_keep(struct units *u, uint32_t number);
/* The file of a share goes into the queue as a whole, and nobody works on its shares any more. */
bool units_drop_shares(struct units *u, uint32_t number);
/* When all logs are known: units of logs that belong together, in the queue. */
bool units_group(struct units *u);
void units_free(struct units *u);

#endif
