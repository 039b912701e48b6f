/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an ELF file that decide where its code is mapped: segments and build id. */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "perf_data/processes/system.h"

static bool take_header(struct tl_cursor *cur, bool *wide, Elf64_Ehdr *out)
{
	const uint8_t *p = cur->pos;

	if (!tl_cursor_has(cur, sizeof(Elf32_Ehdr)) || memcmp(p, ELFMAG, SELFMAG) ||
	    p[EI_DATA] != ELFDATA2LSB)
		return false;
	*wide = p[EI_CLASS] == ELFCLASS64;
	if (*wide) {
		if (!tl_cursor_has(cur, sizeof(*out)))
			return false;
		*out = (Elf64_Ehdr){
			.e_type = tl_le16(p + offsetof(Elf64_Ehdr, e_type)),
			.e_phoff = tl_le64(p + offsetof(Elf64_Ehdr, e_phoff)),
			.e_phentsize = tl_le16(p + offsetof(Elf64_Ehdr, e_phentsize)),
			.e_phnum = tl_le16(p + offsetof(Elf64_Ehdr, e_phnum)),
		};
	} else {
		*out = (Elf64_Ehdr){
			.e_type = tl_le16(p + offsetof(Elf32_Ehdr, e_type)),
			.e_phoff = tl_le32(p + offsetof(Elf32_Ehdr, e_phoff)),
			.e_phentsize = tl_le16(p + offsetof(Elf32_Ehdr, e_phentsize)),
			.e_phnum = tl_le16(p + offsetof(Elf32_Ehdr, e_phnum)),
		};
	}
	return out->e_phentsize == (*wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

static Elf64_Phdr take_segment(const uint8_t *p, bool wide)
{
	if (wide)
		return (Elf64_Phdr){
			.p_type = tl_le32(p + offsetof(Elf64_Phdr, p_type)),
			.p_flags = tl_le32(p + offsetof(Elf64_Phdr, p_flags)),
			.p_offset = tl_le64(p + offsetof(Elf64_Phdr, p_offset)),
			.p_vaddr = tl_le64(p + offsetof(Elf64_Phdr, p_vaddr)),
			.p_filesz = tl_le64(p + offsetof(Elf64_Phdr, p_filesz)),
		};
	return (Elf64_Phdr){
		.p_type = tl_le32(p + offsetof(Elf32_Phdr, p_type)),
		.p_flags = tl_le32(p + offsetof(Elf32_Phdr, p_flags)),
		.p_offset = tl_le32(p + offsetof(Elf32_Phdr, p_offset)),
		.p_vaddr = tl_le32(p + offsetof(Elf32_Phdr, p_vaddr)),
		.p_filesz = tl_le32(p + offsetof(Elf32_Phdr, p_filesz)),
	};
}

/* A note: size of name, size of content, type; then both, each padded to 4 bytes. */
static void find_build_id(struct tl_perf_elf *elf, struct tl_cursor notes)
{
	while (tl_cursor_has(&notes, 12)) {
		const uint64_t name = ((uint64_t)tl_le32(notes.pos) + 3) & ~UINT64_C(3);
		const uint32_t size = tl_le32(notes.pos + 4), type = tl_le32(notes.pos + 8);
		const uint64_t whole = 12 + name + (((uint64_t)size + 3) & ~UINT64_C(3));

		if (!tl_cursor_has(&notes, whole))
			return;
		if (type == NT_GNU_BUILD_ID && name == 4 && !memcmp(notes.pos + 12, "GNU", 4) &&
		    size <= 20) {
			elf->build_id.size = (uint8_t)size;
			memcpy(elf->build_id.bytes, notes.pos + 16, size);
			return;
		}
		notes.pos += whole;
	}
}

static void take_one(struct tl_perf_elf *elf, const struct tl_cursor *whole, const Elf64_Phdr *s)
{
	struct tl_cursor part = *whole;

	if (s->p_type == PT_LOAD && s->p_flags & PF_X &&
	    elf->segment_count < TL_PERF_ELF_SEGMENTS_MAX)
		elf->segments[elf->segment_count++] =
			(struct tl_perf_segment){ s->p_offset, s->p_filesz, s->p_vaddr };
	if (s->p_type != PT_NOTE || s->p_offset > tl_cursor_left(whole))
		return;
	tl_cursor_seek(&part, s->p_offset);
	if (s->p_filesz < tl_cursor_left(&part))
		part.end = part.pos + s->p_filesz;
	find_build_id(elf, part);
}

bool tl_perf_elf_read_memory(const uint8_t *data, size_t size, struct tl_perf_elf *elf)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	const struct tl_cursor whole = cur;
	Elf64_Ehdr header;
	bool wide;

	*elf = (struct tl_perf_elf){ .segment_count = 0 };
	if (!take_header(&cur, &wide, &header))
		return false;
	elf->core = header.e_type == ET_CORE;
	tl_cursor_seek(&cur, header.e_phoff);
	for (unsigned i = 0; i < header.e_phnum && tl_cursor_has(&cur, header.e_phentsize); i++) {
		const Elf64_Phdr segment = take_segment(cur.pos, wide);

		take_one(elf, &whole, &segment);
		cur.pos += header.e_phentsize;
	}
	return true;
}

/* Map an open file; NULL: errno says why not. */
static void *map_all(int fd, size_t *size)
{
	struct stat about;
	void *map;

	if (fstat(fd, &about))
		return NULL;
	errno = ENOENT;
	*size = (size_t)about.st_size;
	map = *size ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	return map == MAP_FAILED ? NULL : map;
}

/* Of an open file, which is closed; below 0: errno says why it could not be opened. */
static enum tl_perf_elf_result read_open(int fd, struct tl_perf_elf *elf, int *error)
{
	enum tl_perf_elf_result found = TL_PERF_ELF_NONE;
	size_t size;
	void *map;

	*elf = (struct tl_perf_elf){ .segment_count = 0 };
	map = fd < 0 ? NULL : map_all(fd, &size);
	*error = errno;
	if (map) {
		found = tl_perf_elf_read_memory(map, size, elf) ? TL_PERF_ELF_READ
								: TL_PERF_ELF_OTHER;
		munmap(map, size);
	} else if (*error != ENOENT && *error != ENOTDIR) {
		found = TL_PERF_ELF_UNREADABLE;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

enum tl_perf_elf_result tl_perf_elf_read(const char *path, struct tl_perf_elf *elf, int *error)
{
	return read_open(tl_file_open_named(path), elf, error);
}

enum tl_perf_elf_result tl_perf_elf_read_given(const char *path, struct tl_perf_elf *elf,
					       int *error)
{
	return read_open(tl_file_open_regular(path), elf, error);
}

uint64_t tl_perf_elf_address(const struct tl_perf_elf *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (offset >= elf->segments[i].offset &&
		    offset - elf->segments[i].offset < elf->segments[i].size)
			return offset - elf->segments[i].offset + elf->segments[i].address;
	return offset;
}

/* A core file has the addresses that the kernel ran at; a map's offset may be the linked one. */
uint64_t tl_perf_kernel_moved(const struct tl_perf_elf *elf, uint64_t start, uint64_t page_offset)
{
	/* Kernels are moved by multiples of this. */
	const uint64_t step = 2 << 20;

	if (elf->core || !elf->segment_count)
		return 0;
	if (start != page_offset)
		return start - page_offset;
	return (start - elf->segments[0].address) / step * step;
}

bool tl_perf_elf_own_kernel(struct tl_perf_build_id *id)
{
	uint8_t notes[4096];
	struct tl_perf_elf kernel = { .segment_count = 0 };
	const int fd = tl_file_open_named("/sys/kernel/notes");
	const ssize_t size = fd < 0 ? 0 : tl_file_read_at(fd, notes, sizeof(notes), 0);

	if (fd >= 0)
		close(fd);
	if (size > 0)
		find_build_id(&kernel, tl_cursor_over(notes, (size_t)size));
	*id = kernel.build_id;
	return id->size;
}
