/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callgrind profiles (format version 1), canonical: the same profile gives the same bytes. This
 * file writes header and totals; callgrind_order.c sorts, callgrind_body.c writes the blocks.
 */
#include "export/profile/callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "export/profile/exporters.h"

/* ---- survey of the profile ---- */

static void survey_position(struct tl_callgrind_writer *c, const struct tl_position *at)
{
	c->layout.addresses = c->layout.addresses || at->address;
	c->layout.blocks = c->layout.blocks || at->block;
}

/* Find the columns that the profile needs, and whether all lines, arcs and jumps have a part. */
static void survey(struct tl_callgrind_writer *c)
{
	uint32_t lines = tl_profile_line_count(c->profile), arcs = tl_profile_arc_count(c->profile);
	uint32_t jumps = tl_profile_jump_count(c->profile),
		 functions = tl_profile_function_count(c->profile);
	uint32_t parts = tl_profile_part_count(c->profile);

	c->layout.parts = parts > 1;
	for (uint32_t i = 0; i < lines; i++) {
		const struct tl_cost_line *line = tl_profile_line(c->profile, i);

		survey_position(c, &line->at);
		c->layout.parts = c->layout.parts && line->part < parts;
	}
	for (uint32_t i = 0; i < arcs; i++) {
		const struct tl_arc *arc = tl_profile_arc(c->profile, i);

		survey_position(c, &arc->from);
		survey_position(c, &arc->to);
		c->layout.parts = c->layout.parts && arc->part < parts;
	}
	for (uint32_t i = 0; i < jumps; i++) {
		const struct tl_jump *jump = tl_profile_jump(c->profile, i);

		survey_position(c, &jump->from);
		survey_position(c, &jump->to);
		c->layout.parts = c->layout.parts && jump->part < parts;
	}
	if (c->profile->pack) {
		c->layout.addresses = c->profile->pack->addresses;
		c->layout.blocks = c->profile->pack->blocks;
	}
	for (uint32_t i = 0; i < functions; i++)
		c->layout.objects =
			c->layout.objects || *tl_profile_function(c->profile, i)->object;
	if (c->options.positions != TL_POSITIONS_KNOWN) {
		c->layout.addresses = c->options.positions == TL_POSITIONS_INSTR;
		c->layout.blocks = false;
	}
	/*
	 * Calls without a count (rule G) are written as they were given; elsewhere they are calls
	 * that never ended.
	 */
	c->layout.keep_zero = tl_profile_call_count(c->profile) == TL_CALLS_GIVEN ||
			      tl_profile_call_count(c->profile) == TL_CALLS_NONE;
}

static bool choose_events(struct tl_callgrind_writer *c)
{
	uint32_t count = tl_profile_event_count(c->profile);

	c->events = malloc(((size_t)count + 1) * sizeof(*c->events));
	for (uint32_t e = 0; c->events && e < count; e++)
		if (!*tl_profile_event(c->profile, e)->formula)
			c->events[c->event_count++] = e;
	c->sum.costs = calloc((size_t)count + 1, sizeof(*c->sum.costs));
	return c->events && c->sum.costs;
}

/* In the order of the file, so that the numbers do not tell how the profile was built. */
static bool name_functions(struct tl_callgrind_writer *c)
{
	uint32_t count = tl_profile_function_count(c->profile);

	c->function_names = malloc(((size_t)count + 1) * sizeof(*c->function_names));
	for (uint32_t i = 0; c->function_names && i < count; i++) {
		const struct tl_function *function =
			tl_profile_function(c->profile, c->functions[i]);

		c->function_names[c->functions[i]] = (struct tl_callgrind_writer_function){
			.object = tl_callgrind_name_number(&c->names, TL_NAMESPACE_OBJECTS,
							   function->object),
			.file = tl_callgrind_name_number(&c->names, TL_NAMESPACE_FILES,
							 function->file),
			.name = tl_callgrind_name_number(&c->names, TL_NAMESPACE_FUNCTIONS,
							 function->name),
		};
	}
	return c->function_names && !c->names.no_memory;
}

static void add_sums(struct tl_callgrind_writer *c, size_t part, const int64_t *costs)
{
	int64_t *sums = c->totals + part * c->event_count;

	for (uint32_t e = 0; e < c->event_count; e++)
		sums[e] = tl_sum_saturating(sums[e], costs[c->events[e]]);
}

/* Of a part that has fewer events than the last one, those that it does not have are 0. */
static void add_packed_sums(struct tl_callgrind_writer *c, const struct tl_pack *pack, size_t part)
{
	int64_t *sums = c->totals + (c->layout.parts ? part : 0) * c->event_count;

	for (uint32_t e = 0; e < c->event_count; e++)
		if (c->events[e] < pack->sums[part].count)
			sums[e] = tl_sum_saturating(sums[e], pack->sums[part].costs[c->events[e]]);
}

/* Sums of the lines as written, so that readers that check them find them right. */
static bool sum_lines(struct tl_callgrind_writer *c)
{
	uint32_t lines = tl_profile_line_count(c->profile);
	size_t parts = c->layout.parts ? tl_profile_part_count(c->profile) : 1;
	const struct tl_pack *pack = c->profile->pack;

	c->totals = calloc(parts * c->event_count + 1, sizeof(*c->totals));
	for (uint32_t i = 0; c->totals && i < lines; i++)
		add_sums(c, c->layout.parts ? tl_profile_line(c->profile, i)->part : 0,
			 tl_profile_line_cost(c->profile, i));
	for (size_t i = 0; c->totals && pack && i < pack->part_count; i++)
		add_packed_sums(c, pack, i);
	return c->totals != NULL;
}

/* ---- header ---- */

/* As Valgrind writes a command line that has more than one line. */
static void put_command(struct tl_output *out, const char *command)
{
	tl_put_text(out, "cmd: ");
	for (; *command; command++) {
		if (*command == '\n')
			tl_put_text(out, "\\n");
		else if (*command == '\\')
			tl_put_text(out, "\\\\");
		else
			tl_put_char(out, *command);
	}
	tl_put_char(out, '\n');
}

/* A name of an event: one word. */
static void put_word(struct tl_output *out, const char *word)
{
	for (; *word; word++)
		tl_put_char(out, (unsigned char)*word <= ' ' ? '_' : *word);
}

/* The rest of a line. */
static void put_rest(struct tl_output *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		tl_put_char(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
	tl_put_char(out, '\n');
}

/* Lines of "desc: name: text", with or without the key. */
static void put_descriptions(struct tl_output *out, const char *header)
{
	while (*header) {
		size_t size = strcspn(header, "\n");

		if (size && strncmp(header, "desc:", 5) != 0)
			tl_put_text(out, "desc: ");
		if (size)
			put_rest(out, header, size);
		header += size + (header[size] == '\n');
	}
}

static void put_event(const struct tl_callgrind_writer *c, uint32_t number)
{
	const struct tl_event *event = tl_profile_event(c->profile, number);

	if (!*event->long_name && !*event->formula)
		return;
	tl_put_text(c->out, "event: ");
	put_word(c->out, event->name);
	if (*event->formula)
		tl_put_format(c->out, " = %s", event->formula);
	if (*event->long_name)
		tl_put_text(c->out, " : ");
	put_rest(c->out, event->long_name, strlen(event->long_name));
}

static void put_sums(const struct tl_callgrind_writer *c, const char *key, const int64_t *sums)
{
	tl_put_text(c->out, key);
	for (uint32_t i = 0; i < c->event_count; i++) {
		tl_put_char(c->out, ' ');
		tl_put_i64(c->out, sums[i]);
	}
	tl_put_char(c->out, '\n');
}

/* The process that all parts belong to, else TL_NOWHERE. */
static uint64_t common_process(const struct tl_callgrind_writer *c)
{
	uint32_t parts = tl_profile_part_count(c->profile);
	uint64_t process = TL_NOWHERE;

	if (parts)
		process = tl_profile_part(c->profile, 0)->process;
	for (uint32_t i = 1; i < parts; i++)
		if (tl_profile_part(c->profile, i)->process != process)
			return TL_NOWHERE;
	return process;
}

static const char *common_command(const struct tl_callgrind_writer *c)
{
	uint32_t parts = tl_profile_part_count(c->profile);
	const char *command = "";

	/* Valgrind writes it in the first part of a file only. */
	for (uint32_t i = 0; i < parts; i++) {
		const char *own = tl_profile_part(c->profile, i)->command;

		if (*own && *command && strcmp(own, command))
			return "";
		if (*own)
			command = own;
	}
	return command;
}

/*
 * The lines that name the measured program: of a part of the profile, or of all parts together
 * (NULL). The first part always has a command, since some readers require one; a later part has one
 * only if the profile knows it. @return whether there is a line
 */
static bool put_target(const struct tl_callgrind_writer *c, const struct tl_part *part, bool first)
{
	uint64_t process = part ? part->process : common_process(c);
	const char *command = part ? part->command : common_command(c);

	if (!*command && first)
		command = c->options.command;
	if (!command)
		command = "???";
	if (process != TL_NOWHERE)
		tl_put_format(c->out, "pid: %" PRIu64 "\n", process);
	if (*command)
		put_command(c->out, command);
	/* A number made up here would be read back as one that the input had. */
	if (part && part->number)
		tl_put_format(c->out, "part: %" PRIu64 "\n", part->number);
	if (part && part->thread != TL_NOWHERE)
		tl_put_format(c->out, "thread: %" PRIu64 "\n", part->thread);
	return process != TL_NOWHERE || *command ||
	       (part && (part->number || part->thread != TL_NOWHERE));
}

static void put_positions(const struct tl_callgrind_writer *c)
{
	tl_put_text(c->out, "positions:");
	if (c->layout.addresses)
		tl_put_text(c->out, " instr");
	if (c->layout.blocks)
		tl_put_text(c->out, " bb");
	tl_put_text(c->out, " line\n");
}

/* `number`: of the part in the file, from 0. */
static void put_part(struct tl_callgrind_writer *c, uint32_t number)
{
	bool one = c->layout.parts || tl_profile_part_count(c->profile) == 1, begun;
	const struct tl_part *part = one ? tl_profile_part(c->profile, number) : NULL;
	uint32_t events = tl_profile_event_count(c->profile);
	const int64_t *sums = c->totals + (size_t)number * c->event_count;

	c->names.part = number + 1;
	begun = put_target(c, part, number == 0);
	/* A description does not begin a part: as the first line, it would be the last part's. */
	if (!begun)
		put_positions(c);
	if (part)
		put_descriptions(c->out, part->header);
	if (begun)
		put_positions(c);
	for (uint32_t e = 0; e < events; e++)
		put_event(c, e);
	tl_put_text(c->out, "events:");
	for (uint32_t i = 0; i < c->event_count; i++) {
		tl_put_char(c->out, ' ');
		put_word(c->out, tl_profile_event(c->profile, c->events[i])->name);
	}
	tl_put_char(c->out, '\n');
	put_sums(c, "summary:", sums);
	tl_callgrind_writer_put_body(c, number);
	put_sums(c, "\ntotals:", sums);
}

/* ---- the file ---- */

static int prepare(struct tl_callgrind_writer *c, struct tl_error *err)
{
	int status;

	survey(c);
	if (!choose_events(c) || !sum_lines(c))
		return tl_error_memory(err);
	if (!c->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the profile has no event, and the format needs one");
	status = tl_callgrind_writer_order(c, err);
	if (status == 0 && !name_functions(c))
		status = tl_error_memory(err);
	return status;
}

static void put_file(struct tl_callgrind_writer *c)
{
	uint32_t parts = c->layout.parts ? tl_profile_part_count(c->profile) : 1;

	tl_put_text(c->out, "# callgrind format\nversion: 1\ncreator: tracelathe " TL_VERSION "\n");
	for (uint32_t i = 0; i < parts && !c->names.no_memory && !tl_output_failed(c->out); i++) {
		if (i)
			tl_put_char(c->out, '\n');
		put_part(c, i);
	}
}

static int write_callgrind(const struct tl_profile *profile,
			   const struct tl_export_options *options, struct tl_output *out,
			   struct tl_error *err)
{
	struct tl_callgrind_writer c = { .profile = profile, .out = out };
	int status = tl_export_options_packed(&c.options, profile, options, err);

	c.names.in_full = c.options.compression == TL_COMPRESS_NONE;
	if (status == 0)
		status = prepare(&c, err);
	if (status == 0) {
		put_file(&c);
		if (c.names.no_memory)
			status = tl_error_memory(err);
	}
	tl_callgrind_name_tables_free(&c.names);
	tl_groups_free(&c.items);
	free(c.function_names);
	free(c.functions);
	tl_groups_free(&c.blocks.by_part);
	free(c.blocks.list);
	free(c.events);
	free(c.sum.costs);
	free(c.totals);
	free(c.unpacking.items);
	free(c.unpacking.order);
	free(c.unpacking.room);
	free(c.unpacking.costs);
	return status;
}

const struct tl_exporter tl_callgrind_exporter = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.help = "Callgrind profile, for KCachegrind and callgrind_annotate",
	.write = write_callgrind,
	.packed = true,
};
