/* SPDX-License-Identifier: Apache-2.0 */
/* Packets, queries and instructions: call by call. */
#include "twins.h"

enum { ROOM = 96, STEPS = 20000 };

/* Room for a structure, of both, filled alike. */
struct room {
	uint8_t bytes[BOTH][ROOM];
};

static void fill(struct room *room)
{
	memset(room->bytes, 0x5a, sizeof(room->bytes));
}

#define SAME(what, call)                                                                           \
	do {                                                                                       \
		const int *_s = call;                                                              \
		status = _s[OURS];                                                                 \
		if (!differ(scene, what, _s[OURS], _s[THEIRS]))                                    \
			differs = true;                                                            \
	} while (0)

/* ---- packets ---- */

bool run_packets(const struct scene *scene)
{
	struct pt_packet_decoder *dec[BOTH];
	bool differs = false;
	int status = 0;

	for (unsigned who = 0; who < BOTH; who++)
		dec[who] = api[who].pt_pkt_alloc_decoder(&scene->config);
	SAME("pkt_sync_forward", CALL(pt_pkt_sync_forward, dec));
	for (unsigned step = 0; step < STEPS && !differs; step++) {
		size_t size = one_in(4) ? chance() % (sizeof(struct pt_packet) + 1)
					: sizeof(struct pt_packet);
		uint64_t offset[BOTH] = { 0, 0 };
		struct room room;
		bool whole;
		int a, b;

		if (status == -pte_eos && !one_in(8))
			break;
		if (status < 0 && !one_in(8)) {
			SAME("pkt_sync_forward", CALL(pt_pkt_sync_forward, dec));
		} else if (one_in(500)) {
			SAME("pkt_sync_backward", CALL(pt_pkt_sync_backward, dec));
		} else if (one_in(500)) {
			uint64_t to = chance() % (scene->size + 4);

			SAME("pkt_sync_set", CALL(pt_pkt_sync_set, dec, to));
		} else {
			fill(&room);
			/* The bit of a MODE.Exec that came with 2.1 is set in it, and left alone
			 * by 2.0.5. */
			a = api[OURS].pt_pkt_next(dec[OURS], (void *)room.bytes[OURS], size);
			b = api[THEIRS].pt_pkt_next(dec[THEIRS], (void *)room.bytes[THEIRS], size);
			status = a;
			if (a >= 0 && size == sizeof(struct pt_packet) &&
			    ((struct pt_packet *)(void *)room.bytes[OURS])->type == ppt_mode)
				room.bytes[OURS][12] = (uint8_t)((room.bytes[OURS][12] & ~4u) |
								 (room.bytes[THEIRS][12] & 4u));
			whole = size == sizeof(struct pt_packet);
			/* In a cut one only these are surely set. */
			differs = !differ(scene, "pkt_next", a, b) ||
				  (a >= 0 && !differ_bytes(scene, "packet", room.bytes[OURS],
							   room.bytes[THEIRS],
							   whole      ? ROOM
							   : size < 5 ? size
								      : 5));
		}
		a = api[OURS].pt_pkt_get_offset(dec[OURS], &offset[OURS]);
		b = api[THEIRS].pt_pkt_get_offset(dec[THEIRS], &offset[THEIRS]);
		differs |= !differ(scene, "pkt_get_offset", a, b) ||
			   !differ(scene, "packet offset", (int)offset[OURS], (int)offset[THEIRS]);
	}
	for (unsigned who = 0; who < BOTH; who++)
		api[who].pt_pkt_free_decoder(dec[who]);
	return !differs;
}

/* ---- what decoders of flow have in common ---- */

struct state {
	uint64_t offset, sync, time;
	uint32_t lost_mtc, lost_cyc, cbr;
	int offset_status, sync_status, time_status, cbr_status;
	struct pt_asid asid;
};

static bool same_state(const struct scene *scene, const char *who, const struct state s[BOTH])
{
	char what[40];

	snprintf(what, sizeof(what), "%s state", who);
	return differ_bytes(scene, what, &s[OURS], &s[THEIRS], sizeof(*s));
}

#define STATE(p)                                                                                   \
	static struct state p##_state(const struct api *a, struct pt_##p##_decoder *dec)           \
	{                                                                                          \
		struct state s;                                                                    \
                                                                                                   \
		memset(&s, 0, sizeof(s));                                                          \
		s.offset_status = a->pt_##p##_get_offset(dec, &s.offset);                          \
		s.sync_status = a->pt_##p##_get_sync_offset(dec, &s.sync);                         \
		s.time_status = a->pt_##p##_time(dec, &s.time, &s.lost_mtc, &s.lost_cyc);          \
		s.cbr_status = a->pt_##p##_core_bus_ratio(dec, &s.cbr);                            \
		p##_more(a, dec, &s);                                                              \
		return s;                                                                          \
	}

#define pt_qry_decoder pt_query_decoder

static void qry_more(const struct api *a, struct pt_qry_decoder *dec, struct state *s)
{
	(void)a, (void)dec, (void)s;
}

static void insn_more(const struct api *a, struct pt_insn_decoder *dec, struct state *s)
{
	a->pt_insn_asid(dec, &s->asid, sizeof(s->asid));
}

STATE(qry)
STATE(insn)

/* ---- queries ---- */

static bool one_query(const struct scene *scene, struct pt_query_decoder *dec[BOTH], int *status)
{
	struct room room;
	uint64_t ip[BOTH] = { 7, 7 };
	int taken[BOTH] = { 7, 7 };
	int a, b;
	bool event = *status >= 0 && *status & pts_event_pending;
	size_t size = one_in(4)                      ? chance() % 65
		      : sizeof(struct pt_event) < 64 ? sizeof(struct pt_event)
						     : 64;

	fill(&room);
	if (one_in(20) ? one_in(2) : event) {
		a = api[OURS].pt_qry_event(dec[OURS], (void *)room.bytes[OURS], size);
		b = api[THEIRS].pt_qry_event(dec[THEIRS], (void *)room.bytes[THEIRS], size);
		*status = a;
		return differ(scene, "qry_event", a, b) &&
		       differ_bytes(scene, "qry event", room.bytes[OURS], room.bytes[THEIRS], ROOM);
	}
	if (!one_in(10)) {
		a = api[OURS].pt_qry_cond_branch(dec[OURS], &taken[OURS]);
		b = api[THEIRS].pt_qry_cond_branch(dec[THEIRS], &taken[THEIRS]);
		*status = a;
		if (!differ(scene, "qry_cond_branch", a, b) ||
		    !differ(scene, "taken", taken[OURS], taken[THEIRS]))
			return false;
		if (a != -pte_bad_query)
			return true;
	}
	a = api[OURS].pt_qry_indirect_branch(dec[OURS], &ip[OURS]);
	b = api[THEIRS].pt_qry_indirect_branch(dec[THEIRS], &ip[THEIRS]);
	*status = a;
	return differ(scene, "qry_indirect_branch", a, b) &&
	       differ_bytes(scene, "target", &ip[OURS], &ip[THEIRS], 8);
}

static bool sync_queries(const struct scene *scene, struct pt_query_decoder *dec[BOTH], int *out)
{
	uint64_t ip[BOTH] = { 7, 7 }, to = chance() % (scene->size + 4);
	bool differs = false, set = one_in(10);
	int status;

	for (unsigned who = 0; who < BOTH; who++) {
		int s = set ? api[who].pt_qry_sync_set(dec[who], &ip[who], to)
			    : api[who].pt_qry_sync_forward(dec[who], &ip[who]);

		if (who == OURS)
			status = s;
		else
			differs = !differ(scene, "qry_sync", status, s);
	}
	*out = status;
	return !differs && differ_bytes(scene, "qry sync ip", &ip[OURS], &ip[THEIRS], 8);
}

bool run_queries(const struct scene *scene)
{
	struct pt_query_decoder *dec[BOTH];
	bool good = true;
	int status = -pte_nosync;

	for (unsigned who = 0; who < BOTH; who++)
		dec[who] = api[who].pt_qry_alloc_decoder(&scene->config);
	for (unsigned step = 0; step < STEPS && good; step++) {
		if (status < 0 && !one_in(8)) {
			good = sync_queries(scene, dec, &status);
			if (status == -pte_eos && !one_in(8))
				break;
		} else {
			good = one_query(scene, dec, &status);
		}
		if (good && one_in(3)) {
			struct state s[BOTH] = { qry_state(&api[OURS], dec[OURS]),
						 qry_state(&api[THEIRS], dec[THEIRS]) };

			good = same_state(scene, "qry", s);
		}
	}
	for (unsigned who = 0; who < BOTH; who++)
		api[who].pt_qry_free_decoder(dec[who]);
	return good;
}

/* ---- instructions ---- */

static bool sync_insns(const struct scene *scene, struct pt_insn_decoder *dec[BOTH], int *out)
{
	uint64_t to = chance() % (scene->size + 4), at[BOTH] = { 1, 2 };
	bool differs = false;
	int status;

	if (one_in(10)) {
		SAME("insn_sync_set", CALL(pt_insn_sync_set, dec, to));
	} else if (one_in(10)) {
		/* 2.0.5 forgets the events of the PSB+ (docs/libipt.md): onto the same one once
		 * more. */
		api[THEIRS].pt_insn_sync_backward(dec[THEIRS]);
		api[THEIRS].pt_insn_get_sync_offset(dec[THEIRS], &at[THEIRS]);
		SAME("insn_sync_set", CALL(pt_insn_sync_set, dec, at[THEIRS]));
	} else {
		SAME("insn_sync_forward", CALL(pt_insn_sync_forward, dec));
	}
	*out = status;
	return !differs;
}

static bool one_insn(const struct scene *scene, struct pt_insn_decoder *dec[BOTH], int *status)
{
	struct room room;
	bool event = *status >= 0 && *status & pts_event_pending;
	size_t size;
	int a, b;

	fill(&room);
	if (one_in(50) ? one_in(2) : event) {
		size = one_in(4) ? chance() % 65 : 64;
		a = api[OURS].pt_insn_event(dec[OURS], (void *)room.bytes[OURS], size);
		b = api[THEIRS].pt_insn_event(dec[THEIRS], (void *)room.bytes[THEIRS], size);
		*status = a;
		return differ(scene, "insn_event", a, b) &&
		       differ_bytes(scene, "event", room.bytes[OURS], room.bytes[THEIRS], ROOM);
	}
	size = one_in(4) ? chance() % (sizeof(struct pt_insn) + 1) : sizeof(struct pt_insn);
	a = api[OURS].pt_insn_next(dec[OURS], (void *)room.bytes[OURS], size);
	b = api[THEIRS].pt_insn_next(dec[THEIRS], (void *)room.bytes[THEIRS], size);
	*status = a;
	return differ(scene, "insn_next", a, b) &&
	       differ_bytes(scene, "insn", room.bytes[OURS], room.bytes[THEIRS], ROOM);
}

bool run_insns(const struct scene *scene)
{
	struct pt_insn_decoder *dec[BOTH];
	struct images images;
	bool good = true;
	int status;

	images_open(&images, scene);
	for (unsigned who = 0; who < BOTH; who++) {
		dec[who] = api[who].pt_insn_alloc_decoder(&scene->config);
		api[who].pt_insn_set_image(dec[who], images.present[who]);
	}
	good = sync_insns(scene, dec, &status);
	for (unsigned step = 0; step < STEPS && good; step++) {
		if (!scene->steady && one_in(40) && images_change(&images, scene))
			for (unsigned who = 0; who < BOTH; who++)
				api[who].pt_insn_set_image(dec[who], images.present[who]);
		if (status < 0 && !one_in(4)) {
			good = sync_insns(scene, dec, &status);
			if (status == -pte_eos && !one_in(8))
				break;
		} else {
			good = one_insn(scene, dec, &status);
		}
		if (good && one_in(4)) {
			struct state s[BOTH] = { insn_state(&api[OURS], dec[OURS]),
						 insn_state(&api[THEIRS], dec[THEIRS]) };

			good = same_state(scene, "insn", s);
		}
	}
	for (unsigned who = 0; who < BOTH; who++)
		api[who].pt_insn_free_decoder(dec[who]);
	images_close(&images);
	return good;
}
