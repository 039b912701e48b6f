/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_FUNCTION_FILTER_H
#define TL_INTEL_PT_LISTING_FUNCTION_FILTER_H
/* Functions chosen by regular expressions for their name and their object. */
#include <regex.h>

#include "intel_pt/profile/functions.h"

struct tl_pt_function_filter {
	regex_t function, object;
	bool by_function, by_object; /* which of the two are given */
	uint8_t *verdicts;           /* by function: enum in function_filter.c */
	size_t capacity;
	bool no_memory; /* sticky */
};

/*
 * POSIX extended regular expressions; NULL: any. To be closed in any case. 0 or TL_BAD_USAGE.
 */
int tl_pt_function_filter_open(struct tl_pt_function_filter *filter, const char *function,
			       const char *object, struct tl_error *err);
void tl_pt_function_filter_close(struct tl_pt_function_filter *filter);
bool tl_pt_function_filter_accepts(struct tl_pt_function_filter *filter,
				   const struct tl_pt_functions *functions, uint32_t function);

#endif
