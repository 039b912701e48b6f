/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/faults.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"
#include "core/faults/fault_list.h"

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

static void put(const struct tl_foreign_faults *faults, const struct tl_foreign_fault *fault)
{
	const struct tl_fault line = {
		.rule = fault->rule,
		.text = fault->text,
		.status = fault->status,
		.offset = fault->offset,
		.length = fault->length,
		.record = fault->record,
	};

	tl_fault_put(faults->check, faults->json, &line);
}

static int keep(struct tl_foreign_faults *faults, const struct tl_foreign_fault *fault,
		struct tl_error *err)
{
	faults->count++;
	if (faults->check)
		put(faults, fault);
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
	if (fault.text)
		return keep(faults, &fault, err);
	return tl_error_memory(err);
}
