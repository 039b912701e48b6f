/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the drop-in libipt in any order, over any trace and any code. Input: how many calls (one
 * byte), how many sixteenths of the rest are code (one byte), the calls, the code, the trace.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "parts.h"
#include "pt_api.h"

enum { CODE = 0x401000, CALLS_MAX = 160 };

/* The code as a file, for images that want one. */
static int code_file(const uint8_t *code, size_t size, char *path, size_t room)
{
	int file = memfd_create("code", MFD_CLOEXEC);

	if (file >= 0 && size && write(file, code, size) != (ssize_t)size) {
		close(file);
		file = -1;
	}
	snprintf(path, room, "/proc/self/fd/%d", file);
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pt_api_input input = { .vaddr = CODE };
	const uint8_t *ops;
	size_t count;
	char path[64];
	int file;

	if (size < 2)
		return 0;
	count = (size_t)data[0] * 2 < size - 2 ? (size_t)data[0] * 2 : size - 2;
	count = count < 2 * CALLS_MAX ? count : 2 * CALLS_MAX;
	ops = data + 2;
	input.code = ops + count;
	input.code_size = (size - 2 - count) * (data[1] & 0xf) / 16;
	input.trace = input.code + input.code_size;
	input.size = (size_t)(data + size - input.trace);
	input.timed = data[1] & 0x10;
	file = data[1] & 0x20 ? -1 : code_file(input.code, input.code_size, path, sizeof(path));
	/* Without a file a callback reads it. */
	input.file = file >= 0 ? path : NULL;
	exercise_chosen_by(data, size);
	if (exercise_does(0, 2))
		FUZZ_MUST(!pt_api_sequence(&input, ops, count));
	if (exercise_does(1, 2))
		FUZZ_MUST(!pt_api_exercise(&input));
	if (file >= 0)
		close(file);
	return 0;
}
