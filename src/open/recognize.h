/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_RECOGNIZE_H
#define TL_OPEN_RECOGNIZE_H
#include <tracelathe/open.h>

/*
 * Set input->format: as input->options.format names it, else by content, of the first path that is
 * not empty. The source of the first path is open. On failure *failed may be set to another path.
 */
int tl_input_recognize(struct tl_input *input, const char *const *paths, size_t path_count,
		       const char **failed, struct tl_error *err);

/*
 * The files of one input have one format: TL_BAD_USAGE, and *failed is the path, if the content of
 * a further one is of another, as it would be read as damage.
 */
int tl_input_check_formats(const struct tl_input *input, const char *const *paths,
			   size_t path_count, const char **failed, struct tl_error *err);

#endif
