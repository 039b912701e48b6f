/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "xray/format/yaml_text.h"
#include "xray/yaml/yaml_log.h"

struct writer {
	struct tl_xray_reader *reader;
	struct tl_xray_select *select;
	struct tl_output *out;
	uint32_t *last; /* by thread: the function of its last function record */
};

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

static void put_header(const struct writer *w)
{
	const struct tl_xray_info *info = &w->reader->info;

	tl_put_format(w->out,
		      "---\n"
		      "header:\n"
		      "  version:         %u\n"
		      "  type:            %u\n"
		      "  constant-tsc:    %s\n"
		      "  nonstop-tsc:     %s\n"
		      "  cycle-frequency: %" PRIu64 "\n"
		      "records:\n",
		      info->version,
		      info->mode == TL_XRAY_FDR ? TL_XRAY_TYPE_FDR : TL_XRAY_TYPE_BASIC,
		      truth(info->constant_tsc), truth(info->nonstop_tsc), info->frequency);
}

/* Threads are sorted by process and thread. */
static uint32_t *last_function(const struct writer *w, const struct tl_xray_record *record)
{
	const struct tl_xray_thread *threads = w->reader->threads;
	size_t low = 0, high = w->reader->thread_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (threads[middle].process < record->process ||
		    (threads[middle].process == record->process &&
		     threads[middle].thread < record->thread))
			low = middle + 1;
		else
			high = middle;
	}
	/* The array has one element more than there are threads. */
	return &w->last[low];
}

static int put_function(const struct writer *w, uint32_t id, struct tl_error *err)
{
	char digits[16];
	const char *name = digits;

	snprintf(digits, sizeof(digits), "%u", id);
	if (id && w->select->names.map) {
		uint32_t number = tl_xray_names_number(&w->select->names, id);

		if (number == TL_NONE)
			return tl_error_memory(err);
		name = w->select->names.names[number].name;
	}
	tl_put_format(w->out, "func-id: %u, function: ", id);
	tl_xray_put_yaml_text(w->out, name, strlen(name));
	return 0;
}

static void put_args(const struct writer *w, const struct tl_xray_record *record)
{
	if (!record->arg_count)
		return;
	tl_put_text(w->out, ", args: [ ");
	for (uint32_t i = 0; i < record->arg_count; i++) {
		if (i)
			tl_put_text(w->out, ", ");
		tl_put_u64(w->out, record->args[i]);
	}
	tl_put_text(w->out, " ]");
}

/* Numbers that are 0 are left out, as llvm-xray does it. */
static void put_unless_0(const struct writer *w, const char *key, uint32_t value)
{
	if (value)
		tl_put_format(w->out, ", %s: %u", key, value);
}

static const char *kind_name(const struct tl_xray_record *record)
{
	static const char *const actions[] = { "function-enter", "function-exit",
					       "function-tail-exit", "function-enter-arg" };

	return record->kind == TL_XRAY_FUNCTION ? actions[record->action]
						: tl_xray_kind_name(record->kind);
}

static int put_record(const struct writer *w, const struct tl_xray_record *record,
		      struct tl_error *err)
{
	bool function = record->kind == TL_XRAY_FUNCTION;
	uint32_t *last = last_function(w, record);
	int status;

	if (function)
		*last = record->function;
	tl_put_format(w->out, "  - { type: %u, ", function ? 0 : record->event_type);
	status = put_function(w, *last, err);
	if (function)
		put_args(w, record);
	tl_put_format(w->out, ", cpu: %u", record->cpu);
	put_unless_0(w, "thread", (uint32_t)record->thread);
	put_unless_0(w, "process", (uint32_t)record->process);
	tl_put_format(w->out, ", kind: %s, tsc: %" PRIu64 ", data: ", kind_name(record),
		      record->tsc);
	tl_xray_put_yaml_bytes(w->out, record->payload, function ? 0 : record->payload_size);
	tl_put_text(w->out, " }\n");
	return status;
}

static bool is_written(const struct tl_xray_record *record)
{
	return record->kind == TL_XRAY_FUNCTION || record->kind == TL_XRAY_CUSTOM_EVENT ||
	       record->kind == TL_XRAY_TYPED_EVENT;
}

static int put_records(const struct writer *w, struct tl_error *err)
{
	struct tl_xray_record record;
	int status;

	tl_xray_rewind(w->reader);
	while ((status = tl_xray_next_record(w->reader, &record, err)) == 1 &&
	       !tl_output_failed(w->out)) {
		if (is_written(&record) && tl_xray_selected(w->select, &record))
			status = put_record(w, &record, err);
		if (status < 0)
			break;
	}
	return tl_error_or_end(status);
}

int tl_xray_yaml_write(struct tl_xray_reader *reader, struct tl_xray_select *select,
		       struct tl_output *out, struct tl_error *err)
{
	struct writer w = { .reader = reader, .select = select, .out = out };
	int status;

	if (reader->info.mode == TL_XRAY_PROFILING)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "a profile of sums does not hold records");
	w.last = calloc(reader->thread_count + 1, sizeof(*w.last));
	if (!w.last)
		return tl_error_memory(err);
	put_header(&w);
	status = put_records(&w, err);
	tl_put_text(out, "...\n");
	free(w.last);
	return status;
}
