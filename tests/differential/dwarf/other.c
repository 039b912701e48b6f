/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of C beside that of C++: inlined calls, a nested function, one that nobody calls. */
#include <stdio.h>
#include "more.h"
static int helper(int x)
{
	return deep1(x) - deep2(x);
}
#ifndef __clang__
static int nested(int x)
{
	int inner(int y)
	{
		return y * x;
	}
	return inner(x) + inner(2);
}
#else
static int nested(int x)
{
	return x;
}
#endif
int unused_function(int x)
{
	return deep1(x) + 77;
}
int other(int x)
{
	double d = square(x);
	int (*p)(int) = helper;
	return (int)d + p(x) + nested(x);
}
