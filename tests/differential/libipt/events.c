/* SPDX-License-Identifier: Apache-2.0 */
/* An event as a line: every field of 2.0.5's structure that its kind has. */
#include "peer.h"

#include <stdio.h>

typedef unsigned long long ull;

static void power(const struct pt_event *e)
{
	switch (e->type) {
	case ptev_mwait:
		printf(" mwait ip %llx hints %x ext %x", (ull)e->variant.mwait.ip,
		       e->variant.mwait.hints, e->variant.mwait.ext);
		break;
	case ptev_pwre:
		printf(" pwre %u.%u hw %u", e->variant.pwre.state, e->variant.pwre.sub_state,
		       e->variant.pwre.hw);
		break;
	case ptev_pwrx:
		printf(" pwrx %u %u %u%u%u", e->variant.pwrx.last, e->variant.pwrx.deepest,
		       e->variant.pwrx.interrupt, e->variant.pwrx.store,
		       e->variant.pwrx.autonomous);
		break;
	case ptev_ptwrite:
		printf(" ptwrite ip %llx size %u payload %llx", (ull)e->variant.ptwrite.ip,
		       e->variant.ptwrite.size, (ull)e->variant.ptwrite.payload);
		break;
	case ptev_exstop:
		printf(" exstop ip %llx", (ull)e->variant.exstop.ip);
		break;
	default:
		break;
	}
}

static void state(const struct pt_event *e)
{
	switch (e->type) {
	case ptev_paging:
		printf(" cr3 %llx nr %u", (ull)e->variant.paging.cr3, e->variant.paging.non_root);
		break;
	case ptev_async_paging:
		printf(" cr3 %llx nr %u ip %llx", (ull)e->variant.async_paging.cr3,
		       e->variant.async_paging.non_root, (ull)e->variant.async_paging.ip);
		break;
	case ptev_exec_mode:
		printf(" mode %d ip %llx", (int)e->variant.exec_mode.mode,
		       (ull)e->variant.exec_mode.ip);
		break;
	case ptev_tsx:
		printf(" tsx %u%u ip %llx", e->variant.tsx.speculative, e->variant.tsx.aborted,
		       (ull)e->variant.tsx.ip);
		break;
	case ptev_vmcs:
		printf(" vmcs %llx", (ull)e->variant.vmcs.base);
		break;
	case ptev_async_vmcs:
		printf(" vmcs %llx ip %llx", (ull)e->variant.async_vmcs.base,
		       (ull)e->variant.async_vmcs.ip);
		break;
	case ptev_cbr:
		printf(" cbr %u", e->variant.cbr.ratio);
		break;
	case ptev_mnt:
		printf(" mnt %llx", (ull)e->variant.mnt.payload);
		break;
	default:
		power(e);
	}
}

static void flow(const struct pt_event *e)
{
	switch (e->type) {
	case ptev_enabled:
		printf(" enabled ip %llx resumed %u", (ull)e->variant.enabled.ip,
		       e->variant.enabled.resumed);
		break;
	case ptev_disabled:
		printf(" disabled ip %llx", (ull)e->variant.disabled.ip);
		break;
	case ptev_async_disabled:
		printf(" async disabled at %llx ip %llx", (ull)e->variant.async_disabled.at,
		       (ull)e->variant.async_disabled.ip);
		break;
	case ptev_async_branch:
		printf(" async branch %llx %llx", (ull)e->variant.async_branch.from,
		       (ull)e->variant.async_branch.to);
		break;
	case ptev_overflow:
		printf(" overflow ip %llx", (ull)e->variant.overflow.ip);
		break;
	case ptev_stop:
		printf(" stop");
		break;
	case ptev_tick:
		printf(" tick ip %llx", (ull)e->variant.tick.ip);
		break;
	default:
		state(e);
	}
}

void peer_event(const struct pt_event *event)
{
	printf("event %d%s%s", (int)event->type, event->ip_suppressed ? " suppressed" : "",
	       event->status_update ? " status" : "");
	if (event->has_tsc)
		printf(" tsc %llx lost %u %u", (ull)event->tsc, event->lost_mtc, event->lost_cyc);
	flow(event);
	putchar('\n');
}
