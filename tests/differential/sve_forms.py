# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of SVE, each with what it accesses: by the Arm Architecture Reference Manual's text of the instruction, from
registers that the program sets up. The assembler makes the encodings."""

BYTES = 32      # of a vector
ACTIVE = 12     # bytes of a vector whose predicate bit is set: the first ones
INDEX = 5       # X2
NEGATIVE = -2   # Z14.S counts from there on

SETUP = """
pfalse p2.b
whilelo p0.b, xzr, %[active]
setffr
mov x1, %[memory]
mov x2, #5
index z10.s, #3, #5
mov w3, w1
mov w4, #8
index z13.s, w3, w4
mov x4, #24
index z11.d, x1, x4
index z14.s, #-2, #1
index z15.d, #1, #2
ptrue p3.b
mov x5, %[edge]
"""
# X5 is so many bytes in front of a page that is not there.
EDGE = 5


def lanes(size):
    """Active ones of a vector whose elements have so many bytes."""
    return range((ACTIVE + size - 1) // size)


def line(start, size, lane, registers=1):
    return [(start + (i * registers + r) * size, size) for i in lanes(lane) for r in range(registers)]


def placed(offset, size, lane):
    return [(offset(i), size) for i in lanes(lane)]


# What vectors hold: offsets of 32 bits in lanes of 32 and of 64 bits, of 64 bits, and addresses, less that of the memory.
def z10(lane):
    return lambda i: 3 + 5 * (i * lane // 4)


def z14(lane):
    return lambda i: NEGATIVE + i * lane // 4


def z15(i):
    return 1 + 2 * i


def z13(i):
    return 8 * i


def z11(i):
    return 24 * i


def scaled(offset, size):
    return lambda i: offset(i) * size


def moved(offset, by):
    return lambda i: offset(i) + by


LOADS = (
    ("ld1b {z0.b}, p0/z, [x1]", line(0, 1, 1)),
    ("ld1b {z0.h}, p0/z, [x1, x2]", line(INDEX, 1, 2)),
    ("ld1b {z0.d}, p0/z, [x1, #7, mul vl]", line(7 * BYTES // 8, 1, 8)),
    ("ld1h {z0.s}, p0/z, [x1, x2, lsl #1]", line(2 * INDEX, 2, 4)),
    ("ld1h {z0.d}, p0/z, [x1, #1, mul vl]", line(BYTES // 4, 2, 8)),
    ("ld1sh {z0.d}, p0/z, [x1, x2, lsl #1]", line(2 * INDEX, 2, 8)),
    ("ld1sh {z0.s}, p0/z, [x1, #-1, mul vl]", line(-BYTES // 2, 2, 4)),
    ("ld1w {z0.s}, p0/z, [x1, x2, lsl #2]", line(4 * INDEX, 4, 4)),
    ("ld1sw {z0.d}, p0/z, [x1, x2, lsl #2]", line(4 * INDEX, 4, 8)),
    ("ld1sb {z0.s}, p0/z, [x1, #3, mul vl]", line(3 * BYTES // 4, 1, 4)),
    ("ld1sb {z0.h}, p0/z, [x1, x2]", line(INDEX, 1, 2)),
    ("ld1d {z0.d}, p0/z, [x1, #-2, mul vl]", line(-2 * BYTES, 8, 8)),
    ("ld1w {z0.s}, p2/z, [x1]", []),
    ("ldnf1h {z0.s}, p0/z, [x1, #1, mul vl]", line(BYTES // 2, 2, 4)),
    ("ldff1w {z0.d}, p0/z, [x1, x2, lsl #2]", line(4 * INDEX, 4, 8)),
    ("ldff1b {z0.b}, p0/z, [x1, xzr]", line(0, 1, 1)),
    ("ldnt1h {z0.h}, p0/z, [x1, x2, lsl #1]", line(2 * INDEX, 2, 2)),
    ("ldnt1w {z0.s}, p0/z, [x1, #-1, mul vl]", line(-BYTES, 4, 4)),
    ("ld2b {z0.b, z1.b}, p0/z, [x1, x2]", line(INDEX, 1, 1, 2)),
    ("ld3h {z0.h, z1.h, z2.h}, p0/z, [x1, #3, mul vl]", line(3 * BYTES, 2, 2, 3)),
    ("ld4d {z0.d, z1.d, z2.d, z3.d}, p0/z, [x1, x2, lsl #3]", line(8 * INDEX, 8, 8, 4)),
    ("ld1rqb {z0.b}, p0/z, [x1, x2]", line(INDEX, 1, 1)),
    ("ld1rqw {z0.s}, p0/z, [x1, #32]", line(32, 4, 4)),
    ("ld1rob {z0.b}, p0/z, [x1, #-32]", line(-32, 1, 1)),
    ("ld1rod {z0.d}, p0/z, [x1, x2, lsl #3]", line(8 * INDEX, 8, 8)),
    ("ld1w {z0.s}, p0/z, [x1, z10.s, uxtw]", placed(z10(4), 4, 4)),
    ("ld1sb {z0.s}, p0/z, [x1, z14.s, sxtw]", placed(z14(4), 1, 4)),
    ("ld1sh {z0.s}, p0/z, [x1, z10.s, sxtw #1]", placed(scaled(z10(4), 2), 2, 4)),
    ("ldff1w {z0.s}, p0/z, [x1, z14.s, sxtw #2]", placed(scaled(z14(4), 4), 4, 4)),
    ("ldff1h {z0.s}, p0/z, [x1, z10.s, uxtw]", placed(z10(4), 2, 4)),
    ("ld1sb {z0.s}, p0/z, [z13.s, #5]", placed(moved(z13, 5), 1, 4)),
    ("ldff1w {z0.s}, p0/z, [z13.s, #124]", placed(moved(z13, 124), 4, 4)),
    ("ldnt1b {z0.s}, p0/z, [z13.s, x2]", placed(moved(z13, INDEX), 1, 4)),
    ("ld1d {z0.d}, p0/z, [x1, z15.d, lsl #3]", placed(scaled(z15, 8), 8, 8)),
    ("ld1w {z0.d}, p0/z, [x1, z15.d]", placed(z15, 4, 8)),
    ("ldff1sh {z0.d}, p0/z, [x1, z15.d, lsl #1]", placed(scaled(z15, 2), 2, 8)),
    ("ldff1b {z0.d}, p0/z, [x1, z15.d]", placed(z15, 1, 8)),
    ("ld1sh {z0.d}, p0/z, [x1, z10.d, uxtw #1]", placed(scaled(z10(8), 2), 2, 8)),
    ("ld1sb {z0.d}, p0/z, [x1, z14.d, sxtw]", placed(z14(8), 1, 8)),
    ("ldff1d {z0.d}, p0/z, [x1, z14.d, sxtw #3]", placed(scaled(z14(8), 8), 8, 8)),
    ("ldff1w {z0.d}, p0/z, [x1, z10.d, uxtw]", placed(z10(8), 4, 8)),
    ("ld1d {z0.d}, p0/z, [z11.d, #248]", placed(moved(z11, 248), 8, 8)),
    ("ldff1sw {z0.d}, p0/z, [z11.d, #4]", placed(moved(z11, 4), 4, 8)),
    ("ldnt1d {z0.d}, p0/z, [z11.d, x2]", placed(moved(z11, INDEX), 8, 8)),
    ("prfb pldl1keep, p0, [x1, x2]", []),
    ("prfd pldl1keep, p0, [x1, z15.d, lsl #3]", []),
    ("prfw pldl1keep, p0, [x1, z10.d, uxtw #2]", []),
    ("prfh pldl1keep, p0, [x1, z10.s, uxtw #1]", []),
    ("prfb pldl1keep, p0, [z11.d, #3]", []),
)
STORES = (
    ("st1b {z0.b}, p0, [x1, x2]", line(INDEX, 1, 1)),
    ("st1b {z0.d}, p0, [x1, x2]", line(INDEX, 1, 8)),
    ("st1h {z0.h}, p0, [x1, #-1, mul vl]", line(-BYTES, 2, 2)),
    ("st1h {z0.s}, p0, [x1, #5, mul vl]", line(5 * BYTES // 2, 2, 4)),
    ("st1w {z0.d}, p0, [x1, x2, lsl #2]", line(4 * INDEX, 4, 8)),
    ("st1d {z0.d}, p0, [x1, x2, lsl #3]", line(8 * INDEX, 8, 8)),
    ("st1d {z0.d}, p0, [x1, #1, mul vl]", line(BYTES, 8, 8)),
    ("stnt1b {z0.b}, p0, [x1, x2]", line(INDEX, 1, 1)),
    ("stnt1d {z0.d}, p0, [x1, #2, mul vl]", line(2 * BYTES, 8, 8)),
    ("st2w {z0.s, z1.s}, p0, [x1, x2, lsl #2]", line(4 * INDEX, 4, 4, 2)),
    ("st3b {z0.b, z1.b, z2.b}, p0, [x1, #-3, mul vl]", line(-3 * BYTES, 1, 1, 3)),
    ("st4d {z0.d, z1.d, z2.d, z3.d}, p0, [x1, x2, lsl #3]", line(8 * INDEX, 8, 8, 4)),
    ("st1b {z0.d}, p0, [x1, z10.d, uxtw]", placed(z10(8), 1, 8)),
    ("st1w {z0.d}, p0, [x1, z14.d, sxtw #2]", placed(scaled(z14(8), 4), 4, 8)),
    ("st1h {z0.s}, p0, [x1, z10.s, uxtw]", placed(z10(4), 2, 4)),
    ("st1w {z0.s}, p0, [x1, z14.s, sxtw #2]", placed(scaled(z14(4), 4), 4, 4)),
    ("st1d {z0.d}, p0, [x1, z15.d]", placed(z15, 8, 8)),
    ("st1w {z0.d}, p0, [x1, z15.d, lsl #2]", placed(scaled(z15, 4), 4, 8)),
    ("st1w {z0.d}, p0, [z11.d, #4]", placed(moved(z11, 4), 4, 8)),
    ("st1b {z0.s}, p0, [z13.s, #31]", placed(moved(z13, 31), 1, 4)),
    ("stnt1w {z0.d}, p0, [z11.d, x2]", placed(moved(z11, INDEX), 4, 8)),
    ("stnt1h {z0.s}, p0, [z13.s, x2]", placed(moved(z13, INDEX), 2, 4)),
    ("stnt1d {z0.d}, p0, [z11.d, x2]", placed(moved(z11, INDEX), 8, 8)),
)
# Elements from X5 on: those behind the edge cannot be loaded, and FFR says so from then on.
FAULTING = (
    ("ldff1b {z0.b}, p3/z, [x5, xzr]", EDGE),
    ("setffr", 0),
    ("ldnf1b {z0.b}, p3/z, [x5, #1, mul vl]", 0),
    ("setffr", 0),
    ("ldnf1b {z0.h}, p3/z, [x5]", EDGE),
)


def program():
    """C, whose instructions between two `hint #9` are those of the lists, in their order; it prints the address of the memory
    and of the edge."""
    lines = [text for text in SETUP.split("\n") if text] + ["hint #9"]
    lines += [text for text, _ in LOADS + STORES + FAULTING] + ["hint #9"]
    return """#include <stdio.h>
#include <sys/mman.h>
static unsigned char memory[4096];
int main(void)
{
	for (unsigned i = 0; i < sizeof(memory); i++)
		memory[i] = (unsigned char)(i * 7 + (i >> 8));
	unsigned char *edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(edge + 4096, 4096);
	edge += 4096 - %d;
	printf("%%lu %%lu\\n", (unsigned long)(memory + 1024), (unsigned long)edge);
	fflush(stdout);
	__asm__ volatile(%s : : [memory] "r"(memory + 1024), [active] "r"(%dul), [edge] "r"(edge)
		: "memory", "x1", "x2", "x3", "x4", "x5", "p0", "p2", "p3", "z0", "z1", "z2", "z3", "z10", "z11", "z13", "z14", "z15");
	return 0;
}
""" % (EDGE, " ".join('"%s\\n"' % text for text in lines), ACTIVE)
