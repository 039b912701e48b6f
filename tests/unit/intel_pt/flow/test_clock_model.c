/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock against time itself: a TSC, a crystal clock and a core clock run here, and send the
 * packets that a processor sends (docs/formats/intel-pt.md, 6). Their ratios are such that nothing
 * is rounded, so at each packet the clock has to say what time it is.
 */
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "intel_pt/flow/clock.h"

enum {
	CRYSTAL = 42, /* ticks of the TSC in one of the crystal clock */
	CYCLES = 2,   /* cycles of the core in a tick */
	RATIO = 40,
	BUS = 20 /* CBR, and the TSC by the same bus: so 2 cycles are a tick */
};

struct machine {
	struct tl_pt_config config;
	struct tl_pt_clock clock;
	uint64_t now;            /* ticks */
	uint64_t counted, first; /* cycles at the last CYC, and at the first one */
	bool cycles;             /* CYC packets are sent */
	uint32_t seed;
};

static void begin(struct machine *m, unsigned mtc_freq, bool cycles, uint32_t seed)
{
	memset(m, 0, sizeof(*m));
	m->config = (struct tl_pt_config){ .size = sizeof(m->config),
					   .cpuid_15_eax = 2,
					   .cpuid_15_ebx = 2 * CRYSTAL,
					   .mtc_freq = (uint8_t)mtc_freq,
					   .nom_freq = BUS };
	m->cycles = cycles;
	m->seed = seed;
	m->now = 100000 + chance(&m->seed, 60000);
	tl_pt_clock_reset(&m->clock);
}

static void send(struct machine *m, struct tl_pt_packet packet)
{
	tl_pt_clock_packet(&m->clock, &packet, &m->config);
}

static void send_kind(struct machine *m, enum tl_pt_packet_kind kind)
{
	send(m, (struct tl_pt_packet){ .kind = kind });
}

static void send_tsc(struct machine *m)
{
	send(m, (struct tl_pt_packet){ .kind = TL_PT_PKT_TSC, .tsc = { m->now } });
}

static void send_tma(struct machine *m)
{
	const uint64_t ctc = m->now / CRYSTAL;

	send(m, (struct tl_pt_packet){
			.kind = TL_PT_PKT_TMA,
			.tma = { .ctc = (uint16_t)ctc, .fc = (uint16_t)(m->now % CRYSTAL) } });
}

static void send_cbr(struct machine *m)
{
	send(m, (struct tl_pt_packet){ .kind = TL_PT_PKT_CBR, .cbr = { RATIO } });
}

/* The cycles since the last CYC. */
static void send_cyc(struct machine *m)
{
	const uint64_t cycles = m->now * CYCLES;

	if (!m->cycles || cycles == m->counted)
		return;
	if (!m->first)
		m->first = cycles;
	send(m, (struct tl_pt_packet){ .kind = TL_PT_PKT_CYC,
				       .cyc = { .value = cycles - m->counted } });
	m->counted = cycles;
}

static void send_mtc(struct machine *m)
{
	const uint64_t ctc = m->now / CRYSTAL;

	send(m, (struct tl_pt_packet){ .kind = TL_PT_PKT_MTC,
				       .mtc = { (uint8_t)(ctc >> m->config.mtc_freq) } });
}

/* PSB+ repeats all there is of time. */
static void send_psb(struct machine *m)
{
	send_cyc(m);
	send_kind(m, TL_PT_PKT_PSB);
	assert_true(m->clock.in_psb);
	send_tsc(m);
	send_tma(m);
	send_cbr(m);
	send_kind(m, TL_PT_PKT_PSBEND);
	assert_false(m->clock.in_psb);
}

static void assert_now(const struct machine *m)
{
	assert_true(m->clock.have_tsc);
	assert_int_equal(m->clock.tsc, m->now);
	assert_int_equal(m->clock.lost_mtc, 0);
	assert_int_equal(m->clock.lost_cyc, 0);
}

/* Time passes up to the next period of the crystal clock, perhaps with packets on the way. */
static void pass_period(struct machine *m)
{
	const uint64_t period = (uint64_t)CRYSTAL << m->config.mtc_freq;
	const uint64_t edge = (m->now / period + 1) * period;

	while (m->cycles && chance(&m->seed, 3) && edge - m->now > 40) {
		m->now += 1 + chance(&m->seed,
				     (unsigned)(edge - m->now > 60000 ? 60000 : edge - m->now - 1));
		send_cyc(m);
		assert_now(m);
	}
	m->now = edge;
	/*
	 * Some are lost: fewer than would make the count of 8 bits wrap, and not the first one, as
	 * a TMA has 16 bits of the crystal clock.
	 */
	if (m->clock.have_mtc && !chance(&m->seed, 6))
		return;
	/* "Each packet is preceded by its own" CYC. */
	send_cyc(m);
	send_mtc(m);
	assert_now(m);
}

static void run(struct machine *m, unsigned periods, unsigned psbs)
{
	send_psb(m);
	assert_now(m);
	for (unsigned i = 0; i < periods; i++) {
		pass_period(m);
		if (psbs && !chance(&m->seed, psbs)) {
			m->now += chance(&m->seed, 40);
			send_psb(m);
			assert_now(m);
		}
	}
	assert_int_equal(m->clock.count, m->cycles && m->first ? m->counted - m->first : 0);
	assert_int_equal(m->clock.cbr, RATIO);
}

/* The crystal clock alone: exact at each MTC, whatever its period, while its count wraps. */
TEST(crystal_clocks_of_all_periods)
{
	for (unsigned freq = 0; freq < 16; freq++)
		for (uint32_t seed = 1; seed < 4; seed++) {
			struct machine m;

			begin(&m, freq, false, seed);
			run(&m, 3000, seed == 1 ? 0 : 200);
		}
}

/* With cycles time is exact at each CYC, too. */
TEST(cycles_between_periods)
{
	for (unsigned freq = 0; freq < 13; freq += 3)
		for (uint32_t seed = 1; seed < 6; seed++) {
			struct machine m;

			begin(&m, freq, true, seed);
			run(&m, 2000, seed % 2 ? 0 : 100);
			/* 2 cycles a tick: half a tick a cycle, of 8 binary digits */
			assert_int_equal(m.clock.cycles.fcr, 128);
		}
}

/* Without CBR, cycles are measured: from one MTC to another, and until then they are lost. */
TEST(cycles_are_measured)
{
	struct machine m;
	uint64_t before;

	begin(&m, 3, true, 1);
	m.config.nom_freq = 0;
	send_tsc(&m);
	send_tma(&m);
	before = m.now;
	for (unsigned i = 0; i < 3; i++) {
		m.now += 5;
		send_cyc(&m);
		assert_int_equal(m.clock.tsc, before);
		assert_int_equal(m.clock.lost_cyc, i + 1);
	}
	m.now = (m.now / (CRYSTAL << 3) + 1) * (CRYSTAL << 3);
	send_cyc(&m);
	send_mtc(&m);
	assert_now(&m);
	assert_int_equal(m.clock.cycles.fcr, 0);
	m.now += CRYSTAL << 3;
	send_cyc(&m);
	send_mtc(&m);
	assert_int_equal(m.clock.cycles.fcr, 128);
	m.now += 77;
	send_cyc(&m);
	assert_now(&m);
}

/* "The TSC of a PSB+ ends a measurement that the TSC before it began", where there are no MTC. */
TEST(cycles_are_measured_from_one_tsc_to_another)
{
	for (int inside = 0; inside < 2; inside++) {
		struct machine m;

		begin(&m, 3, true, 1);
		m.config.nom_freq = 0;
		send_cyc(&m);
		send_tsc(&m);
		m.now += 1000;
		send_cyc(&m);
		if (inside)
			send_kind(&m, TL_PT_PKT_PSB);
		send_tsc(&m);
		assert_int_equal(m.clock.cycles.fcr, inside ? 128 : 0);
	}
}

/* Lost packets end all measurements, unless the ratio is to be kept. */
TEST(an_overflow_ends_measurements)
{
	for (int keep = 0; keep < 2; keep++) {
		struct machine m;

		begin(&m, 3, true, 1);
		m.config.flags = keep ? TL_PT_KEEP_TCAL : 0;
		run(&m, 20, 0);
		send_kind(&m, TL_PT_PKT_PSB);
		send_kind(&m, TL_PT_PKT_OVF);
		assert_false(m.clock.in_psb);
		assert_int_equal(m.clock.cycles.fcr, keep ? 128 : 0);
		assert_int_equal(m.clock.cycles.cyc == 0, !keep);
		assert_false(m.clock.cycles.have_mtc);
		m.now += 5000;
		send_tsc(&m);
		send_tma(&m);
		/* a new period is measured anew */
		for (int i = 0; i < 3; i++) {
			m.now = (m.now / (CRYSTAL << 3) + 1) * (CRYSTAL << 3);
			send_cyc(&m);
			send_mtc(&m);
			assert_int_equal(m.clock.tsc, m.now);
		}
		assert_int_equal(m.clock.cycles.fcr, 128);
	}
}

/* A CBR outside of PSB+ is another ratio; one inside only repeats it, and measuring goes on. */
TEST(ratios_change_and_repeat)
{
	for (int inside = 0; inside < 2; inside++) {
		struct machine m;

		begin(&m, 3, true, 1);
		run(&m, 20, 0);
		assert_true(m.clock.cycles.have_mtc);
		if (inside)
			send_kind(&m, TL_PT_PKT_PSB);
		send(&m, (struct tl_pt_packet){ .kind = TL_PT_PKT_CBR, .cbr = { 10 } });
		assert_int_equal(m.clock.cbr, 10);
		assert_int_equal(m.clock.cycles.have_mtc, inside);
		assert_int_equal(m.clock.cycles.fcr, (BUS << 8) / 10);
		/* a ratio of 0 is none */
		send(&m, (struct tl_pt_packet){ .kind = TL_PT_PKT_CBR });
		assert_int_equal(m.clock.cycles.fcr, (BUS << 8) / 10);
	}
}

/* "Only the first TMA behind a TSC belongs to it", and without a TSC there is none. */
TEST(a_tma_belongs_to_its_tsc)
{
	struct machine m;

	begin(&m, 3, false, 1);
	send_tma(&m);
	assert_false(m.clock.have_tma);
	send_tsc(&m);
	send_tma(&m);
	m.now += 10000;
	send_tma(&m);
	m.now = (m.now / (CRYSTAL << 3) + 1) * (CRYSTAL << 3);
	send_mtc(&m);
	assert_int_equal(m.clock.tsc, m.now);
	/* an MTC between a TSC and its TMA says nothing */
	m.now += 1000;
	send_tsc(&m);
	send(&m, (struct tl_pt_packet){ .kind = TL_PT_PKT_MTC, .mtc = { 200 } });
	assert_now(&m);
	send_tma(&m);
	m.now = (m.now / (CRYSTAL << 3) + 1) * (CRYSTAL << 3);
	send_mtc(&m);
	assert_now(&m);
}

/* Without any TSC, time counts from the first MTC. */
TEST(time_without_a_tsc)
{
	struct machine m;
	uint64_t first;

	begin(&m, 4, false, 1);
	m.now = (m.now / (CRYSTAL << 4) + 1) * (CRYSTAL << 4);
	first = m.now;
	send_mtc(&m);
	assert_int_equal(m.clock.tsc, 0);
	for (unsigned i = 0; i < 1000; i++) {
		m.now += (uint64_t)CRYSTAL << 4;
		send_mtc(&m);
		assert_int_equal(m.clock.tsc, m.now - first);
	}
	assert_false(m.clock.have_tsc);
}

/* Without the crystal's ratio only the TSC is known. */
TEST(an_unknown_crystal)
{
	struct machine m;
	uint64_t tsc;

	begin(&m, 3, true, 1);
	m.config.cpuid_15_eax = 0;
	send_psb(&m);
	tsc = m.now;
	m.now = (m.now / (CRYSTAL << 3) + 1) * (CRYSTAL << 3);
	send_mtc(&m);
	assert_int_equal(m.clock.tsc, tsc);
	assert_int_equal(m.clock.cycles.fcr, 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crystal_clocks_of_all_periods),
		cmocka_unit_test(cycles_between_periods),
		cmocka_unit_test(cycles_are_measured),
		cmocka_unit_test(cycles_are_measured_from_one_tsc_to_another),
		cmocka_unit_test(an_overflow_ends_measurements),
		cmocka_unit_test(ratios_change_and_repeat),
		cmocka_unit_test(a_tma_belongs_to_its_tsc),
		cmocka_unit_test(time_without_a_tsc),
		cmocka_unit_test(an_unknown_crystal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
