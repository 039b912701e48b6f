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

	if (!grow(&u->list, &u->room, u->count, sizeof(*u->list)))
		return NULL;
	unit = &u->list[u->count];
	*unit = (struct work_unit){ .files = malloc(count * sizeof(*unit->files)),
				    .holder = NOBODY };
	if (!unit->files)
		return NULL;
	u->count++;
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
	*u = (struct units){ .unsure = count };
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
	for (size_t i = 0; i < count; i++) {
		if (!grow(&u->marks, &u->mark_room, u->mark_count, sizeof(*u->marks)))
			return false;
		u->marks[u->mark_count++] = (struct mark){ marks[i], number };
	}
	return true;
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

/* A log that stands for all that belong together: the way there is made shorter. */
static uint32_t chief_of(uint32_t *chiefs, uint32_t unit)
{
	while (chiefs[unit] != unit)
		unit = chiefs[unit] = chiefs[chiefs[unit]];
	return unit;
}

/* Logs of one mark have one chief. NULL without memory. */
static uint32_t *find_chiefs(struct units *u)
{
	uint32_t *chiefs = malloc((u->count + 1) * sizeof(*chiefs));

	for (size_t i = 0; chiefs && i < u->count; i++)
		chiefs[i] = (uint32_t)i;
	if (u->mark_count)
		qsort(u->marks, u->mark_count, sizeof(*u->marks), compare_marks);
	for (size_t i = 1; chiefs && i < u->mark_count; i++)
		if (u->marks[i].mark == u->marks[i - 1].mark)
			chiefs[chief_of(chiefs, u->marks[i].unit)] =
				chief_of(chiefs, u->marks[i - 1].unit);
	free(u->marks);
	u->marks = NULL;
	u->mark_count = u->mark_room = 0;
	return chiefs;
}

/* A log by its chief, then by its place in the list of files. */
struct member {
	uint32_t chief, file;
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

static bool add_groups(struct units *u, struct member *members, size_t count)
{
	bool ok = true;

	if (count)
		qsort(members, count, sizeof(*members), compare_members);
	for (size_t first = 0, end; ok && first < count; first = end) {
		for (end = first + 1; end < count && members[end].chief == members[first].chief;)
			end++;
		ok = add_group(u, &members[first], end - first);
	}
	return ok;
}

/* Chiefs come in the order of size, as they stood in the queue. */
bool units_group(struct units *u)
{
	uint32_t *chiefs = find_chiefs(u);
	struct member *members = malloc((u->count + 1) * sizeof(*members));
	size_t count = 0;
	bool ok = chiefs && members;

	for (size_t i = 0; ok && i < u->count; i++)
		if (u->list[i].state == UNIT_KIN)
			members[count++] = (struct member){ chief_of(chiefs, (uint32_t)i),
							    u->list[i].files[0], u->list[i].size };
	ok = ok && add_groups(u, members, count);
	free(chiefs);
	free(members);
	return ok;
}

void units_free(struct units *u)
{
	for (size_t i = 0; i < u->count; i++) {
		free(u->list[i].files);
		free(u->list[i].text);
	}
	free(u->list);
	free(u->marks);
	free(u->queue);
	*u = (struct units){ .list = NULL };
}
