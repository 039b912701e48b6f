/* SPDX-License-Identifier: Apache-2.0 */
/* Any calls of the drop-in in any order. A byte says which, the one behind it with what. */
#include "pt_api_common.h"

struct state {
	const struct pt_api_input *input;
	struct pt_config config;
	struct pt_packet_decoder *pkt;
	struct pt_query_decoder *qry;
	struct pt_event_decoder *evt;
	struct pt_insn_decoder *insn;
	struct pt_block_decoder *blk;
	struct pt_image *images[2];
	struct pt_image_section_cache *cache;
	unsigned arg; /* 0 .. 255 */
	const char *broken;
};

static void check(struct state *s, int status)
{
	if (!s->broken && status < 0 && -status > pte_bad_cpu)
		s->broken = "a result that is none";
}

/* Structures as short and as long as a caller may have them; the guard behind them must stay. */
struct guarded {
	union {
		struct pt_block block;
		struct pt_insn insn;
		struct pt_event event;
		struct pt_packet packet;
		struct pt_asid asid;
		uint8_t bytes[96];
	} of;
	uint64_t guard;
};

static size_t size_of(const struct state *s, size_t usual)
{
	return s->arg & 0x80 ? s->arg % 96 : usual;
}

static void guard(struct state *s, const struct guarded *g)
{
	if (g->guard != 0x5aa5)
		s->broken = "more written than the caller has room for";
}

static uint64_t offset_of(const struct state *s)
{
	return (uint64_t)s->arg * (s->arg & 1 ? 16 : 3) % (s->input->size + 20);
}

/* The same calls of the three decoders of flow. */
#define FLOW_CALLS(p, WITH_IP)                                                                     \
	static void p##_call(struct state *s, unsigned call)                                       \
	{                                                                                          \
		struct guarded g = { .guard = 0x5aa5 };                                            \
		uint64_t value = 0;                                                                \
		uint32_t ratio = 0;                                                                \
                                                                                                   \
		switch (call) {                                                                    \
		case 0:                                                                            \
			check(s, pt_##p##_sync_forward(s->p WITH_IP));                             \
			break;                                                                     \
		case 1:                                                                            \
			check(s, pt_##p##_sync_backward(s->p WITH_IP));                            \
			break;                                                                     \
		case 2:                                                                            \
			check(s, pt_##p##_sync_set(s->p WITH_IP, offset_of(s)));                   \
			break;                                                                     \
		case 3:                                                                            \
			check(s, pt_##p##_get_offset(s->p, &value));                               \
			break;                                                                     \
		case 4:                                                                            \
			check(s, pt_##p##_get_sync_offset(s->p, &value));                          \
			break;                                                                     \
		case 5:                                                                            \
			check(s, pt_##p##_time(s->p, &value, s->arg & 1 ? &ratio : NULL, NULL));   \
			value = 0;                                                                 \
			break;                                                                     \
		case 6:                                                                            \
			check(s, pt_##p##_core_bus_ratio(s->p, &ratio));                           \
			break;                                                                     \
		case 7:                                                                            \
			check(s,                                                                   \
			      pt_##p##_event(s->p, &g.of.event, size_of(s, sizeof(g.of.event))));  \
			break;                                                                     \
		default:                                                                           \
			p##_more(s, call, &g);                                                     \
			break;                                                                     \
		}                                                                                  \
		guard(s, &g);                                                                      \
		if (value > s->input->size)                                                        \
			s->broken = "an offset behind the trace";                                  \
	}

static void qry_more(struct state *s, unsigned call, struct guarded *g)
{
	uint64_t ip;
	int taken;

	(void)g;
	for (unsigned i = 0; i <= s->arg % 16; i++)
		check(s, call & 1 ? pt_qry_cond_branch(s->qry, &taken)
				  : pt_qry_indirect_branch(s->qry, &ip));
}

static void insn_more(struct state *s, unsigned call, struct guarded *g)
{
	switch (call) {
	case 8:
		check(s,
		      pt_insn_set_image(s->insn, s->arg % 3 == 2 ? NULL : s->images[s->arg % 3]));
		break;
	case 9:
		check(s, pt_insn_asid(s->insn, &g->of.asid, size_of(s, sizeof(g->of.asid))));
		break;
	case 10:
		check(s, pt_insn_resync(s->insn));
		break;
	case 11:
		check(s, pt_image_set_callback(pt_insn_get_image(s->insn), pt_api_read,
					       (void *)(uintptr_t)s->input));
		break;
	default:
		for (unsigned i = 0; i <= s->arg % 16; i++) {
			int status =
				pt_insn_next(s->insn, &g->of.insn, size_of(s, sizeof(g->of.insn)));

			check(s, status);
			if (!(s->arg & 0x80) && !s->broken)
				s->broken = pt_api_insn(status, &g->of.insn);
		}
	}
}

static void blk_more(struct state *s, unsigned call, struct guarded *g)
{
	switch (call) {
	case 8:
		check(s, pt_blk_set_image(s->blk, s->arg % 3 == 2 ? NULL : s->images[s->arg % 3]));
		break;
	case 9:
		check(s, pt_blk_asid(s->blk, &g->of.asid, size_of(s, sizeof(g->of.asid))));
		break;
	case 10:
		check(s, pt_blk_resync(s->blk));
		break;
	case 11:
		check(s, pt_image_set_callback(pt_blk_get_image(s->blk), pt_api_read,
					       (void *)(uintptr_t)s->input));
		break;
	default:
		for (unsigned i = 0; i <= s->arg % 16; i++) {
			int status =
				pt_blk_next(s->blk, &g->of.block, size_of(s, sizeof(g->of.block)));

			check(s, status);
			if (!(s->arg & 0x80) && !s->broken)
				s->broken = pt_api_block(status, &g->of.block);
		}
	}
}

#define AN_IP , NULL
#define NO_IP
FLOW_CALLS(insn, NO_IP)
FLOW_CALLS(blk, NO_IP)
FLOW_CALLS(qry, AN_IP)

static void pkt_call(struct state *s, unsigned call)
{
	struct guarded g = { .guard = 0x5aa5 };
	uint64_t offset = 0;

	switch (call % 6) {
	case 0:
		check(s, pt_pkt_sync_forward(s->pkt));
		break;
	case 1:
		check(s, pt_pkt_sync_backward(s->pkt));
		break;
	case 2:
		check(s, pt_pkt_sync_set(s->pkt, offset_of(s)));
		break;
	case 3:
		check(s, pt_pkt_get_offset(s->pkt, &offset));
		break;
	case 4:
		check(s, pt_pkt_get_sync_offset(s->pkt, &offset));
		break;
	default:
		check(s, pt_pkt_next(s->pkt, &g.of.packet, size_of(s, sizeof(g.of.packet))));
		break;
	}
	guard(s, &g);
	if (offset > s->input->size)
		s->broken = "an offset behind the trace";
}

static void evt_call(struct state *s, unsigned call)
{
	struct guarded g = { .guard = 0x5aa5 };
	uint64_t offset = 0;

	switch (call % 6) {
	case 0:
		check(s, pt_evt_sync_forward(s->evt));
		break;
	case 1:
		check(s, pt_evt_sync_backward(s->evt));
		break;
	case 2:
		check(s, pt_evt_sync_set(s->evt, offset_of(s)));
		break;
	case 3:
		check(s, pt_evt_get_offset(s->evt, &offset));
		break;
	case 4:
		check(s, pt_evt_get_sync_offset(s->evt, &offset));
		break;
	default:
		check(s, pt_evt_next(s->evt, &g.of.event, size_of(s, sizeof(g.of.event))));
		break;
	}
	guard(s, &g);
}

/* Images change while decoders use them: between two calls that is allowed. */
static void image_call(struct state *s, unsigned call)
{
	struct pt_image *image = s->images[s->arg & 1];
	uint64_t at = s->input->vaddr + (s->arg >> 3) * 8;
	const char *file = s->input->file ? s->input->file : "/nonexistent";
	struct pt_asid asid;
	uint8_t bytes[16];

	pt_asid_init(&asid);
	asid.cr3 = s->arg & 2 ? 0x1000 : pt_asid_no_cr3;
	switch (call % 10) {
	case 0:
		check(s, pt_image_add_file(image, file, s->arg, 64, s->arg & 4 ? &asid : NULL, at));
		break;
	case 1:
		check(s, pt_image_add_cached(image, s->cache, (int)(s->arg >> 4),
					     s->arg & 4 ? &asid : NULL));
		break;
	case 2:
		check(s, pt_image_copy(image, s->images[s->arg >> 1 & 1]));
		break;
	case 3:
		check(s, pt_image_remove_by_filename(image, file, &asid));
		break;
	case 4:
		check(s, pt_image_remove_by_asid(image, &asid));
		break;
	case 5:
		check(s, pt_image_set_callback(image, NULL, NULL));
		break;
	case 6:
		check(s, pt_image_set_callback(image, pt_api_read, (void *)(uintptr_t)s->input));
		break;
	case 7:
		check(s, pt_iscache_add_file(s->cache, file, s->arg & 0x1f, s->arg, at));
		break;
	case 8:
		check(s, pt_iscache_read(s->cache, bytes, s->arg % 17, (int)(s->arg >> 5), at));
		break;
	default:
		check(s, pt_iscache_set_limit(s->cache, s->arg * 4096));
		break;
	}
}

static void encode(struct state *s, unsigned call)
{
	uint8_t room[24];
	struct pt_config config = s->config;
	struct pt_encoder *encoder;
	struct pt_packet packet;

	config.begin = room;
	config.end = room + sizeof(room) - s->arg % 20;
	encoder = pt_alloc_encoder(&config);
	memset(&packet, (int)s->arg, sizeof(packet));
	packet.type = (enum pt_packet_type)(s->arg % 34);
	(void)call;
	for (unsigned i = 0; encoder && i < 3; i++)
		check(s, pt_enc_next(encoder, &packet));
	pt_free_encoder(encoder);
}

static void again(struct state *s, unsigned call)
{
	struct pt_config config = s->config;

	config.flags.variant.reserved[0] = s->arg & 0x3f;
	memcpy(&config.errata, &s->arg, 1);
	switch (call % 5) {
	case 0:
		pt_blk_free_decoder(s->blk);
		s->blk = pt_blk_alloc_decoder(&config);
		break;
	case 1:
		pt_insn_free_decoder(s->insn);
		s->insn = pt_insn_alloc_decoder(&config);
		break;
	case 2:
		pt_qry_free_decoder(s->qry);
		s->qry = pt_qry_alloc_decoder(&config);
		break;
	case 3:
		pt_evt_free_decoder(s->evt);
		s->evt = pt_evt_alloc_decoder(&config);
		break;
	default:
		pt_pkt_free_decoder(s->pkt);
		s->pkt = pt_pkt_alloc_decoder(&config);
		break;
	}
}

static void open_all(struct state *s)
{
	s->config = pt_api_config(s->input);
	s->pkt = pt_pkt_alloc_decoder(&s->config);
	s->qry = pt_qry_alloc_decoder(&s->config);
	s->evt = pt_evt_alloc_decoder(&s->config);
	s->insn = pt_insn_alloc_decoder(&s->config);
	s->blk = pt_blk_alloc_decoder(&s->config);
	s->cache = pt_iscache_alloc("cache");
	for (unsigned i = 0; i < 2; i++)
		s->images[i] = pt_api_image(s->input);
	pt_insn_set_image(s->insn, s->images[0]);
	pt_blk_set_image(s->blk, s->images[0]);
	pt_insn_sync_forward(s->insn);
	pt_blk_sync_forward(s->blk);
}

static void close_all(struct state *s)
{
	pt_pkt_free_decoder(s->pkt);
	pt_qry_free_decoder(s->qry);
	pt_evt_free_decoder(s->evt);
	pt_insn_free_decoder(s->insn);
	pt_blk_free_decoder(s->blk);
	pt_image_free(s->images[0]);
	pt_image_free(s->images[1]);
	pt_iscache_free(s->cache);
}

const char *pt_api_sequence(const struct pt_api_input *input, const uint8_t *ops, size_t count)
{
	static void (*const groups[])(struct state *, unsigned) = { blk_call, insn_call, qry_call,
								    evt_call, pkt_call,  image_call,
								    encode,   again };
	struct state s = { .input = input };

	open_all(&s);
	for (size_t i = 0; i + 1 < count && !s.broken; i += 2) {
		s.arg = ops[i + 1];
		groups[ops[i] >> 5](&s, ops[i] & 0x1f);
	}
	close_all(&s);
	return s.broken;
}
