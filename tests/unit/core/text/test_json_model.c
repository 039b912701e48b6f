/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of JSON that are drawn: their tokens, those of values that are passed over, and the
 * members of objects are those that were written, through a buffer that is filled again and again
 * (the text comes out of gzip, so that the buffer is less than it) and from one that has it whole.
 */
#include "drawn_json.h"

#include <tracelathe/core.h>

#include "../../temp.h"
#include "../packers.h"

/* ---- opening ---- */

struct opened {
	struct tl_source *source;
	struct packed packed;
	struct tl_json json;
};

static void open_text(struct opened *o, const struct drawn_json *d, bool packed)
{
	*o = (struct opened){ .source = NULL };
	if (packed)
		o->packed = pack_gzip((const uint8_t *)d->text, d->size);
	assert_int_equal(tl_source_open_memory(&o->source,
					       packed ? (void *)o->packed.data : d->text,
					       packed ? o->packed.size : d->size, "text", NULL),
			 0);
	assert_true(tl_json_begin(&o->json, o->source));
}

static void close_text(struct opened *o)
{
	tl_json_end(&o->json);
	tl_source_close(o->source);
	free(o->packed.data);
}

static void assert_token(struct tl_json *json, const struct drawn_json *d, size_t number)
{
	const struct wanted_token *wanted = &d->tokens[number];
	const struct tl_json_token *token = &json->token;

	if (token->kind != wanted->kind || token->offset != wanted->offset)
		fail_msg("token %zu is of kind %d at %zu, not %d at %zu", number, (int)token->kind,
			 (size_t)token->offset, (int)wanted->kind, wanted->offset);
	if (wanted->kind != TL_JSON_KEY && wanted->kind != TL_JSON_STRING &&
	    wanted->kind != TL_JSON_NUMBER)
		return;
	assert_int_equal(token->size, wanted->size);
	assert_memory_equal(token->text, d->text + wanted->text, wanted->size);
	if (wanted->kind != TL_JSON_NUMBER) {
		const bool escaped = memchr(d->text + wanted->text, '\\', wanted->size);
		size_t size;
		const char *have = tl_json_string(json, &size, NULL);

		assert_int_equal(token->escaped, escaped);
		assert_int_equal(size, wanted->plain_size);
		assert_memory_equal(have, d->plain + wanted->plain, size);
	}
}

/* ---- tokens ---- */

/* "The tokens of a JSON text, one at a time, through a buffer that is as long as the longest" */
TEST(tokens_are_those_that_were_written)
{
	for (uint32_t seed = 1; seed <= 120; seed++) {
		struct drawn_json d;

		json_begin(&d, seed);
		d.unusual = seed % 2;
		d.deepest = seed % 7;
		/* some strings are longer than the smallest buffer */
		d.longest = seed % 5 == 0 ? 3000 : 12;
		json_blanks(&d);
		json_container(&d, seed % 3 == 0);
		json_blanks(&d);
		for (int packed = 0; packed < 2; packed++) {
			struct opened o;

			open_text(&o, &d, packed);
			for (size_t i = 0; i < d.count; i++) {
				assert_int_equal(tl_json_next(&o.json, NULL), 1);
				assert_int_equal(o.json.depth,
						 d.tokens[i].depth +
							 (d.tokens[i].kind == TL_JSON_OBJECT ||
							  d.tokens[i].kind == TL_JSON_ARRAY));
				assert_token(&o.json, &d, i);
			}
			assert_int_equal(tl_json_next(&o.json, NULL), 0);
			assert_int_equal(tl_json_next(&o.json, NULL), 0);
			assert_null(o.json.fault);
			close_text(&o);
		}
		json_free(&d);
	}
}

/* A text that is cut anywhere has the tokens before the cut, and is told to be cut at its end. */
TEST(cut_texts_have_the_tokens_before_the_cut)
{
	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct drawn_json d;
		size_t whole;

		json_begin(&d, 900 + seed);
		d.deepest = 3;
		d.unusual = seed % 2;
		json_container(&d, seed % 2);
		whole = d.size;
		for (d.size = 0; d.size < whole; d.size++) {
			struct opened o;
			size_t count = 0;
			int status;

			open_text(&o, &d, false);
			while ((status = tl_json_next(&o.json, NULL)) == 1) {
				/* a number may have been longer */
				if (d.tokens[count].kind != TL_JSON_NUMBER)
					assert_token(&o.json, &d, count);
				count++;
			}
			assert_int_equal(status, TL_TRUNCATED);
			assert_true(tl_json_is_fault(&o.json, status));
			assert_int_equal(o.json.fault_offset, d.size);
			/* all tokens are there that end before the cut */
			assert_true(count < d.count);
			if (count + 1 < d.count && d.tokens[count].kind != TL_JSON_KEY)
				assert_true(d.tokens[count + 1].offset >= d.size ||
					    d.tokens[count].offset >= d.size);
			close_text(&o);
		}
		json_free(&d);
	}
}

/* ---- passing over ---- */

/* "Behind a key: pass over its value. Behind the begin of a container: over the rest of it." */
TEST(values_that_are_passed_over_end_where_they_end)
{
	for (uint32_t seed = 1; seed <= 150; seed++) {
		struct drawn_json d;
		unsigned skipped = 0;

		json_begin(&d, 2000 + seed);
		d.unusual = seed % 2;
		d.deepest = 2 + seed % 5;
		d.longest = seed % 4 == 0 ? 800 : 12;
		json_container(&d, seed % 2);
		for (int packed = 0; packed < 2; packed++) {
			uint32_t drawn = seed;
			struct opened o;
			size_t i = 0;

			open_text(&o, &d, packed);
			for (; i < d.count; i++) {
				const enum tl_json_kind kind = d.tokens[i].kind;

				assert_int_equal(tl_json_next(&o.json, NULL), 1);
				assert_token(&o.json, &d, i);
				if (chance(&drawn, 4))
					continue;
				if (kind == TL_JSON_OBJECT || kind == TL_JSON_ARRAY) {
					i = d.tokens[i].partner;
				} else if (kind == TL_JSON_KEY) {
					i++;
					if (d.tokens[i].partner)
						i = d.tokens[i].partner;
				} else {
					continue;
				}
				skipped++;
				assert_int_equal(tl_json_skip(&o.json, NULL), 1);
				assert_token(&o.json, &d, i);
				assert_int_equal(o.json.depth, d.tokens[i].depth);
			}
			assert_int_equal(tl_json_next(&o.json, NULL), 0);
			close_text(&o);
		}
		assert_true(skipped || d.count < 40);
		json_free(&d);
	}
}

/* ---- members ---- */

enum { MEMBERS = 8 };

/* The keys and values of the object that begins with a token; how many, or -1 for an escape. */
static int wanted_members(const struct drawn_json *d, size_t begin, size_t *keys)
{
	int count = 0;

	for (size_t i = begin + 1; i < d->tokens[begin].partner; i++) {
		const struct wanted_token *key = &d->tokens[i], *value = &d->tokens[i + 1];

		if (memchr(d->text + key->text, '\\', key->size) ||
		    (value->kind == TL_JSON_STRING &&
		     memchr(d->text + value->text, '\\', value->size)))
			return -1;
		keys[count++] = i++;
		if (value->partner)
			i = value->partner;
	}
	return count;
}

static void assert_members(const struct drawn_json *d, const struct tl_json_member *members,
			   const size_t *keys, int count)
{
	for (int i = 0; i < count; i++) {
		const struct wanted_token *key = &d->tokens[keys[i]], *value = key + 1;
		const struct tl_json_token *have = &members[i].value;

		assert_int_equal(members[i].key.size, key->size);
		assert_memory_equal(members[i].key.text, d->text + key->text, key->size);
		assert_int_equal(have->kind, value->kind);
		if (value->kind == TL_JSON_STRING || value->kind == TL_JSON_NUMBER) {
			assert_int_equal(have->size, value->size);
			assert_memory_equal(have->text, d->text + value->text, value->size);
		}
		if (value->kind == TL_JSON_NUMBER) {
			struct tl_decimal number, plain;

			assert_true(tl_json_decimal(have, &number));
			assert_true(tl_decimal_parse((const uint8_t *)d->text + value->text,
						     value->size, &plain));
			assert_true(number.digits == plain.digits);
			assert_int_equal(number.exponent, plain.exponent);
			assert_int_equal(number.negative, plain.negative);
			/* both sides of a number of 20 digits are the same */
			assert_int_equal(number.rounded, plain.rounded);
		}
	}
}

/* "The members of the object whose begin is the present token, all at once" */
TEST(members_are_those_that_were_written)
{
	unsigned found = 0, refused = 0;

	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct drawn_json d;
		struct opened o;

		json_begin(&d, 5000 + seed);
		d.unusual = seed % 2;
		d.deepest = 1 + seed % 4;
		/* at most as many members as there is room for */
		d.widest = MEMBERS;
		d.escaped = 5;
		json_container(&d, true);
		open_text(&o, &d, false);
		for (size_t i = 0; i < d.count; i++) {
			struct tl_json_member members[MEMBERS];
			size_t keys[MEMBERS];
			const uint8_t *behind = NULL;
			int wanted;

			assert_int_equal(tl_json_next(&o.json, NULL), 1);
			if (d.tokens[i].kind != TL_JSON_OBJECT)
				continue;
			wanted = wanted_members(&d, i, keys);
			assert_int_equal(tl_json_members(&o.json, members, MEMBERS, &behind),
					 wanted);
			found += wanted > 0;
			refused += wanted < 0;
			if (wanted < 0)
				continue;
			assert_members(&d, members, keys, wanted);
			/* room for one less is too little */
			if (wanted > 0)
				assert_int_equal(
					tl_json_members(&o.json, members, wanted - 1, &behind), -1);
			if (chance(&d.seed, 2)) {
				tl_json_pass_container(&o.json, behind);
				i = d.tokens[i].partner;
				assert_token(&o.json, &d, i);
			}
		}
		assert_int_equal(tl_json_next(&o.json, NULL), 0);
		close_text(&o);
		json_free(&d);
	}
	assert_true(found > 300 && refused > 100);
}

/* ---- behind damage ---- */

/* The begin of the first element behind a place: '{' behind "} ," as bytes come; 0: none. */
static size_t seam_behind(const char *text, size_t size, size_t at)
{
	for (; at < size; at++) {
		size_t p = at + 1;

		if (text[at] != '}')
			continue;
		while (p < size && strchr(" \n\r\t", text[p]))
			p++;
		if (p >= size || text[p++] != ',')
			continue;
		while (p < size && strchr(" \n\r\t", text[p]))
			p++;
		if (p < size && text[p] == '{')
			return p;
	}
	return 0;
}

/* "Behind a fault, go on with a later element of the array around it" */
TEST(reading_goes_on_behind_a_changed_byte)
{
	unsigned faults = 0, resumed = 0;

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct drawn_json d;
		int status;

		json_begin(&d, 7000 + seed);
		d.unusual = seed % 2;
		d.deepest = 3;
		json_put(&d, "[");
		for (int i = 0; i < 12; i++) {
			json_put(&d, i ? ", " : "");
			json_container(&d, true);
		}
		json_put(&d, "]");
		d.text[1 + chance(&d.seed, (unsigned)d.size - 1)] =
			"{}[]\",:x\\0"[chance(&d.seed, 10)];
		for (int packed = 0; packed < 2; packed++) {
			struct opened o;

			open_text(&o, &d, packed);
			while ((status = tl_json_next(&o.json, NULL)) == 1)
				;
			while (tl_json_is_fault(&o.json, status) && status == TL_BAD_RECORD) {
				const size_t from = (size_t)tl_json_offset(&o.json);
				const size_t seam = seam_behind(d.text, d.size, from);

				faults++;
				status = tl_json_resume(&o.json, 1, '{', NULL);
				assert_int_equal(status, seam ? 1 : 0);
				if (!seam)
					break;
				resumed++;
				assert_int_equal(tl_json_next(&o.json, NULL), 1);
				assert_int_equal(o.json.token.kind, TL_JSON_OBJECT);
				assert_int_equal(o.json.token.offset, seam);
				assert_int_equal(o.json.depth, 2);
				while ((status = tl_json_next(&o.json, NULL)) == 1)
					;
			}
			close_text(&o);
		}
		json_free(&d);
	}
	assert_true(faults > 200 && resumed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_those_that_were_written),
		cmocka_unit_test(cut_texts_have_the_tokens_before_the_cut),
		cmocka_unit_test(values_that_are_passed_over_end_where_they_end),
		cmocka_unit_test(members_are_those_that_were_written),
		cmocka_unit_test(reading_goes_on_behind_a_changed_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
