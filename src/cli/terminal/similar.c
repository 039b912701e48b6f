/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/terminal/similar.h"

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment distance: rows[i][j] is that of the first i letters of a and the first j
 * of b.
 */
size_t word_distance(const char *a, const char *b)
{
	size_t rows[LONGEST + 1][LONGEST + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return n + m;
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				rows[i][j] = i + j;
				continue;
			}
			rows[i][j] = least(rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					   least(rows[i - 1][j], rows[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
		}
	}
	return rows[n][m];
}

bool word_is_near(const char *word, size_t distance)
{
	size_t length = strlen(word);

	return distance <= (length < 8 ? 1 : length / 4);
}
