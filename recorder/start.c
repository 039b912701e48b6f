/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a recorded process, and its one lock. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "thread.h"

struct runtime rt = { .next_id = 4096 };
uint8_t rt_has_sve;

/* ---- the lock: with signals blocked, so that no handler waits for what it interrupted ---- */

void rt_lock(uint64_t *signals)
{
	uint64_t all = ~(uint64_t)0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, signals, sizeof(all));
	while (__atomic_exchange_n(&rt.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void rt_unlock(const uint64_t *signals)
{
	__atomic_store_n(&rt.lock, 0, __ATOMIC_RELEASE);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, signals, NULL, sizeof(*signals));
}

/*
 * A thread of the parent may have had the lock at the fork. The log is empty already, but where the
 * kernel, or who stands for it, knows no MADV_WIPEONFORK.
 */
static void begin_child(void)
{
	rt.lock = 0;
	if (rt_self)
		memset(rt_self->log, 0, sizeof(*rt_self->log));
}

/* ---- options ---- */

static const struct {
	const char *name;
	size_t field;
} options[] = {
	{ "hz", offsetof(struct rt_options, hz) },
	{ "threshold", offsetof(struct rt_options, threshold_ns) },
	{ "ring", offsetof(struct rt_options, ring) },
	{ "depth", offsetof(struct rt_options, depth) },
	{ "calls", offsetof(struct rt_options, calls) },
	{ "patch", offsetof(struct rt_options, patch) },
	{ "xray", offsetof(struct rt_options, xray) },
	{ "llvm", offsetof(struct rt_options, llvm) },
};

static void set_option(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		size_t size = strlen(options[i].name);
		uint64_t value = 0;

		if (length <= size || memcmp(word, options[i].name, size) || word[size] != '=')
			continue;
		for (size_t at = size + 1; at < length && word[at] >= '0' && word[at] <= '9'; at++)
			value = value * 10 + (uint64_t)(word[at] - '0');
		memcpy((char *)&rt.options + options[i].field, &value, sizeof(value));
	}
}

static void read_options(const char *text)
{
	while (text && *text) {
		size_t length = strcspn(text, " ");

		set_option(text, length);
		text += length + (text[length] == ' ');
	}
}

/* ---- the clock ---- */

#if defined(__x86_64__)
static void cpuid(uint32_t leaf, uint32_t regs[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
			 : "a"(leaf), "c"(0));
}

/* The TSC counts at one rate in all states (Intel SDM 18.17.1, "Invariant TSC"). */
static bool tsc_is_invariant(void)
{
	uint32_t regs[4];

	cpuid(0x80000000u, regs);
	if (regs[0] < 0x80000007u)
		return false;
	cpuid(0x80000007u, regs);
	return regs[3] >> 8 & 1;
}
#else
static bool tsc_is_invariant(void)
{
	return false;
}
#endif

/* The bit of SVE in what the kernel says of an AArch64 processor (its uapi header hwcap.h). */
enum { HAS_SVE = 1 << 22 };

static void look_at_machine(void)
{
	rt.page = (size_t)sysconf(_SC_PAGESIZE);
#if defined(__aarch64__)
	rt_has_sve = (getauxval(AT_HWCAP) & HAS_SVE) != 0;
#endif
}

enum { MEASURE_NS = 2000000 };

/* Programs that are linked with the run-time, and started by hand, do not know the rate. */
static uint64_t measure_hz(void)
{
	uint64_t ticks = rt_clock(true), from = rt_clock(false), to;

	do
		to = rt_clock(false);
	while (to - from < MEASURE_NS);
	return (rt_clock(true) - ticks) * 1000000000u / (to - from);
}

static void set_clock(void)
{
	rt.use_tsc = tsc_is_invariant();
	if (!rt.use_tsc)
		rt.options.hz = 1000000000u;
	else if (!rt.options.hz)
		rt.options.hz = measure_hz();
	rt.start_ticks = rt_clock(rt.use_tsc);
	rt.start_ns = rt_clock(false);
	rt.threshold_ticks = (uint64_t)((unsigned __int128)rt.options.threshold_ns * rt.options.hz /
					1000000000u);
}

/* ---- beginning and end ---- */

void rt_begin_once(void)
{
	const char *folder = getenv(TL_RECORDING_FOLDER);

	if (rt.mode != RT_UNKNOWN)
		return;
	if (!folder || strlen(folder) >= sizeof(rt.folder)) {
		rt.mode = RT_OFF;
		return;
	}
	read_options(getenv(TL_RECORDING_OPTIONS));
	strcpy(rt.folder, folder);
	look_at_machine();
	set_clock();
	rt_thread_key();
	pthread_atfork(NULL, NULL, begin_child);
	rt.mode = RT_ON;
}

__attribute__((constructor(101))) static void begin(void)
{
	rt_begin_once();
	if (rt.mode != RT_ON)
		return;
	if (rt.options.patch)
		rt_patch_begin();
	if (rt.options.xray || rt.options.llvm)
		rt_xray_begin();
}

__attribute__((destructor(101))) static void end(void)
{
	if (rt.options.llvm)
		rt_xray_end();
	if (rt.state && rt.image_process == getpid())
		rt.state->ended = 1;
}

/* Objects that go away may leave their addresses to others. */
int dlclose(void *handle)
{
	int (*next)(void *);
	int result;

	*(void **)&next = dlsym(RTLD_NEXT, "dlclose");
	result = next ? next(handle) : -1;
	__atomic_add_fetch(&rt.generation, 1, __ATOMIC_RELEASE);
	return result;
}
