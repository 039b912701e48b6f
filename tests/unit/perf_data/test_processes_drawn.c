/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that map files, fork and exec as it is drawn: what is at an address at a time, and what
 * a thread is called, against tables that are copied whole at each change
 * (docs/formats/perf-data.md section 8).
 */
#include "file.h"

#include <stdio.h>

#include "../chance.h"
#include "perf_data/processes/system.h"

enum { PROCESSES = 5, SLOTS = 8, SLOT = 0x4000, MOST_EPOCHS = 400, THREADS = 12, NAMES = 400 };

/* What a slot of addresses has: a file and where in it the slot begins; no path: nothing. */
struct slot {
	unsigned path, shift;
};

/* All that a process has from a time on, until the next epoch: maps that came later, too. */
struct epoch {
	uint64_t time;
	struct slot slots[SLOTS];
};

struct process {
	struct epoch epochs[MOST_EPOCHS];
	unsigned count;
	bool has_changes; /* something was recorded of it */
};

struct thread {
	struct {
		uint64_t time;
		unsigned name;
	} names[NAMES];
	unsigned count, process;
	bool is_known;
};

static struct process processes[PROCESSES], kernel;
static struct thread threads[THREADS];
static struct tl_perf_system sys;
static struct tl_error err;

static void begin(void)
{
	memset(&sys, 0, sizeof(sys));
	memset(processes, 0, sizeof(processes));
	memset(threads, 0, sizeof(threads));
	memset(&kernel, 0, sizeof(kernel));
	for (unsigned i = 0; i < PROCESSES; i++)
		processes[i].count = 1;
	kernel.count = 1;
	assert_int_equal(tl_names_add(&sys.names, "", 0), 0);
}

static struct epoch *last_of(struct process *p)
{
	return &p->epochs[p->count - 1];
}

/* Another epoch, which begins with what the last one has. */
static struct epoch *next_epoch(struct process *p, uint64_t time)
{
	assert_true(p->count < MOST_EPOCHS);
	p->epochs[p->count] = p->epochs[p->count - 1];
	p->epochs[p->count].time = time;
	return &p->epochs[p->count++];
}

/* ---- records ---- */

static uint32_t pid_of(unsigned process)
{
	return 100 + process;
}

/* Process 0 has threads 0, 5, 10; process 1 has 1, 6, 11; and so on. */
static uint32_t tid_of(unsigned thread)
{
	return 1000 + thread;
}

static uint64_t address_of(bool in_kernel, unsigned slot)
{
	return (in_kernel ? UINT64_C(0xffffffff80000000) : 0x400000) + slot * SLOT;
}

static void map(bool in_kernel, unsigned process, uint64_t address, uint64_t size, struct slot slot,
		uint64_t inside, uint64_t time)
{
	char path[16];
	struct tl_perf_record rec = {
		.type = TL_PERF_MMAP,
		.misc = in_kernel ? TL_PERF_MISC_KERNEL : TL_PERF_MISC_USER,
		.mmap = { .pid = pid_of(process),
			  .tid = tid_of(process),
			  .address = address,
			  .length = size,
			  .page_offset = slot.shift * 0x1000 + inside },
	};

	rec.mmap.path.size = (size_t)snprintf(path, sizeof(path), "/p%u", slot.path);
	rec.mmap.path.data = path;
	assert_int_equal(tl_perf_add_map(&sys, &rec, time, &err), 0);
}

static bool same(const struct slot *a, const struct slot *b)
{
	return a->path == b->path && a->shift == b->shift;
}

/*
 * A whole slot. Where it has another file, or another part of one, all maps from now on are those
 * of a new epoch; where it has none they are as old as the epoch.
 */
static void draw_map(bool in_kernel, unsigned process, uint64_t time, uint32_t *seed)
{
	struct process *p = in_kernel ? &kernel : &processes[process];
	const unsigned number = chance(seed, SLOTS);
	const struct slot slot = { 1 + chance(seed, 4), chance(seed, 2) };
	struct slot *had = &last_of(p)->slots[number];

	map(in_kernel, process, address_of(in_kernel, number), SLOT, slot, 0, time);
	if (had->path && !same(had, &slot))
		had = &next_epoch(p, time)->slots[number];
	*had = slot;
	p->has_changes = true;
	if (!in_kernel) {
		threads[process].is_known = true;
		threads[process].process = process;
	}
}

/* A part of what is there already says nothing new; nor does memory of data. */
static void draw_known_map(unsigned process, uint64_t time, uint32_t *seed)
{
	const unsigned number = chance(seed, SLOTS);
	const struct slot *had = &last_of(&processes[process])->slots[number];
	const uint64_t from = (uint64_t)chance(seed, 4) * 0x1000,
		       size = 0x1000 * (1 + (uint64_t)chance(seed, 4 - (unsigned)(from / 0x1000)));
	const struct tl_perf_record data = {
		.type = TL_PERF_MMAP,
		.misc = TL_PERF_MISC_USER | TL_PERF_MISC_EXEC,
		.mmap = { .pid = pid_of(process),
			  .tid = tid_of(process),
			  .address = address_of(false, number),
			  .length = SLOT,
			  .path = { "/data", 5 } },
	};

	if (had->path)
		map(false, process, address_of(false, number) + from, size, *had, from, time);
	assert_int_equal(tl_perf_add_map(&sys, &data, time, &err), 0);
}

static const char *name_of(unsigned name)
{
	static const char *const names[] = { "init", "shell", "worker", "make" };

	return names[name];
}

static void add_name(unsigned thread, unsigned name, uint64_t time)
{
	struct thread *t = &threads[thread];

	assert_true(t->count < NAMES);
	t->names[t->count].time = time;
	t->names[t->count++].name = name;
}

/* "comm": a thread has a name; with `exec`, its process none of its maps any more. */
static void draw_comm(unsigned thread, uint64_t time, uint32_t *seed)
{
	const unsigned process = thread % PROCESSES, name = chance(seed, 4);
	const bool exec = chance(seed, 4) == 0;
	const struct tl_perf_record rec = {
		.type = TL_PERF_COMM,
		.misc = exec ? TL_PERF_MISC_EXEC : 0,
		.comm = { pid_of(process),
			  tid_of(thread),
			  { name_of(name), strlen(name_of(name)) } },
	};

	assert_int_equal(tl_perf_add_comm(&sys, &rec, time, &err), 0);
	threads[thread].is_known = true;
	threads[thread].process = process;
	add_name(thread, name, time);
	if (exec && processes[process].has_changes)
		memset(next_epoch(&processes[process], time)->slots, 0, sizeof(struct slot[SLOTS]));
}

static const char *name_at(const struct thread *t, uint64_t time)
{
	unsigned at = 0;

	while (at + 1 < t->count && t->names[at + 1].time <= time)
		at++;
	return t->count ? name_of(t->names[at].name) : "";
}

/* A new thread of a process, or a new process with all that its parent has now. */
static void draw_fork(unsigned thread, unsigned by, uint64_t time)
{
	const unsigned process = thread % PROCESSES, parent = by % PROCESSES;
	const struct tl_perf_record rec = {
		.type = TL_PERF_FORK,
		.task = { pid_of(process), pid_of(parent), tid_of(thread), tid_of(by), time },
	};
	struct process *child = &processes[process];
	unsigned at = threads[by].count;

	assert_int_equal(tl_perf_add_fork(&sys, &rec, time, &err), 0);
	threads[thread].is_known = true;
	threads[thread].process = process;
	if (at)
		add_name(thread, threads[by].names[at - 1].name, time);
	if (process == parent || (!processes[parent].has_changes && !child->has_changes))
		return;
	memcpy(next_epoch(child, time)->slots, last_of(&processes[parent])->slots,
	       sizeof(struct slot[SLOTS]));
	child->has_changes = true;
}

/* ---- asking ---- */

static void assert_address(uint32_t process, size_t changes, uint64_t ip, const struct slot *slot)
{
	const struct tl_perf_map_change *c = tl_perf_map_find(&sys, process, changes, ip);
	char path[16];

	if (!slot->path) {
		assert_null(c);
		return;
	}
	assert_non_null(c);
	snprintf(path, sizeof(path), "/p%u", slot->path);
	assert_string_equal(sys.names.names[sys.objects.list[c->object].path].text, path);
	assert_int_equal(ip - c->start + c->page_offset, ip % SLOT + slot->shift * 0x1000);
}

static const struct epoch *epoch_at(const struct process *p, uint64_t time)
{
	unsigned at = 0;

	while (at + 1 < p->count && p->epochs[at + 1].time <= time)
		at++;
	return &p->epochs[at];
}

static void assert_process(unsigned number, uint64_t time)
{
	const struct epoch *epoch = epoch_at(&processes[number], time);
	const uint32_t process = tl_perf_process_find(&sys, pid_of(number));
	size_t changes;

	if (process == TL_NONE) {
		assert_false(processes[number].has_changes);
		return;
	}
	changes = tl_perf_map_changes_at(&sys.processes.list[process], time);
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		const uint64_t start = address_of(false, slot);

		assert_address(process, changes, start, &epoch->slots[slot]);
		assert_address(process, changes, start + SLOT - 1, &epoch->slots[slot]);
		/* The kernel's maps are those of the end, in all processes and at all times. */
		assert_address(process, changes, address_of(true, slot) + 5,
			       &last_of(&kernel)->slots[slot]);
	}
}

static void assert_all(uint64_t time)
{
	for (unsigned i = 0; i < PROCESSES; i++)
		assert_process(i, time);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_string_equal(tl_perf_thread_name_at(&sys, tid_of(i), time),
				    name_at(&threads[i], time));
		assert_int_equal(tl_perf_thread_pid(&sys, tid_of(i)),
				 threads[i].is_known ? pid_of(threads[i].process)
						     : TL_PERF_KERNEL_PID);
	}
}

static void draw_record(uint64_t time, uint32_t *seed)
{
	const unsigned process = chance(seed, PROCESSES);

	switch (chance(seed, 9)) {
	case 0:
		draw_comm(chance(seed, THREADS), time, seed);
		break;
	case 1:
		draw_fork(chance(seed, THREADS), chance(seed, THREADS), time);
		break;
	case 2:
		draw_known_map(process, time, seed);
		break;
	case 3:
		draw_map(true, process, time, seed);
		break;
	default:
		draw_map(false, process, time, seed);
		break;
	}
}

TEST(addresses_and_names_at_each_time)
{
	for (uint32_t seed = 1; seed < 60; seed++) {
		uint32_t drawing = seed;
		uint64_t now = 100;

		begin();
		for (unsigned i = 0; i < 200; i++, now += chance(&drawing, 4))
			draw_record(now, &drawing);
		for (uint64_t time = 98; time < now + 3; time += 3)
			assert_all(time);
		assert_all(0);
		assert_all(UINT64_MAX);
		tl_perf_system_free(&sys);
	}
}

/* From one epoch to the next, as a decoder goes: with its beginning, until there is none. */
TEST(epochs_one_after_the_other)
{
	for (uint32_t seed = 100; seed < 140; seed++) {
		uint32_t drawing = seed;
		uint64_t now = 100;

		begin();
		for (unsigned i = 0; i < 120; i++, now += 1 + chance(&drawing, 4))
			draw_record(now, &drawing);
		for (unsigned i = 0; i < PROCESSES; i++) {
			const uint32_t number = tl_perf_process_find(&sys, pid_of(i));
			const struct process *p = &processes[i];
			const struct tl_perf_process *have;
			uint64_t time = 0;
			unsigned epoch = 0;
			size_t changes;

			if (number == TL_NONE)
				continue;
			have = &sys.processes.list[number];
			changes = tl_perf_map_changes_at(have, 0);
			assert_int_equal(changes, tl_perf_map_epoch_end(&sys, number, 0));
			do {
				for (unsigned slot = 0; slot < SLOTS; slot++)
					assert_address(number, changes, address_of(false, slot),
						       &p->epochs[epoch].slots[slot]);
				epoch++;
			} while (tl_perf_map_next_epoch(have, &changes, &time) &&
				 (assert_int_equal(time, p->epochs[epoch].time), true));
			assert_int_equal(epoch, p->count);
			assert_int_equal(changes, have->count);
		}
		tl_perf_system_free(&sys);
	}
}

/* ---- code of the kernel that changes ---- */

/* So many changes up to a time, and from the changes of one time to those of the next. */
TEST(changes_of_code_by_time)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7 };
	enum { RECORDS = 300 };
	uint64_t times[RECORDS], now = 50, next;
	size_t at = 0, pokes = 0;
	uint32_t seed = 7;

	begin();
	for (unsigned i = 0; i < RECORDS; i++) {
		const struct tl_perf_record rec = {
			.type = TL_PERF_TEXT_POKE,
			.misc = TL_PERF_MISC_KERNEL,
			.poke = { .address = TL_PERF_KERNEL_START + i,
				  .old_size = (uint16_t)(i % 4),
				  .new_size = (uint16_t)(i % 3),
				  .bytes = bytes + i % 2 },
		};

		now += chance(&seed, 3);
		assert_int_equal(tl_perf_add_poke(&sys, &rec, now, &err), 0);
		/* one of no bytes changes nothing */
		if (i % 12 == 0)
			continue;
		times[pokes] = now;
		assert_int_equal(sys.pokes.list[pokes].address, TL_PERF_KERNEL_START + i);
		assert_int_equal(sys.pokes.list[pokes].old_size, i % 4);
		assert_memory_equal(sys.pokes.list[pokes++].bytes, bytes + i % 2, i % 4 + i % 3);
	}
	assert_int_equal(sys.pokes.count, pokes);
	for (uint64_t time = 45; time < now + 5; time++) {
		size_t count = 0;

		while (count < pokes && times[count] <= time)
			count++;
		assert_int_equal(tl_perf_pokes_at(&sys, time), count);
	}
	while (tl_perf_pokes_next(&sys, &at, &next)) {
		assert_int_equal(next, times[at - 1]);
		assert_true(at == pokes || times[at] > next);
	}
	assert_int_equal(at, pokes);
	tl_perf_system_free(&sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_names_at_each_time),
		cmocka_unit_test(epochs_one_after_the_other),
		cmocka_unit_test(changes_of_code_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
