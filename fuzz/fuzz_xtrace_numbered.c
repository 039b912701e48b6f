/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pair of any bytes, whose stream is cut into numbered files at places that the bytes choose: it
 * has the tokens, damage and snapshots of the stream in one file. With one of the files missing it
 * is read, too, and that is told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "exercise_xtrace.h"
#include "fuzz.h"
#include "xtrace/listing/describe.h"

enum { MOST_FILES = 4, ALL_FILES = MOST_FILES + 1 };

/* A stream in files, with its snapshots; `missing`: the file that is not there. */
struct cut {
	size_t begins[MOST_FILES + 1], count, missing;
};

struct opened {
	struct tl_source *sources[ALL_FILES];
	struct tl_xtrace_trace *trace;
	struct tl_output *out;
};

/* Knuth's MMIX generator. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Files may be empty; the place that they are cut at may be in a token. */
static struct cut choose(const uint8_t *data, size_t size, size_t stream_size)
{
	struct cut cut = { .missing = ALL_FILES };
	uint64_t state = size;

	for (size_t i = 0; i < size; i++)
		state = (state ^ data[i]) * 0x100000001b3u;
	cut.count = (size_t)(2 + next_random(&state) % (MOST_FILES - 1));
	for (size_t i = 1; i < cut.count; i++)
		cut.begins[i] = (size_t)(next_random(&state) % (stream_size + 1));
	qsort(cut.begins, cut.count, sizeof(*cut.begins), by_size);
	cut.begins[cut.count] = stream_size;
	return cut;
}

static void add_file(struct opened *o, struct tl_xtrace_file *files, size_t *count,
		     const char *path, const uint8_t *bytes, size_t size)
{
	FUZZ_MUST(tl_source_open_memory(&o->sources[*count], bytes, size, path, NULL) == 0);
	files[*count] = (struct tl_xtrace_file){ path, o->sources[*count] };
	++*count;
}

/* One file without a number where there is no cut. The last file is given first. */
static int open_cut(struct opened *o, const struct pair *pair, const struct cut *cut)
{
	static const char stem[] = "xtrace.1.0.hint9.xinsndata.bin";
	static char names[MOST_FILES][sizeof(stem) + 24];
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_xtrace_file files[ALL_FILES];
	size_t count = 0;

	*o = (struct opened){ .trace = NULL };
	for (size_t i = cut ? cut->count : 0; i-- > 0;) {
		snprintf(names[i], sizeof(names[i]), "%s.%zu", stem, i);
		if (i != cut->missing)
			add_file(o, files, &count, names[i], pair->stream + cut->begins[i],
				 cut->begins[i + 1] - cut->begins[i]);
	}
	if (!cut)
		add_file(o, files, &count, stem, pair->stream, pair->stream_size);
	add_file(o, files, &count, "xtrace.1.0.hint9.xsnapshot.bin", pair->snapshots,
		 pair->snapshots_size);
	FUZZ_MUST(tl_output_open_memory(&o->out, NULL) == 0);
	return tl_xtrace_open(&o->trace, files, count, &options, NULL, NULL);
}

static void close_cut(struct opened *o)
{
	tl_output_discard(o->out);
	tl_xtrace_close(o->trace);
	for (size_t i = 0; i < ALL_FILES; i++)
		tl_source_close(o->sources[i]);
}

/* Files that begin like compressed ones are no parts of the stream as it stands. */
static bool as_it_stands(const struct opened *o, const struct pair *pair)
{
	const struct tl_xtrace_stream_info *info = tl_xtrace_stream(o->trace, 0);

	return tl_xtrace_stream_count(o->trace) == 1 && info->bytes == pair->stream_size &&
	       info->snapshot_bytes == pair->snapshots_size;
}

static void put_number(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* Snapshots say the file that their place is in, and the place there. */
static void number_snapshots(const struct opened *whole, const struct cut *cut, uint8_t *snapshots)
{
	struct tl_xtrace_snapshot s;

	for (uint32_t i = 0; i < tl_xtrace_stream(whole->trace, 0)->snapshots; i++) {
		size_t file = cut->count - 1;

		if (tl_xtrace_read_snapshot(whole->trace, 0, i, &s) < 0 ||
		    s.index > cut->begins[cut->count])
			continue;
		while (cut->begins[file] > s.index)
			file--;
		put_number(snapshots + s.record_offset, file);
		put_number(snapshots + s.record_offset + 8, s.index - cut->begins[file]);
	}
}

static uint64_t damage_of(const struct opened *o, uint64_t *skipped)
{
	size_t listed;
	uint64_t count;

	tl_xtrace_faults(o->trace, &listed, &count, skipped);
	return count;
}

static void list(struct opened *o)
{
	FUZZ_MUST(tl_xtrace_list_tokens(o->trace, &tl_xtrace_everything, true, o->out, NULL) >= 0);
}

static void compare(struct opened *whole, struct opened *parts)
{
	const uint64_t bytes = tl_xtrace_stream(whole->trace, 0)->bytes;
	struct tl_xtrace_snapshot a, b;
	uint64_t skipped_a, skipped_b;
	size_t size_a, size_b;
	const char *text_a, *text_b;

	list(whole);
	list(parts);
	text_a = tl_output_bytes(whole->out, &size_a);
	text_b = tl_output_bytes(parts->out, &size_b);
	FUZZ_MUST(size_a == size_b && !memcmp(text_a, text_b, size_a));
	FUZZ_MUST(damage_of(whole, &skipped_a) == damage_of(parts, &skipped_b));
	FUZZ_MUST(skipped_a == skipped_b);
	FUZZ_MUST(tl_xtrace_stream(whole->trace, 0)->snapshots ==
		  tl_xtrace_stream(parts->trace, 0)->snapshots);
	for (uint32_t i = 0; i < tl_xtrace_stream(whole->trace, 0)->snapshots; i++)
		FUZZ_MUST(tl_xtrace_read_snapshot(whole->trace, 0, i, &a) ==
				  tl_xtrace_read_snapshot(parts->trace, 0, i, &b) &&
			  (a.offset == b.offset || a.offset > bytes));
}

static void with_one_missing(const struct pair *pair, struct cut cut)
{
	struct opened parts;
	uint64_t skipped;

	cut.missing = cut.count - 2;
	if (open_cut(&parts, pair, &cut) == 0) {
		list(&parts);
		FUZZ_MUST(damage_of(&parts, &skipped) > 0);
	}
	close_cut(&parts);
}

static void exercise(const struct pair *pair, const struct cut *cut, struct opened *whole)
{
	struct opened parts;
	uint8_t *snapshots = malloc(pair->snapshots_size + 1);
	struct pair numbered = *pair;

	FUZZ_MUST(snapshots);
	if (pair->snapshots_size)
		memcpy(snapshots, pair->snapshots, pair->snapshots_size);
	number_snapshots(whole, cut, snapshots);
	numbered.snapshots = snapshots;
	if (open_cut(&parts, &numbered, cut) == 0 && as_it_stands(&parts, pair))
		compare(whole, &parts);
	close_cut(&parts);
	with_one_missing(&numbered, *cut);
	free(snapshots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = pair_of(data, size);
	const struct cut cut = choose(data, size, pair.stream_size);
	struct opened whole;

	/* An index that is an instruction's number has no file. */
	if (open_cut(&whole, &pair, NULL) == 0 && as_it_stands(&whole, &pair) &&
	    !tl_xtrace_stream(whole.trace, 0)->ordinals)
		exercise(&pair, &cut, &whole);
	close_cut(&whole);
	return 0;
}
