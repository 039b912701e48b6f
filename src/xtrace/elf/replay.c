/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/replay.h"

#include <stdlib.h>

#include <tracelathe/core.h>

#include "core/memory.h"
#include "xtrace/elf/context.h"

uint32_t tl_xtrace_replay_site(struct tl_xtrace_replay *r, uint64_t pc, uint32_t opcode,
			       enum tl_xtrace_rewrite rewrite)
{
	struct tl_xtrace_image_code *code = tl_xtrace_image_code(&r->image, pc);
	uint32_t *number;

	if (!code || !tl_grow(&r->sites, &r->site_capacity, r->site_count + 1, sizeof(*r->sites)))
		return TL_NONE;
	number = &code->site[pc % TL_XTRACE_IMAGE_BYTES / 4];
	if (!*number) {
		r->sites[r->site_count++] =
			(struct tl_xtrace_site){ .pc = pc, .opcode = opcode, .rewrite = rewrite };
		*number = (uint32_t)r->site_count;
	}
	return *number - 1;
}

uint64_t tl_xtrace_replay_event(struct tl_xtrace_replay *r, uint32_t thread, uint32_t site,
				uint64_t execution)
{
	uint64_t *last = &r->threads[thread].last_event;

	if (*last != TL_NOWHERE && r->events[*last].site == site &&
	    r->events[*last].execution == execution)
		return *last;
	if (!tl_grow(&r->events, &r->event_capacity, r->event_count + 1, sizeof(*r->events)))
		return TL_NOWHERE;
	r->events[r->event_count] =
		(struct tl_xtrace_event){ .site = site, .execution = execution, .thread = thread };
	r->sites[site].events++;
	*last = r->event_count++;
	return *last;
}

bool tl_xtrace_replay_wait(struct tl_xtrace_replay *r, const struct tl_xtrace_wait *wait)
{
	if (!tl_grow(&r->waits, &r->wait_capacity, r->wait_count + 1, sizeof(*r->waits)))
		return false;
	r->waits[r->wait_count++] = *wait;
	return true;
}

static uint64_t add_signal(struct tl_xtrace_replay *r, uint64_t pc)
{
	if (!tl_grow(&r->signals, &r->signal_capacity, r->signal_count + 1, sizeof(*r->signals)))
		return TL_NOWHERE;
	r->signals[r->signal_count] = (struct tl_xtrace_replay_signal){ .pc = pc };
	return r->signal_count++;
}

uint64_t tl_xtrace_replay_signal(struct tl_xtrace_replay *r, uint64_t event, uint64_t pc)
{
	uint64_t number = add_signal(r, pc);

	if (number == TL_NOWHERE)
		return TL_NOWHERE;
	r->events[event].flags |= TL_XTRACE_EVENT_SIGNAL;
	r->events[event].signal = number;
	return number;
}

uint64_t tl_xtrace_replay_next_signal(struct tl_xtrace_replay *r, uint64_t signal, uint64_t pc)
{
	uint64_t number = add_signal(r, pc);

	if (number != TL_NOWHERE)
		r->signals[signal].next = (size_t)number;
	return number;
}

bool tl_xtrace_replay_patch(struct tl_xtrace_replay *r, uint64_t event, uint64_t address,
			    uint8_t value)
{
	struct tl_xtrace_patch *last = r->patch_count ? &r->patches[r->patch_count - 1] : NULL;

	if (r->byte_count >= TL_XTRACE_MOST_PATCHED ||
	    !tl_grow(&r->bytes, &r->byte_capacity, r->byte_count + 1, 1))
		return false;
	r->bytes[r->byte_count++] = value;
	if (last && last->event == event && last->address + last->size == address) {
		last->size++;
		return true;
	}
	if (!tl_grow(&r->patches, &r->patch_capacity, r->patch_count + 1, sizeof(*r->patches)))
		return false;
	r->patches[r->patch_count++] =
		(struct tl_xtrace_patch){ event, address, 1, r->byte_count - 1 };
	return true;
}

void tl_xtrace_replay_free(struct tl_xtrace_replay *r)
{
	tl_xtrace_image_free(&r->image);
	tl_xtrace_pages_free(&r->stacks);
	free(r->threads);
	free(r->sites);
	free(r->events);
	free(r->waits);
	free(r->signals);
	free(r->changes.list);
	free(r->slots.resumed);
	free(r->patches);
	free(r->bytes);
	*r = (struct tl_xtrace_replay){ 0 };
}
