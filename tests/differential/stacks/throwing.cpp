// SPDX-License-Identifier: Apache-2.0
// Exceptions that leave frames: out of recursions, through frames with destructors, thrown again,
// and caught in the function that calls itself.  throwing HOW COUNTS  HOW: far, near, clean, again.
#include <cstring>

#include "count.h"

struct problem {
	int depth;
};

// Its destructor runs while frames are left.
struct guard {
	~guard() { leaf(2); }
};

static const char *how;

ALONE static int work(int depth, int x)
{
	count(WORK);
	if (depth == 0) {
		if (x % 3)
			throw problem{ depth };
	}
	int result = depth ? work(depth - 1, x) + 1 : leaf(x);
	done();
	return result;
}

ALONE static int step(int depth, int x)
{
	guard here;

	count(STEP);
	int result = depth ? step(depth - 1, x) : work(3, x);
	done();
	return result;
}

ALONE static int attempt(int depth, int x)
{
	int here = count(TRY), result = 0;

	if (!depth) {
		result = strcmp(how, "clean") ? work(4, x) : step(4, x);
	} else if (strcmp(how, "near") ? depth == 6 : depth % 2) {
		for (int i = 0; i < 2; i++) {
			try {
				result += attempt(depth - 1, x + i);
			} catch (const problem &) {
				back_at(here);
				leaf(x);
				if (!strcmp(how, "again") && i == 1)
					throw;
			}
		}
	} else {
		result = attempt(depth - 1, x);
	}
	done();
	return result;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	how = argv[1];
	for (int i = 0; i < 2; i++) {
		try {
			sink = sink + attempt(strcmp(how, "near") ? 6 : 4, i);
		} catch (const problem &) {
		}
		back_at(0);
	}
	return write_counts(argv[2]);
}
