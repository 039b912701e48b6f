/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEL_PT_LISTING_SAID_H
#define TESTS_INTEL_PT_LISTING_SAID_H
/* An output in memory, and what was written to it since it was asked last. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit.h"

#include "core/output.h"

static struct tl_output *said;

static inline void said_begin(void)
{
	assert_int_equal(tl_output_open_memory(&said, NULL), 0);
}

/* Exactly this was written; the output begins anew. */
static inline void want_said(const char *wanted)
{
	size_t size;
	const char *bytes = tl_output_bytes(said, &size);
	char *text = calloc(1, size + 1);

	assert_non_null(text);
	memcpy(text, bytes, size);
	tl_output_discard(said);
	said = NULL;
	if (strcmp(text, wanted) != 0)
		print_error("wanted:\n%s\n", wanted);
	assert_string_equal(text, wanted);
	free(text);
	said_begin();
}

static inline void said_end(void)
{
	tl_output_discard(said);
	said = NULL;
}

#endif
