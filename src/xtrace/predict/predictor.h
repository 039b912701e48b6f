/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PREDICTOR_H
#define TL_XTRACE_PREDICTOR_H
/*
 * Branch predictors, simulated: docs/analyze.md, "--branches", says how each of them works. They
 * see branches in the order of execution, each when it is known where it led.
 */
#include <tracelathe/core.h>

enum { TL_XTRACE_PREDICTORS = 16, TL_XTRACE_PREDICTOR_NAME = 32, TL_XTRACE_TAGE_TABLES = 16 };

enum tl_xtrace_predictor_kind {
	TL_XTRACE_BIMODAL, /* these three: the direction of conditional branches */
	TL_XTRACE_GSHARE,
	TL_XTRACE_TAGE,
	TL_XTRACE_BTB,   /* targets of taken branches but returns */
	TL_XTRACE_STACK, /* targets of returns */
	TL_XTRACE_PREDICTOR_KINDS,
};

/* A line of the configuration. What a kind does not have is 0. */
struct tl_xtrace_predictor_spec {
	char name[TL_XTRACE_PREDICTOR_NAME];
	enum tl_xtrace_predictor_kind kind;
	uint32_t entries; /* counters; of TAGE: of a table; of a BTB: branches; of a stack: depth */
	uint32_t ways;    /* BTB */
	uint32_t history; /* branches; of TAGE: those that the last table sees */
	uint32_t tables;  /* TAGE: tables with tags */
	uint32_t base;    /* TAGE: counters without tags */
};

struct tl_xtrace_predictor_config {
	struct tl_xtrace_predictor_spec specs[TL_XTRACE_PREDICTORS];
	uint32_t count;
};

/* predictor_config.c: the text of docs/analyze.md. The offset of an error is that of its line. */
int tl_xtrace_predictor_parse(struct tl_xtrace_predictor_config *config, const char *text,
			      size_t size, struct tl_error *err);
/* The text of the default one. */
extern const char tl_xtrace_predictor_default[];
/* "bimodal", ... */
const char *tl_xtrace_predictor_kind_name(enum tl_xtrace_predictor_kind kind);

/* A branch that was executed. */
struct tl_xtrace_branch {
	uint64_t pc, target;
	bool conditional, call, returns;
	bool taken;
};

/* A core's predictors. Zero-filled is none. */
struct tl_xtrace_predictors {
	const struct tl_xtrace_predictor_config *config;
	struct tl_xtrace_predictor *list;
};

bool tl_xtrace_predictors_begin(struct tl_xtrace_predictors *predictors,
				const struct tl_xtrace_predictor_config *config);
void tl_xtrace_predictors_end(struct tl_xtrace_predictors *predictors);

/* What the predictors say of a branch: bits by their numbers. */
struct tl_xtrace_predicted {
	uint32_t asked;  /* those that predict such branches */
	uint32_t missed; /* those of them that were wrong */
};

/* Predict a branch, and learn from it. */
struct tl_xtrace_predicted tl_xtrace_predict(struct tl_xtrace_predictors *predictors,
					     const struct tl_xtrace_branch *branch);

#endif
