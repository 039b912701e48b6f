/* SPDX-License-Identifier: Apache-2.0 */
/* Trace bundles of LLDB as an input: Intel PT by thread, with the programs beside it. */
#include <elf.h>
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
#include "intel_pt/code/image.h"
#include "open/lldb/parts.h"
#include "symbols/elf/elf_file.h"

enum { ELF_LOAD = 1, PAGE_BYTES = 4096, SURE = 95 };
#define NS_PER_SECOND UINT64_C(1000000000)

/* A buffer: of a thread, or of a processor. */
struct traced {
	struct tl_source *source;
	struct tl_pt_config config;
	size_t process; /* number in the bundle; TL_LLDB_FOREIGN: it is of a processor */
	uint64_t id;    /* of the thread or processor */
};

struct lldb_input {
	struct tl_pt_input pt;
	struct tl_lldb_bundle bundle;
	char *folder;                    /* of the description, with its slash; "": this one */
	struct tl_pt_program **programs; /* by process */
	struct traced *buffers;
	size_t count, room;
	/* With buffers of processors: the code of all processes, each in a space of its own. */
	struct tl_pt_image *image;
	struct tl_lldb_parts parts;
	size_t given; /* parts that the feed gave */
};

/* ---- the feed ---- */

static const struct tl_lldb_part *last_given(const struct lldb_input *l)
{
	return l->given ? &l->parts.list[l->given - 1] : NULL;
}

/* A VMCS base that no packet has: they are below 2^52. */
static struct tl_pt_asid space_of(size_t number)
{
	return (struct tl_pt_asid){ .cr3 = TL_PT_ANY,
				    .vmcs = UINT64_C(1) << 63 | (uint32_t)number };
}

static int next_piece(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err)
{
	struct lldb_input *l = arg;
	const struct tl_lldb_part *part;
	const struct traced *buffer;

	(void)err;
	if (l->given == l->parts.count)
		return 0;
	part = &l->parts.list[l->given++];
	buffer = &l->buffers[part->buffer];
	*piece = (struct tl_pt_trace_slice){
		.config = buffer->config,
		.from = part->from,
		.to = part->to,
		.image = l->image ? l->image : tl_pt_program_image(l->programs[part->number]),
		.asid = { TL_PT_ANY, TL_PT_ANY },
		.stream = part->buffer,
		.process = part->process,
		.thread = part->thread,
		.cpu = buffer->process == TL_LLDB_FOREIGN ? buffer->id : TL_NOWHERE,
		.command = "",
		.continues = part->continues,
		.foreign = part->number == TL_LLDB_FOREIGN,
	};
	if (l->image)
		piece->asid = space_of(part->number);
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
	const struct tl_lldb_part *part = last_given(l);

	return part && part->number != TL_LLDB_FOREIGN &&
	       tl_pt_program_mapping(l->programs[part->number], ip, place);
}

static void passed(void *arg, uint64_t bytes)
{
	const struct lldb_input *l = arg;
	const struct tl_lldb_part *part = last_given(l);

	if (!part)
		return;
	tl_source_release(l->buffers[part->buffer].source, 0, bytes);
	if (part->number != TL_LLDB_FOREIGN)
		tl_pt_program_release(l->programs[part->number]);
}

/* ---- opening ---- */

static void close_lldb(struct tl_input *input)
{
	struct lldb_input *l = input->handle;

	tl_pt_faults_free(&l->pt.faults);
	for (size_t i = 0; l->programs && i < l->bundle.process_count; i++)
		tl_pt_program_close(l->programs[i]);
	for (size_t i = 0; i < l->count; i++)
		tl_source_close(l->buffers[i].source);
	tl_pt_image_close(l->image);
	free(l->parts.list);
	free(l->programs);
	free(l->buffers);
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
	return tl_error_unless_made(tl_pt_fault_add_text(&l->pt.faults, text), err);
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

		/* A kernel has data of each processor from 0 on. */
		if (segment.type == ELF_LOAD && segment.address < lowest &&
		    (segment.address >> 63 || !(address >> 63)))
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
		     struct traced *buffer, struct tl_error *err)
{
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(buffer->source, &data, &size, err);

	if (status < 0)
		return status;
	buffer->config = (struct tl_pt_config){
		.size = sizeof(buffer->config),
		.flags = buffer->process == TL_LLDB_FOREIGN ? TL_PT_KEEP_ASID : 0,
		.begin = data,
		.end = size ? data + size : data,
		.cpu = l->bundle.cpu,
	};
	buffer->config.cpu.intel = l->bundle.intel;
	/* A processor without known errata is decoded as if it had none. */
	tl_pt_cpu_errata(&buffer->config.errata, &buffer->config.cpu, false);
	return tl_pt_input_configure(o, &buffer->config, err);
}

/* A file of the bundle. 1; 0: it cannot be read, which is told; negative. */
static int open_file(struct lldb_input *l, const char *name, struct tl_source **source,
		     struct tl_error *err)
{
	char *path = whole_path(l, name);
	struct tl_error why;
	int status;

	*source = NULL;
	if (!path)
		return tl_error_memory(err);
	if (tl_file_may_be_named(path))
		status = tl_source_open(source, path, NULL, &why);
	else
		status = tl_error_at(&why, TL_IO, TL_NOWHERE,
				     "there is no such file of root or of the user");
	if (status == TL_NO_MEMORY)
		tl_error_memory(err);
	else if (status < 0)
		status = say_missing(l, "no trace", path, why.text, err);
	free(path);
	return status < 0 ? status : *source != NULL;
}

/* A trace that cannot be read costs what it has. 1, 0: there is none, negative. */
static int add_buffer(struct lldb_input *l, const char *trace, size_t process, uint64_t id,
		      const struct tl_input_options *o, struct tl_error *err)
{
	struct traced made = { .process = process, .id = id };
	int status;

	if (!trace)
		return 0;
	if (!tl_grow(&l->buffers, &l->room, l->count + 1, sizeof(*l->buffers)))
		return tl_error_memory(err);
	status = open_file(l, trace, &made.source, err);
	if (status <= 0)
		return status;
	l->buffers[l->count] = made;
	status = configure(l, o, &l->buffers[l->count++], err);
	return status < 0 ? status : 1;
}

/* All of a buffer is what a thread ran. */
static int add_whole(struct lldb_input *l, size_t number, uint64_t process, uint64_t thread,
		     struct tl_error *err)
{
	const struct tl_pt_config *config = &l->buffers[l->count - 1].config;

	if (!tl_grow(&l->parts.list, &l->parts.room, l->parts.count + 1, sizeof(*l->parts.list)))
		return tl_error_memory(err);
	l->parts.list[l->parts.count++] = (struct tl_lldb_part){
		.buffer = l->count - 1,
		.to = (uint64_t)(config->end - config->begin),
		.process = process,
		.thread = thread,
		.number = number,
	};
	return 0;
}

static int add_thread(struct lldb_input *l, size_t process, const struct tl_lldb_thread *from,
		      const struct tl_input_options *o, struct tl_error *err)
{
	const int status = add_buffer(l, from->trace, process, from->id, o, err);

	return status <= 0 ? status
			   : add_whole(l, process, l->bundle.processes[process].id, from->id, err);
}

/* ---- buffers of processors ---- */

/* The buffer added last, by the switches of its processor. */
static int take_apart(struct lldb_input *l, const struct tl_lldb_cpu *cpu, struct tl_error *err)
{
	struct tl_lldb_traced traced = {
		.bundle = &l->bundle,
		.programs = l->programs,
		.buffer = l->count - 1,
		.config = &l->buffers[l->count - 1].config,
	};
	struct tl_source *switches = NULL;
	int status = cpu->switches ? open_file(l, cpu->switches, &switches, err) : 0;

	if (status > 0)
		status = tl_source_map(switches, &traced.switches, &traced.switch_bytes, err);
	if (status == 0)
		status = tl_lldb_parts_add(&l->parts, &traced, err);
	tl_source_close(switches);
	return status;
}

/* The process whose program is the kernel: what ran on a processor is one thread of it. */
static int add_cpu(struct lldb_input *l, const struct tl_lldb_cpu *cpu,
		   const struct tl_input_options *o, struct tl_error *err)
{
	const int status = add_buffer(l, cpu->trace, TL_LLDB_FOREIGN, cpu->id, o, err);

	if (status <= 0)
		return status;
	if (l->bundle.kernel.path)
		return add_whole(l, l->bundle.process_count - 1, 0, cpu->id, err);
	return take_apart(l, cpu, err);
}

static int make_image(struct lldb_input *l, struct tl_error *err)
{
	l->image = tl_pt_image_open(NULL);
	if (!l->image)
		return tl_error_memory(err);
	for (size_t i = 0; i < l->bundle.process_count; i++) {
		const struct tl_pt_asid asid = space_of(i);

		if (tl_pt_image_copy_as(l->image, tl_pt_program_image(l->programs[i]), &asid))
			return tl_error_memory(err);
	}
	return 0;
}

static int add_cpus(struct lldb_input *l, const struct tl_input_options *o, struct tl_error *err)
{
	int status;

	if (!l->bundle.cpu_count)
		return 0;
	if (!l->bundle.converts && !l->bundle.kernel.path)
		return say_missing(l, "left out:", "cpus",
				   "without tscPerfZeroConversion the times of switches are not "
				   "known",
				   err);
	status = make_image(l, err);
	for (size_t i = 0; status == 0 && i < l->bundle.cpu_count; i++)
		status = add_cpu(l, &l->bundle.cpus[i], o, err);
	tl_lldb_parts_sort(&l->parts);
	return status;
}

/* ---- all of a bundle ---- */

/* The bytes of other processes are of no use, as their programs are not described. */
static int say_foreign(struct lldb_input *l, struct tl_error *err)
{
	uint64_t bytes = 0;
	char *text;

	for (size_t i = 0; i < l->parts.count; i++) {
		const struct tl_lldb_part *part = &l->parts.list[i];

		/* The idle thread, number 0, has no code of a process. */
		if (part->number == TL_LLDB_FOREIGN && part->thread)
			bytes += part->to - part->from;
	}
	if (!bytes)
		return 0;
	if (asprintf(&text,
		     "%" PRIu64 " bytes of trace are of processes that the bundle does not "
		     "describe: they are left out",
		     bytes) < 0)
		text = NULL;
	return tl_error_unless_made(tl_pt_fault_add_text(&l->pt.faults, text), err);
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
	if (status == 0)
		status = add_cpus(l, o, err);
	if (status == 0 && !l->count && l->bundle.cpu_count && !l->bundle.converts)
		status = tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				     "buffers of processors need tscPerfZeroConversion, for the "
				     "times of switches");
	else if (status == 0 && !l->count)
		status = tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				     "no thread of the bundle has a trace that can be read");
	return status < 0 ? status : say_foreign(l, err);
}

/* Ticks of the TSC per second, as the conversion to nanoseconds has it; 0: unknown. */
static uint64_t told_frequency(const struct tl_lldb_bundle *b)
{
	if (!b->converts || !b->multiplier || b->shift > 32)
		return 0;
	return (NS_PER_SECOND << b->shift) / b->multiplier;
}

/* Threads of a traced kernel are its processors; it is the last process. */
static int add_kernel_process(struct lldb_input *l, struct tl_error *err)
{
	struct tl_lldb_bundle *b = &l->bundle;
	struct tl_lldb_process kernel = { .id = 0 };

	if (!b->kernel.path)
		return 0;
	if (!tl_grow(&b->processes, &b->process_room, b->process_count + 1,
		     sizeof(*b->processes)) ||
	    !tl_grow(&kernel.modules, &kernel.module_room, 1, sizeof(*kernel.modules)))
		return tl_error_memory(err);
	kernel.modules[kernel.module_count++] =
		(struct tl_lldb_module){ .path = b->kernel.path, .address = b->kernel.address };
	b->processes[b->process_count++] = kernel;
	return 0;
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
	status = add_kernel_process(l, err);
	if (status < 0)
		return status;
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
		.debuginfod = input->options.programs.debuginfod,
	};
	status = add_all(l, &input->options, err);
	for (size_t i = 0; status == 0 && timed == 0 && i < l->count; i++)
		timed = tl_pt_first_time(&l->buffers[i].config, &first, err);
	l->pt.feed.timed = timed > 0;
	return tl_error_format(err, "lldb", tl_error_or_end(status < 0 ? status : timed));
}

/* ---- operations that are not those of a feed ---- */

static void put_buffer(struct tl_facts *facts, const struct traced *buffer, const char *id)
{
	tl_facts_item(facts);
	tl_fact_u64(facts, id, buffer->id);
	tl_fact_text(facts, "file", tl_source_name(buffer->source));
	tl_fact_u64(facts, "bytes", (uint64_t)(buffer->config.end - buffer->config.begin));
	tl_facts_close(facts);
}

static void put_process(struct tl_facts *facts, const struct lldb_input *l, size_t number)
{
	const struct tl_lldb_process *process = &l->bundle.processes[number];

	tl_facts_item(facts);
	tl_fact_u64(facts, "pid", process->id);
	tl_fact_u64(facts, "modules", process->module_count);
	tl_facts_list(facts, "threads");
	for (size_t i = 0; i < l->count; i++)
		if (l->buffers[i].process == number)
			put_buffer(facts, &l->buffers[i], "tid");
	tl_facts_close_list(facts);
	tl_facts_close(facts);
}

static void put_cpus(struct tl_facts *facts, const struct lldb_input *l)
{
	tl_facts_list(facts, "cpus");
	for (size_t i = 0; i < l->count; i++)
		if (l->buffers[i].process == TL_LLDB_FOREIGN)
			put_buffer(facts, &l->buffers[i], "cpu");
	tl_facts_close_list(facts);
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
	if (l->bundle.cpu_count)
		put_cpus(&facts, l);
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
		.machine = EM_X86_64,
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
