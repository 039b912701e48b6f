/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of .eh_frame_hdr is there in stripped programs, too. But gcc 12 for AArch64 has the
 * call frames of a function begin behind its patchable room, and then only symbols tell.
 */
#include "beginnings.h"

#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

/* ---- call frames: LSB Core, 10.6.2 ---- */

static void find_table(struct rt_beginnings *begin)
{
	enum { TABLE = 12, SDATA4 = 0x0b, UDATA4 = 0x03, DATAREL = 0x30 };
	const struct dl_phdr_info *info = begin->info;
	const uint8_t *head = NULL;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME &&
		    info->dlpi_phdr[i].p_memsz >= TABLE)
			head = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!head || head[0] != 1 || head[2] != UDATA4 || head[3] != (DATAREL | SDATA4))
		return;
	memcpy(&begin->table_count, head + 8, sizeof(begin->table_count));
	begin->table = head;
}

static uint64_t table_address(const struct rt_beginnings *begin, uint32_t number)
{
	enum { TABLE = 12, ENTRY = 8 };
	int32_t distance;

	memcpy(&distance, begin->table + TABLE + (size_t)number * ENTRY, sizeof(distance));
	return (uint64_t)(uintptr_t)begin->table + (uint64_t)(int64_t)distance;
}

static bool is_in_table(const struct rt_beginnings *begin, uint64_t address)
{
	uint32_t low = 0, high = begin->table_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint64_t found = table_address(begin, middle);

		if (found == address)
			return true;
		if (found < address)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* ---- symbols ---- */

static void mark(void *arg, uint64_t value)
{
	struct rt_beginnings *begin = arg;
	uint64_t at = value + begin->info->dlpi_addr - begin->first;

	if (at < begin->count)
		begin->marks[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Code of one segment: compilers put it all into one. */
static void mark_symbols(struct rt_beginnings *begin, const struct rt_elf *file)
{
	const struct dl_phdr_info *info = begin->info;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			begin->first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			begin->count = info->dlpi_phdr[i].p_memsz;
		}
	if (!begin->count)
		return;
	begin->marks = mmap(NULL, begin->count / 8 + 1, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (begin->marks == MAP_FAILED)
		begin->marks = NULL;
	else
		rt_elf_functions(file, mark, begin);
}

static bool is_marked(const struct rt_beginnings *begin, uint64_t address)
{
	uint64_t at = address - begin->first;

	return begin->marks && at < begin->count && begin->marks[at / 8] >> at % 8 & 1;
}

/* ---- both ---- */

void rt_beginnings_open(struct rt_beginnings *begin, const struct dl_phdr_info *info,
			const struct rt_elf *file)
{
	*begin = (struct rt_beginnings){ .info = info };
	find_table(begin);
	mark_symbols(begin, file);
}

void rt_beginnings_close(struct rt_beginnings *begin)
{
	if (begin->marks)
		munmap(begin->marks, begin->count / 8 + 1);
}

bool rt_begins(const struct rt_beginnings *begin, uint64_t address)
{
	return is_in_table(begin, address) || is_marked(begin, address);
}
