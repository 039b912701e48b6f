/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_XRAY_DRAWN_THREADS_H
#define TESTS_XRAY_DRAWN_THREADS_H
/* Logs with many records of many threads at the same time, with all kinds of records among them. */
#include "../chance.h"
#include "bytes.h"

/* Any record, most often of a function. */
static inline void put_drawn_record(struct bytes *b, uint32_t *seed, uint64_t *tsc)
{
	const unsigned kind = chance(seed, 60);
	const uint32_t delta = chance(seed, 50) ? chance(seed, 30) : chance(seed, 65536) << 16;
	const uint32_t id = 1 + chance(seed, chance(seed, 20) ? 9 : 2000);

	switch (kind) {
	case 0:
		*tsc += 40 + chance(seed, 9);
		put_new_cpu(b, (uint16_t)chance(seed, 3), *tsc);
		break;
	case 1:
		put_custom(b, 5, 0, "text \"", 6);
		*tsc += 5;
		break;
	case 2:
		put_function(b, ENTER_ARGS, id, delta);
		*tsc += delta;
		put_argument(b, chance_bits(seed));
		break;
	case 3:
		*tsc += 7;
		put_tsc_wrap(b, *tsc);
		break;
	case 4:
		put_function(b, ENTER_ARGS, id, delta); /* without its argument */
		*tsc += delta;
		break;
	default:
		put_function(b, kind < 30 ? ENTER : kind < 58 ? EXIT : TAIL_EXIT, id, delta);
		*tsc += delta;
	}
}

/* Each thread has a buffer in each round; some ends with a record of no known action. */
static inline void put_drawn_threads(struct bytes *b, int threads, uint32_t seed)
{
	uint64_t tsc[64];

	for (int i = 0; i < threads; i++)
		tsc[i] = 99999900 + (uint64_t)i;
	put_header(b, 5, FDR, 1000000000, 65536);
	for (int round = 0; round < 60000 / 250 / threads; round++)
		for (int i = 0; i < threads; i++) {
			size_t start = begin_block(b, 1 + i % 2, 100 - i, tsc[i]);

			for (int k = 0; k < 250; k++)
				put_drawn_record(b, &seed, &tsc[i]);
			if (!chance(&seed, 40))
				put_function(b, 6, 6, 0);
			end_block(b, start);
		}
}

#endif
