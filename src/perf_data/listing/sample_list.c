/* SPDX-License-Identifier: Apache-2.0 */
/* A second pass over the records, whose nodes have the numbers that they had in the fold. */
#include "perf_data/listing/sample_list.h"

#include "core/error.h"
#include "core/output.h"
#include "perf_data/samples/event_names.h"
#include "perf_data/samples/pass.h"

struct sample_list {
	struct tl_perf_sample_pass pass;
	const struct tl_perf_sample_contexts *contexts;
	struct tl_output *out;
};

static void put_known(struct tl_output *out, const char *key, uint64_t number, uint64_t unknown)
{
	if (number == unknown)
		return;
	tl_put_text(out, key);
	tl_put_u64(out, number);
	tl_put_char(out, ',');
}

/* The kernel has -1 for a thread that is gone. */
static uint64_t known_id(uint64_t id)
{
	return id == UINT32_MAX ? TL_NOWHERE : id;
}

static int put_sample(void *arg, const struct tl_perf_record *rec, uint32_t event, uint64_t period,
		      uint32_t node, struct tl_error *err)
{
	const struct sample_list *list = arg;
	const struct tl_perf_attr *attr = &list->pass.reader->attrs.list[event];
	struct tl_output *out = list->out;
	char room[TL_PERF_EVENT_NAME_ROOM];
	const char *name = tl_perf_event_name(attr, room);

	tl_put_char(out, '{');
	put_known(out, "\"time\":", rec->id.time_ns, TL_NOWHERE);
	put_known(out, "\"thread\":", known_id(rec->id.thread), TL_NOWHERE);
	put_known(out, "\"cpu\":", rec->id.cpu, TL_NOWHERE);
	if (node < list->contexts->count)
		put_known(out, "\"stack\":", list->contexts->list[node], TL_NONE);
	tl_put_text(out, "\"event\":");
	tl_put_json(out, name, strlen(name));
	tl_put_text(out, ",\"period\":");
	tl_put_u64(out, period);
	tl_put_text(out, "}\n");
	if (!tl_output_failed(out))
		return 0;
	return tl_error_at(err, TL_IO, TL_NOWHERE, "the samples cannot be written");
}

int tl_perf_samples_list(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 const struct tl_perf_sample_contexts *contexts, struct tl_output *out,
			 struct tl_error *err)
{
	struct sample_list list = {
		.pass = tl_perf_sample_pass_of(reader, options),
		.contexts = contexts,
		.out = out,
	};
	int status;

	list.pass.listener.on_sample = put_sample;
	list.pass.listener.arg = &list;
	status = tl_perf_sample_pass_run(&list.pass, err);
	tl_perf_sample_pass_free(&list.pass);
	return status;
}
