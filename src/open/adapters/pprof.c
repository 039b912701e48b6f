/* SPDX-License-Identifier: Apache-2.0 */
/* pprof profiles as an input: one file, one profile. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "export/gzip.h"
#include "open/fault_damage.h"
#include "open/format.h"
#include "open/input.h"
#include "pprof/profile/fold.h"
#include "pprof/listing/listing.h"
#include "pprof/listing/rewrite.h"

struct pprof_input {
	struct tl_pprof_file p; /* of the last call: what it met is damage */
	struct tl_pprof_binary *binaries;
};

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	const struct tl_input_filter *f = &o->filter;

	if (f->cpu == TL_NOWHERE && f->from_seconds <= 0 && f->to_seconds <= 0)
		return 0;
	return tl_error_format(err, "pprof",
			       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "a pprof profile has no times and no processors to "
					   "choose by"));
}

static int open_pprof(struct tl_input *input, const char *const *paths, size_t path_count,
		      const char **failed, struct tl_error *err)
{
	struct pprof_input *in = calloc(1, sizeof(*in));
	const struct tl_input_programs *programs = &input->options.programs;

	(void)paths;
	(void)path_count;
	(void)failed;
	if (!in)
		return tl_error_memory(err);
	input->handle = in;
	in->p.faults.strict = input->options.strict;
	in->binaries = calloc(programs->binary_count + 1, sizeof(*in->binaries));
	if (!in->binaries)
		return tl_error_memory(err);
	for (size_t i = 0; i < programs->binary_count; i++)
		in->binaries[i] = (struct tl_pprof_binary){ programs->binaries[i].path,
							    programs->binaries[i].address };
	return check_options(&input->options, err);
}

static void close_pprof(struct tl_input *input)
{
	struct pprof_input *in = input->handle;

	tl_pprof_close(&in->p);
	free(in->binaries);
	free(in);
	input->handle = NULL;
}

/* Read the tables. With `lines`, each fault is told from the first one on. */
static int begin(struct tl_input *input, struct tl_fault_lines *lines, bool json,
		 struct tl_output *out, struct tl_error *err)
{
	struct pprof_input *in = input->handle;
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(input->source, &data, &size, err);

	tl_pprof_close(&in->p);
	if (lines)
		tl_fault_lines_begin(lines, &in->p.faults, json, out);
	if (status < 0)
		return status;
	return tl_pprof_open(&in->p, data, size, err);
}

static struct tl_pprof_fold_options fold_options(const struct tl_input *input)
{
	const struct tl_input_options *o = &input->options;
	const struct pprof_input *in = input->handle;

	return (struct tl_pprof_fold_options){
		.thread = o->filter.thread,
		.process = o->filter.process,
		.labels = o->labels,
		.label_count = o->label_count,
		.binaries = in->binaries,
		.binary_count = o->programs.binary_count,
		.sysroot = o->programs.sysroot,
		.debuginfod = o->programs.debuginfod,
		.raw_names = o->raw_names,
		.lines = o->detail == TL_DETAIL_LINES,
		.sums_alone = tl_input_sums_alone(o),
		.per_thread = o->per_thread,
		.source = input->source,
	};
}

/* ---- operations ---- */

static int fold_pprof(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	const struct tl_pprof_fold_options options = fold_options(input);
	struct pprof_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	*profile = NULL;
	if (status < 0)
		return status;
	return tl_pprof_fold(&in->p, &options, profile, err);
}

static int describe_pprof(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	struct pprof_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	if (status < 0)
		return status;
	return tl_pprof_describe(&in->p, json, out, err);
}

static int dump_pprof(struct tl_input *input, bool json, struct tl_output *out,
		      struct tl_error *err)
{
	struct pprof_input *in = input->handle;
	int status = begin(input, NULL, false, NULL, err);

	if (status < 0)
		return status;
	return tl_pprof_dump(&in->p, json, out, err);
}

/* What folding meets is what a file can be wrong in. */
static int64_t check_pprof(struct tl_input *input, bool json, struct tl_output *out,
			   struct tl_error *err)
{
	const struct tl_pprof_fold_options options = fold_options(input);
	struct pprof_input *in = input->handle;
	struct tl_profile *profile = NULL;
	struct tl_fault_lines lines;
	int status = begin(input, &lines, json, out, err);

	if (status == 0)
		status = tl_pprof_fold(&in->p, &options, &profile, err);
	tl_profile_free(profile);
	in->p.faults.tell = NULL;
	if (status < 0)
		return status;
	return lines.told;
}

static void put_bytes(void *arg, const void *data, size_t size)
{
	tl_gzip_put(arg, data, size);
}

static int reencode_pprof(struct tl_input *input, const char *variant, struct tl_output *out,
			  struct tl_error *err)
{
	const struct tl_pprof_fold_options options = fold_options(input);
	struct pprof_input *in = input->handle;
	struct tl_gzip gzip = { .used = 0 };
	int status;

	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the pprof format has no versions to choose from");
	status = begin(input, NULL, false, NULL, err);
	if (status < 0)
		return status;
	if (!tl_gzip_begin(&gzip, out))
		return tl_error_memory(err);
	status = tl_pprof_rewrite(&in->p, &options, put_bytes, &gzip, err);
	tl_gzip_end(&gzip);
	return status;
}

static size_t damage_pprof(struct tl_input *input, struct tl_damage *places, size_t room,
			   uint64_t *count, uint64_t *skipped_bytes)
{
	const struct pprof_input *in = input->handle;

	return tl_fault_damage(&in->p.faults, places, room, count, skipped_bytes);
}

const struct tl_format tl_pprof_format = {
	.info = {
		.name = "pprof",
		.help = "pprof profiles (Go, Rust, Java, ...): cpu, heap, mutex and others",
		.record_word = "sample",
		.rewrites_exactly = true,
		.written = true,
	},
	.probe = tl_pprof_probe,
	.explain_other = tl_pprof_explain_older,
	.open = open_pprof,
	.close = close_pprof,
	.fold = fold_pprof,
	.describe = describe_pprof,
	.dump = dump_pprof,
	.check = check_pprof,
	.reencode = reencode_pprof,
	.damage = damage_pprof,
};
