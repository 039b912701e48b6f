/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/jitdump.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

enum { MAGIC = 0x4a695444, HEADER_BYTES = 40, RECORD_BYTES = 16 };
enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO };
/* Bytes of the records' fields behind their header, before texts. */
enum { LOAD_BYTES = 40, MOVE_BYTES = 48, DEBUG_BYTES = 16, LINE_BYTES = 16 };

/* ---- opening ---- */

int tl_jitdump_open_memory(struct tl_jitdump *dump, const uint8_t *data, size_t size,
			   struct tl_error *err)
{
	uint32_t header;

	*dump = (struct tl_jitdump){ .data = data, .size = size, .damage = TL_NOWHERE };
	if (size < HEADER_BYTES || (tl_get32(data) != MAGIC && tl_get32s(data, true) != MAGIC))
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not a jitdump file");
	dump->swapped = tl_get32(data) != MAGIC;
	header = tl_get32s(data + 8, dump->swapped);
	dump->machine = tl_get32s(data + 12, dump->swapped);
	dump->flags = tl_get64s(data + 32, dump->swapped);
	if (header < HEADER_BYTES)
		return tl_error_at(err, TL_BAD_FORMAT, 8, "a jitdump header cut short");
	dump->cursor = tl_cursor_over(data, size);
	tl_cursor_seek(&dump->cursor, header);
	return 0;
}

/* The file's bytes; NULL: it is empty or cannot be mapped. */
static const uint8_t *map_file(int fd, size_t *size)
{
	struct stat status;
	void *data;

	if (fstat(fd, &status) < 0 || status.st_size <= 0)
		return NULL;
	*size = (size_t)status.st_size;
	data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return data == MAP_FAILED ? NULL : data;
}

int tl_jitdump_open(struct tl_jitdump *dump, const char *path, struct tl_error *err)
{
	int fd = tl_file_open_named(path), status;
	const uint8_t *data;
	size_t size;

	*dump = (struct tl_jitdump){ .damage = TL_NOWHERE };
	if (fd < 0)
		return tl_error_named(err, "cannot open the jitdump file",
				      "the jitdump file is another user's, or no regular file: "
				      "those of root and of yours are read");
	data = map_file(fd, &size);
	close(fd);
	if (!data)
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not a jitdump file");
	status = tl_jitdump_open_memory(dump, data, size, err);
	dump->mapped = true;
	if (status < 0)
		tl_jitdump_close(dump);
	return status;
}

bool tl_jitdump_is(const char *path)
{
	struct tl_jitdump dump;

	if (tl_jitdump_open(&dump, path, NULL) < 0)
		return false;
	tl_jitdump_close(&dump);
	return true;
}

void tl_jitdump_close(struct tl_jitdump *dump)
{
	if (dump->mapped)
		munmap((void *)(uintptr_t)dump->data, dump->size);
	free(dump->codes);
	tl_index_free(&dump->by_index);
	*dump = (struct tl_jitdump){ .data = NULL };
}

/* ---- records ---- */

struct record {
	uint32_t id, size;
	uint64_t time, offset;
	const uint8_t *fields; /* behind its header */
};

/* A record that contradicts itself ends the file: there is no other way to find the next one. */
static bool damaged(struct tl_jitdump *dump, uint64_t offset)
{
	dump->damage = offset;
	dump->cursor.pos = dump->cursor.end;
	return false;
}

static bool take_record(struct tl_jitdump *dump, struct record *record)
{
	struct tl_cursor *c = &dump->cursor;
	const uint8_t *p = c->pos;

	record->offset = tl_cursor_offset(c);
	if (!tl_cursor_left(c))
		return false;
	if (!tl_cursor_has(c, RECORD_BYTES))
		return damaged(dump, record->offset);
	record->id = tl_get32s(p, dump->swapped);
	record->size = tl_get32s(p + 4, dump->swapped);
	record->time = tl_get64s(p + 8, dump->swapped);
	record->fields = p + RECORD_BYTES;
	if (record->size < RECORD_BYTES || !tl_cursor_has(c, record->size))
		return damaged(dump, record->offset);
	c->pos += record->size;
	return true;
}

static bool same_index(const void *context, const void *key, uint32_t number)
{
	const struct tl_jitdump_code *codes = context;

	return codes[number].index == *(const uint64_t *)key;
}

static uint32_t find_code(const struct tl_jitdump *dump, uint64_t index)
{
	return tl_index_find(&dump->by_index, tl_hash64(index), same_index, dump->codes, &index);
}

/* The last code of an index counts. */
static bool keep(struct tl_jitdump *dump, const struct tl_jitdump_code *code)
{
	uint32_t number = find_code(dump, code->index);

	if (number == TL_NONE) {
		number = (uint32_t)dump->count;
		dump->no_memory = !tl_grow(&dump->codes, &dump->capacity, dump->count + 1,
					   sizeof(*dump->codes)) ||
				  !tl_index_add(&dump->by_index, tl_hash64(code->index), number);
		if (dump->no_memory)
			return false;
		dump->count++;
	}
	dump->codes[number] = *code;
	return true;
}

/* pid, tid, vma, address, size, index; a name; the code. */
static bool take_load(struct tl_jitdump *dump, const struct record *r, struct tl_jitdump_code *code)
{
	const uint8_t *p = r->fields, *end = p + (r->size - RECORD_BYTES), *name = p + LOAD_BYTES;
	const uint8_t *zero;

	if (r->size < RECORD_BYTES + LOAD_BYTES)
		return damaged(dump, r->offset);
	*code = (struct tl_jitdump_code){
		.time = r->time,
		.address = tl_get64s(p + 16, dump->swapped),
		.size = tl_get64s(p + 24, dump->swapped),
		.record = r->offset,
		.name = (const char *)name,
		.index = tl_get64s(p + 32, dump->swapped),
	};
	zero = memchr(name, 0, (size_t)(end - name));
	if (!zero || code->size > (uint64_t)(end - zero - 1))
		return damaged(dump, r->offset);
	code->offset = (uint64_t)(zero + 1 - dump->cursor.base);
	if (dump->lines_at && dump->lines_address == code->address)
		code->lines = dump->lines_at;
	dump->lines_at = 0;
	return keep(dump, code);
}

/* pid, tid, vma, old address, new address, size, index. False: nothing is known of the index. */
static bool take_move(struct tl_jitdump *dump, const struct record *r, struct tl_jitdump_code *code)
{
	const uint8_t *p = r->fields;
	uint32_t number;

	if (r->size < RECORD_BYTES + MOVE_BYTES)
		return damaged(dump, r->offset);
	number = find_code(dump, tl_get64s(p + 40, dump->swapped));
	if (number == TL_NONE)
		return false;
	*code = dump->codes[number];
	code->time = r->time;
	code->record = r->offset;
	code->address = tl_get64s(p + 24, dump->swapped);
	return true;
}

static void note_lines(struct tl_jitdump *dump, const struct record *r)
{
	if (r->size < RECORD_BYTES + DEBUG_BYTES)
		return;
	dump->lines_at = r->offset;
	dump->lines_address = tl_get64s(r->fields, dump->swapped);
}

bool tl_jitdump_next(struct tl_jitdump *dump, struct tl_jitdump_code *code)
{
	struct record r;

	while (take_record(dump, &r)) {
		if (r.id == CODE_LOAD)
			return take_load(dump, &r, code);
		if (r.id == CODE_MOVE && take_move(dump, &r, code))
			return true;
		if (r.id == CODE_DEBUG_INFO)
			note_lines(dump, &r);
	}
	return false;
}

/* ---- functions and lines ---- */

static bool add_line(struct tl_jit_code *c, const struct tl_jitdump_code *code, uint64_t address,
		     uint32_t line, const char *file)
{
	if (address < code->address || address - code->address >= code->size)
		return true;
	if (!tl_grow(&c->lines, &c->capacity, c->count + 1, sizeof(*c->lines)))
		return false;
	c->lines[c->count++] = (struct tl_jit_line){
		.offset = code->offset + (address - code->address),
		.end = code->offset + code->size,
		.file = file,
		.line = line,
	};
	return true;
}

/*
 * Address and number of entries; then each an address, a line, a discriminator and the file's name,
 * "\xff" for the one before.
 */
static bool take_lines(struct tl_jit_code *c, const struct tl_jitdump_code *code)
{
	const struct tl_jitdump *dump = &c->dump;
	const uint8_t *p = dump->cursor.base + code->lines;
	const uint8_t *end = p + tl_get32s(p + 4, dump->swapped), *zero;
	uint64_t count = tl_get64s(p + RECORD_BYTES + 8, dump->swapped);
	const char *file = "";

	p += RECORD_BYTES + DEBUG_BYTES;
	for (; count && end - p > LINE_BYTES; count--, p = zero + 1) {
		zero = memchr(p + LINE_BYTES, 0, (size_t)(end - p - LINE_BYTES));
		if (!zero)
			return true;
		if (p[LINE_BYTES] != 0xff)
			file = (const char *)p + LINE_BYTES;
		if (!add_line(c, code, tl_get64s(p, dump->swapped), tl_get32s(p + 8, dump->swapped),
			      file))
			return false;
	}
	return true;
}

static bool add_symbol(struct tl_symtab *symbols, const struct tl_jitdump_code *code)
{
	if (!tl_grow(&symbols->symbols, &symbols->capacity, symbols->count + 1,
		     sizeof(*symbols->symbols)))
		return false;
	symbols->symbols[symbols->count++] = (struct tl_elf_symbol){
		.start = code->offset,
		.end = code->offset + code->size,
		.size = code->size,
		.name = code->name,
		/* What stands behind an @ is no version of a symbol here. */
		.shown = code->name,
	};
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct tl_jit_line *x = a, *y = b;

	return tl_compare(x->offset, y->offset);
}

static bool read_all(struct tl_jit_code *c, struct tl_symtab *symbols)
{
	struct tl_jitdump_code code;

	while (tl_jitdump_next(&c->dump, &code)) {
		/* A move changes the address alone. */
		if (tl_get32s(c->dump.cursor.base + code.record, c->dump.swapped) != CODE_LOAD)
			continue;
		if ((code.size && !add_symbol(symbols, &code)) ||
		    (code.lines && !take_lines(c, &code)))
			return false;
	}
	if (c->count)
		qsort(c->lines, c->count, sizeof(*c->lines), by_offset);
	return !c->dump.no_memory;
}

int tl_jit_code_read(struct tl_jit_code *code, const char *path, struct tl_symtab *symbols,
		     struct tl_error *err)
{
	int status = tl_jitdump_open(&code->dump, path, err);

	if (status < 0)
		return status;
	return tl_jit_code_take(code, symbols, err);
}

int tl_jit_code_take(struct tl_jit_code *code, struct tl_symtab *symbols, struct tl_error *err)
{
	if (!read_all(code, symbols))
		return tl_error_memory(err);
	return 0;
}

void tl_jit_code_line(const struct tl_jit_code *code, uint64_t offset, struct tl_symbol *symbol)
{
	size_t low = 0, high = code->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || offset >= code->lines[low - 1].end)
		return;
	symbol->file = code->lines[low - 1].file;
	symbol->line = code->lines[low - 1].line;
}

void tl_jit_code_free(struct tl_jit_code *code)
{
	tl_jitdump_close(&code->dump);
	free(code->lines);
	*code = (struct tl_jit_code){ .lines = NULL };
}
