/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: gathers and scatters, structures, first-fault loads up to the end of memory, predicates and
 * vectors in memory; with -DCHANGING the program sets the length of its vectors between.
 */
#define _GNU_SOURCE
#include <arm_sve.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { COUNT = 96, PAGE = 4096 };

static float floats[COUNT], copied[COUNT];
static int64_t places[COUNT];
static uint8_t bytes[1024];
static double sum;

static void gather(void)
{
	for (int i = 0; i < COUNT; i += (int)svcntd()) {
		svbool_t some = svwhilelt_b64(i, COUNT);
		svint64_t at = svld1_s64(some, places + i);
		svuint64_t found =
			svld1uw_gather_s64index_u64(some, (uint32_t *)(void *)floats, at);

		svst1w_scatter_s64index_u64(some, (uint32_t *)(void *)copied, at, found);
		sum += (double)svaddv_u64(some, found);
	}
}

static void structures(void)
{
	svbool_t all = svptrue_b32(), four = svptrue_pat_b32(SV_VL4);

	for (int i = 0; i + 64 < COUNT; i += 16) {
		svfloat32x3_t three = svld3_f32(four, floats + i);
		svfloat32_t middle = svget3(three, 1);

		svst2_f32(four, copied + i, svcreate2_f32(svget3(three, 2), svget3(three, 0)));
		sum += svaddv_f32(all, svcompact_f32(svcmpgt_n_f32(all, middle, 20), middle));
	}
}

/* As strlen() does it. */
static long length(const uint8_t *text)
{
	svbool_t all = svptrue_b8();
	long at = 0;

	svsetffr();
	for (;;) {
		svuint8_t found = svldff1_u8(all, text + at);
		svbool_t good = svrdffr(), zeros = svcmpeq_n_u8(good, found, 0);

		if (svptest_any(good, zeros))
			return at + (long)svcntp_b8(good, svbrkb_b_z(good, zeros));
		at += (long)svcntp_b8(all, good);
		if (!svptest_last(all, good))
			svsetffr();
	}
}

static void first_faults(void)
{
	uint8_t *page =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	svuint64_t found;
	svuint8_t last;

	munmap(page + PAGE, PAGE);
	for (int i = 1; i < 100; i++)
		page[PAGE - i] = i == 1 ? 0 : 'a';
	for (int i = 1; i < 80; i += 13)
		sum += (double)length(page + PAGE - i);
	svsetffr();
	found = svldff1_gather_u64offset_u64(svptrue_b64(), (uint64_t *)(void *)(page + PAGE - 24),
					     svindex_u64(0, 8));
	sum += (double)svcntp_b64(svptrue_b64(), svrdffr());
	sum += (double)svaddv_u64(svrdffr_z(svptrue_b64()), found);
	svsetffr();
	last = svldnf1_u8(svptrue_b8(), page + PAGE - 6);
	sum += (double)svaddv_u8(svrdffr_z(svptrue_b8()), last);
	munmap(page, PAGE);
}

static void whole_registers(void)
{
	svbool_t some = svwhilelt_b8(3, 11);

	__asm__ volatile("str %0, [%1]\n"
			 "\tldr p3, [%1]\n"
			 "\tstr z0, [%1, #1, mul vl]\n"
			 "\tldr z1, [%1, #1, mul vl]"
			 :
			 : "Upa"(some), "r"(bytes)
			 : "p3", "z1", "memory");
	svst1_u8(svptrue_b8(), bytes, svldnt1_u8(svptrue_b8(), bytes + 512));
	svstnt1_u8(svwhilelt_b8(0, 9), bytes + 600, svdup_u8(4));
	sum += svaddv_f32(svptrue_b32(), svld1rq_f32(svptrue_b32(), floats + 40));
	sum += (double)svaddv_u8(svptrue_b8(), svld1_u8(svptrue_b8(), bytes));
}

static void run(void)
{
	gather();
	structures();
	first_faults();
	whole_registers();
}

int main(void)
{
	for (int i = 0; i < COUNT; i++) {
		floats[i] = (float)i;
		places[i] = i * 37 % COUNT;
	}
	__asm__ volatile("hint #9");
	run();
#ifdef CHANGING
	prctl(PR_SVE_SET_VL, 16);
	run();
	prctl(PR_SVE_SET_VL, 32);
#endif
	run();
	__asm__ volatile("hint #9");
	printf("%f\n", sum);
	return 0;
}
