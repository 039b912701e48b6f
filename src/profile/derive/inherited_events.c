/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherited events: "event: Sum = Ir + 2 Dr" (Callgrind Profile Format, "InheritedExpr";
 * KCachegrind also takes "-"). A formula is linear, so it holds for every line, arc, context and
 * sum alike, and is filled in once all those are there. A formula that names an unknown event, or
 * itself, is not understood: its numbers stay as the input had them.
 */
#include <ctype.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/model.h"

struct term {
	int64_t factor;
	uint32_t event;
};

struct formula {
	size_t first, count; /* of its terms */
	bool understood, placed;
};

struct formulas {
	struct tl_profile *profile;
	struct formula *of; /* by event */
	struct term *terms;
	size_t term_count, term_capacity;
	uint32_t *order; /* events to compute, each after those it is made of */
	uint32_t order_count;
};

/* ---- reading a formula ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* Up to the next operator or blank. Real names have parentheses and colons in them: "cpu(ms)". */
static size_t word_length(const char *p)
{
	size_t length = 0;

	while (p[length] && !is_blank(p[length]) && !strchr("+-*", p[length]))
		length++;
	return length;
}

static bool take_digits(const char **p, const char *digits, int64_t base, int64_t *number)
{
	const char *digit;

	for (*number = 0; **p && (digit = strchr(digits, tolower((unsigned char)**p))); ++*p)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit - digits, number))
			return false;
	return true;
}

/* A number, decimal or hexadecimal, in front of a name, a blank or a "*". False: too large. */
static bool take_factor(const char **p, int64_t *factor)
{
	static const char digits[] = "0123456789", hexadecimal[] = "0123456789abcdef";
	bool fits;

	*factor = 1;
	if (**p < '0' || **p > '9')
		return true;
	if (**p == '0' && ((*p)[1] | 0x20) == 'x' && isxdigit((unsigned char)(*p)[2])) {
		*p += 2;
		fits = take_digits(p, hexadecimal, 16, factor);
	} else {
		fits = take_digits(p, digits, 10, factor);
	}
	*p = skip_blanks(*p);
	if (**p == '*')
		*p = skip_blanks(*p + 1);
	return fits;
}

/* "+" or "-" in front of a term, which the first one need not have. */
static bool take_sign(const char **p, bool *minus)
{
	*minus = **p == '-';
	if (**p != '+' && **p != '-')
		return false;
	*p = skip_blanks(*p + 1);
	return true;
}

static uint32_t find_event(const struct tl_profile *profile, const char *name, size_t length)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (strlen(profile->events[e].name) == length &&
		    !memcmp(profile->events[e].name, name, length))
			return e;
	return TL_NONE;
}

/*
 * A formula has one term for each event, however long its text is, since it is computed for each
 * line, arc and context. `first` is its first term. False without memory.
 */
static bool add_to_terms(struct formulas *f, size_t first, const struct term *term)
{
	int64_t factor;

	for (size_t i = first; i < f->term_count; i++)
		if (f->terms[i].event == term->event &&
		    !__builtin_add_overflow(f->terms[i].factor, term->factor, &factor)) {
			f->terms[i].factor = factor;
			return true;
		}
	if (!tl_grow(&f->terms, &f->term_capacity, f->term_count + 1, sizeof(*term)))
		return false;
	f->terms[f->term_count++] = *term;
	return true;
}

/* Returns whether the formula is understood; *memory turns false without memory. */
static bool read_terms(struct formulas *f, const char *p, bool *memory)
{
	size_t first = f->term_count;
	bool minus;

	p = skip_blanks(p);
	take_sign(&p, &minus);
	for (;;) {
		struct term term;
		size_t length;

		if (!take_factor(&p, &term.factor))
			return false;
		length = word_length(p);
		term.event = find_event(f->profile, p, length);
		if (term.event == TL_NONE)
			return false;
		term.factor = minus ? -term.factor : term.factor;
		if (!add_to_terms(f, first, &term)) {
			*memory = false;
			return false;
		}
		p = skip_blanks(p + length);
		if (!*p)
			return true;
		if (!take_sign(&p, &minus))
			return false;
	}
}

static bool read_formulas(struct formulas *f, uint32_t first)
{
	bool memory = true;

	for (uint32_t e = 0; memory && e < f->profile->event_count; e++) {
		struct formula *formula = &f->of[e];

		if (e < first || !*f->profile->events[e].formula) {
			formula->placed = true;
			continue;
		}
		formula->first = f->term_count;
		formula->understood = read_terms(f, f->profile->events[e].formula, &memory);
		formula->count = f->term_count - formula->first;
	}
	return memory;
}

/* ---- the order to compute in ---- */

static bool is_ready(const struct formulas *f, const struct formula *formula)
{
	for (size_t i = 0; i < formula->count; i++)
		if (!f->of[f->terms[formula->first + i].event].placed)
			return false;
	return true;
}

static void order_formulas(struct formulas *f)
{
	for (uint32_t before = TL_NONE; before != f->order_count;) {
		before = f->order_count;
		for (uint32_t e = 0; e < f->profile->event_count; e++) {
			struct formula *formula = &f->of[e];

			if (formula->placed || !formula->understood || !is_ready(f, formula))
				continue;
			formula->placed = true;
			f->order[f->order_count++] = e;
		}
	}
}

/* ---- computing ---- */

static void add_term(struct tl_profile *profile, int64_t *sum, int64_t factor, int64_t cost)
{
	int64_t product;

	if (__builtin_mul_overflow(factor, cost, &product)) {
		product = (factor < 0) == (cost < 0) ? INT64_MAX : INT64_MIN;
		profile->losses.saturated++;
	}
	tl_add_cost(sum, product, &profile->losses.saturated);
}

static void fill_rows(const struct formulas *f, int64_t *costs, size_t count)
{
	uint32_t events = f->profile->event_count;

	for (size_t i = 0; costs && i < count; i++, costs += events)
		for (uint32_t at = 0; at < f->order_count; at++) {
			const struct formula *formula = &f->of[f->order[at]];
			int64_t sum = 0;

			for (size_t t = formula->first; t < formula->first + formula->count; t++)
				add_term(f->profile, &sum, f->terms[t].factor,
					 costs[f->terms[t].event]);
			costs[f->order[at]] = sum;
		}
}

static void fill_all(const struct formulas *f)
{
	struct tl_profile *p = f->profile;

	fill_rows(f, p->sums.total, 1);
	fill_rows(f, p->sums.self, p->functions.table.count);
	fill_rows(f, p->sums.inclusive, p->functions.table.count);
	fill_rows(f, p->contexts.table.cost, p->contexts.table.count);
	fill_rows(f, p->contexts.inclusive, p->contexts.table.count);
	fill_rows(f, p->lines.table.cost, p->lines.table.count);
	fill_rows(f, p->arcs.table.cost, p->arcs.table.count);
	fill_rows(f, p->part_functions.table.cost, p->part_functions.table.count);
	fill_rows(f, p->part_functions.inclusive, p->part_functions.table.count);
}

static bool any_formula(const struct tl_profile *profile, uint32_t first)
{
	for (uint32_t e = first; e < profile->event_count; e++)
		if (*profile->events[e].formula)
			return true;
	return false;
}

int tl_profile_check_formula(const struct tl_profile *profile, const char *formula,
			     struct tl_error *err)
{
	struct formulas f = { .profile = (struct tl_profile *)(uintptr_t)profile };
	bool memory = true, understood = read_terms(&f, formula, &memory);

	free(f.terms);
	if (!memory)
		return tl_error_memory(err);
	if (!understood)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a sum of events that the input has, as in X=Ir+10*D1mr");
	return 0;
}

int tl_profile_inherit(struct tl_profile *profile, uint32_t first, struct tl_error *err)
{
	struct formulas f = { .profile = profile };
	bool ok;

	if (!any_formula(profile, first))
		return 0;
	f.of = calloc(profile->event_count, sizeof(*f.of));
	f.order = malloc(profile->event_count * sizeof(*f.order));
	ok = f.of && f.order && read_formulas(&f, first);
	if (ok) {
		order_formulas(&f);
		fill_all(&f);
	}
	free(f.of);
	free(f.order);
	free(f.terms);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}
