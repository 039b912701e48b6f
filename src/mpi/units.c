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
	return (u->kin || tl_kin_open(&u->kin, NULL) == 0) &&
	       tl_kin_add(u->kin, number, marks, count, NULL) == 0;
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
	uint32_t *chiefs = malloc((u->count + 1) * sizeof(*chiefs));
	struct member *members = malloc((u->count + 1) * sizeof(*members));
	size_t count = 0;
	bool ok = chiefs && members;

	if (ok && u->kin)
		tl_kin_group(u->kin, chiefs, u->count);
	for (size_t i = 0; ok && i < u->count; i++)
		if (u->list[i].state == UNIT_KIN)
			members[count++] =
				(struct member){ chiefs[i], u->list[i].files[0], u->list[i].size };
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
