/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AUXTRACE_INFO of Intel PT, the decoder's configuration from it, and the clock
 * (docs/formats/perf-data.md section 6).
 */
#include "perf_data/auxtrace/pt_info.h"
#include "core/arithmetic.h"
#include "perf_data/auxtrace/trace.h"

/* The words in their order; those that an older perf did not write are 0. */
enum {
	WORD_PMU_TYPE,
	WORD_TIME_SHIFT,
	WORD_TIME_MULT,
	WORD_TIME_ZERO,
	WORD_CAP_USER_TIME_ZERO,
	WORD_TSC_BIT,
	WORD_NORETCOMP_BIT,
	WORD_HAVE_SCHED_SWITCH,
	WORD_SNAPSHOT_MODE,
	WORD_PER_CPU_MMAPS,
	WORD_MTC_BIT,
	WORD_MTC_FREQ_BITS,
	WORD_TSC_CTC_N,
	WORD_TSC_CTC_D,
	WORD_CYC_BIT,
	WORD_MAX_NONTURBO_RATIO,
	WORD_FILTER_SIZE,
};

static uint64_t word(const struct tl_perf_record *rec, uint64_t number)
{
	return number < rec->auxtrace_info.count
		       ? tl_get64s(rec->auxtrace_info.words + 8 * number, rec->swapped)
		       : 0;
}

/* The filter: its size without padding, its text padded to whole words, then newer words. */
static int take_filter(struct tl_perf_trace *t, const struct tl_perf_record *rec,
		       struct tl_error *err)
{
	const uint64_t size = word(rec, WORD_FILTER_SIZE), first = WORD_FILTER_SIZE + 1;
	const uint64_t words = tl_excess(rec->auxtrace_info.count, first);
	const char *text = (const char *)rec->auxtrace_info.words + 8 * first;

	t->info.filter = "";
	if (!words || size > 8 * words)
		return 0;
	t->info.cap_event_trace = word(rec, first + (size + 7) / 8);
	t->info.filter =
		size ? tl_perf_keep_text(t->reader, text, strnlen(text, (size_t)size)) : "";
	if (!t->info.filter)
		return tl_error_memory(err);
	return 0;
}

struct tl_perf_pt_info tl_perf_pt_info_of(const struct tl_perf_record *rec)
{
	return (struct tl_perf_pt_info){
		.pmu_type = word(rec, WORD_PMU_TYPE),
		.time_shift = word(rec, WORD_TIME_SHIFT),
		.time_mult = word(rec, WORD_TIME_MULT),
		.time_zero = word(rec, WORD_TIME_ZERO),
		.cap_user_time_zero = word(rec, WORD_CAP_USER_TIME_ZERO),
		.tsc_bit = word(rec, WORD_TSC_BIT),
		.noretcomp_bit = word(rec, WORD_NORETCOMP_BIT),
		.have_sched_switch = word(rec, WORD_HAVE_SCHED_SWITCH),
		.snapshot_mode = word(rec, WORD_SNAPSHOT_MODE),
		.per_cpu_mmaps = word(rec, WORD_PER_CPU_MMAPS),
		.mtc_bit = word(rec, WORD_MTC_BIT),
		.mtc_freq_bits = word(rec, WORD_MTC_FREQ_BITS),
		.tsc_ctc_n = word(rec, WORD_TSC_CTC_N),
		.tsc_ctc_d = word(rec, WORD_TSC_CTC_D),
		.cyc_bit = word(rec, WORD_CYC_BIT),
		.max_nonturbo_ratio = word(rec, WORD_MAX_NONTURBO_RATIO),
	};
}

int tl_perf_add_pt_info(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	if (rec->auxtrace_info.type != TL_PERF_AUXTRACE_TYPE_INTEL_PT || t->have_info)
		return 0;
	t->have_info = true;
	t->info = tl_perf_pt_info_of(rec);
	return take_filter(t, rec, err);
}

/* Nanoseconds = ticks * mult >> shift. */
uint64_t tl_perf_pt_info_tsc_hz(const struct tl_perf_pt_info *info)
{
	double ticks = 1e9;

	if (!info->time_mult || info->time_shift > 63)
		return 0;
	ticks *= (double)(UINT64_C(1) << info->time_shift) / (double)info->time_mult;
	return ticks < 1e15 ? (uint64_t)(ticks + 0.5) : 0;
}

/* "GenuineIntel,6,142,10": vendor, family, model, stepping; more may follow. */
static struct tl_pt_cpu parse_cpuid(const char *text)
{
	struct tl_pt_cpu cpu = { .intel = !strncmp(text, "GenuineIntel,", 13) };
	unsigned long values[3] = { 0 };
	char *end = strchr(text, ',') ? strchr(text, ',') : NULL;

	for (int i = 0; end && *end == ',' && i < 3; i++)
		values[i] = strtoul(end + 1, &end, 10);
	cpu.family = (uint16_t)values[0];
	cpu.model = (uint8_t)values[1];
	cpu.stepping = (uint8_t)values[2];
	return cpu;
}

void tl_perf_pt_info_find_event(const struct tl_perf_reader *r, struct tl_perf_pt_info *info)
{
	const struct tl_perf_attr *attr;

	for (size_t i = 0; (attr = tl_perf_attr_at(r, i)); i++)
		if (attr->type == info->pmu_type) {
			info->config = attr->config;
			info->event_found = true;
			return;
		}
}

/* The value of the bits of the event's config that a mask selects. */
static uint64_t field(uint64_t config, uint64_t mask)
{
	return mask ? (config & mask) >> __builtin_ctzll(mask) : 0;
}

void tl_perf_configure_decoder(struct tl_perf_trace *t)
{
	const struct tl_perf_pt_info *info = &t->info;
	struct tl_pt_config *c = &t->config;

	tl_perf_pt_info_find_event(t->reader, &t->info);
	*c = (struct tl_pt_config){
		.size = sizeof(*c),
		.flags = TL_PT_KEEP_ASID,
		.cpu = parse_cpuid(t->reader->header.cpuid),
		.cpuid_15_eax = (uint32_t)info->tsc_ctc_d,
		.cpuid_15_ebx = (uint32_t)info->tsc_ctc_n,
		/* four bits, even if the mask is damaged */
		.mtc_freq = field(info->config, info->mtc_freq_bits) & 15,
		.nom_freq = (uint8_t)info->max_nonturbo_ratio,
	};
	/* A processor whose errata are not known is decoded as if it had none. */
	tl_pt_cpu_errata(&c->errata, &c->cpu, false);
}

/* ---- time: UAPI, struct perf_event_mmap_page, time_zero ---- */

bool tl_perf_pt_info_ns(const struct tl_perf_pt_info *i, uint64_t tsc, uint64_t *ns)
{
	uint64_t rest;

	if (!i->time_mult || i->time_shift > 63)
		return false;
	rest = tsc & ((UINT64_C(1) << i->time_shift) - 1);
	*ns = i->time_zero + (tsc >> i->time_shift) * i->time_mult +
	      ((rest * i->time_mult) >> i->time_shift);
	return true;
}

bool tl_perf_pt_info_tsc(const struct tl_perf_pt_info *i, uint64_t ns, uint64_t *tsc)
{
	uint64_t time;

	if (!i->time_mult || i->time_shift > 63)
		return false;
	time = ns - i->time_zero;
	*tsc = ((time / i->time_mult) << i->time_shift) +
	       ((time % i->time_mult) << i->time_shift) / i->time_mult;
	return true;
}
