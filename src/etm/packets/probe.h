/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_PROBE_H
#define TL_ETM_PACKETS_PROBE_H
#include "etm/packets/reader.h"

/* How sure it is that bytes begin an instruction trace of ETMv4 or ETE, 0 .. 100. */
int tl_etm_probe(const uint8_t *data, size_t size);
/* Whether a trace is frames, as far as its first bytes tell. */
bool tl_etm_is_framed(const uint8_t *data, size_t size);
/*
 * The registers, of those that units commonly have, by which the first packets of a source have the
 * fewest faults.
 */
void tl_etm_guess(const struct tl_etm_trace *trace, uint8_t id, struct tl_etm_config *config);

#endif
