/* SPDX-License-Identifier: Apache-2.0 */
#include "open/sources.h"

static int tell_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct tl_input *input = arg;

	if (input->quiet)
		return 0;
	return input->options.progress(input->options.progress_arg, done, total);
}

struct tl_source_options tl_input_source_options(struct tl_input *input)
{
	return (struct tl_source_options){
		.size = sizeof(struct tl_source_options),
		.progress = input->options.progress ? tell_progress : NULL,
		.progress_arg = input,
	};
}
