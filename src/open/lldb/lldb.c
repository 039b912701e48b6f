/* SPDX-License-Identifier: Apache-2.0 */
/* Trace bundles of LLDB as an input: Intel PT by thread, with the programs beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/facts.h"
#include "core/file.h"
#include "core/source.h"
#include "intel_pt/code/program.h"
#include "intel_pt/listing/slice.h"
#include "open/adapters/intel_pt.h"
#include "open/lldb/bundle.h"
#include "symbols/elf/elf_file.h"

enum { ELF_LOAD = 1, PAGE_BYTES = 4096, SURE = 95 };
#define NS_PER_SECOND UINT64_C(1000000000)

/* A thread with a trace. */
struct traced_thread {
	struct tl_source *source;
	struct tl_pt_config config;
	size_t process; /* number in the bundle */
	uint64_t id;
};

struct lldb_input {
	struct tl_pt_input pt;
	struct tl_lldb_bundle bundle;
	char *folder;                    /* of the description, with its slash; "": this one */
	struct tl_pt_program **programs; /* by process */
	struct traced_thread *threads;
	size_t count, room;
	size_t given; /* threads that the feed gave */
};

/* ---- the feed ---- */

static const struct traced_thread *last_given(const struct lldb_input *l)
{
	return l->given ? &l->threads[l->given - 1] : NULL;
}

static int next_piece(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err)
{
	struct lldb_input *l = arg;
	const struct traced_thread *thread;

	(void)err;
	if (l->given == l->count)
		return 0;
	thread = &l->threads[l->given++];
	*piece = (struct tl_pt_trace_slice){
		.config = thread->config,
		.to = (uint64_t)(thread->config.end - thread->config.begin),
		.image = tl_pt_program_image(l->programs[thread->process]),
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.stream = l->given - 1,
		.process = l->bundle.processes[thread->process].id,
		.thread = thread->id,
		.cpu = TL_NOWHERE,
		.command = "",
	};
	return 1;
}

static void rewind_pieces(void *arg)
{
	struct lldb_input *l = arg;

	l->given = 0;
}

static bool mapping_of(void *arg, uint64_t ip, struct tl_pt_mapping *place)
{
	const struct lldb_input *l = arg;
	const struct traced_thread *thread = last_given(l);

	return thread && tl_pt_program_mapping(l->programs[thread->process], ip, place);
}

static void passed(void *arg, uint64_t bytes)
{
	const struct lldb_input *l = arg;
	const struct traced_thread *thread = last_given(l);

	if (!thread)
		return;
	tl_source_release(thread->source, 0, bytes);
	tl_pt_program_release(l->programs[thread->process]);
}

/* ---- opening ---- */

static void close_lldb(struct tl_input *input)
{
	struct lldb_input *l = input->handle;

	tl_pt_faults_free(&l->pt.faults);
	for (size_t i = 0; l->programs && i < l->bundle.process_count; i++)
		tl_pt_program_close(l->programs[i]);
	for (size_t i = 0; i < l->count; i++)
		tl_source_close(l->threads[i].source);
	free(l->programs);
	free(l->threads);
	free(l->folder);
	tl_lldb_bundle_free(&l->bundle);
	free(l);
	input->handle = NULL;
}

/* A path of the bundle, for free(): relative ones are below its folder. */
static char *whole_path(const struct lldb_input *l, const char *path)
{
	char *joined;

	if (*path == '/')
		return strdup(path);
	return asprintf(&joined, "%s%s", l->folder, path) < 0 ? NULL : joined;
}

static int say_missing(struct lldb_input *l, const char *what, const char *path, const char *why,
		       struct tl_error *err)
{
	char *text;

	if (asprintf(&text, "%s %s: %s", what, path, why) < 0)
		text = NULL;
	return tl_pt_fault_add_text(&l->pt.faults, text) ? 0 : tl_error_memory(err);
}

/* What was added to the addresses of an ELF file whose lowest page was put at `address`. */
static int find_bias(const char *path, uint64_t address, uint64_t *bias, struct tl_error *err)
{
	uint64_t lowest = UINT64_MAX;
	struct tl_elf elf;
	int status = tl_elf_open_named(&elf, path, err);

	if (status < 0)
		return status;
	for (uint32_t i = 0; i < elf.segment_count; i++) {
		const struct tl_elf_segment segment = tl_elf_segment_at(&elf, i);

		if (segment.type == ELF_LOAD && segment.address < lowest)
			lowest = segment.address;
	}
	tl_elf_close(&elf);
	*bias = lowest == UINT64_MAX ? address : address - lowest / PAGE_BYTES * PAGE_BYTES;
	return 0;
}

/* A file that cannot be read costs its own code. */
static int add_module(struct lldb_input *l, struct tl_pt_program *program,
		      const struct tl_lldb_module *module, struct tl_error *err)
{
	char *path = whole_path(l, module->path);
	struct tl_error why;
	uint64_t bias = 0;
	int status = path ? find_bias(path, module->address, &bias, &why) : TL_NO_MEMORY;

	if (status == 0)
		status = tl_pt_program_add_elf(program, path, bias, &why);
	if (status == TL_NO_MEMORY)
		tl_error_memory(err);
	else if (status < 0)
		status = say_missing(l, "no code of", path, why.text, err);
	free(path);
	return status;
}

static int add_program(struct lldb_input *l, size_t number, const struct tl_input_options *o,
		       struct tl_error *err)
{
	const struct tl_lldb_process *process = &l->bundle.processes[number];
	struct tl_pt_program *program;
	int status = tl_pt_program_open(&l->programs[number], err);

	program = l->programs[number];
	for (size_t i = 0; status == 0 && i < o->programs.binary_count; i++)
		status = tl_pt_program_add_elf(program, o->programs.binaries[i].path,
					       o->programs.binaries[i].address, err);
	for (size_t i = 0; status == 0 && i < process->module_count; i++)
		status = add_module(l, program, &process->modules[i], err);
	if (status == 0)
		status = tl_pt_program_index(program, err);
	if (status == 0)
		l->pt.has_code |= !tl_pt_program_is_empty(program);
	return status;
}

static int configure(const struct lldb_input *l, const struct tl_input_options *o,
		     struct traced_thread *thread, struct tl_error *err)
{
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(thread->source, &data, &size, err);

	if (status < 0)
		return status;
	thread->config = (struct tl_pt_config){
		.size = sizeof(thread->config),
		.begin = data,
		.end = size ? data + size : data,
		.cpu = l->bundle.cpu,
	};
	thread->config.cpu.intel = l->bundle.intel;
	/* A processor without known errata is decoded as if it had none. */
	tl_pt_cpu_errata(&thread->config.errata, &thread->config.cpu, false);
	return tl_pt_input_configure(o, &thread->config, err);
}

/* A trace that cannot be read costs its thread. */
static int add_thread(struct lldb_input *l, size_t process, const struct tl_lldb_thread *from,
		      const struct tl_input_options *o, struct tl_error *err)
{
	struct traced_thread *made;
	struct tl_error why;
	char *path;
	int status;

	if (!from->trace)
		return 0;
	if (!tl_grow(&l->threads, &l->room, l->count + 1, sizeof(*l->threads)))
		return tl_error_memory(err);
	made = &l->threads[l->count];
	*made = (struct traced_thread){ .process = process, .id = from->id };
	path = whole_path(l, from->trace);
	if (!path)
		return tl_error_memory(err);
	if (tl_file_may_be_named(path))
		status = tl_source_open(&made->source, path, NULL, &why);
	else
		status = tl_error_at(&why, TL_IO, TL_NOWHERE,
				     "there is no such file of root or of the user");
	if (status == 0) {
		l->count++;
		status = configure(l, o, made, err);
	} else if (status == TL_NO_MEMORY) {
		tl_error_memory(err);
	} else {
		status = say_missing(l, "no trace", path, why.text, err);
	}
	free(path);
	return status;
}

static int add_all(struct lldb_input *l, const struct tl_input_options *o, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < l->bundle.process_count; i++) {
		const struct tl_lldb_process *process = &l->bundle.processes[i];

		status = add_program(l, i, o, err);
		for (size_t k = 0; status == 0 && k < process->thread_count; k++)
			status = add_thread(l, i, &process->threads[k], o, err);
	}
	if (status == 0 && !l->count && l->bundle.by_processor)
		status = tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				     "the buffers of this bundle are of processors, which "
				     "are not taken apart into threads");
	if (status == 0 && !l->count)
		status = tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				     "no thread of the bundle has a trace that can be read");
	if (status == 0 && l->bundle.by_processor)
		status = say_missing(l, "left out:", "cpus",
				     "buffers of processors are not taken apart into threads", err);
	return status;
}

/* Ticks of the TSC per second, as the conversion to nanoseconds has it; 0: unknown. */
static uint64_t told_frequency(const struct tl_lldb_bundle *b)
{
	if (!b->converts || !b->multiplier || b->shift > 32)
		return 0;
	return (NS_PER_SECOND << b->shift) / b->multiplier;
}

static int open_lldb(struct tl_input *input, const char *const *paths, size_t path_count,
		     const char **failed, struct tl_error *err)
{
	struct lldb_input *l = calloc(1, sizeof(*l));
	uint64_t first;
	int status, timed = 0;

	(void)path_count;
	(void)failed;
	if (!l)
		return tl_error_memory(err);
	input->handle = l;
	l->folder = strndup(paths[0], (size_t)tl_file_directory_length(paths[0]));
	if (!l->folder)
		return tl_error_memory(err);
	status = tl_lldb_bundle_read(&l->bundle, input->source, err);
	if (status < 0)
		return tl_error_format(err, "lldb", status);
	l->programs = calloc(l->bundle.process_count + 1, sizeof(struct tl_pt_program *));
	if (!l->programs)
		return tl_error_memory(err);
	l->pt.feed = (struct tl_pt_feed){
		.next = next_piece,
		.rewind = rewind_pieces,
		.mapping = mapping_of,
		.passed = passed,
		.arg = l,
		.frequency = tl_pt_input_hz(&input->options, 0, 0, told_frequency(&l->bundle)),
		.raw_names = input->options.raw_names,
	};
	status = add_all(l, &input->options, err);
	for (size_t i = 0; status == 0 && timed == 0 && i < l->count; i++)
		timed = tl_pt_first_time(&l->threads[i].config, &first, err);
	l->pt.feed.timed = timed > 0;
	return tl_error_format(err, "lldb", tl_error_or_end(status < 0 ? status : timed));
}

/* ---- operations that are not those of a feed ---- */

static void put_process(struct tl_facts *facts, const struct lldb_input *l, size_t number)
{
	const struct tl_lldb_process *process = &l->bundle.processes[number];

	tl_facts_item(facts);
	tl_fact_u64(facts, "pid", process->id);
	tl_fact_u64(facts, "modules", process->module_count);
	tl_facts_list(facts, "threads");
	for (size_t i = 0; i < l->count; i++) {
		const struct traced_thread *thread = &l->threads[i];

		if (thread->process != number)
			continue;
		tl_facts_item(facts);
		tl_fact_u64(facts, "tid", thread->id);
		tl_fact_text(facts, "file", tl_source_name(thread->source));
		tl_fact_u64(facts, "bytes", (uint64_t)(thread->config.end - thread->config.begin));
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
	tl_facts_close(facts);
}

static int describe_lldb(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err)
{
	const struct lldb_input *l = input->handle;
	const struct tl_pt_cpu *cpu = &l->bundle.cpu;
	struct tl_facts facts;

	(void)err;
	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", "lldb");
	tl_facts_object(&facts, "cpu");
	tl_fact_bool(&facts, "intel", l->bundle.intel);
	tl_fact_u64(&facts, "family", cpu->family);
	tl_fact_u64(&facts, "model", cpu->model);
	tl_fact_u64(&facts, "stepping", cpu->stepping);
	tl_facts_close(&facts);
	tl_fact_u64(&facts, "frequency", l->pt.feed.frequency);
	tl_fact_bool(&facts, "timed", l->pt.feed.timed);
	tl_facts_list(&facts, "processes");
	for (size_t i = 0; i < l->bundle.process_count; i++)
		put_process(&facts, l, i);
	tl_facts_close_list(&facts);
	tl_facts_end(&facts);
	return 0;
}

static size_t code_of_lldb(struct tl_input *input, const char *object, uint64_t address,
			   uint8_t *bytes, size_t size)
{
	struct lldb_input *l = input->handle;

	for (size_t i = 0; i < l->bundle.process_count; i++) {
		struct tl_pt_mapping place;
		int count;

		if (!tl_pt_program_mapping(l->programs[i], address, &place) ||
		    strcmp(place.object, object) != 0)
			continue;
		count = tl_pt_image_read(tl_pt_program_image(l->programs[i]), NULL, bytes, size,
					 NULL, address);
		if (count > 0)
			return (size_t)count;
	}
	return 0;
}

/* An object whose first bytes name the type; LLDB sorts its members by name. */
static int probe_lldb(const uint8_t *data, size_t size)
{
	static const char type[] = "\"intel-pt\"", members[] = "\"processes\"",
			  cpu[] = "\"cpuInfo\"";
	size_t at = 0;

	while (at < size && data[at] && strchr(" \t\r\n", data[at]))
		at++;
	if (at == size || data[at] != '{')
		return 0;
	if (memmem(data, size, type, sizeof(type) - 1) ||
	    (memmem(data, size, cpu, sizeof(cpu) - 1) &&
	     memmem(data, size, members, sizeof(members) - 1)))
		return SURE;
	return 0;
}

const struct tl_format tl_lldb_format = {
	.info = {
		.name = "lldb",
		.help = "trace bundle of LLDB (trace.json): Intel PT by thread, and its programs",
		.record_word = "record",
	},
	.probe = probe_lldb,
	.open = open_lldb,
	.close = close_lldb,
	.fold = tl_pt_input_fold,
	.describe = describe_lldb,
	.dump = tl_pt_input_dump,
	.check = tl_pt_input_check,
	.timeline = tl_pt_input_timeline,
	.calls = tl_pt_input_calls,
	.coverage = tl_pt_input_coverage,
	.executed = tl_pt_input_executed,
	.code = code_of_lldb,
	.damage = tl_pt_input_damage,
};
