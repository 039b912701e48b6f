/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Record types and the fields of each (UAPI, enum perf_event_type; docs/formats/perf-data.md
 * section 4).
 */
#include "perf_data/container/layout.h"

#include "core/arithmetic.h"

static struct tl_perf_build_id take_build_id(struct tl_perf_view *v, size_t size)
{
	struct tl_perf_build_id id = { .size = (uint8_t)tl_min(size, 20) };

	memcpy(id.bytes, tl_perf_take_bytes(v, 20), 20);
	memset(id.bytes + id.size, 0, (size_t)(20 - id.size));
	return id;
}

static bool decode_mmap(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->mmap.pid = tl_perf_take32(v);
	rec->mmap.tid = tl_perf_take32(v);
	rec->mmap.address = tl_perf_take64(v);
	rec->mmap.length = tl_perf_take64(v);
	rec->mmap.page_offset = tl_perf_take64(v);
	rec->mmap.path = tl_perf_take_text(v);
	return true;
}

static bool decode_mmap2(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	struct tl_perf_view path;

	rec->mmap.pid = tl_perf_take32(v);
	rec->mmap.tid = tl_perf_take32(v);
	rec->mmap.address = tl_perf_take64(v);
	rec->mmap.length = tl_perf_take64(v);
	rec->mmap.page_offset = tl_perf_take64(v);
	if (rec->misc & TL_PERF_MISC_BUILD_ID) {
		uint8_t size = *tl_perf_take_bytes(v, 4);

		rec->mmap.build_id = take_build_id(v, size);
	} else {
		rec->mmap.dev_major = tl_perf_take32(v);
		rec->mmap.dev_minor = tl_perf_take32(v);
		rec->mmap.inode = tl_perf_take64(v);
		rec->mmap.generation = tl_perf_take64(v);
	}
	rec->mmap.protection = tl_perf_take32(v);
	rec->mmap.flags = tl_perf_take32(v);
	path = *v;
	rec->mmap.path = tl_perf_take_text(&path);
	return true;
}

static bool decode_lost(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->lost.id = tl_perf_take64(v);
	rec->lost.count = tl_perf_take64(v);
	return true;
}

static bool decode_lost_samples(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->lost.count = tl_perf_take64(v);
	return true;
}

static bool decode_comm(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->comm.pid = tl_perf_take32(v);
	rec->comm.tid = tl_perf_take32(v);
	rec->comm.name = tl_perf_take_text(v);
	return true;
}

static bool decode_task(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->task.pid = tl_perf_take32(v);
	rec->task.ppid = tl_perf_take32(v);
	rec->task.tid = tl_perf_take32(v);
	rec->task.ptid = tl_perf_take32(v);
	rec->task.time_ns = tl_perf_take64(v);
	return true;
}

static bool decode_throttle(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->throttle.time_ns = tl_perf_take64(v);
	rec->throttle.id = tl_perf_take64(v);
	rec->throttle.stream = tl_perf_take64(v);
	return true;
}

static bool decode_aux(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->aux.offset = tl_perf_take64(v);
	rec->aux.size = tl_perf_take64(v);
	rec->aux.flags = tl_perf_take64(v);
	return true;
}

static bool decode_thread(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->thread.pid = tl_perf_take32(v);
	rec->thread.tid = tl_perf_take32(v);
	return true;
}

static bool decode_namespaces(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->namespaces.pid = tl_perf_take32(v);
	rec->namespaces.tid = tl_perf_take32(v);
	rec->namespaces.count = tl_perf_take64(v);
	return rec->namespaces.count <= tl_perf_view_left(v) / 16;
}

static bool decode_ksymbol(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->ksymbol.address = tl_perf_take64(v);
	rec->ksymbol.length = tl_perf_take32(v);
	rec->ksymbol.type = tl_perf_take16(v);
	rec->ksymbol.flags = tl_perf_take16(v);
	rec->ksymbol.name = tl_perf_take_text(v);
	return true;
}

static bool decode_bpf(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->bpf.type = tl_perf_take16(v);
	rec->bpf.flags = tl_perf_take16(v);
	rec->bpf.id = tl_perf_take32(v);
	rec->bpf.tag = tl_perf_take_bytes(v, 8);
	return true;
}

static bool decode_cgroup(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->cgroup.id = tl_perf_take64(v);
	rec->cgroup.path = tl_perf_take_text(v);
	return true;
}

static bool decode_poke(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->poke.address = tl_perf_take64(v);
	rec->poke.old_size = tl_perf_take16(v);
	rec->poke.new_size = tl_perf_take16(v);
	rec->poke.bytes = v->pos;
	return tl_perf_view_has(v, (uint64_t)rec->poke.old_size + rec->poke.new_size);
}

static bool decode_output(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->output.hw_id = tl_perf_take64(v);
	return true;
}

static bool decode_build_id(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	const uint8_t *bytes;

	rec->build_id.pid = tl_perf_take32(v);
	bytes = v->pos;
	/* Without the bit in misc the record is of an older perf, where an id had 20 bytes. */
	rec->build_id.build_id =
		take_build_id(v, rec->misc & TL_PERF_MISC_ID_SIZE ? bytes[20] : 20);
	tl_perf_take_bytes(v, 4);
	rec->build_id.path = tl_perf_take_text(v);
	return true;
}

static bool decode_auxtrace(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->auxtrace.size = tl_perf_take64(v);
	rec->auxtrace.offset = tl_perf_take64(v);
	rec->auxtrace.reference = tl_perf_take64(v);
	rec->auxtrace.idx = tl_perf_take32(v);
	rec->auxtrace.tid = tl_perf_take32(v);
	rec->auxtrace.cpu = tl_perf_take32(v);
	return true;
}

static bool decode_auxtrace_info(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->auxtrace_info.type = tl_perf_take32(v);
	tl_perf_take32(v);
	rec->auxtrace_info.words = v->pos;
	rec->auxtrace_info.count = tl_perf_view_left(v) / 8;
	return true;
}

static bool decode_auxtrace_error(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->auxtrace_error.type = tl_perf_take32(v);
	rec->auxtrace_error.code = tl_perf_take32(v);
	rec->auxtrace_error.cpu = tl_perf_take32(v);
	rec->auxtrace_error.pid = tl_perf_take32(v);
	rec->auxtrace_error.tid = tl_perf_take32(v);
	tl_perf_take32(v);
	rec->auxtrace_error.ip = tl_perf_take64(v);
	rec->auxtrace_error.time_ns = tl_perf_take64(v);
	rec->auxtrace_error.text = tl_perf_take_text(v);
	return true;
}

static bool decode_time_conv(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->time_conv.shift = tl_perf_take64(v);
	rec->time_conv.mult = tl_perf_take64(v);
	rec->time_conv.zero = tl_perf_take64(v);
	rec->time_conv.zero_valid = true;
	/* perf 5.10 added these; older ones wrote the record only if the zero was known. */
	if (tl_perf_view_has(v, 24)) {
		rec->time_conv.cycles = tl_perf_take64(v);
		rec->time_conv.mask = tl_perf_take64(v);
		rec->time_conv.zero_valid = v->pos[0];
		rec->time_conv.short_valid = v->pos[1];
	}
	return true;
}

static bool decode_feature(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->feature.id = tl_perf_take64(v);
	rec->feature.data = (struct tl_perf_text){ (const char *)v->pos, tl_perf_view_left(v) };
	return true;
}

static bool decode_update(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->update.what = tl_perf_take64(v);
	rec->update.id = tl_perf_take64(v);
	rec->update.data = (struct tl_perf_text){ (const char *)v->pos, tl_perf_view_left(v) };
	return true;
}

static bool decode_list(struct tl_perf_record *rec, struct tl_perf_view *v, size_t entry)
{
	rec->list.count = tl_perf_take64(v);
	return rec->list.count <= tl_perf_view_left(v) / entry;
}

static bool decode_id_index(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	return decode_list(rec, v, 32);
}

static bool decode_thread_map(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	return decode_list(rec, v, 24);
}

static bool decode_stat_config(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	return decode_list(rec, v, 16);
}

static bool decode_stat(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->stat.id = tl_perf_take64(v);
	rec->stat.cpu = tl_perf_take32(v);
	rec->stat.thread = tl_perf_take32(v);
	rec->stat.value = tl_perf_take64(v);
	rec->stat.enabled = tl_perf_take64(v);
	rec->stat.running = tl_perf_take64(v);
	return true;
}

static bool decode_compressed(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->compressed.size = tl_perf_view_left(v);
	return true;
}

static bool decode_compressed2(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	rec->compressed.size = tl_perf_take64(v);
	return rec->compressed.size <= tl_perf_view_left(v);
}

static const struct tl_perf_layout layouts[TL_PERF_TYPE_COUNT] = {
	[TL_PERF_MMAP] = { "MMAP", 32, decode_mmap },
	[TL_PERF_LOST] = { "LOST", 16, decode_lost },
	[TL_PERF_COMM] = { "COMM", 8, decode_comm },
	[TL_PERF_EXIT] = { "EXIT", 24, decode_task },
	[TL_PERF_THROTTLE] = { "THROTTLE", 24, decode_throttle },
	[TL_PERF_UNTHROTTLE] = { "UNTHROTTLE", 24, decode_throttle },
	[TL_PERF_FORK] = { "FORK", 24, decode_task },
	[TL_PERF_READ] = { "READ", 8, decode_thread },
	[TL_PERF_SAMPLE] = { "SAMPLE", 0, tl_perf_sample_decode },
	[TL_PERF_MMAP2] = { "MMAP2", 64, decode_mmap2 },
	[TL_PERF_AUX] = { "AUX", 24, decode_aux },
	[TL_PERF_ITRACE_START] = { "ITRACE_START", 8, decode_thread },
	[TL_PERF_LOST_SAMPLES] = { "LOST_SAMPLES", 8, decode_lost_samples },
	[TL_PERF_SWITCH] = { "SWITCH", 0, NULL },
	[TL_PERF_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", 8, decode_thread },
	[TL_PERF_NAMESPACES] = { "NAMESPACES", 16, decode_namespaces },
	[TL_PERF_KSYMBOL] = { "KSYMBOL", 16, decode_ksymbol },
	[TL_PERF_BPF_EVENT] = { "BPF_EVENT", 16, decode_bpf },
	[TL_PERF_CGROUP] = { "CGROUP", 8, decode_cgroup },
	[TL_PERF_TEXT_POKE] = { "TEXT_POKE", 12, decode_poke },
	[TL_PERF_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", 8, decode_output },
	[TL_PERF_HEADER_ATTR] = { "HEADER_ATTR", TL_PERF_ATTR_MIN_BYTES, NULL },
	[TL_PERF_HEADER_EVENT_TYPE] = { "HEADER_EVENT_TYPE", 0, NULL },
	[TL_PERF_HEADER_TRACING_DATA] = { "HEADER_TRACING_DATA", 4, NULL },
	[TL_PERF_HEADER_BUILD_ID] = { "HEADER_BUILD_ID", 28, decode_build_id },
	[TL_PERF_FINISHED_ROUND] = { "FINISHED_ROUND", 0, NULL },
	[TL_PERF_ID_INDEX] = { "ID_INDEX", 8, decode_id_index },
	[TL_PERF_AUXTRACE_INFO] = { "AUXTRACE_INFO", 8, decode_auxtrace_info },
	[TL_PERF_AUXTRACE] = { "AUXTRACE", 36, decode_auxtrace },
	[TL_PERF_AUXTRACE_ERROR] = { "AUXTRACE_ERROR", 40, decode_auxtrace_error },
	[TL_PERF_THREAD_MAP] = { "THREAD_MAP", 8, decode_thread_map },
	[TL_PERF_CPU_MAP] = { "CPU_MAP", 2, NULL },
	[TL_PERF_STAT_CONFIG] = { "STAT_CONFIG", 8, decode_stat_config },
	[TL_PERF_STAT] = { "STAT", 40, decode_stat },
	[TL_PERF_STAT_ROUND] = { "STAT_ROUND", 16, NULL },
	[TL_PERF_EVENT_UPDATE] = { "EVENT_UPDATE", 16, decode_update },
	[TL_PERF_TIME_CONV] = { "TIME_CONV", 24, decode_time_conv },
	[TL_PERF_HEADER_FEATURE] = { "HEADER_FEATURE", 8, decode_feature },
	[TL_PERF_COMPRESSED] = { "COMPRESSED", 0, decode_compressed },
	[TL_PERF_FINISHED_INIT] = { "FINISHED_INIT", 0, NULL },
	[TL_PERF_COMPRESSED2] = { "COMPRESSED2", 8, decode_compressed2 },
	[TL_PERF_BPF_METADATA] = { "BPF_METADATA", 0, NULL },
};

const struct tl_perf_layout *tl_perf_layout_find(uint32_t type)
{
	return type < TL_PERF_TYPE_COUNT && layouts[type].name ? &layouts[type] : NULL;
}

const char *tl_perf_type_name(uint32_t type)
{
	const struct tl_perf_layout *layout = tl_perf_layout_find(type);

	return layout ? layout->name : NULL;
}

const char *tl_perf_feature_name(unsigned feature)
{
	/* clang-format off */
	static const char *const names[] = {
		NULL, "TRACING_DATA", "BUILD_ID", "HOSTNAME", "OSRELEASE", "VERSION", "ARCH",
		  "NRCPUS",
		"CPUDESC", "CPUID", "TOTAL_MEM", "CMDLINE", "EVENT_DESC", "CPU_TOPOLOGY",
		  "NUMA_TOPOLOGY",
		"BRANCH_STACK", "PMU_MAPPINGS", "GROUP_DESC", "AUXTRACE", "STAT", "CACHE",
		  "SAMPLE_TIME",
		"MEM_TOPOLOGY", "CLOCKID", "DIR_FORMAT", "BPF_PROG_INFO", "BPF_BTF", "COMPRESSED",
		"CPU_PMU_CAPS", "CLOCK_DATA", "HYBRID_TOPOLOGY", "PMU_CAPS",
	};
	/* clang-format on */

	return feature < sizeof(names) / sizeof(names[0]) ? names[feature] : NULL;
}
