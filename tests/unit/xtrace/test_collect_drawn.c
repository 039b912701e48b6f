/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices of drawn programs with handlers of signals (machine.h), from their beginning on. What is
 * collected of a slice is what its program is told: an interpreter here executes it, with the
 * memory that the slice finds and what events bring; all that the machine loaded has to be there,
 * and each handler has to begin and end as it did.
 */
#include "machine_signals.h"

#include "xtrace/elf/context.h"
#include "xtrace/elf/replay.h"

enum { ROUNDS = 150, PLACES = 1 << 16 };

static struct trace t;
static struct tl_xtrace_replay replay;

static void collect_all(struct machine *m)
{
	struct tl_xtrace_slice_part part = { .end_byte = UINT64_MAX, .most = UINT64_MAX };

	open_trace(&t, &m->out.stream, &m->out.snapshots);
	part.trace = t.trace;
	tl_xtrace_read_snapshot(t.trace, 0, 0, &part.begin);
	replay = (struct tl_xtrace_replay){ 0 };
	if (tl_xtrace_replay_collect(&replay, &part, 1, &t.err))
		fail_msg("refused: %s", t.err.text);
}

static void done(struct machine *m)
{
	tl_xtrace_replay_free(&replay);
	close_trace(&t);
	machine_end(m);
}

static struct machine *drawn(unsigned seed)
{
	struct machine *m = machine_begin(seed);

	m->in_slice = true;
	/* An access that shows where the stack is. */
	do_store(m, 9, SP, 0, false);
	for (unsigned i = 0; i < 4; i++) {
		draw_program(m, 40, true);
		if (i < 3 && chance(&m->seed, 2))
			do_snapshot(m);
	}
	emit(m, A64_NOP);
	return m;
}

/* ---- an interpreter ---- */

/* Executions of each instruction, by its number among all places of code. */
static uint32_t executions[PLACES];

static uint32_t *executions_of(uint64_t pc)
{
	const uint64_t place = (pc - MAIN) / 4 % PLACES + (pc >= HANDLERS ? 0x4000 : 0);

	return &executions[(pc >= TRAMPOLINE ? PLACES - 16 + (pc - TRAMPOLINE) / 4 : place) %
			   PLACES];
}

static void find_memory(struct machine *m)
{
	for (uint64_t page = 0; page < DATA_BYTES; page += TL_XTRACE_IMAGE_BYTES) {
		struct tl_xtrace_image_page *p = tl_xtrace_image_page(&replay.image, DATA + page);

		memcpy(m->data + page, p->first, DATA_BYTES);
	}
	for (uint64_t page = 0; page < STACK_BYTES; page += TL_XTRACE_IMAGE_BYTES) {
		struct tl_xtrace_image_page *p =
			tl_xtrace_image_page(&replay.image, STACK_TOP - STACK_BYTES + page);

		memcpy(m->stack + page, p->first, TL_XTRACE_IMAGE_BYTES);
	}
}

static size_t apply_patches(struct machine *m, uint64_t event, size_t patch)
{
	for (; patch < replay.patch_count && replay.patches[patch].event <= event; patch++) {
		const struct tl_xtrace_patch *p = &replay.patches[patch];

		assert_int_equal(p->event, event);
		for (uint64_t i = 0; i < p->size; i++)
			*at(m, p->address + i) = replay.bytes[p->data + i];
	}
	return patch;
}

static void assert_event(const struct tl_xtrace_event *event, const struct executed_step *s)
{
	if (event->flags & TL_XTRACE_EVENT_CHECK)
		assert_true(s->is_call);
	if (s->is_call && s->has_result && event->flags & TL_XTRACE_EVENT_CALL)
		assert_int_equal(event->result, s->result);
	if (s->is_read)
		assert_int_equal(event->result, s->result);
}

static void execute_accesses(struct machine *m, const struct executed_step *s)
{
	for (size_t i = s->first; i < s->first + s->count; i++) {
		const struct memory_access *a = &m->accesses[i];

		if (a->store)
			memcpy(at(m, a->address), a->data, a->size);
		else if (memcmp(at(m, a->address), a->data, a->size) != 0)
			fail_msg("a load at %llx does not find what it found",
				 (unsigned long long)a->address);
	}
}

static void execute_slice(struct machine *m)
{
	size_t patch = 0, event = 0;

	memset(executions, 0, sizeof(executions));
	find_memory(m);
	for (size_t i = 0; i < m->step_count; i++) {
		const struct executed_step *s = &m->steps[i];
		const uint32_t execution = ++*executions_of(s->pc);
		bool has_event = false;

		for (; event < replay.event_count; event++, has_event = true) {
			const struct tl_xtrace_event *e = &replay.events[event];

			if (replay.sites[e->site].pc != s->pc || e->execution != execution)
				break;
			assert_event(e, s);
			patch = apply_patches(m, event, patch);
		}
		/* What the machine decides is always told. */
		assert_true(has_event || (!s->is_call && !s->is_read));
		execute_accesses(m, s);
	}
	/* All that is left is where the program stops. */
	assert_int_equal(event + 1, replay.event_count);
	assert_int_equal(replay.events[event].flags, TL_XTRACE_EVENT_STOP);
	assert_int_equal(replay.sites[replay.events[event].site].pc, m->pc);
	assert_int_equal(replay.events[event].execution, *executions_of(m->pc) + 1);
	assert_int_equal(patch, replay.patch_count);
	assert_int_equal(replay.threads[0].instructions, m->step_count);
}

TEST(loads_find_what_they_found)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct machine *m = drawn(round);

		collect_all(m);
		execute_slice(m);
		done(m);
	}
}

/* ---- handlers ---- */

static void assert_begins(const struct tl_xtrace_replay_signal *told, const struct delivered *s,
			  unsigned round)
{
	assert_false(told->ends);
	for (unsigned i = 0; i < 32; i++)
		if ((told->known >> i & 1) && told->values[i] != s->r.x[i])
			fail_msg("round %u: a handler begins with %llx in register %u", round,
				 (unsigned long long)told->values[i], i);
	if (s->must_show & ~told->known)
		fail_msg("round %u: registers %llx are shown, and not known", round,
			 (unsigned long long)(s->must_show & ~told->known));
	/* Its first instruction shows SP. */
	assert_true(told->known >> SP & 1);
}

static void assert_ends(const struct tl_xtrace_replay_signal *told,
			const struct tl_xtrace_replay_signal *begun, const struct delivered *s,
			const struct delivered *begin)
{
	assert_true(told->ends);
	assert_int_equal(told->slot, begun->slot);
	assert_true((told->known & 0xffffffff) == (s->changed | 1));
	for (unsigned i = 0; i < 32; i++)
		if (told->known >> i & 1)
			assert_true(told->values[i] == s->r.x[i]);
	assert_int_equal(begun->before, begin->faulted);
}

/* Handlers that have begun and not ended have a slot each. */
static void assert_slots(const struct machine *m)
{
	uint32_t open[MOST_DEPTH];
	unsigned depth = 0;

	for (size_t i = 0; i < m->signal_count; i++) {
		const uint32_t slot = replay.signals[i].slot;

		if (m->signals[i].ends) {
			assert_int_equal(open[--depth], slot);
			continue;
		}
		for (unsigned n = 0; n < depth; n++)
			assert_int_not_equal(open[n], slot);
		open[depth++] = slot;
	}
	assert_true(replay.slots.count < MOST_DEPTH);
}

TEST(handlers_begin_and_end_as_they_did)
{
	size_t ended = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct machine *m = drawn(ROUNDS + round);

		collect_all(m);
		assert_int_equal(replay.signal_count, m->signal_count);
		for (size_t i = 0; i < m->signal_count; i++) {
			const struct delivered *s = &m->signals[i];
			const struct tl_xtrace_replay_signal *told = &replay.signals[i];

			assert_int_equal(told->pc, s->pc);
			if (s->ends)
				assert_ends(told, &replay.signals[s->begin], s,
					    &m->signals[s->begin]);
			else
				assert_begins(told, s, round);
			ended += s->ends;
		}
		assert_slots(m);
		done(m);
	}
	assert_true(ended > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_find_what_they_found),
		cmocka_unit_test(handlers_begin_and_end_as_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
