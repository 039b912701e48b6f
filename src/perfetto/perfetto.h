/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERFETTO_PERFETTO_H
#define TL_PERFETTO_PERFETTO_H
/* Perfetto's protobuf traces: track events as calls over time (docs/formats/perfetto.md). */
#include "foreign/foreign.h"

int tl_perfetto_probe(const uint8_t *data, size_t size);

extern const struct tl_foreign_reader tl_perfetto_reader;

#endif
