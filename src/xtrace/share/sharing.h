/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SHARING_H
#define TL_XTRACE_SHARING_H
/*
 * Lines that threads or cores share, by MESI: docs/analyze.md, "--sharing". With caches that hold
 * all, what costs is sharing alone, whatever caches there are; others lose lines by themselves.
 */
#include "xtrace/state/address_ids.h"

enum { TL_XTRACE_SHARERS = 64 };

/* Of a core: lines touched, and what became of it. */
struct tl_xtrace_sharing_count {
	uint64_t loads, stores;
	uint64_t cold;    /* misses: never held */
	uint64_t evicted; /* misses: held, and gone from its caches by itself */
	/* misses: held before another core wrote: to bytes of this access, or to others */
	uint64_t true_shared, false_shared;
	uint64_t upgrades;      /* stores to a line that others held, too */
	uint64_t invalidations; /* lines that others lost by its stores */
	uint64_t lost;          /* lines that it lost */
	uint64_t transfers;     /* misses that another core's changed line answered */
};

/* Misses of a line between two functions. */
struct tl_xtrace_sharing_pair {
	uint32_t line;
	uint32_t function, writer; /* that missed; whose store took the line away before */
	uint32_t next;             /* of the line; TL_NONE: the last */
	uint64_t true_shared, false_shared;
};

struct tl_xtrace_shared_line {
	uint64_t number;                 /* address / size of a line */
	uint64_t holders, lost, touched; /* cores, a bit each */
	uint32_t owner;                  /* that changed it; TL_NONE: memory has it */
	uint32_t pairs;                  /* the first one; TL_NONE: none */
	uint64_t invalidations;
};

/* The caches of the cores, where they do not hold all. */
struct tl_xtrace_sharing_caches {
	void *arg;
	/* Whether a core still has a line; NULL: it has all that nobody took. */
	bool (*holds)(void *arg, uint32_t core, uint64_t line);
	/* Another core's store takes it away. */
	void (*take)(void *arg, uint32_t core, uint64_t line);
};

/* Zero-filled but for the first three is the beginning. */
struct tl_xtrace_sharing {
	unsigned line_shift;
	uint32_t cores; /* at most TL_XTRACE_SHARERS */
	struct tl_xtrace_sharing_caches caches;
	struct tl_xtrace_address_ids ids;
	struct tl_xtrace_shared_line *lines;
	/* By line and core, of those that lost it: bytes that others wrote since, and who first. */
	uint64_t *written;
	uint32_t *writers;
	struct tl_xtrace_sharing_pair *pairs;
	uint32_t pair_count;
	size_t line_room, written_room, writer_room, pair_room;
};

/*
 * An access of a core, before it changes the caches. `counts`, by core, are added to; NULL: it does
 * not count. `function` is a number of the caller. False without memory.
 */
bool tl_xtrace_sharing_access(struct tl_xtrace_sharing *sharing, uint32_t core, bool store,
			      uint64_t address, uint64_t size, uint32_t function,
			      struct tl_xtrace_sharing_count *counts);
void tl_xtrace_sharing_free(struct tl_xtrace_sharing *sharing);

#endif
