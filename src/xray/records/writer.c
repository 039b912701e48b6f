/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to FDR and basic-mode files (docs/formats/xray.md, 6). A block is collected in memory,
 * because its extents stand before it; unused bytes are zero.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "core/memory.h"
#include "core/output.h"
#include "xray/records/reader.h"
#include "xray/records/writer.h"

struct tl_xray_writer {
	struct tl_output *out;
	struct tl_xray_writer_options options;
	struct tl_xray_dialect dialect;

	/* The block that is being written, from its NewBuffer on. */
	uint8_t *block;
	size_t size, capacity;
	bool in_block, has_wall, has_pid, has_body;
	int32_t thread, process;
	uint64_t wall_seconds;
	uint32_t wall_microseconds;
	bool has_base; /* a NewCPUId was written: `base` and `cpu` are valid */
	uint64_t base;
	uint16_t cpu;

	/* Basic mode: the last function record, to which arguments belong. */
	struct tl_xray_record function;
};

/* The runtime writes a TSCWrap when a delta exceeds this (2.6). */
#define MOST_DELTA ((uint64_t)INT32_MAX)

/* ---- bytes ---- */

static void set16(const struct tl_xray_dialect *d, uint8_t *p, uint16_t v)
{
	v = d->swap ? __builtin_bswap16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static void set32(const struct tl_xray_dialect *d, uint8_t *p, uint32_t v)
{
	v = d->swap ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static void set64(const struct tl_xray_dialect *d, uint8_t *p, uint64_t v)
{
	v = d->swap ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}

/* `size` zero bytes at the end of the block; NULL without memory. */
static uint8_t *append(struct tl_xray_writer *w, size_t size)
{
	uint8_t *p;

	if (!tl_grow(&w->block, &w->capacity, w->size + size, 1))
		return NULL;
	p = w->block + w->size;
	memset(p, 0, size);
	w->size += size;
	return p;
}

/* A metadata record; its payload is at [1]. */
static uint8_t *append_metadata(struct tl_xray_writer *w, enum tl_xray_metadata kind)
{
	uint8_t *p = append(w, TL_XRAY_METADATA_BYTES);

	if (p)
		p[0] = tl_xray_metadata_byte(&w->dialect, kind);
	return p;
}

static void write_header(struct tl_xray_writer *w)
{
	const struct tl_xray_writer_options *o = &w->options;
	uint8_t header[TL_XRAY_HEADER_BYTES] = { 0 };

	set16(&w->dialect, header, o->version);
	set16(&w->dialect, header + 2,
	      o->mode == TL_XRAY_FDR ? TL_XRAY_TYPE_FDR : TL_XRAY_TYPE_BASIC);
	set32(&w->dialect, header + 4, (uint32_t)o->constant_tsc | (uint32_t)o->nonstop_tsc << 1);
	set64(&w->dialect, header + 8, o->frequency);
	if (o->mode == TL_XRAY_FDR)
		set64(&w->dialect, header + 16, o->buffer_size);
	tl_put_bytes(w->out, header, sizeof(header));
}

int tl_xray_writer_open(struct tl_xray_writer **writer, struct tl_output *out,
			const struct tl_xray_writer_options *options, struct tl_error *err)
{
	struct tl_xray_writer_options o;
	unsigned newest;
	struct tl_xray_writer *w;

	*writer = NULL;
	if (options->size < sizeof(*options))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_xray_writer_options is too small");
	tl_take(&o, sizeof(o), options, options->size);
	newest = o.mode == TL_XRAY_FDR ? 5 : 3;
	if (o.mode == TL_XRAY_PROFILING || o.version < 1 || o.version > newest)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "an XRay trace is written as FDR version 1 to 5 or basic mode "
				   "version 1 to 3");
	w = calloc(1, sizeof(*w));
	if (!w)
		return tl_error_memory(err);
	w->out = out;
	w->options = o;
	w->dialect = (struct tl_xray_dialect){
		.mode = o.mode,
		.version = o.version,
		.swap = o.big_endian != TL_HOST_BIG_ENDIAN,
		.high_bits = o.high_bits,
	};
	*writer = w;
	write_header(w);
	return 0;
}

/* ---- blocks ---- */

/* Version 1: filler up to the buffer size of the header ("EndOfBuffer Records"). */
static bool fill_buffer(struct tl_xray_writer *w)
{
	uint64_t unit = w->options.buffer_size;
	uint64_t over;

	if (!append_metadata(w, TL_XRAY_MD_END_OF_BUFFER))
		return false;
	over = unit ? w->size % unit : 0;
	return !over || unit - over > PTRDIFF_MAX || append(w, (size_t)(unit - over)) != NULL;
}

static int flush_block(struct tl_xray_writer *w, struct tl_error *err)
{
	uint8_t extents[TL_XRAY_METADATA_BYTES] = { 0 };

	/* A block without a body is not written. */
	if (w->in_block && w->has_body) {
		if (w->options.version == 1) {
			if (!fill_buffer(w))
				return tl_error_memory(err);
		} else {
			extents[0] = tl_xray_metadata_byte(&w->dialect, TL_XRAY_MD_BUFFER_EXTENTS);
			set64(&w->dialect, extents + 1, w->size);
			tl_put_bytes(w->out, extents, sizeof(extents));
		}
		tl_output_write(w->out, w->block, w->size);
	}
	w->size = 0;
	w->in_block = w->has_wall = w->has_pid = w->has_body = w->has_base = false;
	return 0;
}

static bool begin_block(struct tl_xray_writer *w, int32_t thread)
{
	uint8_t *p = append_metadata(w, TL_XRAY_MD_NEW_BUFFER);

	if (!p)
		return false;
	set32(&w->dialect, p + 1, (uint32_t)thread);
	w->thread = thread;
	w->in_block = true;
	return true;
}

static bool put_wall_clock(struct tl_xray_writer *w, uint64_t seconds, uint32_t microseconds)
{
	uint8_t *p = w->has_wall ? w->block : append_metadata(w, TL_XRAY_MD_WALL_CLOCK);

	if (p && !w->has_wall) {
		set64(&w->dialect, p + 1, seconds);
		set32(&w->dialect, p + 9, microseconds);
		w->has_wall = true;
		w->wall_seconds = seconds;
		w->wall_microseconds = microseconds;
	}
	return p != NULL;
}

static bool put_pid(struct tl_xray_writer *w, int32_t process)
{
	uint8_t *p;

	if (w->options.version < 3)
		return true;
	p = put_wall_clock(w, 0, 0) ? append_metadata(w, TL_XRAY_MD_PID) : NULL;
	if (!p)
		return false;
	set32(&w->dialect, p + 1, (uint32_t)process);
	w->process = process;
	w->has_pid = true;
	return true;
}

/*
 * A block belongs to one process: a record of another one begins the next block ("ThreadBuffer").
 */
static bool in_process(struct tl_xray_writer *w, int32_t process)
{
	if (w->options.version < 3 || (w->has_pid && w->process == process))
		return true;
	if (!w->has_pid && !w->has_body)
		return put_pid(w, process);
	return flush_block(w, NULL) == 0 && begin_block(w, w->thread) &&
	       put_wall_clock(w, w->wall_seconds, w->wall_microseconds) && put_pid(w, process);
}

static bool put_cpu(struct tl_xray_writer *w, uint16_t cpu, uint64_t tsc)
{
	/* Readers expect a WallClockTime before the body, also if the source has lost its own. */
	uint8_t *p = put_wall_clock(w, 0, 0) ? append_metadata(w, TL_XRAY_MD_NEW_CPU) : NULL;

	if (!p)
		return false;
	set16(&w->dialect, p + 1, cpu);
	set64(&w->dialect, p + 3, tsc);
	w->cpu = cpu;
	w->base = tsc;
	w->has_base = w->has_body = true;
	return true;
}

static bool put_tsc_wrap(struct tl_xray_writer *w, uint64_t tsc)
{
	uint8_t *p = append_metadata(w, TL_XRAY_MD_TSC_WRAP);

	if (!p)
		return false;
	set64(&w->dialect, p + 1, tsc);
	w->base = tsc;
	return true;
}

/* Move the base so that the delta to `tsc` fits, and set *delta. */
static bool move_base(struct tl_xray_writer *w, uint64_t tsc, uint32_t *delta)
{
	if (tsc - w->base > MOST_DELTA && !put_tsc_wrap(w, tsc))
		return false;
	*delta = (uint32_t)(tsc - w->base);
	w->base = tsc;
	return true;
}

/* ---- records of a body ---- */

static bool put_function(struct tl_xray_writer *w, const struct tl_xray_record *record)
{
	uint32_t word, delta;
	uint8_t *p;

	if ((!w->has_base || record->cpu != w->cpu) && !put_cpu(w, record->cpu, record->tsc))
		return false;
	if (!move_base(w, record->tsc, &delta))
		return false;
	p = append(w, TL_XRAY_FUNCTION_BYTES);
	if (!p)
		return false;
	word = w->dialect.high_bits
		       ? (uint32_t)record->action << 28 | (record->function & 0x0fffffff)
		       : (uint32_t)record->action << 1 | record->function << 4;
	set32(&w->dialect, p, word);
	set32(&w->dialect, p + 4, delta);
	return true;
}

static bool put_event(struct tl_xray_writer *w, const struct tl_xray_record *record)
{
	bool custom = record->kind == TL_XRAY_CUSTOM_EVENT;
	bool absolute = custom && w->options.version < 5;
	bool own_cpu = custom && w->options.version == 4;
	uint32_t delta = 0;
	uint8_t *p;

	if ((!w->has_base || (!own_cpu && record->cpu != w->cpu)) &&
	    !put_cpu(w, record->cpu, record->tsc))
		return false;
	if (!absolute && !move_base(w, record->tsc, &delta))
		return false;
	p = append_metadata(w, custom ? TL_XRAY_MD_CUSTOM_EVENT : TL_XRAY_MD_TYPED_EVENT);
	if (!p)
		return false;
	set32(&w->dialect, p + 1, record->payload_size);
	if (absolute) {
		set64(&w->dialect, p + 5, record->tsc);
		if (w->options.version == 4)
			set16(&w->dialect, p + 13, record->cpu);
	} else {
		set32(&w->dialect, p + 5, delta);
		if (!custom)
			set16(&w->dialect, p + 9, record->event_type);
	}
	if (!record->payload_size)
		return true;
	p = append(w, record->payload_size);
	if (p)
		memcpy(p, record->payload, record->payload_size);
	return p != NULL;
}

static bool put_argument(struct tl_xray_writer *w, const struct tl_xray_record *record)
{
	uint8_t *p;

	if (!w->has_base)
		return true; /* an argument whose entry was lost */
	p = append_metadata(w, TL_XRAY_MD_CALL_ARGUMENT);
	if (p)
		set64(&w->dialect, p + 1, record->value);
	return p != NULL;
}

static bool put_fdr(struct tl_xray_writer *w, const struct tl_xray_record *record)
{
	if (!w->in_block && !begin_block(w, record->thread))
		return false;
	switch (record->kind) {
	case TL_XRAY_FUNCTION:
		return in_process(w, record->process) && put_function(w, record);
	case TL_XRAY_CUSTOM_EVENT:
	case TL_XRAY_TYPED_EVENT:
		return in_process(w, record->process) && put_event(w, record);
	case TL_XRAY_CALL_ARGUMENT:
		return put_argument(w, record);
	case TL_XRAY_NEW_CPU:
		return in_process(w, record->process) && put_cpu(w, record->cpu, record->tsc);
	case TL_XRAY_TSC_WRAP:
		return w->has_base ? put_tsc_wrap(w, record->tsc)
				   : put_cpu(w, record->cpu, record->tsc);
	case TL_XRAY_WALL_CLOCK:
		return put_wall_clock(w, record->value, record->microseconds);
	case TL_XRAY_PID:
		return in_process(w, record->process);
	default:
		return true;
	}
}

/* ---- basic mode ---- */

static void set_basic_thread(struct tl_xray_writer *w, uint8_t *p,
			     const struct tl_xray_record *record)
{
	set32(&w->dialect, p, (uint32_t)record->thread);
	if (w->options.version >= 3)
		set32(&w->dialect, p + 4, (uint32_t)record->process);
}

static int put_basic(struct tl_xray_writer *w, const struct tl_xray_record *record,
		     struct tl_error *err)
{
	uint8_t p[TL_XRAY_BASIC_BYTES] = { 0 };

	if (record->kind == TL_XRAY_FUNCTION) {
		if (record->cpu > UINT8_MAX)
			return tl_error_at(err, TL_UNSUPPORTED, record->offset,
					   "basic mode has no room for a CPU above 255");
		if (record->action == TL_XRAY_TAIL_EXIT && w->options.version < 2)
			return tl_error_at(err, TL_UNSUPPORTED, record->offset,
					   "basic mode has no tail exits in version 1");
		p[2] = (uint8_t)record->cpu;
		p[3] = (uint8_t)record->action;
		set32(&w->dialect, p + 4, record->function);
		set64(&w->dialect, p + 8, record->tsc);
		set_basic_thread(w, p + 16, record);
		w->function = *record;
	} else if (record->kind == TL_XRAY_CALL_ARGUMENT) {
		set16(&w->dialect, p, 1);
		set32(&w->dialect, p + 4, w->function.function);
		set_basic_thread(w, p + 8, record);
		set64(&w->dialect, p + 16, record->value);
	} else if (record->kind == TL_XRAY_CUSTOM_EVENT || record->kind == TL_XRAY_TYPED_EVENT) {
		return tl_error_at(err, TL_UNSUPPORTED, record->offset,
				   "basic mode has no custom or typed events");
	} else {
		return 0;
	}
	tl_put_bytes(w->out, p, sizeof(p));
	return 0;
}

/*
 * Whether an id fits 28 bits. With low bits in a big-endian file, bit 20 is where a reader looks
 * for the discriminant (3.4).
 */
static bool has_room_for_id(const struct tl_xray_writer_options *options, uint32_t id)
{
	return id < UINT32_C(1) << 28 &&
	       !(options->big_endian && !options->high_bits && id >> 20 & 1);
}

/* ---- the interface ---- */

int tl_xray_writer_put_unsized(struct tl_xray_writer *writer, const struct tl_xray_record *record,
			       struct tl_error *err)
{
	int status;

	if (record->kind == TL_XRAY_SAMPLE)
		return tl_error_at(err, TL_UNSUPPORTED, record->offset,
				   "a profile of sums does not hold records");
	if (writer->options.mode == TL_XRAY_BASIC)
		return put_basic(writer, record, err);
	if (record->kind == TL_XRAY_FUNCTION &&
	    !has_room_for_id(&writer->options, record->function))
		return tl_error_at(err, TL_UNSUPPORTED, record->offset,
				   "the function id does not fit the bits of an FDR record");
	if (record->kind == TL_XRAY_BUFFER_EXTENTS || record->kind == TL_XRAY_END_OF_BUFFER ||
	    record->kind == TL_XRAY_LOST)
		return 0;
	if (record->kind == TL_XRAY_NEW_BUFFER) {
		status = flush_block(writer, err);
		if (status < 0)
			return status;
		if (!begin_block(writer, record->thread))
			return tl_error_memory(err);
		return 0;
	}
	if (!put_fdr(writer, record))
		return tl_error_memory(err);
	return 0;
}

int tl_xray_writer_put(struct tl_xray_writer *writer, const struct tl_xray_record *record,
		       size_t size, struct tl_error *err)
{
	struct tl_xray_record taken;

	if (size < sizeof(taken))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_xray_record is too small");
	tl_take(&taken, sizeof(taken), record, size);
	return tl_xray_writer_put_unsized(writer, &taken, err);
}

int tl_xray_writer_finish(struct tl_xray_writer *writer, struct tl_error *err)
{
	int status = flush_block(writer, err);

	free(writer->block);
	free(writer);
	return status;
}
