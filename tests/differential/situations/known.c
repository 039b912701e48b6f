/* SPDX-License-Identifier: Apache-2.0 */
/* Which answers are the same, and which differ on purpose (docs/libipt.md,
 * docs/formats/intel-pt.md). */
#include "situations.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What tl_pt_* answers otherwise than 2.0.5, and what no processor writes. */
static const struct {
	const char *pattern, *why;
	unsigned faces; /* a bit each; 0: all */
} known[] = {
	{ "^(cpu=6/(60|61|85|102|151|92|95|122)|errata=([0-9a-f]|20|40|80|100|200)) "
	  ".* ovf .*psb [^v]*fup=[^v]*psbend",
	  "without SKD010 2.0.5 does not believe a PSB+ behind an overflow", 0 },
	{ "psb [^v]*fup=1010 psbend .*pge=",
	  "nor does it see there that BDM70 makes it a wrong one", 0 },
	{ "psb (fup=1010 )?ovf",
	  "with SKD010 it looks for the FUP of a PSB+ beyond the OVF that ends that", 0 },
	{ " ovf (psb psbend )?([^p]|p[^s])*mode=..( [^ ]*)? fup=",
	  "a MODE.Exec takes a FUP, as in later versions", 0 },
	{ " mode=.. tip=1014 pgd", "there a mode changes where flow first comes to the address",
	  0 },
	{ "(tnt=[.]|tip=10(07|08|0d|28)) pgd=-",
	  "its instruction decoder passes near branches on the way to where tracing ends",
	  1 << INSNS },
	{ "psbend .*raw=(....f3|0273).* pge=",
	  "behind a PSB+ it looks for a TIP.PGE without regard to SKD007 and SKZ84", 0 },
	{ "psbend pad$", "it does not synchronise onto the last words of a trace", 0 },
	{ "(tsx=.|mode=..|ptw.ip|exstop.ip|mwait|fup=1001|(pip|vmcs)=....)"
	  "( (pad|mnt|cyc|tsc|mtc|cbr|raw)[^ ]*)*$",
	  "what waits for a packet at the end takes along there what was read before it", 0 },
	/* Nonsense, which is an error here, or there, or makes an event of another kind. */
	{ " ovf (.*psbend )?([^p]|p[^s])*psbend", "a PSBEND without its PSB", 0 },
	{ " fup=1010 (([^ft]|t[^i])* )?fup=1010", "two FUP in a row", 0 },
	{ "(fup|pge|tip)=1010 .*psb (tsc=.... cbr=.. )?psbend", "a PSB+ that contradicts flow", 0 },
	{ " psb (tsc=.... cbr=.. )?psbend [^v]*psb [^v]*fup=", "the same", 0 },
	{ "(psbend (ovf )?|pgd=[^ ]* )psb [^v]*fup=10.0 psbend", "the same", 0 },
	{ " ovf .*(tsx=.|mode=..) (psb |pgd|stop|mode)", "what waits, and not what it waits for",
	  0 },
	{ " ovf .*(tsx=.|vmcs=....|pip=....|mode=..) ([^fp ]+ |p[^s][^ ]+ )*fup=", "the same", 0 },
	{ "f3(0b)? ((pad|mtc=20|cbr=20|tsc=200) )?(fup=1000 )?tnt=", "what fits no code", 0 },
};

enum { COUNT = sizeof(known) / sizeof(known[0]) };

static const regex_t *compiled(size_t i)
{
	static regex_t patterns[COUNT];
	static bool ready[COUNT];

	if (!ready[i] && regcomp(&patterns[i], known[i].pattern, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "no pattern: %s\n", known[i].pattern);
		exit(2);
	}
	ready[i] = true;
	return &patterns[i];
}

bool is_known(enum face face, const char *line)
{
	for (size_t i = 0; i < COUNT; i++)
		if ((!known[i].faces || known[i].faces >> face & 1) &&
		    !regexec(compiled(i), line, 0, NULL, 0))
			return true;
	return false;
}

/* ---- where two answers begin to differ ---- */

static bool is_error(const char *line)
{
	return !strncmp(line, "end -", 5) && strncmp(line, "end -7\n", 7);
}

static bool error_ahead(const char *line)
{
	line = strstr(line, "end -");
	return line && is_error(line);
}

/* The lines. True: there was an error before them. */
static bool find_difference(const char **theirs, const char **ours)
{
	const char *a = *theirs, *b = *ours;
	bool error = false;

	for (; *a && *a == *b; b++)
		if (*a++ == '\n') {
			error |= is_error(*theirs);
			*theirs = a;
			*ours = b + 1;
		}
	return error;
}

/*
 * 2.0.5 reads one event ahead, and an error there takes the place of what it has read, or of
 * synchronising; so there is less before it, sometimes more. Which error it is, is not what this is
 * about; that there is one, is. What follows it is not compared: synchronising again may lead to
 * another PSB.
 */
static bool only_an_error(const char *theirs, const char *ours)
{
	return find_difference(&theirs, &ours) || (is_error(theirs) && error_ahead(ours)) ||
	       (is_error(ours) && error_ahead(theirs));
}

/*
 * Decoding by tl_pt_* may go on where theirs has an error: less is dropped. It may have an error
 * where theirs says nothing more; and their query decoder does not look whether tracing is on.
 */
static bool goes_on(enum face face, const char *theirs, const char *ours)
{
	find_difference(&theirs, &ours);
	if (is_error(theirs))
		return true;
	return is_error(ours) &&
	       (face == QUERY || !strncmp(theirs, " time", 5) || !strncmp(theirs, "end -7", 6));
}

enum sameness how_same(enum face face, const struct answer *theirs, const struct answer *ours)
{
	const char *a = theirs->flow.bytes, *b = ours->flow.bytes;

	if (!strcmp(a, b))
		return !strcmp(theirs->status.bytes, ours->status.bytes) || error_ahead(a)
			       ? SAME
			       : DIFFERENT;
	if (only_an_error(a, b))
		return SAME_TO_ERROR;
	return ours->less && goes_on(face, a, b) ? SAME_TO_STOP : DIFFERENT;
}
