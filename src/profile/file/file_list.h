/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_LIST_H
#define TL_PROFILE_FILE_LIST_H
/* What `info`, `dump` and `check` show of a profile file. */
#include "core/output.h"
#include "profile/file/block_reader.h"
#include "profile/model/model.h"

/* Facts about a file and the profile that was read from it. */
void tl_pfile_describe(const struct tl_pfile_reader *reader, const struct tl_profile *profile,
		       bool json, struct tl_output *out);
/* A line for each block. */
void tl_pfile_dump(const struct tl_pfile_reader *reader, bool json, struct tl_output *out);
/*
 * A line for each fault, and for each block whose rows are not sorted. All sections must have been
 * read before, so that their faults are known. @return number of lines, or a negative tl_status
 */
int64_t tl_pfile_check(struct tl_pfile_reader *reader, uint32_t events, bool json,
		       struct tl_output *out, struct tl_error *err);

#endif
