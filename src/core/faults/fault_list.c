/* SPDX-License-Identifier: Apache-2.0 */
#include "core/faults/fault_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"
#include "core/output.h"

enum { FAULTS_LISTED = 1000 };

int tl_fault_note(struct tl_fault_list *faults, const struct tl_fault *fault, struct tl_error *err)
{
	if (faults->strict && fault->status)
		return tl_error_in(err, fault->status, fault->offset, fault->record, fault->text);
	faults->total++;
	faults->skipped_bytes += fault->length;
	if (faults->count < FAULTS_LISTED) {
		if (!tl_grow(&faults->list, &faults->capacity, faults->count + 1,
			     sizeof(*faults->list)))
			return tl_error_memory(err);
		faults->list[faults->count++] = *fault;
	}
	return faults->tell ? faults->tell(faults->arg, fault) : 0;
}

int tl_fault_write(struct tl_fault_list *faults, const struct tl_fault *fault, struct tl_error *err,
		   const char *format, ...)
{
	struct tl_fault made = *fault;
	char text[512];
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (size < 0)
		return tl_error_memory(err);
	made.text = tl_arena_copy(&faults->texts, text,
				  (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
	if (made.text)
		return tl_fault_note(faults, &made, err);
	return tl_error_memory(err);
}

static void put_json(struct tl_output *out, const struct tl_fault *fault)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, fault->rule, strlen(fault->rule));
	if (fault->offset == TL_NOWHERE)
		tl_put_text(out, ",\"offset\":null");
	else
		tl_put_format(out, ",\"offset\":%" PRIu64, fault->offset);
	if (fault->record == TL_NOWHERE)
		tl_put_text(out, ",\"record\":null");
	else
		tl_put_format(out, ",\"record\":%" PRIu64, fault->record);
	tl_put_text(out, fault->status ? ",\"damage\":true" : ",\"damage\":false");
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, fault->text, strlen(fault->text));
	tl_put_text(out, "}\n");
}

void tl_fault_put(struct tl_output *out, bool json, const struct tl_fault *fault)
{
	if (json) {
		put_json(out, fault);
		return;
	}
	tl_put_text(out, fault->rule);
	if (fault->offset != TL_NOWHERE)
		tl_put_format(out, " offset 0x%" PRIx64, fault->offset);
	if (fault->record != TL_NOWHERE)
		tl_put_format(out, " record %" PRIu64, fault->record);
	tl_put_text(out, fault->status ? ": " : ": (a remark) ");
	tl_put_shown(out, fault->text, strlen(fault->text));
	tl_put_char(out, '\n');
}

void tl_fault_list_free(struct tl_fault_list *faults)
{
	free(faults->list);
	tl_arena_free(&faults->texts);
	*faults = (struct tl_fault_list){ .strict = faults->strict };
}
