/* SPDX-License-Identifier: Apache-2.0 */
#include "view/code/binaries.h"

#include <stdlib.h>

bool tl_view_binaries_open(struct tl_view_binaries *binaries,
			   const struct tl_input_options *options)
{
	const struct tl_input_programs *programs = &options->programs;
	struct tl_error err;

	binaries->count = 0;
	binaries->list = calloc(programs->binary_count + 1, sizeof(*binaries->list));
	for (size_t i = 0; binaries->list && i < programs->binary_count; i++)
		if (!tl_binary_open(&binaries->list[binaries->count], programs->binaries[i].path,
				    programs->binaries[i].address, !options->raw_names, &err))
			binaries->count++;
	return binaries->list;
}

void tl_view_binaries_close(struct tl_view_binaries *binaries)
{
	while (binaries->count)
		tl_binary_close(binaries->list[--binaries->count]);
	free(binaries->list);
	binaries->list = NULL;
}

size_t tl_view_code_of(void *arg, const char *object, uint64_t address, uint8_t *bytes, size_t size)
{
	return arg ? tl_input_code(arg, object, address, bytes, size) : 0;
}

unsigned tl_view_machine_of(const struct tl_input *input)
{
	return input ? tl_input_format(input)->machine : 0;
}

struct tl_binary *tl_view_binary_of(void *arg, const char *object)
{
	return arg ? tl_input_binary(arg, object) : NULL;
}
