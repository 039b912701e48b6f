/* SPDX-License-Identifier: Apache-2.0 */
/* perf.data as an input: its records, and the Intel PT in it. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/source.h"
#include "open/format.h"
#include "perf_data/tell.h"

struct perf_input {
	struct tl_perf_reader *reader; /* of the last call: what it met is the damage */
};

static void close_perf(struct tl_input *input)
{
	struct perf_input *p = input->handle;

	tl_perf_close(p->reader);
	free(p);
	input->handle = NULL;
}

/* A reader at the first record. */
static int begin(struct tl_input *input, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	const struct tl_perf_options options = {
		.size = sizeof(options),
		.strict = input->options.strict,
		.in_order = !input->options.file_order,
	};

	tl_perf_close(p->reader);
	p->reader = NULL;
	return tl_perf_open(&p->reader, input->source, &options, err);
}

static int open_perf(struct tl_input *input, const char *const *paths, size_t path_count, const char **failed,
		     struct tl_error *err)
{
	(void)paths;
	(void)path_count;
	(void)failed;
	input->handle = calloc(1, sizeof(struct perf_input));
	return input->handle ? begin(input, err) : tl_error_memory(err);
}

static int describe_perf(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status = begin(input, err);

	return status < 0 ? status : tl_perf_describe(p->reader, json, out, err);
}

static int dump_perf(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status = begin(input, err);

	return status < 0 ? status : tl_perf_dump(p->reader, json, out, err);
}

static int64_t check_perf(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct perf_input *p = input->handle;
	int status = begin(input, err);

	return status < 0 ? status : tl_perf_check(p->reader, json, out, err);
}

static int cannot_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	(void)input;
	*profile = NULL;
	return tl_error_format(err, "perf",
			       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "samples are not folded into profiles"));
}

static int cannot_draw(struct tl_input *input, const char *format, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)format;
	(void)out;
	return tl_error_format(err, "perf",
			       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "samples make no timeline of calls"));
}

static int cannot_write(struct tl_input *input, const char *variant, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)variant;
	(void)out;
	return tl_error_format(err, "perf",
			       tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "perf.data is not written"));
}

static size_t damage_perf(struct tl_input *input, struct tl_damage *places, size_t room, uint64_t *count,
			  uint64_t *skipped_bytes)
{
	struct perf_input *p = input->handle;
	const struct tl_perf_fault *list;
	size_t listed;

	*count = *skipped_bytes = 0;
	if (!p->reader)
		return 0;
	list = tl_perf_faults(p->reader, &listed, count, skipped_bytes);
	listed = listed < room ? listed : room;
	for (size_t i = 0; i < listed; i++)
		places[i] = (struct tl_damage){
			.status = list[i].status,
			.text = list[i].text,
			.offset = list[i].offset,
			.length = list[i].length,
			.record = list[i].record,
		};
	return listed;
}

const struct tl_format tl_perf_format = {
	.info = TL_PERF_INFO,
	.probe = tl_perf_probe,
	.open = open_perf,
	.close = close_perf,
	.fold = cannot_fold,
	.describe = describe_perf,
	.dump = dump_perf,
	.check = check_perf,
	.timeline = cannot_draw,
	.reencode = cannot_write,
	.damage = damage_perf,
};
