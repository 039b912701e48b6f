/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XRay traces as an input: options of the input to those of src/xray/, records to lines and
 * profiles.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/source.h"
#include "open/binaries.h"
#include "open/format.h"
#include "open/adapters/xray_input.h"
#include "open/input.h"
#include "profile/transform/nanoseconds.h"
#include "timeline/calls/stream.h"
#include "xray/calls/source.h"
#include "xray/profile/fold.h"
#include "xray/profile/share.h"
#include "xray/forks/forks.h"
#include "xray/map/map.h"
#include "xray/yaml/yaml_log.h"

static void close_xray(struct tl_input *input)
{
	struct tl_xray_input *x = input->handle;

	tl_xray_close(x->reader);
	tl_xray_maps_close(&x->maps);
	tl_xray_decoders_free(&x->decoders);
	tl_source_close(x->log_source);
	tl_output_discard(x->log);
	free(x);
	input->handle = NULL;
}

/* ---- YAML ---- */

static int probe_xray(const uint8_t *data, size_t size)
{
	int sure = tl_xray_probe(data, size);

	return sure ? sure : tl_xray_yaml_probe(data, size);
}

/* Records as YAML become a log in memory; what is wrong with them is told with it. */
static int open_log(struct tl_input *input, struct tl_xray_input *x, const uint8_t *data,
		    size_t size, const struct tl_xray_options *options, struct tl_error *err)
{
	struct tl_xray_faults faults = { .list = NULL };
	const char *bytes;
	int status = tl_xray_maps_named(&x->maps, tl_source_name(input->source), err);

	if (status == 0)
		status = tl_output_open_memory(&x->log, err);
	if (status == 0)
		status = tl_xray_yaml_read(data, size, options->strict, x->log, x->maps.list[0].map,
					   &faults, err);
	if (status == 0) {
		bytes = tl_output_bytes(x->log, &size);
		status = tl_source_open_memory(&x->log_source, bytes, size,
					       tl_source_name(input->source), err);
	}
	if (status == 0)
		status = tl_xray_open(&x->reader, x->log_source, options, err);
	if (status == 0)
		status = tl_xray_add_faults(x->reader, &faults, err);
	free(faults.list);
	return status;
}

static bool is_text(const uint8_t *data, size_t size)
{
	return !tl_xray_probe(data, size) && tl_xray_yaml_probe(data, size);
}

/* Records as text are a log in memory, which has no room where the text has none. */
static int refuse_text(const struct tl_source *source, size_t size, struct tl_error *err)
{
	struct tl_source_view head = { .data = NULL };
	int status = tl_source_view(source, &head, 0, tl_min(size, 4096), err);

	if (status == 0 && is_text(head.data, head.size))
		status = tl_error_memory(err);
	tl_source_view_end(&head);
	return status;
}

static int open_source(struct tl_input *input, struct tl_xray_input *x,
		       const struct tl_xray_options *options, struct tl_error *err)
{
	const uint8_t *data;
	size_t size;
	int status = tl_source_map_or_view(input->source, &data, &size, err);

	if (status == 0 && !data)
		status = refuse_text(input->source, size, err);
	else if (status == 0 && is_text(data, size))
		return tl_error_format(err, "xray", open_log(input, x, data, size, options, err));
	if (status < 0)
		return status;
	return tl_xray_open(&x->reader, input->source, options, err);
}

static int open_reader(struct tl_input *input, struct tl_xray_input *x, struct tl_error *err)
{
	static const enum tl_xray_bit_order orders[] = {
		[TL_BITS_DETECT] = TL_XRAY_BITS_DETECT,
		[TL_BITS_LOW] = TL_XRAY_BITS_LOW,
		[TL_BITS_HIGH] = TL_XRAY_BITS_HIGH,
	};
	const struct tl_input_options *o = &input->options;
	struct tl_xray_options options = {
		.size = sizeof(options),
		.strict = o->strict,
		.tid16 = o->xray.tid16,
		.order = o->file_order ? TL_XRAY_FILE_ORDER : TL_XRAY_TIME_ORDER,
	};

	if ((size_t)o->xray.bit_order >= sizeof(orders) / sizeof(orders[0]))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the order of the bits is none of enum tl_bit_order");
	options.bit_order = orders[o->xray.bit_order];
	return open_source(input, x, &options, err);
}

/* Absolute ticks of a number of seconds after the first record. */
static uint64_t ticks_at(const struct tl_xray_input *x, double seconds)
{
	return tl_ticks_behind(tl_xray_first_tsc(x->reader), seconds,
			       tl_xray_info(x->reader)->frequency);
}

static int set_limits(const struct tl_input_options *o, struct tl_xray_input *x,
		      struct tl_error *err)
{
	x->limits = (struct tl_xray_fold_options){
		.size = sizeof(x->limits),
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.jobs = o->jobs,
		.exact = o->exact,
		.per_thread = o->per_thread,
		.flat = o->detail == TL_DETAIL_TABLE || o->detail == TL_DETAIL_GRAPH,
		.arcs = o->detail == TL_DETAIL_GRAPH,
		.sums_alone = tl_input_sums_alone(o),
		.share = o->share,
		.shares = o->shares,
	};
	if (o->filter.from_seconds <= 0 && o->filter.to_seconds <= 0)
		return 0;
	if (!tl_xray_info(x->reader)->frequency)
		return tl_error_at(err, TL_BAD_USAGE, 8,
				   "the trace does not say how long a tick is, so a time window "
				   "cannot be applied");
	if (o->filter.from_seconds > 0)
		x->limits.from_ticks = ticks_at(x, o->filter.from_seconds);
	if (o->filter.to_seconds > 0)
		x->limits.to_ticks = ticks_at(x, o->filter.to_seconds);
	return 0;
}

static int open_xray(struct tl_input *input, const char *const *paths, size_t path_count,
		     const char **failed, struct tl_error *err)
{
	struct tl_xray_input *x = calloc(1, sizeof(*x));
	int status;

	(void)path_count;
	if (!x)
		return tl_error_memory(err);
	input->handle = x;
	status = open_reader(input, x, err);
	if (status == 0)
		status = set_limits(&input->options, x, err);
	if (status == 0)
		status = tl_xray_decoders_open(&x->decoders, input->options.xray.decoders,
					       input->options.xray.decoder_count,
					       tl_xray_info(x->reader)->big_endian, err);
	if (status == 0)
		status = tl_xray_maps_open(&x->maps, paths[0], &input->options, failed, err);
	return status;
}

static int relate_xray(struct tl_input *input, struct tl_error *err)
{
	size_t count = input->other_count + 1, which = 0;
	struct tl_xray_reader **readers = calloc(count, sizeof(*readers));
	int status;

	if (!readers)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		readers[i] = ((struct tl_xray_input *)tl_xray_input_log(input, i)->handle)->reader;
	status = tl_xray_relate(readers, count, &which, err);
	if (status == TL_BAD_USAGE)
		input->failed = tl_xray_input_log(input, which)->path;
	free(readers);
	return status;
}

static size_t kinship_xray(const struct tl_input *input, uint64_t *marks, size_t room)
{
	const struct tl_xray_input *x = input->handle;

	return tl_xray_kinship(x->reader, marks, room);
}

/*
 * Threads are folded each by itself, and in parts. What is said of the log as a whole (gaps, which
 * of several programs ran) is not, nor are sums that are rounded.
 */
static uint32_t shares_xray(const struct tl_input *input)
{
	const struct tl_xray_input *x = input->handle;
	const struct tl_xray_reader *reader = x->reader;

	if (reader->info.mode == TL_XRAY_PROFILING || reader->faults.count || reader->gaps.count ||
	    input->options.programs.binary_count > 1 || !reader->thread_count ||
	    (input->options.nanoseconds && reader->info.frequency != TL_NANOSECONDS))
		return 1;
	return tl_xray_most_shares(reader);
}

/*
 * The trace itself shows which of the given files ran. If that is another one than was assumed, the
 * profile is folded again with its names.
 */
static int fold_xray(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	int status = tl_xray_fold(x->reader, x->maps.map, &x->limits, profile, err);

	if (status < 0 || !x->maps.map || !tl_xray_maps_choose(&x->maps, &x->reader->uses))
		return status;
	tl_profile_free(*profile);
	return tl_xray_fold(x->reader, x->maps.map, &x->limits, profile, err);
}

static struct tl_binary *binary_of_xray(struct tl_input *input, const char *object)
{
	const struct tl_xray_input *x = input->handle;

	return x->maps.map ? tl_xray_map_object(x->maps.map, object) : NULL;
}

static int describe_xray(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;

	return tl_xray_describe(x->reader, json, out, err);
}

static int dump_xray(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct tl_xray_select select;
	int status = tl_xray_input_select(input, &select, err);

	if (status < 0)
		return status;
	status = tl_xray_dump(x->reader, &select, json, input->options.jobs, out, err);
	tl_xray_names_end(&select.names);
	return status;
}

static int calls_xray(struct tl_input *input, struct tl_call_source *source,
		      struct tl_calls_options *options, struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	int status = tl_xray_maps_find(&x->maps, x->reader, err);

	if (x->limits.from_ticks > options->from)
		options->from = x->limits.from_ticks;
	if (x->limits.to_ticks && x->limits.to_ticks < options->to)
		options->to = x->limits.to_ticks;
	if (status < 0)
		return status;
	return tl_xray_call_source(x->reader, x->maps.map, &x->limits,
				   input->options.filter.function, input->options.filter.object,
				   source, err);
}

/* ---- check ---- */

struct xray_violations {
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
	struct xray_violations *to = arg;

	if (to->json) {
		tl_put_text(to->out, "{\"rule\":");
		tl_put_json(to->out, v->rule, strlen(v->rule));
		number_or_null(to->out, ",\"offset\":", v->offset);
		number_or_null(to->out, ",\"record\":", v->record);
		tl_put_text(to->out, ",\"thread\":");
		tl_put_i64(to->out, v->thread);
		number_or_null(to->out,
			       ",\"function\":", v->function == TL_NONE ? TL_NOWHERE : v->function);
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

static int64_t check_xray(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	struct tl_xray_input *x = input->handle;
	struct xray_violations to = { out, json };

	return tl_xray_check(x->reader, put_violation, &to, err);
}

/* ---- damage ---- */

enum { MOST_NOTES = 4 };

/*
 * Notes about records of another process, about buffers that stand in the log twice, and about
 * events that are not what they were said to be.
 */
static size_t list_notes(const struct tl_xray_input *x, struct tl_damage places[MOST_NOTES])
{
	const struct tl_xray_reader *reader = x->reader;
	struct tl_damage place = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	size_t listed = 0;

	if (reader->forks.inherits) {
		place.text = "records that its process inherited by fork are in the log of the "
			     "process that "
			     "forked, too: counted once";
		places[listed++] = place;
	}
	if (reader->forks.has_copies) {
		place.text = "buffers stand in the log twice: counted once";
		places[listed++] = place;
	}
	if (reader->forks.orphaned) {
		place.status = TL_TRUNCATED;
		place.text = "its first records were inherited by fork from another process; they "
			     "can be told apart if that process's log is given, too";
		places[listed++] = place;
	}
	if (x->decoders.misfits) {
		place.status = TL_BAD_USAGE;
		place.offset = x->decoders.first_misfit;
		place.text = "an event has another size than its decoder says (the first of "
			     "them): the bytes of these are shown";
		places[listed++] = place;
	}
	return listed;
}

static size_t damage_xray(struct tl_input *input, struct tl_damage *places, size_t room,
			  uint64_t *count, uint64_t *skipped_bytes)
{
	struct tl_xray_input *x = input->handle;
	size_t listed;
	const struct tl_xray_fault *faults =
		tl_xray_faults(x->reader, &listed, count, skipped_bytes);
	struct tl_damage more[MOST_NOTES];
	size_t notes = list_notes(x, more), told;

	if (listed > room)
		listed = room;
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = faults[i].status,
			.text = faults[i].text,
			.offset = faults[i].offset,
			.length = faults[i].length,
			.record = faults[i].record,
		};
	*count += notes;
	for (size_t i = 0; i < notes && listed < room; i++)
		places[listed++] = more[i];
	told = tl_xray_maps_damage(&x->maps, places + listed, room - listed);
	*count += told;
	listed += told;
	for (size_t i = 0; i < x->maps.count; i++)
		if (x->maps.list[i].map)
			listed += tl_binary_damage(tl_xray_map_binary(x->maps.list[i].map),
						   places + listed, room - listed, count);
	return listed;
}

const struct tl_format tl_xray_format = {
	.info = {
		.name = "xray",
		.help = "LLVM XRay: flight data recorder (FDR), basic and profiling mode",
		.record_word = "record",
		.joins_processes = true,
		.written = true,
	},
	.probe = probe_xray,
	.open = open_xray,
	.close = close_xray,
	.relate = relate_xray,
	.kinship = kinship_xray,
	.shares = shares_xray,
	.fold = fold_xray,
	.describe = describe_xray,
	.dump = dump_xray,
	.check = check_xray,
	.timeline = tl_xray_input_timeline,
	.calls = calls_xray,
	.reencode = tl_xray_input_reencode,
	.slice = tl_xray_input_slice,
	.binary = binary_of_xray,
	.conversions = tl_xray_conversions,
	.damage = damage_xray,
};
