/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_COMPAT_CODE_H
#define TL_COMPAT_CODE_H
/*
 * Instructions of the image as it is at this moment. Those met last are remembered until the image,
 * the address space or the mode is another one.
 */
#include "compat.h"

#include "intel_pt/code/insn_reader.h"

/* An instruction, and what it does to the flow. */
struct tl_compat_code {
	struct pt_insn insn;
	uint64_t target; /* TL_X86_DIRECT */
	const struct tl_pt_section *region;
	uint16_t flags; /* enum tl_x86_flow_flag */
	uint32_t epoch; /* remembered in */
};

struct tl_compat_codes {
	struct tl_pt_reader reader;
	struct tl_compat_code *list; /* by a hash of the address; NULL: no memory for it */
	struct tl_compat_code one;   /* in its place */
	const struct tl_pt_image *image;
	uint64_t version;
	struct tl_pt_asid asid;
	enum tl_pt_exec_mode mode;
	uint32_t epoch; /* 0: nothing is remembered */
};

/* Where code is read. */
struct tl_compat_where {
	const struct tl_pt_image *image;
	const struct tl_pt_asid *asid;
	enum tl_pt_exec_mode mode;
};

void tl_compat_codes_close(struct tl_compat_codes *codes);

/* Whatever was read before is of another image. */
void tl_compat_codes_forget(struct tl_compat_codes *codes);

/*
 * The instruction at `ip`: 0, -pte_nomap, -pte_bad_insn, -pte_nomem; on an error what is known of
 * it is filled in. It is good until the next call.
 */
int tl_compat_code_at(struct tl_compat_codes *codes, const struct tl_compat_where *where,
		      uint64_t ip, const struct tl_compat_code **code);

/* Where flow goes on behind it without trace: 0, or -pte_bad_query. */
int tl_compat_code_next(const struct tl_compat_code *code, uint64_t *ip);

static inline bool tl_compat_is_far(const struct tl_compat_code *code)
{
	return code->insn.iclass == ptic_far_call || code->insn.iclass == ptic_far_return ||
	       code->insn.iclass == ptic_far_jump;
}

#endif
