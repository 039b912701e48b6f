/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/master.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/chains.h"

enum {
	MOST_AHEAD = 4,         /* units that wait at a worker, so that it need not wait */
	SMALL = 4 << 20,        /* bytes of a unit that is handed out ahead */
	MOST_ATTEMPTS = 2,      /* a unit that ended so many workers is left out */
	MOST_LOST_OF_RANK = 64, /* deaths of its workers, beside those that files are guilty of */
};

enum peer_state {
	PEER_FOLDS,
	PEER_GIVES,   /* its sum to peer `other`, or to the end */
	PEER_TAKES,   /* that of peer `other` */
	PEER_REDUCES, /* its sum, before it gives or takes one */
	PEER_GONE,    /* its rank is given up */
};

/* A worker, as the master sees it. */
struct peer {
	uint32_t life;
	uint32_t ahead[MOST_AHEAD]; /* units, the first of which it works on */
	uint32_t ahead_count;
	enum peer_state state;
	int other;
	uint32_t given;    /* sums that it was told to give to peers */
	uint32_t transfer; /* PEER_TAKES: the number of the sum */
	uint32_t losses;   /* how often it died */
	bool holds;        /* units are in its sum */
	bool reduced;      /* nothing was added since it reduced its sum */
};

struct master {
	struct relay *relay;
	const struct settings *settings;
	struct fleet_outcome *outcome;
	struct units units;
	struct peer *peers;
	int size;
	bool grouped;       /* units of logs were made */
	bool ended;         /* the sum is there, or there will be none */
	bool sum_asked;     /* somebody gives the sum of all */
	uint32_t transfers; /* sums that were given to peers */
	bool has_clock;     /* file `clocked` counts ticks of this frequency */
	uint32_t clocked;
	uint64_t frequency;
	char *last_words;     /* of a run that failed */
	uint64_t done, total; /* bytes */
	struct progress progress;
};

/*
 * Holders of units: a rank; `on the way` to a rank, while the sum that has them is sent and added;
 * behind those, on the way to the end.
 */
static int on_the_way(const struct master *m, int rank)
{
	return m->size + (rank < 0 ? m->size : rank);
}

/* ---- ends ---- */

static void fail(struct master *m, int status, char *text)
{
	if (m->outcome->status == 0)
		m->last_words = text;
	else
		free(text);
	if (m->outcome->status == 0)
		m->outcome->status = status < 0 ? status : TL_NO_MEMORY;
	m->ended = true;
}

static void need(struct master *m, bool had_memory)
{
	if (!had_memory)
		fail(m, TL_NO_MEMORY, strdup("tracelathe-mpi: out of memory\n"));
}

/* ---- units ---- */

/* It is known whether the file goes alone. */
static void settle(struct master *m, struct work_unit *unit)
{
	if (!unit->settled && !unit->related)
		m->units.unsure--;
	unit->settled = true;
}

static void exclude(struct master *m, struct work_unit *unit, char *text)
{
	settle(m, unit);
	unit->state = UNIT_OUT;
	free(unit->text);
	unit->text = text;
	m->outcome->missing += unit->count;
	m->outcome->damaged = true;
	m->done += unit->size;
}

/* Whether the command goes on without a file (cli/commands/run.c: keeps_going()). */
static bool goes_on(const struct master *m, int status)
{
	return status != TL_NO_MEMORY && status != TL_BAD_USAGE &&
	       !m->settings->files.no_keep_going && !m->settings->input.strict &&
	       m->settings->paths.list.count > 1;
}

/* All units of a holder get another one; NOBODY: they are to be done again. */
static void move_units(struct master *m, int from, int to)
{
	for (size_t i = 0; i < m->units.count; i++) {
		struct work_unit *unit = &m->units.list[i];

		if (unit->state != UNIT_DONE || unit->holder != from)
			continue;
		unit->holder = to;
		if (to != NOBODY)
			continue;
		m->done -= unit->size;
		need(m, units_wait(&m->units, (uint32_t)i));
	}
}

/* The unit that a worker is done with. */
static struct work_unit *take_first(struct master *m, struct peer *peer)
{
	struct work_unit *unit = &m->units.list[peer->ahead[0]];

	peer->ahead_count--;
	memmove(peer->ahead, peer->ahead + 1, peer->ahead_count * sizeof(*peer->ahead));
	return unit;
}

static bool is_open_share(const struct work_unit *unit)
{
	return unit->related && unit->shares > 1 && !unit->kept;
}

/* ---- what is kept of workers ---- */

static struct fleet_chains chains_of(struct master *m)
{
	return (struct fleet_chains){ m->relay, m->settings, &m->units, &m->outcome->runs };
}

static void drop_shares(struct master *m, uint32_t number)
{
	struct fleet_chains chains = chains_of(m);

	need(m, chains_drop(&chains, number));
}

/* The run fails if there is something to be said. */
static bool is_kept(struct master *m, const char *why)
{
	if (why)
		fail(m, TL_IO, strdup(why));
	return !why;
}

static void take_chain(struct master *m, const struct note *note, int bytes)
{
	const struct peer *peer = &m->peers[note->from];
	struct fleet_chains chains = chains_of(m);

	if (peer->ahead_count)
		is_kept(m, chains_take(&chains, &m->units.list[peer->ahead[0]], note, bytes));
}

/* ---- what was folded ---- */

/*
 * A share that is not clean is no part of the whole: what there is to be said of a log, and what
 * becomes of it, is found out by reading it as a whole.
 */
static void take_share(struct master *m, struct work_unit *unit, const struct note *note)
{
	uint32_t number = unit->first + unit->share;

	if (unit->dropped)
		return;
	unit->version = note->version;
	if (note->status < 0 || note->flags & NOTE_DAMAGED || note->missing || !unit->place.size ||
	    units_disagree(&m->units, number))
		drop_shares(m, number);
	else
		need(m, units_keep(&m->units, number));
}

/* Ticks of different clocks have no sum: of two files, the one that is named later is said. */
static void check_clock(struct master *m, const struct work_unit *unit, const struct note *note)
{
	uint32_t file = unit->files[0];
	char *text;

	if (!(note->flags & NOTE_CLOCK))
		return;
	if (!m->has_clock) {
		m->has_clock = true;
		m->clocked = file;
		m->frequency = note->frequency;
	}
	if (m->frequency == note->frequency)
		return;
	if (m->clocked > file)
		file = m->clocked;
	if (asprintf(&text,
		     "tracelathe: %s: the profiles count ticks of different clocks, which have no "
		     "exact sum; --nanoseconds makes nanoseconds of them\n",
		     m->settings->paths.items[file]) < 0)
		text = NULL;
	fail(m, TL_BAD_USAGE, text);
}

static void take_folded(struct master *m, const struct note *note, char *text)
{
	struct peer *peer = &m->peers[note->from];
	struct work_unit *unit = take_first(m, peer);

	if (is_open_share(unit)) {
		free(text);
		take_share(m, unit, note);
		return;
	}
	if (note->status < 0 && !goes_on(m, note->status)) {
		fail(m, note->status, text);
		return;
	}
	if (note->status < 0) {
		exclude(m, unit, text);
		return;
	}
	settle(m, unit);
	m->outcome->missing += note->missing;
	m->outcome->damaged |= note->missing || (note->flags & NOTE_DAMAGED);
	free(unit->text);
	unit->text = text;
	unit->state = UNIT_DONE;
	check_clock(m, unit, note);
	/* A run is here, whatever becomes of the worker. */
	unit->holder = m->settings->diff.runs ? NOBODY : note->from;
	peer->holds = !m->settings->diff.runs;
	peer->reduced = false;
	m->done += unit->size;
}

static void take_kin(struct master *m, const struct note *note, const char *bytes)
{
	uint32_t number = m->peers[note->from].ahead[0];
	size_t count = (size_t)note->size / sizeof(uint64_t);
	uint64_t *marks = malloc((size_t)note->size + 1);

	settle(m, take_first(m, &m->peers[note->from]));
	m->units.list[number].shares = note->shares;
	m->units.list[number].chained = note->flags & NOTE_CHAINED;
	if (marks && bytes)
		memcpy(marks, bytes, (size_t)note->size);
	need(m, marks && (bytes || !count) && units_add_kin(&m->units, number, marks, count));
	free(marks);
}

/* ---- runs ---- */

/* A file that was read once more, since its reader died, has only its last profile. */
static void take_run(struct master *m, const struct note *note, int bytes)
{
	const struct peer *peer = &m->peers[note->from];
	struct work_unit *unit = &m->units.list[peer->ahead[0]];
	struct run_place place;

	if (bytes < 0 || !peer->ahead_count ||
	    !is_kept(m, fleet_keep(&m->outcome->runs, m->settings, bytes, note->size, &place)))
		return;
	if (m->settings->diff.runs)
		m->outcome->runs.places[unit->files[0]] = place;
	else
		unit->place = place;
}

void fleet_outcome_free(struct fleet_outcome *outcome)
{
	if (outcome->sum >= 0)
		close(outcome->sum);
	if (outcome->runs.file >= 0)
		close(outcome->runs.file);
	free(outcome->runs.places);
	*outcome = (struct fleet_outcome){ .sum = -1, .runs = { .file = -1 } };
}

/* ---- sums ---- */

static void tell_give(struct master *m, int from, int to)
{
	struct note note = {
		.kind = NOTE_GIVE, .to = from, .life = m->peers[from].life, .number = to
	};

	m->peers[from].state = PEER_GIVES;
	m->peers[from].other = to;
	m->peers[from].holds = false;
	if (to >= 0) {
		note.other_life = m->peers[to].life;
		m->peers[from].given++;
		m->peers[to].state = PEER_TAKES;
		m->peers[to].other = from;
		m->peers[to].transfer = note.transfer = ++m->transfers;
	}
	m->sum_asked |= to < 0;
	move_units(m, from, on_the_way(m, to));
	relay_send(m->relay, &note, -1);
}

static void take_gave(struct master *m, const struct note *note, char *text)
{
	if (note->status < 0) {
		fail(m, note->status, text);
		return;
	}
	m->peers[note->from].state = PEER_FOLDS;
	free(text);
}

static void take_added(struct master *m, const struct note *note, char *text)
{
	struct peer *peer = &m->peers[note->from];

	if (note->status < 0) {
		fail(m, note->status, text);
		return;
	}
	peer->state = PEER_FOLDS;
	peer->holds = true;
	peer->reduced = false;
	move_units(m, on_the_way(m, note->from), note->from);
	free(text);
}

static void tell_reduce(struct master *m, int rank)
{
	const struct note note = { .kind = NOTE_REDUCE, .to = rank, .life = m->peers[rank].life };

	m->peers[rank].state = PEER_REDUCES;
	relay_send(m->relay, &note, -1);
}

static void take_reduced(struct master *m, const struct note *note, char *text)
{
	if (note->status < 0) {
		fail(m, note->status, text);
		return;
	}
	m->peers[note->from].state = PEER_FOLDS;
	m->peers[note->from].reduced = true;
	free(text);
}

/* ---- deaths ---- */

static char *text_of_death(const struct master *m, const struct work_unit *unit, int status)
{
	const char *path = m->settings->paths.items[unit->files[0]];
	char *text;
	int size;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		size = asprintf(&text, "tracelathe: %s: reading takes longer than --timeout\n",
				path);
	else if (WIFSIGNALED(status))
		size = asprintf(&text,
				"tracelathe: %s: the process that read it was ended by signal %d "
				"(%s), %d times\n",
				path, WTERMSIG(status), strsignal(WTERMSIG(status)), MOST_ATTEMPTS);
	else
		size = asprintf(&text, "tracelathe: %s: the process that read it ended, %d times\n",
				path, MOST_ATTEMPTS);
	return size < 0 ? NULL : text;
}

/* The unit on which a worker died; `said` is what it wrote before. */
static void blame(struct master *m, uint32_t number, int status)
{
	struct work_unit *unit = &m->units.list[number];
	const bool is_open = is_open_share(unit);
	bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;

	/* A file that takes too long will do so again. */
	unit->attempts = late ? MOST_ATTEMPTS : unit->attempts + 1;
	if (unit->dropped)
		return;
	if (is_open && (unit->chained || unit->attempts >= MOST_ATTEMPTS)) {
		drop_shares(m, number);
	} else if (unit->attempts < MOST_ATTEMPTS) {
		need(m, units_wait(&m->units, number));
	} else if (goes_on(m, TL_IO) && !unit->kept) {
		exclude(m, unit, text_of_death(m, unit, status));
	} else {
		fail(m, TL_IO, text_of_death(m, unit, status));
	}
}

/*
 * A sum that was on its way when one of both ends died. It is not, if the one who was to send it
 * had not done so.
 */
static void lose_transfer(struct master *m, int rank, uint32_t given)
{
	struct peer *peer = &m->peers[rank];

	if (peer->state == PEER_TAKES) {
		move_units(m, on_the_way(m, rank), NOBODY);
	} else if (peer->state == PEER_GIVES && peer->other < 0) {
		move_units(m, on_the_way(m, -1), NOBODY);
		m->sum_asked = false;
	} else if (peer->state == PEER_GIVES && given < peer->given) {
		struct peer *other = &m->peers[peer->other];

		if (other->state == PEER_TAKES && other->other == rank)
			other->state = PEER_FOLDS;
		move_units(m, on_the_way(m, peer->other), NOBODY);
		peer->given = given;
	}
}

static void take_lost(struct master *m, const struct note *note, char *said)
{
	struct peer *peer = &m->peers[note->from];
	uint32_t count = peer->ahead_count, ahead[MOST_AHEAD];

	free(said);
	memcpy(ahead, peer->ahead, sizeof(ahead));
	for (uint32_t i = 0; i < count; i++)
		take_first(m, peer);
	lose_transfer(m, note->from, note->given);
	move_units(m, note->from, NOBODY);
	peer->life = note->life;
	peer->state = PEER_FOLDS;
	peer->holds = false;
	if (++peer->losses > MOST_LOST_OF_RANK)
		fail(m, TL_IO,
		     strdup("tracelathe-mpi: the processes that read files end again and "
			    "again\n"));
	for (uint32_t i = 1; i < count; i++)
		if (!m->units.list[ahead[i]].dropped)
			need(m, units_wait(&m->units, ahead[i]));
	if (count)
		blame(m, ahead[0], note->status);
}

/* ---- ranks that are given up ---- */

/* Files of a lost rank are not to blame: a process of their own reads them, not the rank. */
static void wait_again(struct master *m, struct peer *peer)
{
	while (peer->ahead_count) {
		uint32_t number = peer->ahead[0];

		take_first(m, peer);
		if (!m->units.list[number].dropped)
			need(m, units_wait(&m->units, number));
	}
}

/* Whether a sum that it gave has come is known to the one who takes it (NOTE_PARTED). */
static void lose(void *arg, int rank)
{
	struct master *m = arg;
	struct peer *peer = &m->peers[rank];
	struct fleet_chains chains = chains_of(m);

	need(m, chains_break(&chains));
	wait_again(m, peer);
	lose_transfer(m, rank, peer->given);
	move_units(m, rank, NOBODY);
	peer->state = PEER_GONE;
	for (int i = 1; i < m->size; i++) {
		const struct note gone = { .kind = NOTE_GONE, .to = i, .number = rank };

		if (m->peers[i].state != PEER_GONE)
			relay_send(m->relay, &gone, -1);
	}
}

static void take_parted(struct master *m, const struct note *note)
{
	struct peer *peer = &m->peers[note->from];

	if (peer->state != PEER_TAKES || peer->other != note->number ||
	    peer->transfer == note->transfer)
		return;
	peer->state = PEER_FOLDS;
	move_units(m, on_the_way(m, note->from), NOBODY);
}

/* ---- notes ---- */

static void take_text(struct master *m, const struct note *note, char *text)
{
	switch (note->kind) {
	case NOTE_FOLDED:
		take_folded(m, note, text);
		break;
	case NOTE_GAVE:
		take_gave(m, note, text);
		break;
	case NOTE_ADDED:
		take_added(m, note, text);
		break;
	case NOTE_REDUCED:
		take_reduced(m, note, text);
		break;
	case NOTE_LOST:
		take_lost(m, note, text);
		break;
	case NOTE_KIN:
		take_kin(m, note, text);
		free(text);
		break;
	case NOTE_PARTED:
		take_parted(m, note);
		break;
	default:
		free(text);
	}
}

/* Whether a note is of one life of a worker: those of its rank, or of its end, hold beyond it. */
static bool is_of_a_life(const struct note *note)
{
	return note->kind != NOTE_LOST && note->kind != NOTE_SUM && note->kind != NOTE_PARTED;
}

static void take(void *arg, const struct note *note, int bytes)
{
	struct master *m = arg;

	if (m->ended || note->from < 0 || note->from >= m->size ||
	    (is_of_a_life(note) && note->life != m->peers[note->from].life)) {
		if (bytes >= 0)
			close(bytes);
		return;
	}
	if (note->kind == NOTE_SUM) {
		m->outcome->sum = bytes;
		m->outcome->flattened = note->flags & NOTE_FLATTENED;
		m->ended = true;
		return;
	}
	if (note->kind == NOTE_RUN)
		take_run(m, note, bytes);
	else if (note->kind == NOTE_MEET || note->kind == NOTE_BEFORE || note->kind == NOTE_TOLD)
		take_chain(m, note, bytes);
	else
		take_text(m, note, bytes >= 0 ? bytes_read(bytes, (size_t)note->size) : NULL);
	if (bytes >= 0)
		close(bytes);
}

/* ---- what is to be done next ---- */

static bool is_after(const struct master *m, const struct work_unit *unit)
{
	return m->settings->diff.runs && unit->files[0] >= m->settings->diff.before;
}

/* Whether others would wait for the one who reads it. */
static bool is_awaited(const struct master *m, const struct work_unit *unit)
{
	return unit->size > m->units.largest && unit->shares < 2;
}

/* Whether it is better read in shares. */
static bool is_large(const struct master *m, const struct work_unit *unit)
{
	return is_awaited(m, unit) && !unit->related && !m->settings->diff.runs;
}

static void hand_unit(struct master *m, int rank, uint32_t number)
{
	struct peer *peer = &m->peers[rank];
	const struct work_unit *unit = &m->units.list[number];
	struct note note = {
		.kind = NOTE_FOLD,
		.to = rank,
		.life = peer->life,
		.share = unit->share,
		.shares = unit->shares,
		.flags = (unit->related ? NOTE_RELATED : 0u) |
			 (is_large(m, unit) ? NOTE_LARGE : 0u) |
			 (is_awaited(m, unit) ? NOTE_AWAITED : 0u) |
			 (is_after(m, unit) ? NOTE_AFTER : 0u),
		.size = unit->count * sizeof(*unit->files),
	};
	int bytes;

	if (unit->kept) {
		note.flags |= NOTE_KEPT;
		bytes = fleet_copy(&m->outcome->runs, m->settings, &unit->place, 1, &note.size);
	} else {
		bytes = bytes_make(unit->files, (size_t)note.size);
	}
	need(m, bytes >= 0);
	m->units.list[number].reader = rank;
	m->units.list[number].reader_life = peer->life;
	peer->ahead[peer->ahead_count++] = number;
	relay_send(m->relay, &note, bytes);
}

static bool is_small(const struct work_unit *unit)
{
	return unit->size < SMALL && (!unit->chained || unit->kept);
}

static bool has_room(const struct master *m, const struct peer *peer, uint32_t ahead)
{
	uint32_t next = m->units.queue[m->units.head];

	if (peer->state != PEER_FOLDS || peer->ahead_count > ahead)
		return false;
	/*
	 * What waits behind a large unit would wait long, and what died once may do so again. A
	 * share for which others wait begins at once, and takes no other notes.
	 */
	return !ahead || (is_small(&m->units.list[next]) && !m->units.list[next].attempts &&
			  is_small(&m->units.list[peer->ahead[0]]));
}

/* First one to each, then one more: nobody has much while others have nothing. */
static void hand_out(struct master *m)
{
	for (uint32_t ahead = 0; ahead < MOST_AHEAD; ahead++)
		for (int i = 0; i < m->size && units_have_waiting(&m->units); i++)
			if (has_room(m, &m->peers[i], ahead) &&
			    m->peers[i].ahead_count < MOST_AHEAD)
				hand_unit(m, i, units_next(&m->units));
}

static bool is_idle_holder(const struct peer *peer)
{
	return peer->holds && peer->state == PEER_FOLDS && !peer->ahead_count;
}

/* `reduced`: of those that are ready for another sum. */
static int next_holder(const struct master *m, int from, bool reduced)
{
	while (from < m->size &&
	       (!is_idle_holder(&m->peers[from]) || (reduced && !m->peers[from].reduced)))
		from++;
	return from;
}

static bool all_is_quiet(const struct master *m)
{
	for (int i = 0; i < m->size; i++)
		if ((m->peers[i].state != PEER_FOLDS && m->peers[i].state != PEER_GONE) ||
		    m->peers[i].ahead_count)
			return false;
	return true;
}

/* Those that wait for others reduce what they have, all at the same time. */
static void reduce_all(struct master *m)
{
	const bool quiet = all_is_quiet(m);
	const int first = next_holder(m, 0, false);
	int next = first;

	/* The last one merges all there is into the sum anyway. */
	if (quiet && next_holder(m, first + 1, false) >= m->size)
		return;
	for (; next < m->size; next = next_holder(m, next + 1, false))
		if (!m->peers[next].reduced)
			tell_reduce(m, next);
}

/* Two by two; the last one gives the sum of all. */
static void add_up(struct master *m)
{
	int a, b;

	reduce_all(m);
	a = next_holder(m, 0, true);
	b = next_holder(m, a + 1, true);
	while (a < m->size && b < m->size) {
		tell_give(m, b, a);
		a = next_holder(m, b + 1, true);
		b = next_holder(m, a + 1, true);
	}
	if (!all_is_quiet(m) || m->sum_asked)
		return;
	a = next_holder(m, 0, false);
	if (a < m->size)
		tell_give(m, a, -1);
	else
		m->ended = true; /* nothing could be read */
}

static uint32_t count_living(const struct master *m)
{
	uint32_t count = 0;

	for (int i = 0; i < m->size; i++)
		count += m->peers[i].state != PEER_GONE;
	return count;
}

static void go_on(struct master *m)
{
	if (!m->units.unsure && !m->grouped && !m->ended) {
		m->grouped = true;
		m->units.at_once = count_living(m);
		need(m, units_group(&m->units));
	}
	if (!m->ended)
		hand_out(m);
	if (!m->ended && !units_have_waiting(&m->units) && m->grouped)
		add_up(m);
}

/* ---- the run ---- */

static int compare_units(const void *left, const void *right)
{
	const struct work_unit *a = left, *b = right;

	return (a->files[0] > b->files[0]) - (a->files[0] < b->files[0]);
}

/* In the order of the files, whoever read them. */
static void say_all(struct master *m)
{
	if (m->units.count)
		qsort(m->units.list, m->units.count, sizeof(*m->units.list), compare_units);
	for (size_t i = 0; i < m->units.count; i++)
		if (m->units.list[i].text && m->units.list[i].state != UNIT_KIN)
			fputs(m->units.list[i].text, stderr);
	if (m->last_words)
		fputs(m->last_words, stderr);
	free(m->last_words);
}

static void tell_quit(struct master *m)
{
	for (int i = 0; i < m->size; i++) {
		const struct note note = { .kind = NOTE_QUIT,
					   .to = i,
					   .life = m->peers[i].life,
					   .status = m->outcome->status };

		relay_send(m->relay, &note, -1);
	}
	relay_flush(m->relay);
}

void master_run(struct relay *relay, const struct settings *settings, struct fleet_outcome *outcome)
{
	struct master m = { .relay = relay,
			    .settings = settings,
			    .outcome = outcome,
			    .size = relay->size,
			    .peers = calloc((size_t)relay->size, sizeof(*m.peers)) };

	*outcome = (struct fleet_outcome){ .sum = -1, .runs = { .file = -1 } };
	if (settings->diff.runs)
		need(&m, fleet_keep_runs(&outcome->runs, settings->paths.list.count));
	relay->take = take;
	relay->lose = lose;
	relay->arg = &m;
	need(&m,
	     m.peers && units_begin(&m.units, settings->paths.items, settings->paths.list.count));
	for (size_t i = 0; i < m.units.count; i++)
		m.total += m.units.list[i].size;
	m.units.largest = m.total / (uint64_t)m.size;
	progress_begin(&m.progress, settings->output.progress);
	while (!m.ended) {
		go_on(&m);
		progress_tick(&m.progress, m.done, m.total);
		if (!m.ended)
			relay_turn(relay);
	}
	progress_end(&m.progress);
	if (m.peers)
		tell_quit(&m);
	say_all(&m);
	units_free(&m.units);
	free(m.peers);
}
