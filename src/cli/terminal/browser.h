/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_BROWSER_H
#define TL_CLI_TERMINAL_BROWSER_H
/*
 * The browser that the desktop has. A child process is made for it before this one gives up its
 * rights, and waits for the address.
 */
#include <sys/types.h>

struct browser {
	pid_t child; /* 0: there is none */
	int address; /* the write end of the child's pipe */
};

/* Without a desktop no child is made: the address alone has to do. */
void browser_begin(struct browser *browser);
void browser_open(struct browser *browser, const char *url);
/* A child that has no address yet ends. */
void browser_end(struct browser *browser);

#endif
