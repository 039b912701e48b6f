/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records, one on a line, as text or as a JSON object. The fields of each record type are a table.
 */
#include "perf_data/listing/describe.h"

#include "core/output.h"
#include "perf_data/container/branch.h"
#include "perf_data/container/reader.h"
#include "perf_data/listing/tracepoint_fields.h"

enum form {
	FORM_U8,
	FORM_U16,
	FORM_U32,
	FORM_U64,
	FORM_HEX16,
	FORM_HEX32,
	FORM_HEX64,
	FORM_TEXT,
	FORM_ID
};

struct field {
	const char *name; /* NULL: the end of the table */
	size_t at;
	enum form form;
};

#define FIELD(name, member, form) { name, offsetof(struct tl_perf_record, member), FORM_##form }

/* clang-format off */
static const struct field mmap_fields[] = {
	FIELD("pid", mmap.pid, U32), FIELD("tid", mmap.tid, U32), FIELD("addr", mmap.address,
	  HEX64),
	FIELD("len", mmap.length, HEX64), FIELD("pgoff", mmap.page_offset, HEX64),
	FIELD("filename", mmap.path, TEXT), { NULL, 0, FORM_U64 },
};
/* clang-format on */
/* clang-format off */
static const struct field mmap2_fields[] = {
	FIELD("pid", mmap.pid, U32), FIELD("tid", mmap.tid, U32), FIELD("addr", mmap.address,
	  HEX64),
	FIELD("len", mmap.length, HEX64), FIELD("pgoff", mmap.page_offset, HEX64),
	FIELD("maj", mmap.dev_major, U32), FIELD("min", mmap.dev_minor, U32), FIELD("ino",
	  mmap.inode, U64),
	FIELD("ino_generation", mmap.generation, U64), FIELD("build_id", mmap.build_id, ID),
	FIELD("prot", mmap.protection, HEX32), FIELD("flags", mmap.flags, HEX32),
	FIELD("filename", mmap.path, TEXT), { NULL, 0, FORM_U64 },
};
/* clang-format on */
static const struct field comm_fields[] = {
	FIELD("pid", comm.pid, U32),
	FIELD("tid", comm.tid, U32),
	FIELD("comm", comm.name, TEXT),
	{ NULL, 0, FORM_U64 },
};
static const struct field task_fields[] = {
	FIELD("pid", task.pid, U32),           FIELD("ppid", task.ppid, U32),
	FIELD("tid", task.tid, U32),           FIELD("ptid", task.ptid, U32),
	FIELD("task_time", task.time_ns, U64), { NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field lost_fields[] = {
	FIELD("lost_id", lost.id, U64), FIELD("lost", lost.count, U64), { NULL, 0, FORM_U64 },
};
/* clang-format on */
static const struct field throttle_fields[] = {
	FIELD("throttle_time", throttle.time_ns, U64),
	FIELD("throttle_id", throttle.id, U64),
	FIELD("throttle_stream", throttle.stream, U64),
	{ NULL, 0, FORM_U64 },
};
static const struct field aux_fields[] = {
	FIELD("aux_offset", aux.offset, HEX64),
	FIELD("aux_size", aux.size, HEX64),
	FIELD("flags", aux.flags, HEX64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field thread_fields[] = {
	FIELD("pid", thread.pid, U32), FIELD("tid", thread.tid, U32), { NULL, 0, FORM_U64 },
};
/* clang-format on */
/* clang-format off */
static const struct field wide_fields[] = {
	FIELD("next_prev_pid", thread.pid, U32), FIELD("next_prev_tid", thread.tid, U32), { NULL, 0,
	  FORM_U64 },
};
/* clang-format on */
static const struct field namespace_fields[] = {
	FIELD("pid", namespaces.pid, U32),
	FIELD("tid", namespaces.tid, U32),
	FIELD("nr_namespaces", namespaces.count, U64),
	{ NULL, 0, FORM_U64 },
};
static const struct field ksymbol_fields[] = {
	FIELD("addr", ksymbol.address, HEX64), FIELD("len", ksymbol.length, HEX32),
	FIELD("ksym_type", ksymbol.type, U16), FIELD("flags", ksymbol.flags, HEX16),
	FIELD("name", ksymbol.name, TEXT),     { NULL, 0, FORM_U64 },
};
static const struct field bpf_fields[] = {
	FIELD("bpf_type", bpf.type, U16),
	FIELD("flags", bpf.flags, HEX16),
	FIELD("bpf_id", bpf.id, U32),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field cgroup_fields[] = {
	FIELD("cgroup", cgroup.id, U64), FIELD("path", cgroup.path, TEXT), { NULL, 0, FORM_U64 },
};
/* clang-format on */
static const struct field poke_fields[] = {
	FIELD("addr", poke.address, HEX64),
	FIELD("old_len", poke.old_size, U16),
	FIELD("new_len", poke.new_size, U16),
	{ NULL, 0, FORM_U64 },
};
static const struct field output_fields[] = {
	FIELD("hw_id", output.hw_id, HEX64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field sample_fields[] = {
	FIELD("ip", sample.ip, HEX64), FIELD("addr", sample.address, HEX64), FIELD("period",
	  sample.period, U64),
	FIELD("callchain", sample.callchain_count, U64), FIELD("raw_size", sample.raw_size, U64),
	FIELD("branches", sample.branch_count, U64), FIELD("stack_size", sample.stack_size, U64),
	FIELD("weight", sample.weight, U64), FIELD("aux_size", sample.aux_size, U64), { NULL, 0,
	  FORM_U64 },
};
/* clang-format on */
static const struct field build_id_fields[] = {
	FIELD("pid", build_id.pid, U32),
	FIELD("build_id", build_id.build_id, ID),
	FIELD("filename", build_id.path, TEXT),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field auxtrace_fields[] = {
	FIELD("trace_size", auxtrace.size, HEX64), FIELD("trace_offset", auxtrace.offset, HEX64),
	FIELD("reference", auxtrace.reference, HEX64), FIELD("idx", auxtrace.idx, U32),
	FIELD("trace_tid", auxtrace.tid, U32), FIELD("trace_cpu", auxtrace.cpu, U32), { NULL, 0,
	  FORM_U64 },
};
/* clang-format on */
static const struct field info_fields[] = {
	FIELD("auxtrace_type", auxtrace_info.type, U32),
	FIELD("words", auxtrace_info.count, U64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field error_fields[] = {
	FIELD("error_type", auxtrace_error.type, U32), FIELD("code", auxtrace_error.code, U32),
	FIELD("error_cpu", auxtrace_error.cpu, U32), FIELD("pid", auxtrace_error.pid, U32),
	FIELD("tid", auxtrace_error.tid, U32), FIELD("ip", auxtrace_error.ip, HEX64),
	FIELD("error_time", auxtrace_error.time_ns, U64), FIELD("msg", auxtrace_error.text, TEXT),
	{ NULL, 0, FORM_U64 },
};
/* clang-format on */
static const struct field conversion_fields[] = {
	FIELD("time_shift", time_conv.shift, U64), FIELD("time_mult", time_conv.mult, U64),
	FIELD("time_zero", time_conv.zero, U64),   FIELD("time_cycles", time_conv.cycles, U64),
	FIELD("time_mask", time_conv.mask, HEX64), { NULL, 0, FORM_U64 },
};
static const struct field feature_fields[] = {
	FIELD("feature", feature.id, U64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field update_fields[] = {
	FIELD("update", update.what, U64), FIELD("update_id", update.id, U64), { NULL, 0,
	  FORM_U64 },
};
/* clang-format on */
static const struct field list_fields[] = {
	FIELD("nr", list.count, U64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format off */
static const struct field stat_fields[] = {
	FIELD("stat_id", stat.id, U64), FIELD("stat_cpu", stat.cpu, U32), FIELD("stat_thread",
	  stat.thread, U32),
	FIELD("val", stat.value, U64), FIELD("ena", stat.enabled, U64), FIELD("run", stat.running,
	  U64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format on */
static const struct field compressed_fields[] = {
	FIELD("stored", compressed.size, U64),
	{ NULL, 0, FORM_U64 },
};

/* clang-format off */
static const struct field *const fields_of[TL_PERF_TYPE_COUNT] = {
	[TL_PERF_MMAP] = mmap_fields, [TL_PERF_LOST] = lost_fields, [TL_PERF_COMM] = comm_fields,
	[TL_PERF_EXIT] = task_fields, [TL_PERF_THROTTLE] = throttle_fields,
	[TL_PERF_UNTHROTTLE] = throttle_fields, [TL_PERF_FORK] = task_fields,
	  [TL_PERF_READ] = thread_fields,
	[TL_PERF_SAMPLE] = sample_fields, [TL_PERF_MMAP2] = mmap2_fields,
	  [TL_PERF_AUX] = aux_fields,
	[TL_PERF_ITRACE_START] = thread_fields, [TL_PERF_LOST_SAMPLES] = lost_fields,
	[TL_PERF_SWITCH_CPU_WIDE] = wide_fields, [TL_PERF_NAMESPACES] = namespace_fields,
	[TL_PERF_KSYMBOL] = ksymbol_fields, [TL_PERF_BPF_EVENT] = bpf_fields,
	  [TL_PERF_CGROUP] = cgroup_fields,
	[TL_PERF_TEXT_POKE] = poke_fields, [TL_PERF_AUX_OUTPUT_HW_ID] = output_fields,
	[TL_PERF_HEADER_BUILD_ID] = build_id_fields, [TL_PERF_ID_INDEX] = list_fields,
	[TL_PERF_AUXTRACE_INFO] = info_fields, [TL_PERF_AUXTRACE] = auxtrace_fields,
	[TL_PERF_AUXTRACE_ERROR] = error_fields, [TL_PERF_THREAD_MAP] = list_fields,
	[TL_PERF_STAT_CONFIG] = list_fields, [TL_PERF_STAT] = stat_fields,
	[TL_PERF_EVENT_UPDATE] = update_fields, [TL_PERF_TIME_CONV] = conversion_fields,
	[TL_PERF_HEADER_FEATURE] = feature_fields, [TL_PERF_COMPRESSED] = compressed_fields,
	[TL_PERF_COMPRESSED2] = compressed_fields,
};
/* clang-format on */

/* The trailer of a record. */
/* clang-format off */
static const struct field id_fields[] = {
	FIELD("process", id.process, U64), FIELD("thread", id.thread, U64), FIELD("cpu", id.cpu,
	  U64),
	FIELD("time", id.time_ns, U64), FIELD("id", id.id, U64), FIELD("stream", id.stream, U64),
	{ NULL, 0, FORM_U64 },
};
/* clang-format on */

struct line {
	struct tl_output *out;
	bool json;
};

struct dump {
	struct line line;
	const struct tl_perf_reader *reader;
	struct tl_perf_tracepoint_formats formats;
};

static void put_key(const struct line *l, const char *name)
{
	tl_put_text(l->out, l->json ? ",\"" : " ");
	tl_put_text(l->out, name);
	tl_put_text(l->out, l->json ? "\":" : " ");
}

static void put_hex(const struct line *l, uint64_t value)
{
	if (l->json)
		tl_put_char(l->out, '"');
	tl_put_hex(l->out, value);
	if (l->json)
		tl_put_char(l->out, '"');
}

static void put_id(const struct line *l, const struct tl_perf_build_id *id)
{
	if (l->json)
		tl_put_char(l->out, '"');
	for (unsigned i = 0; i < id->size; i++)
		tl_put_format(l->out, "%02x", id->bytes[i]);
	if (l->json)
		tl_put_char(l->out, '"');
}

static uint64_t number_at(const uint8_t *p, enum form form)
{
	switch (form) {
	case FORM_U8:
		return *p;
	case FORM_U16:
	case FORM_HEX16:
		return tl_get16(p);
	case FORM_U32:
	case FORM_HEX32:
		return tl_get32(p);
	default:
		return tl_get64(p);
	}
}

static void put_field(const struct line *l, const struct tl_perf_record *rec,
		      const struct field *field)
{
	const uint8_t *p = (const uint8_t *)rec + field->at;
	const struct tl_perf_text *text = (const void *)p;
	const struct tl_perf_build_id *id = (const void *)p;

	if (field->form == FORM_ID && !id->size)
		return;
	put_key(l, field->name);
	if (field->form == FORM_TEXT)
		tl_put_json(l->out, text->data, text->size);
	else if (field->form == FORM_ID)
		put_id(l, id);
	else if (field->form >= FORM_HEX16)
		put_hex(l, number_at(p, field->form));
	else
		tl_put_u64(l->out, number_at(p, field->form));
}

static void put_fields(const struct line *l, const struct tl_perf_record *rec,
		       const struct field *field)
{
	for (; field && field->name; field++)
		put_field(l, rec, field);
}

static void put_trailer(const struct line *l, const struct tl_perf_record *rec)
{
	for (const struct field *field = id_fields; field->name; field++)
		if (number_at((const uint8_t *)rec + field->at, FORM_U64) != TL_NOWHERE)
			put_field(l, rec, field);
}

/* The virtual machine that wrote the record, as `perf script -F machine_pid,vcpu` has it. */
static void put_machine(const struct line *l, const struct tl_perf_guest_id *id)
{
	put_key(l, "machine_pid");
	tl_put_u64(l->out, id->machine);
	put_key(l, "vcpu");
	tl_put_u64(l->out, id->processor);
}

/* ---- what a sample holds several of: in JSON only ---- */

/* A list of words of the record; no member where there are none. */
static void put_words(const struct line *l, const struct tl_perf_record *rec, const char *name,
		      const uint8_t *words, uint64_t count)
{
	if (!words || !count)
		return;
	put_key(l, name);
	for (uint64_t i = 0; i < count; i++) {
		tl_put_char(l->out, i ? ',' : '[');
		put_hex(l, tl_get64s(words + 8 * i, rec->swapped));
	}
	tl_put_char(l->out, ']');
}

static void put_counters(const struct line *l, const struct tl_perf_record *rec)
{
	struct tl_perf_read read;

	if (!rec->sample.read_count)
		return;
	put_key(l, "counters");
	for (uint64_t i = 0; tl_perf_sample_read(rec, i, &read, sizeof(read)) == 0; i++) {
		tl_put_text(l->out, i ? ",{\"value\":" : "[{\"value\":");
		tl_put_u64(l->out, read.value);
		if (read.id != TL_NOWHERE) {
			tl_put_text(l->out, ",\"id\":");
			tl_put_u64(l->out, read.id);
		}
		tl_put_char(l->out, '}');
	}
	tl_put_char(l->out, ']');
}

static void put_branches(const struct line *l, const struct tl_perf_record *rec)
{
	if (!rec->sample.branch_count)
		return;
	put_key(l, "branch_stack");
	for (uint64_t i = 0; i < rec->sample.branch_count; i++) {
		const struct tl_perf_branch branch = tl_perf_branch_at(rec, i);

		tl_put_text(l->out, i ? ",{\"from\":" : "[{\"from\":");
		put_hex(l, branch.from);
		tl_put_text(l->out, ",\"to\":");
		put_hex(l, branch.to);
		if (branch.mispredicted || branch.predicted)
			tl_put_text(l->out, branch.mispredicted ? ",\"mispredicted\":true"
								: ",\"mispredicted\":false");
		if (branch.cycles) {
			tl_put_text(l->out, ",\"cycles\":");
			tl_put_u64(l->out, branch.cycles);
		}
		tl_put_char(l->out, '}');
	}
	tl_put_char(l->out, ']');
}

/* Fields that few samples have, by their bit of sample_type. */
static const struct {
	uint64_t bit;
	struct field field;
} rare_fields[] = {
	{ TL_PERF_SAMPLE_WEIGHT_STRUCT, FIELD("var2_w", sample.var2, U16) },
	{ TL_PERF_SAMPLE_WEIGHT_STRUCT, FIELD("var3_w", sample.var3, U16) },
	{ TL_PERF_SAMPLE_DATA_SRC, FIELD("data_src", sample.data_source, HEX64) },
	{ TL_PERF_SAMPLE_TRANSACTION, FIELD("transaction", sample.transaction, HEX64) },
	{ TL_PERF_SAMPLE_PHYS_ADDR, FIELD("phys_addr", sample.physical, HEX64) },
	{ TL_PERF_SAMPLE_CGROUP, FIELD("cgroup", sample.cgroup, U64) },
	{ TL_PERF_SAMPLE_DATA_PAGE_SIZE, FIELD("data_page_size", sample.data_page, U64) },
	{ TL_PERF_SAMPLE_CODE_PAGE_SIZE, FIELD("code_page_size", sample.code_page, U64) },
};

static void put_rare_fields(const struct line *l, const struct tl_perf_record *rec)
{
	for (size_t i = 0; i < sizeof(rare_fields) / sizeof(rare_fields[0]); i++)
		if (rec->attr->sample_type & rare_fields[i].bit)
			put_field(l, rec, &rare_fields[i].field);
}

static void put_lists(const struct line *l, const struct tl_perf_record *rec)
{
	const struct tl_perf_sample *s = &rec->sample;

	put_words(l, rec, "chain", s->callchain, s->callchain_count);
	put_branches(l, rec);
	put_counters(l, rec);
	put_words(l, rec, "user_registers", s->user_registers,
		  (unsigned)__builtin_popcountll(rec->attr->regs_user));
	put_words(l, rec, "interrupt_registers", s->intr_registers,
		  (unsigned)__builtin_popcountll(rec->attr->regs_intr));
	if (s->stack_size) {
		put_key(l, "stack_used");
		tl_put_u64(l->out, s->stack_used);
	}
}

/* The fields of a tracepoint, as the kernel describes them. False without memory. */
static bool put_tracepoint(struct dump *d, const struct tl_perf_record *rec)
{
	struct tl_perf_text fields;

	if (!tl_perf_tracepoint_fields(&d->formats, d->reader, rec, &fields))
		return false;
	if (fields.data) {
		put_key(&d->line, "fields");
		tl_perf_put_tracepoint_fields(rec, fields, d->line.out);
	}
	return true;
}

/* False without memory. */
static bool dump_record(struct dump *d, const struct tl_perf_record *rec)
{
	const struct line l = d->line;
	struct tl_output *out = l.out;
	const bool json = l.json;
	bool ok = true;
	const char *name = tl_perf_type_name(rec->type);
	const struct tl_perf_guest_id *guest =
		tl_perf_is_of_guest(rec) ? tl_perf_guest_ids_find(d->reader, rec->id.id) : NULL;

	if (json) {
		tl_put_text(out, "{\"offset\":");
		tl_put_u64(out, rec->offset);
		tl_put_text(out, ",\"record\":\"");
	} else {
		tl_put_hex(out, rec->offset);
		tl_put_char(out, ' ');
	}
	if (name)
		tl_put_text(out, name);
	else
		tl_put_format(out, "unknown-%u", rec->type);
	if (json)
		tl_put_char(out, '"');
	put_key(&l, "size");
	tl_put_u64(out, rec->body_size + TL_PERF_RECORD_HEADER_BYTES);
	put_key(&l, "misc");
	put_hex(&l, rec->misc);
	put_trailer(&l, rec);
	if (guest)
		put_machine(&l, guest);
	if (name)
		put_fields(&l, rec, fields_of[rec->type]);
	if (json && rec->type == TL_PERF_SAMPLE) {
		put_rare_fields(&l, rec);
		put_lists(&l, rec);
		ok = put_tracepoint(d, rec);
	}
	tl_put_text(out, json ? "}\n" : "\n");
	return ok;
}

int tl_perf_dump(struct tl_perf_reader *reader, bool json, struct tl_output *out,
		 struct tl_error *err)
{
	struct dump dump = { .line = { out, json }, .reader = reader };
	struct tl_perf_record rec;
	bool ok = true;
	int status = 0;

	while (ok && (status = tl_perf_record_next(reader, &rec, err)) > 0 &&
	       !tl_output_failed(out))
		ok = dump_record(&dump, &rec);
	tl_perf_tracepoint_formats_free(&dump.formats);
	if (!ok)
		return tl_error_memory(err);
	return status < 0 ? tl_error_format(err, "perf", status) : 0;
}
