/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/runs/welch.h"

#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"

/* ---- Student's distribution ---- */

/* What keeps a step of Lentz's method from a division by 0. */
static double away_from_zero(double x)
{
	const double least = 1e-300;

	return fabs(x) < least ? least : x;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	enum { MOST_STEPS = 1000 };
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), sum = d;

	for (int m = 1; m < MOST_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		sum *= c * d;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = c * d;
		sum *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return sum;
}

/* The regularized incomplete beta function; `y` is 1 - x, which may be too small to be one. */
static double beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	/* The fraction converges fast on one side of the mean; the other follows by symmetry. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double tl_student_p(double t, double freedom)
{
	double square = t * t;

	return beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square));
}

double tl_student_t(double p, double freedom)
{
	double low = 0, high = 1;

	while (tl_student_p(high, freedom) > p && high < 1e150)
		high *= 2;
	for (int i = 0; i < 200 && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (tl_student_p(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* ---- samples ---- */

static double mean_of(struct tl_sample s)
{
	double sum = 0;

	for (size_t i = 0; i < s.count; i++)
		sum += s.values[i];
	return sum / (double)s.count;
}

/* Of the sample, and of rounding: that of an even distribution over one step. */
static double variance_of(struct tl_sample s, double mean, double resolution)
{
	double sum = 0;

	for (size_t i = 0; i < s.count; i++)
		sum += (s.values[i] - mean) * (s.values[i] - mean);
	return sum / (double)(s.count - 1) + resolution * resolution / 12;
}

struct tl_welch tl_welch_test(struct tl_sample before, struct tl_sample after, double resolution)
{
	double n = (double)before.count, m = (double)after.count;
	double x = mean_of(before), y = mean_of(after);
	double v = variance_of(before, x, resolution), w = variance_of(after, y, resolution);
	double error = v / n + w / m, change = y - x, reach, pooled;
	/* Welch and Satterthwaite's degrees of freedom. */
	double freedom = error * error / (v * v / (n * n * (n - 1)) + w * w / (m * m * (m - 1)));

	reach = tl_student_t(0.05, freedom) * sqrt(error);
	pooled = sqrt(((n - 1) * v + (m - 1) * w) / (n + m - 2));
	return (struct tl_welch){
		.mean_before = x,
		.mean_after = y,
		.low = change - reach,
		.high = change + reach,
		.p = tl_student_p(change / sqrt(error), freedom),
		.effect = change / pooled * (1 - 3 / (4 * (n + m - 2) - 1)),
	};
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return tl_compare(x, y);
}

double tl_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
