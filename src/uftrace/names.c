/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of addresses: sid-ID.map says what was mapped, NAME.sym and NAME.dbg what is in it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tracelathe/symbols.h>

#include "core/error.h"
#include "core/arithmetic.h"
#include "core/source.h"
#include "core/text/optional.h"
#include "uftrace/uftrace.h"

static struct tl_names *names_of(struct tl_uftrace_recording *u)
{
	return &u->file->stacks.names;
}

static const char *text_of(struct tl_uftrace_recording *u, uint32_t name)
{
	return names_of(u)->names[name].text;
}

static size_t length_of(const struct tl_uftrace_line *line)
{
	return (size_t)(line->end - line->text);
}

/* ---- sid-ID.map: lines as those of /proc/PID/maps, with the build id behind the path ---- */

/* Pieces of one file are one module, which begins where the first of them does. */
static int put_module(struct tl_uftrace_session *s, const struct tl_uftrace_module *module,
		      struct tl_error *err)
{
	struct tl_uftrace_module *last = s->count ? &s->modules[s->count - 1] : NULL;

	if (last && last->path == module->path) {
		last->start = tl_min(last->start, module->start);
		last->end = tl_max(last->end, module->end);
		return 0;
	}
	if (!tl_grow(&s->modules, &s->capacity, s->count + 1, sizeof(*s->modules)))
		return tl_error_memory(err);
	s->modules[s->count++] = *module;
	return 0;
}

static int add_mapping(struct tl_uftrace_recording *u, struct tl_uftrace_session *s,
		       struct tl_uftrace_line line, struct tl_error *err)
{
	struct tl_uftrace_module module = { .is_loaded = false };
	struct tl_uftrace_line path, id = { NULL, NULL };
	const char *build;

	if (!tl_uftrace_take_number(&line, 16, &module.start) || !tl_uftrace_take(&line, "-") ||
	    !tl_uftrace_take_number(&line, 16, &module.end))
		return 0;
	path = line;
	path.text = memchr(line.text, '/', length_of(&line));
	if (!path.text)
		return 0;
	build = memmem(path.text, length_of(&path), " build-id:", 10);
	if (build) {
		id = (struct tl_uftrace_line){ build + 10, path.end };
		path.end = build;
	}
	module.path = tl_names_add(names_of(u), path.text, length_of(&path));
	module.build_id = tl_names_add(names_of(u), build ? id.text : "", length_of(&id));
	if (module.path == TL_NONE || module.build_id == TL_NONE)
		return tl_error_memory(err);
	return put_module(s, &module, err);
}

static int load_session(struct tl_uftrace_recording *u, struct tl_uftrace_session *s,
			struct tl_error *err)
{
	struct tl_source *source = NULL;
	struct tl_uftrace_line line;
	struct tl_cursor text;
	const uint8_t *data;
	char name[48];
	size_t size;
	int status;

	if (s->is_loaded)
		return 0;
	s->is_loaded = true;
	snprintf(name, sizeof(name), "sid-%s.map", s->id);
	status = tl_uftrace_open(u, name, &source, &data, &size, err);
	if (status == 1)
		return tl_foreign_say(&u->file->faults, TL_BAD_RECORD, "map", err,
				      "there is no %s: its functions have no names", name);
	if (status < 0)
		return status;
	text = tl_cursor_over(data, size);
	while (status == 0 && tl_uftrace_next_line(&text, &line))
		status = add_mapping(u, s, line, err);
	tl_source_close(source);
	return status;
}

/* ---- NAME.sym: "ADDRESS TYPE NAME"; '?' is where symbols end ---- */

static int add_symbol(struct tl_uftrace_recording *u, struct tl_uftrace_module *m,
		      struct tl_uftrace_line line, struct tl_error *err)
{
	struct tl_uftrace_symbol symbol = { .name = 0 };
	bool is_end;
	char *raw, *plain;

	if (!tl_uftrace_take_number(&line, 16, &symbol.address) || length_of(&line) < 4 ||
	    line.text[0] != ' ' || line.text[2] != ' ')
		return 0;
	is_end = line.text[1] == '?';
	line.text += 3;
	raw = strndup(line.text, length_of(&line));
	plain = raw ? tl_demangle(raw) : NULL;
	if (raw && !is_end)
		symbol.name =
			tl_names_add(names_of(u), plain ? plain : raw, strlen(plain ? plain : raw));
	free(plain);
	free(raw);
	if (!raw || symbol.name == TL_NONE ||
	    !tl_grow(&m->symbols, &m->capacity, m->count + 1, sizeof(*m->symbols)))
		return tl_error_memory(err);
	m->symbols[m->count++] = symbol;
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct tl_uftrace_symbol *x = a, *y = b;

	if (x->address != y->address)
		return tl_compare(x->address, y->address);
	return tl_compare(x->name, y->name);
}

/* The last symbol that begins at an address or before it; NULL: none. */
static struct tl_uftrace_symbol *symbol_at(const struct tl_uftrace_module *m, uint64_t address)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (m->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && m->symbols[low - 1].name ? &m->symbols[low - 1] : NULL;
}

/* ---- NAME.dbg: "F: ADDRESS NAME", then "L: LINE FILE" ---- */

static int add_place(struct tl_uftrace_recording *u, struct tl_uftrace_module *m,
		     struct tl_uftrace_line line, uint64_t *address, struct tl_error *err)
{
	struct tl_uftrace_symbol *symbol;
	uint64_t number;

	if (tl_uftrace_take(&line, "F: ")) {
		if (!tl_uftrace_take_number(&line, 16, address))
			*address = UINT64_MAX;
		return 0;
	}
	if (*address == UINT64_MAX || !tl_uftrace_take(&line, "L: ") ||
	    !tl_uftrace_take_number(&line, 10, &number) || number > UINT32_MAX ||
	    !tl_uftrace_take(&line, " "))
		return 0;
	symbol = symbol_at(m, *address);
	*address = UINT64_MAX;
	if (!symbol)
		return 0;
	symbol->line = (uint32_t)number;
	symbol->file = tl_names_add(names_of(u), line.text, length_of(&line));
	return symbol->file == TL_NONE ? tl_error_memory(err) : 0;
}

/* ---- both ---- */

/* Whether "# path name: PATH" in front of the symbols is the module's. */
static bool is_of(struct tl_uftrace_recording *u, const struct tl_uftrace_module *m,
		  const uint8_t *data, size_t size)
{
	struct tl_cursor text = tl_cursor_over(data, size);
	const char *path = text_of(u, m->path);
	struct tl_uftrace_line line;

	while (tl_uftrace_next_line(&text, &line) && tl_uftrace_take(&line, "#"))
		if (tl_uftrace_take(&line, " path name: "))
			return strlen(path) == length_of(&line) &&
			       !memcmp(path, line.text, length_of(&line));
	return true;
}

/* Two files of one name have the begin of their build ids in the names of their symbols. */
static int open_of(struct tl_uftrace_recording *u, const struct tl_uftrace_module *m,
		   const char *suffix, struct tl_source **source, struct tl_cursor *text,
		   struct tl_error *err)
{
	const char *path = text_of(u, m->path), *slash = strrchr(path, '/');
	const uint8_t *data;
	int status = 1;
	size_t size;

	for (int with_id = 0; status == 1 && with_id < 2; with_id++) {
		char name[256];

		snprintf(name, sizeof(name), "%.200s%s%.4s%s", slash ? slash + 1 : path,
			 tl_text_if(with_id, "-"), with_id ? text_of(u, m->build_id) : "", suffix);
		status = tl_uftrace_open(u, name, source, &data, &size, err);
		if (status == 0 && !is_of(u, m, data, size)) {
			tl_source_close(*source);
			status = 1;
		}
	}
	if (status == 0)
		*text = tl_cursor_over(data, size);
	return status;
}

static int load_module(struct tl_uftrace_recording *u, struct tl_uftrace_module *m,
		       struct tl_error *err)
{
	struct tl_source *source = NULL;
	uint64_t address = UINT64_MAX;
	struct tl_uftrace_line line;
	struct tl_cursor text;
	int status = open_of(u, m, ".sym", &source, &text, err);

	m->is_loaded = true;
	if (status == 1)
		return tl_foreign_say(&u->file->faults, TL_BAD_RECORD, "symbols", err,
				      "there are no symbols of %.160s", text_of(u, m->path));
	while (status == 0 && tl_uftrace_next_line(&text, &line))
		status = add_symbol(u, m, line, err);
	tl_source_close(status < 0 && !source ? NULL : source);
	if (status < 0)
		return status;
	if (m->count)
		qsort(m->symbols, m->count, sizeof(*m->symbols), compare_symbols);
	source = NULL;
	status = open_of(u, m, ".dbg", &source, &text, err);
	if (status)
		return tl_error_or_end(status);
	while (status == 0 && tl_uftrace_next_line(&text, &line))
		status = add_place(u, m, line, &address, err);
	tl_source_close(source);
	return status;
}

/* ---- frames ---- */

/* A library of dlopen() has no end: the module that begins last before the address has it. */
static struct tl_uftrace_module *module_at(const struct tl_uftrace_session *s, uint64_t address)
{
	struct tl_uftrace_module *found = NULL;

	for (size_t i = 0; i < s->count; i++) {
		struct tl_uftrace_module *m = &s->modules[i];

		if (m->start <= address && address < m->end && (!found || m->start > found->start))
			found = m;
	}
	return found;
}

static uint32_t nameless(struct tl_uftrace_recording *u, const struct tl_uftrace_module *m,
			 uint64_t address)
{
	const char *path = m ? text_of(u, m->path) : "", *slash = strrchr(path, '/');
	struct tl_foreign_frame frame = { .object = m ? m->path : 0 };
	char name[256];

	snprintf(name, sizeof(name), m ? "[%.200s+0x%" PRIx64 "]" : "[%s0x%" PRIx64 "]",
		 slash ? slash + 1 : path, m ? address - m->start : address);
	u->nameless++;
	frame.name = tl_names_add(names_of(u), name, strlen(name));
	return frame.name == TL_NONE ? TL_NONE : tl_foreign_stacks_frame(&u->file->stacks, &frame);
}

static uint32_t make_frame(struct tl_uftrace_recording *u, struct tl_uftrace_session *s,
			   uint64_t address, struct tl_error *err)
{
	struct tl_uftrace_module *m = module_at(s, address);
	const struct tl_uftrace_symbol *symbol = NULL;
	struct tl_foreign_frame frame;
	uint32_t made;

	if (m && !m->is_loaded && load_module(u, m, err) < 0)
		return TL_NONE;
	if (m)
		symbol = symbol_at(m, u->is_relative ? address - m->start : address);
	if (symbol) {
		frame = (struct tl_foreign_frame){ symbol->name, m->path, symbol->file,
						   symbol->line };
		made = tl_foreign_stacks_frame(&u->file->stacks, &frame);
	} else {
		made = nameless(u, m, address);
	}
	if (made == TL_NONE)
		tl_error_memory(err);
	return made;
}

static bool same_place(const void *context, const void *key, uint32_t number)
{
	const struct tl_uftrace_place *places = context, *wanted = key;

	return places[number].address == wanted->address &&
	       places[number].session == wanted->session;
}

uint32_t tl_uftrace_frame(struct tl_uftrace_recording *u, struct tl_uftrace_session *session,
			  uint64_t address, struct tl_error *err)
{
	struct tl_uftrace_session none = { .is_loaded = true };
	struct tl_uftrace_place place = { session ? (size_t)(session - u->sessions) : SIZE_MAX,
					  address, TL_NONE };
	const uint64_t hash = tl_hash_pair(place.session, address);
	const uint32_t number = tl_index_find(&u->by_address, hash, same_place, u->places, &place);

	if (number != TL_NONE)
		return u->places[number].frame;
	if (session && load_session(u, session, err) < 0)
		return TL_NONE;
	place.frame = make_frame(u, session ? session : &none, address, err);
	if (place.frame == TL_NONE)
		return TL_NONE;
	if (!tl_grow(&u->places, &u->place_capacity, u->place_count + 1, sizeof(*u->places)) ||
	    !tl_index_add(&u->by_address, hash, (uint32_t)u->place_count)) {
		tl_error_memory(err);
		return TL_NONE;
	}
	u->places[u->place_count++] = place;
	return place.frame;
}
