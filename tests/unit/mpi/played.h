/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TESTS_MPI_PLAYED_H
#define TL_TESTS_MPI_PLAYED_H
/*
 * A fleet that is played, for tests of the master. Its workers are lists of which file was added
 * how often; the relay between them is here, too: relay_send(), relay_turn(), relay_flush(). They
 * die wherever they can, and notes come in any order that the real relay allows.
 */
#include "mpi/master.h"

enum { MOST_FILES = 60, MOST_RANKS = 6, MOST_NOTES = 1 << 9 };

enum fate {
	IS_READ,
	IS_LOG,       /* goes with its family */
	IS_UNKNOWN,   /* of no format */
	IS_DAMAGED,   /* something is skipped */
	ENDS_ONE,     /* the first worker that reads it dies */
	ENDS_ALL,     /* each does */
	LOG_ENDS_ALL, /* a log, which is opened, but whose family ends each that reads it */
	TAKES_LONG,   /* each is ended by alarm() */
	EXITS_ALL,    /* each ends by itself */
	OTHER_CLOCK,  /* its ticks are of another frequency */
	NO_MEMORY,    /* the run cannot go on */
};

struct sum {
	unsigned times[MOST_FILES]; /* that a file is in it */
	/* a bit of each share, and how many there are */
	unsigned shares[MOST_FILES], of[MOST_FILES];
};

struct letter {
	struct note note;
	struct sum sum; /* NOTE_ADD, NOTE_SUM */
	char *bytes;    /* else; NULL: none */
};

/* First in, first out. */
struct mail {
	struct letter list[MOST_NOTES];
	size_t head, tail;
};

struct played {
	struct sum sum;
	uint32_t life, given;
	uint32_t transfer; /* the last sum of another that came to it */
	bool gone;         /* with its rank */
	struct mail to_worker, to_master;
};

struct fleet {
	int ranks, files;
	const char *last; /* the name of the last file, NULL: that of all */
	enum fate fates[MOST_FILES];
	unsigned families[MOST_FILES];
	bool ended_one[MOST_FILES], damaged[MOST_FILES];
	unsigned read[MOST_FILES]; /* how often a file was read at all */
	struct played *workers;
	uint32_t random;
	unsigned deaths_left, death_in; /* a worker dies in about one of so many steps; 0: never */
	unsigned losses_left, loss_in;  /* a rank does */
	int quits;
	size_t turns;
	uint32_t shares;               /* of each log */
	unsigned cut;                  /* shares that were read */
	bool written;                  /* somebody writes to files while their shares are read */
	unsigned versions[MOST_FILES]; /* of files whose shares were added, and 1 */
	uint32_t before;               /* `diff`: files of the first side; 0: there are no sides */
	size_t handed[MOST_RANKS];     /* units before anything was answered */
	enum note_kind fails; /* the first answer of this kind says that it failed; 0: none */
	bool strays;          /* notes come of nobody, of an earlier life, and too late */
};

extern struct fleet fleet;

/* A number below another, by chance. */
unsigned draw(unsigned below);
bool is_log(uint32_t file);
void forget(struct mail *mail);

#endif
