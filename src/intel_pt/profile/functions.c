/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/profile/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/file.h"
#include "core/text/optional.h"
#include "profile/model/model.h"
#include "symbols/binary.h"
#include "symbols/landing_pads.h"

struct tl_pt_symbol_file {
	const char *path;
	uint64_t bias;
	struct tl_binary *binary; /* NULL: it could not be opened */
	bool is_missed;           /* it had no name for code that ran */
};

struct tl_pt_nameless {
	const char *object, *why;
};

void tl_pt_functions_begin(struct tl_pt_functions *functions, const struct tl_pt_feed *feed)
{
	*functions = (struct tl_pt_functions){ .feed = feed };
}

void tl_pt_functions_end(struct tl_pt_functions *functions)
{
	for (size_t i = 0; i < functions->binary_count; i++)
		tl_binary_close(functions->binaries[i].binary);
	free(functions->binaries);
	free(functions->nameless);
	free(functions->list);
	tl_index_free(&functions->by_name);
	tl_index_free(&functions->by_entry);
	tl_index_free(&functions->by_text);
	tl_names_free(&functions->names);
}

bool tl_pt_functions_damage(const struct tl_pt_functions *functions, struct tl_pt_faults *faults)
{
	struct tl_error first;
	const char *path;
	char *text;

	for (size_t i = 0; i < functions->binary_count; i++) {
		const struct tl_binary *binary = functions->binaries[i].binary;

		if (!binary || !tl_binary_faults(binary, &first, &path))
			continue;
		if (asprintf(&text, "%s, offset 0x%" PRIx64 ": %s", path, first.offset,
			     first.text) < 0)
			text = NULL;
		if (!tl_pt_fault_add_text(faults, text))
			return false;
	}
	return true;
}

/* ---- binaries ---- */

/* Note that code of an object ran for which no names are known. */
static void note_nameless(struct tl_pt_functions *f, const char *object, const char *why)
{
	struct tl_pt_nameless made = { NULL, NULL };

	for (size_t i = 0; i < f->nameless_count; i++)
		if (!strcmp(f->nameless[i].object, object))
			return;
	made.object = tl_names_text(&f->names, object);
	made.why = tl_names_text(&f->names, why);
	if (!made.object || !made.why ||
	    !tl_grow(&f->nameless, &f->nameless_capacity, f->nameless_count + 1, sizeof(made)))
		f->no_memory = true;
	else
		f->nameless[f->nameless_count++] = made;
}

/*
 * A file that cannot be opened as ELF gives no names; its code is decoded from the image all the
 * same.
 */
static void note_closed(struct tl_pt_functions *f, const char *path, const struct tl_error *err)
{
	char why[256];

	f->no_memory |= err->status == TL_NO_MEMORY;
	snprintf(why, sizeof(why), "%s%s%s", err->text, tl_text_if(err->sys_errno, ": "),
		 err->sys_errno ? strerror(err->sys_errno) : "");
	note_nameless(f, path, why);
}

/* NULL: it was not opened yet. */
static struct tl_pt_symbol_file *find_binary(struct tl_pt_functions *f, const char *path,
					     uint64_t bias)
{
	size_t at = f->last_binary;

	for (size_t i = 0; i < f->binary_count; i++, at++) {
		if (at >= f->binary_count)
			at = 0;
		if (f->binaries[at].bias == bias && !strcmp(f->binaries[at].path, path)) {
			f->last_binary = at;
			return &f->binaries[at];
		}
	}
	return NULL;
}

static struct tl_pt_symbol_file *binary_at(struct tl_pt_functions *f, const char *path,
					   uint64_t bias)
{
	struct tl_pt_symbol_file *made = find_binary(f, path, bias);
	struct tl_error err;

	if (made)
		return made;
	made = tl_grow(&f->binaries, &f->binary_capacity, f->binary_count + 1, sizeof(*made))
		       ? &f->binaries[f->binary_count]
		       : NULL;
	if (made)
		*made = (struct tl_pt_symbol_file){ .path = tl_names_text(&f->names, path),
						    .bias = bias };
	if (!made || !made->path) {
		f->no_memory = true;
		return NULL;
	}
	f->binary_count++;
	if (tl_binary_open_asking(&made->binary, path, bias, !f->feed->raw_names,
				  f->feed->debuginfod, &err) < 0) {
		made->binary = NULL;
		note_closed(f, path, &err);
	}
	return made;
}

bool tl_pt_functions_describe(const struct tl_pt_functions *f,
			      bool (*describe)(void *arg, const char *object, const char *why),
			      void *arg)
{
	for (size_t i = 0; i < f->nameless_count; i++)
		if (!describe(arg, f->nameless[i].object, f->nameless[i].why))
			return false;
	for (size_t i = 0; i < f->binary_count; i++)
		if (f->binaries[i].is_missed && !tl_binary_symbol_count(f->binaries[i].binary) &&
		    !describe(arg, f->binaries[i].path, "it has no symbols, as if stripped"))
			return false;
	return true;
}

/* ---- the table ---- */

/* Texts are interned: the same text has the same address. */
static bool same_symbol(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_function *list = context, *wanted = key, *have = &list[number];

	return have->address == wanted->address && have->name == wanted->name &&
	       have->object == wanted->object;
}

static bool same_text(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_function *list = context, *wanted = key, *have = &list[number];

	return have->name == wanted->name && have->object == wanted->object &&
	       have->file == wanted->file;
}

/* The first function that is one function of a profile with this one, the next to be added. */
static bool find_first(struct tl_pt_functions *f, struct tl_pt_function *function)
{
	const uint64_t hash =
		tl_hash_pair(tl_hash_pair((uintptr_t)function->name, (uintptr_t)function->object),
			     (uintptr_t)function->file);

	function->first = tl_index_find(&f->by_text, hash, same_text, f->list, function);
	if (function->first != TL_NONE)
		return true;
	function->first = (uint32_t)f->count;
	return tl_index_add(&f->by_text, hash, function->first);
}

static uint32_t find_or_add(struct tl_pt_functions *f, struct tl_index *index, uint64_t hash,
			    tl_index_equal_fn *equal, const struct tl_pt_function *function)
{
	uint32_t number = tl_index_find(index, hash, equal, f->list, function);
	struct tl_pt_function added = *function;

	if (number != TL_NONE)
		return number;
	number = (uint32_t)f->count;
	if (!tl_grow(&f->list, &f->capacity, f->count + 1, sizeof(*f->list)) ||
	    !find_first(f, &added) || !tl_index_add(index, hash, number)) {
		f->no_memory = true;
		return TL_NONE;
	}
	f->list[f->count++] = added;
	return number;
}

static const char *intern(struct tl_pt_functions *f, const char *text, size_t size)
{
	uint32_t number = tl_names_add(&f->names, text, size);

	if (number != TL_NONE)
		return f->names.names[number].text;
	f->no_memory = true;
	return "";
}

/*
 * The length of a function's name without the suffix of a part that was split off: "f.cold",
 * "f.cold.3", "f.part.0.cold".
 */
static size_t whole_name(const char *name)
{
	const char *cold = strstr(name, ".cold");

	if (cold && cold != name && !cold[5 + strspn(cold + 5, ".0123456789")])
		return (size_t)(cold - name);
	cold = strstr(name, " [clone .cold");
	return cold && cold != name ? (size_t)(cold - name) : strlen(name);
}

static uint64_t hash_symbol(const struct tl_pt_function *function)
{
	return tl_hash_pair(tl_hash_pair((uintptr_t)function->name, (uintptr_t)function->object),
			    function->address);
}

/* The function was known by a part that was split off alone: set its entry. */
static uint32_t find_split(struct tl_pt_functions *f, const struct tl_pt_function *function)
{
	struct tl_pt_function split = *function;
	uint32_t number;

	split.address = 0;
	number = tl_index_find(&f->by_name, hash_symbol(&split), same_symbol, f->list, &split);
	if (number == TL_NONE)
		return TL_NONE;
	f->list[number].address = function->address;
	if (!tl_index_add(&f->by_name, hash_symbol(function), number))
		f->no_memory = true;
	return number;
}

/* Set the line of the function's entry; without a binary none is known. */
static void find_line(struct tl_pt_functions *f, struct tl_binary *binary, uint64_t start,
		      struct tl_pt_function *function)
{
	struct tl_symbol symbol;

	if (f->without_lines || !binary || !tl_binary_symbol_at(binary, start, &symbol))
		return;
	function->file = intern(f, symbol.file, strlen(symbol.file));
	function->line = symbol.line;
}

/* The function of a part that was split off; it may be added by this, without its entry. */
static uint32_t split_function(struct tl_pt_functions *f, const struct tl_pt_function *part)
{
	for (size_t i = 0; i < f->count; i++)
		if (!f->list[i].by_entry && f->list[i].name == part->name &&
		    f->list[i].object == part->object)
			return (uint32_t)i;
	return find_or_add(f, &f->by_name, hash_symbol(part), same_symbol, part);
}

static bool returns_twice(const char *name)
{
	static const char *const names[] = { "setjmp",      "_setjmp",     "__setjmp",
					     "sigsetjmp",   "__sigsetjmp", "getcontext",
					     "__getcontext" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static uint32_t find_function(struct tl_pt_functions *f, const struct tl_pt_mapping *mapping,
			      struct tl_binary *binary, const struct tl_symbol *symbol)
{
	size_t size = whole_name(symbol->name);
	struct tl_pt_function function = {
		.name = intern(f, symbol->name, size),
		.object = intern(f, mapping->object, strlen(mapping->object)),
		.file = "",
	};
	uint32_t number;

	if (symbol->name[size])
		return split_function(f, &function);
	function.address = symbol->start;
	number =
		tl_index_find(&f->by_name, hash_symbol(&function), same_symbol, f->list, &function);
	if (number == TL_NONE)
		number = find_split(f, &function);
	if (number != TL_NONE && f->list[number].line)
		return number;
	find_line(f, binary, symbol->start, &function);
	function.twice = returns_twice(function.name);
	number = find_or_add(f, &f->by_name, hash_symbol(&function), same_symbol, &function);
	if (number != TL_NONE) {
		f->list[number].twice = function.twice;
		f->list[number].file = function.file;
		f->list[number].line = function.line;
	}
	return number;
}

/* The function of a symbol, and whether the symbol is a part of it that was split off. */
static struct tl_pt_known_symbol symbol_function(struct tl_pt_functions *f,
						 const struct tl_pt_mapping *mapping,
						 struct tl_binary *binary,
						 const struct tl_symbol *symbol)
{
	struct tl_pt_known_symbol *known =
		&f->known[tl_hash64(symbol->start) % TL_PT_KNOWN_SYMBOLS];

	if (binary && known->binary == binary && known->name == symbol->name &&
	    known->start == symbol->start && !strcmp(known->object, mapping->object))
		return *known;
	*known = (struct tl_pt_known_symbol){
		.binary = binary,
		.name = symbol->name,
		.start = symbol->start,
		.object = intern(f, mapping->object, strlen(mapping->object)),
		.function = find_function(f, mapping, binary, symbol),
		.split = symbol->name[whole_name(symbol->name)],
	};
	return *known;
}

/* Of code that is named by a list. */
static bool find_listed(struct tl_pt_functions *f, const struct tl_pt_mapping *mapping,
			struct tl_symbol *symbol)
{
	f->no_memory |= mapping->no_memory;
	if (mapping->nameless)
		note_nameless(f, mapping->object, mapping->nameless);
	*symbol = (struct tl_symbol){ .name = mapping->name, .file = "", .start = mapping->entry };
	return mapping->name;
}

/* How a binary is asked for the symbol of an address: with its line or without. */
typedef bool find_symbol_fn(struct tl_binary *binary, uint64_t ip, struct tl_symbol *symbol);

/*
 * Find the symbol of an address in the file of its mapping; `*binary` is NULL where it is of none.
 * False: none.
 */
static bool find_symbol(struct tl_pt_functions *f, const struct tl_pt_mapping *mapping, uint64_t ip,
			find_symbol_fn *find, struct tl_pt_symbol_file **binary,
			struct tl_symbol *symbol)
{
	*binary = NULL;
	if (mapping->listed)
		return find_listed(f, mapping, symbol);
	if (!mapping->file) {
		if (mapping->nameless)
			note_nameless(f, mapping->object, mapping->nameless);
		return false;
	}
	*binary = binary_at(f, mapping->file, mapping->bias);
	if (!*binary || !(*binary)->binary)
		return false;
	if (!find((*binary)->binary, ip, symbol))
		*symbol = (struct tl_symbol){ .name = "", .file = "" };
	f->no_memory |= tl_binary_short_of_memory((*binary)->binary);
	(*binary)->is_missed |= !*symbol->name;
	return true;
}

static struct tl_pt_name name_in(struct tl_pt_functions *f, const struct tl_pt_mapping *mapping,
				 uint64_t ip, find_symbol_fn *find, struct tl_pt_line *line)
{
	struct tl_pt_name name = { .function = TL_NONE };
	struct tl_pt_known_symbol known;
	struct tl_pt_symbol_file *binary;
	struct tl_symbol symbol;

	if (!find_symbol(f, mapping, ip, find, &binary, &symbol))
		return name;
	*line = (struct tl_pt_line){ .file = symbol.file, .line = symbol.line };
	if (!symbol.name[0])
		return name;
	known = symbol_function(f, mapping, binary ? binary->binary : NULL, &symbol);
	name.function = known.function;
	name.is_entry = ip == symbol.start && !known.split;
	return name;
}

static struct tl_pt_name name_of(struct tl_pt_functions *f, uint64_t ip, find_symbol_fn *find,
				 struct tl_pt_line *line)
{
	struct tl_pt_mapping mapping;

	*line = (struct tl_pt_line){ .file = "" };
	if (!f->feed->mapping(f->feed->arg, ip, &mapping))
		return (struct tl_pt_name){ .function = TL_NONE };
	return name_in(f, &mapping, ip, find, line);
}

struct tl_pt_name tl_pt_functions_name_in(struct tl_pt_functions *f,
					  const struct tl_pt_mapping *mapping, uint64_t ip)
{
	struct tl_pt_line none;

	return name_in(f, mapping, ip, tl_binary_name_at, &none);
}

struct tl_pt_name tl_pt_functions_name(struct tl_pt_functions *f, uint64_t ip)
{
	struct tl_pt_line none;

	return name_of(f, ip, tl_binary_name_at, &none);
}

struct tl_pt_name tl_pt_functions_line(struct tl_pt_functions *f, uint64_t ip,
				       struct tl_pt_line *line)
{
	return name_of(f, ip, tl_binary_symbol_at, line);
}

/* Whether an address has the symbol that another one of the same mapping has. */
static bool has_symbol(struct tl_pt_functions *f, struct tl_binary *binary,
		       const struct tl_pt_mapping *mapping, const struct tl_symbol *symbol,
		       uint64_t ip)
{
	struct tl_pt_mapping other;
	struct tl_symbol reached;

	/* Asked for inside of the mapping alone, as a feed notes which ones are used. */
	if (ip < mapping->start || ip >= mapping->end ||
	    !f->feed->mapping(f->feed->arg, ip, &other) || other.listed ||
	    other.file != mapping->file || other.bias != mapping->bias)
		return false;
	tl_binary_name_at(binary, ip, &reached);
	if (!*symbol->name)
		return !*reached.name;
	return reached.start == symbol->start && reached.name == symbol->name;
}

unsigned tl_pt_functions_same(struct tl_pt_functions *f, uint64_t ip, const uint64_t *to,
			      unsigned count)
{
	const struct tl_pt_symbol_file *file;
	struct tl_pt_mapping mapping;
	struct tl_symbol symbol;
	unsigned same = 0;

	if (!count || !f->feed->mapping(f->feed->arg, ip, &mapping) || mapping.listed ||
	    !mapping.file)
		return 0;
	file = find_binary(f, mapping.file, mapping.bias);
	if (!file || !file->binary)
		return 0;
	tl_binary_name_at(file->binary, ip, &symbol);
	for (unsigned i = 0; i < count; i++)
		same |= (unsigned)has_symbol(f, file->binary, &mapping, &symbol, to[i]) << i;
	f->no_memory |= tl_binary_short_of_memory(file->binary);
	return same;
}

bool tl_pt_functions_pad(struct tl_pt_functions *f, uint64_t back, uint64_t *pad)
{
	struct tl_pt_mapping mapping;
	struct tl_pt_symbol_file *binary;

	if (!back || !f->feed->mapping(f->feed->arg, back, &mapping) || !mapping.file ||
	    mapping.listed)
		return false;
	binary = binary_at(f, mapping.file, mapping.bias);
	return binary && binary->binary && tl_landing_pad(binary->binary, mapping.bias, back, pad);
}

uint32_t tl_pt_functions_called(struct tl_pt_functions *f, uint64_t ip)
{
	struct tl_pt_name name = tl_pt_functions_name(f, ip);
	struct tl_pt_function function = {
		.file = "", .object = "", .address = ip, .by_entry = true
	};
	struct tl_pt_mapping mapping;
	char text[256];

	if (name.function != TL_NONE)
		return name.function;
	if (f->feed->mapping(f->feed->arg, ip, &mapping) && *mapping.object) {
		function.object = intern(f, mapping.object, strlen(mapping.object));
		snprintf(text, sizeof(text), "[%.200s+0x%" PRIx64 "]",
			 tl_file_base_name(mapping.object), mapping.offset + (ip - mapping.start));
	} else {
		snprintf(text, sizeof(text), "[0x%" PRIx64 "]", ip);
	}
	function.name = intern(f, text, strlen(text));
	return find_or_add(f, &f->by_entry, tl_hash64(ip), same_symbol, &function);
}

/* ---- the profile ---- */

int tl_pt_functions_put(const struct tl_pt_functions *functions, struct tl_profile *profile,
			uint32_t *numbers, struct tl_error *err)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct tl_pt_function *from = &functions->list[i];
		const struct tl_function function = {
			.name = from->name,
			.object = from->object,
			.file = from->file,
			.id = TL_NOWHERE,
			.address = from->address,
			.line = from->line,
		};
		int64_t number =
			from->left_out ? TL_NONE : tl_profile_put_function(profile, &function, err);

		if (number < 0)
			return (int)number;
		numbers[i] = (uint32_t)number;
	}
	return 0;
}
