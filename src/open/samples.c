/* SPDX-License-Identifier: Apache-2.0 */
#include "open/samples.h"

#include "core/error.h"
#include "open/format.h"
#include "open/input.h"

int tl_input_samples(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	int status;

	if (input->other_count)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "samples of several files are listed one file at a time");
	if (!input->format->samples)
		return tl_error_format(err, input->format->info.name,
				       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
						   "this format holds no samples"));
	status = input->format->samples(input, out, err);
	return (int)tl_input_unchanged(input, status, err);
}
