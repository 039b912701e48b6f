/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_MPI_NOTE_H
#define TL_MPI_NOTE_H
/*
 * What the processes of a run tell each other. A note is a head of fixed size, and bytes that
 * belong to it: of any number, so they stand in a file, whose descriptor goes with the note where
 * both processes are of one rank.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum note_kind {
	/*
	 * to a keeper: the paths of all files, each with its '\0'. `number`: threads of a worker,
	 * `shares`: for a file that others may wait for; 0: what the options say. `share`: threads
	 * for the sum of all
	 */
	NOTE_START = 1,
	/* to a worker */
	NOTE_FOLD, /* add the files of a unit, by number: uint32_t each */
	/* send the sum to rank `number`, whose worker is in `other_life`; -1: that of all */
	NOTE_GIVE,
	/* add what another one gave, which had call stacks if NOTE_STACKS is set */
	NOTE_ADD,
	NOTE_REDUCE, /* merge what waits, as others are not done yet */
	/* what the worker waits for, of other shares; `status` negative: it will not come */
	NOTE_CHAIN,
	NOTE_QUIT,
	/* to the master, which is on rank 0 */
	NOTE_FOLDED, /* NOTE_FOLD was done or not, see `status`; what there is to be said */
	/*
	 * the file is to be folded with others, or in shares: its marks, uint64_t each; how many
	 * `shares` there can be, all at the same time if NOTE_CHAINED is set
	 */
	NOTE_KIN,
	NOTE_GAVE,    /* NOTE_GIVE was done or not; what there is to be said */
	NOTE_ADDED,   /* NOTE_ADD was done or not; what there is to be said */
	NOTE_REDUCED, /* NOTE_REDUCE was done or not; what there is to be said */
	NOTE_SUM,     /* the sum of all, a profile file */
	NOTE_MEET,    /* what a share found; the worker waits for what all of them did */
	NOTE_BEFORE,  /* the worker waits for what the share before has told */
	NOTE_TOLD,    /* what a share tells the next one */
	NOTE_RUN,  /* the profile file of the unit that the worker is at: of `diff`, or a share */
	NOTE_LOST, /* the worker died, and with it what it had; `life` is the next one's */
	/* NOTE_GONE was done; `transfer`: of the last sum of that rank that the worker was given */
	NOTE_PARTED,
	/* to a rank itself */
	NOTE_ALIVE,
	NOTE_GONE, /* rank `number` is given up: nothing is sent to it or taken from it any more */
};

enum {
	NOTE_RELATED = 1,   /* NOTE_FOLD: the files are logs that may be related */
	NOTE_DAMAGED = 2,   /* something was skipped: exit status 1 */
	NOTE_FLATTENED = 4, /* some of the files have call stacks, which the sum has not */
	NOTE_AFTER = 8,     /* NOTE_FOLD: the file stands on the second side of `diff` */
	NOTE_KEPT = 16,     /* NOTE_FOLD: the bytes are the profile file of a share */
	/* NOTE_FOLD: the file is large: it is not folded if there can be shares of it (NOTE_KIN) */
	NOTE_LARGE = 32,
	NOTE_AWAITED = 64, /* NOTE_FOLD: others may wait for it: all processors are its */
	/* NOTE_FOLDED: the unit is the first in its worker's sum that counts ticks */
	NOTE_CLOCK = 128,
	NOTE_STACKS = 256,  /* NOTE_ADD: some of the files have call stacks */
	NOTE_CHAINED = 512, /* NOTE_KIN */
};

/* What a file is at a time: bytes, and when somebody wrote to it last. */
struct file_version {
	uint64_t size, written;
};

static inline bool is_same_version(const struct file_version *a, const struct file_version *b)
{
	return a->size == b->size && a->written == b->written;
}

struct note {
	uint32_t kind;       /* enum note_kind */
	int32_t from, to;    /* ranks */
	uint32_t life;       /* of the worker: one more whenever it had to be started again */
	uint32_t other_life; /* NOTE_GIVE */
	int32_t number;      /* the unit's, or what the kind says */
	int32_t status;      /* of tl_status; NOTE_LOST: as of waitpid() */
	uint32_t flags;
	uint32_t missing;       /* files of the unit that could not be read */
	uint32_t share, shares; /* NOTE_FOLD: the part of the file; `shares` 0: all */
	uint32_t given; /* NOTE_LOST: sums of this worker that were passed on, in all its lives */
	uint32_t transfer;  /* NOTE_GIVE, NOTE_ADD: the number of a sum on its way, from 1 on */
	uint64_t frequency; /* NOTE_CLOCK: ticks a second, 0: not known */
	struct file_version version; /* NOTE_FOLDED of a share: of the file that was read */
	uint64_t size;               /* of the bytes */
};

bool note_is_for_master(const struct note *note);

/* Over a socket of packets, with the descriptor of the bytes, -1: there are none. */
bool note_send(int socket, const struct note *note, int bytes);
/* 1; 0: the other side has ended. *bytes is the caller's to close. */
int note_receive(int socket, struct note *note, int *bytes);

/* Bytes beyond which a profile is kept in a file of --scratch. */
enum { NOTE_IN_MEMORY = 1 << 20 };

/* A file in memory. -1: no memory. */
int bytes_make(const void *data, size_t size);
/* All of a file's bytes and a '\0' behind, for free(). NULL: no memory, or it cannot be read. */
void *bytes_read(int fd, size_t size);

#endif
