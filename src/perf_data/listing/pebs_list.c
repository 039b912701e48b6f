/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PEBS via Intel PT: blocks of items in the trace, each block a group of a sample's fields, become
 * samples (SDM, "PEBS output to Intel PT"; docs/formats/perf-data.md section 15).
 */
#include "perf_data/listing/pebs_list.h"

#include <inttypes.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "perf_data/auxtrace/switch_scan.h"
#include "perf_data/samples/event_names.h"

#define ATTR_FREQ (UINT64_C(1) << 10)
#define ATTR_AUX_OUTPUT (UINT64_C(1) << 31)

/* Types of blocks, and the items of each that are read (SDM, table of BBP types). */
enum { BLOCK_REGISTERS = 1, BLOCK_BASIC = 4, BLOCK_MEMORY = 5 };
enum { BASIC_IP, BASIC_COUNTERS, BASIC_TIME, BASIC_COUNT };
enum { MEMORY_ADDRESS, MEMORY_AUX_INFO, MEMORY_LATENCY, MEMORY_COUNT };
enum { REGISTER_IP = 1, REGISTER_COUNT = 18 };
enum { COUNTERS_MOST = 64 };

static const char *const register_names[REGISTER_COUNT] = {
	"flags", "ip", "ax", "cx",  "dx",  "bx",  "sp",  "bp",  "si",
	"di",    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

/* The items of one type of block that came. */
struct item_group {
	uint32_t present; /* a bit for each item */
	uint64_t values[REGISTER_COUNT];
};

enum sample_state { NO_SAMPLE, IN_SAMPLE, AWAITS_IP };

/* The sample that a stream is in; a slice may end inside of none. */
struct stream_sample {
	struct tl_perf_switch_scan scan;
	enum sample_state state;
	unsigned block; /* type of the current block */
	struct item_group registers, basic, memory;
	uint64_t offset; /* of its first packet, from config.begin */
};

struct pebs_list {
	struct tl_perf_trace *trace;
	const struct tl_perf_pebs_window *window;
	bool json;
	struct tl_output *out;
	struct stream_sample *streams;
	struct tl_perf_sched_slice slice;
	uint64_t begin_ns; /* of the first slice with a time, TL_NOWHERE: none yet */
	int64_t count;
};

/* ---- fields of a sample ---- */

static bool has(const struct item_group *group, unsigned item)
{
	return group->present >> item & 1;
}

static bool find_ip(const struct stream_sample *s, uint64_t *ip)
{
	if (has(&s->basic, BASIC_IP))
		*ip = s->basic.values[BASIC_IP];
	else if (has(&s->registers, REGISTER_IP))
		*ip = s->registers.values[REGISTER_IP];
	else if (s->state == AWAITS_IP)
		*ip = s->scan.ip;
	else
		return false;
	return true;
}

/* The processor's own time of the sample, else that of the packets. */
static bool find_time(const struct pebs_list *list, const struct stream_sample *s, uint64_t *ns)
{
	const uint64_t tsc = has(&s->basic, BASIC_TIME) ? s->basic.values[BASIC_TIME] : s->scan.tsc;

	return tsc && tl_perf_trace_ns(list->trace, tsc, ns);
}

static bool is_of_slice(const struct pebs_list *list, const struct tl_perf_output_event *o)
{
	if (list->slice.cpu != TL_NOWHERE)
		return o->cpu == TL_NOWHERE || o->cpu == list->slice.cpu;
	return o->thread == TL_NOWHERE || o->thread == list->slice.thread;
}

/* The event whose samples a counter writes: of the last record up to then, else of the first. */
static const struct tl_perf_attr *event_of_counter(const struct pebs_list *list, unsigned counter,
						   uint64_t ns)
{
	const struct tl_perf_output_events *outputs = &list->trace->outputs;
	const struct tl_perf_output_event *found = NULL;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct tl_perf_output_event *o = &outputs->list[i];

		if (o->counter == counter && is_of_slice(list, o) && (!found || o->time_ns <= ns))
			found = o;
	}
	return found ? tl_perf_attr_at(list->trace->reader, found->event) : NULL;
}

/* The only event that writes samples into the trace; NULL: there is none, or there are several. */
static const struct tl_perf_attr *only_event(const struct pebs_list *list)
{
	const struct tl_perf_attr *attr, *only = NULL;

	for (size_t i = 0; (attr = tl_perf_attr_at(list->trace->reader, i)); i++) {
		if (!(attr->flags & ATTR_AUX_OUTPUT))
			continue;
		if (only)
			return NULL;
		only = attr;
	}
	return only;
}

/* ---- output ---- */

static void put_number(const struct pebs_list *list, const char *key, uint64_t value)
{
	tl_put_format(list->out, list->json ? "\"%s\":%" PRIu64 "," : "%s %" PRIu64 "  ", key,
		      value);
}

static void put_address(const struct pebs_list *list, const char *key, uint64_t value)
{
	tl_put_format(list->out, list->json ? "\"%s\":\"0x%" PRIx64 "\"," : "%s 0x%" PRIx64 "  ",
		      key, value);
}

static void put_known(const struct pebs_list *list, const char *key, uint64_t id)
{
	if (id != TL_NOWHERE)
		put_number(list, key, id);
}

static void put_event(const struct pebs_list *list, const struct tl_perf_attr *attr)
{
	char room[TL_PERF_EVENT_NAME_ROOM];
	const char *name = tl_perf_event_name(attr, room);

	tl_put_text(list->out, list->json ? "\"event\":" : "event ");
	if (list->json)
		tl_put_json(list->out, name, strlen(name));
	else
		tl_put_shown(list->out, name, strlen(name));
	tl_put_text(list->out, list->json ? "," : "  ");
	/* With a frequency the period changes, and is not in the trace. */
	if (!(attr->flags & ATTR_FREQ))
		put_number(list, "period", attr->period);
}

static void put_registers(const struct pebs_list *list, const struct item_group *registers)
{
	const char *between = tl_text_if(list->json, "\"registers\":{");

	for (unsigned i = 0; i < REGISTER_COUNT; i++) {
		if (!has(registers, i))
			continue;
		tl_put_format(list->out,
			      list->json ? "%s\"%s\":\"0x%" PRIx64 "\"" : "%s%s:0x%" PRIx64,
			      between, register_names[i], registers->values[i]);
		between = list->json ? "," : " ";
	}
	if (list->json && registers->present)
		tl_put_char(list->out, '}');
}

/* The offset and the registers come last, as nothing that separates fields is behind them. */
static void put_sample(struct pebs_list *list, const struct stream_sample *s, uint64_t ns,
		       const struct tl_perf_attr *attr)
{
	const struct tl_perf_sched_slice *slice = &list->slice;
	uint64_t ip;

	if (list->json)
		tl_put_char(list->out, '{');
	put_known(list, "time", ns);
	put_known(list, "process", slice->process);
	put_known(list, "thread", slice->thread);
	put_known(list, "cpu", slice->cpu);
	if (attr)
		put_event(list, attr);
	if (find_ip(s, &ip))
		put_address(list, "ip", ip);
	if (has(&s->memory, MEMORY_ADDRESS))
		put_address(list, "address", s->memory.values[MEMORY_ADDRESS]);
	if (has(&s->memory, MEMORY_LATENCY))
		put_number(list, "latency", s->memory.values[MEMORY_LATENCY]);
	if (list->json)
		tl_put_format(list->out, "\"offset\":%" PRIu64 "%s",
			      slice->buffer_offset + s->offset,
			      tl_text_if(s->registers.present, ","));
	put_registers(list, &s->registers);
	tl_put_text(list->out, list->json ? "}\n" : "\n");
	list->count++;
}

/* ---- samples ---- */

static int tell(struct pebs_list *list, const struct stream_sample *s, enum tl_perf_rule rule,
		struct tl_error *err)
{
	const uint64_t base = list->slice.file_offset == TL_NOWHERE ? list->slice.buffer_offset
								    : list->slice.file_offset;

	return tl_perf_rule_broken(list->trace->reader, rule, base + s->offset, 0, err);
}

static bool is_in_window(const struct pebs_list *list, uint64_t ns)
{
	const double from = list->window->from_seconds, to = list->window->to_seconds;
	double seconds;

	if (from <= 0 && to <= 0)
		return true;
	if (ns == TL_NOWHERE || list->begin_ns == TL_NOWHERE)
		return false;
	seconds = ns > list->begin_ns ? (double)(ns - list->begin_ns) * 1e-9 : 0;
	return seconds >= from && (to <= 0 || seconds < to);
}

/* A sample of several counters is one of each event. */
static int give_events(struct pebs_list *list, const struct stream_sample *s, uint64_t ns,
		       struct tl_error *err)
{
	const uint64_t counters = s->basic.values[BASIC_COUNTERS];
	int status = 0;

	for (unsigned i = 0; status == 0 && i < COUNTERS_MOST; i++) {
		const struct tl_perf_attr *attr;

		if (!(counters >> i & 1))
			continue;
		attr = event_of_counter(list, i, ns);
		if (!attr)
			attr = only_event(list);
		if (!attr)
			status = tell(list, s, TL_PERF_RULE_PEBS_EVENT, err);
		put_sample(list, s, ns, attr);
	}
	return status;
}

static int give_sample(struct pebs_list *list, struct stream_sample *s, struct tl_error *err)
{
	uint64_t ns = TL_NOWHERE;
	int status = 0;

	if (!find_time(list, s, &ns))
		ns = TL_NOWHERE;
	if (list->slice.chosen && is_in_window(list, ns)) {
		if (has(&s->basic, BASIC_COUNTERS) && s->basic.values[BASIC_COUNTERS])
			status = give_events(list, s, ns, err);
		else
			put_sample(list, s, ns, only_event(list));
	}
	s->state = NO_SAMPLE;
	return status;
}

static void begin_block(struct stream_sample *s, unsigned type, uint64_t offset)
{
	if (s->state != IN_SAMPLE) {
		s->registers.present = s->basic.present = s->memory.present = 0;
		s->offset = offset;
	}
	s->state = IN_SAMPLE;
	s->block = type;
}

static void take_item(struct stream_sample *s, const struct tl_pt_packet *p)
{
	struct item_group *group = NULL;
	unsigned most = 0;

	if (s->block == BLOCK_REGISTERS) {
		group = &s->registers;
		most = REGISTER_COUNT;
	} else if (s->block == BLOCK_BASIC) {
		group = &s->basic;
		most = BASIC_COUNT;
	} else if (s->block == BLOCK_MEMORY) {
		group = &s->memory;
		most = MEMORY_COUNT;
	}
	if (s->state != IN_SAMPLE || p->bip.id >= most)
		return;
	group->present |= UINT32_C(1) << p->bip.id;
	group->values[p->bip.id] = p->bip.payload;
}

/* A block that another packet ends has no BEP: more of the sample may be missing. */
static int take_other(struct pebs_list *list, struct stream_sample *s, const struct tl_pt_packet *p,
		      struct tl_error *err)
{
	if (s->state == NO_SAMPLE)
		return 0;
	if (s->state == AWAITS_IP && p->kind == TL_PT_PKT_FUP)
		return give_sample(list, s, err);
	if (s->state == IN_SAMPLE && s->scan.context.items != TL_PT_ITEMS_NONE)
		return 0;
	if (s->state == AWAITS_IP && !tl_pt_ends_block(p->kind))
		return 0;
	s->state = NO_SAMPLE;
	return tell(list, s, TL_PERF_RULE_PEBS_CUT, err);
}

static int take_packet(struct pebs_list *list, struct stream_sample *s,
		       const struct tl_pt_packet *p, uint64_t offset, struct tl_error *err)
{
	switch (p->kind) {
	case TL_PT_PKT_BBP:
		begin_block(s, p->bbp.type, offset);
		return 0;
	case TL_PT_PKT_BIP:
		take_item(s, p);
		return 0;
	case TL_PT_PKT_BEP:
		if (s->state != IN_SAMPLE)
			return 0;
		if (!p->bep.ip)
			return give_sample(list, s, err);
		s->state = AWAITS_IP;
		return 0;
	default:
		return take_other(list, s, p, err);
	}
}

/* ---- slices ---- */

static void begin_range(struct pebs_list *list, struct stream_sample *s)
{
	const struct tl_pt_config *config = list->slice.config;

	s->state = NO_SAMPLE;
	tl_perf_switch_scan_begin(&s->scan, config, config->begin, config->end);
}

static int list_slice(struct pebs_list *list, struct tl_error *err)
{
	struct stream_sample *s = &list->streams[list->slice.stream];
	const struct tl_pt_config *config = list->slice.config;
	const uint8_t *end = config->begin + list->slice.to;
	struct tl_pt_packet packet;
	int status = 0;

	if (!list->slice.continues)
		begin_range(list, s);
	if (list->begin_ns == TL_NOWHERE && list->slice.start_tsc &&
	    !tl_perf_trace_ns(list->trace, list->slice.start_tsc, &list->begin_ns))
		list->begin_ns = TL_NOWHERE;
	while (status == 0 && s->scan.pos < end) {
		const uint64_t offset = (uint64_t)(s->scan.pos - config->begin);

		if (!tl_perf_switch_scan_step(&s->scan, &packet, end))
			break;
		status = take_packet(list, s, &packet, offset, err);
	}
	if (status == 0 && s->state != NO_SAMPLE && end == config->end) {
		s->state = NO_SAMPLE;
		status = tell(list, s, TL_PERF_RULE_PEBS_CUT, err);
	}
	if (status == 0 && tl_output_failed(list->out))
		status = tl_error_at(err, TL_IO, TL_NOWHERE, "the samples cannot be written");
	return status;
}

static bool has_event(const struct tl_perf_trace *t)
{
	const struct tl_perf_attr *attr;

	for (size_t i = 0; (attr = tl_perf_attr_at(t->reader, i)); i++)
		if (attr->flags & ATTR_AUX_OUTPUT)
			return true;
	return false;
}

int64_t tl_perf_pebs_list(struct tl_perf_trace *trace, const struct tl_perf_pebs_window *window,
			  bool json, struct tl_output *out, struct tl_error *err)
{
	struct pebs_list list = {
		.trace = trace, .window = window, .json = json, .out = out, .begin_ns = TL_NOWHERE
	};
	int status;

	tl_perf_trace_rewind(trace);
	list.streams = tl_zeroed(trace->aux.stream_count, sizeof(*list.streams));
	if (!list.streams)
		return tl_error_memory(err);
	while ((status = tl_perf_trace_next(trace, &list.slice, sizeof(list.slice), err)) > 0) {
		status = list_slice(&list, err);
		if (status < 0)
			break;
	}
	free(list.streams);
	if (status < 0)
		return status;
	if (!list.count && !has_event(trace))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "no event of this file writes samples into the trace (perf "
				   "record -e '{intel_pt//,cycles/aux-output/ppp}')");
	return list.count;
}
