/* SPDX-License-Identifier: Apache-2.0 */
#include "core/facts.h"
#include "etm/listing/listing.h"

/* What is counted of one source. */
struct sums {
	uint64_t kinds[TL_ETM_KINDS], atoms, cycles, first_timestamp, last_timestamp;
	uint64_t before, bytes, packets;
	bool timed, is_cut;
};

static void count(struct sums *sums, const struct tl_etm_packet *packet)
{
	sums->kinds[packet->kind]++;
	sums->atoms += packet->atom_count;
	sums->cycles += packet->cycles;
	if (packet->kind != TL_ETM_TIMESTAMP)
		return;
	if (!sums->timed)
		sums->first_timestamp = packet->timestamp;
	sums->timed = true;
	sums->last_timestamp = packet->timestamp;
}

static int sum_source(struct tl_etm_file *file, size_t source, struct sums *sums,
		      struct tl_error *err)
{
	struct tl_etm_packet packet;
	struct tl_etm_reader reader;
	int status;

	*sums = (struct sums){ 0 };
	tl_etm_file_begin(file, &reader, source);
	while ((status = tl_etm_file_next(file, &reader, &packet, err)) == 1)
		count(sums, &packet);
	sums->before = reader.passed_bytes;
	sums->bytes = reader.bytes;
	sums->packets = reader.packets;
	sums->is_cut = reader.is_cut;
	return status;
}

static void put_source(struct tl_facts *facts, const struct tl_etm_file *file, size_t source,
		       const struct sums *sums)
{
	tl_facts_item(facts);
	if (file->trace.is_framed)
		tl_fact_u64(facts, "trace_id", file->ids[source]);
	tl_fact_u64(facts, "bytes_before_the_first_async", sums->before);
	tl_fact_u64(facts, "packet_bytes", sums->bytes);
	tl_fact_bool(facts, "last_packet_is_cut_short", sums->is_cut);
	tl_fact_u64(facts, "atoms", sums->atoms);
	tl_fact_u64(facts, "cycles", sums->cycles);
	tl_fact_bool(facts, "timed", sums->timed);
	if (sums->timed) {
		tl_fact_u64(facts, "first_timestamp", sums->first_timestamp);
		tl_fact_u64(facts, "last_timestamp", sums->last_timestamp);
	}
	tl_fact_u64(facts, "packets", sums->packets);
	tl_facts_object(facts, "kinds");
	for (unsigned i = 0; i < TL_ETM_KINDS; i++)
		if (sums->kinds[i])
			tl_fact_u64(facts, tl_etm_kind_name((enum tl_etm_kind)i), sums->kinds[i]);
	tl_facts_close(facts);
	tl_facts_close(facts);
}

int tl_etm_describe(struct tl_etm_file *file, bool json, struct tl_output *out,
		    struct tl_error *err)
{
	struct tl_facts facts;
	struct sums sums;
	int status = 0;

	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", "etm");
	tl_fact_text(&facts, "trace_unit", file->config.is_ete ? "ete" : "etmv4");
	tl_fact_bool(&facts, "registers_assumed", file->is_assumed);
	tl_fact_bool(&facts, "framed", file->trace.is_framed);
	tl_fact_u64(&facts, "bytes", (uint64_t)(file->trace.end - file->trace.begin));
	tl_facts_list(&facts, "sources");
	for (size_t i = 0; status == 0 && i < file->source_count; i++) {
		status = sum_source(file, i, &sums, err);
		if (status == 0)
			put_source(&facts, file, i, &sums);
	}
	tl_facts_close_list(&facts);
	tl_fact_u64(&facts, "damaged_places", file->faults.total);
	tl_fact_u64(&facts, "damaged_bytes", file->faults.skipped_bytes);
	tl_facts_end(&facts);
	return status;
}
