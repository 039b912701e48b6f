/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices that begin in a signal's handler. A machine (machine.h) executes a drawn program and its
 * handlers; where a handler comes back that began before the slice, it knows each register, and
 * which of them are read before they are written. Each of these has to be the machine's in what the
 * slice's program is told, or the slice is refused; and it may be refused only if one of them is
 * not to be known from the stream.
 */
#include "machine_signals.h"

#include "xtrace/elf/replay.h"

enum { ROUNDS = 600, VECTOR_BYTES = 16 };

static struct trace t;
static struct tl_xtrace_replay replay;

struct slice {
	uint32_t first_snapshot;
	uint64_t end_byte;
};

/* ---- what is told of registers ---- */

static const struct tl_xtrace_replay_signal *end_in_slot(uint32_t slot)
{
	for (size_t i = 0; i < replay.signal_count; i++)
		if (replay.signals[i].ends && replay.signals[i].slot == slot)
			return &replay.signals[i];
	fail_msg("no handler ends in slot %u", slot);
	return NULL;
}

static bool comes_back(const struct tl_xtrace_replay_change *change)
{
	return change->rule == TL_XTRACE_ANY_RULE || change->rule == replay.changes.rule;
}

static uint64_t with_change(uint64_t value, const struct tl_xtrace_replay_change *change)
{
	for (unsigned i = 0; i < 8; i++)
		if (change->bytes >> i & 1)
			value = (value & ~(UINT64_C(0xff) << 8 * i)) |
				(change->value & UINT64_C(0xff) << 8 * i);
	return value;
}

/* A word of what a slot has, with what the handler changed of it. */
static uint64_t brought_back(const struct tl_xtrace_replay_signal *signal, uint64_t value,
			     unsigned kind, uint32_t place)
{
	for (size_t i = 0; i < signal->change_count; i++) {
		const struct tl_xtrace_replay_change *change =
			&replay.changes.list[signal->first_change + i];

		if (change->kind == kind && change->place == place && comes_back(change))
			value = with_change(value, change);
	}
	return value;
}

static void assert_resumed(const struct resumed *r, const struct tl_xtrace_replay_resumed *told,
			   unsigned round)
{
	/* Numbers of NZCV, FPCR and FPSR are the same here and there. */
	const struct tl_xtrace_replay_signal *signal = end_in_slot(told->slot);
	const uint64_t needed = r->needed | BIT(FPCR) | 1;

	for (unsigned i = 0; i < REGISTERS; i++) {
		const uint64_t slot = signal->known >> i & 1 ? signal->values[i] : told->values[i];
		const uint64_t value = brought_back(signal, slot, TL_XTRACE_CHANGE_GENERAL, 8 * i);

		/* Of FPCR and FPSR the lower half is all there is. */
		if ((needed >> i & 1) && (i < FPCR ? value : (uint32_t)value) != r->r.x[i])
			fail_msg("round %u: register %u is %llx instead of %llx", round, i,
				 (unsigned long long)value, (unsigned long long)r->r.x[i]);
	}
	for (unsigned i = 0; i < 64; i++) {
		uint64_t half = 0;

		for (unsigned n = 0; n < 8; n++)
			half |= (uint64_t)told->vectors.z[i / 2][8 * (i % 2) + n] << 8 * n;
		if ((r->needed_v[i % 2] >> i / 2 & 1) &&
		    brought_back(signal, half, TL_XTRACE_CHANGE_VECTORS,
				 VECTOR_BYTES * (i / 2) + 8 * (i % 2)) != r->r.v[i / 2][i % 2])
			fail_msg("round %u: half %u of V%u is another", round, i % 2, i / 2);
	}
}

/* Whether the stream tells all that is read. */
static bool is_told(const struct resumed *r)
{
	bool told = !r->doubt && !(r->needed & ~(r->r.known | r->shown)) && r->r.known >> FPCR & 1;

	for (unsigned half = 0; half < 2; half++)
		told = told && !(r->needed_v[half] & ~(r->r.known_v | r->shown_v[half]));
	return told;
}

/* ---- slices ---- */

static struct slice draw_slice(struct machine *m, bool hard)
{
	struct slice slice = { .end_byte = UINT64_MAX };
	unsigned resumed;

	draw_program(m, 2 + chance(&m->seed, 20), hard);
	for (unsigned i = chance(&m->seed, 3); i; i--) {
		do_snapshot(m);
		draw_program(m, 1 + chance(&m->seed, 12), hard);
	}
	for (unsigned i = 1 + !chance(&m->seed, 4); i; i--) {
		while (!m->interruptible)
			draw_instruction(m, hard);
		deliver(m, 10);
		begin_handler(m);
		if (!chance(&m->seed, 4))
			do_snapshot(m);
		draw_program(m, chance(&m->seed, 8), hard);
		touch_frame(m, !chance(&m->seed, 3));
	}
	slice.first_snapshot = (uint32_t)m->snapshots;
	do_snapshot(m);
	m->in_slice = true;
	while (m->depth) {
		draw_program(m, chance(&m->seed, 6), hard);
		touch_frame(m, !chance(&m->seed, 3));
		end_handler(m);
		draw_program(m, 1 + chance(&m->seed, 15), hard);
	}
	draw_program(m, chance(&m->seed, 20), hard);
	if (chance(&m->seed, 2))
		return slice;
	slice.end_byte = m->out.stream.size;
	do_snapshot(m);
	for (unsigned i = 0; i < 32; i++)
		show(m, i);
	/* What is behind the end reads nothing any more. */
	resumed = m->resumed_count;
	m->resumed_count = 0;
	draw_instruction(m, false);
	m->resumed_count = resumed;
	return slice;
}

static int collect_slice(struct machine *m, const struct slice *slice)
{
	struct tl_xtrace_slice_part part = { .first_snapshot = slice->first_snapshot,
					     .end_byte = slice->end_byte,
					     .most = UINT64_MAX };

	open_trace(&t, &m->out.stream, &m->out.snapshots);
	part.trace = t.trace;
	tl_xtrace_read_snapshot(t.trace, 0, slice->first_snapshot, &part.begin);
	replay = (struct tl_xtrace_replay){ 0 };
	return tl_xtrace_replay_collect(&replay, &part, 1, &t.err);
}

/* How many of the slices became programs. */
static unsigned try_slices(bool hard)
{
	unsigned made = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct machine *m = machine_begin(round + (hard ? ROUNDS : 0));
		const struct slice slice = draw_slice(m, hard);
		const int status = collect_slice(m, &slice);
		bool told = true;

		for (unsigned i = 0; i < m->resumed_count; i++)
			told = told && is_told(&m->resumed[i]);
		if (status && told)
			fail_msg("round %u is refused: %s", round, t.err.text);
		if (status) {
			assert_int_equal(status, TL_UNSUPPORTED);
			assert_non_null(strstr(t.err.text, "that began before the slice"));
		} else {
			assert_int_equal(replay.slots.resumed_count, m->resumed_count);
			for (unsigned i = 0; i < m->resumed_count; i++)
				assert_resumed(&m->resumed[i], &replay.slots.resumed[i], round);
			made++;
		}
		tl_xtrace_replay_free(&replay);
		close_trace(&t);
		machine_end(m);
	}
	return made;
}

/* Of instructions whose results follow from what is known. */
TEST(registers_come_back_that_can_be_followed)
{
	assert_true(try_slices(false) > ROUNDS * 3 / 4);
}

/* ... and with others, of vectors and of the machine's registers. */
TEST(registers_come_back_or_the_slice_is_refused)
{
	assert_true(try_slices(true) > ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_come_back_that_can_be_followed),
		cmocka_unit_test(registers_come_back_or_the_slice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
