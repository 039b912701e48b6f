/* SPDX-License-Identifier: Apache-2.0 */
#include "open/coverage.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "symbols/binary.h"

enum { FRAMES_MOST = 64 };

/* The objects and functions that the filters let through, and the binary that is read now. */
struct naming {
	struct tl_coverage *coverage;
	const struct tl_input_options *options;
	const struct tl_coverage_exporter *exporter;
	const struct tl_coverage_remarks *remarks;
	struct tl_binary *binary;
	regex_t object_regex, function_regex;
	bool by_object, by_function;
	bool *objects;   /* by number: let through */
	uint32_t object; /* of `binary` */
	bool no_memory;
};

/* ---- filters ---- */

static int compile(regex_t *regex, const char *pattern, bool *compiled, struct tl_error *err)
{
	if (!pattern)
		return 0;
	if (regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a filter is no regular expression");
	*compiled = true;
	return 0;
}

static bool matches(const regex_t *regex, const char *text)
{
	return regexec(regex, text, 0, NULL, 0) == 0;
}

static bool is_wanted_function(struct naming *n, const char *name)
{
	char *plain = n->options->raw_names ? NULL : tl_demangle(name);
	bool wanted = matches(&n->function_regex, plain ? plain : name);

	free(plain);
	return wanted;
}

/* ---- names ---- */

static uint32_t function_at(struct naming *n, uint64_t address)
{
	struct tl_symbol symbol;

	/* No compiler has a name or lines for what the linker writes. */
	if (!tl_binary_symbol_at(n->binary, address, &symbol) || !*symbol.name ||
	    tl_binary_is_linkage(n->binary, address))
		return TL_NONE;
	uint32_t number = tl_coverage_function(
		n->coverage, &(struct tl_coverage_function){ .name = symbol.name,
							     .file = symbol.file,
							     .start = symbol.start,
							     .size = symbol.size,
							     .object = n->object,
							     .line = symbol.line });
	n->no_memory |= number == TL_NONE;
	return number;
}

/* The place of an address; outside of functions known to DWARF, its line alone. */
static uint32_t place_at(struct naming *n, uint64_t address)
{
	struct tl_code_frame frames[FRAMES_MOST];
	size_t count = tl_binary_frames_at(n->binary, address, frames, FRAMES_MOST);
	struct tl_symbol symbol;
	uint32_t place = TL_NONE;

	if (!count && tl_binary_symbol_at(n->binary, address, &symbol) && symbol.line)
		frames[count++] = (struct tl_code_frame){ .function = "",
							  .file = symbol.file,
							  .line = symbol.line };
	while (count) {
		const struct tl_code_frame *frame = &frames[--count];

		place = tl_coverage_place(
			n->coverage,
			&(struct tl_coverage_place){ .function = frame->function,
						     .file = frame->file,
						     .line = frame->line,
						     .discriminator = frame->discriminator,
						     .declared = frame->declared,
						     .caller = place });
		if (place == TL_NONE) {
			n->no_memory = true;
			return TL_NONE;
		}
	}
	return place;
}

static bool add_row(void *arg, uint64_t address)
{
	struct naming *n = arg;
	const struct tl_coverage_insn row = {
		.address = address, .object = n->object, .place = TL_NONE, .function = TL_NONE
	};

	n->no_memory |= !tl_coverage_add_insn(n->coverage, &row);
	return !n->no_memory;
}

static void remark(struct naming *n, const char *path, const char *text)
{
	char *made;

	if (asprintf(&made, text, path) < 0)
		made = NULL;
	n->no_memory |= !n->remarks->add(n->remarks->arg, made);
}

static void name_insns(struct naming *n)
{
	struct tl_coverage *c = n->coverage;

	for (size_t i = 0; i < c->insn_count && !n->no_memory; i++) {
		struct tl_coverage_insn *insn = &c->insns[i];

		if (insn->object != n->object)
			continue;
		insn->function = function_at(n, insn->address);
		insn->place = place_at(n, insn->address);
	}
}

static void name_object(struct naming *n)
{
	const struct tl_coverage_object object = n->coverage->objects[n->object];
	struct tl_error err;
	int status = object.file ? tl_binary_open(&n->binary, object.file, 0, false, &err) : TL_IO;

	if (status == TL_NO_MEMORY) {
		n->no_memory = true;
		return;
	}
	if (status < 0) {
		remark(n, *object.path ? object.path : "unknown addresses",
		       "no names and lines for the code of %s: there is no file of it");
		return;
	}
	if (n->exporter->lines && !tl_binary_has_lines(n->binary))
		remark(n, object.path,
		       "no lines for the code of %s: it has no debug information; "
		       "--object chooses the objects that are wanted");
	if (n->exporter->unexecuted)
		n->no_memory |= !tl_binary_each_row(n->binary, add_row, n);
	name_insns(n);
	n->no_memory |= tl_binary_short_of_memory(n->binary);
	tl_binary_close(n->binary);
}

/* ---- what is written ---- */

/* Keep instructions and edges of what was asked for; of an edge, one end is enough. */
static void drop_others(struct naming *n)
{
	struct tl_coverage *c = n->coverage;
	size_t kept = 0;

	for (size_t i = 0; i < c->insn_count; i++) {
		uint32_t function = c->insns[i].function;
		bool wanted = n->objects[c->insns[i].object];

		if (wanted && n->by_function)
			wanted = function != TL_NONE &&
				 is_wanted_function(n, c->functions[function].name);
		if (wanted)
			c->insns[kept++] = c->insns[i];
	}
	c->insn_count = kept;
}

static bool is_kept(const struct tl_coverage *c, uint32_t object, uint64_t address)
{
	return tl_coverage_find(c, object, address) != TL_NONE;
}

static void drop_edges(struct naming *n)
{
	struct tl_coverage *c = n->coverage;
	size_t kept = 0;

	for (size_t i = 0; i < c->edge_count; i++)
		if (is_kept(c, c->edges[i].from_object, c->edges[i].from) ||
		    is_kept(c, c->edges[i].to_object, c->edges[i].to))
			c->edges[kept++] = c->edges[i];
	c->edge_count = kept;
}

/* The object of which most instructions were executed, of those that are wanted; TL_NONE: none. */
static int main_object(const struct naming *n, uint32_t *most, struct tl_error *err)
{
	const struct tl_coverage *c = n->coverage;
	uint64_t *sums = tl_zeroed(c->object_count, sizeof(*sums));

	*most = TL_NONE;
	if (!sums)
		return tl_error_memory(err);
	for (size_t i = 0; i < c->insn_count; i++)
		if (__builtin_add_overflow(sums[c->insns[i].object], c->insns[i].count,
					   &sums[c->insns[i].object]))
			sums[c->insns[i].object] = UINT64_MAX;
	for (size_t i = 0; i < c->object_count; i++)
		if (n->objects[i] && (*most == TL_NONE || sums[i] > sums[*most]))
			*most = (uint32_t)i;
	free(sums);
	return 0;
}

static int check_filters(struct naming *n, struct tl_error *err)
{
	struct tl_coverage *c = n->coverage;
	size_t wanted = 0;

	n->objects = tl_zeroed(c->object_count, sizeof(*n->objects));
	if (!n->objects)
		return tl_error_memory(err);
	for (size_t i = 0; i < c->object_count; i++) {
		n->objects[i] = !n->by_object || matches(&n->object_regex, c->objects[i].path);
		wanted += n->objects[i];
	}
	if (c->object_count && !wanted)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "--object matches no object whose code was executed");
	return 0;
}

static int write_named(struct naming *n, struct tl_output *out, struct tl_error *err)
{
	uint32_t object;
	int status = check_filters(n, err);

	if (status < 0)
		return status;
	for (n->object = 0; n->object < n->coverage->object_count; n->object++)
		if (n->objects[n->object])
			name_object(n);
	drop_others(n);
	if (n->no_memory || !tl_coverage_finish(n->coverage))
		return tl_error_memory(err);
	drop_edges(n);
	status = main_object(n, &object, err);
	if (status < 0)
		return status;
	if (n->exporter->one_object && object == TL_NONE)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "no instruction was executed, so there is no object to write");
	return n->exporter->write(n->coverage, object, out, err);
}

int tl_coverage_write(struct tl_coverage *coverage, const struct tl_input_options *options,
		      const struct tl_coverage_exporter *exporter,
		      const struct tl_coverage_remarks *remarks, struct tl_output *out,
		      struct tl_error *err)
{
	struct naming n = {
		.coverage = coverage, .options = options, .exporter = exporter, .remarks = remarks
	};
	int status = compile(&n.object_regex, options->filter.object, &n.by_object, err);

	if (status == 0)
		status = compile(&n.function_regex, options->filter.function, &n.by_function, err);
	if (status == 0)
		status = write_named(&n, out, err);
	if (n.by_object)
		regfree(&n.object_regex);
	if (n.by_function)
		regfree(&n.function_regex);
	free(n.objects);
	return status;
}
