/* SPDX-License-Identifier: Apache-2.0 */
/*
 * longjmp out of depth, to an activation in the middle of a recursion, and to where longjmp was
 * called before.
 */
#include <setjmp.h>

#include "counted.h"

static jmp_buf outer, inner[64];

COUNTED(leaf) void leaf(void)
{
	COUNT(leaf);
}

COUNTED(dig) void dig(int depth)
{
	volatile char room[200];

	COUNT(dig);
	room[depth % 200] = 1;
	if (!depth)
		longjmp(outer, 1);
	dig(depth - 1);
	leaf();
}

COUNTED(middle) int middle(int depth, int to)
{
	COUNT(middle);
	if (setjmp(inner[depth])) {
		leaf();
		return depth;
	}
	if (depth == 20)
		longjmp(inner[to], 1);
	return middle(depth + 1, to) + 1;
}

COUNTED(round_trip) void round_trip(int i)
{
	COUNT(round_trip);
	if (!setjmp(outer))
		dig(i);
	leaf();
}

int main(void)
{
	volatile int i;

	REGION;
	for (i = 0; i < 12; i++)
		round_trip(i * i);
	round_trip(2500);
	for (i = 0; i < 20; i++)
		middle(0, i);
	REGION;
	TELL(leaf);
	TELL(dig);
	TELL(middle);
	TELL(round_trip);
	return 0;
}
