/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_DEBUGINFOD_DEBUGINFOD_H
#define TL_CLI_DEBUGINFOD_DEBUGINFOD_H
/*
 * --debuginfod: programs and debug information from servers (elfutils' debuginfod). The process
 * that reads a trace may make no connection (SECURITY.md), so that a second one, which never sees
 * the trace, asks the servers for build ids; both speak over two pipes.
 */
#include <pthread.h>
#include <sys/types.h>

#include <tracelathe/symbols.h>

#include "cli/options/settings.h"

/* ---- the process that reads (client.c) ---- */

struct debuginfod {
	struct tl_debuginfod client; /* of the library, which calls it from several threads */
	pthread_mutex_t lock;
	pid_t child; /* 0: nobody is asked */
	int requests, replies;
	unsigned failures; /* questions that no server answered, each of which was told */
};

/*
 * Start the second process, if the command line wants it, and give the library its client. Call it
 * before rights are given up. `d` is zero-filled, and stays where it is until debuginfod_end().
 * False: there is nobody to be asked, which it has told.
 */
bool debuginfod_begin(struct debuginfod *d, struct settings *settings);
/* True once a question was not answered: what is missing then may be on a server. */
bool debuginfod_failed(const struct debuginfod *d);
void debuginfod_end(struct debuginfod *d);

/* ---- the process that asks (asker.c) ---- */

enum { DEBUGINFOD_ID_ROOM = 129 };

struct debuginfod_request {
	uint32_t kind;                     /* enum tl_debuginfod_kind */
	char build_id[DEBUGINFOD_ID_ROOM]; /* lower-case hexadecimal, ended by 0 */
};

/* `size` bytes of text follow: the path, or why it failed. */
struct debuginfod_reply {
	int32_t found; /* 1, 0: no server has it, -1: failed */
	uint32_t size;
};

/* Read or write all of some bytes. False: an error, or the other side ended. */
bool debuginfod_read(int from, void *bytes, size_t size);
bool debuginfod_write(int to, const void *bytes, size_t size);

/* Say with a first reply whether there is a library to ask with, then answer until the end. */
_Noreturn void debuginfod_serve(int requests, int replies);

#endif
