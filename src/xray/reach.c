/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/reach.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/memory.h"
#include "isa/refs.h"
#include "symbols/imports.h"
#include "symbols/unwind.h"
#include "xray/map.h"

/* What a function does beside calling others of the program. */
enum { READ = 1, ANYWHERE = 2, ABROAD = 4, RESUMES = 8 };

struct node {
	uint32_t *calls; /* numbers of functions */
	uint32_t count;
	uint8_t flags;
	bool sledded;
};

struct tl_xray_reach {
	struct tl_xray_map *map;
	struct tl_unwind unwind;
	struct tl_imports imports;
	struct node *nodes; /* by function of `unwind` */
	uint32_t *taken;    /* functions whose address is taken */
	size_t taken_count, taken_capacity;
	bool taken_known, no_memory;
	uint32_t *seen; /* by function: the search that came by last */
	uint32_t search;
	uint32_t *queue;
	/* the linker's: .plt and the like, .got */
	struct span {
		uint64_t start, end;
	} stubs[4], slots[2];
	pthread_mutex_t lock;
};

/* ---- functions of other objects ---- */

/* Those that go on where the program was once before. */
static const char *const resumers[] = { "setjmp",     "_setjmp",     "__sigsetjmp", "sigsetjmp",
					"getcontext", "swapcontext", "savectx",     NULL };

/* Those that call nothing of ours back. A star is anything. */
/* clang-format off */
static const char *const quiet[] = {
	"__cxa_*", "_Unwind_*", "_Znwm*", "_Znam*", "_ZdlPv*", "_ZdaPv*", "malloc", "calloc",
	  "realloc", "free",
	"mem*", "str*", "abort", "exit_group", "_exit", "__stack_chk_fail", "__assert_fail",
	  "longjmp", "_longjmp",
	"siglongjmp", "__longjmp_chk", "printf", "fprintf", "snprintf", "sprintf", "vsnprintf",
	  "vfprintf", "puts",
	"putchar", "fputs", "fputc", "fwrite", "fread", "fopen*", "fclose", "fflush", "read",
	  "write", "open*", "close",
	"usleep", "nanosleep", "sched_yield", "clock_gettime", "gettimeofday", "time", "getenv",
	  "getpid", "atoi",
	"__*printf_chk", "pthread_mutex_*", "pthread_cond_*", "pthread_self",
	"_ZNSt9exception*", "_ZNSt9bad_alloc*", "_ZSt20__throw_*", "_ZSt19__throw_*",
	  "_ZSt17__throw_*",
	"_ZSt24__throw_*", "_ZSt28__throw_*", "_ZSt9terminatev", "_ZNSs*", "_ZNKSs*",
	"_ZNSt7__cxx1112basic_string*", "_ZNKSt7__cxx1112basic_string*", "_ZNSt11logic_error*",
	"_ZNSt13runtime_error*", "_ZNSt12out_of_range*", "_ZNSt16invalid_argument*",
	  "_ZNSt12domain_error*",
	"_ZNSt12length_error*", "_ZNSt14overflow_error*", "_ZNSt15underflow_error*",
	  "_ZNSt11range_error*",
	"_ZNSt8bad_cast*", "_ZSt17current_exceptionv", "_ZSt17rethrow_exception*",
	  "_ZNSt15__exception_ptr*",
	"_ZSt18_Rb_tree_*", "_ZSt28_Rb_tree_*", "_ZSt29_Rb_tree_*",
	  "_ZNSt8__detail15_List_node_base*",
	"_ZNKSt8__detail20_Prime_rehash_policy*", "sin", "cos", "tan", "exp", "log", "pow", "sqrt",
	  "fmod", "floor",
	"ceil", NULL,
};
/* clang-format on */

static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');

	if (!star)
		return !strcmp(pattern, name);
	return !strncmp(pattern, name, (size_t)(star - pattern)) &&
	       (!star[1] || strstr(name + (star - pattern), star + 1));
}

static bool is_among(const char *const *patterns, const char *name)
{
	for (; *patterns; patterns++)
		if (matches(*patterns, name))
			return true;
	return false;
}

static uint8_t flags_of_import(const char *name)
{
	if (is_among(resumers, name))
		return RESUMES | (strstr(name, "swapcontext") ? ABROAD : 0);
	return is_among(quiet, name) ? 0 : ABROAD;
}

/* ---- reading code ---- */

struct reading {
	struct tl_xray_reach *reach;
	struct node *node;
	size_t capacity;
	uint32_t self;
};

static void add_call(struct reading *r, uint32_t function)
{
	size_t count = r->node->count;

	if (function == r->self || (count && r->node->calls[count - 1] == function))
		return;
	if (!tl_grow(&r->node->calls, &r->capacity, count + 1, sizeof(*r->node->calls))) {
		r->reach->no_memory = true;
		return;
	}
	r->node->calls[r->node->count++] = function;
}

static bool is_within(const struct span *spans, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= spans[i].start && address < spans[i].end)
			return true;
	return false;
}

/*
 * To what stands at a slot. Other places than the linker's own are variables, and may be changed.
 */
static void add_slot(struct reading *r, uint64_t slot)
{
	bool fixed = is_within(r->reach->slots,
			       sizeof(r->reach->slots) / sizeof(r->reach->slots[0]), slot);
	const struct tl_import *import = fixed ? tl_imports_find(&r->reach->imports, slot) : NULL;
	uint32_t function = import && !import->name
				    ? tl_unwind_find(&r->reach->unwind, import->value)
				    : TL_NONE;

	if (import && import->name)
		r->node->flags |= flags_of_import(import->name);
	else if (function != TL_NONE)
		add_call(r, function);
	else
		r->node->flags |= ANYWHERE;
}

/* A stub of the linker's (.plt): a few instructions that jump to what stands at a slot. */
static bool add_stub(struct reading *r, struct tl_ref_reader reader, uint64_t address)
{
	enum { MOST = 6 };
	struct tl_ref ref;

	for (int i = 0; i < MOST; i++, address += ref.length) {
		size_t size;
		const uint8_t *code = tl_binary_code(r->reach->map->binary, address, &size);

		if (!code || !tl_ref_read(&reader, code, size, address, &ref))
			return false;
		if (ref.kind == TL_REF_SLOT && tl_imports_find(&r->reach->imports, ref.target)) {
			add_slot(r, ref.target);
			return true;
		}
		if (ref.kind != TL_REF_NONE)
			return false;
	}
	return false;
}

static void add_target(struct reading *r, const struct tl_ref_reader *reader, uint64_t target)
{
	uint32_t function = tl_unwind_find(&r->reach->unwind, target);

	/* Unwind tables speak of all stubs as one function. */
	if (is_within(r->reach->stubs, sizeof(r->reach->stubs) / sizeof(r->reach->stubs[0]),
		      target)) {
		if (!add_stub(r, *reader, target))
			r->node->flags |= ANYWHERE;
	} else if (function == TL_NONE) {
		r->node->flags |= ANYWHERE;
	} else {
		add_call(r, function);
	}
}

static void read_code(struct reading *r, uint64_t start, uint64_t end)
{
	struct tl_binary *binary = r->reach->map->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *code = tl_binary_code(binary, start, &size);

	if (!code || end - start > size || !tl_ref_open(&reader, tl_binary_machine(binary))) {
		r->node->flags |= ANYWHERE;
		return;
	}
	for (uint64_t at = 0; at < end - start; at += ref.length) {
		if (!tl_ref_read(&reader, code + at, (size_t)(end - start - at), start + at, &ref))
			continue;
		if (ref.kind == TL_REF_DIRECT && (ref.target < start || ref.target >= end))
			add_target(r, &reader, ref.target);
		else if (ref.kind == TL_REF_SLOT)
			add_slot(r, ref.target);
		else if (ref.kind == TL_REF_INDIRECT)
			r->node->flags |= ANYWHERE;
	}
}

static const struct node *node_of(struct tl_xray_reach *reach, uint32_t function)
{
	struct node *node = &reach->nodes[function];
	const struct tl_unwind_function *is = &reach->unwind.functions[function];
	struct reading r = { .reach = reach, .node = node, .self = function };

	if (node->flags & READ)
		return node;
	node->flags |= READ | (is->catches ? RESUMES : 0);
	read_code(&r, is->start, is->end);
	return node;
}

/* ---- addresses that are taken ---- */

static void take_address(struct tl_xray_reach *reach, uint64_t address)
{
	const struct tl_unwind *unwind = &reach->unwind;
	uint32_t function = TL_NONE;

	/* Most of what is tried is no address of code. */
	if (unwind->count && address >= unwind->functions[0].start &&
	    address <= unwind->functions[unwind->count - 1].start)
		function = tl_unwind_find(unwind, address);
	if (function == TL_NONE || unwind->functions[function].start != address)
		return;
	if (!tl_grow(&reach->taken, &reach->taken_capacity, reach->taken_count + 1,
		     sizeof(*reach->taken)))
		reach->no_memory = true;
	else
		reach->taken[reach->taken_count++] = function;
}

static void take_from_code(struct tl_xray_reach *reach, const struct tl_unwind_function *function)
{
	struct tl_binary *binary = reach->map->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *code = tl_binary_code(binary, function->start, &size);

	if (!code || function->end - function->start > size ||
	    !tl_ref_open(&reader, tl_binary_machine(binary)))
		return;
	for (uint64_t at = 0; at < function->end - function->start; at += ref.length) {
		tl_ref_read(&reader, code + at, (size_t)(function->end - function->start - at),
			    function->start + at, &ref);
		for (unsigned i = 0; i < ref.address_count; i++)
			take_address(reach, ref.addresses[i]);
	}
}

static void take_from_data(struct tl_xray_reach *reach, const char *name)
{
	struct tl_section section;

	if (!tl_binary_section(reach->map->binary, name, &section) || !section.data)
		return;
	for (size_t at = 0; section.size - at >= sizeof(uint64_t); at += sizeof(uint64_t))
		take_address(reach, tl_get64s(section.data + at, TL_HOST_BIG_ENDIAN));
}

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static void find_taken(struct tl_xray_reach *reach)
{
	static const char *const data[] = { ".data",       ".data.rel.ro", ".rodata",
					    ".init_array", ".fini_array",  ".got",
					    ".got.plt",    ".tdata" };
	size_t kept = 0;

	if (reach->taken_known)
		return;
	reach->taken_known = true;
	for (size_t i = 0; i < reach->imports.count; i++)
		if (!reach->imports.list[i].name)
			take_address(reach, reach->imports.list[i].value);
	for (size_t i = 0; i < reach->imports.exported_count; i++)
		take_address(reach, reach->imports.exported[i]);
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		take_from_data(reach, data[i]);
	for (size_t i = 0; i < reach->unwind.count; i++)
		take_from_code(reach, &reach->unwind.functions[i]);
	if (reach->taken_count)
		qsort(reach->taken, reach->taken_count, sizeof(*reach->taken), by_number);
	for (size_t i = 0; i < reach->taken_count; i++)
		if (!kept || reach->taken[kept - 1] != reach->taken[i])
			reach->taken[kept++] = reach->taken[i];
	reach->taken_count = kept;
}

/* ---- searching ---- */

struct search {
	struct tl_xray_reach *reach;
	uint32_t target; /* TL_NONE: none */
	size_t count;
	uint8_t flags;
	bool found;
};

static void come_by(struct search *s, uint32_t function)
{
	if (function == s->target)
		s->found = true;
	if (s->reach->seen[function] == s->reach->search || s->reach->nodes[function].sledded)
		return;
	s->reach->seen[function] = s->reach->search;
	s->reach->queue[s->count++] = function;
}

/* All that one function leads to, through functions without sleds. */
static struct search search_from(struct tl_xray_reach *reach, uint32_t from, uint32_t target)
{
	struct search s = { .reach = reach, .target = target };
	uint8_t enough = target == TL_NONE ? RESUMES : ANYWHERE;

	if (!++reach->search)
		memset(reach->seen, 0, reach->unwind.count * sizeof(*reach->seen));
	reach->seen[from] = reach->search;
	reach->queue[s.count++] = from;
	for (size_t i = 0; i < s.count && !s.found && !(s.flags & enough); i++) {
		const struct node *node = node_of(reach, reach->queue[i]);
		bool abroad = node->flags & ABROAD && !(s.flags & ABROAD) && target != TL_NONE;

		s.flags |= node->flags;
		for (uint32_t j = 0; j < node->count; j++)
			come_by(&s, node->calls[j]);
		if (abroad)
			find_taken(reach);
		for (size_t j = 0; abroad && j < reach->taken_count; j++)
			come_by(&s, reach->taken[j]);
	}
	return s;
}

/* Recursion through itself: the function is where the search begins. */
static bool calls_itself(struct tl_xray_reach *reach, uint32_t function)
{
	const struct tl_unwind_function *is = &reach->unwind.functions[function];
	struct tl_binary *binary = reach->map->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *code = tl_binary_code(binary, is->start, &size);

	if (!code || is->end - is->start > size || !tl_ref_open(&reader, tl_binary_machine(binary)))
		return true;
	for (uint64_t at = 0; at < is->end - is->start; at += ref.length)
		if (tl_ref_read(&reader, code + at, (size_t)(is->end - is->start - at),
				is->start + at, &ref) &&
		    ref.kind == TL_REF_DIRECT && ref.target == is->start)
			return true;
	return false;
}

/* The number of a function id, TL_NONE: it is not known. */
static uint32_t number_of(const struct tl_xray_reach *reach, uint32_t id)
{
	const struct tl_xray_map *map = reach->map;
	size_t low = 0, high = map->function_count;
	uint32_t number;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->functions[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->function_count || map->functions[low].id != id)
		return TL_NONE;
	number = tl_unwind_find(&reach->unwind, map->functions[low].address);
	return number != TL_NONE &&
			       reach->unwind.functions[number].start == map->functions[low].address
		       ? number
		       : TL_NONE;
}

bool tl_xray_can_call(struct tl_xray_reach *reach, uint32_t caller, uint32_t callee)
{
	uint32_t from = number_of(reach, caller), to = number_of(reach, callee);
	bool can;

	if (from == TL_NONE || to == TL_NONE)
		return true;
	pthread_mutex_lock(&reach->lock);
	struct search s = search_from(reach, from, to);

	can = s.found || s.flags & ANYWHERE || reach->no_memory ||
	      (from == to && calls_itself(reach, from));
	pthread_mutex_unlock(&reach->lock);
	return can;
}

bool tl_xray_can_resume(struct tl_xray_reach *reach, uint32_t function)
{
	uint32_t number = number_of(reach, function);
	bool can;

	if (number == TL_NONE)
		return true;
	pthread_mutex_lock(&reach->lock);
	can = search_from(reach, number, TL_NONE).flags & RESUMES || reach->no_memory;
	pthread_mutex_unlock(&reach->lock);
	return can;
}

bool tl_xray_reach_short_of_memory(const struct tl_xray_reach *reach)
{
	return reach->no_memory;
}

/* ---- begin and end ---- */

static void find_spans(struct tl_xray_reach *reach, struct span *spans, const char *const *names)
{
	struct tl_section section;

	for (; *names; names++, spans++)
		if (tl_binary_section(reach->map->binary, *names, &section))
			*spans = (struct span){ section.address, section.address + section.size };
}

static void find_linkers(struct tl_xray_reach *reach)
{
	static const char *const stubs[] = { ".plt", ".plt.sec", ".plt.got", ".iplt", NULL };
	static const char *const slots[] = { ".got", ".got.plt", NULL };

	if (!reach->map->binary)
		return;
	find_spans(reach, reach->stubs, stubs);
	find_spans(reach, reach->slots, slots);
}

static bool make_nodes(struct tl_xray_reach *reach)
{
	size_t count = reach->unwind.count;

	reach->nodes = tl_zeroed(count, sizeof(*reach->nodes));
	reach->seen = tl_zeroed(count, sizeof(*reach->seen));
	reach->queue = tl_zeroed(count, sizeof(*reach->queue));
	if (!reach->nodes || !reach->seen || !reach->queue)
		return false;
	for (size_t i = 0; i < reach->map->function_count; i++) {
		uint32_t number = tl_unwind_find(&reach->unwind, reach->map->functions[i].address);

		if (number != TL_NONE)
			reach->nodes[number].sledded = true;
	}
	return true;
}

struct tl_xray_reach *tl_xray_reach_open(struct tl_xray_map *map)
{
	struct tl_xray_reach *reach = calloc(1, sizeof(*reach));

	if (!reach)
		return NULL;
	reach->map = map;
	pthread_mutex_init(&reach->lock, NULL);
	if ((!map->binary || (tl_unwind_read(&reach->unwind, map->binary) &&
			      tl_imports_read(&reach->imports, map->binary))) &&
	    make_nodes(reach)) {
		find_linkers(reach);
		return reach;
	}
	tl_xray_reach_close(reach);
	return NULL;
}

void tl_xray_reach_close(struct tl_xray_reach *reach)
{
	if (!reach)
		return;
	for (size_t i = 0; reach->nodes && i < reach->unwind.count; i++)
		free(reach->nodes[i].calls);
	free(reach->nodes);
	free(reach->taken);
	free(reach->seen);
	free(reach->queue);
	tl_unwind_free(&reach->unwind);
	tl_imports_free(&reach->imports);
	pthread_mutex_destroy(&reach->lock);
	free(reach);
}
