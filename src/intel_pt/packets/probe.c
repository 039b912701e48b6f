/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether bytes are raw Intel PT: whether they hold a PSB, 16 bytes that other data hardly have
 * (4.2).
 */
#include "intel_pt/packets/packet.h"
#include "intel_pt/packets/probe.h"

int tl_pt_probe(const uint8_t *data, size_t size)
{
	const uint8_t *psb = tl_pt_psb_forward(data, data + size);

	/*
	 * Not at the beginning: the rest of a ring buffer, or a container that its own format
	 * recognises.
	 */
	if (!psb)
		return 0;
	return psb == data ? 80 : 30;
}
