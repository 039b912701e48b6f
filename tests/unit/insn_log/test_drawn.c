/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions that are drawn, written as each of the forms, and the tokens that a plain writer makes
 * of them (docs/formats/xtrace.md, 2.4). Blocks of QEMU are translated, translated again, executed
 * and stopped as it is drawn, against a list of all texts and all executions.
 */
#include <stdlib.h>

#include "../chance.h"
#include "logs.h"

enum { CPUS = 3, STEPS = 120, ROUNDS = 400, TOKENS = 1 << 15, TEXT = 1 << 16 };

/* ---- instructions ---- */

enum flow { NEXT, JUMP, CONDITIONAL, CALL, INDIRECT };

/* What A64's encodings say of them. */
static const struct insn {
	uint32_t opcode;
	enum flow flow;
	int offset;             /* of its target */
	unsigned loads, stores; /* bytes that it reads and writes */
} insns[] = {
	{ 0xd503201f, NEXT, 0, 0, 0 },         /* nop */
	{ 0x8b020020, NEXT, 0, 0, 0 },         /* add x0, x1, x2 */
	{ 0xf9400001, NEXT, 0, 8, 0 },         /* ldr x1, [x0] */
	{ 0x39400001, NEXT, 0, 1, 0 },         /* ldrb w1, [x0] */
	{ 0xa9bf7bfd, NEXT, 0, 0, 16 },        /* stp x29, x30, [sp, #-16]! */
	{ 0xb9000001, NEXT, 0, 0, 4 },         /* str w1, [x0] */
	{ 0x14000002, JUMP, 8, 0, 0 },         /* b +8 */
	{ 0x17ffffff, JUMP, -4, 0, 0 },        /* b -4 */
	{ 0x54000040, CONDITIONAL, 8, 0, 0 },  /* b.eq +8 */
	{ 0xb4ffffc1, CONDITIONAL, -8, 0, 0 }, /* cbz x1, -8 */
	{ 0x94000004, CALL, 16, 0, 0 },        /* bl +16 */
	{ 0xd65f03c0, INDIRECT, 0, 0, 0 },     /* ret */
	{ 0xd63f0020, INDIRECT, 0, 0, 0 },     /* blr x1 */
	{ 0xd61f0020, INDIRECT, 0, 0, 0 },     /* br x1 */
};

enum { INSNS = sizeof(insns) / sizeof(insns[0]) };

/* ---- tokens as the format has them ---- */

struct stream {
	char digits[TOKENS]; /* as tokens_of() gives them */
	size_t size;
	const struct insn *last;
	uint64_t pc, instructions;
	unsigned el;
};

struct model {
	struct stream streams[CPUS];
	uint64_t elsewhere, loads, stores;
};

static void put_byte(struct stream *s, unsigned byte)
{
	assert_true(s->size + 3 < TOKENS);
	s->size += (size_t)sprintf(s->digits + s->size, "%02x", byte);
}

static void put_number(struct stream *s, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		put_byte(s, value >> 8 * i & 0xff);
}

/* Whether the last instruction of a stream can be before one at `pc`. */
static bool can_lead(const struct stream *s, uint64_t pc)
{
	const uint64_t target = s->pc + (uint64_t)(int64_t)s->last->offset;

	switch (s->last->flow) {
	case NEXT:
		return pc == s->pc + 4;
	case CONDITIONAL:
		return pc == target || pc == s->pc + 4;
	case INDIRECT:
		return true;
	default:
		return pc == target;
	}
}

static void put_insn(struct model *m, unsigned cpu, uint64_t pc, const struct insn *insn,
		     unsigned el)
{
	struct stream *s = &m->streams[cpu];
	const bool follows = s->last && pc == s->pc + 4;

	if (s->last && s->last->flow == INDIRECT) {
		put_byte(s, 0x2b);
		put_number(s, pc, 8);
	}
	if (s->last && el == s->el)
		m->elsewhere += !can_lead(s, pc);
	put_byte(s, (follows ? 0x01 : 0x09) + 0x40 * el);
	if (!follows)
		put_number(s, pc, 8);
	put_number(s, insn->opcode, 4);
	s->last = insn;
	s->pc = pc;
	s->el = el;
	s->instructions++;
}

static void put_access(struct model *m, unsigned cpu, bool store, uint64_t address, unsigned size)
{
	struct stream *s = &m->streams[cpu];

	*(store ? &m->stores : &m->loads) += 1;
	/* the largest powers of two first, of 256 bytes at most */
	for (unsigned log2 = 8; size; log2 -= log2 > 0)
		while (size >= 1u << log2) {
			put_byte(s, (store ? 0x0a : 0x02) + 0x10 * log2);
			put_number(s, address, 8);
			for (unsigned i = 0; i < 1u << log2; i++)
				put_byte(s, 0);
			address += 1u << log2;
			size -= 1u << log2;
		}
}

/* ---- drawing ---- */

static char text[TEXT];
static size_t text_size;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_size += (size_t)vsnprintf(text + text_size, sizeof(text) - text_size, format, args);
	va_end(args);
	assert_true(text_size < sizeof(text));
}

/* Where execution goes on: mostly where it is led to. */
static uint64_t draw_pc(const struct stream *s, uint32_t *seed)
{
	if (!s->last || chance(seed, 12) == 0)
		return 0x1000 + 4 * (uint64_t)chance(seed, 200);
	if (s->last->flow == INDIRECT)
		return chance(seed, 4) ? 0x1000 + 4 * (uint64_t)chance(seed, 200) : s->pc + 4;
	if (s->last->flow == NEXT || (s->last->flow == CONDITIONAL && chance(seed, 2)))
		return s->pc + 4;
	return s->pc + (uint64_t)(int64_t)s->last->offset;
}

/* A line of the plugin execlog, whose accesses share the bytes of the instruction. */
static void draw_execlog(struct model *m, uint32_t *seed)
{
	const unsigned cpu = chance(seed, CPUS);
	const struct insn *insn = &insns[chance(seed, INSNS)];
	const uint64_t pc = draw_pc(&m->streams[cpu], seed);
	const unsigned bytes = insn->loads + insn->stores;

	/* what else QEMU logs stands between */
	if (chance(seed, 10) == 0)
		say("%s\n", chance(seed, 2) ? "cpu 0 exec" : "");
	say("%u, 0x%llx, 0x%08x, \"%s\"", cpu, (unsigned long long)pc, insn->opcode,
	    chance(seed, 2) ? "text, load, 0x1" : "");
	put_insn(m, cpu, pc, insn, 0);
	if (bytes) {
		const unsigned count = bytes > 1 && chance(seed, 2) ? 2 : 1;

		for (unsigned i = 0; i < count; i++) {
			const uint64_t address = 0x3000 + chance(seed, 4096);

			say(", %s, 0x%08llx%s", insn->stores ? "store" : "load",
			    (unsigned long long)address, chance(seed, 2) ? ", RAM" : "");
			put_access(m, cpu, insn->stores, address, bytes / count);
		}
	}
	say("%s\n", chance(seed, 20) ? "" : "\r");
}

/* Lines of Tarmac: an instruction, registers, and accesses of any size. */
static void draw_tarmac(struct model *m, uint32_t *seed, unsigned step)
{
	static const char *const cpus[CPUS] = { "cpu0", "top.core.cpu1", "IT0" };
	static const char *const kinds[] = { "IT", "IS" };
	const unsigned cpu = chance(seed, CPUS), el = chance(seed, 4);
	const struct insn *insn = &insns[chance(seed, INSNS)];
	const uint64_t pc = draw_pc(&m->streams[cpu], seed);

	if (chance(seed, 5) == 0)
		say("  %u clk %s ES (%016llx:%08x) O el%uh_s: TEXT\n", step, cpus[cpu],
		    (unsigned long long)pc, insn->opcode, el);
	else
		say("%u ns %s %s%s %016llx%s %08x O EL%u%s : TEXT\n", step, cpus[cpu],
		    kinds[chance(seed, 2)], chance(seed, 2) ? " (17)" : "", (unsigned long long)pc,
		    chance(seed, 2) ? ":00801000_NS" : "", insn->opcode, el,
		    chance(seed, 2) ? "h_n" : "t");
	put_insn(m, cpu, pc, insn, el);
	for (unsigned i = chance(seed, 4); i > 0; i--) {
		const bool store = chance(seed, 2);
		const unsigned size = 1 + chance(seed, chance(seed, 8) ? 16 : 600);
		const uint64_t address = 0x3000 + chance(seed, 4096);

		say("%u ns %s R X%u 0000\n", step, cpus[cpu], i);
		say("%u ns %s M%c%u%s %llx 0000\n", step, cpus[cpu], store ? 'W' : 'R', size,
		    chance(seed, 2) ? "X" : "", (unsigned long long)address);
		put_access(m, cpu, store, address, size);
	}
}

/* ---- comparison ---- */

static unsigned cpu_of(uint64_t id, const unsigned *order, unsigned count, bool named)
{
	if (!named)
		return (unsigned)id;
	assert_true(id < count);
	return order[id];
}

static void expect_streams(const struct model *m, const unsigned *order, unsigned count, bool named)
{
	uint64_t instructions = 0;

	assert_int_equal(log_read.cpu_count, count);
	for (unsigned i = 0; i < count; i++) {
		const struct stream *s =
			&m->streams[cpu_of(log_read.cpus[i].id, order, count, named)];

		assert_int_equal(log_read.cpus[i].instructions, s->instructions);
		assert_string_equal(tokens_of(i), s->digits);
		instructions += s->instructions;
	}
	assert_int_equal(log_read.instructions, instructions);
	assert_int_equal(log_read.loads, m->loads);
	assert_int_equal(log_read.stores, m->stores);
}

/* The number at the begin of what is said by a rule; 0: nothing is said by it. */
static uint64_t said(const char *rule)
{
	for (size_t i = 0; i < log_read.faults.count; i++) {
		const char *p = log_read.faults.list[i].text;

		if (strcmp(log_read.faults.list[i].rule, rule) != 0)
			continue;
		p += strncmp(p, "at ", 3) == 0 ? 3 : 0;
		return strtoull(p, NULL, 10);
	}
	return 0;
}

static void note_order(const struct model *m, unsigned *order, unsigned *count)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		unsigned i = 0;

		while (i < *count && order[i] != cpu)
			i++;
		if (i == *count && m->streams[cpu].last)
			order[(*count)++] = cpu;
	}
}

TEST(drawn_executions_in_two_forms)
{
	static struct model m;
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned steps = 1 + chance(&seed, STEPS);
		const bool tarmac = round % 2;
		unsigned order[CPUS], count = 0;

		memset(&m, 0, sizeof(m));
		text_size = 0;
		for (unsigned step = 0; step < steps; step++) {
			if (tarmac)
				draw_tarmac(&m, &seed, step);
			else
				draw_execlog(&m, &seed);
			note_order(&m, order, &count);
		}
		assert_int_equal(read_sized(text, text_size, false), 0);
		assert_int_equal(log_read.form, tarmac ? TL_INSN_LOG_TARMAC : TL_INSN_LOG_EXECLOG);
		assert_int_equal(log_read.has_accesses, m.loads || m.stores);
		expect_streams(&m, order, count, tarmac);
		/* Tarmac has exceptions of its own: where they lead is not asked */
		assert_int_equal(said("flow"), tarmac ? 0 : m.elsewhere);
		assert_int_equal(log_read.faults.count, !tarmac && m.elsewhere);
		tl_insn_log_end(&log_read);
	}
}

/* ---- QEMU ---- */

enum { TEXTS = 60, PLACES = 6, LONGEST = 4, HOSTS = 5 };

struct qemu {
	struct {
		unsigned place, count;
		const struct insn *insns[LONGEST];
	} texts[TEXTS];
	unsigned text_count;
	int last[PLACES];        /* the last text of an address, -1: none */
	bool is_new[PLACES];     /* it was not executed yet */
	int host[HOSTS][PLACES]; /* the text at a place of a translation, -1: none */
	int awaited[CPUS];       /* a text that was announced, -1: none */
	unsigned awaited_place[CPUS], awaited_host[CPUS], turn[CPUS], turns;
	uint64_t no_text, blocks;
};

static uint64_t place_pc(unsigned place)
{
	return 0x4000 + 0x40 * (uint64_t)place;
}

static void translate(struct qemu *q, uint32_t *seed)
{
	const unsigned place = chance(seed, PLACES), count = 1 + chance(seed, LONGEST);

	q->texts[q->text_count].place = place;
	q->texts[q->text_count].count = count;
	say("----------------\nIN: f%u\n", place);
	for (unsigned i = 0; i < count; i++) {
		const struct insn *insn = &insns[chance(seed, INSNS)];

		q->texts[q->text_count].insns[i] = insn;
		say("0x%08llx:  %08x  %s\n", (unsigned long long)place_pc(place) + 4 * i,
		    insn->opcode, chance(seed, 2) ? "text #0x1000" : "");
	}
	say("\n");
	q->last[place] = (int)q->text_count++;
	q->is_new[place] = true;
}

static void execute(struct model *m, struct qemu *q, unsigned cpu)
{
	const int number = q->awaited[cpu];

	q->awaited[cpu] = -1;
	if (number < 0)
		return;
	for (unsigned i = 0; i < q->texts[number].count; i++)
		put_insn(m, cpu, place_pc(q->texts[number].place) + 4 * i,
			 q->texts[number].insns[i], 0);
	q->blocks++;
}

static void announce(struct model *m, struct qemu *q, uint32_t *seed, bool *seen)
{
	const unsigned cpu = chance(seed, CPUS), place = chance(seed, PLACES),
		       host = chance(seed, HOSTS);
	int *kept = &q->host[host][place];

	if (chance(seed, 2))
		say("Trace %u: 0x7f%02x00 [00000000/%016llx/0/ff] f\n", cpu, host,
		    (unsigned long long)place_pc(place));
	else
		say("Trace 0x7f%02x00 [%u: %08llx] \n", host, cpu,
		    (unsigned long long)place_pc(place));
	/* "A text that was not executed yet is of the next execution at its address" */
	if (q->is_new[place] || *kept < 0)
		*kept = q->last[place];
	q->is_new[place] = false;
	execute(m, q, cpu);
	q->awaited[cpu] = *kept;
	q->awaited_place[cpu] = place;
	q->awaited_host[cpu] = host;
	q->turn[cpu] = ++q->turns;
	q->no_text += *kept < 0;
	seen[cpu] = true;
}

/* "The block that was announced last with this HOST and PC, by whichever processor" */
static void stop(struct qemu *q, uint32_t *seed)
{
	const unsigned of = chance(seed, CPUS), place = q->awaited_place[of],
		       host = chance(seed, 4) ? q->awaited_host[of] : chance(seed, HOSTS);
	unsigned latest = CPUS;

	say("Stopped execution of TB chain before 0x7f%02x00 [%08llx] f\n", host,
	    (unsigned long long)place_pc(place));
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		if (q->awaited[cpu] >= 0 && q->awaited_place[cpu] == place &&
		    q->awaited_host[cpu] == host &&
		    (latest == CPUS || q->turn[cpu] > q->turn[latest]))
			latest = cpu;
	if (latest < CPUS)
		q->awaited[latest] = -1;
}

TEST(drawn_translations_and_executions)
{
	static struct model m;
	static struct qemu q;
	uint32_t seed = 2;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned steps = 5 + chance(&seed, STEPS);
		bool seen[CPUS] = { false };
		unsigned cpus = 0;
		uint64_t instructions = 0;
		int status;

		memset(&m, 0, sizeof(m));
		memset(&q, 0, sizeof(q));
		memset(q.last, 0xff, sizeof(q.last));
		memset(q.host, 0xff, sizeof(q.host));
		memset(q.awaited, 0xff, sizeof(q.awaited));
		text_size = 0;
		translate(&q, &seed);
		for (unsigned step = 0; step < steps; step++) {
			if (q.text_count < TEXTS && chance(&seed, 4) == 0)
				translate(&q, &seed);
			else if (chance(&seed, 10) == 0)
				stop(&q, &seed);
			else
				announce(&m, &q, &seed, seen);
		}
		/* "Blocks that are still awaited are executed." */
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			execute(&m, &q, cpu);
			instructions += m.streams[cpu].instructions;
			cpus += seen[cpu];
		}
		status = read_sized(text, text_size, false);
		assert_int_equal(status, instructions ? 0 : TL_BAD_FORMAT);
		if (status == 0) {
			expect_streams(&m, NULL, cpus, false);
			assert_int_equal(log_read.blocks, q.blocks);
			assert_int_equal(said("block"), q.no_text);
			assert_int_equal(said("flow"), m.elsewhere);
			assert_false(log_read.has_accesses);
		}
		tl_insn_log_end(&log_read);
	}
}

/* ---- damage ---- */

/*
 * A line without one of its characters that are no digits, behind others: it is no instruction,
 * which is told with its place, and the others are there.
 */
TEST(lines_that_lack_a_character)
{
	enum { OTHERS = 16 };
	static const char line[] = "0, 0x1040, 0xd503201f, \"nop\"\n";
	static const unsigned needed[] = { 1, 3, 4, 9, 11, 12, 21, 23 }; /* commas, 0x, quote */
	char damaged[OTHERS * 40];

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const unsigned without = needed[i];
		size_t at;

		text_size = 0;
		for (unsigned n = 0; n < OTHERS; n++)
			say("0, 0x%x, 0xd503201f, \"nop\"\n", 0x1000 + 4 * n);
		at = text_size;
		snprintf(damaged, sizeof(damaged), "%.*s%.*s%s", (int)at, text, (int)without, line,
			 line + without + 1);
		assert_int_equal(read_text(damaged), 0);
		assert_int_equal(log_read.instructions, OTHERS);
		assert_int_equal(log_read.faults.count, 1);
		assert_string_equal(log_read.faults.list[0].rule, "line");
		assert_int_equal(log_read.faults.list[0].status, TL_BAD_RECORD);
		assert_int_equal(log_read.faults.list[0].offset, at);
		assert_int_equal(log_read.faults.list[0].length, sizeof(line) - 2);
		assert_int_equal(log_read.faults.list[0].record, OTHERS + 1);
		tl_insn_log_end(&log_read);
		/* strictly, the first damage is the end */
		assert_int_equal(read_sized(damaged, strlen(damaged), true), TL_BAD_RECORD);
		tl_insn_log_end(&log_read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_executions_in_two_forms),
		cmocka_unit_test(drawn_translations_and_executions),
		cmocka_unit_test(lines_that_lack_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
