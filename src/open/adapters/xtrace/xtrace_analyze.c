/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses of xtrace, and its records in the formats of others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "open/adapters/xtrace/xtrace.h"
#include "xtrace/analyze/analyze.h"
#include "xtrace/convert/convert.h"

const char *tl_default_caches(void)
{
	return tl_xtrace_cache_default;
}

/* ---- what is needed beside the trace ---- */

const char *tl_default_predictors(void)
{
	return tl_xtrace_predictor_default;
}

struct opened {
	struct tl_source *caches_source, *predictors_source;
	struct tl_xtrace_cache_config caches;
	struct tl_xtrace_predictor_config predictors;
};

/* The text of a description: a file's, or the usual one. */
static int read_text(struct tl_source **source, const char *path, const char *usual,
		     const char **text, size_t *size, struct tl_error *err)
{
	const uint8_t *data;
	int status;

	if (!path) {
		*text = usual;
		*size = strlen(usual);
		return 0;
	}
	status = tl_source_open(source, path, NULL, err);
	if (status == 0)
		status = tl_source_map(*source, &data, size, err);
	if (status == 0)
		*text = (const char *)data;
	return status;
}

static int read_caches(struct opened *o, const char *path, const char **failed,
		       struct tl_error *err)
{
	const char *text;
	size_t size;
	int status = read_text(&o->caches_source, path, tl_xtrace_cache_default, &text, &size, err);

	if (status == 0)
		status = tl_xtrace_cache_parse(&o->caches, text, size, err);
	if (status < 0)
		*failed = path;
	return status;
}

static int read_predictors(struct opened *o, const char *path, const char **failed,
			   struct tl_error *err)
{
	const char *text;
	size_t size;
	int status = read_text(&o->predictors_source, path, tl_xtrace_predictor_default, &text,
			       &size, err);

	if (status == 0)
		status = tl_xtrace_predictor_parse(&o->predictors, text, size, err);
	if (status < 0)
		*failed = path;
	return status;
}

/* ---- analyses ---- */

static const struct {
	unsigned wish, what;
} whats[] = {
	{ TL_ANALYZE_MIX, TL_XTRACE_ANALYZE_MIX },
	{ TL_ANALYZE_FOOTPRINT, TL_XTRACE_ANALYZE_FOOTPRINT },
	{ TL_ANALYZE_REUSE, TL_XTRACE_ANALYZE_REUSE },
	{ TL_ANALYZE_CACHE, TL_XTRACE_ANALYZE_CACHE },
	{ TL_ANALYZE_SYSCALLS, TL_XTRACE_ANALYZE_SYSCALLS },
	{ TL_ANALYZE_BLOCKS, TL_XTRACE_ANALYZE_BLOCKS },
	{ TL_ANALYZE_BBV, TL_XTRACE_ANALYZE_BBV },
	{ TL_ANALYZE_BRANCHES, TL_XTRACE_ANALYZE_BRANCHES },
	{ TL_ANALYZE_SHARING, TL_XTRACE_ANALYZE_SHARING },
	{ TL_ANALYZE_DEPENDENCES, TL_XTRACE_ANALYZE_DEPENDENCES },
};

static unsigned what_of(unsigned wishes)
{
	unsigned what = 0;

	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++)
		if (wishes & whats[i].wish)
			what |= whats[i].what;
	return what;
}

static int check_wishes(const struct tl_analysis *analysis, unsigned wishes, struct tl_error *err)
{
	bool several = wishes & (wishes - 1);

	if (several && wishes & TL_ANALYZE_BBV)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "basic-block vectors go with no other analysis");
	/* That of intervals is of all analyses. */
	if (several && analysis->form == TL_REPORT_CSV && !analysis->interval)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "CSV is one table: choose one analysis");
	return 0;
}

static enum tl_xtrace_table_form form_of(enum tl_report_form form)
{
	if (form == TL_REPORT_JSON)
		return TL_XTRACE_JSON;
	return form == TL_REPORT_CSV ? TL_XTRACE_CSV : TL_XTRACE_TEXT;
}

static int run(struct tl_input *input, const struct tl_analysis *analysis, unsigned wishes,
	       struct opened *o, struct tl_output *out, const char **failed, struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	struct tl_xtrace_analysis_options to = {
		.analyses = what_of(wishes),
		.form = form_of(analysis->form),
		.interval = analysis->interval,
		.together = analysis->together,
		.line = analysis->line,
		.page = analysis->page,
		.top = analysis->top,
		.width = analysis->width,
		.jobs = input->options.jobs,
		.warmup = analysis->warmup,
		.caches = &o->caches,
		.predictors = &o->predictors,
	};
	int status = tl_xtrace_input_select_timed(input, &select, err);

	if (status == 0 && wishes & TL_ANALYZE_CACHE)
		status = read_caches(o, analysis->caches, failed, err);
	if (status == 0 && wishes & TL_ANALYZE_BRANCHES)
		status = read_predictors(o, analysis->predictors, failed, err);
	if (status < 0)
		return status;
	to.thread = select.id;
	to.part = tl_xtrace_input_part(&analysis->instructions, &analysis->snapshots,
				       analysis->level, &select);
	to.binaries = x->binaries;
	to.binary_count = x->binary_count;
	return tl_xtrace_analyze(x->trace, &to, out, err);
}

int tl_xtrace_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
			    struct tl_output *out, const char **failed, struct tl_error *err)
{
	unsigned wishes = analysis->analyses ? analysis->analyses
					     : TL_ANALYZE_MIX | TL_ANALYZE_FOOTPRINT |
						       TL_ANALYZE_REUSE | TL_ANALYZE_CACHE;
	struct opened opened = { 0 };
	int status = check_wishes(analysis, wishes, err);

	if (status == 0)
		status = run(input, analysis, wishes, &opened, out, failed, err);
	tl_source_close(opened.caches_source);
	tl_source_close(opened.predictors_source);
	return status;
}

/* Tables of what there is not are empty, which is to be said. */
static const char *find_lacking(bool has_accesses, unsigned analyses)
{
	const unsigned data = TL_ANALYZE_FOOTPRINT | TL_ANALYZE_REUSE | TL_ANALYZE_CACHE |
			      TL_ANALYZE_SHARING | TL_ANALYZE_DEPENDENCES;

	if (analyses & TL_ANALYZE_SYSCALLS)
		return "the trace has no arguments and results of system calls";
	if (!has_accesses && (!analyses || analyses & data))
		return "the trace does not say which memory was accessed: of data nothing is "
		       "counted";
	return NULL;
}

int tl_xtrace_input_analyze_log(struct tl_input *input, const struct tl_analysis *analysis,
				bool has_accesses, struct tl_output *out, const char **failed,
				struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;

	x->lacking = find_lacking(has_accesses, analysis->analyses);
	if (x->lacking && input->options.strict)
		return tl_error_format(err, input->format->info.name,
				       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, x->lacking));
	return tl_xtrace_input_analyze(input, analysis, out, failed, err);
}

/* ---- intervals of simulation points ---- */

struct located {
	tl_simpoint_found_fn *fn;
	void *arg;
};

static uint64_t snapshot_number(uint32_t snapshot)
{
	return snapshot == TL_NONE ? TL_NOWHERE : snapshot;
}

static void take_interval(void *arg, const struct tl_xtrace_interval *interval)
{
	const struct located *l = arg;
	struct tl_simpoint point = {
		.interval = interval->number,
		.thread = interval->thread,
		.first = interval->first,
		.end = interval->end,
		.begin = interval->begin,
		.snapshot = snapshot_number(interval->snapshot),
		.end_snapshot = snapshot_number(interval->end_snapshot),
	};

	/* A stream whose name says of nothing is a thread's. */
	snprintf(point.member, sizeof(point.member), "%" PRIu64 ".hint%d", interval->thread,
		 interval->hint == 13 ? 13 : 9);
	l->fn(l->arg, &point);
}

int tl_xtrace_input_locate(struct tl_input *input, const struct tl_simpoint_options *options,
			   tl_simpoint_found_fn *fn, void *arg, struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct located located = { fn, arg };
	struct tl_xtrace_analysis_options to = { .interval = options->interval,
						 .together = options->together };
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	to.thread = select.id;
	if (status == 0)
		status = tl_xtrace_each_interval(x->trace, &to, options->warmup, take_interval,
						 &located, err);
	return status;
}

/* ---- records in other formats ---- */

static int write_bbv(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	const struct tl_analysis analysis = { .size = sizeof(analysis),
					      .analyses = TL_ANALYZE_BBV };
	const char *failed = NULL;

	return tl_xtrace_input_analyze(input, &analysis, out, &failed, err);
}

typedef int write_fn(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
		     struct tl_error *err);

static int write_one(struct tl_input *input, write_fn *write, struct tl_output *out,
		     struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	uint32_t stream;
	int status = tl_xtrace_input_select(input, &select, err);

	if (status == 0)
		status = tl_xtrace_one_stream(x->trace, select.id, &stream, err);
	if (status < 0)
		return status;
	return write(x->trace, stream, out, err);
}

static int write_tarmac(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return write_one(input, tl_xtrace_to_tarmac, out, err);
}

static int write_champsim(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return write_one(input, tl_xtrace_to_champsim, out, err);
}

/* Lines say their thread: all of them may be in one file. */
static int write_jsonl(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_input *x = input->handle;
	struct tl_xtrace_select select;
	int status = tl_xtrace_input_select(input, &select, err);

	for (uint32_t i = 0; status == 0 && i < tl_xtrace_stream_count(x->trace); i++)
		if (select.id == TL_NOWHERE || select.id == tl_xtrace_stream(x->trace, i)->id)
			status = tl_xtrace_to_jsonl(x->trace, i, out, err);
	return status;
}

const struct tl_conversion tl_xtrace_conversions[] = {
	{ { "tarmac", "instructions, registers and accesses as Arm's Tarmac (text)" },
	  write_tarmac },
	{ { "champsim", "instructions as ChampSim reads them (64 bytes each)" }, write_champsim },
	{ { "bbv", "basic-block vectors as SimPoint reads them (`analyze --bbv`)" }, write_bbv },
	{ { "jsonl", "instructions with their accesses, one JSON object a line" }, write_jsonl },
	{ { NULL, NULL }, NULL },
};
