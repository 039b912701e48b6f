/* SPDX-License-Identifier: Apache-2.0 */
/* What the instruction decoder and the block decoder share. */
#include "compat.h"

#include <stdlib.h>

struct tl_compat_decoder *tl_compat_decoder_open(const struct pt_config *config, enum tl_compat_use use)
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

int tl_compat_decoder_time(struct tl_compat_decoder *dec, uint64_t *time, uint32_t *lost_mtc, uint32_t *lost_cyc)
{
	struct tl_compat_time now = { .status = -pte_invalid };

	if (dec && time)
		now.status = tl_pt_time(dec->decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
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

int tl_compat_decoder_event(struct tl_compat_decoder *dec, struct pt_event *event, size_t size)
{
	struct tl_pt_event ours;
	struct pt_event user;
	int status;

	if (!dec || !event)
		return -pte_invalid;
	status = tl_pt_event_next(dec->decoder, &ours);
	if (status < 0)
		return status;
	tl_compat_event(&user, &ours);
	tl_compat_give(event, size, &user, sizeof(user));
	return status;
}
