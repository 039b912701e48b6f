/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PACKETS_PROBE_H
#define TL_INTEL_PT_PACKETS_PROBE_H
#include <stddef.h>
#include <stdint.h>

/* How likely, 0 .. 100, these first bytes are raw Intel PT. */
int tl_pt_probe(const uint8_t *data, size_t size);

#endif
