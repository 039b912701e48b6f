/* SPDX-License-Identifier: Apache-2.0 */
/* What the instruction decoder and the block decoder share. */
#include "compat.h"

#include "intel_pt/decoder.h"

#include <stdlib.h>

struct tl_compat_decoder *tl_compat_decoder_open(const struct pt_config *config,
						 enum tl_compat_use use)
{
	struct tl_compat_decoder *dec = calloc(1, sizeof(*dec));

	if (!dec || !tl_compat_config(&dec->config, config, use) ||
	    tl_pt_decoder_open(&dec->decoder, &dec->config.ours, NULL) < 0) {
		free(dec);
		return NULL;
	}
	dec->own.image = tl_pt_image_of(dec->decoder);
	dec->current = &dec->own;
	return dec;
}

void tl_compat_decoder_close(struct tl_compat_decoder *dec)
{
	if (dec)
		tl_pt_decoder_close(dec->decoder);
	free(dec);
}

int tl_compat_decoder_set_image(struct tl_compat_decoder *dec, struct pt_image *image)
{
	int status;

	if (!dec)
		return -pte_invalid;
	if (!image)
		image = &dec->own;
	status = tl_pt_set_image(dec->decoder, image->image);
	if (status >= 0)
		dec->current = image;
	return status;
}

int tl_compat_decoder_time(struct tl_compat_decoder *dec, uint64_t *time, uint32_t *lost_mtc,
			   uint32_t *lost_cyc)
{
	struct tl_compat_time now = { .status = -pte_invalid };

	if (dec && time)
		now.status = tl_pt_time(dec->decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	/* The published time is that of an event as soon as it is pending. */
	if (dec && time && dec->pending && dec->decoder->due.has_tsc)
		now = (struct tl_compat_time){ dec->decoder->due.tsc, dec->decoder->due.lost_mtc,
					       dec->decoder->due.lost_cyc, 0 };
	return tl_compat_time(&now, time, lost_mtc, lost_cyc);
}

int tl_compat_decoder_asid(const struct tl_compat_decoder *dec, struct pt_asid *asid, size_t size)
{
	struct pt_asid user = { .size = sizeof(user) };
	struct tl_pt_asid ours;
	int status;

	if (!dec || !asid || size < sizeof(asid->size))
		return -pte_invalid;
	status = tl_pt_asid_of(dec->decoder, &ours);
	if (status < 0)
		return status;
	user.cr3 = ours.cr3;
	user.vmcs = ours.vmcs;
	user.size = size < sizeof(user) ? size : sizeof(user);
	tl_compat_give(asid, size, &user, sizeof(user));
	return 0;
}

int tl_compat_decoder_status(struct tl_compat_decoder *dec, int status)
{
	dec->pending = status >= 0 && status & TL_PT_EVENT_PENDING;
	return status;
}

/*
 * A PSB+ says whether tracing is on. Newer versions tell it by an event (5.1), 2.0.5 by
 * pts_ip_suppressed alone. With nothing behind it, and tracing off, there is no place to be
 * synchronised at.
 */
int tl_compat_decoder_synced(struct tl_compat_decoder *dec, int status)
{
	const struct tl_pt_event *due = &dec->decoder->due;
	struct tl_pt_event event;

	if (status >= 0 && status & TL_PT_EVENT_PENDING && due->status_update &&
	    (due->kind == TL_PT_EV_ENABLED || due->kind == TL_PT_EV_DISABLED))
		status = tl_pt_event_next(dec->decoder, &event);
	if (status == (TL_PT_STATUS_IP_SUPPRESSED | TL_PT_END_OF_STREAM))
		status = -pte_eos;
	return tl_compat_decoder_status(dec, status);
}

int tl_compat_decoder_event(struct tl_compat_decoder *dec, struct pt_event *event, size_t size)
{
	struct tl_pt_event ours;
	struct pt_event user;
	int status;

	if (!dec || !event)
		return -pte_invalid;
	status = tl_pt_event_next(dec->decoder, &ours);
	/* No event is pending before synchronising, either. */
	if (status < 0)
		return status == -pte_nosync ? -pte_bad_query : status;
	tl_compat_event(&user, &ours);
	tl_compat_give(event, size, &user, sizeof(user));
	return tl_compat_decoder_status(dec, status);
}
