/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_H
#define FUZZ_H
/* A fuzz target: any bytes in; a crash, a sanitizer's word or a broken promise ends the program. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for any input. abort() is what a fuzzer takes for a finding. */
#define FUZZ_MUST(condition) ((condition) ? (void)0 : __builtin_trap())

#endif
