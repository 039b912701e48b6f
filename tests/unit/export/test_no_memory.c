/* SPDX-License-Identifier: Apache-2.0 */
/* Every output format where memory runs out: whole, or TL_NO_MEMORY and nothing kept. */
#include "../whole_profile.h"

#include <tracelathe/export.h>
#include <tracelathe/timeline.h>

struct export
{
	const struct tl_profile *profile, *baseline;
	const struct tl_exporter *exporter;
	struct tl_export_options options;
	struct tl_flame_options flame;
	const char *timeline; /* format */
};

static int write_profile(const void *input, struct tl_output *out)
{
	const struct export *export = input;

	return export->exporter->write(export->profile, &export->options, out, NULL);
}

static int write_flame(const void *input, struct tl_output *out)
{
	const struct export *export = input;

	return tl_flame_write(export->profile, export->baseline, &export->flame, out, NULL);
}

/* Calls that begin and end on three tracks, with arguments; and instants. */
static void put_call(struct tl_timeline *timeline, int64_t i)
{
	const struct tl_timeline_point at = { 7, i % 3, (uint64_t)(100 + 10 * i) };
	const struct tl_timeline_arg args[] = {
		{ .name = "number", .kind = TL_ARG_NUMBER, .number = 5 },
		{ .name = "real", .kind = TL_ARG_REAL, .real = 0.5 },
		{ .name = "text", .kind = TL_ARG_TEXT, .data = "text", .size = 4 },
		{ .name = "bytes", .kind = TL_ARG_BYTES, .data = "\1\2", .size = 2 },
	};

	if (i < 3)
		tl_timeline_name(timeline, 7, i, "worker");
	if (i % 6 < 3)
		tl_timeline_enter(timeline, &at, (uint32_t)i % 5, "function", "file.c", 9, args, 4);
	else if (i % 4)
		tl_timeline_leave(timeline, &at);
	else
		tl_timeline_instant(timeline, &at, "instant", args, 1);
	tl_timeline_counter(timeline, &at, i % 2 ? "one" : "two", 0.5 * (double)i);
}

static int write_timeline(const void *input, struct tl_output *out)
{
	const struct export *export = input;
	struct tl_timeline *timeline;
	int status = tl_timeline_open(&timeline, export->timeline, out, NULL);

	if (status)
		return status;
	status = tl_timeline_begin(timeline, 1000000, NULL);
	for (int64_t i = 0; !status && i < 60; i++)
		put_call(timeline, i);
	/* The end is written, and the handle freed, in any case. */
	return tl_timeline_finish(timeline, NULL);
}

#define STEP(name)                                                                                 \
	static int name##_step(const void *input, uint64_t *digest)                                \
	{                                                                                          \
		return refuse_note_output(write_##name, input, digest);                            \
	}
STEP(profile)
STEP(flame)
STEP(timeline)

static int stacks_step(const void *input, uint64_t *digest)
{
	struct tl_profile *stacks;
	int status =
		tl_profile_stacks(&stacks, ((const struct export *)input)->profile, NULL, NULL);

	assert_int_equal(stacks != NULL, status == 0);
	if (stacks)
		whole_note(stacks, digest);
	tl_profile_free(stacks);
	return status;
}

static struct export export_of(struct tl_profile *const *profiles)
{
	return (struct export){
		.profile = profiles[0],
		.options = { .size = sizeof(struct tl_export_options), .command = "prog" },
		.flame = { .size = sizeof(struct tl_flame_options), .threshold = -1 },
	};
}

static void refuse_exports(struct export export)
{
	for (const struct tl_exporter *const *e = tl_exporters(); *e; e++) {
		export.exporter = *e;
		refuse_each(profile_step, &export);
		export.options.compression = TL_COMPRESS_ALL;
		export.options.positions = TL_POSITIONS_INSTR;
		export.options.threads = true;
		export.options.most_depth = 2;
		refuse_each(profile_step, &export);
	}
}

static void refuse_flames(struct export export, const struct tl_profile *baseline)
{
	export.flame.form = TL_FLAME_SVG;
	refuse_each(flame_step, &export);
	export.flame.form = TL_FLAME_DATA;
	export.flame.threads = true;
	refuse_each(flame_step, &export);
	export.baseline = baseline;
	assert_true(refuse_each(flame_step, &export) > 20);
	/* Frames that are left out, as there is no room for them. */
	export.flame.most_frames = 20;
	export.flame.most_depth = 3;
	assert_true(refuse_each(flame_step, &export) > 20);
}

TEST(profiles)
{
	typedef int build_fn(struct tl_profile * *profile, uint32_t salt, struct tl_error *err);
	static build_fn *const kinds[] = { whole_sums, whole_trace };

	for (size_t k = 0; k < 2; k++) {
		struct tl_profile *profiles[2];
		struct export export;

		for (uint32_t i = 0; i < 2; i++)
			assert_int_equal(kinds[k](&profiles[i], i, NULL), 0);
		export = export_of(profiles);
		refuse_exports(export);
		refuse_flames(export, profiles[1]);
		if (kinds[k] == whole_sums)
			assert_true(refuse_each(stacks_step, &export) > 20);
		tl_profile_free(profiles[0]);
		tl_profile_free(profiles[1]);
	}
}

TEST(timelines)
{
	for (const struct tl_timeline_format *const *f = tl_timeline_formats(); *f; f++) {
		const struct export export = { .timeline = (*f)->name };

		assert_true(refuse_each(timeline_step, &export) > 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles),
		cmocka_unit_test(timelines),
	};

	return cmocka_run_group_tests_name("export no_memory", tests, NULL, NULL);
}
