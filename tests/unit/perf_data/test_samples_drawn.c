/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that are drawn, field by field, written in the order of UAPI (PERF_RECORD_SAMPLE) in
 * either byte order, and read; and records that processors write in rounds, put into order.
 */
#define FILE_BYTES (1 << 18)
#include "file.h"

#include "../chance.h"

/* Bits of sample_type by their names in UAPI. */
enum {
	IP,
	TID,
	TIME,
	ADDR,
	READ,
	CALLCHAIN,
	ID,
	CPU,
	PERIOD,
	STREAM_ID,
	RAW,
	BRANCH_STACK,
	REGS_USER,
	STACK_USER,
	WEIGHT,
	DATA_SRC,
	IDENTIFIER,
	TRANSACTION,
	REGS_INTR,
	PHYS_ADDR,
	AUX,
	CGROUP,
	DATA_PAGE_SIZE,
	CODE_PAGE_SIZE,
	WEIGHT_STRUCT,
	FIELDS
};

enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };
enum { HW_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19 };
enum { MOST = 6, MOST_BYTES = 48, EVENT = 77 };

/* A part of any size. */
struct words {
	uint64_t count, list[4 * MOST];
};

struct bytes {
	uint64_t size;
	uint8_t list[MOST_BYTES];
};

struct drawn {
	uint64_t word[FIELDS]; /* of those fields that have one */
	uint32_t process, thread, cpu;
	struct words values, ids, losts; /* READ: one of each a counter */
	uint64_t enabled, running;
	struct words chain, branches, counters;
	uint64_t hw_index, user_abi, intr_abi;
	struct words user, intr; /* registers */
	struct bytes raw, stack, aux;
	uint64_t stack_used;
	uint16_t var2, var3;
	uint32_t var1;
};

static struct file f;

/* ---- drawing ---- */

static void draw_words(struct words *w, uint32_t *seed, uint64_t count)
{
	w->count = count;
	for (uint64_t i = 0; i < count; i++)
		w->list[i] = chance_bits(seed);
}

static void draw_bytes(struct bytes *b, uint32_t *seed, uint64_t size)
{
	b->size = size;
	for (uint64_t i = 0; i < size; i++)
		b->list[i] = (uint8_t)chance(seed, 256);
}

static unsigned bits_of(uint64_t mask)
{
	unsigned count = 0;

	for (; mask; mask &= mask - 1)
		count++;
	return count;
}

/* At most 16 registers. */
static uint64_t draw_mask(uint32_t *seed)
{
	return (uint64_t)chance(seed, 256) | (uint64_t)chance(seed, 256) << 40;
}

static void draw_event(struct wide_attr *attr, uint32_t *seed)
{
	*attr = (struct wide_attr){
		.sample_type = chance_bits(seed) & ((1ULL << FIELDS) - 1),
		.read_format = chance(seed, 32),
		.branch_type =
			(chance(seed, 2) ? HW_INDEX : 0) | (chance(seed, 2) ? BRANCH_COUNTERS : 0),
		.regs_user = draw_mask(seed),
		.regs_intr = draw_mask(seed),
	};
	/* Either form of a weight, not both. */
	if (attr->sample_type >> WEIGHT_STRUCT & 1)
		attr->sample_type &= ~(1ULL << WEIGHT);
}

static void draw_sample(struct drawn *d, const struct wide_attr *attr, uint32_t *seed)
{
	const uint64_t counters = attr->read_format & READ_GROUP ? chance(seed, MOST) : 1;

	memset(d, 0, sizeof(*d));
	for (unsigned i = 0; i < FIELDS; i++)
		d->word[i] = chance_bits(seed);
	d->word[ID] = d->word[IDENTIFIER] = EVENT;
	d->process = (uint32_t)chance_bits(seed);
	d->thread = (uint32_t)chance_bits(seed);
	d->cpu = (uint32_t)chance_bits(seed);
	draw_words(&d->values, seed, counters);
	draw_words(&d->ids, seed, counters);
	draw_words(&d->losts, seed, counters);
	d->enabled = chance_bits(seed);
	d->running = chance_bits(seed);
	draw_words(&d->chain, seed, chance(seed, MOST));
	draw_words(&d->branches, seed, (uint64_t)3 * chance(seed, MOST));
	draw_words(&d->counters, seed, d->branches.count / 3);
	d->hw_index = chance_bits(seed);
	d->user_abi = chance(seed, 3);
	d->intr_abi = chance(seed, 3);
	draw_words(&d->user, seed, d->user_abi ? bits_of(attr->regs_user) : 0);
	draw_words(&d->intr, seed, d->intr_abi ? bits_of(attr->regs_intr) : 0);
	/* With its size of 4 bytes whole words, as the kernel pads it. */
	draw_bytes(&d->raw, seed, 4 + 8 * (uint64_t)chance(seed, 5));
	draw_bytes(&d->stack, seed, 8 * (uint64_t)chance(seed, MOST));
	d->stack_used = d->stack.size ? chance(seed, (unsigned)d->stack.size + 1) : 0;
	draw_bytes(&d->aux, seed, 8 * (uint64_t)chance(seed, MOST));
	d->var1 = (uint32_t)chance_bits(seed);
	d->var2 = (uint16_t)chance_bits(seed);
	d->var3 = (uint16_t)chance_bits(seed);
}

/* ---- writing, in the order of UAPI ---- */

static bool has(const struct wide_attr *attr, unsigned field)
{
	return attr->sample_type >> field & 1;
}

static void put_field(const struct wide_attr *attr, unsigned field, uint64_t word)
{
	if (has(attr, field))
		put64(&f, word);
}

/* Two numbers of 32 bits, in either byte order the first one in front. */
static void put_pair(uint32_t first, uint32_t second)
{
	put32(&f, first);
	put32(&f, second);
}

static void put_words(const struct words *w)
{
	for (uint64_t i = 0; i < w->count; i++)
		put64(&f, w->list[i]);
}

static void put_counters(const struct wide_attr *attr, const struct drawn *d)
{
	const uint64_t format = attr->read_format;

	if (format & READ_GROUP)
		put64(&f, d->values.count);
	for (unsigned pass = 0; pass < 2; pass++) {
		/* times: in front of the values of a group, behind the value of one counter */
		if (pass == !(format & READ_GROUP)) {
			if (!(format & READ_GROUP))
				put64(&f, d->values.list[0]);
			if (format & READ_ENABLED)
				put64(&f, d->enabled);
			if (format & READ_RUNNING)
				put64(&f, d->running);
		}
	}
	for (uint64_t i = 0; i < d->values.count; i++) {
		if (format & READ_GROUP)
			put64(&f, d->values.list[i]);
		if (format & READ_ID)
			put64(&f, d->ids.list[i]);
		if (format & READ_LOST)
			put64(&f, d->losts.list[i]);
	}
}

static void put_registers(uint64_t abi, const struct words *registers)
{
	put64(&f, abi);
	put_words(registers);
}

static void put_weight(const struct wide_attr *attr, const struct drawn *d)
{
	put_field(attr, WEIGHT, d->word[WEIGHT]);
	if (!has(attr, WEIGHT_STRUCT))
		return;
	/* One word, whose lowest half is the first part. */
	put64(&f, (uint64_t)d->var3 << 48 | (uint64_t)d->var2 << 32 | d->var1);
}

static void put_parts(const struct wide_attr *attr, const struct drawn *d)
{
	if (has(attr, CALLCHAIN)) {
		put64(&f, d->chain.count);
		put_words(&d->chain);
	}
	if (has(attr, RAW)) {
		put32(&f, d->raw.size);
		put_bytes(&f, d->raw.list, d->raw.size);
	}
	if (has(attr, BRANCH_STACK)) {
		put64(&f, d->branches.count / 3);
		if (attr->branch_type & HW_INDEX)
			put64(&f, d->hw_index);
		put_words(&d->branches);
		if (attr->branch_type & BRANCH_COUNTERS)
			put_words(&d->counters);
	}
	if (has(attr, REGS_USER))
		put_registers(d->user_abi, &d->user);
	if (has(attr, STACK_USER)) {
		put64(&f, d->stack.size);
		put_bytes(&f, d->stack.list, d->stack.size);
		if (d->stack.size)
			put64(&f, d->stack_used);
	}
}

static void put_drawn(const struct wide_attr *attr, const struct drawn *d)
{
	const size_t begun = f.size;
	size_t end;

	put_header(&f, TL_PERF_SAMPLE, TL_PERF_MISC_USER, 0);
	put_field(attr, IDENTIFIER, d->word[IDENTIFIER]);
	put_field(attr, IP, d->word[IP]);
	if (has(attr, TID))
		put_pair(d->process, d->thread);
	put_field(attr, TIME, d->word[TIME]);
	put_field(attr, ADDR, d->word[ADDR]);
	put_field(attr, ID, d->word[ID]);
	put_field(attr, STREAM_ID, d->word[STREAM_ID]);
	if (has(attr, CPU))
		put_pair(d->cpu, 0xdeadbeef);
	put_field(attr, PERIOD, d->word[PERIOD]);
	if (has(attr, READ))
		put_counters(attr, d);
	put_parts(attr, d);
	put_weight(attr, d);
	put_field(attr, DATA_SRC, d->word[DATA_SRC]);
	put_field(attr, TRANSACTION, d->word[TRANSACTION]);
	if (has(attr, REGS_INTR))
		put_registers(d->intr_abi, &d->intr);
	put_field(attr, PHYS_ADDR, d->word[PHYS_ADDR]);
	put_field(attr, CGROUP, d->word[CGROUP]);
	put_field(attr, DATA_PAGE_SIZE, d->word[DATA_PAGE_SIZE]);
	put_field(attr, CODE_PAGE_SIZE, d->word[CODE_PAGE_SIZE]);
	if (has(attr, AUX)) {
		put64(&f, d->aux.size);
		put_bytes(&f, d->aux.list, d->aux.size);
	}
	end = f.size;
	f.size = begun + 6;
	put16(&f, end - begun);
	f.size = end;
}

/* ---- reading ---- */

static uint64_t word_at(const uint8_t *at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | at[f.big ? i : 7 - i];
	return value;
}

static void assert_words(const uint8_t *at, uint64_t count, const struct words *wanted)
{
	assert_int_equal(count, wanted->count);
	for (uint64_t i = 0; i < count; i++)
		assert_true(word_at(at + 8 * i) == wanted->list[i]);
}

static void assert_bytes(const uint8_t *at, uint64_t size, const struct bytes *wanted)
{
	assert_int_equal(size, wanted->size);
	if (size)
		assert_memory_equal(at, wanted->list, size);
}

/* What an event does not record is not there. */
static void assert_word(const struct wide_attr *attr, unsigned field, uint64_t have,
			uint64_t wanted, uint64_t none)
{
	assert_true(have == (has(attr, field) ? wanted : none));
}

static void assert_counters(const struct wide_attr *attr, const struct drawn *d)
{
	const uint64_t count = has(attr, READ) ? d->values.count : 0;
	struct tl_perf_read read;

	assert_int_equal(f.rec.sample.read_count, count);
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(tl_perf_sample_read(&f.rec, i, &read, sizeof(read)), 0);
		assert_true(read.value == d->values.list[i]);
		assert_true(read.id == (attr->read_format & READ_ID ? d->ids.list[i] : TL_NOWHERE));
		assert_true(read.lost == (attr->read_format & READ_LOST ? d->losts.list[i] : 0));
	}
	assert_int_equal(tl_perf_sample_read(&f.rec, count, &read, sizeof(read)), TL_BAD_USAGE);
}

static void assert_ids(const struct wide_attr *attr, const struct drawn *d)
{
	assert_word(attr, TID, f.rec.id.process, d->process, TL_NOWHERE);
	assert_word(attr, TID, f.rec.id.thread, d->thread, TL_NOWHERE);
	assert_word(attr, TIME, f.rec.id.time_ns, d->word[TIME], TL_NOWHERE);
	assert_word(attr, CPU, f.rec.id.cpu, d->cpu, TL_NOWHERE);
	assert_word(attr, STREAM_ID, f.rec.id.stream, d->word[STREAM_ID], TL_NOWHERE);
	assert_word(attr, ID, f.rec.id.sample_id, EVENT, TL_NOWHERE);
	assert_true(f.rec.id.id == (has(attr, ID) || has(attr, IDENTIFIER) ? EVENT : TL_NOWHERE));
}

static void assert_parts(const struct wide_attr *attr, const struct drawn *d)
{
	const struct tl_perf_sample *s = &f.rec.sample;

	if (has(attr, CALLCHAIN))
		assert_words(s->callchain, s->callchain_count, &d->chain);
	if (has(attr, RAW))
		assert_bytes(s->raw, s->raw_size, &d->raw);
	if (has(attr, BRANCH_STACK))
		assert_words(s->branches, 3 * s->branch_count, &d->branches);
	if (has(attr, STACK_USER)) {
		assert_bytes(s->stack, s->stack_size, &d->stack);
		assert_int_equal(s->stack_used, d->stack_used);
	}
	if (has(attr, AUX))
		assert_bytes(s->aux, s->aux_size, &d->aux);
	if (has(attr, REGS_USER))
		assert_words(s->user_registers, d->user.count, &d->user);
	if (has(attr, REGS_INTR))
		assert_words(s->intr_registers, d->intr.count, &d->intr);
	assert_int_equal(s->user_registers != NULL, has(attr, REGS_USER) && d->user_abi);
	assert_int_equal(s->intr_registers != NULL, has(attr, REGS_INTR) && d->intr_abi);
	assert_word(attr, REGS_USER, s->user_abi, d->user_abi, 0);
	assert_word(attr, REGS_INTR, s->intr_abi, d->intr_abi, 0);
	assert_int_equal(s->callchain != NULL, has(attr, CALLCHAIN));
	assert_int_equal(s->raw != NULL, has(attr, RAW));
	assert_int_equal(s->branches != NULL, has(attr, BRANCH_STACK));
	assert_int_equal(s->stack != NULL, has(attr, STACK_USER));
	assert_int_equal(s->aux != NULL, has(attr, AUX));
}

static void assert_sample(const struct wide_attr *attr, const struct drawn *d)
{
	const struct tl_perf_sample *s = &f.rec.sample;

	assert_int_equal(f.rec.type, TL_PERF_SAMPLE);
	assert_ids(attr, d);
	assert_word(attr, IP, s->ip, d->word[IP], 0);
	assert_word(attr, ADDR, s->address, d->word[ADDR], 0);
	assert_word(attr, PERIOD, s->period, d->word[PERIOD], 0);
	assert_word(attr, DATA_SRC, s->data_source, d->word[DATA_SRC], 0);
	assert_word(attr, TRANSACTION, s->transaction, d->word[TRANSACTION], 0);
	assert_word(attr, PHYS_ADDR, s->physical, d->word[PHYS_ADDR], 0);
	assert_word(attr, CGROUP, s->cgroup, d->word[CGROUP], 0);
	assert_word(attr, DATA_PAGE_SIZE, s->data_page, d->word[DATA_PAGE_SIZE], 0);
	assert_word(attr, CODE_PAGE_SIZE, s->code_page, d->word[CODE_PAGE_SIZE], 0);
	assert_true(s->weight == (has(attr, WEIGHT)          ? d->word[WEIGHT]
				  : has(attr, WEIGHT_STRUCT) ? d->var1
							     : 0));
	assert_int_equal(s->var2, has(attr, WEIGHT_STRUCT) ? d->var2 : 0);
	assert_int_equal(s->var3, has(attr, WEIGHT_STRUCT) ? d->var3 : 0);
	assert_counters(attr, d);
	assert_parts(attr, d);
}

enum { SAMPLES = 8 };

static struct drawn drawn[SAMPLES];

TEST(drawn_samples_are_read_field_by_field)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < 1500; round++) {
		struct wide_attr attr;

		draw_event(&attr, &seed);
		f.big = round % 2;
		file_begin_wide(&f, &attr);
		for (unsigned i = 0; i < SAMPLES; i++) {
			draw_sample(&drawn[i], &attr, &seed);
			put_drawn(&attr, &drawn[i]);
		}
		file_end_wide(&f);
		reader_open(&f, NULL);
		for (unsigned i = 0; i < SAMPLES; i++) {
			assert_int_equal(next(&f), 1);
			assert_int_equal(f.rec.number, i);
			assert_sample(&attr, &drawn[i]);
		}
		assert_int_equal(next(&f), 0);
		assert_no_fault(&f);
		reader_close(&f);
	}
}

/* The last word of a sample is missed by one of its fields, whichever that is; the next is read. */
TEST(drawn_samples_that_are_a_word_short)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 1500; round++) {
		struct wide_attr attr;
		size_t end, size;

		draw_event(&attr, &seed);
		f.big = round % 2;
		file_begin_wide(&f, &attr);
		draw_sample(&drawn[0], &attr, &seed);
		put_drawn(&attr, &drawn[0]);
		end = f.size;
		size = end - WIDE_DATA_AT;
		if (size <= 8)
			continue;
		f.size = WIDE_DATA_AT + 6;
		put16(&f, size - 8);
		f.size = end - 8;
		put_drawn(&attr, &drawn[0]);
		file_end_wide(&f);
		reader_open(&f, NULL);
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.offset, end - 8);
		assert_sample(&attr, &drawn[0]);
		assert_int_equal(next(&f), 0);
		assert_fault(&f, TL_BAD_RECORD, WIDE_DATA_AT, size - 8);
		reader_close(&f);
	}
}

/* ---- the order of time ---- */

enum { MOST_RECORDS = 2000 };

/* LOST records with a trailer: the count is the record's number here. */
static void put_timed(unsigned number, uint64_t time, unsigned cpu)
{
	put_header(&f, TL_PERF_LOST, 0, 8 + 16 + TRAILER);
	put64(&f, EVENT);
	put64(&f, number);
	put_trailer(&f, 1, 1, time, cpu);
}

/*
 * Each round has the records of some processors, one processor after the other; each of these is
 * later than the round before the last. So all can be in order: by time, then by place.
 */
static unsigned draw_rounds(uint64_t *times, uint32_t *seed)
{
	const unsigned cpus = 1 + chance(seed, 4), rounds = 1 + chance(seed, 12);
	unsigned count = 0;

	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned cpu = 0; cpu < cpus; cpu++) {
			uint64_t now = 1000 * (uint64_t)(round + 1) + chance(seed, 300);

			for (unsigned n = chance(seed, 30); n--; now += chance(seed, 60)) {
				/* Few are out of the order of their own processor. */
				times[count] = now - (chance(seed, 10) ? 0 : chance(seed, 50));
				put_timed(count, times[count], cpu);
				count++;
			}
		}
		put_header(&f, TL_PERF_FINISHED_ROUND, 0, 8);
	}
	return count;
}

/* The place in the order of each record that is left, the slow way. */
static unsigned next_of(const uint64_t *times, bool *gone, unsigned count)
{
	unsigned first = count;

	for (unsigned i = 0; i < count; i++)
		if (!gone[i] && (first == count || times[i] < times[first]))
			first = i;
	gone[first] = true;
	return first;
}

TEST(rounds_of_processors_come_by_time)
{
	static const struct tl_perf_options by_time = { .size = sizeof(by_time), .in_order = true };
	static uint64_t times[MOST_RECORDS];
	static bool gone[MOST_RECORDS];
	uint32_t seed = 3;

	for (unsigned round = 0; round < 60; round++) {
		unsigned count, seen = 0;

		f.big = round % 2;
		file_begin(&f, COMMON_TYPE);
		count = draw_rounds(times, &seed);
		file_end(&f);
		memset(gone, 0, sizeof(gone));
		reader_open(&f, &by_time);
		while (next(&f) == 1) {
			unsigned wanted;

			if (f.rec.type == TL_PERF_FINISHED_ROUND)
				continue;
			wanted = next_of(times, gone, count);
			assert_int_equal(f.rec.lost.count, wanted);
			assert_int_equal(f.rec.id.time_ns, times[wanted]);
			seen++;
		}
		assert_int_equal(seen, count);
		assert_no_fault(&f);
		reader_close(&f);
	}
}

/* Without an order asked for, records come as their bytes stand. */
TEST(records_come_as_they_stand)
{
	static uint64_t times[MOST_RECORDS];
	uint32_t seed = 4;
	unsigned count, seen = 0;

	f.big = false;
	file_begin(&f, COMMON_TYPE);
	count = draw_rounds(times, &seed);
	file_end(&f);
	reader_open(&f, NULL);
	while (next(&f) == 1) {
		if (f.rec.type == TL_PERF_FINISHED_ROUND)
			continue;
		assert_int_equal(f.rec.lost.count, seen);
		assert_int_equal(f.rec.id.time_ns, times[seen++]);
	}
	assert_int_equal(seen, count);
	reader_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_samples_are_read_field_by_field),
		cmocka_unit_test(drawn_samples_that_are_a_word_short),
		cmocka_unit_test(rounds_of_processors_come_by_time),
		cmocka_unit_test(records_come_as_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
