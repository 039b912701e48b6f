/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OPEN_SLICES_H
#define TESTS_UNIT_OPEN_SLICES_H
/* Slices of instructions, of snapshots, up to a function and as a program: of processor traces. */
#include <tracelathe/open.h>

static const struct tl_slice other_slices[] = {
	{ .snapshots = { 1, TL_NOWHERE }, .instructions = { 0, TL_NOWHERE } },
	{ .snapshots = { 0, 4 }, .instructions = { 0, TL_NOWHERE } },
	{ .snapshots = { 0, TL_NOWHERE }, .instructions = { 1, TL_NOWHERE } },
	{ .snapshots = { 0, TL_NOWHERE }, .instructions = { 0, 4 } },
	{ .snapshots = { 0, TL_NOWHERE }, .instructions = { 0, TL_NOWHERE }, .trigger = "x" },
	{ .snapshots = { 0, TL_NOWHERE }, .instructions = { 0, TL_NOWHERE }, .form = TL_SLICE_ELF },
};

enum { OTHER_SLICES = sizeof(other_slices) / sizeof(other_slices[0]) };

#endif
