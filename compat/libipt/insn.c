/* SPDX-License-Identifier: Apache-2.0 */
/* pt_insn_* */
#include "compat.h"

/* The published type is never defined: it is one of ours. */
static struct tl_compat_decoder *of(const struct pt_insn_decoder *decoder)
{
	return (struct tl_compat_decoder *)(uintptr_t)decoder;
}

struct pt_insn_decoder *pt_insn_alloc_decoder(const struct pt_config *config)
{
	return (struct pt_insn_decoder *)tl_compat_decoder_open(config, TL_COMPAT_INSN);
}

void pt_insn_free_decoder(struct pt_insn_decoder *decoder)
{
	tl_compat_decoder_close(of(decoder));
}

int pt_insn_sync_forward(struct pt_insn_decoder *decoder)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_forward(of(decoder)->decoder))
		       : -pte_invalid;
}

int pt_insn_sync_backward(struct pt_insn_decoder *decoder)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_backward(of(decoder)->decoder))
		       : -pte_invalid;
}

int pt_insn_sync_set(struct pt_insn_decoder *decoder, uint64_t offset)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_set(of(decoder)->decoder, offset))
		       : -pte_invalid;
}

int pt_insn_resync(struct pt_insn_decoder *decoder)
{
	return decoder ? tl_compat_decoder_status(of(decoder),
						  tl_pt_resync(of(decoder)->decoder, NULL))
		       : -pte_invalid;
}

int pt_insn_get_offset(const struct pt_insn_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_offset(of(decoder)->decoder, offset) : -pte_invalid;
}

int pt_insn_get_sync_offset(const struct pt_insn_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_sync_offset(of(decoder)->decoder, offset) : -pte_invalid;
}

struct pt_image *pt_insn_get_image(struct pt_insn_decoder *decoder)
{
	return decoder ? of(decoder)->current : NULL;
}

int pt_insn_set_image(struct pt_insn_decoder *decoder, struct pt_image *image)
{
	return tl_compat_decoder_set_image(of(decoder), image);
}

const struct pt_config *pt_insn_get_config(const struct pt_insn_decoder *decoder)
{
	return decoder ? &of(decoder)->config.user : NULL;
}

int pt_insn_time(struct pt_insn_decoder *decoder, uint64_t *time, uint32_t *lost_mtc,
		 uint32_t *lost_cyc)
{
	return tl_compat_decoder_time(of(decoder), time, lost_mtc, lost_cyc);
}

int pt_insn_core_bus_ratio(struct pt_insn_decoder *decoder, uint32_t *cbr)
{
	uint32_t ratio = 0;
	int status;

	if (!decoder || !cbr)
		return -pte_invalid;
	status = tl_pt_core_bus_ratio(of(decoder)->decoder, &ratio);
	return tl_compat_cbr(status, ratio, cbr);
}

int pt_insn_asid(const struct pt_insn_decoder *decoder, struct pt_asid *asid, size_t size)
{
	return tl_compat_decoder_asid(of(decoder), asid, size);
}

int pt_insn_next(struct pt_insn_decoder *decoder, struct pt_insn *insn, size_t size)
{
	struct pt_insn user;
	struct tl_pt_insn ours;
	int status;

	if (!decoder || !insn)
		return -pte_invalid;
	memset(&user, 0, sizeof(user));
	status = tl_pt_insn_next(of(decoder)->decoder, &ours);
	if (status >= 0) {
		user.ip = ours.ip;
		user.isid = ours.isid;
		user.mode = (enum pt_exec_mode)ours.mode;
		user.iclass = (enum pt_insn_class)ours.iclass;
		memcpy(user.raw, ours.raw, sizeof(user.raw));
		user.size = ours.size;
		user.speculative = !!(ours.flags & TL_PT_SPECULATIVE);
		user.truncated = !!(ours.flags & TL_PT_TRUNCATED);
	}
	tl_compat_give(insn, size, &user, sizeof(user));
	return tl_compat_decoder_status(of(decoder), status);
}

int pt_insn_event(struct pt_insn_decoder *decoder, struct pt_event *event, size_t size)
{
	return tl_compat_decoder_event(of(decoder), event, size);
}
