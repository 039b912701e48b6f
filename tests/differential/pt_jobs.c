/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any number of threads gives the same: two decoders side by side, one alone, must give the same
 * blocks, statuses, events and times, one by one (docs/formats/intel-pt.md, 9.20).
 *
 *   pt_jobs JOBS FLAGS PT MAP IMG
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/intel_pt.h>

#include "pt_code.h"

struct side {
	struct tl_pt_decoder *decoder;
	struct tl_pt_block block;
	struct tl_pt_event event;
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
	int status, timed;
};

static uint64_t blocks, events;

static void differ(const char *what, const struct side *a, const struct side *b)
{
	printf("block %" PRIu64 ", event %" PRIu64 ": %s: %d %" PRIx64 "..%" PRIx64
	       " of %u, tsc %" PRIx64 ", event %d at %" PRIx64 " offset %" PRIx64
	       "; with threads %d %" PRIx64 "..%" PRIx64 " of %u, tsc %" PRIx64
	       ", event %d at %" PRIx64 " offset %" PRIx64 "\n",
	       blocks, events, what, a->status, a->block.ip, a->block.end_ip, a->block.ninsn,
	       a->tsc, a->event.kind, a->event.ip, a->event.offset, b->status, b->block.ip,
	       b->block.end_ip, b->block.ninsn, b->tsc, b->event.kind, b->event.ip,
	       b->event.offset);
	exit(1);
}

static bool same_event(const struct tl_pt_event *a, const struct tl_pt_event *b)
{
	if (a->kind != b->kind || a->ip_suppressed != b->ip_suppressed ||
	    a->status_update != b->status_update || a->has_tsc != b->has_tsc || a->tsc != b->tsc ||
	    a->lost_mtc != b->lost_mtc || a->lost_cyc != b->lost_cyc || a->offset != b->offset ||
	    a->ip != b->ip)
		return false;
	switch (a->kind) {
	case TL_PT_EV_ENABLED:
		return a->enabled.resumed == b->enabled.resumed;
	case TL_PT_EV_ASYNC_BRANCH:
		return a->branch.to == b->branch.to;
	case TL_PT_EV_ASYNC_PAGING:
	case TL_PT_EV_PAGING:
		return a->paging.cr3 == b->paging.cr3;
	case TL_PT_EV_LOST:
		return a->lost.from == b->lost.from && a->lost.to == b->lost.to &&
		       a->lost.packets == b->lost.packets && a->lost.outcomes == b->lost.outcomes &&
		       a->lost.why == b->lost.why;
	default:
		return true;
	}
}

static void step(struct side *side, bool event)
{
	side->status =
		event ? tl_pt_decoder_event_next(side->decoder, &side->event, sizeof(side->event))
		      : tl_pt_decoder_block_next(side->decoder, &side->block, sizeof(side->block));
	side->timed =
		tl_pt_decoder_time(side->decoder, &side->tsc, &side->lost_mtc, &side->lost_cyc);
}

static void compare(struct side *alone, struct side *team)
{
	while (alone->status >= 0) {
		bool event = alone->status & TL_PT_EVENT_PENDING;

		step(alone, event);
		step(team, event);
		if (alone->status != team->status)
			differ("status", alone, team);
		if (event && !same_event(&alone->event, &team->event))
			differ("event", alone, team);
		if (!event && alone->status >= 0 &&
		    memcmp(&alone->block, &team->block, sizeof(alone->block)) != 0)
			differ("block", alone, team);
		if (alone->timed != team->timed || alone->tsc != team->tsc ||
		    alone->lost_mtc != team->lost_mtc || alone->lost_cyc != team->lost_cyc)
			differ("time", alone, team);
		events += event;
		blocks += !event;
	}
}

static void open_side(struct side *side, const struct tl_pt_config *config,
		      struct tl_pt_image *image, unsigned jobs)
{
	memset(side, 0, sizeof(*side));
	if (tl_pt_decoder_open(&side->decoder, config, image) < 0 ||
	    tl_pt_decoder_set_jobs(side->decoder, jobs) < 0)
		pt_die("cannot be opened", "decoder");
	side->status = tl_pt_decoder_sync_forward(side->decoder);
}

int main(int argc, char **argv)
{
	static struct pt_code code;
	struct tl_pt_config config = { .size = sizeof(config),
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32 };
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	struct side alone, team;
	struct pt_bytes trace;

	if (argc != 6)
		pt_die("JOBS FLAGS PT MAP IMG", "usage");
	trace = pt_load(argv[3]);
	pt_code_open(&code, argv[4], argv[5]);
	config.begin = trace.data;
	config.end = trace.data + trace.size;
	config.flags = (uint32_t)strtoul(argv[2], NULL, 0);
	for (size_t i = 0; i < code.count; i++)
		tl_pt_image_add_memory(image, code.image.data + code.segments[i].offset,
				       code.segments[i].size, NULL, code.segments[i].vaddr, 1);
	open_side(&alone, &config, image, 1);
	open_side(&team, &config, image, (unsigned)strtoul(argv[1], NULL, 0));
	compare(&alone, &team);
	printf("%s: %" PRIu64 " blocks and %" PRIu64 " events are the same, at the end %s\n",
	       argv[3], blocks, events, tl_pt_error_text((enum tl_pt_error) - alone.status));
	tl_pt_decoder_close(alone.decoder);
	tl_pt_decoder_close(team.decoder);
	tl_pt_image_close(image);
	pt_code_close(&code);
	free(trace.data);
	return !blocks;
}
