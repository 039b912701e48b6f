/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions are those that GNU ld, gold, lld and mold write; the psABI of each machine has
 * the usual ones ("Procedure Linkage Table"). Entries are found by them and not by counting, since
 * the headers of these tables differ and linkers leave entries out.
 */
#include "symbols/elf/linkage.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/memory.h"

/* A place that the loader fills. */
struct slot {
	uint64_t address;
	const char *name;
};

struct linkage {
	struct tl_symtab *entries, *symbols;
	const struct tl_elf *file;
	const struct machine *machine;
	struct slot *slots; /* by address */
	size_t count, capacity;
	uint64_t got;          /* what i386 counts slots from; 0: unknown */
	struct tl_cursor lazy; /* relocations that entries are numbered by */
	size_t lazy_bytes;     /* of one of them */
	/* bytes still allowed: sections that overlap must not multiply a file */
	uint64_t budget;
};

/*
 * The entry that begins `code`, which is at `address`; `code` goes behind what tells its slot.
 * False: there is none.
 */
typedef bool read_entry_fn(const struct linkage *l, struct tl_cursor *code, uint64_t address,
			   uint64_t *slot);

/* What <elf.h> of musl has not. */
#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif

static read_entry_fn read_x86_64, read_i386, read_aarch64;

static const struct machine {
	uint16_t machine;
	uint16_t step, most; /* entries begin at multiples of `step`, and have `most` bytes */
	uint32_t jump_slot, data, resolved; /* types of relocations: the last is filled by a call */
	read_entry_fn *read;
} machines[] = {
	{ EM_X86_64, 8, 16, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE,
	  read_x86_64 },
	{ EM_386, 8, 16, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE, read_i386 },
	{ EM_AARCH64, 4, 24, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE,
	  read_aarch64 },
};

/* ---- instructions ---- */

/* Go over these bytes if they are next. */
static bool take(struct tl_cursor *code, const void *bytes, size_t count)
{
	if (!tl_cursor_has(code, count) || memcmp(code->pos, bytes, count) != 0)
		return false;
	code->pos += count;
	return true;
}

static bool take_word(struct tl_cursor *code, uint32_t *word)
{
	if (!tl_cursor_has(code, 4))
		return false;
	*word = tl_get32s(code->pos, TL_HOST_BIG_ENDIAN);
	code->pos += 4;
	return true;
}

/* The slot of a relocation by its number, which an entry pushes for the loader. */
static bool numbered_slot(const struct linkage *l, uint64_t offset, uint64_t *slot)
{
	if (!l->lazy_bytes || offset > tl_cursor_left(&l->lazy) ||
	    l->lazy_bytes > tl_cursor_left(&l->lazy) - offset)
		return false;
	*slot = tl_elf_word(l->file, l->lazy.pos + offset);
	return true;
}

/* "push NUMBER; jmp to the table's head": the half of an entry that asks the loader. */
static bool take_push(struct tl_cursor *code, uint32_t *number)
{
	if (!take(code, "\x68", 1) || !take_word(code, number))
		return false;
	take(code, "\xf2", 1);
	return take(code, "\xe9", 1);
}

/*
 * "jmp *SLOT(%rip)"; where branches are guarded behind endbr64, and with bnd; of mold behind "mov
 * $NUMBER, %r11d"; of retpolines "mov SLOT(%rip), %r11".
 */
static bool read_x86_64(const struct linkage *l, struct tl_cursor *code, uint64_t address,
			uint64_t *slot)
{
	struct tl_cursor push;
	uint32_t word;

	take(code, "\xf3\x0f\x1e\xfa", 4);
	push = *code;
	if (take_push(&push, &word))
		return numbered_slot(l, word * l->lazy_bytes, slot);
	if (take(code, "\x41\xbb", 2) && !take_word(code, &word))
		return false;
	if (!take(code, "\x4c\x8b\x1d", 3)) {
		take(code, "\xf2", 1);
		if (!take(code, "\xff\x25", 2))
			return false;
	}
	if (!take_word(code, &word))
		return false;
	*slot = address + tl_cursor_offset(code) + (uint64_t)(int32_t)word;
	return true;
}

/* "jmp *SLOT", position-independent "jmp *SLOT-GOT(%ebx)". */
static bool read_i386(const struct linkage *l, struct tl_cursor *code, uint64_t address,
		      uint64_t *slot)
{
	struct tl_cursor push;
	uint32_t word, from = 0;

	(void)address;
	take(code, "\xf3\x0f\x1e\xfb", 4);
	push = *code;
	if (take_push(&push, &word))
		return numbered_slot(l, word, slot);
	if (take(code, "\xff\xa3", 2))
		from = (uint32_t)l->got;
	else if (!take(code, "\xff\x25", 2))
		return false;
	if (!take_word(code, &word))
		return false;
	*slot = word + from;
	return true;
}

/* "adrp x16, PAGE; ldr x17, [x16, #OFFSET]", where branches are guarded behind "bti c". */
static bool read_aarch64(const struct linkage *l, struct tl_cursor *code, uint64_t address,
			 uint64_t *slot)
{
	const uint32_t bti = 0xd503245f, adrp = 0x90000010, ldr = 0xf9400211;
	uint32_t word, load;
	int64_t pages;

	(void)l;
	if (!take_word(code, &word) || (word == bti && !take_word(code, &word)) ||
	    (word & 0x9f00001f) != adrp)
		return false;
	address += tl_cursor_offset(code) - 4;
	if (!take_word(code, &load) || (load & 0xffc003ff) != ldr)
		return false;
	/* 21 bits with their sign: immhi in bits 5 to 23, immlo in 29 and 30. */
	pages = (int32_t)((word >> 5 & 0x7ffff) << 13 | (word >> 29 & 3) << 11) >> 11;
	*slot = (address & ~UINT64_C(0xfff)) + (uint64_t)pages * 0x1000 +
		8 * (uint64_t)(load >> 10 & 0xfff);
	return true;
}

/* ---- slots ---- */

/* The text of the symbol that a relocation names, NULL: none. */
static const char *symbol_name(const struct tl_elf *file, uint32_t table, uint64_t number)
{
	struct tl_elf_section section;
	const uint8_t *bytes;
	size_t size, entry = tl_elf_entry_size(file);
	const char *name;

	if (!number || !tl_elf_section_at(file, table, &section))
		return NULL;
	bytes = tl_elf_bytes(file, &section, &size);
	if (number >= size / entry)
		return NULL;
	name = tl_elf_text(file, section.link, tl_elf_entry_at(file, bytes + number * entry).name);
	return name && *name ? name : NULL;
}

/* The function that is asked, when the program starts, which one to use has the name of both. */
static const char *resolver_name(const struct linkage *l, uint64_t address)
{
	const struct tl_elf_symbol *found = tl_symtab_find(l->symbols, address);

	return found && found->start == address ? found->name : NULL;
}

static bool add_slot(struct linkage *l, const uint8_t *at, const struct tl_elf_section *section)
{
	const size_t word = tl_elf_word_size(l->file);
	const uint64_t info = tl_elf_word(l->file, at + word);
	const bool wide = l->file->is_64bit;
	const uint64_t type = wide ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info);
	struct slot slot = { .address = tl_elf_word(l->file, at) };

	if (type == l->machine->jump_slot || type == l->machine->data)
		slot.name = symbol_name(l->file, section->link,
					wide ? ELF64_R_SYM(info) : ELF32_R_SYM(info));
	else if (type == l->machine->resolved && section->type == SHT_RELA)
		slot.name = resolver_name(l, tl_elf_word(l->file, at + 2 * word));
	if (!slot.name)
		return true;
	if (!tl_grow(&l->slots, &l->capacity, l->count + 1, sizeof(*l->slots)))
		return false;
	l->slots[l->count++] = slot;
	return true;
}

static bool read_slots(struct linkage *l, const struct tl_elf_section *section, const char *name)
{
	size_t size;
	const size_t bytes = tl_elf_word_size(l->file) * (section->type == SHT_RELA ? 3 : 2);
	const uint8_t *data = tl_elf_bytes(l->file, section, &size);
	struct tl_cursor cur = tl_cursor_over(data, size);

	if (!strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt")) {
		l->lazy = cur;
		l->lazy_bytes = bytes;
	}
	for (; tl_cursor_has(&cur, bytes); cur.pos += bytes)
		if (!add_slot(l, cur.pos, section))
			return false;
	return true;
}

static int by_slot(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	if (a->address != b->address)
		return tl_compare(a->address, b->address);
	return strcmp(a->name, b->name);
}

static int to_slot(const void *key, const void *item)
{
	const uint64_t address = *(const uint64_t *)key;
	const struct slot *slot = item;

	return tl_compare(address, slot->address);
}

static const char *name_of_slot(const struct linkage *l, uint64_t address)
{
	const struct slot *found =
		l->count ? bsearch(&address, l->slots, l->count, sizeof(*l->slots), to_slot) : NULL;

	return found ? found->name : NULL;
}

/* ---- entries ---- */

static bool add_entry(struct linkage *l, uint64_t start, uint64_t end, const char *name)
{
	struct tl_symtab *t = l->entries;

	if (!tl_grow(&t->symbols, &t->capacity, t->count + 1, sizeof(*t->symbols)))
		return false;
	t->symbols[t->count++] = (struct tl_elf_symbol){
		.start = start, .end = end, .size = end - start, .name = name
	};
	return true;
}

/* An entry ends where the next one begins. */
static void end_before(struct tl_symtab *entries, size_t first, uint64_t start)
{
	struct tl_elf_symbol *last;

	if (entries->count == first)
		return;
	last = &entries->symbols[entries->count - 1];
	if (last->end > start) {
		last->end = start;
		last->size = start - last->start;
	}
}

static bool read_table(struct linkage *l, const struct tl_elf_section *section)
{
	const struct machine *m = l->machine;
	const size_t first = l->entries->count;
	size_t size;
	const uint8_t *data = tl_elf_bytes(l->file, section, &size);

	if (section->address > UINT64_MAX - size)
		return true;
	for (size_t at = 0, next; at < size; at = next) {
		const uint64_t start = section->address + at;
		const size_t left = tl_min(size - at, (size_t)m->most);
		struct tl_cursor code = tl_cursor_over(data + at, left);
		const char *name = NULL;
		uint64_t slot;

		next = at + m->step;
		if (m->read(l, &code, start, &slot))
			name = name_of_slot(l, slot);
		if (!name)
			continue;
		while (next < at + tl_cursor_offset(&code))
			next += m->step;
		end_before(l->entries, first, start);
		if (!add_entry(l, start, start + left, name))
			return false;
	}
	return true;
}

/* ---- sections ---- */

static bool is_table(const struct tl_elf_section *section, const char *name)
{
	return section->flags & SHF_EXECINSTR &&
	       (!strncmp(name, ".plt", 4) || !strncmp(name, ".iplt", 5));
}

static bool is_relocations(const struct tl_elf_section *section)
{
	return section->flags & SHF_ALLOC &&
	       (section->type == SHT_RELA || section->type == SHT_REL);
}

static bool read_section(struct linkage *l, const struct tl_elf_section *section, const char *name,
			 bool tables)
{
	const bool wanted = tables ? is_table(section, name) : is_relocations(section);

	/* In files with both, slots are counted from the table that the loader has its own in. */
	if (!strcmp(name, ".got.plt") || (!l->got && !strcmp(name, ".got")))
		l->got = section->address;
	if (!wanted || section->size > l->budget)
		return true;
	l->budget -= section->size;
	return tables ? read_table(l, section) : read_slots(l, section, name);
}

/* All sections that are tables, or all others. */
static bool read_sections(struct linkage *l, bool tables)
{
	struct tl_elf_section section;

	for (uint32_t i = 1; tl_elf_section_at(l->file, i, &section); i++) {
		const char *name = tl_elf_text(l->file, l->file->section_names, section.name);

		if (name && !read_section(l, &section, name, tables))
			return false;
	}
	return true;
}

bool tl_linkage_read(struct tl_symtab *entries, const struct tl_elf *file,
		     struct tl_symtab *symbols)
{
	struct linkage l = {
		.entries = entries, .symbols = symbols, .file = file, .budget = file->size
	};
	bool read;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == file->machine)
			l.machine = &machines[i];
	/* Instructions are read as little-endian words. */
	if (!l.machine || file->is_big_endian)
		return true;
	read = read_sections(&l, false);
	if (l.count)
		qsort(l.slots, l.count, sizeof(*l.slots), by_slot);
	read = read && read_sections(&l, true) && tl_symtab_finish(entries);
	free(l.slots);
	return read;
}
