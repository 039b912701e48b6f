/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_WRITE_H
#define TL_PROFILE_FILE_WRITE_H
#include "core/output.h"
#include "profile/file/block_writer.h"
#include "profile/canon/texts.h"
#include "profile/model/model.h"

/*
 * Write a finished profile as a profile file, whole and in canonical order, by up to `jobs`
 * threads. The bytes do not depend on their number.
 */
int tl_pfile_write(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
		   struct tl_error *err);

/* Write the durations of a function in a part, both by place. */
struct tl_pfile_durations {
	uint32_t function, part;
	const struct tl_latencies *latencies;
};
void tl_pfile_write_durations(struct tl_pfile_writer *writer,
			      const struct tl_pfile_durations *durations);
void tl_pfile_write_samples(struct tl_pfile_writer *writer,
			    const struct tl_pfile_durations *durations);
/*
 * Sections of what is said once: head, events, notes; `texts` has theirs, `row` is room for a row
 * of any of them.
 */
void tl_pfile_write_said(struct tl_pfile_writer *writer, const struct tl_profile *profile,
			 struct tl_pfile_texts *texts, uint64_t *row);
/* The members of `losses` in the order of the file. */
void tl_pfile_put_losses(uint64_t *row, const struct tl_losses *losses);

#endif
