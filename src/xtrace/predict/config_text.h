/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CONFIG_TEXT_H
#define TL_XTRACE_CONFIG_TEXT_H
/* Texts that describe caches and predictors: lines of words, with sizes. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_error;

/* A number with K, M or G (of 1024) behind it; false unless it is one, not 0 and below 2^40. */
bool tl_xtrace_config_size(const char *text, uint64_t *size);

/* Take a line, which may be written to. NULL, or what is wrong with it. */
typedef const char *tl_xtrace_config_line_fn(void *arg, char *line);

/* Lines in their order; a wrong one is an error with its offset and number, and ends them. */
int tl_xtrace_config_lines(const char *text, size_t size, tl_xtrace_config_line_fn *take, void *arg,
			   struct tl_error *err);

#endif
