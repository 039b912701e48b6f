/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, calls and branches of every kind, for gcov to count. */
#include <stdio.h>
#include <stdlib.h>
static int (*ops[3])(int);
static int twice(int x)
{
	return 2 * x;
}
static int half(int x)
{
	return x / 2;
}
static int odd(int x)
{
	if (x & 1)
		return 3 * x + 1;
	return x;
}
static int never(int x)
{
	if (x > 3)
		x++;
	return x - 1;
}
static int kind(int x)
{
	switch (x) {
	case 0:
		return 10;
	case 1:
		return 20;
	case 2:
		return 30;
	case 3:
		return 45;
	case 4:
		return 46;
	case 5:
		return 57;
	default:
		return -1;
	}
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, sum = 0;
	ops[0] = twice;
	ops[1] = half;
	ops[2] = odd;
	for (int i = 0; i < n; i++) {
		sum += ops[i % 3](i);
		if (i % 7 == 0 && i % 2)
			sum -= kind(i % 9);
		while (sum > 1000)
			sum /= 2;
	}
	if (n < 0)
		sum = never(sum);
	printf("%d\n", sum);
	return 0;
}
