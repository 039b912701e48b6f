/* SPDX-License-Identifier: Apache-2.0 */
/* XRay traces as an input: options to the room's own, its records to lines and profiles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "open/format.h"
#include "open/xray.h"
#include "xray/fold.h"

static void close_xray(struct tl_input *input)
{
	struct xray_input *x = input->handle;

	tl_xray_close(x->reader);
	tl_xray_map_close(x->map);
	free(x);
	input->handle = NULL;
}

/* Names: the YAML map, or the first binary; *failed is the file that is to blame. */
static int open_map(struct xray_input *x, const struct tl_input_options *options, const char **failed,
		    struct tl_error *err)
{
	const char *before = *failed;
	int status = 0;

	if (options->map) {
		*failed = options->map;
		status = tl_xray_map_open_yaml(&x->map, options->map, err);
	} else if (options->binary_count) {
		*failed = options->binaries[0].path;
		status = tl_xray_map_open(&x->map, options->binaries[0].path, options->binaries[0].address,
					  !options->raw_names, err);
	}
	if (status == 0)
		*failed = before;
	return status;
}

static int open_reader(struct tl_input *input, struct xray_input *x, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	struct tl_xray_options options = {
		.size = sizeof(options), .strict = o->strict, .tid16 = o->tid16,
		.order = o->file_order ? TL_XRAY_FILE_ORDER : TL_XRAY_TIME_ORDER,
	};

	if (o->bit_order && !strcmp(o->bit_order, "low"))
		options.bit_order = TL_XRAY_BITS_LOW;
	else if (o->bit_order && !strcmp(o->bit_order, "high"))
		options.bit_order = TL_XRAY_BITS_HIGH;
	else if (o->bit_order)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a bit order is low or high");
	return tl_xray_open(&x->reader, input->source, &options, err);
}

/* Seconds from the first record on to absolute ticks. */
static uint64_t ticks_at(const struct xray_input *x, double seconds)
{
	double ticks = seconds * (double)tl_xray_info(x->reader)->frequency;
	uint64_t first = tl_xray_first_tsc(x->reader);

	return ticks >= (double)(UINT64_MAX - first) ? UINT64_MAX : first + (uint64_t)(ticks + 0.5);
}

static int set_limits(const struct tl_input_options *o, struct xray_input *x, struct tl_error *err)
{
	x->limits = (struct tl_xray_fold_options){
		.size = sizeof(x->limits), .thread = o->thread, .process = o->process, .cpu = o->cpu,
		.jobs = o->jobs, .exact = o->exact, .per_thread = o->per_thread,
	};
	if (o->from_seconds <= 0 && o->to_seconds <= 0)
		return 0;
	if (!tl_xray_info(x->reader)->frequency)
		return tl_error_at(err, TL_BAD_USAGE, 8, "the trace does not say how long a tick is, so no time window");
	if (o->from_seconds > 0)
		x->limits.from_ticks = ticks_at(x, o->from_seconds);
	if (o->to_seconds > 0)
		x->limits.to_ticks = ticks_at(x, o->to_seconds);
	return 0;
}

static int open_xray(struct tl_input *input, const char *const *paths, size_t path_count, const char **failed,
		     struct tl_error *err)
{
	struct xray_input *x = calloc(1, sizeof(*x));
	int status;

	(void)paths;
	(void)path_count;
	if (!x)
		return tl_error_memory(err);
	input->handle = x;
	status = open_reader(input, x, err);
	if (status == 0)
		status = set_limits(&input->options, x, err);
	if (status == 0)
		status = open_map(x, &input->options, failed, err);
	return status;
}

static int fold_xray(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct xray_input *x = input->handle;

	return tl_xray_fold(x->reader, x->map, &x->limits, profile, err);
}

static int describe_xray(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct xray_input *x = input->handle;

	return tl_xray_describe(x->reader, json, out, err);
}

int tl_xray_input_select(struct tl_input *input, struct xray_select *select, struct tl_error *err)
{
	struct xray_input *x = input->handle;

	select->limits = x->limits;
	return tl_xray_names_begin(&select->names, x->map, input->options.function, input->options.object, err);
}

static int dump_xray(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct xray_input *x = input->handle;
	struct xray_select select;
	int status = tl_xray_input_select(input, &select, err);

	if (status < 0)
		return status;
	status = tl_xray_dump(x->reader, &select, json, out, err);
	tl_xray_names_end(&select.names);
	return status;
}

/* ---- check ---- */

struct violations {
	struct tl_output *out;
	bool json;
};

static void number_or_null(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	if (value == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, value);
}

static int put_violation(void *arg, const struct tl_xray_violation *v)
{
	struct violations *to = arg;

	if (to->json) {
		tl_put_text(to->out, "{\"rule\":");
		tl_put_json(to->out, v->rule, strlen(v->rule));
		number_or_null(to->out, ",\"offset\":", v->offset);
		number_or_null(to->out, ",\"record\":", v->record);
		tl_put_text(to->out, ",\"thread\":");
		tl_put_i64(to->out, v->thread);
		number_or_null(to->out, ",\"function\":", v->function == TL_NONE ? TL_NOWHERE : v->function);
		tl_put_text(to->out, ",\"text\":");
		tl_put_json(to->out, v->text, strlen(v->text));
		tl_put_text(to->out, "}\n");
		return tl_output_failed(to->out);
	}
	tl_put_format(to->out, "%s offset 0x%" PRIx64, v->rule, v->offset);
	if (v->record != TL_NOWHERE)
		tl_put_format(to->out, " record %" PRIu64, v->record);
	if (v->thread)
		tl_put_format(to->out, " thread %" PRIi32, v->thread);
	if (v->function != TL_NONE)
		tl_put_format(to->out, " function %" PRIu32, v->function);
	tl_put_format(to->out, ": %s\n", v->text);
	return tl_output_failed(to->out);
}

static int64_t check_xray(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct xray_input *x = input->handle;
	struct violations to = { out, json };

	return tl_xray_check(x->reader, put_violation, &to, err);
}

/* ---- re-encoding ---- */

static const struct {
	const char *name;
	enum tl_xray_mode mode;
	uint16_t version;
} variants[] = {
	{ "5", TL_XRAY_FDR, 5 },   { "4", TL_XRAY_FDR, 4 },         { "3", TL_XRAY_FDR, 3 },
	{ "2", TL_XRAY_FDR, 2 },   { "1", TL_XRAY_FDR, 1 },         { "basic", TL_XRAY_BASIC, 3 },
	{ "basic-3", TL_XRAY_BASIC, 3 }, { "basic-2", TL_XRAY_BASIC, 2 }, { "basic-1", TL_XRAY_BASIC, 1 },
};

/* What a version 1 file says when the source has no buffers: the runtime's default. */
enum { DEFAULT_BUFFER_BYTES = 16384 };

static int reencode_xray(struct tl_input *input, const char *variant, struct tl_output *out, struct tl_error *err)
{
	struct xray_input *x = input->handle;
	const struct tl_xray_info *info = tl_xray_info(x->reader);
	struct tl_xray_writer_options options = {
		.size = sizeof(options), .constant_tsc = info->constant_tsc, .nonstop_tsc = info->nonstop_tsc,
		.frequency = info->frequency,
		.buffer_size = info->mode == TL_XRAY_FDR ? info->buffer_size : DEFAULT_BUFFER_BYTES,
	};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (!strcmp(variants[i].name, variant ? variant : "5")) {
			options.mode = variants[i].mode;
			options.version = variants[i].version;
			return tl_xray_convert(x->reader, out, &options, err);
		}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "an XRay trace is written as version 1 to 5, or basic, basic-1, basic-2, basic-3");
}

/* ---- damage ---- */

static size_t damage_xray(struct tl_input *input, struct tl_damage *places, size_t room, uint64_t *count,
			  uint64_t *skipped_bytes)
{
	struct xray_input *x = input->handle;
	size_t listed;
	const struct tl_xray_fault *faults = tl_xray_faults(x->reader, &listed, count, skipped_bytes);

	if (listed > room)
		listed = room;
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = faults[i].status, .text = faults[i].text, .offset = faults[i].offset,
			.length = faults[i].length, .record = faults[i].record,
		};
	return listed;
}

const struct tl_format tl_xray_format = {
	.info = TL_XRAY_INFO,
	.probe = tl_xray_probe,
	.open = open_xray,
	.close = close_xray,
	.fold = fold_xray,
	.describe = describe_xray,
	.dump = dump_xray,
	.check = check_xray,
	.timeline = tl_xray_input_timeline,
	.reencode = reencode_xray,
	.damage = damage_xray,
};
