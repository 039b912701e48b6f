/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_ELF_FILE_H
#define RECORDER_ELF_FILE_H
/* The file of a loaded object, for what the loader does not keep: symbols, names of sections. */
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_elf {
	const uint8_t *data;
	size_t size;
};

bool rt_elf_open(struct rt_elf *file, const char *path);
void rt_elf_close(struct rt_elf *file);
/* NULL: there is no such section, or it is not whole in the file. `type` 0: any. */
const ElfW(Shdr) * rt_elf_section(const struct rt_elf *file, const char *name, uint32_t type);
/* The value of a symbol that is defined in the file, 0: none. */
uint64_t rt_elf_symbol(const struct rt_elf *file, const char *name);

/* Call fn with the value of each function's symbol, some of them twice. */
typedef void rt_elf_function_fn(void *arg, uint64_t value);
void rt_elf_functions(const struct rt_elf *file, rt_elf_function_fn *fn, void *arg);

#endif
