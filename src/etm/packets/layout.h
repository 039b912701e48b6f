/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_LAYOUT_H
#define TL_ETM_PACKETS_LAYOUT_H
/* Which packet a byte begins (docs/formats/etm.md, 3.1). */
#include "etm/packets/packet.h"

/* The kind of packet that a byte begins; TL_ETM_RESERVED: none. 00 is TL_ETM_ASYNC. */
enum tl_etm_kind tl_etm_kind_of(uint8_t header, bool is_ete);

#endif
