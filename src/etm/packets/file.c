/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/packets/file.h"

#include "core/error.h"
#include "etm/packets/probe.h"

/* TRCIDR1.TRCARCHMAJ; ETE has at least 5, or 15 where another register says it. */
static bool says_ete(uint32_t idr1)
{
	return (idr1 >> 8 & 15) >= 5;
}

/* Registers that are not given are those that the packets of the first source fit best. */
static void configure(struct tl_etm_file *file, const struct tl_etm_registers *r)
{
	struct tl_etm_config *c = &file->config;

	tl_etm_guess(&file->trace, file->ids[0], c);
	c->idr0 = r->idr0 ? r->idr0 : c->idr0;
	c->idr2 = r->idr2 ? r->idr2 : c->idr2;
	c->idr8 = r->idr8 ? r->idr8 : c->idr8;
	c->configr = r->configr ? r->configr : c->configr;
	/* Of TRCIDR8, 0 is a value as good as any. */
	file->is_assumed = !r->idr0 || !r->idr1 || !r->idr2 || !r->configr;
	if (r->idr1) {
		c->idr1 = r->idr1;
		c->is_ete = says_ete(r->idr1);
	}
}

/* Leave but the source that was asked for. */
static void choose(struct tl_etm_file *file, uint32_t id)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->source_count; i++)
		if (file->ids[i] == id)
			file->ids[kept++] = file->ids[i];
	file->source_count = kept;
}

int tl_etm_file_open(struct tl_etm_file *file, const uint8_t *data, size_t size,
		     const struct tl_etm_registers *registers, struct tl_error *err)
{
	file->trace = (struct tl_etm_trace){ data, size ? data + size : data, false };
	file->trace.is_framed = tl_etm_is_framed(data, size);
	file->source_count = tl_etm_sources(&file->trace, file->ids);
	if (!file->source_count)
		return tl_error_format(err, "etm",
				       tl_error_at(err, TL_BAD_FORMAT, 0,
						   "there is no A-Sync, so nothing can be "
						   "decoded"));
	if (registers->traceidr && file->trace.is_framed)
		choose(file, registers->traceidr);
	if (!file->source_count)
		return tl_error_format(err, "etm",
				       tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						   "the trace has no source with this ID"));
	configure(file, registers);
	return 0;
}

void tl_etm_file_close(struct tl_etm_file *file)
{
	tl_fault_list_free(&file->faults);
}

void tl_etm_file_begin(const struct tl_etm_file *file, struct tl_etm_reader *reader, size_t source)
{
	tl_etm_reader_begin(reader, &file->trace, file->ids[source], &file->config);
}

static int note(struct tl_etm_file *file, const struct tl_etm_reader *reader, struct tl_error *err)
{
	const struct tl_fault fault = {
		.rule = "etm.packet",
		.text = tl_etm_broken_text(reader->lost.why),
		.status = TL_BAD_RECORD,
		.offset = reader->lost.from,
		.length = reader->lost.bytes,
		.record = TL_NOWHERE,
	};

	return tl_error_format(err, "etm", tl_fault_note(&file->faults, &fault, err));
}

int tl_etm_file_next(struct tl_etm_file *file, struct tl_etm_reader *reader,
		     struct tl_etm_packet *packet, struct tl_error *err)
{
	enum tl_etm_read read;

	while ((read = tl_etm_reader_next(reader, packet)) == TL_ETM_LOST) {
		const int status = note(file, reader, err);

		if (status < 0)
			return status;
	}
	return read == TL_ETM_PACKET;
}
