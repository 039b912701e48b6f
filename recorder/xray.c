/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs built with -fxray-instrument: LLVM's run-time is in the program and switches its sleds
 * on. Its functions are found in the program's symbol table, since most programs do not export
 * them. Either our own writer is its handler, or its flight data recorder is begun and ended.
 */
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_file.h"
#include "thread.h"

/* XRayEntryType of LLVM's public xray_interface.h. */
enum { ENTRY = 0, EXIT = 1, TAIL = 2, LOG_ARGUMENT = 3 };
/* Metadata records with data behind them: docs/formats/xray.md 2.3. */
enum { CUSTOM_EVENT = 5, CALL_ARGUMENT = 6, TYPED_EVENT = 8 };
/* XRayLogInitStatus and the like are enumerations from 0; these are what success is. */
enum { MODE_FOUND = 0, LOG_INITIALIZED = 2, LOG_FINALIZED = 4 };

/* ---- our own writer as handler ---- */

static void on_function(int32_t id, int type)
{
	struct rt_thread *t = rt_thread();
	uint64_t sp = (uintptr_t)__builtin_frame_address(0);

	if (!t)
		return;
	if (type == ENTRY || type == LOG_ARGUMENT)
		rt_enter(t, (uint32_t)id, sp, true, RT_ENTER);
	else
		rt_leave_id(t, (uint32_t)id, type == TAIL ? RT_TAIL_EXIT : RT_EXIT);
}

static void metadata(uint8_t record[RT_METADATA_BYTES], unsigned kind)
{
	memset(record, 0, RT_METADATA_BYTES);
	record[0] = (uint8_t)(kind << 1 | 1);
}

static void on_argument(int32_t id, int type, uint64_t argument)
{
	struct rt_thread *t = rt_thread();
	uint8_t record[RT_METADATA_BYTES];
	struct rt_frame *frame;

	if (!t)
		return;
	if (type != LOG_ARGUMENT) {
		on_function(id, type);
		return;
	}
	frame = rt_enter(t, (uint32_t)id, (uintptr_t)__builtin_frame_address(0), true,
			 RT_ENTER_ARGUMENT);
	metadata(record, CALL_ARGUMENT);
	memcpy(record + 1, &argument, sizeof(argument));
	if (frame && frame->recorded)
		rt_put_event(t, record, NULL, 0);
}

/* Ticks since the record before, which events of version 5 have too. */
static int32_t event_delta(struct rt_thread *t)
{
	uint64_t now = rt_clock(t->tsc);
	int32_t delta;

	if ((now - t->log->last) >> 31)
		rt_step(t, &now);
	delta = (int32_t)(now - t->log->last);
	t->log->last = now;
	return delta;
}

static void on_custom_event(void *data, size_t size)
{
	struct rt_thread *t = rt_thread();
	uint8_t record[RT_METADATA_BYTES];
	int32_t bytes = (int32_t)size, delta;

	if (!t)
		return;
	metadata(record, CUSTOM_EVENT);
	delta = event_delta(t);
	memcpy(record + 1, &bytes, 4);
	memcpy(record + 5, &delta, 4);
	rt_put_event(t, record, data, size);
}

static void on_typed_event(size_t type, const void *data, size_t size)
{
	struct rt_thread *t = rt_thread();
	uint8_t record[RT_METADATA_BYTES];
	int32_t bytes = (int32_t)size, delta;
	uint16_t number = (uint16_t)type;

	if (!t)
		return;
	metadata(record, TYPED_EVENT);
	delta = event_delta(t);
	memcpy(record + 1, &bytes, 4);
	memcpy(record + 5, &delta, 4);
	memcpy(record + 9, &number, 2);
	rt_put_event(t, record, data, size);
}

/* ---- the run-time of the program ---- */

struct program {
	struct rt_elf file;
	uint64_t bias;
};

/* The first object is the program. */
static int first_object(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static bool open_program(struct program *program)
{
	dl_iterate_phdr(first_object, &program->bias);
	return rt_elf_open(&program->file, "/proc/self/exe");
}

static uint64_t address_of(const struct program *program, const char *name)
{
	uint64_t value = rt_elf_symbol(&program->file, name);

	return value ? value + program->bias : 0;
}

static bool set_handler(const struct program *program, const char *name, uint64_t handler)
{
	int (*set)(uint64_t);
	uint64_t address = address_of(program, name);

	if (!address)
		return false;
	memcpy(&set, &address, sizeof(set));
	set(handler);
	return true;
}

/* Patch the functions that the file names, or all. */
static void patch(const struct program *program)
{
	uint64_t all = address_of(program, "__xray_patch");
	uint64_t one = address_of(program, "__xray_patch_function");
	int fd = rt_open(rt.folder, "functions", O_RDONLY);
	int (*patch_all)(void), (*patch_one)(int32_t);
	char text[4096];
	ssize_t got;
	int32_t id = 0;

	memcpy(&patch_all, &all, sizeof(all));
	memcpy(&patch_one, &one, sizeof(one));
	if (fd < 0) {
		if (all)
			patch_all();
		return;
	}
	while (one && (got = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] >= '0' && text[i] <= '9')
				id = id * 10 + (text[i] - '0');
			else if (id)
				patch_one(id), id = 0;
		}
	close(fd);
}

static bool begin_own(const struct program *program)
{
	if (!set_handler(program, "__xray_set_handler", (uintptr_t)on_function))
		return false;
	set_handler(program, "__xray_set_handler_arg1", (uintptr_t)on_argument);
	set_handler(program, "__xray_set_customevent_handler", (uintptr_t)on_custom_event);
	set_handler(program, "__xray_set_typedevent_handler", (uintptr_t)on_typed_event);
	patch(program);
	return true;
}

static int (*llvm_finalize)(void), (*llvm_flush)(void);

static bool begin_llvm(const struct program *program)
{
	uint64_t select = address_of(program, "__xray_log_select_mode");
	uint64_t init = address_of(program, "__xray_log_init_mode");
	uint64_t finalize = address_of(program, "__xray_log_finalize");
	uint64_t flush = address_of(program, "__xray_log_flushLog");
	int (*select_mode)(const char *), (*init_mode)(const char *, const char *);

	/* The mode is known once the program's constructors have run; so this one runs now, too. */
	uint64_t known = address_of(program, "_ZN6__xray24fdrLogDynamicInitializerEv");
	bool (*make_known)(void);

	if (!select || !init || !finalize || !flush || !known)
		return false;
	memcpy(&make_known, &known, sizeof(known));
	make_known();
	memcpy(&select_mode, &select, sizeof(select));
	memcpy(&init_mode, &init, sizeof(init));
	if (select_mode("xray-fdr") != MODE_FOUND ||
	    init_mode("xray-fdr", getenv(TL_RECORDING_LLVM)) != LOG_INITIALIZED)
		return false;
	memcpy(&llvm_finalize, &finalize, sizeof(finalize));
	memcpy(&llvm_flush, &flush, sizeof(flush));
	patch(program);
	return true;
}

void rt_xray_end(void)
{
	if (llvm_finalize && llvm_finalize() == LOG_FINALIZED)
		llvm_flush();
}

void rt_xray_begin(void)
{
	struct program program = { .bias = 0 };

	if (!open_program(&program))
		return;
	if (rt.options.llvm)
		begin_llvm(&program);
	else
		begin_own(&program);
	rt_elf_close(&program.file);
}
