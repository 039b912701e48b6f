/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_LLDB_BUNDLE_H
#define TL_OPEN_LLDB_BUNDLE_H
/*
 * The description of a trace bundle of LLDB (`trace save`): which files hold Intel PT of which
 * threads, and what was loaded where (docs/formats/lldb-bundle.md).
 */
#include <tracelathe/intel_pt.h>

#include "core/memory.h"

struct tl_lldb_module {
	const char *path; /* of the copy, else where it was at run time; not yet joined */
	uint64_t address; /* the lowest one of its sections */
};

struct tl_lldb_thread {
	uint64_t id;
	const char *trace; /* NULL: it has none */
};

struct tl_lldb_process {
	uint64_t id;
	struct tl_lldb_module *modules;
	size_t module_count, module_room;
	struct tl_lldb_thread *threads;
	size_t thread_count, thread_room;
};

/* A processor, whose buffer has whatever ran on it. */
struct tl_lldb_cpu {
	uint64_t id;
	const char *trace, *switches; /* NULL: it has none */
};

/* The kernel: the only program of a bundle that has it. */
struct tl_lldb_kernel {
	const char *path; /* NULL: there is none */
	uint64_t address;
};

struct tl_lldb_bundle {
	struct tl_names names;
	bool intel; /* cpuInfo names a processor */
	struct tl_pt_cpu cpu;
	struct tl_lldb_process *processes;
	size_t process_count, process_room;
	struct tl_lldb_cpu *cpus;
	size_t cpu_count, cpu_room;
	struct tl_lldb_kernel kernel;
	bool converts; /* tscPerfZeroConversion is there */
	uint64_t multiplier, shift, zero;
};

/* Read the whole text. On failure the bundle is empty. */
int tl_lldb_bundle_read(struct tl_lldb_bundle *bundle, struct tl_source *source,
			struct tl_error *err);
void tl_lldb_bundle_free(struct tl_lldb_bundle *bundle);

#endif
