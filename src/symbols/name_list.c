/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/name_list.h"

#include <errno.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"

enum { SHORT_LINE = 256 };

/* ---- fields of a line ---- */

static bool take_hex(const char **text, uint64_t *value)
{
	const char *p = *text;
	unsigned digits = 0;

	for (*value = 0; digits < 16; digits++, p++) {
		const char c = *p;

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (uint64_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			*value = *value << 4 | (uint64_t)(c - 'A' + 10);
		else
			break;
	}
	*text = p;
	return digits && (*p == ' ' || *p == '\t');
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static bool add(struct tl_name_list *l, const struct tl_named_range *range, const char *name,
		size_t size, const char *module, size_t module_size)
{
	struct tl_named_range *made;

	if (!tl_grow(&l->list, &l->capacity, l->count + 1, sizeof(*l->list)))
		return false;
	made = &l->list[l->count];
	*made = *range;
	made->name = tl_arena_copy(&l->arena, name, size);
	made->module = module_size ? tl_arena_copy(&l->arena, module, module_size) : "";
	made->number = (uint32_t)l->count;
	if (!made->name || !made->module)
		return false;
	l->count++;
	return true;
}

/* ---- forms of lines ---- */

/*
 * Only code: types t, w and their capitals (global). The kernel marks places with names in brackets
 * or with dots, which are no functions: they come after all others. `_text`, where the kernel
 * begins, is the function that stands there.
 */
static bool take_kallsyms_line(struct tl_name_list *l, const char *line)
{
	struct tl_named_range range = { .end = UINT64_MAX };
	const char *name, *module;
	size_t size;
	char type;

	if (!take_hex(&line, &range.start))
		return true;
	line = skip_blanks(line);
	type = *line;
	if (!type || !strchr("tTwW", type) || (line[1] != ' ' && line[1] != '\t'))
		return true;
	name = skip_blanks(line + 1);
	size = strcspn(name, " \t\n");
	module = skip_blanks(name + size);
	if (!size)
		return true;
	range.rank =
		(uint8_t)((*name == '_') + 2 * (type == 't') + 4 * (type == 'w' || type == 'W') +
			  8 * (*name == '.' || strspn(name, "_") > 1));
	return add(l, &range, name, size, module, strcspn(module, " \t\n"));
}

bool tl_name_list_is_kallsyms(const char *path)
{
	char buffer[SHORT_LINE];
	const int fd = tl_file_open_named(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	const char *line = file ? fgets(buffer, sizeof(buffer), file) : NULL;
	const char *digits = line;
	uint64_t address;
	bool good;

	/* 8 or 16 digits, the letter of a type, a name. */
	good = line && take_hex(&line, &address) && (line - digits == 8 || line - digits == 16);
	if (good) {
		line = skip_blanks(line);
		good = isalpha((unsigned char)*line) && line[1] == ' ' &&
		       isgraph((unsigned char)line[2]);
	}
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return good;
}

static bool take_perf_map_line(struct tl_name_list *l, const char *line)
{
	struct tl_named_range range = { 0 };
	uint64_t size;
	const char *name;

	if (!strncmp(line, "0x", 2))
		line += 2;
	if (!take_hex(&line, &range.start))
		return true;
	line = skip_blanks(line);
	if (!strncmp(line, "0x", 2))
		line += 2;
	if (!take_hex(&line, &size) || !size || size > UINT64_MAX - range.start)
		return true;
	name = skip_blanks(line);
	range.end = range.start + size;
	size = strcspn(name, "\n");
	return !size || add(l, &range, name, (size_t)size, "", 0);
}

/* ---- order ---- */

static int by_start(const void *left, const void *right)
{
	const struct tl_named_range *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return tl_compare(a->number, b->number);
}

/* A name ends where the next one begins; of several at one address the first is kept. */
static void order_kallsyms(struct tl_name_list *l)
{
	size_t kept = 0;

	if (l->count)
		qsort(l->list, l->count, sizeof(*l->list), by_start);
	for (size_t i = 0; i < l->count; i++) {
		if (kept && l->list[kept - 1].start == l->list[i].start)
			continue;
		if (kept)
			l->list[kept - 1].end = l->list[i].start;
		l->list[kept++] = l->list[i];
	}
	l->count = kept;
	l->hidden = kept == 1 && !l->list[0].start;
}

/*
 * Code of a run-time compiler may be replaced by other code: the later line of two that overlap
 * holds. Each range is cut where a later one begins.
 */
static int by_start_latest_first(const void *left, const void *right)
{
	const struct tl_named_range *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	return (a->number < b->number) - (a->number > b->number);
}

static void order_perf_map(struct tl_name_list *l)
{
	size_t kept = 0;

	if (l->count)
		qsort(l->list, l->count, sizeof(*l->list), by_start_latest_first);
	for (size_t i = 0; i < l->count; i++) {
		struct tl_named_range *last = kept ? &l->list[kept - 1] : NULL;

		if (last && last->end > l->list[i].start) {
			if (last->start == l->list[i].start || last->number > l->list[i].number)
				continue;
			last->end = l->list[i].start;
		}
		l->list[kept++] = l->list[i];
	}
	l->count = kept;
}

/* ---- reading ---- */

/* All lines of a file. TL_NO_MEMORY, or TL_IO, where some are not read. */
static int read_each(struct tl_name_list *l, FILE *file,
		     bool (*take)(struct tl_name_list *l, const char *line), struct tl_error *err)
{
	char *line = NULL;
	size_t room = 0;
	bool taken = true;
	int status = 0;

	errno = 0;
	while (taken && getline(&line, &room, file) >= 0)
		taken = take(l, line);
	if (!taken || errno == ENOMEM)
		status = tl_error_memory(err);
	else if (ferror(file))
		status = tl_error_system(err, "the list of names cannot be read");
	free(line);
	return status;
}

static int read_lines(struct tl_name_list *l, const char *path,
		      bool (*take)(struct tl_name_list *l, const char *line), struct tl_error *err)
{
	const int fd = tl_file_open_named(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int status;

	if (!file) {
		tl_error_named(err, "the list of names cannot be opened",
			       "the list of names is another user's, or no regular file: those of "
			       "root and of yours are read");
		if (fd >= 0)
			close(fd);
		return TL_IO;
	}
	status = read_each(l, file, take, err);
	fclose(file);
	return status;
}

int tl_name_list_read_kallsyms(struct tl_name_list *l, const char *path, struct tl_error *err)
{
	int status = read_lines(l, path, take_kallsyms_line, err);

	order_kallsyms(l);
	return status;
}

int tl_name_list_read_perf_map(struct tl_name_list *l, const char *path, struct tl_error *err)
{
	int status = read_lines(l, path, take_perf_map_line, err);

	order_perf_map(l);
	return status;
}

void tl_name_list_free(struct tl_name_list *l)
{
	free(l->list);
	tl_arena_free(&l->arena);
	*l = (struct tl_name_list){ .list = NULL };
}

const struct tl_named_range *tl_name_list_find(const struct tl_name_list *l, uint64_t address)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < l->list[low - 1].end ? &l->list[low - 1] : NULL;
}
