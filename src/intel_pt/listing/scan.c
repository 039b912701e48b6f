/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/scan.h"

#include "core/error.h"
#include "intel_pt/packets/packet.h"

int tl_pt_scan_open(struct tl_pt_scan *s, const struct tl_pt_config *config,
		    struct tl_pt_faults *faults, struct tl_error *err)
{
	int status;

	*s = (struct tl_pt_scan){ .config = config, .faults = faults };
	status = tl_pt_packets_open(&s->packets, config);
	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	if (tl_pt_packets_sync_forward(s->packets) >= 0)
		return 0;
	tl_pt_scan_close(s);
	return tl_error_format(
		err, "intel-pt",
		tl_error_at(err, TL_BAD_FORMAT, 0, "there is no PSB, so nothing can be decoded"));
}

void tl_pt_scan_close(struct tl_pt_scan *s)
{
	tl_pt_packets_close(s->packets);
	s->packets = NULL;
}

/* Bytes up to the next PSB are not packets. 1: it goes on there; 0: no PSB follows. */
static int skip(struct tl_pt_scan *s, enum tl_pt_error why, struct tl_error *err)
{
	struct tl_pt_lost lost = {
		.why = why,
		.from = s->base + s->offset,
		.to = s->base + (uint64_t)(s->config->end - s->config->begin),
	};
	uint64_t at;
	int status = tl_pt_packets_sync_forward(s->packets);

	s->broken = why;
	s->broken_at = s->offset;
	if (status >= 0 && tl_pt_packets_offset(s->packets, &at) >= 0)
		lost.to = s->base + at;
	if (s->faults && !tl_pt_fault_add(s->faults, &lost, NULL))
		return tl_error_memory(err);
	return status >= 0;
}

int tl_pt_scan_next(struct tl_pt_scan *s, struct tl_pt_packet *packet, struct tl_error *err)
{
	s->broken = TL_PT_OK;
	for (;;) {
		int status;

		tl_pt_packets_offset(s->packets, &s->offset);
		status = tl_pt_next_packet(s->packets, packet);
		if (status >= 0)
			return 1;
		if (status == -TL_PT_EOS) {
			s->cut_short = s->offset < (uint64_t)(s->config->end - s->config->begin);
			return 0;
		}
		status = skip(s, (enum tl_pt_error) - status, err);
		if (status != 1)
			return status;
	}
}
