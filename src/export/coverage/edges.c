/* SPDX-License-Identifier: Apache-2.0 */
/* All edges as CSV: from where to where control went, by what branch, and how often. */
#include "core/output.h"
#include "export/coverage/coverage_exporters.h"

/* The function of an address and the offset in it: of an executed instruction. */
static void put_function(const struct tl_coverage *c, uint32_t object, uint64_t address,
			 struct tl_output *out)
{
	uint32_t insn = tl_coverage_find(c, object, address);
	uint32_t function = insn == TL_NONE ? TL_NONE : c->insns[insn].function;

	if (function != TL_NONE)
		tl_put_csv(out, c->functions[function].name);
	tl_put_char(out, ',');
}

static void put_line(const struct tl_coverage *c, uint32_t object, uint64_t address,
		     struct tl_output *out)
{
	uint32_t insn = tl_coverage_find(c, object, address);
	uint32_t place = insn == TL_NONE ? TL_NONE : c->insns[insn].place;

	if (place != TL_NONE) {
		tl_put_csv(out, c->places[place].file);
		tl_put_format(out, ",%u", (unsigned)c->places[place].line);
	} else {
		tl_put_char(out, ',');
	}
}

static void put_end(const struct tl_coverage *c, uint32_t object, uint64_t address,
		    struct tl_output *out)
{
	tl_put_csv(out, c->objects[object].path);
	tl_put_char(out, ',');
	tl_put_hex(out, address);
	tl_put_char(out, ',');
	put_function(c, object, address, out);
	put_line(c, object, address, out);
}

static int write_edges(const struct tl_coverage *c, uint32_t object, struct tl_output *out,
		       struct tl_error *err)
{
	(void)object;
	(void)err;
	tl_put_text(out, "from_object,from,from_function,from_file,from_line,"
			 "to_object,to,to_function,to_file,to_line,kind,count\n");
	for (size_t i = 0; i < c->edge_count; i++) {
		const struct tl_coverage_edge *edge = &c->edges[i];

		put_end(c, edge->from_object, edge->from, out);
		tl_put_char(out, ',');
		put_end(c, edge->to_object, edge->to, out);
		tl_put_format(out, ",%s,", edge->falls ? "not-taken" : tl_branch_name(edge->kind));
		tl_put_u64(out, edge->count);
		tl_put_char(out, '\n');
	}
	return 0;
}

const struct tl_coverage_exporter tl_edges_exporter = {
	.write = write_edges,
};
