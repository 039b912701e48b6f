/* SPDX-License-Identifier: Apache-2.0 */
/* C++ exceptions: through recursion with clean-ups, caught by type at some depths, thrown again. */
#include "counted.h"

COUNTED(cleaned) void cleaned()
{
	COUNT(cleaned);
}

struct guard {
	~guard()
	{
		cleaned();
	}
};

struct wanted {
	int depth;
};

COUNTED(thrower) void thrower(int to)
{
	COUNT(thrower);
	throw wanted{ to };
}

COUNTED(handled) void handled()
{
	COUNT(handled);
}

COUNTED(nest) int nest(int depth, int to)
{
	guard g;

	COUNT(nest);
	if (depth == 12)
		thrower(to);
	if (depth % 3)
		return nest(depth + 1, to) + 1;
	try {
		return nest(depth + 1, to) + 1;
	} catch (const wanted &w) {
		handled();
		if (w.depth < depth)
			throw;
		return depth;
	}
}

COUNTED(after) void after()
{
	COUNT(after);
}

COUNTED(loop) void loop(int i)
{
	COUNT(loop);
	try {
		nest(0, i);
	} catch (...) {
		handled();
	}
	after();
}

int main()
{
	REGION;
	for (int i = -1; i < 12; i++)
		loop(i);
	REGION;
	TELL(cleaned);
	TELL(thrower);
	TELL(handled);
	TELL(nest);
	TELL(after);
	TELL(loop);
	return 0;
}
