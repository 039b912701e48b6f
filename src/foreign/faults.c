/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/faults.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

void tl_foreign_faults_clear(struct tl_foreign_faults *faults)
{
	faults->listed = 0;
	faults->count = faults->skipped_bytes = 0;
	tl_arena_free(&faults->texts);
	faults->texts = (struct tl_arena){ 0 };
}

void tl_foreign_faults_free(struct tl_foreign_faults *faults)
{
	tl_foreign_faults_clear(faults);
	free(faults->list);
	faults->list = NULL;
	faults->capacity = 0;
}

static void put_number(struct tl_output *out, const char *key, uint64_t number)
{
	tl_put_text(out, key);
	if (number == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, number);
}

static void put_json(struct tl_output *out, const struct tl_foreign_fault *fault)
{
	tl_put_text(out, "{\"rule\":");
	tl_put_json(out, fault->rule, strlen(fault->rule));
	put_number(out, ",\"offset\":", fault->offset);
	put_number(out, ",\"record\":", fault->record);
	tl_put_text(out, fault->status ? ",\"damage\":true" : ",\"damage\":false");
	tl_put_text(out, ",\"text\":");
	tl_put_json(out, fault->text, strlen(fault->text));
	tl_put_text(out, "}\n");
}

static void put_text(struct tl_output *out, const struct tl_foreign_fault *fault)
{
	tl_put_text(out, fault->rule);
	if (fault->offset != TL_NOWHERE)
		tl_put_format(out, " offset 0x%" PRIx64, fault->offset);
	if (fault->record != TL_NOWHERE)
		tl_put_format(out, " record %" PRIu64, fault->record);
	tl_put_text(out, fault->status ? ": " : ": (a remark) ");
	tl_put_shown(out, fault->text, strlen(fault->text));
	tl_put_char(out, '\n');
}

static int keep(struct tl_foreign_faults *faults, const struct tl_foreign_fault *fault,
		struct tl_error *err)
{
	faults->count++;
	if (faults->check)
		(faults->json ? put_json : put_text)(faults->check, fault);
	if (faults->listed == TL_FOREIGN_FAULTS)
		return 0;
	if (!tl_grow(&faults->list, &faults->capacity, faults->listed + 1, sizeof(*faults->list)))
		return tl_error_memory(err);
	faults->list[faults->listed++] = *fault;
	return 0;
}

int tl_foreign_broken(struct tl_foreign_faults *faults, const struct tl_foreign_fault *fault,
		      struct tl_error *err)
{
	if (faults->strict && fault->status)
		return tl_error_format(
			err, faults->format,
			tl_error_in(err, fault->status, fault->offset, fault->record, fault->text));
	faults->skipped_bytes += fault->length;
	return keep(faults, fault, err);
}

int tl_foreign_say(struct tl_foreign_faults *faults, enum tl_status status, const char *rule,
		   struct tl_error *err, const char *format, ...)
{
	struct tl_foreign_fault fault = { rule, status, NULL, TL_NOWHERE, 0, TL_NOWHERE };
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fault.text = tl_arena_copy(&faults->texts, text, strlen(text));
	return fault.text ? keep(faults, &fault, err) : tl_error_memory(err);
}
