/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts.h"

#include <math.h>

#include "core/output.h"

static void indent(struct tl_facts *facts)
{
	for (unsigned i = 1; i < facts->depth; i++)
		tl_put_text(facts->out, "  ");
}

static void name_as_text(struct tl_facts *facts, const char *name)
{
	for (; *name; name++)
		tl_put_char(facts->out, *name == '_' ? ' ' : *name);
}

/* Everything up to the value. */
static void begin_fact(struct tl_facts *facts, const char *name)
{
	if (facts->json) {
		if (!facts->first)
			tl_put_char(facts->out, ',');
		tl_put_json(facts->out, name, strlen(name));
		tl_put_char(facts->out, ':');
	} else {
		indent(facts);
		name_as_text(facts, name);
		tl_put_text(facts->out, ": ");
	}
	facts->first = false;
}

static void end_fact(struct tl_facts *facts)
{
	if (!facts->json)
		tl_put_char(facts->out, '\n');
}

void tl_facts_begin(struct tl_facts *facts, struct tl_output *out, bool json)
{
	*facts = (struct tl_facts){ .out = out, .json = json, .depth = 1, .first = true };
	if (json)
		tl_put_char(out, '{');
}

void tl_facts_end(struct tl_facts *facts)
{
	if (facts->json)
		tl_put_text(facts->out, "}\n");
}

void tl_fact_text(struct tl_facts *facts, const char *name, const char *value)
{
	begin_fact(facts, name);
	if (facts->json)
		tl_put_json(facts->out, value, strlen(value));
	else
		tl_put_shown(facts->out, value, strlen(value));
	end_fact(facts);
}

void tl_fact_u64(struct tl_facts *facts, const char *name, uint64_t value)
{
	begin_fact(facts, name);
	tl_put_u64(facts->out, value);
	end_fact(facts);
}

void tl_fact_i64(struct tl_facts *facts, const char *name, int64_t value)
{
	begin_fact(facts, name);
	tl_put_i64(facts->out, value);
	end_fact(facts);
}

void tl_fact_double(struct tl_facts *facts, const char *name, double value)
{
	begin_fact(facts, name);
	/* JSON has no word for them (RFC 8259, section 6). */
	if (facts->json && !isfinite(value))
		tl_put_text(facts->out, "null");
	else if (!facts->json && fabs(value) >= 1e-9 && fabs(value) < 1e-3)
		/* For people: microseconds have no exponent. */
		tl_put_format(facts->out, "%.9f", value);
	else
		tl_put_double(facts->out, value);
	end_fact(facts);
}

void tl_fact_bool(struct tl_facts *facts, const char *name, bool value)
{
	begin_fact(facts, name);
	if (facts->json)
		tl_put_boolean(facts->out, value);
	else
		tl_put_text(facts->out, value ? "yes" : "no");
	end_fact(facts);
}

static void open_group(struct tl_facts *facts, const char *name, char bracket)
{
	if (facts->json) {
		if (!facts->first)
			tl_put_char(facts->out, ',');
		if (name) {
			tl_put_json(facts->out, name, strlen(name));
			tl_put_char(facts->out, ':');
		}
		tl_put_char(facts->out, bracket);
	} else if (name) {
		indent(facts);
		name_as_text(facts, name);
		tl_put_text(facts->out, ":\n");
	} else {
		indent(facts);
		tl_put_text(facts->out, "-\n");
	}
	facts->depth++;
	facts->first = true;
}

static void close_group(struct tl_facts *facts, char bracket)
{
	if (facts->json)
		tl_put_char(facts->out, bracket);
	facts->depth--;
	facts->first = false;
}

void tl_facts_object(struct tl_facts *facts, const char *name)
{
	open_group(facts, name, '{');
}

void tl_facts_list(struct tl_facts *facts, const char *name)
{
	open_group(facts, name, '[');
}

void tl_facts_item(struct tl_facts *facts)
{
	open_group(facts, NULL, '{');
}

void tl_facts_close(struct tl_facts *facts)
{
	close_group(facts, '}');
}

void tl_facts_close_list(struct tl_facts *facts)
{
	close_group(facts, ']');
}
