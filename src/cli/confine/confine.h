/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_CONFINE_CONFINE_H
#define TL_CLI_CONFINE_CONFINE_H
/*
 * The command confines itself before it opens its first input (SECURITY.md), so that a reader that
 * a hostile file has taken over reaches little: no program, no network, few files.
 */
#include <stdbool.h>
#include <stddef.h>

#include "cli/options/settings.h"

/* What a command needs beside its files. */
enum confine_need {
	CONFINE_FILES_ONLY,
	CONFINE_ANSWERS, /* notes over a socket that is open (mpi) */
	CONFINE_SERVES,  /* connections from this machine, to a port of its own */
};

/*
 * Confine this process and its later threads, for good. What the kernel or the build does not have
 * is left out. Call it before there are threads. False without memory, which it has told: nothing
 * is to be opened then.
 */
bool confine(const struct settings *settings, enum confine_need need);

/* ---- the parts of it ---- */

enum confine_access {
	CONFINE_READ,  /* files and listings of folders */
	CONFINE_WRITE, /* the same, and to make, write, rename and remove them */
};

struct confine_place {
	char *path;
	enum confine_access access;
};

/* What may be opened. A folder stands for all below it. */
struct confine_places {
	LIST_OF(struct confine_place) found;
	int error; /* why places are missing, an errno; 0: all are there */
};

void places_find(struct confine_places *places, const struct settings *settings);
void places_free(struct confine_places *places);

/* Landlock: false if the kernel has none. */
bool confine_files(const struct confine_places *places);
/* seccomp: false if the kernel has none, or the machine no list. */
bool confine_calls(enum confine_need need);

#endif
