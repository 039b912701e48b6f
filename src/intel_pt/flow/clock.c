/* SPDX-License-Identifier: Apache-2.0 */
/* The clock: time from packets (6). */
#include "intel_pt/flow/clock.h"

#include <string.h>

enum {
	MTC_BITS = 8,  /* an MTC holds bits N + 7 .. N of the crystal clock */
	TMA_BITS = 16, /* a TMA holds its lowest 16 */
	POINT = 8,     /* binary digits behind the point in ticks per cycle */
};

void tl_pt_clock_reset(struct tl_pt_clock *time)
{
	memset(time, 0, sizeof(*time));
}

static bool knows_crystal(const struct tl_pt_config *config)
{
	return config->cpuid_15_eax && config->cpuid_15_ebx;
}

/* TSC ticks in `ctc` crystal clocks. */
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

static void set_ratio(struct tl_pt_cycle_rate *c, uint64_t fcr)
{
	c->fcr = fcr;
	c->have_fcr = true;
}

/* Begin measuring anew; the ratio stays. */
static void stop_measuring(struct tl_pt_cycle_rate *c)
{
	c->at_mtc = c->at_tsc = c->cyc;
	c->tsc = 0;
	c->ctc = 0;
	c->have_mtc = false;
}

/* A new ratio ends the measurement under the old one; the CBR of a PSB+ only repeats the ratio. */
static void cycles_cbr(struct tl_pt_cycle_rate *c, uint8_t ratio, const struct tl_pt_config *config,
		       bool status)
{
	if (!ratio)
		return;
	if (!status)
		memset(c, 0, sizeof(*c));
	if (config->nom_freq)
		set_ratio(c, ((uint64_t)config->nom_freq << POINT) / ratio);
}

/*
 * SKL168 (7): the PSB before this MTC may have swallowed a CYC, and an MTC with it. It has if an
 * MTC period is missing; or if there are too few cycles for the time, even with as many added as
 * one CYC counts at most. The second sign is clear only while periods are short.
 */
static bool lost_cycles(const struct tl_pt_cycle_rate *c, uint64_t cycles, uint32_t period,
			uint64_t passed, const struct tl_pt_config *config)
{
	enum { WRAP = 0xf00, SHORT = 10 };

	if (period >> config->mtc_freq > 1)
		return true;
	return config->mtc_freq < SHORT && c->have_fcr &&
	       c->fcr * (cycles + WRAP) >> POINT < passed;
}

/*
 * An MTC period without a CYC is measured together with the next one: at a low frequency there may
 * be none.
 */
static void cycles_mtc(struct tl_pt_cycle_rate *c, uint32_t ctc, const struct tl_pt_config *config)
{
	uint64_t cycles = c->cyc - c->at_mtc, passed;
	uint32_t period = between(c->ctc, ctc, config);
	bool check = c->check, first = !c->have_mtc;

	c->check = false;
	if (!first && !cycles)
		return;
	c->have_mtc = true;
	c->at_mtc = c->cyc;
	c->ctc = ctc;
	if (first || !knows_crystal(config))
		return;
	passed = ticks(period, config);
	if (!check || !lost_cycles(c, cycles, period, passed, config))
		set_ratio(c, (passed << POINT) / cycles);
}

/*
 * The TSC of a PSB+ ends a measurement that the TSC before it began, unless MTC packets allow a
 * better one. A TSC outside a PSB+ may come with lost time, so it only begins one. (TSC wrap at 56
 * bits; shifting by POINT drops the bits above.)
 */
static void cycles_tsc(struct tl_pt_cycle_rate *c, uint64_t tsc, bool status)
{
	uint64_t cycles = c->cyc - c->at_tsc, before = c->tsc;

	c->tsc = tsc;
	c->at_tsc = c->cyc;
	if (status && before && cycles && !c->have_mtc)
		set_ratio(c, ((tsc - before) << POINT) / cycles);
}

/* ---- time ---- */

static void time_tsc(struct tl_pt_clock *time, uint64_t tsc)
{
	time->tsc = time->base = tsc;
	time->fc = 0;
	time->ctc = 0;
	time->lost_mtc = time->lost_cyc = 0;
	time->have_tsc = true;
	time->have_tma = time->have_mtc = false;
}

/* The TSC packet before it was sent `fc` ticks behind the edge of crystal clock `ctc`. */
static void time_tma(struct tl_pt_clock *time, const struct tl_pt_packet *packet,
		     const struct tl_pt_config *config)
{
	unsigned bits = config->mtc_freq + MTC_BITS;
	uint32_t ctc = packet->tma.ctc;

	/* Only the first TMA behind a TSC belongs to it. */
	if (!time->have_tsc || time->have_tma || config->mtc_freq >= TMA_BITS)
		return;
	time->have_tma = true;
	if (bits < TMA_BITS)
		ctc &= (UINT32_C(1) << bits) - 1;
	time->base -= packet->tma.fc;
	time->fc += packet->tma.fc;
	time->ctc = time->ctc_cyc = ctc;
}

/*
 * A TMA holds 16 bits of the crystal clock; if MTC have more, the upper ones are those of the first
 * MTC.
 */
static uint32_t whole_clock(uint32_t tma, uint32_t mtc, unsigned bits)
{
	const uint32_t low = (UINT32_C(1) << TMA_BITS) - 1;
	uint32_t whole = (mtc & ~low) | tma;

	if (whole > mtc)
		whole -= low + 1;
	return bits < 32 ? whole & ((UINT32_C(1) << bits) - 1) : whole;
}

/*
 * If cycles were counted since the last MTC, a CYC came right before this one (each packet is
 * preceded by its own), so the next CYC counts from here. If not, it counts from where the last one
 * did.
 */
void tl_pt_clock_mtc(struct tl_pt_clock *time, uint8_t value, const struct tl_pt_config *config)
{
	unsigned bits = config->mtc_freq + MTC_BITS;
	uint32_t ctc = (uint32_t)value << config->mtc_freq;

	cycles_mtc(&time->cycles, ctc, config);
	/*
	 * Between a TSC and its TMA the crystal clock is not known; without any TSC, time counts
	 * from the first MTC.
	 */
	if (time->have_tsc && !time->have_tma)
		return;
	if (!time->have_mtc && !time->have_tma) {
		time->ctc = time->ctc_cyc = ctc;
		time->have_mtc = true;
		time->fc = 0;
		time->lost_cyc = 0;
		return;
	}
	if (!time->have_mtc && bits > TMA_BITS) {
		time->ctc = whole_clock(time->ctc, ctc, bits);
		time->ctc_cyc = ctc;
	}
	if (time->fc || time->lost_cyc)
		time->ctc_cyc = ctc;
	time->fc = 0;
	time->lost_cyc = 0;
	if (knows_crystal(config)) {
		time->base += ticks(between(time->ctc, ctc, config), config);
		time->tsc = time->base;
	}
	time->ctc = ctc;
	time->have_mtc = true;
}

void tl_pt_clock_cyc(struct tl_pt_clock *time, uint64_t cycles, const struct tl_pt_config *config)
{
	uint64_t fcr = time->cycles.fcr;

	time->cycles.cyc += cycles;
	/* The first CYC counts from a packet that is not in the trace. */
	if (time->have_cyc)
		time->count += cycles;
	time->have_cyc = true;
	if (!fcr) {
		time->lost_cyc++;
		return;
	}
	if (!time->fc && time->ctc != time->ctc_cyc) {
		uint64_t before;

		if (!knows_crystal(config))
			return;
		/* The first CYC since the last MTC began to count before that MTC. */
		before = (ticks(between(time->ctc_cyc, time->ctc, config), config) << POINT) / fcr;
		if (cycles <= before)
			return;
		cycles -= before;
	}
	time->fc += cycles * fcr >> POINT;
	time->tsc = time->base + time->fc;
}

static void time_psb(struct tl_pt_clock *time, const struct tl_pt_config *config)
{
	time->in_psb = true;
	time->cycles.check |= config->errata & TL_PT_SKL168;
}

/* Packets were lost: a measurement of cycles may not go on over the gap (5.2). */
static void time_overflow(struct tl_pt_clock *time, const struct tl_pt_config *config)
{
	time->in_psb = false;
	if (config->flags & TL_PT_KEEP_TCAL)
		stop_measuring(&time->cycles);
	else
		memset(&time->cycles, 0, sizeof(time->cycles));
}

static void time_cbr(struct tl_pt_clock *time, uint8_t ratio, const struct tl_pt_config *config)
{
	time->cbr = ratio;
	time->have_cbr = true;
	cycles_cbr(&time->cycles, ratio, config, time->in_psb);
}

void tl_pt_clock_packet(struct tl_pt_clock *time, const struct tl_pt_packet *packet,
			const struct tl_pt_config *config)
{
	switch (packet->kind) {
	case TL_PT_PKT_PSB:
		time_psb(time, config);
		break;
	case TL_PT_PKT_PSBEND:
		time->in_psb = false;
		break;
	case TL_PT_PKT_OVF:
		time_overflow(time, config);
		break;
	case TL_PT_PKT_TSC:
		cycles_tsc(&time->cycles, packet->tsc.tsc, time->in_psb);
		time_tsc(time, packet->tsc.tsc);
		break;
	case TL_PT_PKT_TMA:
		time_tma(time, packet, config);
		break;
	case TL_PT_PKT_MTC:
		tl_pt_clock_mtc(time, packet->mtc.ctc, config);
		break;
	case TL_PT_PKT_CYC:
		tl_pt_clock_cyc(time, packet->cyc.value, config);
		break;
	case TL_PT_PKT_CBR:
		time_cbr(time, packet->cbr.ratio, config);
		break;
	default:
		break;
	}
}
