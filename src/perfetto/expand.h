/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERFETTO_EXPAND_H
#define TL_PERFETTO_EXPAND_H
/* Packets that a writer has compressed (compressed_packets). */
#include "core/cursor.h"

/*
 * Expand a zlib stream into memory of its own, for free(). NULL: it is damaged, too large for its
 * size, or there is no memory, which *no_memory tells; what came before damage is kept.
 */
uint8_t *tl_perfetto_expand(struct tl_cursor stored, size_t *size, bool *damaged, bool *no_memory);

#endif
