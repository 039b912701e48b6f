/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that change vectors, predicates, FFR, parts of registers and flags of what they
 * interrupt, in the records of their frames, and use SVE themselves. What comes back is held
 * against what was put there: the program says "good" at the end. With -DLENGTH=N it sets its
 * vectors' length to N bytes first.
 */
#define _GNU_SOURCE
#include <asm/sigcontext.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

enum { LONGEST = 256 };

struct registers {
	uint8_t z[32 * LONGEST], p[17 * LONGEST / 8];
	uint64_t x20, nzcv, fpsr;
} __attribute__((aligned(16)));

enum action { NOTHING, WHOLE, PARTS, ALL, BORROWED, ONE };

static struct registers before, after, wanted;
static volatile enum action action;
static uint64_t length, wrong, seen;
static uint8_t kept[sizeof(mcontext_t)];

static uint64_t length_now(void)
{
	uint64_t bytes;

	__asm__("rdvl %0, #1" : "=r"(bytes));
	return bytes;
}

#define EACH_VECTOR                                                                                \
	"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define EACH_PREDICATE "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"

/* All vectors from memory, a trap, and all to memory. */
static __attribute__((noinline)) void interrupted(const struct registers *from,
						  struct registers *to)
{
	register const uint8_t *z __asm__("x9") = from->z, *p __asm__("x10") = from->p;
	register uint8_t *to_z __asm__("x11") = to->z, *to_p __asm__("x12") = to->p;
	register uint64_t x20 __asm__("x20") = from->x20, flags __asm__("x13") = from->nzcv;
	register uint64_t status __asm__("x14") = from->fpsr;

	__asm__ volatile("ldr p0, [x10, #16, mul vl]\n"
			 "\twrffr p0.b\n"
			 "\t.irp n," EACH_PREDICATE "\n"
			 "\tldr p\\n, [x10, #\\n, mul vl]\n"
			 "\t.endr\n"
			 "\t.irp n," EACH_VECTOR "\n"
			 "\tldr z\\n, [x9, #\\n, mul vl]\n"
			 "\t.endr\n"
			 "\tmsr fpsr, x14\n"
			 "\tmsr nzcv, x13\n"
			 "\tbrk #7\n"
			 "\tmrs x13, nzcv\n"
			 "\tmrs x14, fpsr\n"
			 "\t.irp n," EACH_VECTOR "\n"
			 "\tstr z\\n, [x11, #\\n, mul vl]\n"
			 "\t.endr\n"
			 "\t.irp n," EACH_PREDICATE "\n"
			 "\tstr p\\n, [x12, #\\n, mul vl]\n"
			 "\t.endr\n"
			 "\trdffr p0.b\n"
			 "\tstr p0, [x12, #16, mul vl]\n"
			 : "+r"(x20), "+r"(flags), "+r"(status)
			 : "r"(z), "r"(p), "r"(to_z), "r"(to_p)
			 : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
			   "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
			   "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
			   "v29", "v30", "v31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
			   "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "ffr");
	to->x20 = x20;
	to->nzcv = flags;
	to->fpsr = status;
}

/* The handler has vectors of its own. */
static void use_vectors(void)
{
	__asm__ volatile("ptrue p0.b\n"
			 "\tpfalse p1.b\n"
			 "\twrffr p1.b\n"
			 "\tptrue p15.h\n"
			 "\t.irp n," EACH_VECTOR "\n"
			 "\tindex z\\n\\().b, #\\n - 16, #3\n"
			 "\t.endr\n"
			 :
			 :
			 : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
			   "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
			   "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
			   "p0", "p1", "p15", "ffr");
}

/* A record of the frame, which may be beside the others. */
static struct _aarch64_ctx *record(mcontext_t *context, uint32_t magic)
{
	struct _aarch64_ctx *head = (struct _aarch64_ctx *)(void *)context->__reserved;

	for (;;) {
		if (head->magic == magic)
			return head;
		if (head->magic == EXTRA_MAGIC)
			head = (struct _aarch64_ctx *)((struct extra_context *)head)->datap;
		else if (head->magic)
			head = (struct _aarch64_ctx *)((char *)head + head->size);
		else
			return NULL;
	}
}

static void change(mcontext_t *context, struct fpsimd_context *v, struct sve_context *z)
{
	uint64_t vq = sve_vq_from_vl(z->vl);
	uint8_t *long_one = (uint8_t *)z;

	switch (action) {
	case WHOLE:
		/* Z5, in both records; P3, FFR. */
		memset(long_one + SVE_SIG_ZREG_OFFSET(vq, 5), 0x5a, length);
		memset(&v->vregs[5], 0x5a, 16);
		memset(long_one + SVE_SIG_PREG_OFFSET(vq, 3), 0x11, length / 8);
		memset(long_one + SVE_SIG_FFR_OFFSET(vq), 0x01, length / 8);
		break;
	case PARTS:
		/* A byte each of Z7, behind the 128 bits, P2, X20; an element of Z31. */
		long_one[SVE_SIG_ZREG_OFFSET(vq, 7) + length - 3] = 0x77;
		long_one[SVE_SIG_PREG_OFFSET(vq, 2) + 1] = 0x21;
		memset(long_one + SVE_SIG_ZREG_OFFSET(vq, 31) + length - 8, 0x33, 8);
		((uint8_t *)&context->regs[20])[2] = 0xee;
		context->pstate ^= UINT64_C(0xa0000000);
		v->fpsr |= 0x10;
		break;
	case ALL:
		for (unsigned i = 0; i < 32; i++) {
			memset(long_one + SVE_SIG_ZREG_OFFSET(vq, i), (int)i + 1, length);
			memset(&v->vregs[i], (int)i + 1, 16);
		}
		memset(long_one + SVE_SIG_PREG_OFFSET(vq, 0), 0, length / 8 * 16);
		break;
	case BORROWED:
		/* All registers of an earlier signal but PC, as a scheduler of its own does it. */
		memcpy((char *)context->regs, kept + offsetof(mcontext_t, regs),
		       offsetof(mcontext_t, pc) - offsetof(mcontext_t, regs));
		context->pstate = ((mcontext_t *)(void *)kept)->pstate;
		memcpy(context->__reserved, kept + offsetof(mcontext_t, __reserved),
		       sizeof(context->__reserved));
		break;
	case ONE:
		/* Linux has V10 of this, QEMU the lower part of Z9; both the rest of Z9. */
		memset(long_one + SVE_SIG_ZREG_OFFSET(vq, 9), 0x99, length);
		memset(&v->vregs[10], 0xaa, 16);
		break;
	default:
		break;
	}
}

static void on_trap(int number, siginfo_t *info, void *arg)
{
	mcontext_t *context = &((ucontext_t *)arg)->uc_mcontext;
	struct fpsimd_context *v = (struct fpsimd_context *)record(context, FPSIMD_MAGIC);
	struct sve_context *z = (struct sve_context *)record(context, SVE_MAGIC);

	(void)info;
	seen += (uint64_t)number;
	use_vectors();
	if (action == NOTHING)
		memcpy(kept, context, sizeof(kept));
	else
		change(context, v, z);
	context->pc += 4;
}

static void hold(const char *what, const void *got, const void *right, size_t size)
{
	if (!memcmp(got, right, size))
		return;
	wrong++;
	printf("%s: action %d is wrong\n", what, (int)action);
}

static void expect(void)
{
	size_t bytes = length / 8;

	wanted = before;
	switch (action) {
	case WHOLE:
		memset(wanted.z + 5 * length, 0x5a, length);
		memset(wanted.p + 3 * bytes, 0x11, bytes);
		memset(wanted.p + 16 * bytes, 0x01, bytes);
		break;
	case PARTS:
		wanted.z[7 * length + length - 3] = 0x77;
		wanted.p[2 * bytes + 1] = 0x21;
		memset(wanted.z + 31 * length + length - 8, 0x33, 8);
		((uint8_t *)&wanted.x20)[2] = 0xee;
		wanted.nzcv ^= UINT64_C(0xa0000000);
		wanted.fpsr |= 0x10;
		break;
	case ALL:
		for (unsigned i = 0; i < 32; i++)
			memset(wanted.z + i * length, (int)i + 1, length);
		memset(wanted.p, 0, 16 * bytes);
		break;
	case ONE:
		memset(wanted.z + 9 * length + 16, 0x99, length - 16);
		if (after.z[10 * length] == 0xaa)
			memset(wanted.z + 10 * length, 0xaa, 16);
		else
			memset(wanted.z + 9 * length, 0x99, 16);
		break;
	default:
		break;
	}
}

static void fill(unsigned seed)
{
	size_t bytes = length / 8;
	uint64_t *z = (uint64_t *)(void *)before.z, *p = (uint64_t *)(void *)before.p;

	for (size_t i = 0; i < 32 * length / 8; i++)
		z[i] = (i % 64 + seed) * UINT64_C(0x0101010101010101);
	for (size_t i = 0; i < 16 * bytes / 8; i++)
		p[i] = (i + seed) * UINT64_C(0x0101010101010101);
	/* FFR is a row of ones. */
	memset(before.p + 16 * bytes, 0, bytes);
	memset(before.p + 16 * bytes, 0xff, bytes / 2);
	before.x20 = UINT64_C(0x0123456789abcdef) * (seed + 1);
	before.nzcv = seed % 2 ? UINT64_C(0x60000000) : UINT64_C(0x90000000);
	before.fpsr = 1;
}

static void run(enum action what, unsigned seed)
{
	static struct registers first;

	if (what == BORROWED)
		first = before;
	action = what;
	fill(seed);
	memset(&after, 0, sizeof(after));
	interrupted(&before, &after);
	expect();
	/* Those of the signal before, also those that this function has. */
	if (action == BORROWED)
		wanted = first;
	hold("vectors", after.z, wanted.z, 32 * length);
	hold("predicates", after.p, wanted.p, 17 * length / 8);
	hold("X20, NZCV, FPSR", &after.x20, &wanted.x20, 24);
}

int main(void)
{
	struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &trap, NULL);
#ifdef LENGTH
	prctl(PR_SVE_SET_VL, LENGTH);
#endif
	length = length_now();
	__asm__ volatile("hint #9");
	run(WHOLE, 0);
	run(PARTS, 1);
	run(ALL, 2);
	run(NOTHING, 3);
	if (length <= 64)
		run(BORROWED, 4);
	run(ONE, 5);
	__asm__ volatile("hint #9");
	if (wrong || seen != SIGTRAP * (length <= 64 ? 6u : 5u))
		return 1;
	puts("good");
	return 0;
}
