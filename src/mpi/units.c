/* SPDX-License-Identifier: Apache-2.0 */
#include "mpi/units.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Room for one more item. */
static bool grow(void *items, size_t *room, size_t count, size_t size)
{
	void *grown;

	if (count < *room)
		return true;
	grown = realloc(*(void **)items, (2 * count + 16) * size);
	if (!grown)
		return false;
	*(void **)items = grown;
	*room = 2 * count + 16;
	return true;
}

static struct work_unit *add_unit(struct units *u, uint32_t count)
{
	struct work_unit *unit;
	uint32_t *files;

	if (!grow(&u->list, &u->room, u->count, sizeof(*u->list)))
		return NULL;
	files = malloc(count * sizeof(*files));
	if (!files)
		return NULL;
	unit = &u->list[u->count++];
	*unit = (struct work_unit){ .files = files, .holder = NOBODY };
	return unit;
}

/* ---- the queue ---- */

bool units_wait(struct units *u, uint32_t number)
{
	if (!grow(&u->queue, &u->queue_room, u->tail, sizeof(*u->queue)))
		return false;
	u->list[number].state = UNIT_READY;
	u->list[number].holder = NOBODY;
	u->queue[u->tail++] = number;
	return true;
}

bool units_have_waiting(const struct units *u)
{
	return u->head < u->tail;
}

uint32_t units_next(struct units *u)
{
	return u->queue[u->head++];
}

/* ---- files ---- */

static int compare_sizes(const void *left, const void *right)
{
	const struct work_unit *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return (a->files[0] > b->files[0]) - (a->files[0] < b->files[0]);
}

bool units_begin(struct units *u, const char *const *paths, size_t count)
{
	*u = (struct units){ .unsure = count, .largest = UINT64_MAX };
	for (size_t i = 0; i < count; i++) {
		struct work_unit *unit = add_unit(u, 1);
		struct stat about;

		if (!unit)
			return false;
		unit->files[unit->count++] = (uint32_t)i;
		unit->size = stat(paths[i], &about) ? 0 : (uint64_t)about.st_size;
	}
	if (count)
		qsort(u->list, count, sizeof(*u->list), compare_sizes);
	for (size_t i = 0; i < count; i++)
		if (!units_wait(u, (uint32_t)i))
			return false;
	return true;
}

/* ---- logs ---- */

bool units_add_kin(struct units *u, uint32_t number, const uint64_t *marks, size_t count)
{
	u->list[number].state = UNIT_KIN;
	return (u->kin || tl_kin_open(&u->kin, NULL) == 0) &&
	       tl_kin_add(u->kin, number, marks, count, NULL) == 0;
}

/* A log by its chief, then by its place in the list of files. */
struct member {
	uint32_t chief, file, shares;
	bool chained;
	uint64_t size;
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->chief != b->chief)
		return a->chief < b->chief ? -1 : 1;
	return (a->file > b->file) - (a->file < b->file);
}

/* The logs of one chief become a unit. */
static bool add_group(struct units *u, const struct member *members, size_t count)
{
	struct work_unit *unit = add_unit(u, (uint32_t)count);

	if (!unit)
		return false;
	unit->related = true;
	for (size_t i = 0; i < count; i++) {
		unit->files[unit->count++] = members[i].file;
		unit->size += members[i].size;
	}
	return units_wait(u, (uint32_t)u->count - 1);
}

/* ---- shares ---- */

static bool is_cut(const struct units *u, const struct member *member)
{
	return member->shares > 1 && member->size > u->largest &&
	       (!member->chained || u->at_once > 1);
}

/*
 * About two for what a rank would have of all files, as shares are not of one size. Those of a
 * chain wait for each other, so that none may wait for a worker.
 */
static uint32_t count_shares(const struct units *u, const struct member *member)
{
	uint64_t wanted = u->largest ? 2 * (member->size / u->largest) + 1 : member->shares;

	if (member->chained && u->largest)
		wanted = (member->size - 1) / u->largest + 1;
	if (member->chained && wanted > u->at_once)
		wanted = u->at_once;
	return wanted < member->shares ? (uint32_t)wanted : member->shares;
}

static bool add_shares(struct units *u, const struct member *member)
{
	const uint32_t first = (uint32_t)u->count, count = count_shares(u, member);

	for (uint32_t i = 0; i < count; i++) {
		struct work_unit *unit = add_unit(u, 1);

		if (!unit)
			return false;
		unit->files[unit->count++] = member->file;
		unit->related = true;
		unit->size = member->size / count;
		unit->share = i;
		unit->shares = count;
		unit->first = first;
		unit->chained = member->chained;
		if (!units_wait(u, first + i))
			return false;
	}
	return true;
}

bool units_disagree(const struct units *u, uint32_t number)
{
	const struct work_unit *unit = &u->list[number], *shares = &u->list[unit->first];

	for (uint32_t i = 0; i < unit->shares; i++)
		if (shares[i].kept && !is_same_version(&shares[i].version, &unit->version))
			return true;
	return false;
}

bool units_keep(struct units *u, uint32_t number)
{
	const struct work_unit unit = u->list[number];
	bool ok = true;

	u->list[number].state = UNIT_KEPT;
	u->list[number].kept = true;
	for (uint32_t i = 0; i < unit.shares; i++)
		if (!u->list[unit.first + i].kept)
			return true;
	for (uint32_t i = 0; ok && i < unit.shares; i++)
		ok = units_wait(u, unit.first + i);
	return ok;
}

/* Take what was dropped out of the queue. */
static void forget_dropped(struct units *u)
{
	size_t to = u->head;

	for (size_t from = u->head; from < u->tail; from++)
		if (!u->list[u->queue[from]].dropped)
			u->queue[to++] = u->queue[from];
	u->tail = to;
}

bool units_drop_shares(struct units *u, uint32_t number)
{
	const struct work_unit unit = u->list[number];
	struct member whole = { .file = unit.files[0] };

	for (uint32_t i = 0; i < unit.shares; i++) {
		struct work_unit *share = &u->list[unit.first + i];

		share->dropped = true;
		share->state = UNIT_KIN;
		whole.size += share->size;
	}
	forget_dropped(u);
	return add_group(u, &whole, 1);
}

static bool add_groups(struct units *u, struct member *members, size_t count)
{
	bool ok = true;

	if (count)
		qsort(members, count, sizeof(*members), compare_members);
	for (size_t first = 0, end; ok && first < count; first = end) {
		for (end = first + 1; end < count && members[end].chief == members[first].chief;)
			end++;
		ok = end - first == 1 && is_cut(u, &members[first])
			     ? add_shares(u, &members[first])
			     : add_group(u, &members[first], end - first);
	}
	return ok;
}

/* Chiefs come in the order of size, as they stood in the queue. */
bool units_group(struct units *u)
{
	uint32_t *chiefs = calloc(u->count + 1, sizeof(*chiefs));
	struct member *members = malloc((u->count + 1) * sizeof(*members));
	size_t count = 0;
	bool ok = chiefs && members;

	if (ok && u->kin)
		tl_kin_group(u->kin, chiefs, u->count);
	for (size_t i = 0; ok && i < u->count; i++)
		if (u->list[i].state == UNIT_KIN)
			members[count++] =
				(struct member){ chiefs[i], u->list[i].files[0], u->list[i].shares,
						 u->list[i].chained, u->list[i].size };
	ok = ok && add_groups(u, members, count);
	free(chiefs);
	free(members);
	tl_kin_close(u->kin);
	u->kin = NULL;
	return ok;
}

void units_free(struct units *u)
{
	for (size_t i = 0; i < u->count; i++) {
		free(u->list[i].files);
		free(u->list[i].text);
	}
	free(u->list);
	tl_kin_close(u->kin);
	free(u->queue);
	*u = (struct units){ .list = NULL };
}
