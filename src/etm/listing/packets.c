/* SPDX-License-Identifier: Apache-2.0 */
/* Packets, a line each: `0x00000010 address-long address 0xffff000008081000 is 0`. */
#include <inttypes.h>

#include "etm/listing/listing.h"

struct lister {
	struct tl_output *out;
	bool json;
};

/* ---- fields ---- */

static void put_number(const struct lister *l, const char *name, uint64_t value)
{
	tl_put_format(l->out, l->json ? ",\"%s\":%" PRIu64 : " %s %" PRIu64, name, value);
}

static void put_hex(const struct lister *l, const char *name, uint64_t value)
{
	tl_put_format(l->out, l->json ? ",\"%s\":\"0x%" PRIx64 "\"" : " %s 0x%" PRIx64, name,
		      value);
}

static void put_word(const struct lister *l, const char *name, const char *word)
{
	tl_put_format(l->out, l->json ? ",\"%s\":\"%s\"" : " %s %s", name, word);
}

/* A property that a packet has or not: its name alone in text. */
static void put_flag(const struct lister *l, const char *name, bool value)
{
	if (l->json)
		tl_put_format(l->out, ",\"%s\":%s", name, value ? "true" : "false");
	else if (value)
		tl_put_format(l->out, " %s", name);
}

/* ---- groups of fields ---- */

/* The oldest first: "EENE". */
static void put_atoms(const struct lister *l, const struct tl_etm_packet *p)
{
	char text[33];

	for (unsigned i = 0; i < p->atom_count; i++)
		text[i] = p->atoms >> i & 1 ? 'E' : 'N';
	text[p->atom_count] = 0;
	put_word(l, "atoms", text);
}

static void put_address(const struct lister *l, const struct tl_etm_packet *p)
{
	put_hex(l, "address", p->address.value);
	put_number(l, "is", p->address.is);
}

static void put_context(const struct lister *l, const struct tl_etm_packet *p)
{
	const struct tl_etm_context *c = &p->context;

	put_flag(l, "updated", c->updated);
	if (!c->updated)
		return;
	put_number(l, "el", c->el);
	put_number(l, "bits", c->is_64bit ? 64 : 32);
	put_flag(l, "nonsecure", c->is_nonsecure);
	if (c->has_vmid)
		put_hex(l, "vmid", c->vmid);
	if (c->has_id)
		put_hex(l, "context_id", c->id);
}

static void put_info(const struct lister *l, const struct tl_etm_packet *p)
{
	put_hex(l, "info", p->info);
	put_number(l, "p0_key", p->key);
	put_number(l, "depth", p->depth);
	put_number(l, "threshold", p->threshold);
}

static void put_exception(const struct lister *l, const struct tl_etm_packet *p)
{
	put_number(l, "type", p->exception.type);
	put_number(l, "interpretation", p->exception.interpretation);
	put_flag(l, "fault_pending", p->number);
}

static void put_q(const struct lister *l, const struct tl_etm_packet *p)
{
	put_number(l, "type", p->number);
	if (p->has_count)
		put_number(l, "count", p->payload);
}

/* What a packet says beside its address, its atoms, its counts and its context. */
static void put_special(const struct lister *l, const struct tl_etm_packet *p)
{
	switch (p->kind) {
	case TL_ETM_TRACE_INFO:
		put_info(l, p);
		break;
	case TL_ETM_TIMESTAMP:
		put_hex(l, "timestamp", p->timestamp);
		break;
	case TL_ETM_EXCEPTION:
		put_exception(l, p);
		break;
	case TL_ETM_Q:
		put_q(l, p);
		break;
	case TL_ETM_INSTRUMENTATION:
		put_number(l, "el", p->number);
		put_hex(l, "value", p->payload);
		break;
	case TL_ETM_CONDITIONAL_1:
	case TL_ETM_RESULT_1:
		put_number(l, "key", p->key);
		break;
	case TL_ETM_ADDRESS_MATCH:
	case TL_ETM_SOURCE_MATCH:
	case TL_ETM_EVENT:
	case TL_ETM_DATA_MARKER:
	case TL_ETM_DATA_MARKER_UNNUMBERED:
	case TL_ETM_CONDITIONAL_2:
	case TL_ETM_CONDITIONAL_3:
	case TL_ETM_RESULT_2:
	case TL_ETM_RESULT_3:
	case TL_ETM_RESULT_4:
		put_number(l, "number", p->number);
		break;
	}
}

static void put_packet(const struct lister *l, const struct tl_etm_reader *r,
		       const struct tl_etm_packet *p)
{
	tl_put_format(l->out,
		      l->json ? "{\"offset\":%" PRIu64 ",\"packet\":\"%s\"" : "0x%08" PRIx64 " %s",
		      r->offset, tl_etm_kind_name((enum tl_etm_kind)p->kind));
	if (r->trace->is_framed)
		put_hex(l, "source", r->id);
	if (p->atom_count)
		put_atoms(l, p);
	put_special(l, p);
	if (p->has_address)
		put_address(l, p);
	if (p->kind == TL_ETM_CONTEXT || p->kind == TL_ETM_ADDRESS_CONTEXT)
		put_context(l, p);
	if (p->mispredicts)
		put_flag(l, "mispredicted", true);
	if (p->cancels)
		put_number(l, "cancels", p->cancels);
	if (p->commits)
		put_number(l, "commits", p->commits);
	if (p->has_cycles)
		put_number(l, "cycles", p->cycles);
	tl_put_text(l->out, l->json ? "}\n" : "\n");
}

/* ---- all of them ---- */

int tl_etm_dump(struct tl_etm_file *file, bool json, struct tl_output *out, struct tl_error *err)
{
	const struct lister l = { out, json };
	struct tl_etm_packet packet;
	struct tl_etm_reader reader;
	int status = 0;

	for (size_t i = 0; status == 0 && i < file->source_count; i++) {
		tl_etm_file_begin(file, &reader, i);
		while (!tl_output_failed(out) &&
		       (status = tl_etm_file_next(file, &reader, &packet, err)) == 1)
			put_packet(&l, &reader, &packet);
		if (tl_output_failed(out))
			break;
	}
	return status < 0 ? status : 0;
}

int tl_etm_check(struct tl_etm_file *file, struct tl_error *err)
{
	struct tl_etm_packet packet;
	struct tl_etm_reader reader;
	int status = 0;

	for (size_t i = 0; status == 0 && i < file->source_count; i++) {
		tl_etm_file_begin(file, &reader, i);
		while ((status = tl_etm_file_next(file, &reader, &packet, err)) == 1)
			;
	}
	return status;
}
