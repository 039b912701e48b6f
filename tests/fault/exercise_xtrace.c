/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_xtrace.h"

#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "xtrace/check/check.h"
#include "xtrace/listing/describe.h"

struct pair pair_of(const uint8_t *data, size_t size)
{
	size_t stream = size < 4 ? 0
				 : data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 |
					   (size_t)data[3] << 24;
	size_t left = size < 4 ? 0 : size - 4;

	stream = stream < left ? stream : left;
	return (struct pair){ data + (size < 4 ? 0 : 4), data + (size < 4 ? 0 : 4) + stream, stream,
			      left - stream };
}

int open_pair(struct open_pair *open, const struct pair *pair,
	      const struct tl_xtrace_options *options)
{
	struct tl_xtrace_options alone = { .size = sizeof(alone) };
	struct tl_xtrace_file files[2] = { { "a.xinsndata.bin", NULL },
					   { "a.xsnapshot.bin", NULL } };
	int status;

	*open = (struct open_pair){ .trace = NULL };
	if (options)
		alone = *options;
	alone.alone = true;
	status = tl_source_open_memory(&open->sources[0], pair->stream, pair->stream_size, "a",
				       &open->err);
	if (status == 0)
		status = tl_source_open_memory(&open->sources[1], pair->snapshots,
					       pair->snapshots_size, "b", &open->err);
	files[0].source = open->sources[0];
	files[1].source = open->sources[1];
	return status < 0 ? status
			  : tl_xtrace_open(&open->trace, files, 2, &alone, NULL, &open->err);
}

void close_pair(struct open_pair *open)
{
	tl_xtrace_close(open->trace);
	tl_source_close(open->sources[0]);
	tl_source_close(open->sources[1]);
}

/* What mutants begin with may make them compressed files: sizes are those of what is in them. */
static uint64_t stream_bytes(const struct open_pair *open)
{
	return tl_xtrace_stream(open->trace, 0)->bytes;
}

/* ---- tokens ---- */

struct sums {
	uint64_t tokens, bytes, instructions, accesses;
	uint64_t touched; /* of payloads: a sanitizer sees what is not there */
	const char *broken;
};

static struct sums read_tokens(struct open_pair *open)
{
	uint64_t size = stream_bytes(open);
	struct sums sums = { .tokens = 0 };
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_token token;
	uint64_t end = 0;
	int status;

	if (tl_xtrace_reader_open(&reader, open->trace, 0, TL_NONE, &open->err) < 0) {
		sums.broken = "cannot be read at all";
		return sums;
	}
	while ((status = tl_xtrace_next_token(reader, &token, sizeof(token), &open->err)) == 1) {
		if (token.offset < end || token.length > size ||
		    token.offset > size - token.length || !token.length)
			sums.broken = "a token is not behind the one before it";
		end = token.offset + token.length;
		sums.tokens++;
		sums.bytes += token.length;
		sums.instructions += token.kind == TL_XTRACE_INST || token.kind == TL_XTRACE_PCINST;
		sums.accesses += token.kind == TL_XTRACE_LOAD || token.kind == TL_XTRACE_STORE;
		for (uint64_t i = 0; i < token.data_size; i++)
			sums.touched += token.data[i];
	}
	if (status < 0)
		sums.broken = "damage is not survived";
	tl_xtrace_reader_close(reader);
	return sums;
}

static struct sums read_instructions(struct open_pair *open)
{
	struct sums sums = { .tokens = 0 };
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction i;
	struct tl_xtrace_access access;
	uint64_t end = 0;

	if (tl_xtrace_reader_open(&reader, open->trace, 0, TL_NONE, &open->err) < 0)
		return sums;
	for (; tl_xtrace_next(reader, &i, sizeof(i), &open->err) == 1; sums.instructions++) {
		if (i.offset < end || i.ordinal != sums.instructions)
			sums.broken = "an instruction is not behind the one before it";
		end = i.offset + i.length;
		for (uint64_t at = 0;
		     tl_xtrace_access_next(reader, &i, &at, &access, sizeof(access));)
			sums.accesses++;
	}
	tl_xtrace_reader_close(reader);
	return sums;
}

static uint64_t skipped(const struct open_pair *open, const char *path)
{
	size_t listed;
	uint64_t count, bytes, sum = 0;
	const struct tl_xtrace_fault *faults =
		tl_xtrace_faults(open->trace, &listed, &count, &bytes);

	for (size_t i = 0; i < listed; i++)
		if (faults[i].path && !strcmp(faults[i].path, path))
			sum += faults[i].length;
	return sum;
}

const char *exercise_tokens(const struct pair *pair)
{
	const struct tl_xtrace_options strict = { .size = sizeof(strict), .strict = true };
	struct open_pair open;
	struct sums tokens, instructions;
	const char *broken = NULL;

	if (open_pair(&open, pair, NULL) < 0) {
		close_pair(&open);
		return "cannot be opened";
	}
	tokens = read_tokens(&open);
	if (tokens.broken)
		broken = tokens.broken;
	else if (tokens.bytes + skipped(&open, "a.xinsndata.bin") != stream_bytes(&open))
		broken = "bytes are neither read nor skipped";
	instructions = read_instructions(&open);
	if (!broken && instructions.broken)
		broken = instructions.broken;
	/* Accesses in front of the first instruction of a segment belong to none. */
	if (!broken && (instructions.instructions != tokens.instructions ||
			instructions.accesses > tokens.accesses))
		broken = "instructions are not those of the tokens";
	close_pair(&open);
	if (open_pair(&open, pair, &strict) == 0) {
		tokens = read_tokens(&open);
		if (!broken && tokens.bytes > stream_bytes(&open))
			broken = "a strict reader finds more than there is";
	}
	close_pair(&open);
	return broken;
}

/* ---- telling ---- */

enum telling { INFO, DUMP, SNAPSHOTS };

/* The text, to free(). */
static char *tell(const struct pair *pair, enum telling what, unsigned jobs, bool json)
{
	struct tl_xtrace_select select = tl_xtrace_everything;
	struct open_pair open;
	struct tl_output *out = NULL;
	char *text = NULL;
	size_t size;
	int status = open_pair(&open, pair, NULL);

	select.jobs = jobs;
	if (status == 0)
		status = tl_output_open_memory(&out, &open.err);
	if (status == 0 && what == INFO)
		status = tl_xtrace_describe(open.trace, &select, json, out, &open.err);
	else if (status == 0 && what == DUMP)
		status = tl_xtrace_list_tokens(open.trace, &select, json, out, &open.err);
	else if (status == 0)
		status = tl_xtrace_list_snapshots(open.trace, &select, TL_NONE, TL_NONE, json, out,
						  &open.err);
	if (status == 0) {
		const char *bytes = tl_output_bytes(out, &size);

		text = malloc(size + 1);
		if (text) {
			memcpy(text, bytes, size);
			text[size] = '\0';
		}
	}
	tl_output_discard(out);
	close_pair(&open);
	return text;
}

static const char *tell_by_two(const struct pair *pair)
{
	/* Beginning a thread takes as long as a hundred other inputs. */
	bool alone = exercise_is_short() && !exercise_does(0, 16);
	char *one = tell(pair, INFO, 1, false), *two = tell(pair, INFO, alone ? 1 : 2, false);
	const char *broken = one && two ? NULL : "cannot be told of";

	if (!broken && strcmp(one, two))
		broken = "two threads tell something else than one";
	free(one);
	free(two);
	return broken;
}

const char *exercise_tell(const struct pair *pair)
{
	const char *broken = exercise_does(4, 5) ? tell_by_two(pair) : NULL;

	for (unsigned i = 0; i < 4 && !broken; i++) {
		char *one;

		if (!exercise_does(i, 5))
			continue;
		one = tell(pair, i & 1 ? DUMP : SNAPSHOTS, 1, i & 2);
		if (!one)
			broken = "cannot be dumped";
		free(one);
	}
	return broken;
}

/* ---- checking ---- */

struct limits {
	const struct open_pair *open;
	uint64_t count;
	bool broken;
};

static int note(void *arg, const struct tl_xtrace_violation *v)
{
	struct limits *limits = arg;
	bool of_snapshots = v->path && !strcmp(v->path, "a.xsnapshot.bin");
	uint64_t size = of_snapshots ? tl_xtrace_stream(limits->open->trace, 0)->snapshot_bytes
				     : stream_bytes(limits->open);

	/* "How the collector writes": of the whole stream, and not counted. */
	if (v->note)
		size = TL_NOWHERE;
	limits->count += !v->note;
	if (!v->rule || !v->text || !v->path || v->offset > size)
		limits->broken = true;
	return 0;
}

const char *exercise_check(const struct pair *pair)
{
	struct open_pair open;
	struct limits limits = { .open = &open };
	int64_t found = 0, plainly = 0;

	if (open_pair(&open, pair, NULL) == 0) {
		found = tl_xtrace_check(open.trace, note, &limits, &open.err);
		plainly = tl_xtrace_check_plainly(open.trace, NULL, NULL, &open.err);
	}
	close_pair(&open);
	if (found != plainly)
		return "blocks have other violations than their instructions";
	if (found < 0)
		return "cannot be checked";
	if (limits.broken)
		return "a violation is nowhere";
	return (uint64_t)found == limits.count ? NULL : "violations are counted wrongly";
}

/* ---- slices ---- */

struct part {
	struct tl_output *stream, *snapshots;
	int status;
};

static struct part cut(const struct pair *pair, uint64_t from, uint64_t to)
{
	const struct tl_xtrace_slice slice = { .size = sizeof(slice),
					       .end_snapshot = TL_NONE,
					       .first_instruction = from,
					       .end_instruction = to };
	struct part part = { .stream = NULL };
	struct open_pair open;

	part.status = open_pair(&open, pair, NULL);
	if (part.status == 0)
		part.status = tl_output_open_memory(&part.stream, &open.err);
	if (part.status == 0)
		part.status = tl_output_open_memory(&part.snapshots, &open.err);
	if (part.status == 0)
		part.status = tl_xtrace_slice_write(open.trace, &slice, part.stream, part.snapshots,
						    &open.err);
	close_pair(&open);
	return part;
}

static void free_part(struct part *part)
{
	tl_output_discard(part->stream);
	tl_output_discard(part->snapshots);
}

/* What a part reads as; it was written in our own way, and is not damaged. */
static struct sums read_part(const struct part *part, const char **broken)
{
	const struct tl_xtrace_options ours = { .size = sizeof(ours), .layout = "time=8,codes=5" };
	struct pair pair = { .stream = NULL };
	struct open_pair open;
	struct sums sums = { .tokens = 0 };

	pair.stream = (const uint8_t *)tl_output_bytes(part->stream, &pair.stream_size);
	pair.snapshots = (const uint8_t *)tl_output_bytes(part->snapshots, &pair.snapshots_size);
	if (open_pair(&open, &pair, &ours) == 0)
		sums = read_tokens(&open);
	else
		*broken = "a part cannot be opened";
	if (open.trace && skipped(&open, "a.xinsndata.bin"))
		*broken = "a part is damaged";
	close_pair(&open);
	return sums;
}

/* A program is made, or a reason is given. */
static const char *make_program(const struct pair *pair)
{
	const struct tl_xtrace_slice slice = { .size = sizeof(slice),
					       .end_snapshot = TL_NONE,
					       .end_instruction = TL_NOWHERE };
	struct tl_output *out = NULL;
	struct open_pair open;
	const char *broken = NULL;
	int status = open_pair(&open, pair, NULL);
	size_t size = 0;

	if (status < 0 || tl_output_open_memory(&out, NULL) < 0) {
		close_pair(&open);
		return NULL;
	}
	status = tl_xtrace_slice_elf(open.trace, &slice, out, &open.err);
	tl_output_bytes(out, &size);
	if (status == 0 && !size)
		broken = "a program is empty";
	else if (status < 0 && !open.err.text)
		broken = "a program is refused without a reason";
	tl_output_discard(out);
	close_pair(&open);
	return broken;
}

enum { SP_AT = 24 + 32 + 31 * 8 }; /* in a snapshot file with a header of our own */

/* A pair as two threads, the second of which begins on another stack. */
struct open_threads {
	struct tl_xtrace_file files[4];
	uint8_t *other; /* the second one's snapshots */
	struct tl_xtrace_trace *trace;
	struct tl_error err;
};

static int open_threads(struct open_threads *open, const struct pair *pair)
{
	static const char *const names[4] = { "xtrace.1.0.hint9.xinsndata.bin",
					      "xtrace.1.0.hint9.xsnapshot.bin",
					      "xtrace.1.1.hint9.xinsndata.bin",
					      "xtrace.1.1.hint9.xsnapshot.bin" };
	const struct tl_xtrace_options alone = { .size = sizeof(alone), .alone = true };
	int status = 0;

	*open = (struct open_threads){ .other = malloc(pair->snapshots_size + 1) };
	if (!open->other)
		return TL_NO_MEMORY;
	memcpy(open->other, pair->snapshots, pair->snapshots_size);
	if (pair->snapshots_size > SP_AT + 3)
		open->other[SP_AT + 3] ^= 0x10;
	for (size_t i = 0; status == 0 && i < 4; i++) {
		const uint8_t *snapshots = i == 1 ? pair->snapshots : open->other;

		open->files[i].path = names[i];
		status = tl_source_open_memory(
			&open->files[i].source, i % 2 ? snapshots : pair->stream,
			i % 2 ? pair->snapshots_size : pair->stream_size, names[i], &open->err);
	}
	if (status < 0)
		return status;
	return tl_xtrace_open(&open->trace, open->files, 4, &alone, NULL, &open->err);
}

static void close_threads(struct open_threads *open)
{
	tl_xtrace_close(open->trace);
	for (size_t i = 0; i < 4; i++)
		tl_source_close(open->files[i].source);
	free(open->other);
}

static const char *make_threads(const struct pair *pair)
{
	const struct tl_xtrace_slice slice = { .size = sizeof(slice),
					       .stream = TL_NONE,
					       .end_snapshot = TL_NONE,
					       .end_instruction = TL_NOWHERE };
	struct open_threads open;
	struct tl_output *out = NULL;
	const char *broken = NULL;
	int status = open_threads(&open, pair);
	size_t size = 0;

	if (status < 0 || tl_output_open_memory(&out, NULL) < 0) {
		close_threads(&open);
		return NULL;
	}
	status = tl_xtrace_slice_elf(open.trace, &slice, out, &open.err);
	tl_output_bytes(out, &size);
	if (status == 0 && !size)
		broken = "a program of threads is empty";
	else if (status < 0 && !open.err.text)
		broken = "a program of threads is refused without a reason";
	tl_output_discard(out);
	close_threads(&open);
	return broken;
}

const char *exercise_slice(const struct pair *pair)
{
	const char *broken = exercise_does(0, 3) ? make_program(pair) : NULL;
	struct sums sums, parts = { .tokens = 0 };
	struct open_pair open;
	struct part whole;

	if (!broken && exercise_does(0, 3))
		broken = make_threads(pair);
	if (exercise_is_short() && exercise_does(0, 3))
		return broken;
	whole = cut(pair, 0, TL_NOWHERE);
	if (whole.status < 0 && whole.status != TL_UNSUPPORTED && whole.status != TL_BAD_USAGE)
		broken = "cannot be cut";
	if (whole.status < 0 || open_pair(&open, pair, NULL) < 0) {
		free_part(&whole);
		return broken;
	}
	sums = read_tokens(&open);
	close_pair(&open);
	if (read_part(&whole, &broken).tokens != sums.tokens)
		broken = "the whole is not the whole";
	free_part(&whole);
	for (unsigned i = 0; i < 2 && sums.instructions > 1 && exercise_does(1, 3); i++) {
		uint64_t middle = sums.instructions / 2;
		struct part part = cut(pair, i ? middle : 0, i ? TL_NOWHERE : middle);
		struct sums got = { .tokens = 0 };

		if (part.status < 0)
			broken = "a half cannot be cut";
		else
			got = read_part(&part, &broken);
		parts.instructions += got.instructions;
		free_part(&part);
	}
	if (!broken && sums.instructions > 1 && exercise_does(1, 3) &&
	    parts.instructions != sums.instructions)
		broken = "two halves are not the whole";
	return broken;
}
