// SPDX-License-Identifier: Apache-2.0
// Virtual calls, inlined templates and loops, for llvm-profgen, llvm-bolt and clang.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <string>
#include <map>
#include <algorithm>
struct Shape {
	virtual ~Shape()
	{
	}
	virtual long area(long x) const = 0;
};
struct Square : Shape {
	long area(long x) const override
	{
		return x * x;
	}
};
struct Circle : Shape {
	long area(long x) const override
	{
		return 3 * x * x;
	}
};
struct Odd : Shape {
	long area(long x) const override
	{
		return x % 3 == 0 ? -x : x;
	}
};
static long parse(const std::string &s, size_t &at)
{
	long v = 0;
	while (at < s.size()) {
		char c = s[at];
		if (c >= '0' && c <= '9')
			v = v * 10 + (c - '0');
		else if (c == ' ') {
			at++;
			break;
		} else if (c == '-')
			v = -v;
		else if (c == 'x')
			v ^= 0x55;
		else
			abort();
		at++;
	}
	return v;
}
static long insert(std::map<long, long> &m, long v)
{
	return ++m[v % 97];
}
static unsigned long rng = 1;
static unsigned next()
{
	rng = rng * 6364136223846793005ul + 1442695040888963407ul;
	return rng >> 33;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	Shape *shapes[] = { new Square, new Circle, new Odd };
	std::map<long, long> m;
	std::vector<long> all;
	std::string text;
	for (int i = 0; i < 2000; i++) {
		text += std::to_string(next() % 10000);
		if (i % 50 == 0)
			text += "x";
		text += ' ';
	}
	long sum = 0;
	for (int r = 0; r < rounds; r++) {
		size_t at = 0;
		while (at < text.size()) {
			long v = parse(text, at);
			sum += shapes[v % 8 == 0 ? 2 : v % 8 == 1 ? 1 : 0]->area(v);
			insert(m, v);
			all.push_back(v);
		}
		std::sort(all.begin(), all.end());
		all.resize(all.size() / 2);
	}
	printf("%ld %zu\n", sum, m.size());
}
