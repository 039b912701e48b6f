/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PERF_DATA_KERNEL_ELF_H
#define TESTS_UNIT_PERF_DATA_KERNEL_ELF_H
#include <stddef.h>
#include <stdint.h>

/*
 * A kernel's file, linked at 0xffffffff81000000, with the functions startup (0x100 bytes) and
 * do_work (0x80 bytes) and no build id. Valid until the next call.
 */
const uint8_t *kernel_elf(size_t *size);

#endif
