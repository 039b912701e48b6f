/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_TELL_H
#define TL_EMULATOR_AARCH64_TELL_H
/*
 * What is told beside the streams: files KIND.PROCESS.NUMBER of each program that a process
 * executes, where NUMBER is that of its first stream.
 */
#include <stdint.h>

/* A program in a process. */
struct image {
	const char *folder;
	unsigned number;
	const char *program; /* its path */
	uint64_t bias;       /* host addresses are greater than the guest's by it */
};

/* `maps`: "bias BIAS", "program PATH", then what the kernel tells of the process. */
void tell_maps(const struct image *image);
/* `ended`: all that it did is in its streams. */
void tell_end(const struct image *image);
/* `left`: the process goes on with the program `path`, which is not recorded. */
void tell_left(const struct image *image, const char *path);
/* `matrix`: accesses of SME's matrix are not in its streams. */
void tell_matrix(const struct image *image);
/* It goes on after all: neither `ended` nor `left`. */
void tell_stayed(const struct image *image);

#endif
