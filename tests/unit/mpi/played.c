/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/mpi/played.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/unit.h"

struct fleet fleet;

unsigned draw(unsigned below)
{
	fleet.random = fleet.random * 1664525 + 1013904223;
	return (unsigned)(((uint64_t)(fleet.random >> 4) * below) >> 28);
}

static void post(struct mail *mail, const struct letter *letter)
{
	assert_true(mail->tail < MOST_NOTES);
	mail->list[mail->tail++] = *letter;
}

/* ---- workers ---- */

static void answer(int rank, const struct note *note, const char *text)
{
	struct letter letter = { .note = *note };

	letter.note.from = rank;
	letter.note.life = fleet.workers[rank].life;
	if (note->kind == fleet.fails) {
		fleet.fails = 0;
		letter.note.status = TL_TOO_LARGE;
		text = "no room\n";
	}
	if (text) {
		letter.note.size = strlen(text);
		letter.bytes = strdup(text);
	}
	post(&fleet.workers[rank].to_master, &letter);
}

/* What was meant for it stays in its mail, for another life. */
static void die(int rank, int status)
{
	struct played *worker = &fleet.workers[rank];
	struct letter letter = { .note = { .kind = NOTE_LOST,
					   .from = rank,
					   .life = worker->life + 1,
					   .status = status,
					   .given = worker->given } };

	worker->sum = (struct sum){ .times = { 0 } };
	worker->life++;
	post(&worker->to_master, &letter);
}

static bool dies(void)
{
	if (!fleet.death_in || !fleet.deaths_left || draw(fleet.death_in))
		return false;
	fleet.deaths_left--;
	return true;
}

static void answer_kin(int rank, uint32_t file)
{
	const uint64_t mark = 1000 + fleet.families[file];
	struct letter letter = { .note = { .kind = NOTE_KIN,
					   .from = rank,
					   .life = fleet.workers[rank].life,
					   .shares = fleet.shares,
					   .size = sizeof(mark) } };

	letter.bytes = malloc(sizeof(mark));
	memcpy(letter.bytes, &mark, sizeof(mark));
	post(&fleet.workers[rank].to_master, &letter);
}

/* All logs of a family, and nothing else. */
bool is_log(uint32_t file)
{
	return fleet.fates[file] == IS_LOG || fleet.fates[file] == LOG_ENDS_ALL;
}

static void assert_family(const uint32_t *files, size_t count)
{
	size_t all = 0;

	for (uint32_t i = 0; i < (uint32_t)fleet.files; i++)
		all += is_log(i) && fleet.families[i] == fleet.families[files[0]];
	assert_int_equal(count, all);
	for (size_t i = 0; i < count; i++) {
		assert_true(is_log(files[i]));
		assert_int_equal(fleet.families[files[i]], fleet.families[files[0]]);
	}
}

static void read_related(int rank, const uint32_t *files, size_t count)
{
	assert_family(files, count);
	if (fleet.fates[files[0]] == LOG_ENDS_ALL) {
		die(rank, SIGSEGV);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		fleet.read[files[i]]++;
		fleet.workers[rank].sum.times[files[i]]++;
	}
	answer(rank, &(struct note){ .kind = NOTE_FOLDED }, NULL);
}

/* Its profile, of which the text is the share; what is damaged shows in the last one alone. */
static void read_share(int rank, uint32_t file, const struct note *asked)
{
	struct note note = { .kind = NOTE_FOLDED };
	char text[64];

	assert_in_range(asked->shares, 2, fleet.shares);
	assert_true(fleet.ranks > 1);
	assert_true(is_log(file));
	fleet.cut++;
	if (fleet.fates[file] == LOG_ENDS_ALL) {
		die(rank, SIGSEGV);
		return;
	}
	if (fleet.damaged[file] && asked->share + 1 == asked->shares)
		note.flags = NOTE_DAMAGED;
	if (fleet.written)
		note.version = (struct file_version){ draw(2) ? 5 : 4 + draw(3), 7 + !draw(9) };
	snprintf(text, sizeof(text), "%u %u %u %u", file, asked->share, asked->shares,
		 (unsigned)(10 * note.version.size + note.version.written));
	answer(rank, &(struct note){ .kind = NOTE_RUN }, text);
	if (dies())
		die(rank, SIGSEGV);
	else
		answer(rank, &note, NULL);
}

static void add_share(int rank, const char *text)
{
	struct sum *sum = &fleet.workers[rank].sum;
	unsigned file, share, of, version;

	assert_int_equal(sscanf(text, "%u %u %u %u", &file, &share, &of, &version), 4);
	/* All shares were read of the same file. */
	if (fleet.versions[file])
		assert_int_equal(fleet.versions[file], version + 1);
	fleet.versions[file] = version + 1;
	assert_int_equal(sum->shares[file] & (1u << share), 0);
	sum->shares[file] |= 1u << share;
	sum->of[file] = of;
	answer(rank, &(struct note){ .kind = NOTE_FOLDED }, NULL);
}

static void read_file(int rank, uint32_t file)
{
	struct note note = { .kind = NOTE_FOLDED };
	enum fate fate = fleet.fates[file];
	char text[32];

	snprintf(text, sizeof(text), "file %u\n", file);
	fleet.read[file]++;
	if (is_log(file)) {
		answer_kin(rank, file);
	} else if (fate == ENDS_ALL || (fate == ENDS_ONE && !fleet.ended_one[file])) {
		fleet.ended_one[file] = true;
		die(rank, SIGSEGV);
	} else if (fate == TAKES_LONG) {
		die(rank, SIGALRM);
	} else if (fate == EXITS_ALL) {
		die(rank, EXIT_FAILURE << 8);
	} else if (fate == IS_UNKNOWN || fate == NO_MEMORY) {
		note.status = fate == NO_MEMORY ? TL_NO_MEMORY : TL_BAD_FORMAT;
		answer(rank, &note, text);
	} else if (fleet.before) {
		answer(rank, &(struct note){ .kind = NOTE_RUN }, text);
		if (dies())
			die(rank, SIGSEGV);
		else
			answer(rank, &note, NULL);
	} else {
		fleet.workers[rank].sum.times[file]++;
		note.flags = (fate == IS_DAMAGED ? NOTE_DAMAGED : 0u) | NOTE_CLOCK;
		note.frequency = fate == OTHER_CLOCK ? 2000 : 1000;
		answer(rank, &note, fate == IS_DAMAGED ? text : NULL);
	}
}

static void give(int rank, const struct note *asked)
{
	struct played *worker = &fleet.workers[rank];
	struct letter letter = { .note = { .kind = asked->number < 0 ? NOTE_SUM : NOTE_ADD,
					   .from = rank,
					   .life = asked->other_life,
					   .transfer = asked->transfer },
				 .sum = worker->sum };

	if (dies()) {
		die(rank, SIGKILL);
		return;
	}
	worker->sum = (struct sum){ .times = { 0 } };
	worker->given += asked->number >= 0;
	if (asked->number < 0)
		post(&worker->to_master, &letter);
	else if (!fleet.workers[asked->number].gone)
		post(&fleet.workers[asked->number].to_worker, &letter);
	if (dies())
		die(rank, SIGKILL);
	else
		answer(rank, &(struct note){ .kind = NOTE_GAVE }, NULL);
}

static void add(int rank, const struct sum *sum)
{
	struct sum *own = &fleet.workers[rank].sum;

	for (int i = 0; i < fleet.files; i++) {
		own->times[i] += sum->times[i];
		assert_int_equal(own->shares[i] & sum->shares[i], 0);
		own->shares[i] |= sum->shares[i];
		own->of[i] |= sum->of[i];
	}
	answer(rank, &(struct note){ .kind = NOTE_ADDED }, NULL);
}

/*
 * A rank answers that another one is given up. A sum of that one, which has not been added, may
 * have come whole or not.
 */
static void part(int rank, int gone)
{
	struct played *worker = &fleet.workers[rank];
	struct letter letter = { .note = { .kind = NOTE_PARTED, .from = rank, .number = gone } };

	for (size_t i = worker->to_worker.head; i < worker->to_worker.tail; i++) {
		struct note *note = &worker->to_worker.list[i].note;

		if (note->kind != NOTE_ADD || note->from != gone)
			continue;
		if (draw(2))
			worker->transfer = note->transfer;
		else
			note->kind = NOTE_ALIVE;
	}
	letter.note.transfer = worker->transfer;
	post(&worker->to_master, &letter);
}

static void serve(int rank, struct letter *letter)
{
	const struct note *note = &letter->note;
	const uint32_t *files = (const uint32_t *)letter->bytes;

	if (note->kind == NOTE_GONE) {
		part(rank, note->number);
		return;
	}
	if (note->kind == NOTE_ADD)
		fleet.workers[rank].transfer = note->transfer;
	if (note->life != fleet.workers[rank].life)
		return;
	if (note->kind == NOTE_FOLD && !(note->flags & NOTE_KEPT))
		assert_int_equal((note->flags & NOTE_AFTER) != 0,
				 fleet.before && files[0] >= fleet.before);
	if (dies())
		die(rank, SIGBUS);
	else if (note->kind == NOTE_FOLD && note->flags & NOTE_KEPT)
		add_share(rank, letter->bytes);
	else if (note->kind == NOTE_FOLD && note->shares > 1)
		read_share(rank, files[0], note);
	else if (note->kind == NOTE_FOLD && note->flags & NOTE_RELATED)
		read_related(rank, files, (size_t)note->size / sizeof(*files));
	else if (note->kind == NOTE_FOLD)
		read_file(rank, files[0]);
	else if (note->kind == NOTE_GIVE)
		give(rank, note);
	else if (note->kind == NOTE_ADD)
		add(rank, &letter->sum);
	else if (note->kind == NOTE_REDUCE)
		answer(rank, &(struct note){ .kind = NOTE_REDUCED }, NULL);
}

/* ---- the relay ---- */

void relay_send(struct relay *relay, const struct note *note, int bytes)
{
	struct letter letter = { .note = *note };

	(void)relay;
	fleet.quits += note->kind == NOTE_QUIT;
	assert_true(!fleet.workers[note->to].gone || note->kind == NOTE_QUIT);
	if (bytes >= 0) {
		letter.bytes = bytes_read(bytes, (size_t)note->size);
		assert_non_null(letter.bytes);
		close(bytes);
	}
	post(&fleet.workers[note->to].to_worker, &letter);
}

static void deliver(struct relay *relay, struct letter *letter)
{
	int bytes = -1;

	if (letter->note.kind == NOTE_SUM)
		bytes = bytes_make(&letter->sum, sizeof(letter->sum));
	else if (letter->bytes)
		bytes = bytes_make(letter->bytes, (size_t)letter->note.size);
	relay->take(relay->arg, &letter->note, bytes);
}

void forget(struct mail *mail)
{
	for (; mail->head < mail->tail; mail->head++)
		free(mail->list[mail->head].bytes);
}

/* A rank but the first dies, with what it has not sent yet. */
static void lose_rank(struct relay *relay)
{
	const int rank = 1 + (int)draw((unsigned)fleet.ranks - 1);
	struct played *worker = &fleet.workers[rank];

	if (worker->gone)
		return;
	fleet.losses_left--;
	worker->gone = true;
	forget(&worker->to_worker);
	forget(&worker->to_master);
	part(0, rank);
	relay->lose(relay->arg, rank);
}

/* A note that says nothing to the master, whose bytes must not stay open. */
static void stray(struct relay *relay, struct note note)
{
	const int bytes = bytes_make("stray", 5);

	note.size = 5;
	assert_true(bytes >= 0);
	relay->take(relay->arg, &note, bytes);
	assert_int_equal(fcntl(bytes, F_GETFD), -1);
	relay->take(relay->arg, &note, -1);
}

static void send_strays(struct relay *relay)
{
	const uint32_t life = fleet.workers[0].life;

	stray(relay, (struct note){ .kind = NOTE_SUM, .from = -1 });
	stray(relay, (struct note){ .kind = NOTE_SUM, .from = fleet.ranks });
	stray(relay, (struct note){ .kind = NOTE_FOLDED, .life = life + 1 });
	stray(relay, (struct note){ .kind = NOTE_QUIT, .life = life });
}

/* One of the mails that have something, by chance. */
void relay_turn(struct relay *relay)
{
	struct mail *waiting[2 * MOST_RANKS], *mail;
	unsigned count = 0, chosen;
	struct letter *letter;

	if (fleet.losses_left && fleet.ranks > 1 && !draw(fleet.loss_in)) {
		lose_rank(relay);
		return;
	}
	if (fleet.strays)
		send_strays(relay);
	for (int i = 0; i < fleet.ranks; i++) {
		struct played *worker = &fleet.workers[i];

		if (!fleet.turns)
			fleet.handed[i] = worker->to_worker.tail;
		if (worker->to_worker.head < worker->to_worker.tail)
			waiting[count++] = &worker->to_worker;
		if (worker->to_master.head < worker->to_master.tail)
			waiting[count++] = &worker->to_master;
	}
	/* Nobody has anything to do, and the master waits: that would be for ever. */
	assert_true(count > 0);
	assert_true(++fleet.turns < 100000);
	chosen = draw(count);
	mail = waiting[chosen];
	letter = &mail->list[mail->head++];
	for (int i = 0; i < fleet.ranks; i++) {
		if (mail == &fleet.workers[i].to_worker)
			serve(i, letter);
		else if (mail == &fleet.workers[i].to_master)
			deliver(relay, letter);
	}
	free(letter->bytes);
	letter->bytes = NULL;
}

void relay_flush(struct relay *relay)
{
	if (fleet.strays)
		stray(relay, (struct note){ .kind = NOTE_SUM });
}
