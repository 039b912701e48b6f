/* SPDX-License-Identifier: Apache-2.0 */
/* The clock (6). */
#include "intel_pt/time.h"

#include <string.h>

enum {
	MTC_BITS = 8,  /* an MTC holds bits N + 7 .. N of the crystal clock */
	TMA_BITS = 16, /* a TMA its lowest 16 */
	POINT = 8,     /* binary places of ticks per cycle */
};

void tl_pt_time_reset(struct tl_pt_time *time)
{
	memset(time, 0, sizeof(*time));
}

void tl_pt_time_break(struct tl_pt_time *time)
{
	struct tl_pt_cycles *c = &time->cycles;

	c->have_tsc = c->have_mtc = false;
	c->cyc_tsc = c->cyc_mtc = 0;
	c->lost_mtc = 0;
}

static bool knows_crystal(const struct tl_pt_config *config)
{
	return config->cpuid_15_eax && config->cpuid_15_ebx;
}

/* TSC ticks of so many crystal clocks. */
static uint64_t ticks(uint64_t ctc, const struct tl_pt_config *config)
{
	return ctc * config->cpuid_15_ebx / config->cpuid_15_eax;
}

/* Crystal clocks from one MTC to another; they wrap at 8 + N bits. */
static uint32_t between(uint32_t from, uint32_t to, const struct tl_pt_config *config)
{
	unsigned bits = config->mtc_freq + MTC_BITS;
	uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;

	return (to - from) & mask;
}

/* ---- ticks per cycle ---- */

static void measure(struct tl_pt_cycles *c, uint64_t tsc, uint64_t cycles)
{
	if (cycles && tsc << POINT >> POINT == tsc && (tsc << POINT) / cycles)
		c->fcr = (tsc << POINT) / cycles;
}

static void cycles_tsc(struct tl_pt_cycles *c, uint64_t tsc)
{
	if (c->have_mtc)
		return;
	if (c->have_tsc && c->cyc_tsc && tsc > c->tsc)
		measure(c, tsc - c->tsc, c->cyc_tsc);
	c->tsc = tsc;
	c->cyc_tsc = 0;
	c->have_tsc = true;
}

static void cycles_cbr(struct tl_pt_cycles *c, uint8_t ratio, const struct tl_pt_config *config)
{
	if (config->nom_freq && ratio)
		c->fcr = ((uint64_t)config->nom_freq << POINT) / ratio;
}

static void cycles_mtc(struct tl_pt_cycles *c, uint32_t ctc, const struct tl_pt_config *config)
{
	if (!knows_crystal(config))
		return;
	if (c->have_mtc && !c->cyc_mtc) {
		/* A low frequency may leave MTC periods without a CYC. */
		c->lost_mtc++;
		return;
	}
	if (c->have_mtc)
		measure(c, ticks(between(c->ctc, ctc, config), config), c->cyc_mtc);
	c->have_mtc = true;
	c->cyc_mtc = 0;
	c->ctc = ctc;
	c->lost_mtc = 0;
}

/* ---- time ---- */

static void time_tsc(struct tl_pt_time *time, uint64_t tsc)
{
	cycles_tsc(&time->cycles, tsc);
	time->tsc = time->base = tsc;
	time->fc = 0;
	time->ctc = time->ctc_cyc = 0;
	time->lost_mtc = time->lost_cyc = 0;
	time->have_tsc = true;
	time->have_tma = time->have_mtc = false;
}

/* The TSC before it was `fc` ticks behind the edge of crystal clock `ctc`; the bits below N count as ticks, too. */
static void time_tma(struct tl_pt_time *time, const struct tl_pt_packet *packet, const struct tl_pt_config *config)
{
	unsigned bits = config->mtc_freq + MTC_BITS;
	uint32_t ctc = packet->tma.ctc;
	uint64_t fc = packet->tma.fc;
	uint32_t below;

	if (!time->have_tsc || time->have_tma || !knows_crystal(config) || config->mtc_freq >= TMA_BITS)
		return;
	below = ctc & ((UINT32_C(1) << config->mtc_freq) - 1);
	fc += ticks(below, config);
	if (fc > time->base)
		return;
	ctc -= below;
	if (bits < TMA_BITS)
		ctc &= (UINT32_C(1) << bits) - 1;
	time->base -= fc;
	time->fc += fc;
	time->ctc = time->ctc_cyc = ctc;
	time->have_tma = true;
}

void tl_pt_time_mtc(struct tl_pt_time *time, uint8_t value, const struct tl_pt_config *config)
{
	unsigned bits = config->mtc_freq + MTC_BITS;
	uint32_t ctc = (uint32_t)value << config->mtc_freq;

	if (!knows_crystal(config)) {
		time->lost_mtc++;
		return;
	}
	cycles_mtc(&time->cycles, ctc, config);
	if (!time->have_tsc || !time->have_tma) {
		/* Nothing says when the clock was last at any value. */
		if (!time->have_mtc) {
			time->have_mtc = true;
			time->ctc = time->ctc_cyc = ctc;
			if (!time->have_tma)
				return;
		}
	} else if (!time->have_mtc && bits > TMA_BITS) {
		/* TMA lacks the upper bits; they are taken from here. */
		uint32_t low = (UINT32_C(1) << TMA_BITS) - 1;
		uint32_t last = (ctc & ~low) | time->ctc;

		if (last > ctc)
			last -= low + 1;
		time->ctc = time->ctc_cyc = last & ((UINT32_C(1) << bits) - 1);
	}
	time->base += ticks(between(time->ctc, ctc, config), config);
	time->ctc = ctc;
	time->have_mtc = true;
	if (time->tsc < time->base)
		time->tsc = time->base;
}

void tl_pt_time_cyc(struct tl_pt_time *time, uint64_t cycles, const struct tl_pt_config *config)
{
	uint64_t fcr = time->cycles.fcr, elapsed, since;

	time->cycles.cyc_tsc += cycles;
	time->cycles.cyc_mtc += cycles;
	if (!fcr) {
		time->lost_cyc++;
		return;
	}
	elapsed = time->fc + (cycles * fcr >> POINT);
	if (time->ctc != time->ctc_cyc) {
		since = ticks(between(time->ctc_cyc, time->ctc, config), config);
		elapsed = elapsed > since ? elapsed - since : 0;
		time->ctc_cyc = time->ctc;
	}
	time->fc = elapsed;
	if (time->tsc < time->base + elapsed)
		time->tsc = time->base + elapsed;
}

void tl_pt_time_packet(struct tl_pt_time *time, const struct tl_pt_packet *packet, const struct tl_pt_config *config)
{
	switch (packet->kind) {
	case TL_PT_PKT_TSC:
		time_tsc(time, packet->tsc.tsc);
		break;
	case TL_PT_PKT_TMA:
		time_tma(time, packet, config);
		break;
	case TL_PT_PKT_MTC:
		tl_pt_time_mtc(time, packet->mtc.ctc, config);
		break;
	case TL_PT_PKT_CYC:
		tl_pt_time_cyc(time, packet->cyc.value, config);
		break;
	case TL_PT_PKT_CBR:
		time->cbr = packet->cbr.ratio;
		time->have_cbr = true;
		cycles_cbr(&time->cycles, packet->cbr.ratio, config);
		break;
	default:
		break;
	}
}
