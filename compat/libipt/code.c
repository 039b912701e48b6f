/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions, read when flow gets to them. */
#include "code.h"

#include <stdlib.h>

void tl_compat_codes_close(struct tl_compat_codes *codes)
{
	tl_pt_reader_close(&codes->reader);
	free(codes->list);
}

void tl_compat_codes_forget(struct tl_compat_codes *codes)
{
	codes->image = NULL;
}

static bool is_fresh(const struct tl_compat_codes *codes, const struct tl_compat_where *where)
{
	return codes->image == where->image && codes->version == where->image->version &&
	       codes->mode == where->mode &&
	       (!where->image->by_space ||
		(codes->asid.cr3 == where->asid->cr3 && codes->asid.vmcs == where->asid->vmcs));
}

static int begin_anew(struct tl_compat_codes *codes, const struct tl_compat_where *where)
{
	size_t count = (size_t)1 << TL_PT_REMEMBERED_BITS;
	int status = tl_pt_reader_use(&codes->reader, where->image, where->asid, where->mode);

	if (status < 0)
		return status;
	codes->image = where->image;
	codes->version = where->image->version;
	codes->asid = *where->asid;
	codes->mode = where->mode;
	if (!codes->list)
		codes->list = calloc(count, sizeof(*codes->list));
	if (!++codes->epoch && codes->list) {
		memset(codes->list, 0, count * sizeof(*codes->list));
		codes->epoch = 1;
	}
	return 0;
}

static struct tl_compat_code *slot_of(struct tl_compat_codes *codes, uint64_t ip)
{
	if (!codes->list)
		return &codes->one;
	return &codes->list[ip * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TL_PT_REMEMBERED_BITS)];
}

/* As many bytes as the longest instruction has, as far as its region goes; over regions if `all`.
 */
static size_t read_raw(struct tl_pt_reader *reader, struct pt_insn *insn, bool all)
{
	size_t most = sizeof(insn->raw);

	if (!tl_pt_reader_bytes(reader, insn->ip, insn->raw, 1))
		return 0;
	if (!all && reader->last - insn->ip < most - 1)
		most = (size_t)(reader->last - insn->ip) + 1;
	return tl_pt_reader_bytes(reader, insn->ip, insn->raw, most);
}

/* Nothing is there, or what is there is no instruction. */
static int fault(struct tl_compat_codes *codes, struct tl_compat_code *slot)
{
	slot->insn.size = (uint8_t)read_raw(&codes->reader, &slot->insn, true);
	if (slot->insn.size)
		return -pte_bad_insn;
	/* As in 2.0.5, where nobody else has put a number there. */
	slot->insn.isid = codes->image->read ? 0 : -pte_nomap;
	return -pte_nomap;
}

static int decode(struct tl_compat_codes *codes, struct tl_compat_code *slot, uint64_t ip)
{
	struct pt_insn *insn = &slot->insn;
	struct tl_pt_code code = { .isid = 0 };
	int status = tl_pt_reader_insn(&codes->reader, ip, &code);

	memset(slot, 0, sizeof(*slot));
	insn->ip = ip;
	insn->mode = (enum pt_exec_mode)codes->mode;
	insn->isid = code.isid;
	if (status == -pte_nomap || status == -pte_bad_insn ||
	    (status >= 0 && codes->mode == TL_PT_MODE_UNKNOWN))
		return fault(codes, slot);
	if (status < 0)
		return status;
	insn->iclass = (enum pt_insn_class)code.flow.iclass;
	insn->truncated = code.truncated;
	read_raw(&codes->reader, insn, code.truncated);
	insn->size = code.flow.size;
	slot->target = code.flow.target;
	slot->flags = code.flow.flags;
	slot->region = code.region;
	slot->epoch = codes->epoch;
	return 0;
}

int tl_compat_code_at(struct tl_compat_codes *codes, const struct tl_compat_where *where,
		      uint64_t ip, const struct tl_compat_code **code)
{
	struct tl_compat_code *slot;
	int status = is_fresh(codes, where) ? 0 : begin_anew(codes, where);

	slot = slot_of(codes, ip);
	*code = slot;
	if (status < 0) {
		memset(slot, 0, sizeof(*slot));
		return status;
	}
	if (slot->insn.ip == ip && slot->epoch == codes->epoch)
		return 0;
	return decode(codes, slot, ip);
}

int tl_compat_code_next(const struct tl_compat_code *code, uint64_t *ip)
{
	switch (code->insn.iclass) {
	case ptic_other:
	case ptic_ptwrite:
		*ip = code->insn.ip + code->insn.size;
		return 0;
	case ptic_call:
	case ptic_jump:
		if (!(code->flags & TL_X86_DIRECT))
			return -pte_bad_query;
		*ip = code->target;
		return 0;
	case ptic_error:
		return -pte_bad_insn;
	default:
		return -pte_bad_query;
	}
}
