/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage of programs that are drawn and executed step by step, in the formats of other tools.
 * What a format says is added up again and held against the steps; lines and samples are held
 * against a plain search over all instructions, by the rules at the head of their headers.
 */
#include "helper.h"

#include <stdio.h>

#include "../chance.h"
#include "export/coverage/coverage_exporters.h"
#include "export/coverage/coverage_lines.h"
#include "export/coverage/llvm_samples.h"
#include "export/coverage/profile_lcov.h"
#include "profile/model/unsized.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a program, and its execution ---- */

enum { INSNS = 60, FUNCTION_INSNS = 10, FUNCTIONS = INSNS / FUNCTION_INSNS, STEPS = 4000 };
enum { OBJECT, OUTSIDE };

struct insn {
	uint64_t address;
	uint8_t size, kind;
	unsigned target;
	/* what the execution has: arrivals by jumps of the function, and by others */
	uint64_t count, falls, jumped, entered;
	bool leads; /* an edge goes there */
};

struct program {
	struct insn insns[INSNS];
	struct tl_coverage coverage;
};

static void draw_program(struct program *p, uint32_t *seed)
{
	static const uint8_t kinds[] = { TL_BRANCH_NONE,        TL_BRANCH_NONE,
					 TL_BRANCH_NONE,        TL_BRANCH_NONE,
					 TL_BRANCH_CONDITIONAL, TL_BRANCH_CONDITIONAL,
					 TL_BRANCH_JUMP,        TL_BRANCH_CALL,
					 TL_BRANCH_SYSTEM,      TL_BRANCH_INDIRECT_JUMP,
					 TL_BRANCH_RETURN,      TL_BRANCH_INDIRECT_CALL };
	uint64_t address = 0x1000;

	*p = (struct program){ .coverage = { .objects = NULL } };
	assert_int_equal(tl_coverage_object(&p->coverage, "p", NULL, 0, 0), OBJECT);
	assert_int_equal(tl_coverage_object(&p->coverage, "q", NULL, 0, 0), OUTSIDE);
	for (unsigned i = 0; i < INSNS; i++) {
		struct insn *insn = &p->insns[i];
		const unsigned first = i / FUNCTION_INSNS * FUNCTION_INSNS;

		insn->address = address;
		insn->size = (uint8_t)(1 + chance(seed, 15));
		insn->kind = kinds[chance(seed, COUNT(kinds))];
		insn->target = first + chance(seed, FUNCTION_INSNS);
		address += insn->size;
		if (insn->kind == TL_BRANCH_CALL || insn->kind == TL_BRANCH_INDIRECT_CALL)
			insn->target = FUNCTION_INSNS * chance(seed, FUNCTIONS);
		/* A jump that is always taken goes on, so that nothing is endless. */
		if (insn->kind == TL_BRANCH_JUMP && insn->target <= i)
			insn->target = i + 1;
		/* The last one of a function does not go on into the next, which lies elsewhere. */
		if (i == first + FUNCTION_INSNS - 1) {
			insn->kind = TL_BRANCH_RETURN;
			address += 3;
		}
	}
}

/* NULL: what is outside of the object. */
static void add_edge(struct program *p, const struct insn *from, struct insn *to, bool falls)
{
	const struct tl_coverage_edge edge = {
		.from = from ? from->address : 0x77,
		.to = to ? to->address : 0x99,
		.count = 1,
		.from_object = from ? OBJECT : OUTSIDE,
		.to_object = to ? OBJECT : OUTSIDE,
		.kind = from ? from->kind : TL_BRANCH_INDIRECT_CALL,
		.falls = falls,
	};

	if (to)
		to->leads = true;
	assert_true(tl_coverage_add_edge(&p->coverage, &edge));
}

struct walk {
	unsigned stack[20], depth;
	uint32_t *seed;
};

/* Where control goes from an instruction; INSNS: out of the object. */
static unsigned step(struct program *p, unsigned at, struct walk *walk)
{
	struct insn *insn = &p->insns[at];
	unsigned to = insn->target;

	if (insn->kind == TL_BRANCH_NONE || insn->kind == TL_BRANCH_SYSTEM) {
		insn->falls++;
		return at + 1;
	}
	if (insn->kind == TL_BRANCH_CONDITIONAL && chance(walk->seed, 2)) {
		insn->falls++;
		add_edge(p, insn, insn + 1, true);
		return at + 1;
	}
	if (insn->kind == TL_BRANCH_INDIRECT_JUMP)
		to = at / FUNCTION_INSNS * FUNCTION_INSNS + chance(walk->seed, FUNCTION_INSNS);
	if (insn->kind == TL_BRANCH_CALL || insn->kind == TL_BRANCH_INDIRECT_CALL) {
		if (walk->depth == COUNT(walk->stack))
			walk->depth = 0;
		walk->stack[walk->depth++] = at;
	}
	if (insn->kind == TL_BRANCH_RETURN)
		to = walk->depth ? walk->stack[--walk->depth] + 1 : INSNS;
	if (to == INSNS) {
		add_edge(p, insn, NULL, false);
		return INSNS;
	}
	add_edge(p, insn, &p->insns[to], false);
	if (insn->kind == TL_BRANCH_CONDITIONAL || insn->kind == TL_BRANCH_JUMP ||
	    insn->kind == TL_BRANCH_INDIRECT_JUMP)
		p->insns[to].jumped++;
	else
		p->insns[to].entered++;
	return to;
}

static bool goes_on(const struct insn *insn)
{
	return insn->kind == TL_BRANCH_NONE || insn->kind == TL_BRANCH_SYSTEM;
}

/* It ends at a branch, so that whatever goes on has gone on. */
static void execute(struct program *p, uint32_t *seed)
{
	struct walk walk = { .seed = seed };
	unsigned at = INSNS;

	for (unsigned steps = 0;; steps++) {
		if (at == INSNS) {
			at = FUNCTION_INSNS * chance(seed, FUNCTIONS);
			p->insns[at].entered++;
			add_edge(p, NULL, &p->insns[at], false);
		}
		p->insns[at].count++;
		if (steps >= STEPS && !goes_on(&p->insns[at]))
			break;
		at = step(p, at, &walk);
	}
	for (unsigned i = 0; i < INSNS; i++) {
		const struct insn *insn = &p->insns[i];

		assert_int_equal(insn->count,
				 insn->jumped + insn->entered + (i ? insn[-1].falls : 0));
		if (insn->count)
			assert_true(tl_coverage_add_insn(
				&p->coverage, &(struct tl_coverage_insn){ .address = insn->address,
									  .count = insn->count,
									  .object = OBJECT,
									  .place = TL_NONE,
									  .function = TL_NONE,
									  .size = insn->size,
									  .kind = insn->kind }));
	}
	assert_true(tl_coverage_finish(&p->coverage));
}

static char *written(const struct tl_coverage *c, const struct tl_coverage_exporter *exporter,
		     size_t *size)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(exporter->write(c, OBJECT, out, NULL), 0);
	return take_output(out, size);
}

static unsigned insn_at(const struct program *p, uint64_t address)
{
	unsigned i = 0;

	while (i < INSNS && p->insns[i].address != address)
		i++;
	assert_true(i < INSNS);
	return i;
}

/*
 * "Any set of runs that has the counts of all instructions and fall-throughs says the same": each
 * run is gone through, and what it has is taken off the counts, which are then nothing.
 */
static void take_runs(struct program *p, char *text)
{
	uint64_t taken = 0, branches = 0;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long long from, to, count;
		char what;

		assert_int_equal(sscanf(line, "%c %llx %llx %llu", &what, &from, &to, &count), 4);
		if (what == 'B') {
			branches++;
			taken += count;
			continue;
		}
		assert_true(what == 'F' || what == 'f');
		for (unsigned i = insn_at(p, from), end = insn_at(p, to); i <= end; i++) {
			p->insns[i].count -= count;
			if (i < end)
				p->insns[i].falls -= count;
			if (i == insn_at(p, from))
				*(what == 'F' ? &p->insns[i].jumped : &p->insns[i].entered) -=
					count;
		}
	}
	for (size_t e = 0; e < p->coverage.edge_count; e++) {
		const struct tl_coverage_edge *edge = &p->coverage.edges[e];

		if (!edge->falls && edge->to_object == OBJECT) {
			branches--;
			taken -= edge->count;
		}
	}
	assert_int_equal(branches, 0);
	assert_int_equal(taken, 0);
	for (unsigned i = 0; i < INSNS; i++) {
		assert_int_equal(p->insns[i].count, 0);
		assert_int_equal(p->insns[i].falls, 0);
		assert_int_equal(p->insns[i].jumped, 0);
		assert_int_equal(p->insns[i].entered, 0);
	}
}

TEST(runs_have_all_that_was_executed)
{
	uint32_t seed = 1;

	for (int round = 0; round < 25; round++) {
		struct program p;
		size_t size;
		char *text;

		draw_program(&p, &seed);
		execute(&p, &seed);
		text = written(&p.coverage, &tl_bolt_exporter, &size);
		take_runs(&p, text);
		free(text);
		tl_coverage_free(&p.coverage);
	}
}

static uint64_t little(const char *bytes, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)(uint8_t)bytes[i] << (8 * i);
	return value;
}

/* A block ends behind a branch, before a target, and where the next instruction did not run. */
TEST(blocks_have_all_that_was_executed)
{
	uint32_t seed = 2;

	for (int round = 0; round < 25; round++) {
		struct program p;
		size_t size;
		char *text, *at;
		unsigned count = 0;

		draw_program(&p, &seed);
		execute(&p, &seed);
		text = written(&p.coverage, &tl_drcov_exporter, &size);
		at = strstr(text, "BB Table: ");
		assert_non_null(at);
		at = strchr(at, '\n') + 1;
		for (unsigned i = 0, first; i < INSNS; i++) {
			if (!p.insns[i].count)
				continue;
			for (first = i; i + 1 < INSNS && goes_on(&p.insns[i]) &&
					p.insns[i + 1].count && !p.insns[i + 1].leads;
			     i++)
				;
			assert_int_equal(little(at, 4), p.insns[first].address);
			assert_int_equal(little(at + 4, 2), p.insns[i].address + p.insns[i].size -
								    p.insns[first].address);
			assert_int_equal(little(at + 6, 2), OBJECT);
			at += 8;
			count++;
		}
		assert_ptr_equal(at, text + size);
		assert_int_equal(strtoul(strstr(text, "BB Table: ") + 10, NULL, 10), count);
		free(text);
		tl_coverage_free(&p.coverage);
	}
}

/* ---- lines ---- */

enum { PLACES = 40, PLACED = 400 };

/*
 * Discriminators by their parts: the base, and the copies that were made of the code
 * (llvm/IR/DebugInfoMetadata.h: a part of 0 is the bit 1; of 1 to 31 it has 7 bits, the first of
 * them 0; else 14 with bit 6).
 */
static const struct {
	uint32_t value, base, copies;
} discriminators[] = {
	{ 0, 0, 1 },
	{ 1, 0, 1 },
	{ 1 << 1, 1, 1 },
	{ 31 << 1, 31, 1 },
	{ 1 << 1 | 3 << 8, 1, 3 },
	{ 1 | 5 << 2, 0, 5 },
	/* 40 is 8 and 32, which stands one bit higher, behind bit 5 */
	{ (8 | 1 << 5 | 32 << 1) << 1, 40, 1 },
	{ (8 | 1 << 5 | 32 << 1) << 1 | 2 << 15, 40, 2 },
	{ (8 | 1 << 5 | 32 << 1) << 1 | (1 | 1 << 5 | 32 << 1) << 15, 40, 33 },
};

static const char *const names[] = { "f", "g", "h", "" };
static const char *const files[] = { "a.c", "b.c", "", "a.h" };

struct placed {
	struct tl_coverage coverage;
	struct tl_coverage_insn insns[PLACED];
	uint32_t discriminator[PLACES]; /* by place, of those above */
};

static void draw_places(struct placed *p, uint32_t *seed)
{
	*p = (struct placed){ .coverage = { .objects = NULL } };
	tl_coverage_object(&p->coverage, "p", NULL, 0, 0);
	tl_coverage_object(&p->coverage, "q", NULL, 0, 0);
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t number = chance(seed, COUNT(discriminators));
		const struct tl_coverage_place place = {
			.function = names[chance(seed, 16) ? chance(seed, 3) : 3],
			.file = files[chance(seed, COUNT(files))],
			.line = chance(seed, 5),
			.discriminator = discriminators[number].value,
			.declared = chance(seed, 9) ? 2 : 0,
			.caller = i && chance(seed, 2) ? chance(seed, i) : TL_NONE,
		};

		/* What is equal to another one has its number. */
		p->discriminator[tl_coverage_place(&p->coverage, &place)] = number;
		if (p->coverage.place_count <= i)
			i = (uint32_t)p->coverage.place_count - 1;
	}
	for (uint32_t i = 0; i < PLACED; i++) {
		p->insns[i] = (struct tl_coverage_insn){
			.address = 0x100 + i * 8,
			.count = chance(seed, 1000),
			.object = chance(seed, 4) ? OBJECT : OUTSIDE,
			.place = chance(seed, 9) ? chance(seed, PLACES) : TL_NONE,
			.function = chance(seed, 5),
			.size = (uint8_t)(1 + chance(seed, 8)),
		};
		assert_true(tl_coverage_add_insn(&p->coverage, &p->insns[i]));
	}
}

/* "Of the instructions of a line in one function, or in one inlined call, the most frequent one
 * counts; these counts are added up over functions." */
static uint64_t count_of_line(const struct placed *p, const char *file, uint32_t line)
{
	static uint64_t most[5][PLACES + 1];
	uint64_t sum = 0;

	memset(most, 0, sizeof(most));
	for (unsigned i = 0; i < PLACED; i++) {
		const struct tl_coverage_insn *insn = &p->insns[i];
		const struct tl_coverage_place *place = &p->coverage.places[insn->place];
		uint64_t *count;

		if (insn->place == TL_NONE || strcmp(place->file, file) || place->line != line)
			continue;
		count = &most[insn->function][place->caller == TL_NONE ? PLACES : place->caller];
		*count = insn->count > *count ? insn->count : *count;
	}
	for (size_t f = 0; f < COUNT(most); f++)
		for (size_t caller = 0; caller <= PLACES; caller++)
			sum += most[f][caller];
	return sum;
}

TEST(lines_are_the_most_frequent_instructions)
{
	static struct placed p;
	uint32_t seed = 3;

	for (int round = 0; round < 20; round++) {
		struct tl_coverage_lines lines;
		size_t found = 0;

		draw_places(&p, &seed);
		assert_true(tl_coverage_finish(&p.coverage));
		assert_true(tl_coverage_lines(&p.coverage, &lines));
		for (size_t i = 0; i < lines.count; i++) {
			assert_int_equal(lines.list[i].count,
					 count_of_line(&p, lines.list[i].file, lines.list[i].line));
			assert_true(lines.list[i].line > 0 && *lines.list[i].file);
			if (i && !strcmp(lines.list[i - 1].file, lines.list[i].file))
				assert_true(lines.list[i - 1].line < lines.list[i].line);
			else if (i)
				assert_true(strcmp(lines.list[i - 1].file, lines.list[i].file) < 0);
		}
		for (size_t file = 0; file < COUNT(files); file++)
			for (uint32_t line = 1; line < 5; line++)
				found += *files[file] && count_of_line(&p, files[file], line);
		assert_int_equal(lines.count, found);
		tl_coverage_lines_free(&lines);
		assert_null(lines.list);
		assert_int_equal(lines.count, 0);
		tl_coverage_free(&p.coverage);
	}
}

/* ---- samples of LLVM ---- */

/*
 * The place as text, from the outermost function on: "main 2.1 inl 3.0", lines counted from the
 * declaration. False: LLVM has none, as a function or its declaration is not known.
 */
static bool place_text(const struct placed *p, uint32_t number, char *text)
{
	const struct tl_coverage_place *place = &p->coverage.places[number];

	*text = '\0';
	if (place->caller != TL_NONE && !place_text(p, place->caller, text))
		return false;
	sprintf(text + strlen(text), "%s%s %u.%u", *text ? " " : "", place->function,
		(place->line - place->declared) & 0xffff,
		(unsigned)discriminators[p->discriminator[number]].base);
	return place->declared && *place->function;
}

static void body_text(const struct tl_llvm_samples *s, uint32_t number, char *text)
{
	const struct tl_llvm_body *body = &s->bodies[number];

	*text = '\0';
	if (body->parent != TL_NONE) {
		body_text(s, body->parent, text);
		sprintf(text + strlen(text), " %u.%u ", (unsigned)body->line,
			(unsigned)body->discriminator);
	}
	strcat(text, body->name);
}

/* "The most frequent instruction of a line counts, times the copies" of its discriminator. */
static uint64_t count_of_sample(const struct placed *p, const char *wanted, bool *any)
{
	uint64_t most = 0;

	*any = false;
	for (unsigned i = 0; i < PLACED; i++) {
		const struct tl_coverage_insn *insn = &p->insns[i];
		char text[4096];
		uint64_t count;

		if (insn->object != OBJECT || insn->place == TL_NONE ||
		    !place_text(p, insn->place, text) || strcmp(text, wanted))
			continue;
		*any = true;
		count = insn->count * discriminators[p->discriminator[insn->place]].copies;
		most = count > most ? count : most;
	}
	return most;
}

/* Bytes that were executed in a body and in all that is inlined there. */
static uint64_t total_of_body(const struct placed *p, const char *body)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < PLACED; i++) {
		const struct tl_coverage_insn *insn = &p->insns[i];
		char text[4096];

		if (insn->object == OBJECT && insn->place != TL_NONE &&
		    place_text(p, insn->place, text) && !strncmp(text, body, strlen(body)) &&
		    text[strlen(body)] == ' ')
			total += insn->count * insn->size;
	}
	return total;
}

TEST(samples_are_those_of_places)
{
	static struct placed p;
	uint32_t seed = 4;

	for (int round = 0; round < 6; round++) {
		struct tl_llvm_samples s = { .coverage = &p.coverage, .object = OBJECT };
		char text[4096], other[4096];
		uint32_t *order;
		size_t kept = 0;

		draw_places(&p, &seed);
		assert_true(tl_coverage_finish(&p.coverage));
		assert_true(tl_llvm_samples(&s));
		for (size_t i = 0; i < s.sample_count; i++) {
			const struct tl_llvm_sample *sample = &s.samples[i];
			bool any;

			body_text(&s, sample->body, text);
			sprintf(text + strlen(text), " %u.%u", (unsigned)sample->line,
				(unsigned)sample->discriminator);
			assert_int_equal(sample->count, count_of_sample(&p, text, &any));
			assert_true(any);
		}
		for (uint32_t i = 0; i < s.body_count; i++) {
			body_text(&s, i, text);
			assert_int_equal(s.bodies[i].total, total_of_body(&p, text));
		}
		/* each place that has an instruction has its sample, and equal places have one */
		for (unsigned i = 0; i < PLACED; i++) {
			bool first = p.insns[i].object == OBJECT && p.insns[i].place != TL_NONE &&
				     place_text(&p, p.insns[i].place, text);

			for (unsigned before = 0; first && before < i; before++)
				first = p.insns[before].object != OBJECT ||
					p.insns[before].place == TL_NONE ||
					!place_text(&p, p.insns[before].place, other) ||
					strcmp(text, other) != 0;
			kept += first;
		}
		assert_int_equal(s.sample_count, kept);
		order = tl_llvm_sample_order(&s);
		assert_non_null(order);
		for (size_t i = 1; i < s.sample_count; i++) {
			const struct tl_llvm_sample *a = &s.samples[order[i - 1]],
						    *b = &s.samples[order[i]];

			assert_true(a->body < b->body ||
				    (a->body == b->body &&
				     (a->line < b->line || (a->line == b->line &&
							    a->discriminator < b->discriminator))));
		}
		free(order);
		tl_llvm_samples_free(&s);
		tl_coverage_free(&p.coverage);
	}
}

/* As deep as 64; the bodies further out than that are not known, so there is none. */
TEST(inlining_is_bounded)
{
	for (uint32_t depth = 64; depth < 66; depth++) {
		struct tl_coverage c = { .objects = NULL };
		struct tl_llvm_samples s = { .coverage = &c };
		struct tl_coverage_insn insn = { .count = 7, .size = 3, .function = TL_NONE };

		tl_coverage_object(&c, "p", NULL, 0, 0);
		for (uint32_t i = 0; i < depth; i++)
			insn.place = tl_coverage_place(
				&c, &(struct tl_coverage_place){ "f", "f.c", i + 1, 0, 1,
								 i ? i - 1 : TL_NONE });
		assert_true(tl_coverage_add_insn(&c, &insn));
		assert_true(tl_coverage_finish(&c));
		assert_true(tl_llvm_samples(&s));
		assert_int_equal(s.sample_count, depth == 64);
		assert_int_equal(s.body_count, depth == 64 ? 64 : 0);
		if (depth == 64) {
			assert_int_equal(s.bodies[0].total, 21);
			assert_int_equal(s.bodies[63].line, 62);
		}
		tl_llvm_samples_free(&s);
		tl_coverage_free(&c);
	}
}

/* What is called at a sample: calls, and jumps to the entry of another function. */
TEST(targets_are_entries_of_functions)
{
	static const struct {
		uint8_t kind;
		bool falls;
		uint64_t from, to;
		bool counts;
	} edges[] = {
		{ TL_BRANCH_CALL, false, 0x10, 0x20, true },
		{ TL_BRANCH_INDIRECT_CALL, false, 0x10, 0x20, true },
		{ TL_BRANCH_CALL, false, 0x10, 0x24, false }, /* into the middle */
		{ TL_BRANCH_CALL, false, 0x10, 0x99, false }, /* to nothing that is known */
		{ TL_BRANCH_CALL, false, 0x24, 0x20, true },  /* of itself */
		{ TL_BRANCH_JUMP, false, 0x10, 0x20, true },
		{ TL_BRANCH_CONDITIONAL, false, 0x10, 0x20, true },
		{ TL_BRANCH_INDIRECT_JUMP, false, 0x10, 0x20, true },
		{ TL_BRANCH_JUMP, false, 0x24, 0x20, false }, /* back to its own beginning */
		{ TL_BRANCH_CONDITIONAL, true, 0x10, 0x20, false },
		{ TL_BRANCH_RETURN, false, 0x10, 0x20, false },
		{ TL_BRANCH_SYSTEM, false, 0x10, 0x20, false },
		{ TL_BRANCH_ASYNC, false, 0x10, 0x20, false },
	};

	for (size_t i = 0; i < COUNT(edges); i++) {
		struct tl_coverage c = { .objects = NULL };
		struct tl_llvm_samples s = { .coverage = &c };

		tl_coverage_object(&c, "p", NULL, 0, 0);
		for (uint32_t f = 0; f < 2; f++) {
			const char *name = f ? "g" : "f";

			tl_coverage_place(
				&c, &(struct tl_coverage_place){ name, "a.c", 5, 0, 4, TL_NONE });
			tl_coverage_function(&c, &(struct tl_coverage_function){
							 name, "a.c", 0x10 + 0x10 * f, 16, 0, 4 });
			for (uint32_t insn = 0; insn < 2; insn++)
				assert_true(tl_coverage_add_insn(
					&c, &(struct tl_coverage_insn){ 0x10 + 0x10 * f + 4 * insn,
									1, 0, f, f, 4, 0 }));
		}
		for (uint64_t twice = 0; twice < 2; twice++)
			assert_true(tl_coverage_add_edge(
				&c, &(struct tl_coverage_edge){ edges[i].from, edges[i].to, 7, 0, 0,
								edges[i].kind, edges[i].falls }));
		assert_true(tl_coverage_finish(&c));
		assert_true(tl_llvm_samples(&s));
		assert_int_equal(s.target_count, edges[i].counts);
		if (edges[i].counts) {
			assert_string_equal(s.targets[0].name, "g");
			assert_int_equal(s.targets[0].count, 14);
			assert_int_equal(s.bodies[1].head, 14);
		}
		assert_int_equal(s.bodies[0].head + s.bodies[1].head, edges[i].counts ? 14 : 0);
		tl_llvm_samples_free(&s);
		tl_coverage_free(&c);
	}
}

/* ---- tracefiles of profiles ---- */

static char *tracefile(const struct tl_profile *profile, int wanted)
{
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_profile_lcov(profile, out, NULL), wanted);
	return take_output(out, &size);
}

static struct tl_profile *profile_of(const char *event)
{
	const struct tl_event events[] = { { "Dr", "", "", "" }, { event, "", "", "" } };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "callgrind", events, 2, 0, NULL), 0);
	add_part(profile, 1, 1, "");
	add_part(profile, 1, 2, "");
	return profile;
}

static void cost_at(struct tl_profile *profile, uint32_t function, uint32_t part, const char *file,
		    uint32_t line, uint64_t address, int64_t cost)
{
	const struct tl_cost_line at = {
		.function = function,
		.part = part,
		.at = { .file = file, .line = line, .address = address },
	};

	assert_int_equal(tl_profile_put_line(profile, &at, (const int64_t[]){ 5, cost }, NULL), 0);
}

/* main is called 3 times, g not at all, h by nothing that is counted; h has no file. */
static void fill_tracefile(struct tl_profile *profile)
{
	const uint32_t start = add_function(profile, "p", "m.c", "main", 0),
		       g = add_function(profile, "p", "g.c", "g", 0),
		       h = add_function(profile, "p", "", "h", 0);

	add_arc(profile, (struct tl_arc){ TL_NONE, start, 0, { .file = "" }, { .file = "" }, 3 },
		100);
	/* line 7 of main: two instructions, one of which has 4 in one part and 6 in the other */
	cost_at(profile, start, 0, "m.c", 7, 0x10, 4);
	cost_at(profile, start, 1, "m.c", 7, 0x10, 6);
	cost_at(profile, start, 0, "m.c", 7, 0x14, 9);
	cost_at(profile, start, 0, "m.c", 5, 0x18, 2);
	cost_at(profile, start, 0, "m.c", 5, 0x1c, 2);
	/* inlined there is a line of g's file, which has one of g, too */
	cost_at(profile, start, 0, "g.c", 3, 0x20, 30);
	cost_at(profile, g, 0, "g.c", 3, 0x40, 12);
	/* without a line, a file, or a cost there is none */
	cost_at(profile, g, 0, "g.c", 0, 0x44, 12);
	cost_at(profile, g, 0, "g.c", 9, 0x48, 0);
	cost_at(profile, g, 0, "g.c", 8, 0x4c, -1);
	cost_at(profile, h, 0, "", 8, 0x60, 12);
	cost_at(profile, h, 0, "m.c", 7, 0x64, 1);
	finish(profile);
}

/* By the rule of lines: 10 of main and 1 of h; 30 of main and 12 of g. */
TEST(instructions_count_lines_exactly)
{
	struct tl_profile *profile = profile_of("Ir");
	char *text;

	fill_tracefile(profile);
	text = tracefile(profile, 0);
	assert_string_equal(text,
			    "TN:\nSF:g.c\nFN:3,g\nFNDA:1,g\nFNF:1\nFNH:1\nDA:3,42\nLF:1\nLH:1\n"
			    "end_of_record\n"
			    "TN:\nSF:m.c\nFN:5,main\nFNDA:3,main\nFNF:1\nFNH:1\n"
			    "DA:5,2\nDA:7,11\nLF:2\nLH:2\nend_of_record\n");
	free(text);
	tl_profile_free(profile);
}

/* "Else the cost stands for the count": of the first event, or without an address, of all lines. */
TEST(costs_stand_for_counts)
{
	struct tl_profile *profile = profile_of("Cycles");
	char *text;

	fill_tracefile(profile);
	text = tracefile(profile, 1);
	/* 5 of each line of the profile that has one: 2 of main and g's 3, 8 and 9; 3 and 2 */
	assert_non_null(strstr(text, "SF:g.c\nFN:3,g\nFNDA:1,g\nFNF:1\nFNH:1\n"
				     "DA:3,10\nDA:8,5\nDA:9,5\nLF:3\nLH:3\nend_of_record\n"));
	assert_non_null(strstr(text, "DA:5,10\nDA:7,20\nLF:2\n"));
	free(text);
	tl_profile_free(profile);

	profile = profile_of("Ir");
	cost_at(profile, add_function(profile, "", "m.c", "main", 0), 0, "m.c", 2, 0, 8);
	cost_at(profile, 0, 0, "m.c", 2, 0x10, 9);
	finish(profile);
	text = tracefile(profile, 1);
	assert_non_null(strstr(text, "DA:2,17\n"));
	free(text);
	tl_profile_free(profile);
}

TEST(a_profile_without_lines_has_no_tracefile)
{
	struct tl_profile *profile = profile_of("Ir");
	char *text;

	cost_at(profile, add_function(profile, "p", "", "main", 0), 0, "", 2, 8, 8);
	cost_at(profile, add_function(profile, "p", "m.c", "main", 0), 0, "m.c", 0, 8, 8);
	finish(profile);
	text = tracefile(profile, TL_UNSUPPORTED);
	assert_string_equal(text, "");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_have_all_that_was_executed),
		cmocka_unit_test(blocks_have_all_that_was_executed),
		cmocka_unit_test(lines_are_the_most_frequent_instructions),
		cmocka_unit_test(samples_are_those_of_places),
		cmocka_unit_test(inlining_is_bounded),
		cmocka_unit_test(targets_are_entries_of_functions),
		cmocka_unit_test(instructions_count_lines_exactly),
		cmocka_unit_test(costs_stand_for_counts),
		cmocka_unit_test(a_profile_without_lines_has_no_tracefile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
