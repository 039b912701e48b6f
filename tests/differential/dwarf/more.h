/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are inlined into each other. */
static inline double square(double x)
{
	return x * x;
}
static inline int deep4(int x)
{
	return x ^ 0x55;
}
static inline int deep3(int x)
{
	return deep4(x) + 1;
}
static inline int deep2(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s += deep3(i);
	return s;
}
static inline int deep1(int x)
{
	return deep2(x) * deep3(x + 1);
}
#ifdef __cplusplus
extern "C"
#endif
	int
	other(int x);
