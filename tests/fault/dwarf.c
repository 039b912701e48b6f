/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information that is cut, damaged, or read without memory: dwarf FOLDER. Of each ELF file of
 * the folder every debug section is cut to every length, 2,000 mutants are read, and each
 * allocation is refused once. Whatever is then answered otherwise than from the whole file must
 * have been told.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "symbols/dwarf/dwarf.h"
#include "wrap.h"

enum { MUTANTS = 2000, STEP = 3 };

static int failed;

static void fail(const char *file, const char *what, uint64_t number, const char *text)
{
	if (failed++ < 10)
		printf("%s: %s %" PRIu64 ": %s\n", file, what, number, text);
}

/* All that is known of the code, as one number. */
struct answer {
	uint64_t digest, faults;
	bool no_memory;
};

static uint64_t add_text(uint64_t digest, const char *text)
{
	return tl_hash_pair(digest, text ? tl_hash_bytes(text, strlen(text)) : 1);
}

static uint64_t ask(struct tl_dwarf *dwarf, uint64_t address, uint64_t digest)
{
	struct tl_symbol symbol = { .file = "" };
	struct tl_dwarf_found found = tl_dwarf_find(dwarf, address);

	tl_dwarf_line(dwarf, address, &symbol);
	digest = tl_hash_pair(add_text(digest, symbol.file),
			      (uint64_t)symbol.line << 32 | symbol.column);
	for (; found.scope; tl_dwarf_outwards(&found))
		digest = add_text(
			add_text(digest, tl_dwarf_scope_name(found.dwarf, found.unit, found.scope)),
			tl_dwarf_call_file(&found));
	return digest;
}

static struct answer read_all(const uint8_t *data, size_t size)
{
	struct answer answer = { .digest = 0 };
	struct tl_elf_section text;
	struct tl_elf file;
	struct tl_dwarf dwarf;

	if (tl_elf_open_memory(&file, data, size, NULL) || !tl_elf_section(&file, ".text", &text))
		return answer;
	tl_dwarf_open(&dwarf, &file, NULL, NULL);
	for (uint64_t i = 0; i < text.size && i < 4096; i += STEP)
		answer.digest = ask(&dwarf, text.address + i, answer.digest);
	answer.faults = tl_dwarf_faults(&dwarf)->count;
	answer.no_memory = tl_dwarf_faults(&dwarf)->no_memory;
	tl_dwarf_close(&dwarf);
	return answer;
}

/* ---- cuts ---- */

/* Where the header of a section says its size. */
static uint8_t *size_field(const struct tl_elf *file, uint32_t number)
{
	size_t header = file->is_64bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	size_t at = file->is_64bit ? offsetof(Elf64_Shdr, sh_size) : offsetof(Elf32_Shdr, sh_size);

	return (uint8_t *)(uintptr_t)file->sections + number * header + at;
}

static void put_size(const struct tl_elf *file, uint8_t *at, uint64_t size)
{
	size_t bytes = tl_elf_word_size(file);

	for (size_t i = 0; i < bytes; i++)
		at[file->is_big_endian ? bytes - 1 - i : i] = (uint8_t)(size >> 8 * i);
}

static void cut_all(const char *path, uint8_t *data, size_t size, const struct answer *whole)
{
	struct tl_elf_section section;
	struct tl_elf file;

	tl_elf_open_memory(&file, data, size, NULL);
	for (uint32_t i = 1; tl_elf_section_at(&file, i, &section); i++) {
		const char *name = tl_elf_text(&file, file.section_names, section.name);

		if (!name ||
		    (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0))
			continue;
		for (uint64_t cut = 1; cut < section.size; cut++) {
			struct answer answer;

			put_size(&file, size_field(&file, i), cut);
			answer = read_all(data, size);
			if (answer.digest != whole->digest && !answer.faults)
				fail(path, name, cut, "other answers, and not a word");
		}
		put_size(&file, size_field(&file, i), section.size);
	}
}

/* ---- mutants ---- */

static void mutate_all(const uint8_t *data, size_t size, uint8_t *mutant)
{
	uint64_t random = 88172645463325252;

	for (unsigned i = 0; i < MUTANTS; i++) {
		memcpy(mutant, data, size);
		for (unsigned n = 0; n < 1 + i % 8; n++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			mutant[(random >> 33) % size] = (uint8_t)(random >> 20);
		}
		read_all(mutant, size);
	}
}

/* ---- memory ---- */

static void refuse_all(const char *path, const uint8_t *data, size_t size,
		       const struct answer *whole)
{
	uint64_t count, live = (uint64_t)wrap_live();

	wrap_arm(0, false);
	read_all(data, size);
	count = wrap_disarm();
	for (uint64_t number = 1; number <= 2 * count; number++) {
		struct answer answer;

		wrap_arm((number + 1) / 2, number % 2);
		answer = read_all(data, size);
		wrap_disarm();
		if (answer.digest != whole->digest && !answer.no_memory)
			fail(path, "allocation", (number + 1) / 2, "other answers, and not a word");
		if (answer.faults)
			fail(path, "allocation", (number + 1) / 2, "taken for damage");
		if ((uint64_t)wrap_live() != live)
			fail(path, "allocation", (number + 1) / 2, "leaks");
	}
	printf("%s: %" PRIu64 " allocations\n", path, count);
}

static void exercise(const char *path)
{
	uint8_t data[1 << 14], mutant[1 << 14];
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(data, 1, sizeof(data), file) : 0;
	struct answer whole;

	if (!file || size == sizeof(data) || !size) {
		fail(path, "bytes", size, "cannot be read whole");
		return;
	}
	fclose(file);
	whole = read_all(data, size);
	if (!whole.digest)
		fail(path, "answers", 0, "there are none");
	cut_all(path, data, size, &whole);
	mutate_all(data, size, mutant);
	if (!whole.faults)
		refuse_all(path, data, size, &whole);
}

int main(int count, char **args)
{
	struct dirent **names;
	int found = count > 1 ? scandir(args[1], &names, NULL, alphasort) : -1, exercised = 0;

	for (int i = 0; i < found; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", args[1], names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			exercise(path);
			exercised++;
		}
		free(names[i]);
	}
	free(found < 0 ? NULL : names);
	printf("%d files, %d failed\n", exercised, failed);
	return failed || !exercised;
}
