/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_SIMPOINTS_H
#define TL_OPEN_SIMPOINTS_H
/* Simulation points: what simpoints.c reads and table.c shows. */
#include <tracelathe/open.h>

struct tl_simpoints {
	struct tl_input *input;
	struct tl_simpoint *list;
	char **names; /* of the files that were written; NULL: none */
	size_t count, room;
	double weight;
};

#endif
