/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread a processor's trace is of, and what its process had mapped then, by records of all
 * kinds that are drawn: each piece of the trace has its time in it, and belongs to the thread that
 * ran on its processor at that time (docs/formats/perf-data.md section 8).
 */
#include "trace.h"

#include <stdio.h>

#include "../chance.h"

enum { CPUS = 3, THREADS = 6, PROCESSES = THREADS / 2, IDLE = THREADS, SLOTS = 3 };
enum { EVENTS = 90, ROUNDS = 150, OUT = 1 << 13, EXEC = 1 << 13, POINT = 314 };

/* A piece of trace: it is on for a moment, which the packets tell the time of. */
struct piece {
	uint64_t time;
	size_t at; /* of its bytes in the buffer */
	unsigned thread;
};

struct cpu {
	struct stream stream;
	struct piece pieces[EVENTS];
	unsigned count;
	unsigned runs; /* the thread; IDLE: none that is known */
	bool switched; /* a record has said so */
};

/* What a process has mapped from a time on: a file in each slot of addresses, 0: none. */
struct maps {
	uint64_t time;
	unsigned files[SLOTS];
};

static struct cpu cpus[CPUS];
static struct {
	struct maps list[EVENTS + 1];
	unsigned count;
} processes[PROCESSES];

/* Two threads a process; the number of the idle thread is 0. */
static uint32_t pid_of(unsigned thread)
{
	return thread == IDLE ? 0 : 100 + thread / 2;
}

static uint32_t tid_of(unsigned thread)
{
	return thread == IDLE ? 0 : 1000 + thread;
}

static void put_thread(unsigned thread)
{
	put32(&f, pid_of(thread));
	put32(&f, tid_of(thread));
}

static void put_end(unsigned thread, uint64_t time, unsigned cpu)
{
	put_trailer(&f, pid_of(thread), tid_of(thread), time, cpu);
}

/* ---- records ---- */

static uint64_t address_of(unsigned slot)
{
	return 0x400000 + 0x10000 * (uint64_t)slot;
}

static struct maps *next_maps(unsigned process, uint64_t time)
{
	struct maps *all = processes[process].list;
	const unsigned count = processes[process].count++;

	all[count] = all[count - 1];
	all[count].time = time;
	return &all[count];
}

/* A file in a slot of a process, or another program, which has none of the maps before. */
static void draw_maps(uint64_t time, uint32_t *seed)
{
	const unsigned process = chance(seed, PROCESSES), slot = chance(seed, SLOTS),
		       number = 1 + chance(seed, 3);
	char path[16];

	if (!chance(seed, 4)) {
		put_comm(&f, 100 + process, 1000 + 2 * process, "thread", EXEC, time);
		memset(next_maps(process, time)->files, 0, sizeof(processes[0].list[0].files));
		return;
	}
	snprintf(path, sizeof(path), "/f%u", number);
	put_map(&f, 100 + process, address_of(slot), 0x10000, path, time);
	next_maps(process, time)->files[slot] = number;
}

/* Where prev_pid and next_pid stand in the samples of sched:sched_switch. */
static void put_tracepoint(void)
{
	static const char tracing[] = "name: sched_switch\nID: 314\nformat:\n\tfield:pid_t "
				      "prev_pid;\toffset:4;\tsize:4;\n"
				      "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\n";

	put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 8);
	put_attr(&f, 2, COMMON_TYPE | 1024, 1 << 18);
	patch64(&f, f.size - 64 + 8, POINT);
	put64(&f, 78);
	put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
	put32(&f, (sizeof(tracing) + 7) / 8 * 8);
	put_name(&f, tracing);
}

static void put_names(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		put_comm(&f, pid_of(i), tid_of(i), "thread", 0, 0);
}

/* "ITRACE_START: the thread that runs when tracing begins" */
static void put_start(unsigned cpu, unsigned thread, uint64_t time)
{
	put_header(&f, TL_PERF_ITRACE_START, 0, 8 + 8 + TRAILER);
	put_thread(thread);
	put_end(thread, time, cpu);
}

/* "SWITCH in: the thread of the trailer comes; out: one that is not traced does" */
static void put_plain(unsigned cpu, unsigned thread, uint16_t misc, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH, misc, 8 + TRAILER);
	put_end(thread, time, cpu);
}

/* "SWITCH_CPU_WIDE: in: the fields are the thread that goes, the trailer's the one that comes" */
static void put_wide(unsigned cpu, unsigned goes, unsigned comes, uint16_t misc, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH_CPU_WIDE, misc, 8 + 8 + TRAILER);
	put_thread(misc & OUT ? comes : goes);
	put_end(misc & OUT ? goes : comes, time, cpu);
}

/* The threads' numbers alone: the tracepoint knows no processes. */
static void put_sched_switch(unsigned cpu, unsigned goes, unsigned comes, uint64_t time)
{
	put_header(&f, TL_PERF_SAMPLE, 0, 8 + 32 + 4 + 12);
	put64(&f, 78);
	put_thread(goes);
	put64(&f, time);
	put32(&f, cpu);
	put32(&f, 0);
	put32(&f, 12);
	put32(&f, 0);
	put32(&f, tid_of(goes));
	put32(&f, tid_of(comes));
}

/* ---- what happened ---- */

/* Who goes at the first record that says so ran from the beginning. */
static void ran_before(struct cpu *c, unsigned thread)
{
	for (unsigned i = 0; i < c->count && !c->switched; i++)
		c->pieces[i].thread = thread;
	c->switched = true;
}

/* Code runs where its process has mapped a file: whose address it is may tell whose code. */
static uint64_t any_code(const struct cpu *c, uint32_t *seed)
{
	const unsigned first = chance(seed, SLOTS);
	const unsigned process = c->runs == IDLE ? 0 : c->runs / 2;
	const struct maps *maps = &processes[process].list[processes[process].count - 1];

	for (unsigned i = 0; c->runs != IDLE && i < SLOTS; i++)
		if (maps->files[(first + i) % SLOTS])
			return address_of((first + i) % SLOTS);
	return address_of(SLOTS);
}

static void draw_piece(struct cpu *c, uint64_t time, uint32_t *seed)
{
	if (c->switched && c->runs == IDLE)
		return;
	c->pieces[c->count++] = (struct piece){ time, c->stream.size, c->runs };
	tsc(&c->stream, time);
	on(&c->stream, any_code(c, seed));
	off(&c->stream);
}

static void draw_switch(unsigned cpu, uint64_t time, uint32_t *seed)
{
	struct cpu *c = &cpus[cpu];
	const unsigned comes = chance(seed, THREADS),
		       goes = c->switched ? c->runs : chance(seed, THREADS);
	const uint16_t misc = chance(seed, 2) ? OUT : 0;

	switch (chance(seed, 4)) {
	case 0:
		/* It comes before all trace. */
		if (c->switched || c->count)
			return;
		put_start(cpu, comes, time);
		break;
	case 1:
		/* Of these nobody knows who ran before. */
		if (!c->switched)
			return;
		put_plain(cpu, misc ? goes : comes, misc, time);
		c->runs = misc ? IDLE : comes;
		return;
	case 2:
		put_wide(cpu, goes, comes, misc, time);
		ran_before(c, goes);
		break;
	default:
		put_sched_switch(cpu, goes, comes, time);
		ran_before(c, goes);
		break;
	}
	ran_before(c, comes);
	c->runs = comes;
}

static void draw_events(uint32_t *seed)
{
	uint64_t time = 100;

	memset(cpus, 0, sizeof(cpus));
	memset(processes, 0, sizeof(processes));
	for (unsigned i = 0; i < PROCESSES; i++)
		processes[i].count = 1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		cpus[cpu].runs = IDLE;
		psb(&cpus[cpu].stream, 50);
	}
	for (unsigned i = 0; i < EVENTS; i++) {
		const unsigned cpu = chance(seed, CPUS);

		time += 1 + chance(seed, 5);
		if (!chance(seed, 4))
			draw_maps(time, seed);
		else if (chance(seed, 2))
			draw_switch(cpu, time, seed);
		else
			draw_piece(&cpus[cpu], time, seed);
	}
}

/* ---- asking ---- */

/* What was mapped at a time is there; what comes later may be, until it replaces something. */
static void assert_maps(const struct piece *p)
{
	const unsigned process = p->thread / 2;
	unsigned at = 0;

	while (at + 1 < processes[process].count && processes[process].list[at + 1].time <= p->time)
		at++;
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		const unsigned number = processes[process].list[at].files[slot];
		struct tl_perf_mapping found;
		char path[16];

		if (!number)
			continue;
		snprintf(path, sizeof(path), "/f%u", number);
		assert_int_equal(tl_perf_trace_find_mapping(trace, slice.space,
							    address_of(slot) + 5, &found,
							    sizeof(found)),
				 1);
		assert_string_equal(found.path, path);
		assert_int_equal(found.start, address_of(slot));
	}
}

/* The pieces that a slice has are all of its thread. */
static unsigned assert_slice(void)
{
	const struct cpu *c = &cpus[slice.cpu];
	unsigned found = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct piece *p = &c->pieces[i];

		/* its address, behind the time */
		if (p->at + 8 < slice.from || p->at + 8 >= slice.to)
			continue;
		assert_int_equal(slice.thread, tid_of(p->thread));
		assert_int_equal(slice.process, pid_of(p->thread));
		assert_string_equal(slice.command, "thread");
		assert_maps(p);
		found++;
	}
	return found;
}

static void assert_round(void)
{
	unsigned pieces = 0, found = 0;

	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		pieces += cpus[cpu].count;
	trace_open();
	while (next_slice() > 0)
		found += assert_slice();
	assert_int_equal(found, pieces);
	trace_close();
}

TEST(each_piece_is_of_the_thread_that_ran_then)
{
	uint32_t seed = 1;
	unsigned tried = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		bool all = true;

		file_begin(&f, COMMON_TYPE);
		put_info(0, 1, 0, false);
		put_tracepoint();
		put_names();
		draw_events(&seed);
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			put_auxtrace(cpus[cpu].stream.bytes, cpus[cpu].stream.size, 0, UINT32_MAX,
				     cpu);
			all = all && cpus[cpu].switched;
		}
		/* A processor of which nothing is said has a trace of nobody. */
		if (all)
			assert_round();
		tried += all;
	}
	assert_true(tried > ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_piece_is_of_the_thread_that_ran_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
