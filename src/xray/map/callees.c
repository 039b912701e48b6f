/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/map/callees.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/memory.h"
#include "isa/refs.h"

/* ---- reading code ---- */

struct code_reading {
	struct tl_xray_code *code;
	struct tl_xray_callees *callees;
	size_t capacity;
	uint32_t self;
};

static void add_call(struct code_reading *r, uint32_t function)
{
	size_t count = r->callees->count;

	if (function == r->self || (count && r->callees->calls[count - 1] == function))
		return;
	if (!tl_grow(&r->callees->calls, &r->capacity, count + 1, sizeof(*r->callees->calls))) {
		r->code->no_memory = true;
		return;
	}
	r->callees->calls[r->callees->count++] = function;
}

static bool is_within(const struct tl_xray_span *spans, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= spans[i].start && address < spans[i].end)
			return true;
	return false;
}

/*
 * Add the function that a slot points to. Only slots of the linker are constant; at other places
 * there are variables.
 */
static void add_slot(struct code_reading *r, uint64_t slot)
{
	bool fixed =
		is_within(r->code->slots, sizeof(r->code->slots) / sizeof(r->code->slots[0]), slot);
	const struct tl_import *import = fixed ? tl_imports_find(&r->code->imports, slot) : NULL;
	uint32_t function =
		import && !import->name ? tl_unwind_find(&r->code->unwind, import->value) : TL_NONE;

	if (import && import->name)
		r->callees->flags |= tl_xray_import_flags(import->name);
	else if (function != TL_NONE)
		add_call(r, function);
	else
		r->callees->flags |= TL_XRAY_CALLS_ANYTHING;
}

/* A stub of the linker (.plt): a few instructions that jump to the address in a slot. */
static bool add_stub(struct code_reading *r, struct tl_ref_reader reader, uint64_t address)
{
	enum { MOST = 6 };
	struct tl_ref ref;

	for (int i = 0; i < MOST; i++, address += ref.length) {
		size_t size;
		const uint8_t *bytes = tl_binary_code(r->code->binary, address, &size);

		if (!bytes || !tl_ref_read(&reader, bytes, size, address, &ref))
			return false;
		if (ref.kind == TL_REF_SLOT && tl_imports_find(&r->code->imports, ref.target)) {
			add_slot(r, ref.target);
			return true;
		}
		if (ref.kind != TL_REF_NONE)
			return false;
	}
	return false;
}

static void add_target(struct code_reading *r, const struct tl_ref_reader *reader, uint64_t target)
{
	uint32_t function = tl_unwind_find(&r->code->unwind, target);

	/* Unwind tables describe all stubs as one function. */
	if (is_within(r->code->stubs, sizeof(r->code->stubs) / sizeof(r->code->stubs[0]), target)) {
		if (!add_stub(r, *reader, target))
			r->callees->flags |= TL_XRAY_CALLS_ANYTHING;
	} else if (function == TL_NONE) {
		r->callees->flags |= TL_XRAY_CALLS_ANYTHING;
	} else {
		add_call(r, function);
	}
}

static void read_code(struct code_reading *r, uint64_t start, uint64_t end)
{
	struct tl_binary *binary = r->code->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *bytes = tl_binary_code(binary, start, &size);

	if (!bytes || end - start > size || !tl_ref_open(&reader, tl_binary_machine(binary))) {
		r->callees->flags |= TL_XRAY_CALLS_ANYTHING;
		return;
	}
	for (uint64_t at = 0; at < end - start; at += ref.length) {
		if (!tl_ref_read(&reader, bytes + at, (size_t)(end - start - at), start + at, &ref))
			continue;
		if (ref.kind == TL_REF_DIRECT && (ref.target < start || ref.target >= end))
			add_target(r, &reader, ref.target);
		else if (ref.kind == TL_REF_SLOT)
			add_slot(r, ref.target);
		else if (ref.kind == TL_REF_INDIRECT)
			r->callees->flags |= TL_XRAY_CALLS_ANYTHING;
	}
}

const struct tl_xray_callees *tl_xray_code_callees(struct tl_xray_code *code, uint32_t function)
{
	struct tl_xray_callees *callees = &code->functions[function];
	const struct tl_unwind_function *is = &code->unwind.functions[function];
	struct code_reading r = { .code = code, .callees = callees, .self = function };

	if (callees->flags & TL_XRAY_CALLEES_READ)
		return callees;
	callees->flags |= TL_XRAY_CALLEES_READ | (is->catches ? TL_XRAY_CALLEES_RESUMES : 0);
	read_code(&r, is->start, is->end);
	return callees;
}

/* ---- addresses that are taken ---- */

static void take_address(struct tl_xray_code *code, uint64_t address)
{
	const struct tl_unwind *unwind = &code->unwind;
	uint32_t function = TL_NONE;

	/* Quick rejection: most values that are tried are not addresses of code. */
	if (unwind->count && address >= unwind->functions[0].start &&
	    address <= unwind->functions[unwind->count - 1].start)
		function = tl_unwind_find(unwind, address);
	if (function == TL_NONE || unwind->functions[function].start != address)
		return;
	if (!tl_grow(&code->taken, &code->taken_capacity, code->taken_count + 1,
		     sizeof(*code->taken)))
		code->no_memory = true;
	else
		code->taken[code->taken_count++] = function;
}

static void take_from_code(struct tl_xray_code *code, const struct tl_unwind_function *function)
{
	struct tl_binary *binary = code->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *bytes = tl_binary_code(binary, function->start, &size);

	if (!bytes || function->end - function->start > size ||
	    !tl_ref_open(&reader, tl_binary_machine(binary)))
		return;
	for (uint64_t at = 0; at < function->end - function->start; at += ref.length) {
		tl_ref_read(&reader, bytes + at, (size_t)(function->end - function->start - at),
			    function->start + at, &ref);
		for (unsigned i = 0; i < ref.address_count; i++)
			take_address(code, ref.addresses[i]);
	}
}

static void take_from_data(struct tl_xray_code *code, const char *name)
{
	struct tl_section section;

	if (!tl_binary_section(code->binary, name, &section) || !section.data)
		return;
	for (size_t at = 0; section.size - at >= sizeof(uint64_t); at += sizeof(uint64_t))
		take_address(code, tl_get64s(section.data + at, TL_HOST_BIG_ENDIAN));
}

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return tl_compare(a, b);
}

void tl_xray_code_find_taken(struct tl_xray_code *code)
{
	static const char *const data[] = { ".data",       ".data.rel.ro", ".rodata",
					    ".init_array", ".fini_array",  ".got",
					    ".got.plt",    ".tdata" };
	size_t kept = 0;

	if (code->taken_known)
		return;
	code->taken_known = true;
	for (size_t i = 0; i < code->imports.count; i++)
		if (!code->imports.list[i].name)
			take_address(code, code->imports.list[i].value);
	for (size_t i = 0; i < code->imports.exported_count; i++)
		take_address(code, code->imports.exported[i]);
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		take_from_data(code, data[i]);
	for (size_t i = 0; i < code->unwind.count; i++)
		take_from_code(code, &code->unwind.functions[i]);
	if (code->taken_count)
		qsort(code->taken, code->taken_count, sizeof(*code->taken), by_number);
	for (size_t i = 0; i < code->taken_count; i++)
		if (!kept || code->taken[kept - 1] != code->taken[i])
			code->taken[kept++] = code->taken[i];
	code->taken_count = kept;
}

/* ---- recursion ---- */

bool tl_xray_code_calls_itself(struct tl_xray_code *code, uint32_t function)
{
	const struct tl_unwind_function *is = &code->unwind.functions[function];
	struct tl_binary *binary = code->binary;
	struct tl_ref_reader reader;
	struct tl_ref ref;
	size_t size;
	const uint8_t *bytes = tl_binary_code(binary, is->start, &size);

	if (!bytes || is->end - is->start > size ||
	    !tl_ref_open(&reader, tl_binary_machine(binary)))
		return true;
	for (uint64_t at = 0; at < is->end - is->start; at += ref.length)
		if (tl_ref_read(&reader, bytes + at, (size_t)(is->end - is->start - at),
				is->start + at, &ref) &&
		    ref.kind == TL_REF_DIRECT && ref.target == is->start)
			return true;
	return false;
}

/* ---- begin and end ---- */

static void find_spans(struct tl_xray_code *code, struct tl_xray_span *spans,
		       const char *const *names)
{
	struct tl_section section;

	for (; *names; names++, spans++)
		if (tl_binary_section(code->binary, *names, &section))
			*spans = (struct tl_xray_span){ section.address,
							section.address + section.size };
}

static void find_linkers(struct tl_xray_code *code)
{
	static const char *const stubs[] = { ".plt", ".plt.sec", ".plt.got", ".iplt", NULL };
	static const char *const slots[] = { ".got", ".got.plt", NULL };

	if (!code->binary)
		return;
	find_spans(code, code->stubs, stubs);
	find_spans(code, code->slots, slots);
}

bool tl_xray_code_open(struct tl_xray_code *code, struct tl_binary *binary)
{
	*code = (struct tl_xray_code){ .binary = binary };
	if (binary &&
	    (!tl_unwind_read(&code->unwind, binary) || !tl_imports_read(&code->imports, binary)))
		return false;
	code->functions = tl_zeroed(code->unwind.count, sizeof(*code->functions));
	find_linkers(code);
	return code->functions != NULL;
}

void tl_xray_code_close(struct tl_xray_code *code)
{
	for (size_t i = 0; code->functions && i < code->unwind.count; i++)
		free(code->functions[i].calls);
	free(code->functions);
	free(code->taken);
	tl_unwind_free(&code->unwind);
	tl_imports_free(&code->imports);
}
