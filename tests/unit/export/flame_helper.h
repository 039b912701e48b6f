/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TEST_EXPORT_FLAME_HELPER_H
#define TL_TEST_EXPORT_FLAME_HELPER_H
/* Shared by the tests of flame graphs: graphs as text, their frames, and profiles of sums. */
#include "helper.h"

/* A flame graph as text, for free(). */
char *flame_text(const struct tl_profile *profile, const struct tl_profile *baseline,
		 const struct tl_flame_options *options);
struct tl_flame_options flame_data_options(void);
struct tl_flame_options flame_svg_options(void);

/* What jq makes of a JSON text. */
void assert_jq(const char *text, const char *filter, const char *expected);
/* Each frame as [path, calls, self] of a column, in the order of the file. */
void assert_frames(const char *text, int column, const char *expected);
void assert_xml(const char *text);

struct tl_position no_position(void);
/* A self cost, and calls, without position and part. */
void add_sums(struct tl_profile *profile, uint32_t function, int64_t self);
void add_call(struct tl_profile *profile, uint32_t caller, uint32_t callee, uint64_t calls,
	      int64_t cost);

#endif
