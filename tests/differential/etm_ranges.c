/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of a machine's traces (tests/unit/etm/etm_machine.h) as libopencsd's decoder
 * follows them, as we do, and as the machine executed them: all three have to be the same ranges.
 *
 *   etm_ranges [TRACES [SEED]]
 */
#include <opencsd/c_api/opencsd_c_api.h>

#include <stdio.h>
#include <stdlib.h>

#include "unit/etm/etm_follow.h"

enum { TRACE_ID = 0x10, TRACE_BYTES = 6000 };

static ocsd_datapath_resp_t take(const void *context, const ocsd_trc_index_t at, const uint8_t id,
				 const ocsd_generic_trace_elem *element)
{
	/* The library hands the pointer back as it was given, and it was not const. */
	struct followed *f = (struct followed *)(uintptr_t)context;

	(void)at;
	(void)id;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE && f->count < M_RANGES)
		f->ranges[f->count++] = (struct m_range){ element->st_addr, element->en_addr };
	return OCSD_RESP_CONT;
}

static bool ask(struct followed *f, const struct machine *m, const struct etm_bytes *b)
{
	const struct tl_etm_config c = m_config(&m->unit);
	ocsd_etmv4_cfg config = {
		.reg_idr0 = c.idr0,
		.reg_idr1 = c.idr1,
		.reg_idr2 = c.idr2,
		.reg_idr8 = c.idr8,
		.reg_configr = c.configr,
		.reg_traceidr = TRACE_ID,
		.arch_ver = ARCH_AA64,
		.core_prof = profile_CortexA,
	};
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	uint32_t done = 0, all = 0;
	unsigned char id;
	bool good;

	f->count = 0;
	good = tree &&
	       ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER,
				      &config, &id) == OCSD_OK &&
	       ocsd_dt_add_buffer_mem_acc(tree, M_BASE, OCSD_MEM_SPACE_ANY, m->bytes,
					  sizeof(m->bytes)) == OCSD_OK &&
	       ocsd_dt_set_gen_elem_outfn(tree, take, f) == OCSD_OK;
	while (good && all < b->size) {
		const ocsd_datapath_resp_t answer = ocsd_dt_process_data(
			tree, OCSD_OP_DATA, all, (uint32_t)b->size - all, b->data + all, &done);

		good = !OCSD_DATA_RESP_IS_FATAL(answer) && done;
		all += done;
	}
	if (good)
		ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &done);
	if (tree)
		ocsd_destroy_dcd_tree(tree);
	return good;
}

/* 0: the same ranges. */
static int compare(const char *who, const struct m_range *a, size_t a_count,
		   const struct m_range *b, size_t b_count, uint32_t seed)
{
	for (size_t i = 0; i < a_count || i < b_count; i++) {
		if (i < a_count && i < b_count && a[i].begin == b[i].begin && a[i].end == b[i].end)
			continue;
		printf("seed %u: range %zu of %zu is 0x%llx-0x%llx, %s has 0x%llx-0x%llx of %zu\n",
		       seed, i, a_count, i < a_count ? (unsigned long long)a[i].begin : 0,
		       i < a_count ? (unsigned long long)a[i].end : 0, who,
		       i < b_count ? (unsigned long long)b[i].begin : 0,
		       i < b_count ? (unsigned long long)b[i].end : 0, b_count);
		return 1;
	}
	return 0;
}

static int one(struct followed *our, struct followed *their, struct etm_bytes *b, uint32_t seed,
	       uint64_t *executed)
{
	uint32_t chances = seed;
	const struct m_unit unit = {
		.has_return_stack = chance(&chances, 2),
		.depth = chance(&chances, 2) ? 0 : 1 + chance(&chances, 40),
		.has_ids = chance(&chances, 2),
		.traces_el1 = chance(&chances, 2),
	};
	struct machine *m;
	int status = 0;

	b->size = 0;
	m = m_run(seed, &unit, TRACE_BYTES, b);
	*executed += m->executed;
	if (m_follow(m, b, our) < 0 || !ask(their, m, b)) {
		printf("seed %u: cannot be followed\n", seed);
		status = 1;
	}
	if (!status)
		status = compare("the machine", our->ranges, our->count, m->ranges, m->range_count,
				 seed);
	if (!status)
		status = compare("libopencsd", our->ranges, our->count, their->ranges, their->count,
				 seed);
	free(m);
	return status;
}

int main(int argc, char **argv)
{
	const unsigned long traces = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	const uint32_t first = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
	struct followed *f = malloc(2 * sizeof(*f));
	struct etm_bytes *b = malloc(sizeof(*b));
	uint64_t executed = 0;
	int failed = 0;

	if (!f || !b)
		return 1;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	for (unsigned long i = 0; i < traces && failed < 5; i++)
		failed += one(&f[0], &f[1], b, first + (uint32_t)i, &executed);
	printf("%lu traces, %llu instructions, %d differ\n", traces, (unsigned long long)executed,
	       failed);
	free(b);
	free(f);
	return failed != 0;
}
