/* SPDX-License-Identifier: Apache-2.0 */
/* Source forms of mangled names, through libiberty. */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/symbols.h>

#include "core/memory.h"

/*
 * libiberty gives up on names of more than 1024 bytes unless told not to limit its recursion, and
 * templates make longer ones; 4 KiB keep its stack below 3 MB. Substitutions let a short name stand
 * for an exponentially long one: the text is bounded too.
 */
enum { MANGLED_MAX = 4096, PLAIN_MAX = 256 * 1024 };

struct text {
	char *bytes;
	size_t size, capacity;
	bool no_memory;
	jmp_buf too_long;
};

typedef int demangler_fn(const char *mangled, int options, demangle_callbackref callback,
			 void *opaque);

static void append(const char *bytes, size_t size, void *opaque)
{
	struct text *text = opaque;

	/* libiberty keeps its state on the stack, so that leaving it by a jump loses nothing. */
	if (size > PLAIN_MAX - text->size)
		longjmp(text->too_long, 1);
	if (text->no_memory || !tl_grow(&text->bytes, &text->capacity, text->size + size + 1, 1)) {
		text->no_memory = true;
		return;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

static bool demangle(struct text *text, demangler_fn *demangler, const char *name)
{
	text->size = 0;
	if (setjmp(text->too_long))
		return false;
	return demangler(name, DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT, append,
			 text) &&
	       text->size;
}

/* LLVM closes nested template lists as ">>" where libiberty writes the "> >" of C++98. */
static void close_templates(char *plain)
{
	char *to = plain;

	for (const char *from = plain; *from; from++)
		if (!(from[0] == ' ' && from[1] == '>' && from != plain && from[-1] == '>'))
			*to++ = *from;
	*to = '\0';
}

/* Clones: libiberty writes "f() [clone .a] [clone .b]" at the end, LLVM "f() (.a.b)". */
static void join_clones(char *plain)
{
	static const char mark[] = " [clone ";
	const size_t mark_size = sizeof(mark) - 1;
	char *from = strstr(plain, mark), *to = from;

	if (!from)
		return;
	/* The text only gets shorter: what is written was read. */
	to = stpcpy(to, " (");
	do {
		from += mark_size;
		size_t size = strcspn(from, "]");

		memmove(to, from, size);
		to += size;
		from += size + (from[size] == ']');
	} while (!strncmp(from, mark, mark_size));
	strcpy(to, ")");
}

static bool demangle_known(struct text *text, const char *name)
{
	/* Rust's older names are C++ names that end in a hash: Rust is asked first. */
	if (demangle(text, rust_demangle_callback, name))
		return true;
	if (name[1] != 'Z' || !demangle(text, cplus_demangle_v3_callback, name))
		return false;
	if (text->no_memory)
		return true;
	close_templates(text->bytes);
	join_clones(text->bytes);
	return true;
}

char *tl_demangle(const char *name)
{
	struct text text = { 0 };
	bool mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');

	if (mangled && strnlen(name, MANGLED_MAX + 1) <= MANGLED_MAX &&
	    demangle_known(&text, name) && !text.no_memory)
		return text.bytes;
	free(text.bytes);
	return text.no_memory ? NULL : strdup(name);
}
