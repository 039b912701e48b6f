/* SPDX-License-Identifier: Apache-2.0 */
/* The text that describes predictors: a line each, a name, a kind and its settings. */
#include <string.h>

#include "core/error.h"
#include "xtrace/predict/config_text.h"
#include "xtrace/predict/predictor.h"

const char tl_xtrace_predictor_default[] = "BIM   bimodal entries=16K\n"
					   "GSH   gshare entries=16K history=14\n"
					   "TAGE  tage tables=6 entries=1K base=4K history=128\n"
					   "BTB   btb entries=2K ways=4\n"
					   "RAS   stack entries=16\n";

enum { MAX_ENTRIES = 1 << 26, MAX_STACK = 1024, MAX_GSHARE = 64, MAX_TAGE = 2048 };

/* Which settings a kind has, beside entries. */
static const struct {
	bool ways, history, tables;
} settings_of[TL_XTRACE_PREDICTOR_KINDS] = {
	[TL_XTRACE_GSHARE] = { .history = true },
	[TL_XTRACE_TAGE] = { .history = true, .tables = true },
	[TL_XTRACE_BTB] = { .ways = true },
};

/* ---- a setting ---- */

static const char *set_number(uint32_t *field, const char *value)
{
	uint64_t number;

	if (!tl_xtrace_config_size(value, &number) || number > MAX_ENTRIES)
		return "a number from 1 to 64M is needed, with K or M behind it if wished";
	*field = (uint32_t)number;
	return NULL;
}

static const char *set_value(struct tl_xtrace_predictor_spec *spec, const char *key,
			     const char *value)
{
	if (!strcmp(key, "entries"))
		return set_number(&spec->entries, value);
	if (!strcmp(key, "ways") && settings_of[spec->kind].ways)
		return set_number(&spec->ways, value);
	if (!strcmp(key, "history") && settings_of[spec->kind].history)
		return set_number(&spec->history, value);
	if (!strcmp(key, "tables") && settings_of[spec->kind].tables)
		return set_number(&spec->tables, value);
	if (!strcmp(key, "base") && settings_of[spec->kind].tables)
		return set_number(&spec->base, value);
	return "no setting of such a predictor: entries; ways of btb; history of gshare and tage; "
	       "tables and base of tage";
}

/* ---- a line ---- */

static bool is_power(uint32_t number)
{
	return number && !(number & (number - 1));
}

static const char *check_tage(struct tl_xtrace_predictor_spec *spec)
{
	if (!spec->base)
		spec->base = 4 * spec->entries;
	if (!spec->tables || spec->tables > TL_XTRACE_TAGE_TABLES || spec->entries < 2 ||
	    !is_power(spec->base))
		return "tage has 1 to 16 tables of two entries or more, and a base of a power of "
		       "two";
	return spec->history < 4 || spec->history > MAX_TAGE ? "tage has a history of 4 to 2048"
							     : NULL;
}

static const char *check(struct tl_xtrace_predictor_spec *spec)
{
	if (!spec->entries)
		return "a number of entries is needed";
	if (spec->kind == TL_XTRACE_STACK)
		return spec->entries > MAX_STACK ? "a stack has at most 1024 entries" : NULL;
	if (spec->kind == TL_XTRACE_BTB)
		return !spec->ways || spec->entries % spec->ways
			       ? "the entries of a btb are a multiple of its ways"
			       : NULL;
	if (!is_power(spec->entries))
		return "the number of entries is a power of two";
	if (spec->kind == TL_XTRACE_GSHARE)
		return !spec->history || spec->history > MAX_GSHARE
			       ? "gshare has a history of 1 to 64"
			       : NULL;
	return spec->kind == TL_XTRACE_TAGE ? check_tage(spec) : NULL;
}

static const char *take_kind(struct tl_xtrace_predictor_spec *spec, const char *word)
{
	for (unsigned kind = 0; word && kind < TL_XTRACE_PREDICTOR_KINDS; kind++)
		if (!strcmp(word, tl_xtrace_predictor_kind_name(kind))) {
			spec->kind = kind;
			return NULL;
		}
	return "a predictor is its name and its kind: bimodal, gshare, tage, btb or stack";
}

static const char *take_name(struct tl_xtrace_predictor_config *config, const char *name)
{
	struct tl_xtrace_predictor_spec *spec = &config->specs[config->count];

	if (config->count == TL_XTRACE_PREDICTORS)
		return "more than 16 predictors";
	if (strlen(name) >= TL_XTRACE_PREDICTOR_NAME)
		return "a name has 1 to 31 characters";
	for (uint32_t i = 0; i < config->count; i++)
		if (!strcmp(config->specs[i].name, name))
			return "this name was there already";
	*spec = (struct tl_xtrace_predictor_spec){ .ways = 0 };
	memcpy(spec->name, name, strlen(name) + 1);
	return NULL;
}

/* NULL, or what is wrong. */
static const char *parse_line(void *arg, char *line)
{
	struct tl_xtrace_predictor_config *config = arg;
	struct tl_xtrace_predictor_spec *spec = &config->specs[config->count];
	char *rest = line, *word;
	const char *wrong;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	if (!word)
		return NULL;
	wrong = take_name(config, word);
	if (!wrong)
		wrong = take_kind(spec, strtok_r(NULL, " \t\r", &rest));
	while (!wrong && (word = strtok_r(NULL, " \t\r", &rest))) {
		char *equals = strchr(word, '=');

		if (equals)
			*equals = '\0';
		wrong = set_value(spec, word, equals ? equals + 1 : "");
	}
	if (!wrong)
		wrong = check(spec);
	config->count += !wrong;
	return wrong;
}

int tl_xtrace_predictor_parse(struct tl_xtrace_predictor_config *config, const char *text,
			      size_t size, struct tl_error *err)
{
	int status;

	config->count = 0;
	status = tl_xtrace_config_lines(text, size, parse_line, config, err);
	if (status < 0)
		return status;
	return config->count ? 0 : tl_error_at(err, TL_BAD_FORMAT, 0, "no predictor is described");
}
