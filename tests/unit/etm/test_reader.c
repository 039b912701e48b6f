/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawn traces, by themselves and in frames, read as a model has them; damage, cuts, and files of
 * several sources.
 */
#include "../unit.h"
#include "etm/packets/file.h"
#include "etm/packets/probe.h"
#include "etm_drawn.h"

#include <stdlib.h>
#include <tracelathe/core.h>

enum { PACKETS = 3000 };

/* A trace of one source, with what its packets are and where each of them begins. */
struct drawn_trace {
	struct drawn_unit unit;
	struct etm_bytes bytes;
	struct tl_etm_packet packets[PACKETS + 2];
	size_t offsets[PACKETS + 2];
	size_t count;
};

static void add_packet(struct drawn_trace *t, const struct tl_etm_packet *p, size_t at)
{
	t->packets[t->count] = *p;
	t->offsets[t->count++] = at;
}

/* `unit`: how the trace unit is; NULL: drawn. */
static struct drawn_trace *draw_of(const struct drawn_unit *unit, uint32_t seed, size_t packets)
{
	struct drawn_trace *t = calloc(1, sizeof(*t));
	struct tl_etm_packet p = { .kind = TL_ETM_ASYNC, .size = TL_ETM_ASYNC_BYTES };
	struct drawn_model m;

	t->unit = unit ? *unit : draw_unit(&seed);
	m = (struct drawn_model){ .unit = &t->unit };
	etm_async(&t->bytes);
	add_packet(t, &p, 0);
	p = (struct tl_etm_packet){ 0 };
	draw_trace_info(&seed, &m, &t->bytes, &p);
	p.size = (uint8_t)(t->bytes.size - t->offsets[0] - TL_ETM_ASYNC_BYTES);
	add_packet(t, &p, TL_ETM_ASYNC_BYTES);
	for (size_t i = 0; i < packets; i++) {
		const size_t at = t->bytes.size;

		draw_packet(&seed, &m, &t->bytes, &p);
		add_packet(t, &p, at);
	}
	return t;
}

static struct drawn_trace *draw_trace(uint32_t seed, size_t packets)
{
	return draw_of(NULL, seed, packets);
}

static bool same_context(const struct tl_etm_context *a, const struct tl_etm_context *b)
{
	return a->updated == b->updated && a->el == b->el && a->is_64bit == b->is_64bit &&
	       a->is_nonsecure == b->is_nonsecure && a->has_vmid == b->has_vmid &&
	       a->has_id == b->has_id && a->vmid == b->vmid && a->id == b->id;
}

static void is_same(const struct tl_etm_packet *a, const struct tl_etm_packet *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->atom_count, b->atom_count);
	assert_int_equal(a->atoms, b->atoms);
	assert_int_equal(a->has_address, b->has_address);
	assert_int_equal(a->address.value, b->address.value);
	assert_int_equal(a->address.bits, b->address.bits);
	assert_int_equal(a->address.is, b->address.is);
	assert_true(same_context(&a->context, &b->context));
	assert_int_equal(a->timestamp, b->timestamp);
	assert_int_equal(a->has_cycles, b->has_cycles);
	assert_int_equal(a->cycles, b->cycles);
	assert_int_equal(a->mispredicts, b->mispredicts);
	assert_int_equal(a->commits, b->commits);
	assert_int_equal(a->cancels, b->cancels);
	assert_int_equal(a->exception.type, b->exception.type);
	assert_int_equal(a->exception.interpretation, b->exception.interpretation);
	assert_int_equal(a->number, b->number);
	assert_int_equal(a->key, b->key);
	assert_int_equal(a->info, b->info);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->threshold, b->threshold);
	assert_int_equal(a->payload, b->payload);
	assert_int_equal(a->has_count, b->has_count);
}

/* The packets of a source are those of a trace, from number `from` to before `to`. */
static void reads(struct tl_etm_reader *r, const struct drawn_trace *t, size_t from, size_t to)
{
	struct tl_etm_packet p;

	for (size_t i = from; i < to; i++) {
		assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_PACKET);
		is_same(&p, &t->packets[i]);
		if (!r->trace->is_framed)
			assert_int_equal(r->offset, t->offsets[i]);
	}
}

static void ends(struct tl_etm_reader *r, bool is_cut)
{
	struct tl_etm_packet p;

	assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_END);
	assert_int_equal(r->is_cut, is_cut);
}

TEST(a_trace_of_one_source_is_its_packets)
{
	struct tl_etm_reader *r = malloc(sizeof(*r));

	for (uint32_t seed = 1; seed < 40; seed++) {
		struct drawn_trace *t = draw_trace(seed, PACKETS);
		const struct tl_etm_trace trace = { t->bytes.data, t->bytes.data + t->bytes.size,
						    false };

		tl_etm_reader_begin(r, &trace, 0, &t->unit.config);
		reads(r, t, 0, t->count);
		ends(r, false);
		assert_int_equal(r->packets, t->count);
		assert_int_equal(r->bytes, t->bytes.size);
		free(t);
	}
	free(r);
}

/* "The last packet may be cut short: it is left out." Every prefix, in memory of just its size. */
TEST(any_prefix_is_the_packets_that_are_whole)
{
	struct drawn_trace *t = draw_trace(77, 300);
	struct tl_etm_reader *r = malloc(sizeof(*r));
	size_t whole = 0;

	for (size_t size = TL_ETM_ASYNC_BYTES; size < t->bytes.size; size++) {
		uint8_t *exact = malloc(size);
		const struct tl_etm_trace trace = { exact, exact + size, false };

		memcpy(exact, t->bytes.data, size);
		while (whole < t->count && t->offsets[whole] + t->packets[whole].size <= size)
			whole++;
		tl_etm_reader_begin(r, &trace, 0, &t->unit.config);
		reads(r, t, 0, whole);
		ends(r, size > t->offsets[whole]);
		free(exact);
	}
	free(r);
	free(t);
}

/* "Bytes that are no packets cost up to the next A-Sync, at which nothing is known." */
TEST(damage_costs_up_to_the_next_async)
{
	struct drawn_trace *t = draw_trace(5, 50), *later = draw_trace(6, 50);
	struct etm_bytes *b = calloc(1, sizeof(*b));
	struct tl_etm_reader *r = malloc(sizeof(*r));
	struct tl_etm_packet p;
	struct tl_etm_trace trace = { .begin = b->data };
	size_t end;

	later->unit.config = t->unit.config;
	/* Zeros in front, more than an A-Sync has; 08 is reserved; the rest is passed over. */
	etm_little(b, 0, 5);
	memcpy(b->data + 5, t->bytes.data, t->bytes.size);
	b->size = 5 + t->bytes.size;
	etm_byte(b, 0x08);
	for (int i = 0; i < 100; i++)
		etm_byte(b, 0xf7);
	end = b->size;
	etm_async(b);
	etm_address_short(b, 0x14, false, false);
	trace.end = b->data + b->size;
	tl_etm_reader_begin(r, &trace, 0, &t->unit.config);
	for (size_t i = 0; i < t->count; i++) {
		assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_PACKET);
		assert_int_equal(r->offset, 5 + t->offsets[i]);
	}
	assert_int_equal(r->passed_bytes, 5);
	assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_LOST);
	assert_int_equal(r->lost.why, TL_ETM_BAD_HEADER);
	assert_int_equal(r->lost.from, 5 + t->bytes.size);
	assert_int_equal(r->lost.to, end);
	assert_int_equal(r->lost.bytes, 101);
	/* Of addresses before it nothing is known. */
	assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_PACKET);
	assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_PACKET);
	assert_int_equal(p.address.value, 0x14);
	ends(r, false);
	free(r);
	free(b);
	free(later);
	free(t);
}

/* ---- frames ---- */

/*
 * Bytes of sources, taken in turns of drawn lengths, as frames; `syncs`: with synchronisations
 * between and within them.
 */
static void put_frames(struct etm_bytes *out, struct drawn_trace *const *traces, unsigned count,
		       uint32_t *seed)
{
	struct etm_framer f = { .out = out };
	uint8_t ids[1 << 12];
	size_t at[4] = { 0 }, total = 0, n = 0;

	/* The order of the sources first, since a frame says one byte ahead that it changes. */
	for (unsigned i = 0; i < count; i++)
		total += traces[i]->bytes.size;
	assert_true(total < sizeof(ids));
	while (n < total) {
		const unsigned which = chance(seed, count);

		for (unsigned turn = 1 + chance(seed, 9);
		     turn && at[which] < traces[which]->bytes.size; turn--, at[which]++)
			ids[n++] = (uint8_t)which;
	}
	memset(at, 0, sizeof(at));
	for (size_t i = 0; i < total; i++) {
		const unsigned next = i + 1 < total ? 0x10u + ids[i + 1] : 0;

		etm_frame_byte(&f, 0x10u + ids[i], traces[ids[i]]->bytes.data[at[ids[i]]++], next);
	}
	while (f.at)
		etm_frame_byte(&f, 0, 0, 0);
}

/* The same with ff ff ff 7f between frames, and ff 7f at even places in them. */
static void put_syncs(struct etm_bytes *out, const struct etm_bytes *frames, uint32_t *seed)
{
	etm_little(out, 0x7fffffff, 4);
	for (size_t i = 0; i < frames->size; i++) {
		if (i % 16 == 0 && !chance(seed, 3))
			etm_little(out, 0x7fffffff, 4);
		if (i % 2 == 0 && !chance(seed, 5))
			etm_little(out, 0x7fff, 2);
		etm_byte(out, frames->data[i]);
	}
}

TEST(sources_in_frames_are_read_one_by_one)
{
	struct tl_etm_reader *r = malloc(sizeof(*r));
	struct etm_bytes *frames = malloc(sizeof(*frames)), *synced = malloc(sizeof(*synced));

	for (uint32_t seed = 1; seed < 60; seed++) {
		struct drawn_trace *traces[] = { draw_trace(seed, 60), draw_trace(seed + 1000, 90),
						 draw_trace(seed + 2000, 30) };
		uint32_t chances = seed;
		uint8_t ids[TL_ETM_IDS];

		frames->size = synced->size = 0;
		put_frames(frames, traces, 3, &chances);
		put_syncs(synced, frames, &chances);
		for (unsigned way = 0; way < 2; way++) {
			const struct etm_bytes *b = way ? synced : frames;
			const struct tl_etm_trace trace = { b->data, b->data + b->size, true };

			assert_int_equal(tl_etm_sources(&trace, ids), 3);
			for (unsigned i = 0; i < 3; i++) {
				assert_int_equal(ids[i], 0x10 + i);
				tl_etm_reader_begin(r, &trace, ids[i], &traces[i]->unit.config);
				reads(r, traces[i], 0, traces[i]->count);
				ends(r, false);
			}
		}
		for (unsigned i = 0; i < 3; i++)
			free(traces[i]);
	}
	free(synced);
	free(frames);
	free(r);
}

/* An A-Sync is eleven zeros or more and 80, of one source; bytes of others may be between them. */
TEST(sources_are_those_with_an_async)
{
	enum { SOURCES = 4, BYTES = 14 };
	static const uint8_t data[SOURCES][BYTES] = {
		{ 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, /* eleven */
		{ 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, /* ten */
		{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, /* thirteen */
		{ 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x80 }, /* eleven, but not before 80 */
	};
	struct etm_bytes *out = malloc(sizeof(*out));
	struct etm_framer f = { .out = out };
	uint8_t ids[TL_ETM_IDS];

	out->size = 0;
	for (unsigned i = 0; i < SOURCES * BYTES; i++)
		etm_frame_byte(&f, 0x10 + i % SOURCES, data[i % SOURCES][i / SOURCES],
			       i + 1 < SOURCES * BYTES ? 0x10 + (i + 1) % SOURCES : 0);
	while (f.at)
		etm_frame_byte(&f, 0, 0, 0);
	assert_int_equal(
		tl_etm_sources(&(struct tl_etm_trace){ out->data, out->data + out->size, true },
			       ids),
		2);
	assert_int_equal(ids[0], 0x10);
	assert_int_equal(ids[1], 0x12);
	free(out);
}

/* An offset is that of the byte in the file: a frame by hand. */
TEST(offsets_in_frames_are_those_of_the_file)
{
	/*
	 * ID 10 (21); then data, even bytes without their lowest bit. An A-Sync, a Trace Info
	 * without numbers, an atom E (f7, at place 1 of the second frame).
	 */
	static const uint8_t bytes[32] = {
		0x21, 0,    0,    0, 0,    0,    0,    0,
		0,    0,    0,    0, 0x80, 0x01, 0x00, 0x00, /* A-Sync, 01 00 */
		0x04, 0xf7, 0x08, 0,                         /* Trace On, E, and 08 is no packet */
	};
	const struct tl_etm_trace trace = { bytes, bytes + sizeof(bytes), true };
	static const uint64_t offsets[] = { 1, 13, 16, 17 };
	struct tl_etm_reader *r = malloc(sizeof(*r));
	struct tl_etm_packet p;

	tl_etm_reader_begin(r, &trace, 0x10, &tl_etm_usual_config);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_PACKET);
		assert_int_equal(r->offset, offsets[i]);
	}
	assert_int_equal(tl_etm_reader_next(r, &p), TL_ETM_LOST);
	assert_int_equal(r->lost.from, 18);
	assert_int_equal(r->lost.to, 32);
	/* 31 is not data of the source, it is the auxiliary byte: 18 to 30. */
	assert_int_equal(r->lost.bytes, 13);
	free(r);
}

/* "The auxiliary bit of an ID: the byte behind it is the source's before." */
TEST(an_id_may_take_effect_one_byte_later)
{
	static const uint8_t bytes[16] = { 0x21, 0xaa, 0x23, 0xbb, 0x23, 0xcc, 0x25, 0xdd,
					   0xee, 0xff, 0x00, 0x00, 0x00, 0x00, 0x27, 0x04 | 0x10 };
	struct tl_etm_frames frames;
	struct tl_etm_frame f;

	tl_etm_frames_begin(&frames, bytes, bytes + sizeof(bytes));
	assert_true(tl_etm_frames_next(&frames, &f));
	assert_int_equal(f.count, 10);
	/* at 2: ID 11, at once; at 4: ID 11 again, its auxiliary bit changes nothing */
	assert_int_equal(f.ids[0], 0x10);
	assert_int_equal(f.bytes[0], 0xaa);
	assert_int_equal(f.ids[1], 0x11);
	assert_int_equal(f.ids[2], 0x11);
	assert_int_equal(f.ids[3], 0x12);
	/* at 8: data with the lowest bit from the auxiliary byte */
	assert_int_equal(f.bytes[4], 0xef);
	assert_int_equal(f.offsets[4], 8);
	assert_int_equal(frames.id, 0x13);
	assert_false(tl_etm_frames_next(&frames, &f));
}

/* "ff 7f where a byte at an even place may stand": at odd places ff is data, and 7f an ID. */
TEST(a_half_synchronisation_begins_at_an_even_place)
{
	static const uint8_t bytes[16] = { 0x21, 0xff, 0x7f, 0xaa };
	struct tl_etm_frames frames;
	struct tl_etm_frame f;

	tl_etm_frames_begin(&frames, bytes, bytes + sizeof(bytes));
	assert_true(tl_etm_frames_next(&frames, &f));
	assert_int_equal(f.bytes[0], 0xff);
	assert_int_equal(f.ids[0], 0x10);
	assert_int_equal(f.bytes[1], 0xaa);
	assert_int_equal(f.ids[1], 0x3f);
}

/* An A-Sync is found wherever it stands in the pieces that are taken out of frames. */
TEST(the_first_async_may_be_far_behind)
{
	struct etm_bytes *b = malloc(sizeof(*b));
	struct tl_etm_reader *r = malloc(sizeof(*r));

	for (size_t before = TL_ETM_WINDOW - 40; before < TL_ETM_WINDOW + 20; before++) {
		struct drawn_trace *t = draw_trace(3, 5);
		struct etm_framer f = { .out = b };
		struct tl_etm_trace whole = { b->data, b->data, true };

		b->size = 0;
		for (size_t i = 0; i < before; i++)
			etm_frame_byte(&f, 0x10, 0xf7, 0x10);
		for (size_t i = 0; i < t->bytes.size; i++)
			etm_frame_byte(&f, 0x10, t->bytes.data[i],
				       i + 1 < t->bytes.size ? 0x10 : 0);
		while (f.at)
			etm_frame_byte(&f, 0, 0, 0);
		whole.end = b->data + b->size;
		tl_etm_reader_begin(r, &whole, 0x10, &t->unit.config);
		reads(r, t, 0, t->count);
		assert_int_equal(r->passed_bytes, before);
		free(t);
	}
	free(r);
	free(b);
}

TEST(frames_that_are_cut_are_counted)
{
	uint8_t bytes[40] = { 0x21 };
	struct tl_etm_frames frames;
	struct tl_etm_frame f;

	/* A synchronisation in the second frame, and four bytes at the end. */
	memcpy(bytes + 20, "\xff\xff\xff\x7f", 4);
	tl_etm_frames_begin(&frames, bytes, bytes + 20);
	assert_true(tl_etm_frames_next(&frames, &f));
	assert_int_equal(f.count, 14);
	assert_false(tl_etm_frames_next(&frames, &f));
	assert_int_equal(frames.cut_bytes, 4);
	/* With it reading begins behind it. */
	tl_etm_frames_begin(&frames, bytes, bytes + sizeof(bytes));
	assert_true(tl_etm_frames_next(&frames, &f));
	assert_int_equal(f.offsets[0], 24);
	assert_false(tl_etm_frames_next(&frames, &f));
}

/* ---- files ---- */

static int open_bytes(struct tl_etm_file *file, const struct etm_bytes *b,
		      const struct tl_etm_registers *registers, struct tl_error *err)
{
	*file = (struct tl_etm_file){ .faults.strict = false };
	return tl_etm_file_open(file, b->data, b->size, registers, err);
}

TEST(files_are_recognised)
{
	static const struct tl_etm_registers none = { 0 };
	struct etm_bytes *frames = calloc(1, sizeof(*frames));
	struct tl_etm_file *file = malloc(sizeof(*file));
	struct tl_etm_registers one = { .traceidr = 0x11 };
	struct tl_error err = { 0 };

	for (uint32_t seed = 1; seed < 30; seed++) {
		const struct drawn_unit unit = usual_unit();
		struct drawn_trace *traces[] = { draw_of(&unit, seed, 40),
						 draw_of(&unit, seed + 500, 40) };
		uint32_t chances = seed;

		assert_int_equal(tl_etm_probe(traces[0]->bytes.data, TL_ETM_ASYNC_BYTES + 2), 0);
		frames->size = 0;
		put_frames(frames, traces, 2, &chances);
		assert_int_equal(open_bytes(file, frames, &one, NULL), 0);
		assert_true(file->trace.is_framed);
		assert_int_equal(file->source_count, 1);
		assert_int_equal(file->ids[0], 0x11);
		tl_etm_file_close(file);
		for (unsigned i = 0; i < 2; i++)
			free(traces[i]);
	}
	one.traceidr = 0x12;
	assert_int_equal(open_bytes(file, frames, &one, &err), TL_BAD_USAGE);
	frames->size = 11;
	memset(frames->data, 0, 11);
	assert_int_equal(open_bytes(file, frames, &none, &err), TL_BAD_FORMAT);
	assert_string_equal(err.text, "there is no A-Sync, so nothing can be decoded");
	assert_int_equal(err.offset, 0);
	free(file);
	free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_of_one_source_is_its_packets),
		cmocka_unit_test(any_prefix_is_the_packets_that_are_whole),
		cmocka_unit_test(damage_costs_up_to_the_next_async),
		cmocka_unit_test(sources_in_frames_are_read_one_by_one),
		cmocka_unit_test(sources_are_those_with_an_async),
		cmocka_unit_test(offsets_in_frames_are_those_of_the_file),
		cmocka_unit_test(an_id_may_take_effect_one_byte_later),
		cmocka_unit_test(a_half_synchronisation_begins_at_an_even_place),
		cmocka_unit_test(the_first_async_may_be_far_behind),
		cmocka_unit_test(frames_that_are_cut_are_counted),
		cmocka_unit_test(files_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
