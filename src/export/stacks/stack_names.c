/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a profile tell whether its names are stacks: the caller of f'g'h is then g'h, or
 * g'h'i where names are cut. Names with a quote of their own (foldl', `anonymous namespace'::f,
 * fn(&'a T)) are not called by functions of such names.
 */
#include "export/stacks/stack_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* The size of "operator<", "operator>>=", "operator->": their signs are not brackets. */
static size_t operator_size(const char *text)
{
	static const char word[] = "operator";

	if (strncmp(text, word, sizeof(word) - 1) != 0)
		return 0;
	return sizeof(word) - 1 + strspn(text + sizeof(word) - 1, "<>-=");
}

/* The first quote outside of brackets; NULL: none. */
static const char *find_quote(const char *text)
{
	size_t depth = 0;

	for (; *text; text++) {
		size_t skipped = 0;

		if (*text == 'o')
			skipped = operator_size(text);

		if (skipped)
			text += skipped - 1;
		else if (strchr("([{<", *text))
			depth++;
		else if (strchr(")]}>", *text))
			depth -= depth > 0;
		else if (*text == '\'' && !depth)
			return text;
	}
	return NULL;
}

/* The size of "2" in "2'g'h"; 0: the text does not begin with a level of recursion. */
static size_t level_size(const char *text)
{
	size_t size = strspn(text, "0123456789");

	if (text[size] && text[size] != '\'')
		return 0;
	return size;
}

struct tl_stack_name tl_stack_name(const char *text)
{
	const struct tl_stack_name whole = { text, strlen(text), NULL };
	const char *quote = find_quote(text), *rest;
	size_t level;

	if (!quote || quote == text)
		return whole;
	rest = quote + 1;
	level = level_size(rest);
	if (level && !rest[level])
		return (struct tl_stack_name){ text, (size_t)(quote - text), NULL };
	if (level)
		rest += level + 1;
	if (!*rest || *rest == '\'')
		return whole;
	return (struct tl_stack_name){ text, (size_t)(quote - text), rest };
}

/* ---- calls ---- */

/* "f'g'h" as bytes in turn, without the level. */
struct bytes {
	struct tl_stack_name name;
	size_t at;
};

static int next_byte(struct bytes *b)
{
	size_t at = b->at++;

	if (at < b->name.size)
		return (unsigned char)b->name.function[at];
	if (!b->name.callers)
		return -1;
	at -= b->name.size;
	if (!at)
		return '\'';
	if (!b->name.callers[at - 1])
		return -1;
	return (unsigned char)b->name.callers[at - 1];
}

enum agreement { DIFFERENT, SAME, CALLEE_SHORTER, CALLER_SHORTER };

/* The callers in the name of a callee against the name of its caller: one may begin the other. */
static enum agreement compare(const char *callers, struct tl_stack_name caller)
{
	struct bytes b = { caller, 0 };

	for (;; callers++) {
		int theirs = next_byte(&b), ours = *callers ? (unsigned char)*callers : -1;

		if (ours != theirs && ours >= 0 && theirs >= 0)
			return DIFFERENT;
		if (ours < 0 && theirs < 0)
			return SAME;
		if (ours < 0)
			return theirs == '\'' ? CALLEE_SHORTER : DIFFERENT;
		if (theirs < 0)
			return ours == '\'' ? CALLER_SHORTER : DIFFERENT;
	}
}

static bool same_callers(struct tl_stack_name a, struct tl_stack_name b)
{
	if (!a.callers || !b.callers)
		return a.callers == b.callers;
	return !strcmp(a.callers, b.callers);
}

/* Whether a function calls itself, on any level of recursion. */
static bool is_recursion(struct tl_stack_name a, struct tl_stack_name b)
{
	return same_callers(a, b) && a.size == b.size && !memcmp(a.function, b.function, a.size);
}

struct votes {
	uint64_t agree, cut, against;
};

static void vote(struct votes *votes, struct tl_stack_name caller, struct tl_stack_name callee)
{
	enum agreement agreement = DIFFERENT;

	if (is_recursion(caller, callee))
		return;
	if (callee.callers)
		agreement = compare(callee.callers, caller);
	votes->against += agreement == DIFFERENT;
	votes->agree += agreement != DIFFERENT;
	votes->cut += agreement == CALLEE_SHORTER;
}

/*
 * The names of all functions, taken apart once, as there are far more calls than functions.
 * `*any`: some name has callers. NULL without memory, which costs time alone.
 */
static struct tl_stack_name *read_names(const struct tl_profile *profile, bool *any)
{
	uint32_t count = tl_profile_function_count(profile);
	struct tl_stack_name *names = malloc(((size_t)count + 1) * sizeof(*names));

	*any = false;
	for (uint32_t f = 0; f < count; f++) {
		struct tl_stack_name name = tl_stack_name(tl_profile_function(profile, f)->name);

		*any |= name.callers != NULL;
		if (names)
			names[f] = name;
	}
	return names;
}

static struct tl_stack_name name_of(const struct tl_profile *profile,
				    const struct tl_stack_name *names, uint32_t function)
{
	return names ? names[function]
		     : tl_stack_name(tl_profile_function(profile, function)->name);
}

enum tl_stack_names tl_stack_names(const struct tl_profile *profile)
{
	bool any;
	struct tl_stack_name *names = read_names(profile, &any);
	uint32_t arcs = any ? tl_profile_arc_count(profile) : 0;
	struct votes votes = { 0 };

	for (uint32_t i = 0; i < arcs; i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->caller != TL_NONE)
			vote(&votes, name_of(profile, names, arc->caller),
			     name_of(profile, names, arc->callee));
	}
	free(names);
	/* A few calls may disagree: signal handlers and skipped functions have other callers. */
	if (!votes.agree || votes.against * 20 > votes.agree)
		return TL_NAMES_PLAIN;
	return votes.cut ? TL_NAMES_CUT : TL_NAMES_COMPLETE;
}
