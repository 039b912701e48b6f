/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --patch: programs built with -fpatchable-function-entry have room for a call at the entry of each
 * function, and a list of these places. The call goes to __fentry__ by way of a jump near the
 * object, which is written before main(), when there is one thread.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "beginnings.h"
#include "entries.h"
#include "runtime.h"

enum { NEAR_STEP = 1 << 20 };

/* A page with a jump to __fentry__, within reach of calls from `near`. */
static uint8_t *make_jump(uintptr_t near)
{
	for (uintptr_t distance = NEAR_STEP; distance < rt_entries.reach; distance += NEAR_STEP) {
		void *wish = (void *)((near & ~(uintptr_t)(NEAR_STEP - 1)) - distance);
		uint8_t *page = mmap(wish, rt.page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (page == MAP_FAILED)
			continue;
		rt_entries.write_jump(page);
		mprotect(page, rt.page, PROT_READ | PROT_EXEC);
		return page;
	}
	return NULL;
}

static bool write_call(uint8_t *at, const uint8_t *jump)
{
	uint8_t *page = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(rt.page - 1));
	size_t size = rt_entries.room_at(at), bytes = (size_t)(at + size - page);

	if (!size || mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	rt_entries.write_call(at, size, jump);
	mprotect(page, bytes, PROT_READ | PROT_EXEC);
	return true;
}

/* ---- which functions ---- */

struct patching {
	uint64_t *wanted; /* addresses in the program, in their order; NULL: all */
	size_t count;
};

enum { MOST_WANTED = 1 << 20 };

static void read_wanted(struct patching *patching)
{
	int fd = rt_open(rt.folder, "functions", O_RDONLY);
	char text[4096];
	ssize_t got;
	uint64_t value = 0;

	if (fd < 0)
		return;
	patching->wanted = mmap(NULL, MOST_WANTED * sizeof(uint64_t), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	while (patching->wanted != MAP_FAILED && (got = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] >= '0' && text[i] <= '9')
				value = value * 10 + (uint64_t)(text[i] - '0');
			else if (value && patching->count < MOST_WANTED)
				patching->wanted[patching->count++] = value, value = 0;
		}
	close(fd);
}

static bool is_wanted(const struct patching *patching, uint64_t address)
{
	size_t low = 0, high = patching->count;

	if (!patching->wanted)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (patching->wanted[middle] == address)
			return true;
		if (patching->wanted[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/*
 * Whether the room at an address is where a function begins, or behind its landing pad.
 * -fpatchable-function-entry=N,M has the room for M NOPs in front of the entry, where a call would
 * be cut by whoever enters the function.
 */
static bool is_entry(const struct rt_beginnings *begin, const uint8_t *at)
{
	const uint8_t *pad = at - sizeof(rt_entries.landing_pad);

	if (rt_begins(begin, (uintptr_t)at))
		return true;
	return rt_begins(begin, (uintptr_t)pad) &&
	       !memcmp(pad, rt_entries.landing_pad, sizeof(rt_entries.landing_pad));
}

static void patch_object(struct patching *patching, const struct dl_phdr_info *info,
			 const struct rt_elf *file)
{
	const ElfW(Shdr) *list = rt_elf_section(file, "__patchable_function_entries", 0);
	struct rt_beginnings begin;
	uint8_t *jump = NULL;

	if (!list)
		return;
	rt_beginnings_open(&begin, info, file);
	for (uint64_t i = 0; i < list->sh_size / sizeof(uint64_t); i++) {
		uint64_t at = ((const uint64_t *)(info->dlpi_addr + list->sh_addr))[i];

		if (!at || !is_wanted(patching, at - info->dlpi_addr))
			continue;
		if (!jump)
			jump = make_jump(at);
		if (jump && is_entry(&begin, (const uint8_t *)at) &&
		    write_call((uint8_t *)at, jump))
			rt.state->patched++;
		else
			rt.state->refused++;
	}
	rt_beginnings_close(&begin);
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	struct rt_elf file;

	(void)size;
	if (rt_elf_open(&file, path)) {
		patch_object(arg, info, &file);
		rt_elf_close(&file);
	}
	return 0;
}

void rt_patch_begin(void)
{
	struct patching patching = { .wanted = NULL };
	uint64_t signals;

	rt_lock(&signals);
	if (rt_image_begin()) {
		read_wanted(&patching);
		dl_iterate_phdr(visit, &patching);
	}
	rt_unlock(&signals);
	if (patching.wanted)
		munmap(patching.wanted, MOST_WANTED * sizeof(uint64_t));
}
