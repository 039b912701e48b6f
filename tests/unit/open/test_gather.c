/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many profiles into one as streams: "The result is that of tl_profile_merge(), byte for byte, in
 * any order and with any bounds" (tracelathe/open.h). tl_profile_merge() works on profiles in
 * memory and shares nothing with the streams but the head.
 */
#include <fcntl.h>
#include <unistd.h>

#include <tracelathe/export.h>
#include <tracelathe/open.h>

#include "../profile/profiles.h"
#include "../refuse.h"
#include "../temp_fixture.h"

#include "profile/model/model.h"

/* ---- profiles at random ---- */

struct dice {
	uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t sides)
{
	dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(dice->state >> 33) % sides;
}

static const char *const names[] = { "main", "f", "g", "operator()", "", "zz", "[unknown]", "ä" };
static const char *const files[] = { "", "a.c", "dir/a.c", "b.h" };

static struct tl_position somewhere(struct dice *dice)
{
	return at(files[roll(dice, 4)], roll(dice, 3),
		  roll(dice, 2) ? 0 : 0x400000 + roll(dice, 4));
}

/* Two functions of one profile may have the same names and other ids: they are one in a sum. */
static void add_functions(struct tl_profile *p, struct dice *dice)
{
	for (uint32_t i = 0; i < 8; i++) {
		struct tl_function f = {
			.name = names[roll(dice, 8)],
			.object = roll(dice, 2) ? "prog" : "libc.so.6",
			.file = files[roll(dice, 4)],
			.id = roll(dice, 3) ? TL_NOWHERE : roll(dice, 5),
			.line = roll(dice, 3),
			.address = roll(dice, 2) ? 0 : roll(dice, 900),
		};

		assert_true(tl_profile_put_function(p, &f, NULL) >= 0);
	}
}

static void add_parts(struct tl_profile *p, struct dice *dice)
{
	for (uint32_t i = 0; i < 3; i++) {
		struct tl_part part = {
			.process = roll(dice, 2),
			.thread = roll(dice, 3),
			.command = roll(dice, 2) ? "./prog -x" : "",
			.header = roll(dice, 3) ? "" : "desc: of a run",
			.first_ticks = roll(dice, 2) ? 0 : 100 + roll(dice, 50),
			.last_ticks = roll(dice, 2) ? 0 : 200 + roll(dice, 50),
			.records = roll(dice, 1000),
			.losses = { .gaps = roll(dice, 3),
				    .left_calls = roll(dice, 2),
				    .uncertain = roll(dice, 4) },
		};

		assert_true(tl_profile_put_part(p, &part, NULL) >= 0);
	}
}

/* Durations of a function in a part: few, or more than are kept one by one. */
static void add_durations(struct tl_profile *p, struct dice *dice, uint32_t function, uint32_t part)
{
	struct tl_latencies l = TL_LATENCIES_NONE;
	uint32_t calls = roll(dice, 6) ? 1 + roll(dice, 40) : 2040 + roll(dice, 20);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < calls; i++) {
		uint64_t ticks = (uint64_t)roll(dice, 1000) << roll(dice, 30);

		sum += ticks;
		assert_true(tl_latency_note(&l, ticks, p->durations.exact));
	}
	tl_latency_total(&l, calls, sum);
	assert_true(tl_profile_add_latency(p, function, part, &l));
	tl_latency_free(&l);
}

static void add_tree(struct tl_profile *p, struct dice *dice, uint32_t functions, uint32_t parts)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < 30; i++) {
		uint32_t parent = count && roll(dice, 5) ? roll(dice, count) : TL_NONE;
		uint32_t part =
			parent == TL_NONE ? roll(dice, parts) : p->contexts.list[parent].part;

		add_context(p, parent, roll(dice, functions), part, 1 + roll(dice, 9),
			    (int64_t)roll(dice, 1000) - 20);
		count = (uint32_t)p->contexts.table.count;
	}
	for (uint32_t f = 0; f < functions; f++)
		if (roll(dice, 2))
			add_durations(p, dice, f, roll(dice, parts));
}

static void add_sums(struct tl_profile *p, struct dice *dice, uint32_t functions, uint32_t parts)
{
	for (uint32_t i = 0; i < 25; i++) {
		uint32_t part = roll(dice, parts);

		add_line(p, roll(dice, functions), part, somewhere(dice),
			 (int64_t)roll(dice, 1000) - 10, roll(dice, 50));
		add_arc(p, roll(dice, 6) ? roll(dice, functions) : TL_NONE, roll(dice, functions),
			part, somewhere(dice), roll(dice, 100), roll(dice, 1000), 1);
		add_jump(p, roll(dice, functions), part, roll(dice, 9), roll(dice, 9),
			 roll(dice, 20), roll(dice, 10));
	}
}

static void add_notes(struct tl_profile *p, struct dice *dice)
{
	for (uint32_t i = roll(dice, 4); i; i--) {
		const struct tl_profile_note note = { roll(dice, 2) ? TL_TRUNCATED : TL_OK,
						      roll(dice, 2) ? "cut" : "odd",
						      "xray",
						      roll(dice, 100),
						      roll(dice, 9),
						      TL_NOWHERE };

		assert_true(tl_profile_add_note(p, &note));
	}
}

enum mixture { TREES, SUMS, MIXED, KINDS };

static struct tl_profile *random_profile(struct dice *dice, enum mixture mixture)
{
	static const char *const events[][3] = { { "Ir", "Dr" }, { "Dw", "Ir" }, { "Ir", "Own" } };
	const char *const *chosen = events[roll(dice, 3)];
	struct tl_profile *p = new_profile(roll(dice, 4) ? "xray" : "callgrind", chosen, 2, 0);
	bool tree = mixture == TREES || (mixture == MIXED && roll(dice, 3));

	p->timed = roll(dice, 4) != 0;
	p->durations.exact = mixture == TREES && roll(dice, 3) == 0;
	p->call_count = roll(dice, 5) ? TL_CALLS_ENDED : TL_CALLS_ENTERED;
	p->losses.skipped_bytes = roll(dice, 10);
	add_functions(p, dice);
	add_parts(p, dice);
	add_notes(p, dice);
	if (tree)
		add_tree(p, dice, tl_profile_function_count(p), tl_profile_part_count(p));
	else
		add_sums(p, dice, tl_profile_function_count(p), tl_profile_part_count(p));
	return finished(p);
}

/* ---- both ways ---- */

struct bytes {
	char *data;
	size_t size;
	/* of a sum */
	struct tl_losses losses;
	bool flattened;
};

static struct bytes file_of(const struct tl_profile *profile)
{
	struct bytes bytes = { .data = NULL };
	struct tl_output *out;
	const char *data;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("tracelathe")->write(profile, NULL, out, NULL), 0);
	data = tl_output_bytes(out, &bytes.size);
	bytes.data = malloc(bytes.size);
	memcpy(bytes.data, data, bytes.size);
	tl_output_discard(out);
	return bytes;
}

static struct bytes merged_in_memory(struct tl_profile *const *profiles, size_t count)
{
	struct tl_profile *merged;
	struct bytes bytes;

	assert_int_equal(
		tl_profile_merge(&merged, (const struct tl_profile *const *)profiles, count, NULL),
		0);
	bytes = file_of(merged);
	bytes.losses = merged->losses; /* "of no part" */
	for (size_t i = 0; i < count; i++)
		bytes.flattened |=
			tl_profile_context_count(profiles[i]) && !tl_profile_context_count(merged);
	tl_profile_free(merged);
	return bytes;
}

static struct tl_gather *open_gather(uint64_t memory)
{
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = memory,
						   .scratch = temp.directory,
						   .per_thread = true };
	struct tl_gather *gather;

	assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
	return gather;
}

/* Add the profile, or a file of it, by itself or as bytes. */
static void add_somehow(struct tl_gather *gather, const struct tl_profile *profile, unsigned how)
{
	struct bytes bytes;
	struct tl_input *input;
	const char *path;
	char name[32];

	if (how == 0) {
		assert_int_equal(tl_gather_add(gather, profile, NULL), 0);
		return;
	}
	bytes = file_of(profile);
	if (how == 1) {
		assert_int_equal(tl_gather_add_bytes(gather, bytes.data, bytes.size, NULL), 0);
		free(bytes.data);
		return;
	}
	snprintf(name, sizeof(name), "%zu.tlp", tl_gather_count(gather));
	path = temp_write(&temp, name, bytes.data, bytes.size);
	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	if (!tl_gather_add_input(gather, input, NULL))
		assert_int_equal(tl_gather_add(gather, profile, NULL), 0);
	tl_input_close(input);
	free(bytes.data);
}

/* A gather of its own for some of the profiles gives what waits there, from a file of both. */
static void pass(struct tl_gather *from, struct tl_gather *to, size_t most, const char *name)
{
	/* Of each its own, as it is read until the end. */
	const char *path = temp_write(&temp, name, "before", 6);
	struct tl_gather_passed passed = { .size = sizeof(passed) };
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	struct tl_output *out;
	uint64_t at = 6;
	const char *bytes;
	size_t size;

	assert_true(fd >= 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_gather_reduce(from, most, NULL), 0);
	assert_int_equal(tl_gather_pass(from, out, &passed, NULL), 0);
	assert_in_range(passed.count, 1, most);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(write(fd, bytes, size), size);
	for (size_t i = 0; i < passed.count; i++) {
		assert_int_equal(tl_gather_add_written(to, fd, at, passed.sizes[i],
						       passed.stacks ? TL_GATHER_STACKS : 0u, NULL),
				 0);
		at += passed.sizes[i];
	}
	assert_int_equal(at, 6 + size);
	close(fd);
	free(passed.sizes);
	tl_output_discard(out);
	tl_gather_close(from);
}

static void expect_sum(struct tl_gather *gather, const struct bytes *right, const char *what)
{
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_output *out;
	const char *bytes;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_gather_write(gather, out, &gathered, sizeof(gathered), NULL), 0);
	bytes = tl_output_bytes(out, &size);
	if (size != right->size || memcmp(bytes, right->data, size) != 0)
		fail_msg("%s: the stream is another file than that of the profiles in memory",
			 what);
	assert_memory_equal(&gathered.losses, &right->losses, sizeof(right->losses));
	assert_int_equal(gathered.flattened, right->flattened);
	tl_output_discard(out);
	tl_gather_close(gather);
}

static void both_ways(uint64_t seed, enum mixture mixture)
{
	struct dice dice = { seed };
	struct tl_profile *profiles[12];
	size_t count = 1 + roll(&dice, 12);
	struct bytes right;
	char what[64];

	for (size_t i = 0; i < count; i++)
		profiles[i] = random_profile(&dice, mixture);
	right = merged_in_memory(profiles, count);
	for (unsigned way = 0; way < 3; way++) {
		/* all at once, with little room, with hardly any; from either end */
		static const uint64_t memory[] = { 0, 60000, 1 };
		struct tl_gather *gather = open_gather(memory[way]);

		tl_gather_threads(gather, 1 + roll(&dice, 3));
		for (size_t i = 0; i < count; i++)
			add_somehow(gather, profiles[way % 2 ? count - 1 - i : i], roll(&dice, 3));
		snprintf(what, sizeof(what), "seed %u, kind %d, way %u", (unsigned)seed, mixture,
			 way);
		expect_sum(gather, &right, what);
	}
	free(right.data);
	for (size_t i = 0; i < count; i++)
		tl_profile_free(profiles[i]);
}

TEST(a_stream_is_the_file_of_the_merged_profiles)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		for (int mixture = 0; mixture < KINDS; mixture++)
			both_ways(seed, (enum mixture)mixture);
}

/* ---- from one gather to another ---- */

/* As over ranks: each has some of the profiles, and one takes what the others give. */
static void in_turns(uint64_t seed, enum mixture mixture)
{
	struct dice dice = { seed };
	struct tl_profile *profiles[12];
	struct tl_gather *gathers[3];
	size_t count = 3 + roll(&dice, 10);
	struct bytes right;

	for (size_t i = 0; i < count; i++)
		profiles[i] = random_profile(&dice, mixture);
	right = merged_in_memory(profiles, count);
	for (size_t i = 0; i < 3; i++) {
		gathers[i] = open_gather(roll(&dice, 2) ? 0 : 60000);
		tl_gather_threads(gathers[i], 1 + roll(&dice, 2));
	}
	for (size_t i = 0; i < count; i++)
		/* Files have the same names in all of them: one of them has some. */
		add_somehow(gathers[i % 3], profiles[i], roll(&dice, i % 3 == 2 ? 3 : 2));
	pass(gathers[2], gathers[1], 1 + roll(&dice, 4), "of 2");
	pass(gathers[1], gathers[0], 1 + roll(&dice, 4), "of 1");
	expect_sum(gathers[0], &right, "one behind the other");
	free(right.data);
	for (size_t i = 0; i < count; i++)
		tl_profile_free(profiles[i]);
}

TEST(what_waits_is_passed_on)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		for (int mixture = 0; mixture < KINDS; mixture++)
			in_turns(seed, (enum mixture)mixture);
}

static struct tl_gather *gather_of_file(const struct bytes *bytes)
{
	const char *path = temp_write(&temp, "sum", bytes->data, bytes->size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct tl_gather *gather = open_gather(0);

	assert_true(fd >= 0);
	assert_int_equal(tl_gather_add_written(gather, fd, 0, bytes->size, TL_GATHER_SUM, NULL), 0);
	close(fd);
	return gather;
}

/* A sum that is all there is stays as it is; where a byte of it was changed there is none. */
TEST(a_sum_of_one_is_that_one)
{
	struct dice dice = { 7 };
	struct tl_profile *profile = random_profile(&dice, TREES), *sum;
	struct bytes right = merged_in_memory(&profile, 1);
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_gather *gather;
	struct tl_error err;

	expect_sum(gather_of_file(&right), &right, "alone");
	right.data[right.size / 2] ^= 1;
	gather = gather_of_file(&right);
	assert_int_equal(tl_gather_write(gather, NULL, &gathered, sizeof(gathered), &err), TL_IO);
	assert_string_equal(err.text, "a sum in a temporary file is not as it was written");
	assert_int_equal(tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), &err), TL_IO);
	tl_gather_close(gather);
	free(right.data);
	tl_profile_free(profile);
}

/* ---- packed profiles ---- */

static const char *const texts[] = {
	"part: 1\nevents: Ir\nfl=a.c\nfn=f\n1 5\ncfn=g\ncalls=1 9\n2 3\nfn=g\n9 3\n",
	"part: 1\nevents: Dr Ir\nfl=b.c\nfn=g\n9 3 1\nfl=a.c\nfn=f\n1 0 5\njump=1 2\n1\n",
};

static struct tl_profile *profile_of(unsigned text, bool packed)
{
	const char *path = temp_write(&temp, "text.callgrind", texts[text], strlen(texts[text]));
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile;
	struct tl_input *input;

	options.detail = TL_DETAIL_LINES;
	options.packed = packed;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_input_close(input);
	return profile;
}

static struct tl_gather *open_packed(uint64_t memory)
{
	const struct tl_gather_options options = {
		.size = sizeof(options), .memory = memory, .scratch = temp.directory, .packed = true
	};
	struct tl_gather *gather;

	assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
	return gather;
}

/* Kept as they are: alone, without room for that, and with others, which come first or last. */
TEST(packed_profiles_are_taken)
{
	enum { ALONE, NO_ROOM, FIRST, LAST, WAYS };
	struct tl_profile *plain[3] = { profile_of(0, false), profile_of(1, false), NULL };

	for (unsigned way = 0; way < WAYS; way++) {
		struct tl_gather *gather = open_packed(way == NO_ROOM);
		struct bytes right;

		plain[2] = plain[0];
		right = merged_in_memory(plain, way < FIRST ? 2 : 3);
		if (way == FIRST)
			add_somehow(gather, plain[2], 1);
		for (unsigned i = 0; i < 2; i++) {
			struct tl_profile *profile = profile_of(i, true);

			assert_int_equal(tl_gather_take(gather, &profile, NULL), 0);
			assert_int_equal(profile == NULL, way == ALONE || way == LAST);
			tl_profile_free(profile);
		}
		if (way == LAST)
			add_somehow(gather, plain[2], 0);
		assert_int_equal(tl_gather_count(gather), way < FIRST ? 2 : 3);
		expect_sum(gather, &right, "packed");
		free(right.data);
	}
	tl_profile_free(plain[0]);
	tl_profile_free(plain[1]);
}

static int take_step(const void *input, uint64_t *digest)
{
	const struct tl_gather_options options = { .size = sizeof(options), .packed = true };
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_gather *gather;
	struct tl_profile *profile = NULL, *sum = NULL;
	int status = tl_gather_open(&gather, &options, NULL);

	for (unsigned i = 0; !status && i < 2; i++) {
		const char *const *paths = input;
		struct tl_input_options reading = TL_INPUT_OPTIONS_DEFAULT;
		struct tl_input *opened = NULL;

		reading.detail = TL_DETAIL_LINES;
		reading.packed = true;
		status = tl_input_open(&opened, paths + i, 1, &reading, NULL, NULL);
		if (!status)
			status = tl_input_fold(opened, &profile, NULL);
		if (!status)
			status = tl_gather_take(gather, &profile, NULL);
		tl_input_close(opened);
		tl_profile_free(profile);
		profile = NULL;
	}
	if (!status)
		status = tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), NULL);
	if (!status)
		refuse_note(digest, tl_profile_function(sum, 0)->name, 1);
	tl_profile_free(sum);
	tl_gather_close(gather);
	return status;
}

TEST(refused_allocations_of_packed_profiles)
{
	const char *paths[2];

	paths[0] = temp_write(&temp, "first.callgrind", texts[0], strlen(texts[0]));
	paths[1] = temp_write(&temp, "second.callgrind", texts[1], strlen(texts[1]));
	assert_true(refuse_each(take_step, paths) > 50);
}

/* ---- sums that do not fit ---- */

TEST(sums_that_do_not_fit_are_counted_as_in_memory)
{
	static const char *const event[] = { "Ir" };
	struct tl_profile *profiles[3];
	struct tl_gather *gather = open_gather(0);
	struct bytes right;

	for (int i = 0; i < 3; i++) {
		profiles[i] = new_profile("callgrind", event, 1, 0);
		add_part(profiles[i], 1, 1, 1, "p");
		add_function(profiles[i], "", "", "f");
		add_line(profiles[i], 0, 0, at("a.c", 1, 0), INT64_MAX / 2, 0);
		finished(profiles[i]);
		assert_int_equal(tl_gather_add(gather, profiles[i], NULL), 0);
	}
	right = merged_in_memory(profiles, 3);
	expect_sum(gather, &right, "too large");
	free(right.data);
	for (int i = 0; i < 3; i++)
		tl_profile_free(profiles[i]);
}

/* "a sum that does not fit saturates and is counted": of costs derived from formulas, too. */
TEST(inherited_events_are_derived_of_the_sum)
{
	const struct tl_event events[] = { { .name = "Ir" },
					   { .name = "Twice", .formula = "2 Ir" } };
	struct tl_profile *profiles[2];
	struct tl_gather *gather = open_gather(0);
	struct bytes right;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(tl_profile_make(&profiles[i], "callgrind", events, 2, 0, NULL), 0);
		add_part(profiles[i], 1, 1, 1, "p");
		add_function(profiles[i], "", "", "f");
		add_line(profiles[i], 0, 0, at("a.c", 1, 0), 21, 0);
		finished(profiles[i]);
		assert_int_equal(tl_gather_add(gather, profiles[i], NULL), 0);
	}
	right = merged_in_memory(profiles, 2);
	expect_sum(gather, &right, "formula");
	free(right.data);
	for (int i = 0; i < 2; i++)
		tl_profile_free(profiles[i]);
}

/* ---- what is refused ---- */

TEST(clocks_have_to_be_the_same)
{
	static const char *const event[] = { "Ticks" };
	struct tl_gather *gather = open_gather(0);
	struct tl_error err = { 0 };
	uint64_t frequency = 7;

	assert_int_equal(tl_gather_clock(gather, &frequency), 0);
	assert_int_equal(frequency, 7);
	for (uint64_t hz = 1; hz < 3; hz++) {
		struct tl_profile *p = finished(new_profile("xray", event, 1, hz));

		assert_int_equal(tl_gather_add(gather, p, &err), hz == 1 ? 0 : TL_BAD_USAGE);
		tl_profile_free(p);
		assert_int_equal(tl_gather_clock(gather, &frequency), 1);
		assert_int_equal(frequency, 1);
	}
	assert_string_equal(err.text, "the profiles count ticks of different clocks, which have no "
				      "exact sum; --nanoseconds makes nanoseconds of them");
	assert_int_equal(tl_gather_count(gather), 1);
	tl_gather_close(gather);
}

TEST(nothing_has_no_sum)
{
	struct tl_gather *gather = open_gather(0);
	struct tl_gathered gathered;
	struct tl_profile *profile;

	assert_int_equal(tl_gather_write(gather, NULL, &gathered, sizeof(gathered), NULL),
			 TL_BAD_USAGE);
	assert_int_equal(tl_gather_profile(gather, &profile, &gathered, sizeof(gathered), NULL),
			 TL_BAD_USAGE);
	tl_gather_close(gather);
}

/* What was merged when there was no room is gone: there is no sum without it. */
TEST(no_room_for_what_does_not_fit)
{
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = 1,
						   .scratch = "/proc/self/fdinfo" };
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct dice dice = { 5 };
	struct tl_gather *gather;
	struct tl_error err = { 0 };
	int status = 0;

	assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
	for (int i = 0; i < 4; i++) {
		struct tl_profile *profile = random_profile(&dice, MIXED);

		status |= tl_gather_add(gather, profile, NULL);
		tl_profile_free(profile);
	}
	assert_true(status < 0);
	assert_int_equal(tl_gather_write(gather, NULL, &gathered, sizeof(gathered), &err), TL_IO);
	assert_non_null(strstr(err.text, "is lost"));
	tl_gather_close(gather);
}

/* ---- memory that runs out ---- */

static int gather_step(const void *input, uint64_t *digest)
{
	struct tl_profile *const *profiles = input;
	const struct tl_gather_options options = { .size = sizeof(options),
						   .memory = 1,
						   .scratch = temp.directory };
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_gather *gather;
	struct tl_output *out = NULL;
	const char *bytes;
	size_t size = 0;
	int status = tl_gather_open(&gather, &options, NULL);

	for (int i = 0; !status && i < 3; i++)
		status = tl_gather_add(gather, profiles[i], NULL);
	if (!status)
		status = tl_output_open_memory(&out, NULL);
	if (!status)
		status = tl_gather_write(gather, out, &gathered, sizeof(gathered), NULL);
	if (!status)
		status = tl_output_finish(out, NULL);
	if (!status) {
		bytes = tl_output_bytes(out, &size);
		refuse_note(digest, bytes, size);
	}
	tl_output_discard(out);
	tl_gather_close(gather);
	return status;
}

TEST(refused_allocations)
{
	struct dice dice = { 7 };
	struct tl_profile *profiles[3];

	for (int i = 0; i < 3; i++)
		profiles[i] = random_profile(&dice, MIXED);
	assert_true(refuse_each(gather_step, profiles) > 100);
	for (int i = 0; i < 3; i++)
		tl_profile_free(profiles[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_is_the_file_of_the_merged_profiles),
		cmocka_unit_test(what_waits_is_passed_on),
		cmocka_unit_test(a_sum_of_one_is_that_one),
		cmocka_unit_test(packed_profiles_are_taken),
		cmocka_unit_test(refused_allocations_of_packed_profiles),
		cmocka_unit_test(sums_that_do_not_fit_are_counted_as_in_memory),
		cmocka_unit_test(inherited_events_are_derived_of_the_sum),
		cmocka_unit_test(clocks_have_to_be_the_same),
		cmocka_unit_test(nothing_has_no_sum),
		cmocka_unit_test(no_room_for_what_does_not_fit),
		cmocka_unit_test(refused_allocations),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
