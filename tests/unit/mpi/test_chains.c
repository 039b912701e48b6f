/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What shares of a file that are folded at the same time are told of each other: who gets an
 * answer, when, and which bytes. The notes go to this test instead of a relay.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/unit.h"

#include "cli/commands/job.h"
#include "mpi/chains.h"

enum { SHARES = 3, MOST_SENT = 8, MOST_TEXT = 32 };

static struct {
	struct note note;
	char text[MOST_TEXT]; /* "-": no bytes */
} sent[MOST_SENT];
static size_t sent_count;

static struct units units;
static struct fleet_runs runs;
static struct settings settings;
static struct relay relay;
static struct fleet_chains chains;

void relay_send(struct relay *to, const struct note *note, int bytes)
{
	assert_ptr_equal(to, &relay);
	assert_in_range(sent_count, 0, MOST_SENT - 1);
	sent[sent_count].note = *note;
	strcpy(sent[sent_count].text, "-");
	if (bytes >= 0) {
		char *text = bytes_read(bytes, (size_t)note->size);

		assert_non_null(text);
		assert_in_range(note->size, 0, MOST_TEXT - 1);
		memcpy(sent[sent_count].text, text, (size_t)note->size + 1);
		free(text);
		close(bytes);
	}
	sent_count++;
}

/* File 4 in three shares, units 1 to 3, each at a worker of its own; unit 0 is another file. */
static void begin(void)
{
	memset(&units, 0, sizeof(units));
	units.list = calloc(1 + SHARES, sizeof(*units.list));
	assert_non_null(units.list);
	units.count = units.room = 1 + SHARES;
	for (uint32_t i = 0; i <= SHARES; i++) {
		struct work_unit *unit = &units.list[i];

		unit->files = calloc(1, sizeof(*unit->files));
		assert_non_null(unit->files);
		unit->count = 1;
		unit->holder = NOBODY;
		if (i == 0)
			continue;
		*unit->files = 4;
		unit->related = unit->chained = true;
		unit->shares = SHARES;
		unit->share = i - 1;
		unit->first = 1;
		unit->size = 100;
		unit->reader = 10 * (int)i;
		unit->reader_life = 5 + i;
	}
	runs = (struct fleet_runs){ .file = -1 };
	settings = (struct settings){ .output = { .progress = WHEN_NEVER } };
	settings.files.scratch = "/tmp";
	chains = (struct fleet_chains){ &relay, &settings, &units, &runs };
	sent_count = 0;
}

static void end(void)
{
	if (runs.file >= 0)
		close(runs.file);
	units_free(&units);
}

/* The worker of a unit says something; "": without bytes. */
static void say(uint32_t number, enum note_kind kind, const char *text)
{
	const struct note note = { .kind = kind, .size = strlen(text) };
	int bytes = *text ? bytes_make(text, strlen(text)) : -1;

	assert_null(chains_take(&chains, &units.list[number], &note, bytes));
	if (bytes >= 0)
		close(bytes);
}

/* The answer to the worker of a unit, which waits no more. */
static void assert_answer(size_t at, uint32_t number, int status, const char *text)
{
	assert_in_range(at, 0, sent_count - 1);
	assert_int_equal(sent[at].note.kind, NOTE_CHAIN);
	assert_int_equal(sent[at].note.to, 10 * (int)number);
	assert_int_equal(sent[at].note.life, 5 + number);
	assert_int_equal(sent[at].note.status, status);
	assert_int_equal(sent[at].note.size, *text == '-' ? 0 : strlen(text));
	assert_string_equal(sent[at].text, text);
	assert_int_equal(units.list[number].waits, WAITS_NOT);
}

/* All get what all have found, in the order of the shares, whoever was the last to find it. */
TEST(all_that_was_found)
{
	begin();
	say(2, NOTE_MEET, "two,");
	say(3, NOTE_MEET, "three");
	assert_int_equal(sent_count, 0);
	assert_int_equal(units.list[1].waits, WAITS_NOT);
	assert_int_equal(units.list[2].waits, WAITS_FOR_ALL);
	say(1, NOTE_MEET, "one,");
	assert_int_equal(sent_count, 3);
	for (uint32_t i = 0; i < SHARES; i++)
		assert_answer(i, 1 + i, 0, "one,two,three");
	end();
}

/* Each gets what the one before told, whether that comes before its question or after it. */
TEST(what_the_share_before_told)
{
	begin();
	say(2, NOTE_BEFORE, "");
	assert_int_equal(sent_count, 0);
	assert_int_equal(units.list[2].waits, WAITS_FOR_BEFORE);
	say(1, NOTE_TOLD, "of one");
	assert_int_equal(sent_count, 1);
	assert_answer(0, 2, 0, "of one");
	say(2, NOTE_TOLD, "of two");
	assert_int_equal(sent_count, 1);
	say(3, NOTE_BEFORE, "");
	assert_int_equal(sent_count, 2);
	assert_answer(1, 3, 0, "of two");
	/* There is none before the first, and none behind the last. */
	say(1, NOTE_BEFORE, "");
	say(3, NOTE_TOLD, "of three");
	assert_int_equal(sent_count, 2);
	end();
}

/* "Who waits for other shares of it need not any more", and who asks later is told at once. */
TEST(a_file_that_is_read_as_a_whole)
{
	begin();
	say(1, NOTE_MEET, "one");
	say(3, NOTE_MEET, "three");
	assert_true(chains_drop(&chains, 2));
	assert_int_equal(sent_count, 2);
	assert_answer(0, 1, TL_UNSUPPORTED, "-");
	assert_answer(1, 3, TL_UNSUPPORTED, "-");
	assert_int_equal(units.count, 1 + SHARES + 1);
	assert_int_equal(units_next(&units), 1 + SHARES);
	assert_int_equal(units.list[1 + SHARES].files[0], 4);
	say(2, NOTE_MEET, "two");
	say(2, NOTE_BEFORE, "");
	say(2, NOTE_TOLD, "of two");
	assert_int_equal(sent_count, 4);
	assert_answer(2, 2, TL_UNSUPPORTED, "-");
	assert_answer(3, 2, TL_UNSUPPORTED, "-");
	end();
}

/* "Chains that are not done break": not those whose shares are all folded, or dropped already. */
TEST(chains_that_are_not_done)
{
	begin();
	say(2, NOTE_BEFORE, "");
	for (uint32_t i = 1; i <= SHARES; i++)
		units.list[i].kept = true;
	assert_true(chains_break(&chains));
	assert_int_equal(sent_count, 0);
	assert_int_equal(units.count, 1 + SHARES);
	units.list[3].kept = false;
	assert_true(chains_break(&chains));
	assert_int_equal(sent_count, 1);
	assert_answer(0, 2, TL_UNSUPPORTED, "-");
	assert_int_equal(units.count, 1 + SHARES + 1);
	for (uint32_t i = 1; i <= SHARES; i++)
		assert_true(units.list[i].dropped);
	assert_true(chains_break(&chains));
	assert_int_equal(units.count, 1 + SHARES + 1);
	end();
}

/* Shares that do not wait for each other are no chain, nor is a file that nobody has opened. */
TEST(shares_without_a_chain)
{
	begin();
	for (uint32_t i = 1; i <= SHARES; i++)
		units.list[i].chained = false;
	say(1, NOTE_MEET, "one");
	say(2, NOTE_BEFORE, "");
	say(0, NOTE_MEET, "zero");
	assert_true(chains_break(&chains));
	assert_int_equal(sent_count, 0);
	assert_int_equal(units.count, 1 + SHARES);
	assert_int_equal(runs.file, -1);
	end();
}

/* Bytes that did not come. */
TEST(a_note_without_its_bytes)
{
	const struct note note = { .kind = NOTE_MEET, .size = 3 };
	const char *why;

	begin();
	why = chains_take(&chains, &units.list[1], &note, -1);
	assert_non_null(why);
	assert_non_null(strstr(why, "out of memory"));
	assert_int_equal(units.list[1].waits, WAITS_NOT);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_found),
		cmocka_unit_test(what_the_share_before_told),
		cmocka_unit_test(a_file_that_is_read_as_a_whole),
		cmocka_unit_test(chains_that_are_not_done),
		cmocka_unit_test(shares_without_a_chain),
		cmocka_unit_test(a_note_without_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
