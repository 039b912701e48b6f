/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of stacks as a profile. */
#include "perf_data/samples/fold.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "perf_data/processes/given_programs.h"
#include "perf_data/processes/guests.h"
#include "perf_data/samples/event_names.h"
#include "perf_data/samples/pass.h"
#include "perf_data/samples/remarks.h"
#include "perf_data/samples/sample_names.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

/*
 * Columns of a recorded event: its periods, its samples; of times off the processors, how long
 * and how many; of branches, how many, and those that the
 * processor had predicted wrongly.
 */
enum { PERIOD, SAMPLES, COLUMNS };
enum { BRANCHES, MISPREDICTED };

struct builder {
	struct tl_perf_sample_pass *pass;
	struct tl_profile *profile;
	struct tl_perf_sample_names names;
	uint32_t *first_column; /* by event of the pass: its number in the profile */
	int64_t *cost;          /* of a node: a number for each event of the profile */
	uint32_t column_count;
	uint32_t *roots; /* by node */
	/* by node: the number of its place until it has a context, then that */
	uint32_t *contexts;
	uint32_t *parts; /* by root */
	struct tl_index part_index;
	struct tl_perf_stack_root *part_keys; /* by part */
	size_t part_count;
};

/* ---- events ---- */

/* Events of one name are one, such as those of several kinds of cores. */
static uint32_t find_event(const struct tl_event *events, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i += COLUMNS)
		if (!strcmp(events[i].name, name))
			return i;
	return count;
}

/* The name of a column that several events have, for free(). */
static char *column_name(const char *event, const char *what, bool is_only)
{
	char *name;

	if (is_only)
		return strdup(what);
	return asprintf(&name, "%s.%s", event, what) < 0 ? NULL : name;
}

static size_t sampled_events(const struct tl_perf_sample_pass *pass)
{
	size_t count = 0;

	for (size_t i = 0; i < pass->events.count; i++)
		count += pass->events.list[i].samples != 0;
	return count;
}

struct event_texts {
	struct tl_event *list;
	char (*rooms)[TL_PERF_EVENT_NAME_ROOM];
	char **made; /* names of columns */
	uint32_t count;
};

/* Both columns have names made of the event's. */
static bool take_branches(struct builder *b, struct event_texts *t, size_t number, bool is_only)
{
	const char *event =
		tl_perf_event_name(&b->pass->reader->attrs.list[number], t->rooms[number]);
	char *name = column_name(event, "branches", is_only);
	const uint32_t at = name ? find_event(t->list, t->count, name) : 0;

	b->first_column[number] = at;
	if (!name || at < t->count) {
		free(name);
		return name != NULL;
	}
	t->made[at + BRANCHES] = name;
	t->made[at + MISPREDICTED] = column_name(event, "mispredicted", is_only);
	t->list[at + BRANCHES] = (struct tl_event){ name, "", "branches", "" };
	t->list[at + MISPREDICTED] =
		(struct tl_event){ t->made[at + MISPREDICTED], "", "branches", "" };
	t->count += COLUMNS;
	return t->made[at + MISPREDICTED] != NULL;
}

static bool take_event(struct builder *b, struct event_texts *t, size_t number, bool is_only)
{
	const struct tl_perf_attr *attr = &b->pass->reader->attrs.list[number];
	const char *name = tl_perf_event_name(attr, t->rooms[number]);
	const uint32_t at = find_event(t->list, t->count, name);
	char *samples;

	b->first_column[number] = at;
	if (at < t->count)
		return true;
	samples = column_name(name, "samples", is_only);
	if (!samples)
		return false;
	t->made[at + SAMPLES] = samples;
	t->list[at + PERIOD] = (struct tl_event){ name, "", tl_perf_event_unit(attr), "" };
	t->list[at + SAMPLES] = (struct tl_event){ samples, "", "samples", "" };
	t->count += COLUMNS;
	return true;
}

static bool take_columns(struct builder *b, struct event_texts *t, size_t number, bool is_only)
{
	return b->pass->options->branches ? take_branches(b, t, number, is_only)
					  : take_event(b, t, number, is_only);
}

static void take_off_cpu(struct builder *b, struct event_texts *t)
{
	if (!b->pass->off_cpu.switches)
		return;
	b->first_column[b->pass->events.count] = t->count;
	t->list[t->count + PERIOD] = (struct tl_event){ "off-cpu", "", "ns", "" };
	t->list[t->count + SAMPLES] = (struct tl_event){ "off-cpu.switches", "", "switches", "" };
	t->count += COLUMNS;
}

static int make_profile(struct builder *b, struct tl_error *err)
{
	const size_t events = b->pass->events.count;
	struct event_texts t = {
		.list = tl_zeroed(COLUMNS * (events + 1), sizeof(*t.list)),
		.rooms = tl_zeroed(events, sizeof(*t.rooms)),
		.made = tl_zeroed(COLUMNS * events, sizeof(*t.made)),
	};
	const size_t sampled = sampled_events(b->pass);
	const bool is_only = (sampled ? sampled : events) == 1;
	bool made = t.list && t.rooms && t.made;
	int status;

	for (size_t i = 0; made && i < events; i++)
		if (b->pass->events.list[i].samples || !sampled)
			made = take_columns(b, &t, i, is_only);
	if (made)
		take_off_cpu(b, &t);
	status = made ? tl_profile_make(&b->profile, "perf", t.list, t.count, 1000000000, err)
		      : tl_error_memory(err);
	b->column_count = t.count;
	for (size_t i = 0; t.made && i < COLUMNS * events; i++)
		free(t.made[i]);
	free(t.made);
	free(t.list);
	free(t.rooms);
	if (status == 0)
		tl_profile_set_call_count(b->profile, TL_CALLS_NONE);
	return status;
}

/* ---- parts ---- */

static bool same_part(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_stack_root *keys = context, *wanted = key, *have = &keys[number];

	return have->pid == wanted->pid && have->tid == wanted->tid && have->comm == wanted->comm &&
	       have->cgroup == wanted->cgroup;
}

/* Roots of one thread, name and control group are one part, whatever maps they had. */
static int find_part(struct builder *b, uint32_t root, struct tl_error *err)
{
	const struct tl_perf_stack_root *r = &b->pass->stacks.roots[root];
	const uint64_t hash = tl_hash_pair(tl_hash_pair(r->pid, r->tid << 32 | r->comm), r->cgroup);
	uint32_t number = tl_index_find(&b->part_index, hash, same_part, b->part_keys, r);

	if (number == TL_NONE) {
		number = (uint32_t)b->part_count++;
		b->part_keys[number] = *r;
		if (!tl_index_add(&b->part_index, hash, number))
			return tl_error_memory(err);
	} else {
		struct tl_perf_stack_root *key = &b->part_keys[number];

		key->first_ns = tl_min(r->first_ns, key->first_ns);
		key->last_ns = tl_max(r->last_ns, key->last_ns);
		key->samples += r->samples;
	}
	b->parts[root] = number;
	return 0;
}

static uint64_t id_of(uint64_t id)
{
	return id == UINT32_MAX ? TL_NOWHERE : id;
}

/* "Cgroup: /path", a header to free(); "" where the group is unknown. NULL: no memory. */
static char *header_of(const struct builder *b, const struct tl_perf_stack_root *key)
{
	const char *path;
	char *line;

	if (!key->cgroup)
		return strdup("");
	path = b->pass->sys.names.names[key->cgroup].text;
	/* A header has lines, which a damaged path could end: no group has such a name. */
	if (asprintf(&line, "Cgroup: %.*s", (int)strcspn(path, "\n"), path) < 0)
		return NULL;
	return line;
}

static int add_part(struct builder *b, const struct tl_perf_stack_root *key, struct tl_error *err)
{
	char *header = header_of(b, key);
	const struct tl_part part = {
		.process = id_of(key->pid),
		.thread = id_of(key->tid),
		.command = b->pass->sys.names.names[key->comm].text,
		.header = header,
		.first_ticks = key->first_ns,
		.last_ticks = key->last_ns,
		.records = key->samples,
	};
	int64_t number;

	if (!header)
		return tl_error_memory(err);
	number = tl_profile_put_part(b->profile, &part, err);
	free(header);
	return tl_profile_status(number);
}

static int add_parts(struct builder *b, struct tl_error *err)
{
	const struct tl_perf_stacks *s = &b->pass->stacks;
	int status = 0;

	for (size_t i = 0; status == 0 && i < s->root_count; i++)
		status = find_part(b, (uint32_t)i, err);
	for (size_t i = 0; status == 0 && i < b->part_count; i++)
		status = add_part(b, &b->part_keys[i], err);
	return status;
}

/* ---- contexts and lines ---- */

/* Times off the processors are behind all events that were recorded. */
static size_t column_event(const struct builder *b, uint32_t event)
{
	return event == TL_PERF_OFF_CPU_EVENT ? b->pass->events.count : event;
}

/* The costs of a node. False: it has none of its own. */
static bool take_cost(struct builder *b, uint32_t node)
{
	const struct tl_perf_stacks *s = &b->pass->stacks;
	const bool branches = b->pass->options->branches;
	uint32_t at = tl_perf_stacks_first_cost(s, node);

	if (!at)
		return false;
	memset(b->cost, 0, b->column_count * sizeof(*b->cost));
	for (; at; at = s->costs[at].next) {
		int64_t *columns = &b->cost[b->first_column[column_event(b, s->costs[at].event)]];

		/* The period of a branch is 1 where it was predicted wrongly, else 0. */
		columns[branches ? MISPREDICTED : PERIOD] += (int64_t)s->costs[at].period;
		columns[branches ? BRANCHES : SAMPLES] += (int64_t)s->costs[at].samples;
	}
	return true;
}

/* The costs of a node are those of the innermost function there. */
static int add_costs(struct builder *b, const struct tl_perf_sampled_place *place, uint32_t part,
		     uint32_t function, uint32_t context, struct tl_error *err)
{
	const struct tl_cost_line line = {
		.function = function,
		.part = part,
		.at = { .file = place->file, .address = place->address, .line = place->line },
	};

	tl_profile_add_context_cost(b->profile, context, 0, b->cost);
	return b->pass->options->lines ? tl_profile_put_line(b->profile, &line, b->cost, err) : 0;
}

static int add_node(struct builder *b, uint32_t node, struct tl_error *err)
{
	const struct tl_path_node *n = &b->pass->stacks.tree.nodes[node];
	const uint32_t part = b->parts[b->roots[node]];
	const struct tl_perf_sampled_place *place;
	uint32_t function;
	int64_t context;
	int status = tl_perf_sample_place(&b->names, b->contexts[node], &place, err);

	if (status < 0)
		return status;
	function = place->function;
	context = tl_profile_add_context(b->profile, b->contexts[n->parent], function, part, err);
	for (uint32_t i = 0; context >= 0 && i < place->inlined_count; i++) {
		function = b->names.inlined.list[place->inlined + i];
		context =
			tl_profile_add_context(b->profile, (uint32_t)context, function, part, err);
	}
	if (context < 0)
		return (int)context;
	b->contexts[node] = (uint32_t)context;
	if (!take_cost(b, node))
		return 0;
	return add_costs(b, place, part, function, (uint32_t)context, err);
}

/*
 * Nodes come in no order of addresses, so that each place is somewhere else in memory: it is
 * fetched some nodes ahead, under the root of the present one, which is mostly theirs.
 */
static void fetch_places(struct builder *b, uint32_t node)
{
	enum { FIRST = 16, AGAIN = 8 };
	const struct tl_path_tree *tree = &b->pass->stacks.tree;
	const struct tl_perf_stack_root *root = &b->pass->stacks.roots[b->roots[node]];

	if (node + FIRST >= tree->count)
		return;
	tl_perf_sample_place_fetch(&b->names, root, tree->nodes[node + FIRST].key, false);
	tl_perf_sample_place_fetch(&b->names, root, tree->nodes[node + AGAIN].key, true);
}

/* The roots and places of all nodes. A parent's number is less than its children's. */
static bool note_places(struct builder *b)
{
	const struct tl_path_tree *tree = &b->pass->stacks.tree;

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct tl_path_node *node = &tree->nodes[i];

		if (!node->parent) {
			b->roots[i] = (uint32_t)node->key;
			continue;
		}
		b->roots[i] = b->roots[node->parent];
		fetch_places(b, i);
		b->contexts[i] = tl_perf_sample_place_note(
			&b->names, &b->pass->stacks.roots[b->roots[i]], node->key);
		if (b->contexts[i] == TL_NONE)
			return false;
	}
	return true;
}

/* How many nodes ahead a place is fetched that was noted. */
enum { FETCHED_AHEAD = 8 };

static int add_nodes(struct builder *b, struct tl_error *err)
{
	const struct tl_path_tree *tree = &b->pass->stacks.tree;
	int status = 0;

	for (uint32_t i = 1; status == 0 && i < tree->count; i++) {
		if (i + FETCHED_AHEAD < tree->count)
			tl_perf_sample_place_fetch_noted(&b->names, b->contexts[i + FETCHED_AHEAD]);
		if (tree->nodes[i].parent)
			status = add_node(b, i, err);
		else
			b->contexts[i] = TL_NONE;
	}
	return status;
}

/* ---- the whole ---- */

static bool make_tables(struct builder *b)
{
	const struct tl_perf_stacks *s = &b->pass->stacks;

	b->first_column = tl_zeroed(b->pass->events.count + 1, sizeof(*b->first_column));
	b->cost = tl_zeroed(COLUMNS * (b->pass->events.count + 1), sizeof(*b->cost));
	b->roots = tl_zeroed(s->tree.count, sizeof(*b->roots));
	b->contexts = tl_zeroed(s->tree.count, sizeof(*b->contexts));
	b->parts = tl_zeroed(s->root_count, sizeof(*b->parts));
	b->part_keys = tl_zeroed(s->root_count, sizeof(*b->part_keys));
	return b->first_column && b->cost && b->roots && b->contexts && b->parts && b->part_keys;
}

static void free_tables(struct builder *b)
{
	free(b->first_column);
	free(b->cost);
	free(b->roots);
	free(b->contexts);
	free(b->parts);
	free(b->part_keys);
	tl_index_free(&b->part_index);
}

/* Processors have room for so many calls: a stack of one of these numbers may be longer. */
static bool is_full(uint64_t calls)
{
	return calls == 8 || calls == 16 || calls == 32;
}

static bool describe_losses(const struct tl_perf_sample_pass *p,
			    struct tl_perf_sample_remarks *remarks)
{
	const struct tl_perf_sample_losses *l = &p->losses;
	const struct {
		uint64_t count;
		const char *before, *behind;
	} rows[] = {
		{ l->lost, "the recorder lost", "samples or other records" },
		{ l->throttled, "the kernel stopped sampling",
		  "times for a while, as there were too many samples" },
		{ l->periodless, "a frequency was asked for, and the periods of",
		  "samples were not recorded: each counts 1" },
		{ l->branches, "the branch records of",
		  "samples are left out (--branch-stack counts them)" },
		{ l->host_callers, "callers of the host are left out of",
		  "stacks of virtual machines" },
		{ p->off_cpu.switches ? p->off_cpu.unreturned : 0,
		  "of threads that left a processor",
		  "did not come back in the recording before "
		  "they left again: these times off the processors are missing" },
		{ is_full(l->most_calls) ? l->with_most_calls : 0,
		  "the processor has no room for "
		  "more calls than",
		  "stacks have: callers further out are missing" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].count &&
		    !tl_perf_sample_remark(remarks, "%s %" PRIu64 " %s", rows[i].before,
					   rows[i].count, rows[i].behind))
			return false;
	if (l->of_machines &&
	    !tl_perf_sample_remark(remarks, "%" PRIu64 " samples have no names: %s", l->of_machines,
				   tl_perf_guest_why(&p->sys)))
		return false;
	return !l->cut_stacks ||
	       tl_perf_sample_remark(remarks,
				     "%" PRIu64 " of %" PRIu64 " stacks are as long as the "
				     "recorder's limit: callers further out are missing",
				     l->cut_stacks, p->samples);
}

static int describe_unused(const struct tl_perf_sample_pass *p,
			   struct tl_perf_sample_remarks *remarks, struct tl_error *err)
{
	for (size_t i = 0; i < p->sys.search.program_count; i++) {
		const char *path = p->sys.search.programs[i];
		const char *why;
		const int used = tl_perf_given_is_used(&p->sys, path, &why, err);

		if (used < 0)
			return used;
		if (!used && !tl_perf_sample_remark(remarks, "%s was not used: %s", path, why))
			return tl_error_memory(err);
	}
	return 0;
}

static int build(struct builder *b, struct tl_perf_sample_remarks *remarks, struct tl_error *err)
{
	int status = make_tables(b) ? make_profile(b, err) : tl_error_memory(err);

	if (status == 0 &&
	    !tl_perf_sample_names_begin(&b->names, &b->pass->sys, b->profile, b->pass->options))
		status = tl_error_memory(err);
	if (status == 0)
		status = add_parts(b, err);
	if (status == 0)
		status = note_places(b) ? tl_perf_sample_places_find(&b->names, err)
					: tl_error_memory(err);
	if (status == 0)
		status = add_nodes(b, err);
	if (status == 0) {
		b->profile->sums.only = b->pass->options->sums_alone;
		b->profile->sums.by_part = b->pass->options->per_thread;
		status = tl_profile_finish(b->profile, err);
	}
	if (status == 0)
		status = describe_unused(b->pass, remarks, err);
	if (status == 0 && (!describe_losses(b->pass, remarks) ||
			    !tl_perf_unwinder_describe(&b->pass->unwinder, remarks) ||
			    !tl_perf_sample_names_describe(&b->names, remarks) ||
			    !tl_perf_sample_names_hand_over(&b->names)))
		status = tl_error_memory(err);
	tl_perf_sample_names_end(&b->names);
	return status;
}

/* The contexts are the caller's if it asked for them, and then no table of the builder any more. */
static void hand_over(struct builder *b, struct tl_perf_sample_contexts *contexts)
{
	if (!contexts)
		return;
	contexts->list = b->contexts;
	contexts->count = b->pass->stacks.tree.count;
	b->contexts = NULL;
}

/*
 * Why a file without samples has no profile. Traces of other processors become samples by perf,
 * which knows their packets.
 */
static const char *why_no_samples(uint32_t auxtrace_type)
{
	switch (auxtrace_type) {
	case 0:
		return "a perf.data file without samples and without Intel PT: `info`, `check` and "
		       "`dump` read it";
	case TL_PERF_AUXTRACE_TYPE_INTEL_BTS:
		return "a perf.data file with a trace of Intel BTS and without samples: `perf "
		       "inject --itrace` makes samples of it";
	case TL_PERF_AUXTRACE_TYPE_CORESIGHT:
		return "a perf.data file with a trace of Arm CoreSight and without samples: `perf "
		       "inject --itrace` makes samples of it";
	case TL_PERF_AUXTRACE_TYPE_ARM_SPE:
		return "a perf.data file with a trace of Arm SPE and without samples: `perf "
		       "inject --itrace` makes samples of it";
	default:
		return "a perf.data file with a trace that is not Intel PT and without samples: "
		       "`perf inject --itrace` may make samples of it";
	}
}

static int fold_pass(struct tl_perf_sample_pass *pass, struct tl_perf_sample_remarks *remarks,
		     struct tl_perf_sample_contexts *contexts, struct tl_profile **profile,
		     struct tl_error *err)
{
	struct builder b = { .pass = pass };
	int status = tl_perf_sample_pass_run(pass, err);

	if (status)
		return status;
	if (!pass->events.count)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   why_no_samples(pass->trace.type));
	if (pass->options->branches && !pass->samples)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "no records of branches in the samples: `perf record -b` makes "
				   "them");
	status = build(&b, remarks, err);
	hand_over(&b, contexts);
	free_tables(&b);
	if (status == 0)
		*profile = b.profile;
	else
		tl_profile_free(b.profile);
	return status;
}

int tl_perf_samples_fold(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 struct tl_perf_sample_remarks *remarks, struct tl_profile **profile,
			 struct tl_error *err)
{
	return tl_perf_samples_fold_stacks(reader, options, remarks, NULL, profile, err);
}

int tl_perf_samples_fold_stacks(struct tl_perf_reader *reader,
				const struct tl_perf_sample_options *options,
				struct tl_perf_sample_remarks *remarks,
				struct tl_perf_sample_contexts *contexts,
				struct tl_profile **profile, struct tl_error *err)
{
	struct tl_perf_sample_pass pass = tl_perf_sample_pass_of(reader, options);
	int status;

	*profile = NULL;
	status = fold_pass(&pass, remarks, contexts, profile, err);
	tl_perf_sample_pass_free(&pass);
	return status;
}
