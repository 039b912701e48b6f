/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_SIMILAR_H
#define TL_CLI_TERMINAL_SIMILAR_H
/* Words that look like a misspelt one, for "did you mean ...?". */
#include <stdbool.h>
#include <stddef.h>

/* The number of letters to insert, delete, replace or swap to turn one word into the other. */
size_t word_distance(const char *a, const char *b);
/* Whether a word at this distance is worth a suggestion. */
bool word_is_near(const char *word, size_t distance);

#endif
