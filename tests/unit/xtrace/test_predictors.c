/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictors against docs/analyze.md, "--branches": each kind is written here once more, as its row
 * of the table says and no faster, and both see the same branches. Then the texts that describe
 * predictors, and what is counted of the branches of a stream.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "../unit.h"

#include "xtrace/predict/branches.h"
#include "xtrace/predict/config_text.h"
#include "xtrace/predict/tage.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- branches that are drawn ---- */

enum { BRANCHES = 6000, SITES = 40 };

static struct tl_xtrace_branch drawn[BRANCHES];

/*
 * Branches of a program: loops, branches that follow others, some at random; calls and returns that
 * mostly belong together; targets that change.
 */
static void draw_branches(uint32_t seed)
{
	uint64_t stack[64];
	unsigned depth = 0;

	for (unsigned i = 0; i < BRANCHES; i++) {
		struct tl_xtrace_branch *b = &drawn[i];
		const unsigned site = chance(&seed, SITES);

		*b = (struct tl_xtrace_branch){ .pc = 0x10000 + 4 * site * (1 + site % 7),
						.taken = true };
		b->target = b->pc + 64 + (site % 5 ? 0 : 4 * chance(&seed, 3));
		if (site % 4 < 2) {
			b->conditional = true;
			b->taken = site % 8 == 0   ? i % 5 != 0
				   : site % 8 == 1 ? i && drawn[i - 1].taken
				   : site % 8 == 4 ? chance(&seed, 10) != 0
						   : chance(&seed, 2);
		} else if (site % 4 == 2 && depth < COUNT(stack)) {
			b->call = true;
			stack[depth++] = b->pc + 4;
		} else if (site % 4 == 3) {
			b->returns = true;
			b->target = depth && chance(&seed, 20) ? stack[--depth] : 0x999;
		}
	}
}

/* ---- each kind, as it is described ---- */

struct model {
	const struct tl_xtrace_predictor_spec *spec;
	uint8_t counters[1 << 14];
	bool history[BRANCHES]; /* of conditional branches, the youngest is the last */
	size_t age;
	struct {
		uint64_t pc, target;
	} btb[256][16]; /* by set, the most recent first */
	unsigned ways[256];
	uint64_t calls[BRANCHES];
	size_t depth;
	struct {
		int tag, counter, useful; /* tag -1: none */
	} tage[TL_XTRACE_TAGE_TABLES][1 << 10];
	uint8_t base[1 << 12];
};

static void begin_model(struct model *m, const struct tl_xtrace_predictor_spec *spec)
{
	memset(m, 0, sizeof(*m));
	m->spec = spec;
	memset(m->counters, 1, sizeof(m->counters));
	memset(m->base, 1, sizeof(m->base));
	for (size_t table = 0; table < COUNT(m->tage); table++)
		for (size_t i = 0; i < COUNT(m->tage[0]); i++)
			m->tage[table][i].tag = -1;
}

/* "Of 2 bits, from 1 on, that says taken from 2 on and is changed by 1." */
static bool use_counter(uint8_t *counter, bool taken)
{
	const bool says = *counter >= 2;

	if (taken)
		*counter = *counter == 3 ? 3 : *counter + 1;
	else
		*counter = *counter == 0 ? 0 : *counter - 1;
	return says == taken;
}

/* "The last `length` branches, folded by XOR to `width` bits." */
static uint32_t folded(const struct model *m, uint32_t length, uint32_t width)
{
	uint32_t value = 0;

	for (uint32_t n = 0; n < length && n < m->age; n++)
		value ^= (uint32_t)m->history[m->age - 1 - n] << n % width;
	return value;
}

static uint32_t log2_of(uint32_t power)
{
	uint32_t bits = 0;

	while (power >> (bits + 1))
		bits++;
	return bits;
}

/* "Table i of 0 .. T-1 sees the last 4 (H/4)^(i/(T-1)) branches, rounded (of one table: H)." */
static uint32_t seen_by(const struct tl_xtrace_predictor_spec *spec, uint32_t table)
{
	if (spec->tables == 1)
		return spec->history;
	return (uint32_t)round(4 * pow(spec->history / 4.0, (double)table / (spec->tables - 1)));
}

static bool use_tage(struct model *m, const struct tl_xtrace_branch *b)
{
	const struct tl_xtrace_predictor_spec *spec = m->spec;
	const uint32_t bits = log2_of(spec->entries);
	const uint64_t p = b->pc / 4;
	uint8_t *base = &m->base[p % spec->base];
	uint32_t at[TL_XTRACE_TAGE_TABLES];
	int tags[TL_XTRACE_TAGE_TABLES], hit = -1, next = -1;
	bool says, otherwise;

	for (uint32_t i = 0; i < spec->tables; i++) {
		const uint32_t length = seen_by(spec, i);

		at[i] = (uint32_t)((p ^ p >> bits ^ folded(m, length, bits)) % spec->entries);
		tags[i] = (int)((p ^ folded(m, length, 11) ^ folded(m, length, 10) << 1) & 0x7ff);
		if (m->tage[i][at[i]].tag == tags[i]) {
			next = hit;
			hit = (int)i;
		}
	}
	otherwise = next < 0 ? *base >= 2 : m->tage[next][at[next]].counter >= 0;
	says = hit < 0 ? *base >= 2 : m->tage[hit][at[hit]].counter >= 0;
	if (hit < 0) {
		use_counter(base, b->taken);
	} else {
		int *counter = &m->tage[hit][at[hit]].counter;
		int *useful = &m->tage[hit][at[hit]].useful;

		if (says != otherwise)
			*useful = says == b->taken ? (*useful == 3 ? 3 : *useful + 1)
						   : (*useful ? *useful - 1 : 0);
		*counter += b->taken ? *counter < 3 : -(*counter > -4);
	}
	if (says != b->taken) {
		uint32_t i = (uint32_t)(hit + 1);

		while (i < spec->tables && m->tage[i][at[i]].useful)
			i++;
		if (i < spec->tables) {
			m->tage[i][at[i]].tag = tags[i];
			m->tage[i][at[i]].counter = b->taken ? 0 : -1;
			m->tage[i][at[i]].useful = 0;
		} else {
			for (i = (uint32_t)(hit + 1); i < spec->tables; i++)
				m->tage[i][at[i]].useful--;
		}
	}
	return says == b->taken;
}

static bool use_btb(struct model *m, const struct tl_xtrace_branch *b)
{
	const uint32_t ways = m->spec->ways;
	const uint64_t set = b->pc / 4 % (m->spec->entries / ways);
	unsigned at = 0;
	bool right;

	while (at < m->ways[set] && m->btb[set][at].pc != b->pc)
		at++;
	right = at < m->ways[set] && m->btb[set][at].target == b->target;
	if (at == m->ways[set] && m->ways[set] < ways)
		m->ways[set]++;
	for (at = at < ways ? at : ways - 1; at; at--)
		m->btb[set][at] = m->btb[set][at - 1];
	m->btb[set][0].pc = b->pc;
	m->btb[set][0].target = b->target;
	return right;
}

/* "The addresses behind the last N calls that have not returned." */
static bool use_stack(struct model *m, const struct tl_xtrace_branch *b)
{
	return m->depth && m->calls[--m->depth] == b->target;
}

static void push_call(struct model *m, const struct tl_xtrace_branch *b)
{
	if (m->depth == m->spec->entries) {
		memmove(m->calls, m->calls + 1, --m->depth * sizeof(m->calls[0]));
	}
	m->calls[m->depth++] = b->pc + 4;
}

/* 1: right; 0: wrong; -1: it is not asked. */
static int use_model(struct model *m, const struct tl_xtrace_branch *b)
{
	const uint64_t p = b->pc / 4, mask = m->spec->entries - 1;
	uint64_t history = 0;
	int right = -1;

	switch (m->spec->kind) {
	case TL_XTRACE_BIMODAL:
		if (b->conditional)
			right = use_counter(&m->counters[p & mask], b->taken);
		break;
	case TL_XTRACE_GSHARE:
		for (uint32_t n = 0; n < m->spec->history && n < m->age; n++)
			history |= (uint64_t)m->history[m->age - 1 - n] << n;
		if (b->conditional)
			right = use_counter(&m->counters[(p ^ history) & mask], b->taken);
		break;
	case TL_XTRACE_TAGE:
		if (b->conditional)
			right = use_tage(m, b);
		break;
	case TL_XTRACE_BTB:
		if (b->taken && !b->returns)
			right = use_btb(m, b);
		break;
	default:
		if (b->call)
			push_call(m, b);
		if (b->returns)
			right = use_stack(m, b);
		break;
	}
	if (b->conditional)
		m->history[m->age++] = b->taken;
	return right;
}

static void assert_predicts(const char *text)
{
	static struct model models[TL_XTRACE_PREDICTORS];
	struct tl_xtrace_predictor_config config;
	struct tl_xtrace_predictors predictors = { 0 };

	assert_int_equal(tl_xtrace_predictor_parse(&config, text, strlen(text), NULL), 0);
	for (uint32_t seed = 1; seed < 4; seed++) {
		uint32_t wrong[TL_XTRACE_PREDICTORS] = { 0 };

		draw_branches(seed);
		assert_true(tl_xtrace_predictors_begin(&predictors, &config));
		for (uint32_t p = 0; p < config.count; p++)
			begin_model(&models[p], &config.specs[p]);
		for (unsigned i = 0; i < BRANCHES; i++) {
			const struct tl_xtrace_predicted said =
				tl_xtrace_predict(&predictors, &drawn[i]);

			assert_int_equal(said.asked >> config.count, 0);
			assert_int_equal(said.missed & ~said.asked, 0);
			for (uint32_t p = 0; p < config.count; p++) {
				const int right = use_model(&models[p], &drawn[i]);

				assert_int_equal(said.asked >> p & 1, right >= 0);
				assert_int_equal(said.missed >> p & 1, right == 0);
				wrong[p] += right == 0;
			}
		}
		/* they learn, and have something left to learn */
		for (uint32_t p = 0; p < config.count; p++)
			assert_in_range(wrong[p], 10, BRANCHES - 1000);
		tl_xtrace_predictors_end(&predictors);
		assert_null(predictors.list);
	}
}

TEST(counters_and_histories)
{
	assert_predicts("A bimodal entries=4\nB bimodal entries=1K\nC bimodal entries=1\n"
			"D gshare entries=1K history=1\nE gshare entries=256 history=8\n"
			"F gshare entries=16K history=14\nG gshare entries=64 history=64\n");
}

TEST(targets_and_returns)
{
	assert_predicts("A btb entries=4 ways=4\nB btb entries=8 ways=2\nC btb entries=21 ways=3\n"
			"D btb entries=256 ways=1\nE btb entries=96 ways=16\n"
			"F stack entries=1\nG stack entries=4\nH stack entries=1K\n");
}

TEST(tagged_tables_of_geometric_histories)
{
	assert_predicts("A tage tables=1 entries=16 history=9\n"
			"B tage tables=2 entries=64 base=8 history=4\n"
			"C tage tables=6 entries=1K base=4K history=128\n"
			"D tage tables=4 entries=2 base=2 history=37\n"
			"E tage tables=16 entries=32 base=1 history=2048\n"
			"F tage tables=5 entries=128 history=60\n");
}

/* "All usefulness is halved every 2^18 branches", so that what was useful once makes room. */
TEST(what_was_useful_grows_old)
{
	enum { AGE = 1 << 18 };
	const struct tl_xtrace_predictor_spec spec = {
		.kind = TL_XTRACE_TAGE, .entries = 2, .tables = 1, .base = 1, .history = 4
	};
	static bool history[AGE + 5000];
	struct tl_xtrace_tage *tage = tl_xtrace_tage_new(&spec);
	int tag[2] = { -1, -1 }, counter[2] = { 0 }, useful[2] = { 0 };
	uint8_t base = 1;
	uint32_t seed = 5;

	assert_non_null(tage);
	for (uint32_t i = 0; i < AGE + 5000; i++) {
		const uint64_t pc = 4 * chance(&seed, 6);
		const bool taken = chance(&seed, 4) ? pc & 4 : chance(&seed, 2);
		uint32_t bits = 0, tag_bits = 0, less = 0, at;
		bool says, hit;
		int wanted;

		for (uint32_t n = 0; n < 4 && n < i; n++) {
			bits ^= history[i - 1 - n];
			tag_bits |= (uint32_t)history[i - 1 - n] << n;
			less |= (uint32_t)history[i - 1 - n] << n;
		}
		at = (uint32_t)(pc / 4 ^ pc / 4 >> 1 ^ bits) % 2;
		wanted = (int)((pc / 4 ^ tag_bits ^ less << 1) & 0x7ff);
		hit = tag[at] == wanted;
		says = hit ? counter[at] >= 0 : base >= 2;
		if (hit && says != (base >= 2)) {
			if (says == taken)
				useful[at] += useful[at] < 3;
			else
				useful[at] -= useful[at] > 0;
		}
		assert_int_equal(tl_xtrace_tage_predict(tage, pc, taken), says == taken);
		if (hit)
			counter[at] += taken ? counter[at] < 3 : -(counter[at] > -4);
		else
			use_counter(&base, taken);
		if (says != taken && !hit) {
			if (!useful[at]) {
				tag[at] = wanted;
				counter[at] = taken ? 0 : -1;
			} else {
				useful[at]--;
			}
		}
		if ((i + 1) % AGE == 0)
			for (int entry = 0; entry < 2; entry++)
				useful[entry] /= 2;
		history[i] = taken;
	}
	tl_xtrace_tage_free(tage);
	tl_xtrace_tage_free(NULL);
}

/* ---- texts ---- */

TEST(sizes_have_units)
{
	static const struct {
		const char *text;
		uint64_t size; /* 0: it is none */
	} cases[] = {
		{ "1", 1 },
		{ "16K", 16384 },
		{ "3M", 3 << 20 },
		{ "2G", UINT64_C(2) << 30 },
		{ "1023G", UINT64_C(1023) << 30 },
		{ "1099511627775", (UINT64_C(1) << 40) - 1 },
		{ "1099511627776", 0 },
		{ "1024G", 0 },
		{ "99999999999999999999999", 0 },
		{ "0", 0 },
		{ "0K", 0 },
		{ "", 0 },
		{ "K", 0 },
		{ "1k", 0 },
		{ "1KB", 0 },
		{ "1 K", 0 },
		{ "-1", 0 },
		{ "0x10", 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t size = 0;
		const bool good = tl_xtrace_config_size(cases[i].text, &size);

		assert_int_equal(good, cases[i].size != 0);
		if (good)
			assert_int_equal(size, cases[i].size);
	}
}

static int parse(struct tl_xtrace_predictor_config *config, const char *text, struct tl_error *err)
{
	memset(config, 0xee, sizeof(*config));
	return tl_xtrace_predictor_parse(config, text, strlen(text), err);
}

TEST(predictors_are_described)
{
	static const char text[] =
		"# a comment\n\n  A\tbimodal entries=1K # behind it\r\n"
		"B gshare history=3 entries=8\nC tage tables=2 entries=16 history=4\n"
		"D tage tables=16 entries=2 history=2K base=1\n"
		"E btb ways=3 entries=9\nF stack entries=1K";
	static const struct tl_xtrace_predictor_spec wanted[] = {
		{ "A", TL_XTRACE_BIMODAL, .entries = 1024 },
		{ "B", TL_XTRACE_GSHARE, .entries = 8, .history = 3 },
		{ "C", TL_XTRACE_TAGE, .entries = 16, .history = 4, .tables = 2, .base = 64 },
		{ "D", TL_XTRACE_TAGE, .entries = 2, .history = 2048, .tables = 16, .base = 1 },
		{ "E", TL_XTRACE_BTB, .entries = 9, .ways = 3 },
		{ "F", TL_XTRACE_STACK, .entries = 1024 },
	};
	struct tl_xtrace_predictor_config config;

	assert_int_equal(parse(&config, text, NULL), 0);
	assert_int_equal(config.count, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		const struct tl_xtrace_predictor_spec *spec = &config.specs[i];

		assert_string_equal(spec->name, wanted[i].name);
		assert_int_equal(spec->kind, wanted[i].kind);
		assert_int_equal(spec->entries, wanted[i].entries);
		assert_int_equal(spec->ways, wanted[i].ways);
		assert_int_equal(spec->history, wanted[i].history);
		assert_int_equal(spec->tables, wanted[i].tables);
		assert_int_equal(spec->base, wanted[i].base);
	}
	assert_int_equal(parse(&config, tl_xtrace_predictor_default, NULL), 0);
	assert_int_equal(config.count, 5);
	assert_int_equal(config.specs[2].tables, 6);
	assert_int_equal(config.specs[3].entries, 2048);
}

/* The second line is wrong, and is told with its number and its offset. */
TEST(wrong_lines_are_told)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "B", "its name and its kind" },
		{ "B oracle entries=4", "its name and its kind" },
		{ "B bimodal", "entries is needed" },
		{ "B bimodal entries", "from 1 to 64M" },
		{ "B bimodal entries=", "from 1 to 64M" },
		{ "B bimodal entries=65M", "from 1 to 64M" },
		{ "B bimodal entries=3", "power of two" },
		{ "B bimodal entries=4 ways=2", "no setting of such" },
		{ "B bimodal entries=4 history=2", "no setting of such" },
		{ "B gshare entries=4", "history of 1 to 64" },
		{ "B gshare entries=4 history=65", "history of 1 to 64" },
		{ "B gshare entries=4 tables=2 history=2", "no setting of such" },
		{ "B gshare entries=4 base=2 history=2", "no setting of such" },
		{ "B tage entries=4 history=8", "1 to 16 tables" },
		{ "B tage entries=4 history=8 tables=17", "1 to 16 tables" },
		{ "B tage entries=1 history=8 tables=2", "1 to 16 tables" },
		{ "B tage entries=4 history=8 tables=2 base=3", "1 to 16 tables" },
		{ "B tage entries=4 history=3 tables=2", "history of 4 to 2048" },
		{ "B tage entries=4 history=2049 tables=2", "history of 4 to 2048" },
		{ "B tage entries=3 history=8 tables=2", "power of two" },
		{ "B btb entries=4", "multiple of its ways" },
		{ "B btb entries=4 ways=3", "multiple of its ways" },
		{ "B btb entries=4 ways=4 history=4", "no setting of such" },
		{ "B stack entries=1025", "at most 1024" },
		{ "A bimodal entries=4", "already" },
		{ "a-name-of-thirty-two-characters! bimodal entries=4", "1 to 31" },
	};
	char text[1024], longest[600];
	struct tl_xtrace_predictor_config config;
	struct tl_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		strcat(strcpy(text, "A bimodal entries=4\n"), cases[i].line);
		assert_int_equal(parse(&config, text, &err), TL_BAD_FORMAT);
		assert_non_null(strstr(err.text, cases[i].text));
		assert_int_equal(err.offset, 20);
		assert_int_equal(err.record, 1);
	}
	assert_int_equal(parse(&config, "a-name-of-thirty-one-characters bimodal entries=4", NULL),
			 0);
	assert_int_equal(parse(&config, "", &err), TL_BAD_FORMAT);
	assert_int_equal(parse(&config, "# nothing\n", &err), TL_BAD_FORMAT);
	assert_non_null(strstr(err.text, "no predictor"));
	for (unsigned size = 511; size < 513; size++) {
		memset(longest, ' ', sizeof(longest));
		memcpy(longest, "A bimodal entries=4", 19);
		longest[size] = '\0';
		assert_int_equal(parse(&config, longest, &err), size < 512 ? 0 : TL_BAD_FORMAT);
	}
}

TEST(sixteen_predictors_at_most)
{
	struct tl_xtrace_predictor_config config;
	char text[1024] = "";
	struct tl_error err;

	for (unsigned i = 0; i < 16; i++)
		strcat(strcat(text, (const char[]){ (char)('a' + i), '\0' }), " stack entries=2\n");
	assert_int_equal(parse(&config, text, NULL), 0);
	assert_int_equal(config.count, 16);
	assert_int_equal(parse(&config, strcat(text, "q stack entries=2"), &err), TL_BAD_FORMAT);
	assert_int_equal(err.record, 16);
	assert_non_null(strstr(err.text, "more than 16"));
}

/* ---- branches of a stream ---- */

/* Opcodes by kind, with a distance of 16 instructions where they have one. */
static const struct {
	uint32_t opcode;
	enum tl_xtrace_branch_kind kind;
	bool direct;
} opcodes[] = {
	{ 0x54000200, TL_XTRACE_BRANCH_CONDITIONAL, true },    /* b.eq */
	{ 0xb4000200, TL_XTRACE_BRANCH_CONDITIONAL, true },    /* cbz x0 */
	{ 0x14000010, TL_XTRACE_BRANCH_JUMP, true },           /* b */
	{ 0x94000010, TL_XTRACE_BRANCH_CALL, true },           /* bl */
	{ 0xd61f0020, TL_XTRACE_BRANCH_JUMP_REGISTER, false }, /* br x1 */
	{ 0xd63f0020, TL_XTRACE_BRANCH_CALL_REGISTER, false }, /* blr x1 */
	{ 0xd65f03c0, TL_XTRACE_BRANCH_RETURN, false },        /* ret */
	{ 0xd503201f, TL_XTRACE_BRANCH_KINDS, false },         /* nop */
	{ 0xd4000001, TL_XTRACE_BRANCH_KINDS, false },         /* svc: no branch */
	{ 0xd69f03e0, TL_XTRACE_BRANCH_KINDS, false },         /* eret */
};

enum { STEPS = 3000, DISTANCE = 64 };

struct stepped {
	uint64_t pc, target;
	unsigned el, what;
	bool counted, gap, told; /* a gap behind it; `target` is told by TARGET_B */
};

static struct stepped steps[STEPS];

static void draw_steps(uint32_t seed)
{
	uint64_t pc = 0x1000;
	unsigned el = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		struct stepped *s = &steps[i];

		/* the same instruction at the same place */
		*s = (struct stepped){ .pc = pc,
				       .el = el,
				       .what = (unsigned)(pc / 4 * 7 % COUNT(opcodes)),
				       .counted = chance(&seed, 6),
				       .gap = !chance(&seed, 30) };
		s->told = !opcodes[s->what].direct && !chance(&seed, 3);
		s->target = 0x1000 + 4 * chance(&seed, 60);
		if (!chance(&seed, 12))
			el = !el;
		if (opcodes[s->what].direct && chance(&seed, 2))
			pc += DISTANCE;
		else if (!opcodes[s->what].direct && opcodes[s->what].kind < TL_XTRACE_BRANCH_KINDS)
			pc = s->target;
		else
			pc += 4;
		if (!chance(&seed, 20) || pc >= 0x1400)
			pc = 0x1000 + 4 * chance(&seed, 60);
	}
}

/* Where a step led, by the sentences of the document. 0: unknown. */
static bool is_known(unsigned i, uint64_t *target, bool *taken)
{
	const struct stepped *s = &steps[i], *next = i + 1 < STEPS && !s->gap ? s + 1 : NULL;
	const bool same = next && next->el == s->el;

	*taken = true;
	*target = opcodes[s->what].direct ? s->pc + DISTANCE
		  : s->told               ? s->target
		  : same                  ? next->pc
					  : 0;
	if (opcodes[s->what].kind != TL_XTRACE_BRANCH_CONDITIONAL)
		return opcodes[s->what].direct || s->told || same;
	*taken = same && next->pc == s->pc + DISTANCE;
	return same && (*taken || next->pc == s->pc + 4);
}

static void assert_count(const struct tl_xtrace_branch_count *seen, uint64_t executions,
			 uint64_t taken, uint64_t unknown)
{
	assert_int_equal(seen->executions, executions);
	assert_int_equal(seen->taken, taken);
	assert_int_equal(seen->unknown, unknown);
}

/* Of a branch of the program: everything of it is searched for among the steps. */
static void assert_site(const struct tl_xtrace_branch_site *site)
{
	uint64_t executions = 0, all_taken = 0, unknown = 0, by_target[256] = { 0 };
	double entropy = 0;
	uint32_t targets = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t target;
		bool taken, known;

		if (steps[i].pc != site->address || steps[i].el != site->el || !steps[i].counted)
			continue;
		assert_int_equal(opcodes[steps[i].what].kind, site->kind);
		known = is_known(i, &target, &taken);
		executions++;
		unknown += !known;
		all_taken += known && taken;
		if (known && taken)
			by_target[(target - 0x1000) / 4]++;
	}
	assert_count(&site->count, executions, all_taken, unknown);
	for (size_t i = 0; i < COUNT(by_target); i++) {
		const double share = (double)by_target[i] / (double)(executions - unknown);

		targets += by_target[i] > 0;
		if (by_target[i])
			entropy -= share * log2(share);
	}
	assert_int_equal(site->targets.ids.count, targets);
	for (uint32_t i = 0; i < targets; i++)
		assert_int_equal(site->targets.counts[i],
				 by_target[(site->targets.addresses[i] - 0x1000) / 4]);
	if (site->kind == TL_XTRACE_BRANCH_CONDITIONAL && executions > unknown) {
		const double share = (double)all_taken / (double)(executions - unknown);

		entropy = share > 0 && share < 1
				  ? -share * log2(share) - (1 - share) * log2(1 - share)
				  : 0;
	}
	assert_true(fabs(tl_xtrace_branch_entropy(site) - entropy) < 1e-9);
}

TEST(branches_are_counted_by_where_they_led)
{
	static const char text[] =
		"A bimodal entries=16\nB btb entries=8 ways=2\nC stack entries=4\n";
	static struct model models[3];
	struct tl_xtrace_predictor_config config;

	assert_int_equal(parse(&config, text, NULL), 0);
	for (uint32_t seed = 1; seed < 6; seed++) {
		struct tl_xtrace_branches branches = { .room = 0 };
		struct tl_xtrace_branch_stream s = { .now = { .open = false } };
		struct tl_xtrace_branch_count kinds[TL_XTRACE_BRANCH_KINDS] = { { 0 } };
		uint64_t asked[3] = { 0 }, missed[3] = { 0 }, of_sites[3] = { 0 };

		draw_steps(seed);
		assert_true(tl_xtrace_branches_begin(&branches));
		assert_true(tl_xtrace_predictors_begin(&s.predictors, &config));
		for (size_t p = 0; p < 3; p++)
			begin_model(&models[p], &config.specs[p]);
		for (unsigned i = 0; i < STEPS; i++) {
			const struct stepped *at = &steps[i];
			const unsigned kind = opcodes[at->what].kind;
			struct tl_xtrace_branch b = { .pc = at->pc };
			bool known;

			assert_true(tl_xtrace_branch_step(&branches, &s, at->pc, at->el,
							  opcodes[at->what].opcode, at->counted));
			if (at->told)
				tl_xtrace_branch_target(&s, at->target);
			if (at->gap)
				assert_true(tl_xtrace_branch_gap(&branches, &s));
			if (kind == TL_XTRACE_BRANCH_KINDS)
				continue;
			known = is_known(i, &b.target, &b.taken);
			b.conditional = kind == TL_XTRACE_BRANCH_CONDITIONAL;
			b.call = kind == TL_XTRACE_BRANCH_CALL ||
				 kind == TL_XTRACE_BRANCH_CALL_REGISTER;
			b.returns = kind == TL_XTRACE_BRANCH_RETURN;
			if (at->counted) {
				kinds[kind].executions++;
				kinds[kind].taken += known && b.taken;
				kinds[kind].unknown += !known;
			}
			/*
			 * "Predictors do not see" what is unknown; what does not count teaches
			 * them
			 */
			for (size_t p = 0; known && p < 3; p++) {
				const int right = use_model(&models[p], &b);

				asked[p] += at->counted && right >= 0;
				missed[p] += at->counted && right == 0;
			}
		}
		assert_true(tl_xtrace_branch_gap(&branches, &s));
		for (unsigned kind = 0; kind < TL_XTRACE_BRANCH_KINDS; kind++)
			assert_count(&s.kinds[kind], kinds[kind].executions, kinds[kind].taken,
				     kinds[kind].unknown);
		for (uint32_t i = 0; i < branches.ids.count; i++) {
			assert_site(&branches.list[i]);
			for (size_t p = 0; p < 3; p++)
				of_sites[p] += branches.list[i].missed[p];
		}
		for (size_t p = 0; p < 3; p++) {
			assert_int_equal(s.predicted[p].asked, asked[p]);
			assert_int_equal(s.predicted[p].missed, missed[p]);
			assert_int_equal(of_sites[p], missed[p]);
			assert_true(missed[p] > 0);
		}
		tl_xtrace_predictors_end(&s.predictors);
		tl_xtrace_branches_free(&branches);
	}
}

TEST(kinds_have_names)
{
	static const char *const branches[] = { "conditional",   "jump",          "call",
						"jump-register", "call-register", "return" };
	static const char *const predictors[] = { "bimodal", "gshare", "tage", "btb", "stack" };

	for (unsigned i = 0; i < COUNT(branches); i++)
		assert_string_equal(tl_xtrace_branch_kind_name(i), branches[i]);
	for (unsigned i = 0; i < COUNT(predictors); i++)
		assert_string_equal(tl_xtrace_predictor_kind_name(i), predictors[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_and_histories),
		cmocka_unit_test(targets_and_returns),
		cmocka_unit_test(tagged_tables_of_geometric_histories),
		cmocka_unit_test(what_was_useful_grows_old),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(predictors_are_described),
		cmocka_unit_test(wrong_lines_are_told),
		cmocka_unit_test(sixteen_predictors_at_most),
		cmocka_unit_test(branches_are_counted_by_where_they_led),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
