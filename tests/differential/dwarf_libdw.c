/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines, functions and what was inlined, by address, against elfutils' libdw: dwarf_libdw [-n
 * ADDRESSES] [-p] FILE... Of each unit up to ADDRESSES rows of its line table are asked for
 * (default: all). With -p our answers are printed, for other readers: the address, and for each
 * function of the chain its name, and the file and line in it. Files without DWARF are passed over.
 */
#include <elfutils/libdw.h>
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/binary.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/elf/debug_file.h"

enum { TOLD = 10 };

/* libdw keeps what it made of some files of link-time optimization: what it leaks is not ours. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so";
}

struct tally {
	uint64_t files, units, lines, functions, chains, lines_differ, chains_differ;
};

struct run {
	const char *path;
	struct tl_dwarf *dwarf;
	size_t samples;
	struct tl_binary *binary; /* while its answers are printed */
	struct tally *tally;
};

static void differ(const struct run *run, uint64_t *count, uint64_t address, const char *what,
		   const char *ours, const char *theirs)
{
	if (++*count <= TOLD)
		printf("%s: 0x%" PRIx64 ": %s: %s, libdw says %s\n", run->path, address, what, ours,
		       theirs);
}

/* ---- lines ---- */

static void compare_line(const struct run *run, Dwarf_Line *line, uint64_t address)
{
	struct tl_symbol symbol = { .file = "" };
	const char *file = dwarf_linesrc(line, NULL, NULL);
	char ours[4400], theirs[4400];
	int number = 0, column = 0;

	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	tl_dwarf_line(run->dwarf, address, &symbol);
	snprintf(ours, sizeof(ours), "%s:%u:%u", symbol.file, symbol.line, symbol.column);
	snprintf(theirs, sizeof(theirs), "%s:%d:%d", file ? file : "", number, column);
	run->tally->lines++;
	if (strcmp(ours, theirs) != 0)
		differ(run, &run->tally->lines_differ, address, "line", ours, theirs);
}

/* ---- functions ---- */

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Dwarf_Attribute attribute;
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));

		if (name)
			return name;
	}
	return "";
}

static int64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &number) ? 0 : (int64_t)number;
}

static const char *call_file(Dwarf_Die *unit, int64_t number)
{
	Dwarf_Files *files;
	size_t count;
	const char *file = NULL;

	if (!dwarf_getsrcfiles(unit, &files, &count) && (uint64_t)number < count)
		file = dwarf_filesrc(files, (size_t)number, NULL, NULL);
	return file ? file : "";
}

static void add_text(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_text(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, size - length, format, args);
	va_end(args);
}

/* Their chain: the innermost scope, then its parents as they stand in the file. */
static size_t their_chain(Dwarf_Die *unit, uint64_t address, char *text, size_t size)
{
	Dwarf_Die *scopes = NULL, *parents = NULL;
	int count = dwarf_getscopes(unit, address, &scopes), parent_count = 0;
	size_t depth = 0;

	*text = '\0';
	if (count > 0)
		parent_count = dwarf_getscopes_die(&scopes[0], &parents);
	for (int i = 0; i < parent_count; i++) {
		bool inlined = dwarf_tag(&parents[i]) == DW_TAG_inlined_subroutine;
		int64_t file = number_of(&parents[i], DW_AT_call_file);

		if (!inlined && dwarf_tag(&parents[i]) != DW_TAG_subprogram)
			continue;
		depth++;
		add_text(text, size, "%s", name_of(&parents[i]));
		if (inlined)
			add_text(text, size, " at %s:%" PRId64 ":%" PRId64 ", ",
				 file ? call_file(unit, file) : "",
				 number_of(&parents[i], DW_AT_call_line),
				 number_of(&parents[i], DW_AT_call_column));
		else
			break;
	}
	free(parents);
	free(scopes);
	return depth;
}

static void our_chain(const struct run *run, uint64_t address, char *text, size_t size)
{
	struct tl_dwarf_found found = tl_dwarf_find(run->dwarf, address);

	*text = '\0';
	for (; found.scope; tl_dwarf_outwards(&found)) {
		const char *name = tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);

		add_text(text, size, "%s", name ? name : "");
		if (found.scope->parent != TL_NONE)
			add_text(text, size, " at %s:%u:%u, ", tl_dwarf_call_file(&found),
				 found.scope->call_line, found.scope->call_column);
	}
}

static void compare_chain(const struct run *run, Dwarf_Die *unit, uint64_t address)
{
	static char ours[1 << 16], theirs[1 << 16];
	size_t depth = their_chain(unit, address, theirs, sizeof(theirs));

	our_chain(run, address, ours, sizeof(ours));
	run->tally->functions += depth > 0;
	run->tally->chains += depth > 1;
	if (strcmp(ours, theirs) != 0)
		differ(run, &run->tally->chains_differ, address, "chain", ours, theirs);
}

/* The outermost function by its symbol, as other readers have it. */
static void print_chain(const struct run *run, uint64_t address)
{
	static struct tl_inlined chain[1024];
	size_t count =
		tl_binary_inlined_at(run->binary, address, chain, sizeof(chain) / sizeof(chain[0]));
	struct tl_symbol symbol;

	tl_binary_symbol_at(run->binary, address, &symbol);
	printf("0x%" PRIx64, address);
	for (size_t i = 0; i < count; i++) {
		printf("\t%s\t%s\t%u", i + 1 < count ? chain[i].name : symbol.name, symbol.file,
		       symbol.line);
		symbol.file = chain[i].call_file;
		symbol.line = chain[i].call_line;
	}
	putchar('\n');
}

/* ---- units ---- */

static void compare_unit(const struct run *run, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count, step;

	run->tally->units++;
	if (dwarf_getsrclines(unit, &lines, &count))
		return;
	step = run->samples && count > run->samples ? count / run->samples : 1;
	for (size_t i = step / 2; i < count; i += step) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		bool end = true;

		if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &end) || end ||
		    tl_intervals_find(run->dwarf->code, address) == TL_NONE)
			continue;
		/* Behind the unit's code libdw still knows the lines of empty rows. */
		line = dwarf_haspc(unit, address) > 0 ? dwarf_getsrc_die(unit, address) : NULL;
		if (!line)
			continue;
		compare_line(run, line, address);
		compare_chain(run, unit, address);
	}
}

static void compare_units(const struct run *run, Dwarf *libdw)
{
	Dwarf_Die unit, split;
	Dwarf_Half version;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (!dwarf_get_units(libdw, cu, &cu, &version, &type, &unit, &split))
		if (type == DW_UT_compile)
			compare_unit(run, &unit);
		else if (type == DW_UT_skeleton)
			compare_unit(run, split.addr ? &split : &unit);
}

static void compare_file(const struct run *run)
{
	int fd = open(run->path, O_RDONLY | O_CLOEXEC);
	Dwarf *libdw = dwarf_begin(fd, DWARF_C_READ);
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(run->dwarf);

	if (libdw)
		compare_units(run, libdw);
	run->tally->files += libdw != NULL;
	if (faults->count)
		differ(run, &run->tally->lines_differ, faults->first.offset, "fault",
		       faults->first.text, "nothing");
	dwarf_end(libdw);
	close(fd);
}

static void print_file(struct run *run)
{
	if (tl_binary_open(&run->binary, run->path, 0, false, NULL))
		return;
	for (size_t i = 0; i < run->dwarf->units.count; i++) {
		const struct tl_dwarf_line_table *lines =
			tl_dwarf_lines(run->dwarf, &run->dwarf->units.list[i]);
		size_t count = lines ? lines->count : 0;
		size_t step = run->samples && count > run->samples ? count / run->samples : 1;

		for (size_t n = step / 2; n < count; n += step)
			if (lines->rows[n].file != TL_NONE)
				print_chain(run, lines->rows[n].address);
	}
	tl_binary_close(run->binary);
}

static void visit(const char *path, size_t samples, bool print, struct tally *tally)
{
	struct tl_elf file;
	struct tl_dwarf dwarf;
	struct run run = { path, &dwarf, samples, NULL, tally };
	const struct tl_debug_places places = { TL_DEBUG_ROOT, NULL };

	if (tl_elf_open(&file, path, NULL))
		return;
	/* Debug information of what is not linked yet has no addresses. */
	if (tl_dwarf_present(&file) && file.type != ET_REL) {
		tl_dwarf_open(&dwarf, &file, path, &places);
		if (print)
			print_file(&run);
		else
			compare_file(&run);
		tl_dwarf_close(&dwarf);
	}
	tl_elf_close(&file);
}

int main(int count, char **args)
{
	struct tally tally = { 0 };
	size_t samples = 0;
	bool print = false;
	int option;

	while ((option = getopt(count, args, "n:p")) >= 0)
		if (option == 'n')
			samples = strtoull(optarg, NULL, 10);
		else
			print = true;
	for (int i = optind; i < count; i++)
		visit(args[i], samples, print, &tally);
	if (!print)
		printf("%" PRIu64 " files with DWARF, %" PRIu64 " units, %" PRIu64
		       " lines, %" PRIu64 " functions, %" PRIu64
		       " chains of inlined functions: %" PRIu64 " lines and %" PRIu64
		       " chains differ\n",
		       tally.files, tally.units, tally.lines, tally.functions, tally.chains,
		       tally.lines_differ, tally.chains_differ);
	return tally.lines_differ || tally.chains_differ;
}
