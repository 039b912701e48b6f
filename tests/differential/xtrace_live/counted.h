/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTED_H
#define COUNTED_H
/* Programs that count the calls of their own functions, and print the counters: `name calls`. */
#include <stdio.h>

#define REGION __asm__ volatile("hint #9" ::: "memory")

#define COUNTED(name)                                                                              \
	static unsigned long name##_calls;                                                         \
	__attribute__((noinline, noclone)) static

#define COUNT(name) (*(volatile unsigned long *)&name##_calls += 1)
#define TELL(name) printf(#name " %lu\n", name##_calls)

#endif
