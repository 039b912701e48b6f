/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_WRITE_H
#define TL_PROFILE_FILE_WRITE_H
#include "core/output.h"
#include "profile/file/block_writer.h"
#include "profile/canon/canon.h"
#include "profile/merge/merge.h"

/*
 * Write a finished profile as a profile file, whole and in canonical order, by up to `jobs`
 * threads. The bytes do not depend on their number, nor on whether the profile is packed
 * (profile/model/pack.h).
 */
int tl_pfile_write(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
		   struct tl_error *err);
/*
 * Write what tl_profile_merge() makes of a profile, unpacked and alone. Where no two of its
 * elements become one, nothing is merged for that.
 */
int tl_pfile_write_merged(const struct tl_profile *profile, unsigned jobs, struct tl_output *out,
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
/*
 * packed/write_packed.c: lines, arcs and jumps of a packed profile. Zero-filled, but for `from` and
 * `map`.
 */
struct tl_pfile_packed {
	const struct tl_profile *from; /* the packed one */
	struct tl_merge_map map;       /* to the profile that is written, without these elements */
	struct tl_pfile_canon *canon;  /* of that one */
	uint32_t *ranks;               /* by name of `from`; TL_NONE: no item has it */
	uint32_t *runs;                /* in the order of the file */
	bool same_events;              /* the profile that is written has them in the same order */
	bool ordered;                  /* the order of the elements is written, too */
	/* The number of the first item of each element of the section, in the order of the file. */
	uint32_t *numbers;
	size_t number_count, number_capacity;
};
/* Fill the map for a profile that is written as it is. False without memory. */
bool tl_pfile_packed_map(struct tl_pfile_packed *packed);
/* Add the texts of its places; after that, with their ranks: begin. False without memory. */
bool tl_pfile_packed_texts(struct tl_pfile_packed *packed, struct tl_pfile_texts *texts);
bool tl_pfile_packed_begin(struct tl_pfile_packed *packed, struct tl_pfile_canon *canon);
/* The rows of TL_PFILE_LINES, _ARCS or _JUMPS, by up to `jobs` threads. False without memory. */
bool tl_pfile_packed_write(struct tl_pfile_packed *packed, enum tl_pfile_section section,
			   struct tl_pfile_writer *writer, unsigned jobs);
void tl_pfile_packed_free(struct tl_pfile_packed *packed);
/*
 * packed/write_rows.c: the same of rows that are as the file has them (tl_pack_rows). 1; 0: some
 * are not, or not in its order, and nothing was written; TL_NO_MEMORY.
 */
int tl_pfile_packed_copy(struct tl_pfile_packed *packed, enum tl_pfile_section section,
			 struct tl_pfile_writer *writer, unsigned jobs);

/* The place of a function, and of a part, of the packed profile. */
static inline uint32_t tl_pfile_function_place(const struct tl_pfile_packed *packed,
					       uint32_t number)
{
	return tl_pfile_place(&packed->canon->functions, packed->map.functions[number]);
}

static inline uint32_t tl_pfile_part_place(const struct tl_pfile_packed *packed, uint32_t number)
{
	return tl_pfile_place(&packed->canon->parts, packed->map.parts[number]);
}

/* The members of `losses` in the order of the file. */
void tl_pfile_put_losses(uint64_t *row, const struct tl_losses *losses);

#endif
