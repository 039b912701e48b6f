/* SPDX-License-Identifier: Apache-2.0 */
/* Collected records as an FDR log. */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "xray/records/writer.h"
#include "xray/yaml/collected.h"

/* Function records in each buffer: the text says nothing of buffers. */
enum { ITEMS_PER_BUFFER = 1024 };

static bool same_thread(const struct tl_xray_item *a, const struct tl_xray_item *b)
{
	return a->process == b->process && a->thread == b->thread;
}

static int compare_items(const void *left, const void *right)
{
	const struct tl_xray_item *a = left, *b = right;

	if (a->process != b->process)
		return tl_compare(a->process, b->process);
	if (a->thread != b->thread)
		return tl_compare(a->thread, b->thread);
	return tl_compare(a->order, b->order);
}

static bool in_order(const struct tl_xray_collected *all)
{
	for (size_t i = 1; i < all->count; i++)
		if (compare_items(&all->items[i - 1], &all->items[i]) > 0)
			return false;
	return true;
}

static int put_arguments(struct tl_xray_writer *writer, const struct tl_xray_collected *all,
			 const struct tl_xray_item *item, struct tl_error *err)
{
	struct tl_xray_record record = { .kind = TL_XRAY_CALL_ARGUMENT,
					 .thread = item->thread,
					 .process = item->process };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < item->extra_count; i++) {
		record.value = all->args[item->extra + i];
		status = tl_xray_writer_put_unsized(writer, &record, err);
	}
	return status;
}

static int put_item(struct tl_xray_writer *writer, const struct tl_xray_collected *all,
		    const struct tl_xray_item *item, struct tl_error *err)
{
	bool function = item->kind == TL_XRAY_FUNCTION;
	struct tl_xray_record record = {
		.kind = item->kind,
		.action = item->action,
		.function = item->id,
		.tsc = item->tsc,
		.thread = item->thread,
		.process = item->process,
		.cpu = item->cpu,
		.event_type = item->event_type,
	};
	int status;

	if (!function && item->extra_count) {
		record.payload = all->bytes + item->extra;
		record.payload_size = item->extra_count;
	}
	status = tl_xray_writer_put_unsized(writer, &record, err);
	if (status == 0 && function)
		return put_arguments(writer, all, item, err);
	return status;
}

static int put_items(struct tl_xray_writer *writer, const struct tl_xray_collected *all,
		     struct tl_error *err)
{
	struct tl_xray_record buffer = { .kind = TL_XRAY_NEW_BUFFER };
	size_t in_buffer = 0;
	int status = 0;

	for (size_t i = 0; status == 0 && i < all->count; i++, in_buffer++) {
		const struct tl_xray_item *item = &all->items[i];

		if (!i || in_buffer == ITEMS_PER_BUFFER || !same_thread(item, item - 1)) {
			buffer.thread = item->thread;
			buffer.process = item->process;
			status = tl_xray_writer_put_unsized(writer, &buffer, err);
			in_buffer = 0;
		}
		if (status == 0)
			status = put_item(writer, all, item, err);
	}
	return status;
}

int tl_xray_collected_write(struct tl_xray_collected *all, struct tl_output *log,
			    struct tl_error *err)
{
	struct tl_xray_writer *writer;
	int status, finished;

	if (!in_order(all))
		qsort(all->items, all->count, sizeof(*all->items), compare_items);
	status = tl_xray_writer_open(&writer, log, &all->header, err);
	if (status < 0)
		return status;
	status = put_items(writer, all, err);
	finished = tl_xray_writer_finish(writer, status < 0 ? NULL : err);
	if (status == 0)
		status = finished;
	if (status == 0 && tl_output_failed(log))
		status = tl_error_memory(err);
	return status;
}
