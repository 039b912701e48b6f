/* SPDX-License-Identifier: Apache-2.0 */
/* Words into packets (docs/formats/intel-pt.md, 4), by a table of our own: nothing of what is
 * tested writes them. */
#include "situations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct situation *s, const void *bytes, size_t size)
{
	if (size > sizeof(s->trace) - s->size)
		abort();
	memcpy(s->trace + s->size, bytes, size);
	s->size += size;
}

static void put_number(struct situation *s, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put(s, bytes, size);
}

/* "-": without an address. */
static void put_ip(struct situation *s, uint8_t opcode, const char *value)
{
	bool none = !strcmp(value, "-");

	put_number(s, none ? opcode : opcode | 3 << 5, 1);
	put_number(s, strtoull(value, NULL, 16), none ? 0 : 6);
}

static void fup(struct situation *s, const char *value)
{
	put_ip(s, 0x1d, value);
}

static void tip(struct situation *s, const char *value)
{
	put_ip(s, 0x0d, value);
}

static void pge(struct situation *s, const char *value)
{
	put_ip(s, 0x11, value);
}

static void pgd(struct situation *s, const char *value)
{
	put_ip(s, 0x01, value);
}

/* "!": taken, ".": not, at most six, the oldest first. */
static void tnt(struct situation *s, const char *value)
{
	uint8_t byte = 1;

	for (; *value; value++)
		byte = (uint8_t)(byte << 1 | (*value == '!'));
	put_number(s, (uint64_t)byte << 1, 1);
}

static void mode(struct situation *s, const char *value)
{
	unsigned bits = atoi(value) == 64 ? 1 : atoi(value) == 32 ? 2 : 0;

	put_number(s, 0x99 | bits << 8, 2);
}

/* "1": in a transaction, "0": committed, "a": aborted. */
static void tsx(struct situation *s, const char *value)
{
	put_number(s, 0x2099 | (*value == '1' ? 0x100 : *value == 'a' ? 0x200 : 0), 2);
}

static void tsc(struct situation *s, const char *value)
{
	put_number(s, 0x19 | strtoull(value, NULL, 16) << 8, 8);
}

static void tma(struct situation *s, const char *value)
{
	char *end;
	uint64_t ctc = strtoull(value, &end, 16), fc = *end ? strtoull(end + 1, NULL, 16) : 0;

	put_number(s, 0x7302 | ctc << 16 | fc << 40, 7);
}

static void mtc(struct situation *s, const char *value)
{
	put_number(s, 0x59 | strtoull(value, NULL, 16) << 8, 2);
}

static void cyc(struct situation *s, const char *value)
{
	uint64_t cycles = strtoull(value, NULL, 16), rest = cycles >> 5;

	put_number(s, 3 | (cycles & 31) << 3 | (rest ? 4 : 0), 1);
	for (; rest; rest >>= 7)
		put_number(s, (rest & 127) << 1 | (rest >> 7 ? 1 : 0), 1);
}

static void cbr(struct situation *s, const char *value)
{
	put_number(s, 0x0302 | (strtoull(value, NULL, 16) & 0xff) << 16, 4);
}

static void pip(struct situation *s, const char *value)
{
	put_number(s, 0x4302 | strtoull(value, NULL, 16) >> 5 << 17, 8);
}

static void vmcs(struct situation *s, const char *value)
{
	put_number(s, 0xc802 | strtoull(value, NULL, 16) >> 12 << 16, 7);
}

/* Any bytes. */
static void raw(struct situation *s, const char *value)
{
	for (; value[0] && value[1]; value += 2)
		put_number(s, strtoull((char[]){ value[0], value[1], '\0' }, NULL, 16), 1);
}

static void set_mtc_freq(struct situation *s, const char *value)
{
	s->mtc_freq = (uint8_t)strtoul(value, NULL, 10);
}

static void set_nom_freq(struct situation *s, const char *value)
{
	s->nom_freq = (uint8_t)strtoul(value, NULL, 10);
}

static void set_eax(struct situation *s, const char *value)
{
	s->eax = (uint32_t)strtoul(value, NULL, 10);
}

static void set_ebx(struct situation *s, const char *value)
{
	s->ebx = (uint32_t)strtoul(value, NULL, 10);
}

/* "FIRST-LAST" */
static void set_filter(struct situation *s, const char *value)
{
	char *end;

	s->filter_first = strtoull(value, &end, 16);
	s->filter_last = *end ? strtoull(end + 1, NULL, 16) : 0;
}

static void set_cpu(struct situation *s, const char *value)
{
	unsigned family = 0, model = 0;

	sscanf(value, "%u/%u", &family, &model);
	s->family = (uint16_t)family;
	s->model = (uint8_t)model;
	s->by_cpu = true;
}

static void set_errata(struct situation *s, const char *value)
{
	unsigned long mask = strtoul(value, NULL, 16);

	memcpy(&s->errata, &mask,
	       sizeof(mask) < sizeof(s->errata) ? sizeof(mask) : sizeof(s->errata));
}

static const struct word {
	const char *name;
	void (*put)(struct situation *s, const char *value);
	const char *bytes; /* without a value */
			   /* clang-format off */
} words[] = {
	{ "fup", fup, NULL },
	{ "tip", tip, NULL },
	{ "pge", pge, NULL },
	{ "pgd", pgd, NULL },
	{ "tnt", tnt, NULL },
	{ "mode", mode, NULL },
	{ "tsx", tsx, NULL },
	{ "tsc", tsc, NULL },
	{ "tma", tma, NULL },
	{ "mtc", mtc, NULL },
	{ "cyc", cyc, NULL },
	{ "cbr", cbr, NULL },
	{ "pip", pip, NULL },
	{ "vmcs", vmcs, NULL },
	{ "raw", raw, NULL },
	{ "mtc_freq", set_mtc_freq, NULL },
	{ "nom_freq", set_nom_freq, NULL },
	{ "eax", set_eax, NULL },
	{ "ebx", set_ebx, NULL },
	{ "filter", set_filter, NULL },
	{ "cpu", set_cpu, NULL },
	{ "errata", set_errata, NULL },
	{ "psb", NULL, "02820282028202820282028202820282" },
	{ "psbend", NULL, "0223" },
	{ "ovf", NULL, "02f3" },
	{ "pad", NULL, "00" },
	{ "mnt", NULL, "02c3880102030405060708" },
	{ "stop", NULL, "0283" },
	{ "exstop", NULL, "0262" },
	{ "exstop.ip", NULL, "02e2" },
	{ "mwait", NULL, "02c22000000001000000" },
	{ "pwre", NULL, "02220012" },
	{ "pwrx", NULL, "02a22101000000" },
	{ "ptw", NULL, "021278563412" },
	{ "ptw.ip", NULL, "029278563412" },
};
/* clang-format on */

static bool take_word(struct situation *s, const char *name, const char *value)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, name) || !value != !words[i].put)
			continue;
		if (value)
			words[i].put(s, value);
		else
			raw(s, words[i].bytes);
		return true;
	}
	return false;
}

bool read_situation(struct situation *s, const char *line)
{
	char copy[4096], *rest, *word;

	memset(s, 0, sizeof(*s));
	snprintf(copy, sizeof(copy), "%s", line);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (!take_word(s, word, value)) {
			fprintf(stderr, "no packet has the name %s\n", word);
			return false;
		}
	}
	return true;
}
