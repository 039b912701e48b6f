/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows in every state, with everything behind them; and errata without an overflow. */
#include "situations.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Processors of each row of the errata's table, one that has none, and each erratum alone. */
static const char *const processors[] = {
	"cpu=6/60",   "cpu=6/61",   "cpu=6/78",  "cpu=6/166", "cpu=6/85",  "cpu=6/102",
	"cpu=6/151",  "cpu=6/92",   "cpu=6/95",  "cpu=6/122", "errata=1",  "errata=2",
	"errata=4",   "errata=8",   "errata=10", "errata=20", "errata=40", "errata=80",
	"errata=100", "errata=200", "errata=50", "errata=90", "errata=d0",
};

#define ON "psb mode=64 fup=1000 psbend"
#define OFF "psb mode=64 psbend"

/* What was before: tracing on and off, events pending, transactions, a PSB+ not yet at its end. */
static const char *const before[] = {
	ON,
	OFF,
	ON " tnt=.",
	ON " tnt=. pgd=-",
	ON " fup=1001",
	ON " tsx=1",
	ON " tsx=1 fup=1001",
	ON " tsx=1 fup=1001 tsx=a",
	ON " tsx=1 fup=1001 tsx=0",
	ON " mode=64",
	ON " mode=32",
	OFF " mode=32",
	OFF " tsx=1",
	OFF " pip=5000",
	ON " pip=5000",
	ON " vmcs=7000",
	ON " fup=1001 pip=5000",
	ON " fup=1001 vmcs=7000",
	ON " mwait",
	ON " mwait pwre",
	ON " exstop.ip",
	OFF " exstop.ip",
	ON " ptw.ip",
	ON " ptw",
	OFF " ptw.ip",
	"psb mode=64",
	"psb mode=64 fup=1000",
	"psb tsx=1 mode=64 fup=1000 psbend",
	"psb tsx=1 mode=64 psbend",
	ON " stop",
	ON " ovf",
};

static const char *const behind[] = {
	"",
	"pad",
	"tsc=1234",
	"tma=12,3",
	"mtc=7",
	"cyc=21",
	"cbr=20",
	"mnt",
	"mode=64",
	"mode=32",
	"tsx=1",
	"tsx=0",
	"tsx=a",
	"fup=1010",
	"fup=-",
	"tip=1010",
	"tip=-",
	"pge=1010",
	"pge=-",
	"pgd=2000",
	"pgd=-",
	"tnt=.",
	"tnt=!!",
	"psb psbend",
	"psb fup=1010 psbend",
	"psb mode=64 fup=1010 psbend fup=1010",
	"psb mode=64 fup=1010 psbend",
	"psb tsx=1 mode=32 fup=1010 psbend",
	"psb tsc=2345 cbr=10 psbend",
	"psb ovf",
	"psb fup=1010 ovf",
	"psbend",
	"pip=6000",
	"vmcs=8000",
	"stop",
	"exstop",
	"exstop.ip fup=1010",
	"mwait exstop.ip fup=1010",
	"pwre",
	"pwrx",
	"ptw",
	"ptw.ip fup=1010",
	"ovf",
	"raw=02ff",
	"raw=02",
};

static const char *const tails[] = {
	"",
	"tip=1000 tnt=. tip=1010",
	"pge=1010 tip=1000 tnt=.",
	"psb mode=64 fup=1010 psbend tip=1000",
	"fup=1010 tip=1000 tnt=.",
	"tip=1014 pgd=-",
};

/* The situation of a number: a word or more of each list. */
static void give(size_t number, const char *const *const *lists, const size_t *counts, size_t count,
		 situation_fn *fn, void *context)
{
	char line[1024] = "";
	size_t size = 0;

	for (size_t i = 0; i < count; number /= counts[i++]) {
		const char *word = lists[i][number % counts[i]];

		size += (size_t)snprintf(line + size, sizeof(line) - size, "%s%s",
					 size && *word ? " " : "", word);
	}
	fn(context, line);
}

static void give_all(const char *const *const *lists, const size_t *counts, size_t count,
		     unsigned long every, situation_fn *fn, void *context)
{
	size_t total = 1;

	for (size_t i = 0; i < count; i++)
		total *= counts[i];
	for (size_t number = 0; number < total; number += every)
		give(number, lists, counts, count, fn, context);
}

void all_overflows(unsigned long every, situation_fn *fn, void *context)
{
	static const char *const ovf[] = { "ovf" };
	static const char *const *const lists[] = {
		processors, before, ovf, behind, behind, tails
	};
	const size_t counts[] = { COUNT_OF(processors), COUNT_OF(before), 1,
				  COUNT_OF(behind),     COUNT_OF(behind), COUNT_OF(tails) };

	give_all(lists, counts, COUNT_OF(counts), every, fn, context);
}

/* ---- errata without an overflow: what was before, where it may strike, what comes behind ---- */

static const char *const is_off[] = { "", OFF, ON " tnt=! pgd=-", ON " fup=1000 pgd=-",
				      OFF " ovf" };
static const char *const bdm70[] = {
	"psb fup=1000 psbend",
	"psb mode=64 fup=1000 psbend",
	"psb mode=64 fup=1000 psbend tsc=100 cbr=10",
	"psb mode=64 fup=1000 psbend pip=5000 vmcs=7000",
	"psb mode=64 fup=1000 psbend mnt pad cyc=3 mtc=4",
	"psb tsx=0 mode=64 fup=1000 psbend",
	"psb mode=64 psbend",
};
static const char *const pge[] = {
	"pge=1000", "pge=1000 tnt=. tip=1010",     "mode=64 pge=1000 tnt=.", "pad", "ovf pge=1010",
	"stop",     "psb mode=64 psbend pge=1000",
};

static const char *const in_transaction[] = { ON, ON " tsx=1 fup=1001",
					      "psb tsx=1 mode=64 fup=1000 psbend" };
static const char *const bdm64[] = {
	"tnt=. tsx=a fup=1010 tip=1000",
	"tnt=! tsx=a fup=1004 tip=1000",
	"tnt=. tsx=a fup=1004 tip=1000",
	"tnt=! tsx=a fup=1010 tip=1000",
	"tnt=! tsx=a fup=1005 pgd=-",
	"tsx=a fup=1002 tip=1010",
	"tnt=. tip=1022 tnt=. tsx=a fup=1000 tip=1010",
	"tnt=. tip=1022 tnt=! tsx=a fup=1028 tip=1010",
	"tnt=! tip=1000 tnt=. tsx=a fup=1011 tip=1010",
};
static const char *const goes_on[] = { "", "pge=1000 tnt=.", "tnt=. tip=1010", "tip=1000 tnt=.",
				       "fup=1010 tip=1000" };

static const char *const anywhere[] = { ON, OFF, ON " tnt=.", ON " tnt=! pgd=-",
					"nom_freq=20 " ON " cbr=10 tsc=100" };
static const char *const skd007[] = {
	"raw=0702f3",        "raw=ff02f3",        "raw=0702f3 tsc=200", "raw=0702f3 cbr=20",
	"raw=0702f3 mtc=20", "raw=0702f3 pad",    "raw=0302f3",         "raw=070302f3",
	"raw=0702f30b",      "cyc=81 raw=0702f3",
};
static const char *const ovf_goes_on[] = {
	"pge=1000 tnt=.", "fup=1000 tnt=. tip=1010",     "tsc=300 fup=1000", "mode=64 pge=1000", "",
	"tnt=.",          "psb mode=64 psbend pge=1000",
};

static const char *const skd022[] = {
	"tnt=! fup=101b pgd=-", "tnt=! fup=101b pgd=2000",
	"tnt=! fup=101a pgd=-", "tnt=! fup=101b tip=1000",
	"tnt=! pgd=-",          "tnt=. fup=1005 pgd=-",
	"fup=101b pgd=-",
};

/* skl014: a direct branch leaves the filter. */
static const char *const filtered[] = {
	ON,
	"filter=1000-100f " ON,
	"filter=1000-1009 " ON,
	"filter=1010-1040 " ON,
	"filter=1008-1024 " ON,
};
static const char *const skl014[] = {
	"tnt=. tip=1007 pgd=-",    "tnt=. tip=1008 pgd=-",
	"tnt=. tip=1008 pgd=1040", "tnt=. tip=100d pgd=-",
	"tnt=. tip=100d pgd=1000", "tnt=. tip=1028 pgd=-",
	"tnt=. tip=1029 pgd=1000", "tnt=! pgd=-",
};

static const char *const timed[] = { "mtc_freq=3 nom_freq=20 eax=2 ebx=176 " ON,
				     "mtc_freq=3 eax=2 ebx=176 " ON " tsc=100 tma=1,2" };
static const char *const skz84[] = {
	"tsc=200 tma=12,3 mtc=1",
	"tsc=200 raw=0273341201ff0300",
	"tsc=200 raw=027334120000fe00 mtc=1",
	"tsc=200 raw=0273341201000077 mtc=1 cyc=20",
	"tsc=200 raw=0273341201000077 tma=14,3 mtc=3",
};

void all_errata(unsigned long every, situation_fn *fn, void *context)
{
#define FAMILY(states, spots, behind)                                                              \
	{                                                                                          \
		{ processors, states, spots, behind },                                             \
		{                                                                                  \
			COUNT_OF(processors), COUNT_OF(states), COUNT_OF(spots), COUNT_OF(behind)  \
		}                                                                                  \
	}
	static const struct {
		const char *const *lists[4];
		size_t counts[4];
	} families[] = {
		FAMILY(is_off, bdm70, pge),
		FAMILY(in_transaction, bdm64, goes_on),
		FAMILY(anywhere, skd007, ovf_goes_on),
		FAMILY(in_transaction, skd022, pge),
		FAMILY(filtered, skl014, pge),
		FAMILY(timed, skz84, goes_on),
	};
#undef FAMILY

	for (size_t i = 0; i < COUNT_OF(families); i++)
		give_all(families[i].lists, families[i].counts, 4, every, fn, context);
}
