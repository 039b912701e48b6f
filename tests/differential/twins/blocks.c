/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks. Where one ends is not the same (docs/libipt.md), so the two go on in turns until they
 * have come to the same instruction; there all must be the same, and there alone an image changes.
 */
#include "twins.h"

enum { STEPS = 20000, BEHIND = 400000 };

struct side {
	struct pt_block_decoder *dec;
	const struct api *api;
	uint64_t done; /* instructions */
	int status;
	bool stopped; /* by an error or an event */
	/* the last one, the first one since both were together, the last with instructions */
	struct pt_block block, first, last;
	bool began;
};

static void next(struct side *side)
{
	memset(&side->block, 0x5a, sizeof(side->block));
	side->status = side->api->pt_blk_next(side->dec, &side->block, sizeof(side->block));
	if (!side->began)
		side->first = side->block;
	side->began = true;
	side->done += side->block.ninsn;
	if (side->block.ninsn)
		side->last = side->block;
	side->stopped = side->status < 0 || side->status & pts_event_pending;
}

/* Both have come to the same instruction, and have the same to say there. */
static bool together(const struct side s[BOTH])
{
	return s[OURS].done == s[THEIRS].done && s[OURS].stopped == s[THEIRS].stopped &&
	       s[OURS].began && s[THEIRS].began;
}

/* What is not known, or means nothing, is not compared. */
static void leave_out(struct pt_block *b, const struct pt_block *other)
{
	b->ip = 0;
	b->ninsn = 0;
	if (other->iclass == ptic_error)
		b->iclass = ptic_error;
}

static bool same_ends(const struct scene *scene, struct side s[BOTH])
{
	struct pt_block a = s[OURS].last, b = s[THEIRS].last;

	leave_out(&a, &s[THEIRS].last);
	leave_out(&b, &s[THEIRS].last);
	if (!differ_bytes(scene, "block ip", &s[OURS].first.ip, &s[THEIRS].first.ip, 8) ||
	    !differ_bytes(scene, "block", &a, &b, sizeof(a)))
		return false;
	/* An error without an instruction: its place is the block's. */
	if (s[OURS].status < 0 && !s[OURS].block.ninsn && !s[THEIRS].block.ninsn)
		return differ_bytes(scene, "error ip", &s[OURS].block.ip, &s[THEIRS].block.ip, 8);
	return true;
}

static bool one_block(const struct scene *scene, struct side s[BOTH])
{
	uint64_t from = s[OURS].done;

	s[THEIRS].done = from;
	for (unsigned who = 0; who < BOTH; who++) {
		s[who].stopped = s[who].began = false;
		memset(&s[who].last, 0, sizeof(s[who].last));
	}
	while (!together(s)) {
		struct side *behind = s[OURS].done < s[THEIRS].done ? &s[OURS] : &s[THEIRS];

		if (s[OURS].done == s[THEIRS].done)
			behind = !s[OURS].began || (s[THEIRS].began && !s[OURS].stopped)
					 ? &s[OURS]
					 : &s[THEIRS];
		if (behind->stopped || behind->done - from > BEHIND)
			return differ(scene, "instructions of a block", (int)(s[OURS].done - from),
				      (int)(s[THEIRS].done - from)) &&
			       differ(scene, "blk_next", s[OURS].status, s[THEIRS].status);
		next(behind);
	}
	return differ(scene, "blk_next", s[OURS].status, s[THEIRS].status) && same_ends(scene, s);
}

static bool one_event(const struct scene *scene, struct side s[BOTH])
{
	size_t size = one_in(4) ? chance() % 65 : 64;
	uint8_t bytes[BOTH][96];

	for (unsigned who = 0; who < BOTH; who++) {
		memset(bytes[who], 0x5a, sizeof(bytes[who]));
		s[who].status = s[who].api->pt_blk_event(s[who].dec, (void *)bytes[who], size);
	}
	return differ(scene, "blk_event", s[OURS].status, s[THEIRS].status) &&
	       differ_bytes(scene, "event", bytes[OURS], bytes[THEIRS], sizeof(bytes[OURS]));
}

static bool sync_blocks(const struct scene *scene, struct side s[BOTH])
{
	uint64_t to = chance() % (scene->size + 4);
	bool set = one_in(10);

	if (!set && one_in(10)) {
		s[THEIRS].api->pt_blk_sync_backward(s[THEIRS].dec);
		set = s[THEIRS].api->pt_blk_get_sync_offset(s[THEIRS].dec, &to) >= 0;
	}
	for (unsigned who = 0; who < BOTH; who++)
		s[who].status = set ? s[who].api->pt_blk_sync_set(s[who].dec, to)
				    : s[who].api->pt_blk_sync_forward(s[who].dec);
	return differ(scene, "blk_sync", s[OURS].status, s[THEIRS].status);
}

struct state {
	uint64_t offset, sync, time;
	uint32_t lost_mtc, lost_cyc, cbr;
	int statuses[5];
	struct pt_asid asid;
};

static bool same_state(const struct scene *scene, const struct side s[BOTH])
{
	struct state state[BOTH];

	memset(state, 0, sizeof(state));
	for (unsigned who = 0; who < BOTH; who++) {
		struct state *t = &state[who];
		const struct api *a = s[who].api;

		t->statuses[0] = a->pt_blk_get_offset(s[who].dec, &t->offset);
		t->statuses[1] = a->pt_blk_get_sync_offset(s[who].dec, &t->sync);
		t->statuses[2] = a->pt_blk_time(s[who].dec, &t->time, &t->lost_mtc, &t->lost_cyc);
		t->statuses[3] = a->pt_blk_core_bus_ratio(s[who].dec, &t->cbr);
		t->statuses[4] = a->pt_blk_asid(s[who].dec, &t->asid, sizeof(t->asid));
	}
	return differ_bytes(scene, "blk state", &state[OURS], &state[THEIRS], sizeof(state[OURS]));
}

static bool step(const struct scene *scene, struct images *images, struct side s[BOTH])
{
	int status = s[OURS].status;

	if (!scene->steady && one_in(40) && images_change(images, scene))
		for (unsigned who = 0; who < BOTH; who++)
			s[who].api->pt_blk_set_image(s[who].dec, images->present[who]);
	if (status < 0 && !one_in(4))
		return sync_blocks(scene, s);
	if (one_in(50) ? one_in(2) : status >= 0 && status & pts_event_pending)
		return one_event(scene, s);
	return one_block(scene, s);
}

bool run_blocks(const struct scene *scene)
{
	struct side s[BOTH];
	struct images images;
	bool good = true;
	unsigned looks = one_in(2) ? 4 : 400;

	memset(s, 0, sizeof(s));
	images_open(&images, scene);
	for (unsigned who = 0; who < BOTH; who++) {
		s[who].api = &api[who];
		s[who].dec = api[who].pt_blk_alloc_decoder(&scene->config);
		api[who].pt_blk_set_image(s[who].dec, images.present[who]);
	}
	good = sync_blocks(scene, s);
	for (unsigned i = 0; i < STEPS && good; i++) {
		good = step(scene, &images, s);
		if (s[OURS].status == -pte_eos && !one_in(8))
			break;
		if (good && one_in(looks))
			good = same_state(scene, s);
	}
	for (unsigned who = 0; who < BOTH; who++)
		s[who].api->pt_blk_free_decoder(s[who].dec);
	images_close(&images);
	return good;
}
