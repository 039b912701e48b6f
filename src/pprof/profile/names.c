/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/model/model.h"
#include "symbols/binary.h"

enum { INLINED_MOST = 64 };

bool tl_pprof_names_begin(struct tl_pprof_names *n, struct tl_pprof_file *p,
			  struct tl_profile *profile)
{
	n->p = p;
	n->profile = profile;
	n->places = tl_zeroed(p->location_count + TL_PPROF_EXTRA, sizeof(*n->places));
	n->known = tl_zeroed(p->function_count, sizeof(*n->known));
	n->files = tl_zeroed(p->function_count, sizeof(*n->files));
	for (size_t i = 0; n->known && i < p->function_count; i++)
		n->known[i].function = TL_NONE;
	return n->places && n->known && n->files && tl_pprof_objects_begin(&n->objects, p);
}

void tl_pprof_names_end(struct tl_pprof_names *n)
{
	if (n->p)
		tl_pprof_objects_end(&n->objects);
	free(n->places);
	free(n->frames);
	free(n->known);
	free(n->files);
}

static const char *intern(struct tl_pprof_names *n, struct tl_pprof_text text)
{
	return tl_profile_intern(n->profile, text.text, text.size);
}

static int add_frame(struct tl_pprof_names *n, uint32_t function, const char *file, uint64_t line,
		     struct tl_error *err)
{
	if (function == TL_NONE || !file ||
	    !tl_grow(&n->frames, &n->frame_capacity, n->frame_count + 1, sizeof(*n->frames)))
		return tl_error_memory(err);
	n->frames[n->frame_count++] =
		(struct tl_pprof_frame){ function, line > UINT32_MAX ? UINT32_MAX : (uint32_t)line,
					 file };
	return 0;
}

/* ---- functions that the profile names ---- */

static bool is_mangled(struct tl_pprof_text name)
{
	return name.size > 2 && name.text[0] == '_' && (name.text[1] == 'Z' || name.text[1] == 'R');
}

/* A name in its source form, as a text of the profile. NULL without memory. */
static const char *readable(struct tl_pprof_names *n, struct tl_pprof_text name)
{
	const char *text = intern(n, name);
	char *demangled;

	if (!text || n->objects.raw_names || !is_mangled(name))
		return text;
	demangled = tl_demangle(text);
	text = demangled ? tl_profile_text(n->profile, demangled) : NULL;
	free(demangled);
	return text;
}

static const char *name_of(struct tl_pprof_names *n, const struct tl_pprof_function *function)
{
	struct tl_pprof_text name = tl_pprof_string(n->p, function->name);
	const struct tl_pprof_text system_name = tl_pprof_string(n->p, function->system_name);
	char text[32];

	if (!name.size || (n->objects.raw_names && system_name.size))
		name = system_name;
	if (name.size)
		return readable(n, name);
	snprintf(text, sizeof(text), "#%" PRIu64, function->id);
	return tl_profile_text(n->profile, text);
}

static const char *object_name(struct tl_pprof_names *n, uint64_t mapping)
{
	if (mapping == TL_NONE)
		return tl_profile_text(n->profile, "");
	return intern(n, tl_pprof_string(n->p, n->p->mappings[mapping].file));
}

/* The number of a function in the profile; TL_NONE without memory. */
static uint32_t put_function(struct tl_pprof_names *n, size_t number, uint64_t mapping)
{
	const struct tl_pprof_function *function = &n->p->functions[number];
	struct tl_function made = {
		.name = name_of(n, function),
		.object = object_name(n, mapping),
		.file = intern(n, tl_pprof_string(n->p, function->file)),
		.id = TL_NOWHERE,
		.line = function->start_line > UINT32_MAX ? 0 : (uint32_t)function->start_line,
	};

	n->files[number] = made.file;
	if (!made.name || !made.object || !made.file)
		return TL_NONE;
	return tl_profile_function_interned(n->profile, &made);
}

static int add_line(struct tl_pprof_names *n, const struct tl_pprof_line *line, uint64_t mapping,
		    struct tl_error *err)
{
	struct tl_pprof_known *known = &n->known[line->function];

	if (known->function == TL_NONE || known->mapping != mapping)
		*known = (struct tl_pprof_known){ mapping, put_function(n, (size_t)line->function,
									mapping) };
	return add_frame(n, known->function, n->files[line->function], line->line, err);
}

/* ---- functions that it does not name ---- */

static int add_nameless(struct tl_pprof_names *n, const char *name, uint64_t mapping,
			uint64_t address, struct tl_error *err)
{
	const struct tl_function made = {
		.name = tl_profile_text(n->profile, name),
		.object = object_name(n, mapping),
		.file = tl_profile_text(n->profile, ""),
		.id = TL_NOWHERE,
		.address = address,
	};

	if (!made.name || !made.object || !made.file)
		return tl_error_memory(err);
	return add_frame(n, tl_profile_function_interned(n->profile, &made), made.file, 0, err);
}

/* A function of a binary, or one inlined there; its own file and line are where it begins. */
static int add_symbol(struct tl_pprof_names *n, const char *name, uint64_t mapping,
		      const struct tl_symbol *start, const char *file, uint32_t line,
		      struct tl_error *err)
{
	const struct tl_function made = {
		.name = tl_profile_text(n->profile, name),
		.object = object_name(n, mapping),
		.file = tl_profile_text(n->profile, start ? start->file : file),
		.id = TL_NOWHERE,
		.address = start ? start->start : 0,
		.line = start ? start->line : 0,
	};

	if (!made.name || !made.object || !made.file)
		return tl_error_memory(err);
	return add_frame(n, tl_profile_function_interned(n->profile, &made),
			 tl_profile_text(n->profile, file), line, err);
}

static int add_symbols(struct tl_pprof_names *n, struct tl_binary *binary, uint64_t mapping,
		       uint64_t address, const struct tl_symbol *symbol, struct tl_error *err)
{
	struct tl_inlined chain[INLINED_MOST];
	size_t count = tl_binary_inlined_at(binary, address, chain, INLINED_MOST);
	struct tl_symbol start = { .file = "", .start = symbol->start };
	const char *file = symbol->file;
	uint32_t line = symbol->line;
	int status = 0;

	count = tl_min(count, INLINED_MOST);
	for (size_t i = 0; status == 0 && i + 1 < count; i++) {
		status = add_symbol(n, *chain[i].name ? chain[i].name : "[inlined]", mapping, NULL,
				    file, line, err);
		file = chain[i].call_file;
		line = chain[i].call_line;
	}
	if (status < 0)
		return status;
	if (!tl_binary_symbol_at(binary, symbol->start, &start))
		start = (struct tl_symbol){ .file = "", .start = symbol->start };
	start.start = symbol->start;
	return add_symbol(n, symbol->name, mapping, &start, file, line, err);
}

static int name_by_address(struct tl_pprof_names *n, const struct tl_pprof_location *location,
			   struct tl_error *err)
{
	struct tl_pprof_object *object = NULL;
	struct tl_symbol symbol;
	struct tl_error own = { .status = TL_OK };
	uint64_t address;
	struct tl_binary *binary =
		tl_pprof_binary_at(&n->objects, location, &object, &address, &own);
	char text[32];

	if (own.status) {
		if (err)
			*err = own;
		return own.status;
	}
	if (binary && tl_binary_symbol_at(binary, address, &symbol) && *symbol.name)
		return add_symbols(n, binary, location->mapping, address, &symbol, err);
	if (binary && tl_binary_short_of_memory(binary))
		return tl_error_memory(err);
	object->nameless++;
	snprintf(text, sizeof(text), "0x%" PRIx64, location->address);
	return add_nameless(n, text, location->mapping, location->address, err);
}

/* ---- locations ---- */

static int add_location(struct tl_pprof_names *n, const struct tl_pprof_location *location,
			struct tl_error *err)
{
	int status = 0;

	if (!location->line_count)
		return name_by_address(n, location, err);
	for (size_t i = 0; status == 0 && i < location->line_count; i++) {
		const struct tl_pprof_line *line = &n->p->lines[location->first_line + i];

		status = line->function == TL_NONE
				 ? add_nameless(n, "[unknown]", location->mapping, 0, err)
				 : add_line(n, line, location->mapping, err);
	}
	return status;
}

const struct tl_pprof_frame *tl_pprof_frames(struct tl_pprof_names *n, uint32_t location,
					     uint32_t *count, struct tl_error *err)
{
	static const char *const extra[] = {
		[TL_PPROF_UNKNOWN] = "[unknown]", [TL_PPROF_NO_STACK] = "[no stack]"
	};
	struct tl_pprof_place *place = &n->places[location];
	int status = 0;

	if (!place->frame_count) {
		place->first_frame = n->frame_count;
		if (location < n->p->location_count)
			status = add_location(n, &n->p->locations[location], err);
		else
			status = add_nameless(n, extra[location - n->p->location_count], TL_NONE, 0,
					      err);
		if (status < 0)
			return NULL;
		place->frame_count = (uint32_t)(n->frame_count - place->first_frame);
	}
	*count = place->frame_count;
	return n->frames + place->first_frame;
}
