/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_EXTENSION_ARGUMENTS_H
#define TL_QUERY_EXTENSION_ARGUMENTS_H
/* The arguments of USING tracelathe('FILE', 'NAME=VALUE', ...). */
#include "core/memory.h"
#include "query/trace/trace.h"

enum { TL_QUERY_MOST_BINARIES = 16, TL_QUERY_MOST_DECODERS = 64 };

struct tl_query_arguments {
	struct tl_arena texts; /* what the other members point to */
	const char *path;      /* NULL: none was given */
	const char *table;     /* NULL: none was named */
	struct tl_input_options options;
	struct tl_binary_spec *binaries;
	const char **decoders; /* of custom and typed events */
};

/*
 * Read the arguments as SQLite hands them over, quotes included. False: *wrong is the one that
 * makes no sense, NULL without memory. Free the texts in any case.
 */
bool tl_query_arguments_read(struct tl_query_arguments *to, int count, const char *const *arguments,
			     const char **wrong);

#endif
