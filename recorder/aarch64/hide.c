/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AArch64: a function keeps its return address in a place of its own, if it makes calls. That is
 * looked for between the frames of two open calls: in the frame records (AAPCS64, 6.4.6), or in all
 * words where the function makes no record. A word that is not in use is changed without harm.
 * With pointer authentication the word is the address with a code made of the stack pointer.
 */
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fentry.h"
#include "slow.h"

enum { PLAIN, KEY_A, KEY_B, FORMS };

/* PACIA1716 and PACIB1716, which do nothing where there is no pointer authentication. */
static uintptr_t form_of(unsigned form, uintptr_t address, uint64_t sp)
{
	register uintptr_t pointer __asm__("x17") = address;
	register uint64_t modifier __asm__("x16") = sp;

	if (form == KEY_A)
		__asm__("hint #8" : "+r"(pointer) : "r"(modifier));
	else if (form == KEY_B)
		__asm__("hint #10" : "+r"(pointer) : "r"(modifier));
	return pointer;
}

static const uint8_t *entry_of(uint32_t id, const uint8_t **end)
{
	for (uint32_t i = 0; i < __atomic_load_n(&rt.object_count, __ATOMIC_ACQUIRE); i++) {
		const struct rt_object *object = &rt.objects[i];

		*end = (const uint8_t *)object->start + object->size;
		if (!object->gone && id - object->first < object->size)
			return (const uint8_t *)object->start + (id - object->first);
	}
	return NULL;
}

/*
 * How a function signs its return address: by PACIASP or PACIBSP near its entry, or not at all. The
 * word itself does not tell, as the code of a signature may be zero.
 */
static unsigned form_in(uint32_t id)
{
	enum { NEAR = 64 * 4 };
	static const uint32_t sign_a = 0xd503233f, sign_b = 0xd503237f;
	const uint8_t *end, *entry = entry_of(id, &end);

	for (const uint8_t *at = entry; at && at < entry + NEAR && at + 4 <= end; at += 4)
		if (!memcmp(at, &sign_a, 4))
			return KEY_A;
		else if (!memcmp(at, &sign_b, 4))
			return KEY_B;
	return PLAIN;
}

/* ---- the words of one frame ---- */

struct search {
	struct rt_thread *t;
	const struct rt_frame *frame;
	uintptr_t hidden[FORMS];
	unsigned likely; /* of these forms */
	/* the next frame record, as far as they form a list; 0: it has ended */
	uintptr_t record;
};

static bool put_back(struct search *search, uintptr_t *at)
{
	struct rt_thread *t = search->t;
	unsigned form = search->likely;
	uintptr_t hidden = *at;

	for (unsigned tried = 0; tried < FORMS && hidden != search->hidden[form]; tried++)
		form = tried;
	if (hidden != search->hidden[form])
		return false;
	*at = form_of(form, search->frame->back, search->frame->sp);
	/* Beyond these, a call ends at the next record of its thread. */
	if (t->slot_count < RT_SLOTS)
		t->slots[t->slot_count++] = (struct rt_slot){ at, hidden, *at };
	return true;
}

/* By the list of frame records, from `low` on; false: the function has none, or none is kept. */
static bool put_back_record(struct search *search, uintptr_t low)
{
	bool found = false;

	while (!found && search->record >= low && search->record < search->frame->sp - 8) {
		uintptr_t *record = (uintptr_t *)search->record;

		found = put_back(search, record + 1);
		search->record = record[0] > search->record && !(record[0] % 16) ? record[0] : 0;
	}
	return found;
}

static void put_back_frame(struct search *search, uintptr_t low)
{
	for (unsigned form = 0; form < FORMS; form++)
		search->hidden[form] = form_of(form, (uintptr_t)rt_return, search->frame->sp);
	search->likely = form_in(search->frame->id);
	if (put_back_record(search, low))
		return;
	for (uintptr_t at = low; at < search->frame->sp; at += sizeof(at))
		put_back(search, (uintptr_t *)at);
}

/* ---- the stack ---- */

/* Whether all of it can be read: between two stacks there may be a page that cannot. */
static bool is_one_stack(const struct rt_thread *t, uintptr_t low, uintptr_t high)
{
	pid_t process = getpid();
	char byte;

	if (rt_on_own_stack(t, low) || rt_on_own_stack(t, high))
		return rt_on_own_stack(t, low) && rt_on_own_stack(t, high);
	for (uintptr_t at = low; at < high; at = at / rt.page * rt.page + rt.page) {
		const struct iovec from = { (void *)at, 1 }, to = { &byte, 1 };

		if (syscall(SYS_process_vm_readv, process, &to, 1, &from, 1, 0) != 1)
			return false;
	}
	return true;
}

/* What another exception left is given up; what it did not leave may be put back once more. */
static void drop_slots(struct rt_thread *t, uintptr_t low)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->slot_count; i++)
		if ((uintptr_t)t->slots[i].at >= low)
			t->slots[kept++] = t->slots[i];
	t->slot_count = kept;
}

void rt_unhide(uint64_t sp)
{
	uintptr_t low = sp;
	struct search search = { .t = rt_self, .record = sp };

	if (!search.t)
		return;
	drop_slots(search.t, low);
	/* Of calls by jumps, which share a frame, the outermost knows where it returns to. */
	for (struct rt_frame *frame = search.t->top - 1; frame > search.t->frames; frame--) {
		if (!frame->back || frame->back == (uintptr_t)rt_return || frame->sp <= low)
			continue;
		if (!is_one_stack(search.t, low, frame->sp))
			return;
		search.frame = frame;
		put_back_frame(&search, low);
		low = frame->sp;
	}
}

void rt_hide(uint64_t sp)
{
	struct rt_thread *t = rt_self;

	if (!t)
		return;
	if (t->top[-1].back)
		rt_close_left_slow(t, sp);
	for (uint32_t i = 0; i < t->slot_count; i++)
		if ((uintptr_t)t->slots[i].at >= sp && *t->slots[i].at == t->slots[i].shown)
			*t->slots[i].at = t->slots[i].hidden;
	t->slot_count = 0;
}
