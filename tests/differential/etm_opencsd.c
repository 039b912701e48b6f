/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of drawn traces as libopencsd reads them. Traces of right packets have to be the same
 * packets in both; of any bytes, all packets before the first bytes that are none.
 *
 *   etm_opencsd [TRACES [SEED]]
 */
#include <opencsd/c_api/opencsd_c_api.h>

#include <stdio.h>
#include <stdlib.h>

#include "etm/packets/reader.h"
#include "unit/etm/etm_drawn.h"

enum { PACKETS = 400, TRACE_ID = 0x10, ANY_BYTES = 300 };

/* What libopencsd said, in the order of the bytes. */
struct said {
	ocsd_etmv4_i_pkt packets[1 << 16];
	uint64_t offsets[1 << 16];
	size_t count;
};

static ocsd_datapath_resp_t take(const void *context, const ocsd_datapath_op_t op,
				 const ocsd_trc_index_t at, const void *packet)
{
	/* The library hands the pointer back as it was given, and it was not const. */
	struct said *said = (struct said *)(uintptr_t)context;

	if (op == OCSD_OP_DATA && said->count < sizeof(said->offsets) / sizeof(*said->offsets)) {
		said->packets[said->count] = *(const ocsd_etmv4_i_pkt *)packet;
		said->offsets[said->count++] = at;
	}
	return OCSD_RESP_CONT;
}

/* Its ETE has no packets for C; what it takes for ETMv4 of version 5 are the same. */
static ocsd_err_t create(dcd_tree_handle_t tree, const struct tl_etm_config *c)
{
	ocsd_etmv4_cfg v4 = {
		.reg_idr0 = c->idr0,
		.reg_idr1 = c->idr1,
		.reg_idr2 = c->idr2,
		.reg_idr8 = c->idr8,
		.reg_configr = c->configr,
		.reg_traceidr = TRACE_ID,
		.arch_ver = ARCH_V8,
		.core_prof = profile_CortexA,
	};
	unsigned char id;

	return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_PACKET_PROC,
				      &v4, &id);
}

/* All packets that libopencsd finds in a trace of one source, or in frames. */
static bool ask(struct said *said, const struct etm_bytes *b, const struct tl_etm_config *c,
		bool is_framed)
{
	dcd_tree_handle_t tree =
		ocsd_create_dcd_tree(is_framed ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
				     is_framed ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
	uint32_t done = 0, all = 0;
	bool good;

	said->count = 0;
	good = tree && create(tree, c) == OCSD_OK &&
	       ocsd_dt_attach_packet_callback(tree, TRACE_ID, OCSD_C_API_CB_PKT_SINK, take, said) ==
		       OCSD_OK;
	while (good && all < b->size) {
		const ocsd_datapath_resp_t answer = ocsd_dt_process_data(
			tree, OCSD_OP_DATA, all, (uint32_t)b->size - all, b->data + all, &done);

		good = !OCSD_DATA_RESP_IS_FATAL(answer);
		all += done;
		if (!done)
			break;
	}
	if (good)
		ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &done);
	if (tree)
		ocsd_destroy_dcd_tree(tree);
	return good;
}

/* ---- one packet of ours beside one of theirs ---- */

static unsigned theirs_of_address(const struct tl_etm_packet *p, unsigned short_0, unsigned long_0,
				  unsigned long_64_0)
{
	if (p->address.bits == 64)
		return long_64_0 + p->address.is;
	return (p->address.bits == 32 ? long_0 : short_0) + p->address.is;
}

/* The type that libopencsd has for a packet. */
static unsigned type_of(const struct tl_etm_packet *p, bool is_ete)
{
	static const unsigned types[TL_ETM_KINDS] = {
		[TL_ETM_ASYNC] = ETM4_PKT_I_ASYNC,
		[TL_ETM_DISCARD] = ETM4_PKT_I_DISCARD,
		[TL_ETM_OVERFLOW] = ETM4_PKT_I_OVERFLOW,
		[TL_ETM_TRACE_INFO] = ETM4_PKT_I_TRACE_INFO,
		[TL_ETM_TIMESTAMP] = ETM4_PKT_I_TIMESTAMP,
		[TL_ETM_TRACE_ON] = ETM4_PKT_I_TRACE_ON,
		[TL_ETM_FUNCTION_RETURN] = ETM4_PKT_I_FUNC_RET,
		[TL_ETM_EXCEPTION] = ETM4_PKT_I_EXCEPT,
		[TL_ETM_EXCEPTION_RETURN] = ETM4_PKT_I_EXCEPT_RTN,
		[TL_ETM_TRANSACTION_START] = ETE_PKT_I_TRANS_ST,
		[TL_ETM_TRANSACTION_COMMIT] = ETE_PKT_I_TRANS_COMMIT,
		[TL_ETM_CYCLES_1] = ETM4_PKT_I_CCNT_F1,
		[TL_ETM_CYCLES_2] = ETM4_PKT_I_CCNT_F2,
		[TL_ETM_CYCLES_3] = ETM4_PKT_I_CCNT_F3,
		[TL_ETM_DATA_MARKER] = ETM4_PKT_I_NUM_DS_MKR,
		[TL_ETM_DATA_MARKER_UNNUMBERED] = ETM4_PKT_I_UNNUM_DS_MKR,
		[TL_ETM_COMMIT] = ETM4_PKT_I_COMMIT,
		[TL_ETM_CANCEL_1] = ETM4_PKT_I_CANCEL_F1,
		[TL_ETM_CANCEL_2] = ETM4_PKT_I_CANCEL_F2,
		[TL_ETM_CANCEL_3] = ETM4_PKT_I_CANCEL_F3,
		[TL_ETM_MISPREDICT] = ETM4_PKT_I_MISPREDICT,
		[TL_ETM_CONDITIONAL_1] = ETM4_PKT_I_COND_I_F1,
		[TL_ETM_CONDITIONAL_2] = ETM4_PKT_I_COND_I_F2,
		[TL_ETM_CONDITIONAL_3] = ETM4_PKT_I_COND_I_F3,
		[TL_ETM_CONDITIONAL_FLUSH] = ETM4_PKT_I_COND_FLUSH,
		[TL_ETM_RESULT_1] = ETM4_PKT_I_COND_RES_F1,
		[TL_ETM_RESULT_2] = ETM4_PKT_I_COND_RES_F2,
		[TL_ETM_RESULT_3] = ETM4_PKT_I_COND_RES_F3,
		[TL_ETM_RESULT_4] = ETM4_PKT_I_COND_RES_F4,
		[TL_ETM_IGNORE] = ETM4_PKT_I_IGNORE,
		[TL_ETM_EVENT] = ETM4_PKT_I_EVENT,
		[TL_ETM_CONTEXT] = ETM4_PKT_I_CTXT,
		[TL_ETM_TIMESTAMP_MARKER] = ETE_PKT_I_TS_MARKER,
		[TL_ETM_ADDRESS_MATCH] = ETM4_PKT_I_ADDR_MATCH,
		[TL_ETM_Q] = ETM4_PKT_I_Q,
		[TL_ETM_SOURCE_MATCH] = ETE_PKT_I_SRC_ADDR_MATCH,
		[TL_ETM_ATOM_1] = ETM4_PKT_I_ATOM_F1,
		[TL_ETM_ATOM_2] = ETM4_PKT_I_ATOM_F2,
		[TL_ETM_ATOM_3] = ETM4_PKT_I_ATOM_F3,
		[TL_ETM_ATOM_4] = ETM4_PKT_I_ATOM_F4,
		[TL_ETM_ATOM_5] = ETM4_PKT_I_ATOM_F5,
		[TL_ETM_ATOM_6] = ETM4_PKT_I_ATOM_F6,
	};

	if (p->kind == TL_ETM_ADDRESS_SHORT || p->kind == TL_ETM_ADDRESS_LONG)
		return theirs_of_address(p, ETM4_PKT_I_ADDR_S_IS0, ETM4_PKT_I_ADDR_L_32IS0,
					 ETM4_PKT_I_ADDR_L_64IS0);
	if (p->kind == TL_ETM_SOURCE_SHORT || p->kind == TL_ETM_SOURCE_LONG)
		return theirs_of_address(p, ETE_PKT_I_SRC_ADDR_S_IS0, ETE_PKT_I_SRC_ADDR_L_32IS0,
					 ETE_PKT_I_SRC_ADDR_L_64IS0);
	if (p->kind == TL_ETM_ADDRESS_CONTEXT)
		return theirs_of_address(p, 0, ETM4_PKT_I_ADDR_CTXT_L_32IS0,
					 ETM4_PKT_I_ADDR_CTXT_L_64IS0);
	if (p->kind == TL_ETM_CANCEL_1 && p->mispredicts)
		return ETM4_PKT_I_CANCEL_F1_MISPRED;
	if (is_ete && p->kind == TL_ETM_EXCEPTION && p->exception.type == 0)
		return ETE_PKT_I_PE_RESET;
	if (is_ete && p->kind == TL_ETM_EXCEPTION && p->exception.type == 0x18)
		return ETE_PKT_I_TRANS_FAIL;
	return types[p->kind];
}

static bool same_context(const struct tl_etm_context *our, const etmv4_context_t *their)
{
	if (our->updated != their->updated)
		return false;
	if (!our->updated)
		return true;
	return our->el == their->EL && our->is_64bit == their->SF &&
	       our->is_nonsecure == their->NS && our->has_vmid == their->updated_v &&
	       our->has_id == their->updated_c && (!our->has_vmid || our->vmid == their->VMID) &&
	       (!our->has_id || our->id == their->ctxtID);
}

static bool same_numbers(const struct tl_etm_packet *our, const ocsd_etmv4_i_pkt *their)
{
	switch (our->kind) {
	case TL_ETM_TIMESTAMP:
		return our->timestamp == their->ts.timestamp;
	case TL_ETM_TRACE_INFO:
		/* Of its bits the library keeps those that it knows. */
		return (our->info & 0x3f) == (their->trace_info.val & 0x3f) &&
		       our->key == their->p0_key && our->depth == their->curr_spec_depth &&
		       our->threshold == their->cc_threshold;
	case TL_ETM_EXCEPTION:
		return our->exception.type == their->exception_info.exceptionType &&
		       our->exception.interpretation == their->exception_info.addr_interp &&
		       our->number == their->exception_info.m_fault_pending;
	case TL_ETM_EVENT:
		return our->number == their->event_val;
	case TL_ETM_DATA_MARKER:
	case TL_ETM_DATA_MARKER_UNNUMBERED:
		return our->number == their->dsm_val;
	case TL_ETM_CONDITIONAL_3:
		return our->number == their->cond_instr.num_c_elem;
	case TL_ETM_RESULT_3:
		return our->number == their->cond_result.f3_tokens;
	case TL_ETM_RESULT_1:
		return our->key == their->cond_result.cond_r_key_0;
	case TL_ETM_Q:
		return our->number == their->Q_pkt.q_type &&
		       our->has_count == their->Q_pkt.count_present &&
		       (!our->has_count || our->payload == their->Q_pkt.q_count);
	case TL_ETM_COMMIT:
		return our->commits == their->commit_elements;
	case TL_ETM_CANCEL_1:
	case TL_ETM_CANCEL_2:
	case TL_ETM_CANCEL_3:
		return our->cancels == their->cancel_elements;
	default:
		return true;
	}
}

static bool same(const struct tl_etm_packet *our, const ocsd_etmv4_i_pkt *their, bool is_ete)
{
	if (type_of(our, is_ete) != (unsigned)their->type || !same_numbers(our, their))
		return false;
	if (our->atom_count &&
	    (our->atom_count != their->atom.num || our->atoms != their->atom.En_bits))
		return false;
	if (our->has_address &&
	    (our->address.value != their->v_addr.val || our->address.is != their->v_addr_ISA))
		return false;
	if (our->has_cycles && our->cycles != their->cycle_count)
		return false;
	return (our->kind != TL_ETM_CONTEXT && our->kind != TL_ETM_ADDRESS_CONTEXT) ||
	       same_context(&our->context, &their->context);
}

/* ---- a trace ---- */

static int differs(const struct etm_bytes *b, const char *what, uint64_t offset, const char *our,
		   unsigned their, uint32_t seed)
{
	printf("%s of seed %u: at 0x%llx: %s, but libopencsd has type 0x%x, at the bytes", what,
	       seed, (unsigned long long)offset, our, their);
	for (size_t i = offset; i < b->size && i < offset + 24; i++)
		printf(" %02x", b->data[i]);
	printf("\n");
	return 1;
}

static bool is_none(unsigned type)
{
	return (type >= ETM4_PKT_I_NOTSYNC && type < ETE_PKT_I_PE_RESET) &&
	       type != ETM4_PKT_I_INCOMPLETE_EOT;
}

/*
 * Where it reads on in another way: only Cortex-M has Function Return, to it; Instrumentation is
 * younger than its version 1.3; a Trace Info without a threshold leaves the one before; without a
 * context of 64 bits addresses lose their upper half; an exception of ETE without an address takes
 * in a byte more.
 */
static bool is_known(const struct tl_etm_packet *p, size_t number, bool is_ete)
{
	switch (p->kind) {
	case TL_ETM_FUNCTION_RETURN:
	case TL_ETM_INSTRUMENTATION:
		return true;
	case TL_ETM_TRACE_INFO:
		return number > 1;
	case TL_ETM_CONTEXT:
	case TL_ETM_ADDRESS_CONTEXT:
		return p->context.updated && !p->context.is_64bit;
	case TL_ETM_EXCEPTION:
		return is_ete && (p->exception.type == 0 || p->exception.type == 0x18);
	default:
		return false;
	}
}

/*
 * 0: as libopencsd. `whole`: all of it are packets. Otherwise both have to find the first bytes
 * that are none at the same place, behind which they go on in ways of their own.
 */
static int compare(struct said *said, const struct etm_bytes *b, const struct drawn_unit *u,
		   bool is_framed, bool whole, const char *what, uint32_t seed)
{
	const struct tl_etm_trace trace = { b->data, b->data + b->size, is_framed };
	struct tl_etm_packet p;
	struct tl_etm_reader *r = malloc(sizeof(*r));
	size_t i = 0;
	enum tl_etm_read read = TL_ETM_END;
	int status = 0;

	if (!r || !ask(said, b, &u->config, is_framed)) {
		printf("%s of seed %u: libopencsd does not take it\n", what, seed);
		free(r);
		return 1;
	}
	tl_etm_reader_begin(r, &trace, TRACE_ID, &u->config);
	for (; i < said->count && said->packets[i].type == ETM4_PKT_I_NOTSYNC; i++)
		;
	for (; !status && (read = tl_etm_reader_next(r, &p)) == TL_ETM_PACKET; i++) {
		if (!whole && is_known(&p, i, u->config.is_ete))
			break;
		if (i == said->count)
			status = differs(b, what, r->offset, tl_etm_kind_name(p.kind), 0, seed);
		else if (!same(&p, &said->packets[i], u->config.is_ete) ||
			 (!is_framed && r->offset != said->offsets[i]))
			status = differs(b, what, r->offset, tl_etm_kind_name(p.kind),
					 said->packets[i].type, seed);
	}
	/* It reads numbers that are too long to their end. */
	if (!status && read == TL_ETM_LOST && (whole || r->lost.why != TL_ETM_BAD_FIELD) &&
	    (whole || i == said->count || !is_none(said->packets[i].type)))
		status = differs(b, what, r->lost.from, tl_etm_broken_text(r->lost.why),
				 i < said->count ? said->packets[i].type : 0, seed);
	if (!status && read == TL_ETM_END && i < said->count &&
	    said->packets[i].type != ETM4_PKT_I_INCOMPLETE_EOT &&
	    said->packets[i].err_type != ETM4_PKT_I_INCOMPLETE_EOT)
		status = differs(b, what, b->size, "the end", said->packets[i].type, seed);
	free(r);
	return status;
}

/* ---- drawing ---- */

static void begin(struct etm_bytes *b, struct drawn_model *m, const struct drawn_unit *u,
		  uint32_t *seed)
{
	struct tl_etm_packet p;

	b->size = 0;
	*m = (struct drawn_model){ .unit = u };
	etm_async(b);
	draw_trace_info(seed, m, b, &p);
	etm_byte(b, 0x81);
	etm_put_context(b, &(struct etm_context){ .is_64bit = true });
}

static int one(struct said *said, struct etm_bytes *b, struct etm_bytes *framed, uint32_t seed)
{
	uint32_t chances = seed;
	struct drawn_unit u = draw_unit(&chances);
	struct etm_framer f = { .out = framed };
	struct drawn_model m;
	struct tl_etm_packet p;
	int status;

	/* Of timestamps of seven and eight bytes it takes the bits that are left out for zeros. */
	u.most_bytes = 6;
	/* Of contexts of 32 bits it drops the upper half of addresses. */
	u.is_64bit = true;
	/* Behind a context whose ID has no bytes it reads one. */
	u.id_bytes = 4;
	u.config.idr2 |= 4 << 5;
	begin(b, &m, &u, &chances);
	for (int i = 0; i < PACKETS; i++)
		draw_packet(&chances, &m, b, &p);
	status = compare(said, b, &u, false, true, "packets", seed);
	framed->size = 0;
	for (size_t i = 0; i < b->size; i++)
		etm_frame_byte(&f, TRACE_ID, b->data[i], i + 1 < b->size ? TRACE_ID : 0);
	while (f.at)
		etm_frame_byte(&f, 0, 0, 0);
	if (!status)
		status = compare(said, framed, &u, true, true, "packets in frames", seed);
	begin(b, &m, &u, &chances);
	for (int i = 0; i < ANY_BYTES; i++)
		etm_byte(b, chance(&chances, 256));
	return status ? status : compare(said, b, &u, false, false, "any bytes", seed);
}

int main(int argc, char **argv)
{
	const unsigned long traces = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	const uint32_t first = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
	struct etm_bytes *b = malloc(2 * sizeof(*b));
	struct said *said = malloc(sizeof(*said));
	int failed = 0;

	if (!b || !said)
		return 1;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	for (unsigned long i = 0; i < traces && failed < 5; i++)
		failed += one(said, &b[0], &b[1], first + (uint32_t)i);
	printf("%lu traces, %d differ\n", traces, failed);
	free(said);
	free(b);
	return failed != 0;
}
