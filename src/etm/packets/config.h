/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_CONFIG_H
#define TL_ETM_PACKETS_CONFIG_H
/*
 * How a trace unit was built and programmed, by its registers (docs/formats/etm.md, 4): packets
 * depend on it.
 */
#include <stdbool.h>
#include <stdint.h>

struct tl_etm_config {
	uint32_t idr0, idr1, idr2, idr8; /* TRCIDR0, ... */
	uint32_t configr;                /* TRCCONFIGR */
	bool is_ete;                     /* the Embedded Trace Extension, not ETMv4 */
};

/* What Linux programs into units of Cortex-A processors, for traces that come without registers. */
extern const struct tl_etm_config tl_etm_usual_config;

/* TRCIDR0.COMMOPT: cycle counts do not say what was committed. */
static inline bool tl_etm_counts_alone(const struct tl_etm_config *c)
{
	return c->idr0 >> 29 & 1;
}

/* TRCIDR2.CIDSIZE and VMIDSIZE: bytes of a context ID and of a virtual one, 0 to 4. */
static inline unsigned tl_etm_context_bytes(const struct tl_etm_config *c)
{
	const unsigned bytes = c->idr2 >> 5 & 31;

	return bytes < 4 ? bytes : 4;
}

static inline unsigned tl_etm_vmid_bytes(const struct tl_etm_config *c)
{
	const unsigned bytes = c->idr2 >> 10 & 31;

	return bytes < 4 ? bytes : 4;
}

/* TRCIDR2.CCSIZE: bits of a cycle count. */
static inline unsigned tl_etm_cycle_bits(const struct tl_etm_config *c)
{
	return (c->idr2 >> 25 & 15) + 12;
}

/* TRCIDR2.WFXMODE: WFI and WFE have atoms, as branches have. */
static inline bool tl_etm_waits_count(const struct tl_etm_config *c)
{
	return c->idr2 >> 31;
}

/* TRCIDR8.MAXSPEC: P0 elements that may be speculative at a time. */
static inline uint32_t tl_etm_most_speculative(const struct tl_etm_config *c)
{
	return c->idr8;
}

/* TRCCONFIGR.RS: a return to its caller has no address. */
static inline bool tl_etm_has_return_stack(const struct tl_etm_config *c)
{
	return c->configr >> 12 & 1;
}

#endif
