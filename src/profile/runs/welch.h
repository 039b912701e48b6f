/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_WELCH_H
#define TL_PROFILE_WELCH_H
/*
 * Welch's t-test of two samples, whose variances may differ: the library of statistics that Debian
 * has (GSL) is under another licence, and two functions are all that is needed of it.
 */
#include <stddef.h>

/* A sample of at least two values. */
struct tl_sample {
	const double *values;
	size_t count;
};

struct tl_welch {
	double mean_before, mean_after;
	double low, high; /* 95 % confidence interval of the difference of the means */
	double p;         /* two-sided */
	double effect;    /* Hedges' g: the difference in standard deviations */
};

/*
 * Compare two samples of values that are multiples of `resolution`. Rounding is a part of the
 * variance: without it counts that are the same in each run would have none, and any difference
 * would be certain.
 */
struct tl_welch tl_welch_test(struct tl_sample before, struct tl_sample after, double resolution);

/* The probability that Student's t with so many degrees of freedom is at least `t` off 0. */
double tl_student_p(double t, double freedom);
/* The t that is exceeded, to both sides together, with the probability `p`. */
double tl_student_t(double p, double freedom);
/* The middle value; `values` is sorted. */
double tl_median(double *values, size_t count);

#endif
