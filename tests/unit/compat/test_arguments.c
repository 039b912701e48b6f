/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked for without sense, or too early; configurations, versions, texts and errata; and
 * where decoders stand (docs/formats/intel-pt.md, 3 and 7). Debian's 2.0.5 answers alike, but for
 * the functions it lacks and what docs/libipt.md names.
 */
#include "../chance.h"
#include "told.h"

#define PSB 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82

static struct pt_config over(uint8_t *bytes, size_t size)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = bytes;
	config.end = bytes + size;
	return config;
}

/* ---- one table for each kind of decoder ---- */

typedef int sync_fn(void *decoder);
typedef int set_fn(void *decoder, uint64_t offset);
typedef int offset_fn(void *decoder, uint64_t *offset);
typedef int time_fn(void *decoder, uint64_t *time, uint32_t *lost_mtc, uint32_t *lost_cyc);
typedef int ratio_fn(void *decoder, uint32_t *ratio);
typedef int asid_fn(void *decoder, struct pt_asid *asid, size_t size);
typedef int image_fn(void *decoder, struct pt_image *image);

struct kind {
	const char *name;
	void *(*open)(const struct pt_config *config);
	void (*close)(void *decoder);
	sync_fn *forward, *backward, *resync;
	set_fn *set;
	offset_fn *offset, *sync_offset;
	const struct pt_config *(*config)(void *decoder);
	time_fn *time;
	ratio_fn *ratio;
	asid_fn *asid;
	struct pt_image *(*image)(void *decoder);
	image_fn *set_image;
	/* the next thing, whatever it is; with NULL to write to, and with too little room */
	int (*next)(void *decoder);
	int (*next_to_nowhere)(void *decoder);
	int (*event_to_nowhere)(void *decoder);
};

/* What all have, with the names of one. */
#define COMMON(p)                                                                                  \
	static void *p##_open(const struct pt_config *config)                                      \
	{                                                                                          \
		return pt_##p##_alloc_decoder(config);                                             \
	}                                                                                          \
	static void p##_close(void *decoder)                                                       \
	{                                                                                          \
		pt_##p##_free_decoder(decoder);                                                    \
	}                                                                                          \
	static int p##_offset(void *decoder, uint64_t *offset)                                     \
	{                                                                                          \
		return pt_##p##_get_offset(decoder, offset);                                       \
	}                                                                                          \
	static int p##_sync_offset(void *decoder, uint64_t *offset)                                \
	{                                                                                          \
		return pt_##p##_get_sync_offset(decoder, offset);                                  \
	}                                                                                          \
	static const struct pt_config *p##_config(void *decoder)                                   \
	{                                                                                          \
		return pt_##p##_get_config(decoder);                                               \
	}
#define SYNC(p)                                                                                    \
	static int p##_forward(void *decoder)                                                      \
	{                                                                                          \
		return pt_##p##_sync_forward(decoder);                                             \
	}                                                                                          \
	static int p##_backward(void *decoder)                                                     \
	{                                                                                          \
		return pt_##p##_sync_backward(decoder);                                            \
	}                                                                                          \
	static int p##_set(void *decoder, uint64_t offset)                                         \
	{                                                                                          \
		return pt_##p##_sync_set(decoder, offset);                                         \
	}
#define TIMED(p)                                                                                   \
	static int p##_time(void *decoder, uint64_t *time, uint32_t *lost_mtc, uint32_t *lost_cyc) \
	{                                                                                          \
		return pt_##p##_time(decoder, time, lost_mtc, lost_cyc);                           \
	}                                                                                          \
	static int p##_ratio(void *decoder, uint32_t *ratio)                                       \
	{                                                                                          \
		return pt_##p##_core_bus_ratio(decoder, ratio);                                    \
	}
#define CODED(p)                                                                                   \
	static int p##_resync(void *decoder)                                                       \
	{                                                                                          \
		return pt_##p##_resync(decoder);                                                   \
	}                                                                                          \
	static int p##_asid(void *decoder, struct pt_asid *asid, size_t size)                      \
	{                                                                                          \
		return pt_##p##_asid(decoder, asid, size);                                         \
	}                                                                                          \
	static struct pt_image *p##_image(void *decoder)                                           \
	{                                                                                          \
		return pt_##p##_get_image(decoder);                                                \
	}                                                                                          \
	static int p##_set_image(void *decoder, struct pt_image *image)                            \
	{                                                                                          \
		return pt_##p##_set_image(decoder, image);                                         \
	}                                                                                          \
	static int p##_next_to_nowhere(void *decoder)                                              \
	{                                                                                          \
		return pt_##p##_next(decoder, NULL, 64);                                           \
	}                                                                                          \
	static int p##_event_to_nowhere(void *decoder)                                             \
	{                                                                                          \
		return pt_##p##_event(decoder, NULL, sizeof(struct pt_event));                     \
	}

COMMON(pkt)
SYNC(pkt)
COMMON(evt)
SYNC(evt)
COMMON(qry)
TIMED(qry)
COMMON(insn)
SYNC(insn)
TIMED(insn)
CODED(insn)
COMMON(blk)
SYNC(blk)
TIMED(blk)
CODED(blk)

static int qry_forward(void *decoder)
{
	return pt_qry_sync_forward(decoder, NULL);
}

static int qry_backward(void *decoder)
{
	return pt_qry_sync_backward(decoder, NULL);
}

static int qry_set(void *decoder, uint64_t offset)
{
	return pt_qry_sync_set(decoder, NULL, offset);
}

static int pkt_next(void *decoder)
{
	struct pt_packet packet;

	return pt_pkt_next(decoder, &packet, sizeof(packet));
}

static int pkt_next_to_nowhere(void *decoder)
{
	return pt_pkt_next(decoder, NULL, sizeof(struct pt_packet));
}

static int evt_next(void *decoder)
{
	struct pt_event event;

	return pt_evt_next(decoder, &event, sizeof(event));
}

static int evt_next_to_nowhere(void *decoder)
{
	return pt_evt_next(decoder, NULL, sizeof(struct pt_event));
}

static int qry_next(void *decoder)
{
	uint64_t ip;
	int taken, status = pt_qry_cond_branch(decoder, &taken);

	return status == -pte_bad_query ? pt_qry_indirect_branch(decoder, &ip) : status;
}

static int qry_next_to_nowhere(void *decoder)
{
	const int status = pt_qry_cond_branch(decoder, NULL);

	assert_int_equal(pt_qry_indirect_branch(decoder, NULL), status);
	return status;
}

static int qry_event_to_nowhere(void *decoder)
{
	return pt_qry_event(decoder, NULL, sizeof(struct pt_event));
}

static int insn_next(void *decoder)
{
	struct pt_insn insn;

	return pt_insn_next(decoder, &insn, sizeof(insn));
}

static int blk_next(void *decoder)
{
	struct pt_block block;

	return pt_blk_next(decoder, &block, sizeof(block));
}

/* With the flags of version 1 the decoder is another one, and has no events (docs/libipt.md). */
static void *blk_open_folded(const struct pt_config *config)
{
	struct pt_config folded;

	if (!config || config->size != sizeof(folded))
		return pt_blk_alloc_decoder(config);
	folded = *config;
	folded.flags.variant.block.tl_fold_events = 1;
	return pt_blk_alloc_decoder(&folded);
}

#define ROW(p, opener)                                                                             \
	.name = #p, .open = opener, .close = p##_close, .forward = p##_forward,                    \
	.backward = p##_backward, .set = p##_set, .offset = p##_offset,                            \
	.sync_offset = p##_sync_offset, .config = p##_config, .next = p##_next,                    \
	.next_to_nowhere = p##_next_to_nowhere
#define CODE_ROW(p, opener)                                                                        \
	ROW(p, opener), .resync = p##_resync, .asid = p##_asid, .image = p##_image,                \
		.set_image = p##_set_image, .time = p##_time, .ratio = p##_ratio,                  \
		.event_to_nowhere = p##_event_to_nowhere

static const struct kind kinds[] = {
	{ ROW(pkt, pkt_open) },
	{ ROW(evt, evt_open) },
	{ ROW(qry, qry_open), .time = qry_time, .ratio = qry_ratio,
	  .event_to_nowhere = qry_event_to_nowhere },
	{ CODE_ROW(insn, insn_open) },
	{ CODE_ROW(blk, blk_open) },
	{ CODE_ROW(blk, blk_open_folded) },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), PACKETS = 0, FLOWS = 2, FOLDED = KINDS - 1 };

/* So many events of a decoder of code, which are given. */
static void pass_events(const struct kind *kind, void *decoder, int count)
{
	struct pt_event event;

	while (kind != &kinds[FOLDED] && count--)
		assert_true((kind->open == insn_open
				     ? pt_insn_event(decoder, &event, sizeof(event))
				     : pt_blk_event(decoder, &event, sizeof(event))) >= 0);
}

TEST(no_decoder)
{
	uint64_t number = 7;
	uint32_t ratio;
	struct pt_asid asid;

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		assert_null(kind->open(NULL));
		kind->close(NULL);
		assert_int_equal(kind->forward(NULL), -pte_invalid);
		assert_int_equal(kind->backward(NULL), -pte_invalid);
		assert_int_equal(kind->set(NULL, 0), -pte_invalid);
		assert_int_equal(kind->offset(NULL, &number), -pte_invalid);
		assert_int_equal(kind->sync_offset(NULL, &number), -pte_invalid);
		assert_int_equal(kind->next(NULL), -pte_invalid);
		assert_null(kind->config(NULL));
		if (kind->time) {
			assert_int_equal(kind->time(NULL, &number, NULL, NULL), -pte_invalid);
			assert_int_equal(kind->ratio(NULL, &ratio), -pte_invalid);
			assert_int_equal(kind->event_to_nowhere(NULL), -pte_invalid);
		}
		if (kind->image) {
			assert_null(kind->image(NULL));
			assert_int_equal(kind->set_image(NULL, NULL), -pte_invalid);
			assert_int_equal(kind->asid(NULL, &asid, sizeof(asid)), -pte_invalid);
			assert_int_equal(kind->resync(NULL), -pte_invalid);
		}
	}
	assert_int_equal(number, 7);
}

TEST(too_early_and_to_nowhere)
{
	uint8_t bytes[] = { PSB, 0x99, 1, 2, 0x23 };
	const struct pt_config config = over(bytes, sizeof(bytes));

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		void *decoder = kind->open(&config);
		struct pt_asid asid;
		uint64_t number = 7;
		uint32_t ratio = 7;

		assert_int_equal(kind->offset(decoder, &number), -pte_nosync);
		assert_int_equal(kind->sync_offset(decoder, &number), -pte_nosync);
		assert_int_equal(kind->next(decoder), -pte_nosync);
		if (kind->time) {
			assert_int_equal(kind->time(decoder, &number, NULL, NULL), -pte_no_time);
			assert_int_equal(kind->ratio(decoder, &ratio), -pte_no_cbr);
			assert_int_equal(kind->time(decoder, NULL, NULL, NULL), -pte_invalid);
			assert_int_equal(kind->ratio(decoder, NULL), -pte_invalid);
			assert_int_equal(kind->event_to_nowhere(decoder), -pte_invalid);
		}
		if (kind->image) {
			assert_int_equal(kind->resync(decoder), -pte_nosync);
			assert_int_equal(kind->asid(decoder, NULL, sizeof(asid)), -pte_invalid);
			assert_int_equal(kind->asid(decoder, &asid, 7), -pte_invalid);
		}
		assert_int_equal(ratio, 7);
		assert_int_equal(kind->set(decoder, 0) < 0, 0);
		assert_int_equal(kind->offset(decoder, NULL), -pte_invalid);
		assert_int_equal(kind->sync_offset(decoder, NULL), -pte_invalid);
		assert_int_equal(kind->next_to_nowhere(decoder), -pte_invalid);
		kind->close(decoder);
	}
}

/* ---- configurations ---- */

TEST(configurations)
{
	uint8_t bytes[] = { PSB, 2, 0x23 };

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		struct pt_config config = over(bytes, sizeof(bytes)), *given;
		union {
			struct pt_config config;
			uint8_t bytes[sizeof(struct pt_config) + 64];
		} large;
		void *decoder;

		/* "Only size, begin, end are required": the rest is then 0. */
		memset(&large, 0x5a, sizeof(large));
		large.config.begin = config.begin;
		large.config.end = config.end;
		large.config.size = offsetof(struct pt_config, end) + sizeof(config.end);
		decoder = kind->open(&large.config);
		given = (struct pt_config *)(uintptr_t)kind->config(decoder);
		assert_int_equal(given->size, sizeof(*given));
		assert_ptr_equal(given->begin, bytes);
		assert_null(given->decode.callback);
		assert_int_equal(given->nom_freq, 0);
		assert_int_equal(given->addr_filter.addr3_b, 0);
		kind->close(decoder);
		large.config.size--;
		assert_null(kind->open(&large.config));

		/* What is behind it is not known, and left alone. */
		memset(&large, 0, sizeof(large));
		large.config = config;
		large.config.size = sizeof(large);
		large.config.mtc_freq = 3;
		large.config.addr_filter.addr3_b = 0x99;
		decoder = kind->open(&large.config);
		assert_int_equal(kind->config(decoder)->mtc_freq, 3);
		assert_int_equal(kind->config(decoder)->addr_filter.addr3_b, 0x99);
		kind->close(decoder);

		config.end = config.begin - 1;
		assert_null(kind->open(&config));
		config.end = NULL;
		assert_null(kind->open(&config));
		config = over(NULL, 0);
		config.end = bytes;
		assert_null(kind->open(&config));
	}
}

/* ---- an address space ---- */

TEST(address_spaces_by_size)
{
	/* "CR3 = (v >> 1) << 5"; "base = v << 12" */
	uint8_t bytes[] = { PSB, 0x99, 1, 2, 0x43, 0,    0x30, 0, 0,    0, 0, 2, 0xc8, 0x07,
			    0,   0,    0, 0, 2,    0x23, 0x71, 0, 0x10, 0, 0, 0, 0 };
	const struct pt_config config = over(bytes, sizeof(bytes));

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		union {
			struct pt_asid asid;
			uint8_t bytes[40];
		} given;
		void *decoder;

		if (!kind->asid)
			continue;
		decoder = kind->open(&config);
		assert_int_equal(kind->asid(decoder, &given.asid, sizeof(given.asid)), 0);
		assert_int_equal(given.asid.cr3, pt_asid_no_cr3);
		assert_int_equal(given.asid.vmcs, pt_asid_no_vmcs);
		assert_true(kind->forward(decoder) >= 0);
		pass_events(kind, decoder, 3);
		if (kind == &kinds[FOLDED])
			assert_int_equal(kind->next(decoder), -pte_nomap);
		for (size_t size = 8; size <= sizeof(given); size += 8) {
			memset(&given, 0x5a, sizeof(given));
			assert_int_equal(kind->asid(decoder, &given.asid, size), 0);
			assert_int_equal(given.asid.size, size < 24 ? size : 24);
			if (size >= 16)
				assert_int_equal(given.asid.cr3, 0x30000);
			if (size >= 24)
				assert_int_equal(given.asid.vmcs, 0x7000);
			for (size_t i = 24; i < sizeof(given); i++)
				assert_int_equal(given.bytes[i], i < size ? 0 : 0x5a);
			for (size_t i = size; i < 24; i++)
				assert_int_equal(given.bytes[i], 0x5a);
		}
		kind->close(decoder);
	}
}

/* ---- forward, backward, and where they stand ---- */

enum { MOST_PSBS = 40, STREAM = 4096 };

/* PSB+ of all kinds among what is none; where they are. */
static unsigned draw_stream(uint32_t *seed, uint8_t stream[STREAM], size_t *size,
			    uint64_t at[MOST_PSBS])
{
	static const uint8_t psb[] = { PSB, 0x99, 1, 0x7d, 0, 0x10, 0, 0, 0, 0, 2, 0x23 };
	unsigned count = 1 + chance(seed, MOST_PSBS - 1);

	*size = 0;
	for (unsigned n = 0; n < count; n++) {
		/* Outcomes and padding; without outcomes flow would be read on into the PSB+. */
		for (unsigned i = chance(seed, 12); i; i--)
			stream[(*size)++] = chance(seed, 3) ? 0 : 0x06;
		stream[(*size)++] = 0x06;
		at[n] = *size;
		memcpy(stream + *size, psb, sizeof(psb));
		*size += sizeof(psb);
	}
	for (unsigned i = 1 + chance(seed, 12); i; i--)
		stream[(*size)++] = 0x06;
	return count;
}

static void expect_at(const struct kind *kind, void *decoder, uint64_t wanted, int status)
{
	uint64_t offset = ~UINT64_C(0);

	assert_true(status >= 0);
	assert_int_equal(kind->sync_offset(decoder, &offset), 0);
	if (offset != wanted)
		fail_msg("%s: stands at %u, not at %u", kind->name, (unsigned)offset,
			 (unsigned)wanted);
	assert_int_equal(kind->offset(decoder, &offset), 0);
	assert_true(offset >= wanted);
	if (kind == &kinds[PACKETS])
		assert_int_equal(offset, wanted);
}

TEST(drawn_synchronisation)
{
	static _Alignas(8) uint8_t stream[STREAM];

	for (uint32_t seed = 1; seed <= 60; seed++) {
		const struct kind *kind = &kinds[seed % KINDS];
		uint32_t draws = seed * 104729;
		uint64_t at[MOST_PSBS];
		struct pt_config config;
		unsigned count;
		size_t size;
		void *decoder;

		count = draw_stream(&draws, stream, &size, at);
		config = over(stream, size);
		decoder = kind->open(&config);
		for (unsigned n = 0; n < count; n++)
			expect_at(kind, decoder, at[n], kind->forward(decoder));
		assert_int_equal(kind->forward(decoder), -pte_eos);
		/* From the end, each in turn, and then none. */
		kind->close(decoder);
		decoder = kind->open(&config);
		for (unsigned n = count; n-- > 0;)
			expect_at(kind, decoder, at[n], kind->backward(decoder));
		assert_int_equal(kind->backward(decoder), -pte_eos);
		/* Anywhere, and the one behind it or before it. */
		for (unsigned i = 0; i < 8; i++) {
			const unsigned n = chance(&draws, count);

			expect_at(kind, decoder, at[n], kind->set(decoder, at[n]));
			if (n + 1 < count && chance(&draws, 2))
				expect_at(kind, decoder, at[n + 1], kind->forward(decoder));
			else if (n > 0)
				expect_at(kind, decoder, at[n - 1], kind->backward(decoder));
		}
		kind->close(decoder);
	}
}

TEST(where_no_decoder_can_stand)
{
	uint8_t bytes[] = { 0, PSB, 2, 0x23, 0x06, 2, 0x82, 2, 0x82, 0x06, 0,   0,
			    0, 0,   0, 0,    0,    0, 0,    0, 0,    2,    0x82 };
	const struct pt_config config = over(bytes, sizeof(bytes));
	const uint64_t half = 20, end = sizeof(bytes);

	for (const struct kind *kind = kinds + FLOWS; kind < kinds + FOLDED; kind++) {
		void *decoder = kind->open(&config);

		assert_int_equal(kind->set(decoder, end), -pte_eos);
		assert_int_equal(kind->set(decoder, end + 1), -pte_eos);
		assert_int_equal(kind->set(decoder, UINT64_MAX), -pte_eos);
		assert_int_equal(kind->set(decoder, end - 1), -pte_eos);
		assert_int_equal(kind->set(decoder, end - 2), -pte_eos);
		assert_int_equal(kind->set(decoder, 0), -pte_nosync);
		assert_int_equal(kind->set(decoder, 2), -pte_nosync);
		assert_int_equal(kind->set(decoder, half), -pte_bad_packet);
		assert_true(kind->set(decoder, 1) >= 0);
		kind->close(decoder);
	}
}

/* ---- writing packets ---- */

TEST(encoders)
{
	uint8_t bytes[12];
	struct pt_config config = over(bytes, sizeof(bytes));
	struct pt_encoder *encoder = pt_alloc_encoder(&config);
	struct pt_packet packet;
	uint64_t offset;

	assert_null(pt_alloc_encoder(NULL));
	pt_free_encoder(NULL);
	assert_null(pt_enc_get_config(NULL));
	assert_int_equal(pt_enc_sync_set(NULL, 0), -pte_invalid);
	assert_int_equal(pt_enc_get_offset(NULL, &offset), -pte_invalid);
	assert_int_equal(pt_enc_get_offset(encoder, NULL), -pte_invalid);
	assert_ptr_equal(pt_enc_get_config(encoder)->end, bytes + sizeof(bytes));

	memset(bytes, 0x5a, sizeof(bytes));
	memset(&packet, 0, sizeof(packet));
	packet.type = ppt_tma;
	packet.payload.tma.ctc = 0x1234;
	packet.payload.tma.fc = 0x156;
	assert_int_equal(pt_enc_next(NULL, &packet), -pte_invalid);
	assert_int_equal(pt_enc_next(encoder, NULL), -pte_invalid);
	assert_int_equal(pt_enc_sync_set(encoder, 3), 0);
	assert_int_equal(pt_enc_next(encoder, &packet), 7);
	assert_int_equal(pt_enc_get_offset(encoder, &offset), 0);
	assert_int_equal(offset, 10);
	/* "CTC 2 bytes, reserved 1, FastCounter: 1 byte + bit 0 of the next" */
	assert_memory_equal(
		bytes,
		((uint8_t[]){ 0x5a, 0x5a, 0x5a, 2, 0x73, 0x34, 0x12, 0, 0x56, 1, 0x5a, 0x5a }),
		sizeof(bytes));
	assert_int_equal(pt_enc_next(encoder, &packet), -pte_eos);
	assert_int_equal(pt_enc_sync_set(encoder, sizeof(bytes)), 0);
	assert_int_equal(pt_enc_sync_set(encoder, sizeof(bytes) + 1), -pte_eos);
	assert_int_equal(pt_enc_get_offset(encoder, &offset), 0);
	assert_int_equal(offset, sizeof(bytes));
	assert_int_equal(pt_enc_sync_set(encoder, 0), 0);
	packet.type = ppt_invalid;
	assert_int_equal(pt_enc_next(encoder, &packet), -pte_bad_opc);
	packet.type = ppt_unknown;
	assert_int_equal(pt_enc_next(encoder, &packet), -pte_bad_opc);
	packet.type = (enum pt_packet_type)1000;
	assert_int_equal(pt_enc_next(encoder, &packet), -pte_bad_opc);
	pt_free_encoder(encoder);
}

/* ---- versions, texts, errata ---- */

TEST(texts)
{
	/* 3.3 */
	static const char *const texts[] = {
		"OK",
		"internal error",
		"invalid argument",
		"decoder out of sync",
		"unknown opcode",
		"unknown packet",
		"unexpected packet context",
		"reached end of trace stream",
		"trace stream does not match query",
		"out of memory",
		"bad configuration",
		"no ip",
		"ip has been suppressed",
		"no memory mapped at this address",
		"unknown instruction",
		"no timing information",
		"no core:bus ratio",
		"bad image",
		"locking error",
		"not supported",
		"compressed return without call",
		"bad compressed return",
		"bad status update",
		"expected tracing enabled event",
		"event ignored",
		"overflow",
		"bad file",
		"unknown cpu",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(pt_errstr((enum pt_error_code)i), texts[i]);
	assert_string_equal(pt_errstr((enum pt_error_code)28), "internal error.");
	assert_string_equal(pt_errstr((enum pt_error_code) - 1), "internal error.");
	assert_int_equal(pt_library_version().major, 2);
	assert_int_equal(pt_library_version().minor, 0);
	assert_int_equal(pt_library_version().patch, 5);
	assert_non_null(pt_library_version().ext);
}

TEST(errata_of_processors)
{
	/* 7: "bits 0..9 = bdm70 bdm64 skd007 skd022 skd010 skl014 apl12 apl11 skl168 skz84" */
	static const struct {
		uint8_t model;
		uint16_t bits;
	} models[] = {
		{ 0x3d, 0x003 }, { 0x4e, 0x13d }, { 0x55, 0x229 }, { 0x66, 0x029 },
		{ 0x5c, 0x0c0 }, { 0x7a, 0x080 }, { 0x96, 0x080 }, { 0x5e, 0x13d },
	};
	struct pt_cpu cpu = { .vendor = pcv_intel, .family = 6, .model = 0x3d };
	struct pt_errata errata;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		unsigned bits;

		cpu.model = models[i].model;
		memset(&errata, 0xff, sizeof(errata));
		assert_int_equal(pt_cpu_errata(&errata, &cpu), 0);
		bits = (unsigned)(errata.bdm70 | errata.bdm64 << 1 | errata.skd007 << 2 |
				  errata.skd022 << 3 | errata.skd010 << 4 | errata.skl014 << 5 |
				  errata.apl12 << 6 | errata.apl11 << 7 | errata.skl168 << 8 |
				  errata.skz84 << 9);
		assert_int_equal(bits, models[i].bits);
	}
	assert_int_equal(pt_cpu_errata(NULL, &cpu), -pte_invalid);
	assert_int_equal(pt_cpu_errata(&errata, NULL), -pte_invalid);
	/* "for any vendor other than Intel; it clears the flags first" */
	cpu.vendor = pcv_unknown;
	memset(&errata, 0xff, sizeof(errata));
	assert_int_equal(pt_cpu_errata(&errata, &cpu), -pte_bad_cpu);
	assert_int_equal(errata.bdm70 | errata.apl11 | errata.skz84, 0);
	cpu = (struct pt_cpu){ .vendor = pcv_intel, .family = 6, .model = 1 };
	assert_int_equal(pt_cpu_errata(&errata, &cpu), -pte_bad_cpu);
}

/* ---- time ---- */

/*
 * TSC 0x500 and CBR 9 in the PSB+, then two targets; before the second one TSC 0x600, and three
 * cycles behind it.
 */
static uint8_t timed[] = { PSB,  0x19, 0, 5, 0, 0, 0, 0,    0,    2,    3,    9, 0, 0x99, 1, 0x7d,
			   0x40, 0x10, 0, 0, 0, 0, 2, 0x23, 0x6d, 0x40, 0x10, 0, 0, 0,    0, 0x19,
			   0,    6,    0, 0, 0, 0, 0, 0x1b, 0x6d, 0x60, 0x10, 0, 0, 0,    0 };

/* A nop, and "jmp *%rax" at 1040. */
static int read_jump(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	(void)asid, (void)context;
	memset(buffer, 0x90, size);
	if (ip == 0x1040) {
		buffer[0] = 0xff;
		if (size > 1)
			buffer[1] = 0xe0;
	}
	return (int)size;
}

static void expect_time(const struct kind *kind, void *decoder, uint64_t wanted)
{
	uint32_t ratio = 0, lost_mtc = 7, lost_cyc = 7;
	uint64_t time = 0;

	assert_int_equal(kind->time(decoder, &time, &lost_mtc, &lost_cyc), 0);
	assert_int_equal(time, wanted);
	assert_int_equal(lost_mtc, 0);
	assert_int_equal(lost_cyc, 0);
	assert_int_equal(kind->time(decoder, &time, NULL, NULL), 0);
	assert_int_equal(kind->ratio(decoder, &ratio), 0);
	assert_int_equal(ratio, 9);
}

TEST(times_of_queries)
{
	struct pt_config config = over(timed, sizeof(timed));
	struct pt_query_decoder *decoder;
	struct pt_event event;
	uint64_t ip;

	/* A cycle is a tick: "fcr = (nom_freq << 8) / ratio". */
	config.nom_freq = 9;
	decoder = pt_qry_alloc_decoder(&config);
	assert_int_equal(pt_qry_sync_forward(decoder, &ip), pts_event_pending);
	assert_int_equal(ip, 0x1040);
	for (int i = 0; i < 2; i++)
		assert_true(pt_qry_event(decoder, &event, sizeof(event)) >= 0);
	assert_int_equal(event.variant.exec_mode.mode, ptem_64bit);
	assert_int_equal(pt_qry_indirect_branch(decoder, &ip), 0);
	expect_time(&kinds[FLOWS], decoder, 0x500);
	assert_int_equal(pt_qry_indirect_branch(decoder, &ip), pts_eos);
	assert_int_equal(ip, 0x1060);
	expect_time(&kinds[FLOWS], decoder, 0x603);
	pt_qry_free_decoder(decoder);
}

TEST(times_of_code)
{
	struct pt_config config = over(timed, sizeof(timed));

	config.nom_freq = 9;
	for (const struct kind *kind = kinds + FLOWS + 1; kind < kinds + KINDS; kind++) {
		void *decoder = kind->open(&config);

		assert_int_equal(pt_image_set_callback(kind->image(decoder), read_jump, NULL), 0);
		assert_int_equal(kind->forward(decoder),
				 kind == &kinds[FOLDED] ? 0 : pts_event_pending);
		pass_events(kind, decoder, 2);
		assert_int_equal(kind->next(decoder), 0);
		/* Without events it has read on to the end of the next block. */
		expect_time(kind, decoder, kind == &kinds[FOLDED] ? 0x603 : 0x500);
		assert_int_equal(kind->next(decoder), kind == &kinds[FOLDED] ? 0 : pts_eos);
		expect_time(kind, decoder, 0x603);
		kind->close(decoder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_decoder),
		cmocka_unit_test(too_early_and_to_nowhere),
		cmocka_unit_test(configurations),
		cmocka_unit_test(address_spaces_by_size),
		cmocka_unit_test(drawn_synchronisation),
		cmocka_unit_test(where_no_decoder_can_stand),
		cmocka_unit_test(encoders),
		cmocka_unit_test(texts),
		cmocka_unit_test(errata_of_processors),
		cmocka_unit_test(times_of_queries),
		cmocka_unit_test(times_of_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
