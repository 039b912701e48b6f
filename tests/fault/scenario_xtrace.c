/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with xtrace pairs, in steps: the data of a scene is a pair in one piece, its path
 * that of the instruction stream, with the snapshots beside it. */
#include <tracelathe/open.h>

#include "exercise_xtrace.h"
#include "scenario.h"
#include "xtrace/listing/describe.h"

/* FNV-1a, as in scenario.c. */
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

/* The bytes of an output into the digest, and its end. */
static int take_output(struct tl_output *out, int status, uint64_t *digest)
{
	size_t size = 0;
	const char *bytes = out ? tl_output_bytes(out, &size) : NULL;

	if (status < 0 || !out) {
		tl_output_discard(out);
		return status;
	}
	digest_bytes(digest, bytes, size);
	return tl_output_commit(out, NULL);
}

static int read_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct pair pair = pair_of(scene->data, scene->size);
	struct tl_xtrace_reader *reader = NULL;
	struct tl_xtrace_instruction i;
	struct tl_xtrace_token token;
	struct open_pair open;
	int status = open_pair(&open, &pair, NULL);

	if (status == 0)
		status = tl_xtrace_reader_open(&reader, open.trace, 0, TL_NONE, &open.err);
	if (status == 0 && variant)
		while ((status = tl_xtrace_next(reader, &i, sizeof(i), &open.err)) == 1)
			digest_number(digest, i.pc + i.loads);
	else if (status == 0)
		while ((status = tl_xtrace_next_token(reader, &token, sizeof(token), &open.err)) ==
		       1)
			digest_number(digest, token.offset ^ token.value);
	tl_xtrace_reader_close(reader);
	close_pair(&open);
	return status;
}

/* Info by one and two threads and with distinct PCs, tokens, snapshots, a difference; as text and
 * as JSON. */
enum { TELLINGS = 6 };

static int tell_of(struct tl_xtrace_trace *trace, unsigned what, bool json, struct tl_output *out,
		   struct tl_error *err)
{
	struct tl_xtrace_select select = tl_xtrace_everything;

	select.jobs = what == 1 ? 2 : 1;
	select.exact = what == 2;
	if (what < 3)
		return tl_xtrace_describe(trace, &select, json, out, err);
	if (what == 3)
		return tl_xtrace_list_tokens(trace, &select, json, out, err);
	return tl_xtrace_list_snapshots(trace, &select, what == 4 ? TL_NONE : 0, 0, json, out, err);
}

static int tell_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct pair pair = pair_of(scene->data, scene->size);
	struct tl_output *out = NULL;
	struct open_pair open;
	int status = open_pair(&open, &pair, NULL);

	if (status == 0)
		status = tl_output_open_memory(&out, &open.err);
	if (status == 0)
		status = tell_of(open.trace, variant % TELLINGS, variant >= TELLINGS, out,
				 &open.err);
	close_pair(&open);
	return take_output(out, status, digest);
}

static int check_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct pair pair = pair_of(scene->data, scene->size);
	struct open_pair open;
	int64_t found = open_pair(&open, &pair, NULL);

	(void)variant;
	if (found == 0)
		found = tl_xtrace_check(open.trace, NULL, NULL, &open.err);
	if (found >= 0)
		digest_number(digest, (uint64_t)found);
	close_pair(&open);
	return found < 0 ? (int)found : 0;
}

static int slice_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct pair pair = pair_of(scene->data, scene->size);
	const struct tl_xtrace_slice slice = {
		.size = sizeof(slice),
		.end_snapshot = TL_NONE,
		.first_instruction = variant ? 5 : 0,
		.end_instruction = variant ? 20 : TL_NOWHERE,
	};
	struct tl_output *out = NULL, *snapshots = NULL;
	struct open_pair open;
	int status = open_pair(&open, &pair, NULL);

	if (status == 0)
		status = tl_output_open_memory(&out, &open.err);
	if (status == 0)
		status = tl_output_open_memory(&snapshots, &open.err);
	if (status == 0)
		status = tl_xtrace_slice_write(open.trace, &slice, out, snapshots, &open.err);
	close_pair(&open);
	status = take_output(out, status, digest);
	return take_output(snapshots, status, digest);
}

/* As a program; what cannot run is refused, which is an answer, too. */
static int run_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct pair pair = pair_of(scene->data, scene->size);
	const struct tl_xtrace_slice slice = { .size = sizeof(slice),
					       .end_snapshot = TL_NONE,
					       .end_instruction = variant ? 12 : TL_NOWHERE };
	struct tl_output *out = NULL;
	struct open_pair open;
	int status = open_pair(&open, &pair, NULL);

	if (status == 0)
		status = tl_output_open_memory(&out, &open.err);
	if (status == 0)
		status = tl_xtrace_slice_elf(open.trace, &slice, out, &open.err);
	if (status == TL_UNSUPPORTED || status == TL_BAD_USAGE)
		status = 0;
	close_pair(&open);
	return take_output(out, status, digest);
}

/* Through the registry, with the second file found beside the first. */
static int use_pair(const struct scene *scene, unsigned variant, uint64_t *digest)
{
	const struct tl_input_options options = {
		.size = sizeof(options),
		.format = variant & 4 ? "xtrace" : NULL,
		.filter.thread = TL_NOWHERE,
		.filter.process = TL_NOWHERE,
		.filter.cpu = TL_NOWHERE,
		.strict = variant & 4,
		.xtrace.layout = "header=24",
		.jobs = 2,
	};
	struct tl_output *out = NULL;
	struct tl_input *input = NULL;
	const char *failed;
	int status = tl_input_open(&input, &scene->path, 1, &options, &failed, NULL);

	if (status == 0)
		status = tl_output_open_memory(&out, NULL);
	if (status == 0 && variant % 4 == 0)
		status = tl_input_info(input, TL_REPORT_JSON, out, NULL);
	else if (status == 0 && variant % 4 == 1)
		status = tl_input_dump(input, TL_REPORT_TEXT, out, NULL);
	else if (status == 0 && variant % 4 == 2)
		status = (int)tl_input_check(input, TL_REPORT_JSON, out, NULL);
	else if (status == 0)
		status = tl_input_reencode(input, "xtrace", NULL, out, NULL);
	tl_input_close(input);
	return take_output(out, status, digest);
}

const struct step xtrace_steps[] = {
	{ "read a pair", read_pair, 2 },
	{ "tell of a pair", tell_pair, 2 * TELLINGS },
	{ "check a pair", check_pair, 1 },
	{ "cut a pair", slice_pair, 2 },
	{ "run a pair", run_pair, 2 },
	{ "use a pair", use_pair, 8 },
	{ NULL, NULL, 0 },
};
