/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images and section caches, against a table of bytes: what was added last for an address space is
 * what code there is, whatever was added before, copied and removed.
 */
#include "../chance.h"
#include "../temp_fixture.h"

#include <intel-pt.h>

#include <stdbool.h>

enum {
	AT = 0x1000,
	ROOM = 48, /* addresses that anything is at */
	FILES = 3,
	FILE_BYTES = 32,
	SPACES = 3,
	MOST = 64,
};

/* Each byte of a file is an instruction: nop, and xchg with %rax; which one tells the byte. */
static uint8_t byte_of(unsigned file, unsigned offset)
{
	return 0x90 + (file * 5 + offset * 3 + offset / 8) % 8;
}

static const char *file_name(unsigned file)
{
	static const char *const names[FILES] = { "a", "b", "c" };

	return temp_path(&temp, names[file]);
}

static void write_files(void)
{
	for (unsigned file = 0; file < FILES; file++) {
		static const char *const names[FILES] = { "a", "b", "c" };
		uint8_t bytes[FILE_BYTES];

		for (unsigned i = 0; i < FILE_BYTES; i++)
			bytes[i] = byte_of(file, i);
		temp_write(&temp, names[file], bytes, sizeof(bytes));
	}
}

/* Space 0 is any; the others have this CR3. */
static struct pt_asid asid_of(unsigned space)
{
	struct pt_asid asid;

	pt_asid_init(&asid);
	if (space)
		asid.cr3 = space << 12;
	return asid;
}

static bool matches(unsigned one, unsigned other)
{
	return !one || !other || one == other;
}

/* ---- the model: at each address what is there, in each space that it was added for ---- */

struct byte {
	unsigned space, file;
	int isid;
	uint8_t value;
};

struct model {
	struct byte at[ROOM][MOST];
	unsigned count[ROOM];
};

static void model_add(struct model *model, unsigned at, unsigned size, const struct byte *first,
		      unsigned offset)
{
	for (unsigned i = 0; i < size; i++) {
		struct byte *list = model->at[at + i];
		unsigned kept = 0;

		for (unsigned n = 0; n < model->count[at + i]; n++)
			if (!matches(list[n].space, first->space))
				list[kept++] = list[n];
		assert_true(kept < MOST);
		list[kept] = *first;
		list[kept].value = byte_of(first->file, offset + i);
		model->count[at + i] = kept + 1;
	}
}

/* `file`: FILES is any. */
static void model_remove(struct model *model, unsigned file, unsigned space)
{
	for (unsigned at = 0; at < ROOM; at++) {
		unsigned kept = 0;

		for (unsigned n = 0; n < model->count[at]; n++)
			if (!matches(model->at[at][n].space, space) ||
			    (file != FILES && model->at[at][n].file != file))
				model->at[at][kept++] = model->at[at][n];
		model->count[at] = kept;
	}
}

static void model_copy(struct model *model, const struct model *from)
{
	for (unsigned at = 0; at < ROOM; at++)
		for (unsigned n = 0; n < from->count[at]; n++) {
			struct byte *list = model->at[at];
			unsigned kept = 0;

			for (unsigned i = 0; i < model->count[at]; i++)
				if (!matches(list[i].space, from->at[at][n].space))
					list[kept++] = list[i];
			list[kept] = from->at[at][n];
			model->count[at] = kept + 1;
		}
}

static const struct byte *model_find(const struct model *model, unsigned at, unsigned space)
{
	for (unsigned n = 0; n < model->count[at]; n++)
		if (matches(model->at[at][n].space, space))
			return &model->at[at][n];
	return NULL;
}

/* ---- what is there, as an instruction decoder finds it ---- */

/* PSB+ with MODE.Exec of 64 bits, a PIP and a FUP. */
static void trace_to(uint8_t trace[40], unsigned at, unsigned space)
{
	static const uint8_t head[] = { 2,    0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2,
					0x82, 2,    0x82, 2,    0x82, 2,    0x82, 0x99, 1,
					0x7d, 0,    0x10, 0,    0,    0,    0,    2,    0x43,
					0,    0,    0,    0,    0,    0,    2,    0x23 };

	memset(trace, 0, 40);
	memcpy(trace, head, sizeof(head));
	trace[19] = (uint8_t)at;
	/* "CR3 = (v >> 1) << 5": 0x1000 is bit 8 of v */
	trace[28] = (uint8_t)space;
}

static int look(struct pt_image *image, unsigned at, unsigned space, struct pt_insn *insn)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	struct pt_event event;
	uint8_t trace[40];
	int status;

	trace_to(trace, at, space);
	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + sizeof(trace);
	decoder = pt_insn_alloc_decoder(&config);
	assert_non_null(decoder);
	assert_int_equal(pt_insn_set_image(decoder, image), 0);
	status = pt_insn_sync_forward(decoder);
	while (status >= 0 && status & pts_event_pending)
		status = pt_insn_event(decoder, &event, sizeof(event));
	assert_true(status >= 0);
	memset(insn, 0, sizeof(*insn));
	status = pt_insn_next(decoder, insn, sizeof(*insn));
	pt_insn_free_decoder(decoder);
	return status;
}

static void expect_image(struct pt_image *image, const struct model *model)
{
	for (unsigned at = 0; at < ROOM; at++)
		for (unsigned space = 1; space < SPACES; space++) {
			const struct byte *wanted = model_find(model, at, space);
			struct pt_insn insn;
			int status = look(image, at, space, &insn);

			if (!wanted) {
				assert_int_equal(status, -pte_nomap);
				continue;
			}
			assert_true(status >= 0);
			assert_int_equal(insn.ip, AT + at);
			assert_int_equal(insn.size, 1);
			assert_int_equal(insn.raw[0], wanted->value);
			assert_int_equal(insn.isid, wanted->isid);
		}
}

/* ---- operations that are drawn ---- */

struct drawn {
	uint32_t seed;
	struct pt_image_section_cache *cache;
	struct pt_image *image, *other;
	struct model model, other_model;
};

static void draw_file(struct drawn *d, bool cached)
{
	const unsigned file = chance(&d->seed, FILES), offset = chance(&d->seed, FILE_BYTES - 1);
	const unsigned at = chance(&d->seed, ROOM - 1), space = chance(&d->seed, SPACES);
	const struct pt_asid asid = asid_of(space);
	unsigned size = 1 + chance(&d->seed, 20), fits = FILE_BYTES - offset;
	struct byte byte = { .space = space, .file = file };

	/* What is asked for may reach behind the end of the file, but not out of this room. */
	size = size < ROOM - at ? size : ROOM - at;
	if (fits > ROOM - at)
		fits = size;
	if (cached) {
		byte.isid = pt_iscache_add_file(d->cache, file_name(file), offset, size, AT + at);
		assert_true(byte.isid > 0);
		assert_int_equal(pt_image_add_cached(d->image, d->cache, byte.isid, &asid), 0);
	} else {
		assert_int_equal(
			pt_image_add_file(d->image, file_name(file), offset, size, &asid, AT + at),
			0);
	}
	model_add(&d->model, at, size < fits ? size : fits, &byte, offset);
}

static void draw_removal(struct drawn *d)
{
	const unsigned space = chance(&d->seed, SPACES), file = chance(&d->seed, FILES + 1);
	const struct pt_asid asid = asid_of(space);
	int removed = file == FILES ? pt_image_remove_by_asid(d->image, space ? &asid : NULL)
				    : pt_image_remove_by_filename(d->image, file_name(file), &asid);

	assert_true(removed >= 0);
	model_remove(&d->model, file, space);
}

TEST(drawn_images)
{
	static struct drawn d;

	for (uint32_t seed = 1; seed <= 12; seed++) {
		memset(&d, 0, sizeof(d));
		d.seed = seed * 7919;
		d.cache = pt_iscache_alloc("cache");
		d.image = pt_image_alloc("one");
		d.other = pt_image_alloc("other");
		assert_true(d.cache && d.image && d.other);
		for (unsigned step = 0; step < 24; step++) {
			const unsigned kind = chance(&d.seed, 10);

			if (kind < 6)
				draw_file(&d, kind < 3);
			else if (kind < 8)
				draw_removal(&d);
			else if (kind == 8) {
				/* The other one is left alone when this one changes. */
				assert_int_equal(pt_image_copy(d.other, d.image), 0);
				model_copy(&d.other_model, &d.model);
			} else {
				assert_int_equal(pt_image_copy(d.image, d.other), 0);
				model_copy(&d.model, &d.other_model);
			}
			if (step % 6 == 5)
				expect_image(d.image, &d.model);
		}
		expect_image(d.other, &d.other_model);
		/* Sections outlast their cache. */
		pt_iscache_free(d.cache);
		expect_image(d.image, &d.model);
		pt_image_free(d.image);
		pt_image_free(d.other);
	}
}

/* ---- a section cache ---- */

struct section {
	unsigned file, offset, size, at;
	int isid;
};

TEST(drawn_sections)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc("sections");
	struct section sections[40];
	uint32_t seed = 5;

	for (unsigned n = 0; n < 40; n++) {
		struct section *s = &sections[n];

		*s = (struct section){ chance(&seed, FILES), chance(&seed, 4) * 4,
				       4 + chance(&seed, 4) * 16, chance(&seed, 2) * 16, 0 };
		s->isid = pt_iscache_add_file(cache, file_name(s->file), s->offset, s->size,
					      AT + s->at);
		assert_true(s->isid > 0);
		/* The same one has the same number, another one has another. */
		for (unsigned i = 0; i < n; i++) {
			const unsigned end = s->offset + s->size;
			const unsigned other_end = sections[i].offset + sections[i].size;
			const bool same_end = (end < FILE_BYTES ? end : FILE_BYTES) ==
					      (other_end < FILE_BYTES ? other_end : FILE_BYTES);

			assert_int_equal(sections[i].file == s->file &&
						 sections[i].offset == s->offset && same_end &&
						 sections[i].at == s->at,
					 sections[i].isid == s->isid);
		}
	}
	/* Nothing of a cache is lost by keeping less of it in memory. */
	assert_int_equal(pt_iscache_set_limit(cache, 20), 0);
	for (unsigned n = 0; n < 400; n++) {
		const struct section *s = &sections[chance(&seed, 40)];
		const unsigned fits =
			FILE_BYTES - s->offset < s->size ? FILE_BYTES - s->offset : s->size;
		const unsigned from = chance(&seed, fits), size = 1 + chance(&seed, 24);
		const unsigned wanted = size < fits - from ? size : fits - from;
		uint8_t buffer[32];

		memset(buffer, 0x55, sizeof(buffer));
		assert_int_equal(pt_iscache_read(cache, buffer, size, s->isid, AT + s->at + from),
				 wanted);
		for (unsigned i = 0; i < wanted; i++)
			assert_int_equal(buffer[i], byte_of(s->file, s->offset + from + i));
		assert_int_equal(buffer[wanted], 0x55);
		assert_int_equal(pt_iscache_read(cache, buffer, 1, s->isid, AT + s->at + fits),
				 -pte_nomap);
		assert_int_equal(pt_iscache_read(cache, buffer, 1, s->isid, AT - 1), -pte_nomap);
	}
	pt_iscache_free(cache);
}

TEST(what_cannot_be_added)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc(NULL), *named;
	struct pt_image *image = pt_image_alloc(NULL), *titled = pt_image_alloc("its name");
	char none[600];
	uint8_t byte;

	named = pt_iscache_alloc("another");
	snprintf(none, sizeof(none), "%s", temp_path(&temp, "none"));
	assert_null(pt_image_name(image));
	assert_null(pt_image_name(NULL));
	assert_string_equal(pt_image_name(titled), "its name");
	assert_null(pt_iscache_name(cache));
	assert_null(pt_iscache_name(NULL));
	assert_string_equal(pt_iscache_name(named), "another");

	assert_int_equal(pt_image_add_file(NULL, file_name(0), 0, 8, NULL, AT), -pte_invalid);
	assert_int_equal(pt_image_add_file(image, NULL, 0, 8, NULL, AT), -pte_invalid);
	assert_int_equal(pt_image_add_file(image, none, 0, 8, NULL, AT), -pte_invalid);
	assert_int_equal(pt_image_add_file(image, file_name(0), 0, 8, NULL, AT), 0);
	assert_int_equal(pt_image_add_file(image, file_name(0), FILE_BYTES + 1, 8, NULL, AT),
			 -pte_invalid);

	assert_int_equal(pt_iscache_add_file(NULL, file_name(0), 0, 8, AT), -pte_invalid);
	assert_int_equal(pt_iscache_add_file(cache, NULL, 0, 8, AT), -pte_invalid);
	assert_int_equal(pt_iscache_add_file(cache, none, 0, 8, AT), -pte_invalid);
	assert_int_equal(pt_iscache_read(NULL, &byte, 1, 1, AT), -pte_invalid);
	assert_int_equal(pt_iscache_read(cache, NULL, 1, 1, AT), -pte_invalid);
	assert_int_equal(pt_iscache_read(cache, &byte, 0, 1, AT), -pte_invalid);
	assert_int_equal(pt_iscache_read(cache, &byte, 1, 1, AT), -pte_bad_image);
	assert_int_equal(pt_iscache_set_limit(NULL, 1), -pte_invalid);
	pt_iscache_free(NULL);

	assert_int_equal(pt_image_add_cached(NULL, cache, 1, NULL), -pte_invalid);
	assert_int_equal(pt_image_add_cached(image, NULL, 1, NULL), -pte_invalid);
	assert_int_equal(pt_image_add_cached(image, cache, 1, NULL), -pte_bad_image);
	assert_int_equal(pt_image_copy(image, NULL), -pte_invalid);
	assert_int_equal(pt_image_copy(NULL, image), -pte_invalid);
	assert_int_equal(pt_image_remove_by_filename(NULL, "a", NULL), -pte_invalid);
	assert_int_equal(pt_image_remove_by_filename(image, NULL, NULL), -pte_invalid);
	assert_int_equal(pt_image_remove_by_filename(image, "a", NULL), 0);
	assert_int_equal(pt_image_remove_by_asid(NULL, NULL), -pte_invalid);
	assert_int_equal(pt_image_set_callback(NULL, NULL, NULL), -pte_invalid);
	pt_image_free(NULL);
	pt_image_free(image);
	pt_image_free(titled);
	pt_iscache_free(cache);
	pt_iscache_free(named);
}

/* ---- a callback, for what no section has ---- */

static int read_more(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	unsigned *asked = context;

	assert_int_equal(asid->size, sizeof(*asid));
	assert_int_equal(asid->cr3, 0x1000);
	++*asked;
	if (ip >= AT + 20)
		return -pte_nomap;
	memset(buffer, 0x97, size);
	return 1;
}

TEST(callbacks)
{
	struct pt_image *image = pt_image_alloc("called");
	unsigned asked = 0;
	struct pt_insn insn;

	assert_int_equal(pt_image_add_file(image, file_name(1), 0, 8, NULL, AT), 0);
	assert_int_equal(pt_image_set_callback(image, read_more, &asked), 0);
	assert_true(look(image, 7, 1, &insn) >= 0);
	assert_int_equal(insn.raw[0], byte_of(1, 7));
	assert_int_equal(asked, 0);
	assert_true(look(image, 8, 1, &insn) >= 0);
	assert_int_equal(insn.raw[0], 0x97);
	assert_int_equal(insn.isid, 0);
	assert_true(asked > 0);
	assert_int_equal(look(image, 20, 1, &insn), -pte_nomap);
	assert_int_equal(pt_image_set_callback(image, NULL, NULL), 0);
	assert_int_equal(look(image, 8, 1, &insn), -pte_nomap);
	pt_image_free(image);
}

static int setup(void **state)
{
	temp_setup(state);
	write_files();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_images),
		cmocka_unit_test(drawn_sections),
		cmocka_unit_test(what_cannot_be_added),
		cmocka_unit_test(callbacks),
	};

	return cmocka_run_group_tests(tests, setup, temp_teardown);
}
