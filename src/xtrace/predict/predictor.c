/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/predict/predictor.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "xtrace/predict/tage.h"

struct btb_entry {
	uint64_t pc, target;
	bool valid;
};

struct tl_xtrace_predictor {
	uint8_t *counters; /* of two bits: 2 and above is taken */
	uint64_t history;  /* gshare: the youngest branch is bit 0 */
	struct tl_xtrace_tage *tage;
	struct btb_entry *btb; /* set by set, the most recent first */
	uint64_t *stack;
	uint64_t depth; /* calls that did not return; the stack holds the last of them */
};

/* ---- directions ---- */

static bool learn_counter(uint8_t *counter, bool taken)
{
	bool said = *counter >= 2;

	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter)
		--*counter;
	return said == taken;
}

static bool predict_bimodal(struct tl_xtrace_predictor *p,
			    const struct tl_xtrace_predictor_spec *spec,
			    const struct tl_xtrace_branch *branch)
{
	return learn_counter(&p->counters[(branch->pc >> 2) & (spec->entries - 1)], branch->taken);
}

static bool predict_gshare(struct tl_xtrace_predictor *p,
			   const struct tl_xtrace_predictor_spec *spec,
			   const struct tl_xtrace_branch *branch)
{
	uint64_t kept = spec->history < 64 ? (UINT64_C(1) << spec->history) - 1 : UINT64_MAX;
	uint64_t index = branch->pc >> 2 ^ (p->history & kept);
	bool right = learn_counter(&p->counters[index & (spec->entries - 1)], branch->taken);

	p->history = p->history << 1 | branch->taken;
	return right;
}

static bool predict_tage(struct tl_xtrace_predictor *p, const struct tl_xtrace_predictor_spec *spec,
			 const struct tl_xtrace_branch *branch)
{
	(void)spec;
	return tl_xtrace_tage_predict(p->tage, branch->pc, branch->taken);
}

/* ---- targets ---- */

static bool predict_btb(struct tl_xtrace_predictor *p, const struct tl_xtrace_predictor_spec *spec,
			const struct tl_xtrace_branch *branch)
{
	uint32_t sets = spec->entries / spec->ways, at = 0;
	struct btb_entry *set = &p->btb[(branch->pc >> 2) % sets * spec->ways];
	bool right;

	while (at < spec->ways - 1 && !(set[at].valid && set[at].pc == branch->pc))
		at++;
	right = set[at].valid && set[at].pc == branch->pc && set[at].target == branch->target;
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = (struct btb_entry){ branch->pc, branch->target, true };
	return right;
}

/* What was called too deep is forgotten, the oldest first. */
static void push_call(struct tl_xtrace_predictor *p, const struct tl_xtrace_predictor_spec *spec,
		      uint64_t pc)
{
	memmove(p->stack + 1, p->stack, (spec->entries - 1) * sizeof(*p->stack));
	p->stack[0] = pc + 4;
	p->depth += p->depth < spec->entries;
}

static bool predict_stack(struct tl_xtrace_predictor *p,
			  const struct tl_xtrace_predictor_spec *spec,
			  const struct tl_xtrace_branch *branch)
{
	bool right = p->depth && p->stack[0] == branch->target;

	if (p->depth) {
		memmove(p->stack, p->stack + 1, (spec->entries - 1) * sizeof(*p->stack));
		p->depth--;
	}
	return right;
}

/* ---- all of them ---- */

static const struct {
	const char *name;
	bool (*predict)(struct tl_xtrace_predictor *p, const struct tl_xtrace_predictor_spec *spec,
			const struct tl_xtrace_branch *branch);
} kinds[] = {
	[TL_XTRACE_BIMODAL] = { "bimodal", predict_bimodal },
	[TL_XTRACE_GSHARE] = { "gshare", predict_gshare },
	[TL_XTRACE_TAGE] = { "tage", predict_tage },
	[TL_XTRACE_BTB] = { "btb", predict_btb },
	[TL_XTRACE_STACK] = { "stack", predict_stack },
};

const char *tl_xtrace_predictor_kind_name(enum tl_xtrace_predictor_kind kind)
{
	return kinds[kind].name;
}

static bool predicts(enum tl_xtrace_predictor_kind kind, const struct tl_xtrace_branch *branch)
{
	if (kind == TL_XTRACE_BTB)
		return branch->taken && !branch->returns;
	return kind == TL_XTRACE_STACK ? branch->returns : branch->conditional;
}

struct tl_xtrace_predicted tl_xtrace_predict(struct tl_xtrace_predictors *predictors,
					     const struct tl_xtrace_branch *branch)
{
	struct tl_xtrace_predicted said = { 0 };

	for (uint32_t i = 0; i < predictors->config->count; i++) {
		const struct tl_xtrace_predictor_spec *spec = &predictors->config->specs[i];

		if (spec->kind == TL_XTRACE_STACK && branch->call)
			push_call(&predictors->list[i], spec, branch->pc);
		if (!predicts(spec->kind, branch))
			continue;
		said.asked |= UINT32_C(1) << i;
		if (!kinds[spec->kind].predict(&predictors->list[i], spec, branch))
			said.missed |= UINT32_C(1) << i;
	}
	return said;
}

/* ---- beginning and end ---- */

static bool make(struct tl_xtrace_predictor *p, const struct tl_xtrace_predictor_spec *spec)
{
	switch (spec->kind) {
	case TL_XTRACE_TAGE:
		p->tage = tl_xtrace_tage_new(spec);
		return p->tage;
	case TL_XTRACE_BTB:
		p->btb = tl_zeroed(spec->entries, sizeof(*p->btb));
		return p->btb;
	case TL_XTRACE_STACK:
		p->stack = tl_zeroed(spec->entries, sizeof(*p->stack));
		return p->stack;
	default:
		p->counters = tl_zeroed(spec->entries, sizeof(*p->counters));
		if (p->counters)
			memset(p->counters, 1, spec->entries);
		return p->counters;
	}
}

bool tl_xtrace_predictors_begin(struct tl_xtrace_predictors *predictors,
				const struct tl_xtrace_predictor_config *config)
{
	bool good;

	predictors->config = config;
	predictors->list = tl_zeroed(config->count, sizeof(*predictors->list));
	good = predictors->list;
	for (uint32_t i = 0; good && i < config->count; i++)
		good = make(&predictors->list[i], &config->specs[i]);
	return good;
}

void tl_xtrace_predictors_end(struct tl_xtrace_predictors *predictors)
{
	for (uint32_t i = 0; predictors->list && i < predictors->config->count; i++) {
		free(predictors->list[i].counters);
		tl_xtrace_tage_free(predictors->list[i].tage);
		free(predictors->list[i].btb);
		free(predictors->list[i].stack);
	}
	free(predictors->list);
	*predictors = (struct tl_xtrace_predictors){ 0 };
}
