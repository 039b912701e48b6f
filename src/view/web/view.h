/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_VIEW_H
#define TL_VIEW_WEB_VIEW_H
/*
 * The browser's view of traces and profiles: the files that are looked at, the page, and the
 * server that answers what the page asks for.
 */
#include <tracelathe/open.h>

struct tl_web_view;

enum { TL_WEB_MOST_FILES = 2 };

/* One input: several paths are parts of it. Texts must live as long as the view. */
struct tl_web_file {
	const char *const *paths;
	size_t path_count;
	const struct tl_input_options *options;
	/* where its index is kept, NULL: nowhere; who is told if it cannot be, on another thread */
	const char *index_path;
	void (*unkept)(const char *index_path, const struct tl_error *why);
};

/*
 * Open the files. Their calls are indexed on threads of their own meanwhile.
 * @param failed  set to the path that the error is about
 * @return 0 or a negative tl_status
 */
int tl_web_view_open(struct tl_web_view **view, const struct tl_web_file *files, size_t count,
		     const char **failed, struct tl_error *err);
/* What is being made is given up. NULL is allowed. */
void tl_web_view_close(struct tl_web_view *view);

/* Where sources are looked for, as tl_annotate_options.source_dirs. Before the first answer. */
void tl_web_look_for_sources(struct tl_web_view *view, const char *const *folders, size_t count);

/*
 * Write a page that shows the files without a server: with all calls where there are no more than
 * five million, else with the longest ones, which it says. Sources and windows' profiles are not in
 * it.
 * @param failed  set to the path that *err is about
 * @return 0; 1: the page says of a part of it that it cannot be shown, *err why; or a negative
 * tl_status, of which TL_IO: a file has changed since it was opened
 */
int tl_web_view_write(struct tl_web_view *view, struct tl_output *out, const char **failed,
		      struct tl_error *err);
/*
 * The profile of a whole file of that page, by number from 0, and the input that it was folded
 * from, with its damage. Both are the view's and live as long as it. Not while it is served.
 * @return 0 or a negative tl_status
 */
int tl_web_view_whole(struct tl_web_view *view, size_t file, struct tl_input **input,
		      const struct tl_profile **profile, struct tl_error *err);

/* ---- the server ---- */

struct tl_web_server;

/*
 * Opens the library that the server needs, if that has not been done: a confined command may no
 * longer be able to. Only one thread may call this at a time.
 * @return NULL: there is a server; else why there is none, for the life of the process
 */
const char *tl_web_why_no_server(void);
/*
 * Begin to serve, on the loopback device only, with threads of its own.
 * @param port  0: any that is free
 * @return 0; TL_UNSUPPORTED without the library; TL_IO: the port is taken; TL_NO_MEMORY
 */
int tl_web_server_open(struct tl_web_server **server, struct tl_web_view *view, uint16_t port,
		       struct tl_error *err);
/* Where the page is: "http://127.0.0.1:PORT/?token=TOKEN". Lives as long as the server. */
const char *tl_web_server_url(const struct tl_web_server *server);
/* Requests that run are ended first. NULL is allowed. */
void tl_web_server_close(struct tl_web_server *server);

#endif
