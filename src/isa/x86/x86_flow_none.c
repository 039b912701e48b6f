/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of x86_flow.c in a build without Zydis. The fast path alone knows too few instructions
 * to follow a program with, so that decoders of branch traces ask tl_x86_flow_whole() first.
 */
#include "isa/x86/x86_fast.h"
#include "isa/x86/x86_flow.h"

bool tl_x86_flow_whole(void)
{
	return false;
}

void tl_x86_flow_open(struct tl_x86_flow_decoder *decoder, enum tl_x86_mode mode)
{
	decoder->mask = mode == TL_X86_16 || mode == TL_X86_32 ? UINT32_MAX : UINT64_MAX;
}

enum tl_x86_result tl_x86_flow_decode(const struct tl_x86_flow_decoder *decoder,
				      const uint8_t *code, size_t size, uint64_t ip,
				      struct tl_x86_flow *flow)
{
	if (decoder->mask == UINT64_MAX && tl_x86_fast(code, size, ip, flow))
		return TL_X86_DECODED;
	return TL_X86_INVALID;
}
