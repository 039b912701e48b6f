/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_REQUEST_H
#define TL_VIEW_WEB_REQUEST_H
/* What the page asks for: a path and its parameters, read from bytes that anybody may have sent. */
#include <tracelathe/core.h>

enum { TL_WEB_MOST_NUMBERS = 512 };

/* Numbers of tracks or functions, as "3,4,7". */
struct tl_web_numbers {
	uint32_t list[TL_WEB_MOST_NUMBERS];
	size_t count;
};

/* Texts belong to whoever gave the parameters. What was not given is 0 or NULL. */
struct tl_web_request {
	const char *path;             /* "/api/state" */
	uint64_t file;                /* 0 or 1 */
	double from_seconds;          /* a window in seconds from the first record on */
	double to_seconds;            /* 0: no end */
	uint64_t from, to, at;        /* ticks from the origin on */
	uint64_t pixels, rows, items; /* as in struct tl_call_query */
	uint64_t assembly;            /* 1: instructions instead of source lines */
	uint64_t baseline;            /* 1: against file 0 */
	uint64_t back;                /* 1: the call before `at`, not the one behind it */
	uint64_t refine;              /* 1: a picture may take longer than a first one */
	uint64_t inclusive;           /* 1: differences of inclusive cost */
	uint64_t table;               /* 1: a profile without the calls between functions */
	struct tl_web_numbers tracks, functions;
	const char *name, *object, *source; /* of a function */
};

void tl_web_request_begin(struct tl_web_request *request, const char *path);
/*
 * Take a parameter. Texts are kept, not copied. @return false for one that is not known, or that
 * is not a number where one is wanted
 */
bool tl_web_request_take(struct tl_web_request *request, const char *key, const char *value);

#endif
