/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/info.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/facts.h"
#include "core/output.h"
#include "intel_pt/flow/clock.h"
#include "intel_pt/listing/scan.h"
#include "intel_pt/listing/text.h"
#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"

/* ---- facts ---- */

struct sums {
	uint64_t kinds[TL_PT_PKT_COUNT], modes[3], outcomes, bytes, pad_bytes, first_psb;
	uint64_t first_tsc, last_tsc, compressed[8];
	uint64_t least_psb, most_psb, psb_at; /* bytes from one PSB to the next */
	struct tl_pt_clock time;
	bool timed;
};

static void sum_time(struct sums *sums, const struct tl_pt_scan *s, const struct tl_pt_packet *p)
{
	tl_pt_clock_packet(&sums->time, p, s->config);
	if (!sums->time.have_tsc)
		return;
	if (!sums->timed)
		sums->first_tsc = sums->time.tsc;
	sums->timed = true;
	if (sums->time.tsc > sums->last_tsc)
		sums->last_tsc = sums->time.tsc;
}

static void sum_psb(struct sums *sums, uint64_t offset)
{
	uint64_t distance = offset - sums->psb_at;

	if (!sums->kinds[TL_PT_PKT_PSB]) {
		sums->first_psb = offset;
		sums->least_psb = UINT64_MAX;
	} else {
		sums->least_psb = tl_min(distance, sums->least_psb);
		sums->most_psb = tl_max(distance, sums->most_psb);
	}
	sums->psb_at = offset;
}

static void sum_packet(struct sums *sums, const struct tl_pt_scan *s, const struct tl_pt_packet *p)
{
	if (p->kind == TL_PT_PKT_PSB)
		sum_psb(sums, s->offset);
	sums->kinds[p->kind]++;
	sums->bytes += p->size;
	if (p->kind == TL_PT_PKT_TNT_8 || p->kind == TL_PT_PKT_TNT_64)
		sums->outcomes += p->tnt.count;
	else if (p->kind == TL_PT_PKT_MODE && p->mode.leaf == TL_PT_MODE_EXEC)
		sums->modes[p->mode.csl ? 2 : p->mode.csd]++;
	sum_time(sums, s, p);
}

static void put_sums(struct tl_facts *facts, const struct sums *sums,
		     const struct tl_pt_config *config)
{
	static const char *const modes[] = { "16_bit", "32_bit", "64_bit" };

	tl_fact_text(facts, "format", "intel-pt");
	tl_fact_u64(facts, "bytes", (uint64_t)(config->end - config->begin));
	tl_fact_u64(facts, "bytes_before_the_first_psb", sums->first_psb);
	tl_fact_u64(facts, "psbs", sums->kinds[TL_PT_PKT_PSB]);
	if (sums->most_psb) {
		tl_fact_u64(facts, "least_bytes_from_psb_to_psb", sums->least_psb);
		tl_fact_u64(facts, "most_bytes_from_psb_to_psb", sums->most_psb);
	}
	tl_fact_u64(facts, "outcomes", sums->outcomes);
	tl_fact_bool(facts, "timed", sums->timed);
	if (sums->timed) {
		tl_fact_u64(facts, "first_tsc", sums->first_tsc);
		tl_fact_u64(facts, "last_tsc", sums->last_tsc);
		tl_fact_u64(facts, "ticks", sums->last_tsc - sums->first_tsc);
	}
	/* As in a profile: the first CYC counts from a packet that is not in the trace. */
	if (sums->time.have_cyc)
		tl_fact_u64(facts, "cycles", sums->time.count);
	tl_facts_object(facts, "modes");
	for (unsigned i = 0; i < 3; i++)
		if (sums->modes[i])
			tl_fact_u64(facts, modes[i], sums->modes[i]);
	tl_facts_close(facts);
	tl_facts_object(facts, "packets");
	for (unsigned i = 0; i < TL_PT_PKT_COUNT; i++)
		if (sums->kinds[i])
			tl_fact_u64(facts, tl_pt_packet_name((enum tl_pt_packet_kind)i),
				    sums->kinds[i]);
	tl_facts_close(facts);
}

static void put_faults(struct tl_facts *facts, struct tl_pt_faults *faults)
{
	tl_fact_u64(facts, "damaged_places", faults->count);
	tl_fact_u64(facts, "damaged_bytes", faults->skipped_bytes);
}

int tl_pt_describe(const struct tl_pt_config *config, struct tl_pt_faults *faults, bool json,
		   struct tl_output *out, struct tl_error *err)
{
	struct sums sums = { 0 };
	struct tl_pt_packet packet;
	struct tl_facts facts;
	struct tl_pt_scan scan;
	int status = tl_pt_scan_open(&scan, config, faults, err);

	if (status < 0)
		return status;
	tl_pt_clock_reset(&sums.time);
	while ((status = tl_pt_scan_next(&scan, &packet, err)) == 1)
		sum_packet(&sums, &scan, &packet);
	tl_pt_scan_close(&scan);
	if (status < 0)
		return status;
	tl_facts_begin(&facts, out, json);
	put_sums(&facts, &sums, config);
	put_faults(&facts, faults);
	tl_facts_end(&facts);
	return 0;
}

/* ---- packets encoded again ---- */

int tl_pt_rewrite(const struct tl_pt_config *config, struct tl_pt_faults *faults,
		  struct tl_output *out, struct tl_error *err)
{
	struct tl_pt_packet packet;
	uint8_t bytes[TL_PT_MAX_BYTES];
	struct tl_pt_scan scan;
	int status = tl_pt_scan_open(&scan, config, faults, err);

	if (status < 0)
		return status;
	while ((status = tl_pt_scan_next(&scan, &packet, err)) == 1 && !tl_output_failed(out)) {
		int size = tl_pt_encode(bytes, sizeof(bytes), &packet);

		/* Some packets have several encodings: the bytes that were read are kept. */
		if (size == packet.size && !memcmp(bytes, config->begin + scan.offset, packet.size))
			tl_put_bytes(out, bytes, (size_t)size);
		else
			tl_put_bytes(out, config->begin + scan.offset, packet.size);
	}
	tl_pt_scan_close(&scan);
	return tl_error_or_end(status);
}
