/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/compiled.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/arithmetic.h"
#include "core/text/optional.h"
#include "symbols/name_list.h"

struct tl_perf_compiled {
	struct tl_name_list list;      /* of the list that is text */
	struct tl_jitdump dump;        /* names of `codes` are in it */
	struct tl_jitdump_code *codes; /* by address, then by time */
	size_t count, capacity;
	uint64_t largest; /* bytes of a code */
	const char *why;  /* a file of names is there and could not be read; NULL: none */
};

/* ---- reading ---- */

/* Why a file that is there is not read. A file that is not there is none. */
static int tell(struct tl_perf_system *sys, struct tl_perf_compiled *c, const char *path,
		const char *text, int error, struct tl_error *err)
{
	uint32_t name;
	char *why;

	if (error == ENOENT)
		return 0;
	if (asprintf(&why, "%s: %s%s%s", path, text, tl_text_if(error, ": "),
		     error ? strerror(error) : "") < 0)
		return tl_error_memory(err);
	name = tl_names_add(&sys->names, why, strlen(why));
	free(why);
	if (name == TL_NONE)
		return tl_error_memory(err);
	c->why = sys->names.names[name].text;
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct tl_jitdump_code *a = left, *b = right;

	if (a->address != b->address)
		return tl_compare(a->address, b->address);
	return tl_compare(a->record, b->record);
}

static int take_codes(struct tl_perf_compiled *c, struct tl_error *err)
{
	struct tl_jitdump_code code;

	while (tl_jitdump_next(&c->dump, &code)) {
		if (!tl_grow(&c->codes, &c->capacity, c->count + 1, sizeof(code)))
			return tl_error_memory(err);
		c->codes[c->count++] = code;
		c->largest = tl_max(c->largest, code.size);
	}
	if (c->dump.no_memory)
		return tl_error_memory(err);
	if (c->count)
		qsort(c->codes, c->count, sizeof(code), by_address);
	return 0;
}

static int read_dump(struct tl_perf_system *sys, struct tl_perf_compiled *c, const char *path,
		     struct tl_error *err)
{
	struct tl_error own;
	int status = tl_jitdump_open(&c->dump, path, &own);

	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status < 0)
		return tell(sys, c, path, own.text, own.sys_errno, err);
	status = take_codes(c, err);
	if (status == 0 && c->dump.damage != TL_NOWHERE)
		return tell(sys, c, path, "a damaged record; names behind it are missing", 0, err);
	return status;
}

static int read_list(struct tl_perf_system *sys, struct tl_perf_compiled *c, const char *path,
		     struct tl_error *err)
{
	struct tl_error own;
	const int status = tl_name_list_read_perf_map(&c->list, path, &own);

	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	return status < 0 ? tell(sys, c, path, own.text, own.sys_errno, err) : 0;
}

typedef int read_fn(struct tl_perf_system *sys, struct tl_perf_compiled *c, const char *path,
		    struct tl_error *err);

static int read_named(struct tl_perf_system *sys, uint32_t process, read_fn *read,
		      const char *before, const char *between, const char *after,
		      struct tl_error *err)
{
	const struct tl_perf_process *p = &sys->processes.list[process];
	char *path;
	int status;

	if (asprintf(&path, "%s%s%" PRIu32 "%s", before, between, p->pid, after) < 0)
		return tl_error_memory(err);
	status = read(sys, p->compiled_names, path, err);
	free(path);
	return status;
}

static int read_names(struct tl_perf_system *sys, uint32_t process, struct tl_error *err)
{
	const struct tl_perf_file_search *search = &sys->search;
	const struct tl_perf_compiled *c = sys->processes.list[process].compiled_names;
	int status = 0;

	if (search->no_files)
		return 0;
	if (search->input)
		status = read_named(sys, process, read_dump, search->input, ".jit-", ".dump", err);
	if (status == 0 && search->input)
		status = read_named(sys, process, read_list, search->input, ".perf-", ".map", err);
	if (status == 0 && search->shared_names && !c->list.count && !c->why)
		status = read_named(sys, process, read_list, tl_text_or_empty(search->sysroot),
				    "/tmp/perf-", ".map", err);
	return status;
}

static int need_names(struct tl_perf_system *sys, uint32_t process, struct tl_error *err)
{
	struct tl_perf_process *p = &sys->processes.list[process];
	int status;

	if (p->compiled_names)
		return 0;
	p->compiled_names = calloc(1, sizeof(*p->compiled_names));
	if (!p->compiled_names)
		return tl_error_memory(err);
	status = read_names(sys, process, err);
	if (status < 0) {
		tl_perf_compiled_free(p->compiled_names);
		p->compiled_names = NULL;
	}
	return status;
}

void tl_perf_compiled_free(struct tl_perf_compiled *c)
{
	if (!c)
		return;
	tl_name_list_free(&c->list);
	tl_jitdump_close(&c->dump);
	free(c->codes);
	free(c);
}

/* ---- looking up ---- */

/* The number of codes that begin at an address or before it. */
static size_t count_up_to(const struct tl_perf_compiled *c, uint64_t ip)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (c->codes[middle].address <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether a code is rather what stood at an address at a time than another one that covers it. */
static bool is_nearer(const struct tl_jitdump_code *code, const struct tl_jitdump_code *than,
		      uint64_t time_ns)
{
	if (!than)
		return true;
	if ((code->time <= time_ns) != (than->time <= time_ns))
		return code->time <= time_ns;
	return code->time <= time_ns ? code->record > than->record : code->record < than->record;
}

static const struct tl_jitdump_code *find_code(const struct tl_perf_compiled *c, uint64_t ip,
					       uint64_t time_ns)
{
	const struct tl_jitdump_code *found = NULL;

	for (size_t i = count_up_to(c, ip); i-- && ip - c->codes[i].address < c->largest;)
		if (ip - c->codes[i].address < c->codes[i].size &&
		    is_nearer(&c->codes[i], found, time_ns))
			found = &c->codes[i];
	return found;
}

int tl_perf_compiled_find(struct tl_perf_system *sys, uint32_t process, uint64_t ip,
			  uint64_t time_ns, struct tl_perf_compiled_name *name,
			  struct tl_error *err)
{
	const int status = need_names(sys, process, err);
	const struct tl_perf_compiled *c = sys->processes.list[process].compiled_names;
	const struct tl_jitdump_code *code;
	const struct tl_named_range *range;

	if (status < 0)
		return status;
	code = find_code(c, ip, time_ns);
	if (code) {
		*name = (struct tl_perf_compiled_name){ code->name, code->address };
		return 1;
	}
	range = tl_name_list_find(&c->list, ip);
	if (range)
		*name = (struct tl_perf_compiled_name){ range->name, range->start };
	return range != NULL;
}

const char *tl_perf_compiled_why(const struct tl_perf_system *sys, uint32_t process)
{
	const struct tl_perf_compiled *c = sys->processes.list[process].compiled_names;

	return c ? c->why : NULL;
}
