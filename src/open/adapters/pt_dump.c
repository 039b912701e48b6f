/* SPDX-License-Identifier: Apache-2.0 */
/* Packets, blocks, instructions and events of a feed, as the options wish. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "intel_pt/profile/functions.h"
#include "intel_pt/listing/text.h"
#include "open/adapters/intel_pt.h"

static unsigned text_wishes(unsigned dump, bool json)
{
	static const struct {
		unsigned from, to;
	} wishes[] = {
		{ TL_DUMP_RAW, TL_PT_TEXT_RAW },
		{ TL_DUMP_NO_OFFSET, TL_PT_TEXT_NO_OFFSET },
		{ TL_DUMP_NO_PAD, TL_PT_TEXT_NO_PAD },
		{ TL_DUMP_NO_TIMING, TL_PT_TEXT_NO_TIMING },
		{ TL_DUMP_NO_CYC, TL_PT_TEXT_NO_CYC },
		{ TL_DUMP_NO_SYNC, TL_PT_TEXT_NO_SYNC },
		{ TL_DUMP_LAST_IP, TL_PT_TEXT_LAST_IP },
		{ TL_DUMP_EXEC_MODE, TL_PT_TEXT_EXEC_MODE },
		{ TL_DUMP_TIME, TL_PT_TEXT_TIME },
		{ TL_DUMP_TIME_DELTA, TL_PT_TEXT_TIME | TL_PT_TEXT_TIME_DELTA },
		{ TL_DUMP_BLOCKS, TL_PT_TEXT_BLOCKS },
		{ TL_DUMP_INSTRUCTIONS, TL_PT_TEXT_INSNS },
		{ TL_DUMP_EVENTS, TL_PT_TEXT_EVENTS },
	};
	unsigned made = TL_PT_TEXT_EVENT_IP | TL_PT_TEXT_BY_BLOCK | TL_PT_TEXT_RESYNC |
			(json ? TL_PT_TEXT_JSON : 0);

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (dump & wishes[i].from)
			made |= wishes[i].to;
	return dump & TL_DUMP_NO_TEXT ? made : made | TL_PT_TEXT_DISASSEMBLE;
}

struct damage {
	struct tl_pt_input *pt;
	uint64_t base;
	bool no_memory;
};

static void note(void *arg, const struct tl_pt_lost *lost)
{
	struct damage *damage = arg;
	struct tl_pt_lost made = *lost;
	struct tl_pt_mapping place;
	bool known = lost->why == TL_PT_NOMAP &&
		     damage->pt->feed.place(damage->pt->feed.arg, lost->ip, &place);

	made.from += damage->base;
	made.to += damage->base;
	if (!tl_pt_fault_add(&damage->pt->faults, &made, known ? &place : NULL))
		damage->no_memory = true;
}

static bool wanted(const struct tl_input_options *o, const struct tl_pt_trace_slice *piece)
{
	return (o->filter.thread == TL_NOWHERE || o->filter.thread == piece->thread) &&
	       (o->filter.process == TL_NOWHERE || o->filter.process == piece->process) &&
	       (o->filter.cpu == TL_NOWHERE || o->filter.cpu == piece->cpu);
}

/* Whose the piece is, where there are several. */
static void put_owner(const struct tl_pt_trace_slice *piece, bool json, struct tl_output *out)
{
	if (json || piece->thread == TL_NOWHERE)
		return;
	tl_put_format(out, "[process %" PRId64 ", thread %" PRId64, (int64_t)piece->process,
		      (int64_t)piece->thread);
	if (piece->cpu != TL_NOWHERE)
		tl_put_format(out, ", cpu %" PRIu64, piece->cpu);
	tl_put_text(out, *piece->command ? ": " : "");
	tl_put_shown(out, piece->command, strlen(piece->command));
	tl_put_text(out, "]\n");
}

/* ---- functions that are wanted ---- */

struct choice {
	struct tl_pt_functions functions;
	regex_t function, object;
	bool by_function, by_object;
	uint8_t *known; /* by function: 0 not looked at, 1 not wanted, 2 wanted */
	size_t capacity;
	bool no_memory;
};

static bool is_wanted(void *arg, uint64_t ip)
{
	struct choice *c = arg;
	uint32_t function = tl_pt_functions_name(&c->functions, ip).function;
	const struct tl_pt_function *f;
	size_t had = c->capacity;

	if (function == TL_NONE)
		return false;
	if (!tl_grow(&c->known, &c->capacity, function + (size_t)1, 1)) {
		c->no_memory = true;
		return false;
	}
	for (; had < c->capacity; had++)
		c->known[had] = 0;
	f = &c->functions.list[function];
	if (!c->known[function])
		c->known[function] =
			(!c->by_function || !regexec(&c->function, f->name, 0, NULL, 0)) &&
					(!c->by_object ||
					 !regexec(&c->object, f->object, 0, NULL, 0))
				? 2
				: 1;
	return c->known[function] == 2;
}

static int compile(regex_t *regex, const char *pattern, bool *is, struct tl_error *err)
{
	if (!pattern)
		return 0;
	if (regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	*is = true;
	return 0;
}

static int choose(struct choice *c, struct tl_input *input, struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	int status;

	*c = (struct choice){ .known = NULL };
	tl_pt_functions_begin(&c->functions, &pt->feed);
	status = compile(&c->function, input->options.filter.function, &c->by_function, err);
	return status == 0 ? compile(&c->object, input->options.filter.object, &c->by_object, err)
			   : status;
}

static void choose_end(struct choice *c)
{
	if (c->by_function)
		regfree(&c->function);
	if (c->by_object)
		regfree(&c->object);
	tl_pt_functions_end(&c->functions);
	free(c->known);
}

/* ---- pieces ---- */

/* Packets are those of whole stretches: who takes over inside is of no matter to them. */
static int dump_packets(const struct tl_pt_trace_slice *piece, const struct tl_pt_show *show,
			struct damage *damage, struct tl_output *out, struct tl_error *err)
{
	if (piece->continues)
		return 0;
	put_owner(piece, show->wishes & TL_PT_TEXT_JSON, out);
	return tl_pt_dump_packets(&piece->config, show, out, note, damage, err);
}

static int dump_piece(struct tl_input *input, struct tl_pt_decoders *decoders,
		      const struct tl_pt_trace_slice *piece, const struct tl_pt_show *show,
		      struct tl_output *out, struct tl_error *err)
{
	struct damage damage = { input->handle, piece->base, false };
	bool flow = show->wishes & (TL_PT_TEXT_BLOCKS | TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS);
	struct tl_output *to = wanted(&input->options, piece) ? out : NULL;
	int status;

	if (flow) {
		if (to)
			put_owner(piece, show->wishes & TL_PT_TEXT_JSON, to);
		status = tl_pt_dump_slice(decoders, piece, show, to, note, &damage, err);
	} else {
		status = to ? dump_packets(piece, show, &damage, to, err) : 0;
	}
	return status == 0 && damage.no_memory ? tl_error_memory(err) : status;
}

static int dump_pieces(struct tl_input *input, const struct tl_pt_show *show, struct tl_output *out,
		       struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_pt_trace_slice piece;
	int status;

	pt->feed.rewind(pt->feed.arg);
	while ((status = pt->feed.next(pt->feed.arg, &piece, err)) == 1 && !tl_output_failed(out)) {
		status = dump_piece(input, &decoders, &piece, show, out, err);
		if (status < 0)
			break;
	}
	tl_pt_decoders_close(&decoders);
	return status < 0 ? status : 0;
}

int tl_pt_input_dump(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct tl_pt_show show = { .wishes = text_wishes(input->options.dump.flags, json) };
	struct tl_number_range window;
	struct choice choice;
	int status = tl_pt_input_window(input, &window, err);

	if (status < 0)
		return status;
	show.from_ticks = window.from;
	show.to_ticks = window.to;
	status = choose(&choice, input, err);
	if (status == 0 && (choice.by_function || choice.by_object)) {
		show.wanted = is_wanted;
		show.arg = &choice;
	}
	if (status == 0)
		status = dump_pieces(input, &show, out, err);
	if (status == 0 &&
	    (!tl_pt_functions_damage(&choice.functions,
				     &((struct tl_pt_input *)input->handle)->faults) ||
	     choice.no_memory || choice.functions.no_memory))
		status = tl_error_memory(err);
	choose_end(&choice);
	return status;
}
