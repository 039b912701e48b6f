/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ELR_EL1 = 6, NZCV = 2, DAIF = 10, TPIDR_EL0 = 3 };

/* In the order of a snapshot (2.3, item 10). */
static const char *const system_names[SYSTEM_REGISTERS] = {
	"fpcr",    "fpsr",     "nzcv",    "tpidr_el0", "tpidrro_el0", "ttbr0_el1",
	"elr_el1", "spsr_el1", "esr_el1", "tpidr_el1", "daif",
};

/* Is a name one of a bank such as x0..x30? */
static bool banked(const char *name, char letter, unsigned count, unsigned *number)
{
	char *end;
	unsigned long value;

	if (name[0] != letter || name[1] < '0' || name[1] > '9')
		return false;
	value = strtoul(name + 1, &end, 10);
	*number = (unsigned)value;
	return !*end && value < count;
}

static void keep_system(struct registers *r, const qemu_plugin_reg_descriptor *d)
{
	if (!strcasecmp(d->name, "elr_el2"))
		r->elr[2] = d->handle;
	if (!strcasecmp(d->name, "elr_el3"))
		r->elr[3] = d->handle;
	/* QEMU's user mode has the thread pointer as "tpidr". */
	if (!strcasecmp(d->name, "tpidr") && !r->system[TPIDR_EL0])
		r->system[TPIDR_EL0] = d->handle;
	for (unsigned i = 0; i < SYSTEM_REGISTERS; i++)
		if (!strcasecmp(d->name, system_names[i]) && !r->system[i])
			r->system[i] = d->handle;
}

static void keep(struct registers *r, const qemu_plugin_reg_descriptor *d)
{
	unsigned n;

	if (banked(d->name, 'x', 31, &n))
		r->x[n] = d->handle;
	else if (!strcmp(d->name, "sp"))
		r->x[31] = d->handle;
	else if (!strcmp(d->name, "cpsr"))
		r->cpsr = d->handle;
	else if (banked(d->name, 'z', 32, &n))
		r->z[n] = d->handle;
	else if (banked(d->name, 'v', 32, &n) && !r->z[n])
		r->z[n] = d->handle;
	else if (banked(d->name, 'p', 16, &n))
		r->p[n] = d->handle;
	else if (!strcmp(d->name, "vg"))
		r->granules = d->handle;
	else if (!strcmp(d->name, "ffr"))
		r->ffr = d->handle;
	else
		keep_system(r, d);
}

void registers_find(struct registers *r)
{
	GArray *list = qemu_plugin_get_registers();

	*r = (struct registers){ .bytes = g_byte_array_new() };
	for (unsigned i = 0; i < list->len; i++)
		keep(r, &g_array_index(list, qemu_plugin_reg_descriptor, i));
	g_array_free(list, true);
}

void registers_free(struct registers *r)
{
	g_byte_array_free(r->bytes, true);
}

/* Up to `room` bytes, zeros behind them. Returns how many the register has. */
static unsigned read_bytes(struct registers *r, struct qemu_plugin_register *handle, void *to,
			   unsigned room)
{
	int size;

	memset(to, 0, room);
	if (!handle)
		return 0;
	g_byte_array_set_size(r->bytes, 0);
	size = qemu_plugin_read_register(handle, r->bytes);
	if (size <= 0)
		return 0;
	memcpy(to, r->bytes->data, (unsigned)size < room ? (unsigned)size : room);
	return (unsigned)size;
}

static uint64_t read_number(struct registers *r, struct qemu_plugin_register *handle)
{
	uint64_t value;

	read_bytes(r, handle, &value, sizeof(value));
	return le64toh(value);
}

uint64_t register_x(struct registers *r, unsigned number)
{
	return read_number(r, r->x[number]);
}

uint64_t register_operand(struct registers *r, unsigned number)
{
	return number == 31 ? 0 : register_x(r, number);
}

void register_predicate(struct registers *r, unsigned number, uint8_t bytes[MAX_PREDICATE_BYTES])
{
	read_bytes(r, r->p[number], bytes, MAX_PREDICATE_BYTES);
}

uint64_t register_flags(struct registers *r)
{
	return read_number(r, r->cpsr) & 0xf0000000;
}

unsigned register_el(struct registers *r)
{
	return read_number(r, r->cpsr) >> 2 & 3;
}

uint64_t register_elr(struct registers *r, unsigned el)
{
	return read_number(r, el > 1 ? r->elr[el] : r->system[ELR_EL1]);
}

void registers_snapshot(struct registers *r, struct snapshot *s, bool now)
{
	uint64_t cpsr = read_number(r, r->cpsr);
	uint64_t granules = now ? read_number(r, r->granules) : 0;

	for (unsigned i = 0; i < 32; i++)
		s->x[i] = register_x(r, i);
	for (unsigned i = 0; i < 32; i++)
		s->vector_bytes = read_bytes(r, r->z[i], s->z[i], MAX_VECTOR_BYTES);
	if (granules && granules < s->vector_bytes / 8)
		s->vector_bytes = (unsigned)granules * 8;
	if (s->vector_bytes < 16 || s->vector_bytes > MAX_VECTOR_BYTES)
		s->vector_bytes = 16;
	for (unsigned i = 0; i < 16; i++)
		read_bytes(r, r->p[i], s->p[i], MAX_PREDICATE_BYTES);
	read_bytes(r, r->ffr, s->ffr, MAX_PREDICATE_BYTES);
	for (unsigned i = 0; i < SYSTEM_REGISTERS; i++)
		s->system[i] = read_number(r, r->system[i]);
	/* QEMU has these two in the CPSR only. */
	s->system[NZCV] = cpsr & 0xf0000000;
	s->system[DAIF] = cpsr & 0x3c0;
}
