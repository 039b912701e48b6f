/* SPDX-License-Identifier: Apache-2.0 */
/* Violations of the rules as lines: text, or one JSON object each. */
#include <inttypes.h>
#include <string.h>

#include "core/output.h"
#include "core/text/optional.h"
#include "xtrace/listing/describe.h"

struct listing {
	struct tl_output *out;
	bool json;
	uint64_t id; /* only those of this thread or core; TL_NOWHERE: any */
	int64_t count;
};

static void number_or_null(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	if (value == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static void put_violation_json(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, v->rule, strlen(v->rule));
	number_or_null(out, ",\"offset\":", v->offset);
	number_or_null(out, ",\"record\":", v->record);
	number_or_null(out, ",\"thread\":", v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, ",\"pc\":\"0x%" PRIx64 "\"", v->pc);
	tl_put_text(out, ",\"file\":");
	tl_put_json(out, tl_text_or_empty(v->path), v->path ? strlen(v->path) : 0);
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, v->text, strlen(v->text));
	if (v->note)
		tl_put_text(out, ",\"note\":true");
	if (v->expected) {
		tl_put_text(out, ",\"expected\":");
		tl_put_json(out, v->expected, strlen(v->expected));
	}
	tl_put_text(out, "}\n");
}

static void put_violation_text(struct tl_output *out, const struct tl_xtrace_violation *v)
{
	tl_put_text(out, v->rule);
	if (v->offset != TL_NOWHERE)
		tl_put_format(out, " offset 0x%" PRIx64, v->offset);
	if (v->record != TL_NOWHERE)
		tl_put_format(out, " record %" PRIu64, v->record);
	tl_put_format(out, " thread %" PRIu64, v->id);
	if (v->pc != TL_NOWHERE)
		tl_put_format(out, " pc 0x%" PRIx64, v->pc);
	tl_put_format(out, ": %s", v->text);
	if (v->expected)
		tl_put_format(out, "; expected: %s", v->expected);
	tl_put_text(out, "\n");
}

static int put_violation(void *arg, const struct tl_xtrace_violation *v)
{
	struct listing *to = arg;

	if (to->id != TL_NOWHERE && to->id != v->id)
		return 0;
	to->count += !v->note;
	(to->json ? put_violation_json : put_violation_text)(to->out, v);
	return tl_output_failed(to->out);
}

int64_t tl_xtrace_list_violations(struct tl_xtrace_trace *trace,
				  const struct tl_xtrace_select *select, bool json,
				  struct tl_output *out, struct tl_error *err)
{
	struct listing to = { .out = out, .json = json, .id = select->id };
	int64_t found = tl_xtrace_check(trace, put_violation, &to, err);

	if (found < 0)
		return found;
	return to.count;
}

/* ---- rules ---- */

enum { MOST_RULES = 64 };

struct rule_counts {
	uint64_t id; /* as in struct listing */
	int64_t count, of_rules[MOST_RULES];
};

static int count_violation(void *arg, const struct tl_xtrace_violation *v)
{
	struct rule_counts *counts = arg;
	const struct tl_xtrace_rule *rule;

	if (v->note || (counts->id != TL_NOWHERE && counts->id != v->id))
		return 0;
	counts->count++;
	for (size_t i = 0; i < MOST_RULES && (rule = tl_xtrace_check_rule(i)); i++)
		if (!strcmp(rule->rule, v->rule))
			counts->of_rules[i]++;
	return 0;
}

static void put_rule_json(struct tl_output *out, const struct tl_xtrace_rule *rule, int64_t count)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, rule->rule, strlen(rule->rule));
	tl_put_format(out, ",\"violations\":%" PRId64 ",\"section\":", count);
	tl_put_json(out, rule->section, strlen(rule->section));
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, rule->text, strlen(rule->text));
	tl_put_text(out, "}\n");
}

/* The last column is wrapped, so that lines have 80 columns at most. */
static void put_rule(struct tl_output *out, const struct tl_xtrace_rule *rule, int64_t count)
{
	enum { TEXT = 49, WIDTH = 80 };
	size_t column = TEXT;

	tl_put_format(out, "%8" PRId64 " %-29s %-9s ", count, rule->rule, rule->section);
	for (const char *text = rule->text; *text;) {
		const size_t word = strcspn(text, " ");

		if (column > TEXT && column + 1 + word > WIDTH) {
			tl_put_format(out, "\n%*s", TEXT, "");
			column = TEXT;
		} else if (column > TEXT) {
			tl_put_char(out, ' ');
			column++;
		}
		tl_put_bytes(out, text, word);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	tl_put_char(out, '\n');
}

int64_t tl_xtrace_list_rules(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			     bool json, struct tl_output *out, struct tl_error *err)
{
	struct rule_counts counts = { .id = select->id };
	int64_t found = tl_xtrace_check(trace, count_violation, &counts, err);
	const struct tl_xtrace_rule *rule;

	if (found < 0)
		return found;
	for (size_t i = 0; i < MOST_RULES && (rule = tl_xtrace_check_rule(i)); i++)
		if (json)
			put_rule_json(out, rule, counts.of_rules[i]);
		else
			put_rule(out, rule, counts.of_rules[i]);
	return counts.count;
}
