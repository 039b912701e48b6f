/* SPDX-License-Identifier: Apache-2.0 */
/* A trace is decoded with its sideband: its image follows switches, mappings and forks. */
#include "sideband.h"

#include "../temp.h"

/* ---- along a trace ---- */

static struct tl_perf_sideband *open_sideband(struct temp *temp)
{
	temp_open(temp);
	/* NOP and JMP *RAX; the other file has the jump alone. */
	temp_write(temp, "a", "\x90\xff\xe0", 3);
	temp_write(temp, "b", "\xff\xe0", 2);
	tl_perf_sideband_close(sideband);
	assert_int_equal(tl_perf_sideband_open(&sideband, temp->directory, UINT64_C(1) << 63, &err),
			 0);
	return sideband;
}

/* Each process has its file at 0x401000. */
static void put_file_map(struct file *to, uint64_t pid, char name, uint64_t time)
{
	put_record(to, TL_PERF_MMAP, 2,
		   (uint64_t[]){ pid << 32 | pid, 0x401000, 0x1000, 0, (uint64_t)name }, 5, time);
}

static void put_tsc(struct file *to, uint64_t tsc)
{
	put(to, 0x19, 1);
	put(to, tsc, 7);
}

/* TIP.PGE to 0x401000, and TIP.PGD without an address at the jump there. */
static void put_visit(struct file *trace, uint64_t tsc)
{
	put_tsc(trace, tsc);
	put(trace, 0x71, 1);
	put(trace, 0x401000, 6);
	put(trace, 0x01, 1);
}

static void put_psb(struct file *trace)
{
	for (int i = 0; i < 8; i++)
		put16(trace, 0x8202);
	put_tsc(trace, 0);
	put16(trace, 0x2302);
}

struct seen {
	uint32_t contexts[8];
	size_t context_count, records, events;
	uint64_t last;
};

static void see_event(void *arg, const struct tl_pt_event *event)
{
	struct seen *seen = arg;

	assert_true(event->has_tsc);
	assert_true(event->tsc >= seen->last);
	seen->last = event->tsc;
	seen->events++;
}

/* Records come no earlier than their time. */
static void see_record(void *arg, const struct tl_perf_sideband_stream *from,
		       const struct tl_perf_record *record)
{
	struct seen *seen = arg;

	assert_string_equal(from->name, from->primary ? "first" : "second");
	assert_true(record->id.time_ns <= seen->last);
	seen->records++;
}

static void see_context(void *arg, uint32_t pid)
{
	struct seen *seen = arg;

	assert_true(seen->context_count < 8);
	seen->contexts[seen->context_count++] = pid;
}

/* Decode the trace; the addresses of its instructions, closed by 0. */
static struct seen follow(const struct file *trace, uint64_t *ips, size_t room)
{
	struct seen seen = { .records = 0 };
	const struct tl_perf_sideband_hooks hooks = { see_event, see_record, see_context, &seen };
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = trace->bytes,
					     .end = trace->bytes + trace->size };
	struct tl_pt_decoder *decoder;
	struct tl_pt_insn insn;
	int status;

	assert_int_equal(tl_pt_decoder_open(&decoder, &config, NULL), 0);
	status = tl_pt_decoder_sync_forward(decoder);
	for (size_t count = 0; status >= 0 && count + 1 < room;) {
		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_perf_sideband_event(sideband, decoder, &hooks);
		if (status >= 0)
			status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
		if (status >= 0)
			ips[count++] = insn.ip;
	}
	assert_int_equal(status, -TL_PT_EOS);
	tl_pt_decoder_close(decoder);
	return seen;
}

static void add_primary(const struct file *from, const char *name, bool primary)
{
	const struct tl_perf_sideband_stream about = { .name = name,
						       .data = from->bytes,
						       .size = from->size,
						       .sample_type = 2 | 4,
						       .time_mult = 1,
						       .primary = primary };

	assert_int_equal(tl_perf_sideband_add(sideband, &about, &err), 0);
}

/*
 * "Only the traced processor's switches count"; the image is that of the process that runs.
 * Trailers name process 0x11, which SWITCH refers to; SWITCH_CPU_WIDE.OUT names the next one.
 */
TEST(the_image_follows_the_switches)
{
	static const uint64_t five = UINT64_C(0x500000005), nine = UINT64_C(0x900000009);
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_file_map(&first, 5, 'b', 20);
	put_start(&first, 0x11, 50);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &five, 1, 150);
	put_record(&first, TL_PERF_SWITCH, 1 << 13, NULL, 0,
		   240); /* out: says nothing of who is next */
	put_record(&first, TL_PERF_SWITCH, 0, NULL, 0, 250);
	put_record(&second, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &nine, 1, 160);
	put_record(&second, TL_PERF_SWITCH_CPU_WIDE, 0, &nine, 1, 290);
	add_primary(&first, "first", true);
	add_primary(&second, "second", false);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	put_visit(&trace, 300);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 3);
	assert_int_equal(seen.contexts[0], 0x11);
	assert_int_equal(seen.contexts[1], 5);
	assert_int_equal(seen.contexts[2], 0x11);
	assert_int_equal(seen.records, 8);
	assert_int_equal(ips[0], 0x401000);
	assert_int_equal(ips[1], 0x401001);
	assert_int_equal(ips[2], 0x401000); /* b */
	assert_int_equal(ips[3], 0x401000); /* a again */
	assert_int_equal(ips[4], 0x401001);
	assert_int_equal(ips[5], 0);
	temp_close(&temp);
}

/*
 * A map that comes while its process runs is in effect from then on; an exec takes all maps away.
 */
TEST(maps_change_on_the_way)
{
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_start(&first, 0x11, 50);
	put_file_map(&first, 0x11, 'b', 150);
	put_record(&first, TL_PERF_COMM, 1 << 13, (uint64_t[]){ UINT64_C(0x1100000011), 'n' }, 2,
		   220);
	put_file_map(&first, 0x11, 'a', 250);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	put_visit(&trace, 300);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 1);
	assert_int_equal(seen.records, 5);
	assert_int_equal(ips[1], 0x401001);
	assert_int_equal(ips[2], 0x401000);
	assert_int_equal(ips[3], 0x401000);
	assert_int_equal(ips[4], 0x401001);
	assert_int_equal(ips[5], 0);
	temp_close(&temp);
}

/* A child has the maps that its parent had. */
TEST(a_fork_on_the_way)
{
	static struct file trace;
	uint64_t ips[16] = { 0 };
	const uint64_t fork[] = { UINT64_C(0x1100000005), UINT64_C(0x1100000005), 110 };
	const uint64_t child = UINT64_C(0x500000005);
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_start(&first, 0x11, 50);
	/* pid 5, parent 0x11; tid 5, parent 0x11 */
	put_record(&first, TL_PERF_FORK, 0, fork, 3, 110);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &child, 1, 150);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 2);
	assert_int_equal(seen.contexts[1], 5);
	assert_int_equal(ips[2], 0x401000);
	assert_int_equal(ips[3], 0x401001);
	assert_int_equal(ips[4], 0);
	temp_close(&temp);
}

/*
 * "Switches happen in the kernel: they take effect where the flow enters or leaves it": not at an
 * event within user code, such as a change of the core's frequency (CBR), though it is later.
 */
TEST(no_switch_within_user_code)
{
	static const uint64_t five = UINT64_C(0x500000005);
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_file_map(&first, 5, 'b', 20);
	put_start(&first, 0x11, 50);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &five, 1, 150);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_tsc(&trace, 100);
	put(&trace, 0x71, 1); /* TIP.PGE */
	put(&trace, 0x401000, 6);
	put_tsc(&trace, 170);
	put(&trace, 0x190302, 4); /* CBR */
	put(&trace, 0x01, 1);     /* TIP.PGD */
	put_visit(&trace, 200);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.records, 4);
	assert_int_equal(seen.context_count, 2);
	assert_int_equal(ips[0], 0x401000);
	assert_int_equal(ips[1], 0x401001); /* still a */
	assert_int_equal(ips[2], 0x401000); /* b */
	assert_int_equal(ips[3], 0);
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_image_follows_the_switches),
		CASE(maps_change_on_the_way),
		CASE(a_fork_on_the_way),
		CASE(no_switch_within_user_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
