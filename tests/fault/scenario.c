/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"

#include <string.h>
#include <unistd.h>

#include <tracelathe/tracelathe.h>
#include "profile/model/unsized.h"
#include "symbols/binary.h"

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). */
static void digest_bytes(uint64_t *digest, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		*digest = (*digest ^ bytes[i]) * 0x100000001b3u;
}

static void digest_number(uint64_t *digest, uint64_t number)
{
	digest_bytes(digest, &number, sizeof(number));
}

/* What every step begins and ends with. */
struct opened {
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_profile *profile;
	struct tl_input *input;
	struct tl_output *out;
	struct tl_xray_map *map;
	struct tl_error err;
};

static int close_all(struct opened *o, int status)
{
	tl_output_discard(o->out);
	tl_profile_free(o->profile);
	tl_input_close(o->input);
	tl_xray_map_close(o->map);
	tl_xray_close(o->reader);
	tl_source_close(o->source);
	return status < 0 ? status : 0;
}

static int open_reader(struct opened *o, const struct scene *scene,
		       const struct tl_xray_options *options)
{
	int status = tl_source_open_memory(&o->source, scene->data, scene->size, "memory", &o->err);

	return status ? status : tl_xray_open(&o->reader, o->source, options, &o->err);
}

/* The bytes of a memory output into the digest, then commit. */
static int finish_output(struct opened *o, uint64_t *digest)
{
	size_t size;
	const char *bytes = tl_output_bytes(o->out, &size);

	digest_bytes(digest, bytes, size);
	struct tl_output *out = o->out;

	o->out = NULL;
	return tl_output_commit(out, &o->err);
}

static int read_source(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	uint8_t buffer[777];
	int64_t got = variant ? tl_source_open(&o.source, scene->path, NULL, &o.err)
			      : tl_source_open_memory(&o.source, scene->data, scene->size, "memory",
						      &o.err);

	if (got == 0)
		while ((got = tl_source_read(o.source, buffer, sizeof(buffer), &o.err)) > 0)
			digest_bytes(digest, buffer, (size_t)got);
	if (got == 0 && tl_source_fault(o.source))
		got = tl_source_fault(o.source)->status;
	return close_all(&o, (int)got);
}

static int map_source(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const uint8_t *data;
	size_t size;
	int status = tl_source_open(&o.source, scene->path, NULL, &o.err);

	(void)variant;
	if (!status)
		status = tl_source_map(o.source, &data, &size, &o.err);
	if (!status && tl_source_fault(o.source))
		status = (int)tl_source_fault(o.source)->status;
	if (!status)
		digest_bytes(digest, data, size);
	return close_all(&o, status);
}

static int read_records(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	struct tl_xray_record record;
	const struct tl_xray_options options = {
		.size = sizeof(options),
		.order = variant ? TL_XRAY_FILE_ORDER : TL_XRAY_TIME_ORDER,
	};
	int status = open_reader(&o, scene, &options);

	if (status)
		return close_all(&o, status);
	while ((status = tl_xray_next(o.reader, &record, sizeof(record), &o.err)) > 0) {
		digest_number(digest, record.offset);
		digest_number(digest, record.tsc);
	}
	/* Damage may be reported, lost memory may not look like it. */
	uint64_t faults, skipped;
	size_t listed;

	tl_xray_faults(o.reader, &listed, &faults, &skipped);
	digest_number(digest, faults);
	return close_all(&o, status);
}

/*
 * A profile of the scene: variants without a map, with a YAML map, with the binary, on two threads,
 * in every detail.
 */
enum { FOLDS = 5 };

static int open_map(struct opened *o, const struct scene *scene, unsigned variant)
{
	if (variant == 1)
		return tl_xray_map_open_yaml(&o->map, scene->yaml_map, &o->err);
	if (variant == 2 && scene->binary)
		return tl_xray_map_open(&o->map, scene->binary, 0, true, &o->err);
	return 0;
}

static int fold(struct opened *o, const struct scene *scene, unsigned variant)
{
	const struct tl_xray_fold_options options = {
		.size = sizeof(options),
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.jobs = variant == 3 ? 2 : 1,
		.exact = variant == 4,
		.per_thread = variant == 4,
	};
	int status = open_map(o, scene, variant);

	if (!status)
		status = open_reader(o, scene, NULL);
	return status ? status : tl_xray_fold(o->reader, o->map, &options, &o->profile, &o->err);
}

static void digest_function(const struct tl_profile *profile, uint32_t function, uint64_t *digest)
{
	struct tl_function_totals totals;
	struct tl_latency latency = { 0 };
	const struct tl_function *what = tl_profile_function(profile, function);

	digest_bytes(digest, what->name, strlen(what->name));
	digest_number(digest, what->line);
	tl_profile_totals_of(profile, function, TL_NONE, &totals);
	digest_number(digest, totals.calls);
	digest_number(digest, (uint64_t)totals.self[0]);
	digest_number(digest, (uint64_t)totals.inclusive[0]);
	if (tl_profile_latency_of(profile, function, TL_NONE, &latency))
		digest_number(digest, latency.median);
}

static int fold_trace(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	int status = fold(&o, scene, variant);

	if (!status)
		for (uint32_t i = 0; i < tl_profile_function_count(o.profile); i++)
			digest_function(o.profile, i, digest);
	return close_all(&o, status);
}

static int filter_profile(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	struct tl_profile *filtered = NULL;
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "#[12]" };
	int status = fold(&o, scene, 0);

	(void)variant;
	if (!status)
		status = tl_profile_filtered(&filtered, o.profile, &filter, &o.err);
	if (!status)
		for (uint32_t i = 0; i < tl_profile_function_count(filtered); i++)
			digest_function(filtered, i, digest);
	tl_profile_free(filtered);
	return close_all(&o, status);
}

static int export_profile(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	int status = fold(&o, scene, 1);

	for (const struct tl_exporter *const *e = tl_exporters(); *e && !status; e++) {
		const struct tl_export_options options = { .size = sizeof(options),
							   .threads = variant };

		status = tl_output_open_memory(&o.out, &o.err);
		if (!status)
			status = (*e)->write(o.profile, &options, o.out, &o.err);
		if (!status)
			status = finish_output(&o, digest);
	}
	return close_all(&o, status);
}

/* The functions, lines and arcs of a profile as one without contexts. */
static int copy_sums(struct tl_profile *sums, const struct tl_profile *from, struct tl_error *err)
{
	int64_t status = 0;

	for (uint32_t i = 0; status >= 0 && i < tl_profile_function_count(from); i++)
		status = tl_profile_put_function(sums, tl_profile_function(from, i), err);
	for (uint32_t i = 0; status >= 0 && i < tl_profile_line_count(from); i++)
		status = tl_profile_put_line(sums, tl_profile_line(from, i),
					     tl_profile_line_cost(from, i), err);
	for (uint32_t i = 0; status >= 0 && i < tl_profile_arc_count(from); i++)
		status = tl_profile_put_arc(sums, tl_profile_arc(from, i),
					    tl_profile_arc_cost(from, i), err);
	return status < 0 ? (int)status : tl_profile_finish(sums, err);
}

/* Variants: a picture, the data of a page, those of a difference; and of estimated paths. */
static int draw_flame(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	struct tl_profile *sums = NULL;
	const struct tl_flame_options options = {
		.size = sizeof(options),
		.form = variant ? TL_FLAME_DATA : TL_FLAME_SVG,
		.threshold = variant == 1 ? 5 : -1,
		.name = "scene",
	};
	int status = fold(&o, scene, 1);

	if (!status && variant == 3)
		status = tl_profile_make(&sums, "test", tl_profile_event(o.profile, 0),
					 tl_profile_event_count(o.profile), 0, &o.err);
	if (!status && sums)
		status = copy_sums(sums, o.profile, &o.err);
	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_flame_write(sums ? sums : o.profile, variant == 2 ? o.profile : NULL,
					&options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	tl_profile_free(sums);
	return close_all(&o, status);
}

static int report_functions(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_report_options options = {
		.size = sizeof(options),
		.form = (enum tl_report_form)(variant % 3),
		.threads = variant >= 3,
	};
	int status = fold(&o, scene, variant >= 3 ? 4 : 1);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_report_functions(o.profile, &options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	return close_all(&o, status);
}

static int report_tree(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_report_options options = {
		.size = sizeof(options),
		.form = (enum tl_report_form)(variant % 3),
		.threshold = -1,
	};
	int status = fold(&o, scene, 1);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_report_tree(o.profile, (enum tl_tree_kind)(variant / 3), &options,
					o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	return close_all(&o, status);
}

/* Two profiles of the scene, one with names: merged, grouped, and written. */
static int merge_profiles(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 }, other = { 0 };
	struct tl_profile *merged = NULL, *grouped = NULL;
	int status = fold(&o, scene, variant ? 4 : 0);

	if (!status)
		status = fold(&other, scene, 1);
	if (!status) {
		const struct tl_profile *const both[] = { o.profile, other.profile };

		status = tl_profile_merge(&merged, both, 2, &o.err);
	}
	if (!status)
		status = tl_profile_grouped(&grouped, merged, TL_BY_OBJECT, &o.err);
	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_exporter_find("json")->write(merged, NULL, o.out, &o.err);
	if (!status)
		status = tl_exporter_find("csv")->write(grouped, NULL, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	tl_profile_free(merged);
	tl_profile_free(grouped);
	close_all(&other, 0);
	return close_all(&o, status);
}

static int diff_profiles(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	static const struct tl_rename renames[] = { { "#([0-9])", "f\\1" } };
	/* clang-format off */
	const struct tl_diff_options how = {
		.size = sizeof(how), .by = (enum tl_diff_unit)(variant / 3), .renames = renames,
		  .rename_count = 1,
	};
	/* clang-format on */
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = (enum tl_report_form)(variant % 3) };
	struct opened o = { 0 }, other = { 0 };
	struct tl_diff *diff = NULL;
	int status = fold(&o, scene, 0);

	if (!status)
		status = fold(&other, scene, 1);
	if (!status)
		status = tl_profile_diff(&diff, o.profile, other.profile, &how, &o.err);
	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_report_diff(diff, &options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	tl_diff_free(diff);
	close_all(&other, 0);
	return close_all(&o, status);
}

/* Functions stand in a source file: the scene's own. Assembly only where the program is here. */
static int annotate_profile(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct tl_event events[] = { { "Ir", "", "", "" }, { "Sum", "", "", "2 Ir" } };
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = (enum tl_report_form)(variant % 3) };
	const char *dirs[] = { "/nowhere" };
	/* clang-format off */
	struct tl_annotate_options what = {
		.size = sizeof(what), .source_dirs = dirs, .source_dir_count = 1, .threshold = -1,
		  .context = -1,
		.assembly = variant >= 3, .file = ".",
	};
	/* clang-format on */
	const struct tl_function function = {
		.name = "f", .object = "", .file = scene->path, .id = TL_NOWHERE
	};
	const struct tl_cost_line line = {
		.part = TL_NONE, .at = { .file = scene->path, .line = 1, .address = 0x233d0 }
	};
	const struct tl_arc arc = { .part = TL_NONE, .from = line.at, .calls = 1 };
	const struct tl_jump jump = { .part = TL_NONE, .from = line.at, .executed = 1 };
	const int64_t cost[] = { 5, 0 };
	struct tl_binary *binary = NULL;
	struct opened o = { 0 };
	int status = tl_profile_make(&o.profile, "", events, 2, 0, &o.err);

	if (!status)
		status = (int)tl_profile_put_function(o.profile, &function, &o.err);
	if (!status)
		status = tl_profile_put_line(o.profile, &line, cost, &o.err);
	if (!status)
		status = tl_profile_put_arc(o.profile, &arc, cost, &o.err);
	if (!status)
		status = tl_profile_put_jump(o.profile, &jump, &o.err);
	if (!status)
		status = tl_profile_finish(o.profile, &o.err);
	if (!status && what.assembly && scene->binary)
		status = tl_binary_open(&binary, scene->binary, 0, true, &o.err);
	what.binaries = &binary;
	what.binary_count = binary != NULL;
	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_report_annotate(o.profile, &what, &options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	tl_binary_close(binary);
	return close_all(&o, status);
}

static int digest_violation(void *arg, const struct tl_xray_violation *violation)
{
	digest_number(arg, violation->offset);
	return 0;
}

static int check_trace(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	int64_t status = open_reader(&o, scene, NULL);

	(void)variant;
	if (!status)
		status = tl_xray_check(o.reader, digest_violation, digest, &o.err);
	return close_all(&o, (int)status);
}

static int convert_trace(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_xray_writer_options options = {
		.size = sizeof(options),
		.mode = variant < 5 ? TL_XRAY_FDR : TL_XRAY_BASIC,
		.version = (uint16_t)(variant < 5 ? variant + 1 : variant - 4),
		.frequency = 1000000,
		.buffer_size = 65536,
	};
	int status = open_reader(&o, scene, NULL);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_xray_convert(o.reader, o.out, &options, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	return close_all(&o, status);
}

/* One call of open.h on an input, by its name in the table. */
enum { INPUT_CALLS = 10 };

/* The index is made, and kept in a file; then it is taken from there. */
static int ask_index_twice(struct opened *o, const char *path)
{
	struct tl_call_index *sample;
	int status = tl_input_index_sample(o->input, &sample, &o->err);

	tl_call_index_close(sample);
	if (status < 0 && status != TL_UNSUPPORTED)
		return status;
	unlink(path);
	status = ask_index(o->input, path, o->out, &o->err);
	return status < 0 ? status : ask_index(o->input, path, o->out, &o->err);
}

static int call_input(struct opened *o, const struct scene *scene, unsigned call,
		      enum tl_report_form form)
{
	switch (call) {
	case 0:
		return tl_input_info(o->input, form, o->out, &o->err);
	case 1:
	case 7: /* with TL_DUMP_CALLS */
		return tl_input_dump(o->input, form, o->out, &o->err);
	case 2:
		return (int)tl_input_check(o->input, form, o->out, &o->err);
	case 3:
		return tl_input_timeline(o->input, "perfetto", o->out, &o->err);
	case 4:
		return tl_input_timeline(o->input, "chrome", o->out, &o->err);
	case 8:
		return ask_index(o->input, NULL, o->out, &o->err);
	case 9:
		return ask_index_twice(o, scene->target);
	case 5:
		return tl_input_reencode(o->input, "xray", NULL, o->out, &o->err);
	default:
		return tl_input_fold(o->input, &o->profile, &o->err);
	}
}

static int use_input(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_binary_spec binary = { scene->binary, 0 };
	const struct tl_input_options options = {
		.size = sizeof(options),
		.filter.thread = TL_NOWHERE,
		.filter.process = TL_NOWHERE,
		.filter.cpu = TL_NOWHERE,
		.programs.map = scene->binary ? NULL : scene->yaml_map,
		.programs.binaries = &binary,
		.programs.binary_count = scene->binary != NULL,
		.filter.function = variant % INPUT_CALLS == 6 ? "." : NULL,
		.dump.flags = variant % INPUT_CALLS == 7 ? TL_DUMP_CALLS : 0,
	};
	const char *failed;
	int status = tl_input_open(&o.input, &scene->path, 1, &options, &failed, &o.err);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = call_input(&o, scene, variant % INPUT_CALLS,
				    variant < INPUT_CALLS ? TL_REPORT_TEXT : TL_REPORT_JSON);
	if (status >= 0)
		status = finish_output(&o, digest);
	if (!status) {
		digest_number(digest, tl_input_damage_count(o.input, NULL));
	}
	return close_all(&o, status);
}

/* "A failed run leaves the old file or none": the caller looks at scene->target afterwards. */
static int write_file(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	int status = tl_output_open(&o.out, scene->target, &o.err);

	(void)variant;
	(void)digest;
	for (int i = 0; !status && i < 100; i++)
		tl_output_write(o.out, scene->data, scene->size);
	if (!status) {
		struct tl_output *out = o.out;

		o.out = NULL;
		status = tl_output_commit(out, &o.err);
	}
	return close_all(&o, status);
}

static int look_up(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct tl_binary *binary = NULL;
	struct tl_symbol symbol;
	struct tl_error err;

	(void)variant;
	if (!scene->binary)
		return 0;
	int status = tl_binary_open(&binary, scene->binary, 0, true, &err);

	/* Nothing is promised about a look-up without memory but that it says "unknown". */
	for (uint64_t address = 0x20000; !status && address < 0x60000; address += 0x1000)
		if (tl_binary_symbol_at(binary, address, &symbol) && !symbol.name)
			digest_number(digest, address);
	tl_binary_close(binary);
	return status;
}

/* ---- Intel PT: handles over a trace of one branch; what the scene is does not matter ---- */

static int read_pt_packets(const struct tl_pt_config *config, uint64_t *digest)
{
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;
	int status = tl_pt_packets_open(&packets, config);

	if (status < 0)
		return status;
	for (status = tl_pt_packets_sync_forward(packets); status >= 0;)
		if ((status = tl_pt_packets_next(packets, &packet, sizeof(packet))) > 0)
			digest_number(digest, packet.kind);
	tl_pt_packets_close(packets);
	return status;
}

static int query_pt(const struct tl_pt_config *config, uint64_t *digest)
{
	struct tl_pt_query *query;
	uint64_t ip = 0;
	int taken = 0, status = tl_pt_query_open(&query, config);

	if (status < 0)
		return status;
	tl_pt_query_sync_forward(query, &ip);
	status = tl_pt_query_cond_branch(query, &taken);
	digest_number(digest, ip + (uint64_t)taken);
	tl_pt_query_close(query);
	return status;
}

static int read_pt_events(const struct tl_pt_config *config, uint64_t *digest)
{
	struct tl_pt_events *events;
	struct tl_pt_event event;
	int status = tl_pt_events_open(&events, config);

	if (status < 0)
		return status;
	for (status = tl_pt_events_sync_forward(events); status >= 0;)
		if ((status = tl_pt_events_next(events, &event, sizeof(event))) >= 0)
			digest_number(digest, event.kind);
	tl_pt_events_close(events);
	return status;
}

static int use_pt(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	static int (*const uses[])(const struct tl_pt_config *,
				   uint64_t *) = { read_pt_packets, query_pt, read_pt_events };
	static const uint8_t trace[] = { 2,    0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2,
					 0x82, 2,    0x82, 2,    0x82, 2,    0x82, 0x7d, 0,
					 0x10, 0,    0,    0,    0,    2,    0x23, 6 };
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = trace,
					     .end = trace + sizeof(trace) };
	int status = uses[variant](&config, digest);

	(void)scene;
	return status == -TL_PT_NOMEM ? TL_NO_MEMORY : 0;
}

/* ---- Callgrind profiles: scenes that are one ---- */

static int open_text(struct opened *o, const struct scene *scene,
		     struct tl_callgrind_reader **reader)
{
	int status = tl_source_open_memory(&o->source, scene->data, scene->size, "memory", &o->err);

	return status ? status : tl_callgrind_open(reader, o->source, NULL, &o->err);
}

static int fold_text(struct opened *o, const struct scene *scene, unsigned variant)
{
	const struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.detail = variant ? TL_CALLGRIND_FUNCTIONS : TL_CALLGRIND_LINES,
		.per_part = variant == 2,
	};
	struct tl_callgrind_reader *reader = NULL;
	int status = open_text(o, scene, &reader);

	if (!status)
		status = tl_callgrind_fold(&reader, 1, &options, &o->profile, &o->err);
	tl_callgrind_close(reader);
	return status;
}

static int fold_callgrind(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	int status = fold_text(&o, scene, variant);

	if (!status)
		for (uint32_t i = 0; i < tl_profile_function_count(o.profile); i++)
			digest_function(o.profile, i, digest);
	return close_all(&o, status);
}

/* Stacks that are known by names, or estimated; cycles as rows. */
static int stacks_of_text(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_CSV,
						   .cycles = true };
	struct tl_profile *stacks = NULL;
	int status = fold_text(&o, scene, variant);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status && variant < 3)
		status = tl_profile_stacks(&stacks, o.profile, NULL, &o.err);
	if (!status && stacks)
		status = tl_exporter_find("folded")->write(stacks, NULL, o.out, &o.err);
	else if (!status)
		status = tl_report_tree(o.profile, TL_TREE_BOTH, &options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	tl_profile_free(stacks);
	return close_all(&o, status);
}

static int export_callgrind(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	const struct tl_export_options options = {
		.size = sizeof(options),
		.compression = (enum tl_export_compression)(variant % 3),
	};
	const char *name = variant < 3 ? "callgrind" : "cachegrind";
	int status = fold_text(&o, scene, 0);

	if (!status)
		status = tl_output_open_memory(&o.out, &o.err);
	if (!status)
		status = tl_exporter_find(name)->write(o.profile, &options, o.out, &o.err);
	if (!status)
		status = finish_output(&o, digest);
	return close_all(&o, status);
}

static int digest_text_violation(void *arg, const struct tl_callgrind_violation *violation)
{
	digest_number(arg, violation->offset);
	return 0;
}

static int check_callgrind(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	struct opened o = { 0 };
	struct tl_callgrind_reader *reader = NULL;
	int64_t status = open_text(&o, scene, &reader);

	(void)variant;
	if (!status)
		status = tl_callgrind_check(reader, digest_text_violation, digest, &o.err);
	tl_callgrind_close(reader);
	return close_all(&o, (int)status);
}

/* info, dump, check, fold; with two files; asked twice, which opens the files once more. */
static int use_texts(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	static const unsigned calls[] = { 0, 1, 2, 6 };
	struct opened o = { 0 };
	const char *const paths[] = { scene->path, scene->path };
	const char *failed;
	int status = tl_input_open(&o.input, paths, 1 + variant / 4, NULL, &failed, &o.err);

	for (int twice = 0; twice < 2 && status >= 0; twice++) {
		tl_profile_free(o.profile);
		o.profile = NULL;
		status = tl_output_open_memory(&o.out, &o.err);
		if (!status)
			status = call_input(&o, scene, calls[variant % 4], TL_REPORT_JSON);
		if (status >= 0)
			status = finish_output(&o, digest);
	}
	return close_all(&o, status);
}

const struct step text_steps[] = {
	{ "fold a text", fold_callgrind, 3 },
	{ "write a text", export_callgrind, 4 },
	{ "stacks of a text", stacks_of_text, 4 },
	{ "check a text", check_callgrind, 1 },
	{ "use texts", use_texts, 8 },
	{ NULL, NULL, 0 },
};

const struct step steps[] = {
	{ "source read", read_source, 2 },
	{ "source map", map_source, 1 },
	{ "records", read_records, 2 },
	{ "fold", fold_trace, FOLDS },
	{ "filter", filter_profile, 1 },
	{ "export", export_profile, 2 },
	{ "flame", draw_flame, 4 },
	{ "report", report_functions, 6 },
	{ "tree", report_tree, 15 },
	{ "merge", merge_profiles, 2 },
	{ "diff", diff_profiles, 9 },
	{ "annotate", annotate_profile, 6 },
	{ "check", check_trace, 1 },
	{ "convert", convert_trace, 8 },
	{ "input", use_input, 2 * INPUT_CALLS },
	{ "output", write_file, 1 },
	{ "symbols", look_up, 1 },
	{ "pt", use_pt, 3 },
	{ NULL, NULL, 0 },
};
