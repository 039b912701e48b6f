/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "void std::sort<int*>(int*, int*)" is in "std", "a::(anonymous namespace)::b<c::d>::e() const" in
 * "a::(anonymous namespace)::b<c::d>": the name is what stands before the parameters and behind the
 * type that a template's name begins with. "::" inside of brackets separates nothing.
 */
#include "profile/transform/scope_name.h"

#include <stdint.h>
#include <string.h>

/* A reader of a name: where it begins behind a type, and its separators outside of brackets. */
struct scope_reader {
	const char *name;
	size_t at, begin;
	size_t first, last; /* "::" that are separators; SIZE_MAX: none */
	unsigned depth;
};

static bool starts(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* The name of an operator ends a name: "operator<", "operator()", "operator bool". */
static bool at_operator(const struct scope_reader *r)
{
	static const char word[] = "operator";
	const char *text = r->name + r->at, *behind = text + sizeof(word) - 1;

	if (!starts(text, word) || (r->at && strchr(" :", r->name[r->at - 1]) == NULL))
		return false;
	return *behind && strchr(" <>=!+-*/%^&|~,([\"", *behind);
}

/* Brackets that a part of a name begins with belong to it; others hold the parameters. */
static bool at_parameters(const struct scope_reader *r)
{
	if (r->name[r->at] != '(' || r->depth || r->at == r->begin)
		return false;
	return r->name[r->at - 1] != ':' && !starts(r->name + r->at, "(anonymous") &&
	       !starts(r->name + r->at, "({");
}

/* "a(int)::{lambda()#1}::operator()() const": parameters of a function that something is in. */
static bool at_outer_parameters(const struct scope_reader *r)
{
	unsigned depth = 0;
	const char *p = r->name + r->at;

	for (; *p; p++) {
		depth += *p == '(';
		if (*p == ')' && !--depth)
			break;
	}
	if (*p && starts(p + 1, " const"))
		p += strlen(" const");
	return *p && starts(p + 1, "::");
}

static void read_byte(struct scope_reader *r)
{
	char c = r->name[r->at];

	if (strchr("<([{", c)) {
		r->depth++;
	} else if (strchr(">)]}", c)) {
		r->depth -= r->depth && !(c == '>' && r->at && r->name[r->at - 1] == '-');
	} else if (c == ' ' && !r->depth && !starts(r->name + r->at, " const::")) {
		r->begin = r->at + 1;
		r->first = r->last = SIZE_MAX;
	} else if (c == ':' && r->name[r->at + 1] == ':' && !r->depth) {
		r->last = r->at++;
		if (r->first == SIZE_MAX && r->last > r->begin)
			r->first = r->last;
	}
	r->at++;
}

size_t tl_scope_name(const char *name, bool outermost, const char **begin)
{
	struct scope_reader r = { .name = name, .first = SIZE_MAX, .last = SIZE_MAX };

	while (name[r.at]) {
		if (!r.depth && at_operator(&r))
			break;
		if (at_parameters(&r) && !at_outer_parameters(&r))
			break;
		read_byte(&r);
	}
	*begin = name + r.begin;
	if (r.first == SIZE_MAX)
		return 0;
	return (outermost ? r.first : r.last) - r.begin;
}
