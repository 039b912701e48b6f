/* SPDX-License-Identifier: Apache-2.0 */
/* Is this raw Intel PT? It is if there is a PSB: 16 bytes that stand nowhere else (4.2). */
#include "intel_pt/packets/packet.h"
#include "intel_pt/packets/probe.h"

int tl_pt_probe(const uint8_t *data, size_t size)
{
	const uint8_t *psb = tl_pt_psb_forward(data, data + size);

	/* Behind a part of a ring buffer, or in a container that its own format knows better. */
	return !psb ? 0 : psb == data ? 80 : 30;
}
