/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of C++ that debug information has to tell: templates, methods, lambdas, local classes, exceptions. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <string>
#include "more.h"
namespace app {
template <typename T> struct Stack {
	std::vector<T> items;
	__attribute__((always_inline)) inline void push(T value) { items.push_back(grow(value)); }
	T top() const { return items.back(); }
	static inline T grow(T value) { return value * 2 + 1; }
};
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Square : Shape { double a; Square(double x) : a(x) {} double area() const override { return square(a); } };
namespace {
__attribute__((noinline)) int hidden(int x)
{
	struct Local { int v; int twice() const { return v * 2; } } local{ x };
	auto lambda = [&](int y) { return local.twice() + y; };
	if (x > 100)
		abort();
	return lambda(3);
}
}
static int dropped(int x) { return x + 5; }
__attribute__((noinline)) int run(int n)
{
	Stack<int> stack;
	Stack<double> doubles;
	for (int i = 0; i < n; i++) {
		stack.push(hidden(i));
		doubles.push(square(i));
	}
	std::sort(stack.items.begin(), stack.items.end(), [](int a, int b) { return a > b; });
	return stack.top() + (int)doubles.top() + deep1(n);
}
}
int main(int argc, char **argv)
{
	app::Shape *shape = new app::Square(argc);
	std::string s = argv[0];
	int sum = app::run(argc + 5) + (int)shape->area() + other(argc);
	try { if (argc > 50) throw sum; } catch (int caught) { sum += caught; }
	printf("%d %s\n", sum, s.c_str());
	delete shape;
	return 0;
}
