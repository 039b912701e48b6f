/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --patch: programs built with -fpatchable-function-entry=5 or more (x86-64) have room for a call
 * at the entry of each function, and a list of these places. The call goes to __fentry__ by way of
 * a jump near the object, which is written before main(), when there is one thread.
 */
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_file.h"
#include "fentry.h"

#if defined(__x86_64__)

enum { CALL_BYTES = 5, PAGE = 4096, NEAR_STEP = 1 << 20, NEAR_STEPS = 1024 };

/* NOPs as compilers write them: single bytes, or the long forms of the Intel SDM, "NOP". */
static size_t nop_size(const uint8_t *at)
{
	static const struct {
		uint8_t size, bytes[4];
	} forms[] = {
		{ 1, { 0x90 } },
		{ 2, { 0x66, 0x90 } },
		{ 3, { 0x0f, 0x1f, 0x00 } },
		{ 4, { 0x0f, 0x1f, 0x40, 0x00 } },
		{ 5, { 0x0f, 0x1f, 0x44, 0x00 } },
		{ 6, { 0x66, 0x0f, 0x1f, 0x44 } },
		{ 7, { 0x0f, 0x1f, 0x80, 0x00 } },
		{ 8, { 0x0f, 0x1f, 0x84, 0x00 } },
		{ 9, { 0x66, 0x0f, 0x1f, 0x84 } },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!memcmp(at, forms[i].bytes, forms[i].size < 4 ? forms[i].size : 4))
			return forms[i].size;
	return 0;
}

/* Bytes of whole NOPs that hold a call, 0: there is no room. */
static size_t room_at(const uint8_t *at)
{
	size_t size = 0, next;

	while (size < CALL_BYTES && (next = nop_size(at + size)) != 0)
		size += next;
	return size >= CALL_BYTES ? size : 0;
}

/* A page with `jmp *0(%rip)` and the address of __fentry__, within reach of calls from `near`. */
static uint8_t *make_jump(uintptr_t near)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t target = (uintptr_t)__fentry__;

	for (uintptr_t step = 1; step < NEAR_STEPS; step++) {
		void *wish = (void *)((near & ~(uintptr_t)(NEAR_STEP - 1)) - step * NEAR_STEP);
		uint8_t *page = mmap(wish, PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (page == MAP_FAILED)
			continue;
		memcpy(page, jump, sizeof(jump));
		memcpy(page + sizeof(jump), &target, sizeof(target));
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		return page;
	}
	return NULL;
}

static bool write_call(uint8_t *at, const uint8_t *jump)
{
	uint8_t *page = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(PAGE - 1));
	size_t size = room_at(at), bytes = (size_t)(at + size - page);
	int32_t distance = (int32_t)(jump - (at + CALL_BYTES));

	if (!size || mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memset(at, 0x90, size);
	at[0] = 0xe8;
	memcpy(at + 1, &distance, sizeof(distance));
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
 * Whether a function begins at an address, by the sorted table of .eh_frame_hdr (LSB Core, 10.6.2).
 * -fpatchable-function-entry=N,M has the room for M bytes in front of the entry, where a call would
 * be cut by whoever enters the function.
 */
static bool begins_function(const struct dl_phdr_info *info, uint64_t address)
{
	enum { TABLE = 12, ENTRY = 8, SDATA4 = 0x0b, UDATA4 = 0x03, DATAREL = 0x30 };
	const uint8_t *head = NULL;
	uint32_t low = 0, high = 0;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME &&
		    info->dlpi_phdr[i].p_memsz >= TABLE)
			head = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!head || head[0] != 1 || head[2] != UDATA4 || head[3] != (DATAREL | SDATA4))
		return false;
	memcpy(&high, head + 8, sizeof(high));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int32_t begin;

		memcpy(&begin, head + TABLE + (size_t)middle * ENTRY, sizeof(begin));
		if ((uint64_t)(uintptr_t)head + (uint64_t)(int64_t)begin == address)
			return true;
		if ((uint64_t)(uintptr_t)head + (uint64_t)(int64_t)begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static void patch_object(struct patching *patching, const struct dl_phdr_info *info,
			 const struct rt_elf *file)
{
	const ElfW(Shdr) *list = rt_elf_section(file, "__patchable_function_entries", 0);
	uint8_t *jump = NULL;

	for (uint64_t i = 0; list && i < list->sh_size / sizeof(uint64_t); i++) {
		uint64_t at = ((const uint64_t *)(info->dlpi_addr + list->sh_addr))[i];

		if (!at || !is_wanted(patching, at - info->dlpi_addr))
			continue;
		if (!jump)
			jump = make_jump(at);
		if (jump && begins_function(info, at) && write_call((uint8_t *)at, jump))
			rt.state->patched++;
		else
			rt.state->refused++;
	}
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

#else

void rt_patch_begin(void)
{
}

#endif
