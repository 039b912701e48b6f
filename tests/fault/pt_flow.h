/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_PT_FLOW_H
#define TESTS_FAULT_PT_FLOW_H
/* What holds for any bytes read as Intel PT packets and flow. */
#include <stddef.h>
#include <stdint.h>

/*
 * Read the bytes as packets, each written again and read again; as flow, timed and untimed; and by
 * queries. `choice` is the configuration: errata, flags, clock. NULL, or what was broken.
 */
const char *exercise_pt(const uint8_t *data, size_t size, uint32_t choice);

#endif
