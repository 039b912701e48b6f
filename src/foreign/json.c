/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/json.h"

#include "core/arithmetic.h"
#include "core/error.h"

int tl_foreign_json_bad(struct tl_foreign_json *r, const char *rule, uint64_t offset,
			const char *text, struct tl_error *err)
{
	const struct tl_foreign_fault fault = {
		rule, TL_BAD_RECORD, text, offset, tl_json_offset(&r->json) - offset, r->record,
	};

	return tl_foreign_broken(&r->file->faults, &fault, err);
}

/* A fault of the text, which costs what lies between two places. */
static int note_fault(struct tl_foreign_json *r, int status, const char *text, uint64_t at,
		      uint64_t from, struct tl_error *err)
{
	const struct tl_foreign_fault fault = {
		"json", (enum tl_status)status,          text,
		at,     tl_json_offset(&r->json) - from, r->record,
	};

	return tl_foreign_broken(&r->file->faults, &fault, err);
}

int tl_foreign_json_members(struct tl_foreign_json *r, tl_foreign_value_fn *member, void *arg,
			    struct tl_error *err)
{
	int status;

	while ((status = tl_json_next(&r->json, err)) > 0 && r->json.token.kind == TL_JSON_KEY) {
		status = member(arg, err);
		if (status < 0 || r->ended)
			return status;
	}
	return tl_error_or_end(status);
}

/* Go on behind a fault. 1: the next token is the begin of an element; 0: there is none. */
static int recover(struct tl_foreign_json *r, int status, uint32_t depth, uint64_t from,
		   uint8_t open, struct tl_error *err)
{
	const char *text = r->json.fault;
	const uint64_t at = r->json.fault_offset;
	int found = open ? tl_json_resume(&r->json, depth, open, err) : 0;

	if (found < 0)
		return found;
	r->ended = !found;
	r->resumed += found > 0;
	status = note_fault(r, status, text, at, from, err);
	if (status < 0)
		return status;
	return found;
}

/* Take one element. 1; 0: there is none any more; negative: also a fault of the text. */
static int take_element(struct tl_foreign_json *r, uint32_t depth, uint64_t *from,
			tl_foreign_value_fn *element, void *arg, struct tl_error *err)
{
	int status;

	*from = tl_json_offset(&r->json);
	status = tl_json_next(&r->json, err);
	if (status == TL_TRUNCATED && r->open_end && r->json.depth == depth &&
	    r->json.fault_offset == tl_json_offset(&r->json)) {
		r->ended = true;
		return 0;
	}
	if (status <= 0 || (r->json.token.kind == TL_JSON_ARRAY_END && r->json.depth < depth))
		return tl_error_or_end(status);
	*from = r->json.token.offset;
	status = element(arg, err);
	if (status < 0)
		return status;
	return !r->ended;
}

int tl_foreign_json_elements(struct tl_foreign_json *r, uint8_t open, tl_foreign_value_fn *element,
			     void *arg, struct tl_error *err)
{
	const uint32_t depth = r->json.depth;
	const uint64_t outer = r->record;
	uint64_t from;
	int status;

	r->record = 0;
	while ((status = take_element(r, depth, &from, element, arg, err))) {
		if (status < 0 && tl_json_is_fault(&r->json, status) && !r->ended)
			status = recover(r, status, depth, from, open, err);
		if (status <= 0)
			break;
		r->record++;
	}
	r->record = outer;
	return status;
}

int tl_foreign_json_text(struct tl_foreign_json *r, struct tl_source *source,
			 tl_foreign_value_fn *value, void *arg, struct tl_error *err)
{
	int status;

	if (!tl_json_begin(&r->json, source))
		return tl_error_memory(err);
	r->record = TL_NOWHERE;
	status = tl_json_next(&r->json, err);
	if (status > 0)
		status = value(arg, err);
	/* What stands behind the value is a fault, too. */
	if (status == 0 && !r->ended)
		status = tl_json_next(&r->json, err);
	if (status < 0 && tl_json_is_fault(&r->json, status) && !r->ended)
		status = recover(r, status, 0, r->json.fault_offset, 0, err);
	tl_json_end(&r->json);
	return tl_error_or_end(status);
}

void tl_foreign_put_decimal(struct tl_output *out, const struct tl_decimal *number)
{
	char digits[24], *end = tl_format_u64(digits, number->digits);
	const int count = (int)(end - digits), whole = count + number->exponent;
	const int before_point = tl_max(0, whole);

	if (number->negative)
		tl_put_char(out, '-');
	if (number->exponent > 0 || whole < -6) {
		tl_put_bytes(out, digits, (size_t)count);
		tl_put_format(out, "e%d", (int)number->exponent);
		return;
	}
	if (before_point)
		tl_put_bytes(out, digits, (size_t)before_point);
	else
		tl_put_char(out, '0');
	if (!number->exponent)
		return;
	tl_put_char(out, '.');
	for (int i = whole; i < 0; i++)
		tl_put_char(out, '0');
	tl_put_bytes(out, digits + before_point, (size_t)(count - before_point));
}

int tl_foreign_json_skip(struct tl_foreign_json *r, struct tl_error *err)
{
	const int status = tl_json_skip(&r->json, err);

	return tl_error_or_end(status);
}

/* The rest of a value whose first token was read. */
static int pass_rest(struct tl_foreign_json *r, struct tl_error *err)
{
	const enum tl_json_kind kind = r->json.token.kind;

	if (kind == TL_JSON_OBJECT || kind == TL_JSON_ARRAY)
		return tl_foreign_json_skip(r, err);
	return 0;
}

int tl_foreign_json_number(struct tl_foreign_json *r, struct tl_decimal *number, bool *is,
			   struct tl_error *err)
{
	const int status = tl_json_next(&r->json, err);

	*is = false;
	if (status < 0)
		return status;
	*is = r->json.token.kind == TL_JSON_NUMBER &&
	      tl_decimal_parse(r->json.token.text, r->json.token.size, number);
	return pass_rest(r, err);
}

int tl_foreign_json_name_here(struct tl_foreign_json *r, uint32_t *name, struct tl_error *err)
{
	size_t size;
	const char *text = tl_json_string(&r->json, &size, err);

	if (!text)
		return TL_NO_MEMORY;
	*name = tl_names_add(&r->file->stacks.names, text, size);
	if (*name == TL_NONE)
		return tl_error_memory(err);
	return 0;
}

int tl_foreign_json_name(struct tl_foreign_json *r, uint32_t *name, struct tl_error *err)
{
	const int status = tl_json_next(&r->json, err);

	*name = 0;
	if (status < 0)
		return status;
	if (r->json.token.kind == TL_JSON_STRING)
		return tl_foreign_json_name_here(r, name, err);
	return pass_rest(r, err);
}
