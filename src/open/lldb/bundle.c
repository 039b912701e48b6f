/* SPDX-License-Identifier: Apache-2.0 */
#include "open/lldb/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/text/json.h"

enum { NUMBER_ROOM = 32 };

struct reader {
	struct tl_lldb_bundle *bundle;
	struct tl_json json;
	struct tl_lldb_process *process; /* that is being read */
	struct tl_lldb_module module;
	struct tl_lldb_thread thread;
};

typedef int take_fn(struct reader *r, struct tl_error *err);

/* ---- JSON ---- */

static int bad(const struct reader *r, const char *text, struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_FORMAT, r->json.token.offset, text);
}

static int next(struct reader *r, struct tl_error *err)
{
	int status = tl_json_next(&r->json, err);

	if (tl_json_is_fault(&r->json, status))
		return tl_error_at(err, status, r->json.fault_offset, r->json.fault);
	if (!status)
		return bad(r, "the description of the trace is cut short", err);
	return status;
}

/* Give each member of the object that begins here, at its key, or each element of the array. */
static int each(struct reader *r, enum tl_json_kind begin, take_fn *take, struct tl_error *err)
{
	const enum tl_json_kind end =
		begin == TL_JSON_OBJECT ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END;
	int status;

	if (r->json.token.kind != begin)
		return bad(r,
			   begin == TL_JSON_OBJECT ? "an object is expected here"
						   : "an array is expected here",
			   err);
	while ((status = next(r, err)) > 0 && r->json.token.kind != end) {
		status = take(r, err);
		if (status < 0)
			break;
	}
	return tl_error_or_end(status);
}

static int skip(struct reader *r, struct tl_error *err)
{
	int status = tl_json_skip(&r->json, err);

	if (tl_json_is_fault(&r->json, status))
		return tl_error_at(err, status, r->json.fault_offset, r->json.fault);
	return tl_error_or_end(status);
}

/* An integer, or a text that is one, hexadecimal with 0x. */
static int take_number(struct reader *r, uint64_t *value, struct tl_error *err)
{
	int status = next(r, err);
	char text[NUMBER_ROOM], *end;
	size_t size = r->json.token.size;

	if (status < 0)
		return status;
	if ((r->json.token.kind != TL_JSON_NUMBER && r->json.token.kind != TL_JSON_STRING) ||
	    size >= sizeof(text))
		return bad(r, "a number is expected here", err);
	memcpy(text, r->json.token.text, size);
	text[size] = '\0';
	errno = 0;
	*value = strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	if (!size || *end || errno || *text == '-')
		return bad(r, "this is not a number of 64 bits", err);
	return 0;
}

static int take_text(struct reader *r, const char **text, struct tl_error *err)
{
	int status = next(r, err);
	const char *decoded;
	uint32_t number;
	size_t size;

	if (status < 0)
		return status;
	if (r->json.token.kind != TL_JSON_STRING)
		return bad(r, "a text is expected here", err);
	decoded = tl_json_string(&r->json, &size, err);
	if (!decoded)
		return tl_error_memory(err);
	if (memchr(decoded, '\0', size))
		return bad(r, "a zero byte in a text", err);
	number = tl_names_add(&r->bundle->names, decoded, size);
	if (number == TL_NONE)
		return tl_error_memory(err);
	*text = r->bundle->names.names[number].text;
	return 0;
}

/* A small member of the processor's description. */
static int take_small(struct reader *r, uint64_t most, uint64_t *value, struct tl_error *err)
{
	int status = take_number(r, value, err);

	if (status == 0 && *value > most)
		return bad(r, "no processor has such a number", err);
	return status;
}

/* ---- members ---- */

static int take_cpu(struct reader *r, struct tl_error *err)
{
	struct tl_pt_cpu *cpu = &r->bundle->cpu;
	const char *vendor = "";
	uint64_t value = 0;
	int status;

	if (tl_json_is(&r->json, "vendor")) {
		status = take_text(r, &vendor, err);
		r->bundle->intel = !strcmp(vendor, "GenuineIntel");
	} else if (tl_json_is(&r->json, "family")) {
		status = take_small(r, UINT16_MAX, &value, err);
		cpu->family = (uint16_t)value;
	} else if (tl_json_is(&r->json, "model")) {
		status = take_small(r, UINT8_MAX, &value, err);
		cpu->model = (uint8_t)value;
	} else if (tl_json_is(&r->json, "stepping")) {
		status = take_small(r, UINT8_MAX, &value, err);
		cpu->stepping = (uint8_t)value;
	} else {
		status = skip(r, err);
	}
	return status;
}

static int take_module_member(struct reader *r, struct tl_error *err)
{
	const char *path;
	int status;

	if (tl_json_is(&r->json, "file"))
		return take_text(r, &r->module.path, err);
	if (tl_json_is(&r->json, "loadAddress"))
		return take_number(r, &r->module.address, err);
	if (!tl_json_is(&r->json, "systemPath"))
		return skip(r, err);
	status = take_text(r, &path, err);
	if (status == 0 && !r->module.path)
		r->module.path = path;
	return status;
}

static int take_module(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_process *p = r->process;
	int status;

	r->module = (struct tl_lldb_module){ .path = NULL };
	status = each(r, TL_JSON_OBJECT, take_module_member, err);
	if (status < 0)
		return status;
	if (!r->module.path)
		return bad(r, "a module without a path", err);
	if (!tl_grow(&p->modules, &p->module_room, p->module_count + 1, sizeof(*p->modules)))
		return tl_error_memory(err);
	p->modules[p->module_count++] = r->module;
	return 0;
}

static int take_thread_member(struct reader *r, struct tl_error *err)
{
	if (tl_json_is(&r->json, "tid"))
		return take_number(r, &r->thread.id, err);
	if (tl_json_is(&r->json, "iptTrace"))
		return take_text(r, &r->thread.trace, err);
	return skip(r, err);
}

static int take_thread(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_process *p = r->process;
	int status;

	r->thread = (struct tl_lldb_thread){ .id = TL_NOWHERE };
	status = each(r, TL_JSON_OBJECT, take_thread_member, err);
	if (status < 0)
		return status;
	if (!tl_grow(&p->threads, &p->thread_room, p->thread_count + 1, sizeof(*p->threads)))
		return tl_error_memory(err);
	p->threads[p->thread_count++] = r->thread;
	return 0;
}

static int take_process_member(struct reader *r, struct tl_error *err)
{
	int status;

	if (tl_json_is(&r->json, "pid"))
		return take_number(r, &r->process->id, err);
	if (tl_json_is(&r->json, "threads")) {
		status = next(r, err);
		return status < 0 ? status : each(r, TL_JSON_ARRAY, take_thread, err);
	}
	if (tl_json_is(&r->json, "modules")) {
		status = next(r, err);
		return status < 0 ? status : each(r, TL_JSON_ARRAY, take_module, err);
	}
	return skip(r, err);
}

static int take_process(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_bundle *b = r->bundle;

	if (!tl_grow(&b->processes, &b->process_room, b->process_count + 1, sizeof(*b->processes)))
		return tl_error_memory(err);
	r->process = &b->processes[b->process_count++];
	*r->process = (struct tl_lldb_process){ .id = TL_NOWHERE };
	return each(r, TL_JSON_OBJECT, take_process_member, err);
}

static int take_conversion(struct reader *r, struct tl_error *err)
{
	r->bundle->converts = true;
	if (tl_json_is(&r->json, "timeMult"))
		return take_number(r, &r->bundle->multiplier, err);
	if (tl_json_is(&r->json, "timeShift"))
		return take_number(r, &r->bundle->shift, err);
	if (tl_json_is(&r->json, "timeZero"))
		return take_number(r, &r->bundle->zero, err);
	return skip(r, err);
}

static int take_processor_member(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_cpu *cpu = &r->bundle->cpus[r->bundle->cpu_count - 1];

	if (tl_json_is(&r->json, "id"))
		return take_number(r, &cpu->id, err);
	if (tl_json_is(&r->json, "iptTrace"))
		return take_text(r, &cpu->trace, err);
	if (tl_json_is(&r->json, "contextSwitchTrace"))
		return take_text(r, &cpu->switches, err);
	return skip(r, err);
}

static int take_processor(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_bundle *b = r->bundle;

	if (!tl_grow(&b->cpus, &b->cpu_room, b->cpu_count + 1, sizeof(*b->cpus)))
		return tl_error_memory(err);
	b->cpus[b->cpu_count++] = (struct tl_lldb_cpu){ .id = TL_NOWHERE };
	return each(r, TL_JSON_OBJECT, take_processor_member, err);
}

static int take_kernel(struct reader *r, struct tl_error *err)
{
	struct tl_lldb_kernel *kernel = &r->bundle->kernel;

	/* "Defaults to 0xffffffff81000000" */
	if (!kernel->address)
		kernel->address = UINT64_C(0xffffffff81000000);
	if (tl_json_is(&r->json, "loadAddress"))
		return take_number(r, &kernel->address, err);
	if (tl_json_is(&r->json, "file"))
		return take_text(r, &kernel->path, err);
	return skip(r, err);
}

static int take_member(struct reader *r, struct tl_error *err)
{
	static const struct {
		const char *name;
		enum tl_json_kind kind;
		take_fn *take;
	} rows[] = {
		{ "cpuInfo", TL_JSON_OBJECT, take_cpu },
		{ "processes", TL_JSON_ARRAY, take_process },
		{ "cpus", TL_JSON_ARRAY, take_processor },
		{ "tscPerfZeroConversion", TL_JSON_OBJECT, take_conversion },
		{ "kernel", TL_JSON_OBJECT, take_kernel },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tl_json_is(&r->json, rows[i].name)) {
			int status = next(r, err);

			/* LLDB writes null for what it does not know. */
			if (status < 0 || r->json.token.kind == TL_JSON_NULL)
				return tl_error_or_end(status);
			return each(r, rows[i].kind, rows[i].take, err);
		}
	return skip(r, err);
}

int tl_lldb_bundle_read(struct tl_lldb_bundle *bundle, struct tl_source *source,
			struct tl_error *err)
{
	struct reader r = { .bundle = bundle };
	int status;

	*bundle = (struct tl_lldb_bundle){ .intel = false };
	if (!tl_json_begin(&r.json, source))
		return tl_error_memory(err);
	status = next(&r, err);
	if (status > 0)
		status = each(&r, TL_JSON_OBJECT, take_member, err);
	tl_json_end(&r.json);
	if (status < 0)
		tl_lldb_bundle_free(bundle);
	return status;
}

void tl_lldb_bundle_free(struct tl_lldb_bundle *bundle)
{
	for (size_t i = 0; i < bundle->process_count; i++) {
		free(bundle->processes[i].modules);
		free(bundle->processes[i].threads);
	}
	free(bundle->processes);
	free(bundle->cpus);
	tl_names_free(&bundle->names);
	*bundle = (struct tl_lldb_bundle){ .intel = false };
}
