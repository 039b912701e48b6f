/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_READ_H
#define TL_PROFILE_FILE_READ_H
#include "profile/file/block_reader.h"
#include "profile/model/model.h"

/* How much of a file becomes a profile. */
struct tl_pfile_read_options {
	/* sums of functions and of calls between them: lines and positions are left out */
	bool functions_only;
	bool table;    /* with it: sums of functions alone are wanted, of all parts together */
	bool per_part; /* keep sums and durations of functions by part */
	unsigned jobs; /* threads to work on, 0: 1 */
	/*
	 * lines, arcs and jumps are packed (profile/model/pack.h), for who only writes them, unless
	 * there are call stacks, formulas, sums that may not fit, or elements of no part
	 */
	bool packed;
};

/*
 * A finished profile of a file. What is lost by damage is noted in the reader; a function, name or
 * part that is lost is "[lost]" or none.
 */
int tl_pfile_read(struct tl_profile **profile, struct tl_pfile_reader *reader,
		  const struct tl_pfile_read_options *options, struct tl_error *err);

/* The losses of no part, which the file says once; unchanged where that is damaged. */
int tl_pfile_read_losses(struct tl_pfile_reader *reader, struct tl_losses *losses,
			 struct tl_error *err);

#endif
