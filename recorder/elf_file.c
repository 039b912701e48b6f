/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool rt_elf_open(struct rt_elf *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	file->data = MAP_FAILED;
	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && (size_t)status.st_size >= sizeof(ElfW(Ehdr))) {
		file->size = (size_t)status.st_size;
		file->data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (file->data == MAP_FAILED)
		return false;
	if (!memcmp(file->data, ELFMAG, SELFMAG))
		return true;
	rt_elf_close(file);
	return false;
}

void rt_elf_close(struct rt_elf *file)
{
	munmap((void *)file->data, file->size);
}

static bool is_whole(const struct rt_elf *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

static const ElfW(Shdr) * section_at(const struct rt_elf *file, unsigned number)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file->data;
	uint64_t at = header->e_shoff + (uint64_t)number * sizeof(ElfW(Shdr));
	const ElfW(Shdr) * section;

	if (number >= header->e_shnum || !is_whole(file, at, sizeof(ElfW(Shdr))))
		return NULL;
	section = (const ElfW(Shdr) *)(file->data + at);
	if (section->sh_type == SHT_NOBITS || !is_whole(file, section->sh_offset, section->sh_size))
		return NULL;
	return section;
}

static bool is_text(const struct rt_elf *file, const ElfW(Shdr) * strings, uint64_t at,
		    const char *text)
{
	size_t size = strlen(text) + 1;

	return strings && at < strings->sh_size && size <= strings->sh_size - at &&
	       !memcmp(file->data + strings->sh_offset + at, text, size);
}

const ElfW(Shdr) * rt_elf_section(const struct rt_elf *file, const char *name, uint32_t type)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file->data;
	const ElfW(Shdr) *names = section_at(file, header->e_shstrndx);

	for (unsigned i = 1; i < header->e_shnum; i++) {
		const ElfW(Shdr) *section = section_at(file, i);

		if (section && (!type || section->sh_type == type) &&
		    (!name || is_text(file, names, section->sh_name, name)))
			return section;
	}
	return NULL;
}

/* The symbols of a table, and their names. */
static const ElfW(Sym) * symbols_in(const struct rt_elf *file, uint32_t type, size_t *count,
				    const ElfW(Shdr) * *strings)
{
	const ElfW(Shdr) *table = rt_elf_section(file, NULL, type);

	*strings = table ? section_at(file, table->sh_link) : NULL;
	*count = *strings ? table->sh_size / sizeof(ElfW(Sym)) : 0;
	return *strings ? (const ElfW(Sym) *)(file->data + table->sh_offset) : NULL;
}

static uint64_t symbol_in(const struct rt_elf *file, uint32_t type, const char *name)
{
	const ElfW(Shdr) * strings;
	size_t count;
	const ElfW(Sym) *symbols = symbols_in(file, type, &count, &strings);

	for (size_t i = 0; i < count; i++)
		if (symbols[i].st_shndx != SHN_UNDEF &&
		    is_text(file, strings, symbols[i].st_name, name))
			return symbols[i].st_value;
	return 0;
}

uint64_t rt_elf_symbol(const struct rt_elf *file, const char *name)
{
	uint64_t value = symbol_in(file, SHT_SYMTAB, name);

	return value ? value : symbol_in(file, SHT_DYNSYM, name);
}

static void functions_in(const struct rt_elf *file, uint32_t type, rt_elf_function_fn *fn,
			 void *arg)
{
	const ElfW(Shdr) * strings;
	size_t count;
	const ElfW(Sym) *symbols = symbols_in(file, type, &count, &strings);

	for (size_t i = 0; i < count; i++)
		if (symbols[i].st_shndx != SHN_UNDEF && (symbols[i].st_info & 15) == STT_FUNC)
			fn(arg, symbols[i].st_value);
}

void rt_elf_functions(const struct rt_elf *file, rt_elf_function_fn *fn, void *arg)
{
	functions_in(file, SHT_SYMTAB, fn, arg);
	functions_in(file, SHT_DYNSYM, fn, arg);
}
